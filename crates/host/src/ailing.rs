//! Games that cannot be played for now: the record is missing, damaged or illegal, or a secret of the host's cannot be used. Letters about
//! such a game are kept and its clock stands still until it is mended; other games do not notice. An error of the disk is something
//! else: nothing is known then of the game, and the letter is read again.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::did::Did;
use super::jobs::Done;
use super::letters::Saying;
use super::notes::{Game, State};
use super::overview::AilingRow;
use super::work::Work;
use super::{Host, failed, token};
use postrider_home::office::Trouble;
use postrider_home::receive::received::Mark;
use postrider_home::{hosting, records};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::incoming::Mail;
use postrider_referee::desk::{Desk, Refusal};
use postrider_referee::record::Time;
use postrider_referee::sealing::Check;
use postrider_referee::verdict::{Opened, Ruling};
use postrider_vault::kept::{Secrets, SecretsError};

/// The most letters that are kept for a game that cannot be played.
const MOST_HELD: usize = 200;

/// What is noted of a game that cannot be played.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Ailing {
    /// Why, in words.
    why: String,
    /// Since when that is known.
    since: i64,
    /// Which sides were told.
    told: [bool; 2],
    /// The day, counted from 1970, on which whoever runs the host was told last.
    day: Option<i64>,
}

/// The folder of letters that wait for a game to be mended.
fn held(id: &str) -> PathBuf {
    Path::new("held").join(id)
}

fn note(id: &str) -> PathBuf {
    Path::new("ailing").join(id)
}

/// How carefully a game is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// For lists: signatures are not checked.
    Quick,
    /// As before an entry.
    Thorough,
}

impl Host<'_> {
    /// Says why a game cannot be played, if so.
    ///
    /// # Errors
    /// If the disk does not tell: that is no fault of the game.
    pub(super) fn fault_of(&self, id: &str, look: Look) -> Result<Option<String>, Trouble> {
        let work = Work::new(self, self.office.now(), "");
        let noted = match work.game_or_damage(id)? {
            Ok(Some(game)) => game,
            Ok(None) => return Ok(Some("there is no note of it".to_owned())),
            Err(why) => return Ok(Some(format!("its note is damaged: {why}"))),
        };
        self.fault_of_noted(id, &noted, look)
    }

    /// The same of a game whose note was read.
    fn fault_of_noted(&self, id: &str, noted: &Game, look: Look) -> Result<Option<String>, Trouble> {
        if !matches!(noted.state, State::Running | State::Over) {
            return Ok(None);
        }
        if let Some(since) = self.unsure(noted)? {
            return Ok(Some(format!(
                "it came from the backup of {since}, and it is not known yet whether entries were made since (host restore)"
            )));
        }
        self.damage(id, noted, look)
    }

    /// Says what is wrong with the record of a game, or with its secrets.
    fn damage(&self, id: &str, noted: &Game, look: Look) -> Result<Option<String>, Trouble> {
        let file = self.record_file(id);
        let record = match self.office.disk().read_record(&file) {
            Ok(record) => record,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Some(format!("its record is missing: {}", file.display())));
            }
            Err(error) => return Err(failed(&file, error)),
        };
        let opened = match opened(&record, look) {
            Ok(opened) => opened,
            Err(why) => return Ok(Some(format!("its record is {why}: {}", file.display()))),
        };
        if opened.header.id != id {
            return Ok(Some(format!("its record is that of another game: {}", file.display())));
        }
        let entries = opened.table.standing().entries;
        if entries < noted.reminded.0 {
            return Ok(Some(format!(
                "its record has lost entries, {entries} of {} are left: {}",
                noted.reminded.0,
                file.display()
            )));
        }
        if opened.header.host.is_some() && !hosting::keeps(self.office, &opened.header) {
            return Ok(Some(format!("its record names another key than that of this host: {}", file.display())));
        }
        self.secret_fault(&opened)
    }

    /// Says what is wrong with the secrets that the host keeps for a game.
    fn secret_fault(&self, opened: &Opened<'_>) -> Result<Option<String>, Trouble> {
        let Some(seals) = opened.table.seals() else { return Ok(None) };
        let secrets = Secrets::new(self.office.folders()).of_both(true);
        for side in Side::BOTH.into_iter().filter(|side| hosting::is_kept(opened, *side)) {
            let word = opened.header.info.sides[side.index()].word;
            match secrets.read_for(&opened.header.id, word, &opened.game_hash()) {
                Ok(Some(_)) => {}
                Ok(None) if seals.commitment(side).is_none() => {}
                Ok(None) => return Ok(Some(format!("the secret of {word} is missing"))),
                Err(error @ (SecretsError::Io(..) | SecretsError::File(_))) => return Err(error.into()),
                Err(error) => return Ok(Some(error.to_string())),
            }
        }
        Ok(None)
    }

    /// Lists the games that cannot be played.
    ///
    /// # Errors
    /// If the notes cannot be read.
    pub fn ailing(&self, thorough: bool) -> Result<Vec<AilingRow>, Trouble> {
        self.ailing_of(&self.all::<Game>("games")?, thorough)
    }

    /// Lists those of all games that cannot be played; each record is read once.
    pub(super) fn ailing_of(&self, games: &[Game], thorough: bool) -> Result<Vec<AilingRow>, Trouble> {
        let look = if thorough { Look::Thorough } else { Look::Quick };
        let mut looked_at: BTreeMap<String, Option<&Game>> =
            self.names("ailing")?.into_iter().map(|id| (id, None)).collect();
        let running = games.iter().filter(|game| game.state == State::Running);
        looked_at.extend(running.map(|game| (game.id.clone(), Some(game))));
        let mut rows = Vec::new();
        for (id, noted) in looked_at {
            let found = match noted {
                Some(noted) => self.fault_of_noted(&id, noted, look),
                None => self.fault_of(&id, look),
            };
            let why = match found {
                Ok(found) => found,
                Err(trouble) => Some(trouble.to_string()),
            };
            if let Some(why) = why {
                let letters = self.waiting(&held(&id).to_string_lossy())?.len();
                rows.push(AilingRow { id, why, letters });
            }
        }
        Ok(rows)
    }

    /// The names in a folder of the host's.
    pub(super) fn names(&self, folder: &str) -> Result<Vec<String>, Trouble> {
        let folder = self.root.join(folder);
        let list = self.office.disk().list_if_there(&folder).map_err(|error| failed(&folder, error))?;
        let mut names: Vec<String> = list.into_iter().filter_map(|one| one.name.into_string().ok()).collect();
        names.retain(|name| postrider_referee::record::is_game_id(name));
        names.sort();
        Ok(names)
    }

    /// Finds out which of the games that a work has read cannot be played, after it has failed.
    pub(super) fn diagnosed(&self, work: &Work<'_, '_>) -> Result<Option<(String, String)>, Trouble> {
        for id in work.looked_at() {
            // A letter about an unsure game is kept because it says nothing about that, not because the disk has failed under its answer.
            let found = match work.game_or_damage(&id)? {
                Ok(Some(game)) if !work.is_to_be_kept && self.unsure(&game)?.is_some() => {
                    self.damage(&id, &game, Look::Thorough)?
                }
                _ => self.fault_of(&id, Look::Thorough)?,
            };
            if let Some(why) = found {
                return Ok(Some((id, why)));
            }
        }
        Ok(None)
    }

    /// Takes up the games that were mended: their letters are read, and the time in between is nobody's. Whoever runs the host is reminded
    /// of the others once a day.
    pub(super) fn mended(&self, done: &mut Done, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        for id in self.names("ailing")? {
            match self.fault_of(&id, Look::Thorough) {
                Ok(None) => {}
                // Both players of an unsure game were asked, and nobody else can do anything.
                Ok(Some(why)) => {
                    if !self.is_unsure(&id)? {
                        self.ails(&id, &why, done, hear)?;
                    }
                    continue;
                }
                // What the disk does not tell is looked at again by the next run.
                Err(_) => continue,
            }
            let now = self.office.now();
            let mut work = Work::new(self, now, &Mark::of(&[b"mended", id.as_bytes(), &now.0.to_be_bytes()]).hex());
            work.mend(&id)?;
            let folder = held(&id);
            let spool = self.root.join("spool");
            self.office.disk().private_folder(&spool).map_err(|error| failed(&spool, error))?;
            for name in self.waiting(&folder.to_string_lossy())? {
                let from = self.root.join(&folder).join(&name);
                self.office.disk().rename(&from, &spool.join(&name)).map_err(Trouble::File)?;
            }
            self.finish(work.into_job(None)?, hear)?;
        }
        Ok(())
    }

    fn is_unsure(&self, id: &str) -> Result<bool, Trouble> {
        let work = Work::new(self, self.office.now(), "");
        match work.game_or_damage(id)? {
            Ok(Some(game)) => Ok(self.unsure(&game)?.is_some()),
            _ => Ok(false),
        }
    }

    /// Notes that a game cannot be played, and tells whoever runs the host so once a day.
    pub(super) fn ails(&self, id: &str, why: &str, done: &mut Done, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        let now = self.office.now();
        let mark = Mark::of(&[b"ailing", id.as_bytes(), &now.0.to_be_bytes()]).hex();
        let mut work = Work::new(self, now, &mark);
        if work.note_ailing(id, why, now)? {
            done.ailing += 1;
            self.finish(work.into_job(None)?, hear)?;
        }
        Ok(())
    }
}

/// Opens a record and replays it; otherwise what is wrong with it.
fn opened(record: &[u8], look: Look) -> Result<Opened<'_>, String> {
    if look == Look::Quick {
        let mut opened = Opened::new(record).map_err(|verdict| verdict.to_string())?;
        opened.table.set_check(Check::Nothing);
        let verdict = opened.replay(u32::MAX);
        return if verdict.ruling == Ruling::Legal { Ok(opened) } else { Err(verdict.to_string()) };
    }
    Desk::open(record).map(|desk| desk.opened).map_err(|refusal| match refusal {
        Refusal::Record(verdict) => verdict.to_string(),
        refusal => refusal.to_string(),
    })
}

impl Work<'_, '_> {
    /// Notes that a game cannot be played. Returns whether whoever runs the host is told by it: on the first time of a day.
    fn note_ailing(&mut self, id: &str, why: &str, now: Time) -> Result<bool, Trouble> {
        let day = now.0.div_euclid(86_400);
        let known: Option<Ailing> = self.read(&note(id))?;
        let mut ailing = known.clone().unwrap_or_else(|| Ailing { since: now.0, ..Ailing::default() });
        let is_news = ailing.day != Some(day);
        if is_news {
            ailing.day = Some(day);
            self.log(&Did::Ailing, json!({"id": id, "why": printable(why)}));
            self.tell_operator(id, why, ailing.since);
        }
        if is_news || ailing.why != why {
            why.clone_into(&mut ailing.why);
            self.write(note(id), &ailing);
        }
        Ok(is_news)
    }

    /// Writes to whoever runs the host.
    fn tell_operator(&mut self, id: &str, why: &str, since: i64) {
        let Some(address) = self.host.settings.operator.clone() else { return };
        let said = format!(
            "The game {id} cannot be played since {}: {why}. Letters about it are kept, and its clock is stopped. Restore its record from a \
             backup; the next run then goes on by itself. \"postrider host status\" lists all such games.",
            Time(since)
        );
        self.tell_of_host(
            &address,
            &format!("A game cannot be played: {id}"),
            Saying::of([printable(&said).into_owned()]),
        );
    }

    /// Keeps a letter about a game that cannot be played, and tells its writer so once. `name`: the letter's file in the spool.
    pub(super) fn put_by(
        &mut self,
        id: &str,
        why: &str,
        name: &str,
        mail: &Mail,
        message: &[u8],
    ) -> Result<bool, Trouble> {
        self.seen()?;
        let is_news = self.note_ailing(id, why, self.host.office.now())?;
        let shown_from = mail.from.as_deref().map(|from| self.without_tokens(from));
        let about = json!({"letter": mail.message_id, "from": shown_from, "id": id});
        let (noted, from) = (self.game_or_damage(id)?, mail.from.as_deref().unwrap_or_default());
        let shown = token::tokens(&mail.sent_to, &mail.subject);
        let side = match &noted {
            Ok(Some(game)) => game.seat_of(from).filter(|side| shown.contains(&self.seat_token(game, *side))),
            _ => None,
        };
        let count = self.host.waiting(&held(id).to_string_lossy())?.len();
        // Anybody can write about a game; only its players' letters are worth keeping, as far as it is known who they are.
        if side.is_none() && noted.is_ok() || count >= MOST_HELD {
            self.log(&Did::AilingNotTaken, about);
            return Ok(is_news);
        }
        self.touch(held(id).join(name), message);
        self.log(&Did::AilingKept, about);
        let (Ok(Some(game)), Some(side)) = (noted, side) else { return Ok(is_news) };
        let Some(mut ailing) = self.read::<Ailing>(&note(id))?.filter(|ailing| !ailing.told[side] && !mail.auto) else {
            return Ok(is_news);
        };
        ailing.told[side] = true;
        self.write(note(id), &ailing);
        let is_unsure = self.host.unsure(&game)?.is_some();
        let said = format!(
            "Your letter about {id} has arrived and is kept. This host was restored from a backup and may lack entries of that game. Please \
             answer the letter that asks about it. Your letter is read when the game goes on; until then nobody's time runs."
        );
        let damaged = format!(
            "Your letter about {id} has arrived and is kept. The record of that game cannot be used for now, and the person who runs this \
             host knows it. Your letter is read when that is repaired. Until then nobody's time runs, and you need do nothing."
        );
        self.tell(from, "Your letter is kept", Saying::of([if is_unsure { said } else { damaged }]))?;
        Ok(is_news)
    }

    /// Notes that a game is unsure, so that its clock stands still. `last`: the time of its last entry.
    pub(super) fn doubt(&mut self, id: &str, since: &str, last: Time) {
        let day = Some(self.now.0.div_euclid(86_400));
        let why = format!("it came from the backup of {since}");
        self.write(note(id), &Ailing { why, since: last.0, told: [false; 2], day });
    }

    /// Lets the time until now, in which an unsure game stood still, be nobody's: whatever is read next counts on it.
    pub(super) fn counts_no_time(&mut self, game: &mut Game) -> Result<(), Trouble> {
        let Some(mut ailing) = self.read::<Ailing>(&note(&game.id))? else { return Ok(()) };
        game.stood_still(ailing.since, self.now.0);
        ailing.since = ailing.since.max(self.now.0);
        self.write(note(&game.id), &ailing);
        Ok(())
    }

    /// Whether a game is noted as one that cannot be played, and was not taken up again yet.
    pub(super) fn ails_still(&self, id: &str) -> Result<bool, Trouble> {
        self.is_on_disk(&note(id))
    }

    /// A game that was mended goes on: how long it could not be played does not count.
    fn mend(&mut self, id: &str) -> Result<(), Trouble> {
        let ailing: Option<Ailing> = self.read(&note(id))?;
        self.remove(note(id));
        let Some(mut game) = self.game(id)? else { return Ok(()) };
        self.log(&Did::Mended, json!({"id": id}));
        if game.state == State::Running {
            let record = self.record(id)?;
            let desk = records::on_desk(&record, id)?;
            if let Some(ailing) = ailing {
                game.stood_still(ailing.since, self.now.0);
            }
            self.schedule(&mut game, &desk.opened);
        }
        self.keep_game(&game);
        Ok(())
    }
}
