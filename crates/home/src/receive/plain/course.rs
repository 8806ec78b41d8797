//! Routes a reply without a record: a list of questions about the letter and the record here, of which the first with an answer
//! decides. Any other reply is judged as an entry of the side that is due. Reads and writes nothing.

use super::{claims_time, doubt, is_signed, last_time, needs_record, outdated, said};
use crate::announced::Announced;
use crate::receive::back::Back;
use crate::receive::refusal::OfReply;
use crate::secrets::dice;
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::closed_game;
use postrider_mail::incoming;
use postrider_mail::incoming::{Answered, Mail};
use postrider_mail::understand::{Wish, declines, gives_up, is_word_of_entry, looks_like_entry};
use postrider_referee::desk::Desk;
use postrider_referee::desk::undo::{TakenBack, without_last};
use postrider_referee::record::{Item, Secrecy};
use postrider_referee::verdict::Opened;

/// What becomes of a reply.
#[derive(Debug)]
pub(in crate::receive) enum Course {
    /// It is none of this game's business.
    Nothing,
    /// It was dealt with before.
    Known,
    /// What its writer says is shown, and nothing is asked about it.
    Heard,
    /// Nothing is entered, which is told here alone.
    Refused(OfReply),
    /// Nothing is entered, which is told here, and its writer is told as well.
    AskedBack(OfReply, Back),
    /// Its writer does not want to play.
    Declined,
    /// Its writer, who is not due, resigns: that is noted.
    ResignsNext,
    /// Its writer had resigned in that way, and goes on with the game.
    TakesBack,
    /// It is judged as an entry: in place of this one, if it corrects what was entered from an earlier letter.
    Judged(Option<TakenBack>),
}

/// A reply beside the record of its game.
pub(in crate::receive) struct Replied<'a> {
    pub(in crate::receive) mail: &'a Mail,
    pub(in crate::receive) desk: &'a Desk<'a>,
    /// The letter that it says it answers.
    pub(in crate::receive) referred: Option<&'a Answered>,
    /// The writer's own lines.
    pub(in crate::receive) lines: &'a [String],
    /// Whether it is not certain that they are, and all of them.
    pub(in crate::receive) unsure: bool,
    /// Whether such replies are read regardless of the settings.
    pub(in crate::receive) plain: bool,
    /// Whether they are read only in games with no other keeper of the record.
    pub(in crate::receive) alone: bool,
    /// Whether nobody else keeps the record.
    pub(in crate::receive) keeps_alone: bool,
    /// What was announced in the game.
    pub(in crate::receive) announced: Announced,
    /// Whether nobody can enter anything for another in this game.
    closed: bool,
    has_move: bool,
    /// Whether it is about the game at all. Letters that people write to each other beside their moves are no entries, and no question is
    /// asked about them.
    is_talk: bool,
}

impl<'a> Replied<'a> {
    pub(in crate::receive) fn new(
        mail: &'a Mail,
        desk: &'a Desk<'a>,
        referred: Option<&'a Answered>,
        (lines, unsure): (&'a [String], bool),
        (plain, alone): (bool, bool),
    ) -> Self {
        let opened = &desk.opened;
        let has_move = lines.iter().any(|line| looks_like_entry(line));
        let is_talk = referred.is_none_or(|answered| answered.digest.is_none())
            && !has_move
            && !lines.iter().any(|line| is_word_of_entry(line));
        Self {
            mail,
            desk,
            referred,
            lines,
            unsure,
            plain,
            alone,
            keeps_alone: true,
            announced: Announced::default(),
            closed: opened.header.secrecy == Secrecy::Sealed || is_signed(opened),
            has_move,
            is_talk,
        }
    }

    /// Whether it is only talk in a game in which nobody can enter for another.
    pub(in crate::receive) fn is_talk_of_a_closed_game(&self) -> bool {
        let refuses = || Side::BOTH.into_iter().any(|side| self.refuses(side));
        self.closed && self.is_talk && !self.plain && !refuses()
    }

    /// Whether an entry was made from it before.
    pub(in crate::receive) fn was_entered(&self) -> bool {
        self.mail.message_id.as_deref().is_some_and(|id| is_noted(&self.desk.opened, id))
    }

    /// Whether a side would decline by it: whoever has made an entry has not declined.
    fn refuses(&self, side: Side) -> bool {
        let standing = self.desk.opened.table.standing();
        standing.outcome.is_none() && standing.made.get(side.index()) == Some(&0) && declines(self.lines)
    }

    /// Whether it answers the newest letter that this side, its writer's, can have: what the writer has entered by letters since brings none.
    fn shows_newest(&self, sender: Side) -> bool {
        let Some(answered) = self.referred.filter(|answered| answered.shows_letter()) else { return false };
        let from_letters = incoming::from_letters(&self.desk.opened);
        if outdated(answered, self.desk, &from_letters).is_none() {
            return true;
        }
        let entries = self.desk.opened.table.standing().entries;
        let is_own = self.desk.last().is_some_and(|(side, _)| side == sender) && from_letters.contains_key(&entries);
        let before = if is_own { self.desk.before_last() } else { None };
        before.is_some_and(|before| outdated(answered, &before, &incoming::from_letters(&before.opened)).is_none())
    }

    /// Whether it was written before the newest entry.
    fn is_old(&self) -> bool {
        let last = last_time(&self.desk.opened);
        self.mail.date.zip(last).is_some_and(|(date, last)| date.0 < last.0)
    }
}

/// A question about a reply: its answer, if it has one, is what becomes of it.
type Question = fn(&Replied<'_>, Side) -> Option<Course>;

/// The questions about a reply of the player's opponent, whose side comes along, in order.
const QUESTIONS: [Question; 11] = [
    declined,
    in_a_closed_game,
    after_the_end,
    about_what_is_not_here,
    of_a_program,
    corrects_an_entry,
    takes_back,
    wished,
    gives_up_out_of_turn,
    about_an_earlier_letter,
    out_of_turn,
];

/// Decides on a reply by this side, the player's opponent.
pub(in crate::receive) fn of_the_opponent(replied: &Replied<'_>, sender: Side) -> Course {
    QUESTIONS.iter().find_map(|question| question(replied, sender)).unwrap_or(Course::Judged(None))
}

/// Does its writer not want to play?
fn declined(replied: &Replied<'_>, sender: Side) -> Option<Course> {
    if !replied.refuses(sender) {
        return None;
    }
    if !replied.unsure {
        return Some(Course::Declined);
    }
    let why = format!("{} Nothing was noted: please write once more whether you want to play.", doubt(replied.mail));
    Some(Course::AskedBack(OfReply::PerhapsDeclines, Back::of(why)))
}

/// Can nobody enter anything for another in this game?
fn in_a_closed_game(replied: &Replied<'_>, sender: Side) -> Option<Course> {
    let header = &replied.desk.opened.header;
    match (replied.closed, replied.alone) {
        (false, _) => None,
        (true, true) => Some(Course::Refused(needs_record(header, sender))),
        (true, false) => {
            let sealed = header.secrecy == Secrecy::Sealed;
            Some(Course::AskedBack(OfReply::Closed { sealed }, Back::of(closed_game(header.info.title, sealed))))
        }
    }
}

/// Is the game over (E4)?
fn after_the_end(replied: &Replied<'_>, _sender: Side) -> Option<Course> {
    let opened = &replied.desk.opened;
    let outcome = opened.table.standing().outcome?;
    if replied.is_old() {
        return Some(Course::Nothing);
    }
    if replied.is_talk {
        return Some(Course::Heard);
    }
    let why = format!("The game is over: {}.", outcome.text(&opened.header.info.sides));
    Some(Course::AskedBack(OfReply::Over, Back::of(why)))
}

/// Does it answer an entry that is not here?
fn about_what_is_not_here(replied: &Replied<'_>, _sender: Side) -> Option<Course> {
    let here = replied.desk.opened.table.standing().entries;
    let about = replied.referred.map(|answered| answered.entry).filter(|entry| *entry > here)?;
    Some(Course::Refused(OfReply::Ahead { about, here }))
}

/// Is it a letter of the program, which has lost its record and holds no words of a person?
fn of_a_program(replied: &Replied<'_>, _sender: Side) -> Option<Course> {
    let is_ours = replied.mail.message_id.as_deref().is_some_and(postrider_mail::is_ours);
    let is_letter = replied.lines.is_empty() && replied.mail.text.as_ref().is_some_and(incoming::holds_letter);
    (is_ours || is_letter).then_some(Course::Nothing)
}

/// Does it correct what was entered from an earlier letter of its writer's? That may be done until the other side has answered.
fn corrects_an_entry(replied: &Replied<'_>, sender: Side) -> Option<Course> {
    let opened = &replied.desk.opened;
    let standing = opened.table.standing();
    let taken = without_last(opened).filter(|taken| {
        let about = replied.referred.is_some_and(|answered| answered.entry.saturating_add(1) >= standing.entries);
        standing.due.side != sender
            && taken.side == sender
            && taken.number == standing.entries
            && incoming::from_letters(opened).get(&taken.number).is_some_and(|id| !id.is_empty())
            && replied.mail.message_id.is_some()
            // Whoever has seen the dice does not throw them again.
            && !dice::was_thrown(opened, taken.number)
            && about
            && !replied.is_old()
            && replied.has_move
    });
    taken.map(|taken| Course::Judged(Some(taken)))
}

/// Does its writer take back that the game is given up with the next entry?
fn takes_back(replied: &Replied<'_>, sender: Side) -> Option<Course> {
    let opened = &replied.desk.opened;
    let wants = Wish::of(replied.lines) == Some(Wish::Undo) && !replied.unsure && replied.referred.is_some();
    if !wants || opened.table.standing().due.side == sender {
        return None;
    }
    let is_past = replied.announced.is_past(opened, sender, replied.mail);
    match replied.announced.stands(opened, sender) {
        true if is_past => Some(Course::Known),
        true => Some(Course::TakesBack),
        // The same letter once more: its writer is told again, if that was not done.
        false => replied.announced.is_newest(opened, sender, replied.mail).then_some(Course::TakesBack),
    }
}

/// Does its writer, who is not due, give the game up, and has seen how it stands? Anybody can write the opponent's address and a game's id.
fn gives_up_out_of_turn(replied: &Replied<'_>, sender: Side) -> Option<Course> {
    let opened = &replied.desk.opened;
    if opened.table.standing().due.side == sender || replied.unsure || !gives_up(replied.lines) {
        return None;
    }
    if replied.announced.is_past(opened, sender, replied.mail) {
        return Some(Course::Known);
    }
    // What was sent to many, or wants no answer, is no word on which somebody loses a game without a chance to take it back.
    let may = !replied.mail.bulk && !replied.mail.suppresses && !replied.is_old();
    if !may || !replied.shows_newest(sender) {
        return None;
    }
    if replied.alone && !replied.keeps_alone {
        return Some(Course::Refused(needs_record(&opened.header, sender)));
    }
    Some(Course::ResignsNext)
}

/// Does it ask for what no entry says, in answer to a letter of the game? Whoever is offered a draw accepts it in many words.
fn wished(replied: &Replied<'_>, sender: Side) -> Option<Course> {
    let opened = &replied.desk.opened;
    let standing = opened.table.standing();
    let wish =
        Wish::of(replied.lines).filter(|_| !replied.unsure && replied.referred.is_some() && !replied.is_old())?;
    if wish == Wish::Draw && standing.offer == Some(sender.other()) {
        return None;
    }
    let corrects = without_last(opened).is_some_and(|taken| {
        taken.side == sender
            && taken.number == standing.entries
            && incoming::from_letters(opened).get(&taken.number).is_some_and(|id| !id.is_empty())
            && !dice::was_thrown(opened, taken.number)
    });
    let wished = wish.answered(opened, sender, corrects);
    let moves = if standing.due.side == sender && wish != Wish::Stop { opened.table.moves() } else { Vec::new() };
    let told = OfReply::Wish(said(replied.lines));
    Some(Course::AskedBack(told, Back { taps: wished.taps, moves, ..Back::of(wished.said) }))
}

/// Does it answer a letter that is not the newest?
fn about_an_earlier_letter(replied: &Replied<'_>, sender: Side) -> Option<Course> {
    let opened = &replied.desk.opened;
    let from_letters = incoming::from_letters(opened);
    let (told, why) = replied.referred.and_then(|answered| outdated(answered, replied.desk, &from_letters))?;
    // In a mailbox, it was answered long ago.
    if replied.is_old() {
        return Some(Course::Known);
    }
    if replied.is_talk {
        return Some(Course::Heard);
    }
    let moves = if opened.table.standing().due.side == sender { opened.table.moves() } else { Vec::new() };
    Some(Course::AskedBack(told, Back { moves, taps: once_more(replied), ..Back::of(why) }))
}

/// What can be tapped by somebody who gives the game up, and may not have seen how it stands.
fn once_more(replied: &Replied<'_>) -> Vec<(String, String)> {
    let tap = ("resign".to_owned(), "resign".to_owned());
    if gives_up(replied.lines) { vec![tap] } else { Vec::new() }
}

/// Is its writer not the one who may write now: the side that is due, or the one that claims time?
fn out_of_turn(replied: &Replied<'_>, sender: Side) -> Option<Course> {
    let opened = &replied.desk.opened;
    let claims = claims_time(replied.lines);
    if claims != (opened.table.standing().due.side == sender) {
        return None;
    }
    if replied.is_talk && !claims {
        return Some(Course::Heard);
    }
    let name = printable(&opened.header.player(sender.other()).name).into_owned();
    let why = format!("It is not your turn: {name} has yet to make a move.");
    Some(Course::AskedBack(OfReply::OutOfTurn, Back { taps: once_more(replied), ..Back::of(why) }))
}

/// Returns whether a remark in the record names this message, so that it was entered before.
fn is_noted(opened: &Opened<'_>, id: &str) -> bool {
    let mark = format!("<{id}>");
    let mut body = opened.body();
    std::iter::from_fn(|| body.next_item()).any(|item| match item {
        Item::Remark(line) => line.text(opened.text).contains(&mark),
        _ => false,
    })
}

#[cfg(test)]
mod tests;
