use super::*;

const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-course\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  \
                      defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
const FIRST: &str = "1 defenders place c6 e6 @2026-11-21T10:15:00Z\n";
const SECOND: &str = "2 besiegers c4-c5 @2026-11-22T08:02:11Z\n";
const ADA: Side = Side::First;
const BRAM: Side = Side::Second;

/// A letter of the 23rd about the position after so many entries, with these words.
fn letter(entries: u32, words: &str) -> String {
    format!(
        "From: ada@example.org\nSubject: Re: [pbem] asalto-course #{entries}\nMessage-ID: <one@example.org>\nDate: Mon, 23 Nov 2026 08:05:00 \
         +0000\n\n{words}\n"
    )
}

fn look<T>(record: &str, message: &str, look: impl FnOnce(Replied<'_>) -> T) -> T {
    let (desk, mail) = (Desk::open(record.as_bytes()).unwrap(), incoming::read(message.as_bytes()));
    let lines = mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
    let referred = incoming::answered(&mail);
    look(Replied::new(&mail, &desk, referred.as_ref(), (&lines, false), (false, false)))
}

fn course(record: &str, message: &str, sender: Side) -> Course {
    look(record, message, |replied| of_the_opponent(&replied, sender))
}

fn record(entries: &[&str]) -> String {
    HEADER.to_owned() + &entries.concat()
}

/// Why nothing is entered, and what its writer is told.
fn asked_back(course: Course) -> (OfReply, String) {
    match course {
        Course::AskedBack(why, back) => (why, back.why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_move_of_the_side_that_is_due_is_judged() {
    assert!(matches!(course(&record(&[FIRST]), &letter(1, "c4-c5"), ADA), Course::Judged(None)));
}

#[test]
fn whoever_has_made_no_entry_may_decline_and_in_doubt_is_asked() {
    let words = "No, thanks.";
    assert!(matches!(course(&record(&[FIRST]), &letter(1, words), ADA), Course::Declined));
    assert!(!matches!(course(&record(&[FIRST, SECOND]), &letter(2, words), ADA), Course::Declined));
    let unsure = look(&record(&[FIRST]), &letter(1, words), |replied| {
        of_the_opponent(&Replied { unsure: true, ..replied }, ADA)
    });
    assert_eq!(asked_back(unsure).0, OfReply::PerhapsDeclines);
}

#[test]
fn in_a_closed_game_nobody_enters_anything_for_another() {
    let sealed = record(&[]).replace("game: asalto", "game: assassyn").replace("besiegers", "white");
    let sealed =
        sealed.replace("defenders", "black").replace("started: 2026-11-21", "started: 2026-11-21\nsecrecy: sealed");
    let (told, why) = asked_back(course(&sealed, &letter(0, "a1-a2"), ADA));
    assert_eq!(told, OfReply::Closed { sealed: true });
    assert!(told.to_string().ends_with("in a sealed or signed game nobody can enter anything for another"), "{told}");
    assert!(!why.is_empty());
    let alone = look(&sealed, &letter(0, "a1-a2"), |replied| {
        assert!(!replied.is_talk_of_a_closed_game());
        of_the_opponent(&Replied { alone: true, ..replied }, ADA)
    });
    assert!(matches!(&alone, Course::Refused(OfReply::NeedsRecord(who)) if who == "Ada"), "{alone:?}");
    assert!(look(&sealed, &letter(0, "How are you?"), |replied| replied.is_talk_of_a_closed_game()));
}

#[test]
fn e4_after_the_end_nothing_is_entered_and_what_is_written_is_shown() {
    let over = record(&[FIRST, "2 besiegers resign @2026-11-22T08:02:11Z\n= defenders win: resigned\n"]);
    let (told, why) = asked_back(course(&over, &letter(2, "c4-c5"), BRAM));
    assert_eq!(told, OfReply::Over);
    assert!(why.starts_with("The game is over: "), "{why}");
    assert!(matches!(course(&over, &letter(2, "Well played!"), BRAM), Course::Heard));
    let old = letter(2, "c4-c5").replace("23 Nov", "20 Nov");
    assert!(matches!(course(&over, &old, BRAM), Course::Nothing));
}

#[test]
fn an_answer_to_an_entry_that_is_not_here_is_asked_for_with_its_record() {
    let course = course(&record(&[FIRST]), &letter(5, "c4-c5"), ADA);
    assert!(matches!(course, Course::Refused(OfReply::Ahead { about: 5, here: 1 })), "{course:?}");
}

#[test]
fn a_letter_of_the_program_without_its_record_is_no_reply() {
    let id = "asalto-course.1.0123456789abcdef@postrider.invalid";
    assert!(postrider_mail::is_ours(id));
    let ours = letter(1, "c4-c5").replace("one@example.org", id);
    assert!(matches!(course(&record(&[FIRST]), &ours, ADA), Course::Nothing));
}

#[test]
fn an_entry_from_a_letter_may_be_corrected_until_the_other_side_has_answered() {
    let first = incoming::read(letter(1, "c4-c5").as_bytes());
    let entered = record(&[FIRST, SECOND, &incoming::remark(2, &first, None)]);
    let again = letter(1, "e4-e5").replace("one@", "two@");
    assert!(matches!(course(&entered, &again, ADA), Course::Judged(Some(taken)) if taken.number == 2));
    // What the player made is no letter's to correct.
    assert!(!matches!(course(&record(&[FIRST, SECOND]), &again, ADA), Course::Judged(_)));
    let answered = entered.clone() + "3 defenders c6-d6; huff d6 @2026-11-22T20:40:00Z\n";
    assert!(!matches!(course(&answered, &again, ADA), Course::Judged(Some(_))));
    assert!(look(&entered, &letter(1, "c4-c5"), |replied| replied.was_entered()));
}

#[test]
fn an_answer_to_an_earlier_letter_is_asked_again_unless_it_is_an_old_one() {
    let here = record(&[FIRST, SECOND]);
    let (told, _) = asked_back(course(&here, &letter(0, "c6-d6"), BRAM));
    assert_eq!(told, OfReply::Outdated { about: 0, here: 2 });
    let old = letter(0, "c6-d6").replace("23 Nov", "20 Nov");
    assert!(matches!(course(&here, &old, BRAM), Course::Known));
    assert!(matches!(course(&here, &letter(0, "How are you?"), BRAM), Course::Heard));
}

#[test]
fn e7_the_side_that_waits_may_only_claim_time() {
    let here = record(&[FIRST, SECOND]);
    let (told, why) = asked_back(course(&here, &letter(2, "c4-c5"), ADA));
    assert_eq!((told, &*why), (OfReply::OutOfTurn, "It is not your turn: Bram has yet to make a move."));
    assert!(matches!(course(&here, &letter(2, "claim time"), ADA), Course::Judged(None)));
    assert_eq!(asked_back(course(&here, &letter(2, "claim time"), BRAM)).0, OfReply::OutOfTurn);
    assert!(matches!(course(&here, &letter(2, "How are you?"), ADA), Course::Heard));
}

#[test]
fn what_no_entry_says_is_answered_with_what_can_be_done() {
    let words = |record: &[&str], about: u32, words: &str, side| {
        asked_back(course(&self::record(record), &letter(about, words), side))
    };
    let (told, why) = words(&[FIRST], 1, "undo", BRAM);
    assert!(
        told == OfReply::Wish("undo".to_owned()) && why.starts_with("A move cannot be taken back here"),
        "{told}: {why}"
    );
    // A move that came by a letter may still be changed.
    let by_letter = "# Received by mail: entry 1, the message <two@example.org>.\n";
    let noted = look(&record(&[FIRST, by_letter]), &letter(1, "undo"), |replied| {
        !incoming::from_letters(&replied.desk.opened).is_empty()
    });
    if noted {
        assert!(words(&[FIRST, by_letter], 1, "undo", BRAM).1.contains("reply with the move that you meant"));
    }
    assert!(words(&[FIRST], 1, "How do I play?", ADA).1.starts_with("It is your turn."));
    assert!(words(&[FIRST], 1, "quit", ADA).1.contains("\"resign\""));
    // What says more is talk.
    assert!(!matches!(
        course(&record(&[FIRST]), &letter(1, "pause\nMy mother is ill, you know."), ADA),
        Course::AskedBack(..)
    ));
}
