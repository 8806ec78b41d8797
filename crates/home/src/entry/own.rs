//! Which side of a game belongs to the player.

use std::cell::RefCell;
use std::fmt::Display;
use std::path::PathBuf;

use crate::known::copies::Sides;
use crate::office::Trouble;
use crate::own_game::{Known, OwnGame};
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::text::printable;
use postrider_mail::address::{is_same, mailbox};
use postrider_referee::record::Header;
use postrider_referee::sealing::PublicKey;
use postrider_referee::verdict::Opened;
use postrider_vault::journal::Journal;
use postrider_vault::kept::Secrets;

/// Stands in for the name of a side if the player only watches.
pub const NOBODY: &str = "nobody";

/// The player's side, by a record and by the data here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mine {
    /// The player's own side ([`OwnGame::side`]).
    pub own: Option<Side>,
    /// The same, or otherwise the one side with entries made here. That is enough to refuse entries for it from a letter, but two
    /// players at one table begin the same way.
    pub own_or_moved: Option<Side>,
    /// Whether the player said that neither side is their own ([`OwnGame::looks_on`]).
    pub looks_on: bool,
}

impl OwnGame<'_> {
    /// Returns the player's own side, from the first of these that is known: what the player said, the player's key, the
    /// journal of signed entries, the secret in the key store, the address in the settings, the sender of the letters that
    /// were sent. `None` if none is.
    pub fn side(&self, opened: &Opened<'_>) -> Option<Side> {
        self.known(opened).0.map(|(side, _)| side)
    }

    /// Like [`OwnGame::side`], for use if something is decided by the answer.
    ///
    /// # Errors
    /// If one of the sources cannot be read.
    pub fn find(&self, opened: &Opened<'_>) -> Result<Option<Side>, Trouble> {
        self.office.settings()?;
        match self.known(opened) {
            (_, Some(trouble)) => Err(Trouble::of(format!("your side cannot be determined: {trouble}"))),
            (found, None) => Ok(found.map(|(side, _)| side)),
        }
    }

    /// Like [`OwnGame::find`], for a record that is not the player's yet: what it says of the side is not kept.
    ///
    /// # Errors
    /// If one of the sources cannot be read.
    pub(crate) fn find_in_theirs(&self, opened: &Opened<'_>) -> Result<Option<Side>, Trouble> {
        let kept = self.own.take();
        let found = self.find(opened);
        self.own.set(kept);
        found
    }

    /// Returns whether the player said that neither side is their own.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn looks_on(&self) -> Result<bool, Trouble> {
        Ok(self.sides()?.own.as_deref() == Some(NOBODY))
    }

    /// Finds the player's side.
    ///
    /// # Errors
    /// If one of the sources cannot be read.
    pub fn mine(&self, opened: &Opened<'_>) -> Result<Mine, Trouble> {
        let noted = self.sides()?;
        let own = self.find(opened)?;
        let moved = |side: Side| noted.moved.iter().any(|moved| moved == opened.header.info.sides[side.index()].word);
        Ok(Mine { own, own_or_moved: own.or_else(|| only(moved)), looks_on: self.looks_on()? })
    }

    /// Returns the player's own side and how it is known, and what could not be read along the way.
    pub fn known(&self, opened: &Opened<'_>) -> (Option<Known>, Option<String>) {
        if let Some(known) = self.own.get() {
            return (Some(known), None);
        }
        let (known, trouble) = self.look_up(opened);
        if trouble.is_none() {
            self.own.set(known);
        }
        (known, trouble)
    }

    fn look_up(&self, opened: &Opened<'_>) -> (Option<Known>, Option<String>) {
        let settings = match self.office.settings() {
            Ok(settings) => settings,
            Err(trouble) => return (None, Some(trouble.to_string())),
        };
        let header = &opened.header;
        let word = |side: Side| header.info.sides[side.index()].word;
        let folders = &settings.folders;
        let is_own = |key: &PublicKey| self.office.own_keys().map(|own| own.contains(key));
        let trouble = RefCell::new(None);
        let failed = |error: &dyn Display| {
            trouble.borrow_mut().get_or_insert_with(|| error.to_string());
        };
        let noted = self.sides_read().unwrap_or_else(|error| {
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
            let notes = self.sent().unwrap_or_else(|error| {
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

    /// Notes which side is the player's, by its name.
    ///
    /// # Errors
    /// If it cannot be noted.
    pub fn note_own(&self, word: &str) -> Result<(), Trouble> {
        self.note(|sides| sides.own = Some(word.to_owned()))
    }
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
pub(crate) fn by_address(header: &Header<'_>, own: Option<&str>) -> Option<Side> {
    let own = own?;
    let of = |side: Side| header.player(side).email.as_deref();
    only(|side| of(side).is_some_and(|email| postrider_mail::address::is_same(email, own)))
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

/// Returns advice if the player's side is not known.
pub fn hint(header: &Header<'_>, origin: &str) -> Advice {
    let [first, second] = header.info.sides.map(|side| Act::Own(origin.to_owned(), side.word));
    advice![first, " or ", second, " says which side is yours"]
}
