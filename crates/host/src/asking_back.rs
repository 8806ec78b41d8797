//! Entries that a player's own program has dated long before they came, or ahead of the clock here. Their times would charge the opponent,
//! or nobody; so they are asked back, and the program makes them again with another time, and with nothing else changed (Z39).

use data_encoding::HEXLOWER;

use super::arrivals::leeway;
use super::did::Did;
use super::letters::{Saying, state};
use super::notes::Game;
use super::work::{Work, Writer};
use postrider_home::office::Trouble;
use postrider_home::receive::decision::AHEAD;
use postrider_kernel::Side;
use postrider_mail::incoming::Mail;
use postrider_referee::desk::Desk;
use postrider_referee::judging::in_words;
use postrider_referee::record::Item;
use postrider_referee::sealing::{AskedBack, Digest};
use postrider_referee::verdict::Opened;

/// How many versions of one entry are remembered as asked back; each is a signature of the player's, who can make more.
const MOST: usize = 8;

/// An entry that is not taken as it is.
pub(super) struct Untimely {
    number: u32,
    /// h(n) with it.
    digest: Digest,
    why: String,
}

impl Work<'_, '_> {
    /// Finds the first new entry of a record whose time is not taken: one that is dated longer before its arrival than clocks and mail
    /// differ by, or ahead of the clock here, or that was asked back before. A claim of time is judged by arrivals, and what ends a game
    /// charges nobody.
    pub(super) fn untimely(&self, game: &Game, desk: &Desk<'_>, record: &[u8]) -> Option<Untimely> {
        let before = desk.opened.table.standing();
        let leeway = leeway(&before);
        let earliest = self.now.0.saturating_sub(leeway);
        let longer = Desk::open(record).ok()?;
        let after = longer.opened.table.standing();
        let opened = Opened::new(record).ok()?;
        let mut body = opened.body();
        while let Some(item) = body.next_item() {
            let Item::Entry(entry) = item else { continue };
            let Ok(number) = u32::try_from(entry.number) else { break };
            let Some(time) = entry.time.filter(|_| number > before.entries) else { continue };
            let digest = *longer.digests.get(number)?;
            let asked = HEXLOWER.encode(&digest);
            let is_claim = entry.actions.text(opened.text) == "claim time";
            let ends = number == after.entries && after.outcome.is_some();
            let why = if time.0 > self.now.0.saturating_add(AHEAD) {
                format!("ahead of the clock here, by which your letter came at {}", self.now)
            } else if time.0 < earliest && !is_claim && !ends {
                format!("more than {} before your letter came here ({})", in_words(leeway), self.now)
            } else if game.asked_back.contains(&asked) {
                "and was asked back before".to_owned()
            } else {
                continue;
            };
            return Some(Untimely { number, digest, why: format!("Your entry {number} is dated {time}, {why}") });
        }
        None
    }

    /// Asks the player's program to make an entry again with another time. Nothing is entered, and nobody's time is charged.
    pub(super) fn ask_back(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
        entry: &Untimely,
    ) -> Result<Did, Trouble> {
        let digest = HEXLOWER.encode(&entry.digest);
        let is_new = !game.asked_back.contains(&digest);
        if is_new {
            let surplus = (game.asked_back.len() + 1).saturating_sub(MOST);
            game.asked_back.drain(..surplus);
            game.asked_back.push(digest);
        }
        // Whoever is not told would wait for an answer that never comes.
        if self.capped && (!is_new || game.asked_back.len() >= MOST) {
            return Ok(Did::AskedBack);
        }
        let office = self.host.office;
        let key = office.unlocked(office.own_key()?)?;
        let id = &game.id;
        let asked = AskedBack::signed(&key, id, entry.number, &entry.digest);
        let saying = Saying {
            said: vec![
                format!(
                    "{}. It would charge your opponent with time that nobody could use, so it is not entered, and your clock runs. Please \
                     let your program make the same entry with the present time and change nothing else. Signing it twice proves nothing \
                     against you.",
                    entry.why
                ),
                format!("Hand it this letter (postrider receive LETTER), then: postrider send {id} --date-anew"),
                state(&desk.opened),
            ],
            block: Some(asked.line()),
            ..Saying::default()
        };
        self.caused(writer);
        self.about(game, side, desk, (mail.message_id.as_deref(), "please date your entry anew"), saying)?;
        Ok(Did::AskedBack)
    }
}

#[cfg(test)]
mod tests {
    use super::super::notes::Game;
    use postrider_referee::record::Time;

    #[test]
    fn what_was_asked_back_is_forgotten_with_the_next_entry() {
        let mut game = Game { asked_back: vec!["ab".to_owned()], ..Game::default() };
        game.came(1, 1, Time(5));
        assert!(game.asked_back.is_empty());
    }
}
