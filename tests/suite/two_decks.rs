//! Two players with two key stores play a whole sealed game of Mission: Combat! with the program, using only mailed
//! files; an eavesdropper who has every mail and one key store learns nothing about the other hand.

use std::fs;

use crate::players::{FILE, Player};
use crate::tactics::{Stream, pick};
use tempfile::TempDir;

const GAME: &str = "mission-combat-two-players";

/// Few units and many events: the opening hands take almost the whole decks, so these are soon reshuffled, and every
/// event removes a unit, so the game is short whatever is dealt.
const HEADER: &str = "\
---
pbem: 1
game: mission-combat
id: mission-combat-two-players
players:
  marines: {name: Ada Quill, email: ada@example.org}
  portalists: {name: Bram Post, email: bram@example.net}
started: 2026-11-21
clock: 10d
secrecy: sealed
decks:
  marines:
    units:
      - {slug: guard, copies: 6, type: standard, defence: 10, weapon: standard, damage: 10, ranged: true}
    events:
      - {slug: blast, copies: 14, effect: damage, target: standard, points: 20}
      - {slug: snare, copies: 10, effect: trap}
  portalists:
    units:
      - {slug: shade, copies: 6, type: standard, defence: 10, weapon: standard, damage: 10, speed: true}
    events:
      - {slug: gust, copies: 12, effect: damage, target: standard, points: 20}
      - {slug: pit, copies: 12, effect: trap}
---
";

/// Chooses an entry action by action from what is listed.
fn choose(player: &Player, stream: &mut Stream) -> String {
    let position = player.done(0, &["show", FILE, "--position"]);
    let shuffled = player.record().contains("shuffle seal:");
    let mut entry = String::new();
    for _ in 0..40 {
        let mut arguments = vec!["moves", FILE];
        if !entry.is_empty() {
            arguments.push(&entry);
        }
        let list: Vec<String> = player.done(0, &arguments).lines().map(str::to_owned).collect();
        if list.is_empty() {
            return entry;
        }
        // Nobody fights before a deck has run out.
        let peaceful = |word: &str| list.iter().rfind(|action| action.starts_with(word)).filter(|_| !shuffled);
        let action = match peaceful("draw").or_else(|| peaceful("end")) {
            Some(action) => action,
            None => pick(&list, position.trim_end(), player.word, stream),
        };
        entry = if entry.is_empty() { action.to_owned() } else { format!("{entry}; {action}") };
    }
    panic!("an entry without an end: {entry}");
}

/// The nonces of a side's seals that a text must not contain: those of cards that the record has not opened.
fn hidden_nonces(player: &Player, record: &str) -> Vec<String> {
    player.unopened(record)
}

/// What everyone may see of the hands: their captions.
fn hands(sheet: &str) -> Vec<&str> {
    sheet.lines().skip_while(|line| !line.starts_with("hands")).take(2).collect()
}

#[test]
fn two_players_with_two_key_stores_play_a_sealed_game_to_its_end_by_mail() {
    let base = TempDir::new().expect("a folder");
    let players = [
        Player::with_secret(base.path(), GAME, "marines", 0x11),
        Player::with_secret(base.path(), GAME, "portalists", 0x22),
    ];
    fs::write(players[0].folder.join(FILE), HEADER).expect("a record");
    let mut stream = Stream(2);
    let (mut turn, mut mails, mut eavesdropped) = (0, 0, 0);
    let record = loop {
        let player = &players[turn];
        if !player.run(0, &["answer", FILE, "--send"]).status.success() {
            let entry = choose(player, &mut stream);
            player.done(0, &["move", FILE, &entry, "--send"]);
        }
        let (text, attached) = player.letter();
        mails += 1;
        assert!(mails < 400, "the game never ends");
        assert_eq!(attached, player.record(), "the letter contains the record");
        for owner in &players {
            for nonce in hidden_nonces(owner, &attached) {
                assert!(!text.contains(&nonce) && !attached.contains(&nonce), "a card of {}", owner.word);
            }
            if let Some(secret) = owner.secret() {
                assert!(!text.contains(secret.reveal().as_str()) && !attached.contains(secret.reveal().as_str()));
            }
        }
        fs::write(players[1 - turn].folder.join(FILE), &attached).expect("the other's copy");
        if attached.lines().any(|line| line.starts_with("= ")) {
            break attached;
        }
        // The eavesdropper has this mail and the marines' key store; of the portalists' hand that reveals only the
        // size.
        if mails > 3 && mails % 2 == 0 {
            let eavesdropper = &players[0];
            let sheet = eavesdropper.done(0, &["show", FILE, "--as", "marines"]);
            let [_, other] = hands(&sheet)[..] else { panic!("{sheet}") };
            assert!(
                other.trim().starts_with("portalists ") && other.ends_with(" cards") || other.ends_with(" card"),
                "{other}"
            );
            let tried = eavesdropper.run(0, &["show", FILE, "--as", "portalists"]);
            assert_eq!(tried.status.success(), other.ends_with(" 0 cards"), "{other}");
            eavesdropped += usize::from(!tried.status.success());
        }
        // Players see their own hand whenever they look, even while they owe openings.
        for owner in players.iter().filter(|owner| owner.record() == attached && mails > 3) {
            owner.done(0, &["show", FILE, "--as", owner.word]);
        }
        let verdict = player.done(0, &["verify", FILE]);
        turn = usize::from(!verdict.contains("marines due"));
    };
    assert!(eavesdropped > 0, "{record}");
    for needle in
        ["secrecy: sealed", "toss seal:", "guess ", " deal ", "hand ", "draw", "shuffle seal:", "discard ", " open:"]
    {
        assert!(record.contains(needle), "{needle}\n{record}");
    }
    // Both publish their secrets: then every card ever sealed is known, and every deck contained what it should.
    players[0].done(0, &["secret", "publish", FILE]);
    fs::write(players[1].folder.join(FILE), players[0].record()).expect("the other's copy");
    players[1].done(0, &["secret", "publish", FILE]);
    let audit = players[1].done(0, &["audit", FILE]);
    assert_eq!(audit.matches("generation 1 of the deck held exactly what it should, 30 in all").count(), 2, "{audit}");
    assert!(audit.contains("never opened, held `"), "{audit}");
    // A secret other than the one the marines have committed to is noise, and proves nothing.
    let wrong =
        players[1].record().lines().fold(String::new(), |text, line| match line.strip_prefix("# secret marines ") {
            Some(_) => format!("{text}# secret marines {}\n", "5a".repeat(32)),
            None => format!("{text}{line}\n"),
        });
    fs::write(players[0].folder.join(FILE), wrong).expect("a record");
    let output = players[0].run(0, &["audit", FILE]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = if players[0].record().contains("\n= marines win") { 3 } else { 0 };
    assert_eq!(output.status.code(), Some(expected), "{said}");
    assert!(said.contains("marines: noise: a secret that does not fit the commitment"), "{said}");
}
