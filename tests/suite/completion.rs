//! Completion: what the program answers, and what real shells make of it.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::session::{Done, Session};

const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-session\nplayers:\n  besiegers: {name: Ada Quill, email: ada@example.org}\n  \
     defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
const SUBSUME: &str = "---\npbem: 1\ngame: subsume\nid: subsume-session\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n\
     started: 2026-11-21\nsecrecy: open\n---\n";

/// A folder with `start.pbem`, where the defenders are to be placed, `game.pbem`, where the besiegers are due, and
/// files that are not records.
fn session() -> Session {
    let session = Session::new();
    session.write("start.pbem", HEADER);
    session.write("game.pbem", format!("{HEADER}1 defenders place d5 e7\n2 besiegers d4-c5\n"));
    session.write("my own.pbem", format!("{HEADER}1 defenders place c6 e6\n"));
    session.write("subsume.pbem", SUBSUME);
    session.write("notes.txt", "nothing");
    session.write("evil\u{1b}[31m.pbem", HEADER);
    session.write("garbled.pbem", "---\npbem: [\n");
    session.write("illegal.pbem", format!("{HEADER}1 defenders place c6 c6\n"));
    session
}

/// Asks the way a shell does that passes whole words.
fn ask(session: &Session, words: &[&str]) -> Done {
    let args: Vec<&str> = ["--", "postrider"].into_iter().chain(words.iter().copied()).collect();
    let output = session.command(&args).env("COMPLETE", "zsh").output().expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { code: output.status.code().expect("an exit code"), out: text(output.stdout), err: text(output.stderr) }
}

/// The values that are offered, without their descriptions.
fn offered(session: &Session, words: &[&str]) -> Vec<String> {
    let done = ask(session, words);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{words:?}");
    done.out.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_argument_is_completed_with_its_possible_values() {
    let session = session();
    let starts = offered(&session, &["mo"]);
    assert_eq!(starts, ["moves", "move"]);
    assert_eq!(offered(&session, &["show", "ga"]), ["game.pbem", "garbled.pbem"]);
    assert_eq!(offered(&session, &["verify", "no"]), Vec::<String>::new(), "only records");
    let kinds = offered(&session, &["new", "ass"]);
    assert!(
        kinds.iter().any(|kind| kind == "assideum") && kinds.iter().all(|kind| kind.starts_with("ass")),
        "{kinds:?}"
    );
    assert_eq!(offered(&session, &["new", "asalto", "--option", "huff=s"]), ["huff=strict"]);
    assert_eq!(offered(&session, &["moves", "--game", "asalto", "--option", "huff=c"]), ["huff=claim"]);
    assert_eq!(offered(&session, &["new", "asalto", "--player", ""]), ["besiegers=", "defenders="]);
    assert_eq!(offered(&session, &["new", "asalto", "--player", "besiegers=Ada", "--player", ""]), ["defenders="]);
    assert_eq!(offered(&session, &["own", "game.pbem", ""]), ["besiegers", "defenders"]);
    assert_eq!(offered(&session, &["show", "game.pbem", "--view", "d"]), ["defenders"]);
    assert_eq!(offered(&session, &["show", "game.pbem", "--view", "p"]), ["public"]);
    assert_eq!(offered(&session, &["move", "--for", "b", "game.pbem"]).len(), 1);
    assert_eq!(offered(&session, &["rules", "asalt"]), ["asalto"]);
    assert_eq!(offered(&session, &["rules", "asalto", "T21"]), ["T21"]);
    assert_eq!(offered(&session, &["key", "tr"]), ["trust"]);
    assert_eq!(offered(&session, &["move", "game.pbem", "--dr"]), ["--dry-run"]);
    // The settings say who you are.
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\n");
    let mine = offered(&session, &["new", "asalto", "--player", "bes"]);
    assert_eq!(mine, ["besiegers=", "besiegers=Ada Quill <ada@example.org>"]);
}

#[test]
fn the_legal_entries_of_the_record_on_the_line_are_offered() {
    let session = session();
    let listed = session.run(&["moves", "game.pbem"]).ok();
    let listed: Vec<&str> = listed.lines().collect();
    assert_eq!(offered(&session, &["move", "game.pbem", ""]), listed);
    assert_eq!(offered(&session, &["move", "--send", "game.pbem", "e7"]), ["e7-d6", "e7-d7", "e7-e6"]);
    assert_eq!(offered(&session, &["move", "game.pbem", "--message", "hello", "d5-e"]), ["d5-e5"]);
    assert_eq!(offered(&session, &["move", "game.pbem", "e7-z"]), Vec::<String>::new());
    assert_eq!(offered(&session, &["move", "game.pbem", "re"]), ["resign"]);
    assert_eq!(offered(&session, &["move", "game.pbem", "e7-e6; dr"]), ["e7-e6; draw?"]);
    // Conditions: the other side's entry, then yours after it.
    let reply = offered(&session, &["if", "game.pbem", "e7-e6", "c5"]);
    assert!(!reply.is_empty() && reply.iter().all(|entry| entry.starts_with("c5")), "{reply:?}");
}

#[test]
fn a_long_turn_is_completed_action_by_action() {
    let session = session();
    let first = offered(&session, &["move", "subsume.pbem", ""]);
    let listed = session.run(&["moves", "subsume.pbem"]).ok();
    assert_eq!(first, listed.lines().collect::<Vec<_>>());
    let one = first.first().expect("an action").clone();
    let further = offered(&session, &["move", "subsume.pbem", &one]);
    assert!(further.contains(&one), "the entry may end here: {further:?}");
    let next = session.run(&["moves", "subsume.pbem", &one]).ok();
    let next: Vec<String> = next.lines().map(|action| format!("{one}; {action}")).collect();
    assert!(!next.is_empty() && next.iter().all(|entry| further.contains(entry)), "{next:?} {further:?}");
    assert_eq!(offered(&session, &["move", "subsume.pbem", &format!("{one}; ")]), next);
    // What was typed is not changed.
    let tight = offered(&session, &["move", "subsume.pbem", &format!("{one};")]);
    assert_eq!(tight, next);
}

#[test]
fn completion_is_silent_and_leaves_nothing_behind() {
    let session = session();
    let unread = [
        vec!["move", "missing.pbem", ""],
        vec!["move", "garbled.pbem", ""],
        vec!["move", "illegal.pbem", ""],
        vec!["move", "notes.txt", ""],
        vec!["move", "/dev/zero", ""],
        vec!["own", "garbled.pbem", ""],
        vec!["nonsense", "x", ""],
        vec!["new", "halma", "--option", ""],
        vec!["rules", "halma", ""],
        vec!["accept", "x"],
    ];
    let values = |words: &[&str]| -> Vec<String> {
        offered(&session, words).into_iter().filter(|value| !value.starts_with('-')).collect()
    };
    for words in unread {
        assert_eq!(values(&words), Vec::<String>::new(), "{words:?}");
    }
    // A pipe without a writer would block the prompt.
    let pipe = session.path("pipe.pbem");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert_eq!(values(&["move", "pipe.pbem", ""]), Vec::<String>::new());
    fs::remove_file(pipe).expect("the pipe");
    // No folder is created and no record changed; escapes in names are not printed.
    assert!(!session.path("home").exists(), "nothing is made");
    assert!(offered(&session, &["show", ""]).iter().all(|name| !name.contains('\u{1b}')));
    let before = fs::read(session.path("game.pbem")).expect("the record");
    let locked = fs::File::open(session.path("game.pbem")).expect("the record");
    locked.lock().expect("a lock");
    assert_eq!(offered(&session, &["move", "game.pbem", "d5-e"]), ["d5-e5"], "while another program holds the lock");
    assert_eq!(fs::read(session.path("game.pbem")).expect("the record"), before);
    // A variable of the same name for another program does no harm.
    let version = session.command(&["--version"]).env("COMPLETE", "1").output().expect("the program");
    assert!(version.stdout.starts_with(b"postrider "));
    let script = session.command(&[]).env("COMPLETE", "fish").output().expect("the program");
    assert_eq!(String::from_utf8_lossy(&script.stdout), session.run(&["completions", "fish"]).ok());
}

#[test]
fn invitations_are_offered_by_their_ids() {
    let session = session();
    session.write("home/data/invitations/asalto-session.pbem", HEADER);
    session.write("home/invitations/asalto-session.pbem", HEADER);
    assert_eq!(offered(&session, &["accept", "as"]), ["asalto-session"]);
    assert_eq!(offered(&session, &["decline", ""]), ["asalto-session"]);
}

#[test]
fn games_are_offered_by_their_ids_wherever_records_are_taken() {
    let session = session();
    session.write("home/settings.yaml", "games: ../mine\n");
    session.write("mine/one.pbem", HEADER);
    session.write("many.jsonl", "");
    session.run(&["status"]).ok();
    for words in [
        &["verify"][..],
        &["status"],
        &["export"],
        &["archive", "export", "--csv"],
        &["archive", "table"],
        &["pack"],
        &["archive", "pack", "-o", "x.jsonl.zst"],
        &["restore"],
        &["show"],
    ] {
        for typed in ["asalto-s", "a"] {
            let found = offered(&session, &[words, &[typed]].concat());
            assert_eq!(found, ["asalto-session"], "{words:?} {typed}");
        }
        assert!(offered(&session, &[words, &["game"]].concat()).contains(&"game.pbem".to_owned()), "{words:?}");
    }
    assert_eq!(offered(&session, &["verify", "man"]), ["many.jsonl"]);
}

/// A shell at a terminal, whose output is read as it appears.
struct Typist {
    child: std::process::Child,
    keys: std::process::ChildStdin,
    shown: Receiver<Vec<u8>>,
    seen: String,
}

impl Typist {
    fn start(session: &Session, shell: &str) -> Self {
        // BSD has another one of this name.
        let words: &[&str] = if cfg!(target_os = "macos") {
            &["-qt0", "/dev/null", "sh", "-c", shell]
        } else {
            &["-qfec", shell, "/dev/null"]
        };
        let mut child = Command::new("script")
            .args(words)
            .current_dir(session.folder.path())
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap_or_default())
            .env("POSTRIDER_HOME", session.path("home"))
            .env("HOME", session.folder.path())
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("script");
        let keys = child.stdin.take().expect("keys");
        let mut out = child.stdout.take().expect("a screen");
        let (sender, shown) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keys, shown, seen: String::new() }
    }

    fn keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("the shell reads");
    }

    /// Waits until this is on the screen, and forgets what was there before it.
    fn until(&mut self, text: &str) {
        let start = Instant::now();
        while !self.seen.contains(text) {
            assert!(start.elapsed() < Duration::from_secs(60), "no {text:?} in {:?}", self.seen);
            if let Ok(bytes) = self.shown.recv_timeout(Duration::from_millis(200)) {
                self.seen.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
        self.seen = self.seen.split_once(text).map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    }
}

impl Drop for Typist {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Types at the prompt of a real shell, where `postrider` prints its arguments, each in angle brackets.
fn at_the_prompt(shell: &str, start: &str, prepare: &str) {
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|done| done.status.success());
    // The one of BSD has no version.
    if !there(shell) || Command::new("script").arg("--version").output().is_err() {
        eprintln!("**** NO {shell} (or no `script`): completion in it was not tried ****");
        assert!(std::env::var_os("POSTRIDER_SHELLS").is_none(), "{shell} is required here");
        return;
    }
    let session = session();
    session.write("home/settings.yaml", "games: ../mine\n");
    session.write("mine/one.pbem", HEADER);
    session.run(&["status"]).ok();
    let mut typist = Typist::start(&session, start);
    let script = prepare.replace("PROGRAM", &format!("'{}'", env!("CARGO_BIN_EXE_postrider")));
    typist.keys(&format!("{script}; echo REA''DY\n"));
    typist.until("READY\r");
    let cases = [
        // A command, a file, and a file with a space in its name.
        ("postrider verif\tgam\t\n", "<verify><game.pbem>"),
        ("postrider show my\t\n", "<show><my own.pbem>"),
        // Moves: one word, several in quotes, several without, followed by an offer.
        ("postrider move game.pbem d5-e\t\n", "<move><game.pbem><d5-e5>"),
        ("postrider move start.pbem 'place c6 e6\t\n", "<move><start.pbem><place c6 e6>"),
        ("postrider move 'my own.pbem' c4\t\n", "<move><my own.pbem><c4-c5>"),
        ("postrider move game.pbem \"e7-e6; dr\t\n", "<move><game.pbem><e7-e6; draw?>"),
        // In bash a new word begins after `=`.
        ("postrider new asalto --option huff=st\t\n", "<new><asalto><--option><huff=strict>"),
        ("postrider new asalto --option=huff=st\t\n", "<new><asalto><--option=huff=strict>"),
        ("postrider own game.pbem bes\t\n", "<own><game.pbem><besiegers>"),
        ("true; postrider rules asalto T21\t\n", "<rules><asalto><T21>"),
        // Games by the beginnings of their ids.
        ("postrider verify asalto-s\t\n", "<verify><asalto-session>"),
        ("postrider archive export asalto-s\t\n", "<archive><export><asalto-session>"),
        ("postrider status asalto-s\t\n", "<status><asalto-session>"),
    ];
    for (keys, arguments) in cases {
        typist.keys(keys);
        typist.until(&format!("{arguments}\r"));
    }
    typist.keys("exit\n");
}

#[test]
fn bash_completes_at_a_prompt() {
    at_the_prompt(
        "bash",
        "bash --norc --noprofile -i",
        "source <(PROGRAM completions bash); postrider() { printf '<%s>' \"$@\"; echo; }",
    );
}

#[test]
fn zsh_completes_at_a_prompt() {
    at_the_prompt(
        "zsh",
        "zsh -f -i",
        "autoload -U compinit; compinit -u -D; source <(PROGRAM completions zsh); postrider() { printf '<%s>' \"$@\"; echo; }",
    );
}

#[test]
fn fish_completes_at_a_prompt() {
    at_the_prompt(
        "fish",
        "fish --no-config -i",
        "PROGRAM completions fish | source; function postrider; printf '<%s>' $argv; echo; end",
    );
}
