//! Words of a letter: times, in the reader's zone if it is known, and entries without seals, salts and numbers of cards, which only
//! programs read. The attached record has all of them. Pure.

use chrono::{DateTime, FixedOffset, Utc};

/// The length of a time in a record: `2026-11-21T12:00:00Z`.
const TIME: usize = 20;
/// From how many digits on a run is one that only programs read.
const HEX: usize = 8;

/// Returns a text of the program's own with times in words, in the reader's zone if that is known, in minutes ahead of UTC.
#[must_use]
pub fn in_words(text: &str, zone: Option<i32>) -> String {
    told(text, zone, &[])
}

/// Returns a text with times in words and without the parts that only programs read. The texts in `quoted` and messages in braces are
/// somebody's own words and stay as they are.
pub(super) fn told(text: &str, zone: Option<i32>, quoted: &[String]) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some((at, length)) = own_words(rest, quoted) {
        let (before, from) = rest.split_at(at);
        retold(&mut out, before, zone);
        let (said, behind) = from.split_at(length);
        out.push_str(said);
        rest = behind;
    }
    retold(&mut out, rest, zone);
    out
}

/// Where the first words begin that somebody has written, and how long they are.
fn own_words(text: &str, quoted: &[String]) -> Option<(usize, usize)> {
    let quoted = quoted.iter().filter(|one| !one.trim().is_empty());
    let quoted = quoted.filter_map(|one| Some((text.find(one.as_str())?, one.len())));
    let mut begun = 0;
    let beside = text.split_inclusive('\n').find_map(|line| {
        let at = begun;
        begun += line.len();
        let opens = line.find('{')?;
        Some((at + opens, line.get(opens..)?.find('}')? + 1))
    });
    quoted.chain(beside).min()
}

/// Adds a text to others, with times in words, and without what only programs read.
fn retold(out: &mut String, text: &str, zone: Option<i32>) {
    let mut rest = text;
    while let Some(at) = rest.find(is_begun) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let taken = time(from)
            .map(|(time, length)| (spoken(time, zone), length))
            .or_else(|| secret(from))
            .or_else(|| shown(from))
            .or_else(|| deal(from));
        let begins = !out.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '=' | '%' | '+'));
        match taken.filter(|_| begins).or_else(|| opening(from)) {
            Some((words, length)) => {
                // The time of an entry.
                let is_entry = out.ends_with('@');
                if is_entry {
                    out.pop();
                    out.push_str(&format!("({words})"));
                } else if words.is_empty() && out.ends_with(' ') {
                    out.pop();
                } else {
                    out.push_str(&words);
                }
                rest = from.get(length..).unwrap_or_default();
            }
            None => {
                let length = from.chars().next().map_or(1, char::len_utf8);
                out.push_str(from.get(..length).unwrap_or_default());
                rest = from.get(length..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
}

/// Whether something may begin here that is told in other words.
fn is_begun(c: char) -> bool {
    matches!(c, '2' | 's' | 'd' | 'r' | 'c' | 'o' | ':')
}

/// The time at the beginning of a text, and how much of it says so: with the same in the zone of this machine behind it.
fn time(text: &str) -> Option<(DateTime<Utc>, usize)> {
    let stamp = text.get(..TIME).filter(|stamp| stamp.starts_with("20") && stamp.ends_with('Z'))?;
    let time = DateTime::parse_from_rfc3339(stamp).ok()?.with_timezone(&Utc);
    let behind = text.get(TIME..).unwrap_or_default();
    let here = behind.strip_prefix(" (").and_then(|here| here.find(" here)")).filter(|at| *at < 40);
    Some((time, TIME + here.map_or(0, |at| " (".len() + at + " here)".len())))
}

/// A seal, a salt, the root of a deck or a commitment at the beginning of a text, and its length.
fn secret(text: &str) -> Option<(String, usize)> {
    // A line may end behind the word.
    const COMMIT: [&str; 2] = ["commit ", "commit\n"];
    let mut labels = ["seal:", "salt:", "root:"].into_iter().chain(COMMIT);
    let (label, rest) = labels.find_map(|label| Some((label, text.strip_prefix(label)?)))?;
    let digits = rest.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    let dots = if rest.get(digits..).is_some_and(|rest| rest.starts_with("...")) { 3 } else { 0 };
    let more = rest.get(digits + dots..).filter(|more| more.starts_with(" (")).and_then(|more| more.find(" in all)"));
    let more = more.filter(|at| *at < 10).map_or(0, |at| at + " in all)".len());
    let before = if COMMIT.contains(&label) { label } else { "" };
    (digits >= HEX).then(|| (format!("{before}(sealed)"), label.len() + digits + dots + more))
}

/// What shows that an opening is the right one, behind what it opens, and its length.
fn opening(text: &str) -> Option<(String, usize)> {
    const WHOLE: usize = 24;
    let rest = text.strip_prefix(':')?;
    let digits = rest.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    let is_short = digits == HEX && rest.get(digits..)?.starts_with("...");
    (is_short || digits >= WHOLE).then(|| (String::new(), 1 + digits + if is_short { 3 } else { 0 }))
}

/// A card or token that is shown by its number, at the beginning of a text, and how much of it says so: what it is, if it is named there.
fn shown(text: &str) -> Option<(String, usize)> {
    let (word, rest) = ["open:", "reveal "].iter().find_map(|word| Some((*word, text.strip_prefix(word)?)))?;
    let number = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let behind = rest.get(number..).filter(|_| (1..=5).contains(&number))?;
    let kind = behind.strip_prefix(':').map_or(0, |kind| kind.bytes().take_while(u8::is_ascii_uppercase).count());
    let named = behind.get(1..=kind).filter(|named| !named.is_empty()).unwrap_or_default();
    let length = word.len() + number + if named.is_empty() { 0 } else { 1 + kind };
    let more = text.get(length..).and_then(opening).map_or(0, |(_, more)| more);
    let ends = text.get(length + more..)?.chars().next().is_none_or(|c| c != ':' && !c.is_ascii_alphanumeric());
    match (word, named) {
        _ if !ends => None,
        ("open:", "") => Some((String::new(), length + more)),
        (_, "") => None,
        _ => Some((format!("{} {named}", word.trim_end_matches([':', ' '])), length + more)),
    }
}

/// Cards that are dealt by their numbers, and how much of a text says so.
fn deal(text: &str) -> Option<(String, usize)> {
    let rest = text.strip_prefix("deal")?;
    let (mut numbers, mut taken) = (0_usize, 0);
    while let Some(behind) = rest.get(taken..).and_then(|behind| behind.strip_prefix(' ')) {
        let word = behind.split(|c: char| c == ';' || c.is_whitespace()).next().unwrap_or_default();
        // Behind the number of a later deck, perhaps.
        let is_number = (1..=5).contains(&word.len())
            && word.starts_with(|c: char| c.is_ascii_digit())
            && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if word != "..." && !is_number {
            break;
        }
        numbers += usize::from(is_number);
        taken += 1 + word.len();
    }
    let all = rest.get(taken..)?.strip_prefix(" (").and_then(|all| all.split_once(" in all)"));
    let all = all.filter(|(count, _)| count.len() <= 3).and_then(|(count, _)| Some((count.parse().ok()?, count.len())));
    let (count, more) = all.map_or((numbers, 0), |(count, length)| (count, " ( in all)".len() + length));
    let behind = rest.get(taken + more..)?;
    // In a sentence it is a word like any other.
    let ends = behind.is_empty() || [";", "\n", "<", " (", " @"].iter().any(|end| behind.starts_with(end));
    let cards = if count == 1 { "card" } else { "cards" };
    (count > 1 || count == 1 && ends).then(|| (format!("deal ({count} {cards})"), "deal".len() + taken + more))
}

/// A time as people say it.
fn spoken(time: DateTime<Utc>, zone: Option<i32>) -> String {
    let form = "%A %-d %B %Y, %H:%M";
    match zone.filter(|minutes| *minutes != 0).and_then(|minutes| FixedOffset::east_opt(minutes.checked_mul(60)?)) {
        Some(zone) => format!("{} your time", time.with_timezone(&zone).format(form)),
        None => format!("{} UTC", time.format(form)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_words_and_in_the_readers_zone() {
        for (zone, text, words) in [
            (None, "until 2026-11-30T09:47:40Z", "until Monday 30 November 2026, 09:47 UTC"),
            (Some(90), "until 2026-11-30T23:47:40Z.", "until Tuesday 1 December 2026, 01:17 your time."),
            (Some(i32::MAX), "2026-11-30T09:47:40Z", "Monday 30 November 2026, 09:47 UTC"),
            (
                None,
                "1 defenders place c6 e6 @2026-11-25T09:47:40Z {hi}",
                "1 defenders place c6 e6 (Wednesday 25 November 2026, 09:47 UTC) {hi}",
            ),
            (
                None,
                "until 2026-11-21T14:00:00Z (Sat 21 Nov 14:00 +00:00 here); on",
                "until Saturday 21 November 2026, 14:00 UTC; on",
            ),
            (
                None,
                "2026-13-30T09:47:40Z x2026-11-30T09:47:40Z 2\u{e9}2 2",
                "2026-13-30T09:47:40Z x2026-11-30T09:47:40Z 2\u{e9}2 2",
            ),
        ] {
            assert_eq!(told(text, zone, &[]), words);
        }
    }

    #[test]
    fn what_only_programs_read_is_left_out() {
        for (text, words) in [
            ("1 white +d1 seal:380bab5d...; d1-d2", "1 white +d1 (sealed); d1-d2"),
            ("deck seal:380bab5d... (30 in all); deal", "deck (sealed); deal"),
            ("roots root:32f7b46a... (16 in all); commit 0aa594d7...", "roots (sealed); commit (sealed)"),
            ("b4xb3 open:12:I:0db255d2... open:14:A:e37d9d33...; end", "b4xb3 open I open A; end"),
            ("reveal 9:A:4ed66f1fbd522c96361b605ec0277c0a; +d4", "reveal A; +d4"),
            ("place exorcist@YA open:2.1:0db255d2...; end", "place exorcist@YA; end"),
            (
                "place exorcist@YA open:21 @2026-11-30T09:47:40Z",
                "place exorcist@YA (Monday 30 November 2026, 09:47 UTC)",
            ),
            (
                "open:a8a47aa48cf3df4a32fe96dc44cf2889; Ld1-d2; open:x; reveal 2 ways",
                "open; Ld1-d2; open:x; reveal 2 ways",
            ),
            ("at 10:15:00, by id:4ed66f1f and :4ed6...", "at 10:15:00, by id:4ed66f1f and :4ed6..."),
            (
                "a root: it holds; commit yourself, and the commit 0aa5",
                "a root: it holds; commit yourself, and the commit 0aa5",
            ),
            ("1 red deal 17 ... (30 in all); place a@AR", "1 red deal (30 cards); place a@AR"),
            ("1 red deal 17 4 9; place a@AR", "1 red deal (3 cards); place a@AR"),
            ("1 red deal 17 4 9", "1 red deal (3 cards)"),
            ("deal; a good deal 2 you; deal 5", "deal; a good deal 2 you; deal (1 card)"),
            (
                "deal 2.1 2.12\n3 red deal 7 @2026-11-30T09:47:40Z",
                "deal (2 cards)\n3 red deal (1 card) (Monday 30 November 2026, 09:47 UTC)",
            ),
            ("a seal: it holds, and so do seals", "a seal: it holds, and so do seals"),
        ] {
            assert_eq!(told(text, None, &[]), words);
        }
    }

    #[test]
    fn what_somebody_has_written_stays_as_it_is() {
        let quoted = ["> 2026-11-30T09:47:40Z seal:380bab5d\n".to_owned(), String::new()];
        for (text, words) in [
            (
                "On 2026-11-30T09:47:40Z:\n> 2026-11-30T09:47:40Z seal:380bab5d\nuntil 3026-11-30T09:47:40Z",
                "On Monday 30 November 2026, 09:47 UTC:\n> 2026-11-30T09:47:40Z seal:380bab5d\nuntil 3026-11-30T09:47:40Z",
            ),
            (
                "1 white +d1 seal:380bab5d...; d1-d2 @2026-11-30T09:47:40Z {deal 17 4 9 at 2026-11-30T09:47:40Z}\n{\n2 white seal:380bab5d",
                "1 white +d1 (sealed); d1-d2 (Monday 30 November 2026, 09:47 UTC) {deal 17 4 9 at 2026-11-30T09:47:40Z}\n{\n2 white (sealed)",
            ),
        ] {
            assert_eq!(told(text, None, &quoted), words);
        }
    }
}
