//! A host whose mail system has no `+` addresses: the token stands in the subject of each letter, and of each reply.

use postrider_referee::verdict::{Ruling, verify};

use super::people::{ADDRESS, Hosted, Letter, to};
use super::{ADA, ADDRESSES, begun, due, from};
use postrider_testing::random::Stream;

/// The word of a subject that is a token.
fn token(subject: &str) -> &str {
    subject.split_whitespace().find(|word| word.starts_with('+')).unwrap_or_else(|| panic!("no token: {subject}"))
}

/// A reply with another subject.
fn under(reply: Vec<u8>, letter: &Letter, subject: &str) -> Vec<u8> {
    let (reply, line) = (String::from_utf8(reply).expect("text"), format!("Subject: Re: {}\r\n", letter.subject));
    assert!(reply.contains(&line), "{reply}");
    reply.replace(&line, &format!("Subject: {subject}\r\n")).into_bytes()
}

#[test]
fn a_game_is_played_to_its_end_with_the_token_in_the_subject_by_replies_and_taps() {
    let host = Hosted::without_plus();
    let (id, mut letters) = begun(&host, "asalto");
    let mut stream = Stream(3);
    let (mut entries, mut tapped) = (0, 0);
    while let Some((letter, entry)) = due(&host, &id, &letters, &mut stream) {
        assert_eq!(letter.from, ADDRESS);
        host.later(3600);
        entries += 1;
        let text = if entries > 8 { "resign".to_owned() } else { entry };
        let by_tap = letter.taps().iter().any(|(_, _, body)| *body == text) && entries % 2 == 0;
        tapped += u32::from(by_tap);
        let message = match by_tap {
            true => host.tap(from(&letter.to), &letter, &text),
            false => host.reply(from(&letter.to), &letter, &text),
        };
        host.deliver(&message);
        letters = host.letters();
        assert_eq!(verify(&host.record(&id)).entries, entries, "{text}: {letters:?}");
        // Each player's letters have the own token in the subject and in each tap.
        let mine = ADDRESSES.map(|address| token(&to(&letters, address).subject).to_owned());
        assert_ne!(mine[0], mine[1]);
        for (address, mine) in ADDRESSES.iter().zip(&mine) {
            for (to, subject, _) in to(&letters, address).taps() {
                assert!(to == ADDRESS && token(&subject) == mine, "{to} {subject}");
            }
        }
    }
    assert!(tapped > 0);
    let verdict = verify(&host.record(&id));
    assert!(verdict.ruling == Ruling::Legal && verdict.outcome.is_some());
    for letter in &letters {
        assert!(letter.text.contains("The game is over"), "{}", letter.text);
    }
}

#[test]
fn without_its_token_in_the_subject_a_move_is_not_taken_and_a_token_is_worth_one_side_and_one_address() {
    let host = Hosted::without_plus();
    let (id, letters) = begun(&host, "asalto");
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
    let other = letters.iter().find(|one| one.to != letter.to).expect("the other");
    let mine = from(&letter.to);
    let bare = letter.subject.replace(token(&letter.subject), "");
    let theirs = letter.subject.replace(token(&letter.subject), token(&other.subject));
    let forged = [
        under(host.reply(mine, &letter, &entry), &letter, &format!("Re: {}", bare.trim())),
        under(host.reply(mine, &letter, &entry), &letter, &format!("Re: {theirs}")),
        host.reply("Eve <eve@example.com>", &letter, &entry),
    ];
    for message in &forged {
        host.deliver(message);
        assert_eq!(verify(&host.record(&id)).entries, 0, "{}", String::from_utf8_lossy(message));
    }
    // Somebody's own words around it, and capitals, do no harm.
    host.letters();
    let around = format!("AW: my move {} (was: something else)", token(&letter.subject).to_uppercase());
    host.deliver(&under(host.reply(mine, &letter, &entry), &letter, &around));
    assert_eq!(verify(&host.record(&id)).entries, 1, "{:?}", host.letters());
}

#[test]
fn no_program_plays_where_a_reply_is_recognised_by_its_subject() {
    let host = Hosted::without_plus();
    let told = host.asked(ADA, "key NMDElZdjv3Mcg3MPNgLPU34llo6cnKIcB68H2hmLC2E=");
    let letter = to(&told, ADDRESSES[0]);
    assert!(letter.text.contains("you cannot play here with a program of your own"), "{}", letter.text);
    let (id, _) = begun(&host, "asalto");
    let record = String::from_utf8(host.record(&id)).expect("text");
    assert_eq!(record.matches(" key: ").count(), 1, "only the host's: {record}");
}
