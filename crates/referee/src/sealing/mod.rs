//! The hashes that hold a record together: the chain over its entries and the signatures on it, and the seals, openings
//! and joint dice in it. This module knows no game's rules; `notation/sealing.md` says byte for byte what is hashed.

mod asked_back;
mod chain;
pub mod decks;
mod keys;
mod ledger;
mod owner;
pub mod seals;
mod seats;
mod signatures;
mod statements;

pub use asked_back::AskedBack;
pub use chain::{Digest, Link, begin};
pub(crate) use keys::Checker;
pub use keys::{KeyFault, PublicKey, SecretKey, Signature, SignatureFault};
pub use ledger::{Opening, Origin, Published, Seals, Thrown};
pub use owner::{Done, Ground, KeyStore, NotSigned, Owner, Unsigned, recall};
pub use seals::{Commitment, Secret, Spot, sealed_thing};
pub use seats::SeatProof;
pub(crate) use signatures::read_signature;
pub use signatures::{Check, SignatureText, Signatures, Signed, receipt_text, signed_text, write_signature};
pub use statements::{Statement, Withdrawn, predecessors, withdrawn};
