//! Rows of which neighbours that several have in common are merged into pairs, again and again, as in the compression called Re-Pair.

use std::collections::HashMap;

/// Rows of numbers, and the pairs they contain.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// The rows. A number below that of the leaves is a leaf, any other a pair.
    pub rows: Vec<Vec<usize>>,
    /// The two numbers a pair stands for. Its own number is the number of leaves plus its index here.
    pub pairs: Vec<(usize, usize)>,
    /// How many leaves there are.
    pub leaves: usize,
}

impl Rows {
    /// Returns what a pair stands for; `None` for a leaf.
    pub(super) fn pair_of(&self, number: usize) -> Option<(usize, usize)> {
        self.pairs.get(number.checked_sub(self.leaves)?).copied()
    }

    /// Merges the most frequent neighbours, and those nearly as frequent, if they occur at least `least` times; returns false if there are
    /// none.
    pub(super) fn pair(&mut self, least: usize) -> bool {
        let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
        for row in &self.rows {
            let mut last = None;
            for (at, pair) in row.windows(2).enumerate() {
                let pair = (pair[0], pair[1]);
                // Three equal neighbours are one pair, not two.
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
        let enough = (most - most / 10).max(least);
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

    /// The leaves that a number stands for.
    fn leaves(rows: &Rows, number: usize) -> Vec<usize> {
        match rows.pair_of(number) {
            Some((one, other)) => [leaves(rows, one), leaves(rows, other)].concat(),
            None => vec![number],
        }
    }

    #[test]
    fn merged_rows_stand_for_the_same_leaves() {
        let rows: Vec<Vec<usize>> =
            vec![vec![0, 1, 2, 3], vec![0, 1, 2, 2, 2, 2], vec![1, 2, 3, 0, 1, 2], vec![], vec![3]];
        let mut paired = Rows { rows: rows.clone(), pairs: Vec::new(), leaves: 4 };
        while paired.pair(2) {}
        assert!(!paired.pairs.is_empty());
        let back: Vec<Vec<usize>> =
            paired.rows.iter().map(|row| row.iter().flat_map(|number| leaves(&paired, *number)).collect()).collect();
        assert_eq!(back, rows);
    }
}
