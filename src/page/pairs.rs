//! Rows of things of which neighbours that stand together in several rows become one thing, again and again, as in the compression
//! called Re-Pair.

use std::collections::HashMap;

/// Rows, and the pairs that were made of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// The rows. A number below that of the leaves is a leaf, any other a pair.
    pub rows: Vec<Vec<usize>>,
    /// Two neighbours that are one thing; its number is the number of leaves and its place here.
    pub pairs: Vec<(usize, usize)>,
    /// How many leaves there are.
    pub leaves: usize,
}

impl Rows {
    /// The two things of which a pair is made.
    pub(super) fn pair_of(&self, number: usize) -> Option<(usize, usize)> {
        self.pairs.get(number.checked_sub(self.leaves)?).copied()
    }

    /// The leaves of which a thing is made, in their order. A pair is made of what was there before it, so this comes to an end.
    pub(super) fn leaves_of(&self, number: usize) -> Vec<usize> {
        let (mut open, mut leaves) = (vec![number], Vec::new());
        while let Some(number) = open.pop() {
            match self.pair_of(number) {
                Some((one, other)) => open.extend([other, one]),
                None => leaves.push(number),
            }
        }
        leaves
    }

    /// Makes one thing of each two neighbours that stand together most often, and `least` times at the least; false when there are none.
    pub(super) fn pair(&mut self, least: usize) -> bool {
        let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
        for row in &self.rows {
            let mut last = None;
            for (at, pair) in row.windows(2).enumerate() {
                let pair = (pair[0], pair[1]);
                // Of three alike things only two make a pair.
                if last == Some((at, pair)) {
                    last = None;
                    continue;
                }
                *counts.entry(pair).or_default() += 1;
                last = (pair.0 == pair.1).then_some((at + 1, pair));
            }
        }
        let most = counts.values().copied().max().unwrap_or(0);
        if most < least {
            return false;
        }
        let enough = (most / 2).max(least);
        let mut made: HashMap<(usize, usize), usize> = HashMap::new();
        let (leaves, pairs) = (self.leaves, &mut self.pairs);
        for row in &mut self.rows {
            let mut shorter = Vec::with_capacity(row.len());
            let mut rest = row.as_slice();
            loop {
                rest = match rest {
                    [one, other, tail @ ..] if counts.get(&(*one, *other)).is_some_and(|count| *count >= enough) => {
                        let number = *made.entry((*one, *other)).or_insert_with(|| {
                            pairs.push((*one, *other));
                            leaves + pairs.len() - 1
                        });
                        shorter.push(number);
                        tail
                    }
                    [one, tail @ ..] => {
                        shorter.push(*one);
                        tail
                    }
                    [] => break,
                };
            }
            *row = shorter;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_paired_the_rows_say_the_same() {
        let rows: Vec<Vec<usize>> =
            vec![vec![0, 1, 2, 3], vec![0, 1, 2, 2, 2, 2], vec![1, 2, 3, 0, 1, 2], vec![], vec![3]];
        let mut paired = Rows { rows: rows.clone(), pairs: Vec::new(), leaves: 4 };
        while paired.pair(2) {}
        assert!(!paired.pairs.is_empty());
        let back: Vec<Vec<usize>> =
            paired.rows.iter().map(|row| row.iter().flat_map(|number| paired.leaves_of(*number)).collect()).collect();
        assert_eq!(back, rows);
    }
}
