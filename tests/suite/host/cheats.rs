//! Forged, replayed, forwarded and automatic letters; people who do not want any; kills and full disks.

use postrider_disk::disk::{Failing, Memory};
use postrider_host::Host;
use postrider_referee::verdict::verify;

use super::people::{ADDRESS, Hosted, id_of, to};
use super::seats::code;
use super::{ADA, BRAM, begun, due, from};
use postrider_testing::random::Stream;

#[test]
fn nobody_is_written_to_much_without_having_answered_once() {
    let host = Hosted::plain();
    host.deliver(&host.fresh(ADA, "play asalto", ""));
    assert_eq!(host.letters().len(), 1);
    for words in ["play asalto", "play asalto with bram@example.net", "games", "help", "my games"] {
        host.deliver(&host.fresh(ADA, words, ""));
    }
    assert_eq!(host.letters().len(), 2);
    // An invitation goes to a stranger once in a month, whoever asks for it.
    assert_eq!(host.asked("Cleo <cleo@example.com>", "play asalto with bram@example.net").len(), 2);
    let letters = host.asked("Dora <dora@example.com>", "play asalto with bram@example.net");
    assert!(to(&letters, "dora@example.com").text.contains("cannot be invited"), "{letters:?}");
}

#[test]
fn never_holds_for_ever_and_the_opponent_learns_it() {
    let host = Hosted::new();
    let letters = host.asked(ADA, "play asalto with bram@example.net");
    host.deliver(&host.tap(BRAM, to(&letters, "bram@example.net"), "never write to me again"));
    let told = host.letter_to("ada@example.org");
    assert!(told.text.contains("does not want to play"), "{}", told.text);
    host.deliver(&host.reply(ADA, &told, "play asalto with bram@example.net"));
    assert!(host.letter_to("ada@example.org").text.contains("cannot be invited"));
    host.deliver(&host.fresh(BRAM, "help", ""));
    assert!(host.letters().is_empty());
}

#[test]
fn a_letter_without_its_token_is_answered_with_the_letter_due_and_never_taken() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    // A forger who knows everything but the token: address, Message-ID, subject.
    let forged = host.reply(from(&letter.to), &letter, &entry);
    let forged = String::from_utf8(forged).expect("text").replace(&letter.from, ADDRESS);
    host.deliver(forged.as_bytes());
    let again = host.letter_to(&letter.to);
    assert!(again.text.contains("Nothing was entered"), "{}", again.text);
    assert_eq!(verify(&host.record(&id)).entries, 0);
    host.deliver(&host.reply(from(&letter.to), &again, &entry));
    assert_eq!(verify(&host.record(&id)).entries, 1);
    host.letters();
    // No more than a few a day go to somebody in whose name others write.
    let mut count = 0;
    for nth in 0..12 {
        let forged = host.fresh(from(&letter.to), &format!("Re: [pbem] {id} #1 besiegers"), &format!("resign {nth}"));
        host.deliver(&forged);
        count += host.letters().len();
    }
    assert!((1..=5).contains(&count), "{count}");
    assert_eq!(verify(&host.record(&id)).entries, 1);
}

#[test]
fn a_token_is_worth_one_side_of_one_game_and_one_address() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    let other = letters.iter().find(|one| one.to != letter.to).expect("the other");
    // The opponent writes with the own token in the other's name, and the other way round.
    for message in [host.reply(from(&letter.to), other, &entry), host.reply(from(&other.to), &letter, &entry)] {
        host.deliver(&message);
        assert_eq!(verify(&host.record(&id)).entries, 0);
    }
    // Somebody to whom a letter was forwarded.
    host.deliver(&host.reply("Eve <eve@example.com>", &letter, &entry));
    assert_eq!(verify(&host.record(&id)).entries, 0);
    // A reply from before is not taken for a new one.
    host.letters();
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    assert_eq!(verify(&host.record(&id)).entries, 1);
    let letters = host.letters();
    let (letter2, entry2) = due(&host, &id, &letters, &mut Stream(4)).expect("a turn");
    host.deliver(&host.reply(from(&letter2.to), &letter2, &entry2));
    assert_eq!(verify(&host.record(&id)).entries, 2);
    host.letters();
    host.deliver(&host.reply(from(&letter.to), &letter, "resign"));
    assert_eq!(verify(&host.record(&id)).entries, 2);
    let answer = host.letter_to(&letter.to);
    assert!(answer.text.contains("earlier letter"), "{}", answer.text);
}

#[test]
fn programs_are_not_answered_and_two_hosts_do_not_write_to_each_other() {
    let host = Hosted::plain();
    let marks = ["Auto-Submitted: auto-replied", "Precedence: bulk", "X-Autoreply: yes", "Return-Path: <>"];
    for mark in marks {
        let message = String::from_utf8(host.fresh(ADA, "play asalto", "")).expect("text");
        host.deliver(format!("{mark}\r\n{message}").as_bytes());
        assert!(host.letters().is_empty(), "{mark}");
    }
    // Another host's letter, word for word.
    let other = Hosted::plain();
    other.deliver(&other.fresh("The Mill <games@example.com>", "help", ""));
    other.deliver(&other.fresh("Other <other@example.com>", "help", ""));
    let letters = other.letters();
    assert_eq!(letters.len(), 1);
    host.deliver(&letters[0].bytes);
    assert!(host.letters().is_empty());
    // A robot that says nothing of itself is not answered without end.
    let first = host.asked(ADA, "play asalto");
    let mut letter = to(&first, "ada@example.org").clone();
    let mut answered = 0;
    for _ in 0..20 {
        host.deliver(&host.reply(ADA, &letter, "Thank you for your message. I am on holiday."));
        match host.letters().pop() {
            Some(next) => {
                answered += 1;
                letter = next;
            }
            None => break,
        }
    }
    assert!(answered <= 6, "{answered}");
}

#[test]
fn a_move_is_made_however_many_letters_its_writer_has_caused() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    let mut answered = 0;
    for nth in 0..60 {
        host.later(100);
        host.deliver(&host.reply(from(&letter.to), &letter, &format!("How are you today? {}", "Hi! ".repeat(nth))));
        answered += host.letters().len();
    }
    assert!((20..=80).contains(&answered), "{answered}");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    assert_eq!(verify(&host.record(&id)).entries, 1);
    // The opponent learns of it.
    let other = host.letters();
    assert!(other.len() == 1 && other[0].to != letter.to, "{other:?}");
}

#[test]
fn what_the_own_mail_system_says_of_a_sender_counts_and_nobody_elses_word() {
    let host = Hosted::with("authserv-id: mx.example.com\nmail:\n  letter: text\n");
    let with = |server: &str, result: &str| {
        let message = String::from_utf8(host.fresh(ADA, "play asalto", result)).expect("text");
        format!("Authentication-Results: {server}; dmarc={result} header.from=example.org\r\n{message}")
    };
    host.deliver(with("mx.example.com", "fail").as_bytes());
    assert!(host.letters().is_empty());
    host.deliver(with("mx.example.org", "pass").as_bytes());
    assert!(host.letter_to("ada@example.org").subject.contains("confirm"));
    // Who is known to have written need not confirm it.
    host.deliver(with("mx.example.com", "pass").as_bytes());
    assert!(host.letter_to("ada@example.org").text.contains("You are waiting for somebody"));
}

#[test]
fn somebody_who_is_forgotten_is_in_no_note_and_gets_no_letter() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let office = host.office();
    assert!(Host::open(&office).expect("a host").forget("bram@example.net", &|_| {}).expect("a run"));
    drop(office);
    host.run();
    host.letters();
    for (path, bytes) in host.memory.snapshot() {
        assert!(!String::from_utf8_lossy(&bytes).contains("bram@example.net"), "{path}");
    }
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    if letter.to == "ada@example.org" {
        host.deliver(&host.reply(ADA, &letter, &entry));
        assert_eq!(host.letter_to("ada@example.org").to, "ada@example.org");
    }
}

#[test]
fn a_letter_that_comes_back_is_told_to_the_opponent() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let bram = to(&letters, "bram@example.net");
    let report = |to: &str, whom: &str| {
        format!(
            "From: MAILER-DAEMON@mx.example.net\r\nTo: {to}\r\nSubject: Undelivered Mail Returned to Sender\r\nMessage-ID: <r{}@mx>\r\n\
             Auto-Submitted: auto-replied\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=xx\r\n\r\n--xx\r\n\r\nIt failed.\r\n\r\n\
             --xx\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.net\r\n\r\nFinal-Recipient: rfc822; {whom}\r\n\
             Action: failed\r\nStatus: 5.1.1\r\n\r\n--xx--\r\n",
            to.replace('@', ".")
        )
    };
    // Anybody can write such a report, but not with the token.
    host.deliver(report(ADDRESS, "bram@example.net").as_bytes());
    host.deliver(report(&to(&letters, "ada@example.org").from, "bram@example.net").as_bytes());
    assert!(host.letters().is_empty());
    host.deliver(report(&bram.from, "bram@example.net").as_bytes());
    let told = host.letter_to("ada@example.org");
    assert!(told.text.contains("come back") && told.text.contains(&id), "{}", told.text);
}

#[test]
fn the_same_letter_is_taken_once_and_letters_wait_for_a_mail_system_that_refuses() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    let message = host.reply(from(&letter.to), &letter, &entry);
    host.refuse(true);
    let done = host.deliver(&message);
    assert_eq!((done.read, done.sent, done.unsent), (1, 0, 2));
    assert_eq!(host.deliver(&message).read, 0);
    host.refuse(false);
    assert_eq!(host.run().sent, 2);
    assert_eq!(host.letters().len(), 2);
    assert_eq!(host.deliver(&message), Default::default());
    assert_eq!(verify(&host.record(&id)).entries, 1);
}

#[test]
fn a_kill_or_a_failure_at_any_change_loses_and_doubles_nothing() {
    let before = Hosted::plain();
    let (id, letters) = begun(&before, "asalto");
    let (letter, entry) = due(&before, &id, &letters, &mut Stream(3)).expect("a turn");
    let message = before.reply(from(&letter.to), &letter, &entry);
    let files = before.memory.snapshot();
    // What comes of it undisturbed.
    before.deliver(&message);
    let expected = before.record(&id);
    let sent: Vec<Vec<u8>> = before.letters().into_iter().map(|letter| letter.bytes).collect();
    assert_eq!(sent.len(), 2);
    let mut changes = 0;
    for failing in [Failing::Killed, Failing::Full, Failing::Unflushed] {
        for nth in 0.. {
            let host = Hosted::at(Memory::from_snapshot(files.clone()));
            host.memory.fail_after(nth, failing);
            let office = host.office();
            let done = Host::open(&office).and_then(|open| {
                open.take(&message)?;
                open.run(&|_| {})
            });
            drop(office);
            let was_hit = host.memory.recover();
            // The delivery agent brings it again if it was told to, and the next run does the rest.
            if done.is_err() {
                host.deliver(&message);
            }
            host.run();
            assert_eq!(host.record(&id), expected, "{nth}");
            let letters: Vec<Vec<u8>> = host.letters().into_iter().map(|letter| letter.bytes).collect();
            for letter in &sent {
                assert!(letters.contains(letter), "{nth}: a letter is missing");
            }
            // What is sent twice is the same.
            assert!(letters.iter().all(|letter| sent.contains(letter)), "{nth}: another letter");
            if !was_hit {
                changes += nth;
                break;
            }
        }
    }
    assert!(changes > 20, "{changes}");
}

#[test]
fn a_seat_moves_to_a_new_address_once_both_have_said_yes() {
    let host = Hosted::new();
    let (id, letters) = begun(&host, "asalto");
    let ada = to(&letters, "ada@example.org").clone();
    let new = "Ada Quill <ada@new.example>";
    host.deliver(&host.reply(new, &ada, "new address"));
    let asked = host.letters();
    let (old_letter, new_letter) = (to(&asked, "ada@example.org").clone(), to(&asked, "ada@new.example").clone());
    // Nobody knows yet whose the new address is.
    assert!(!old_letter.shows() && !new_letter.shows());
    host.deliver(&host.reply(ADA, &old_letter, &code(&old_letter, "yes, new address ")));
    assert!(host.letter_to("ada@example.org").text.contains("Noted: your seat moves"));
    host.deliver(&host.reply(new, &new_letter, &code(&new_letter, &format!("new address {id} "))));
    let letter = host.letter_to("ada@new.example");
    assert_eq!(id_of(&letter), id);
    assert_ne!(letter.from, ada.from);
    // The old token is worth nothing.
    let defender = letters.iter().find(|one| one.text.contains("It is your turn")).expect("a turn");
    if defender.to == "ada@example.org" {
        host.deliver(&host.reply(ADA, &ada, "place c6 e6"));
        assert_eq!(verify(&host.record(&id)).entries, 0);
        host.deliver(&host.reply(new, &letter, "place c6 e6"));
        assert_eq!(verify(&host.record(&id)).entries, 1);
    }
}
