//! The line above a quotation, in which a program names who wrote what follows and when. Programs break it anywhere.

use super::marks::{has_address, has_clock, has_day, has_word, has_year, is_decoration, is_field, is_quoted, is_rule};
use crate::understand::has_notation;
use crate::words::Meaning;

/// The most lines that programs break it into, and its most characters.
const MAX: (usize, usize) = (6, 500);
/// The most words of a name.
const MAX_NAME: usize = 6;
/// Among how many words behind that a date begins, and in how many places it is looked for.
const NEAR: usize = 4;
const MOST_LATE: usize = 4;
/// How many lines are looked at for its end, behind a line with which it could end.
const MORE: usize = 2;

/// A line above a quotation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Attribution {
    /// How many lines it takes.
    pub lines: usize,
    /// The text before it on its first line, which is the writer's own.
    pub before: Option<String>,
}

/// Returns the line above a quotation that begins here, if one does.
pub(super) fn attribution(lines: &[String]) -> Option<Attribution> {
    if let Some(count) = length(lines) {
        return Some(Attribution { lines: count, before: None });
    }
    // Behind what the writer typed, where a program lost the line end.
    let first = lines.first().filter(|line| line.len() <= MAX.1)?;
    let begins = |at: &usize| {
        let mut words = first.get(*at..).unwrap_or_default().split_whitespace();
        let opens = words.next().is_some_and(|word| Meaning::OpeningLate.has(&word.to_lowercase()));
        opens && words.take(NEAR).any(|word| word.contains(|c: char| c.is_ascii_digit()))
    };
    for at in first.match_indices(' ').map(|(at, _)| at).filter(begins).take(MOST_LATE) {
        let (before, rest) = first.split_at(at);
        let mut rest = vec![rest.trim_start().to_owned()];
        rest.extend(lines.iter().skip(1).take(MAX.0).cloned());
        let whole = |count: &usize| {
            let text = rest.get(..*count).unwrap_or_default().join(" ");
            let found = Seen::of(&text);
            found.has_date && found.has_address && found.behind_verb.is_some()
        };
        if let Some(count) = length(&rest).filter(whole) {
            let before = before.trim_end_matches([' ', '-']).to_owned();
            return Some(Attribution { lines: count, before: Some(before) });
        }
    }
    None
}

/// How many of the next lines are the one above a quotation.
fn length(lines: &[String]) -> Option<usize> {
    let first = lines.first()?;
    // A pasted line of a record has its time after an `@`.
    if first.contains(" @2") || first.is_empty() {
        return None;
    }
    if is_quoted(first) && !first.starts_with(">>>") && !is_groupwise(first) {
        return None;
    }
    let mut joined = String::new();
    let mut found: Option<usize> = None;
    for (at, line) in lines.iter().take(MAX.0).enumerate() {
        // An address in angle brackets may have been broken before its end.
        let is_open = joined.matches('<').count() > joined.matches('>').count();
        let goes_on = at == 0 || is_open || !is_quoted(line) || line.ends_with(">>>");
        if line.is_empty() || !goes_on || has_notation(line) || at > 0 && is_field(line) && !has_address(line) {
            break;
        }
        if at > 0 {
            joined.push(' ');
        }
        joined.push_str(line);
        if joined.chars().count() > MAX.1 || at == 0 && !may_begin(line) {
            break;
        }
        let count = at + 1;
        let behind = lines.get(count..).unwrap_or_default();
        let seen = Seen::of(&joined);
        if is_groupwise(&joined) || seen.is_attribution(is_above_quotation(behind)) {
            found = Some(count);
            if seen.has_colon || joined.ends_with(">>>") {
                break;
            }
        } else if found.is_some_and(|found| count >= found + MORE) {
            break;
        }
    }
    // The colon or the bracket that was left alone on the next line.
    let is_left = |line: &String| {
        !line.is_empty()
            && line.chars().all(|c| matches!(c, ':' | '\u{ff1a}' | '*' | '_' | '>' | '<' | ' '))
            && line.contains([':', '\u{ff1a}'])
    };
    found.map(|count| count + usize::from(lines.get(count).is_some_and(is_left)))
}

/// Returns whether what follows is quoted: text, and not only the fields of a header.
pub(super) fn is_above_quotation(behind: &[String]) -> bool {
    let is_between = |line: &String| line.is_empty() || is_rule(line) || is_decoration(line) || *line == ":";
    let mut behind =
        behind.iter().skip_while(|line| is_between(line)).take_while(|line| line.is_empty() || is_quoted(line));
    let is_text = |line: &String| {
        let text = line.trim_start_matches(['>', '|', ' ']);
        !text.is_empty() && !is_field(text)
    };
    behind.any(is_text)
}

/// The line of GroupWise: `>>> "Bram Post" <bram@example.net> 11/21/2026 11:15 AM >>>`.
fn is_groupwise(line: &str) -> bool {
    line.ends_with(">>>") && (has_address(line) || has_year(line) || has_day(line) || has_clock(line))
}

/// Returns whether such a line can begin with these words.
fn may_begin(line: &str) -> bool {
    let seen = Seen::of(line);
    // "On my way!" is a sentence.
    let is_sentence = line.ends_with(['.', '!', '?']) && !seen.has_date && !seen.has_address;
    !is_sentence
        && (seen.opens
            || seen.has_date
            || seen.has_address
            || seen.behind_verb.is_some()
            || seen.quotes
            || seen.begins_with_name)
}

/// What is seen in some text.
struct Seen {
    text: String,
    has_date: bool,
    has_year: bool,
    has_clock: bool,
    has_address: bool,
    has_colon: bool,
    /// Whether it begins with a word that such lines begin with.
    opens: bool,
    /// Whether it begins with the words for a quotation.
    quotes: bool,
    /// Whether it begins with a day or an hour.
    begins_dated: bool,
    /// Whether it begins like a name: with capital letters or a quotation mark.
    begins_with_name: bool,
    /// What stands behind the last word that says that somebody wrote it.
    behind_verb: Option<String>,
    /// Whether it begins with a word for a person, as sentences do.
    speaks: bool,
    words: usize,
}

impl Seen {
    fn of(text: &str) -> Self {
        let is_ornament = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '*' | '_'
                        | '-'
                        | '='
                        | '~'
                        | '#'
                        | '"'
                        | '\u{ab}'
                        | '\u{bb}'
                        | '\u{2013}'
                        | '\u{2014}'
                        | '\u{2500}'
                )
        };
        let bare = text.trim_matches(is_ornament).trim_start_matches(['>', ' ']).trim_end_matches(['[', ']']);
        let bare = bare.trim_matches(is_ornament);
        let has_colon =
            bare.trim_end_matches([')', '*', '_', '"', ' ']).ends_with([':', '\u{ff1a}', '\u{fe55}', '\u{2236}']);
        let lower = bare.to_lowercase().replace('\u{2019}', "'");
        let first = lower.split_whitespace().next().unwrap_or_default().to_owned();
        let opens = Meaning::Opening.words().iter().any(|opener| {
            lower
                .strip_prefix(opener)
                .is_some_and(|rest| !opener.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric()))
        });
        let (has_year, has_clock) = (has_year(bare), has_clock(bare));
        let is_weekday = first.ends_with(['.', ','])
            && (3..=14).contains(&first.chars().count())
            && first.chars().any(char::is_alphabetic);
        let ends: &[char] = &[':', '\u{ff1a}', '\u{fe55}', '\u{2236}', ' ', '*', '_', ',', '.'];
        let lower = lower.trim_end_matches(ends).to_owned();
        let shown = bare.trim_end_matches(ends);
        let verb = Meaning::Wrote.words().iter().filter(|verb| has_word(&lower, verb)).filter_map(|verb| {
            let at = lower.rfind(verb)?;
            lower.get(at + verb.len()..)
        });
        let verb = verb.min_by_key(|behind| behind.len());
        Self {
            has_date: has_year || has_clock || has_day(bare),
            has_address: has_address(bare),
            opens,
            quotes: Meaning::Quoting.words().iter().any(|start| {
                let is_word = start.ends_with(char::is_alphanumeric);
                lower.strip_prefix(start).is_some_and(|rest| !is_word || rest.starts_with(' '))
            }),
            begins_dated: first.starts_with(|c: char| c.is_ascii_digit()) || is_weekday && (has_year || has_clock),
            begins_with_name: bare.starts_with(['"', '\u{201e}', '\u{201c}', '<', '\''])
                || bare.starts_with(char::is_uppercase),
            behind_verb: verb.map(|behind| {
                let total = shown.chars().count();
                shown.chars().skip(total.saturating_sub(behind.chars().count())).collect()
            }),
            speaks: Meaning::Speaker.has(&first),
            words: bare.split_whitespace().count(),
            text: bare.to_owned(),
            has_year,
            has_clock,
            has_colon,
        }
    }

    /// Returns whether it ends as such lines do, where no colon ends them.
    fn ends(&self) -> bool {
        let text = self.text.trim_end_matches(['*', '_', ' ', ',', '.']);
        let last = text.split_whitespace().next_back().unwrap_or_default();
        self.has_colon
            || self
                .behind_verb
                .as_ref()
                .is_some_and(|behind| behind.trim_matches(|c: char| !c.is_alphanumeric()).is_empty())
            || text.ends_with(['>', ')', ']'])
            || has_address(&format!("x {last}"))
            || last.ends_with(|c: char| c.is_ascii_digit())
            || Meaning::HourWord.has(&last.to_lowercase())
    }

    /// Returns whether nothing but a name, an address or a date stands behind the verb, or one of the words with which some languages end.
    fn names_behind_verb(&self) -> bool {
        let Some(behind) = &self.behind_verb else { return false };
        let is_fit = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.is_empty()
                || word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || u32::from(c) >= 0x590)
                || word.contains('@')
                || Meaning::BehindWrote.has(&word.to_lowercase())
        };
        behind.split_whitespace().count() <= 2 * MAX_NAME && behind.split_whitespace().all(is_fit)
    }

    /// Returns whether nothing but a name, a day or a date stands before the verb: `On Thu, Bram Post wrote`, where not even a colon says
    /// what follows.
    fn names_before_verb(&self) -> bool {
        let is_verb =
            |word: &&str| Meaning::Wrote.has(&word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
        let is_name =
            |word: &str| word.starts_with(|c: char| !c.is_alphabetic() || c.is_uppercase() || u32::from(c) >= 0x590);
        let mut before = self.text.split_whitespace().take_while(|word| !is_verb(word)).peekable();
        before.peek().is_some() && before.all(is_name)
    }

    /// Returns whether it is nothing but a date, an hour and a name.
    fn is_date_and_name(&self) -> bool {
        let mut names = 0;
        let fits = self.text.split_whitespace().all(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_name = word.starts_with(char::is_uppercase) && !word.contains(|c: char| c.is_ascii_digit());
            names += usize::from(is_name);
            word.is_empty()
                || is_name
                || word.starts_with(|c: char| c.is_ascii_digit())
                || word.contains('@')
                || word.starts_with("GMT")
                || word.starts_with("UTC")
        });
        fits && (1..=MAX_NAME).contains(&names)
    }

    /// Returns whether it names somebody or a day beside the words with which such lines begin: "On Saturday Bram wrote:", and not "A letter
    /// with one of these does what it says:".
    fn names(&self) -> bool {
        let is_name = |word: &str| {
            let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
            let lower = word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || u32::from(c) >= 0x590)
                && !Meaning::Opening.has(&lower)
                && !Meaning::Speaker.has(&lower)
                && !Meaning::Wrote.has(&lower)
        };
        self.has_date || self.has_address || self.text.split_whitespace().any(is_name)
    }

    /// Returns whether it is a line above a quotation; `quoted`: whether what follows is marked as one.
    fn is_attribution(&self, quoted: bool) -> bool {
        (quoted || self.names()) && self.is_like_attribution(quoted)
    }

    fn is_like_attribution(&self, quoted: bool) -> bool {
        let Self { has_date, has_address, has_colon, opens, .. } = *self;
        let verb = self.behind_verb.is_some();
        let ends_in_verb = self
            .behind_verb
            .as_ref()
            .is_some_and(|behind| behind.trim_matches(|c: char| !c.is_alphanumeric()).is_empty());
        let begins = opens || self.begins_dated || self.begins_with_name;
        // "Bram wrote on 21 November 2026 at 11:15:"
        let dates_behind_verb = self.behind_verb.as_ref().is_some_and(|behind| has_year(behind) || has_day(behind));
        // Notes: `Bram Post ---21.11.2026 11:15:43---Ada, this is`
        let is_notes = has_date
            && self.text.match_indices("---").any(|(at, _)| {
                self.text
                    .get(at + 3..)
                    .is_some_and(|behind| behind.trim_start().starts_with(|c: char| c.is_ascii_digit()))
            });
        is_notes
            || self.quotes && (has_colon || has_date || has_address)
            || has_date && has_address && verb && self.ends()
            || has_date && has_address && has_colon && (begins || quoted)
            || has_address && verb && (has_colon || ends_in_verb && quoted)
            || opens && verb && (has_colon || has_date) && (ends_in_verb || self.names_behind_verb())
            || has_date
                && verb
                && (begins || quoted)
                && self.words <= 20
                && (ends_in_verb || self.names_behind_verb() || dates_behind_verb && self.ends() && !self.speaks)
            || self.has_year && self.has_clock && has_address && self.words <= 18 && self.ends() && !self.speaks
            || verb && has_colon && begins && self.words <= MAX_NAME && ends_in_verb
            || begins
                && verb
                && self.words <= MAX_NAME
                && !self.speaks
                && (ends_in_verb || opens && self.names_behind_verb())
                && self.names_before_verb()
            || has_date
                && has_address
                && begins
                && self.words <= 18
                && self.ends()
                && (self.begins_dated || quoted || self.is_date_and_name())
            || self.begins_with_name && self.has_year && self.has_clock && self.is_date_and_name()
            || self.begins_dated && self.has_year && self.is_date_and_name() && (self.has_clock || has_colon || quoted)
            || self.has_year && self.has_clock && has_colon && (self.begins_dated || opens) && self.words <= 14
            || quoted
                && has_colon
                && (has_date || has_address || verb || opens || self.words <= MAX_NAME && self.words > 1)
    }
}
