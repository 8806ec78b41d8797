//! What is true of every game in the registry, tested in random games.

use std::collections::BTreeSet;

use crate::fuzz_targets::{Tally, entry_at, record};
use postrider_kernel::{Options, Side};
use postrider_referee::judging::Table;
use postrider_referee::registry::{AnyGame, GAMES};
use postrider_testing::random::Xorshift;

/// A number of random bytes.
fn bytes(random: &mut Xorshift, count: usize) -> Vec<u8> {
    std::iter::repeat_with(|| random.number().to_le_bytes()[3]).take(count).collect()
}

#[test]
fn random_games_hold_to_the_contract_of_a_game() {
    for game in GAMES {
        let name = game.info().name;
        let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
        let mut all = Tally::default();
        let mut ends = BTreeSet::new();
        // The first byte chooses the options, and every combination is played. The length of games is random, so short
        // games need more rounds.
        for number in 0..=u8::MAX {
            if number >= 128 && all.listed > 4000 && all.replaced > 30 {
                break;
            }
            let mut dice = bytes(&mut random, 800);
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
        // Only games with shorthands have more than one spelling.
        let respelled = if game.info().samples.shorthands.is_empty() { all.respelled == 0 } else { all.respelled > 5 };
        assert!(respelled, "{name}: {} entries in another spelling, unlike its `Samples::shorthands`", all.respelled);
        // While pieces are only being placed, an entry from another turn is usually legal too.
        for (what, count, least) in [
            ("listed entries", all.listed, 3000),
            ("illegal entries", all.illegal, 500),
            ("malformed lines", all.malformed, 250),
            ("offers", all.offers, 25),
            ("replaced entries", all.replaced, 30),
            ("results", ends.len(), 4),
        ] {
            assert!(count > least, "{name}: {count} {what}, too few to have tried much: {all:?} {ends:?}");
        }
    }
}

/// A game in one of its sample positions, and an entry of the side that is due there, as a line.
fn at(game: &dyn AnyGame, position: &str, entry: &str) -> (Box<dyn Table>, String) {
    let name = game.info().name;
    let table = game.table(&Options::default(), Some(position));
    let table = table.unwrap_or_else(|fault| panic!("{name}: {position:?}: {fault:?}"));
    let word = game.info().sides[table.standing().due.side.index()].word;
    (table, format!("1 {word} {entry}\n"))
}

#[test]
fn the_shorthands_of_each_game_are_legal_and_written_out() {
    for game in GAMES {
        for sample in game.info().samples.shorthands {
            let spelled = |text: &str| {
                let (mut table, line) = at(*game, sample.position, text);
                let entry = entry_at(*game, &line, 0).unwrap_or_else(|| panic!("{line:?} cannot be read"));
                let canonical = table.canonical(&line, &entry);
                assert!(table.enter(&line, &entry).is_ok(), "{line:?} is refused at {:?}", sample.position);
                (canonical, table.position())
            };
            assert_ne!(sample.short, sample.canonical);
            let written = spelled(sample.short);
            assert_eq!(written.0, sample.canonical);
            assert_eq!(written, spelled(sample.canonical), "{:?}", sample.short);
        }
    }
}

#[test]
fn each_game_ends_as_its_samples_say_and_nothing_is_listed_then() {
    for game in GAMES {
        let info = game.info();
        assert!(!info.samples.finished.is_empty(), "{} has no end", info.name);
        for sample in info.samples.finished {
            let (mut table, line) = at(*game, sample.position, sample.entry);
            assert_eq!(table.standing().outcome, None, "{:?}", sample.position);
            let entry = entry_at(*game, &line, 0).unwrap_or_else(|| panic!("{line:?} cannot be read"));
            assert!(table.enter(&line, &entry).is_ok(), "{line:?} is refused at {:?}", sample.position);
            let outcome = table.standing().outcome.map(|outcome| outcome.text(&info.sides));
            assert_eq!(outcome.as_deref(), Some(sample.result), "{line:?}");
            assert!(table.moves().is_empty(), "{line:?}: nothing may follow");
            let position = table.position();
            if !info.samples.no_setups.iter().any(|end| position.ends_with(end)) {
                let again = game.table(&Options::default(), Some(&position));
                let again = again.unwrap_or_else(|fault| panic!("{}: {position:?}: {fault:?}", info.name));
                assert!(again.standing().outcome.is_some() && again.moves().is_empty(), "{position:?}");
            }
        }
    }
}

#[test]
fn each_placeholder_represents_entries_with_the_stated_beginning() {
    for game in GAMES {
        for word in game.info().samples.placeholders {
            for side in Side::BOTH {
                let entry = (word.example)(side, &mut |below| below - 1);
                assert!(entry.starts_with(word.begins), "{entry}");
                assert_eq!(game.info().samples.as_listed(&entry), word.word);
            }
        }
    }
}
