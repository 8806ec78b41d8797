//! Counts of sequences of single actions.

use super::*;
use crate::mission_combat::moves as generate;

#[test]
fn sequences_of_actions_have_the_expected_counts() {
    let rows: serde_json::Value =
        serde_json::from_str(include_str!("../../../../../tests/data/mission-combat/perft.json")).expect("JSON");
    let mut counted = 0;
    for row in rows.as_array().expect("a list") {
        let text = |name: &str| row[name].as_str().expect("a text");
        let number = |name: &str| row[name].as_u64().expect("a number");
        let mut chosen = Options::default();
        for (name, value) in row["options"].as_object().expect("options") {
            chosen.choose(OPTIONS, name, value.as_str().expect("a text")).expect("an option");
        }
        let position = Some(text("position")).filter(|position| !position.is_empty());
        let game = MissionCombat::start(&Start::open(&chosen, position)).expect("a position");
        let (depth, grain) = (number("depth") as u32, number("grain") as u32);
        assert_eq!(game.count_sequences(depth, grain), number("nodes"), "{row}");
        if number("nodes") < 2000 {
            let divided: u64 = game.divide_sequences(depth, grain).iter().map(|(_, nodes)| nodes).sum();
            assert_eq!(divided, number("nodes"), "{row}");
        }
        counted += 1;
    }
    assert!(counted > 30);
}

#[test]
fn m35_an_artillery_barrage_over_six_portal_troopers_is_counted_and_not_listed() {
    let game = on("BP portal-trooper.1 portal-trooper.2 portal-trooper.3; YA portal-trooper.4 portal-trooper.5 \
                   portal-trooper.6; AR rifle-squad.1; ap 1; to play marines; hand marines artillery-barrage");
    let barrage: Vec<_> =
        game.found().into_iter().filter(|found| matches!(found, generate::Found::Event(..))).collect();
    assert_eq!(barrage.len(), 1);
    let others = on("BP portal-trooper.1 portal-trooper.2 portal-trooper.3; YA portal-trooper.4 portal-trooper.5 \
                     portal-trooper.6; AR rifle-squad.1; ap 1; to play marines");
    assert_eq!(game.count_sequences(1, 1) - others.count_sequences(1, 1), 1_612_477);
    let mut list = Moves::default();
    game.moves(&mut list);
    assert!(list.len() < 400, "{}", list.len());
}
