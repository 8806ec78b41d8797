//! Keys of players' own programs: a host begins no game with a key whose owner has not signed for it (Z41), or that is withdrawn (Z36).

use super::people::{Hosted, Letter, id_of, to};
use super::program::{Ada, code_in};
use super::{ADA, ADDRESSES, BRAM};

const BEGIN: &str = "play asalto with bram@example.net as defenders";

/// Whether a game that Ada asks for, in answer to a letter, begins with her key.
fn begins_with_a_key(host: &Hosted, letter: &Letter, key: &str) -> bool {
    host.deliver(&host.reply(ADA, letter, BEGIN));
    let mut letters = host.letters();
    // Before a stranger is invited she is told who sees her address.
    if letters.iter().all(|letter| letter.to == ADDRESSES[0]) {
        host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "yes"));
        letters = host.letters();
    }
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
    let record = host.record(&id_of(&host.letters()[0]));
    String::from_utf8_lossy(&record).contains(key)
}

/// What the host answers to a letter of hers, on one line.
fn answer(host: &Hosted, to_letter: &Letter, text: &str) -> String {
    host.deliver(&host.reply(ADA, to_letter, text));
    to(&host.letters(), ADDRESSES[0]).text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn z41_a_host_begins_no_game_with_a_key_whose_owner_has_not_signed_for_it() {
    let host = Hosted::plain();
    let (ada, victor) = (Ada::new(), Ada::new());
    // The key of somebody else is named easily.
    let asked = host.asked(ADA, &format!("key {}", victor.key()));
    let asked = to(&asked, ADDRESSES[0]).clone();
    assert!(asked.text.contains("Is ") && !asked.text.contains("New games begin with your key"), "{}", asked.text);
    // Another key signs, or the right one for another host, with another code, or a code for another address.
    let code = code_in(&asked);
    let (host_key, digits) = code.split_once(':').expect("two parts");
    let by_ada = ada.session.run(&["key", "prove", &code]).ok();
    let elsewhere = victor.session.run(&["key", "prove", &format!("{}:{digits}", ada.key())]).ok();
    let other = victor.session.run(&["key", "prove", &format!("{host_key}:abcdefgh234567ab")]).ok();
    let of_bram = host.asked(BRAM, &format!("key {}", victor.key()));
    let of_bram = victor.session.run(&["key", "prove", &code_in(to(&of_bram, ADDRESSES[1]))]).ok();
    for line in [by_ada, elsewhere, other, of_bram] {
        let told = answer(&host, &asked, &line);
        assert!(told.contains("That statement is about another key"), "{line}: {told}");
    }
    assert!(!begins_with_a_key(&host, &asked, &victor.key()));
    // The owner's counts, on two lines too.
    let proven = ada.proves(&host);
    assert!(proven.text.contains("New games begin with your key"), "{proven:?}");
    assert!(begins_with_a_key(&host, &proven, &ada.key()));
    for wrong in ["", "abcdefgh234567ab", "x:abcdefgh234567ab", &format!("{host_key}:short")] {
        let done = ada.session.run(&["key", "prove", wrong]);
        assert!(
            done.code == 2 && done.out.is_empty() && done.err.contains("is not a host's code"),
            "{wrong}: {}",
            done.err
        );
    }
}

#[test]
fn z36_a_hosted_game_does_not_begin_with_a_withdrawn_key_and_its_owner_is_told() {
    let host = Hosted::plain();
    let ada = Ada::new();
    let proven = ada.proves(&host);
    let said = ada.session.run(&["key", "revoke", "--now"]).ok();
    let told = answer(&host, &proven, &said);
    assert!(told.contains("is withdrawn: new games begin without a key of yours"), "{told}");
    assert!(!begins_with_a_key(&host, &proven, &ada.key()));
    // Nor is it taken again.
    let again = answer(&host, &proven, &format!("key {}", ada.key()));
    assert!(again.contains("was withdrawn, and is not taken again"), "{again}");
    let refused = ada.session.run(&["key", "prove", &code_in_any(&host)]);
    assert!(refused.code == 2 && refused.err.contains("which was withdrawn"), "{}", refused.err);
}

/// A code that the host gives for some key.
fn code_in_any(host: &Hosted) -> String {
    let asked = host.asked(BRAM, &format!("key {}", Ada::new().key()));
    code_in(to(&asked, ADDRESSES[1]))
}
