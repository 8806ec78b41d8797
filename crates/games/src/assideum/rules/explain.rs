//! Why a turn is refused, in words for the player, and what would be legal instead.

use crate::assideum::board::field::Field;
use crate::assideum::board::{Square, squares};
use crate::assideum::position::state::{Action, Assideum, Kind};
use crate::assideum::rules::hints::name;
use crate::assideum::rules::judge::TurnFault;
use crate::assideum::rules::{
    A4, A7, A10, A11, A12, A13, A14, A15, A22, A23, A24, A30, A31, A32, A35, A40, A41, A42, A51, A52, A53, A55,
};
use postrider_kernel::{Illegal, Outcome, Rule};

impl TurnFault {
    fn rule(self, kind: Kind) -> Rule {
        match self {
            TurnFault::Way => match kind {
                Kind::Commander => A10,
                Kind::Vedrin => A11,
                Kind::Striker | Kind::Cruiser => A12,
                _ => A13,
            },
            TurnFault::Blocked(_) | TurnFault::Friend | TurnFault::Enemy => A14,
            TurnFault::Nobody => A15,
            TurnFault::SameFacing => A13,
            TurnFault::CarriedAnyway(_) => A30,
            TurnFault::NotOverlapped(_) | TurnFault::TooOften(_) => A31,
            TurnFault::Landed(_) => A32,
            TurnFault::Collision(..) => A35,
            TurnFault::NoFire
            | TurnFault::TooFar
            | TurnFault::NoTarget
            | TurnFault::Covered(_)
            | TurnFault::FriendlyFire => A42,
            TurnFault::Hover | TurnFault::NotStraight | TurnFault::NoZone | TurnFault::LeavesZone(_) => A22,
            TurnFault::NothingInPlace => A41,
            TurnFault::HeldDown => A24,
            TurnFault::FlyerOnWay(_) => A23,
            TurnFault::MustAttack | TurnFault::NoPrey => A40,
            TurnFault::TwoFlyers => A7,
        }
    }
}

/// How a kind moves, in a few words.
fn way_of(kind: Kind, promoted: bool) -> &'static str {
    match kind {
        Kind::Commander => "moves one square in any direction",
        Kind::Vedrin if promoted => "moves one square in any direction",
        Kind::Vedrin => "moves one square forward, straight or diagonally",
        Kind::Striker => "moves north, east, south or west",
        Kind::Cruiser => "moves in a straight line, also diagonally",
        Kind::Portal | Kind::Ranger => "moves one square in any direction, or spins, or both",
        Kind::Fighter => "flies in a straight line",
    }
}

impl Field {
    /// `Black's Ved'rin on e7`.
    fn force(&self, at: Square) -> String {
        match (self.owner(at), self.kind_at(at)) {
            (Some(side), Some(kind)) => format!("{}'s {} on {at}", name(side), kind.name()),
            _ => format!("what is on {at}"),
        }
    }
}

impl Assideum {
    /// The rule that is broken, and why.
    pub(in crate::assideum) fn explain(&self, turn: &Action, fault: TurnFault) -> Illegal {
        let Some(kind) = turn.kind else { return self.explain_nobody(turn) };
        let field = &self.field;
        let from = turn.from;
        let to = turn.deed.square().unwrap_or(from);
        let piece = format!("the {} on {from}", kind.name());
        let enemy = name(field.to_play.other());
        let message = match fault {
            TurnFault::Way if to == from => format!("{piece} is already on {from}"),
            TurnFault::Way => {
                let promoted = field.promoted() & from.set() != 0;
                format!("{piece} does not reach {to}: it {}", way_of(kind, promoted))
            }
            TurnFault::Blocked(at) => format!("{piece} is blocked by {}", field.force(at)),
            TurnFault::Friend => format!("{piece} is blocked by {}, a friend", field.force(to)),
            TurnFault::Enemy => format!("{piece} is blocked by {}, which `x` would attack", field.force(to)),
            TurnFault::Nobody if field.flying(field.to_play.other()) & to.set() != 0 => {
                format!("no enemy ground force stands on {to}, and ground forces slip under a flyer")
            }
            TurnFault::Nobody => format!("no enemy ground force stands on {to}"),
            TurnFault::SameFacing => format!("{piece} already faces {}", field.facing(from).word()),
            TurnFault::CarriedAnyway(at) => {
                format!("the Fighter on {at} is in the zone of this Portal alone: it is carried anyway and not named")
            }
            TurnFault::Landed(at) if at == from => {
                format!("the Fighter on {at} is landed on this Portal: it goes along and is not named")
            }
            TurnFault::Landed(at) => {
                format!("the Fighter on {at} is landed on the other Portal and cannot be carried")
            }
            TurnFault::NotOverlapped(at) => format!("no Fighter on {at} is in the overlap of both zones"),
            TurnFault::TooOften(at) => format!("{at} is named more often than there are Fighters on it"),
            TurnFault::Collision(at, lands) => {
                format!("the Fighter on {at} would be carried to {lands}, where an enemy Fighter flies")
            }
            TurnFault::NoFire => "Rangers do not fire in this game (`ranger-fire: none`)".into(),
            TurnFault::TooFar => {
                let range = self.rules.range;
                let squares = if range == 1 { "square" } else { "squares" };
                format!(
                    "{piece} does not hit {to}: it fires {range} {squares} ahead in this game (`ranger-fire: {range}`)"
                )
            }
            TurnFault::NoTarget if field.owner(to).is_none() && field.flying(field.to_play.other()) & to.set() != 0 => {
                format!("no ground force stands on {to}, and Ranger fire does not hit flying Fighters")
            }
            TurnFault::NoTarget => {
                format!("{piece} faces {}: no ground force on {to} is ahead of it", field.facing(from).word())
            }
            TurnFault::Covered(at) if field.owner(at) == Some(field.to_play) => {
                format!("{piece} does not hit {to}: {}, a friend, is the first ground force ahead", field.force(at))
            }
            TurnFault::Covered(at) => {
                format!("{piece} does not hit {to}: {} is the first ground force ahead", field.force(at))
            }
            TurnFault::FriendlyFire => format!("the first ground force ahead is {}, a friend", field.force(to)),
            TurnFault::Hover => format!("{piece} is already on {from}"),
            TurnFault::NothingInPlace if field.of(Kind::Portal, field.to_play) & from.set() != 0 => {
                format!("{piece} is landed and no enemy Fighter flies above it")
            }
            TurnFault::NothingInPlace => format!("{piece} shares its square with no enemy ground force"),
            TurnFault::HeldDown => format!("{piece} is landed under an enemy Fighter, which holds it down"),
            TurnFault::NotStraight => format!("no straight line leads from {from} to {to}"),
            TurnFault::NoZone => format!("{piece} is outside every flight zone of its side and cannot fly"),
            TurnFault::LeavesZone(at) => {
                let mut zones = squares(field.of(Kind::Portal, field.to_play)).map(|at| field.zone(at));
                let (one, two) = (zones.next().unwrap_or(0), zones.next().unwrap_or(0));
                if one & two != 0 {
                    format!("{at} is outside the two overlapping flight zones that {piece} may use")
                } else if (one | two) & at.set() != 0 {
                    format!("{at} is in a different flight zone from {piece}, and the two do not overlap (A21)")
                } else {
                    format!("{at} is outside the flight zone that {piece} is in")
                }
            }
            TurnFault::FlyerOnWay(at) => format!("{enemy}'s Fighter on {at} is in the way"),
            TurnFault::MustAttack
                if field.fighters(field.to_play.other()).on(to) > 1 && field.kind_at(to) != Some(Kind::Portal) =>
            {
                format!("two Fighters of {enemy}'s fly on {to}: no flight may end there (A7)")
            }
            TurnFault::MustAttack => format!("{enemy}'s Fighter flies on {to}: a flight that ends there attacks it"),
            TurnFault::TwoFlyers => format!("two Fighters of {enemy}'s fly on {to}, and one would remain"),
            TurnFault::NoPrey => format!("there is nothing to attack on {to}"),
        };
        let illegal = Illegal::new(fault.rule(kind), 0, message);
        match fault {
            TurnFault::CarriedAnyway(_)
            | TurnFault::Landed(_)
            | TurnFault::NotOverlapped(_)
            | TurnFault::TooOften(_) => illegal.with_help(self.may_name(from)),
            _ => self.help_out(illegal, kind, from),
        }
    }

    /// A4: the first square has no such piece of the side to play.
    pub(in crate::assideum) fn explain_nobody(&self, turn: &Action) -> Illegal {
        let field = &self.field;
        let own = field.to_play;
        let at = turn.from;
        let fighter = field.fighters(own).on(at) > 0;
        let (message, help) = match (field.owner(at), field.kind_at(at), turn.kind) {
            (Some(side), Some(kind), Some(wanted)) if side == own => {
                (format!("there is a {} on {at}, not a {}", kind.name(), wanted.name()), Some(self.may(kind, at)))
            }
            (Some(side), Some(kind), _) if side != own => {
                (format!("the {} on {at} is {}'s", kind.name(), name(side)), None)
            }
            (_, _, None) if fighter => (
                format!("no ground piece stands on {at}, only a Fighter"),
                Some(format!("a turn of the Fighter begins with F{at}")),
            ),
            (_, _, Some(wanted)) if fighter && wanted != Kind::Fighter => {
                (format!("there is a Fighter on {at}, not a {}", wanted.name()), Some(self.may(Kind::Fighter, at)))
            }
            _ => (format!("{} has nothing on {at}", name(own)), None),
        };
        let illegal = Illegal::new(A4, 0, message);
        match help.or_else(|| self.stands(turn.kind?)) {
            Some(help) => illegal.with_help(help),
            None => illegal,
        }
    }

    /// A51: which piece besieges the Commander after the turn, and which turns would be legal.
    pub(in crate::assideum) fn explain_siege(
        &self,
        turn: &Action,
        after: &Field,
        (kind, at): (Kind, Square),
    ) -> Illegal {
        let own = self.field.to_play;
        let stays = if self.field.besieged(own, self.rules.range) { "stays in" } else { "comes into" };
        let commander = after.commander(own);
        let message = format!("the Commander on {commander} {stays} siege from the {} on {at}", kind.name());
        let illegal = Illegal::new(A51, 0, message);
        match (self.few_turns(), turn.kind) {
            (Some(turns), _) => illegal.with_help(turns),
            (None, Some(kind)) => illegal.with_help(self.may(kind, turn.from)),
            (None, None) => illegal,
        }
    }

    /// Refuses if the game is over, naming the rule that ended it.
    pub(in crate::assideum) fn still_running(&self) -> Result<(), Illegal> {
        let (rule, message) = match self.outcome {
            None => return Ok(()),
            Some(Outcome::Win(..)) => (A52, "the game is over: the side to play is in siege and cannot end it"),
            Some(Outcome::Draw("bare")) => (A55, "the game is over: only the Commanders are left"),
            Some(Outcome::Draw(_)) => (A53, "the game is over: the side to play has no legal turn"),
        };
        Err(Illegal::new(rule, None, message))
    }
}
