//! The receipts that a received record brings.

use std::collections::HashSet;

use super::case::{Accepted, Decision, LETTER_ASIDES};
use super::join::ended;
use postrider_referee::desk::Desk;
use postrider_referee::record::Item;
use postrider_referee::verdict::{Opened, receipts};

/// Returns the record here with the valid receipts of the received one that it lacks. They are taken while the game is running, and from
/// any sender, because they are signed; only one for each side and entry, so that nobody can fill a record with them.
pub(super) fn with_receipts(here: &[u8], received: &Opened<'_>) -> Option<Decision> {
    /// The most that are checked, because each takes the time of a signature.
    const MOST: usize = 64;
    let mut lines = receipt_lines(received);
    if lines.is_empty() {
        return None;
    }
    let desk = Desk::open(here).ok()?;
    let known: HashSet<&str> = receipt_lines(&desk.opened).into_iter().collect();
    lines.retain(|line| !known.contains(line));
    // A long game has more, of which only the newest can be new.
    let lines = lines.split_off(lines.len().saturating_sub(MOST));
    let there: Vec<_> = receipts::of(&desk.opened, &desk.digests)
        .into_iter()
        .filter_map(|(_, read)| read.ok().map(|one| (one.side, one.entry)))
        .collect();
    let mut record = ended(here);
    let room = record.len() + LETTER_ASIDES;
    let (mut taken, mut remarks) = (there, Vec::new());
    for line in lines {
        let Some(Ok(receipt)) = receipts::checked(line, &desk.opened, &desk.digests) else { continue };
        let of = (receipt.side, receipt.entry);
        if taken.contains(&of) || record.len() + line.len() > room {
            continue;
        }
        taken.push(of);
        record.extend_from_slice(line.trim_end().as_bytes());
        record.push(b'\n');
        let who = desk.opened.header.info.sides[receipt.side.index()];
        let (named, has) = (who.named(), who.verb("have", "has"));
        remarks.push(format!("a receipt: {named} {has} entry {} and everything before it", receipt.entry));
    }
    let last = desk.opened.table.standing().entries;
    (!remarks.is_empty()).then(|| {
        let (first, lines) = (last.saturating_add(1), Vec::new());
        Decision::Accepted(Box::new(Accepted { record, first, last, lines, remarks }))
    })
}

/// The remarks in a record that look like receipts, without their line ends.
fn receipt_lines<'a>(opened: &Opened<'a>) -> Vec<&'a str> {
    let mut body = opened.body();
    let remarks = std::iter::from_fn(|| body.next_item()).filter_map(|item| match item {
        Item::Remark(span) => Some(span.text(opened.text).trim_end()),
        _ => None,
    });
    remarks.filter(|line| line.starts_with(receipts::HEAD)).collect()
}
