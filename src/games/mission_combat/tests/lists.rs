//! M11: lists of cards, the default ones and declared ones.

use super::*;
use crate::games::kernel::GameField;
use crate::text::{Span, yaml};

const GOOD: &str = "\
marines:
  units:
    - {slug: rifle-squad, name: Rifle Squad, copies: 26, type: standard, defence: 10, weapon: standard, damage: 10}
  events:
    - {slug: hellfire, copies: 4, effect: damage, target: colossal, points: 50}
portalists:
  units:
    - {slug: imp, copies: 30, type: elite, defence: 999, weapon: standard, damage: 1, speed: true, ranged: false}
  events: []
";

/// The faults of a list, each with its line.
fn faults(text: &str) -> Vec<(usize, String)> {
    let tree = yaml::read(text).expect("YAML");
    let mut list = Vec::new();
    decks::check(Span::at(0), &tree, &mut |span, message| {
        list.push((1 + text[..span.start as usize].matches('\n').count(), message));
    });
    list
}

#[test]
fn m11_the_default_decks_and_areas_are_in_order() {
    let decks = decks::default_decks();
    for side in Side::BOTH {
        assert_eq!(decks.of(side).iter().map(|card| card.copies).sum::<u32>(), 30);
    }
    assert_eq!(areas::Area::all().filter(|area| area.facts().is_some()).count(), 10);
    assert!(areas::read("areas: []").is_none() && areas::read("areas").is_none());
}

#[test]
fn m11_a_declared_list_is_taken_and_played() {
    assert_eq!(faults(GOOD), []);
    let tree = yaml::read(GOOD).expect("YAML");
    let chosen = Options::default();
    let fields = [GameField { name: "decks", value: tree }];
    let start = Start { fields: &fields, ..Start::open(&chosen, None) };
    let mut game = MissionCombat::start(&start).expect("a start");
    assert!(
        play(
            &mut game,
            "draw rifle-squad; draw hellfire; draw rifle-squad; draw rifle-squad; draw rifle-squad; draw rifle-squad"
        )
        .starts_with("drawing")
    );
    refused(&game, "draw exorcist; draw imp; draw imp; draw imp; draw imp", "M21");
}

#[test]
fn m11_every_fault_of_a_list_is_told_at_its_place() {
    for (from, to, line, told) in [
        ("copies: 26", "copies: 25", 2, "has 29 cards"),
        ("copies: 26", "copies: 0", 3, "from 1 to 999"),
        ("copies: 26", "copies: 026", 3, "from 1 to 999"),
        ("copies: 26", "copies: +26", 3, "from 1 to 999"),
        ("copies: 26, ", "", 3, "no `copies`"),
        ("type: standard", "type: big", 3, "standard, elite or colossal"),
        ("weapon: standard, damage: 10", "weapon: laser, damage: 10", 3, "standard, elite or colossal"),
        ("defence: 10", "defence: 1000", 3, "from 1 to 999"),
        ("damage: 10}", "damage: ten}", 3, "from 1 to 999"),
        ("slug: rifle-squad", "slug: Rifle", 3, "a slug begins"),
        ("slug: imp", "slug: hellfire", 8, "stands twice"),
        ("speed: true", "speed: yes", 8, "true or false"),
        ("speed: true", "range: true", 8, "no field `range`"),
        ("target: colossal, ", "", 5, "no `target`"),
        ("effect: damage", "effect: trap", 5, "no `target`"),
        ("effect: damage", "effect: boom", 5, "damage or trap"),
        ("  events: []\n", "", 7, "no `events`"),
        ("  events: []\n", "  events: none\n", 9, "is a list"),
        ("copies: 26", "copies: 4", 2, "has 8 cards"),
        ("portalists:", "aliens:", 6, "no field `aliens`"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let list = faults(&GOOD.replacen(from, to, 1));
        assert!(list.iter().any(|(at, message)| *at == line && message.contains(told)), "{to}: {list:?}");
    }
    let few = GOOD.replace("copies: 26", "copies: 4").replace("copies: 4, effect", "copies: 26, effect");
    assert!(faults(&few).iter().any(|(_, message)| message.contains("fewer than 5 units")));
    assert!(!faults("marines").is_empty() && !faults("[]").is_empty());
    // All of them at once, in order.
    let many = faults(&GOOD.replace("damage: 1", "damage: x").replace("copies: 4", "copies: y"));
    assert!(many.len() >= 3 && many.is_sorted_by_key(|(line, _)| *line), "{many:?}");
}
