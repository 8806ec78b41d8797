//! Letters to a host that arrive damaged: what is whole in them is taken, what was typed is asked back. And one person at both forms of an
//! address.

use postrider_referee::verdict::verify;

use super::people::{Hosted, Letter, to};
use super::{ADA, ADDRESSES, BRAM, begun, due, from};
use postrider_testing::random::Stream;

/// The letter with its text as a part of a message whose end is missing.
fn damaged(letter: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(letter.to_vec()).expect("text");
    let (head, body) = text.split_once("\r\n\r\n").expect("a body");
    let head = head.replace("Content-Type: text/plain; charset=utf-8", "Content-Type: multipart/mixed; boundary=bb");
    let message = format!("{head}\r\n\r\n--bb\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n");
    assert!(postrider_mail::incoming::read(message.as_bytes()).fault.is_some());
    message.into_bytes()
}

fn turn(host: &Hosted) -> (String, Letter, String) {
    let (id, letters) = begun(host, "asalto");
    let (letter, entry) = due(host, &id, &letters, &mut Stream(3)).expect("a turn");
    (id, letter, entry)
}

#[test]
fn words_in_a_damaged_letter_are_asked_back_and_never_entered() {
    let host = Hosted::plain();
    let (id, letter, entry) = turn(&host);
    let before = host.record(&id);
    for words in [&entry, "resign", "draw?", "claim time", "I shall be away next week.", "not yet"] {
        host.deliver(&damaged(&host.reply(from(&letter.to), &letter, words)));
        let back = host.letter_to(&letter.to);
        assert_eq!(host.record(&id), before, "{words}");
        if words != "not yet" {
            assert!(back.text.contains("arrived damaged"), "{words}: {}", back.text);
            assert!(back.text.contains(words), "{words}: {}", back.text);
        }
    }
    // So is a claim of time.
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    assert_eq!(verify(&host.record(&id)).entries, 1);
    let mine = to(&host.letters(), &letter.to).clone();
    host.later(5 * 86_400 + 60);
    host.deliver(&damaged(&host.reply(from(&letter.to), &mine, "claim time")));
    let letters = host.letters();
    let back = letters.iter().filter(|one| one.to == letter.to).map(|one| one.text.as_str()).collect::<String>();
    assert!(back.contains("arrived damaged") && verify(&host.record(&id)).outcome.is_none(), "{back}");
    // A move that stands in it can be entered by a tap.
    let host = Hosted::new();
    let (id, letter, entry) = turn(&host);
    host.deliver(&damaged(&host.reply(from(&letter.to), &letter, &entry)));
    let back = host.letter_to(&letter.to);
    host.deliver(&host.tap(from(&letter.to), &back, &entry));
    assert_eq!(verify(&host.record(&id)).entries, 1, "{}", back.text);
}

#[test]
fn an_answer_to_an_invitation_in_a_damaged_letter_is_asked_for_once_more() {
    let host = Hosted::new();
    let letters = host.asked(ADA, "play asalto with bram@example.net");
    let invitation = to(&letters, ADDRESSES[1]).clone();
    for words in ["accept", "decline", "no", "never"] {
        host.deliver(&damaged(&host.reply(BRAM, &invitation, words)));
        let back = host.letter_to(ADDRESSES[1]);
        assert!(back.text.contains("invites you"), "{words}: {}", back.text);
    }
    // A command in its subject is no better.
    let tapped = String::from_utf8(host.tap(BRAM, &invitation, "accept")).expect("text");
    let subject = tapped.lines().find(|line| line.starts_with("Subject: ")).expect("a subject");
    host.deliver(&damaged(tapped.replace(subject, "Subject: decline").as_bytes()));
    assert!(host.letter_to(ADDRESSES[1]).text.contains("invites you"));
    host.deliver(&host.reply(BRAM, &invitation, "accept"));
    assert_eq!(host.letters().len(), 2);
}

#[test]
fn both_forms_of_a_domain_are_one_person() {
    let host = Hosted::plain();
    let (unicode, ascii) = ("ada@ex\u{e4}mple.org", "ada@xn--exmple-cua.org");
    let as_unicode = format!("Ada Quill <{unicode}>");
    let as_ascii = format!("Ada Quill <{ascii}>");
    let letters = host.asked(&as_ascii, "play asalto with bram@example.net");
    let invitation = to(&letters, ADDRESSES[1]).clone();
    host.deliver(&host.reply(BRAM, &invitation, "accept"));
    let people = || host.memory.snapshot().into_iter().filter(|(path, _)| path.contains("host/people/")).count();
    let letters = host.letters();
    assert_eq!((letters.len(), people()), (2, 2), "{letters:?}");
    // She writes from the other form from now on.
    let hers = letters.iter().find(|letter| letter.to != ADDRESSES[1]).expect("hers").clone();
    host.deliver(&host.reply(&as_unicode, &hers, "show"));
    let shown = host.letters();
    assert_eq!((shown.len(), people()), (1, 2), "{shown:?}");
    host.deliver(&host.reply(&as_unicode, &hers, "never write to me again"));
    assert_eq!(people(), 2);
    let _ = host.letters();
    // What she wants holds for both.
    host.deliver(&host.fresh("Cleo <cleo@example.com>", &format!("play asalto with {ascii}"), ""));
    let question = host.letter_to("cleo@example.com");
    host.deliver(&host.reply("Cleo <cleo@example.com>", &question, "yes"));
    let letters = host.letters();
    let others = letters.iter().filter(|letter| letter.to != "cleo@example.com").map(|letter| &letter.subject);
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// The name of a person's file as it was made of an address in one form alone.
fn older_name(host: &Hosted, address: &str) -> String {
    use hmac::{KeyInit as _, Mac as _};
    let text = host.folders.disk.read(&host.folders.host().join("secret"), 1024).expect("a key");
    let key = data_encoding::HEXLOWER.decode(text.trim_ascii()).unwrap_or_else(|_| text.clone());
    let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(&key).expect("a key");
    for part in ["person", address] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part.as_bytes());
    }
    data_encoding::BASE32_NOPAD.encode(&mac.finalize().into_bytes()[..20]).to_ascii_lowercase()
}

#[test]
fn a_person_whom_an_older_home_noted_by_the_other_form_is_not_lost() {
    let host = Hosted::plain();
    let (unicode, ascii) = ("ada@ex\u{e4}mple.org", "ada@xn--exmple-cua.org");
    let as_unicode = format!("Ada Quill <{unicode}>");
    host.deliver(&host.fresh(&as_unicode, "name Ada the First", ""));
    let question = host.letter_to(ascii);
    host.deliver(&host.reply(&as_unicode, &question, "yes"));
    let _ = host.letters();
    let file = |address: &str| {
        let name = older_name(&host, address);
        host.folders.host().join("people").join(&name[..2]).join(name)
    };
    let (present, older) = (file(ascii), file(unicode));
    let disk = &host.folders.disk;
    let note = disk.read(&present, 1 << 16).expect("it is noted by the form that mail systems write");
    assert!(String::from_utf8_lossy(&note).contains("Ada the First"));
    // As an older home has it.
    disk.private_folder(older.parent().expect("a folder")).expect("a folder");
    disk.put_private(&older, &note).expect("a note");
    disk.remove(&present).expect("it is removed");
    for form in [ascii, unicode] {
        host.deliver(&host.fresh(&format!("Ada <{form}>"), "help", ""));
        let note = disk.read(&present, 1 << 16).expect("it is noted anew");
        assert!(String::from_utf8_lossy(&note).contains("Ada the First"), "{form}");
        assert!(!disk.has(&older).expect("a disk"));
        // What was noted twice, and wants no letters under one of the two names, gets none.
        let never = String::from_utf8_lossy(&note).replace("\"never\":false", "\"never\":true");
        disk.put_private(&older, never.as_bytes()).expect("a note");
        let _ = host.letters();
        host.deliver(&host.fresh(&format!("Ada <{form}>"), "help", ""));
        assert!(host.letters().is_empty(), "{form}");
        disk.put_private(&older, &note).expect("a note");
        disk.remove(&present).expect("it is removed");
    }
}
