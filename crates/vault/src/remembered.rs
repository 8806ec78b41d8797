//! What the player sealed and would have to be searched for to be seen again: kept beside the secrets, hidden by the game's secret, so that
//! it is as safe as that. It is a memory only: what is not here, or does not open its seal, is searched for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use data_encoding::HEXLOWER;

use crate::kept::file_name;
use postrider_disk::disk::Disk;
use postrider_disk::folders::Folders;
use postrider_kernel::Seal;
use postrider_referee::sealing::Secret;

/// What was sealed, a file per game and side: a line for each seal, with what hides its payload.
#[derive(Clone, Debug)]
pub struct Remembered {
    disk: Disk,
    folder: PathBuf,
    /// The files that were read, by name.
    texts: RefCell<BTreeMap<String, String>>,
}

/// The most that is read or kept of one game, in bytes: what else is there is not remembered.
const LONGEST: u64 = 4096;

impl Remembered {
    /// What is remembered in these folders. Makes nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.remembered(), texts: RefCell::default() }
    }

    /// Returns what a seal was made of, if it is remembered and the secret is the one by which it was hidden.
    #[must_use]
    pub fn payload(&self, game: &str, side: &str, secret: &Secret, seal: &Seal) -> Option<String> {
        let seal = seal.to_string();
        let line = self.text(game, side)?.lines().find_map(|line| line.strip_prefix(&seal).map(str::to_owned))?;
        let hidden = HEXLOWER.decode(line.trim().as_bytes()).ok()?;
        String::from_utf8(secret.masked(&mask_of(game, side, &seal), &hidden)).ok()
    }

    /// Remembers what a seal was made of. What the system refuses to write is not remembered, and searched for instead.
    pub fn remember(&self, game: &str, side: &str, secret: &Secret, seal: &Seal, payload: &str) {
        let Some(name) = file_name(game, side) else { return };
        let seal = seal.to_string();
        let hidden = HEXLOWER.encode(&secret.masked(&mask_of(game, side, &seal), payload.as_bytes()));
        let mut text = self.text(game, side).unwrap_or_default();
        let line = format!("{seal} {hidden}\n");
        if text.contains(&line) || (text.len() + line.len()) as u64 > LONGEST {
            return;
        }
        text.push_str(&line);
        if self.disk.private_folder(&self.folder).is_ok()
            && self.disk.put_private(&self.folder.join(&name), text.as_bytes()).is_ok()
        {
            self.texts.borrow_mut().insert(name, text);
        }
    }

    fn text(&self, game: &str, side: &str) -> Option<String> {
        let name = file_name(game, side)?;
        if let Some(text) = self.texts.borrow().get(&name) {
            return Some(text.clone());
        }
        let text = String::from_utf8(self.disk.read(&self.folder.join(&name), LONGEST).ok()?).ok()?;
        self.texts.borrow_mut().insert(name, text.clone());
        Some(text)
    }
}

/// What the mask of a payload follows from, beside the secret.
fn mask_of(game: &str, side: &str, seal: &str) -> String {
    format!("{game}|{side}|{seal}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    #[test]
    fn what_was_sealed_is_read_back_by_its_secret_alone() {
        for (_home, folders) in homes() {
            let remembered = Remembered::new(&folders);
            let secret = |digit: &str| Secret::read(&digit.repeat(64)).expect("a secret");
            let (seal, other) = (Seal([1; 32]), Seal([2; 32]));
            let payload = "Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1, and more than one digest is long";
            remembered.remember("a-game-id", "white", &secret("a"), &seal, payload);
            remembered.remember("a-game-id", "white", &secret("a"), &other, "Pb1");
            let found =
                |side: &str, digit: &str, seal: &Seal| remembered.payload("a-game-id", side, &secret(digit), seal);
            assert_eq!(found("white", "a", &seal).as_deref(), Some(payload));
            assert_eq!(found("white", "a", &other).as_deref(), Some("Pb1"));
            assert_ne!(found("white", "b", &seal).as_deref(), Some(payload));
            assert_eq!(found("black", "a", &seal), None);
            assert_eq!(found("white", "a", &Seal([3; 32])), None);
            // Nothing of it can be read in the file.
            let file = folders.remembered().join("a-game-id.white");
            let text = String::from_utf8(folders.disk.read_record(&file).expect("a file")).expect("text");
            assert!(!text.contains("Pa1") && !text.contains(&HEXLOWER.encode(b"Pa1")), "{text}");
            // What was garbled or cut is not there.
            folders.disk.put_private(&file, text.get(..80).expect("a line").as_bytes()).expect("a file");
            let cut = Remembered::new(&folders).payload("a-game-id", "white", &secret("a"), &seal);
            assert_ne!(cut.as_deref(), Some(payload));
        }
    }
}
