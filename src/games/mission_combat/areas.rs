//! The ten areas (M1, M2): the data of `notation/mission-combat/areas.yaml`, read once.

use std::fmt;
use std::sync::OnceLock;

use super::cards::Class;
use super::tree::{Faults, NodeReader};
use crate::games::kernel::Side;
use crate::text::{Node, yaml};

/// How many areas there are.
pub(super) const AREAS: usize = 10;

/// An area, in the order of position lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Area(u8);

/// The effect of an area for the side that controls it (M4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
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
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub code: String,
    pub name: String,
    pub owner: Side,
    pub building: bool,
    pub effect: Effect,
    pub row: u8,
    /// In half areas from the left edge.
    pub column: u8,
    /// The adjacent areas in the default layout, one bit each.
    pub adjacent: u16,
}

/// The facts about all areas; empty if the data are not in order, which a test rules out.
pub(super) fn all() -> &'static [Facts] {
    static ALL: OnceLock<Vec<Facts>> = OnceLock::new();
    ALL.get_or_init(|| read(include_str!("../../../notation/mission-combat/areas.yaml")).unwrap_or_default())
}

/// Reads the areas; `None` if there are not ten, if one is incomplete, or if adjacency is not mutual.
pub(super) fn read(text: &str) -> Option<Vec<Facts>> {
    let tree = yaml::read(text).ok()?;
    let mut faults = Faults::default();
    let mut reader = NodeReader::new(&mut faults);
    let [areas] = reader.fields(&tree, ["areas"], "the list of areas");
    let nodes = reader.list(areas?, "areas");
    let mut list: Vec<(Facts, Vec<String>)> = Vec::new();
    for node in nodes {
        let [code, name, side, building, row, column, effect, class, adjacent] = reader.fields(
            node,
            ["code", "name", "side", "building", "row", "column", "effect", "type", "adjacent"],
            "an area",
        );
        let mut text = |node: Option<&Node<'_>>| Some(reader.text(node?, "a field of an area")?.to_owned());
        let (code, name) = (text(code)?, text(name)?);
        let owner = if text(side)? == "marines" { Side::First } else { Side::Second };
        let building = text(building)? == "true";
        let (row, column) = (text(row)?.parse().ok()?, text(column)?.parse().ok()?);
        let effect = match text(effect)?.as_str() {
            "portal" => Effect::Portal(Class::of(&text(class)?)?),
            "events" => Effect::Events,
            "bunker" => Effect::Bunker,
            "road" => Effect::Road,
            "emplacement" => Effect::Emplacement,
            "hq" => Effect::Hq,
            _ => return None,
        };
        let adjacent = reader.list(adjacent?, "adjacent");
        let adjacent = adjacent.iter().map(|node| Some(reader.text(node, "an area's code")?.to_owned()));
        let adjacent = adjacent.collect::<Option<Vec<_>>>()?;
        list.push((Facts { code, name, owner, building, effect, row, column, adjacent: 0 }, adjacent));
    }
    if list.len() != AREAS {
        return None;
    }
    let codes: Vec<_> = list.iter().map(|(facts, _)| facts.code.clone()).collect();
    let mut all = Vec::new();
    for (mut facts, adjacent) in list {
        for code in adjacent {
            facts.adjacent |= 1 << codes.iter().position(|other| *other == code)?;
        }
        all.push(facts);
    }
    let mutual = |(at, facts): (usize, &Facts)| {
        all.iter().enumerate().all(|(other, there)| (facts.adjacent >> other & 1) == (there.adjacent >> at & 1))
    };
    (faults.is_empty() && all.iter().enumerate().all(mutual)).then_some(all)
}

impl Area {
    /// Every area, in the order of position lines.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..AREAS).filter_map(|at| u8::try_from(at).ok()).map(Self)
    }

    /// The area with this code.
    pub(super) fn read(code: &[u8]) -> Option<Self> {
        let at = all().iter().position(|facts| facts.code.as_bytes() == code)?;
        u8::try_from(at).ok().map(Self)
    }

    /// Its index in the order of position lines, from 0.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn facts(self) -> Option<&'static Facts> {
        all().get(usize::from(self.0))
    }

    /// Its name, for people.
    pub(super) fn name(self) -> &'static str {
        self.facts().map_or("", |facts| &facts.name)
    }

    /// The side whose own area it is (M3).
    pub(super) fn owner(self) -> Side {
        self.facts().map_or(Side::First, |facts| facts.owner)
    }

    /// Whether it is a building.
    pub(super) fn is_building(self) -> bool {
        self.facts().is_some_and(|facts| facts.building)
    }

    pub(super) fn effect(self) -> Option<Effect> {
        self.facts().map(|facts| facts.effect)
    }

    /// The area with an effect that only one area has.
    pub(super) fn with(effect: Effect) -> Option<Self> {
        Self::all().find(|area| area.effect() == Some(effect))
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().map_or("??", |facts| &facts.code))
    }
}
