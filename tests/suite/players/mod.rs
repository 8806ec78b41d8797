//! A player with their own folder, key store and outbox, who uses only the program's commands.

#![allow(dead_code, reason = "each of those that include this uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mail_parser::{MessageParser, MimeHeaders};
use postrider_referee::sealing::Secret;
use postrider_referee::verdict::Opened;

/// The name of the record in a player's folder.
pub const FILE: &str = "game.pbem";

/// A player: a home with settings, a key store and an outbox, and a folder with a copy of the record.
pub struct Player {
    /// The name of the side.
    pub word: &'static str,
    /// The folder with the copy.
    pub folder: PathBuf,
    /// The id of the game.
    game: &'static str,
}

impl Player {
    /// A player in the game with this id, with a new folder.
    pub fn new(base: &Path, game: &'static str, word: &'static str) -> Self {
        let folder = base.join(word);
        fs::create_dir_all(&folder).expect("a folder");
        Self { word, folder, game }
    }

    /// Like [`Player::new`], with a secret that is always the same. Everything that is sealed, salted and shuffled is
    /// derived from it (Z21, Z22), so the game is the same each time.
    pub fn with_secret(base: &Path, game: &'static str, word: &'static str, seed: u8) -> Self {
        let player = Self::new(base, game, word);
        let backup = player.folder.join("backup");
        fs::write(&backup, format!("{game} {word} {}\n", format!("{seed:02x}").repeat(32))).expect("a backup");
        player.done(0, &["secret", "import", "backup"]);
        player
    }

    /// Where the settings, secrets and the outbox are.
    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Runs a command `clock` hours after the start.
    pub fn run(&self, clock: u32, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_postrider"))
            .args(arguments)
            .current_dir(&self.folder)
            .env("POSTRIDER_HOME", self.home())
            .env("POSTRIDER_NOW", format!("2026-11-{:02}T{:02}:00:00Z", 1 + clock / 24 % 28, clock % 24))
            .output()
            .expect("the program runs")
    }

    /// The standard output of a command that must succeed.
    pub fn done(&self, clock: u32, arguments: &[&str]) -> String {
        let output = self.run(clock, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// This player's copy of the record.
    pub fn record(&self) -> String {
        fs::read_to_string(self.folder.join(FILE)).expect("a record")
    }

    /// The player's secret, once there is one.
    pub fn secret(&self) -> Option<Secret> {
        let path = self.home().join("data/secrets").join(format!("{}.{}", self.game, self.word));
        fs::read_to_string(path)
            .ok()
            .map(|text| Secret::read(text.lines().next().unwrap_or_default()).expect("a secret"))
    }

    /// The nonces of the player's seals that are in a record and have not been opened.
    pub fn unopened(&self, record: &str) -> Vec<String> {
        let Some(secret) = self.secret() else { return Vec::new() };
        let mut opened = Opened::new(record.as_bytes()).expect("a record");
        opened.replay(u32::MAX);
        let header = opened.header_hash();
        let Some(seals) = opened.table.seals() else { return Vec::new() };
        let own = seals.published().into_iter().filter(|one| seals.word(one.side) == self.word && one.opened.is_none());
        own.map(|one| seals.nonce(&secret, &header, &one).to_string()).collect()
    }

    /// Takes the only letter from the outbox: its text, and the record attached.
    pub fn letter(&self) -> (String, String) {
        let outbox = self.home().join("data/outbox");
        let letters: Vec<_> =
            fs::read_dir(&outbox).expect("an outbox").map(|entry| entry.expect("a letter").path()).collect();
        assert_eq!(letters.len(), 1, "{letters:?}");
        let bytes = fs::read(&letters[0]).expect("a letter");
        fs::remove_file(&letters[0]).expect("a letter is taken");
        let message = MessageParser::default().parse(&bytes).expect("a mail");
        let text = message.body_text(0).expect("a text").into_owned();
        let record = |name: &str| name.ends_with(".pbem");
        let attached = message.attachments().find(|part| part.attachment_name().is_some_and(record));
        let attached = attached.expect("an attachment");
        (text, String::from_utf8(attached.contents().to_vec()).expect("UTF-8"))
    }
}
