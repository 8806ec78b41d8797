//! The pages of many games beside each other.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Contents, Listed, MOST_ENTRIES, has_addresses, page};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_referee::verdict::{Opened, Ruling, Verdict};

/// A record among others, and its page.
#[derive(Debug)]
pub struct Made {
    /// How it is listed.
    pub listed: Listed,
    pub page: Option<String>,
    /// Whether the page contains addresses.
    pub addresses: bool,
    /// The verdict on it; `None` if it cannot be read.
    pub verdict: Option<Verdict>,
}

impl Made {
    fn refused(path: &str, end: String, verdict: Option<Verdict>) -> Self {
        let listed = Listed {
            page: None,
            path: path.to_owned(),
            game: "no game".into(),
            name: "not a game".into(),
            started: String::new(),
            entries: 0,
            state: "refused",
            end,
        };
        Self { listed, page: None, addresses: false, verdict }
    }

    /// What is listed of a record that cannot be read, and why.
    #[must_use]
    pub fn unread(path: &str, why: String) -> Self {
        Self::refused(path, why, None)
    }

    /// Makes the page of a record, if it is not too long. `from`: the name of the side at the bottom of the boards; `is_there`: the page was
    /// made before, so that only the list is made anew.
    #[must_use]
    pub fn of(path: &str, source: &[u8], from: Option<&str>, (referee, record): (bool, bool), is_there: bool) -> Self {
        let mut opened = match Opened::new(source) {
            Ok(opened) => opened,
            Err(verdict) => return Self::refused(path, verdict.to_string(), Some(*verdict)),
        };
        let verdict = opened.replay(u32::MAX);
        let from = from.and_then(|word| opened.header.info.side(word)).unwrap_or(Side::First);
        let contents = Contents { referee, record, from };
        let header = &opened.header;
        let standing = opened.table.standing();
        let [first, second] = Side::BOTH.map(|side| header.player(side).name.as_ref());
        let title = header.title.as_ref().map(|title| format!(": {title}")).unwrap_or_default();
        let sides = &header.info.sides;
        let (state, end) = match (verdict.ruling, standing.outcome) {
            (Ruling::Legal, Some(outcome)) => ("over", outcome.text(sides)),
            (Ruling::Legal, None) => ("running", format!("{} due", sides[standing.due.side.index()].word)),
            _ => ("refused", verdict.to_string()),
        };
        let has_page = verdict.entries <= MOST_ENTRIES;
        let page = (has_page && !is_there).then(|| page(source, &opened, &verdict, &contents));
        Self {
            listed: Listed {
                page: None,
                path: path.to_owned(),
                game: header.info.title.to_owned(),
                name: format!("{first} against {second}{title}"),
                started: header.started.to_string(),
                entries: verdict.entries,
                state,
                end,
            },
            addresses: has_page && record && has_addresses(&opened),
            page,
            verdict: Some(verdict),
        }
    }
}

/// Returns the name of a record's page: that of its file with unsafe characters replaced, and different from all
/// others.
pub fn file_name(path: &str, taken: &mut BTreeSet<String>) -> String {
    let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let stem: String = printable(&stem).chars().map(plain).take(80).collect();
    let stem = if stem.is_empty() { "game".to_owned() } else { stem };
    let mut name = format!("{stem}.html");
    let mut number = 1_u32;
    // Not every file system distinguishes case.
    while !taken.insert(name.to_ascii_lowercase()) {
        number += 1;
        name = format!("{stem}-{number}.html");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pages_are_plain_and_unique() {
        let mut taken = BTreeSet::from(["index.html".to_owned()]);
        let names = ["a/game.pbem", "b/game.pbem", "b/Game.pbem", "index.pbem", "../<b>\u{202e}.pbem", ".pbem", ""];
        let names = names.map(|path| file_name(path, &mut taken));
        assert_eq!(names[..4], ["game.html", "game-2.html", "Game-3.html", "index-2.html"]);
        assert!(
            names.iter().all(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))),
            "{names:?}"
        );
    }
}
