//! Rule by rule: a refused turn and a similar legal one, from a position line.

use super::*;

/// Checks that the entry breaks the rule; returns the message and the hint.
fn breaks(position: &str, entry: &str, rule: &str) -> (String, String) {
    let illegal = refused(&at(position), entry);
    assert_eq!(illegal.rule.code, rule, "{entry} in {position}: {illegal:?}");
    (illegal.message, illegal.help.unwrap_or_default())
}

/// Checks that the entry is legal and leads to the position.
fn plays(position: &str, entry: &str, to: &str) {
    assert_eq!(after(&at(position), entry).position(), to, "{entry} in {position}");
}

#[test]
fn a1_white_goes_up_and_black_goes_down() {
    plays("white Ke1 Va2; black Ke8; to play white", "Va2-a3", "white Ke1 Va3; black Ke8; to play black");
    plays("white Ke1; black Ke8 Va7; to play black", "Va7-a6", "white Ke1; black Ke8 Va6; to play white");
}

#[test]
fn a2_the_start_has_all_forces() {
    let game = start(&[]);
    for side in Side::BOTH {
        for kind in Kind::GROUND {
            assert_eq!(game.field.of(kind, side).count_ones() as usize, kind.at_most());
        }
        assert_eq!(game.field.fighters(side).len(), 2);
        assert_eq!(game.field.flying(side), 0, "Fighters start landed");
    }
    assert_eq!(game.due().side, WHITE);
}

#[test]
fn a4_the_piece_named_is_there_and_is_the_players_own() {
    let position = "white Ke1 Va2 Fc4; black Ke8 Va7; to play white";
    let (message, help) = breaks(position, "Va7-a6", "A4");
    assert_eq!((message.as_str(), help.as_str()), ("the Ved'rin on a7 is Black's", "White's Ved'rin is on a2"));
    let (message, help) = breaks(position, "Sa2-a3", "A4");
    assert_eq!(message, "there is a Ved'rin on a2, not a Striker");
    assert_eq!(help, "the Ved'rin on a2 may go to a3 or b3");
    assert_eq!(breaks(position, "Vb2-b3", "A4").0, "White has nothing on b2");
    assert_eq!(breaks(position, "Fa2-a3", "A4").0, "there is a Ved'rin on a2, not a Fighter");
    assert_eq!(breaks(position, "Kc4-c5", "A4").0, "there is a Fighter on c4, not a Commander");
    let (message, help) = breaks(position, "c4-c5", "A4");
    assert_eq!(
        (message.as_str(), help.as_str()),
        ("no ground piece stands on c4, only a Fighter", "a turn of the Fighter begins with Fc4")
    );
    breaks(position, "d4-d5", "A4");
    breaks(position, "a7-a6", "A4");
    plays(position, "Va2-a3", "white Ke1 Va3 Fc4; black Ke8 Va7; to play black");
}

#[test]
fn a4_an_entry_is_one_turn() {
    let game = start(&[]);
    let two = game.clone().play(&[read("Va2-a3"), read("Vb2-b3")]).expect_err("two turns");
    assert_eq!((two.rule.code, two.part), ("A4", Some(1)));
    let none = game.clone().play(&[]).expect_err("no turn");
    assert_eq!((none.rule.code, none.part), ("A4", None));
    assert!(game.clone().play(&[read("Va2-a3")]).is_ok());
}

#[test]
fn a5_a_fighter_is_landed_on_a_friendly_portal_only() {
    let game = at("white Ke1 Pc3=N Fc3; black Ke8 Fc3; to play white");
    assert_eq!((game.field.flying(WHITE), game.field.flying(BLACK)), (0, Square::new(2, 2).set()));
}

#[test]
fn a6_ground_pieces_never_share_a_square() {
    breaks("white Ke1 Sa3 Va2; black Ke8; to play white", "Va2-a3", "A14");
    breaks("white Ke1 Va2; black Ke8 Sa3; to play white", "Va2-a3", "A14");
}

#[test]
fn a7_a_flyer_may_share_with_all_but_enemy_flyers() {
    let position = "white Ke1 Pc1=N Vc2 Fc1 Fc4; black Ke8 Vc3 Fb2; to play white";
    plays(position, "Fc1-c2", "white Ke1 Pc1=N Vc2 Fc2 Fc4; black Ke8 Vc3 Fb2; to play black");
    plays(position, "Fc1-c3", "white Ke1 Pc1=N Vc2 Fc3 Fc4; black Ke8 Vc3 Fb2; to play black");
    plays(position, "Fc1-c4", "white Ke1 Pc1=N Vc2 Fc4 Fc4; black Ke8 Vc3 Fb2; to play black");
    breaks(position, "Fc1-b2", "A40");
    let (message, _) = breaks("white Kh1 Pc1=N Fc1; black Kh8 Fc4 Fc4; to play white", "Fc1xc4", "A7");
    assert_eq!(message, "two Fighters of Black's fly on c4, and one would remain");
}

#[test]
fn a8_ground_forces_slip_under_flyers() {
    let position = "white Ka1 Sd1 Fd3; black Kh7 Fd5; to play white";
    plays(position, "Sd1-d8", "white Ka1 Sd8 Fd3; black Kh7 Fd5; to play black");
    plays(position, "Sd1-d5", "white Ka1 Sd5 Fd3; black Kh7 Fd5; to play black");
    let (message, _) = breaks(position, "Sd1xd5", "A15");
    assert_eq!(message, "no enemy ground force stands on d5, and ground forces slip under a flyer");
}

#[test]
fn a10_the_commander_moves_one_square() {
    let position = "white Kd4; black Kh8 Va7; to play white";
    for to in ["c3", "c4", "c5", "d3", "d5", "e3", "e4", "e5"] {
        after(&at(position), &format!("Kd4-{to}"));
    }
    let (message, help) = breaks(position, "Kd4-d6", "A10");
    assert_eq!(message, "the Commander on d4 does not reach d6: it moves one square in any direction");
    assert_eq!(help, "the Commander on d4 may go to c3, c4, c5, d3, d5, e3, e4 or e5");
    assert_eq!(breaks(position, "Kd4-d4", "A10").0, "the Commander on d4 is already on d4");
}

#[test]
fn a11_a_vedrin_moves_forward_until_it_is_promoted() {
    let position = "white Kh1 Vd4 Vf5!; black Kh8 Vb5; to play white";
    for entry in ["Vd4-c5", "Vd4-d5", "Vd4-e5", "Vf5-f4", "Vf5-e4", "Vf5-g6"] {
        after(&at(position), entry);
    }
    assert_eq!(
        breaks(position, "Vd4-d3", "A11").0,
        "the Ved'rin on d4 does not reach d3: it moves one square forward, straight or diagonally"
    );
    breaks(position, "Vd4-e4", "A11");
    breaks(position, "Vd4-d6", "A11");
    breaks(position, "Vf5-f7", "A11");
    breaks("white Kh1; black Kh8 Vb5; to play black", "Vb5-b6", "A11");
    plays("white Kh1; black Kh8 Vb5; to play black", "Vb5-c4", "white Kh1; black Kh8 Vc4; to play white");
}

#[test]
fn a11_promotion_is_for_good_and_counts_from_the_next_turn() {
    let game = after(&at("white Kh1 Vd7; black Ka8 Va7; to play white"), "Vd7-e8 Va7-a6 Ve8-e7 Va6-a5 Ve7-d7");
    assert_eq!(game.position(), "white Kh1 Vd7!; black Ka8 Va5; to play black");
}

#[test]
fn a12_strikers_go_straight_and_cruisers_diagonally_too() {
    let position = "white Kh1 Cb2 Sd4; black Kh7 Va3; to play white";
    for entry in ["Sd4-d8", "Sd4-a4", "Cb2-b8", "Cb2-c3", "Cb2-a1", "Cb2xa3"] {
        after(&at(position), entry);
    }
    assert_eq!(
        breaks(position, "Sd4-e5", "A12").0,
        "the Striker on d4 does not reach e5: it moves north, east, south or west"
    );
    breaks(position, "Cb2-c4", "A12");
    breaks(position, "Sd4xd4", "A12");
}

#[test]
fn a13_portals_and_rangers_move_one_square_and_spin() {
    let position = "white Kh1 Rd4=N Pf4=E; black Kh8 Va7; to play white";
    plays(position, "Rd4=S", "white Kh1 Rd4=S Pf4=E; black Kh8 Va7; to play black");
    plays(position, "Rd4-e5=W", "white Kh1 Re5=W Pf4=E; black Kh8 Va7; to play black");
    plays(position, "Pf4-f3", "white Kh1 Rd4=N Pf3=E; black Kh8 Va7; to play black");
    let (message, help) = breaks(position, "Pf4-f6", "A13");
    assert_eq!(message, "the Portal on f4 does not reach f6: it moves one square in any direction, or spins, or both");
    assert_eq!(help, "the Portal on f4 may go to e3, e4, e5, f3, f5, g3, g4 or g5, or spin to N, S or W");
    assert_eq!(breaks(position, "Rd4=N", "A13").0, "the Ranger on d4 already faces north");
    breaks(position, "Pf4-f3=E", "A13");
    breaks(position, "Rd4-d4=S", "A13");
}

#[test]
fn a13_only_portals_and_rangers_face_a_way() {
    let position = "white Kh1 Rd4=N Va2 Pc1=N; black Kh8; to play white";
    let game = Assideum::start(&Start::open(&Options::default(), Some(position))).expect("a position");
    let illegal = refused(&game, "a2=E");
    assert_eq!(illegal.rule.code, "A13");
    assert_eq!(illegal.message, "the Ved'rin on a2 faces no way: only Portals and Rangers do");
    assert_eq!(refused(&game, "a2-a3=E+c3").rule.code, "A13", "the facing is named before the Fighter");
    assert_eq!(refused(&game, "h1=E").rule.code, "A13");
    after(&game, "c1=E");
}

#[test]
fn a14_ground_forces_block_on_the_way() {
    let position = "white Kh2 Sa1 Va3; black Kh8 Se1 Vb7 Vc3; to play white";
    let (message, help) = breaks(position, "Sa1-a4", "A14");
    assert_eq!(message, "the Striker on a1 is blocked by White's Ved'rin on a3");
    assert_eq!(help, "the Striker on a1 may go to a2, b1, c1 or d1, or attack on e1");
    assert_eq!(breaks(position, "Sa1-f1", "A14").0, "the Striker on a1 is blocked by Black's Striker on e1");
    assert_eq!(breaks(position, "Sa1xa3", "A14").0, "the Striker on a1 is blocked by White's Ved'rin on a3, a friend");
    assert_eq!(
        breaks(position, "Sa1-e1", "A14").0,
        "the Striker on a1 is blocked by Black's Striker on e1, which `x` would attack"
    );
    plays(position, "Sa1-d1", "white Kh2 Sd1 Va3; black Kh8 Se1 Vb7 Vc3; to play black");
}

#[test]
fn a15_every_ground_force_attacks_as_it_moves() {
    let position = "white Kb1 Re5=N Pc6=N Va6; black Kh8 Vb7 Vd5 Vd7 Vf6 Fb7; to play white";
    for entry in ["Va6xb7", "Pc6xb7", "Pc6xd7=E", "Re5xd5", "Re5xf6=S"] {
        after(&at(position), entry);
    }
    plays(position, "Va6xb7", "white Kb1 Re5=N Pc6=N Vb7; black Kh8 Vd5 Vd7 Vf6 Fb7; to play black");
    assert_eq!(breaks(position, "Va6xa7", "A15").0, "no enemy ground force stands on a7");
    breaks(position, "Pc6xc7", "A15");
    breaks("white Kb1; black Kh8 Vc3!; to play white", "Kb1xb2", "A15");
}

#[test]
fn a15_a_portal_falls_with_its_landed_fighters_but_not_with_a_flyer_above() {
    plays("white Kb1 Sd1; black Kh8 Pd6=S Fd6 Fd6; to play white", "Sd1xd6", "white Kb1 Sd6; black Kh8; to play black");
    plays(
        "white Kb1 Sd1 Fd6; black Kh8 Pd6=S Fd6; to play white",
        "Sd1xd6",
        "white Kb1 Sd6 Fd6; black Kh8; to play black",
    );
}

#[test]
fn a20_a_fighter_flies_in_its_zone_only() {
    let position = "white Kh1 Pd4=N Fd4; black Kh8; to play white";
    let flights = listed(&at(position)).into_iter().filter(|text| text.starts_with('F')).collect::<Vec<_>>();
    let expected = "Fd4-c3 Fd4-c4 Fd4-c5 Fd4-d3 Fd4-d5 Fd4-d6 Fd4-d7 Fd4-e3 Fd4-e4 Fd4-e5";
    assert_eq!(flights.join(" "), expected);
    assert_eq!(breaks(position, "Fd4-d8", "A22").0, "d8 is outside the flight zone that the Fighter on d4 is in");
}

#[test]
fn a21_zones_join_where_they_share_a_square_of_the_board() {
    let joined = "white Kh1 Pc3=N Pe3=N Fb6; black Kh8; to play white";
    plays(joined, "Fb6-f6", "white Kh1 Pc3=N Pe3=N Ff6; black Kh8; to play black");
    breaks("white Kh1 Pc3=N Pf3=N Fb6; black Kh8; to play white", "Fb6-e6", "A22");
}

#[test]
fn a22_flight_is_straight_and_starts_in_the_zone() {
    let position = "white Kh1 Pd4=N Fd4 Fh5; black Kh8; to play white";
    assert_eq!(breaks(position, "Fd4-e6", "A22").0, "no straight line leads from d4 to e6");
    assert_eq!(breaks(position, "Fd4-d4", "A22").0, "the Fighter on d4 is already on d4");
    let (message, help) = breaks(position, "Fh5-e5", "A22");
    assert_eq!(message, "the Fighter on h5 is outside every flight zone of its side and cannot fly");
    assert_eq!(help, "the Fighter on h5 can fly again when the zone of a Portal comes to it");
    plays(position, "Fd4-d7", "white Kh1 Pd4=N Fd7 Fh5; black Kh8; to play black");
}

#[test]
fn a23_only_enemy_flyers_stop_a_flight() {
    let position = "white Kh1 Pd2=N Vd3 Fd2 Fd4; black Kh8 Pd5=S Fc4 Fd5; to play white";
    plays(position, "Fd2-d5", "white Kh1 Pd2=N Vd3 Fd4 Fd5; black Kh8 Pd5=S Fc4 Fd5; to play black");
    let position = "white Kh1 Pd2=N Vd3 Fd2; black Kh8 Fd4; to play white";
    assert_eq!(breaks(position, "Fd2-d5", "A23").0, "Black's Fighter on d4 is in the way");
    breaks(position, "Fd2xd5", "A23");
    plays(position, "Fd2xd4", "white Kh1 Pd2=N Vd3 Fd4; black Kh8; to play black");
    plays(position, "Fd2-d3", "white Kh1 Pd2=N Vd3 Fd3; black Kh8 Fd4; to play black");
}

#[test]
fn a24_a_fighter_landed_under_an_enemy_flyer_is_held_down() {
    let position = "white Kh1 Pc1=N Fc1 Fd2; black Kh8 Fc1; to play white";
    let (message, help) = breaks(position, "Fc1-c2", "A24");
    assert_eq!(message, "the Fighter on c1 is landed under an enemy Fighter, which holds it down");
    assert_eq!(help, "the Fighter on c1 may attack in place (Fc1xc1)");
    plays(position, "Fc1xc1", "white Kh1 Pc1=N Fc1 Fd2; black Kh8; to play black");
    plays(position, "Fd2xc1", "white Kh1 Pc1=N Fc1 Fc1; black Kh8; to play black");
    plays(position, "Pc1-b2", "white Kh1 Pb2=N Fb2 Fc3; black Kh8 Fc1; to play black");
}

#[test]
fn a25_a_flight_onto_a_friendly_portal_lands() {
    let game = after(&at("white Kh1 Pc3=N Fc5; black Kh8 Sa8; to play white"), "Fc5-c3 Sa8-a3 Pc3-d4");
    assert_eq!(game.position(), "white Kh1 Pd4=N Fd4; black Kh8 Sa3; to play black");
}

#[test]
fn a26_a_fighter_stays_where_it_is() {
    let game = after(&at("white Kh1 Pc3=N Fc5; black Kh8 Sc8; to play white"), "Kh1-h2 Sc8xc3 Kh2-h1");
    assert_eq!(game.position(), "white Kh1 Fc5; black Kh8 Sc3; to play black");
}

#[test]
fn a30_flyers_in_this_zone_alone_go_with_the_portal() {
    let position = "white Kh1 Pd3=N Fc6; black Kh8; to play white";
    plays(position, "Pd3-e4", "white Kh1 Pe4=N Fd7; black Kh8; to play black");
    plays(position, "Pd3=S", "white Kh1 Pd3=S Fe1; black Kh8; to play black");
    let (message, help) = breaks(position, "Pd3-d4+c6", "A30");
    assert_eq!(message, "the Fighter on c6 is in the zone of this Portal alone: it is carried anyway and not named");
    assert_eq!(help, "no Fighter is in the overlap: the Portal on d3 moves without `+`");
}

#[test]
fn a31_flyers_in_the_overlap_may_be_carried_or_left() {
    let position = "white Kh1 Pc3=N Pe3=N Fd5 Fd5; black Kh8; to play white";
    plays(position, "Pc3-b3", "white Kh1 Pb3=N Pe3=N Fd5 Fd5; black Kh8; to play black");
    plays(position, "Pc3-b3+d5", "white Kh1 Pb3=N Pe3=N Fc5 Fd5; black Kh8; to play black");
    plays(position, "Pc3-b3+d5+d5", "white Kh1 Pb3=N Pe3=N Fc5 Fc5; black Kh8; to play black");
    let (message, help) = breaks(position, "Pc3-b3+d5+d5+d5", "A31");
    assert_eq!(message, "d5 is named more often than there are Fighters on it");
    assert_eq!(help, "the Portal on c3 may take along +d5, once or twice");
    assert_eq!(breaks(position, "Pc3-b3+d4", "A31").0, "no Fighter on d4 is in the overlap of both zones");
    breaks("white Kh1 Pc3=N Pe3=N Fd5 Ff5; black Kh8; to play white", "Pc3-b3+f5", "A31");
}

#[test]
fn a31_only_a_portal_carries() {
    let game = at("white Kh1 Rd4=N Pc3=N Pe3=N Va2 Fd5; black Kh8; to play white");
    let illegal = refused(&game, "d4-d5+d5");
    assert_eq!(illegal.rule.code, "A31");
    assert_eq!(illegal.message, "the Ranger on d4 carries no Fighters: only a Portal does");
    assert_eq!(refused(&game, "a2-a3+d5").rule.code, "A31");
    after(&game, "c3-c4+d5");
}

#[test]
fn a32_landed_fighters_stay_with_their_own_portal() {
    let position = "white Kh1 Pc3=N Pd4=N Fc3 Fd4; black Kh8; to play white";
    plays(position, "Pc3-b3", "white Kh1 Pb3=N Pd4=N Fb3 Fd4; black Kh8; to play black");
    assert_eq!(
        breaks(position, "Pc3-b3+d4", "A32").0,
        "the Fighter on d4 is landed on the other Portal and cannot be carried"
    );
    assert_eq!(
        breaks(position, "Pc3-b3+c3", "A32").0,
        "the Fighter on c3 is landed on this Portal: it goes along and is not named"
    );
}

#[test]
fn a33_a_carried_fighter_shares_and_attacks_nothing() {
    let game = after(&at("white Kh1 Pd3=N Fd6; black Kh8 Va7 Ve6; to play white"), "Pd3-e3");
    assert_eq!(game.position(), "white Kh1 Pe3=N Fe6; black Kh8 Va7 Ve6; to play black");
    let besieged = after(&at("white Kh1 Pd3=N Fd6; black Ke7 Va7; to play white"), "Pd3-e4");
    assert_eq!(refused(&besieged, "Va7-a6").message, "the Commander on e7 stays in siege from the Fighter on e7");
}

#[test]
fn a34_a_fighter_pushed_off_the_board_stays_at_its_edge() {
    let position = "white Kh1 Pd5=N Fc8; black Kh6; to play white";
    plays(position, "Pd5-d6", "white Kh1 Pd6=N Fc8; black Kh6; to play black");
    let on = after(&at(position), "Pd5-d6 Kh6-h7 Pd6-d5");
    assert_eq!(on.position(), "white Kh1 Pd5=N Fc7; black Kh7; to play black", "the new place is the relative one");
}

#[test]
fn a35_no_fighter_is_carried_onto_an_enemy_flyer() {
    let position = "white Kh1 Pc3=N Fc5; black Kh8 Fd5; to play white";
    let (message, help) = breaks(position, "Pc3-d3", "A35");
    assert_eq!(message, "the Fighter on c5 would be carried to d5, where an enemy Fighter flies");
    assert!(help.starts_with("the Portal on c3 may go to b2"), "{help}");
    plays(position, "Pc3-d3=E", "white Kh1 Pd3=E Ff3; black Kh8 Fd5; to play black");
    let over_ground = "white Kh1 Pc3=N Fc5; black Kh8 Pd5=S Fd5; to play white";
    plays(over_ground, "Pc3-d3", "white Kh1 Pd3=N Fd5; black Kh8 Pd5=S Fd5; to play black");
}

#[test]
fn a36_a_portal_may_attack_and_go_under_an_enemy_flyer() {
    let position = "white Kh1 Pc3=N Fc3; black Kh8 Vd4 Fb4; to play white";
    plays(position, "Pc3xd4=E", "white Kh1 Pd4=E Fd4; black Kh8 Fb4; to play black");
    plays(position, "Pc3-b4", "white Kh1 Pb4=N Fb4; black Kh8 Vd4 Fb4; to play black");
}

#[test]
fn a37_a_fighter_that_comes_to_be_on_a_portal_is_landed() {
    let left = after(&at("white Kh1 Pc3=N Pd5=N Fd4; black Kh8 Va7; to play white"), "Pc3-d4 Va7-a6 Pd4-e4");
    assert_eq!(left.position(), "white Kh1 Pd5=N Pe4=N Fe4; black Kh8 Va6; to play black");
    plays("white Kh1 Pb7=N Fa8; black Kh6; to play white", "Pb7-a8", "white Kh1 Pa8=N Fa8; black Kh6; to play black");
}

#[test]
fn a40_a_flight_may_attack_where_it_ends() {
    let position = "white Kh1 Pd2=N Fd2; black Kh8 Pd5=S Vd4 Fc3 Fd5; to play white";
    plays(position, "Fd2xd4", "white Kh1 Pd2=N Fd4; black Kh8 Pd5=S Fc3 Fd5; to play black");
    plays(position, "Fd2-d4", "white Kh1 Pd2=N Fd4; black Kh8 Pd5=S Vd4 Fc3 Fd5; to play black");
    plays(position, "Fd2xd5", "white Kh1 Pd2=N Fd5; black Kh8 Vd4 Fc3; to play black");
    plays(position, "Fd2xc3", "white Kh1 Pd2=N Fc3; black Kh8 Pd5=S Vd4 Fd5; to play black");
    assert_eq!(breaks(position, "Fd2-c3", "A40").0, "Black's Fighter flies on c3: a flight that ends there attacks it");
    assert_eq!(breaks(position, "Fd2xd3", "A40").0, "there is nothing to attack on d3");
    plays(
        "white Kh1 Pd2=N Fd2; black Kh8 Vd4 Fd4; to play white",
        "Fd2xd4",
        "white Kh1 Pd2=N Fd4; black Kh8 Vd4; to play black",
    );
}

#[test]
fn a41_a_fighter_attacks_in_place_what_shares_its_square() {
    let outside = "white Kh1 Fd4; black Kh8 Vd4; to play white";
    plays(outside, "Fd4xd4", "white Kh1 Fd4; black Kh8; to play black");
    assert_eq!(
        breaks("white Kh1 Vd4 Fd4; black Kh8; to play white", "Fd4xd4", "A41").0,
        "the Fighter on d4 shares its square with no enemy ground force"
    );
    assert_eq!(
        breaks("white Kh1 Pc1=N Fc1; black Kh8; to play white", "Fc1xc1", "A41").0,
        "the Fighter on c1 is landed and no enemy Fighter flies above it"
    );
    plays(
        "white Kh1 Pc1=N Fc1; black Kh8 Fc1 Fc1; to play white",
        "Fc1xc1",
        "white Kh1 Pc1=N Fc1; black Kh8 Fc1; to play black",
    );
}

#[test]
fn a42_a_ranger_hits_the_first_ground_force_ahead() {
    let position = "white Kb1 Rd2=N Fd3; black Kh7 Vd7 Vg2 Fd4; to play white";
    plays(position, "Rd2*d7", "white Kb1 Rd2=N Fd3; black Kh7 Vg2 Fd4; to play black");
    assert_eq!(
        breaks(position, "Rd2*g2", "A42").0,
        "the Ranger on d2 faces north: no ground force on g2 is ahead of it"
    );
    breaks(position, "Rd2*d4", "A42");
    breaks(position, "Rd2*d2", "A42");
    let covered = "white Kb1 Rd2=N Vd3; black Kh7 Vd7; to play white";
    assert_eq!(
        breaks(covered, "Rd2*d7", "A42").0,
        "the Ranger on d2 does not hit d7: White's Ved'rin on d3, a friend, is the first ground force ahead"
    );
    assert_eq!(breaks(covered, "Rd2*d3", "A42").0, "the first ground force ahead is White's Ved'rin on d3, a friend");
    assert_eq!(refused(&at(covered), "d3*d7").message, "the Ved'rin on d3 does not fire: only a Ranger does");
}

#[test]
fn a42_rangers_fire_only_where_the_option_lets_them() {
    let position = "white Kb1 Rd2=N; black Kh7 Vd7; to play white";
    assert!(listed(&at(position)).contains(&"Rd2*d7".to_owned()));
    let game = at_with(position, &[("ranger-fire", "none")]);
    assert_eq!(refused(&game, "Rd2*d7").message, "Rangers do not fire in this game (`ranger-fire: none`)");
    assert!(!listed(&game).contains(&"Rd2*d7".to_owned()));
}

#[test]
fn a42_with_a_number_a_ranger_fires_that_many_squares_ahead() {
    let position = "white Kb1 Rd2=N; black Kh7 Vd5; to play white";
    for (range, hits) in [("1", false), ("2", false), ("3", true), ("7", true), ("line", true), ("none", false)] {
        let game = at_with(position, &[("ranger-fire", range)]);
        assert_eq!(listed(&game).contains(&"Rd2*d5".to_owned()), hits, "ranger-fire: {range}");
        assert_eq!(game.clone().play(&[read("Rd2*d5")]).is_ok(), hits, "ranger-fire: {range}");
    }
    let near = at_with(position, &[("ranger-fire", "2")]);
    let illegal = refused(&near, "Rd2*d5");
    assert_eq!(illegal.rule.code, "A42");
    assert_eq!(
        illegal.message,
        "the Ranger on d2 does not hit d5: it fires 2 squares ahead in this game (`ranger-fire: 2`)"
    );
    // Range decides who is in siege (A50): in the same position the Commander may stay, or not.
    for (range, stays) in [("6", true), ("7", false), ("line", false)] {
        let game = at_with("white Ka1 Vh2; black Kb8 Rh1=N; to play black", &[("ranger-fire", range)]);
        let mut spun = after(&game, "Rh1=W");
        assert_eq!(spun.play(&[read("Vh2-h3")]).is_ok(), stays, "ranger-fire: {range}");
        // The option also applies to a set-up (A51).
        let setup = "white Ka1 Vh2; black Kb8 Rh1=W; to play black";
        assert_eq!(Assideum::start(&Start::open(&options(&[("ranger-fire", range)]), Some(setup))).is_ok(), stays);
    }
    for value in ["0", "8", "07", "lines", ""] {
        assert!(Options::default().choose(OPTIONS, "ranger-fire", value).is_err(), "{value:?}");
    }
}

#[test]
fn a50_every_kind_of_attack_besieges() {
    for (attacker, by) in [
        ("Se4", "Striker on e4"),
        ("Ch4", "Cruiser on h4"),
        ("Re8=S", "Ranger on e8"),
        ("Rf2=N", "Ranger on f2"),
        ("Pd2=N", "Portal on d2"),
        ("Vd2", "Ved'rin on d2"),
        ("Vf1!", "Ved'rin on f1"),
        ("Fe1", "Fighter on e1"),
        ("Pe4=S Fe3", "Fighter on e3"),
    ] {
        let position = format!("white Ke1 Va2; black Kh8 {attacker}; to play white");
        let game = Assideum::start(&Start::open(&Options::default(), Some(&position))).expect("a position");
        let illegal = refused(&game, "Va2-a3");
        assert_eq!(illegal.rule.code, "A51", "{attacker}");
        assert_eq!(illegal.message, format!("the Commander on e1 stays in siege from the {by}"));
    }
    for bystander in ["Cd3", "Sd2", "Re8=N", "Ve3", "Fe3", "Pe4=N Fe3", "Pe5=S Fe5"] {
        let position = format!("white Ke1 Va2; black Kh8 {bystander}; to play white");
        let game = Assideum::start(&Start::open(&Options::default(), Some(&position))).expect("a position");
        after(&game, "Va2-a3");
    }
}

#[test]
fn a50_a_fighter_held_down_or_bound_to_a_flyer_besieges_nothing() {
    let held = "white Ke1 Va2 Fe4; black Kh8 Pe4=S Fe4; to play white";
    after(&at(held), "Va2-a3");
    let shield = "white Ke1 Pd2=N Va2 Fe1; black Kh8 Pe4=S Fe3; to play white";
    after(&at(shield), "Va2-a3");
    assert_eq!(breaks(shield, "Fe1-d1", "A51").0, "the Commander on e1 comes into siege from the Fighter on e3");
}

#[test]
fn a51_a_turn_may_not_leave_the_commander_in_siege() {
    let position = "white Ke1 Ve2; black Kh8 Se8; to play white";
    let (message, help) = breaks(position, "Ve2-d3", "A51");
    assert_eq!(message, "the Commander on e1 comes into siege from the Striker on e8");
    assert_eq!(help, "the legal turns are Ke1-d1, Ke1-d2, Ke1-f1, Ke1-f2 and Ve2-e3");
    plays(position, "Ve2-e3", "white Ke1 Ve3; black Kh8 Se8; to play black");
    let (message, _) = breaks("white Ke1; black Kh8 Sd8; to play white", "Ke1-d1", "A51");
    assert_eq!(message, "the Commander on d1 comes into siege from the Striker on d8");
}

#[test]
fn a52_a_side_that_cannot_end_the_siege_has_lost() {
    let game = after(&at("white Kb3 Rh2=W; black Kb1; to play black"), "Kb1-a1 Rh2-h1");
    assert_eq!(game.outcome(), Some(Outcome::Win(WHITE, "siege")));
    assert_eq!(refused(&game, "Ka1-a2").rule.code, "A52");
}

#[test]
fn a53_no_turn_without_siege_is_a_draw() {
    let game = after(&at("white Kb3 Vc1!; black Ka1; to play white"), "Vc1-c2");
    assert_eq!(game.outcome(), Some(Outcome::Draw("no option")));
    assert_eq!(refused(&game, "Ka1-a2").rule.code, "A53");
}

const TO_AND_FRO: &str = "Rd1=E Rd8=E Rd1=N Rd8=S";

#[test]
fn a54_a_position_that_occurs_for_the_third_time_may_be_claimed() {
    let once = after(&start(&[]), TO_AND_FRO);
    let illegal = once.claim(Claim::Repetition).expect_err("it stands for the second time");
    assert_eq!(
        (illegal.rule.code, illegal.message.as_str()),
        ("A54", "this position has occurred twice, now included")
    );
    let twice = after(&once, TO_AND_FRO);
    assert_eq!(twice.claim(Claim::Repetition), Ok(Outcome::Draw("repetition")));
    let none = after(&after(&start(&[("repetition", "none")]), TO_AND_FRO), TO_AND_FRO);
    assert_eq!(none.claim(Claim::Repetition).expect_err("it is switched off").rule.code, "A54");
}

#[test]
fn a54_facings_promotions_and_the_side_to_play_are_part_of_a_position() {
    let game = after(&start(&[]), "Rd1=E Rd8=E Rd1=S Rd8=S Rd1=N Rd8=E Rd1=E");
    assert_eq!(game.past.count(&game.field), 1);
    let promoted = "white Kh1 Vd7 Ve7!; black Ka6; to play white";
    assert_ne!(at(promoted).field, at("white Kh1 Vd7! Ve7; black Ka6; to play white").field);
}

#[test]
fn a55_bare_commanders_draw_at_once() {
    let game = after(&at("white Kc4; black Kd6 Vc3!; to play white"), "Kc4xc3");
    assert_eq!(game.outcome(), Some(Outcome::Draw("bare")));
    assert_eq!(refused(&game, "Kd6-d5").rule.code, "A55");
    let fighter = after(&at("white Kc4; black Kd6 Vc3! Fa8; to play white"), "Kc4xc3");
    assert_eq!(fighter.outcome(), None, "a Fighter that cannot fly is a force");
}

#[test]
fn a56_quiet_entries_are_counted_and_claimed() {
    let ten = [("quiet-turns", "10")];
    let quiet = |entries: &str| after(&start(&ten), entries).claim(Claim::Quiet);
    let to_and_fro = [TO_AND_FRO; 2].join(" ");
    let illegal = quiet(&to_and_fro).expect_err("eight entries");
    assert_eq!(illegal.rule.code, "A56");
    assert_eq!(illegal.message, "8 entries were quiet since the last removal or Ved'rin's move");
    assert_eq!(quiet(&format!("{to_and_fro} Rd1=E")).expect_err("nine entries").rule.code, "A56", "one too few");
    assert_eq!(quiet(&format!("{to_and_fro} Rd1=E Rd8=E")), Ok(Outcome::Draw("quiet")));
    assert_eq!(quiet(&format!("{to_and_fro} Rd1=E Rd8=E Rd1=N")), Ok(Outcome::Draw("quiet")));
    assert!(quiet(&format!("{to_and_fro} Rd1=E Vb7-b6 Rd1=N")).is_err(), "a Ved'rin's move ends the count");
    let none = at_with("white Ke1 Rd1=N; black Ke8 Rd8=S; to play white", &[("quiet-turns", "none")]);
    assert_eq!(none.claim(Claim::Quiet).expect_err("it is switched off").rule.code, "A56");
}

#[test]
fn a56_attacks_shots_and_promoted_vedrin_end_the_count() {
    let count = |position: &str, entries: &str| after(&at(position), entries).quiet.passed;
    assert_eq!(count("white Ke1 Ve5!; black Kh8 Sa8; to play white", "Ve5-e4"), 0);
    assert_eq!(count("white Ke1 Rd1=N; black Kh8 Vd8; to play white", "Ke1-e2 Kh8-h7"), 2);
    assert_eq!(count("white Ke1 Rd1=N; black Kh8 Vd8; to play white", "Ke1-e2 Kh8-h7 Rd1*d8"), 0);
    assert_eq!(count("white Ke1 Fd4; black Kh8 Va7 Vd4; to play white", "Ke1-e2 Kh8-h7 Fd4xd4 Kh7-h8"), 1);
}

#[test]
fn a_side_in_siege_may_claim() {
    let position = "white Ka1 Vb7; black Kh8 Sb8; to play white";
    let game = after(&at(position), "Ka1-a2 Sb8-a8 Ka2-b2 Sa8-b8 Kb2-a2 Sb8-a8 Ka2-b2 Sa8-b8 Kb2-a2 Sb8-a8");
    assert_eq!(refused(&game, "Vb7-b8").message, "the Commander on a2 stays in siege from the Striker on a8");
    assert_eq!(game.claim(Claim::Repetition), Ok(Outcome::Draw("repetition")));
}

#[test]
fn several_broken_rules_are_named_in_the_rulebooks_order() {
    // First its movement, then what is on the square, the target, the facing, what is carried, and the Commander.
    let position = "white Ke1 Pe2=N Pg2=N Fd2 Ff2; black Kh8 Se8 Ve3; to play white";
    breaks(position, "Pe2-e4=N+a1", "A13");
    breaks(position, "Pe2-e3=N+a1", "A14");
    breaks(position, "Pe2xd3=N+a1", "A15");
    breaks(position, "Pe2xd1=N+a1", "A15");
    breaks(position, "Pe2-d3=N+a1", "A13");
    breaks(position, "Pe2-d3=W+d2", "A30");
    breaks(position, "Pe2-d3=W+a1", "A31");
    breaks("white Ke1 Pc1=N Fc1; black Kh8 Fc1; to play white", "Fc1-h8", "A24");
}

#[test]
fn the_scene_shows_every_force_and_the_zone_asked_for() {
    let game = at("white Ke1 Rd1=N Pb2=E Vh8! Fb2 Fb2; black Kh6 Pc5=S Va7 Fb2 Fc5; to play white");
    let picture = |scene: Scene| match scene.board {
        postrider_kernel::scene::Board::Cells(cells) => postrider_board::render::cells::text(&cells, false),
        other => panic!("{other:?}"),
    };
    let expected = "\x20 +-------+-------+-------+-------+-------+-------+-------+-------+
8 |       |       |       |       |       |       |       | V!    |
  |       |       |       |       |       |       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
7 | v     |       |       |       |       |       |       |       |
  |       |       |       |       |       |       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
6 |       |       |       |       |       |       |       | k     |
  |       |       |       |       |       |       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
5 |       |       | pv(f) |       |       |       |       |       |
  |       |       |       |       |       |       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
4 |       |       |       |       |       |       |       |       |
  |       |       |       |       |       |       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
3 |:::::::|:::::::|:::::::|:::::::|:::::::|       |       |       |
  |:::::::|:::::::|:::::::|:::::::|:::::::|       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
2 |:::::::|:P>(FF)|:::::::|:::::::|:::::::|       |       |       |
  |:::::::|:~f::::|:::::::|:::::::|:::::::|       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
1 |:::::::|:::::::|:::::::|:R^::::|:K:::::|       |       |       |
  |:::::::|:::::::|:::::::|:::::::|:::::::|       |       |       |
  +-------+-------+-------+-------+-------+-------+-------+-------+
    a       b       c       d       e       f       g       h
";
    assert_eq!(picture(game.marked(Viewer::Public, "b2").expect("a Portal's zone")), expected);
    assert_eq!(picture(game.view(Viewer::Public)).matches(':').count(), 0);
    assert!(game.marked(Viewer::Public, "black").is_some());
    assert!(game.marked(Viewer::Public, "a7").is_none(), "there is no Portal");
}
