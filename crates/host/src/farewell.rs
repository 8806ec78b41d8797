//! People who want no letters any more, or want them again, and what becomes of their games.

use super::ailing::Look;
use super::commands::Command;
use super::did::Did;
use super::letters::{Beside, Saying, state};
use super::notes::{Game, Person, State};
use super::people::{MOST_RUNNING, tap};
use super::play::{Entered, side_of};
use super::program;
use super::work::{Work, Writer};
use postrider_home::office::Trouble;
use postrider_home::{hosting, records};
use postrider_kernel::text::printable;
use postrider_mail::address::is_same;
use postrider_mail::incoming::Mail;
use postrider_mail::understand::Meant;

/// For how long nothing is written if it is not certain who asked for that, in seconds.
const DOUBTFUL: i64 = 90 * 86_400;

/// What can be tapped: the text of the reply that it makes, and what stands on it.
type Taps = Vec<(String, String)>;

impl Work<'_, '_> {
    /// A letter of somebody who wants none; `None` if it is to be read as any other.
    pub(super) fn after_never(
        &mut self,
        writer: &mut Writer,
        mail: &Mail,
        command: Option<&Command>,
    ) -> Result<Option<Did>, Trouble> {
        let is_doubtful = writer.person.never_until.is_some();
        match command {
            Some(Command::Never) if writer.sure => {
                self.never(writer)?;
                Ok(Some(Did::NeverAgain))
            }
            Some(Command::Write) if writer.sure => {
                self.lift(writer);
                let said = "You get letters again. Games that were going on go on.".to_owned();
                self.say(writer, Some(mail), "Letters again", Saying::of([said]))?;
                self.all_due(writer)?;
                Ok(Some(Did::LettersAgain))
            }
            // Somebody else may have asked for it.
            _ if writer.sure && is_doubtful => {
                self.lift(writer);
                Ok(None)
            }
            // A command of a game is for the letters of that game.
            Some(Command::Resign(_) | Command::ForgetMe) if writer.sure => Ok(None),
            Some(Command::Never) | None => Ok(Some(Did::NoLettersWanted)),
            Some(_) if is_doubtful && !writer.person.never_asked && !self.silent => {
                writer.person.never_asked = true;
                self.caused(writer);
                let mut saying = Saying::of([
                    "Somebody asked in your name for no more letters to this address, and now somebody writes in your name again."
                        .to_owned(),
                    "If you want letters from here, say so with one tap. If not, do nothing: you get no further letter.".to_owned(),
                ]);
                saying.taps = vec![tap("write to me again")];
                self.note(&mut writer.person, mail.message_id.as_deref(), "Do you want letters?", saying);
                Ok(Some(Did::AskedIfWanted))
            }
            Some(_) => Ok(Some(Did::NoLettersWanted)),
        }
    }

    /// Writes to somebody again.
    pub(super) fn lift(&mut self, writer: &mut Writer) {
        let person = &mut writer.person;
        (person.never, person.never_until, person.never_asked) = (false, None, false);
        self.keep_person(&writer.person);
    }

    /// The letters due in all games that somebody plays.
    fn all_due(&mut self, writer: &mut Writer) -> Result<(), Trouble> {
        for (mut game, side) in self.running(&writer.person)? {
            let since = self.host.unsure(&game)?;
            if since.is_none() && self.host.fault_of(&game.id, Look::Quick)?.is_some() {
                continue;
            }
            let record = self.record(&game.id)?;
            let desk = records::on_desk(&record, &game.id)?;
            self.caused(writer);
            if let Some(since) = since {
                self.ask_one(&mut game, side_of(side), &desk, &since)?;
                self.keep_game(&game);
                continue;
            }
            self.position(&mut game, side_of(side), &desk, &Beside::default())?;
            self.keep_game(&game);
        }
        Ok(())
    }

    /// The games that somebody plays, with the side.
    pub(super) fn running(&self, person: &Person) -> Result<Vec<(Game, usize)>, Trouble> {
        let mut list = Vec::new();
        for id in person.games.iter().rev().take(2 * MOST_RUNNING) {
            // A damaged note keeps nobody from leaving.
            let Ok(Some(game)) = self.game_or_damage(id)? else { continue };
            if game.state != State::Running {
                continue;
            }
            if let Some(side) = game.seat_of(&person.address) {
                list.push((game, side));
            }
        }
        Ok(list)
    }

    /// Gives up a game, of whose letters there may be none any more.
    pub(super) fn resign(&mut self, writer: &mut Writer, mail: &Mail, id: &str) -> Result<Did, Trouble> {
        let game = self.game(id)?.filter(|game| game.state == State::Running);
        let Some((mut game, side)) = game.and_then(|game| {
            let side = game.seat_of(&writer.person.address)?;
            Some((game, side))
        }) else {
            let said = "You play no such game here.".to_owned();
            self.say(writer, Some(mail), "No such game", Saying::of([said]))?;
            return Ok(Did::NoSuchGame);
        };
        if self.host.fault_of(id, Look::Thorough)?.is_some() {
            let said = format!(
                "The game {id} cannot be played here for now, so nothing was entered, and no time runs. Please write again when it goes on."
            );
            self.say(writer, Some(mail), "Nothing was entered", Saying::of([said]))?;
            return Ok(Did::Unplayable);
        }
        let record = self.record(id)?;
        let desk = records::on_desk(&record, id)?;
        let words = "resign".to_owned();
        let meant = Meant { words: words.clone(), actions: words, message: None, more: false };
        let is_due = desk.opened.table.standing().due.side.index() == side;
        let is_kept = hosting::is_kept(&desk.opened, side_of(side));
        if is_due && is_kept && matches!(self.enter(&game, &desk, &meant)?, Entered::Made) {
            self.after_entry(&mut game, Some((side_of(side), None, "")))?;
            self.keep_game(&game);
            return Ok(Did::Entered(id.to_owned()));
        }
        if !is_due && is_kept {
            let did = self.resigns_next(writer, &mut game, (side_of(side), mail), &desk)?;
            self.keep_game(&game);
            return Ok(did);
        }
        let why = match is_kept {
            true => format!("Nothing was entered. {}", state(&desk.opened)),
            false => program::enters(&desk.opened),
        };
        self.say(writer, Some(mail), "Nothing was entered", Saying::of([why]))?;
        Ok(Did::NotDue)
    }

    /// Writes to somebody never again: invitations are declined, lists are left, opponents are told. If nothing shows who asks for it, no
    /// letters are written for a while, and nothing else is done.
    pub(super) fn never(&mut self, writer: &mut Writer) -> Result<(), Trouble> {
        let was_told = writer.person.never;
        if !writer.sure {
            if !was_told {
                writer.person.never_until = Some(self.now.0.saturating_add(DOUBTFUL));
                writer.person.never = true;
            }
            return Ok(());
        }
        if !was_told {
            self.last_letter(writer)?;
        }
        (writer.person.never, writer.person.never_until) = (true, None);
        self.keep_person(&writer.person);
        self.leave_lists(&mut writer.person)?;
        for id in writer.person.games.clone().iter().rev().take(2 * MOST_RUNNING) {
            let Ok(Some(mut game)) = self.game_or_damage(id)? else { continue };
            let Some(side) = game.seat_of(&writer.person.address) else {
                game.watchers.retain(|watcher| !is_same(watcher, &writer.person.address));
                self.keep_game(&game);
                continue;
            };
            match game.state {
                State::Invited => self.declined(&mut game, side)?,
                State::Running if !was_told => self.tell_gone(&game, side)?,
                State::Running | State::Over | State::Declined | State::Lapsed => {}
            }
        }
        Ok(())
    }

    /// The last letter to somebody who plays: which games go on, and what can be done about them.
    fn last_letter(&mut self, writer: &mut Writer) -> Result<(), Trouble> {
        let games = self.running(&writer.person)?;
        if games.is_empty() {
            return Ok(());
        }
        let (lines, resigns) = self.going_on(&games)?;
        let mut taps = vec![("write to me again".to_owned(), "Letters again".to_owned())];
        taps.extend(resigns);
        let mut saying = Saying::of([
            "You get no more letters from here; this is the last.".to_owned(),
            "These games go on, and their clocks run. You can give up each of them: at once if it is your turn, otherwise with your next \
             entry. Moves in replies to earlier letters are still entered, but not answered."
                .to_owned(),
        ]);
        saying.block = Some(lines.join("\n"));
        saying.taps = taps;
        self.note(&mut writer.person, None, "The last letter", saying);
        Ok(())
    }

    /// How the games stand that somebody plays, a line each, and what gives up those whose records can be used.
    pub(super) fn going_on(&self, games: &[(Game, usize)]) -> Result<(Vec<String>, Taps), Trouble> {
        let (mut lines, mut taps) = (Vec::new(), Vec::new());
        for (game, side) in games {
            let other = printable(&game.seats[1 - side].name).into_owned();
            let (words, is_usable) = match self.state_in_words(game, *side) {
                Ok(words) => (words, true),
                Err(trouble) if self.host.fault_of(&game.id, Look::Quick)?.is_none() => return Err(trouble),
                Err(_) => ("its record cannot be used here for now, and no time runs".to_owned(), false),
            };
            lines.push(format!("{}: with {other}; {words}", game.id));
            if is_usable {
                taps.push((format!("resign {}", game.id), format!("Give up the game with {other}")));
            }
        }
        Ok((lines, taps))
    }
}
