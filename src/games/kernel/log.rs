//! A list that only grows and is cheap to copy: what a game must remember of its past.

use std::sync::Arc;

/// How many entries a page has.
const PAGE: usize = 512;

/// A list that grows at its end. A copy costs the same however long the list is: it shares all pages with its original except
/// the last, which is copied when one of the two continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log<T> {
    /// The pages that are full.
    full: Arc<Vec<Arc<Vec<T>>>>,
    /// The page that grows.
    last: Arc<Vec<T>>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { full: Arc::default(), last: Arc::default() }
    }
}

impl<T: Clone> Log<T> {
    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) {
        if self.last.len() >= PAGE {
            let full = std::mem::replace(&mut self.last, Arc::new(Vec::with_capacity(PAGE)));
            Arc::make_mut(&mut self.full).push(full);
        }
        Arc::make_mut(&mut self.last).push(entry);
    }

    /// Returns how many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.full.len() * PAGE + self.last.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an entry by its number, from 0.
    #[must_use]
    pub fn get(&self, nth: usize) -> Option<&T> {
        self.full
            .get(nth / PAGE)
            .unwrap_or(&self.last)
            .get(nth.checked_sub(PAGE * self.full.len()).unwrap_or(nth % PAGE))
    }

    /// Returns an entry by its number, from 0, to change it. The page that it is on is copied if it is shared.
    pub fn get_mut(&mut self, nth: usize) -> Option<&mut T> {
        match nth.checked_sub(PAGE * self.full.len()) {
            Some(nth) if nth < self.last.len() => Arc::make_mut(&mut self.last).get_mut(nth),
            Some(_) => None,
            None => Arc::make_mut(Arc::make_mut(&mut self.full).get_mut(nth / PAGE)?).get_mut(nth % PAGE),
        }
    }

    /// Returns up to so many entries, from a number on: no more than a page has.
    pub fn range(&self, from: usize, count: usize) -> impl Iterator<Item = &T> {
        let page = |nth: usize| -> &[T] {
            match self.full.get(nth) {
                Some(page) => page,
                None if nth == self.full.len() => &self.last,
                None => &[],
            }
        };
        let first = page(from / PAGE).get(from % PAGE..).unwrap_or_default();
        let first = first.get(..count).unwrap_or(first);
        let rest = page(from / PAGE + 1);
        first.iter().chain(rest.get(..count - first.len()).unwrap_or(rest))
    }

    /// Returns how many entries at the beginning are so, if all that are so stand there.
    pub fn partition_point(&self, is_so: impl Fn(&T) -> bool) -> usize {
        let full = self.full.partition_point(|page| page.last().is_some_and(&is_so));
        PAGE * full + self.full.get(full).unwrap_or(&self.last).partition_point(&is_so)
    }

    /// Returns the entries from the first on.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.full.iter().flat_map(|page| page.iter()).chain(self.last.iter())
    }

    /// Removes all entries from a number on.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        if len / PAGE < self.full.len() {
            let full = Arc::make_mut(&mut self.full);
            full.truncate(len / PAGE + 1);
            self.last = full.pop().unwrap_or_default();
        }
        if self.last.len() > len % PAGE {
            Arc::make_mut(&mut self.last).truncate(len % PAGE);
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        *self = Self::default();
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
        for from in [0, 1, PAGE - 3, PAGE - 1, PAGE, 3 * PAGE - 2, 3 * PAGE, 3 * PAGE + 6, 3 * PAGE + 7, 9 * PAGE] {
            for count in [0, 1, 2, 30, PAGE] {
                assert!(log.range(from, count).eq(list.iter().skip(from).take(count)), "{from} {count}");
            }
        }
        for count in [0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 3 * PAGE, 3 * PAGE + 6, list.len()] {
            assert_eq!(log.partition_point(|entry| *entry < count), count);
        }
        assert_eq!(Log::default().partition_point(|_: &u8| true), 0);
        let mut copy = log.clone();
        for nth in [0, PAGE - 1, 2 * PAGE, list.len() - 1] {
            *copy.get_mut(nth).expect("an entry") += 1;
            assert_eq!((copy.get(nth), log.get(nth)), (Some(&(nth + 1)), Some(&nth)));
        }
        assert_eq!(copy.get_mut(list.len()), None);
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
        assert!(Arc::ptr_eq(&log.full, &copy.full) && !Arc::ptr_eq(&log.last, &copy.last));
        assert_eq!((log.full.len(), log.last.len(), copy.last.len()), (2, 1, 2));
        // A page that fills up is shared from then on too, and the pages before it stay the same.
        (2..=PAGE).for_each(|entry| copy.push(entry));
        let shared = log.full.iter().zip(copy.full.iter()).filter(|(one, other)| Arc::ptr_eq(one, other)).count();
        assert_eq!((shared, copy.full.len(), copy.last.len()), (2, 3, 1));
    }
}
