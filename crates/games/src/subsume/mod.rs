//! Subsume: stacks of hidden tokens claim a board, merge into larger territories and fight. Rules U1 to U96 of
//! `notation/subsume.md`, and Z15 of `notation/sealing.md`.

mod board;
mod moves;
mod notation;
mod position;
mod rules;
mod sealed;
mod skill;
#[cfg(test)]
mod tests;
mod view;

use std::borrow::Cow;

use crate::subsume::rules::control::Border;
pub use board::{Kind, Square};

pub use crate::subsume::position::state::{Action, Cover, Opening, Subsume};
use crate::subsume::position::state::{Pending, Phase, Rules, State};

use postrider_kernel::notation::Misfit;
use postrider_kernel::scene::Scene;
use postrider_kernel::{
    Choice, Claim, Count, Due, Facts, Game, Illegal, Incomplete, Info, Keeper, Lost, Moves, Next, OptionSpec, Options,
    Outcome, Played, SealedGame, SetupFault, Side, SideName, Skill, Start, Turn, Values, Viewer,
};

const BORDER: &Choice<Border, 2> = &Choice::new(
    "border",
    [("full", Border::Full), ("shared", Border::Shared)],
    "whether the whole border counts for control, or not where it faces a controlled territory of the same owner (U21)",
);
const TURN_LIMIT: OptionSpec = OptionSpec {
    name: "turn-limit",
    values: Values::Number { min: 1, max: 1000, even: false, or_none: true },
    default: "none",
    about: "after how many turns a side the controlled area decides, if at all (U81)",
};
const OPTIONS: &[OptionSpec] = &[BORDER.spec(), TURN_LIMIT];

static INFO: Info = Info {
    name: "subsume",
    title: "Subsume",
    about: "stacks of hidden tokens claim a board, merge into larger territories and take each other over",
    sides: [SideName { word: "white", plural: false }, SideName { word: "black", plural: false }],
    edition: 1,
    options: OPTIONS,
    sealed_options: &[],
    rules: rules::TABLE,
    rulebook: postrider_notation::SUBSUME,
    lessons: postrider_notation::lessons::SUBSUME,
    sealable: true,
    stepwise: true,
    early_offers_last: false,
    header: &[],
    samples: crate::subsume::notation::samples::SAMPLES,
};

impl Rules {
    fn new(options: &Options, sealed: bool) -> Self {
        Self { border: BORDER.of(options), limit: options.number(&TURN_LIMIT), sealed, veiled: false }
    }
}

impl Game for Subsume {
    const INFO: &'static Info = &INFO;
    type Action = Action;

    const STEPS: u32 = 40;
    const SPOILS: bool = true;

    fn start(&Start { options, setup, sealed, .. }: &Start<'_>) -> Result<Self, SetupFault> {
        let rules = Rules::new(options, sealed);
        match setup {
            None => Ok(Self::empty(rules)),
            Some(text) => Self::read_position(rules, text).map_err(SetupFault::Position),
        }
    }

    fn position(&self) -> String {
        self.write_position()
    }

    fn due(&self) -> Due {
        let (what, task) = match self.state {
            State { pending: Some(Pending { closed: true, .. }), .. } => {
                ("the reveal of the tokens attacked; a turn may follow if the game goes on", "show the tokens")
            }
            State { pending: Some(_), .. } => ("the reveal of the tokens attacked", "show the tokens"),
            State { phase: Phase::Claim, .. } => ("a turn, which begins with a claim", "claim a square first"),
            _ => ("the rest of the turn after the conflict, or `end`", "go on, or end the turn"),
        };
        Due { side: self.state.due(), what, task, shows: self.state.pending.as_ref().map(|_| "a reveal") }
    }

    fn side_due(&self) -> Side {
        self.state.due()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.state.outcome
    }

    fn read_action(text: &str) -> Result<Action, Misfit> {
        notation::read(text)
    }

    fn write_action(action: &Action, out: &mut String) {
        notation::write(action, out);
    }

    fn play_turn(&mut self, turn: Turn<'_, Action>) -> Result<Played, Illegal> {
        self.judge(turn)
    }

    fn apply(&mut self, actions: &[Action]) {
        self.enact_entry(actions);
    }

    fn claim(&self, claim: Claim) -> Result<Outcome, Illegal> {
        rules::judge_claim(claim)
    }

    fn canonical<'a>(&self, actions: &'a [Action]) -> Cow<'a, [Action]> {
        Cow::Owned(self.canonical_entry(actions))
    }

    fn moves(&self, out: &mut Moves<Action>) {
        self.generate(&mut |action| out.push([action]));
    }

    fn next(&self, begun: &[Action], facts: &mut dyn Facts) -> Result<Next, Illegal> {
        self.next_actions(begun, facts)
    }

    fn after_beginning(&self, begun: &[Action], facts: &mut dyn Facts) -> Result<Option<Self>, Illegal> {
        self.after_actions(begun, facts).map(Some)
    }

    fn perft(&self, depth: u32) -> u64 {
        self.count_sequences(depth)
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        self.divide_sequences(depth)
    }

    fn notice(&self) -> Option<&'static str> {
        const ENDLESS: &str = "no turn limit: the game ends when a side has no territory left, or by resigning or agreement \
                               (U80); `--option turn-limit=100` would count it out after 100 turns a side (U81)";
        self.rules.limit.is_none().then_some(ENDLESS)
    }

    fn view(&self, viewer: Viewer) -> Scene {
        self.scene(viewer)
    }

    fn marked(&self, viewer: Viewer, what: &str) -> Option<Scene> {
        self.marked_scene(viewer, what)
    }

    fn lenient(text: &str) -> String {
        notation::lenient(text)
    }

    fn list(&self, out: &mut Vec<String>) {
        self.list_first(out);
    }
}

impl SealedGame for Subsume {
    fn owes_forced_answer(&self) -> bool {
        // If the conflict was closed, a turn follows the reveal in the same entry.
        self.state.pending.as_ref().is_some_and(|pending| !pending.closed)
    }

    fn complete(&self, typed: &[Action], keeper: &mut dyn Keeper) -> Result<Vec<Action>, Incomplete> {
        self.add_seals(typed, keeper)
    }

    fn reveal_to_owner(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        self.note_own_types(side, keeper)
    }

    fn after_opening(&self, turn: Turn<'_, Action>) -> Option<Self> {
        self.after_reveal(turn)
    }

    fn payloads(&self, _: Side, _: &str, each: &mut dyn FnMut(&str) -> bool) {
        sealed::payloads(each);
    }

    fn hidden_names(&self, _: Side) -> Vec<String> {
        if !self.rules.sealed {
            return Vec::new();
        }
        ["isolationist", "aggressor", "advocate"].map(str::to_owned).to_vec()
    }
}

impl Skill for Subsume {
    const CHANCE: bool = true;
    const HORIZON: u32 = 1;

    fn choices(&self, out: &mut Moves<Action>) {
        self.generate(&mut |action| {
            let whole = self.whole_stack(&action);
            out.push([action]);
            if let Some(whole) = whole {
                out.push([whole]);
            }
        });
    }

    fn judgement(&self) -> i32 {
        self.rough_judgement()
    }

    fn laid_open(&self, side: Side, draw: &mut dyn FnMut(u32) -> u32) -> Option<Self> {
        self.with_open_tokens(side, draw)
    }

    fn counts(&self, out: &mut Vec<Count>) {
        self.tallied(out);
    }

    fn promise(&self, entry: &[Action]) -> u32 {
        self.rough_promise(entry)
    }

    fn imagine(&mut self, side: Side, draw: &mut dyn FnMut(u32) -> u32) {
        self.imagine_types(side, draw);
    }

    fn proceed(&mut self, actions: &[Action]) {
        for action in actions {
            match action {
                Action::End => self.end_turn(),
                action => self.enact(action),
            }
        }
    }

    fn veil(&mut self) {
        self.rules.veiled = !self.rules.sealed;
    }

    fn veiled(action: &Action) -> Option<String> {
        let written = |action: &Action| {
            let mut text = String::new();
            Self::write_action(action, &mut text);
            text
        };
        match action {
            // Without the letter of the type behind it.
            Action::Claim { cover: Cover::Open(_), .. } => {
                Some(written(action).trim_end_matches(char::is_uppercase).to_owned())
            }
            Action::Retype { cover: Cover::Open(_), .. } => {
                Some(written(action).trim_end_matches(char::is_uppercase).trim_end_matches('=').to_owned())
            }
            _ => None,
        }
    }
}
