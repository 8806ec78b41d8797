//! Judging an entry: one action after another, each by the first rule that it breaks in the order of the rulebook.

use crate::mission_combat::board::Man;
use crate::mission_combat::board::cards::{Card, CardId};
use crate::mission_combat::notation::{Action, Draw, Made, Name};
use crate::mission_combat::position::state::{MissionCombat, Phase};
use crate::mission_combat::rules::{
    M15, M17, M20, M22, M23, M25, M26, M27, M32, M40, M41, M50, M51, M52, M55, M56, M57, M59, M61,
};
use crate::mission_combat::sealed::shoe::Step;
use postrider_kernel::envelope_rules::E7;
use postrider_kernel::seal_rules::Z5;
use postrider_kernel::{Claim, Facts, Game as _, Illegal, NotQuiet, Outcome, Played, Rule, Side, Turn};

/// Why an action is refused, and what would be legal. The caller knows which part of the entry it is.
pub(in crate::mission_combat) fn refuse<T>(
    rule: Rule,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Result<T, Illegal> {
    Err(Illegal::new(rule, None, message).with_help(help))
}

impl MissionCombat {
    /// Judges an entry and plays it. If it is refused, discard this value.
    pub(in crate::mission_combat) fn judge(&mut self, turn: Turn<'_, Action>) -> Result<Played, Illegal> {
        let (side, begun) = (self.due_side(), self.phase);
        self.play_all(side, begun, turn.actions, turn.facts)?;
        if self.due_side() == side && self.outcome().is_none() {
            let message = format!("the entry stops too early: {} is due from the same side", self.what_is_due());
            let help = if self.phase == Phase::Turn && self.step().is_none() && self.choice.is_none() {
                "a turn ends with `end`"
            } else {
                "an entry goes on until the other side is due"
            };
            let at = turn.actions.len().checked_sub(1);
            return Err(Illegal::new(length_rule(begun), at, message).with_help(help));
        }
        // A deal in a turn leaves its side no choice that matters; the offer beside it would be one (E5).
        let forced = begun == Phase::Turn
            && matches!(turn.actions, [Action::Deal(_)] | [Action::Pick(_), Action::Deal(_)])
            && !turn.offers;
        Ok(Played { forced, steps: 0 })
    }

    /// Plays the actions of an entry of `side`, complete or not, that began in a given phase.
    pub(in crate::mission_combat) fn play_all(
        &mut self,
        side: Side,
        begun: Phase,
        actions: &[Action],
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        for (part, action) in actions.iter().enumerate() {
            let at = |illegal: Illegal| Illegal { part: Some(part), ..illegal };
            if self.outcome().is_some() {
                return refuse(M40, "the game is over: nothing follows", "the last unit of a side is gone").map_err(at);
            }
            if self.due_side() != side {
                let message =
                    format!("the entry ends before this action: the other side is next, with {}", self.what_is_due());
                return refuse(length_rule(begun), message, "leave this action out").map_err(at);
            }
            self.act(side, action, facts).map_err(at)?;
        }
        Ok(())
    }

    /// Judges one action of the side that is due and plays it. After a refusal the state can no longer be used.
    pub(in crate::mission_combat) fn act(
        &mut self,
        side: Side,
        action: &Action,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        self.check_kind_of_play(action)?;
        if let Some((_, step)) = self.step() {
            if !fits(step, action) {
                let message = format!("due now: {}", self.what_is_due());
                return refuse(self.step_rule(side, step), message, self.step_in_words(step));
            }
            return self.act_sealed(side, step, action, facts);
        }
        match (self.phase, action) {
            (Phase::Drawing, Action::Draw(Draw::Cards(card, None))) => self.judge_opening_draw(card),
            (Phase::Drawing, _) => refuse(
                M15,
                "the opening hand is being drawn",
                "`draw` and one card, again and again, until five units are in the hand",
            ),
            (Phase::Placing, Action::Place(card, area, opening)) => self.judge_placement(card, *area, *opening, facts),
            (Phase::Placing, _) => {
                refuse(M17, "the units of the opening hands are being placed", "`place CARD@AREA`, one unit per entry")
            }
            (Phase::Turn, _) => self.act_in_turn(action, facts),
            // It is over, or nothing is due; the callers have checked that.
            (Phase::Won | Phase::Sealing, _) => refuse(M40, "the game is over: nothing follows", "no entry"),
        }
    }

    fn act_in_turn(&mut self, action: &Action, facts: &mut dyn Facts) -> Result<(), Illegal> {
        if self.choice.is_some() {
            let Action::Keep(card) = action else {
                return refuse(M22, "one of the two cards drawn must be kept now", self.choice_in_words());
            };
            return self.judge_keep(card);
        }
        let returning = self.board.returning();
        let attacker = match (action, returning) {
            (Action::Attack(unit, _), Some(at)) => self.find(unit).filter(|attacker| *attacker == at),
            _ => None,
        };
        let owing = returning.and_then(|at| self.board.men().get(at)).filter(|man| man.owes).copied();
        if let (Some(man), None) = (owing, attacker) {
            let message = format!("{} has entered an area with enemies: it must attack next", self.name_of(&man));
            let help = format!("`attack {} …`: {}", self.name_of(&man), self.targets_in_words(&man));
            return refuse(M27, message, help);
        }
        match action {
            Action::Draw(_)
            | Action::Play(..)
            | Action::Event(..)
            | Action::Move(..)
            | Action::Attack(..)
            | Action::End => {}
            _ => return refuse(own_rule(action), "that is not due: this is a turn", self.turn_in_words()),
        }
        if attacker.is_none() {
            self.board.go_back();
        }
        self.judge_turn_action(action, facts)?;
        self.fresh = false;
        if matches!(action, Action::End) {
            self.end_turn();
        }
        Ok(())
    }

    /// Z5: what belongs only to sealed play, and what belongs only to open play.
    fn check_kind_of_play(&self, action: &Action) -> Result<(), Illegal> {
        let opened = |opening: bool| match (opening, self.sealed.is_some()) {
            (true, false) => refuse(
                Z5,
                "in open play nothing is sealed, so nothing is opened",
                "the same without ` open:` and what follows it",
            ),
            (false, true) => refuse(
                Z5,
                "the card is not opened",
                "the action ends with ` open:`, the card's position and what opens it",
            ),
            _ => Ok(()),
        };
        match action {
            Action::Move(..) | Action::Attack(..) | Action::End => Ok(()),
            Action::Place(.., opening) | Action::Play(.., opening) | Action::Event(.., opening) => {
                opened(opening.is_some())
            }
            Action::Draw(Draw::Cards(..)) | Action::Keep(_) if self.sealed.is_some() => refuse(
                Z5,
                "in sealed play cards are not named when they are drawn",
                "`draw`, or `draw 2` and so on; the other side deals",
            ),
            Action::Draw(Draw::Cards(..)) | Action::Keep(_) => Ok(()),
            Action::Draw(Draw::Times(_)) if self.sealed.is_none() => self.refuse_unnamed_draw(),
            _ if self.sealed.is_none() => {
                let help = match self.phase {
                    Phase::Drawing => "`draw CARD`, again and again, until five units are in the hand".into(),
                    Phase::Placing => "`place CARD@AREA`".into(),
                    _ => self.turn_in_words(),
                };
                refuse(Z5, "that is an action of sealed play", help)
            }
            _ => Ok(()),
        }
    }

    /// Z5: a draw of open play that names no card. Where none can be drawn at all, that is said too.
    fn refuse_unnamed_draw(&self) -> Result<(), Illegal> {
        let nothing = match self.phase {
            Phase::Placing => {
                Some(("the units of the opening hands are being placed", "`place CARD@AREA`, one unit per entry"))
            }
            Phase::Turn if self.drawable(self.board.to_play) == 0 => {
                Some(("deck and discard pile are empty", "another action, or `end`"))
            }
            Phase::Turn if self.ap == 0 => Some(("no action points are left", "free actions, or `end`")),
            _ => None,
        };
        match nothing {
            Some((why, help)) => {
                refuse(Z5, format!("in open play the card drawn is named, and none can be drawn now: {why}"), help)
            }
            None => {
                let help = format!("`draw CARD`; {}", self.left_in_words());
                refuse(Z5, "in open play the card drawn is named", help)
            }
        }
    }

    /// The rule of a step of sealed play.
    fn step_rule(&self, side: Side, step: Step) -> Rule {
        match step {
            Step::Pick => self.rule_of_several(side.other()),
            Step::Seeds | Step::Deck if self.rule_of_several(side) == M61 => M61,
            Step::TossSeal | Step::Guess | Step::Toss => M50,
            Step::Deck | Step::DealAll => M51,
            Step::Roots | Step::Seeds => M59,
            Step::ShuffleRoots(_) => M61,
            Step::Hand | Step::Event { .. } => M52,
            Step::Deal(_) => M55,
            Step::Discard => M56,
            Step::Shuffle(_) => M57,
        }
    }

    /// Says what is due.
    pub(in crate::mission_combat) fn what_is_due(&self) -> &'static str {
        match (self.phase, self.step()) {
            (_, Some((_, Step::TossSeal))) if self.has_several_decks() => "the sealed toss and the roots of the decks",
            (_, Some((_, Step::TossSeal))) => "the sealed toss and deck",
            (_, Some((_, Step::Guess))) if self.has_several_decks() => {
                "a guess at the toss (`guess 0` or `guess 1`), then the roots of the decks, a pick and a deal"
            }
            (_, Some((_, Step::Guess))) => {
                "a guess at the toss (`guess 0` or `guess 1`), then the sealed deck and a deal"
            }
            (_, Some((_, Step::Roots))) => "the roots of the decks",
            (_, Some((_, Step::Pick))) => "a pick of one of the other side's decks, then a deal of it",
            (Phase::Turn, Some((_, Step::Seeds))) => {
                "the seeds of the decks that were not picked and the picked deck, then the turn goes on"
            }
            (_, Some((_, Step::Seeds))) => "the seeds of the decks that were not picked, and the picked deck",
            (_, Some((_, Step::Deck))) => "the sealed deck",
            (_, Some((_, Step::DealAll))) => "the deal of the other side's deck",
            (_, Some((_, Step::Toss))) if self.has_several_decks() => {
                "the opening of the toss and of the decks, a pick, a deal and the opening hand"
            }
            (_, Some((_, Step::Toss))) => "the opening of the toss, a deal and the opening hand",
            (_, Some((_, Step::Hand))) => "the opening hand",
            (_, Some((_, Step::Event { .. }))) => "the events of the opening hand, discarded",
            (_, Some((_, Step::Deal(_)))) => "a deal to the other side, which draws",
            (_, Some((_, Step::Discard))) => "`discard` of one of the two cards drawn, then the turn goes on",
            (_, Some((_, Step::Shuffle(_)))) => "the shuffled discard pile as a new deck, then the turn goes on",
            (_, Some((_, Step::ShuffleRoots(_)))) => {
                "the roots of the decks made of the discard pile, then the turn goes on"
            }
            (Phase::Drawing, None) => "the opening hand, card by card",
            (Phase::Placing, None) => "a unit to be placed",
            _ if self.choice.is_some() => "`keep` of one of the two cards drawn",
            _ if !self.fresh => "the rest of a turn",
            _ => "a turn",
        }
    }

    /// The same as its player is told it.
    pub(in crate::mission_combat) fn task(&self) -> &'static str {
        match (self.phase, self.step()) {
            (_, Some((_, Step::TossSeal | Step::Roots | Step::Deck))) => "seal your cards",
            (_, Some((_, Step::Guess))) => "guess the toss",
            (_, Some((_, Step::Pick))) => "pick a deck",
            (_, Some((_, Step::Seeds))) => "show the decks",
            (_, Some((_, Step::Toss))) => "open the toss",
            (_, Some((_, Step::DealAll | Step::Deal(_)))) => "deal a card to the other side",
            (_, Some((_, Step::Hand))) => "take your opening hand",
            (_, Some((_, Step::Event { .. }))) => "discard the events",
            (_, Some((_, Step::Discard))) => "discard one of two cards",
            (_, Some((_, Step::Shuffle(_) | Step::ShuffleRoots(_)))) => "shuffle the discarded cards",
            (Phase::Drawing, None) => "draw your opening hand",
            (Phase::Placing, None) => "place a unit",
            _ if self.choice.is_some() => "keep one of two cards",
            _ if !self.fresh => "go on with your turn",
            _ => "draw, play, move or attack",
        }
    }

    /// Returns whether each side seals several decks, one of which is picked (M59).
    pub(in crate::mission_combat) fn has_several_decks(&self) -> bool {
        self.sealed.as_ref().is_some_and(|sealed| sealed.decks > 1)
    }

    /// The unit with this name; for a bare card, its only unit on the board.
    pub(in crate::mission_combat) fn find(&self, name: &Name) -> Option<usize> {
        self.find_with_card(name).map(|(at, _)| at)
    }

    /// The same, with its card.
    pub(in crate::mission_combat) fn find_with_card(&self, name: &Name) -> Option<(usize, &Card)> {
        let (side, id, card) = self.decks().named(&name.slug)?;
        let alike = self.board.of_card(side, id);
        let at = match name.number {
            None if alike.len() == 1 => alike.start,
            None => return None,
            Some(_) if card.copies == 1 => return None,
            Some(number) => {
                let men = self.board.men().get(alike.clone())?;
                alike.start + men.iter().position(|man| man.number == number)?
            }
        };
        Some((at, card))
    }

    /// Returns whether a unit's name has a number, because there are several of its card.
    pub(in crate::mission_combat) fn is_numbered(&self, man: &Man) -> bool {
        self.decks().card(man.side, man.card).is_some_and(|card| card.copies > 1)
    }

    /// A unit's name in full.
    pub(in crate::mission_combat) fn full_name(&self, man: &Man) -> Name {
        let number = self.is_numbered(man).then_some(man.number);
        Name { slug: self.decks().slug(man.side, man.card).into(), number }
    }

    pub(in crate::mission_combat) fn name_of(&self, man: &Man) -> String {
        self.full_name(man).to_string()
    }

    /// The two cards, one of which must be kept.
    pub(in crate::mission_combat) fn choice_in_words(&self) -> String {
        let side = self.board.to_play;
        let keep = |card: CardId| format!("`keep {}`", self.decks().slug(side, card));
        match self.choice {
            Some([one, two]) if one != two => format!("{} or {}", keep(one), keep(two)),
            Some([one, _]) => keep(one),
            None => String::new(),
        }
    }

    /// E7, M41.
    pub(in crate::mission_combat) fn judge_claim(&self, claim: Claim) -> Result<Outcome, Illegal> {
        match (claim, self.quiet.claim()) {
            (Claim::Repetition, quiet) => {
                let help = match quiet {
                    Ok(_) | Err(NotQuiet::Before(_)) => {
                        "`claim quiet` after quiet turns (M41), or an offer `draw?` beside a move"
                    }
                    Err(NotQuiet::Never) => "an offer `draw?` beside a move",
                };
                refuse(E7, "this game has no draw by repetition", help)
            }
            (Claim::Quiet, Err(NotQuiet::Never)) => {
                let message = "this game has no draw by quiet turns (`quiet-turns: none`)";
                refuse(M41, message, "an offer `draw?` beside a move")
            }
            (Claim::Quiet, _) if self.phase != Phase::Turn || !self.fresh || self.step().is_some() => {
                let message = "a draw is claimed at the start of a turn, before any action of it";
                refuse(M41, message, format!("{} is due", self.what_is_due()))
            }
            (Claim::Quiet, Err(NotQuiet::Before(needed))) => {
                let turns = match self.quiet.passed {
                    0 => "no quiet turn has".to_owned(),
                    1 => "1 quiet turn has".to_owned(),
                    more => format!("{more} quiet turns have"),
                };
                let message = format!("{turns} been played in a row, and the claim needs {needed}");
                refuse(M41, message, "a turn, or an offer `draw?` beside it")
            }
            (Claim::Quiet, Ok(outcome)) => Ok(outcome),
        }
    }
}

/// The rule about the length of an entry that began in this phase.
fn length_rule(begun: Phase) -> Rule {
    match begun {
        Phase::Sealing => M51,
        Phase::Drawing => M15,
        Phase::Placing => M17,
        Phase::Turn | Phase::Won => M20,
    }
}

/// Returns whether an action is of the kind that a step requires.
fn fits(step: Step, action: &Action) -> bool {
    matches!(
        (step, action),
        (Step::TossSeal, Action::TossSeal(_))
            | (Step::Guess, Action::Guess(_))
            | (Step::Roots, Action::Roots(_))
            | (Step::Pick, Action::Pick(_))
            | (Step::Seeds, Action::Seeds(_))
            | (Step::Deck, Action::Deck(_))
            | (Step::DealAll | Step::Deal(_), Action::Deal(_))
            | (Step::Toss, Action::Toss(..))
            | (Step::Hand, Action::Hand(_))
            | (Step::Event { .. } | Step::Discard, Action::Discard(..))
            | (Step::Shuffle(_), Action::Shuffle(_))
            | (Step::ShuffleRoots(_), Action::ShuffleRoots(_))
    )
}

/// The rule that an action belongs to.
fn own_rule(action: &Action) -> Rule {
    match action {
        Action::Draw(_) => crate::mission_combat::rules::M21,
        Action::Keep(_) => M22,
        Action::Place(..) => M17,
        Action::Play(..) => M23,
        Action::Event(..) => M25,
        Action::Move(..) => M26,
        Action::Attack(..) => M32,
        Action::End => M20,
        Action::TossSeal(_) | Action::Guess(_) | Action::Toss(..) => M50,
        Action::Roots(_) | Action::Pick(_) | Action::Seeds(_) => M59,
        Action::Deck(_) => M51,
        Action::Hand(_) => M52,
        Action::Deal(_) => M55,
        Action::Discard(..) => M56,
        Action::Made(Made::Toss) => M50,
        Action::Made(Made::Roots | Made::Pick | Made::Seeds) => M59,
        Action::Made(Made::Deck) => M51,
        Action::Made(Made::Hand) => M52,
        Action::Made(Made::Deal) => M55,
        Action::Made(Made::Shuffle) => M57,
        Action::Shuffle(_) => M57,
        Action::ShuffleRoots(_) => M61,
    }
}
