//! What course words take that somebody writes about a game that is played here: a list of questions, of which the first that has an
//! answer decides. What none of them decides is judged as an entry. Nothing is read or written for it.

use super::did::Did;
use super::people::tap;
use super::program;
use postrider_home::hosting;
use postrider_home::receive::{Back, claims_time, outdated};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::incoming;
use postrider_mail::incoming::{Answered, Mail};
use postrider_mail::understand::{Wish, gives_up, is_word_of_entry, looks_like_entry};
use postrider_referee::desk::Desk;

/// What becomes of words.
#[derive(Debug)]
pub(super) enum Course {
    /// They are for the opponent.
    Talk,
    /// They ask for something that can be said, and is no entry.
    Wished(Wish),
    /// The game is given up with the side's next entry.
    ResignsNext,
    /// Nothing is entered: what their writer is told, and what is noted of it.
    Refused(Box<Back>, Did),
}

/// A reply about a game.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) mail: &'a Mail,
    pub(super) desk: &'a Desk<'a>,
    /// The writer's side.
    pub(super) side: Side,
    /// The name of the other player.
    pub(super) other: &'a str,
    /// The writer's own lines.
    pub(super) lines: &'a [String],
    /// Whether it is not certain that they are, and all of them.
    pub(super) unsure: bool,
    /// The letter that is answered, if it is one of this game.
    pub(super) referred: Option<&'a Answered>,
}

impl Written<'_> {
    /// Whether the side is to enter.
    pub(super) fn is_due(&self) -> bool {
        let standing = self.desk.opened.table.standing();
        standing.outcome.is_none() && standing.due.side == self.side
    }

    /// Whether nothing in it may be an entry.
    fn is_talk(&self) -> bool {
        let is_of_entry = |line: &String| looks_like_entry(line) || is_word_of_entry(line);
        !self.lines.iter().any(is_of_entry) && !claims_time(self.lines)
    }
}

/// The questions, in order.
const QUESTIONS: [fn(&Written<'_>) -> Option<Course>; 6] =
    [after_the_end, of_a_side_with_a_program, wished, about_an_earlier_letter, gives_up_out_of_turn, out_of_turn];

/// What becomes of words; nothing if they are judged as an entry.
pub(super) fn of(written: &Written<'_>) -> Option<Course> {
    QUESTIONS.iter().find_map(|question| question(written))
}

/// Nothing is entered, unless it is talk.
fn refused(written: &Written<'_>, back: Back, did: Did) -> Course {
    if written.is_talk() { Course::Talk } else { Course::Refused(Box::new(back), did) }
}

/// Is the game over (E4)?
fn after_the_end(written: &Written<'_>) -> Option<Course> {
    let opened = &written.desk.opened;
    let outcome = opened.table.standing().outcome?;
    let why = format!("The game is over: {}.", outcome.text(&opened.header.info.sides));
    Some(refused(written, Back { taps: vec![tap("again")], ..Back::of(why) }, Did::GameOver))
}

/// Does the side sign with a key of its own, so that only its program can enter for it (Z38)?
fn of_a_side_with_a_program(written: &Written<'_>) -> Option<Course> {
    let opened = &written.desk.opened;
    let is_kept = hosting::is_kept(opened, written.side);
    (!is_kept).then(|| refused(written, Back::of(program::enters(opened)), Did::EntersByProgram))
}

/// Does it ask for what no entry says? Whoever is offered a draw accepts it in many words.
fn wished(written: &Written<'_>) -> Option<Course> {
    let offer = written.desk.opened.table.standing().offer;
    let wish = Wish::of(written.lines).filter(|_| !written.unsure)?;
    (wish != Wish::Draw || offer != Some(written.side.other())).then_some(Course::Wished(wish))
}

/// Does the side that waits give the game up?
fn gives_up_out_of_turn(written: &Written<'_>) -> Option<Course> {
    (!written.unsure && !written.is_due() && gives_up(written.lines)).then_some(Course::ResignsNext)
}

/// Does a move answer a letter that is not the newest?
fn about_an_earlier_letter(written: &Written<'_>) -> Option<Course> {
    let from_letters = incoming::from_letters(&written.desk.opened);
    let (_, why) = outdated(written.referred?, written.desk, &from_letters).filter(|_| !written.is_talk())?;
    let why = format!("{why} Nothing was entered; this is the newest letter.");
    // What was not seen when it was written may change a mind; then it is one tap.
    let taps = if gives_up(written.lines) { vec![tap("resign")] } else { Vec::new() };
    Some(Course::Refused(Box::new(Back { taps, ..Back::of(why) }), Did::Outdated))
}

/// Is its writer not the one who may write now: the side that is due, or the one that claims time (E7)?
fn out_of_turn(written: &Written<'_>) -> Option<Course> {
    let is_due = written.is_due();
    if claims_time(written.lines) != is_due {
        return None;
    }
    let why = match is_due {
        true => "Time is claimed by the side that waits (E7), and it is your turn.".to_owned(),
        false => {
            format!("It is not your turn: {} has yet to make a move. Nothing was entered.", printable(written.other))
        }
    };
    Some(refused(written, Back::of(why), Did::NotDue))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-course\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  \
                          defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
    const FIRST: &str = "1 defenders place c6 e6 @2026-11-21T10:15:00Z\n";
    const ADA: Side = Side::First;
    const BRAM: Side = Side::Second;

    /// What a question answers about words of a side in a letter that answers the one about the position after so many entries.
    fn ask<T>(entries: &[&str], (side, answers, words): (Side, u32, &str), ask: impl FnOnce(&Written<'_>) -> T) -> T {
        let record = HEADER.to_owned() + &entries.concat();
        let desk = Desk::open(record.as_bytes()).unwrap();
        let mail = incoming::read(format!("Subject: Re: [pbem] asalto-course #{answers}\n\n{words}\n").as_bytes());
        let lines = mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
        let referred = incoming::answered(&mail);
        let (mail, referred) = (&mail, referred.as_ref());
        ask(&Written { mail, desk: &desk, side, other: "Cleo", lines: &lines, unsure: false, referred })
    }

    fn told(course: Option<Course>) -> (String, String) {
        match course {
            Some(Course::Refused(back, did)) => (did.to_string(), back.why),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn e4_after_the_end_only_talk_goes_on() {
        let over = [FIRST, "2 besiegers resign @2026-11-22T08:02:11Z\n= defenders win: resigned\n"];
        assert_eq!(told(ask(&over, (BRAM, 2, "c6-d6"), after_the_end)).0, "refused: the game is over (E4)");
        assert!(matches!(ask(&over, (BRAM, 2, "Well played!"), after_the_end), Some(Course::Talk)));
        assert!(ask(&[FIRST], (ADA, 1, "c4-c5"), after_the_end).is_none());
    }

    #[test]
    fn z38_a_side_whose_key_the_host_does_not_have_enters_by_its_program() {
        // In a game that no host keeps, no side's key is here.
        let (did, why) = told(ask(&[FIRST], (ADA, 1, "c4-c5"), of_a_side_with_a_program));
        assert_eq!(did, "refused: that side enters by its own program");
        assert!(why.starts_with("Nothing was entered: in this game you sign with your own key"), "{why}");
        assert!(matches!(ask(&[FIRST], (ADA, 1, "How are you?"), of_a_side_with_a_program), Some(Course::Talk)));
    }

    #[test]
    fn a_move_that_answers_an_earlier_letter_is_not_entered_and_talk_is_no_move() {
        let (did, why) = told(ask(&[FIRST], (ADA, 0, "c4-c5"), about_an_earlier_letter));
        assert_eq!(did, "refused: it answers an earlier letter");
        assert!(why.ends_with("Nothing was entered; this is the newest letter."), "{why}");
        assert!(ask(&[FIRST], (ADA, 1, "c4-c5"), about_an_earlier_letter).is_none());
        assert!(ask(&[FIRST], (ADA, 0, "How are you?"), about_an_earlier_letter).is_none());
    }

    #[test]
    fn e7_the_side_that_is_due_moves_and_the_other_may_only_claim_time() {
        assert!(ask(&[FIRST], (ADA, 1, "c4-c5"), out_of_turn).is_none());
        assert!(ask(&[FIRST], (BRAM, 1, "claim time"), out_of_turn).is_none());
        let (did, why) = told(ask(&[FIRST], (BRAM, 1, "c6-d6"), out_of_turn));
        assert_eq!(did, "refused: not due");
        assert_eq!(why, "It is not your turn: Cleo has yet to make a move. Nothing was entered.");
        let (_, why) = told(ask(&[FIRST], (ADA, 1, "claim time"), out_of_turn));
        assert_eq!(why, "Time is claimed by the side that waits (E7), and it is your turn.");
        assert!(matches!(ask(&[FIRST], (BRAM, 1, "How are you?"), out_of_turn), Some(Course::Talk)));
    }
}
