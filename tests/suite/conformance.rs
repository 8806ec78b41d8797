//! What holds for every game of the registry, tried in random games.

use std::collections::BTreeSet;

use crate::fuzz_targets::{Tally, record};
use postrider::registry::GAMES;

/// Xorshift: the same games each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        std::iter::repeat_with(|| self.next().to_le_bytes()[3]).take(count).collect()
    }
}

#[test]
fn random_games_hold_to_the_contract_of_a_game() {
    for game in GAMES {
        let name = game.info().name;
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut all = Tally::default();
        let mut ends = BTreeSet::new();
        // The first byte chooses the options: every combination is played. Games are as long as they come; short ones need more.
        for number in 0..=u8::MAX {
            if number >= 128 && all.listed > 4000 {
                break;
            }
            let mut dice = random.bytes(800);
            dice[0] = number;
            let tally = record(name, &dice);
            all.listed += tally.listed;
            all.respelled += tally.respelled;
            all.illegal += tally.illegal;
            all.malformed += tally.malformed;
            all.offers += tally.offers;
            all.replaced += tally.replaced;
            ends.extend(tally.outcome.map(|outcome| outcome.text(&game.info().sides)));
        }
        // Assassyn's Dagger has no shorthands: nothing in it can be spelled in two ways.
        let respelled = if name == "assassyn" { all.respelled == 0 } else { all.respelled > 5 };
        let enough = all.listed > 3000 && respelled && all.illegal > 500 && all.malformed > 250 && all.offers > 25;
        assert!(enough && all.replaced > 100 && ends.len() > 4, "{name}: {all:?} {ends:?}");
    }
}
