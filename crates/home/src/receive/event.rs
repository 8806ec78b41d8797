//! The events of receiving messages.

use std::path::PathBuf;

use super::refusal::{Refusal, Settled};
use crate::office::Trouble;
use crate::send::letters::Delivered;
use postrider_kernel::SideName;
use postrider_kernel::advice::Advice;
use postrider_referee::verdict::Verdict;

/// The fate of a record or a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Something in it was taken.
    Accepted,
    /// It is an invitation that waits for an answer, or has grown.
    Invitation,
    /// Nothing in it was taken.
    Refused,
    /// It brings nothing new.
    Known,
    /// It is accepted once its time has come, or once the player agrees.
    HeldBack,
}

impl Fate {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Invitation => "invitation",
            Self::Refused => "refused",
            Self::Known => "known",
            Self::HeldBack => "held back",
        }
    }
}

/// How many messages had which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub messages: u64,
    /// Messages that an earlier run had held back, and that were looked at again.
    pub from_before: u64,
    /// Records and replies that were accepted.
    pub accepted: u64,
    pub invitations: u64,
    /// What was refused.
    pub refused: u64,
    /// What brought nothing new.
    pub known: u64,
    /// What was held back.
    pub held_back: u64,
    /// Messages that concern no game.
    pub other: u64,
}

impl Count {
    pub(super) fn of(&mut self, fate: Fate) -> &mut u64 {
        match fate {
            Fate::Accepted => &mut self.accepted,
            Fate::Invitation => &mut self.invitations,
            Fate::Refused => &mut self.refused,
            Fate::Known => &mut self.known,
            Fate::HeldBack => &mut self.held_back,
        }
    }
}

/// The fate of a record or a reply, and its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The game's id, as far as it is known.
    pub id: Option<String>,
    /// The name of its rules.
    pub game: Option<&'static str>,
    /// The file of the record or invitation here.
    pub path: Option<PathBuf>,
    /// What became of it.
    pub fate: Fate,
}

impl Outcome {
    /// The outcome where nothing is known of a game.
    pub(super) const fn of(fate: Fate) -> Self {
        Self { id: None, game: None, path: None, fate }
    }
}

/// How a record here compares with one that brings nothing new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Here {
    /// It has more entries.
    Further,
    Same,
    /// It is the same except for remarks, which are taken only with an entry or after the end.
    SameButRemarks,
}

/// Something that happened. Games are called by their ids; `about` describes a message for people.
#[derive(Debug)]
pub enum Event {
    /// A letter says something new of a key that is known here.
    Statement {
        /// The message.
        about: String,
        /// What it means.
        said: Advice,
    },
    /// A record brings nothing new.
    NothingNew {
        /// The game.
        id: String,
        /// How many entries it has.
        entries: u32,
        /// How the record here compares.
        here: Here,
    },
    /// An entry was accepted.
    Entry {
        /// The game.
        id: String,
        /// The entry's line.
        line: String,
        /// Whether the game is an invitation, which has grown.
        invitation: bool,
    },
    /// What stands below the last entry was accepted.
    Asides {
        /// The game.
        id: String,
        /// The number of that entry.
        last: u32,
    },
    /// A key takes the opponent's seat.
    Seat {
        /// The game.
        id: String,
        /// The opponent's side.
        side: SideName,
        /// The key's fingerprint.
        fingerprint: String,
        /// How far it is trusted.
        told: Advice,
    },
    /// The game is over.
    Over {
        /// The game.
        id: String,
        result: String,
    },
    /// An entry is due.
    Due {
        /// The game.
        id: String,
        /// The side that is due.
        side: SideName,
        /// The record.
        path: PathBuf,
        /// Whether the entry is the player's own, is forced, and can be made here.
        forced: bool,
    },
    /// The player is invited to a game.
    Invited {
        /// The game.
        id: String,
        /// What it is and how many entries it has, if it is new.
        new: Option<(String, u32)>,
    },
    /// The player declined this game before.
    DeclinedBefore {
        /// The game.
        id: String,
    },
    /// The invited opponent does not want to play.
    Declined {
        /// The game.
        id: String,
        /// The opponent's name, safe to show.
        name: String,
        /// The record.
        path: PathBuf,
    },
    /// The host of a game has not taken an entry because of its time, and asks for it with another.
    AskedBack {
        /// The game.
        id: String,
        /// The number of the entry.
        entry: u32,
    },
    /// A reply says that no move comes yet.
    NotYet {
        /// The game.
        id: String,
    },
    /// The opponent, who is not due, resigns: that is entered with the next entry, or was taken back.
    Resigns {
        /// The game.
        id: String,
        /// The opponent's name, safe to show.
        name: String,
        /// Whether it is taken back.
        back: bool,
    },
    /// A reply without a move.
    Said {
        /// The game.
        id: String,
        /// What it says, safe to show.
        text: String,
    },
    /// An entry was made for the opponent, from a reply without a record.
    EnteredFor {
        /// The game.
        id: String,
        /// The opponent's side.
        side: SideName,
        /// The entry's line.
        line: String,
        /// The actions that it replaces.
        instead: Option<String>,
        /// The words that it was understood from, if they are others.
        words: Option<String>,
        /// What the reply says besides, safe to show.
        beside: Option<String>,
    },
    /// The player's own program answered by itself.
    Answered {
        /// The game.
        id: String,
        /// The entry's line.
        line: String,
    },
    /// What became of a letter that goes out by itself.
    Delivered(Delivered),
    /// A receipt was signed.
    Receipt {
        /// The record, as whoever asked called it.
        origin: String,
        /// The last entry that it covers.
        entry: u32,
    },
    /// Something in a letter is not taken, or not yet.
    Refused(Box<Refusal>),
    /// Two keys claimed one seat, and the player has said which is right.
    Settled {
        /// The game.
        id: String,
        /// How that was settled.
        how: Settled,
        /// What may be done, said in the same sentence.
        then: Advice,
    },
    /// A record is refused by the rules.
    Illegal {
        /// The message, and the game if it is known.
        about: String,
        /// The record, with LF line ends.
        record: Vec<u8>,
        /// The verdict on it.
        verdict: Box<Verdict>,
    },
    /// Something could not be done for now.
    Failed {
        /// The message or the file, if it is about one.
        about: Option<String>,
        /// Why.
        trouble: Trouble,
    },
    /// All of a record or a reply was dealt with.
    Done {
        /// Where the message was.
        place: String,
        /// The address that it claims to come from.
        from: Option<String>,
        /// What became of it.
        outcome: Outcome,
    },
}
