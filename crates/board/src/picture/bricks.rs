//! Boards of fields laid out like bricks, with cards on them, and hands, decks and piles above and below.

use super::glyphs::Hand;
use super::list::{Ink, List, Path, Shape};
use super::pieces;
use super::squares::cross;
use postrider_kernel::Side;
use postrider_kernel::scene::{Brick, Class, Face, Item, Scene, Shelf, Trace, Unit};

/// The width of a field, and half of it, by which rows are offset.
const FIELD: i32 = 312;
const HALF: i32 = FIELD / 2;
/// The height of a field where all have the same, and the part of any field that holds its name.
const TALL: i32 = 264;
const HEAD: i32 = 56;
/// How far from the edge of its field the nearest card stands.
const INSIDE: i32 = 12;
/// The size of a card with the margin around it: two stand beside each other, so that their names can be read on a telephone.
const CARD: i32 = (FIELD - 2 * INSIDE) / 2;
const CARD_TALL: i32 = 120;
/// The margin around everything, and the room for a side's cards where it is always the same.
const EDGE: i32 = 12;
const TRAY: i32 = 136;
/// The height of the line above a side's cards.
const LABEL: i32 = 26;
/// The scale of the cards beside the board where the room for them is always the same, in per cent.
const BESIDE: i32 = 85;

/// Draws the board. Where it is `roomy`, fields and hands are as high as their cards need, which then are as large as they can be; otherwise
/// the picture has the same height in all positions, and cards shrink until they fit.
pub(super) fn draw(list: &mut List, bricks: &[Brick], scene: &Scene, turned: bool, roomy: bool) {
    let columns = bricks.iter().map(|brick| i32::from(brick.column)).max().unwrap_or(0);
    let rows = bricks.iter().map(|brick| usize::from(brick.row)).max().unwrap_or(0);
    list.width = columns * HALF + FIELD + 2 * EDGE;
    // The second side's fields and cards are at the top, or at the bottom if the board is turned.
    let (above, below) = if turned { (Side::First, Side::Second) } else { (Side::Second, Side::First) };
    let mut top = EDGE + tray(list, scene, above, EDGE, roomy);
    let mut tops = Vec::new();
    for row in 0..=rows {
        let row = if turned { rows - row } else { row };
        let highest = bricks.iter().filter(|brick| usize::from(brick.row) == row).map(needed).max();
        let tall = if roomy { highest.unwrap_or(TALL) } else { TALL };
        tops.push((row, top, tall));
        top += tall;
    }
    if roomy && !(scene.marks.is_empty() && scene.blows.is_empty()) {
        let key = "frames: has hit or come; dashed: was hit or left; cross: lost";
        list.text(key, (EDGE + 4, top + 8), Hand::new(16, Ink::Text));
        top += 24;
    }
    top += legend(list, top + 8);
    list.height = top + 10 + tray(list, scene, below, top + 10, roomy) + EDGE;
    let place = |brick: &Brick| {
        let column = i32::from(brick.column);
        let column = if turned { columns - column } else { column };
        let (_, top, tall) =
            tops.iter().find(|(row, ..)| *row == usize::from(brick.row)).copied().unwrap_or((0, EDGE, TALL));
        [EDGE + column * HALF + 4, top + 4, FIELD - 8, tall - 8]
    };
    // All fields first, because they are the same in most pictures of a game, which then share them.
    for brick in bricks {
        field(list, brick, place(brick));
    }
    for brick in bricks {
        contents(list, brick, scene, place(brick));
    }
}

/// Draws a sign of the legend around the middle of its left edge.
type Sign = fn(&mut List, i32, i32);

/// The signs of cards and fields, and what they mean.
const SIGNS: [(Sign, &str); 11] = [
    (|list, x, y| list.shape(Shape::drawn(pieces::class(Class::Standard, x + 10, y, 9), Ink::Text, 3)), "standard"),
    (|list, x, y| list.shape(Shape::drawn(pieces::class(Class::Elite, x + 10, y, 9), Ink::Text, 3)), "elite"),
    (|list, x, y| list.shape(Shape::drawn(pieces::class(Class::Colossal, x + 10, y, 9), Ink::Text, 3)), "colossal"),
    (
        |list, x, y| list.shape(Shape::filled(pieces::class(Class::Elite, x + 10, y, 9), Ink::Text)),
        "filled, at the left: what it hurts, and by how much",
    ),
    (|list, x, y| list.text("20", (x, y - 7), Hand::new(14, Ink::Text).bold()), "at the right: its defence"),
    (|list, x, y| list.shape(Shape::filled(Path::rect(x, y - 2, 20, 5), Ink::Mark)), "damage"),
    (|list, x, y| list.shape(ranged((x, y), Ink::Text)), "ranged"),
    (|list, x, y| list.shape(speed((x + 2, y), Ink::Text)), "speed"),
    (|list, x, y| list.text("!<", (x, y - 6), Hand::new(13, Ink::Text)), "must attack, goes back to"),
    (|list, x, y| list.shape(roof((x, y + 3), 10)), "building"),
    (
        |list, x, y| {
            list.shape(Shape::drawn(
                Path::read(&format!("M{x} {}V{}H{}V{}H{x}", y + 10, y - 8, x + 18, y + 3)),
                Ink::Text,
                3,
            ))
        },
        "in the colours of the side that controls it",
    ),
];

/// Explains the signs below the board, the same in every picture. Returns the height that this takes.
fn legend(list: &mut List, top: i32) -> i32 {
    const LINE: i32 = 26;
    let hand = Hand::new(14, Ink::Text);
    let (mut x, mut y) = (EDGE + 4, top + LINE / 2);
    for (sign, meaning) in SIGNS {
        let width = 28 + hand.width(meaning);
        if x + width > list.width - EDGE {
            (x, y) = (EDGE + 4, y + LINE);
        }
        sign(list, x, y);
        list.text(meaning, (x + 28, y - 7), hand);
        x += width + 22;
    }
    y + LINE / 2 + 4 - top
}

/// A roof of a building, from its lower left corner, and half as wide as this.
fn roof((x, y): (i32, i32), half: i32) -> Shape {
    let path = format!("M{x} {y}L{} {}L{} {y}", x + half, y - half / 2, x + 2 * half);
    Shape::drawn(Path::read(&path), Ink::Text, 4)
}

/// The arrow of a ranged unit.
fn ranged((x, y): (i32, i32), ink: Ink) -> Shape {
    let path = format!("M{x} {y}H{}M{} {}L{} {y}L{} {}", x + 20, x + 13, y - 7, x + 20, x + 13, y + 7);
    Shape::drawn(Path::read(&path), ink, 3)
}

/// The two hooks of a unit with speed.
fn speed((x, y): (i32, i32), ink: Ink) -> Shape {
    let (up, down) = (y - 7, y + 7);
    let path = format!("M{x} {up}L{} {y}L{x} {down}M{} {up}L{} {y}L{} {down}", x + 7, x + 9, x + 16, x + 9);
    Shape::drawn(Path::read(&path), ink, 3)
}

/// The height of a field whose cards have their full size.
fn needed(brick: &Brick) -> i32 {
    let widths: Vec<i32> = brick.units.iter().map(width_of).collect();
    let (_, rows) = fitted(&widths, FIELD - 2 * INSIDE, i32::MAX);
    let rows = i32::try_from(rows.len().max(1)).unwrap_or(1);
    8 + HEAD + rows * CARD_TALL + INSIDE
}

fn field(list: &mut List, brick: &Brick, [x, y, width, height]: [i32; 4]) {
    let ground = if brick.building { Ink::Dark } else { Ink::Light };
    list.shape(Shape::filled(Path::rounded(x, y, width, height, 10), ground).edged(Ink::Line, 3));
    if brick.building {
        // Over the short name.
        list.shape(roof((x + 10, y + 19), 22));
    }
    let code = Hand::new(22, Ink::Text).bold();
    list.text(&brick.code, (x + 14, y + 26), code);
    // A flag in the colours of the side that holds the field.
    let [fill, edge, mark] = pieces::inks(brick.side);
    let (flag_x, flag_y) = (x + width - 38, y + 12);
    let flag = Path::read(&format!("M{flag_x} {flag_y}H{}V{}H{flag_x}Z", flag_x + 24, flag_y + 18));
    list.shape(Shape::filled(flag, fill).edged(edge, 3));
    list.shape(Shape::drawn(Path::line((flag_x + 7, flag_y + 9), (flag_x + 17, flag_y + 9)), mark, 4));
    list.shape(Shape::drawn(Path::line((flag_x, flag_y), (flag_x, flag_y + 32)), edge, 4));
    // Text ends before the pole of the flag, and below that before the cross of what was taken.
    let from = x + 32 + code.width(&brick.code);
    let name = shrunk(&brick.name, Hand::new(18, Ink::Text), flag_x - 12 - from);
    list.text(&brick.name, (from, y + 10), name);
    let below = brick.near_in_words().unwrap_or_else(|| brick.effect.to_owned());
    let lines = fine_print(&below, flag_x - CROSS - from);
    let step = if lines.len() > 1 { 12 } else { 0 };
    for ((line, hand), nth) in lines.into_iter().zip(0..) {
        list.text(&line, (from, y + 36 - step / 2 + nth * step), hand);
    }
    list.target(&brick.code, [x, y, width, height]);
}

/// The room to the left of the flag for the cross of what was taken.
const CROSS: i32 = 34;

/// The hand with which a text fits.
fn shrunk(text: &str, mut hand: Hand, room: i32) -> Hand {
    while hand.height > 4 && hand.width(text) > room {
        hand.height -= 1;
    }
    hand
}

/// What is written below a field's name: on two lines for a field that touches many others.
fn fine_print(text: &str, space: i32) -> Vec<(String, Hand)> {
    let one = shrunk(text, Hand::new(14, Ink::Text), space);
    let middle = text.len() / 2;
    let breaks = text.match_indices(", ").map(|(at, _)| at + 2);
    let at = breaks.min_by_key(|at| at.abs_diff(middle)).filter(|_| one.height < 11);
    let Some((first, second)) = at.and_then(|at| text.split_at_checked(at)) else {
        return vec![(text.to_owned(), one)];
    };
    let lines = [first.trim_end(), second];
    lines.map(|line| (line.to_owned(), shrunk(line, Hand::new(9, Ink::Text), space))).to_vec()
}

fn contents(list: &mut List, brick: &Brick, scene: &Scene, [left, top, wide, tall]: [i32; 4]) {
    let widths: Vec<i32> = brick.units.iter().map(width_of).collect();
    let (scale, rows) = fitted(&widths, FIELD - 2 * INSIDE, tall - HEAD - INSIDE);
    let mut y = top + HEAD + 6;
    let mut nth = 0;
    for row in rows {
        let mut x = left - 4 + INSIDE + 3;
        for _ in 0..row {
            if let (Some(unit), Some(width)) = (brick.units.get(nth), widths.get(nth)) {
                card(list, unit, (x, y), scale);
                struck(list, unit, scene, (x, y), scale);
                list.target(&unit.name, [x, y, width * scale / 100, CARD_TALL * scale / 100]);
                x += width * scale / 100;
            }
            nth += 1;
        }
        y += CARD_TALL * scale / 100;
    }
    // Around the field and in its head, so that no name and no card is covered.
    for mark in scene.marks.iter().filter(|mark| mark.place == brick.code) {
        let frame = Shape::drawn(Path::rounded(left, top, wide, tall, 10), Ink::Mark, 7);
        match mark.trace {
            Trace::From => list.shape(frame.dashed(12, 15)),
            Trace::To => list.shape(frame),
            Trace::Taken => {
                list.shape(Shape::drawn(cross(left + wide - 38 - CROSS / 2, top + 42, 9), Ink::Mark, 6));
            }
        }
    }
}

/// Frames the card of a unit that hit others in the last entry, and dashed that of one that was hit.
fn struck(list: &mut List, unit: &Unit, scene: &Scene, (x, y): (i32, i32), scale: i32) {
    let at = |value: i32| value * scale / 100;
    let frame = || {
        let path = Path::rounded(x - 2, y - 2, at(width_of(unit) - 6) + 4, at(CARD_TALL - 6) + 4, 9);
        Shape::drawn(path, Ink::Mark, 5)
    };
    if scene.blows.iter().any(|blow| blow.by == unit.name) {
        list.shape(frame());
    } else if scene.blows.iter().any(|blow| blow.hit.contains(&unit.name)) {
        list.shape(frame().dashed(9, 12));
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

/// Draws the card of a unit: what it does at the upper left, its type in the middle, what destroys it at the upper right, its name at the
/// bottom. Units of the same card in the same state share one symbol; their number is above the name.
fn card(list: &mut List, unit: &Unit, (left, top): (i32, i32), scale: i32) {
    let (name, number) = unit.name.rsplit_once('.').unwrap_or((&unit.name, ""));
    let state = Unit { name: String::new(), ..unit.clone() };
    list.part(&format!("card {name} {state:?}"), (left, top), scale, |list| unhurried(list, unit, name));
    if !number.is_empty() {
        aside(list, number, (left, top), width_of(unit), scale, unit.side);
    }
}

/// Writes a number at the right above the name of a card.
fn aside(list: &mut List, text: &str, (left, top): (i32, i32), width: i32, scale: i32, side: Side) {
    let [_, _, mark] = pieces::inks(side);
    let at = |value: i32| value * scale / 100;
    list.text(text, (left + at(width - 16), top + at(38)), Hand::new(at(16).max(4), mark).right());
}

fn unhurried(list: &mut List, unit: &Unit, name: &str) {
    let [fill, edge, mark] = pieces::inks(unit.side);
    let (width, height) = (width_of(unit) - 6, CARD_TALL - 6);
    list.shape(Shape::filled(Path::rounded(0, 0, width, height, 8), fill).edged(edge, 3));
    if unit.damage > 0 {
        // The part of its defence that is gone, from the right.
        let whole = i64::from(unit.defence) + i64::from(unit.damage);
        let gone = i64::from(width - 20) * i64::from(unit.damage) / whole.max(1);
        let gone = i32::try_from(gone).unwrap_or(0);
        list.shape(Shape::filled(Path::rect(width - 10 - gone, 30, gone, 5), Ink::Mark).edged(mark, 1));
    }
    let figure = Hand::new(18, mark).bold();
    list.shape(Shape::filled(pieces::class(unit.weapon, 18, 17, 9), mark));
    list.text(&unit.attack.to_string(), (32, 8), figure);
    list.text(&unit.defence.to_string(), (width - 10, 8), figure.right());
    let middle = width / 2 + 11;
    list.shape(Shape::drawn(pieces::class(unit.class, middle, 17, 10), mark, 4));
    let mut x = 10;
    if unit.ranged {
        list.shape(ranged((x, 46), mark));
        x += 30;
    }
    if unit.speed {
        list.shape(speed((x, 46), if unit.sped { edge } else { mark }));
        x += 26;
    }
    if unit.owes || unit.back.is_some() {
        let back = unit.back.as_ref().map(|back| format!("<{back}")).unwrap_or_default();
        let text = format!("{}{back}", if unit.owes { "!" } else { "" });
        list.text(&text, (x, 40), Hand::new(13, mark));
    }
    named(list, name, (width / 2, 62), width - 12, mark);
}

/// How high the capitals of a name are: seven pixels where the board is 360 pixels wide.
const NAME: i32 = 18;

/// Writes a name, on two lines split after a hyphen if it does not fit on one, as large as fits.
fn named(list: &mut List, name: &str, (middle, top): (i32, i32), room: i32, ink: Ink) {
    let hand = Hand::new(NAME, ink).middle();
    let lines = if hand.width(name) <= room { vec![name] } else { folded(name) };
    // One line stands in the middle of the room for two.
    let top = if lines.len() == 1 { top + 12 } else { top };
    for (line, nth) in lines.iter().zip(0..) {
        let hand = shrunk(line, hand, room);
        list.text(line, (middle, top + nth * (NAME + 6) + (NAME - hand.height) / 2), hand);
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

/// Draws the cards that a side has beside the board: its hand, its deck, its pile. Returns the height that they take.
fn tray(list: &mut List, scene: &Scene, side: Side, top: i32, roomy: bool) -> i32 {
    let of = |title: &str| scene.shelves.iter().find(|shelf| shelf.side == side && shelf.title == title);
    let label = Hand::new(if roomy { 15 } else { 13 }, Ink::Text);
    let [hand, deck, pile] = ["hands", "decks", "discarded"].map(of);
    let word = scene.sides[side.index()].word;
    let right = list.width - EDGE;
    let scale = if roomy { 100 } else { BESIDE };
    let pitch = CARD * scale / 100;
    let mut tall = LABEL + CARD_TALL * scale / 100;
    if let Some(shelf) = hand {
        list.text(&format!("{word}: hand of {}", total(shelf)), (EDGE + 4, top + 4), label);
        let room = right - EDGE - 2 * pitch - 20;
        tall = tall.max(LABEL + cards(list, shelf, (EDGE + 4, top + LABEL), room, roomy));
    }
    let edge = 6 * scale / 100;
    if let Some(shelf) = deck {
        let left = right - 2 * pitch;
        list.text(&format!("deck of {}", total(shelf)), (left + pitch - edge, top + 4), label.right());
        if total(shelf) > 0 {
            back(list, side, (left, top + LABEL), scale, total(shelf));
        }
    }
    if let Some(shelf) = pile {
        list.text(&format!("discarded {}", total(shelf)), (right - edge, top + 4), label.right());
        if let Some(last) = shelf.items.last() {
            face(list, last, side, (right - pitch, top + LABEL), scale, false);
        }
    }
    if roomy { tall + 6 } else { TRAY }
}

fn total(shelf: &Shelf) -> u32 {
    shelf.items.iter().map(|item| item.count).sum::<u32>().saturating_add(shelf.hidden)
}

/// Draws the cards of a hand, each kind once with its number, then one back with the number of those that are not visible. Returns the
/// height that they take.
fn cards(list: &mut List, shelf: &Shelf, (left, top): (i32, i32), room: i32, roomy: bool) -> i32 {
    let count = shelf.items.len() + usize::from(shelf.hidden > 0);
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    // Below the deck there is room for more.
    let (first, others) = (room / CARD, (list.width - 2 * EDGE) / CARD);
    let step = if roomy { CARD } else { (room / count.max(1)).min(CARD * BESIDE / 100) };
    let scale = (step * 100 / CARD).clamp(20, 100);
    let at = |nth: i32| match nth - first {
        below if roomy && below >= 0 => (left + below % others * step, top + (1 + below / others) * CARD_TALL),
        _ => (left + nth * step, top),
    };
    for (item, nth) in shelf.items.iter().zip(0..) {
        face(list, item, shelf.side, at(nth), scale, true);
    }
    if shelf.hidden > 0 {
        back(list, shelf.side, at(count - 1), scale, shelf.hidden);
    }
    match at((count - 1).max(0)) {
        (_, last) if roomy => last - top + CARD_TALL,
        _ => CARD_TALL * scale / 100,
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
            list.shape(Shape::filled(Path::read("M28 8L10 32H19L13 52L32 26H23L32 8Z"), mark));
            let (figure, target) = effect.split_once(' ').unwrap_or((effect, ""));
            list.text(figure, (width - 10, 8), Hand::new(18, mark).bold().right());
            list.text(target, (width - 10, 34), shrunk(target, Hand::new(14, mark).right(), width - 76));
            named(list, name, (width / 2, 62), width - 12, mark);
        }),
        Face::Piece(piece) => {
            list.symbol(&pieces::symbol(*piece), (left + at(48), top + at(48)), scale, 0, || pieces::piece(*piece))
        }
    }
    if counted && item.count > 1 {
        let text = format!("×{}", item.count);
        match &item.face {
            // To the left of what it is good against.
            Face::Event { .. } => {
                let [_, _, mark] = pieces::inks(side);
                list.text(&text, (left + at(40), top + at(34)), Hand::new(at(16).max(4), mark));
            }
            _ => aside(list, &text, (left, top), CARD, scale, side),
        }
    }
}

/// Draws the back of a card, which shows only whose it is, with the number of such cards.
fn back(list: &mut List, side: Side, at: (i32, i32), scale: i32, count: u32) {
    list.symbol(&format!("back-{}", side.index() + 1), at, scale, 0, || {
        let [fill, edge, mark] = pieces::inks(side);
        let (width, height) = (CARD - 6, CARD_TALL - 6);
        let mut lines = Path::default();
        for step in [24, 46, 68, 90, 112] {
            lines.add(&Path::line((step - 8, 14), (step + 8, height - 14)));
        }
        vec![
            Shape::filled(Path::rounded(0, 0, width, height, 8), fill).edged(edge, 3),
            Shape::drawn(Path::rounded(8, 8, width - 16, height - 16, 4), mark, 2),
            Shape::drawn(lines, mark, 2),
        ]
    });
    let (x, y) = (at.0 + (CARD - 6) / 2 * scale / 100, at.1 + (CARD_TALL - 6) / 2 * scale / 100);
    let radius = (26 * scale / 100).max(10);
    list.shape(Shape::filled(Path::circle(x, y, radius), Ink::Paper).edged(Ink::Text, 2));
    let figure = Hand::new(radius * 8 / 10, Ink::Text).middle().bold();
    list.text(&count.to_string(), (x, y - figure.height / 2), figure);
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_kernel::SideName;
    use postrider_kernel::scene::{Blow, Board, Class};

    #[test]
    fn cards_shrink_until_all_fit() {
        assert_eq!(fitted(&[CARD; 2], 288, 190), (100, vec![2]));
        assert_eq!(fitted(&[CARD; 6], 288, 360), (100, vec![2, 2, 2]));
        let (scale, rows) = fitted(&[CARD; 20], 288, 190);
        assert!(scale < 70 && rows.iter().sum::<usize>() == 20);
        assert_eq!(fitted(&[], 288, 190), (100, Vec::new()));
    }

    /// A board with a field of so many units, every third of them oversized.
    fn field_of(count: usize) -> (Vec<Brick>, Scene) {
        let unit = |nth: usize| Unit {
            side: Side::First,
            name: format!("stealth-special-force.{nth}"),
            class: Class::Elite,
            defence: 10,
            damage: 10,
            weapon: Class::Standard,
            attack: 20,
            oversized: nth % 3 == 2,
            ranged: true,
            speed: true,
            back: None,
            owes: false,
            sped: false,
            road: false,
        };
        let brick = Brick {
            row: 0,
            column: 0,
            code: "AE".into(),
            name: "Artillery Emplacement".into(),
            side: Side::First,
            building: true,
            effect: "full event fire",
            near: None,
            units: (0..count).map(unit).collect(),
        };
        let bricks = vec![brick];
        let sides = [SideName { word: "marines", plural: true }, SideName { word: "portalists", plural: true }];
        let mut scene = Scene::of(sides, Board::Bricks(bricks.clone()));
        let traces = [Trace::From, Trace::To, Trace::Taken];
        scene.marks = traces.map(|trace| postrider_kernel::scene::Mark { place: "AE".into(), trace }).to_vec();
        scene.blows = vec![Blow { by: "stealth-special-force.0".into(), hit: vec!["stealth-special-force.1".into()] }];
        (bricks, scene)
    }

    #[test]
    fn cards_stay_within_their_field_below_its_names_and_apart() {
        for (count, roomy) in (1..=16).flat_map(|count| [(count, true), (count, false)]) {
            let (bricks, scene) = field_of(count);
            let mut list = List::default();
            draw(&mut list, &bricks, &scene, false, roomy);
            let area = |name: &str| list.targets.iter().find(|target| target.name == name).map(|target| target.area);
            let [x, y, width, height] = area("AE").expect("the field");
            let cards: Vec<_> = bricks[0].units.iter().map(|unit| area(&unit.name).expect("a card")).collect();
            for (nth, [left, top, wide, tall]) in cards.iter().enumerate() {
                assert!(*left >= x + 8 && left + wide <= x + width, "{count} {roomy}");
                assert!(
                    *top >= y + HEAD && top + tall <= y + height - 2,
                    "{count} {roomy}: {top} {tall} in {y} {height}"
                );
                for [other_left, other_top, other_wide, other_tall] in &cards[nth + 1..] {
                    let beside = left + wide <= *other_left || other_left + other_wide <= *left;
                    assert!(beside || top + tall <= *other_top || other_top + other_tall <= *top, "{count} {roomy}");
                }
            }
            // What is written in the head ends above the cards, and frames do not cut into the field.
            for placed in &list.items {
                for shape in list.shapes(placed) {
                    let shape = shape.scaled(placed.scale).placed(placed.at);
                    let [left, top, right, bottom] = shape.path.bounds().expect("a path");
                    let is_frame = shape.fill.is_none() && shape.stroke.is_some_and(|stroke| stroke.ink == Ink::Mark);
                    if is_frame && right - left > width / 2 + 20 && bottom - top > CARD_TALL * 2 {
                        assert_eq!([left, top, right, bottom], [x, y, x + width, y + height], "{count} {roomy}");
                    }
                }
            }
        }
    }

    #[test]
    fn names_of_units_can_be_read_where_the_picture_is_360_pixels_wide() {
        let (mut bricks, mut scene) = field_of(8);
        // The board is three fields wide.
        let [second, third] = [1, 2].map(|nth| Brick {
            column: nth * 2,
            code: format!("F{nth}"),
            units: Vec::new(),
            ..bricks[0].clone()
        });
        bricks.extend([second, third]);
        let names = [
            "psionic-fanatic.5",
            "armored-gauss-tank.1",
            "stealth-special-force.2",
            "warp-colossus.1",
            "rifle-squad.3",
        ];
        bricks[0].units = names
            .into_iter()
            .zip(bricks[0].units.clone())
            .map(|(name, unit)| Unit { name: name.into(), ..unit })
            .collect();
        scene.board = Board::Bricks(bricks.clone());
        let mut list = List::default();
        draw(&mut list, &bricks, &scene, false, true);
        for text in
            ["psionic-", "fanatic", "armored-", "gauss-tank", "stealth-", "special-force", "warp-", "rifle-squad"]
        {
            let letters = list.items.iter().flat_map(|placed| {
                list.shapes(placed)
                    .iter()
                    .map(move |shape| shape.scaled(placed.scale))
                    .filter_map(|shape| shape.lettering)
            });
            let tenths = letters.filter(|one| one.text.starts_with(text)).map(|one| one.height).min().expect(text);
            // A capital of five and a half pixels is that of letters nine pixels high.
            assert!(tenths * 360 / list.width >= 55, "{text}: {tenths} of {}", list.width);
        }
    }

    #[test]
    fn the_legend_names_every_sign_within_the_picture() {
        let mut list = List { width: 2 * HALF * 3 + 2 * EDGE, ..List::default() };
        let tall = legend(&mut list, 0);
        let mut told = Vec::new();
        for placed in &list.items {
            for shape in list.shapes(placed) {
                let shape = shape.scaled(placed.scale).placed(placed.at);
                let [left, top, right, bottom] = shape.path.bounds().expect("a path");
                assert!(left >= EDGE && right <= list.width - EDGE && top >= 0 && bottom <= tall, "{shape:?}");
                told.extend(shape.lettering.map(|lettering| lettering.text));
            }
        }
        for (_, meaning) in SIGNS {
            assert!(told.iter().any(|text| text == meaning), "{meaning}: {told:?}");
        }
    }

    #[test]
    fn frames_say_who_hit_and_who_was_hit() {
        let (bricks, mut scene) = field_of(3);
        let frames = |scene: &Scene| {
            let mut list = List::default();
            draw(&mut list, &bricks, scene, false, true);
            let strokes = list.items.iter().flat_map(|placed| list.shapes(placed)).filter_map(|shape| shape.stroke);
            let cards: Vec<bool> = strokes
                .filter(|stroke| stroke.ink == Ink::Mark && stroke.width == 50)
                .map(|stroke| stroke.dash.is_some())
                .collect();
            cards
        };
        assert_eq!(frames(&scene), [false, true], "the one that hit, and dashed the one that was hit");
        scene.blows.clear();
        assert_eq!(frames(&scene), [false; 0]);
    }

    #[test]
    fn the_three_types_differ_in_shape() {
        let paths = [Class::Standard, Class::Elite, Class::Colossal].map(|one| pieces::class(one, 0, 0, 10));
        assert!(paths[0] != paths[1] && paths[1] != paths[2] && paths[0] != paths[2]);
    }

    #[test]
    fn a_list_of_all_neighbours_ends_before_the_flag() {
        for code in ["BP", "HQ", "AE"] {
            let space = FIELD - 8 - 38 - CROSS - 32 - Hand::new(22, Ink::Text).bold().width(code);
            for line in ["next to RP, DP, YA, YO, BW, AR, BE, AE, HQ", "choice of two cards", "next to nothing"] {
                let lines = fine_print(line, space);
                assert_eq!(lines.iter().map(|(line, _)| line.as_str()).collect::<Vec<_>>().join(" "), line);
                assert!(
                    lines.iter().all(|(line, hand)| hand.width(line) <= space && hand.height >= 8),
                    "{code} {line}"
                );
            }
        }
    }

    #[test]
    fn long_names_are_split_at_a_hyphen() {
        assert_eq!(folded("rifle-squad.2"), ["rifle-", "squad.2"]);
        assert_eq!(folded("tank"), ["tank"]);
        assert_eq!(folded("extraordinarily"), ["extraordinarily"]);
    }
}
