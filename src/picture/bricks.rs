//! Boards of fields laid out like bricks, with cards on them, and hands, decks and piles above and below.

use super::glyphs::Hand;
use super::list::{Ink, List, Path, Shape};
use super::pieces;
use super::squares::cross;
use crate::games::kernel::Side;
use crate::scene::{Brick, Face, Item, Scene, Shelf, Trace, Unit};

/// The width of a field, and half of it, by which rows are offset.
const FIELD: i32 = 312;
const HALF: i32 = FIELD / 2;
/// The height of a field, and the part of it that holds its name.
const TALL: i32 = 264;
const HEAD: i32 = 44;
/// The size of a card with the margin around it.
const CARD: i32 = 100;
const CARD_TALL: i32 = 104;
/// The margin around everything, and the room for a side's cards.
const EDGE: i32 = 12;
const TRAY: i32 = 132;

pub(super) fn draw(list: &mut List, bricks: &[Brick], scene: &Scene, turned: bool) {
    let columns = bricks.iter().map(|brick| i32::from(brick.column)).max().unwrap_or(0);
    let rows = bricks.iter().map(|brick| i32::from(brick.row)).max().unwrap_or(0);
    list.width = columns * HALF + FIELD + 2 * EDGE;
    // The second side's fields and cards are at the top, or at the bottom if the board is turned.
    let (above, below) = if turned { (Side::First, Side::Second) } else { (Side::Second, Side::First) };
    let top = EDGE + TRAY;
    list.height = top + (rows + 1) * TALL + TRAY + EDGE;
    tray(list, scene, above, EDGE);
    tray(list, scene, below, top + (rows + 1) * TALL + 10);
    let place = |brick: &Brick| {
        let (column, row) = (i32::from(brick.column), i32::from(brick.row));
        let (column, row) = if turned { (columns - column, rows - row) } else { (column, row) };
        (EDGE + column * HALF, top + row * TALL)
    };
    // All fields first, because they are the same in most pictures of a game, which then share them.
    for brick in bricks {
        field(list, brick, place(brick));
    }
    for brick in bricks {
        contents(list, brick, scene, place(brick));
    }
}

fn field(list: &mut List, brick: &Brick, (left, top): (i32, i32)) {
    let ground = if brick.building { Ink::Dark } else { Ink::Light };
    let (x, y, width, height) = (left + 4, top + 4, FIELD - 8, TALL - 8);
    list.shape(Shape::filled(Path::rounded(x, y, width, height, 10), ground).edged(Ink::Line, 3));
    if brick.building {
        // A roof over the short name.
        let roof = Path::read(&format!("M{} {}L{} {}L{} {}", x + 6, y + 14, x + 27, y + 4, x + 48, y + 14));
        list.shape(Shape::drawn(roof, Ink::Text, 4));
    }
    let code = Hand::new(20, Ink::Text).bold();
    list.text(&brick.code, (x + 11, y + 20), code);
    list.text(&brick.name, (x + 24 + code.width(&brick.code), y + 10), Hand::new(14, Ink::Text));
    let below = brick.near_in_words().unwrap_or_else(|| brick.effect.to_owned());
    // A flag in the colours of the side that holds the field.
    let [fill, edge, mark] = pieces::inks(brick.side);
    let (flag_x, flag_y) = (x + width - 34, y + 10);
    // It ends before the pole of the flag.
    let from = x + 24 + code.width(&brick.code);
    list.text(&below, (from, y + 33), fine_print(&below, flag_x - 4 - from));
    let flag = Path::read(&format!("M{flag_x} {flag_y}H{}V{}H{flag_x}Z", flag_x + 24, flag_y + 18));
    list.shape(Shape::filled(flag, fill).edged(edge, 3));
    list.shape(Shape::drawn(Path::line((flag_x + 7, flag_y + 9), (flag_x + 17, flag_y + 9)), mark, 4));
    list.shape(Shape::drawn(Path::line((flag_x, flag_y), (flag_x, flag_y + 32)), edge, 4));
    list.target(&brick.code, [x, y, width, height]);
}

/// The hand for what is written below a field's name: smaller for a field that touches many others.
fn fine_print(text: &str, space: i32) -> Hand {
    let fits = |hand: &Hand| hand.width(text) <= space;
    let sizes: &[i32] = if text.len() > 34 { &[8, 7] } else { &[11] };
    sizes
        .iter()
        .map(|size| Hand::new(*size, Ink::Text))
        .find(fits)
        .unwrap_or(Hand::new(*sizes.last().unwrap_or(&7), Ink::Text))
}

fn contents(list: &mut List, brick: &Brick, scene: &Scene, (left, top): (i32, i32)) {
    let (x, y, width, height) = (left + 4, top + 4, FIELD - 8, TALL - 8);
    let widths: Vec<i32> = brick.units.iter().map(width_of).collect();
    let (scale, rows) = fitted(&widths, width - 2, height - HEAD - 2);
    let mut y = y + HEAD + 4;
    let mut nth = 0;
    for row in rows {
        let mut x = x + 4;
        for _ in 0..row {
            if let (Some(unit), Some(width)) = (brick.units.get(nth), widths.get(nth)) {
                card(list, unit, (x, y), scale);
                list.target(&unit.name, [x, y, width * scale / 100, CARD_TALL * scale / 100]);
                x += width * scale / 100;
            }
            nth += 1;
        }
        y += CARD_TALL * scale / 100;
    }
    for mark in scene.marks.iter().filter(|mark| mark.place == brick.code) {
        let frame = Shape::drawn(Path::rounded(left + 9, top + 9, FIELD - 18, TALL - 18, 8), Ink::Mark, 6);
        match mark.trace {
            Trace::From => list.shape(frame.dashed(12, 15)),
            Trace::To => list.shape(frame),
            Trace::Taken => {
                list.shape(Shape::drawn(cross(left + FIELD - 32, top + TALL - 32, 12), Ink::Mark, 7));
            }
        }
    }
}

const fn width_of(unit: &Unit) -> i32 {
    if unit.oversized { CARD * 3 / 2 } else { CARD }
}

/// Returns the largest scale at which cards of these widths fit, and how many go into each row.
fn fitted(widths: &[i32], width: i32, height: i32) -> (i32, Vec<usize>) {
    for scale in (20..=100).rev().step_by(5) {
        let mut rows = Vec::new();
        let (mut used, mut count) = (0, 0);
        for card in widths {
            let card = card * scale / 100;
            if used + card > width && count > 0 {
                rows.push(count);
                (used, count) = (0, 0);
            }
            used += card;
            count += 1;
        }
        if count > 0 {
            rows.push(count);
        }
        let tall = i32::try_from(rows.len()).unwrap_or(i32::MAX).saturating_mul(CARD_TALL * scale / 100);
        if tall <= height || scale == 20 {
            return (scale, rows);
        }
    }
    (20, vec![widths.len()])
}

/// Draws the card of a unit: its type in the middle, what it does at the upper left, what destroys it at the upper
/// right, its name at the bottom. Units of the same card in the same state share one symbol; their number is next to
/// the type.
fn card(list: &mut List, unit: &Unit, (left, top): (i32, i32), scale: i32) {
    let (name, number) = unit.name.rsplit_once('.').unwrap_or((&unit.name, ""));
    let state = Unit { name: String::new(), ..unit.clone() };
    list.part(&format!("card {name} {state:?}"), (left, top), scale, |list| unhurried(list, unit, name));
    if !number.is_empty() {
        let [_, _, mark] = pieces::inks(unit.side);
        let at = |value: i32| value * scale / 100;
        list.text(number, (left + at(width_of(unit) - 14), top + at(52)), Hand::new(at(13).max(4), mark).right());
    }
}

fn unhurried(list: &mut List, unit: &Unit, name: &str) {
    let [fill, edge, mark] = pieces::inks(unit.side);
    let (width, height) = (width_of(unit) - 6, CARD_TALL - 6);
    list.shape(Shape::filled(Path::rounded(0, 0, width, height, 8), fill).edged(edge, 3));
    if unit.damage > 0 {
        // The part of its defence that is gone, from the right.
        let whole = i64::from(unit.defence) + i64::from(unit.damage);
        let gone = i64::from(width - 16) * i64::from(unit.damage) / whole.max(1);
        let gone = i32::try_from(gone).unwrap_or(0);
        list.shape(Shape::filled(Path::rect(width - 8 - gone, 30, gone, 6), Ink::Mark).edged(mark, 1));
    }
    let figure = Hand::new(16, mark).bold();
    list.shape(Shape::filled(pieces::class(unit.weapon, 15, 17, 8), mark));
    list.text(&unit.attack.to_string(), (28, 8), figure);
    list.text(&unit.defence.to_string(), (width - 8, 8), figure.right());
    let middle = width / 2;
    list.shape(Shape::drawn(pieces::class(unit.class, middle, 47, 13), mark, 4));
    if unit.ranged {
        list.shape(Shape::drawn(Path::read("M10 47H28M22 41L28 47L22 53"), mark, 3));
    }
    if unit.speed {
        let x = width - 28;
        let path = Path::read(&format!("M{x} 34L{} 40L{x} 46M{} 34L{} 40L{} 46", x + 7, x + 9, x + 16, x + 9));
        list.shape(Shape::drawn(path, if unit.sped { edge } else { mark }, 3));
    }
    if unit.owes || unit.back.is_some() {
        let back = unit.back.as_ref().map(|back| format!("<{back}")).unwrap_or_default();
        let text = format!("{}{back}", if unit.owes { "!" } else { "" });
        list.text(&text, (8, 30), Hand::new(11, mark));
    }
    named(list, name, (middle, 66), width - 8, 11, mark);
}

/// Writes a name on at most two lines, split after a hyphen, as large as fits.
fn named(list: &mut List, name: &str, (middle, top): (i32, i32), room: i32, height: i32, ink: Ink) {
    let lines = folded(name);
    for (line, nth) in lines.iter().zip(0..) {
        let mut hand = Hand::new(height, ink).middle();
        while hand.height > 4 && hand.width(line) > room {
            hand.height -= 1;
        }
        list.text(line, (middle, top + nth * (height + 4) + (height - hand.height) / 2), hand);
    }
}

/// Splits a name into two parts of about the same length.
fn folded(name: &str) -> Vec<&str> {
    let half = name.len() / 2;
    let breaks = name.match_indices(['-', ' ']).map(|(at, _)| at + 1);
    match breaks.min_by_key(|at| at.abs_diff(half)) {
        Some(at) if name.len() > 8 => vec![name.get(..at).unwrap_or(name), name.get(at..).unwrap_or_default()],
        _ => vec![name],
    }
}

/// Draws the cards that a side has beside the board: its hand, its deck, its pile.
fn tray(list: &mut List, scene: &Scene, side: Side, top: i32) {
    let of = |title: &str| scene.shelves.iter().find(|shelf| shelf.side == side && shelf.title == title);
    let label = Hand::new(12, Ink::Text);
    let [hand, deck, pile] = ["hands", "decks", "discarded"].map(of);
    let word = scene.sides[side.index()].word;
    let right = list.width - EDGE;
    let room = right - EDGE - 2 * (CARD + 14);
    if let Some(shelf) = hand {
        list.text(&format!("{word}: hand of {}", total(shelf)), (EDGE + 4, top), label);
        cards(list, shelf, (EDGE + 4, top + 20), room);
    }
    if let Some(shelf) = deck {
        let left = right - 2 * (CARD + 8);
        list.text(&format!("deck of {}", total(shelf)), (left, top), label);
        if total(shelf) > 0 {
            back(list, side, (left, top + 20), 95, Some(total(shelf)));
        }
    }
    if let Some(shelf) = pile {
        let left = right - CARD;
        list.text(&format!("discarded {}", total(shelf)), (left - 4, top), label);
        if let Some(last) = shelf.items.last() {
            face(list, last, side, (left, top + 20), 95, false);
        }
    }
}

fn total(shelf: &Shelf) -> u32 {
    shelf.items.iter().map(|item| item.count).sum::<u32>().saturating_add(shelf.hidden)
}

/// Draws the cards of a hand, each kind once with its number, then the backs of the cards that are not visible.
fn cards(list: &mut List, shelf: &Shelf, (left, top): (i32, i32), room: i32) {
    let backs = shelf.hidden.min(30);
    let count = i32::try_from(shelf.items.len()).unwrap_or(i32::MAX).saturating_add(i32::try_from(backs).unwrap_or(0));
    let step = (room / count.max(1)).min(CARD);
    let scale = (step * 95 / CARD).clamp(20, 95);
    let mut x = left;
    for item in &shelf.items {
        face(list, item, shelf.side, (x, top), scale, true);
        x += step;
    }
    for _ in 0..backs {
        back(list, shelf.side, (x, top), scale, None);
        x += step;
    }
}

fn face(list: &mut List, item: &Item, side: Side, (left, top): (i32, i32), scale: i32, counted: bool) {
    let at = |value: i32| value * scale / 100;
    if counted {
        let name = match &item.face {
            Face::Unit(unit) => &unit.name,
            Face::Event { name, .. } => name,
            Face::Piece(piece) => piece.name,
        };
        list.target(name, [left, top, at(CARD), at(CARD_TALL)]);
    }
    match &item.face {
        Face::Unit(unit) => {
            // The card of an oversized unit is upright in a hand.
            card(list, &Unit { oversized: false, ..unit.clone() }, (left, top), scale);
        }
        Face::Event { name, effect } => list.part(&format!("event {side:?} {name}"), (left, top), scale, |list| {
            let [fill, edge, mark] = pieces::inks(side);
            let (width, height) = (CARD - 6, CARD_TALL - 6);
            list.shape(Shape::filled(Path::rounded(0, 0, width, height, 8), fill).edged(edge, 3));
            // A lightning bolt, which no unit has.
            list.shape(Shape::filled(Path::read("M55 6L37 30H46L40 50L59 24H50L59 6Z"), mark));
            named(list, effect, (width / 2, 52), width - 8, 10, mark);
            named(list, name, (width / 2, 68), width - 8, 11, mark);
        }),
        Face::Piece(piece) => {
            list.symbol(&pieces::symbol(*piece), (left + at(48), top + at(48)), scale, 0, || pieces::piece(*piece))
        }
    }
    if counted && item.count > 1 {
        let (x, y, r) = (left + at(92), top + at(94), at(15).max(5));
        list.shape(Shape::filled(Path::circle(x, y, r), Ink::Paper).edged(Ink::Text, 2));
        list.text(&format!("×{}", item.count), (x, y - r / 2), Hand::new(r, Ink::Text).middle());
    }
}

/// Draws the back of a card, which shows only whose it is.
fn back(list: &mut List, side: Side, at: (i32, i32), scale: i32, count: Option<u32>) {
    list.symbol(&format!("back-{}", side.index() + 1), at, scale, 0, || {
        let [fill, edge, mark] = pieces::inks(side);
        let (width, height) = (CARD - 6, CARD_TALL - 6);
        let mut lines = Path::default();
        for step in [20, 38, 56, 74] {
            lines.add(&Path::line((step - 8, 14), (step + 8, height - 14)));
        }
        vec![
            Shape::filled(Path::rounded(0, 0, width, height, 8), fill).edged(edge, 3),
            Shape::drawn(Path::rounded(8, 8, width - 16, height - 16, 4), mark, 2),
            Shape::drawn(lines, mark, 2),
        ]
    });
    if let Some(count) = count {
        let (x, y) = (at.0 + 50 * scale / 100, at.1 + 49 * scale / 100);
        list.shape(Shape::filled(Path::circle(x, y, 24), Ink::Paper).edged(Ink::Text, 2));
        list.text(&count.to_string(), (x, y - 10), Hand::new(20, Ink::Text).middle().bold());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Class;

    #[test]
    fn cards_shrink_until_all_fit() {
        assert_eq!(fitted(&[CARD; 3], 320, 208), (100, vec![3]));
        assert_eq!(fitted(&[CARD; 6], 320, 208), (100, vec![3, 3]));
        let (scale, rows) = fitted(&[CARD; 20], 320, 208);
        assert!(scale < 70 && rows.iter().sum::<usize>() == 20);
        assert_eq!(fitted(&[], 320, 208), (100, Vec::new()));
    }

    #[test]
    fn the_three_types_differ_in_shape() {
        let paths = [Class::Standard, Class::Elite, Class::Colossal].map(|one| pieces::class(one, 0, 0, 10));
        assert!(paths[0] != paths[1] && paths[1] != paths[2] && paths[0] != paths[2]);
    }

    #[test]
    fn a_list_of_all_neighbours_ends_before_the_flag() {
        for code in ["BP", "HQ", "AE"] {
            let space = FIELD - 8 - 34 - 4 - 24 - Hand::new(20, Ink::Text).bold().width(code);
            let all = "next to RP, DP, YA, YO, BW, AR, BE, AE, HQ";
            assert!(fine_print(all, space).width(all) <= space, "{code}");
        }
    }

    #[test]
    fn long_names_are_split_at_a_hyphen() {
        assert_eq!(folded("rifle-squad.2"), ["rifle-", "squad.2"]);
        assert_eq!(folded("tank"), ["tank"]);
        assert_eq!(folded("extraordinarily"), ["extraordinarily"]);
    }
}
