//! What judging a record may cost: work is counted in steps, the same on every machine, and limited. Also, a refusal
//! that is found late leaves the game as it was.

use crate::shapes::SHAPES;
use crate::signing::{GAME, both, record, signed, with_both};
use postrider_home::receive::decision::{Provenance, Refused, invite};
use postrider_kernel::Viewer;
use postrider_kernel::scene::Board;
use postrider_referee::judging::{ORDINARY_BUDGET, STRANGERS_BUDGET};
use postrider_referee::record::Time;
use postrider_referee::registry::GAMES;
use postrider_referee::verdict::{Opened, Ruling};

/// The verdict on a record, and the steps it took.
fn judged(text: &str) -> (Ruling, u64) {
    let mut opened = Opened::new(text.as_bytes()).expect("a record");
    let verdict = opened.replay(u32::MAX);
    (verdict.ruling, ORDINARY_BUDGET - opened.table.set_budget(0))
}

#[test]
fn the_steps_that_a_record_takes_grow_as_it_does() {
    for shape in SHAPES {
        let [once, twice, four] = [1, 2, 4].map(|times| {
            let (ruling, steps) = judged(&(shape.write)(shape.size * times / 4));
            assert_eq!(ruling, Ruling::Legal, "{}", shape.name);
            steps
        });
        let halves = if shape.linear { 5 } else { 7 };
        assert!(four - twice <= (twice - once) * halves / 2, "{}: {once}, {twice}, {four}", shape.name);
    }
}

#[test]
fn a_record_that_is_too_much_work_is_unjudged_from_there_on_and_says_so() {
    let text = record("", "", &GAME);
    let mut opened = Opened::new(text.as_bytes()).expect("a record");
    opened.table.set_budget(30);
    let verdict = opened.replay(u32::MAX);
    assert_eq!(verdict.ruling, Ruling::Unjudged);
    // Everything before the stop has been judged, and the entry that was not judged is named.
    assert!(verdict.entries > 0 && verdict.entries < 8, "{}", verdict.entries);
    let error = &verdict.errors[0];
    assert_eq!((error.entry, error.rule), (Some(verdict.entries + 1), None));
    assert!(error.message.contains("takes more work than any real game needs"), "{}", error.message);
    let line = GAME[verdict.entries as usize];
    assert_eq!(error.span.text(&text), line);
}

#[test]
fn a_record_from_a_stranger_has_a_tenth() {
    let text = record("", "", &GAME);
    let mut opened = Opened::new(text.as_bytes()).expect("a record").of_stranger();
    assert_eq!(opened.table.set_budget(0), STRANGERS_BUDGET);
    assert_eq!(STRANGERS_BUDGET, ORDINARY_BUDGET / 10);
}

#[test]
fn what_is_shown_of_tall_stacks_does_not_grow_with_them() {
    for name in ["subsume: two stacks that only grow", "subsume: sealed, only claims"] {
        let shape = SHAPES.iter().find(|shape| shape.name == name).expect("a shape");
        let words = [1500, 6000].map(|size| {
            let text = (shape.write)(size);
            let mut opened = Opened::new(text.as_bytes()).expect("a record");
            assert_eq!(opened.replay(u32::MAX).ruling, Ruling::Legal);
            let scene = opened.table.view(Viewer::Public);
            let Board::Blocks(board) = &scene.board else { panic!("a board of stacks") };
            assert!(board.blocks.iter().all(|block| block.height() == size / 2 && block.tokens.len() <= 480));
            assert!(scene.captions.len() < 100, "{}", scene.captions.len());
            scene.words()
        });
        // The numbers of tokens have a digit more, and that is all.
        assert!(words[1].len() < words[0].len() * 5 / 4, "{}, {}", words[0].len(), words[1].len());
    }
}

#[test]
fn real_games_take_less_than_a_hundredth_of_the_budget() {
    let mut games = 0;
    for game in GAMES.iter().map(|game| game.info().name) {
        for kind in ["legal", "sealed"] {
            let folder = format!("{}/tests/data/{game}/{kind}", env!("CARGO_MANIFEST_DIR"));
            let Ok(list) = std::fs::read_dir(folder) else { continue };
            for path in list.map(|entry| entry.expect("an entry").path()) {
                if path.extension().is_some_and(|extension| extension == "pbem") {
                    let text = std::fs::read_to_string(&path).expect("a record");
                    let (ruling, steps) = judged(&text);
                    assert_eq!(ruling, Ruling::Legal, "{}", path.display());
                    assert!(steps < ORDINARY_BUDGET / 100, "{}: {steps} steps", path.display());
                    games += 1;
                }
            }
        }
    }
    assert!(games > 50);
}

/// What a record shows after its legal entries, which must be the same as if it were cut off there.
#[track_caller]
fn stands(text: &str, entry: u32, rule: &str) {
    let mut opened = Opened::new(text.as_bytes()).expect("a record");
    let verdict = opened.replay(u32::MAX);
    assert_eq!(verdict.ruling, Ruling::Illegal);
    assert_eq!((verdict.errors[0].entry, verdict.errors[0].rule), (Some(entry), Some(rule)), "{:?}", verdict.errors);
    let mut short = Opened::new(text.as_bytes()).expect("a record");
    let before = short.replay(entry - 1);
    assert_eq!((verdict.entries, verdict.due, verdict.outcome), (before.entries, before.due, before.outcome));
    assert_eq!(opened.table.position(), short.table.position());
    assert_eq!(opened.table.moves(), short.table.moves());
    let keys = |opened: &Opened<'_>| opened.table.signatures().map(|signatures| signatures.link());
    assert_eq!(keys(&opened), keys(&short));
}

#[test]
fn e5_an_offer_with_the_last_move_leaves_the_game_before_it() {
    let mut lines: Vec<String> = GAME.iter().map(|&line| line.to_owned()).collect();
    lines[8].push_str("; draw?");
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stands(&record("", "", &lines), 9, "E5");
}

#[test]
fn z32_a_signature_that_does_not_hold_leaves_the_game_before_its_entry_and_is_named_before_later_faults() {
    let whole = signed(&with_both(&GAME), both);
    let signatures: Vec<&str> = whole.lines().filter(|line| line.starts_with("  ~ ")).collect();
    for false_one in [1, 4, 9] {
        // In its place the signature of another entry; and much later an illegal entry, or a wrong result.
        let text = whole.replacen(signatures[false_one - 1], signatures[false_one % 9], 1);
        let entry = u32::try_from(false_one).expect("a number");
        stands(&text, entry, "Z32");
        if false_one < 8 {
            stands(&text.replace("8 besiegers e3-d4", "8 besiegers e3-e2"), entry, "Z32");
        }
        stands(&format!("{text}= draw: agreed\n"), entry, "Z32");
    }
}

/// A signed game of assideum in which the Rangers spin again and again.
fn spun(count: usize) -> String {
    let keys = [crate::signing::ada(), crate::signing::bram()];
    let turns = ["Rd1=S", "Rd8=N", "Rd1=N", "Rd8=S"];
    let lines: String =
        (0..count).map(|nth| format!("{} {} {}\n", nth + 1, ["white", "black"][nth % 2], turns[nth % 4])).collect();
    let [white, black] = [0, 1].map(|nth| crate::signing::field(&keys[nth]));
    let text = format!(
        "---\npbem: 1\ngame: assideum\nid: assideum-signed\nplayers:\n  white: {{name: Ada Quill{white}}}\n  black: {{name: \
         Bram Post{black}}}\nstarted: 2026-11-21\n---\n{lines}"
    );
    signed(&text, |side| Some(if side == "white" { crate::signing::ada() } else { crate::signing::bram() }))
}

#[test]
fn an_invitation_that_takes_more_work_than_a_stranger_has_is_unjudged() {
    let text = spun(4200);
    assert_eq!(judged(&text).0, Ruling::Legal);
    let letter = Provenance { looks_on: true, ..Provenance::at(Time(0)) };
    let Err(Refused::Verdict(verdict)) = invite(text.as_bytes(), &letter) else { panic!("it was kept") };
    assert_eq!(verdict.ruling, Ruling::Unjudged);
    assert!((3000..4200).contains(&verdict.entries), "{}", verdict.entries);
}

#[test]
fn many_signatures_are_checked_side_by_side_and_the_first_false_one_is_named() {
    let text = spun(1100);
    assert_eq!(judged(&text).0, Ruling::Legal);
    let signatures: Vec<&str> = text.lines().filter(|line| line.starts_with("  ~ ")).collect();
    for first in [600, 1031] {
        let mut forged = text.replacen(signatures[first], signatures[0], 1);
        forged = forged.replacen(signatures[1090], signatures[0], 1);
        stands(&forged, u32::try_from(first).expect("a number") + 1, "Z32");
    }
}
