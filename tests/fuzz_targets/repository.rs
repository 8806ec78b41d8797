//! Any bytes as what git prints: changes.

use postrider_git::read_changes;

/// A fault is told, and what is read has as many changes as there can be.
pub fn repository(data: &[u8]) {
    if let Ok(changes) = read_changes(data) {
        assert!(changes.len() <= data.len());
    }
}
