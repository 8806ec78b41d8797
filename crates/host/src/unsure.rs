//! A host that came from a backup: of a running game nobody knows whether entries were made since, and a second signed entry for one turn
//! would prove that the host plays two games at once. Such a game is *unsure*: its letters are kept, nothing is entered and nothing
//! claimed, until both players have said that they have nothing newer, a longer record comes, whose entries prove themselves (Z38), or
//! whoever runs the host says that nothing was made elsewhere.

use postrider_home::own_game::OwnGame;
use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::commands::Command;
use super::did::Did;
use super::letters::{Beside, Saying};
use super::notes::{Game, State};
use super::people::tap;
use super::work::{Work, Writer};
use super::{Host, failed};
use postrider_home::keys::Keys;
use postrider_home::office::Trouble;
use postrider_home::receive::received::Mark;
use postrider_home::{hosting, records};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::incoming;
use postrider_mail::incoming::Mail;
use postrider_referee::desk::Desk;
use postrider_referee::verdict::Opened;
use postrider_vault::backup::restored::Restored;

/// The longest legal record of each game among messages.
#[derive(Default)]
pub struct Longest(BTreeMap<String, Vec<u8>>);

impl Longest {
    /// Looks for records in a message.
    pub fn look_into(&mut self, message: &[u8]) {
        for record in incoming::read(message).records {
            let Ok(id) = Opened::new(&record).map(|opened| opened.header.id.clone().into_owned()) else { continue };
            let is_longer = self.0.get(&id).is_none_or(|there| there.len() < record.len());
            if is_longer && Desk::open(&record).is_ok() {
                self.0.insert(id, record);
            }
        }
    }
}

impl Host<'_> {
    /// When the backup was taken from which a game came, if it is unsure.
    ///
    /// # Errors
    /// If the disk does not tell.
    pub(super) fn unsure(&self, game: &Game) -> Result<Option<String>, Trouble> {
        if game.state != State::Running {
            return Ok(None);
        }
        let restored = Restored::new(self.office.folders());
        let list = restored.read().map_err(|error| failed(&self.office.folders().restored(), error))?;
        let since = list.since(&game.id);
        Ok(since.filter(|since| game.sure.as_ref() != Some(since)))
    }

    /// The running games that are unsure.
    ///
    /// # Errors
    /// If the notes cannot be read.
    fn unsure_games(&self) -> Result<Vec<Game>, Trouble> {
        // Without a restored backup there is nothing to look through.
        let list = self.office.folders().restored();
        if !self.office.disk().has(&list).map_err(|error| failed(&list, error))? {
            return Ok(Vec::new());
        }
        let mut unsure = Vec::new();
        for game in self.all::<Game>("games")? {
            if self.unsure(&game)?.is_some() {
                unsure.push(game);
            }
        }
        Ok(unsure)
    }

    /// Asks both players of each game that has become unsure whether they have anything newer, once.
    pub(super) fn ask_the_unsure(&self, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        for game in self.unsure_games()?.into_iter().filter(|game| game.asked.is_none()) {
            let now = self.office.now();
            let mut work =
                Work::new(self, now, &Mark::of(&[b"unsure", game.id.as_bytes(), &now.0.to_be_bytes()]).hex());
            // What cannot be read is not asked about; the list of games says why.
            if work.ask(game).and_then(|()| work.renew()).is_ok() {
                self.finish(work.into_job(None)?, hear)?;
            }
        }
        Ok(())
    }

    /// Says how many games are unsure, of those that are named, or of all.
    ///
    /// # Errors
    /// If the notes cannot be read.
    pub fn doubted(&self, only: Option<&str>) -> Result<Vec<String>, Trouble> {
        let ids = self.unsure_games()?.into_iter().map(|game| game.id);
        Ok(ids.filter(|id| only.is_none_or(|only| only == id)).collect())
    }

    /// Notes that no entries of a game were made elsewhere, as whoever runs the host says.
    ///
    /// # Errors
    /// If the notes cannot be read or written.
    pub fn only_here(&self, id: &str, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        self.ready()?;
        let lock = self.office.disk().lock(&self.root.join("lock")).map_err(Trouble::File)?;
        self.finish_job(hear)?;
        let now = self.office.now();
        let mut work = Work::new(self, now, &Mark::of(&[b"only here", id.as_bytes(), &now.0.to_be_bytes()]).hex());
        if let Some(mut game) = work.game(id)?
            && self.unsure(&game)?.is_some()
        {
            work.is_sure(&mut game)?;
            work.keep_game(&game);
            self.finish(work.into_job(None)?, hear)?;
        }
        drop(lock);
        Ok(())
    }

    /// Takes longer records of unsure games from what the host has sent, or got. Returns how many there were.
    ///
    /// # Errors
    /// If the notes cannot be read or written.
    pub fn brings_back(&self, longest: &Longest, hear: &dyn Fn(&str)) -> Result<u32, Trouble> {
        self.ready()?;
        let lock = self.office.disk().lock(&self.root.join("lock")).map_err(Trouble::File)?;
        self.finish_job(hear)?;
        let mut count = 0;
        for (id, record) in &longest.0 {
            let now = self.office.now();
            let mut work = Work::new(self, now, &Mark::of(&[b"brought back", record, &now.0.to_be_bytes()]).hex());
            let Some(mut game) = work.game(id)? else { continue };
            if self.unsure(&game)?.is_none() || !work.proves(id, record)? {
                continue;
            }
            work.keep_record(id, record.clone());
            work.is_sure(&mut game)?;
            work.keep_game(&game);
            self.finish(work.into_job(None)?, hear)?;
            count += 1;
        }
        drop(lock);
        Ok(count)
    }
}

impl Work<'_, '_> {
    /// The keys for the next entry of a game that is not unsure.
    pub(super) fn keys_to_move<'k>(&'k self, game: &Game, opened: &Opened<'_>) -> Result<Keys<'k>, Trouble> {
        let mut keys = Keys::to_move(&OwnGame::new(self.host.office, &game.id), opened, &game.id, false, false)?;
        keys.only_here = game.sure.is_some();
        Ok(keys)
    }

    /// Whether a record continues the one here by entries that prove themselves: it is legal, so each is signed by its side's key or by
    /// the host's (Z38).
    fn proves(&self, id: &str, record: &[u8]) -> Result<bool, Trouble> {
        let here = self.record(id)?;
        let Ok(desk) = Desk::open(record) else { return Ok(false) };
        let is_hosted = hosting::keeps(self.host.office, &desk.opened.header) && desk.opened.header.id == id;
        let here = records::replayed(&here, id)?;
        let entries = |opened: &Opened<'_>| opened.table.standing().entries;
        let body = |text: &str| text.trim_end().to_owned();
        let continues = desk.opened.text.starts_with(&body(here.text));
        Ok(is_hosted && continues && entries(&desk.opened) > entries(&here))
    }

    /// Asks both players of an unsure game whether they have anything newer.
    fn ask(&mut self, mut game: Game) -> Result<(), Trouble> {
        let Some(since) = self.host.unsure(&game)? else { return Ok(()) };
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        for side in Side::BOTH {
            self.ask_one(&mut game, side, &desk, &since)?;
        }
        self.log(&Did::Unsure, json!({"id": game.id}));
        game.asked = Some([false; 2]);
        let last = desk.opened.table.standing().last.unwrap_or(self.now);
        self.doubt(&game.id, &since, last);
        self.keep_game(&game);
        Ok(())
    }

    /// Asks one player of an unsure game, which came from the backup of `since`, whether there is anything newer.
    pub(super) fn ask_one(&mut self, game: &mut Game, side: Side, desk: &Desk<'_>, since: &str) -> Result<(), Trouble> {
        let entries = desk.opened.table.standing().entries;
        let mut saying = Saying::of([
            format!(
                "This host was restored from a backup of {since}. In it, the last entry of your game {} is entry {entries}; the position \
                 after it is below.",
                game.id
            ),
            "Is this the last position that you have? Then answer: yes. If you have a newer letter of this game, forward it to this address \
             with its attachments."
                .to_owned(),
            "The game goes on as soon as both of you have said yes, or a newer letter has come. Until then nothing is entered, nobody's \
             time runs, and other letters about it are kept."
                .to_owned(),
        ]);
        saying.block = Some(last_lines(desk.opened.text));
        saying.taps = vec![("yes".to_owned(), "Yes, this is the last position".to_owned())];
        self.about(game, side, desk, (None, "is this the last position you have?"), saying)
    }

    /// A letter about an unsure game. `None`: it has settled the matter, and is read like any other.
    ///
    /// # Errors
    /// If the game stays unsure and the letter says nothing about it, so that it is to be kept.
    pub(super) fn unsure_letter(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        index: usize,
        mail: &Mail,
        command: Option<&Command>,
    ) -> Result<Option<Did>, Trouble> {
        if self.host.unsure(game)?.is_none() {
            return Ok(None);
        }
        for record in &mail.records {
            if self.proves(&game.id, record)? {
                self.keep_record(&game.id, record.clone());
                self.is_sure(game)?;
                return Ok(Some(Did::LongerRecord));
            }
        }
        if command != Some(&Command::Yes) {
            self.is_to_be_kept = true;
            return Err(Trouble::of(format!("{} is unsure", game.id)));
        }
        let mut said = game.asked.unwrap_or_default();
        said[index] = true;
        game.asked = Some(said);
        if said == [true; 2] {
            self.is_sure(game)?;
            return Ok(Some(Did::BothNothingNewer));
        }
        let other = printable(&game.seats[1 - index].name).into_owned();
        let said = format!("Thank you. The game {} goes on as soon as {other} has answered too.", game.id);
        let mut saying = Saying::of([said]);
        saying.taps = vec![tap("my games")];
        self.say(writer, Some(mail), "Your answer", saying)?;
        Ok(Some(Did::NothingNewer))
    }

    /// An unsure game goes on: both get the letter about the position.
    fn is_sure(&mut self, game: &mut Game) -> Result<(), Trouble> {
        let list = Restored::new(self.host.office.folders()).read();
        let Some(since) = list.map_err(|error| failed(Path::new(&game.id), error))?.since(&game.id) else {
            return Ok(());
        };
        game.sure = Some(since);
        game.asked = None;
        self.counts_no_time(game)?;
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        self.log(&Did::Sure, json!({"id": game.id}));
        if desk.opened.table.standing().outcome.is_some() {
            drop(desk);
            return self.after_entry(game, None);
        }
        for side in Side::BOTH {
            self.position(game, side, &desk, &Beside::default())?;
        }
        self.schedule(game, &desk.opened);
        Ok(())
    }
}

/// The last entries of a record, as they stand in it.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    let shown = lines.iter().skip(lines.len().saturating_sub(6)).copied();
    let text = shown.map(|line| printable(line).into_owned()).collect::<Vec<_>>().join("\n");
    if text.is_empty() { "(no entry yet)".to_owned() } else { text }
}
