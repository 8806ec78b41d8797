//! Two players with separate homes play whole games through a real mail system on this machine, Postfix and Dovecot:
//! one sends with STARTTLS and fetches with TLS from the first byte, the other the other way round, and nobody touches
//! a file. A usual run gives up what lasts longer than 24 entries.
//!
//! The mail system needs root and Debian's packages. If it is not available, the tests print a prominent notice and are
//! skipped; with `POSTRIDER_MAIL_SYSTEM=required`, which `.ci/run` sets once the packages are installed, they fail
//! instead.

#![cfg(unix)]

use std::fs;
use std::io::{Write, stderr};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use postrider_kernel::Side;
use postrider_referee::registry;
use postrider_referee::verdict::{Opened, verify};
use postrider_testing::sample::rounds;
use tempfile::TempDir;

/// How long a letter may take from one mailbox to the other.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Postfix and Dovecot, running until this is dropped.
pub struct MailSystem {
    pub folder: TempDir,
    pub ports: [u16; 4],
}

impl Drop for MailSystem {
    fn drop(&mut self) {
        let _ = script("stop.sh").arg(self.folder.path()).status();
    }
}

fn script(name: &str) -> Command {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mail_system").join(name))
}

impl MailSystem {
    /// Starts it; `None` if it is not available and not required.
    pub fn start() -> Option<Self> {
        let has = |program: &str| {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&paths).chain(["/usr/sbin".into()]).any(|folder| folder.join(program).is_file())
        };
        let lacking: Vec<_> = ["postfix", "dovecot", "openssl"].into_iter().filter(|program| !has(program)).collect();
        let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
        if !root || !lacking.is_empty() {
            let why = if root { format!("not installed: {}", lacking.join(", ")) } else { "it needs root".to_owned() };
            assert!(std::env::var_os("POSTRIDER_MAIL_SYSTEM").is_none(), "the mail system was required: {why}");
            // Written past the test runner's output capture.
            let _ = writeln!(
                stderr(),
                "\n**** SKIPPED: no game was played through a real mail system. {why}. ****\n\
                 **** Debian: apt-get install postfix dovecot-imapd dovecot-lmtpd openssl, and run as root. ****\n"
            );
            return None;
        }
        // One after the other, because each would create the user that owns the mailboxes.
        static STARTING: Mutex<()> = Mutex::new(());
        let _one = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::Builder::new().prefix("mail-system").tempdir().expect("a folder");
        // Held at the same time so that they differ, then released for the servers.
        let held = [(); 4].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
        let ports = held.map(|port| port.local_addr().expect("an address").port());
        let system = Self { folder, ports };
        let mut start = script("start.sh");
        start.arg(system.folder.path()).args(ports.map(|port| port.to_string()));
        let output = start.output().expect("the script runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(system)
    }
}

/// A player: a home with settings, and a folder for the games in it.
struct Player {
    name: &'static str,
    home: PathBuf,
}

impl Player {
    fn new(system: &MailSystem, base: &Path, name: &'static str, first: bool) -> Self {
        let home = base.join(name);
        fs::create_dir_all(&home).expect("a folder");
        let [smtp, smtps, imap, imaps] = system.ports;
        let (out, out_tls, inward, in_tls) =
            if first { (smtp, "starttls", imaps, "implicit") } else { (smtps, "implicit", imap, "starttls") };
        let ca = system.folder.path().join("ca.pem");
        let server = |port: u16, tls: &str| {
            format!(
                "host: localhost, port: {port}, tls: {tls}, user: {name}@localhost, password-env: MAIL_PASSWORD, ca: {}",
                ca.display()
            )
        };
        let settings = format!(
            "name: {name}\nemail: {name}@localhost\nmail: {{transport: smtp, {}}}\nimap: {{{}}}\n",
            server(out, out_tls),
            server(inward, in_tls)
        );
        fs::write(home.join("settings.yaml"), settings).expect("settings");
        Self { name, home }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(&format!("{}-pw", self.name), arguments)
    }

    fn run_with(&self, password: &str, arguments: &[&str]) -> Output {
        self.command(arguments).env("MAIL_PASSWORD", password).output().expect("the program runs")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_postrider"));
        command.args(arguments).current_dir(&self.home).env("POSTRIDER_HOME", &self.home);
        command
    }

    /// The standard output of a command that must succeed.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{} {arguments:?}: {}{said}",
            self.name,
            String::from_utf8_lossy(&output.stdout)
        );
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn file(&self, id: &str) -> PathBuf {
        self.home.join("data/games").join(format!("{id}.pbem"))
    }

    fn record(&self, id: &str) -> Vec<u8> {
        fs::read(self.file(id)).unwrap_or_default()
    }

    /// Fetches mail until what is awaited has arrived.
    fn fetch_until(&self, what: &str, came: impl Fn(&str) -> bool) {
        let start = Instant::now();
        loop {
            let said = self.done(&["receive", "--imap"]);
            if came(&said) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{what} did not reach {}: {said}", self.name);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A game to play: how it is begun, and how a player chooses.
struct Game {
    name: &'static str,
    new: &'static [&'static str],
    /// Chooses the next entry from those that `moves` lists, or composes one; the last argument is a different number
    /// each time.
    choose: fn(&Player, &str, usize) -> String,
    /// What the record must contain at the end, apart from a result line.
    holds: &'static [&'static str],
}

/// Plays a game from `new` to its result line, using only the mail system.
fn play(players: &[Player; 2], game: &Game) {
    let id = format!("{}-through-the-mail", game.name);
    let info = registry::find(game.name).expect("a game").info();
    let addressed = info
        .sides
        .iter()
        .zip(players)
        .map(|(side, player)| format!("{}={} <{}@localhost>", side.word, player.name, player.name));
    let addressed: Vec<_> = addressed.collect();
    fs::create_dir_all(players[0].home.join("data/games")).expect("a folder");
    let file = format!("data/games/{id}.pbem");
    let mut new = vec!["new", game.name, "--id", &id, "-o", &file];
    for player in &addressed {
        new.extend(["--player", player]);
    }
    new.extend(game.new);
    players[0].done(&new);
    let mut holder = Side::First;
    let mut seed = 7_u64;
    for round in 0..400 {
        let verdict = verify(&players[holder.index()].record(&id));
        assert_eq!(verdict.errors, [], "round {round}");
        let Some(due) = verdict.due else {
            let record = String::from_utf8(players[0].record(&id)).expect("UTF-8");
            assert_eq!(record.as_bytes(), players[1].record(&id), "both have the same record");
            for needle in game.holds.iter().chain(&["\n= "]) {
                assert!(record.contains(needle), "{needle}\n{record}");
            }
            return;
        };
        let player = &players[due.index()];
        if due == holder {
            // What is forced is answered by the program; the rest is chosen.
            if !player.run(&["answer", &file, "--send"]).status.success() {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let entry = match verdict.entries {
                    // Long enough for a usual run.
                    24.. if rounds(true, false) => "resign".to_owned(),
                    _ => (game.choose)(player, &file, (seed >> 33) as usize),
                };
                player.done(&["move", &file, &entry, "--send"]);
            }
        } else if round == 0 {
            players[holder.index()].done(&["send", &file]);
        }
        let other = &players[due.index() ^ usize::from(due == holder)];
        let sent = players[holder.index()].record(&id);
        // The other side may owe nothing, and then a letter need not be sent.
        let goes_on = verify(&sent).due == Some(holder);
        if goes_on {
            continue;
        }
        if other.record(&id).is_empty() {
            other.fetch_until("the invitation", |_| other.done(&["invitations"]).contains(&id));
            other.done(&["accept", &id]);
        } else {
            other.fetch_until("the entry", |_| other.record(&id) == sent);
        }
        holder = if other.name == players[0].name { Side::First } else { Side::Second };
    }
    panic!("{} never ends", game.name);
}

/// Chooses challenges if there are any, because they bring the game to its end.
fn challenges(player: &Player, file: &str, nth: usize) -> String {
    let list = player.done(&["moves", file]);
    let entries: Vec<_> = list.lines().collect();
    if entries == ["deploy"] {
        let white = player.name == "ada";
        let pieces = if white { "Pa1 Wb2 Lc1 Ld2 Sc2 Se1 Af2" } else { "Pf6 We5 Lc6 Ld5 Sb6 Sd6 Aa5" };
        return format!("deploy {pieces}");
    }
    let bold: Vec<_> =
        entries.iter().copied().filter(|entry| entry.contains(['x', '*']) || *entry == "accept").collect();
    let from = if bold.is_empty() { entries } else { bold };
    from[nth % from.len()].to_owned()
}

/// Composes an entry from what `moves` says may come next, preferring the first of `order` that anything listed begins
/// with, until the entry may end.
fn step_by_step(player: &Player, file: &str, nth: usize, order: &[&str]) -> String {
    let mut entry = String::new();
    for step in 0..12 {
        let mut arguments = vec!["moves", file];
        arguments.extend(Some(entry.as_str()).filter(|entry| !entry.is_empty()));
        let output = player.run(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        let list = String::from_utf8(output.stdout).expect("UTF-8");
        let (complete, may_end) = (said.contains("complete"), said.contains("may also end"));
        if complete || (may_end && (nth >> step).is_multiple_of(2)) {
            return entry;
        }
        let best = order.iter().find_map(|word| {
            let fitting: Vec<_> = list.lines().filter(|action| action.contains(word)).collect();
            fitting.get((nth >> step) % fitting.len().max(1)).map(|action| (*action).to_owned())
        });
        let Some(best) = best else { return entry };
        entry = if entry.is_empty() { best } else { format!("{entry}; {best}") };
    }
    entry
}

/// Makes a few of the listed entries, then gives up.
fn a_few_entries(player: &Player, file: &str, nth: usize) -> String {
    match verify(&fs::read(player.home.join(file)).expect("a record")).entries {
        0..12 => step_by_step(player, file, nth, &[""]),
        _ => "resign".to_owned(),
    }
}

/// Makes the entries of a game that was played before, one after another.
fn as_played(player: &Player, file: &str, record: &[u8]) -> String {
    let opened = Opened::new(record).expect("a record");
    let mut body = opened.body();
    let played = verify(&fs::read(player.home.join(file)).expect("a record")).entries as usize;
    let mut seen = 0;
    while let Some(item) = body.next_item() {
        if let postrider_referee::record::Item::Entry(entry) = item {
            if seen == played {
                return entry.actions.text(opened.text).to_owned();
            }
            seen += 1;
        }
    }
    panic!("the game played before ends here");
}

#[test]
fn whole_games_through_a_real_mail_system() {
    let Some(system) = MailSystem::start() else { return };
    let base = TempDir::new().expect("a folder");
    let players = [Player::new(&system, base.path(), "ada", true), Player::new(&system, base.path(), "bram", false)];
    for name in registry::GAMES.iter().map(|game| game.info().name) {
        let plain = Game { name, new: &[], choose: a_few_entries, holds: &[] };
        play(&players, GAMES.iter().find(|game| game.name == name).unwrap_or(&plain));
    }
}

/// How a command ends, and what it says, if the servers refuse.
fn refused(player: &Player, password: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = player.run_with(password, arguments);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(!said.contains(password), "{said}");
    (output.status.code(), said.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn servers_that_refuse_the_password_or_are_not_vouched_for_get_nothing() {
    let Some(system) = MailSystem::start() else { return };
    let base = TempDir::new().expect("a folder");
    let players = [Player::new(&system, base.path(), "ada", true), Player::new(&system, base.path(), "bram", false)];
    let [smtp, smtps, imap, imaps] = system.ports;
    let unencrypted = |what: &str| format!("did not switch to TLS, and nothing was {what}");
    let unconnected = "could not be connected to".to_owned();
    for (player, out, inward, out_failed, in_failed) in [
        (&players[0], smtp, imaps, unencrypted("sent"), unconnected.clone()),
        (&players[1], smtps, imap, unconnected.clone(), unencrypted("said")),
    ] {
        let file = "a-game.pbem";
        let sides = ["defenders=ada <ada@localhost>", "besiegers=bram <bram@localhost>"];
        let id = format!("{}-says-no", player.name);
        let new =
            ["new", "asalto", "--clock", "5d", "--id", &id, "-o", file, "--player", sides[0], "--player", sides[1]];
        player.done(&new);
        let login =
            |section: &str| format!("look at `user` and the password's source under `{section}` in the settings");
        let (code, said) = refused(player, "no-such-word", &["send", file]);
        let start = format!("error: localhost:{out} refused the login: 535 5.7.8 ");
        assert!(code == Some(2) && said.starts_with(&start) && said.ends_with(&login("mail")), "{code:?} {said}");
        let (code, said) = refused(player, "no-such-word", &["receive", "--imap"]);
        let start = format!("error: localhost:{inward} refused the login: [AUTHENTICATIONFAILED] ");
        assert!(code == Some(75) && said.starts_with(&start) && said.ends_with(&login("imap")), "{code:?} {said}");
        let settings = fs::read_to_string(player.home.join("settings.yaml")).expect("settings");
        let authority = format!(", ca: {}", system.folder.path().join("ca.pem").display());
        fs::write(player.home.join("settings.yaml"), settings.replace(&authority, "")).expect("settings");
        let unknown = |port: u16, failed: &str, section: &str| {
            format!(
                "error: localhost:{port} {failed}: its certificate comes from an authority unknown here; if the server \
                 has its own authority, name its file by `ca` under `{section}` in the settings"
            )
        };
        let right = format!("{}-pw", player.name);
        let sent = refused(player, &right, &["send", file]);
        assert_eq!(sent, (Some(2), unknown(out, &out_failed, "mail")));
        let received = refused(player, &right, &["receive", "--imap"]);
        assert_eq!(received, (Some(75), unknown(inward, &in_failed, "imap")));
        fs::write(player.home.join("settings.yaml"), settings).expect("settings");
    }
    // Postfix logs the Message-ID of every letter it accepts.
    let taken = || fs::read_to_string(system.folder.path().join("postfix/log")).expect("a log").contains("message-id=");
    assert!(!taken());
    players[0].done(&["send", "a-game.pbem"]);
    assert!(taken(), "what is sent is logged");
}

/// How whole games come to their end; of a game that is not here a few entries are made.
const GAMES: &[Game] = &[
    Game {
        name: "asalto",
        new: &["--clock", "5d"],
        choose: |player, file, _| {
            as_played(player, file, include_bytes!("../../examples/asalto/one-jump-too-few.pbem"))
        },
        holds: &["\n= besiegers win: huffed\n"],
    },
    Game {
        name: "assideum",
        new: &["--clock", "30d+1d"],
        choose: |player, file, _| {
            as_played(player, file, include_bytes!("../../examples/assideum/the-portal-at-the-gate.pbem"))
        },
        holds: &[],
    },
    Game {
        name: "assassyn",
        new: &["--clock", "50d/10 leave 30d"],
        choose: challenges,
        holds: &[" accept salt:", " open:"],
    },
    Game {
        name: "subsume",
        new: &["--option", "turn-limit=4", "--setup", "W d4 AA; B d5 DD; B h8 I; to play white"],
        choose: |player, file, nth| {
            // Both cover a token before the fight.
            match verify(&fs::read(player.home.join(file)).expect("a record")).entries {
                0 => "+d4I".to_owned(),
                1 => "+d5D".to_owned(),
                _ => step_by_step(player, file, nth, &["d4xd5", "d5xd4", "+d4", "+d5", "end", ""]),
            }
        },
        holds: &[" reveal ", " open:"],
    },
    Game {
        name: "mission-combat",
        new: &["--option", "quiet-turns=4"],
        choose: |player, file, nth| {
            // Whoever may claim the end of the game does.
            if player.run(&["move", "-n", file, "claim quiet"]).status.success() {
                return "claim quiet".to_owned();
            }
            let order = ["guess ", "discard ", "attack ", "place ", ["play ", "draw"][nth % 2], "event ", "end"];
            step_by_step(player, file, nth, &order)
        },
        holds: &[" guess ", "; deal ", "; hand ", " draw", " deal "],
    },
];

/// A letter is sent by the `sendmail` command of the mail system, and arrives as a delivery agent delivers it: through
/// a pipe.
#[test]
fn a_letter_goes_out_by_sendmail_and_comes_in_through_a_pipe() {
    let Some(system) = MailSystem::start() else { return };
    let base = TempDir::new().expect("a folder");
    let players = [Player::new(&system, base.path(), "ada", true), Player::new(&system, base.path(), "bram", false)];
    let configuration = system.folder.path().join("postfix/etc");
    let settings = format!(
        "email: ada@localhost\nmail: {{transport: sendmail, command: [sendmail, -C, {}]}}\n",
        configuration.display()
    );
    fs::write(players[0].home.join("settings.yaml"), settings).expect("settings");
    let sides = ["defenders=ada <ada@localhost>", "besiegers=bram <bram@localhost>"];
    let file = "a-game.pbem";
    players[0].done(&["new", "asalto", "--id", "by-sendmail", "-o", file, "--player", sides[0], "--player", sides[1]]);
    players[0].done(&["move", file, "place c6 e6", "--send"]);
    let inbox = system.folder.path().join("mailboxes/bram/new");
    let start = Instant::now();
    let letter = loop {
        let found = fs::read_dir(&inbox).ok().and_then(|mut letters| letters.next()).and_then(Result::ok);
        if let Some(letter) = found {
            break letter.path();
        }
        assert!(start.elapsed() < PATIENCE, "the letter did not arrive");
        std::thread::sleep(Duration::from_millis(20));
    };
    let output = players[1]
        .command(&["receive"])
        .stdin(fs::File::open(letter).expect("the letter"))
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("by-sendmail: you are invited: Asalto, bram <"), "{said}");
    players[1].done(&["accept", "by-sendmail"]);
    let sent = fs::read(players[0].home.join(file)).expect("a record");
    assert_eq!(players[1].record("by-sendmail"), sent);
}
