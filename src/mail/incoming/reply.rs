//! What an opponent without the program typed: the lines of a reply that are the writer's own, without quotations, the
//! line above a quotation, and what is below a signature.

use super::contents::{Form, Text};
use crate::desk::reply_line;
use crate::text::is_steering;

/// The most lines that are read.
const MAX_LINES: usize = 2000;
/// The most lines that are passed on; a reply contains an entry and some words.
const MAX_OWN: usize = 200;
/// The longest line, in characters.
const MAX_LINE: usize = 4000;
/// The longest line above a quotation, in characters, and the most lines that programs break it into.
const MAX_ATTRIBUTION: (usize, usize) = (400, 4);
/// The sender field that begins the header of an answered message, in the languages of mail programs.
const SENDERS: &[&str] = &[
    "From",
    "Von",
    "De",
    "Da",
    "Van",
    "Från",
    "Fra",
    "Od",
    "Lähettäjä",
    "Feladó",
    "От",
    "От кого",
    "Від",
    "Από",
    "Gönderen",
    "Kimden",
    "מאת",
    "من",
    "差出人",
    "发件人",
    "寄件者",
    "寄件人",
    "보낸 사람",
    "De la",
    "Dari",
    "Từ",
    "จาก",
    "Sendt av",
    "Saatja",
    "Nuo",
    "प्रेषक",
];
/// The beginnings of a line above a quotation.
const ATTRIBUTIONS: &[&str] =
    &["On ", "Am ", "Le ", "El ", "Il ", "Op ", "Em ", "Den ", "W dniu ", "Dne ", "Dnia ", "Pe ", "Il giorno "];

/// Finds the lines of a text that are the sender's own, without blank ones. A line that ends in `;` includes the next
/// one. Anything that could control a terminal is removed.
#[must_use]
pub fn own_lines(text: &Text) -> Vec<String> {
    let lines = unfolded(text);
    let mut own: Vec<String> = Vec::new();
    let mut at = 0;
    // Whether the previous own line continues.
    let mut open = false;
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at..).unwrap_or_default();
        if line.starts_with("-----BEGIN PGP SIGNED") || (line.starts_with("Hash: ") && own.is_empty()) {
            at += 1;
            continue;
        }
        // An entry with its message, whatever that contains.
        if let Some((entry, count)) = reply_line::joined(rest) {
            own.push(entry);
            at += count;
            open = false;
            continue;
        }
        if ends_own_words(line)
            || begins_block(line) && !is_quoted(line)
            || is_header_block(rest)
            || line.contains("[pbem] ")
            || own.len() >= MAX_OWN
        {
            break;
        }
        if line.is_empty() || is_quoted(line) {
            at += 1;
            open = false;
            continue;
        }
        if let Some(length) = attribution(rest) {
            let behind = rest.iter().skip(length).find(|line| !line.is_empty());
            // If no quoted line follows, the answered message is below without any marks.
            if !behind.is_some_and(|line| is_quoted(line)) {
                break;
            }
            at += length;
            continue;
        }
        match own.last_mut() {
            Some(last) if open => {
                last.push(' ');
                last.push_str(line);
            }
            _ => own.push(line.clone()),
        }
        open = line.ends_with(';');
        at += 1;
    }
    for line in &mut own {
        if let Some((end, _)) = line.char_indices().nth(MAX_LINE) {
            line.truncate(end);
        }
    }
    own
}

/// Returns whether a text has a block of entries (B1) that is not quoted.
#[must_use]
pub fn has_own_block(text: &Text) -> bool {
    text.text.lines().take(MAX_LINES).any(|line| begins_block(line) && !is_quoted(line.trim()))
}

fn begins_block(line: &str) -> bool {
    line.contains("BEGIN PBEM ENTRIES") || line.contains("BEGIN PBEM GAME")
}

/// Lines as they were typed, without surrounding spaces; in flowed text, lines that were broken on the way are joined
/// again.
fn unfolded(text: &Text) -> Vec<String> {
    let clean = |line: &str| -> String {
        line.chars()
            .filter(|&c| c == '\t' || !is_steering(c))
            .map(|c| if c.is_whitespace() { ' ' } else { c })
            .collect()
    };
    let raw = text.text.lines().take(MAX_LINES).map(clean);
    let Form::Flowed(without_space) = text.form else { return raw.map(|line| line.trim().to_owned()).collect() };
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in raw {
        let quoted = line.starts_with('>');
        // A space that was put before a line that begins like something else.
        let line = line.strip_prefix(' ').unwrap_or(&line);
        let goes_on = line.ends_with(' ') && line != "-- ";
        match lines.last_mut() {
            Some(last) if open && !quoted && line != "-- " => {
                if without_space {
                    last.pop();
                }
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
        open = goes_on && !quoted;
    }
    lines.iter().map(|line| line.trim().to_owned()).collect()
}

/// Returns whether a line is quoted: after `>` or `|` or a sign that some program writes in their place, or after the writer's initials
/// and such an angle.
fn is_quoted(line: &str) -> bool {
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

/// Returns whether what follows is not the sender's: a signature, or an answered or forwarded message, as common
/// programs mark them.
fn ends_own_words(line: &str) -> bool {
    let bare = line.trim_matches(['*', ' ']);
    let rule = |mark: char| bare.chars().count() >= 5 && bare.chars().all(|c| c == mark);
    line == "--"
        || line == "\u{2014}"
        || (line.starts_with("---") && (line.ends_with("---") || line.len() > 30))
        || rule('_')
        || rule('=')
        || rule('\u{2500}')
        || ["Begin forwarded message", "Get Outlook for"].iter().any(|start| bare.starts_with(start))
        || bare
            .split_once([':', '\u{ff1a}'])
            .is_some_and(|(name, _)| SENDERS.contains(&name.trim_end_matches(['*', ' ']).trim()))
}

/// Returns whether the header of an answered message begins here, in whatever language: lines with a word, a colon and
/// a value, one of which has an address or a date.
fn is_header_block(lines: &[String]) -> bool {
    let field = |line: &str| {
        let line = line.trim_start_matches(['*', ' ']);
        let (name, value) = line.split_once([':', '\u{ff1a}'])?;
        let is_name = (1..=20).contains(&name.trim().chars().count())
            && name.split_whitespace().count() <= 3
            && name
                .chars()
                .all(|c| c.is_alphabetic() || matches!(c, ' ' | '*' | '-' | '\'' | '\u{2019}' | '.') || !c.is_ascii());
        (is_name && !value.trim().is_empty()).then(|| value.to_owned())
    };
    let Some(first) = lines.first().and_then(|line| field(line)) else { return false };
    let values: Vec<String> =
        lines.iter().skip(1).filter(|line| !line.is_empty()).take(4).map_while(|line| field(line)).collect();
    // What a player writes may contain a colon too ("My move: c4-c5"), but not line after line.
    values.len() >= 2 && std::iter::once(&first).chain(&values).any(|value| is_dated(value))
}

/// Returns how many of the next lines form the one above a quotation, which programs break; `None` if there is none.
fn attribution(lines: &[String]) -> Option<usize> {
    // A pasted line of a record has its time after an `@`.
    if lines.first().is_some_and(|line| line.contains(" @2")) {
        return None;
    }
    let mut joined = String::new();
    for (count, line) in lines.iter().take(MAX_ATTRIBUTION.1).enumerate() {
        if line.is_empty() || is_quoted(line) {
            break;
        }
        joined.push(' ');
        joined.push_str(line);
        if joined.chars().count() > MAX_ATTRIBUTION.0 {
            break;
        }
        let ends = line.trim_end_matches(['*', ' ', '_', ')']).ends_with([':', '\u{ff1a}']);
        if ends {
            // "Bram wrote:" alone, above what is quoted.
            let quotes = lines.iter().skip(count + 1).find(|line| !line.is_empty()).is_some_and(|line| is_quoted(line));
            let fits = is_dated(&joined)
                || ATTRIBUTIONS.iter().any(|start| joined.trim_start().starts_with(start))
                || (quotes && line.contains(' '));
            return fits.then_some(count + 1);
        }
        // Only what looks like one continues on the next line.
        if count == 0 && !is_dated(&joined) && !ATTRIBUTIONS.iter().any(|start| line.starts_with(start)) {
            break;
        }
    }
    None
}

/// Returns whether a text contains a mail address, a time of day or a year, and more than one word.
fn is_dated(text: &str) -> bool {
    let is_address = |word: &str| {
        word.split_once('@').is_some_and(|(name, domain)| !name.is_empty() && domain.trim_matches('.').contains('.'))
    };
    let digits: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()).collect();
    let has_year = digits.iter().any(|digits| digits.len() == 4 && matches!(digits.get(..2), Some("19" | "20" | "21")));
    let has_clock = text.split_whitespace().any(|word| {
        word.split_once([':', '.', 'h']).is_some_and(|(hour, minute)| {
            (1..=2).contains(&hour.len())
                && hour.bytes().all(|byte| byte.is_ascii_digit())
                && minute.get(..2).is_some_and(|two| two.bytes().all(|byte| byte.is_ascii_digit()))
        })
    });
    (text.split_whitespace().count() > 1 || !text.is_ascii())
        && (text.split_whitespace().any(is_address) || has_year || has_clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(form: Form, text: &str) -> Vec<String> {
        own_lines(&Text { text: text.to_owned(), form })
    }

    #[test]
    fn the_lines_that_are_the_writers_own_are_found() {
        for (text, expected) in [
            ("c4-c5\n\nOn Monday Bram wrote:\n> d4-d5\n", &["c4-c5"][..]),
            ("Hi Bram,\n\nc4-c5\n-- \nAda\n", &["Hi Bram,", "c4-c5"]),
            ("Hello!\r\nc4-c5\r\nhow is the weather?\r\n", &["Hello!", "c4-c5", "how is the weather?"]),
            ("> place c6 e6\n> more\n\nc4-c5\n", &["c4-c5"]),
            ("On Sat, 21 Nov 2026 at 10:15, Bram Post\n<bram@example.net> wrote:\n> d4-d5\n\nc4-c5\n", &["c4-c5"]),
            ("Am Samstag schrieb Bram:\n> d4-d5\nc4-c5", &["c4-c5"]),
            (
                "Em seg., 23 de nov. de 2026 às 11:00, Bram\n<bram@example.net> escreveu:\n\n> d4-d5\n\nc4-c5",
                &["c4-c5"],
            ),
            ("c4-c5\nBram wrote at 11:00:\n> d4-d5\n", &["c4-c5"]),
            ("My move:\nc4-c5\n", &["My move:", "c4-c5"]),
            ("My move: c4-c5\n", &["My move: c4-c5"]),
            ("c6-d6;\nhuff d6\n", &["c6-d6; huff d6"]),
            (
                "2 besiegers c4-c5 {On Monday\n\nBram wrote:\n[pbem] a}\n\nOn Monday Bram wrote:\n> x\n",
                &["2 besiegers c4-c5 {On Monday Bram wrote: [pbem] a}"],
            ),
            ("c4-c5\n-----Original Message-----\nFrom: Bram\nd4-d5\n", &["c4-c5"]),
            (
                "c4-c5\n\nVon: Bram Post\nGesendet: Montag, 23. November 2026 11:00\nAn: Ada\nBetreff: x\n\nd4-d5",
                &["c4-c5"],
            ),
            ("c4-c5\n\n差出人: Bram\n送信日時: 2026年11月23日 11:00\n宛先: Ada\n\nd4-d5", &["c4-c5"]),
            ("c4-c5\n2026年11月23日(月) 11:00 Bram Post <bram@example.net>:\n\nd4-d5", &["c4-c5"]),
            (
                "c4-c5\n\u{202b}בתאריך יום ב׳, 23 בנוב׳ 2026 ב-11:00 מאת Bram <bram@example.net>:\u{202c}\nd4-d5",
                &["c4-c5"],
            ),
            (
                "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nc4-c5\n-----BEGIN PGP SIGNATURE-----\n\nabc",
                &["c4-c5"],
            ),
            ("BP> d4-d5\nc4-c5", &["c4-c5"]),
            ("c4->c5", &["c4->c5"]),
        ] {
            assert_eq!(lines(Form::Fixed, text), expected, "{text}");
        }
    }

    #[test]
    fn quoted_signed_or_forwarded_text_is_not_the_writers_own() {
        for text in [
            "",
            "\n\n",
            "> c4-c5\n> d4-d5\n",
            "-- \nc4-c5\n",
            "-----Original Message-----\nc4-c5\n",
            "________________________________\nFrom: Bram\nc4-c5",
            "From: Bram\nSent: Monday, 23 November 2026\nTo: Ada\n\nc4-c5\n",
            "*De :* Bram <bram@example.net>\n*Envoyé :* lundi\n*À :* Ada\nc4-c5\n",
            "On Monday Bram wrote:\n\nc4-c5\n",
            "Am Montag, 23. Nov. 2026 um 11:00 Uhr schrieb Bram\n<bram@example.net>:\n\nc4-c5\n",
        ] {
            assert_eq!(lines(Form::Fixed, text), <[&str; 0]>::default(), "{text}");
        }
    }

    #[test]
    fn what_stands_after_a_sign_of_quoting_is_not_the_writers_own() {
        for sign in "> | » › ＞ ❯ ≫ ┃ ➤ │ ║ ▌ ▎ ｜ ❱ ▶ ► ▸ ⟩ 》 〉 ﹥ ¦ ➢ ➜ ⋙ ┆ ❘".split(' ')
        {
            for text in [format!("{sign} c4-c5\n"), format!("{sign}{sign} c4-c5"), format!(" {sign}c4-c5")] {
                assert_eq!(lines(Form::Fixed, &text), <[&str; 0]>::default(), "{text}");
            }
        }
        assert_eq!(lines(Form::Fixed, "BP\u{ff1e} d4-d5\nc4-c5"), ["c4-c5"]);
        // These stand before moves too.
        for own in ["→ c4-c5", "- c4-c5", "* c4-c5", "• c4-c5", "1. c4-c5", "c4→c5", "c4 ➔ c5", "e6×c4"] {
            assert_eq!(lines(Form::Fixed, own), [own]);
        }
    }

    #[test]
    fn flowed_lines_are_joined_and_their_stuffing_goes() {
        assert_eq!(lines(Form::Flowed(false), "c6-d6; \nhuff d6\n"), ["c6-d6; huff d6"]);
        assert_eq!(lines(Form::Flowed(true), "place c6 \n e6\n"), ["place c6e6"]);
        assert_eq!(lines(Form::Flowed(false), "> c4-c5 \n c4-c5\n-- \nAda"), ["c4-c5"]);
        assert_eq!(lines(Form::Fixed, "c6-d6; \nhuff d6\n"), ["c6-d6; huff d6"]);
    }
}
