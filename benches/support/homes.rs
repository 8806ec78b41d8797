//! Homes of a host with many games, to count what a letter costs among them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::Random;

/// When everything happens.
const NOW: &str = "2026-11-23T20:00:00Z";
const ADA: &str = "Ada Quill <ada@example.org>";
const BRAM: &str = "Bram Post <bram@example.net>";
/// With what names are written that are drawn: those of people, mailboxes and tokens, and those of messages.
const BASE32: &[u8] = b"abcdefghijklmnopqrstuvwxyz234567";
const HEX: &[u8] = b"0123456789abcdef";
/// How many messages a game has brought so far.
const MESSAGES: usize = 4;

/// A home in which a game was begun.
pub struct Home {
    root: PathBuf,
    id: String,
    /// The letter with its first move.
    pub letter: Vec<u8>,
}

/// The program with a home, ready for its arguments.
pub fn program(root: &Path, before: &[&str]) -> Command {
    let postrider = env!("CARGO_BIN_EXE_postrider");
    let line: Vec<&str> = before.iter().copied().chain([postrider]).collect();
    let mut command = Command::new(line[0]);
    command.args(&line[1..]).env("POSTRIDER_HOME", root).env("POSTRIDER_NOW", NOW).env("RAYON_NUM_THREADS", "1");
    command
}

/// Runs a command that reads a letter.
pub fn fed(mut command: Command, letter: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("it reads").write_all(letter).expect("it takes a letter");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let found = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(|one| one.expect("a file"));
    found.filter(|one| one.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

/// The newest letter to an address; `seen`: those that were looked at before.
fn letter_to(root: &Path, address: &str, seen: &mut BTreeSet<PathBuf>) -> postrider_mail::incoming::Mail {
    let mut found = None;
    for file in files(&root.join("data/outbox")) {
        if seen.insert(file.clone()) {
            let bytes = std::fs::read(&file).expect("a letter");
            let is_to =
                String::from_utf8_lossy(&bytes).lines().any(|line| line.starts_with("To:") && line.contains(address));
            found = is_to.then(|| postrider_mail::incoming::read(&bytes)).or(found);
        }
    }
    found.expect("a letter to the address")
}

fn reply(from: &str, to: &postrider_mail::incoming::Mail, nth: u32, text: &str) -> Vec<u8> {
    let id = to.message_id.as_deref().expect("a Message-ID");
    let address = to.from.as_deref().expect("a sender");
    format!(
        "From: {from}\nTo: {address}\nSubject: Re: {}\nIn-Reply-To: <{id}>\nMessage-ID: <{nth}@mail.example.org>\nDate: Mon, 23 Nov 2026 \
         19:00:00 +0000\n\n{text}\n",
        to.subject
    )
    .into_bytes()
}

impl Home {
    /// A home with a game of Asalto that two people have just begun, and with so many games in all.
    pub fn of(folder: &Path, games: usize) -> Self {
        let root = folder.join(format!("home-{games}"));
        let run = |arguments: &[&str], letter: &[u8]| {
            let mut command = program(&root, &[]);
            command.args(arguments);
            fed(command, letter)
        };
        run(&["host", "setup", "--yes", "--name", "The Mill", "--email", "games@example.com", "--outbox", "out"], b"");
        let settings =
            "name: The Mill\nemail: games@example.com\nmail: {transport: file, letter: text}\nhost: {plus: true}\n";
        std::fs::write(root.join("settings.yaml"), settings).expect("settings");
        let receive = |letter: &[u8]| run(&["host", "receive"], letter);
        let mut seen = BTreeSet::new();
        let wish = "play asalto with bram@example.net as besiegers";
        let first =
            format!("From: {ADA}\nTo: games@example.com\nSubject: {wish}\nMessage-ID: <1@mail.example.org>\n\nHello\n");
        receive(first.as_bytes());
        let question = letter_to(&root, "ada@example.org", &mut seen);
        receive(&reply(ADA, &question, 2, "yes"));
        let invitation = letter_to(&root, "bram@example.net", &mut seen);
        receive(&reply(BRAM, &invitation, 3, "accept"));
        let due = letter_to(&root, "bram@example.net", &mut seen);
        let name = |file: &Path| file.file_stem().and_then(OsStr::to_str).unwrap_or_default().to_owned();
        let records = files(&root.join("data/games"));
        let [record] = &records[..] else { panic!("one game: {records:?}") };
        let home = Self { id: name(record), letter: reply(BRAM, &due, 4, "place c6 e6"), root };
        home.grow(games);
        home
    }

    /// Adds other games, with what is noted of each and of its players. They are the same files under other names, so that they cost
    /// nothing but the names; a letter about the first game has no business with them.
    fn grow(&self, games: usize) {
        let mut random = Random(7);
        let mut drawn = |length: usize, of: &[u8]| -> String {
            let signs = u32::try_from(of.len()).unwrap_or(1);
            (0..length).map(|_| char::from(of[random.below(signs) as usize])).collect()
        };
        let host = self.root.join("data/host");
        let all = files(&host);
        let below =
            |kind: &str| all.iter().filter(|file| file.starts_with(host.join(kind))).cloned().collect::<Vec<_>>();
        let (notes, agenda, seen) = (below("games"), below("agenda"), below("seen"));
        let named = [below("people"), below("mailboxes"), below("tokens")];
        assert!([&notes, &agenda, &seen].iter().chain(&named.each_ref()).all(|list| !list.is_empty()), "{all:?}");
        let link = |from: &Path, to: PathBuf| {
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            std::fs::hard_link(from, &to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
        };
        let length = |file: &Path| file.file_name().map_or(0, OsStr::len);
        for nth in 1..games {
            let id = format!("{}{}", &self.id[..self.id.len() - 8], drawn(8, BASE32));
            link(
                &self.root.join(format!("data/games/{}.pbem", self.id)),
                self.root.join(format!("data/games/{id}.pbem")),
            );
            link(&notes[0], host.join("games").join(&id[id.len() - 2..]).join(&id));
            let hour = agenda[0].parent().and_then(Path::file_name).and_then(OsStr::to_str).expect("an hour");
            let hour: usize = hour.parse().expect("a number");
            link(&agenda[0], host.join(format!("agenda/{:08}/{id}", hour + 1 + nth % 120)));
            for file in named.iter().flatten() {
                let name = drawn(length(file), BASE32);
                let kind = file.parent().and_then(Path::parent).expect("a folder of a kind");
                link(file, kind.join(&name[..2]).join(&name));
            }
            for file in seen.iter().cycle().take(MESSAGES) {
                let name = file.file_name().and_then(OsStr::to_str).expect("a name");
                let (month, mark) = name.split_once('-').expect("a month");
                let mark = drawn(mark.len(), HEX);
                link(file, host.join("seen").join(&mark[..2]).join(format!("{month}-{mark}")));
            }
        }
    }

    /// The home's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes sure that there are so many games, and that the move is in the record of the first.
    pub fn has_moved(&self, games: usize) {
        assert_eq!(
            files(&self.root.join("data/games"))
                .iter()
                .filter(|file| file.extension() == Some(OsStr::new("pbem")))
                .count(),
            games
        );
        let record = std::fs::read(self.root.join(format!("data/games/{}.pbem", self.id))).expect("a record");
        assert_eq!(postrider_referee::verdict::verify(&record).entries, 1);
    }
}
