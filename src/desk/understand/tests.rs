use super::*;
use crate::desk::{Desk, EntryRequest, NoKeyStore};
use crate::record::Time;

const ASALTO: &str = "---\npbem: 1\ngame: asalto\nid: asalto-understand\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
                      started: 2026-11-21\n---\n1 defenders place c6 e6\n";

/// What is understood of a reply to a record, in which the side that is due answers.
fn of(record: &str, text: &str) -> Understood {
    let Ok(desk) = Desk::open(record.as_bytes()) else { panic!("{record}") };
    let opened = &desk.opened;
    let standing = opened.table.standing();
    let sides = &opened.header.info.sides;
    let due = standing.due.side;
    let turn = ReplyContext {
        number: standing.entries + 1,
        side: sides[due.index()].word,
        other: sides[due.other().index()].word,
        tries: ReplyContext::tries(record.len()),
    };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut tries = |actions: &str| {
        let wish = EntryRequest { actions, message: None, time: Time(1_795_600_000), time_asked: false };
        desk.enter(&wish, &mut NoKeyStore).ok().map(|entered| entered.actions)
    };
    understand(&lines, &turn, &opened.table.moves(), &mut tries)
}

fn entry(record: &str, text: &str) -> (String, Option<String>) {
    match of(record, text) {
        Understood::Entry(one) => (one.actions, one.message),
        other => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn an_entry_is_found_however_it_is_typed() {
    for text in [
        "c4-c5",
        "C4-C5",
        "C4 - c5",
        "c4\u{2013}c5",
        "c4\u{2014}c5",
        "c4\u{2212}c5",
        "c4 \u{2192} c5",
        "c4->c5",
        "c4 --> c5",
        "c4c5",
        "c4 c5",
        "C4C5",
        "c4 to c5",
        "c4 nach c5",
        "from c4 to c5",
        "c4-c5.",
        "c4-c5 !",
        "c4-c5!!",
        "\u{201e}c4-c5\u{201c}",
        "*c4-c5*",
        "My move: c4-c5",
        "my move is c4-c5",
        "I play c4-c5",
        "I play c4-c5 now.",
        "Dear Carl, c4-c5",
        "Dear Carl,\nc4-c5\nBest wishes, Ada",
        "2. c4-c5",
        "2) c4-c5",
        "2 c4-c5",
        "2 besiegers c4-c5",
        "besiegers: c4-c5",
        "besiegers c4-c5",
        "2 besiegers c4-c5 @2026-11-22T08:02:11Z",
        "1 defenders place c6 e6 @2026-11-22T08:02:11Z\n2 besiegers c4-c5 @2026-11-22T08:02:11Z",
        "Mein Zug: c4-c5",
        "Thanks for your letter, c4-c5",
        "No problem, c4-c5",
        "\u{ff43}\u{ff14}\u{ff0d}\u{ff43}\u{ff15}",
        "c4-c5\nc4-c5",
        "c4-c5\nI repeat: C4 - C5",
    ] {
        assert_eq!(entry(ASALTO, text), ("c4-c5".to_owned(), None), "{text}");
    }
}

#[test]
fn a_question_is_kept_as_the_message() {
    let (actions, message) = entry(ASALTO, "Hi Bram,\nc4-c5\nHow is the weather?\nAda");
    assert_eq!((actions.as_str(), message.as_deref()), ("c4-c5", Some("How is the weather?")));
    let (_, message) = entry(ASALTO, "2 besiegers c4-c5 @2026-11-22T08:02:11Z {the gate!}");
    assert_eq!(message.as_deref(), Some("the gate!"));
    let (_, message) = entry(ASALTO, "c4-c5. What do you say {to} that?");
    assert_eq!(message.as_deref(), Some("What do you say to that?"));
}

#[test]
fn nothing_is_guessed_between_two_different_entries() {
    for text in [
        "c4-c5\nd4-d5",
        "c4-c5 or d4-d5",
        "c4-c5, d4-d5",
        "c4-c5\nI thought of d4-d5 first",
        "c4-c5\nno, resign\nresign",
    ] {
        match of(ASALTO, text) {
            Understood::Several(list) => assert_eq!(list.len(), 2, "{text}: {list:?}"),
            Understood::Nothing { spoken_of, .. } => assert_eq!(spoken_of.len(), 2, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn an_entry_that_is_only_mentioned_is_not_entered() {
    for text in [
        "Should I play c4-c5?",
        "c4-c5?",
        "I will not play c4-c5",
        "If you wait, c4-c5",
        "What do you think of c4-c5, Bram?",
        "you should resign",
        "If I lose more, resign",
        "Resign! You have lost.",
        "I think that in this position anybody else would by now long\nresign",
        "resignation",
        "draw?",
        "thanks, I shall answer tomorrow",
        "",
        "a4-a5",
        "see you at 10:30 on 4.5.",
    ] {
        assert!(
            !matches!(of(ASALTO, text), Understood::Entry(_) | Understood::Several(_)),
            "{text}: {:?}",
            of(ASALTO, text)
        );
    }
    assert!(matches!(of(ASALTO, "draw?"), Understood::OfferAlone));
    let Understood::Nothing { nearest, .. } = of(ASALTO, "Hi\na4-b9") else { panic!() };
    assert_eq!(nearest.as_deref(), Some("a4-b9"));
}

#[test]
fn resigning_and_offers_are_read() {
    for text in [
        "resign",
        "Resign.",
        "I resign",
        "I resign!",
        "Dear Bram, resign",
        "My move: resign",
        "Hello Bram,\nresign\nAda",
    ] {
        assert_eq!(entry(ASALTO, text).0, "resign", "{text}");
    }
    let later = format!("{ASALTO}2 besiegers c4-c5\n3 defenders c6-d6; huff d6\n");
    for text in ["e4-e5; draw?", "e4-e5 draw?", "e4-e5, draw?", "E4 - E5 draw ?", "e4-e5\ndraw?", "e4-e5. Draw?"] {
        assert_eq!(entry(&later, text).0, "e4-e5; draw?", "{text}");
    }
}

/// For each game a record, what is typed, and the entry that is meant.
#[test]
fn all_games_are_read_with_the_same_forgiveness() {
    let header = |game: &str, first: &str, second: &str, more: &str| {
        format!(
            "---\npbem: 1\ngame: {game}\nid: {game}-understand\nplayers:\n  {first}: {{name: Ada}}\n  {second}: {{name: Bram}}\n\
             started: 2026-11-21\n{more}---\n"
        )
    };
    let assideum = header("assideum", "white", "black", "");
    for text in
        ["Fc1-c4", "fc1-c4", "FC1 - C4", "Fc1 to c4", "c1-c4", "My move: Fc1c4", "1. Fc1\u{2013}c4", "1 white Fc1-c4"]
    {
        assert_eq!(entry(&assideum, text).0, "Fc1-c4", "{text}");
    }
    let assassyn = header("assassyn", "white", "black", "secrecy: open\n");
    let deploy = "deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2";
    for text in [deploy, "Deploy Pc1, Wd1, La1, Lf1, Sb1, Se1, Ac2", "Hi! deploy pc1 wd1 la1 lf1 sb1 se1 ac2."] {
        assert_eq!(entry(&assassyn, text).0.len(), deploy.len(), "{text}");
    }
    let fight = assassyn + "1 white deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2\n2 black deploy Pd6 Wc6 La6 Lf6 Sb6 Se6 Ad5\n";
    for text in ["La1xa6", "la1xa6", "La1 x a6", "La1 takes a6", "la1a6", "L a1 x a6"] {
        assert_eq!(entry(&fight, text).0, "La1xa6", "{text}");
    }
    let subsume = header("subsume", "white", "black", "secrecy: open\n");
    for text in ["+c1I; c1-c2", "+c1I; c1 - c2", "+c1I, c1-c2", "My move: +c1I; c1-c2", "+C1i; C1-C2", "+c1I; c1c2"] {
        assert_eq!(entry(&subsume, text).0, "+c1I; c1-c2", "{text}");
    }
    let whole = include_str!("../../../examples/mission-combat/open-game.pbem");
    let until = whole.find("4 marines").expect("an entry");
    let combat = &whole[..until];
    let combat: String =
        combat.lines().map(|line| format!("{}\n", line.split(" @20").next().unwrap_or(line))).collect();
    for text in [
        "place rocket-squad@HQ",
        "Place rocket-squad @ HQ",
        "place rocket squad @hq",
        "My move: place rocket-squad@HQ.",
    ] {
        assert_eq!(entry(&combat, text).0, "place rocket-squad@HQ", "{text}");
    }
}
