//! Keys that are withdrawn or have a successor: `key revoke`, `key rotate` and `key take`, what letters bring and carry of it, and what is
//! said about it (Z36, Z37).

use std::path::{Path, PathBuf};

use super::hints::{Failure, name};
use super::out::{print, shown};
use super::passphrase::Lock;
use super::{acts, home, input};
use postrider_home::keys::statements;
use postrider_home::keys::statements::Succession;
use postrider_referee::sealing::Statement;

/// `postrider key revoke`.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub struct Revoke {
    /// Write the statement into a new file and change nothing else: kept in a safe place, it withdraws the key even if you have lost it
    #[arg(long, value_name = "FILE")]
    in_advance: Option<PathBuf>,
    /// Withdraw it now, for good: no new game declares it, and your letters say so
    #[arg(long)]
    now: bool,
}

/// Signs that the player's key is withdrawn.
pub fn revoke(args: &Revoke) -> Result<(), Failure> {
    let statement = statements::withdraw(&*home::office()?, args.in_advance.is_none())?;
    let (fingerprint, text) = (statement.key.fingerprint(), lines(&statement));
    let Some(file) = &args.in_advance else {
        shown("the key is withdrawn", print(text));
        errln!(
            "key {fingerprint} is withdrawn for good: no new game declares it, and every letter that you send says so; anyone can also \
             mail the lines above"
        );
        errln!(
            "your opponents must agree to each further entry that it signs; `postrider send GAME --force` tells one at once, and \
             `postrider key rotate` makes you a new key"
        );
        return Ok(());
    };
    if input::is_stdin(file) {
        return print(text);
    }
    postrider_disk::files::create_private(file, text.as_bytes())?;
    errln!(
        "the withdrawal of key {fingerprint} is in {}, and nothing is withdrawn yet: anyone who mails these lines to your opponents, or \
         reads them with `postrider key take`, withdraws it for good",
        name(file)
    );
    Ok(())
}

/// Makes the player a new key, which the old one names its successor.
pub fn rotate(lock: &Lock) -> Result<(), Failure> {
    let asked = Lock::asked();
    let Succession { was, key, statement, resumed } = statements::rotate(&*home::office()?, |is_locked| {
        // A locked key is not followed by an open one unawares.
        let lock = if is_locked && lock.is_none() { &asked } else { lock };
        lock.passphrase("your new key")
    })?;
    if resumed {
        errln!("an earlier run was cut off; its key is used");
    }
    let mut text = format!("key          {}\nfingerprint  {}\n", key.text(), key.fingerprint());
    text.extend(statement.as_ref().map(lines));
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
        "new games declare this key; games that declare {was} keep that one, which stays in the key store: `postrider backup FILE` copies \
         both"
    );
    errln!("{says}");
    Ok(())
}

/// A statement as it is mailed, a part a line.
fn lines(statement: &Statement) -> String {
    statement.line().replace(' ', "\n") + "\n"
}

/// Takes the statements in a file, whoever's they are.
pub fn take(file: &Path) -> Result<(), Failure> {
    let office = home::office()?;
    let text = input::record(file)?;
    let found = statements::take(&office, &String::from_utf8_lossy(&text))?;
    if found.is_empty() {
        return Err(Failure::trouble(format!("{} has no statement about a key that holds", name(file)))
            .hint("it begins with `pbem1|revoke|` or `pbem1|rotate|`, and its signatures follow (Z36, Z37)"));
    }
    for (statement, is_new) in &found {
        let known = if *is_new { "" } else { " (known before)" };
        print(format!("{}{known}\n", acts::written(&statements::told(&office, statement)?)))?;
    }
    Ok(())
}
