//! Sending: which letters are owed, what is in them, and the notes that see to it that each goes out once.

pub mod drafts;
pub mod letters;
pub mod post;
pub mod receipts;
pub mod sent;
pub mod transport;
