//! Mission: Combat!: marines against portalists, ten areas, thirty cards per side. Rules M1 to M61 of
//! `notation/mission-combat.md`, and Z16 to Z19 and Z25 to Z28 of `notation/sealing.md`.

pub mod board;
pub mod moves;
mod notation;
mod position;
mod rules;
mod sealed;
mod skill;
#[cfg(test)]
mod tests;
mod view;

use std::borrow::Cow;
use std::sync::Arc;

use crate::mission_combat::board::cards::{CARDS, Counts};
pub use crate::mission_combat::board::cards::{Card, Class, Decks, Effect, Kind, Unit};
use crate::mission_combat::board::layout::Layout;
use crate::mission_combat::sealed::shoe::{Sealed, Step};
use board::Board;
pub use notation::Action;

pub use crate::mission_combat::position::state::MissionCombat;
use crate::mission_combat::position::state::{MARINES, PORTALISTS, Phase};

use postrider_kernel::notation::Misfit;
use postrider_kernel::scene::{Blow, Scene};
use postrider_kernel::{
    Choice, Claim, Count, Due, Facts, Game, HeaderField, Holding, Illegal, Incomplete, Info, Keeper, Lost, Moves, Next,
    NoFacts, OptionSpec, Options, Outcome, Played, Quiet, SealedGame, SetupFault, Side, SideName, Skill, Start, Turn,
    Values, Viewer,
};

/// Who starts; nobody, if that is tossed for.
const START: &Choice<Option<Side>, 3> = &Choice::new(
    "start",
    [("toss", None), ("marines", Some(MARINES)), ("portalists", Some(PORTALISTS))],
    "who starts; in open play nothing is tossed, and the marines start unless it says otherwise (M16)",
);
const ROAD_IS_NEAR: &Choice<bool, 2> = &Choice::new(
    "road",
    [("any", false), ("adjacent", true)],
    "where the free move of the Arterial Road ends: in any opposing area, or in an adjacent one (M30)",
);
const QUIET_TURNS: OptionSpec = OptionSpec {
    name: "quiet-turns",
    values: Values::Number { min: 4, max: 200, even: true, or_none: true },
    default: "20",
    about: "after how many turns without a loss a draw may be claimed (M41)",
};
const SEALED_DECKS: OptionSpec = OptionSpec {
    name: "sealed-decks",
    values: Values::Number { min: 1, max: 64, even: false, or_none: false },
    default: "1",
    about: "sealed play: how many decks each side seals, of which the other picks one and sees the rest (M59); `new` writes 16",
};
const SEALED_SHUFFLES: OptionSpec = OptionSpec {
    name: "sealed-shuffles",
    values: Values::Number { min: 1, max: 64, even: false, or_none: false },
    default: "1",
    about: "sealed play: how many decks a side makes of its discard pile, of which the other picks one and sees the rest (M61); `new` \
            writes 8",
};
const OPTIONS: &[OptionSpec] = &[START.spec(), ROAD_IS_NEAR.spec(), QUIET_TURNS, SEALED_DECKS, SEALED_SHUFFLES];

static INFO: Info = Info {
    name: "mission-combat",
    title: "Mission: Combat!",
    about: "marines and portalists fight over ten areas with the units and events of two hidden decks",
    sides: [SideName { word: "marines", plural: true }, SideName { word: "portalists", plural: true }],
    edition: 1,
    options: OPTIONS,
    rules: rules::TABLE,
    rulebook: postrider_notation::MISSION_COMBAT,
    lessons: postrider_notation::lessons::MISSION_COMBAT,
    sealed_options: &[("sealed-decks", "16"), ("sealed-shuffles", "8")],
    sealable: true,
    stepwise: true,
    early_offers_last: false,
    header: &[
        HeaderField { name: "decks", check: crate::mission_combat::board::decks::check },
        HeaderField { name: "layout", check: crate::mission_combat::board::layout::check },
    ],
    samples: crate::mission_combat::notation::samples::SAMPLES,
};

impl MissionCombat {
    /// The start of a game with these decks, before anyone has a card.
    fn before_everything(decks: Arc<Decks>, layout: Layout, options: &Options) -> Self {
        let sides = Side::BOTH.map(|side| decks.of(side));
        let road_is_near = ROAD_IS_NEAR.of(options);
        Self {
            phase: Phase::Drawing,
            ap: 0,
            fresh: false,
            felled: false,
            quiet: Quiet::of(options.number(&QUIET_TURNS)),
            hands: sides.map(Counts::none),
            stocks: sides.map(Counts::all),
            piles: [Vec::new(), Vec::new()],
            entered: [[0; CARDS as usize]; 2],
            choice: None,
            sealed: None,
            grain: None,
            veiled: false,
            board: Board::new(decks, layout, road_is_near),
        }
    }

    fn decks(&self) -> &Decks {
        &self.board.decks
    }

    /// The step that is due in sealed play, and who has to make it.
    fn step(&self) -> Option<(Side, Step)> {
        if self.phase == Phase::Won {
            return None;
        }
        self.sealed.as_ref().and_then(|sealed| sealed.step)
    }

    /// The side whose entry is due.
    fn due_side(&self) -> Side {
        self.step().map_or(self.board.to_play, |(side, _)| side)
    }
}

impl Game for MissionCombat {
    const INFO: &'static Info = &INFO;
    type Action = Action;

    const STEPS: u32 = 80;
    const SPOILS: bool = true;

    fn start(start: &Start<'_>) -> Result<Self, SetupFault> {
        if START.written(start.options) == Some(None) && !start.sealed {
            return Err(SetupFault::Needs { option: START.spec().name, needs: "secrecy: sealed" });
        }
        // The default may be written out anywhere.
        for OptionSpec { name: option, .. } in [SEALED_DECKS, SEALED_SHUFFLES] {
            if start.options.chosen(option).is_some_and(|value| value != "1") && !start.sealed {
                return Err(SetupFault::Needs { option, needs: "secrecy: sealed" });
            }
        }
        let declared = start.field("decks").and_then(|node| crate::mission_combat::board::decks::read(node).ok());
        let layout =
            start.field("layout").and_then(|node| crate::mission_combat::board::layout::read(node.span, node).ok());
        let mut game = Self::before_everything(
            declared.map_or_else(crate::mission_combat::board::decks::default_decks, Arc::new),
            layout.unwrap_or_default(),
            start.options,
        );
        let first = START.of(start.options);
        match (start.setup, start.sealed) {
            (Some(_), true) => {
                return Err(SetupFault::Position(Misfit {
                    offset: 0,
                    expected: "no position: a sealed game begins with sealing the decks",
                }));
            }
            (Some(text), false) => game.read_position(text, start.typed).map_err(SetupFault::Position)?,
            (None, true) => {
                game.phase = Phase::Sealing;
                let count = |option| start.options.number(option).unwrap_or(1);
                game.sealed = Some(Box::new(Sealed::new(first, count(&SEALED_DECKS), count(&SEALED_SHUFFLES))));
            }
            (None, false) => game.board.to_play = first.unwrap_or(MARINES),
        }
        Ok(game)
    }

    fn position(&self) -> String {
        self.write_position()
    }

    fn due(&self) -> Due {
        let shows = match self.step() {
            Some((_, Step::Toss | Step::Event { .. })) => Some("an opening"),
            Some((_, Step::Seeds | Step::Deck)) if self.has_several_decks() => Some("seeds"),
            _ => None,
        };
        Due { side: self.due_side(), what: self.what_is_due(), task: self.task(), shows }
    }

    fn side_due(&self) -> Side {
        self.due_side()
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.phase == Phase::Won).then_some(Outcome::Win(self.board.to_play, "units"))
    }

    fn read_action(text: &str) -> Result<Action, Misfit> {
        notation::read(text)
    }

    fn read_typed(text: &str) -> Result<Action, Misfit> {
        notation::read_typed(text)
    }

    fn write_action(action: &Action, out: &mut String) {
        notation::write(action, out);
    }

    fn play_turn(&mut self, turn: Turn<'_, Action>) -> Result<Played, Illegal> {
        self.judge(turn)
    }

    fn apply(&mut self, actions: &[Action]) {
        // An item of the list is one action, which need not be a complete entry.
        let side = self.due_side();
        for action in actions {
            let _ = self.act(side, action, &mut NoFacts);
        }
    }

    fn claim(&self, claim: Claim) -> Result<Outcome, Illegal> {
        self.judge_claim(claim)
    }

    fn canonical<'a>(&self, actions: &'a [Action]) -> Cow<'a, [Action]> {
        self.spell_out(actions)
    }

    fn moves(&self, out: &mut Moves<Action>) {
        self.list_actions(out);
    }

    fn next(&self, begun: &[Action], facts: &mut dyn Facts) -> Result<Next, Illegal> {
        self.what_next(begun, facts)
    }

    fn after_beginning(&self, begun: &[Action], facts: &mut dyn Facts) -> Result<Option<Self>, Illegal> {
        self.after_actions(begun, facts).map(Some)
    }

    fn set_grain(&mut self, grain: u32) -> bool {
        self.grain = Some(grain);
        true
    }

    fn perft(&self, depth: u32) -> u64 {
        self.count_sequences(depth, self.grain.unwrap_or(1))
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        self.divide_sequences(depth, self.grain.unwrap_or(1))
    }

    fn notice(&self) -> Option<&'static str> {
        const CARDS: &str = "seven of the fourteen units and all numbers of copies in the default decks are a reconstruction (M11); \
                             `--decks FILE` plays with the printed cards";
        const LAYOUT: &str = "how the areas lie is a reconstruction (M2); `--layout FILE` plays on the printed layout";
        const BOTH: &str = "seven of the fourteen units and all numbers of copies in the default decks are a reconstruction (M11), and \
                            so is how the areas lie (M2); `--decks FILE` plays with the printed cards, `--layout FILE` on the \
                            printed layout";
        let cards = Arc::ptr_eq(&self.board.decks, &crate::mission_combat::board::decks::default_decks());
        match (cards, self.board.layout == Layout::default()) {
            (true, true) => Some(BOTH),
            (true, false) => Some(CARDS),
            (false, true) => Some(LAYOUT),
            (false, false) => None,
        }
    }

    fn view(&self, viewer: Viewer) -> Scene {
        self.scene(viewer)
    }

    fn blow(action: &Action) -> Option<Blow> {
        let (by, shares) = match action {
            Action::Attack(unit, shares) => (unit.to_string(), shares),
            Action::Event(event, shares, _) => (event.to_string(), shares),
            _ => return None,
        };
        Some(Blow { by, hit: shares.iter().map(|share| share.unit.to_string()).collect() })
    }

    fn lenient(text: &str) -> String {
        notation::lenient(text)
    }

    fn list(&self, out: &mut Vec<String>) {
        out.extend(self.briefly());
    }
}

impl SealedGame for MissionCombat {
    fn owes_forced_answer(&self) -> bool {
        match self.phase {
            // A deal, in the turn of the other side.
            Phase::Turn => self.step().is_some_and(|(side, _)| side != self.board.to_play),
            // The second entry of the marines has the toss, seeds, a deal and the hand, and no choice.
            Phase::Sealing => self.due_side() == MARINES,
            _ => false,
        }
    }

    fn complete(&self, typed: &[Action], keeper: &mut dyn Keeper) -> Result<Vec<Action>, Incomplete> {
        self.fill_in(typed, keeper)
    }

    fn after_opening(&self, turn: Turn<'_, Action>) -> Option<Self> {
        self.after_forced_steps(turn)
    }

    fn reveal_to_owner(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        self.look_at_hand(side, keeper)
    }

    fn payloads(&self, side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool) {
        crate::mission_combat::moves::complete::payloads(self.decks(), side, label, each);
    }

    fn holdings(&self, side: Side) -> Vec<Holding> {
        self.sealed_holdings(side)
    }

    fn hidden_names(&self, side: Side) -> Vec<String> {
        let cards = self.decks().of(side).iter();
        cards.flat_map(|card| std::iter::once(card.slug.clone()).chain(card.name.clone())).collect()
    }
}

impl Skill for MissionCombat {
    const CHANCE: bool = true;

    fn judgement(&self) -> i32 {
        self.rough_judgement()
    }

    fn laid_open(&self, side: Side, draw: &mut dyn FnMut(u32) -> u32) -> Option<Self> {
        self.with_open_hands(side, draw)
    }

    fn counts(&self, out: &mut Vec<Count>) {
        self.tallied(out);
    }

    fn promise(&self, entry: &[Action]) -> u32 {
        self.rough_promise(entry)
    }

    fn lot(&self, entry: &[Action]) -> u32 {
        self.weight_of_draw(entry)
    }

    fn imagine(&mut self, side: Side, draw: &mut dyn FnMut(u32) -> u32) {
        self.imagine_hand(side, draw);
    }

    fn veil(&mut self) {
        self.veiled = self.sealed.is_none();
    }

    fn veiled(action: &Action) -> Option<String> {
        match action {
            Action::Draw(_) => Some("draw".into()),
            Action::Keep(_) => Some("keep".into()),
            _ => None,
        }
    }
}
