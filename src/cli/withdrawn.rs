//! Keys that are withdrawn or have a successor: `key revoke`, `key rotate` and `key take`, what letters bring and carry of it, and what is
//! said about it (Z36, Z37).

use std::path::{Path, PathBuf};

use super::hints::{Failure, arg, name};
use super::passphrase::{self, Lock};
use super::{input, keys, print, shown};
use crate::sealing::{PublicKey, SecretKey, Statement, Withdrawn, withdrawn};
use crate::store::{self, Keyring, KeyringError, OwnKey};
use crate::text::printable;

/// `postrider key revoke`.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(super) struct Revoke {
    /// Write the statement into a new file and change nothing else: kept in a safe place, it withdraws the key even if you have lost it
    #[arg(long, value_name = "FILE")]
    in_advance: Option<PathBuf>,
    /// Withdraw it now, for good: no new game declares it, and your letters say so
    #[arg(long)]
    now: bool,
}

fn trouble(error: &KeyringError) -> Failure {
    Failure::trouble(error.to_string())
}

fn opened(own: OwnKey) -> Result<SecretKey, Failure> {
    Ok(passphrase::opened(own)?)
}

fn today() -> Result<chrono::NaiveDate, Failure> {
    let now = input::now(None)?;
    now.utc().map(|now| now.date_naive()).ok_or_else(|| Failure::trouble("the system clock shows no day"))
}

fn own(keyring: &Keyring) -> Result<OwnKey, Failure> {
    let own = keyring.own().map_err(|error| trouble(&error))?;
    own.ok_or_else(|| Failure::trouble("there is no key in this key store").hint("`postrider key new` makes one"))
}

/// Signs that the player's key is withdrawn.
pub(super) fn revoke(args: &Revoke) -> Result<(), Failure> {
    let keyring = keys::keyring()?;
    let key = opened(own(&keyring)?)?;
    let statement = Statement::withdrawal(&key, today()?);
    let fingerprint = statement.key.fingerprint();
    let Some(file) = &args.in_advance else {
        keyring.note(&statement).map_err(|error| trouble(&error))?;
        shown("the key is withdrawn", print(statement.line().replace(' ', "\n") + "\n"));
        errln!(
            "key {fingerprint} is withdrawn for good: no new game declares it, and each letter that you send from now on says so; the \
             lines above say it in any other mail, whoever sends it"
        );
        errln!(
            "your opponents must agree to each further entry that it signs; `postrider send GAME --force` tells one at once, and \
             `postrider key rotate` makes you a new key"
        );
        return Ok(());
    };
    let text = statement.line().replace(' ', "\n") + "\n";
    if input::is_stdin(file) {
        return print(text);
    }
    store::create_private(file, text.as_bytes()).map_err(|error| Failure::writing(&error))?;
    errln!(
        "the withdrawal of key {fingerprint} is in {}, and nothing is withdrawn yet: whoever mails these lines to your opponents, or takes \
         them with `postrider key take`, withdraws it for good",
        name(file)
    );
    Ok(())
}

/// Makes the player a new key, which the old one names its successor.
pub(super) fn rotate(lock: &Lock) -> Result<(), Failure> {
    let keyring = keys::keyring()?;
    let old = own(&keyring)?;
    let public = old.public();
    let was = public.fingerprint();
    if let Some(statement) = keyring.finish_succession(&public).map_err(|error| trouble(&error))? {
        errln!("an earlier run was cut off; its key is used");
        return rotated(&was, Some(&statement), &keyring);
    }
    let statements = keyring.statements().map_err(|error| trouble(&error))?;
    let is_withdrawn = withdrawn(&statements, &was).is_some();
    // A locked key is not followed by an open one unawares.
    let asked = Lock::asked();
    let lock = if matches!(old, OwnKey::Locked(_)) && lock.is_none() { &asked } else { lock };
    let secret = opened(old)?;
    let passphrase = lock.passphrase("your new key")?;
    let new = store::random_key(&store::random).map_err(|error| trouble(&error))?;
    // Whoever has a withdrawn key could name a successor as well: its word counts for nothing.
    let statement = if is_withdrawn { None } else { Some(Statement::succession(&secret, &new, today()?)) };
    let phrase = passphrase.as_ref().map(|phrase| phrase.as_str());
    keyring.succeed(&public, &new, phrase, statement.as_ref(), &store::random).map_err(|error| trouble(&error))?;
    rotated(&was, statement.as_ref(), &keyring)
}

fn rotated(was: &str, statement: Option<&Statement>, keyring: &Keyring) -> Result<(), Failure> {
    let key = own(keyring)?.public();
    let mut text = format!("key          {}\nfingerprint  {}\n", key.text(), key.fingerprint());
    text.extend(statement.map(|statement| statement.line().replace(' ', "\n") + "\n"));
    shown("the key is made", print(text));
    let says = match statement {
        Some(_) => {
            "each letter that you send from now on names it as the successor, and so do the lines above, in any other mail; it counts once \
             your opponents have confirmed its fingerprint with you"
        }
        None => {
            "the old one is withdrawn and names no successor: give your opponents the new fingerprint yourself, by some way other than mail"
        }
    };
    errln!(
        "new games declare this key; those that declare {was} go on with that one, which stays in the key store: `postrider backup FILE` \
         copies both"
    );
    errln!("{says}");
    Ok(())
}

/// Takes the statements in a file, whoever's they are.
pub(super) fn take(file: &Path) -> Result<(), Failure> {
    let text = input::record(file)?;
    let found = Statement::find(&String::from_utf8_lossy(&text));
    if found.is_empty() {
        return Err(Failure::trouble(format!("{} has no statement about a key that holds", name(file)))
            .hint("it begins with `pbem1|revoke|` or `pbem1|rotate|`, and its signatures follow (Z36, Z37)"));
    }
    for statement in &found {
        let is_new = keys::keyring()?.note(statement).map_err(|error| trouble(&error))?;
        let known = if is_new { "" } else { " (known before)" };
        print(format!("{}{known}\n", told(statement)?))?;
    }
    Ok(())
}

/// Notes what a letter says of keys that are known here: trusted ones, those that opponents used first, and the player's own. Whoever
/// sends it, it is signed by the key. Returns what to say of what is new.
pub(super) fn take_from(statements: &[Statement], dry_run: bool) -> Result<Vec<String>, Failure> {
    let mut said = Vec::new();
    if statements.is_empty() {
        return Ok(said);
    }
    let keyring = keys::keyring()?;
    let failed = |error: KeyringError| trouble(&error);
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
            keyring.note(statement).map_err(failed)?
        };
        if is_new {
            said.push(told(statement)?);
        }
    }
    Ok(said)
}

/// Says what a statement that was noted means.
fn told(statement: &Statement) -> Result<String, Failure> {
    let keyring = keys::keyring()?;
    let key = statement.key.fingerprint();
    let is_own = keyring.own_of(&statement.key).map_err(|error| trouble(&error))?.is_some();
    let trusted = keyring.trusted().map_err(|error| trouble(&error))?;
    let of = trusted.iter().find(|one| one.has(&key));
    let who = of.map_or_else(|| "your opponent".to_owned(), |one| printable(&one.who).into_owned());
    let whose = match of {
        _ if is_own => "your own key".to_owned(),
        Some(_) => format!("the key of {who}"),
        None => "a key that is not known here".to_owned(),
    };
    let statements = keyring.statements().map_err(|error| trouble(&error))?;
    let elsewhere = "by some way other than mail";
    Ok(match (&statement.successor, withdrawn(&statements, &key)) {
        (None, _) if is_own => format!(
            "{whose}, {key}, was withdrawn on {}: if that was not you, somebody else has it; `postrider key rotate` makes you another",
            statement.date
        ),
        (None, _) => format!(
            "{whose}, {key}, was withdrawn on {}: its owner says so, or whoever else has it. What it signs from now on is held back until \
             you agree, and no new game with it is taken; ask {who} {elsewhere} which key comes next",
            statement.date
        ),
        (Some(_), Some(Withdrawn::Between(one, other))) => format!(
            "two keys claim to succeed {whose}, {key}: {} and {}. One of them was named by somebody else who has it, so that it counts as \
             withdrawn; ask {who} {elsewhere} which fingerprint is right",
            one.fingerprint(),
            other.fingerprint()
        ),
        (Some(next), Some(Withdrawn::On(date))) => format!(
            "{whose}, {key}, which was withdrawn on {date}, names {} as its successor: whoever else has it could say so; ask {who} \
             {elsewhere} which key comes next",
            next.fingerprint()
        ),
        (Some(next), None) if is_own => {
            format!(
                "{whose}, {key}, names {} as its successor: if that was not you, somebody else has it",
                next.fingerprint()
            )
        }
        (Some(next), None) => format!(
            "{whose}, {key}, names {next} as its successor: ask {who} {elsewhere} whether that is theirs, then `postrider key trust {} \
             {next} --instead`",
            arg(&who),
            next = next.fingerprint()
        ),
    })
}

/// Returns what was said of keys; nothing, with a warning, if it cannot be read: then nothing counts as trusted either.
pub(super) fn statements() -> Vec<Statement> {
    let read = keys::keyring().map(|keyring| keyring.statements());
    match read {
        Ok(Ok(statements)) => statements,
        Ok(Err(_)) => {
            // It says why.
            keys::trusted();
            Vec::new()
        }
        Err(_) => Vec::new(),
    }
}

/// Returns the fingerprints of the keys that count as withdrawn.
///
/// # Errors
/// If what was said of keys cannot be read: what is signed by a withdrawn key must not be taken for that.
pub(super) fn all() -> Result<Vec<String>, Failure> {
    let statements = keys::keyring()?.statements().map_err(|error| trouble(&error))?;
    let mut all: Vec<String> = statements.iter().map(|one| one.key.fingerprint()).collect();
    all.sort();
    all.dedup();
    all.retain(|key| withdrawn(&statements, key).is_some());
    Ok(all)
}

/// Says since when a key with this fingerprint is withdrawn, to follow its name; nothing if it is not.
pub(super) fn since(statements: &[Statement], fingerprint: &str) -> Option<String> {
    Some(match withdrawn(statements, fingerprint)? {
        Withdrawn::On(date) => format!("which was withdrawn on {date}"),
        Withdrawn::Between(..) => "which counts as withdrawn, because it names two successors".to_owned(),
    })
}

/// Returns what the player's letters say of keys.
///
/// # Errors
/// If it cannot be read.
pub(super) fn carried() -> Result<Vec<String>, Failure> {
    let own = keys::keyring()?.own_statements().map_err(|error| trouble(&error))?;
    Ok(own.iter().map(Statement::line).collect())
}
