//! Letters of players that are no entry and no talk: who asks to take a move back, for a draw, an end, a pause or the rules is told what can
//! be done; who gives the game up out of turn has that done with the next entry.

use super::arrivals::after;
use super::did::Did;
use super::letters::{Saying, state};
use super::notes::Game;
use super::people::tap;
use super::work::{Work, Writer};
use postrider_home::entry::way::{NotMade, Typed, What};
use postrider_home::office::Trouble;
use postrider_home::{hosting, records};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::incoming::Mail;
use postrider_mail::understand::Wish;
use postrider_referee::desk::{Desk, Refusal};
use serde_json::json;

impl Work<'_, '_> {
    /// Tells somebody who plays what can be done about a wish.
    pub(super) fn wished(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
        wish: Wish,
    ) -> Result<Did, Trouble> {
        let opened = &desk.opened;
        let is_taken_back = wish == Wish::Undo && std::mem::take(&mut game.resigns[side.index()]);
        if self.silent || self.robot && !is_taken_back {
            return Ok(Did::Wished);
        }
        let wished = wish.answered(opened, side, false);
        let said = match is_taken_back {
            true => "Taken back: you do not resign, and the game goes on.".to_owned(),
            false => wished.said,
        };
        let is_due = opened.table.standing().due.side == side;
        let other = printable(&game.seats[side.other().index()].name).into_owned();
        let saying = Saying {
            said: vec![said, state(opened)],
            taps: wished.taps,
            minute: wished.minute.then_some(opened.header.info),
            lists: is_due && wish != Wish::Stop,
            begin: is_due && opened.header.info.stepwise,
            after: vec![format!("This was not passed on. A line that begins with message: is for {other} to read.")],
            ..Saying::default()
        };
        self.caused(writer);
        self.about(game, side, desk, (mail.message_id.as_deref(), "what you can do"), saying)?;
        Ok(Did::Wished)
    }

    /// Notes that somebody whose entry is not due gives the game up with the next one.
    pub(super) fn resigns_next(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
    ) -> Result<Did, Trouble> {
        // What was sent to many, or wants no answer, is no word on which somebody loses a game without a chance to take it back.
        if mail.bulk || mail.suppresses {
            return Ok(Did::NotDue);
        }
        let is_noted = std::mem::replace(&mut game.resigns[side.index()], true);
        if self.silent || self.robot && is_noted {
            return Ok(Did::ResignsNext);
        }
        let other = printable(&game.seats[side.other().index()].name).into_owned();
        let saying = Saying {
            said: vec![
                format!(
                    "Noted: you resign. It is not your turn, so this becomes your next entry when {other} has moved. Until then {other} is not \
                     told, and you can take it back."
                ),
                state(&desk.opened),
            ],
            taps: vec![("take it back".to_owned(), "Take it back".to_owned()), tap("my games")],
            ..Saying::default()
        };
        self.caused(writer);
        self.about(game, side, desk, (mail.message_id.as_deref(), "you resign with your next entry"), saying)?;
        Ok(Did::ResignsNext)
    }

    /// Gives the game up for the side that is due, if it has said so before.
    pub(super) fn resigned(&mut self, game: &mut Game, record: Vec<u8>) -> Result<Vec<u8>, Trouble> {
        let desk = records::on_desk(&record, &game.id)?;
        let standing = desk.opened.table.standing();
        let side = standing.due.side;
        let may = standing.outcome.is_none() && hosting::is_kept(&desk.opened, side);
        if !may || !std::mem::take(&mut game.resigns[side.index()]) {
            return Ok(record);
        }
        let mut keys = self.keys_to_move(game, &desk.opened)?;
        match Typed::new(What::Actions("resign"), after(&standing, self.now)).by_itself().make(&desk, &mut keys) {
            Ok(signed) => {
                let longer = signed.entered.record;
                drop(desk);
                self.keep_record(&game.id, longer.clone());
                Ok(longer)
            }
            Err(refusal) if keys.passing || matches!(refusal, NotMade::Refused(Refusal::Lost(_))) => {
                Err(refusal.trouble(&game.id))
            }
            Err(refusal) => {
                self.log(&Did::NotForced, json!({"id": game.id, "why": refusal.to_string()}));
                drop(desk);
                Ok(record)
            }
        }
    }
}
