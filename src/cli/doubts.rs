//! What the player knows apart from records, and what of it speaks against one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use super::home::office;
use super::keys;
use postrider_archive::judging::{Knows, Signers};
use postrider_disk::within::Within;
use postrider_home::keys::trust::Signing;
use postrider_kernel::text::printable;
use postrider_referee::sealing::{PublicKey, Statement};
use postrider_referee::verdict::Opened;
use postrider_vault::keyring::Trusted;

/// What the player knows apart from the records.
pub struct Known {
    trusted: Vec<Trusted>,
    /// What was said of keys.
    statements: Vec<Statement>,
    /// The folder of the player's games, whose records are compared with what was last known of them.
    games: Option<Within>,
}

impl Known {
    /// Returns what the player of this machine knows: of keys only if it is `of_keys` too.
    pub fn here(of_keys: bool) -> Self {
        let games = office().ok().and_then(|office| Within::of(office.disk(), &office.settings().ok()?.games_folder()));
        let (trusted, statements) =
            if of_keys { (keys::trusted().to_vec(), keys::statements().to_vec()) } else { Default::default() };
        Self { trusted, statements, games }
    }

    /// The same without the games.
    pub fn of_keys_only(&self) -> Self {
        Self { trusted: self.trusted.clone(), statements: self.statements.clone(), games: None }
    }

    /// Returns what speaks against a legal record all the same, one line each: other keys than the ones that are known, and,
    /// for a file in the folder of the player's games, another past. `keys` and `made` are those of its verdict.
    pub fn warnings(
        &self,
        file: Option<&Path>,
        source: &[u8],
        keys: [Option<PublicKey>; 2],
        made: [u32; 2],
    ) -> Vec<String> {
        let is_game = file.is_some_and(|file| self.is_game(file));
        let by_one_key = keys[0].is_some() && keys[0] == keys[1];
        if !is_game && !by_one_key && self.trusted.is_empty() && self.statements.is_empty() {
            return Vec::new();
        }
        let Ok(opened) = Opened::new(source) else { return Vec::new() };
        self.doubts(is_game, source, &Signers { header: &opened.header, keys, made, signed: made.map(|made| made > 0) })
    }
}

impl Knows for Known {
    fn is_game(&self, file: &Path) -> bool {
        self.games.as_ref().is_some_and(|games| games.holds(file))
    }

    fn knows_keys(&self) -> bool {
        !self.trusted.is_empty()
    }

    fn doubts(
        &self,
        is_game: bool,
        source: &[u8],
        &Signers { header, keys, made, signed }: &Signers<'_>,
    ) -> Vec<String> {
        let mut doubts = Signing { header, keys, made, signed }.distrust(&self.trusted, &self.statements);
        if is_game && let Ok(Some(rewritten)) = crate::commands::restore::rewritten(&header.id, source) {
            doubts.push(format!("it does not continue what was last known of it: {}", rewritten.what));
        }
        doubts
    }

    fn untrusted(&self, &Signers { header, keys, made, signed }: &Signers<'_>) -> Vec<String> {
        keys::untrusted(&Signing { header, keys, made, signed }, &self.trusted)
    }
}

/// What is doubtful about records, told on standard error as `verify` does, but each doubt once: of many games from the time before an
/// opponent signed, the first is named and the others are counted.
#[derive(Default)]
pub struct Doubts(BTreeMap<String, u32>);

impl Doubts {
    /// Prints those about a record that are new.
    pub fn tell(&mut self, path: Option<&str>, doubts: Vec<String>) {
        for doubt in doubts {
            let told = self.0.entry(doubt);
            if let Entry::Vacant(new) = &told {
                errln!("{}: warning: {}", printable(path.unwrap_or("-")), new.key());
            }
            *told.or_default() += 1;
        }
    }

    /// Prints in how many further records they were found.
    pub fn count(self) {
        for (doubt, records) in self.0.into_iter().filter(|(_, records)| *records > 1) {
            let more = records - 1;
            errln!("and {more} more {}: warning: {doubt}", if more == 1 { "record" } else { "records" });
        }
    }
}
