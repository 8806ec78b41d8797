//! Assassyn's Dagger: seven fighters a side, challenges decided by dice, and an assassin. Rules D1 to D63 and N1 to N3 of
//! `notation/assassyn.md`, and Z11 to Z14 of `notation/sealing.md`.

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

use board::Board;
pub use board::{Kind, Square};

pub use crate::assassyn::position::state::{Acceptance, Action, Assassyn, Deployment, Mark};
use crate::assassyn::position::state::{Rules, Severe, Way};

use postrider_kernel::notation::Misfit;
use postrider_kernel::scene::Scene;
use postrider_kernel::{
    Choice, Claim, Count, Due, Game, Illegal, Incomplete, Info, Keeper, Lost, Moves, OptionSpec, Options, Outcome,
    Past, Played, Quiet, SealedGame, SetupFault, Side, SideName, Skill, Start, Turn, Values, Viewer,
};

const ASSASSIN_DIE: &Choice<u32, 3> =
    &Choice::new("assassin-die", [("10", 10), ("12", 12), ("20", 20)], "the assassins' die (D3)");
const DEPLOYMENT: &Choice<Way, 3> = &Choice::new(
    "deployment",
    [("sequential", Way::Sequential), ("sealed", Way::Sealed), ("alternating", Way::Alternating)],
    "White all, then Black all; both sealed and then opened; or one piece each in turn (D4)",
);
const JOINT_DICE: &Choice<bool, 2> = &Choice::new(
    "dice",
    [("joint", true), ("stated", false)],
    "in a sealed record: throws follow from seals and salts, or are stated as in open play (D3)",
);
const ESCAPE_BY_CHALLENGE: &Choice<bool, 2> = &Choice::new(
    "escape",
    [("any", true), ("quiet", false)],
    "whether a challenged piece may escape by any legal move, a new challenge too, or not by a challenge (D31)",
);
const SEVERE: &Choice<Severe, 3> = &Choice::new(
    "severe",
    [("both", Severe::Both), ("1", Severe::One), ("2", Severe::Two)],
    "what a severe wound does against an unwounded fighter: what both sentences of the rules say, or takes 1, or 2 (D43)",
);
const QUIET_TURNS: OptionSpec = OptionSpec {
    name: "quiet-turns",
    values: Values::Number { min: 10, max: 400, even: true, or_none: true },
    default: "40",
    about: "after how many turns without a removal a draw may be claimed (D62)",
};
const REPETITION: &Choice<bool, 2> = &Choice::new(
    "repetition",
    [("claim", true), ("none", false)],
    "whether a draw may be claimed when a position occurs for the third time (D62)",
);
const OPTIONS: &[OptionSpec] = &[
    ASSASSIN_DIE.spec(),
    DEPLOYMENT.spec(),
    JOINT_DICE.spec(),
    ESCAPE_BY_CHALLENGE.spec(),
    SEVERE.spec(),
    QUIET_TURNS,
    REPETITION.spec(),
];

static INFO: Info = Info {
    name: "assassyn",
    title: "Assassyn's Dagger",
    about: "seven fighters a side meet in single combat, and the assassins wait for a blind spot",
    sides: [SideName { word: "white", plural: false }, SideName { word: "black", plural: false }],
    edition: 1,
    options: OPTIONS,
    sealed_options: &[],
    rules: rules::TABLE,
    rulebook: postrider_notation::ASSASSYN,
    lessons: postrider_notation::lessons::ASSASSYN,
    sealable: true,
    stepwise: false,
    early_offers_last: true,
    header: &[],
    samples: crate::assassyn::notation::samples::SAMPLES,
};

impl Rules {
    fn new(options: &Options, sealed: bool) -> Self {
        Self {
            assassin_die: ASSASSIN_DIE.of(options),
            deployment: DEPLOYMENT.of(options),
            escape_by_challenge: ESCAPE_BY_CHALLENGE.of(options),
            severe: SEVERE.of(options),
            quiet: options.number(&QUIET_TURNS),
            repetition: REPETITION.of(options),
            sealed,
            joint: sealed && JOINT_DICE.of(options),
        }
    }

    /// The number of sides of a piece's die (D3).
    const fn die(self, kind: Kind) -> u32 {
        match kind {
            Kind::Prince | Kind::Shortswordsman => 10,
            Kind::Warrior => 20,
            Kind::Longswordsman => 12,
            Kind::Assassin => self.assassin_die,
        }
    }
}

impl Assassyn {
    /// The position before the deployment (D4).
    fn before_deployment(rules: Rules) -> Self {
        Self {
            board: Board::empty(),
            deploying: true,
            deployments: [None; 2],
            own_deployment: None,
            challenges: 0,
            seal: None,
            salt: None,
            thrown: None,
            quiet: Quiet::of(rules.quiet),
            past: Past::since(Board::empty()),
            outcome: None,
            rules,
        }
    }

    /// Starts play from the position on the board.
    fn begin(&mut self) {
        self.deploying = false;
        self.quiet.passed = 0;
        self.past = Past::since(self.board);
        self.outcome = self.decided();
    }

    fn set_up(options: &Options, setup: Option<&str>, sealed: bool) -> Result<Self, SetupFault> {
        let rules = Rules::new(options, sealed);
        if rules.deployment == Way::Sealed && !sealed {
            return Err(SetupFault::Needs { option: "deployment", needs: "secrecy: sealed" });
        }
        if !JOINT_DICE.of(options) && !sealed {
            return Err(SetupFault::Needs { option: "dice", needs: "secrecy: sealed" });
        }
        match setup {
            None => Ok(Self::before_deployment(rules)),
            Some(text) => Self::read_position(rules, text).map_err(SetupFault::Position),
        }
    }

    /// The label of the seal of the current challenge (Z11).
    fn roll_label(&self) -> String {
        format!("roll.{}", self.challenges)
    }
}

impl Game for Assassyn {
    const INFO: &'static Info = &INFO;
    type Action = Action;

    const STEPS: u32 = 25;

    fn start(&Start { options, setup, sealed, .. }: &Start<'_>) -> Result<Self, SetupFault> {
        Self::set_up(options, setup, sealed)
    }

    fn position(&self) -> String {
        self.write_position()
    }

    fn due(&self) -> Due {
        let (what, task) = match self.rules.deployment {
            _ if self.salt.is_some() => ("the opening of the dice, then a turn if the game goes on", "open the dice"),
            _ if self.board.challenge.is_some() && !self.has_escape() => {
                ("the acceptance of the challenge, from which there is no escape", "accept the challenge")
            }
            _ if self.board.challenge.is_some() => {
                ("the answer to the challenge: an escape, `accept` or a strike", "answer the challenge")
            }
            _ if !self.deploying => ("a turn", "move a piece"),
            Way::Sequential => ("the deployment of all seven pieces", "place your seven pieces"),
            Way::Alternating => ("a piece to be placed", "place a piece"),
            Way::Sealed if self.deployments.contains(&None) => {
                ("the deployment of all seven pieces, sealed", "place your seven pieces")
            }
            Way::Sealed => ("the sealed deployment, opened", "show your pieces"),
        };
        let shows = (self.salt.is_some() || self.owes_forced_answer()).then_some("an opening");
        Due { side: self.board.to_play, what, task, shows }
    }

    fn side_due(&self) -> Side {
        self.board.to_play
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

    fn play_turn(&mut self, turn: Turn<'_, Action>) -> Result<Played, Illegal> {
        self.judge(turn)?;
        // In this game no entry is a forced answer (E5).
        Ok(Played::default())
    }

    fn claim(&self, claim: Claim) -> Result<Outcome, Illegal> {
        self.judge_claim(claim)
    }

    fn canonical<'a>(&self, actions: &'a [Action]) -> Cow<'a, [Action]> {
        // There is only one spelling.
        Cow::Borrowed(actions)
    }

    fn moves(&self, out: &mut Moves<Action>) {
        self.generate(out);
    }

    fn count(&self) -> usize {
        self.count_entries()
    }

    fn view(&self, viewer: Viewer) -> Scene {
        self.scene(viewer)
    }

    fn lenient(text: &str) -> String {
        notation::lenient(text)
    }

    fn list(&self, out: &mut Vec<String>) {
        self.list_entries(out);
    }
}

impl SealedGame for Assassyn {
    fn owes_forced_answer(&self) -> bool {
        // An opening of dice is followed by a turn, in the same entry.
        self.deploying && self.rules.deployment == Way::Sealed && !self.deployments.contains(&None)
    }

    fn complete(&self, typed: &[Action], keeper: &mut dyn Keeper) -> Result<Vec<Action>, Incomplete> {
        self.add_seals(typed, keeper)
    }

    fn reveal_to_owner(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        self.note_own_deployment(side, keeper)
    }

    fn after_opening(&self, turn: Turn<'_, Action>) -> Option<Self> {
        self.open_dice(turn.actions, turn.facts).ok().flatten()
    }

    fn payloads(&self, side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool) {
        sealed::payloads(side, label, each);
    }

    fn hidden_names(&self, _: Side) -> Vec<String> {
        if !self.deploying || self.rules.deployment != Way::Sealed {
            return Vec::new();
        }
        let names = ["Prince", "Warrior", "Longswordsman", "Longsword", "Shortswordsman", "Shortsword", "Assassin"];
        names.map(str::to_owned).to_vec()
    }
}

impl Skill for Assassyn {
    const CHANCE: bool = true;
    const HIDDEN: bool = false;
    const HORIZON: u32 = 6;
    // Thinking longer helps little where dice decide so much, and seeing what is certain helps: that is what sets the upper levels apart.
    const FORESIGHT: u8 = 4;

    fn judgement(&self) -> i32 {
        self.rough_judgement()
    }

    fn laid_open(&self, _: Side, _: &mut dyn FnMut(u32) -> u32) -> Option<Self> {
        self.with_stated_throws()
    }

    fn counts(&self, out: &mut Vec<Count>) {
        self.tallied(out);
    }

    fn promise(&self, entry: &[Action]) -> u32 {
        self.rough_promise(entry)
    }

    fn lot(&self, entry: &[Action]) -> u32 {
        Self::weight_of_throw(entry)
    }

    fn open_throw(&self) -> Option<(&'static str, Vec<u32>)> {
        let fighters = self.board.fighters().filter(|_| !self.rules.sealed && self.outcome.is_none())?;
        Some(("accept", [fighters.attacker.1, fighters.defender.1].map(|kind| self.rules.die(kind)).to_vec()))
    }

    fn imagine(&mut self, _: Side, _: &mut dyn FnMut(u32) -> u32) {
        self.rules.repetition = false;
    }

    fn drawn_entry(&self, draw: &mut dyn FnMut(u32) -> u32) -> Option<Vec<Action>> {
        self.any_deployment(draw)
    }
}
