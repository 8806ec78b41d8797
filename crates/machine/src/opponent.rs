//! Lets the machine play at the table of any game. It is the only place where the machine meets a record. Each question is put to
//! the game's own type.

use std::any::Any;

use postrider_kernel::{Options, SealedGame, Side, Skill, write_entry};
use postrider_referee::desk::begin::{Beginning, begin};
use postrider_referee::facade::open;
use postrider_referee::judging::Table;
use postrider_referee::registry::AnyGame;
use postrider_search::{Budget, Chance, Choice, Contest, Lots, PlayedGame, Player, Stop, Tally, Thinking};

/// What the machine would enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// The entry, in canonical form.
    pub entry: String,
    /// The entry up to its first throw or draw.
    pub chosen: String,
    /// The expectation of the machine's side, from -1000 (a loss) to 1000 (a win).
    pub expects: i32,
    /// Whether there was no choice; then `expects` means nothing.
    pub is_forced: bool,
    /// The number of playouts.
    pub playouts: u32,
}

/// A question that is put to the game's own type.
trait Question {
    type Answer;

    fn ask<G: SealedGame + Skill>(self, game: &G) -> Self::Answer;
}

macro_rules! asked_of_each {
    ($($game:ty),* $(,)?) => {
        /// Puts the question to the game; `None` if the game is not in the list.
        fn asked<Q: Question>(game: &dyn Any, question: Q) -> Option<Q::Answer> {
            $(if let Some(game) = game.downcast_ref::<$game>() {
                return Some(question.ask(game));
            })*
            None
        }
    };
}

postrider_games::with_all_games!(asked_of_each);

/// Chooses an entry for the side that is due; `None` if the game is over, the record is sealed, or nothing can be entered. Throws
/// and draws follow from the seed too, but do not influence the choice.
#[must_use]
pub fn think(table: &dyn Table, budget: &Budget, seed: u64, stop: &mut Stop<'_>) -> Option<Thought> {
    struct Think<'a, 's>(Thinking<'a, 's>);
    impl Question for Think<'_, '_> {
        type Answer = Option<Thought>;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> Option<Thought> {
            let lots = &mut Lots::with(self.0.seed, 1);
            let choice = postrider_search::choose(game, self.0, lots)?;
            let entry = write_entry::<G>(&game.canonical(&choice.actions));
            let chosen = match choice.thrown.first() {
                None => entry.clone(),
                Some(&first) => {
                    let lot = choice.actions.get(first..=first).map(write_entry::<G>).unwrap_or_default();
                    let before = write_entry::<G>(choice.actions.get(..first).unwrap_or_default());
                    let word = lot.split(' ').next().unwrap_or_default();
                    if before.is_empty() { word.to_owned() } else { format!("{before}; {word}") }
                }
            };
            let Choice { expects, is_forced, playouts, .. } = choice;
            Some(Thought { entry, chosen, expects, is_forced, playouts })
        }
    }
    if !is_open_and_running(table) {
        return None;
    }
    asked(table.game(), Think(Thinking { budget, seed, stop }))?
}

/// Returns what `side` expects after this many playouts ([`postrider_search::weigh`]); `None` in a sealed record.
#[must_use]
pub fn weigh(table: &dyn Table, side: Side, playouts: u32, seed: u64, stop: &mut Stop<'_>) -> Option<i32> {
    struct Weigh<'a, 's> {
        side: Side,
        playouts: u32,
        seed: u64,
        stop: &'a mut Stop<'s>,
    }
    impl Question for Weigh<'_, '_> {
        type Answer = i32;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> i32 {
            postrider_search::weigh(game, self.side, self.playouts, self.seed, self.stop)
        }
    }
    if table.seals().is_some() {
        return None;
    }
    asked(table.game(), Weigh { side, playouts, seed, stop })
}

/// Whether the game has throws, draws or hidden things.
#[must_use]
pub fn has_chance(table: &dyn Table) -> bool {
    struct HasChance;
    impl Question for HasChance {
        type Answer = bool;

        fn ask<G: SealedGame + Skill>(self, _: &G) -> bool {
            G::CHANCE || G::HIDDEN
        }
    }
    asked(table.game(), HasChance).unwrap_or(true)
}

/// What to do with an entry that was thrown or drawn in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chanced {
    /// Throw again, then let the machine go on.
    Again,
    /// Keep what was thrown, then let the machine go on.
    Kept,
}

/// Reads the actions of an entry; `None` if one of them, such as an offer, is not the game's own.
fn actions_of<G: SealedGame + Skill>(entry: &str) -> Option<Vec<G::Action>> {
    entry.split(';').map(|part| G::read_action(part.trim()).ok()).collect()
}

/// Returns which actions of an entry were thrown or drawn, counted from 0 ([`postrider_search::chances`]); `None` if that is
/// unknown.
#[must_use]
pub fn chances(table: &dyn Table, entry: &str) -> Option<Vec<usize>> {
    struct Chances<'a>(&'a str);
    impl Question for Chances<'_> {
        type Answer = Option<Vec<usize>>;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> Option<Vec<usize>> {
            if !G::CHANCE {
                return Some(Vec::new());
            }
            Some(postrider_search::chances(game, &actions_of::<G>(self.0)?))
        }
    }
    asked(table.game(), Chances(entry))?
}

/// Returns the entry with another end: the machine replaces what follows action `nth`, which was thrown or drawn.
#[must_use]
pub fn gone_on(
    table: &dyn Table,
    entry: &str,
    (nth, chanced): (usize, Chanced),
    budget: &Budget,
    seed: u64,
    stop: &mut Stop<'_>,
) -> Option<String> {
    struct GoneOn<'a, 's> {
        entry: &'a str,
        nth: usize,
        chanced: Chanced,
        thinking: Thinking<'a, 's>,
    }
    impl Question for GoneOn<'_, '_> {
        type Answer = Option<String>;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> Option<String> {
            let Self { entry, nth, chanced, thinking } = self;
            let actions = actions_of::<G>(entry)?;
            let lots = &mut Lots::with(thinking.seed, 1);
            let choice = match chanced {
                Chanced::Again => postrider_search::thrown_again(game, actions.get(..nth)?, thinking, lots),
                Chanced::Kept if !G::INFO.stepwise => return Some(entry.to_owned()),
                Chanced::Kept => postrider_search::go_on(game, actions.get(..=nth)?, thinking, lots),
            }?;
            Some(write_entry::<G>(&game.canonical(&choice.actions)))
        }
    }
    let thinking = Thinking { budget, seed, stop };
    asked(table.game(), GoneOn { entry, nth, chanced, thinking })?
}

/// The most positions that are searched for captures.
const MOST_TAKEN: u32 = 20_000;

/// Judges a position for `side`, from -1000 to 1000, after the captures that pay for both sides ([`postrider_search::settled`]).
#[must_use]
pub fn settled(table: &dyn Table, side: Side) -> Option<i32> {
    struct Settled(Side);
    impl Question for Settled {
        type Answer = Option<i32>;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> Option<i32> {
            let value = postrider_search::settled(game, MOST_TAKEN)?;
            Some(if game.side_due() == self.0 { value } else { -value })
        }
    }
    asked(table.game(), Settled(side))?
}

/// Returns the entry after which the side that is due keeps the most ([`postrider_search::safest`]).
#[must_use]
pub fn safest(table: &dyn Table) -> Option<String> {
    struct Safest;
    impl Question for Safest {
        type Answer = Option<String>;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> Option<String> {
            postrider_search::safest(game, MOST_TAKEN / 4).map(|(entry, _)| entry)
        }
    }
    if !is_open_and_running(table) {
        return None;
    }
    asked(table.game(), Safest)?
}

/// Judges a position roughly for the first side, from -900 to 900.
#[must_use]
pub fn judgement(table: &dyn Table) -> i32 {
    struct Judgement;
    impl Question for Judgement {
        type Answer = i32;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> i32 {
            game.judgement()
        }
    }
    asked(table.game(), Judgement).unwrap_or(0)
}

/// Returns the entry that is due, if it only throws or draws and leaves no choice.
#[must_use]
pub fn unchosen(table: &dyn Table, seed: u64) -> Option<String> {
    struct Unchosen(u64);
    impl Question for Unchosen {
        type Answer = Option<String>;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> Option<String> {
            postrider_search::unchosen(game, &mut Lots::with(self.0, 1)).map(|entry| write_entry::<G>(&entry))
        }
    }
    if !is_open_and_running(table) {
        return None;
    }
    asked(table.game(), Unchosen(seed))?
}

/// Adds throws and draws to what was typed ([`postrider_search::thrown`]).
///
/// # Errors
/// If the player names the result of a throw or a draw.
pub fn thrown(table: &dyn Table, begun: &str, typed: &str, seed: u64) -> Result<String, Chance> {
    struct Thrown<'a>(&'a str, &'a str, u64);
    impl Question for Thrown<'_> {
        type Answer = Result<String, Chance>;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> Self::Answer {
            postrider_search::thrown(game, self.0, self.1, &mut Lots::with(self.2, 1))
        }
    }
    asked(table.game(), Thrown(begun, typed, seed)).unwrap_or_else(|| Ok(typed.to_owned()))
}

/// Replaces each entry that names the result of a throw or a draw by the word for throwing or drawing.
#[must_use]
pub fn without_chance(table: &dyn Table, entries: Vec<String>) -> Vec<String> {
    struct Without(Vec<String>);
    impl Question for Without {
        type Answer = Vec<String>;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> Vec<String> {
            postrider_search::without_chance(game, self.0)
        }
    }
    asked(table.game(), Without(entries)).unwrap_or_default()
}

/// Returns what the other side may know of these actions, if it is told no more than in sealed play.
#[must_use]
pub fn veiled(table: &dyn Table, actions: &str) -> String {
    struct Veiled<'a>(&'a str);
    impl Question for Veiled<'_> {
        type Answer = String;

        fn ask<G: SealedGame + Skill>(self, _: &G) -> String {
            postrider_search::veiled::<G>(self.0)
        }
    }
    asked(table.game(), Veiled(actions)).unwrap_or_else(|| actions.to_owned())
}

/// Lets two players play a match in open play, each game from this position. Calls `each` after each game; if it returns true, the
/// match ends early.
#[must_use]
pub fn contest(start: &dyn Table, contest: &Contest, each: &mut dyn FnMut(&PlayedGame) -> bool) -> Tally {
    struct Match<'a, 's>(&'a Contest, &'a mut (dyn FnMut(&PlayedGame) -> bool + 's));
    impl Question for Match<'_, '_> {
        type Answer = Tally;

        fn ask<G: SealedGame + Skill>(self, game: &G) -> Tally {
            postrider_search::contest(game, self.0, self.1)
        }
    }
    asked(start.game(), Match(contest, each)).unwrap_or_default()
}

/// The record of a game of a match that began on this day, and its id.
#[must_use]
pub fn record(
    game: &dyn AnyGame,
    contest: &Contest,
    options: &Options,
    started: &str,
    played: &PlayedGame,
) -> (String, String) {
    let info = game.info();
    let id = format!("match-{}-{}-{}", info.name, contest.seed, played.number);
    let mut names = contest.players.map(|player| match player {
        Player::Random => "Random play".to_owned(),
        Player::Level(level) => format!("Machine, level {level}"),
    });
    if played.swapped {
        names.reverse();
    }
    let mut record = begin(&Beginning {
        info,
        id: &id,
        players: names.each_ref().map(|name| (name.as_str(), None, None)),
        started,
        host: None,
        title: None,
        clock: None,
        options,
        setup: None,
        sealed: false,
        own_fields: "",
    });
    for (number, (side, entry)) in (1..).zip(&played.entries) {
        record.push_str(&format!("{number} {} {entry}\n", info.sides[side.index()].word));
    }
    let outcome = open(record.as_bytes()).ok().and_then(|referee| referee.standing().outcome);
    record.extend(outcome.map(|outcome| format!("= {}\n", outcome.text(&info.sides))));
    (id, record)
}

fn is_open_and_running(table: &dyn Table) -> bool {
    table.standing().outcome.is_none() && table.seals().is_none()
}
