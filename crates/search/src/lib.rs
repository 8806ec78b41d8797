//! A machine that plays every game, over the trait [`Game`] alone. It depends on the kernel and nothing else.
//!
//! It uses Monte-Carlo tree search. For each playout, what its side cannot see is drawn from what is possible, and throws from
//! their chances, so the machine never knows more than a player would. In games whose turns have many actions, each action is a
//! step of the tree. All numbers are integers: the same position, budget and seed give the same choice on every machine.
//!
//! Begin with [`LEVELS`], then `tree`.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

mod certain;
mod contest;
mod lots;
mod quiet;
#[cfg(test)]
mod tests;
mod tree;

pub use contest::{Contest, PlayedGame, Player, Tally, contest};
pub use lots::Lots;
pub use quiet::{safest, settled};

use postrider_kernel::{Game, Moves, Side, Skill, write_entry};
use tree::{Pick, Tree};

/// A strength of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The number, from 1.
    pub number: u8,
    /// What it is called.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// How much it thinks.
    pub budget: Budget,
}

/// How much the machine thinks about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The number of playouts per entry, or twice the number per action in a turn of many actions.
    pub playouts: u32,
    /// How many of a thousand choices are made without thinking.
    pub slips: u32,
    /// The level, from 1. Some games find every certain win from a level on ([`Skill::FORESIGHT`]).
    pub level: u8,
}

/// The levels, weakest first.
pub const LEVELS: [Level; 5] = [
    level(1, "child", "looks at little and often errs", 100, 70),
    level(2, "beginner", "sees what is right before it", 400, 40),
    level(3, "club", "looks a few entries ahead", 1500, 0),
    level(4, "strong", "looks further ahead and does not slip", 6000, 0),
    level(5, "master", "takes a few seconds for an entry", 24_000, 0),
];

const fn level(number: u8, name: &'static str, about: &'static str, playouts: u32, slips: u32) -> Level {
    Level { number, name, about, budget: Budget { playouts, slips, level: number } }
}

/// Returns the level with this number, from 1.
#[must_use]
pub fn level_of(number: u8) -> Option<&'static Level> {
    LEVELS.iter().find(|level| level.number == number)
}

/// The number of positions searched for a certain win, per playout of the budget.
const AHEAD: u32 = 4;

/// Returns true when time is up.
pub type Stop<'a> = dyn FnMut() -> bool + 'a;

/// How an entry is thought about.
pub struct Thinking<'a, 's> {
    /// With how much effort.
    pub budget: &'a Budget,
    /// What the choice follows from.
    pub seed: u64,
    /// For how long.
    pub stop: &'a mut Stop<'s>,
}

/// The machine's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<A> {
    /// The actions of the entry that are the game's own.
    pub actions: Vec<A>,
    /// What its side expects, from -1000 (a certain loss) to 1000 (a certain win).
    pub expects: i32,
    /// The number of playouts.
    pub playouts: u32,
    /// Which actions were thrown or drawn, counted from 0.
    pub thrown: Vec<usize>,
    /// Whether there was no choice, so that the machine did not think.
    pub is_forced: bool,
}

/// The most actions of one turn; some turns could go on for ever.
const LONGEST_TURN: usize = 40;

/// Chooses an entry for the side that is due; `None` if the game is over or nothing can be entered. Throws and draws come from
/// `lots`, which the choice does not see; everything else follows from the seed.
#[must_use]
pub fn choose<G: Skill>(game: &G, thinking: Thinking<'_, '_>, lots: &mut Lots) -> Option<Choice<G::Action>> {
    go_on(game, &[], thinking, lots)
}

/// Chooses an entry that begins with these actions.
#[must_use]
pub fn go_on<G: Skill>(
    game: &G,
    begun: &[G::Action],
    Thinking { budget, seed, stop }: Thinking<'_, '_>,
    lots: &mut Lots,
) -> Option<Choice<G::Action>> {
    let mut own = Lots::new(seed);
    if game.outcome().is_some() {
        return None;
    }
    let mut choice = Choice { actions: Vec::new(), expects: 0, playouts: 0, thrown: Vec::new(), is_forced: true };
    if begun.is_empty()
        && let Some((expects, actions)) = best_drawn(game, budget, &mut own)
    {
        return Some(Choice { actions, expects, is_forced: false, ..choice });
    }
    let mut decide = |game: &G, moves: &Moves<G::Action>, begun: usize, is_thrown: bool| {
        choice.is_forced = false;
        if begun > LONGEST_TURN {
            return None;
        }
        if own.below(1000) < budget.slips {
            return Some(at_random(game, moves, &mut own));
        }
        // A level without slips does not miss a certain win.
        if budget.slips == 0
            && budget.level >= G::FORESIGHT
            && !G::HIDDEN
            && let Some(pick) = certain::certain(game, moves, budget.playouts.saturating_mul(AHEAD))
        {
            choice.expects = if is_thrown { choice.expects } else { 1000 };
            return Some(pick);
        }
        let playouts = if G::INFO.stepwise { in_turn(budget.playouts, begun) } else { budget.playouts };
        let mut tree = Tree::new(game, game.side_due(), own.draw());
        let pick = tree.search(playouts.max(8), stop);
        choice.playouts = choice.playouts.saturating_add(tree.playouts());
        // A throw changes what is expected.
        choice.expects = if is_thrown { choice.expects } else { tree.expects() };
        pick
    };
    let (actions, thrown) = turn(game, begun, &G::choices, &mut decide, lots)?;
    Some(Choice { actions, thrown, ..choice })
}

/// Returns which actions of an entry were thrown or drawn, counted from 0.
#[must_use]
pub fn chances<G: Skill>(game: &G, actions: &[G::Action]) -> Vec<usize> {
    if !G::CHANCE {
        return Vec::new();
    }
    if !G::INFO.stepwise {
        return if game.lot(actions) > 0 { vec![0] } else { Vec::new() };
    }
    let mut now = game.clone();
    let mut thrown = Vec::new();
    for (nth, action) in actions.iter().enumerate() {
        let action = std::slice::from_ref(action);
        if now.lot(action) > 0 {
            thrown.push(nth);
        }
        now.proceed(action);
    }
    thrown
}

/// Throws or draws again after the first actions of an entry, and finishes the turn; `None` if nothing is thrown there.
#[must_use]
pub fn thrown_again<G: Skill>(
    game: &G,
    begun: &[G::Action],
    thinking: Thinking<'_, '_>,
    lots: &mut Lots,
) -> Option<Choice<G::Action>> {
    let mut now = game.clone();
    begun.chunks(1).for_each(|action| now.proceed(action));
    let mut moves = Moves::default();
    now.moves(&mut moves);
    let weights: Vec<u32> = moves.iter().map(|entry| now.lot(entry)).collect();
    let drawn = moves.iter().nth(lots.weighted(&weights)?)?;
    go_on(game, &[begun, drawn].concat(), thinking, lots)
}

/// Returns the number of playouts for the next action of a turn: the longer the turn, the fewer, so that every turn ends.
const fn in_turn(playouts: u32, begun: usize) -> u32 {
    playouts / (2 + begun as u32 / 2)
}

/// Returns what `side` expects of a position after this many playouts, from -1000 (a loss) to 1000 (a win), whoever is due. What
/// `side` cannot see is drawn, as in its own choices.
#[must_use]
pub fn weigh<G: Skill>(game: &G, side: Side, playouts: u32, seed: u64, stop: &mut Stop<'_>) -> i32 {
    let for_first = |expects: i32| if side == Side::First { expects } else { -expects };
    match game.outcome() {
        Some(outcome) => return for_first(i32::try_from(tree::worth(outcome)).unwrap_or(0)),
        None if game.drawn_entry(&mut |_| 0).is_some() => return for_first(game.judgement().clamp(-900, 900)),
        None => {}
    }
    let mut tree = Tree::new(game, side, Lots::new(seed).draw());
    if tree.search(playouts.max(8), stop).is_none() {
        return for_first(game.judgement().clamp(-900, 900));
    }
    if game.side_due() == side { tree.expects() } else { -tree.expects() }
}

/// Where entries are drawn instead of listed, chooses the best of several by judgement alone. The expectation is how much better it
/// is than their average, because the other side has yet to draw.
fn best_drawn<G: Skill>(game: &G, budget: &Budget, own: &mut Lots) -> Option<(i32, Vec<G::Action>)> {
    let side = game.side_due();
    let mut best: Option<(i32, Vec<G::Action>)> = None;
    let number = i32::try_from((budget.playouts / 16).clamp(1, 200)).unwrap_or(1);
    let mut sum = 0i32;
    for _ in 0..number {
        let entry = game.drawn_entry(&mut |bound| own.below(bound))?;
        let judged = game.after(&entry).judgement();
        let judged = if side == Side::First { judged } else { -judged };
        sum = sum.saturating_add(judged);
        if best.as_ref().is_none_or(|(most, _)| judged > *most) {
            best = Some((judged, entry));
        }
    }
    best.map(|(most, entry)| (most.saturating_sub(sum / number), entry))
}

/// Chooses a legal entry at random; all results of a throw or a draw count as one entry.
#[must_use]
pub fn random<G: Skill>(game: &G, lots: &mut Lots) -> Option<Vec<G::Action>> {
    let mut own = Lots::new(lots.draw());
    if game.outcome().is_none()
        && let Some(entry) = game.drawn_entry(&mut |bound| own.below(bound))
    {
        return Some(entry);
    }
    let mut decide = |game: &G, moves: &Moves<G::Action>, begun: usize, _: bool| {
        (begun <= LONGEST_TURN).then(|| at_random(game, moves, &mut own))
    };
    turn(game, &[], &G::moves, &mut decide, lots).map(|(actions, _)| actions)
}

/// Returns the entry that is due, if it only draws cards or throws and leaves no choice.
#[must_use]
pub fn unchosen<G: Skill>(game: &G, lots: &mut Lots) -> Option<Vec<G::Action>> {
    let mut chosen = game.outcome().is_some() || game.drawn_entry(&mut |_| 0).is_some();
    if chosen {
        return None;
    }
    let mut decide = |_: &G, _: &Moves<G::Action>, _: usize, _: bool| {
        chosen = true;
        None
    };
    let (actions, thrown) = turn(game, &[], &G::moves, &mut decide, lots)?;
    (!chosen && !thrown.is_empty()).then_some(actions)
}

/// The player named what chance decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chance {
    /// The action that was typed.
    pub typed: String,
    /// The word that leaves it to chance.
    pub word: String,
}

impl std::fmt::Display for Chance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: chance decides this, and the program throws and draws: type `{}`", self.typed, self.word)
    }
}

/// Completes what a person typed: replaces an action that only says `roll` or `draw` by a result from `lots`. The rest stays as
/// typed. `begun` comes before it and is complete; the answer does not repeat it.
///
/// # Errors
/// If the player names the result of a throw or a draw.
pub fn thrown<G: Skill>(game: &G, begun: &str, typed: &str, lots: &mut Lots) -> Result<String, Chance> {
    let mut now = game.clone();
    let mut moves = Moves::default();
    let mut filled: Vec<String> = Vec::new();
    let parts = |text: &'_ str| text.split(';').map(str::trim).map(str::to_owned).collect::<Vec<_>>();
    let before = if begun.is_empty() { Vec::new() } else { parts(begun) };
    for (nth, part) in before.iter().chain(&parts(typed)).enumerate() {
        moves.clear();
        // Nothing is thrown where there are too many entries to list.
        if now.outcome().is_none() && now.drawn_entry(&mut |_| 0).is_none() {
            now.moves(&mut moves);
        }
        let weights: Vec<u32> = moves.iter().map(|entry| now.lot(entry)).collect();
        let drawn = lots.weighted(&weights).and_then(|nth| moves.iter().nth(nth)).map(|entry| entry.to_vec());
        let word = part.split(' ').next().unwrap_or_default().to_ascii_lowercase();
        let due = drawn.map(|entry| (write_entry::<G>(&entry), entry)).filter(|(text, _)| begins_with(text, &word));
        match due {
            Some((text, entry)) if word.len() == part.len() => {
                now.proceed(&entry);
                filled.push(text);
                continue;
            }
            Some(_) if nth >= before.len() => return Err(Chance { typed: part.clone(), word }),
            _ => {}
        }
        let action = G::read_typed(&G::lenient(part)).ok().map(|action| [action]);
        // A throw or a draw that is not due is refused for that, whatever its result.
        let is_undue = nth >= before.len() && action.as_ref().is_some_and(|action| now.lot(action) > 0);
        if let Some(action) = action.filter(|_| !is_undue) {
            now.proceed(&action);
        }
        filled.push(if is_undue { word } else { part.clone() });
    }
    Ok(filled.get(before.len()..).unwrap_or_default().join("; "))
}

/// Whether an entry begins with this word.
fn begins_with(entry: &str, word: &str) -> bool {
    entry.split(' ').next() == Some(word)
}

/// Replaces each entry that names the result of a throw or a draw by the word for throwing or drawing.
#[must_use]
pub fn without_chance<G: Skill>(game: &G, entries: Vec<String>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for entry in entries {
        let actions: Option<Vec<_>> = entry.split(';').map(|part| G::read_action(part.trim()).ok()).collect();
        let is_lot = actions.is_some_and(|actions| game.lot(&actions) > 0);
        let word = if is_lot { entry.split(' ').next().unwrap_or_default().to_owned() } else { entry };
        if !is_lot || !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Returns what the other side is told of actions in a game with hidden things.
#[must_use]
pub fn veiled<G: Skill>(actions: &str) -> String {
    let told = |part: &str| {
        let action = G::read_action(part.trim()).ok();
        action.as_ref().and_then(G::veiled).unwrap_or_else(|| part.trim().to_owned())
    };
    actions.split(';').map(told).collect::<Vec<_>>().join("; ")
}

/// Picks a listed entry at random.
fn at_random<G: Skill>(game: &G, moves: &Moves<G::Action>, own: &mut Lots) -> Pick<G::Action> {
    let number = u32::try_from(moves.iter().filter(|entry| game.lot(entry) == 0).count()).unwrap_or(u32::MAX);
    let has_lot = moves.iter().any(|entry| game.lot(entry) > 0);
    let nth = own.below(number.saturating_add(u32::from(has_lot)));
    moves
        .iter()
        .filter(|entry| game.lot(entry) == 0)
        .nth(nth as usize)
        .map_or(Pick::Lot, |entry| Pick::Entry(entry.into()))
}

/// Chooses among these moves after some actions of the turn; it is told whether something was thrown in the turn.
type Decide<'a, G> = dyn FnMut(&G, &Moves<<G as Game>::Action>, usize, bool) -> Option<Pick<<G as Game>::Action>> + 'a;

/// An entry, and which of its actions were thrown or drawn.
type Turned<A> = (Vec<A>, Vec<usize>);

/// Makes an entry that begins with some actions, and adds choices among what `list` offers until the turn is over.
fn turn<G: Skill>(
    game: &G,
    begun: &[G::Action],
    list: &dyn Fn(&G, &mut Moves<G::Action>),
    decide: &mut Decide<'_, G>,
    lots: &mut Lots,
) -> Option<Turned<G::Action>> {
    if game.outcome().is_some() {
        return None;
    }
    let mut thrown = Vec::new();
    let side = game.side_due();
    let mut now = game.clone();
    match G::INFO.stepwise {
        true => begun.chunks(1).for_each(|action| now.proceed(action)),
        false if !begun.is_empty() => return Some((begun.to_vec(), thrown)),
        false => {}
    }
    let mut actions = begun.to_vec();
    let mut moves = Moves::default();
    while now.outcome().is_none() && now.side_due() == side {
        moves.clear();
        list(&now, &mut moves);
        let pick = match moves.len() {
            0 => break,
            1 => {
                moves.iter().next().map(|entry| if now.lot(entry) > 0 { Pick::Lot } else { Pick::Entry(entry.into()) })
            }
            _ if moves.iter().all(|entry| now.lot(entry) > 0) => Some(Pick::Lot),
            // A turn that is already long ends as soon as it may.
            _ => decide(&now, &moves, actions.len(), !thrown.is_empty()).or_else(|| ending(&now, &moves)),
        };
        let entry = match pick? {
            Pick::Entry(entry) => entry.to_vec(),
            Pick::Lot => {
                let weights: Vec<u32> = moves.iter().map(|entry| now.lot(entry)).collect();
                let nth = lots.weighted(&weights)?;
                thrown.push(actions.len());
                moves.iter().nth(nth)?.to_vec()
            }
        };
        now.proceed(&entry);
        actions.extend(entry);
        if !G::INFO.stepwise {
            break;
        }
    }
    if actions.is_empty() {
        return None;
    }
    // In some games the end of a turn is a step of the list, but no action of the record.
    if G::INFO.stepwise && game.clone().play(&actions).is_err() {
        actions.pop();
    }
    Some((actions, thrown))
}

/// Returns an entry that ends the turn, or else the first one.
fn ending<G: Skill>(game: &G, moves: &Moves<G::Action>) -> Option<Pick<G::Action>> {
    let ends = |entry: &&[G::Action]| {
        let mut after = game.clone();
        after.proceed(entry);
        after.outcome().is_some() || after.side_due() != game.side_due()
    };
    moves.iter().find(ends).or_else(|| moves.iter().next()).map(|entry| Pick::Entry(entry.into()))
}
