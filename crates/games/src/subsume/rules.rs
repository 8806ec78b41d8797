//! Judging: which rule an entry breaks, in the order of the rulebook; and playing what is legal.

pub(crate) mod conflict;
pub(crate) mod control;
pub(crate) mod hints;
pub(crate) mod play;

use super::board::{Kind, Square, Territory, Token};
use super::position::{home_rank, word};
use crate::subsume::position::state::{Action, Cover, Opening, Phase, Subsume, label};
use crate::subsume::rules::play::{TERRITORY, quarters};
use postrider_kernel::envelope_rules::E7;
use postrider_kernel::seal_rules::{Z3, Z5, Z6};
use postrider_kernel::{Claim, Facts, Illegal, Outcome, Played, Rule, SealPlace, Turn};

postrider_kernel::rules! {
    pub(super) TABLE:
    U1 "the board",
    U2 "turns and phases",
    U3 "a turn is atomic",
    U4 "territories",
    U10 "one claim per turn",
    U11 "where a token is claimed",
    U12 "types",
    U13 "the token just claimed",
    U20 "control",
    U21 "the border",
    U22 "what counts as uncontrolled",
    U30 "merging four territories",
    U31 "the merged stack",
    U32 "losing control, losing the claim",
    U40 "re-ordering a stack",
    U41 "changing types",
    U42 "when abilities are used",
    U43 "no larger territories",
    U50 "starting a conflict",
    U51 "who has fought",
    U52 "type against type",
    U53 "mass resolution",
    U54 "tokens without a match",
    U55 "the new stacks",
    U56 "who owns the places",
    U57 "fought and public",
    U58 "captured larger territories",
    U60 "broken claims",
    U70 "moving",
    U71 "the top token and the lid",
    U72 "crossing a border",
    U80 "the end",
    U81 "the turn limit",
    U82 "no repetition",
    U90 "tokens and their seals",
    U91 "the attacker opens",
    U92 "a turn is suspended",
    U93 "the reveal",
    U94 "closing a conflict",
    U95 "actions",
    U96 "positions",
}

/// The current action among the others of its entry.
#[derive(Clone, Copy)]
struct Here {
    /// Its index, from 0.
    part: usize,
    /// How many actions there are.
    count: usize,
    /// Whether the entry continues a turn that was suspended.
    resumed: bool,
}

impl Here {
    fn refuse_with<T>(self, rule: Rule, message: impl Into<String>, help: impl Into<String>) -> Result<T, Illegal> {
        Err(Illegal::new(rule, self.part, message).with_help(help))
    }
}

/// Whether an entry is one action that is one step, and so has done nothing yet when it is refused.
fn is_sole(actions: &[Action]) -> bool {
    match actions {
        [] | [Action::Move { count: 1, .. }] => true,
        [Action::Move { .. }] => false,
        [_] => true,
        _ => false,
    }
}

/// No claim is granted: positions never repeat (U82), and there is no rule for quiet games. So the envelope's own rule is named.
pub(super) fn judge_claim(claim: Claim) -> Result<Outcome, Illegal> {
    let message = match claim {
        Claim::Repetition => "no position of this game can repeat, for each turn adds a token",
        Claim::Quiet => "this game has no draw for quiet play",
    };
    Err(Illegal::new(E7, None, message).with_help("a draw is agreed: `draw?` offers it, beside a turn"))
}

impl Subsume {
    /// Judges an entry and plays it. If it is refused, discard this value.
    pub(super) fn judge(&mut self, turn: Turn<'_, Action>) -> Result<Played, Illegal> {
        let Turn { actions, offers, facts } = turn;
        self.steps = if is_sole(actions) { 0 } else { self.blocks(actions) / 8 };
        self.judge_entry(actions, facts)?;
        Ok(Played {
            forced: !offers && matches!(actions, [Action::Reveal(_)]),
            steps: u32::try_from(self.steps).unwrap_or(u32::MAX),
        })
    }

    /// The blocks of the stacks that an entry is about: what is copied of them when they change where a copy of the whole is kept.
    fn blocks(&self, actions: &[Action]) -> usize {
        let at = |square: Square| self.state.board.at(square).map_or(0, |territory| territory.stack.blocks());
        let of = |action: &Action| match *action {
            Action::Claim { at: square, .. }
            | Action::Reorder { at: square, .. }
            | Action::Retype { at: square, .. } => at(square),
            Action::Conflict { from, to, .. } | Action::Move { from, to, .. } => at(from) + at(to),
            Action::Subsume { .. } | Action::Reveal(_) | Action::End => 0,
        };
        actions.iter().map(of).sum()
    }

    fn judge_entry(&mut self, actions: &[Action], facts: &mut dyn Facts) -> Result<(), Illegal> {
        self.judge_beginning(actions, facts)?;
        if actions.is_empty() {
            return if self.state.phase == Phase::Claim {
                Err(Illegal::new(U10, None, "a turn begins with the claim of one token").with_help(CLAIM))
            } else {
                Err(Illegal::new(U94, None, "a turn that continues with nothing more ends with `end`")
                    .with_help("the entry is `end`, or further conflicts and moves"))
            };
        }
        self.close_entry(actions);
        Ok(())
    }

    /// Judges and plays the actions at the beginning of an entry. After an error the state can no longer be used.
    pub(super) fn judge_beginning(&mut self, actions: &[Action], facts: &mut dyn Facts) -> Result<(), Illegal> {
        if self.state.outcome.is_some() {
            return Err(Illegal::new(U80, None, "the game is over").with_help("no entry follows its end"));
        }
        if self.state.pending.is_some() && !matches!(actions.first(), Some(Action::Reveal(_))) {
            let message = format!("the reveal of the tokens attacked is due from {}", word(self.state.due()));
            let part = if actions.is_empty() { None } else { Some(0) };
            return Err(Illegal::new(U93, part, message)
                .with_help("only `resign`, or `draw!` where a draw is offered, may take its place"));
        }
        let resumed = self.resumed();
        (0..actions.len()).try_for_each(|part| self.judge_at(actions, part, resumed, facts))
    }

    /// Returns whether the due entry continues a turn that was suspended (U93).
    pub(super) fn resumed(&self) -> bool {
        self.state.pending.is_none() && self.state.phase != Phase::Claim
    }

    /// Judges and plays one action of an entry, of which everything before has been played.
    pub(super) fn judge_at(
        &mut self,
        actions: &[Action],
        part: usize,
        resumed: bool,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let here = Here { part, count: actions.len(), resumed };
        actions.get(part).map_or(Ok(()), |action| self.judge_action(here, action, facts))
    }

    fn judge_action(&mut self, here: Here, action: &Action, facts: &mut dyn Facts) -> Result<(), Illegal> {
        match self.state.outcome {
            Some(Outcome::Win(_, TERRITORY)) => {
                let message = "the conflict before has ended the game, so nothing follows it";
                return here.refuse_with(U80, message, "the entry ends with that conflict");
            }
            Some(_) => {
                let message = "the turn limit has ended the game, so nothing follows";
                return here.refuse_with(U81, message, "the entry ends before this action");
            }
            None => {}
        }
        let suspends = here.part > 0 && self.state.pending.is_some();
        if suspends && *action != Action::End {
            return here.refuse_with(
                U92,
                "the conflict before waits for the other side's reveal, so the entry is over",
                "only `end` may follow it, to end the turn with it; or the turn goes on after the reveal",
            );
        }
        let needs_claim = !matches!(action, Action::Claim { .. } | Action::Reveal(_) | Action::End);
        if needs_claim && self.state.phase == Phase::Claim {
            return here.refuse_with(U10, "nothing may be done before the claim", CLAIM);
        }
        let mut place = SealPlace::NONE;
        match action {
            Action::Claim { at, cover } => place = self.check_claim(here, *at, *cover, facts)?,
            Action::Subsume { at, size } => self.check_subsume(here, *at, *size)?,
            Action::Reorder { at, nth } => self.check_reorder(here, *at, *nth)?,
            Action::Retype { at, nth, cover } => place = self.check_retype(here, *at, *nth, *cover, facts)?,
            Action::Conflict { from, to, openings } => self.check_conflict(here, *from, *to, openings, facts)?,
            Action::Move { from, to, count } => {
                let mut left = *count;
                while left > 0 {
                    self.check_step(here, *from, *to)?;
                    self.step(*from, *to);
                    left -= 1 + self.march(*from, *to, left - 1);
                }
                return Ok(());
            }
            Action::Reveal(openings) => self.check_reveal(here, openings, facts)?,
            Action::End => self.check_end(here, suspends)?,
        }
        self.enact_sealed(action, place);
        Ok(())
    }

    /// U10 to U12, Z5, Z6.
    fn check_claim(&self, here: Here, at: Square, cover: Cover, facts: &mut dyn Facts) -> Result<SealPlace, Illegal> {
        let side = self.state.to_play;
        if self.state.phase != Phase::Claim {
            return here.refuse_with(U10, "this turn's token is already claimed", "a turn claims exactly one");
        }
        self.check_cover(here, cover)?;
        match self.state.board.at(at) {
            Some(territory) if territory.owner != side => {
                return here.refuse_with(U11, format!("{at} is {}'s", word(side.other())), PLACES);
            }
            None if at.rank() != home_rank(side) => {
                let row = home_rank(side) + 1;
                let message = format!("{at} is empty and not on rank {row}, the home row of {}", word(side));
                return here.refuse_with(U11, message, PLACES);
            }
            _ => {}
        }
        self.check_seal(here, cover, self.state.tokens.saturating_add(1), 0, facts)
    }

    /// Z5: a type in open play, a seal in sealed play.
    fn check_cover(&self, here: Here, cover: Cover) -> Result<(), Illegal> {
        match (cover, self.rules.sealed) {
            (Cover::Sealed(_), false) => {
                here.refuse_with(Z5, "in open play the type is written, not sealed", "a type is I, A or D, as in +d1A")
            }
            (Cover::Open(_), true) => here.refuse_with(
                Z5,
                "in sealed play the type is sealed, not written",
                "`seal:` and 64 hexadecimal digits",
            ),
            _ => Ok(()),
        }
    }

    /// Z6. Returns the place of the seal, if there is one.
    fn check_seal(
        &self,
        here: Here,
        cover: Cover,
        token: u32,
        nth: u32,
        facts: &mut dyn Facts,
    ) -> Result<SealPlace, Illegal> {
        let Cover::Sealed(seal) = cover else { return Ok(SealPlace::NONE) };
        match facts.publish(self.state.to_play, &label(token, nth), &seal) {
            Some(place) => Ok(place),
            None => here.refuse_with(Z6, "this seal is already in the record", "every seal in a record is different"),
        }
    }

    /// U2, U30.
    fn check_subsume(&self, here: Here, at: Square, size: u8) -> Result<(), Illegal> {
        if self.state.phase > Phase::Subsume {
            let left = if self.state.phase == Phase::Movement { self.legal_moves() } else { self.legal_conflicts() };
            return here.refuse_with(U2, format!("after {} nothing more may be merged", self.phase_before()), left);
        }
        let half = size / 2;
        let four = || {
            format!(
                "the square of {size} by {size} from {at} up and to the right must be four territories of the side of size {half}"
            )
        };
        for corner in quarters(at, size) {
            let Some(corner) = corner else {
                return here.refuse_with(U30, "this square would leave the board", four());
            };
            let fits = |territory: &&Territory| territory.corner == corner && territory.size == half;
            let Some(quarter) = self.state.board.own(self.state.to_play, corner).filter(fits) else {
                return here.refuse_with(
                    U30,
                    format!("there is no territory of the side of size {half} at {corner}"),
                    four(),
                );
            };
            if !self.controls(quarter) {
                return here.refuse_with(U30, format!("{corner} is not controlled"), self.needs(quarter));
            }
        }
        Ok(())
    }

    /// Says what a territory needs for control.
    fn needs(&self, territory: &Territory) -> String {
        let needed = crate::subsume::rules::control::needed(&self.state.board, territory, self.rules.border);
        format!("{} holds {} tokens and needs {needed} for control (U20)", territory.corner, territory.stack.len())
    }

    /// What ended the previous phases.
    fn phase_before(&self) -> &'static str {
        if self.state.phase == Phase::Movement { "a move" } else { "a conflict" }
    }

    /// For an ability: one's own controlled territory of at least this size, and the token's place in its stack.
    fn check_ability(&self, here: Here, rule: Rule, at: Square, nth: u32, size: u8) -> Result<&Territory, Illegal> {
        let Some(territory) = self.state.board.own(self.state.to_play, at) else {
            let message = format!("{at} is not in a territory of {}", word(self.state.to_play));
            return here.refuse_with(rule, message, self.legal_abilities(rule));
        };
        if territory.size < size {
            let which = if size == 4 { "a 4u" } else { "a 2u or a 4u" };
            let message = format!("{at} is a {}u, and only {which} can do this", territory.size);
            return here.refuse_with(rule, message, self.legal_abilities(rule));
        }
        if !self.controls(territory) {
            return here.refuse_with(rule, format!("{at} is not controlled"), self.needs(territory));
        }
        if nth as usize > territory.stack.len() {
            let message = format!("there is no token {nth} in a stack of {}", territory.stack.len());
            return here.refuse_with(rule, message, "tokens are counted from the bottom, which is 1");
        }
        Ok(territory)
    }

    /// Says which abilities of larger territories are available (U40, U41).
    fn legal_abilities(&self, rule: Rule) -> String {
        if rule == U40 {
            self.legal("re-order", |action| matches!(action, Action::Reorder { .. }))
        } else {
            self.legal("change of type", |action| matches!(action, Action::Retype { .. }))
        }
    }

    /// U40.
    fn check_reorder(&self, here: Here, at: Square, nth: u32) -> Result<(), Illegal> {
        let territory = self.check_ability(here, U40, at, nth, 2)?;
        if nth as usize == territory.stack.len() {
            return here.refuse_with(U40, "the top token is already on top", self.legal_abilities(U40));
        }
        Ok(())
    }

    /// U41, Z5, Z6.
    fn check_retype(
        &self,
        here: Here,
        at: Square,
        nth: u32,
        cover: Cover,
        facts: &mut dyn Facts,
    ) -> Result<SealPlace, Illegal> {
        self.check_cover(here, cover)?;
        let territory = self.check_ability(here, U41, at, nth, 4)?;
        let Some(token) = territory.stack.get((nth as usize).saturating_sub(1)) else {
            let help = "tokens are counted from the bottom, which is 1";
            return here.refuse_with(U41, "there is no such token", help);
        };
        if let Cover::Open(kind) = cover
            && token.kind() == Some(kind)
        {
            let others = Kind::ALL.into_iter().filter(|other| *other != kind);
            let others: Vec<_> = others.map(|other| other.letter().to_string()).collect();
            let message = format!("this token is already of type {}", kind.letter());
            return here.refuse_with(U41, message, format!("it may become {}", others.join(" or ")));
        }
        self.check_seal(here, cover, token.number(), token.reseals() + 1, facts)
    }

    /// U2, U50, U51, Z5, U91, Z3.
    fn check_conflict(
        &self,
        here: Here,
        from: Square,
        to: Square,
        openings: &[Opening],
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let side = self.state.to_play;
        if self.state.phase > Phase::Conflict {
            return here.refuse_with(U2, "after a move no more conflicts may be started", self.legal_moves());
        }
        let Some(attacker) = self.state.board.own(side, from) else {
            let message = format!("{from} is not in a territory of {}", word(side));
            return here.refuse_with(U50, message, self.legal_conflicts());
        };
        if self.state.board.own(side.other(), to).is_none() {
            let message = format!("{to} is not in a territory of {}", word(side.other()));
            return here.refuse_with(U50, message, self.legal_conflicts());
        }
        if !from.touches(to) {
            return here.refuse_with(U50, format!("{from} and {to} do not share an edge"), EDGE);
        }
        if attacker.fought == self.state.turn() {
            return here.refuse_with(
                U51,
                format!("a token in the territory of {from} has fought in this turn"),
                "such a territory starts no conflict and no token leaves it; it may be attacked",
            );
        }
        if !self.rules.sealed {
            return if openings.is_empty() {
                Ok(())
            } else {
                let message = "in open play nothing is sealed, so nothing is opened";
                here.refuse_with(Z5, message, format!("it is written {from}x{to} alone"))
            };
        }
        self.check_openings(here, U91, attacker, openings, facts)
    }

    /// Checks for exactly the sealed tokens of a stack, in ascending order of number, each with its opening.
    fn check_openings(
        &self,
        here: Here,
        rule: Rule,
        territory: &Territory,
        openings: &[Opening],
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let sealed = territory.sealed();
        if !sealed.iter().map(Token::number).eq(openings.iter().map(|opening| opening.number)) {
            let numbers: Vec<_> = sealed.iter().map(|token| token.number().to_string()).collect();
            let wanted = match numbers.as_slice() {
                [] => "no token in that stack is sealed, so none is opened".to_owned(),
                [one] => format!("it opens token {one}"),
                many => format!("it opens tokens {}, in this order", many.join(", ")),
            };
            return here.refuse_with(rule, "these are not exactly the sealed tokens of the stack", wanted);
        }
        for (token, opening) in sealed.iter().zip(openings) {
            let Some(place) = token.seal() else { continue };
            let label = label(token.number(), token.reseals());
            // Whoever sealed it still owns it: what has fought is open (U57).
            if !facts.opens_at(territory.owner, &label, opening.kind.word(), place, &opening.nonce) {
                let message = format!("this does not open token {} as {}", token.number(), article(opening.kind));
                let seal = facts.seal_at(place).map_or_else(|| "its seal".to_owned(), |seal| seal.to_string());
                return here.refuse_with(Z3, message, format!("SHA-256 of its text must be {seal}"));
            }
        }
        Ok(())
    }

    /// U51, U70 to U72, for one token.
    fn check_step(&self, here: Here, from: Square, to: Square) -> Result<(), Illegal> {
        let side = self.state.to_play;
        let board = &self.state.board;
        let Some(territory) = board.own(side, from) else {
            let message = match board.at(from) {
                Some(_) => format!("{from} is not in a territory of {}", word(side)),
                None => format!("there is no token on {from}"),
            };
            return here.refuse_with(U70, message, self.legal_moves());
        };
        let target = board.at(to);
        if target.is_some_and(|target| target.corner == territory.corner) {
            return here.refuse_with(
                U72,
                format!("{from} and {to} are in the same territory, and there are no steps inside one"),
                "a token leaves from a square at the border to the square outside",
            );
        }
        if !from.touches(to) {
            return here.refuse_with(U70, format!("{from} and {to} do not share an edge"), EDGE);
        }
        if target.is_some_and(|target| target.owner != side) {
            return here.refuse_with(
                U70,
                format!("{to} is {}'s", word(side.other())),
                "a token moves to an empty square or onto a territory of its side",
            );
        }
        if territory.fought == self.state.turn() {
            let message = format!("a token in the territory of {from} has fought in this turn, so none leaves it");
            return here.refuse_with(U51, message, self.legal_moves());
        }
        if territory.lid == self.state.turn() {
            let message = format!("a token has moved onto the territory of {from} in this turn, so none leaves it");
            return here.refuse_with(U71, message, self.legal_moves());
        }
        Ok(())
    }

    /// U93, Z3, Z5.
    fn check_reveal(&self, here: Here, openings: &[Opening], facts: &mut dyn Facts) -> Result<(), Illegal> {
        if !self.rules.sealed {
            let message = "in open play nothing is sealed, so nothing is revealed";
            return here.refuse_with(Z5, message, "the entry is a turn");
        }
        let attacked = self.state.pending.and_then(|pending| Some((pending, self.state.board.at(pending.to)?)));
        let Some((pending, attacked)) = attacked else {
            let due = if here.resumed { "the rest of the turn after the conflict, or `end`" } else { "a turn" };
            return here.refuse_with(U93, "no reveal is due", format!("{due} is due"));
        };
        self.check_openings(here, U93, attacked, openings, facts)?;
        if !pending.closed && here.part + 1 < here.count {
            let next = Here { part: here.part + 1, ..here };
            return next.refuse_with(
                U93,
                format!(
                    "{} has not closed the conflict with `end`, so no turn follows its reveal",
                    word(self.state.to_play)
                ),
                "the reveal is the whole entry, with `draw?` at most if it does not end the game",
            );
        }
        Ok(())
    }

    /// U94.
    fn check_end(&self, here: Here, suspends: bool) -> Result<(), Illegal> {
        if !self.rules.sealed {
            let message = "in open play the end of the entry is the end of the turn";
            let help = if here.part == 0 {
                "a turn begins with a claim, as in +d1A"
            } else {
                "the entry ends with the action before"
            };
            return here.refuse_with(U94, message, help);
        }
        let closes = suspends && self.state.pending.is_some_and(|pending| !pending.closed);
        if closes || here.resumed && here.count == 1 {
            return Ok(());
        }
        let message = if here.resumed && here.part == 0 {
            "`end` is an entry of its own, or follows a conflict that waits for a reveal"
        } else {
            "`end` follows a conflict that waits for a reveal, or stands alone in a turn that continues"
        };
        here.refuse_with(U94, message, "the end of the entry is the end of the turn")
    }
}

const CLAIM: &str = "it is written `+`, a square and a type, as in +d1A";
const PLACES: &str = "a token is claimed on an empty square of the side's home row or on one of its territories";
const EDGE: &str = "it goes from a square to one beside, above or below it";

/// A type with its article.
const fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Isolationist => "an isolationist",
        Kind::Aggressor => "an aggressor",
        Kind::Advocate => "an advocate",
    }
}
