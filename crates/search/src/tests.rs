use super::tree::Tree;
use super::*;
use postrider_games::asalto::Asalto;
use postrider_games::assassyn::Assassyn;
use postrider_games::assideum::Assideum;
use postrider_games::mission_combat::MissionCombat;
use postrider_games::subsume::Subsume;
use postrider_kernel::{Options, Outcome, Start, write_entry};

const QUICK: Budget = Budget { playouts: 60, slips: 0, level: 5 };

fn thinking<'a, 's>(budget: &'a Budget, seed: u64, stop: &'a mut Stop<'s>) -> Thinking<'a, 's> {
    Thinking { budget, seed, stop }
}

fn start<G: Skill>(position: Option<&str>) -> G {
    G::start(&Start::open(&Options::default(), position)).expect("a start")
}

/// Plays some entries of a game and returns each choice.
fn line<G: Skill>(seed: u64, entries: usize) -> Vec<String> {
    let mut game: G = start(None);
    game.veil();
    let mut table = Lots::new(seed);
    let mut line = Vec::new();
    for number in 0..entries {
        let Some(choice) = choose(&game, thinking(&QUICK, seed + number as u64, &mut || false), &mut table) else {
            break;
        };
        line.push(write_entry::<G>(&choice.actions));
        game.play(&choice.actions).unwrap_or_else(|illegal| panic!("{line:?}: {illegal:?}"));
    }
    line
}

fn repeats<G: Skill>() {
    let once = line::<G>(5, 8);
    assert_eq!(once, line::<G>(5, 8), "{}", G::INFO.name);
    assert_ne!(once, line::<G>(6, 8), "{}: the seed changes nothing", G::INFO.name);
    assert_eq!(once.len(), 8);
}

#[test]
fn the_same_seed_gives_the_same_legal_entries() {
    repeats::<Asalto>();
    repeats::<Assideum>();
    repeats::<Assassyn>();
    repeats::<MissionCombat>();
    repeats::<Subsume>();
}

#[test]
fn a_commander_lost_in_one_turn_is_found() {
    let game: Assideum = start(Some("white Kc6 Sh7 Sg1; black Ka8; to play white"));
    let choice =
        choose(&game, thinking(&Budget { playouts: 400, slips: 0, level: 5 }, 1, &mut || false), &mut Lots::new(1));
    let choice = choice.expect("a choice");
    assert_eq!((write_entry::<Assideum>(&choice.actions).as_str(), choice.expects), ("Sg1-g8", 1000));
}

/// Positions of assideum in which the side that is due wins in this turn, or in the next one whatever the answer. An exhaustive
/// search found them in games played half at random.
fn won(turns: usize, wanted: usize) -> Vec<Assideum> {
    let list = |game: &Assideum| {
        let mut moves = Moves::default();
        game.moves(&mut moves);
        moves.iter().map(|entry| game.after(entry)).collect::<Vec<_>>()
    };
    let wins = |game: &Assideum, side| matches!(game.outcome(), Some(Outcome::Win(winner, _)) if winner == side);
    let in_one = |game: &Assideum| list(game).iter().any(|after| wins(after, game.side_due()));
    let in_two = |game: &Assideum| {
        let open = |after: &Assideum| after.outcome().is_none();
        list(game).iter().filter(|after| open(after)).any(|after| {
            let answers = list(after);
            !answers.is_empty() && answers.iter().all(|next| open(next) && in_one(next))
        })
    };
    let mut found = Vec::new();
    for seed in 1..400 {
        let mut game: Assideum = start(Some("white Kd3 Rc3=N Sg1 Sh2 Cb1; black Kd7 Va6 Sa8; to play white"));
        let mut lots = Lots::new(seed);
        for _ in 0..12 {
            if found.len() == wanted {
                return found;
            }
            let is_won = game.outcome().is_none() && in_one(&game);
            if game.outcome().is_none() && (if turns == 1 { is_won } else { !is_won && in_two(&game) }) {
                found.push(game.clone());
                break;
            }
            let Some(entry) = random(&game, &mut lots) else { break };
            game.play(&entry).expect("it is legal");
        }
    }
    found
}

#[test]
fn what_wins_in_one_turn_or_in_two_is_found_from_level_3_on() {
    for (turns, wanted) in [(1, 12), (2, 4)] {
        let set = won(turns, wanted);
        assert_eq!(set.len(), wanted, "positions won in {turns}");
        for game in set {
            let budget = level_of(3).expect("a level").budget;
            let choice = choose(&game, thinking(&budget, 1, &mut || false), &mut Lots::new(1)).expect("a choice");
            assert_eq!(choice.expects, 1000, "{} {}", game.position(), write_entry::<Assideum>(&choice.actions));
        }
    }
}

/// Counts the allocations of these playouts, after the first ones have reserved memory.
fn allocations<G: Skill>(position: Option<&str>) -> u64 {
    let mut game: G = start(position);
    // At the start of each playout.
    let side = game.side_due();
    game.imagine(side, &mut |_| 0);
    let mut tree = Tree::new(&game, side, 3);
    for _ in 0..4000 {
        tree.play_on(&mut game.clone());
    }
    let mut states: Vec<G> = (0..150).map(|_| game.clone()).collect();
    let counted = allocation_counter::measure(|| states.iter_mut().for_each(|state| _ = tree.play_on(state)));
    counted.count_total
}

#[test]
fn a_playout_asks_for_no_memory_while_it_plays_on() {
    assert_eq!(allocations::<Asalto>(Some(".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b")), 0);
    assert_eq!(allocations::<Assideum>(None), 0);
    let deployed = "white Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2; black Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5; to play white";
    assert_eq!(allocations::<Assassyn>(Some(deployed)), 0);
}

/// Plays to a position in which the other side holds something that `side` cannot see.
fn midway<G: Skill>(entries: usize) -> G {
    let mut game: G = start(None);
    game.veil();
    let mut table = Lots::new(11);
    for number in 0..entries {
        let choice = choose(&game, thinking(&QUICK, 70 + number as u64, &mut || false), &mut table).expect("a choice");
        game.play(&choice.actions).expect("it is legal");
    }
    game
}

fn is_fair<G: Skill>(entries: usize) {
    let game: G = midway(entries);
    let side = game.side_due();
    let chosen = |game: &G| choose(game, thinking(&QUICK, 3, &mut || false), &mut Lots::new(4)).expect("a choice");
    let seen = chosen(&game);
    let mut changed = 0;
    for seed in 0..8 {
        let mut other = game.clone();
        let mut lots = Lots::new(seed);
        other.imagine(side, &mut |bound| lots.below(bound));
        changed += u32::from(other.position() != game.position());
        assert_eq!(chosen(&other).actions, seen.actions, "{}", G::INFO.name);
    }
    assert!(changed > 0, "{}: nothing was hidden", G::INFO.name);
}

#[test]
fn what_it_cannot_see_changes_no_choice() {
    is_fair::<Subsume>(5);
    is_fair::<MissionCombat>(14);
}

#[test]
fn a_match_is_the_same_line_again_and_level_1_beats_random_play() {
    let contest = Contest { players: [Player::Level(1), Player::Random], games: 6, seed: 2, longest: 300 };
    let tally = super::contest(&start::<Asalto>(None), &contest, &mut |_| false);
    assert_eq!(tally, super::contest(&start::<Asalto>(None), &contest, &mut |_| false));
    assert_eq!((tally.games, tally.won.iter().sum::<u32>() + tally.draws), (6, 6));
    assert!(tally.won[0] >= 5, "{tally:?}");
}

#[test]
fn a_turn_that_could_go_on_for_ever_ends() {
    let mut game: Subsume = start(Some("W a1/2 AIDIADIADIADIADIADIA; B h8 A; to play white"));
    for seed in 0..4 {
        let entry = random(&game, &mut Lots::new(seed)).expect("an entry");
        assert!(entry.len() <= LONGEST_TURN + 2);
        game.clone().play(&entry).expect("it is legal");
    }
    game.veil();
    assert!(choose(&game, thinking(&QUICK, 1, &mut || false), &mut Lots::new(1)).is_some());
}

#[test]
fn time_that_is_up_ends_the_search() {
    let game: Asalto = start(Some(".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b"));
    let choice =
        choose(&game, thinking(&Budget { playouts: 100_000, slips: 0, level: 5 }, 1, &mut || true), &mut Lots::new(1));
    assert!(choice.expect("a choice").playouts <= 16);
}

#[test]
fn what_is_expected_of_a_turn_does_not_know_what_is_drawn_in_it() {
    let mut game: MissionCombat = start(None);
    game.veil();
    let mut table = Lots::new(3);
    let mut differed = 0;
    for seed in 0..60 {
        let chosen = |lots| choose(&game, thinking(&QUICK, seed, &mut || false), &mut Lots::new(lots));
        let Some(first) = chosen(1) else { break };
        for other in [2, 3].into_iter().filter_map(chosen) {
            assert_eq!(other.expects, first.expects, "{} after {seed} entries", game.position());
            differed += u32::from(other.actions != first.actions && !first.is_forced);
        }
        let played = choose(&game, thinking(&QUICK, seed, &mut || false), &mut table).expect("an entry");
        game.play(&played.actions).expect("it is legal");
    }
    assert!(differed > 4, "{differed}");
}

#[test]
fn a_turn_goes_on_from_what_was_thrown_and_is_thrown_again() {
    let mut game: MissionCombat = start(None);
    let mut table = Lots::new(4);
    let mut seen = 0;
    for seed in 0..60 {
        let Some(choice) = choose(&game, thinking(&QUICK, seed, &mut || false), &mut table) else { break };
        let thrown = chances(&game, &choice.actions);
        assert_eq!(thrown, choice.thrown, "{}", write_entry::<MissionCombat>(&choice.actions));
        if let Some(&first) = thrown.first().filter(|_| !choice.is_forced) {
            let begun = &choice.actions[..first];
            let again = |lots| thrown_again(&game, begun, thinking(&QUICK, 1, &mut || false), &mut Lots::new(lots));
            let kept = go_on(&game, &choice.actions[..=first], thinking(&QUICK, 1, &mut || false), &mut Lots::new(1));
            for other in (1..4).filter_map(again).chain(kept) {
                assert_eq!(other.actions[..first], *begun);
                game.clone().play(&other.actions).expect("it is legal");
                seen += 1;
            }
        }
        game.play(&choice.actions).expect("it is legal");
    }
    assert!(seen > 8, "{seen}");
}
