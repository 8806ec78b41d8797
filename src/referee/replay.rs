//! The replay of one record: each entry is read, judged and played, the game's rules and the envelope's together.

use super::clocks::Clocks;
use super::common::{self, Common};
use super::ledger::{Ledger, Outline, Placed, Refusal};
use super::signing::{self, Hand};
use super::typed::{Draft, Typed};
use super::{Standing, Stop};
use crate::games::kernel::{
    Facts, Game, Holding, Illegal, Incomplete, Keeper, Lost, NoFacts, Outcome, Played, Side, Turn, Viewer,
};
use crate::record::{Body, Clock, Entry, Item, Time};
use crate::scene::Scene;
use crate::sealing::{Check, Seals, Signatures};
use crate::text::{Diagnostic, Span};

/// A game in progress under its record: the object-safe face of [`Replay`].
pub trait Table {
    /// Reads, judges and plays one entry.
    ///
    /// # Errors
    /// Why the replay stops here. What was played before stays.
    fn enter(&mut self, text: &str, entry: &Entry) -> Result<(), Stop>;

    /// Plays all entries that are left in `body`, up to the first fault or until `limit` entries have been played, and checks
    /// the result line. The body is read to its end in any case, for its own faults.
    ///
    /// # Errors
    /// Why the replay stopped.
    fn run(&mut self, text: &str, body: &mut Body<'_>, limit: u32) -> Result<(), Stop>;

    /// Checks a result line (E8).
    ///
    /// # Errors
    /// When it does not agree with the replay.
    fn check_result(&self, text: &str, line: Span) -> Result<(), Stop>;

    /// Returns how the game stands.
    fn standing(&self) -> Standing;

    /// Returns the position line.
    fn position(&self) -> String;

    /// Returns every legal entry in canonical spelling, sorted by bytes.
    fn moves(&self) -> Vec<String>;

    /// Reads what a player typed as the next entry: its actions, separated by `;`, with harmless slips mended. The table itself
    /// never changes by what becomes of it.
    ///
    /// # Errors
    /// Where it does not fit the grammar; the place is one in `typed`.
    fn read(&self, typed: &str) -> Result<Box<dyn Typed>, Stop>;

    /// Tells the game what the secret of a side tells, for that side's eyes only.
    ///
    /// # Errors
    /// When the secret is not at hand, or is not the one by which the record's seals were made.
    fn confide(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost>;

    /// Returns what whoever begins this game should know of its rules.
    fn notice(&self) -> Option<&'static str>;

    /// Returns what a viewer is to be shown.
    fn view(&self, viewer: Viewer) -> Scene;

    /// Returns the same with something marked that the game can point out; nothing where it cannot.
    fn marked(&self, viewer: Viewer, what: &str) -> Option<Scene>;

    /// Returns the canonical spelling of the actions of an entry that is legal here; the text as it is if it is not.
    fn canonical(&self, text: &str, entry: &Entry) -> String;

    /// Returns the seals and throws of a sealed record.
    fn seals(&self) -> Option<&Seals>;

    /// Follows the chain from here on, where the record begins: it has keys or signatures, or will have some.
    fn follow(&mut self, signatures: Signatures);

    /// Sets which signatures are checked from here on; all of them if nothing is set.
    fn set_check(&mut self, check: Check);

    /// Returns the keys and the chain, if they are followed.
    fn signatures(&self) -> Option<&Signatures>;

    /// Returns the game as it stands after the openings with which the entry due begins, for their owner to choose the rest
    /// by; nothing where none are due.
    ///
    /// # Errors
    /// When the secret that they need is not at hand.
    fn opened(&self, keeper: &mut dyn Keeper) -> Result<Option<Box<dyn Table>>, Lost>;

    /// Returns what some of a side's seals must hold together.
    fn holdings(&self, side: Side) -> Vec<Holding>;

    /// Calls `each` with every payload that `side` may have sealed under a label, until that returns true.
    fn payloads(&self, side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool);

    /// Counts the sequences of `depth` legal entries.
    fn perft(&self, depth: u32) -> u64;

    /// Counts the sequences of `depth` legal entries, for each first entry apart, sorted by the entry's bytes.
    fn divide(&self, depth: u32) -> Vec<(String, u64)>;
}

/// What an entry did: its play, or that it ended the game by the envelope's rules.
struct Ended {
    played: Played,
    outcome: Option<Outcome>,
    /// Whether the end is that time ran out.
    by_time: bool,
}

/// A game in progress under its record.
#[derive(Clone, Debug)]
pub struct Replay<G: Game> {
    pub(super) game: G,
    pub(super) ledger: Ledger,
    /// Of a sealed record only.
    pub(super) seals: Option<Box<Seals>>,
    /// Of a record with keys or signatures only.
    signatures: Option<Box<Signatures>>,
    pub(super) check: Check,
    /// The game's actions of the entry in hand and where they stand, and the envelope's; between entries kept for their memory
    /// only.
    pub(super) actions: Vec<G::Action>,
    pub(super) spans: Vec<Span>,
    pub(super) common: Vec<Placed>,
}

impl<G: Game> Replay<G> {
    /// Starts the replay of a record, with the clock of its header.
    #[must_use]
    pub fn new(game: G, clock: Option<Clock>) -> Self {
        Self::at(game, Ledger::new(G::INFO, clock))
    }

    fn at(game: G, ledger: Ledger) -> Self {
        Self {
            game,
            ledger,
            seals: None,
            signatures: None,
            check: Check::All,
            actions: Vec::new(),
            spans: Vec::new(),
            common: Vec::new(),
        }
    }

    /// The same for a sealed record.
    #[must_use]
    pub fn with_seals(mut self, seals: Seals) -> Self {
        self.seals = Some(Box::new(seals));
        self
    }

    /// Judges and plays the game's own actions of the entry in hand. What the entry adds to the seals is not kept yet.
    #[inline]
    fn play(&mut self, offers: bool) -> Result<Played, Illegal> {
        let facts: &mut dyn Facts = match &mut self.seals {
            Some(seals) => seals.as_mut(),
            None => &mut NoFacts,
        };
        self.game.play_turn(Turn { actions: &self.actions, offers, facts })
    }

    /// Counts the entry in hand, which is legal.
    #[inline]
    fn keep(&mut self, entry: &Entry, played: Played, offers: bool, leave: Option<u64>) {
        self.ledger.enter(entry, played.forced, offers, leave);
        if let Some(seals) = &mut self.seals {
            // The chain is still that before the entry.
            seals.keep(self.ledger.entries, self.signatures.as_ref().map(|signatures| signatures.link().digest()));
        }
    }

    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.ledger.ended.or_else(|| self.game.outcome())
    }

    /// Forgets the actions of the entry before.
    #[inline(always)]
    pub(super) fn begin_entry(&mut self) {
        self.actions.clear();
        self.spans.clear();
        self.common.clear();
    }

    /// Reads the actions of an entry, the game's and the envelope's own.
    #[inline(always)]
    fn read_entry(&mut self, text: &str, entry: &Entry) -> Result<(), Stop> {
        self.begin_entry();
        let mut start = entry.actions.start as usize;
        let mut rest = entry.actions.text(text);
        loop {
            let length = if entry.several { separator(rest.as_bytes()) } else { None };
            let action = length.and_then(|length| rest.get(..length)).unwrap_or(rest);
            self.read_action(action, start)?;
            let Some(length) = length else { return Ok(()) };
            rest = rest.get(length + 2..).unwrap_or_default();
            start += length + 2;
        }
    }

    /// Reads one action, which begins at `start` in the record.
    #[inline(always)]
    pub(super) fn read_action(&mut self, text: &str, start: usize) -> Result<(), Stop> {
        let span = Span::new(start, start + text.len());
        match common::read(text.as_bytes()) {
            None => match G::read_action(text) {
                Ok(action) => {
                    self.actions.push(action);
                    self.spans.push(span);
                    Ok(())
                }
                Err(misfit) => Err(self.misfit(text, span, misfit)),
            },
            Some(Ok(action)) => {
                let at = self.common.len() + self.actions.len();
                self.common.push(Placed { action, at, span });
                Ok(())
            }
            Some(Err(misfit)) => Err(self.misfit(text, span, misfit)),
        }
    }

    #[cold]
    pub(super) fn misfit(&self, action: &str, span: Span, misfit: crate::notation::Misfit) -> Stop {
        let at = Span::new(span.start as usize + misfit.offset, span.end.max(span.start + 1) as usize);
        let message = match shortened(action) {
            action if action.is_empty() => format!("an action is missing: expected {}", misfit.expected),
            action => format!("{action}: expected {}", misfit.expected),
        };
        let help = format!("`postrider rules {}` tells how actions are written", G::INFO.name);
        Stop::Malformed(Box::new(Diagnostic::fault(at, message).with_help(help).in_entry(self.ledger.entries + 1)))
    }

    #[cold]
    fn refused(&self, refusal: Refusal) -> Stop {
        let Refusal { rule, span, message, help } = refusal;
        let entry = Some(self.ledger.entries + 1);
        Stop::Illegal(Box::new(Diagnostic { rule: Some(rule.code), entry, span, message, help }))
    }

    #[cold]
    pub(super) fn illegal(&self, text: &str, entry: &Entry, illegal: Illegal) -> Stop {
        let span = illegal.part.and_then(|part| self.spans.get(part)).copied().unwrap_or(entry.actions);
        let message = format!("{}: {}", shortened(span.text(text)), illegal.message);
        let place = Some(self.ledger.entries + 1);
        Stop::Illegal(Box::new(Diagnostic {
            rule: Some(illegal.rule.code),
            entry: place,
            span,
            message,
            help: illegal.help,
        }))
    }

    /// How an entry of the envelope alone ends the game; nothing for an entry with actions of the game.
    fn end_by(&self, action: Common, side: Side) -> Option<Result<Outcome, Illegal>> {
        match action {
            Common::Accept => Some(Ok(Outcome::Draw("agreed"))),
            Common::Resign => Some(Ok(Outcome::Win(side.other(), "resigned"))),
            Common::ClaimTime => Some(Ok(Outcome::Win(side, "time"))),
            Common::Claim(claim) => Some(self.game.claim(claim)),
            Common::Offer | Common::Leave(_) | Common::Key(_) | Common::Commit(_) => None,
        }
    }

    #[inline(always)]
    fn judge(&mut self, text: &str, entry: &Entry) -> Result<(), Stop> {
        self.read_entry(text, entry)?;
        self.judge_read(text, entry, None)
    }

    /// Judges and plays the entry whose actions were read. Its canonical line is worked out if it is needed and not given.
    #[inline(always)]
    pub(super) fn judge_read(&mut self, text: &str, entry: &Entry, line: Option<&str>) -> Result<(), Stop> {
        let due = self.game.due().side;
        let claims_time = self.common.iter().any(|placed| placed.action == Common::ClaimTime);
        self.ledger
            .check_line(text, entry, due, self.outcome().is_some(), claims_time)
            .map_err(|refusal| self.refused(*refusal))?;
        if !self.common.is_empty() || self.signatures.is_some() || entry.signature.is_some() {
            return self.judge_in_full(text, entry, due, line);
        }
        match self.play(false) {
            Ok(played) => {
                self.keep(entry, played, false, None);
                Ok(())
            }
            Err(illegal) => {
                self.forget();
                Err(self.illegal(text, entry, illegal))
            }
        }
    }

    /// Forgets the seals of the entry in hand, which is refused.
    #[cold]
    fn forget(&mut self) {
        if let Some(seals) = &mut self.seals {
            seals.forget();
        }
    }

    /// Judges an entry that has actions of the envelope, or stands in a record with keys or signatures.
    #[cold]
    fn judge_in_full(&mut self, text: &str, entry: &Entry, due: Side, line: Option<&str>) -> Result<(), Stop> {
        let common = std::mem::take(&mut self.common);
        let outline = Outline { common: &common, count: common.len() + self.actions.len() };
        let made = self.ledger.made[entry.side.index()];
        let known = self.signatures.as_ref().and_then(|signatures| signatures.key(entry.side));
        let refused = |refusal: Box<Refusal>| self.refused(*refusal);
        let declared = signing::declared(&outline, made, known.is_some()).map_err(refused)?;
        self.ledger.check_outline(entry, &outline, due).map_err(refused)?;
        let committed = signing::committed(&outline, made, self.seals.is_some()).map_err(refused)?;
        let before = self.game.clone();
        let number = self.ledger.entries + 1;
        let side = self.ledger.side(entry.side);
        let done = self.play_with_common(text, entry, &outline).and_then(|ended| {
            let linked = self.signatures.as_ref().map(|signatures| {
                let line = line.map(str::to_owned).unwrap_or_else(|| {
                    let actions = Self::line(&before.canonical(&self.actions), &common);
                    entry.written(text, number, side.word, &actions)
                });
                let link = signatures.link().then(&line);
                (line, link)
            });
            let chain = self.signatures.as_ref().zip(linked.as_ref());
            let chain = chain.map(|(known, (_, link))| (known.game(), link.digest()));
            let hand = Hand { text, entry, number, side, known, declared, chain, check: self.check };
            let (key, signed) = hand.check_signature().map_err(|refusal| self.refused(*refusal))?;
            Ok((ended, linked, key, signed))
        });
        match done {
            Err(stop) => {
                self.game = before;
                self.forget();
                Err(stop)
            }
            Ok((ended, linked, key, signed)) => {
                let offers = common.iter().any(|placed| placed.action == Common::Offer);
                if ended.by_time {
                    self.ledger.enter_time_claim(entry, due);
                } else {
                    // What stands beside other actions does not stand alone (E5).
                    let forced = ended.played.forced && common.is_empty();
                    self.keep(entry, Played { forced }, offers, outline.leave());
                }
                if let Some((seals, commitment)) = self.seals.as_mut().zip(committed) {
                    seals.commit(entry.side, commitment);
                }
                self.ledger.ended = ended.outcome;
                if let Some((signatures, linked)) = self.signatures.as_mut().zip(linked) {
                    signatures.keep(entry.side, linked, key, signed);
                }
                Ok(())
            }
        }
    }

    /// Plays an entry whose outline fits, up to the offer that may stand with it.
    fn play_with_common(&mut self, text: &str, entry: &Entry, outline: &Outline<'_>) -> Result<Ended, Stop> {
        if let [placed] = outline.common
            && let Some(end) = self.end_by(placed.action, entry.side)
        {
            self.spans.push(placed.span);
            let outcome = end.map_err(|illegal| self.illegal(text, entry, Illegal { part: Some(0), ..illegal }))?;
            let by_time = placed.action == Common::ClaimTime;
            return Ok(Ended { played: Played::default(), outcome: Some(outcome), by_time });
        }
        let offer = outline.common.iter().find(|placed| placed.action == Common::Offer);
        let played = self.play(offer.is_some()).map_err(|illegal| self.illegal(text, entry, illegal))?;
        match offer.and_then(|offer| self.ledger.refuse_offer(offer.span, self.game.outcome())) {
            Some(refusal) => Err(self.refused(*refusal)),
            None => Ok(Ended { played, outcome: None, by_time: false }),
        }
    }
}

impl<G: Game> Table for Replay<G> {
    fn enter(&mut self, text: &str, entry: &Entry) -> Result<(), Stop> {
        self.judge(text, entry)
    }

    fn run(&mut self, text: &str, body: &mut Body<'_>, limit: u32) -> Result<(), Stop> {
        let mut stopped = Ok(());
        while let Some(item) = body.next_item() {
            if stopped.is_err() {
                continue;
            }
            // By reference, for an entry is large.
            stopped = match &item {
                Item::Entry(entry) if self.ledger.entries < limit => self.judge(text, entry),
                Item::Result(line) if limit == u32::MAX => self.check_result(text, *line),
                _ => Ok(()),
            };
        }
        stopped
    }

    fn check_result(&self, text: &str, line: Span) -> Result<(), Stop> {
        let result = line.text(text).strip_prefix("= ").unwrap_or_default();
        self.ledger.check_result(result, line, self.outcome()).map_err(|refusal| {
            let Refusal { rule, span, message, help } = *refusal;
            // The entry named is the last one; none in a record without entries (E8).
            let entry = Some(self.ledger.entries).filter(|&entries| entries > 0);
            Stop::Illegal(Box::new(Diagnostic { rule: Some(rule.code), entry, span, message, help }))
        })
    }

    fn standing(&self) -> Standing {
        Standing {
            entries: self.ledger.entries,
            made: self.ledger.made,
            due: self.game.due(),
            outcome: self.outcome(),
            offer: self.ledger.offer,
            clocks: self.ledger.clocks,
            timed: self.ledger.timed(),
            last: self.ledger.last,
        }
    }

    fn position(&self) -> String {
        self.game.position()
    }

    fn moves(&self) -> Vec<String> {
        let mut list = Vec::new();
        if self.outcome().is_none() {
            self.game.list(&mut list);
        }
        list.sort_unstable();
        list
    }

    fn read(&self, typed: &str) -> Result<Box<dyn Typed>, Stop> {
        Ok(Box::new(Draft::read(self.clone(), typed)?))
    }

    fn confide(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        if self.seals.is_some() { self.game.confide(side, keeper) } else { Ok(()) }
    }

    fn notice(&self) -> Option<&'static str> {
        self.game.notice()
    }

    fn view(&self, viewer: Viewer) -> Scene {
        self.game.view(viewer)
    }

    fn marked(&self, viewer: Viewer, what: &str) -> Option<Scene> {
        self.game.marked(viewer, what)
    }

    fn canonical(&self, text: &str, entry: &Entry) -> String {
        let mut reader = Self::at(self.game.clone(), self.ledger.clone());
        match reader.read_entry(text, entry) {
            Ok(()) => reader.canonical_actions(),
            Err(_) => entry.actions.text(text).to_owned(),
        }
    }

    fn seals(&self) -> Option<&Seals> {
        self.seals.as_deref()
    }

    fn follow(&mut self, signatures: Signatures) {
        self.signatures = Some(Box::new(signatures));
    }

    fn set_check(&mut self, check: Check) {
        self.check = check;
    }

    fn signatures(&self) -> Option<&Signatures> {
        self.signatures.as_deref()
    }

    fn opened(&self, keeper: &mut dyn Keeper) -> Result<Option<Box<dyn Table>>, Lost> {
        let Some(seals) = self.seals.as_ref().filter(|_| self.outcome().is_none()) else { return Ok(None) };
        let actions = match self.game.complete(&[], keeper) {
            Ok(actions) => actions,
            Err(Incomplete::Lost(lost)) => return Err(lost),
            Err(Incomplete::Illegal(_)) => return Ok(None),
        };
        // The facts are tried on a copy: nothing has been entered yet.
        let mut seals = seals.clone();
        let mut game = self.game.opened(Turn { actions: &actions, offers: false, facts: seals.as_mut() });
        seals.keep(self.ledger.entries.saturating_add(1), None);
        if let Some(game) = &mut game {
            // Whoever can open this may see what else is its own.
            game.confide(self.game.due().side, keeper)?;
        }
        Ok(game.map(|game| Box::new(Self::at(game, self.ledger.clone()).with_seals(*seals)) as Box<dyn Table>))
    }

    fn holdings(&self, side: Side) -> Vec<Holding> {
        self.game.holdings(side)
    }

    fn payloads(&self, side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool) {
        self.game.payloads(side, label, each);
    }

    fn perft(&self, depth: u32) -> u64 {
        if self.outcome().is_some() { u64::from(depth == 0) } else { self.game.perft(depth) }
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let mut list = if self.outcome().is_none() { self.game.divide(depth) } else { Vec::new() };
        list.sort_unstable();
        list
    }
}

/// The length of the first action if another follows it behind `; `. Actions are short, so that looking at each byte costs less
/// than a search.
#[inline]
fn separator(actions: &[u8]) -> Option<usize> {
    let at = actions.iter().position(|&byte| byte == b';')?;
    if actions.get(at + 1) == Some(&b' ') {
        return Some(at);
    }
    (at + 1..actions.len()).find(|&at| actions[at..].starts_with(b"; "))
}

/// A text cut to a length that fits a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What is left on each side's clock at a time: the side that is due counts down, the other's stands.
#[must_use]
pub fn left_at(clocks: &Clocks, due: Side, side: Side, now: Time) -> i64 {
    if side == due { clocks.left_when_due(side, now) } else { clocks.left(side) }
}
