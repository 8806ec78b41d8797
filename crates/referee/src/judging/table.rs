//! A game in progress under its record, whichever game it is.

use std::any::Any;

use super::typed::Typed;
use super::{Standing, Stop};
use crate::record::{Body, Entry};
use crate::sealing::{Check, Seals, Signatures};
use postrider_kernel::scene::{Blow, Scene};
use postrider_kernel::text::Span;
use postrider_kernel::{Count, Holding, Keeper, Lost, Side, Viewer};

/// A game in progress under its record: what judges entries. It is the object-safe interface of [`super::Replay`].
pub trait Table: Explore {
    /// Reads, judges and plays one entry.
    ///
    /// # Errors
    /// Why the replay stops here. What was played before is kept.
    fn enter(&mut self, text: &str, entry: &Entry) -> Result<(), Stop>;

    /// Plays the remaining entries in `body`, up to the first fault or until `limit` entries have been played, and
    /// checks the result line. The body is always read to its end, to find its own faults.
    ///
    /// # Errors
    /// Why the replay stopped.
    fn run(&mut self, text: &str, body: &mut Body<'_>, limit: u32) -> Result<(), Stop>;

    /// If an entry was refused after the game had already moved on, returns how many entries are legal before it: this
    /// table can then no longer be used, but a new one that replays that many entries is correct. Keeping a copy of
    /// each position to go back to would cost more than replaying the few records refused in this way.
    fn spoiled(&self) -> Option<u32>;

    /// Plays an entry of a record that is being replayed again, like [`Table::enter`] but without its guarantee: if the
    /// entry is refused, the table can no longer be used.
    ///
    /// # Errors
    /// Why the replay stops here.
    fn pass(&mut self, text: &str, entry: &Entry) -> Result<(), Stop>;

    /// Plays an entry like [`Table::pass`] and returns its canonical line; the entry is read only once for both.
    ///
    /// # Errors
    /// Why the replay stops here.
    fn pass_written(&mut self, text: &str, entry: &Entry) -> Result<String, Stop>;

    /// Returns a copy of this table.
    fn copy(&self) -> Box<dyn Table>;

    /// Sets how many steps may be spent from here on ([`super::ORDINARY_BUDGET`] by default), and returns how many were
    /// left.
    fn set_budget(&mut self, steps: u64) -> u64;

    /// Checks a result line (E8).
    ///
    /// # Errors
    /// If it does not agree with the replay.
    fn check_result(&self, text: &str, line: Span) -> Result<(), Stop>;

    /// Returns how the game stands.
    fn standing(&self) -> Standing;

    /// Returns the position line.
    fn position(&self) -> String;

    /// Reads what a player typed as the next entry: its actions, separated by `;`, with harmless slips corrected. The
    /// table itself does not change.
    ///
    /// # Errors
    /// Where it does not fit the grammar; the place is relative to `typed`.
    fn read(&self, typed: &str) -> Result<Box<dyn Typed>, Stop>;

    /// Tells the game what the secret of a side reveals, for that side's eyes only.
    ///
    /// # Errors
    /// If the secret is not available, or is not the one that the record's seals were made with.
    fn reveal_to_owner(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost>;

    /// Returns what a player who begins this game should know about its rules.
    fn notice(&self) -> Option<&'static str>;

    /// Returns the canonical spelling of the actions of an entry that is legal here; the text unchanged if it is not.
    fn canonical(&self, text: &str, entry: &Entry) -> String;

    /// Returns the seals and throws of a sealed record.
    fn seals(&self) -> Option<&Seals>;

    /// Follows the chain from here, the start of the record: it has keys or signatures, or will have some.
    fn follow(&mut self, signatures: Signatures);

    /// Sets which signatures are checked from here on; all of them by default.
    fn set_check(&mut self, check: Check);

    /// Returns which signatures are checked.
    fn check(&self) -> Check;

    /// From here on a view of one side shows only what that side has seen, in open play too ([`Skill::veil`]).
    ///
    /// [`Skill::veil`]: postrider_kernel::Skill::veil
    fn veil(&mut self);

    /// Returns the keys and the chain, if the chain is followed.
    fn signatures(&self) -> Option<&Signatures>;

    /// Returns the game after the openings at the beginning of the due entry, from which their owner chooses the rest;
    /// `None` if none are due.
    ///
    /// # Errors
    /// If the secret that they need is not available.
    fn after_opening(&self, keeper: &mut dyn Keeper) -> Result<Option<Box<dyn Table>>, Lost>;
}

/// Queries on a game in progress that do not judge: its legal entries, its scene, its counts. Nothing here changes the game, except
/// [`Explore::set_grain`].
pub trait Explore {
    /// Returns every legal entry in canonical spelling, sorted by bytes.
    fn moves(&self) -> Vec<String>;

    /// Counts the sequences of `depth` legal entries.
    fn perft(&self, depth: u32) -> u64;

    /// Counts the sequences of `depth` legal entries separately for each first entry, sorted by the entry's bytes.
    fn divide(&self, depth: u32) -> Vec<(String, u64)>;

    /// Lists and counts from now on exactly the ways to split points in which each share is a multiple of `grain`, where
    /// otherwise a selection is listed and every way is counted. Returns false in a game in which nothing is split.
    fn set_grain(&mut self, grain: u32) -> bool;

    /// Returns what a viewer may see.
    fn view(&self, viewer: Viewer) -> Scene;

    /// Returns who hit whom in the actions of an entry, as far as they can be read.
    fn blows(&self, actions: &str) -> Vec<Blow>;

    /// Returns the same with something highlighted that the game can point out; `None` if it cannot.
    fn marked(&self, viewer: Viewer, what: &str) -> Option<Scene>;

    /// Returns what can be counted of the position.
    fn counts(&self) -> Vec<Count>;

    /// Returns what some of a side's seals must contain together.
    fn holdings(&self, side: Side) -> Vec<Holding>;

    /// Calls `each` with every payload that `side` may have sealed under a label, until it returns true.
    fn payloads(&self, side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool);

    /// Returns the names, as people write them, of everything that `side` may hide now. They do not depend on what it has.
    fn hidden_names(&self, side: Side) -> Vec<String>;

    /// Returns the game as it stands, apart from its record and in open play, as `side` knows it ([`Skill::laid_open`]), for the machine to
    /// think about. What has been confided by [`Table::reveal_to_owner`] is known, and what is not is drawn by
    /// `draw`, which returns numbers below its argument. No offer, clock or end by agreement is kept.
    ///
    /// [`Skill::laid_open`]: postrider_kernel::Skill::laid_open
    fn laid_open(&self, side: Side, draw: &mut dyn FnMut(u32) -> u32) -> Option<Box<dyn Table>>;

    /// Returns the throw that the entry that is due states in open play ([`Skill::open_throw`]); `None` in a game that is over.
    ///
    /// [`Skill::open_throw`]: postrider_kernel::Skill::open_throw
    fn open_throw(&self) -> Option<(&'static str, Vec<u32>)>;

    /// Returns the game itself, one of those that [`postrider_games::with_all_games`] lists, for whoever works with its own type.
    fn game(&self) -> &dyn Any;
}
