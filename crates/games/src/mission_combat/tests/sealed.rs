//! Sealed play through the rules alone, with invented facts: rules do not hash.

use super::*;
use crate::mission_combat::board::areas;
use crate::mission_combat::sealed::shoe;
use crate::mission_combat::sealed::shoe::Place;
use postrider_kernel::{Faces, Lost, Nonce, Payloads, Salt, Seal, SealPlace, Trusting};

/// Accepts every opening whose nonce is all `0a`, and has seen the seal of all `5e`.
struct MadeUp;

impl Facts for MadeUp {
    fn publish(&mut self, _: Side, _: &str, seal: &Seal) -> Option<SealPlace> {
        (seal.0 != [0x5e; 32]).then_some(SealPlace::NONE)
    }

    fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, nonce: &Nonce) -> bool {
        nonce.0 == [0x0a; 16]
    }

    fn opens_at(&mut self, _: Side, _: &str, _: &str, _: SealPlace, nonce: &Nonce) -> bool {
        nonce.0 == [0x0a; 16]
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        Faces::new()
    }
}

pub(super) fn seals(count: usize) -> String {
    vec![format!("seal:{}", "ab".repeat(32)); count].join(" ")
}

pub(super) fn nonce() -> String {
    "0a".repeat(16)
}

pub(super) fn open(position: &str) -> String {
    format!("open:{position}:{}", nonce())
}

/// The positions from 1 to 30, beginning with the given ones.
pub(super) fn deal(first: &[u32]) -> String {
    let rest = (1..=30).filter(|place| !first.contains(place));
    let all: Vec<_> = first.iter().copied().chain(rest).map(|place| place.to_string()).collect();
    format!("deal {}", all.join(" "))
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

/// The rule that refuses an entry.
fn code(game: &MissionCombat, entry: &str) -> &'static str {
    enter(&mut game.clone(), entry).expect_err(entry)
}

fn sealed(start: &str) -> MissionCombat {
    MissionCombat::start(&Start::sealed(&options(&[("start", start)]), None)).expect("a start")
}

/// A game in which the marines have positions 1 to 5 and start; both sides have placed, and the first turn is theirs.
fn playing() -> MissionCombat {
    let mut game = sealed("marines");
    legal(&mut game, &format!("deck {}", seals(30)));
    legal(&mut game, &format!("deck {}; {}", seals(30), deal(&[])));
    legal(&mut game, &format!("{}; hand 5", deal(&[])));
    legal(&mut game, "hand 5");
    for place in 1..=5 {
        legal(&mut game, &format!("place rifle-squad@AR {}", open(&place.to_string())));
        legal(&mut game, &format!("place portal-trooper@YA {}", open(&place.to_string())));
    }
    game
}

#[test]
fn m50_m51_the_opening_is_four_entries() {
    let mut game = sealed("toss");
    assert_eq!(
        game.position(),
        "sealing; due marines toss; hand marines 0; hand portalists 0; discard marines 0; discard portalists 0"
    );
    let first = format!("toss seal:{}; deck {}", "cd".repeat(32), seals(30));
    assert_eq!(code(&game, &format!("deck {}", seals(30))), "M50");
    assert_eq!(code(&game, "guess 0"), "M50");
    assert_eq!(code(&game, &format!("toss seal:{}", "cd".repeat(32))), "M51", "it stops too early");
    assert_eq!(code(&game, &format!("{first}; guess 0")), "M51", "it goes on too long");
    assert_eq!(code(&game, &format!("toss seal:{}; deck {}", "cd".repeat(32), seals(29))), "M51");
    assert_eq!(code(&game, &format!("toss seal:{}; deck {}", "5e".repeat(32), seals(30))), "Z6");
    legal(&mut game, &first);
    let second = format!("guess 1; deck {}; {}", seals(30), deal(&[]));
    assert_eq!(code(&game, &format!("deck {}; {}", seals(30), deal(&[]))), "M50");
    assert_eq!(code(&game, &format!("guess 1; deck {}; deal 1 2 3", seals(30))), "M51");
    assert_eq!(code(&game, &second.replace("deal 1 2 ", "deal 1 1 ")), "M51");
    legal(&mut game, &second);
    let third = format!("toss 1 open:{}; {}; hand 6; discard hellfire {}", nonce(), deal(&[]), open("2"));
    assert_eq!(code(&game, &third.replacen("0a0a", "0b0a", 1)), "Z3");
    assert_eq!(code(&game, &format!("toss 1 open:{}; {}; hand 6", nonce(), deal(&[]))), "M51");
    legal(&mut game, &third);
    assert_eq!(
        game.position(),
        "sealing; due portalists hand; hand marines 5; hand portalists 0; discard marines 1; discard portalists 0"
    );
    assert_eq!(code(&game, "hand 5"), "M51", "the starting player places at once");
    legal(&mut game, &format!("hand 5; place exorcist@RP {}", open("1")));
    assert!(game.position().contains("placing; to play marines"), "the guess was right");
}

#[test]
fn m52_the_opening_hand_discards_its_events_in_order_and_not_its_last_card() {
    let mut game = sealed("marines");
    legal(&mut game, &format!("deck {}", seals(30)));
    legal(&mut game, &format!("deck {}; {}", seals(30), deal(&[9, 4, 7])));
    let dealt = deal(&[]);
    for (rest, rule) in [
        ("hand 4".to_owned(), "M52"),
        ("hand 31".to_owned(), "M52"),
        (format!("hand 7; discard rifle-squad {}; discard hellfire {}", open("9"), open("4")), "M52"),
        (format!("hand 7; discard hellfire {}; discard hellfire {}", open("4"), open("9")), "M52"),
        (format!("hand 7; discard hellfire {}; discard hellfire {}", open("9"), open("5")), "M52"),
        (format!("hand 7; discard hellfire {}; discard hellfire {}", open("9"), open("30")), "M53"),
        (format!("hand 7; discard hellfire {}; discard hellfire {}", open("9"), open("9")), "M53"),
        (format!("hand 7; discard hellfire {}", open("9")), "M51"),
    ] {
        // The hand of seven: 9 4 7 1 2 3 5.
        assert_eq!(code(&game, &format!("{dealt}; {rest}")), rule, "{rest}");
    }
    legal(&mut game, &format!("{dealt}; hand 7; discard hellfire {}; discard missile-strike {}", open("9"), open("1")));
    legal(&mut game, "hand 5");
    // Keeping an event gains nothing: all five are placed as units.
    assert_eq!(code(&game, &format!("place artillery-barrage@AR {}", open("4"))), "M17");
}

#[test]
fn m53_m58_z3_z18_a_card_is_opened_once_and_truthfully() {
    let mut game = sealed("marines");
    legal(&mut game, &format!("deck {}", seals(30)));
    legal(&mut game, &format!("deck {}; {}", seals(30), deal(&[])));
    legal(&mut game, &format!("{}; hand 5", deal(&[])));
    legal(&mut game, "hand 5");
    assert_eq!(code(&game, "place rifle-squad@AR"), "Z5");
    assert_eq!(code(&game, &format!("place rifle-squad@AR {}", open("6"))), "M53", "not dealt to the hand");
    assert_eq!(
        code(&game, &format!("place rifle-squad@AR {}", open("1.1"))),
        "M53",
        "the first generation is not written out"
    );
    assert_eq!(code(&game, &format!("place rifle-squad@AR open:1:{}", "0b".repeat(16))), "Z3");
    legal(&mut game, &format!("place assault-walker@AR {}", open("1")));
    legal(&mut game, &format!("place exorcist@RP {}", open("1")));
    assert_eq!(code(&game, &format!("place rifle-squad@AR {}", open("1"))), "M53", "a card is played once");
    legal(&mut game, &format!("place assault-walker@AR {}", open("2")));
    legal(&mut game, &format!("place exorcist@RP {}", open("2")));
    assert_eq!(code(&game, &format!("place assault-walker@AR {}", open("3"))), "Z18", "the deck holds two");
}

#[test]
fn m55_m56_the_other_side_deals_and_one_of_two_is_discarded() {
    let mut game = playing();
    assert!(game.position().contains("ap 2; to play marines; hand marines 0"));
    assert_eq!(code(&game, "draw rifle-squad"), "Z5");
    assert_eq!(code(&game, "draw 3"), "M20");
    assert_eq!(code(&game, "draw; deal 6 7"), "M20", "nobody deals to themselves");
    assert_eq!(code(&game, "deal 6 7"), "M55");
    let drawn = legal(&mut game, "draw 2");
    assert!(drawn.contains("ap 0; to play marines; due portalists deal 4; hand marines 0"), "{drawn}");
    for deal in ["deal 6 7 8", "deal 6 7 8 8", "deal 5 6 7 8", "deal 6 7 8 31", "deal 1.6 7 8 9", "deal 2.6 7 8 9"] {
        assert_eq!(code(&game, deal), "M55", "{deal}");
    }
    assert_eq!(code(&game, "end"), "M55");
    assert_eq!(code(&game, "deal 6 7 8 9; end"), "M20");
    let forced = enter(&mut game.clone(), "deal 6 7 8 9").expect("a deal");
    assert!(forced.forced, "a deal alone is a forced answer");
    let offered = game.clone().try_turn(Turn { actions: &read("deal 6 7 8 9"), offers: true, facts: &mut MadeUp });
    assert_eq!(offered.map(|played| played.forced).map_err(|illegal| illegal.rule.code), Ok(false));
    assert!(game.owes_forced_answer(), "a deal in the other side's turn (E13)");
    legal(&mut game, "deal 6 7 8 9");
    assert!(!game.owes_forced_answer(), "a discard is chosen");
    assert!(game.position().contains("due marines discard; hand marines 4"));
    assert_eq!(code(&game, "end"), "M56");
    assert_eq!(code(&game, &format!("discard hellfire {}; end", open("8"))), "M56", "not of the first pair");
    assert_eq!(code(&game, &format!("discard hellfire {}; end", open("6"))), "M56", "the second pair too");
    let two = format!("discard hellfire {}; discard rocket-squad {}", open("6"), open("9"));
    assert_eq!(code(&game, &two), "M20");
    assert_eq!(code(&game, &format!("{two}; discard rocket-squad {}; end", open("7"))), "M56");
    assert!(
        legal(&mut game, &format!("{two}; end"))
            .contains("to play portalists; hand marines 2; hand portalists 0; discard marines 2")
    );
}

/// A game in which `left` cards of the marines' first generation are undealt and their pile has `pile` cards.
pub(super) fn with_few_left(left: usize, pile: usize) -> MissionCombat {
    let mut game = playing();
    let slug = |card: &str| game.decks().find(MARINES, card).expect("a card");
    let cards = [slug("hellfire"), slug("missile-strike"), slug("artillery-barrage"), slug("rocket-squad")];
    game.ap = 4;
    if let Some(sealed) = &mut game.sealed {
        for place in (6..=30).take(25 - left) {
            let place = Place { generation: 1, place };
            sealed.shoes[0].deal(place);
            sealed.shoes[0].hand.retain(|other| *other != place);
        }
    }
    game.piles[0] = cards.into_iter().cycle().take(pile).collect();
    game
}

pub(super) fn due(game: &MissionCombat) -> String {
    let position = game.position();
    position.split("; ").find(|part| part.starts_with("due ")).unwrap_or("nothing").to_owned()
}

#[test]
fn m57_z19_the_worked_example_of_a_reshuffle_in_the_middle_of_three_draws() {
    let mut game = with_few_left(3, 11);
    legal(&mut game, "draw 3");
    assert_eq!(due(&game), "due portalists deal 3");
    legal(&mut game, "deal 28 29 30");
    assert_eq!(due(&game), "due marines discard");
    let first = format!("discard stealth-sniper {}", open("28"));
    assert_eq!(code(&game, &format!("{first}; discard stealth-sniper {}", open("30"))), "M57");
    assert_eq!(code(&game, &format!("{first}; shuffle {}", seals(11))), "M57");
    assert_eq!(code(&game, &first), "M20");
    legal(&mut game, &format!("{first}; shuffle {}", seals(12)));
    assert_eq!(due(&game), "due portalists deal 3");
    assert_eq!(code(&game, "deal 1 12 5"), "M55");
    legal(&mut game, "deal 2.1 2.12 2.5");
    let rest = format!("discard hellfire {}; discard rocket-squad {}; end", open("2.1"), open("2.5"));
    assert_eq!(code(&game, &rest.replace("open:2.1", "open:29")), "M56");
    assert!(legal(&mut game, &rest).contains("hand marines 3; hand portalists 0; discard marines 2"));
}

#[test]
fn m57_a_deck_that_runs_out_in_every_way() {
    // One card left and a pile: with the HQ, the pair is that card and one from the new deck.
    let mut game = with_few_left(1, 4);
    legal(&mut game, "draw");
    assert_eq!(due(&game), "due portalists deal 1");
    legal(&mut game, "deal 30");
    assert_eq!(due(&game), "due marines shuffle 4");
    legal(&mut game, &format!("shuffle {}", seals(4)));
    assert_eq!(due(&game), "due portalists deal 1");
    legal(&mut game, "deal 2.3");
    assert_eq!(due(&game), "due marines discard");
    legal(&mut game, &format!("discard hellfire {}; end", open("2.3")));
    // The last two cards, and an empty pile: no shuffle, and the next draw begins with one.
    let mut game = with_few_left(2, 0);
    assert_eq!(code(&game, "draw 3"), "M55", "there are two cards");
    legal(&mut game, "draw 2");
    assert_eq!(due(&game), "due portalists deal 2");
    legal(&mut game, "deal 29 30");
    legal(&mut game, &format!("discard hellfire {}; shuffle {}", open("29"), seals(1)));
    assert_eq!(due(&game), "due portalists deal 1");
    legal(&mut game, "deal 2.1");
    assert_eq!(due(&game), "nothing", "the only card is kept");
    // The last two cards, and a pile: the shuffle is due before the discard, and no more cards are needed.
    let mut game = with_few_left(2, 3);
    legal(&mut game, "draw");
    legal(&mut game, "deal 29 30");
    assert_eq!(due(&game), "due marines shuffle 3");
    legal(&mut game, &format!("shuffle {}; discard hellfire {}; end", seals(3), open("30")));
    // Nothing undealt, and a pile: the entry that draws includes the shuffle.
    let mut game = with_few_left(0, 3);
    assert_eq!(code(&game, "draw"), "M20");
    legal(&mut game, &format!("draw; shuffle {}", seals(3)));
    assert_eq!(due(&game), "due portalists deal 2");
    // Nothing at all.
    assert_eq!(code(&with_few_left(0, 0), "draw"), "M21");
}

#[test]
fn m57_the_rest_is_dealt_before_the_discard_for_a_pair_completed_by_the_old_deck() {
    let mut game = with_few_left(2, 3);
    legal(&mut game, "draw 2");
    legal(&mut game, "deal 29 30");
    assert_eq!(due(&game), "due marines shuffle 3");
    let (shuffle, first) = (format!("shuffle {}", seals(3)), format!("discard hellfire {}", open("30")));
    assert_eq!(code(&game, &format!("{shuffle}; {first}")), "M20", "the entry ends with the shuffle");
    legal(&mut game, &shuffle);
    assert_eq!(due(&game), "due portalists deal 2");
    legal(&mut game, "deal 2.3 2.1");
    assert_eq!(code(&game, &format!("discard hellfire {}; {first}; end", open("2.3"))), "M56", "pair by pair");
    legal(&mut game, &format!("{first}; discard hellfire {}; end", open("2.3")));
    // The new deck is too small for the rest: after its last card comes another shuffle, of the first discard.
    let mut game = with_few_left(2, 1);
    for entry in ["draw 2".to_owned(), "deal 29 30".to_owned(), format!("shuffle {}", seals(1)), "deal 2.1".to_owned()]
    {
        legal(&mut game, &entry);
    }
    assert_eq!(due(&game), "due marines discard");
    legal(&mut game, &format!("{first}; shuffle {}", seals(1)));
    assert_eq!(due(&game), "due portalists deal 1");
    legal(&mut game, "deal 3.1");
    legal(&mut game, &format!("discard hellfire {}; end", open("2.1")));
}

#[test]
fn m57_without_the_hq_there_are_no_discards() {
    let mut game = with_few_left(1, 4);
    let enemy = game.board.men().iter().position(|man| man.side == PORTALISTS).expect("a unit");
    game.board.step(enemy, areas::Area::read(b"HQ").expect("an area"), board::Charge::Paid);
    legal(&mut game, "draw 2");
    assert_eq!(due(&game), "due portalists deal 1");
    legal(&mut game, "deal 30");
    legal(&mut game, &format!("shuffle {}", seals(4)));
    assert_eq!(due(&game), "due portalists deal 1");
    legal(&mut game, "deal 2.4");
    assert_eq!(due(&game), "nothing");
    legal(&mut game, "end");
}

#[test]
fn m41_a_turn_with_a_draw_entered_has_begun() {
    let mut game = playing();
    game.quiet.passed = 99;
    assert!(game.claim(Claim::Quiet).is_ok());
    legal(&mut game, "draw");
    assert!(game.claim(Claim::Quiet).is_err(), "the deal is due");
    legal(&mut game, "deal 6 7");
    assert!(game.claim(Claim::Quiet).is_err());
}

#[test]
fn z5_actions_of_sealed_play_are_refused_in_open_play() {
    let game = on("YA exorcist.1; AR rifle-squad.1; ap 4; to play marines; hand marines rifle-squad");
    for entry in ["draw", "draw 2", "hand 5", "deal 3", "guess 0"] {
        refused(&game, entry, "Z5");
    }
    refused(&game, &format!("play rifle-squad@AR {}; end", open("1")), "Z5");
    refused(&game, &format!("shuffle {}", seals(1)), "Z5");
}

/// Seals everything as `5a` plus a number, opens everything, and remembers a deck in the order of its list.
struct Fixed {
    below: u32,
}

impl Keeper for Fixed {
    fn seal(&mut self, label: &str, _: &str) -> Result<Seal, Lost> {
        Ok(Seal([label.len() as u8; 32]))
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

    fn salt(&mut self) -> Result<Salt, Lost> {
        Ok(Salt([0; 16]))
    }

    fn below(&mut self, bound: u32) -> Result<u32, Lost> {
        self.below = self.below.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Ok(self.below % bound)
    }
}

fn completed(game: &MissionCombat, typed: &str) -> String {
    let typed: Vec<_> = if typed.is_empty() { Vec::new() } else { typed.split("; ").collect() };
    let typed: Vec<_> =
        typed.iter().map(|text| notation::read_typed(&notation::lenient(text)).expect("an action")).collect();
    let entry = game.complete(&typed, &mut Fixed { below: 7 }).expect("an entry");
    write(&entry)
}

#[test]
fn forced_actions_are_made_from_nothing_typed_and_choices_are_not() {
    let mut game = sealed("toss");
    let first = completed(&game, "");
    assert!(first.starts_with("toss seal:") && first.matches("seal:").count() == 31, "{first}");
    legal(&mut game, &first);
    assert_eq!(completed(&game, ""), "", "a guess is the player's");
    assert!(!game.owes_forced_answer());
    let second = completed(&game, "guess 0");
    assert!(second.starts_with("guess 0; deck seal:") && second.contains("; deal "), "{second}");
    legal(&mut game, &second);
    assert!(game.owes_forced_answer(), "the whole entry is made from nothing typed (E13)");
    let third = completed(&game, "");
    assert!(third.starts_with("toss 0 open:") && third.contains("; hand "), "{third}");
    legal(&mut game, &third);
    let fourth = completed(&game, "");
    assert!(fourth.starts_with("hand "), "{fourth}");
    assert!(code(&game, &fourth) == "M51", "the guess was right: the first placement is a choice");
    let place = completed(&game, "place exorcist@rp");
    assert!(place.starts_with(&fourth) && place.contains("; place exorcist@RP open:"), "{place}");
    legal(&mut game, &place);
    let lacking = game.complete(&read("place rifle-squad@YA"), &mut Fixed { below: 7 });
    assert!(lacking.is_ok() || matches!(lacking, Err(Incomplete::Illegal(_))));
}

#[test]
fn a_discard_is_typed_by_its_card_and_a_deal_is_made() {
    let mut game = playing();
    legal(&mut game, "draw");
    let deal = completed(&game, "");
    assert!(deal.starts_with("deal ") && deal.split(' ').count() == 3, "{deal}");
    legal(&mut game, "deal 6 7");
    assert_eq!(completed(&game, ""), "", "which of two is discarded is the player's choice");
    // With this keeper, position 6 is the seventh card in the marines' list, and 7 the eighth.
    let slugs: Vec<_> = game.decks().of(MARINES).iter().map(|card| card.slug.clone()).collect();
    let typed = format!("discard {}; end", slugs[7]);
    assert_eq!(completed(&game, &typed), format!("discard {} {}; end", slugs[7], open("7")));
    let wrong = notation::read_typed(&notation::lenient(&format!("discard {}", slugs[0]))).expect("an action");
    let refused = game.complete(&[wrong], &mut Fixed { below: 7 });
    assert!(matches!(&refused, Err(Incomplete::Illegal(illegal)) if illegal.rule.code == "M56"), "{refused:?}");
    // In a record a discard without its opening is malformed.
    assert!(notation::read("discard hellfire").is_err());
}

#[test]
fn only_its_owner_sees_a_hand_and_hidden_cards_change_nothing_public() {
    let mut game = playing();
    legal(&mut game, "draw");
    legal(&mut game, "deal 6 7");
    let plain = game.clone();
    let mut told = Vec::new();
    for below in 0..4 {
        let mut other = game.clone();
        other.look_at_hand(MARINES, &mut Fixed { below }).expect("a secret");
        if let Some(sealed) = &mut other.sealed {
            // Whatever the hidden cards are.
            for (nth, card) in sealed.shoes[0].known.values_mut().enumerate() {
                *card = (below as u8 + nth as u8) % 10;
            }
        }
        assert_eq!(other.position(), plain.position());
        for viewer in [Viewer::Public, Viewer::Side(PORTALISTS)] {
            assert_eq!(other.view(viewer), plain.view(viewer));
        }
        assert_ne!(other.view(Viewer::Side(MARINES)), plain.view(Viewer::Side(MARINES)));
        told.push(other.view(Viewer::Side(MARINES)));
        // Judging does not use what is known either.
        assert_eq!(code(&other, &format!("discard hellfire {}; end", open("9"))), "M53");
    }
    told.dedup();
    assert!(told.len() > 1);
}

#[test]
fn m54_a_position_of_the_first_generation_has_no_number_in_front() {
    let mut game = sealed("marines");
    legal(&mut game, &format!("deck {}", seals(30)));
    legal(&mut game, &format!("deck {}; {}", seals(30), deal(&[])));
    let dealt = deal(&[]);
    assert_eq!(code(&game, &format!("{}; hand 5", dealt.replace(" 7 ", " 1.7 "))), "M51");
    assert_eq!(code(&game, &format!("{}; hand 5", dealt.replace(" 7 ", " 2.7 "))), "M51");
    legal(&mut game, &format!("{dealt}; hand 5"));
    legal(&mut game, "hand 5");
    for position in ["1.3", "2.3", "31", "6"] {
        assert_eq!(code(&game, &format!("place rifle-squad@AR {}", open(position))), "M53", "{position}");
    }
    legal(&mut game, &format!("place rifle-squad@AR {}", open("3")));
}

#[test]
fn a_word_alone_is_completed_if_due_and_refused_if_another_step_is() {
    let typed = |game: &MissionCombat, word: &str| {
        let typed = [notation::read_typed(word).expect("a word")];
        let entry = game.complete(&typed, &mut Fixed { below: 7 }).expect("an entry");
        let mut after = game.clone();
        let turn = Turn { actions: &entry, offers: false, facts: &mut Trusting };
        after.try_turn(turn).map(|_| write(&entry)).map_err(|illegal| (illegal.rule.code, illegal.message))
    };
    let mut game = sealed("toss");
    let toss = typed(&game, "toss").expect("legal");
    assert!(toss.starts_with("toss seal:") && toss.contains("; deck seal:"));
    assert_eq!(typed(&game, "deck").expect("legal"), toss, "the toss is made with it");
    for word in ["deal", "hand", "shuffle"] {
        let (rule, message) = typed(&game, word).expect_err(word);
        assert!(rule == "M50" && message.contains("due now: the sealed toss and deck"), "{word}: {message}");
    }
    legal(&mut game, &format!("toss seal:{}; deck {}", "cd".repeat(32), seals(30)));
    for word in ["toss", "deck", "deal", "hand"] {
        let (rule, message) = typed(&game, word).expect_err(word);
        assert!(rule == "M50" && message.contains("a guess at the toss"), "{word}: {message}");
    }
    let (rule, _) = typed(&playing(), "deal").expect_err("a turn");
    assert_eq!(rule, "M55");
}

#[test]
fn z18_a_copy_of_a_long_game_is_dealt_and_opened_on_its_own() {
    let place = |generation, place| Place { generation, place };
    for count in [50, 100, 1000] {
        let mut shoe = shoe::Shoe::default();
        for number in 1..=count {
            shoe.begin_generation(&[Seal([number as u8; 32]); 30]);
            for nth in 0..30 {
                shoe.add(SealPlace(30 * number + u32::from(nth)), nth / 3);
            }
            shoe.deal(place(number, 7));
        }
        // What an entry does: a card of the newest generation is dealt, one of an older one is opened.
        let old = count / 2;
        let mut after = shoe.clone();
        after.deal(place(count, 8));
        assert_eq!([4, 4, 4, 4, 77].map(|card| after.open(place(old, 7), card)), [true, true, true, false, false]);
        assert!(shoe.undealt().count() == 29 && after.undealt().count() == 28 && after.left() == 28);
        assert!(
            shoe.clone().open(place(old, 7), 4)
                && after.clone().open(place(old, 7), 5)
                && after.clone().open(place(1, 7), 4)
        );
        assert!(shoe.hand.contains(&place(old, 7)) && !after.hand.contains(&place(old, 7)));
        assert_eq!(
            (after.seal_of(place(old, 7)), after.newest_seal(place(old, 7))),
            (Some(SealPlace(30 * old + 6)), None)
        );
        assert_eq!(after.newest_seal(place(count, 7)), Some(Seal([count as u8; 32])));
        assert_eq!((after.seal_of(place(old, 31)), after.seal_of(place(old, 0))), (None, None));
        assert!(after.laid(old).eq((0..30).map(|nth| nth / 3)) && after.current() == count);
    }
}
