//! The positions that have stood since a piece was last removed: none from before can come again (D62).

use std::sync::Arc;

use super::board::Board;

/// A list that is copied at no cost, whatever its length.
#[derive(Clone, Debug, Default)]
pub(super) struct Past(Option<Arc<Link>>);

#[derive(Debug)]
struct Link {
    board: Board,
    before: Past,
}

impl Past {
    /// Adds a position.
    pub(super) fn push(&mut self, board: Board) {
        let before = std::mem::take(self);
        self.0 = Some(Arc::new(Link { board, before }));
    }

    /// How often a position has stood.
    pub(super) fn count(&self, board: &Board) -> usize {
        let links = std::iter::successors(self.0.as_deref(), |link| link.before.0.as_deref());
        links.filter(|link| link.board == *board).count()
    }
}

impl Drop for Past {
    /// Link by link, for a list may be longer than the stack is deep.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(link) = next {
            next = Arc::into_inner(link).and_then(|mut link| link.before.0.take());
        }
    }
}
