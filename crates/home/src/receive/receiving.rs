//! What one who receives holds: what was asked for, what was read so far, and what is not written yet.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use super::agreed::Agreed;
use super::event::{Count, Event};
use super::held::Held;
use crate::invite::kept::Invitations;
use crate::office::{Office, Trouble};
use crate::overview::shelf::Shelf;
use crate::own_game::OwnGame;
use crate::receive::inbox::InboxError;
use crate::receive::received::{Mark, Received};
use postrider_kernel::text::printable;
use postrider_mail::incoming::Mail;
use postrider_referee::record::Time;
use postrider_referee::verdict::Opened;
use postrider_settings::Settings;

/// The options of receiving.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// Answer at once what was foreseen or is forced.
    pub answer: bool,
    /// Sign and mail a receipt for each entry that is not answered at once.
    pub countersign: bool,
    /// Take what was held back, as far as this names it.
    pub agree: Option<Agreed>,
    /// The fingerprint of the right one of two keys.
    pub seat: Option<String>,
    /// Read replies without a record, whatever the settings say.
    pub plain: bool,
    /// Read a reply without a record only in a game whose record nobody else keeps.
    pub alone: bool,
    /// Take it although it does not come from the opponent's address: the player has said who sent it.
    pub vouched: bool,
    /// Say what would happen, and change nothing.
    pub dry_run: bool,
    /// Read what was read before, too.
    pub again: bool,
    /// Write what is taken from each message before the next one is read, because the next one may be slow to come.
    pub one_by_one: bool,
}

/// What ends the reading.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// A mailbox cannot be read.
    #[error(transparent)]
    Inbox(#[from] InboxError),
    /// Something else is in the way for now.
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

/// Reads messages, one after another.
pub struct Receiving<'o> {
    pub(super) office: &'o Office<'o>,
    pub(super) settings: &'o Settings,
    pub(super) ways: Ways,
    pub(super) hear: &'o dyn Fn(Event),
    pub(super) invitations: Invitations,
    pub(super) received: Received,
    /// The folder of the player's games.
    pub(super) games: PathBuf,
    /// The player's games, looked up when the first record arrives.
    pub(super) shelf: Option<Shelf>,
    pub(super) now: Time,
    /// When mail was last looked at before this run.
    pub(super) looked: Option<Time>,
    pub(super) tally: Tally,
    pub(super) current: Current,
    /// The game that the current message is about.
    pub(super) game: RefCell<Option<Rc<OwnGame<'o>>>>,
    pub(super) collected: Collected,
    /// The games in which something was announced in this run.
    pub(super) announced: RefCell<BTreeSet<String>>,
}

impl<'o> Receiving<'o> {
    /// The game with this id. It is opened once for each message that is about it.
    pub(super) fn own_game(&self, id: &str) -> Rc<OwnGame<'o>> {
        let mut there = self.game.borrow_mut();
        match &*there {
            Some(game) if game.id() == id => Rc::clone(game),
            _ => Rc::clone(there.insert(Rc::new(OwnGame::new(self.office, id)))),
        }
    }
}

/// What came of the messages so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) count: Count,
    /// How many messages could not be processed for now.
    pub(super) troubles: u64,
    /// Whether a mailbox has a message that could not be read.
    pub(super) passed: bool,
    /// How many broken messages in a mailbox came from nobody who plays here.
    pub(super) broken: u64,
    /// How many invitations of a mailbox were refused because too many of them wait already.
    pub(super) too_many: BTreeMap<String, u64>,
    /// What was refused only because nobody knows who sent it: the game, and the newest entry that it brings.
    pub(super) strangers: Vec<(String, Option<String>)>,
    /// The first entry that this run has taken in each game.
    pub(super) taken: BTreeMap<String, u32>,
}

/// What is known of the current message.
#[derive(Debug)]
pub(super) struct Current {
    /// Whether it is a single message, about which everything is reported, rather than one of a mailbox.
    pub(super) alone: bool,
    /// Whether the next run must read it again.
    pub(super) unread: bool,
    /// The time, in seconds since 1970, until which it is held back.
    pub(super) until: Option<i64>,
    /// When the mail server took it, if it says so.
    pub(super) arrived: Option<Time>,
}

impl Default for Current {
    fn default() -> Self {
        Self { alone: true, unread: false, until: None, arrived: None }
    }
}

/// What was taken and is not written yet.
#[derive(Default)]
pub(super) struct Collected {
    /// The records to which entries from a mailbox were added, by file.
    pub(super) held: BTreeMap<PathBuf, Held>,
    /// Since when any are held.
    pub(super) since: Option<Instant>,
    /// The messages that were read since the records were last written; they are noted afterwards.
    pub(super) unnoted: Vec<Mark>,
}

/// Describes a message for people.
pub(super) fn about(place: &str, mail: &Mail) -> String {
    let from = mail.from.as_deref().map(|from| format!(" from {}", printable(from))).unwrap_or_default();
    format!("{place}{from}")
}

/// Opens a record and replays all of it; nothing if it cannot be opened.
pub(super) fn replayed(record: &[u8]) -> Option<Opened<'_>> {
    let mut opened = Opened::new(record).ok()?;
    opened.replay(u32::MAX);
    Some(opened)
}
