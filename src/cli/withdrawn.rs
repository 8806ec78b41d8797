//! Keys that are withdrawn or have a successor: `key revoke`, `key rotate` and `key take`, what letters bring and carry of it, and what is
//! said about it (Z36, Z37).

use std::path::{Path, PathBuf};

use super::hints::{Failure, name};
use super::out::{print, shown};
use super::passphrase::Lock;
use super::{acts, home, input, keys};
use crate::office::statements;
pub(super) use crate::office::statements::since;
use crate::sealing::{SecretKey, Statement, withdrawn};
use crate::store::{self, Keyring, KeyringError, OwnKey};

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
    keys::opened(own)
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
        print(format!("{}{known}\n", acts::written(&statements::told(&*home::office()?, statement)?)))?;
    }
    Ok(())
}
