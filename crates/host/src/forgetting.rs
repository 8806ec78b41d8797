//! Somebody is forgotten: everything about the address goes but what is in records, and that no letters are wanted. What stands outside the
//! notes (letters that wait or are owed, copies, lines of the log) is gone through after them; until that is done a file says that it is to be.

use std::path::{Path, PathBuf};

use super::called;
use super::did::Did;
use super::jobs::{Job, below};
use super::letters::Saying;
use super::notes::{Game, Seat, State};
use super::work::{Work, Writer};
use super::{Host, failed};
use postrider_board::report::harmless;
use postrider_home::office::Trouble;
use postrider_home::receive::received::Mark;
use postrider_mail::address::{in_ascii, in_unicode, is_same};
use postrider_mail::incoming;
use postrider_mail::incoming::Mail;
use serde_json::Value;

/// The most bytes of a log that is read.
const MOST_LOG: u64 = 1 << 30;
/// The most bytes of a file that says who is still to be taken out of letters: the address, and the ids of the games, a line each.
const MOST_NOTED: u64 = 16 << 20;
/// The folder of files that hold the addresses which are still to be taken out of letters and of the log.
const FOLDER: &str = "forgetting";

impl Job {
    /// Whether somebody is forgotten by it: of its letters no copies are kept.
    pub(super) fn forgets(&self) -> bool {
        self.files.iter().any(|(path, _)| Path::new(path).starts_with(FOLDER))
    }
}

impl Host<'_> {
    /// Forgets a person: everything about the address but what is in records. That no letters are wanted is still known, by a note without
    /// the address. Returns whether the address was known.
    ///
    /// # Errors
    /// If the notes cannot be read or written, or another run is at it.
    pub fn forget(&self, address: &str, hear: &dyn Fn(&str)) -> Result<bool, Trouble> {
        self.ready()?;
        let lock = self.office.disk().lock(&self.root.join("lock")).map_err(Trouble::File)?;
        self.finish_job(hear)?;
        let now = self.office.now();
        let mut work = Work::new(self, now, &Mark::of(&[b"forget", address.as_bytes(), &now.0.to_be_bytes()]).hex());
        let known = work.forget(address)?;
        self.finish(work.into_job(None)?, hear)?;
        self.finish_forgetting()?;
        drop(lock);
        Ok(known)
    }

    /// Takes those who were forgotten out of the letters that are owed and out of the log.
    pub(super) fn finish_forgetting(&self) -> Result<(), Trouble> {
        let disk = self.office.disk();
        for name in self.waiting(FOLDER)? {
            let path = self.root.join(FOLDER).join(&name);
            let bytes = disk.read(&path, MOST_NOTED).map_err(|error| failed(&path, error))?;
            let noted = String::from_utf8_lossy(&bytes);
            let mut lines = noted.lines();
            let address = lines.next().unwrap_or_default();
            let games: Vec<&str> = lines.collect();
            self.owe_nothing(address, &name)?;
            self.read_nothing(address)?;
            self.forget_copies(address, &games)?;
            self.forget_in_log(address)?;
            disk.remove(&path).map_err(Trouble::File)?;
        }
        Ok(())
    }

    /// Removes the letters that are owed to an address, but for the one that says so; where others of the same job stand does not change.
    fn owe_nothing(&self, address: &str, forgetting: &str) -> Result<(), Trouble> {
        let disk = self.office.disk();
        for name in self.waiting("outgoing")?.into_iter().filter(|name| name != forgetting) {
            let path = self.root.join("outgoing").join(&name);
            let Some(mut job) = self.job(&path)? else { continue };
            let mut is_owed = false;
            for letter in job.letters.iter_mut().filter(|letter| is_same(&letter.to, address)) {
                is_owed = true;
                letter.to.clear();
                letter.bytes.clear();
            }
            if is_owed {
                // What was noted is done; only letters are left of it.
                (job.files, job.records, job.log) = Default::default();
                let bytes = serde_json::to_vec(&job).map_err(|error| failed(&path, error))?;
                disk.put_private(&path, &bytes).map_err(Trouble::File)?;
            }
        }
        Ok(())
    }

    /// Removes the letters from an address that wait until others have got their first letters, or until a game can be played again.
    fn read_nothing(&self, address: &str) -> Result<(), Trouble> {
        let is_theirs = |mail: &Mail| mail.from.as_deref().is_some_and(|from| is_same(from, address));
        self.remove_messages(&self.root.join("later"), &is_theirs)?;
        for id in self.names("held")? {
            self.remove_messages(&self.root.join("held").join(id), &is_theirs)?;
        }
        Ok(())
    }

    /// Removes the copies of letters that went to an address, or show it, and of those to others about somebody's games that bring no record,
    /// from which nothing can be brought back.
    fn forget_copies(&self, address: &str, games: &[&str]) -> Result<(), Trouble> {
        let Some(folder) = &self.settings.copies else { return Ok(()) };
        let forms = [address.to_lowercase(), in_ascii(address).to_lowercase(), in_unicode(address).to_lowercase()];
        self.remove_messages(folder, &|mail: &Mail| {
            let text = mail.text.as_ref().map(|text| text.text.as_str()).unwrap_or_default();
            let shown = format!("{}\n{text}", mail.sent_to).to_lowercase();
            let is_talk = || !mail.brings_entries() && games.iter().any(|id| mail.subject.contains(id));
            forms.iter().any(|form| shown.contains(form)) || is_talk()
        })
    }

    /// Removes those messages in a folder that are to go.
    fn remove_messages(&self, folder: &Path, goes: &dyn Fn(&Mail) -> bool) -> Result<(), Trouble> {
        let disk = self.office.disk();
        let list = disk.list_if_there(folder).map_err(|error| failed(folder, error))?;
        let names = list.into_iter().filter_map(|one| one.name.into_string().ok());
        for name in names.filter(|name| name.starts_with(|c: char| c.is_ascii_digit())) {
            let path = folder.join(name);
            let message = disk.read(&path, incoming::MAX_MESSAGE as u64 + 1).map_err(|error| failed(&path, error))?;
            if goes(&incoming::read(&message)) {
                disk.remove(&path).map_err(Trouble::File)?;
            }
        }
        Ok(())
    }

    /// Removes an address from the log.
    fn forget_in_log(&self, address: &str) -> Result<(), Trouble> {
        let path = self.root.join("log.jsonl");
        let disk = self.office.disk();
        if !disk.has(&path).map_err(|error| failed(&path, error))? {
            return Ok(());
        }
        let bytes = disk.read(&path, MOST_LOG).map_err(|error| failed(&path, error))?;
        let text = String::from_utf8_lossy(&bytes);
        let without = |line: &str| {
            let Ok(Value::Object(mut fields)) = serde_json::from_str(line) else {
                return format!("{line}\n");
            };
            fields.retain(|_, value| !value.as_str().is_some_and(|text| is_same(text, address)));
            harmless(format!("{}\n", Value::Object(fields)))
        };
        let cleaned: String = text.lines().map(without).collect();
        if cleaned.as_bytes() == bytes {
            return Ok(());
        }
        disk.put_private(&path, cleaned.as_bytes()).map_err(Trouble::File)
    }
}

impl Work<'_, '_> {
    /// Somebody wants to be forgotten. Whoever plays is told first in which games.
    pub(super) fn forget_me(&mut self, writer: &mut Writer, mail: &Mail) -> Result<Did, Trouble> {
        let games = self.plays_in(&writer.person.address)?;
        if !games.is_empty() {
            let (lines, taps) = self.going_on(&games)?;
            let mut saying = Saying::of([
                "Nothing is forgotten yet: somebody waits for you in these games. Please give each of them up, or wait for its end, and write \
                 \"forget me\" again. You give a game up at once if it is your turn, otherwise with your next entry."
                    .to_owned(),
            ]);
            saying.block = Some(lines.join("\n"));
            saying.taps = taps;
            self.say(writer, Some(mail), "Your games go on", saying)?;
            return Ok(Did::PlaysStill);
        }
        let said =
            "Everything about you is forgotten here, except what is in the records of games. This is the last letter."
                .to_owned();
        if !self.silent && !writer.person.never {
            self.note(&mut writer.person.clone(), mail.message_id.as_deref(), "You are forgotten", Saying::of([said]));
        }
        self.forget(&writer.person.address.clone())?;
        self.forgot = true;
        Ok(Did::Forgotten)
    }

    /// All games that somebody plays, with the side, whatever else is noted of them.
    fn plays_in(&self, address: &str) -> Result<Vec<(Game, usize)>, Trouble> {
        let mut list = Vec::new();
        for game in self.host.all::<Game>("games")? {
            // A damaged note keeps nobody from leaving.
            let Ok(Some(game)) = self.game_or_damage(&game.id)? else { continue };
            if let Some(side) = game.seat_of(address).filter(|_| game.state == State::Running) {
                list.push((game, side));
            }
        }
        Ok(list)
    }

    /// Removes an address from all notes. Returns whether it was known.
    fn forget(&mut self, address: &str) -> Result<bool, Trouble> {
        let mut person = self.person(address)?;
        let mut known = person.written > 0 || person.answered || !person.games.is_empty();
        let mut noted = address.to_owned();
        self.leave_lists(&mut person)?;
        for game in self.host.all::<Game>("games")? {
            let Some(mut game) = self.game(&game.id)? else { continue };
            let watched = game.watchers.len();
            game.watchers.retain(|watcher| !is_same(watcher, address));
            let mut is_in = game.watchers.len() != watched;
            for seat in &mut game.seats {
                let open = seat.moves.len();
                seat.moves.retain(|one| !is_same(&one.address, address));
                is_in |= seat.moves.len() != open;
            }
            if let Some(side) = game.seat_of(address) {
                is_in = true;
                noted.push('\n');
                noted.push_str(&game.id);
                // What would have been written in it is not needed: the letter was read again.
                self.remove(Path::new("aside").join(format!("{}.pbem", game.id)));
                self.empty_seat(&mut game, side)?;
            }
            if is_in {
                known = true;
                self.keep_game(&game);
            }
        }
        self.forget_in_table(address)?;
        self.forget_mailbox(address)?;
        let token = self.token_of_person(&person);
        self.remove(below("tokens", &token));
        self.forget_person(address, person.never, person.never_until);
        let file = self.order();
        self.touch(Path::new(FOLDER).join(file), noted.as_bytes());
        Ok(known)
    }

    /// Lets nobody sit where somebody sat who is forgotten; the opponent is told what becomes of the game.
    fn empty_seat(&mut self, game: &mut Game, side: usize) -> Result<(), Trouble> {
        match game.state {
            State::Invited => self.declined(game, side)?,
            State::Running => self.tell_gone(game, side)?,
            State::Over | State::Declined | State::Lapsed => {}
        }
        let seat = &mut game.seats[side];
        *seat = Seat {
            address: "nobody@postrider.invalid".to_owned(),
            name: called::NOBODY.to_owned(),
            unreachable: true,
            // No token of before is worth anything.
            generation: seat.generation + 1,
            ..Seat::default()
        };
        (game.foreseen[side], game.resigns[side]) = (None, false);
        Ok(())
    }

    /// Counts somebody's games from now on as those of a player without a name, whom nothing ties to the address.
    fn forget_in_table(&mut self, address: &str) -> Result<(), Trouble> {
        let mut table = self.table()?;
        let names: Vec<String> =
            self.names_of(address).into_iter().filter(|name| table.rows.contains_key(name)).collect();
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            let Some(mut row) = table.rows.remove(&name) else { continue };
            called::NOBODY.clone_into(&mut row.name);
            let bytes = self.host.office.random::<10>().map_err(Trouble::of)?;
            table.rows.insert(data_encoding::BASE32_NOPAD.encode(&bytes).to_ascii_lowercase(), row);
        }
        self.write(PathBuf::from("standings"), &table);
        Ok(())
    }
}
