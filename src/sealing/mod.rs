//! Hashes that hold a record together: the chain over its entries, and the seals, openings and joint dice in it. Knows no rules
//! of any game; `notation/sealing.md` says what is hashed, byte for byte.

mod chain;
mod ledger;
mod owner;
pub mod seals;

pub use chain::{Digest, Link, begin};
pub use ledger::{Opened, Published, Seals, Thrown};
pub use owner::{Done, Owner, Source, recall};
pub use seals::Secret;
