//! Strangers: what somebody can cause in another's name is small, seldom, and holds nothing of what he writes; and nobody is invited often.

use super::people::{ADDRESS, Hosted, Letter, flat, to};
use super::{ADA, ADDRESSES, BRAM};

const DAY: i64 = 86_400;
/// The most bytes of a letter to an address of which it is not known whether it has written.
const BRIEF: usize = 2_048;

/// What somebody writes to get words to others.
const BAIT: [&str; 16] = [
    "help",
    "games",
    "rules asalto",
    "rules asalto T21",
    "rules http://evil.example/x",
    "standings",
    "my games",
    "name Win money at http://evil.example/x",
    "key http://evil.example/x",
    "watch http://evil.example/x",
    "play asalto",
    "play asalto with bram@example.net as besiegers clock 5d leave 30d",
    "play asalto as http://evil.example/x",
    "if http://evil.example/x then c4-c5",
    "Win money at http://evil.example/x",
    "yes, new address http://evil.example/x",
];

#[test]
fn what_is_written_in_anothers_name_is_answered_by_little_and_by_none_of_its_words() {
    for words in BAIT {
        let host = Hosted::new();
        let text = "http://evil.example/x is where you win money!\r\n".repeat(20);
        host.deliver(&host.fresh("Win money at evil.example/x <victim@example.net>", words, &text));
        let letters = host.letters();
        assert_eq!(letters.len(), 1, "{words}");
        let letter = &letters[0];
        let all = String::from_utf8_lossy(&letter.bytes);
        assert!(letter.bytes.len() <= BRIEF, "{words}: {} bytes", letter.bytes.len());
        assert!(!all.contains("evil") && !all.contains("win money") && !letter.shows(), "{words}: {all}");
        assert!(flat(&letter.text).contains("no account"), "{words}: {}", letter.text);
        assert!(flat(&letter.text).contains("never write to me again"), "{words}: {}", letter.text);
        // Neither is what the victim is called.
        host.deliver(&host.reply("Vic Tim <victim@example.net>", letter, "help"));
        let answer = host.letter_to("victim@example.net");
        assert!(answer.text.starts_with("Hello Vic Tim,"), "{}", answer.text);
    }
}

#[test]
fn a_mailbox_gets_three_letters_a_day_that_it_may_not_have_asked_for_and_each_once() {
    let host = Hosted::plain();
    for round in 0..3 {
        for nth in 0..12 {
            let from = format!("Vic Tim <Victim+{round}{nth}@example.net>");
            host.deliver(&host.fresh(&from, BAIT[nth % 5], ""));
        }
    }
    assert_eq!(host.letters().len(), 3);
    // Whoever writes something else on another day gets an answer.
    host.later(DAY);
    host.deliver(&host.fresh(BRAM, "help", ""));
    host.deliver(&host.fresh(BRAM, "help", ""));
    host.deliver(&host.fresh(BRAM, "games", ""));
    assert_eq!(host.letters().len(), 2);
    host.later(DAY);
    host.deliver(&host.fresh(BRAM, "help", ""));
    assert_eq!(host.letters().len(), 1);
}

fn invited(letters: &[Letter], start: &str) -> usize {
    letters.iter().filter(|letter| letter.to.starts_with(start) && letter.subject.contains("an invitation")).count()
}

#[test]
fn somebody_is_invited_once_in_thirty_days_and_three_times_in_all_whatever_stands_behind_a_plus() {
    let host = Hosted::plain();
    let askers = ["Ada Quill <ada@example.org>", "Cleo <cleo@example.com>", "Dora <dora@example.com>"];
    let mut found = 0;
    for round in 0..6 {
        for asker in askers {
            for nth in 0..3 {
                let letters = host.asked(asker, &format!("play asalto with victim+{round}{nth}@example.net"));
                found += invited(&letters, "victim");
            }
            host.later(DAY);
        }
        assert_eq!(found, (round + 1).min(3), "{round}");
        host.later(31 * DAY);
    }
    // Whoever answers is one who plays here.
    let host = Hosted::plain();
    let letters = host.asked(ADA, "play asalto with bram@example.net");
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "decline"));
    host.letters();
    assert_eq!(invited(&host.asked("Cleo <cleo@example.com>", "play asalto with bram+2@example.net"), "bram"), 1);
}

#[test]
fn an_invitation_to_a_stranger_shows_who_asks_and_the_asker_is_told_so_first() {
    let host = Hosted::new();
    let named = "=?utf-8?q?Win_money_at_http=3A//evil=2Eexample/x?= <ada@example.org>";
    host.deliver(&host.fresh(named, "play asalto with bram@example.net", ""));
    let question = host.letter_to(ADDRESSES[0]);
    assert!(flat(&question.text).contains("shows your address, ada@example.org"), "{}", question.text);
    host.deliver(&host.reply(named, &question, "yes"));
    let letters = host.letters();
    let invitation = to(&letters, ADDRESSES[1]);
    assert!(invitation.text.contains("ada@example.org"), "{}", invitation.text);
    assert!(!invitation.subject.contains("Win") && !invitation.subject.contains("evil"), "{}", invitation.subject);
    assert!(!invitation.text.contains("http:") && !invitation.text.contains("evil.example"), "{}", invitation.text);
    // Whoever is known to have written is told as well before.
    let host = Hosted::plain();
    let letters = host.asked(ADA, "games");
    host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "play asalto with bram@example.net"));
    let question = host.letter_to(ADDRESSES[0]);
    assert!(flat(&question.text).contains("shows your address, ada@example.org"), "{}", question.text);
    host.deliver(&host.reply(ADA, &question, "yes"));
    let letters = host.letters();
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
    // In the game players see names only.
    for letter in host.letters() {
        assert!(!String::from_utf8_lossy(&letter.bytes).contains(if letter.to == ADDRESSES[0] { BRAM } else { ADA }));
    }
}

#[test]
fn somebody_asks_three_strangers_at_once_five_a_day_and_none_after_five_in_vain() {
    let host = Hosted::plain();
    let ask = |nth: usize| {
        let letters = host.asked(ADA, &format!("play asalto with guest{nth}@site{nth}.example"));
        letters.into_iter().find(|letter| letter.to.starts_with("guest"))
    };
    let mut open: Vec<Letter> = (0..3).map(|nth| ask(nth).expect("an invitation")).collect();
    assert!(ask(3).is_none(), "three are open");
    let decline = |letter: Letter| {
        host.deliver(&host.reply(&format!("Guest <{}>", letter.to), &letter, "decline"));
        host.letters();
    };
    open.drain(..).for_each(decline);
    host.later(DAY);
    for nth in 4..6 {
        decline(ask(nth).expect("an invitation"));
    }
    assert!(ask(6).is_none(), "five in vain");
    host.later(20 * DAY);
    assert!(ask(7).is_none(), "five in vain");
    host.later(11 * DAY);
    let letter = ask(8).expect("an invitation");
    host.deliver(&host.reply(&format!("Guest <{}>", letter.to), &letter, "accept"));
    host.letters();
    // What is taken back leaves room.
    assert!((9..12).all(|nth| ask(nth).is_some()));
    assert!(host.asked(ADA, "withdraw").iter().any(|letter| letter.text.contains("no longer wait")));
    assert!(ask(12).is_some());
    assert!(ask(13).is_none(), "five in a day");
}

#[test]
fn ten_strangers_of_a_domain_are_invited_in_a_day_by_people_whom_nobody_knows() {
    let host = Hosted::plain();
    let mut found = 0;
    for nth in 0..14 {
        let asker = format!("Asker <asker{nth}@site{nth}.example>");
        found += invited(&host.asked(&asker, &format!("play asalto with pupil{nth}@school.example")), "pupil");
    }
    assert_eq!(found, 10);
    host.later(DAY);
    let asker = "Asker <asker@site.example>";
    assert_eq!(invited(&host.asked(asker, "play asalto with pupil99@school.example"), "pupil"), 1);
}

#[test]
fn first_letters_beyond_so_many_wait_for_the_next_day_and_proven_senders_do_not() {
    let host = Hosted::with_lines("authserv-id: mx.example.com\nmail:\n  letter: text\n", "  first-letters-a-day: 3\n");
    for nth in 0..8 {
        host.deliver(&host.fresh(&format!("guest{nth}@example.net"), "help", ""));
    }
    assert_eq!(host.letters().len(), 3);
    let message = String::from_utf8(host.fresh("proven@example.org", "games", "")).expect("text");
    let proven = format!("Authentication-Results: mx.example.com; dmarc=pass header.from=example.org\r\n{message}");
    host.deliver(proven.as_bytes());
    assert_eq!(host.letter_to("proven@example.org").subject, "The games");
    host.later(DAY);
    host.run();
    assert_eq!(host.letters().len(), 3);
    assert_eq!(host.run().sent, 0);
    host.later(DAY);
    host.run();
    assert_eq!(host.letters().len(), 2);
    host.later(DAY);
    assert_eq!(host.run().sent, 0);
}

#[test]
fn a_players_game_in_a_forged_letter_brings_little_and_none_of_its_words() {
    let host = Hosted::new();
    let (id, letters) = super::begun(&host, "asalto");
    let last = to(&letters, ADDRESSES[1]);
    let forged = String::from_utf8(host.reply(BRAM, last, "Win money at http://evil.example/x")).expect("text");
    host.deliver(forged.replace(&last.from, ADDRESS).as_bytes());
    let answer = host.letter_to(ADDRESSES[1]);
    assert!(
        answer.subject.contains(&id) && flat(&answer.text).contains("please reply to this letter"),
        "{}",
        answer.text
    );
    assert!(answer.bytes.len() <= BRIEF && !answer.text.contains("evil"), "{} {}", answer.bytes.len(), answer.text);
    // It is as good as the last one.
    host.deliver(&host.reply(BRAM, &answer, "show"));
    assert_eq!(host.letter_to(ADDRESSES[1]).subject, last.subject);
}

#[test]
fn a_forged_letter_spares_nobody_the_word_on_who_sees_the_address() {
    let host = Hosted::plain();
    let letters = host.asked(ADA, "games");
    // Nobody answers the question that this brings.
    host.deliver(&host.fresh(ADA, "play asalto with cleo@example.com", ""));
    assert!(flat(&host.letter_to(ADDRESSES[0]).text).contains("shows your address, ada@example.org"));
    host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "play asalto with bram@example.net"));
    let question = host.letter_to(ADDRESSES[0]);
    assert!(flat(&question.text).contains("shows your address, ada@example.org"), "{}", question.text);
    host.deliver(&host.reply(ADA, &question, "yes"));
    assert_eq!(invited(&host.letters(), "bram"), 1);
}

/// The names of the notes of people, of their mailboxes and of their tokens.
fn noted(host: &Hosted) -> Vec<String> {
    let paths = host.memory.snapshot().into_iter().map(|(path, _)| path);
    paths.filter(|path| ["/people/", "/mailboxes/", "/tokens/"].iter().any(|part| path.contains(part))).collect()
}

#[test]
fn what_is_noted_of_people_who_never_answer_goes_after_sixty_days_and_of_others_stays() {
    let host = Hosted::plain();
    let letters = host.asked(ADA, "games");
    host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "my games"));
    host.letters();
    let known = noted(&host);
    let day = |first: usize| {
        for nth in first..first + 3 {
            host.deliver(&host.fresh(&format!("guest{nth}@site{nth}.example"), "help", ""));
        }
        host.letters();
        host.later(DAY);
    };
    (0..20).for_each(|nth| day(10 * nth));
    let early: Vec<String> = noted(&host).into_iter().filter(|path| !known.contains(path)).collect();
    assert_eq!(early.len(), 180, "each has three notes");
    (20..60).for_each(|nth| day(10 * nth));
    let now = noted(&host);
    assert!(early.iter().all(|path| now.contains(path)), "within sixty days nothing goes");
    (60..180).for_each(|nth| day(10 * nth));
    let now = noted(&host);
    let left = early.iter().filter(|path| now.contains(path)).count();
    assert_eq!(left, 0, "{left} of {}", early.len());
    assert!(now.len() < 3 * 3 * 100, "{}", now.len());
    assert!(known.iter().all(|path| now.contains(path)));
    // A friend's letter is still known.
    host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "standings"));
    assert_eq!(host.letters().len(), 1);
}

#[test]
fn of_somebody_whose_letter_is_not_answered_nothing_is_noted() {
    let host = Hosted::plain();
    for nth in 0..40 {
        host.deliver(&host.fresh(&format!("Vic Tim <victim+{nth}@example.net>"), BAIT[nth % 5], ""));
    }
    assert_eq!(host.letters().len(), 3);
    assert_eq!(noted(&host).iter().filter(|path| path.contains("/people/")).count(), 3);
}

#[test]
fn what_strangers_may_cause_is_as_the_settings_say() {
    let host = Hosted::with_host(
        "  unproven-answers-a-day: 1\n  open-invitations: 1\n  invitations-a-day: 2\n  invitations-in-vain: 2\n  invitations-to-a-domain-a-day: 1\n",
    );
    for bait in &BAIT[..4] {
        host.deliver(&host.fresh("victim@example.net", bait, ""));
    }
    assert_eq!(host.letters().len(), 1);
    let ask = |nth: usize| host.asked(ADA, &format!("play asalto with guest{nth}@site{nth}.example"));
    let told = |letters: &[Letter], why: &str| {
        let text = flat(&to(letters, ADDRESSES[0]).text);
        assert!(text.contains(why), "{text}");
    };
    let decline = |letters: &[Letter]| {
        let letter = letters.iter().find(|letter| letter.to.starts_with("guest")).expect("an invitation");
        host.deliver(&host.reply(&format!("Guest <{}>", letter.to), letter, "decline"));
        host.letters();
    };
    let first = ask(0);
    told(&ask(1), "as may (1)");
    decline(&first);
    let second = ask(2);
    decline(&second);
    told(&ask(3), "as you may in a day (2)");
    host.later(DAY);
    told(&ask(4), "(2 in a row)");
    let asks = |who: &str, pupil: usize| host.asked(who, &format!("play asalto with pupil{pupil}@school.example"));
    assert_eq!(invited(&asks("Cleo <cleo@example.com>", 1), "pupil"), 1);
    assert_eq!(invited(&asks("Dora <dora@example.com>", 2), "pupil"), 0);
}

#[test]
fn how_often_a_stranger_is_invited_is_as_the_settings_say() {
    let host = Hosted::with_host("  days-between-invitations: 2\n  invitations-in-all: 2\n");
    let asks = |who: &str| invited(&host.asked(who, "play asalto with victim@example.net"), "victim");
    let invitation = host.asked(ADA, "play asalto with victim@example.net");
    let invitation = to(&invitation, "victim@example.net");
    assert!(flat(&invitation.text).contains("nobody here can invite you again for 2 days"), "{}", invitation.text);
    host.later(DAY);
    assert_eq!(asks("Cleo <cleo@example.com>"), 0, "a day after");
    host.later(DAY + 60);
    assert_eq!(asks("Dora <dora@example.com>"), 1, "two days after");
    host.later(90 * DAY);
    let letters = host.asked("Emil <emil@example.com>", "play asalto with victim@example.net");
    assert_eq!(invited(&letters, "victim"), 0, "a third time");
    let told = flat(&to(&letters, "emil@example.com").text);
    assert!(told.contains("within 2 days, more than 2 times without an answer"), "{told}");
}
