//! Why a turn is refused, in the player's words, and what would be legal instead.

use super::board::{Square, in_order};
use super::field::Field;
use super::judge::Fault;
use super::rules::{
    A4, A7, A10, A11, A12, A13, A14, A15, A22, A23, A24, A30, A31, A32, A35, A40, A41, A42, A51, A52, A53, A55,
};
use super::{Action, Assideum, Deed, Kind, WHITE, notation};
use crate::games::kernel::{Illegal, Outcome, Rule, Side};

/// Lists of whole turns are given up to this length.
const FEW: usize = 8;

impl Fault {
    fn rule(self, kind: Kind) -> Rule {
        match self {
            Fault::Way => match kind {
                Kind::Commander => A10,
                Kind::Vedrin => A11,
                Kind::Striker | Kind::Cruiser => A12,
                _ => A13,
            },
            Fault::Blocked(_) | Fault::Friend | Fault::Enemy => A14,
            Fault::Nobody => A15,
            Fault::SameFacing => A13,
            Fault::CarriedAnyway(_) => A30,
            Fault::NotOverlapped(_) | Fault::TooOften(_) => A31,
            Fault::Landed(_) => A32,
            Fault::Collision(..) => A35,
            Fault::NoFire | Fault::NoTarget | Fault::Covered(_) | Fault::FriendlyFire => A42,
            Fault::Hover | Fault::NotStraight | Fault::NoZone | Fault::LeavesZone(_) => A22,
            Fault::NothingInPlace => A41,
            Fault::HeldDown => A24,
            Fault::FlyerOnWay(_) => A23,
            Fault::MustAttack | Fault::NoPrey => A40,
            Fault::TwoFlyers => A7,
        }
    }
}

/// White or Black, as a name.
fn name(side: Side) -> &'static str {
    if side == WHITE { "White" } else { "Black" }
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
    /// The rule broken and why.
    pub(super) fn explain(&self, turn: &Action, fault: Fault) -> Illegal {
        let Some(kind) = turn.kind else { return self.explain_nobody(turn) };
        let field = &self.field;
        let from = turn.from;
        let to = turn.deed.square().unwrap_or(from);
        let piece = format!("the {} on {from}", kind.name());
        let enemy = name(field.to_play.other());
        let message = match fault {
            Fault::Way if to == from => format!("{piece} stands on {from} already"),
            Fault::Way => {
                let promoted = field.promoted() & from.set() != 0;
                format!("{piece} does not reach {to}: it {}", way_of(kind, promoted))
            }
            Fault::Blocked(at) => format!("{piece} is blocked by {}", field.force(at)),
            Fault::Friend => format!("{piece} is blocked by {}, a friend", field.force(to)),
            Fault::Enemy => format!("{piece} is blocked by {}, which `x` would attack", field.force(to)),
            Fault::Nobody if field.flying(field.to_play.other()) & to.set() != 0 => {
                format!("no enemy ground force stands on {to}, and under a flyer ground forces slip")
            }
            Fault::Nobody => format!("no enemy ground force stands on {to}"),
            Fault::SameFacing => format!("{piece} faces {} already", field.facing(from).word()),
            Fault::CarriedAnyway(at) => {
                format!("the Fighter on {at} is in the zone of this Portal alone: it is carried anyway and not named")
            }
            Fault::Landed(at) if at == from => {
                format!("the Fighter on {at} is landed on this Portal: it goes along and is not named")
            }
            Fault::Landed(at) => {
                format!("the Fighter on {at} is landed on the other Portal and cannot be carried")
            }
            Fault::NotOverlapped(at) => format!("on {at} there is no Fighter in the overlap of both zones"),
            Fault::TooOften(at) => format!("{at} is named more often than there are Fighters on it"),
            Fault::Collision(at, lands) => {
                format!("the Fighter on {at} would be carried to {lands}, where an enemy Fighter flies")
            }
            Fault::NoFire => "Rangers do not fire in this game (`ranger-fire: none`)".into(),
            Fault::NoTarget => {
                format!("{piece} faces {}: no ground force on {to} is ahead of it", field.facing(from).word())
            }
            Fault::Covered(at) => format!("{piece} hits the first ground force ahead, {}", field.force(at)),
            Fault::FriendlyFire => format!("the first ground force ahead is {}, a friend", field.force(to)),
            Fault::Hover => format!("{piece} is on {from} already"),
            Fault::NothingInPlace if field.of(Kind::Portal, field.to_play) & from.set() != 0 => {
                format!("{piece} is landed and no enemy Fighter flies above it")
            }
            Fault::NothingInPlace => format!("{piece} shares its square with no enemy ground force"),
            Fault::HeldDown => format!("{piece} is landed under an enemy Fighter, which holds it down"),
            Fault::NotStraight => format!("no straight line leads from {from} to {to}"),
            Fault::NoZone => format!("{piece} is outside every flight zone of its side and cannot fly"),
            Fault::LeavesZone(at) => format!("{at} is outside the flight zone that {piece} is in"),
            Fault::FlyerOnWay(at) => format!("{enemy}'s Fighter on {at} is in the way"),
            Fault::MustAttack => format!("{enemy}'s Fighter flies on {to}: a flight that ends there attacks it"),
            Fault::TwoFlyers => format!("two Fighters of {enemy}'s fly on {to}, and one would remain"),
            Fault::NoPrey => format!("there is nothing to attack on {to}"),
        };
        let illegal = Illegal::new(fault.rule(kind), 0, message);
        match fault {
            Fault::CarriedAnyway(_) | Fault::Landed(_) | Fault::NotOverlapped(_) | Fault::TooOften(_) => {
                illegal.with_help(self.may_name(from))
            }
            _ => self.help_out(illegal, kind, from),
        }
    }

    /// Which squares `+` may name when a Portal is moved or spun (A31).
    fn may_name(&self, portal: Square) -> String {
        let own = self.field.to_play;
        let overlap = self.field.zone(portal) & self.field.other_zone(own, portal);
        let fighters = self.field.fighters(own);
        let names: Vec<_> = in_order(self.field.flying(own) & overlap)
            .into_iter()
            .map(|at| format!("+{at}{}", if fighters.on(at) > 1 { ", once or twice" } else { "" }))
            .collect();
        match names.len() {
            0 => format!("no Fighter is in the overlap: the Portal on {portal} moves without `+`"),
            _ => format!("the Portal on {portal} may take along {}", listed(&names, " and ")),
        }
    }

    /// A4: no such piece of the side to play is on the first square.
    pub(super) fn explain_nobody(&self, turn: &Action) -> Illegal {
        let field = &self.field;
        let own = field.to_play;
        let at = turn.from;
        let fighter = field.fighters(own).on(at) > 0;
        let (message, help) = match (field.owner(at), field.kind_at(at), turn.kind) {
            (Some(side), Some(kind), Some(wanted)) if side == own => {
                (format!("on {at} stands a {}, not a {}", kind.name(), wanted.name()), Some(self.may(kind, at)))
            }
            (Some(side), Some(kind), _) if side != own => {
                (format!("the {} on {at} is {}'s", kind.name(), name(side)), None)
            }
            (_, _, None) if fighter => (
                format!("no ground piece stands on {at}, only a Fighter"),
                Some(format!("a turn of the Fighter begins with F{at}")),
            ),
            (_, _, Some(wanted)) if fighter && wanted != Kind::Fighter => {
                (format!("on {at} there is a Fighter, not a {}", wanted.name()), Some(self.may(Kind::Fighter, at)))
            }
            _ => (format!("{} has nothing on {at}", name(own)), None),
        };
        let illegal = Illegal::new(A4, 0, message);
        match help.or_else(|| self.stands(turn.kind?)) {
            Some(help) => illegal.with_help(help),
            None => illegal,
        }
    }

    /// Where the side to play has pieces of a kind.
    fn stands(&self, kind: Kind) -> Option<String> {
        let own = self.field.to_play;
        let set = if kind == Kind::Fighter { self.field.fighters(own).set() } else { self.field.of(kind, own) };
        let list: Vec<_> = in_order(set).iter().map(Square::to_string).collect();
        match list.len() {
            0 => Some(format!("{} has no {}", name(own), kind.name())),
            1 => Some(format!("{}'s {} is on {}", name(own), kind.name(), list.concat())),
            _ => {
                let plural = if kind == Kind::Vedrin { "" } else { "s" };
                Some(format!("{}'s {}{plural} are on {}", name(own), kind.name(), listed(&list, " and ")))
            }
        }
    }

    /// A51: who besieges the Commander after the turn, and which turns would do.
    pub(super) fn explain_siege(&self, turn: &Action, after: &Field, (kind, at): (Kind, Square)) -> Illegal {
        let own = self.field.to_play;
        let stays = if self.field.besieged(own, self.rules.fire) { "stays in" } else { "comes into" };
        let commander = after.commander(own);
        let message = format!("the Commander on {commander} {stays} siege from the {} on {at}", kind.name());
        let illegal = Illegal::new(A51, 0, message);
        let mut legal = Vec::new();
        self.field.turns(self.rules.fire, &mut |turn| {
            legal.push(turn);
            legal.len() > FEW
        });
        match turn.kind {
            Some(kind) if legal.len() > FEW => self.help_out(illegal, kind, turn.from),
            _ => {
                let mut list: Vec<_> = legal.iter().map(text).collect();
                list.sort();
                illegal.with_help(match list.len() {
                    1 => format!("the one legal turn is {}", list.concat()),
                    _ => format!("the legal turns are {}", listed(&list, " and ")),
                })
            }
        }
    }

    /// The game is over: which rule ended it.
    pub(super) fn still_running(&self) -> Result<(), Illegal> {
        let (rule, message) = match self.outcome {
            None => return Ok(()),
            Some(Outcome::Win(..)) => (A52, "the game is over: the side to play is in siege and cannot end it"),
            Some(Outcome::Draw("bare")) => (A55, "the game is over: only the Commanders are left"),
            Some(Outcome::Draw(_)) => (A53, "the game is over: the side to play has no legal turn"),
        };
        Err(Illegal::new(rule, None, message))
    }

    /// Adds what a piece may do.
    pub(super) fn help_out(&self, illegal: Illegal, kind: Kind, from: Square) -> Illegal {
        illegal.with_help(self.may(kind, from))
    }

    /// What a piece may do now: `from a1 it may go to a2 or a3, or attack on a7`.
    fn may(&self, kind: Kind, from: Square) -> String {
        let (mut goes, mut attacks, mut fires, mut in_place) = (0, 0, 0, false);
        let mut spins = Vec::new();
        self.field.turns(self.rules.fire, &mut |turn| {
            if turn.kind == Some(kind) && turn.from == from {
                match (turn.deed, turn.facing) {
                    (Deed::Move(to), _) => goes |= to.set(),
                    (Deed::Attack(to), _) if to == from => in_place = true,
                    (Deed::Attack(to), _) => attacks |= to.set(),
                    (Deed::Fire(at), _) => fires |= at.set(),
                    (Deed::Spin, Some(facing)) if !spins.contains(&facing) => spins.push(facing),
                    (Deed::Spin, _) => {}
                }
            }
            false
        });
        let squares = |set| listed(&in_order(set).iter().map(Square::to_string).collect::<Vec<_>>(), " or ");
        let mut ways = Vec::new();
        for (verb, set) in [("go to", goes), ("attack on", attacks), ("fire at", fires)] {
            if set != 0 {
                ways.push(format!("{verb} {}", squares(set)));
            }
        }
        if in_place {
            ways.push(format!("attack in place (F{from}x{from})"));
        }
        if !spins.is_empty() {
            let letters: Vec<_> = spins.iter().map(|facing| facing.letter().to_string()).collect();
            ways.push(format!("spin to {}", listed(&letters, " or ")));
        }
        if ways.is_empty() {
            return format!("the {} on {from} has no legal turn now", kind.name());
        }
        format!("the {} on {from} may {}", kind.name(), ways.join(", or "))
    }
}

fn text(turn: &Action) -> String {
    let mut text = String::new();
    notation::write(turn, &mut text);
    text
}

/// `a5, b5 or c5`.
pub(super) fn listed(names: &[String], last: &str) -> String {
    match names.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{}{last}{end}", rest.join(", ")),
        _ => names.concat(),
    }
}
