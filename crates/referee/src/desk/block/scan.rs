//! Finds blocks of entries in a text that mail programs have wrapped, quoted, indented or decorated (B6).

use std::iter::Peekable;
use std::str::Chars;

use data_encoding::HEXLOWER;

use super::{Block, END, Fault};
use crate::record::is_game_id;

/// The most blocks that are read in one text.
const MOST: usize = 20;
/// The longest first line that is read, in characters: an id, two numbers, and the spaces that come between.
const LONGEST: usize = 400;
/// The longest link that is taken out, in characters.
const LINK: usize = 1000;
/// What the lines of a block say that it holds: entries, or a whole game (B8).
const ENTRIES: &str = "ENTRIES";
const GAME: &str = "GAME";

/// The blocks of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Those that can be read, each once.
    pub blocks: Vec<Block>,
    /// Those that cannot, unless the same entries can be read elsewhere.
    pub damaged: Vec<Damaged>,
    /// Whether there are more than are read.
    pub more: bool,
}

/// A block that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// The game's id and the numbers of the entries that it names; of the header alone 1 and 0.
    pub names: Option<(String, u32, u32)>,
    /// What is wrong with it.
    pub fault: Fault,
}

impl Found {
    /// Whether there are none at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.damaged.is_empty()
    }

    /// Adds what another part of the same message has: often the same as text and as HTML.
    pub fn add(&mut self, other: Self) {
        for block in other.blocks {
            if !self.blocks.contains(&block) {
                self.blocks.push(block);
            }
        }
        for damaged in other.damaged {
            if !self.damaged.contains(&damaged) {
                self.damaged.push(damaged);
            }
        }
        let blocks = &self.blocks;
        self.damaged.retain(|damaged| {
            let is = |block: &Block| damaged.names == Some((block.game.clone(), block.first, block.last));
            !blocks.iter().any(is)
        });
        self.more |= other.more || self.blocks.len() > MOST || self.damaged.len() > MOST;
        self.blocks.truncate(MOST);
        self.damaged.truncate(MOST);
        // One that is quoted stands below one that answers it, and what comes first in the game is to be taken first.
        self.blocks.sort_by(|one, other| (&one.game, one.first, one.last).cmp(&(&other.game, other.first, other.last)));
    }
}

/// Finds the blocks of a text.
#[must_use]
pub fn find(text: &str) -> Found {
    let mut found = Found::default();
    // Most letters have none.
    if !names_entries(text) {
        return found;
    }
    let clean = cleaned(text);
    let mut rest = clean.as_str();
    let mut count = 0;
    while let Some(at) = rest.find("--") {
        let dashes = rest.get(at..).unwrap_or_default();
        let behind = dashes.trim_start_matches('-');
        rest = behind;
        let begins = |word: &'static str| Some((word, eaten(eaten(behind, "BEGINPBEM")?, word)?));
        let Some((word, head)) = begins(ENTRIES).or_else(|| begins(GAME)) else { continue };
        if count >= MOST {
            found.more = true;
            break;
        }
        count += 1;
        let (names, fault) = match names(head, word == GAME) {
            None => (None, Fault::Begin),
            Some(((game, numbers), inside)) => {
                let (first, last) = (numbers.0.unwrap_or(1), numbers.1);
                let (letters, behind) = letters(inside);
                rest = behind;
                match ends(behind, word) {
                    None => (Some((game, first, last)), Fault::End),
                    Some((end, behind)) => {
                        rest = behind;
                        match Block::read(game.clone(), numbers, &letters, end) {
                            Ok(block) => {
                                found.add(Found { blocks: vec![block], ..Found::default() });
                                continue;
                            }
                            Err(fault) => (Some((game, first, last)), fault),
                        }
                    }
                }
            }
        };
        found.add(Found { damaged: vec![Damaged { names, fault }], ..Found::default() });
    }
    found
}

/// Whether the letters of `PBEM` follow one another in a text, with only signs and spaces between them.
fn names_entries(text: &str) -> bool {
    const WORD: &[u8] = b"PBEM";
    let mut met = 0;
    text.bytes().filter(u8::is_ascii_alphanumeric).any(|byte| {
        met = if WORD.get(met) == Some(&byte) { met + 1 } else { usize::from(WORD.first() == Some(&byte)) };
        met == WORD.len()
    })
}

/// Takes out what mail programs put in: marks of quotations, links, characters that nobody sees, emphasis. Dashes of all kinds become `-`.
fn cleaned(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for line in text.lines() {
        let mut signs = unquoted(line).chars().peekable();
        while let Some(sign) = signs.next() {
            match sign {
                '<' => skip_link(&mut signs),
                // Not seen, or no part of a block.
                '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
                | '*' => {}
                // Two or three hyphens in the eyes of a program that improves what is typed.
                '\u{2014}' | '\u{2015}' => clean.push_str("--"),
                '\u{2010}'..='\u{2013}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => clean.push('-'),
                sign if sign.is_whitespace() => clean.push(' '),
                sign => clean.push(sign),
            }
        }
        clean.push('\n');
    }
    clean
}

/// Skips a link in angle brackets, which some programs put after its text; leaves other angle brackets.
fn skip_link(signs: &mut Peekable<Chars<'_>>) {
    let mut ahead = signs.clone();
    let mut scheme = 0;
    while let Some(sign) = ahead.next() {
        match sign {
            ':' if scheme > 0 => {
                if ahead.by_ref().take(LINK).find(|sign| matches!(sign, '<' | '>')) == Some('>') {
                    *signs = ahead;
                }
                return;
            }
            sign if sign.is_ascii_alphabetic() && scheme < 10 => scheme += 1,
            _ => return,
        }
    }
}

/// A line without the marks of a quotation at its beginning: `>` and `|`, also behind somebody's initials.
fn unquoted(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let initials = rest.bytes().take(4).take_while(u8::is_ascii_alphabetic).count();
        let behind = rest.get(initials..).unwrap_or_default();
        let marked = if behind.starts_with('>') { behind.get(1..) } else { rest.strip_prefix('|') };
        match marked {
            Some(behind) => rest = behind.trim_start(),
            None => return rest,
        }
    }
}

/// Whether it may stand anywhere: a space, a line end, or `=` before one, which quoted-printable leaves behind.
fn is_loose(sign: char) -> bool {
    sign.is_whitespace() || sign == '='
}

/// Returns the text after these letters, which may have spaces and line ends between them.
fn eaten<'t>(text: &'t str, letters: &str) -> Option<&'t str> {
    let mut rest = text;
    for letter in letters.chars() {
        rest = rest.trim_start_matches(is_loose).strip_prefix(letter)?;
    }
    Some(rest)
}

/// A game's id, and the numbers of the first and the last entry; without the first if the whole game is named.
type Names = (String, (Option<u32>, u32));

/// Reads the names of a first line: the game's id and the numbers of the entries, of the whole game that of the last, and returns what
/// follows the line. A line that was broken may be so within an id.
fn names(text: &str, is_whole: bool) -> Option<(Names, &str)> {
    let reach = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    let line = text.get(..reach).unwrap_or_default();
    for (at, _) in line.match_indices('-') {
        let (before, behind) = text.split_at_checked(at)?;
        let before = before.trim_end_matches(is_loose);
        // The line may be broken among its last dashes too.
        let dashes = behind
            .chars()
            .take(LONGEST)
            .take_while(|sign| *sign == '-' || is_loose(*sign))
            .filter(|sign| *sign == '-')
            .count();
        if dashes < 2 || !before.ends_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let number = |text: &str| -> Option<u32> {
            let text = text.trim();
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
            text.parse().ok().filter(|_| is_number || is_whole && text == "0")
        };
        let read = if is_whole {
            before.rsplit_once([' ', '\n']).and_then(|(game, last)| Some((game, (None, number(last)?))))
        } else {
            before.rsplit_once('-').and_then(|(begin, last)| {
                let (game, first) = begin.trim_end().rsplit_once([' ', '\n'])?;
                Some((game, (Some(number(first)?), number(last)?)))
            })
        };
        let Some((game, numbers)) = read else { continue };
        let game: String = game.chars().filter(|sign| !is_loose(*sign)).collect();
        if is_game_id(&game) {
            return Some(((game, numbers), behind.trim_start_matches(|sign| sign == '-' || is_loose(sign))));
        }
    }
    None
}

/// Collects letters of base64 up to the next dash, and returns what begins there.
fn letters(text: &str) -> (String, &str) {
    let (inside, behind) = text.split_at(text.find('-').unwrap_or(text.len()));
    let mut letters = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(sign) = rest.chars().next() {
        rest = rest.get(sign.len_utf8()..).unwrap_or_default();
        if sign == '=' {
            // Padding, or what is left of quoted-printable.
            let escaped = rest.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            if let Some(byte) = escaped {
                rest = rest.get(2..).unwrap_or_default();
                letters.extend(Some(char::from(byte)).filter(|sign| is_letter(*sign)));
            }
        } else if is_letter(sign) {
            letters.push(sign);
        }
    }
    (letters, behind)
}

const fn is_letter(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '+' | '/')
}

/// Reads a last line of this kind: the digits on it, and what follows.
fn ends<'t>(text: &'t str, word: &str) -> Option<([u8; END], &'t str)> {
    let dashes = text.trim_start_matches(|sign| sign == '-' || is_loose(sign));
    if text.len() < dashes.len() + 2 {
        return None;
    }
    let mut rest = eaten(eaten(dashes, "ENDPBEM")?, word)?;
    let mut digits = String::new();
    while digits.len() < 2 * END {
        rest = rest.trim_start_matches(is_loose);
        let digit = rest.chars().next().filter(char::is_ascii_hexdigit)?;
        digits.push(digit.to_ascii_lowercase());
        rest = rest.get(1..)?;
    }
    let bytes = HEXLOWER.decode(digits.as_bytes()).ok()?;
    Some((bytes.try_into().ok()?, rest))
}
