//! Receipts (Z35): how they are made, mailed, taken and checked, what they prove, and that they accuse nobody wrongly.

use std::fs;

use crate::letters::{letter, receive};
use crate::session::Session;
use crate::signing::{GAME, ada, bram, cleo, field, record, signed};
use postrider_kernel::Side;
use postrider_referee::desk::Desk;
use postrider_referee::sealing::SecretKey;
use postrider_referee::verdict::receipts::{MOST_CHECKED, ReceiptFault, of};
use postrider_referee::verdict::{Evidence, Opened, Ruling, evidence, verify};
use sha2::{Digest, Sha256};

pub const FILE: &str = "games/ours.pbem";
const ADA: &str = ", email: ada@example.org";
const BRAM: &str = ", email: bram@example.net";
const OTHER: &str = "2 besiegers d4-d5";

/// A record that Bram signs, and Ada too if `both`.
pub fn game(both: bool, lines: &[&str]) -> String {
    let hers = if both { ADA.to_owned() + &field(&ada()) } else { ADA.to_owned() };
    signed(&record(&hers, &(BRAM.to_owned() + &field(&bram())), lines), |side| match side {
        "besiegers" => both.then(ada),
        _ => Some(bram()),
    })
}

/// The remark made exactly as Z35 says, for the first entries of a record.
pub fn receipt(text: &str, side: &str, entries: usize, key: &SecretKey) -> String {
    let (header, body) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("---\n")).expect("a header");
    let id = header.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id");
    let start: [u8; 32] = Sha256::digest(header).into();
    let lines = body.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).take(entries);
    let end = lines.fold(start, |digest, line| Sha256::new().chain_update(digest).chain_update(line).finalize().into());
    let hex = |digest: &[u8; 32]| data_encoding::HEXLOWER.encode(digest);
    let signed = format!("pbem1|receipt|{id}|{side}|{entries}|{}|{}", hex(&start), hex(&end));
    format!("# receipt {side} {entries} {}\n", data_encoding::BASE64.encode(&key.sign(signed.as_bytes())))
}

/// The home of a player with this key and a copy of the record.
fn home(email: &str, key: &SecretKey, record: &str) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", format!("email: {email}\ngames: ../games\n"));
    session.write_private("key.pem", key.reveal().as_bytes());
    session.run(&["key", "import", "key.pem"]).ok();
    session.write(FILE, record);
    session
}

pub fn brams(record: &str) -> Session {
    home("bram@example.net", &bram(), record)
}

fn from_bram(record: &str) -> String {
    letter(record).replace("Ada Quill <ada@example.org>", "Bram Post <bram@example.net>")
}

#[test]
fn z35_a_receipt_is_made_once_and_taken_by_the_opponent() {
    let before = game(true, &GAME[..2]);
    let session = brams(&before);
    let said = session.run(&["countersign", FILE]).err;
    assert!(said.contains("signed a receipt for entry 2 and everything before it"), "{said}");
    let after = format!("{before}{}", receipt(&before, "defenders", 2, &bram()));
    assert_eq!(session.read(FILE), after, "exactly as the rule says");
    let said = session.run(&["countersign", FILE]).err;
    assert!(said.contains("there is already a receipt") && session.read(FILE) == after, "{said}");
    // The verdict is the same, and so is the form.
    assert_eq!(verify(after.as_bytes()).entries, verify(before.as_bytes()).entries);
    session.run(&["fmt", "--check", FILE]).ok();
    let told = session.run(&["verify", FILE]).ok();
    assert!(
        told.contains("receipt: defenders have entry 2 and everything before it") && !told.contains("warning"),
        "{told}"
    );

    let hers = home("ada@example.org", &ada(), &before);
    let done = receive(&hers, &[], from_bram(&after).as_bytes());
    assert!(
        done.err.contains("a receipt: the defenders have entry 2 and everything before it"),
        "{}{}",
        done.out,
        done.err
    );
    assert_eq!(hers.read(FILE), after);
    let done = receive(&hers, &[], from_bram(&after).as_bytes());
    assert_eq!(hers.read(FILE), after, "{}{}", done.out, done.err);
    // It is also taken if the record here has continued in the meantime, as after a lost letter.
    let further = game(true, &GAME[..3]);
    hers.write(FILE, &further);
    fs::remove_dir_all(hers.path("home/data/known")).expect("what was known");
    let _ = receive(&hers, &[], from_bram(&after).as_bytes());
    assert_eq!(hers.read(FILE), format!("{further}{}", receipt(&before, "defenders", 2, &bram())));
    assert_eq!(verify(hers.read(FILE).as_bytes()).ruling, Ruling::Legal);
}

#[test]
fn z35_no_receipt_is_made_that_is_useless_or_cannot_be_checked() {
    let session = brams(&game(true, &GAME[..1]));
    assert!(session.run(&["countersign", FILE]).fails(2).contains("the last entry is yours"));
    session.write(FILE, record(ADA, BRAM, &GAME[..2]));
    let said = session.run(&["countersign", FILE]).fails(2);
    assert!(said.contains("the record declares no key of the defenders"), "{said}");
    let other = home("bram@example.net", &cleo(), &game(true, &GAME[..2]));
    let said = other.run(&["countersign", FILE]).fails(2);
    assert!(said.contains("which is not the key in this key store"), "{said}");
}

#[test]
fn z35_an_invalid_receipt_accuses_nobody_and_is_not_taken() {
    let before = game(false, &GAME[..2]);
    let sound = receipt(&before, "defenders", 2, &bram());
    let hers = home("ada@example.org", &ada(), &before);
    for (line, why) in [
        (receipt(&before, "defenders", 2, &cleo()), "is not valid"),
        (sound.replace("defenders 2", "defenders 1"), "is not valid"),
        (sound.replace("defenders 2", "defenders 9"), "is for an entry that the record does not have"),
        (receipt(&before, "besiegers", 2, &ada()), "is by a side that has no key"),
        (sound.replace("defenders 2", "nobody 2"), "is not written as a receipt"),
        (sound.replace("defenders 2", "defenders 02"), "is not written as a receipt"),
        (sound.replace("==", ""), "is not written as a receipt"),
    ] {
        let with = format!("{before}{line}");
        hers.write("with.pbem", &with);
        let told = hers.run(&["verify", "with.pbem"]).ok();
        assert!(told.contains(why) && told.contains("it counts against nobody"), "{line}{told}");
        let done = receive(&hers, &[], from_bram(&with).as_bytes());
        assert_eq!(hers.read(FILE), before, "{line}{}{}", done.out, done.err);
        let further = game(false, &[GAME[0], OTHER, GAME[2]]);
        assert!(matches!(evidence(with.as_bytes(), further.as_bytes()), Ok(Evidence::None)), "{line}");
    }
    // Nor can a record be filled with valid ones.
    let done = receive(&hers, &[], from_bram(&format!("{before}{}", sound.repeat(40))).as_bytes());
    assert_eq!(hers.read(FILE), format!("{before}{sound}"), "{}{}", done.out, done.err);
}

#[test]
fn z35_a_record_full_of_receipts_is_checked_and_warned_of_only_in_part() {
    let before = game(true, &GAME[..2]);
    let session = Session::new();
    // A line that is repeated is checked once; different ones only up to a limit, the earliest first.
    let spoiled = |nth: usize| {
        let mut bytes = [0; 64];
        bytes[..8].copy_from_slice(&nth.to_le_bytes());
        format!("# receipt besiegers 1 {}\n", data_encoding::BASE64.encode(&bytes))
    };
    let mut full = before.clone() + &receipt(&before, "besiegers", 2, &ada());
    full.extend((0..MOST_CHECKED + 5).flat_map(|nth| [spoiled(nth), spoiled(0)]));
    full += &receipt(&before, "defenders", 2, &bram());
    session.write("game.pbem", &full);
    let text = session.run(&["verify", "game.pbem"]).ok();
    assert_eq!(text.matches("counts against nobody").count(), 20, "{text}");
    assert!(
        text.contains(&format!("warning: {} more receipts are not valid either", 2 * (MOST_CHECKED + 5) + 1 - 20)),
        "{text}"
    );
    assert!(text.contains("receipt: besiegers have entry 2") && !text.contains("receipt: defenders"), "{text}");
    let mut opened = Opened::new(full.as_bytes()).expect("a record");
    opened.replay(u32::MAX);
    let list = of(&opened, &Desk::open(full.as_bytes()).expect("legal").digests);
    let too_many = list.iter().filter(|(_, read)| matches!(read, Err(ReceiptFault::TooMany))).count();
    // The good one and the first of the others are checked, and each repetition of the first is the same.
    assert_eq!(too_many, 7, "{}", list.len());
}

#[test]
fn z35_the_newest_receipt_is_taken_after_any_number_of_others() {
    let plain = game(true, &GAME[..2]);
    let others: String = (0..100).map(|number| format!("# receipt besiegers {number} AAAA\n")).collect();
    let before = format!("{plain}{others}");
    let hers = home("ada@example.org", &ada(), &before);
    let after = format!("{before}{}", receipt(&plain, "defenders", 2, &bram()));
    let done = receive(&hers, &[], from_bram(&after).as_bytes());
    assert_eq!(hers.read(FILE), after, "{}{}", done.out, done.err);
}

#[test]
fn z35_a_receipt_and_an_entry_that_continues_another_version_are_evidence() {
    let first = game(false, &GAME[..2]);
    let first = format!("{first}{}", receipt(&first, "defenders", 2, &bram()));
    let second = game(false, &[GAME[0], OTHER, GAME[2]]);
    for (one, other) in [(&first, &second), (&second, &first)] {
        let Ok(Evidence::Pasts(found)) = evidence(one.as_bytes(), other.as_bytes()) else { panic!("evidence") };
        assert_eq!((found.side, found.entry, found.differs, found.key), (Side::Second, 2, 2, bram().public()));
    }
    // Another receipt proves as much as an entry.
    let third = game(false, &[GAME[0], OTHER]);
    let third = format!("{third}{}", receipt(&third, "defenders", 2, &bram()));
    assert!(matches!(evidence(first.as_bytes(), third.as_bytes()), Ok(Evidence::Pasts(_))));
    let session = brams(&first);
    session.write("other.pbem", &second);
    let done = session.run(&["evidence", FILE, "other.pbem"]);
    assert_eq!(done.code, 1, "{}", done.err);
    for part in [
        "the defenders have signed a receipt for entry 2, and also signed what follows another version, which differs from entry 2 on",
        "signed     pbem1|receipt|asalto-signed-here|defenders|2|",
        "entry 2 in other.pbem: 2 besiegers d4-d5",
        "Who made those entries is proven only where they are signed.",
    ] {
        assert!(done.out.contains(part), "{part}\n{}", done.out);
    }
    let json = session.run(&["evidence", "--json", FILE, "other.pbem"]).out;
    assert!(json.contains("\"found\":\"a receipt and another past\""), "{json}");
    // If Ada has signed both versions, it is she who played twice. An entry made twice, at two times, counts as one.
    let first = game(true, &GAME[..2]);
    let first = format!("{first}{}", receipt(&first, "defenders", 2, &bram()));
    let second = game(true, &[GAME[0], OTHER, GAME[2]]);
    let found = evidence(first.as_bytes(), second.as_bytes());
    assert!(matches!(found, Ok(Evidence::Double(found)) if found.side == Side::First));
    let times = |second: &str, upto: usize| {
        let lines = [
            format!("{} @2026-11-21T10:00:00Z", GAME[0]),
            format!("2 besiegers c4-c5 @{second}"),
            format!("{} @2026-11-21T13:00:00Z", GAME[2]),
        ];
        game(false, &lines.iter().take(upto).map(String::as_str).collect::<Vec<_>>())
    };
    let early = times("2026-11-21T11:00:00Z", 2);
    let early = format!("{early}{}", receipt(&early, "defenders", 2, &bram()));
    let late = times("2026-11-21T12:00:00Z", 3);
    assert_eq!(verify(late.as_bytes()).ruling, Ruling::Legal);
    assert!(!matches!(evidence(early.as_bytes(), late.as_bytes()), Ok(Evidence::Pasts(_))));
}

#[test]
fn z35_nobody_is_led_to_sign_what_contradicts_their_receipt() {
    let session = brams(&game(false, &GAME[..2]));
    session.run(&["countersign", FILE]).ok();
    let there = session.read(FILE);
    session.write(FILE, game(false, &[GAME[0], OTHER]));
    for args in [&["move", FILE, "c6-d6", "--accept-rewritten"][..], &["countersign", FILE, "--accept-rewritten"]] {
        let said = session.run(args).fails(2);
        assert!(said.contains("you have signed a receipt for entry 2 as it was"), "{said}");
    }
    session.run(&["restore", FILE]).ok();
    assert_eq!(session.read(FILE), there);
    // The entries were not made in this home.
    session.run(&["move", FILE, "c6-d6", "--only-here"]).ok();
}

#[test]
fn z35_a_receipt_that_failed_is_trouble_that_may_pass_and_is_made_up_for() {
    let session = brams(&game(true, &GAME[..1]));
    let there = game(true, &GAME[..2]);
    let key = session.path("home/data/keys/own.pem");
    let away = session.path("away");
    fs::rename(&key, &away).expect("a key");
    let letter = letter(&there);
    let mbox = format!("From x\n{letter}\n");
    session.write("mbox", mbox);
    for (args, input) in [(&["--countersign"][..], letter.as_bytes()), (&["--countersign", "mbox"], b"")] {
        let done = receive(&session, args, input);
        assert_eq!(done.code, 75, "{}{}", done.out, done.err);
        assert!(done.err.contains("which is not the key in this key store"), "{}", done.err);
        assert_eq!(session.read(FILE), there, "the entry is here, and the receipt is not");
    }
    fs::rename(&away, &key).expect("a key");
    let done = receive(&session, &["--countersign", "mbox"], b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(session.read(FILE), format!("{there}{}", receipt(&there, "defenders", 2, &bram())));
    assert_eq!(fs::read_dir(session.path("home/data/outbox")).expect("an outbox").count(), 1);
}

#[test]
fn z35_receive_countersigns_what_is_not_answered_and_mails_it_once() {
    let session = brams(&game(true, &GAME[..1]));
    let there = game(true, &GAME[..2]);
    for _ in 0..2 {
        let done = receive(&session, &["--countersign"], letter(&there).as_bytes());
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    }
    assert_eq!(session.read(FILE), format!("{there}{}", receipt(&there, "defenders", 2, &bram())));
    let outbox = fs::read_dir(session.path("home/data/outbox")).expect("an outbox");
    let letters: Vec<_> =
        outbox.map(|entry| fs::read_to_string(entry.expect("a letter").path()).expect("a letter")).collect();
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert!(letters[0].contains("[pbem] asalto-signed-here #2: received (defenders)"), "{}", letters[0]);
    assert!(letters[0].contains("To: Ada Quill <ada@example.org>") || letters[0].contains("ada@example.org"));
    // The opponent's program takes it from the letter.
    let hers = home("ada@example.org", &ada(), &there);
    let done = receive(&hers, &[], letters[0].as_bytes());
    assert!(done.err.contains("a receipt: the defenders have entry 2"), "{}{}", done.out, done.err);
}
