//! assideum: two armies of ground forces, and of Fighters that fly in the zones of their Portals. Rules A1 to A56 of
//! `notation/assideum.md`.

mod board;
mod explain;
mod field;
mod hints;
mod judge;
mod line;
mod moves;
mod notation;
mod rules;
mod samples;
mod skill;
#[cfg(test)]
mod tests;
mod view;

pub use board::{Facing, Square};
use std::borrow::Cow;

use field::Field;

use super::kernel::{
    Choice, Claim, Count, Due, Game, Illegal, Info, Moves, OptionSpec, Options, Outcome, Past, Played, Quiet, Retraced,
    SealedGame, SetupFault, Side, SideName, Skill, Start, Turn, Values, Viewer,
};
use crate::notation::Misfit;
use crate::scene::Scene;

/// White.
const WHITE: Side = Side::First;
/// Black.
const BLACK: Side = Side::Second;

/// The kinds of force (A2). Ground forces come first, in the order of the position line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The Commander.
    Commander,
    /// The Ranger.
    Ranger,
    /// A Portal.
    Portal,
    /// A Cruiser.
    Cruiser,
    /// A Striker.
    Striker,
    /// A Ved'rin.
    Vedrin,
    /// A Fighter, landed or flying.
    Fighter,
}

impl Kind {
    /// The ground forces; landed Fighters belong to their Portal (A5).
    const GROUND: [Kind; 6] = [Kind::Commander, Kind::Ranger, Kind::Portal, Kind::Cruiser, Kind::Striker, Kind::Vedrin];

    /// Ground forces and Fighters.
    const ALL: [Kind; 7] =
        [Kind::Commander, Kind::Ranger, Kind::Portal, Kind::Cruiser, Kind::Striker, Kind::Vedrin, Kind::Fighter];

    /// The letter in notation.
    const fn text(self) -> &'static str {
        match self {
            Kind::Commander => "K",
            Kind::Ranger => "R",
            Kind::Portal => "P",
            Kind::Cruiser => "C",
            Kind::Striker => "S",
            Kind::Vedrin => "V",
            Kind::Fighter => "F",
        }
    }

    /// The letter in notation.
    const fn letter(self) -> char {
        self.text().as_bytes()[0] as char
    }

    /// The name.
    const fn name(self) -> &'static str {
        match self {
            Kind::Commander => "Commander",
            Kind::Ranger => "Ranger",
            Kind::Portal => "Portal",
            Kind::Cruiser => "Cruiser",
            Kind::Striker => "Striker",
            Kind::Vedrin => "Ved'rin",
            Kind::Fighter => "Fighter",
        }
    }

    /// How many of them a side has (A2).
    const fn at_most(self) -> usize {
        match self {
            Kind::Commander | Kind::Ranger => 1,
            Kind::Portal | Kind::Cruiser | Kind::Striker | Kind::Fighter => 2,
            Kind::Vedrin => 8,
        }
    }

    /// Whether it has a facing (A13).
    const fn faces(self) -> bool {
        matches!(self, Kind::Portal | Kind::Ranger)
    }
}

/// What a piece does in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// `-c4`: moves or flies.
    Move(Square),
    /// `xc4`: attacks, on its own square in place (A41).
    Attack(Square),
    /// `=E` alone: spins.
    Spin,
    /// `*d7`: fires (A42).
    Fire(Square),
}

impl Deed {
    /// The square that it names.
    const fn square(self) -> Option<Square> {
        match self {
            Deed::Move(to) | Deed::Attack(to) | Deed::Fire(to) => Some(to),
            Deed::Spin => None,
        }
    }
}

/// The squares named with `+`, in the order written. At most three are kept: a side has two Fighters, so three names
/// are already a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    squares: [Square; 3],
    count: u8,
}

impl Carried {
    /// Names a square.
    fn push(&mut self, square: Square) {
        if let Some(slot) = self.squares.get_mut(usize::from(self.count)) {
            *slot = square;
            self.count += 1;
        }
    }

    /// Returns whether none are named.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Returns the squares named, one for each Fighter.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        self.squares.into_iter().take(usize::from(self.count))
    }

    /// The same squares, sorted by file, then by rank.
    fn sorted(self) -> Self {
        let mut list: Vec<_> = self.iter().collect();
        list.sort_by_key(|square| square.order());
        list.into_iter().collect()
    }
}

impl FromIterator<Square> for Carried {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        let mut carried = Self::default();
        squares.into_iter().for_each(|square| carried.push(square));
        carried
    }
}

/// A turn as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The letter; without one, the ground piece on the first square is meant.
    pub kind: Option<Kind>,
    /// The first square.
    pub from: Square,
    /// What the piece does.
    pub deed: Deed,
    /// The new facing of a Portal or Ranger.
    pub facing: Option<Facing>,
    /// The Fighters that a Portal takes along from overlapping squares (A31).
    pub carried: Carried,
}

impl Action {
    /// A turn with only the piece and what it does.
    const fn plain(kind: Kind, from: Square, deed: Deed) -> Self {
        Self {
            kind: Some(kind),
            from,
            deed,
            facing: None,
            carried: Carried { squares: [Square::new(0, 0); 3], count: 0 },
        }
    }
}

/// The options that a record has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rules {
    /// How many squares ahead Rangers fire: 7 reaches the edge of the board, 0 means that they do not fire (A42).
    range: u8,
    /// Whether repetition may be claimed (A54).
    repetition: bool,
    /// After how many quiet entries a draw may be claimed (A56).
    quiet: Option<u32>,
}

/// A game of assideum in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assideum {
    field: Field,
    rules: Rules,
    outcome: Option<Outcome>,
    /// How many entries there have been since the last one with `x`, `*` or V (A56).
    quiet: Quiet,
    /// What was played since the last removal; no position from before it can recur (A54).
    past: Past<Field>,
}

const BACK_ROW: OptionSpec = OptionSpec {
    name: "back-row",
    values: Values::Custom { admit: is_back_row, describe: "the letters SCPRKPCS in any order with R left of K" },
    default: "SCPRKPCS",
    about: "how both back rows stand at the start, from the a-file (A3)",
};
const RANGER_FIRE: OptionSpec = OptionSpec {
    name: "ranger-fire",
    values: Values::Custom { admit: |text| range(text).is_some(), describe: "line, a number from 1 to 7, or none" },
    default: "line",
    about: "how many squares ahead a Ranger may fire: to the edge of the board, so many, or not at all (A42)",
};
const REPETITION: &Choice<bool, 2> = &Choice::new(
    "repetition",
    [("claim", true), ("none", false)],
    "whether a position that occurs for the third time lets the side due claim a draw (A54)",
);
const QUIET_TURNS: OptionSpec = OptionSpec {
    name: "quiet-turns",
    values: Values::Number { min: 10, max: 400, even: false, or_none: true },
    default: "100",
    about: "after how many entries without removal or Ved'rin's move a draw may be claimed (A56)",
};
const OPTIONS: &[OptionSpec] = &[BACK_ROW, RANGER_FIRE, REPETITION.spec(), QUIET_TURNS];

static INFO: Info = Info {
    name: "assideum",
    title: "assideum",
    about: "two armies besiege each other's Commander, Fighters flying in the zones of their Portals",
    sides: [SideName { word: "white", plural: false }, SideName { word: "black", plural: false }],
    edition: 1,
    options: OPTIONS,
    sealed_options: &[],
    rules: rules::TABLE,
    rulebook: include_str!("../../../notation/assideum.md"),
    sealable: false,
    stepwise: false,
    early_offers_last: false,
    header: &[],
    samples: samples::SAMPLES,
};

/// How many squares ahead a Ranger fires for a value of `ranger-fire`; `None` for an invalid value.
fn range(text: &str) -> Option<u8> {
    match text.as_bytes() {
        b"line" => Some(7),
        b"none" => Some(0),
        [digit @ b'1'..=b'7'] => Some(digit - b'0'),
        _ => None,
    }
}

/// The kind for a letter of the back row.
fn back_row_kind(letter: u8) -> Option<Kind> {
    Kind::GROUND.into_iter().find(|kind| *kind != Kind::Vedrin && kind.letter() == char::from(letter))
}

/// A3: any order of the eight letters with R to the left of K.
fn is_back_row(text: &str) -> bool {
    let count = |kind: Kind| text.bytes().filter(|&letter| char::from(letter) == kind.letter()).count();
    text.len() == 8
        && Kind::GROUND.into_iter().all(|kind| kind == Kind::Vedrin || count(kind) == kind.at_most())
        && text.find('R') < text.find('K')
}

impl Rules {
    fn new(options: &Options) -> Self {
        Self {
            range: range(options.text(&RANGER_FIRE)).unwrap_or(0),
            repetition: REPETITION.of(options),
            quiet: options.number(&QUIET_TURNS),
        }
    }
}

impl Field {
    /// The start (A3): both back rows the same file by file, Ved'rin in front of them, a Fighter landed on each Portal.
    fn start(back_row: &str) -> Self {
        let mut field = Field::empty(WHITE);
        for (side, back, second, facing) in [(WHITE, 0, 1, Facing::North), (BLACK, 7, 6, Facing::South)] {
            for (file, letter) in (0..8).zip(back_row.bytes()) {
                let Some(kind) = back_row_kind(letter) else { continue };
                field.put(side, kind, Square::new(file, back), kind.faces().then_some(facing), false);
                field.put(side, Kind::Vedrin, Square::new(file, second), None, false);
                if kind == Kind::Portal {
                    field.add_fighter(side, Square::new(file, back));
                }
            }
        }
        field
    }
}

impl Retraced for Field {
    type Turn = Action;

    fn retrace(&mut self, turn: &Action) {
        self.apply(turn);
    }
}

impl Assideum {
    /// A game that begins at a position, which may already be decided.
    fn from_field(field: Field, rules: Rules) -> Self {
        let mut game = Self { field, rules, outcome: None, quiet: Quiet::of(rules.quiet), past: Past::since(field) };
        game.outcome = game.decided();
        game
    }

    /// Plays a turn that is known to be legal and written in full.
    fn advance(&mut self, turn: &Action) {
        self.field.apply(turn);
        self.advanced(turn);
    }

    /// Counts a turn that has been played on the field, and decides whether the game is over.
    fn advanced(&mut self, turn: &Action) {
        let removes = matches!(turn.deed, Deed::Attack(_) | Deed::Fire(_));
        self.quiet.count(removes || turn.kind == Some(Kind::Vedrin));
        if removes {
            self.past = Past::since(self.field);
        } else if self.rules.repetition {
            self.past.push(*turn);
        }
        self.outcome = self.decided();
    }
}

impl Game for Assideum {
    const INFO: &'static Info = &INFO;
    type Action = Action;

    const STEPS: u32 = 30;

    fn start(&Start { options, setup, .. }: &Start<'_>) -> Result<Self, SetupFault> {
        let rules = Rules::new(options);
        match setup {
            None => Ok(Self::from_field(Field::start(options.text(&BACK_ROW)), rules)),
            Some(_) if options.chosen(BACK_ROW.name).is_some() => Err(SetupFault::Beside { option: BACK_ROW.name }),
            Some(text) => {
                let field = line::read(text, rules.range).map_err(SetupFault::Position)?;
                Ok(Self::from_field(field, rules))
            }
        }
    }

    fn position(&self) -> String {
        line::write(&self.field)
    }

    fn due(&self) -> Due {
        Due { side: self.field.to_play, what: "a turn", shows: None }
    }

    fn side_due(&self) -> Side {
        self.field.to_play
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn read_action(text: &str) -> Result<Action, Misfit> {
        notation::read(text)
    }

    fn write_action(action: &Action, out: &mut String) {
        notation::write(action, out);
    }

    fn play_turn(&mut self, Turn { actions, .. }: Turn<'_, Action>) -> Result<Played, Illegal> {
        self.judge(actions)?;
        Ok(Played::default())
    }

    fn apply(&mut self, actions: &[Action]) {
        if let [turn] = actions {
            self.advance(&self.written_out(turn));
        }
    }

    fn claim(&self, claim: Claim) -> Result<Outcome, Illegal> {
        self.judge_claim(claim)
    }

    fn canonical<'a>(&self, actions: &'a [Action]) -> Cow<'a, [Action]> {
        Cow::Owned(actions.iter().map(|turn| self.written_out(turn)).collect())
    }

    fn moves(&self, out: &mut Moves<Action>) {
        if self.outcome.is_none() {
            self.field.turns(self.rules.range, &mut |turn| {
                out.push([turn]);
                false
            });
        }
    }

    fn count(&self) -> usize {
        let mut count = 0;
        if self.outcome.is_none() {
            self.field.turns(self.rules.range, &mut |_| {
                count += 1;
                false
            });
        }
        count
    }

    fn view(&self, _: Viewer) -> Scene {
        self.scene(0)
    }

    fn marked(&self, _: Viewer, what: &str) -> Option<Scene> {
        self.zones_named(what).map(|zone| self.scene(zone))
    }

    fn lenient(text: &str) -> String {
        notation::lenient(text)
    }
}

impl SealedGame for Assideum {}

impl Skill for Assideum {
    const HORIZON: u32 = 3;

    fn judgement(&self) -> i32 {
        self.rough_judgement()
    }

    fn counts(&self, out: &mut Vec<Count>) {
        self.tallied(out);
    }

    fn promise(&self, entry: &[Action]) -> u32 {
        self.rough_promise(entry)
    }

    fn imagine(&mut self, _: Side, _: &mut dyn FnMut(u32) -> u32) {
        self.rules.repetition = false;
    }
}
