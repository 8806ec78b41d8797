//! Seats that move, and addresses to which nothing more is to be written: nobody else decides about either.

use postrider_disk::disk::Memory;
use postrider_referee::verdict::verify;

use super::people::{ADDRESS, Hosted, Letter, id_of, to};
use super::{ADA, ADDRESSES, BRAM, begun, due, from};
use postrider_testing::random::Stream;

pub(super) const NEW: &str = "Ada Quill <ada@new.example>";
const EVE: &str = "Eve <eve@example.com>";

/// The line that confirms a move in a letter.
pub(super) fn code(letter: &Letter, beginning: &str) -> String {
    let line = letter.text.lines().map(str::trim).find(|line| line.starts_with(beginning));
    line.unwrap_or_else(|| panic!("no {beginning}: {}", letter.text)).to_owned()
}

#[test]
fn a_confirmation_moves_a_seat_to_the_address_that_it_names_and_to_no_other() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let ada = to(&letters, ADDRESSES[0]).clone();
    // Ada asks from her new address, and somebody who has her token asks too.
    host.deliver(&host.reply(NEW, &ada, "new address"));
    let first = host.letters();
    host.deliver(&host.reply(EVE, &ada, "new address"));
    let second = host.letters();
    let yes = code(to(&first, ADDRESSES[0]), "yes, new address ");
    let here = code(to(&second, "eve@example.com"), "new address ");
    // Eve says yes, guesses, and uses the code of another letter; Ada says yes to the first letter.
    host.deliver(&host.reply(EVE, to(&second, "eve@example.com"), &here));
    for guess in [yes.clone(), code(to(&first, "ada@new.example"), "new address "), format!("new address {id}")] {
        host.deliver(&host.reply(EVE, to(&second, "eve@example.com"), &guess));
    }
    // In Ada's name, with her token, and with all that Eve was written.
    let forged = here.replace(&format!("new address {id} "), "yes, new address ");
    for words in ["new address", "yes, new address", &forged, &here] {
        host.deliver(&host.reply(ADA, &ada, words));
        assert!(
            host.letters().iter().all(|letter| letter.to != "eve@example.com" || !letter.subject.contains("[pbem]"))
        );
    }
    host.deliver(&host.reply(ADA, to(&first, ADDRESSES[0]), &yes));
    assert!(host.letters().iter().all(|letter| letter.to == ADDRESSES[0]));
    host.deliver(&host.reply(NEW, to(&first, "ada@new.example"), &code(to(&first, "ada@new.example"), "new address ")));
    let moved = host.letter_to("ada@new.example");
    assert_eq!(id_of(&moved), id);
    // What was open is void with the token, and so is the token.
    let old = code(to(&second, ADDRESSES[0]), "yes, new address ");
    host.deliver(&host.reply(ADA, &ada, &old));
    host.deliver(&host.reply(EVE, to(&second, "eve@example.com"), &here));
    assert!(host.letters().iter().all(|letter| !letter.subject.contains("[pbem]")));
    host.deliver(&host.reply(NEW, &moved, "show"));
    assert_eq!(id_of(&host.letter_to("ada@new.example")), id);
}

#[test]
fn a_seat_does_not_move_before_the_game_begins_or_after_it_was_declined_and_later_runs_go_on() {
    for declined in [false, true] {
        let host = Hosted::plain();
        let letters = host.asked(ADA, "play asalto with bram@example.net");
        let invitation = to(&letters, ADDRESSES[1]).clone();
        if declined {
            host.deliver(&host.reply(BRAM, &invitation, "decline"));
            host.letters();
        }
        for (who, words) in [
            ("Bram <bram@new.example>", "new address"),
            (BRAM, "new address"),
            (BRAM, "yes, new address"),
            (BRAM, "yes, new address abcdefghijklmnop"),
            (BRAM, "new address asalto-20261126-abcdefgh abcdefghijklmnop"),
        ] {
            let done = host.deliver(&host.reply(who, &invitation, words));
            assert_eq!((done.read, done.stuck), (1, 0), "{words}");
        }
        host.letters();
        assert_eq!((host.run().stuck, host.run().read), (0, 0));
        if !declined {
            host.deliver(&host.reply(BRAM, &invitation, "accept"));
            let letters = host.letters();
            assert!(to(&letters, ADDRESSES[1]).text.contains("your game of Asalto"), "{letters:?}");
        }
    }
}

#[test]
fn a_forged_wish_for_no_letters_ends_by_itself_or_by_one_confirmation() {
    let host = Hosted::plain();
    // Nobody has heard from Bram yet.
    host.deliver(&host.fresh(BRAM, "never write to me again", ""));
    assert!(host.letters().is_empty());
    let files = host.memory.snapshot();
    let asks = |host: &Hosted| {
        host.deliver(&host.fresh(BRAM, "play asalto", ""));
        host.letters()
    };
    // He says himself that it was not he, and is asked once.
    let question = asks(&host);
    assert_eq!(question.len(), 1, "{question:?}");
    assert!(asks(&host).is_empty());
    host.deliver(&host.reply(BRAM, &question[0], "write to me again"));
    assert!(host.letter_to(ADDRESSES[1]).text.contains("You get letters again"));
    host.later(86_400);
    assert_eq!(asks(&host).len(), 1);
    // Or he waits.
    let later = Hosted::at(Memory::from_snapshot(files.clone()));
    assert!(later.asked_of_bram().text.contains("cannot be invited"));
    later.later(91 * 86_400);
    assert_eq!(asks(&later).len(), 1);
    // Or his mail system shows who writes.
    let proven = Hosted::at(Memory::from_snapshot(files));
    let settings = proven.folders.settings_file();
    let text = String::from_utf8(proven.folders.disk.read(&settings, 1 << 20).expect("settings")).expect("text");
    let text = format!("{text}authserv-id: mx.example.com\n");
    proven.folders.disk.put_private(&settings, text.as_bytes()).expect("settings");
    let message = String::from_utf8(proven.fresh(BRAM, "my games", "Thank you.")).expect("text");
    proven.deliver(
        format!("Authentication-Results: mx.example.com; dmarc=pass header.from=example.net\r\n{message}").as_bytes(),
    );
    assert_eq!(proven.letter_to(ADDRESSES[1]).subject, "Your games");
}

impl Hosted {
    /// What Ada is told who invites Bram.
    fn asked_of_bram(&self) -> Letter {
        let letters = self.asked(ADA, "play asalto with bram@example.net");
        to(&letters, ADDRESSES[0]).clone()
    }
}

#[test]
fn a_wish_that_is_proven_holds_says_what_goes_on_and_ends_with_the_letter_that_is_due() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    let (who, other) = (from(&letter.to), letters.iter().find(|one| one.to != letter.to).expect("the other").clone());
    let files = host.memory.snapshot();
    let said_never = || {
        let host = Hosted::at(Memory::from_snapshot(files.clone()));
        host.deliver(&host.reply(who, &letter, "never write to me again"));
        let told = host.letters();
        let last = to(&told, &letter.to).clone();
        assert!(last.text.contains(&id) && last.text.contains("clocks run"), "{}", last.text);
        assert!(last.text.contains(&format!("resign {id}")) && last.text.contains("write to me again"));
        assert!(to(&told, &other.to).text.contains("wants no more letters"));
        host.later(100 * 60);
        host.deliver(&host.fresh(who, "help", ""));
        assert!(host.letters().is_empty());
        (host, last)
    };
    // In the game.
    let (again, _) = said_never();
    again.deliver(&again.reply(who, &letter, "write to me again"));
    assert_eq!(id_of(&again.letter_to(&letter.to)), id);
    // By the last letter.
    let (again, last) = said_never();
    again.deliver(&again.reply(who, &last, "write to me again"));
    let letters = again.letters();
    assert!(letters.iter().any(|letter| letter.subject.contains(&format!("[pbem] {id}"))), "{letters:?}");
    assert!(letters.iter().all(|one| one.to == letter.to));
    // A move is entered all the same, and only the opponent hears of it.
    let (moved, _) = said_never();
    moved.deliver(&moved.reply(who, &letter, &entry));
    assert_eq!(verify(&moved.record(&id)).entries, 1);
    assert!(moved.letters().iter().all(|one| one.to == other.to));
    // The game is given up.
    let (given, last) = said_never();
    given.deliver(&given.reply(who, &last, &format!("resign {id}")));
    let told = given.letters();
    assert!(verify(&given.record(&id)).outcome.is_some(), "{told:?}");
    // Nobody gives it up for somebody else.
    let (kept, last) = said_never();
    for message in [
        kept.reply(from(&other.to), &last, &format!("resign {id}")),
        kept.fresh(who, &format!("resign {id}"), ""),
        kept.fresh("Eve <eve@example.com>", &format!("resign {id}"), ""),
    ] {
        kept.deliver(&message);
    }
    let forged = String::from_utf8(kept.reply(who, &last, &format!("resign {id}"))).expect("text");
    kept.deliver(forged.replace(&last.from, ADDRESS).as_bytes());
    assert!(verify(&kept.record(&id)).outcome.is_none());
}

#[test]
fn who_tells_the_opponent_to_write_no_more_of_something_still_gets_letters() {
    let host = Hosted::plain();
    let (_, letters) = super::begun(&host, "asalto");
    let due = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn").clone();
    host.deliver(&host.reply(from(&due.to), &due, "Please never write to me again such long letters!"));
    let letters = host.letters();
    assert!(to(&letters, &due.to).text.contains("was passed on"), "{letters:?}");
    host.deliver(&host.reply(from(&due.to), &due, "Never write to me again, thank you."));
    let letters = host.letters();
    assert_eq!(to(&letters, &due.to).subject, "The last letter");
}
