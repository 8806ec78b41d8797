//! A game by letters alone through a real mail system, Postfix and Dovecot: two people with mailboxes, and a host with another.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use postrider_host::Host;
use postrider_mail::Message;
use postrider_post::local::send;
use postrider_referee::desk::Desk;
use postrider_referee::verdict::{Ruling, verify};
use postrider_settings::{Login, MailSettings, PasswordSource, SmtpSettings, Tls};

use super::people::{Hosted, Letter, id_of};
use super::program::{code_in, of_ada};
use super::{chosen, first_side};
use crate::mail_rounds::{MailSystem, PATIENCE};
use postrider_testing::random::Stream;

/// Somebody with a mailbox and nothing else.
struct Mailbox<'s> {
    system: &'s MailSystem,
    name: &'static str,
    read: BTreeSet<PathBuf>,
    count: u32,
}

impl Mailbox<'_> {
    /// Sends a letter by the mail system.
    fn send(&mut self, to: &str, head: &str, text: &str) {
        self.count += 1;
        let (name, count) = (self.name, self.count);
        let bytes = format!(
            "From: {name} <{name}@localhost>\r\nTo: {to}\r\n{head}\r\nMessage-ID: <{count}.{name}@localhost>\r\nDate: Sat, 21 Nov 2026 12:00:00 +0000\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
        );
        let from = format!("{name}@localhost");
        let local = format!("letter-{count}-{name}");
        let message = Message::kept(bytes.into_bytes(), &from, to, &local).expect("a letter");
        let password = vec!["echo".to_owned(), format!("{name}-pw")];
        let settings = MailSettings::Smtp(SmtpSettings {
            host: "localhost".to_owned(),
            port: self.system.ports[0],
            tls: Tls::Starttls,
            login: Some(Login { user: from, password: PasswordSource::Command(password) }),
            ca: Some(self.system.folder.path().join("ca.pem")),
            timeout: Duration::from_secs(20),
        });
        send(&message, &settings).unwrap_or_else(|error| panic!("{error}"));
    }

    fn reply(&mut self, letter: &Letter, text: &str) {
        let head = format!("Subject: Re: {}\r\nIn-Reply-To: <{}>", letter.subject, letter.id);
        let quoted: String = letter.text.lines().take(5).map(|line| format!("> {line}\r\n")).collect();
        self.send(&letter.from, &head, &format!("{text}\r\n\r\nThe Mill wrote:\r\n{quoted}"));
    }

    /// The next letter, which the host is asked to write meanwhile.
    fn next(&mut self, host: &dyn Fn()) -> Letter {
        let folder = self.system.folder.path().join("mailboxes").join(self.name);
        let start = Instant::now();
        loop {
            host();
            for place in ["new", "cur"] {
                let Ok(list) = fs::read_dir(folder.join(place)) else { continue };
                for path in list.map(|one| one.expect("an entry").path()) {
                    let id = path.file_name().map(PathBuf::from).expect("a name");
                    if self.read.insert(id) {
                        let bytes = fs::read(&path).expect("a letter");
                        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\n', "\r\n");
                        return Letter::read(text.into_bytes());
                    }
                }
            }
            assert!(start.elapsed() < PATIENCE, "no letter reached {}", self.name);
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Runs a command of the host's.
fn run(home: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_postrider"));
    let output =
        command.args(args).env("POSTRIDER_HOME", home).env("MAIL_PASSWORD", "games-pw").output().expect("it runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A run of the host that stays, until this is dropped.
struct Watch(Child);

impl Watch {
    fn start(home: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_postrider"));
        command.args(["host", "receive", "--watch"]).env("POSTRIDER_HOME", home).env("MAIL_PASSWORD", "games-pw");
        command.stderr(std::process::Stdio::null());
        Self(command.spawn().expect("it runs"))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A home of a host with a mailbox in the mail system.
fn set_up(system: &MailSystem) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let ca = system.folder.path().join("ca.pem");
    let server = |port: u16, tls: &str| {
        format!(
            "host: localhost, port: {port}, tls: {tls}, user: games@localhost, password-env: MAIL_PASSWORD, ca: {}",
            ca.display()
        )
    };
    let settings = format!(
        "name: The Mill\nemail: games@localhost\nmail: {{transport: smtp, letter: text, {}}}\nimap: {{{}}}\nhost:\n  plus: true\n",
        server(system.ports[1], "implicit"),
        server(system.ports[3], "implicit")
    );
    fs::write(home.path().join("settings.yaml"), settings).expect("settings");
    Host::set_up(&Hosted::at_home(home.path()).office(), false).expect("a key and a secret");
    home
}

#[test]
fn two_people_with_mailboxes_play_through_a_real_mail_system() {
    let Some(system) = MailSystem::start() else { return };
    let home = set_up(&system);
    // One run, which stays.
    let _watch = Watch::start(home.path());
    let host = || ();
    let mailbox = |name| Mailbox { system: &system, name, read: BTreeSet::new(), count: 0 };
    let (mut ada, mut bram) = (mailbox("ada"), mailbox("bram"));
    ada.send("games@localhost", "Subject: play asalto with bram@localhost as besiegers", "Hello,");
    let question = ada.next(&host);
    ada.reply(&question, "yes");
    let invitation = bram.next(&host);
    assert!(ada.next(&host).text.contains("is invited"));
    bram.reply(&invitation, "accept");
    let (mut at_ada, mut at_bram) = (ada.next(&host), bram.next(&host));
    let id = id_of(&at_ada);
    for entry in ["place c6 e6", "c4-c5", "resign"] {
        match at_ada.text.contains("It is your turn") {
            true => ada.reply(&at_ada, entry),
            false => bram.reply(&at_bram, entry),
        }
        (at_ada, at_bram) = (ada.next(&host), bram.next(&host));
    }
    assert!(at_ada.text.contains("The game is over") && at_bram.text.contains("The game is over"), "{}", at_ada.text);
    let record = fs::read(home.path().join("data/games").join(format!("{id}.pbem"))).expect("a record");
    let verdict = verify(&record);
    assert_eq!((verdict.ruling, verdict.entries), (Ruling::Legal, 3));
    assert!(run(home.path(), &["host", "games"]).contains("over"));
    // A letter to an address that is not there comes back, or is refused at once: the opponent is told.
    ada.reply(&at_ada, "play asalto with nobody@elsewhere.invalid");
    let told = ada.next(&host);
    let told = if told.text.contains("is invited") { ada.next(&host) } else { told };
    assert!(told.text.contains("come back"), "{}", told.text);
}

#[test]
fn a_game_with_hidden_things_is_played_through_a_real_mail_system() {
    let Some(system) = MailSystem::start() else { return };
    let home = set_up(&system);
    let host = || {
        run(home.path(), &["host", "receive"]);
    };
    let mailbox = |name| Mailbox { system: &system, name, read: BTreeSet::new(), count: 0 };
    let mut people = [mailbox("ada"), mailbox("bram")];
    let wish = format!("Subject: play assassyn with bram@localhost as {}", first_side("assassyn"));
    people[0].send("games@localhost", &wish, "Hello,");
    let question = people[0].next(&host);
    people[0].reply(&question, "yes");
    let invitation = people[1].next(&host);
    assert!(people[0].next(&host).text.contains("is invited"));
    people[1].reply(&invitation, "accept");
    let mut last = [people[0].next(&host), people[1].next(&host)];
    let id = id_of(&last[0]);
    let file = home.path().join("data/games").join(format!("{id}.pbem"));
    let here = Hosted::at_home(home.path());
    let mut stream = Stream(3);
    let mut made = 0;
    while let Some((side, entry)) = chosen(&here, &id, &mut stream) {
        made += 1;
        assert!(made < 40, "the game does not end");
        let before = verify(&fs::read(&file).expect("a record")).entries;
        people[side.index()].reply(&last[side.index()], if made > 6 { "resign" } else { &entry });
        last[side.index()] = people[side.index()].next(&host);
        // What is refused is answered to its writer alone.
        if verify(&fs::read(&file).expect("a record")).entries > before {
            let other = side.other().index();
            last[other] = people[other].next(&host);
        }
    }
    assert!(last.iter().all(|letter| letter.text.contains("The game is over")), "{last:?}");
    let record = fs::read(&file).expect("a record");
    let verdict = verify(&record);
    assert!(verdict.ruling == Ruling::Legal && verdict.outcome.is_some() && verdict.entries > 3, "{verdict:?}");
    assert_eq!(String::from_utf8_lossy(&record).matches("\n# secret ").count(), 2);
    let name = file.to_str().expect("UTF-8");
    let audit = run(home.path(), &["audit", name]);
    assert!(audit.contains("The Mill"), "{audit}");
}

/// A home of somebody with the program and a mailbox.
fn with_program(system: &MailSystem, name: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let ca = system.folder.path().join("ca.pem");
    let server = |port: u16| {
        let (host, login) = ("host: localhost", format!("user: {name}@localhost, password-env: MAIL_PASSWORD"));
        format!("{host}, port: {port}, tls: implicit, {login}, ca: {}", ca.display())
    };
    let settings = format!(
        "name: {name}\nemail: {name}@localhost\nmail: {{transport: smtp, letter: text, {}}}\nimap: {{{}}}\n",
        server(system.ports[1]),
        server(system.ports[3])
    );
    fs::write(home.path().join("settings.yaml"), settings).expect("settings");
    home
}

/// What somebody's program does: whether it succeeds, and what it says.
fn does(home: &Path, name: &str, args: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_postrider"));
    command.args(args).env("POSTRIDER_HOME", home).env("MAIL_PASSWORD", format!("{name}-pw"));
    let output = command.output().expect("it runs");
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

/// Waits until something is so.
fn until(what: &str, is_so: &mut dyn FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn z38_a_program_plays_against_letters_through_a_real_mail_system() {
    let Some(system) = MailSystem::start() else { return };
    let home = set_up(&system);
    let _watch = Watch::start(home.path());
    let mailbox = |name| Mailbox { system: &system, name, read: BTreeSet::new(), count: 0 };
    let (mut ada, mut bram) = (mailbox("ada"), mailbox("bram"));
    let machine = with_program(&system, "ada");
    let program = |args: &[&str]| does(machine.path(), "ada", args);
    assert!(program(&["key", "new"]).0);
    let shown = program(&["key", "show"]).1;
    let key = shown.lines().find_map(|line| line.strip_prefix("key ")).expect("a key").trim().to_owned();
    ada.send("games@localhost", &format!("Subject: key {key}"), "Hello,");
    let question = ada.next(&|| ());
    ada.reply(&question, "yes");
    let asked = ada.next(&|| ());
    ada.reply(&asked, &program(&["key", "prove", &code_in(&asked)]).1);
    let told = ada.next(&|| ());
    assert!(told.text.contains("New games begin with your key"), "{}", told.text);
    let wish = format!("play assassyn with bram@localhost as {}", first_side("assassyn"));
    ada.reply(&told, &wish);
    let question = ada.next(&|| ());
    if question.text.contains("\"yes\"") {
        ada.reply(&question, "yes");
    }
    let invitation = bram.next(&|| ());
    bram.reply(&invitation, "accept");
    let mut last = bram.next(&|| ());
    let id = id_of(&last);
    let file = home.path().join("data/games").join(format!("{id}.pbem"));
    let hers = machine.path().join("data/games").join(format!("{id}.pbem"));
    let hers = hers.to_str().expect("UTF-8");
    until("her program knows the game", &mut || program(&["receive", "--imap"]).1.contains(&id));
    let accepted = program(&["accept", &id]);
    assert!(accepted.0, "{}", accepted.1);
    let here = Hosted::at_home(home.path());
    let mut stream = Stream(8);
    let entries = || verify(&fs::read(&file).expect("a record")).entries;
    for round in 0.. {
        let before = entries();
        let record = fs::read(&file).expect("a record");
        let standing = Desk::open(&record).expect("it is legal").opened.table.standing();
        if standing.outcome.is_some() {
            break;
        }
        assert!(round < 60, "the game does not end");
        if standing.due.side.index() == 1 {
            let (_, entry) = chosen(&here, &id, &mut stream).expect("an entry");
            bram.reply(&last, if before >= 8 { "resign" } else { &entry });
            // Whatever comes of it, there is a letter about it.
            last = bram.next(&|| ());
            continue;
        }
        until("her program has what the host has", &mut || {
            program(&["receive", "--imap"]);
            verify(&fs::read(hers).expect("a record")).entries == before
        });
        // What is forced, otherwise what she sees, or what all see that she may enter.
        let mut made = program(&["answer", hers, "--send"]);
        for _ in 0..20 {
            if made.0 {
                break;
            }
            let seen = program(&["moves", hers]).1;
            let lines: Vec<&str> = seen.lines().collect();
            let entry = match stream.below(2) {
                0 if !lines.is_empty() => lines[stream.below(lines.len())].to_owned(),
                _ => of_ada(&record, &mut stream),
            };
            made = program(&["move", hers, &entry, "--send"]);
        }
        assert!(made.0, "{}", made.1);
        until("the host takes it", &mut || entries() > before);
        last = bram.next(&|| ());
    }
    until("her program knows the end", &mut || {
        program(&["receive", "--imap"]);
        verify(&fs::read(hers).expect("a record")).outcome.is_some()
    });
    let published = program(&["secret", "publish", hers, "--send"]);
    assert!(published.0, "{}", published.1);
    let secrets = || String::from_utf8_lossy(&fs::read(&file).expect("a record")).matches("\n# secret ").count();
    until("the host has her secret", &mut || secrets() == 2);
    let name = file.to_str().expect("UTF-8");
    let audit = run(home.path(), &["audit", name]);
    assert!(audit.contains("the host holds the secret of black"), "{audit}");
    assert!(entries() > 4);
}
