//! A scene in words: for screen readers, for mail programs that show no pictures, and for anyone who prefers words.

use super::{Block, Board, Brick, Cell, Mark, Piece, Scene, Token, Trace, Unit, square};
use crate::Side;
use crate::text::capital;

/// How many tokens of a stack are named one by one, from the top.
const TOLD: usize = 5;

impl Scene {
    /// Describes the scene in words, one line per thing: every place with something on it, then what is beside the
    /// board. Each line ends with a line feed.
    #[must_use]
    pub fn words(&self) -> String {
        let mut lines = Vec::new();
        match &self.board {
            Board::Points(board) => {
                let pieces = board.points.iter().filter_map(|point| Some((point.file, point.rank, point.piece?)));
                self.pieces(pieces.map(|(file, rank, piece)| (piece, square(file, rank))).collect(), &mut lines);
            }
            Board::Cells(board) => self.cells(&board.cells, &mut lines),
            Board::Blocks(board) => {
                for side in Side::BOTH {
                    let own = board.blocks.iter().filter(|block| block.side == side);
                    self.listed(side, own.map(territory).collect(), &mut lines);
                }
            }
            Board::Bricks(bricks) => lines.extend(bricks.iter().map(|brick| self.field(brick))),
        }
        if let Some(marks) = told(&self.marks) {
            lines.push(format!("last move: {marks}"));
        }
        for die in &self.dice {
            lines.push(format!("{} threw {}", self.name(die.side), die.value));
        }
        let shelves = self.shelves.iter().map(|shelf| (shelf.title, &shelf.text));
        for (label, text) in self.captions.iter().map(|(label, text)| (*label, text)).chain(shelves) {
            match lines.last_mut() {
                // Continues the line before.
                Some(line) if label.is_empty() => {
                    line.push_str("; ");
                    line.push_str(text);
                }
                _ => lines.push(format!("{label}: {text}")),
            }
        }
        lines.into_iter().map(|line| capital(&tidy(&line)) + ".\n").collect()
    }

    /// Says in words what the last move did, as far as the scene is marked: `from c4; to c5; taken on d5`.
    #[must_use]
    pub fn marks_in_words(&self) -> Option<String> {
        told(&self.marks)
    }

    /// Says in words what the last entry took off the board, as far as the scene is marked: `takes d5, e4`.
    #[must_use]
    pub fn taken_in_words(&self) -> Option<String> {
        let places: Vec<_> =
            self.marks.iter().filter(|mark| mark.trace == Trace::Taken).map(|mark| mark.place.as_str()).collect();
        (!places.is_empty()).then(|| format!("takes {}", places.join(", ")))
    }

    fn name(&self, side: Side) -> &'static str {
        self.sides[side.index()].word
    }

    /// `White: Commander e1; Portal c1 facing north`.
    fn listed(&self, side: Side, list: Vec<String>, lines: &mut Vec<String>) {
        let list = if list.is_empty() { "nothing on the board".to_owned() } else { list.join("; ") };
        lines.push(format!("{}: {list}", self.name(side)));
    }

    /// Groups pieces of the same name: `Besiegers: besieger a3, b3, c4`.
    fn pieces(&self, pieces: Vec<(Piece, String)>, lines: &mut Vec<String>) {
        for side in Side::BOTH {
            let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
            for (piece, place) in pieces.iter().filter(|(piece, _)| piece.side == side) {
                match kinds.iter_mut().find(|(name, _)| *name == piece.name) {
                    Some((_, places)) => places.push(place),
                    None => kinds.push((piece.name, vec![place])),
                }
            }
            for (_, places) in &mut kinds {
                places.sort_unstable();
            }
            let word = self.name(side);
            let list = kinds.iter().map(|(name, places)| {
                let places = places.join(", ");
                // `Besiegers: a3, b3`, because all of them are besiegers.
                if word.starts_with(name) { places } else { format!("{name} {places}") }
            });
            self.listed(side, list.collect(), lines);
        }
    }

    fn cells(&self, cells: &[Cell], lines: &mut Vec<String>) {
        for side in Side::BOTH {
            let mut list = Vec::new();
            for cell in cells {
                let place = square(cell.file, cell.rank);
                if let Some(piece) = cell.piece.filter(|piece| piece.side == side) {
                    let mut text = format!("{} {place}", piece.name);
                    if let Some(toward) = cell.toward {
                        text.push_str(&format!(" facing {}", toward.word()));
                    }
                    if cell.promoted {
                        text.push_str(", promoted");
                    }
                    if let Some(wound) = cell.wound {
                        text.push_str(&format!(", {}", wound.words()));
                    }
                    if !cell.aboard.is_empty() {
                        text.push_str(&format!(" with {} aboard", counted(&cell.aboard)));
                    }
                    list.push(text);
                }
                if let Some((piece, wound)) = cell.challenger.filter(|(piece, _)| piece.side == side) {
                    let wound = wound.map(|wound| format!(", {}", wound.words())).unwrap_or_default();
                    list.push(format!("{} {place}{wound}, the challenger there", piece.name));
                }
                let above: Vec<_> = cell.above.iter().filter(|piece| piece.side == side).copied().collect();
                if !above.is_empty() {
                    list.push(format!("{} flying on {place}", counted(&above)));
                }
            }
            self.listed(side, list, lines);
        }
        let region: Vec<_> = cells.iter().filter(|cell| cell.region).map(|cell| square(cell.file, cell.rank)).collect();
        if !region.is_empty() {
            lines.push(format!("marked: {}", region.join(", ")));
        }
    }

    /// `Arterial Road (AR), a building, held by the marines: rifle-squad …`.
    fn field(&self, brick: &Brick) -> String {
        let building = if brick.building { ", a building" } else { "" };
        let units: Vec<_> = brick.units.iter().map(|unit| self.unit(unit)).collect();
        let units = if units.is_empty() { "empty".to_owned() } else { units.join("; ") };
        let holder = self.sides[brick.side.index()].named();
        let near = brick.near_in_words().map(|near| format!(", {near}")).unwrap_or_default();
        format!("{} ({}){building}, held by {holder}{near}: {units}", brick.name, brick.code)
    }

    fn unit(&self, unit: &Unit) -> String {
        let mut text = format!(
            "{} of {}, {}, {} defence left",
            unit.name,
            self.sides[unit.side.index()].named(),
            unit.class.word(),
            unit.defence
        );
        if unit.damage > 0 {
            text.push_str(&format!(" after {} damage", unit.damage));
        }
        text.push_str(&format!(", does {} to {}", unit.attack, unit.weapon.word()));
        for (has, what) in [
            (unit.oversized, "oversized"),
            (unit.ranged, "ranged"),
            (unit.speed, "speed"),
            (unit.owes, "must attack next"),
            (unit.sped, "speed used"),
            (unit.road, "road used"),
        ] {
            if has {
                text.push_str(&format!(", {what}"));
            }
        }
        if let Some(back) = &unit.back {
            text.push_str(&format!(", has to go back to {back}"));
        }
        text
    }
}

/// `c3, 2 by 2: 12 tokens, controlled; from the top advocate, sealed`.
fn territory(block: &Block) -> String {
    let size = if block.size > 1 { format!(", {0} by {0}", block.size) } else { String::new() };
    let count = block.height();
    let tokens = if count == 1 { "token" } else { "tokens" };
    let control = if block.controlled { "controlled".to_owned() } else { format!("{} short of control", block.short) };
    let names: Vec<_> = block.tokens.iter().rev().take(TOLD).map(|token| token_name(*token)).collect();
    let more = if count > TOLD { " and more below" } else { "" };
    format!(
        "{}{size} with {count} {tokens}, {control}, from the top {}{more}",
        square(block.file, block.rank),
        names.join(", ")
    )
}

fn token_name(token: Token) -> String {
    match (token.letter, token.sealed) {
        (Some(_), false) => token.name.to_owned(),
        (Some(_), true) => format!("sealed {}", token.name),
        (None, _) => "sealed".into(),
    }
}

/// `2 Fighters`, `a Fighter`.
fn counted(pieces: &[Piece]) -> String {
    match pieces {
        [one] => format!("a {}", one.name),
        [first, ..] => format!("{} {}s", pieces.len(), first.name),
        [] => String::new(),
    }
}

/// `from c4; to c5; taken on d5`.
fn told(marks: &[Mark]) -> Option<String> {
    let mut parts = Vec::new();
    for (trace, word) in [(Trace::From, "from"), (Trace::To, "to"), (Trace::Taken, "taken on")] {
        let places: Vec<_> = marks.iter().filter(|mark| mark.trace == trace).map(|mark| mark.place.as_str()).collect();
        if !places.is_empty() {
            parts.push(format!("{word} {}", places.join(", ")));
        }
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Collapses runs of spaces, which only serve to align columns of text.
fn tidy(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
