//! Which pages of a folder are still those that would be made: beside them it is noted of which record each was made, and how.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use postrider_disk::disk::{Disk, Kind};

/// The name of the file with the notes.
const NOTES: &str = ".pages.json";
/// The most bytes of it that are read.
const MOST: u64 = 256 << 20;

/// The longest page that is read to see whether it is still as it was made.
const LONGEST: u64 = 512 << 20;

/// A page that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    /// The name of its file.
    file: String,
    /// A mark of the record, and of how the page was made of it.
    of: String,
    /// A mark of the page.
    page: String,
}

/// A page that there is now.
#[derive(Debug)]
pub struct Noted {
    /// The path of its record.
    pub path: String,
    /// The [mark](Kept::mark) of that.
    pub of: String,
    /// The name of its file.
    pub file: String,
    /// Its own [mark](mark_of).
    pub page: String,
}

/// The pages in a folder, by the records that they were made of.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    /// How pages are made now.
    how: String,
    pages: BTreeMap<String, Page>,
}

/// What is in a file of at most so many bytes.
fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let disk = Disk::real();
    let about = disk.about_itself(path).ok()?;
    if about.kind == Kind::File && about.length <= most { disk.read(path, most).ok() } else { None }
}

/// The mark of a page.
#[must_use]
pub fn mark_of(page: &[u8]) -> String {
    mark(&[page])
}

/// What tells something that consists of these parts from anything else.
fn mark(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    HEXLOWER.encode(hash.finalize().get(..16).unwrap_or_default())
}

/// By what the page of a record is noted: where the record lies on this disk is nothing for a folder that is published.
fn key(path: &str) -> String {
    mark(&[path.as_bytes()])
}

impl Kept {
    /// Reads which pages a folder has, given how pages are made now. Without notes, or with others than are written here, there is none
    /// that counts.
    #[must_use]
    pub fn read(folder: &Path, how: String) -> Self {
        let bytes = read(&folder.join(NOTES), MOST).unwrap_or_default();
        Self { folder: folder.to_owned(), how, pages: serde_json::from_slice(&bytes).unwrap_or_default() }
    }

    /// A mark of a record, and of how its page is made now.
    #[must_use]
    pub fn mark(&self, source: &[u8]) -> String {
        mark(&[self.how.as_bytes(), source])
    }

    /// The name of the file with the page of a record with this mark, and the mark of the page, if it would be made the same again.
    #[must_use]
    pub fn page(&self, path: &str, mark: &str) -> Option<(&str, &str)> {
        let page = self.pages.get(&key(path)).filter(|page| page.of == mark)?;
        // A name from a file leads nowhere else: what is written has the name that is made for it.
        let is_name = !page.file.contains(['/', '\\']);
        let is_there =
            || read(&self.folder.join(&page.file), LONGEST).is_some_and(|bytes| mark_of(&bytes) == page.page);
        (is_name && is_there()).then_some((&*page.file, &*page.page))
    }

    /// The notes on the pages that there are now: their file, and what is in it.
    #[must_use]
    pub fn notes(&self, made: Vec<Noted>) -> (PathBuf, Vec<u8>) {
        let noted = |Noted { path, of, file, page }: Noted| (key(&path), Page { file, of, page });
        let pages: BTreeMap<String, Page> = made.into_iter().map(noted).collect();
        // What is noted always has a form in JSON.
        (self.folder.join(NOTES), serde_json::to_vec(&pages).unwrap_or_default())
    }
}

/// Whether a file has these bytes already.
#[must_use]
pub fn is_same(path: &Path, bytes: &[u8]) -> bool {
    read(path, bytes.len() as u64).is_some_and(|there| there == bytes)
}
