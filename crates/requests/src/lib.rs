//! The referee for programs in other languages: a request in, an answer as data out. The WebAssembly module in `web/` is this with JSON on both
//! sides and nothing else, and `web/README.md` explains every call; the Python package in `python/` turns requests and answers into objects.
//! Pure: nothing is kept between calls, and the caller supplies the time and any randomness.
//!
//! It uses the referee, what draws positions, and the machine. Nothing of a key, a secret, a letter or a home is among what it depends on.
//!
//! Begin with [`Request`].

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

mod called;
mod game;
mod judged;
mod machine;
mod review;
mod school;

pub use called::of_players;
pub use game::{Begin, Look, Person, Shown, Try, ended, illustrated, offered, refused_entry, then};
pub use judged::judged;
pub use machine::{LookBack, Practice, Think};
pub use review::Looked;

use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Value, json};

use postrider_kernel::Info;
use postrider_referee::record::RECORD_LIMIT;
use postrider_referee::registry::GAMES;
use postrider_referee::rulebook;
use postrider_referee::verdict::verify;

/// The version of the requests and answers; it is raised if the meaning of one of them changes.
pub const VERSION: u32 = 1;

#[derive(Debug, Deserialize)]
#[serde(tag = "call", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// The version, and the games with their options.
    About,
    /// The text of a rule, or of a whole rulebook.
    Rule {
        /// The name of a game, `record` or `sealing`.
        book: String,
        /// The number of the rule.
        number: Option<String>,
    },
    /// Makes the header of a new record.
    Begin(Begin),
    /// Asks for the verdict on a record: either its text, or its bytes in base64.
    Verify {
        /// The text.
        record: Option<String>,
        /// The bytes in base64.
        base64: Option<String>,
    },
    /// Asks for a record with its entries, and how the game stands.
    Open {
        /// The text of the record.
        record: String,
        /// After which entry; by default the last one.
        at: Option<u32>,
    },
    /// Lists what may be entered, or in the place of a refused entry.
    Moves {
        /// The text of the record.
        record: String,
        /// After which entry; by default the last legal one.
        at: Option<u32>,
    },
    /// Asks for the position after an entry, as a picture, in words and as a line.
    Position(Look),
    /// Asks what may follow the beginning of an entry.
    Next {
        /// The text of the record.
        record: String,
        /// The beginning of the entry.
        #[serde(default)]
        begun: String,
        /// Chooses the examples of words that stand for many entries.
        #[serde(default)]
        seed: u32,
        /// After which entry; by default the last one.
        at: Option<u32>,
    },
    /// Asks for the result of an entry.
    Judge(Try),
    /// Asks for the result of an entry, and for the longer record.
    Append(Try),
    /// Makes the header of a new game against the machine.
    Practice(Practice),
    /// Asks which entry the machine would choose in a practice game.
    Choose(Think),
    /// Makes the entry that comes next without the player: the machine's, or one in which nothing is chosen.
    Answer(Think),
    /// Takes the player's last entry back, and the answers to it.
    Undo {
        /// The text of the record.
        record: String,
    },
    /// Looks back at a game that is over.
    Review(LookBack),
    /// Tells a game in a minute.
    Minute { game: String },
    /// Lists the lessons of a game.
    Lessons { game: String },
    /// Judges an entry in a lesson.
    Lesson {
        game: String,
        /// The lesson's number.
        number: u32,
        /// What was typed.
        typed: String,
    },
}

/// Answers a request. A request that cannot be read, or that asks for something that does not exist, is answered with
/// an `error`.
#[must_use]
pub fn call(request: &str) -> String {
    answered(request).to_string()
}

/// Answers a request as [`call`] does, in the words of players: why something is refused, and what a look back has found.
#[must_use]
pub fn told(request: &str) -> String {
    let mut answer = answered(request);
    let say = |text: &mut Value| {
        if let Some(told) = text.as_str().map(of_players) {
            *text = told.into();
        }
    };
    ["/refused/message", "/error"].into_iter().for_each(|at| answer.pointer_mut(at).into_iter().for_each(say));
    if answer.get("untold").is_some() {
        let entries = answer.get_mut("entries").and_then(Value::as_array_mut).into_iter().flatten();
        let says = entries.filter_map(|entry| entry.get_mut("says").and_then(Value::as_array_mut));
        says.flatten().for_each(say);
    }
    answer.to_string()
}

fn answered(request: &str) -> Value {
    match serde_json::from_str::<Request>(request) {
        Ok(request) => answer(request).unwrap_or_else(|error| json!({ "error": error })),
        Err(error) => json!({ "error": format!("the request cannot be read: {error}") }),
    }
}

/// Answers a request that was read.
///
/// # Errors
/// Why it cannot be answered, if it asks for something that does not exist.
pub fn answer(request: Request) -> Result<Value, String> {
    match request {
        Request::About => Ok(json!({
            "interface": VERSION,
            "version": env!("CARGO_PKG_VERSION"),
            "games": GAMES.iter().map(|game| about(game.info())).collect::<Vec<_>>(),
            "levels": machine::levels(),
        })),
        Request::Rule { book, number } => rule(&book, number.as_deref()),
        Request::Begin(begin) => Ok(game::begin(&begin)),
        Request::Verify { record: Some(record), base64: None } => {
            Ok(judged(record.as_bytes(), &verify(record.as_bytes())))
        }
        Request::Verify { record: None, base64: Some(text) } => {
            if text.len() > RECORD_LIMIT * 2 {
                return Err("the record is over 4 MiB".into());
            }
            let bytes = BASE64.decode(text.as_bytes()).map_err(|error| format!("`base64` is not base64: {error}"))?;
            Ok(judged(&bytes, &verify(&bytes)))
        }
        Request::Verify { .. } => Err("`verify` takes either `record` or `base64`".into()),
        Request::Open { record, at } => game::open(record.as_bytes(), at),
        Request::Moves { record, at } => game::moves(record.as_bytes(), at),
        Request::Position(look) => game::position(&look),
        Request::Next { record, begun, seed, at } => game::next(record.as_bytes(), &begun, seed, at),
        Request::Judge(entry) => Ok(game::entered(&entry, false)),
        Request::Append(entry) => Ok(game::entered(&entry, true)),
        Request::Practice(begin) => machine::begin(&begin),
        Request::Choose(think) => machine::choose(&think),
        Request::Answer(think) => machine::answer(&think),
        Request::Undo { record } => Ok(machine::taken_back(&record)),
        Request::Review(look) => machine::review(&look),
        Request::Minute { game } => school::minute(&game),
        Request::Lessons { game } => school::list(&game),
        Request::Lesson { game, number, typed } => school::lesson(&game, number, &typed),
    }
}

/// What is known about a game before any record is read.
fn about(info: &'static Info) -> Value {
    let options = info.options.iter().map(|option| {
        json!({
            "name": option.name,
            "values": option.values.describe(),
            "words": match option.values {
                postrider_kernel::Values::OneOf(words) => words,
                _ => &[],
            },
            "default": option.default,
            "about": option.about,
        })
    });
    json!({
        "name": info.name,
        "title": info.title,
        "about": info.about,
        "sides": info.sides.map(|side| side.word),
        "sealable": info.sealable,
        "stepwise": info.stepwise,
        "options": options.collect::<Vec<_>>(),
    })
}

fn rule(book: &str, number: Option<&str>) -> Result<Value, String> {
    let found = rulebook::find(book).ok_or_else(|| format!("there is no rulebook `{book}`"))?;
    match number {
        None => Ok(json!({ "title": found.title, "text": found.words() })),
        Some(number) => match rulebook::rule(book, number) {
            Some(text) => Ok(json!({ "title": found.title, "text": text })),
            None => Err(format!("{book} has no rule `{number}`")),
        },
    }
}

#[cfg(test)]
mod tests;
