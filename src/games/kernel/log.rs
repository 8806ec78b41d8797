//! A list that only grows and is cheap to copy: what a game must remember of its past.

use std::sync::Arc;

/// How many entries a page has.
const PAGE: usize = 512;

/// A list that grows at its end. A copy shares all pages with its original except the last, which is copied when one of
/// the two continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log<T> {
    pages: Vec<Arc<Vec<T>>>,
    len: usize,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), len: 0 }
    }
}

impl<T: Clone> Log<T> {
    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) {
        match self.pages.last_mut() {
            Some(page) if page.len() < PAGE => Arc::make_mut(page).push(entry),
            _ => self.pages.push(Arc::new(vec![entry])),
        }
        self.len += 1;
    }

    /// Returns how many entries there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns an entry by its number, from 0.
    #[must_use]
    pub fn get(&self, nth: usize) -> Option<&T> {
        self.pages.get(nth / PAGE)?.get(nth % PAGE)
    }

    /// Returns the entries from the first on.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.pages.iter().flat_map(|page| page.iter())
    }

    /// Removes all entries from a number on.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        self.pages.truncate(len.div_ceil(PAGE));
        if let Some(page) = self.pages.last_mut().filter(|_| !len.is_multiple_of(PAGE)) {
            Arc::make_mut(page).truncate(len % PAGE);
        }
        self.len = len;
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.pages.clear();
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_log_are_independent() {
        let mut log = Log::default();
        let mut list = Vec::new();
        for entry in 0..3 * PAGE + 7 {
            log.push(entry);
            list.push(entry);
        }
        assert!(log.iter().eq(&list) && log.len() == list.len());
        assert_eq!((log.get(PAGE), log.get(list.len())), (Some(&PAGE), None));
        let mut copy = log.clone();
        copy.push(1);
        log.push(2);
        assert_eq!((copy.get(list.len()), log.get(list.len())), (Some(&1), Some(&2)));
        list.push(2);
        for len in [list.len() + 9, list.len(), 3 * PAGE, 2 * PAGE + 1, PAGE - 1, 1, 0] {
            log.truncate(len);
            list.truncate(len);
            assert!(log.iter().eq(&list) && log.len() == list.len(), "{len}");
        }
        log.push(5);
        assert_eq!(log.iter().collect::<Vec<_>>(), [&5]);
        copy.clear();
        assert!(copy.is_empty() && copy.iter().next().is_none());
    }

    #[test]
    fn a_copy_shares_all_but_the_last_page() {
        let mut log = Log::default();
        (0..2 * PAGE + 1).for_each(|entry| log.push(entry));
        let mut copy = log.clone();
        copy.push(0);
        let shared = log.pages.iter().zip(&copy.pages).filter(|(one, other)| Arc::ptr_eq(one, other)).count();
        assert_eq!((shared, copy.pages.len()), (2, 3));
    }
}
