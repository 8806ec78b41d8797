//! One finding, shown in one of three ways: as an excerpt with a caret, as one line, or (by the command line) as JSON.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::sheet::folded;
use postrider_kernel::text::{Diagnostic, LineIndex, printable};

/// The most characters of a line that are shown on each side of the fault.
const WINDOW: usize = 60;
/// The widest excerpt, in columns.
const MOST: usize = 140;
/// The width of the head before a message, in columns.
const HEAD: usize = 14;

/// Returns the one-line form: `T21: b4-b3: a besieger may not go back; from b4 it may go to a5, b5 or c5`. If no rule
/// is broken, `word` (`malformed`, `unjudged`) takes the place of the rule.
#[must_use]
pub fn line(diagnostic: &Diagnostic, word: &str) -> String {
    format!("{}: {}", diagnostic.rule.unwrap_or(word), diagnostic.line())
}

/// Returns the long form: the message, the source line with a caret below the fault, what would be right, and hints on what to
/// type. `origin` names the source. With a `screen` the text has escape sequences for a terminal and is wrapped to its columns.
#[must_use]
pub fn excerpt(
    diagnostic: &Diagnostic,
    index: &LineIndex<'_>,
    origin: &str,
    hints: &[String],
    screen: Option<usize>,
) -> String {
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
    // The widest heads are `error[T20]: ` and, beside a three-digit line number, ` = note: `.
    let fitting = |text: &str| match screen {
        Some(columns) => folded(text, columns.saturating_sub(HEAD).max(HEAD)).join("\n"),
        None => text.to_owned(),
    };
    let message = fitting(&printable(&diagnostic.message));
    let title = match diagnostic.rule {
        Some(rule) => Level::ERROR.primary_title(&message).id(rule),
        None => Level::ERROR.primary_title(&message),
    };
    let snippet =
        Snippet::source(&text).line_start(place.line).path(origin).annotation(AnnotationKind::Primary.span(span));
    let mut group = title.element(snippet);
    let help = diagnostic.help.as_deref().map(|help| fitting(&printable(help)));
    if let Some(help) = &help {
        group = group.element(Level::NOTE.message(help));
    }
    for hint in hints {
        group = group.element(Level::HELP.message(fitting(hint)));
    }
    let renderer = match screen {
        Some(columns) => Renderer::styled().term_width(columns.min(MOST)),
        None => Renderer::plain(),
    };
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
    use postrider_kernel::text::Span;

    #[test]
    fn an_excerpt_shows_the_line_with_a_caret_and_no_escapes() {
        let source = "---\n1 white \u{1b}[31mc4-c5\n";
        let diagnostic = Diagnostic { rule: Some("T2"), ..Diagnostic::fault(Span::new(17, 22), "no\u{7}") };
        let text = excerpt(&diagnostic, &LineIndex::new(source.as_bytes()), "a.pbem", &["type this".into()], None);
        assert!(text.contains("a.pbem:2") && text.contains("error[T2]") && text.contains("^^^^^"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text}");
        assert!(text.contains("type this"), "{text}");
    }

    #[test]
    fn an_excerpt_fits_a_narrow_screen() {
        let source = "1 white c4-c5\n";
        let message = "a besieger may not step along a dotted line, whatever lies there";
        let help = Some("from c4 it may go to c5, which is free, or to any other free point ahead of it".into());
        let diagnostic = Diagnostic { help, ..Diagnostic::fault(Span::new(8, 13), message) };
        let index = LineIndex::new(source.as_bytes());
        let hint = ["`postrider moves game.pbem` lists every legal entry".into()];
        let text =
            anstream::adapter::strip_str(&excerpt(&diagnostic, &index, "game.pbem", &hint, Some(40))).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(words(&text).windows(2).any(|pair| pair == ["from", "c4"]), "{text}");
    }

    #[test]
    fn an_excerpt_of_any_text_never_panics() {
        let long = "é".repeat(70_000);
        for source in ["", "\n", "a", "né\u{1b}é\n", long.as_str()] {
            for (start, end) in [(0, 0), (0, 1), (1, 1), (5, 9), (3, 140_000)] {
                let diagnostic = Diagnostic::fault(Span::new(start, end), "");
                assert!(excerpt(&diagnostic, &LineIndex::new(source.as_bytes()), "x", &[], Some(40)).len() < 4000);
            }
        }
    }
}
