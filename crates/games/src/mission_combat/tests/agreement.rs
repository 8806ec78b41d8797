//! Compares judging with generating over every candidate, along whole games.

use std::collections::BTreeSet;

use super::*;
use crate::mission_combat::board::areas::Area;
use crate::mission_combat::moves::Found;
use crate::mission_combat::notation::{Draw, Name, Share};
use postrider_testing::sample;

/// The granularity of the shares that are tried.
const GRAIN: u32 = 5;

/// Every single action that can be written in a position, with shares that are multiples of the grain, over at most two
/// units.
fn candidates(game: &MissionCombat) -> Vec<Action> {
    let slugs: Vec<String> =
        Side::BOTH.into_iter().flat_map(|side| game.decks().of(side).iter().map(|card| card.slug.clone())).collect();
    let mut units: Vec<Name> = game.board.men().iter().map(|man| game.full_name(man)).collect();
    units.push(Name { slug: "rifle-squad".into(), number: Some(77) });
    let points = (0..=12).map(|n| n * GRAIN);
    let one = |unit: &Name, points: u32| Share { unit: unit.clone(), points: Some(points) };
    let mut splits: Vec<Vec<Share>> = Vec::new();
    for (nth, unit) in units.iter().enumerate() {
        splits.extend(points.clone().map(|points| vec![one(unit, points)]));
        for other in units.iter().skip(nth) {
            for first in [5, 10, 20, 30] {
                splits.extend([5, 10, 20].map(|second| vec![one(unit, first), one(other, second)]));
            }
        }
    }
    let mut list = vec![Action::End, Action::Draw(Draw::Times(1)), Action::Guess(true)];
    for slug in &slugs {
        list.push(Action::Keep(slug.as_str().into()));
        list.push(Action::Draw(Draw::Cards(slug.as_str().into(), None)));
        for other in slugs.iter().filter(|other| *other >= slug) {
            list.push(Action::Draw(Draw::Cards(slug.as_str().into(), Some(other.as_str().into()))));
        }
        for area in Area::all() {
            list.push(Action::Place(slug.as_str().into(), area, None));
            list.push(Action::Play(slug.as_str().into(), area, None));
        }
        list.push(Action::Event(slug.as_str().into(), Vec::new(), None));
        for unit in &units {
            list.push(Action::Event(slug.as_str().into(), vec![Share { unit: unit.clone(), points: None }], None));
        }
    }
    for slug in slugs.iter().filter(|slug| game.decks().find(MARINES, slug).is_some() || slug.as_str() == "trap-portal")
    {
        list.extend(splits.iter().map(|split| Action::Event(slug.as_str().into(), split.clone(), None)));
    }
    for unit in &units {
        list.extend(Area::all().flat_map(|area| [false, true].map(|paid| Action::Move(unit.clone(), area, paid))));
        list.extend(splits.iter().map(|split| Action::Attack(unit.clone(), split.clone())));
    }
    list
}

/// What is listed, as far as a candidate could be among it.
fn listed(game: &MissionCombat) -> BTreeSet<String> {
    let mut list = BTreeSet::new();
    for found in game.found() {
        match &found {
            Found::Event(_, _, split, _) | Found::Attack(_, split) => split.each(GRAIN, &mut |way| {
                let is_tried = match way {
                    [(_, points)] => *points <= 60,
                    [(_, first), (_, second)] => [5, 10, 20, 30].contains(first) && [5, 10, 20].contains(second),
                    _ => false,
                };
                if is_tried {
                    list.insert(write(&[game.action(&found, way)]));
                }
            }),
            _ => {
                list.insert(write(&[game.action(&found, &[])]));
            }
        }
    }
    list
}

fn agree(game: &MissionCombat) {
    let side = game.due_side();
    let mut judged = BTreeSet::new();
    for action in candidates(game) {
        if game.clone().act(side, &action, &mut NoFacts).is_ok() {
            let canonical = game.spell_out(std::slice::from_ref(&action));
            assert_eq!(write(&canonical), write(std::slice::from_ref(&action)), "candidates are canonical");
            judged.insert(write(&canonical));
        }
    }
    assert_eq!(judged, listed(game), "{}", game.position());
}

/// Plays something that is listed, both judged and unjudged, and checks that the result is the same.
fn step(game: &mut MissionCombat, stream: &mut Stream) {
    let mut all = game.found();
    // Games in which hardly anyone ends a turn early get somewhere.
    if all.len() > 1 && stream.below(8) > 0 {
        all.retain(|found| !matches!(found, Found::End));
    }
    // Half of the time there is a fight if possible, so that games come to an end.
    let fights: Vec<_> =
        all.iter().filter(|found| matches!(found, Found::Attack(..) | Found::Event(..))).cloned().collect();
    let pool = if !fights.is_empty() && stream.below(2) == 0 { fights } else { all };
    let found = &pool[stream.below(pool.len())];
    let way = match found {
        Found::Event(_, _, split, _) | Found::Attack(_, split) => {
            let ways = split.typical();
            ways[stream.below(ways.len())].to_vec()
        }
        _ => Vec::new(),
    };
    let action = game.action(found, &way);
    let performed = game.performed(found, &way);
    let side = game.due_side();
    game.act(side, &action, &mut NoFacts).unwrap_or_else(|illegal| panic!("{action:?}: {illegal:?}"));
    assert_eq!(performed.position(), game.position(), "{action:?}");
    if stream.below(6) == 0 {
        let again = MissionCombat::start(&Start::open(&Options::default(), Some(&game.position())));
        let again = again.unwrap_or_else(|fault| panic!("{}: {fault:?}", game.position()));
        assert_eq!(again.position(), game.position());
        assert_eq!(listed(&again), listed(game), "{}", game.position());
    }
}

#[test]
fn judging_and_generating_agree_along_whole_games() {
    let (mut tried, mut ends) = (0, 0);
    for seed in 0..24 {
        let mut stream = Stream(seed);
        let mut game = match seed % 3 {
            0 => start(&[("start", "portalists")]),
            1 => start(&[]),
            // Near the end.
            _ => on("YA portal-trooper.1; AR rifle-squad.1 stealth-sniper.1; ap 4; to play marines"),
        };
        for turn in 0..120 {
            if game.outcome().is_some() {
                ends += 1;
                assert!(game.found().is_empty());
                break;
            }
            if (turn + seed as usize).is_multiple_of(31) && sample::tried(turn / 31 + seed as usize, 5) {
                agree(&game);
                tried += 1;
            }
            step(&mut game, &mut stream);
        }
    }
    assert!(tried > 50 / sample::share(6) && ends > 0, "{tried} {ends}");
}

#[test]
fn judging_and_generating_agree_when_a_unit_has_to_return() {
    for position in [
        "RP portal-trooper.1; DP armored-gauss-tank.1<AR!^ psionic-fanatic.1; YO portal-trooper.2; AR rifle-squad.1; ap 3; to play marines",
        "YA exorcist.1; AR rifle-squad.1 stealth-special-force.1:10 psionic-priest.1<YA; ap 2; to play portalists; hand portalists rift-stalker",
        "YA psionic-priest.1; BW exorcist.1 portal-trooper.1; AR heavy-gunner.1 rifle-squad.1; BE gate-breaker.1<YO; AE stealth-sniper.1; ap 2; to play portalists",
        "BP rocket-squad.1; RP stealth-special-force.1; DP stealth-sniper.1; YA rifle-squad.1; YO portal-trooper.1 psionic-priest.1; AE warp-colossus.1; ap 1; to play marines; hand marines armored-gauss-tank artillery-barrage hellfire rifle-squad stealth-sniper",
        "YO exorcist.1; BW rifle-squad.1; AR portal-trooper.1 psionic-fanatic.1; AE stealth-sniper.1; HQ rocket-squad.1; ap 0; to play portalists; hand portalists trap-portal",
    ] {
        agree(&on(position));
    }
}
