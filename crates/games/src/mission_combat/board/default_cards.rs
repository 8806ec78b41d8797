//! The default cards (M11) as a table: the data of `notation/mission-combat/decks.yaml`, as a test makes sure. Reading that file would take
//! longer than judging a game.

use crate::mission_combat::board::cards::{Card, Class, Decks, Effect, Kind, Unit};

/// The default cards of both sides.
pub(in crate::mission_combat) fn decks() -> Decks {
    let marines = vec![
        card("stealth-special-force", "Stealth Special Force", 4, Kind::Unit(unit(Class::Elite, 20, Class::Elite, 20))),
        card(
            "stealth-sniper",
            "Stealth Sniper",
            3,
            Kind::Unit(Unit { ranged: true, ..unit(Class::Elite, 10, Class::Standard, 20) }),
        ),
        card("rifle-squad", "Rifle Squad", 5, Kind::Unit(unit(Class::Standard, 10, Class::Standard, 10))),
        card("rocket-squad", "Rocket Squad", 4, Kind::Unit(unit(Class::Standard, 10, Class::Colossal, 20))),
        card(
            "heavy-gunner",
            "Heavy Gunner",
            3,
            Kind::Unit(Unit { ranged: true, ..unit(Class::Standard, 20, Class::Elite, 10) }),
        ),
        card(
            "armored-gauss-tank",
            "Armored Gauss Tank",
            3,
            Kind::Unit(Unit { oversized: true, ranged: true, ..unit(Class::Colossal, 40, Class::Standard, 20) }),
        ),
        card(
            "assault-walker",
            "Assault Walker",
            2,
            Kind::Unit(Unit { oversized: true, ..unit(Class::Colossal, 50, Class::Colossal, 30) }),
        ),
        card("hellfire", "Hellfire", 2, Kind::Event(Effect::Damage { target: Class::Colossal, points: 50 })),
        card(
            "artillery-barrage",
            "Artillery Barrage",
            2,
            Kind::Event(Effect::Damage { target: Class::Standard, points: 40 }),
        ),
        card("missile-strike", "Missile Strike", 2, Kind::Event(Effect::Damage { target: Class::Elite, points: 40 })),
    ];
    let portalists = vec![
        card(
            "portal-trooper",
            "Portal Trooper",
            6,
            Kind::Unit(Unit { speed: true, ..unit(Class::Standard, 10, Class::Standard, 10) }),
        ),
        card(
            "psionic-fanatic",
            "Psionic Fanatic",
            5,
            Kind::Unit(Unit { speed: true, ..unit(Class::Elite, 10, Class::Standard, 20) }),
        ),
        card("psionic-priest", "Psionic Priest", 4, Kind::Unit(unit(Class::Elite, 10, Class::Elite, 20))),
        card("exorcist", "Exorcist", 4, Kind::Unit(unit(Class::Elite, 10, Class::Elite, 10))),
        card(
            "rift-stalker",
            "Rift Stalker",
            4,
            Kind::Unit(Unit { speed: true, ..unit(Class::Standard, 10, Class::Colossal, 20) }),
        ),
        card(
            "gate-breaker",
            "Gate Breaker",
            2,
            Kind::Unit(Unit { oversized: true, ..unit(Class::Colossal, 40, Class::Colossal, 30) }),
        ),
        card(
            "warp-colossus",
            "Warp Colossus",
            2,
            Kind::Unit(Unit { oversized: true, ..unit(Class::Colossal, 50, Class::Standard, 30) }),
        ),
        card("trap-portal", "Trap Portal", 3, Kind::Event(Effect::Trap)),
    ];
    Decks::new([marines, portalists])
}

fn card(slug: &str, name: &str, copies: u32, kind: Kind) -> Card {
    Card { slug: slug.to_owned(), name: Some(name.to_owned()), copies, kind }
}

const fn unit(class: Class, defence: u32, weapon: Class, damage: u32) -> Unit {
    Unit { class, defence, weapon, damage, oversized: false, speed: false, ranged: false }
}
