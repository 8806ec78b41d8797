//! `postrider key`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use serde::Serialize;
use zeroize::Zeroizing;

pub(crate) use crate::cli::hints::{Failure, arg, name};
use crate::cli::out::{print, shown};
use crate::cli::passphrase;
use crate::cli::passphrase::{Lock, Unlock};
use crate::cli::withdrawn;
use crate::cli::withdrawn::Revoke;
use crate::cli::{confirm as question, home, input, keys};
use postrider_home::hosting;
use postrider_home::keys::{import as import_key, trust};
use postrider_kernel::text::printable;
use postrider_referee::sealing::PublicKey;
use postrider_vault::keyring::{KeyringError, Trusted};
use postrider_vault::locked::{KeyFileFault, OwnKey};

/// Make, show, trust and copy the keys that sign entries
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/key.txt"))]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make your key, the only one you need
    New {
        #[command(flatten)]
        lock: Lock,
    },
    /// Protect your key with a passphrase, change the passphrase, or remove it
    Passphrase {
        /// Take the new passphrase from the first line that this program prints; by default you are asked. The program is run without a
        /// shell, its arguments separated by spaces
        #[arg(long, value_name = "PROGRAM")]
        passphrase_from: Option<String>,
        /// Remove the passphrase: anybody who can read the file can then sign with the key
        #[arg(long, conflicts_with = "passphrase_from")]
        remove: bool,
    },
    /// Print your public key, its fingerprint, and the keys that you trust
    #[command(alias = "list")]
    Show {
        /// Print JSON, one object on one line
        #[arg(long)]
        json: bool,
    },
    /// Trust a key as an opponent's, so that entries signed by another one are refused
    Trust {
        /// The opponent's mail address, or name as in the header
        who: String,
        /// The fingerprint, the public key (base64, or as OpenSSH writes it), or a file with it
        #[arg(required = true, num_args = 1..)]
        key: Vec<String>,
        /// Trust it even if another key of this opponent was trusted before
        #[arg(long)]
        instead: bool,
    },
    /// Withdraw your key, now or in advance: opponents' programs read that from any mail
    Revoke(Revoke),
    /// Make a new key, signed by the old one as its successor; running games keep the old one
    Rotate {
        #[command(flatten)]
        lock: Lock,
    },
    /// Prove to a host that your key is yours, for new games: reply to its letter with the line printed
    Prove {
        /// The code in the host's answer to `key KEY`
        code: String,
    },
    /// Read from a file that a key is withdrawn or has a successor
    Take {
        /// The file; `-` for standard input
        file: PathBuf,
    },
    /// Stop trusting an opponent's key: the next key they use counts as new
    Untrust {
        /// The opponent's mail address, or name as in the header; or the fingerprint of the key
        who: String,
    },
    /// Write your public key (PEM) into a new file, or to standard output for `-`
    Export {
        /// The file
        file: PathBuf,
    },
    /// Copy your secret key into a new file that only you may read; the copy has the same passphrase, or its own
    Backup {
        /// The file
        file: PathBuf,
        #[command(flatten)]
        lock: Lock,
    },
    /// Restore your secret key from a backup, or import an OpenSSH key (Ed25519); an existing key is not overwritten
    Import {
        /// The backup, or the key; `-` for standard input
        file: PathBuf,
        #[command(flatten)]
        unlock: Unlock,
        /// Take the key although others may read FILE, and so may sign in your name
        #[arg(long)]
        despite_readers: bool,
    },
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::New { lock } => new(lock)?,
        Command::Passphrase { passphrase_from, remove } => relock(passphrase_from.as_deref(), *remove)?,
        Command::Show { json } => show(*json)?,
        Command::Trust { who, key, instead } => confirm(who, &key.join(" "), *instead)?,
        Command::Untrust { who } => forget(who)?,
        Command::Revoke(args) => withdrawn::revoke(args)?,
        Command::Rotate { lock } => withdrawn::rotate(lock)?,
        Command::Prove { code } => print(hosting::prove(&*home::office()?, code)?.line() + "\n")?,
        Command::Take { file } => withdrawn::take(file)?,
        Command::Export { file } => export(file)?,
        Command::Backup { file, lock } => backup(file, lock)?,
        Command::Import { file, unlock, despite_readers } => import(file, unlock, *despite_readers)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn own() -> Result<OwnKey, Failure> {
    Ok(home::office()?.own_key()?)
}

fn new(lock: &Lock) -> Result<(), Failure> {
    let keyring = keys::keyring()?;
    // Checked before a passphrase is asked for.
    if keyring.own_file().exists() {
        return Err(KeyringError::There(keyring.own_file()).into());
    }
    let passphrase = lock.passphrase("your key")?;
    let key = keyring.make(as_text(passphrase.as_ref()), &postrider_disk::random::random)?;
    let told = print(format!("key          {}\nfingerprint  {}\n", key.public().text(), key.public().fingerprint()));
    shown("the key is made", told);
    errln!(
        "the secret half is in {}; without it you cannot make another entry in games that declare it: `postrider key backup FILE` \
         copies it",
        name(&keyring.own_file())
    );
    Ok(())
}

#[derive(Serialize)]
struct Shown {
    key: Option<String>,
    fingerprint: Option<String>,
    locked: bool,
    known: Vec<Known>,
    statements: Vec<Stated>,
}

#[derive(Serialize)]
struct Known {
    fingerprint: String,
    who: String,
    trusted: bool,
}

/// What was said of a key.
#[derive(Serialize)]
struct Stated {
    fingerprint: String,
    /// The fingerprint of its successor; none if it is withdrawn.
    successor: Option<String>,
    date: String,
}

fn show(as_json: bool) -> Result<(), Failure> {
    let keyring = keys::keyring()?;
    let own = keyring.own()?;
    let trusted = keyring.trusted()?;
    let statements = keyring.statements()?;
    let stated = statements.iter().map(|one| Stated {
        fingerprint: one.key.fingerprint(),
        successor: one.successor.map(|next| next.fingerprint()),
        date: one.date.clone(),
    });
    if as_json {
        let public = own.as_ref().map(OwnKey::public);
        return print(postrider_board::report::line(&Shown {
            key: public.map(|key| key.text()),
            fingerprint: public.map(|key| key.fingerprint()),
            locked: matches!(own, Some(OwnKey::Locked(_))),
            known: trusted
                .into_iter()
                .map(|Trusted { fingerprint, who, pinned, .. }| Known { fingerprint, who, trusted: !pinned })
                .collect(),
            statements: stated.collect(),
        }));
    }
    let mut text = match own {
        Some(key) => {
            let lock = if matches!(key, OwnKey::Locked(_)) { "locked       with a passphrase\n" } else { "" };
            format!("key          {}\nfingerprint  {}\n{lock}", key.public().text(), key.public().fingerprint())
        }
        None => "no key: `postrider key new` makes one\n".into(),
    };
    for Trusted { fingerprint, who, pinned, .. } in trusted {
        let how = if pinned { "first seen " } else { "trusted    " };
        text.push_str(&format!("{how}  {} {}\n", printable(&fingerprint), printable(&who)));
    }
    for Stated { fingerprint, successor, date } in stated {
        text.push_str(&match successor {
            None => format!("withdrawn    {fingerprint} on {date}\n"),
            Some(next) => format!("succeeded    {fingerprint} by {next} on {date}\n"),
        });
    }
    print(text)
}

/// Returns the fingerprint that is meant: given directly, or in a form that [`public`] reads.
pub(crate) fn fingerprint(text: &str) -> Result<String, Failure> {
    if let Some(fingerprint) = trust::fingerprint(text) {
        return Ok(fingerprint);
    }
    public(text).map(|key| key.fingerprint()).map_err(|failure| {
        failure.hint(
            "a fingerprint has 32 hexadecimal digits; a public key is base64, `ssh-ed25519 AAAA…`, or a file with it",
        )
    })
}

/// Reads the public key that is meant: base64, as OpenSSH writes it, a file with it, or `own` for the player's own.
pub(crate) fn public(text: &str) -> Result<PublicKey, Failure> {
    if text == "own" {
        return Ok(own()?.public());
    }
    let (file, typed) = (Path::new(text), printable(text));
    let (key, it) = match trust::public_key(text) {
        Err(_) if file.is_file() => (
            trust::public_key(&String::from_utf8_lossy(&input::record(file)?)),
            format!("what the file `{typed}` holds"),
        ),
        read => (read, format!("`{typed}`")),
    };
    key.map_err(|fault| {
        Failure::trouble(format!("{it} {}", fault.text())).hint(
            "a key is given in base64, as OpenSSH writes it (`ssh-ed25519 AAAA…`), as a file with it, or as `own`",
        )
    })
}

fn confirm(who: &str, key: &str, instead: bool) -> Result<(), Failure> {
    let trusted = trust::confirm(&*home::office()?, who, &fingerprint(key)?, instead)?;
    errln!("{} is trusted to sign by {}", printable(who), trusted.fingerprint);
    Ok(())
}

fn forget(who: &str) -> Result<(), Failure> {
    for Trusted { fingerprint, who, pinned, .. } in trust::forget(&*home::office()?, who)? {
        let was = if pinned { "known" } else { "trusted" };
        errln!("{} is no longer {was} to sign by {}", printable(&who), printable(&fingerprint));
    }
    errln!(
        "verdicts do not change by that; running games of theirs can still be continued, and the next key that they use counts as new"
    );
    Ok(())
}

fn export(file: &Path) -> Result<(), Failure> {
    let key = own()?.public();
    if input::is_stdin(file) {
        return print(key.pem());
    }
    postrider_disk::files::create(file, key.pem().as_bytes())?;
    errln!("public key {} written to {}", key.fingerprint(), name(file));
    Ok(())
}

/// Makes a key, locked if requested, and copies it into a new file. If the file cannot be written, no key is made.
pub(crate) fn make_with_backup(file: &Path, locked: bool) -> Result<(), Failure> {
    // Tried before the key is made, because the player asked for a key with a backup.
    postrider_disk::files::create_private(file, b"")?;
    postrider_disk::files::remove(file)?;
    new(&if locked { Lock::asked() } else { Lock::default() })?;
    backup(file, &Lock::default())
}

/// Protects the existing key with a new passphrase, or removes its passphrase.
fn relock(program: Option<&str>, remove: bool) -> Result<(), Failure> {
    let keyring = keys::keyring()?;
    let own = own()?;
    if remove && matches!(own, OwnKey::Open(_)) {
        errln!("key {} is not locked", own.public().fingerprint());
        return Ok(());
    }
    let key = keys::opened(own)?;
    let passphrase = if remove { None } else { Some(passphrase::another("your key", program)?) };
    keyring.lock(&key, as_text(passphrase.as_ref()), &postrider_disk::random::random)?;
    let how = if remove {
        "no longer locked: anybody who can read its file can sign with it"
    } else {
        "locked with the new passphrase; backups that you made before still have the old one"
    };
    errln!("key {} is {how}", key.public().fingerprint());
    Ok(())
}

fn as_text(passphrase: Option<&Zeroizing<String>>) -> Option<&str> {
    passphrase.map(|passphrase| passphrase.as_str())
}

fn backup(file: &Path, lock: &Lock) -> Result<(), Failure> {
    let own = own()?;
    let public = own.public();
    if input::is_stdin(file) {
        return Err(Failure::trouble("a secret key is never printed").hint("name a new file"));
    }
    let text = match lock.passphrase("the backup")? {
        Some(phrase) => {
            postrider_vault::keyring::written(&keys::opened(own)?, Some(&phrase), &postrider_disk::random::random)?
        }
        // A copy of the file: if it is locked, so is the copy.
        None => {
            let text = keys::keyring()?.own_text()?;
            text.ok_or_else(|| Failure::trouble("there is no key in this key store any more"))?
        }
    };
    postrider_disk::files::create_private(file, text.as_bytes())?;
    let lock = match OwnKey::read(&text) {
        Ok(OwnKey::Locked(_)) => "; it can only be opened with its passphrase",
        _ => "",
    };
    errln!("secret key {} copied into {}{lock}", public.fingerprint(), name(file));
    Ok(())
}

/// Refuses the file of an open key that others may read, as `ssh` does, unless the player insists or says so on a terminal.
fn guard_readers(file: &Path, despite: bool) -> Result<(), Failure> {
    let about = postrider_disk::disk::Disk::real().about(file).map_err(|error| Failure::reading(file, &error))?;
    if despite || about.is_private() {
        return Ok(());
    }
    let (at, close) = (name(file), postrider_disk::remedy::remedy(postrider_disk::remedy::Remedy::Close, file));
    let text = format!("others may read {at} and the key in it, which is not locked; import it anyway?");
    if question::can_ask() && question::asks(&text) {
        return Ok(());
    }
    Err(Failure::trouble(format!("others may read {at} and the key in it, which is not locked: nothing was imported")).hint(
        format!("`{close}` makes it private; if somebody has read it, make a new key instead (`postrider key new`); --despite-readers imports it anyway"),
    ))
}

fn import(file: &Path, unlock: &Unlock, despite_readers: bool) -> Result<(), Failure> {
    /// More than a backup takes, or an OpenSSH key with a long comment.
    const MOST: usize = 16 * 1024;
    let text = input::secret(file, MOST)?;
    let key = OwnKey::read(&text).map_err(|fault| {
        // A larger container holds no key, and was not read to its end.
        let is_long = text.len() == MOST && postrider_vault::locked::is_locked(&text);
        let fault = if is_long { KeyFileFault::Lines } else { fault };
        let failure = Failure::trouble(format!("{} {fault}", name(file)));
        match fault {
            KeyFileFault::Lines => {
                let file = arg(&name(file));
                failure.hint(format!("`postrider restore {file}` or `postrider secret import {file}` reads it"))
            }
            _ => failure,
        }
    })?;
    let keyring = keys::keyring()?;
    let here = keyring.own()?;
    if here.as_ref().is_some_and(|here| here.public() == key.public()) {
        errln!("key {} was already here", key.public().fingerprint());
        return Ok(());
    }
    if here.is_some() {
        return Err(KeyringError::There(keyring.own_file()).into());
    }
    if matches!(key, OwnKey::Open(_)) && !input::is_stdin(file) {
        guard_readers(file, despite_readers)?;
    }
    let written = match &key {
        OwnKey::Open(key) => key.reveal(),
        // It is opened now, so that a wrong passphrase is noticed while the backup still exists.
        OwnKey::Locked(locked) => {
            unlock.open(&format!("the key in {}", name(file)), |passphrase| locked.open(passphrase))?;
            text
        }
    };
    import_key(&*home::office()?, &written, &key.public())?;
    let lock = if matches!(key, OwnKey::Locked(_)) { ", still locked" } else { "" };
    errln!("key {} imported{lock}", key.public().fingerprint());
    Ok(())
}
