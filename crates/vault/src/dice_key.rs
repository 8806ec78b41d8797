//! The key that the dice of open games by mail come from: one file in the data folder, made once, for nobody else to read. Without it
//! nobody can say beforehand what a reply will throw; with it every throw can be made again.

use std::io;
use std::path::PathBuf;

use data_encoding::HEXLOWER;

use postrider_disk::disk::{Disk, FileError, Step};
use postrider_disk::folders::Folders;
use postrider_disk::random::Random;
use postrider_referee::sealing::Secret;

/// The most bytes that are read of it.
const MOST: u64 = 200;

/// The key in a player's data folder.
#[derive(Clone, Debug)]
pub struct DiceKey {
    disk: Disk,
    folder: PathBuf,
    file: PathBuf,
}

impl DiceKey {
    /// Names the key of these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.data.clone(), file: folders.dice_key() }
    }

    /// Returns the key; it is made once.
    ///
    /// # Errors
    /// If there are no random numbers; the errors of the system; if the file holds something else.
    pub fn secret(&self, random: Random<'_>) -> Result<Secret, FileError> {
        let failed = |source| FileError::Io { step: Step::Create, path: self.file.clone(), source };
        if let Some(secret) = self.read().map_err(failed)? {
            return Ok(secret);
        }
        let mut bytes = [0; 32];
        random(&mut bytes).map_err(|why| failed(io::Error::other(why)))?;
        let text = zeroize::Zeroizing::new(HEXLOWER.encode(&bytes));
        self.disk.private_folder(&self.folder).map_err(failed)?;
        match self.disk.create_private(&self.file, format!("{}\n", *text).as_bytes()) {
            // Another run was faster.
            Ok(()) | Err(FileError::Exists { .. }) => {}
            Err(error) => return Err(error),
        }
        self.read().map_err(failed)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    fn read(&self) -> io::Result<Option<Secret>> {
        let Some(bytes) = self.disk.read_if_there(&self.file, MOST)? else { return Ok(None) };
        let text = zeroize::Zeroizing::new(String::from_utf8_lossy(&bytes).into_owned());
        Secret::read(text.trim())
            .map(Some)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it does not hold 64 hexadecimal digits"))
    }
}
