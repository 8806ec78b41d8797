//! What a host's lists cost among many games: each note and each record is read once.

use std::collections::BTreeMap;

use postrider_host::Host;

use super::people::Hosted;
use super::{begun, from};

/// Adds as many games of other people as there are to be, each with a record and a note.
fn among(host: &Hosted, id: &str, count: usize) {
    let files = host.memory.snapshot();
    let find = |part: &str, end: &str| {
        let found = files.iter().find(|(path, _)| path.contains(part) && path.ends_with(end));
        found.map(|(path, bytes)| (path.clone(), String::from_utf8(bytes.clone()).expect("text"))).expect("a file")
    };
    let (record, note) = (find("data/games/", ".pbem"), find("host/games/", id));
    let disk = &host.folders.disk;
    for nth in 0..count {
        let other = format!("{}{nth:04}", &id[..id.len() - 4]);
        for (path, text) in [&record, &note] {
            let path = path.replace(id, &other);
            disk.put_private(std::path::Path::new(&path), text.replace(id, &other).as_bytes()).expect("a file");
        }
    }
}

/// How often each note of a game and each record is read by what is done.
fn read(host: &Hosted, act: impl Fn(&Host<'_>)) -> BTreeMap<String, u64> {
    let office = host.office();
    let open = Host::open(&office).expect("a host");
    let _ = host.memory.opened();
    act(&open);
    host.memory.opened().into_iter().filter(|(path, _)| path.contains("/games/")).collect()
}

#[test]
fn the_lists_of_a_host_read_each_note_and_each_record_once() {
    let host = Hosted::plain();
    let (id, _) = begun(&host, "asalto");
    among(&host, &id, 60);
    type Asked<'a> = (&'a str, &'a dyn Fn(&Host<'_>));
    let lists: [Asked<'_>; 3] = [
        ("status", &|host| {
            let status = host.status().expect("a status");
            assert_eq!((status.running, status.ailing.len()), (61, 0), "{:?}", status.ailing);
        }),
        ("games", &|host| assert_eq!(host.games().expect("the games").len(), 61)),
        ("ailing", &|host| assert_eq!(host.ailing(true).expect("a list").len(), 0)),
    ];
    for (name, act) in lists {
        let counts = read(&host, act);
        assert_eq!(counts.len(), 2 * 61, "{name}");
        let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
        assert!(twice.is_empty(), "{name}: {twice:?}");
    }
}

/// How many files are opened, and how many bytes are changed on the disk, by a letter with a move among so many games of other people.
fn of_a_move(games: usize) -> (u64, usize) {
    let host = Hosted::plain();
    let (id, letters) = begun(&host, "asalto");
    let due = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn").clone();
    among(&host, &id, games);
    let size = || host.memory.snapshot().iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let before = size();
    let _ = host.memory.opened();
    host.deliver(&host.reply(from(&due.to), &due, "place c6 e6"));
    let opened = host.memory.opened().values().sum();
    assert_eq!(host.letters().len(), 2);
    (opened, size() - before)
}

#[test]
fn what_a_move_opens_and_writes_does_not_grow_with_the_games_of_others() {
    let (few, many) = (of_a_move(10), of_a_move(800));
    assert!(few.0 > 5 && few.0 == many.0, "{few:?} among 10 games, and {many:?} among 800");
    assert!(many.1.abs_diff(few.1) < 200, "{few:?} among 10 games, and {many:?} among 800");
}
