//! The player's key, the keys of others, and the secrets of sealed games.

use serde::Deserialize;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use postrider_home::keys::{import as import_key, statements, trust};
use postrider_home::office::{Office, Trouble};
use postrider_home::{hosting, secrets as kept};
use postrider_kernel::advice;
use postrider_kernel::advice::Insist;
use postrider_referee::sealing::{PublicKey, Statement};
use postrider_vault::keyring::written;
use postrider_vault::locked::{MOST_ROUNDS_ALONE, OwnKey, is_locked, rounds};

/// What is done with keys.
#[derive(Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Key {
    /// Makes the player's key, locked if there is a passphrase.
    Make { passphrase: Option<String> },
    /// Locks the player's key with another passphrase, or with none.
    Lock { passphrase: Option<String> },
    /// Returns the player's secret key, under this passphrase.
    Export { passphrase: String },
    /// Takes a key as the player's own: one that `postrider key backup` wrote, or OpenSSH's. `opens`: its passphrase.
    Import { key: String, opens: Option<String>, passphrase: Option<String> },
    /// Trusts a key, given itself or by its fingerprint, to be somebody's.
    Trust {
        who: String,
        key: String,
        #[serde(default)]
        instead: bool,
    },
    /// Trusts no key of somebody any longer.
    Untrust { who: String },
    /// Withdraws the player's key, for good.
    Withdraw {},
    /// Signs for a host that the key is the player's.
    Prove { code: String },
    /// Makes the player a new key, which the old one names its successor, locked if there is a passphrase.
    Rotate { passphrase: Option<String> },
}

/// What is done with the secrets of sealed games.
#[derive(Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Secrets {
    /// Returns them under a passphrase.
    Export { passphrase: String },
    /// Takes them from what `Export` or `postrider secret export` wrote.
    Import { text: String, passphrase: Option<String> },
}

fn told(key: &PublicKey) -> Value {
    json!({ "fingerprint": key.fingerprint(), "key": key.text(), "pem": key.pem() })
}

/// A fingerprint as it was typed, or that of a public key.
fn fingerprint(text: &str) -> Result<String, Trouble> {
    trust::fingerprint(text).or_else(|| trust::public_key(text).ok().map(|key| key.fingerprint())).ok_or_else(|| {
        Trouble::of("a fingerprint has 32 hexadecimal digits; a public key is base64, `ssh-ed25519 AAAA…`, or PEM")
    })
}

/// What is said of a key, to be mailed to whoever should know it.
fn stated(key: &PublicKey, statement: Option<&Statement>) -> Value {
    let mut answer = told(key);
    answer["statement"] = statement.map(|one| one.line().replace(' ', "\n")).into();
    answer
}

/// Refuses to open what would keep the page busy for longer than anybody waits.
pub(super) fn guard_rounds(text: &str) -> Result<(), Trouble> {
    match rounds(text) {
        rounds if rounds > MOST_ROUNDS_ALONE => Err(Trouble::of(format!(
            "it is locked with {rounds} rounds of bcrypt_pbkdf, and a page opens what has {MOST_ROUNDS_ALONE} at most"
        ))
        .advise("open it with the program, and lock it anew there")),
        _ => Ok(()),
    }
}

/// The passphrase of something that is locked: it is asked for where it is opened.
pub(super) fn needed<'p>(passphrase: Option<&'p str>, what: &str) -> Result<&'p str, Trouble> {
    passphrase.filter(|phrase| !phrase.is_empty()).ok_or_else(|| {
        Trouble::of(format!("{what} is locked with a passphrase")).advise(advice![Insist::Passphrase, " opens it"])
    })
}

pub(super) fn key(office: &Office<'_>, wish: &Key) -> Result<Value, Trouble> {
    let keyring = office.keyring();
    let random = |bytes: &mut [u8]| office.fill(bytes);
    let given = |phrase: &'_ Option<String>| phrase.clone().filter(|phrase| !phrase.is_empty());
    match wish {
        Key::Make { passphrase } => {
            let key = keyring.make(given(passphrase).as_deref(), &random)?;
            Ok(told(&key.public()))
        }
        Key::Lock { passphrase } => {
            let key = office.unlocked(office.own_key()?)?;
            keyring.lock(&key, given(passphrase).as_deref(), &random)?;
            Ok(told(&key.public()))
        }
        Key::Export { passphrase } => {
            if passphrase.is_empty() {
                return Err(Trouble::of("a key leaves this page only under a passphrase"));
            }
            let key = office.unlocked(office.own_key()?)?;
            let text = written(&key, Some(passphrase), &random)?;
            let mut answer = told(&key.public());
            answer["text"] = text.as_str().into();
            Ok(answer)
        }
        Key::Import { key, opens, passphrase } => {
            guard_rounds(key)?;
            let read = OwnKey::read(key).map_err(|fault| Trouble::of(format!("the text {fault}")))?;
            let open = match read {
                OwnKey::Open(key) => key,
                OwnKey::Locked(locked) => locked.open(needed(opens.as_deref(), "the key")?)?,
            };
            let text = written(&open, given(passphrase).as_deref(), &random)?;
            import_key(office, &text, &open.public())?;
            Ok(told(&open.public()))
        }
        Key::Trust { who, key, instead } => {
            let new = trust::confirm(office, who.trim(), &fingerprint(key)?, *instead)?;
            Ok(json!({ "who": new.who, "fingerprint": new.fingerprint }))
        }
        Key::Prove { code } => Ok(json!({ "line": hosting::prove(office, code)?.line() })),
        Key::Untrust { who } => {
            let gone = trust::forget(office, who)?;
            Ok(json!({ "gone": gone.iter().map(|one| &one.fingerprint).collect::<Vec<_>>() }))
        }
        Key::Withdraw {} => {
            let statement = statements::withdraw(office, true)?;
            Ok(stated(&statement.key, Some(&statement)))
        }
        Key::Rotate { passphrase } => {
            let new = statements::rotate(office, |is_locked| match given(passphrase) {
                // A locked key is not followed by an open one unawares.
                None if is_locked => {
                    Err(Trouble::of("your key has a passphrase of its own: give the new one a passphrase too"))
                }
                phrase => Ok(phrase.map(Zeroizing::new)),
            })?;
            Ok(stated(&new.key, new.statement.as_ref()))
        }
    }
}

pub(super) fn secrets(office: &Office<'_>, wish: &Secrets) -> Result<Value, Trouble> {
    let random = |bytes: &mut [u8]| office.fill(bytes);
    match wish {
        Secrets::Export { passphrase } => {
            let (count, text) = kept::exported(office)?;
            let text = kept::locked(&text, passphrase, &random)?;
            Ok(json!({ "count": count, "text": text.as_str() }))
        }
        Secrets::Import { text, passphrase } => {
            guard_rounds(text)?;
            if is_locked(text) && OwnKey::read(text).is_err() {
                needed(passphrase.as_deref(), "the copy")?;
            }
            let (new, all) = kept::imported(office, text, passphrase.as_deref())?;
            Ok(json!({ "new": new, "all": all }))
        }
    }
}
