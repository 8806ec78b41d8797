//! What becomes of a message as a whole, before what is in it is looked at: a list of questions, of which the first that refuses it decides.

use super::refusal::OfMessage;
use postrider_kernel::text::printable;
use postrider_mail::incoming;
use postrider_mail::incoming::{Dmarc, Mail};

/// A message.
#[derive(Clone, Copy)]
pub(super) struct Envelope<'e> {
    pub(super) mail: &'e Mail,
    /// The message, for people.
    pub(super) about: &'e str,
    /// The server whose word on senders counts.
    pub(super) server: Option<&'e str>,
    /// Whether it came by itself rather than from a mailbox.
    pub(super) alone: bool,
}

/// What is known here of the writers of messages. It is only looked up where it matters.
pub(super) trait Acquaintance {
    /// Whether a message may be a reply that a person wrote.
    fn may_be_reply(&mut self, mail: &Mail) -> bool;
    /// Whether a message comes from somebody who plays here.
    fn plays_here(&mut self, mail: &Mail) -> bool;
}

/// What becomes of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// What is in it is looked at, and this is noted.
    Read(Option<String>),
    /// Nothing of it is taken, and why.
    Refused(OfMessage),
    /// It is broken mail of nobody who plays here: it is only counted, because anybody can send it.
    Strangers,
    /// It is of no interest.
    Other,
}

/// The questions, in order.
pub(super) const QUESTIONS: [fn(&Envelope<'_>, &mut dyn Acquaintance) -> Whole; 3] =
    [arrived_whole, holds_a_record, is_not_forged];

/// Did it arrive whole?
fn arrived_whole(envelope: &Envelope<'_>, known: &mut dyn Acquaintance) -> Whole {
    let Envelope { mail, about, alone, .. } = *envelope;
    let Some(fault) = &mail.fault else { return Whole::Read(None) };
    let brings = mail.brings_entries();
    // What is whole in it is read, and what was typed is asked back.
    if brings || (!mail.names_record && known.may_be_reply(mail)) {
        return Whole::Read(Some(format!("{about}: note: {fault}; what is whole in it is read")));
    }
    // Faults in unrelated mail are of no interest.
    if !(mail.names_record || mail.subject.contains("[pbem]") || alone) {
        return Whole::Other;
    }
    match !alone && !known.plays_here(mail) {
        true => Whole::Strangers,
        false => Whole::Refused(OfMessage::Damaged(fault.clone())),
    }
}

/// Does what is named like a record begin like one? What is packed in a reply is asked for, if nothing was typed beside it.
fn holds_a_record(envelope: &Envelope<'_>, known: &mut dyn Acquaintance) -> Whole {
    let Envelope { mail, alone, .. } = *envelope;
    let is_unlike = mail.names_record || mail.unlike.is_some() && incoming::answered(mail).is_none();
    if !is_unlike || !mail.records.is_empty() {
        return Whole::Read(None);
    }
    if !alone && !known.plays_here(mail) {
        return Whole::Strangers;
    }
    Whole::Refused(OfMessage::Unlike(mail.unlike.clone()))
}

/// Does the mail server vouch for its sender (DMARC)?
fn is_not_forged(envelope: &Envelope<'_>, _known: &mut dyn Acquaintance) -> Whole {
    let Envelope { mail, about, alone, .. } = *envelope;
    let Some(server) = envelope.server else { return Whole::Read(None) };
    let found = mail.trace.dmarc(server, mail.from.as_deref().unwrap_or_default());
    match found {
        Some(Dmarc::Fail) if mail.brings_entries() || incoming::answered(mail).is_some() => {
            Whole::Refused(OfMessage::Forged(server.to_owned()))
        }
        Some(Dmarc::Pass) if alone && mail.brings_entries() => {
            Whole::Read(Some(format!("{about}: note: {} has confirmed its sender (dmarc=pass)", printable(server))))
        }
        _ => Whole::Read(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the message may be a reply, and whether its writer plays here.
    struct Known(bool, bool);

    impl Acquaintance for Known {
        fn may_be_reply(&mut self, _mail: &Mail) -> bool {
            self.0
        }

        fn plays_here(&mut self, _mail: &Mail) -> bool {
            self.1
        }
    }

    const NOBODY: Known = Known(false, false);
    const RECORD: &str = "---\npbem: 1\ngame: asalto\nid: asalto-whole\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
                          started: 2026-11-21\n---\n";

    fn mail(head: &str, body: &str) -> Mail {
        incoming::read(format!("From: ada@example.org\nMIME-Version: 1.0\n{head}\n\n{body}\n").as_bytes())
    }

    fn with_record(head: &str) -> Mail {
        mail(&format!("{head}Content-Type: application/octet-stream; name=game.pbem"), RECORD)
    }

    fn ask(
        question: fn(&Envelope<'_>, &mut dyn Acquaintance) -> Whole,
        mail: &Mail,
        alone: bool,
        mut known: Known,
    ) -> Whole {
        question(&Envelope { mail, about: "a letter", server: Some("mx.example.net"), alone }, &mut known)
    }

    #[test]
    fn of_a_damaged_message_what_is_whole_is_read_and_others_are_refused_or_of_no_interest() {
        let sound = with_record("");
        assert_eq!(ask(arrived_whole, &sound, true, NOBODY), Whole::Read(None));
        let damaged = Mail { fault: Some("it is cut off".to_owned()), ..mail("Subject: hello", "hello") };
        let cut_off = Whole::Refused(OfMessage::Damaged("it is cut off".to_owned()));
        assert_eq!(ask(arrived_whole, &damaged, true, NOBODY), cut_off);
        assert_eq!(ask(arrived_whole, &damaged, false, NOBODY), Whole::Other);
        assert!(matches!(ask(arrived_whole, &damaged, false, Known(true, true)), Whole::Read(Some(_))));
        let about_a_game = Mail { subject: "[pbem] asalto-whole #1".to_owned(), ..damaged };
        assert_eq!(ask(arrived_whole, &about_a_game, false, NOBODY), Whole::Strangers);
        assert!(matches!(ask(arrived_whole, &about_a_game, false, Known(false, true)), Whole::Refused(_)));
        let brings = Mail { fault: about_a_game.fault.clone(), ..with_record("") };
        assert!(matches!(ask(arrived_whole, &brings, false, NOBODY), Whole::Read(Some(_))));
    }

    #[test]
    fn what_is_named_like_a_record_begins_like_one() {
        assert_eq!(ask(holds_a_record, &with_record(""), false, NOBODY), Whole::Read(None));
        let packed = mail("Content-Type: application/octet-stream; name=game.pbem", "PK");
        assert!(packed.names_record && packed.records.is_empty());
        let refused = ask(holds_a_record, &packed, true, NOBODY);
        assert!(matches!(refused, Whole::Refused(OfMessage::Unlike(_))), "{refused:?}");
        assert_eq!(ask(holds_a_record, &packed, false, NOBODY), Whole::Strangers);
        assert!(matches!(ask(holds_a_record, &packed, false, Known(false, true)), Whole::Refused(_)));
    }

    #[test]
    fn a_forged_sender_brings_nothing() {
        let says = |word: &str| {
            with_record(&format!("Authentication-Results: mx.example.net; dmarc={word} header.from=example.org\n"))
        };
        let forged = Whole::Refused(OfMessage::Forged("mx.example.net".to_owned()));
        assert_eq!(ask(is_not_forged, &says("fail"), false, NOBODY), forged);
        assert!(matches!(ask(is_not_forged, &says("pass"), true, NOBODY), Whole::Read(Some(_))));
        assert_eq!(ask(is_not_forged, &says("pass"), false, NOBODY), Whole::Read(None));
        assert_eq!(ask(is_not_forged, &with_record(""), true, NOBODY), Whole::Read(None));
    }
}
