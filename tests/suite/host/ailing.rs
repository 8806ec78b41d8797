//! A host with a game that cannot be played, and one whose disk has errors.

use std::path::PathBuf;

use postrider_host::Host;
use postrider_referee::verdict::{Ruling, verify};

use super::people::{Hosted, Letter, to};
use super::{ADDRESSES, begun, due, from};
use postrider_testing::random::Stream;

const DAY: i64 = 86_400;

pub(super) fn file(host: &Hosted, id: &str) -> PathBuf {
    host.folders.games().join(format!("{id}.pbem"))
}

pub(super) fn put(host: &Hosted, id: &str, record: &[u8]) {
    let path = file(host, id);
    host.folders.disk.remove(&path).expect("removed");
    host.folders.disk.create_private(&path, record).expect("a file");
}

/// The state of the host's lists: the reason why the game cannot be played in `status` and in `games`.
fn listed(host: &Hosted, id: &str) -> (Option<String>, Option<String>) {
    let office = host.office();
    let open = Host::open(&office).expect("a host");
    let status = open.status().expect("a status").ailing.into_iter().find(|row| row.id == id).map(|row| row.why);
    let games = open.games().expect("games").into_iter().find(|row| row.id == id).and_then(|row| row.ails);
    (status, games)
}

#[test]
fn a_game_whose_record_is_missing_damaged_or_illegal_stops_no_other_and_its_letters_are_kept() {
    for (what, word) in
        [("missing", "missing"), ("damaged", "malformed"), ("illegal", "illegal"), ("shorter", "lost entries")]
    {
        let host = Hosted::plain();
        let (bad, letters) = begun(&host, "asalto");
        let mut stream = Stream(3);
        let (letter, entry) = due(&host, &bad, &letters, &mut stream).expect("a turn");
        host.deliver(&host.reply(from(&letter.to), &letter, &entry));
        let letters = host.letters();
        let (letter, entry) = due(&host, &bad, &letters, &mut stream).expect("a turn");
        let (good, others) = begun(&host, "asalto");
        let record = host.record(&bad);
        let text = String::from_utf8(record.clone()).expect("text");
        match what {
            "missing" => drop(host.folders.disk.remove(&file(&host, &bad)).expect("removed")),
            "damaged" => put(&host, &bad, &record[..record.len() - 30]),
            "illegal" => put(&host, &bad, text.replacen("\n1 defenders", "\n1 besiegers", 1).as_bytes()),
            _ => put(&host, &bad, text.split_once("\n1 ").expect("an entry").0.as_bytes()),
        }
        let (first, second) = listed(&host, &bad);
        assert!(first.as_deref().is_some_and(|why| why.contains(word)), "{what}: {first:?}");
        assert_eq!(first, second);
        assert_eq!(listed(&host, &good), (None, None));
        // A letter about it is kept, and its writer hears of it once.
        let done = host.deliver(&host.reply(from(&letter.to), &letter, &entry));
        assert_eq!((done.read, done.held, done.stuck, done.ailing), (0, 1, 0, 1), "{what}");
        assert!(host.letter_to(&letter.to).text.contains("is kept"), "{what}");
        let done = host.deliver(&host.reply(from(&letter.to), &letter, "show"));
        assert_eq!((done.held, done.stuck, done.ailing), (1, 0, 0), "{what}");
        assert!(host.letters().is_empty());
        // What anybody could have written about it is neither kept nor answered.
        host.deliver(&host.fresh(from(&letter.to), &format!("Re: [pbem] {bad} #1"), "resign"));
        let kept = host.memory.snapshot().iter().filter(|(path, _)| path.contains(&format!("held/{bad}/"))).count();
        assert!(kept == 2 && host.letters().is_empty(), "{what}: {kept}");
        // The other game does not notice.
        let (other, reply) = due(&host, &good, &others, &mut stream).expect("a turn");
        host.deliver(&host.reply(from(&other.to), &other, &reply));
        assert_eq!(verify(&host.record(&good)).entries, 1, "{what}");
        host.letters();
        // Nor do clocks: nothing is claimed in the one, and the other is over.
        for _ in 0..8 {
            host.later(DAY);
            let done = host.run();
            assert_eq!((done.stuck, done.ailing), (0, 1), "{what}: once a day");
        }
        assert!(verify(&host.record(&good)).outcome.is_some(), "{what}");
        host.letters();
        // Once it is mended the letter is read, with the time at which it came.
        put(&host, &bad, &record);
        let done = host.run();
        assert_eq!(done.read, 2, "{what}");
        let verdict = verify(&host.record(&bad));
        assert_eq!((verdict.ruling, verdict.entries, verdict.outcome.is_some()), (Ruling::Legal, 2, false), "{what}");
        assert_eq!(listed(&host, &bad), (None, None));
    }
}

#[test]
fn the_time_in_which_a_game_could_not_be_played_is_nobodys() {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let mut stream = Stream(3);
    let (letter, entry) = due(&host, &id, &letters, &mut stream).expect("a turn");
    host.deliver(&host.reply(from(&letter.to), &letter, &entry));
    host.letters();
    let record = host.record(&id);
    host.folders.disk.remove(&file(&host, &id)).expect("removed");
    // The first look at its clock finds out.
    host.later(3 * DAY);
    host.run();
    host.later(6 * DAY);
    host.run();
    put(&host, &id, &record);
    host.run();
    host.letters();
    // Two of the five days are left, and the reminder says so.
    host.later(DAY * 3 / 2 + 7200);
    host.run();
    let letters: Vec<Letter> = host.letters();
    assert!(letters.iter().any(|letter| letter.subject.contains("a reminder")), "{letters:?}");
    assert_eq!(verify(&host.record(&id)).entries, 1);
    host.later(DAY);
    host.run();
    assert!(verify(&host.record(&id)).outcome.is_some());
}

#[test]
fn an_error_of_the_disk_is_no_verdict_on_a_letter() {
    for (game, part) in [
        ("asalto", "data/keys"),
        ("asalto", "data/games"),
        ("asalto", "host/games"),
        ("asalto", "host/people"),
        ("asalto", "host/secret"),
        ("asalto", "data/signed"),
        ("assassyn", "data/secrets"),
    ] {
        let host = Hosted::plain();
        let (id, letters) = begun(&host, game);
        let (letter, entry) = due(&host, &id, &letters, &mut Stream(3)).expect("a turn");
        let message = host.reply(from(&letter.to), &letter, &entry);
        let before = verify(&host.record(&id)).entries;
        // It is in the host's keeping before the disk fails.
        let office = host.office();
        Host::open(&office).expect("a host").take(&message).expect("it is taken");
        drop(office);
        host.memory.unreadable(part);
        let office = host.office();
        let done = Host::open(&office).and_then(|open| open.run(&|_| {}));
        drop(office);
        assert!(done.as_ref().map_or(true, |done| done.stuck > 0), "{game} {part}: {done:?}");
        assert!(host.letters().is_empty(), "{game} {part}: nothing is said of a letter that was not read");
        host.memory.unreadable("");
        host.run();
        assert!(verify(&host.record(&id)).entries > before, "{game} {part}");
        assert_eq!(to(&host.letters(), ADDRESSES[0]).to, ADDRESSES[0]);
    }
}

#[test]
fn a_record_that_somebody_changes_under_a_job_is_not_written_over_and_stops_nothing() {
    use postrider_disk::disk::{Failing, Memory};
    let before = Hosted::plain();
    let (id, letters) = begun(&before, "asalto");
    let mut stream = Stream(3);
    let (letter, entry) = due(&before, &id, &letters, &mut stream).expect("a turn");
    before.deliver(&before.reply(from(&letter.to), &letter, &entry));
    let (letter, entry) = due(&before, &id, &before.letters(), &mut stream).expect("a turn");
    let message = before.reply(from(&letter.to), &letter, &entry);
    let files = before.memory.snapshot();
    // Killed between the writing of the job and that of the record.
    let host = (0..60)
        .find_map(|nth| {
            let host = Hosted::at(Memory::from_snapshot(files.clone()));
            host.memory.fail_after(nth, Failing::Killed);
            let office = host.office();
            let _ = Host::open(&office).and_then(|open| {
                open.take(&message)?;
                open.run(&|_| {})
            });
            drop(office);
            host.memory.recover();
            let has_job = host.memory.snapshot().iter().any(|(path, _)| path.ends_with("host/job"));
            (has_job && verify(&host.record(&id)).entries == 1).then_some(host)
        })
        .expect("a job that is not done");
    let record = host.record(&id);
    let changed = String::from_utf8(record.clone()).expect("text").replacen("Ada Quill", "Ada Quilt", 1);
    put(&host, &id, changed.as_bytes());
    let done = host.run();
    assert_eq!(host.record(&id), changed.as_bytes(), "it stays as it was");
    assert_eq!((done.held, done.stuck), (1, 0), "{done:?}");
    put(&host, &id, &record);
    host.run();
    assert_eq!(verify(&host.record(&id)).entries, 2);
}
