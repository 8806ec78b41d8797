//! Politeness, names and faces around entries of all games, in positions of real games: they change nothing, and what leaves it open
//! whether the entry is meant is never entered.

use std::collections::BTreeSet;

use super::*;

const GAMES: &[&str] = &[
    include_str!("../../../../../examples/asalto/fifteen-captures.pbem"),
    include_str!("../../../../../examples/asalto/drawn-on-the-road.pbem"),
    include_str!("../../../../../examples/assideum/the-portal-at-the-gate.pbem"),
    include_str!("../../../../../examples/assassyn/open-game.pbem"),
    include_str!("../../../../../examples/mission-combat/own-layout.pbem"),
    include_str!("../../../../../examples/mission-combat/open-game.pbem"),
    OPEN_SUBSUME,
];

const OPEN_SUBSUME: &str = "---\npbem: 1\ngame: subsume\nid: subsume-courtesies\nplayers:\n  white: {name: Ada Quill}\n  \
                            black: {name: Bram Post}\nstarted: 2026-11-21\nsecrecy: open\n---\n1 white +c1I; c1-c2\n2 black +d8I\n";

/// The most positions of one game.
const MOST: usize = 5;

/// What stands behind an entry and says nothing.
const BEHIND: &[&str] = &[
    " please",
    ", please",
    ", please.",
    " bitte",
    " por favor",
    " s'il te pla\u{ee}t",
    ", thanks",
    " - thanks!",
    ". Thank you",
    " thanks Bram",
    ". Thanks for the quick reply!",
    " :-)",
    " :)",
    ":-)",
    " ;-)",
    " :D",
    " <3",
    " ^^",
    " \u{1f600}",
    "\u{1f44d}\u{1f3fd}",
    " \u{263a}\u{fe0f}",
    " good luck!",
    ", good luck :-)",
    " please :-) thanks!",
    ". Best wishes, Ada",
    ", have fun!",
    "!",
    ".",
];

/// What stands before an entry and says nothing.
const BEFORE: &[&str] = &["Hi Bram, ", "Thanks! ", "My move: ", "please ", "Hello, please: ", "Good luck! "];

/// What leaves it open.
const OPEN: &[&str] = &[
    "?",
    " please?",
    " or not",
    ", perhaps",
    " unless you mind :-)",
    " would be nice, thanks",
    " please, or resign",
    "...",
];

/// The positions of a record: what stands before an entry, and the entry. Of those that begin alike only the first.
fn positions(record: &str) -> Vec<(String, String)> {
    let mut head = String::new();
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for line in record.lines() {
        let line = line.split(" @20").next().unwrap_or(line);
        let actions =
            line.split_once(' ').and_then(|(number, rest)| number.parse::<u32>().ok().and(rest.split_once(' ')));
        if let Some((_, actions)) = actions {
            let kind: String =
                actions.chars().filter(|c| c.is_ascii_punctuation()).chain(actions.chars().take(3)).collect();
            if found.len() < MOST && seen.insert((actions.split(' ').next().map(str::len), kind)) {
                found.push((head.clone(), actions.to_owned()));
            }
        }
        // Without times, nothing counts them.
        if !line.starts_with(['=', '#', 'c']) {
            head.push_str(line);
            head.push('\n');
        }
    }
    found
}

#[test]
fn courtesies_and_faces_around_an_entry_change_nothing() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (record, actions) in GAMES.iter().flat_map(|record| positions(record)) {
        let plain = of(&record, &actions);
        let Understood::Entry(meant) = &plain else { panic!("{actions}: {plain:?}") };
        let around = BEHIND.iter().map(|behind| format!("{actions}{behind}"));
        let around = around.chain(BEFORE.iter().map(|before| format!("{before}{actions}")));
        // The last part of a turn on a line of its own.
        let broken =
            actions.rsplit_once("; ").map(|(begun, last)| format!("{begun};\n{last}, please :-)\nThanks, Ada"));
        for text in around.chain(broken) {
            count += 1;
            match of(&record, &text) {
                Understood::Entry(one) if one.actions == meant.actions && one.message.is_none() => {}
                other => wrong.push(format!("{text:?}: {other:?}")),
            }
        }
        for open in OPEN {
            let text = format!("{actions}{open}");
            if let Understood::Entry(one) = of(&record, &text) {
                wrong.push(format!("{text:?} is entered: {one:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 600, "{count}");
}

#[test]
fn an_entry_of_one_word_is_read_with_thanks_and_not_with_what_may_be_meant_for_the_other() {
    let begun = OPEN_COMBAT;
    for text in ["end", "end :-)", "End, thanks!", "end. Thanks Ada", "end \u{1f600}", "end\nGood luck!"] {
        assert_eq!(entry(begun, text).0, "end", "{text}");
    }
    for text in [
        "end please",
        "please end",
        "the end",
        "the end, thanks",
        "end, good game",
        "end. Well played!",
        "End?",
        "the end :-)",
    ] {
        assert!(!matches!(of(begun, text), Understood::Entry(_)), "{text}: {:?}", of(begun, text));
    }
    for text in ["resign :-)", "I resign, thanks for the game!", "resign. Well played!"] {
        assert_eq!(entry(ASALTO, text).0, "resign", "{text}");
    }
    let Understood::Mentioned(list) = of(ASALTO, "resign, please") else { panic!() };
    assert_eq!(list.len(), 1);
    for text in ["Please resign", "Resign, please!", "Ada, please resign :-)", "gib auf, bitte"] {
        assert!(!matches!(of(ASALTO, text), Understood::Entry(_)), "{text}: {:?}", of(ASALTO, text));
    }
}

/// A turn in which nothing has to be done.
const OPEN_COMBAT: &str = "---\npbem: 1\ngame: mission-combat\nid: mission-combat-courtesies\nplayers:\n  marines: {name: Ada Quill}\n  \
                           portalists: {name: Bram Post}\nstarted: 2026-11-21\nsetup: \"YO portal-trooper.1; BE rifle-squad.1; HQ rocket-squad.1; \
                           ap 3; to play marines; hand marines -; hand portalists -; discard marines -; discard portalists -\"\nsecrecy: open\n---\n";

#[test]
fn a_word_of_an_entry_is_known_with_thanks_behind_it() {
    for line in ["end", "end :-)", "Resign, please.", "pass, thanks!", "draw? thanks"] {
        assert!(is_word_of_entry(line), "{line}");
    }
    for line in ["thanks", "the end", ":-)", "no end of thanks"] {
        assert!(!is_word_of_entry(line), "{line}");
    }
}
