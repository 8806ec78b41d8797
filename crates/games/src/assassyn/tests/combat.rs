//! Combat, wounds and healing: the tables of the rulebook, throw by throw.

use super::*;
use crate::assassyn::board::Wound;
use crate::assassyn::rules::combat::{Combat, decide};

const FIGHTERS: [Kind; 2] = [Kind::Longswordsman, Kind::Shortswordsman];

fn fight(wounds: [Wound; 2], throws: [u32; 2]) -> Combat {
    decide(Severe::Both, FIGHTERS, wounds, throws)
}

#[test]
fn d41_d42_the_margin_decides_between_the_unwounded() {
    let unhurt = [Wound::None; 2];
    for (throws, expected) in [
        ([7, 7], Combat::Both),
        ([8, 7], Combat::Attacker(Wound::Severe)),
        ([9, 7], Combat::Attacker(Wound::Slight)),
        ([10, 7], Combat::Attacker(Wound::None)),
        ([12, 1], Combat::Attacker(Wound::None)),
        ([7, 8], Combat::Defender(Wound::Severe)),
        ([7, 9], Combat::Defender(Wound::Slight)),
        ([1, 10], Combat::Defender(Wound::None)),
    ] {
        assert_eq!(fight(unhurt, throws), expected, "{throws:?}");
    }
}

#[test]
fn d40_d43_wounds_take_from_the_throw_and_a_severe_one_takes_both_along() {
    for severe in [Wound::Severe, Wound::HalfHealed] {
        for (throws, expected) in [
            ([7, 6], Combat::Both),
            ([7, 5], Combat::Both),
            ([7, 4], Combat::Attacker(Wound::Severe)),
            ([7, 7], Combat::Defender(Wound::Slight)),
            ([1, 1], Combat::Defender(Wound::Slight)),
        ] {
            assert_eq!(fight([severe, Wound::None], throws), expected, "{throws:?}");
            let mirrored = match expected {
                Combat::Both => Combat::Both,
                Combat::Attacker(wound) => Combat::Defender(wound),
                Combat::Defender(wound) => Combat::Attacker(wound),
            };
            assert_eq!(fight([Wound::None, severe], [throws[1], throws[0]]), mirrored, "{throws:?} mirrored");
        }
        // D43 applies only against an unwounded opponent.
        assert_eq!(fight([severe, Wound::Slight], [7, 6]), Combat::Both, "5 against 5");
        assert_eq!(fight([severe, Wound::Severe], [7, 6]), Combat::Attacker(Wound::Severe), "5 against 4");
    }
    assert_eq!(fight([Wound::Slight, Wound::None], [7, 6]), Combat::Both);
    assert_eq!(fight([Wound::Slight, Wound::None], [7, 5]), Combat::Attacker(Wound::Severe));
    assert_eq!(fight([Wound::None, Wound::Slight], [5, 7]), Combat::Defender(Wound::Severe));
}

#[test]
fn d43_severe_1_and_2_follow_one_sentence_each() {
    let unhurt = Wound::None;
    for severe in [Wound::Severe, Wound::HalfHealed] {
        for (rule, throws, expected) in [
            // `1`: the wound subtracts 1 from the throw against an unwounded fighter.
            (Severe::One, [7, 6], Combat::Both),
            (Severe::One, [7, 5], Combat::Attacker(Wound::Severe)),
            (Severe::One, [7, 4], Combat::Attacker(Wound::Severe)),
            (Severe::One, [7, 7], Combat::Defender(Wound::Severe)),
            (Severe::One, [7, 8], Combat::Defender(Wound::Slight)),
            (Severe::One, [7, 9], Combat::Defender(unhurt)),
            // `2`: it subtracts 2, and there is no other rule.
            (Severe::Two, [7, 6], Combat::Defender(Wound::Severe)),
            (Severe::Two, [7, 5], Combat::Both),
            (Severe::Two, [7, 4], Combat::Attacker(Wound::Severe)),
            (Severe::Two, [7, 7], Combat::Defender(Wound::Slight)),
        ] {
            assert_eq!(decide(rule, FIGHTERS, [severe, unhurt], throws), expected, "{rule:?} {throws:?}");
            let mirrored = match expected {
                Combat::Both => Combat::Both,
                Combat::Attacker(wound) => Combat::Defender(wound),
                Combat::Defender(wound) => Combat::Attacker(wound),
            };
            let turned = [throws[1], throws[0]];
            assert_eq!(decide(rule, FIGHTERS, [unhurt, severe], turned), mirrored, "{rule:?} {throws:?} mirrored");
        }
        // Against a wounded fighter it subtracts 2 in any case.
        for rule in [Severe::Both, Severe::One, Severe::Two] {
            assert_eq!(decide(rule, FIGHTERS, [severe, Wound::Slight], [7, 6]), Combat::Both, "{rule:?}");
            assert_eq!(decide(rule, FIGHTERS, [severe, Wound::Severe], [7, 7]), Combat::Both, "{rule:?}");
        }
    }
    // A record chooses with the option.
    for (value, after) in [
        ("both", "white Pa1; black Pf6; to play white"),
        ("1", "white Pa1 Lc5~2; black Pf6; to play white"),
        ("2", "white Pa1; black Pf6; to play white"),
    ] {
        let game = with("white Pa1 Lc5~2; black Pf6 Sc5; to play black; challenge c1xc5", &[("severe", value)]);
        assert_eq!(rule_of(&game, "accept roll 7 5").as_deref(), Ok(after), "severe: {value}");
    }
}

#[test]
fn d43_every_pair_of_throws_agrees_with_the_published_sentences() {
    // When a severely wounded W fights an unwounded U, both die for U = W - 1 and U = W - 2, and for no other throws.
    for wounded in 1..=12 {
        for unwounded in 1..=10 {
            let both = fight([Wound::Severe, Wound::None], [wounded, unwounded]) == Combat::Both;
            assert_eq!(both, unwounded + 1 == wounded || unwounded + 2 == wounded, "{wounded} {unwounded}");
        }
    }
}

#[test]
fn d44_assassins_are_not_wounded() {
    let assassins = [Kind::Assassin; 2];
    for (throws, expected) in [
        ([5, 5], Combat::Both),
        ([6, 5], Combat::Attacker(Wound::None)),
        ([5, 6], Combat::Defender(Wound::None)),
        ([10, 1], Combat::Attacker(Wound::None)),
    ] {
        assert_eq!(decide(Severe::Both, assassins, [Wound::None; 2], throws), expected);
    }
}

#[test]
fn d45_the_worse_wound_is_kept() {
    assert_eq!(fight([Wound::Slight, Wound::None], [12, 1]), Combat::Attacker(Wound::Slight));
    assert_eq!(fight([Wound::Slight, Wound::None], [9, 7]), Combat::Attacker(Wound::Severe));
    assert_eq!(fight([Wound::HalfHealed, Wound::None], [12, 1]), Combat::Attacker(Wound::Severe));
    let mut game = at("white Pa1 Lc5; black Pf6~1 Sc5~2.1; to play black; challenge c1xc5");
    assert_eq!(play(&mut game, "accept roll 1 9"), "white Pa1; black Pf6 Sc5~2; to play white");
}

#[test]
fn d50_wounds_heal_in_turns_at_rest() {
    let mut game = at("white Pa1 Wb3~2 Lf1~1; black Pf6; to play white");
    assert_eq!(play(&mut game, "Pa1-a2"), "white Pa2 Wb3~2.1 Lf1; black Pf6; to play black");
    play(&mut game, "Pf6-f5");
    assert_eq!(play(&mut game, "Pa2-a1"), "white Pa1 Wb3 Lf1; black Pf5; to play black");
}

#[test]
fn d51_the_piece_that_moves_begins_again() {
    let mut game = at("white Pa1 Wb3~2.1; black Pf6; to play white");
    assert_eq!(play(&mut game, "Wb3-b4"), "white Pa1 Wb4~2; black Pf6; to play black");
    let game = at("white Pa1 Ab2; black Pf6 Lf1~1 Sb3; to play white");
    let mut other = game.clone();
    play(&mut other, "Ab2*b3");
    assert_eq!(
        play(&mut other, "Pf6-f5"),
        "white Pa1 Ab2; black Pf5 Lf1; to play white",
        "a strike is not a turn of Black's"
    );
}

#[test]
fn d60_the_death_of_a_prince_ends_the_game() {
    let start = at("white Pc3 La1; black Pc3 Sf6~1; to play black; challenge c2xc3");
    for (entry, expected) in [
        ("accept roll 5 5", Outcome::Draw("princes")),
        ("accept roll 6 5", Outcome::Win(WHITE, "prince")),
        ("accept roll 5 6", Outcome::Win(BLACK, "prince")),
    ] {
        let mut game = start.clone();
        play(&mut game, entry);
        assert_eq!(game.outcome(), Some(expected), "{entry}");
    }
    assert_eq!(at("white; black; to play white").outcome(), Some(Outcome::Draw("princes")));
    assert_eq!(at("white Lc1; black Pa1; to play black").outcome(), Some(Outcome::Win(BLACK, "prince")));
}
