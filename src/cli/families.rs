//! Words behind which commands stand together: `postrider archive pack` is the command `pack`. The commands are also found by the names
//! that they have alone, which no list shows.

use clap::Command;

/// A word, and the commands behind it.
struct Family {
    word: &'static str,
    /// What it is for; empty if the word is a command itself, which says so.
    about: &'static str,
    examples: &'static str,
    /// What each is called behind the word, and alone.
    members: &'static [(&'static str, &'static str)],
}

const FAMILIES: [Family; 3] = [
    Family {
        word: "archive",
        about: "Pack, export and tabulate records; print or rewrite one",
        examples: "\
Examples:
  postrider archive pack games/ -o games.jsonl.zst      many records in one file
  postrider archive export games/ --csv > games.csv     a row per game
  postrider archive table tournament/                   standings and crosstable
  postrider archive replay game.pbem                    the position after each entry
  postrider archive fmt game.pbem                       in canonical form

`postrider rules archive` explains them.",
        members: &[
            ("pack", "pack"),
            ("unpack", "unpack"),
            ("export", "export"),
            ("table", "table"),
            ("fmt", "fmt"),
            ("replay", "replay"),
        ],
    },
    Family {
        word: "proof",
        about: "Check throws and secrets, compare copies, sign receipts",
        examples: "\
Examples:
  postrider proof audit game.pbem                 how every throw came about
  postrider proof evidence game.pbem copy.pbem    has somebody signed two different entries?
  postrider proof countersign game.pbem --send    a receipt for your opponent's entry

`postrider rules sealing` explains them.",
        members: &[("audit", "audit"), ("evidence", "evidence"), ("stamp", "stamp"), ("countersign", "countersign")],
    },
    Family {
        word: "invite",
        about: "",
        examples: "",
        members: &[("list", "invitations"), ("accept", "accept"), ("decline", "decline")],
    },
];

fn named(word: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.word == word)
}

/// Returns a word with the commands behind it; `one` builds a command by the name that it has alone.
pub(super) fn command(word: &str, one: impl Fn(&str) -> Option<Command>) -> Option<Command> {
    let family = named(word)?;
    let above = match one(word) {
        Some(itself) => itself.args_conflicts_with_subcommands(true).subcommand_negates_reqs(true),
        None => Command::new(family.word)
            .about(family.about)
            .after_help(family.examples)
            .subcommand_required(true)
            .arg_required_else_help(true),
    };
    let members = family.members.iter().filter_map(|(behind, alone)| Some(one(alone)?.name(*behind)));
    Some(above.subcommands(members))
}

/// The words that are no commands themselves.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().filter(|family| !family.about.is_empty()).map(|family| family.word)
}

/// Returns whether a command stands behind a word, and so is not listed alone.
pub(super) fn is_behind(name: &str) -> bool {
    FAMILIES.iter().any(|family| family.members.iter().any(|(_, alone)| *alone == name))
}

/// Returns the name that a command has alone, if these are a word and a name behind it.
pub(crate) fn alone(word: &str, behind: &str) -> Option<&'static str> {
    named(word)?.members.iter().find(|(name, _)| *name == behind).map(|(_, alone)| *alone)
}

/// Returns a command as lists and examples write it: `archive pack`.
pub(super) fn written(name: &str) -> String {
    let behind = FAMILIES.iter().find_map(|family| {
        let (behind, _) = family.members.iter().find(|(_, alone)| *alone == name)?;
        Some(format!("{} {behind}", family.word))
    });
    behind.unwrap_or_else(|| name.to_owned())
}
