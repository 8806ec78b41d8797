//! Why a move or a strike is refused, in words for the player, and what would be legal instead.

use crate::assassyn::board::{Kind, Square};
use crate::assassyn::position::state::{Assassyn, Mark};
use crate::assassyn::rules::{D10, D11, D15, D20, D23, D30, D31, D32, MoveFault, N1, N2, Step};
use postrider_kernel::{Illegal, Rule};

impl MoveFault {
    const fn rule(self) -> Rule {
        match self {
            MoveFault::NoPiece | MoveFault::AnotherPiece(_) => N1,
            MoveFault::NoAssassin | MoveFault::NotAdjacent | MoveFault::NobodyToStrike | MoveFault::NotBlind(_) => D20,
            MoveFault::OwnSquare => D23,
            MoveFault::NotTheChallenger | MoveFault::NotTheChallenged => D30,
            MoveFault::NoEscape => D32,
            MoveFault::NoLine | MoveFault::Gait => D10,
            MoveFault::Taken(_) | MoveFault::Own => D11,
            MoveFault::Barred | MoveFault::AssassinEscapes | MoveFault::EscapeChallenges => D31,
            MoveFault::SomebodyThere(_) | MoveFault::NobodyThere => N2,
            MoveFault::Prey(_) => D15,
        }
    }
}

impl Assassyn {
    /// The rule that is broken, why, and what would be legal.
    pub(in crate::assassyn) fn explain(&self, part: usize, step: Step, fault: MoveFault) -> Illegal {
        let Step { kind, from, mark, to } = step;
        let message = match fault {
            MoveFault::NoPiece => format!("the side to play has no piece on {from}"),
            MoveFault::AnotherPiece(other) => format!("the piece on {from} is a {}", other.name()),
            MoveFault::NoAssassin => "only an Assassin strikes".into(),
            MoveFault::OwnSquare => "an Assassin does not strike on its own square".into(),
            MoveFault::NotTheChallenger => "there is a challenge: a strike must hit the challenger".into(),
            MoveFault::NotAdjacent => format!("{to} is not next to {from}"),
            MoveFault::NobodyToStrike => format!("there is no opposing piece on {to}"),
            MoveFault::NotBlind(prey) => format!("the {} on {to} is not blind that way", prey.name()),
            MoveFault::NoEscape => "the challenged piece has no escape, so no strike may answer".into(),
            MoveFault::NotTheChallenged => match self.board.challenge {
                Some(challenge) => format!("the piece on {} is challenged and must answer", challenge.on),
                None => "another piece is challenged and must answer".into(),
            },
            MoveFault::NoLine => format!("no straight line leads from {from} to {to}"),
            MoveFault::Gait => format!("it does not move that way: {}", kind.gait()),
            MoveFault::Taken(squares) => {
                let met = Square::all().find(|square| squares & square.set() != 0).unwrap_or(to);
                format!("the way is not clear: {met} is occupied")
            }
            MoveFault::Own => format!("a piece of its own side stands on {to}"),
            MoveFault::Barred => "an escape does not go to, or through, a square that the challenger came by".into(),
            MoveFault::SomebodyThere(prey) => format!("an opposing {} stands on {to}", prey.name()),
            MoveFault::NobodyThere => format!("no opposing piece stands on {to}"),
            MoveFault::AssassinEscapes => "a challenged Assassin escapes to empty squares only".into(),
            MoveFault::EscapeChallenges => "with `escape: quiet` an escape is no challenge in its turn".into(),
            MoveFault::Prey(prey) => format!("an Assassin does not challenge a {}", prey.name()),
        };
        let help = match fault {
            MoveFault::NoPiece => self.turns_in_words(),
            MoveFault::AnotherPiece(other) => {
                format!("it is written {}{from}; {}", other.letter(), self.may(other, from))
            }
            MoveFault::SomebodyThere(_) => {
                format!("onto an opposing piece is written with `x`; {}", self.may(kind, from))
            }
            MoveFault::NobodyThere => format!("to an empty square is written with `-`; {}", self.may(kind, from)),
            MoveFault::NotBlind(prey) => {
                let why = match prey {
                    Kind::Longswordsman => "a Longswordsman is blind diagonally",
                    Kind::Shortswordsman => "a Shortswordsman is blind along rank and file",
                    _ => "it is blind only while it shares its square with an opposing piece",
                };
                format!("{why}; {}", self.may(kind, from))
            }
            MoveFault::NotTheChallenger | MoveFault::NotTheChallenged | MoveFault::NoEscape | MoveFault::OwnSquare
                if self.board.challenge.is_some() =>
            {
                self.answers()
            }
            MoveFault::NoAssassin if mark == Mark::Strike => match self.assassin() {
                Some(at) => self.may(Kind::Assassin, at),
                None => "the side to play has no Assassin left".into(),
            },
            _ if self.board.challenge.is_some() => self.answers(),
            _ => self.may(kind, from),
        };
        Illegal::new(fault.rule(), part, message).with_help(help)
    }

    /// The square of the Assassin of the side to play.
    fn assassin(&self) -> Option<Square> {
        self.board.standing(self.board.to_play).find(|(_, kind, ..)| *kind == Kind::Assassin).map(|(_, _, at, _)| at)
    }

    /// The legal moves and strikes in notation, of one piece or of all.
    fn written(&self, of: Option<Square>) -> Vec<String> {
        let mut list = Vec::new();
        if self.outcome.is_none() && !self.deploying {
            self.moves_of(&mut |kind, from, mark, to| {
                if of.is_none_or(|square| square == from) {
                    list.push((kind, from, mark, to));
                }
            });
        }
        let sign = |mark| match mark {
            Mark::To => '-',
            Mark::Onto => 'x',
            Mark::Strike => '*',
        };
        list.iter().map(|(kind, from, mark, to)| format!("{}{from}{}{to}", kind.letter(), sign(*mark))).collect()
    }

    /// What a piece may do now: `legal for Lc1 are Lc1-c2, Lc1-c3 and Lc1xc5`.
    fn may(&self, kind: Kind, from: Square) -> String {
        let piece = format!("{}{from}", kind.letter());
        match listed(&self.written(Some(from))) {
            None => format!("{piece} has no legal turn now; {}", self.turns_in_words()),
            Some(turns) => format!("legal for {piece} {turns}"),
        }
    }

    /// The legal answers to the current challenge (D30).
    fn answers(&self) -> String {
        let turns = self.written(None);
        match turns.split_last() {
            None => "the only answer is `accept`: there is no escape".into(),
            Some((last, [])) => format!("the legal answers are `accept` and {last}"),
            Some((last, rest)) => format!("the legal answers are `accept`, {} and {last}", rest.join(", ")),
        }
    }

    /// What the side to play may do, in short: all its turns if they are few, otherwise its pieces.
    pub(in crate::assassyn) fn turns_in_words(&self) -> String {
        /// Up to this many turns are listed.
        const FEW: usize = 8;
        if self.board.challenge.is_some() {
            return self.answers();
        }
        let turns = self.written(None);
        match listed(&turns).filter(|_| turns.len() <= FEW) {
            Some(turns) => format!("legal {turns}"),
            None => {
                let pieces = self.board.standing(self.board.to_play);
                let pieces: Vec<_> = pieces.map(|(_, kind, at, _)| format!("{}{at}", kind.letter())).collect();
                format!("the side to play has {}", pieces.join(", "))
            }
        }
    }
}

/// `is Lc1-c2`, `are Lc1-c2, Lc1-c3 and Lc1xc5`; `None` if there are none.
fn listed(names: &[String]) -> Option<String> {
    let (last, rest) = names.split_last()?;
    Some(if rest.is_empty() { format!("is {last}") } else { format!("are {} and {last}", rest.join(", ")) })
}
