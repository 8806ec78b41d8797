//! The replay of one record: each entry is read, judged and played, by the rules of the game and of the envelope
//! together.

use super::checks::{Checks, Unchecked};
use super::clocks::Clocks;
use super::common::{self, Common};
use super::envelope::{Breach, Envelope, Outline, Placed};
use super::signing::{self, Hand};
use super::table::{Explore, Table};
use super::typed::{Draft, Typed};
use super::{ORDINARY_BUDGET, SIGNATURE_STEPS, Standing, Stop};
use crate::record::{Body, Clock, Entry, Item, Time};
use crate::sealing::{Check, Seals, Signatures};
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::notation::Misfit;
use postrider_kernel::scene::{Blow, Scene};
use postrider_kernel::text::unseen::unseen;
use postrider_kernel::text::{Diagnostic, Span};
use postrider_kernel::{
    Count, Facts, Game, Holding, Illegal, Incomplete, Keeper, Lost, NoFacts, Outcome, Played, SealedGame, Side, Skill,
    Turn, Viewer,
};
use std::any::Any;

/// What an entry did: its play, or that it ended the game by the envelope's rules.
struct Ended {
    played: Played,
    outcome: Option<Outcome>,
    /// Whether the game ended because time ran out.
    by_time: bool,
}

/// A game in progress under its record.
#[derive(Clone, Debug)]
pub struct Replay<G: Game> {
    pub(super) game: G,
    pub(super) envelope: Envelope,
    /// Only for a sealed record.
    pub(super) seals: Option<Box<Seals>>,
    /// Only for a record with keys or signatures.
    signatures: Option<Box<Signatures>>,
    pub(super) check: Check,
    /// How many steps may still be spent.
    budget: u64,
    /// Signatures that are yet to be checked.
    unchecked: Checks,
    /// See [`Table::spoiled`].
    spoiled: Option<u32>,
    /// The game's actions in the current entry with their places if there are several, and the envelope's. Between
    /// entries only their allocations are kept.
    pub(super) actions: Vec<G::Action>,
    pub(super) spans: Vec<Span>,
    pub(super) common: Vec<Placed>,
}

/// An action that does not fit the grammar, and its place.
struct Misread {
    span: Span,
    misfit: Misfit,
}

/// Where the actions of an entry are stored as they are read.
struct Parts<'a, A> {
    actions: &'a mut Vec<A>,
    spans: &'a mut Vec<Span>,
    common: &'a mut Vec<Placed>,
}

impl<A> Parts<'_, A> {
    /// Reads the actions of an entry, the game's and the envelope's. For a single action the place is that of the
    /// entry.
    #[inline(always)]
    fn read<G: Game<Action = A>>(&mut self, text: &str, entry: &Entry) -> Result<(), Misread> {
        let start = entry.actions.start as usize;
        let actions = entry.actions.text(text);
        if entry.several { self.read_several::<G>(actions, start) } else { self.read_one::<G>(actions, start, false) }
    }

    fn read_several<G: Game<Action = A>>(&mut self, actions: &str, mut start: usize) -> Result<(), Misread> {
        let mut rest = actions;
        while let Some(length) = separator(rest.as_bytes()) {
            self.read_one::<G>(rest.get(..length).unwrap_or_default(), start, true)?;
            rest = rest.get(length + 2..).unwrap_or_default();
            start += length + 2;
        }
        self.read_one::<G>(rest, start, true)
    }

    /// Reads one action, which begins at `start` in the record.
    #[inline(always)]
    fn read_one<G: Game<Action = A>>(&mut self, text: &str, start: usize, placed: bool) -> Result<(), Misread> {
        let span = Span::new(start, start + text.len());
        let read = match common::read(text.as_bytes()) {
            None => G::read_action(text).map(|action| {
                self.actions.push(action);
                if placed {
                    self.spans.push(span);
                }
            }),
            Some(read) => read.map(|action| {
                let at = self.common.len() + self.actions.len();
                self.common.push(Placed { action, at, span });
            }),
        };
        read.map_err(|misfit| Misread { span, misfit })
    }
}

impl<G: SealedGame> Replay<G> {
    /// Starts the replay of a record, with the clock in its header.
    #[must_use]
    pub fn new(game: G, clock: Option<Clock>) -> Self {
        Self::at(game, Envelope::new(G::INFO, clock))
    }

    fn at(game: G, envelope: Envelope) -> Self {
        Self {
            game,
            envelope,
            seals: None,
            signatures: None,
            check: Check::All,
            budget: ORDINARY_BUDGET,
            unchecked: Checks::default(),
            spoiled: None,
            actions: Vec::new(),
            spans: Vec::new(),
            common: Vec::new(),
        }
    }

    /// Makes it the replay of a practice game (E12).
    #[must_use]
    pub(crate) fn in_practice(mut self, practice: bool) -> Self {
        self.envelope.practice = practice;
        self
    }

    /// Makes it the replay of a game with a host (Z38).
    #[must_use]
    pub fn hosted(mut self, hosted: bool) -> Self {
        self.envelope.hosted = hosted;
        self
    }

    /// Makes it the replay of a sealed record.
    #[must_use]
    pub(crate) fn with_seals(mut self, seals: Seals) -> Self {
        self.seals = Some(Box::new(seals));
        self
    }

    /// Judges and plays the game's own actions of the entry in hand. What the entry adds to the seals is not kept yet. `back`:
    /// whether the game stands as before after a refusal.
    // The refusal is boxed, because it is large and every entry would have to move it otherwise.
    #[inline]
    fn play(&mut self, offers: bool, back: bool) -> Result<Played, Box<Illegal>> {
        let mut nobody = NoFacts;
        let turn = Turn { actions: &self.actions, offers, facts: facts(&mut self.seals, &mut nobody) };
        let played = if back { self.game.try_turn(turn) } else { self.game.play_turn(turn) };
        match played {
            Ok(played) => Ok(played),
            Err(illegal) => {
                self.forget();
                if G::SPOILS && !back {
                    self.spoiled = Some(self.envelope.entries);
                }
                Err(Box::new(illegal))
            }
        }
    }

    /// Counts the current entry, which is legal.
    #[inline]
    fn keep(&mut self, entry: &Entry, played: Played, offers: bool, leave: Option<u64>) {
        // An offer by a side that has committed to its secret lapses with the answer, or the opponent could look first
        // and choose then (Z29).
        let committed = |seals: &Seals| seals.commitment(entry.side.other()).is_some();
        let forced = played.forced && !self.seals.as_deref().is_some_and(committed);
        self.envelope.enter(entry, forced, offers, leave);
        if let Some(clocks) = self.envelope.clocks.as_mut().filter(|clocks| clocks.clock().forced > 0) {
            clocks.owe(self.game.owes_forced_answer());
        }
        let mut steps = u64::from(G::STEPS) * (1 + self.actions.len() as u64) + u64::from(played.steps);
        if let Some(seals) = &mut self.seals {
            // The chain is still the one before the entry.
            steps += seals.keep(self.envelope.entries, self.signatures.as_ref().map(|signatures| signatures.before()));
        }
        self.budget = self.budget.saturating_sub(steps);
    }

    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.envelope.ended.or_else(|| self.game.outcome())
    }

    /// Forgets the actions of the previous entry.
    #[inline(always)]
    pub(super) fn begin_entry(&mut self) {
        self.actions.clear();
        self.spans.clear();
        self.common.clear();
    }

    /// Reads the actions of an entry, the game's and the envelope's.
    #[inline(always)]
    fn read_entry(&mut self, text: &str, entry: &Entry) -> Result<(), Stop> {
        self.begin_entry();
        let read = self.parts().read::<G>(text, entry);
        read.map_err(|Misread { span, misfit }| self.misfit(span.text(text), span, misfit))
    }

    /// Reads one action, which begins at `start` in the record.
    pub(super) fn read_action(&mut self, text: &str, start: usize) -> Result<(), Stop> {
        let read = self.parts().read_one::<G>(text, start, true);
        read.map_err(|Misread { span, misfit }| self.misfit(text, span, misfit))
    }

    #[inline(always)]
    fn parts(&mut self) -> Parts<'_, G::Action> {
        Parts { actions: &mut self.actions, spans: &mut self.spans, common: &mut self.common }
    }

    #[cold]
    pub(super) fn misfit(&self, action: &str, span: Span, misfit: Misfit) -> Stop {
        let at = Span::new(span.start as usize + misfit.offset, span.end.max(span.start + 1) as usize);
        let message = match shortened(action) {
            action if action.is_empty() => format!("an action is missing: expected {}", misfit.expected),
            short => {
                let unseen = unseen(action).map(|what| format!("; {what}")).unwrap_or_default();
                format!("{short}: expected {}{unseen}", misfit.expected)
            }
        };
        let see = advice![Act::Rules(G::INFO.name, None), " explains how actions are written"];
        Stop::Malformed(Box::new(Diagnostic::fault(at, message).with_see(see).in_entry(self.envelope.entries + 1)))
    }

    #[cold]
    fn refused(&self, refusal: Breach) -> Stop {
        Self::refusal(self.envelope.entries + 1, refusal)
    }

    fn refusal(number: u32, refusal: Breach) -> Stop {
        let Breach { rule, span, message, help } = refusal;
        Stop::Illegal(Box::new(Diagnostic {
            rule: Some(rule.code),
            entry: Some(number),
            span,
            message,
            help,
            see: None,
        }))
    }

    /// The verdict in place of judging an entry for which no steps are left.
    #[cold]
    fn out_of_budget(&self, entry: &Entry) -> Stop {
        let message = "judging stops here: this record takes more work than any real game needs";
        Stop::Unjudged(Box::new(Diagnostic::fault(entry.span, message).in_entry(self.envelope.entries + 1)))
    }

    #[cold]
    pub(super) fn illegal(&self, text: &str, entry: &Entry, illegal: Illegal) -> Stop {
        let span = illegal.part.and_then(|part| self.spans.get(part)).copied().unwrap_or(entry.actions);
        let message = format!("{}: {}", shortened(span.text(text)), illegal.message);
        let place = Some(self.envelope.entries + 1);
        Stop::Illegal(Box::new(Diagnostic {
            rule: Some(illegal.rule.code),
            entry: place,
            span,
            message,
            help: illegal.help,
            see: None,
        }))
    }

    /// How an entry of envelope actions alone ends the game; `None` for an entry with actions of the game.
    fn end_by(&self, action: Common, side: Side) -> Option<Result<Outcome, Illegal>> {
        match action {
            Common::Accept => Some(Ok(Outcome::Draw("agreed"))),
            Common::Resign => Some(Ok(Outcome::Win(side.other(), "resigned"))),
            Common::ClaimTime => Some(Ok(Outcome::Win(side, "time"))),
            Common::Claim(claim) => Some(self.game.claim(claim)),
            Common::Offer | Common::Leave(_) | Common::Key(_) | Common::Commit(_) => None,
        }
    }

    /// Judges and plays an entry. `back`: whether the game must be unchanged after a refusal, whatever that costs.
    #[inline(always)]
    fn judge(&mut self, text: &str, entry: &Entry, back: bool) -> Result<(), Stop> {
        if self.budget == 0 {
            return Err(self.out_of_budget(entry));
        }
        self.read_entry(text, entry)?;
        self.judge_parts(text, entry, None, back)
    }

    /// Judges and plays an entry without a way back, and returns its canonical line, which depends on the position before it.
    fn judge_written(&mut self, text: &str, entry: &Entry) -> Result<String, Stop> {
        if self.budget == 0 {
            return Err(self.out_of_budget(entry));
        }
        self.read_entry(text, entry)?;
        let actions = Self::line(&self.game.canonical(&self.actions), &self.common);
        let word = self.envelope.side(entry.side).word;
        let line = entry.written(text, self.envelope.entries + 1, word, &actions);
        self.judge_read(text, entry, Some(&line))?;
        Ok(line)
    }

    /// Judges and plays the entry whose actions have been read, on a copy that is discarded after a refusal. Its
    /// canonical line is computed if it is needed and not given.
    // Judging is large, and it is inlined where records are verified.
    #[inline(never)]
    pub(super) fn judge_read(&mut self, text: &str, entry: &Entry, line: Option<&str>) -> Result<(), Stop> {
        self.judge_parts(text, entry, line, false)
    }

    #[inline(always)]
    fn judge_parts(&mut self, text: &str, entry: &Entry, line: Option<&str>, back: bool) -> Result<(), Stop> {
        let due = self.game.side_due();
        let claims_time = !self.common.is_empty() && self.claims_time();
        self.envelope
            .check_line(text, entry, due, self.outcome().is_some(), claims_time)
            .map_err(|refusal| self.refused(*refusal))?;
        if !self.common.is_empty() || self.signatures.is_some() || entry.signature.is_some() {
            return self.judge_in_full(text, entry, due, line, back);
        }
        match self.play(false, back) {
            Ok(played) => {
                self.keep(entry, played, false, None);
                Ok(())
            }
            Err(illegal) => Err(self.illegal(text, entry, *illegal)),
        }
    }

    #[cold]
    fn claims_time(&self) -> bool {
        self.common.iter().any(|placed| placed.action == Common::ClaimTime)
    }

    /// Forgets the seals of the current entry, which is refused.
    #[cold]
    fn forget(&mut self) {
        if let Some(seals) = &mut self.seals {
            seals.forget();
        }
    }

    /// Judges an entry that has envelope actions, or is in a record with keys or signatures.
    #[cold]
    fn judge_in_full(
        &mut self,
        text: &str,
        entry: &Entry,
        due: Side,
        line: Option<&str>,
        back: bool,
    ) -> Result<(), Stop> {
        let common = std::mem::take(&mut self.common);
        let outline = Outline { common: &common, count: common.len() + self.actions.len() };
        let made = self.envelope.made[entry.side.index()];
        let known = self.signatures.as_ref().and_then(|signatures| signatures.own_key(entry.side));
        let host = self.signatures.as_ref().and_then(|signatures| signatures.host());
        let refused = |refusal: Box<Breach>| self.refused(*refusal);
        let declared = signing::declared(&outline, made, known.is_some(), self.envelope.practice).map_err(refused)?;
        self.envelope.check_outline(entry, &outline, due).map_err(refused)?;
        let committed = signing::committed(&outline, made, self.seals.is_some()).map_err(refused)?;
        let before = back.then(|| self.game.clone());
        let number = self.envelope.entries + 1;
        let side = self.envelope.side(entry.side);
        // The canonical line depends on the position before the entry.
        let linked = self.signatures.as_ref().map(|signatures| {
            let line = line.map(str::to_owned).unwrap_or_else(|| {
                let actions = Self::line(&self.game.canonical(&self.actions), &common);
                entry.written(text, number, side.word, &actions)
            });
            let link = signatures.link().then(&line);
            (line, link)
        });
        let ended = self.play_with_common(text, entry, &outline, back)?;
        let checked = ended.and_then(|ended| {
            let digest = linked.as_ref().map(|(_, link)| link.digest());
            let hand = Hand { text, entry, number, side, known, host, declared, digest, check: self.check };
            Ok((ended, hand.signed()?))
        });
        let (ended, (key, signed)) = match checked {
            Ok(checked) => checked,
            Err(refusal) => {
                self.go_back(before);
                return Err(self.refused(*refusal));
            }
        };
        if let (Some(signed), Some(place), Check::All) = (signed, entry.signature, self.check) {
            self.budget = self.budget.saturating_sub(SIGNATURE_STEPS);
            if back {
                let game = self.signatures.as_ref().map_or("", |signatures| signatures.game());
                if let Err(fault) = signed.verify(game) {
                    let refusal = signing::does_not_hold(fault, side, place, &signed, (game, host));
                    self.go_back(before);
                    return Err(self.refused(*refusal));
                }
            } else {
                self.unchecked.push(Unchecked { signed, side: entry.side, place });
            }
        }
        if let Some((seals, commitment)) = self.seals.as_mut().zip(committed) {
            seals.commit(entry.side, commitment);
        }
        let offers = common.iter().any(|placed| placed.action == Common::Offer);
        if ended.by_time {
            self.envelope.enter_time_claim(entry, due);
        } else {
            // An offer stays open only over an answer that is alone (E5).
            let forced = ended.played.forced && common.is_empty();
            self.keep(entry, Played { forced, ..ended.played }, offers, outline.leave());
        }
        self.envelope.ended = ended.outcome;
        if let Some((signatures, linked)) = self.signatures.as_mut().zip(linked) {
            signatures.keep(entry.side, linked, key, signed);
        }
        self.common = common;
        Ok(())
    }

    /// Returns to the state before an entry that was refused after it had been played; without a copy, the caller has
    /// to replay.
    fn go_back(&mut self, before: Option<G>) {
        self.forget();
        match before {
            Some(before) => self.game = before,
            None => self.spoiled = Some(self.envelope.entries),
        }
    }

    /// Checks the collected signatures. The first one that is not valid is the one for which the record is refused.
    #[cold]
    fn check_signatures(&mut self) -> Result<(), Stop> {
        let Some(signatures) = &self.signatures else { return Ok(()) };
        let first = self.unchecked.first_fault(signatures.game());
        let Some((Unchecked { signed, side, place }, fault)) = first else { return Ok(()) };
        self.spoiled = Some(signed.number - 1);
        let by = (signatures.game(), signatures.host());
        let refusal = signing::does_not_hold(fault, self.envelope.side(side), place, &signed, by);
        Err(Self::refusal(signed.number, *refusal))
    }

    /// Plays an entry with a valid outline, up to the offer that may accompany it. The inner refusal is one after the
    /// entry was played.
    fn play_with_common(
        &mut self,
        text: &str,
        entry: &Entry,
        outline: &Outline<'_>,
        back: bool,
    ) -> Result<Result<Ended, Box<Breach>>, Stop> {
        if let [placed] = outline.common
            && let Some(end) = self.end_by(placed.action, entry.side)
        {
            self.spans.push(placed.span);
            let outcome = end.map_err(|illegal| self.illegal(text, entry, Illegal { part: Some(0), ..illegal }))?;
            let by_time = placed.action == Common::ClaimTime;
            return Ok(Ok(Ended { played: Played::default(), outcome: Some(outcome), by_time }));
        }
        let offer = outline.common.iter().find(|placed| placed.action == Common::Offer);
        let played = self.play(offer.is_some(), back).map_err(|illegal| self.illegal(text, entry, *illegal))?;
        Ok(match offer.and_then(|offer| self.envelope.refuse_offer(offer.span, self.game.outcome())) {
            Some(refusal) => Err(refusal),
            None => Ok(Ended { played, outcome: None, by_time: false }),
        })
    }
}

impl<G: SealedGame + Skill> Replay<G> {
    /// The game after a part of the next entry, with what that part adds to the seals, to be looked at.
    pub(super) fn with(&self, game: G, mut seals: Option<Box<Seals>>) -> Box<dyn Table> {
        if let Some(seals) = &mut seals {
            let before = self.signatures.as_ref().map(|signatures| signatures.before());
            seals.keep(self.envelope.entries.saturating_add(1), before);
        }
        // The chain is included, because it opens what else the side has sealed (Z21).
        Box::new(Self { seals, signatures: self.signatures.clone(), ..Self::at(game, self.envelope.clone()) })
    }
}

impl<G: SealedGame + Skill> Table for Replay<G> {
    fn enter(&mut self, text: &str, entry: &Entry) -> Result<(), Stop> {
        self.judge(text, entry, true)
    }

    fn pass(&mut self, text: &str, entry: &Entry) -> Result<(), Stop> {
        let done = self.judge(text, entry, false);
        match self.check_signatures() {
            Err(stop) => Err(stop),
            Ok(()) => done,
        }
    }

    fn pass_written(&mut self, text: &str, entry: &Entry) -> Result<String, Stop> {
        let done = self.judge_written(text, entry);
        match self.check_signatures() {
            Err(stop) => Err(stop),
            Ok(()) => done,
        }
    }

    fn run(&mut self, text: &str, body: &mut Body<'_>, limit: u32) -> Result<(), Stop> {
        let mut stopped = Ok(());
        loop {
            if stopped.is_ok() {
                // Most lines are entries that need no closer look.
                while self.envelope.entries < limit
                    && !self.unchecked.are_full()
                    && let Some(entry) = body.plain_entry()
                {
                    stopped = self.judge(text, &entry, false);
                    if stopped.is_err() {
                        break;
                    }
                }
            }
            if self.unchecked.are_full() || stopped.is_err() {
                // A signature that is not valid comes before whatever else stopped the replay.
                stopped = self.check_signatures().and(stopped);
            }
            let Some(item) = body.next_item() else { break };
            if stopped.is_err() {
                continue;
            }
            // By reference, because an entry is large.
            stopped = match &item {
                Item::Entry(entry) if self.envelope.entries < limit => self.judge(text, entry, false),
                Item::Result(line) if limit == u32::MAX => {
                    self.check_signatures().and_then(|()| self.check_result(text, *line))
                }
                _ => Ok(()),
            };
        }
        self.check_signatures().and(stopped)
    }

    fn spoiled(&self) -> Option<u32> {
        self.spoiled
    }

    fn copy(&self) -> Box<dyn Table> {
        Box::new(self.clone())
    }

    fn set_budget(&mut self, steps: u64) -> u64 {
        std::mem::replace(&mut self.budget, steps)
    }

    fn check_result(&self, text: &str, line: Span) -> Result<(), Stop> {
        let result = line.text(text).strip_prefix("= ").unwrap_or_default();
        self.envelope.check_result(result, line, self.outcome()).map_err(|refusal| {
            let Breach { rule, span, message, help } = *refusal;
            // The entry to name is the last one; `None` in a record without entries (E8).
            let entry = Some(self.envelope.entries).filter(|&entries| entries > 0);
            Stop::Illegal(Box::new(Diagnostic { rule: Some(rule.code), entry, span, message, help, see: None }))
        })
    }

    fn standing(&self) -> Standing {
        Standing {
            entries: self.envelope.entries,
            made: self.envelope.made,
            due: self.game.due(),
            outcome: self.outcome(),
            offer: self.envelope.offer,
            clocks: self.envelope.clocks,
            timed: self.envelope.timed(),
            last: self.envelope.last,
        }
    }

    fn position(&self) -> String {
        self.game.position()
    }

    fn read(&self, typed: &str) -> Result<Box<dyn Typed>, Stop> {
        Ok(Box::new(Draft::read(self.clone(), typed)?))
    }

    fn reveal_to_owner(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        if self.seals.is_some() { self.game.reveal_to_owner(side, keeper) } else { Ok(()) }
    }

    fn notice(&self) -> Option<&'static str> {
        self.game.notice()
    }

    fn canonical(&self, text: &str, entry: &Entry) -> String {
        let (mut actions, mut spans, mut common) = (Vec::new(), Vec::new(), Vec::new());
        let mut parts = Parts { actions: &mut actions, spans: &mut spans, common: &mut common };
        match parts.read::<G>(text, entry) {
            Ok(()) => Self::line(&self.game.canonical(&actions), &common),
            Err(_) => entry.actions.text(text).to_owned(),
        }
    }

    fn seals(&self) -> Option<&Seals> {
        self.seals.as_deref()
    }

    fn follow(&mut self, signatures: Signatures) {
        self.signatures = Some(Box::new(signatures));
    }

    fn veil(&mut self) {
        self.game.veil();
    }

    fn set_check(&mut self, check: Check) {
        self.check = check;
    }

    fn check(&self) -> Check {
        self.check
    }

    fn signatures(&self) -> Option<&Signatures> {
        self.signatures.as_deref()
    }

    fn after_opening(&self, keeper: &mut dyn Keeper) -> Result<Option<Box<dyn Table>>, Lost> {
        let Some(seals) = self.seals.as_ref().filter(|_| self.outcome().is_none()) else { return Ok(None) };
        let actions = match self.game.complete(&[], keeper) {
            Ok(actions) => actions,
            Err(Incomplete::Lost(lost)) => return Err(lost),
            Err(Incomplete::Illegal(_)) => return Ok(None),
        };
        // The facts are tried on a copy, because nothing has been entered yet.
        let mut seals = seals.clone();
        let mut game = self.game.after_opening(Turn { actions: &actions, offers: false, facts: seals.as_mut() });
        if let Some(game) = &mut game {
            // The side that can open this seal may also see its other hidden pieces.
            game.reveal_to_owner(self.game.due().side, keeper)?;
        }
        Ok(game.map(|game| self.with(game, Some(seals))))
    }
}

impl<G: SealedGame + Skill> Explore for Replay<G> {
    fn moves(&self) -> Vec<String> {
        let mut list = Vec::new();
        if self.outcome().is_none() {
            self.game.list(&mut list);
        }
        list.sort_unstable();
        list
    }

    fn perft(&self, depth: u32) -> u64 {
        if self.outcome().is_some() { u64::from(depth == 0) } else { self.game.perft(depth) }
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let mut list = if self.outcome().is_none() { self.game.divide(depth) } else { Vec::new() };
        list.sort_unstable();
        list
    }

    fn set_grain(&mut self, grain: u32) -> bool {
        self.game.set_grain(grain)
    }

    fn view(&self, viewer: Viewer) -> Scene {
        self.game.view(viewer)
    }

    fn blows(&self, actions: &str) -> Vec<Blow> {
        let read = actions.split(';').filter_map(|part| G::read_action(part.trim()).ok());
        read.filter_map(|action| G::blow(&action)).collect()
    }

    fn marked(&self, viewer: Viewer, what: &str) -> Option<Scene> {
        self.game.marked(viewer, what)
    }

    fn counts(&self) -> Vec<Count> {
        let mut counts = Vec::new();
        self.game.counts(&mut counts);
        counts
    }

    fn holdings(&self, side: Side) -> Vec<Holding> {
        self.game.holdings(side)
    }

    fn payloads(&self, side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool) {
        self.game.payloads(side, label, each);
    }

    fn hidden_names(&self, side: Side) -> Vec<String> {
        self.game.hidden_names(side)
    }

    fn laid_open(&self, side: Side, draw: &mut dyn FnMut(u32) -> u32) -> Option<Box<dyn Table>> {
        Some(Box::new(Self::new(self.game.laid_open(side, draw)?, None)))
    }

    fn open_throw(&self) -> Option<(&'static str, Vec<u32>)> {
        if self.outcome().is_some() || self.seals.is_some() { None } else { self.game.open_throw() }
    }

    fn game(&self) -> &dyn Any {
        &self.game
    }
}

/// Who answers the questions of rules: the seals of a sealed record, otherwise nobody.
#[inline]
pub(super) fn facts<'a>(seals: &'a mut Option<Box<Seals>>, nobody: &'a mut NoFacts) -> &'a mut dyn Facts {
    match seals {
        Some(seals) => seals.as_mut(),
        None => nobody,
    }
}

/// The length of the first action if another follows it behind `; `.
#[inline]
fn separator(actions: &[u8]) -> Option<usize> {
    // Most are short, but thirty seals are not.
    memchr::memchr_iter(b';', actions).find(|&at| actions.get(at + 1) == Some(&b' '))
}

/// Shortens a text to fit a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the time left on a side's clock at `now`: the clock of the side that is due runs, the other one is stopped.
#[must_use]
pub fn left_at(clocks: &Clocks, due: Side, side: Side, now: Time) -> i64 {
    if side == due { clocks.left_when_due(side, now) } else { clocks.left(side) }
}
