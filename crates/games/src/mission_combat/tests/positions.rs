//! Position lines: valid ones are written back unchanged, impossible ones are malformed.

use super::*;

/// Returns whether a position is refused, both typed and in a record.
fn misread(position: &str) -> bool {
    let [recorded, typed] = [false, true].map(|typed| misfit(position, typed).is_some());
    assert_eq!(recorded, typed, "{position}");
    recorded
}

/// Where a position cannot be read, and what was expected there.
fn misfit(position: &str, typed: bool) -> Option<(usize, &'static str)> {
    let chosen = Options::default();
    match MissionCombat::start(&Start { typed, ..Start::open(&chosen, Some(position)) }) {
        Ok(_) => None,
        Err(SetupFault::Position(misfit)) => {
            assert!(misfit.offset <= position.len() && !misfit.expected.is_empty());
            Some((misfit.offset, misfit.expected))
        }
        Err(other) => panic!("{other:?}"),
    }
}

const TAIL: &str = "; hand marines -; hand portalists -; discard marines -; discard portalists -";

#[test]
fn every_part_reads_back() {
    // `on` checks that a position is written as it was read.
    on(
        "YA exorcist.1; AR stealth-sniper.1 stealth-special-force.1:10; ap 3; to play portalists; hand portalists exorcist trap-portal; \
        entered rifle-squad.3",
    );
    on("DP armored-gauss-tank.1<AR^; BE rifle-squad.999999; won marines");
    on("AR rifle-squad.1; won marines; discard portalists exorcist; entered exorcist.1");
    on(
        "YA exorcist.2; AR rifle-squad.1; ap 2; to play marines; choice hellfire stealth-sniper; entered exorcist.3 rocket-squad.1",
    );
    on("YA portal-trooper.1~; BW stealth-sniper.1 exorcist.2<AR!^; AE exorcist.1^; ap 1; to play portalists");
}

#[test]
fn impossible_positions_are_malformed() {
    for head in [
        // Cards and units.
        "YA exorcist.1; AR marksman.1; ap 4; to play marines",
        "YA trap-portal; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.0; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.01; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1000000; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1 exorcist.1; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1; AR assault-walker.1 assault-walker.2 assault-walker.3; ap 4; to play marines",
        "YA exorcist.1; AR rifle-squad.1; ap 5; to play marines",
        "YA exorcist.1; AR rifle-squad.1; ap 04; to play marines",
        "YA exorcist.1; AR rifle-squad.1; ap 4; to play white",
        // Marks and damage.
        "YA exorcist.1~; AR rifle-squad.1; ap 4; to play portalists",
        "YA portal-trooper.1~; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1; AR rifle-squad.1:5; ap 4; to play marines",
        "YA exorcist.1:10; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1:0; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1<BP; AR rifle-squad.1; ap 4; to play portalists",
        "YA exorcist.1!; AR rifle-squad.1; ap 4; to play portalists",
        // Units among enemies, or in a building.
        "YA exorcist.1; AR rifle-squad.1 portal-trooper.1; ap 4; to play portalists",
        "YA exorcist.1; AR rifle-squad.1 portal-trooper.1<YA; ap 4; to play marines",
        "YA exorcist.1; AR rifle-squad.1 portal-trooper.1<YA portal-trooper.2<YO; ap 4; to play portalists",
        "YA exorcist.1; AR rifle-squad.1 portal-trooper.1<BP; ap 4; to play portalists",
        "YA exorcist.1; AR rifle-squad.1 psionic-priest.1<YA!; ap 4; to play portalists",
        "YA exorcist.1; AR rifle-squad.1 portal-trooper.1<YA!; ap 0; to play portalists",
        "YA exorcist.1; BW rifle-squad.1; AR rifle-squad.2 portal-trooper.1<BW; ap 4; to play portalists",
        "RP gate-breaker.1; AR rifle-squad.1; ap 4; to play marines",
        "RP gate-breaker.1; AR rifle-squad.1; ap 4; to play portalists",
        "RP gate-breaker.1<DP; AR rifle-squad.1; ap 4; to play portalists",
        "DP armored-gauss-tank.1<AR; YA exorcist.1; AR rifle-squad.1; ap 4; to play marines",
        // The end.
        "AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1; AR rifle-squad.1; won marines",
        "won marines",
        "sealing",
        // A choice.
        "YA exorcist.1; AR rifle-squad.1; ap 4; to play marines; choice hellfire hellfire",
        "YA exorcist.1; AR rifle-squad.1; HQ exorcist.2; ap 3; to play marines; choice hellfire hellfire",
        "YA exorcist.1; AR rifle-squad.1; ap 3; to play marines; choice hellfire trap-portal",
    ] {
        assert!(misread(&format!("{head}{TAIL}")), "{head}");
    }
    let turn = "YA exorcist.1; AR rifle-squad.1; ap 4; to play marines";
    assert!(!misread(&format!("{turn}{TAIL}")));
    for tail in [
        "; hand marines -; hand portalists -; discard marines -",
        "; hand marines trap-portal; hand portalists -; discard marines -; discard portalists -",
        "; hand marines hellfire hellfire hellfire; hand portalists -; discard marines -; discard portalists -",
        "; hand marines hellfire hellfire; hand portalists -; discard marines hellfire; discard portalists -",
        "; hand marines -; hand portalists -; discard marines -; discard portalists -; entered",
        "; hand marines -; hand portalists -; discard marines -; discard portalists -; entered rifle-squad.1",
        "; hand marines -; hand portalists -; discard marines -; discard portalists -; entered hellfire.1",
        "; hand marines -; hand portalists -; discard marines -; discard portalists -; entered rocket-squad.1 rocket-squad.1",
        "; hand marines -; hand portalists -; discard marines -; discard portalists - ",
    ] {
        assert!(misread(&format!("{turn}{tail}")), "{tail}");
    }
}

#[test]
fn m15_m17_positions_that_the_setup_cannot_reach_are_malformed() {
    let five = "rifle-squad rifle-squad rifle-squad rifle-squad rifle-squad";
    let also = "exorcist exorcist exorcist portal-trooper portal-trooper";
    for (position, reads) in [
        (format!("drawing; to play marines; hand marines -; hand portalists {also}; discard marines -; discard portalists -"), true),
        (format!("drawing; to play marines; hand marines {five}; hand portalists -; discard marines -; discard portalists -"), false),
        ("drawing; to play marines; hand marines -; hand portalists exorcist; discard marines -; discard portalists -".into(), false),
        ("drawing; to play marines; hand marines -; hand portalists -; discard marines -; discard portalists trap-portal".into(), false),
        ("drawing; to play marines; hand marines -; hand portalists -; discard marines rifle-squad; discard portalists -".into(), false),
        ("drawing; to play marines; hand marines hellfire; hand portalists -; discard marines -; discard portalists -".into(), false),
        (format!("drawing; to play marines; hand marines -; hand portalists {also}; discard marines -; discard portalists -; entered exorcist.1"), false),
        (format!("placing; to play marines; hand marines {five}; hand portalists {also}; discard marines hellfire; discard portalists -"), true),
        (format!("placing; to play marines; hand marines {five}; hand portalists exorcist; discard marines -; discard portalists -"), false),
        (format!("AR rifle-squad.1; placing; to play portalists; hand marines {}; hand portalists {also}; discard marines -; discard portalists -", &five[..47]), true),
        (format!("AR rifle-squad.2; placing; to play portalists; hand marines {}; hand portalists {also}; discard marines -; discard portalists -", &five[..47]), false),
        (format!("AR rifle-squad.1; placing; to play marines; hand marines {}; hand portalists {also}; discard marines -; discard portalists -", &five[..47]), false),
        (format!("YA rifle-squad.1; placing; to play portalists; hand marines {}; hand portalists {also}; discard marines -; discard portalists -", &five[..47]), false),
    ] {
        assert_eq!(!misread(&position), reads, "{position}");
    }
    assert!(matches!(
        MissionCombat::start(&Start::sealed(
            &Options::default(),
            Some(&format!(
                "placing; to play marines; hand marines {five}; hand portalists {also}; discard marines -; discard portalists -"
            ))
        )),
        Err(SetupFault::Position(_))
    ));
}

const ORDERED: &str = "YA exorcist.1 portal-trooper.1; AR rifle-squad.1 exorcist.2<YA; ap 3; to play portalists; \
                       hand marines hellfire rifle-squad; hand portalists -; discard marines rocket-squad hellfire; \
                       discard portalists -; entered portal-trooper.2 rocket-squad.1";

#[test]
fn typed_parts_are_read_in_any_order_and_written_in_one() {
    let chosen = Options::default();
    let written = |position: &str| {
        let start = Start { typed: true, ..Start::open(&chosen, Some(position)) };
        MissionCombat::start(&start).unwrap_or_else(|fault| panic!("{position}: {fault:?}")).position()
    };
    let mut parts: Vec<_> = ORDERED.split("; ").collect();
    for turned in 0..parts.len() {
        parts.rotate_left(1);
        assert_eq!(written(&parts.join("; ")), ORDERED, "{turned}");
    }
    let mixed = ORDERED
        .replace("exorcist.1 portal-trooper.1", "portal-trooper.1 exorcist.1")
        .replace("rifle-squad.1 exorcist.2<YA", "exorcist.2<YA rifle-squad.1")
        .replace("hellfire rifle-squad", "rifle-squad hellfire")
        .replace("portal-trooper.2 rocket-squad.1", "rocket-squad.1 portal-trooper.2");
    assert_eq!(written(&mixed), ORDERED);
}

#[test]
fn a_record_must_be_canonical_and_the_part_out_of_order_is_named() {
    assert_eq!(misfit(ORDERED, false), None);
    for (from, to, at, told) in [
        (
            "YA exorcist.1 portal-trooper.1; AR rifle-squad.1 exorcist.2<YA",
            "AR rifle-squad.1 exorcist.2<YA; YA exorcist.1 portal-trooper.1",
            "AR",
            "the areas in the order",
        ),
        ("exorcist.1 portal-trooper.1", "portal-trooper.1 exorcist.1", "portal-trooper.1", "the units of an area"),
        ("hellfire rifle-squad", "rifle-squad hellfire", "rifle-squad hellfire", "the cards of a hand"),
        ("ap 3; to play portalists", "to play portalists; ap 3", "to play", "the parts in their order"),
        (
            "; hand portalists -; discard marines rocket-squad hellfire",
            "; discard marines rocket-squad hellfire; hand portalists -",
            "discard marines",
            "the parts in their order",
        ),
        ("portal-trooper.2 rocket-squad.1", "rocket-squad.1 portal-trooper.2", "rocket-squad.1 p", "behind `entered`"),
    ] {
        let position = ORDERED.replace(from, to);
        assert_ne!(position, ORDERED, "{from}");
        let (offset, expected) = misfit(&position, false).unwrap_or_else(|| panic!("{position} reads"));
        assert!(position[offset..].starts_with(at) && expected.contains(told), "{position}: {offset} {expected}");
        assert_eq!(misfit(&position, true), None);
    }
}

#[test]
fn a_refusal_points_at_the_part_that_is_wrong() {
    for (from, to, at) in [
        ("exorcist.1 p", "exorcist.1! p", "exorcist.1!"),
        ("rifle-squad.1 e", "rifle-squad.1:10 e", "rifle-squad.1:10"),
        ("hand marines hellfire rifle-squad", "hand marines hellfire hellfire", "discard marines"),
        ("hand portalists -; ", "", ""),
        ("; entered portal", "; hand marines -; entered portal", "hand marines -"),
        ("ap 3", "ap 5", "5"),
        ("portal-trooper.2 rocket", "portal-trooper.1 rocket", "portal-trooper.1 rocket"),
        ("; to play portalists", "", ""),
    ] {
        let position = ORDERED.replace(from, to);
        let (offset, expected) = misfit(&position, true).unwrap_or_else(|| panic!("{position} reads"));
        assert!(position[offset..].starts_with(at), "{position}: {offset} {expected}");
        assert!(!at.is_empty() || offset == position.len(), "{position}: {offset} {expected}");
    }
}

#[test]
fn long_positions_are_refused_at_the_first_unit_or_card_too_many() {
    for count in [100, 200, 400] {
        let units: Vec<_> = (1..=count).map(|n| format!("rifle-squad.{n}")).collect();
        let long = format!("AR {}; ap 4; to play marines{TAIL}", units.join(" "));
        let (offset, expected) = misfit(&long, false).expect("too many units");
        assert!(expected.contains("no more units") && long[..offset].matches("rifle-squad").count() == 60, "{offset}");
        let cards = vec!["hellfire"; count].join(" ");
        let long = ORDERED.replace("rocket-squad hellfire;", &format!("{cards};"));
        let (offset, expected) = misfit(&long, false).expect("too many cards");
        assert!(expected.contains("no more cards") && offset < 500, "{offset} {expected}");
    }
}
