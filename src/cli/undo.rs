//! `postrider undo`: takes the player's newest entry back while nobody has seen it.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use super::hints::{Failure, arg, name};
use super::{input, invited, json, known, own, print, refusals};
use crate::desk::Desk;
use crate::desk::undo::{TakenBack, without_last};
use crate::mail::is_reminder;
use crate::render::sheet::in_brief;
use crate::store::{Journal, KnownGames, MailSettings, Note, OutboxFormat, SentNotes, Settings, State};
use crate::text::printable;
use crate::verdict::Opened;

/// Take your last entry back, while it is neither sent nor signed
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider undo game.pbem
  postrider undo game.pbem --unsent    also delete the letter in the outbox, which you have not sent
  postrider undo -n game.pbem          only say what would be taken back

Only the newest entry can be taken back, and only if it is yours. An entry that was sent is in your opponent's hands, and two signed \
entries for one turn would prove that you play two games at once: neither kind can be taken back.")]
pub(super) struct Args {
    /// The record, or a game's id. Without one, the only game that waits for your opponent
    #[arg(default_value = super::chosen::NOT_NAMED, hide_default_value = true)]
    pub(super) file: PathBuf,
    /// You have not sent the letter about it: delete it, if it is in the outbox
    #[arg(long)]
    unsent: bool,
    /// Only say what would be taken back
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Print JSON: what was taken back, as one object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: json::State<'a>,
    number: u32,
    side: &'static str,
    /// The entry that was taken back, without its message and what else stands behind it.
    taken_back: &'a str,
    written: bool,
    deleted: Vec<String>,
}

/// What is said once an entry was taken back, or would be: the game as it is without it.
fn said(args: &Args, origin: &str, taken: &TakenBack, line: &str, deleted: &[&PathBuf]) -> Result<(), Failure> {
    if args.json {
        let without = refusals::replayed(&taken.record, origin)?;
        return print(json::line(&Report {
            state: json::State::of(origin, &without.header, &without.table.standing()),
            number: taken.number,
            side: without.header.info.sides[taken.side.index()].word,
            taken_back: line,
            written: !args.dry_run,
            deleted: deleted.iter().map(|file| name(file)).collect(),
        }));
    }
    if args.dry_run {
        return print(format!("this entry would be taken back: {line}\nnothing was written\n"));
    }
    print(format!("taken back: {line}\n"))?;
    for file in deleted {
        errln!("the letter {} was deleted", name(file));
    }
    Ok(())
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    let mut lock = invited::lock(&args.file)?;
    let source = lock.read().map_err(|error| Failure::writing(&error))?;
    let desk = refusals::on_desk(&source, &origin)?;
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    let taken = possible(&desk, &source, &origin, &settings)?;
    let drafts = drafts(&desk.opened, &taken, args.unsent, &origin, &settings)?;
    let line = in_brief(&printable(&taken.line));
    if args.dry_run {
        said(args, &origin, &taken, &line, &[])?;
        return Ok(ExitCode::SUCCESS);
    }
    // What exists of it outside the record is deleted first: if this is interrupted, the entry is still there and can
    // be sent, or taken back again.
    forget(&desk.opened.header.id, &drafts, &settings)?;
    let known = KnownGames::new(&settings.folders);
    known.remember(&desk.opened.header.id, &taken.record).map_err(|error| Failure::writing(&error))?;
    input::written(lock.replace(&source, &taken.record))?;
    let deleted: Vec<&PathBuf> = drafts.iter().filter_map(|draft| draft.file.as_ref()).collect();
    super::shown("the entry was taken back", said(args, &origin, &taken, &line, &deleted));
    Ok(ExitCode::SUCCESS)
}

/// The record without its newest entry, if the record and the journal allow taking it back.
///
/// # Errors
/// Why it may not, and what to do instead.
fn possible(desk: &Desk<'_>, source: &[u8], origin: &str, settings: &Settings) -> Result<TakenBack, Failure> {
    let opened = &desk.opened;
    let Some(taken) = without_last(opened) else {
        return Err(Failure::trouble(format!("{origin} has no entries: there is nothing to take back")));
    };
    known::guard(opened, source, origin, false)?;
    let TakenBack { number, side, .. } = taken;
    let word = opened.header.info.sides[side.index()].word;
    let id = &opened.header.id;
    match own::find(opened, settings)? {
        Some(own) if own != side => {
            return Err(Failure::trouble(format!(
                "entry {number} is your opponent's: only an entry of your own can be taken back"
            )));
        }
        Some(_) => {}
        None => {
            let noted = KnownGames::new(&settings.folders).sides(id);
            let noted = noted.map_err(|error| Failure::trouble(format!("{id}: {error}")))?;
            if !noted.moved.iter().any(|moved| moved == word) {
                return Err(Failure::trouble(format!("entry {number} was not made here"))
                    .advise(&own::hint(&opened.header, origin)));
            }
        }
    }
    let journal = Journal::new(&settings.folders);
    let signed = journal.signed(id, word, number).map_err(|error| Failure::trouble(error.to_string()))?;
    if taken.signed || signed.is_some() {
        return Err(Failure::trouble(format!(
            "entry {number} is signed by your key: another signed entry for the same turn would prove that you play two games at once"
        ))
        .hint(
            "what is possible: offer a draw with your next entry, or agree with your opponent to start again from an earlier \
             point as a new game with an id of its own (`postrider new --help`)",
        ));
    }
    if taken.published {
        return Err(Failure::trouble(
            "the game is over, and a secret was published in the record: what it opens cannot be sealed again",
        ));
    }
    // The record without it is checked as a stranger would check it, before anything is changed.
    Desk::open(&taken.record).map_err(|refusal| refusals::refused(origin, refusal))?;
    Ok(taken)
}

/// A letter about the entry that was written and not sent.
struct Draft {
    note: Note,
    /// Its file, if it is still there.
    file: Option<PathBuf>,
}

/// Returns the letters about the entry that are only in the outbox; with `unsent`, the player says that they were not
/// sent.
///
/// # Errors
/// If a letter was sent, or may have been.
fn drafts(
    opened: &Opened<'_>,
    taken: &TakenBack,
    unsent: bool,
    origin: &str,
    settings: &Settings,
) -> Result<Vec<Draft>, Failure> {
    let notes = SentNotes::read(&settings.folders, &opened.header.id);
    let notes = notes.map_err(|error| Failure::trouble(error.to_string()))?;
    let about = |note: &Note| note.entry >= taken.number && !is_reminder(&note.message_id);
    let mut drafts = Vec::new();
    for note in notes.into_iter().filter(about) {
        let MailSettings::File(outbox) = &settings.mail else {
            if note.state == State::Sending && !matches!(settings.mail, MailSettings::Git(_)) {
                if unsent {
                    drafts.push(Draft { note, file: None });
                    continue;
                }
                return Err(Failure::trouble(format!(
                    "the letter about entry {} may have gone to {} on {}",
                    taken.number, note.to, note.at
                ))
                .hint(format!(
                    "if you are certain that it has not (it is in no outbox or Sent folder of yours): `postrider undo {} \
                     --unsent`; what your opponent has cannot be taken back",
                    arg(origin)
                )));
            }
            let went = if note.state == State::Sent { "went" } else { "may have gone" };
            return Err(Failure::trouble(format!(
                "entry {} {went} to {} on {}: what your opponent has cannot be taken back",
                taken.number, note.to, note.at
            ))
            .hint(
                "write to your opponent: a game resumed from an earlier point by agreement takes a new id \
                 (`postrider new --help`)",
            ));
        };
        let local = note.message_id.trim_start_matches('<').split('@').next().unwrap_or_default();
        let file = match outbox.format {
            OutboxFormat::Eml => outbox.outbox.join(format!("{}.{}.eml", opened.header.id, note.entry)),
            OutboxFormat::Maildir => outbox.outbox.join("new").join(local),
        };
        let file = Some(file).filter(|file| file.is_file());
        if !unsent {
            let place = match &file {
                Some(file) => format!("lies in {}", name(file)),
                None => "was written into the outbox, and is no longer there".to_owned(),
            };
            return Err(Failure::trouble(format!("the letter about entry {} {place}", taken.number)).hint(format!(
                "if you have not sent it: `postrider undo {} --unsent`; what your opponent has cannot be taken back",
                arg(origin)
            )));
        }
        drafts.push(Draft { note, file });
    }
    Ok(drafts)
}

/// Deletes letters that were not sent, and the notes of them.
fn forget(id: &str, drafts: &[Draft], settings: &Settings) -> Result<(), Failure> {
    if drafts.is_empty() {
        return Ok(());
    }
    let failed = |error: crate::store::SentNotesError| Failure::trouble(error.to_string());
    let mut notes = SentNotes::open(&settings.folders, id).map_err(failed)?;
    for Draft { note, file } in drafts {
        // Flushed: if a power cut brought the letter back after its entry was taken back, it could be sent, and the next
        // entry with that number would be refused.
        if let Some(Err(error)) = file.as_deref().map(crate::store::remove) {
            return Err(Failure::trouble(error.to_string()).hint("nothing was taken back: try again"));
        }
        notes.not_sent(&note.to, &note.message_id).map_err(failed)?;
    }
    Ok(())
}
