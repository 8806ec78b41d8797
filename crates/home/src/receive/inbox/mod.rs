//! Where messages come from: standard input, files, mboxes, Maildirs, a mail server. All of them are only read, and
//! each message is passed on as it arrives, so a mailbox of any size takes the memory of one message.

pub mod fault;
pub mod taker;

pub use fault::{ImapError, ImapStep};

pub use taker::{InboxError, Taker};
