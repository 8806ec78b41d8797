//! The second look at an entry by which something seems lost: longer than the first, several times, with the eyes of the side that made it,
//! and with all that chance could have given instead of what it gave. Only what it confirms is told.

use super::played;
use crate::opponent::{self, Chanced, Thought};
use postrider_kernel::Side;
use postrider_referee::judging::Table;
use postrider_search::{Budget, Lots};

/// How many times it is looked, each time from another seed, where two looks at the same differ.
const LOOKS: usize = 4;
/// How many times as many playouts each has as the first look, and how many at most unless the first had more.
const LONGER: u32 = 2;
/// The same where chance plays no part and all looks are nearly alike: there is one, and what counts is how far it sees.
const LONGER_ALONE: u32 = 30;
const LONGEST: u32 = 12_000;

/// What a side expects, by each look.
type Looks = Vec<i32>;

/// How the second look is made.
pub(super) struct Second<'a> {
    /// The side that made the entry.
    pub(super) side: Side,
    pub(super) budget: &'a Budget,
    pub(super) seed: u64,
    /// Whether two looks at the same differ, because something is thrown, drawn or hidden, or because turns are so many.
    pub(super) differ: bool,
}

/// What was lost.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    /// What would have been better, up to where something would have been thrown or drawn.
    pub(super) better: String,
    /// The same with what was thrown or drawn in the entry that was made, or with nothing; `None` if that is open.
    pub(super) whole: Option<String>,
    /// How much was lost, on average.
    pub(super) mean: i32,
    /// How much was lost by the look that sees least.
    pub(super) least: i32,
}

impl Second<'_> {
    /// What an entry lost against what the machine thought better. `after` is the game after the entry.
    pub(super) fn lost(
        &self,
        open: &dyn Table,
        actions: &str,
        thought: &Thought,
        after: Option<&dyn Table>,
    ) -> Option<Lost> {
        let is_open = thought.entry != thought.chosen;
        let against = |made: &[i32]| {
            let best = if is_open { self.chanced(open, &thought.entry) } else { self.entered(open, &thought.entry) }?;
            let whole = (!is_open).then(|| thought.entry.clone());
            Some(Lost::between(&best, made, thought.chosen.clone(), whole))
        };
        let chances = opponent::chances(open, actions);
        let last = match &chances {
            None if is_open => return None,
            None => return against(&self.weighed(after?)),
            Some(chances) => chances.last(),
        };
        let Some(&last) = last else { return against(&self.weighed(after?)) };
        // What chance gave is nobody's fault: what was chosen before it and what was chosen after it are looked at separately.
        let before = match is_open && actions.starts_with(&thought.chosen) {
            true => None,
            false => against(&self.chanced(open, actions)?),
        };
        let kept = opponent::gone_on(open, actions, (last, Chanced::Kept), self.budget, self.seed, &mut || false)?;
        let then = match kept == actions {
            true => None,
            false => {
                let best = self.entered(open, &kept)?;
                Some(Lost::between(&best, &self.weighed(after?), kept.clone(), Some(kept)))
            }
        };
        before.into_iter().chain(then).max_by_key(|lost| lost.mean)
    }

    /// What the side expects after an entry.
    fn entered(&self, open: &dyn Table, entry: &str) -> Option<Looks> {
        Some(self.weighed(played(open, entry)?.as_ref()))
    }

    /// What the side expects of the beginning of an entry, up to what is thrown or drawn first.
    fn chanced(&self, open: &dyn Table, entry: &str) -> Option<Looks> {
        /// How often it is thrown for each look.
        const THROWN: u64 = 3;
        let first = *opponent::chances(open, entry)?.first()?;
        let mut looks = vec![0; self.looks()];
        for (look, value) in (0u64..).zip(&mut looks) {
            let mut sum = 0i32;
            for throw in 0..THROWN {
                let seed = Lots::with(self.seed, look * THROWN + throw).draw();
                let entry = opponent::gone_on(open, entry, (first, Chanced::Again), self.budget, seed, &mut || false)?;
                let thrown = played(open, &entry)?;
                sum = sum.saturating_add(self.weigh(thrown.as_ref(), self.playouts() / 2, seed));
            }
            *value = sum / THROWN as i32;
        }
        Some(looks)
    }

    fn weighed(&self, table: &dyn Table) -> Looks {
        let mut looks = vec![0; self.looks()];
        for (look, value) in (0u64..).zip(&mut looks) {
            *value = self.weigh(table, self.playouts(), Lots::with(self.seed, look).draw());
        }
        looks
    }

    fn weigh(&self, table: &dyn Table, playouts: u32, seed: u64) -> i32 {
        opponent::weigh(table, self.side, playouts, seed, &mut || false).unwrap_or(0)
    }

    const fn looks(&self) -> usize {
        if self.differ { LOOKS } else { 1 }
    }

    fn playouts(&self) -> u32 {
        let longer = if self.differ { LONGER } else { LONGER_ALONE };
        self.budget.playouts.saturating_mul(longer).min(LONGEST).max(self.budget.playouts)
    }
}

impl Lost {
    fn between(best: &[i32], made: &[i32], better: String, whole: Option<String>) -> Self {
        let lost = best.iter().zip(made).map(|(best, made)| best - made);
        let mean = lost.clone().sum::<i32>() / i32::try_from(best.len().max(1)).unwrap_or(1);
        Self { better, whole, mean, least: lost.min().unwrap_or(0) }
    }
}
