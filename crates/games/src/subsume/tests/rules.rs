//! Rule by rule, from position lines: each refused turn with a similar legal one.

use super::*;
use crate::subsume::rules::control;

const TWO: &str = "W c3/2 IADIADIADIAD; B e3 DAI; B h8 I; to play white";
const SEVERAL: &str = "W d4 ADI; W e3 IA; B e4 DIA; B e5 A; W f4 DAI; to play white";

#[test]
fn u1_the_board_has_64_squares_in_files_of_eight() {
    assert_eq!(Square::all().count(), 64);
    for text in ["+i1A", "+a9A", "+a0A", "h8-i8", "a1xa0"] {
        assert!(notation::read(text).is_err(), "{text}");
    }
    // "Lower left" is towards a1 for both sides.
    for side in ["white", "black"] {
        let letter = if side == "white" { "W" } else { "B" };
        let game = at(&format!("{letter} c3/2 IADI; to play {side}"));
        assert_eq!(game.canonical(&read("+d4A")), read("+c3A"));
    }
}

#[test]
fn u22_edge_empty_squares_and_enemies_count_as_uncontrolled() {
    // `W a1 IIIII` is controlled; a neighbour needs one token less for the edge that faces it, but not the enemy's.
    let needed = |position: &str, square: &str| {
        let game = with(position, &[("border", "shared")]);
        let Ok((_, at)) = notation::square(square.as_bytes()) else { panic!("{square}") };
        let territory = game.state.board.at(at).expect("a territory");
        control::needed(&game.state.board, territory, game.rules.border)
    };
    assert_eq!(needed("W a1 I; B h8 I; to play white", "a1"), 5, "the board's edge");
    assert_eq!(needed("W d4 I; B h8 I; to play white", "d4"), 5, "empty squares");
    assert_eq!(needed("W d4 I; B d5 IIIII; B h8 I; to play white", "d4"), 5, "an enemy, controlled");
    assert_eq!(needed("W d4 I; W d5 IIII; B h8 I; to play white", "d4"), 5, "an own one that is not controlled");
    assert_eq!(needed("W d4 I; W d5 IIIII; B h8 I; to play white", "d4"), 4, "an own one that is");
}

#[test]
fn u43_there_is_nothing_larger_than_a_4u() {
    assert!(notation::read("a1=8").is_err());
    let tokens = "IADI".repeat(8);
    let whole = ["a1", "a5", "e1", "e5"].map(|corner| format!("W {corner}/4 {tokens}")).join("; ");
    let game = at(&format!("{whole}; to play white"));
    let mut moves = Moves::default();
    let mut claimed = game.clone();
    claimed.enact(&read("+a1A")[0]);
    claimed.moves(&mut moves);
    assert!(!moves.iter().flatten().any(|action| matches!(action, Action::Subsume { .. })));
    refused(&game, "+a1A; a1=4", "U30");
}

#[test]
fn u57_tokens_that_have_fought_are_public_and_fight_no_more() {
    let game = at("W d4 I; B d5 I; W e4 I; B e5 I; B h8 I; to play white");
    refused(&game, "+h1A; d4xd5; d4-d3", "U51");
    refused(&game, "+h1A; d4xd5; d4xd5", "U51");
    let mut after = game.clone();
    after.play(&read("+h1A; d4xd5")).expect("a turn");
    let fought = |square: &str| {
        let Ok((_, at)) = notation::square(square.as_bytes()) else { panic!("{square}") };
        after.state.board.at(at).map(|territory| territory.fought)
    };
    assert_eq!((fought("d4"), fought("d5"), fought("e4")), (Some(1), Some(1), Some(0)), "both stacks, and no other");
    assert!(after.state.board.all().all(|territory| !territory.has_sealed()));
}

#[test]
fn refusals_say_what_would_be_legal() {
    let game = at("W c3/2 IADIADIADIAD; W f3 A; B f4 D; B h8 D; to play white");
    for (entry, expected) in [
        ("f3xf4", "it is written `+`"),
        ("+i", ""),
        ("+h1A; c3xf4", "to one beside, above or below"),
        ("+h1A; d3xe3", "the one legal conflict is f3xf4"),
        ("+h1A; c3^12", "a legal re-order is one of c3^1"),
        ("+h1A; h1^1", "a legal re-order is one of c3^1"),
        ("+h1A; c3:1=A", "no change of type is legal now"),
        ("+h1A; h1-h2; f3xf4", "a legal move is"),
        ("+h1A; h1-h2; h2-h3", "a legal move is"),
        ("+h1A; a1-a2", "a legal move is"),
        ("+h1A; c3=2", "must be four territories of the side"),
        ("+h1A; h1-h2; c3=4", "a legal move is"),
        ("+h1A; end", "the entry ends with the action before"),
        ("end", "a turn begins with a claim"),
    ] {
        let Ok(actions) = entry.split("; ").map(notation::read).collect::<Result<Vec<_>, _>>() else { continue };
        let help = game.clone().play(&actions).expect_err(entry).help.unwrap_or_default();
        assert!(help.contains(expected), "{entry}: {help}");
    }
    // Every refusal has a hint.
    for from in Square::all() {
        for to in Square::all() {
            for action in [Action::Move { from, to, count: 1 }, Action::Conflict { from, to, openings: Vec::new() }] {
                let mut entry = read("+h1A");
                entry.push(action);
                if let Err(illegal) = game.clone().play(&entry) {
                    assert!(illegal.help.is_some_and(|help| !help.is_empty()), "{}", write(&entry));
                }
            }
        }
    }
}

#[test]
fn the_cost_of_an_entry_does_not_grow_with_stacks_that_it_does_not_touch() {
    /// The steps of an entry from a position with stacks of `height` tokens, beyond what each action costs.
    fn steps(position: &str, entry: &str) -> usize {
        let mut game = at(position);
        game.play(&read(entry)).expect(entry);
        game.steps
    }
    let sizes = [8_000, 16_000, 32_000];
    let tall = |tokens: usize, letters: &str| letters.repeat(tokens / letters.len());
    for (letters, met) in [("I", "I"), ("ID", "DI"), ("IIID", "IDDD"), ("AI", "AD"), ("D", "D")] {
        let cost = sizes.map(|size| {
            let position = format!("W a1 {}; B a2 {}; B h8 I; to play white", tall(size, letters), tall(size, met));
            steps(&position, "+h1I; a1xa2")
        });
        // 64 pairs of tokens per step.
        assert!(cost[2] <= 4 * cost[0] + 8 && cost[2] <= 32_000 / 24, "{letters} against {met}: {cost:?}");
        let growing = sizes.map(|size| steps(&format!("W a1 {}; B h8 I; to play white", tall(size, letters)), "+a1I"));
        assert_eq!(growing, [0; 3], "a claim on a tall stack");
        let lifted = sizes.map(|size| {
            let position = format!("W a1/2 {}; B h8 I; to play white", tall(size, letters));
            steps(&position, "+h1I; a1^1; a1^5; a1^4000")
        });
        assert!(lifted[2] <= 64, "{lifted:?}");
    }
}

#[test]
fn u2_phases_come_in_order() {
    leads(
        &at("W c1 IIIII; W c2 DDDDD; W d1 AAAAA; W d2 IADIA; W f3 A; B f4 D; B h8 D; to play white"),
        "+h1I; c1=2; f3xf4; c2-c3",
        "W c1/2 IIIIIAAAAADDDDDIADI; W c3 A; W f4 DA; W h1 I; B h8 D; to play black",
    );
}

#[test]
fn u2_nothing_is_merged_after_a_conflict_or_a_move_and_nothing_attacks_after_a_move() {
    let game = at("W c1 IIIII; W c2 DDDDD; W d1 AAAAA; W d2 IADIA; W f3 A; B f4 A; B h8 D; to play white");
    assert!(rule_of(&game, "+h1I; c1=2; f3xf4; h1-h2").is_ok());
    refused(&game, "+h1I; f3xf4; c1=2", "U2");
    refused(&game, "+h1I; h1-h2; c1=2", "U2");
    refused(&game, "+h1I; h1-h2; f3xf4", "U2");
    assert!(rule_of(&game, "+h1I; f3xf4; h1-h2").is_ok());
}

#[test]
fn u2_white_begins_and_turns_alternate() {
    let game = at("to play white");
    assert_eq!(game.due().side, WHITE);
    assert_eq!(after(&game, &["+d1A"]).due().side, BLACK);
    assert_eq!(after(&game, &["+d1A", "+d8A"]).due().side, WHITE);
}

#[test]
fn u3_one_illegal_action_makes_the_entry_illegal() {
    let game = at(SEVERAL);
    let illegal = game.clone().play(&read("+h1I; h1-h2; d4-d5; e3-e2; e3-e4")).expect_err("an enemy stands there");
    assert_eq!((illegal.rule.code, illegal.part), ("U70", Some(4)));
    refused(&game, "+h1I; h1-h2; d4-d5; e3-e2; e3-e4", "U70");
}

#[test]
fn u4_any_square_names_a_territory() {
    let game = at(TWO);
    for square in ["c3", "c4", "d3", "d4"] {
        leads(&game, &format!("+{square}A"), "W c3/2 IADIADIADIADA; B e3 DAI; B h8 I; to play black");
        assert!(rule_of(&game, &format!("+h1A; {square}^1")).is_ok());
        assert_eq!(write(&game.canonical(&read(&format!("+{square}A; {square}^1")))), "+c3A; c3^1");
    }
}

#[test]
fn u10_exactly_one_claim_first() {
    let game = at(SEVERAL);
    for early in ["d4=2", "d4^1", "d4:1=A", "d4xe4", "d4-d5"] {
        refused(&game, early, "U10");
        refused(&game, &format!("{early}; +h1A"), "U10");
    }
    refused(&game, "+h1A; +h1A", "U10");
    refused(&game, "+h1A; d4-d5; +h1A", "U10");
    assert_eq!(game.clone().play(&[]).expect_err("nothing at all").rule.code, "U10");
    assert!(rule_of(&game, "+h1A").is_ok());
}

#[test]
fn u11_a_claim_is_on_an_empty_home_square_or_in_an_own_territory() {
    let white = at("B a1 I; W c3 I; W d8 A; B h8 D; to play white");
    leads(&white, "+b1A", "B a1 I; W b1 A; W c3 I; W d8 A; B h8 D; to play black");
    leads(&white, "+d8A", "B a1 I; W c3 I; W d8 AA; B h8 D; to play black");
    for square in ["a1", "h8", "c4", "b8"] {
        refused(&white, &format!("+{square}A"), "U11");
    }
    let black = at("B a1 I; W c3 I; W d8 A; B h8 D; to play black");
    for square in ["b1", "d8", "c3", "c7"] {
        refused(&black, &format!("+{square}A"), "U11");
    }
    leads(&black, "+a1D", "B a1 ID; W c3 I; W d8 A; B h8 D; to play white");
    leads(&black, "+e8D", "B a1 I; W c3 I; W d8 A; B e8 D; B h8 D; to play white");
}

#[test]
fn u13_the_token_just_claimed_fights_and_moves() {
    leads(&at("to play white"), "+d1A; d1-d2", "W d2 A; to play black");
    leads(&at("B a2 D; B h8 I; to play white"), "+a1A; a1xa2", "W a2 DA; B h8 I; to play black");
}

#[test]
fn u30_only_four_own_controlled_territories_of_equal_size_merge() {
    let fits = "W b2 IIIII; W b3 IIIII; W c2 IIIII; W c3 IIIII; to play white";
    leads(&at(fits), "+h1A; b2=2", "W b2/2 IIIIIIIIIIIIIIIIIIII; W h1 A; to play black");
    for position in [
        "W b2 IIIII; W b3 IIIII; W c2 IIIII; to play white",
        "W b2 IIIII; B b3 IIIII; W c2 IIIII; W c3 IIIII; to play white",
        "W b2 IIIII; W b3 IIII; W c2 IIIII; W c3 IIIII; to play white",
        "W b2 IIIII; W b3 IIIII; W c2/2 IIIIIIIIIIII; to play white",
    ] {
        refused(&at(position), "+h1A; b2=2", "U30");
    }
    // The token claimed this turn counts: it may be the one that was missing.
    leads(
        &at("W b2 IIIII; W b3 IIII; W c2 IIIII; W c3 IIIII; to play white"),
        "+b3A; b2=2",
        "W b2/2 IIIIIIIIIIIIIIAIIIII; to play black",
    );
}

#[test]
fn u32_losing_control_loses_no_claim() {
    let game = at(TWO);
    leads(&game, "+h1A; c3-b3*8", "W b3 DAIDAIDA; W c3/2 IADI; B e3 DAI; W h1 A; B h8 I; to play black");
    refused(&at("W c3/2 IADIADIADIA; B h8 I; to play white"), "+h1A; c3^1", "U40");
}

#[test]
fn u40_a_controlled_larger_territory_lifts_a_token_to_the_top() {
    let game = at(TWO);
    leads(&game, "+h1A; c3^2; c3^1", "W c3/2 DIADIADIADAI; B e3 DAI; W h1 A; B h8 I; to play black");
    for refusal in ["c3^12", "c3^13", "e3^1", "h1^1", "a8^1"] {
        refused(&game, &format!("+h1A; {refusal}"), "U40");
    }
    refused(&at("W c3 IADIAD; to play white"), "+h1A; c3^1", "U40");
}

#[test]
fn u41_a_controlled_4u_changes_types() {
    let game = at(RICH[4]);
    leads(
        &game,
        "+a1A; d4:1=A; a1:33=D; a1:2=I",
        "W a1/4 AIDDAIADIADDAIADIADDAIADIADDAIADD; B e2 AD; B h8 I; to play black",
    );
    for refusal in ["a1:1=I", "a1:34=I", "e2:1=I", "h8:1=A"] {
        refused(&game, &format!("+a1A; {refusal}"), "U41");
    }
    refused(&at(TWO), "+h1A; c3:1=A", "U41");
    refused(&at("W a1/4 IADDAIADIADDAIADIADDAIADIADDAIA; B h8 I; to play white"), "+h1A; a1:1=A", "U41");
}

#[test]
fn u42_abilities_belong_to_no_phase() {
    leads(
        &at("W a1/2 IADIADIADIAD; W e1 A; B e2 D; B h8 I; to play white"),
        "+h1A; a1^1; e1xe2; a1^1; h1-g1; a1^1",
        "W a1/2 IADIADIADIAD; W e2 DA; W g1 A; B h8 I; to play black",
    );
    refused(&at(TWO), "c3^1; +h1A", "U10");
}

#[test]
fn u50_a_conflict_is_with_an_adjacent_enemy() {
    let game = at(SEVERAL);
    for refusal in ["d4xd5", "d4xf4", "d4xe5", "e4xd4", "a1xa2", "h1xg1", "d4xd4"] {
        refused(&game, &format!("+h1A; {refusal}"), "U50");
    }
    assert!(rule_of(&game, "+h1A; d4xe4").is_ok());
}

#[test]
fn u51_tokens_that_have_fought_start_nothing_and_stay() {
    let around = at("W d4 I; W e3 I; B e4 I; W f4 I; to play white");
    leads(&around, "+h1A; d4xe4; e3xe4; f4xe4", "W d4 I; W e3 I; B e4 I; W f4 I; W h1 A; to play black");
    refused(&around, "+h1A; d4xe4; d4xe4", "U51");
    refused(&at("W d4 II; B d5 A; B h8 I; to play white"), "+h1A; d4xd5; d4-d3", "U51");
    assert!(rule_of(&at("W d4 II; B d5 A; B h8 I; to play white"), "+h1A; d4-d3").is_ok());
}

#[test]
fn u51_a_place_the_enemy_has_just_captured_may_be_attacked() {
    // White's I loses d4 to Black, and c4 attacks it there in the same turn.
    let game = at("W c4 D; W d4 I; B d5 D; B h8 I; to play white");
    leads(&game, "+h1A; d4xd5; c4xd4", "W c4 D; W d4 I; B d5 D; W h1 A; B h8 I; to play black");
    refused(&game, "+h1A; d4xd5; d4-d3", "U70");
}

#[test]
fn u70_one_step_to_an_empty_square_or_an_own_territory() {
    let game = at("W c3 IAD; W c4 I; B d3 I; to play white");
    leads(&game, "+h1A; c3-c4; c3-b3; c3-c2", "W b3 A; W c2 I; W c4 ID; B d3 I; W h1 A; to play black");
    for refusal in ["c3-d3", "c3-c5", "c3-b4", "d3-d4", "e5-e6", "c3-b3*4"] {
        refused(&game, &format!("+h1A; {refusal}"), "U70");
    }
}

#[test]
fn u71_tokens_that_moved_cover_the_stack_like_a_lid() {
    let game = at("W c3 IAD; W c4 I; B h8 I; to play white");
    refused(&game, "+h1A; c3-c4; c4-c5", "U71");
    refused(&game, "+h1A; c3-b3; b3-a3", "U71");
    leads(&game, "+h1A; c4-c5; c3-c4", "W c3 IA; W c4 D; W c5 I; W h1 A; B h8 I; to play black");
    // More tokens may still move onto it, and the lid is gone at the end of the turn.
    leads(&game, "+h1A; c3-c4*3", "W c4 IDAI; W h1 A; B h8 I; to play black");
    let later = after(&game, &["+h1A; c3-c4", "+h8A"]);
    assert!(rule_of(&later, "+h1A; c4-c5*2").is_ok());
}

#[test]
fn u72_no_steps_inside_a_territory() {
    let game = at(TWO);
    for refusal in ["c3-c4", "c3-d3", "c3-d4", "c3-c3"] {
        refused(&game, &format!("+h1A; {refusal}"), "U72");
    }
    refused(&game, "+h1A; e3-e3", "U70");
    assert!(rule_of(&game, "+h1A; c3-c2").is_ok());
}

#[test]
fn u80_only_a_conflict_ends_the_game_by_territory() {
    let game = at("W c3 I; to play black");
    assert_eq!(game.outcome(), None);
    leads(&game, "+d8A", "W c3 I; B d8 A; to play white");
}

#[test]
fn u82_no_claim_is_granted() {
    for claim in [Claim::Repetition, Claim::Quiet] {
        assert_eq!(at("to play white").claim(claim).expect_err("never").rule.code, "E7");
    }
}

#[test]
fn u94_z5_open_play_has_no_end_no_reveal_and_no_openings() {
    let game = at("W d4 A; B d5 D; B h8 I; to play white");
    let nonce = "0".repeat(32);
    refused(&game, "+h1A; end", "U94");
    refused(&game, "end", "U94");
    refused(&game, &format!("reveal 2:D:{nonce}"), "Z5");
    refused(&game, &format!("+h1A; d4xd5 open:1:A:{nonce}"), "Z5");
    refused(&game, &format!("+h1 seal:{}", "0".repeat(64)), "Z5");
}

#[test]
fn nothing_is_listed_for_a_side_without_territory_or_home_square() {
    let game = at("B a1 I; B b1 A; B c1 D; W c3 I; B d1 I; B e1 A; B f1 D; B g1 I; B h1 A; to play black");
    let game = after(&game, &["+a1A; d1-d2"]);
    assert!(!next(&game, &[]).actions.is_empty(), "d1 is empty again");
    let mut moves = Moves::default();
    at(RICH[11]).moves(&mut moves);
    assert_eq!(moves.len(), 48);
}

#[test]
fn u70_a_move_of_many_tokens_equals_single_steps() {
    for position in [
        "W c3/2 IADIADIADIAD; W e3 DDI; B h8 I; to play white",
        "W c3/4 IADIADIADIADIADIADIAD; B h8 I; to play white",
        "W d3 IADIADIADIADIAD; W e3/2 IADI; B h8 I; to play white",
    ] {
        let from = if position.contains("/4") { "f3" } else { "d3" };
        let to = if position.contains("/4") { "g3" } else { "e3" };
        let game = at(position);
        for count in 1..=25 {
            let single = vec![format!("{from}-{to}"); count].join("; ");
            let joined = format!("+h1A; {from}-{to}*{count}");
            assert_eq!(rule_of(&game, &joined), rule_of(&game, &format!("+h1A; {single}")), "{joined} at {position}");
            if rule_of(&game, &joined).is_ok() {
                let mut applied = game.clone();
                applied.apply(&read(&joined));
                assert_eq!(Ok(applied.position()), rule_of(&game, &joined));
            }
        }
    }
}
