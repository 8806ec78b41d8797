//! Movement, strikes, challenges and their answers, deployment, claims, set-ups.

use super::*;
use crate::assassyn::rules::deployment;

const START: &str = "white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play white";

#[test]
fn d1_the_board_has_36_squares() {
    assert_eq!(Square::all().count(), 36);
    for text in ["Lc1-c7", "Lc1-g1", "Lc1-c0", "place Wg6", "Lc0-c1"] {
        assert!(notation::read(text).is_err(), "{text}");
    }
    for text in ["La1-a6", "Lf6-f1", "place Wf6"] {
        assert!(notation::read(text).is_ok(), "{text}");
    }
}

#[test]
fn d12_a_disposition_goes_to_an_empty_square() {
    let game = at(START);
    assert_eq!(rule_of(&game, "Lc1-c4").as_deref(), Ok("white Pa1 Lc4 Ab2; black Pf6 Lc5 Sb3; to play black"));
    refused(&game, "Lc1-c5", "N2");
    refused(&game, "Ab2-a1", "D11");
}

#[test]
fn d34_there_is_one_challenge_at_a_time() {
    let mut game = at("white Pa1 Lc1 Ld1 Ab2; black Pf6 Lc5 Sd5; to play white");
    play(&mut game, "Lc1xc5");
    // Nothing else moves until it is answered, so nothing moves onto or across its square.
    for entry in ["Sd5-c4", "Pf6-f5", "Sd5xc6"] {
        refused(&game, entry, "D30");
    }
    // Every answer ends it.
    for (answer, still) in [("accept roll 7 5", false), ("Lc5-b5", false), ("Lc5xd5", false)] {
        if let Ok(position) = rule_of(&game, answer) {
            assert_eq!(position.contains("challenge"), still, "{answer}");
        }
    }
    let mut game = at("white Pa1 Lc1 Le5; black Pf6 Lc5; to play white");
    play(&mut game, "Lc1xc5");
    assert_eq!(play(&mut game, "Lc5xe5"), "white Pa1 Lc5 Le5; black Pf6 Le5; to play white; challenge c5xe5");
}

#[test]
fn d46_the_winner_is_alone_on_the_square() {
    let game = at("white Pa1 Lc5 Ab2; black Pf6 Lc5 Sb3; to play black; challenge c1xc5");
    for (entry, after) in [
        ("accept roll 12 1", "white Pa1 Lc5 Ab2; black Pf6 Sb3; to play white"),
        ("accept roll 1 12", "white Pa1 Ab2; black Pf6 Lc5 Sb3; to play white"),
        ("accept roll 6 6", "white Pa1 Ab2; black Pf6 Sb3; to play white"),
    ] {
        assert_eq!(rule_of(&game, entry).as_deref(), Ok(after), "{entry}");
    }
}

#[test]
fn d61_a_draw_is_agreed_at_any_time_with_a_challenge_standing_too() {
    let record = |setup: &str, entries: &str| {
        let setup = if setup.is_empty() { String::new() } else { format!("setup: \"{setup}\"\n") };
        let text = format!(
            "---\npbem: 1\ngame: assassyn\nid: assassyn-agreed\nplayers:\n  white: {{name: A}}\n  black: {{name: B}}\n\
             started: 2026-11-21\n{setup}---\n{entries}"
        );
        let verdict = postrider_referee::verdict::verify(text.as_bytes());
        (verdict.outcome, verdict.errors.first().and_then(|error| error.rule))
    };
    let agreed = (Some(Outcome::Draw("agreed")), None);
    // A challenge may be answered by accepting a draw.
    assert_eq!(record(START, "1 white Pa1-a2\n2 black Pf6-f5\n3 white Lc1xc5; draw?\n4 black draw!\n"), agreed);
    // No entry is a forced answer: after an acceptance, too, the offer lapses.
    let forced = "white Pe1 La5 Sc1; black Pa6 Sb6 Ab5; to play white";
    assert_eq!(
        record(
            forced,
            "1 white Sc1-b2\n2 black Ab5-c4\n3 white La5xa6; draw?\n4 black accept roll 1 9\n5 white draw!\n"
        )
        .1,
        Some("E5")
    );
    // The deployment does not prevent it, but the first offer comes in entry 3.
    let deployed = "1 white deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1\n2 black deploy Pf6 We6 Lc6 Ld6 Se5 Sf5 Aa6\n";
    assert_eq!(record("", &format!("{deployed}3 white Af1-e1; draw?\n4 black draw!\n")), agreed);
    assert_eq!(record("", "1 white deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1; draw?\n").1, Some("E5"));
}

#[test]
fn d63_with_the_forces_of_d2_no_side_is_without_a_turn() {
    // The tightest positions are deployments, and each of them leaves a way out.
    let mut game = at("white Pa1; black Pf6; to play white");
    let mut nth = 0;
    deployment::each_arrangement(WHITE, &mut |list| {
        nth += 1;
        if nth % 499 == 0 {
            game.board = Board::empty();
            for (kind, at) in list {
                game.board.put(WHITE, *kind, board::Man { at: Some(*at), wound: board::Wound::None });
            }
            assert!(game.can_turn(), "{}", game.position());
        }
        false
    });
    // If there is none all the same, the game is drawn.
    game.board = Board::empty();
    assert!(!game.can_turn());
}

#[test]
fn d2_d4_a_deployment_is_of_all_seven_on_two_ranks() {
    let start = Assassyn::start(&Start::open(&Options::default(), None)).expect("a start");
    assert_eq!(start.position(), "white; black; to play white; deploying");
    refused(&start, "deploy Pa1 Wb1 Lc1 Sa2 Sb2 Af1", "D2");
    refused(&start, "deploy Pa1 Wb1 Lc1 Ld1 Le1 Sa2 Sb2 Af1", "D2");
    refused(&start, "deploy Pa1 Wb1 Lc1 Ld3 Sa2 Sb2 Af1", "D4");
    refused(&start, "deploy Pa1 Wb1 Lc1 Lc1 Sa2 Sb2 Af1", "D4");
    refused(&start, "place Pa1", "D4");
    refused(&start, "Lc1-c4", "D4");
    refused(&start, "accept", "D4");
    let mut game = start.clone();
    play(&mut game, "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1");
    refused(&game, "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1", "D4");
    assert_eq!(
        play(&mut game, "deploy Pf6 We6 Lc6 Ld6 Se5 Sf5 Aa6"),
        "white Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1; black Pf6 We6 Lc6 Ld6 Se5 Sf5 Aa6; to play white"
    );
    refused(&game, "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1", "D4");
}

#[test]
fn d4_pieces_are_placed_in_turn() {
    let mut game = Assassyn::start(&Start::open(&options(&[("deployment", "alternating")]), None)).expect("a start");
    refused(&game, "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1", "D4");
    refused(&game, "place Pa3", "D4");
    assert_eq!(play(&mut game, "place Lc2"), "white Lc2; black; to play black; deploying");
    play(&mut game, "place Lc5");
    refused(&game, "place Pc2", "D4");
    assert_eq!(play(&mut game, "place La1"), "white La1 Lc2; black Lc5; to play black; deploying");
    play(&mut game, "place Pf6");
    refused(&game, "place Lb1", "D2");
}

#[test]
fn d5_d16_an_entry_is_one_turn() {
    let game = at(START);
    refused(&game, "Lc1-c4; Pa1-a2", "D5");
    assert_eq!(game.clone().play(&[]).expect_err("no pass").rule.code, "D16");
}

#[test]
fn d10_every_kind_has_its_gait() {
    let game = at("white Pa1 Wc3 Lf1 Sb1 Ae3; black Pf6; to play white");
    for (legal, illegal) in [
        ("Pa1-b2", "Pa1-a3"),
        ("Wc3-c6", "Wc3-d5"),
        ("Wc3-a5", "Wc3-b5"),
        ("Lf1-f5", "Lf1-e2"),
        ("Sb1-d3", "Sb1-b2"),
        ("Ae3-d4", "Ae3-c5"),
    ] {
        assert!(rule_of(&game, legal).is_ok(), "{legal}");
        refused(&game, illegal, "D10");
    }
    refused(&game, "Pa1-a1", "D10");
}

#[test]
fn d11_the_way_is_clear() {
    let game = at(START);
    refused(&game, "Lc1-c6", "D11");
    refused(&game, "Pa1-b2", "D11");
    assert!(rule_of(&game, "Lc1-c4").is_ok());
}

#[test]
fn d13_a_challenge_puts_both_on_one_square() {
    let mut game = at(START);
    assert_eq!(play(&mut game, "Lc1xc5"), "white Pa1 Lc5 Ab2; black Pf6 Lc5 Sb3; to play black; challenge c1xc5");
    assert_eq!(play(&mut game, "accept roll 7 5"), "white Pa1 Lc5~1 Ab2; black Pf6 Sb3; to play white");
}

#[test]
fn d14_d15_assassins_die_at_once_but_by_an_assassin() {
    let game = at("white Pa1 Lc1 Ac4; black Pf6 Wb5 Ac5; to play white");
    refused(&game, "Ac4xb5", "D15");
    assert!(rule_of(&game, "Ac4xc5").expect("a challenge").ends_with("; challenge c4xc5"));
    let game = at("white Pa1 Lc1; black Pf6 Ac5; to play white");
    assert_eq!(rule_of(&game, "Lc1xc5").expect("a kill"), "white Pa1 Lc5; black Pf6; to play black");
}

#[test]
fn d20_a_shortswordsman_is_struck_along_rank_and_file_a_longswordsman_diagonally() {
    for (prey, blind, seen) in [
        ("S", ["c4", "b3", "d3", "c2"], ["b4", "d4", "b2", "d2"]),
        ("L", ["b4", "d4", "b2", "d2"], ["c4", "b3", "d3", "c2"]),
    ] {
        for from in blind {
            let game = at(&format!("white Pa6 A{from}; black Pf6 {prey}c3; to play white"));
            let after = format!("white Pa6 A{from}; black Pf6; to play black");
            assert_eq!(rule_of(&game, &format!("A{from}*c3")), Ok(after));
        }
        for from in seen {
            refused(
                &at(&format!("white Pa6 A{from}; black Pf6 {prey}c3; to play white")),
                &format!("A{from}*c3"),
                "D20",
            );
        }
    }
    for prey in ["W", "A"] {
        for from in ["c4", "b3", "d3", "c2", "b4", "d4", "b2", "d2"] {
            let game = at(&format!("white Pa6 A{from}; black Pf6 {prey}c3; to play white"));
            refused(&game, &format!("A{from}*c3"), "D20");
        }
    }
    let game = at(START);
    refused(&game, "Ab2*c5", "D20");
    refused(&game, "Ab2*c3", "D20");
    refused(&game, "Lc1*c2", "D20");
    refused(&game, "Ab2*b2", "D23");
}

#[test]
fn d21_d22_d23_the_assassin_behind_its_own_challenged_prince_kills_the_challenger() {
    let game = at("white Pa1 Wd4 Lf1; black Pd4 Sf6 Ac5; to play black; challenge d1xd4");
    assert_eq!(rule_of(&game, "Ac5*d4").as_deref(), Ok("white Pa1 Lf1; black Pd4 Sf6 Ac5; to play white"));
    refused(&game, "Ac5*c5", "D23");
    let other = at("white Pa1 Wd4 Lb6; black Pd4 Sf6 Ac5; to play black; challenge d1xd4");
    refused(&other, "Ac5*b6", "D30");
}

#[test]
fn d30_the_challenged_piece_must_be_dealt_with() {
    let mut game = at(START);
    play(&mut game, "Lc1xc5");
    refused(&game, "Pf6-f5", "D30");
    refused(&game, "Sb3-c4", "D30");
    assert!(rule_of(&game, "Lc5-d5").is_ok());
}

#[test]
fn d31_the_challengers_way_is_barred() {
    let game = at("white Pa1 Lc5; black Pf6 Wc5 Sb6; to play black; challenge c1xc5");
    for to in ["c4", "c3", "c2", "c1"] {
        refused(&game, &format!("Wc5-{to}"), "D31");
    }
    for to in ["c6", "b4", "d4", "a5", "f5"] {
        assert!(rule_of(&game, &format!("Wc5-{to}")).is_ok(), "{to}");
    }
    // Nor may it be crossed: `or through`.
    let game = at("white Pa1 Lc5; black Pf6 Wc5 Sb6; to play black; challenge c4xc5");
    for to in ["c4", "c3", "c2", "c1"] {
        refused(&game, &format!("Wc5-{to}"), "D31");
    }
    assert!(rule_of(&game, "Wc5-c6").is_ok());
    // It may kill an Assassin.
    let game = at("white Pb1 Wd6 Lf4 Ad4; black Pe6 Wd6 Aa6; to play black; challenge b4xd6");
    assert_eq!(rule_of(&game, "Wd6xd4").as_deref(), Ok("white Pb1 Wd6 Lf4; black Pe6 Wd4 Aa6; to play white"));
    let game = at("white Pa1 Sb2 Ac4; black Pf6 Lf3 Ac4; to play black; challenge b3xc4");
    refused(&game, "Ac4-b3", "D31");
}

#[test]
fn d31_escape_any_a_challenged_piece_may_challenge_in_its_turn() {
    const POSITION: &str = "white Pa1 Lc5 Lf5 Se3; black Pf6 Wc5 Sb6; to play black; challenge c1xc5";
    let mut game = at(POSITION);
    // The first challenge is over and its challenger is alone; the answer to the new one is due.
    assert_eq!(play(&mut game, "Wc5xf5"), "white Pa1 Lc5 Lf5 Se3; black Pf6 Wf5 Sb6; to play white; challenge c5xf5");
    // The squares of the escape are barred, including its start with the former challenger.
    for to in ["e5", "d5", "c5"] {
        refused(&game, &format!("Lf5-{to}"), if to == "c5" { "D11" } else { "D31" });
    }
    refused(&game, "Lc5-c6", "D30");
    assert!(rule_of(&game, "accept roll 1 9").is_ok());
    // And so on: an escape by a challenge from an escape by a challenge.
    assert_eq!(play(&mut game, "Lf5xf6"), "white Pa1 Lc5 Lf6 Se3; black Pf6 Wf5 Sb6; to play black; challenge f5xf6");
    refused(&with(POSITION, &[("escape", "quiet")]), "Wc5xf5", "D31");
    // A challenged Assassin cannot, whichever value is chosen.
    for value in ["any", "quiet"] {
        let game = with("white Pa1 Sb5 Ac4; black Pf6 Lf3 Ac4; to play black; challenge b3xc4", &[("escape", value)]);
        refused(&game, "Ac4xb5", "D31");
        assert!(rule_of(&game, "Ac4-c5").is_ok());
    }
}

#[test]
fn d32_an_escape_by_a_challenge_lets_the_assassin_strike() {
    const POSITION: &str = "white Pe1 La6 Sb5; black Pa6 Sc6 Ab6; to play black; challenge a3xa6";
    assert_eq!(rule_of(&at(POSITION), "Ab6*a6").as_deref(), Ok("white Pe1 Sb5; black Pa6 Sc6 Ab6; to play white"));
    assert!(rule_of(&at(POSITION), "Pa6xb5").expect("an escape").ends_with("; challenge a6xb5"));
    refused(&with(POSITION, &[("escape", "quiet")]), "Ab6*a6", "D32");
}

#[test]
fn d31_a_setup_may_have_the_former_challenger_where_the_escape_began() {
    let may = |text: &str, escape| Assassyn::start(&Start::open(&options(&[("escape", escape)]), Some(text))).is_ok();
    let left = "white Pa1 Lc5 Lf5; black Pf6 Wf5; to play white; challenge c5xf5";
    assert!(may(left, "any") && !may(left, "quiet"));
    for (text, why) in [
        ("white Pa1 Lf5; black Pf6 Wf5 Lc5; to play white; challenge c5xf5", "a piece of the challenger's side"),
        ("white Pa1 Lf5 Ac5; black Pf6 Wf5; to play white; challenge c5xf5", "an Assassin"),
        ("white Pa1 Lc5~2.1 Lf5; black Pf6 Wf5; to play white; challenge c5xf5", "half healed, but it has just moved"),
        ("white Pa1 Ld5 Lf5; black Pf6 Wf5; to play white; challenge c5xf5", "a piece on the way"),
    ] {
        assert!(!may(text, "any") && !may(text, "quiet"), "{why}: {text}");
    }
    assert!(may("white Pa1 Lc5~2 Lf5; black Pf6 Wf5; to play white; challenge c5xf5", "any"));
}

#[test]
fn d3_stated_dice_need_a_sealed_record() {
    for (value, open, sealed) in [("stated", false, true), ("joint", true, true)] {
        let options = options(&[("dice", value)]);
        assert_eq!(Assassyn::start(&Start::open(&options, None)).is_ok(), open, "dice: {value}");
        assert_eq!(Assassyn::start(&Start::sealed(&options, None)).is_ok(), sealed, "dice: {value}");
    }
    let refused = Assassyn::start(&Start::open(&options(&[("dice", "stated")]), None));
    assert!(matches!(refused, Err(SetupFault::Needs { option: "dice", needs: "secrecy: sealed" })));
}

#[test]
fn d32_without_an_escape_only_acceptance_is_left() {
    let game = at("white Pe1 La6; black Pa6 Sb6 Ab5; to play black; challenge a3xa6");
    refused(&game, "Ab5*a6", "D32");
    assert!(rule_of(&game, "accept roll 1 9").is_ok());
    let free = at("white Pe1 La6; black Pa6 Ab5; to play black; challenge a3xa6");
    assert!(rule_of(&free, "Ab5*a6").is_ok());
}

#[test]
fn d33_n3_an_acceptance_needs_a_challenge_and_throws_that_are_on_the_dice() {
    let mut game = at(START);
    refused(&game, "accept roll 7 5", "D33");
    play(&mut game, "Lc1xc5");
    for entry in ["accept", "accept roll 13 1", "accept roll 1 13", "accept roll 0 1", "accept roll 999 1"] {
        refused(&game, entry, "N3");
    }
    assert!(rule_of(&game, "accept roll 12 1").is_ok());
}

#[test]
fn d62_claims_need_quiet_or_repetition() {
    let mut game = with("white Pa1; black Pf6; to play white", &[("quiet-turns", "10")]);
    let round = ["Pa1-a2", "Pf6-f5", "Pa2-a1", "Pf5-f6"];
    let code = |game: &Assassyn, claim| game.claim(claim).map_err(|illegal| illegal.rule.code);
    for turn in 0..10 {
        assert_eq!(code(&game, Claim::Quiet), Err("D62"), "after {turn} turns");
        assert_eq!(code(&game, Claim::Repetition).is_ok(), turn >= 8, "after {turn} turns");
        play(&mut game, round[turn % 4]);
    }
    assert_eq!(code(&game, Claim::Quiet), Ok(Outcome::Draw("quiet")));
    // Enough quiet turns, but there is a challenge.
    let mut game = with("white Pa1 Lc1; black Pf6; to play white", &[("quiet-turns", "10")]);
    for turn in 0..9 {
        play(&mut game, round[turn % 4]);
    }
    let mut challenged = game.clone();
    play(&mut game, "Pf6-f5");
    assert_eq!(code(&game, Claim::Quiet), Ok(Outcome::Draw("quiet")));
    let challenge = with("white Pa1 Lf1; black Pf6; to play white", &[("quiet-turns", "10")]);
    challenged.board = challenge.board;
    play(&mut challenged, "Lf1xf6");
    assert_eq!(challenged.quiet.passed, 10);
    assert_eq!(code(&challenged, Claim::Quiet), Err("D62"), "there is a challenge");
    let start = Assassyn::start(&Start::open(&Options::default(), None)).expect("a start");
    assert_eq!(code(&start, Claim::Repetition), Err("D62"));
    let never = with("white Pa1; black Pf6; to play white", &[("quiet-turns", "none"), ("repetition", "none")]);
    assert_eq!((code(&never, Claim::Quiet), code(&never, Claim::Repetition)), (Err("D62"), Err("D62")));
}

#[test]
fn a_claim_too_early_is_told_how_many_turns_have_passed() {
    let mut game = with("white Pa1; black Pf6; to play white", &[("quiet-turns", "10")]);
    for (entry, passed) in [("Pa1-a2", "no turn has"), ("Pf6-f5", "one turn has"), ("Pa2-a1", "2 turns have")] {
        // Nothing has been removed yet, so no removal is spoken of.
        let refused = game.claim(Claim::Quiet).expect_err("too early");
        assert_eq!(refused.message, format!("{passed} passed without a removal, not 10"));
        play(&mut game, entry);
    }
}

#[test]
fn n1_n2_the_piece_and_the_mark_must_be_right() {
    let game = at(START);
    refused(&game, "Wc1-c4", "N1");
    refused(&game, "Ld1-d4", "N1");
    refused(&game, "Lc5-c4", "N1");
    refused(&game, "Lc1-c5", "N2");
    refused(&game, "Lc1xc4", "N2");
    // On a square with two pieces, its own one is meant.
    let game = at("white Pa1 Lc5; black Pf6 Sc5; to play black; challenge c1xc5");
    refused(&game, "Lc5-c6", "N1");
    assert!(rule_of(&game, "Sc5-b6").is_ok());
}

#[test]
fn z5_open_play_knows_no_seals() {
    let game = at(START);
    let seal = "ab".repeat(32);
    let nonce = "cd".repeat(16);
    for entry in [
        format!("Lc1xc5 seal:{seal}"),
        format!("accept salt:{nonce}"),
        format!("open:{nonce}; Lc1-c2"),
        format!("seal:{seal}"),
    ] {
        refused(&game, &entry, "Z5");
    }
}

#[test]
fn actions_have_one_spelling() {
    for text in [
        "deploy",
        "deploy ",
        "deploy Wb1 Pa1",
        "deploy Lb1 La2",
        "deploy Pa1  Wb1",
        "deploy open:00",
        "place",
        "place a1",
        "lc1-c4",
        "Lc1-g4",
        "Lc1-c7",
        "Lc1",
        "Lc1 c4",
        "accept roll 1",
        "accept roll 01 2",
        "accept roll 1000 2",
        "accept roll 1 2 3",
        "accept salt:AB",
        "Lc1xc5 seal:ab",
        "Lc1xc5  seal:ab",
        "open:",
        "seal:",
        "draw",
        "",
    ] {
        assert!(notation::read(text).is_err(), "{text}");
    }
    for text in
        ["deploy La2 Lb1", "deploy Pa1", "place Wc2", "Lc1-c4", "Lc1xc5", "Ab2*b3", "accept", "accept roll 0 999"]
    {
        assert_eq!(write(&[notation::read(text).expect(text)]), text);
    }
}

#[test]
fn typing_slips_are_corrected() {
    for (typed, meant) in [
        ("lc1XC5", "Lc1xc5"),
        ("LC1×c5", "Lc1xc5"),
        ("ACCEPT", "accept"),
        ("Deploy af1 pa1 wb1 ld1 lc1 sb2 sa2", "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"),
        ("place wc2", "place Wc2"),
        ("accept Roll 7 5", "accept roll 7 5"),
        ("Accept 7 5", "accept roll 7 5"),
        // Only two numbers can be throws.
        ("accept 7", "accept 7"),
        ("accept 7 5 1", "accept 7 5 1"),
        ("accept 7 x", "accept 7 x"),
    ] {
        assert_eq!(Assassyn::lenient(typed), meant);
    }
}

#[test]
fn impossible_setups_are_refused() {
    let sealed = |text: &str| Assassyn::start(&Start::sealed(&Options::default(), Some(text)));
    for text in [
        "",
        "white",
        "white Pa1; black Pf6",
        "white Pa1; black Pf6; to play red",
        "white Pa1; black Pf6; to play white; deploying",
        "white Pa1 Pb1; black Pf6; to play white",
        "white Pa1 Wa1; black Pf6; to play white",
        "white Pa1; black Pa1; to play white",
        "white Pa1 Ab1~1; black Pf6; to play white",
        "white Pa1~2.0; black Pf6; to play white",
        "white Pa1~3; black Pf6; to play white",
        "white Pa1 Lc5; black Pf6 Sc5; to play black; challenge c1xc5; accepted",
        "white Pa1 Lc5; black Pf6; to play black; challenge c1xc5",
        "white Pa1 Lc5; black Pf6 Sc5; to play black; challenge b4xc5",
        "white Pa1 Lc5 Sc3; black Pf6 Sc5; to play black; challenge c1xc5",
        "white Pc1 Lc5; black Pf6 Sc5; to play black; challenge c1xc5",
        "white Pa1 Lc5; black Pf6 Ac5; to play black; challenge c1xc5",
        "white Pa1 Lc5~2.1; black Pf6 Sc5; to play black; challenge c1xc5",
        "white Pa1 Lc5; black Pf6 Sc5; to play black; challenge c5xc5",
        "white Pa1 Lc5; black Pf6 Sc5; to play white; challenge c1xc5",
    ] {
        assert!(Assassyn::start(&Start::open(&Options::default(), Some(text))).is_err(), "{text}");
        assert!(sealed(text).is_err(), "{text}");
    }
    let challenge = "white Pa1 Lc5~2; black Pf6 Sc5~2.1; to play black; challenge c1xc5";
    assert!(Assassyn::start(&Start::open(&Options::default(), Some(challenge))).is_ok() && sealed(challenge).is_err());
    let any_order =
        Assassyn::start(&Start::open(&Options::default(), Some("white Ab2 Lc1 Pa1; black Sb3 Lc5 Pf6; to play white")));
    assert_eq!(any_order.expect("a position").position(), START);
    let deployment = options(&[("deployment", "sealed")]);
    assert!(matches!(
        Assassyn::start(&Start::open(&deployment, None)),
        Err(SetupFault::Needs { option: "deployment", .. })
    ));
    assert!(matches!(Assassyn::start(&Start::open(&deployment, Some(START))), Err(SetupFault::Needs { .. })));
    assert!(Assassyn::start(&Start::sealed(&deployment, None)).is_ok());
}

#[test]
fn refusals_say_what_would_be_legal() {
    let help = |position: &str, entry: &str| {
        at(position).play(&read(entry)).expect_err(entry).help.unwrap_or_else(|| panic!("{entry}: no help"))
    };
    for (entry, expected) in [
        ("Lc1-c6", "legal for Lc1 are Lc1-c2, Lc1-c3, Lc1-c4, Lc1xc5, Lc1-d1, Lc1-e1, Lc1-f1 and Lc1-b1"),
        ("Pa1-b2", "legal for Pa1 are Pa1-a2 and Pa1-b1"),
        ("Ab2*c5", "legal for Ab2 are"),
        ("Lc1*c2", "Ab2*b3"),
        ("Wc1-c4", "it is written Lc1; legal for Lc1 are"),
        ("Ld1-d4", "the side to play has Pa1, Lc1, Ab2"),
        ("accept roll 1 1", "the side to play has Pa1, Lc1, Ab2"),
        ("Lc1-c5", "onto an opposing piece is written with `x`"),
        ("Pa1-a2; Pa1-a2", "the entry ends before it"),
    ] {
        let help = help(START, entry);
        assert!(help.contains(expected), "{entry}: {help}");
    }
    let challenge = "white Pa1 Lc5; black Pf6 Sc5 Ad5; to play black; challenge c1xc5";
    for entry in ["Pf6-f5", "Ad5*e4", "Sc5-c4"] {
        let help = help(challenge, entry);
        assert!(help.starts_with("the legal answers are `accept`, Sc5-"), "{entry}: {help}");
        assert!(help.ends_with(" and Ad5*c5"), "{entry}: {help}");
    }
    let forced = "white Pe1 La6; black Pa6 Sb6 Ab5; to play black; challenge a3xa6";
    assert_eq!(help(forced, "Ab5*a6"), "the only answer is `accept`: there is no escape");
    // Every refusal of a move or a strike has a hint.
    for position in [START, challenge, forced, "white Pa1; black Pf6; to play white"] {
        let game = at(position);
        for kind in Kind::ALL {
            for from in Square::all() {
                for to in Square::all() {
                    for mark in [Mark::To, Mark::Onto, Mark::Strike] {
                        let entry = [Action::Move { kind, from, mark, to, seal: None }];
                        if let Err(illegal) = game.clone().play(&entry) {
                            assert!(illegal.help.is_some_and(|help| !help.is_empty()), "{}", write(&entry));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_throw_is_shown_until_the_next_turn_is_played() {
    let thrown = |game: &Assassyn| game.view(Viewer::Public).captions.iter().any(|(label, _)| *label == "thrown");
    let mut game = at(START);
    for (entry, shown) in [("Lc1xc5", false), ("accept roll 7 5", true), ("Pa1-a2", false), ("Sb3-c4", false)] {
        play(&mut game, entry);
        assert_eq!(thrown(&game), shown, "after {entry}");
    }
    let mut game = at(START);
    for (entry, shown) in [("Lc1xc5", false), ("accept roll 7 5", true), ("Ab2*b3", false)] {
        play(&mut game, entry);
        assert_eq!(thrown(&game), shown, "after {entry}");
    }
}

#[test]
fn a_scene_marks_wounds_and_says_who_must_answer_and_how() {
    let scene = at("white Pa1 Lc5~2; black Pf6 Sc5~1; to play black; challenge c1xc5").view(Viewer::Public);
    let captions: Vec<_> = scene.captions.iter().map(|(label, text)| format!("{label}: {text}")).collect();
    let captions = captions.join("\n");
    for part in [
        "White Lc5 severely",
        "Black Sc5 slightly",
        "White Lc5 from c1 against Black Sc5",
        "Black escapes, accepts (d12 against d10)",
    ] {
        assert!(captions.contains(part), "{part}\n{captions}");
    }
    let text = postrider_board::render::board(&scene, postrider_board::render::Look::default());
    assert!(text.contains("s(L)") && text.contains("~1(~2)"), "{text}");
}
