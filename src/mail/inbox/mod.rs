//! Where messages come from: standard input, files, mboxes, Maildirs, a mail server. All of them are only read, and
//! each message is passed on as it arrives, so a mailbox of any size takes the memory of one message.

#[cfg(feature = "cli")]
mod fault;
#[cfg(feature = "cli")]
mod files;
#[cfg(feature = "cli")]
mod imap;
#[cfg(feature = "cli")]
mod maildir;
#[cfg(feature = "cli")]
mod mbox;
mod taker;

#[cfg(feature = "cli")]
pub use fault::{ImapError, ImapStep};
#[cfg(feature = "cli")]
pub use files::{is_mbox, one, path};
#[cfg(feature = "cli")]
pub use imap::{Mailbox, imap, probe};
pub use taker::{InboxError, Taker};

#[cfg(all(test, feature = "cli"))]
mod tests;
