//! The entry as it is typed: a value that is read, judged on a copy, and leaves no trace if it is refused.

use postrider_kernel::text::Diagnostic;
use postrider_referee::desk::{Desk, EntryRequest, NoKeyStore, Refusal};
use postrider_referee::judging::{Beside, Stop, Table};
use postrider_referee::record::Time;
use postrider_referee::verdict::Opened;

const SEALED: &str = "---\npbem: 1\ngame: subsume\nid: subsume-typed\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n\
     started: 2026-11-21\nsecrecy: sealed\n---\n";
const OPEN: &str = "---\npbem: 1\ngame: asalto\nid: asalto-typed\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
     started: 2026-11-21\n---\n1 defenders place c6 e6 @2026-11-20T10:15:00Z\n2 besiegers c4-c5 @2026-11-20T11:00:00Z\n";

fn fault(table: &dyn Table, typed: &str) -> Diagnostic {
    let beside = Beside { time: table.standing().last, message: None };
    let judged = table.read(typed).and_then(|typed| typed.judge(&beside));
    match judged {
        Ok(judged) => panic!("{} is legal", judged.line),
        Err(Stop::Malformed(fault) | Stop::Illegal(fault) | Stop::Unjudged(fault)) => *fault,
    }
}

#[test]
fn z6_the_seals_of_a_refused_entry_are_not_taken() {
    let seal = format!("seal:{}", "ab".repeat(32));
    let (refused, legal) = (format!("+d1 {seal}; d1^9"), format!("+d1 {seal}"));
    // When typed, it is judged on a copy.
    let opened = Opened::new(SEALED.as_bytes()).expect("a header");
    let _ = fault(opened.table.as_ref(), &refused);
    let judged = opened.table.read(&legal).and_then(|typed| typed.judge(&Beside::default()));
    assert_eq!(judged.map(|judged| judged.actions).ok(), Some(legal.clone()));
    // As a line of a record it is judged on the table itself, which is then as it was before.
    let mut opened = Opened::new(SEALED.as_bytes()).expect("a header");
    for (actions, stands) in [(&refused, false), (&legal, true), (&legal, false)] {
        let number = opened.table.standing().entries + 1;
        let side = ["white", "black"][number as usize - 1];
        let record = format!("{SEALED}{number} {side} {actions}\n");
        let line = Opened::new(record.as_bytes()).expect("a header");
        let Some(postrider_referee::record::Item::Entry(entry)) = line.body().next_item() else { panic!("{record}") };
        assert_eq!(opened.table.enter(&record, &entry).is_ok(), stands, "{actions}");
    }
}

#[test]
fn places_refer_to_what_was_typed_unchanged() {
    let mut opened = Opened::new(OPEN.as_bytes()).expect("a header");
    assert_eq!(opened.replay(u32::MAX).errors, []);
    let table = opened.table.as_ref();
    for (typed, quoted, said) in [
        ("c6-c4", "c6-c4", "c6-c4: "),
        ("  c6-d6 ;  huff   a5 ", "huff   a5", "huff   a5: "),
        ("c6-d6; nonsense", "nonsense", "nonsense: "),
        ("c6-d6 ; leave 0d", "0d", "leave 0d: "),
        ("c6-d6; draw!", "draw!", "`draw!` must be the only action"),
    ] {
        let fault = fault(table, typed);
        assert_eq!(fault.span.text(typed), quoted, "{fault:?}");
        assert!(fault.message.starts_with(said), "{fault:?}");
        assert_eq!(fault.entry, Some(3));
    }
    // The place of an invalid time is after what was typed.
    let early = Beside { time: Some(Time(0)), message: None };
    let Err(Stop::Illegal(fault)) = table.read("c6-d6").and_then(|typed| typed.judge(&early)) else { panic!() };
    assert_eq!((fault.rule, fault.span.start), (Some("E3"), 6));
}

#[test]
fn draw_alone_is_not_taken_for_a_card_while_a_draw_is_offered() {
    let offered = format!("{OPEN}3 defenders c6-d6; draw? @2026-11-20T12:00:00Z\n");
    let mut opened = Opened::new(offered.as_bytes()).expect("a header");
    assert_eq!(opened.replay(u32::MAX).errors, []);
    for typed in ["draw", " Draw "] {
        let fault = fault(opened.table.as_ref(), typed);
        assert!(fault.message.contains("a draw is offered"), "{fault:?}");
        assert!(fault.help.is_some_and(|help| help.contains("`draw!` accepts")), "{typed}");
    }
    assert!(opened.table.read("draw!").is_ok());
}

#[test]
fn what_is_listed_while_a_draw_is_offered_can_be_typed() {
    let game = include_str!("../../examples/mission-combat/sealed-game.pbem");
    let end = game.find("\n18 portalists draw ").expect("an entry with a card drawn") + 1;
    let last = game[..end].lines().last().expect("entry 17");
    let offered = game[..end].replace(last, &last.replace("; end @", "; end; draw? @"));
    let mut opened = Opened::new(offered.as_bytes()).expect("a header");
    assert_eq!(opened.replay(u32::MAX).errors, []);
    let list = opened.table.read("").and_then(|typed| typed.next()).unwrap_or_else(|_| panic!("actions")).actions;
    assert!(list.iter().any(|action| action == "draw 1") && !list.iter().any(|action| action == "draw"), "{list:?}");
    for action in &list {
        assert!(opened.table.read(action).is_ok(), "{action}");
    }
    // Before another action it cannot mean the offer.
    assert!(opened.table.read("draw; end").is_ok());
    assert!(fault(opened.table.as_ref(), "draw").message.contains("a draw is offered"));
}

#[test]
fn refusals_of_the_desk_quote_what_was_typed() {
    let desk = Desk::open(OPEN.as_bytes()).expect("a legal record");
    let wish = |actions, time| EntryRequest { actions, message: None, time, time_asked: true };
    let refused = |wish: &EntryRequest<'_>| match desk.enter(wish, &mut NoKeyStore) {
        Err(Refusal::Entry(text, verdict)) => (text, verdict.errors[0].clone()),
        other => panic!("{other:?}"),
    };
    let (text, fault) = refused(&wish("C6-C4 ", Time(1_795_262_400)));
    assert_eq!((text.as_str(), fault.span.text(&text)), ("C6-C4", "C6-C4"));
    let (text, fault) = refused(&wish("c6-d6", Time(0)));
    assert_eq!((text.as_str(), fault.span.text(&text)), ("c6-d6 @1970-01-01T00:00:00Z", "@1970-01-01T00:00:00Z"));
    // No trace of it is left.
    let entered = desk.enter(&wish("c6-d6", Time(1_795_262_400)), &mut NoKeyStore).expect("a legal entry");
    assert_eq!(entered.actions, "c6-d6; huff d6");
    assert_eq!(entered.table.standing().entries, 3);
    assert_eq!(desk.opened.table.standing().entries, 2);
}

#[test]
fn nothing_typed_is_not_an_entry_nor_is_a_keyword_if_nothing_is_forced() {
    let desk = Desk::open(OPEN.as_bytes()).expect("a legal record");
    for (typed, said) in
        [("", "an action is missing"), (";", "an action is missing"), ("; c6-d6", "an action is missing")]
    {
        let fault = fault(desk.opened.table.as_ref(), typed);
        assert!(fault.message.starts_with(said), "{typed:?}: {fault:?}");
        let wish = EntryRequest { actions: typed, message: None, time: Time(1_795_262_400), time_asked: false };
        assert!(matches!(desk.enter(&wish, &mut NoKeyStore), Err(Refusal::Entry(..))), "{typed:?}");
    }
}

#[test]
fn a_record_is_opened_replayed_and_its_errors_can_be_passed_on() -> Result<(), Box<dyn std::error::Error>> {
    let referee = postrider_referee::facade::open(OPEN.as_bytes())?;
    assert_eq!((referee.standing().entries, referee.verdict().entries), (2, 2));
    let words = referee.words(postrider_kernel::Viewer::Public);
    assert!(words.lines().count() > 1, "{words}");
    let beside = Beside { time: referee.standing().last, message: None };
    // Without a time of its own an entry has the earliest that it may have (E3).
    let entry = referee.judge("c6-d6", &Beside::default())?;
    assert_eq!(entry.line, referee.judge("c6-d6", &beside)?.line);
    assert!(referee.standing().last.is_some_and(|last| entry.line.ends_with(&format!("@{last}"))), "{}", entry.line);
    assert_eq!(postrider_referee::verdict::verify(&referee.append(&entry)?).entries, 3);
    // What is refused is still a verdict, with what precedes it.
    let broken = format!("{OPEN}3 defenders c6-c4 @2026-11-20T12:00:00Z\n");
    let referee = postrider_referee::facade::open(broken.as_bytes())?;
    assert_eq!(referee.standing().entries, 2);
    assert!(referee.verdict().to_string().starts_with("illegal: entry 3: T"), "{}", referee.verdict());
    let entry = referee.judge("c6-d6", &beside)?;
    assert!(referee.append(&entry).is_err(), "nothing is appended to a record that is not legal");
    assert!(postrider_referee::facade::open(b"no record").is_err());
    Ok(())
}

#[test]
fn nothing_prints_a_rulebook_for_debugging() {
    let verdict = format!("{:?}", postrider_referee::verdict::verify(OPEN.as_bytes()));
    assert!(verdict.len() < 400 && verdict.contains("asalto"), "{verdict}");
    let opened = Opened::new(OPEN.as_bytes()).expect("a header");
    assert!(format!("{:?}", opened.header).len() < 2000);
    let books: Vec<_> = postrider_referee::rulebook::all().collect();
    assert!(format!("{books:?}").len() < 1000);
}
