//! Keys that are withdrawn or have a successor (Z36, Z37): what letters bring and carry of it, and what is said about it.

use super::{Act, Office, Trouble};
use crate::advice::{Advice, advice};
use crate::sealing::{PublicKey, Statement, Withdrawn, withdrawn};
use crate::store::{KeyringError, OwnKey};
use crate::text::printable;

/// Notes what a letter says of keys that are known here: trusted ones, those that opponents used first, and the player's own. Whoever
/// sends it, it is signed by the key. Returns what to say of what is new.
pub fn take_from(office: &Office<'_>, statements: &[Statement], dry_run: bool) -> Result<Vec<Advice>, Trouble> {
    let mut said = Vec::new();
    if statements.is_empty() {
        return Ok(said);
    }
    let keyring = office.keyring();
    let failed = |error: KeyringError| Trouble::of(error.to_string());
    let trusted = keyring.trusted().map_err(failed)?;
    let own: Vec<PublicKey> = keyring.own_keys().map_err(failed)?.iter().map(OwnKey::public).collect();
    for statement in statements {
        let key = statement.key.fingerprint();
        // The keys of strangers are no concern, and would fill the list.
        if !own.contains(&statement.key) && !trusted.iter().any(|one| one.has(&key)) {
            continue;
        }
        let is_new = if dry_run {
            let noted = keyring.statements().map_err(failed)?;
            !noted.iter().any(|one| one.key == statement.key && one.successor == statement.successor)
        } else {
            let is_new = keyring.note(statement).map_err(failed)?;
            office.forget_trust();
            is_new
        };
        if is_new {
            said.push(told(office, statement)?);
        }
    }
    Ok(said)
}

/// Says what a statement that was noted means.
///
/// # Errors
/// If the keys here cannot be read.
pub fn told(office: &Office<'_>, statement: &Statement) -> Result<Advice, Trouble> {
    let keyring = office.keyring();
    let key = statement.key.fingerprint();
    let is_own = keyring.own_of(&statement.key).map_err(|error| Trouble::of(error.to_string()))?.is_some();
    let trusted = keyring.trusted().map_err(|error| Trouble::of(error.to_string()))?;
    let of = trusted.iter().find(|one| one.has(&key));
    let who = of.map_or_else(|| "your opponent".to_owned(), |one| printable(&one.who).into_owned());
    let whose = match of {
        _ if is_own => "your own key".to_owned(),
        Some(_) => format!("the key of {who}"),
        None => "a key that is not known here".to_owned(),
    };
    let statements = keyring.statements().map_err(|error| Trouble::of(error.to_string()))?;
    let elsewhere = "by some way other than mail";
    Ok(match (&statement.successor, withdrawn(&statements, &key)) {
        (None, _) if is_own => advice![
            format!(
                "{whose}, {key}, was withdrawn on {}: if that was not you, somebody else has it; ",
                statement.date
            ),
            Act::RotateKey,
            " makes you another"
        ],
        (None, _) => format!(
            "{whose}, {key}, was withdrawn on {}: its owner says so, or whoever else has it. What it signs from now on is held back until \
             you agree, and no new game with it is taken; ask {who} {elsewhere} which key comes next",
            statement.date
        )
        .into(),
        (Some(_), Some(Withdrawn::Between(one, other))) => format!(
            "two keys claim to succeed {whose}, {key}: {} and {}. One of them was named by somebody else who has it, so that it counts as \
             withdrawn; ask {who} {elsewhere} which fingerprint is right",
            one.fingerprint(),
            other.fingerprint()
        )
        .into(),
        (Some(next), Some(Withdrawn::On(date))) => format!(
            "{whose}, {key}, which was withdrawn on {date}, names {} as its successor: whoever else has it could say so; ask {who} \
             {elsewhere} which key comes next",
            next.fingerprint()
        )
        .into(),
        (Some(next), None) if is_own => {
            format!(
                "{whose}, {key}, names {} as its successor: if that was not you, somebody else has it",
                next.fingerprint()
            )
            .into()
        }
        (Some(next), None) => advice![
            format!(
                "{whose}, {key}, names {} as its successor: ask {who} {elsewhere} whether that is theirs, then ",
                next.fingerprint()
            ),
            Act::TrustKey(who.clone(), next.fingerprint(), true)
        ],
    })
}

/// Returns the fingerprints of the keys that count as withdrawn.
///
/// # Errors
/// If what was said of keys cannot be read: what is signed by a withdrawn key must not be taken for that.
pub fn all(office: &Office<'_>) -> Result<Vec<String>, Trouble> {
    let statements = office.statements_read().map_err(|error| Trouble::of(error.to_string()))?;
    let mut all: Vec<String> = statements.iter().map(|one| one.key.fingerprint()).collect();
    all.sort();
    all.dedup();
    all.retain(|key| withdrawn(&statements, key).is_some());
    Ok(all)
}

/// Says since when a key with this fingerprint is withdrawn, to follow its name; nothing if it is not.
pub fn since(statements: &[Statement], fingerprint: &str) -> Option<String> {
    Some(match withdrawn(statements, fingerprint)? {
        Withdrawn::On(date) => format!("which was withdrawn on {date}"),
        Withdrawn::Between(..) => "which counts as withdrawn, because it names two successors".to_owned(),
    })
}

/// Returns what the player's letters say of keys.
///
/// # Errors
/// If it cannot be read.
pub fn carried(office: &Office<'_>) -> Result<Vec<String>, Trouble> {
    let own = office.keyring().own_statements().map_err(|error| Trouble::of(error.to_string()))?;
    Ok(own.iter().map(Statement::line).collect())
}
