//! The signs by which a line is known: of a quotation, a rule, a signature, a header of an old letter.

use crate::understand::has_notation;
use crate::words::Meaning;

/// The most words and characters of a line that says with what a letter was sent.
const MAX_SENT_WITH: (usize, usize) = (16, 140);
/// Among how many words it names the phone or the program.
const NEAR: usize = 9;
/// What stands in a phrase for what a letter was sent with.
const GAP: char = '\u{2026}';
/// A program that is offered where a letter ends, and for what.
const OFFERED: (&str, &[&str]) = ("outlook", &["ios", "android", "mac", "windows"]);
/// What stands round a separator.
const DECORATION: &[char] = &[
    '-', '=', '*', '_', '#', '~', '<', '>', '|', '+', '.', ':', '\u{ff1a}', '"', '[', ']', '(', ')', '\u{2010}',
    '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2500}', '\u{2501}', '\u{ff0d}', '\u{201e}',
    '\u{201c}', '\u{201d}', '\u{ab}', '\u{bb}', '\u{b7}', '\u{2022}', ' ',
];

/// Returns whether a line is quoted: after `>` or `|` or a sign that some program writes in their place, or after the writer's initials
/// and such an angle.
pub(super) fn is_quoted(line: &str) -> bool {
    let initials = line.chars().take_while(|c| c.is_alphabetic()).count();
    let after = line.chars().nth(initials);
    line.starts_with(is_angle)
        || line.starts_with(is_bar)
        || (initials <= 4 && after.is_some_and(is_angle) && !line.contains("->"))
}

/// An angle or an arrowhead that points to what is quoted. A plain arrow is none: it may stand before a move.
fn is_angle(c: char) -> bool {
    matches!(
        c,
        '>' | '\u{bb}' | '\u{203a}' | '\u{226b}' | '\u{22d9}' | '\u{27e9}' | '\u{27eb}' | '\u{2a20}' | '\u{2aa2}' | '\u{3009}'
            | '\u{300b}' | '\u{fe65}' | '\u{ff1e}' | '\u{1433}' | '\u{227b}'
            | '\u{276d}' | '\u{276f}' | '\u{2771}' | '\u{2794}' | '\u{279c}' | '\u{27a2}'..='\u{27a4}'
            | '\u{25b6}'..='\u{25bb}' | '\u{2b9e}' | '\u{1f782}'
    )
}

/// A bar down the side of what is quoted.
fn is_bar(c: char) -> bool {
    matches!(
        c,
        '|' | '\u{a6}' | '\u{2016}' | '\u{23ae}' | '\u{23b8}' | '\u{23b9}' | '\u{23d0}' | '\u{2758}'..='\u{275a}' | '\u{ff5c}' | '\u{ffe4}' | '\u{ffe8}'
            | '\u{2502}' | '\u{2503}' | '\u{2506}' | '\u{2507}' | '\u{250a}' | '\u{250b}' | '\u{251c}' | '\u{2520}'
            | '\u{254e}' | '\u{254f}' | '\u{2551}' | '\u{257d}' | '\u{257f}' | '\u{2588}'..='\u{2590}' | '\u{2595}'
    )
}

/// Marks that some programs put before each line that they quote, where nobody puts them before a line of a list.
const ODD_MARKS: &[char] = &[':', '%', '}', ']', '~', '!', '$', '&', '/', '=', '#', '\u{a7}', '\u{ac}'];
/// In how many lines below each other such a mark quotes.
const ODD_LINES: usize = 3;

/// Puts the usual mark before lines that are quoted with an odd one.
pub(super) fn mark_odd(lines: &mut [String]) {
    let odd = |line: &String| {
        let mut chars = line.chars();
        let mark = chars.next().filter(|mark| ODD_MARKS.contains(mark))?;
        chars.next().is_none_or(char::is_whitespace).then_some(mark)
    };
    let is_one = |one: &String, other: &String| odd(one).is_some() && odd(one) == odd(other);
    for run in lines.chunk_by_mut(is_one) {
        let said = run.iter().filter(|line| odd(line).is_some() && line.contains(char::is_alphanumeric)).count();
        if said >= ODD_LINES {
            run.iter_mut().for_each(|line| line.insert_str(0, "> "));
        }
    }
}

/// Returns whether a line is a rule across the page, as mail programs put above an old letter.
pub(super) fn is_rule(line: &str) -> bool {
    let all = |mark: char, least: usize| line.chars().count() >= least && line.chars().all(|c| c == mark);
    let is_dash = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2500}' | '\u{2501}' | '\u{ff0d}');
    all('_', 5)
        || all('=', 5)
        || line.chars().count() >= 3 && line.chars().all(|c| is_dash(c) || c == ' ') && line.starts_with(is_dash)
}

/// Returns whether a line has nothing but ornament, which says nothing.
pub(super) fn is_decoration(line: &str) -> bool {
    !line.is_empty()
        && line.chars().all(|c| {
            matches!(c, '*' | '#' | '~' | '+' | '_' | '=' | '-' | ' ' | '\u{2022}' | '\u{b7}' | '\u{26a0}' | '\u{fe0f}')
        })
        && line.chars().count() >= 3
}

/// Returns whether a line ends the words above it, as a signature does that is set apart.
pub(super) fn is_signature_mark(line: &str) -> bool {
    matches!(line, "--" | "\u{2014}" | "__" | "- -")
}

/// A line without ornament round it, in small letters.
fn undecorated(line: &str) -> String {
    line.trim_matches(DECORATION).to_lowercase().replace(['\u{2019}', '\u{2018}'], "'")
}

/// Returns whether a line is what programs put above an old letter: `Original Message` in some language, with ornament or alone, or any
/// words between two rows of dashes.
pub(super) fn is_separator(line: &str) -> bool {
    let bare = undecorated(line);
    // The dot above the `i` of a Turkish capital.
    let bare = bare.replace("i\u{307}", "i");
    let is_set_apart = line.starts_with(['-', '_', '=', '*', '#', '~', '<', '\u{2014}', '\u{2500}'])
        || line.trim_end().ends_with([':', '\u{ff1a}']);
    let begins = |phrase: &&str| {
        bare.strip_prefix(*phrase).is_some_and(|rest| {
            rest.is_empty()
                || is_set_apart && !rest.starts_with(|c: char| c.is_alphanumeric())
                || is_set_apart && phrase.ends_with(" by")
        })
    };
    let is_phrase = Meaning::OldLetter.words().iter().any(begins);
    let between = line.starts_with("---") && line.ends_with("---") && line.chars().any(char::is_alphanumeric);
    is_phrase && !has_notation(&bare) || between && !has_notation(line)
}

/// The name and the value of a header field: a few words, a colon, and something.
fn field(line: &str) -> Option<(String, &str)> {
    let line = line.trim_start_matches(['*', '_', ' ']);
    let (name, value) = line.split_once([':', '\u{ff1a}'])?;
    let name = name.trim_end_matches(['*', '_', ' ']).trim();
    let is_name = (1..=24).contains(&name.chars().count())
        && name.split_whitespace().count() <= 3
        && name.chars().all(|c| {
            c.is_alphabetic() || matches!(c, ' ' | '*' | '-' | '\'' | '\u{2019}' | '.' | '/') || !c.is_ascii()
        });
    // Outlook in East Asia puts spaces between the signs of a name.
    let name = name.to_lowercase().replace('\u{2019}', "'");
    let dense: String = name.chars().filter(|c| !c.is_whitespace()).collect();
    let name = if dense.is_ascii() || dense.chars().any(|c| u32::from(c) < 0x2e80) { name } else { dense };
    is_name.then(|| (name, value.trim_start_matches(['*', '_', ' ']).trim()))
}

/// Returns whether a line is the sender's field of an old letter.
fn is_sender(line: &str) -> bool {
    // "From: c4-c5" is a person's.
    field(line).is_some_and(|(name, value)| Meaning::Sender.has(&name) && !has_notation(value))
}

/// Returns whether a line is a field that the headers of old letters have.
pub(super) fn is_field(line: &str) -> bool {
    field(line).is_some_and(|(name, _)| Meaning::Sender.has(&name) || Meaning::Field.has(&name))
}

/// Returns whether the header of an answered message begins here, in any language.
pub(super) fn is_header_block(lines: &[String]) -> bool {
    let Some(first) = lines.first() else { return false };
    if is_sender(first) {
        return true;
    }
    let Some((_, value)) = field(first) else { return false };
    let mut next = lines.iter().skip(1).filter(|line| !line.is_empty());
    if is_field(first) && next.clone().next().is_some_and(|line| is_field(line)) && !has_notation(value) {
        return true;
    }
    // What a player writes may contain a colon too ("My move: c4-c5"), but not line after line.
    let values: Vec<&str> = next
        .by_ref()
        .take(4)
        .map_while(|line| field(line).filter(|(_, value)| !value.is_empty()))
        .map(|(_, value)| value)
        .collect();
    !value.is_empty() && values.len() >= 2 && std::iter::once(&value).chain(&values).any(|value| is_dated(value))
}

/// Returns whether a text is a line with which a phone or a program signs, and no person.
pub(super) fn is_sent_with(text: &str) -> bool {
    let bare = undecorated(text);
    let bare = bare.trim_end_matches(['!', ' ', '\u{3002}']);
    if bare.is_empty()
        || bare.split_whitespace().count() > MAX_SENT_WITH.0
        || bare.chars().count() > MAX_SENT_WITH.1
        || has_notation(bare)
    {
        return false;
    }
    let (program, systems) = OFFERED;
    if bare.contains(program)
        && bare.split_whitespace().count() <= 12
        && systems.iter().any(|system| has_word(bare, system))
    {
        return true;
    }
    // What it was sent with is named near the words for it.
    let near = bare.split_whitespace().take(NEAR).collect::<Vec<_>>().join(" ");
    Meaning::Device.words().iter().any(|device| near.contains(device))
        && Meaning::SentWith.words().iter().filter_map(|phrase| phrase.split_once(GAP)).any(|(start, end)| {
            let (start, end) = (start.trim_end(), end.trim_start());
            bare.strip_prefix(start).is_some_and(|rest| {
                let apart = start.is_empty()
                    || !start.ends_with(|c: char| c.is_ascii_alphabetic())
                    || !rest.starts_with(|c: char| c.is_ascii_alphabetic());
                let ends = bare.ends_with(end) || !end.is_empty() && bare.contains(&format!("{end}."));
                apart && ends && (!end.is_empty() || !rest.is_empty())
            })
        })
}

/// A line without what a phone signs with behind it: `c4-c5 Sent from my iPhone`.
pub(super) fn without_sent_with(line: &str) -> &str {
    let starts = line.char_indices().filter(|(at, c)| *at > 0 && c.is_whitespace()).map(|(at, _)| at);
    let starts: Vec<usize> = starts.collect();
    let first = starts.len().saturating_sub(MAX_SENT_WITH.0);
    let found = starts.iter().skip(first).find(|at| line.get(**at..).is_some_and(|rest| is_sent_with(rest.trim())));
    found.and_then(|at| line.get(..*at)).map_or(line, |line| line.trim_end_matches([' ', '-', '\u{2014}', '|']))
}

/// Returns whether a text holds something as a word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|behind| behind.chars().next());
        // Where no spaces stand between words, any place will do.
        let is_close = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && u32::from(c) < 0x2e80);
        let is_spaced = word.chars().all(|c| u32::from(c) < 0x2e80);
        !is_spaced || !is_close(before) && !is_close(behind)
    })
}

/// Returns whether a text contains a mail address.
pub(super) fn has_address(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        word.split_once('@').is_some_and(|(name, domain)| !name.is_empty() && domain.trim_matches('.').contains('.'))
    })
}

/// Returns whether a text contains a year of four digits.
pub(super) fn has_year(text: &str) -> bool {
    let mut digits = text.split(|c: char| !c.is_ascii_digit());
    digits.any(|digits| digits.len() == 4 && matches!(digits.get(..2), Some("19" | "20" | "21")))
}

/// Returns whether a text contains a day in digits: `21/11/26`, `21.11.2026`, `2026-11-21`.
pub(super) fn has_day(text: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '/' | '.' | '-'))).any(|word| {
        ['/', '.', '-'].iter().any(|mark| {
            let parts: Vec<&str> = word.trim_matches(*mark).split(*mark).collect();
            parts.len() == 3
                && parts
                    .iter()
                    .all(|part| matches!(part.len(), 1 | 2 | 4) && part.bytes().all(|byte| byte.is_ascii_digit()))
        })
    })
}

/// Returns whether a character stands between hours and minutes, or behind hours, in some language.
fn is_hour_sign(c: char) -> bool {
    Meaning::HourSign.has(c.encode_utf8(&mut [0; 4]))
}

/// Returns whether a text contains a time of day.
pub(super) fn has_clock(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    chars.iter().enumerate().any(|(at, c)| {
        let digit = |nth: usize| chars.get(nth).is_some_and(char::is_ascii_digit);
        at.checked_sub(1).is_some_and(digit)
            && (matches!(c, ':' | '.' | '\u{ff1a}') || is_hour_sign(*c))
            && (digit(at + 1) && digit(at + 2) && !digit(at + 3) || u32::from(*c) > 0xff && *c != '\u{ff1a}')
            && !at.checked_sub(3).is_some_and(digit)
    })
}

/// Returns whether a text contains a mail address, a time of day or a year, and more than one word.
pub(super) fn is_dated(text: &str) -> bool {
    (text.split_whitespace().count() > 1 || !text.is_ascii())
        && (has_address(text) || has_year(text) || has_clock(text) || has_day(text))
}
