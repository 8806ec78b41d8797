use super::*;
use postrider_referee::record::Time;

const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-receive\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  \
                      defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
const GAME: [&str; 4] = [
    "1 defenders place c6 e6 @2026-11-21T10:15:00Z\n",
    "2 besiegers c4-c5 @2026-11-22T08:02:11Z\n",
    "3 defenders c6-d6; huff d6 @2026-11-22T20:40:00Z\n",
    "4 besiegers e4-e5 @2026-11-23T07:00:00Z\n",
];

fn record(count: usize) -> String {
    HEADER.to_owned() + &GAME[..count].concat()
}

fn time(text: &str) -> Time {
    Time::read(text.as_bytes()).unwrap()
}

/// A letter from Ada, who plays the besiegers, to Bram.
fn letter() -> Provenance<'static> {
    Provenance {
        from: Some("ADA@example.org"),
        date: Some(time("2026-11-22T08:05:00Z")),
        address: Some("bram@example.net"),
        own: Some(Side::Second),
        ..Provenance::at(time("2026-11-22T09:00:00Z"))
    }
}

fn accepted(here: &str, there: &str, letter: &Provenance<'_>) -> Accepted {
    match decide(here.as_bytes(), there.as_bytes(), letter) {
        Ok(Decision::Accepted(accepted)) => *accepted,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_opponents_entry_is_accepted() {
    let found = accepted(&record(1), &record(2), &letter());
    assert_eq!(String::from_utf8(found.record).unwrap(), record(2));
    assert_eq!((found.first, found.last, found.lines), (2, 2, vec![GAME[1].trim_end().to_owned()]));
    assert!(found.remarks.is_empty());
}

#[test]
fn own_lines_and_remarks_stay_and_line_ends_become_lf() {
    let here = record(1) + "# mine";
    let found = accepted(&here, &record(2).replace('\n', "\r\n"), &letter());
    assert_eq!(String::from_utf8(found.record).unwrap(), record(1) + "# mine\n" + GAME[1]);
    let both = record(1) + "# both\n" + GAME[1];
    let found = accepted(&(record(1) + "\n# mine\n# both\n"), &both, &letter());
    assert_eq!(String::from_utf8(found.record).unwrap(), record(1) + "\n# mine\n# both\n" + GAME[1]);
}

#[test]
fn the_same_or_an_older_record_changes_nothing_whoever_sends_it() {
    let stranger = Provenance { from: Some("mallory@example.com"), ..letter() };
    for letter in [letter(), stranger] {
        let same = decide(record(2).as_bytes(), record(2).as_bytes(), &letter);
        assert!(matches!(same, Ok(Decision::Nothing { entries: 2, older: false, remarks: false })), "{same:?}");
        let older = decide(record(2).as_bytes(), record(1).as_bytes(), &letter);
        assert!(matches!(older, Ok(Decision::Nothing { entries: 1, older: true, remarks: false })), "{older:?}");
    }
}

#[test]
fn remarks_after_the_same_entries_are_accepted_from_a_player_once_the_game_is_over() {
    let running = decide(record(2).as_bytes(), (record(2) + "# hello\n").as_bytes(), &letter());
    assert!(matches!(running, Ok(Decision::Nothing { remarks: true, .. })), "{running:?}");
    let record = |count: usize| record(count) + "3 defenders resign @2026-11-22T20:40:00Z\n";
    let there = record(2) + "# secret besiegers 00\n";
    assert_eq!(accepted(&record(2), &there, &letter()).lines, Vec::<String>::new());
    let stranger = Provenance { from: Some("mallory@example.com"), ..letter() };
    let refused = decide(record(2).as_bytes(), there.as_bytes(), &stranger);
    assert!(matches!(refused, Err(Refused::Stranger { .. })), "{refused:?}");
}

#[test]
fn entries_must_come_from_the_address_of_their_maker() {
    for from in [None, Some("mallory@example.com"), Some("bram@example.net")] {
        let refused = decide(record(1).as_bytes(), record(2).as_bytes(), &Provenance { from, ..letter() });
        let Err(Refused::Stranger { players, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(players, ["ada@example.org"]);
    }
    // An address that the record here lacks does not become known through the received one.
    let there = record(2).replace("ada@example.org", "mallory@example.com");
    let from = Some("mallory@example.com");
    let refused = decide(record(1).as_bytes(), there.as_bytes(), &Provenance { from, ..letter() });
    assert!(matches!(refused, Err(Refused::Stranger { .. })), "{refused:?}");
}

#[test]
fn entries_of_the_receivers_own_side_are_refused() {
    let refused = decide(record(1).as_bytes(), record(3).as_bytes(), &letter());
    assert!(matches!(refused, Err(Refused::OwnSide { entry: 3, .. })), "{refused:?}");
    // A spectator accepts the entries of both sides.
    assert_eq!(
        accepted(
            &record(1),
            &record(3),
            &Provenance { own: None, looks_on: true, now: time("2026-11-23T09:00:00Z"), ..letter() }
        )
        .last,
        3
    );
}

#[test]
fn nothing_is_guessed_if_the_receivers_side_is_unknown() {
    let unknown = Provenance { own: None, ..letter() };
    let refused = decide(record(1).as_bytes(), record(2).as_bytes(), &unknown);
    assert!(matches!(refused, Err(Refused::WhoseSide { entry: 2, .. })), "{refused:?}");
    let same = decide(record(2).as_bytes(), record(1).as_bytes(), &unknown);
    assert!(matches!(same, Ok(Decision::Nothing { .. })), "{same:?}");
}

#[test]
fn without_addresses_in_the_header_anyone_can_send_with_a_warning() {
    let bare = |text: String| text.replace(", email: ada@example.org", "");
    let from = Some("mallory@example.com");
    let found = accepted(&bare(record(1)), &bare(record(2)), &Provenance { from, ..letter() });
    assert!(found.remarks[0].contains("no mail address for the besiegers"), "{:?}", found.remarks);
}

#[test]
fn an_illegal_and_a_malformed_record_get_their_verdicts() {
    for (bad, ruling) in [("2 besiegers c4-a1\n", Ruling::Illegal), ("2 besiegers @\n", Ruling::Malformed)] {
        let refused = decide(record(1).as_bytes(), (record(1) + bad).as_bytes(), &letter());
        let Err(Refused::Verdict(verdict)) = refused else { panic!("{refused:?}") };
        assert_eq!(verdict.ruling, ruling);
    }
}

#[test]
fn a_record_that_differs_from_the_one_here_is_refused_with_both_versions() {
    let there = record(4).replace("c4-c5", "d4-d5");
    let refused = decide(record(2).as_bytes(), there.as_bytes(), &letter());
    let Err(Refused::Parted(relation)) = refused else { panic!("{refused:?}") };
    let (_, difference) = parted_in_words(&relation).unwrap();
    assert!(difference.unwrap().here.contains("c4-c5") && difference.unwrap().there.contains("d4-d5"));
}

#[test]
fn times_that_look_wrong_cause_warnings_and_change_nothing() {
    let odd = Provenance {
        date: Some(time("2026-11-27T00:00:00Z")),
        sent: Some((1, time("2026-11-22T08:30:00Z"))),
        ..letter()
    };
    let found = accepted(&record(1), &record(2), &odd);
    assert!(
        found.remarks[0].contains("before your letter about entry 1 was sent (2026-11-22T08:30:00Z)"),
        "{:?}",
        found.remarks
    );
    assert!(found.remarks[1].contains("its letter of 2026-11-27"), "{:?}", found.remarks);
    // Clocks differ by a few minutes.
    let near = Provenance { sent: Some((1, time("2026-11-22T08:05:00Z"))), ..letter() };
    assert!(accepted(&record(1), &record(2), &near).remarks.is_empty());
}

#[test]
fn e3_an_entry_ahead_of_the_clock_is_not_accepted_yet() {
    let at = |text| Provenance { now: time(text), ..letter() };
    let refused = decide(record(1).as_bytes(), record(2).as_bytes(), &at("2026-11-22T07:52:10Z"));
    assert!(matches!(refused, Err(Refused::Early { entry: 2, .. })), "{refused:?}");
    assert_eq!(accepted(&record(1), &record(2), &at("2026-11-22T07:52:11Z")).last, 2);
    let refused =
        invite(record(1).as_bytes(), &Provenance { from: Some("bram@example.net"), ..at("2026-11-21T10:00:00Z") });
    assert!(matches!(refused, Err(Refused::Early { entry: 1, .. })), "{refused:?}");
}

#[test]
fn e7_a_claim_that_counts_from_before_the_own_letter_was_sent_is_refused() {
    let header = HEADER.replace("started:", "clock: 2d\nstarted:");
    let here = format!("{header}{}", GAME[0]);
    // Bram's letter went out on the 24th; Ada dates her entry back to the 21st and claims on the 24th.
    let there = format!(
        "{here}2 besiegers c4-c5 @2026-11-21T11:00:00Z\n3 besiegers claim time @2026-11-24T12:00:00Z\n= besiegers win: time\n"
    );
    let sent = Some((1, time("2026-11-24T09:00:00Z")));
    let now = time("2026-11-24T12:05:00Z");
    let refused = decide(here.as_bytes(), there.as_bytes(), &Provenance { sent, now, ..letter() });
    assert!(matches!(refused, Err(Refused::Claim { sent: (1, _), .. })), "{refused:?}");
    let sent = Some((1, time("2026-11-21T10:16:00Z")));
    assert_eq!(accepted(&here, &there, &Provenance { sent, now, ..letter() }).last, 3);
}

#[test]
fn a_game_that_is_not_here_is_an_invitation_of_its_players() {
    let found = invite(record(0).as_bytes(), &letter()).unwrap();
    assert_eq!((found.id.as_str(), found.entries), ("asalto-receive", 0));
    assert!(found.remarks.is_empty());
    let found = invite(
        record(1).as_bytes(),
        &Provenance { from: Some("bram@example.net"), address: Some("x@y.z"), own: None, ..letter() },
    );
    assert!(found.unwrap().remarks.iter().any(|remark| remark.contains("x@y.z is not the address")));
    let refused = invite(record(1).as_bytes(), &Provenance { from: Some("mallory@example.com"), ..letter() });
    assert!(matches!(refused, Err(Refused::Stranger { .. })), "{refused:?}");
    let refused = invite((record(1) + "2 besiegers c4-a1\n").as_bytes(), &letter());
    assert!(matches!(refused, Err(Refused::Verdict(_))), "{refused:?}");
}

#[test]
fn nothing_is_decided_if_the_record_here_is_not_legal() {
    let refused = decide((record(1) + "2 besiegers c4-a1\n").as_bytes(), record(2).as_bytes(), &letter());
    assert!(matches!(refused, Err(Refused::Here(_))), "{refused:?}");
}

#[test]
fn z24_a_win_is_certain_if_its_end_is_ones_own_or_signed_by_a_key_known_before() {
    let signed =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/asalto/a-signed-game.pbem")).unwrap();
    let sides = |record: &[u8]| {
        let mut opened = postrider_referee::verdict::Opened::new(record).unwrap();
        opened.replay(u32::MAX);
        assert!(opened.table.standing().outcome.is_some());
        [Side::First, Side::Second].map(|side| (is_won(&opened, side), is_won_for_certain(&opened, side)))
    };
    assert_eq!(sides(&signed), [(true, true), (false, false)]);
    let unsigned = record(1) + "2 besiegers resign @2026-11-22T08:02:11Z\n";
    assert_eq!(sides(unsigned.as_bytes()), [(false, false), (true, false)]);
}
