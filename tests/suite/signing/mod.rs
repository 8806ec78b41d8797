//! Signs records by the text of Z30 and Z31, without using the program's own chain.

#![allow(dead_code, reason = "each of those that include this uses a part of it")]

use postrider_referee::sealing::SecretKey;
use sha2::{Digest, Sha256};

/// Two keys and a third, only for tests.
pub fn ada() -> SecretKey {
    SecretKey::take(&mut [0x11; 32])
}

pub fn bram() -> SecretKey {
    SecretKey::take(&mut [0x22; 32])
}

pub fn cleo() -> SecretKey {
    SecretKey::take(&mut [0x33; 32])
}

/// The key of a side by its name, for Ada's besiegers and Bram's defenders.
pub fn both(side: &str) -> Option<SecretKey> {
    Some(if side == "besiegers" { ada() } else { bram() })
}

/// Adds a signature below each entry whose side has a key. The entries must be canonical.
pub fn signed(record: &str, key_of: impl Fn(&str) -> Option<SecretKey>) -> String {
    let (header, body) = record.strip_prefix("---\n").and_then(|rest| rest.split_once("---\n")).expect("a header");
    let id = header.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id");
    let mut text = format!("---\n{header}---\n");
    let mut digest: [u8; 32] = Sha256::digest(header).into();
    let mut number = 0;
    for line in body.lines() {
        text.push_str(&format!("{line}\n"));
        if !line.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        number += 1;
        digest = Sha256::new().chain_update(digest).chain_update(line).finalize().into();
        let side = line.split(' ').nth(1).expect("a side");
        if let Some(key) = key_of(side) {
            let hex = data_encoding::HEXLOWER.encode(&digest);
            let signature = key.sign(format!("pbem1|{id}|{number}|{hex}").as_bytes());
            text.push_str(&format!("  ~ {}\n", data_encoding::BASE64.encode(&signature)));
        }
    }
    text
}

/// A record of Asalto with additional text for the players' maps (`, key: …`), and these lines below the header.
pub fn record(besiegers: &str, defenders: &str, lines: &[&str]) -> String {
    let mut text = format!(
        "---\npbem: 1\ngame: asalto\nid: asalto-signed-here\nplayers:\n  besiegers: {{name: Ada Quill{besiegers}}}\n  \
         defenders: {{name: Bram Post{defenders}}}\nstarted: 2026-11-21\n---\n"
    );
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// A key as it is written in a player's map.
pub fn field(key: &SecretKey) -> String {
    format!(", key: {}", key.public().text())
}

/// A record whose header names both keys.
pub fn with_both(lines: &[&str]) -> String {
    record(&field(&ada()), &field(&bram()), lines)
}

/// A whole game.
pub const GAME: [&str; 9] = [
    "1 defenders place c6 e6",
    "2 besiegers c4-c5",
    "3 defenders c6-d6; huff d6",
    "4 besiegers e4-e5",
    "5 defenders e6xe4xc4xc6",
    "6 besiegers c3-c4 {a word}",
    "7 defenders c6-c5",
    "8 besiegers e3-d4",
    "9 defenders c5xc3; huff c3",
];
