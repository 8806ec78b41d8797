//! Which areas are adjacent (M2): the default layout, and those that players declare in a header.

use crate::mission_combat::board::areas;
use crate::mission_combat::board::areas::{AREAS, Area};
use crate::mission_combat::moves::tree::{Faults, NodeReader};
use postrider_kernel::text::{Node, Span, Value};

/// Which areas touch each other: for each area, one bit for each other area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mission_combat) struct Layout([u16; AREAS]);

impl Default for Layout {
    /// The layout of the rulebook, which is drawn like bricks.
    fn default() -> Self {
        let mut layout = Self([0; AREAS]);
        for (mask, facts) in layout.0.iter_mut().zip(areas::all()) {
            *mask = facts.adjacent;
        }
        layout
    }
}

impl Layout {
    /// Returns whether two areas are adjacent.
    pub(in crate::mission_combat) fn joins(&self, one: Area, other: Area) -> bool {
        self.0.get(one.index()).is_some_and(|mask| mask >> other.index() & 1 == 1)
    }

    /// The areas adjacent to a given one.
    pub(in crate::mission_combat) fn around(&self, area: Area) -> impl Iterator<Item = Area> + '_ {
        Area::all().filter(move |other| self.joins(area, *other))
    }
}

/// Calls its last argument with each fault in a declaration of the layout, and its place (M2). `key` is the place of
/// the field's name.
pub(in crate::mission_combat) fn check(key: Span, node: &Node<'_>, each: &mut dyn FnMut(Span, String)) {
    if let Err(faults) = read(key, node) {
        faults.into_iter().for_each(|(span, message)| each(span, message));
    }
}

/// Reads a declaration of the layout: a map with the codes of all areas, each with the list of its neighbours (M2).
///
/// # Errors
/// Every fault with its place, in the order of the places.
pub(in crate::mission_combat) fn read(key: Span, node: &Node<'_>) -> Result<Layout, Vec<(Span, String)>> {
    let mut faults = Faults::default();
    let mut reader = NodeReader::new(&mut faults);
    let Value::Map(pairs) = &node.value else {
        reader.fault(key, "`layout` is a map of all ten areas, each with the list of its neighbours: `BP: [RP, YA]`");
        return Err(faults.into_sorted());
    };
    // The line of each area, and the areas it names.
    let mut lines: [Option<(Span, Vec<Area>)>; AREAS] = [const { None }; AREAS];
    for (code, list) in pairs {
        let Some(area) = area(&mut reader, code) else { continue };
        let near = neighbours(&mut reader, area, list);
        match lines.get_mut(area.index()) {
            Some(Some(_)) => reader.fault(code.span, format!("the area {area} appears twice")),
            Some(line) => *line = Some((code.span, near)),
            None => {}
        }
    }
    let mut layout = Layout([0; AREAS]);
    for (area, line) in Area::all().zip(&lines) {
        let Some((span, near)) = line else {
            reader.fault(key, format!("`layout` has no area {area}: it names all ten"));
            continue;
        };
        for other in near {
            let named_back = lines.get(other.index()).and_then(Option::as_ref).map(|(_, near)| near.contains(&area));
            if named_back == Some(false) {
                reader.fault(*span, format!("{area} names {other} as its neighbour, and {other} does not name {area}"));
            }
            if let Some(mask) = layout.0.get_mut(area.index()) {
                *mask |= 1 << other.index();
            }
        }
    }
    if faults.is_empty() { Ok(layout) } else { Err(faults.into_sorted()) }
}

/// The area with a given code.
fn area(reader: &mut NodeReader<'_>, node: &Node<'_>) -> Option<Area> {
    let text = reader.text(node, "an area")?;
    let area = Area::read(text.as_bytes());
    if area.is_none() {
        let codes: Vec<_> = Area::all().map(|area| area.to_string()).collect();
        reader.fault(node.span, format!("there is no area `{text}`; the areas are {}", codes.join(", ")));
    }
    area
}

/// The list of an area's neighbours, each once and not the area itself.
fn neighbours(reader: &mut NodeReader<'_>, area: Area, list: &Node<'_>) -> Vec<Area> {
    let mut near = Vec::new();
    for node in reader.list(list, &area.to_string()) {
        match self::area(reader, node) {
            Some(other) if other == area => reader.fault(node.span, format!("{area} is not a neighbour of itself")),
            Some(other) if near.contains(&other) => {
                reader.fault(node.span, format!("{area} names its neighbour {other} twice"));
            }
            Some(other) => near.push(other),
            None => {}
        }
    }
    near
}
