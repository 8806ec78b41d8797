//! Asalto: two defenders in a fortress, twenty-four besiegers around it. Rules T1 to T55 of `notation/asalto.md`.

mod board;
mod moves;
mod notation;
mod position;
mod rules;
mod skill;
#[cfg(test)]
mod tests;
mod view;

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};

pub use board::Point;
use board::{OUTSIDE, Set};

use postrider_kernel::notation::Misfit;
use postrider_kernel::scene::Scene;
use postrider_kernel::{
    Choice, Claim, Count, Due, Game, Illegal, Info, Moves, OptionSpec, Options, Outcome, Played, SealedGame,
    SetupFault, Side, SideName, Skill, Start, Turn, Viewer,
};

/// The besiegers.
const BESIEGERS: Side = Side::First;
/// The defenders.
const DEFENDERS: Side = Side::Second;

/// A list of at most 18 points. No legal action has more than 17, so a longer list stays illegal when it is cut.
#[derive(Clone)]
pub struct PointList {
    points: [Point; 18],
    count: u8,
}

impl PointList {
    /// Makes the list from these points.
    fn from_slice(points: &[Point]) -> Self {
        points.iter().copied().collect()
    }

    fn push(&mut self, point: Point) {
        if let Some(place) = self.points.get_mut(usize::from(self.count)) {
            *place = point;
            self.count += 1;
        }
    }

    fn pop(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    fn as_slice(&self) -> &[Point] {
        self.points.get(..usize::from(self.count)).unwrap_or_default()
    }
}

impl FromIterator<Point> for PointList {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        let mut list = Self { points: [Point::new(0, 0); 18], count: 0 };
        points.into_iter().for_each(|point| list.push(point));
        list
    }
}

impl Deref for PointList {
    type Target = [Point];

    fn deref(&self) -> &[Point] {
        self.as_slice()
    }
}

impl DerefMut for PointList {
    fn deref_mut(&mut self) -> &mut [Point] {
        self.points.get_mut(..usize::from(self.count)).unwrap_or_default()
    }
}

impl PartialEq for PointList {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for PointList {}

impl fmt::Debug for PointList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

/// An action as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `place c6 e6`: the defenders' placement.
    Place([Point; 2]),
    /// `d4-d5`.
    Step(Point, Point),
    /// `c5xc3xa3`: where the jumps start, and every point where they land.
    Jump(PointList),
    /// `huff d6`: a huff that follows, or the besiegers' claim.
    Huff(PointList),
}

/// How missed captures are punished (T44).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Huff {
    Auto,
    Claim,
    Strict,
}

/// The options that a record has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rules {
    /// Who moves first after the placement (T11).
    first: Side,
    /// How missed captures are punished (T44).
    huff: Huff,
    /// Whether every culprit of T43 is huffed, and not just one (T33).
    both: bool,
    /// How many captures win (T50).
    captures: u32,
    /// Whether besiegers may step along the solid parts of rank 5 in either direction, and not only towards the
    /// fortress (T21).
    sideways: bool,
}

/// A game of Asalto in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asalto {
    besiegers: Set,
    defenders: Set,
    /// With `huff: claim`, the defenders that the besiegers may huff now (T44).
    culprits: Set,
    to_play: Side,
    /// Whether the placement is due (T10).
    placing: bool,
    outcome: Option<Outcome>,
    rules: Rules,
}

const FIRST: &Choice<Side, 2> = &Choice::new(
    "first",
    [("besiegers", BESIEGERS), ("defenders", DEFENDERS)],
    "who moves first after the placement (T11)",
);
const HUFF: &Choice<Huff, 3> = &Choice::new(
    "huff",
    [("auto", Huff::Auto), ("claim", Huff::Claim), ("strict", Huff::Strict)],
    "the sanction for a missed capture (T44)",
);
const HUFFS_BOTH: &Choice<bool, 2> =
    &Choice::new("huff-scope", [("one", false), ("both", true)], "whether one culprit is huffed or every one (T43)");
const CAPTURES: &Choice<u32, 2> = &Choice::new("captures", [("15", 15), ("16", 16)], "how many captures win (T50)");
const SIDEWAYS: &Choice<bool, 2> = &Choice::new(
    "sideways",
    [("inward", false), ("both", true)],
    "whether besiegers step along rank 5 towards the fortress only or both ways (T21)",
);
const OPTIONS: &[OptionSpec] = &[FIRST.spec(), HUFF.spec(), HUFFS_BOTH.spec(), CAPTURES.spec(), SIDEWAYS.spec()];

static INFO: Info = Info {
    name: "asalto",
    title: "Asalto",
    about: "two defenders hold a fortress against twenty-four besiegers",
    sides: [SideName { word: "besiegers", plural: true }, SideName { word: "defenders", plural: true }],
    edition: 1,
    options: OPTIONS,
    sealed_options: &[],
    rules: rules::TABLE,
    rulebook: postrider_notation::ASALTO,
    lessons: postrider_notation::lessons::ASALTO,
    sealable: false,
    stepwise: false,
    early_offers_last: false,
    header: &[],
    samples: crate::asalto::notation::samples::SAMPLES,
};

impl Rules {
    fn new(options: &Options) -> Self {
        Self {
            first: FIRST.of(options),
            huff: HUFF.of(options),
            both: HUFFS_BOTH.of(options),
            captures: CAPTURES.of(options),
            sideways: SIDEWAYS.of(options),
        }
    }
}

impl Asalto {
    /// The position before the placement (T10).
    fn before_placement(rules: Rules) -> Self {
        Self { besiegers: OUTSIDE, defenders: 0, culprits: 0, to_play: DEFENDERS, placing: true, outcome: None, rules }
    }
}

impl Game for Asalto {
    const INFO: &'static Info = &INFO;
    type Action = Action;

    const STEPS: u32 = 6;

    fn start(&Start { options, setup, .. }: &Start<'_>) -> Result<Self, SetupFault> {
        let rules = Rules::new(options);
        match setup {
            None => Ok(Self::before_placement(rules)),
            Some(text) => Self::read_position(rules, text).map_err(SetupFault::Position),
        }
    }

    fn position(&self) -> String {
        self.write_position()
    }

    fn due(&self) -> Due {
        let (what, task) = match self.to_play {
            _ if self.placing => ("the placement of both defenders", "put both defenders into the fortress"),
            BESIEGERS if self.culprits != 0 => {
                ("a move, before it a claim of a huff if they like", "huff a defender or move a besieger")
            }
            BESIEGERS => ("a move", "move a besieger"),
            _ => ("a move", "move a defender"),
        };
        Due { side: self.to_play, what, task, shows: None }
    }

    fn side_due(&self) -> Side {
        self.to_play
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[inline]
    fn read_action(text: &str) -> Result<Action, Misfit> {
        notation::read(text)
    }

    fn write_action(action: &Action, out: &mut String) {
        notation::write(action, out);
    }

    fn play_turn(&mut self, Turn { actions, .. }: Turn<'_, Action>) -> Result<Played, Illegal> {
        self.judge(actions)
    }

    fn claim(&self, _: Claim) -> Result<Outcome, Illegal> {
        let message = if self.rules.sideways {
            "this game has no draw by repetition or quiet play: nothing can be claimed"
        } else {
            "no position repeats and no game is quiet for long here: nothing can be claimed"
        };
        Err(Illegal::new(rules::T55, None, message)
            .with_help("a draw is offered with `draw?` beside a move, and agreed"))
    }

    fn canonical<'a>(&self, actions: &'a [Action]) -> Cow<'a, [Action]> {
        Cow::Owned(self.written_out(actions))
    }

    fn moves(&self, out: &mut Moves<Action>) {
        self.generate(out);
    }

    fn view(&self, _: Viewer) -> Scene {
        self.scene()
    }

    fn lenient(text: &str) -> String {
        text.to_ascii_lowercase().replace('×', "x")
    }
}

impl SealedGame for Asalto {}

impl Skill for Asalto {
    const HORIZON: u32 = 6;
    // A capture that is left out costs a man (T40).
    const FREE_TO_TAKE: bool = false;

    fn judgement(&self) -> i32 {
        self.rough_judgement()
    }

    fn counts(&self, out: &mut Vec<Count>) {
        self.tallied(out);
    }

    fn promise(&self, entry: &[Action]) -> u32 {
        self.rough_promise(entry)
    }
}
