//! The referee for programs in other languages: JSON request in, JSON answer out. The WebAssembly module in `web/` is
//! this and nothing else, and `web/README.md` explains every call. Pure: nothing is kept between calls, and the caller
//! supplies the time and any randomness.

mod game;

use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::games::kernel::Info;
use crate::record::RECORD_LIMIT;
use crate::registry::GAMES;
use crate::render::diagnostic;
use crate::report::Report;
use crate::rulebook;
use crate::text::LineIndex;
use crate::verdict::{Verdict, verify};

/// The version of the requests and answers; it is raised if the meaning of one of them changes.
pub const VERSION: u32 = 1;
/// How many faults are shown as excerpts.
const EXCERPTS: usize = 5;

/// A request.
#[derive(Debug, Deserialize)]
#[serde(tag = "call", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    /// The version, and the games with their options.
    About,
    /// The text of a rule, or of a whole rulebook.
    Rule {
        book: String,
        number: Option<String>,
    },
    /// Makes the header of a new record.
    Begin(game::Begin),
    /// Asks for the verdict on a record.
    Verify {
        record: Option<String>,
        base64: Option<String>,
    },
    /// Asks for a record with its entries, and how the game stands.
    Open {
        record: String,
    },
    /// Asks for the position after an entry, as a picture, in words and as a line.
    Position(game::Look),
    /// Asks what may follow the beginning of an entry.
    Next {
        record: String,
        #[serde(default)]
        begun: String,
        #[serde(default)]
        seed: u32,
    },
    /// Asks for the result of an entry; `append` also returns the longer record.
    Judge(game::Try),
    Append(game::Try),
}

/// Answers a request. A request that cannot be read, or that asks for something that does not exist, is answered with
/// an `error`.
#[must_use]
pub fn call(request: &str) -> String {
    let answer = match serde_json::from_str::<Request>(request) {
        Ok(request) => answer(request).unwrap_or_else(|error| json!({ "error": error })),
        Err(error) => json!({ "error": format!("the request cannot be read: {error}") }),
    };
    answer.to_string()
}

fn answer(request: Request) -> Result<Value, String> {
    match request {
        Request::About => Ok(json!({
            "interface": VERSION,
            "version": env!("CARGO_PKG_VERSION"),
            "games": GAMES.iter().map(|game| about(game.info())).collect::<Vec<_>>(),
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
        Request::Open { record } => Ok(game::open(record.as_bytes())),
        Request::Position(look) => game::position(&look),
        Request::Next { record, begun, seed } => Ok(game::next(record.as_bytes(), &begun, seed)),
        Request::Judge(entry) => Ok(game::entered(&entry, false)),
        Request::Append(entry) => Ok(game::entered(&entry, true)),
    }
}

/// What is known about a game before any record is read.
fn about(info: &'static Info) -> Value {
    let options = info.options.iter().map(|option| {
        json!({
            "name": option.name,
            "values": option.values.describe(),
            "words": match option.values {
                crate::games::kernel::Values::OneOf(words) => words,
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
        None => Ok(json!({ "title": found.title, "text": found.text })),
        Some(number) => match found.section(number) {
            Some(text) => Ok(json!({ "title": found.title, "text": text })),
            None => Err(format!("{book} has no rule `{number}`")),
        },
    }
}

/// The rulebook that contains a rule: the envelope's rules are in the one about records.
fn book_of(rule: &str, game: Option<&'static Info>) -> &'static str {
    match rule.as_bytes().first() {
        Some(b'E') => "record",
        Some(b'Z') => "sealing",
        _ => game.map_or("record", |game| game.name),
    }
}

/// A verdict with excerpts of what is wrong.
fn judged(source: &[u8], verdict: &Verdict) -> Value {
    let index = LineIndex::new(source);
    let shown = verdict.errors.iter().take(EXCERPTS);
    let excerpts: Vec<_> = shown.map(|error| diagnostic::excerpt(error, &index, "the record", &[], None)).collect();
    json!({
        "report": Report::of(None, source, verdict, Vec::new()),
        "excerpts": excerpts,
        "more": verdict.errors.len().saturating_sub(EXCERPTS) + verdict.more,
        "summary": verdict.to_string(),
    })
}

#[cfg(test)]
mod tests;
