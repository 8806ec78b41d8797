//! Tests of the ledger.

use super::super::follower::{Newest, Origins};
use super::in_text::{BEFORE_SEAL, InText};
use super::*;

#[test]
fn z6_seals_are_found_in_the_text_again() {
    let seal = |nth: u32| Seal(std::array::from_fn(|at| (nth >> (8 * (at % 4))) as u8));
    let entry = |nth: u32| format!("{nth} white +a1 seal:{}\n", seal(nth));
    let text: String = (0..900).map(entry).collect();
    let mut seals = Seals::new("game", ["white", "black"]);
    seals.be_brief(Brief::default());
    let mut places = Vec::new();
    for (start, nth) in text.match_indices("white").map(|(start, _)| start).zip(0..) {
        let mut facts = InText::new(&mut seals, Text::of(&text), start);
        let place = facts.publish(Side::First, "token.1", &seal(nth)).expect("a new one");
        assert_eq!(facts.seal_at(place), Some(seal(nth)));
        places.push(place);
        match nth % 3 {
            0 => seals.forget(),
            _ => assert_eq!(seals.keep(nth, None), NOTED as u64),
        }
    }
    for (nth, place) in (0..).zip(places) {
        let mut facts = InText::new(&mut seals, Text::of(&text), place.0 as usize - BEFORE_SEAL.len());
        assert_eq!(facts.seal_at(place), Some(seal(nth)));
        assert_eq!(facts.publish(Side::First, "token.1", &seal(nth)).is_some(), nth % 3 == 0, "{nth}");
        seals.forget();
    }
    assert_eq!((seals.count(), seals.published().len()), (600, 0));
}

#[test]
fn z6_the_line_of_an_entry_continues_the_text() {
    let [one, two, other] = [1, 2, 3].map(|byte| Seal([byte; 32]));
    for end in ["", "\n"] {
        let record = format!("1 white +a1 seal:{one}{end}");
        let line = format!("2 black a1 seal:{two}; seal:{other}");
        let text = Text::continued(&record, &line);
        let mut seals = Seals::new("game", ["white", "black"]);
        seals.be_brief(Brief::default());
        let mut facts = InText::new(&mut seals, text, text.line_start());
        let places = [two, other].map(|seal| facts.publish(Side::Second, "token.2", &seal).expect("a new one"));
        assert_eq!(places.map(|place| facts.seal_at(place)), [Some(two), Some(other)]);
        seals.keep(2, None);
        // The places are those that they have once the line is in the record.
        let whole = format!("{}\n{line}\n", record.trim_end());
        assert_eq!(places.map(|place| seals.seal_in(&whole, place)), [Some(two), Some(other)]);
        assert_eq!(seals.seal_in(&record, places[0]), None);
        let mut facts = InText::new(&mut seals, Text::continued(&whole, "3"), 0);
        assert!(facts.publish(Side::First, "token.3", &one).is_some());
        assert!(facts.publish(Side::First, "token.3", &two).is_none());
    }
}

/// A record of sealed tokens, of which some are opened, kept in some way.
fn kept(brief: Option<Brief>, entries: u32) -> (String, Seals) {
    let nonce = Nonce([5; 16]);
    let mut seals = Seals::new("game", ["white", "black"]);
    brief.into_iter().for_each(|brief| seals.be_brief(brief));
    seals.commit(Side::Second, Commitment([1; 32]));
    let made = |entry: u32| {
        let (side, word) = if entry.is_multiple_of(2) { (Side::Second, "black") } else { (Side::First, "white") };
        let label = format!("token.{entry}");
        let seal = seals::seal("game", word, &label, "spy", &nonce);
        (side, label, seal)
    };
    let line = |entry: u32| format!("{entry} +a1 seal:{}\n", made(entry).2);
    let text: String = (1..=entries).map(line).collect();
    for (entry, (start, _)) in (1..=entries).zip(text.match_indices('+')) {
        let (side, label, seal) = made(entry);
        let seeded = entry.is_multiple_of(5).then_some(Seeded { deck: 3, generation: entry });
        let mut answers = Answers::of(Some(&mut seals), Text::of(&text), start);
        let facts = answers.facts();
        match seeded {
            Some(seeded) => facts.publish_of_deck(side, &label, &seal, seeded),
            None => facts.publish(side, &label, &seal),
        };
        // Every third entry opens what was sealed two entries before.
        if entry > 2 && entry.is_multiple_of(3) {
            let (side, label, seal) = made(entry - 2);
            assert!(facts.opens(side, &label, "spy", &seal, &nonce));
        }
        seals.keep(entry, Some([entry as u8; 32]));
        // What is only tried leaves nothing.
        Answers::of(Some(&mut seals), Text::of(&text), start).facts().publish(side, "token.0", &seal);
        seals.forget();
    }
    (text, seals)
}

fn following(follower: impl Follower + 'static) -> Brief {
    Brief { checked: false, follower: Some(Box::new(follower)) }
}

#[test]
fn the_newest_seals_are_as_if_all_were_kept() {
    for entries in [0, 1, 2, 3, 4, 7, 90, 300] {
        let ((_, all), (_, few)) = (kept(None, entries), kept(Some(following(Newest::new(|_, _| None))), entries));
        for side in Side::BOTH {
            assert_eq!(few.newest_closed(side), all.newest_closed(side), "{entries}");
        }
        assert!(few.published().is_empty());
        let opened = format!("token.{}", entries.saturating_sub(2));
        assert_eq!(few.opens_in(entries, &opened), all.opens_in(entries, &opened));
        assert_eq!(few.opens_in(entries, &opened), entries > 2 && entries % 3 == 0);
    }
}

#[test]
fn z21_z25_what_a_nonce_depends_on_is_found_by_the_place_of_the_seal() {
    for side in Side::BOTH {
        let ((text, all), (_, found)) =
            (kept(None, 40), kept(Some(Brief { checked: true, ..following(Origins::of(side)) }), 40));
        let (_, places) = kept(Some(Brief::default()), 40);
        for published in all.published().into_iter().filter(|one| one.side == side) {
            let place = places.place_in(&text, &published.seal).expect("it is there");
            let origin = Origin { before: published.before, seeded: published.seeded };
            assert_eq!(
                found.follower().and_then(|follower| follower.origin(place)),
                Some(origin),
                "{}",
                published.entry
            );
            assert_eq!(all.origin(side, &published.seal), Some(origin));
        }
        assert_eq!(found.follower().and_then(|follower| follower.origin(SealPlace(0))), None);
    }
}

#[test]
fn z6_a_seal_of_a_refused_entry_has_not_stood() {
    let mut seals = Seals::new("game", ["white", "black"]);
    let [one, other] = [1, 2].map(|byte| Seal([byte; 32]));
    let is_new = |seals: &mut Seals, side, label, seal: &Seal| seals.publish(side, label, seal).is_some();
    assert!(is_new(&mut seals, Side::First, "token.1", &one) && !is_new(&mut seals, Side::First, "token.1", &one));
    seals.forget();
    assert!(seals.published().is_empty() && is_new(&mut seals, Side::Second, "token.1", &one));
    seals.keep(1, None);
    assert!(!is_new(&mut seals, Side::First, "token.2", &one));
    assert!(is_new(&mut seals, Side::First, "token.2", &other));
    assert_eq!(seals.published().len(), 1, "what the entry in hand adds is not among them yet");
    seals.forget();
    assert!(!is_new(&mut seals, Side::First, "token.2", &one));
    assert!(is_new(&mut seals, Side::First, "token.3", &other));
    seals.keep(2, None);
    let published = seals.published();
    let labels: Vec<_> = published.iter().map(|one| (one.label.as_str(), one.entry)).collect();
    assert_eq!(labels, [("token.1", 1), ("token.3", 2)]);
}

#[test]
fn z6_of_a_record_that_was_found_legal_no_places_are_kept() {
    let seal = Seal([7; 32]);
    let text = format!("1 white +a1 seal:{seal}\n2 black +a8 seal:{seal}\n");
    for checked in [false, true] {
        let mut seals = Seals::new("game", ["white", "black"]);
        seals.be_brief(Brief { checked, follower: None });
        let place =
            InText::new(&mut seals, Text::of(&text), 0).publish(Side::First, "token.1", &seal).expect("a new one");
        seals.keep(1, None);
        assert_eq!((place.0 as usize, seals.places.len()), (17, usize::from(!checked)));
        let mut facts = InText::new(&mut seals, Text::of(&text), text.find("2 black").expect("an entry"));
        assert_eq!(facts.publish(Side::Second, "token.2", &seal).is_some(), checked);
    }
}

#[test]
fn the_newest_closed_seal_of_a_side_is_as_in_the_list() {
    let mut seals = Seals::new("game", ["white", "black"]);
    seals.commit(Side::First, Commitment([1; 32]));
    let nonce = Nonce([5; 16]);
    for nth in 1..=9u8 {
        let side = if nth % 3 == 1 { Side::Second } else { Side::First };
        let label = format!("token.{nth}");
        let seal = seals::seal("game", seals.word(side), &label, "spy", &nonce);
        seals.publish(side, &label, &seal).expect("a new one");
        seals.keep(2 * u32::from(nth) - 1, Some([nth; 32]));
        assert!(nth % 4 != 0 || seals.opens(side, &label, "spy", &seal, &nonce));
        seals.keep(2 * u32::from(nth), None);
        for side in Side::BOTH {
            let list = seals.published();
            let newest = list.into_iter().rfind(|one| one.side == side && one.opened.is_none());
            assert_eq!(seals.newest_closed(side), newest, "{nth}");
        }
    }
}

#[test]
fn z21_the_chain_is_kept_for_the_seals_of_a_side_that_has_committed() {
    let mut seals = Seals::new("game", ["white", "black"]);
    seals.commit(Side::Second, Commitment([1; 32]));
    for nth in 1..=6 {
        let side = if nth % 2 == 1 { Side::First } else { Side::Second };
        seals.publish(side, "token.1", &Seal([nth; 32])).expect("a new one");
        seals.keep(u32::from(nth), Some([nth; 32]));
    }
    assert_eq!(seals.befores.len(), 3);
    for nth in 1..=6 {
        let side = if nth % 2 == 1 { Side::First } else { Side::Second };
        let origin = seals.origin(side, &Seal([nth; 32])).expect("its own");
        assert_eq!(origin.before, (nth % 2 == 0).then_some([nth; 32]));
    }
    let befores: Vec<_> = seals.published().iter().map(|one| one.before.map(|before| before[0])).collect();
    assert_eq!(befores, [None, Some(2), None, Some(4), None, Some(6)]);
}
