//! Tricks on the script that checks signatures without the program: wherever it says `ok`, the program says that the record is legal.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::session::Session;
use crate::signing::{self, GAME, both, cleo, record, signed, with_both};
use postrider_referee::sealing::SecretKey;
use postrider_referee::verdict::{Ruling, verify};

fn checked(session: &Session, text: &[u8]) -> Output {
    session.write("game.pbem", text);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/check-signatures.sh");
    Command::new("sh").arg(script).arg(session.path("game.pbem")).output().expect("the script")
}

fn has_openssl() -> bool {
    let found =
        Command::new("openssl").arg("version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    if !found {
        eprintln!("**** SKIPPED: there is no openssl here, so the script that uses it is not tried. ****");
    }
    found
}

/// A change to the text of a record, and whether the record is signed after it or was before.
struct Trick {
    name: &'static str,
    from: &'static str,
    to: &'static str,
    signed_after: bool,
}

const fn after(name: &'static str, from: &'static str, to: &'static str) -> Trick {
    Trick { name, from, to, signed_after: true }
}

const fn before(name: &'static str, from: &'static str, to: &'static str) -> Trick {
    Trick { name, from, to, signed_after: false }
}

/// The lines of the signature below the second entry and of the key of the besiegers stand for these in a change.
const SIGNATURE: &str = "<signature 2>";
const KEY: &str = "<key>";
const OTHER: &str = "<other key>";

/// The entries behind the sixth, and how the last one ends.
const RUNNING: &str = "7 defenders c6-c5\n8 besiegers e3-d4\n9 defenders c5xc3; huff c3\n";
const LAST: &str = "huff c3\n";

const TRICKS: &[Trick] = &[
    // The header.
    after("the id twice", "started: ", "id: asalto-signed-two\nstarted: "),
    after("the id twice, the same", "started: ", "id: asalto-signed-here\nstarted: "),
    after("the game twice", "started: ", "game: subsume\nstarted: "),
    after("a second map of players", "started: ", "players:\n  besiegers: {name: Eve, key: <other key>}\nstarted: "),
    after(
        "a second map of players on one line",
        "started: ",
        "players: {besiegers: {name: Eve, key: <other key>}}\nstarted: ",
    ),
    after("a player twice", "  defenders: ", "  besiegers: {name: Eve, key: <other key>}\n  defenders: "),
    after("a third player", "started: ", "  watchers: {name: Eve, key: <other key>}\nstarted: "),
    after("a player missing", "  besiegers: {name: Ada Quill, key: <key>}\n", ""),
    after("two keys", ", key: <key>}", ", key: <other key>, key: <key>}"),
    after("a key in quotes within a key", ", key: <key>}", ", \"key\": <other key>, key: <key>}"),
    after("a tagged key", ", key: <key>}", ", key: !!str <key>}"),
    after("an anchor", ", key: <key>}", ", key: &a <key>}"),
    after("a comment behind the key", ", key: <key>}", ", key: <key>} # , key: <other key>}"),
    after("a name with a map", "name: Ada Quill", "name: Ada: Quill"),
    after("a title over lines", "started: ", "title: \"x\n  y\"\nstarted: "),
    after("a title that goes on", "started: ", "title: x\n  y\nstarted: "),
    after("a folded title", "started: ", "title: >\n  y\nstarted: "),
    after("a title in single quotes", "started: ", "title: 'it''s\nplayers: x'\nstarted: "),
    after("an escape in a title", "started: ", "title: \"\\nplayers:\"\nstarted: "),
    after("an alias", "started: ", "title: *x\nstarted: "),
    after("a field of nobody's", "started: ", "winner: besiegers\nstarted: "),
    after("a document that ends", "started: ", "...\nstarted: "),
    after("a directive", "started: ", "%YAML 1.2\nstarted: "),
    after("a tab in the header", "started: ", "title:\tx\nstarted: "),
    after("no version", "pbem: 1\n", ""),
    after("another version", "pbem: 1\n", "pbem: 2\n"),
    after("no date", "started: 2026-11-21\n", ""),
    after("a date with words", "started: 2026-11-21", "started: yesterday"),
    after("an unknown game", "game: asalto", "game: chess"),
    after("an id of another form", "id: asalto-signed-here", "id: Asalto_signed"),
    after("an option twice", "started: ", "options: {huff: claim, huff: claim}\nstarted: "),
    after("an option twice, on lines", "started: ", "options:\n  huff: claim\n  huff: claim\nstarted: "),
    after("a merge key", "started: ", "<<: {id: asalto-signed-two}\nstarted: "),
    after("a complex key", "started: ", "? id\n: asalto-signed-two\nstarted: "),
    after("a header that is indented", "started: ", "  started: "),
    after("a control character in a title", "started: ", "title: a\u{1b}[2Jb\nstarted: "),
    after("a line separator in a title", "started: ", "title: \"a\u{2028}b\"\nstarted: "),
    after("a byte order mark", "---\npbem", "\u{feff}---\npbem"),
    after("something before the header", "---\npbem", "# x\n---\npbem"),
    // The body.
    before("a number that does not count", "3 defenders", "4 defenders"),
    before("a number with a zero", "3 defenders", "03 defenders"),
    before("a number and a letter", "3 defenders", "3x defenders"),
    before("two spaces", "3 defenders ", "3 defenders  "),
    before("a space at the end", "c6-d6; huff d6\n", "c6-d6; huff d6 \n"),
    before("a tab", "3 defenders ", "3 defenders\t"),
    before("a side of another game", "2 besiegers c4-c5\n", "2 white c4-c5\n"),
    before("a remark above the signature", SIGNATURE, "# x\n<signature 2>"),
    before("a blank line above the signature", SIGNATURE, "\n<signature 2>"),
    before("two signatures", SIGNATURE, "<signature 2>\n<signature 2>"),
    before("a signature of more", SIGNATURE, "<signature 2>AA"),
    before("a signature and a space", SIGNATURE, "<signature 2> "),
    before("a signature further in", SIGNATURE, " <signature 2>"),
    before("no signature", "<signature 2>\n", ""),
    before("a line of nobody's", SIGNATURE, "<signature 2>\nhello"),
    before("a line that is indented", SIGNATURE, "<signature 2>\n  3 defenders c6-d6"),
    before("a result in the middle", SIGNATURE, "<signature 2>\n= besiegers win: resigned"),
    before("a carriage return within a line", "2 besiegers c4-c5", "2 besiegers c4-c5\rx"),
    before("two carriage returns", "2 besiegers c4-c5\n", "2 besiegers c4-c5\r\r\n"),
    before("a zero byte", "2 besiegers c4-c5", "2 besiegers c4-c5\0"),
    before("an escape", "2 besiegers c4-c5", "2 besiegers c4-c5 {\u{1b}[1A}"),
    before("a next line", "2 besiegers c4-c5", "2 besiegers c4-c5 {\u{85}}"),
    after("a message in a message", "{a word}", "{a {word}}"),
    after("a time of another kind", "6 besiegers c3-c4 {", "6 besiegers c3-c4 @2026-11-21 {"),
    after("a time behind the message", "{a word}", "{a word} @2026-11-21T10:00:00Z"),
    after("a key of a side that has one", "2 besiegers c4-c5", "2 besiegers key <other key>; c4-c5"),
    after("a key behind the move", "2 besiegers c4-c5", "2 besiegers c4-c5; key <other key>"),
    after("a key alone", "2 besiegers c4-c5", "2 besiegers key <other key>"),
    after("an entry below the result", "9 defenders", "= defenders win: huffed\n9 defenders"),
    after("numbers from zero", "1 defenders", "0 defenders"),
    after("a day that is not in the calendar", "started: 2026-11-21", "started: 2026-02-30"),
    after("a month that is not in the calendar", "started: 2026-11-21", "started: 2026-13-01"),
    after("another edition of the rules", "started: ", "rules: 2\nstarted: "),
    after("another secrecy", "started: ", "secrecy: half\nstarted: "),
    after("a clock of another form", "started: ", "clock: 5 days\nstarted: "),
    after("a clock of nothing", "started: ", "clock: 0d\nstarted: "),
    after("a clock, and no times", "started: ", "clock: 5d\nstarted: "),
    after("a time in one entry only", "6 besiegers c3-c4 {", "6 besiegers c3-c4 @2026-11-21T10:00:00Z {"),
    after("a result while the game runs", RUNNING, "= besiegers win: resigned\n"),
    after("a result on time while the game runs", RUNNING, "= defenders win: time\n"),
    after("a result without a resignation", LAST, "huff c3\n= besiegers win: resigned\n"),
    after("a result without a claim", LAST, "huff c3\n= besiegers win: time\n"),
    after("a draw that nobody accepted", LAST, "huff c3\n= draw: agreed\n"),
    after("a result of another word", LAST, "huff c3\n= besiegers wins: huffed\n"),
    after("a result of nobody", LAST, "huff c3\n= white wins: huffed\n"),
    after("a result without a reason", LAST, "huff c3\n= besiegers win\n"),
    after("a result and a message", LAST, "huff c3\n= besiegers win: huffed {well played}\n"),
    after("an entry below a resignation", "7 defenders c6-c5", "7 defenders resign"),
    before("the message changed", "{a word}", "{a ward}"),
    before("the title added", "started: ", "title: x\nstarted: "),
];

#[test]
fn z30_the_script_says_ok_only_where_the_program_says_legal() {
    if !has_openssl() {
        return;
    }
    let session = Session::new();
    let honest = signed(&with_both(&GAME), both);
    let key = signing::ada().public().text();
    let second = honest.lines().filter(|line| line.starts_with("  ~ ")).nth(1).expect("a signature").to_owned();
    let output = checked(&session, honest.as_bytes());
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(&format!("2 besiegers ok by {}\n", signing::ada().public().fingerprint())), "{said}");
    let stands_for =
        |text: &str| text.replace(SIGNATURE, &second).replace(OTHER, &cleo().public().text()).replace(KEY, &key);
    let mut refused = 0;
    for Trick { name, from, to, signed_after } in TRICKS {
        let plain = with_both(&GAME);
        let (from, to) = (stands_for(from), stands_for(to));
        let change = |text: &str| {
            assert!(text.contains(&from), "{name}: there is no {from:?}");
            text.replacen(&from, &to, 1)
        };
        // Those who cheat sign what they changed, and as the other side too with a key of their own.
        let texts = if *signed_after {
            let text = change(&plain);
            let foreign = |side: &str| if side == "besiegers" { Some(cleo()) } else { both(side) };
            match std::panic::catch_unwind(|| [signed(&text, both), signed(&text, foreign)]) {
                Ok(texts) => texts.to_vec(),
                Err(_) => vec![change(&honest)],
            }
        } else {
            vec![change(&honest)]
        };
        for text in texts {
            let legal = verify(text.as_bytes()).ruling == Ruling::Legal;
            let output = checked(&session, text.as_bytes());
            let said = String::from_utf8_lossy(&output.stdout);
            let code = output.status.code();
            assert!(legal || code != Some(0), "{name}: the program refuses it\n{text}\n{said}");
            assert!(matches!(code, Some(0..=2)), "{name}: {code:?} {}", String::from_utf8_lossy(&output.stderr));
            if code == Some(2) {
                assert!(said.is_empty(), "{name}: {said}");
                assert!(!output.stderr.is_empty(), "{name}");
                refused += 1;
            }
        }
    }
    assert!(TRICKS.len() > 60 && refused > 60, "{} {refused}", TRICKS.len());
}

/// What the host signs with.
fn mill() -> SecretKey {
    SecretKey::take(&mut [0x44; 32])
}

/// The first entries of the game, each with a time.
const TIMED: [&str; 3] = [
    "1 defenders place c6 e6 @2026-11-21T10:00:00Z",
    "2 besiegers c4-c5 @2026-11-21T11:00:00Z",
    "3 defenders c6-d6; huff d6 @2026-11-21T12:00:00Z {a word}",
];

#[test]
fn z38_the_script_says_ok_of_a_hosted_game_only_where_the_program_says_legal() {
    if !has_openssl() {
        return;
    }
    let session = Session::new();
    let field = format!(
        "started: 2026-11-21\nhost: {{name: The Mill, email: games@example.com, key: {}}}",
        mill().public().text()
    );
    let ada = signing::field(&signing::ada());
    let hosted = |field: &str| record(&ada, "", &TIMED).replace("started: 2026-11-21", field);
    let by = |side: &str| Some(if side == "besiegers" { signing::ada() } else { mill() });
    let honest = signed(&hosted(&field), by);
    let output = checked(&session, honest.as_bytes());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains(&format!("1 defenders ok by the host, {}\n", mill().public().fingerprint())), "{said}");
    assert!(said.contains(&format!("2 besiegers ok by {}\n", signing::ada().public().fingerprint())), "{said}");
    let key = mill().public().text();
    let declared = |key: &SecretKey| format!("1 defenders key {}; place", key.public().text());
    let of_bram = |side: &str| both(side);
    assert!(
        checked(
            &session,
            signed(&hosted(&field).replace("1 defenders place", &declared(&signing::bram())), of_bram).as_bytes()
        )
        .status
        .success()
    );
    let tricks: Vec<(&str, String)> = vec![
        ("the host signs for who has a key", signed(&hosted(&field), |_| Some(mill()))),
        ("the player signs for the host", signed(&hosted(&field), |_| Some(signing::ada()))),
        (
            "somebody signs for the host",
            signed(&hosted(&field), |side| if side == "besiegers" { both(side) } else { Some(cleo()) }),
        ),
        ("nobody signs for the host", signed(&hosted(&field), |side| (side == "besiegers").then(signing::ada))),
        ("the host is left out", honest.replace(&field, "started: 2026-11-21")),
        (
            "the host is added",
            signed(&hosted("started: 2026-11-21"), |side| (side == "besiegers").then(signing::ada))
                .replace("started: 2026-11-21", &field),
        ),
        ("another host", honest.replace(&key, &cleo().public().text())),
        ("a second host", signed(&hosted(&format!("{field}\n{}", field.replace("started: 2026-11-21\n", ""))), by)),
        (
            "a host on lines",
            signed(&hosted(&format!("started: 2026-11-21\nhost:\n  name: The Mill\n  key: {key}")), by),
        ),
        ("a host without a key", signed(&hosted("started: 2026-11-21\nhost: {name: The Mill}"), by)),
        ("a host without a name", signed(&hosted(&format!("started: 2026-11-21\nhost: {{key: {key}}}")), by)),
        ("a host with two keys", signed(&hosted(&field.replace(", key", ", key: x, key")), by)),
        (
            "a host who plays",
            signed(&hosted(&field.replace(&key, &signing::ada().public().text())), |_| Some(signing::ada())),
        ),
        ("a host of another kind", signed(&hosted(&field.replace("host:", "hosts:")), by)),
        ("a player with the host's key", signed(&hosted(&field).replace("1 defenders place", &declared(&mill())), by)),
        (
            "no times",
            signed(
                &hosted(&field)
                    .replace(" @2026-11-21T10:00:00Z", "")
                    .replace(" @2026-11-21T11:00:00Z", "")
                    .replace(" @2026-11-21T12:00:00Z", ""),
                by,
            ),
        ),
        ("a weak key", signed(&hosted(&field.replace(&key, "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")), by)),
        ("a time changed", honest.replace("T10:00:00Z", "T10:00:01Z")),
    ];
    for (name, text) in tricks {
        let legal = verify(text.as_bytes()).ruling == Ruling::Legal;
        let code = checked(&session, text.as_bytes()).status.code();
        assert!(legal || matches!(code, Some(1 | 2)), "{name}: {code:?}\n{text}");
        assert!(name == "a host on lines" || !legal, "{name}: {:?}", verify(text.as_bytes()).ruling);
    }
}

#[test]
fn z33_the_script_refuses_bytes_that_are_no_text_and_weak_halves() {
    if !has_openssl() {
        return;
    }
    let session = Session::new();
    let honest = signed(&with_both(&GAME), both);
    for bytes in [&b"\xff"[..], b"\xc0\xaf", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xf5\x80\x80\x80", b"\xc2\x85"] {
        let mut text = honest.clone().into_bytes();
        let at = honest.find("{a word}").expect("a message") + 2;
        text.splice(at..at, bytes.iter().copied());
        assert_ne!(verify(&text).ruling, Ruling::Legal);
        assert_eq!(checked(&session, &text).status.code(), Some(2), "{bytes:?}");
    }
    // A signature whose first half is the neutral element, which whoever has the key can make to hold.
    let weak = format!("AQ{}", "A".repeat(84));
    let old = honest.lines().find_map(|line| line.strip_prefix("  ~ ")).expect("a signature");
    let text = honest.replacen(old, &format!("{weak}=="), 1);
    assert_ne!(verify(text.as_bytes()).ruling, Ruling::Legal);
    let said = checked(&session, text.as_bytes());
    assert_eq!(said.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&said.stdout).contains("1 defenders WRONG: a weak signature"));
    // A key whose coordinate is written with 2^255 - 19 added.
    let text = record(", key: 8P///////////////////////////////////////38=", "", &GAME[..2]);
    let text = signed(&text, |side| (side == "besiegers").then(cleo));
    assert_ne!(verify(text.as_bytes()).ruling, Ruling::Legal);
    assert_eq!(checked(&session, text.as_bytes()).status.code(), Some(1));
}
