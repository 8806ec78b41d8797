//! A player's games by their ids, whatever their files are called.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Found, find};
use crate::record::{Frame, LINE_LIMIT};
use crate::verdict::Opened;

/// The records below a folder by the ids in their headers.
#[derive(Debug, Default)]
pub struct Shelf {
    games: HashMap<String, Vec<PathBuf>>,
}

impl Shelf {
    /// Looks at the header of each record (`*.pbem`) below `folder`. Files that cannot be read or have no fit header are passed
    /// over, and a folder that is not there is empty.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let mut shelf = Self::default();
        if !folder.is_dir() {
            return shelf;
        }
        for found in find(&[folder.to_owned()]) {
            if let Found::Record(path) = found
                && let Some(id) = id_of(&path)
            {
                shelf.put(&id, path);
            }
        }
        shelf
    }

    /// The files with this id. There should be one at most.
    #[must_use]
    pub fn files(&self, id: &str) -> &[PathBuf] {
        self.games.get(id).map_or(&[], Vec::as_slice)
    }

    /// Adds a file that was made meanwhile. A link to one that is here already is no second record.
    pub fn put(&mut self, id: &str, path: PathBuf) {
        let files = self.games.entry(id.to_owned()).or_default();
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        if files.is_empty() || real(&path).is_none_or(|new| files.iter().all(|old| real(old).as_ref() != Some(&new))) {
            files.push(path);
        }
    }
}

/// The id in the header of a record's file.
fn id_of(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    // Both lines of dashes and a line end each beside the header itself.
    File::open(path).ok()?.take(LINE_LIMIT as u64 + 16).read_to_end(&mut head).ok()?;
    let frame = Frame::of(&head).ok()?;
    let header = head.get(..frame.body.start as usize)?;
    Some(Opened::new(header).ok()?.header.id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_found_by_their_ids_in_whatever_file() {
        let folder = tempfile::tempdir().unwrap();
        let record = |id: &str| {
            format!(
                "---\npbem: 1\ngame: asalto\nid: {id}\nplayers:\n  besiegers: {{name: A}}\n  defenders: {{name: B}}\nstarted: \
                 2026-11-21\n---\n1 defenders place c6 e6\n"
            )
        };
        std::fs::create_dir(folder.path().join("old")).unwrap();
        for (name, text) in [
            ("a.pbem", record("asalto-one")),
            ("old/b.pbem", record("asalto-two")),
            ("old/c.pbem", record("asalto-two")),
            ("d.txt", record("asalto-three")),
            ("e.pbem", "nothing".to_owned()),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        #[cfg(unix)]
        {
            // A link is no second record, and a pipe is not waited for.
            std::os::unix::fs::symlink("a.pbem", folder.path().join("f.pbem")).unwrap();
            let made = std::process::Command::new("mkfifo").arg(folder.path().join("g.pbem")).status();
            assert!(made.is_ok_and(|status| status.success()));
        }
        let shelf = Shelf::of(folder.path());
        assert_eq!(shelf.files("asalto-one"), [folder.path().join("a.pbem")]);
        assert_eq!(shelf.files("asalto-two").len(), 2);
        assert!(shelf.files("asalto-three").is_empty());
        assert!(Shelf::of(&folder.path().join("nowhere")).files("asalto-one").is_empty());
    }
}
