//! Attacks with times, each carried out against the program: claims from the future, answers and first entries dated back.

use crate::attacks::{ADA_MAIL, BRAM, BRAM_MAIL, NOW, OURS, asalto, at, home, letter};
use crate::seats::digits;
use crate::session::Session;

#[test]
fn e7_a_claim_from_the_future_waits_until_it_has_become_true_and_an_answer_is_first() {
    let header = asalto("asalto-claim-ahead", ADA_MAIL, BRAM_MAIL, "clock: 5d\n");
    let here =
        format!("{header}1 defenders place c6 e6 @2026-11-22T10:15:00Z\n2 besiegers c4-c5 @2026-11-23T08:02:11Z\n");
    let there = format!("{here}3 besiegers claim time @2026-12-23T08:00:00Z\n= besiegers win: time\n");
    for answers in [true, false] {
        let bram = home(BRAM, &here);
        let done = at(&bram, NOW, &["receive", "--strict"], &letter("ada@example.org", &there));
        assert!(done.code == 0 && done.err.contains("held back: entry 3 is of 2026-12-23T08:00:00Z"), "{}", done.err);
        assert_eq!(bram.read(OURS), here);
        assert_eq!(std::fs::read_dir(bram.path("home/data/held-back")).expect("kept").count(), 1);
        at(&bram, NOW, &["receive"], &letter("ada@example.org", &there)).ok();
        assert_eq!(std::fs::read_dir(bram.path("home/data/held-back")).expect("kept").count(), 1, "once");
        if answers {
            at(&bram, NOW, &["move", OURS, "c6-d6"], "").ok();
        }
        let before = bram.read(OURS);
        // Any later run accepts it automatically; what was entered in the meantime is kept.
        let later = at(&bram, "2026-12-23T08:00:00Z", &["receive"], &letter("ada@example.org", &here));
        assert_eq!(
            std::fs::read_dir(bram.path("home/data/held-back")).expect("kept").count(),
            0,
            "{}{}",
            later.out,
            later.err
        );
        if answers {
            assert!(later.err.contains("refused"), "{}{}", later.out, later.err);
            assert_eq!(bram.read(OURS), before);
        } else {
            assert!(later.out.contains("accepted: 3 besiegers claim time"), "{}{}", later.out, later.err);
        }
    }
}

#[test]
fn e7_a_backdated_answer_and_a_claim_are_refused_in_two_letters_as_in_one() {
    let header = asalto("asalto-backdated", ADA_MAIL, BRAM_MAIL, "clock: 1d\n");
    let entries = [
        "2 besiegers c4-c5 @2026-11-20T10:00:01Z\n",
        "3 besiegers claim time @2026-11-22T12:30:00Z\n= besiegers win: time\n",
    ];
    for letters in [1, 2] {
        let bram = home(BRAM, &header);
        at(&bram, "2026-11-20T10:00:00Z", &["move", OURS, "place c6 e6"], "").ok();
        // The letter only leaves two days later.
        at(&bram, "2026-11-22T10:00:00Z", &["send", OURS], "").ok();
        if letters == 2 {
            let answer = letter("ada@example.org", &format!("{}{}", bram.read(OURS), entries[0]));
            let done = at(&bram, "2026-11-22T12:00:00Z", &["receive"], &answer);
            assert!(done.err.contains("before your letter about entry 1 was sent"), "{}", done.err);
        }
        let before = bram.read(OURS);
        let claim = format!("{before}{}", entries[letters - 1..].concat());
        let claim = if letters == 1 { format!("{before}{}", entries.concat()) } else { claim };
        let done = at(&bram, "2026-11-22T12:30:00Z", &["receive"], &letter("ada@example.org", &claim));
        assert!(done.err.contains("your letter about entry 1 was only sent on 2026-11-22T10:00:00Z"), "{}", done.err);
        assert_eq!(bram.read(OURS), before, "{letters}");
    }
    // In two letters that arrive together it is named just the same, and an answer that came in time is not.
    for together in [true, false] {
        let bram = home(BRAM, &header);
        at(&bram, "2026-11-20T10:00:00Z", &["move", OURS, "place c6 e6"], "").ok();
        let first = format!("{}{}", bram.read(OURS), entries[0]);
        let second = format!("{first}{}", entries[1]);
        let mut mbox = format!("From x\n{}\n", letter("ada@example.org", &first));
        if !together {
            bram.write("early", &mbox);
            at(&bram, "2026-11-20T11:00:00Z", &["receive", "early"], "").ok();
        }
        mbox.push_str(&format!("From x\n{}\n", letter("ada@example.org", &second)));
        bram.write("mbox", &mbox);
        let done = at(&bram, "2026-11-22T12:30:00Z", &["receive", "mbox"], "");
        let told = "held back: entry 3 claims that your time ran out, counted from 2026-11-20T10:00:01Z, but entry 2 was first \
                    read here on 2026-11-22T12:30:00Z: counted from then you had 1 day left";
        assert_eq!(done.err.contains(told), together, "{}", done.err);
        assert_eq!(done.out.contains("accepted: 3 besiegers claim time"), !together, "{}{}", done.out, done.err);
    }
}

const CLOCKED: &str = "2 besiegers c4-c5 @2026-11-20T10:02:00Z\n";
const CLAIMED: &str = "3 besiegers claim time @2026-11-30T10:10:00Z\n= besiegers win: time\n";

/// A game of Bram's with a clock of ten days, in which he has placed his defenders and sent the letter.
fn clocked(settings: &str) -> (Session, String) {
    let header = asalto("asalto-whole-clock", ADA_MAIL, BRAM_MAIL, "clock: 10d\n");
    let bram = home(&format!("{BRAM}{settings}"), &header);
    at(&bram, "2026-11-20T10:00:00Z", &["move", OURS, "place c6 e6", "--send"], "").ok();
    let here = bram.read(OURS);
    (bram, here)
}

#[test]
fn e7_a_claim_that_counts_from_before_its_entry_was_here_waits_until_the_player_agrees() {
    for together in [true, false] {
        let (bram, here) = clocked("");
        let answered = format!("{here}{CLOCKED}");
        let claimed = format!("{answered}{CLAIMED}");
        if !together {
            let done = at(&bram, "2026-11-30T10:05:00Z", &["receive"], &letter("ada@example.org", &answered));
            let told = "entry 2 says it is 10 days old (2026-11-20T10:02:00Z), but it was first read here on 2026-11-30T10:05:00Z; by \
                        the time it says, your time ran out 3 minutes ago";
            assert!(done.out.contains("accepted: 2 ") && done.err.contains(told), "{}{}", done.out, done.err);
            let status = at(&bram, "2026-11-30T10:05:00Z", &["status"], "").ok();
            assert!(
                status.contains(
                    "your time ends on 2026-11-30T10:02:00Z by its own time, on 2026-12-10T10:05:00Z by its arrival"
                ),
                "{status}"
            );
        }
        let done = at(&bram, "2026-11-30T10:15:00Z", &["receive", "--answer"], &letter("ada@example.org", &claimed));
        assert!(
            done.code == 0 && done.err.contains("held back: entry 3 claims that your time ran out"),
            "{}",
            done.err
        );
        let named = digits(&done.err, "asalto-whole-clock");
        assert!(done.err.contains(&format!("--agree asalto-whole-clock {named}` takes the claim")), "{}", done.err);
        assert_eq!(bram.read(OURS), answered);
        // The same letter again, and later runs, change nothing.
        at(&bram, "2026-12-01T00:00:00Z", &["receive"], &letter("ada@example.org", &claimed)).ok();
        at(&bram, "2026-12-01T00:00:00Z", &["receive"], "From: x@y.z\n\nhello\n").ok();
        assert_eq!(bram.read(OURS), answered);
        assert_eq!(std::fs::read_dir(bram.path("home/data/held-back")).expect("kept").count(), 1);
        if together {
            let agreed = at(&bram, "2026-12-01T00:00:00Z", &["receive", "--agree", "asalto-whole-clock", &named], "");
            assert!(agreed.out.contains("accepted: 3 besiegers claim time"), "{}{}", agreed.out, agreed.err);
            assert_eq!(bram.read(OURS), claimed);
            assert_eq!(std::fs::read_dir(bram.path("home/data/held-back")).expect("kept").count(), 0);
        } else {
            at(&bram, "2026-12-01T00:00:00Z", &["move", OURS, "c6-d6"], "").ok();
        }
    }
}

#[test]
fn e7_the_time_of_ones_own_mail_server_is_when_an_entry_was_here() {
    let settings = "authserv-id: mx.example.net\n";
    let stamped = |record: &str, by: &str| {
        let hop = format!("Received: from x.y.z by {by}; Fri, 20 Nov 2026 10:03:00 +0000\n");
        format!("{hop}{}", letter("ada@example.org", record))
    };
    for (by, counts) in [("mx.example.net", true), ("mx.example.com", false)] {
        let (bram, here) = clocked(settings);
        let answered = format!("{here}{CLOCKED}");
        // Whoever does not look for ten days has had the letter for ten days.
        at(&bram, "2026-11-30T10:05:00Z", &["receive"], &stamped(&answered, by)).ok();
        let claim = letter("ada@example.org", &format!("{answered}{CLAIMED}"));
        let done = at(&bram, "2026-11-30T10:15:00Z", &["receive"], &claim);
        assert_eq!(done.out.contains("accepted: 3 besiegers claim time"), counts, "{}{}", done.out, done.err);
    }
    // A server that did not pass the sender through (RFC 8601) is believed, another one is not.
    for (by, refused) in [("mx.example.net", true), ("mx.example.com", false)] {
        let (bram, here) = clocked(settings);
        let found = format!("Authentication-Results: {by}; dmarc=fail header.from=example.org\n");
        let mail = format!("{found}{}", letter("ada@example.org", &format!("{here}{CLOCKED}")));
        let done = at(&bram, "2026-11-20T10:05:00Z", &["receive"], &mail);
        assert_eq!(done.err.contains("mx.example.net says that its sender is forged"), refused, "{}", done.err);
        assert_eq!(bram.read(OURS) == here, refused);
    }
}

#[test]
fn e7_a_first_entry_from_before_the_game_costs_nobody_a_clock() {
    let header = asalto("asalto-first-of-all", ADA_MAIL, BRAM_MAIL, "clock: 10d\n");
    let bram = home("email: ada@example.org\n", &header);
    let first = format!("{header}1 defenders place c6 e6 @1970-01-01T00:00:10Z\n");
    let done = at(&bram, "2026-11-21T10:00:00Z", &["receive"], &letter("bram@example.net", &first));
    assert!(
        done.err.contains("entry 1 says it is of 1970-01-01T00:00:10Z, before the game began (2026-11-21)"),
        "{}",
        done.err
    );
    let claim = format!("{first}2 defenders claim time @2026-11-21T10:10:00Z\n= defenders win: time\n");
    let done = at(&bram, "2026-11-21T10:11:00Z", &["receive"], &letter("bram@example.net", &claim));
    assert!(done.err.contains("held back: entry 2 claims that your time ran out"), "{}{}", done.out, done.err);
    assert_eq!(bram.read(OURS), first);
    // In an invitation it counts from when that was accepted.
    let session = home("email: ada@example.org\n", "nothing");
    std::fs::remove_file(session.path(OURS)).expect("removed");
    at(&session, "2026-11-21T10:00:00Z", &["receive"], &letter("bram@example.net", &first)).ok();
    at(&session, "2026-11-21T10:05:00Z", &["accept", "asalto-first-of-all"], "").ok();
    let done = at(&session, "2026-11-21T10:11:00Z", &["receive"], &letter("bram@example.net", &claim));
    assert!(done.err.contains("held back: entry 2 claims that your time ran out"), "{}{}", done.out, done.err);
    // A clock that woke up in 1970 dates no entry.
    let bram = home(BRAM, &header);
    let said = at(&bram, "1970-01-01T00:00:10Z", &["move", OURS, "place c6 e6"], "").fails(2);
    assert!(
        said.contains("the clock of this machine says 1970-01-01T00:00:10Z, before the game began (2026-11-21)"),
        "{said}"
    );
    assert_eq!(bram.read(OURS), header);
}

#[test]
fn e7_an_honest_claim_is_accepted_whatever_was_sent() {
    let header = asalto("asalto-claimed", ADA_MAIL, BRAM_MAIL, "clock: 1d\n");
    let bram = home(BRAM, &header);
    at(&bram, "2026-11-20T10:00:00Z", &["move", OURS, "place c6 e6", "--send"], "").ok();
    let answered = format!("{}2 besiegers c4-c5 @2026-11-20T12:00:00Z\n", bram.read(OURS));
    // Sending the letter again later makes it no younger.
    at(&bram, "2026-11-20T13:00:00Z", &["send", OURS, "--force"], "").ok();
    let done = at(&bram, "2026-11-20T13:01:00Z", &["receive"], &letter("ada@example.org", &answered));
    assert!(done.out.contains("accepted: 2 ") && !done.err.contains("before your letter"), "{}{}", done.out, done.err);
    let claim = format!("{answered}3 besiegers claim time @2026-11-21T12:00:01Z\n= besiegers win: time\n");
    let done = at(&bram, "2026-11-21T12:01:00Z", &["receive"], &letter("ada@example.org", &claim));
    assert!(done.out.contains("accepted: 3 besiegers claim time"), "{}{}", done.out, done.err);
}

#[test]
fn e3_nobody_is_forced_to_date_an_entry_in_the_future() {
    let header = asalto("asalto-frozen", ADA_MAIL, BRAM_MAIL, "clock: 5d\n");
    let here =
        format!("{header}1 defenders place c6 e6 @2026-11-22T10:15:00Z\n2 besiegers c4-c5 @2036-11-23T08:02:11Z\n");
    let bram = home(BRAM, &here);
    let said = at(&bram, NOW, &["move", OURS, "c6-d6"], "").fails(2);
    assert!(said.contains("ahead of the clock here") && said.contains("--time TIME"), "{said}");
    assert_eq!(bram.read(OURS), here);
    at(&bram, NOW, &["move", OURS, "c6-d6", "--at", "2036-11-23T08:02:11Z"], "").ok();
    // Two clocks differ by a few minutes, which is nobody's fault.
    let near = here.replace("2036-11-23T08:02:11Z", "2026-11-23T12:05:00Z").replace("asalto-frozen", "asalto-nearby");
    bram.write(OURS, &near);
    at(&bram, NOW, &["move", OURS, "c6-d6"], "").ok();
    assert!(bram.read(OURS).contains("3 defenders c6-d6; huff d6 @2026-11-23T12:05:00Z"), "{}", bram.read(OURS));
}
