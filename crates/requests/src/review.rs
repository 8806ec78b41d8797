//! An entry that was looked back at as an object: what `review --json` prints and what the module returns.

use serde::Serialize;

use postrider_kernel::Info;
use postrider_machine::review::{Difference, Line, Reviewed, Turn, percent};

/// An entry that was looked back at, for programs.
#[derive(Debug, Serialize)]
pub struct Looked<'a> {
    number: u32,
    side: &'static str,
    actions: &'a str,
    before: Option<i32>,
    after: Option<i32>,
    turned: Option<&'static str>,
    better: Option<Better<'a>>,
    answer: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Better<'a> {
    actions: &'a str,
    after: i32,
    answer: Option<&'a str>,
    counts: Vec<Counted>,
}

/// What there is more or less of with the better entry, for programs.
#[derive(Debug, Serialize)]
struct Counted {
    side: &'static str,
    what: &'static str,
    made: u32,
    better: u32,
}

impl<'a> Looked<'a> {
    /// Tells what was found about an entry.
    #[must_use]
    pub fn of(info: &Info, entry: &'a Reviewed) -> Self {
        let answered = |line: &'a Option<Line>| line.as_ref().map(|line| line.actions.as_str());
        let (turned, better, answer) = match &entry.turn {
            None => (None, None, None),
            Some(Turn::Luck) => (Some("luck"), None, None),
            Some(Turn::Ended) => (Some("ended"), None, None),
            Some(Turn::Missed { better, expects, answer, otherwise, differences }) => {
                let counted = |&Difference { side, what, made, better }: &Difference| Counted {
                    side: info.sides[side.index()].word,
                    what,
                    made,
                    better,
                };
                let better = Better {
                    actions: better,
                    after: percent(*expects),
                    answer: answered(otherwise),
                    counts: differences.iter().map(counted).collect(),
                };
                (Some("missed"), Some(better), answered(answer))
            }
        };
        Self {
            number: entry.number,
            side: info.sides[entry.side.index()].word,
            actions: &entry.actions,
            before: entry.expected.map(|[before, _]| percent(before)),
            after: entry.expected.map(|[_, after]| percent(after)),
            turned,
            better,
            answer,
        }
    }
}
