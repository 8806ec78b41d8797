//! Any bytes as what git prints and stores: changes, and packs with differences.

use std::io::Cursor;

use git::packs::{Beginnings, Pack, applied};
use git::read_changes;

/// The first byte says how long the part before the last is.
pub fn repository(data: &[u8]) {
    // A fault is told, and what is read has as many changes as there can be.
    if let Ok(changes) = read_changes(data) {
        assert!(changes.len() <= data.len());
    }
    let Some((&first, rest)) = data.split_first() else { return };
    let (text, delta) = rest.split_at(usize::from(first).min(rest.len()));
    for base in [0, text.len() / 2, text.len()] {
        if let Some(length) = applied(delta, base, text) {
            assert!(length <= text.len(), "a beginning is no longer than the whole");
            assert_eq!(
                put_together(delta, base, text).as_deref(),
                text.get(..length),
                "it is what the difference makes"
            );
        }
    }
    // The same bytes as the index of a pack, and the pack.
    if let Some(mut pack) = Pack::new(delta.to_vec(), Cursor::new(rest.to_vec())) {
        let mut known = Beginnings::default();
        for id in delta.chunks(20).chain(delta.chunks(32)).take(64) {
            let found = pack.beginning_of(id, text, &mut known);
            assert!(found.is_none_or(|length| length <= text.len()));
        }
    }
}

/// A difference, applied as git's documentation has it, without any thought of speed.
fn put_together(delta: &[u8], base: usize, text: &[u8]) -> Option<Vec<u8>> {
    let base = text.get(..base)?;
    let mut at = 0;
    for _ in 0..2 {
        while delta.get(at)? & 128 != 0 {
            at += 1;
        }
        at += 1;
    }
    let mut made = Vec::new();
    while let Some(&what) = delta.get(at) {
        at += 1;
        if what & 128 == 0 {
            made.extend_from_slice(delta.get(at..at + usize::from(what))?);
            at += usize::from(what);
            continue;
        }
        let mut part = |bits: std::ops::Range<u32>| {
            let mut number = 0;
            for (place, bit) in bits.enumerate() {
                if what & 1 << bit != 0 {
                    number |= usize::from(*delta.get(at)?) << (8 * place);
                    at += 1;
                }
            }
            Some(number)
        };
        let (from, length) = (part(0..4)?, part(4..7)?);
        let length = if length == 0 { 0x1_0000 } else { length };
        made.extend_from_slice(base.get(from..from + length)?);
    }
    Some(made)
}
