//! What a refusal says about legal alternatives.

use super::agreement::random_games;
use super::*;

/// The hint about what would be legal.
fn help(position: &str, entry: &str) -> String {
    refused(&at(position), entry).help.unwrap_or_default()
}

#[test]
fn a_refusal_says_why_a_piece_has_no_turn() {
    let begun = start(&[]).position();
    assert_eq!(help(&begun, "Ke1-e3"), "the Commander on e1 has no other way: all are blocked");
    let outside = "white Kh1 Pd4=N Fh5; black Kh8; to play white";
    assert_eq!(help(outside, "Fh5-h6"), "the Fighter on h5 can fly again when the zone of a Portal comes to it");
    let bound = "white Ke1 Vc1; black Kh8 Sa1; to play white";
    assert_eq!(help(bound, "Vc1-c3"), "no turn of the Ved'rin on c1 leaves the Commander out of siege");
    let free = "white Ke1 Vc1; black Kh8 Sa2; to play white";
    assert_eq!(help(free, "Vc1-c3"), "the Ved'rin on c1 may go to b2, c2 or d2");
}

#[test]
fn in_siege_the_turns_that_end_it_are_listed_whatever_was_tried() {
    let position = "white Ke1 Pa4=N Sa1 Vd1 Vd2 Vf1 Vf2 Fa4; black Kh8 Se8 Va7; to play white";
    let siege = "White's Commander on e1 is in siege from the Striker on e8";
    let turns = "the legal turns are Vd1-e2, Vd2-e3, Vf1-e2 and Vf2-e3";
    assert_eq!(help(position, "Sa1xb1"), format!("{siege}: {turns}"));
    assert_eq!(help(position, "Ke1-d1"), format!("{siege}: {turns}"));
    assert_eq!(help(position, "Sa1-a2"), turns, "the message already says that the Commander stays in siege");
    let many = "white Ke1 Ca4 Cb3 Sg3 Sg4 Va2; black Kh8 Se8 Va7; to play white";
    let told = help(many, "Va2xb2");
    let piece = "no turn of the Ved'rin on a2 leaves the Commander out of siege";
    assert_eq!(told, format!("{siege}, which a turn has to end; {piece}"));
}

#[test]
fn a_square_that_needs_a_spin_is_listed_with_it() {
    let told = help("white Kh1 Pc3=N Fc5; black Kh8 Fd5; to play white", "Pc3-d3");
    let ways = "go to b2, b3, b4, c2, c4, d2 or d4, or spin to E, S or W, or play Pc3-d3=E, Pc3-d3=S or Pc3-d3=W";
    assert_eq!(told, format!("the Portal on c3 may {ways}"));
}

#[test]
fn a_turn_without_a_letter_mentions_the_fighter() {
    let begun = start(&[]).position();
    let told = help(&begun, "c1-c4");
    assert_eq!(told, "the Portal on c1 may spin to E, S or W; a turn of the Fighter on c1 begins with Fc1");
    assert_eq!(help(&begun, "Pc1-c4"), "the Portal on c1 may spin to E, S or W");
    let above = "white Kd1 Pd4=N Fd5; black Kh8 Pd5=W; to play white";
    assert_eq!(help(above, "d5-d6"), "a turn of the Fighter on d5 begins with Fd5");
    assert_eq!(help("white Kd1 Pd4=N Fd5; black Kh8; to play white", "d5-d6"), "a turn of the Fighter begins with Fd5");
}

#[test]
fn a22_another_zone_and_two_joined_ones_are_distinguished() {
    let message = |position: &str, entry: &str| refused(&at(position), entry).message;
    let apart = "white Kh1 Pc3=N Pf3=N Fd4; black Kh8; to play white";
    let expected = "e4 is in a different flight zone from the Fighter on d4, and the two do not overlap (A21)";
    assert_eq!(message(apart, "Fd4-e4"), expected);
    assert_eq!(message(apart, "Fd4-d7"), "d7 is outside the flight zone that the Fighter on d4 is in");
    let joined = "white Kh1 Pc3=N Pe3=N Fd4; black Kh8; to play white";
    let expected = "g4 is outside the two overlapping flight zones that the Fighter on d4 may use";
    assert_eq!(message(joined, "Fd4-h4"), expected);
}

#[test]
fn a40_no_flight_ends_where_two_enemy_flyers_are() {
    let position = "white Kh1 Pc1=N Fc1; black Kh8 Fc4 Fc4; to play white";
    let told = refused(&at(position), "Fc1-c4");
    assert_eq!(
        (told.rule.code, told.message.as_str()),
        ("A40", "two Fighters of Black's fly on c4: no flight may end there (A7)")
    );
    let own_portal = "white Kh1 Pc1=N Pc4=N Fc1; black Kh8 Fc4 Fc4; to play white";
    let expected = "Black's Fighter flies on c4: a flight that ends there attacks it";
    assert_eq!(refused(&at(own_portal), "Fc1-c4").message, expected);
}

#[test]
fn a42_fire_at_a_flyer_is_distinguished_from_fire_at_nothing() {
    let position = "white Ka1 Rd1=N; black Kh8 Vd7 Fd4; to play white";
    let expected = "no ground force stands on d4, and Ranger fire does not hit flying Fighters";
    assert_eq!(refused(&at(position), "Rd1*d4").message, expected);
    assert_eq!(
        refused(&at(position), "Rd1*d5").message,
        "the Ranger on d1 faces north: no ground force on d5 is ahead of it"
    );
}

/// Every turn that a hint names, in any of its ways of naming one.
fn named(kind: Kind, from: &str, note: &str) -> Vec<String> {
    let mut turns = Vec::new();
    for part in note.split(", or ").flat_map(|part| part.split("may ")) {
        for (verb, mark) in [("go to ", "-"), ("attack on ", "x"), ("fire at ", "*"), ("spin to ", "="), ("play ", "")]
        {
            let Some(list) = part.strip_prefix(verb) else { continue };
            let head = if mark.is_empty() { String::new() } else { format!("{}{from}{mark}", kind.letter()) };
            turns.extend(
                list.trim_end_matches(" and the like")
                    .split([',', ' '])
                    .filter(|word| !word.is_empty() && *word != "or")
                    .map(|word| format!("{head}{word}")),
            );
        }
    }
    turns
}

#[test]
fn turns_named_in_hints_are_legal() {
    let mut checked = 0;
    random_games(0x0a55_1de0_2026, 40, |game, _| {
        let own = game.field.to_play;
        let legal = listed(game);
        for kind in Kind::ALL {
            let set = if kind == Kind::Fighter { game.field.fighters(own).set() } else { game.field.of(kind, own) };
            for from in board::squares(set) {
                let note = game.may(kind, from);
                let own_turns =
                    legal.iter().filter(|turn| turn.starts_with(&format!("{}{from}", kind.letter()))).count();
                let turns = named(kind, &from.to_string(), &note);
                assert_eq!(own_turns > 0, note.contains(" may "), "{note} at {}", game.position());
                for turn in &turns {
                    assert!(legal.contains(turn), "{turn} of {note:?} at {}", game.position());
                }
                checked += turns.len();
            }
        }
    });
    assert!(checked > 10_000, "{checked}");
}
