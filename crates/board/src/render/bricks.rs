//! Boards of fields laid out like bricks, as text.

use super::Look;
use postrider_kernel::scene::{Brick, Mark, Unit};
use postrider_kernel::{Side, SideName};

/// The characters within a field, and where the board has to be narrow. With one border it is an even number, for each row is set half
/// a field aside.
const ROOM: usize = 23;
const NARROW: usize = 17;

/// Draws the board; each row of fields is as high as its fullest field.
pub(super) fn draw(bricks: &[Brick], sides: [SideName; 2], look: Look, marks: &[Mark]) -> String {
    drawn(bricks, sides, look, ROOM, marks)
}

/// The same in narrow fields, with more names folded.
pub(super) fn narrow(bricks: &[Brick], sides: [SideName; 2], look: Look, marks: &[Mark]) -> String {
    drawn(bricks, sides, look, NARROW, marks)
}

fn drawn(bricks: &[Brick], sides: [SideName; 2], look: Look, room: usize, marks: &[Mark]) -> String {
    if bricks.iter().any(|brick| brick.near.is_some()) {
        return list(bricks, sides, look);
    }
    let across = room + 1;
    let rows = bricks.iter().map(|brick| brick.row).max().map_or(0, |last| last.saturating_add(1));
    let columns = bricks.iter().map(|brick| brick.column).max().map_or(0, usize::from);
    let width = columns * across / 2 + across + 1;
    let mut text = String::new();
    let of_row = |row: Option<u8>| bricks.iter().filter(move |brick| Some(brick.row) == row);
    for row in 0..=rows {
        // Two rows share the border between them.
        let mut border = vec![' '; width];
        for brick in of_row(row.checked_sub(1)).chain(of_row(Some(row))) {
            for (nth, place) in border.iter_mut().skip(left(brick, across)).take(across + 1).enumerate() {
                let corner = nth == 0 || nth == across;
                *place = if corner || *place == '+' { '+' } else { '-' };
            }
        }
        text.push_str(border.into_iter().collect::<String>().trim_end());
        text.push('\n');
        let fields: Vec<_> =
            of_row(Some(row)).map(|brick| (left(brick, across), lines(brick, sides, room, marks))).collect();
        let height = fields.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
        for nth in 0..height {
            let mut line = String::new();
            let mut column = 0;
            for (left, lines) in &fields {
                let (side, shown) = lines.get(nth).map_or((None, ""), |(side, shown)| (*side, shown));
                let style = side.map(|side| look.side(side)).unwrap_or_default();
                line.push_str(&" ".repeat(left.saturating_sub(column)));
                line.push_str(if column == *left + 1 && *left > 0 { "" } else { "|" });
                line.push_str(&format!("{style}{shown:room$}{style:#}|"));
                column = left + across + 1;
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

/// Lists the fields one below the other, each with the fields that it touches.
fn list(bricks: &[Brick], sides: [SideName; 2], look: Look) -> String {
    let mut text = String::new();
    for brick in bricks {
        let building = if brick.building { ", building" } else { "" };
        let near = brick.near_in_words().map(|near| format!("; {near}")).unwrap_or_default();
        let holder = sides[brick.side.index()].word;
        text.push_str(&format!("{} {}, {holder}{building}{near}\n", brick.code, brick.name));
        for unit in &brick.units {
            let style = look.side(unit.side);
            text.push_str(&format!("   {style}{:28} {}{style:#}\n", unit.name, figures(unit, sides)));
        }
    }
    text
}

fn left(brick: &Brick, across: usize) -> usize {
    usize::from(brick.column) * across / 2
}

/// The short name of a field, in brackets if the last entry did something there.
pub(super) fn coded(brick: &Brick, marks: &[Mark]) -> String {
    match super::look::marked(marks, &brick.code) {
        Some((before, behind)) => format!("{before}{}{behind}", brick.code),
        None => brick.code.clone(),
    }
}

/// The lines of a field, none wider than the field.
fn lines(brick: &Brick, sides: [SideName; 2], room: usize, marks: &[Mark]) -> Vec<(Option<Side>, String)> {
    let building = if brick.building { ", building" } else { "" };
    let mut lines = vec![
        (None, format!("{} {}", coded(brick, marks), brick.name)),
        (None, format!("{}{building}", sides[brick.side.index()].word)),
    ];
    for unit in &brick.units {
        lines.push((Some(unit.side), unit.name.clone()));
        lines.push((Some(unit.side), format!("  {}", figures(unit, sides))));
    }
    lines.into_iter().flat_map(|(side, text)| folded(&text, room).into_iter().map(move |line| (side, line))).collect()
}

/// A unit's figures: `M E20-10 xS20 R <AR!`.
pub(super) fn figures(unit: &Unit, sides: [SideName; 2]) -> String {
    let side = super::look::initial(sides[unit.side.index()]);
    format!("{side} {}", strength(unit))
}

/// The same without the side: `E20-10 xS20 R <AR!`.
pub(super) fn strength(unit: &Unit) -> String {
    let damage = if unit.damage > 0 { format!("-{}", unit.damage) } else { String::new() };
    let (class, weapon) = (unit.class.letter(), unit.weapon.letter());
    let mut text = format!("{class}{}{damage} x{weapon}{}", unit.defence, unit.attack);
    let signs = |list: [(bool, char); 3]| list.into_iter().filter(|(has, _)| *has).map(|(_, sign)| sign).collect();
    let features: String = signs([(unit.oversized, 'O'), (unit.ranged, 'R'), (unit.speed, 'F')]);
    let marks: String = signs([(unit.owes, '!'), (unit.sped, '~'), (unit.road, '^')]);
    let back = unit.back.as_ref().map(|back| format!("<{back}")).unwrap_or_default();
    for part in [features, back + &marks] {
        if !part.is_empty() {
            text.push(' ');
            text.push_str(&part);
        }
    }
    text
}

/// Breaks a text into lines of at most `room` characters, between words where possible.
fn folded(text: &str, room: usize) -> Vec<String> {
    let indent = text.len() - text.trim_start().len();
    let mut lines = vec![" ".repeat(indent.min(room / 2))];
    let mut fresh = true;
    for word in text.split_whitespace() {
        let mut rest: Vec<char> = word.chars().collect();
        let used = lines.last().map_or(0, |line| line.chars().count());
        if !fresh && used + 1 + rest.len() > room {
            lines.push(" ".repeat(indent.min(room / 2)));
        } else if !fresh && let Some(line) = lines.last_mut() {
            line.push(' ');
        }
        while let Some(line) = lines.last_mut() {
            let left = room.saturating_sub(line.chars().count());
            line.extend(rest.drain(..left.min(rest.len())));
            if rest.is_empty() {
                break;
            }
            lines.push(String::new());
        }
        fresh = false;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_kernel::scene::Class;

    #[test]
    fn rows_are_offset_by_half_a_field_and_long_names_are_wrapped() {
        let unit = Unit {
            side: Side::First,
            name: "a-very-long-name-of-a-unit.1".into(),
            class: Class::Elite,
            defence: 20,
            damage: 10,
            weapon: Class::Standard,
            attack: 20,
            oversized: false,
            ranged: true,
            speed: false,
            back: Some("AR".into()),
            owes: true,
            sped: false,
            road: false,
        };
        let brick = |row, column, code: &str, name: &str, units: &[Unit]| Brick {
            row,
            column,
            code: code.into(),
            name: name.into(),
            side: Side::First,
            building: units.is_empty(),
            effect: "",
            near: None,
            units: units.to_vec(),
        };
        let plain = Unit { ranged: false, back: None, owes: false, damage: 0, name: "b".into(), ..unit.clone() };
        let board =
            [brick(0, 0, "BP", "Blue Portal", &[unit]), brick(0, 2, "RP", "", &[]), brick(1, 1, "YA", "", &[plain])];
        let sides = ["marines", "portalists"].map(|word| SideName { word, plural: true });
        let expected = "\
+-----------------------+-----------------------+
|BP Blue Portal         |RP                     |
|marines                |marines, building      |
|a-very-long-name-of-a-u|                       |
|nit.1                  |                       |
|  M E20-10 xS20 R <AR! |                       |
+-----------+-----------+-----------+-----------+
            |YA                     |
            |marines                |
            |b                      |
            |  M E20 xS20           |
            +-----------------------+\n";
        assert_eq!(draw(&board, sides, Look::default(), &[]), expected);
        let near = |brick: &Brick, near: &[&str]| Brick {
            near: Some(near.iter().map(|code| (*code).to_owned()).collect()),
            ..brick.clone()
        };
        let listed = [near(&board[0], &["RP", "YA"]), near(&board[1], &[])];
        assert_eq!(
            draw(&listed, sides, Look::default(), &[]),
            "BP Blue Portal, marines; next to RP, YA\n   a-very-long-name-of-a-unit.1 M E20-10 xS20 R <AR!\n\
             RP , marines, building; next to nothing\n"
        );
    }
}
