//! Reviews a finished game: the entries at which it turned, what would have been better, and the best answers. Pure.

mod second;

use self::second::Second;
use crate::opponent::{self, Thought};
use postrider_board::render::sheet::shortened;
use postrider_kernel::scene::Scene;
use postrider_kernel::text::printable;
use postrider_kernel::{Count, Info, Outcome, Side, Viewer};
use postrider_referee::desk::audit::Only;
use postrider_referee::desk::export::{Wanted, rows_as_they_come};
use postrider_referee::judging::{Beside, Table};
use postrider_referee::record::Item;
use postrider_referee::sealing::{Owner, Secret};
use postrider_referee::verdict::{Opened, Ruling, Verdict};
use postrider_search::{Budget, Lots};

/// The loss from which an entry counts as a turn of the game, in thousandths; the whole way from a certain loss to a certain win is
/// 2000.
const TURNED: i32 = 100;

/// The same for an entry that gives something away, both as expected and as judged after the captures.
const GIVEN: i32 = 40;

/// How many entries to look ahead for what was given away: the answer, the recapture, and the capture after that.
const EXCHANGED: usize = 3;

/// Only this many entries at the end of a game are reviewed, so that no record takes for ever.
pub const MOST_ENTRIES: u32 = 1000;

/// A review of a game.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// The entries, in order.
    pub entries: Vec<Reviewed>,
    /// The number of entries that could not be judged, because something was hidden then.
    pub hidden: u32,
    /// The number of entries at the beginning that were passed over, because the game is too long.
    pub passed_over: u32,
    /// The sides that have not published their secret, so that what only they knew is unknown.
    pub untold: Vec<Side>,
    /// The number of entries of the game.
    pub of: u32,
    /// What the first side expects after the last entry of this part. The next part needs it.
    pub carried: Option<i32>,
}

/// A part of a game to review. The parts, one after another, give the same as the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The first entry, from 1.
    pub first: u32,
    pub last: u32,
    /// [`Review::carried`] of the part before.
    pub carried: Option<i32>,
}

impl Part {
    /// The whole game.
    pub const WHOLE: Self = Self { first: 1, last: u32::MAX, carried: None };
}

/// A reviewed entry. Expectations are those of the side that made it, from -1000 (a loss) to 1000 (a win).
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// The entry's number, from 1.
    pub number: u32,
    /// The side that made it.
    pub side: Side,
    /// Its actions, as the record has them.
    pub actions: String,
    /// The expectation before the entry and after it; `None` if something was hidden.
    pub expected: Option<[i32; 2]>,
    /// The entry's effect on the board, in words.
    pub did: Option<String>,
    /// How the game turned at this entry, if it did.
    pub turn: Option<Turn>,
}

/// How a game turned.
#[derive(Clone, Debug)]
pub enum Turn {
    /// There was a better entry.
    Missed {
        /// The better entry, up to its first throw or draw.
        better: String,
        /// The expectation after it.
        expects: i32,
        /// The best answer to the entry that was made.
        answer: Option<Line>,
        /// The best answer to the better entry.
        otherwise: Option<Line>,
        /// What differs in number after the two answers.
        differences: Vec<Difference>,
    },
    /// The choice was right; the throw or the draw decided.
    Luck,
    /// The side gave up, or its time ran out.
    Ended,
}

/// An entry and its effect on the board.
#[derive(Clone, Debug)]
pub struct Line {
    pub actions: String,
    /// The effect in words: `from c6; to c4; taken on c5`.
    pub did: Option<String>,
}

/// A number that differs between the two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The side that has these things.
    pub side: Side,
    /// The things that are counted, in the plural.
    pub what: &'static str,
    /// The number after the entry that was made and the best answer.
    pub made: u32,
    /// The number after the better entry and its best answer.
    pub better: u32,
}

/// Turns an expectation into a percentage of the point: 100 and 0 only for what is certain.
#[must_use]
pub const fn percent(expects: i32) -> i32 {
    match (expects + 1000) / 20 {
        share if share < 1 && expects > -1000 => 1,
        share => share,
    }
}

/// Shortens an entry to its first actions.
fn few(actions: &str) -> String {
    const FEW: usize = 3;
    let all: Vec<&str> = actions.split("; ").collect();
    let first: Vec<&str> = all.iter().copied().take(FEW).collect();
    let named = printable(&shortened(&first.join("; "), "...")).into_owned();
    let more = all.len() - first.len();
    if more > 0 { format!("{named}; and {more} more") } else { named }
}

impl Reviewed {
    /// Returns the entry and the expectations before and after it, on one line.
    #[must_use]
    pub fn headline(&self, info: &Info) -> String {
        let [before, after] = self.expected.unwrap_or_default().map(percent);
        let side = info.sides[self.side.index()].word;
        format!("{} {side} {}: {before}% -> {after}%", self.number, few(&self.actions))
    }

    /// Says in words how the game turned at the entry, one sentence per line; nothing if it did not turn.
    #[must_use]
    pub fn told(&self, info: &Info) -> Vec<String> {
        match &self.turn {
            None => Vec::new(),
            Some(Turn::Luck) => vec!["it was begun as it should be; what was thrown or drawn in it decided".to_owned()],
            Some(Turn::Ended) => {
                let [before, _] = self.expected.unwrap_or_default().map(percent);
                vec![format!("{} had {before}% left", info.sides[self.side.index()].named())]
            }
            Some(Turn::Missed { better, expects, answer, otherwise, differences }) => {
                let then = |line: &Option<Line>| match line {
                    Some(Line { actions, did: Some(did) }) => format!(", then {} ({did})", few(actions)),
                    Some(Line { actions, did: None }) => format!(", then {}", few(actions)),
                    None => String::new(),
                };
                let mut lines = vec![format!("better: {} ({}%){}", few(better), percent(*expects), then(otherwise))];
                let answered = then(answer);
                if !answered.is_empty() {
                    lines.push(format!("as it was{answered}"));
                }
                lines.extend(differences.iter().map(|Difference { side, what, made, better }| {
                    let side = info.sides[side.index()].word;
                    format!("{side}, {what}: {made} then, {better} with the better entry")
                }));
                lines
            }
        }
    }
}

/// Why a game cannot be reviewed.
#[derive(Debug)]
pub enum NoReview {
    /// The record is not legal, or is no record.
    Verdict(Box<Verdict>),
    /// The game is still running: a review would be help that the opponent does not have.
    Running,
}

/// Reviews a game. The same budget and seed give the same review on every machine. `each` is called after each entry; the review
/// ends if it returns false.
///
/// # Errors
/// If the record is not legal, or the game is still running.
pub fn review(source: &[u8], budget: Budget, seed: u64, each: &mut dyn FnMut() -> bool) -> Result<Review, NoReview> {
    part(source, budget, seed, Part::WHOLE, each)
}

/// Reviews a part of a game, like [`review`].
///
/// # Errors
/// If the record is not legal, or the game is still running.
pub fn part(
    source: &[u8],
    budget: Budget,
    seed: u64,
    part: Part,
    each: &mut dyn FnMut() -> bool,
) -> Result<Review, NoReview> {
    let mut whole = Opened::new(source).map_err(NoReview::Verdict)?;
    let verdict = whole.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal {
        return Err(NoReview::Verdict(Box::new(verdict)));
    }
    // In a practice game help puts nobody at a disadvantage (E12).
    if verdict.outcome.is_none() && whole.header.machine.is_none() {
        return Err(NoReview::Running);
    }
    let start = Opened::new(source).map_err(NoReview::Verdict)?;
    let passed_over = verdict.entries.saturating_sub(MOST_ENTRIES);
    let is_sealed = start.table.seals().is_some();
    let mut looking = Looking {
        budget: Budget { slips: 0, ..budget },
        seed,
        secrets: secrets(&start),
        told: [false; 2],
        is_sealed,
        is_stepwise: start.header.info.stepwise,
    };
    let mut review = Review { passed_over, of: verdict.entries, ..Review::default() };
    // Entries before this part are replayed without thinking.
    let skipped = passed_over.max(part.first.saturating_sub(1));
    let mut before = (skipped == 0).then(|| looking.moment(&start, start.table.standing().due.side));
    let wanted = Wanted { entries: true, ..Wanted::default() };
    let _ = rows_as_they_come(None, source, wanted, |opened, row| {
        let due = opened.table.standing().due.side;
        if row.number <= skipped {
            if row.number == skipped {
                let moment = looking.moment(opened, due);
                before = Some(Moment { value: moment.value.or(part.carried), ..moment });
            }
            return each();
        }
        let Some(was) = before.take() else { return each() };
        // If nothing is sealed, both sides know the same.
        let mut after = looking.moment(opened, if is_sealed { was.due } else { due });
        // If there was no choice since, nothing has changed.
        if after.value.is_none() && after.open.is_some() {
            after.value = was.value;
        }
        let reviewed = looking.reviewed(row.number, row.actions, &was, &after);
        review.hidden += u32::from(reviewed.expected.is_none());
        review.entries.push(reviewed);
        review.carried = after.value.filter(|_| after.eyes == due);
        if row.number >= part.last {
            return false;
        }
        before = Some(if after.eyes == due { after } else { looking.moment(opened, due) });
        each()
    });
    review.untold = Side::BOTH.into_iter().filter(|side| is_sealed && !looking.told[side.index()]).collect();
    Ok(review)
}

/// Returns the secrets that remarks publish. Anybody can write a remark, so a secret only counts if it opens a seal.
fn secrets(opened: &Opened<'_>) -> [Vec<Secret>; 2] {
    /// The most secrets tried per side.
    const TRIED: usize = 4;
    let mut secrets = [Vec::new(), Vec::new()];
    if opened.table.seals().is_none() {
        return secrets;
    }
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Remark(line) = item else { continue };
        let Some(rest) = line.text(opened.text).strip_prefix("# secret ") else { continue };
        for (side, list) in opened.header.info.sides.iter().zip(&mut secrets) {
            let hex = rest.strip_prefix(side.word).and_then(|rest| rest.strip_prefix(' '));
            if let Some(secret) = hex.and_then(|hex| Secret::read(hex.trim_end()))
                && list.len() < TRIED
            {
                list.push(secret);
            }
        }
    }
    secrets
}

/// The game between two entries.
struct Moment {
    due: Side,
    /// The side whose knowledge is used.
    eyes: Side,
    /// The game with everything open, to try things out; `None` if something is hidden.
    open: Option<Box<dyn Table>>,
    scene: Scene,
    /// What the first side expects.
    value: Option<i32>,
    thought: Option<Thought>,
}

/// The settings of a review.
struct Looking {
    budget: Budget,
    seed: u64,
    secrets: [Vec<Secret>; 2],
    /// The sides whose secret opened something.
    told: [bool; 2],
    is_sealed: bool,
    /// Whether a turn has many actions.
    is_stepwise: bool,
}

/// Returns the game as `side` knows it. What it does not know is drawn from the seed.
fn laid_open(table: &dyn Table, side: Side, seed: u64) -> Option<Box<dyn Table>> {
    let mut lots = Lots::new(seed);
    table.laid_open(side, &mut |bound| lots.below(bound))
}

impl Looking {
    /// Returns the moment after the entries read so far, with what `eyes` knew then.
    fn moment(&mut self, opened: &Opened<'_>, eyes: Side) -> Moment {
        let mut table = opened.table.copy();
        for secret in self.secrets.get(eyes.index()).into_iter().flatten() {
            let mut store = Only::new(secret.clone());
            let word = opened.header.info.sides[eyes.index()].word;
            let mut owner = Owner::new(&opened.header.id, word, &mut store, opened.ground(eyes, true));
            if table.reveal_to_owner(eyes, &mut owner).is_ok() {
                self.told[eyes.index()] = true;
                break;
            }
        }
        self.seen(table.as_ref(), eyes)
    }

    fn seen(&self, table: &dyn Table, eyes: Side) -> Moment {
        let standing = table.standing();
        let seed = Lots::with(self.seed, u64::from(standing.entries)).draw();
        let open = laid_open(table, eyes, seed);
        // If another draw gives another position, something is hidden.
        let hidden = self.is_sealed
            && laid_open(table, eyes, !seed).map(|other| other.position()) != open.as_ref().map(|open| open.position());
        let seen = open.as_deref().map(|open| {
            if hidden && standing.due.side != eyes && standing.outcome.is_none() {
                let value = opponent::weigh(open, eyes, self.budget.playouts, seed, &mut || false);
                return (value.map(|value| of_first(eyes, value)), None);
            }
            self.value(open, standing.outcome)
        });
        let (value, thought) = seen.unwrap_or_default();
        Moment { due: standing.due.side, eyes, open, scene: table.view(Viewer::Public), value, thought }
    }

    /// Returns what the first side expects, and what the side that is due should enter. Before a throw without a choice nothing is
    /// expected.
    fn value(&self, table: &dyn Table, outcome: Option<Outcome>) -> (Option<i32>, Option<Thought>) {
        /// The most entries without a choice to pass over.
        const FORCED: usize = 16;
        let mut first = None;
        let mut now = table.copy();
        let mut end = outcome;
        for _ in 0..FORCED {
            let standing = now.standing();
            match end.take().or(standing.outcome) {
                Some(Outcome::Win(side, _)) => return (Some(of_first(side, 1000)), first),
                Some(Outcome::Draw(_)) => return (Some(0), first),
                None => {}
            }
            let seed = Lots::with(self.seed, u64::from(standing.entries)).draw();
            let Some(thought) = opponent::think(now.as_ref(), &self.budget, seed, &mut || false) else {
                return (None, first);
            };
            let (expects, is_forced) = (of_first(standing.due.side, thought.expects), thought.is_forced);
            let (is_thrown, entry) = (thought.entry != thought.chosen, thought.entry.clone());
            first.get_or_insert(thought);
            if !is_forced {
                return (Some(expects), first);
            }
            match played(now.as_ref(), &entry) {
                Some(next) if !is_thrown => now = next,
                _ => return (None, first),
            }
        }
        (None, first)
    }

    fn reviewed(&self, number: u32, actions: String, before: &Moment, after: &Moment) -> Reviewed {
        let side = before.due;
        let expected = before.value.zip(after.value).map(|(one, other)| [of_first(side, one), of_first(side, other)]);
        let rival = expected.and_then(|_| self.rival(before, after));
        let turn = match expected {
            Some([hoped, left]) if hoped - left >= GIVEN || gives(before, after) || rival.is_some() => {
                self.turn(&actions, ([hoped, left], rival), before, after)
            }
            _ => None,
        };
        Reviewed { number, side, did: did(&before.scene, &after.scene), actions, expected, turn }
    }

    /// Returns a turn of many actions that seems better than the one made, judged by the side that made it. One search may miss the
    /// good turns among so many, and its expectations before and after a turn cannot be compared.
    fn rival(&self, before: &Moment, after: &Moment) -> Option<Thought> {
        let (open, now) = (before.open.as_deref()?, after.open.as_deref()?);
        let first = before.thought.as_ref().filter(|thought| self.is_stepwise && !thought.is_forced)?;
        let weigh =
            |table: &dyn Table| opponent::weigh(table, before.due, self.budget.playouts, self.seed, &mut || false);
        let longer = Budget { playouts: self.budget.playouts.saturating_mul(2), ..self.budget };
        let second = opponent::think(open, &longer, !self.seed, &mut || false);
        let weighed = |thought: Thought| {
            let entered = if thought.entry == thought.chosen { played(open, &thought.entry) } else { None };
            Some((weigh(entered.as_deref().unwrap_or(open))?, thought))
        };
        let both = [Some(first.clone()), second].into_iter().flatten().filter_map(weighed);
        let (most, thought) = both.max_by_key(|(value, _)| *value)?;
        (most - weigh(now)? >= GIVEN).then_some(thought)
    }

    /// Returns how the game turned, if the entry is to blame.
    fn turn(
        &self,
        actions: &str,
        ([hoped, left], rival): ([i32; 2], Option<Thought>),
        before: &Moment,
        after: &Moment,
    ) -> Option<Turn> {
        let is_turned = hoped - left >= TURNED;
        if is_turned && actions.split("; ").any(|action| action == "resign" || action.starts_with("claim ")) {
            return Some(Turn::Ended);
        }
        let (open, thought) = (before.open.as_deref()?, before.thought.as_ref()?);
        if thought.is_forced {
            return None;
        }
        let better = rival.and_then(|rival| self.better(open, &rival, (actions, left), (before.due, after)));
        let better = better.or_else(|| self.better(open, thought, (actions, left), (before.due, after)));
        // The search may prefer an entry that gives the same away.
        let better = better.or_else(|| {
            let safest = if gives(before, after) { opponent::safest(open)? } else { return None };
            let safest = Thought { chosen: safest.clone(), entry: safest, ..thought.clone() };
            self.better(open, &safest, (actions, left), (before.due, after))
        });
        let is_luck = is_turned && thought.entry != thought.chosen && actions.starts_with(&thought.chosen);
        better.or(is_luck.then_some(Turn::Luck))
    }

    /// Returns the turn of the game, if the proposed entry, up to its first throw, would have been better and a second look
    /// confirms it.
    fn better(
        &self,
        open: &dyn Table,
        thought: &Thought,
        (actions, left): (&str, i32),
        (side, after): (Side, &Moment),
    ) -> Option<Turn> {
        let now = after.open.as_deref();
        let other = if thought.entry == thought.chosen { Some(played(open, &thought.entry)?) } else { None };
        if now.zip(other.as_deref()).is_some_and(|(now, other)| now.position() == other.position()) {
            return None;
        }
        let seed = Lots::with(self.seed, u64::from(open.standing().entries)).draw();
        let lost = Second { side, budget: &self.budget, seed, differ: opponent::has_chance(open) }
            .lost(open, actions, thought, now)?;
        let other = lost.whole.as_deref().and_then(|whole| played(open, whole));
        let other = other.map(|other| self.seen(other.as_ref(), after.eyes));
        if lost.mean < TURNED || lost.least < TURNED / 2 {
            // A small loss counts if every look sees it, or if it remains after all captures.
            let is_seen = lost.mean >= TURNED / 2 && lost.least >= GIVEN;
            let given = || Some(self.settled(side, other.as_ref()?) - self.settled(side, after));
            if lost.mean < GIVEN / 2 || !is_seen && given().is_none_or(|given| given < GIVEN) {
                return None;
            }
        }
        let expects = left.saturating_add(lost.mean.max(0)).min(1000);
        let (answer, made) = answer(side, after);
        let (otherwise, counts) = other.as_ref().map(|other| self::answer(side, other)).unwrap_or_default();
        let differences = differences(side, &made, &counts);
        Some(Turn::Missed { better: lost.better, expects, answer, otherwise, differences })
    }
}

/// Whether the entry gave something away, judged by captures alone.
fn gives(before: &Moment, after: &Moment) -> bool {
    let settled = |moment: &Moment| opponent::settled(moment.open.as_deref()?, before.due);
    settled(before).zip(settled(after)).is_some_and(|(had, has)| had - has >= GIVEN)
}

impl Looking {
    /// Judges a position for a side after the next captures, without looking further.
    fn settled(&self, side: Side, after: &Moment) -> i32 {
        let Some(open) = after.open.as_deref() else { return 0 };
        if let Some(settled) = opponent::settled(open, side) {
            return settled;
        }
        let mut now = open.copy();
        let mut next = after.thought.clone();
        for _ in 0..EXCHANGED {
            let entries = now.standing().entries;
            let seed = Lots::with(self.seed, u64::from(entries)).draw();
            let thought = next.take().or_else(|| opponent::think(now.as_ref(), &self.budget, seed, &mut || false));
            let Some(thought) = thought.filter(|thought| thought.entry == thought.chosen) else { break };
            let Some(then) = played(now.as_ref(), &thought.entry) else { break };
            now = then;
        }
        of_first(side, opponent::judgement(now.as_ref()))
    }
}

/// Converts one side's expectation into the first side's, or back.
fn of_first(side: Side, expects: i32) -> i32 {
    if side == Side::First { expects } else { -expects }
}

/// Returns the best answer of the other side, and the counts after it.
fn answer(side: Side, after: &Moment) -> (Option<Line>, Vec<Count>) {
    let Some(open) = after.open.as_deref() else { return (None, Vec::new()) };
    let Some(thought) = after.thought.as_ref().filter(|_| after.due != side) else { return (None, open.counts()) };
    let is_thrown = thought.entry != thought.chosen;
    let next = if is_thrown { None } else { played(open, &thought.entry) };
    let counts = next.as_ref().map_or_else(|| open.counts(), |next| next.counts());
    let did = next.and_then(|next| did(&after.scene, &next.view(Viewer::Public)));
    (Some(Line { actions: thought.chosen.clone(), did }), counts)
}

/// Returns where two counts differ, those of the side that made the entry first.
fn differences(side: Side, made: &[Count], better: &[Count]) -> Vec<Difference> {
    let mut list = Vec::new();
    for of in [side, side.other()] {
        for (one, other) in made.iter().zip(better) {
            if let (Some(made), Some(better)) = (one.of[of.index()], other.of[of.index()])
                && made != better
            {
                list.push(Difference { side: of, what: one.what, made, better });
            }
        }
    }
    list
}

/// Returns the game after an entry.
fn played(table: &dyn Table, entry: &str) -> Option<Box<dyn Table>> {
    Some(table.read(entry).ok()?.judge(&Beside::default()).ok()?.table)
}

/// Describes what an entry did on the board.
fn did(before: &Scene, after: &Scene) -> Option<String> {
    let mut scene = after.clone();
    scene.mark_since(before);
    scene.marks_in_words()
}
