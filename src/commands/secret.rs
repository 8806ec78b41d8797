//! `postrider secret`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;

pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::home::office;
use crate::cli::input;
use crate::cli::out::print;
use crate::cli::passphrase::{Lock, Unlock};
use crate::commands::send;
use postrider_home::secrets;
use postrider_home::send::letters::{Delivered, Place};

/// Back up, restore or publish the secrets that open your seals
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/secret.txt"))]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Copy all secrets into a new file, or to standard output for `-`
    Export {
        /// The backup
        file: PathBuf,
        #[command(flatten)]
        lock: Lock,
    },
    /// Restore secrets from a backup into the key store; existing ones are not overwritten
    Import {
        /// The backup; `-` for standard input
        file: PathBuf,
        #[command(flatten)]
        unlock: Unlock,
    },
    /// Put your secret into the record of a finished game, as the remark that `postrider proof audit` checks
    Publish {
        /// The record, or a game's id
        file: PathBuf,
        /// Mail the record to your opponent, whose `postrider receive` takes the secret
        #[arg(long)]
        send: bool,
    },
}

impl Args {
    /// The record that it works on, if it does on one.
    pub(crate) fn record(&mut self) -> Option<&mut PathBuf> {
        match &mut self.command {
            Command::Publish { file, .. } => Some(file),
            Command::Export { .. } | Command::Import { .. } => None,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Export { file, lock } => export(file, lock)?,
        Command::Import { file, unlock } => import(file, unlock)?,
        Command::Publish { file, send } => {
            if *send {
                err!("{}", send::told(&publish_and_send(file)?));
            } else {
                publish(file)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn export(file: &Path, lock: &Lock) -> Result<(), Failure> {
    let (count, text) = secrets::exported(&*office()?)?;
    let passphrase = lock.passphrase("the backup")?;
    let text = match &passphrase {
        Some(passphrase) => secrets::locked(&text, passphrase, &postrider_disk::random::random)?,
        None => text,
    };
    if input::is_stdin(file) {
        return print(text.as_str());
    }
    postrider_disk::files::create_private(file, text.as_bytes())?;
    let how =
        if passphrase.is_some() { "it can only be opened with its passphrase" } else { "keep it as you would a key" };
    errln!("{count} secrets copied into {}; {how}", name(file));
    Ok(())
}

fn import(file: &Path, unlock: &Unlock) -> Result<(), Failure> {
    /// More than the secrets of ten thousand games take.
    const MOST: usize = 16 << 20;
    let mut text = input::secret(file, MOST)?;
    secrets::no_other(&text, &name(file))?;
    if postrider_vault::locked::is_locked(&text) {
        let what = format!("the backup {}", name(file));
        text = unlock.open(&what, |passphrase| postrider_vault::locked::open_lines(&text, passphrase))?;
    }
    let (new, all) = secrets::taken(&*office()?, &text, &name(file))?;
    errln!("{new} secrets imported, {} were already here", all - new);
    Ok(())
}

/// Publishes the player's secrets in the record of a finished game; returns whether that added anything.
pub(crate) fn publish(file: &Path) -> Result<bool, Failure> {
    Ok(secrets::publish(&*office()?, Place { file, name: &name(file) })?.added)
}

/// The same, and mails the record with them to the opponent.
pub(crate) fn publish_and_send(file: &Path) -> Result<Delivered, Failure> {
    Ok(secrets::publish_and_send(&*office()?, Place { file, name: &name(file) })?)
}
