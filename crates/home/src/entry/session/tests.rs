//! A session value by value: what each line means, what is said while it is typed, what it is completed by.

use super::*;
use postrider_referee::desk::NoKeyStore;

const ASALTO: &str = "---\npbem: 1\ngame: asalto\nid: asalto-session\nplayers: {besiegers: {name: Ada}, defenders: {name: Bram}}\n\
     started: 2026-11-21\n---\n1 defenders place c6 e6 @2026-11-20T10:15:00Z\n";
const SUBSUME: &str = "---\npbem: 1\ngame: subsume\nid: subsume-session\nplayers: {white: {name: Ada}, black: {name: Bram}}\n\
     started: 2026-11-21\nsecrecy: open\n---\n";

fn session(record: &str, own: Option<Side>) -> Session<'_> {
    let desk = Desk::open(record.as_bytes()).expect("a record");
    Session::new(desk, None, own, false, Time(1_796_000_000))
}

fn entered(step: Step) -> (String, Option<String>) {
    match step {
        Step::Enter { actions, message } => (actions, message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_move_is_entered_as_it_was_typed_with_the_message_that_goes_with_it() {
    let mut session = session(ASALTO, Some(Side::First));
    assert_eq!((session.prompt().as_str(), session.is_due()), ("2 besiegers> ", true));
    assert_eq!(entered(session.line(" c4-c5 ", &mut NoKeyStore)), ("c4-c5".into(), None));
    assert!(
        matches!(session.line("message the gate!", &mut NoKeyStore), Step::Say(said) if said.contains("goes with"))
    );
    assert_eq!(entered(session.line("c4-c5", &mut NoKeyStore)), ("c4-c5".into(), Some("the gate!".into())));
    assert!(matches!(session.line("message", &mut NoKeyStore), Step::Say(said) if said.contains("no message")));
    // What is refused is refused where it is entered, with all that is said of it there.
    assert_eq!(entered(session.line("b4-b3", &mut NoKeyStore)).0, "b4-b3");
    assert!(matches!(session.line("", &mut NoKeyStore), Step::Nothing));
}

#[test]
fn a_command_is_one_in_any_letter_case_and_in_short() {
    let mut session = session(ASALTO, Some(Side::First));
    for (line, name) in [
        ("board", "board"),
        ("QUIT", "quit"),
        ("q", "quit"),
        ("exit", "quit"),
        ("n", "next"),
        ("?", "help"),
        ("Undo", "undo"),
    ] {
        assert!(matches!(session.line(line, &mut NoKeyStore), Step::Command(found, _) if found == name), "{line}");
    }
    assert!(matches!(session.line("rules T21", &mut NoKeyStore), Step::Rules(rule) if rule == "T21"));
    assert!(matches!(session.line("moves", &mut NoKeyStore), Step::Moves(begun) if begun.is_empty()));
    assert!(matches!(session.line("answer", &mut NoKeyStore), Step::Answer));
    let replies = session.line("if c6-d6 then e4-e5", &mut NoKeyStore);
    assert!(matches!(replies, Step::If(replies) if replies == ["c6-d6", "e4-e5"]));
    assert!(matches!(session.line("clock now", &mut NoKeyStore), Step::Say(said) if said.contains("`now`")));
}

#[test]
fn the_sign_for_help_is_explained_while_it_is_typed() {
    let session = session(ASALTO, Some(Side::First));
    let told = ["?", "help"].map(|typed| session.hint(typed, &mut NoKeyStore).map(|hint| hint.text));
    assert_eq!(told, [Some("list these commands".to_owned()), Some("list these commands".to_owned())]);
}

#[test]
fn a_long_turn_is_typed_action_by_action_and_taken_back_so() {
    let mut session = session(SUBSUME, Some(Side::First));
    let begun = |step: Step| match step {
        Step::Begun { actions, next } => (actions, next.whole, next.actions.clone()),
        other => panic!("{other:?}"),
    };
    let (actions, whole, next) = begun(session.line("+d1A", &mut NoKeyStore));
    assert_eq!((actions.as_str(), whole), ("+d1A", true));
    assert!(next.contains(&"d1-d2".to_owned()), "{next:?}");
    assert_eq!(session.prompt(), "1 white ...; ");
    // What does not go on is refused, and what was begun stays.
    assert!(matches!(session.line("d2-d3", &mut NoKeyStore), Step::Refused(_)));
    assert_eq!(session.prompt(), "1 white ...; ");
    let typed = session.line("d1-d2", &mut NoKeyStore);
    let actions = match typed {
        Step::Begun { actions, .. } | Step::Enter { actions, .. } => actions,
        other => panic!("{other:?}"),
    };
    assert_eq!(actions, "+d1A; d1-d2");
    assert!(matches!(session.line("undo", &mut NoKeyStore), Step::Say(said) if said.starts_with("the turn ")));
    session.forget();
    assert_eq!(session.prompt(), "1 white> ");
    // An empty line makes a turn that may end.
    session.line("+d1A", &mut NoKeyStore);
    assert_eq!(entered(session.line("", &mut NoKeyStore)).0, "+d1A");
    // A whole turn on one line is entered as it is.
    session.forget();
    assert_eq!(entered(session.line("+d1A; d1-d2", &mut NoKeyStore)).0, "+d1A; d1-d2");
}

#[test]
fn whoever_is_not_due_is_told_who_is() {
    let mut waiting = session(ASALTO, Some(Side::Second));
    assert_eq!(waiting.prompt(), "(besiegers due)> ");
    assert!(waiting.greeting().starts_with("the besiegers are due: `if THEIRS then YOURS`"), "{}", waiting.greeting());
    assert_eq!(waiting.hint("c4-c5", &mut NoKeyStore), None);
    assert_eq!(waiting.complete("c4", &mut NoKeyStore), (0, vec![]));
    // The referee refuses it, or lets time be claimed.
    assert_eq!(entered(waiting.line("claim time", &mut NoKeyStore)).0, "claim time");
    let over = format!("{ASALTO}2 besiegers resign @2026-11-21T10:15:00Z\n= defenders win: resigned\n");
    let over = session(&over, Some(Side::First));
    assert_eq!((over.prompt().as_str(), over.is_due()), ("over> ", false));
    assert!(over.greeting().starts_with("the game is over"));
    // Where nobody knows who plays, both sides' entries are taken.
    assert!(session(ASALTO, None).is_due());
    let forced = Session { forced: true, ..session(ASALTO, Some(Side::First)) };
    assert_eq!(forced.greeting(), "your next entry is forced: Enter makes it");
    let mut forced = forced;
    assert!(matches!(forced.line("", &mut NoKeyStore), Step::Answer));
}

#[test]
fn what_is_typed_is_completed_and_commented_on() {
    let session = session(ASALTO, Some(Side::First));
    assert_eq!(session.complete("c4", &mut NoKeyStore), (0, vec!["c4-c5".to_owned()]));
    assert_eq!(session.complete("D4-d", &mut NoKeyStore).1, ["d4-d5"]);
    assert_eq!(session.complete("c", &mut NoKeyStore).1, ["c4-c5", "clock", "compact"]);
    assert!(session.complete("", &mut NoKeyStore).1.len() > 5, "every move");
    let hint = |line: &str| session.hint(line, &mut NoKeyStore);
    assert_eq!(hint("c4-c5").expect("a hint").text, "Enter makes it");
    let only = hint("c4-").expect("a hint");
    assert_eq!(only.completion.as_deref(), Some("c5"));
    assert!(hint("d4").expect("a hint").text.starts_with("d4-c5, d4-d5"));
    let refused = hint("b4-b3").expect("a hint");
    assert!(refused.text.starts_with("T21: b4-b3: a besieger may not go back") && refused.completion.is_none());
    assert!(hint("rules").expect("a hint").text.contains("[RULE]"));
    assert_eq!((hint(""), hint("rules T21")), (None, None));
}
