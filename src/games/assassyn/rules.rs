//! Judging: which rule an entry breaks, in the order that the rulebook gives; and playing what is legal.

use super::board::{Fighters, Kind, Square};
use super::{Acceptance, Action, Assassyn, DEPLOY, Deployment, Mark, ROLL, Way};
use crate::games::kernel::seal_rules::{Z3, Z5, Z6, Z8, Z12, Z13, Z14};
use crate::games::kernel::{Claim, Facts, Illegal, Nonce, Outcome, Rule, Seal, Turn};

macro_rules! table {
    ($($code:ident $title:literal),* $(,)?) => {
        $(pub(super) const $code: Rule = Rule::new(stringify!($code), $title);)*
        /// The rules in the rulebook's order.
        pub(super) const TABLE: &[Rule] = &[$($code),*];
    };
}

table! {
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

/// A move as it is written.
#[derive(Clone, Copy)]
struct Step {
    kind: Kind,
    from: Square,
    mark: Mark,
    to: Square,
}

/// What a legal move does.
enum Effect {
    /// To an empty square, an escape too.
    Goes(usize),
    /// Onto an opposing piece: a challenge.
    Challenges(usize),
    /// Onto an Assassin, which dies: the mover and the victim.
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
                    .with_help("the opening stands alone"));
            }
            (false, 1) => {
                return Err(Illegal::new(Z13, None, "the game goes on, so a turn follows the opening")
                    .with_help("the entry is the opening, `; ` and the turn"));
            }
            (false, _) => {
                let thrown = after.thrown;
                after.judge_turn(actions.get(1..).unwrap_or_default(), 1, offers, facts)?;
                // The opponent sees the dice first after this entry.
                after.thrown = thrown;
            }
        }
        *self = after;
        Ok(())
    }

    /// Plays the opening with which an entry begins while dice are pending (Z12, Z3, Z13); nothing if none are.
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

    /// Judges an entry, or what follows its opening; `first` is the number of its first action.
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
                    return Err(Illegal::new(Z5, first + nth, message));
                }
                Action::Seal(_) if !sealing => {
                    return Err(Illegal::new(Z5, first + nth, "a seal stands alone in a sealed deployment only")
                        .with_help("the seal of a challenge stands behind it, with a space between"));
                }
                _ => {}
            }
        }
        let action = match actions {
            [action] => action,
            [] => return Err(Illegal::new(D16, None, "there is no pass: a piece moves, or the Assassin strikes")),
            _ => return Err(Illegal::new(D5, first + 1, "an entry is one turn")),
        };
        match action {
            _ if sealing => self.judge_sealed_deployment(action, facts),
            Action::Place(kind, at) if self.deploying => self.judge_place(first, *kind, *at),
            Action::Deploy(list, opening) if self.deploying => self.judge_deploy(first, list, *opening),
            Action::Place(..) | Action::Deploy(..) => {
                Err(Illegal::new(D4, first, "the deployment is complete: nothing more is placed"))
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
            // Both were dealt with above.
            Action::Seal(_) | Action::Open(_) => Err(Illegal::new(Z5, first, "it is not due here")),
        }
    }

    /// `deploy` with `deployment: sequential`.
    fn judge_deploy(&mut self, part: usize, list: &Deployment, opening: Option<Nonce>) -> Result<(), Illegal> {
        if self.rules.deployment != Way::Sequential {
            return Err(Illegal::new(D4, part, "with `deployment: alternating` pieces are placed one by one")
                .with_help("the entry is `place` and one piece"));
        }
        super::deployment::check_forces(part, list)?;
        super::deployment::check_squares(part, self.board.to_play, list)?;
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
            if !facts.publish(side, DEPLOY, seal) {
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
        super::deployment::check_forces(0, list)?;
        super::deployment::check_squares(0, side, list)?;
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
            return Err(Illegal::new(D33, part, "there is no challenge to accept"));
        };
        if !self.rules.sealed {
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
                return Err(Illegal::new(N3, part, "no such throw is on the dice").with_help(help()));
            }
            self.fight(fighters, throws);
            return Ok(());
        }
        if offers {
            return Err(Illegal::new(Z12, part, "an acceptance in sealed play offers no draw")
                .with_help("the challenger could choose after it has worked out the dice"));
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
            Mark::Strike => self.check_strike(part, step)?,
            _ => self.check_step(part, step)?,
        };
        match (&effect, seal) {
            (Effect::Challenges(_), None) if self.rules.sealed => {
                return Err(Illegal::new(Z5, part, "a challenge carries its seal in sealed play")
                    .with_help("behind it stand a space, `seal:` and 64 hexadecimal digits"));
            }
            (Effect::Challenges(_), Some(seal)) => {
                let label = format!("roll.{}", self.challenges + 1);
                if !facts.publish(side, &label, &seal) {
                    return Err(seen(part));
                }
            }
            (_, Some(_)) => {
                return Err(Illegal::new(Z5, part, "only a challenge carries a seal, and this is none"));
            }
            (_, None) => {}
        }
        self.thrown = None;
        // Whatever is no acceptance ends the challenge without a combat (D30).
        self.board.challenge = None;
        self.seal = None;
        match effect {
            Effect::Goes(slot) => {
                self.go(slot, step.to);
                self.end_turn(side, Some(slot), false);
            }
            Effect::Kills(slot, victim) => {
                self.board.remove(side.other(), victim);
                self.go(slot, step.to);
                self.end_turn(side, Some(slot), true);
            }
            Effect::Challenges(slot) => {
                self.go(slot, step.to);
                self.challenges += 1;
                self.seal = seal;
                self.board.challenge = Some(super::board::Challenge { from: step.from, on: step.to });
                self.end_turn(side, Some(slot), false);
            }
            Effect::Strikes(victim) => {
                self.board.remove(side.other(), victim);
                self.end_turn(side, None, true);
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
    fn named(&self, part: usize, step: Step) -> Result<usize, Illegal> {
        let Step { kind, from, .. } = step;
        match self.board.at(self.board.to_play, from) {
            Some((slot, other)) if other == kind => Ok(slot),
            Some((_, other)) => Err(Illegal::new(N1, part, format!("the piece on {from} is a {}", other.name()))
                .with_help(format!("it is written {}{from}", other.letter()))),
            None => Err(Illegal::new(N1, part, format!("the side to play has no piece on {from}"))),
        }
    }

    /// D20 to D23, D30, D32.
    fn check_strike(&self, part: usize, step: Step) -> Result<Effect, Illegal> {
        let Step { kind, from, to, .. } = step;
        let refuse = |rule: Rule, message: String| Err(Illegal::new(rule, part, message));
        self.named(part, step)?;
        if kind != Kind::Assassin {
            return refuse(D20, "only an Assassin strikes".into());
        }
        if from == to {
            return refuse(D23, "an Assassin does not strike on its own square".into());
        }
        if let Some(challenge) = self.board.challenge
            && to != challenge.on
        {
            return Err(Illegal::new(D30, part, "a challenge stands: a strike must hit the challenger")
                .with_help(format!("the challenger is on {}", challenge.on)));
        }
        let Some((direction, 1)) = from.line(to) else {
            return refuse(D20, format!("{to} is not next to {from}"));
        };
        let Some((victim, prey)) = self.board.at(self.board.to_play.other(), to) else {
            return refuse(D20, format!("there is no opposing piece on {to}"));
        };
        if self.board.challenge.is_some() {
            if !self.has_escape() {
                return Err(Illegal::new(D32, part, "the challenged piece has no escape, so no strike may answer")
                    .with_help("the only answer is `accept`"));
            }
        } else if prey.sees(direction) {
            let help = match prey {
                Kind::Longswordsman => "a Longswordsman is blind diagonally",
                Kind::Shortswordsman => "a Shortswordsman is blind along rank and file",
                _ => "it is blind only while it shares its square with an opposing piece",
            };
            return Err(
                Illegal::new(D20, part, format!("the {} on {to} is not blind that way", prey.name())).with_help(help)
            );
        }
        Ok(Effect::Strikes(victim))
    }

    /// D10 to D15, D30, D31, N2.
    fn check_step(&self, part: usize, step: Step) -> Result<Effect, Illegal> {
        let Step { kind, from, mark, to } = step;
        let refuse = |rule: Rule, message: String| Err(Illegal::new(rule, part, message));
        let slot = self.named(part, step)?;
        if let Some(challenge) = self.board.challenge
            && from != challenge.on
        {
            return Err(Illegal::new(
                D30,
                part,
                format!("the piece on {} is challenged and must answer", challenge.on),
            )
            .with_help("it escapes or accepts, or an Assassin strikes the challenger"));
        }
        let side = self.board.to_play;
        let Some((direction, distance)) = from.line(to).filter(|_| from != to) else {
            return Err(
                Illegal::new(D10, part, format!("no straight line leads from {from} to {to}")).with_help(kind.gait())
            );
        };
        if !kind.sees(direction) || distance > kind.reach() {
            return Err(Illegal::new(D10, part, "it does not move that way").with_help(kind.gait()));
        }
        let way = from.way(to) & !from.set();
        let standing = self.board.set(side) | self.board.set(side.other());
        if way & standing != 0 {
            let met = Square::all().find(|square| way & standing & square.set() != 0).unwrap_or(to);
            return refuse(D11, format!("the way is not clear: {met} is taken"));
        }
        if self.board.at(side, to).is_some() {
            return refuse(D11, format!("a piece of its own side stands on {to}"));
        }
        if let Some(challenge) = self.board.challenge
            && (way | to.set()) & challenge.from.way(challenge.on) != 0
        {
            return refuse(D31, "an escape does not go to, or through, a square that the challenger came by".into());
        }
        match (self.board.at(side.other(), to), mark) {
            (Some((_, prey)), Mark::To) => {
                let name = prey.name();
                Err(Illegal::new(N2, part, format!("an opposing {name} stands on {to}"))
                    .with_help("onto an opposing piece is written with `x`"))
            }
            (None, Mark::To) => Ok(Effect::Goes(slot)),
            (None, _) => Err(Illegal::new(N2, part, format!("no opposing piece stands on {to}"))
                .with_help("to an empty square is written with `-`")),
            (Some((victim, Kind::Assassin)), _) if kind != Kind::Assassin => Ok(Effect::Kills(slot, victim)),
            (Some(_), _) if self.board.challenge.is_some() => {
                Err(Illegal::new(D31, part, "an escape is no challenge in its turn")
                    .with_help("it goes to an empty square, or kills an Assassin"))
            }
            (Some((_, prey)), _) if kind == Kind::Assassin && prey != Kind::Assassin => {
                Err(Illegal::new(D15, part, format!("an Assassin does not challenge a {}", prey.name()))
                    .with_help("it challenges the opposing Assassin only"))
            }
            (Some(_), _) => Ok(Effect::Challenges(slot)),
        }
    }

    /// Whether the challenged piece can escape (D32).
    pub(super) fn has_escape(&self) -> bool {
        let Some(Fighters { defender: (_, kind), .. }) = self.board.fighters() else { return false };
        let Some(challenge) = self.board.challenge else { return false };
        let legal = |to: Square, mark| self.check_step(0, Step { kind, from: challenge.on, mark, to }).is_ok();
        Square::all().any(|to| legal(to, Mark::To) || legal(to, Mark::Onto))
    }

    /// D62.
    pub(super) fn judge_claim(&self, claim: Claim) -> Result<Outcome, Illegal> {
        let refuse = |message: String| Err(Illegal::new(D62, None, message));
        if self.deploying {
            return refuse("nothing is claimed during the deployment".into());
        }
        if self.board.challenge.is_some() {
            return refuse("nothing is claimed while a challenge stands".into());
        }
        match claim {
            Claim::Quiet => match self.rules.quiet {
                None => refuse("with `quiet-turns: none` no game is quiet".into()),
                Some(turns) if self.quiet >= turns => Ok(Outcome::Draw("quiet")),
                Some(turns) => refuse(format!("the last removal is {} turns ago, not {turns}", self.quiet)),
            },
            Claim::Repetition if !self.rules.repetition => refuse("with `repetition: none` no position counts".into()),
            Claim::Repetition => match self.past.count(&self.board) {
                3.. => Ok(Outcome::Draw("repetition")),
                1 => refuse("the position stands for the first time, not the third".into()),
                times => refuse(format!("the position stands for the {times}nd time, not the third")),
            },
        }
    }
}

/// Z6.
fn seen(part: usize) -> Illegal {
    Illegal::new(Z6, part, "this seal stands in the record already").with_help("all seals of a record differ")
}

/// Whether an action has a seal, a salt or an opening.
fn is_of_sealed_play(action: &Action) -> bool {
    match action {
        Action::Move { seal, .. } => seal.is_some(),
        Action::Deploy(_, opening) => opening.is_some(),
        Action::Accept(acceptance) => matches!(acceptance, Acceptance::Salt(_)),
        Action::Seal(_) | Action::Open(_) => true,
        Action::Place(..) => false,
    }
}
