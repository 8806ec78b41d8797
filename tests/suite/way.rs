//! The way of an entry after a run was ended between its signature and its record: nothing else is signed for that turn, whoever makes it.

use crate::signing::{GAME, ada, both, signed, with_both};
use postrider_home::conditions::decision::{Conditions, add};
use postrider_home::entry::way::{NotMade, Signed, Typed, What};
use postrider_kernel::Lost;
use postrider_referee::desk::{Desk, Refusal};
use postrider_referee::record::Time;
use postrider_referee::sealing::{KeyStore, NotSigned, PublicKey, Secret, Signature, Unsigned, signed_text};
use postrider_referee::verdict::{Ruling, verify};

/// The time of an earlier run, and that of the next one.
const EARLIER: &str = "2026-11-21T12:00:00Z";
const NOW: Time = Time(1_795_262_400 + 3_600);

/// Ada's key, and the line that she has signed for this turn.
struct Journal {
    line: &'static str,
    refused: bool,
}

impl Journal {
    fn of(line: &'static str) -> Self {
        Self { line, refused: false }
    }
}

impl KeyStore for Journal {
    fn secret(&mut self, _: bool) -> Result<Option<Secret>, Lost> {
        Ok(None)
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        Ok([7; 16])
    }

    fn key(&mut self, declared: Option<PublicKey>) -> Result<Option<PublicKey>, NotSigned> {
        Ok(declared)
    }

    fn sign(&mut self, entry: &Unsigned<'_>) -> Result<Option<Signature>, NotSigned> {
        if entry.line != self.line {
            self.refused = true;
            return Err(NotSigned { why: "another entry was signed for this turn".to_owned(), hint: "".into() });
        }
        Ok(Some(ada().sign(signed_text(entry.game, entry.number, entry.digest).as_bytes())))
    }

    fn signed_before(&mut self) -> Option<String> {
        std::mem::take(&mut self.refused).then(|| self.line.to_owned())
    }
}

/// A game that both sign, in which Ada's besiegers are to make entry 4.
fn game() -> String {
    let dated = |line: &str| format!("{line} @2026-11-20T10:15:00Z");
    let lines: Vec<String> = GAME[..3].iter().map(|line| dated(line)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    signed(&with_both(&lines), both)
}

/// The reply that Ada has prepared, before the entry that it answers.
fn prepared() -> Conditions {
    let game = game();
    let before = &game[..game.find("\n3 ").expect("entry 3") + 1];
    let typed = ["c6-d6".to_owned(), "e4-e5".to_owned(), "e6xe4xc4xc6".to_owned(), "c3-c4".to_owned()];
    let desk = Desk::open(before.as_bytes()).expect("a record");
    add(desk, None, &typed, NOW, &mut Journal::of("")).expect("legal").conditions
}

fn made(what: What<'_>, by_itself: bool, line: &'static str) -> Result<Signed, NotMade> {
    let game = game();
    let desk = Desk::open(game.as_bytes()).expect("a record");
    let typed = Typed { by_itself, ..Typed::new(what, NOW) };
    let made = typed.make(&desk, &mut Journal::of(line));
    if let Ok(Signed { entered, .. }) = &made {
        assert_eq!(entered.line, line);
        assert_eq!(verify(&entered.record).ruling, Ruling::Legal);
        assert!(entered.record.starts_with(game.as_bytes()));
    }
    made
}

#[test]
fn an_entry_that_was_signed_is_made_with_the_time_that_it_had() {
    const LINE: &str = "4 besiegers e4-e5 @2026-11-21T12:00:00Z";
    assert!(LINE.ends_with(EARLIER));
    for by_itself in [false, true] {
        made(What::Actions("e4-e5"), by_itself, LINE).unwrap_or_else(|error| panic!("{error:?}"));
    }
}

#[test]
fn a_prepared_reply_that_was_signed_is_made_with_its_time_and_what_follows_stays_prepared() {
    let tree = prepared();
    for by_itself in [false, true] {
        let made = made(What::Prepared(&tree), by_itself, "4 besiegers e4-e5 @2026-11-21T12:00:00Z");
        let prepared = made.unwrap_or_else(|error| panic!("{error:?}")).prepared.expect("it was prepared");
        assert_eq!((&*prepared.theirs, prepared.rest.branches.len()), ("c6-d6; huff d6", 1));
        assert_eq!(prepared.rest.entries, 4);
    }
}

#[test]
fn another_entry_that_was_signed_is_made_by_a_program_and_refused_to_a_player() {
    const OTHER: &str = "4 besiegers d4-d5 {a word} @2026-11-21T12:00:00Z";
    let tree = prepared();
    for what in [What::Actions("e4-e5"), What::Prepared(&tree)] {
        let made_by_hand = made(what, false, OTHER);
        assert!(matches!(made_by_hand, Err(NotMade::Refused(Refusal::NotSigned(_)))));
    }
    // What was prepared is no longer what is played.
    const PLAIN: &str = "4 besiegers d4-d5 @2026-11-21T12:00:00Z";
    let by_itself = made(What::Prepared(&tree), true, PLAIN).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(by_itself.prepared.is_none());
}

#[test]
fn a_time_that_a_player_asks_for_is_not_replaced_by_another() {
    let game = game();
    let desk = Desk::open(game.as_bytes()).expect("a record");
    let typed = Typed { time_asked: true, ..Typed::new(What::Actions("e4-e5"), NOW) };
    let made = typed.make(&desk, &mut Journal::of("4 besiegers e4-e5 @2026-11-21T12:00:00Z"));
    assert!(matches!(made, Err(NotMade::Refused(Refusal::NotSigned(_)))));
}

#[test]
fn what_is_not_forced_and_not_prepared_is_not_made() {
    assert!(matches!(made(What::Forced, true, ""), Err(NotMade::NotForced(_))));
    let mut tree = prepared();
    tree.branches[0].theirs = "c6-c7".to_owned();
    assert!(matches!(made(What::Prepared(&tree), true, ""), Err(NotMade::NotPrepared(_))));
}
