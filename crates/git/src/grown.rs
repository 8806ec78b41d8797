//! Earlier versions of a file that only grows, told by their ids: most versions of a record are beginnings of its newest
//! one, and which beginning an id is of can be computed, so that git need not be asked for the same lines again and again.

use data_encoding::HEXLOWER;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::packs::{Beginnings, Packs};

/// How many entries a version may be longer than the one found before it.
const STEPS: usize = 4;
/// After so many ids in a row that are of no such beginning, no more are looked for: the record was rewritten.
const MISSES: u8 = 4;

/// The newest version of a record, and how far its earlier versions are known.
#[derive(Debug)]
pub struct Grown {
    object: String,
    text: Vec<u8>,
    /// Where the last version found ends.
    end: usize,
    misses: u8,
    /// What is known of it by the packs.
    known: Beginnings,
}

impl Grown {
    /// Makes it from the newest version and its id. `start`: where the entries begin.
    #[must_use]
    pub fn new(object: &str, text: Vec<u8>, start: usize) -> Self {
        Self { object: object.to_owned(), end: start.min(text.len()), text, misses: 0, known: Beginnings::default() }
    }

    /// Returns the text of the newest version, if this is its id.
    #[must_use]
    pub fn newest(&self, object: &str) -> Option<&[u8]> {
        (self.object == object).then_some(self.text.as_slice())
    }

    /// The text of the newest version.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns how long the beginning of the newest version is that has this id, if the packs say so, or if it goes on a little from
    /// the version found before. It is certain: it is stored as a difference from what is known to be another beginning, or was put
    /// through git's own hash.
    pub fn find(&mut self, object: &str, packs: &mut Packs) -> Option<usize> {
        if self.object == object {
            return Some(self.text.len());
        }
        if let Some(end) = packs.beginning(object, &self.text, &mut self.known) {
            (self.end, self.misses) = (end, 0);
            return Some(end);
        }
        if self.misses >= MISSES {
            return None;
        }
        let mut end = self.end;
        for step in 0..=STEPS {
            if is_id(object, &self.text[..end]) {
                (self.end, self.misses) = (end, 0);
                return Some(end);
            }
            if end == self.text.len() || step == STEPS {
                break;
            }
            end = self.after(end);
        }
        self.misses += 1;
        None
    }

    /// Takes in a version that had to be read: the next one may go on from it.
    pub fn read(&mut self, text: &[u8]) {
        if self.text.starts_with(text) {
            (self.end, self.misses) = (text.len(), 0);
        }
    }

    /// Where the entry that begins at `start` ends, with the lines that follow it.
    fn after(&self, start: usize) -> usize {
        let mut end = start;
        for line in self.text[start..].split_inclusive(|&byte| byte == b'\n') {
            if end > start && line.first().is_some_and(u8::is_ascii_digit) {
                break;
            }
            end += line.len();
        }
        end
    }
}

/// Returns whether git gives this id to a file with this content. The id's length tells the repository's hash.
fn is_id(id: &str, content: &[u8]) -> bool {
    match id.len() {
        40 => has_hash::<Sha1, 20>(id, content),
        64 => has_hash::<Sha256, 32>(id, content),
        _ => false,
    }
}

fn has_hash<H: Digest, const LENGTH: usize>(id: &str, content: &[u8]) -> bool {
    let mut wanted = [0; LENGTH];
    if HEXLOWER.decode_mut(id.as_bytes(), &mut wanted) != Ok(LENGTH) {
        return false;
    }
    let mut hash = H::new();
    hash.update(format!("blob {}\0", content.len()));
    hash.update(content);
    hash.finalize().as_slice() == wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &[u8] = b"---\nid: a\n---\n1 white a1\n2 black b1\n# well\n  ~ cd\n3 white c1\n";

    fn grown() -> Grown {
        Grown::new("newest", RECORD.to_vec(), 14)
    }

    #[test]
    fn ids_are_those_of_git() {
        // As printed by `git hash-object`, with both object formats.
        assert!(is_id("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", b""));
        assert!(is_id("ce013625030ba8dba906f756967f9e9ca394464a", b"hello\n"));
        assert!(is_id("2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4", b"hello\n"));
        assert!(!is_id("ce013625030ba8dba906f756967f9e9ca394464b", b"hello\n"));
        assert!(!is_id("ce01", b"hello\n"));
        assert!(!is_id("CE013625030BA8DBA906F756967F9E9CA394464A", b"hello\n"));
    }

    fn id(content: &[u8]) -> String {
        let mut hash = Sha1::new();
        hash.update(format!("blob {}\0", content.len()));
        hash.update(content);
        HEXLOWER.encode(&hash.finalize())
    }

    #[test]
    fn each_version_is_found_from_the_one_before() {
        let mut grown = grown();
        let ends = [14, 25, RECORD.len() - 11, RECORD.len()];
        for end in ends {
            assert_eq!(grown.find(&id(&RECORD[..end]), &mut Packs::default()), Some(end), "{end}");
        }
        assert_eq!(grown.find("newest", &mut Packs::default()), Some(RECORD.len()));
        assert_eq!((grown.newest("newest"), grown.newest("other")), (Some(RECORD), None));
    }

    #[test]
    fn what_is_no_beginning_is_not_found_and_given_up_soon() {
        let (mut grown, packs) = (grown(), &mut Packs::default());
        for _ in 0..=MISSES {
            assert_eq!(grown.find(&id(b"---\nid: a\n---\n1 white a2\n"), packs), None);
        }
        assert_eq!(grown.find(&id(&RECORD[..25]), packs), None);
        // A version that had to be read, ends where no entry ends, and is a beginning.
        grown.read(&RECORD[..30]);
        assert_eq!(grown.find(&id(&RECORD[..30]), packs), Some(30));
        assert_eq!(grown.find(&id(RECORD), packs), Some(RECORD.len()));
    }
}
