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
    /// Adds the canonical line of the next entry, without its line end.
    #[must_use]
    pub fn then(self, line: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(line);
        Link(hash.finalize().into())
    }

    /// Returns the digest.
    #[must_use]
    pub fn digest(self) -> Digest {
        self.0
    }
}
