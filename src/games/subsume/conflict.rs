//! The resolution of a conflict (U52 to U56): two stacks in, two stacks and their owners out.

use super::board::{Kind, Token};

/// A place after a conflict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Bottom to top.
    pub stack: Vec<Token>,
    /// How many of the tokens stand for the place's owner, and how many for the other side.
    sides: [usize; 2],
}

impl Place {
    /// Whether the place goes to the side that did not own it (U56): a tie is its owner's.
    pub(super) const fn changes_hands(&self) -> bool {
        let [owner, other] = self.sides;
        other > owner
    }

    fn stands(&mut self, token: Token, for_owner: bool) {
        self.stack.push(token);
        let [owner, other] = &mut self.sides;
        *(if for_owner { owner } else { other }) += 1;
    }
}

/// What becomes of a token that meets another, or a blank (U52, U54).
struct Fate {
    advances: bool,
    changes: bool,
}

const fn fate(own: Kind, met: Option<Kind>) -> Fate {
    use Kind::{Advocate, Aggressor, Isolationist};
    match (own, met) {
        (Aggressor, Some(Isolationist)) => Fate { advances: true, changes: true },
        (Aggressor, Some(Advocate) | None) => Fate { advances: true, changes: false },
        (Advocate, Some(Aggressor)) | (Isolationist, Some(Advocate)) => Fate { advances: false, changes: true },
        _ => Fate { advances: false, changes: false },
    }
}

/// Matches two stacks from the top down (U53) and returns the two places, the attacker's first. A token that is still sealed counts
/// as a blank; none is by the rules.
pub(super) fn resolve(attacker: &[Token], defender: &[Token]) -> [Place; 2] {
    let mut places = [Place::default(), Place::default()];
    let [first, second] = &mut places;
    // Those that stay keep their order, so they are put down from the bottom up before the arrivals come (U55).
    for (stack, other, place) in [(attacker, defender, &mut *first), (defender, attacker, &mut *second)] {
        for (height, token) in stack.iter().enumerate() {
            let met = met(stack.len(), other, height);
            let fate = token.kind().map_or(Fate { advances: false, changes: false }, |kind| fate(kind, met));
            if !fate.advances {
                place.stands(*token, !fate.changes);
            }
        }
    }
    for (stack, other, place) in [(defender, attacker, first), (attacker, defender, second)] {
        for (height, token) in stack.iter().enumerate().rev() {
            let Some(kind) = token.kind() else { continue };
            let fate = fate(kind, met(stack.len(), other, height));
            if fate.advances {
                // The place is the other side's: who changes sides stands for its owner.
                place.stands(*token, fate.changes);
            }
        }
    }
    places
}

/// The type of the token that the one at this height of a stack meets: the one as far below the other stack's top.
fn met(length: usize, other: &[Token], height: usize) -> Option<Kind> {
    let from_top = length - 1 - height;
    let at = other.len().checked_sub(from_top + 1)?;
    other.get(at)?.kind()
}
