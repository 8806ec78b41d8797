//! The four worked examples of the published rules, action by action and point by point.

use super::*;

#[test]
fn example_1_an_exorcist_destroys_a_special_force_by_two_attacks() {
    let game = on(
        "BP portal-trooper.1; YA exorcist.1; AR stealth-special-force.1; HQ rifle-squad.1; ap 4; to play portalists",
    );
    let rest = "; to play portalists; hand marines -; hand portalists -; discard marines";
    assert_eq!(
        begin(&game, "move exorcist.1>AR"),
        format!(
            "BP portal-trooper.1; AR stealth-special-force.1 exorcist.1<YA!; HQ rifle-squad.1; ap 3{rest} -; discard portalists -"
        )
    );
    assert_eq!(
        begin(&game, "move exorcist.1>AR; attack exorcist.1 stealth-special-force.1:10"),
        format!(
            "BP portal-trooper.1; AR stealth-special-force.1:10 exorcist.1<YA; HQ rifle-squad.1; ap 2{rest} -; discard portalists -"
        )
    );
    assert_eq!(
        begin(
            &game,
            "move exorcist.1>AR; attack exorcist.1 stealth-special-force.1:10; attack exorcist.1 stealth-special-force.1:10"
        ),
        format!(
            "BP portal-trooper.1; AR exorcist.1; HQ rifle-squad.1; ap 1{rest} stealth-special-force; discard portalists -; \
             entered stealth-special-force.1"
        ),
        "3 action points, and the Exorcist stays"
    );
    // After only one attack it returns.
    assert_eq!(
        begin(&game, "move exorcist.1>AR; attack exorcist.1 stealth-special-force.1:10; move portal-trooper.1>RP"),
        format!(
            "RP portal-trooper.1~; YA exorcist.1; AR stealth-special-force.1:10; HQ rifle-squad.1; ap 2{rest} -; discard portalists -"
        )
    );
}

#[test]
fn example_2_a_special_force_splits_its_points_over_two_units() {
    const FALLEN: &str =
        "discard portalists psionic-fanatic psionic-priest; entered psionic-fanatic.1 psionic-priest.1";
    let entry =
        "move stealth-special-force.1>YA; attack stealth-special-force.1 psionic-fanatic.1:10 psionic-priest.1:10";
    let game = on(
        "BP portal-trooper.1; YA psionic-fanatic.1 psionic-priest.1; AR stealth-special-force.1; ap 4; to play marines",
    );
    assert_eq!(
        begin(&game, entry),
        format!(
            "BP portal-trooper.1; YA stealth-special-force.1^; ap 3; to play marines; hand marines -; hand portalists -; \
             discard marines -; {FALLEN}"
        ),
        "the road pays for the move, so that it is 1 action point"
    );
    let game = on(
        "BP portal-trooper.1; YA psionic-fanatic.1 psionic-priest.1; AR stealth-special-force.1^; ap 4; to play marines",
    );
    assert_eq!(
        begin(&game, entry),
        format!(
            "BP portal-trooper.1; YA stealth-special-force.1^; ap 2; to play marines; hand marines -; hand portalists -; \
             discard marines -; {FALLEN}"
        ),
        "with the road used up it is 2"
    );
}

#[test]
fn example_3_a_sniper_on_a_bunker_reaches_two_adjacent_areas() {
    let game =
        on("BP warp-colossus.1; YA portal-trooper.2; BW stealth-sniper.1; AR portal-trooper.1; ap 4; to play marines");
    assert_eq!(
        begin(&game, "attack stealth-sniper.1 portal-trooper.1:10 portal-trooper.2:10"),
        "BP warp-colossus.1; BW stealth-sniper.1; ap 3; to play marines; hand marines -; hand portalists -; discard marines -; \
         discard portalists portal-trooper portal-trooper; entered portal-trooper.2"
    );
    refused(&game, "attack stealth-sniper.1 warp-colossus.1:10", "M32");
}

#[test]
fn example_4_a_tank_goes_by_the_road_fights_and_goes_back() {
    let game = on(
        "RP portal-trooper.1; DP psionic-fanatic.1; YO portal-trooper.2; AR armored-gauss-tank.1; ap 4; to play marines",
    );
    let moved = "move armored-gauss-tank.1>DP";
    assert!(
        begin(&game, moved).contains("DP armored-gauss-tank.1<AR!^ psionic-fanatic.1; YO portal-trooper.2; ap 4"),
        "free"
    );
    let attack = format!("{moved}; attack armored-gauss-tank.1 portal-trooper.1:10 portal-trooper.2:10");
    assert_eq!(
        begin(&game, &attack),
        "DP armored-gauss-tank.1<AR^ psionic-fanatic.1; ap 3; to play marines; hand marines -; hand portalists -; \
         discard marines -; discard portalists portal-trooper portal-trooper; entered portal-trooper.2"
    );
    refused(&game, &format!("{attack}; attack armored-gauss-tank.1 psionic-fanatic.1:10"), "M32");
    assert!(
        begin(&game, &format!("{attack}; end"))
            .starts_with("DP psionic-fanatic.1; AR armored-gauss-tank.1; ap 4; to play portalists")
    );
    refused(&game, &format!("{attack}; move armored-gauss-tank.1>DP; end"), "M30");
}
