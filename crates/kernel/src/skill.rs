//! Hooks for a program that plays a game.

use super::{Count, Game, Moves, Side};

/// Hooks for a program that plays the game (`engine`) or reviews it. Judging uses none of them, and a game may keep all the defaults.
pub trait Skill: Game {
    /// Whether throws, draws or hidden things belong to the game, so that the same entries need not lead to the same
    /// position, or are not always possible.
    const CHANCE: bool = false;

    /// Whether a side may have to think without knowing all of the position.
    const HIDDEN: bool = Self::CHANCE;

    /// How many entries, or single actions in a game that is listed stepwise, are played on from a new position before
    /// it is judged by [`Skill::judgement`].
    const HORIZON: u32 = 4;

    /// Whether a side may leave what it could take, so that a position is worth at least what it is without taking.
    const FREE_TO_TAKE: bool = true;

    /// The lowest level at which the machine finds every win in one or two entries without throws, in games with one move per entry and
    /// nothing hidden.
    const FORESIGHT: u8 = 3;

    /// Adds what a machine chooses from: the listed entries, and in a game that is listed stepwise perhaps several equal steps as
    /// one action.
    fn choices(&self, out: &mut Moves<Self::Action>) {
        self.moves(out);
    }

    /// Judges the position roughly, from -900 (lost for the first side) to 900 (won for it).
    fn judgement(&self) -> i32 {
        0
    }

    /// Returns how promising a listed entry looks, against 1 for an ordinary one; 0 for one that is considered only where there
    /// is nothing else.
    fn promise(&self, entry: &[Self::Action]) -> u32 {
        let _ = entry;
        1
    }

    /// Returns the weight of a listed entry that nobody chooses: all entries with a weight are outcomes of one throw or one
    /// draw. 0 for an entry that is chosen.
    fn lot(&self, entry: &[Self::Action]) -> u32 {
        let _ = entry;
        0
    }

    /// Returns the throw that the entry that is due states in open play, if one is: the word of the entry that leaves it open, and the
    /// sides of each die in the order in which it is stated.
    fn open_throw(&self) -> Option<(&'static str, Vec<u32>)> {
        None
    }

    /// Replaces everything that `side` cannot see by something consistent with what it knows, and drops what only claims
    /// need. `draw` returns numbers below its argument.
    fn imagine(&mut self, side: Side, draw: &mut dyn FnMut(u32) -> u32) {
        let _ = (side, draw);
    }

    /// Returns an entry where there are too many to list them: a deployment. `draw` returns numbers below its argument.
    fn drawn_entry(&self, draw: &mut dyn FnMut(u32) -> u32) -> Option<Vec<Self::Action>> {
        let _ = draw;
        None
    }

    /// Plays an entry that [`Game::moves`] lists, after which the turn may go on in a game that is listed stepwise.
    fn proceed(&mut self, actions: &[Self::Action]) {
        self.apply(actions);
    }

    /// Returns the same game in open play as `side` knows it: what is sealed and not known to it is drawn from what is possible, by
    /// `draw`, which returns numbers below its argument. `None` where open play has no such position, in the midst of an exchange of
    /// seals, or if the hand of `side` is not known.
    fn laid_open(&self, side: Side, draw: &mut dyn FnMut(u32) -> u32) -> Option<Self> {
        let _ = (side, draw);
        Some(self.clone())
    }

    /// Adds what can be counted of the position, for each side: what a player would look at, such as men or threats.
    fn counts(&self, out: &mut Vec<Count>) {
        let _ = out;
    }

    /// Begins to note what each side has seen, for an open game in which each side may know only what it would in sealed
    /// play. From then on a side's view shows only that.
    fn veil(&mut self) {}

    /// Returns what the other side learns of an action in a veiled game, if not all of it: of a draw, only that there was one.
    fn veiled(action: &Self::Action) -> Option<String> {
        let _ = action;
        None
    }
}
