//! The tokens of seats: what shows that the writer of an opponent's first entry got the player's letter. A token goes out in letters
//! until the opponent has made an entry, and the opponent's program sends it back. One file a game and direction, in the data folder.

use std::io;
use std::path::PathBuf;

use data_encoding::HEXLOWER;

use postrider_disk::disk::{Disk, FileError, Step};
use postrider_disk::folders::Folders;
use postrider_disk::random::Random;
use postrider_mail::address::parse_address;
use postrider_mail::{MOST_TOKENS, is_token};
use postrider_referee::record::is_game_id;

/// The tokens in a player's data folder.
#[derive(Clone, Debug)]
pub struct Seats {
    disk: Disk,
    folder: PathBuf,
}

impl Seats {
    /// Makes the store for these folders. Creates nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.seats() }
    }

    /// Returns the token that went out with letters of a game.
    ///
    /// # Errors
    /// If there are no random numbers; the errors of the system.
    pub(crate) fn issued(&self, game: &str) -> io::Result<Option<String>> {
        Ok(self.tokens(game, "issued")?.pop())
    }

    /// Returns the token that goes out with letters of a game; it is made once.
    ///
    /// # Errors
    /// If there are no random numbers; the errors of the system.
    pub fn issue(&self, game: &str, random: Random<'_>) -> Result<String, FileError> {
        let failed = |source| FileError::Io { step: Step::Create, path: self.folder.clone(), source };
        if let Some(token) = self.issued(game).map_err(failed)? {
            return Ok(token);
        }
        let mut bytes = [0; 16];
        random(&mut bytes).map_err(|why| failed(io::Error::other(why)))?;
        let token = HEXLOWER.encode(&bytes);
        self.disk.private_folder(&self.folder).map_err(failed)?;
        match self.disk.create_private(&self.folder.join(format!("{game}.issued")), format!("{token}\n").as_bytes()) {
            // Another run was faster.
            Err(FileError::Exists { .. }) => Ok(self.issued(game).map_err(failed)?.unwrap_or(token)),
            done => done.map(|()| token),
        }
    }

    /// Returns the tokens that came with the opponent's letters of a game, oldest first.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn received(&self, game: &str) -> io::Result<Vec<String>> {
        self.tokens(game, "received")
    }

    /// Notes a token that came with a letter. Only the newest are kept: a forged letter may have brought one too.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn note(&self, game: &str, token: &str) -> Result<(), FileError> {
        let failed = |source| FileError::Io { step: Step::Create, path: self.folder.clone(), source };
        let mut all = self.received(game).map_err(failed)?;
        if !is_game_id(game) || all.iter().any(|one| one == token) {
            return Ok(());
        }
        all.push(token.to_owned());
        let surplus = all.len().saturating_sub(MOST_TOKENS);
        let text: String = all.iter().skip(surplus).map(|token| format!("{token}\n")).collect();
        self.disk.private_folder(&self.folder).map_err(failed)?;
        self.disk.put_private(&self.folder.join(format!("{game}.received")), text.as_bytes())
    }

    /// Returns the address to which letters to the host of a game go: the one from which its newest letter came, with the token in it.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn host(&self, game: &str) -> io::Result<Option<String>> {
        Ok(self.read(game, "host")?.pop().filter(|address| parse_address(address).is_ok()))
    }

    /// Notes that address.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn note_host(&self, game: &str, address: &str) -> Result<(), FileError> {
        let failed = |source| FileError::Io { step: Step::Create, path: self.folder.clone(), source };
        if !is_game_id(game) || self.host(game).map_err(failed)?.as_deref() == Some(address) {
            return Ok(());
        }
        self.disk.private_folder(&self.folder).map_err(failed)?;
        self.disk.put_private(&self.folder.join(format!("{game}.host")), format!("{address}\n").as_bytes())
    }

    fn tokens(&self, game: &str, end: &str) -> io::Result<Vec<String>> {
        Ok(self.read(game, end)?.into_iter().filter(|line| is_token(line)).collect())
    }

    fn read(&self, game: &str, end: &str) -> io::Result<Vec<String>> {
        if !is_game_id(game) {
            return Ok(Vec::new());
        }
        let bytes = self.disk.record_if_there(&self.folder.join(format!("{game}.{end}")))?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::random::random;
    use postrider_disk::testing::homes;

    #[test]
    fn a_token_is_made_once_and_the_newest_that_came_are_kept() {
        for (_home, folders) in homes() {
            let seats = Seats::new(&folders);
            assert_eq!(seats.issued("asalto-x-1").expect("a store"), None);
            let token = seats.issue("asalto-x-1", &random).expect("room");
            assert!(is_token(&token));
            assert_eq!(seats.issue("asalto-x-1", &random).expect("room"), token);
            let tokens: Vec<String> = (0..6).map(|number| format!("{number:032x}")).collect();
            for token in tokens.iter().chain(&tokens[3..]) {
                seats.note("asalto-x-1", token).expect("room");
            }
            assert_eq!(seats.received("asalto-x-1").expect("a store"), tokens[2..]);
            assert!(seats.received("../x").expect("nothing").is_empty());
            for address in ["games+abc@example.com", "games+def@example.com"] {
                seats.note_host("asalto-x-1", address).expect("room");
                assert_eq!(seats.host("asalto-x-1").expect("a store").as_deref(), Some(address));
            }
            seats.note_host("asalto-x-1", "no address").expect("room");
            assert_eq!(seats.host("asalto-x-1").expect("a store"), None);
        }
    }
}
