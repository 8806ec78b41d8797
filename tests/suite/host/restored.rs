//! A host that has lost something: its key or its secret, or what has happened since its backup.

use std::collections::BTreeSet;
use std::fs;

use postrider_disk::disk::Memory;
use postrider_host::{Host, Longest};
use postrider_referee::verdict::verify;
use postrider_vault::backup::restored::Restored;

use super::people::{Hosted, Letter, to};
use super::{ADA, ADDRESSES, begun, due, from};
use crate::session::Session;
use postrider_testing::random::Stream;

const DAY: i64 = 86_400;

#[test]
fn a_host_without_its_key_or_its_secret_keeps_letters_and_reads_sends_and_claims_nothing() {
    for what in ["data/keys/own.pem", "data/host/secret"] {
        let host = Hosted::plain();
        let (id, letters) = begun(&host, "asalto");
        let mut stream = Stream(3);
        let (letter, entry) = due(&host, &id, &letters, &mut stream).expect("a turn");
        host.deliver(&host.reply(from(&letter.to), &letter, &entry));
        let letters = host.letters();
        let (letter, entry) = due(&host, &id, &letters, &mut stream).expect("a turn");
        let files = host.memory.snapshot();
        let (kept, lost): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| !path.ends_with(what));
        assert_eq!(lost.len(), 1, "{what}");
        let poor = Hosted::at(Memory::from_snapshot(kept.clone()));
        let message = host.reply(from(&letter.to), &letter, &entry);
        let office = poor.office();
        let open = Host::open(&office).expect("it takes letters");
        assert!(open.lacks().is_some_and(|lacks| lacks.contains("is missing")), "{what}");
        open.take(&message).expect("it is taken");
        poor.later(9 * DAY);
        assert!(open.run(&|_| {}).is_err() && open.forget(ADDRESSES[0], &|_| {}).is_err(), "{what}");
        assert!(Host::set_up(&office, false).is_err(), "it is not taken for a new home");
        assert_eq!(open.status().expect("a status").unread, 1);
        assert!(poor.letters().is_empty());
        assert_eq!(verify(&poor.record(&id)).entries, 1, "{what}");
        let has = |path: &str| poor.memory.snapshot().iter().any(|(there, _)| there.ends_with(path));
        assert!(!has(what), "nothing was made anew");
        drop(open);
        drop(office);
        // Brought back, it goes on with the letter that waited.
        let mut files = poor.memory.snapshot();
        files.extend(lost);
        let whole = Hosted::at(Memory::from_snapshot(files));
        whole.run();
        assert_eq!(verify(&whole.record(&id)).entries, 2, "{what}");
    }
}

#[test]
#[cfg(unix)]
fn what_a_host_has_lost_is_named_by_status_and_doctor_and_a_letter_is_not_returned() {
    use std::os::unix::fs::PermissionsExt;
    let setup = ["host", "setup", "--yes", "--name", "The Mill", "--email", "games@example.com", "--outbox", "out"];
    let asks = "From: Ada <ada@example.org>\nTo: games@example.com\nSubject: help\nMessage-ID: <1@mail.example.org>\n\nHello\n";
    for (file, lost) in [("secret", true), ("key", true), ("secret", false), ("another key", true)] {
        let session = Session::new();
        session.run(&setup).ok();
        let settings = session.read("home/settings.yaml");
        assert!(settings.contains("\n  key: \"") && settings.contains("\n  secret-check: \""), "{settings}");
        let path = session.path(if file == "secret" { "home/data/host/secret" } else { "home/data/keys/own.pem" });
        let old = fs::read(&path).expect("a file");
        match lost {
            true => fs::remove_file(&path).expect("removed"),
            false => fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("a mode"),
        }
        if file == "another key" {
            session.run(&["key", "new"]).ok();
        }
        let done = session.feed(&["host", "receive"], asks.as_bytes());
        assert_eq!(done.code, 0, "{file}: the letter is in its keeping: {}", done.err);
        assert_eq!(fs::read_dir(session.path("home/data/host/spool")).expect("a spool").count(), 1);
        let named = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        for args in
            [&["host", "status"][..], &["host", "receive", "--only-due"], &["host", "forget", "ada@example.org"]]
        {
            let done = session.run(args);
            assert_eq!(done.code, 2, "{file} {args:?}: {}{}", done.out, done.err);
            assert!(format!("{}{}", done.out, done.err).contains(&named), "{file} {args:?}: {}{}", done.out, done.err);
        }
        let doctor = session.run(&["doctor"]);
        assert!(doctor.code == 1 && doctor.out.contains(&named), "{file}: {}", doctor.out);
        if lost {
            let again = session.run(&setup);
            assert!(again.code == 2 && again.err.contains("--anew"), "{file}: {}", again.err);
        }
        assert!(!session.path("out").exists() || fs::read_dir(session.path("out")).expect("a folder").count() == 0);
        fs::write(&path, &old).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a mode");
        session.run(&["host", "receive", "--only-due"]).ok();
        assert_eq!(fs::read_dir(session.path("out")).expect("an outbox").count(), 1);
        session.run(&["host", "status"]).ok();
    }
}

/// A game that went on after the backup: the host as the backup has it, the id, what was sent before and since, and the entries then.
pub(super) struct After {
    pub(super) host: Hosted,
    pub(super) id: String,
    pub(super) sent: Vec<Letter>,
    pub(super) entries: u32,
}

pub(super) fn restored() -> After {
    let before = Hosted::plain();
    let (id, mut letters) = begun(&before, "asalto");
    let mut stream = Stream(3);
    let play = |letters: &[Letter], stream: &mut Stream| {
        let (letter, entry) = due(&before, &id, letters, stream).expect("a turn");
        before.later(3600);
        before.deliver(&before.reply(from(&letter.to), &letter, &entry));
        before.letters()
    };
    letters = play(&letters, &mut stream);
    let files = before.memory.snapshot();
    let mut sent = letters.clone();
    for _ in 0..2 {
        letters = play(&letters, &mut stream);
        sent.extend(letters.clone());
    }
    let entries = verify(&before.record(&id)).entries;
    let host = Hosted::at(Memory::from_snapshot(files));
    host.later(20 * 3600);
    Restored::new(&host.folders).mark(&BTreeSet::from([id.clone()]), "2026-11-25T12:00:00Z").expect("a mark");
    After { host, id, sent, entries }
}

#[test]
fn after_a_restore_both_are_asked_nothing_is_entered_or_claimed_and_two_times_yes_goes_on() {
    let After { host, id, .. } = restored();
    host.run();
    let asked = host.letters();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|letter| letter.text.contains("Is this the last position that you have?")), "{asked:?}");
    host.run();
    assert!(host.letters().is_empty(), "they are asked once");
    let record = host.record(&id);
    let office = host.office();
    let open = Host::open(&office).expect("a host");
    assert!(open.games().expect("games")[0].ails.as_deref().is_some_and(|why| why.contains("backup")));
    drop(open);
    // A move is kept, and no time is claimed.
    let done = host.deliver(&host.reply(ADA, to(&asked, ADDRESSES[0]), "resign"));
    assert_eq!((done.read, done.held, done.stuck), (0, 1, 0));
    assert!(host.letter_to(ADDRESSES[0]).text.contains("is kept"));
    host.later(9 * DAY);
    host.run();
    assert_eq!(host.record(&id), record);
    host.letters();
    // One yes is not enough.
    host.deliver(&host.reply(ADA, to(&asked, ADDRESSES[0]), "yes"));
    assert!(host.letter_to(ADDRESSES[0]).text.contains("Thank you. The game"));
    assert_eq!(host.record(&id), record);
    host.deliver(&host.reply(super::BRAM, to(&asked, ADDRESSES[1]), "Yes"));
    host.run();
    let verdict = verify(&host.record(&id));
    assert_eq!((verdict.entries, verdict.outcome.is_some()), (1, false), "the time until then is nobody's");
    assert!(host.letters().iter().any(|one| one.text.contains("not your turn")), "the letter that was kept is read");
    host.later(4 * DAY);
    host.run();
    assert!(verify(&host.record(&id)).outcome.is_none(), "four of his five days are left");
    host.later(2 * DAY);
    host.run();
    assert!(verify(&host.record(&id)).outcome.is_some());
}

#[test]
fn after_a_restore_a_longer_record_proves_itself_whoever_brings_it() {
    let After { host, id, sent, entries } = restored();
    host.run();
    let asked = host.letters();
    let newest = sent.iter().rev().find(|letter| letter.to == ADDRESSES[1]).expect("a letter");
    let question = to(&asked, ADDRESSES[1]);
    let forwarded = |record: &[u8]| {
        format!(
            "From: {}\r\nTo: {}\r\nSubject: Fwd: the game\r\nMessage-ID: <f{}@mail.example.org>\r\nMIME-Version: 1.0\r\n\
             Content-Type: multipart/mixed; boundary=xx\r\n\r\n--xx\r\nContent-Type: text/plain\r\n\r\nHere it is.\r\n--xx\r\n\
             Content-Type: application/octet-stream; name=\"{id}.pbem\"\r\nContent-Disposition: attachment; filename=\"{id}.pbem\"\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{}\r\n--xx--\r\n",
            super::BRAM,
            question.from,
            record.len(),
            data_encoding::BASE64
                .encode(record)
                .as_bytes()
                .chunks(76)
                .map(|line| String::from_utf8_lossy(line).into_owned())
                .collect::<Vec<_>>()
                .join("\r\n")
        )
    };
    let longer = postrider_mail::incoming::read(&newest.bytes).records.remove(0);
    // One whose last entry somebody has changed proves nothing.
    let at = longer.len() - 20;
    let mut changed = longer.clone();
    changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
    host.deliver(forwarded(&[&changed[..], b"# \n"].concat()).as_bytes());
    assert!(verify(&host.record(&id)).entries < entries);
    host.letters();
    host.deliver(forwarded(&longer).as_bytes());
    assert_eq!(verify(&host.record(&id)).entries, entries);
    let letters = host.letters();
    let has_position =
        |address: &&str| letters.iter().any(|one| one.to == **address && one.text.contains("Entry 3, by"));
    assert!(ADDRESSES.iter().all(has_position), "both get the position: {letters:?}");
    // And the game goes on: the host signs in it again.
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(8)).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    assert_eq!(verify(&host.record(&id)).entries, entries + 1);
}

#[test]
fn after_a_restore_what_was_sent_is_read_back_or_whoever_runs_the_host_says_so() {
    let After { host, id, sent, entries } = restored();
    let office = host.office();
    let open = Host::open(&office).expect("a host");
    assert_eq!(open.doubted(None).expect("a list"), std::slice::from_ref(&id));
    let mut longest = Longest::default();
    sent.iter().for_each(|letter| longest.look_into(&letter.bytes));
    assert_eq!(open.brings_back(&longest, &|_| {}).expect("read back"), 1);
    drop(open);
    drop(office);
    host.run();
    assert_eq!(verify(&host.record(&id)).entries, entries);
    let letters = host.letters();
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(8)).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    assert_eq!(verify(&host.record(&id)).entries, entries + 1);
    // Without anything to read back, one's word is enough.
    let After { host, id, .. } = restored();
    let office = host.office();
    let open = Host::open(&office).expect("a host");
    open.only_here(&id, &|_| {}).expect("noted");
    assert!(open.doubted(None).expect("a list").is_empty());
    drop(open);
    drop(office);
    host.run();
    let letters = host.letters();
    let (letter, entry) = due(&host, &id, &letters, &mut Stream(8)).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    assert_eq!(verify(&host.record(&id)).entries, 2);
}

#[test]
fn a_copy_of_each_letter_is_kept_where_the_settings_say_so() {
    let host = Hosted::with_host("  copies: copies\n");
    let (_, letters) = begun(&host, "asalto");
    let copies: Vec<Vec<u8>> = host
        .memory
        .snapshot()
        .into_iter()
        .filter(|(path, _)| path.contains("copies/") && path.ends_with(".eml"))
        .map(|(_, bytes)| bytes)
        .collect();
    assert!(letters.iter().all(|letter| copies.contains(&letter.bytes)), "{}", copies.len());
}
