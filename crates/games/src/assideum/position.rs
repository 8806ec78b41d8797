//! The position line: each side's forces, then the side to play.

pub mod state;

use crate::assideum::board;
use crate::assideum::board::field::Field;
use crate::assideum::board::{Facing, Square};
use crate::assideum::position::state::{BLACK, Kind, WHITE};
use postrider_kernel::Side;
use postrider_kernel::notation::Misfit;

const PIECE: &str = "a piece: its letter (K, R, P, C, S, V or F) and its square, as in Ke1";

/// Writes a position: `white Ke1 Pc1=N Va2 Fc1; black Ke8; to play white`.
pub(super) fn write(field: &Field) -> String {
    let mut line = String::with_capacity(192);
    line.push_str("white");
    write_side(field, WHITE, &mut line);
    line.push_str("; black");
    write_side(field, BLACK, &mut line);
    line.push_str(if field.to_play == WHITE { "; to play white" } else { "; to play black" });
    line
}

fn write_side(field: &Field, side: Side, line: &mut String) {
    let mut put = |kind: Kind, at: Square, more: Option<char>| {
        line.push(' ');
        line.push(kind.letter());
        line.push(char::from(b'a' + at.file()));
        line.push(char::from(b'1' + at.rank()));
        match more {
            Some('!') => line.push('!'),
            Some(facing) => line.extend(['=', facing]),
            None => {}
        }
    };
    for kind in Kind::GROUND {
        for at in board::in_order(field.of(kind, side)) {
            let promoted = (field.promoted() & at.set() != 0).then_some('!');
            put(kind, at, if kind.faces() { Some(field.facing(at).letter()) } else { promoted });
        }
    }
    let mut fighters: Vec<_> = field.fighters(side).iter().collect();
    fighters.sort_by_key(|at| at.order());
    fighters.into_iter().for_each(|at| put(Kind::Fighter, at, None));
}

/// Reads a position, with a side's pieces in any order and spaces anywhere. `range` is how far Rangers fire, which
/// affects who is in siege (A42, A50).
///
/// # Errors
/// Where the text does not fit, or if the position cannot arise: more pieces than there are (A2), two ground pieces on
/// a square (A6), enemy flyers on one square (A7), the side not to play in siege.
pub(super) fn read(text: &str, range: u8) -> Result<Field, Misfit> {
    let mut reader = PositionReader { text: text.as_bytes(), offset: 0 };
    let mut field = Field::empty(WHITE);
    reader.spaces();
    reader.word("white", "`white` and its pieces")?;
    reader.side(WHITE, &mut field)?;
    reader.word("black", "`black` and its pieces")?;
    let blacks = reader.side(BLACK, &mut field)?;
    // Whether a Fighter has landed depends only on its own side's Portals, so flyers are known only now (A5, A7).
    if let Some((offset, _)) =
        blacks.into_iter().find(|(_, at)| field.flying(WHITE) & field.flying(BLACK) & at.set() != 0)
    {
        return Err(Misfit { offset, expected: "no enemy Fighters flying on one square (A7)" });
    }
    const TO_PLAY: &str = "`to play white` or `to play black`";
    reader.word("to", TO_PLAY)?;
    reader.gap(TO_PLAY)?;
    reader.word("play", TO_PLAY)?;
    reader.gap(TO_PLAY)?;
    let offset = reader.offset;
    field.to_play = if reader.rest().starts_with(b"black") { BLACK } else { WHITE };
    reader.word(if field.to_play == BLACK { "black" } else { "white" }, TO_PLAY)?;
    reader.spaces();
    if !reader.rest().is_empty() {
        return Err(reader.refuse("the end of the position"));
    }
    if field.besieged(field.to_play.other(), range) {
        return Err(Misfit { offset, expected: "a position in which the side not to play is not in siege (A51)" });
    }
    Ok(field)
}

struct PositionReader<'a> {
    text: &'a [u8],
    offset: usize,
}

impl<'a> PositionReader<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn refuse(&self, expected: &'static str) -> Misfit {
        Misfit { offset: self.offset, expected }
    }

    fn spaces(&mut self) -> usize {
        let count = self.rest().iter().take_while(|&&byte| byte == b' ').count();
        self.offset += count;
        count
    }

    fn gap(&mut self, expected: &'static str) -> Result<(), Misfit> {
        if self.spaces() == 0 { Err(self.refuse(expected)) } else { Ok(()) }
    }

    fn word(&mut self, word: &str, expected: &'static str) -> Result<(), Misfit> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.refuse(expected));
        }
        self.offset += word.len();
        Ok(())
    }

    /// Reads the pieces of a side and the semicolon after them; returns where its Fighters are written.
    fn side(&mut self, side: Side, field: &mut Field) -> Result<Vec<(usize, Square)>, Misfit> {
        let mut fighters = Vec::new();
        loop {
            let gap = self.spaces();
            if self.rest().first() == Some(&b';') {
                break;
            }
            if gap == 0 {
                return Err(self.refuse("a space and a piece, or `;`"));
            }
            let start = self.offset;
            let refused = |expected| Err(Misfit { offset: start, expected });
            let (kind, at, facing, promoted) = self.piece()?;
            let so_far = match kind {
                Kind::Fighter => field.fighters(side).len(),
                _ => field.of(kind, side).count_ones() as usize,
            };
            if so_far >= kind.at_most() {
                return refused(match kind {
                    Kind::Commander => "one Commander a side (A2)",
                    Kind::Ranger => "at most one Ranger a side (A2)",
                    Kind::Portal => "at most two Portals a side (A2)",
                    Kind::Cruiser => "at most two Cruisers a side (A2)",
                    Kind::Striker => "at most two Strikers a side (A2)",
                    Kind::Vedrin => "at most eight Ved'rin a side (A2)",
                    Kind::Fighter => "at most two Fighters a side (A2)",
                });
            }
            if kind == Kind::Fighter {
                field.add_fighter(side, at);
                fighters.push((start, at));
            } else if field.ground() & at.set() != 0 {
                return refused("a square without another ground piece (A6)");
            } else {
                field.put(side, kind, at, facing, promoted);
            }
        }
        if field.of(Kind::Commander, side) == 0 {
            return Err(self.refuse("one Commander a side (A2)"));
        }
        self.offset += 1;
        self.spaces();
        Ok(fighters)
    }

    fn piece(&mut self) -> Result<(Kind, Square, Option<Facing>, bool), Misfit> {
        let [letter, rest @ ..] = self.rest() else { return Err(self.refuse(PIECE)) };
        let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.letter() == char::from(*letter)) else {
            return Err(self.refuse(PIECE));
        };
        self.offset += 1;
        let [file @ b'a'..=b'h', rank @ b'1'..=b'8', rest @ ..] = rest else {
            return Err(self.refuse("a square, a1 to h8"));
        };
        self.offset += 2;
        let at = Square::new(file - b'a', rank - b'1');
        if kind.faces() {
            let &[b'=', letter, ..] = rest else { return Err(self.refuse("`=` and a facing, N, E, S or W")) };
            self.offset += 1;
            let Some(facing) = Facing::ALL.into_iter().find(|facing| facing.letter() == char::from(letter)) else {
                return Err(self.refuse("a facing, N, E, S or W"));
            };
            self.offset += 1;
            return Ok((kind, at, Some(facing), false));
        }
        let promoted = kind == Kind::Vedrin && rest.first() == Some(&b'!');
        self.offset += usize::from(promoted);
        Ok((kind, at, None, promoted))
    }
}
