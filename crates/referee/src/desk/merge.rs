//! Merges two copies of a record: the entries of the longer one, the remarks of both. Pure: bytes in, bytes out.

use std::collections::{HashMap, HashSet};

use crate::record::Frame;
use crate::verdict::{Opened, Relation, Ruling, Verdict, compare, compare_alike, verify};

/// The result of comparing two copies of a record.
#[derive(Debug)]
pub enum Merged {
    /// Ours has everything that the other one has.
    Ours,
    /// The merged record: the entries of the longer one, the remarks of both.
    Record(Vec<u8>),
    /// They cannot be merged.
    Conflict(Conflict),
}

/// Why two copies of a record cannot be merged.
#[derive(Debug)]
pub enum Conflict {
    /// Ours is not legal, or not a record.
    Ours(Box<Verdict>),
    /// The other one is not legal, or not a record.
    Theirs(Box<Verdict>),
    /// They have different entries.
    Parted(Relation),
}

/// Merges two copies of a record. `base` is what both started from, if that is known: a remark that `base` has and ours
/// does not was removed on purpose.
///
/// Entries are compared as the referee reads them, so different spellings of one entry are the same; the result has our
/// spelling.
#[must_use]
pub fn merge(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Merged {
    if ours == theirs {
        return Merged::Ours;
    }
    let verdict = verify(ours);
    if verdict.ruling != Ruling::Legal {
        return Merged::Conflict(Conflict::Ours(Box::new(verdict)));
    }
    let verdict = verify(theirs);
    if verdict.ruling != Ruling::Legal {
        return Merged::Conflict(Conflict::Theirs(Box::new(verdict)));
    }
    match relation(ours, theirs) {
        Err(verdict) => return Merged::Conflict(Conflict::Theirs(verdict)),
        Ok(Relation::Same | Relation::Older { .. } | Relation::Newer { .. }) => {}
        Ok(parted) => return Merged::Conflict(Conflict::Parted(parted)),
    }
    let record = joined(base.unwrap_or_default(), ours, theirs);
    if record == ours {
        return Merged::Ours;
    }
    let verdict = verify(&record);
    match verdict.ruling {
        Ruling::Legal => Merged::Record(record),
        _ => Merged::Conflict(Conflict::Theirs(Box::new(verdict))),
    }
}

/// Returns how `new` relates to `old`, a legal record.
///
/// # Errors
/// If one of them cannot be opened.
pub fn relation(old: &[u8], new: &[u8]) -> Result<Relation, Box<Verdict>> {
    let (mut old, new) = (Opened::new(old)?, Opened::new(new)?);
    // Most versions only add to the one before, which shows without playing along.
    Ok(compare_alike(&old, &new).unwrap_or_else(|| compare(&mut old, &new)))
}

/// A line that is not a remark, with its signature and the remarks and blank lines after it. The first group is what
/// comes before any entry.
#[derive(Default)]
struct Group<'a> {
    lines: Vec<&'a [u8]>,
    asides: Vec<&'a [u8]>,
}

fn joined(base: &[u8], ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let (head, mut own) = groups(ours);
    let (_, other) = groups(theirs);
    let base: HashSet<&[u8]> = groups(base).1.into_iter().flat_map(|group| group.asides).collect();
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    for aside in own.iter().flat_map(|group| &group.asides) {
        *known.entry(aside).or_default() += 1;
    }
    for (place, group) in other.into_iter().enumerate() {
        let is_new = place >= own.len();
        if is_new {
            own.push(Group { lines: group.lines, asides: Vec::new() });
        }
        for aside in group.asides {
            if let Some(left) = known.get_mut(aside).filter(|left| **left > 0) {
                // Each of our lines accounts for one of theirs.
                *left -= 1;
            } else if (aside.is_empty() && is_new) || (!aside.is_empty() && !base.contains(aside)) {
                own[place].asides.push(aside);
            }
        }
    }
    let mut record = head.to_vec();
    for line in own.iter().flat_map(|group| group.lines.iter().chain(&group.asides)) {
        record.extend_from_slice(line);
        record.push(b'\n');
    }
    record
}

/// Splits a record into its header with the lines of dashes, and the groups of lines below it. The result line is a
/// group of its own.
fn groups(record: &[u8]) -> (&[u8], Vec<Group<'_>>) {
    let start = Frame::of(record).map_or(record.len(), |frame| frame.body.start as usize);
    let (head, body) = record.split_at(start);
    let mut groups = vec![Group::default()];
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match line.first() {
            Some(b'0'..=b'9' | b'=') => groups.push(Group { lines: vec![line], asides: Vec::new() }),
            Some(b' ') => {
                if let Some(group) = groups.last_mut() {
                    group.lines.push(line);
                }
            }
            _ => {
                if let Some(group) = groups.last_mut() {
                    group.asides.push(line);
                }
            }
        }
    }
    (head, groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-merged\nplayers:\n  besiegers: {name: Ada}\n  \
                          defenders: {name: Bram}\nstarted: 2026-11-21\n---\n";
    const GAME: [&str; 4] =
        ["1 defenders place c6 e6\n", "2 besiegers c4-c5\n", "3 defenders c6-d6; huff d6\n", "4 besiegers e4-e5\n"];

    fn record(lines: &[&str]) -> Vec<u8> {
        format!("{HEADER}{}", lines.concat()).into_bytes()
    }

    fn text(merged: Merged) -> String {
        match merged {
            Merged::Ours => "ours".into(),
            Merged::Record(record) => String::from_utf8(record).unwrap().strip_prefix(HEADER).unwrap().to_owned(),
            Merged::Conflict(conflict) => format!("{conflict:?}"),
        }
    }

    #[test]
    fn the_longer_of_two_copies_is_the_record() {
        let (short, long) = (record(&GAME[..2]), record(&GAME));
        assert_eq!(text(merge(None, &short, &long)), GAME.concat());
        assert_eq!(text(merge(None, &long, &short)), "ours");
        assert_eq!(text(merge(None, &long, &long)), "ours");
    }

    #[test]
    fn the_remarks_of_both_are_kept_once() {
        let ours = record(&[GAME[0], "# seen by Ada\n", "# both\n", GAME[1]]);
        let theirs = record(&[GAME[0], "# both\n", "# seen by Bram\n", GAME[1], GAME[2], "\n", "# late\n"]);
        let both = [GAME[0], "# seen by Ada\n", "# both\n", "# seen by Bram\n", GAME[1], GAME[2], "\n", "# late\n"];
        assert_eq!(text(merge(None, &ours, &theirs)), both.concat());
        // Merging again adds nothing.
        assert_eq!(text(merge(None, &record(&both), &theirs)), "ours");
    }

    #[test]
    fn each_of_our_remarks_accounts_for_one_of_theirs() {
        let ours = record(&[GAME[0], "# a\n", "# a\n", "# b\n"]);
        let theirs = record(&[GAME[0], "# a\n", "# a\n", "# a\n", "# b\n", "# c\n"]);
        let both = [GAME[0], "# a\n", "# a\n", "# b\n", "# a\n", "# c\n"].concat();
        assert_eq!(text(merge(None, &ours, &theirs)), both);
        assert_eq!(text(merge(Some(&theirs), &ours, &theirs)), "ours");
    }

    #[test]
    fn a_remark_that_was_removed_stays_removed() {
        let base = record(&[GAME[0], "# a slip\n"]);
        let theirs = record(&[GAME[0], "# a slip\n", GAME[1]]);
        assert_eq!(text(merge(Some(&base), &record(&GAME[..1]), &theirs)), GAME[..2].concat());
    }

    #[test]
    fn other_spellings_of_an_entry_are_no_conflict_and_ours_is_kept() {
        let short = record(&[GAME[0], GAME[1], "3 defenders c6-d6\n"]);
        assert_eq!(
            text(merge(None, &short, &record(&GAME))),
            [GAME[0], GAME[1], "3 defenders c6-d6\n", GAME[3]].concat()
        );
    }

    #[test]
    fn two_entries_for_one_turn_are_a_conflict() {
        let other = record(&[GAME[0], GAME[1], "3 defenders e6xe4xc4xc6\n"]);
        let other =
            if verify(&other).ruling == Ruling::Legal { other } else { record(&[GAME[0], "2 besiegers d4-d5\n"]) };
        let Merged::Conflict(Conflict::Parted(Relation::Fork(difference))) = merge(None, &record(&GAME), &other) else {
            panic!()
        };
        assert_eq!(difference.place, 2);
    }

    #[test]
    fn an_illegal_copy_is_never_taken_and_never_overwritten() {
        let bad = record(&[GAME[0], "2 besiegers c4-c3\n"]);
        assert!(matches!(merge(None, &record(&GAME), &bad), Merged::Conflict(Conflict::Theirs(_))));
        assert!(matches!(merge(None, &bad, &record(&GAME)), Merged::Conflict(Conflict::Ours(_))));
        assert!(matches!(merge(None, b"notes", &record(&GAME)), Merged::Conflict(Conflict::Ours(_))));
    }
}
