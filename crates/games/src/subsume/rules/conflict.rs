//! The resolution of a conflict (U52 to U56): two stacks in, two stacks and their owners out.

use smallvec::SmallVec;

use crate::subsume::board::stack::{Going, Kinds, Stack};

/// A place after a conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::subsume) struct Place {
    /// From bottom to top.
    pub stack: Stack,
    /// How many of the tokens belong to the place's owner, and how many to the other side.
    sides: [usize; 2],
}

impl Place {
    /// Returns whether the place goes to the side that did not own it (U56); a tie favours the owner.
    pub(in crate::subsume) const fn changes_hands(&self) -> bool {
        let [owner, other] = self.sides;
        other > owner
    }
}

/// What happens to tokens of one side that meet others, or blanks (U52, U54), one bit per token.
struct Fates {
    /// They advance.
    advance: u64,
    /// They advance and change sides.
    turned: u64,
    /// They stay and change sides.
    beaten: u64,
}

const fn fates(own: Kinds, met: Kinds) -> Fates {
    let advance = own.aggressors & !met.aggressors;
    Fates {
        advance,
        turned: advance & met.isolationists,
        beaten: own.advocates & met.aggressors | own.isolationists & met.advocates,
    }
}

/// Matches two stacks from the top down (U53); returns the two places, the attacker's first, and the steps it took, of
/// about a hundred instructions each. A token that is still sealed counts as a blank; by the rules there is none.
pub(in crate::subsume) fn resolve(stacks: [Stack; 2]) -> ([Place; 2], usize) {
    let mut sides = [[0usize; 2]; 2];
    let mut going: [SmallVec<[Going; 2]>; 2] = Default::default();
    let mut steps = 0;
    // Notes what becomes of `width` tokens of the stack `nth`.
    let mut note = |nth: usize, width: usize, fates: &Fates, place: Going| {
        let (advance, beaten) = (fates.advance.count_ones() as usize, fates.beaten.count_ones() as usize);
        let turned = fates.turned.count_ones() as usize;
        sides[nth][0] += width - advance - beaten;
        sides[nth][1] += beaten;
        // The other place belongs to the other side, so tokens that change sides count for its owner.
        sides[1 - nth][0] += turned;
        sides[1 - nth][1] += advance - turned;
        if advance > 0 {
            going[nth].push(place.with(fates.advance));
        }
    };
    let [mut first, mut second] = [stacks[0].downwards(), stacks[1].downwards()];
    loop {
        let width = first.width().min(second.width());
        if width == 0 {
            break;
        }
        let ((own, place), (met, other)) = (first.take(width), second.take(width));
        note(0, width, &fates(own, met), place);
        note(1, width, &fates(met, own), other);
        steps += 2;
    }
    // U54: the rest meets blanks.
    for (nth, mut rest) in [first, second].into_iter().enumerate() {
        while rest.width() > 0 {
            let passed = rest.pass();
            if passed > 0 {
                note(nth, passed, &Fates { advance: 0, turned: 0, beaten: 0 }, Going::default());
            } else {
                let width = rest.width();
                let (own, place) = rest.take(width);
                note(nth, width, &fates(own, Kinds::default()), place);
            }
            steps += 1;
        }
    }
    // U55: tokens that stayed keep their order, and arrivals come on top, the top pair's first.
    let [mut own, mut other] = stacks;
    let [leaving, coming] = [own.take_out(&going[0]), other.take_out(&going[1])];
    steps += (leaving.len() + coming.len()) / 4;
    own.extend(coming);
    other.extend(leaving);
    let [own_sides, other_sides] = sides;
    ([Place { stack: own, sides: own_sides }, Place { stack: other, sides: other_sides }], steps)
}
