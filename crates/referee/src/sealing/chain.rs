//! The chain: a digest after each entry that depends on everything before it (Z30).

use sha2::{Digest as _, Sha256};

/// A SHA-256.
pub type Digest = [u8; 32];

/// The chain up to some entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link(Digest);

/// Begins the chain with the bytes of the header, between the two `---` lines. Line ends count as LF.
#[must_use]
pub fn begin(header: &str) -> Link {
    let mut hash = Sha256::new();
    for line in header.split_inclusive('\n') {
        match line.strip_suffix("\r\n") {
            Some(text) => {
                hash.update(text);
                hash.update("\n");
            }
            None => hash.update(line),
        }
    }
    Link(hash.finalize().into())
}

impl Link {
    /// The chain at an entry of which only the digest is known.
    #[must_use]
    pub const fn at(digest: Digest) -> Self {
        Self(digest)
    }

    /// Adds the canonical line of the next entry, without its line end.
    #[must_use]
    pub fn then(self, line: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(line);
        Link(hash.finalize().into())
    }

    /// Adds the canonical line of the next entry without its time and its message (Z40).
    #[must_use]
    pub fn then_bare(self, line: &str) -> Self {
        self.then(bare(line))
    }

    /// Returns the digest.
    #[must_use]
    pub fn digest(self) -> Digest {
        self.0
    }
}

/// The canonical line of an entry without its time and its message: number, side and actions.
fn bare(line: &str) -> &str {
    let line = line.split_once(" {").map_or(line, |(line, _)| line);
    line.split_once(" @").map_or(line, |(line, _)| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z40_neither_time_nor_message_is_in_the_chain_of_choices() {
        let start = begin("pbem: 1\n");
        let bare = start.then("1 white Pa1-a2; draw?");
        for line in [
            "1 white Pa1-a2; draw?",
            "1 white Pa1-a2; draw? @2026-11-21T10:15:00Z",
            "1 white Pa1-a2; draw? {write to me @home}",
            "1 white Pa1-a2; draw? @2026-11-21T10:15:00Z {a @b, ; c}",
        ] {
            assert_eq!(start.then_bare(line), bare, "{line}");
        }
        assert_ne!(start.then_bare("1 white Pa1-a2 @2026-11-21T10:15:00Z"), bare);
    }
}
