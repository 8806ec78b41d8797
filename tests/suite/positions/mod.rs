//! The positions that a record passes through, as printed by `postrider archive replay`.

use postrider_referee::record::Item;
use postrider_referee::verdict::Opened;

/// Replays a legal record; returns the game at its end, and one line per entry with its number, a tab and the position
/// after it.
pub fn replayed(source: &[u8]) -> (Opened<'_>, String) {
    let mut opened = Opened::new(source).expect("a legal record");
    let mut body = opened.body();
    let mut positions = String::new();
    while let Some(item) = body.next_item() {
        if let Item::Entry(entry) = item {
            opened.table.enter(opened.text, &entry).expect("a legal entry");
            let played = opened.table.standing().entries;
            positions.push_str(&format!("{played}\t{}\n", opened.table.position()));
        }
    }
    (opened, positions)
}
