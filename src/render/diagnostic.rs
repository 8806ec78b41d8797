//! One finding, shown in one of three ways: as an excerpt with a caret, as one line, or (by the command line) as JSON.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::text::{Diagnostic, LineIndex, printable};

/// The most characters of a line that are shown on each side of the fault.
const WINDOW: usize = 60;

/// Returns the one-line form: `T21: b4-b3: a besieger may not go back; from b4 it may go to a5, b5 or c5`. If no rule
/// is broken, `word` (`malformed`, `unjudged`) takes the place of the rule.
#[must_use]
pub fn line(diagnostic: &Diagnostic, word: &str) -> String {
    format!("{}: {}", diagnostic.rule.unwrap_or(word), diagnostic.line())
}

/// Returns the long form: the message, the source line with a caret below the fault, what would be right, and hints on
/// what to type. `origin` names the source. With `colour` the text contains escape sequences for a terminal.
#[must_use]
pub fn excerpt(diagnostic: &Diagnostic, index: &LineIndex<'_>, origin: &str, hints: &[String], colour: bool) -> String {
    let place = index.place(diagnostic.span.start as usize);
    let line = String::from_utf8_lossy(index.line(place.line));
    let before: String = line.chars().take(place.column - 1).collect();
    let length = (diagnostic.span.end.saturating_sub(diagnostic.span.start)) as usize;
    let behind = &line[before.len().min(line.len())..];
    let marked: String = behind.char_indices().take_while(|(offset, _)| *offset < length).map(|(_, c)| c).collect();
    let rest = &behind[marked.len()..];
    // A line can be 64 KiB long, so only the part around the fault is shown, and nothing in it may control a terminal.
    let head = printable(&tail(&before)).into_owned();
    let body = printable(&cut(&marked)).into_owned();
    let text = format!("{head}{body}{}", printable(&cut(rest)));
    let next = text[head.len()..].chars().next().map_or(0, char::len_utf8);
    let span = head.len()..head.len() + body.len().max(next);
    let message = printable(&diagnostic.message).into_owned();
    let title = match diagnostic.rule {
        Some(rule) => Level::ERROR.primary_title(&message).id(rule),
        None => Level::ERROR.primary_title(&message),
    };
    let snippet =
        Snippet::source(&text).line_start(place.line).path(origin).annotation(AnnotationKind::Primary.span(span));
    let mut group = title.element(snippet);
    let help = diagnostic.help.as_deref().map(|help| printable(help).into_owned());
    if let Some(help) = &help {
        group = group.element(Level::NOTE.message(help));
    }
    for hint in hints {
        group = group.element(Level::HELP.message(hint));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(WINDOW) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn tail(text: &str) -> String {
    match text.char_indices().rev().nth(WINDOW) {
        Some((start, _)) => format!("...{}", &text[start..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Span;

    #[test]
    fn an_excerpt_shows_the_line_with_a_caret_and_no_escapes() {
        let source = "---\n1 white \u{1b}[31mc4-c5\n";
        let diagnostic = Diagnostic { rule: Some("T2"), ..Diagnostic::fault(Span::new(17, 22), "no\u{7}") };
        let text = excerpt(&diagnostic, &LineIndex::new(source.as_bytes()), "a.pbem", &["type this".into()], false);
        assert!(text.contains("a.pbem:2") && text.contains("error[T2]") && text.contains("^^^^^"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text}");
        assert!(text.contains("type this"), "{text}");
    }

    #[test]
    fn an_excerpt_of_any_text_never_panics() {
        let long = "é".repeat(70_000);
        for source in ["", "\n", "a", "né\u{1b}é\n", long.as_str()] {
            for (start, end) in [(0, 0), (0, 1), (1, 1), (5, 9), (3, 140_000)] {
                let diagnostic = Diagnostic::fault(Span::new(start, end), "");
                assert!(excerpt(&diagnostic, &LineIndex::new(source.as_bytes()), "x", &[], true).len() < 4000);
            }
        }
    }
}
