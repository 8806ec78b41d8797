//! The replay of one record: each entry is read, judged and played, the game's rules and the envelope's together.

use smallvec::SmallVec;

use super::clocks::Clocks;
use super::common::{self, Common};
use super::ledger::{Ledger, Outline, Placed, Refusal};
use super::{Standing, Stop};
use crate::games::kernel::{Game, Illegal, Moves, Outcome, Side, Viewer};
use crate::record::{Body, Clock, Entry, Item, Time};
use crate::scene::Scene;
use crate::text::{Diagnostic, Span};

/// A game in progress under its record: the object-safe face of [`Replay`].
pub trait Table {
    /// Reads, judges and plays one entry.
    ///
    /// # Errors
    /// Why the replay stops here. What was played before stays.
    fn enter(&mut self, source: &[u8], entry: &Entry) -> Result<(), Stop>;

    /// Plays all entries that are left in `body`, up to the first fault or until `limit` entries have been played, and checks
    /// the result line. The body is read to its end in any case, for its own faults.
    ///
    /// # Errors
    /// Why the replay stopped.
    fn run(&mut self, source: &[u8], body: &mut Body<'_>, limit: u32) -> Result<(), Stop>;

    /// Checks a result line (E8).
    ///
    /// # Errors
    /// When it does not agree with the replay.
    fn check_result(&self, source: &[u8], line: Span) -> Result<(), Stop>;

    /// Returns how the game stands.
    fn standing(&self) -> Standing;

    /// Returns the position line.
    fn position(&self) -> String;

    /// Returns every legal entry in canonical spelling, sorted by bytes.
    fn moves(&self) -> Vec<String>;

    /// Returns what a viewer is to be shown.
    fn view(&self, viewer: Viewer) -> Scene;

    /// Returns the canonical spelling of the actions of an entry that is legal here; the text as it is if it is not.
    fn canonical(&self, source: &[u8], entry: &Entry) -> String;

    /// Counts the sequences of `depth` legal entries.
    fn perft(&self, depth: u32) -> u64;

    /// Counts the sequences of `depth` legal entries, for each first entry apart, sorted by the entry's bytes.
    fn divide(&self, depth: u32) -> Vec<(String, u64)>;
}

/// A game in progress under its record.
#[derive(Clone, Debug)]
pub struct Replay<G: Game> {
    game: G,
    ledger: Ledger,
    /// The game's actions of the entry in hand and where they stand; kept for its memory only.
    actions: Vec<G::Action>,
    spans: SmallVec<[Span; 8]>,
}

impl<G: Game> Replay<G> {
    /// Starts the replay of a record, with the clock of its header.
    #[must_use]
    pub fn new(game: G, clock: Option<Clock>) -> Self {
        Self { game, ledger: Ledger::new(G::INFO, clock), actions: Vec::new(), spans: SmallVec::new() }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.ledger.ended.or_else(|| self.game.outcome())
    }

    /// Reads the actions of an entry; the envelope's own are returned.
    fn read(&mut self, source: &[u8], entry: &Entry) -> Result<SmallVec<[Placed; 2]>, Stop> {
        self.actions.clear();
        self.spans.clear();
        let mut common: SmallVec<[Placed; 2]> = SmallVec::new();
        let mut start = entry.actions.start as usize;
        let mut rest = entry.actions.text(source);
        let mut at = 0;
        loop {
            let length = separator(rest.as_bytes());
            let (text, behind) = rest.split_at(length);
            let span = Span::new(start, start + length);
            match common::read(text.as_bytes()) {
                Some(Ok(action)) => common.push(Placed { action, at, span }),
                Some(Err(misfit)) => return Err(self.misfit(span, misfit)),
                None => match G::read_action(text) {
                    Ok(action) => {
                        self.actions.push(action);
                        self.spans.push(span);
                    }
                    Err(misfit) => return Err(self.misfit(span, misfit)),
                },
            }
            if behind.is_empty() {
                return Ok(common);
            }
            rest = &behind[2..];
            start += length + 2;
            at += 1;
        }
    }

    #[cold]
    fn misfit(&self, span: Span, misfit: crate::notation::Misfit) -> Stop {
        let at = Span::new(span.start as usize + misfit.offset, span.end.max(span.start + 1) as usize);
        let message = format!("expected {}", misfit.expected);
        let help = format!("`postrider rules {}` tells how actions are written", G::INFO.name);
        Stop::Malformed(Box::new(Diagnostic::fault(at, message).with_help(help).in_entry(self.ledger.entries + 1)))
    }

    #[cold]
    fn refused(&self, refusal: Box<Refusal>) -> Stop {
        let Refusal { rule, span, message, help } = *refusal;
        let entry = Some(self.ledger.entries + 1);
        Stop::Illegal(Box::new(Diagnostic { rule: Some(rule.code), entry, span, message, help }))
    }

    #[cold]
    fn illegal(&self, source: &[u8], entry: &Entry, illegal: Illegal) -> Stop {
        let span = illegal.part.and_then(|part| self.spans.get(part)).copied().unwrap_or(entry.actions);
        let message = format!("{}: {}", shortened(span.text(source)), illegal.message);
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
            Common::Offer | Common::Leave(_) | Common::Key => None,
        }
    }

    fn judge(&mut self, source: &[u8], entry: &Entry) -> Result<(), Stop> {
        let common = self.read(source, entry)?;
        let outline = Outline { common: &common, count: common.len() + self.actions.len() };
        let due = self.game.due().side;
        let claims_time = outline.find(|action| action == Common::ClaimTime).is_some();
        self.ledger
            .check_line(entry, due, self.outcome().is_some(), claims_time)
            .map_err(|refusal| self.refused(refusal))?;
        if let Some(signature) = entry.signature {
            return Err(Stop::unchecked_signature(signature, Some(self.ledger.entries + 1)));
        }
        if common.is_empty() {
            return match self.game.play(&self.actions) {
                Ok(played) => {
                    self.ledger.enter(entry, played.forced, false, None);
                    Ok(())
                }
                Err(illegal) => Err(self.illegal(source, entry, illegal)),
            };
        }
        self.judge_with_common(source, entry, &outline, due)
    }

    fn judge_with_common(
        &mut self,
        source: &[u8],
        entry: &Entry,
        outline: &Outline<'_>,
        due: Side,
    ) -> Result<(), Stop> {
        if let Some(key) = outline.find(|action| action == Common::Key) {
            return Err(Stop::unchecked_signature(key.span, Some(self.ledger.entries + 1)));
        }
        self.ledger.check_outline(entry, outline, due).map_err(|refusal| self.refused(refusal))?;
        if let [placed] = outline.common
            && let Some(end) = self.end_by(placed.action, entry.side)
        {
            self.spans.push(placed.span);
            let outcome = end.map_err(|illegal| self.illegal(source, entry, Illegal { part: Some(0), ..illegal }))?;
            self.ledger.enter(entry, false, false, None);
            self.ledger.ended = Some(outcome);
            return Ok(());
        }
        let before = self.game.clone();
        let played = self.game.play(&self.actions).map_err(|illegal| self.illegal(source, entry, illegal))?;
        let offer = outline.find(|action| action == Common::Offer);
        if let Some(offer) = offer.filter(|_| self.game.outcome().is_some()) {
            self.game = before;
            return Err(self.refused(Ledger::refuse_offer_beside_the_end(offer.span)));
        }
        self.ledger.enter(entry, played.forced, offer.is_some(), outline.leave());
        Ok(())
    }

    fn write(actions: &[G::Action]) -> String {
        let mut text = String::new();
        for action in actions {
            if !text.is_empty() {
                text.push_str("; ");
            }
            G::write_action(action, &mut text);
        }
        text
    }
}

impl<G: Game> Table for Replay<G> {
    fn enter(&mut self, source: &[u8], entry: &Entry) -> Result<(), Stop> {
        self.judge(source, entry)
    }

    fn run(&mut self, source: &[u8], body: &mut Body<'_>, limit: u32) -> Result<(), Stop> {
        let mut stopped = Ok(());
        while let Some(item) = body.next_item() {
            if stopped.is_err() {
                continue;
            }
            stopped = match item {
                Item::Entry(entry) if self.ledger.entries < limit => self.judge(source, &entry),
                Item::Result(line) if limit == u32::MAX => self.check_result(source, line),
                _ => Ok(()),
            };
        }
        stopped
    }

    fn check_result(&self, source: &[u8], line: Span) -> Result<(), Stop> {
        let text = line.text(source).strip_prefix("= ").unwrap_or_default();
        self.ledger.check_result(text, line, self.outcome()).map_err(|refusal| {
            let Refusal { rule, span, message, help } = *refusal;
            // The entry named is the last one; none in a record without entries (E8).
            let entry = Some(self.ledger.entries).filter(|&entries| entries > 0);
            Stop::Illegal(Box::new(Diagnostic { rule: Some(rule.code), entry, span, message, help }))
        })
    }

    fn standing(&self) -> Standing {
        Standing {
            entries: self.ledger.entries,
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
        let mut moves = Moves::default();
        if self.outcome().is_none() {
            self.game.moves(&mut moves);
        }
        let mut list: Vec<_> = moves.iter().map(Self::write).collect();
        list.sort_unstable();
        list
    }

    fn view(&self, viewer: Viewer) -> Scene {
        self.game.view(viewer)
    }

    fn canonical(&self, source: &[u8], entry: &Entry) -> String {
        let mut reader = self.clone();
        let Ok(common) = reader.read(source, entry) else { return entry.actions.text(source).to_owned() };
        let mut text = Self::write(&self.game.canonical(&reader.actions));
        // The envelope's actions have one spelling; all but a key stand behind the game's.
        for placed in &common {
            let word = placed.span.text(source);
            match placed.action {
                Common::Key if text.is_empty() => text.push_str(word),
                Common::Key => text.insert_str(0, &format!("{word}; ")),
                _ if text.is_empty() => text.push_str(word),
                _ => {
                    text.push_str("; ");
                    text.push_str(word);
                }
            }
        }
        text
    }

    fn perft(&self, depth: u32) -> u64 {
        if self.outcome().is_some() { u64::from(depth == 0) } else { perft(&self.game, depth) }
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let mut moves = Moves::default();
        if self.outcome().is_none() && depth > 0 {
            self.game.moves(&mut moves);
        }
        let count = |entry: &[G::Action]| {
            let mut next = self.game.clone();
            let nodes = if next.play(entry).is_ok() { perft(&next, depth - 1) } else { 0 };
            (Self::write(entry), nodes)
        };
        let mut list: Vec<_> = moves.iter().map(count).collect();
        list.sort_unstable();
        list
    }
}

/// Counts the sequences of `depth` legal entries from a position.
pub fn perft<G: Game>(game: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Moves::default();
    game.moves(&mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let count = |entry: &[G::Action]| {
        let mut next = game.clone();
        // A listed entry is legal: tests hold the two to each other.
        if next.play(entry).is_ok() { perft(&next, depth - 1) } else { 0 }
    };
    moves.iter().map(count).sum()
}

/// The length of the first action: up to `; `.
#[inline]
fn separator(text: &[u8]) -> usize {
    let mut from = 0;
    while let Some(found) = memchr::memchr(b';', &text[from..]) {
        let at = from + found;
        if text.get(at + 1) == Some(&b' ') {
            return at;
        }
        from = at + 1;
    }
    text.len()
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
