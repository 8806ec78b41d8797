//! The positions of a game since the last irreversible turn, for claims of repetition. Only the turns are stored, and copies of a game share them,
//! so a copy is cheap. A claim of repetition replays them.

use std::sync::Arc;

/// A position that a turn can be played on without judging it.
pub trait Retraced: Clone + PartialEq {
    /// A turn after which an earlier position can still recur.
    type Turn;

    /// Plays a turn that was legal in this position.
    fn retrace(&mut self, turn: &Self::Turn);
}

/// The turns since the last one after which no earlier position can recur. A claim of repetition replays them. Copies share
/// them until one of the two continues. Without turns it allocates nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past<P: Retraced> {
    since: P,
    turns: Option<Arc<Vec<P::Turn>>>,
}

impl<P: Retraced<Turn: Clone>> Past<P> {
    /// Starts with this position.
    #[must_use]
    pub fn since(position: P) -> Self {
        Self { since: position, turns: None }
    }

    /// Adds a turn.
    pub fn push(&mut self, turn: P::Turn) {
        Arc::make_mut(self.turns.get_or_insert_default()).push(turn);
    }

    /// Returns how often a position has occurred.
    #[must_use]
    pub fn count(&self, position: &P) -> usize {
        let mut now = self.since.clone();
        let mut times = usize::from(now == *position);
        for turn in self.turns.iter().flat_map(|turns| turns.iter()) {
            now.retrace(turn);
            times += usize::from(now == *position);
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place on a ring of five.
    impl Retraced for u8 {
        type Turn = u8;

        fn retrace(&mut self, steps: &u8) {
            *self = (*self + steps) % 5;
        }
    }

    #[test]
    fn positions_are_counted_since_the_beginning_and_copies_are_independent() {
        let mut past = Past::since(3u8);
        assert_eq!((past.count(&3), past.count(&4)), (1, 0));
        [1, 4, 5].into_iter().for_each(|steps| past.push(steps));
        assert_eq!((past.count(&3), past.count(&4)), (3, 1));
        let mut copy = past.clone();
        copy.push(1);
        assert_eq!((past.count(&4), copy.count(&4)), (1, 2));
    }
}
