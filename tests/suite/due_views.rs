//! What a player sees where something is due: the same in every command, with what is forced opened for its owner alone.
#![cfg(unix)]

use std::collections::BTreeSet;

use crate::honest_games;
use crate::session::Session;
use postrider_kernel::{Lost, Side};
use postrider_referee::sealing::{Ground, KeyStore, Owner, Secret};
use postrider_referee::verdict::Opened;
use postrider_testing::sample::rounds;

const NOT_ENTERED: &str = "what is to be opened was opened here with your own secret: the record does not show it yet";

/// What stands below a picture of that.
const PICTURED: &str = "not entered yet: only you see this";

/// When all entries have been made, and no time has run out.
const AFTERWARDS: &str = "2026-11-24T12:00:00Z";

/// A record up to each of its entries, the empty one included.
fn beginnings(record: &str) -> Vec<&str> {
    let body = record.rmatch_indices("\n---\n").next().map_or(0, |(at, mark)| at + mark.len());
    let lines = record[body..].match_indices('\n').map(|(at, _)| body + at + 1);
    // The opening of a secret and the result come after the last entry.
    let entries = std::iter::once(body)
        .chain(lines)
        .filter(|end| record[*end..].is_empty() || record[*end..].starts_with(|first: char| first.is_ascii_digit()));
    entries.map(|end| &record[..end]).collect()
}

/// The key store of a player: a secret and nothing else.
struct Only(Secret);

impl KeyStore for Only {
    fn secret(&mut self, _: bool) -> Result<Option<Secret>, Lost> {
        Ok(Some(self.0.clone()))
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        Ok([7; 16])
    }
}

/// The side that is due, and whether its entry begins with an opening; nothing if the game is over.
fn due(record: &str, secrets: &[String; 2]) -> Option<(Side, bool)> {
    let mut opened = Opened::with_chain(record.as_bytes()).expect("a record");
    opened.replay(u32::MAX);
    let standing = opened.table.standing();
    if standing.outcome.is_some() {
        return None;
    }
    let side = standing.due.side;
    let mut keys = Only(Secret::read(&secrets[side.index()]).expect("a secret"));
    let ground: Ground = opened.ground(side, true);
    let word = opened.header.info.sides[side.index()].word;
    let mut owner = Owner::new(&opened.header.id, word, &mut keys, ground);
    let after = opened.table.after_opening(&mut owner).expect("the secret is here");
    Some((side, after.is_some()))
}

/// Homes of the two players of a game, and the records of the game that they share.
fn homes(game: &str, record: &str, secrets: &[String; 2]) -> Session {
    let session = Session::new();
    let opened = Opened::new(record.as_bytes()).expect("a record");
    for (side, address) in [(Side::First, "ada@example.org"), (Side::Second, "bram@example.net")] {
        let (home, word) = (format!("home-{}", side.index()), opened.header.info.sides[side.index()].word);
        session.write(&format!("{home}/settings.yaml"), format!("email: {address}\n"));
        session.write("secret", format!("{} {word} {}\n", opened.header.id, secrets[side.index()]));
        let done = session.command(&["secret", "import", "secret"]).env("POSTRIDER_HOME", session.path(&home)).output();
        assert!(done.expect("the program").status.success(), "{game}");
    }
    session
}

/// What a command prints in the home of a side.
fn said(session: &Session, home: &str, args: &[&str], input: &str) -> (String, String) {
    session.write("typed", input);
    let output = session
        .command(args)
        .env("POSTRIDER_HOME", session.path(home))
        .env("POSTRIDER_NOW", AFTERWARDS)
        .stdin(std::fs::File::open(session.path("typed")).expect("a file"))
        .output()
        .expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    assert!(output.status.success(), "{args:?} {}", text(output.stderr));
    (text(output.stdout), text(output.stderr))
}

/// A sheet without its last entries, of which a session shows more, up to what a session says below it.
fn board(sheet: &str) -> Vec<&str> {
    let mut in_last = false;
    let lines = sheet.lines().take_while(|line| !line.starts_with("type your") && !line.starts_with("your next entry"));
    let kept = lines.filter(|line| {
        in_last = line.starts_with("last") || (in_last && line.starts_with("  "));
        !in_last && !line.is_empty()
    });
    kept.collect()
}

/// Each due state of a game: the record up to there, the side that is due, and whether that has something to open.
fn due_states(record: &str, secrets: &[String; 2]) -> Vec<(String, Side, bool)> {
    let states = beginnings(record).into_iter().filter_map(|part| {
        let (side, opens) = due(part, secrets)?;
        Some((part.to_owned(), side, opens))
    });
    states.collect()
}

#[test]
fn z12_play_and_show_draw_the_same_board_in_every_due_state_of_sealed_games() {
    let mut opened = BTreeSet::new();
    for (game, record, secrets) in honest_games::games() {
        let session = homes(game, &record, &secrets);
        for (nth, (part, side, opens)) in due_states(&record, &secrets).into_iter().enumerate() {
            // Where nothing is opened, some of the states are enough.
            if !opens && nth % 6 != 0 {
                continue;
            }
            session.write("game.pbem", &part);
            let home = format!("home-{}", side.index());
            let (shown, _) = said(&session, &home, &["show", "game.pbem"], "");
            let (played, _) = said(&session, &home, &["play", "--no-mail", "game.pbem"], "");
            let from = if side == Side::Second { &["--from", due_word(&part)][..] } else { &[] };
            let shown = if from.is_empty() {
                shown
            } else {
                said(&session, &home, &[&["show", "game.pbem"][..], from].concat(), "").0
            };
            assert_eq!(board(&shown), board(&played), "{game} {part}");
            assert_eq!(shown.contains(NOT_ENTERED), opens, "{game} {part}\n{shown}");
            if opens {
                opened.insert(game);
                // Nobody else sees it, nor does its owner who looks with everybody's eyes.
                let (public, _) = said(&session, &home, &["show", "game.pbem", "--as", "public"], "");
                let (other, _) = said(&session, "nobody", &["show", "game.pbem"], "");
                assert_eq!(public, other, "{game} {part}");
                let (played, _) = said(&session, &home, &["play", "--no-mail", "--as", "public", "game.pbem"], "");
                assert!(!played.contains(NOT_ENTERED), "{game} {played}");
                // A picture and JSON show the same to the same viewer, marked as not entered, and to everybody what is entered.
                let word = due_word(&part);
                let picture =
                    |args: &[&str]| said(&session, &home, &[&["picture", "game.pbem"][..], args].concat(), "");
                let (drawn, told) = picture(&["--as", word]);
                assert!(drawn.contains(PICTURED) && told.contains(NOT_ENTERED), "{game} {told}");
                let (drawn, told) = picture(&[]);
                assert!(!drawn.contains(PICTURED) && !told.contains(NOT_ENTERED), "{game} {told}");
                let json = |args: &[&str]| -> serde_json::Value {
                    let (out, _) = said(&session, &home, &[&["show", "--json", "game.pbem"][..], args].concat(), "");
                    serde_json::from_str(&out).expect("JSON")
                };
                let (own, all) = (json(&["--as", word]), json(&[]));
                assert_eq!((&own["foreseen"], &all["foreseen"]), (&true.into(), &serde_json::Value::Null), "{game}");
                assert_eq!(
                    (&own["position"], &own["due"]),
                    (&all["position"], &all["due"]),
                    "{game}: what has been entered"
                );
                let words = own["words"].as_array().expect("lines").iter().filter_map(|line| line.as_str());
                let (spoken, _) = said(&session, &home, &["show", "--words", "--as", word, "game.pbem"], "");
                for line in words {
                    assert!(spoken.contains(line), "{game}: {line}");
                }
                // An empty line says what there is to do.
                let (entered, _) = said(&session, &home, &["play", "--no-mail", "game.pbem"], "\nquit\n");
                assert!(entered.contains("Enter makes it") || entered.contains("is added to your entry"), "{entered}");
            }
        }
    }
    assert_eq!(opened.into_iter().collect::<Vec<_>>(), ["assassyn", "mission-combat", "subsume"]);
}

/// The word of the side that is due.
fn due_word(record: &str) -> &'static str {
    let mut opened = Opened::new(record.as_bytes()).expect("a record");
    opened.replay(u32::MAX);
    opened.header.info.sides[opened.table.standing().due.side.index()].word
}

#[test]
fn homes_that_differ_only_in_the_owners_secret_give_the_same_bytes_to_others() {
    for (game, record, secrets) in honest_games::games() {
        let session = homes(game, &record, &secrets);
        let states = due_states(&record, &secrets);
        let opening = states.iter().filter(|(.., opens)| *opens);
        let resting = states.iter().filter(|(.., opens)| !opens).step_by(rounds(27, 9));
        for (nth, (part, side, _)) in opening.chain(states.last()).chain(resting).enumerate() {
            session.write("game.pbem", part);
            let home = format!("home-{}", side.index());
            let opened = Opened::new(part.as_bytes()).expect("a record");
            let word = opened.header.info.sides[side.index()].word;
            // The twin has another secret of the same side.
            let twin = "twin";
            let _ = std::fs::remove_dir_all(session.path(twin));
            session.write("twin/settings.yaml", session.read(&format!("{home}/settings.yaml")));
            session.write("secret", format!("{} {word} {}\n", opened.header.id, "5a".repeat(32)));
            said(&session, twin, &["secret", "import", "secret"], "");
            let ways = [
                &["send", "-n", "--force", "game.pbem"][..],
                &["picture", "game.pbem", "--format", "svg", "-o", "-"],
                &["show", "game.pbem", "--json"],
                &["show", "game.pbem", "--as", "public"],
                &["show", "game.pbem", "--as", "public", "--words"],
                &["show", "game.pbem", "--json", "--as", "public"],
                &["show", "game.pbem", "--position"],
                &["page", "game.pbem", "-o", "-"],
                &["replay", "game.pbem"],
                &["log", "game.pbem", "--words"],
            ];
            // All that can leave is tried in some states, and letters, pictures and data in each.
            for args in ways.into_iter().take(if nth < 3 { usize::MAX } else { 3 }) {
                let run = |home: &str| {
                    let mut output = session.command(args);
                    output.env("POSTRIDER_HOME", session.path(home));
                    let output = output.env("POSTRIDER_NOW", AFTERWARDS).output();
                    let output = output.expect("the program");
                    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
                };
                let (mine, other) = (run(&home), run(twin));
                assert!(mine == other, "{game} {args:?}\n{}\n{}", mine.1, other.1);
            }
        }
    }
}
