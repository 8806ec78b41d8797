//! The deployment (D4): judging it, and enumerating all of them.

use crate::assassyn::board::{FORCES, Kind, Man, Square, Wound, is_home};
use crate::assassyn::position::state::{Assassyn, Way};
use crate::assassyn::rules::{D2, D4};
use postrider_kernel::{Illegal, Side};

/// What to do with each deployment; returning true stops.
type Each<'a> = dyn FnMut(&[(Kind, Square)]) -> bool + 'a;

/// Calls `each` with every complete deployment of a side, in canonical order, until it returns true.
pub(in crate::assassyn) fn each_arrangement(side: Side, each: &mut Each<'_>) {
    let home: Vec<_> = Square::all().filter(|square| is_home(side, *square)).collect();
    let mut list = Vec::with_capacity(FORCES.len());
    arrange(&home, 0, &mut list, each);
}

/// Places the remaining pieces; returns true if `each` did.
fn arrange(home: &[Square], taken: u64, list: &mut Vec<(Kind, Square)>, each: &mut Each<'_>) -> bool {
    let Some(&kind) = FORCES.get(list.len()) else { return each(list) };
    // Of two pieces of the same kind, the second comes on a later square.
    let floor = list.last().filter(|(last, _)| *last == kind).map(|(_, at)| *at);
    for &at in home.iter().filter(|at| taken & at.set() == 0 && floor.is_none_or(|floor| **at > floor)) {
        list.push((kind, at));
        let stop = arrange(home, taken | at.set(), list, each);
        list.pop();
        if stop {
            return true;
        }
    }
    false
}

/// How many complete deployments there are: twelve squares for seven pieces, where pieces of the same kind are
/// interchangeable.
pub(in crate::assassyn) fn arrangements() -> usize {
    let ways: usize = (6..=12).product();
    Kind::ALL.into_iter().fold(ways, |ways, kind| ways / (1..=kind.number()).product::<usize>())
}

/// Checks that these are the pieces of a complete deployment (D2).
pub(in crate::assassyn) fn check_forces(part: usize, list: &[(Kind, Square)]) -> Result<(), Illegal> {
    for kind in Kind::ALL {
        let (found, number) = (list.iter().filter(|(other, _)| *other == kind).count(), kind.number());
        if found != number {
            let name = kind.letter();
            let message = match number.checked_sub(found) {
                Some(1) => format!("a piece {name} is missing"),
                Some(lacking) => format!("{lacking} pieces {name} are missing"),
                None => format!("there are {found} pieces {name}, and a side has {number}"),
            };
            return Err(Illegal::new(D2, part, message).with_help("a side has P, W, two L, two S and A"));
        }
    }
    Ok(())
}

/// Checks that the pieces are in their side's first two ranks, each on its own square (D4).
pub(in crate::assassyn) fn check_squares(part: usize, side: Side, list: &[(Kind, Square)]) -> Result<(), Illegal> {
    let mut taken = 0;
    for (kind, at) in list {
        let piece = format!("{}{at}", kind.letter());
        if !is_home(side, *at) {
            let ranks = if side == Side::First { "ranks 1 and 2" } else { "ranks 5 and 6" };
            return Err(Illegal::new(D4, part, format!("{piece} is outside its side's first two ranks"))
                .with_help(format!("they are {ranks}")));
        }
        if taken & at.set() != 0 {
            return Err(Illegal::new(D4, part, format!("{at} is already occupied")).with_help("each piece has its own"));
        }
        taken |= at.set();
    }
    Ok(())
}

impl Assassyn {
    /// Puts a complete deployment on the board.
    pub(in crate::assassyn) fn deploy(&mut self, list: &[(Kind, Square)]) {
        let side = self.board.to_play;
        for (kind, at) in list {
            self.board.put(side, *kind, Man { at: Some(*at), wound: Wound::None });
        }
        self.board.to_play = side.other();
        if side == Side::Second {
            self.begin();
        }
    }

    /// `place` (D4, `alternating`).
    pub(in crate::assassyn) fn judge_place(&mut self, part: usize, kind: Kind, at: Square) -> Result<(), Illegal> {
        let side = self.board.to_play;
        if self.rules.deployment != Way::Alternating {
            return Err(Illegal::new(D4, part, "pieces are placed one by one with `deployment: alternating` only")
                .with_help("the entry is `deploy` and all seven pieces"));
        }
        if self.board.count(side, kind) == kind.number() {
            return Err(Illegal::new(D2, part, format!("the side has no more {}", kind.name()))
                .with_help("a side has P, W, two L, two S and A"));
        }
        check_squares(part, side, &[(kind, at)])?;
        if self.board.at(side, at).is_some() {
            return Err(Illegal::new(D4, part, format!("{at} is already occupied")).with_help("each piece has its own"));
        }
        self.board.put(side, kind, Man { at: Some(at), wound: Wound::None });
        self.board.to_play = side.other();
        if self.board.standing(Side::Second).count() == FORCES.len() {
            self.begin();
        }
        Ok(())
    }
}
