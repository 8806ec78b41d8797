//! Lessons: each is a position with one task. The referee checks the solution and judges what is typed. The texts are data beside
//! the rulebooks (`notation/lessons/`).

mod data;

use crate::practice;
use postrider_kernel::scene::{Board, Scene};
use postrider_kernel::{Options, Outcome, Side, Viewer};
use postrider_referee::desk::begin::{Beginning, begin};
use postrider_referee::facade::Referee;
use postrider_referee::judging::{Beside, Judged, Stop};
use postrider_referee::record::Machine;
use postrider_referee::registry::{self, AnyGame};
use postrider_search::Lots;

#[derive(Clone, Debug)]
pub struct Lesson {
    /// The topic.
    pub title: String,
    /// The rules that it teaches.
    pub rules: Vec<String>,
    /// The explanation.
    pub text: String,
    /// The task.
    pub task: String,
    /// The position.
    position: String,
    /// The options of the game, each as `name=value`.
    options: Vec<String>,
    goal: Goal,
    /// An entry that solves the lesson.
    pub solution: String,
    /// What is said once it is solved.
    pub done: String,
    /// Illegal entries that a beginner may try.
    pub tempting: Vec<Tempting>,
    /// Legal entries that do not solve the lesson.
    pub near: Vec<Near>,
}

/// An illegal entry.
#[derive(Clone, Debug)]
pub struct Tempting {
    /// What is typed.
    pub entry: String,
    /// The rule that refuses it.
    pub rule: String,
}

/// A legal entry that does not solve the lesson.
#[derive(Clone, Debug)]
pub struct Near {
    /// What is typed.
    pub entry: String,
    /// The reply to it.
    pub say: String,
}

/// The goal, decided by the referee; every part that is given has to hold.
#[derive(Clone, Debug, Default)]
struct Goal {
    /// The entry is one of these, in canonical form.
    entries: Vec<String>,
    /// The entry begins with this.
    begins: String,
    /// The entry removes this many pieces of the other side.
    takes: usize,
    /// The entry wins the game.
    wins: bool,
    /// The position line after the entry has these parts.
    leaves: Vec<String>,
}

/// The result of an entry that was typed in a lesson.
pub enum Answer {
    /// It solves the lesson.
    Solved(Judged),
    /// It is legal, but does not solve the lesson. The text is the reply.
    Other(Judged, String),
    /// It is refused. The text is what was judged: the entry as typed, with its throws.
    Refused(Stop, String),
}

/// Returns the lessons of a game; none if the game is unknown.
///
/// # Errors
/// If the data cannot be read; a test makes sure that it can.
pub fn lessons(game: &str) -> Result<Vec<Lesson>, String> {
    registry::find(game).map_or_else(|| Ok(Vec::new()), |game| data::read(game.info().lessons))
}

impl Lesson {
    /// Returns the record in which the lesson is played, without entries.
    ///
    /// # Errors
    /// If the position or the options are not valid.
    pub fn record(&self, game: &dyn AnyGame) -> Result<String, String> {
        let info = game.info();
        let mut options = Options::default();
        for option in &self.options {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            options.choose(info.options, name, value).map_err(|_| format!("the option {option}"))?;
        }
        let setup = game.setup(&options, &self.position, false).map_err(|fault| fault.to_string())?;
        let due = game.table(&options, Some(&setup)).map_err(|fault| fault.to_string())?.standing().due.side;
        // As in practice, throws and draws follow from a seed, and the learner sees what the side that is due sees.
        let field = practice::field(info, &Machine { side: due.other(), level: 1, seed: 1 });
        Ok(begin(&Beginning {
            info,
            id: "practice-lesson",
            players: [("You", None, None), ("You", None, None)],
            started: "2026-01-01",
            host: None,
            title: None,
            clock: None,
            options: &options,
            setup: Some(&setup),
            sealed: false,
            own_fields: &field,
        }))
    }

    /// Judges an entry that was typed in the lesson's record. Throws and draws follow from `seed`.
    #[must_use]
    pub fn answer(&self, referee: &Referee<'_>, typed: &str, seed: u64) -> Answer {
        let table = &referee.record().table;
        // The text of a lesson may name the result of a throw or a draw.
        let filled = crate::opponent::thrown(table.as_ref(), "", typed, Lots::new(seed).draw());
        let filled = filled.unwrap_or_else(|_| typed.to_owned());
        let judged = match referee.judge(&filled, &Beside::default()) {
            Ok(judged) => judged,
            Err(stop) => return Answer::Refused(stop, filled),
        };
        let other = judged.side.other();
        let before = pieces(&table.view(Viewer::Side(judged.side)), other);
        let after = pieces(&judged.table.view(Viewer::Side(judged.side)), other);
        if self.goal.is_reached(&judged, before.saturating_sub(after)) {
            return Answer::Solved(judged);
        }
        let said = self.near.iter().find(|near| near.means(referee, &judged));
        let said =
            said.map_or_else(|| format!("Legal, but not what is asked for: {}", self.task), |near| near.say.clone());
        Answer::Other(judged, said)
    }
}

impl Near {
    /// Whether an entry is this one, apart from its throws.
    fn means(&self, referee: &Referee<'_>, judged: &Judged) -> bool {
        let same = |entry: &Judged| entry.actions == judged.actions;
        referee.judge(&self.entry, &Beside::default()).as_ref().is_ok_and(same)
            || judged.actions.starts_with(&format!("{} ", self.entry))
    }
}

impl Goal {
    fn is_reached(&self, judged: &Judged, taken: usize) -> bool {
        let position = judged.table.position();
        let outcome = judged.table.standing().outcome;
        (self.entries.is_empty() || self.entries.contains(&judged.actions))
            && judged.actions.starts_with(&self.begins)
            && taken >= self.takes
            && (!self.wins
                || outcome.is_some_and(|outcome| matches!(outcome, Outcome::Win(side, _) if side == judged.side)))
            && self.leaves.iter().all(|part| position.contains(part.as_str()))
    }
}

/// Counts a side's pieces on the board, or its tokens in a game of territories.
fn pieces(scene: &Scene, side: Side) -> usize {
    match &scene.board {
        Board::Points(board) => {
            board.points.iter().filter_map(|point| point.piece).filter(|piece| piece.side == side).count()
        }
        Board::Cells(board) => {
            let all = board.cells.iter().flat_map(|cell| {
                cell.piece
                    .iter()
                    .chain(&cell.aboard)
                    .chain(&cell.above)
                    .chain(cell.challenger.iter().map(|(piece, _)| piece))
            });
            all.filter(|piece| piece.side == side).count()
        }
        Board::Blocks(board) => {
            board.blocks.iter().filter(|block| block.side == side).map(|block| block.tokens.len() + block.below).sum()
        }
        Board::Bricks(bricks) => bricks.iter().flat_map(|brick| &brick.units).filter(|unit| unit.side == side).count(),
    }
}

#[cfg(test)]
mod tests;
