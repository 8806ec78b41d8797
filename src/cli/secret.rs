//! `postrider secret`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use data_encoding::HEXLOWER;
use zeroize::Zeroizing;

use super::hints::{Failure, arg, name};
use super::passphrase::{Lock, Unlock};
use super::send::{self, SendOptions};
use super::{input, invited, keys, known, print, refusals};
use crate::games::kernel::Side;
use crate::sealing::Secret;
use crate::store::{self, LockFault, Settings};
use crate::verdict::{self, Opened, Ruling};

/// Back up, restore or publish the secrets that open your seals
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider secret export backup.txt           all your secrets, into a new file for you alone
  postrider secret export -                    to standard output
  postrider secret export backup.txt --passphrase   the same, locked with a passphrase
  postrider secret import backup.txt
  postrider secret publish game.pbem           once the game is over: for `postrider audit`
  postrider secret publish game.pbem --send    and mail it to your opponent")]
pub(super) struct Args {
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
    /// Put your secret into the record of a finished game, as the remark that `postrider audit` checks
    Publish {
        /// The record
        file: PathBuf,
        /// Mail the record to your opponent, whose `postrider receive` takes the secret
        #[arg(long)]
        send: bool,
    },
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Export { file, lock } => export(file, lock)?,
        Command::Import { file, unlock } => import(file, unlock)?,
        Command::Publish { file, send } => {
            if *send {
                err!("{}", publish_and_send(file, false)?);
            } else {
                publish(file)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

const FIRST_LINE: &str =
    "# postrider secrets: game, side, secret, hash of the header. Whoever has a secret can open that player's seals.\n";

fn export(file: &Path, lock: &Lock) -> Result<(), Failure> {
    let all = keys::store()?.all().map_err(|error| Failure::trouble(error.to_string()))?;
    if all.is_empty() {
        return Err(Failure::trouble("there are no secrets in this key store"));
    }
    let mut text = Zeroizing::new(String::from(FIRST_LINE));
    for kept in &all {
        for part in [kept.game.as_str(), " ", &kept.side, " ", &kept.secret.reveal()] {
            text.push_str(part);
        }
        if let Some(header) = &kept.header {
            text.push(' ');
            text.push_str(&HEXLOWER.encode(header));
        }
        text.push('\n');
    }
    let passphrase = lock.passphrase("the backup")?;
    let text = match &passphrase {
        Some(passphrase) => locked(&text, passphrase)?,
        None => text,
    };
    if input::is_stdin(file) {
        return print(text.as_str());
    }
    store::create_private(file, text.as_bytes()).map_err(|error| Failure::trouble(error.to_string()))?;
    let how =
        if passphrase.is_some() { "it can only be opened with its passphrase" } else { "keep it as you would a key" };
    errln!("{} secrets copied into {}; {how}", all.len(), name(file));
    Ok(())
}

/// Returns a backup locked with a passphrase. It is opened again to make sure that it can be.
fn locked(text: &str, passphrase: &str) -> Result<Zeroizing<String>, Failure> {
    let failed = |fault: LockFault| Failure::trouble(format!("the backup was not made: {fault}"));
    let locked = store::lock_lines(text, passphrase, &store::random).map_err(failed)?;
    match store::open_lines(&locked, passphrase) {
        Ok(there) if *there == *text => Ok(locked),
        Ok(_) => Err(failed(LockFault::NotLocked)),
        Err(fault) => Err(failed(fault)),
    }
}

fn import(file: &Path, unlock: &Unlock) -> Result<(), Failure> {
    /// More than the secrets of ten thousand games take.
    const MOST: u64 = 16 << 20;
    let mut text = Zeroizing::new(String::new());
    let read = if input::is_stdin(file) {
        std::io::stdin().lock().take(MOST).read_to_string(&mut text)
    } else {
        store::open(file).and_then(|file| file.take(MOST).read_to_string(&mut text))
    };
    read.map_err(|error| Failure::reading(file, &error))?;
    if store::is_locked(&text) {
        let what = format!("the backup {}", name(file));
        text = unlock.open(&what, |passphrase| store::open_lines(&text, passphrase))?;
    }
    let store = keys::store()?;
    let mut list = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split(' ');
        let parts = (words.next(), words.next(), words.next().and_then(Secret::read));
        // The hash of the game's header, which older backups do not have.
        let header =
            words.next().map(|word| HEXLOWER.decode(word.as_bytes()).ok().and_then(|hash| hash.try_into().ok()));
        let (Some(game), Some(side), Some(secret), None | Some(Some(_)), None) =
            (parts.0, parts.1, parts.2, header, words.next())
        else {
            // The line itself is not shown, because it may contain a secret.
            let place = number + 1;
            return Err(Failure::trouble(format!("line {place} of {} is not a game, a side and a secret", name(file))));
        };
        list.push((game, side, secret, header.flatten()));
    }
    let mut new = 0;
    for (game, side, secret, header) in &list {
        new += usize::from(
            store.keep(game, side, secret, header.as_ref()).map_err(|error| Failure::trouble(error.to_string()))?,
        );
    }
    errln!("{new} secrets imported, {} were already here", list.len() - new);
    Ok(())
}

/// Publishes the player's secrets in the record of a finished game; returns whether that added anything.
pub(super) fn publish(file: &Path) -> Result<bool, Failure> {
    let origin = name(file);
    let mut lock = invited::lock(file)?;
    let source = lock.read().map_err(|error| Failure::writing(&error))?;
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    if verdict.ruling != Ruling::Legal {
        return Err(Failure::verdict(&source, &origin, &verdict, true));
    }
    if opened.table.seals().is_none() {
        return Err(Failure::trouble(format!("{origin} is played openly: there are no secrets")));
    }
    if verdict.outcome.is_none() {
        return Err(Failure::trouble("the game is not over: whoever has your secret can open your seals (Z10)")
            .hint("publish it when the game has ended"));
    }
    let store = keys::store()?;
    // The result line comes first; a finished game may lack it.
    let mut text = verdict::format(&source).map_err(|verdict| Failure::verdict(&source, &origin, &verdict, false))?;
    let (mut count, before) = (0, text.len());
    for side in Side::BOTH {
        let word = opened.header.info.sides[side.index()].word;
        let read = store
            .read_for(&opened.header.id, word, &opened.game_hash())
            .map_err(|error| Failure::trouble(error.to_string()))?;
        let Some(secret) = read else { continue };
        let line = format!("# secret {word} {}\n", *secret.reveal());
        if !opened.text.contains(line.trim_end()) {
            text.extend_from_slice(line.as_bytes());
        }
        count += 1;
    }
    if count == 0 {
        let failure = Failure::trouble(format!("no secret of {} is in this key store", opened.header.id));
        return Err(failure.hint("only a player who has sealed something has one"));
    }
    known::guard(&opened, &source, &origin, false)?;
    let added = text.len() > before;
    if added {
        input::written(lock.replace(&source, &text))?;
        known::remember(&opened.header.id, &text);
    }
    errln!("{origin}: secret published; `postrider audit {}` checks every seal by it", arg(&origin));
    Ok(added)
}

/// Publishes the player's secrets, and mails the record with them to the opponent. `auto`: the program does this on its
/// own, which happens only once, even if an earlier run was interrupted. Returns what to say about the letter, with a
/// line end.
pub(super) fn publish_and_send(file: &Path, auto: bool) -> Result<String, Failure> {
    let origin = name(file);
    let mut options = SendOptions::of_secrets(auto, false);
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    let now = input::now(None)?.utc().unwrap_or_else(crate::store::now);
    if auto {
        let before = input::record(file)?;
        let desk = refusals::on_desk(&before, &origin)?;
        let unsure = send::is_unsure_of(&desk, &settings, &options)?;
        if !lacks(&desk.opened)? && !unsure {
            return Ok(String::new());
        }
        send::promise_of(&desk, &settings, &options, now)?;
        // Only what an earlier run noted may have gone out already.
        options = SendOptions::of_secrets(auto, !unsure);
    }
    publish(file)?;
    let record = input::record(file)?;
    let desk = refusals::on_desk(&record, &origin)?;
    Ok(send::deliver(&desk, file, &options)?.to_string())
}

/// Returns whether a secret in this key store is not in the record yet.
fn lacks(opened: &Opened<'_>) -> Result<bool, Failure> {
    let store = keys::store()?;
    for side in Side::BOTH {
        let word = opened.header.info.sides[side.index()].word;
        let read = store.read_for(&opened.header.id, word, &opened.game_hash());
        let Some(secret) = read.map_err(|error| Failure::trouble(error.to_string()))? else { continue };
        if !opened.text.contains(&format!("# secret {word} {}", *secret.reveal())) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether the key store has a secret of a side of this game, which can be published once the game is over.
pub(super) fn is_here(opened: &Opened<'_>, side: Side) -> bool {
    let word = opened.header.info.sides[side.index()].word;
    let read = |store: store::Secrets| store.read_for(&opened.header.id, word, &opened.game_hash()).ok().flatten();
    keys::store().ok().and_then(read).is_some()
}
