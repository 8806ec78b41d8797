//! What letters of hosts list, where one is sent back or on without any mark: what may be written there, moves, answers to tap. Nobody
//! wrote that, whatever sentence stands above it.

use super::marks::is_quoted;
use crate::note::{OVER_LINKS, OVER_LISTS, STOP};

/// What stands for a letter that is marked.
const MARKED: &str = "> \u{2026}";
/// How many lines a sentence may be broken into.
const BROKEN: usize = 4;
/// How such a letter begins, and the longest line with which it does, in characters.
const GREETING: &str = "Hello";
const LONGEST: usize = 60;

/// Puts a quoted line in place of each whole letter of a host that nothing marks as quoted.
pub(super) fn mark_letters(lines: &mut Vec<String>) {
    let mut from = 0;
    while let Some((begins, ends)) = letter(lines, from) {
        lines.splice(begins..ends, [MARKED.to_owned()]);
        from = begins + 1;
    }
}

/// Removes lists, and what stands over them.
pub(super) fn remove(lines: &mut Vec<String>) {
    let mut from = 0;
    while let Some((begins, ends)) = list(lines, from) {
        lines.drain(begins..ends);
        from = begins;
    }
}

/// Where the next whole letter begins and ends.
fn letter(lines: &[String], from: usize) -> Option<(usize, usize)> {
    let found = |text: &str| {
        (from..lines.len()).find_map(|at| {
            let rest = lines.get(at..).filter(|rest| rest.first().is_some_and(|line| !is_quoted(line)))?;
            Some((at, at + sentence(rest, text)?))
        })
    };
    // What was HTML may have lost its end, and nothing shows where the links below that sentence end.
    let by_links = || OVER_LINKS.iter().filter_map(|over| found(over)).min().map(|(at, _)| (at, lines.len()));
    let (at, end) = found(STOP).or_else(by_links)?;
    let is_greeting = |at: &usize| {
        let line = lines.get(*at).map_or("", String::as_str);
        let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        !is_quoted(line) && bare.starts_with(GREETING) && bare.ends_with(',') && bare.chars().count() <= LONGEST
    };
    // A writer may have greeted above it.
    Some(((from..at).rev().find(is_greeting).unwrap_or(at), end))
}

/// Where the next list begins, with what stands over it, and ends.
fn list(lines: &[String], from: usize) -> Option<(usize, usize)> {
    let over = |at: usize| {
        let rest = lines.get(at..)?;
        OVER_LISTS.iter().find_map(|over| sentence(rest, over)).map(|count| (at, count))
    };
    let (at, count) = (from..lines.len()).find_map(over)?;
    let behind = lines.get(at + count..).unwrap_or_default();
    let blank = behind.iter().take_while(|line| is_blank(line)).count();
    let listed = behind.iter().skip(blank).take_while(|line| !is_blank(line)).count();
    Some((at, at + count + blank + listed))
}

/// The letters and digits of a text: marks before its lines, and where they are broken, do not count.
fn solid(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn is_blank(line: &str) -> bool {
    !line.contains(char::is_alphanumeric)
}

/// How many lines a sentence takes that begins here; `None` if something else stands here.
fn sentence(lines: &[String], sentence: &str) -> Option<usize> {
    let whole = solid(sentence);
    let mut rest = whole.as_str();
    for (nth, line) in lines.iter().take(BROKEN).enumerate() {
        rest = rest.strip_prefix(&solid(line)).filter(|_| !is_blank(line))?;
        if rest.is_empty() {
            return Some(nth + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> String {
        let mut lines = text.lines().map(str::to_owned).collect();
        mark_letters(&mut lines);
        remove(&mut lines);
        lines.join("\n")
    }

    #[test]
    fn a_letter_of_a_host_is_marked_whole_and_what_stands_around_it_stays() {
        let letter = format!("Hello Ada,\n\nWrite one of these:\n\nplay asalto\ngames\n-----\n\n{STOP}");
        let (first, second) = STOP.split_at(STOP.find(" or ").unwrap());
        let broken = letter.replace(STOP, &format!("{first}\n{}", second.trim_start()));
        for letter in [&letter, &broken] {
            assert_eq!(left(letter), MARKED);
            let around = |letter: &str| format!("Hello,\nplay asalto\n\n{letter}\n\nmy games");
            assert_eq!(left(&around(letter)), around(MARKED));
            assert_eq!(left(&format!("{letter}\nHi\n{letter}")), format!("{MARKED}\nHi\n{MARKED}"));
            let quoted: String = letter.lines().map(|line| format!("> {line}\n")).collect();
            assert_eq!(left(&quoted), quoted.trim_end());
        }
        assert_eq!(left(&letter.replace(STOP, "no more letters")), letter.replace(STOP, "no more letters"));
    }

    #[test]
    fn a_list_is_removed_with_what_stands_over_it() {
        for over in OVER_LISTS.iter().filter(|over| !OVER_LINKS.contains(over)) {
            assert_eq!(left(&format!("Hi\n{over}\n\nc4-c5\nd4-d5\n\nc6-c5")), "Hi\n\nc6-c5", "{over}");
            assert_eq!(left(&format!("{over}\nc4-c5")), "", "{over}");
        }
        for over in OVER_LINKS {
            assert_eq!(
                left(&format!("Hi\n\nHello Ada,\nRead this.\n\n{over}\n\none\n\ntwo")),
                format!("Hi\n\n{MARKED}")
            );
        }
    }
}
