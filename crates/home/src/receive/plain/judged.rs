//! Plans what to do with a reply that is judged as an entry, from its words and the record here. Reads and writes nothing; `Receiving`
//! carries the plan out.

use super::{Written, doubt, needs_record, understood};
use crate::entry::way::{NotMade, Typed, What};
use crate::receive::back::{Back, Reply, asked, in_words};
use crate::receive::refusal::OfReply;
use crate::secrets::dice::{Throwing, Thrown};
use postrider_kernel::text::printable;
use postrider_mail::incoming;
use postrider_mail::incoming::Answered;
use postrider_mail::understand::{AtDesk, Meant, Understood};
use postrider_referee::desk::examples::nearest_first;
use postrider_referee::desk::undo::TakenBack;
use postrider_referee::desk::{Entered, NoKeyStore, Refusal, parts};
use postrider_referee::record::Time;

/// What the plan is made of.
pub(super) struct Judging<'a> {
    pub(super) reply: &'a Reply<'a>,
    /// The letter that it says it answers.
    pub(super) referred: Option<&'a Answered>,
    /// The entry that it corrects, which is not in the record on the desk any more.
    pub(super) taken: Option<&'a TakenBack>,
    /// The time of its entry.
    pub(super) time: Time,
    /// Whether its writer keeps the record too, so that a move alone is not enough.
    pub(super) needs_record: bool,
}

/// What becomes of a reply.
#[derive(Debug)]
pub(super) enum Judged {
    /// It means what stands already.
    Known,
    /// Its writer needs more time.
    NotYet,
    /// It says something, and no entry.
    Talk,
    /// Nothing is entered, which is told here alone.
    Refused(OfReply),
    /// Nothing is entered, and its writer is told as well.
    AskedBack {
        why: OfReply,
        /// What its writer is told.
        back: Back,
        /// Whether all that it says is shown here too.
        shows: bool,
    },
    Entered(Box<Entering>),
}

/// An entry that a reply means.
#[derive(Debug)]
pub(super) struct Entering {
    pub(super) entered: Entered,
    pub(super) meant: Meant,
    /// The record with it, with the remarks that say from which letter it is and how its dice were thrown.
    pub(super) record: Vec<u8>,
    /// The actions that it replaces.
    pub(super) before: Option<String>,
    /// The remark on its dice.
    pub(super) dice: Option<String>,
}

/// Plans what becomes of a reply. `thrown`: what comes of leaving the throw of dice open.
///
/// # Errors
/// If its entry cannot be tried.
pub(super) fn of(judging: &Judging<'_>, thrown: Option<&Thrown>) -> Result<Judged, NotMade> {
    let Judging { reply, referred, taken, time, needs_record: lacks } = *judging;
    let Reply { mail, desk, sender, lines, unsure, .. } = *reply;
    let mut judge = Throwing::new(AtDesk(desk, time), thrown);
    let corrects = taken.is_some();
    let written = Written { desk, sender, lines, referred, corrects, moves: None, damaged: unsure };
    let understood = understood(&written, &mut judge);
    let is_silent = matches!(understood, Understood::NotYet | Understood::Nothing { nearest: None });
    if lacks && !is_silent {
        return Ok(Judged::Refused(needs_record(&desk.opened.header, sender)));
    }
    let meant = match understood {
        Understood::Entry(meant) => meant,
        Understood::NotYet => return Ok(Judged::NotYet),
        Understood::Nothing { nearest: None } if mail.unreadable.is_some() || !lines.is_empty() => {
            return Ok(Judged::Talk);
        }
        other => {
            let (why, back) = asked_back(judging, &other);
            return Ok(Judged::AskedBack { why, back, shows: true });
        }
    };
    let typed = Typed::new(What::Actions(&meant.actions), time).saying(meant.message.as_deref());
    let entered = match typed.make(desk, &mut NoKeyStore) {
        Ok(signed) => signed.entered,
        Err(NotMade::Refused(Refusal::Entry(_, verdict))) => {
            let moves = nearest_first(desk.opened.table.moves(), &meant.actions);
            let back = Back { moves, ..Back::of(in_words(&meant.actions, &verdict)) };
            return Ok(Judged::AskedBack { why: OfReply::Illegal, back, shows: false });
        }
        Err(not_made) => return Err(not_made),
    };
    let before = taken.map(|taken| parts(&taken.line).0.to_owned());
    if before.as_ref() == Some(&entered.actions) {
        return Ok(Judged::Known);
    }
    let dice = judge.remark(&entered.actions).map(str::to_owned);
    let mut record = entered.record.clone();
    record.extend_from_slice(incoming::remark(entered.number, mail, before.as_deref()).as_bytes());
    record.extend_from_slice(dice.as_deref().unwrap_or_default().as_bytes());
    Ok(Judged::Entered(Box::new(Entering { entered, meant, record, before, dice })))
}

/// Why nothing is entered from a reply that is not one entry, and what its writer is told.
fn asked_back(judging: &Judging<'_>, understood: &Understood) -> (OfReply, Back) {
    let Judging { reply, taken, time, .. } = *judging;
    let refusal = |actions: &str| match Typed::new(What::Actions(actions), time).judge(reply.desk, &mut NoKeyStore) {
        Err(NotMade::Refused(Refusal::Entry(_, verdict))) => Some(*verdict),
        _ => None,
    };
    let (why, mut back) = asked(understood, reply.desk.opened.table.moves(), &refusal);
    if reply.unsure {
        back.why = format!("{} {}", doubt(reply.mail), back.why);
    }
    if let Some(taken) = taken {
        let (actions, ..) = parts(&taken.line);
        back.why.push_str(&format!("\nYour earlier letter was entered as {}.", printable(actions)));
    }
    (why, back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_kernel::Side;
    use postrider_referee::desk::Desk;
    use postrider_referee::desk::undo::without_last;

    const RECORD: &str = "---\npbem: 1\ngame: asalto\nid: asalto-judged\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  \
                          defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n1 defenders place c6 e6 \
                          @2026-11-21T10:15:00Z\n";

    /// The plan for Ada's answer to the newest letter about this record, from which `taken` was taken back.
    fn plan(record: &str, words: &str, needs_record: bool, taken: Option<&TakenBack>) -> Judged {
        let desk = Desk::open(record.as_bytes()).unwrap();
        let message = format!(
            "From: ada@example.org\nSubject: Re: [pbem] asalto-judged #1\nMessage-ID: <one@example.org>\nDate: Mon, 23 Nov 2026 08:05:00 \
             +0000\n\n{words}\n"
        );
        let mail = incoming::read(message.as_bytes());
        let lines = mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
        let referred = incoming::answered(&mail);
        let reply = Reply {
            mail: &mail,
            desk: &desk,
            sender: Side::First,
            own: None,
            from: "a letter".to_owned(),
            lines: &lines,
            unsure: false,
        };
        let time = Time::read(b"2026-11-23T08:05:00Z").unwrap();
        let judging = Judging { reply: &reply, referred: referred.as_ref(), taken, time, needs_record };
        of(&judging, None).unwrap_or_else(|_| panic!("it can be tried"))
    }

    #[test]
    fn a_move_is_entered_with_the_letter_that_it_is_from() {
        let Judged::Entered(entering) = plan(RECORD, "c4-c5", false, None) else { panic!("it is entered") };
        let record = String::from_utf8(entering.record).unwrap();
        assert_eq!((entering.meant.actions.as_str(), entering.before, entering.dice), ("c4-c5", None, None));
        assert!(
            record.starts_with(RECORD) && record.contains("\n2 besiegers c4-c5 @2026-11-23T08:05:00Z\n"),
            "{record}"
        );
        assert!(record.contains("<one@example.org>"), "{record}");
    }

    #[test]
    fn whoever_keeps_the_record_too_is_asked_for_it_and_may_ask_for_time() {
        let refused = plan(RECORD, "c4-c5", true, None);
        assert!(matches!(&refused, Judged::Refused(OfReply::NeedsRecord(who)) if who == "Ada"), "{refused:?}");
        assert!(matches!(plan(RECORD, "not yet", true, None), Judged::NotYet));
        assert!(matches!(plan(RECORD, "How are you?", true, None), Judged::Talk));
    }

    #[test]
    fn what_is_not_possible_is_asked_back_with_what_is() {
        let Judged::AskedBack { why, back, shows } = plan(RECORD, "c4-c7", false, None) else {
            panic!("it is asked back")
        };
        assert!(matches!(why, OfReply::Impossible(_)) && shows, "{why:?}");
        assert!(back.why.ends_with("Nothing was entered.") && !back.moves.is_empty(), "{back:?}");
    }

    #[test]
    fn what_corrects_an_entry_names_it_and_the_same_entry_once_more_is_known() {
        let entered = format!("{RECORD}2 besiegers c4-c5 @2026-11-22T08:02:11Z\n");
        let desk = Desk::open(entered.as_bytes()).unwrap();
        let taken = without_last(&desk.opened).unwrap();
        let record = std::str::from_utf8(&taken.record).unwrap();
        assert!(matches!(plan(record, "c4-c5", false, Some(&taken)), Judged::Known));
        let Judged::Entered(entering) = plan(record, "e4-e5", false, Some(&taken)) else { panic!("it is entered") };
        assert_eq!(entering.before.as_deref(), Some("c4-c5"));
        let Judged::AskedBack { back, .. } = plan(record, "c4-c7", false, Some(&taken)) else {
            panic!("it is asked back")
        };
        assert!(back.why.ends_with("Your earlier letter was entered as c4-c5."), "{}", back.why);
    }
}
