//! Entries that a host has asked back because of their times (Z39): they are made again with the present time, and with nothing else
//! changed. Both versions are signed; together they are one entry, made twice, and prove nothing against the player.

use crate::entry::asked_back::AskedBackNotes;
use crate::entry::own;
use crate::entry::way::{Locked, Typed, What};
use crate::keys::Keys;
use crate::known::copies::KnownGames;
use crate::office::{Office, Trouble};
use crate::own_game::OwnGame;
use crate::send::letters::Place;
use crate::send::sent::Note;
use crate::{known, records};
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_mail::is_reminder;
use postrider_referee::desk::undo::without_last;
use postrider_referee::desk::{Desk, parts};
use postrider_referee::sealing::{AskedBack, Digest};
use postrider_referee::verdict::{Evidence, Opened, evidence, timeless};

/// The actions of a claim of time.
const CLAIM: &str = "claim time";

/// What came of dating entries anew.
#[derive(Debug)]
pub struct Dated {
    /// The record as it is now.
    pub record: Vec<u8>,
    /// The entries as they are now, one line each; none if that was done before.
    pub lines: Vec<String>,
}

/// An entry of a record, and h(n) with it.
struct Old {
    number: u32,
    line: String,
    digest: Digest,
}

fn notes(office: &Office<'_>) -> AskedBackNotes {
    AskedBackNotes::new(office.folders())
}

/// Returns the side whose entry is asked back in a record, if what the host says holds: its key has signed it, and the entry and all
/// behind it are of that side, which signs by its own key.
fn holds(desk: &Desk<'_>, asked: &AskedBack) -> Option<Side> {
    let opened = &desk.opened;
    let host = opened.header.host.as_deref()?;
    let digest = desk.digests.get(asked.number)?;
    if opened.header.id != asked.game || !asked.holds(&host.key, digest) {
        return None;
    }
    let entries = entries_from(opened, asked.number);
    let side = entries.first()?.1;
    let own_key = opened.table.signatures()?.own_key(side);
    (own_key.is_some() && entries.iter().all(|(_, other)| *other == side)).then_some(side)
}

/// The numbers and sides of the entries from one on.
fn entries_from(opened: &Opened<'_>, first: u32) -> Vec<(u32, Side)> {
    let mut body = opened.body();
    let mut found = Vec::new();
    while let Some(item) = body.next_item() {
        if let postrider_referee::record::Item::Entry(entry) = item
            && let Ok(number) = u32::try_from(entry.number)
            && number >= first
        {
            found.push((number, entry.side));
        }
    }
    found
}

/// Notes that a host asks for an entry with another time. Returns whether that holds for the record here, and the entry is the player's.
///
/// # Errors
/// If the player's side is not known, or the note cannot be written.
pub fn note(office: &Office<'_>, desk: &Desk<'_>, asked: &AskedBack, dry_run: bool) -> Result<bool, Trouble> {
    let Some(side) = holds(desk, asked) else { return Ok(false) };
    if OwnGame::new(office, &desk.opened.header.id).find(&desk.opened)? != Some(side) {
        return Ok(false);
    }
    if !dry_run {
        notes(office).keep(asked).map_err(Trouble::File)?;
    }
    Ok(true)
}

/// Returns the number of the entry that the host of a game has asked for again, if it is unchanged in the record.
///
/// # Errors
/// If that cannot be read.
pub fn asked_back(office: &Office<'_>, desk: &Desk<'_>) -> Result<Option<u32>, Trouble> {
    let id = &desk.opened.header.id;
    let noted = notes(office).of(id).map_err(|error| unread(id, &error))?;
    Ok(noted.filter(|asked| holds(desk, asked).is_some()).map(|asked| asked.number))
}

fn unread(id: &str, error: &std::io::Error) -> Trouble {
    Trouble::of(format!("what the host has asked back of {id} cannot be read: {error}"))
}

/// Dates the entries anew that the host has asked back, in the record and in the journal, where both lines stay. A claim of time behind
/// them is dropped.
///
/// # Errors
/// Why that is not possible, or was not done.
pub fn anew(office: &Office<'_>, place: Place<'_>) -> Result<Dated, Trouble> {
    let mut lock = records::lock(office, place.file)?;
    let source = lock.read().map_err(Trouble::File)?;
    let desk = records::on_desk(&source, place.name)?;
    let id = desk.opened.header.id.clone().into_owned();
    let game = &OwnGame::new(office, &id);
    known::guard(office, &desk.opened, &source, place.name, false)?;
    known::guard_clock(office, &desk.opened, office.now())?;
    let Some(asked) = notes(office).of(&id).map_err(|error| unread(&id, &error))? else {
        return Err(not_asked(&id));
    };
    let Some(side) = holds(&desk, &asked) else {
        // A run that was ended has dated it anew and not sent it.
        let newest = desk.last().map(|(side, _)| side);
        let is_own = newest.is_some() && game.find(&desk.opened)? == newest;
        if is_own && desk.opened.table.standing().entries >= asked.number {
            let _ = notes(office).forget(&id);
            return Ok(Dated { record: source, lines: Vec::new() });
        }
        return Err(not_asked(&id));
    };
    if game.find(&desk.opened)? != Some(side) {
        return Err(Trouble::of(format!("entry {} is not yours", asked.number))
            .advise(own::hint(&desk.opened.header, place.name)));
    }
    let (mut record, old) = taken_off(&desk, asked.number, place)?;
    drop(desk);
    let kept = record.clone();
    let mut lines = Vec::new();
    // A claim that stands behind them counted from their old times.
    let is_claim = |one: &Old| parts(&one.line).0 == CLAIM;
    let claims = old.iter().skip(1).position(is_claim).map_or(old.len(), |at| at + 1);
    for one in old.iter().take(claims) {
        let desk = records::on_desk(&record, place.name)?;
        let mut keys = Keys::to_move(game, &desk.opened, place.name, false, false)?;
        keys.anew = Some(one.digest);
        let (actions, _, message) = parts(&one.line);
        let typed = Typed::new(What::Actions(actions), office.now()).saying(message);
        let entered = typed.make(&desk, &mut keys).map_err(|not_made| not_made.trouble(place.name))?.entered;
        if entered.number != one.number || timeless(&entered.line) != timeless(&one.line) {
            return Err(Trouble::of(format!("entry {} cannot be made again as it was", one.number)));
        }
        lines.push(entered.line);
        let longer = entered.record;
        drop(desk);
        record = longer;
    }
    // Nothing leaves this machine that together with what has left it would prove double play.
    if !matches!(evidence(&source, &record), Ok(Evidence::Twice(_) | Evidence::None)) {
        return Err(Trouble::of("the entries dated anew would not be the same: nothing was written"));
    }
    // What is known goes back first: a run that ends here has changed nothing that it would complain of.
    let store = KnownGames::new(office.folders());
    store.remember(&id, &kept).map_err(Trouble::File)?;
    let written = Locked { file: place.file, lock: &mut lock, source: &source }.write(game, &record, None)?;
    if !written.is_safe {
        return Err(
            records::not_flushed(place.name).advise(advice![Act::Send(place.name.to_owned()), " sends it once it is"])
        );
    }
    // The letters about them as they were count for nothing any more.
    if let Ok(mut sent) = game.sending() {
        let about = |note: &Note| note.entry >= asked.number && !is_reminder(&note.message_id);
        let _ = sent.forget(about);
    }
    game.has_sent();
    // A note that stays holds for no record that is here any more.
    let _ = notes(office).forget(&id);
    Ok(Dated { record, lines })
}

fn not_asked(id: &str) -> Trouble {
    Trouble::of(format!(
        "the host of {id} has asked for no entry with another time, or not for the one that is the newest here"
    ))
    .advise(advice![
        "hand its letter to ",
        Act::Receive,
        "; ",
        Act::Send(id.to_owned()),
        " sends the newest entry as it is"
    ])
}

/// The record without the entries from one on, and those entries.
fn taken_off(desk: &Desk<'_>, first: u32, place: Place<'_>) -> Result<(Vec<u8>, Vec<Old>), Trouble> {
    let mut record = desk.opened.text.as_bytes().to_vec();
    let mut old = Vec::new();
    for number in (first..=desk.opened.table.standing().entries).rev() {
        let at = records::on_desk(&record, place.name)?;
        let (line, digest) = at.last().map(|(_, line)| line.to_owned()).zip(at.digests.get(number).copied()).unzip();
        let (Some(line), Some(digest), Some(taken)) = (line, digest, without_last(&at.opened)) else {
            return Err(Trouble::of(format!("entry {number} is not in {}", place.name)));
        };
        if taken.published {
            return Err(Trouble::of(
                "the game is over, and a secret was published in the record: nothing can be made again",
            ));
        }
        old.push(Old { number, line, digest });
        drop(at);
        record = taken.record;
    }
    old.reverse();
    Ok((record, old))
}
