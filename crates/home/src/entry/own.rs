//! Which side of a game belongs to the player.

use std::cell::RefCell;
use std::fmt::Display;
use std::path::PathBuf;

use crate::evidence::journal::Journal;
use crate::keys::keyring::{Keyring, KeyringError};
use crate::known::copies::{KnownGames, Sides};
use crate::office::{Office, Trouble};
use crate::secrets::kept::Secrets;
use crate::send::sent::SentNotes;
use crate::settings::Settings;
use kernel::Side;
use kernel::advice;
use kernel::advice::{Act, Advice};
use kernel::text::printable;
use mail::address::{is_same, mailbox};
use referee::record::Header;
use referee::sealing::PublicKey;
use referee::verdict::Opened;

/// Stands in for the name of a side if the player only watches.
pub const NOBODY: &str = "nobody";

/// Returns the player's own side, from the first of these that is known: what the player said, the player's key, the
/// journal of signed entries, the secret in the key store, the address in the settings, the sender of the letters that
/// were sent. `None` if none is.
pub fn side(opened: &Opened<'_>, settings: &Settings) -> Option<Side> {
    told(opened, settings).0.map(|(side, _)| side)
}

/// Like [`side`], for use if something is decided by the answer.
///
/// # Errors
/// If one of the sources cannot be read.
pub fn find(opened: &Opened<'_>, settings: &Settings) -> Result<Option<Side>, Trouble> {
    match told(opened, settings) {
        (_, Some(trouble)) => Err(undetermined(&trouble)),
        (found, None) => Ok(found.map(|(side, _)| side)),
    }
}

/// Returns whether the player said that neither side is their own.
///
/// # Errors
/// If that cannot be read.
pub fn looks_on(opened: &Opened<'_>, settings: &Settings) -> Result<bool, Trouble> {
    Ok(noted(opened, settings)?.own.as_deref() == Some(NOBODY))
}

fn noted(opened: &Opened<'_>, settings: &Settings) -> Result<Sides, Trouble> {
    let id = &opened.header.id;
    let noted = KnownGames::new(&settings.folders).sides(id);
    noted.map_err(|error| Trouble::of(format!("what was noted of the sides of {id} cannot be read: {error}")))
}

/// What a record and what is kept here say about whose side is whose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mine {
    /// The player's own side ([`find`]).
    pub own: Option<Side>,
    /// The same, or otherwise the one side for which entries were made here. That is enough to refuse entries for it from a letter, but
    /// two players at one table begin the same way.
    pub own_or_moved: Option<Side>,
    /// Whether the player said that neither side is their own ([`looks_on`]).
    pub looks_on: bool,
}

/// Looks up whose side is whose, with each file read once.
///
/// # Errors
/// If one of the sources cannot be read.
pub fn mine(office: &Office<'_>, opened: &Opened<'_>) -> Result<Mine, Trouble> {
    let settings = office.settings()?;
    let noted = noted(opened, settings)?;
    let is_own = |key: &PublicKey| office.own_keys().map(|own| own.contains(key));
    let found = match told_by(opened, settings, Ok(noted.clone()), &is_own) {
        (_, Some(trouble)) => return Err(undetermined(&trouble)),
        (found, None) => found.map(|(side, _)| side),
    };
    let moved = |side: Side| noted.moved.iter().any(|moved| moved == opened.header.info.sides[side.index()].word);
    Ok(Mine { own: found, own_or_moved: found.or_else(|| only(moved)), looks_on: noted.own.as_deref() == Some(NOBODY) })
}

fn undetermined(trouble: &str) -> Trouble {
    Trouble::of(format!("which side is yours cannot be determined: {trouble}"))
}

/// Returns the player's own side and how it is known, and what could not be read along the way.
pub fn told(opened: &Opened<'_>, settings: &Settings) -> (Option<(Side, &'static str)>, Option<String>) {
    let keyring = Keyring::new(&settings.folders);
    let is_own = |key: &PublicKey| keyring.own_of(key).map(|own| own.is_some());
    told_by(opened, settings, KnownGames::new(&settings.folders).sides(&opened.header.id), &is_own)
}

fn told_by(
    opened: &Opened<'_>,
    settings: &Settings,
    noted: std::io::Result<Sides>,
    is_own: &dyn Fn(&PublicKey) -> Result<bool, KeyringError>,
) -> (Option<(Side, &'static str)>, Option<String>) {
    let header = &opened.header;
    let word = |side: Side| header.info.sides[side.index()].word;
    let folders = &settings.folders;
    let trouble = RefCell::new(None);
    let failed = |error: &dyn Display| {
        trouble.borrow_mut().get_or_insert_with(|| error.to_string());
    };
    let noted = noted.unwrap_or_else(|error| {
        failed(&error);
        Sides::default()
    });
    let signs = |side: Side| {
        let key = opened.table.signatures().and_then(|signatures| signatures.key(side));
        key.is_some_and(|key| {
            is_own(&key).unwrap_or_else(|error| {
                failed(&error);
                false
            })
        })
    };
    let there = |path: Option<PathBuf>| {
        path.is_some_and(|path| {
            folders.disk.has(&path).unwrap_or_else(|error| {
                failed(&error);
                false
            })
        })
    };
    let journal = Journal::new(folders);
    let signed = |side: Side| there(journal.path(&header.id, word(side)).ok());
    let secrets = Secrets::new(folders);
    let sealed = |side: Side| there(secrets.path(&header.id, word(side)).ok());
    let sent = |side: Side| {
        let to = header.player(side.other()).email.as_deref();
        let notes = SentNotes::read(folders, &header.id).unwrap_or_else(|error| {
            failed(&error);
            Vec::new()
        });
        !notes.is_empty() && notes.iter().all(|note| to.is_some_and(|to| is_same(&note.to, to)))
    };
    let own = |side: Side| noted.own.as_deref() == Some(word(side));
    let keeps = settings.hosts
        && header.host.as_deref().is_some_and(|host| {
            is_own(&host.key).unwrap_or_else(|error| {
                failed(&error);
                false
            })
        });
    // A host plays no side.
    let found = if keeps || noted.own.as_deref() == Some(NOBODY) {
        None
    } else {
        only(own)
            .map(|side| (side, "you said so"))
            .or_else(|| only(signs).map(|side| (side, "it signs by your key")))
            .or_else(|| only(signed).map(|side| (side, "you have signed entries of it")))
            .or_else(|| only(sealed).map(|side| (side, "its secret is in your key store")))
            .or_else(|| by_address(header, settings.email.as_deref()).map(|side| (side, "it has your address")))
            .or_else(|| only(sent).map(|side| (side, "your letters went to the other side")))
    };
    (found, trouble.into_inner())
}

/// Returns the one side for which `is` holds; `None` if it holds for neither or for both.
fn only(is: impl Fn(Side) -> bool) -> Option<Side> {
    match Side::BOTH.map(is) {
        [true, false] => Some(Side::First),
        [false, true] => Some(Side::Second),
        _ => None,
    }
}

/// Returns the side of the player with this address: an exact match except for case, or otherwise ignoring what follows
/// a `+`.
pub fn by_address(header: &Header<'_>, own: Option<&str>) -> Option<Side> {
    let own = own?;
    let of = |side: Side| header.player(side).email.as_deref();
    only(|side| of(side).is_some_and(|email| mail::address::is_same(email, own)))
        .or_else(|| only(|side| of(side).is_some_and(|email| mailbox(email) == mailbox(own))))
}

/// Reads the name of a side as it was typed.
pub fn named(opened: &Opened<'_>, word: &str) -> Result<Side, Trouble> {
    let info = opened.header.info;
    info.side(word).ok_or_else(|| {
        let [first, second] = info.sides.map(|side| side.word);
        Trouble::of(format!("{} has no side `{}`", info.title, printable(word)))
            .advise(format!("the sides are {first} and {second}; `{NOBODY}` is for spectators"))
    })
}

/// Notes which side is the player's, by its name.
pub fn note(settings: &Settings, id: &str, word: &str) -> Result<(), Trouble> {
    noted_own(settings, id, word, false)
}

/// The same of a game to which the player was invited.
pub fn note_invited(settings: &Settings, id: &str, word: &str) -> Result<(), Trouble> {
    noted_own(settings, id, word, true)
}

fn noted_own(settings: &Settings, id: &str, word: &str, invited: bool) -> Result<(), Trouble> {
    let known = KnownGames::new(&settings.folders);
    let mut sides = known.sides(id).unwrap_or_default();
    sides.own = Some(word.to_owned());
    sides.invited |= invited;
    known.note_sides(id, &sides).map_err(Trouble::File)
}

/// Whether the game came as an invitation.
pub fn was_invited(settings: &Settings, id: &str) -> bool {
    KnownGames::new(&settings.folders).sides(id).is_ok_and(|sides| sides.invited)
}

/// What helps if it is not known which side is the player's.
pub fn hint(header: &Header<'_>, origin: &str) -> Advice {
    let [first, second] = header.info.sides.map(|side| Act::Own(origin.to_owned(), side.word));
    advice![first, " or ", second, " says which side is yours"]
}
