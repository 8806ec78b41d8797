//! Notices that companies add to letters: warnings of strangers, confidentiality, and so on. They are recognised by their subject, because
//! each company words them differently.

use std::collections::HashSet;

use super::marks::{is_decoration, is_quoted, is_rule};
use crate::understand::has_notation;
use crate::words::Meaning;

/// The most lines of a notice.
const MOST: usize = 40;

/// How many of the next lines are a notice that no person wrote; 0 if none is there.
pub(super) fn length(lines: &[String]) -> usize {
    // Lines above and below it, as of a frame.
    let frame = lines.iter().take(2).take_while(|line| is_rule(line) || is_decoration(line)).count();
    let rest = lines.get(frame..).unwrap_or_default();
    let mut seen = Seen::default();
    for line in rest.iter().take(MOST) {
        // The words of the writer may begin right below.
        if line.is_empty() || is_quoted(line) || is_rule(line) || has_notation(line) || !seen.add(line) {
            break;
        }
    }
    if !seen.is_notice() {
        return 0;
    }
    let below = rest.get(seen.lines).is_some_and(|line| frame > 0 && (is_rule(line) || is_decoration(line)));
    frame + seen.lines + usize::from(below)
}

/// Whether somebody says "I" in a line: the small letter is another word in other languages.
fn has_i(line: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric()).any(|word| word == "I")
}

/// What was seen of a paragraph.
#[derive(Default)]
struct Seen {
    lines: usize,
    words: usize,
    strong: HashSet<&'static str>,
    weak: HashSet<&'static str>,
    is_labelled: bool,
    is_known: bool,
}

impl Seen {
    /// Adds a line, unless somebody speaks of himself in it.
    fn add(&mut self, line: &str) -> bool {
        let text = line.to_lowercase().replace('\u{2019}', "'");
        let text = text.trim_matches(|c: char| c.is_whitespace() || "*_-=#~|!<>\"\u{26a0}\u{fe0f}".contains(c));
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-');
        let words: Vec<&str> = text.split(|c: char| !is_letter(c)).filter(|word| !word.is_empty()).collect();
        if self.lines == 0 {
            self.is_known = Meaning::Notice.words().iter().any(|start| text.starts_with(start));
            self.is_labelled = Meaning::NoticeLabel.words().iter().any(|label| {
                let behind = text.strip_prefix(label);
                behind.is_some_and(|rest| !label.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric()))
            });
        }
        self.is_known |= Meaning::NoticePart.words().iter().any(|part| text.contains(part));
        if !self.is_known && (words.iter().any(|word| Meaning::OfOneself.has(word)) || has_i(line)) {
            return false;
        }
        let has = |stem: &&&'static str| {
            let is_spaced = stem.chars().all(|c| u32::from(c) < 0x2e80);
            if is_spaced {
                words.iter().any(|word| word.split('\'').any(|part| part.starts_with(**stem)))
            } else {
                text.contains(**stem)
            }
        };
        self.strong.extend(Meaning::NoticeWord.words().iter().filter(has));
        self.weak.extend(Meaning::NoticeWordWeak.words().iter().filter(has));
        self.words += words.len();
        self.lines += 1;
        true
    }

    fn is_notice(&self) -> bool {
        let (strong, weak) = (self.strong.len(), self.weak.len());
        let speaks_of_it = match self.is_labelled {
            // "EXTERNAL", "[EXT]", "CAUTION: external e-mail"
            true => {
                self.words <= 4 && strong + weak + 1 >= self.words
                    || strong >= 2 && strong + weak >= 3
                    || strong >= 1 && weak >= 3
            }
            false => strong >= 3,
        };
        self.lines > 0 && (self.is_known || speaks_of_it)
    }
}
