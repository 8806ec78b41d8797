//! Position lines: what reads is written back, and what cannot be is malformed.

use super::*;

fn misread(position: &str) -> bool {
    matches!(
        MissionCombat::start(&Start::open(&Options::default(), Some(position))),
        Err(SetupFault::Position(misfit)) if misfit.offset <= position.len() && !misfit.expected.is_empty()
    )
}

const TAIL: &str = "; hand marines -; hand portalists -; discard marines -; discard portalists -";

#[test]
fn every_part_reads_back() {
    // `on` sees to it that a position is written as it was read.
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
fn what_cannot_be_is_malformed() {
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
        // Order.
        "AR rifle-squad.1; YA exorcist.1; ap 4; to play marines",
        "YA portal-trooper.1 exorcist.1; AR rifle-squad.1; ap 4; to play marines",
        // Marks and damage.
        "YA exorcist.1~; AR rifle-squad.1; ap 4; to play portalists",
        "YA portal-trooper.1~; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1; AR rifle-squad.1:5; ap 4; to play marines",
        "YA exorcist.1:10; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1:0; AR rifle-squad.1; ap 4; to play marines",
        "YA exorcist.1<BP; AR rifle-squad.1; ap 4; to play portalists",
        "YA exorcist.1!; AR rifle-squad.1; ap 4; to play portalists",
        // Who stands among enemies, or on a building.
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
        "YA exorcist.1; AR rifle-squad.1; ap 3; to play marines; choice stealth-sniper hellfire",
        "YA exorcist.1; AR rifle-squad.1; ap 3; to play marines; choice hellfire trap-portal",
    ] {
        assert!(misread(&format!("{head}{TAIL}")), "{head}");
    }
    let turn = "YA exorcist.1; AR rifle-squad.1; ap 4; to play marines";
    assert!(!misread(&format!("{turn}{TAIL}")));
    for tail in [
        "; hand marines -; hand portalists -; discard marines -",
        "; hand portalists -; hand marines -; discard marines -; discard portalists -",
        "; hand marines trap-portal; hand portalists -; discard marines -; discard portalists -",
        "; hand marines rifle-squad hellfire; hand portalists -; discard marines -; discard portalists -",
        "; hand marines hellfire hellfire hellfire; hand portalists -; discard marines -; discard portalists -",
        "; hand marines hellfire hellfire; hand portalists -; discard marines hellfire; discard portalists -",
        "; hand marines -; hand portalists -; discard marines -; discard portalists -; entered",
        "; hand marines -; hand portalists -; discard marines -; discard portalists -; entered rifle-squad.1",
        "; hand marines -; hand portalists -; discard marines -; discard portalists -; entered hellfire.1",
        "; hand marines -; hand portalists -; discard marines -; discard portalists -; entered rocket-squad.1 heavy-gunner.1",
        "; hand marines -; hand portalists -; discard marines -; discard portalists -; entered rocket-squad.1 rocket-squad.1",
        "; hand marines -; hand portalists -; discard marines -; discard portalists - ",
    ] {
        assert!(misread(&format!("{turn}{tail}")), "{tail}");
    }
}

#[test]
fn m15_m17_what_the_setup_does_not_lead_to_is_malformed() {
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
