//! Judges a position after all captures that pay, so that a capture does not count as a gain if it is answered by another.

use postrider_kernel::{Moves, Outcome, Side, Skill, write_entry};

/// The depth of the search, in entries.
const DEEPEST: u32 = 6;
/// The least gain of an entry that is searched.
const GAIN: i32 = 20;
/// The value of a win.
const WIN: i32 = 1000;

/// Judges a position for the side that is due, from -1000 to 1000, after the captures that pay for both sides. Searches at most
/// `most` positions. `None` if turns are listed action by action or entries are drawn, and in games with compulsory captures.
#[must_use]
pub fn settled<G: Skill>(game: &G, most: u32) -> Option<i32> {
    let mut left = most;
    is_listed(game).then(|| quiet(game, (-WIN, WIN), DEEPEST, &mut left))
}

/// Returns the entry after which the side that is due keeps the most, and the value of that. Searches at most `most` positions per
/// entry; `None` as for [`settled`], or if every entry has a throw.
#[must_use]
pub fn safest<G: Skill>(game: &G, most: u32) -> Option<(String, i32)> {
    if !is_listed(game) || game.outcome().is_some() {
        return None;
    }
    let mut best = None::<(String, i32)>;
    let mut moves = Moves::default();
    game.choices(&mut moves);
    for entry in moves.iter().filter(|entry| game.lot(entry) == 0) {
        let alpha = best.as_ref().map_or(-WIN, |(_, value)| *value);
        let mut left = most;
        let value = after(game, entry, (alpha, WIN), DEEPEST, &mut left);
        // An entry whose search did not finish may have any value.
        if left == 0 {
            continue;
        }
        if best.as_ref().is_none_or(|(_, most)| value > *most) {
            best = Some((write_entry::<G>(&game.canonical(entry)), value));
        }
    }
    best
}

fn is_listed<G: Skill>(game: &G) -> bool {
    !G::INFO.stepwise && G::FREE_TO_TAKE && game.drawn_entry(&mut |_| 0).is_none()
}

/// Judges a position for a side without looking ahead.
fn judged<G: Skill>(game: &G, side: Side) -> i32 {
    match game.outcome() {
        Some(Outcome::Win(winner, _)) if winner == side => WIN,
        Some(Outcome::Win(..)) => -WIN,
        Some(Outcome::Draw(_)) => 0,
        None => {
            let judged = game.judgement().clamp(-900, 900);
            if side == Side::First { judged } else { -judged }
        }
    }
}

/// The value of an entry for the side that makes it.
fn after<G: Skill>(game: &G, entry: &[G::Action], (alpha, beta): (i32, i32), deep: u32, left: &mut u32) -> i32 {
    let next = game.after(entry);
    match next.side_due() == game.side_due() {
        true => quiet(&next, (alpha, beta), deep, left),
        false => -quiet(&next, (-beta, -alpha), deep, left),
    }
}

fn quiet<G: Skill>(game: &G, (alpha, beta): (i32, i32), deep: u32, left: &mut u32) -> i32 {
    let side = game.side_due();
    // No capture is compulsory.
    let mut best = judged(game, side);
    let stands = best;
    if deep == 0 || best >= beta || game.outcome().is_some() {
        return best;
    }
    let mut moves = Moves::default();
    game.choices(&mut moves);
    for entry in moves.iter().filter(|entry| game.lot(entry) == 0) {
        *left = left.saturating_sub(1);
        if *left == 0 || best >= beta {
            break;
        }
        if judged(&game.after(entry), side) - stands >= GAIN {
            best = best.max(after(game, entry, (alpha.max(best), beta), deep - 1, left));
        }
    }
    best
}
