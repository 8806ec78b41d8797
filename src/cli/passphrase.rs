//! Passphrases: from a program that the player names, or asked for on the terminal without showing what is typed. They are never
//! arguments, settings or variables.

use std::io;
use std::sync::OnceLock;

use zeroize::Zeroizing;

use super::hints::Failure;
use crate::sealing::SecretKey;
use crate::store::{LockFault, OwnKey, Settings, printed};
use crate::text::printable;

/// How often a passphrase may be mistyped.
const TRIES: usize = 3;

/// Whether something that is written is locked, and where the passphrase comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Lock {
    /// Lock it by a passphrase: that of `passphrase-command` in the settings, or else asked for on the terminal
    #[arg(long)]
    passphrase: bool,
    /// Lock it by the passphrase that this program prints in its first line: its words, between spaces, run by no shell
    #[arg(long, value_name = "PROGRAM", conflicts_with = "passphrase")]
    passphrase_from: Option<String>,
}

/// Where the passphrase of something that is locked already comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Unlock {
    /// If it is locked: by the passphrase that this program prints in its first line; without it you are asked
    #[arg(long, value_name = "PROGRAM")]
    passphrase_from: Option<String>,
}

/// Why something locked was not opened.
pub(super) struct Locked {
    pub(super) why: String,
    pub(super) hint: String,
}

impl From<Locked> for Failure {
    fn from(Locked { why, hint }: Locked) -> Self {
        Failure::trouble(why).hint(hint)
    }
}

impl Lock {
    /// A lock that is asked for.
    pub(super) fn asked() -> Self {
        Self { passphrase: true, passphrase_from: None }
    }

    /// The new passphrase of `what`, if one is wanted.
    pub(super) fn passphrase(&self, what: &str) -> Result<Option<Zeroizing<String>>, Failure> {
        if let Some(command) = &self.passphrase_from {
            return Ok(Some(from(&words(command))?));
        }
        if !self.passphrase {
            return Ok(None);
        }
        // What opens it later locks it.
        let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
        if !settings.passphrase_command.is_empty() {
            return Ok(Some(from(&settings.passphrase_command)?));
        }
        ask_twice(what).map(Some)
    }
}

/// A new passphrase of `what` that is not what the settings know: from this program, or asked for.
pub(super) fn another(what: &str, program: Option<&str>) -> Result<Zeroizing<String>, Failure> {
    match program {
        Some(command) => Ok(from(&words(command))?),
        None => ask_twice(what),
    }
}

fn ask_twice(what: &str) -> Result<Zeroizing<String>, Failure> {
    let first = prompt(&format!("new passphrase for {what}: "))?;
    if first.is_empty() {
        return Err(Failure::trouble("the passphrase is empty").hint("nothing was changed"));
    }
    if *first != *prompt("the same again: ")? {
        return Err(Failure::trouble("the two passphrases are not the same").hint("nothing was changed"));
    }
    Ok(first)
}

impl Unlock {
    /// Opens `what`, with a passphrase from the program that is named, from the one in the settings, or from the terminal.
    pub(super) fn open<T>(&self, what: &str, open: impl Fn(&str) -> Result<T, LockFault>) -> Result<T, Locked> {
        let named = self.passphrase_from.as_deref().map(words);
        let set = || Settings::load().map(|settings| settings.passphrase_command);
        let words = match named {
            Some(words) => words,
            None => set().map_err(|error| Locked { why: error.to_string(), hint: "mend the settings first".into() })?,
        };
        if !words.is_empty() {
            let program = printable(words.first().map_or("", String::as_str)).into_owned();
            return open(&from(&words)?).map_err(|fault| Locked {
                why: format!("{what} does not open by what `{program}` printed: {fault}"),
                hint: "`--passphrase-from PROGRAM`, where a command has it, names another; so does `passphrase-command` in the \
                       settings"
                    .into(),
            });
        }
        for left in (0..TRIES).rev() {
            match open(&prompt(&format!("passphrase of {what}: "))?) {
                Err(LockFault::Passphrase) if left > 0 => errln!("that is not the passphrase of {what}"),
                Err(fault) => {
                    return Err(Locked {
                        why: format!("{what} was not opened: {fault}"),
                        hint: "nothing was changed; a forgotten passphrase cannot be brought back".into(),
                    });
                }
                Ok(opened) => return Ok(opened),
            }
        }
        Err(Locked { why: format!("{what} was not opened"), hint: "nothing was changed".into() })
    }
}

/// The key ready to sign: one that is locked is opened by its passphrase, once a run.
pub(super) fn opened(key: OwnKey) -> Result<SecretKey, Locked> {
    static OPENED: OnceLock<SecretKey> = OnceLock::new();
    let locked = match key {
        OwnKey::Open(key) => return Ok(key),
        OwnKey::Locked(locked) => locked,
    };
    if let Some(there) = OPENED.get().filter(|there| there.public() == locked.public()) {
        return Ok(there.again());
    }
    let key = Unlock::default().open("your key", |passphrase| locked.open(passphrase))?;
    let _ = OPENED.set(key.again());
    Ok(key)
}

/// A program and its arguments, between spaces.
fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_owned).collect()
}

fn from(words: &[String]) -> Result<Zeroizing<String>, Locked> {
    printed(words).map_err(|fault| Locked {
        why: format!("no passphrase: `{}` {fault}", printable(words.first().map_or("", String::as_str))),
        hint: "it should print the passphrase in its first line".into(),
    })
}

fn prompt(what: &str) -> Result<Zeroizing<String>, Locked> {
    rpassword::prompt_password(what).map(Zeroizing::new).map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof => {
            Locked { why: "no passphrase was given".into(), hint: "nothing was changed".into() }
        }
        _ => Locked {
            why: "a passphrase is needed, and there is no terminal to ask for it on".into(),
            hint:
                "`passphrase-command` in the settings names a program that prints it; or run the command on a terminal"
                    .into(),
        },
    })
}
