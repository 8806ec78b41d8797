//! The rulebooks, the lessons and the tables of cards and areas, as the texts that they are. This crate knows what there is and nothing of
//! what is in it: whoever uses a text reads it. It is a crate because Cargo packs nothing that stands outside a package.
//!
//! The rulebooks are for players and stand beside this file; begin with `README.md`.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

/// What the rulebooks are, and how they are read.
pub const README: &str = include_str!("README.md");
/// The record: header, entries, clocks.
pub const RECORD: &str = include_str!("record.md");
/// Seals and signatures.
pub const SEALING: &str = include_str!("sealing.md");
/// Letters.
pub const MAIL: &str = include_str!("mail.md");
/// An address that keeps games.
pub const HOST: &str = include_str!("host.md");
/// Keys.
pub const KEYS: &str = include_str!("keys.md");
/// What is typed while playing.
pub const PLAYING: &str = include_str!("playing.md");
/// Playing against the machine.
pub const PRACTICE: &str = include_str!("practice.md");
/// Replies that are prepared.
pub const CONDITIONS: &str = include_str!("conditions.md");
/// Records in repositories.
pub const GIT: &str = include_str!("git.md");
/// Pages in a browser.
pub const PAGE: &str = include_str!("page.md");
/// Archives.
pub const ARCHIVE: &str = include_str!("archive.md");
/// The rules of Asalto.
pub const ASALTO: &str = include_str!("asalto.md");
/// The rules of assideum.
pub const ASSIDEUM: &str = include_str!("assideum.md");
/// The rules of Subsume.
pub const SUBSUME: &str = include_str!("subsume.md");
/// The rules of Assassyn's Dagger.
pub const ASSASSYN: &str = include_str!("assassyn.md");
/// The rules of Mission: Combat!.
pub const MISSION_COMBAT: &str = include_str!("mission-combat.md");

/// The lessons of each game, in YAML.
pub mod lessons {
    /// Those of Asalto.
    pub const ASALTO: &str = include_str!("lessons/asalto.yaml");
    /// Those of assideum.
    pub const ASSIDEUM: &str = include_str!("lessons/assideum.yaml");
    /// Those of Subsume.
    pub const SUBSUME: &str = include_str!("lessons/subsume.yaml");
    /// Those of Assassyn's Dagger.
    pub const ASSASSYN: &str = include_str!("lessons/assassyn.yaml");
    /// Those of Mission: Combat!.
    pub const MISSION_COMBAT: &str = include_str!("lessons/mission-combat.yaml");
}

/// What Mission: Combat! is played with, in YAML.
pub mod mission_combat {
    /// The decks that are played with if no others are named.
    pub const DECKS: &str = include_str!("mission-combat/decks.yaml");
    /// The lists of areas of the rulebook.
    pub const AREAS: &str = include_str!("mission-combat/areas.yaml");
}
