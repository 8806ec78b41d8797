//! The secrets that open seals: published once a game is over.

use super::letters::{self, Delivered, Place, SendOptions};
use super::{Act, Notice, Office, Trouble, hosting, known, records};
use crate::advice::advice;
use crate::games::kernel::Side;
use crate::store::Secrets;
use crate::verdict::{self, Opened, Ruling, Verdict};

/// Publishes the player's secrets in the record of a finished game; returns whether that added anything.
///
/// # Errors
/// Why they were not published.
pub fn publish(office: &Office<'_>, place: Place<'_>) -> Result<bool, Trouble> {
    let mut lock = records::lock(office, place.file)?;
    let source = lock.read().map_err(Trouble::File)?;
    let not_legal = |verdict: Box<Verdict>, own| Trouble::Record {
        record: source.clone(),
        name: place.name.to_owned(),
        verdict,
        own,
    };
    let mut opened = Opened::new(&source).map_err(|verdict| not_legal(verdict, true))?;
    let verdict = opened.replay(u32::MAX);
    if verdict.ruling != Ruling::Legal {
        return Err(not_legal(Box::new(verdict), true));
    }
    if opened.table.seals().is_none() {
        return Err(Trouble::of(format!("{} is played openly: there are no secrets", place.name)));
    }
    if verdict.outcome.is_none() {
        return Err(Trouble::of("the game is not over: whoever has your secret can open your seals (Z10)")
            .advise("publish it when the game has ended"));
    }
    // The result line comes first; a finished game may lack it.
    let mut text = verdict::format(&source).map_err(|verdict| not_legal(verdict, false))?;
    let before = text.len();
    if !append(office, &opened, &mut text)? {
        let failure = Trouble::of(format!("no secret of {} is in this key store", opened.header.id));
        return Err(failure.advise("only a player who has sealed something has one"));
    }
    known::guard(office, &opened, &source, place.name, false)?;
    let added = text.len() > before;
    if added {
        records::written(office, lock.replace(&source, &text))?;
        known::remember(office, &opened.header.id, &text);
    }
    office.tell(Notice::note(advice![
        format!("{}: secret published; ", place.name),
        Act::Audit(place.name.to_owned()),
        " checks every seal by it"
    ]));
    Ok(added)
}

/// Adds the secrets of a game that are in this key store below its record, which is over. Returns whether there is one.
///
/// # Errors
/// If the key store cannot be read.
pub fn append(office: &Office<'_>, opened: &Opened<'_>, text: &mut Vec<u8>) -> Result<bool, Trouble> {
    let store = Secrets::new(office.folders()).of_both(hosting::keeps(office, &opened.header));
    let mut found = false;
    for side in Side::BOTH {
        let word = opened.header.info.sides[side.index()].word;
        let read = store
            .read_for(&opened.header.id, word, &opened.game_hash())
            .map_err(|error| Trouble::of(error.to_string()))?;
        let Some(secret) = read else { continue };
        let line = format!("# secret {word} {}\n", *secret.reveal());
        if !opened.text.contains(line.trim_end()) {
            text.extend_from_slice(line.as_bytes());
        }
        found = true;
    }
    Ok(found)
}

/// Publishes the player's secrets, and mails the record with them to the opponent. `auto`: the program does this on its
/// own, which happens only once, even if an earlier run was interrupted.
///
/// # Errors
/// Why they were not published or not sent.
pub fn publish_and_send(office: &Office<'_>, place: Place<'_>, auto: bool) -> Result<Delivered, Trouble> {
    let mut options = SendOptions::of_secrets(auto, false);
    if auto {
        let before = records::read(office, place)?;
        let desk = records::on_desk(&before, place.name)?;
        let unsure = letters::is_unsure_of(office, &desk, &options)?;
        if !lacks(office, &desk.opened)? && !unsure {
            return Ok(Delivered::default());
        }
        letters::promise_of(office, &desk, &options)?;
        // Only what an earlier run noted may have gone out already.
        options = SendOptions::of_secrets(auto, !unsure);
    }
    publish(office, place)?;
    let record = records::read(office, place)?;
    letters::deliver(office, &records::on_desk(&record, place.name)?, place, &options)
}

/// Returns whether a secret in this key store is not in the record yet.
fn lacks(office: &Office<'_>, opened: &Opened<'_>) -> Result<bool, Trouble> {
    let store = Secrets::new(office.folders());
    for side in Side::BOTH {
        let word = opened.header.info.sides[side.index()].word;
        let read = store.read_for(&opened.header.id, word, &opened.game_hash());
        let Some(secret) = read.map_err(|error| Trouble::of(error.to_string()))? else { continue };
        if !opened.text.contains(&format!("# secret {word} {}", *secret.reveal())) {
            return Ok(true);
        }
    }
    Ok(false)
}
