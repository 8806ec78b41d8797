//! How letters come and go on a machine: mail servers by SMTP and IMAP, programs, Maildirs and mboxes. It fills the ports that `home`
//! names, so that neither a home nor a host needs TLS.
//!
//! Begin with [`local`] and [`smtp`] (out), [`files`] and [`imap`] (in); [`wire`] is the connection below them, with its time limits. What a
//! new player may use is in [`found`] and [`providers`], and [`checkup`] tries it.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod checkup;
pub mod files;
pub mod found;
pub mod imap;
pub mod local;
pub mod maildir;
pub mod mbox;
pub mod printed;
pub mod providers;
pub mod smtp;
#[cfg(test)]
mod tests;
pub mod wire;
