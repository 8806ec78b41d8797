//! Keys and backups with a passphrase, which is typed on a terminal or printed by a program, and OpenSSH keys.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use crate::session::{Done, Session};
use crate::terminal::drive;

const FILE: &str = "game.pbem";
const PHRASE: &str = "correct horse battery";
const OWN: &str = "home/data/keys/own.pem";

/// A player with additional lines in the settings; the file `phrase` contains the passphrase.
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

/// Runs a command without a terminal; `None` if there is no `setsid` here.
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
    // The public half can be read without the passphrase.
    assert!(session.run(&["key", "show"]).ok().contains("\nlocked       with a passphrase\n"));
    begin(&session);
    assert!(session.read(FILE).contains(", key: "), "{}", session.read(FILE));

    let ask = "passphrase of your key: ";
    let steps = [(ask, "wrong\r"), ("that is not the passphrase", ""), (ask, typed.as_str())];
    let (code, shown) = drive(&session, (30, 100), &["move", FILE, "place c6 e6"], &steps).expect("a terminal");
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("horse") && shown.matches(ask).count() == 2, "{shown}");
    assert!(session.read(FILE).contains("1 defenders place c6 e6") && session.read(FILE).contains("\n  ~ "));
    session.run(&["verify", FILE]).ok();
    // No file contains what was typed.
    for path in walk(&session.path("home")) {
        assert!(!String::from_utf8_lossy(&fs::read(&path).expect("a file")).contains("horse"), "{}", path.display());
    }
}

/// Runs the program as a shell would on a terminal whose output is stopped, so that it stands still where it asks its first
/// question; then starts the output again and types, and prints everything that was shown. The settings of the terminal are
/// printed at the end.
const STOPPED: &str = r#"
import fcntl, os, pty, select, struct, sys, termios, time
program, keys, args = sys.argv[1], sys.argv[2].encode(), sys.argv[3:]
pid, master = pty.fork()
if pid == 0:
    termios.tcflow(0, termios.TCOOFF)
    os.execvpe(program, [program] + args, os.environ)
number = struct.unpack("I", fcntl.ioctl(master, 0x80045430, struct.pack("I", 0)))[0]
line = os.open("/dev/pts/%d" % number, os.O_RDWR | os.O_NOCTTY)
end = time.time() + 60
while termios.tcgetattr(master)[3] & termios.ECHO:
    if time.time() > end:
        os.kill(pid, 9)
        sys.exit("the question is asked before the echo is off")
    time.sleep(0.01)
termios.tcflow(line, termios.TCOON)
out = b""
while b": " not in out:
    out += os.read(master, 65536)
os.write(master, keys)
while True:
    if select.select([master], [], [], 0.05)[0]:
        out += os.read(master, 65536)
    elif os.waitpid(pid, os.WNOHANG)[0]:
        break
echoes = termios.tcgetattr(master)[3] & termios.ECHO and termios.tcgetattr(master)[3] & termios.ISIG
sys.stdout.write(out.decode() + ("the terminal is as it was" if echoes else "the terminal is spoilt"))
"#;

#[test]
fn nothing_that_is_typed_ahead_is_shown_and_the_terminal_is_given_back() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let both = format!("{PHRASE}\r{PHRASE}\r");
    // Typed at once; given up by Ctrl-C, Ctrl-\\ and Ctrl-D, at the first question and at the second; two that differ.
    for (keys, made) in [
        (both.as_str(), true),
        ("hors\x03", false),
        ("horse\rho\x03", false),
        ("horse\x1c", false),
        ("\x04", false),
        ("horse\rhorses\r", false),
    ] {
        let session = ada("");
        let plain = session.command(&[]);
        let mut command = Command::new("python3");
        command.args(["-c", STOPPED, env!("CARGO_BIN_EXE_postrider"), keys, "key", "new", "--passphrase"]);
        command.current_dir(session.folder.path()).env_clear();
        for (name, value) in plain.get_envs() {
            command.env(name, value.expect("a value"));
        }
        let Ok(output) = command.output() else {
            eprintln!("PASSED OVER: there is no python3 here to make a terminal with");
            return;
        };
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{keys:?} {}", String::from_utf8_lossy(&output.stderr));
        assert!(!shown.contains("hors") && shown.contains("the terminal is as it was"), "{keys:?} {shown}");
        assert_eq!(session.path(OWN).exists(), made, "{keys:?} {shown}");
        assert_eq!(shown.contains("no passphrase was given"), !made && !keys.ends_with("s\r"), "{keys:?} {shown}");
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
    // From now on the player types it.
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
    assert!(said.contains("`passphrase-command` in the settings"), "{said}");
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
    assert!(session.run(&["setup", "--check"]).out.contains(", locked with a passphrase"));
    begin(&session);
    let before = session.read(FILE);
    session.write("phrase", "hippogriff\n");
    let said = session.run(&["move", FILE, "place c6 e6"]).fails(2);
    assert!(said.contains("your key cannot be opened with what `cat` printed: the passphrase is wrong"), "{said}");
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
    assert!(said.contains("the backup secrets.bak cannot be opened with what `cat` printed"), "{said}");
    let said = second.run(&["key", "import", "key.bak"]).fails(2);
    assert!(said.contains("the key in key.bak cannot be opened with what `cat` printed"), "{said}");
    assert!(!second.path("home/data/secrets").exists() && !second.path("home/data/keys").exists());
    second.write("phrase", PHRASE);
    assert!(second.run(&["secret", "import", "secrets.bak"]).err.contains("1 secrets imported"));
    second.run(&["key", "import", "key.bak"]).ok();
    second.write(FILE, bram.read(FILE));
    // The journal of what was signed is not among them.
    assert!(second.run(&["move", FILE, "Pa1-a2"]).fails(2).contains("--only-here"));
    second.run(&["move", FILE, "Pa1-a2", "--only-here"]).ok();
    bram.write("longer.pbem", second.read(FILE));
    bram.run(&["verify", "longer.pbem"]).ok();
    assert!(second.read(FILE).contains("3 white open:"), "{}", second.read(FILE));
    // Nothing is imported from a damaged backup.
    let spoilt = first.read("secrets.bak");
    second.write("secrets.bak", format!("{}\n", &spoilt[..spoilt.len() - 60]));
    let _ = second.run(&["secret", "import", "secrets.bak"]).fails(2);
}

/// Runs `ssh-keygen`; `None` if there is none here.
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
fn openssh_keys_are_imported_and_ssh_keygen_reads_locked_keys() {
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
        // Trusted as the line in id.pub, as a file, and typed without quotes.
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
    // A key that was made here is an OpenSSH key too.
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
    assert!(said.contains("id contains a key of the kind ssh-rsa"), "{said}");
    let said = session.run(&["key", "trust", "bram@example.net", "id.pub"]).fails(2);
    assert!(said.contains("is not the base64 of 32 bytes"), "{said}");
}
