//! Compares judging and generating, and checks what must be true of every position that can be reached.

use super::board::{Set, squares};
use super::*;
use postrider_testing::random::Xorshift;
use postrider_testing::sample;

/// Where random play starts: the normal start, and positions in which Portals, Fighters and Rangers meet early.
const STARTS: [&str; 9] = [
    "white Kh1 Pb5=E Pe4=N Va2 Fe4 Fe6; black Kg8 Pg7=W Vc5 Ve7 Ff7 Fg7; to play white",
    "white Kh1 Pc6=N Pe6=N Fd6 Fd6; black Kh8 Rh6=W Pd3=S Vb7 Vd8 Fc3 Fe2; to play white",
    "white Kd5 Pb7=N Pg7=E Fa8 Fh8; black Kd1 Pb2=S Pg2=W Fb8 Fh1; to play white",
    "white Kg1 Pd4=N Pe6=S Sa4 Fd4 Fd4; black Kg8 Pb5=E Pd7=S Cd8 Fb5 Fd4; to play white",
    "white Kh1 Pc3=N Pe3=N Fc3 Fd6; black Kh8 Pd7=S Vd4 Fe3 Fe3; to play white",
    "white Kd4 Va6 Vc7 Ve8! Vf5! Vh7; black Kd6 Cg8 Sb8 Vb2 Vd1! Vg2 Vh4!; to play white",
    "white Kb1 Re2=N Pb3=E Pd2=N Vh3 Fe4 Fe5; black Kb8 Re7=S Pe6=S Pg4=W Vc3 Fe6 Fe6; to play white",
    "white Ka1 Pf2=N Vh2 Fa1 Ff2; black Kh8 Pb2=S Sg8 Fa2 Fc2; to play white",
    "white Kd1 Rb2=E Pb4=S Sa6 Ve2 Fc3; black Kh8 Rd8=S Pf3=W Cg5 Vb3 Fc2 Ff3; to play white",
];

/// Rangers in the open.
const RANGERS: &str = "white Ka2 Rd4=E Vb3 Ve2; black Kg7 Rd6=W Vb6 Vh6; to play white";

/// The value of a game's option (A42).
fn ranger_fire(game: &Assideum) -> String {
    match game.rules.range {
        0 => "none".into(),
        7 => "line".into(),
        range => range.to_string(),
    }
}

/// Plays at random from every start, with attacks twice as likely as other turns, and shows every position.
pub(super) fn random_games(seed: u64, plies: usize, mut show: impl FnMut(&Assideum, usize)) {
    let mut numbers = Xorshift(seed);
    let fresh = [start(&[]), start(&[("back-row", "CPRSKSPC"), ("ranger-fire", "none")])];
    // Rangers that see far, and their range.
    let near = ["1", "2", "3", "6"]
        .into_iter()
        .flat_map(|range| [STARTS[6], STARTS[8], RANGERS].map(|position| at_with(position, &[("ranger-fire", range)])));
    for mut game in fresh.into_iter().chain(STARTS.map(at)).chain(near) {
        for ply in 0..plies {
            show(&game, ply);
            let mut moves = Moves::default();
            game.moves(&mut moves);
            let turns: Vec<_> = moves.iter().flatten().copied().collect();
            if turns.is_empty() {
                break;
            }
            let attacks: Vec<_> =
                turns.iter().filter(|turn| !matches!(turn.deed, Deed::Move(_) | Deed::Spin)).collect();
            let turn = match attacks.len() {
                0 => turns[numbers.below(turns.len())],
                count if numbers.below(3) == 0 => *attacks[numbers.below(count)],
                _ => turns[numbers.below(turns.len())],
            };
            game.play(&[turn]).expect("a listed turn is legal");
        }
    }
}

/// Every turn that can be written for the pieces of the side to play, with `+` in canonical order. It names up to two
/// squares that have own Fighters, or one that does not.
fn candidates(game: &Assideum) -> Vec<Action> {
    let own = game.field.to_play;
    let all = || squares(Set::MAX);
    let fighters = game.field.fighters(own).set();
    let named: Vec<_> = squares(fighters | squares(!fighters).next().map_or(0, Square::set)).collect();
    let mut lists = vec![Carried::default()];
    for first in &named {
        lists.push([*first].into_iter().collect());
        lists.extend(named.iter().map(|second| [*first, *second].into_iter().collect::<Carried>().sorted()));
    }
    lists.sort_by_key(|list| list.iter().map(Square::order).collect::<Vec<_>>());
    lists.dedup();
    let mut candidates = Vec::new();
    for kind in Kind::ALL {
        let stand = if kind == Kind::Fighter { fighters } else { game.field.of(kind, own) };
        for from in squares(stand) {
            let deeds = all().flat_map(|to| [Deed::Move(to), Deed::Attack(to)]);
            candidates.extend(deeds.clone().map(|deed| Action::plain(kind, from, deed)));
            if !kind.faces() {
                continue;
            }
            if kind == Kind::Ranger {
                candidates.extend(all().map(|to| Action::plain(kind, from, Deed::Fire(to))));
            }
            let lists = if kind == Kind::Portal { &lists[..] } else { &lists[..1] };
            for carried in lists {
                let facings = Facing::ALL.map(Some);
                let spins = facings.map(|facing| (Deed::Spin, facing));
                let moves =
                    deeds.clone().flat_map(|deed| [None].into_iter().chain(facings).map(move |facing| (deed, facing)));
                for (deed, facing) in moves.chain(spins) {
                    if facing.is_some() || !carried.is_empty() {
                        candidates.push(Action { facing, carried: *carried, ..Action::plain(kind, from, deed) });
                    }
                }
            }
        }
    }
    candidates
}

#[test]
fn a_turn_is_judged_legal_if_and_only_if_it_is_listed() {
    let (mut positions, mut judged) = (0, 0);
    random_games(0x5eed, 90, |game, ply| {
        if ply % 15 != 0 && !(ply < 40 && ply % 5 == 0) || !sample::tried(ply / 5, 3) {
            return;
        }
        positions += 1;
        let legal: std::collections::HashSet<_> = listed(game).into_iter().collect();
        let mut found = 0;
        for turn in candidates(game) {
            judged += 1;
            let mut after = game.field;
            let stands = game.outcome.is_none() && game.field.judge(game.rules.range, &turn).is_ok() && {
                after.apply(&turn);
                after.threat(game.rules.range).is_none()
            };
            assert_eq!(stands, legal.contains(&write(&turn)), "{} in {}", write(&turn), game.position());
            found += usize::from(stands);
        }
        assert_eq!(found, legal.len(), "every listed turn is among the candidates: {}", game.position());
    });
    let of = sample::share(4);
    assert!(positions > 60 / of && judged > 300_000 / of, "{positions} positions, {judged} turns");
}

#[test]
fn entries_are_played_if_and_only_if_their_turns_are_listed() {
    let mut numbers = Xorshift(77);
    random_games(3, 40, |game, ply| {
        if ply % 8 != 0 {
            return;
        }
        let legal = listed(game);
        let all = candidates(game);
        for _ in 0..60 {
            let turn = all[numbers.below(all.len())];
            let mut after = game.clone();
            let played = after.play(&[turn]).is_ok();
            assert_eq!(played, legal.binary_search(&write(&turn)).is_ok(), "{} in {}", write(&turn), game.position());
            assert!(played || &after == game, "a refused entry changes nothing");
        }
    });
}

#[test]
fn every_listed_turn_is_canonical_and_reads_back() {
    random_games(0xabc, 60, |game, _| {
        let list = listed(game);
        let mut once = list.clone();
        once.dedup();
        assert_eq!(list, once, "no turn is listed twice: {}", game.position());
        assert_eq!(game.count(), list.len());
        for text in &list {
            let turn = read(text);
            assert_eq!(write(&turn), *text);
            assert_eq!(*game.canonical(&[turn]), [turn]);
        }
    });
}

#[test]
fn applying_is_playing_without_judging() {
    random_games(0xd0, 30, |game, _| {
        let mut moves = Moves::default();
        game.moves(&mut moves);
        for entry in moves.iter().step_by(7) {
            let (mut applied, mut played) = (game.clone(), game.clone());
            applied.apply(entry);
            played.play(entry).expect("a listed turn is legal");
            assert_eq!(applied, played);
        }
    });
}

#[test]
fn positions_read_back_and_enemy_flyers_never_share_a_square() {
    random_games(0xf00d, 120, |game, _| {
        let again = at_with(&game.position(), &[("ranger-fire", &ranger_fire(game))]);
        assert_eq!(again.field, game.field);
        assert_eq!(again.outcome, game.outcome);
        assert_eq!(game.field.flying(WHITE) & game.field.flying(BLACK), 0, "{}", game.position());
    });
}

#[test]
fn both_methods_of_finding_a_siege_agree() {
    random_games(0xcab, 120, |game, _| {
        for side in Side::BOTH {
            let mut field = game.field;
            field.to_play = side.other();
            let threat = field.threat(game.rules.range);
            assert_eq!(field.besieged(side, game.rules.range), threat.is_some(), "{} {threat:?}", game.position());
        }
    });
}

/// A reflection: what it does to a square, a facing and a side.
struct Mirror {
    square: fn(Square) -> Square,
    facing: fn(Facing) -> Facing,
    side: fn(Side) -> Side,
}

/// Files reversed, east and west exchanged.
const FILES: Mirror = Mirror {
    square: |at| Square::new(7 - at.file(), at.rank()),
    facing: |facing| match facing {
        Facing::East => Facing::West,
        Facing::West => Facing::East,
        other => other,
    },
    side: |side| side,
};

/// Ranks reversed, north and south exchanged, and the sides.
const RANKS: Mirror = Mirror {
    square: |at| Square::new(at.file(), 7 - at.rank()),
    facing: |facing| match facing {
        Facing::North => Facing::South,
        Facing::South => Facing::North,
        other => other,
    },
    side: Side::other,
};

impl Mirror {
    fn game(&self, game: &Assideum) -> Assideum {
        let mut field = Field::empty((self.side)(game.field.to_play));
        for side in Side::BOTH {
            for at in squares(game.field.side(side)) {
                let kind = game.field.kind_at(at).expect("a piece");
                let facing = (self.facing)(game.field.facing(at));
                let promoted = game.field.promoted() & at.set() != 0;
                field.put((self.side)(side), kind, (self.square)(at), kind.faces().then_some(facing), promoted);
            }
            for at in game.field.fighters(side).iter() {
                field.add_fighter((self.side)(side), (self.square)(at));
            }
        }
        Assideum::from_field(field, game.rules)
    }

    fn turn(&self, turn: &Action) -> Action {
        let deed = match turn.deed {
            Deed::Move(to) => Deed::Move((self.square)(to)),
            Deed::Attack(to) => Deed::Attack((self.square)(to)),
            Deed::Fire(to) => Deed::Fire((self.square)(to)),
            Deed::Spin => Deed::Spin,
        };
        let carried: Carried = turn.carried.iter().map(self.square).collect();
        let facing = turn.facing.map(self.facing);
        Action { from: (self.square)(turn.from), deed, facing, carried: carried.sorted(), ..*turn }
    }
}

#[test]
fn mirrored_positions_have_the_mirrored_turns() {
    random_games(0x1d, 60, |game, _| {
        for mirror in [FILES, RANKS] {
            let mut moves = Moves::default();
            game.moves(&mut moves);
            let mut mirrored: Vec<_> = moves.iter().flatten().map(|turn| write(&mirror.turn(turn))).collect();
            mirrored.sort();
            assert_eq!(listed(&mirror.game(game)), mirrored, "{}", game.position());
        }
    });
}

#[test]
fn a54_repetitions_are_those_of_the_position_lines() {
    let mut numbers = Xorshift(4711);
    let setup = "white Kb1 Rh2=E Sd2 Vh3; black Kb8 Rh7=E Vd3 Vh6; to play white";
    let mut most = 0;
    for _ in 0..20 {
        let mut game = at(setup);
        let mut stood = vec![game.position()];
        for _ in 0..60 {
            let list: Vec<_> = listed(&game)
                .into_iter()
                .filter(|text| text.starts_with('R') && !text.contains('-') || text.contains('x'))
                .collect();
            if list.is_empty() {
                break;
            }
            game = after(&game, &list[numbers.below(list.len())]);
            stood.push(game.position());
            let times = stood.iter().filter(|position| **position == game.position()).count();
            assert_eq!(game.past.count(&game.field), times, "{stood:?}");
            assert_eq!(game.claim(Claim::Repetition).is_ok(), times >= 3 && game.outcome.is_none());
            most = most.max(times);
        }
    }
    assert!(most >= 3, "random Rangers return to where they were");
}
