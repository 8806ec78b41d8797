//! Verdicts as the answers hold them.

use serde_json::{Value, json};

use postrider_board::render::diagnostic;
use postrider_board::report::Report;
use postrider_kernel::Info;
use postrider_kernel::text::LineIndex;
use postrider_referee::verdict::Verdict;

/// How many faults are shown as excerpts.
const EXCERPTS: usize = 5;

/// The rulebook that contains a rule: the envelope's rules are in the one about records.
pub(super) fn book_of(rule: &str, game: Option<&'static Info>) -> &'static str {
    match rule.as_bytes().first() {
        Some(b'E') => "record",
        Some(b'Z') => "sealing",
        _ => game.map_or("record", |game| game.name),
    }
}

/// Returns a verdict with excerpts of what is wrong, as the answers hold it.
#[must_use]
pub fn judged(source: &[u8], verdict: &Verdict) -> Value {
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
