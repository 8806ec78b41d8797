mod courtesies;

use super::*;
use postrider_referee::desk::Desk;
use postrider_referee::record::Time;

const ASALTO: &str = "---\npbem: 1\ngame: asalto\nid: asalto-understand\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
                      started: 2026-11-21\n---\n1 defenders place c6 e6\n";

/// What is understood of a reply to a record, in which the side that is due answers.
fn of(record: &str, text: &str) -> Understood {
    let Ok(desk) = Desk::open(record.as_bytes()) else { panic!("{record}") };
    let opened = &desk.opened;
    let due = opened.table.standing().due.side;
    let turn = ReplyContext { names: ["Ada Quill", "Bram Post"], ..ReplyContext::of(opened, due) };
    let lines: Vec<String> = text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect();
    understand(&lines, &turn, &opened.table.moves(), &mut AtDesk(&desk, Time(1_795_600_000)))
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
        "from c4 to c5",
        "c5 from c4",
        "c4 moves to c5",
        "ok c4-c5, good luck :)",
        "c four to c five",
        "c4-c5, have fun!\nAll the best, Ada",
        "No problem, c4-c5",
        "\u{ff43}\u{ff14}\u{ff0d}\u{ff43}\u{ff15}",
        "c4-c5\nc4-c5",
        "c4-c5\nI repeat: C4 - C5",
    ] {
        assert_eq!(entry(ASALTO, text), ("c4-c5".to_owned(), None), "{text}");
    }
}

#[test]
fn a_message_is_kept_only_if_the_writer_asks() {
    let (actions, message) = entry(ASALTO, "Hi Bram,\nc4-c5\nHow is the weather?\nAda");
    assert_eq!((actions.as_str(), message), ("c4-c5", None));
    let (_, message) = entry(ASALTO, "2 besiegers c4-c5 @2026-11-22T08:02:11Z {the gate!}");
    assert_eq!(message.as_deref(), Some("the gate!"));
    let (_, message) = entry(ASALTO, "c4-c5\nMessage: what do you say {to} that?");
    assert_eq!(message.as_deref(), Some("what do you say to that?"));
}

#[test]
fn nothing_is_guessed_between_two_different_entries() {
    for text in ["c4-c5\nd4-d5", "c4-c5 or d4-d5", "c4-c5, d4-d5", "c4-c5\nI thought of d4-d5 first"] {
        match of(ASALTO, text) {
            Understood::Mentioned(list) => assert_eq!(list.len(), 2, "{text}: {list:?}"),
            Understood::Illegal(_) => {}
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(!matches!(of(ASALTO, "c4-c5\nno, resign\nresign"), Understood::Entry(_)));
}

#[test]
fn an_entry_that_is_only_mentioned_is_not_entered() {
    for text in [
        "Should I play c4-c5?",
        "c4-c5?",
        "I will not play c4-c5",
        "If you wait, c4-c5",
        "What do you think of c4-c5, Bram?",
        "Don't enter anything yet: c4-c5 I must ask my son first.",
        "Don't enter anything yet:\nc4-c5\nI must ask my son first.",
        "Wait! c4-c5 was a mistake in my head",
        "I'd rather resign than play c4-c5",
        "No idea yet. c4-c5 looks bad.",
        "No idea yet.\nc4-c5\nlooks bad.",
        "Is c4-c5 allowed",
        "Is c4-c5 legal?\n",
        "c4-c5\nis that allowed?",
        "c4-c5 was my first thought",
        "your c4-c5 surprised me",
        "Your move c4-c5 was good",
        "I see c4-c5",
        "c4-c5 is interesting",
        "thanks, but no c4-c5",
        "c4-c5 would be nice",
        "my son says c4-c5",
        "you should resign",
        "If I lose more, resign",
        "Resign! You have lost.",
        "I think that in this position anybody else would by now long\nresign",
    ] {
        assert!(!matches!(of(ASALTO, text), Understood::Entry(_)), "{text}: {:?}", of(ASALTO, text));
    }
    for text in ["resignation", "thanks, I shall answer tomorrow", "", "see you at 10:30 on 4.5.", "How are you, Bram?"]
    {
        assert_eq!(of(ASALTO, text), Understood::Nothing { nearest: None }, "{text}");
    }
    assert!(matches!(of(ASALTO, "draw?"), Understood::OfferAlone));
    assert_eq!(of(ASALTO, "not yet"), Understood::NotYet);
    let Understood::Nothing { nearest } = of(ASALTO, "Hi\na4-b9") else { panic!() };
    assert_eq!(nearest.as_deref(), Some("a4-b9"));
}

#[test]
fn what_is_refused_is_the_likeliest_entry_whatever_stands_round_it() {
    for (text, typed) in [
        ("a4-a5", "a4-a5"),
        ("I take: a4 x a5", "a4xa5"),
        ("ok c4xc6, good luck :)", "c4xc6"),
        ("a4 takes a5, because I can", "a4xa5"),
        ("c4-c6 please", "c4-c6"),
        ("from c4 to c6", "c4-c6"),
    ] {
        match of(ASALTO, text) {
            Understood::Illegal(one) => assert_eq!(one.actions, typed, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn no_part_of_a_turn_is_entered_without_the_rest() {
    let whole = include_str!("../../../../examples/subsume/a-city-built-and-lost.pbem");
    assert!(whole.contains("subsume"));
    let subsume = "---\npbem: 1\ngame: subsume\nid: subsume-parts\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n\
                   started: 2026-11-21\nsecrecy: open\n---\n";
    for text in [
        "+c1I\nc1-c2",
        "+c1I and c1-c2",
        "+c1I, c1-c2",
        "+c1I; c1-c2",
        "+c1I then c1 to c2",
        "Hi Bram\n+c1I;\nc1-c2\nAda",
    ] {
        assert_eq!(entry(subsume, text).0, "+c1I; c1-c2", "{text}");
    }
    for text in ["+c1I; c1-c3", "+c1I\nc1-c3", "+c1I and c1-c3"] {
        assert!(matches!(of(subsume, text), Understood::Illegal(_)), "{text}: {:?}", of(subsume, text));
    }
    for text in ["+c1I c1-z3", "+c1I; c1-c2 and something on c2", "+c1I; then maybe c1-c2"] {
        assert!(!matches!(of(subsume, text), Understood::Entry(_)), "{text}: {:?}", of(subsume, text));
    }
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
        "I resign. Well played!",
        "Ich gebe auf.",
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
    let whole = include_str!("../../../../examples/mission-combat/open-game.pbem");
    let until = whole.find("4 marines").expect("an entry");
    let combat = &whole[..until];
    let combat: String =
        combat.lines().map(|line| format!("{}\n", line.split(" @20").next().unwrap_or(line))).collect();
    for text in [
        "place rocket-squad@HQ",
        "Place rocket-squad @ HQ",
        "place rocket squad @hq",
        "My move: place rocket-squad@HQ.",
        "put the rocket squad on HQ",
        "I place my rocket squad at HQ, please",
    ] {
        assert_eq!(entry(&combat, text).0, "place rocket-squad@HQ", "{text}");
    }
}

#[test]
fn a_move_in_a_paragraph_of_its_own_is_meant_whatever_the_others_tell() {
    let read = |text: &str| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let Ok(desk) = Desk::open(ASALTO.as_bytes()) else { panic!("{ASALTO}") };
        let turn = ReplyContext {
            number: 2,
            side: "besiegers",
            other: "defenders",
            names: ["Ada Quill", "Bram Post"],
            offered: false,
            new: true,
            corrects: false,
            tries: 2000,
        };
        understand(&lines, &turn, &desk.opened.table.moves(), &mut AtDesk(&desk, Time(1_795_600_000)))
    };
    for text in [
        "Sorry for the delay.\n\nc4-c5\n\nIf you come by, do not forget my book.",
        "It was not easy, but I think that the gate is open now, if only just\n\nc4-c5\n\nand so are the others.",
        "c4-c5\n\nAda Quill\nHead of B2B Sales",
        "c4-c5\n\nCould you send the rules again?",
        "你好，c4-c5",
        "c4-c5 J",
        "こんにちは\n\nc4-c5\n\nありがとうございます",
    ] {
        assert!(matches!(read(text), Understood::Entry(_)), "{text}: {:?}", read(text));
    }
    for text in [
        "Don't enter anything yet:\n\nc4-c5\n\nI must ask my son first.",
        "c4-c5\n\nIs that allowed?",
        "c4-c5\n\nno, wait",
        "c4-c5\n\nOr d4-d5?",
        "c4-c5\n\nOh no, I mean d4-d5",
        "I have not decided yet.\n\nc4-c5",
        "c4-c5\n...",
    ] {
        assert!(!matches!(read(text), Understood::Entry(_)), "{text}: {:?}", read(text));
    }
}

#[test]
fn the_mark_between_two_actions_may_be_left_out() {
    let record = ASALTO.replace("started: 2026-11-21\n", "started: 2026-11-21\nclock: 5d leave 30d\n");
    let record = record.replace("place c6 e6\n", "place c6 e6 @2026-11-21T10:15:00Z\n");
    for text in ["c4-c5 leave 7d", "c4-c5, leave 7d", "c4-c5; leave 7d", "c4-c5. leave 7d"] {
        assert_eq!(entry(&record, text).0, "c4-c5; leave 7d", "{text}");
    }
}
