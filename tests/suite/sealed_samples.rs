//! Sealed records and worked test vectors: every position, every throw, every seal.

use std::fs;
use std::path::PathBuf;

use crate::altered::Alterations;
use crate::positions::replayed;
use postrider_kernel::text::LineIndex;
use postrider_kernel::{Nonce, Salt, Side};
use postrider_referee::desk::audit;
use postrider_referee::desk::audit::Proof;
use postrider_referee::sealing::{Secret, recall, seals};
use postrider_referee::verdict::{Opened, Ruling, format, verify};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

fn folder() -> PathBuf {
    folder_of("assassyn")
}

fn folder_of(game: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(game).join("sealed")
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
fn z1_z2_z4_z7_z8_the_vectors_are_reproduced_step_by_step() {
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

/// All sealed records that the tests have.
fn sealed_records() -> Vec<(String, String)> {
    let games = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folders = ["assassyn", "subsume", "mission-combat"]
        .map(|game| ["sealed", "illegal"].map(|kind| games.join(game).join(kind)));
    let files = folders.as_flattened().iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let paths =
        files.map(|file| file.expect("a file").path()).filter(|path| path.extension().is_some_and(|end| end == "pbem"));
    let read = |path: PathBuf| (path.display().to_string(), fs::read_to_string(path).expect("a record"));
    paths.map(read).filter(|(_, text)| text.contains("\nsecrecy: sealed\n")).collect()
}

#[test]
fn judging_alone_keeps_no_seals_and_says_the_same_as_a_replay_that_does() {
    let same = |name: &str, text: &str| {
        let kept = Opened::new(text.as_bytes()).map_or_else(|verdict| *verdict, |mut opened| opened.replay(u32::MAX));
        let alone = verify(text.as_bytes());
        assert_eq!(format!("{alone:?}"), format!("{kept:?}"), "{name}");
        alone.errors.first().and_then(|error| error.rule).unwrap_or_default()
    };
    let mut refused = std::collections::BTreeMap::<_, u32>::new();
    let records = sealed_records();
    assert!(records.len() > 20, "{}", records.len());
    for (name, text) in &records {
        same(name, text);
        let seals: Vec<_> = text.match_indices("seal:").map(|(at, word)| at + word.len()).collect();
        for (nth, at) in seals.iter().enumerate().step_by(3) {
            let end = at + 64;
            // Another seal (Z3 where it is opened), and one that was there before (Z6).
            let digit = if text[*at..].starts_with('0') { "1" } else { "0" };
            let earlier = seals[nth * 7 / 11];
            for seal in [format!("{digit}{}", &text[at + 1..end]), text[earlier..earlier + 64].to_owned()] {
                let changed = format!("{}{seal}{}", &text[..*at], &text[end..]);
                *refused.entry(same(name, &changed)).or_default() += 1;
            }
        }
    }
    assert!(["Z3", "Z6"].iter().all(|rule| refused.get(rule).is_some_and(|count| *count > 20)), "{refused:?}");
}

/// Every seal, opened or not, is one that its owner's secret gives (Z2, Z10).
fn every_seal_is_its_owners(name: &str, opened: &Opened<'_>, own: &Value) {
    let ledger = opened.table.seals().expect("a sealed record");
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

#[test]
fn z15_hidden_tokens_are_sealed_as_the_vectors_say() {
    let vectors = json(folder_of("subsume").join("vectors.json"));
    for vector in vectors.as_array().expect("a list") {
        let (game, side, label) = (text(vector, "id"), text(vector, "side"), text(vector, "label"));
        let nonce = Secret::read(text(vector, "secret")).expect("a secret").nonce(game, side, label);
        assert_eq!(nonce.to_string(), text(vector, "nonce"), "{label}");
        let payload = text(vector, "payload");
        assert_eq!(seals::seal_text(game, side, label, payload, &nonce), text(vector, "text"), "{label}");
        assert_eq!(seals::seal(game, side, label, payload, &nonce).to_string(), text(vector, "seal"), "{label}");
        // It is in the record that the vector names.
        let record = fs::read_to_string(folder_of("subsume").join(text(vector, "record"))).expect("a record");
        assert!(record.contains(&format!("seal:{}", text(vector, "seal"))), "{label}");
    }
}

#[test]
fn z15_records_with_hidden_tokens_are_legal_and_pass_through_the_positions() {
    let secrets = json(folder_of("subsume").join("secrets.json"));
    for (name, own) in secrets.as_object().expect("an object") {
        let path = folder_of("subsume").join(name);
        let source = fs::read(&path).expect("a record");
        let verdict = verify(&source);
        assert_eq!(verdict.ruling, Ruling::Legal, "{name}: {:?}", verdict.errors);
        let (opened, positions) = replayed(&source);
        let expected = fs::read_to_string(path.with_extension("positions")).expect("positions");
        assert_eq!(positions.trim_end(), expected.trim_end(), "{name}");
        assert_eq!(format(&source).expect("a legal record"), source, "{name}: canonical");
        every_seal_is_its_owners(name, &opened, own);
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
        let (opened, positions) = replayed(&source);
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
        every_seal_is_its_owners(name, &opened, own);
    }
}

#[test]
fn sealed_faults_are_refused_by_their_rule_at_their_place() {
    let record = fs::read_to_string(folder().join("sealed-101.pbem")).expect("a record");
    let salt = "salt:a32e69083d235422537696b2c9498373";
    let open = "open:8413719fc8c41148e3e72329e0c10829";
    for (from, to, rule, line, column) in [
        // A wrong opening.
        (open, "open:8413719fc8c41148e3e72329e0c10828", "Z3", 18, 9),
        // A missing salt.
        (salt, "roll 7 5", "Z5", 17, 9),
        // A seal that was not required.
        (
            "4 black Ac6-d6",
            "4 black Ac6-d6 seal:0000000000000000000000000000000000000000000000000000000000000000",
            "Z5",
            15,
            9,
        ),
        (
            "4 black Ac6-d6",
            "4 black seal:0000000000000000000000000000000000000000000000000000000000000000",
            "Z5",
            15,
            9,
        ),
        // A missing seal.
        (" seal:5c469cd6cb5a22b4f79619565abaa7776d2204835f9f46eab169d6c31b189c19", "", "Z5", 16, 9),
        // A seal that was used before.
        (
            "b5121e638e62cf1ea68d02da7fe6cc508ee149eda664a10512c39b7498bbac67",
            "5c469cd6cb5a22b4f79619565abaa7776d2204835f9f46eab169d6c31b189c19",
            "Z6",
            20,
            9,
        ),
        // A turn before the dice, and none after them.
        ("open:8413719fc8c41148e3e72329e0c10829; Pe2-d2", "Pe2-d2", "Z12", 18, 9),
        ("open:8413719fc8c41148e3e72329e0c10829; Pe2-d2", open, "Z13", 18, 9),
        // A turn after the end.
        ("open:362d7b6702606c1485a1e839ddbf33c2", "open:362d7b6702606c1485a1e839ddbf33c2; Pd2-d1", "Z13", 22, 49),
    ] {
        assert!(record.contains(from), "{from}");
        let altered = record.replacen(from, to, 1);
        let verdict = verify(altered.as_bytes());
        assert_eq!(verdict.ruling, Ruling::Illegal, "{to}: {:?}", verdict.errors);
        let error = &verdict.errors[0];
        let place = LineIndex::new(altered.as_bytes()).place(error.span.start as usize);
        assert_eq!((error.rule, place.line, place.column), (Some(rule), line, column), "{to}: {}", error.message);
    }
    // Throws are derived, not stated: a different salt gives different throws, and what was built on the old ones
    // falls.
    let falls = (0..40).filter(|nth| {
        let other = record.replacen(salt, &format!("salt:{nth:032x}"), 1);
        verify(other.as_bytes()).errors.first().is_some_and(|error| error.entry >= Some(7))
    });
    assert!(falls.count() > 10);
}

fn audited(record: &str) -> audit::Report {
    let mut opened = Opened::new(record.as_bytes()).expect("a record");
    opened.replay(u32::MAX);
    audit::report(&opened).expect("a sealed record")
}

#[test]
fn an_audit_explains_every_throw_with_texts_that_hash_as_stated() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/assassyn/sealed-game.pbem");
    let record = fs::read_to_string(path).expect("a record");
    let report = audited(&record);
    assert!(report.sound, "{}", report.text);
    assert_eq!(report.text.matches("\nThrow ").count(), 4);
    for part in [
        "entry 5: white fixed its part",
        "entry 6: black, who could not know",
        "entry 7: white opened",
        "never opened, held `roll`",
    ] {
        assert!(report.text.contains(part), "{part}\n{}", report.text);
    }
    let lines: Vec<_> = report.text.lines().map(str::trim).collect();
    let mut hashed = 0;
    for pair in lines.windows(2) {
        if let (true, Some(digest)) = (pair[0].starts_with("pbem1|"), pair[1].strip_prefix("= ")) {
            assert_eq!(data_encoding::HEXLOWER.encode(&Sha256::digest(pair[0])), digest, "{}", pair[0]);
            hashed += 1;
        }
    }
    assert!(hashed >= 6, "{hashed}");
}

#[test]
fn z10_an_audit_opens_unopened_seals_and_finds_those_it_cannot_open() {
    const GAME: &str = "assassyn-never-opened";
    let header = format!(
        "---\npbem: 1\ngame: assassyn\nid: {GAME}\nplayers:\n  white: {{name: Ada}}\n  black: {{name: Bram}}\n\
         started: 2026-11-21\noptions: {{deployment: sealed}}\nsecrecy: sealed\n---\n"
    );
    let (white, black) = ("01".repeat(32), "02".repeat(32));
    let sealed = |hex: &str, side: &str, payload: &str| {
        let nonce = Secret::read(hex).expect("a secret").nonce(GAME, side, "deploy");
        seals::seal(GAME, side, "deploy", payload, &nonce)
    };
    let legal = "Pc1 Wd2 La1 Lf1 Sb1 Se1 Ac2";
    let illegal = "Pd3 Wc6 La6 Lf6 Sb6 Se6 Ad5";
    let record = format!(
        "{header}1 white seal:{}\n2 black seal:{}\n3 white resign\n= black wins: resigned\n# secret white {white}\n",
        sealed(&white, "white", legal),
        sealed(&black, "black", illegal)
    );
    let report = audited(&record);
    assert!(report.sound && report.text.contains(&format!("never opened, held `{legal}`")), "{}", report.text);
    let report = audited(&format!("{record}# secret black {black}\n"));
    // Whether the secret or the only seal is wrong, nobody can tell; the win is not proven.
    assert!(report.sound && report.text.contains("a secret that gives none of the seals of black"), "{}", report.text);
    assert_eq!(report.proof, Proof::Unproven(Side::Second));
    // A remark that is not a secret means nothing: anyone can write a remark.
    let report = audited(&format!("{record}# secret black 00\n"));
    assert!(report.sound && report.text.contains("black: noise: `00` is not 64 hexadecimal digits"), "{}", report.text);
}

#[test]
fn altered_records_get_a_verdict_whatever_was_altered() {
    let mut alterations = Alterations(17);
    let mut rulings = std::collections::BTreeMap::new();
    let dice = ["101", "107", "109"].map(|name| folder().join(format!("sealed-{name}.pbem")));
    let tokens = ["05", "12", "17"].map(|name| folder_of("subsume").join(format!("sealed-{name}.pbem")));
    for path in dice.iter().chain(&tokens) {
        let source = fs::read(path).expect("a record");
        for _ in 0..400 {
            let altered = alterations.next(&source, b"0123456789abcdefxPWLSA-*;: \n");
            let verdict = verify(&altered);
            assert_eq!(verdict.ruling == Ruling::Legal, verdict.errors.is_empty());
            assert_eq!(format(&altered).is_ok(), verdict.ruling == Ruling::Legal);
            *rulings.entry(verdict.ruling.word()).or_insert(0) += 1;
        }
    }
    assert!(rulings["illegal"] > 200 && rulings["malformed"] > 200, "{rulings:?}");
}
