//! The keys of the player's home, for commands.

use std::collections::HashSet;
use std::sync::Arc;

use super::hints::Failure;
use super::home::office;
use postrider_home::entry::openings;
use postrider_home::keys::trust;
use postrider_home::keys::trust::Signing;
use postrider_referee::judging::Table;
use postrider_referee::sealing::{Done, SecretKey, Statement};
use postrider_referee::verdict::Opened;
use postrider_vault::kept::Secrets;
use postrider_vault::keyring::{Keyring, Trusted};
use postrider_vault::locked::OwnKey;

/// Opens the key store.
pub fn store() -> Result<Secrets, Failure> {
    let office = office()?;
    let both = office.settings()?.hosts;
    Ok(office.secrets().of_both(both))
}

/// The player's own key and the trusted keys.
pub fn keyring() -> Result<Keyring, Failure> {
    Ok(office()?.keyring())
}

/// The trusted keys; none if there is no home.
pub fn trusted() -> Arc<[Trusted]> {
    office().map_or_else(|_| Arc::default(), |office| office.trusted())
}

/// What was said of keys; nothing if there is no home.
pub(super) fn statements() -> Arc<[Statement]> {
    office().map_or_else(|_| Arc::default(), |office| office.statements())
}

/// Returns the game after the openings that are due, if the secret here can make them.
pub fn after_openings(opened: &Opened<'_>) -> Result<Option<Box<dyn Table>>, Failure> {
    Ok(openings::after_openings(&*office()?, opened)?)
}

/// Returns the reasons why a record does not count as signed with trusted keys.
pub(super) fn untrusted(signing: &Signing<'_>, trusted: &[Trusted]) -> Vec<String> {
    office().map(|office| trust::untrusted(&office, signing, trusted)).unwrap_or_default()
}

/// Warns about keys that differ from the trusted ones.
pub fn warn_of_keys(opened: &Opened<'_>) {
    if let Ok(office) = office() {
        trust::warn_of_keys(&office, opened);
    }
}

/// Warns about a missing secret, and about keys that differ from the trusted ones.
pub fn warn(opened: &Opened<'_>) {
    if let Ok(office) = office() {
        openings::warn(&office, opened);
    }
}

/// Describes what was done with an entry in addition to what was typed, one line each; repetitions share a line.
pub fn in_words(done: &[Done]) -> String {
    const MOST: usize = 3;
    // Something that is opened in one action stays so in the next, and is opened once.
    let mut seen = HashSet::new();
    let mut done: Vec<&Done> = done.iter().collect();
    done.retain(|&one| match one {
        Done::Opened(label) | Done::Shown(label) => seen.insert(label.as_str()),
        _ => true,
    });
    let rows = done.chunk_by(|one, other| std::mem::discriminant(*one) == std::mem::discriminant(*other));
    rows.map(|row| match row {
        [Done::Sealed(first), .., Done::Sealed(last)] if row.len() > MOST => {
            format!("sealed `{first}` to `{last}`, {} seals: they show nothing until they are opened\n", row.len())
        }
        [Done::Opened(first), .., Done::Opened(last)] if row.len() > MOST => {
            format!("opened {} seals, `{first}` to `{last}`\n", row.len())
        }
        [Done::Shown(first), .., Done::Shown(last)] if row.len() > MOST => {
            format!("showed {} seeds, of `{first}` to `{last}`\n", row.len())
        }
        _ => row.iter().map(|one| in_a_line(one)).collect(),
    })
    .collect()
}

fn in_a_line(one: &Done) -> String {
    match one {
        Done::Sealed(label) => format!("sealed `{label}`: the seal shows nothing until it is opened\n"),
        Done::Opened(label) => format!("opened the seal `{label}`\n"),
        Done::Shown(label) => format!("showed the seed of `{label}`\n"),
        Done::Salted => "added a fresh salt\n".to_owned(),
        Done::Chosen => "chose at random what you left open\n".to_owned(),
    }
}

/// Returns the key, ready to sign. The passphrase of a locked key is asked for once per command.
pub fn opened(key: OwnKey) -> Result<SecretKey, Failure> {
    Ok(office()?.unlocked(key)?)
}
