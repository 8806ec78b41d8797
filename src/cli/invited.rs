//! Waiting invitations among the records that commands are given: their files are no games yet, so nothing is entered in them.

use std::path::Path;

use super::hints::Failure;
use super::home::office;
use postrider_disk::disk::RecordLock;
use postrider_disk::folders::Folders;
use postrider_home::invite::kept::Invitations;
use postrider_home::records;
use postrider_settings::Settings;

/// Returns the id of the invitation that is waiting, if this is its file.
pub(super) fn waiting_at(path: &Path) -> Option<String> {
    Folders::find().ok().and_then(|folders| Invitations::new(&folders).at(path))
}

/// Refuses to change the file of an invitation that is waiting.
///
/// # Errors
/// If it is one.
pub(super) fn refuse(path: &Path) -> Result<(), Failure> {
    Ok(records::refuse_invitation(&*office()?, path)?)
}

/// Locks a record to change it.
///
/// # Errors
/// If it is an invitation that is waiting, or cannot be locked.
pub fn lock(path: &Path) -> Result<RecordLock, Failure> {
    Ok(records::lock(&*office()?, path)?)
}

/// The ids of the invitations that are waiting; none if that cannot be found out.
pub fn waiting(settings: &Settings) -> Vec<String> {
    Invitations::new(&settings.folders).waiting().unwrap_or_default()
}
