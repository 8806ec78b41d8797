//! Taking the player's newest entry back while nobody has seen it. What lies outside the record (the draft in the outbox and its note) is forgotten
//! first, then what was last known of the game, and then the record is replaced: wherever that is cut short, there is an entry that can be sent
//! or taken back again.

use std::path::PathBuf;

use crate::entry::own;
use crate::known::copies::KnownGames;
use crate::office::{Notice, Office, Trouble, name};
use crate::own_game::OwnGame;
use crate::send::letters::Place;
use crate::send::sent::{Note, State};
use crate::{announced, conditions, known, records};
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::text::printable;
use postrider_mail::is_reminder;
use postrider_referee::desk::Desk;
use postrider_referee::desk::undo::{TakenBack, without_last};
use postrider_referee::verdict::Opened;
use postrider_settings::{MailSettings, OutboxFormat};
use postrider_vault::journal::Journal;

/// An entry that was taken back, or would be.
#[derive(Debug)]
pub struct Undone {
    /// The record without it, and what it was.
    pub taken: TakenBack,
    /// The letters about it that were deleted from the outbox.
    pub deleted: Vec<PathBuf>,
}

/// Takes the newest entry back. `unsent`: the player says that its letter was not sent; `dry_run`: nothing is written.
///
/// # Errors
/// Why it may not be taken back, or was not.
pub fn take_back(office: &Office<'_>, place: Place<'_>, unsent: bool, dry_run: bool) -> Result<Undone, Trouble> {
    let (mut lock, source) = records::take(office, place)?;
    let desk = records::on_desk(&source, place.name)?;
    let id = &*desk.opened.header.id;
    let game = &OwnGame::new(office, id);
    let taken = possible(game, &desk, &source, place.name)?;
    let drafts = drafts(game, &desk.opened, &taken, unsent, place.name)?;
    if let Some(side) = announced::resigns(office, &desk.opened)? {
        let name = printable(&desk.opened.header.player(side).name).into_owned();
        office.tell(Notice::note(format!(
            "{name} still resigns: that is entered as soon as you have made another entry"
        )));
    }
    if dry_run {
        conditions::tell_of_undo(office, &desk.opened, &taken.record, place.name);
        return Ok(Undone { taken, deleted: Vec::new() });
    }
    // What exists of it outside the record is deleted first: if this is interrupted, the entry is still there and can
    // be sent, or taken back again.
    forget(game, &drafts)?;
    KnownGames::new(office.folders()).remember(id, &taken.record).map_err(Trouble::File)?;
    records::written(office, lock.replace(&source, &taken.record))?;
    conditions::tell_of_undo(office, &desk.opened, &taken.record, place.name);
    Ok(Undone { taken, deleted: drafts.into_iter().filter_map(|draft| draft.file).collect() })
}

/// The record without its newest entry, if the record and the journal allow taking it back.
///
/// # Errors
/// Why it may not, and what to do instead.
fn possible(game: &OwnGame<'_>, desk: &Desk<'_>, source: &[u8], origin: &str) -> Result<TakenBack, Trouble> {
    let (office, opened) = (game.office, &desk.opened);
    let Some(taken) = without_last(opened) else {
        return Err(Trouble::of(format!("{origin} has no entries: there is nothing to take back")));
    };
    known::guard(office, opened, source, origin, false)?;
    let TakenBack { number, side, .. } = taken;
    let word = opened.header.info.sides[side.index()].word;
    let id = &opened.header.id;
    match game.find(opened)? {
        Some(own) if own != side => {
            if announced::ended_by(desk) == Some(side) {
                return Err(Trouble::of(format!(
                    "entry {number} is your opponent's, who had resigned by a letter: the game is over, and nothing is taken back"
                )));
            }
            return Err(Trouble::of(format!(
                "entry {number} is your opponent's: only an entry of your own can be taken back"
            )));
        }
        Some(_) => {}
        None => {
            if !game.sides()?.moved.iter().any(|moved| moved == word) {
                return Err(
                    Trouble::of(format!("entry {number} was not made here")).advise(own::hint(&opened.header, origin))
                );
            }
        }
    }
    let journal = Journal::new(office.folders());
    let signed = journal.signed(id, word, number)?;
    if taken.signed || signed.is_some() {
        return Err(Trouble::of(format!(
            "entry {number} is signed by your key: another signed entry for the same turn would prove that you play two games at once"
        ))
        .advise(advice![
            "what is possible: offer a draw with your next entry, or agree with your opponent to start again from an earlier point as a new \
             game with an id of its own (",
            Act::New(None),
            ")"
        ]));
    }
    if taken.published {
        return Err(Trouble::of(
            "the game is over, and a secret was published in the record: what it opens cannot be sealed again",
        ));
    }
    // The record without it is checked as a stranger would check it, before anything is changed.
    Desk::open(&taken.record).map_err(|refusal| Trouble::refusal(origin, refusal))?;
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
    game: &OwnGame<'_>,
    opened: &Opened<'_>,
    taken: &TakenBack,
    unsent: bool,
    origin: &str,
) -> Result<Vec<Draft>, Trouble> {
    let (office, notes) = (game.office, game.sent()?);
    let about = |note: &Note| note.entry >= taken.number && !is_reminder(&note.message_id);
    let settings = office.settings()?;
    let mut drafts = Vec::new();
    for note in notes.into_iter().filter(about) {
        let MailSettings::File(outbox) = &settings.mail else {
            if note.state == State::Sending && !matches!(settings.mail, MailSettings::Git(_)) {
                if unsent {
                    drafts.push(Draft { note, file: None });
                    continue;
                }
                return Err(Trouble::of(format!(
                    "the letter about entry {} may have gone to {} on {}",
                    taken.number, note.to, note.at
                ))
                .advise(advice![
                    "if you are certain that it has not (it is in no outbox or Sent folder of yours): ",
                    Act::Undo(origin.to_owned()),
                    "; what your opponent has cannot be taken back"
                ]));
            }
            let went = if note.state == State::Sent { "went" } else { "may have gone" };
            return Err(Trouble::of(format!(
                "entry {} {went} to {} on {}: what your opponent has cannot be taken back",
                taken.number, note.to, note.at
            ))
            .advise(advice![
                "write to your opponent: a game resumed from an earlier point by agreement takes a new id (",
                Act::New(None),
                ")"
            ]));
        };
        let local = note.message_id.trim_start_matches('<').split('@').next().unwrap_or_default();
        let file = match outbox.format {
            OutboxFormat::Eml => outbox.outbox.join(format!("{}.{}.eml", opened.header.id, note.entry)),
            OutboxFormat::Maildir => outbox.outbox.join("new").join(local),
        };
        let file = Some(file).filter(|file| office.disk().has(file).unwrap_or(false));
        if !unsent {
            let place = match &file {
                Some(file) => format!("lies in {}", name(file)),
                None => "was written into the outbox, and is no longer there".to_owned(),
            };
            return Err(Trouble::of(format!("the letter about entry {} {place}", taken.number)).advise(advice![
                "if you have not sent it: ",
                Act::Undo(origin.to_owned()),
                "; what your opponent has cannot be taken back"
            ]));
        }
        drafts.push(Draft { note, file });
    }
    Ok(drafts)
}

/// Deletes letters that were not sent, and the notes of them.
fn forget(game: &OwnGame<'_>, drafts: &[Draft]) -> Result<(), Trouble> {
    if drafts.is_empty() {
        return Ok(());
    }
    for Draft { file, .. } in drafts {
        // Flushed: if a power cut brought the letter back after its entry was taken back, it could be sent, and the next
        // entry with that number would be refused.
        if let Some(Err(error)) = file.as_deref().map(|file| game.office.disk().remove(file)) {
            return Err(Trouble::of(error.to_string()).advise("nothing was taken back: try again"));
        }
    }
    game.sending()?.forget(|note| drafts.iter().any(|draft| draft.note == *note))?;
    Ok(())
}
