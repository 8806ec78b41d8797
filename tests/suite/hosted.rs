//! Records of hosted games by number, Z38 to Z40: who signs for whom, what is refused and by which rule, what the host cannot do.

use data_encoding::HEXLOWER;
use postrider_board::report::{Report, Shown};
use postrider_kernel::Side;
use postrider_kernel::Viewer;
use postrider_kernel::text::LineIndex;
use postrider_referee::desk::begin::Beginning;
use postrider_referee::desk::{Desk, EntryRequest, export};
use postrider_referee::record::Time;
use postrider_referee::registry;
use postrider_referee::sealing::SecretKey;
use postrider_referee::verdict::{Evidence, Opened, Ruling, evidence, format, verify, verify_newest};

use crate::signing::{ada, both, bram, cleo, field, signed};

/// The key of the host.
fn mill() -> SecretKey {
    SecretKey::take(&mut [0x44; 32])
}

/// The header field of the host.
fn host() -> String {
    format!("host: {{name: The Mill, email: games@example.com, key: {}}}\n", mill().public().text())
}

/// A record of Asalto with this text in the players' maps, these fields, and these lines below the header.
fn record(besiegers: &str, defenders: &str, fields: &str, lines: &[&str]) -> String {
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    format!(
        "---\npbem: 1\ngame: asalto\nid: asalto-hosted-here\nplayers:\n  besiegers: {{name: Ada Quill{besiegers}}}\n  defenders: \
         {{name: Bram Post{defenders}}}\nstarted: 2026-11-21\n{fields}---\n{lines}"
    )
}

/// A game in which each entry has a time.
const GAME: [&str; 5] = [
    "1 defenders place c6 e6 @2026-11-21T10:00:00Z",
    "2 besiegers c4-c5 @2026-11-21T11:00:00Z",
    "3 defenders c6-d6; huff d6 @2026-11-21T12:00:00Z {a word}",
    "4 besiegers e4-e5 @2026-11-21T13:00:00Z",
    "5 defenders e6xe4xc4xc6 @2026-11-21T14:00:00Z",
];

/// The host signs for both.
fn by_host(_: &str) -> Option<SecretKey> {
    Some(mill())
}

/// Ada signs for herself, the host for Bram.
fn mixed(side: &str) -> Option<SecretKey> {
    Some(if side == "besiegers" { ada() } else { mill() })
}

fn hosted(lines: &[&str]) -> String {
    record("", "", &host(), lines)
}

fn with_ada(lines: &[&str]) -> String {
    record(&field(&ada()), "", &host(), lines)
}

#[track_caller]
fn legal(text: &str) {
    for verdict in [verify(text.as_bytes()), verify_newest(text.as_bytes())] {
        assert_eq!(verdict.ruling, Ruling::Legal, "{:?} in\n{text}", verdict.errors);
    }
}

#[track_caller]
fn refused(text: &str, entry: u32, rule: &str) -> String {
    for verdict in [verify(text.as_bytes()), verify_newest(text.as_bytes())] {
        assert_eq!(verdict.ruling, Ruling::Illegal, "{:?} in\n{text}", verdict.errors);
        let error = &verdict.errors[0];
        assert_eq!((error.entry, error.rule), (Some(entry), Some(rule)), "{} in\n{text}", error.message);
        assert_eq!(verdict.entries, entry - 1, "what precedes it is still legal");
    }
    verify(text.as_bytes()).errors[0].message.clone()
}

#[track_caller]
fn malformed(text: &str, line: usize, what: &str) {
    let verdict = verify(text.as_bytes());
    assert_eq!(verdict.ruling, Ruling::Malformed, "{:?} in\n{text}", verdict.errors);
    let error = &verdict.errors[0];
    assert_eq!(
        LineIndex::new(text.as_bytes()).place(error.span.start as usize).line,
        line,
        "{} in\n{text}",
        error.message
    );
    assert!(error.message.contains(what), "{}", error.message);
}

#[test]
fn z38_the_host_signs_for_each_side_without_a_key_and_only_for_those() {
    legal(&signed(&hosted(&GAME), by_host));
    legal(&signed(&with_ada(&GAME), mixed));
    // A side that declares a key with its first entry signs itself from there on.
    let key = |key: &SecretKey, line: &str, at: usize| {
        let (head, actions) = line.split_at(at);
        format!("{head}key {}; {actions}", key.public().text())
    };
    let declares = key(&bram(), GAME[0], "1 defenders ".len());
    let lines: Vec<&str> = [&*declares].into_iter().chain(GAME[1..].iter().copied()).collect();
    let bram_too = |side: &str| Some(if side == "defenders" { bram() } else { mill() });
    legal(&signed(&hosted(&lines), bram_too));
    assert!(refused(&signed(&hosted(&lines), by_host), 1, "Z38").contains("the host signed this"));
    // Once the host has entered for it, it cannot declare one.
    let late = key(&ada(), GAME[3], "4 besiegers ".len());
    let lines = [GAME[0], GAME[1], GAME[2], &*late];
    refused(&signed(&hosted(&lines), by_host), 4, "E10");
}

#[test]
fn z38_what_the_host_should_have_signed_and_did_not_is_refused() {
    // Not signed.
    assert!(refused(&hosted(&GAME), 1, "Z38").contains("the host signs for that side"));
    assert!(refused(&signed(&hosted(&GAME), |side| (side == "defenders").then(mill)), 2, "Z38").contains("besiegers"));
    // By the other player's key, by somebody's, by a player's who has none in the record.
    for key in [ada(), bram(), cleo()] {
        let other = |side: &str| Some(if side == "besiegers" { ada() } else { SecretKey::take(&mut seed(&key)) });
        assert!(refused(&signed(&with_ada(&GAME), other), 1, "Z38").contains("the host did not sign this"));
    }
    // Changed afterwards.
    let honest = signed(&hosted(&GAME), by_host);
    for (from, to, entry) in [("a word", "a ward", 3), ("T11:00:00Z", "T11:00:01Z", 2), ("Ada Quill", "Eve Quill", 1)] {
        refused(&honest.replace(from, to), entry, "Z38");
    }
    // A signature below another entry.
    let signatures: Vec<&str> = honest.lines().filter(|line| line.starts_with("  ~ ")).collect();
    let moved = verify(honest.replace(signatures[1], signatures[0]).as_bytes());
    assert_eq!(moved.errors.first().map(|error| (error.entry, error.rule)), Some((Some(2), Some("Z38"))));
}

/// The bytes that the test keys are made of.
fn seed(key: &SecretKey) -> [u8; 32] {
    let list = [0x11, 0x22, 0x33];
    let found = list.into_iter().find(|byte| SecretKey::take(&mut [*byte; 32]).public() == key.public());
    [found.expect("one of the test keys"); 32]
}

#[test]
fn z38_the_host_cannot_sign_for_a_side_with_a_key() {
    let message = refused(&signed(&with_ada(&GAME), by_host), 2, "Z38");
    assert!(message.contains("the host signed this: the besiegers have a key"), "{message}");
    // Somebody else cannot either, and neither can it be left out; these are as in any record.
    let eve = |side: &str| Some(if side == "besiegers" { cleo() } else { mill() });
    refused(&signed(&with_ada(&GAME), eve), 2, "Z32");
    refused(&signed(&with_ada(&GAME), |side| (side == "defenders").then(mill)), 2, "Z32");
    // Where both have keys, the host signs nothing.
    let with_keys = record(&field(&ada()), &field(&bram()), &host(), &GAME);
    legal(&signed(&with_keys, both));
    refused(&signed(&with_keys, by_host), 1, "Z38");
}

#[test]
fn z38_the_host_is_part_of_what_everybody_signs() {
    let honest = signed(&with_ada(&GAME), mixed);
    // Another host, in name or key, with and without signing what that host can.
    let eve = host().replace(&mill().public().text(), &cleo().public().text());
    let swapped = honest.replace(&host(), &eve);
    refused(&swapped, 1, "Z38");
    let again = signed(&with_ada(&GAME).replace(&host(), &eve), |side| (side != "besiegers").then(cleo));
    refused(&again, 2, "Z32");
    refused(&honest.replace("The Mill", "The Mall"), 1, "Z38");
    // Removed, and put into a game that began without one.
    refused(&honest.replace(&host(), ""), 1, "Z32");
    let alone = signed(&record(&field(&ada()), "", "", &GAME), |side| (side == "besiegers").then(ada));
    legal(&alone);
    let added = alone.replace("started: 2026-11-21\n", &format!("started: 2026-11-21\n{}", host()));
    refused(&added, 1, "Z38");
    // Nobody is made a host by the key of a player.
    malformed(
        &record(&field(&ada()), "", &host().replace(&mill().public().text(), &ada().public().text()), &GAME),
        9,
        "the host plays no side",
    );
    let declares = format!("1 defenders key {}; place c6 e6 @2026-11-21T10:00:00Z", mill().public().text());
    assert!(refused(&signed(&hosted(&[&declares]), by_host), 1, "Z38").contains("a host plays no side"));
}

#[test]
fn z38_the_field_names_the_host_and_the_key() {
    let with = |field: &str| record("", "", field, &[]);
    legal(&with(&host()));
    legal(&with(&format!("host:\n  name: The Mill\n  key: \"{}\" # here\n", mill().public().text())));
    malformed(&with(&format!("{0}{0}", host())), 10, "the field `host` appears twice");
    malformed(&with("host: {name: The Mill}\n"), 9, "`host` has no `key`");
    malformed(&with("host: {}\n"), 9, "`host` has no `key`");
    malformed(&with("host: The Mill\n"), 9, "`host` is a map");
    malformed(&with(&format!("host: {{key: {}}}\n", mill().public().text())), 9, "`host` has no `name`");
    malformed(&with(&host().replace("email", "mail")), 9, "`host` has no field `mail`");
    malformed(&with(&host().replace("name: The Mill", "name: The Mill, name: Mill")), 9, "appears twice");
    malformed(&with("host: {name: M, key: AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=}\n"), 9, "this key");
    malformed(&with("Host: {name: M}\n"), 9, "has no field `Host`");
    let practice = format!("machine: {{side: defenders, level: 2, seed: 7}}\n{}", host());
    malformed(&with(&practice), 10, "a practice game has no host (E12)");
}

#[test]
fn z38_what_is_said_of_a_record_names_the_host() {
    let text = signed(&with_ada(&GAME), mixed);
    let verdict = verify(text.as_bytes());
    let signers = verdict.signers.as_deref().expect("who signs");
    assert_eq!(signers.host, Some(mill().public()));
    assert_eq!(Side::BOTH.map(|side| signers.by_host(side)), [false, true]);
    assert_eq!(signers.own_keys(), [Some(ada().public()), None]);
    let report = serde_json::to_value(Report::of(None, text.as_bytes(), &verdict, Vec::new())).expect("JSON");
    assert_eq!(report["signatures"]["host"]["key"], mill().public().text());
    assert_eq!(report["signatures"]["keys"]["defenders"]["key"], mill().public().text());
    let mut opened = Opened::new(text.as_bytes()).expect("a record");
    opened.replay(u32::MAX);
    let shown = Shown::of("game", text.as_bytes(), &opened, &verdict, Viewer::Public, None);
    let shown = serde_json::to_value(&shown).expect("JSON");
    assert_eq!(shown["host"]["name"], "The Mill");
    assert_eq!(shown["host"]["email"], "games@example.com");
    // Whoever plays by a host is not known by the host's key: two such players are two.
    let rows = export::rows(None, text.as_bytes(), export::Wanted::default());
    assert_eq!(rows.players.map(|players| players.map(|player| player.key.is_some())), Some([true, false]));
    // A record without a host says nothing of one.
    let plain = crate::signing::signed(&record(&field(&ada()), &field(&bram()), "", &GAME), both);
    let report = serde_json::to_value(Report::of(None, plain.as_bytes(), &verify(plain.as_bytes()), Vec::new()));
    assert!(report.expect("JSON")["signatures"].get("host").is_none());
}

#[test]
fn z38_the_formatter_keeps_the_host_and_every_signature() {
    let short = signed(&with_ada(&GAME), mixed).replace("c6-d6; huff d6", "c6-d6");
    let formatted = format(short.as_bytes()).expect("a legal record");
    assert_eq!(String::from_utf8(formatted).expect("UTF-8"), signed(&with_ada(&GAME), mixed));
    // A header is written with a host and read back.
    let info = registry::find("asalto").expect("a game").info();
    let beginning = Beginning {
        host: Some(("The \"Mill\": games", Some("games@example.com"), mill().public())),
        ..Beginning::new(info, "asalto-hosted-2", ["Ada", "Bram"], "2026-11-21")
    };
    let text = beginning.record();
    let opened = Opened::new(text.as_bytes()).expect("a record");
    let host = opened.header.host.as_deref().expect("a host");
    assert_eq!((&*host.name, host.email.as_deref()), ("The \"Mill\": games", Some("games@example.com")));
    assert_eq!(host.key, mill().public());
}

#[test]
fn z38_two_entries_of_the_host_for_one_turn_speak_against_the_host() {
    let one = signed(&hosted(&GAME), by_host);
    let other = signed(&hosted(&[GAME[0], &GAME[1].replace("c4-c5", "e4-e5")]), by_host);
    let found = evidence(one.as_bytes(), other.as_bytes()).expect("one game");
    let Evidence::Double(double) = &found else { panic!("two entries for one turn") };
    assert_eq!((double.number, double.side, double.key), (2, Side::First, mill().public()));
    let report = postrider_board::report::Evidenced::of(&found, one.as_bytes(), ["one", "other"]);
    let report = serde_json::to_value(&report).expect("JSON");
    assert_eq!(report["by_host"], true, "no word is said against the player");
    // The same at two times is one entry, as for a player.
    let later = signed(&hosted(&[GAME[0], &GAME[1].replace("T11:00", "T11:01")]), by_host);
    assert!(matches!(evidence(one.as_bytes(), later.as_bytes()), Ok(Evidence::Twice(_))));
}

#[test]
fn z39_two_entries_that_differ_only_in_their_time_prove_nothing_and_any_other_two_do() {
    let of = |third: &str| signed(&with_ada(&[GAME[0], third]), mixed);
    let one = of("2 besiegers c4-c5 @2026-11-21T11:00:00Z {at @ 11:00, or @2026-11-21T11:00:00Z}");
    let same = of("2 besiegers c4-c5 @2026-11-22T07:00:00Z {at @ 11:00, or @2026-11-21T11:00:00Z}");
    let found = evidence(one.as_bytes(), same.as_bytes()).expect("one game");
    assert!(matches!(&found, Evidence::Twice(found) if found.number == 2), "{found:?}");
    for other in [
        "2 besiegers c4-c5 @2026-11-22T07:00:00Z {at @ 11:00, or @2026-11-22T07:00:00Z}",
        "2 besiegers c4-c5 @2026-11-22T07:00:00Z {at @ 07:00, or @2026-11-21T11:00:00Z}",
        "2 besiegers c4-c5 @2026-11-22T07:00:00Z",
        "2 besiegers e4-e5 @2026-11-22T07:00:00Z {at @ 11:00, or @2026-11-21T11:00:00Z}",
        "2 besiegers resign @2026-11-22T07:00:00Z {at @ 11:00, or @2026-11-21T11:00:00Z}",
        "2 besiegers c4-c5; leave 1d @2026-11-21T11:00:00Z {at @ 11:00, or @2026-11-21T11:00:00Z}",
    ] {
        let found = evidence(one.as_bytes(), of(other).as_bytes()).expect("one game");
        assert!(matches!(&found, Evidence::Double(found) if found.number == 2), "{other}: {found:?}");
    }
}

#[test]
fn z39_every_entry_of_a_hosted_game_has_a_time() {
    let bare = |line: &str| line.split(" @").next().expect("a line").to_owned();
    let first = bare(GAME[0]);
    refused(&signed(&hosted(&[&first]), by_host), 1, "Z39");
    // Not even a player who signs may leave it out, because then the host could not go on.
    let of_ada = bare(GAME[1]);
    refused(&signed(&with_ada(&[GAME[0], &of_ada]), mixed), 2, "Z39");
    refused(&signed(&hosted(&[GAME[0], &GAME[1].replace("T11", "T09")]), by_host), 2, "E3");
    // Without a host nothing has changed.
    let plain = signed(&record(&field(&ada()), &field(&bram()), "", &[&first, &of_ada]), both);
    legal(&plain);
}

/// A sealed record of Assassyn's Dagger without entries, with a host or without.
fn sealed(fields: &str) -> String {
    format!(
        "---\npbem: 1\ngame: assassyn\nid: assassyn-hosted-here\nplayers:\n  white: {{name: Ada Quill}}\n  black: {{name: Bram Post}}\n\
         started: 2026-11-21\n{fields}secrecy: sealed\nsetup: \"white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play white\"\n---\n"
    )
}

/// A key store with one secret and the host's key, as a host that writes a program of its own may have.
struct Own {
    secret: postrider_referee::sealing::Secret,
}

impl postrider_referee::sealing::KeyStore for Own {
    fn secret(&mut self, _: bool) -> Result<Option<postrider_referee::sealing::Secret>, postrider_kernel::Lost> {
        Ok(Some(self.secret.clone()))
    }

    fn commits(&self) -> bool {
        true
    }

    fn random(&mut self) -> Result<[u8; 16], postrider_kernel::Lost> {
        Ok([9; 16])
    }

    fn key(
        &mut self,
        declared: Option<postrider_referee::sealing::PublicKey>,
    ) -> Result<Option<postrider_referee::sealing::PublicKey>, postrider_referee::sealing::NotSigned> {
        Ok(declared)
    }

    fn sign(
        &mut self,
        entry: &postrider_referee::sealing::Unsigned<'_>,
    ) -> Result<Option<postrider_referee::sealing::Signature>, postrider_referee::sealing::NotSigned> {
        let text = format!("pbem1|{}|{}|{}", entry.game, entry.number, HEXLOWER.encode(entry.digest));
        Ok(Some(mill().sign(text.as_bytes())))
    }
}

/// Enters for the host, with a secret for each side.
fn entered(record: &[u8], secret: u8, actions: &str, time: &str, message: Option<&str>) -> Vec<u8> {
    let mut keys = Own { secret: postrider_referee::sealing::Secret::take(&mut [secret; 32]) };
    let desk = Desk::open(record).expect("a legal record");
    let time = Time::read(time.as_bytes()).expect("a time");
    let request = EntryRequest { actions, message, time, time_asked: true };
    desk.enter(&request, &mut keys).expect("a legal entry").record
}

/// A game up to the throw, with these minutes as the host's times and this message: the record, and what was thrown.
fn thrown(fields: &str, minutes: [u32; 3], message: Option<&str>) -> (Vec<u8>, Vec<u32>) {
    let mut record = sealed(fields).into_bytes();
    let entries = [(1, "Lc1xc5"), (2, "accept"), (1, "Pa1-a2")];
    for ((secret, actions), minute) in entries.into_iter().zip(minutes) {
        record = entered(&record, secret, actions, &format!("2026-11-21T10:{minute:02}:00Z"), message);
    }
    let mut opened = Opened::new(&record).expect("a record");
    assert_eq!(opened.replay(u32::MAX).ruling, Ruling::Legal);
    let faces = opened.table.seals().expect("seals").thrown().iter().flat_map(|one| one.faces.clone()).collect();
    (record, faces)
}

#[test]
fn z40_no_time_that_the_host_gives_an_entry_and_no_message_changes_a_throw() {
    let (record, faces) = thrown(&host(), [0, 1, 2], None);
    assert!(!faces.is_empty());
    for other in 0..20 {
        let (again, same) = thrown(&host(), [other, other + 7, other + 9], Some("a word").filter(|_| other % 2 == 1));
        assert_ne!(record, again);
        assert_eq!(faces, same, "the host could try times until the dice suit");
    }
    // Another move is another throw, and in a game without a host everything is as it was: the time of the challenge counts there.
    let without: std::collections::BTreeSet<Vec<u32>> = (0..20).map(thrown_without).collect();
    assert!(without.len() > 1);
}

/// The same game without a host, in which one who plays both sides gives the challenge this minute.
fn thrown_without(minute: u32) -> Vec<u32> {
    let (_, faces) = thrown("", [minute, 30, 40], None);
    faces
}

#[test]
fn z40_a_program_of_ones_own_gets_the_same_nonces_from_the_text_of_the_rule() {
    use hmac::{Hmac, KeyInit, Mac};
    use sha2::{Digest, Sha256};
    let (record, _) = thrown(&host(), [0, 1, 2], Some("a word"));
    let text = String::from_utf8(record).expect("UTF-8");
    let (header, body) = text[4..].split_once("---\n").expect("a header");
    let mac = |secret: u8, text: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(&[secret; 32]).expect("any length");
        mac.update(text.as_bytes());
        HEXLOWER.encode(&mac.finalize().into_bytes())
    };
    let begin: [u8; 32] = Sha256::digest(header).into();
    let h0 = HEXLOWER.encode(&begin);
    let lines: Vec<&str> = body.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    let bare = |line: &str| line.split(" @").next().expect("a line").to_owned();
    // d(1), as the text says.
    let d1: [u8; 32] = Sha256::new().chain_update(begin).chain_update(bare(lines[0])).finalize().into();
    let id = "assassyn-hosted-here";
    let commit = mac(1, &format!("pbem1|commit|{id}|white|{h0}"));
    assert!(lines[0].contains(&format!("; commit {commit} @")), "{}", lines[0]);
    let salt = mac(2, &format!("pbem1|salt|{id}|black|0|{h0}|{}", HEXLOWER.encode(&d1)));
    assert!(lines[1].contains(&format!("accept salt:{}", &salt[..32])), "{}", lines[1]);
    let nonce = mac(1, &format!("pbem1|nonce|{id}|white|roll.1|{h0}|{h0}"));
    assert!(lines[2].contains(&format!("open:{}", &nonce[..32])), "{}", lines[2]);
}
