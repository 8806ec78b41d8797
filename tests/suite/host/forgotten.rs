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
        assert!(text.contains("This game is watched, as far as all may see it, by Cleo Reed."), "{text}");
        assert!(!text.contains("cleo@example.com"));
    }
}
