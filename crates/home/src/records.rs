//! The records of games: read, locked and written, and never an invitation by mistake.

use std::path::Path;

use crate::invite::kept::Invitations;
use crate::office::{Office, Trouble};
use crate::send::letters::Place;
use postrider_disk::disk::{FileError, RecordLock};
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::text::printable;
use postrider_referee::desk::{Desk, Refusal};
use postrider_referee::sealing::Check;
use postrider_referee::verdict::{Opened, is_practice};

/// A record that was read, and the lock on it if it is to be written.
pub type Source = (Option<RecordLock>, Vec<u8>);

/// Reads a record.
///
/// # Errors
/// If it cannot be read.
pub fn read(office: &Office<'_>, place: Place<'_>) -> Result<Vec<u8>, Trouble> {
    office
        .disk()
        .read_record(place.file)
        .map_err(|error| Trouble::of(format!("{} cannot be read: {error}", place.name)))
}

/// Refuses to change the file of an invitation that is waiting.
///
/// # Errors
/// If it is one.
pub fn refuse_invitation(office: &Office<'_>, file: &Path) -> Result<(), Trouble> {
    let Some(id) = Invitations::new(office.folders()).at(file) else { return Ok(()) };
    Err(Trouble::of(format!("{id} is an invitation that you have not accepted: nothing is entered in it")).advise(
        advice![Act::Accept(id.clone(), None), " makes it one of your games, ", Act::Decline(id), " declines it"],
    ))
}

/// Locks a record to change it.
///
/// # Errors
/// If it is an invitation that is waiting, or cannot be locked.
pub fn lock(office: &Office<'_>, file: &Path) -> Result<RecordLock, Trouble> {
    refuse_invitation(office, file)?;
    office.disk().lock(file).map_err(Trouble::File)
}

/// Handles the result of writing a record. If only the folder could not be flushed, that is a warning, because the new
/// bytes are in place. Returns whether they would survive a power cut; until they do, no letter is sent.
///
/// # Errors
/// If it was not written.
pub fn written(office: &Office<'_>, done: Result<(), FileError>) -> Result<bool, Trouble> {
    match done {
        Err(error) if error.was_written() => {
            office.warn(printable(&error.to_string()).into_owned());
            Ok(false)
        }
        done => done.map(|()| true).map_err(Trouble::File),
    }
}

/// The trouble if a record was written but could still be lost, so nothing may depend on it.
#[must_use]
pub(crate) fn not_flushed(name: &str) -> Trouble {
    Trouble::of(format!("no letter is sent before {name} is safely on the disk"))
}

/// A record that is locked, and its bytes.
pub type Taken = (RecordLock, Vec<u8>);

/// Locks a record to put something into it, and reads it: the one time that whatever does so reads it.
///
/// # Errors
/// Those of [`lock`] and [`refuse_practice`], and if it cannot be read.
pub fn take(office: &Office<'_>, place: Place<'_>) -> Result<Taken, Trouble> {
    let lock = lock(office, place.file)?;
    let source = lock.read().map_err(Trouble::File)?;
    refuse_practice(&source, place.name)?;
    Ok((lock, source))
}

/// Refuses to enter something in a practice game, or to mail it (E12). What cannot be read is somebody else's to report.
///
/// # Errors
/// If it is one.
pub fn refuse_practice(source: &[u8], name: &str) -> Result<(), Trouble> {
    if !is_practice(source) {
        return Ok(());
    }
    Err(Trouble::of(format!("{name} is a practice game against the machine: nothing in it is mailed"))
        .advise(advice![Act::Practice(name.to_owned()), " goes on with it"])
        .refused(Some("E12")))
}

/// Puts a record on the desk, for another purpose than an entry; the trouble is the verdict if it is not legal.
///
/// # Errors
/// If it is not legal.
pub fn legal<'a>(source: &'a [u8], name: &str) -> Result<Desk<'a>, Trouble> {
    Desk::open(source).map_err(|refusal| match refusal {
        Refusal::Record(verdict) => {
            Trouble::Record { record: source.to_vec(), name: name.to_owned(), verdict, own: true }
        }
        refusal => Trouble::refusal(name, refusal),
    })
}

/// Opens a record and replays it as far as it is legal, without checking signatures, to look up who plays and who is due.
///
/// # Errors
/// If it cannot be opened.
pub fn replayed<'a>(source: &'a [u8], name: &str) -> Result<Opened<'a>, Trouble> {
    let mut opened = Opened::new(source).map_err(|verdict| Trouble::refusal(name, Refusal::Record(verdict)))?;
    opened.table.set_check(Check::Nothing);
    opened.replay(u32::MAX);
    Ok(opened)
}

/// Puts a record on the desk to make entries.
///
/// # Errors
/// If it is not legal.
pub fn on_desk<'a>(source: &'a [u8], name: &str) -> Result<Desk<'a>, Trouble> {
    Desk::open(source).map_err(|refusal| Trouble::refusal(name, refusal))
}
