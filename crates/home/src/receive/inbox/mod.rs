//! Where messages come from: standard input, files, mboxes, Maildirs, a mail server. All of them are only read, and
//! each message is passed on as it arrives, so a mailbox of any size takes the memory of one message.

#[cfg(feature = "cli")]
mod fault;
mod taker;

#[cfg(feature = "cli")]
pub use fault::{ImapError, ImapStep};

pub use taker::{InboxError, Taker};
