//! What a position is worth once everything is taken that is worth taking, so that a capture that is answered by one does not count as
//! won.

use postrider_kernel::{Moves, Outcome, Side, Skill, write_entry};

/// How many entries are looked ahead at most.
const DEEPEST: u32 = 6;
/// By how much an entry must improve the judgement to be looked at.
const GAIN: i32 = 20;
/// What a win is worth.
const WIN: i32 = 1000;

/// Judges a position for the side that is due, from -1000 to 1000, once both sides have taken what is worth taking. At most `most` positions
/// are looked at. `None` where a turn is listed action by action or drawn instead of listed, and where a side has to take what it can.
#[must_use]
pub fn settled<G: Skill>(game: &G, most: u32) -> Option<i32> {
    let mut left = most;
    is_listed(game).then(|| quiet(game, (-WIN, WIN), DEEPEST, &mut left))
}

/// Returns the entry after which the side that is due keeps most once everything is taken, and how that is judged for it. At most `most`
/// positions are looked at for each; `None` as for [`settled`], or if everything is thrown.
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
        // What was not looked at to its end may be anything.
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

/// How a position is judged for a side without looking ahead.
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

/// What an entry is worth for the side that makes it.
fn after<G: Skill>(game: &G, entry: &[G::Action], (alpha, beta): (i32, i32), deep: u32, left: &mut u32) -> i32 {
    let next = game.after(entry);
    match next.side_due() == game.side_due() {
        true => quiet(&next, (alpha, beta), deep, left),
        false => -quiet(&next, (-beta, -alpha), deep, left),
    }
}

fn quiet<G: Skill>(game: &G, (alpha, beta): (i32, i32), deep: u32, left: &mut u32) -> i32 {
    let side = game.side_due();
    // Nobody has to take anything.
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
