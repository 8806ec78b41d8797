//! What a host notes of people, games and lists, one file each, in JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::commands::Wanted;
use super::robots::Idle;
use postrider_home::office::Trouble;
use postrider_referee::record::Time;
use postrider_referee::verdict::Opened;

/// How many games of a person are remembered.
pub(super) const MOST_GAMES: usize = 500;
/// How many letters that ask for a confirmation may be answered, beside the last one.
const MOST_PENDING: usize = 4;
/// How many spans of a game are remembered in which its clock stood still.
const MOST_STILL: usize = 50;

/// A person: an address.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Person {
    pub(super) address: String,
    /// The name by which the person is called.
    pub(super) name: String,
    /// Whether the person chose it.
    pub(super) chosen: bool,
    /// Whether the person has answered a letter of the host.
    pub(super) answered: bool,
    /// Whether nothing is ever to be sent.
    pub(super) never: bool,
    /// Until when, in seconds since 1970, if it is not certain who asked for that.
    pub(super) never_until: Option<i64>,
    /// Whether the person was asked meanwhile if letters are wanted.
    pub(super) never_asked: bool,
    /// Whether letters came back.
    pub(super) unreachable: bool,
    /// How many letters were written.
    pub(super) written: u32,
    /// The day, counted from 1970, of the next two.
    pub(super) day: i64,
    /// How many letters the person has caused on that day.
    pub(super) caused: u32,
    /// What was written on that day: a mark of its words, and how often.
    pub(super) words: Vec<(String, u32)>,
    /// What was asked for and is to be confirmed, and the Message-ID, without angle brackets, of the letter that asks.
    pub(super) pending: Option<(String, String)>,
    /// The same of the letters before that, oldest first.
    pub(super) pending_before: Vec<(String, String)>,
    /// The ids of the person's games, oldest first.
    pub(super) games: Vec<String>,
    /// The lists on which the person waits.
    pub(super) seeks: Vec<String>,
    /// How many tokens were made before the present one.
    pub(super) generation: u32,
    /// The key of the person's own program, with which new games begin once it is proven.
    pub(super) key: Option<String>,
    /// Whether that key has signed that it is the person's (Z41).
    pub(super) proven: bool,
    /// Whether the person was told who sees the address.
    pub(super) told_address: bool,
    /// Keys of theirs that were withdrawn (Z36), which are not taken again.
    pub(super) withdrawn: Vec<String>,
}

/// How far a game is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// Somebody is invited.
    #[default]
    Invited,
    /// It is played.
    Running,
    Over,
    /// The invitation was declined.
    Declined,
    /// Its first entry was never made.
    Lapsed,
}

/// Who plays a side.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Seat {
    pub(super) address: String,
    pub(super) name: String,
    /// How many tokens were made before the present one.
    pub(super) generation: u32,
    /// Whether this person wants to play.
    pub(super) agreed: bool,
    /// Whether letters came back.
    pub(super) unreachable: bool,
    /// The Message-IDs of the first and the last letter about the game, with angle brackets.
    pub(super) thread: Vec<String>,
    /// The addresses to which the seat may move.
    pub(super) moves: Vec<Moving>,
    /// Whether the mail system has said of a letter of this seat that it comes from its address (DMARC).
    pub(super) proven: bool,
    /// What this person wrote last that was not passed on, and may be.
    pub(super) kept: Vec<String>,
    /// The time zone of this person's letters, in minutes ahead of UTC.
    pub(super) zone: Option<i32>,
    /// The last letter about the game that named no entry and asked for nothing.
    pub(super) idle: Idle,
    /// How many answers to the invitation were neither a yes nor a no.
    pub(super) odd: u32,
}

/// A wish to move a seat.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Moving {
    /// The address to which.
    pub(super) address: String,
    /// When it was asked for last, in seconds since 1970.
    pub(super) asked: i64,
    /// Whether each of the two has said yes: the old one, the new one.
    pub(super) said: [bool; 2],
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Game {
    pub(super) id: String,
    pub(super) game: String,
    pub(super) state: State,
    /// In the order of the sides.
    pub(super) seats: [Seat; 2],
    /// Which of them asked for the game.
    pub(super) by: usize,
    pub(super) options: Vec<String>,
    pub(super) clock: Option<String>,
    /// Whether the host claims time by itself.
    pub(super) forfeit: bool,
    /// The addresses of those who watch.
    pub(super) watchers: Vec<String>,
    /// The hour, counted from 1970, at which the clock is looked at next.
    pub(super) agenda: Option<i64>,
    /// The number of entries that the reminders below are about, and how many there were: half, nine tenths, the end.
    pub(super) reminded: (u32, u8),
    /// Of how many entries both players were told; of as many as the reminders are about, in notes of before.
    pub(super) told: Option<u32>,
    /// The number of the newest entry that a player's own program made, and when it was here.
    pub(super) arrived: Option<(u32, i64)>,
    /// A claim of time that a player's own program made too early, and when it comes true.
    pub(super) held: Option<Held>,
    /// When entries were here that players' own programs made: their numbers, and the times.
    pub(super) arrivals: Vec<(u32, i64)>,
    /// The entries that were asked back because of their times since the newest one was taken: h(n) of each, in hexadecimal.
    pub(super) asked_back: Vec<String>,
    /// After how many entries somebody has claimed time that is to be entered when it has surely run out.
    pub(super) claimed: Option<u32>,
    /// When it was begun, from which the time for the first entry counts.
    pub(super) begun: Option<i64>,
    /// When it has lapsed.
    pub(super) lapsed: Option<i64>,
    /// From when until when the clock stood still, because the game could not be played.
    pub(super) still: Vec<(i64, i64)>,
    /// The time of the backup from which the game came, once it is known that no entries were made since.
    pub(super) sure: Option<String>,
    /// Whether each side has said that it has nothing newer, once both were asked.
    pub(super) asked: Option<[bool; 2]>,
    /// What each side foresees, as it wrote it.
    pub(super) foreseen: [Option<postrider_home::conditions::decision::Conditions>; 2],
    /// Whether each side gives the game up with its next entry.
    pub(super) resigns: [bool; 2],
}

/// A claim of time that waits: by the time at which the entry to be answered came, there is time left.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Held {
    /// How many entries there are before it.
    pub(super) entries: u32,
    /// What it adds to the record.
    pub(super) lines: String,
    /// When it comes true, in seconds since 1970.
    pub(super) due: i64,
}

impl Person {
    /// Notes what is to be confirmed by an answer to a letter.
    pub(super) fn is_asked(&mut self, words: String, letter: String) {
        self.pending_before.extend(self.pending.replace((words, letter)));
        let surplus = self.pending_before.len().saturating_sub(MOST_PENDING);
        self.pending_before.drain(..surplus);
    }

    /// Whether one of these letters asked about a game with somebody who is named, and so said who sees the address.
    pub(super) fn was_told_by(&self, answers: &[String]) -> bool {
        let mut asked = self.pending.iter().chain(&self.pending_before);
        asked.any(|(words, letter)| words.contains(" with ") && answers.contains(letter))
    }

    /// Takes what an answer to one of these letters confirms.
    pub(super) fn confirmed(&mut self, answers: &[String]) -> Option<String> {
        let is = |one: &(String, String)| answers.contains(&one.1);
        if let Some((words, _)) = self.pending.take_if(|one| is(one)) {
            return Some(words);
        }
        let at = self.pending_before.iter().rposition(is)?;
        Some(self.pending_before.remove(at).0)
    }
}

impl Seat {
    /// Notes the Message-ID, without angle brackets, of a letter to this seat, and when it was written.
    pub(super) fn wrote(&mut self, id: &str, at: Time) {
        self.idle.written = at.0;
        self.thread.truncate(1);
        self.thread.push(format!("<{id}>"));
    }
}

impl Game {
    /// Notes that the clock stood still for a while.
    pub(super) fn stood_still(&mut self, begun: i64, ended: i64) {
        self.still.push((begun, ended));
        self.still.sort_unstable();
        let surplus = self.still.len().saturating_sub(MOST_STILL);
        self.still.drain(..surplus);
    }

    /// For how many of the seconds since a time the clock has stood still.
    pub(super) fn still_since(&self, from: i64) -> i64 {
        let (mut sum, mut counted) = (0, from);
        // They are in order, and may overlap.
        for (begun, ended) in &self.still {
            sum += ended.saturating_sub(counted.max(*begun)).max(0);
            counted = counted.max(*ended);
        }
        sum
    }

    /// Notes when entries were here that a player's own program made.
    pub(super) fn came(&mut self, first: u32, last: u32, at: Time) {
        self.arrivals.extend((first..=last).map(|entry| (entry, at.0)));
        self.arrived = Some((last, at.0));
        self.asked_back.clear();
    }

    /// Finds a record that has lost entries.
    ///
    /// # Errors
    /// If it has.
    pub(super) fn not_shortened(&self, opened: &Opened<'_>) -> Result<(), Trouble> {
        let entries = opened.table.standing().entries;
        if entries >= self.reminded.0 {
            return Ok(());
        }
        Err(Trouble::of(format!(
            "the record of {} has lost entries: {entries} of {} are left",
            self.id, self.reminded.0
        )))
    }

    pub(super) fn seat_of(&self, address: &str) -> Option<usize> {
        self.seats.iter().position(|seat| postrider_mail::address::is_same(&seat.address, address))
    }
}

/// Those who wait for somebody who seeks the same.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Seek {
    pub(super) game: String,
    pub(super) options: Vec<String>,
    pub(super) clock: Option<String>,
    pub(super) waiting: Vec<String>,
}

impl Seek {
    /// An empty list for what is wanted.
    pub(super) fn of(wanted: &Wanted) -> Self {
        let mut options = wanted.options.clone();
        options.sort();
        Self { game: wanted.game.clone(), options, clock: wanted.clock.clone(), waiting: Vec::new() }
    }

    /// What two people must have in common to be paired.
    pub(super) fn name(&self) -> String {
        format!("{} {} {}", self.game, self.options.join(" "), self.clock.as_deref().unwrap_or_default())
    }
}

/// What a token is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Worth {
    /// A side of a game.
    Seat(String, usize),
    /// The name of a person's file.
    Person(String),
}

/// Who has won how often.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Table {
    /// By the names of the persons' files.
    pub(super) rows: std::collections::BTreeMap<String, Row>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) won: u32,
    pub(super) drawn: u32,
    pub(super) lost: u32,
}

impl Table {
    /// The rows, best first.
    pub(super) fn ranked(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.rows.values().cloned().collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(2 * row.won + row.drawn), row.lost, row.name.clone()));
        rows
    }
}

/// What was read before a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// All places in which letters come in, to their end; when that was begun.
    Whole(Time),
    /// All of them, but for messages that could not be read for now, at the places with these names; when that was begun.
    But(Time, Vec<String>),
    /// Nothing, or not all of them.
    Part,
}

/// What is noted of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Runs {
    /// When the last one that ended well has ended.
    pub(super) ran: i64,
    /// When the last whole reading was begun.
    pub(super) read: i64,
    /// Until when nothing is claimed, after an outage.
    pub(super) quiet: i64,
    /// Since when messages that a mailbox has could not be read, by marks of their places.
    pub(super) passed: BTreeMap<String, i64>,
    /// Since when letters that were taken could not be read, by the names of their files.
    pub(super) stuck: BTreeMap<String, i64>,
    /// Whether that is not in the file yet.
    #[serde(skip)]
    pub(super) changed: bool,
}
