//! Two players in two folders with two key stores play sealed games of Subsume using only mailed files; and nothing
//! hidden is in a file, a letter or a public sheet before the record opens it.

use std::fs;
use std::path::Path;

use crate::players::{FILE, Player};
use tempfile::TempDir;

const GAME: &str = "subsume-two-players";

/// Checks that nothing a side has sealed is in a text before the record opens it.
fn holds_nothing_secret(text: &str, record: &str, players: &[Player; 2]) {
    for player in players {
        let Some(secret) = player.secret() else { continue };
        assert!(!text.contains(secret.reveal().as_str()), "the secret of {}", player.word);
        for label in (1..=60).flat_map(|token| [format!("token.{token}"), format!("token.{token}.1")]) {
            let nonce = secret.nonce(GAME, player.word, &label).to_string();
            let opened = record.lines().any(|line| !line.starts_with('#') && line.contains(&format!(":{nonce}")));
            assert!(opened || !text.contains(&nonce), "`{label}` of {}", player.word);
        }
    }
}

/// Pseudo-random numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A turn that a player composes action by action from what the program lists; types are typed openly.
fn turn(player: &Player, clock: u32, numbers: &mut Numbers) -> String {
    let mut begun: Vec<String> = Vec::new();
    loop {
        let typed = begun.join("; ");
        let arguments: &[&str] = if begun.is_empty() { &["moves", FILE] } else { &["moves", FILE, &typed] };
        let output = player.run(clock, arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{typed}: {said}");
        let list = String::from_utf8(output.stdout).expect("UTF-8");
        let actions: Vec<_> = list.lines().collect();
        // Tokens are claimed in the middle and fight there; now and then a turn is closed.
        let bold = |action: &&&str| {
            let in_the_middle = action.starts_with('+') && !matches!(action.as_bytes().get(2), Some(b'1' | b'8'));
            in_the_middle || action.contains(['x', ':']) || **action == "end"
        };
        let fights: Vec<_> = actions.iter().filter(bold).collect();
        let may_end = said.contains("may also end here") || said.contains("complete");
        if actions.is_empty() || may_end && fights.is_empty() && numbers.below(3) == 0 {
            assert!(may_end || begun.is_empty(), "{typed}");
            return typed;
        }
        let action = match fights.as_slice() {
            [] => actions[numbers.below(actions.len())],
            some if numbers.below(4) > 0 => some[numbers.below(some.len())],
            _ if may_end => return typed,
            _ => actions[numbers.below(actions.len())],
        };
        begun.push(action.to_owned());
    }
}

/// Plays a whole game and returns its record, which both players have.
fn play(base: &Path, setup: &str, seed: u64) -> (String, [Player; 2]) {
    let players = [Player::new(base, GAME, "white"), Player::new(base, GAME, "black")];
    let new =
        ["new", "subsume", "--id", GAME, "--option", "turn-limit=8", "--clock", "50d", "--setup", setup, "-o", FILE];
    let names = ["--player", "white=Ada Quill <ada@example.org>", "--player", "black=Bram Post <bram@example.net>"];
    players[0].done(0, &[&new[..], &names[..]].concat());
    let mut numbers = Numbers(seed);
    let mut at = 0;
    for clock in 1..200 {
        let player = &players[at];
        if !player.run(clock, &["answer", FILE, "--send"]).status.success() {
            let typed = turn(player, clock, &mut numbers);
            player.done(clock, &["move", FILE, &typed, "--send"]);
        }
        let (text, attached) = player.letter();
        assert_eq!(attached, player.record(), "the letter contains the record");
        let sheet = player.done(clock, &["show", FILE, "--as", "public", "--at", &last_number(&attached)]);
        for shown in [&text, &attached, &sheet] {
            holds_nothing_secret(shown, &attached, &players);
        }
        // A viewer without a secret sees the same board, on the sheet and in the letter.
        let spectator = Player::new(base, GAME, "spectator");
        fs::write(spectator.folder.join(FILE), &attached).expect("the spectator's copy");
        let public = spectator.done(clock, &["show", FILE]);
        // The letter's board is seen from the side of its reader.
        let text = text.replace(['[', ']', '(', ')'], " ");
        let seen = spectator.done(clock, &["show", FILE, "--from", ["white", "black"][1 - at]]);
        let board = |text: &str| {
            let lines = text.lines().filter(|line| line.contains('|'));
            lines.map(|line| line.replace(['[', ']', '(', ')'], " ")).collect::<Vec<_>>()
        };
        assert_eq!(board(&sheet), board(&public));
        assert!(board(&seen).iter().all(|line| text.contains(line.trim())), "{text}\n{seen}");
        if attached.lines().any(|line| line.starts_with("= ")) {
            fs::write(players[1 - at].folder.join(FILE), &attached).expect("the other's copy");
            return (attached, players);
        }
        at = usize::from(!player.done(clock, &["verify", FILE]).contains("white due"));
        fs::write(players[at].folder.join(FILE), &attached).expect("the other's copy");
    }
    panic!("the game never ends");
}

fn last_number(record: &str) -> String {
    let entries = record.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    entries.to_string()
}

#[test]
fn z15_two_players_with_two_key_stores_play_whole_games_with_hidden_tokens_by_mail() {
    let mut all = String::new();
    for (nth, setup) in [
        "W c4 DII; W d4 IIII; B d5 IIII; B e4 IDI; B h8 I; to play white",
        "W c4 DIIII; W c5 IAI; W d4 IIDI; B d5 IIII; B e4 IADI; to play white",
        "W a1/4 IDIDIDIDIDIDIDIDIDIDIDIDIDIDIDID; B e2 AD; B e4 IAA; to play white",
    ]
    .into_iter()
    .enumerate()
    {
        let base = TempDir::new().expect("a folder");
        let (record, players) = play(base.path(), setup, 5 + nth as u64);
        for player in &players {
            if player.secret().is_some() {
                player.done(0, &["secret", "publish", FILE]);
                // It is not a fault that a win is not proven before the winner has published the secret.
                let output = player.run(0, &["audit", FILE]);
                assert!(matches!(output.status.code(), Some(0 | 3)), "{:?}", output.status);
                let audit = String::from_utf8(output.stdout).expect("UTF-8");
                assert!(
                    audit.contains(&format!("{}: `token.", player.word))
                        && !audit.contains("a nonce that the secret does not give"),
                    "{audit}"
                );
                fs::copy(player.folder.join(FILE), players[0].folder.join(FILE)).ok();
            }
        }
        all.push_str(&record);
    }
    for needle in [" seal:", " open:", "reveal ", "; end", "secrecy: sealed", "=seal:"] {
        assert!(all.contains(needle), "{needle}\n{all}");
    }
    // A turn that follows a reveal in the same entry, one that continues after a reveal, and one that is ended by `end`
    // alone.
    let entry = |fits: &dyn Fn(&str) -> bool| {
        all.lines().any(|line| line.starts_with(|c: char| c.is_ascii_digit()) && fits(line))
    };
    assert!(entry(&|line| line.contains(" reveal ") && line.contains("; +")), "{all}");
    assert!(entry(&|line| !line.contains(" reveal ") && !line.contains(" +")), "{all}");
}

#[test]
fn u12_only_its_owner_is_shown_a_type() {
    let base = TempDir::new().expect("a folder");
    let [white, black] = ["white", "black"].map(|word| Player::new(base.path(), GAME, word));
    let new = ["new", "subsume", "--id", GAME, "--player", "white=Ada", "--player", "black=Bram", "-o", FILE];
    white.done(0, &new);
    white.done(1, &["move", FILE, "+d1a; d1-d2"]);
    fs::write(black.folder.join(FILE), white.record()).expect("a copy");
    let own = white.done(2, &["show", FILE, "--as", "white"]);
    assert!(
        own.contains("| a     |") && !white.done(2, &["show", FILE, "--as", "public"]).contains("| a     |"),
        "{own}"
    );
    let output = black.run(2, &["show", FILE, "--as", "white"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("is not kept here, so token 1 cannot be opened"), "{said}");
    let full = white.done(2, &["show", FILE, "--as", "white", "--mark", "d2"]);
    assert!(full.contains("token 1") && full.contains("a is known to its owner only"), "{full}");
}

#[test]
fn u93_reveal_may_be_typed_as_a_word_alone_or_before_a_turn() {
    for close in ["", "; end"] {
        let base = TempDir::new().expect("a folder");
        let [white, black] = ["white", "black"].map(|word| Player::new(base.path(), GAME, word));
        let setup = ["--setup", "W d4 AA; B d5 DD; B h8 I; to play white"];
        let new = ["new", "subsume", "--id", GAME, "--player", "white=Ada", "--player", "black=Bram", "-o", FILE];
        white.done(0, &[&new[..], &setup[..]].concat());
        let pass = |from: &Player, to: &Player, clock: u32, typed: &str| {
            from.done(clock, &["move", FILE, typed]);
            fs::write(to.folder.join(FILE), from.record()).expect("a copy");
        };
        pass(&white, &black, 1, "+d4I");
        pass(&black, &white, 2, "+d5D");
        pass(&white, &black, 3, &format!("+d4A; d4xd5{close}"));
        assert_eq!(black.done(4, &["moves", FILE]).contains("reveal"), close.is_empty());
        pass(&black, &white, 4, if close.is_empty() { "Reveal" } else { "reveal; +d4d" });
        let record = white.record();
        let entry = record.lines().find(|line| line.starts_with("4 black reveal 7:D:")).expect("a reveal");
        assert_eq!(entry.contains("; +d4 seal:"), !close.is_empty(), "{entry}");
        let output = white.run(5, &["move", FILE, "reveal"]);
        assert!(!output.status.success(), "no reveal is due");
        let after = if close.is_empty() { "end" } else { "+d5A" };
        pass(&white, &black, 6, after);
    }
}
