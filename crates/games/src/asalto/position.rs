//! The position line: ranks 7 to 1, the side to play, and with `huff: claim` the culprits.

use super::board::{BOARD, OUTSIDE, Point, Set, in_order};
use super::{Asalto, BESIEGERS, DEFENDERS, Huff, Rules};
use kernel::notation::Misfit;

/// The most besiegers and defenders that there can be (T10).
const BESIEGERS_AT_MOST: u32 = 24;
const DEFENDERS_AT_MOST: u32 = 2;

impl Asalto {
    /// Writes the position line.
    pub(super) fn write_position(&self) -> String {
        let mut line = String::with_capacity(48);
        for rank in (0..7).rev() {
            for file in 0..7 {
                let point = Point::new(file, rank);
                if point.on_board() {
                    line.push(match point.set() {
                        set if self.besiegers & set != 0 => 'B',
                        set if self.defenders & set != 0 => 'D',
                        _ => '.',
                    });
                }
            }
            line.push(if rank > 0 { '/' } else { ' ' });
        }
        line.push(if self.to_play == BESIEGERS { 'b' } else { 'd' });
        if self.rules.huff == Huff::Claim {
            line.push(' ');
            let names: Vec<_> = in_order(self.culprits).iter().map(Point::to_string).collect();
            line.push_str(if names.is_empty() { "-" } else { "" });
            line.push_str(&names.join(","));
        }
        line
    }

    /// Reads a position line in its canonical spelling, and in no other.
    pub(super) fn read_position(rules: Rules, text: &str) -> Result<Self, Misfit> {
        let mut reader = PositionReader { text: text.as_bytes(), offset: 0 };
        let (mut besiegers, mut defenders): (Set, Set) = (0, 0);
        for rank in (0..7).rev() {
            for file in 0..7 {
                let point = Point::new(file, rank);
                if BOARD & point.set() == 0 {
                    continue;
                }
                match reader.next("B, D or . for each point of the rank")? {
                    b'B' => besiegers |= point.set(),
                    b'D' => defenders |= point.set(),
                    b'.' => {}
                    _ => return Err(reader.refuse("B, D or . for each point of the rank")),
                }
                if besiegers.count_ones() > BESIEGERS_AT_MOST {
                    return Err(reader.refuse("at most 24 besiegers"));
                }
                if defenders.count_ones() > DEFENDERS_AT_MOST {
                    return Err(reader.refuse("at most two defenders"));
                }
            }
            if rank > 0 {
                reader.exactly(b'/', "/ between the ranks, which have 3, 3, 7, 7, 7, 3 and 3 points")?;
            }
        }
        reader.exactly(b' ', "a space, then the side to play")?;
        let to_play = match reader.next("b or d, the side to play")? {
            b'b' => BESIEGERS,
            b'd' => DEFENDERS,
            _ => return Err(reader.refuse("b or d, the side to play")),
        };
        let mut culprits = 0;
        if rules.huff == Huff::Claim {
            reader.exactly(b' ', "a space, then the defenders that may be huffed (with `huff: claim`)")?;
            culprits = reader.culprits(defenders, to_play == BESIEGERS)?;
        }
        if reader.offset < text.len() {
            reader.offset += 1;
            return Err(reader.refuse("the end of the position"));
        }
        let mut game = Self { besiegers, defenders, culprits, to_play, placing: false, outcome: None, rules };
        if besiegers == OUTSIDE && defenders == 0 && to_play == DEFENDERS {
            game.placing = true;
        } else {
            game.outcome = game.decided();
        }
        Ok(game)
    }
}

struct PositionReader<'a> {
    text: &'a [u8],
    offset: usize,
}

impl PositionReader<'_> {
    /// The next byte; `expected` if there is none.
    fn next(&mut self, expected: &'static str) -> Result<u8, Misfit> {
        let Some(&byte) = self.text.get(self.offset) else { return Err(Misfit { offset: self.offset, expected }) };
        self.offset += 1;
        Ok(byte)
    }

    /// Refuses the byte just read.
    fn refuse(&self, expected: &'static str) -> Misfit {
        Misfit { offset: self.offset.saturating_sub(1), expected }
    }

    fn exactly(&mut self, byte: u8, expected: &'static str) -> Result<(), Misfit> {
        if self.next(expected)? == byte { Ok(()) } else { Err(self.refuse(expected)) }
    }

    /// The third field: `-`, or defenders by file and then rank, separated by commas.
    fn culprits(&mut self, defenders: Set, besiegers_to_play: bool) -> Result<Set, Misfit> {
        const EXPECTED: &str = "- or the defenders that may be huffed, in file, then rank order, as in c5,d6";
        if self.text.get(self.offset) == Some(&b'-') {
            self.offset += 1;
            return Ok(0);
        }
        let mut culprits: Set = 0;
        let mut last = None;
        loop {
            let file = self.next(EXPECTED)?;
            let (b'a'..=b'g', Some(rank @ b'1'..=b'7')) = (file, self.text.get(self.offset).copied()) else {
                return Err(self.refuse(EXPECTED));
            };
            let point = Point::new(file - b'a', rank - b'1');
            if !besiegers_to_play {
                return Err(self.refuse("-, for it is the defenders who are to play"));
            }
            if defenders & point.set() == 0 {
                return Err(self.refuse("a point where a defender stands"));
            }
            if last.is_some_and(|last| last >= point.order()) {
                return Err(self.refuse(EXPECTED));
            }
            self.offset += 1;
            last = Some(point.order());
            culprits |= point.set();
            if self.text.get(self.offset) != Some(&b',') {
                return Ok(culprits);
            }
            self.offset += 1;
        }
    }
}
