//! `postrider send`.

use std::path::PathBuf;
use std::process::ExitCode;

use chrono::{DateTime, Utc};

use super::hints::{Failure, arg, name};
use super::remind::is_reminder;
use super::{input, print, refusals};
use crate::desk::{Desk, parts};
use crate::games::kernel::{Side, Viewer};
use crate::mail::{Letter, LetterError, Message, Party, Posted, message_id, post};
use crate::record::{Secrecy, Time};
use crate::render::Look;
use crate::render::sheet::{self, Extras};
use crate::store::{Delivery, SentNotes, SentNotesError, Settings, State};
use crate::text::printable;
use crate::verdict::Opened;

/// Mail a record to the side that is due
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider send game.pbem
  postrider send -n game.pbem                     print the letter, send nothing
  postrider send game.pbem --to bram@example.net
  postrider send --force game.pbem                once more, though it was sent

Without settings the letter is written as a file into the outbox, to be sent by hand. How letters are sent is set in
settings.yaml; examples/settings.yaml explains every key.")]
pub(super) struct Args {
    /// The record
    file: PathBuf,
    /// Print the letter and send nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Send it to this address instead of the one in the header
    #[arg(long, value_name = "ADDRESS")]
    to: Option<String>,
    /// Send it again although it was sent
    #[arg(long)]
    force: bool,
}

/// What is asked of sending.
#[derive(Debug, Default)]
pub(super) struct SendOptions {
    dry_run: bool,
    to: Option<String>,
    force: bool,
    /// Whether the program sends by itself.
    auto: bool,
    /// Whether this run has noted before that it is about to send it.
    promised: bool,
}

impl SendOptions {
    /// A letter that the program sends by itself, with a forced entry.
    pub(super) fn by_itself(promised: bool) -> Self {
        Self { auto: true, promised, ..Self::default() }
    }

    /// A letter of the player's, of which [`promise`] was told or not.
    pub(super) fn promised(promised: bool) -> Self {
        Self { promised, ..Self::default() }
    }

    /// A letter with a secret that was published: about an entry whose letter was sent before.
    pub(super) fn publication() -> Self {
        Self { auto: true, force: true, ..Self::default() }
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let options =
        SendOptions { dry_run: args.dry_run, to: args.to.clone(), force: args.force, ..SendOptions::default() };
    err!("{}", deliver(&refusals::legal(&source, &origin)?, &origin, &options)?);
    Ok(ExitCode::SUCCESS)
}

/// The entry that the newest letter to the opponent of a side was about, and when that letter was sent first.
///
/// # Errors
/// When the notes cannot be read.
pub(super) fn newest_sent(opened: &Opened<'_>, own: Side, settings: &Settings) -> Result<Option<(u32, Time)>, Failure> {
    let notes = SentNotes::read(&settings.folders, &opened.header.id);
    let notes = notes.map_err(|error| Failure::trouble(error.to_string()))?;
    let Some(to) = opened.header.player(own.other()).email.as_deref() else { return Ok(None) };
    let theirs = |note: &&crate::store::Note| note.to.eq_ignore_ascii_case(to) && !is_reminder(&note.message_id);
    let sent = notes.iter().filter(theirs).filter_map(|note| Some((note.entry, note.first_sent()?)));
    Ok(sent.max_by_key(|(entry, _)| *entry).map(|(entry, at)| (entry, Time(at.timestamp()))))
}

/// Sends the record of a file to the side that is due, or to the opponent of the last entry if the game is over. Returns what is to
/// be said of it, with its line end.
pub(super) fn deliver(desk: &Desk<'_>, origin: &str, options: &SendOptions) -> Result<String, Failure> {
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    let now = input::now(None)?.utc().unwrap_or_else(Utc::now);
    let message = letter(desk, &settings, options.to.as_deref(), options.auto, now)?;
    if options.dry_run {
        print(String::from_utf8_lossy(&message.bytes()))?;
        return Ok(String::new());
    }
    let to = printable(message.to()).into_owned();
    match post(&message, &settings.mail, &settings.folders, options.force, now) {
        Ok(Posted::Already(at)) => {
            Ok(format!("entry {} was sent to {to} on {at}; --force sends it again\n", message.entry()))
        }
        Ok(Posted::Sent { receipt, before }) => {
            let copy = match before {
                Delivery::Unsure(at) if !options.promised => {
                    format!("an earlier run of {at} may have sent it too; the copy does no harm\n")
                }
                _ => String::new(),
            };
            let receipt = receipt.to_string();
            Ok(format!("{copy}entry {} to {to}: the letter was {}\n", message.entry(), printable(&receipt)))
        }
        Err(error) => {
            let again = format!("the move is safe in {origin}; `postrider send {}` tries again", arg(origin));
            Err(Failure::trouble(error.to_string()).hint(again))
        }
    }
}

/// Notes that the letter of a record is about to be sent, before the record is written: a run that is cut short between the two
/// is then made good by the next one. Returns whether there is a letter to send; where an address is lacking it says so.
///
/// # Errors
/// When the notes cannot be read or written.
pub(super) fn promise(desk: &Desk<'_>, settings: &Settings, now: DateTime<Utc>) -> Result<bool, Failure> {
    let message = match letter(desk, settings, None, true, now) {
        Ok(message) => message,
        Err(failure) => {
            err!("{failure}");
            return Ok(false);
        }
    };
    let failed = |error: SentNotesError| Failure::trouble(error.to_string());
    let mut ledger = SentNotes::open(&settings.folders, message.game()).map_err(failed)?;
    if ledger.standing(message.to(), &message.message_id()) == Delivery::Owed {
        ledger.sending(message.entry(), message.to(), &message.message_id(), now).map_err(failed)?;
    }
    Ok(true)
}

/// Whether nobody knows if the letter of a record was sent: an earlier run was cut short, or its server did not answer.
///
/// # Errors
/// When the notes cannot be read.
pub(super) fn is_unsure(desk: &Desk<'_>, settings: &Settings, now: DateTime<Utc>) -> Result<bool, Failure> {
    let Ok(message) = letter(desk, settings, None, true, now) else { return Ok(false) };
    let notes = SentNotes::read(&settings.folders, message.game());
    let notes = notes.map_err(|error| Failure::trouble(error.to_string()))?;
    Ok(notes.iter().any(|note| note.message_id == message.message_id() && note.state == State::Sending))
}

/// The Message-ID of the letter about a record's last entry, whoever sent it.
pub(super) fn newest_id(desk: &Desk<'_>) -> Option<String> {
    let entry = desk.opened.table.standing().entries;
    Some(message_id(&desk.opened.header.id, entry, desk.digests.last()?))
}

fn letter(
    desk: &Desk<'_>,
    settings: &Settings,
    to: Option<&str>,
    auto: bool,
    now: DateTime<Utc>,
) -> Result<Message, Failure> {
    let opened = &desk.opened;
    let header = &opened.header;
    let standing = opened.table.standing();
    let source = opened.text.as_bytes();
    let last = desk.last();
    let recipient = match (&standing.outcome, last) {
        (Some(_), Some((side, _))) => side.other(),
        _ => standing.due.side,
    };
    let sender = recipient.other();
    let word = |side: Side| header.info.sides[side.index()].word;
    let named = |side: Side| header.info.sides[side.index()].named();
    let address = |side: Side| header.player(side).email.as_deref();
    let to = to.or_else(|| address(recipient)).ok_or_else(|| {
        Failure::trouble(format!("the header has no mail address for {}", named(recipient)))
            .hint("give one with --to ADDRESS")
    })?;
    let from = address(sender).or(settings.email.as_deref()).ok_or_else(|| {
        Failure::trouble(format!("the header has no mail address for {}", named(sender)))
            .hint("set `email:` in settings.yaml; examples/settings.yaml explains every key")
    })?;
    let digest = desk.digests.last().copied().unwrap_or_default();
    let entry = standing.entries;
    let earlier = (1..entry).zip(desk.digests.iter().skip(1)).map(|(n, digest)| message_id(&header.id, n, digest));
    let earlier: Vec<_> = earlier.collect();
    let (side, actions) = last.map_or(("", ""), |(side, line)| (word(side), parts(line).0));
    let text = body(opened, last.map(|(_, line)| line), sender, recipient);
    let letter = Letter {
        from: Party { name: &header.player(sender).name, address: from },
        to: Party { name: &header.player(recipient).name, address: to },
        game: &header.id,
        entry,
        side,
        actions,
        digest,
        earlier: &earlier,
        date: now,
        text: &text,
        record: source,
        auto,
    };
    letter.build().map_err(|error: LetterError| Failure::trouble(error.to_string()))
}

/// The text that a person can play from.
fn body(opened: &Opened<'_>, last: Option<&str>, sender: Side, recipient: Side) -> String {
    /// How many legal entries are listed: as many as fit a few lines.
    const LISTED: usize = 60;
    let header = &opened.header;
    let standing = opened.table.standing();
    let name = |side: Side| printable(&header.player(side).name).into_owned();
    let mut text = format!("{},\n\n", name(recipient));
    let last = last.map(parts);
    match last {
        None => text.push_str(&format!("{} invites you to a game of {}.\n", name(sender), header.info.title)),
        Some((actions, ..)) => {
            text.push_str(&format!("entry {} of {} is: {actions}\n", standing.entries, header.id));
        }
    }
    if let Some((.., Some(message))) = last {
        text.push_str(&format!("\n    {}\n", printable(message)));
    }
    text.push('\n');
    let extras = Extras { entries: sheet::last_entries(opened, 6), now: None, local: false };
    text.push_str(&sheet::draw(opened, opened.table.view(Viewer::Public), &extras, Look::default()));
    if standing.outcome.is_some() {
        text.push_str("\nThe game is over. The whole record is attached.\n");
        return text;
    }
    let moves = opened.table.moves();
    if moves.len() <= LISTED {
        text.push_str(&format!("\nLegal entries  {}\n", sheet::wrapped(moves, " | ", 15)));
    }
    let file = format!("{}.pbem", header.id);
    let word = header.info.sides[standing.due.side.index()].word;
    text.push_str(&format!(
        "\nTo answer, hand this letter to postrider, which checks it against your own record:\n\n    postrider receive LETTER\n    \
         postrider move {file} 'YOUR ENTRY' --send\n\n"
    ));
    // Seals, salts, openings and signatures are not for writing by hand.
    let signs = opened.table.signatures().is_some_and(|signatures| signatures.key(standing.due.side).is_some());
    if header.secrecy == Secrecy::Open && !signs {
        let number = standing.entries + 1;
        text.push_str(&format!(
            "or add the line `{number} {word} YOUR ENTRY` to it with any editor and mail it back.\n"
        ));
    }
    text.push_str(&format!(
        "`postrider verify {file}` checks the whole record, `postrider rules {}` prints the rules.\n",
        header.info.name,
    ));
    text
}
