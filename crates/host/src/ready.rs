//! What a host cannot do without: its secret, from which every reply address is made, and its key, which signs for everybody who has
//! none. They are made once, by `postrider host setup`; a home that has lost one is not taken for a new one.

use std::path::PathBuf;

use data_encoding::HEXLOWER;

use super::token::Key;
use postrider_home::office::{Office, Trouble};
use postrider_settings::HostSettings;
use postrider_vault::kept::{SecretsError, read_private};
use postrider_vault::keyring::KeyringError;

/// How many characters of the check of the secret are noted.
const CHECK: usize = 16;

/// What is noted in the settings, so that a home that has lost its key or its secret is known as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    /// The fingerprint of the key.
    pub key: String,
    /// What shows whether a secret is this one, and tells nothing of it.
    pub secret: String,
}

/// The file of the secret.
pub(super) fn file(office: &Office<'_>) -> PathBuf {
    office.folders().host().join("secret")
}

/// What shows whether a secret is the right one.
pub(super) fn check(key: &Key) -> String {
    key.name(&["check"]).chars().take(CHECK).collect()
}

/// Reads the host's secret; within, why it cannot be used.
fn secret(office: &Office<'_>, settings: &HostSettings) -> Result<Result<Key, String>, Trouble> {
    let path = file(office);
    let why = match read_private(office.disk(), &path, 1024) {
        Ok(Some(bytes)) => {
            let read = HEXLOWER.decode(bytes.trim_ascii()).ok().and_then(|secret| <[u8; 32]>::try_from(secret).ok());
            match read.map(Key) {
                None => format!("{} is damaged: every reply address was made with it", path.display()),
                Some(key) if settings.secret.as_ref().is_some_and(|noted| *noted != check(&key)) => format!(
                    "{} is not the secret that made the reply addresses (secret-check in the settings)",
                    path.display()
                ),
                Some(key) => return Ok(Ok(key)),
            }
        }
        Ok(None) => format!("{} is missing: every reply address was made with it", path.display()),
        Err(error @ SecretsError::Io(..)) => return Err(error.into()),
        Err(error) => error.to_string(),
    };
    Ok(Err(why))
}

/// Says why the host's key cannot be used, if so.
fn key_fault(office: &Office<'_>, settings: &HostSettings) -> Result<Option<String>, Trouble> {
    let keyring = office.keyring();
    let own = match keyring.own().and_then(|own| Ok((own, office.own_keys()?))) {
        Ok((Some(_), all)) => all,
        Ok((None, _)) => {
            let file = keyring.own_file();
            return Ok(Some(format!("{} is missing: the host signs with it in every game", file.display())));
        }
        Err(error @ (KeyringError::Store(SecretsError::Io(..)) | KeyringError::File(_))) => return Err(error.into()),
        Err(error) => return Ok(Some(error.to_string())),
    };
    let noted = settings.key.as_ref();
    Ok(noted.filter(|noted| !own.iter().any(|key| key.fingerprint() == **noted)).map(|noted| {
        format!("{} is another key than {noted}, with which the games here are signed", keyring.own_file().display())
    }))
}

/// Looks whether a host has what it cannot do without: its secret, or what is missing and has to be brought back.
///
/// # Errors
/// If the disk does not tell.
pub(super) fn looked_for(office: &Office<'_>, settings: &HostSettings) -> Result<Result<Key, String>, Trouble> {
    let secret = secret(office, settings)?;
    let fault = key_fault(office, settings)?;
    Ok(match (secret, fault) {
        (Ok(key), None) => Ok(key),
        (Ok(_), Some(why)) | (Err(why), None) => Err(why),
        (Err(one), Some(other)) => Err(format!("{one}; and {other}")),
    })
}
