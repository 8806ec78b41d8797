//! What an editor shows of a record while it is edited: faults, boards, what may follow, the canonical line. Pure; places are byte
//! offsets in the text.

mod header;

use postrider_board::render::{Look, board};
use postrider_kernel::Viewer;
use postrider_kernel::text::{Diagnostic, Span};
use postrider_referee::facade::{Referee, open};
use postrider_referee::judging::Beside;
use postrider_referee::record::Time;
use postrider_referee::rulebook;
use postrider_referee::verdict::{Opened, Ruling, Verdict, verify};

/// The most suggestions at a place.
const SUGGESTED: usize = 500;

/// An entry's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryLine {
    /// Where it stands, without its end.
    pub span: Span,
    /// The number that it begins with.
    pub number: u32,
}

/// What may be written at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestions {
    /// What each of them replaces.
    pub span: Span,
    pub list: Vec<Suggestion>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What is shown.
    pub label: String,
    /// What an editor compares with what is typed there.
    pub sought: String,
    /// What is written if it is taken: of a whole entry with the time, if it is to have one.
    pub text: String,
}

/// Judges the text.
#[must_use]
pub fn judged(text: &str) -> Verdict {
    verify(text.as_bytes())
}

/// The line that holds a place, without its end.
fn line_at(text: &str, offset: usize) -> Span {
    let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let end = text.get(offset..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| offset + end);
    let length = text.get(start..end).unwrap_or_default().trim_end_matches('\r').len();
    Span::new(start, start + length)
}

/// Where the header ends.
fn body(text: &str) -> Option<usize> {
    let opened = text.strip_prefix("---")?;
    opened.find("\n---").map(|end| "---".len() + end + "\n---".len())
}

/// Lists the lines that begin as entries do.
#[must_use]
pub fn entries(text: &str) -> Vec<EntryLine> {
    let Some(mut at) = body(text) else { return Vec::new() };
    let mut entries = Vec::new();
    while let Some(end) = text.get(at..).and_then(|rest| rest.find('\n')) {
        at += end + 1;
        let span = line_at(text, at);
        let line = span.text(text);
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if let Some(number) = line.get(..digits).and_then(|number| number.parse().ok()) {
            entries.push(EntryLine { span, number });
        }
    }
    entries
}

/// The record up to a line, if it is legal and the game goes on: what can be continued there.
fn before<'t>(text: &'t str, line: Span) -> Option<Referee<'t>> {
    if line.start as usize <= body(text)? {
        return None;
    }
    let referee = open(text.get(..line.start as usize)?.as_bytes()).ok()?;
    let goes_on = referee.verdict().ruling == Ruling::Legal && referee.standing().outcome.is_none();
    goes_on.then_some(referee)
}

/// The number and the side of the entry that is due, as its line begins.
fn head(referee: &Referee<'_>) -> String {
    let standing = referee.standing();
    let side = referee.record().header.info.sides[standing.due.side.index()].word;
    format!("{} {side} ", standing.entries.saturating_add(1))
}

/// The time of an entry that is written now: none in a record without times.
fn beside(referee: &Referee<'_>, now: Time) -> Beside<'static> {
    let standing = referee.standing();
    let timed = standing.timed.unwrap_or(referee.record().header.clock.is_some());
    // Never before the entry that it follows (E3).
    let time = standing.last.filter(|last| last.0 > now.0).unwrap_or(now);
    Beside { time: timed.then_some(time), ..Beside::default() }
}

/// Suggests what may be written at a place: the entry that is due, the action that may come next in it, or a part of the header. `now` is
/// the time of an entry that is written now.
#[must_use]
pub fn suggestions(text: &str, offset: usize, now: Option<Time>) -> Option<Suggestions> {
    let end = body(text).unwrap_or(text.len());
    if text.starts_with("---") && offset <= end {
        return header::suggestions(text, text.get(..end)?, offset);
    }
    let line = line_at(text, offset);
    let typed = text.get(line.start as usize..offset)?;
    let referee = before(text, line)?;
    let head = head(&referee);
    let beside = now.map(|now| beside(&referee, now)).unwrap_or_default();
    let rest = typed.strip_prefix(&head);
    let is_head = rest.is_none() && head.starts_with(typed);
    let rest = rest.unwrap_or(if is_head { "" } else { typed });
    let begun = rest.rfind("; ").map_or("", |at| &rest[..at]);
    let part = rest[begun.len()..].trim_start_matches("; ");
    let actions = if begun.is_empty() { referee.moves() } else { referee.next(begun).ok()?.actions };
    // Without its number and side, an entry is replaced with them.
    let is_bare = !is_head && !typed.starts_with(&head);
    let start = if is_head || is_bare { line.start as usize } else { offset - part.len() };
    let sought = part.to_lowercase();
    let mut list = Vec::new();
    for action in actions {
        if list.len() >= SUGGESTED {
            break;
        }
        if is_bare && !action.to_lowercase().starts_with(&sought) {
            continue;
        }
        let entry = if begun.is_empty() { action.clone() } else { format!("{begun}; {action}") };
        let shown = match (is_head, is_bare) {
            (true, _) => format!("{head}{action}"),
            (_, true) => entry.clone(),
            _ => action,
        };
        let written = if is_bare { format!("{head}{entry}") } else { shown.clone() };
        let time = whole_at(&referee, &entry, &beside);
        // A turn that may end here may go on too, where turns are long.
        if time.is_some() && referee.record().header.info.stepwise {
            list.push(Suggestion { label: shown.clone(), sought: shown.clone(), text: written.clone() });
        }
        let text = written + time.as_deref().unwrap_or_default();
        let label = if list.last().is_some_and(|last| last.label == shown) { text.clone() } else { shown.clone() };
        list.push(Suggestion { label, sought: shown, text });
    }
    (!list.is_empty() || !is_bare).then(|| Suggestions { span: Span::new(start, offset), list })
}

/// What stands behind the actions of an entry that is whole and legal, if anything does: its time.
fn whole_at(referee: &Referee<'_>, entry: &str, beside: &Beside<'_>) -> Option<String> {
    beside.time?;
    let judged = referee.judge(entry, beside).ok()?;
    judged.line.rfind(" @").and_then(|at| judged.line.get(at..)).map(str::to_owned)
}

/// Returns the canonical line of the entry at a place, if what is written there is legal and is not that line: loosely typed, or without
/// its number, side or time.
#[must_use]
pub fn canonical(text: &str, offset: usize, now: Time) -> Option<(Span, String)> {
    let line = line_at(text, offset);
    let written = line.text(text);
    // A time or a message is the writer's own.
    if written.contains(['@', '{']) || matches!(written.trim_start().chars().next(), None | Some('#' | '~' | '=')) {
        return None;
    }
    let referee = before(text, line)?;
    let head = head(&referee);
    let typed = written.strip_prefix(&head).unwrap_or(written);
    let judged = referee.judge(typed.trim(), &beside(&referee, now)).ok()?;
    (judged.line != written).then_some((line, judged.line))
}

/// Describes the place: the faults there with the rule that is broken, or the board after the entry. In Markdown, or for an editor that
/// shows its marks as they are, without them.
#[must_use]
pub fn hover(text: &str, offset: usize, markdown: bool) -> Option<String> {
    let line = line_at(text, offset);
    let verdict = judged(text);
    let faults: Vec<&Diagnostic> =
        verdict.errors.iter().filter(|error| line_at(text, error.span.start as usize) == line).collect();
    if !faults.is_empty() {
        let game = verdict.game.map(|game| game.name);
        return Some(
            faults.into_iter().map(|fault| described(fault, game, markdown)).collect::<Vec<_>>().join("\n\n---\n\n"),
        );
    }
    let entry = entries(text).into_iter().find(|entry| entry.span == line)?;
    let mut opened = Opened::new(text.as_bytes()).ok()?;
    opened.replay(entry.number);
    let standing = opened.table.standing();
    if standing.entries != entry.number {
        return None;
    }
    let scene = opened.table.view(Viewer::Public);
    let (board, state) = (board(&scene, Look::default()), state(&opened));
    Some(if markdown { format!("```text\n{board}```\n{state}") } else { format!("{board}{state}") })
}

/// Who is due, or how the game ended.
fn state(opened: &Opened<'_>) -> String {
    let (standing, sides) = (opened.table.standing(), &opened.header.info.sides);
    match standing.outcome {
        Some(outcome) => outcome.text(sides),
        None => format!("{} due: {}", sides[standing.due.side.index()].word, standing.due.what),
    }
}

/// Returns what is said behind the last entry: who is due, or how the game ended.
#[must_use]
pub fn due(text: &str) -> Option<(u32, String)> {
    let referee = open(text.as_bytes()).ok()?;
    let standing = referee.standing();
    let last = entries(text).into_iter().rfind(|entry| entry.number == standing.entries)?;
    (referee.verdict().ruling == Ruling::Legal).then(|| (last.span.end, state(referee.record())))
}

/// A fault with the text of the rule that is broken.
fn described(fault: &Diagnostic, game: Option<&str>, markdown: bool) -> String {
    // Whatever a record says is text, not markup.
    let escaped = |c: char| {
        let mark = (markdown && c.is_ascii_punctuation()).then_some('\\');
        mark.into_iter().chain([c])
    };
    let said: String = fault.line().chars().flat_map(escaped).collect();
    let rule = fault.rule.and_then(|rule| {
        let own = game.and_then(rulebook::find).and_then(|book| book.section(rule));
        own.or_else(|| rulebook::all().find_map(|book| book.section(rule)))
    });
    match rule {
        None => said,
        Some(rule) if markdown => format!("{said}\n\n{rule}"),
        Some(rule) => format!("{said}\n\n{}", plain(&rule)),
    }
}

/// A rule as it is read without Markdown: its title without marks, and its text without the examples, which are whole records.
fn plain(rule: &str) -> String {
    let mut in_example = false;
    let mut lines: Vec<&str> = Vec::new();
    for line in rule.lines() {
        if line.starts_with("```") {
            in_example = !in_example;
        } else if !in_example && (!line.is_empty() || lines.last().is_none_or(|last| !last.is_empty())) {
            lines.push(line.trim_start_matches('#').trim_start());
        }
    }
    lines.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "---\npbem: 1\ngame: asalto\nid: asalto-edited-1\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: \
                        Bram}\nstarted: 2026-11-21\n---\n";
    const NOW: Time = Time(1_795_000_000);

    fn at_end(typed: &str) -> (String, usize) {
        let text = format!("{HEAD}1 defenders place c6 e6\n{typed}");
        let end = text.len();
        (text, end)
    }

    /// The record with each suggestion taken.
    fn taken(text: &str, found: &Suggestions) -> Vec<String> {
        let before = &text[..found.span.start as usize];
        found.list.iter().map(|one| format!("{before}{}\n", one.text)).collect()
    }

    #[test]
    fn the_entry_that_is_due_is_suggested_with_its_number_and_side() {
        for typed in ["", "2", "2 besieg"] {
            let (text, end) = at_end(typed);
            let found = suggestions(&text, end, None).unwrap();
            assert_eq!(found.span, Span::new(end - typed.len(), end), "{typed}");
            assert!(found.list.iter().any(|one| one.label == "2 besiegers c4-c5"), "{:?}", found.list);
        }
        let (text, end) = at_end("2 besiegers c4");
        let found = suggestions(&text, end, None).unwrap();
        assert_eq!((found.span, found.list.iter().any(|one| one.text == "c4-c5")), (Span::new(end - 2, end), true));
        for nothing in ["2 defenders ", "z9", "# c4"] {
            let (text, end) = at_end(nothing);
            assert_eq!(suggestions(&text, end, None), None, "{nothing}");
        }
        assert_eq!(suggestions("", 0, None), None);
    }

    #[test]
    fn an_entry_without_its_number_is_suggested_with_it() {
        for typed in ["c4", "C4-", "c4-c5"] {
            let (text, end) = at_end(typed);
            let found = suggestions(&text, end, None).unwrap();
            assert_eq!(found.span, Span::new(end - typed.len(), end));
            let texts: Vec<_> = found.list.iter().map(|one| one.text.as_str()).collect();
            assert_eq!(texts, ["2 besiegers c4-c5"], "{typed}");
            assert_eq!(found.list[0].sought, "c4-c5");
        }
    }

    #[test]
    fn every_suggestion_that_is_taken_makes_a_legal_line_with_a_time_where_there_are_times() {
        let timed = format!("{HEAD}1 defenders place c6 e6 @2026-11-21T10:15:00Z\n");
        for typed in ["", "2 ", "2 besiegers ", "2 besiegers c4", "c4", "b"] {
            let text = format!("{timed}{typed}");
            let found = suggestions(&text, text.len(), Some(NOW)).unwrap();
            for record in taken(&text, &found) {
                let verdict = judged(&record);
                assert_eq!((verdict.ruling, verdict.entries), (Ruling::Legal, 2), "{record}");
                assert!(record.ends_with(" @2026-11-21T10:15:00Z\n"), "{record}");
            }
        }
        // In a record without times there is none.
        let (text, end) = at_end("c4");
        let found = suggestions(&text, end, Some(NOW)).unwrap();
        assert!(taken(&text, &found).iter().all(|record| judged(record).entries == 2 && !record.contains('@')));
    }

    #[test]
    fn a_long_turn_is_suggested_action_by_action_until_it_is_whole() {
        let record = include_str!("../../../../examples/subsume/a-city-built-and-lost.pbem");
        let (header, lines) = record.split_once("\n---\n").unwrap();
        let mut text = format!("{header}\n---\n");
        for line in lines.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).take(12) {
            let line_start = text.len();
            let written = line.split(" @").next().unwrap().split(" {").next().unwrap();
            let (_, entry) = written.split_once(' ').unwrap().1.split_once(' ').unwrap();
            let head = &written[..written.len() - entry.len()];
            let mut begun = head.to_owned();
            for action in entry.split("; ") {
                let asked = format!("{text}{begun}");
                let found = suggestions(&asked, asked.len(), Some(NOW)).unwrap();
                let legal = taken(&asked, &found).into_iter().filter(|record| judged(record).ruling == Ruling::Legal);
                // What is whole is legal as it is taken; what is not goes on.
                let whole = found.list.iter().filter(|one| one.text.contains(" @")).count();
                assert!(legal.count() >= whole, "{asked}");
                begun = format!("{begun}{}{action}", if begun == head { "" } else { "; " });
                begun = begun.replace("; ; ", "; ");
                if !entry.ends_with(action) {
                    begun.push_str("; ");
                }
            }
            text.truncate(line_start);
            text.push_str(line);
            text.push('\n');
        }
    }

    #[test]
    fn a_loosely_typed_entry_becomes_the_canonical_line() {
        for typed in ["c4-c5", "2 besiegers C4-C5", " c4-c5 "] {
            let (text, end) = at_end(typed);
            let found = canonical(&text, end, NOW);
            assert_eq!(found, Some((Span::new(end - typed.len(), end), "2 besiegers c4-c5".to_owned())), "{typed}");
        }
        for typed in ["2 besiegers c4-c5", "b4-b3", "", "# a remark", "c4-c5 @2026-11-21T10:00:00Z"] {
            let (text, end) = at_end(typed);
            assert_eq!(canonical(&text, end, NOW), None, "{typed}");
        }
        // In a record with times it gets one, which is never before the last.
        let text = format!("{HEAD}1 defenders place c6 e6 @2030-01-01T00:00:00Z\nc4-c5");
        let (_, line) = canonical(&text, text.len(), NOW).unwrap();
        assert_eq!(line, "2 besiegers c4-c5 @2030-01-01T00:00:00Z");
    }

    #[test]
    fn a_place_is_described_by_its_board_or_by_the_rule_that_is_broken() {
        let (text, end) = at_end("2 besiegers b4-b3\n");
        let fault = hover(&text, end - 3, true).unwrap();
        assert!(fault.contains("b4\\-b3") && fault.contains("### T21 never backwards"), "{fault}");
        let plain = hover(&text, end - 3, false).unwrap();
        assert!(plain.contains("b4-b3") && plain.contains("\n\nT21 never backwards\n"), "{plain}");
        assert!(!plain.contains('\\') && !plain.contains("```") && !plain.contains("pbem: 1"), "{plain}");
        let board = hover(&text, HEAD.len() + 4, false).unwrap();
        assert!(!board.contains("```") && board.ends_with("\nbesiegers due: a move"), "{board}");
        let board = hover(&text, HEAD.len() + 4, true).unwrap();
        assert!(board.starts_with("```text\n") && board.ends_with("besiegers due: a move"), "{board}");
        assert_eq!(due(&text), None, "nothing is due behind a fault");
        let (text, _) = at_end("");
        let (place, said) = due(&text).unwrap();
        assert_eq!((place as usize, said.as_str()), (text.len() - 1, "besiegers due: a move"));
        assert_eq!(entries(&text).len(), 1);
    }
}
