//! Compares judging with generating over every candidate, and counting with listing.

use super::*;
use crate::assassyn::rules::deployment;
use postrider_testing::random::Stream;
use postrider_testing::sample;

/// Every action that the grammar of open play allows, with throws up to one more than the largest die has.
fn candidates() -> Vec<Action> {
    let mut list = vec![Action::Accept(Acceptance::Bare)];
    for kind in board::Kind::ALL {
        for from in Square::all() {
            list.push(Action::Place(kind, from));
            for to in Square::all() {
                list.extend([Mark::To, Mark::Onto, Mark::Strike].map(|mark| Action::Move {
                    kind,
                    from,
                    mark,
                    to,
                    seal: None,
                }));
            }
        }
    }
    for attacker in 0..=21 {
        list.extend((0..=21).map(|defender| Action::Accept(Acceptance::Roll([attacker, defender]))));
    }
    list
}

fn agree(game: &Assassyn, candidates: &[Action]) {
    let mut moves = Moves::default();
    game.moves(&mut moves);
    let mut listed: Vec<_> = moves.iter().map(write).collect();
    listed.sort();
    assert_eq!(game.count(), listed.len(), "{}", game.position());
    let mut judged: Vec<_> = Vec::new();
    for action in candidates {
        if game.clone().play(std::slice::from_ref(action)).is_ok() {
            judged.push(write(std::slice::from_ref(action)));
        }
    }
    judged.sort();
    assert_eq!(judged, listed, "{}", game.position());
}

#[test]
fn judging_accepts_exactly_what_generating_lists_over_every_candidate() {
    let candidates = candidates();
    for (nth, (position, list)) in [
        ("white Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2; black Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5; to play white", &[][..]),
        ("white Pa1 Lc5; black Pf6 Wc5 Sb6; to play black; challenge c1xc5", &[]),
        ("white Pa1 Wd4 Lf1; black Pd4 Sf6 Ac5; to play black; challenge d1xd4", &[]),
        ("white Pe1 La6 Sc1; black Pa6 Sb6 Ab5; to play black; challenge a3xa6", &[]),
        ("white Pa1 Sf1 Ac4; black Pf6 Wb5 Lb4 Ld5 Sc3 Sd3; to play white", &[]),
        ("white Pa1 Sb2 Ac4; black Pf6 Lf3 Ac4; to play black; challenge b3xc4", &[("assassin-die", "20")]),
        ("white Pa1; black Pf6; to play white", &[]),
        ("white Pa1 Lc5 Lf5 Se3; black Pf6 Wc5 Sb6; to play black; challenge c1xc5", &[]),
        ("white Pe1 La6 Sb5; black Pa6 Sc6 Ab6; to play black; challenge a3xa6", &[]),
        ("white Pa1 Sb5 Ac4; black Pf6 Lf3 Ac4; to play black; challenge b3xc4", &[]),
        ("white Pb1 Wd6 Lf4 Ad4; black Pe6 Wd6 Aa6; to play black; challenge b4xd6", &[]),
    ]
    .into_iter()
    .enumerate()
    .filter(|(nth, _)| sample::tried(*nth, 4))
    {
        agree(&with(position, list), &candidates);
        let quiet: Vec<_> = list.iter().copied().chain([("escape", "quiet")]).collect();
        if sample::tried(nth, 8) {
            agree(&with(position, &quiet), &candidates);
        }
    }
    agree(
        &Assassyn::start(&Start::open(&options(&[("deployment", "alternating")]), None)).expect("a start"),
        &candidates,
    );
}

#[test]
fn judging_and_generating_agree_along_whole_games() {
    let candidates = candidates();
    for seed in 0..12 {
        let mut stream = Stream(seed);
        let list = [
            ("escape", if seed % 3 == 0 { "quiet" } else { "any" }),
            ("severe", ["both", "1", "2"][seed as usize % 3]),
        ];
        let start = "white Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2; black Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5; to play white";
        let mut game = with(start, &list);
        for turn in 0..60 {
            if game.outcome().is_some() {
                break;
            }
            if turn % 4 == seed as usize % 4 && sample::tried(turn / 4 + seed as usize, 25) {
                agree(&game, &candidates);
            }
            let mut moves = Moves::default();
            game.moves(&mut moves);
            let entry = moves.iter().nth(stream.below(moves.len())).expect("an entry").to_vec();
            game.play(&entry).expect("a listed entry is legal");
            let again = Assassyn::start(&Start::open(&options(&list), Some(&game.position()))).expect("a position");
            assert_eq!((again.board, again.outcome), (game.board, game.outcome), "{}", game.position());
        }
    }
}

#[test]
fn d4_there_are_997920_deployments_and_each_is_legal_once() {
    let start = Assassyn::start(&Start::open(&Options::default(), None)).expect("a start");
    assert_eq!(start.count(), 997_920);
    let mut nth = 0;
    let mut last = String::new();
    deployment::each_arrangement(WHITE, &mut |list| {
        nth += 1;
        if nth % 997 == 0 {
            let action = Action::Deploy(Deployment::from_slice(list), None);
            let text = write(std::slice::from_ref(&action));
            assert_eq!(read(&text), std::slice::from_ref(&action), "{text} is canonical");
            assert_ne!(text, last);
            start.clone().play(std::slice::from_ref(&action)).unwrap_or_else(|illegal| panic!("{text}: {illegal:?}"));
            last = text;
        }
        false
    });
    assert_eq!(nth, 997_920);
}

#[test]
fn lists_for_people_name_acceptances_and_deployments_once() {
    let list = |game: &Assassyn| {
        let mut list = Vec::new();
        game.list(&mut list);
        list.sort();
        list.join(" ")
    };
    assert_eq!(list(&at("white Pe1 La6 Sc1; black Pa6 Sb6 Ab5; to play black; challenge a3xa6")), "accept");
    assert_eq!(list(&Assassyn::start(&Start::open(&Options::default(), None)).expect("a start")), "deploy");
    assert!(list(&at("white Pa1 Lc1; black Pf6 Lc5; to play white")).contains("Lc1xc5"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused_at_a_place_in_it(text in "\\PC{0,40}") {
        if let Err(misfit) = notation::read(&text) {
            assert!(misfit.offset <= text.len());
        }
        let _ = notation::lenient(&text);
        if let Err(SetupFault::Position(misfit)) = Assassyn::start(&Start::open(&Options::default(), Some(&text))) {
            assert!(misfit.offset <= text.len());
        }
    }

    #[test]
    fn what_is_read_is_written_back(text in "(([PWLSA][a-f][1-6][-x*][a-f][1-6]|place [PWLSA][a-f][1-6]|accept roll [1-9]{1,2} [1-9]{1,2})( seal:[0-9a-f]{64})?|accept salt:[0-9a-f]{32}|open:[0-9a-f]{32}|seal:[0-9a-f]{64})") {
        if let Ok(action) = notation::read(&text) {
            assert_eq!(write(&[action]), text);
        }
    }
}

fn leaves(game: &Assassyn, depth: u64, found: &mut std::collections::BTreeSet<String>) {
    if depth == 0 {
        found.insert(game.position());
        return;
    }
    if game.outcome().is_some() {
        return;
    }
    let mut moves = Moves::default();
    game.moves(&mut moves);
    for entry in moves.iter() {
        let mut next = game.clone();
        next.apply(entry);
        leaves(&next, depth - 1, found);
    }
}

#[test]
fn every_position_after_one_and_two_entries_is_the_expected_one() {
    use sha2::{Digest as _, Sha256};
    let rows: serde_json::Value =
        serde_json::from_str(include_str!("../../../../../tests/data/assassyn/perft.json")).expect("JSON");
    let mut checked = 0;
    for row in rows.as_array().expect("a list") {
        let Some(expected) = row["leaf_sha256"].as_str() else { continue };
        let list: Vec<_> = row["options"].as_object().expect("options").iter().collect();
        let list: Vec<_> = list.iter().map(|(name, value)| (name.as_str(), value.as_str().expect("a text"))).collect();
        let position = row["position"].as_str().filter(|text| *text != "start");
        let game = Assassyn::start(&Start::open(&options(&list), position)).expect("a position");
        let mut found = std::collections::BTreeSet::new();
        leaves(&game, row["depth"].as_u64().expect("a depth"), &mut found);
        assert_eq!(Some(found.len() as u64), row["leaf_positions"].as_u64(), "{row}");
        let text: String = found.iter().map(|position| format!("{position}\n")).collect();
        assert_eq!(data_encoding::HEXLOWER.encode(&Sha256::digest(text)), expected, "{row}");
        checked += 1;
    }
    assert_eq!(checked, 26);
}
