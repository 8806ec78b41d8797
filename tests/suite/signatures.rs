//! Keys and signatures by number, E10 and Z30 to Z34: each refused case with a similar legal one; forgeries of every
//! kind.

use crate::signing::{GAME, ada, both, bram, cleo, field, record, signed, with_both};
use postrider_kernel::Side;
use postrider_kernel::text::LineIndex;
use postrider_referee::sealing::{Digest, PublicKey, SecretKey};
use postrider_referee::verdict::{Evidence, NoEvidence, Opened, Ruling, evidence, format, verify, verify_newest};

#[track_caller]
fn legal(text: &str) {
    let verdict = verify(text.as_bytes());
    assert_eq!(verdict.ruling, Ruling::Legal, "{:?} in\n{text}", verdict.errors);
}

#[track_caller]
fn refused(text: &str, entry: u32, rule: &str) {
    let verdict = verify(text.as_bytes());
    assert_eq!(verdict.ruling, Ruling::Illegal, "{:?} in\n{text}", verdict.errors);
    let error = &verdict.errors[0];
    assert_eq!((error.entry, error.rule), (Some(entry), Some(rule)), "{} in\n{text}", error.message);
    assert_eq!(verdict.entries, entry - 1, "what precedes it is still legal");
}

#[track_caller]
fn malformed(text: &str, line: usize, column: usize) {
    let verdict = verify(text.as_bytes());
    assert_eq!(verdict.ruling, Ruling::Malformed, "{:?} in\n{text}", verdict.errors);
    let place = LineIndex::new(text.as_bytes()).place(verdict.errors[0].span.start as usize);
    assert_eq!((place.line, place.column), (line, column), "{:?} in\n{text}", verdict.errors);
}

/// The digest of the chain after the last entry.
fn digest(text: &[u8]) -> Digest {
    let mut opened = Opened::with_chain(text).expect("a record");
    opened.replay(u32::MAX);
    opened.table.signatures().expect("a chain").link().digest()
}

/// The first entries, with Bram's key in the first of them, and Ada's in the second if she has one.
fn declared(by_ada: bool, count: usize) -> Vec<String> {
    let key = |key: &PublicKey, line: &str| {
        let (head, actions) = line.match_indices(' ').nth(1).map(|(at, _)| line.split_at(at + 1)).expect("actions");
        format!("{head}key {}; {actions}", key.text())
    };
    GAME.iter()
        .take(count)
        .enumerate()
        .map(|(nth, line)| match nth {
            0 => key(&bram().public(), line),
            1 if by_ada => key(&ada().public(), line),
            _ => (*line).to_owned(),
        })
        .collect()
}

fn lines(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

#[test]
fn e10_a_key_comes_first_in_the_first_entry_of_its_side() {
    let open = |lines: &[&str]| record("", "", lines);
    legal(&signed(&open(&lines(&declared(true, 4))), both));
    // One side may sign and the other not.
    legal(&signed(&open(&lines(&declared(false, 4))), |side| both(side).filter(|_| side == "defenders")));
    let key = bram().public().text();
    for (number, list) in [
        (1, vec![format!("1 defenders place c6 e6; key {key}")]),
        (1, vec![format!("1 defenders key {key}; key {key}; place c6 e6")]),
        (1, vec![format!("1 defenders key {key}")]),
        (3, [declared(true, 2), vec![format!("3 defenders key {key}; c6-d6; huff d6")]].concat()),
    ] {
        refused(&signed(&open(&lines(&list)), both), number, "E10");
    }
    let late = [GAME[0], GAME[1], &format!("3 defenders key {key}; c6-d6; huff d6")];
    refused(&open(&late), 3, "E10");
    for wrong in ["key AAAA; place c6 e6", "key ; place c6 e6"] {
        let text = open(&[&format!("1 defenders {wrong}")]);
        assert_eq!(verify(text.as_bytes()).ruling, Ruling::Malformed, "{wrong}");
    }
}

#[test]
fn e10_a_key_is_not_given_where_the_header_names_one() {
    let bram_in_header = |lines: &[&str]| record("", &field(&bram()), lines);
    let only_bram = |side: &str| both(side).filter(|_| side == "defenders");
    legal(&signed(&bram_in_header(&GAME[..3]), only_bram));
    let again = format!("1 defenders key {}; place c6 e6", bram().public().text());
    refused(&signed(&bram_in_header(&[&again]), both), 1, "E10");
    // The other side's key may come with its own first entry.
    let second = format!("2 besiegers key {}; c4-c5", ada().public().text());
    legal(&signed(&bram_in_header(&[GAME[0], &second, GAME[2]]), both));
}

#[test]
fn e10_is_checked_before_actions_that_must_be_alone_and_before_the_game() {
    let key = bram().public().text();
    let with = |line: &str| signed(&record("", "", &[line]), both);
    refused(&with(&format!("1 defenders key {key}; place c6 c6; key {key}")), 1, "E10");
    // A key is an action, so what must be alone cannot accompany one; and a key is not a move.
    refused(&with(&format!("1 defenders key {key}; resign")), 1, "E6");
    refused(&with(&format!("1 defenders key {key}; draw?")), 1, "E5");
    refused(&with(&format!("1 defenders key {key}; place c6 c6")), 1, "T10");
    legal(&with(&format!("1 defenders key {key}; place c6 e6")));
}

#[test]
fn z30_the_chain_holds_header_entries_times_and_messages_and_nothing_else() {
    let text = signed(&with_both(&GAME), both);
    legal(&text);
    for (old, new, entry) in [
        ("name: Ada Quill", "name: Eve Quill", 1),
        ("started: 2026-11-21", "started: 2026-11-22", 1),
        ("started: 2026-11-21", "started: 2026-11-21\noptions: {huff: auto}", 1),
        ("{a word}", "{a ward}", 6),
        ("c3-c4 {a word}", "c3-c4", 6),
        ("8 besiegers e3-d4", "8 besiegers c2-c3", 8),
    ] {
        refused(&text.replace(old, new), entry, "Z32");
    }
    // Not covered: remarks, blank lines, the result, and line ends.
    legal(&text.replace("4 besiegers", "# a remark\n\n4 besiegers"));
    legal(&format!("{text}= besiegers win: huffed\n"));
    legal(&text.replace('\n', "\r\n"));
    // A remark between an entry and its signature separates them.
    let signature = text.lines().find(|line| line.starts_with("  ~")).expect("a signature");
    assert_eq!(verify(text.replacen(signature, &format!("#\n{signature}"), 1).as_bytes()).ruling, Ruling::Malformed);
}

#[test]
fn z30_what_is_hashed_is_the_canonical_line() {
    let canonical = signed(&with_both(&GAME), both);
    let short = canonical.replace("c6-d6; huff d6", "c6-d6").replace("c5xc3; huff c3", "c5xc3");
    assert_ne!(short, canonical);
    legal(&short);
    let formatted = format(short.as_bytes()).expect("a legal record");
    assert_eq!(String::from_utf8(formatted).expect("UTF-8"), canonical.clone() + "= besiegers win: huffed\n");
}

#[test]
fn z30_the_formatter_leaves_the_header_of_a_signed_record_alone() {
    // A position in a non-canonical spelling, a remark, and the fields in another order.
    let header =
        "started: 2026-11-21 # that day\nsetup: '.../.../..BBB../......./BBBD..D/BBB/BBB b'\nid: asalto-signed-here\n";
    let text = with_both(&["1 besiegers c5-c6"])
        .replace("id: asalto-signed-here\n", "")
        .replace("started: 2026-11-21\n", header);
    let unsigned = text.replace(&field(&ada()), "").replace(&field(&bram()), "");
    let formatted = String::from_utf8(format(unsigned.as_bytes()).expect("a legal record")).expect("UTF-8");
    assert!(formatted.contains("setup: \"..."), "{formatted}");
    let text = signed(&text, both);
    assert_eq!(format(text.as_bytes()).expect("a legal record"), text.as_bytes());
    let windows = text.replace('\n', "\r\n");
    assert_eq!(format(windows.as_bytes()).expect("a legal record"), text.as_bytes());
}

#[test]
fn z31_a_signature_is_of_this_game_this_number_and_this_past() {
    let text = signed(&with_both(&GAME[..4]), both);
    let other_game = signed(&with_both(&GAME[..4]).replace("signed-here", "signed-there"), both);
    refused(&other_game.replace("signed-there", "signed-here"), 1, "Z32");
    // A signature moved from another entry, or from the same entry with a different past.
    let nth = |text: &str, nth: usize| {
        text.lines().filter(|line| line.starts_with("  ~")).nth(nth).expect("a signature").to_owned()
    };
    refused(&text.replace(&nth(&text, 3), &nth(&text, 1)), 4, "Z32");
    let said = signed(&with_both(&["1 defenders place c6 e6 {hello}", GAME[1]]), both);
    refused(&text.replace(&nth(&text, 1), &nth(&said, 1)), 2, "Z32");
}

#[test]
fn z32_every_entry_of_a_side_with_a_key_is_signed_and_no_other() {
    let text = signed(&with_both(&GAME), both);
    for (nth, signature) in text.lines().filter(|line| line.starts_with("  ~")).enumerate() {
        refused(&text.replace(&format!("{signature}\n"), ""), nth as u32 + 1, "Z32");
    }
    // With another key; without keys in the record; by a side without one.
    refused(&signed(&with_both(&GAME), |side| Some(if side == "besiegers" { cleo() } else { bram() })), 2, "Z32");
    refused(&signed(&record("", "", &GAME), both), 1, "Z32");
    refused(&signed(&record("", &field(&bram()), &GAME), both), 2, "Z32");
    // A key without any signature.
    refused(&with_both(&GAME), 1, "Z32");
    refused(&record("", "", &lines(&declared(false, 1))), 1, "Z32");
    legal(&record("", &field(&bram()), &[]));
    // What ends a game is signed too.
    let resigned = with_both(&[GAME[0], "2 besiegers resign"]);
    legal(&signed(&resigned, both));
    refused(&signed(&resigned, |side| both(side).filter(|_| side == "defenders")), 2, "Z32");
}

#[test]
fn z32_comes_after_the_rules_of_the_game_and_of_offers() {
    let with = |lines: &[&str]| signed(&with_both(lines), |_| Some(cleo()));
    refused(&with(&["1 defenders place c6 c6"]), 1, "T10");
    refused(&with(&["1 defenders place c6 e6; draw?"]), 1, "E5");
    refused(&with(&["1 defenders place c6 e6"]), 1, "Z32");
    // The result line comes after everything else.
    let text = signed(&with_both(&GAME), both);
    refused(&format!("{}= draw: agreed\n", text.replace("{a word}", "{a ward}")), 6, "Z32");
}

#[test]
fn z32_the_rules_of_the_game_are_checked_before_a_missing_signature() {
    let text = signed(&with_both(&GAME[..4]), both).replace("e4-e5", "d4-d5");
    let mut opened = Opened::new(text.as_bytes()).expect("a record");
    opened.replay(u32::MAX);
    let before = signed(&with_both(&GAME[..3]), both);
    let mut expected = Opened::new(before.as_bytes()).expect("a record");
    expected.replay(u32::MAX);
    assert_eq!(opened.table.position(), expected.table.position());
    assert_eq!(opened.table.moves(), expected.table.moves());
}

/// The order of the group, least significant byte first.
const ORDER: [u8; 17] =
    [0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0];

#[test]
fn z33_a_signature_has_one_spelling() {
    let text = signed(&with_both(&GAME[..2]), both);
    let line = text.lines().rfind(|line| line.starts_with("  ~ ")).expect("a signature");
    let mut bytes = data_encoding::BASE64.decode(&line.as_bytes()[4..]).expect("base64");
    let mut carry = 0;
    for (nth, byte) in bytes[32..].iter_mut().enumerate() {
        let add = ORDER.get(nth).copied().unwrap_or(if nth == 31 { 0x10 } else { 0 });
        carry += u16::from(*byte) + u16::from(add);
        *byte = (carry & 0xff) as u8;
        carry >>= 8;
    }
    let other = format!("  ~ {}", data_encoding::BASE64.encode(&bytes));
    refused(&text.replace(line, &other), 2, "Z33");
    // Nor must its base64: the unused bits are zero.
    let loose = line.replace("==", "").chars().rev().skip(1).collect::<String>().chars().rev().collect::<String>();
    let last = line.trim_end_matches('=').chars().last().expect("a digit");
    let next = char::from(last as u8 + 1);
    assert_eq!(verify(text.replace(line, &format!("{loose}{next}==")).as_bytes()).ruling, Ruling::Malformed);
}

#[test]
fn z33_weak_keys_and_keys_that_are_none_are_refused() {
    let order_4 = "A".repeat(43) + "=";
    let neutral = "AQ".to_owned() + &"A".repeat(41) + "=";
    let order_8 = data_encoding::BASE64.encode(
        &data_encoding::HEXLOWER
            .decode(b"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
            .expect("hexadecimal"),
    );
    let no_point = "Ag".to_owned() + &"A".repeat(41) + "=";
    let beyond_the_prime = data_encoding::BASE64.encode(&[&[0xf0][..], &[0xff; 30], &[0x7f]].concat());
    for key in [&order_4, &neutral, &order_8, &no_point, &beyond_the_prime] {
        malformed(&record(&format!(", key: {key}"), "", &[]), 6, 37);
        let line = format!("1 defenders key {key}; place c6 e6");
        refused(&signed(&record("", "", &[&line]), both), 1, "Z33");
    }
    for key in ["AAAA", "\"\"", &ada().public().text().replace('=', "")] {
        malformed(&record("", &format!(", key: {key}"), &[]), 7, 37);
    }
}

#[test]
fn z33_keys_never_change_within_a_record() {
    // From the third entry on Bram signs with another key, which neither the header nor his first entry named.
    let text = signed(&with_both(&GAME[..3]), both);
    let other = signed(&with_both(&GAME[..3]), |_| Some(cleo()));
    let last = |text: &str| text.lines().last().expect("a line").to_owned();
    refused(&text.replace(&last(&text), &last(&other)), 3, "Z32");
}

#[test]
fn z34_the_newest_signatures_prove_everything_before_them() {
    let text = signed(&with_both(&GAME), both);
    let newest = |text: &str| verify_newest(text.as_bytes());
    assert_eq!(newest(&text).ruling, Ruling::Legal);
    assert!(newest(&text).signers.expect("signers").newest_only);
    assert!(!verify(text.as_bytes()).signers.expect("signers").newest_only);
    // Whatever was changed in the past, the verdict is the same as when all signatures are checked, with the first
    // fault named.
    for (old, new) in [("{a word}", "{a ward}"), ("Ada Quill", "Eve Quill"), ("c3-c4 {a word}", "c3-c4")] {
        let forged = text.replace(old, new);
        let (all, few) = (verify(forged.as_bytes()), newest(&forged));
        assert_eq!((few.ruling, &few.errors), (Ruling::Illegal, &all.errors), "{new}");
        assert_eq!(few.entries, all.entries);
    }
    // An older signature is not checked but must be present.
    let signatures: Vec<_> = text.lines().filter(|line| line.starts_with("  ~")).collect();
    let swapped = text.replace(signatures[2], signatures[4]);
    assert_eq!(newest(&swapped).ruling, Ruling::Legal);
    refused(&swapped, 3, "Z32");
    let lacking = text.replace(&format!("{}\n", signatures[2]), "");
    assert_eq!(newest(&lacking).errors, verify(lacking.as_bytes()).errors);
    // The newest of each side is checked.
    for nth in [7, 8] {
        let forged = text.replace(signatures[nth], signatures[nth - 2]);
        assert_eq!(newest(&forged).errors[0].entry, Some(nth as u32 + 1));
    }
    // A record without keys is judged as usual.
    assert_eq!(newest(&record("", "", &GAME)).signers, None);
}

#[test]
fn the_verdict_says_who_signs() {
    let signers = |text: &str| verify(text.as_bytes()).signers.map(|signers| signers.keys);
    let (a, b) = (Some(ada().public()), Some(bram().public()));
    assert_eq!(signers(&record("", "", &GAME)), None);
    assert_eq!(signers(&signed(&with_both(&GAME), both)), Some([a, b]));
    let one = signed(&record("", &field(&bram()), &GAME), |side| both(side).filter(|_| side == "defenders"));
    assert_eq!(signers(&one), Some([None, b]));
    assert_eq!(signers(&signed(&record("", "", &lines(&declared(true, 4))), both)), Some([a, b]));
}

/// Changes every byte of header, entries and signatures, and inserts and deletes bytes: the result is refused, or means
/// exactly the same.
fn no_single_byte_is_forged(text: &str) {
    let before = digest(text.as_bytes());
    let source = text.as_bytes();
    let mut kept = 0;
    let mut check = |forged: &[u8]| {
        let verdict = verify(forged);
        if verdict.ruling == Ruling::Legal {
            kept += 1;
            assert_eq!(digest(forged), before, "{}", String::from_utf8_lossy(forged));
        }
        assert_ne!(verdict.ruling, Ruling::Unjudged, "{:?}", verdict.errors);
    };
    for at in 4..source.len() {
        let byte = source[at];
        for other in [byte ^ 1, byte ^ 0x20, b' ', b'#', b'\n', b'0'] {
            // Another game, format or edition is a separate case: it is not judged at all.
            let line = source[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
            if other != byte && !source[line..].starts_with(b"game") && !source[line..].starts_with(b"pbem") {
                let mut forged = source.to_vec();
                forged[at] = other;
                check(&forged);
            }
        }
        if byte.is_ascii_digit() || byte == b'\n' || byte == b' ' {
            let line = source[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
            if source[line..].starts_with(b"game") || source[line..].starts_with(b"pbem") {
                continue;
            }
            check(&[&source[..at], &source[at + 1..]].concat());
            check(&[&source[..at], b"\r", &source[at..]].concat());
            check(&[&source[..at], &[byte], &source[at..]].concat());
        }
    }
    assert!(kept > 0, "some changes, such as line ends, make no difference");
}

#[test]
fn z30_no_byte_of_a_signed_record_is_changed_unnoticed() {
    no_single_byte_is_forged(&signed(&with_both(&GAME[..4]), both));
    no_single_byte_is_forged(&signed(&record("", "", &lines(&declared(true, 3))), both));
}

#[test]
fn two_signed_entries_for_one_turn_are_evidence() {
    let game = |lines: &[&str]| signed(&with_both(lines), both);
    let one = game(&GAME[..4]);
    let other = game(&[GAME[0], GAME[1], "3 defenders e6-e7; huff c6"]);
    let between = |one: &str, other: &str| evidence(one.as_bytes(), other.as_bytes()).expect("two records");
    let Evidence::Double(found) = between(&one, &other) else { panic!("evidence") };
    assert_eq!((found.number, found.key), (3, bram().public()));
    let lines = found.versions.each_ref().map(|version| version.line.as_str());
    assert_eq!(lines, [GAME[2], "3 defenders e6-e7; huff c6"]);
    // Anyone can check it.
    for version in &found.versions {
        let signature = data_encoding::BASE64.decode(version.signature.as_bytes()).expect("base64");
        let signature: [u8; 64] = signature.try_into().expect("64 bytes");
        assert_eq!(found.key.verify(version.text.as_bytes(), &signature), Ok(()));
    }
    // One record as the beginning of the other, a shorthand, and different remarks are not evidence.
    for same in [one.clone(), game(&GAME[..3]), one.replace("; huff d6", ""), one.replace("4 b", "# a remark\n4 b")] {
        assert_eq!(between(&one, &same), Evidence::None);
    }
    // Neither is a record changed by someone else, because the player's signature does not match it.
    let forged = one.replace("c6-d6; huff d6", "e6-e7; huff c6");
    assert_eq!(between(&one, &forged), Evidence::None);
    // A different header is a different game, whatever its id.
    let renamed = signed(&with_both(&GAME[..4]).replace("Ada Quill", "Ada Q."), both);
    assert!(matches!(evidence(one.as_bytes(), renamed.as_bytes()), Err(NoEvidence::OtherHeader)));
    // A signed entry counts although it is illegal.
    let illegal = game(&[GAME[0], GAME[1], "3 defenders c6-a1"]);
    let Evidence::Double(found) = between(&one, &illegal) else { panic!("evidence") };
    assert_eq!((found.number, found.versions[1].line.as_str()), (3, "3 defenders c6-a1"));
    // An entry that was made twice, at two times, is not double play; what is played after it may be.
    let timed = |times: [&str; 3], third: &str| {
        let lines = [GAME[0], GAME[1], third];
        let lines: Vec<_> =
            lines.iter().zip(times).map(|(line, time)| format!("{line} @2026-11-21T{time}:00Z")).collect();
        game(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (early, late) = (timed(["10:00", "11:00", "12:00"], GAME[2]), timed(["10:00", "11:30", "12:00"], GAME[2]));
    assert!(matches!(between(&early, &late), Evidence::Twice(found) if found.number == 2));
    let other = timed(["10:00", "11:30", "12:00"], "3 defenders e6-e7; huff c6");
    assert!(matches!(between(&early, &other), Evidence::Double(found) if found.number == 3));
    // A different key is reported, and proves nothing against anyone.
    let key = |key: SecretKey| {
        let line = format!("1 defenders key {}; place c6 e6", key.public().text());
        signed(&record("", "", &[&line]), move |_| Some(SecretKey::read(&key.reveal()).expect("a key")))
    };
    assert!(matches!(between(&key(ada()), &key(bram())), Evidence::Keys(Side::Second, _)));
    let elsewhere = signed(&with_both(&GAME[..4]).replace("signed-here", "signed-there"), both);
    assert!(matches!(evidence(one.as_bytes(), elsewhere.as_bytes()), Err(NoEvidence::OtherGame)));
    assert!(matches!(evidence(one.as_bytes(), b"no record"), Err(NoEvidence::Record(1, _))));
}
