//! The facts about a letter with a record, the checks' view of the record, and the decision.

use super::claims::Arrival;
use super::seat::Taken;
use postrider_kernel::Side;
use postrider_referee::record::{Entry, Header, Item, Time};
use postrider_referee::verdict::{Difference, Opened, Relation, Verdict};

/// How far an entry's time may be from the date of its letter before a warning is shown, in seconds: three days.
pub(super) const FAR: i64 = 3 * 24 * 3600;

/// The most bytes of remarks and blank lines that one letter may add; a published secret takes a hundred.
pub(super) const LETTER_ASIDES: usize = 16 << 10;
/// The most bytes of remarks and blank lines that letters may add to a record in total, so that there is always room
/// for entries.
pub(super) const RECORD_ASIDES: usize = 256 << 10;

/// The most bytes of all messages of a side with which a further one is taken.
pub(super) const MESSAGES: usize = 256 << 10;

/// The facts about the letter that brought a record.
#[derive(Clone, Copy, Debug)]
pub struct Provenance<'a> {
    /// The sender's address, if the letter names one.
    pub from: Option<&'a str>,
    /// Whether the receiver has said that the opponent sent it, from any address.
    pub vouched: bool,
    /// Whether two addresses are the same.
    pub same: fn(&str, &str) -> bool,
    pub date: Option<Time>,
    /// The time at which it is being read.
    pub now: Time,
    /// The address of the player who receives it, if it is known.
    pub address: Option<&'a str>,
    /// The side of the player who receives it, if it is known.
    pub own: Option<Side>,
    /// Whether entries are accepted although the receiver's side is not known: the game is not the receiver's yet, or
    /// the receiver only watches it.
    pub looks_on: bool,
    /// When the receiver's newest letter in this game was first sent: the number of the entry it was about, and the
    /// time.
    pub sent: Option<(u32, Time)>,
    /// When the receiver's own mail server took the letter, if that is known.
    pub arrived: Option<Time>,
    /// When the receiver's mail was last looked at, before this time.
    pub looked: Option<Time>,
    /// When the newest entry that is here arrived, if it is the opponent's and that was noted.
    pub arrival: Option<Arrival>,
    /// Whether the receiver agrees to what is held back otherwise.
    pub agreed: bool,
    /// Whether it shows that its writer got a letter of the receiver's in this game, or that need not be shown because none was mailed.
    pub answers: bool,
    /// The fingerprint of the opponent's key, if the receiver has confirmed one.
    pub confirmed: Option<&'a str>,
    /// The fingerprints of the keys that count as withdrawn here (Z36).
    pub withdrawn: &'a [String],
}

impl Provenance<'_> {
    /// A letter that is read at this time, without any other facts.
    #[must_use]
    pub const fn at(now: Time) -> Self {
        Self {
            from: None,
            vouched: false,
            same: str::eq_ignore_ascii_case,
            date: None,
            now,
            address: None,
            own: None,
            looks_on: false,
            sent: None,
            arrived: None,
            looked: None,
            arrival: None,
            agreed: false,
            answers: true,
            confirmed: None,
            withdrawn: &[],
        }
    }
}

/// The new part of a record, as the checks see it. Both records were replayed.
pub(super) struct Case<'c> {
    /// The record here; none of an invitation.
    pub(super) here: Option<&'c Opened<'c>>,
    /// The record that came.
    pub(super) came: &'c Opened<'c>,
    /// Its new entries.
    pub(super) fresh: Vec<Entry>,
    /// The number of the first of them.
    pub(super) first: u32,
    /// Whether the game is over by it.
    pub(super) is_over: bool,
    /// The addresses of the players. A header with a different address could make a stranger a player, so the header of the record here
    /// says who plays.
    pub(super) players: [Option<String>; 2],
    /// Whether a side signs by a key that the record here knows. Any other could have been put there by anyone (E10). Where the host
    /// signs, a side may still declare a key of its own, which is such a key too.
    keys: [bool; 2],
    /// The facts about its letter.
    pub(super) letter: &'c Provenance<'c>,
}

impl<'c> Case<'c> {
    pub(super) fn new(
        here: Option<&'c Opened<'c>>,
        came: &'c Opened<'c>,
        (first, is_over): (u32, bool),
        letter: &'c Provenance<'c>,
    ) -> Self {
        let players = addresses(&here.unwrap_or(came).header);
        let key =
            |opened: &Opened<'_>, side: Side| opened.table.signatures().and_then(|signatures| signatures.key(side));
        let is_known = |side| here.and_then(|here| key(here, side)).is_some_and(|known| key(came, side) == Some(known));
        let keys = Side::BOTH.map(is_known);
        Self { here, came, fresh: entries_from(came, first), first, is_over, players, keys, letter }
    }

    /// Whether an entry is signed by a key that the record here knows.
    pub(super) fn is_vouched(&self, entry: &Entry) -> bool {
        entry.signature.is_some() && self.keys.get(entry.side.index()) == Some(&true)
    }

    /// The new entries with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (&Entry, u32)> {
        self.fresh.iter().zip(self.first..)
    }

    /// The line of a new entry.
    pub(super) fn line(&self, entry: &Entry) -> String {
        entry.span.text(self.came.text).to_owned()
    }
}

/// What happens to a received record.
#[derive(Debug)]
pub enum Decision {
    /// It continues the record here, and replaces it.
    Accepted(Box<Accepted>),
    /// It has nothing new.
    Nothing {
        /// How many entries it has.
        entries: u32,
        /// Whether the record here has more.
        older: bool,
        /// Whether it has remarks that are not here; while the game runs, these are only accepted together with an
        /// entry.
        remarks: bool,
    },
}

/// What was accepted.
#[derive(Debug)]
pub struct Accepted {
    /// The record that replaces the one here. It begins with the same bytes, except for line ends.
    pub record: Vec<u8>,
    /// The first new entry; one more than the last if only remarks are new.
    pub first: u32,
    /// The last entry.
    pub last: u32,
    /// The lines of the new entries.
    pub lines: Vec<String>,
    /// Warnings.
    pub remarks: Vec<String>,
}

/// A game that is not known yet.
#[derive(Debug)]
pub struct Invitation {
    pub id: String,
    /// The record with LF line ends.
    pub record: Vec<u8>,
    /// How many entries it has.
    pub entries: u32,
    /// Warnings.
    pub remarks: Vec<String>,
}

/// Why a record was not accepted. The record here stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is not legal.
    #[error("the record is {0}")]
    Verdict(Box<Verdict>),
    /// The record here is not legal, so nothing can be compared with it.
    #[error("the record here is {0}")]
    Here(Box<Verdict>),
    /// It has different entries from the record here.
    #[error("{}", parted_in_words(.0).map_or_else(|| "they agree".to_owned(), |(what, _)| what))]
    Parted(Relation),
    /// It comes from someone who does not play this game.
    #[error("its sender does not play this game")]
    Stranger {
        /// The sender's address.
        from: Option<String>,
        /// The addresses from which it could have come.
        players: Vec<String>,
    },
    /// It is larger than it may be, and why.
    #[error("{0}")]
    Large(String),
    /// It contains new entries of the receiver's own side, which only the receiver makes.
    #[error("entry {entry} is of the receiver's own side")]
    OwnSide {
        /// The place of the entry.
        entry: u32,
        line: String,
    },
    /// It contains entries, and it is not known which side is the receiver's, so any of them could be forged.
    #[error("it has entry {entry}, and the receiver's side is not known")]
    WhoseSide {
        /// The place of the first new entry.
        entry: u32,
        line: String,
    },
    /// An entry is ahead of this machine's clock; it is accepted once its time has come.
    #[error("entry {entry} is of {time}, ahead of the clock here")]
    Early {
        /// The place of the entry that is furthest ahead.
        entry: u32,
        time: Time,
    },
    /// It claims that the receiver's time ran out, counted from before the receiver's letter was sent.
    #[error("it claims time from {since} on, before the letter was sent")]
    Claim {
        /// The time from which the claim counts.
        since: Time,
        /// The entry that the receiver's letter was about, and when that letter was sent.
        sent: (u32, Time),
    },
    /// It claims that the receiver's time ran out, counted from before the entry to answer was here; counted from when it was,
    /// there is time left. The receiver may agree to it.
    #[error("entry {claim} claims time from {since} on, before the entry to answer was here")]
    Doubtful {
        /// The number of the claim.
        claim: u32,
        /// The time from which it counts.
        since: Time,
        /// When the entry before it arrived.
        arrival: Arrival,
        /// The seconds left at the time of the claim, counted from then.
        left: i64,
    },
    /// It brings the opponent's first entry in a sealed game without a commitment. The receiver may agree to it.
    #[error("the opponent's first entry has no commitment")]
    Uncommitted(Side),
    /// It brings the opponent's first entry with a new key, and does not show that its writer got a letter of the receiver's. The
    /// receiver may agree to it.
    #[error("it declares the key {}, and does not answer the receiver's letter", .0.key.fingerprint())]
    Seat(Taken),
    /// It brings new entries that are signed by a key that counts as withdrawn (Z36). The receiver may agree to it.
    #[error("it is signed by {}, which was withdrawn", .0.key.fingerprint())]
    Withdrawn(Taken),
}

/// The addresses of the players, as a header has them.
pub(super) fn addresses(header: &Header<'_>) -> [Option<String>; 2] {
    Side::BOTH.map(|side| header.player(side).email.as_deref().map(str::to_owned))
}

/// The entries from a given place on.
pub(super) fn entries_from(opened: &Opened<'_>, first: u32) -> Vec<Entry> {
    let mut body = opened.body();
    let entries = std::iter::from_fn(|| body.next_item()).filter_map(|item| match item {
        Item::Entry(entry) => Some(entry),
        _ => None,
    });
    entries.skip((first as usize).saturating_sub(1)).collect()
}

pub(super) fn count(entries: &[Entry]) -> u32 {
    u32::try_from(entries.len()).unwrap_or(u32::MAX)
}

/// Describes both versions where two records disagree, one line each; `None` if they agree.
#[must_use]
pub fn parted_in_words(relation: &Relation) -> Option<(String, Option<&Difference>)> {
    let entry = |difference: &Difference| difference.place;
    Some(match relation {
        Relation::Same | Relation::Older { .. } | Relation::Newer { .. } => return None,
        Relation::OtherGame { here, there } => (format!("it is of the game {there}, not of {here}"), None),
        Relation::OtherHeader(difference) => {
            (format!("its header differs from line {} on: a header never changes", difference.place), Some(difference))
        }
        Relation::Rewritten(difference) => (
            format!("entry {} was rewritten: an entry never changes once it is sent", entry(difference)),
            Some(difference),
        ),
        Relation::Dropped(difference) => (
            format!("entry {} was left out: an entry never disappears once it is sent", entry(difference)),
            Some(difference),
        ),
        Relation::Fork(difference) => {
            (format!("from entry {} on it is a different game from the one here", entry(difference)), Some(difference))
        }
    })
}
