//! One game of the player's, and what is noted of it outside its record. It is opened once for each thing that is done and passed on, so
//! that each note is read when it is first needed, and once.

use std::cell::{Cell, RefCell, RefMut};
use std::io;

use crate::known::copies::{KnownGames, Sides};
use crate::office::{Office, Trouble};
use crate::send::sent::{Note, SentNotes};
use postrider_kernel::Side;

/// The player's own side, and how it is known.
pub type Known = (Side, &'static str);

/// A game of the player's. It counts for one thing that is done: what other programs note meanwhile is not seen.
pub struct OwnGame<'o> {
    /// The player's home.
    pub office: &'o Office<'o>,
    id: String,
    /// What was noted of its sides.
    sides: RefCell<Option<Sides>>,
    /// The player's own side, and how it is known.
    pub(crate) own: Cell<Option<Known>>,
    /// The letters about it, locked from when this program is about to send one.
    sending: RefCell<Option<SentNotes>>,
    /// The same, as they were read before.
    sent: RefCell<Option<Vec<Note>>>,
}

impl<'o> OwnGame<'o> {
    /// Opens the game with this id. Nothing is read yet.
    #[must_use]
    pub fn new(office: &'o Office<'o>, id: &str) -> Self {
        Self {
            office,
            id: id.to_owned(),
            sides: RefCell::default(),
            own: Cell::default(),
            sending: RefCell::default(),
            sent: RefCell::default(),
        }
    }

    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns what was noted of its sides.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn sides(&self) -> Result<Sides, Trouble> {
        let failed = |error| Trouble::of(format!("what was noted of the sides of {} cannot be read: {error}", self.id));
        self.sides_read().map_err(failed)
    }

    /// The same, with the error of the system.
    pub(crate) fn sides_read(&self) -> io::Result<Sides> {
        if let Some(sides) = &*self.sides.borrow() {
            return Ok(sides.clone());
        }
        let read = KnownGames::new(self.office.folders()).sides(&self.id)?;
        Ok(self.sides.borrow_mut().insert(read).clone())
    }

    /// Changes what is noted of its sides, and writes it if it is different then. It is read again for that, because others may have noted
    /// something since. What cannot be read counts as missing.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note(&self, change: impl Fn(&mut Sides)) -> Result<(), Trouble> {
        let changed = || {
            let mut sides = self.sides().unwrap_or_default();
            let before = sides.clone();
            change(&mut sides);
            (sides != before).then_some(sides)
        };
        if changed().is_none() {
            return Ok(());
        }
        *self.sides.borrow_mut() = None;
        let Some(sides) = changed() else { return Ok(()) };
        KnownGames::new(self.office.folders()).note_sides(&self.id, &sides).map_err(Trouble::File)?;
        *self.sides.borrow_mut() = Some(sides);
        self.own.set(None);
        Ok(())
    }

    /// Returns whether it came as an invitation; false if that cannot be read.
    #[must_use]
    pub fn was_invited(&self) -> bool {
        self.sides().is_ok_and(|sides| sides.invited)
    }

    /// Returns the notes of the letters about it.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn sent(&self) -> Result<Vec<Note>, Trouble> {
        if let Some(notes) = &*self.sending.borrow() {
            return Ok(notes.notes().to_vec());
        }
        if let Some(notes) = &*self.sent.borrow() {
            return Ok(notes.clone());
        }
        let read = SentNotes::read(self.office.folders(), &self.id)?;
        Ok(self.sent.borrow_mut().insert(read).clone())
    }

    /// Returns the notes of the letters about it, locked for this program until `has_sent`, because it is about to send one: two
    /// programs that send at the same time take turns.
    ///
    /// # Errors
    /// If they cannot be locked or read.
    pub fn sending(&self) -> Result<RefMut<'_, SentNotes>, Trouble> {
        let mut there = self.sending.borrow_mut();
        if there.is_none() {
            *there = Some(SentNotes::open(self.office.folders(), &self.id)?);
            *self.sent.borrow_mut() = None;
        }
        RefMut::filter_map(there, Option::as_mut).map_err(|_| Trouble::of("the notes of what was sent are in use"))
    }

    /// Lets other programs send letters about it again.
    pub(crate) fn has_sent(&self) {
        *self.sent.borrow_mut() = self.sending.borrow_mut().take().map(|notes| notes.notes().to_vec());
    }
}
