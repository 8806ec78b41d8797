//! Jobs: what is to be done about one letter, or one clock, written down as a whole before anything of it is done. Whatever ends a run in
//! between, the next one finishes the same job, with the same bytes in each letter.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use super::did::Did;
use super::notes::Reading;
use super::work::Work;
use super::{Host, failed};
use postrider_board::report::harmless;
use postrider_disk::disk::{FileError, Mode};
use postrider_home::office::Trouble;
use postrider_home::send::transport::{SendError, SmtpStep};
use postrider_kernel::text::printable;
use postrider_mail::{Message, incoming};
use postrider_referee::record::Time;

/// The most bytes of a job.
const MOST: u64 = 256 << 20;
/// What `sendmail` says of a recipient that does not exist (EX_NOUSER of sysexits).
const NO_USER: i32 = 67;
/// From how many bytes on the older half of the log is dropped.
const LONGEST_LOG: u64 = 16 << 20;
/// The end of the name of the file that says how many letters of a job have gone.
const COUNT: &str = ".sent";

/// Whether a message is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Took {
    /// It is now in the host's keeping.
    New,
    /// It was taken before.
    Before,
}

/// What a run has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// How many letters were read.
    pub read: u32,
    /// How many letters were sent.
    pub sent: u32,
    /// How many could not be sent for now; the next run tries again.
    pub unsent: u32,
    /// How many letters and clocks could not be looked at because something is in the way for now.
    pub stuck: u32,
    /// How many letters are kept until the game that they are about can be played again.
    pub held: u32,
    /// How many games cannot be played, of which that was not said yet on this day.
    pub ailing: u32,
    /// Whether another run is at it, which does what is left.
    pub busy: bool,
}

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Job {
    /// Where its letters stand among others'.
    pub(super) order: String,
    /// The file of the message in the spool.
    pub(super) message: Option<String>,
    /// Files below the host's folder, with what is to be in them; without that they are removed.
    pub(super) files: Vec<(String, Option<String>)>,
    /// Records, which only ever grow: their ids, and the whole of them.
    pub(super) records: Vec<(String, String)>,
    /// Lines for the log.
    pub(super) log: Vec<String>,
    pub(super) letters: Vec<Kept>,
    /// The ids of games that lapse: their records, which have no entry, leave the folder of games.
    #[serde(default)]
    pub(super) lapsed: Vec<String>,
}

/// A letter that is owed.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) from: String,
    pub(super) to: String,
    /// The part of the Message-ID before the `@`.
    pub(super) local: String,
    /// Its bytes, in base64.
    pub(super) bytes: String,
}

impl Host<'_> {
    /// Does everything that is to be done now: what an earlier run left, the letters that were taken, the clocks that have run down, and
    /// the letters that are owed. `hear` is told each line of the log.
    ///
    /// # Errors
    /// If something cannot be read or written. What was done until then stands.
    pub fn run(&self, hear: &dyn Fn(&str)) -> Result<Done, Trouble> {
        self.run_after(Reading::Whole(self.office.now()), hear)
    }

    /// Like [`Self::run`], which is meant for when everything was taken that there is. `reading`: what was read before.
    ///
    /// # Errors
    /// As of [`Self::run`].
    pub fn run_after(&self, reading: Reading, hear: &dyn Fn(&str)) -> Result<Done, Trouble> {
        self.ready()?;
        let mut done = Done::default();
        let lock = match self.office.disk().lock(&self.root.join("lock")) {
            Err(FileError::Busy { .. }) => return Ok(Done { busy: true, ..done }),
            lock => lock.map_err(Trouble::File)?,
        };
        self.begin_run(reading)?;
        self.finish_job(hear)?;
        self.ask_the_unsure(hear)?;
        self.take_up_later()?;
        // Letters and games that cannot be looked at for now.
        let (mut stuck, mut still): (Vec<String>, Vec<String>) = Default::default();
        loop {
            self.tell_of_own_entries(hear)?;
            self.mended(&mut done, hear)?;
            let mut waiting = self.waiting("spool")?;
            waiting.retain(|name| !stuck.contains(name));
            for name in &waiting {
                let path = self.root.join("spool").join(name);
                let message = match self.office.disk().read(&path, incoming::MAX_MESSAGE as u64 + 1) {
                    Ok(message) => message,
                    Err(error) => {
                        hear(&said(&Did::NotRead, name, &failed(&path, error).to_string()));
                        stuck.push(name.clone());
                        continue;
                    }
                };
                let (time, mark) = name.split_once('-').unwrap_or(("0", name));
                let now = Time(time.parse().unwrap_or_default());
                let mut work = Work::new(self, now, mark);
                // What is wrong with one game does not hold up the others.
                if let Err(trouble) = work.message(incoming::read(&message)) {
                    match self.diagnosed(&work) {
                        Ok(Some((id, why))) => {
                            let (mut work, mail) = (Work::new(self, now, mark), incoming::read(&message));
                            done.ailing += u32::from(work.put_by(&id, &why, name, &mail, &message)?);
                            self.finish(work.into_job(Some(name.clone()))?, hear)?;
                            done.held += 1;
                        }
                        // Nothing is known of the letter if the disk does not tell.
                        Ok(None) | Err(_) => {
                            hear(&said(&Did::NotRead, name, &trouble.to_string()));
                            stuck.push(name.clone());
                        }
                    }
                    continue;
                }
                if work.waits {
                    work.put_off(name, &message)?;
                }
                self.finish(work.into_job(Some(name.clone()))?, hear)?;
                done.read += 1;
            }
            self.note_stuck(&stuck);
            let clocks = self.clocks(&mut done, &mut still, hear)?;
            self.send(&mut done, hear)?;
            if waiting.is_empty() && clocks == 0 {
                break;
            }
        }
        self.end_run()?;
        drop(lock);
        done.stuck = u32::try_from(stuck.len() + still.len()).unwrap_or(u32::MAX);
        Ok(done)
    }

    /// Finishes what an earlier run left.
    pub(super) fn finish_job(&self, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        let job = self.root.join("job");
        match self.job(&job)? {
            Some(left) => self.apply(&job, &left, hear),
            None => Ok(()),
        }
    }

    /// Writes a job down and does it.
    pub(super) fn finish(&self, job: Job, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        let path = self.root.join("job");
        let bytes = serde_json::to_vec(&job).map_err(|error| failed(&path, error))?;
        self.office.disk().put_private(&path, &bytes).map_err(Trouble::File)?;
        self.apply(&path, &job, hear)
    }

    pub(super) fn job(&self, path: &Path) -> Result<Option<Job>, Trouble> {
        let disk = self.office.disk();
        if !disk.has(path).map_err(|error| failed(path, error))? {
            return Ok(None);
        }
        let bytes = disk.read(path, MOST).map_err(|error| failed(path, error))?;
        serde_json::from_slice(&bytes).map(Some).map_err(|error| failed(path, error))
    }

    /// Does a job; doing it twice comes to the same.
    fn apply(&self, path: &Path, job: &Job, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        let disk = self.office.disk();
        let bytes = |text: &str| BASE64.decode(text.as_bytes()).map_err(|error| failed(path, error));
        for (id, record) in &job.records {
            if !self.write_record(id, &bytes(record)?)? {
                return self.set_aside(path, job, hear);
            }
        }
        for id in &job.lapsed {
            self.put_away(id)?;
        }
        for (name, content) in &job.files {
            let file = self.root.join(name);
            match content {
                Some(content) => {
                    if let Some(folder) = file.parent() {
                        disk.private_folder(folder).map_err(|error| failed(folder, error))?;
                    }
                    disk.put_private(&file, &bytes(content)?).map_err(Trouble::File)?;
                }
                None => {
                    disk.remove(&file).map_err(Trouble::File)?;
                }
            }
        }
        self.log(&job.log, hear)?;
        if let Some(name) = &job.message {
            disk.remove(&self.root.join("spool").join(name)).map_err(Trouble::File)?;
        }
        if job.letters.is_empty() {
            disk.remove(path).map_err(Trouble::File)?;
            return Ok(());
        }
        let outgoing = self.root.join("outgoing");
        disk.private_folder(&outgoing).map_err(|error| failed(&outgoing, error))?;
        disk.rename(path, &outgoing.join(&job.order)).map_err(Trouble::File)
    }

    /// Takes the record of a game that has lapsed out of the folder of games.
    fn put_away(&self, id: &str) -> Result<(), Trouble> {
        let (disk, file, to) = (self.office.disk(), self.record_file(id), self.lapsed_file(id));
        if !disk.has(&file).map_err(|error| failed(&file, error))? {
            return Ok(());
        }
        if let Some(folder) = to.parent() {
            disk.private_folder(folder).map_err(|error| failed(folder, error))?;
        }
        let record = disk.read_record(&file).map_err(|error| failed(&file, error))?;
        disk.put_private(&to, &record).map_err(Trouble::File)?;
        disk.remove(&file).map(drop).map_err(Trouble::File)
    }

    /// Where the record of a game that has lapsed is.
    pub(super) fn lapsed_file(&self, id: &str) -> PathBuf {
        self.root.join("lapsed").join(format!("{id}.pbem"))
    }

    /// Gives up a job because somebody has changed a record of it meanwhile: what the host would have written is kept, the letter is
    /// read again, and what comes of it then rests on what is there.
    fn set_aside(&self, path: &Path, job: &Job, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        let (disk, folder) = (self.office.disk(), self.root.join("aside"));
        disk.private_folder(&folder).map_err(|error| failed(&folder, error))?;
        for (id, record) in &job.records {
            let bytes = BASE64.decode(record.as_bytes()).map_err(|error| failed(path, error))?;
            disk.put_private(&folder.join(format!("{id}.pbem")), &bytes).map_err(Trouble::File)?;
            let line = serde_json::json!({
                "id": id, "did": Did::SetAside.to_string(), "file": folder.join(format!("{id}.pbem")),
            });
            self.log(&[line.to_string()], hear)?;
        }
        disk.remove(path).map_err(Trouble::File)?;
        Ok(())
    }

    /// Writes a record, which continues what is there. Returns whether it does.
    fn write_record(&self, id: &str, record: &[u8]) -> Result<bool, Trouble> {
        use postrider_disk::disk::FolderMode;
        let (disk, file) = (self.office.disk(), self.record_file(id));
        disk.folder(&self.games, FolderMode::Umask).map_err(|error| failed(&self.games, error))?;
        if !disk.has(&file).map_err(|error| failed(&file, error))? {
            return disk.create(&file, record, Mode::Umask).map(|()| true).map_err(Trouble::File);
        }
        let there = disk.read_record(&file).map_err(|error| failed(&file, error))?;
        if there == record {
            // A run that was killed may have left its name unflushed.
            return disk.keep_name(&file).map(|()| true).map_err(Trouble::File);
        }
        // It is never written over: only the end of it grows.
        if !record.starts_with(&there) {
            return Ok(false);
        }
        disk.replace(&file, &there, record).map(|()| true).map_err(Trouble::File)
    }

    fn log(&self, lines: &[String], hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        if lines.is_empty() {
            return Ok(());
        }
        let path = self.root.join("log.jsonl");
        self.shorten_log(&path)?;
        // An address may hold characters that would steer a terminal which shows the log.
        let lines: Vec<String> = lines.iter().map(|line| harmless(line.clone())).collect();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let mut file = self.office.disk().append(&path).map_err(|error| failed(&path, error))?;
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(|error| failed(&path, error))?;
        lines.iter().for_each(|line| hear(line));
        Ok(())
    }

    /// Drops the older half of the log once it is long.
    fn shorten_log(&self, path: &Path) -> Result<(), Trouble> {
        let disk = self.office.disk();
        let length = match disk.about(path) {
            Ok(about) => about.length,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(path, error)),
        };
        if length <= LONGEST_LOG {
            return Ok(());
        }
        let bytes = disk.read(path, u64::MAX).map_err(|error| failed(path, error))?;
        let newer = bytes.get(bytes.len() / 2..).unwrap_or_default();
        let begin = newer.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        disk.put_private(path, newer.get(begin..).unwrap_or_default()).map_err(Trouble::File)
    }

    /// The names of the files in a folder of the host's, in order.
    pub(super) fn waiting(&self, folder: &str) -> Result<Vec<String>, Trouble> {
        let folder = self.root.join(folder);
        let list = self.office.disk().list_if_there(&folder).map_err(|error| failed(&folder, error))?;
        let names = list.into_iter().filter_map(|one| one.name.into_string().ok());
        let mut names: Vec<String> =
            names.filter(|name| name.starts_with(|c: char| c.is_ascii_digit()) && !name.contains(COUNT)).collect();
        names.sort();
        Ok(names)
    }

    /// Sends what is owed, in order.
    fn send(&self, done: &mut Done, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        let disk = self.office.disk();
        done.unsent = 0;
        self.sweep()?;
        self.finish_forgetting()?;
        for name in self.waiting("outgoing")? {
            let path = self.root.join("outgoing").join(&name);
            let Some(job) = self.job(&path)? else { continue };
            let count = self.root.join("outgoing").join(format!("{name}{COUNT}"));
            // If the disk does not tell how many have gone, none goes twice.
            let noted = match disk.has(&count).map_err(|error| failed(&count, error))? {
                true => disk.read(&count, 32).map_err(|error| failed(&count, error))?,
                false => Vec::new(),
            };
            let before = String::from_utf8(noted).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
            let mut failure = None;
            for (nth, letter) in job.letters.iter().enumerate().skip(before) {
                // It was owed to somebody who is forgotten.
                if letter.to.is_empty() {
                    continue;
                }
                if !job.forgets() {
                    self.copy(&name, nth, letter)?;
                }
                match self.send_one(letter)? {
                    Sent::Yes => {
                        done.sent += 1;
                        self.log(&[said(&Did::Sent, &letter.local, "")], hear)?;
                    }
                    Sent::Never(why) => {
                        self.log(&[said(&Did::RefusedForGood, &letter.local, &why)], hear)?;
                        self.unreachable(&letter.to, hear)?;
                    }
                    Sent::NotNow(why) => {
                        failure = Some((nth, why));
                        break;
                    }
                }
                if nth + 1 < job.letters.len() {
                    disk.put_private(&count, format!("{}\n", nth + 1).as_bytes()).map_err(Trouble::File)?;
                }
            }
            match failure {
                None => {
                    disk.remove(&path).map_err(Trouble::File)?;
                    disk.remove(&count).map_err(Trouble::File)?;
                }
                Some((nth, why)) => {
                    let left = job.letters.len() - nth;
                    done.unsent += u32::try_from(left).unwrap_or(u32::MAX);
                    hear(&said(&Did::NotSent, &name, &why));
                }
            }
        }
        Ok(())
    }

    /// Removes the counts that a run has left that was killed after the last letter of a job.
    fn sweep(&self) -> Result<(), Trouble> {
        let (disk, folder) = (self.office.disk(), self.root.join("outgoing"));
        let list = disk.list_if_there(&folder).map_err(|error| failed(&folder, error))?;
        let names: HashSet<String> = list.into_iter().filter_map(|one| one.name.into_string().ok()).collect();
        for name in &names {
            if name.strip_suffix(COUNT).is_some_and(|job| !names.contains(job)) {
                disk.remove(&folder.join(name)).map_err(Trouble::File)?;
            }
        }
        Ok(())
    }

    /// Keeps a copy of a letter, if the settings say so, from which a host that came from a backup reads back what it has sent.
    fn copy(&self, order: &str, nth: usize, letter: &Kept) -> Result<(), Trouble> {
        let Some(folder) = &self.settings.copies else { return Ok(()) };
        let disk = self.office.disk();
        disk.private_folder(folder).map_err(|error| failed(folder, error))?;
        let bytes = BASE64.decode(letter.bytes.as_bytes()).map_err(|error| Trouble::of(error.to_string()))?;
        disk.put_private(&folder.join(format!("{order}-{nth}.eml")), &bytes).map_err(Trouble::File)
    }

    fn send_one(&self, letter: &Kept) -> Result<Sent, Trouble> {
        let bytes = BASE64.decode(letter.bytes.as_bytes()).map_err(|error| Trouble::of(error.to_string()))?;
        let message = match Message::kept(bytes, &letter.from, &letter.to, &letter.local) {
            Ok(message) => message,
            Err(error) => return Ok(Sent::Never(error.to_string())),
        };
        Ok(match self.office.hand_over(&message)? {
            Ok(_) => Sent::Yes,
            Err(SendError::Smtp { step: SmtpStep::Recipient, said, .. }) if said.trim_start().starts_with('5') => {
                Sent::Never(said)
            }
            Err(SendError::Program { status, said, .. }) if status.code() == Some(NO_USER) => Sent::Never(said),
            Err(error) => Sent::NotNow(error.to_string()),
        })
    }

    /// Notes that somebody cannot be reached.
    fn unreachable(&self, address: &str, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        let mark = postrider_home::receive::received::Mark::of(&[b"unreachable", address.as_bytes()]).hex();
        let mut work = Work::new(self, self.office.now(), &mark);
        work.unreachable(address, None)?;
        self.finish(work.into_job(None)?, hear)
    }
}

/// What became of a letter.
enum Sent {
    Yes,
    /// It will never be taken.
    Never(String),
    /// The next run tries again.
    NotNow(String),
}

/// A line of the log about a letter.
pub(super) fn said(did: &Did, letter: &str, why: &str) -> String {
    let why = (!why.is_empty()).then(|| printable(why).into_owned());
    serde_json::json!({"letter": letter, "did": did.to_string(), "why": why}).to_string()
}

/// The path of a file below the host's folder as a job names it.
pub(super) fn below(folder: &str, name: &str) -> PathBuf {
    Path::new(folder).join(name.get(..2).unwrap_or("xx")).join(name)
}
