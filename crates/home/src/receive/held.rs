//! Records that were locked, with what was accepted for them and is not written yet.

use std::path::Path;

use super::event::Event;
use crate::entry::own;
use crate::keys::trust;
use crate::known;
use crate::office::{Office, Trouble, name};
use crate::own_game::OwnGame;
use crate::receive::decision as receive;
use crate::receive::decision::{Accepted, Arrival, Taken};
use crate::receive::seats::Seats;
use crate::send::letters;
use postrider_board::render::sheet::in_brief;
use postrider_disk::disk::RecordLock;
use postrider_kernel::text::printable;
use postrider_referee::desk::parts;
use postrider_referee::record::Time;
use postrider_referee::verdict::Opened;

/// The place of a game's record here.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) id: &'p str,
    pub(super) path: &'p Path,
    /// Whether it is one of the player's games rather than an invitation.
    pub(super) is_game: bool,
}

/// A locked record, with what was accepted for it and is not written yet.
pub(super) struct Held {
    pub(super) lock: RecordLock,
    pub(super) original: Vec<u8>,
    pub(super) record: Vec<u8>,
    pub(super) id: String,
    /// How many messages contributed to it.
    pub(super) accepted: u64,
    /// What to tell once it is written.
    pub(super) told: Vec<Event>,
    pub(super) remarks: Vec<String>,
    /// Whether it is one of the player's games rather than an invitation.
    pub(super) is_game: bool,
    /// The facts here besides the record, once they were looked up.
    pub(super) known: Option<KnownHere>,
    /// The arrival of an accepted entry to note, with its line.
    pub(super) arrived: Option<(String, Arrival)>,
    /// The report on the game once it is written.
    pub(super) standing: Standing,
}

/// The facts here about a game besides its record. They are read once, under the record's lock.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownHere {
    /// The player's side, as far as it is known.
    pub(super) mine: own::Mine,
    /// The entry that the player's newest letter was about, and when that letter was first sent.
    pub(super) sent: Option<(u32, Time)>,
    /// When the newest entry arrived, if it is the opponent's and that is known.
    pub(super) arrival: Option<Arrival>,
    /// The token that went out with the player's letters.
    pub(super) issued: Option<String>,
    /// The fingerprint of the opponent's key, if the player has confirmed one.
    pub(super) confirmed: Option<String>,
}

impl KnownHere {
    /// Reads it; the record was replayed. `is_game`: it is one of the player's games rather than an invitation.
    fn read(game: &OwnGame<'_>, opened: &Opened<'_>, is_game: bool) -> Result<Self, Trouble> {
        let office = game.office;
        let mine = game.mine(opened)?;
        // Whoever is invited does not play yet.
        let mine = own::Mine { looks_on: mine.looks_on || !is_game, ..mine };
        let Some(own) = mine.own_or_moved else { return Ok(Self { mine, ..Self::default() }) };
        let folders = office.folders();
        let failed = |error| Trouble::of(format!("{}: {error}", folders.seats().display()));
        Ok(Self {
            mine,
            sent: letters::newest_sent(game, opened, own)?,
            arrival: known::arrival_of(office, opened, own)?,
            issued: Seats::new(folders).issued(&opened.header.id).map_err(failed)?,
            confirmed: trust::confirmed(office, opened.header.player(own.other())),
        })
    }
}

/// The report on a game.
#[derive(Debug, Default)]
pub(super) struct Standing {
    pub(super) warnings: Vec<String>,
    pub(super) events: Vec<Event>,
}

impl Standing {
    /// Reports the key that takes the opponent's seat first, if that is new.
    pub(super) fn with_seat(mut self, office: &Office<'_>, seat: Option<Taken>, opened: &Opened<'_>) -> Self {
        if let Some(Taken { side, key }) = seat {
            self.events.insert(
                0,
                Event::Seat {
                    id: opened.header.id.to_string(),
                    side: opened.header.info.sides[side.index()],
                    fingerprint: key.fingerprint(),
                    told: trust::told(office, opened.header.player(side), &key),
                },
            );
        }
        self
    }
}

impl Held {
    pub(super) fn take(office: &Office<'_>, place: Place<'_>) -> Result<Self, Trouble> {
        let lock = office.disk().lock(place.path).map_err(Trouble::File)?;
        let original = lock.read().map_err(Trouble::File)?;
        Ok(Self {
            lock,
            record: original.clone(),
            original,
            id: place.id.to_owned(),
            accepted: 0,
            told: Vec::new(),
            remarks: Vec::new(),
            is_game: place.is_game,
            known: None,
            arrived: None,
            standing: Standing::default(),
        })
    }

    /// Looks up the facts here besides the record, once; the record was replayed.
    pub(super) fn learn(&mut self, opened: &Opened<'_>, path: &Path, game: &OwnGame<'_>) -> Result<(), Trouble> {
        if self.known.is_some() {
            return Ok(());
        }
        self.known = Some(KnownHere::read(game, opened, self.is_game)?);
        if self.is_game {
            known::guard_mail(game.office, opened, &self.original, &name(path), known::Use::Receive)?;
        }
        Ok(())
    }

    /// Roughly how much memory it takes.
    pub(super) fn size(&self) -> usize {
        self.original.len() + self.record.len()
    }

    /// Takes over an accepted record. `theirs`: the name of the opponent's side; `begun`: the first entry that this run has taken in
    /// the game; `arrival`: the note of the letter.
    pub(super) fn accept(&mut self, accepted: Accepted, theirs: Option<&str>, begun: u32, arrival: Arrival) {
        for line in &accepted.lines {
            let line = in_brief(&printable(line));
            // An invitation goes on: it is not the player's game yet.
            self.told.push(Event::Entry { id: self.id.clone(), line, invitation: !self.is_game });
        }
        if accepted.lines.is_empty() {
            self.told.push(Event::Asides { id: self.id.clone(), last: accepted.last });
        }
        self.remarks.extend(accepted.remarks);
        // Nobody can answer in time what comes along with the claim, in whatever letter.
        if let ([claim], Some(_)) =
            (accepted.lines.as_slice(), self.known.as_ref().and_then(|known| known.mine.own_or_moved))
            && begun < accepted.first
            && parts(claim).0 == "claim time"
        {
            self.remarks.push(receive::claim_against_new(accepted.first, "just before it"));
        }
        if let Some(line) = accepted.lines.last() {
            let is_theirs = theirs.is_some() && line.split(' ').nth(1) == theirs;
            let arrival = is_theirs.then_some(Arrival { entry: accepted.last, ..arrival });
            self.arrived = arrival.map(|arrival| (line.clone(), arrival));
            if let Some(known) = &mut self.known {
                known.arrival = arrival;
            }
        }
        self.record = accepted.record;
        self.accepted += 1;
    }
}
