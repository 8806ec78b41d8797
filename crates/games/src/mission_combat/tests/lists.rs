//! M11: lists of cards, the default ones and declared ones.

use super::*;
use crate::mission_combat::board::{areas, cards, decks, layout};
use crate::mission_combat::moves::tree;
use postrider_kernel::GameField;
use postrider_kernel::text::{Span, yaml};

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
}

#[test]
fn m11_the_default_decks_are_those_of_the_published_list() {
    let tree = yaml::read(decks::DEFAULT).expect("YAML");
    assert_eq!(decks::read(&tree).as_ref(), Ok(&*decks::default_decks()));
}

#[test]
fn m1_the_areas_are_those_of_the_published_list() {
    let tree = yaml::read(postrider_notation::mission_combat::AREAS).expect("YAML");
    let mut faults = tree::Faults::default();
    let mut reader = tree::NodeReader::new(&mut faults);
    let [listed] = reader.fields(&tree, ["areas"], "the list of areas");
    let listed = reader.list(listed.expect("areas"), "areas");
    assert_eq!(listed.len(), areas::all().len());
    let bit = |code: &str| 1 << areas::all().iter().position(|facts| facts.code == code).expect("an area");
    for (node, facts) in listed.iter().zip(areas::all()) {
        let fields = ["code", "name", "side", "building", "row", "column", "effect", "type", "adjacent"];
        let [code, name, side, building, row, column, effect, class, adjacent] = reader.fields(node, fields, "an area");
        let mut text = |node: Option<&postrider_kernel::text::Node<'_>>| {
            node.and_then(|node| reader.text(node, "a field")).unwrap_or_default().to_owned()
        };
        assert_eq!((text(code), text(name)), (facts.code.to_owned(), facts.name.to_owned()));
        assert_eq!(text(side) == "marines", facts.owner == MARINES);
        assert_eq!(text(building), facts.building.to_string());
        assert_eq!((text(row), text(column)), (facts.row.to_string(), facts.column.to_string()));
        let class = cards::Class::of(&text(class));
        let wanted = match text(effect).as_str() {
            "portal" => areas::Effect::Portal(class.expect("a type")),
            "events" => areas::Effect::Events,
            "bunker" => areas::Effect::Bunker,
            "road" => areas::Effect::Road,
            "emplacement" => areas::Effect::Emplacement,
            "hq" => areas::Effect::Hq,
            other => panic!("{other}"),
        };
        assert_eq!(facts.effect, wanted);
        let adjacent = reader.list(adjacent.expect("neighbours"), "adjacent");
        let touched: u16 = adjacent.iter().map(|node| bit(reader.text(node, "a code").expect("a code"))).sum();
        assert_eq!(facts.adjacent, touched, "{}", facts.code);
    }
    assert!(faults.is_empty());
}

#[test]
fn m11_a_declared_list_is_accepted_and_played() {
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
fn m11_every_fault_in_a_list_is_reported_at_its_place() {
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
        ("slug: imp", "slug: hellfire", 8, "appears twice"),
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

const WHEEL: &str = "\
BP: [RP, YA]
RP: [BP, DP]
DP: [RP, YO]
YA: [BP, BW, AR]
YO: [DP, AR, BE]
BW: [YA, AE]
AR: [YA, YO, AE]
BE: [YO, HQ]
AE: [BW, AR, HQ]
HQ: [BE, AE]
";

/// The faults of a layout, each with its line; 0 is that of the field's name.
fn layout_faults(text: &str) -> Vec<(usize, String)> {
    let tree = yaml::read(text).expect("YAML");
    let mut list = Vec::new();
    layout::check(Span::new(0, 6), &tree, &mut |span, message| {
        // The place of the name is before the value, in which places begin at 0.
        let line = if span == Span::new(0, 6) { 0 } else { 1 + text[..span.start as usize].matches('\n').count() };
        list.push((line, message));
    });
    list
}

#[test]
fn m2_a_declared_layout_is_adjacency_everywhere() {
    let wheel = WHEEL.replace("BP: [RP, YA]\n", "BP: [YA, RP]\n");
    assert_eq!(layout_faults(&wheel), []);
    let chosen = Options::default();
    let game = |position: &str| {
        let fields = [GameField { name: "layout", value: yaml::read(&wheel).expect("YAML") }];
        let start = Start { fields: &fields, ..Start::open(&chosen, Some(position)) };
        MissionCombat::start(&start).unwrap_or_else(|fault| panic!("{position}: {fault:?}"))
    };
    let position =
        in_full("YA portal-trooper.1; YO exorcist.1; BW stealth-sniper.1; BE rifle-squad.1; ap 4; to play marines");
    let moves = game(&position);
    refused(&moves, "move rifle-squad.1>AR; end", "M26");
    assert!(told(&moves, "move rifle-squad.1>AR; end").ends_with("; it may move to HQ"));
    assert!(rule_of(&moves, "move rifle-squad.1>HQ; end").is_ok());
    // Ranged weapons reach adjacent areas, and a unit returns to one.
    assert!(rule_of(&moves, "attack stealth-sniper.1 portal-trooper.1:10; end").is_ok());
    let far = game(&in_full("YO portal-trooper.1; BW stealth-sniper.1; ap 4; to play marines"));
    refused(&far, "attack stealth-sniper.1 portal-trooper.1:10; end", "M32");
    game(&in_full("YA rifle-squad.1<AR portal-trooper.1; ap 1; to play marines"));
    let unjoined = in_full("YO rifle-squad.1<YA portal-trooper.1; ap 1; to play marines");
    let fields = [GameField { name: "layout", value: yaml::read(&wheel).expect("YAML") }];
    assert!(MissionCombat::start(&Start { fields: &fields, ..Start::open(&chosen, Some(&unjoined)) }).is_err());
    // The owner of an area does not change (M3).
    assert_eq!(areas::Area::read(b"BW").map(areas::Area::owner), Some(MARINES));
}

#[test]
fn m2_every_fault_in_a_layout_is_reported_at_its_line() {
    for (from, to, line, told) in [
        ("HQ: [BE, AE]\n", "", 0, "has no area HQ"),
        ("BP: [RP, YA]", "BP: [RP, YA, DP]", 1, "DP does not name BP"),
        ("RP: [BP, DP]", "RP: [BP]", 3, "RP does not name DP"),
        ("BP: [RP, YA]", "BP: [RP, YA, BP]", 1, "not a neighbour of itself"),
        ("BP: [RP, YA]", "BP: [RP, YA, RP]", 1, "names its neighbour RP twice"),
        ("BP: [RP, YA]", "BP: [RP, YA, XX]", 1, "no area `XX`"),
        ("BP: [RP, YA]", "BP: RP", 1, "`BP` is a list"),
        ("BE: [YO, HQ]", "BX: [YO, HQ]", 8, "no area `BX`"),
        ("BE: [YO, HQ]", "BE: [YO, HQ]\nBE: [YO, HQ]", 9, "appears twice"),
        ("BP: [RP, YA]", "bp: [RP, YA]", 1, "no area `bp`"),
    ] {
        assert!(WHEEL.contains(from), "{from}");
        let list = layout_faults(&WHEEL.replacen(from, to, 1));
        assert!(list.iter().any(|(at, message)| *at == line && message.contains(told)), "{to}: {list:?}");
    }
    for text in ["BP", "[BP]", "- BP: []\n"] {
        assert_eq!(layout_faults(text).first().map(|(line, _)| *line), Some(0), "{text}");
    }
    // Areas without neighbours are allowed.
    let lonely = "BP: []\nRP: []\nDP: []\nYA: []\nYO: []\nBW: []\nAR: []\nBE: []\nAE: []\nHQ: []\n";
    assert_eq!(layout_faults(lonely), []);
    // However long a list is, each of its lines is reported once, and no more.
    let long = WHEEL.replace("[RP, YA]", &format!("[{}]", vec!["RP"; 1000].join(", ")));
    assert_eq!(layout_faults(&long).len(), 999 + 1, "the rest of the list, and YA that names BP");
}
