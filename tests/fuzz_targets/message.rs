//! Any bytes as a message.

use postrider_home::receive::decision::{Decision, Provenance, decide, invite, parted_in_words};
use postrider_kernel::Side;
use postrider_mail::incoming;
use postrider_mail::understand::{AtDesk, ReplyContext, Understood, understand};
use postrider_referee::desk::{Desk, EntryRequest, NoKeyStore};
use postrider_referee::record::{RECORD_LIMIT, Time, is_game_id};
use postrider_referee::verdict::{Ruling, verify};

/// The record that is here when a message arrives.
const HERE: &str = "---\npbem: 1\ngame: asalto\nid: asalto-20261121-mail01\nplayers:\n  besiegers: {name: Ada Quill, email: \
                    ada@example.org}\n  defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\n---\n1 \
                    defenders place c6 e6 @2026-11-21T10:15:00Z\n";

/// What a message carries is within limits and can be shown; what is accepted is a legal record that begins with the
/// one here, and is accepted only once.
pub fn message(data: &[u8]) {
    let mail = incoming::read(data);
    let plain = |text: &str| assert!(text.chars().all(|c| !c.is_control()), "{text:?} steers a terminal");
    plain(&mail.subject);
    mail.message_id.iter().chain(&mail.answers).chain(&mail.from).for_each(|text| plain(text));
    assert!(
        (mail.fault.is_some() || mail.records.len() <= 8)
            && mail.records.iter().all(|record| record.len() <= RECORD_LIMIT)
    );
    if let Some(answered) = incoming::answered(&mail) {
        assert!(is_game_id(&answered.game), "{answered:?}");
    }
    if let Some(text) = &mail.text {
        let lines = incoming::own_lines(text);
        lines.iter().for_each(|line| plain(line));
        assert!(lines.len() <= 200);
        understood(&lines);
    }
    let letter = Provenance {
        from: mail.from.as_deref(),
        date: mail.date,
        address: Some("bram@example.net"),
        own: Some(Side::Second),
        ..Provenance::at(Time(1_795_600_000))
    };
    for record in &mail.records {
        match decide(HERE.as_bytes(), record, &letter) {
            Ok(Decision::Accepted(accepted)) => {
                let new = &accepted.record;
                assert!(new.starts_with(HERE.as_bytes()), "{}", String::from_utf8_lossy(new));
                assert_eq!(verify(new).ruling, Ruling::Legal);
                assert!(accepted.lines.iter().all(|line| !line.contains(" defenders ")), "{:?}", accepted.lines);
                let again = decide(new, record, &letter);
                assert!(matches!(again, Ok(Decision::Nothing { older: false, .. })), "{again:?}");
            }
            Ok(Decision::Nothing { entries, .. }) => assert!(entries <= 1),
            Err(postrider_home::receive::decision::Refused::Parted(relation)) => {
                assert!(parted_in_words(&relation).is_some())
            }
            Err(_) => {}
        }
        if let Ok(invitation) = invite(record, &letter) {
            assert!(is_game_id(&invitation.id));
            assert_eq!(verify(&invitation.record).ruling, Ruling::Legal);
        }
    }
}

/// What is understood from the lines of a reply is legal, and spelled as it would be if typed that way.
fn understood(lines: &[String]) {
    let Ok(desk) = Desk::open(HERE.as_bytes()) else { return };
    let turn = ReplyContext {
        number: 2,
        side: "besiegers",
        other: "defenders",
        names: ["Ada Quill", "Bram Post"],
        offered: false,
        new: true,
        corrects: lines.len() % 2 == 1,
        tries: 80,
    };
    let enter = |actions: &str| {
        let wish = EntryRequest { actions, message: None, time: Time(1_795_600_000), time_asked: false };
        desk.enter(&wish, &mut NoKeyStore).ok().map(|entered| entered.actions)
    };
    let mut judge = AtDesk(&desk, Time(1_795_600_000));
    let meant = match understand(lines, &turn, &desk.opened.table.moves(), &mut judge) {
        Understood::Entry(meant) => vec![meant],
        Understood::Mentioned(list) => list,
        _ => Vec::new(),
    };
    for one in meant {
        assert_eq!(enter(&one.actions).as_deref(), Some(one.actions.as_str()));
        assert!(one.message.iter().all(|text| !text.contains(['{', '}']) && text.chars().all(|c| !c.is_control())));
    }
}
