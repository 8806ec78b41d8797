//! assideum: two armies of ground forces, and of Fighters that fly in the zones of their Portals. Rules A1 to A56 of
//! `notation/assideum.md`.

mod board;
mod moves;
mod notation;
pub mod position;
mod rules;
mod skill;
#[cfg(test)]
mod tests;
mod view;

pub use board::{Facing, Square};
use std::borrow::Cow;

use crate::assideum::board::field::Field;

pub use crate::assideum::position::state::{Action, Assideum, Carried, Deed, Kind};
use crate::assideum::position::state::{BLACK, Rules, WHITE};

use postrider_kernel::notation::Misfit;
use postrider_kernel::scene::Scene;
use postrider_kernel::{
    Choice, Claim, Count, Due, Game, Illegal, Info, Moves, OptionSpec, Options, Outcome, Past, Played, Quiet, Retraced,
    SealedGame, SetupFault, Side, SideName, Skill, Start, Turn, Values, Viewer,
};

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
    rulebook: postrider_notation::ASSIDEUM,
    lessons: postrider_notation::lessons::ASSIDEUM,
    sealable: false,
    stepwise: false,
    early_offers_last: false,
    header: &[],
    samples: crate::assideum::notation::samples::SAMPLES,
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
                let field = crate::assideum::position::read(text, rules.range).map_err(SetupFault::Position)?;
                Ok(Self::from_field(field, rules))
            }
        }
    }

    fn position(&self) -> String {
        crate::assideum::position::write(&self.field)
    }

    fn due(&self) -> Due {
        Due { side: self.field.to_play, what: "a turn", task: "move or turn a piece", shows: None }
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
