//! Passphrases: printed by a program that the player names, or typed on the terminal, which does not show them. They are never
//! arguments, settings or environment variables.

use std::io;

use zeroize::Zeroizing;

use super::hints::Failure;
use super::terminal::Hidden;
use postrider_home::office::Locked;
use postrider_kernel::text::printable;
use postrider_post::printed::printed;
use postrider_settings::Settings;
use postrider_vault::locked::LockFault;

/// How many times a passphrase can be typed before the command gives up.
const TRIES: usize = 3;

/// Whether to lock a file that is written, and where its passphrase comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Lock {
    /// Protect it with a passphrase, from `passphrase-command` in the settings or else asked for on the terminal
    #[arg(long)]
    passphrase: bool,
    /// Protect it with a passphrase: the first line that this program prints. The program is run without a shell, its
    /// arguments separated by spaces
    #[arg(long, value_name = "PROGRAM", conflicts_with = "passphrase")]
    passphrase_from: Option<String>,
}

/// Where the passphrase of a locked file comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Unlock {
    /// Take the passphrase, if there is one, from the first line that this program prints; by default you are asked
    #[arg(long, value_name = "PROGRAM")]
    passphrase_from: Option<String>,
}

impl Lock {
    /// A lock whose passphrase comes from the settings or the terminal.
    pub fn asked() -> Self {
        Self { passphrase: true, passphrase_from: None }
    }

    /// A lock whose passphrase comes from this program, or otherwise from the settings or the terminal.
    pub fn by(program: Option<&str>) -> Self {
        Self { passphrase: program.is_none(), passphrase_from: program.map(str::to_owned) }
    }

    /// Whether nothing is to be locked.
    pub(super) fn is_none(&self) -> bool {
        !self.passphrase && self.passphrase_from.is_none()
    }

    /// Returns the new passphrase of `what`, if it is to have one.
    pub fn passphrase(&self, what: &str) -> Result<Option<Zeroizing<String>>, Failure> {
        if let Some(command) = &self.passphrase_from {
            return Ok(Some(from(&words(command))?));
        }
        if !self.passphrase {
            return Ok(None);
        }
        // The program that will print the passphrase later also prints the new one.
        let settings = Settings::load()?;
        if !settings.passphrase_command.is_empty() {
            return Ok(Some(from(&settings.passphrase_command)?));
        }
        ask_twice(what).map(Some)
    }
}

/// Returns a new passphrase of `what`, from this program or from the terminal. The settings are not used, because they know the
/// old passphrase.
pub fn another(what: &str, program: Option<&str>) -> Result<Zeroizing<String>, Failure> {
    match program {
        Some(command) => Ok(from(&words(command))?),
        None => ask_twice(what),
    }
}

fn ask_twice(what: &str) -> Result<Zeroizing<String>, Failure> {
    let mut terminal = terminal()?;
    let first = prompt(&mut terminal, &format!("new passphrase for {what}: "))?;
    if first.is_empty() {
        return Err(Failure::trouble("the passphrase is empty").hint("nothing was locked with it"));
    }
    if *first != *prompt(&mut terminal, "the same again: ")? {
        return Err(Failure::trouble("the two passphrases are not the same").hint("nothing was locked"));
    }
    Ok(first)
}

impl Unlock {
    /// Opens `what` with a passphrase from the named program, from the one in the settings, or from the terminal.
    pub fn open<T>(&self, what: &str, open: impl Fn(&str) -> Result<T, LockFault>) -> Result<T, Locked> {
        let named = self.passphrase_from.as_deref().map(words);
        let set = || Settings::load().map(|settings| settings.passphrase_command);
        let words = match named {
            Some(words) => words,
            None => {
                set().map_err(|error| Locked { why: error.to_string(), hint: "correct the settings first".into() })?
            }
        };
        if !words.is_empty() {
            let program = printable(words.first().map_or("", String::as_str)).into_owned();
            return open(&from(&words)?).map_err(|fault| Locked {
                why: format!("{what} cannot be opened with what `{program}` printed: {fault}"),
                hint: "`passphrase-command` in the settings names the program; many commands also take `--passphrase-from PROGRAM`"
                    .into(),
            });
        }
        let mut terminal = terminal()?;
        for left in (0..TRIES).rev() {
            match open(&prompt(&mut terminal, &format!("passphrase of {what}: "))?) {
                Err(LockFault::Passphrase) if left > 0 => errln!("that is not the passphrase of {what}"),
                Err(fault) => {
                    return Err(Locked {
                        why: format!("{what} was not opened: {fault}"),
                        hint: "nothing was opened; nobody can recover a forgotten passphrase".into(),
                    });
                }
                Ok(opened) => return Ok(opened),
            }
        }
        Err(Locked { why: format!("{what} was not opened"), hint: "nothing was opened".into() })
    }
}

/// Splits a command into a program and its arguments.
fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_owned).collect()
}

/// Returns the passphrase that a program prints.
pub fn from(words: &[String]) -> Result<Zeroizing<String>, Locked> {
    printed(words).map_err(|fault| Locked {
        why: format!("no passphrase: `{}` {fault}", printable(words.first().map_or("", String::as_str))),
        hint: "it should print the passphrase on its first line".into(),
    })
}

/// Returns the terminal with its echo off; it stays off from one question to the next.
fn terminal() -> Result<Hidden, Locked> {
    Hidden::begin().map_err(|_| Locked {
        why: "a passphrase is needed, and there is no terminal to ask for it on".into(),
        hint: "run the command on a terminal, or name a program that prints the passphrase: `passphrase-command` in the settings"
            .into(),
    })
}

fn prompt(terminal: &mut Hidden, question: &str) -> Result<Zeroizing<String>, Locked> {
    terminal.ask(question).map_err(|error| Locked {
        why: match error.kind() {
            io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof => "no passphrase was given".into(),
            io::ErrorKind::InvalidData => "what was typed is too long, or is not UTF-8".into(),
            _ => format!("the terminal cannot be read: {error}"),
        },
        hint: "nothing was opened".into(),
    })
}
