//! Which lessons the player has done: a file in the data folder, a line for each. It is a memory only: without it lessons begin anew.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;

use super::files::{private_folder, put_private};
use super::folders::Folders;

/// The lessons that were done.
#[derive(Clone, Debug)]
pub struct LessonsDone {
    folder: PathBuf,
    file: PathBuf,
}

/// The most that is read of the file, in bytes.
const LONGEST: u64 = 16 * 1024;

impl LessonsDone {
    /// What is noted in these folders. Makes nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { folder: folders.data.clone(), file: folders.lessons() }
    }

    /// Returns the numbers of the lessons of a game that were done.
    #[must_use]
    pub fn of(&self, game: &str) -> BTreeSet<usize> {
        let number = |line: &str| line.strip_prefix(game)?.strip_prefix(' ')?.parse().ok();
        self.text().lines().filter_map(number).collect()
    }

    /// Notes that a lesson was done.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn note(&self, game: &str, number: usize) -> io::Result<()> {
        let (mut text, line) = (self.text(), format!("{game} {number}\n"));
        if text.lines().any(|known| known == line.trim_end()) || (text.len() + line.len()) as u64 > LONGEST {
            return Ok(());
        }
        text.push_str(&line);
        private_folder(&self.folder)?;
        put_private(&self.file, text.as_bytes()).map_err(|error| io::Error::other(error.to_string()))
    }

    /// The whole lines of the file.
    fn text(&self) -> String {
        let mut text = Vec::new();
        if let Ok(file) = fs::File::open(&self.file) {
            let _ = file.take(LONGEST).read_to_end(&mut text);
        }
        let mut text = String::from_utf8(text).unwrap_or_default();
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_are_noted_once_a_game_and_a_damaged_file_is_begun_anew() {
        let home = tempfile::tempdir().expect("a folder");
        let folders = Folders::at(home.path());
        let done = LessonsDone::new(&folders);
        assert!(done.of("asalto").is_empty());
        for number in [2, 1, 2] {
            done.note("asalto", number).expect("noted");
        }
        done.note("subsume", 4).expect("noted");
        assert_eq!(done.of("asalto").into_iter().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(fs::read_to_string(folders.lessons()).expect("a file").lines().count(), 3);
        fs::write(folders.lessons(), [0xff, b'\n']).expect("damaged");
        assert!(done.of("asalto").is_empty());
        done.note("asalto", 3).expect("noted");
        assert_eq!(done.of("asalto").into_iter().collect::<Vec<_>>(), [3]);
    }
}
