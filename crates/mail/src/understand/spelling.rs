//! The characters of a reply: one kind of dash and quote, and texts that are compared by their letters and digits.

/// Replaces the dashes, arrows, signs and quotes that programs and people use with ASCII.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        // Where no spaces stand between words, notation begins and ends beside them.
        if is_wide(before) && c.is_ascii_alphanumeric() || before.is_ascii_alphanumeric() && is_wide(c) {
            out.push(' ');
        }
        before = c;
        match c {
            '\u{ff0c}' | '\u{3001}' => out.push_str(", "),
            '\u{ff1b}' => out.push_str("; "),
            '\u{ff1a}' => out.push_str(": "),
            '\u{ff01}' => out.push_str("! "),
            '\u{3002}' => out.push_str(". "),
            '\u{2010}'..='\u{2015}'
            | '\u{2212}'
            | '\u{fe58}'
            | '\u{fe63}'
            | '\u{ff0d}'
            | '\u{30fc}'
            | '\u{2043}'
            | '\u{ad}'
            | '\u{2192}'
            | '\u{21d2}'
            | '\u{27a1}'
            | '\u{2794}'
            | '\u{279c}' => out.push('-'),
            '\u{d7}' | '\u{2715}' | '\u{2716}' | '\u{2717}' | '\u{2a2f}' => out.push('x'),
            '\u{ff01}'..='\u{ff5e}' => out.push(char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)),
            '\u{61b}' => out.push(';'),
            // The mark that stands before a question in Spanish.
            '\u{61f}' | '\u{bf}' => out.push('?'),
            '\u{a1}' => {}
            // An apostrophe belongs to its word.
            '\u{2019}' => out.push('\''),
            '\u{2018}'
            | '\u{201a}'..='\u{201f}'
            | '\u{ab}'
            | '\u{bb}'
            | '\u{2039}'
            | '\u{203a}'
            | '\u{300c}'..='\u{300f}'
            | '`' => out.push('"'),
            '\u{2026}' => out.push_str("..."),
            '\u{fe0e}' | '\u{fe0f}' => {}
            c if c.is_whitespace() => out.push(' '),
            c => out.push(c),
        }
    }
    let out = out.replace("-->", "-").replace("->", "-").replace("=>", "-").replace("--", "-");
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a character is of a language that writes its words without spaces.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fff}' | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30fb}' | '\u{30fd}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Faces made of signs.
const FACES: &[&str] =
    &[":-)", ":)", ";-)", ";)", ":-(", ":(", ":-/", ":/", ":-|", ":|", ":'-)", ":')", ":'(", "=)", "^^", "^_^"];
/// Faces with a letter or another sign, which stand apart from what is before them.
const FACES_APART: &[&str] = &[":-D", ":D", ";D", ":-P", ":P", ":-p", ":p", ":-O", ":O", ":-o", ":o", "xD", "XD", "<3"];

/// Returns whether a word is a face made of signs.
pub(super) fn is_face(word: &str) -> bool {
    FACES.contains(&word) || FACES_APART.contains(&word)
}

/// Returns whether a character is a picture, or changes one.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
        || matches!(c, '\u{200d}' | '\u{20e3}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}')
}

/// A text without the faces and pictures behind it.
pub(super) fn without_faces(text: &str) -> &str {
    let mut rest = text.trim_end();
    loop {
        let less = rest.trim_end_matches(is_picture).trim_end();
        let apart = FACES_APART.iter().filter_map(|face| less.strip_suffix(face));
        let mut apart = apart.filter(|before| before.is_empty() || before.ends_with([' ', '.', '!']));
        let less = FACES.iter().find_map(|face| less.strip_suffix(face)).or_else(|| apart.next()).unwrap_or(less);
        if less.len() == rest.len() {
            return rest;
        }
        rest = less.trim_end();
    }
}

/// Removes what may surround an entry.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '.' | '!' | ',' | ':' | '"' | '\'' | '(' | ')' | '[' | ']' | '*' | '_' | '<' | '>')
    })
    .trim_end_matches(';')
    .trim()
}

/// Adds the dash between two places that were written without it: `c4c5`.
pub(super) fn dashed(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 4);
    for (at, c) in chars.iter().enumerate() {
        let behind = |nth: usize| chars.get(at + nth).copied().unwrap_or(' ');
        out.push(*c);
        if c.is_ascii_digit() && behind(1).is_ascii_lowercase() && behind(1) != 'x' && behind(2).is_ascii_digit() {
            out.push('-');
        }
    }
    out
}

/// Only the letters and digits of a text, in lower case, without the `x` of captures.
pub(super) fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase) {
        if c == 'x' && out.ends_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        out.push(c);
    }
    out
}

/// A text in lower case, except for letters that name a piece before its place, and those that give the kind of a token
/// after it.
pub(super) fn cased(text: &str) -> String {
    let word = |word: &str| {
        let word = word.to_lowercase();
        match word.as_bytes() {
            [b'a'..=b'z', b'a'..=b'z', b'0'..=b'9', ..] => upper_first(&word),
            [b'+', place @ .., kind @ b'a'..=b'z'] => {
                format!("+{}{}", String::from_utf8_lossy(place), char::from(kind.to_ascii_uppercase()))
            }
            _ => word,
        }
    };
    let last = |one: &str| one.strip_suffix(';').map_or_else(|| word(one), |bare| word(bare) + ";");
    text.split(' ').map(last).collect::<Vec<_>>().join(" ")
}

pub(super) fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

pub(super) fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// Words of prose that are written like a place with something behind it.
const NO_MARKS: &[&str] =
    &["b2b", "b2c", "b2g", "c2c", "c2b", "d2c", "d2d", "e2e", "f2f", "g2g", "g2b", "h2h", "c3po", "h2o", "a2a"];

/// Returns whether a word is like the id of a game, which has a date in its midst: no places stand in it.
fn is_id(word: &str) -> bool {
    let is_date = |part: &str| part.len() == 8 && part.bytes().all(|byte| byte.is_ascii_digit());
    word.split('-').skip(1).any(is_date)
}

/// Returns whether a word is written like a part of an entry: it names a place by letter and digit, or has a mark that
/// prose does not have.
pub(super) fn is_mark(word: &str) -> bool {
    let lower: Vec<char> = word.to_lowercase().chars().collect();
    let at = |nth: usize| lower.get(nth).copied().unwrap_or(' ');
    let square = |nth: usize| matches!(at(nth), 'a'..='h') && matches!(at(nth + 1), '1'..='8');
    let begins = |nth: usize| match nth.checked_sub(1).map(at) {
        None => true,
        // The letter of a piece, or the mark of a capture.
        Some(before) if before.is_alphabetic() => nth == 1 || before == 'x' && nth > 1 && at(nth - 2).is_ascii_digit(),
        Some(_) => true,
    };
    let places = (0..lower.len()).any(|nth| square(nth) && !at(nth + 2).is_ascii_digit() && begins(nth));
    let joins = |mark: char| {
        let sides = word.split_once(mark);
        sides.is_some_and(|(a, b)| {
            !a.is_empty() && b.starts_with(|c: char| c.is_alphanumeric()) && !b.contains(['.', '/'])
        })
    };
    let bare: String = lower.iter().filter(|c| c.is_alphanumeric()).collect();
    // An address or a link of the web is none.
    places && !is_id(word) && !word.contains("://") && !NO_MARKS.contains(&bare.as_str()) || joins('@') || joins('>')
}
