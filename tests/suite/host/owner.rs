//! Entries that whoever runs the host makes with `move`, while the host runs: whichever of the two comes in between, both players are told of
//! each of them, once.

use std::sync::{Arc, Mutex};

use postrider_disk::disk::{Failing, Memory};
use postrider_home::entry::moves::{Options, Outcome, enter};
use postrider_home::records;
use postrider_home::send::letters::Place;
use postrider_host::Host;
use postrider_referee::verdict::verify;

use super::people::{Hosted, Letter, flat};
use super::time::now;
use super::{ADDRESSES, begun};

type Files = Vec<(String, Vec<u8>)>;

/// A host with these files, at this time, whose other programs have them too.
fn at(memory: &Memory, time: i64) -> Hosted {
    let host = Hosted::at(memory.clone());
    host.away(time - now(&host));
    host
}

/// Makes an entry as `move` does; returns whether it was made.
fn made(host: &Hosted, id: &str, entry: &str) -> bool {
    let office = host.office();
    let file = host.folders.games().join(format!("{id}.pbem"));
    let place = Place { file: &file, name: id };
    let Ok((lock, source)) = records::take(&office, place) else { return false };
    let source = (Some(lock), source);
    matches!(enter(&office, place, entry, &Options::default(), source), Ok(Outcome::Made(_)))
}

/// What a run of the host sends, whether or not it comes to its end.
fn run(host: &Hosted) -> Vec<Letter> {
    let office = host.office();
    let _ = Host::open(&office).and_then(|host| host.run(&|_| {}));
    drop(office);
    host.letters()
}

/// The notes of entries that nobody was told of.
fn notes(host: &Hosted) -> Vec<String> {
    host.memory.snapshot().into_iter().map(|(path, _)| path).filter(|path| path.contains("/host/made/")).collect()
}

/// Asserts that each player got one letter for each of these entries, in order, and nothing is left.
fn each_is_told(host: &Hosted, letters: &[Letter], entries: &[&str], place: &str) {
    for address in ADDRESSES {
        let texts: Vec<String> =
            letters.iter().filter(|letter| letter.to == address).map(|letter| flat(&letter.text)).collect();
        let told = || format!("{place}: {address}: {texts:#?}");
        assert!(!texts.is_empty() && texts.len() <= entries.len(), "{}", told());
        let last = texts.last().expect("a letter");
        assert!(last.contains(entries.last().expect("an entry")), "{}", told());
        // Entries that were made before anybody was told of one are in one letter.
        assert!(entries.iter().all(|entry| texts.iter().any(|text| text.contains(entry))), "{}", told());
    }
    assert_eq!(notes(host), Vec::<String>::new(), "{place}");
}

fn game() -> (Files, String, i64) {
    let host = Hosted::plain();
    let (id, _) = begun(&host, "asalto");
    (host.memory.snapshot(), id, now(&host))
}

#[test]
fn a_run_while_the_owner_makes_an_entry_loses_no_letter_about_it() {
    let (files, id, time) = game();
    for nth in 0.. {
        let memory = Memory::from_snapshot(files.clone());
        let host = at(&memory, time);
        let letters = Arc::new(Mutex::new(None));
        let (there, sent) = (memory.clone(), Arc::clone(&letters));
        memory.meanwhile(nth, move || *sent.lock().expect("a lock") = Some(run(&at(&there, time))));
        assert!(made(&host, &id, "place c6 e6"), "{nth}");
        let Some(mut letters) = letters.lock().expect("a lock").take() else {
            assert!(nth > 2, "an entry is more than {nth} changes");
            break;
        };
        letters.extend(run(&host));
        each_is_told(&host, &letters, &["c6 e6"], &format!("a run before change {nth}"));
        assert_eq!(run(&host).len(), 0, "{nth}");
    }
}

#[test]
fn an_entry_that_the_owner_makes_while_both_are_told_of_another_is_told_next() {
    let (files, id, time) = game();
    for nth in 0.. {
        let memory = Memory::from_snapshot(files.clone());
        let host = at(&memory, time);
        assert!(made(&host, &id, "place c6 e6"));
        let done = Arc::new(Mutex::new(None));
        let (there, is_made, other) = (memory.clone(), Arc::clone(&done), id.clone());
        memory
            .meanwhile(nth, move || *is_made.lock().expect("a lock") = Some(made(&at(&there, time), &other, "c4-c5")));
        let mut letters = run(&host);
        let Some(is_made) = done.lock().expect("a lock").take() else {
            assert!(nth > 4, "a run is more than {nth} changes");
            break;
        };
        assert!(is_made, "{nth}");
        letters.extend(run(&host));
        assert_eq!(verify(&host.record(&id)).entries, 2, "{nth}");
        each_is_told(&host, &letters, &["c6 e6", "c4-c5"], &format!("an entry before change {nth}"));
        assert_eq!(run(&host).len(), 0, "{nth}");
    }
}

#[test]
fn a_note_of_an_entry_that_was_never_made_goes_after_a_day() {
    let (files, id, time) = game();
    let memory = Memory::from_snapshot(files);
    let host = at(&memory, time);
    // The folder of the notes is made before, so that the note is the first change that is made.
    let before = notes(&host);
    for nth in 1.. {
        memory.fail_after(nth, Failing::Killed);
        assert!(!made(&host, &id, "place c6 e6"), "it was to be killed");
        memory.recover();
        if notes(&host) != before {
            break;
        }
    }
    assert_eq!(verify(&host.record(&id)).entries, 0);
    assert_eq!((run(&host).len(), notes(&host).len()), (0, 1));
    host.later(86_500);
    run(&host);
    assert_eq!(notes(&host), Vec::<String>::new());
}
