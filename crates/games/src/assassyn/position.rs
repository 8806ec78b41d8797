//! The position line: each side's pieces, the side to play, and the current challenge.

pub(crate) mod past;
pub(crate) mod state;

use std::fmt::Write as _;

use super::board::{Board, Challenge, Kind, Man, Square, Wound};
use crate::assassyn::position::state::{Assassyn, BLACK, Rules, WHITE};
use postrider_kernel::Side;
use postrider_kernel::notation::{Misfit, Reader};

const WORDS: [&str; 2] = ["white", "black"];

impl Assassyn {
    /// Writes the position line.
    pub(super) fn write_position(&self) -> String {
        let board = &self.board;
        let mut line = String::with_capacity(96);
        for side in Side::BOTH {
            line.push_str(if side == WHITE { "white" } else { "; black" });
            for (_, kind, at, wound) in board.standing(side) {
                // Writing to a `String` never fails.
                let _ = write!(line, " {}{at}{}", kind.letter(), wound.mark());
            }
        }
        let _ = write!(line, "; to play {}", if board.to_play == WHITE { "white" } else { "black" });
        if let Some(Challenge { from, on }) = board.challenge {
            let _ = write!(line, "; challenge {from}x{on}");
        }
        line.push_str(if board.accepted { "; accepted" } else { "" });
        line.push_str(if self.deploying { "; deploying" } else { "" });
        line
    }

    /// Reads a position line. Pieces may be in any order; everything else has one spelling.
    pub(super) fn read_position(rules: Rules, text: &str) -> Result<Self, Misfit> {
        let mut reader = Reader { text, offset: 0 };
        let mut game = Self::before_deployment(rules);
        for side in Side::BOTH {
            reader.exactly(if side == WHITE { "white" } else { "; black" }, {
                if side == WHITE { "`white` and its pieces" } else { "a piece of White's, or `; black` and its pieces" }
            })?;
            while reader.rest().starts_with(' ') {
                reader.piece(&mut game.board, side)?;
            }
        }
        reader.exactly("; to play ", "a piece of Black's, or `; to play` and a side")?;
        let side = reader.offset;
        game.board.to_play = match WORDS.iter().position(|word| reader.rest().starts_with(word)) {
            Some(0) => WHITE,
            Some(_) => BLACK,
            None => return Err(Misfit { offset: side, expected: "`white` or `black`" }),
        };
        reader.offset += "white".len();
        let twice = |board: &Board| board.set(WHITE) & board.set(BLACK);
        if !reader.rest().is_empty() {
            reader.challenge(&mut game)?;
        }
        if twice(&game.board) & !game.board.challenge.map_or(0, |challenge| challenge.on.set()) != 0 {
            return Err(Misfit {
                offset: 0,
                expected: "opposing pieces on squares of their own, but for a challenge's",
            });
        }
        if !reader.rest().is_empty() {
            return Err(Misfit { offset: reader.offset, expected: "the end of the position" });
        }
        game.begin();
        Ok(game)
    }
}

/// What only a position of this game has.
trait ReadParts {
    fn square_of_the_board(&mut self) -> Result<Square, Misfit>;

    /// A space and a piece with its wound.
    fn piece(&mut self, board: &mut Board, side: Side) -> Result<(), Misfit>;

    /// `; challenge c1xc5`.
    fn challenge(&mut self, game: &mut Assassyn) -> Result<(), Misfit>;
}

impl ReadParts for Reader<'_> {
    fn square_of_the_board(&mut self) -> Result<Square, Misfit> {
        const SQUARE: &str = "a square, a1 to f6";
        let start = self.offset;
        let (file, rank) = self.square::<6, 6>(SQUARE)?;
        Square::new(file, rank).ok_or(Misfit { offset: start, expected: SQUARE })
    }

    fn piece(&mut self, board: &mut Board, side: Side) -> Result<(), Misfit> {
        self.offset += 1;
        let Some(kind) = self.rest().bytes().next().and_then(Kind::of) else {
            return self.refuse("a piece: P, W, L, S or A and its square");
        };
        if board.count(side, kind) == kind.number() {
            return self.refuse("no more pieces than a side has: P, W, two L, two S, A");
        }
        self.offset += 1;
        let start = self.offset;
        let at = self.square_of_the_board()?;
        if board.at(side, at).is_some() {
            return Err(Misfit { offset: start, expected: "a square on which no other piece of the side stands" });
        }
        let mark = self.rest().split([' ', ';']).next().unwrap_or_default();
        let known = [Wound::None, Wound::Slight, Wound::Severe, Wound::HalfHealed];
        let Some(wound) = known.into_iter().find(|wound| wound.mark() == mark) else {
            return self.refuse("`~1`, `~2` or `~2.1` for a wound, or a space, or `;`");
        };
        if wound != Wound::None && kind == Kind::Assassin {
            return self.refuse("no wound: an Assassin is never wounded");
        }
        self.offset += mark.len();
        board.put(side, kind, Man { at: Some(at), wound });
        Ok(())
    }

    fn challenge(&mut self, game: &mut Assassyn) -> Result<(), Misfit> {
        if !self.rest().starts_with("; challenge ") {
            return self.refuse("the end of the position, or `; challenge` and the way of the challenger, as in c1xc5");
        }
        if game.rules.sealed {
            return self.refuse("no challenge: in a sealed record it would have no seal");
        }
        self.offset += "; challenge ".len();
        let start = self.offset;
        let from = self.square_of_the_board()?;
        self.exactly("x", "`x` and the square of the challenge")?;
        let on = self.square_of_the_board()?;
        let refuse = |expected: &'static str| Err(Misfit { offset: start, expected });
        let board = &mut game.board;
        board.challenge = Some(Challenge { from, on });
        let challenger = board.to_play.other();
        let Some(fighters) = board.fighters() else {
            return refuse("one piece of either side on the challenge's square");
        };
        let kind = fighters.attacker.1;
        let moves =
            from.line(on).is_some_and(|(way, distance)| kind.sees(way) && (1..=kind.reach()).contains(&distance));
        if !moves {
            return refuse("a way that is a move of the challenger");
        }
        let standing = board.set(WHITE) | board.set(BLACK);
        if from.way(on) & standing & !from.set() != 0 {
            return refuse("a way that is empty");
        }
        if standing & from.set() != 0 {
            // D31: an escape by a new challenge leaves the former challenger behind, which has just moved.
            let former =
                board.standing(board.to_play).find(|(_, _, at, _)| *at == from && game.rules.escape_by_challenge);
            match former {
                None if game.rules.escape_by_challenge => {
                    return refuse("a way whose start is empty, or holds a piece of the side to play");
                }
                None => return refuse("a way that is empty, its start included"),
                Some((_, Kind::Assassin, ..)) => return refuse("no Assassin at the start of the way"),
                Some((.., Wound::HalfHealed)) => {
                    return refuse("a piece at the start of the way that is not `~2.1`, for it has just moved");
                }
                Some(_) => {}
            }
        }
        if (kind == Kind::Assassin) != (fighters.defender.1 == Kind::Assassin) {
            return refuse("an Assassin on both sides of the challenge, or on neither");
        }
        let wound = board.man(challenger, fighters.attacker.0).map(|man| man.wound);
        if wound == Some(Wound::HalfHealed) {
            return refuse("a challenger that is not `~2.1`, for it has just moved");
        }
        Ok(())
    }
}
