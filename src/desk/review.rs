//! A look back at a game that is over: the entries at which it turned, what would have been better, and what would have been answered.
//! Pure.

use crate::desk::export::{Wanted, rows_as_they_come};
use crate::engine::{Budget, Lots};
use crate::games::kernel::{Options, Outcome, SetupFault, Side, Viewer};
use crate::referee::{Beside, Table, Thought};
use crate::registry::{self, AnyGame};
use crate::scene::Scene;
use crate::verdict::{Opened, Ruling, Verdict};

/// How much an entry must have cost to be one at which the game turned, in thousandths of what there is to win or lose: from certain
/// loss to certain win it is 2000.
const TURNED: i32 = 200;

/// A look back at a game.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// The entries, in order.
    pub entries: Vec<Reviewed>,
    /// How many of them could not be judged, because something was hidden then.
    pub hidden: u32,
}

/// An entry, looked back at. What is expected is meant for the side that made it, from -1000 (a loss) to 1000 (a win).
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// The entry's number, from 1.
    pub number: u32,
    /// The side that made it.
    pub side: Side,
    /// Its actions, as they stand in the record.
    pub actions: String,
    /// What was expected before it and after it; `None` if something was hidden.
    pub expected: Option<[i32; 2]>,
    /// What it did on the board, in words.
    pub did: Option<String>,
    /// How the game turned at it; `None` if it did not.
    pub turn: Option<Turn>,
}

/// How a game turned.
#[derive(Clone, Debug)]
pub enum Turn {
    /// There was a better entry.
    Missed {
        /// That entry, up to where something would have been thrown or drawn.
        better: String,
        /// What would have been expected after it.
        expects: i32,
        /// The best answer to the entry that was made, and what it does.
        answer: Option<Line>,
        /// The best answer to the better one.
        otherwise: Option<Line>,
    },
    /// What was thrown or drawn in the entry decided it.
    Luck,
    /// The side gave up, or its time ran out.
    Ended,
}

/// An entry, and what it does on the board.
#[derive(Clone, Debug)]
pub struct Line {
    /// The actions.
    pub actions: String,
    /// What they do, in words: `from c6; to c4; taken on c5`.
    pub did: Option<String>,
}

/// Why there is no look back.
#[derive(Debug)]
pub enum NoReview {
    /// Not all of the record is legal, or it is none.
    Verdict(Box<Verdict>),
    /// The game goes on: who looks ahead in it has help that the opponent has not.
    Running,
}

/// Looks back at a game. The same budget and seed give the same review on every machine. `each` is called after each entry; the review
/// ends there if it returns false.
///
/// # Errors
/// If the record is not legal, or the game goes on.
pub fn review(source: &[u8], budget: Budget, seed: u64, each: &mut dyn FnMut() -> bool) -> Result<Review, NoReview> {
    let mut whole = Opened::new(source).map_err(NoReview::Verdict)?;
    let verdict = whole.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal {
        return Err(NoReview::Verdict(Box::new(verdict)));
    }
    if verdict.outcome.is_none() {
        return Err(NoReview::Running);
    }
    let start = Opened::new(source).map_err(NoReview::Verdict)?;
    let game = registry::find(start.header.info.name);
    let mut options = start.header.options.clone();
    // What only seals can hide is in the open here.
    while let Some(Err(SetupFault::Needs { option, .. })) = game.map(|game| game.table(&options, None)) {
        if options.iter().all(|(name, _)| name != option) {
            break;
        }
        options.leave(option);
    }
    let looking = Looking { budget: Budget { slips: 0, ..budget }, seed, game, options };
    let mut before = looking.moment(start.table.as_ref());
    let mut review = Review::default();
    let wanted = Wanted { entries: true, ..Wanted::default() };
    let _ = rows_as_they_come(None, source, wanted, |opened, row| {
        let mut after = looking.moment(opened.table.as_ref());
        // Where nothing was to be chosen since, nothing has changed.
        if after.value.is_none() && after.open.is_some() {
            after.value = before.value;
        }
        let reviewed = looking.reviewed(row.number, row.actions, &before, &after);
        review.hidden += u32::from(reviewed.expected.is_none());
        review.entries.push(reviewed);
        before = after;
        each()
    });
    Ok(review)
}

/// The game between two entries.
struct Moment {
    due: Side,
    /// The game in the open, in which anything may be tried; `None` if something is hidden.
    open: Option<Box<dyn Table>>,
    scene: Scene,
    /// What is expected for the first side.
    value: Option<i32>,
    thought: Option<Thought>,
}

/// How the game is looked at.
struct Looking {
    budget: Budget,
    seed: u64,
    game: Option<&'static dyn AnyGame>,
    options: Options,
}

impl Looking {
    fn moment(&self, table: &dyn Table) -> Moment {
        let open = match table.seals() {
            None => Some(table.copy()),
            Some(_) => self.game.and_then(|game| game.table(&self.options, Some(&table.position())).ok()),
        };
        let seen = open.as_deref().map(|open| self.value(open, table.standing().outcome));
        let (value, thought) = seen.unwrap_or_default();
        Moment { due: table.standing().due.side, open, scene: table.view(Viewer::Public), value, thought }
    }

    /// What is expected of a game for the first side, and what should be entered. Nothing is expected before a throw in which
    /// there is no choice.
    fn value(&self, table: &dyn Table, outcome: Option<Outcome>) -> (Option<i32>, Option<Thought>) {
        /// How many entries without a choice are passed over.
        const FORCED: usize = 16;
        let mut first = None;
        let mut now = table.copy();
        let mut end = outcome;
        for _ in 0..FORCED {
            let standing = now.standing();
            match end.take().or(standing.outcome) {
                Some(Outcome::Win(side, _)) => return (Some(of_first(side, 1000)), first),
                Some(Outcome::Draw(_)) => return (Some(0), first),
                None => {}
            }
            let seed = Lots::with(self.seed, u64::from(standing.entries)).draw();
            let Some(thought) = now.think(&self.budget, seed, &mut || false) else { return (None, first) };
            let (expects, is_forced) = (of_first(standing.due.side, thought.expects), thought.is_forced);
            let (is_thrown, entry) = (thought.entry != thought.chosen, thought.entry.clone());
            first.get_or_insert(thought);
            if !is_forced {
                return (Some(expects), first);
            }
            match played(now.as_ref(), &entry) {
                Some(next) if !is_thrown => now = next,
                _ => return (None, first),
            }
        }
        (None, first)
    }

    fn reviewed(&self, number: u32, actions: String, before: &Moment, after: &Moment) -> Reviewed {
        let side = before.due;
        let expected = before.value.zip(after.value).map(|(one, other)| [of_first(side, one), of_first(side, other)]);
        let turn = match expected {
            Some([hoped, left]) if hoped - left >= TURNED => self.turn(&actions, [hoped, left], before, after),
            _ => None,
        };
        Reviewed { number, side, did: did(&before.scene, &after.scene), actions, expected, turn }
    }

    /// How the game turned, if the entry is to blame.
    fn turn(&self, actions: &str, [hoped, left]: [i32; 2], before: &Moment, after: &Moment) -> Option<Turn> {
        if actions.split("; ").any(|action| action == "resign" || action.starts_with("claim ")) {
            return Some(Turn::Ended);
        }
        let (open, thought) = (before.open.as_deref()?, before.thought.as_ref()?);
        if thought.entry != thought.chosen {
            if actions.starts_with(&thought.chosen) {
                return Some(Turn::Luck);
            }
            let (better, expects) = (thought.chosen.clone(), hoped);
            return Some(Turn::Missed { better, expects, answer: answer(before.due, after), otherwise: None });
        }
        if thought.is_forced {
            return None;
        }
        let other = played(open, &thought.entry)?;
        if after.open.as_deref().is_some_and(|after| after.position() == other.position()) {
            return None;
        }
        // Both are looked at from the same distance.
        let other = self.moment(other.as_ref());
        let expects = of_first(before.due, other.value?);
        (expects - left >= TURNED).then(|| Turn::Missed {
            better: thought.chosen.clone(),
            expects,
            answer: answer(before.due, after),
            otherwise: answer(before.due, &other),
        })
    }
}

/// Turns what one side expects into what the first does, or back.
fn of_first(side: Side, expects: i32) -> i32 {
    if side == Side::First { expects } else { -expects }
}

/// The best answer of the other side.
fn answer(side: Side, after: &Moment) -> Option<Line> {
    let (open, thought) = (after.open.as_deref()?, after.thought.as_ref()?);
    if after.due == side {
        return None;
    }
    let is_thrown = thought.entry != thought.chosen;
    let next = if is_thrown { None } else { played(open, &thought.entry) };
    let did = next.and_then(|next| did(&after.scene, &next.view(Viewer::Public)));
    Some(Line { actions: thought.chosen.clone(), did })
}

/// The game after an entry, at the same time as the one before where entries have times.
fn played(table: &dyn Table, entry: &str) -> Option<Box<dyn Table>> {
    let last = table.standing().last;
    let judged = |time| table.read(entry).ok()?.judge(&Beside { time, ..Beside::default() }).ok();
    judged(last).map(|judged| judged.table)
}

/// What an entry did on the board, in words.
fn did(before: &Scene, after: &Scene) -> Option<String> {
    let mut scene = after.clone();
    scene.mark_since(before);
    scene.marks_in_words()
}
