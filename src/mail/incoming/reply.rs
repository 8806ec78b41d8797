//! What an opponent without the program typed: the first line of a reply that is theirs and says something.

use super::{Form, Text};

/// The most lines that are looked at.
const MAX_LINES: usize = 2000;
/// The longest actions that are taken up, in characters.
const MAX_ACTIONS: usize = 4000;
/// Words that begin a greeting.
const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "dear",
    "hallo",
    "hullo",
    "moin",
    "salut",
    "bonjour",
    "hola",
    "ciao",
    "greetings",
    "liebe",
    "lieber",
];

/// What stands at the beginning of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// These actions, or something else that was typed there.
    Line(String),
    /// Nothing of the sender's own.
    Nothing,
}

/// Finds the first line of a text that is the sender's own and no greeting. It goes on in the next lines while it ends in `;`.
/// A text that begins with what it answers, with a signature or with nothing has none.
#[must_use]
pub fn typed(text: &Text) -> Typed {
    let lines = unfolded(text);
    let mut lines = lines.iter().map(String::as_str).peekable();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if ends_own_words(line) {
            return Typed::Nothing;
        }
        let next = lines.peek().map(|next| next.trim()).unwrap_or_default();
        if line.is_empty() || line.starts_with('>') || is_greeting(line) {
            continue;
        }
        // "On Monday Bram wrote:", which mail programs may break in two, stands above what is quoted. Where no quoted line follows,
        // what was answered stands below unmarked.
        let broken = next.ends_with([':', '：']) && begins_attribution(line);
        if broken || introduces(line) {
            let behind = lines.clone().skip(usize::from(broken)).find(|line| !line.trim().is_empty());
            if behind.is_some_and(|line| line.trim_start().starts_with('>')) {
                if broken {
                    lines.next();
                }
                continue;
            }
            if broken || line.contains('@') || begins_attribution(line) {
                return Typed::Nothing;
            }
        }
        let mut actions = line.to_owned();
        while actions.ends_with(';')
            && let Some(more) = lines.next().map(str::trim)
            && !more.is_empty()
            && !more.starts_with('>')
        {
            actions.push(' ');
            actions.push_str(more);
        }
        return Typed::Line(actions.chars().take(MAX_ACTIONS).collect());
    }
    Typed::Nothing
}

/// Lines as they were typed: those of a flowed text that were broken on the way are one again.
fn unfolded(text: &Text) -> Vec<String> {
    let raw = text.text.lines().take(MAX_LINES).map(|line| line.trim_end_matches('\r'));
    let Form::Flowed(without_space) = text.form else { return raw.map(str::to_owned).collect() };
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in raw {
        let quoted = line.starts_with('>');
        // A space that was put before a line that begins like something else.
        let line = line.strip_prefix(' ').unwrap_or(line);
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
    lines
}

/// Whether what follows is not the sender's: a signature, or the message that is answered, as common programs mark it.
fn ends_own_words(line: &str) -> bool {
    let rule = |mark: char| line.len() >= 5 && line.chars().all(|c| c == mark);
    line == "--"
        || line.starts_with("-----")
        || rule('_')
        || ["From:", "Von:", "De :", "De:", "Begin forwarded message", "Get Outlook for", "Sent from my "]
            .iter()
            .any(|start| line.starts_with(start))
}

fn is_greeting(line: &str) -> bool {
    let mut words = line.split([' ', ',', '!', '.']).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_lowercase();
    let day = ["morning", "day", "afternoon", "evening"];
    let is_good = first == "good" && words.next().is_some_and(|word| day.contains(&word.to_lowercase().as_str()));
    (is_good || GREETINGS.contains(&first.as_str())) && words.count() <= 4
}

/// Whether a line ends like the one above what is quoted.
fn introduces(line: &str) -> bool {
    line.ends_with([':', '：']) && line.contains(' ')
}

fn begins_attribution(line: &str) -> bool {
    let starts = ["On ", "Am ", "Le ", "El ", "Il ", "Op ", "Em ", "Den "];
    // In other languages a time of the day and an address or several words tell it.
    let has_clock = line.split(' ').any(|word| {
        word.split_once(':').is_some_and(|(hour, minute)| {
            !hour.is_empty()
                && hour.bytes().all(|byte| byte.is_ascii_digit())
                && minute.starts_with(|c: char| c.is_ascii_digit())
        })
    });
    starts.iter().any(|start| line.starts_with(start))
        || line.contains('@')
        || (has_clock && line.split_whitespace().count() > 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(form: Form, text: &str) -> Option<String> {
        match typed(&Text { text: text.to_owned(), form }) {
            Typed::Line(line) => Some(line),
            Typed::Nothing => None,
        }
    }

    #[test]
    fn the_first_line_that_is_the_writers_own_is_found() {
        for (text, expected) in [
            ("c4-c5\n\nOn Monday Bram wrote:\n> d4-d5\n", "c4-c5"),
            ("Hi Bram,\n\nc4-c5\n-- \nAda\n", "c4-c5"),
            ("Hello!\r\nc4-c5\r\nhow is the weather?\r\n", "c4-c5"),
            ("> place c6 e6\n> more\n\nc4-c5\n", "c4-c5"),
            ("On Sat, 21 Nov 2026 at 10:15, Bram Post\n<bram@example.net> wrote:\n> d4-d5\n\nc4-c5\n", "c4-c5"),
            ("Am Samstag schrieb Bram:\n> d4-d5\nc4-c5", "c4-c5"),
            ("Em seg., 23 de nov. de 2026 às 11:00, Bram\n<bram@example.net> escreveu:\n\n> d4-d5\n\nc4-c5", "c4-c5"),
            ("c4-c5\nBram wrote at 11:00:\n> d4-d5\n", "c4-c5"),
            ("I will not play this:\nc4-c5\n", "I will not play this:"),
            ("Good question!\nc4-c5\n", "Good question!"),
            ("Good morning!\nc4-c5\n", "c4-c5"),
            ("c6-d6;\nhuff d6\n", "c6-d6; huff d6"),
            ("c4-c5\n-----Original Message-----\nFrom: Bram\nd4-d5\n", "c4-c5"),
        ] {
            assert_eq!(line(Form::Fixed, text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_quoted_signed_or_forwarded_is_not_the_writers() {
        for text in [
            "",
            "\n\n",
            "> c4-c5\n> d4-d5\n",
            "-- \nc4-c5\n",
            "-----Original Message-----\nc4-c5\n",
            "________________________________\nFrom: Bram\nc4-c5",
            "From: Bram\nSent: Monday\n\nc4-c5\n",
            "Hi Bram,\n",
            "Sent from my telephone\nc4-c5",
            "On Monday Bram wrote:\n\nc4-c5\n",
            "Am Montag, 23. Nov. 2026 um 11:00 Uhr schrieb Bram\n<bram@example.net>:\n\nc4-c5\n",
        ] {
            assert_eq!(line(Form::Fixed, text), None, "{text}");
        }
    }

    #[test]
    fn flowed_lines_are_joined_and_their_stuffing_goes() {
        assert_eq!(line(Form::Flowed(false), "c6-d6; \nhuff d6\n").as_deref(), Some("c6-d6; huff d6"));
        assert_eq!(line(Form::Flowed(true), "place c6 \n e6\n").as_deref(), Some("place c6e6"));
        assert_eq!(line(Form::Flowed(false), "> c4-c5 \n c4-c5\n-- \nAda").as_deref(), Some("c4-c5"));
        assert_eq!(line(Form::Fixed, "c6-d6; \nhuff d6\n").as_deref(), Some("c6-d6; huff d6"));
    }
}
