//! Copies of the program's own letters in a reply, which some mail programs make without any mark.

/// How letters of the program begin below the greeting, in small letters.
const BEGINNINGS: &[&str] = &[
    "this letter is about your game of ",
    "this is postrider, the program that keeps ",
    "this is your own copy of ",
    "a reminder: ",
    "postrider writes this",
    "this letter was written by ",
    "this letter was sent by ",
];
/// What their first sentence holds.
const HOLDS: &[&str] =
    &[" invites you to a game of ", " begins (game ", " in a minute:", "write just your move on the first line"];
/// How many lines a sentence may be broken into.
const BROKEN: usize = 3;
/// The shortest line of an earlier letter that is looked for, in characters without spaces.
const SHORTEST: usize = 1;

/// Returns whether a letter of the program begins here, with or without the name of whom it greets.
pub(super) fn begins(lines: &[String]) -> bool {
    let Some(first) = lines.first() else { return false };
    if is_beginning(lines) {
        return true;
    }
    // "Ada Quill,"
    let is_greeting = first.ends_with(',') && first.split_whitespace().count() <= 6;
    let mut behind = lines;
    if is_greeting {
        behind = behind.get(1..).unwrap_or_default();
        while behind.first().is_some_and(String::is_empty) {
            behind = behind.get(1..).unwrap_or_default();
        }
    }
    is_greeting && is_beginning(behind)
}

fn is_beginning(lines: &[String]) -> bool {
    let words = lines.iter().take(BROKEN).take_while(|line| !line.is_empty());
    let text = words.cloned().collect::<Vec<_>>().join(" ").to_lowercase();
    let first = lines.first().map_or(0, |line| line.chars().count());
    // "Ada Quill, this letter is about"
    let behind_greeting =
        text.split_once(',').filter(|(name, _)| name.split(' ').count() <= 6).map(|(_, behind)| behind.trim_start());
    let is = |text: &str| BEGINNINGS.iter().any(|start| text.starts_with(start));
    is(&text) || behind_greeting.is_some_and(is)
        // In the sentence that begins with this line.
        || HOLDS.iter().any(|part| text.find(part).is_some_and(|at| text.get(..at).is_some_and(|before| before.chars().count() < first)))
}

/// How much of a letter's end shows that a copy of it ends, in letters and digits.
const END: usize = 60;
/// How much of its beginning below the greeting shows that it is that letter, in letters and digits: as far as it names the game.
const BEGINNING: usize = 110;
/// The shortest line that shows alone that it is a letter's, in letters and digits.
const LONG: usize = 24;

/// The end of an earlier letter.
pub(super) struct End(String);

impl End {
    pub(super) fn of(earlier: &[String]) -> Self {
        let whole: String = earlier.iter().map(|line| solid(line)).collect();
        let skipped = whole.chars().count().saturating_sub(END);
        Self(whole.chars().skip(skipped).collect())
    }

    /// How many lines a copy of the letter takes to its end, however it was broken into lines; `None` if its end is not there.
    pub(super) fn below(&self, lines: &[String]) -> Option<usize> {
        if self.0.chars().count() < END {
            return None;
        }
        let mut text = String::new();
        lines
            .iter()
            .position(|line| {
                let solid = solid(line);
                text.push_str(&solid);
                // More than that cannot be the end.
                if let Some((cut, _)) = text.char_indices().rev().nth(END) {
                    text.drain(..cut);
                }
                !solid.is_empty() && text.ends_with(&self.0)
            })
            .map(|at| at + 1)
    }
}

/// The letters and digits of a line.
fn solid(line: &str) -> String {
    line.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Says of each line whether it is one of an earlier letter: with the one above or below it there, or so long that it is alone. If that
/// letter does not begin there, or less than half of it is there, all are taken for copied.
pub(super) fn copied(lines: &[String], earlier: &[String]) -> Vec<bool> {
    let there: String = earlier.iter().map(|line| solid(line)).collect();
    let here: Vec<String> = lines.iter().map(|line| solid(line)).collect();
    let begins = (0..earlier.len()).find(|at| earlier.get(*at..).is_some_and(is_beginning));
    let whole = here.concat();
    let mut left = BEGINNING;
    // It may be broken into other lines, or broken by what was typed between its own.
    let beginning: Vec<String> = earlier
        .iter()
        .skip(begins.unwrap_or_default())
        .map(|line| solid(line))
        .take_while(|line| {
            let begun = left > 0;
            left = left.saturating_sub(line.chars().count());
            begun
        })
        .collect();
    let is_there = whole.contains(&beginning.concat()) || beginning.iter().all(|line| whole.contains(line));
    if begins.is_none() || !is_there {
        return vec![true; lines.len()];
    }
    let filled: Vec<usize> = (0..here.len()).filter(|at| here.get(*at).is_some_and(|line| !line.is_empty())).collect();
    let line = |nth: usize| filled.get(nth).and_then(|at| here.get(*at)).map_or("", String::as_str);
    let mut copied: Vec<bool> = here.iter().map(String::is_empty).collect();
    let mut count = 0;
    for (nth, at) in filled.iter().enumerate() {
        let with = |before: &str, behind: &str| {
            !before.is_empty() && !behind.is_empty() && there.contains(&format!("{before}{behind}"))
        };
        let one = line(nth);
        let above = nth.checked_sub(1).map_or("", line);
        let is = one.chars().count() >= LONG && there.contains(one) || with(above, one) || with(one, line(nth + 1));
        if is && let Some(copied) = copied.get_mut(*at) {
            *copied = true;
            count += one.len();
        }
    }
    if 2 * count < there.len() { vec![true; lines.len()] } else { copied }
}

/// Removes lines that stood together in an earlier letter, in the same order: two at least that are not empty.
pub(super) fn remove(lines: &mut Vec<String>, earlier: &[String]) {
    if earlier.is_empty() {
        return;
    }
    let dense = |line: &String| line.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let there: Vec<String> = earlier.iter().map(dense).filter(|line| line.chars().count() >= SHORTEST).collect();
    let mut places: std::collections::HashMap<&str, Vec<usize>> = std::collections::HashMap::new();
    for (at, line) in there.iter().enumerate() {
        places.entry(line).or_default().push(at);
    }
    let here: Vec<(usize, String)> =
        lines.iter().enumerate().map(|(at, line)| (at, dense(line))).filter(|(_, line)| !line.is_empty()).collect();
    let mut copied = vec![false; here.len()];
    for nth in 0..here.len().saturating_sub(1) {
        let (Some((_, one)), Some((_, two))) = (here.get(nth), here.get(nth + 1)) else { break };
        let together =
            places.get(one.as_str()).is_some_and(|list| list.iter().any(|at| there.get(at + 1) == Some(two)));
        if together {
            for at in [nth, nth + 1] {
                if let Some(copied) = copied.get_mut(at) {
                    *copied = true;
                }
            }
        }
    }
    let copied: std::collections::HashSet<usize> =
        here.iter().zip(&copied).filter(|(_, copied)| **copied).map(|((at, _), _)| *at).collect();
    let mut at = 0;
    lines.retain(|_| {
        at += 1;
        !copied.contains(&(at - 1))
    });
}

/// A line without the links that mail programs put behind what they take for an address: `piece@AREA<mailto:piece@AREA>`.
pub(super) fn without_links(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '[', '(']) {
        let (before, bracket) = rest.split_at(at);
        out.push_str(before);
        let close = match bracket.as_bytes().first() {
            Some(b'<') => '>',
            Some(b'[') => ']',
            _ => ')',
        };
        let inner = bracket.get(1..).unwrap_or_default();
        let is_link = ["mailto:", "http://", "https://", "tel:"]
            .iter()
            .any(|scheme| inner.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        match inner.find(close).filter(|_| is_link) {
            Some(end) => rest = inner.get(end + 1..).unwrap_or_default(),
            None => {
                out.push_str(bracket.get(..1).unwrap_or_default());
                rest = inner;
            }
        }
    }
    out.push_str(rest);
    out.trim().to_owned()
}
