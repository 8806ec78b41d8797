//! The position line (U96): the territories with their stacks, and the side to play.

pub(crate) mod state;

use std::fmt::Write as _;
use std::sync::Arc;

use super::board::{Board, Face, Kind, SIZE, Square, Territory, Token};
use crate::subsume::board::stack::Stack;
use crate::subsume::position::state::{BLACK, Phase, Rules, State, Subsume, WHITE};
use postrider_kernel::Side;
use postrider_kernel::notation::{Misfit, Reader, read_whole};

const WORDS: [(&str, Side); 2] = [("white", WHITE), ("black", BLACK)];

/// The name of a side.
pub(super) const fn word(side: Side) -> &'static str {
    match side {
        Side::First => "white",
        Side::Second => "black",
    }
}

impl Subsume {
    /// The empty board, White to play.
    pub(super) fn empty(rules: Rules) -> Self {
        let state = State {
            board: Board::empty(),
            to_play: WHITE,
            phase: Phase::Claim,
            turns: 0,
            tokens: 0,
            pending: None,
            outcome: None,
        };
        Self { state, confided: Arc::default(), rules, steps: 0 }
    }

    /// Writes the position line.
    pub(super) fn write_position(&self) -> String {
        let mut line = String::new();
        for territory in self.state.board.all() {
            let letter = if territory.owner == WHITE { 'W' } else { 'B' };
            // Writing to a `String` never fails.
            let _ = write!(line, "{letter} {}", territory.corner);
            if territory.size > 1 {
                let _ = write!(line, "/{}", territory.size);
            }
            line.push(' ');
            line.extend(territory.stack.iter().map(|token| token.kind().map_or('?', Kind::letter)));
            line.push_str("; ");
        }
        let _ = match (self.state.outcome, self.state.pending) {
            (Some(_), _) => write!(line, "game over"),
            (None, Some(_)) => write!(line, "{} to reveal", word(self.state.due())),
            (None, None) => write!(line, "to play {}", word(self.state.to_play)),
        };
        line
    }

    /// Reads a position between turns. Territories may be in any order, and `/1` may be written.
    pub(super) fn read_position(rules: Rules, text: &str) -> Result<Self, Misfit> {
        let mut game = Self::empty(rules);
        let board = &mut game.state.board;
        let mut reader = Reader { text, offset: 0 };
        while !reader.rest().starts_with("to play ") {
            reader.territory(board)?;
            reader.exactly("; ", "a token I, A or D, or `; ` and the next territory or `to play`")?;
        }
        reader.offset += "to play ".len();
        let Some((_, side)) = WORDS.into_iter().find(|(word, _)| *word == reader.rest()) else {
            return reader.refuse("`white` or `black`, and the end of the position");
        };
        game.state.to_play = side;
        let mut home = Square::all().filter(|square| square.rank() == home_rank(side));
        if !board.has_any(side) && home.all(|square| board.at(square).is_some()) {
            return reader.refuse("a side to play that has a territory or an empty home square");
        }
        // U90: numbered in the order of the canonical position.
        for square in Square::all() {
            if board.at(square).is_some_and(|territory| territory.corner == square)
                && let Some(territory) = board.edit(square)
            {
                let first = game.state.tokens;
                territory.stack = (1..)
                    .zip(territory.stack.iter())
                    .map(|(nth, token)| Token::new(first + nth, token.reseals(), token.face()))
                    .collect();
                game.state.tokens += u32::try_from(territory.stack.len()).unwrap_or(u32::MAX);
            }
        }
        Ok(game)
    }
}

/// The rank of a side's home row (U11), from 0.
pub(super) const fn home_rank(side: Side) -> u8 {
    match side {
        Side::First => 0,
        Side::Second => SIZE - 1,
    }
}

/// What only a position of this game has.
trait ReadParts {
    /// `W c3/2 IADI`.
    fn territory(&mut self, board: &mut Board) -> Result<(), Misfit>;
}

impl ReadParts for Reader<'_> {
    fn territory(&mut self, board: &mut Board) -> Result<(), Misfit> {
        let owner = match self.rest().as_bytes() {
            [b'W', b' ', ..] => WHITE,
            [b'B', b' ', ..] => BLACK,
            _ => return self.refuse("`W` or `B` and a territory, or `to play` and a side"),
        };
        self.offset += "W ".len();
        let start = self.offset;
        let name = self.rest().get(..2).unwrap_or_default();
        let corner = read_whole(name, super::notation::square, "a square, a1 to h8")
            .map_err(|misfit| Misfit { offset: start + misfit.offset, ..misfit })?;
        self.offset += name.len();
        let size = match self.rest().as_bytes() {
            [b'/', size @ (b'1' | b'2' | b'4'), ..] => {
                self.offset += 2;
                size - b'0'
            }
            [b'/', ..] => {
                self.offset += 1;
                return self.refuse("1, 2 or 4");
            }
            _ => 1,
        };
        self.exactly(" ", "`/2` or `/4`, or a space and the tokens from bottom to top")?;
        let tokens = self.offset;
        let stack: Stack =
            self.rest().bytes().map_while(Kind::of).map(|kind| Token::new(0, 0, Face::Up(kind))).collect();
        self.offset += stack.len();
        let at = |offset: usize, expected: &'static str| Err(Misfit { offset, expected });
        if stack.is_empty() {
            return self.refuse("a token: I, A or D");
        }
        let last = size - 1;
        if corner.file() + last >= SIZE || corner.rank() + last >= SIZE {
            return at(start, "a territory that does not leave the board");
        }
        let territory = Territory::new(owner, corner, size, stack);
        if territory.squares().any(|square| board.at(square).is_some()) {
            return at(start, "a territory on squares that no other one holds");
        }
        if territory.stack.len() < territory.area() {
            return at(tokens, "at least as many tokens as the territory has squares");
        }
        board.put(territory);
        Ok(())
    }
}
