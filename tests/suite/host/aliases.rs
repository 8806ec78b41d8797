//! Players who answer from another address than their seat's: an alias, an address at work, a program that names somebody else as the one
//! who sent it. Nothing is entered for whoever may be somebody else, and it is said what can be done.

use postrider_referee::verdict::verify;

use super::people::{Hosted, Letter, flat, to};
use super::{ADA, ADDRESSES, BRAM};

const ALIAS: &str = "Ada Quill <ada+chess@example.org>";
const WORK: &str = "A. Quill <quill@work.example>";

/// A message with a further line in its head.
fn with_line(message: &[u8], line: &str) -> Vec<u8> {
    let text = String::from_utf8(message.to_vec()).expect("text");
    text.replacen("\r\nTo: ", &format!("\r\n{line}\r\nTo: "), 1).into_bytes()
}

/// A game in which it is the turn of Ada: its id, and her letter.
fn adas_turn(host: &Hosted) -> (String, Letter) {
    let letters = host.asked(ADA, "play asalto with bram@example.net as defenders");
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
    let letters = host.letters();
    (super::people::id_of(&letters[0]), to(&letters, ADDRESSES[0]).clone())
}

#[test]
fn a_move_from_another_address_is_not_entered_and_it_is_said_how_it_can_be() {
    for (from, address) in [(ALIAS, "ada+chess@example.org"), (WORK, "quill@work.example")] {
        let host = Hosted::plain();
        let (id, letter) = adas_turn(&host);
        host.deliver(&host.reply(from, &letter, "place c6 e6"));
        let told = host.letter_to(address);
        let said = flat(&told.text);
        assert!(said.contains("once more from that address") && said.contains("with the words: new address"), "{said}");
        // Whoever got a forwarded letter does not learn from the host whose it was.
        assert!(!told.text.contains(ADDRESSES[0]), "{}", told.text);
        assert_eq!(verify(&host.record(&id)).entries, 0);
        // What it says is so.
        host.deliver(&host.reply(from, &letter, "new address"));
        let letters = host.letters();
        let yes = super::seats::code(to(&letters, ADDRESSES[0]), "yes, new address ");
        let here = super::seats::code(to(&letters, address), "new address ");
        host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), &yes));
        host.deliver(&host.reply(from, to(&letters, address), &here));
        let moved = to(&host.letters(), address).clone();
        host.deliver(&host.reply(from, &moved, "place c6 e6"));
        assert_eq!(host.letters().len(), 2);
        assert_eq!(verify(&host.record(&id)).entries, 1);
    }
}

#[test]
fn a_move_in_a_letter_that_answers_none_is_told_where_to_write_it() {
    for from in [ALIAS, WORK] {
        let host = Hosted::plain();
        let (id, _) = adas_turn(&host);
        host.deliver(&host.fresh(from, &format!("Re: [pbem] {id} #0"), "place c6 e6"));
        let [told] = &host.letters()[..] else { panic!("one letter") };
        let said = flat(&told.text);
        assert!(said.contains("no game is played from this address"), "{said}");
        assert!(said.contains("reply from there to the last letter of the game"), "{said}");
        assert!(told.text.len() <= 2_048 && !said.contains("place c6 e6"), "{said}");
        assert_eq!(verify(&host.record(&id)).entries, 0);
    }
}

#[test]
fn a_move_in_a_fresh_letter_of_a_player_belongs_to_the_last_letter_of_its_game() {
    let host = Hosted::plain();
    let (id, _) = adas_turn(&host);
    host.deliver(&host.fresh(ADA, "my move", "place c6 e6"));
    let said = flat(&host.letter_to(ADDRESSES[0]).text);
    assert!(said.contains("reply with it to the last letter of the game that you mean"), "{said}");
    assert_eq!(verify(&host.record(&id)).entries, 0);
}

#[test]
fn who_hands_a_letter_to_the_mail_system_does_not_count() {
    let host = Hosted::plain();
    let (id, letter) = adas_turn(&host);
    let message = host.reply(ADA, &letter, "place c6 e6");
    for line in
        ["Sender: Office <office@work.example>", "Reply-To: quill@work.example", "Resent-From: quill@work.example"]
    {
        let other = Hosted::at(postrider_disk::disk::Memory::from_snapshot(host.memory.snapshot()));
        other.deliver(&with_line(&message, line));
        let letters = other.letters();
        assert_eq!(letters.len(), 2, "{line}");
        assert_eq!(to(&letters, ADDRESSES[0]).to, ADDRESSES[0]);
        assert_eq!(verify(&other.record(&id)).entries, 1, "{line}");
    }
    // The other way round, the address of the seat proves nothing.
    let message = host.reply(WORK, &letter, "place c6 e6");
    host.deliver(&with_line(&message, &format!("Sender: {ADA}")));
    assert_eq!(verify(&host.record(&id)).entries, 0);
}
