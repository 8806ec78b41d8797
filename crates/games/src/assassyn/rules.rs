//! Judging: which rule an entry breaks, in the order of the rulebook; and playing what is legal.

pub(crate) mod combat;
pub(crate) mod deployment;
pub(crate) mod explain;

use super::board::{Fighters, Kind, Square};
use crate::assassyn::position::state::{Acceptance, Action, Assassyn, DEPLOY, Deployment, Mark, ROLL, Way};
use postrider_kernel::seal_rules::{Z3, Z5, Z6, Z8, Z12, Z13, Z14};
use postrider_kernel::{Claim, Facts, Illegal, Nonce, NotQuiet, Outcome, Seal, Turn};

postrider_kernel::rules! {
    pub(super) TABLE:
    D1 "the board",
    D2 "the forces",
    D3 "the dice",
    D4 "the deployment",
    D5 "turns",
    D10 "how the pieces move",
    D11 "clear lines",
    D12 "tactical disposition",
    D13 "the challenge",
    D14 "killing an assassin",
    D15 "what an assassin may challenge",
    D16 "no passing",
    D20 "the strike",
    D21 "blind all round",
    D22 "striking through one's own",
    D23 "answering with a strike",
    D30 "the answer",
    D31 "the escape",
    D32 "no escape",
    D33 "the acceptance",
    D34 "one challenge at a time",
    D40 "the scores",
    D41 "equal scores",
    D42 "the margin",
    D43 "a severe wound against none",
    D44 "assassin against assassin",
    D45 "old wounds",
    D46 "the victor's square",
    D50 "healing",
    D51 "what counts for healing",
    D60 "the death of a prince",
    D61 "a draw by agreement",
    D62 "quiet games and repetition",
    D63 "stalemate",
    N1 "the piece that is named",
    N2 "the marks",
    N3 "throws in open play",
}

/// A move as written.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub kind: Kind,
    pub from: Square,
    pub mark: Mark,
    pub to: Square,
}

/// What is wrong with a move or strike, without words: whether a piece can escape is found by trying all its moves
/// (D32), so a refusal must be cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveFault {
    /// The side to play has no piece there (N1).
    NoPiece,
    /// There is another piece (N1).
    AnotherPiece(Kind),
    /// A strike by a piece other than an Assassin (D20).
    NoAssassin,
    /// A strike on the Assassin's own square (D23).
    OwnSquare,
    /// A strike that does not hit the challenger, while a challenge stands (D30).
    NotTheChallenger,
    /// A strike at a square that is not next to the Assassin's (D20).
    NotAdjacent,
    /// A strike at a square without an opposing piece (D20).
    NobodyToStrike,
    /// A strike at a piece that is not blind in that direction (D20).
    NotBlind(Kind),
    /// A strike although the challenged piece cannot escape (D32).
    NoEscape,
    /// A piece other than the challenged one moves (D30).
    NotTheChallenged,
    /// No straight line, or no distance at all (D10).
    NoLine,
    /// It does not move in that direction or that far (D10).
    Gait,
    /// These squares on the way are occupied (D11).
    Taken(u64),
    /// A piece of its own side is on the square (D11).
    Own,
    /// The challenger passed there (D31).
    Barred,
    /// `-` onto an opposing piece (N2).
    SomebodyThere(Kind),
    /// `x` onto a square without one (N2).
    NobodyThere,
    /// A challenged Assassin moves onto a piece (D31).
    AssassinEscapes,
    /// An escape by a challenge, which the option forbids (D31).
    EscapeChallenges,
    /// An Assassin moves onto this piece (D15).
    Prey(Kind),
}

/// What a legal move does.
enum Effect {
    /// To an empty square, possibly as an escape.
    Goes(usize),
    /// Onto an opposing piece: a challenge.
    Challenges(usize),
    /// Onto an Assassin, which dies: the moving piece and the victim.
    Kills(usize, usize),
    /// A strike: the victim.
    Strikes(usize),
}

impl Assassyn {
    /// Judges an entry of the side to play and plays it if it is legal.
    pub(super) fn judge(&mut self, turn: Turn<'_, Action>) -> Result<(), Illegal> {
        let Turn { actions, offers, facts } = turn;
        if !self.rules.sealed
            && let Some(part) = actions.iter().position(is_of_sealed_play)
        {
            return Err(Illegal::new(Z5, part, "nothing is sealed, salted or opened in open play")
                .with_help("it is in a record whose header says `secrecy: sealed`"));
        }
        if self.salt.is_none() {
            return self.judge_turn(actions, 0, offers, facts);
        }
        let Some(mut after) = self.open_dice(actions, facts)? else { return Ok(()) };
        match (after.outcome.is_some(), actions.len()) {
            (true, 1) => {}
            (true, _) => {
                return Err(Illegal::new(Z13, 1, "the combat has ended the game: no turn follows the opening")
                    .with_help("the opening is the whole entry"));
            }
            (false, 1) => {
                return Err(Illegal::new(Z13, None, "the game goes on, so a turn follows the opening")
                    .with_help("the entry is the opening, `; ` and the turn"));
            }
            (false, _) => {
                let thrown = after.thrown;
                after.judge_turn(actions.get(1..).unwrap_or_default(), 1, offers, facts)?;
                // The opponent first sees the dice after this entry.
                after.thrown = thrown;
            }
        }
        *self = after;
        Ok(())
    }

    /// Plays the opening at the beginning of an entry while dice are pending (Z12, Z3, Z13); `None` if none are.
    pub(super) fn open_dice(&self, actions: &[Action], facts: &mut dyn Facts) -> Result<Option<Self>, Illegal> {
        let (Some(salt), Some(seal), Some(fighters)) = (self.salt, self.seal, self.board.fighters()) else {
            return Ok(None);
        };
        let Some(Action::Open(nonce)) = actions.first() else {
            let part = (!actions.is_empty()).then_some(0);
            return Err(Illegal::new(Z12, part, "the challenge was accepted and its dice are not opened yet")
                .with_help("the entry begins with `open:` and the nonce of the challenge's seal"));
        };
        let label = self.roll_label();
        if !facts.opens(fighters.challenger, &label, ROLL, &seal, nonce) {
            return Err(Illegal::new(Z3, 0, format!("this does not open the seal of the challenge, `{label}`"))
                .with_help(format!("SHA-256 of its text must be {seal}")));
        }
        let dice = [fighters.attacker.1, fighters.defender.1].map(|kind| self.rules.die(kind));
        let faces = facts.throw(&label, nonce, &salt, &dice);
        let &[attacker, defender] = faces.as_slice() else {
            return Err(Illegal::new(Z8, 0, "the dice cannot be worked out here"));
        };
        let mut after = self.clone();
        after.fight(fighters, [attacker, defender]);
        Ok(Some(after))
    }

    /// Judges an entry, or what follows its opening; `first` is the index of its first action.
    fn judge_turn(
        &mut self,
        actions: &[Action],
        first: usize,
        offers: bool,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let sealing = self.deploying && self.rules.deployment == Way::Sealed;
        for (nth, action) in actions.iter().enumerate() {
            match action {
                Action::Open(_) => {
                    let message = if first + nth == 0 {
                        "no opening is due: no dice are pending"
                    } else {
                        "an opening is the first action of its entry, and only when dice are pending"
                    };
                    return Err(Illegal::new(Z5, first + nth, message).with_help("the entry is the turn alone"));
                }
                Action::Seal(_) if !sealing => {
                    return Err(Illegal::new(
                        Z5,
                        first + nth,
                        "a seal is an entry of its own only in a sealed deployment",
                    )
                    .with_help("the seal of a challenge follows it after a space"));
                }
                _ => {}
            }
        }
        let action = match actions {
            [action] => action,
            [] => {
                return Err(Illegal::new(D16, None, "there is no pass: a piece moves, or the Assassin strikes")
                    .with_help(self.turns_in_words()));
            }
            _ => {
                return Err(Illegal::new(D5, first + 1, "an entry is one turn, and here a second one follows")
                    .with_help("the entry ends before it; the other side is to play then"));
            }
        };
        match action {
            _ if sealing => self.judge_sealed_deployment(action, facts),
            Action::Place(kind, at) if self.deploying => self.judge_place(first, *kind, *at),
            Action::Deploy(list, opening) if self.deploying => self.judge_deploy(first, list, *opening),
            Action::Place(..) | Action::Deploy(..) => {
                Err(Illegal::new(D4, first, "the deployment is complete: nothing more is placed")
                    .with_help(self.turns_in_words()))
            }
            _ if self.deploying => {
                let help = match self.rules.deployment {
                    Way::Alternating => "the entry is `place` and one piece",
                    _ => "the entry is `deploy` and all seven pieces",
                };
                Err(Illegal::new(D4, first, "the deployment is not complete").with_help(help))
            }
            Action::Accept(acceptance) => self.judge_acceptance(first, *acceptance, offers),
            Action::Move { kind, from, mark, to, seal } => {
                self.judge_move(first, Step { kind: *kind, from: *from, mark: *mark, to: *to }, *seal, facts)
            }
            // Both have been handled above.
            Action::Seal(_) | Action::Open(_) => Err(Illegal::new(Z5, first, "it is not due here")),
        }
    }

    /// `deploy` with `deployment: sequential`.
    fn judge_deploy(&mut self, part: usize, list: &Deployment, opening: Option<Nonce>) -> Result<(), Illegal> {
        if self.rules.deployment != Way::Sequential {
            return Err(Illegal::new(D4, part, "with `deployment: alternating` pieces are placed one by one")
                .with_help("the entry is `place` and one piece"));
        }
        crate::assassyn::rules::deployment::check_forces(part, list)?;
        crate::assassyn::rules::deployment::check_squares(part, self.board.to_play, list)?;
        if opening.is_some() {
            return Err(Illegal::new(Z5, part, "this deployment was not sealed, so nothing opens it"));
        }
        self.deploy(list);
        Ok(())
    }

    /// Z14: two seals, then two openings.
    fn judge_sealed_deployment(&mut self, action: &Action, facts: &mut dyn Facts) -> Result<(), Illegal> {
        let side = self.board.to_play;
        if self.deployments.contains(&None) {
            let Action::Seal(seal) = action else {
                return Err(
                    Illegal::new(Z14, 0, "the deployment is sealed first").with_help("the entry is a seal alone")
                );
            };
            if facts.publish(side, DEPLOY, seal).is_none() {
                return Err(seen(0));
            }
            if let Some(place) = self.deployments.get_mut(side.index()) {
                *place = Some(*seal);
            }
            self.board.to_play = side.other();
            return Ok(());
        }
        let (Action::Deploy(list, Some(nonce)), Some(Some(seal))) = (action, self.deployments.get(side.index())) else {
            return Err(Illegal::new(Z14, 0, "the opening of the sealed deployment is due")
                .with_help("the entry is `deploy`, all seven pieces and `open:` with the nonce"));
        };
        crate::assassyn::rules::deployment::check_forces(0, list)?;
        crate::assassyn::rules::deployment::check_squares(0, side, list)?;
        let mut payload = String::new();
        super::notation::write_pieces(list, &mut payload);
        if !facts.opens(side, DEPLOY, &payload, seal, nonce) {
            return Err(Illegal::new(Z3, 0, "this is not the deployment that was sealed, or does not open it")
                .with_help(format!("SHA-256 of its text must be {seal}")));
        }
        self.deploy(list);
        Ok(())
    }

    /// D33, N3, Z12.
    fn judge_acceptance(&mut self, part: usize, acceptance: Acceptance, offers: bool) -> Result<(), Illegal> {
        let Some(fighters) = self.board.fighters() else {
            return Err(Illegal::new(D33, part, "there is no challenge to accept").with_help(self.turns_in_words()));
        };
        if !self.rules.joint {
            if matches!(acceptance, Acceptance::Salt(_)) {
                return Err(Illegal::new(Z5, part, "with `dice: stated` an acceptance has no salt: throws are stated")
                    .with_help("it is `accept roll`, the challenger's throw and the challenged one's"));
            }
            let dice = [fighters.attacker.1, fighters.defender.1].map(|kind| self.rules.die(kind));
            let help = || {
                let [attacker, defender] = dice;
                format!(
                    "`accept roll` states the challenger's throw, 1 to {attacker}, and the challenged one's, 1 to {defender}"
                )
            };
            let Acceptance::Roll(throws) = acceptance else {
                return Err(Illegal::new(N3, part, "the throws are not stated").with_help(help()));
            };
            if throws.iter().zip(dice).any(|(throw, die)| *throw < 1 || *throw > die) {
                return Err(Illegal::new(N3, part, "the dice have no such throw").with_help(help()));
            }
            self.fight(fighters, throws);
            return Ok(());
        }
        if offers {
            return Err(Illegal::new(Z12, part, "an acceptance in sealed play offers no draw")
                .with_help("the challenger could decide after working out the dice"));
        }
        let Acceptance::Salt(salt) = acceptance else {
            return Err(Illegal::new(Z5, part, "the acceptance lacks its salt")
                .with_help("it is `accept salt:` and 32 hexadecimal digits from your random source"));
        };
        self.salt = Some(salt);
        self.board.accepted = true;
        self.board.to_play = fighters.challenger;
        Ok(())
    }

    fn judge_move(
        &mut self,
        part: usize,
        step: Step,
        seal: Option<Seal>,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let side = self.board.to_play;
        let effect = match step.mark {
            Mark::Strike => self.check_strike(step),
            _ => self.check_step(step),
        };
        let effect = effect.map_err(|fault| self.explain(part, step, fault))?;
        match (&effect, seal) {
            (Effect::Challenges(_), None) if self.rules.joint => {
                return Err(Illegal::new(Z5, part, "a challenge carries its seal in sealed play")
                    .with_help("it is followed by a space, `seal:` and 64 hexadecimal digits"));
            }
            (Effect::Challenges(_), Some(_)) if !self.rules.joint => {
                return Err(Illegal::new(Z5, part, "with `dice: stated` a challenge carries no seal")
                    .with_help("the throws are stated with the acceptance"));
            }
            (Effect::Challenges(_), Some(seal)) => {
                let label = format!("roll.{}", self.challenges + 1);
                if facts.publish(side, &label, &seal).is_none() {
                    return Err(seen(part));
                }
            }
            (_, Some(_)) => {
                return Err(Illegal::new(Z5, part, "only a challenge carries a seal, and this is none"));
            }
            (_, None) => {}
        }
        self.thrown = None;
        // Anything but an acceptance ends the challenge without a combat (D30).
        self.board.challenge = None;
        self.seal = None;
        let way = Some((step.from, step.to));
        match effect {
            Effect::Goes(slot) => {
                self.go(slot, step.to);
                self.end_turn(side, Some(slot), way);
            }
            Effect::Kills(slot, victim) => {
                self.board.remove(side.other(), victim);
                self.go(slot, step.to);
                self.end_turn(side, Some(slot), None);
            }
            Effect::Challenges(slot) => {
                self.go(slot, step.to);
                self.challenges += 1;
                self.seal = seal;
                self.board.challenge = Some(super::board::Challenge { from: step.from, on: step.to });
                self.end_turn(side, Some(slot), way);
            }
            Effect::Strikes(victim) => {
                self.board.remove(side.other(), victim);
                self.end_turn(side, None, None);
            }
        }
        Ok(())
    }

    fn go(&mut self, slot: usize, to: Square) {
        if let Some(man) = self.board.man(self.board.to_play, slot) {
            man.at = Some(to);
        }
    }

    /// The piece that an action names (N1).
    fn named(&self, step: Step) -> Result<usize, MoveFault> {
        match self.board.at(self.board.to_play, step.from) {
            Some((slot, other)) if other == step.kind => Ok(slot),
            Some((_, other)) => Err(MoveFault::AnotherPiece(other)),
            None => Err(MoveFault::NoPiece),
        }
    }

    /// D20 to D23, D30, D32.
    fn check_strike(&self, step: Step) -> Result<Effect, MoveFault> {
        let Step { kind, from, to, .. } = step;
        self.named(step)?;
        if kind != Kind::Assassin {
            return Err(MoveFault::NoAssassin);
        }
        if from == to {
            return Err(MoveFault::OwnSquare);
        }
        if self.board.challenge.is_some_and(|challenge| to != challenge.on) {
            return Err(MoveFault::NotTheChallenger);
        }
        let Some((direction, 1)) = from.line(to) else { return Err(MoveFault::NotAdjacent) };
        let Some((victim, prey)) = self.board.at(self.board.to_play.other(), to) else {
            return Err(MoveFault::NobodyToStrike);
        };
        if self.board.challenge.is_some() {
            if !self.has_escape() {
                return Err(MoveFault::NoEscape);
            }
        } else if prey.sees(direction) {
            return Err(MoveFault::NotBlind(prey));
        }
        Ok(Effect::Strikes(victim))
    }

    /// D10 to D15, D30, D31, N2.
    fn check_step(&self, step: Step) -> Result<Effect, MoveFault> {
        let Step { kind, from, mark, to } = step;
        let slot = self.named(step)?;
        let challenge = self.board.challenge;
        if challenge.is_some_and(|challenge| from != challenge.on) {
            return Err(MoveFault::NotTheChallenged);
        }
        let side = self.board.to_play;
        let (direction, distance) = from.line(to).filter(|_| from != to).ok_or(MoveFault::NoLine)?;
        if !kind.sees(direction) || distance > kind.reach() {
            return Err(MoveFault::Gait);
        }
        let way = from.way(to) & !from.set();
        let standing = self.board.set(side) | self.board.set(side.other());
        if way & standing != 0 {
            return Err(MoveFault::Taken(way & standing));
        }
        if self.board.at(side, to).is_some() {
            return Err(MoveFault::Own);
        }
        if challenge.is_some_and(|challenge| (way | to.set()) & challenge.from.way(challenge.on) != 0) {
            return Err(MoveFault::Barred);
        }
        match (self.board.at(side.other(), to), mark) {
            (Some((_, prey)), Mark::To) => Err(MoveFault::SomebodyThere(prey)),
            (None, Mark::To) => Ok(Effect::Goes(slot)),
            (None, _) => Err(MoveFault::NobodyThere),
            (Some((victim, Kind::Assassin)), _) if kind != Kind::Assassin => Ok(Effect::Kills(slot, victim)),
            (Some(_), _) if challenge.is_some() && kind == Kind::Assassin => Err(MoveFault::AssassinEscapes),
            (Some(_), _) if challenge.is_some() && !self.rules.escape_by_challenge => Err(MoveFault::EscapeChallenges),
            (Some((_, prey)), _) if kind == Kind::Assassin && prey != Kind::Assassin => Err(MoveFault::Prey(prey)),
            (Some(_), _) => Ok(Effect::Challenges(slot)),
        }
    }

    /// Returns whether the challenged piece can escape (D32).
    pub(super) fn has_escape(&self) -> bool {
        let Some(Fighters { defender: (_, kind), .. }) = self.board.fighters() else { return false };
        let Some(challenge) = self.board.challenge else { return false };
        let legal = |to: Square, mark| self.check_step(Step { kind, from: challenge.on, mark, to }).is_ok();
        Square::all().any(|to| legal(to, Mark::To) || legal(to, Mark::Onto))
    }

    /// D62.
    pub(super) fn judge_claim(&self, claim: Claim) -> Result<Outcome, Illegal> {
        let refuse = |message: String| {
            let repetition = if self.rules.repetition { "a position that occurs for the third time" } else { "" };
            let quiet = self.quiet.needed.map(|turns| format!("{turns} turns without a removal"));
            let ways: Vec<_> =
                [repetition, quiet.as_deref().unwrap_or_default()].into_iter().filter(|way| !way.is_empty()).collect();
            let help = match ways.is_empty() {
                true => "a draw can be agreed: `draw?` offers it".to_owned(),
                false => format!("a claim can be made for {}, when there is no challenge", ways.join(", or ")),
            };
            Err(Illegal::new(D62, None, message).with_help(help))
        };
        if self.deploying {
            return refuse("nothing can be claimed during the deployment".into());
        }
        if self.board.challenge.is_some() {
            return refuse("nothing can be claimed during a challenge".into());
        }
        match claim {
            Claim::Quiet => match self.quiet.claim() {
                Ok(outcome) => Ok(outcome),
                Err(NotQuiet::Never) => refuse("with `quiet-turns: none` no game is quiet".into()),
                Err(NotQuiet::Before(turns)) => {
                    let passed = match self.quiet.passed {
                        0 => "no turn has".to_owned(),
                        1 => "one turn has".to_owned(),
                        passed => format!("{passed} turns have"),
                    };
                    refuse(format!("{passed} passed without a removal, not {turns}"))
                }
            },
            Claim::Repetition if !self.rules.repetition => refuse("with `repetition: none` no position counts".into()),
            Claim::Repetition => match self.past.count(&self.board) {
                3.. => Ok(Outcome::Draw("repetition")),
                1 => refuse("the position has occurred for the first time, not the third".into()),
                times => refuse(format!("the position has occurred for the {times}nd time, not the third")),
            },
        }
    }
}

/// Z6.
fn seen(part: usize) -> Illegal {
    Illegal::new(Z6, part, "this seal is already in the record").with_help("every seal in a record is different")
}

/// Returns whether an action has a seal, a salt or an opening.
fn is_of_sealed_play(action: &Action) -> bool {
    match action {
        Action::Move { seal, .. } => seal.is_some(),
        Action::Deploy(_, opening) => opening.is_some(),
        Action::Accept(acceptance) => matches!(acceptance, Acceptance::Salt(_)),
        Action::Seal(_) | Action::Open(_) => true,
        Action::Place(..) => false,
    }
}
