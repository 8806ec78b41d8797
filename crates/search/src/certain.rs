//! Searches for certain wins before any playout: in this entry, or in the next one whatever the answer.

use super::tree::Pick;
use postrider_kernel::{Moves, Outcome, Skill};

/// Returns an entry that wins, or after which a win follows on every answer. Entries with throws are not searched. The number of
/// positions is limited, so the result is the same on every machine.
pub(super) fn certain<G: Skill>(game: &G, moves: &Moves<G::Action>, most: u32) -> Option<Pick<G::Action>> {
    let mut left = most;
    let found =
        winning(game, moves, &mut left).or_else(|| moves.iter().position(|entry| forces(game, entry, &mut left)));
    moves.iter().nth(found?).map(|entry| Pick::Entry(entry.into()))
}

/// Returns the first of the entries that wins at once.
fn winning<G: Skill>(game: &G, moves: &Moves<G::Action>, left: &mut u32) -> Option<usize> {
    let side = game.side_due();
    moves.iter().position(|entry| {
        *left = left.saturating_sub(1);
        *left > 0
            && game.lot(entry) == 0
            && matches!(game.after(entry).outcome(), Some(Outcome::Win(winner, _)) if winner == side)
    })
}

/// Whether the side that made an entry wins with its next one, whatever the answer.
fn forces<G: Skill>(game: &G, entry: &[G::Action], left: &mut u32) -> bool {
    *left = left.saturating_sub(1);
    if *left == 0 || game.lot(entry) > 0 {
        return false;
    }
    let after = game.after(entry);
    if after.outcome().is_some() || after.drawn_entry(&mut |_| 0).is_some() {
        return false;
    }
    let (mut answers, mut moves) = (Moves::default(), Moves::default());
    after.choices(&mut answers);
    // For most entries the first answer already refutes the win.
    !answers.is_empty()
        && answers.iter().all(|answer| {
            *left = left.saturating_sub(1);
            if *left == 0 || after.lot(answer) > 0 {
                return false;
            }
            let next = after.after(answer);
            if next.outcome().is_some() || next.side_due() != game.side_due() {
                return false;
            }
            moves.clear();
            next.choices(&mut moves);
            winning(&next, &moves, left).is_some()
        })
}
