use super::*;
use postrider_referee::facade::open;
use postrider_referee::registry::GAMES;

/// Calls `each` with every lesson of every game, and its record.
fn every_lesson(mut each: impl FnMut(&str, &Lesson, &Referee<'_>)) {
    for game in GAMES {
        let name = game.info().name;
        for (lesson, number) in lessons(name).expect(name).iter().zip(1..) {
            let what = format!("{name} {number}, {}", lesson.title);
            let record = lesson.record(*game).unwrap_or_else(|fault| panic!("{what}: {fault}"));
            let referee = open(record.as_bytes()).unwrap_or_else(|verdict| panic!("{what}: {verdict}"));
            each(&what, lesson, &referee);
        }
    }
}

#[test]
fn every_game_has_eight_to_twelve_lessons() {
    for game in GAMES {
        let count = lessons(game.info().name).expect("lessons").len();
        assert!((8..=12).contains(&count), "{}: {count} lessons; a game has 8 to 12", game.info().name);
    }
}

#[test]
fn every_lesson_is_solved_by_its_solution_whatever_is_thrown() {
    every_lesson(|what, lesson, referee| {
        for seed in 0..5 {
            match lesson.answer(referee, &lesson.solution, seed) {
                Answer::Solved(_) => {}
                Answer::Other(judged, _) => panic!("{what}: {} leaves {}", judged.actions, judged.table.position()),
                Answer::Refused(stop, _) => panic!("{what}: {stop}"),
            }
        }
    });
}

#[test]
fn what_tempts_is_refused_by_the_rule_that_the_lesson_names() {
    every_lesson(|what, lesson, referee| {
        for tempting in &lesson.tempting {
            match lesson.answer(referee, &tempting.entry, 1) {
                Answer::Refused(stop, _) => {
                    let rule = stop.diagnostic().rule;
                    assert_eq!(rule, Some(tempting.rule.as_str()), "{what}: {}", tempting.entry);
                }
                _ => panic!("{what}: {} is legal", tempting.entry),
            }
        }
    });
}

#[test]
fn what_is_legal_and_beside_the_task_is_told_so_in_the_lesson_s_own_words() {
    every_lesson(|what, lesson, referee| {
        for near in &lesson.near {
            match lesson.answer(referee, &near.entry, 1) {
                Answer::Other(_, said) => assert_eq!(said, near.say, "{what}: {}", near.entry),
                Answer::Solved(_) => panic!("{what}: {} solves it", near.entry),
                Answer::Refused(stop, _) => panic!("{what}: {stop}"),
            }
        }
    });
}

#[test]
fn the_rules_of_every_lesson_are_in_the_rulebook() {
    every_lesson(|what, lesson, referee| {
        let book = postrider_referee::rulebook::find(referee.record().game.info().name).expect("a rulebook");
        assert!(!lesson.rules.is_empty(), "{what}");
        for rule in lesson.rules.iter().chain(lesson.tempting.iter().map(|tempting| &tempting.rule)) {
            assert!(book.rules.iter().any(|known| known.code == rule), "{what}: {rule}");
        }
    });
}

#[test]
fn some_lesson_of_every_game_is_won() {
    for game in GAMES {
        let name = game.info().name;
        let wins = lessons(name).expect(name).iter().any(|lesson| lesson.goal.wins);
        assert!(wins, "{name}: no lesson has `goal: {{wins: true}}`");
    }
}

#[test]
fn few_legal_entries_solve_a_lesson() {
    every_lesson(|what, lesson, referee| {
        let moves = referee.moves();
        let solved = moves.iter().filter(|entry| matches!(lesson.answer(referee, entry, 1), Answer::Solved(_))).count();
        let is_free = !lesson.goal.begins.is_empty();
        assert!(
            is_free || solved * 2 <= moves.len().max(2),
            "{what}: {solved} of {} entries solve it, which is more than half",
            moves.len()
        );
    });
}
