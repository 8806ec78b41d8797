//! The player's key, the keys of others, and the secrets of sealed games.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::office::{Office, Trouble, secrets as kept, statements};
use crate::sealing::PublicKey;
use crate::store::{KeyringError, OwnKey, Trusted, read_ssh_public, written};
use crate::text::printable;

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

fn trouble(error: &KeyringError) -> Trouble {
    Trouble::of(error.to_string())
}

fn told(key: &PublicKey) -> Value {
    json!({ "fingerprint": key.fingerprint(), "key": key.text(), "pem": key.pem() })
}

/// A fingerprint as it was typed, or that of a public key.
fn fingerprint(text: &str) -> Result<String, Trouble> {
    let plain = |c: &char| !matches!(c, '-' | ' ' | ':');
    let digits = text.chars().filter(plain).collect::<String>().to_ascii_lowercase();
    if digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let groups: Vec<_> = digits.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
        return Ok(groups.join("-"));
    }
    let text = text.trim();
    let key = PublicKey::read(text.as_bytes()).ok().or_else(|| PublicKey::from_pem(text).ok());
    key.or_else(|| read_ssh_public(text)).map(|key| key.fingerprint()).ok_or_else(|| {
        Trouble::of("a fingerprint has 32 hexadecimal digits; a public key is base64, `ssh-ed25519 AAAA…`, or PEM")
    })
}

pub(super) fn key(office: &Office<'_>, wish: &Key) -> Result<Value, Trouble> {
    let keyring = office.keyring();
    let random = |bytes: &mut [u8]| office.fill(bytes);
    let own = || {
        let own = keyring.own().map_err(|error| trouble(&error))?;
        own.ok_or_else(|| Trouble::of("there is no key here"))
    };
    let given = |phrase: &'_ Option<String>| phrase.clone().filter(|phrase| !phrase.is_empty());
    match wish {
        Key::Make { passphrase } => {
            let key = keyring.make(given(passphrase).as_deref(), &random).map_err(|error| trouble(&error))?;
            Ok(told(&key.public()))
        }
        Key::Lock { passphrase } => {
            let key = office.unlocked(own()?)?;
            keyring.lock(&key, given(passphrase).as_deref(), &random).map_err(|error| trouble(&error))?;
            Ok(told(&key.public()))
        }
        Key::Export { passphrase } => {
            if passphrase.is_empty() {
                return Err(Trouble::of("a key leaves this page only under a passphrase"));
            }
            let key = office.unlocked(own()?)?;
            let text = written(&key, Some(passphrase), &random).map_err(|error| trouble(&error))?;
            let mut answer = told(&key.public());
            answer["text"] = text.as_str().into();
            Ok(answer)
        }
        Key::Import { key, opens, passphrase } => {
            let read = OwnKey::read(key).map_err(|fault| Trouble::of(format!("the text {fault}")))?;
            let open = match read {
                OwnKey::Open(key) => key,
                OwnKey::Locked(locked) => {
                    let opens =
                        opens.as_deref().ok_or_else(|| Trouble::of("the key is locked: its passphrase is needed"))?;
                    locked.open(opens).map_err(|fault| Trouble::of(fault.to_string()))?
                }
            };
            let text = written(&open, given(passphrase).as_deref(), &random).map_err(|error| trouble(&error))?;
            keyring.keep(&text).map_err(|error| trouble(&error))?;
            Ok(told(&open.public()))
        }
        Key::Trust { who, key, instead } => {
            let new = Trusted::new(&fingerprint(key)?, who.trim(), false);
            if let Some(since) = statements::since(&office.statements(), &new.fingerprint) {
                return Err(Trouble::of(format!("it is the key {}, {since}: it is trusted no more", new.fingerprint)));
            }
            keyring.trust(&new, *instead).map_err(|error| trouble(&error))?;
            Ok(json!({ "who": new.who, "fingerprint": new.fingerprint }))
        }
        Key::Untrust { who } => {
            let gone = keyring.untrust(who).map_err(|error| trouble(&error))?;
            if gone.is_empty() {
                return Err(Trouble::of(format!("no key of {} is trusted or known here", printable(who))));
            }
            Ok(json!({ "gone": gone.iter().map(|one| &one.fingerprint).collect::<Vec<_>>() }))
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
            let (new, all) = kept::imported(office, text, passphrase.as_deref())?;
            Ok(json!({ "new": new, "all": all }))
        }
    }
}
