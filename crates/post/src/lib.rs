//! How letters come and go on a machine: mail servers by SMTP and IMAP, programs, Maildirs and mboxes. It fills the ports that `home`
//! names, so that neither a home nor a host needs TLS.
//!
//! Begin with [`local`] and [`smtp`] (out), [`files`] and [`imap`] (in); [`wire`] is the connection below them, with its time limits.

#[cfg(feature = "cli")]
pub mod files;
#[cfg(feature = "cli")]
pub mod imap;
#[cfg(feature = "cli")]
pub mod local;
#[cfg(feature = "cli")]
pub mod maildir;
#[cfg(feature = "cli")]
pub mod mbox;
#[cfg(feature = "cli")]
pub mod printed;
#[cfg(feature = "cli")]
pub mod smtp;
#[cfg(all(test, feature = "cli"))]
pub mod tests;
#[cfg(feature = "cli")]
pub mod wire;
