//! The rules one by one: what is refused, and a similar legal case.

use super::*;
use crate::mission_combat::board::areas;

const BOTH: &str = "YA exorcist.1; AR rifle-squad.1; HQ rifle-squad.2";

fn marines(head: &str, rest: &str) -> MissionCombat {
    on(&format!("{head}; to play marines{rest}"))
}

fn portalists(head: &str, rest: &str) -> MissionCombat {
    on(&format!("{head}; to play portalists{rest}"))
}

#[test]
fn m1_m3_each_side_owns_five_areas_whoever_controls_them() {
    for side in Side::BOTH {
        assert_eq!(areas::Area::all().filter(|area| area.owner() == side).count(), 5);
    }
    let buildings: Vec<_> = areas::Area::all().filter(|area| area.is_building()).map(|area| area.to_string()).collect();
    assert_eq!(buildings, ["RP", "DP", "BW", "BE"]);
    // The portalists hold AE, next to YA; it is an opposing area to them all the same.
    let game =
        portalists("YA exorcist.1; AR rifle-squad.1; AE exorcist.2; ap 2", "; hand portalists exorcist portal-trooper");
    refused(&game, "play exorcist@AE; end", "M23");
    assert!(rule_of(&game, "play exorcist@YA; end").is_ok());
    refused(&game, "move exorcist.1>XX; end".replace("XX", "HQ").as_str(), "M26");
    assert!(notation::read("move exorcist.1>XX").is_err(), "there are ten areas");
}

#[test]
fn m2_areas_touch_like_bricks() {
    let at = |code: &str| areas::Area::read(code.as_bytes()).expect("an area");
    let layout = Layout::default();
    let mut pairs = 0;
    for one in areas::Area::all() {
        for other in areas::Area::all() {
            let (here, there) = (one.facts().expect("facts"), other.facts().expect("facts"));
            let (rows, columns) = (here.row.abs_diff(there.row), here.column.abs_diff(there.column));
            let touches = (rows, columns) == (0, 2) || (rows, columns) == (1, 1);
            assert_eq!(layout.joins(one, other), touches, "{one} {other}");
            pairs += usize::from(touches);
        }
    }
    assert_eq!(pairs, 36);
    assert!(layout.joins(at("YA"), at("AR")) && !layout.joins(at("YA"), at("BE")));
}

#[test]
fn m4_a_side_alone_in_an_area_controls_it_and_its_owner_an_empty_one() {
    let game = portalists(
        "YA exorcist.1; YO rifle-squad.1; AR rifle-squad.2 psionic-priest.1<YA; BE portal-trooper.1; ap 1",
        "",
    );
    for (code, side) in
        [("BP", PORTALISTS), ("YO", MARINES), ("AR", MARINES), ("BE", PORTALISTS), ("BW", MARINES), ("YA", PORTALISTS)]
    {
        assert_eq!(game.board.controller(areas::Area::read(code.as_bytes()).expect("an area")), side, "{code}");
    }
}

#[test]
fn m15_the_opening_hand_is_drawn_card_by_card_until_it_has_five_units() {
    let mut game = start(&[]);
    refused(&game, "draw rifle-squad; draw rifle-squad; draw rifle-squad; draw rifle-squad", "M15");
    refused(&game, "draw rifle-squad rifle-squad", "M15");
    refused(&game, "end", "M15");
    refused(&game, "draw exorcist; draw rifle-squad", "M21");
    let five = "draw rifle-squad; draw rifle-squad; draw rifle-squad; draw rifle-squad; draw rifle-squad";
    refused(&game, &format!("{five}; draw hellfire"), "M15");
    refused(&game, "draw assault-walker; draw assault-walker; draw assault-walker", "M21");
    assert_eq!(
        play(
            &mut game,
            "draw hellfire; draw rifle-squad; draw stealth-sniper; draw hellfire; draw rifle-squad; draw rocket-squad; draw rifle-squad"
        ),
        "drawing; to play portalists; hand marines rifle-squad rifle-squad rifle-squad rocket-squad stealth-sniper; \
         hand portalists -; discard marines hellfire hellfire; discard portalists -"
    );
    refused(&game, "draw hellfire", "M21");
    let placing = play(&mut game, "draw exorcist; draw exorcist; draw exorcist; draw exorcist; draw portal-trooper");
    assert!(placing.starts_with("placing; to play marines; "), "{placing}");
}

#[test]
fn m16_the_marines_start_in_open_play_and_nothing_is_tossed() {
    assert_eq!(start(&[]).board.to_play, MARINES);
    assert_eq!(start(&[("start", "portalists")]).board.to_play, PORTALISTS);
    let tossed = MissionCombat::start(&Start::open(&options(&[("start", "toss")]), None));
    assert!(matches!(tossed, Err(SetupFault::Needs { option: "start", .. })));
    assert!(MissionCombat::start(&Start::sealed(&options(&[("start", "toss")]), None)).is_ok());
}

#[test]
fn m17_the_start_player_has_the_first_turn_with_two_points() {
    let mut game = start(&[("start", "portalists")]);
    play(&mut game, "draw exorcist; draw exorcist; draw exorcist; draw exorcist; draw portal-trooper");
    play(&mut game, "draw rifle-squad; draw rifle-squad; draw rifle-squad; draw rifle-squad; draw rifle-squad");
    for _ in 0..4 {
        play(&mut game, "place exorcist@RP");
        play(&mut game, "place rifle-squad@AE");
    }
    refused(&game, "place gate-breaker@YA", "M17");
    refused(&game, "draw trap-portal", "M17");
    refused(&game, "place portal-trooper@YA; place portal-trooper@YA", "M17");
    play(&mut game, "place portal-trooper@YA");
    refused(&game, "place rifle-squad@AE; end", "M17");
    let position = play(&mut game, "place rifle-squad@HQ");
    assert!(position.contains("; ap 2; to play portalists; "), "{position}");
    refused(&game, "place exorcist@RP", "M17");
    assert!(play(&mut game, "end").contains("; ap 4; to play marines; "));
}

#[test]
fn m20_four_points_a_turn_and_an_end() {
    let game = marines(&format!("{BOTH}; ap 1"), "; hand marines rifle-squad rifle-squad");
    refused(&game, "play rifle-squad@AE; play rifle-squad@AE; end", "M20");
    refused(&game, "play rifle-squad@AE", "M20");
    refused(&game, "end; play rifle-squad@AE", "M20");
    assert!(rule_of(&game, "play rifle-squad@AE; end").is_ok());
    // A free move may follow the last point.
    assert!(rule_of(&game, "play rifle-squad@AE; move rifle-squad.1>BP; end").is_ok());
}

#[test]
fn m21_the_pile_is_shuffled_when_the_last_card_is_drawn() {
    let hand = "; hand marines armored-gauss-tank armored-gauss-tank armored-gauss-tank artillery-barrage artillery-barrage \
                assault-walker assault-walker heavy-gunner heavy-gunner heavy-gunner hellfire hellfire missile-strike \
                missile-strike rifle-squad rifle-squad rifle-squad rocket-squad rocket-squad rocket-squad stealth-sniper \
                stealth-sniper stealth-special-force stealth-special-force stealth-special-force stealth-special-force";
    let game = marines(
        "YA exorcist.1; AR rifle-squad.1; HQ exorcist.2; ap 4",
        &format!("{hand}; discard marines rifle-squad rocket-squad"),
    );
    assert_eq!(game.stocks[0].total(), 1, "a Stealth Sniper");
    refused(&game, "draw rifle-squad; end", "M21");
    assert!(begin(&game, "draw stealth-sniper").contains("; discard marines -; "), "shuffled at once");
    assert!(begin(&game, "draw stealth-sniper; draw rifle-squad; draw rocket-squad").contains("; discard marines -; "));
    refused(&game, "draw stealth-sniper; draw rifle-squad; draw rocket-squad; draw rifle-squad; end", "M21");
}

#[test]
fn m21_a_pile_that_was_empty_is_shuffled_when_next_a_card_is_drawn() {
    let hand = "; hand marines armored-gauss-tank armored-gauss-tank armored-gauss-tank artillery-barrage artillery-barrage \
                assault-walker assault-walker heavy-gunner heavy-gunner heavy-gunner hellfire hellfire missile-strike \
                missile-strike rifle-squad rifle-squad rifle-squad rifle-squad rocket-squad rocket-squad rocket-squad \
                rocket-squad stealth-sniper stealth-sniper stealth-sniper stealth-special-force stealth-special-force \
                stealth-special-force stealth-special-force";
    let game = marines("RP exorcist.3; YA exorcist.1; AR rifle-squad.1; HQ exorcist.2; ap 4", hand);
    refused(&game, "draw hellfire; end", "M21");
    let late = "event missile-strike exorcist.1:10";
    assert!(begin(&game, late).contains("; discard marines missile-strike; "));
    assert!(begin(&game, &format!("{late}; draw missile-strike")).contains("; discard marines -; "));
}

#[test]
fn m22_the_shuffle_comes_before_the_discard() {
    let hand = "; hand marines armored-gauss-tank armored-gauss-tank armored-gauss-tank artillery-barrage artillery-barrage \
                assault-walker assault-walker heavy-gunner heavy-gunner heavy-gunner hellfire hellfire missile-strike \
                missile-strike rifle-squad rifle-squad rifle-squad rocket-squad rocket-squad rocket-squad stealth-sniper \
                stealth-sniper stealth-special-force stealth-special-force stealth-special-force stealth-special-force";
    let game =
        marines("YA exorcist.1; AR rifle-squad.1; ap 4", &format!("{hand}; discard marines rifle-squad rocket-squad"));
    refused(&game, "draw rifle-squad rocket-squad; keep rifle-squad; end", "M21");
    let drawn = "draw rifle-squad stealth-sniper";
    assert!(begin(&game, drawn).contains("choice rifle-squad stealth-sniper; "));
    assert!(begin(&game, &format!("{drawn}; keep rifle-squad")).contains("; discard marines stealth-sniper; "));
    // Two of the same card, and one card alone.
    refused(&game, "draw stealth-sniper stealth-sniper; keep stealth-sniper; end", "M21");
    let rest = hand.replace("stealth-sniper stealth-sniper", "rifle-squad rocket-squad stealth-sniper stealth-sniper");
    let sorted = rest.replace(
        "rifle-squad rifle-squad rifle-squad rocket-squad rocket-squad rocket-squad rifle-squad rocket-squad",
        "rifle-squad rifle-squad rifle-squad rifle-squad rocket-squad rocket-squad rocket-squad rocket-squad",
    );
    let game = marines("YA exorcist.1; AR rifle-squad.1; ap 4", &sorted);
    assert!(rule_of(&game, "draw stealth-sniper; end").is_ok(), "the only card is drawn and kept");
}

#[test]
fn m22_of_two_cards_that_are_alike_one_choice_is_offered() {
    let choice = |cards: &str| marines("YA exorcist.1; AR rifle-squad.1; ap 2", &format!("; choice {cards}"));
    let alike = told(&choice("hellfire hellfire"), "end");
    assert!(alike.ends_with("; `keep hellfire`"), "{alike}");
    let two = told(&choice("hellfire rocket-squad"), "end");
    assert!(two.ends_with("; `keep hellfire` or `keep rocket-squad`"), "{two}");
}

#[test]
fn m23_m24_where_a_unit_is_played_and_what_it_costs() {
    let hand = "; hand portalists exorcist portal-trooper warp-colossus";
    let game = portalists(&format!("{BOTH}; ap 0"), hand);
    refused(&game, "play exorcist@YA; end", "M20");
    assert!(rule_of(&game, "play exorcist@RP; end").is_ok());
    assert!(rule_of(&game, "play portal-trooper@YA; play warp-colossus@BP; end").is_ok());
    let game = portalists(&format!("{BOTH}; ap 1"), hand);
    refused(&game, "play warp-colossus@RP; end", "M23");
    refused(&game, "play portal-trooper@AE; end", "M23");
    refused(&game, "play rift-stalker@YA; end", "M23");
    refused(&game, "play hellfire@YA; end", "M23");
    // One's own portal with an enemy in it is closed, and free only for the enemy.
    let game = portalists("RP stealth-sniper.1; YA exorcist.1; AR rifle-squad.1; ap 1", hand);
    refused(&game, "play exorcist@RP; end", "M23");
    let game = marines(
        "RP stealth-sniper.1; YA exorcist.1; AR rifle-squad.1; ap 0",
        "; hand marines heavy-gunner stealth-sniper",
    );
    assert!(rule_of(&game, "play stealth-sniper@RP; end").is_ok());
    refused(&game, "play heavy-gunner@RP; end", "M24");
    refused(&game, "play stealth-sniper@YA; end", "M24");
}

#[test]
fn m24_m25_control_is_judged_after_a_unit_has_gone_back() {
    // The tank is alone in the Dark Portal, but has to return from it before the event is played.
    let game =
        marines("YA exorcist.1; AR armored-gauss-tank.1; HQ rifle-squad.2; ap 0", "; hand marines missile-strike");
    refused(&game, "move armored-gauss-tank.1>DP; event missile-strike exorcist.1:4; end", "M20");
    let game = marines("YA exorcist.1; AR stealth-sniper.1; HQ rifle-squad.2; ap 0", "; hand marines missile-strike");
    assert!(rule_of(&game, "move stealth-sniper.1>DP; event missile-strike exorcist.1:4; end").is_ok());
}

#[test]
fn m10_thirty_cards_a_side_and_each_weapon_hurts_its_own_type() {
    let game = start(&[]);
    for side in Side::BOTH {
        assert_eq!(of(&game.stocks, side).total(), 30);
    }
    let position = "YA portal-trooper.1 psionic-priest.1 warp-colossus.1; AR rifle-squad.1; AE rocket-squad.1; \
                    HQ stealth-special-force.1; ap 4; to play marines";
    for (unit, hurt, others) in [
        ("rifle-squad.1", "portal-trooper.1", ["psionic-priest.1", "warp-colossus.1"]),
        ("rocket-squad.1", "warp-colossus.1", ["portal-trooper.1", "psionic-priest.1"]),
        ("stealth-special-force.1", "psionic-priest.1", ["portal-trooper.1", "warp-colossus.1"]),
    ] {
        // Each from the road, where it is alone.
        let game =
            on(&position
                .replace("AR rifle-squad.1; AE rocket-squad.1; HQ stealth-special-force.1", &format!("AR {unit}")));
        assert!(rule_of(&game, &format!("move {unit}>YA; attack {unit} {hurt}:10; end")).is_ok(), "{unit}");
        for other in others {
            refused(&game, &format!("move {unit}>YA; attack {unit} {other}:10; end"), "M32");
        }
    }
}

#[test]
fn m26_a_move_goes_to_an_adjacent_area_for_one_point() {
    let game = marines("YA exorcist.1; AE rifle-squad.1; HQ rifle-squad.2; ap 1", "");
    assert!(begin(&game, "move rifle-squad.1>BW").contains("BW rifle-squad.1; HQ rifle-squad.2; ap 0"));
    for (entry, told_of) in [
        ("move rifle-squad.1>BE; end", "it may move to BW, AR, HQ"),
        ("move rifle-squad.1>BE; end", "Bunker-East (BE) is not adjacent to the Artillery Emplacement (AE), where"),
        ("move rifle-squad.1>AE; end", "is already on the Artillery Emplacement (AE)"),
        ("move exorcist.1>YO; end", "an enemy unit"),
        ("move rifle-squad>AR; end", "there are several"),
        ("move rocket-squad.1>AR; end", "rifle-squad.1 on AE, rifle-squad.2 on HQ"),
    ] {
        refused(&game, entry, "M26");
        assert!(told(&game, entry).contains(told_of), "{entry}: {}", told(&game, entry));
    }
    refused(&game, "move rifle-squad.1>AR; move rifle-squad.2>BE; end", "M20");
}

#[test]
fn refusals_call_areas_by_their_names() {
    let game = marines("YA exorcist.1; AE rifle-squad.1; HQ rifle-squad.2; ap 1", "; hand marines rocket-squad");
    let told = told(&game, "play rocket-squad@DP; end");
    assert!(told.contains("the Dark Portal (DP) is an opposing area and no portal"), "{told}");
    let named: Vec<_> = crate::mission_combat::board::areas::Area::all().map(|area| area.named()).collect();
    assert_eq!(
        named.join("; "),
        "the Blue Portal (BP); the Red Portal (RP); the Dark Portal (DP); Yellow Portal Alpha (YA); \
         Yellow Portal Omega (YO); Bunker-West (BW); the Arterial Road (AR); Bunker-East (BE); \
         the Artillery Emplacement (AE); the HQ"
    );
}

#[test]
fn refusals_advise_only_what_the_action_points_allow() {
    let game = portalists(&format!("{BOTH}; ap 0"), "; hand portalists gate-breaker");
    let advice = told(&game, "play gate-breaker@RP; end");
    assert!(advice.ends_with("; it may be played on BP"), "{advice}");
    let game = marines(&format!("{BOTH}; ap 0"), "; hand marines missile-strike rocket-squad");
    for (entry, code, advice) in [
        ("play rocket-squad@YO; end", "M24", "it may be played on no area now"),
        ("event missile-strike; end", "M35", "an event costs 1 action point, and none is left"),
        ("attack rifle-squad.1 exorcist.1:10; end", "M32", "an attack costs 1 action point, and none is left"),
        ("move rifle-squad.2>BW; end", "M26", "it cannot move now"),
        ("move rifle-squad.2>BE paid; end", "M31", "it cannot move now"),
        ("move rifle-squad.1>DP paid; end", "M30", "without `paid` it may move to BP, RP, DP, YO"),
    ] {
        refused(&game, entry, code);
        assert!(told(&game, entry).ends_with(&format!("; {advice}")), "{entry}: {}", told(&game, entry));
    }
    // An enemy that cannot be hurt may not be visited.
    let game = marines(&format!("{BOTH}; ap 4"), "");
    let advice = told(&game, "move rifle-squad.1>AR; end");
    assert!(advice.ends_with("; it may move to BP, RP, DP, YO, BW, BE, AE, HQ"), "{advice}");
}

#[test]
fn m36_a_unit_that_returned_keeps_its_unused_free_moves() {
    // The tank went by road and returned: its free move by road was used by going, not by returning.
    let tank =
        marines("RP portal-trooper.1; DP psionic-fanatic.1; YO portal-trooper.2; AR armored-gauss-tank.1; ap 2", "");
    let fight = "move armored-gauss-tank.1>DP; attack armored-gauss-tank.1 portal-trooper.1:10";
    assert!(begin(&tank, &format!("{fight}; draw hellfire rocket-squad")).contains("AR armored-gauss-tank.1^"));
    refused(&tank, &format!("{fight}; move armored-gauss-tank.1>DP; end"), "M30");
    // A fanatic that paid for its way in still has its free move, from where it came.
    let fanatic = portalists("YA psionic-fanatic.1; AR rifle-squad.1 rifle-squad.2; HQ rifle-squad.3; ap 2", "");
    let fight = "move psionic-fanatic.1>AR paid; attack psionic-fanatic.1 rifle-squad.1:10";
    assert!(
        rule_of(&fanatic, &format!("{fight}; move psionic-fanatic.1>BP; end")).expect("legal").starts_with("BP psi")
    );
    refused(&fanatic, &format!("{fight}; move psionic-fanatic.1>BP; move psionic-fanatic.1>YA; end"), "M20");
}

#[test]
fn m27_an_entering_unit_attacks_next_and_returns_before_anything_else() {
    let game = portalists("YA exorcist.1 portal-trooper.1; AR stealth-special-force.1; HQ rifle-squad.1; ap 3", "");
    let entered = "move exorcist.1>AR; attack exorcist.1 stealth-special-force.1:10";
    refused(&game, "move exorcist.1>AR; move portal-trooper.1>BP; end", "M27");
    refused(&game, "move exorcist.1>AR; attack portal-trooper.1 stealth-special-force.1:5; end", "M27");
    refused(&game, "move portal-trooper.1>AR; end", "M27");
    // Its own next move begins where it came from.
    refused(&game, &format!("{entered}; move exorcist.1>HQ; end"), "M26");
    assert!(rule_of(&game, &format!("{entered}; move exorcist.1>BP; end")).is_ok());
    // Without a point left it could not attack.
    let game = portalists("YA exorcist.1 portal-trooper.1; AR stealth-special-force.1; HQ rifle-squad.1; ap 1", "");
    refused(&game, "move exorcist.1>AR; attack exorcist.1 stealth-special-force.1:10; end", "M27");
}

#[test]
fn m28_an_oversized_unit_leaves_a_building_again() {
    let game = marines("YO gate-breaker.1; AR assault-walker.1; HQ rifle-squad.1; ap 3", "");
    let away = begin(&game, "move assault-walker.1>BE");
    assert!(away.contains("BE assault-walker.1<AR;"), "{away}");
    assert!(begin(&game, "move assault-walker.1>BE; move rifle-squad.1>AE").contains("AR assault-walker.1;"));
    let game = marines("YO gate-breaker.1; AR assault-walker.1^; HQ rifle-squad.1; ap 3", "");
    refused(
        &game,
        "move assault-walker.1>BE; move assault-walker.1>BE; move assault-walker.1>YO; attack assault-walker.1 gate-breaker.1:10; end",
        "M27",
    );
    refused(&game, "move assault-walker.1>BE; attack assault-walker.1 gate-breaker.1:10; end", "M32");
}

#[test]
fn m29_m30_m31_free_moves_are_charged_first() {
    let game = portalists("YO exorcist.1; AR portal-trooper.1; HQ rifle-squad.1; ap 1", "");
    assert!(begin(&game, "move portal-trooper.1>BW").contains("portal-trooper.1^; HQ"), "the road first");
    assert!(
        begin(&game, "move portal-trooper.1>YA").contains("YA portal-trooper.1~;"),
        "the road leads to opposing areas only"
    );
    let twice = begin(&game, "move portal-trooper.1>BW; move portal-trooper.1>YA; move portal-trooper.1>BP");
    assert!(twice.starts_with("BP portal-trooper.1~^; YO exorcist.1; HQ rifle-squad.1; ap 0"), "{twice}");
    refused(&game, "move portal-trooper.1>BP; end", "M30");
    refused(&game, "move portal-trooper.1>AR; end", "M26");
}

#[test]
fn m30_by_option_the_road_leads_only_to_adjacent_opposing_areas() {
    let position = "YO portal-trooper.1; AR rifle-squad.1 rocket-squad.1; ap 1; to play marines";
    let far = under(&[], position);
    assert!(rule_of(&far, "move rifle-squad.1>DP; move rocket-squad.1>BP; end").is_ok());
    let near = under(&[("road", "adjacent")], position);
    refused(&near, "move rifle-squad.1>DP; end", "M30");
    assert!(told(&near, "move rifle-squad.1>DP; end").contains("`road: adjacent`"));
    assert!(rule_of(&near, "move rifle-squad.1>YA; move rocket-squad.1>YA; end").is_ok());
    assert_eq!(near.found().len() + 6, far.found().len(), "neither unit goes to BP, RP or DP");
}

#[test]
fn m31_a_free_move_is_kept_by_paying() {
    let head = "BP gate-breaker.1 portal-trooper.1; YA rifle-squad.1; AR rifle-squad.2; ap 1";
    let trooper = portalists(head, "");
    // The first move is paid for, so that the free one is left.
    assert!(begin(&trooper, "move portal-trooper.1>RP paid").contains("RP portal-trooper.1; YA"));
    assert!(rule_of(&trooper, "move portal-trooper.1>RP paid; move portal-trooper.1>DP; end").is_ok());
    refused(&trooper, "move portal-trooper.1>RP; move portal-trooper.1>DP paid; end", "M31");
    // A unit without Speed has no free move to keep, so `paid` is refused: an action has one spelling.
    refused(&trooper, "move gate-breaker.1>RP paid; end", "M31");
    let soldier = marines("YA exorcist.1; AR rifle-squad.1 rifle-squad.2; ap 1", "");
    assert!(rule_of(&soldier, "move rifle-squad.1>YO paid; end").expect("legal").contains("YO rifle-squad.1"));
    // A paid move goes no farther than any other, and leaves no point for the attack that must follow.
    refused(&soldier, "move rifle-squad.1>DP paid; end", "M30");
    refused(&soldier, "move rifle-squad.1>BW paid; end", "M31");
    let trooper = marines("YA portal-trooper.1; AR rifle-squad.1; ap 1", "");
    refused(&trooper, "move rifle-squad.1>YA paid; end", "M27");
    refused(&marines("YA exorcist.1; AR rifle-squad.1; ap 0", ""), "move rifle-squad.1>YO paid; end", "M20");
    refused(&marines("YA exorcist.1; HQ rifle-squad.1; ap 0", ""), "move rifle-squad.1>AR paid; end", "M31");
}

#[test]
fn m32_m33_which_units_are_reached_and_how_much_they_take() {
    let game =
        marines("BP exorcist.1; YA portal-trooper.1 portal-trooper.2; BW stealth-sniper.1; AR rifle-squad.1; ap 4", "");
    for (entry, code) in [
        ("attack stealth-sniper.1 portal-trooper.1:10 portal-trooper.2:11; end", "M32"),
        ("attack stealth-sniper.1 portal-trooper.1:5 portal-trooper.1:5; end", "M32"),
        ("attack stealth-sniper.1 portal-trooper.3:5; end", "M32"),
        ("attack stealth-sniper.1 exorcist.1:5; end", "M32"),
        ("attack stealth-sniper.1 rifle-squad.1:5; end", "M32"),
        ("attack portal-trooper.1 rifle-squad.1:5; end", "M32"),
        ("attack rifle-squad.1 portal-trooper.1:5; end", "M32"),
        ("attack stealth-sniper.1 portal-trooper:5; end", "M32"),
    ] {
        refused(&game, entry, code);
    }
    let hurt = begin(&game, "attack stealth-sniper.1 portal-trooper.1:4 portal-trooper.2:3");
    assert!(hurt.contains("YA portal-trooper.1:4 portal-trooper.2:3;"), "{hurt}");
    refused(
        &game,
        "attack stealth-sniper.1 portal-trooper.1:4; attack stealth-sniper.1 portal-trooper.1:7; end",
        "M32",
    );
    let dead = begin(&game, "attack stealth-sniper.1 portal-trooper.1:4; attack stealth-sniper.1 portal-trooper.1:6");
    assert!(dead.contains("YA portal-trooper.2;") && dead.contains("discard portalists portal-trooper"), "{dead}");
}

#[test]
fn m34_a_bunker_protects_the_side_that_controls_it() {
    let game = portalists("BW rifle-squad.1; AE exorcist.1 psionic-fanatic.1; HQ rifle-squad.2; ap 4", "");
    refused(&game, "move psionic-fanatic.1>BW; attack psionic-fanatic.1 rifle-squad.1:21; end", "M32");
    let hurt = begin(&game, "move psionic-fanatic.1>BW; attack psionic-fanatic.1 rifle-squad.1:19");
    assert!(hurt.contains("BW rifle-squad.1:19 psionic-fanatic.1<AE~;"), "{hurt}");
    // In the enemy's bunker too, once it is controlled.
    let game = marines("BW psionic-fanatic.1; AE stealth-sniper.1<HQ exorcist.1; HQ rifle-squad.1; ap 2", "");
    refused(&game, "attack stealth-sniper.1 psionic-fanatic.1:5; end", "M32");
    let game = marines("BW portal-trooper.1; AR stealth-sniper.1; HQ rifle-squad.1; ap 2", "");
    assert!(begin(&game, "attack stealth-sniper.1 portal-trooper.1:19").contains("BW portal-trooper.1:19;"));
}

#[test]
fn m35_events_hurt_their_type_anywhere_and_a_trap_takes_any_unit() {
    let game = marines(
        "BP warp-colossus.1; YA exorcist.1 exorcist.2; AR rifle-squad.1; ap 4",
        "; hand marines hellfire missile-strike",
    );
    for entry in [
        "event missile-strike; end",
        "event missile-strike warp-colossus.1:5; end",
        "event missile-strike exorcist.1; end",
        "event missile-strike exorcist.1:0; end",
        "event missile-strike exorcist.1:11; end",
        "event missile-strike rifle-squad.1:5; end",
        "event hellfire warp-colossus.1:51; end",
    ] {
        refused(&game, entry, "M35");
    }
    assert!(rule_of(&game, "event missile-strike exorcist.1:10 exorcist.2:10; end").is_ok());
    refused(&game, "event artillery-barrage exorcist.1:5; end", "M25");
    refused(&game, "event rifle-squad exorcist.1:5; end", "M25");
}

#[test]
fn m35_only_the_marines_events_are_halved() {
    let game = marines("BP warp-colossus.1; AR rifle-squad.1; AE exorcist.1; ap 4", "; hand marines hellfire");
    refused(&game, "event hellfire warp-colossus.1:26; end", "M35");
    assert!(rule_of(&game, "event hellfire warp-colossus.1:25; end").is_ok());
    let game = portalists("BP warp-colossus.1; AR rifle-squad.1; AE exorcist.1; ap 4", "; hand portalists trap-portal");
    refused(&game, "event trap-portal rifle-squad.1:5; end", "M35");
    refused(&game, "event trap-portal warp-colossus.1; end", "M35");
    refused(&game, "event trap-portal; end", "M35");
    assert_eq!(
        rule_of(&game, "event trap-portal rifle-squad.1").expect("a win"),
        "BP warp-colossus.1; AE exorcist.1; won portalists; hand marines -; hand portalists -; discard marines rifle-squad; \
         discard portalists trap-portal; entered rifle-squad.1"
    );
}

#[test]
fn m40_nothing_follows_the_last_unit() {
    let mut game = marines("YA exorcist.1; AR rifle-squad.1; ap 4", "; hand marines missile-strike");
    refused(&game, "event missile-strike exorcist.1:10; end", "M40");
    play(&mut game, "event missile-strike exorcist.1:10");
    assert_eq!(game.outcome(), Some(Outcome::Win(MARINES, "units")));
    assert!(game.found().is_empty());
}

#[test]
fn m41_a_draw_after_quiet_turns_at_the_start_of_a_turn() {
    let position = format!(
        "{BOTH}; ap 4; to play marines; hand marines -; hand portalists -; discard marines -; discard portalists -"
    );
    let mut game =
        MissionCombat::start(&Start::open(&options(&[("quiet-turns", "4")]), Some(&position))).expect("a position");
    let code = |game: &MissionCombat, claim| game.claim(claim).map_err(|illegal| illegal.rule.code);
    assert_eq!(code(&game, Claim::Repetition), Err("E7"));
    for count in
        ["no quiet turn has been", "1 quiet turn has been", "2 quiet turns have been", "3 quiet turns have been"]
    {
        assert_eq!(code(&game, Claim::Quiet), Err("M41"));
        let message = game.claim(Claim::Quiet).expect_err("too early").message;
        assert!(message.starts_with(count), "{message}");
        play(&mut game, "end");
    }
    assert_eq!(code(&game, Claim::Quiet), Ok(Outcome::Draw("quiet")));
    // Once an action of the turn has been made it is too late, and a loss restarts the count.
    let mut begun = game.clone();
    begun.act(MARINES, &read("move rifle-squad.1>BP")[0], &mut NoFacts).expect("a move");
    assert_eq!(code(&begun, Claim::Quiet), Err("M41"));
    play(&mut game, "move rifle-squad.1>BP; end");
    assert_eq!(code(&game, Claim::Quiet), Ok(Outcome::Draw("quiet")));
    game.felled = true;
    play(&mut game, "end");
    assert_eq!(code(&game, Claim::Quiet), Err("M41"));
    let without =
        MissionCombat::start(&Start::open(&options(&[("quiet-turns", "none")]), Some(&position))).expect("a position");
    assert_eq!(code(&without, Claim::Quiet), Err("M41"));
    assert_eq!(code(&start(&[]), Claim::Quiet), Err("M41"), "the set-up is not a turn");
}
