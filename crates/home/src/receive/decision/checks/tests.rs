use super::super::case::Provenance;
use super::super::claims::Arrival;
use super::*;
use postrider_referee::record::Time;

const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-checks\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  \
                      defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
const FIRST: &str = "1 defenders place c6 e6 @2026-11-21T10:15:00Z\n";
const SECOND: &str = "2 besiegers c4-c5 @2026-11-22T08:02:11Z\n";
const THIRD: &str = "3 defenders c6-d6; huff d6 @2026-11-22T20:40:00Z\n";
const STRANGER: Option<&str> = Some("mallory@example.com");

/// A letter from Ada, who plays the besiegers, to Bram.
fn letter() -> Provenance<'static> {
    Provenance {
        from: Some("ada@example.org"),
        own: Some(Side::Second),
        ..Provenance::at(time("2026-11-30T00:00:00Z"))
    }
}

fn time(text: &str) -> Time {
    Time::read(text.as_bytes()).unwrap()
}

fn example(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The first entries of a signed game: Ada's key stands in the header, Bram's in the first entry.
fn signed(entries: usize) -> String {
    let all = example("asalto/a-signed-game.pbem");
    let body = all.find("\n1 ").unwrap() + 1;
    let lines: String = all[body..].split_inclusive('\n').take(2 * entries).collect();
    all[..body].to_owned() + &lines
}

/// The first entries of a sealed game whose players have committed to nothing.
fn sealed(entries: usize) -> String {
    let all = example("assassyn/sealed-game.pbem");
    let body = all.find("\n1 ").unwrap() + 1;
    all[..body].to_owned() + &all[body..].split_inclusive('\n').take(entries).collect::<String>()
}

fn replayed(record: &str) -> Opened<'_> {
    let mut opened = Opened::new(record.as_bytes()).unwrap().of_stranger();
    opened.replay(u32::MAX);
    opened
}

fn look<T>(here: &str, came: &str, letter: &Provenance<'_>, look: impl FnOnce(&Case<'_>) -> T) -> T {
    let (here, came) = (replayed(here), replayed(came));
    let first = here.table.standing().entries + 1;
    let is_over = came.table.standing().outcome.is_some();
    look(&Case::new(Some(&here), &came, (first, is_over), letter))
}

/// What a check refuses, which is what the whole list says.
fn refused(check: Check, here: &str, came: &str, letter: &Provenance<'_>) -> Refused {
    look(here, came, letter, |case| {
        let refused = check(case).expect_err("it refuses");
        assert_eq!(hold(&GOES_ON, case).expect_err("the list refuses").to_string(), refused.to_string());
        refused
    })
}

/// A check holds, and so does the whole list.
fn holds(check: Check, here: &str, came: &str, letter: &Provenance<'_>) {
    look(here, came, letter, |case| {
        check(case).expect("it holds");
        hold(&GOES_ON, case).expect("all hold");
    });
}

fn body(entries: &[&str]) -> String {
    HEADER.to_owned() + &entries.concat()
}

#[test]
fn entries_come_from_the_address_of_one_who_made_some() {
    let (here, came) = (body(&[FIRST]), body(&[FIRST, SECOND]));
    holds(from_its_maker, &here, &came, &letter());
    for from in [None, STRANGER, Some("bram@example.net")] {
        let refused = refused(from_its_maker, &here, &came, &Provenance { from, ..letter() });
        assert!(matches!(refused, Refused::Stranger { players, .. } if players == ["ada@example.org"]));
        holds(from_its_maker, &here, &came, &Provenance { from, vouched: true, ..letter() });
    }
    let bare = |text: &str| text.replace(", email: ada@example.org", "");
    holds(from_its_maker, &bare(&here), &bare(&came), &Provenance { from: STRANGER, ..letter() });
}

#[test]
fn e10_what_known_keys_have_signed_comes_from_anybody() {
    let stranger = Provenance { from: STRANGER, looks_on: true, own: None, ..letter() };
    holds(from_its_maker, &signed(1), &signed(3), &stranger);
    // The key that comes with an entry is anybody's.
    let refused = refused(from_its_maker, &signed(0), &signed(1), &stranger);
    assert!(matches!(refused, Refused::Stranger { players, .. } if players == ["bram@example.net"]));
}

#[test]
fn the_receivers_entries_are_the_receivers_own_to_make() {
    let (here, came) = (body(&[FIRST]), body(&[FIRST, SECOND, THIRD]));
    let found = refused(none_of_the_receivers, &here, &came, &letter());
    assert!(matches!(found, Refused::OwnSide { entry: 3, line } if line == THIRD.trim_end()));
    holds(none_of_the_receivers, &here, &body(&[FIRST, SECOND]), &letter());
    // What the receiver's own key has signed comes back from another machine.
    holds(none_of_the_receivers, &signed(2), &signed(3), &letter());
}

#[test]
fn nothing_is_taken_while_it_is_not_known_whose_side_is_whose() {
    let (here, came) = (body(&[FIRST]), body(&[FIRST, SECOND]));
    let unknown = Provenance { own: None, ..letter() };
    let found = refused(receivers_side_is_known, &here, &came, &unknown);
    assert!(matches!(found, Refused::WhoseSide { entry: 2, line } if line == SECOND.trim_end()));
    holds(receivers_side_is_known, &here, &came, &Provenance { looks_on: true, ..unknown });
    holds(receivers_side_is_known, &here, &here, &unknown);
}

#[test]
fn e3_no_entry_is_further_ahead_of_the_clock_than_clocks_differ() {
    let (here, came) = (body(&[FIRST]), body(&[FIRST, SECOND]));
    let at = |now| Provenance { now: time(now), ..letter() };
    let found = refused(not_ahead_of_the_clock, &here, &came, &at("2026-11-22T07:52:10Z"));
    assert!(matches!(found, Refused::Early { entry: 2, time: of } if of == time("2026-11-22T08:02:11Z")));
    holds(not_ahead_of_the_clock, &here, &came, &at("2026-11-22T07:52:11Z"));
}

#[test]
fn the_opponents_messages_leave_room_for_entries() {
    let here = body(&[FIRST]);
    let says = |length: usize| format!("2 besiegers c4-c5 @2026-11-22T08:02:11Z {{{}}}\n", "x".repeat(length));
    let came = body(&[FIRST, &says(MESSAGE + 1)]);
    assert!(matches!(refused(leaves_room, &here, &came, &letter()), Refused::Large(_)));
    holds(leaves_room, &here, &body(&[FIRST, &says(MESSAGE)]), &letter());
    // The receiver's own messages are the receiver's.
    let own = Provenance { own: Some(Side::First), ..letter() };
    look(&here, &came, &own, leaves_room).expect("it holds");
}

#[test]
fn an_invitations_remarks_leave_room_for_entries() {
    let invited = |record: &str, letter: &Provenance<'_>| {
        let came = replayed(record);
        let case = Case::new(None, &came, (1, false), letter);
        (few_remarks(&case).is_ok(), hold(&INVITES, &case).is_ok())
    };
    let line = format!("#{}\n", "x".repeat(1022));
    let few = body(&[FIRST]) + &line.repeat(RECORD_ASIDES >> 10);
    let bram = Provenance { from: Some("bram@example.net"), ..letter() };
    assert_eq!(invited(&few, &bram), (true, true));
    assert_eq!(invited(&(few.clone() + "#\n"), &bram), (false, false));
    assert_eq!(invited(&few, &Provenance { from: STRANGER, ..bram }), (true, false));
}

#[test]
fn e7_a_claim_answers_no_letter_that_was_sent_after_the_time_it_counts_from() {
    let here = HEADER.replace("started:", "clock: 2d\nstarted:") + FIRST;
    let came = here.clone()
        + "2 besiegers c4-c5 @2026-11-21T11:00:00Z\n3 besiegers claim time @2026-11-24T12:00:00Z\n= besiegers win: time\n";
    let late = Provenance { sent: Some((1, time("2026-11-24T09:00:00Z"))), ..letter() };
    let found = refused(claims::answers_no_older_letter, &here, &came, &late);
    assert!(matches!(found, Refused::Claim { since, .. } if since == time("2026-11-21T11:00:00Z")));
    let early = Provenance { sent: Some((1, time("2026-11-21T10:16:00Z"))), ..letter() };
    holds(claims::answers_no_older_letter, &here, &came, &early);
}

#[test]
fn e7_a_claim_counts_from_when_the_entry_to_answer_was_here() {
    let here = HEADER.replace("started:", "clock: 2d\nstarted:") + FIRST + "2 besiegers c4-c5 @2026-11-21T11:00:00Z\n";
    let came = here.clone() + "3 besiegers claim time @2026-11-24T12:00:00Z\n= besiegers win: time\n";
    let at = |text| Some(Arrival { entry: 2, read: time(text), server: Some(time(text)), without: None });
    let late = Provenance { arrival: at("2026-11-24T11:00:00Z"), ..letter() };
    let found = refused(claims::counts_from_when_it_was_here, &here, &came, &late);
    assert!(matches!(found, Refused::Doubtful { claim: 3, .. }));
    holds(claims::counts_from_when_it_was_here, &here, &came, &Provenance { agreed: true, ..late });
    let in_time = Provenance { arrival: at("2026-11-21T11:01:00Z"), ..letter() };
    holds(claims::counts_from_when_it_was_here, &here, &came, &in_time);
}

#[test]
fn z36_no_withdrawn_key_signs_for_another() {
    let ada = replayed(&signed(2)).table.signatures().unwrap().key(Side::First).unwrap().fingerprint();
    let withdrawn = [ada];
    let letter = Provenance { withdrawn: &withdrawn, ..letter() };
    let found = refused(seat::key_is_not_withdrawn, &signed(1), &signed(2), &letter);
    assert!(matches!(found, Refused::Withdrawn(signer) if signer.side == Side::First));
    holds(seat::key_is_not_withdrawn, &signed(1), &signed(2), &Provenance { agreed: true, ..letter });
    // Of the receiver's own key the receiver knows more than its letters do.
    let own = Provenance { own: Some(Side::First), ..letter };
    look(&signed(1), &signed(2), &own, seat::key_is_not_withdrawn).expect("it holds");
}

#[test]
fn a_key_that_takes_a_seat_answers_the_receivers_letter() {
    let bram = replayed(&signed(1)).table.signatures().unwrap().key(Side::Second).unwrap().fingerprint();
    let to_ada = Provenance { from: Some("bram@example.net"), own: Some(Side::First), answers: false, ..letter() };
    let found = refused(seat::key_answers_the_letter, &signed(0), &signed(1), &to_ada);
    assert!(matches!(found, Refused::Seat(seat) if seat.side == Side::Second));
    for letter in [
        Provenance { answers: true, ..to_ada },
        Provenance { agreed: true, ..to_ada },
        Provenance { confirmed: Some(&bram), ..to_ada },
    ] {
        holds(seat::key_answers_the_letter, &signed(0), &signed(1), &letter);
    }
}

#[test]
fn z20_the_first_entry_commits_unless_the_receiver_played_without_too() {
    let to_bram = letter();
    let found = refused(first_entry_commits, &sealed(0), &sealed(1), &to_bram);
    assert!(matches!(found, Refused::Uncommitted(Side::First)));
    holds(first_entry_commits, &sealed(0), &sealed(1), &Provenance { agreed: true, ..to_bram });
    let to_ada = Provenance { from: Some("bram@example.net"), own: Some(Side::First), ..letter() };
    holds(first_entry_commits, &sealed(1), &sealed(2), &to_ada);
}

#[test]
fn who_sent_it_comes_before_what_is_in_it() {
    // It is ahead of the clock and has an entry of the receiver's, too.
    let letter = Provenance { from: STRANGER, now: time("2026-11-20T00:00:00Z"), ..letter() };
    look(&body(&[FIRST]), &body(&[FIRST, SECOND, THIRD]), &letter, |case| {
        assert!(matches!(hold(&GOES_ON, case), Err(Refused::Stranger { .. })));
        assert!(none_of_the_receivers(case).is_err() && not_ahead_of_the_clock(case).is_err());
    });
}
