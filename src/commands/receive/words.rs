//! What is said on standard output while mail is received, and as JSON.

use std::cell::Cell;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, shell, within};
use crate::cli::{acts, home, view};
use crate::commands::send;
use postrider_home::receive::refusal::Told;
use postrider_home::receive::{Count, Event, Here, Outcome};
use postrider_kernel::advice::Act;
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::{counted, entries};

/// Says what happens to messages. Nothing depends on it: if nobody listens, the mail is received all the same, because otherwise a
/// delivery agent would bounce it.
#[derive(Default)]
pub(super) struct Teller {
    /// Whether reports are JSON, with nothing else on standard output.
    json: bool,
    /// Whether somebody else tells of invitations.
    invitations_told: bool,
    /// Whether something could not be written to standard output.
    pub(super) unshown: Cell<bool>,
}

/// What happened to a record or a reply, for programs.
#[derive(Serialize)]
struct Report<'a> {
    message: &'a str,
    from: Option<&'a str>,
    path: Option<String>,
    game: Option<&'static str>,
    id: Option<String>,
    fate: &'static str,
}

/// How many messages had which fate, for programs.
#[derive(Serialize)]
struct Counts {
    messages: u64,
    accepted: u64,
    invitations: u64,
    refused: u64,
    known: u64,
    held_back: u64,
    other: u64,
}

impl Teller {
    pub(super) fn new(json: bool, invitations_told: bool) -> Self {
        Self { json, invitations_told, unshown: Cell::new(false) }
    }

    /// Says it to people.
    pub(super) fn print(&self, text: impl AsRef<str>) {
        if !self.json {
            self.say(text);
        }
    }

    fn say(&self, text: impl AsRef<str>) {
        let text = within(text.as_ref(), view::columns().unwrap_or(usize::MAX));
        if let Err(Failure::Output(error)) = crate::cli::out::print(text)
            && !self.unshown.replace(true)
        {
            errln!("warning: standard output cannot be written to: {error}; the mail is received anyway");
        }
    }

    /// Says what happened.
    pub(super) fn hear(&self, event: Event) {
        match event {
            Event::Delivered(delivered) => err!("{}", send::told(&delivered)),
            Event::Failed { about: Some(about), trouble } => err!("{about}: {}", Failure::from(trouble)),
            Event::Failed { about: None, trouble } => err!("{}", Failure::from(trouble)),
            Event::Refused(refusal) => refusal.told(acts::written).iter().for_each(|told| match told {
                Told::Why(line) | Told::Beside(line) => home::say(line),
                Told::Advice(hint) => home::say(&format!("hint: {hint}")),
            }),
            Event::Settled { id, how, then } => home::say(&format!("{id}: {how}{}", acts::written(&then))),
            Event::Illegal { about, record, verdict } => {
                errln!("{about}: refused: the record is {}", verdict.ruling.word());
                err!("{}", crate::cli::hints::report(&record, "the record", &verdict, false));
            }
            Event::Done { place, from, outcome } => {
                let Outcome { id, game, path, fate } = outcome;
                if self.json {
                    let path = path.map(|path| path_text(&path).into_owned());
                    let (message, from) = (place.as_str(), from.as_deref());
                    self.say(postrider_board::report::line(&Report {
                        message,
                        from,
                        path,
                        game,
                        id,
                        fate: fate.word(),
                    }));
                }
            }
            Event::Invited { .. } if self.invitations_told => {}
            event => self.print(in_words(event)),
        }
    }

    /// Reports the result for a mailbox; for a single message (`alone`), everything has already been said. `git`: whether records were
    /// fetched instead.
    pub(super) fn summary(&self, count: Count, alone: bool, git: bool) {
        let Count { messages, from_before, accepted, invitations, refused, known, held_back, other } = count;
        if self.json {
            self.say(postrider_board::report::line(&Counts {
                messages,
                accepted,
                invitations,
                refused,
                known,
                held_back,
                other,
            }));
        } else if git && messages < 2 {
            if messages == 0 || known == 1 {
                self.print("nothing new\n");
            }
        } else if messages == 1 && other == 1 {
            self.print("no record in this message: nothing to do\n");
        } else if messages == 1 {
            if known == 1 && !alone {
                self.print("1 message: nothing new\n");
            }
        } else {
            let (one, many) = if git { ("record", "records") } else { ("message", "messages") };
            let fates = [
                (accepted, "accepted", "accepted"),
                (invitations, "invitation", "invitations"),
                (refused, "refused", "refused"),
                (known, "already known", "already known"),
                (held_back, "held back", "held back"),
                (other, "without a record", "without a record"),
            ];
            let fates = fates.into_iter().filter(|(count, ..)| *count > 0);
            let fates: Vec<_> = fates.map(|(count, one, many)| counted(count, one, many)).collect();
            let fates = if fates.is_empty() { String::new() } else { format!(": {}", fates.join(", ")) };
            let came = match (messages, from_before) {
                (0, 0) => format!("no new {many}"),
                (0, before) => counted(before, "held-back message", "held-back messages"),
                (_, 0) => counted(messages, one, many),
                (_, before) => format!("{}, and {before} held back before", counted(messages, one, many)),
            };
            self.print(format!("{came}{fates}\n"));
        }
    }
}

/// What happened, in words.
fn in_words(event: Event) -> String {
    let answers = |id: &str| {
        format!(
            "`{}` or `{}`",
            acts::command(&Act::Accept(id.to_owned(), None)),
            acts::command(&Act::Decline(id.to_owned()))
        )
    };
    match event {
        Event::Statement { about, said } => format!("{about}: {}\n", acts::written(&said)),
        Event::AskedBack { id, entry } => format!(
            "{id}: the host has not entered your entry {entry}, because of its time; to make the same entry with the present time: {}\n",
            acts::command(&Act::DateAnew(id.clone()))
        ),
        Event::NothingNew { id, entries, here } => {
            let here = match here {
                Here::Further => "yours goes further",
                Here::Same => "yours is the same",
                Here::SameButRemarks => {
                    "yours is the same except for remarks, which are taken only with an entry or after the end"
                }
            };
            format!("{id}: nothing new, up to entry {entries}: {here}\n")
        }
        Event::Entry { id, line, invitation: false } => format!("{id}: accepted: {line}\n"),
        Event::Entry { id, line, invitation: true } => format!("{id}: the invitation has grown: {line}\n"),
        Event::Asides { id, last } => format!("{id}: accepted: what stands below entry {last}, the last\n"),
        Event::Seat { id, side, fingerprint, told } => {
            format!("{id}: key of {} {fingerprint}  {}\n", side.word, acts::written(&told))
        }
        Event::Over { id, result } => format!("{id}: {result}\n"),
        Event::Due { id, side, path, forced } => {
            let path = shell(&path);
            let due = format!("{id}: {} {} due: `postrider show {path}`\n", side.named(), side.verb("are", "is"));
            match forced {
                true => format!("{due}{id}: that entry is forced: `postrider answer {path}` makes it\n"),
                false => due,
            }
        }
        Event::Invited { id, new: None } => format!("{id}: you are invited: {}\n", answers(&id)),
        Event::Invited { id, new: Some((info, made)) } => {
            format!("{id}: you are invited: {info}, {}; {}\n", entries(made), answers(&id))
        }
        Event::DeclinedBefore { id } => {
            format!("{id}: you declined this game; `postrider invite accept {id}` accepts it anyway\n")
        }
        Event::Declined { id, name, path } => {
            let again = shell(&path);
            format!("{id}: {name} does not want to play; `postrider send {again} --force` invites again\n")
        }
        Event::NotYet { id } => format!("{id}: the opponent says: not yet\n"),
        Event::Resigns { id, name, back: false } => {
            format!("{id}: {name} resigns, which is entered as soon as you have made your entry\n")
        }
        Event::Resigns { id, name, back: true } => format!("{id}: {name} takes it back, and goes on with the game\n"),
        Event::Said { id, text } => format!("{id}: a letter without a move: {text}\n"),
        Event::EnteredFor { id, side, line, instead, words, beside } => {
            let instead = instead.map(|before| format!(", in place of {before}")).unwrap_or_default();
            let mut text = format!("{id}: entered for {}: {line}{instead}\n", side.named());
            text.extend(words.map(|words| format!("{id}: understood from `{words}`\n")));
            text.extend(beside.map(|beside| format!("{id}: the letter also says: {beside}\n")));
            text
        }
        Event::Answered { id, line } => format!("{id}: answered: {line}\n"),
        Event::Receipt { origin, entry } => {
            format!("{origin}: signed a receipt for entry {entry} and everything before it\n")
        }
        Event::Refused(_)
        | Event::Settled { .. }
        | Event::Delivered(_)
        | Event::Failed { .. }
        | Event::Illegal { .. }
        | Event::Done { .. } => String::new(),
    }
}
