//! Sealed play through the rules alone (U90 to U94), with an invented way of sealing.

use super::*;

const FIVE: &str = "W d4 AA; B d5 DD; B h8 I; to play white";

/// The example in the rulebook up to the conflict: tokens 6 and 8 are White's, 7 is Black's.
fn suspended(close: &str) -> Subsume {
    let mut game = sealed(FIVE);
    enter(&mut game, "+d4I");
    assert_eq!(game.position(), "W d4 AA?; B d5 DD; B h8 I; to play black");
    enter(&mut game, "+d5D");
    assert_eq!(game.position(), "W d4 AA?; B d5 DD?; B h8 I; to play white");
    let entry = enter(&mut game, &format!("+d4A; d4xd5{close}"));
    assert!(entry.contains("d4xd5 open:6:I:") && entry.contains(" open:8:A:"), "{entry}");
    assert_eq!(game.position(), "W d4 AAIA; B d5 DD?; B h8 I; black to reveal");
    assert_eq!(game.due().side, BLACK);
    game
}

#[test]
fn u91_u92_u93_a_conflict_opens_suspends_and_continues_after_the_reveal() {
    let mut game = suspended("");
    let entry = enter(&mut game, "");
    assert!(entry.starts_with("reveal 7:D:") && !entry.contains("; "), "{entry}");
    assert_eq!(game.position(), "B d4 I; W d5 DDDAAA; B h8 I; to play white");
    assert_eq!(game.due().side, WHITE);
    // The turn continues without a claim, and with nothing that has fought.
    for refusal in ["+h1A", "d5-d6", "d5xd4", "d5=2"] {
        let typed = completed(&game, refusal);
        let expected = match refusal {
            "+h1A" => "U10",
            "d5=2" => "U2",
            _ => "U51",
        };
        assert_eq!(rule_with(&game, &write(&typed), &mut Honest), Err(expected), "{refusal}");
    }
    assert_eq!(game.clone().play(&[]).expect_err("nothing").rule.code, "U94");
    enter(&mut game, "end");
    assert_eq!(game.position(), "B d4 I; W d5 DDDAAA; B h8 I; to play black");
}

#[test]
fn u94_a_closed_conflict_ends_the_turn_with_the_reveal() {
    let mut game = suspended("; end");
    assert!(game.due().what.contains("a turn may follow"));
    let opening = completed(&game, "");
    let after =
        game.after_opening(Turn { actions: &opening, offers: false, facts: &mut Honest }).expect("the position after");
    assert_eq!(after.position(), "B d4 I; W d5 DDDAAA; B h8 I; to play black");
    assert_eq!(after.due().side, BLACK);
    let mut alone = game.clone();
    let played = alone.try_turn(Turn { actions: &opening, offers: false, facts: &mut Honest }).expect("alone");
    assert!(played.forced, "a reveal alone is a forced answer (E5)");
    let offered = game.clone().try_turn(Turn { actions: &opening, offers: true, facts: &mut Honest });
    assert!(!offered.expect("with an offer").forced);
    // Only the turn is typed; the reveal comes first automatically.
    let entry = enter(&mut game, "+d4D; d4-e4");
    assert!(entry.starts_with("reveal 7:D:") && entry.contains("; +d4 seal:") && entry.ends_with("; d4-e4"), "{entry}");
    assert_eq!(game.position(), "B d4 I; W d5 DDDAAA; B e4 ?; B h8 I; to play white");
}

#[test]
fn u93_nothing_but_the_reveal_is_entered_while_it_is_due() {
    for close in ["", "; end"] {
        let game = suspended(close);
        for entry in ["+d5A", "end", "d5xd4", "h8-h7"] {
            refused(&game, entry, "U93");
        }
        assert_eq!(game.clone().play(&[]).expect_err("nothing").rule.code, "U93");
        let mut listed = Vec::new();
        game.list(&mut listed);
        assert_eq!(listed, ["reveal"]);
    }
    // Unless closed, nothing follows; if closed, a turn does.
    let reveal = write(&completed(&suspended(""), ""));
    assert_eq!(rule_with(&suspended(""), &format!("{reveal}; end"), &mut Honest), Err("U93"));
    let turn = format!("{reveal}; +h8 seal:{}", "ab".repeat(32));
    assert_eq!(rule_with(&suspended(""), &turn, &mut Honest), Err("U93"));
    assert!(rule_with(&suspended("; end"), &turn, &mut Honest).is_ok());
    assert_eq!(rule_with(&suspended("; end"), &format!("{reveal}; end"), &mut Honest), Err("U94"));
    assert_eq!(rule_with(&suspended("; end"), &format!("{reveal}; {reveal}"), &mut Honest), Err("U93"));
    assert_eq!(rule_with(&suspended("; end"), &format!("{reveal}; h8-h7"), &mut Honest), Err("U10"));
    assert_eq!(rule_with(&sealed(FIVE), &reveal, &mut Honest), Err("U93"));
}

#[test]
fn u91_u93_exactly_the_sealed_tokens_in_ascending_numbers_are_opened() {
    let mut game = sealed(FIVE);
    enter(&mut game, "+d4I");
    enter(&mut game, "+d5D");
    let turn = completed(&game, "+d4A; d4xd5");
    let [claim, Action::Conflict { from, to, openings }] = turn.as_slice() else { panic!("{turn:?}") };
    let rule = |list: Vec<Opening>| {
        let entry = [claim.clone(), Action::Conflict { from: *from, to: *to, openings: list }];
        rule_with(&game, &write(&entry), &mut Honest)
    };
    assert!(rule(openings.clone()).is_ok());
    assert_eq!(rule(openings.iter().rev().copied().collect()), Err("U91"));
    assert_eq!(rule(vec![openings[0]]), Err("U91"));
    assert_eq!(rule(Vec::new()), Err("U91"));
    assert_eq!(rule(vec![openings[0], openings[1], openings[1]]), Err("U91"));
    assert_eq!(rule(vec![openings[0], Opening { kind: Kind::Advocate, ..openings[1] }]), Err("Z3"));
    assert_eq!(rule(vec![openings[0], Opening { nonce: Nonce([1; 16]), ..openings[1] }]), Err("Z3"));
    let game = suspended("");
    let reveal = completed(&game, "");
    let [Action::Reveal(openings)] = reveal.as_slice() else { panic!("{reveal:?}") };
    let rule = |opening: Opening| rule_with(&game, &write(&[Action::Reveal(vec![opening])]), &mut Honest);
    assert_eq!(rule(Opening { number: 8, ..openings[0] }), Err("U93"));
    assert_eq!(rule(Opening { kind: Kind::Aggressor, ..openings[0] }), Err("Z3"));
    assert!(rule(openings[0]).is_ok());
}

#[test]
fn u92_only_end_follows_a_conflict_that_waits() {
    let mut game = sealed(FIVE);
    enter(&mut game, "+d4I");
    enter(&mut game, "+d5D");
    for (behind, expected) in [
        ("", None),
        ("; end", None),
        ("; end; end", Some("U94")),
        ("; h1-h2", Some("U92")),
        ("; d4xd5", Some("U92")),
        ("; +h1A", Some("U92")),
        ("; end; h1-h2", Some("U92")),
    ] {
        let entry = write(&completed(&game, &format!("+h1A; d4xd5{behind}")));
        assert_eq!(rule_with(&game, &entry, &mut Honest).err(), expected, "{behind}");
    }
    // Against a stack without seals it is resolved at once, and the turn continues.
    let mut game = sealed(FIVE);
    let entry = enter(&mut game, "+d4A; d4xd5");
    assert!(entry.contains("d4xd5 open:6:A:"), "{entry}");
    assert_eq!(game.position(), "W d5 DDAAA; B h8 I; to play black");
}

#[test]
fn u94_end_is_allowed_nowhere_else() {
    let game = sealed(FIVE);
    for typed in ["end", "+d4A; end", "+d4A; d4xd5; end", "+d4A; d4-d3; end"] {
        let entry = write(&completed(&game, typed));
        assert_eq!(rule_with(&game, &entry, &mut Honest), Err("U94"), "{typed}");
    }
    let mut game = suspended("");
    enter(&mut game, "");
    assert_eq!(rule_of(&game, "end; end"), Err("U94"));
}

#[test]
fn z5_z6_hidden_types_must_be_sealed() {
    let game = sealed(FIVE);
    refused(&game, "+d4A", "Z5");
    let seal = "5e".repeat(32);
    struct Seen;
    impl Facts for Seen {
        fn publish(&mut self, _: Side, _: &str, _: &Seal) -> Option<SealPlace> {
            None
        }
        fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, _: &Nonce) -> bool {
            false
        }
        fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
            Faces::new()
        }
    }
    assert_eq!(rule_with(&game, &format!("+d4 seal:{seal}"), &mut Seen), Err("Z6"));
    assert_eq!(rule_with(&game, &format!("+c4 seal:{seal}"), &mut Seen), Err("U11"), "the place is looked at first");
    let game = sealed("W a1/4 IDIDIDIDIDIDIDIDIDIDIDIDIDIDIDIDID; B h8 I; to play white");
    assert_eq!(rule_with(&game, &format!("+a1 seal:{seal}; a1:1=A"), &mut Honest), Err("Z5"));
}

#[test]
fn u90_labels_count_tokens_and_re_seals() {
    let mut game = sealed("W a1/4 IDIDIDIDIDIDIDIDIDIDIDIDIDIDIDIDID; B h8 I; to play white");
    let before = labels_since(0).len();
    enter(&mut game, "+a1A; a1:3=A; a1:3=I; a1:3=I; a1:35=D");
    assert_eq!(labels_since(before), ["token.36", "token.3.1", "token.3.2", "token.3.3", "token.36.1"]);
    assert_eq!(game.state.tokens, 36);
    enter(&mut game, "+h8A");
    assert_eq!(labels_since(before + 5), ["token.37"]);
}

#[test]
fn u41_a_re_sealed_token_is_unknown_again_and_its_type_may_stay() {
    let mut game = sealed("W a1/4 IDIDIDIDIDIDIDIDIDIDIDIDIDIDIDIDID; B h8 I; to play white");
    enter(&mut game, "+h1A; a1:1=I; a1^1");
    assert_eq!(game.position(), "W a1/4 DIDIDIDIDIDIDIDIDIDIDIDIDIDIDIDID?; W h1 ?; B h8 I; to play black");
}

#[test]
fn complete_adds_to_a_beginning_and_leaves_illegal_actions_alone() {
    let game = sealed(FIVE);
    assert_eq!(write(&completed(&game, "+d4A; e4-e5")).split("; ").nth(1), Some("e4-e5"));
    assert_eq!(write(&completed(&game, "d4-d3; +d4A")), "d4-d3; +d4A");
    assert_eq!(write(&completed(&game, "")), "");
    let open = at(FIVE);
    assert_eq!(write(&completed(&open, "+d4A; d4xd5")), "+d4A; d4xd5");
    // What is already there stays.
    let once = completed(&game, "+d4A; d4xd5");
    assert_eq!(game.complete(&once, &mut Owner(WHITE)), Ok(once.clone()));
}

#[test]
fn a_missing_secret_is_reported() {
    let game = suspended("");
    let lost = game.complete(&[], &mut Owner(WHITE));
    assert!(matches!(lost, Err(Incomplete::Lost(_))), "{lost:?}");
    assert!(game.clone().reveal_to_owner(WHITE, &mut Owner(WHITE)).is_ok());
    assert!(game.clone().reveal_to_owner(BLACK, &mut Owner(WHITE)).is_err());
}

#[test]
fn u80_u93_a_reveal_may_end_the_game() {
    let mut game = sealed("W d4 AA; B d5 D; to play white");
    enter(&mut game, "+d4A");
    enter(&mut game, "+d5D");
    enter(&mut game, "+h1A; d4xd5; end");
    let reveal = write(&completed(&game, ""));
    let turn = format!("{reveal}; +h8 seal:{}", "ab".repeat(32));
    assert_eq!(rule_with(&game, &turn, &mut Honest), Err("U80"));
    enter(&mut game, "");
    assert_eq!(game.outcome(), Some(Outcome::Win(WHITE, "territory")));
}

#[test]
fn u93_a_refusal_after_a_reveal_that_ends_the_game_mentions_no_further_turn() {
    let mut game = sealed("W d4 AA; B d5 D; to play white");
    enter(&mut game, "+d4A");
    enter(&mut game, "+d5D");
    enter(&mut game, "+h1A; d4xd5");
    let reveal = write(&completed(&game, ""));
    let both = read(&format!("{reveal}; +h8 seal:{}", "ab".repeat(32)));
    let turn = Turn { actions: &both, offers: false, facts: &mut Honest };
    let illegal = game.clone().try_turn(turn).expect_err("nothing follows");
    assert_eq!((illegal.rule.code, illegal.part), ("U93", Some(1)));
    assert!(illegal.message.contains("not closed") && !illegal.message.contains("goes on"), "{}", illegal.message);
    enter(&mut game, "");
    assert_eq!(game.outcome(), Some(Outcome::Win(WHITE, "territory")));
}

#[test]
fn u81_a_closed_turn_is_counted_at_the_reveal() {
    let limited = options(&[("turn-limit", "1")]);
    let position = "W d4 A; B d5 D; B h8 I; to play black";
    let mut game = Subsume::start(&Start::sealed(&limited, Some(position))).expect("a position");
    enter(&mut game, "+d5I");
    enter(&mut game, "+d4I; d4xd5; end");
    assert_eq!(game.outcome(), None);
    let reveal = write(&completed(&game, ""));
    let turn = format!("{reveal}; +h8 seal:{}", "ab".repeat(32));
    assert_eq!(rule_with(&game, &turn, &mut Honest), Err("U81"));
    enter(&mut game, "");
    assert!(game.outcome().is_some(), "{}", game.position());
}

#[test]
fn next_says_where_a_sealed_entry_may_end() {
    let mut game = sealed(FIVE);
    enter(&mut game, "+d4I");
    enter(&mut game, "+d5D");
    let begun = completed(&game, "+d4A; d4xd5");
    assert_eq!(next(&game, &begun), Next { actions: vec!["end".into()], whole: true, ..Next::default() });
    let begun = completed(&game, "+d4A; d4xd5; end");
    assert_eq!(next(&game, &begun), Next { actions: Vec::new(), whole: true, ..Next::default() });
    let game = suspended("");
    assert_eq!(next(&game, &completed(&game, "")), Next { actions: Vec::new(), whole: true, ..Next::default() });
    let game = suspended("; end");
    let after = next(&game, &completed(&game, ""));
    assert!(after.whole && after.actions.contains(&"+d4A".to_owned()), "{after:?}");
}
