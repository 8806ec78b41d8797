//! Somebody is forgotten: nothing of the address is left but what is in records, nothing is owed to it, and the opponent knows.

use super::people::{Hosted, Letter, to};
use super::{ADA, ADDRESSES, BRAM, begun, due, from};
use postrider_home::records::on_desk;
use postrider_host::Host;
use postrider_referee::verdict::verify;
use postrider_testing::random::Stream;

const CLEO: &str = "Cleo Reed <cleo@example.com>";

fn forget(host: &Hosted, address: &str) -> bool {
    let office = host.office();
    Host::open(&office).expect("a host").forget(address, &|_| {}).expect("it is forgotten")
}

/// The files in which something stands of somebody, but for records and for what was read.
pub(super) fn left(host: &Hosted, words: &[&str]) -> Vec<String> {
    let files = host.memory.snapshot().into_iter().filter(|(path, _)| !path.ends_with(".pbem"));
    let holds = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    files.filter(|(path, bytes)| path.contains("/host/") && holds(bytes)).map(|(path, _)| path).collect()
}

/// A game that is over, and each one's last letter.
fn over(host: &Hosted) -> (String, Vec<Letter>) {
    let (id, letters) = begun(host, "asalto");
    let due = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn").clone();
    host.deliver(&host.reply(from(&due.to), &due, "resign"));
    assert!(verify(&host.record(&id)).outcome.is_some());
    (id, host.letters())
}

#[test]
fn nothing_is_owed_to_somebody_who_is_forgotten_and_others_get_their_letters() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    host.refuse(true);
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    assert!(forget(&host, ADDRESSES[1]));
    host.refuse(false);
    host.run();
    let letters = host.letters();
    assert!(!letters.is_empty() && letters.iter().all(|letter| letter.to == ADDRESSES[0]), "{letters:?}");
    assert!(letters.iter().any(|letter| letter.subject == "Your opponent has left"), "{letters:?}");
    assert_eq!(left(&host, &["bram@example.net", "bram post"]), Vec::<String>::new());
    assert_eq!(host.run().unsent, 0);
    // Nothing that is written to nobody is passed on.
    host.later(3600);
    host.deliver(&host.reply(ADA, &letters[0], "message: Are you there?"));
    let letters = host.letters();
    assert!(letters.iter().all(|one| one.to == ADDRESSES[0] && !one.text.contains("was passed on to")), "{letters:?}");
    assert!(letters.iter().any(|one| one.text.contains("was not passed on")), "{letters:?}");
    let record = host.record(&id);
    assert!(on_desk(&record, &id).is_ok() && !forget(&host, ADDRESSES[1]));
}

#[test]
fn the_table_of_those_who_played_names_nobody_who_is_forgotten() {
    let host = Hosted::plain();
    let (_, letters) = over(&host);
    forget(&host, ADDRESSES[1]);
    assert_eq!(left(&host, &["bram@example.net", "bram post"]), Vec::<String>::new());
    host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "standings"));
    let table = host.letter_to(ADDRESSES[0]).text;
    assert!(table.contains("A player") && table.contains("Ada Quill") && !table.contains("Bram"), "{table}");
    // Who comes back is somebody new.
    let letters = host.asked(BRAM, "standings");
    assert_eq!(to(&letters, ADDRESSES[1]).text.matches("1 won").count(), 1);
}

#[test]
fn who_asks_to_be_forgotten_is_once_no_game_goes_on() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let bram = to(&letters, ADDRESSES[1]).clone();
    // Not by whoever writes the address.
    host.deliver(&host.fresh(BRAM, "forget me", ""));
    assert!(host.letter_to(ADDRESSES[1]).subject.contains("Was it you?"));
    host.deliver(&host.reply(BRAM, &bram, "forget me"));
    let told = host.letter_to(ADDRESSES[1]);
    assert!(told.text.contains(&id) && told.text.contains("Nothing is forgotten yet"), "{}", told.text);
    let due = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn").clone();
    host.deliver(&host.reply(from(&due.to), &due, "resign"));
    let letters = host.letters();
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "forget me"));
    assert_eq!(host.letter_to(ADDRESSES[1]).subject, "You are forgotten");
    assert_eq!(left(&host, &["bram@example.net", "bram post"]), Vec::<String>::new());
    // That no letters are wanted is still known.
    host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "never write to me again"));
    host.letters();
    host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "forget me"));
    assert!(host.letters().is_empty());
    assert_eq!(left(&host, &["ada@example.org", "ada quill"]), Vec::<String>::new());
    let told = host.asked(CLEO, "play asalto with ada@example.org");
    assert!(to(&told, "cleo@example.com").text.contains("cannot be invited"), "{told:?}");
}

#[test]
fn the_players_are_told_who_watches() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    host.asked(CLEO, &format!("watch {id}"));
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(2)).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    let letters = host.letters();
    for address in ADDRESSES {
        let text = to(&letters, address).text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("These people watch what everyone may see of this game: Cleo Reed."), "{text}");
        assert!(!text.contains("cleo@example.com"));
    }
}

#[test]
fn a_delivery_report_notes_nothing_of_somebody_who_is_forgotten() {
    let host = Hosted::plain();
    let letters = host.asked(BRAM, "my games");
    let sent_to = &to(&letters, ADDRESSES[1]).from;
    forget(&host, ADDRESSES[1]);
    assert_eq!(left(&host, &["bram@example.net"]), Vec::<String>::new());
    let report = format!(
        "From: MAILER-DAEMON@mx.example.net\r\nTo: {sent_to}\r\nSubject: Undelivered\r\nMessage-ID: <report@mx>\r\n\
         Auto-Submitted: auto-replied\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=xx\r\n\r\n--xx\r\n\r\nIt failed.\r\n\r\n\
         --xx\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.net\r\n\r\n\
         Final-Recipient: rfc822; bram@example.net\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--xx--\r\n"
    );
    host.deliver(report.as_bytes());
    assert_eq!(left(&host, &["bram@example.net"]), Vec::<String>::new());
}

#[test]
fn an_emptied_seat_has_no_zone_and_no_resignation_of_who_sat_there() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(2)).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    let letters = host.letters();
    let waits = to(&letters, &letter.to);
    let other = letters.iter().find(|one| one.to != letter.to).expect("the other");
    let resigned = String::from_utf8(host.reply(from(&waits.to), waits, "resign")).expect("text");
    host.deliver(resigned.replace("+0000", "+0130").as_bytes());
    assert!(host.letter_to(&waits.to).text.contains("Noted: you resign"));
    let note = |host: &Hosted| left(host, &["\"zone\":90"]);
    assert_eq!(note(&host).len(), 1);
    forget(&host, &waits.to);
    assert_eq!(note(&host), Vec::<String>::new());
    let _ = host.letters();
    let (_, entry) = due(&host, &id, std::slice::from_ref(other), &mut Stream(2)).expect("a turn");
    host.deliver(&host.reply(from(&other.to), other, &entry));
    assert_eq!((verify(&host.record(&id)).entries, verify(&host.record(&id)).outcome), (2, None));
}

#[test]
fn a_game_that_goes_on_is_found_however_many_others_somebody_has_looked_at() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let bram = to(&letters, ADDRESSES[1]);
    let people = left(&host, &["bram@example.net"]);
    let path = people.iter().find(|path| path.contains("/people/")).expect("a note of Bram");
    let bytes = host.memory.snapshot().into_iter().find(|(name, _)| name == path).expect("a note").1;
    let mut person: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    person["games"]
        .as_array_mut()
        .expect("games")
        .extend((0..150).map(|nth| format!("asalto-20261121-b{nth:04}").into()));
    let bytes = serde_json::to_vec(&person).expect("JSON");
    host.folders.disk.put_private(std::path::Path::new(path), &bytes).expect("a note");
    host.deliver(&host.reply(BRAM, bram, "forget me"));
    let told = host.letter_to(ADDRESSES[1]);
    assert!(told.text.contains(&id) && told.text.contains("Nothing is forgotten yet"), "{}", told.text);
    // It can be given up, whose turn it is or not.
    assert!(told.text.contains(&format!("resign {id}")), "{}", told.text);
}

/// All files but records in which something stands of somebody.
fn anywhere(host: &Hosted, words: &[&str]) -> Vec<String> {
    let holds = |path: &str, bytes: &[u8]| {
        let mail = postrider_mail::incoming::read(bytes);
        let decoded = mail.text.map(|text| text.text).unwrap_or_default();
        let text = format!("{path}\n{}\n{decoded}", String::from_utf8_lossy(bytes)).to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    let files = host.memory.snapshot().into_iter().filter(|(path, bytes)| holds(path, bytes));
    files.map(|(path, _)| path).filter(|path| !(path.contains("/games/") && path.ends_with(".pbem"))).collect()
}

#[test]
fn nothing_in_the_home_holds_the_address_or_the_words_of_somebody_who_is_forgotten() {
    const WORDS: [&str; 3] = ["bram@example.net", "bram post", "my dog is called rex"];
    let host = Hosted::with_host("  copies: copies\n  first-letters-a-day: 2\n");
    let (id, letters) = begun(&host, "asalto");
    let bram = to(&letters, ADDRESSES[1]);
    let said = "message: My dog is called Rex";
    host.deliver(&host.reply(BRAM, bram, said));
    assert!(to(&host.letters(), ADDRESSES[0]).text.contains("My dog is called Rex"));
    // A letter about a game that cannot be played, what was set aside, and the copies of what was sent.
    let record = host.record(&id);
    host.folders.disk.remove(&super::ailing::file(&host, &id)).expect("removed");
    host.deliver(&host.reply(BRAM, bram, said));
    super::ailing::put(&host, &id, &record);
    let aside = host.folders.host().join("aside");
    host.folders.disk.private_folder(&aside).expect("a folder");
    host.folders.disk.put_private(&aside.join(format!("{id}.pbem")), b"{My dog is called Rex}").expect("a file");
    let parts = |host: &Hosted, words: &[&str]| {
        let found = anywhere(host, words);
        ["/held/", "/aside/", "copies/", "/people/", "/log.jsonl"]
            .map(|part| found.iter().any(|path| path.contains(part)))
    };
    assert_eq!(parts(&host, &WORDS), [true; 5], "{:?}", anywhere(&host, &WORDS));
    assert!(forget(&host, ADDRESSES[1]));
    assert_eq!(anywhere(&host, &WORDS[..1]), Vec::<String>::new());
    assert_eq!(anywhere(&host, &WORDS[2..]), Vec::<String>::new());
    host.run();
    host.letters();
    // The opponent's letter with the record names who played.
    let named = anywhere(&host, &WORDS);
    assert!(named.iter().all(|path| path.contains("copies/")), "{named:?}");
    // Somebody whose letter waits until others have got their first letters.
    let dora = ["dora@example.com", "my cat is called mo"];
    host.deliver(&host.fresh("Dora <dora@example.com>", "help", "My cat is called Mo"));
    assert!(host.letters().is_empty());
    assert!(anywhere(&host, &dora).iter().any(|path| path.contains("/later/")), "{:?}", anywhere(&host, &dora));
    forget(&host, dora[0]);
    assert_eq!(anywhere(&host, &dora), Vec::<String>::new());
    host.later(2 * 86_400);
    host.run();
    assert!(host.letters().is_empty());
}

#[test]
fn of_the_last_letter_to_somebody_who_asks_to_be_forgotten_no_copy_is_kept() {
    let host = Hosted::with_host("  copies: copies\n");
    let letters = host.asked(BRAM, "games");
    assert!(!anywhere(&host, &["bram@example.net"]).is_empty());
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "forget me"));
    assert_eq!(host.letter_to(ADDRESSES[1]).subject, "You are forgotten");
    assert_eq!(anywhere(&host, &["bram@example.net", "bram post"]), Vec::<String>::new());
}
