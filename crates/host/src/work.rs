//! The work about one letter or one clock: notes are read, changed in memory, and letters are made. What it comes to is one [`Job`].

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::called;
use super::commands;
use super::did::Did;
use super::jobs::{Job, Kept, below};
use super::limits::Unproven;
use super::notes::{Game, MOST_GAMES, Person, State, Worth};
use super::scan::Looked;
use super::{Host, failed, token};
use postrider_home::office::Trouble;
use postrider_mail::address::{in_ascii, is_same};
use postrider_mail::incoming;
use postrider_mail::incoming::{Dmarc, Mail};
use postrider_mail::{Attached, HostLetter, Html, Party, hosted_id};
use postrider_referee::record::{Time, is_game_id};

/// The most bytes of a note.
const MOST: u64 = 16 << 20;
/// How many notes are kept in memory while a letter is dealt with, and the most bytes of each; others are read again.
const MOST_KNOWN: usize = 200;
const LONGEST_KNOWN: usize = 64 << 10;
/// How often the same words are answered in a day.
const SAME_WORDS: u32 = 3;
/// How many different letters of a day are remembered.
const MOST_WORDS: usize = 100;
/// The most bytes of the words of a letter to somebody of whom it is not known whether he wrote, so that all of it has 2 KB at most: what
/// anybody can cause in somebody else's name is no larger than what he sends.
const BRIEF: usize = 1_100;
/// The longest Message-ID that such a letter names, in bytes.
const BRIEF_ID: usize = 120;
/// The most letters that wait until others have got their first letters, and the most bytes of each.
const MOST_LATER: (usize, usize) = (500, 64 << 10);

/// What is being done about one letter, or one clock.
pub(super) struct Work<'h, 'o> {
    pub(super) host: &'h Host<'o>,
    /// When the host took the letter.
    pub(super) now: Time,
    /// What tells this work from others.
    pub(super) mark: String,
    files: BTreeMap<PathBuf, Option<Vec<u8>>>,
    /// What was read of notes that it does not write. Nobody else writes them while the host is locked.
    known: RefCell<BTreeMap<PathBuf, Option<Vec<u8>>>>,
    records: BTreeMap<String, Vec<u8>>,
    letters: Vec<Kept>,
    lapsed: Vec<String>,
    log: Vec<String>,
    /// The ids of the games that were looked at.
    looked_at: RefCell<Vec<String>>,
    /// What is known of words that may be tokens.
    pub(super) looked: Looked,
    /// Whether the writer's program asks not to be answered.
    pub(super) silent: bool,
    /// Whether the writer has caused as many letters as a day may have: entries are still made, and nothing else is done.
    pub(super) capped: bool,
    /// Whether the letter is to be kept until its game is no longer unsure.
    pub(super) is_to_be_kept: bool,
    /// Whether the letter is like a program's that does not say so: what is no entry and no command in it is not answered.
    pub(super) robot: bool,
    /// Whether nothing shows who wrote the letter: answers are text, short, and hold nothing of what it says.
    pub(super) brief: bool,
    /// Whether the letter waits until others have got their first letters.
    pub(super) waits: bool,
    /// Whether the writer is forgotten by it.
    pub(super) forgot: bool,
}

/// Who has written.
pub(super) struct Writer {
    pub(super) person: Person,
    /// Whether the letter shows that it comes from that address.
    pub(super) sure: bool,
    /// Whether the mail system says so.
    pub(super) vouched: bool,
}

/// What a letter says.
pub(super) struct Words<'a> {
    pub(super) text: &'a str,
    pub(super) html: Option<&'a Html>,
    pub(super) cid: &'a str,
    pub(super) attached: &'a [Attached<'a>],
    /// The Message-IDs before it, with angle brackets.
    pub(super) thread: &'a [String],
    /// The Message-ID of the letter about the position that it shows.
    pub(super) stem: &'a str,
    pub(super) subject: &'a str,
}

impl<'h, 'o> Work<'h, 'o> {
    pub(super) fn new(host: &'h Host<'o>, now: Time, mark: &str) -> Self {
        Self {
            host,
            now,
            mark: mark.to_owned(),
            files: BTreeMap::new(),
            known: RefCell::default(),
            records: BTreeMap::new(),
            letters: Vec::new(),
            lapsed: Vec::new(),
            log: Vec::new(),
            looked_at: RefCell::default(),
            looked: Looked::default(),
            silent: false,
            capped: false,
            is_to_be_kept: false,
            robot: false,
            brief: false,
            waits: false,
            forgot: false,
        }
    }

    /// Everything that it comes to, once it shows nobody the token of somebody else.
    ///
    /// # Errors
    /// If that cannot be known; then nothing of it is done.
    pub(super) fn into_job(mut self, message: Option<String>) -> Result<Job, Trouble> {
        self.renew()?;
        let text = |bytes: &[u8]| BASE64.encode(bytes);
        Ok(Job {
            order: self.order(),
            message,
            files: self
                .files
                .iter()
                .map(|(path, content)| (path.to_string_lossy().into_owned(), content.as_deref().map(text)))
                .collect(),
            records: self.records.iter().map(|(id, record)| (id.clone(), text(record))).collect(),
            log: self.log,
            letters: self.letters,
            lapsed: self.lapsed,
        })
    }

    /// Where its letters stand among others'.
    pub(super) fn order(&self) -> String {
        format!("{:012}-{}", self.now.0.max(0), self.mark)
    }

    /// Notes a line for the log: never what somebody wrote, and no token.
    pub(super) fn log(&mut self, did: &Did, mut about: Value) {
        if let Some(fields) = about.as_object_mut() {
            fields.insert("time".to_owned(), json!(self.now.to_string()));
            fields.insert("did".to_owned(), json!(did.to_string()));
        }
        self.log.push(about.to_string());
    }

    /// The games that were looked at, the last one first.
    pub(super) fn looked_at(&self) -> Vec<String> {
        self.looked_at.borrow().iter().rev().cloned().collect()
    }

    pub(super) fn read<T: DeserializeOwned>(&self, path: &Path) -> Result<Option<T>, Trouble> {
        let Some(bytes) = self.bytes(path)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| failed(path, error))
    }

    pub(super) fn bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, Trouble> {
        if let Some(there) = self.files.get(path).or(self.known.borrow().get(path)) {
            return Ok(there.clone());
        }
        let (file, disk) = (self.host.root.join(path), self.host.office.disk());
        let read = match disk.has(&file).map_err(|error| failed(&file, error))? {
            true => Some(disk.read(&file, MOST).map_err(|error| failed(&file, error))?),
            false => None,
        };
        let mut known = self.known.borrow_mut();
        if known.len() < MOST_KNOWN && read.as_ref().is_none_or(|bytes| bytes.len() <= LONGEST_KNOWN) {
            known.insert(path.to_owned(), read.clone());
        }
        Ok(read)
    }

    /// Whether this work writes a file.
    pub(super) fn is_written(&self, path: &Path) -> bool {
        matches!(self.files.get(path), Some(Some(_)))
    }

    /// Whether there is a file below the host's folder.
    pub(super) fn is_on_disk(&self, path: &Path) -> Result<bool, Trouble> {
        let file = self.host.root.join(path);
        self.host.office.disk().has(&file).map_err(|error| failed(&file, error))
    }

    /// The names in a folder below the host's.
    pub(super) fn names_in(&self, path: &Path) -> Result<HashSet<String>, Trouble> {
        let folder = self.host.root.join(path);
        let list = self.host.office.disk().list_if_there(&folder).map_err(|error| failed(&folder, error))?;
        Ok(list.into_iter().filter_map(|one| one.name.into_string().ok()).collect())
    }

    pub(super) fn write<T: Serialize>(&mut self, path: PathBuf, note: &T) {
        // What is noted always has a form in JSON.
        let bytes = serde_json::to_vec(note).unwrap_or_default();
        self.files.insert(path, Some(bytes));
    }

    pub(super) fn remove(&mut self, path: PathBuf) {
        self.files.insert(path, None);
    }

    pub(super) fn touch(&mut self, path: PathBuf, bytes: &[u8]) {
        self.files.insert(path, Some(bytes.to_vec()));
    }

    /// What is noted of a game.
    pub(super) fn game(&self, id: &str) -> Result<Option<Game>, Trouble> {
        if !is_game_id(id) {
            return Ok(None);
        }
        self.looks_at(id);
        self.read(&Self::game_file(id))
    }

    /// What is noted of a game; within, what is wrong with the note.
    ///
    /// # Errors
    /// If the disk does not tell.
    pub(super) fn game_or_damage(&self, id: &str) -> Result<Result<Option<Game>, String>, Trouble> {
        let Some(bytes) = self.bytes(&Self::game_file(id))? else { return Ok(Ok(None)) };
        Ok(serde_json::from_slice(&bytes).map(Some).map_err(|error| error.to_string()))
    }

    fn looks_at(&self, id: &str) {
        let mut ids = self.looked_at.borrow_mut();
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }

    fn game_file(id: &str) -> PathBuf {
        // The end of an id differs from game to game; its beginning does not.
        let end = id.get(id.len().saturating_sub(2)..).unwrap_or("xx");
        Path::new("games").join(end).join(id)
    }

    pub(super) fn keep_game(&mut self, game: &Game) {
        self.write(Self::game_file(&game.id), game);
    }

    /// The record of a game, as this work leaves it.
    pub(super) fn record(&self, id: &str) -> Result<Vec<u8>, Trouble> {
        if let Some(record) = self.records.get(id) {
            return Ok(record.clone());
        }
        self.looks_at(id);
        let (file, disk) = (self.host.record_file(id), self.host.office.disk());
        match disk.read_record(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let lapsed = self.host.lapsed_file(id);
                disk.read_record(&lapsed).map_err(|_| failed(&file, error))
            }
            read => read.map_err(|error| failed(&file, error)),
        }
    }

    /// Lets the record of a game leave the folder of games.
    pub(super) fn put_away(&mut self, id: &str) {
        self.lapsed.push(id.to_owned());
    }

    pub(super) fn keep_record(&mut self, id: &str, record: Vec<u8>) {
        self.records.insert(id.to_owned(), record);
    }

    /// The records that this work writes.
    pub(super) fn written_records(&self) -> Vec<Vec<u8>> {
        self.records.values().cloned().collect()
    }

    pub(super) fn token_of_seat(&self, game: &Game, side: usize) -> String {
        let seat = &game.seats[side];
        let (side_text, generation) = (side.to_string(), seat.generation.to_string());
        self.host.key.token(&["seat", &game.id, &side_text, &seat.address.to_lowercase(), &generation])
    }

    pub(super) fn token_of_person(&self, person: &Person) -> String {
        self.host.key.token(&["person", &person.address.to_lowercase(), &person.generation.to_string()])
    }

    /// Makes the token of a seat, and notes what it is worth.
    pub(super) fn seat_token(&mut self, game: &Game, side: usize) -> String {
        let token = self.token_of_seat(game, side);
        self.worth(&token, &Worth::Seat(game.id.clone(), side));
        token
    }

    /// Makes the token of a person, and notes what it is worth.
    pub(super) fn person_token(&mut self, person: &Person) -> String {
        let token = self.token_of_person(person);
        let name = self.person_name(&person.address);
        self.worth(&token, &Worth::Person(name));
        token
    }

    /// What is noted of a token.
    pub(super) fn worth_of(&self, token: &str) -> Result<Option<Worth>, Trouble> {
        self.read(&below("tokens", token))
    }

    fn worth(&mut self, token: &str, worth: &Worth) {
        let path = below("tokens", token);
        if !matches!(self.read::<Worth>(&path), Ok(Some(there)) if there == *worth) {
            self.write(path, worth);
        }
    }

    /// Reads a message and decides what becomes of it.
    ///
    /// # Errors
    /// If something cannot be read.
    pub(super) fn message(&mut self, mail: Mail) -> Result<(), Trouble> {
        self.read_message(mail)?;
        self.renew()
    }

    fn read_message(&mut self, mut mail: Mail) -> Result<(), Trouble> {
        self.seen()?;
        self.forget_strangers()?;
        let from = mail.from.as_deref().map(|from| self.without_tokens(from));
        let about = json!({"letter": mail.message_id, "from": from});
        let brings = mail.brings_entries();
        if mail.fault.is_some() && !brings && mail.text.is_none() {
            self.log(&Did::NoMessage, about);
            return Ok(());
        }
        if !mail.undelivered.is_empty() {
            self.log(&Did::DeliveryReport, about);
            let tokens = token::tokens(&mail.sent_to, "");
            for address in &mail.undelivered {
                self.unreachable(address, Some(&tokens))?;
            }
            return Ok(());
        }
        let Some(from) = mail.from.clone() else {
            self.log(&Did::NotFromOne, about);
            return Ok(());
        };
        let own = in_ascii(&self.host.address).to_lowercase();
        let is_ours = mail.message_id.as_deref().is_some_and(postrider_mail::is_ours);
        // What a player's own program has made brings entries.
        let brings = brings || !mail.entries.damaged.is_empty();
        let is_own = postrider_mail::address::mailbox(&from) == own;
        if (mail.auto || is_ours) && !brings || is_own {
            if !is_own && mail.message_id.as_deref().is_some_and(postrider_mail::is_of_host) {
                self.note_host(&from)?;
            }
            self.log(&Did::ByProgram, about);
            return Ok(());
        }
        self.silent = mail.suppresses || mail.auto || mail.bulk;
        let server = self.host.office.settings()?.authserv_id.as_deref();
        let found = server.and_then(|server| mail.trace.dmarc(server, &from));
        if found == Some(Dmarc::Fail) {
            self.log(&Did::Forged, about);
            return Ok(());
        }
        // Of what may be cut off, no words are read.
        let words = mail.text.as_ref().map(incoming::own_lines).unwrap_or_default();
        let mut lines = if mail.fault.is_none() { words.clone() } else { Vec::new() };
        let tokens = token::tokens(&mail.sent_to, &mail.subject);
        self.clean(&mut mail, &mut lines);
        if mail.fault.is_some() && commands::read(&[], &mail.subject).is_some() {
            mail.subject.clear();
        }
        let mail = &mail;
        let (mut seat, mut shown) = (None, found == Some(Dmarc::Pass));
        for token in tokens {
            match self.read::<Worth>(&below("tokens", &token))? {
                Some(Worth::Seat(id, side)) => {
                    let Some(game) = self.game(&id)? else { continue };
                    if side < 2 && self.seat_token(&game, side) == token {
                        shown |= is_same(&game.seats[side].address, &from);
                        seat = Some((game, side));
                        break;
                    }
                }
                Some(Worth::Person(name)) if self.is_named(&from, &name) => {
                    let person = self.person(&from)?;
                    shown |= self.person_token(&person) == token;
                }
                _ => {}
            }
        }
        let mut writer = Writer { person: self.person(&from)?, sure: shown, vouched: found == Some(Dmarc::Pass) };
        self.today(&mut writer.person);
        writer.person.answered |= shown;
        writer.person.unreachable &= !shown;
        // What somebody is called who has perhaps not written is nothing that others read.
        if shown && (!mail.name.is_empty() && !writer.person.chosen || writer.person.name.is_empty()) {
            writer.person.name = name_of(mail, &from);
        }
        if shown {
            self.note_answer(&from)?;
        }
        let plays = seat.as_ref().is_some_and(|(game, side)| is_same(&game.seats[*side].address, &from));
        if mail.auto && !plays {
            self.log(&Did::ByProgram, about);
            return Ok(());
        }
        if mail.fault.is_some() && !brings && !plays {
            self.log(&Did::NoMessage, about);
            return Ok(());
        }
        if server.is_some()
            && plays
            && let Some((game, side)) = &mut seat
        {
            match found {
                Some(Dmarc::Pass) => game.seats[*side].proven = true,
                _ if game.seats[*side].proven && self.ask_for_proof(&mut writer, game, *side, mail, &lines)? => {
                    self.keep_person(&writer.person);
                    self.log(&Did::Unproven, about);
                    return Ok(());
                }
                _ => {}
            }
        }
        if !self.may_go_on(&mut writer, &words, &mail.subject) {
            // A move is never lost for being one of many.
            self.silent = true;
            self.capped = true;
        }
        if self.capped && !plays {
            self.keep_person(&writer.person);
            self.log(&Did::TooMuch, about);
            return Ok(());
        }
        if self.is_long_ago(mail) {
            if let Some((game, side)) = seat.filter(|_| plays) {
                let why = "Your letter is more than sixty days old, so nothing was entered from it.";
                self.due_again(&mut writer, &game, side, mail, &lines, why)?;
            }
            self.keep_known(&writer)?;
            self.log(&Did::LongAgo, about);
            return Ok(());
        }
        // Its game's token shows no more than that somebody got the letter.
        self.brief = !shown;
        let request = mark_of(&words, &mail.subject);
        if self.brief && !brings {
            let did = match self.unproven(&writer.person, &request)? {
                Unproven::Answered => None,
                Unproven::NotNow => Some(Did::TooMuch),
                Unproven::Waits => Some(Did::Waiting),
            };
            if let Some(did) = did.filter(|_| !never_wanted(&lines, mail)) {
                self.waits = matches!(did, Did::Waiting);
                self.keep_known(&writer)?;
                self.log(&did, about);
                return Ok(());
            }
        }
        let is_told = self.withdrawn(&mut writer, mail)? && commands::read(&lines, &mail.subject).is_none();
        let did = match seat {
            Some((game, side)) if is_same(&game.seats[side].address, &from) => {
                self.seat_letter(&mut writer, game, side, mail, &lines)?
            }
            Some((game, side)) => self.elsewhere(&mut writer, game, side, mail, &lines)?,
            None if is_told => Did::KeyWithdrawn,
            None => self.letter(&mut writer, mail, &lines)?,
        };
        if self.brief && !self.letters.is_empty() {
            self.note_unproven(&writer.person, &request)?;
        }
        if !self.forgot {
            self.keep_person(&writer.person);
        }
        self.log(&did, about);
        Ok(())
    }

    /// Keeps a letter until others have got their first letters; there is room for so many.
    pub(super) fn put_off(&mut self, name: &str, message: &[u8]) -> Result<(), Trouble> {
        let later = Path::new("later");
        if message.len() <= MOST_LATER.1 && self.names_in(later)?.len() < MOST_LATER.0 {
            self.touch(later.join(name), message);
        }
        Ok(())
    }

    /// Begins to count anew on a new day.
    fn today(&self, person: &mut Person) {
        let day = self.now.0.div_euclid(86_400);
        if person.day != day {
            (person.day, person.caused) = (day, 0);
            person.words.clear();
        }
    }

    /// Returns whether a letter is looked at: not if the same words have come several times today, as from a robot, or if its writer has
    /// caused as many letters as a day may have.
    fn may_go_on(&self, writer: &mut Writer, lines: &[String], subject: &str) -> bool {
        let person = &mut writer.person;
        if person.caused >= self.host.settings.letters_a_day {
            return false;
        }
        let mark = mark_of(lines, subject);
        match person.words.iter_mut().find(|(known, _)| *known == mark) {
            Some((_, count)) => {
                *count += 1;
                *count <= SAME_WORDS
            }
            None => {
                if person.words.len() < MOST_WORDS {
                    person.words.push((mark, 1));
                }
                true
            }
        }
    }

    /// Counts a letter that somebody has caused.
    pub(super) fn caused(&self, writer: &mut Writer) {
        writer.person.caused += 1;
    }

    /// Makes a letter: the one place from which anything leaves. `token` is for replies; no other token of anybody but the reader is in it.
    /// Returns its Message-ID, without angle brackets.
    pub(super) fn post(&mut self, to: (&str, &str), token: &str, words: &Words<'_>) -> String {
        let host = self.host;
        let from = host.reply_to(token);
        let nth = self.letters.len();
        let mark: String = format!("{}{nth}", self.mark.get(..20).unwrap_or(&self.mark));
        let local = hosted_id(words.stem, &mark);
        let text = self.leaving(if self.brief { briefly(words.text) } else { words.text }, to.1, token);
        let html = words.html.and_then(|html| self.leaving_html(html, to.1, token));
        let (name, subject) = (self.leaving(to.0, to.1, token), self.leaving(words.subject, to.1, token));
        let thread: Vec<String> =
            words.thread.iter().filter(|id| self.leaving(id, to.1, token) == **id).cloned().collect();
        let fits = |id: &String| !self.brief || id.len() <= BRIEF_ID;
        let thread: Vec<String> = thread.into_iter().filter(fits).collect();
        for one in words.attached {
            match one.is_page {
                true => self.expose_page(one.bytes),
                false => self.expose(one.bytes),
            }
        }
        let letter = HostLetter {
            from: Party { name: &host.name, address: &from },
            to: Party { name: &name, address: to.1 },
            subject: &self.marked(&subject, token),
            local: &local,
            thread: &thread,
            when: self.now.utc().unwrap_or_default(),
            text: &text,
            html: html.as_ref().or(words.html),
            cid: words.cid,
            attached: words.attached,
        };
        let id = letter.message_id().trim_matches(|c| "<>".contains(c)).to_owned();
        match letter.bytes() {
            Ok(bytes) => {
                self.log(&Did::LetterOwed, json!({"letter": local, "to": to.1}));
                let bytes = BASE64.encode(&bytes);
                self.letters.push(Kept { from, to: to.1.to_owned(), local, bytes });
            }
            Err(error) => self.log(&Did::NoLetterMade, json!({"to": to.1, "why": error.to_string()})),
        }
        id
    }

    /// A subject with the token, if an address cannot show it.
    pub(super) fn marked(&self, subject: &str, token: &str) -> String {
        match self.host.subject_mark(token) {
            mark if mark.is_empty() => subject.to_owned(),
            mark => format!("{subject} {mark}"),
        }
    }

    /// Adds a game to those of a person.
    pub(super) fn remember_game(person: &mut Person, id: &str) {
        if !person.games.iter().any(|known| known == id) {
            person.games.push(id.to_owned());
        }
        let surplus = person.games.len().saturating_sub(MOST_GAMES);
        person.games.drain(..surplus);
    }

    /// Notes that somebody cannot be reached, and tells those who play with this person. `tokens`: those to which the report was sent, if
    /// it came by mail; it counts only for what they are worth.
    pub(super) fn unreachable(&mut self, address: &str, tokens: Option<&[String]>) -> Result<(), Trouble> {
        let mut person = self.person(address)?;
        let mut games = Vec::new();
        match tokens {
            None => games.extend(person.games.iter().rev().take(50).cloned()),
            Some(tokens) => {
                let mut is_known = false;
                for token in tokens {
                    match self.read::<Worth>(&below("tokens", token))? {
                        Some(Worth::Seat(id, side)) => {
                            let Some(game) = self.game(&id)? else { continue };
                            let seat = game.seats.get(side).is_some_and(|seat| is_same(&seat.address, address));
                            if seat && self.seat_token(&game, side) == *token {
                                is_known = true;
                                games.push(id);
                            }
                        }
                        Some(Worth::Person(name)) => is_known |= self.is_named(address, &name),
                        None => {}
                    }
                }
                if !is_known {
                    return Ok(());
                }
            }
        }
        // Of somebody who is forgotten nothing is noted anew.
        if self.has_note(address)? {
            person.unreachable = true;
            self.keep_person(&person);
        }
        for id in games {
            let Some(mut game) = self.game(&id)? else { continue };
            let Some(side) = game.seat_of(address) else { continue };
            if game.seats[side].unreachable || !matches!(game.state, State::Running | State::Invited) {
                continue;
            }
            game.seats[side].unreachable = true;
            self.keep_game(&game);
            self.tell_unreachable(&game, side)?;
        }
        Ok(())
    }
}

/// What tells letters apart by what they say.
fn mark_of(lines: &[String], subject: &str) -> String {
    let said = format!("{subject}\n{}", lines.join("\n"));
    postrider_home::receive::received::Mark::of(&[said.as_bytes()]).hex().chars().take(8).collect()
}

/// Whether a letter asks for no letters any more, which costs none.
fn never_wanted(lines: &[String], mail: &Mail) -> bool {
    matches!(commands::read(lines, &mail.subject), Some((commands::Command::Never, _)))
}

/// As many whole lines of a text as go into a short letter.
fn briefly(text: &str) -> &str {
    let fits = text.split_inclusive('\n').scan(0, |length, line| {
        *length += line.len();
        Some(*length)
    });
    let end = fits.take_while(|length| *length <= BRIEF).last().unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// How a writer is called: by the name in the letter, otherwise by what stands before the `@`, up to the first sign.
fn name_of(mail: &Mail, address: &str) -> String {
    let name = if mail.name.contains('@') { String::new() } else { called::name(&mail.name) };
    if !name.is_empty() {
        return name;
    }
    let local = address.split('@').next().unwrap_or_default();
    let word: String = local.chars().take_while(|c| c.is_alphabetic()).take(20).collect();
    let mut chars = word.chars();
    chars.next().map_or_else(|| "A player".to_owned(), |first| first.to_uppercase().chain(chars).collect())
}
