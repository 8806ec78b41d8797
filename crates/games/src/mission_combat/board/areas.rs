//! The ten areas (M1, M2).

use std::fmt;

use crate::mission_combat::board::cards::Class;
use postrider_kernel::Side;

/// How many areas there are.
pub(in crate::mission_combat) const AREAS: usize = 10;

/// An area, in the order of position lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Area(u8);

/// The effect of an area for the side that controls it (M4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mission_combat) enum Effect {
    /// Units of this type are played in it for free (M24).
    Portal(Class),
    /// Events cost nothing (M25).
    Events,
    /// Its units have more defence (M34).
    Bunker,
    /// Its units have a free move (M30).
    Road,
    /// The marines' events are halved (M35).
    Emplacement,
    /// Two cards are drawn and one is kept (M22).
    Hq,
}

/// What is known about an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mission_combat) struct Facts {
    pub code: &'static str,
    pub name: &'static str,
    pub owner: Side,
    pub building: bool,
    pub effect: Effect,
    pub row: u8,
    /// In half areas from the left edge.
    pub column: u8,
    /// The adjacent areas in the default layout, one bit each.
    pub adjacent: u16,
}

// The areas as bits of `Facts::adjacent`.
const BP: u16 = 1 << 0;
const RP: u16 = 1 << 1;
const DP: u16 = 1 << 2;
const YA: u16 = 1 << 3;
const YO: u16 = 1 << 4;
const BW: u16 = 1 << 5;
const AR: u16 = 1 << 6;
const BE: u16 = 1 << 7;
const AE: u16 = 1 << 8;
const HQ: u16 = 1 << 9;

/// The facts about all areas: the data of `notation/mission-combat/areas.yaml`, as a test makes sure. Reading that file would take longer
/// than judging a game.
static ALL: [Facts; AREAS] = [
    area("BP", "Blue Portal", Side::Second, false, Effect::Portal(Class::Colossal), [0, 0], RP | YA),
    area("RP", "Red Portal", Side::Second, true, Effect::Portal(Class::Elite), [0, 2], BP | DP | YA | YO),
    area("DP", "Dark Portal", Side::Second, true, Effect::Events, [0, 4], RP | YO),
    area(
        "YA",
        "Yellow Portal Alpha",
        Side::Second,
        false,
        Effect::Portal(Class::Standard),
        [1, 1],
        BP | RP | YO | BW | AR,
    ),
    area(
        "YO",
        "Yellow Portal Omega",
        Side::Second,
        false,
        Effect::Portal(Class::Standard),
        [1, 3],
        RP | DP | YA | AR | BE,
    ),
    area("BW", "Bunker-West", Side::First, true, Effect::Bunker, [2, 0], YA | AR | AE),
    area("AR", "Arterial Road", Side::First, false, Effect::Road, [2, 2], YA | YO | BW | BE | AE | HQ),
    area("BE", "Bunker-East", Side::First, true, Effect::Bunker, [2, 4], YO | AR | HQ),
    area("AE", "Artillery Emplacement", Side::First, false, Effect::Emplacement, [3, 1], BW | AR | HQ),
    area("HQ", "HQ", Side::First, false, Effect::Hq, [3, 3], AR | BE | AE),
];

const fn area(
    code: &'static str,
    name: &'static str,
    owner: Side,
    building: bool,
    effect: Effect,
    [row, column]: [u8; 2],
    adjacent: u16,
) -> Facts {
    Facts { code, name, owner, building, effect, row, column, adjacent }
}

/// The facts about all areas, in the order of position lines.
pub(in crate::mission_combat) fn all() -> &'static [Facts] {
    &ALL
}

impl Area {
    /// Every area, in the order of position lines.
    pub(in crate::mission_combat) fn all() -> impl Iterator<Item = Self> {
        (0..AREAS).filter_map(|at| u8::try_from(at).ok()).map(Self)
    }

    /// The area with this code.
    pub(in crate::mission_combat) fn read(code: &[u8]) -> Option<Self> {
        let at = all().iter().position(|facts| facts.code.as_bytes() == code)?;
        u8::try_from(at).ok().map(Self)
    }

    /// Its index in the order of position lines, from 0.
    pub(in crate::mission_combat) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(in crate::mission_combat) fn facts(self) -> Option<&'static Facts> {
        all().get(usize::from(self.0))
    }

    /// Its name, for people.
    pub(in crate::mission_combat) fn name(self) -> &'static str {
        self.facts().map_or("", |facts| facts.name)
    }

    /// Its name in a sentence, with its code: `the Dark Portal (DP)`.
    pub(in crate::mission_combat) fn named(self) -> String {
        let name = self.name();
        // Those that are numbered or placed by their name are called by it alone.
        let article = if name.starts_with("Yellow") || name.starts_with("Bunker") { "" } else { "the " };
        match self.facts() {
            Some(facts) if facts.code != name => format!("{article}{name} ({self})"),
            _ => format!("{article}{name}"),
        }
    }

    /// The side whose own area it is (M3).
    pub(in crate::mission_combat) fn owner(self) -> Side {
        self.facts().map_or(Side::First, |facts| facts.owner)
    }

    pub(in crate::mission_combat) fn is_building(self) -> bool {
        self.facts().is_some_and(|facts| facts.building)
    }

    pub(in crate::mission_combat) fn effect(self) -> Option<Effect> {
        self.facts().map(|facts| facts.effect)
    }

    /// The area with an effect that only one area has.
    pub(in crate::mission_combat) fn with(effect: Effect) -> Option<Self> {
        Self::all().find(|area| area.effect() == Some(effect))
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().map_or("??", |facts| facts.code))
    }
}
