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
