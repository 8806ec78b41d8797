//! The way of an entry: typed, judged, signed, written, sent. Whatever makes an entry takes it along here: what a player types, a reply in
//! words, a reply that was prepared, what the rules force, a claim; in the home of a player and in that of a host.
//!
//! Each state is made from the one before: [`Typed`], [`Judged`], [`Signed`], [`Written`]. Nothing is stored before an entry is signed.
//! The signature is noted before it is made, the record is written before the known copy, and the letter goes out once the record is
//! flushed to disk.

use std::path::Path;

use crate::conditions::decision::{self as conditions, Conditions, State};
use crate::keys::trust;
use crate::office::Trouble;
use crate::own_game::OwnGame;
use crate::send::letters::{self, Delivered, Place, SendOptions};
use crate::{known, records};
use postrider_disk::disk::RecordLock;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_referee::desk::{self, Answer, Desk, Entered, EntryRequest, Refusal, Tried};
use postrider_referee::record::Time;
use postrider_referee::sealing::KeyStore;
use postrider_referee::verdict::{Opened, timeless};

/// What is to be entered.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    Actions(&'a str),
    /// What the rules force.
    Forced,
    /// The reply that was prepared for the newest entry.
    Prepared(&'a Conditions),
}

/// An entry as somebody asks for it.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'a> {
    pub what: What<'a>,
    /// A message to the opponent.
    pub message: Option<&'a str>,
    /// The time of the entry, if the record is to have times.
    pub time: Time,
    /// Whether somebody asked for this time; otherwise it is from the system clock.
    pub time_asked: bool,
    /// Whether a program makes it by itself. If a run that was ended had signed another entry for this turn, that one is made. A player
    /// who has typed an entry gets that one or none.
    pub by_itself: bool,
}

/// Why an entry was not made.
#[derive(Debug, thiserror::Error)]
pub enum NotMade {
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A part of it is forced, and the player chooses the rest.
    #[error("the player has a choice")]
    Choice,
    /// Nothing is forced: what is due.
    #[error("nothing is forced; due is: {0}")]
    NotForced(&'static str),
    /// Nothing was prepared for the newest entry: where the game is among what was.
    #[error("no reply was prepared")]
    NotPrepared(State),
}

/// An entry that was judged and is legal. Nothing is signed or written yet.
pub struct Judged<'a> {
    typed: Typed<'a>,
    tried: Tried,
    prepared: Option<Prepared>,
}

/// A reply that was prepared.
#[derive(Debug)]
pub struct Prepared {
    /// The other side's entry that it answers.
    pub theirs: String,
    /// The rest of the conditions once it is made.
    pub rest: Conditions,
}

/// An entry at the end of its record, signed if its side has a key. Nothing is written yet but the note of the signature.
pub struct Signed {
    /// The entry, and the record with it.
    pub entered: Entered,
    /// What it answers, if it was prepared.
    pub prepared: Option<Prepared>,
}

impl<'a> Typed<'a> {
    /// What is entered now.
    #[must_use]
    pub const fn new(what: What<'a>, time: Time) -> Self {
        Self { what, message: None, time, time_asked: false, by_itself: false }
    }

    /// The same, made by a program by itself.
    #[must_use]
    pub const fn by_itself(self) -> Self {
        Self { by_itself: true, ..self }
    }

    /// The same with a message.
    #[must_use]
    pub const fn saying(self, message: Option<&'a str>) -> Self {
        Self { message, ..self }
    }

    /// What the desk is asked for.
    #[must_use]
    pub const fn request<'r>(&self, actions: &'r str) -> EntryRequest<'r>
    where
        'a: 'r,
    {
        EntryRequest { actions, message: self.message, time: self.time, time_asked: self.time_asked }
    }

    /// Judges it at the end of a record.
    ///
    /// # Errors
    /// Why it cannot be made. Nothing has changed in that case.
    pub fn judge(self, desk: &Desk<'_>, keys: &mut dyn KeyStore) -> Result<Judged<'a>, NotMade> {
        let (tried, prepared) = match self.what {
            What::Actions(actions) => (desk.judge(&self.request(actions), keys)?, None),
            What::Forced => match desk.answer(&self.request(""), keys)? {
                Answer::Forced(tried) => (*tried, None),
                Answer::Choose(_) => return Err(NotMade::Choice),
                Answer::Nothing(due) => return Err(NotMade::NotForced(due)),
            },
            What::Prepared(tree) => {
                let source = desk.opened.text.as_bytes();
                let (state, rest) = conditions::follow(source, tree).map_err(Refusal::Record)?;
                let State::Ready { theirs, mine } = state else { return Err(NotMade::NotPrepared(state)) };
                (desk.judge(&self.request(&mine), keys)?, Some(Prepared { theirs, rest }))
            }
        };
        Ok(Judged { typed: self, tried, prepared })
    }

    /// Judges it, and signs it at the end of a copy of the record.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub fn make(self, desk: &Desk<'_>, keys: &mut dyn KeyStore) -> Result<Signed, NotMade> {
        self.judge(desk, keys)?.sign(desk.opened.text.as_bytes().to_vec(), keys)
    }
}

impl Judged<'_> {
    /// Signs it at the end of the record where it was judged, if its side has a key. If a run that was ended had signed the entry with
    /// another time, it is made with that one.
    ///
    /// # Errors
    /// If it cannot be signed, or the record with it does not pass the check.
    pub fn sign(self, mut record: Vec<u8>, keys: &mut dyn KeyStore) -> Result<Signed, NotMade> {
        let Self { typed, tried, prepared } = self;
        let line = tried.line().to_owned();
        let refusal = match tried.append(&mut record, keys) {
            Ok(entered) => return Ok(Signed::new(entered, prepared)),
            Err(refusal) => refusal,
        };
        let Some(earlier) = keys.signed_before() else { return Err(refusal.into()) };
        let is_same = timeless(&earlier) == timeless(&line);
        let entered = match typed.by_itself {
            true => Desk::open(&record)?.enter_again(&earlier, typed.time, keys)?,
            false if is_same && !typed.time_asked => {
                typed.made_again(&earlier, &record, keys)?.ok_or(NotMade::Refused(refusal))?
            }
            false => return Err(refusal.into()),
        };
        Ok(Signed::new(entered, prepared.filter(|_| is_same)))
    }
}

impl Typed<'_> {
    /// Judges it once more with the time of the line that was signed, and signs that again; nothing if another line comes of it.
    fn made_again(self, earlier: &str, record: &[u8], keys: &mut dyn KeyStore) -> Result<Option<Entered>, NotMade> {
        let Some(time) = desk::parts(earlier).1.and_then(|time| Time::read(time.as_bytes())) else { return Ok(None) };
        let desk = Desk::open(record)?;
        let again = Self { time, time_asked: true, ..self }.judge(&desk, keys);
        match again.ok().filter(|judged| judged.tried.line() == earlier) {
            Some(judged) => Ok(Some(judged.tried.appended(desk.opened.text, keys)?)),
            None => Ok(None),
        }
    }
}

impl Signed {
    fn new(entered: Entered, mut prepared: Option<Prepared>) -> Self {
        if let Some(Prepared { theirs, rest }) = &mut prepared {
            conditions::go_on(rest, theirs, &entered);
        }
        Self { entered, prepared }
    }
}

impl NotMade {
    /// Returns the refusal as it is told in the game of this name.
    #[must_use]
    pub fn trouble(self, game: &str) -> Trouble {
        match self {
            Self::Refused(refusal) => Trouble::refusal(game, refusal),
            Self::NotForced(_) => {
                Trouble::of(self.to_string()).advise(advice![Act::Moves(game.to_owned()), " lists what may be entered"])
            }
            Self::Choice | Self::NotPrepared(_) => Trouble::of(self.to_string()),
        }
    }
}

/// A record that was written.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Written {
    /// Whether it would outlast a power cut.
    pub is_safe: bool,
}

/// A record under its lock, as it was read there.
pub struct Locked<'l> {
    /// Where it is.
    pub file: &'l Path,
    pub lock: &'l mut RecordLock,
    /// Its bytes.
    pub source: &'l [u8],
}

impl Locked<'_> {
    /// Writes a record in its place, and stores the known copy of the game. `moved`: the record, and the side for which an entry was
    /// made in it here.
    ///
    /// # Errors
    /// If it was not written.
    pub fn write(
        self,
        game: &OwnGame<'_>,
        record: &[u8],
        moved: Option<(&Opened<'_>, Side)>,
    ) -> Result<Written, Trouble> {
        let is_safe = records::written(game.office, self.lock.replace(self.source, record))?;
        if let Some((opened, side)) = moved {
            if opened.table.seals().is_some() {
                game.office.note_signed();
            }
            trust::pin(game.office, opened, side);
        }
        let word = moved.map(|(opened, side)| opened.header.info.sides[side.index()].word);
        known::remember_moved(game, record, self.file, word);
        Ok(Written { is_safe })
    }
}

impl Written {
    /// Sends the letter about it.
    ///
    /// # Errors
    /// If a power cut could still undo what was written, or why it was not sent.
    pub fn send(
        self,
        game: &OwnGame<'_>,
        desk: &Desk<'_>,
        place: Place<'_>,
        options: &SendOptions,
    ) -> Result<Delivered, Trouble> {
        if !self.is_safe {
            return Err(records::not_flushed(place.name));
        }
        letters::deliver(game, desk, place, options)
    }
}
