//! What an opponent has announced is noted once, said to its writer, and entered once with the move, under any fault.

use super::{Later, Scenario, letters};
use crate::announced::waiting;
use crate::letters::{GAME_FILE, ID};
use crate::session::Session;

fn is_noted(session: &Session) -> bool {
    std::fs::read_to_string(session.path(&format!("home/data/announced/{ID}")))
        .is_ok_and(|text| text.starts_with("resign besiegers "))
}

#[test]
fn who_resigns_out_of_turn_is_noted_and_told_under_any_fault() {
    let (before, resigns) = waiting();
    let record = before.read(GAME_FILE);
    Scenario {
        name: "receive what is announced",
        before: &before,
        arguments: &["receive"],
        input: resigns.as_bytes(),
        after: &|session, ran| {
            assert_eq!(session.read(GAME_FILE), record);
            // Nobody is told what is not noted.
            assert!(letters(session).is_empty() || is_noted(session));
            match ran.code {
                // What cannot be sent is drafted, and the player is told.
                Some(0) => assert!(is_noted(session) && !letters(session).is_empty(), "dropped: {}", ran.err),
                Some(75) | None => {}
                code => panic!("the letter would be returned: {code:?} {}", ran.err),
            }
        },
        again: &|session, ran| {
            assert_eq!((session.read(GAME_FILE), ran.code), (record.clone(), Some(0)));
            assert!(is_noted(session));
        },
    }
    .run();
}

#[test]
fn what_was_announced_is_entered_with_the_move_once_and_sent_once_under_any_fault() {
    let (before, resigns) = waiting();
    let old = before.read(GAME_FILE);
    before.feed_later(&["receive"], resigns.as_bytes()).ok();
    let there = letters(&before).len();
    let new = format!(
        "{old}3 defenders c6-d6; huff d6 @2026-11-23T20:00:00Z\n4 besiegers resign @2026-11-23T20:00:00Z\n= defenders win: resigned\n# entry 4 \
         from the letter <two@example.org> of ada@example.org, which announced it\n"
    );
    Scenario {
        name: "move with what was announced --send",
        before: &before,
        arguments: &["move", GAME_FILE, "c6-d6", "--send"],
        input: b"",
        after: &|session, ran| {
            let text = session.read(GAME_FILE);
            // Never one without the other.
            assert!(text == old || text == new, "{text}");
            assert!(text == new || is_noted(session), "what was announced is lost");
            assert!(letters(session).len() == there || text == new);
            if ran.code == Some(0) {
                assert!(text == new && letters(session).len() == there + 1, "0 is a lie: {}", ran.err);
            }
        },
        again: &|session, ran| {
            assert_eq!((session.read(GAME_FILE), ran.code), (new.clone(), Some(0)));
            assert_eq!(letters(session).len(), there + 1);
        },
    }
    .run();
}
