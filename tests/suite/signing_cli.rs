//! Keys and signing at the command line: two players, each with a home; what is refused, what is never shown, and what
//! a crash leaves.

#[allow(dead_code, reason = "each of those that include this uses a part of it")]
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::session::{Done, Session, Told};
use crate::signing::{self, GAME, both, field, record, signed, with_both};
use postrider_referee::sealing::SecretKey;
use postrider_referee::verdict::{Ruling, verify};

const FILE: &str = "game.pbem";

/// A player with a machine of their own.
struct Player(Session);

impl Player {
    /// A player with settings, and with a key if wanted.
    fn new(email: &str, key: bool) -> Self {
        let player = Self(Session::new());
        player.0.write("home/settings.yaml", format!("email: {email}\n"));
        if key {
            player.run(&["key", "new"]).ok();
        }
        player
    }

    fn both() -> [Self; 2] {
        [Self::new("ada@example.org", true), Self::new("bram@example.net", true)]
    }

    /// Runs a command; nothing that it prints contains the secret key.
    fn run(&self, args: &[&str]) -> Done {
        let done = self.0.run(args);
        if let Ok(pem) = fs::read_to_string(self.own_file()) {
            let line = pem.lines().nth(1).expect("a key");
            assert!(!done.out.contains(line) && !done.err.contains(line), "{args:?}");
        }
        done
    }

    /// The same, with a note of what is said.
    fn noted(&self, told: &mut Told, args: &[&str]) -> Done {
        let done = self.run(args);
        told.note(&self.0, &args.join(" "), &done);
        done
    }

    fn own_file(&self) -> PathBuf {
        self.0.path("home/data/keys/own.pem")
    }

    fn fingerprint(&self) -> String {
        let shown = self.run(&["key", "show"]).ok();
        let line = shown.lines().find(|line| line.starts_with("fingerprint")).expect("a fingerprint");
        line.split_whitespace().last().expect("a fingerprint").to_owned()
    }

    fn begin(&self, more: &[&str]) -> Done {
        let players = ["besiegers=Ada Quill <ada@example.org>", "defenders=Bram Post <bram@example.net>"];
        let args = ["new", "asalto", "--player", players[0], "--player", players[1], "--id", "asalto-signed-cli"];
        self.run(&[&args[..], &["-o", FILE], more].concat())
    }

    fn take(&self, text: &str) {
        self.0.write(FILE, text);
    }

    /// Sets the record back, as after a crash before the program could note what it knows.
    fn back_to(&self, text: &str) {
        let _ = fs::remove_dir_all(self.0.path("home/data/known"));
        self.take(text);
    }

    fn file(&self) -> String {
        self.0.read(FILE)
    }
}

/// The actions of an entry of [`GAME`], as typed.
fn typed(line: &str) -> &str {
    let actions = line.splitn(3, ' ').nth(2).expect("actions");
    actions.split([';', '{']).next().expect("actions").trim_end()
}

#[test]
fn two_players_sign_a_whole_game() {
    let [ada, bram] = Player::both();
    ada.begin(&[]).ok();
    let mut text = ada.file();
    assert_eq!(text.matches(", key: ").count(), 1, "{text}");
    for (nth, line) in GAME.iter().enumerate() {
        let player = if nth % 2 == 0 { &bram } else { &ada };
        player.take(&text);
        player.run(&["move", FILE, typed(line)]).ok();
        let longer = player.file();
        assert!(longer.starts_with(&text), "{longer}");
        text = longer;
    }
    let first = text.lines().find(|line| line.starts_with("1 ")).expect("an entry");
    assert!(first.starts_with("1 defenders key ") && first.contains("=; place c6 e6"), "{first}");
    assert_eq!(text.matches("\n  ~ ").count(), GAME.len(), "{text}");
    assert!(text.ends_with("= besiegers win: huffed\n"), "{text}");
    let mut told = Told::default();
    let keys = [(ada.fingerprint(), "ADA'S KEY"), (bram.fingerprint(), "BRAM'S KEY")];
    for args in [&["verify", "-"][..], &["verify", "--newest", "-"]] {
        told.note(&ada.0, &args.join(" "), &ada.0.feed(args, text.as_bytes()));
    }
    let json = ada.0.feed(&["verify", "--json", "--newest", "-"], text.as_bytes()).ok();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["signatures"]["checked"], "newest");
    assert_eq!(json["signatures"]["keys"]["besiegers"]["fingerprint"], ada.fingerprint());
    // It is canonical as written, and a change of the past is detected.
    ada.take(&text);
    assert_eq!(ada.run(&["fmt", "--check", FILE]).ok(), "");
    ada.take(&text.replace("e4-e5", "d4-d5"));
    for args in [&["verify", FILE][..], &["verify", "--newest", FILE]] {
        ada.noted(&mut told, args).fails(1);
    }
    insta::assert_snapshot!("signed_game", told.shown(&keys));
}

#[test]
fn without_a_key_nothing_is_signed_and_nothing_said() {
    let ada = Player::new("ada@example.org", false);
    ada.begin(&[]).ok();
    let done = ada.run(&["move", FILE, "place c6 e6"]);
    assert!(!done.err.contains("sign"), "{}", done.err);
    assert!(!ada.file().contains("key") && !ada.file().contains('~'), "{}", ada.file());
    let json = ada.run(&["verify", "--json", FILE]).ok();
    assert!(json.contains("\"signatures\":null"), "{json}");
    assert!(!ada.0.path("home/data/keys").exists() && !ada.0.path("home/data/signed").exists());
}

#[test]
fn declaring_no_key_must_be_asked_for() {
    let [ada, bram] = Player::both();
    ada.begin(&["--unsigned"]).ok();
    assert!(!ada.file().contains("key"), "{}", ada.file());
    bram.take(&ada.file());
    bram.run(&["move", FILE, "place c6 e6", "--unsigned"]).ok();
    // After a first entry without a key there can be none (E10).
    bram.take(&format!("{}2 besiegers c4-c5 @2026-11-21T12:00:00Z\n", bram.file()));
    bram.run(&["move", FILE, "c6-d6"]).ok();
    assert!(!bram.file().contains('~'), "{}", bram.file());
    let quiet = Player::new("bram@example.net", true);
    quiet.0.write("home/settings.yaml", "email: bram@example.net\nsign: no\n");
    quiet.take(&ada.file());
    quiet.run(&["move", FILE, "place c6 e6"]).ok();
    assert!(!quiet.file().contains('~'), "{}", quiet.file());
    // If the key is declared, every entry must be signed (Z32), and is.
    fs::remove_file(ada.0.path(FILE)).expect("a record");
    ada.begin(&[]).ok();
    ada.take(&format!("{}1 defenders place c6 e6\n", ada.file()));
    ada.run(&["move", FILE, "c4-c5", "--unsigned"]).ok();
    assert_eq!(ada.file().matches('~').count(), 1, "{}", ada.file());
}

#[test]
fn nobody_signs_for_the_other_side() {
    let [ada, _] = Player::both();
    ada.begin(&["--unsigned"]).ok();
    // Ada enters what Bram has told her by telephone: her key is not declared for him.
    let mut told = Told::default();
    ada.noted(&mut told, &["move", FILE, "place c6 e6"]).fails(2);
    insta::assert_snapshot!("for_the_other_side", told.text());
    ada.run(&["move", FILE, "place c6 e6", "--for", "defenders"]).ok();
    assert!(!ada.file().contains("key"), "{}", ada.file());
    // Without an address in the settings, the key in the header identifies the player.
    let ada = Player::new("ada@example.org", true);
    ada.begin(&[]).ok();
    ada.0.write("home/settings.yaml", "");
    ada.run(&["move", FILE, "place c6 e6", "--for", "defenders"]).ok();
    ada.run(&["move", FILE, "c4-c5"]).ok();
    assert_eq!(ada.file().matches("\n  ~ ").count(), 1, "{}", ada.file());
}

#[test]
fn e10_a_key_of_the_opponent_may_be_given_with_a_new_game() {
    let [ada, bram] = Player::both();
    bram.run(&["key", "export", "bram.pem"]).ok();
    let pem = bram.0.read("bram.pem");
    ada.0.write("bram.pem", &pem);
    ada.begin(&["--key", "besiegers=own", "--key", "defenders=bram.pem"]).ok();
    assert_eq!(ada.file().matches(", key: ").count(), 2, "{}", ada.file());
    bram.take(&ada.file());
    bram.run(&["move", FILE, "place c6 e6"]).ok();
    assert!(bram.file().contains("1 defenders place c6 e6 @"), "{}", bram.file());
    let other = Session::new();
    let mut told = String::new();
    for text in ["neither=own", "besiegers=AAAA", "besiegers=own"] {
        let args = ["new", "asalto", "--player", "besiegers=A", "--player", "defenders=B", "--key", text];
        told += &other.transcript(&args);
    }
    insta::assert_snapshot!("keys_that_are_none", told);
}

#[test]
fn z32_without_the_declared_key_nothing_is_entered() {
    let [ada, bram] = Player::both();
    ada.begin(&[]).ok();
    bram.take(&ada.file());
    bram.run(&["move", FILE, "place c6 e6"]).ok();
    ada.take(&bram.file());
    ada.run(&["key", "backup", "backup.pem"]).ok();
    let before = ada.file();
    let ada_key = ada.fingerprint();
    fs::remove_file(ada.own_file()).expect("a loss");
    let lost = ada_key.as_str();
    let mut told = Told::default();
    for args in [
        &["move", FILE, "c4-c5"][..],
        &["move", "-n", FILE, "c4-c5"],
        &["move", FILE, "resign"],
        &["answer", FILE],
        &["move", FILE, "c4-c5", "--unsigned"],
    ] {
        ada.noted(&mut told, args).fails(2);
        assert_eq!(ada.file(), before, "{args:?}");
    }
    ada.run(&["key", "new"]).ok();
    ada.noted(&mut told, &["move", FILE, "c4-c5"]).fails(2);
    assert_eq!(ada.file(), before);
    let other = ada.fingerprint();
    assert!(!ada.0.path("home/data/signed").exists());
    // A player who makes an entry for the opponent is told whose entry it is.
    bram.noted(&mut told, &["move", FILE, "c4-c5", "--for", "besiegers"]).fails(2);
    let keys = [(lost, "ADA'S KEY"), (&other, "ANOTHER KEY"), (&bram.fingerprint(), "BRAM'S KEY")];
    insta::assert_snapshot!("without_the_key", told.shown(&keys));
    fs::remove_file(ada.own_file()).expect("the wrong key");
    ada.run(&["key", "import", "backup.pem"]).ok();
    ada.run(&["move", FILE, "c4-c5", "--only-here"]).ok();
    assert_eq!(verify(ada.file().as_bytes()).ruling, Ruling::Legal);
}

#[test]
#[cfg(unix)]
fn a_key_that_others_may_read_is_refused_and_no_key_is_overwritten() {
    use std::os::unix::fs::PermissionsExt;
    let ada = Player::new("ada@example.org", true);
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode(&ada.own_file()), 0o600);
    ada.run(&["key", "backup", "backup.pem"]).ok();
    assert_eq!(mode(&ada.0.path("backup.pem")), 0o600);
    let mut told = Told::default();
    for args in [&["key", "backup", "backup.pem"][..], &["key", "backup", "-"], &["key", "new"]] {
        ada.noted(&mut told, args).fails(2);
    }
    let other = Player::new("cleo@example.org", true);
    ada.0.write("other.pem", fs::read(other.own_file()).expect("a key"));
    for file in ["other.pem", "home/settings.yaml"] {
        ada.noted(&mut told, &["key", "import", file]).fails(2);
    }
    fs::set_permissions(ada.own_file(), fs::Permissions::from_mode(0o644)).expect("a mode");
    ada.0.write(FILE, record("", "", &[]));
    for args in [&["key", "show"][..], &["key", "export", "-"], &["move", FILE, "place c6 e6"]] {
        ada.noted(&mut told, args).fails(2);
    }
    insta::assert_snapshot!("keys_that_others_may_read", told.text());
    assert!(!ada.file().contains("place"));
    ada.run(&["move", FILE, "place c6 e6", "--unsigned"]).ok();
}

#[test]
fn an_entry_that_is_only_tried_is_not_signed() {
    let [ada, bram] = Player::both();
    ada.begin(&[]).ok();
    bram.take(&ada.file());
    bram.run(&["move", "-n", FILE, "place c6 e6"]).ok();
    bram.run(&["move", "-n", FILE, "place d6 e6"]).ok();
    assert!(!bram.0.path("home/data/signed").exists());
    bram.run(&["move", FILE, "place c6 c6"]).fails(1);
    assert!(!bram.0.path("home/data/signed").exists(), "what is refused is not signed");
    bram.run(&["move", FILE, "place d6 e6"]).ok();
}

#[test]
fn no_two_entries_are_signed_for_one_turn() {
    let [ada, bram] = Player::both();
    ada.begin(&[]).ok();
    bram.take(&ada.file());
    bram.run(&["move", FILE, "place c6 e6", "--message", "it's a start"]).ok();
    let first = bram.file();
    // The record is restored to what it was: from a backup, from a copy, after a crash.
    bram.back_to(&ada.file());
    let mut told = Told::default();
    let said = bram.noted(&mut told, &["move", FILE, "place d6 e6"]).fails(2);
    assert_eq!(bram.file(), ada.file());
    // The command that it suggests makes exactly the same entry.
    let again = said.split("again by `postrider ").nth(1).and_then(|rest| rest.rsplit_once('`')).expect("a command").0;
    assert!(again.contains(r"--message 'it'\''s a start'"), "{again}");
    let program = env!("CARGO_BIN_EXE_postrider");
    let done = bram.0.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{program} {again}")]).current_dir(bram.0.folder.path());
    for (name, value) in done.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    assert!(shell.stdout(Stdio::null()).status().expect("a shell").success());
    assert_eq!(bram.file(), first);
    // The same line with another header belongs to another game.
    bram.back_to(&ada.file().replace("Ada Quill", "Ada Q."));
    bram.noted(&mut told, &["move", FILE, "place c6 e6", "--message", "it's a start"]).fails(2);
    insta::assert_snapshot!("two_entries_for_one_turn", told.text());
}

#[test]
fn a_reply_that_was_foreseen_is_signed_when_it_is_made() {
    let [ada, bram] = Player::both();
    ada.begin(&[]).ok();
    bram.take(&ada.file());
    bram.run(&["move", FILE, "place c6 e6"]).ok();
    ada.take(&bram.file());
    ada.run(&["move", FILE, "c4-c5"]).ok();
    ada.run(&["if", FILE, "c6-d6", "e4-e5"]).ok();
    assert_eq!(ada.file().matches("\n  ~ ").count(), 2, "foreseen entries are not in the record");
    bram.take(&ada.file());
    bram.run(&["move", FILE, "c6-d6"]).ok();
    ada.take(&bram.file());
    ada.run(&["answer", FILE]).ok();
    assert!(ada.file().contains("\n4 besiegers e4-e5 @"), "{}", ada.file());
    assert_eq!((verify(ada.file().as_bytes()).ruling, ada.file().matches("\n  ~ ").count()), (Ruling::Legal, 4));
}

#[test]
fn a_salt_once_signed_is_not_drawn_again() {
    let [ada, bram] = Player::both();
    let setup = "white Pa1 Lc1; black Pf6 Sc5; to play white";
    let players = ["white=Ada Quill <ada@example.org>", "black=Bram Post <bram@example.net>"];
    ada.run(&["new", "assassyn", "--player", players[0], "--player", players[1], "--setup", setup, "-o", FILE]).ok();
    ada.run(&["move", FILE, "Lc1xc5"]).ok();
    let challenge = ada.file();
    bram.take(&challenge);
    bram.run(&["move", FILE, "accept"]).ok();
    let accepted = bram.file();
    assert!(accepted.contains("; accept salt:"), "{accepted}");
    // A player who could draw the salt again could throw until the dice suit; but it is derived from the secret, and is
    // the same (Z22).
    bram.back_to(&challenge);
    bram.run(&["move", FILE, "accept"]).ok();
    assert_eq!(bram.file(), accepted);
    // At another time it would be a different signed entry for the same turn.
    bram.back_to(&challenge);
    let said = bram.run(&["move", FILE, "accept", "--at", "2026-11-21T12:00:07Z"]).fails(2);
    let line = accepted.lines().find(|line| line.starts_with("2 black")).expect("an entry");
    assert!(said.contains(line), "{said}");
    let (_, actions) = line.split_once(" black ").expect("actions");
    let (actions, time) = actions.split_once(" @").expect("a time");
    bram.run(&["move", FILE, actions, "--at", time]).ok();
    assert_eq!(bram.file(), accepted);
    // The game continues, sealed and signed.
    ada.take(&accepted);
    if ada.run(&["answer", FILE]).code != 0 {
        ada.run(&["move", FILE, "Pa1-a2"]).ok();
    }
    assert_eq!(ada.file().matches("\n  ~ ").count(), 3, "{}", ada.file());
}

#[test]
fn of_two_copies_moved_at_once_one_is_signed() {
    let bram = Player::new("bram@example.net", true);
    for round in 0..6 {
        let text = record("", "", &[]).replace("asalto-signed-here", &format!("asalto-copies-{round}"));
        let copies = [("one.pbem", "place c6 e6"), ("two.pbem", "place d6 e6")];
        let children = copies.map(|(name, actions)| {
            bram.0.write(name, &text);
            let mut command = bram.0.command(&["move", name, actions]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program")
        });
        let done = children.map(|mut child| child.wait().expect("an end").success());
        assert_eq!(done.iter().filter(|done| **done).count(), 1, "round {round}: {done:?}");
        let signed = copies.map(|(name, _)| bram.0.read(name).contains("\n  ~ "));
        assert_eq!(signed, done, "round {round}");
    }
}

#[test]
fn a_kill_at_any_moment_never_lets_two_entries_be_signed_for_one_turn() {
    let bram = Player::new("bram@example.net", true);
    let start = record("", "", &[]);
    let (mut cut_short, mut done) = (0, 0);
    for round in 0..24_u64 {
        let id = format!("asalto-round-{round}");
        bram.take(&start.replace("asalto-signed-here", &id));
        let before = bram.file();
        let mut child = bram
            .0
            .command(&["move", FILE, "place c6 e6"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program");
        std::thread::sleep(Duration::from_micros(round * 1_500 % 30_000));
        let _ = child.kill();
        child.wait().expect("an end");
        let after = bram.file();
        let entered = after != before;
        let noted = bram.0.path(&format!("home/data/signed/{id}.defenders"));
        let noted = fs::read_to_string(noted).is_ok_and(|text| !text.is_empty());
        // What is in the record was noted before; from then on the turn is closed to every other entry.
        assert!(noted || !entered, "round {round}");
        bram.back_to(&before);
        let other = bram.run(&["move", FILE, "place d6 e6"]);
        assert_eq!(other.code == 0, !noted, "round {round}: {}", other.err);
        let same = bram.run(&["move", FILE, "place c6 e6"]);
        if noted {
            assert_eq!(same.code, 0, "round {round}: {}", same.err);
            assert!(!entered || bram.file() == after, "round {round}: exactly the same");
            done += 1;
        } else {
            cut_short += 1;
        }
    }
    assert!(cut_short > 0, "{cut_short} before the note, {done} after it");
}

#[test]
fn a_key_other_than_the_trusted_one_causes_a_warning() {
    let [ada, bram] = Player::both();
    let cleo = Player::new("cleo@example.org", true);
    ada.run(&["key", "trust", "bram@example.net", &bram.fingerprint()]).ok();
    let mut told = Told::default();
    ada.noted(&mut told, &["key", "trust", "Bram@example.net", &cleo.fingerprint()]).fails(2);
    ada.noted(&mut told, &["key", "show"]).ok();
    for wrong in ["1a2b", "AAAA", "no-such-file.pem"] {
        ada.noted(&mut told, &["key", "trust", "x", wrong]).fails(2);
    }
    ada.begin(&[]).ok();
    let start = ada.file();
    // Bram's own key is fine; Cleo's, in a record that claims it is Bram's, is not; nor is a missing one.
    for (player, more, is_odd) in [(&bram, None, false), (&cleo, None, true), (&bram, Some("--unsigned"), true)] {
        player.0.write("home/settings.yaml", "");
        player.back_to(&start);
        let args: Vec<_> = ["move", FILE, "place c6 e6"].into_iter().chain(more).collect();
        let id = format!("{}.defenders", "asalto-signed-cli");
        let _ = fs::remove_file(player.0.path(&format!("home/data/signed/{id}")));
        player.run(&args).ok();
        ada.take(&player.file());
        ada.noted(&mut told, &["verify", FILE]).ok();
        told.note(&ada.0, "show", &Done { out: String::new(), ..ada.run(&["show", FILE]) });
        let json = ada.run(&["verify", "--json", FILE]).ok();
        assert_eq!(json.contains("\"warnings\":["), is_odd, "{json}");
    }
    let keys = [("ADA'S KEY", &ada), ("BRAM'S KEY", &bram), ("CLEO'S KEY", &cleo)];
    insta::assert_snapshot!("other_than_trusted", told.shown(&keys.map(|(name, player)| (player.fingerprint(), name))));
}

#[test]
fn two_entries_for_one_turn_are_shown_as_evidence() {
    let session = Session::new();
    session.write("one.pbem", signed(&with_both(&GAME[..3]), both));
    session.write("two.pbem", signed(&with_both(&[GAME[0], "2 besiegers e4-e5"]), both));
    session.write("three.pbem", signed(&with_both(&GAME[..2]), both));
    session.write("other.pbem", signed(&with_both(&GAME[..2]).replace("signed-here", "signed-there"), both));
    let lines = ["three", "two", "other"].map(|other| format!("evidence one.pbem {other}.pbem"));
    insta::assert_snapshot!("evidence", session.transcripts(&lines.each_ref().map(String::as_str)));
}

fn openssl(args: &[&str]) -> Option<std::process::Output> {
    Command::new("openssl").args(args).stdin(Stdio::null()).output().ok().filter(|output| output.status.success())
}

#[test]
fn the_script_with_openssl_agrees_with_the_program_on_signatures() {
    if openssl(&["version"]).is_none() {
        eprintln!("**** SKIPPED: there is no openssl here, so the script that uses it is not tried. ****");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let session = Session::new();
    let mut cases: Vec<(String, String)> = Vec::new();
    for entry in fs::read_dir(root.join("tests/data/envelope/signed")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "pbem") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            cases.push((name, fs::read_to_string(&path).expect("a record")));
        }
    }
    let good = signed(&with_both(&GAME), both);
    cases.push(("both".into(), good.clone()));
    cases.push(("none".into(), record("", "", &GAME)));
    cases.push(("crlf".into(), good.replace('\n', "\r\n")));
    cases.push(("header".into(), good.replace("Ada Quill", "Eve Quill")));
    cases.push(("unsigned side".into(), signed(&record("", "", &GAME[..2]), both)));
    cases.push(("message".into(), good.replace("{a word}", "{a ward}")));
    let mut refused = 0;
    for (name, text) in cases {
        let verdict = verify(text.as_bytes());
        // It checks none of the game's rules and assumes that what is written is canonical.
        let about_signatures =
            verdict.errors.iter().all(|error| error.rule.is_some_and(|rule| rule.starts_with('Z') || rule == "E10"));
        if !about_signatures || name.contains("huff-left-out") {
            continue;
        }
        session.write("game.pbem", &text);
        let output = Command::new("sh")
            .arg(root.join("examples/check-signatures.sh"))
            .arg(session.path("game.pbem"))
            .output()
            .expect("the script");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(i32::from(verdict.ruling != Ruling::Legal)), "{name}: {said}");
        if verdict.ruling == Ruling::Legal {
            assert_eq!(said.lines().count(), verdict.entries as usize, "{name}: {said}");
        } else {
            let first = said.lines().find(|line| line.contains("WRONG")).expect("what is wrong");
            let entry = verdict.errors[0].entry.expect("an entry");
            assert!(first.starts_with(&format!("{entry} ")), "{name}: {first}");
            refused += 1;
        }
    }
    assert!(refused > 15, "{refused}");
}

/// Headers that might show the script a different key from the one that the program reads: inside a title, a comment, a
/// text of several lines.
#[test]
fn the_script_without_the_program_is_shown_no_other_key_than_the_program_reads() {
    if openssl(&["version"]).is_none() {
        eprintln!("**** SKIPPED: there is no openssl here, so the script that uses it is not tried. ****");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let session = Session::new();
    let mallory = signing::cleo().public().text();
    let player = format!("  besiegers: {{name: Ada Quill, key: {mallory}}}");
    let forger = |side: &str| Some(if side == "besiegers" { signing::cleo() } else { signing::bram() });
    let honest = record("", &field(&signing::bram()), &GAME);
    for (what, line) in [
        ("a title", format!("title: \"x\n\nplayers:\n{player}\"")),
        ("a title over two lines", format!("title: \"a siege\n{player}\"")),
        ("a title in single quotes", format!("title: 'players:\n{player}'")),
        ("a plain title that goes on", format!("title: a siege\n{player}")),
        ("a block", format!("title: |\n{player}")),
        ("a map within the line", format!("title: \"{{key: {mallory}}}\"")),
        ("a second list of players in a comment", format!("title: x # players:\n{player}")),
    ] {
        let text = honest.replace("started: ", &format!("{line}\nstarted: "));
        let text = signed(&text, forger);
        let verdict = verify(text.as_bytes());
        assert_ne!(verdict.ruling, Ruling::Legal, "{what}: the side has no key, and what is signed is refused");
        session.write("game.pbem", &text);
        let script = root.join("examples/check-signatures.sh");
        let output = Command::new("sh").arg(script).arg(session.path("game.pbem")).output().expect("the script");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{what}: {said}");
        assert!(!said.contains("besiegers ok"), "{what}: {said}");
    }
}

#[test]
fn openssl_reads_the_keys_that_are_written() {
    if openssl(&["version"]).is_none() {
        eprintln!("**** SKIPPED: there is no openssl here, so the keys are not read by it. ****");
        return;
    }
    let ada = Player::new("ada@example.org", true);
    ada.run(&["key", "export", "public.pem"]).ok();
    let own = ada.own_file();
    let output = openssl(&["pkey", "-in", own.to_str().expect("UTF-8"), "-pubout"]).expect("a key that openssl reads");
    assert_eq!(String::from_utf8_lossy(&output.stdout), ada.0.read("public.pem"));
    assert_eq!(ada.run(&["key", "export", "-"]).ok(), ada.0.read("public.pem"));
    let key = SecretKey::read(&fs::read_to_string(own).expect("a key")).expect("a key");
    assert_eq!(key.public().fingerprint(), ada.fingerprint());
}

#[test]
fn e7_whoever_waits_claims_time_in_a_signed_game_and_the_journal_is_asked_about_that_side() {
    let home = |name: &str, email: &str| {
        let session = Session::new();
        session.write("home/settings.yaml", format!("name: {name}\nemail: {email}\nmail:\n  letter: text\n"));
        session.run(&["key", "new"]).ok();
        session
    };
    let (ada, bram) = (home("Ada", "ada@example.org"), home("Bram", "bram@example.net"));
    let at = |session: &Session, now: &str, args: &[&str]| crate::attacks::at(session, now, args, "");
    let letter = |session: &Session, id: &str, entry: u32| {
        session.path(&format!("home/data/outbox/{id}.{entry}.eml")).to_string_lossy().into_owned()
    };
    let first = "2026-11-21T10:00:00Z";
    at(&ada, first, &["invite", "Bram <bram@example.net>", "asalto", "--clock", "5d"]).ok();
    let file =
        std::fs::read_dir(ada.path("home/data/games")).expect("a folder").next().expect("a game").expect("a file");
    let id = file.path().file_stem().expect("a name").to_string_lossy().into_owned();
    at(&bram, first, &["receive", &letter(&ada, &id, 0)]).ok();
    at(&bram, first, &["accept", &id]).ok();
    at(&bram, first, &["move", &id, "place c6 e6", "--send"]).ok();
    at(&ada, first, &["receive", &letter(&bram, &id, 1)]).ok();
    at(&ada, first, &["move", &id, "c4-c5", "--send"]).ok();
    // Bram is due, and Ada's own newest entry is the one that her journal has to know.
    at(&ada, "2026-11-27T10:00:00Z", &["move", &id, "claim time", "--send"]).ok();
    let record = ada.read(&format!("home/data/games/{id}.pbem"));
    assert!(record.contains("3 besiegers claim time "), "{record}");
    // A journal without it still asks before anything is signed.
    let short = record.split("3 besiegers").next().expect("a beginning").to_owned();
    ada.write(&format!("home/data/games/{id}.pbem"), short);
    for lost in ["signed", "known"] {
        fs::remove_dir_all(ada.path(&format!("home/data/{lost}"))).expect("a folder");
    }
    let denied = at(&ada, "2026-11-27T11:00:00Z", &["move", &id, "claim time"]);
    let mut told = Told::default();
    told.note(&ada, "move ID 'claim time'", &denied);
    insta::assert_snapshot!("unknown_to_the_journal", told.shown(&[(&id, "ID")]));
    denied.fails(2);
}
