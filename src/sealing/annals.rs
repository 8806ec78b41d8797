//! A list that only grows, of small items with a text each: what a ledger keeps of every seal. There may be hundreds of thousands
//! of them, so the texts of a page stand in one string, and copies share all pages but the last.

use std::sync::Arc;

/// How many items a page has.
const PAGE: usize = 256;

#[derive(Clone, Debug)]
struct Page<T> {
    /// The items, each with the end of its text.
    items: Vec<(T, u32)>,
    texts: String,
}

/// Items with texts, in the order in which they were added.
#[derive(Clone, Debug)]
pub(super) struct Annals<T> {
    pages: Vec<Arc<Page<T>>>,
    len: usize,
}

impl<T> Default for Annals<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), len: 0 }
    }
}

impl<T: Clone> Annals<T> {
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Adds an item at the end.
    pub(super) fn push(&mut self, item: T, text: &str) {
        if self.len.is_multiple_of(PAGE) {
            self.pages.push(Arc::new(Page { items: Vec::new(), texts: String::new() }));
        }
        if let Some(page) = self.pages.last_mut() {
            let Page { items, texts } = Arc::make_mut(page);
            texts.push_str(text);
            items.push((item, texts.len() as u32));
            self.len += 1;
        }
    }

    /// Returns an item by its number, from 0, and its text.
    pub(super) fn get(&self, nth: usize) -> Option<(&T, &str)> {
        let Page { items, texts } = self.pages.get(nth / PAGE)?.as_ref();
        let (item, end) = items.get(nth % PAGE)?;
        let before = (nth % PAGE).checked_sub(1).and_then(|before| items.get(before));
        let start = before.map_or(0, |(_, end)| *end);
        Some((item, texts.get(start as usize..*end as usize).unwrap_or_default()))
    }

    pub(super) fn get_mut(&mut self, nth: usize) -> Option<&mut T> {
        let page = Arc::make_mut(self.pages.get_mut(nth / PAGE)?);
        page.items.get_mut(nth % PAGE).map(|(item, _)| item)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&T, &str)> {
        (0..self.len).filter_map(|nth| self.get(nth))
    }

    /// Removes all items from a number on.
    pub(super) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        self.pages.truncate(len.div_ceil(PAGE));
        if let Some(page) = self.pages.last_mut().filter(|_| !len.is_multiple_of(PAGE)) {
            let Page { items, texts } = Arc::make_mut(page);
            items.truncate(len % PAGE);
            texts.truncate(items.last().map_or(0, |(_, end)| *end as usize));
        }
        self.len = len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annals_are_a_list_of_items_and_texts_and_copies_are_independent() {
        let text = |nth: usize| ["", "a", "é", "token.1"][nth % 4].repeat(nth % 3);
        let mut annals = Annals::default();
        (0..2 * PAGE + 9).for_each(|nth| annals.push(nth, &text(nth)));
        let mut copy = annals.clone();
        for len in [3 * PAGE, 2 * PAGE + 1, 2 * PAGE, PAGE + 3, 0] {
            annals.truncate(len);
            assert_eq!(annals.len(), len.min(2 * PAGE + 9));
            assert!(annals.iter().enumerate().all(|(nth, (item, of))| (*item, of) == (nth, text(nth).as_str())));
            assert_eq!(annals.iter().count(), annals.len());
            assert!(annals.get(annals.len()).is_none());
        }
        annals.push(5, "five");
        assert_eq!(annals.get(0), Some((&5, "five")));
        assert_eq!(copy.get(2 * PAGE + 7), Some((&(2 * PAGE + 7), text(2 * PAGE + 7).as_str())));
        let other = copy.clone();
        *copy.get_mut(1).expect("an item") = 77;
        assert_eq!((copy.get(1), other.get(1)), (Some((&77, "a")), Some((&1, "a"))));
    }
}
