//! Two players in two folders with two key stores play whole sealed games with the program, using only mailed files;
//! and nothing secret is in a file before it is opened.

use postrider_testing::random::Stream;
use std::fs;
use std::path::Path;

use crate::players::{FILE, Player};
use tempfile::TempDir;

const GAME: &str = "assassyn-two-players";

/// Checks that nothing a side has sealed is in a text before the record opens it.
fn holds_nothing_secret(text: &str, record: &str, players: &[Player; 2]) {
    for player in players {
        let Some(secret) = player.secret() else { continue };
        assert!(!text.contains(secret.reveal().as_str()), "the secret of {}", player.word);
        for nonce in player.unopened(record) {
            assert!(!text.contains(&nonce), "a nonce of {}", player.word);
        }
    }
}

/// Plays a whole game and returns its record, which both players have.
fn play(base: &Path, deployment: &str, mut seed: u64) -> (String, [Player; 2]) {
    // The secrets are the same each time as well, and therefore so is the whole game.
    let players = [Player::with_secret(base, GAME, "white", 0x11), Player::with_secret(base, GAME, "black", 0x22)];
    let option = format!("deployment={deployment}");
    let new = [
        "new",
        "assassyn",
        "--id",
        GAME,
        "--player",
        "white=Ada Quill <ada@example.org>",
        "--player",
        "black=Bram Post <bram@example.net>",
        "--option",
        &option,
        "--clock",
        "50d",
        "-o",
        FILE,
    ];
    players[0].done(0, &new);
    let mut turn = 0;
    for clock in 1..650 {
        let player = &players[turn];
        let answered = player.run(clock, &["answer", FILE, "--send"]);
        if !answered.status.success() {
            let list = player.done(clock, &["moves", FILE]);
            let entries: Vec<_> = list.lines().collect();
            // Challenges bring a game to its end; a fixed stream of numbers makes it the same each time.
            let mut stream = Stream(seed);
            let pick = stream.below(1 << 31);
            seed = stream.0;
            let bold: Vec<_> =
                entries.iter().filter(|entry| entry.contains(['x', '*']) || **entry == "accept").collect();
            let entry = match (entries.as_slice(), bold.as_slice()) {
                (["deploy"], _) if player.word == "white" => "deploy Pa1 Wb2 Lc1 Ld2 Sc2 Se1 Af2",
                (["deploy"], _) => "deploy Pf6 We5 Lc6 Ld5 Sb6 Sd6 Aa5",
                (_, []) => entries[pick % entries.len()],
                (_, bold) => bold[pick % bold.len()],
            };
            player.done(clock, &["move", FILE, entry, "--send"]);
        }
        let (text, attached) = player.letter();
        assert_eq!(attached, player.record(), "the letter contains the record");
        holds_nothing_secret(&text, &attached, &players);
        holds_nothing_secret(&attached, &attached, &players);
        if attached.lines().any(|line| line.starts_with("= ")) {
            fs::write(players[1 - turn].folder.join(FILE), &attached).expect("the other's copy");
            return (attached, players);
        }
        let verdict = player.done(clock, &["verify", FILE]);
        let due = if verdict.contains("white due") { 0 } else { 1 };
        // A side may owe two consecutive entries; then nothing goes to the other.
        fs::write(players[due].folder.join(FILE), &attached).expect("the other's copy");
        turn = due;
    }
    panic!("the game never ends");
}

#[test]
fn two_players_with_two_key_stores_play_a_whole_sealed_game_by_mail() {
    let base = TempDir::new().expect("a folder");
    let (record, players) = play(base.path(), "sequential", 7);
    for needle in ["secrecy: sealed", "clock: 50d", " seal:", "accept salt:", " open:"] {
        assert!(record.contains(needle), "{needle}\n{record}");
    }
    let rolls = record.matches("accept salt:").count();
    let output = players[0].run(0, &["audit", FILE]);
    let audit = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(3), "won, not proven: {audit}");
    assert_eq!(audit.matches("\nThrow ").count(), rolls, "{audit}");
    // Both publish their secrets; then every seal is checked, including void ones.
    for player in &players {
        if player.secret().is_some() {
            player.done(0, &["secret", "publish", FILE]);
        }
    }
    let published = players[0].record();
    assert!(published.starts_with(&record) && published.contains("\n# secret white "), "{published}");
    // Only the winner's secret proves the win, and each has published it in their own copy.
    let winner = ["white", "black"].into_iter().find(|side| record.contains(&format!("\n= {side} wins")));
    for player in &players {
        let output = player.run(0, &["audit", FILE]);
        let expected = if winner == Some(player.word) { 0 } else { 3 };
        assert_eq!(output.status.code(), Some(expected), "{winner:?} {}", String::from_utf8_lossy(&output.stdout));
    }
    let audit = String::from_utf8(players[0].run(0, &["audit", FILE]).stdout).expect("UTF-8");
    assert!(
        !audit.contains("a nonce that the secret does not give")
            && audit.contains("was opened with the nonce that the secret gives"),
        "{audit}"
    );
    // A different secret in its place is not the one that white committed to: it accuses nobody, and proves nothing.
    let wrong = published.lines().map(|line| match line.strip_prefix("# secret white ") {
        Some(_) => format!("# secret white {}\n", "5a".repeat(32)),
        None => format!("{line}\n"),
    });
    fs::write(players[0].folder.join(FILE), wrong.collect::<String>()).expect("a record");
    let output = players[0].run(0, &["audit", FILE]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "whoever won, it is not proven: {said}");
    assert!(said.contains("white: noise: a secret that does not fit the commitment"), "{said}");
}

#[test]
fn z14_two_players_deploy_under_seal() {
    let base = TempDir::new().expect("a folder");
    let (record, _) = play(base.path(), "sealed", 11);
    let entries: Vec<_> = record.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert!(entries[0].starts_with("1 white seal:") && entries[1].starts_with("2 black seal:"), "{record}");
    assert!(entries[2].starts_with("3 white deploy Pa1 ") && entries[3].contains(" open:"), "{record}");
}

#[test]
fn z2_a_lost_secret_is_explained_and_can_be_restored_from_a_backup() {
    let base = TempDir::new().expect("a folder");
    let player = Player::new(base.path(), GAME, "white");
    let names = ["--player", "white=Ada", "--player", "black=Bram"];
    let setup = ["new", "assassyn", "--id", GAME, "--setup", "white Pa1 Lc1; black Pf6 Sc5; to play white", "-o", FILE];
    player.done(0, &[&setup[..], &names[..]].concat());
    player.done(1, &["move", FILE, "lc1Xc5"]);
    player.done(1, &["secret", "export", "backup.txt"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(player.folder.join("backup.txt")).expect("a backup").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let other = Player::new(base.path(), GAME, "black");
    fs::write(other.folder.join(FILE), player.record()).expect("a copy");
    other.done(2, &["move", FILE, "accept"]);
    fs::write(player.folder.join(FILE), other.record()).expect("a copy");
    let before = player.record();
    fs::remove_dir_all(player.home().join("data/secrets")).expect("a loss");
    for command in [&["move", FILE, "Pa1-a2"][..], &["answer", FILE][..]] {
        let output = player.run(3, command);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("the secret of white in ")
                && said.contains("is not kept here, so the dice of challenge 1 cannot be opened")
                && said.contains("resign, or lose on time"),
            "{said}"
        );
    }
    assert_eq!(player.record(), before);
    let output = player.run(3, &["secret", "import", "backup.txt"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !said.contains(player.secret().expect("a secret").reveal().as_str()), "{said}");
    // The dice may or may not end the game; either way the opening is now made.
    let opened =
        player.run(4, &["answer", FILE]).status.success() || player.run(4, &["move", FILE, "Pa1-a2"]).status.success();
    assert!(opened && player.record().contains("\n3 white open:"), "{}", player.record());
}

#[test]
fn z2_a_player_cannot_seal_for_the_other_side() {
    let base = TempDir::new().expect("a folder");
    let player = Player::new(base.path(), GAME, "white");
    let names = ["--player", "white=Ada", "--player", "black=Bram"];
    let setup = ["new", "assassyn", "--id", GAME, "--option", "deployment=sealed", "-o", FILE];
    player.done(0, &[&setup[..], &names[..]].concat());
    player.done(1, &["move", FILE, "deploy Pa1 Wb2 Lc1 Ld2 Sc2 Se1 Af2"]);
    let output = player.run(2, &["move", FILE, "deploy Pf6 We5 Lc6 Ld5 Sb6 Sd6 Aa5", "--for", "black"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("cannot seal for the other side"), "{said}");
}

#[test]
fn z9_a_new_game_is_sealed_and_has_a_clock_unless_told_otherwise() {
    let base = TempDir::new().expect("a folder");
    let player = Player::new(base.path(), GAME, "white");
    let new = ["new", "assassyn", "--player", "white=Ada", "--player", "black=Bram"];
    let sealed = player.done(0, &new);
    assert!(sealed.contains("\nclock: 10d\n") && sealed.contains("\nsecrecy: sealed\n"), "{sealed}");
    let open = player.done(0, &[&new[..], &["--open"]].concat());
    assert!(!open.contains("clock") && open.contains("\nsecrecy: open\n"), "{open}");
    let timeless = player.done(0, &[&new[..], &["--clock", "none"]].concat());
    assert!(!timeless.contains("clock") && timeless.contains("\nsecrecy: sealed\n"), "{timeless}");
}
