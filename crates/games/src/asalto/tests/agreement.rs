//! Compares judging and generating: over positions of random games and under all options, whatever can be written is
//! legal if and only if it is listed, or is a shorthand for something listed.

use std::collections::HashSet;

use crate::asalto::board::{BOARD, Point, points};
use crate::asalto::tests::write;
use crate::asalto::*;
use postrider_kernel::Values;
use postrider_testing::random::Xorshift as Random;
use postrider_testing::sample;

/// Every combination of the options.
fn all_options() -> Vec<Options> {
    let mut all = vec![Options::default()];
    for spec in OPTIONS {
        let Values::OneOf(words) = spec.values else { panic!("{}: words", spec.name) };
        let with = |chosen: &Options| {
            let chosen = chosen.clone();
            words.iter().map(move |word| {
                let mut more = chosen.clone();
                more.choose(OPTIONS, spec.name, word).expect("a value of the option");
                more
            })
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

fn listed(game: &Asalto) -> Vec<Vec<Action>> {
    let mut moves = Moves::default();
    game.moves(&mut moves);
    moves.iter().map(<[_]>::to_vec).collect()
}

/// Positions of random games, `each` for every combination of the options, early and late ones.
fn positions(each: usize) -> Vec<Asalto> {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut all = Vec::new();
    for options in all_options() {
        let enough = all.len() + each;
        while all.len() < enough {
            let mut game = Asalto::start(&Start::open(&options, None)).expect("the start");
            let mut wait = random.below(12);
            loop {
                let moves = listed(&game);
                if moves.is_empty() {
                    break;
                }
                if wait == 0 && all.len() < enough {
                    all.push(game.clone());
                    wait = 5 + random.below(25);
                }
                wait = wait.saturating_sub(1);
                // Captures are rare enough to look for them: they thin out the board.
                let jumps: Vec<_> = moves.iter().filter(|entry| matches!(entry[..], [Action::Jump(_)])).collect();
                let chosen = match jumps.as_slice() {
                    [] => &moves[random.below(moves.len())],
                    _ if random.below(3) == 0 => &moves[random.below(moves.len())],
                    jumps => jumps[random.below(jumps.len())],
                };
                game.play(chosen).expect("a listed entry is legal");
            }
        }
    }
    all
}

/// Every point that can be written, including those off the board.
fn all_points() -> impl Iterator<Item = Point> + Clone {
    (0..7).flat_map(|rank| (0..7).map(move |file| Point::new(file, rank)))
}

fn huff(list: &[Point]) -> Action {
    Action::Huff(list.iter().copied().collect())
}

/// Chains of up to four landings that start with `chain`, each landing two files or ranks away.
fn chains(chain: &PointList, found: &mut Vec<Action>) {
    let Some(last) = chain.last() else { return };
    for by in [(0, 2), (2, 2), (2, 0), (2, -2), (0, -2), (-2, -2), (-2, 0), (-2, 2)] {
        let (file, rank) = (last.file() as i8 + by.0, last.rank() as i8 + by.1);
        if !(0..7).contains(&file) || !(0..7).contains(&rank) {
            continue;
        }
        let mut longer = chain.clone();
        longer.push(Point::new(file as u8, rank as u8));
        found.push(Action::Jump(longer.clone()));
        if longer.len() < 5 {
            chains(&longer, found);
        }
    }
}

/// Everything that could be written in an entry at this position, including much that would be foolish.
fn candidates(game: &Asalto, thorough: bool) -> Vec<Vec<Action>> {
    let mut all: Vec<Vec<Action>> = vec![Vec::new()];
    let pairs = all_points().flat_map(|from| all_points().map(move |to| (from, to)));
    let mut moves: Vec<Action> = pairs.clone().map(|(from, to)| Action::Step(from, to)).collect();
    for at in points(game.defenders) {
        chains(&PointList::from_slice(&[at]), &mut moves);
    }
    if thorough {
        moves.extend(pairs.clone().map(|(from, to)| Action::Jump(PointList::from_slice(&[from, to]))));
    }
    if thorough || game.placing {
        all.extend(pairs.map(|(first, second)| vec![Action::Place([first, second])]));
    }
    // Huffs are combined with what could be played if there were no huff, claims with every step.
    let mut free = game.clone();
    free.rules.huff = Huff::Auto;
    let playable = |action: &Action| free.clone().play(std::slice::from_ref(action)).is_ok();
    let claims: Vec<_> = points(game.defenders).chain([Point::new(3, 3), Point::new(0, 0)]).collect();
    for action in &moves {
        if game.to_play == BESIEGERS && matches!(action, Action::Step(..)) {
            all.extend(claims.iter().map(|&claim| vec![huff(&[claim]), action.clone()]));
        }
        if playable(action) {
            let (Action::Step(_, end) | Action::Place([_, end])) = action else {
                let Action::Jump(list) = action else { continue };
                with_huffs(game, action, list[list.len() - 1], &mut all);
                continue;
            };
            with_huffs(game, action, *end, &mut all);
        }
    }
    all.extend(all_points().map(|claim| vec![huff(&[claim])]));
    all.extend(moves.into_iter().map(|action| vec![action]));
    all
}

/// A move with every huff of one point and of two points that have defenders, before it, after it and twice, and with a
/// second move.
fn with_huffs(game: &Asalto, action: &Action, end: Point, all: &mut Vec<Vec<Action>>) {
    for point in all_points() {
        all.push(vec![action.clone(), huff(&[point])]);
        all.push(vec![huff(&[point]), action.clone()]);
    }
    let places: Vec<_> = points(game.defenders).chain([end, Point::new(3, 3)]).collect();
    for &first in &places {
        for &second in &places {
            all.push(vec![action.clone(), huff(&[first, second])]);
            all.push(vec![huff(&[first, second]), action.clone()]);
        }
        all.push(vec![action.clone(), huff(&[first]), huff(&[first])]);
        all.push(vec![huff(&[first]), action.clone(), huff(&[first])]);
        all.push(vec![action.clone(), huff(&[first]), action.clone()]);
    }
    all.push(vec![action.clone(), action.clone()]);
}

/// The spellings of everything that is listed: unchanged, in another order, and without the huff that follows.
fn spellings(game: &Asalto, moves: &[Vec<Action>]) -> HashSet<String> {
    let mut all = HashSet::new();
    for entry in moves {
        all.insert(write(entry));
        match entry.as_slice() {
            [Action::Place([first, second])] => drop(all.insert(write(&[Action::Place([*second, *first])]))),
            [action, Action::Huff(list)] if game.to_play == DEFENDERS => {
                all.insert(write(std::slice::from_ref(action)));
                if let [first, second] = list[..] {
                    all.insert(write(&[action.clone(), huff(&[second, first])]));
                }
            }
            _ => {}
        }
    }
    all
}

#[test]
fn an_entry_is_legal_if_and_only_if_it_is_listed() {
    let (mut accepted, mut refused) = (0, 0);
    for (nth, game) in positions(7).into_iter().enumerate().filter(|(nth, _)| sample::tried(*nth, 4)) {
        let moves = listed(&game);
        let legal = spellings(&game, &moves);
        let mut found = HashSet::new();
        for entry in candidates(&game, nth % 12 == 0) {
            let mut after = game.clone();
            let played = after.play(&entry);
            if played.is_err() {
                assert_eq!(after, game, "{}: refused, and something has changed", write(&entry));
                refused += 1;
            }
            // A chain of five or more landings is listed but not tried here. What is tried is looked up in the list,
            // not the reverse.
            let text = write(&entry);
            assert_eq!(played.is_ok(), legal.contains(&text), "{text:?} at {}: {played:?}", game.position());
            if played.is_ok() {
                accepted += 1;
                found.insert(text);
            }
        }
        let tried = |entry: &str| entry.matches('x').count() < 5;
        for text in legal.iter().filter(|text| tried(text)) {
            assert!(found.contains(text), "{text:?} at {} was not tried", game.position());
        }
    }
    let of = sample::share(6);
    assert!(accepted > 2_000 / of && refused > 1_000_000 / of, "{accepted} accepted, {refused} refused");
}

#[test]
fn listed_entries_are_canonical_and_legal_however_long() {
    let mut longest = 0;
    for game in positions(40) {
        for entry in listed(&game) {
            let mut after = game.clone();
            assert!(after.play(&entry).is_ok(), "{} at {}", write(&entry), game.position());
            assert_eq!(game.canonical(&entry), entry);
            longest =
                longest.max(entry.iter().map(|action| write(std::slice::from_ref(action)).len()).max().unwrap_or(0));
        }
    }
    assert!(longest > "c5xc3xa3".len(), "{longest}");
}

#[test]
fn t1_t3_left_and_right_are_alike() {
    let mirrored = |point: Point| Point::new(6 - point.file(), point.rank());
    let set = |all: Set| points(all).fold(0, |sum, point| sum | mirrored(point).set());
    let list = |all: &[Point]| all.iter().map(|&point| mirrored(point)).collect();
    for game in positions(40) {
        let other = Asalto {
            besiegers: set(game.besiegers),
            defenders: set(game.defenders),
            culprits: set(game.culprits),
            ..game.clone()
        };
        let entries = listed(&game).into_iter().map(|entry| {
            let turned = entry.into_iter().map(|action| match action {
                Action::Place([first, second]) => Action::Place([mirrored(first), mirrored(second)]),
                Action::Step(from, to) => Action::Step(mirrored(from), mirrored(to)),
                Action::Jump(points) => Action::Jump(list(&points)),
                Action::Huff(points) => Action::Huff(list(&points)),
            });
            write(&other.canonical(&turned.collect::<Vec<_>>()))
        });
        let mut entries: Vec<_> = entries.collect();
        let mut expected: Vec<_> = listed(&other).iter().map(|entry| write(entry)).collect();
        entries.sort();
        expected.sort();
        assert_eq!(entries, expected, "{}", game.position());
    }
}

#[test]
fn t50_t55_pieces_are_conserved_and_besiegers_move_128_times_at_most() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let mut ends = HashSet::new();
    for options in all_options() {
        for _ in 0..20 {
            let mut game = Asalto::start(&Start::open(&options, None)).expect("the start");
            let (mut captured, mut huffed, mut moved) = (0, 0, 0);
            loop {
                let moves = listed(&game);
                // Only with `sideways: both` can a game go on for ever.
                if moves.is_empty() || game.rules.sideways && moved > 300 {
                    break;
                }
                let entry = &moves[random.below(moves.len())];
                let besiegers = game.to_play == BESIEGERS;
                game.play(entry).expect("a listed entry is legal");
                moved += u32::from(besiegers && entry.iter().any(|action| matches!(action, Action::Step(..))));
                for action in entry {
                    match action {
                        Action::Jump(list) => captured += list.len() as u32 - 1,
                        Action::Huff(list) => huffed += list.len() as u32,
                        _ => {}
                    }
                }
                assert_eq!(game.besiegers.count_ones(), 24 - captured);
                assert_eq!(game.defenders.count_ones(), 2 - huffed);
                assert_eq!((game.besiegers & game.defenders, (game.besiegers | game.defenders) & !BOARD), (0, 0));
                assert_eq!(game.culprits & !game.defenders, 0);
                let position = game.position();
                let again = Asalto::start(&Start::open(&options, Some(&position))).expect("a position");
                assert_eq!(again.position(), position);
                assert_eq!(again.outcome, game.outcome, "{position}: the end shows in the position alone");
            }
            assert!(moved <= 128 || game.rules.sideways, "{moved} moves");
            let endless = game.rules.sideways && moved > 300;
            assert!(game.outcome.is_some() || endless, "a game without moves is over");
            ends.extend(game.outcome);
        }
    }
    assert!(ends.len() >= 3, "{ends:?}");
}
