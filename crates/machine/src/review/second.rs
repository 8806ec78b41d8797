//! The second look at an entry that seems to lose something. It is longer than the first, is repeated from several seeds, sees what
//! the side that made the entry saw, and averages over throws and draws. Only what it confirms is reported.

use super::played;
use crate::opponent::{self, Chanced, Thought};
use postrider_kernel::Side;
use postrider_referee::judging::Table;
use postrider_search::{Budget, Lots};

/// The number of looks, each from another seed, where looks at the same position differ.
const LOOKS: usize = 4;
/// A look has this many times the playouts of the first one, up to [`LONGEST`].
const LONGER: u32 = 2;
/// The same in games without chance. There, one look is enough, and what counts is how far it sees.
const LONGER_ALONE: u32 = 30;
const LONGEST: u32 = 12_000;

/// What a side expects, one value per look.
type Looks = Vec<i32>;

/// The settings of the second look.
pub(super) struct Second<'a> {
    /// The side that made the entry.
    pub(super) side: Side,
    pub(super) budget: &'a Budget,
    pub(super) seed: u64,
    /// Whether looks at the same position differ, because of throws, draws, hidden things, or the number of possible turns.
    pub(super) differ: bool,
}

/// What was lost.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    /// The better entry, up to its first throw or draw.
    pub(super) better: String,
    /// The better entry in full, if it has no throw or draw, or keeps those of the entry that was made; `None` otherwise.
    pub(super) whole: Option<String>,
    /// The average loss of all looks.
    pub(super) mean: i32,
    /// The smallest loss of any look.
    pub(super) least: i32,
}

impl Second<'_> {
    /// Compares an entry with the one that the machine prefers. `after` is the game after the entry.
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
        // Nobody is to blame for chance, so the choices before the last throw and those after it are judged separately.
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

    /// What the side expects of an entry up to its first throw or draw.
    fn chanced(&self, open: &dyn Table, entry: &str) -> Option<Looks> {
        /// The number of throws for each look.
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
