//! The rulebooks from `notation/`, and the sections for each rule.

use std::fmt;

use crate::registry::GAMES;
#[cfg(feature = "rulebooks")]
use postrider_kernel::SEALING_RULES;
use postrider_kernel::{ENVELOPE_RULES, Rule};

/// A rulebook.
#[derive(Clone, Copy)]
pub struct Rulebook {
    /// The name it is asked for by: a game's name, `record` or `words`.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The text, in Markdown.
    pub text: &'static str,
    /// Its numbered rules.
    pub rules: &'static [Rule],
}

#[cfg(feature = "rulebooks")]
postrider_kernel::rules! {
    BLOCK_RULES:
    B1 "a block of entries",
    B2 "what it holds",
    B3 "its bytes",
    B4 "how much it holds",
    B5 "the check",
    B6 "blocks in letters",
    B7 "what becomes of a block",
    B8 "a block that begins a game",
}

/// The module for browsers has only the rulebook that refusals in open play refer to.
const COMMON: &[Rulebook] = &[
    #[cfg(feature = "rulebooks")]
    Rulebook {
        name: "words",
        title: "the words, and how to read a rule number",
        text: postrider_notation::README,
        rules: &[],
    },
    Rulebook {
        name: "record",
        title: "the record: the file two players exchange",
        text: postrider_notation::RECORD,
        rules: ENVELOPE_RULES,
    },
    #[cfg(feature = "rulebooks")]
    Rulebook {
        name: "sealing",
        title: "sealing: fair dice and hidden things by mail",
        text: postrider_notation::SEALING,
        rules: SEALING_RULES,
    },
    #[cfg(feature = "rulebooks")]
    Rulebook {
        name: "mail",
        title: "games by mail: letters, receiving them, setting it up",
        text: postrider_notation::MAIL,
        rules: BLOCK_RULES,
    },
    #[cfg(feature = "rulebooks")]
    Rulebook {
        name: "host",
        title: "a host: games for two people who have nothing but mail",
        text: postrider_notation::HOST,
        rules: &[],
    },
    #[cfg(feature = "rulebooks")]
    Rulebook { name: "keys", title: "keys, passphrases and backups", text: postrider_notation::KEYS, rules: &[] },
    #[cfg(feature = "rulebooks")]
    Rulebook {
        name: "playing",
        title: "playing at the keyboard: your own view, a session, taking back",
        text: postrider_notation::PLAYING,
        rules: &[],
    },
    #[cfg(feature = "rulebooks")]
    Rulebook {
        name: "practice",
        title: "playing against the machine: hints, levels, matches",
        text: postrider_notation::PRACTICE,
        rules: &[],
    },
    Rulebook {
        name: "conditions",
        title: "conditional entries: prepared replies",
        text: postrider_notation::CONDITIONS,
        rules: &[],
    },
    #[cfg(feature = "rulebooks")]
    Rulebook {
        name: "git",
        title: "games in a git repository: merged, guarded, explained",
        text: postrider_notation::GIT,
        rules: &[],
    },
    #[cfg(feature = "rulebooks")]
    Rulebook {
        name: "page",
        title: "games as pages: read, verified and played in a browser",
        text: postrider_notation::PAGE,
        rules: &[],
    },
    #[cfg(feature = "rulebooks")]
    Rulebook {
        name: "archive",
        title: "archives: many records, judged, packed, and as tables",
        text: postrider_notation::ARCHIVE,
        rules: &[],
    },
];

/// Returns all rulebooks: first those about records, then those of the games.
pub fn all() -> impl Iterator<Item = Rulebook> {
    let games = GAMES.iter().map(|game| {
        let info = game.info();
        Rulebook { name: info.name, title: info.title, text: info.rulebook, rules: info.rules }
    });
    COMMON.iter().copied().chain(games)
}

/// Returns the rulebook with this name.
#[must_use]
pub fn find(name: &str) -> Option<Rulebook> {
    all().find(|book| book.name == name)
}

/// Returns the text of a rule of a rulebook. A refusal in a game may also name one that all games share, so that by a game's name those of
/// records and of sealed play are found too.
#[must_use]
pub fn rule(name: &str, number: &str) -> Option<String> {
    let book = find(name)?;
    let is_game = || GAMES.iter().any(|game| game.info().name == name);
    let shared = || ["record", "sealing"].into_iter().filter_map(find).find_map(|book| book.section(number));
    book.section(number).or_else(|| is_game().then(shared)?)
}

impl fmt::Debug for Rulebook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rulebook").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A game in a minute, as its rulebook tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minute {
    /// The aim, the moves and the end of a game: each a paragraph on one line, without markup.
    pub paragraphs: Vec<String>,
    /// The board below each.
    pub boards: Vec<&'static str>,
    /// What each board is of.
    pub examples: Vec<Example>,
}

/// An example in a rulebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The position line.
    pub position: &'static str,
    /// What is entered there.
    pub entry: Option<&'static str>,
}

/// Returns a game in a minute: the section of that name at the head of its rulebook; `None` if there is no such game.
#[must_use]
pub fn in_a_minute(name: &str) -> Option<Minute> {
    let (_, text) = find(name)?.text.split_once("\n## In a minute\n")?;
    let text = text.split("\n## ").next()?;
    let mut minute = Minute { paragraphs: Vec::new(), boards: Vec::new(), examples: Vec::new() };
    let mut rest = text;
    while let Some((prose, block, behind)) = next_block(rest) {
        minute.paragraphs.extend(paragraphs(prose));
        match block.split_once('\n').filter(|(language, _)| language.starts_with("board")) {
            Some((_, board)) => minute.boards.push(board),
            None => minute.examples.extend(example(block)),
        }
        rest = behind;
    }
    minute.paragraphs.extend(paragraphs(rest));
    Some(minute)
}

/// What stands before the next block of a text, the block from its language on, and what stands behind it. A position that is not meant
/// for reading is in a comment.
fn next_block(text: &str) -> Option<(&str, &str, &str)> {
    let open = |(start, end): (&'static str, &'static str)| text.find(start).map(|at| (at, start, end));
    let (at, start, end) = [("```", "\n```"), (COMMENT, "\n-->")].into_iter().filter_map(open).min()?;
    let (prose, block) = (text.get(..at)?, text.get(at + start.len()..)?);
    // The line's end before the closing mark belongs to the block.
    let stop = block.find(end)? + 1;
    Some((prose, block.get(..stop)?, block.get(stop + end.len() - 1..)?))
}

/// How a comment begins.
const COMMENT: &str = "<!-- ";
/// How the line of a picture begins.
const PICTURE: &str = "<img ";

/// The paragraphs of a text, pictures left out.
fn paragraphs(text: &str) -> impl Iterator<Item = String> {
    text.split("\n\n").filter(|part| !part.trim_start().starts_with(PICTURE)).map(plain).filter(|text| !text.is_empty())
}

/// A block with a position, and what is first entered in it.
fn example(block: &'static str) -> Option<Example> {
    let mut lines = block.lines();
    let language = lines.next()?;
    let position = lines.next().filter(|_| ["position", "turns"].contains(&language))?;
    Some(Example { position, entry: lines.next().and_then(|line| line.split("  ->  ").next()) })
}

/// A paragraph on one line, without markup.
fn plain(paragraph: &str) -> String {
    paragraph.replace("**", "").replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of a text without those of pictures and comments, which only a page with files beside it can show.
fn readable(text: &str) -> impl Iterator<Item = &str> {
    let mut in_comment = false;
    let mut after_blank = false;
    text.lines().filter(move |line| {
        if in_comment || line.starts_with(COMMENT) {
            in_comment = !line.ends_with("-->");
            return false;
        }
        // What is left out leaves one empty line, not two.
        let is_left_out = line.starts_with(PICTURE) || line.is_empty() && after_blank;
        after_blank = line.is_empty() || line.starts_with(PICTURE) && after_blank;
        !is_left_out
    })
}

impl Rulebook {
    /// Returns the text without its pictures and comments.
    #[must_use]
    pub fn words(&self) -> String {
        readable(self.text).map(|line| format!("{line}\n")).collect()
    }

    /// Returns the section of a rule, from its heading to the next heading. Letter case does not matter.
    #[must_use]
    pub fn section(&self, number: &str) -> Option<String> {
        let heading =
            |line: &str| line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim_start().to_owned());
        let mut fenced = false;
        let mut section: Option<String> = None;
        for line in readable(self.text) {
            fenced ^= line.starts_with("```");
            if let Some(title) = heading(line).filter(|_| !fenced) {
                if section.is_some() {
                    break;
                }
                if title.split(' ').next().is_some_and(|first| first.eq_ignore_ascii_case(number)) {
                    section = Some(String::new());
                }
            }
            if let Some(text) = &mut section {
                text.push_str(line);
                text.push('\n');
            }
        }
        section.filter(|_| self.rules.iter().any(|rule| rule.code.eq_ignore_ascii_case(number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Without them the pages about sealed play are not here.
    #[cfg(feature = "rulebooks")]
    #[test]
    fn by_the_name_of_a_game_each_rule_is_found_that_a_refusal_in_it_may_name() {
        for (number, shared) in [("E3", "record"), ("z3", "sealing")] {
            let text = find(shared).and_then(|book| book.section(number));
            assert!(text.is_some() && rule("assassyn", number) == text, "{number}");
        }
        assert!(rule("asalto", "t21").is_some_and(|text| text.starts_with("### T21 ")));
        for (name, number) in [("asalto", "B1"), ("asalto", "A1"), ("record", "Z3"), ("chess", "E3")] {
            assert!(rule(name, number).is_none(), "{name} {number}");
        }
    }

    #[test]
    fn every_game_is_told_in_a_minute_with_three_boards() {
        for game in GAMES {
            let name = game.info().name;
            let minute = in_a_minute(name).unwrap_or_else(|| panic!("{name}.md has no section `## In a minute`"));
            let heads = ["What you want. ", "What you do. ", "How it ends. "];
            let counts = (minute.paragraphs.len(), minute.boards.len(), minute.examples.len());
            assert_eq!(counts, (3, 3, 3), "{name}.md, `## In a minute`: paragraphs, boards and examples");
            assert!(minute.paragraphs.iter().zip(heads).all(|(text, head)| text.starts_with(head)), "{minute:?}");
            let words: usize = minute.paragraphs.iter().map(|text| text.split(' ').count()).sum();
            assert!(words <= 150, "{name}: {words} words take more than a minute");
        }
        assert_eq!(in_a_minute("chess"), None);
    }
}
