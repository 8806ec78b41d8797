//! Decks that are derived from a seed, and the roots that commit to them (Z25 to Z28): one of several is picked, the
//! others are revealed.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::chain::Digest;
use super::seals::{self, Secret, Spot, half, mac, words_of};
use postrider_kernel::{Nonce, Root, Seal, Seed, Seeded};

/// The label of the seal at a place in a deck, counted from 1 (Z16).
fn label(generation: u32, place: usize) -> String {
    format!("deck.{generation}.{place}")
}

/// What is derived from a seed under a label (Z25).
fn under(seed: &Seed, game: &str, side: &str, label: &str) -> [u8; 32] {
    mac(&seed.0, &format!("{game}|{side}|{label}"))
}

/// The nonce of a card's label in a deck with a seed (Z25).
#[must_use]
pub fn nonce(seed: &Seed, game: &str, side: &str, label: &str) -> Nonce {
    Nonce(half(&under(seed, game, side, label)))
}

/// The cards in the order given by a seed (Z25).
#[must_use]
pub fn order<T: Copy>(seed: &Seed, game: &str, side: &str, generation: u32, cards: &[T]) -> Vec<T> {
    let digests = (0u32..).map(|count| under(seed, game, side, &format!("order.{generation}.{count}")));
    let mut words = digests.flat_map(|digest| words_of(&digest));
    let mut order = cards.to_vec();
    for last in (1..order.len()).rev() {
        let bound = u32::try_from(last).unwrap_or(u32::MAX).saturating_add(1);
        let face = words.find_map(|word| seals::face(word, bound)).unwrap_or(1);
        order.swap(last, usize::try_from(face - 1).unwrap_or(0).min(last));
    }
    order
}

/// The seals of a generation with these cards, as its seed gives them (Z25).
#[must_use]
pub fn seals(seed: &Seed, game: &str, side: &str, generation: u32, cards: &[&str]) -> Vec<Seal> {
    let sealed = |(card, place): (&str, usize)| {
        let label = label(generation, place);
        seals::seal(game, side, &label, card, &nonce(seed, game, side, &label))
    };
    order(seed, game, side, generation, cards).into_iter().zip(1..).map(sealed).collect()
}

/// How one of several decks is named in what is hashed (Z26, Z28): by its number in the first generation, by generation and number in
/// a later one.
fn name(Seeded { deck, generation }: Seeded) -> String {
    if generation <= 1 { deck.to_string() } else { format!("{generation}.{deck}") }
}

/// The label of the root of one of several decks (Z26).
pub(super) fn root_label(deck: Seeded) -> String {
    format!("root.{}", name(deck))
}

/// The root of one of several decks: the SHA-256 of all its seals (Z26).
#[must_use]
pub fn root(game: &str, side: &str, deck: Seeded, seals: &[Seal]) -> Root {
    let mut hash = Sha256::new_with_prefix(format!("pbem1|{game}|{side}|{}", root_label(deck)));
    for seal in seals {
        hash.update("|");
        hash.update(HEXLOWER.encode(&seal.0));
    }
    Root(hash.finalize().into())
}

/// The seed of one of several decks of a side (Z28). For a side that has committed, `spot` is that of the entry with
/// the roots.
#[must_use]
pub fn seed(secret: &Secret, game: &str, side: &str, deck: Seeded, spot: Option<&Spot>) -> Seed {
    Seed(secret.mac(&seed_text(game, side, &name(deck), spot)))
}

/// The seed of a later generation of which there is one deck only, derived from that of the first generation's deck that was picked
/// (Z28); `spot` is that of the entry that shuffles.
#[must_use]
pub fn later(picked: &Seed, game: &str, side: &str, generation: u32, spot: Option<&Spot>) -> Seed {
    Seed(mac(&picked.0, &seed_text(game, side, &generation.to_string(), spot)))
}

fn seed_text(game: &str, side: &str, name: &str, spot: Option<&Spot>) -> String {
    match spot {
        Some(spot) => seals::at_spot("seed", game, side, spot, name),
        None => format!("{game}|{side}|seed.{name}"),
    }
}

/// Where the roots of a side's decks were published (Z26): each generation with roots, and the digest of the chain before the entry
/// that published them, if the chain is followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rooted(Vec<(u32, Option<Digest>)>);

impl Rooted {
    /// Adds a generation, later than those before.
    pub(super) fn add(&mut self, generation: u32, before: Option<Digest>) {
        self.0.push((generation, before));
    }

    /// Whether a generation has roots, and then the digest.
    fn of(&self, generation: u32) -> Option<Option<Digest>> {
        let nth = self.0.binary_search_by_key(&generation, |(other, _)| *other).ok()?;
        self.0.get(nth).map(|(_, before)| *before)
    }

    /// The seed of a deck of the side (Z28). `before` is the digest of the chain before the entry with its seals, which counts where
    /// there was one deck only; `spot` gives the spot of an entry by that digest, for a side that has committed.
    pub(super) fn seed(
        &self,
        secret: &Secret,
        (game, side): (&str, &str),
        deck: Seeded,
        before: Option<Digest>,
        spot: &dyn Fn(Option<Digest>) -> Option<Spot>,
    ) -> Seed {
        if let Some(roots) = self.of(deck.generation) {
            return seed(secret, game, side, deck, spot(roots).as_ref());
        }
        let first = Seeded { generation: 1, ..deck };
        let first = seed(secret, game, side, first, spot(self.of(1).flatten()).as_ref());
        match deck.generation {
            1 => first,
            generation => later(&first, game, side, generation, spot(before).as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z25_a_seed_orders_every_card_and_other_seeds_order_them_differently() {
        let cards: Vec<u32> = (0..30).collect();
        let orders: Vec<_> = (0..40).map(|byte| order(&Seed([byte; 32]), "game", "side", 1, &cards)).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, cards);
        }
        let mut first: Vec<_> = orders.iter().filter_map(|order| order.first()).collect();
        first.sort_unstable();
        first.dedup();
        assert!(first.len() > 15, "the first card is another one each time: {first:?}");
    }
}
