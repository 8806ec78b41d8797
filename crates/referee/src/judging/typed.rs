//! The next entry as its player types it, as a value of its own. It is read at a table, completed by the owner of a
//! secret, and judged, all on a copy of the table, so that a refusal leaves no trace. Places are relative to what was
//! typed, and messages quote it as it was typed.

use std::mem::discriminant;

use super::common::{self, Common};
use super::envelope::Placed;
use super::replay::{Replay, facts};
use super::table::Table;
use super::{Standing, Stop, Unfinished};
use crate::record;
use crate::record::{Entry, Time};
use crate::sealing::{Check, Commitment, PublicKey};
use postrider_kernel::notation::Misfit;
use postrider_kernel::text::{Diagnostic, Span};
use postrider_kernel::{Game, Incomplete, Keeper, Next, NoFacts, SealedGame, Side, Skill, write_entry};

/// What accompanies the actions of an entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The entry's time.
    pub time: Option<Time>,
    /// A message to the opponent.
    pub message: Option<&'a str>,
}

impl Beside<'_> {
    /// The time for an entry that is only tried: that of the entry before, at which it is not late. Before the first entry any time
    /// will do, because a clock or a host asks for one (E3).
    #[must_use]
    pub fn to_try(standing: &Standing) -> Self {
        let any = Some(Time(0)).filter(|_| standing.timed != Some(false));
        Self { time: standing.last.or(any), message: None }
    }
}

/// The next entry of a game, as typed; its actions, the game's and the envelope's, have been read. This is the
/// object-safe interface of what [`Table::read`] returns.
pub trait Typed {
    /// Returns what was typed, unchanged.
    fn text(&self) -> &str;

    /// Returns the side whose entry it is: the side that is due, or, for a claim of time, the other one (E7).
    fn side(&self) -> Side;

    /// Returns whether it contains no action: nothing was typed, or a keyword for what is forced although nothing is.
    fn is_empty(&self) -> bool;

    /// Returns its actions so far, spelled as in a record, but not yet in the canonical spelling for the position.
    fn written(&self) -> String;

    /// Returns whether it contains something that depends on when it is made: leave, or a key.
    fn stands_for_its_moment(&self) -> bool;

    /// Returns whether a key may be declared with it (E10): it has actions of the game, and does not declare a key
    /// already.
    fn takes_key(&self) -> bool;

    /// Declares a key with the entry.
    fn declare(&mut self, key: &PublicKey);

    /// Returns whether it has actions of the game, and not only of the envelope.
    fn has_game_action(&self) -> bool;

    /// Commits its side to a secret (Z20), if it has actions of the game and does not contain a commitment already.
    fn commit(&mut self, commitment: Commitment);

    /// Adds the seals, salts and openings that the record needs; if nothing was typed, adds what is forced.
    ///
    /// # Errors
    /// If the entry is illegal with any seals, or the secret that it needs is not available.
    fn complete(&mut self, keeper: &mut dyn Keeper) -> Result<(), Unfinished>;

    /// Returns what may follow it, if it is the beginning of an entry.
    ///
    /// # Errors
    /// The rule that the beginning breaks.
    fn next(&self) -> Result<Next, Stop>;

    /// Returns the game after it, to be looked at: after an entry, or, where turns are long, after the beginning of one. `None` if it is
    /// neither, or illegal.
    fn seen(self: Box<Self>, beside: &Beside<'_>) -> Option<Box<dyn Table>>;

    /// Judges it as the next entry.
    ///
    /// # Errors
    /// Why it is refused. The place of a fault in its time is after the end of what was typed, where [`Beside::time`]
    /// would be written.
    fn judge(self: Box<Self>, beside: &Beside<'_>) -> Result<Judged, Stop>;
}

/// A legal entry, and the game after it.
pub struct Judged {
    /// Its number.
    pub number: u32,
    /// The side that makes it.
    pub side: Side,
    /// Its actions in canonical spelling.
    pub actions: String,
    /// Its canonical line (Z30) without a line end: number, side, actions, time, message.
    pub line: String,
    /// The game after it. Its seals contain what the entry sealed, opened and threw; its signatures contain the chain
    /// including it.
    pub table: Box<dyn Table>,
}

/// What was typed, on a copy of the table whose current actions are the typed ones.
pub(super) struct Draft<G: Game> {
    text: String,
    replay: Replay<G>,
}

impl<G: SealedGame + Skill> Draft<G> {
    /// Reads what was typed, on a copy of the table.
    pub(super) fn read(mut replay: Replay<G>, typed: &str) -> Result<Self, Stop> {
        replay.begin_entry();
        let parts = parts::<G>(typed);
        for part in &parts {
            replay.read_typed(typed, part, parts.len() == 1)?;
        }
        Ok(Self { text: typed.to_owned(), replay })
    }

    /// The whole of what was typed, without surrounding spaces.
    fn whole(&self) -> Span {
        trimmed(&self.text, 0, self.text.len())
    }

    /// An entry of which everything but what was typed is already known.
    fn entry(&self, time: Option<Time>) -> Entry {
        let whole = self.whole();
        Entry {
            span: whole,
            number: u64::from(self.replay.envelope.entries) + 1,
            side: self.side(),
            actions: whole,
            several: true,
            time,
            message: None,
            signature: None,
        }
    }
}

impl<G: SealedGame + Skill> Typed for Draft<G> {
    fn text(&self) -> &str {
        &self.text
    }

    fn side(&self) -> Side {
        let due = self.replay.game.due().side;
        let claims_time = self.replay.common.iter().any(|placed| placed.action == Common::ClaimTime);
        if claims_time { due.other() } else { due }
    }

    fn is_empty(&self) -> bool {
        self.replay.actions.is_empty() && self.replay.common.is_empty()
    }

    fn written(&self) -> String {
        Replay::<G>::line(&self.replay.actions, &self.replay.common)
    }

    fn stands_for_its_moment(&self) -> bool {
        self.replay
            .common
            .iter()
            .any(|placed| matches!(placed.action, Common::Leave(_) | Common::Key(_) | Common::Commit(_)))
    }

    fn takes_key(&self) -> bool {
        let declares = |placed: &Placed| matches!(placed.action, Common::Key(_));
        !self.replay.actions.is_empty() && !self.replay.common.iter().any(declares)
    }

    fn declare(&mut self, key: &PublicKey) {
        let common = &mut self.replay.common;
        common.iter_mut().for_each(|placed| placed.at += 1);
        common.insert(0, Placed { action: Common::Key(key.bytes()), at: 0, span: Span::at(0) });
    }

    fn has_game_action(&self) -> bool {
        !self.replay.actions.is_empty()
    }

    fn commit(&mut self, commitment: Commitment) {
        let Replay { actions, common, .. } = &mut self.replay;
        if actions.is_empty() || common.iter().any(|placed| matches!(placed.action, Common::Commit(_))) {
            return;
        }
        // After the game's own actions, and before leave and an offer.
        let later = |placed: &Placed| matches!(placed.action, Common::Leave(_) | Common::Offer);
        let place = common.iter().position(later).unwrap_or(common.len());
        let at = common.get(place).map_or(actions.len() + common.len(), |placed| placed.at);
        common.iter_mut().skip(place).for_each(|placed| placed.at += 1);
        common.insert(place, Placed { action: Common::Commit(commitment), at, span: Span::at(0) });
    }

    fn complete(&mut self, keeper: &mut dyn Keeper) -> Result<(), Unfinished> {
        let whole = self.whole();
        let Replay { game, seals, actions, spans, common, .. } = &mut self.replay;
        let nothing_typed = actions.is_empty() && common.is_empty();
        // Ending the game by the envelope's rules needs no seals, and open play needs none at all.
        if !nothing_typed && (actions.is_empty() || seals.is_none()) {
            return Ok(());
        }
        match game.complete(actions, keeper) {
            Ok(completed) => {
                *spans = aligned(actions, spans, &completed, whole);
                let added = completed.len().saturating_sub(actions.len());
                *actions = completed;
                common.iter_mut().filter(|placed| placed.at > 0).for_each(|placed| placed.at += added);
                Ok(())
            }
            Err(Incomplete::Lost(lost)) => Err(Unfinished::Lost(lost)),
            // If nothing was typed, there is nothing to refuse.
            Err(Incomplete::Illegal(_)) if nothing_typed => Ok(()),
            Err(Incomplete::Illegal(illegal)) => {
                Err(Unfinished::Stop(self.replay.illegal(&self.text, &self.entry(None), illegal)))
            }
        }
    }

    fn next(&self) -> Result<Next, Stop> {
        let replay = &self.replay;
        if replay.outcome().is_some() {
            return Ok(Next::default());
        }
        if !replay.common.is_empty() {
            // Offers and the like are last or alone, so nothing follows them.
            return Ok(Next { actions: Vec::new(), whole: true, ..Next::default() });
        }
        let mut seals = replay.seals.clone();
        let mut nobody = NoFacts;
        let next = replay.game.next(&replay.actions, facts(&mut seals, &mut nobody));
        let mut next = next.map_err(|illegal| replay.illegal(&self.text, &self.entry(None), illegal))?;
        // What is listed can be typed.
        if replay.actions.is_empty() && replay.draw_is_offered() {
            for action in next.actions.iter_mut().filter(|action| *action == "draw") {
                "draw 1".clone_into(action);
            }
        }
        Ok(next)
    }

    fn seen(self: Box<Self>, beside: &Beside<'_>) -> Option<Box<dyn Table>> {
        let mut seals = self.replay.seals.clone();
        let begun = self.replay.game.after_beginning(&self.replay.actions, facts(&mut seals, &mut NoFacts));
        let begun = begun.ok().flatten().map(|game| self.replay.with(game, seals));
        self.judge(beside).map(|judged| judged.table).ok().or(begun)
    }

    fn judge(self: Box<Self>, beside: &Beside<'_>) -> Result<Judged, Stop> {
        let entry = self.entry(beside.time);
        let Self { text, mut replay } = *self;
        if replay.actions.is_empty() && replay.common.is_empty() {
            // A keyword for what is forced, although nothing is: no record has such an entry.
            replay.read_action(entry.actions.text(&text), entry.actions.start as usize)?;
        }
        // This is a copy of what has been checked so far; the new signature does not exist yet.
        replay.check = Check::Nothing;
        let actions = replay.canonical_actions();
        let number = replay.envelope.entries + 1;
        let word = G::INFO.sides[entry.side.index()].word;
        let line = record::line(number, word, &actions, beside.time, beside.message);
        replay.judge_read(&text, &entry, Some(&line))?;
        Ok(Judged { number, side: entry.side, actions, line, table: Box::new(replay) })
    }
}

/// An action as it was typed, and with slips corrected.
pub(super) struct Part {
    span: Span,
    mended: String,
}

impl<G: SealedGame> Replay<G> {
    /// Returns whether the opponent of the side that is due has offered a draw.
    fn draw_is_offered(&self) -> bool {
        self.envelope.offer == Some(self.game.due().side.other())
    }

    /// Reads one action that was typed; `alone`: it is the whole entry.
    fn read_typed(&mut self, typed: &str, part: &Part, alone: bool) -> Result<(), Stop> {
        let Part { span, mended } = part;
        // Only alone can it mean that the offer is accepted (E5).
        if alone && mended == "draw" && self.draw_is_offered() {
            let message = "draw: a draw is offered, and this could mean that or a card";
            let help = "`draw!` accepts the offer; `draw 1` draws a card, where the game has cards, and declines it";
            let fault = Diagnostic::fault(*span, message).with_help(help);
            return Err(Stop::Malformed(Box::new(fault.in_entry(self.envelope.entries + 1))));
        }
        let read = match common::read(mended.as_bytes()) {
            None => G::read_typed(mended).map(|action| {
                self.actions.push(action);
                self.spans.push(*span);
            }),
            Some(read) => read.map(|action| {
                let at = self.common.len() + self.actions.len();
                self.common.push(Placed { action, at, span: *span });
            }),
        };
        read.map_err(|misfit| {
            let text = span.text(typed);
            // If a correction moved what follows, the place in what was typed is only approximate.
            let same = text.bytes().zip(mended.bytes()).take_while(|(one, other)| one.eq_ignore_ascii_case(other));
            let offset = if misfit.offset <= same.count() { misfit.offset.min(text.len()) } else { 0 };
            self.misfit(text, *span, Misfit { offset, ..misfit })
        })
    }

    /// The current actions in canonical spelling, if they are legal here.
    pub(super) fn canonical_actions(&self) -> String {
        Self::line(&self.game.canonical(&self.actions), &self.common)
    }

    /// The actions of the game and of the envelope as one text. All but a key come after the game's.
    pub(super) fn line(actions: &[G::Action], common: &[Placed]) -> String {
        let mut line = write_entry::<G>(actions);
        for placed in common {
            let word = placed.action.text();
            match placed.action {
                _ if line.is_empty() => line = word,
                Common::Key(_) => line.insert_str(0, &format!("{word}; ")),
                _ => {
                    line.push_str("; ");
                    line.push_str(&word);
                }
            }
        }
        line
    }
}

/// Splits what was typed at semicolons, removes superfluous spaces, and corrects what the game knows how to correct. A
/// separator at the end is ignored, and a keyword for what is forced is dropped, because what is forced is added
/// automatically.
fn parts<G: Game>(typed: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut start = 0;
    for piece in typed.split(';') {
        let span = trimmed(typed, start, start + piece.len());
        let tidy = piece.split_whitespace().collect::<Vec<_>>().join(" ");
        // Letter case matters in a key. The digits of a commitment may begin like a piece and its square: `commit ae2a...`.
        let mended = match tidy.split_once(' ') {
            Some(("key", _)) => tidy,
            Some((word, _)) if word.eq_ignore_ascii_case("commit") => tidy.to_ascii_lowercase(),
            _ => G::lenient(&tidy),
        };
        parts.push(Part { span, mended });
        start += piece.len() + 1;
    }
    while parts.len() > 1 && parts.last().is_some_and(|part: &Part| part.mended.is_empty()) {
        parts.pop();
    }
    if parts.first().is_some_and(|part| part.mended.is_empty()) && !typed.trim_start().starts_with(';') {
        parts.remove(0);
    }
    parts
}

/// A part of a text without surrounding spaces.
fn trimmed(text: &str, start: usize, end: usize) -> Span {
    let piece = text.get(start..end).unwrap_or_default();
    let start = start + piece.len() - piece.trim_start().len();
    Span::new(start, start + piece.trim().len())
}

/// The places where the actions of a completed entry were typed; added actions get the place of the whole. What was
/// typed is contained in it in order.
fn aligned<A>(typed: &[A], spans: &[Span], completed: &[A], whole: Span) -> Vec<Span> {
    let mut typed = typed.iter().zip(spans).peekable();
    let mut left = completed.len();
    let mut aligned = Vec::with_capacity(left);
    for action in completed {
        let is_typed =
            typed.len() == left || typed.peek().is_some_and(|(typed, _)| discriminant(*typed) == discriminant(action));
        let span = if is_typed { typed.next().map(|(_, span)| *span) } else { None };
        aligned.push(span.unwrap_or(whole));
        left -= 1;
    }
    aligned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_actions_keep_their_places_beside_added_ones() {
        let spans = [Span::new(0, 3), Span::new(5, 9)];
        let whole = Span::new(0, 9);
        let at = |completed: &[Option<u8>]| aligned(&[Some(1), Some(2)], &spans, completed, whole);
        assert_eq!(at(&[Some(1), Some(2)]), spans);
        assert_eq!(at(&[None, Some(1), Some(2)]), [whole, spans[0], spans[1]]);
        assert_eq!(at(&[Some(1), None, Some(2)]), [spans[0], whole, spans[1]]);
    }

    #[test]
    fn z20_the_digits_of_a_commitment_are_never_taken_for_a_piece_and_its_square() {
        use postrider_games::asalto::Asalto;
        use postrider_games::assassyn::Assassyn;
        use postrider_games::assideum::Assideum;
        use postrider_games::mission_combat::MissionCombat;
        use postrider_games::subsume::Subsume;
        fn mended<G: Game>(typed: &str) -> Vec<String> {
            parts::<G>(typed).into_iter().map(|part| part.mended).collect()
        }
        let all: [fn(&str) -> Vec<String>; 5] =
            [mended::<Asalto>, mended::<Assideum>, mended::<Subsume>, mended::<Assassyn>, mended::<MissionCombat>];
        for first in "abcdef0123456789".chars() {
            for second in ["a1", "b5", "c3", "e2", "fd", "i", "=d", "x4"] {
                let digits = format!("{first}{second}0d80b5e8fae338f213b19c43f3082ec6");
                for mended in all {
                    assert_eq!(
                        mended(&format!("key Aa1=; COMMIT  {digits}")),
                        ["key Aa1=".to_owned(), format!("commit {digits}")]
                    );
                }
            }
        }
    }
}
