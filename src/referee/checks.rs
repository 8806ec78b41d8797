//! Signatures that are checked together, once their entries were found legal (Z31).

use crate::games::kernel::Side;
#[cfg(feature = "threads")]
use crate::sealing::SignatureText;
use crate::sealing::{Checker, SignatureFault, Signatures, Signed};
use crate::text::Span;
#[cfg(feature = "threads")]
use crate::threads::has_threads;
#[cfg(feature = "threads")]
use rayon::prelude::*;

/// How many signatures are checked together, in parallel.
pub(super) const TOGETHER: usize = 512;
/// With fewer than this, a second thread is not worth it.
#[cfg(feature = "threads")]
const FEW: usize = 8;
/// About how many bytes an entry with its signature has.
#[cfg(feature = "threads")]
const LENGTH: usize = SignatureText::LENGTH + 16;

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
    /// Adds one. If the rest of the record, of so many bytes, is long enough for many more, another thread prepares their checks
    /// while this one goes on replaying.
    pub(super) fn push(&mut self, one: Unchecked, rest: usize, signatures: Option<&Signatures>) {
        self.0.push(one);
        #[cfg(feature = "threads")]
        if self.0.len() == 2 && rest > 2 * FEW * LENGTH {
            signatures.into_iter().for_each(prepare);
        }
        #[cfg(not(feature = "threads"))]
        let _ = (rest, signatures);
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
        // Those by the same key are checked together.
        unchecked.sort_by_key(|one| one.side.index());
        let by_key = unchecked.chunk_by(|one, next| one.signed.key == next.signed.key);
        let by_key = by_key.filter_map(|all| Some((all.first()?.signed.key.checker(all.len()), all)));
        let first_fault = |(checker, share): (Checker, &[Unchecked])| {
            let signed: Vec<_> = share.iter().map(|one| &one.signed).collect();
            let (place, fault) = Signed::first_fault(game, &checker, &signed)?;
            Some((share.get(place)?.clone(), fault))
        };
        let number = |(one, _): &(Unchecked, _)| one.signed.number;
        match unchecked.len() {
            #[cfg(feature = "threads")]
            count @ FEW.. if has_threads() => {
                // Small shares, so that no thread is left with work when the others are done.
                let most = count.div_ceil(4 * rayon::current_num_threads()).max(FEW / 2);
                let shares =
                    by_key.flat_map(|(checker, all)| all.chunks(most).map(move |share| (checker.clone(), share)));
                let shares: Vec<_> = shares.collect();
                shares.into_par_iter().with_max_len(1).filter_map(first_fault).min_by_key(number)
            }
            _ => by_key.filter_map(first_fault).min_by_key(number),
        }
    }
}

/// Lets another thread prepare the checks of signatures by both sides.
#[cfg(feature = "threads")]
#[cold]
fn prepare(signatures: &Signatures) {
    for key in Side::BOTH.into_iter().filter_map(|side| signatures.key(side)) {
        // There are about as many signatures by each.
        let checker = key.checker(FEW);
        if !checker.is_prepared() && has_threads() {
            rayon::spawn(move || checker.prepare());
        }
    }
}
