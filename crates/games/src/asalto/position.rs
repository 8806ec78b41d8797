//! The position line: ranks 7 to 1, the side to play, and with `huff: claim` the culprits.

use super::board::{OUTSIDE, Point, Set, in_order};
use super::{Asalto, BESIEGERS, DEFENDERS, Huff, Rules};
use postrider_kernel::Side;
use postrider_kernel::notation::{Misfit, Reader};

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
        let mut reader = Reader { text, offset: 0 };
        let (mut besiegers, mut defenders): (Set, Set) = (0, 0);
        for rank in (0..7).rev() {
            for point in (0..7).map(|file| Point::new(file, rank)).filter(|point| point.on_board()) {
                if reader.skip("B") {
                    besiegers |= point.set();
                } else if reader.skip("D") {
                    defenders |= point.set();
                } else {
                    reader.exactly(".", "B, D or . for each point of the rank")?;
                }
                let too_many = if besiegers.count_ones() > BESIEGERS_AT_MOST {
                    "at most 24 besiegers"
                } else if defenders.count_ones() > DEFENDERS_AT_MOST {
                    "at most two defenders"
                } else {
                    continue;
                };
                return Err(Misfit { offset: reader.offset.saturating_sub(1), expected: too_many });
            }
            if rank > 0 {
                reader.exactly("/", "/ between the ranks, which have 3, 3, 7, 7, 7, 3 and 3 points")?;
            }
        }
        reader.exactly(" ", "a space, then the side to play")?;
        let to_play = if reader.skip("b") {
            BESIEGERS
        } else {
            reader.exactly("d", "b or d, the side to play")?;
            DEFENDERS
        };
        let mut culprits = 0;
        if rules.huff == Huff::Claim {
            reader.exactly(" ", "a space, then the defenders that may be huffed (with `huff: claim`)")?;
            culprits = read_culprits(&mut reader, defenders, to_play)?;
        }
        if !reader.rest().is_empty() {
            return reader.refuse("the end of the position");
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

/// Reads the third field: `-`, or defenders by file and then rank, separated by commas.
fn read_culprits(reader: &mut Reader<'_>, defenders: Set, to_play: Side) -> Result<Set, Misfit> {
    const EXPECTED: &str = "- or the defenders that may be huffed, in file, then rank order, as in c5,d6";
    if reader.skip("-") {
        return Ok(0);
    }
    let mut culprits: Set = 0;
    let mut last = None;
    loop {
        let offset = reader.offset;
        let (file, rank) = reader.square::<7, 7>(EXPECTED)?;
        let point = Point::new(file, rank);
        if to_play != BESIEGERS {
            return Err(Misfit { offset, expected: "-, for it is the defenders who are to play" });
        }
        if defenders & point.set() == 0 {
            return Err(Misfit { offset, expected: "a point where a defender stands" });
        }
        if last.is_some_and(|last| last >= point.order()) {
            return Err(Misfit { offset, expected: EXPECTED });
        }
        last = Some(point.order());
        culprits |= point.set();
        if !reader.skip(",") {
            return Ok(culprits);
        }
    }
}
