//! Takes back the newest entry: returns the record without it, with nothing else changed.

use crate::record::{Entry, Item};
use crate::verdict::Opened;
use postrider_kernel::Side;
use postrider_kernel::text::Span;

/// A record without its newest entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// The record. Everything before the entry is unchanged; remarks after it are kept, a result line is not.
    pub record: Vec<u8>,
    /// The number of the entry.
    pub number: u32,
    /// The side that made it.
    pub side: Side,
    /// The line of the entry.
    pub line: String,
    /// Whether it was signed.
    pub signed: bool,
    /// Whether a secret was published after it, so that everything its side sealed is revealed.
    pub published: bool,
}

/// Returns a legal record without its newest entry; `None` if there is no entry. It does not decide whether the entry
/// may be taken back.
#[must_use]
pub fn without_last(opened: &Opened<'_>) -> Option<TakenBack> {
    let mut body = opened.body();
    let text = opened.text;
    // What stands behind the last entry: there may be millions of remarks.
    let (mut last, mut result, mut published): (Option<Entry>, Option<Span>, bool) = (None, None, false);
    while let Some(item) = body.next_item() {
        match item {
            Item::Entry(entry) => (last, result, published) = (Some(entry), None, false),
            Item::Result(span) => result = Some(span),
            Item::Remark(span) => published |= span.text(text).starts_with("# secret "),
            Item::Blank(_) => {}
        }
    }
    let entry = last?;
    let mut gone: Vec<(usize, usize)> =
        [Some(entry.span), entry.signature].into_iter().flatten().chain(result).map(|span| line(text, span)).collect();
    gone.sort_unstable();
    let mut record = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end) in gone {
        record.push_str(text.get(from..start).unwrap_or_default());
        from = from.max(end);
    }
    record.push_str(text.get(from..).unwrap_or_default());
    let info = opened.header.info;
    let (_, word) = entry.number_and_side(text);
    Some(TakenBack {
        record: record.into_bytes(),
        number: u32::try_from(entry.number).unwrap_or(u32::MAX),
        side: info.side(word.text(text))?,
        line: entry.span.text(text).to_owned(),
        signed: entry.signature.is_some(),
        published,
    })
}

/// The byte range of the lines that a span covers, including their line end.
fn line(text: &str, span: Span) -> (usize, usize) {
    let (start, end) = (span.start as usize, span.end as usize);
    let begin = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |place| place + 1);
    let stop = text.get(end..).and_then(|behind| behind.find('\n')).map_or(text.len(), |place| end + place + 1);
    (begin, stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-undo-1\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
         started: 2026-11-21\n---\n";

    fn back(lines: &str) -> Option<TakenBack> {
        let record = format!("{HEADER}{lines}");
        without_last(&Opened::new(record.as_bytes()).expect("a record"))
    }

    #[test]
    fn only_the_newest_entry_goes() {
        assert_eq!(back("# nothing yet\n"), None);
        let taken = back("1 defenders place c6 e6\n2 besiegers c4-c5 {hm}\n").expect("an entry");
        assert_eq!(String::from_utf8_lossy(&taken.record), format!("{HEADER}1 defenders place c6 e6\n"));
        assert_eq!((taken.number, taken.side, taken.line.as_str()), (2, Side::First, "2 besiegers c4-c5 {hm}"));
        assert!(!taken.signed && !taken.published);
    }

    #[test]
    fn remarks_stay_and_a_result_goes() {
        let lines =
            "# one\r\n1 defenders place c6 e6\r\n\n# two\n2 besiegers resign\n= defenders by resignation\n# three";
        let taken = back(lines).expect("an entry");
        let kept = "# one\r\n1 defenders place c6 e6\r\n\n# two\n# three";
        assert_eq!(String::from_utf8_lossy(&taken.record), format!("{HEADER}{kept}"));
        // The last line may lack a line end.
        let taken = back("1 defenders place c6 e6").expect("an entry");
        assert_eq!(String::from_utf8_lossy(&taken.record), HEADER);
    }

    #[test]
    fn a_signature_goes_with_its_entry_and_a_published_secret_is_noticed() {
        let signature = format!("  ~ {}==\n", "A".repeat(86));
        let taken = back(&format!("1 defenders place c6 e6\n{signature}# secret defenders 00\n")).expect("an entry");
        assert!(taken.signed && taken.published);
        assert_eq!(String::from_utf8_lossy(&taken.record), format!("{HEADER}# secret defenders 00\n"));
    }
}
