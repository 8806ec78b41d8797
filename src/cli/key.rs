//! `postrider key`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use zeroize::Zeroizing;

use super::hints::{Failure, name};
use super::{input, keys, print, shown};
use crate::sealing::{PublicKey, SecretKey};
use crate::store::{self, KeyringError, Trusted};
use crate::text::printable;

/// Make, show, trust and copy the keys that sign entries
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider key new                                make your key, once
  postrider key show                               public key and fingerprint, to read out
  postrider key trust bram@example.net 1a2b-3c4d-…   a fingerprint, a key, or a file
  postrider key export me.pem                      your public key, as openssl reads it
  postrider key backup key-backup.pem              the secret key, for you alone
  postrider key import key-backup.pem

Once you have a key, your first entry of a game declares it, or `postrider new` does in the header, and every entry is signed. \
`sign: false` in settings.yaml declares none. If you lose a declared key you can enter nothing more, and lose on time.")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make your key, the only one you need
    New,
    /// Print your public key, its fingerprint, and the keys that you trust
    Show,
    /// Trust a key as an opponent's, so that a record with a different one is pointed out
    Trust {
        /// The opponent's mail address, or name as in the header
        who: String,
        /// The fingerprint, the public key in base64, or a file with it (PEM)
        key: String,
        /// Trust it even if another key of this opponent was trusted before
        #[arg(long)]
        instead: bool,
    },
    /// Write your public key (PEM) into a new file, or to standard output for `-`
    Export {
        /// The file
        file: PathBuf,
    },
    /// Copy your secret key (PEM) into a new file that only you may read
    Backup {
        /// The file
        file: PathBuf,
    },
    /// Restore your secret key from a backup; an existing key is not overwritten
    Import {
        /// The backup; `-` for standard input
        file: PathBuf,
    },
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::New => new()?,
        Command::Show => show()?,
        Command::Trust { who, key, instead } => trust(who, key, *instead)?,
        Command::Export { file } => export(file)?,
        Command::Backup { file } => backup(file)?,
        Command::Import { file } => import(file)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn trouble(error: &KeyringError) -> Failure {
    Failure::trouble(error.to_string())
}

fn own() -> Result<SecretKey, Failure> {
    let own = keys::keyring()?.own().map_err(|error| trouble(&error))?;
    own.ok_or_else(|| Failure::trouble("there is no key in this key store").hint("`postrider key new` makes one"))
}

fn new() -> Result<(), Failure> {
    let keyring = keys::keyring()?;
    let key = keyring.make().map_err(|error| trouble(&error))?;
    let told = print(format!("key          {}\nfingerprint  {}\n", key.public().text(), key.public().fingerprint()));
    shown("the key is made", told);
    errln!(
        "the secret half is in {}; without it you can enter nothing more in games that declare it: `postrider key backup FILE` \
         copies it",
        name(&keyring.own_file())
    );
    Ok(())
}

fn show() -> Result<(), Failure> {
    let keyring = keys::keyring()?;
    let mut text = match keyring.own().map_err(|error| trouble(&error))? {
        Some(key) => format!("key          {}\nfingerprint  {}\n", key.public().text(), key.public().fingerprint()),
        None => "no key: `postrider key new` makes one\n".into(),
    };
    for Trusted { fingerprint, who, pinned } in keyring.trusted().map_err(|error| trouble(&error))? {
        let how = if pinned { "first seen " } else { "trusted    " };
        text.push_str(&format!("{how}  {} {}\n", printable(&fingerprint), printable(&who)));
    }
    print(text)
}

/// Returns the fingerprint that is meant: given directly, or in a form that [`public`] reads.
fn fingerprint(text: &str) -> Result<String, Failure> {
    let digits: String =
        text.chars().filter(|c| !matches!(c, '-' | ' ' | ':')).collect::<String>().to_ascii_lowercase();
    if digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let groups: Vec<_> = digits.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
        return Ok(groups.join("-"));
    }
    public(text).map(|key| key.fingerprint()).map_err(|failure| {
        failure.hint("a fingerprint has 32 hexadecimal digits; a public key is base64, or a file (PEM)")
    })
}

/// Reads the public key that is meant: base64, a file with it, or `own` for the player's own.
pub(super) fn public(text: &str) -> Result<PublicKey, Failure> {
    if text == "own" {
        return Ok(own()?.public());
    }
    let key = match PublicKey::read(text.as_bytes()) {
        Err(_) if Path::new(text).is_file() => {
            PublicKey::from_pem(&String::from_utf8_lossy(&input::record(Path::new(text))?))
        }
        read => read,
    };
    key.map_err(|fault| {
        Failure::trouble(format!("`{}` {}", printable(text), fault.text()))
            .hint("a key is given in base64, as a file (PEM), or as `own`")
    })
}

fn trust(who: &str, key: &str, instead: bool) -> Result<(), Failure> {
    let trusted = Trusted { fingerprint: fingerprint(key)?, who: who.to_owned(), pinned: false };
    keys::keyring()?.trust(&trusted, instead).map_err(|error| match error {
        KeyringError::Differs(_) => trouble(&error).hint(
            "ask by some way other than mail which one is right; `--instead` then trusts the new one in its place",
        ),
        error => trouble(&error),
    })?;
    errln!("{} is trusted to sign by {}", printable(who), trusted.fingerprint);
    Ok(())
}

fn export(file: &Path) -> Result<(), Failure> {
    let key = own()?.public();
    if input::is_stdin(file) {
        return print(key.pem());
    }
    store::create(file, key.pem().as_bytes()).map_err(|error| Failure::writing(&error))?;
    errln!("public key {} written to {}", key.fingerprint(), name(file));
    Ok(())
}

/// Makes a key and copies it into a new file. Where that cannot be written there is no key either.
pub(super) fn make_with_backup(file: &Path) -> Result<(), Failure> {
    // Before there is a key: one without its backup was not asked for.
    store::create_private(file, b"").map_err(|error| Failure::writing(&error))?;
    std::fs::remove_file(file).map_err(|error| Failure::writing_plain(file, &error))?;
    new()?;
    backup(file)
}

fn backup(file: &Path) -> Result<(), Failure> {
    let key = own()?;
    if input::is_stdin(file) {
        return Err(Failure::trouble("a secret key is never printed").hint("name a new file"));
    }
    store::create_private(file, key.reveal().as_bytes()).map_err(|error| Failure::writing(&error))?;
    errln!("secret key {} copied into {}", key.public().fingerprint(), name(file));
    Ok(())
}

fn import(file: &Path) -> Result<(), Failure> {
    /// More than a backup has.
    const MOST: u64 = 4096;
    let mut text = Zeroizing::new(String::with_capacity(512));
    let read = if input::is_stdin(file) {
        std::io::stdin().lock().take(MOST).read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MOST).read_to_string(&mut text))
    };
    read.map_err(|error| Failure::reading(file, &error))?;
    let key = SecretKey::read(&text)
        .ok_or_else(|| Failure::trouble(format!("{} is not a backup made by `postrider key backup`", name(file))))?;
    let keyring = keys::keyring()?;
    let here = keyring.own().map_err(|error| trouble(&error))?;
    if here.is_some_and(|here| here.public() == key.public()) {
        errln!("key {} was already here", key.public().fingerprint());
        return Ok(());
    }
    keyring.keep(&key).map_err(|error| trouble(&error))?;
    errln!("key {} imported", key.public().fingerprint());
    Ok(())
}
