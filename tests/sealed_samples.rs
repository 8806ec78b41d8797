//! Sealed records and worked test vectors: every position, every throw, every seal.

use std::fs;
use std::path::PathBuf;

use postrider::games::kernel::{Nonce, Salt};
use postrider::record::Item;
use postrider::sealing::{Secret, recall, seals};
use postrider::verdict::{Opened, Ruling, format, verify};
use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/assassyn/sealed")
}

fn json(path: PathBuf) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a readable file")).expect("JSON")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("a text `{name}`"))
}

fn bytes(hex: &str) -> [u8; 16] {
    data_encoding::HEXLOWER.decode(hex.as_bytes()).expect("hexadecimal").try_into().expect("16 bytes")
}

fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().expect("a list").iter().map(|one| one.as_u64().expect("a number") as u32).collect()
}

#[test]
fn z1_z2_z8_the_vectors_are_reproduced_step_by_step() {
    let vectors = json(folder().join("vectors.json"));
    for vector in vectors.as_array().expect("a list") {
        let name = text(vector, "name");
        let secret = Secret::read(text(vector, "secret")).expect("a secret");
        let (game, side, label) = (text(vector, "game_id"), text(vector, "side"), text(vector, "label"));
        let nonce = secret.nonce(game, side, label);
        assert_eq!(nonce.to_string(), text(vector, "nonce"), "{name}");
        let payload = text(vector, "payload");
        assert_eq!(seals::seal_text(game, side, label, payload, &nonce), text(vector, "seal_text"), "{name}");
        assert_eq!(seals::seal(game, side, label, payload, &nonce).to_string(), text(vector, "seal"), "{name}");
        let salt = Salt(bytes(text(vector, "salt")));
        for count in 0..2 {
            let field = format!("stream_text_{count}");
            assert_eq!(seals::dice_text(game, label, &nonce, &salt, count), text(vector, &field), "{name}");
        }
        let words: Vec<_> = seals::words(game, label, &nonce, &salt).take(16).map(|(_, word)| word).collect();
        assert_eq!(words, numbers(&vector["words"]), "{name}");
        for sides in [10, 12, 20] {
            let die = format!("d{sides}");
            let rejected: Vec<_> = (0..16).filter(|at| seals::face(words[*at as usize], sides).is_none()).collect();
            assert_eq!(rejected, numbers(&vector["rejects"][&die]), "{name} {die}");
            let faces = seals::throw(game, label, &nonce, &salt, &[sides; 12]);
            assert_eq!(faces.to_vec(), numbers(&vector["faces"][&die]), "{name} {die}");
        }
        for mixed in vector["mixed"].as_array().expect("a list") {
            let faces = seals::throw(game, label, &nonce, &salt, &numbers(&mixed["dice"]));
            assert_eq!(faces.to_vec(), numbers(&mixed["faces"]), "{name}");
        }
    }
}

#[test]
fn sealed_records_are_legal_pass_through_the_positions_and_throw_the_dice() {
    let secrets = json(folder().join("secrets.json"));
    for (name, own) in secrets.as_object().expect("an object") {
        let path = folder().join(name);
        let source = fs::read(&path).expect("a record");
        let verdict = verify(&source);
        assert_eq!(verdict.ruling, Ruling::Legal, "{name}: {:?}", verdict.errors);
        let mut opened = Opened::new(&source).expect("a legal record");
        let mut body = opened.body();
        let mut positions = String::new();
        while let Some(item) = body.next_item() {
            if let Item::Entry(entry) = item {
                opened.table.enter(opened.text, &entry).expect("a legal entry");
                let played = opened.table.standing().entries;
                positions.push_str(&format!("{played}\t{}\n", opened.table.position()));
            }
        }
        let expected = fs::read_to_string(path.with_extension("positions")).expect("positions");
        assert_eq!(positions.trim_end(), expected.trim_end(), "{name}");
        assert_eq!(format(&source).expect("a legal record"), source, "{name}: canonical");
        let ledger = opened.table.seals().expect("a sealed record");
        let thrown = ledger.thrown().iter();
        let expected = json(path.with_extension("dice.json"));
        for (thrown, expected) in thrown.zip(expected.as_array().expect("a list")) {
            assert_eq!(u64::from(thrown.entry), expected["entry"].as_u64().expect("an entry"), "{name}");
            assert_eq!(thrown.label, text(expected, "label"), "{name}");
            assert_eq!(thrown.nonce, Nonce(bytes(text(expected, "nonce"))), "{name}");
            assert_eq!(thrown.salt, Salt(bytes(text(expected, "salt"))), "{name}");
            assert_eq!(thrown.dice, numbers(&expected["dice"]), "{name}");
            assert_eq!(thrown.faces.to_vec(), numbers(&expected["faces"]), "{name}");
        }
        assert_eq!(ledger.thrown().len(), expected.as_array().expect("a list").len(), "{name}");
        // Every seal, opened or not, is one that its owner's secret gives (Z2, Z10).
        for published in ledger.published() {
            let word = ledger.word(published.side);
            let nonce = Secret::read(text(own, word)).expect("a secret").nonce(ledger.game(), word, &published.label);
            let payloads = |each: &mut dyn FnMut(&str) -> bool| {
                opened.table.payloads(published.side, &published.label, each);
            };
            let found = recall(ledger.game(), word, &published.label, &published.seal, &nonce, &payloads);
            assert!(found.is_some(), "{name}: {}", published.label);
            assert!(published.opened.as_ref().is_none_or(|opened| opened.nonce == nonce), "{name}");
        }
    }
}
