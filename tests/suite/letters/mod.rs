//! What the tests of receiving share: Bram, who receives; his game with Ada; and letters from her.

#![allow(dead_code, reason = "each test program uses its part")]

use crate::session::{Done, Session};

pub const ID: &str = "asalto-20261121-mail01";
pub const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-20261121-mail01\nplayers:\n  besiegers: {name: Ada Quill, email: \
                      ada@example.org}\n  defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
pub const GAME: [&str; 5] = [
    "1 defenders place c6 e6 @2026-11-21T10:15:00Z\n",
    "2 besiegers c4-c5 @2026-11-22T08:02:11Z {the gate!}\n",
    "3 defenders c6-d6; huff d6 @2026-11-22T20:40:00Z\n",
    "4 besiegers e4-e5 @2026-11-23T07:00:00Z\n",
    "5 defenders e6xe4xc4xc6 @2026-11-23T18:31:09Z\n",
];
pub const GAME_FILE: &str = "games/ours.pbem";

pub fn record(entries: usize) -> String {
    HEADER.to_owned() + &GAME[..entries].concat()
}

/// Bram's home, with the game up to an entry.
pub fn bram(entries: usize) -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    session.write(GAME_FILE, record(entries));
    session
}

/// A plain letter from Ada with a record.
pub fn letter(record: &str) -> String {
    let body = data_encoding::BASE64.encode(record.as_bytes());
    format!(
        "From: Ada Quill <ada@example.org>\nSubject: [pbem] {ID}\nDate: Sun, 22 Nov 2026 08:05:00 +0000\nMIME-Version: \
         1.0\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n{body}\n"
    )
}

pub fn receive(session: &Session, args: &[&str], message: &[u8]) -> Done {
    let mut child = session.command(&[&["receive"], args].concat());
    child.env("POSTRIDER_NOW", "2026-11-24T12:00:00Z");
    run(child, message)
}

pub fn run(mut command: std::process::Command, input: &[u8]) -> Done {
    use std::io::Write;
    use std::process::Stdio;
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("a thread").expect("a message is always read completely");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { code: output.status.code().expect("an exit code"), out: text(output.stdout), err: text(output.stderr) }
}

/// What the program prints with colours as on a terminal, which a pipe would hide; anything else that could control a
/// terminal is a failure.
pub fn receive_in_colour(session: &Session, args: &[&str], message: &[u8]) -> Done {
    let mut command = session.command(&[&["receive"], args].concat());
    command.env("POSTRIDER_NOW", "2026-11-23T12:00:00Z").env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR");
    let done = run(command, message);
    let said = format!("{}{}", done.out, done.err);
    // The program's own colours begin with ESC [ and end with m.
    let mut rest = said.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        let behind = rest[at + 1..].strip_prefix('[').unwrap_or_else(|| panic!("{said:?}"));
        let end = behind.find(|c: char| !c.is_ascii_digit() && c != ';').expect("an end");
        assert!(behind[end..].starts_with('m'), "{said:?}");
        rest = &behind[end..];
    }
    let plain = said.replace('\u{1b}', "");
    assert!(plain.chars().all(|c| c == '\n' || !c.is_control()) && !plain.contains('\u{202e}'), "{said:?}");
    done
}
