//! Which lessons the player has done: a file in the data folder, a line for each. It is a memory only: without it lessons begin anew.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use postrider_disk::disk::Disk;
use postrider_disk::folders::Folders;

/// The lessons that were done.
#[derive(Clone, Debug)]
pub struct LessonsDone {
    disk: Disk,
    folder: PathBuf,
    file: PathBuf,
}

/// The most that is read of the file, in bytes.
const LONGEST: u64 = 16 * 1024;

impl LessonsDone {
    /// What is noted in these folders. Makes nothing.
    #[must_use]
    pub fn new(folders: &Folders) -> Self {
        Self { disk: folders.disk.clone(), folder: folders.data.clone(), file: folders.lessons() }
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
        self.disk.private_folder(&self.folder)?;
        self.disk.put_private(&self.file, text.as_bytes()).map_err(|error| io::Error::other(error.to_string()))
    }

    /// The whole lines of the file.
    fn text(&self) -> String {
        let text = self.disk.read(&self.file, LONGEST).unwrap_or_default();
        let mut text = String::from_utf8(text).unwrap_or_default();
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_disk::testing::homes;

    #[test]
    fn lessons_are_noted_once_a_game_and_a_damaged_file_is_begun_anew() {
        for (_home, folders) in homes() {
            let done = LessonsDone::new(&folders);
            assert!(done.of("asalto").is_empty());
            for number in [2, 1, 2] {
                done.note("asalto", number).expect("noted");
            }
            done.note("subsume", 4).expect("noted");
            assert_eq!(done.of("asalto").into_iter().collect::<Vec<_>>(), [1, 2]);
            assert_eq!(done.text().lines().count(), 3);
            folders.disk.put_private(&folders.lessons(), &[0xff, b'\n']).expect("damaged");
            assert!(done.of("asalto").is_empty());
            done.note("asalto", 3).expect("noted");
            assert_eq!(done.of("asalto").into_iter().collect::<Vec<_>>(), [3]);
        }
    }
}
