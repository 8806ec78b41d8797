//! A language server for records, over standard input and output. What it shows is decided in [`crate::editing`].

use std::collections::HashMap;

use lsp_server::{Connection, Message, Notification, Request, Response};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams, CodeActionProviderCapability,
    CompletionItem, CompletionItemKind, CompletionOptions, CompletionParams, CompletionTextEdit, Diagnostic,
    DiagnosticSeverity, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentFormattingParams, DocumentSymbol, DocumentSymbolParams, Hover, HoverContents, HoverParams,
    HoverProviderCapability, InlayHint, InlayHintLabel, InlayHintParams, MarkupContent, MarkupKind, NumberOrString,
    OneOf, Position, PublishDiagnosticsParams, Range, ServerCapabilities, SymbolKind, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextEdit, Uri, WorkspaceEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::editing;
use postrider_kernel::text::{Span, printable};
use postrider_referee::record::{RECORD_LIMIT, Time};
use postrider_referee::verdict::format;

/// How a request failed, in the protocol's numbers.
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

/// Serves an editor until it is done. `now` tells the time.
///
/// # Errors
/// If the editor is gone before that.
pub fn serve(now: fn() -> Option<Time>) -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let (id, client) = connection.initialize_start().map_err(|error| error.to_string())?;
    let about = json!({
        "capabilities": capabilities(),
        "serverInfo": { "name": "postrider", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, about).map_err(|error| error.to_string())?;
    let mut open = Documents { texts: HashMap::new(), now, markdown: takes_markdown(&client) };
    for message in &connection.receiver {
        let answer = match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request).map_err(|error| error.to_string())? {
                    break;
                }
                Some(Message::Response(open.answer(request)))
            }
            Message::Notification(notification) => open.notice(notification).map(Message::Notification),
            Message::Response(_) => None,
        };
        if let Some(answer) = answer
            && connection.sender.send(answer).is_err()
        {
            break;
        }
    }
    drop(connection);
    threads.join().map_err(|error| error.to_string())
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![" ".into(), ";".into()]),
            ..CompletionOptions::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}

/// Returns whether the editor shows Markdown. Who does not say what it shows is taken to.
fn takes_markdown(client: &Value) -> bool {
    let formats = &client["capabilities"]["textDocument"]["hover"]["contentFormat"];
    formats.as_array().is_none_or(|formats| formats.iter().any(|format| format == "markdown"))
}

/// The texts that the editor has open, and whether it shows Markdown.
struct Documents {
    texts: HashMap<String, String>,
    now: fn() -> Option<Time>,
    markdown: bool,
}

impl Documents {
    /// Takes what the editor says; returns what is to be said of it.
    fn notice(&mut self, notification: Notification) -> Option<Notification> {
        let (uri, text) = match notification.method.as_str() {
            "textDocument/didOpen" => {
                let params: DidOpenTextDocumentParams = serde_json::from_value(notification.params).ok()?;
                (params.text_document.uri, params.text_document.text)
            }
            "textDocument/didChange" => {
                let mut params: DidChangeTextDocumentParams = serde_json::from_value(notification.params).ok()?;
                (params.text_document.uri, params.content_changes.pop()?.text)
            }
            "textDocument/didClose" => {
                let params: DidCloseTextDocumentParams = serde_json::from_value(notification.params).ok()?;
                self.texts.remove(params.text_document.uri.as_str());
                return Some(published(params.text_document.uri, Vec::new()));
            }
            _ => return None,
        };
        let faults = faults(&text);
        self.texts.insert(uri.as_str().to_owned(), text);
        Some(published(uri, faults))
    }

    fn answer(&self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let answered = match method.as_str() {
            "textDocument/hover" => self.with(
                params,
                |params: &HoverParams| {
                    let at = &params.text_document_position_params;
                    (&at.text_document.uri, Some(at.position))
                },
                |text, at, _| hover(text, at, self.markdown),
            ),
            "textDocument/completion" => self.with(
                params,
                |params: &CompletionParams| {
                    let at = &params.text_document_position;
                    (&at.text_document.uri, Some(at.position))
                },
                |text, at, _| editing::suggestions(text, at).map(|found| items(text, &found)),
            ),
            "textDocument/formatting" => self.with(
                params,
                |params: &DocumentFormattingParams| (&params.text_document.uri, None),
                |text, _, _| formatted(text),
            ),
            "textDocument/codeAction" => self.with(
                params,
                |params: &CodeActionParams| (&params.text_document.uri, Some(params.range.end)),
                // An editor that saves a file may ask for actions of other kinds alone.
                |text, at, params| {
                    let wanted = params.context.only.as_ref();
                    let fits = |kind: &CodeActionKind| ["", "quickfix"].contains(&kind.as_str());
                    let is_wanted = wanted.is_none_or(|kinds| kinds.iter().any(fits));
                    if is_wanted { action(text, at, (self.now)()?, &params.text_document.uri) } else { None }
                },
            ),
            "textDocument/documentSymbol" => self.with(
                params,
                |params: &DocumentSymbolParams| (&params.text_document.uri, None),
                |text, _, _| Some(symbols(text)),
            ),
            "textDocument/inlayHint" => self.with(
                params,
                |params: &InlayHintParams| (&params.text_document.uri, None),
                |text, _, _| Some(due(text)),
            ),
            _ => return Response::new_err(id, METHOD_NOT_FOUND, format!("there is no {}", printable(&method))),
        };
        match answered {
            Ok(value) => Response::new_ok(id, value),
            Err(what) => Response::new_err(id, INVALID_PARAMS, what),
        }
    }

    /// Answers a request about a text; null if it is not open, or nothing is to be said.
    fn with<P: DeserializeOwned, R: Serialize>(
        &self,
        params: Value,
        about: impl Fn(&P) -> (&Uri, Option<Position>),
        answer: impl Fn(&str, usize, &P) -> Option<R>,
    ) -> Result<Value, String> {
        let params: P = serde_json::from_value(params).map_err(|error| error.to_string())?;
        let (uri, position) = about(&params);
        let Some(text) = self.texts.get(uri.as_str()).filter(|text| text.len() <= RECORD_LIMIT) else {
            return Ok(Value::Null);
        };
        let at = position.map_or(0, |position| offset(text, position));
        serde_json::to_value(answer(text, at, &params)).map_err(|error| error.to_string())
    }
}

fn published(uri: Uri, diagnostics: Vec<Diagnostic>) -> Notification {
    let params = PublishDiagnosticsParams { uri, diagnostics, version: None };
    Notification::new("textDocument/publishDiagnostics".to_owned(), params)
}

/// Everything that is wrong with a text.
fn faults(text: &str) -> Vec<Diagnostic> {
    if text.len() > RECORD_LIMIT {
        let what = format!("a record has at most {} MiB", RECORD_LIMIT >> 20);
        return vec![Diagnostic::new_simple(Range::default(), what)];
    }
    let verdict = editing::judged(text);
    let fault = |error: &postrider_kernel::text::Diagnostic| Diagnostic {
        range: range(text, error.span),
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String(error.rule.unwrap_or(verdict.ruling.word()).to_owned())),
        source: Some("postrider".to_owned()),
        message: error.line(),
        ..Diagnostic::default()
    };
    verdict.errors.iter().map(fault).collect()
}

fn hover(text: &str, at: usize, markdown: bool) -> Option<Hover> {
    let value = editing::hover(text, at, markdown)?;
    let kind = if markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
    Some(Hover { contents: HoverContents::Markup(MarkupContent { kind, value }), range: None })
}

fn items(text: &str, found: &editing::Suggestions) -> Vec<CompletionItem> {
    let range = range(text, found.span);
    let item = |(nth, new): (usize, &String)| CompletionItem {
        label: new.clone(),
        kind: Some(CompletionItemKind::VALUE),
        // As the game lists them.
        sort_text: Some(format!("{nth:05}")),
        filter_text: Some(new.clone()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: new.clone() })),
        ..CompletionItem::default()
    };
    found.texts.iter().enumerate().map(item).collect()
}

/// The canonical form of the whole record; nothing if it is not legal, or has that form.
fn formatted(text: &str) -> Option<Vec<TextEdit>> {
    let new_text = String::from_utf8(format(text.as_bytes()).ok()?).ok()?;
    let all = range(text, Span::new(0, text.len()));
    Some(if new_text == text { Vec::new() } else { vec![TextEdit { range: all, new_text }] })
}

#[allow(clippy::mutable_key_type)] // The protocol's own type of an edit.
fn action(text: &str, at: usize, now: Time, uri: &Uri) -> Option<Vec<CodeActionOrCommand>> {
    let (span, line) = editing::canonical(text, at, now)?;
    let title = format!("Write it as the canonical entry: {line}");
    let edit = TextEdit { range: range(text, span), new_text: line };
    let changes = HashMap::from([(uri.clone(), vec![edit])]);
    Some(vec![CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        is_preferred: Some(true),
        ..CodeAction::default()
    })])
}

#[allow(deprecated)] // The protocol's type has a field that is deprecated and cannot be left out.
fn symbols(text: &str) -> Vec<DocumentSymbol> {
    let symbol = |entry: editing::EntryLine| DocumentSymbol {
        name: printable(entry.span.text(text)).into_owned(),
        detail: None,
        kind: SymbolKind::EVENT,
        tags: None,
        deprecated: None,
        range: range(text, entry.span),
        selection_range: range(text, entry.span),
        children: None,
    };
    editing::entries(text).into_iter().map(symbol).collect()
}

fn due(text: &str) -> Vec<InlayHint> {
    let hint = |(at, said): (u32, String)| InlayHint {
        position: position(text, at as usize),
        label: InlayHintLabel::String(said),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    editing::due(text).map(hint).into_iter().collect()
}

fn range(text: &str, span: Span) -> Range {
    Range { start: position(text, span.start as usize), end: position(text, span.end as usize) }
}

/// The place of an offset: a line from 0, and how many units of UTF-16 come before it there.
fn position(text: &str, at: usize) -> Position {
    let before = text.get(..at.min(text.len())).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Position {
        line: number(before.bytes().filter(|byte| *byte == b'\n').count()),
        character: number(before[start..].encode_utf16().count()),
    }
}

/// The offset of a place; of one behind the end of its line, the end.
fn offset(text: &str, place: Position) -> usize {
    let mut start = 0;
    for _ in 0..place.line {
        match text[start..].find('\n') {
            Some(end) => start += end + 1,
            None => return text.len(),
        }
    }
    let line = text[start..].lines().next().unwrap_or_default();
    let mut units = 0;
    for (at, character) in line.char_indices() {
        if units >= place.character {
            return start + at;
        }
        units += character.len_utf16() as u32;
    }
    start + line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_units_of_utf_16() {
        let text = "a\r\n\u{1f600}b\u{e4}c\n";
        for (at, line, character) in
            [(0, 0, 0), (1, 0, 1), (3, 1, 0), (7, 1, 2), (8, 1, 3), (10, 1, 4), (11, 1, 5), (12, 2, 0)]
        {
            assert_eq!(position(text, at), Position { line, character }, "{at}");
            assert_eq!(offset(text, Position { line, character }), at, "{line}:{character}");
        }
        assert_eq!(offset(text, Position { line: 0, character: 99 }), 1);
        assert_eq!(offset(text, Position { line: 9, character: 0 }), text.len());
        assert_eq!(position(text, 99), Position { line: 2, character: 0 });
    }
}
