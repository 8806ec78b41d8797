//! The secrets that open seals: published once a game is over.

pub mod dice;

use data_encoding::HEXLOWER;
use zeroize::Zeroizing;

use crate::entry::way::Locked;
use crate::office::{Notice, Office, Trouble};
use crate::own_game::OwnGame;
use crate::records::Taken;
use crate::send::letters;
use crate::send::letters::{Delivered, Place, SendOptions};
use crate::{hosting, known, records};
use postrider_disk::disk::RecordLock;
use postrider_disk::random::Random;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_referee::desk::Desk;
use postrider_referee::sealing::Secret;
use postrider_referee::verdict;
use postrider_referee::verdict::Opened;
use postrider_vault::backup::is_home_copy;
use postrider_vault::locked::{LockFault, OwnKey, is_locked, lock_lines, open_lines};

/// A record in which the player's secrets are published.
#[derive(Debug)]
pub struct Published {
    /// Whether that added anything.
    pub added: bool,
    pub record: Vec<u8>,
}

/// Publishes the player's secrets in the record of a finished game.
///
/// # Errors
/// Why they were not published.
pub fn publish(office: &Office<'_>, place: Place<'_>) -> Result<Published, Trouble> {
    let (mut lock, source) = locked_up(office, place)?;
    let desk = records::legal(&source, place.name)?;
    let game = &OwnGame::new(office, &desk.opened.header.id);
    publish_in(game, &desk.opened, place, &mut lock)
}

/// The record of a game, locked. It may be a practice game: nothing is mailed.
fn locked_up(office: &Office<'_>, place: Place<'_>) -> Result<Taken, Trouble> {
    let lock = records::lock(office, place.file)?;
    let source = lock.read().map_err(Trouble::File)?;
    Ok((lock, source))
}

/// The same in a record that is locked and was replayed.
fn publish_in(
    game: &OwnGame<'_>,
    opened: &Opened<'_>,
    place: Place<'_>,
    lock: &mut RecordLock,
) -> Result<Published, Trouble> {
    let (office, source) = (game.office, opened.text.as_bytes());
    if opened.table.seals().is_none() {
        return Err(Trouble::of(format!("{} is played openly: there are no secrets", place.name)));
    }
    if opened.table.standing().outcome.is_none() {
        return Err(Trouble::of("the game is not over: anybody with your secret can open your seals (Z10)")
            .advise("publish it when the game has ended"));
    }
    // The result line comes first; a finished game may lack it.
    let mut text = verdict::format(source).map_err(|verdict| Trouble::Record {
        record: source.to_vec(),
        name: place.name.to_owned(),
        verdict,
        own: false,
    })?;
    let before = text.len();
    if !append(office, opened, &mut text)? {
        let failure = Trouble::of(format!("no secret of {} is kept here", opened.header.id));
        return Err(failure.advise("only a player who has sealed something has one"));
    }
    known::guard(office, opened, source, place.name, false)?;
    let added = text.len() > before;
    let record = if added { text } else { source.to_vec() };
    if added {
        // They can be published again.
        let _ = Locked { file: place.file, lock, source }.write(game, &record, None)?;
    }
    office.tell(Notice::note(advice![
        format!("{}: secret published; ", place.name),
        Act::Audit(place.name.to_owned()),
        " checks every seal by it"
    ]));
    Ok(Published { added, record })
}

/// Adds the secrets of a game that are in this key store below its record, which is over. Returns whether there is one.
///
/// # Errors
/// If the key store cannot be read.
pub fn append(office: &Office<'_>, opened: &Opened<'_>, text: &mut Vec<u8>) -> Result<bool, Trouble> {
    let store = office.secrets().of_both(hosting::keeps(office, &opened.header));
    let mut found = false;
    for side in Side::BOTH {
        let word = opened.header.info.sides[side.index()].word;
        let read = store.read_for(&opened.header.id, word, &opened.game_hash())?;
        let Some(secret) = read else { continue };
        let line = format!("# secret {word} {}\n", *secret.reveal());
        if !opened.text.contains(line.trim_end()) {
            text.extend_from_slice(line.as_bytes());
        }
        found = true;
    }
    Ok(found)
}

/// Publishes the player's secrets, and mails the record with them to the opponent.
///
/// # Errors
/// Why they were not published or not sent.
pub fn publish_and_send(office: &Office<'_>, place: Place<'_>) -> Result<Delivered, Trouble> {
    let (mut lock, source) = locked_up(office, place)?;
    let desk = records::legal(&source, place.name)?;
    let game = &OwnGame::new(office, &desk.opened.header.id);
    let Published { record, .. } = publish_in(game, &desk.opened, place, &mut lock)?;
    drop(lock);
    letters::deliver(game, &records::on_desk(&record, place.name)?, place, &SendOptions::of_secrets(false, false))
}

/// The same for a program that does it on its own, with a record that is locked: it happens only once, even if an earlier run was
/// interrupted.
///
/// # Errors
/// Why they were not published or not sent.
pub(crate) fn publish_by_itself(
    game: &OwnGame<'_>,
    desk: &Desk<'_>,
    place: Place<'_>,
    mut lock: RecordLock,
) -> Result<Delivered, Trouble> {
    let unsure = letters::is_unsure_of(game, desk, &SendOptions::of_secrets(true, false))?;
    if !lacks(game.office, &desk.opened)? && !unsure {
        return Ok(Delivered::default());
    }
    letters::promise_of(game, desk, &SendOptions::of_secrets(true, false))?;
    let Published { record, .. } = publish_in(game, &desk.opened, place, &mut lock)?;
    drop(lock);
    // Only what an earlier run noted may have gone out already.
    let options = SendOptions::of_secrets(true, !unsure);
    letters::deliver(game, &records::on_desk(&record, place.name)?, place, &options)
}

/// Returns whether a secret that is kept here is not in the record yet.
///
/// # Errors
/// If the secrets cannot be read.
pub fn lacks(office: &Office<'_>, opened: &Opened<'_>) -> Result<bool, Trouble> {
    let store = office.secrets();
    for side in Side::BOTH {
        let word = opened.header.info.sides[side.index()].word;
        let read = store.read_for(&opened.header.id, word, &opened.game_hash());
        let Some(secret) = read? else { continue };
        if !opened.text.contains(&format!("# secret {word} {}", *secret.reveal())) {
            return Ok(true);
        }
    }
    Ok(false)
}

const FIRST_LINE: &str =
    "# postrider secrets: game, side, secret, hash of the header. Whoever has a secret can open that player's seals.\n";

/// All secrets as lines of text, and how many they are.
///
/// # Errors
/// If there are none, or they cannot be read.
pub fn exported(office: &Office<'_>) -> Result<(usize, Zeroizing<String>), Trouble> {
    let all = office.secrets().all()?;
    if all.is_empty() {
        return Err(Trouble::of("no secrets are kept here"));
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
    Ok((all.len(), text))
}

/// Returns such lines locked with a passphrase. They are opened again to make sure that they can be.
///
/// # Errors
/// If they cannot be locked.
pub fn locked(text: &str, passphrase: &str, random: Random<'_>) -> Result<Zeroizing<String>, Trouble> {
    let failed = |fault: LockFault| Trouble::of(format!("the backup was not made: {fault}"));
    let locked = lock_lines(text, passphrase, random).map_err(failed)?;
    match open_lines(&locked, passphrase) {
        Ok(there) if *there == *text => Ok(locked),
        Ok(_) => Err(failed(LockFault::NotLocked)),
        Err(fault) => Err(failed(fault)),
    }
}

/// Takes secrets from lines of text, which may be locked; returns how many were new, and how many there are.
///
/// # Errors
/// What is wrong with the lines, or if they cannot be kept.
pub fn imported(office: &Office<'_>, text: &str, passphrase: Option<&str>) -> Result<(usize, usize), Trouble> {
    no_other(text, "this")?;
    if !is_locked(text) {
        return taken(office, text, "the text");
    }
    let passphrase = passphrase.ok_or_else(|| Trouble::of("the backup is locked: its passphrase is needed"))?;
    taken(office, &open_lines(text, passphrase)?, "the text")
}

/// Tells other backups from those of secrets: a key, which may still be locked, and an opened one of everything.
///
/// # Errors
/// What it is, and what reads it.
pub fn no_other(text: &str, name: &str) -> Result<(), Trouble> {
    let (what, act) = match OwnKey::read(text) {
        Ok(_) => ("a key", Act::ImportKey),
        Err(_) if is_home_copy(text) => ("a backup of everything", Act::Restore(name.to_owned())),
        Err(_) => return Ok(()),
    };
    Err(Trouble::of(format!("{name} is {what}, not a backup of secrets")).advise(advice![act, " reads it"]))
}

/// Takes secrets from open lines of text; `name` is what these are called.
///
/// # Errors
/// Those of [`imported`].
pub fn taken(office: &Office<'_>, text: &str, name: &str) -> Result<(usize, usize), Trouble> {
    no_other(text, name)?;
    let store = office.secrets();
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
            return Err(Trouble::of(format!("line {} of {name} is not a game, a side and a secret", number + 1)));
        };
        list.push((game, side, secret, header.flatten()));
    }
    let mut new = 0;
    for (game, side, secret, header) in &list {
        let kept = store.keep(game, side, secret, header.as_ref());
        new += usize::from(kept?);
    }
    Ok((new, list.len()))
}
