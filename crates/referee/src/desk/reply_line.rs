//! An entry in the text of a reply: written so that mail programs, which break lines, cannot change it unnoticed, and
//! found again among the lines of a reply.

/// The longest line that is written, in characters; mail programs break lines from about 70 on.
const WIDTH: usize = 66;
/// The most lines that an entry may extend over.
const MOST_LINES: usize = 80;
/// The longest entry with its message, in characters.
const LONGEST: usize = 3_000;

/// Writes an entry as the text of a reply. A short one without a message is written unchanged; any other as a line of
/// the record, in which braces show where it ends however it is broken.
#[must_use]
pub fn written(number: u32, side: &str, actions: &str, message: Option<&str>) -> String {
    if message.is_none() && actions.chars().count() <= WIDTH {
        return format!("{actions}\n");
    }
    let line = format!("{number} {side} {actions} {{{}}}", message.unwrap_or_default());
    let mut out = String::new();
    let mut width = 0;
    for word in line.split(' ') {
        let length = word.chars().count();
        // A word that looks like the beginning of a quotation, a signature, a rule or a message must not begin a line.
        let may_begin =
            !word.is_empty() && !word.starts_with(['>', '|', '-', '_', '=', '#', '*', '.']) && word != "From";
        if width > 0 {
            if width + 1 + length > WIDTH && may_begin {
                out.push('\n');
                width = 0;
            } else {
                out.push(' ');
                width += 1;
            }
        }
        out.push_str(word);
        width += length;
    }
    out.push('\n');
    out
}

/// If an entry begins here that is written as a line of the record, with braces at its end, returns it on one line, and
/// how many lines it took. Blank lines in it were inserted by a mail program.
#[must_use]
pub fn joined(lines: &[String]) -> Option<(String, usize)> {
    let first = lines.first()?;
    let mut words = first.split(' ');
    let is_number = |word: &str| (1..=6).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_side = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    if !(words.next().is_some_and(is_number) && words.next().is_some_and(is_side)) {
        return None;
    }
    let mut line = String::new();
    for (count, next) in lines.iter().take(MOST_LINES).enumerate() {
        if !line.is_empty() && !next.is_empty() {
            line.push(' ');
        }
        line.push_str(next);
        if line.chars().count() > LONGEST {
            return None;
        }
        let (actions, message) = line.split_once('{').unwrap_or((&line, ""));
        // Braces that close before any open do not belong to an entry.
        if actions.contains('}') {
            return None;
        }
        if message.contains('}') {
            return message.ends_with('}').then_some((line, count + 1));
        }
    }
    None
}

/// Splits a pasted entry into actions and message, if it has one.
#[must_use]
pub fn parted(line: &str) -> (&str, Option<&str>) {
    let line = line.trim_end();
    match line.strip_suffix('}').and_then(|line| line.split_once('{')) {
        Some((actions, message)) => (actions.trim_end(), Some(message)),
        None => (line, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn a_short_entry_is_unchanged_and_others_are_restored_from_their_lines() {
        assert_eq!(written(2, "besiegers", "c4-c5", None), "c4-c5\n");
        let long = "deploy trooper>AR; move tank>RP; ".repeat(6) + "end";
        let talk = "On Monday > I wrote: -- see [pbem] x | From here it is 5 - 3, \u{201c}is it not?\u{201d} \u{2014} Ada\u{2026}";
        let most = "word ".repeat(120);
        for (actions, message) in
            [("c4-c5", Some(talk)), (&*long, None), (&*long, Some(talk)), ("resign", Some(most.trim()))]
        {
            let text = written(12, "besiegers", actions, message);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            for text in [text.clone(), text.replace('\n', "\n\n")] {
                let (line, _) = joined(&lines(&text)).expect("an entry");
                let (entry, said) = parted(&line);
                assert_eq!(entry, format!("12 besiegers {actions}"));
                assert_eq!(said.filter(|said| !said.is_empty()), message);
            }
        }
    }

    #[test]
    fn what_is_no_line_of_a_record_is_left_alone() {
        for text in [
            "c4-c5",
            "2 besiegers c4-c5",
            "2 besiegers c4-c5 {and\nno end",
            "2 besiegers c4-c5 {x} and more",
            "2 Besiegers {x}",
            "2 a } {x}",
            "",
        ] {
            assert_eq!(joined(&lines(text)), None, "{text}");
        }
    }
}
