//! Playing through a repository that both players share: whole games using only the program's commands, and what
//! strangers may put there.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use postrider_referee::registry;
use postrider_referee::verdict::{Opened, Ruling, verify};

use crate::programs;
use crate::repository::{GAME, OTHER, done, record, with};
use crate::session::Done;
use postrider_testing::random::Stream;
use postrider_testing::sample::rounds;

/// A player with a clone and a home.
struct Player {
    name: &'static str,
    email: &'static str,
    base: PathBuf,
}

const ADA: (&str, &str) = ("Ada Quill", "ada@example.org");
const BRAM: (&str, &str) = ("Bram Post", "bram@example.net");

impl Player {
    fn new(base: &Path, (name, email): (&'static str, &'static str)) -> Self {
        let player = Self { name, email, base: base.to_owned() };
        fs::create_dir_all(player.home()).expect("a home");
        let settings = format!("name: {name}\nemail: {email}\nmail:\n  transport: git\n");
        fs::write(player.home().join("settings.yaml"), settings).expect("settings");
        player.run_in(base, "git", &["clone", "-q", "hub.git", player.word()]).ok();
        player
    }

    fn word(&self) -> &'static str {
        if self.name == ADA.0 { "ada's clone" } else { "bram" }
    }

    fn home(&self) -> PathBuf {
        self.base.join(format!("home of {}", self.name))
    }

    fn clone(&self) -> PathBuf {
        self.base.join(self.word())
    }

    fn command(&self, folder: &Path, program: &str, args: &[&str]) -> Command {
        let binary = Path::new(env!("CARGO_BIN_EXE_postrider"));
        let folders =
            format!("{}:{}", binary.parent().expect("a folder").display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(if program == "postrider" { binary } else { Path::new(program) });
        command.args(args).current_dir(folder).env_clear();
        command.env("PATH", folders).env("HOME", self.home()).env("GIT_CONFIG_NOSYSTEM", "1").env("TZ", "UTC");
        command.env("POSTRIDER_HOME", self.home()).env("POSTRIDER_NOW", "2026-11-24T12:00:00Z");
        command
    }

    fn run_in(&self, folder: &Path, program: &str, args: &[&str]) -> Done {
        done(&mut self.command(folder, program, args))
    }

    fn postrider(&self, args: &[&str]) -> Done {
        self.run_in(&self.clone(), "postrider", args)
    }

    /// Runs git, as the player does by hand.
    fn git(&self, args: &[&str]) -> Done {
        let who = [format!("user.name={}", self.name), format!("user.email={}", self.email)];
        let mut all = vec!["-c", &who[0], "-c", &who[1]];
        all.extend(args);
        self.run_in(&self.clone(), "git", &all)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.clone().join(file)).unwrap_or_default()
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.clone().join(file), text).expect("a file");
    }

    /// Commits everything and pushes it by hand.
    fn push(&self, options: &[&str]) {
        self.git(&["add", "-A"]).ok();
        self.git(&["commit", "-q", "--no-verify", "-m", "by hand"]).ok();
        self.git(&[&["push", "-q", "--no-verify", "origin", "HEAD"], options].concat()).ok();
    }

    /// Makes the next entry of a script, or without one an entry at random, extending it with what may come next until
    /// it may end. Captures are preferred, so that the game comes to an end; one that has gone on long enough is resigned.
    fn play(&self, file: &str, script: &[String], stream: &mut Stream) {
        let verdict = verify(self.read(file).as_bytes());
        if let Some(entry) = script.get(verdict.entries as usize) {
            self.postrider(&["move", file, entry, "--send"]).ok();
            return;
        }
        if verdict.entries >= rounds(16, 40) {
            self.postrider(&["move", file, "resign", "--send"]).ok();
            return;
        }
        let mut entry = String::new();
        for _ in 0..60 {
            let list = match entry.as_str() {
                "" => self.postrider(&["moves", file]).ok(),
                begun => self.postrider(&["moves", file, begun]).ok(),
            };
            let list: Vec<&str> = list.lines().collect();
            assert!(!list.is_empty(), "{file}: nothing may follow `{entry}`");
            let captures: Vec<&str> = list.iter().copied().filter(|action| action.contains('x')).collect();
            let list = if captures.is_empty() || stream.below(5) == 0 { list } else { captures };
            let action = list[stream.below(list.len())];
            entry = if entry.is_empty() { action.to_owned() } else { format!("{entry}; {action}") };
            let tried = self.postrider(&["move", file, &entry, "--send"]);
            match tried.code {
                0 => return,
                1 => {}
                _ => panic!("{file}: {entry}: {}", tried.err),
            }
        }
        panic!("{file}: an entry without an end: {entry}");
    }
}

/// A game that is played to its natural end.
struct Kind {
    name: &'static str,
    /// Further arguments of `new`.
    new: Vec<String>,
    /// The entries, if they are known beforehand.
    script: Vec<String>,
    /// How it ends, if that is known.
    end: Option<&'static str>,
}

impl Kind {
    fn new(name: &'static str, new: &[&str], end: Option<&'static str>) -> Self {
        Self { name, new: new.iter().map(|&arg| arg.to_owned()).collect(), script: Vec::new(), end }
    }

    /// Plays an example's entries after the first `skip`, from the position in which they were made.
    fn example(mut self, file: &str, skip: u32) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(file);
        let text = fs::read_to_string(path).expect("an example");
        if skip > 0 {
            let mut opened = Opened::new(text.as_bytes()).expect("a record");
            opened.replay(skip);
            self.new.extend(["--setup".to_owned(), opened.table.position()]);
        }
        let entries = text.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
        self.script.extend(entries.skip(skip as usize).map(|line| {
            let actions = line.splitn(3, ' ').nth(2).expect("actions").split(" @").next().expect("actions");
            let declared = actions.strip_prefix("key ").and_then(|rest| rest.split_once("; "));
            declared.map_or(actions, |(_, rest)| rest).to_owned()
        }));
        self
    }
}

fn kinds() -> [Kind; 5] {
    let towns = "W a1/2 IADIADIADIAD; W a3/2 ADIADIADIADI; W c1/2 DIADIADIADIA; W c3/2 IADIADIADIAD; B e3 IAD; B e5 AADA; B f5/2 \
                 IDAIDAIDAIDA; B h8 D; to play white";
    [
        Kind::new("asalto", &["--unsigned"], Some("besiegers win: huffed")).example("asalto/a-signed-game.pbem", 0),
        Kind::new("assideum", &["--unsigned"], Some("white wins: siege"))
            .example("assideum/the-portal-at-the-gate.pbem", 55),
        // Sealed and signed; the dice differ each time.
        Kind::new("subsume", &["--option", "turn-limit=3", "--setup", towns], None),
        Kind::new("assassyn", &["--setup", "white Pa1 Lc1 Ld2 Ab2; black Pf6 Lc5 Ld4 Sb3; to play white"], None),
        Kind::new("mission-combat", &["--open"], Some("portalists win: units"))
            .example("mission-combat/open-game.pbem", 23),
    ]
}

/// A bare repository, and two players who have cloned it and set it up.
fn two(base: &Path) -> [Player; 2] {
    let made = Command::new("git").args(["init", "-q", "--bare", "-b", "main", "hub.git"]).current_dir(base).status();
    assert!(made.expect("git").success());
    let ada = Player::new(base, ADA);
    ada.postrider(&["git", "setup"]).ok();
    ada.push(&["-u"]);
    let bram = Player::new(base, BRAM);
    bram.postrider(&["git", "setup"]).ok();
    [ada, bram]
}

#[test]
fn two_clones_play_whole_games_of_all_kinds_through_a_bare_repository_with_races() {
    let base = tempfile::tempdir().expect("a folder");
    let players = two(base.path());
    let [ada, bram] = &players;
    for player in &players {
        player.postrider(&["key", "new"]).ok();
    }
    let kinds = kinds();
    let mut files = Vec::new();
    for (nth, kind) in kinds.iter().enumerate() {
        let sides = registry::find(kind.name).expect("a game").info().sides;
        let (id, file) = (format!("{}-through-git", kind.name), format!("{}.pbem", kind.name));
        // Each begins some.
        let (inviter, invited) = if nth % 2 == 0 { (ada, bram) } else { (bram, ada) };
        let who =
            [(sides[0], ADA), (sides[1], BRAM)].map(|(side, (name, email))| format!("{}={name} <{email}>", side.word));
        let mut new = vec!["new", kind.name, "--id", &id, "--player", &who[0], "--player", &who[1], "-o", &file];
        new.extend(kind.new.iter().map(String::as_str));
        inviter.postrider(&new).ok();
        let sent = inviter.postrider(&["send", &file]);
        assert_eq!(sent.code, 0, "{}", sent.err);
        let told = invited.postrider(&["receive", "--git"]).ok();
        assert!(told.contains("you are invited") && !invited.clone().join(&file).exists(), "{told}");
        assert_eq!(
            invited.git(&["status", "--porcelain"]).ok(),
            "",
            "a game that is waiting for an answer is not a change"
        );
        invited.postrider(&["accept", &id]).ok();
        assert_eq!(invited.read(&file), inviter.read(&file));
        files.push(file);
    }
    let outcome = |player: &Player, file: &str| verify(player.read(file).as_bytes()).outcome;
    let mut seeds = [3, 5];
    for round in 0.. {
        assert!(round < 60, "the games never end");
        // Both at once, without checking what the other has done in the meantime.
        std::thread::scope(|scope| {
            for (nth, (player, seed)) in players.iter().zip(&mut seeds).enumerate() {
                let (files, kinds) = (&files, &kinds);
                scope.spawn(move || {
                    let mut stream = Stream(*seed);
                    for (file, kind) in files.iter().zip(kinds) {
                        let verdict = verify(player.read(file).as_bytes());
                        assert_eq!(verdict.ruling, Ruling::Legal, "{file}: {verdict}");
                        if verdict.due.is_some_and(|due| due.index() == nth) {
                            player.play(file, &kind.script, &mut stream);
                        }
                    }
                    *seed = stream.0;
                });
            }
        });
        for player in &players {
            let received = player.postrider(&["receive", "--git", "--answer"]);
            assert_eq!(received.code, 0, "{}{}", received.out, received.err);
            assert!(!received.err.contains("not joined"), "{}", received.err);
        }
        if files.iter().all(|file| players.iter().all(|player| outcome(player, file).is_some())) {
            break;
        }
    }
    ada.postrider(&["receive", "--git"]).ok();
    for (file, kind) in files.iter().zip(&kinds) {
        let (one, other) = (ada.read(file), bram.read(file));
        assert_eq!(one, other, "{file}");
        let verdict = verify(one.as_bytes());
        assert!(verdict.outcome.is_some(), "{file}: {verdict}");
        assert!(kind.end.is_none_or(|end| one.contains(&format!("\n= {end}\n"))), "{file}: {verdict}");
    }
    assert!(ada.read("assassyn.pbem").contains("secrecy: sealed") && ada.read("subsume.pbem").contains("\n  ~ "));
    // Races were lost and won; every commit in the shared history is in order.
    for player in &players {
        assert_eq!(player.git(&["status", "--porcelain"]).ok(), "");
        let heads = player.git(&["rev-parse", "HEAD", "origin/main"]).ok();
        let [head, theirs] = heads.lines().collect::<Vec<_>>()[..] else { panic!("{heads}") };
        assert_eq!(head, theirs);
    }
    assert!(!ada.git(&["log", "--merges", "--format=%H"]).ok().is_empty());
    ada.postrider(&["git", "check", "HEAD"]).ok();
    let log = ada.git(&["log", "--format=%an <%ae>%n%B", "--", "asalto.pbem"]).ok();
    assert!(
        log.contains("[pbem] asalto-through-git #1 defenders: ") && log.contains("Bram Post <bram@example.net>"),
        "{log}"
    );
    assert!(log.contains("besiegers Ada Quill <ada@example.org> - defenders Bram Post"), "the board is below: {log}");
}

/// Two players in one game: Bram invited Ada, who accepted and made an entry, which is pushed.
fn playing(base: &Path) -> [Player; 2] {
    let players = two(base);
    let [ada, bram] = &players;
    bram.write("first.pbem", &record(1));
    bram.push(&[]);
    ada.postrider(&["receive", "--git"]).ok();
    ada.postrider(&["accept", "asalto-in-git"]).ok();
    ada.postrider(&["move", "first.pbem", "c4-c5", "--at", "2026-11-22T08:02:11Z", "-m", "the gate!", "--send"]).ok();
    assert_eq!(ada.read("first.pbem"), record(2));
    players
}

#[test]
fn a_rewritten_past_is_refused_and_neither_joined_nor_pushed_over() {
    let base = tempfile::tempdir().expect("a folder");
    let [ada, bram] = playing(base.path());
    // Bram rewrites Ada's entry, and force-pushes it.
    bram.git(&["pull", "-q"]).ok();
    bram.write("first.pbem", &with(&[GAME[0], OTHER, "3 defenders c6-d6 @2026-11-22T20:40:00Z\n"]));
    bram.git(&["commit", "-q", "--no-verify", "-a", "--amend", "-m", "by force"]).ok();
    bram.git(&["push", "-q", "--no-verify", "--force", "origin", "HEAD"]).ok();
    let before = ada.git(&["rev-parse", "HEAD"]).ok();
    let told = ada.postrider(&["receive", "--git"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.err.contains("origin/main:first.pbem") && told.err.contains("entry 2"), "{}", told.err);
    assert!(told.err.contains("origin/main was not merged into your branch: first.pbem"), "{}", told.err);
    assert_eq!((ada.read("first.pbem"), ada.git(&["rev-parse", "HEAD"]).ok()), (record(2), before.clone()));
    // With --strict a script is told, and --again reads what was read before.
    ada.postrider(&["receive", "--git", "--again", "--strict"]).fails(1);
    // Another game makes no progress on that branch either, but is safe.
    let other = record(1).replace("asalto-in-git", "asalto-other");
    ada.write("other.pbem", &other);
    let sent = ada.postrider(&["move", "other.pbem", "c4-c5", "--send"]).fails(2);
    assert!(
        sent.contains("has something that was not accepted here") && sent.contains("the move is safe in other.pbem"),
        "{sent}"
    );
    assert!(ada.read("other.pbem").contains("2 besiegers c4-c5"));
    assert_eq!(ada.git(&["log", "--format=%s", "-1"]).ok().trim(), "[pbem] asalto-other #2 besiegers: c4-c5");
    // Once Bram has corrected it, the same command completes what was begun.
    bram.git(&["reset", "-q", "--hard", before.trim()]).ok();
    bram.write("first.pbem", &record(3));
    bram.push(&["--force"]);
    let again = ada.postrider(&["send", "other.pbem"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(ada.read("first.pbem"), record(3));
    assert_eq!(ada.git(&["rev-parse", "HEAD"]).ok(), ada.git(&["rev-parse", "origin/main"]).ok());
    assert!(ada.postrider(&["send", "other.pbem"]).ok().is_empty());
}

#[test]
fn other_files_on_a_strangers_branch_are_neither_read_nor_checked_out() {
    let base = tempfile::tempdir().expect("a folder");
    let [ada, bram] = playing(base.path());
    bram.git(&["switch", "-q", "-c", "traps"]).ok();
    std::os::unix::fs::symlink("/etc/passwd", bram.clone().join("link.pbem")).expect("a link");
    let large = fs::File::create(bram.clone().join("large.pbem")).expect("a file");
    large.set_len(100 << 20).expect("100 MiB");
    bram.write("steer\u{1b}[31m.pbem", "---\n\u{1b}]0;x\u{7}\n");
    bram.git(&["add", "-A"]).ok();
    let head = bram.git(&["rev-parse", "HEAD"]).ok();
    bram.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},module.pbem", head.trim())]).ok();
    bram.git(&["commit", "-q", "--no-verify", "-m", "traps"]).ok();
    bram.git(&["push", "-q", "--no-verify", "origin", "HEAD"]).ok();
    let told = ada.postrider(&["receive", "--git"]);
    assert_eq!(told.code, 0, "{}", told.err);
    for words in [
        "origin/traps:link.pbem from bram@example.net: refused: it is named like a record but is not a file",
        "origin/traps:module.pbem from bram@example.net: refused: it is named like a record but is not a file",
        "origin/traps:large.pbem from bram@example.net: refused: it has 104857600 bytes",
    ] {
        assert!(told.err.contains(words), "{words}: {}", told.err);
    }
    assert!(!told.err.contains('\u{1b}') && !told.out.contains('\u{1b}'), "{}", told.err);
    let there: Vec<_> =
        fs::read_dir(ada.clone()).expect("a folder").map(|entry| entry.expect("a file").file_name()).collect();
    assert!(
        !there.iter().any(|name| ["link.pbem", "large.pbem", "module.pbem"].map(Some).contains(&name.to_str())),
        "{there:?}"
    );
    // What was reported is not reported again.
    let again = ada.postrider(&["receive", "--git"]);
    assert_eq!((again.out.as_str(), again.err.as_str()), ("nothing new\n", ""));
    // On the shared branch such a commit is not joined.
    bram.git(&["push", "-q", "--no-verify", "--force", "origin", "HEAD:main"]).ok();
    let told = ada.postrider(&["receive", "--git"]);
    assert!(told.err.contains("origin/main was not merged into your branch: "), "{}", told.err);
}

#[test]
fn a_file_that_is_too_large_is_not_fetched_where_the_remote_can_leave_it_out() {
    for allowed in [true, false] {
        let base = tempfile::tempdir().expect("a folder");
        let [ada, bram] = playing(base.path());
        let hub = base.path().join("hub.git");
        if allowed {
            ada.run_in(base.path(), "postrider", &["git", "setup", "hub.git"]).ok();
            assert_eq!(ada.run_in(&hub, "git", &["config", "uploadpack.allowFilter"]).ok(), "true\n");
            ada.run_in(base.path(), "rm", &["-f", "hub.git/hooks/pre-receive"]).ok();
        }
        bram.git(&["pull", "-q"]).ok();
        bram.git(&["switch", "-q", "-c", "large"]).ok();
        fs::File::create(bram.clone().join("large.pbem")).expect("a file").set_len(40 << 20).expect("40 MiB");
        fs::File::create(bram.clone().join("film")).expect("a file").set_len(50 << 20).expect("50 MiB");
        bram.push(&[]);
        let large = bram.git(&["rev-parse", "HEAD:large.pbem"]).ok();
        let told = ada.postrider(&["receive", "--git"]);
        assert_eq!(told.code, 0, "{}", told.err);
        let mut there = ada.command(&ada.clone(), "git", &["cat-file", "-e", large.trim()]);
        assert_eq!(done(there.env("GIT_NO_LAZY_FETCH", "1")).code == 0, !allowed);
        let words = match allowed {
            true => {
                "origin/large:large.pbem from bram@example.net: refused: it is larger than 4 MiB, and was not fetched"
            }
            false => "origin was asked to leave it out, and cannot: `git config uploadpack.allowFilter true` there",
        };
        assert!(told.err.contains(words), "{}", told.err);
        // Git itself knows what is missing and where it is; a repository that lacks nothing stays as it was.
        let promisor = ada.git(&["config", "remote.origin.promisor"]);
        assert_eq!(promisor.code == 0, allowed);
        ada.git(&["fsck", "--strict"]).ok();
        // The game goes on.
        bram.git(&["switch", "-q", "main"]).ok();
        bram.write("first.pbem", &record(3));
        bram.push(&[]);
        ada.postrider(&["receive", "--git"]).ok();
        assert_eq!(ada.read("first.pbem"), record(3));
        ada.postrider(&["move", "first.pbem", "e4-e5", "--at", "2026-11-23T07:00:00Z", "--send"]).ok();
        assert_eq!(ada.postrider(&["receive", "--git"]).out, "nothing new\n");
    }
}

#[test]
fn a_file_that_is_no_record_and_stops_a_push_is_named_with_what_to_type() {
    let base = tempfile::tempdir().expect("a folder");
    let [ada, bram] = playing(base.path());
    bram.git(&["pull", "-q"]).ok();
    bram.write("READ ME", "hello\n");
    bram.push(&[]);
    ada.write("other.pbem", &record(1).replace("asalto-in-git", "asalto-other"));
    let sent = ada.postrider(&["move", "other.pbem", "c4-c5", "--send"]).fails(2);
    assert!(sent.contains("nothing was pushed: origin/main has READ ME, which is not a record"), "{sent}");
    assert!(sent.contains("`git merge origin/main` takes it"), "{sent}");
    ada.git(&["merge", "-q", "--no-edit", "origin/main"]).ok();
    let again = ada.postrider(&["send", "other.pbem"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(ada.git(&["rev-parse", "HEAD"]).ok(), ada.git(&["rev-parse", "origin/main"]).ok());
}

#[test]
fn an_entry_on_any_branch_is_a_letter_judged_like_one() {
    let base = tempfile::tempdir().expect("a folder");
    let [ada, bram] = playing(base.path());
    bram.git(&["switch", "-q", "-c", "mine"]).ok();
    bram.write("first.pbem", &(record(2) + "3 defenders c6-c4 @2026-11-22T20:40:00Z\n"));
    bram.push(&[]);
    let illegal = ada.postrider(&["receive", "--git"]);
    assert!(illegal.err.contains("origin/mine:first.pbem") && illegal.err.contains("c6-c4"), "{}", illegal.err);
    assert_eq!(ada.read("first.pbem"), record(2));
    bram.write("first.pbem", &record(3));
    bram.push(&[]);
    let accepted = ada.postrider(&["receive", "--git", "-n"]).ok();
    assert!(
        accepted.contains("asalto-in-git: accepted: 3 defenders c6-d6") && ada.read("first.pbem") == record(2),
        "{accepted}"
    );
    ada.postrider(&["receive", "--git"]).ok();
    assert_eq!(ada.read("first.pbem"), record(3));
    // A commit with a stranger's address is treated as a letter from a stranger.
    bram.write("first.pbem", &record(5));
    bram.git(&[
        "-c",
        "user.email=eve@example.com",
        "commit",
        "-q",
        "-a",
        "--no-verify",
        "-m",
        "x",
        "--author=Eve <eve@example.com>",
    ])
    .ok();
    bram.git(&["push", "-q", "--no-verify", "origin", "HEAD"]).ok();
    let stranger = ada.postrider(&["receive", "--git"]);
    assert!(stranger.err.contains("eve@example.com") && ada.read("first.pbem") == record(3), "{}", stranger.err);
}

#[test]
fn nothing_of_a_stranger_s_or_of_the_work_tree_is_executed() {
    let base = tempfile::tempdir().expect("a folder");
    let [ada, bram] = playing(base.path());
    let mark = base.path().join("executed");
    // Hooks in the work tree, where a stranger's commit could put them.
    for hook in ["reference-transaction", "post-merge", "post-checkout", "post-index-change", "post-rewrite"] {
        let path = ada.clone().join("hooks").join(hook);
        programs::write(&path, format!("#!/bin/sh\ntouch '{}'\n", mark.display()));
    }
    ada.git(&["config", "core.hooksPath", "hooks"]).ok();
    ada.git(&["config", "core.fsmonitor", &format!("touch '{}'", mark.display())]).ok();
    bram.git(&["pull", "-q"]).ok();
    bram.write("first.pbem", &record(3));
    bram.push(&[]);
    // A surrounding git process, as in a hook, and a repository that it names instead.
    let mut command = ada.command(&ada.clone(), "postrider", &["receive", "--git"]);
    command.env("GIT_DIR", base.path().join("elsewhere")).env("GIT_INDEX_FILE", base.path().join("an index"));
    done(&mut command).ok();
    assert_eq!(ada.read("first.pbem"), record(3));
    assert!(!mark.exists() && !base.path().join("an index").exists());
    // Programs as transports, options as names, invalid remotes.
    ada.git(&["config", "protocol.ext.allow", "always"]).ok();
    ada.git(&["remote", "add", "trap", &format!("ext::sh -c touch% {}", mark.display())]).ok();
    assert_eq!(ada.postrider(&["receive", "--git", "trap"]).code, 75);
    for name in ["--upload-pack=touch x", "nowhere", "ext::sh -c true", "../hub.git"] {
        let none = ada.postrider(&["receive", &format!("--git={name}")]).fails(2);
        assert!(none.contains("the repository has no remote"), "{none}");
    }
    assert!(!mark.exists());
}

#[test]
fn problems_are_reported_with_what_to_type_next() {
    let base = tempfile::tempdir().expect("a folder");
    let [ada, _bram] = playing(base.path());
    let shown = ada.postrider(&["send", "-n", "first.pbem"]).ok();
    assert!(
        shown.starts_with("[pbem] asalto-in-git #2 besiegers: c4-c5\n\n") && shown.contains("the gate!"),
        "{shown}"
    );
    let already = ada.postrider(&["send", "first.pbem"]);
    assert!(already.err.contains("entry 2 was pushed on 2026-11-24"), "{}", already.err);
    ada.git(&["switch", "-q", "--detach"]).ok();
    let detached = ada.postrider(&["send", "--force", "first.pbem"]).fails(2);
    assert!(detached.contains("no branch is checked out") && detached.contains("git switch"), "{detached}");
    ada.git(&["switch", "-q", "main"]).ok();
    // Outside a repository nothing can be pushed.
    fs::write(base.path().join("alone.pbem"), record(2).replace("asalto-in-git", "asalto-alone")).expect("a record");
    let outside = ada.run_in(base.path(), "postrider", &["send", "alone.pbem"]).fails(2);
    assert!(outside.contains("is not in a git repository"), "{outside}");
    let outside = ada.run_in(base.path(), "postrider", &["receive", "--git"]).fails(2);
    assert!(outside.contains("is not in a git repository"), "{outside}");
    // A remote that cannot be reached is a temporary problem.
    ada.git(&["remote", "set-url", "origin", "../gone.git"]).ok();
    assert_eq!(ada.postrider(&["receive", "--git"]).code, 75);
    let unsent = ada.postrider(&["send", "--force", "first.pbem"]).fails(2);
    assert!(unsent.contains("`postrider send first.pbem` tries again"), "{unsent}");
}
