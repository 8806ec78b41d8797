//! Keys and backups that are locked by a passphrase, and keys of OpenSSH: on a terminal, from a program, and where there is neither.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use crate::session::{Done, Session};
use crate::terminal::drive;

const FILE: &str = "game.pbem";
const PHRASE: &str = "correct horse battery";
const OWN: &str = "home/data/keys/own.pem";

/// A player whose settings have these lines more; a file `phrase` holds the passphrase.
fn player(email: &str, more: &str) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", format!("email: {email}\n{more}"));
    session.write("phrase", format!("{PHRASE}\nnot this line\n"));
    session
}

const BY_PROGRAM: &str = "passphrase-command: [cat, phrase]\n";

fn ada(more: &str) -> Session {
    player("ada@example.org", more)
}

/// Runs a command where no terminal is to be had; nothing where there is no `setsid` to take it away.
fn without_terminal(session: &Session, args: &[&str]) -> Option<Done> {
    let plain = session.command(&[]);
    let mut command = Command::new("setsid");
    command.args(["-w", env!("CARGO_BIN_EXE_postrider")]).args(args);
    command.current_dir(session.folder.path()).env_clear();
    for (name, value) in plain.get_envs() {
        command.env(name, value?);
    }
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        eprintln!("PASSED OVER: there is no setsid here");
        return None;
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(Done { code: output.status.code()?, out: text(&output.stdout), err: text(&output.stderr) })
}

fn begin(session: &Session) {
    let players = ["besiegers=Bram Post <bram@example.net>", "defenders=Ada Quill <ada@example.org>"];
    let args = ["new", "asalto", "--player", players[0], "--player", players[1], "--id", "asalto-locked-key"];
    session.run(&[&args[..], &["-o", FILE]].concat()).ok();
}

#[test]
fn a_key_is_locked_on_the_terminal_and_asked_for_when_it_signs() {
    let session = ada("");
    let (first, again) = ("new passphrase for your key: ", "the same again: ");
    let typed = format!("{PHRASE}\r");
    let Some((code, shown)) =
        drive(&session, (30, 100), &["key", "new", "--passphrase"], &[(first, "one\r"), (again, "another\r")])
    else {
        return;
    };
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("the two passphrases are not the same") && !session.path(OWN).exists(), "{shown}");
    let new = ["key", "new", "--passphrase"];
    let (code, shown) = drive(&session, (30, 100), &new, &[(first, &typed), (again, &typed)]).expect("a terminal");
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("horse") && shown.contains("fingerprint"), "{shown}");
    let text = session.read(OWN);
    assert!(text.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----"), "{text}");
    assert_eq!(fs::metadata(session.path(OWN)).expect("a key").permissions().mode() & 0o777, 0o600);
    // The public half is there without it.
    assert!(session.run(&["key", "show"]).ok().contains("\nlocked       by a passphrase\n"));
    begin(&session);
    assert!(session.read(FILE).contains(", key: "), "{}", session.read(FILE));

    let ask = "passphrase of your key: ";
    let steps = [(ask, "wrong\r"), ("that is not the passphrase", ""), (ask, typed.as_str())];
    let (code, shown) = drive(&session, (30, 100), &["move", FILE, "place c6 e6"], &steps).expect("a terminal");
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("horse") && shown.matches(ask).count() == 2, "{shown}");
    assert!(session.read(FILE).contains("1 defenders place c6 e6") && session.read(FILE).contains("\n  ~ "));
    session.run(&["verify", FILE]).ok();
    // What was typed is in no file.
    for path in walk(&session.path("home")) {
        assert!(!String::from_utf8_lossy(&fs::read(&path).expect("a file")).contains("horse"), "{}", path.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn a_session_asks_once() {
    let session = ada(&format!("{BY_PROGRAM}games: ../games\n"));
    session.run(&["key", "new", "--passphrase"]).ok();
    // From now on it is asked for.
    session.write("home/settings.yaml", "email: ada@example.org\ngames: ../games\n");
    for (name, clock) in [("one", "5d"), ("two", "50d")] {
        session.write(
            &format!("games/{name}.pbem"),
            format!(
                "---\npbem: 1\ngame: asalto\nid: asalto-play-{name}\nplayers:\n  besiegers: {{name: Ada Quill, email: \
                 ada@example.org}}\n  defenders: {{name: Bram Post, email: bram@example.net}}\nstarted: 2026-11-21\nclock: {clock}\n\
                 ---\n1 defenders place c6 e6 @2026-11-20T10:15:00Z\n"
            ),
        );
    }
    let typed = format!("{PHRASE}\r");
    let steps = [
        ("2 besiegers> ", "c4-c5\r"),
        ("[y/N] ", "y\r"),
        ("passphrase of your key: ", typed.as_str()),
        ("(defenders due)> ", "next\r"),
        ("[y/N] ", "n\r"),
        ("2 besiegers> ", "d4-d5\r"),
        ("[y/N] ", "y\r"),
        ("(defenders due)> ", "quit\r"),
        ("[y/N] ", "n\r"),
    ];
    let Some((code, shown)) = drive(&session, (40, 100), &["play"], &steps) else { return };
    assert_eq!(code, 0, "{shown}");
    assert_eq!(shown.matches("passphrase").count(), 1, "{shown}");
    assert!(!shown.contains("horse"), "{shown}");
    for name in ["one", "two"] {
        assert!(session.read(&format!("games/{name}.pbem")).contains("\n  ~ "), "{shown}");
    }
}

#[test]
fn without_a_terminal_nothing_is_signed_and_nothing_lost() {
    let session = ada(BY_PROGRAM);
    session.run(&["key", "new", "--passphrase"]).ok();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    begin(&session);
    let before = session.read(FILE);
    let Some(done) = without_terminal(&session, &["move", FILE, "place c6 e6"]) else { return };
    let said = done.fails(2);
    assert!(said.contains("a passphrase is needed, and there is no terminal to ask for it on"), "{said}");
    assert!(said.contains("hint: `passphrase-command` in the settings"), "{said}");
    assert_eq!(session.read(FILE), before);
    assert!(!session.path("home/data/signed").exists(), "nothing was noted as signed");
    // Another entry can be made afterwards.
    session.write("home/settings.yaml", format!("email: ada@example.org\n{BY_PROGRAM}"));
    without_terminal(&session, &["move", FILE, "place c7 e7"]).expect("setsid").ok();
    session.run(&["verify", FILE]).ok();
}

#[test]
fn a_program_prints_the_passphrase() {
    let session = ada(BY_PROGRAM);
    session.run(&["key", "new", "--passphrase"]).ok();
    assert!(session.run(&["setup", "--check"]).out.contains(", locked by a passphrase"));
    begin(&session);
    let before = session.read(FILE);
    session.write("phrase", "hippogriff\n");
    let said = session.run(&["move", FILE, "place c6 e6"]).fails(2);
    assert!(said.contains("your key does not open by what `cat` printed: the passphrase is wrong"), "{said}");
    assert!(!said.contains("hippogriff"), "{said}");
    session.write("phrase", "");
    let said = session.run(&["move", FILE, "place c6 e6"]).fails(2);
    assert!(said.contains("`cat` printed an empty first line"), "{said}");
    fs::remove_file(session.path("phrase")).expect("a file");
    let said = session.run(&["move", FILE, "place c6 e6"]).fails(2);
    assert!(said.contains("no passphrase: `cat` failed"), "{said}");
    assert_eq!(session.read(FILE), before);
    session.write("phrase", PHRASE);
    session.run(&["move", FILE, "place c6 e6"]).ok();
    assert!(session.read(FILE).contains("\n  ~ "));
}

#[test]
fn a_passphrase_is_never_in_the_settings() {
    let session = ada("passphrase: horse\n");
    let said = session.run(&["setup", "--check"]).fails(2);
    assert!(said.contains("no passphrase stands in the settings") && !said.contains("horse"), "{said}");
}

#[test]
fn a_passphrase_is_changed_and_removed_and_a_wrong_one_changes_nothing() {
    let session = ada(BY_PROGRAM);
    session.run(&["key", "new"]).ok();
    let shown = session.run(&["key", "show"]).ok();
    session.write("second", "two\n");
    session.run(&["key", "passphrase", "--passphrase-from", "cat phrase"]).ok();
    let locked = session.read(OWN);
    assert!(locked.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----"));
    session.write("phrase", "wrong\n");
    for args in [&["key", "passphrase", "--passphrase-from", "cat second"][..], &["key", "passphrase", "--remove"]] {
        let said = session.run(args).fails(2);
        assert!(said.contains("the passphrase is wrong"), "{said}");
        assert_eq!(session.read(OWN), locked);
    }
    session.write("phrase", PHRASE);
    session.run(&["key", "passphrase", "--passphrase-from", "cat second"]).ok();
    assert_ne!(session.read(OWN), locked);
    let said = session.run(&["key", "passphrase", "--remove"]).fails(2);
    assert!(said.contains("the passphrase is wrong"), "{said}");
    session.write("phrase", "two");
    session.run(&["key", "passphrase", "--remove"]).ok();
    assert!(session.read(OWN).starts_with("-----BEGIN PRIVATE KEY-----"));
    assert!(session.run(&["key", "passphrase", "--remove"]).err.contains("is not locked"));
    assert_eq!(session.run(&["key", "show"]).ok(), shown, "the same key all the time");
}

const SEALED: &str = "---
pbem: 1
game: assassyn
id: assassyn-locked-backup
players:
  white: {name: Ada Quill, email: ada@example.org}
  black: {name: Bram Post, email: bram@example.net}
started: 2026-11-21
secrecy: sealed
setup: \"white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play white\"
---
";

#[test]
fn a_sealed_game_goes_on_elsewhere_from_locked_backups() {
    let (first, bram) = (ada(BY_PROGRAM), player("bram@example.net", ""));
    first.run(&["key", "new", "--passphrase"]).ok();
    first.write(FILE, SEALED);
    first.run(&["move", FILE, "Lc1xc5"]).ok();
    bram.write(FILE, first.read(FILE));
    bram.run(&["move", FILE, "accept"]).ok();

    first.run(&["key", "backup", "key.bak"]).ok();
    first.run(&["secret", "export", "secrets.bak", "--passphrase"]).ok();
    let secret = first.read("home/data/secrets/assassyn-locked-backup.white");
    let secret = secret.lines().next().expect("a secret");
    for name in ["key.bak", "secrets.bak"] {
        let text = first.read(name);
        assert!(text.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----") && !text.contains(secret), "{text}");
        let mode = fs::metadata(first.path(name)).expect("a backup").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let printed = first.run(&["secret", "export", "-", "--passphrase-from", "cat phrase"]).ok();
    assert!(printed.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----") && !printed.contains(secret), "{printed}");

    let second = ada(BY_PROGRAM);
    for name in ["key.bak", "secrets.bak"] {
        second.write(name, first.read(name));
    }
    second.write("phrase", "wrong\n");
    let said = second.run(&["secret", "import", "secrets.bak"]).fails(2);
    assert!(said.contains("the backup secrets.bak does not open by what `cat` printed"), "{said}");
    let said = second.run(&["key", "import", "key.bak"]).fails(2);
    assert!(said.contains("the key in key.bak does not open by what `cat` printed"), "{said}");
    assert!(!second.path("home/data/secrets").exists() && !second.path("home/data/keys").exists());
    second.write("phrase", PHRASE);
    assert!(second.run(&["secret", "import", "secrets.bak"]).err.contains("1 secrets imported"));
    second.run(&["key", "import", "key.bak"]).ok();
    second.write(FILE, bram.read(FILE));
    second.run(&["move", FILE, "Pa1-a2"]).ok();
    bram.write("longer.pbem", second.read(FILE));
    bram.run(&["verify", "longer.pbem"]).ok();
    assert!(second.read(FILE).contains("3 white open:"), "{}", second.read(FILE));
    // A backup that was spoilt on the way brings nothing in, and says so.
    let spoilt = first.read("secrets.bak");
    second.write("secrets.bak", format!("{}\n", &spoilt[..spoilt.len() - 60]));
    let _ = second.run(&["secret", "import", "secrets.bak"]).fails(2);
}

/// A key made by `ssh-keygen`; nothing where it is not.
fn ssh_keygen(session: &Session, args: &[&str]) -> Option<String> {
    let command =
        Command::new("ssh-keygen").args(args).current_dir(session.folder.path()).stdin(Stdio::null()).output();
    let Ok(output) = command else {
        eprintln!("PASSED OVER: there is no ssh-keygen here");
        return None;
    };
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn keys_of_openssh_are_taken_and_locked_keys_are_read_by_it() {
    let make = |session: &Session, more: &[&str]| {
        ssh_keygen(session, &[&["-q", "-C", "ada@quill", "-f", "id"][..], more].concat())
    };
    for phrase in ["", PHRASE] {
        let session = ada(BY_PROGRAM);
        if make(&session, &["-t", "ed25519", "-N", phrase]).is_none() {
            return;
        }
        session.run(&["key", "import", "id"]).ok();
        let shown = session.run(&["key", "show"]).ok();
        assert_eq!(shown.contains("locked"), !phrase.is_empty(), "{shown}");
        begin(&session);
        session.run(&["move", FILE, "place c6 e6"]).ok();
        session.run(&["verify", FILE]).ok();
        // Trusted as the line that stands in id.pub, in its file, or typed without quotes.
        let public = session.read("id.pub");
        let words: Vec<&str> = public.split_whitespace().collect();
        let bram = player("bram@example.net", "");
        bram.write("id.pub", &public);
        for key in [&[public.trim()][..], &["id.pub"], &words] {
            bram.run(&[&["key", "trust", "ada@example.org"][..], key].concat()).ok();
        }
        let fingerprint = shown.lines().find_map(|line| line.strip_prefix("fingerprint  ")).expect("a fingerprint");
        assert!(bram.run(&["key", "show"]).ok().contains(fingerprint));
    }
    // And a key that was made here is one of OpenSSH.
    let session = ada(BY_PROGRAM);
    session.run(&["key", "new", "--passphrase"]).ok();
    let line = ssh_keygen(&session, &["-y", "-P", PHRASE, "-f", OWN]).expect("ssh-keygen");
    let other = player("cleo@example.com", "");
    other.run(&["key", "trust", "ada@example.org", line.trim()]).ok();
    let shown = session.run(&["key", "show"]).ok();
    let fingerprint = shown.lines().find_map(|line| line.strip_prefix("fingerprint  ")).expect("a fingerprint");
    assert!(other.run(&["key", "show"]).ok().contains(fingerprint));
    // Other kinds are named.
    let session = ada("");
    make(&session, &["-t", "rsa", "-b", "2048", "-N", ""]);
    let said = session.run(&["key", "import", "id"]).fails(2);
    assert!(said.contains("id holds a key of the kind ssh-rsa"), "{said}");
    let said = session.run(&["key", "trust", "bram@example.net", "id.pub"]).fails(2);
    assert!(said.contains("is not the base64 of 32 bytes"), "{said}");
}
