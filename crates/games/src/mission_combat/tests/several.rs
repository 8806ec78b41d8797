//! Several sealed decks per side, one of which the other side picks, through the rules alone (M59, M60).

use super::*;
use postrider_kernel::{Faces, Keeper, Lost, Nonce, Payloads, Root, Salt, Seal, SealPlace, Seed, Seeded};

/// Accepts everything except seeds and seals of all `5e`.
struct MadeUp;

impl Facts for MadeUp {
    fn publish(&mut self, _: Side, _: &str, _: &Seal) -> Option<SealPlace> {
        Some(SealPlace::NONE)
    }

    fn seed_fits(&mut self, _: Side, deck: Seeded, seed: &Seed, cards: &[&str], _: &Root) -> bool {
        assert_eq!(cards.len() == 30, deck.generation == 1);
        seed.0 != [0x5e; 32]
    }

    fn seals_fit(&mut self, _: Side, _: Seeded, seals: &[Seal], _: &Root) -> bool {
        seals.iter().all(|seal| seal.0 != [0x5e; 32])
    }

    fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, _: &Nonce) -> bool {
        true
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        Faces::new()
    }
}

fn game(list: &[(&str, &str)]) -> MissionCombat {
    MissionCombat::start(&Start::sealed(&options(list), None)).expect("a start")
}

fn enter(game: &mut MissionCombat, entry: &str) -> Result<Played, &'static str> {
    let turn = Turn { actions: &read(entry), offers: false, facts: &mut MadeUp };
    game.try_turn(turn).map_err(|illegal| {
        assert!(illegal.help.is_some_and(|help| !help.is_empty()), "{entry}: {}", illegal.message);
        illegal.rule.code
    })
}

fn legal(game: &mut MissionCombat, entry: &str) -> String {
    enter(game, entry).unwrap_or_else(|code| panic!("{entry}: {code} in {}", game.position()));
    game.position()
}

fn code(game: &MissionCombat, entry: &str) -> &'static str {
    enter(&mut game.clone(), entry).expect_err(entry)
}

/// A row of numbered items, starting `from`.
fn row(word: &str, each: &str, from: usize, count: usize) -> String {
    let list: Vec<_> = (from..from + count).map(|nth| format!("{each}:{nth:064x}")).collect();
    format!("{word} {}", list.join(" "))
}

fn deal() -> String {
    format!("deal {}", (1..=30).map(|place| place.to_string()).collect::<Vec<_>>().join(" "))
}

fn nonce() -> String {
    "0a".repeat(16)
}

#[test]
fn m60_the_opening_with_several_decks_is_four_entries_too() {
    let mut game = game(&[("start", "toss"), ("sealed-decks", "4")]);
    assert!(game.position().contains("due marines toss"));
    assert_eq!(code(&game, &row("roots", "root", 0, 4)), "M50");
    assert_eq!(code(&game, &format!("toss seal:{}; {}", "cd".repeat(32), row("deck", "seal", 0, 30))), "M59");
    legal(&mut game, &format!("toss seal:{}; {}", "cd".repeat(32), row("roots", "root", 0, 4)));
    let second = format!("guess 1; {}; pick 3; {}", row("roots", "root", 10, 4), deal());
    for early in [second.split("; pick").next().unwrap_or_default(), second.split("; deal").next().unwrap_or_default()]
    {
        assert_eq!(code(&game, early), "M51", "it stops too early");
    }
    assert!(legal(&mut game, &second).contains("due marines toss"));
    let seeds = row("seeds", "seed", 20, 3);
    let deck = row("deck", "seal", 30, 30);
    let third = format!("toss 1 open:{}; {seeds}; {deck}; pick 4; {}; hand 5", nonce(), deal());
    assert_eq!(code(&game, &third.replace(&format!("{seeds}; {deck}"), &format!("{deck}; {seeds}"))), "M59");
    assert_eq!(code(&game, &third.replace(&format!("{seeds}; "), "")), "M59", "the others stay closed");
    assert!(legal(&mut game, &third).contains("due portalists seeds 3"));
    let fourth = format!("{}; {}; hand 5; place exorcist@RP open:1:{}", row("seeds", "seed", 23, 3), deck, nonce());
    assert!(legal(&mut game, &fourth).contains("placing; to play marines"), "the guess was right");
}

#[test]
fn m60_without_a_toss_the_roots_come_first() {
    let mut game = game(&[("start", "portalists"), ("sealed-decks", "2")]);
    assert!(game.position().contains("due marines roots 2"));
    legal(&mut game, &row("roots", "root", 0, 2));
    assert!(game.position().contains("due portalists roots 2"));
    legal(&mut game, &format!("{}; pick 1; {}", row("roots", "root", 10, 2), deal()));
    assert!(game.position().contains("due marines seeds 1"));
    let opened = format!("{}; {}", row("seeds", "seed", 0, 1), row("deck", "seal", 0, 30));
    legal(&mut game, &format!("{opened}; pick 2; {}; hand 5", deal()));
    legal(&mut game, &format!("{opened}; hand 5; place exorcist@RP open:1:{}", nonce()));
}

#[test]
fn m59_as_many_roots_and_seeds_as_there_are_decks_and_a_pick_among_them() {
    let mut game = game(&[("start", "marines"), ("sealed-decks", "4")]);
    for count in [1, 3, 5, 16] {
        assert_eq!(code(&game, &row("roots", "root", 0, count)), "M59", "{count}");
    }
    assert_eq!(code(&game, &row("deck", "seal", 0, 30)), "M59", "one deck alone");
    assert_eq!(
        code(&game, &format!("{0} {0}", row("roots", "root", 0, 2)).replace(" roots", "")),
        "Z6",
        "the same root twice"
    );
    legal(&mut game, &row("roots", "root", 0, 4));
    let second = format!("{}; pick 4; {}", row("roots", "root", 4, 4), deal());
    assert_eq!(code(&game, &second.replace("pick 4", "pick 5")), "M59");
    assert_eq!(code(&game, &format!("{}; pick 4; {}", row("roots", "root", 3, 4), deal())), "Z6", "copied");
    assert_eq!(code(&game, &second.replace("deal 1 ", "deal 2 ")), "M51");
    legal(&mut game, &second);
    let third = |seeds: String| format!("{seeds}; {}; pick 1; {}; hand 5", row("deck", "seal", 0, 30), deal());
    for count in [1, 2, 4] {
        assert_eq!(code(&game, &third(row("seeds", "seed", 0, count))), "M59", "{count}");
    }
    legal(&mut game, &third(row("seeds", "seed", 0, 3)));
}

#[test]
fn z27_seeds_and_seals_that_do_not_give_their_root_are_refused() {
    let mut game = game(&[("start", "marines"), ("sealed-decks", "4")]);
    legal(&mut game, &row("roots", "root", 0, 4));
    legal(&mut game, &format!("{}; pick 2; {}", row("roots", "root", 4, 4), deal()));
    let third = format!("{}; {}; pick 1; {}; hand 5", row("seeds", "seed", 1, 3), row("deck", "seal", 0, 30), deal());
    for (nth, number) in [(1, 1), (2, 3), (3, 4)] {
        let wrong = third.replace(&format!("seed:{nth:064x}"), &format!("seed:{}", "5e".repeat(32)));
        assert_eq!(code(&game, &wrong), "Z27");
        let turn = Turn { actions: &read(&wrong), offers: false, facts: &mut MadeUp };
        let message = game.clone().try_turn(turn).expect_err("refused").message;
        assert!(message.contains(&format!("the seed of deck {number} does not give its root")), "{message}");
    }
    assert_eq!(code(&game, &third.replace(&format!("seal:{:064x}", 7), &format!("seal:{}", "5e".repeat(32)))), "Z27");
    legal(&mut game, &third);
}

#[test]
fn m59_with_one_deck_there_is_nothing_to_pick() {
    for list in [&[("start", "marines")][..], &[("start", "marines"), ("sealed-decks", "1")]] {
        let mut game = game(list);
        assert_eq!(code(&game, &row("roots", "root", 0, 1)), "M51");
        legal(&mut game, &row("deck", "seal", 0, 30));
        assert_eq!(code(&game, &format!("{}; pick 1; {}", row("deck", "seal", 30, 30), deal())), "M51");
        legal(&mut game, &format!("{}; {}", row("deck", "seal", 30, 30), deal()));
        assert_eq!(code(&game, &format!("{}; {}; hand 5", row("seeds", "seed", 0, 1), deal())), "M51");
    }
    let open = MissionCombat::start(&Start::open(&options(&[("sealed-decks", "16")]), None));
    assert!(matches!(open, Err(SetupFault::Needs { option: "sealed-decks", .. })));
    MissionCombat::start(&Start::open(&options(&[("sealed-decks", "1")]), None)).expect("a default may be written out");
    let position = on("YA exorcist.1; AR rifle-squad.1; ap 4; to play marines");
    for entry in ["pick 1".to_owned(), row("roots", "root", 0, 4), row("seeds", "seed", 0, 3)] {
        refused(&position, &entry, "Z5");
    }
}

/// Makes roots and seeds from numbers, and remembers a deck in the order of its list.
struct Fixed(u8);

impl Keeper for Fixed {
    fn seal(&mut self, _: &str, _: &str) -> Result<Seal, Lost> {
        Ok(Seal([0xcd; 32]))
    }

    fn open(&mut self, _: &str, _: &str, _: &Seal) -> Result<Nonce, Lost> {
        Ok(Nonce([0x0a; 16]))
    }

    fn recall(&mut self, label: &str, _: &Seal, payloads: &Payloads<'_>) -> Result<(String, Nonce), Lost> {
        let mut all = Vec::new();
        payloads(&mut |payload| {
            all.push(payload.to_owned());
            false
        });
        let place: usize = label.rsplit('.').next().and_then(|place| place.parse().ok()).unwrap_or(0);
        Ok((all[place % all.len()].clone(), Nonce([0x0a; 16])))
    }

    fn root(&mut self, deck: Seeded, _: &[&str]) -> Result<Root, Lost> {
        Ok(Root([deck.deck as u8 | self.0; 32]))
    }

    fn seed(&mut self, deck: Seeded, _: &[&str], root: &Root) -> Result<Seed, Lost> {
        assert_eq!(root.0[0] & 0x7f, deck.deck as u8, "the root of that deck");
        Ok(Seed([deck.deck as u8; 32]))
    }

    fn deck(&mut self, seeded: Seeded, cards: &[&str]) -> Result<Vec<Seal>, Lost> {
        Ok((0..cards.len()).map(|nth| Seal([seeded.deck as u8 ^ nth as u8; 32])).collect())
    }

    fn salt(&mut self) -> Result<Salt, Lost> {
        Ok(Salt([0; 16]))
    }

    fn below(&mut self, bound: u32) -> Result<u32, Lost> {
        Ok(bound / 2)
    }
}

fn completed(game: &MissionCombat, typed: &str) -> String {
    let typed: Vec<_> = if typed.is_empty() { Vec::new() } else { typed.split("; ").collect() };
    let typed: Vec<_> = typed.iter().map(|text| notation::read_typed(text).expect("an action")).collect();
    let mut keeper = Fixed(if game.due_side() == PORTALISTS { 0x80 } else { 0 });
    write(&game.complete(&typed, &mut keeper).expect("an entry"))
}

#[test]
fn forced_actions_with_several_decks_are_made_from_nothing_typed() {
    let mut game = game(&[("start", "toss"), ("sealed-decks", "4")]);
    let first = completed(&game, "");
    assert!(first.starts_with("toss seal:") && first.matches(" root:").count() == 4, "{first}");
    assert_eq!(completed(&game, "roots"), first, "the toss is made with it");
    legal(&mut game, &first);
    assert_eq!(completed(&game, ""), "", "a guess is the player's");
    let second = completed(&game, "guess 0");
    assert!(second.starts_with("guess 0; roots root:") && second.contains("; pick 3; deal "), "{second}");
    legal(&mut game, &second);
    let third = completed(&game, "");
    let parts = ["toss 0 open:", "; seeds seed:", "; deck seal:", "; pick 3; deal ", "; hand "];
    assert!(parts.iter().all(|part| third.contains(part)) && third.matches(" seed:").count() == 3, "{third}");
    for word in ["seeds", "deck", "pick", "deal", "hand"] {
        assert_eq!(completed(&game, word), third, "{word}");
    }
    legal(&mut game, &third);
    let fourth = completed(&game, "place portal-trooper@YA");
    assert!(fourth.starts_with("seeds seed:") && fourth.contains("; place portal-trooper@YA open:"), "{fourth}");
    legal(&mut game, &fourth);
}

#[test]
fn several_decks_read_as_they_are_written() {
    for entry in [row("roots", "root", 7, 16), "pick 16".into(), row("seeds", "seed", 7, 15)] {
        assert_eq!(write(&read(&entry)), entry);
    }
    for wrong in
        ["pick", "pick 0", "pick 07", "pick 1 2", "roots", "roots seal:00", "seeds root:00", "seeds", "pick one"]
    {
        assert!(notation::read(wrong).is_err(), "{wrong}");
    }
}
