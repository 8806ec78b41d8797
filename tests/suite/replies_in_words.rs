//! Replies as people put them, in words and in many languages: each one in `tests/data/replies/<game>.txt` has its
//! result, and no letter that only mentions a move makes it.

use std::fs;

use postrider_mail::incoming::{Form, Text, own_lines};
use postrider_mail::understand::{AtDesk, ReplyContext, Understood, understand};
use postrider_referee::desk::Desk;
use postrider_referee::record::Time;
use postrider_referee::registry::GAMES;

/// What is understood of a reply to a record.
fn read(desk: &Desk<'_>, text: &str) -> Understood {
    let opened = &desk.opened;
    let turn = ReplyContext::of(opened, opened.table.standing().due.side);
    let lines = own_lines(&Text { text: text.to_owned(), form: Form::Fixed });
    understand(&lines, &turn, &opened.table.moves(), &mut AtDesk(desk, Time(1_795_600_000)))
}

#[test]
fn replies_in_words_have_their_outcomes() {
    let mut wrong = Vec::new();
    for game in GAMES {
        let name = game.info().name;
        let file = format!("tests/data/replies/{name}.txt");
        let text = fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{file}: {error}; each game has one, as tests/data/replies/README.md says"));
        let mut count = 0;
        for position in text.split("\n== ").skip(1) {
            let (head, cases) = position.split_once("\n--\n").expect("a record, then cases");
            let (place, record) = head.split_once('\n').expect("a name and a record");
            let record = format!("{record}\n");
            let Ok(desk) = Desk::open(record.as_bytes()) else { panic!("{name}, {place}: the record is not legal") };
            for case in cases.lines() {
                let (outcome, reply) = case.split_once(" | ").unwrap_or_else(|| panic!("{case}"));
                let understood = read(&desk, &reply.replace('⏎', "\n"));
                let is = match (outcome.split_once(' ').unwrap_or((outcome, "")), &understood) {
                    (("entry", actions), Understood::Entry(meant)) => meant.actions == actions,
                    (("illegal", actions), Understood::Illegal(meant)) => meant.actions == actions,
                    (("talk", _), Understood::Nothing { nearest: None }) => true,
                    (("notyet", _), Understood::NotYet) => true,
                    (("offer", _), Understood::OfferAlone) => true,
                    (("not", _), other) => !matches!(other, Understood::Entry(_)),
                    _ => false,
                };
                count += 1;
                if !is {
                    wrong.push(format!("{name}, {place}: {outcome} | {reply}\n    {understood:?}"));
                }
            }
        }
        assert!(count >= 190, "{file} has {count} replies, and at least 190 are tried for each game");
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
