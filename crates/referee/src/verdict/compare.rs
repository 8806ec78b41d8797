//! Compares two records of one game entry by entry: which one is longer, or where they part.

use super::{Opened, header, spelled};
use crate::record::{Body, Entry, Item};
use postrider_kernel::text::Span;

/// How many consecutive entries may be missing for the record still to count as shortened and not as a fork.
const DROPPED: usize = 64;

/// How a received record relates to the one that is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Both have the same entries.
    Same,
    /// The received record lacks the last entries and otherwise agrees.
    Older {
        /// How many entries it has.
        entries: u32,
    },
    /// The record here is the beginning of the received one.
    Newer {
        /// The first entry that is new.
        first: u32,
        /// Where the lines after the last common entry begin in the received record.
        tail: usize,
    },
    /// They have different ids.
    OtherGame {
        /// The id here.
        here: String,
        /// The id of the received record.
        there: String,
    },
    /// Their headers differ.
    OtherHeader(Difference),
    /// The received record has changed an entry that both have.
    Rewritten(Difference),
    /// The received record lacks an entry, and later entries follow in its place.
    Dropped(Difference),
    /// From some entry on, they are different games.
    Fork(Difference),
}

/// The first difference of two records, with the text of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place of the entry, or in a header the line; both from 1.
    pub place: u32,
    /// The text in the record here; empty if there is none.
    pub here: String,
    /// The text in the received record; empty if there is none.
    pub there: String,
}

/// Returns the next entry.
fn next(body: &mut Body<'_>) -> Option<Entry> {
    std::iter::from_fn(|| body.next_item()).find_map(|item| match item {
        Item::Entry(entry) => Some(entry),
        _ => None,
    })
}

/// Like [`compare`], but only for records that spell their header and the entries they have in common in the same way, letter by
/// letter; otherwise it returns nothing. No table is needed, so `here` may have been replayed.
#[must_use]
pub fn compare_alike(here: &Opened<'_>, there: &Opened<'_>) -> Option<Relation> {
    if here.frame.header.text(here.text) != there.frame.header.text(there.text) {
        return None;
    }
    let (mut own, mut other) = (here.body(), there.body());
    let mut tail = there.frame.body.start as usize;
    let text = |span: Option<Span>, text: &'_ str| span.map(|span| span.text(text).to_owned());
    for place in 1.. {
        match (next(&mut own), next(&mut other)) {
            (None, None) => return Some(Relation::Same),
            (Some(_), None) => return Some(Relation::Older { entries: place - 1 }),
            (None, Some(_)) => return Some(Relation::Newer { first: place, tail }),
            (Some(mine), Some(theirs)) => {
                let is_alike = mine.span.text(here.text) == theirs.span.text(there.text)
                    && text(mine.signature, here.text) == text(theirs.signature, there.text);
                if !is_alike {
                    return None;
                }
                tail = behind(there.text, theirs.signature.unwrap_or(theirs.span));
            }
        }
    }
    None
}

/// Compares `there`, a received record, with `here`. Both must be freshly opened and `here` must be legal: its table is
/// played along, so that different spellings of the same entry are recognised as the same. Remarks, blank lines and
/// results are not compared.
#[must_use]
pub fn compare(here: &mut Opened<'_>, there: &Opened<'_>) -> Relation {
    super::count([0, 1]);
    if here.header.id != there.header.id {
        return Relation::OtherGame { here: here.header.id.to_string(), there: there.header.id.to_string() };
    }
    if let Some(difference) = header_difference(here, there) {
        return Relation::OtherHeader(difference);
    }
    let (mut own, mut other) = (here.body(), there.body());
    let mut tail = there.frame.body.start as usize;
    let mut place = 0;
    loop {
        let pair = (next(&mut own), next(&mut other));
        place += 1;
        match pair {
            (None, None) => return Relation::Same,
            (Some(_), None) => return Relation::Older { entries: place - 1 },
            (None, Some(_)) => return Relation::Newer { first: place, tail },
            (Some(mine), Some(theirs)) => {
                if !same(here, &mine, there, &theirs, place) {
                    let rest = std::iter::from_fn(|| next(&mut own)).collect::<Vec<_>>();
                    let others = std::iter::from_fn(|| next(&mut other)).collect::<Vec<_>>();
                    return parted(here, (&mine, &rest), there, (&theirs, &others), place);
                }
                tail = behind(there.text, theirs.signature.unwrap_or(theirs.span));
                // In a legal record this succeeds; otherwise the verdict reports it.
                let _ = here.table.pass(here.text, &mine);
            }
        }
    }
}

/// The first line in which the headers differ. Line ends do not count, nor does the spelling of the position, which the
/// formatter may have changed.
fn header_difference(here: &Opened<'_>, there: &Opened<'_>) -> Option<Difference> {
    let (own, other) = (here.frame.header.text(here.text), there.frame.header.text(there.text));
    if own == other {
        return None;
    }
    let (own, other) = (header(here), header(there));
    let (mut own, mut other) = (own.lines(), other.lines());
    for place in 1.. {
        let (own, other) = (own.next(), other.next());
        if own.is_none() && other.is_none() {
            return None;
        }
        // Spaces at the end of a line mean nothing, and some mail programs remove them.
        if own.map(str::trim_end) != other.map(str::trim_end) {
            let text = |line: Option<&str>| line.unwrap_or_default().to_owned();
            return Some(Difference { place, here: text(own), there: text(other) });
        }
    }
    None
}

/// Returns whether two entries at the same place are the same, however they are spelled. Their signatures count too.
fn same(here: &Opened<'_>, mine: &Entry, there: &Opened<'_>, theirs: &Entry, place: u32) -> bool {
    let text = |span: Option<Span>, text: &'_ str| span.map(|span| span.text(text).to_owned());
    if text(mine.signature, here.text) != text(theirs.signature, there.text) {
        return false;
    }
    mine.span.text(here.text) == theirs.span.text(there.text)
        || spelled(here, here.text, mine, place) == spelled(here, there.text, theirs, place)
}

/// Describes how two records part at an entry; `rest` and `others` are the entries after it.
fn parted(
    here: &Opened<'_>,
    (mine, rest): (&Entry, &[Entry]),
    there: &Opened<'_>,
    (theirs, others): (&Entry, &[Entry]),
    place: u32,
) -> Relation {
    let shown = |text: &str, entry: &Entry| {
        let line = entry.span.text(text);
        entry.signature.map_or_else(|| line.to_owned(), |signature| format!("{line} ~ {}", signature.text(text)))
    };
    let difference = Difference { place, here: shown(here.text, mine), there: shown(there.text, theirs) };
    // Without its number, because someone who drops an entry may or may not renumber the rest.
    let told = |text: &str, entry: &Entry| {
        let line = entry.span.text(text);
        line.split_once(' ').map_or_else(String::new, |(_, told)| told.to_owned())
    };
    let their_lines: Vec<_> = std::iter::once(theirs).chain(others).map(|entry| told(there.text, entry)).collect();
    let my_lines: Vec<_> = rest.iter().map(|entry| told(here.text, entry)).collect();
    let dropped = (0..my_lines.len().min(DROPPED)).any(|at| {
        let left = my_lines.get(at..).unwrap_or_default();
        left.iter().zip(&their_lines).all(|(mine, theirs)| mine == theirs)
    });
    if dropped {
        return Relation::Dropped(difference);
    }
    let actions = |text: &str, entry: &Entry| (entry.side, here.table.canonical(text, entry));
    let only_dressed = actions(here.text, mine) == actions(there.text, theirs);
    let meet_again = rest.iter().zip(others).any(|(mine, theirs)| told(here.text, mine) == told(there.text, theirs));
    if only_dressed || meet_again { Relation::Rewritten(difference) } else { Relation::Fork(difference) }
}

/// Returns the offset just after the end of a line.
fn behind(text: &str, line: Span) -> usize {
    let rest = text.as_bytes().get(line.end as usize..).unwrap_or_default();
    let end = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    };
    line.end as usize + end
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-compare\nplayers:\n  besiegers: {name: Ada}\n  \
                          defenders: {name: Bram}\nstarted: 2026-11-21\n---\n";
    const GAME: &str = "1 defenders place c6 e6\n2 besiegers c4-c5\n3 defenders c6-d6; huff d6\n4 besiegers e4-e5\n";

    fn relation(here: &str, there: &str) -> Relation {
        let (here, there) = (format!("{HEADER}{here}"), format!("{HEADER}{there}"));
        compare(&mut Opened::new(here.as_bytes()).unwrap(), &Opened::new(there.as_bytes()).unwrap())
    }

    fn lines(count: usize) -> String {
        GAME.split_inclusive('\n').take(count).collect()
    }

    #[test]
    fn a_longer_record_with_the_same_beginning_is_newer() {
        let Relation::Newer { first, tail } = relation(&lines(2), GAME) else { panic!() };
        assert_eq!(first, 3);
        assert_eq!(&format!("{HEADER}{GAME}")[tail..], "3 defenders c6-d6; huff d6\n4 besiegers e4-e5\n");
        assert!(matches!(relation("", &lines(1)), Relation::Newer { first: 1, .. }));
    }

    #[test]
    fn the_same_entries_are_the_same_whatever_their_spelling_and_remarks() {
        assert_eq!(relation(GAME, GAME), Relation::Same);
        assert_eq!(relation(GAME, &GAME.replace('\n', "\r\n")), Relation::Same);
        assert_eq!(relation(GAME, &GAME.replace("4 bes", "# ah!\n\n4 bes")), Relation::Same);
        // The huff may be left out when an entry is typed.
        assert_eq!(relation(GAME, &GAME.replace("; huff d6", "")), Relation::Same);
    }

    #[test]
    fn a_shorter_record_with_the_same_beginning_is_older() {
        assert_eq!(relation(GAME, &lines(3)), Relation::Older { entries: 3 });
        assert_eq!(relation(GAME, ""), Relation::Older { entries: 0 });
    }

    #[test]
    fn a_changed_entry_between_others_is_rewritten() {
        let Relation::Rewritten(difference) = relation(GAME, &GAME.replace("2 besiegers c4-c5", "2 besiegers d4-d5"))
        else {
            panic!()
        };
        assert_eq!((difference.place, &*difference.here), (2, "2 besiegers c4-c5"));
        assert_eq!(difference.there, "2 besiegers d4-d5");
        // An entry is also changed if only its message differs.
        let other = lines(4).replace("e4-e5", "e4-e5 {I never said that}");
        assert!(matches!(relation(GAME, &other), Relation::Rewritten(_)));
    }

    #[test]
    fn a_missing_entry_counts_as_dropped_whether_or_not_the_rest_is_renumbered() {
        let without = "1 defenders place c6 e6\n3 defenders c6-d6; huff d6\n4 besiegers e4-e5\n";
        let anew = "1 defenders place c6 e6\n2 defenders c6-d6; huff d6\n3 besiegers e4-e5\n";
        for there in [without, anew] {
            let Relation::Dropped(difference) = relation(GAME, there) else { panic!("{there}") };
            assert_eq!((difference.place, &*difference.here), (2, "2 besiegers c4-c5"));
        }
    }

    #[test]
    fn another_continuation_is_a_fork() {
        let there = lines(3) + "4 besiegers d3-d4\n5 defenders e6-e5\n";
        let Relation::Fork(difference) = relation(GAME, &there) else { panic!() };
        assert_eq!(difference.place, 4);
        assert_eq!((&*difference.here, &*difference.there), ("4 besiegers e4-e5", "4 besiegers d3-d4"));
    }

    #[test]
    fn z30_a_signature_belongs_to_its_entry() {
        let signature = format!("  ~ {}\n", data_encoding::BASE64.encode(&[7; 64]));
        let signed = lines(1) + &signature;
        let there = signed.clone() + "2 besiegers c4-c5\n";
        assert!(matches!(relation(&lines(1), &there), Relation::Rewritten(Difference { place: 1, .. })));
        let Relation::Newer { tail, .. } = relation(&signed, &there) else { panic!() };
        assert_eq!(&format!("{HEADER}{there}")[tail..], "2 besiegers c4-c5\n");
    }

    #[test]
    fn a_header_that_the_formatter_has_rewritten_is_the_same() {
        let position = ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b";
        let with =
            |setup: &str| HEADER.replace("started:", &format!("setup: {setup}\nstarted:")) + "1 besiegers c4-c5\n";
        let there = with(&format!("'{position}'"));
        let here = crate::verdict::format(there.as_bytes()).unwrap();
        assert_ne!(here, there.as_bytes());
        let found = compare(&mut Opened::new(&here).unwrap(), &Opened::new(there.as_bytes()).unwrap());
        assert_eq!(found, Relation::Same);
        let other = with(&format!("'{}'", position.replace("D.D", "DD.")));
        let found = compare(&mut Opened::new(&here).unwrap(), &Opened::new(other.as_bytes()).unwrap());
        assert!(matches!(found, Relation::OtherHeader(_)), "{found:?}");
    }

    #[test]
    fn another_header_and_another_game_are_distinguished() {
        let open = |text: &str| text.to_owned().into_bytes();
        let here = open(HEADER);
        let there = open(&HEADER.replace("name: Bram", "name: Brom"));
        let found = compare(&mut Opened::new(&here).unwrap(), &Opened::new(&there).unwrap());
        let Relation::OtherHeader(difference) = found else { panic!("{found:?}") };
        assert_eq!((difference.place, &*difference.there), (6, "  defenders: {name: Brom}"));
        let there = open(&HEADER.replace("asalto-compare", "asalto-another"));
        let found = compare(&mut Opened::new(&here).unwrap(), &Opened::new(&there).unwrap());
        assert!(matches!(found, Relation::OtherGame { .. }));
    }
}
