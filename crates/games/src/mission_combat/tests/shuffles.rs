//! A discard pile that is shuffled as several decks, one of which the other side picks, through the rules alone (M61).

use super::sealed::{due, open, seals, with_few_left};
use super::*;
use postrider_kernel::{Faces, Nonce, Root, Salt, Seal, SealPlace, Seed, Seeded};

/// Accepts everything except seeds and seals of all `5e`, and notes what it was asked.
#[derive(Default)]
struct MadeUp {
    rooted: Vec<u32>,
    asked: Vec<(Seeded, usize)>,
}

impl Facts for MadeUp {
    fn publish(&mut self, _: Side, _: &str, _: &Seal) -> Option<SealPlace> {
        Some(SealPlace::NONE)
    }

    fn rooted(&mut self, _: Side, generation: u32) {
        self.rooted.push(generation);
    }

    fn seed_fits(&mut self, _: Side, deck: Seeded, seed: &Seed, cards: &[&str], _: &Root) -> bool {
        self.asked.push((deck, cards.len()));
        seed.0 != [0x5e; 32]
    }

    fn seals_fit(&mut self, _: Side, deck: Seeded, seals: &[Seal], _: &Root) -> bool {
        self.asked.push((deck, seals.len()));
        seals.iter().all(|seal| seal.0 != [0x5e; 32])
    }

    fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, _: &Nonce) -> bool {
        true
    }

    fn opens_at(&mut self, _: Side, _: &str, _: &str, _: SealPlace, _: &Nonce) -> bool {
        true
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        Faces::new()
    }
}

fn enter(game: &mut MissionCombat, entry: &str) -> Result<(Played, MadeUp), &'static str> {
    let mut facts = MadeUp::default();
    let turn = Turn { actions: &read(entry), offers: false, facts: &mut facts };
    match game.try_turn(turn) {
        Ok(played) => Ok((played, facts)),
        Err(illegal) => {
            assert!(illegal.help.is_some_and(|help| !help.is_empty()), "{entry}: {}", illegal.message);
            Err(illegal.rule.code)
        }
    }
}

fn legal(game: &mut MissionCombat, entry: &str) -> (Played, MadeUp) {
    enter(game, entry).unwrap_or_else(|code| panic!("{entry}: {code} in {}", game.position()))
}

fn code(game: &MissionCombat, entry: &str) -> &'static str {
    match enter(&mut game.clone(), entry) {
        Err(code) => code,
        Ok(_) => panic!("{entry} is legal in {}", game.position()),
    }
}

/// The marines draw, with `left` cards undealt and `pile` in their pile, which is shuffled as four decks.
fn drawing(left: usize, pile: usize) -> MissionCombat {
    let mut game = with_few_left(left, pile);
    if let Some(sealed) = &mut game.sealed {
        sealed.shuffles = 4;
    }
    game
}

fn row(word: &str, each: &str, count: usize) -> String {
    let list: Vec<_> = (1..=count).map(|nth| format!("{each}:{nth:064x}")).collect();
    format!("{word} {}", list.join(" "))
}

fn roots(count: usize) -> String {
    row("shuffle", "root", count)
}

fn seeds(count: usize) -> String {
    row("seeds", "seed", count)
}

fn deck(count: usize) -> String {
    format!("deck {}", seals(count))
}

#[test]
fn m61_the_pick_stands_in_the_deal_that_is_due_and_seeds_and_seals_in_the_entry_after_it() {
    let mut game = drawing(3, 11);
    legal(&mut game, "draw 3");
    legal(&mut game, "deal 28 29 30");
    let first = format!("discard stealth-sniper {}", open("28"));
    assert_eq!(code(&game, &format!("{first}; shuffle {}", seals(12))), "M61", "one deck alone");
    for count in [1, 3, 5] {
        assert_eq!(code(&game, &format!("{first}; {}", roots(count))), "M61", "{count}");
    }
    assert_eq!(code(&game, &format!("{first}; {}", roots(4).replace("0003", "0002"))), "Z6", "the same root twice");
    let (_, facts) = legal(&mut game, &format!("{first}; {}", roots(4)));
    assert_eq!(facts.rooted, [2]);
    assert_eq!(due(&game), "due portalists pick 4");
    assert_eq!(code(&game, "deal 2.1 2.12 2.5"), "M61");
    for number in [5, 30] {
        assert_eq!(code(&game, &format!("pick {number}; deal 2.1 2.12 2.5")), "M61");
    }
    assert_eq!(code(&game, "pick 2"), "M20", "the deal belongs to it");
    assert_eq!(code(&game, "pick 2; deal 2.1 2.13 2.5"), "M55");
    let (played, _) = legal(&mut game, "pick 2; deal 2.1 2.12 2.5");
    assert!(played.forced, "neither a pick nor a deal is a choice");
    assert_eq!(due(&game), "due marines seeds 3");
    let rest = format!("discard hellfire {}; discard rocket-squad {}; end", open("2.1"), open("2.5"));
    let whole = format!("{}; {}; {rest}", seeds(3), deck(12));
    assert_eq!(code(&game, &rest), "M61");
    assert_eq!(code(&game, &format!("{}; {rest}", deck(12))), "M61", "the others stay closed");
    assert_eq!(code(&game, &format!("{}; {rest}", seeds(3))), "M61", "the picked deck stays closed");
    assert_eq!(code(&game, &whole.replace(&deck(12), &deck(11))), "M61");
    for count in [2, 4] {
        assert_eq!(code(&game, &whole.replace(&seeds(3), &seeds(count))), "M61", "{count}");
    }
    let second = format!("seed:{:064x}", 2);
    assert_eq!(code(&game, &whole.replace(&second, &format!("seed:{}", "5e".repeat(32)))), "Z27");
    assert_eq!(
        code(&game, &whole.replacen("seal:ab", "seal:5e", 12).replace(&"ab".repeat(31), &"5e".repeat(31))),
        "Z27"
    );
    let (_, facts) = legal(&mut game, &whole);
    let seeded = |deck| (Seeded { deck, generation: 2 }, 12);
    assert_eq!(
        facts.asked,
        [seeded(1), seeded(3), seeded(4), seeded(2)],
        "the others by their seeds, the picked one by its seals"
    );
    assert!(game.position().contains("hand marines 3; hand portalists 0; discard marines 2"), "{}", game.position());
    let holdings = game.sealed_holdings(MARINES);
    assert!(holdings.iter().all(|holding| holding.roots.is_empty()));
    assert_eq!(holdings.iter().map(|holding| holding.payloads.len()).collect::<Vec<_>>(), [30, 12]);
}

#[test]
fn m61_decks_from_which_nothing_is_drawn_yet_are_picked_from_when_something_is() {
    let mut game = drawing(2, 3);
    legal(&mut game, "draw");
    legal(&mut game, "deal 29 30");
    legal(&mut game, &format!("{}; discard hellfire {}; end", roots(4), open("30")));
    let holdings = game.sealed_holdings(MARINES);
    assert_eq!(holdings.iter().map(|holding| holding.roots.len()).collect::<Vec<_>>(), [0, 4]);
    legal(&mut game, "end");
    assert_eq!(due(&game), "nothing");
    legal(&mut game, "draw");
    assert_eq!(due(&game), "due portalists pick 4");
    legal(&mut game, "pick 4; deal 2.3 2.1");
    legal(&mut game, &format!("{}; {}; discard hellfire {}; end", seeds(3), deck(3), open("2.1")));
    legal(&mut game, "end");
    legal(&mut game, "draw");
    assert_eq!(due(&game), "due portalists deal 1", "it was picked once and for all");
    legal(&mut game, "deal 2.2");
    assert_eq!(due(&game), "due marines shuffle 2", "the third generation");
    let (_, facts) = legal(&mut game, &roots(4));
    assert_eq!(facts.rooted, [3]);
    legal(&mut game, "pick 1; deal 3.2");
    let (_, facts) = legal(
        &mut game,
        &format!("{}; {}; discard hellfire {}; end", seeds(3), deck(2), open("2.2"))
            .replace("hellfire", "missile-strike"),
    );
    assert_eq!(facts.asked.last(), Some(&(Seeded { deck: 1, generation: 3 }, 2)));
}

#[test]
fn m61_a_deck_of_one_card_is_dealt_shown_and_shuffled_again_in_one_entry() {
    let mut game = drawing(2, 1);
    for entry in ["draw 2".to_owned(), "deal 29 30".to_owned(), roots(4), "pick 3; deal 2.1".to_owned()] {
        legal(&mut game, &entry);
    }
    legal(&mut game, &format!("{}; {}; discard hellfire {}; {}", seeds(3), deck(1), open("30"), roots(4)));
    assert_eq!(due(&game), "due portalists pick 4");
    legal(&mut game, "pick 1; deal 3.1");
    legal(&mut game, &format!("{}; {}; discard hellfire {}; end", seeds(3), deck(1), open("2.1")));
}

#[test]
fn m61_the_count_is_an_option_of_sealed_play_and_one_deck_is_as_before() {
    let open = MissionCombat::start(&Start::open(&options(&[("sealed-shuffles", "8")]), None));
    assert!(matches!(open, Err(SetupFault::Needs { option: "sealed-shuffles", .. })));
    MissionCombat::start(&Start::open(&options(&[("sealed-shuffles", "1")]), None))
        .expect("a default may be written out");
    let mut game = with_few_left(1, 4);
    legal(&mut game, "draw");
    legal(&mut game, "deal 30");
    assert_eq!(code(&game, &roots(4)), "M57");
    assert_eq!(code(&game, &roots(1)), "M57");
    for entry in [roots(8), roots(1)] {
        assert_eq!(write(&read(&entry)), entry);
    }
    for wrong in [format!("{} seal:{}", roots(1), "ab".repeat(32)), format!("shuffle {} root:00", seals(1))] {
        assert!(notation::read(&wrong).is_err(), "{wrong}");
    }
}
