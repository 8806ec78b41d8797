//! Signatures that are checked together, once their entries were found legal (Z31).

use crate::sealing::{Checker, SignatureFault, Signed};
#[cfg(feature = "threads")]
use crate::threads::has_threads;
use postrider_kernel::Side;
use postrider_kernel::text::Span;
#[cfg(feature = "threads")]
use rayon::prelude::*;

/// How many signatures are checked together, in parallel.
pub(super) const TOGETHER: usize = 512;
/// With fewer than this, a second thread is not worth it.
#[cfg(feature = "threads")]
const FEW: usize = 8;

/// A signature that is checked together with others, if its entry is otherwise legal.
#[derive(Clone, Debug)]
pub(super) struct Unchecked {
    pub(super) signed: Signed,
    pub(super) side: Side,
    pub(super) place: Span,
}

/// The signatures that are still to be checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Checks(Vec<Unchecked>);

impl Checks {
    /// Adds one.
    pub(super) fn push(&mut self, one: Unchecked) {
        self.0.push(one);
    }

    /// Whether there are as many as are checked together.
    #[inline(always)]
    pub(super) fn are_full(&self) -> bool {
        self.0.len() >= TOGETHER
    }

    /// Checks them, in the game with this id, in parallel if there are enough; none is left. Returns the first one, in the
    /// order of entries, that is not valid, and why it is not.
    #[cold]
    pub(super) fn first_fault(&mut self, game: &str) -> Option<(Unchecked, SignatureFault)> {
        let mut unchecked = std::mem::take(&mut self.0);
        // The point of a key is found once.
        unchecked.sort_by_key(|one| (one.side.index(), one.signed.number));
        let by_key = unchecked.chunk_by(|one, next| one.signed.key == next.signed.key);
        let by_key = by_key.filter_map(|all| Some((all.first()?.signed.key.checker(), all)));
        let fault =
            |(checker, one): (Checker, &Unchecked)| Some((one.clone(), one.signed.verify_by(game, &checker).err()?));
        let number = |(one, _): &(Unchecked, _)| one.signed.number;
        let checks = by_key.flat_map(|(checker, all)| all.iter().map(move |one| (checker, one)));
        match unchecked.len() {
            #[cfg(feature = "threads")]
            FEW.. if has_threads() => {
                let checks: Vec<_> = checks.collect();
                checks.into_par_iter().filter_map(fault).min_by_key(number)
            }
            _ => checks.filter_map(fault).min_by_key(number),
        }
    }
}
