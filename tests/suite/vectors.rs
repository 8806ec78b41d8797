//! The test vectors in `notation/sealing-vectors.json`, which were computed without this program: an independent
//! verifier that is written from the text and matches them agrees with it.

use data_encoding::{BASE64, HEXLOWER};
use postrider_kernel::{Nonce, Salt, Seal, Seeded};
use postrider_referee::sealing::{PublicKey, SeatProof, Secret, Spot, Statement, begin, decks, receipt_text, seals};
use serde_json::Value;

fn vectors() -> Value {
    let text = std::fs::read_to_string("notation/sealing-vectors.json").expect("the vectors");
    serde_json::from_str(&text).expect("JSON")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is a text"))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("{name} is a list"))
}

fn bytes<const N: usize>(hex: &str) -> [u8; N] {
    HEXLOWER.decode(hex.as_bytes()).expect("hexadecimal digits").try_into().expect("so many bytes")
}

#[test]
fn z30_the_chain_is_as_in_the_vectors() {
    let chain = &vectors()["chain"];
    let digests: Vec<_> =
        list(chain, "digests").iter().map(|digest| digest.as_str().expect("a digest").to_owned()).collect();
    for header in [text(chain, "header").to_owned(), text(chain, "header").replace('\n', "\r\n")] {
        let mut link = begin(&header);
        let mut found = vec![HEXLOWER.encode(&link.digest())];
        for line in list(chain, "lines") {
            link = link.then(line.as_str().expect("a line"));
            found.push(HEXLOWER.encode(&link.digest()));
        }
        assert_eq!(found, digests);
    }
}

#[test]
fn z33_keys_and_signatures_are_judged_as_in_the_vectors() {
    let all = vectors();
    for case in list(&all, "keys") {
        let sound = PublicKey::read(text(case, "key").as_bytes()).is_ok();
        assert_eq!(Some(sound), case["sound"].as_bool(), "{}", text(case, "why"));
    }
    for case in list(&all, "signatures") {
        let key = PublicKey::read(text(case, "key").as_bytes()).expect("a sound key");
        let signature =
            BASE64.decode(text(case, "signature").as_bytes()).expect("base64").try_into().expect("64 bytes");
        let holds = key.verify(text(case, "text").as_bytes(), &signature).is_ok();
        assert_eq!(Some(holds), case["holds"].as_bool(), "{}", text(case, "why"));
    }
}

#[test]
fn z35_a_receipt_is_as_in_the_vectors() {
    let all = vectors();
    let one = &all["receipt"];
    let number = one["number"].as_u64().and_then(|number| u32::try_from(number).ok()).expect("a number");
    let (begin, digest) = (bytes(text(one, "header")), bytes(text(one, "digest")));
    let signed = receipt_text(text(one, "game"), text(one, "side"), number, &begin, &digest);
    assert_eq!(signed, text(one, "text"));
    let key = PublicKey::read(text(one, "key").as_bytes()).expect("a sound key");
    let signature = BASE64.decode(text(one, "signature").as_bytes()).expect("base64").try_into().expect("64 bytes");
    assert_eq!(key.verify(signed.as_bytes(), &signature), Ok(()));
}

#[test]
fn z36_z37_statements_are_judged_as_in_the_vectors() {
    let all = vectors();
    for one in list(&all, "statements") {
        let (line, holds) = (text(one, "line"), one["holds"] == true);
        let found = Statement::find(line);
        assert_eq!(found.len(), usize::from(holds), "{}", text(one, "what"));
        assert!(found.iter().all(|statement| statement.line() == line));
    }
}

#[test]
fn z41_statements_for_a_host_are_judged_as_in_the_vectors() {
    let all = vectors();
    for one in list(&all, "seats") {
        let (line, holds) = (text(one, "line"), one["holds"] == true);
        let found = SeatProof::find(line);
        assert_eq!(found.is_some(), holds, "{}", text(one, "what"));
        assert!(found.iter().all(|proof| proof.line() == line));
    }
}

#[test]
fn z20_to_z22_follow_from_the_secret_as_in_the_vectors() {
    let all = vectors();
    let one = &all["secret"];
    let secret = Secret::read(text(one, "secret")).expect("a secret");
    let (game, side, label) = (text(one, "game"), text(one, "side"), text(one, "label"));
    let spot = Spot { header: bytes(text(one, "header")), before: bytes(text(one, "before")) };
    assert_eq!(secret.commitment(game, side, &spot.header).to_string(), text(one, "commitment"));
    assert_eq!(secret.nonce(game, side, label).to_string(), text(one, "nonce_of_a_label"));
    let nonce = secret.nonce_at(game, side, label, &spot);
    assert_eq!(nonce.to_string(), text(one, "nonce"));
    assert_eq!(seals::seal(game, side, label, text(one, "payload"), &nonce), Seal(bytes(text(one, "seal"))));
    assert_eq!(secret.salt_at(game, side, 0, &spot).to_string(), text(one, "salt"));
    let words: Vec<_> = list(one, "words").iter().map(|word| word.as_u64().expect("a word")).collect();
    let found: Vec<_> = secret.words_at(game, side, &spot).take(words.len()).map(u64::from).collect();
    assert_eq!(found, words);
}

#[test]
fn z8_a_throw_shows_the_faces_of_the_vectors() {
    let all = vectors();
    let throw = &all["throw"];
    let numbers = |name: &str| -> Vec<u32> {
        list(throw, name)
            .iter()
            .map(|one| u32::try_from(one.as_u64().expect("a number")).expect("a small one"))
            .collect()
    };
    let (nonce, salt) = (Nonce(bytes(text(throw, "nonce"))), Salt(bytes(text(throw, "salt"))));
    let faces = seals::throw(text(throw, "game"), text(throw, "label"), &nonce, &salt, &numbers("dice"));
    assert_eq!(faces.to_vec(), numbers("faces"));
}

#[test]
fn z25_z26_z28_a_deck_follows_from_its_seed_as_in_the_vectors() {
    let all = vectors();
    let one = &all["deck"];
    let texts = |name: &str| -> Vec<String> {
        list(one, name).iter().map(|item| item.as_str().expect("a text").to_owned()).collect()
    };
    let secret = Secret::read(text(one, "secret")).expect("a secret");
    let (game, side) = (text(one, "game"), text(one, "side"));
    let number = u32::try_from(one["number"].as_u64().expect("a number")).expect("a small one");
    let spot = |before: &str| Spot { header: bytes(text(one, "header")), before: bytes(text(one, before)) };
    let deck = Seeded { deck: number, generation: 1 };
    let seed = decks::seed(&secret, game, side, deck, Some(&spot("before")));
    assert_eq!(seed.to_string(), text(one, "seed"));
    assert_eq!(decks::seed(&secret, game, side, deck, None).to_string(), text(one, "seed_without_commitment"));
    let second = decks::later(&seed, game, side, 2, Some(&spot("before_the_shuffle")));
    assert_eq!(second.to_string(), text(one, "second_seed"));
    for (seed, generation, cards, order, seals) in
        [(seed, 1, "cards", "order", "seals"), (second, 2, "pile", "second_order", "second_seals")]
    {
        let cards = texts(cards);
        let cards: Vec<&str> = cards.iter().map(String::as_str).collect();
        assert_eq!(decks::order(&seed, game, side, generation, &cards), texts(order));
        let made: Vec<_> = decks::seals(&seed, game, side, generation, &cards).iter().map(Seal::to_string).collect();
        assert_eq!(made, texts(seals));
    }
    let sealed: Vec<_> = texts("seals").iter().map(|seal| Seal(bytes(seal))).collect();
    assert_eq!(decks::root(game, side, deck, &sealed).to_string(), text(one, "root"));
}

#[test]
fn z26_z28_one_of_several_decks_made_of_a_pile_is_as_in_the_vectors() {
    let all = vectors();
    let one = &all["deck_of_a_pile"];
    let number = |name: &str| u32::try_from(one[name].as_u64().expect("a number")).expect("a small one");
    let deck = Seeded { deck: number("number"), generation: number("generation") };
    let secret = Secret::read(text(one, "secret")).expect("a secret");
    let (game, side) = (text(one, "game"), text(one, "side"));
    let spot = Spot { header: bytes(text(one, "header")), before: bytes(text(one, "before")) };
    let seed = decks::seed(&secret, game, side, deck, Some(&spot));
    assert_eq!(seed.to_string(), text(one, "seed"));
    assert_eq!(decks::seed(&secret, game, side, deck, None).to_string(), text(one, "seed_without_commitment"));
    let pile: Vec<&str> = list(one, "pile").iter().map(|item| item.as_str().expect("a text")).collect();
    let sealed = decks::seals(&seed, game, side, deck.generation, &pile);
    let expected: Vec<&str> = list(one, "seals").iter().map(|item| item.as_str().expect("a text")).collect();
    assert_eq!(sealed.iter().map(Seal::to_string).collect::<Vec<_>>(), expected);
    assert_eq!(decks::root(game, side, deck, &sealed).to_string(), text(one, "root"));
}

#[test]
fn z40_a_hosted_game_is_as_in_the_vectors() {
    let all = vectors();
    let hosted = &all["hosted"];
    let texts = |name: &str| -> Vec<String> {
        list(hosted, name).iter().map(|one| one.as_str().expect("a text").to_owned()).collect()
    };
    let (digests, choices, signatures) = (texts("digests"), texts("choices"), texts("signatures"));
    let key = PublicKey::read(text(hosted, "key").as_bytes()).expect("a sound key");
    let mut both = [begin(text(hosted, "header")); 2];
    let game = "assassyn-hosted";
    for (at, line) in texts("lines").iter().enumerate() {
        both = [both[0].then(line), both[1].then_bare(line)];
        let hex = both.map(|link| HEXLOWER.encode(&link.digest()));
        assert_eq!(hex, [digests[at + 1].clone(), choices[at + 1].clone()], "{line}");
        let signed = format!("pbem1|{game}|{}|{}", at + 1, hex[0]);
        let signature = BASE64.decode(signatures[at].as_bytes()).expect("base64").try_into().expect("64 bytes");
        assert!(key.verify(signed.as_bytes(), &signature).is_ok(), "{line}");
    }
    assert_eq!(digests[0], choices[0]);
    let header = bytes(&digests[0]);
    let secret = |side: &str| Secret::read(text(&hosted["secrets"], side)).expect("a secret");
    for side in ["white", "black"] {
        let commitment = secret(side).commitment(game, side, &header);
        assert_eq!(commitment.to_string(), text(&hosted["commitments"], side));
    }
    let before = |what: &str| {
        let entry = hosted[what]["entry"].as_u64().expect("a number") as usize;
        Spot { header, before: bytes(&choices[entry - 1]) }
    };
    let nonce = secret("white").nonce_at(game, "white", "roll.1", &before("nonce"));
    assert_eq!(nonce.to_string(), text(&hosted["nonce"], "nonce"));
    let salt = secret("black").salt_at(game, "black", 0, &before("salt"));
    assert_eq!(salt.to_string(), text(&hosted["salt"], "salt"));
    let words: Vec<u8> =
        secret("black").words_at(game, "black", &before("pick")).take(8).flat_map(u32::to_be_bytes).collect();
    assert_eq!(HEXLOWER.encode(&words), text(&hosted["pick"], "digest"));
    // The whole game is legal, and the program has made it the same way.
    let record: String =
        texts("lines").iter().zip(&signatures).map(|(line, sign)| format!("{line}\n  ~ {sign}\n")).collect();
    let record = format!("---\n{}---\n{record}", text(hosted, "header"));
    assert_eq!(postrider_referee::verdict::verify(record.as_bytes()).ruling, postrider_referee::verdict::Ruling::Legal);
}
