//! The chain of digests along a record, which shows what two copies of it have in common.

use crate::record::{Entry, Item};
use crate::sealing;
use crate::sealing::Digest;
use crate::verdict;
use crate::verdict::{Opened, Verdict};

/// The chain of a record's digests (Z30), as far as the record has been read.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    link: sealing::Link,
    /// How many entries it covers.
    pub entries: u32,
}

impl Chain {
    /// Starts the chain before the first entry.
    #[must_use]
    pub fn begin(opened: &Opened<'_>) -> Self {
        Self { link: sealing::begin(opened.frame.header.text(opened.text)), entries: 0 }
    }

    /// Computes the chain over all legal entries of a record.
    ///
    /// # Errors
    /// The verdict, if the record cannot be opened.
    pub fn of(source: &[u8]) -> Result<Self, Box<Verdict>> {
        let mut opened = Opened::new(source)?;
        let mut chain = Self::begin(&opened);
        let mut body = opened.body();
        while let Some(item) = body.next_item() {
            if let Item::Entry(entry) = item {
                let mut longer = chain;
                longer.add(&opened, &entry);
                if opened.table.pass(opened.text, &entry).is_err() {
                    break;
                }
                chain = longer;
            }
        }
        Ok(chain)
    }

    /// Adds the next entry of the record, which must not have been played yet.
    pub fn add(&mut self, opened: &Opened<'_>, entry: &Entry) {
        self.entries = self.entries.saturating_add(1);
        self.link = self.link.then(&verdict::line(opened, entry, self.entries));
    }

    /// Returns the digest.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.link.digest()
    }
}
