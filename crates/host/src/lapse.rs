//! Games whose first entry is never made: they lapse, without a result, and a first entry that came before revives its game.

use std::path::Path;

use super::clock::agenda;
use super::commands::Command;
use super::did::Did;
use super::letters::Saying;
use super::notes::{Game, State};
use super::people::tap;
use super::work::{Work, Writer};
use postrider_home::office::Trouble;
use postrider_home::records;
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::incoming::Mail;
use postrider_referee::desk::Desk;

impl Work<'_, '_> {
    /// Ends a game whose first entry was never made: without a result, and so that it counts against nobody.
    pub(super) fn lapse(&mut self, game: &mut Game, desk: &Desk<'_>) -> Result<(), Trouble> {
        let due = desk.opened.table.standing().due.side;
        let name = printable(&game.seats[due.index()].name).into_owned();
        for side in Side::BOTH {
            let why = match side == due {
                true => "You have not made the first entry in time".to_owned(),
                false => format!("{name} has not made the first entry in time"),
            };
            let mut saying = Saying::of([format!(
                "{why}, so the game {} has lapsed: it has no result and counts for nobody. You need do nothing.",
                game.id
            )]);
            saying.taps = vec![("again".to_owned(), "The same game once more".to_owned()), tap("games")];
            self.about(game, side, desk, (None, "the game has lapsed"), saying)?;
        }
        game.state = State::Lapsed;
        game.lapsed = Some(self.now.0);
        if let Some(old) = game.agenda.take() {
            self.remove(agenda(old, &game.id));
        }
        self.put_away(&game.id);
        self.log(&Did::Lapsed, serde_json::json!({"id": game.id}));
        Ok(())
    }

    /// A letter about a game that has lapsed: a first entry that came before revives it.
    pub(super) fn after_lapse(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        index: usize,
        mail: &Mail,
        lines: &[String],
        found: Option<(Command, String)>,
    ) -> Result<Did, Trouble> {
        if matches!(found, Some((Command::Again, _))) {
            return self.again(writer, game, index, mail);
        }
        if game.lapsed.is_some_and(|lapsed| self.now.0 < lapsed) {
            let before = (game.clone(), self.record(&game.id)?);
            game.state = State::Running;
            let did = self.in_game(writer, game, index, mail, found)?;
            if self.record(&game.id)? != before.1 {
                game.lapsed = None;
                self.remove(Path::new("lapsed").join(format!("{}.pbem", game.id)));
                return Ok(did);
            }
            *game = Game { seats: game.seats.clone(), ..before.0 };
            return Ok(did);
        }
        if self.silent {
            return Ok(Did::LapsedBefore);
        }
        let said = "The game has lapsed, because its first entry was not made in time. Nothing was entered.".to_owned();
        let record = self.record(&game.id)?;
        let desk = records::on_desk(&record, &game.id)?;
        let side = if index == 0 { Side::First } else { Side::Second };
        let mut saying = Saying::of([said]);
        saying.quoted = lines.to_vec();
        saying.taps = vec![("again".to_owned(), "The same game once more".to_owned()), tap("games")];
        self.caused(writer);
        self.about(game, side, &desk, (mail.message_id.as_deref(), "the game has lapsed"), saying)?;
        Ok(Did::LapsedBefore)
    }
}
