//! The rulebooks, the lessons, the tables of cards and areas, and the words of each language, as the texts that they are. This crate knows
//! what there is and nothing of what is in it: whoever uses a text reads it. It is a crate because Cargo packs nothing that stands outside a
//! package.
//!
//! The rulebooks are for players and stand beside this file; begin with `README.md`.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

/// What the rulebooks are, and how they are read.
pub const README: &str = include_str!("README.md");
/// The record: header, entries, clocks.
pub const RECORD: &str = include_str!("record.md");
/// Seals and signatures.
pub const SEALING: &str = include_str!("sealing.md");
/// Letters.
pub const MAIL: &str = include_str!("mail.md");
/// An address that keeps games.
pub const HOST: &str = include_str!("host.md");
/// Keys.
pub const KEYS: &str = include_str!("keys.md");
/// What is typed while playing.
pub const PLAYING: &str = include_str!("playing.md");
/// Playing against the machine.
pub const PRACTICE: &str = include_str!("practice.md");
/// Replies that are prepared.
pub const CONDITIONS: &str = include_str!("conditions.md");
/// Records in repositories.
pub const GIT: &str = include_str!("git.md");
/// Pages in a browser.
pub const PAGE: &str = include_str!("page.md");
/// Archives.
pub const ARCHIVE: &str = include_str!("archive.md");
/// The rules of Asalto.
pub const ASALTO: &str = include_str!("asalto.md");
/// The rules of assideum.
pub const ASSIDEUM: &str = include_str!("assideum.md");
/// The rules of Subsume.
pub const SUBSUME: &str = include_str!("subsume.md");
/// The rules of Assassyn's Dagger.
pub const ASSASSYN: &str = include_str!("assassyn.md");
/// The rules of Mission: Combat!.
pub const MISSION_COMBAT: &str = include_str!("mission-combat.md");

/// The lessons of each game, in YAML.
pub mod lessons {
    /// Those of Asalto.
    pub const ASALTO: &str = include_str!("lessons/asalto.yaml");
    /// Those of assideum.
    pub const ASSIDEUM: &str = include_str!("lessons/assideum.yaml");
    /// Those of Subsume.
    pub const SUBSUME: &str = include_str!("lessons/subsume.yaml");
    /// Those of Assassyn's Dagger.
    pub const ASSASSYN: &str = include_str!("lessons/assassyn.yaml");
    /// Those of Mission: Combat!.
    pub const MISSION_COMBAT: &str = include_str!("lessons/mission-combat.yaml");
}

/// What Mission: Combat! is played with, in YAML.
pub mod mission_combat {
    /// The decks that are played with if no others are named.
    pub const DECKS: &str = include_str!("mission-combat/decks.yaml");
    /// The lists of areas of the rulebook.
    pub const AREAS: &str = include_str!("mission-combat/areas.yaml");
}

/// The words of people and mail programs in letters, one text a language; `en.txt` says what each list is for.
pub mod words {
    /// The languages by their codes, and `any` for what is the same in all of them.
    pub const LANGUAGES: &[(&str, &str)] = &[
        ("af", include_str!("words/af.txt")),
        ("any", include_str!("words/any.txt")),
        ("ar", include_str!("words/ar.txt")),
        ("bg", include_str!("words/bg.txt")),
        ("ca", include_str!("words/ca.txt")),
        ("cs", include_str!("words/cs.txt")),
        ("cy", include_str!("words/cy.txt")),
        ("da", include_str!("words/da.txt")),
        ("de", include_str!("words/de.txt")),
        ("el", include_str!("words/el.txt")),
        ("en", include_str!("words/en.txt")),
        ("eo", include_str!("words/eo.txt")),
        ("es", include_str!("words/es.txt")),
        ("et", include_str!("words/et.txt")),
        ("eu", include_str!("words/eu.txt")),
        ("fa", include_str!("words/fa.txt")),
        ("fi", include_str!("words/fi.txt")),
        ("fr", include_str!("words/fr.txt")),
        ("ga", include_str!("words/ga.txt")),
        ("gl", include_str!("words/gl.txt")),
        ("he", include_str!("words/he.txt")),
        ("hi", include_str!("words/hi.txt")),
        ("hr", include_str!("words/hr.txt")),
        ("hu", include_str!("words/hu.txt")),
        ("id", include_str!("words/id.txt")),
        ("is", include_str!("words/is.txt")),
        ("it", include_str!("words/it.txt")),
        ("ja", include_str!("words/ja.txt")),
        ("ko", include_str!("words/ko.txt")),
        ("lt", include_str!("words/lt.txt")),
        ("lv", include_str!("words/lv.txt")),
        ("mk", include_str!("words/mk.txt")),
        ("ms", include_str!("words/ms.txt")),
        ("nl", include_str!("words/nl.txt")),
        ("no", include_str!("words/no.txt")),
        ("pl", include_str!("words/pl.txt")),
        ("pt", include_str!("words/pt.txt")),
        ("ro", include_str!("words/ro.txt")),
        ("ru", include_str!("words/ru.txt")),
        ("sk", include_str!("words/sk.txt")),
        ("sl", include_str!("words/sl.txt")),
        ("sq", include_str!("words/sq.txt")),
        ("sr", include_str!("words/sr.txt")),
        ("sv", include_str!("words/sv.txt")),
        ("th", include_str!("words/th.txt")),
        ("tr", include_str!("words/tr.txt")),
        ("uk", include_str!("words/uk.txt")),
        ("vi", include_str!("words/vi.txt")),
        ("zh", include_str!("words/zh.txt")),
    ];
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn every_language_in_the_folder_is_listed() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("words");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.collect();
        let listed = super::words::LANGUAGES.iter().map(|(language, _)| format!("{language}.txt")).collect();
        assert_eq!(files, listed);
        assert!(super::words::LANGUAGES.is_sorted());
    }
}
