//! Describes legal turns for the refusal of another.

use crate::assideum::board::field::Field;
use crate::assideum::board::{Set, Square, in_order, squares};
use crate::assideum::position::state::{Action, Assideum, Deed, Kind, WHITE};
use crate::assideum::{Facing, notation};
use postrider_kernel::{Illegal, Side};

/// Lists of whole turns are given up to this length.
const FEW: usize = 8;

/// White or Black, as a name.
pub(in crate::assideum) fn name(side: Side) -> &'static str {
    if side == WHITE { "White" } else { "Black" }
}

impl Field {
    /// The force that besieges the Commander of a side, if any (A50).
    pub(in crate::assideum) fn besieger(&self, side: Side, range: u8) -> Option<(Kind, Square)> {
        let mut after = *self;
        after.to_play = side.other();
        after.threat(range)
    }

    /// Returns whether a piece of the side to play has any turn, ignoring the safety of its own Commander (A51).
    fn has_way(&self, range: u8, kind: Kind, from: Square) -> bool {
        let facings = || std::iter::once(None).chain(Facing::ALL.map(Some)).take(if kind.faces() { 5 } else { 1 });
        let allowed = |deed, facing| self.judge(range, &Action { facing, ..Action::plain(kind, from, deed) }).is_ok();
        facings().any(|facing| allowed(Deed::Spin, facing))
            || squares(Set::MAX).any(|to| {
                facings().any(|facing| allowed(Deed::Move(to), facing) || allowed(Deed::Attack(to), facing))
                    || kind == Kind::Ranger && allowed(Deed::Fire(to), None)
            })
    }
}

impl Assideum {
    /// The squares that `+` may name when a Portal is moved or spun (A31).
    pub(in crate::assideum) fn may_name(&self, portal: Square) -> String {
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

    /// Where the side to play has pieces of a kind.
    pub(in crate::assideum) fn stands(&self, kind: Kind) -> Option<String> {
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

    /// Adds what would be legal: in siege, the turns that end it if they are few; otherwise what the piece may do.
    pub(in crate::assideum) fn help_out(&self, illegal: Illegal, kind: Kind, from: Square) -> Illegal {
        let own = self.field.to_play;
        let Some((besieger, at)) = self.field.besieger(own, self.rules.range) else {
            return illegal.with_help(self.may(kind, from));
        };
        let siege = format!(
            "{}'s Commander on {} is in siege from the {} on {at}",
            name(own),
            self.field.commander(own),
            besieger.name()
        );
        match self.few_turns() {
            Some(turns) => illegal.with_help(format!("{siege}: {turns}")),
            None => illegal.with_help(format!("{siege}, which a turn has to end; {}", self.may(kind, from))),
        }
    }

    /// After a turn that was written without a letter on a square that also has a Fighter, adds how the Fighter's turns
    /// begin.
    pub(in crate::assideum) fn or_the_fighter(&self, mut illegal: Illegal, turn: &Action) -> Illegal {
        let at = turn.from;
        let both = self.field.fighters(self.field.to_play).on(at) > 0 && self.field.owner(at).is_some();
        if turn.kind.is_none() && both {
            let help = illegal.help.take().map(|help| format!("{help}; ")).unwrap_or_default();
            illegal.help = Some(format!("{help}a turn of the Fighter on {at} begins with F{at}"));
        }
        illegal
    }

    /// Lists all legal turns, if they are few.
    pub(in crate::assideum) fn few_turns(&self) -> Option<String> {
        let mut legal = Vec::new();
        self.field.turns(self.rules.range, &mut |turn| {
            legal.push(text(&turn));
            legal.len() > FEW
        });
        legal.sort();
        match legal.len() {
            1 => Some(format!("the one legal turn is {}", legal.concat())),
            2..=FEW => Some(format!("the legal turns are {}", listed(&legal, " and "))),
            _ => None,
        }
    }

    /// What a piece may do now: `the Striker on a1 may go to a2 or a3, or attack on a7`.
    pub(in crate::assideum) fn may(&self, kind: Kind, from: Square) -> String {
        let mut legal = Vec::new();
        self.field.turns(self.rules.range, &mut |turn| {
            if turn.kind == Some(kind) && turn.from == from {
                legal.push(turn);
            }
            false
        });
        let piece = format!("the {} on {from}", kind.name());
        if legal.is_empty() {
            return self.may_nothing(kind, from, &piece);
        }
        // A Portal may have to spin or to take Fighters along, so that its square alone would not be enough.
        let is_plain = |turn: &&Action| turn.facing.is_none() && turn.carried.is_empty();
        let plain: Vec<_> = legal.iter().filter(is_plain).map(|turn| turn.deed).collect();
        let set = |part: fn(Deed) -> Option<Square>| {
            let all = plain.iter().filter_map(|&deed| part(deed)).fold(0, |set, at| set | at.set());
            listed(&in_order(all & !from.set()).iter().map(Square::to_string).collect::<Vec<_>>(), " or ")
        };
        let goes = set(|deed| if let Deed::Move(to) = deed { Some(to) } else { None });
        let attacks = set(|deed| if let Deed::Attack(to) = deed { Some(to) } else { None });
        let fires = set(|deed| if let Deed::Fire(at) = deed { Some(at) } else { None });
        let mut ways: Vec<String> = [("go to", goes), ("attack on", attacks), ("fire at", fires)]
            .into_iter()
            .filter(|(_, squares)| !squares.is_empty())
            .map(|(verb, squares)| format!("{verb} {squares}"))
            .collect();
        if plain.contains(&Deed::Attack(from)) {
            ways.push(format!("attack in place (F{from}x{from})"));
        }
        let spins = |facing: &Facing| legal.iter().any(|turn| turn.deed == Deed::Spin && turn.facing == Some(*facing));
        let spins: Vec<_> = Facing::ALL.into_iter().filter(spins).map(|facing| facing.letter().to_string()).collect();
        if !spins.is_empty() {
            ways.push(format!("spin to {}", listed(&spins, " or ")));
        }
        let mut bound: Vec<_> =
            legal.iter().filter(|turn| turn.deed != Deed::Spin && !plain.contains(&turn.deed)).map(text).collect();
        bound.sort();
        if !bound.is_empty() {
            let more = if bound.len() > FEW { " and the like" } else { "" };
            bound.truncate(FEW);
            ways.push(format!("play {}{more}", listed(&bound, " or ")));
        }
        format!("{piece} may {}", ways.join(", or "))
    }

    /// Why a piece has no legal turn.
    fn may_nothing(&self, kind: Kind, from: Square, piece: &str) -> String {
        if self.field.has_way(self.rules.range, kind, from) {
            return format!("no turn of {piece} leaves the Commander out of siege");
        }
        match kind {
            Kind::Fighter if self.field.region(self.field.to_play, from) == 0 => {
                format!("{piece} can fly again when the zone of a Portal comes to it")
            }
            Kind::Portal => format!("every turn of {piece} would carry a Fighter onto an enemy flyer"),
            _ => format!("{piece} has no other way: all are blocked"),
        }
    }
}

fn text(turn: &Action) -> String {
    let mut text = String::new();
    notation::write(turn, &mut text);
    text
}

/// `a5, b5 or c5`.
pub(in crate::assideum) fn listed(names: &[String], last: &str) -> String {
    match names.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{}{last}{end}", rest.join(", ")),
        _ => names.concat(),
    }
}
