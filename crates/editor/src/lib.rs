//! A language server for records: what an editor sends in, what it is to show out. `editing` decides what is shown; the rest is the Language
//! Server Protocol.
//!
//! An editor names a document by whatever text it likes: that text is compared and sent back, and never taken apart. Nothing of a key, a
//! secret or a home is among what this depends on, and no file is read or written.
//!
//! Begin with [`serve`].

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

mod editing;
mod frames;
mod places;

use std::collections::HashMap;
use std::io::{BufRead, Write};

use serde::Deserialize;
use serde_json::{Value, json};

use places::{Places, Position, Range};
use postrider_kernel::text::{Span, printable};
use postrider_referee::record::{RECORD_LIMIT, Time};
use postrider_referee::verdict::format;

/// How a request failed, in the protocol's numbers.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const NOT_INITIALIZED: i32 = -32002;

/// The protocol's numbers for an error, for a quick fix and what else there is.
const ERROR: u32 = 1;
const VALUE: u32 = 12;
const EVENT: u32 = 24;

/// Serves an editor until it is done. `now` tells the time. Returns whether the editor has said before that it will leave.
///
/// # Errors
/// If what the editor sends is no message, or it is gone in the midst of one.
pub fn serve(from: &mut impl BufRead, to: &mut impl Write, now: fn() -> Option<Time>) -> Result<bool, String> {
    let mut server = Server { texts: HashMap::new(), now, markdown: true, stage: Stage::New };
    while let Some(body) = frames::read(from).map_err(|error| error.to_string())? {
        let answer = match serde_json::from_slice::<Message>(&body) {
            Ok(Message { method: Some(method), .. }) if method == "exit" => break,
            Ok(message) => server.take(message),
            Err(error) => Some(failed(Value::Null, PARSE_ERROR, &error.to_string())),
        };
        if let Some(answer) = answer {
            frames::write(to, &answer).map_err(|error| error.to_string())?;
        }
    }
    Ok(server.stage == Stage::Leaving)
}

/// What an editor sends: a request if it has an id and a method, a notification without an id, otherwise an answer.
#[derive(Deserialize)]
struct Message {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

/// What the parameters of requests and notifications have in common.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    text_document: Document,
    position: Option<Position>,
    range: Option<Range>,
    #[serde(default)]
    context: Context,
    #[serde(default)]
    content_changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Document {
    uri: String,
    version: Option<i64>,
    text: Option<String>,
}

#[derive(Default, Deserialize)]
struct Context {
    only: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Change {
    text: String,
}

/// How far editor and server are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Serving,
    /// The editor has asked for the end, and is to leave now.
    Leaving,
}

fn succeeded(id: Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn failed(id: Value, code: i32, what: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": printable(what) } })
}

fn capabilities() -> Value {
    json!({
        // Whole texts.
        "textDocumentSync": 1,
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [" ", ";"] },
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "documentFormattingProvider": true,
        "documentSymbolProvider": true,
        "inlayHintProvider": true,
    })
}

/// Returns whether the editor shows Markdown. Who does not say what it shows is taken to.
fn takes_markdown(client: &Value) -> bool {
    let formats = &client["capabilities"]["textDocument"]["hover"]["contentFormat"];
    formats.as_array().is_none_or(|formats| formats.iter().any(|format| format == "markdown"))
}

/// The texts that the editor has open, by the names that it gives them, and whether it shows Markdown.
struct Server {
    texts: HashMap<String, String>,
    now: fn() -> Option<Time>,
    markdown: bool,
    stage: Stage,
}

impl Server {
    /// Takes what the editor sends; returns what is sent back.
    fn take(&mut self, message: Message) -> Option<Value> {
        let Message { id, method, params } = message;
        match (id, method) {
            (Some(id), Some(method)) => Some(self.answered(id, &method, params)),
            (None, Some(method)) if self.stage == Stage::Serving => self.notice(&method, params),
            _ => None,
        }
    }

    fn answered(&mut self, id: Value, method: &str, params: Value) -> Value {
        match (self.stage, method) {
            (Stage::New, "initialize") => {
                self.markdown = takes_markdown(&params);
                self.stage = Stage::Serving;
                let server = json!({ "name": "postrider", "version": env!("CARGO_PKG_VERSION") });
                succeeded(id, json!({ "capabilities": capabilities(), "serverInfo": server }))
            }
            (Stage::New, _) => failed(id, NOT_INITIALIZED, "the editor has not begun with `initialize`"),
            (Stage::Leaving, _) => failed(id, INVALID_REQUEST, "after `shutdown` there is only `exit`"),
            (Stage::Serving, "initialize") => failed(id, INVALID_REQUEST, "the editor has begun before"),
            (Stage::Serving, "shutdown") => {
                self.stage = Stage::Leaving;
                succeeded(id, Value::Null)
            }
            (Stage::Serving, _) => {
                let known = QUESTIONS.iter().find(|(name, _)| method.strip_prefix("textDocument/") == Some(name));
                match known.map(|(_, answer)| self.about(params, *answer)) {
                    Some(Ok(result)) => succeeded(id, result),
                    Some(Err(what)) => failed(id, INVALID_PARAMS, &what),
                    None => failed(id, METHOD_NOT_FOUND, &format!("there is no {method}")),
                }
            }
        }
    }

    /// Takes what the editor tells of a text; returns what is to be said of it.
    fn notice(&mut self, method: &str, params: Value) -> Option<Value> {
        let told = || serde_json::from_value::<About>(params).ok();
        let (document, text) = match method {
            "textDocument/didOpen" => {
                let mut document = told()?.text_document;
                let text = document.text.take()?;
                (document, text)
            }
            "textDocument/didChange" => {
                let mut told = told()?;
                (told.text_document, told.content_changes.pop()?.text)
            }
            "textDocument/didClose" => {
                let document = told()?.text_document;
                self.texts.remove(&document.uri);
                return Some(published(&document, &json!([])));
            }
            _ => return None,
        };
        let faults = faults(&text);
        let said = published(&document, &faults);
        self.texts.insert(document.uri, text);
        Some(said)
    }

    /// Answers a request about a text; null if it is not open, or nothing is to be said.
    fn about(&self, params: Value, answer: Answer) -> Result<Value, String> {
        let about: About = serde_json::from_value(params).map_err(|error| error.to_string())?;
        let Some(text) = self.texts.get(&about.text_document.uri).filter(|text| text.len() <= RECORD_LIMIT) else {
            return Ok(Value::Null);
        };
        let places = Places::of(text);
        Ok(answer(self, &Asked { text, places: &places, about: &about })?.unwrap_or_default())
    }
}

/// A request about a text.
struct Asked<'a> {
    text: &'a str,
    places: &'a Places<'a>,
    about: &'a About,
}

impl Asked<'_> {
    /// The place that is asked about.
    fn at(&self) -> Result<usize, String> {
        let position = self.about.position.ok_or("the request has no `position`")?;
        Ok(self.places.offset(position))
    }
}

/// Answers a request; `None` if there is nothing to say.
type Answer = fn(&Server, &Asked<'_>) -> Result<Option<Value>, String>;

/// What may be asked about a text.
const QUESTIONS: [(&str, Answer); 6] = [
    ("hover", |server, asked| Ok(hover(asked.text, asked.at()?, server.markdown))),
    ("completion", |server, asked| {
        let now = (server.now)();
        Ok(editing::suggestions(asked.text, asked.at()?, now).map(|found| items(asked.places, &found)))
    }),
    ("formatting", |_, asked| Ok(formatted(asked.text, asked.places))),
    ("codeAction", |server, asked| {
        let range = asked.about.range.ok_or("the request has no `range`")?;
        // An editor that saves a file may ask for actions of other kinds alone.
        let fits = |kind: &String| ["", "quickfix"].contains(&kind.as_str());
        let is_wanted = asked.about.context.only.as_ref().is_none_or(|kinds| kinds.iter().any(fits));
        let now = (server.now)().filter(|_| is_wanted);
        Ok(now.and_then(|now| action(asked, asked.places.offset(range.end), now)))
    }),
    ("documentSymbol", |_, asked| Ok(Some(symbols(asked.text, asked.places)))),
    ("inlayHint", |_, asked| Ok(Some(due(asked.text, asked.places)))),
];

fn published(document: &Document, diagnostics: &Value) -> Value {
    let mut params = json!({ "uri": document.uri, "diagnostics": diagnostics });
    if let Some(version) = document.version {
        params["version"] = version.into();
    }
    json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params })
}

/// Everything that is wrong with a text.
fn faults(text: &str) -> Value {
    if text.len() > RECORD_LIMIT {
        let place = Position { line: 0, character: 0 };
        let what = format!("a record has at most {} MiB", RECORD_LIMIT >> 20);
        return json!([{ "range": Range { start: place, end: place }, "message": what }]);
    }
    let verdict = editing::judged(text);
    let places = Places::of(text);
    let fault = |error: &postrider_kernel::text::Diagnostic| {
        json!({
            "range": places.range(error.span),
            "severity": ERROR,
            "code": error.rule.unwrap_or(verdict.ruling.word()),
            "source": "postrider",
            "message": error.line(),
        })
    };
    verdict.errors.iter().map(fault).collect()
}

fn hover(text: &str, at: usize, markdown: bool) -> Option<Value> {
    let value = editing::hover(text, at, markdown)?;
    let kind = if markdown { "markdown" } else { "plaintext" };
    Some(json!({ "contents": { "kind": kind, "value": value } }))
}

fn items(places: &Places<'_>, found: &editing::Suggestions) -> Value {
    let range = places.range(found.span);
    let item = |(nth, one): (usize, &editing::Suggestion)| {
        json!({
            "label": one.label,
            "kind": VALUE,
            // As the game lists them.
            "sortText": format!("{nth:05}"),
            "filterText": one.sought,
            "textEdit": { "range": range, "newText": one.text },
        })
    };
    found.list.iter().enumerate().map(item).collect()
}

/// The canonical form of the whole record; nothing if it is not legal, or has that form.
fn formatted(text: &str, places: &Places<'_>) -> Option<Value> {
    let new_text = String::from_utf8(format(text.as_bytes()).ok()?).ok()?;
    let all = places.range(Span::new(0, text.len()));
    Some(if new_text == text { json!([]) } else { json!([{ "range": all, "newText": new_text }]) })
}

fn action(asked: &Asked<'_>, at: usize, now: Time) -> Option<Value> {
    let (span, line) = editing::canonical(asked.text, at, now)?;
    let title = format!("Write it as the canonical entry: {line}");
    let mut changes = serde_json::Map::new();
    let edit = json!([{ "range": asked.places.range(span), "newText": line }]);
    changes.insert(asked.about.text_document.uri.clone(), edit);
    Some(json!([{ "title": title, "kind": "quickfix", "edit": { "changes": changes }, "isPreferred": true }]))
}

fn symbols(text: &str, places: &Places<'_>) -> Value {
    let symbol = |entry: editing::EntryLine| {
        let range = places.range(entry.span);
        json!({ "name": printable(entry.span.text(text)), "kind": EVENT, "range": range, "selectionRange": range })
    };
    editing::entries(text).into_iter().map(symbol).collect()
}

fn due(text: &str, places: &Places<'_>) -> Value {
    let hint = |(at, said): (u32, String)| json!({ "position": places.position(at as usize), "label": said, "paddingLeft": true });
    editing::due(text).map(hint).into_iter().collect()
}
