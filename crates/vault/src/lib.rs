//! What a player must neither lose nor show: keys, secrets, the journal of what was signed, and backups of everything. Each is a file that
//! only the player may read, or a text under a passphrase.
//!
//! It uses the disk, and letters for what an address is. It decides nothing about a game: that is `home`, which opens these files once and
//! passes them on.
//!
//! Begin with [`keyring`] (the player's own key, and those of opponents), [`kept`] (the secrets that open seals) and [`journal`] (what was
//! signed, noted before it is signed). [`locked`] is the form under a passphrase, and [`backup`] is one copy of everything.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod backup;
pub mod dice_key;
pub mod journal;
pub mod kept;
pub mod keyring;
pub mod locked;
pub mod remembered;
pub mod said;
