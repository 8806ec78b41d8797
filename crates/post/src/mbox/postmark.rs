//! The line above each message of an mbox: `From ada@example.org Mon Nov 23 09:13:00 2026`, with the date in any form.

/// What stands at the beginning of the first header line below such a line that has no date.
const FIRST: [&str; 10] =
    ["return-path", "received", "delivered-to", "x-", "from", "date", "message-id", "to", "subject", "mime-version"];

/// Returns whether a line that begins with `From ` stands above a message, judging by the line below it and whether the one above it is
/// empty. A sentence that begins like that stands above more words, not above header lines.
pub(super) fn begins_message(line: &[u8], next: &[u8], after_blank: bool) -> bool {
    let Some(name) = field(next) else { return false };
    // Some programs put no empty line between messages, and some no date.
    is_dated(line)
        || (after_blank
            && FIRST.iter().any(|first| name == *first || (first.ends_with('-') && name.starts_with(first))))
}

/// The name of the header field in a line, in small letters.
fn field(line: &[u8]) -> Option<String> {
    let name = line.split(|&byte| byte == b':').next().filter(|name| name.len() < line.len())?;
    let fits = !name.is_empty() && name.len() <= 76 && name.iter().all(|byte| byte.is_ascii_graphic());
    fits.then(|| String::from_utf8_lossy(name).to_ascii_lowercase())
}

/// Returns whether a line names a time of day and a year, as the line above a message does.
pub(super) fn is_dated(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = |word: &str| {
        let pieces: Vec<&str> = word.split(':').collect();
        (2..=3).contains(&pieces.len()) && pieces.iter().all(|piece| digits(piece) && piece.len() <= 2)
    };
    let is_year = |word: &str| word.len() == 4 && digits(word) && (word.starts_with("19") || word.starts_with("20"));
    let words = || text.split([' ', '\t', 'T', ',', 'Z', '\r', '\n']).filter(|word| !word.is_empty()).skip(1);
    words().any(|word| is_time(word.split(['+', '.']).next().unwrap_or_default()))
        && words()
            .any(|word| is_year(word) || word.split('-').next().is_some_and(|year| word.len() == 10 && is_year(year)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_above_a_message_is_told_from_a_sentence() {
        for (line, next, after_blank, expected) in [
            ("From ada@example.org Mon Nov 23 09:13:00 2026", "From: x", true, true),
            ("From - Mon Nov 23 09:13:00 2026", "X-Mozilla-Status: 0001", false, true),
            ("From 158@xxx Mon Nov 23 09:13:00 +0000 2026", "X-GM-THRID: 1", false, true),
            ("From ada at example.org  Mon Nov 23 09:13 2026", "From: x", false, true),
            ("From a@b Mon, 23 Nov 2026 09:13:00 +0100", "Received: x", false, true),
            ("From a@b 2026-11-23T09:13:00Z", "Received: x", false, true),
            ("From MAILER-DAEMON", "Return-Path: <>", true, true),
            ("From MAILER-DAEMON", "Return-Path: <>", false, false),
            ("From here on it is hard.", "", true, false),
            ("From here on it is hard.", "c4-c5", true, false),
            ("From me: hello", "Note: well", true, false),
            ("From Monday, 23 Nov 2026 at 10:00 I am away:", "no letters then", true, false),
            ("From a@b Mon Nov 23 09:13:00 2026", "Two words: x", true, false),
        ] {
            assert_eq!(begins_message(line.as_bytes(), next.as_bytes(), after_blank), expected, "{line}");
        }
    }
}
