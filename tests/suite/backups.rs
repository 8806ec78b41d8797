//! A home is copied and brought back, and an honest player who plays on from a copy is never made to look like a cheat.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::session::{Done, Session};
use crate::terminal::drive;

const ID: &str = "asalto-kept-twice";
const GAME: &str = "games/asalto-kept-twice.pbem";
const FROM: [&str; 2] = ["--passphrase-from", "cat phrase"];

const PLAYERS: [&str; 4] =
    ["--player", "besiegers=Bram Post <bram@example.net>", "--player", "defenders=Ada Quill <ada@example.org>"];

/// Ada, who plays the defenders with a key, and has made no entry.
fn begun() -> Session {
    let session = machine();
    session.write("home/settings.yaml", "email: ada@example.org\ngames: ../games\n");
    session.run(&["key", "new"]).ok();
    fs::create_dir(session.path("games")).expect("a folder");
    session.run(&[&["new", "asalto", "--id", ID, "-o", GAME], &PLAYERS[..]].concat()).ok();
    session
}

/// The same after her first entry.
fn ada() -> Session {
    let session = begun();
    session.run(&["move", GAME, "place c6 e6", "--at", "2026-11-21T12:00:00Z"]).ok();
    session.run(&["move", GAME, "c4-c5", "--for", "besiegers"]).ok();
    session
}

fn machine() -> Session {
    let session = Session::new();
    session.write("phrase", "correct horse\n");
    session
}

fn with(session: &Session, args: &[&str]) -> Done {
    // The games are beside the home, where only a backup of one's own may write.
    let own: &[&str] = if args[0] == "restore" { &["--with-commands"] } else { &[] };
    session.run(&[args, own, &FROM].concat())
}

/// Brings a file to another machine.
fn carry(from: &Session, to: &Session, file: &str) {
    to.write_private(file, fs::read(from.path(file)).expect("a file"));
}

#[test]
fn a_home_is_copied_whole_and_comes_back_on_another_machine() {
    let session = ada();
    let key = session.run(&["key", "show"]).ok();
    let said = with(&session, &["backup", "all.backup"]);
    assert!(said.out.contains("secrets: 0, records: 1"), "{}", said.out);
    let text = session.read("all.backup");
    assert!(text.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----") && !text.contains("ada@"));
    assert_eq!(fs::metadata(session.path("all.backup")).expect("a file").permissions().mode() & 0o777, 0o600);
    assert!(with(&session, &["backup", "all.backup"]).fails(2).contains("not overwritten"));

    let other = machine();
    carry(&session, &other, "all.backup");
    other.write("wrong", "battery staple\n");
    let wrong = other.run(&["restore", "all.backup", "--passphrase-from", "cat wrong"]).fails(2);
    assert!(wrong.contains("the passphrase is wrong") && !other.path("home").exists(), "{wrong}");
    let done = with(&other, &["restore", "all.backup"]);
    assert!(done.err.contains("before you sign one in 1 game"), "{}", done.err);
    done.ok();
    assert_eq!(other.run(&["key", "show"]).ok(), key);
    for file in [GAME, "home/settings.yaml", "home/data/signed/asalto-kept-twice.defenders"] {
        assert_eq!(other.read(file), session.read(file), "{file}");
    }
    // Once more changes nothing, and a record that was lost comes back.
    with(&other, &["restore", "all.backup"]).ok();
    fs::remove_file(other.path(GAME)).expect("removed");
    with(&other, &["restore", "all.backup"]).ok();
    assert_eq!(other.read(GAME), session.read(GAME));
}

#[test]
fn each_kind_of_backup_names_the_command_that_reads_it() {
    let session = ada();
    let players = ["black=Bram <bram@example.net>", "white=Ada <ada@example.org>"];
    let options = ["--option", "deployment=sealed", "--id", "sealed-here", "-o", "s.pbem"];
    session.run(&[&["new", "assassyn", "--player", players[0], "--player", players[1]], &options[..]].concat()).ok();
    session.run(&["move", "s.pbem", "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1"]).ok();
    with(&session, &["backup", "everything"]).ok();
    with(&session, &["secret", "export", "secrets"]).ok();
    with(&session, &["key", "backup", "key"]).ok();
    let reads = [("everything", "restore"), ("secrets", "secret import"), ("key", "key import")];
    for (file, its_own) in reads {
        for (_, other) in reads {
            if other == its_own {
                continue;
            }
            let machine = machine();
            carry(&session, &machine, file);
            let args: Vec<&str> = other.split(' ').chain([file]).collect();
            let said = if other == "key import" { machine.run(&args) } else { with(&machine, &args) }.fails(2);
            assert!(said.contains(&format!("`postrider {its_own} ")), "{other} {file}: {said}");
        }
    }
}

#[test]
fn an_honest_player_with_an_older_copy_signs_no_second_entry_for_a_turn() {
    let session = ada();
    with(&session, &["backup", "all.backup"]).ok();
    // After the backup the first machine goes on.
    session.run(&["move", GAME, "c6-d6"]).ok();
    let other = machine();
    carry(&session, &other, "all.backup");
    with(&other, &["restore", "all.backup"]).ok();
    let before = other.read(GAME);
    let said = other.run(&["move", GAME, "e6-d6"]).fails(2);
    assert!(said.contains("came from the backup of 2026-11-21T12:00:00Z") && said.contains("--only-here"), "{said}");
    assert_eq!(other.read(GAME), before);
    let forced = other.run(&["receive", "--answer"]);
    assert_eq!(other.read(GAME), before, "{}", forced.err);
    // On a terminal it asks, and only a plain no goes on.
    let question = "have you made entries of it elsewhere since 2026-11-21T12:00:00Z? [yes/no]";
    for answer in ["\r", "yes\r", "y\r"] {
        let Some((code, shown)) = drive(&other, (30, 200), &["move", GAME, "e6-d6"], &[(question, answer)]) else {
            break;
        };
        assert_eq!((code, other.read(GAME)), (2, before.clone()), "{shown}");
    }
    // The newer record from the first machine brings it up to date; once the player has said so, it is not asked again.
    carry(&session, &other, GAME);
    other.run(&["move", GAME, "c5-c6", "--for", "besiegers"]).ok();
    other.run(&["move", GAME, "e6-e7"]).fails(2);
    assert!(other.read("home/data/restored").contains(ID));
    other.run(&["move", GAME, "e6-e7", "--only-here"]).ok();
    assert!(!other.read("home/data/restored").lines().any(|line| line.starts_with(ID)));
}

#[test]
fn a_key_alone_on_a_new_machine_asks_before_it_signs() {
    let session = ada();
    session.run(&["key", "backup", "key.backup"]).ok();
    let other = machine();
    other.write("home/settings.yaml", "email: ada@example.org\n");
    carry(&session, &other, "key.backup");
    carry(&session, &other, GAME);
    other.run(&["key", "import", "key.backup"]).ok();
    let before = other.read(GAME);
    let said = other.run(&["move", GAME, "e6-d6"]).fails(2);
    assert!(said.contains("does not know your entry 1 of this game"), "{said}");
    assert_eq!(other.read(GAME), before);
    // Judging alone signs nothing, and asks nothing.
    other.run(&["move", "-n", GAME, "e6-d6"]).ok();
    match drive(&other, (30, 200), &["move", GAME, "e6-d6"], &[("elsewhere since entry 1? [yes/no]", "no\r")]) {
        Some((code, shown)) => assert_eq!(code, 0, "{shown}"),
        None => drop(other.run(&["move", GAME, "e6-d6", "--only-here"]).ok()),
    }
    // On the machine where the game was begun nothing is ever asked.
    session.run(&["move", GAME, "c6-d6"]).ok();
}

#[test]
fn a_backup_overwrites_nothing_that_went_on() {
    let session = ada();
    with(&session, &["backup", "all.backup"]).ok();
    session.run(&["move", GAME, "c6-d6"]).ok();
    let (game, journal) = (session.read(GAME), session.read("home/data/signed/asalto-kept-twice.defenders"));
    with(&session, &["restore", "all.backup"]).ok();
    assert_eq!((session.read(GAME), session.read("home/data/signed/asalto-kept-twice.defenders")), (game, journal));
    assert!(!session.path("home/data/restored").exists(), "nothing came from it, so nothing is in doubt");
    // Another key is not replaced, and nothing else is restored beside it.
    let other = machine();
    other.write("home/settings.yaml", "email: ada@example.org\n");
    other.run(&["key", "new"]).ok();
    carry(&session, &other, "all.backup");
    let said = with(&other, &["restore", "all.backup"]).fails(2);
    assert!(said.contains("nothing was restored") && !other.path("home/data/signed").exists(), "{said}");
    // What is of another kind says what to type.
    session.run(&["key", "passphrase", FROM[0], FROM[1]]).ok();
    session.run(&["key", "backup", "key.backup"]).ok();
    assert!(session.run(&["restore", "key.backup"]).fails(2).contains("postrider key import"));
    assert!(
        session
            .run(&["restore", "home"])
            .fails(2)
            .contains("home is a folder, not a record, and has no backup (*.backup)")
    );
}

#[test]
fn a_backup_goes_into_a_folder_or_a_repository() {
    let session = ada();
    fs::create_dir(session.path("stick")).expect("a folder");
    with(&session, &["backup", "stick"]).ok();
    assert!(session.path("stick/postrider-2026-11-21T120000Z.backup").is_file());
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(session.path("repo")).args(args).env("HOME", session.folder.path());
        let output = command.env("GIT_CONFIG_NOSYSTEM", "1").output().expect("git");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    fs::create_dir(session.path("repo")).expect("a folder");
    git(&["init", "-q"]);
    for _ in 0..2 {
        let said = with(&session, &["backup", "repo"]).ok();
        assert!(said.contains("and committed"), "{said}");
    }
    assert_eq!(git(&["rev-list", "--count", "HEAD"]).trim(), "2");
    assert_eq!(git(&["status", "--porcelain"]), "");
    for folder in ["stick", "repo"] {
        let other = machine();
        let folder = session.path(folder);
        with(&other, &["restore", folder.to_str().expect("UTF-8")]).ok();
        assert_eq!(other.read(GAME), session.read(GAME));
    }
}

#[test]
fn no_core_file_is_written_of_a_program_that_holds_secrets() {
    let session = ada();
    session.write("limits", "ulimit -Sc >seen\necho correct horse\n");
    session.run(&["key", "passphrase", "--passphrase-from", "sh limits"]).ok();
    assert_eq!(session.read("seen"), "0\n");
    let settings = session.read("home/settings.yaml");
    session.write("home/settings.yaml", format!("{settings}passphrase-command: [sh, limits]\n"));
    session.write("seen", "");
    // The shell allows core files, and the program does not.
    let command = format!("ulimit -Sc unlimited; exec {} move {GAME} c6-d6", env!("CARGO_BIN_EXE_postrider"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(session.folder.path());
    shell.env("POSTRIDER_HOME", session.path("home")).env("POSTRIDER_NOW", "2026-11-21T12:00:00Z");
    let output = shell.output().expect("a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(session.read("seen"), "0\n");
}

#[test]
fn what_others_may_write_to_is_not_trusted() {
    let session = ada();
    session.run(&["key", "trust", "bram@example.net", "0123-4567-89ab-cdef-0123-4567-89ab-cdef"]).ok();
    let trusted = session.path("home/data/keys/trusted");
    fs::set_permissions(&trusted, fs::Permissions::from_mode(0o666)).expect("a mode");
    for args in
        [&["key", "show"][..], &["key", "trust", "cleo@example.net", "own"], &["key", "untrust", "bram@example.net"]]
    {
        let said = session.run(args).fails(2);
        assert!(said.contains("others may write to") && said.contains("chmod go-w"), "{said}");
    }
    let before = session.read(GAME);
    assert!(session.run(&["move", GAME, "c6-d6"]).fails(2).contains("others may write to"));
    assert_eq!(session.read(GAME), before);
    assert!(session.run(&["show", GAME]).err.contains("no key counts as trusted"));
    fs::set_permissions(&trusted, fs::Permissions::from_mode(0o600)).expect("a mode");
    session.run(&["key", "untrust", "Bram@example.net"]).ok();
    assert!(!session.run(&["key", "show", "--json"]).ok().contains("bram@"));
    assert!(session.run(&["key", "untrust", "bram@example.net"]).fails(2).contains("no key of bram@example.net"));
}

#[test]
fn a_strangers_backup_runs_nothing_and_writes_nothing_outside_the_home() {
    let stranger = machine();
    let settings = "email: ada@example.org\nname: Ada\ngames: ../elsewhere\npassphrase-command: [sh, -c, 'touch ran']\nmail:\n  letter: text\n  \
                    transport: sendmail\n  command: [sh, -c, 'touch ran']\n";
    stranger.write("home/settings.yaml", settings);
    fs::create_dir(stranger.path("elsewhere")).expect("a folder");
    let players = ["--player", "besiegers=Bram Post", "--player", "defenders=Ada"];
    stranger
        .run(&[&["new", "asalto", "--id", ID, "-o", "elsewhere/game.pbem", "--unsigned"][..], &players].concat())
        .ok();
    with(&stranger, &["backup", "all.backup"]).ok();
    let ada = machine();
    carry(&stranger, &ada, "all.backup");
    let restore = [&["restore", "all.backup"][..], &FROM].concat();
    let done = ada.run(&restore);
    assert!(done.code == 0, "{}{}", done.out, done.err);
    for named in ["passphrase-command: [", "mail.command: [", "games: \"../elsewhere\"", "--with-commands"] {
        assert!(done.err.contains(named), "{named}: {}", done.err);
    }
    assert!(!ada.path("elsewhere").exists() && ada.path("home/data/games/game.pbem").exists());
    let left = ada.read("home/settings.yaml");
    assert!(left.contains("ada@example.org") && !left.contains("touch") && !left.contains("elsewhere"), "{left}");
    assert_eq!(fs::metadata(ada.path("home/settings.yaml")).expect("a file").permissions().mode() & 0o777, 0o600);
    // The rest is as it was, and once more changes nothing.
    assert_eq!(ada.run(&restore).code, 0);
    // Somebody who says that it is his own gets it whole.
    let own = machine();
    carry(&stranger, &own, "all.backup");
    with(&own, &["restore", "all.backup"]).ok();
    assert_eq!(own.read("home/settings.yaml"), settings);
    assert!(own.path("elsewhere/game.pbem").exists());
}

#[test]
fn a_key_from_elsewhere_is_asked_about_once_in_each_game() {
    let session = begun();
    // The record goes to the second machine before she has made an entry, and so does the key.
    session.run(&["key", "backup", "key.backup"]).ok();
    let other = machine();
    other.write("home/settings.yaml", "email: ada@example.org\ngames: ../games\n");
    carry(&session, &other, "key.backup");
    fs::create_dir(other.path("games")).expect("a folder");
    carry(&session, &other, GAME);
    other.run(&["key", "import", "key.backup"]).ok();
    session.run(&["move", GAME, "place c6 e6"]).ok();
    let before = other.read(GAME);
    let said = other.run(&["move", GAME, "place c7 e7"]).fails(2);
    assert!(said.contains("your key came from elsewhere on 2026-11-21T12:00:00Z"), "{said}");
    assert!(said.contains("--only-here") && other.read(GAME) == before, "{said}");
    // A game that begins here was not played elsewhere, and one about which she has said so is not asked about again.
    let here = "games/asalto-begun-here.pbem";
    other.run(&[&["new", "asalto", "--id", "asalto-begun-here", "-o", here], &PLAYERS[..]].concat()).ok();
    other.run(&["move", here, "place c6 e6"]).ok();
    carry(&session, &other, GAME);
    other.write(GAME, before);
    other.run(&["move", GAME, "place c6 e6", "--only-here"]).ok();
    other.run(&["move", GAME, "c4-c5", "--for", "besiegers"]).ok();
    other.run(&["move", GAME, "c6-d6; huff d6"]).ok();
}

#[test]
fn z21_a_sealed_entry_that_was_signed_and_lost_is_made_again_as_the_advice_says() {
    let session = machine();
    session.write("home/settings.yaml", "email: ada@example.org\nname: Ada\ngames: ../games\n");
    session.run(&["key", "new"]).ok();
    fs::create_dir(session.path("games")).expect("a folder");
    let game = "games/game.pbem";
    let players = ["--player", "white=Ada <ada@example.org>", "--player", "black=Bram <bram@example.net>"];
    let new = ["new", "assassyn", "--id", "assassyn-lost-once", "--option", "deployment=sealed", "-o", game];
    session.run(&[&new[..], &players].concat()).ok();
    let before = session.read(game);
    let entry = ["move", game, "deploy Pa1 Wb2 Lc1 Ld2 Sc2 Se1 Af2"];
    session.run(&entry).ok();
    let made = session.read(game);
    // As after a lock that failed between the journal and the record.
    session.write(game, &before);
    fs::remove_dir_all(session.path("home/data/known")).expect("a folder");
    // Other words are refused: the sealed entry may have been seen.
    let other = ["move", game, "deploy Pa1 Wb2 Lc1 Ld2 Sc2 Sf2 Ae1"];
    let mut later = session.command(&other);
    later.env("POSTRIDER_NOW", "2026-11-21T13:00:00Z");
    let said = crate::letters::run(later, b"").fails(2);
    let advice =
        "typed as you typed it then: `postrider move games/game.pbem 'YOUR ENTRY'` with `--time 2026-11-21T12:00:00Z`";
    assert!(said.contains(advice), "{said}");
    // The same words make the entry that was signed, with its time.
    let mut later = session.command(&entry);
    later.env("POSTRIDER_NOW", "2026-11-21T13:00:00Z");
    crate::letters::run(later, b"").ok();
    assert_eq!(session.read(game), made);
}

#[test]
fn each_run_that_signs_backs_up_by_itself_and_the_newest_stay() {
    let session = ada();
    let settings =
        "email: ada@example.org\ngames: ../games\nbackup: {to: ../kept, passphrase-command: [cat, phrase], keep: 2}\n";
    session.write("home/settings.yaml", settings);
    fs::create_dir(session.path("kept")).expect("a folder");
    // What others have made is left alone, also by another home in the same folder.
    let others = [
        "postrider-mine.backup",
        "postrider-2026-11-20T120000Z.backup",
        "postrider-auto-00000000-2026-11-20T120000Z.backup",
        "postrider-auto-00000000-2026-11-20T120001Z.backup",
    ];
    for other in others {
        session.write(&format!("kept/{other}"), "mine");
    }
    let kept = || {
        let names = fs::read_dir(session.path("kept")).expect("a folder");
        let mut names: Vec<String> =
            names.map(|one| one.expect("a file").file_name().into_string().expect("text")).collect();
        names.retain(|name| !others.contains(&name.as_str()));
        let own = |name: String| {
            name.replacen(&format!("-auto-{}-", session.read("home/data/backup-mark").trim()), "-auto-HOME-", 1)
        };
        let mut names: Vec<String> = names.into_iter().map(own).collect();
        names.sort();
        names
    };
    // What signs nothing needs none.
    session.run(&["show", GAME]).ok();
    session.run(&["move", "-n", GAME, "c6-d6"]).ok();
    assert!(kept().is_empty());
    session.run(&["move", GAME, "c6-d6"]).ok();
    assert_eq!(kept(), ["postrider-auto-HOME-2026-11-21T120000Z.backup"]);
    let mark = session.read("home/data/backup-mark").trim().to_owned();
    let real = |name: &str| format!("kept/{}", name.replace("HOME", &mark));
    let mode = fs::metadata(session.path(&real(&kept()[0]))).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    session.run(&["move", GAME, "c5-c6", "--for", "besiegers"]).ok();
    assert_eq!(kept().len(), 1, "nobody signs for the opponent");
    session.run(&["move", GAME, "e6-e7"]).ok();
    assert_eq!(kept().len(), 2);
    session.run(&["move", GAME, "d4-d5", "--for", "besiegers"]).ok();
    session.run(&["move", GAME, "resign"]).ok();
    assert_eq!(
        kept(),
        ["postrider-auto-HOME-2026-11-21T120000Z_02.backup", "postrider-auto-HOME-2026-11-21T120000Z_03.backup"]
    );
    for other in others {
        assert_eq!(session.read(&format!("kept/{other}")), "mine");
    }
    // The newest has everything.
    let other = machine();
    fs::create_dir(other.path("kept")).expect("a folder");
    for name in kept() {
        carry(&session, &other, &real(&name));
    }
    with(&other, &["restore", "kept"]).ok();
    assert_eq!(other.read(GAME), session.read(GAME));
    // Whose is meant must be said where several homes have theirs.
    assert!(!other.path("home/data/backup-mark").exists());
    carry(&session, &other, &real(&kept()[0]));
    let copied = fs::read(other.path(&real(&kept()[0]))).expect("a file");
    other.write_private(&format!("kept/{}", others[2]), copied);
    let said = with(&other, &["restore", "kept"]).fails(2);
    assert!(said.contains("has backups of 2 homes"), "{said}");
}

#[test]
fn the_backup_just_made_is_never_removed_although_an_older_one_is_named_later() {
    let session = ada();
    let settings = "email: ada@example.org\ngames: ../games\nbackup: {to: ../home/data/kept, passphrase-command: [cat, phrase], keep: 2}\n";
    session.write("home/settings.yaml", settings);
    session.write("home/data/backup-mark", "0123abcd\n");
    fs::create_dir(session.path("home/data/kept")).expect("a folder");
    let name = |time: &str| format!("home/data/kept/postrider-auto-0123abcd-{time}.backup");
    for time in ["2036-01-01T000000Z", "2037-01-01T000000Z"] {
        session.write(&name(time), "of a clock that was ahead");
    }
    let done = session.run(&["move", GAME, "c6-d6"]);
    assert!(done.err.contains("named after a time that is still to come"), "{}", done.err);
    done.ok();
    assert!(session.path(&name("2026-11-21T120000Z")).exists());
    assert!(session.path(&name("2037-01-01T000000Z")).exists() && !session.path(&name("2036-01-01T000000Z")).exists());
    // None has those before it in it.
    with(&session, &["backup", "all.backup"]).ok();
    let other = machine();
    carry(&session, &other, "all.backup");
    with(&other, &["restore", "all.backup"]).ok();
    assert!(!other.path("home/data/kept").exists());
}

#[test]
fn a_backup_that_cannot_be_made_by_itself_is_told_and_the_entry_stands() {
    let session = ada();
    let settings =
        "email: ada@example.org\ngames: ../games\nbackup: {to: ../no-stick, passphrase-command: [cat, phrase]}\n";
    session.write("home/settings.yaml", settings);
    let done = session.run(&["move", GAME, "c6-d6"]);
    assert!(done.err.contains("warning: no backup was made by itself: "), "{}", done.err);
    done.ok();
    assert!(session.read(GAME).contains("3 defenders c6-d6"));
}

#[test]
fn a_run_that_is_killed_after_it_signed_is_backed_up_by_the_next_one() {
    for how in ["-KILL", "-TERM"] {
        let game = GAME;
        let session = ada();
        let settings = "email: ada@example.org\ngames: ../games\nbackup: {to: ../kept, passphrase-command: [sh, phrase.sh], keep: 9}\n";
        session.write("home/settings.yaml", settings);
        session.write("phrase.sh", format!("kill {how} $PPID; sleep 1; echo late"));
        fs::create_dir(session.path("kept")).expect("a folder");
        let kept = || fs::read_dir(session.path("kept")).expect("a folder").count();
        let before = session.read(game);
        let ended = session.command(&["move", game, "c6-d6"]).output().expect("the program").status;
        assert!(!ended.success() && session.read(game) != before && kept() == 0, "{how}: {ended}");
        // What opens no home backs nothing up; what opens one does, and once.
        session.write("phrase.sh", "echo correct horse");
        session.run(&["rules", "asalto"]).ok();
        assert_eq!(kept(), 0);
        for _ in 0..2 {
            session.run(&["status"]).ok();
            assert_eq!(kept(), 1, "{how}");
        }
        let other = machine();
        let made = fs::read_dir(session.path("kept")).expect("a folder").next().expect("one").expect("a file").path();
        other.write_private("all.backup", fs::read(made).expect("a file"));
        with(&other, &["restore", "all.backup"]).ok();
        assert_eq!(other.read(game), session.read(game));
    }
}

#[test]
fn a_backup_that_failed_is_made_by_a_later_run() {
    let session = ada();
    let settings =
        "email: ada@example.org\ngames: ../games\nbackup: {to: ../stick, passphrase-command: [cat, phrase]}\n";
    session.write("home/settings.yaml", settings);
    session.run(&["move", GAME, "c6-d6"]).ok();
    fs::create_dir(session.path("stick")).expect("a folder");
    session.run(&["show", GAME]).ok();
    assert_eq!(fs::read_dir(session.path("stick")).expect("a folder").count(), 1);
    // Where no backups are made any more, none is due.
    session.write("home/settings.yaml", "email: ada@example.org\ngames: ../games\n");
    session.run(&["move", GAME, "c5-c6", "--for", "besiegers"]).ok();
    session.run(&["move", GAME, "e6-e7"]).ok();
    session.write("home/settings.yaml", settings);
    session.run(&["show", GAME]).ok();
    assert_eq!(fs::read_dir(session.path("stick")).expect("a folder").count(), 1);
}

#[test]
fn what_a_killed_backup_has_left_in_its_folder_is_removed_and_nothing_else() {
    let session = ada();
    let settings =
        "email: ada@example.org\ngames: ../games\nbackup: {to: ../kept, passphrase-command: [cat, phrase], keep: 9}\n";
    session.write("home/settings.yaml", settings);
    session.write("home/data/backup-mark", "0123abcd\n");
    fs::create_dir(session.path("kept")).expect("a folder");
    let left = |mark: &str| format!("kept/.postrider-auto-{mark}-2026-11-21T110000Z.backup.new.000000.tmp");
    let begun = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r";
    session.write(&left("0123abcd"), begun);
    session.write(&left("0123abcd").replace("110000", "110001"), "-----BEG");
    let others = [
        (left("00000000"), begun),
        (left("0123abcd").replace("110000", "110002"), "of somebody else"),
        ("kept/.notes.txt.new.000000.tmp".to_owned(), begun),
        ("kept/.postrider-auto-0123abcd-x.backup.new.000000.tmp".to_owned(), begun),
    ];
    for (name, text) in &others {
        session.write(name, *text);
    }
    session.run(&["move", GAME, "c6-d6"]).ok();
    assert!(!session.path(&left("0123abcd")).exists());
    assert!(!session.path(&left("0123abcd").replace("110000", "110001")).exists());
    for (name, text) in &others {
        assert_eq!(session.read(name), *text, "{name}");
    }
    assert_eq!(fs::read_dir(session.path("kept")).expect("a folder").count(), others.len() + 1);
}
