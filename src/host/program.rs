//! Players who have the program and a key of their own: they sign and keep their secrets themselves, and the host passes on (Z38).

use std::borrow::Cow;

use super::letters::{Beside, Saying};
use super::notes::{Game, Person};
use super::people::capital;
use super::work::{Work, Writer};
use crate::desk::Desk;
use crate::desk::receive::{Arrival, Decision, Provenance, decide_on};
use crate::games::kernel::Side;
use crate::mail::block::Gap;
use crate::mail::incoming::Mail;
use crate::office::Trouble;
use crate::office::hosting;
use crate::record::Time;
use crate::sealing::PublicKey;
use crate::text::printable;
use crate::verdict::Opened;

/// Says how somebody enters who has a program.
pub(super) fn enters(opened: &Opened<'_>) -> String {
    format!(
        "Nothing was entered: in this game you sign with your own key, which is not here, so only your own program can enter for you. Hand \
         it this letter (postrider receive LETTER), and send what it writes (postrider move {} YOUR-MOVE --send).",
        opened.header.id
    )
}

impl Work<'_, '_> {
    /// Notes the key of a person's own program, and says what came of it.
    pub(super) fn own_program(&self, person: &mut Person, text: &str) -> String {
        if text.eq_ignore_ascii_case("none") {
            person.key = None;
            return "New games begin without a key of yours: you play by letters, and what you write is entered and signed here. Games that \
                    have begun stay as they are."
                .to_owned();
        }
        if !self.host.settings.plus {
            return "Here a reply is recognised by its subject, which a program writes anew: with a program of your own you cannot play here."
                .to_owned();
        }
        let own = hosting::of_home(self.host.office).map(|host| host.key);
        match PublicKey::read(text.as_bytes()) {
            Ok(key) if own.is_ok_and(|own| own == key) => "That is the key of this host itself.".to_owned(),
            Ok(key) => {
                person.key = Some(key.text());
                format!(
                    "New games begin with your key {}: in them your own program enters, signs and keeps what is hidden, and nothing is entered \
                     for you here. Hand the first letter of a game to it (postrider receive LETTER, then postrider accept). Games that have \
                     begun stay as they are; \"key none\" takes it back.",
                    key.fingerprint()
                )
            }
            Err(fault) => format!(
                "\"{}\" is not a key: {fault}. The first line of `postrider key show` has yours, as in: key \
                 NMDElZdjv3Mcg3MPNgLPU34llo6cnKIcB68H2hmLC2E=",
                printable(text)
            )
            .replace('`', "\""),
        }
    }

    /// The keys with which a game begins, one a side; two sides never have one key.
    pub(super) fn keys_of(&self, game: &Game) -> Result<[Option<String>; 2], Trouble> {
        let mut keys = [None, None];
        // A key that somebody named before the host's settings changed is of no use now.
        if !self.host.settings.plus {
            return Ok(keys);
        }
        for (key, seat) in keys.iter_mut().zip(&game.seats) {
            *key = self.person(&seat.address)?.key;
        }
        if keys[0] == keys[1] {
            keys[1] = None;
        }
        Ok(keys)
    }

    /// Takes the record that a player's own program has made longer; `None` if the letter brings nothing new of this game.
    pub(super) fn brought(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        side: Side,
        mail: &Mail,
        desk: &Desk<'_>,
    ) -> Result<Option<String>, Trouble> {
        let record = match longer(&game.id, mail, desk) {
            None => return Ok(None),
            Some(Ok(record)) => record,
            Some(Err(why)) => {
                self.not_taken(writer, game, (side, mail), desk, why)?;
                return Ok(Some("refused: a block of entries".to_owned()));
            }
        };
        let arrival = game.arrived.map(|(entry, at)| Arrival { entry, read: Time(at), server: None, without: None });
        let letter = Provenance {
            from: mail.from.as_deref(),
            date: mail.date,
            own: Some(side.other()),
            arrival: arrival.filter(|arrival| arrival.entry == desk.opened.table.standing().entries),
            ..Provenance::at(self.now)
        };
        let accepted = match decide_on(&desk.opened, &record, &letter, |_| ()) {
            Ok((Decision::Nothing { .. }, _)) if hosting::is_kept(&desk.opened, side) => return Ok(None),
            // A program that is behind gets what it lacks; otherwise there is nothing to say.
            Ok((Decision::Nothing { older, .. }, _)) => {
                if older && !self.silent {
                    self.caused(writer);
                    self.position(game, side, desk, &Beside::default())?;
                }
                return Ok(Some("nothing new".to_owned()));
            }
            Ok((Decision::Accepted(accepted), _)) => accepted,
            Err(refused) => {
                self.not_taken(writer, game, (side, mail), desk, &refused.to_string())?;
                return Ok(Some(format!("refused: {}", capital(&refused.to_string()))));
            }
        };
        self.keep_record(&game.id, accepted.record);
        game.arrived = Some((accepted.last, self.now.0));
        self.caused(writer);
        self.after_entry(game, Some((side, mail.message_id.as_deref(), "")))?;
        Ok(Some(match accepted.lines.len() {
            0 => format!("taken: what stands behind the last entry of {}", game.id),
            _ => format!("taken: {}", game.id),
        }))
    }

    /// Says why what a program sent was not taken.
    fn not_taken(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
        why: &str,
    ) -> Result<(), Trouble> {
        if self.silent {
            return Ok(());
        }
        let saying = Saying::of([
            format!("What your letter brings was not taken: {}.", why.trim_end_matches('.')),
            "The record here stays as it is; the last letter about a position has it attached.".to_owned(),
        ]);
        self.caused(writer);
        self.about(game, side, desk, (mail.message_id.as_deref(), "nothing was entered"), saying)
    }
}

/// The record of a game as a letter brings it: attached, or the one here with the entries of a block behind it (B7). `None` if it brings
/// neither.
fn longer<'m>(id: &str, mail: &'m Mail, desk: &Desk<'_>) -> Option<Result<Cow<'m, [u8]>, &'static str>> {
    let is_of_game = |record: &&Vec<u8>| Opened::new(record).is_ok_and(|opened| opened.header.id == id);
    if let Some(record) = mail.records.iter().find(is_of_game) {
        return Some(Ok(Cow::Borrowed(record)));
    }
    if let Some(block) = mail.entries.blocks.iter().find(|block| block.game == id) {
        let continued = block.continued(desk.opened.text.as_bytes());
        return Some(continued.map(Cow::Owned).map_err(|gap| match gap {
            Gap::Missing { .. } => "entries before those in your letter are missing here: send the whole record",
            Gap::Here | Gap::Parted => "what comes before the entries in your letter differs from the record here",
        }));
    }
    let is_named = |names: &Option<(String, u32, u32)>| names.as_ref().is_some_and(|(game, ..)| game == id);
    let damaged = mail.entries.damaged.iter().any(|damaged| is_named(&damaged.names));
    damaged.then_some(Err("its block of entries was changed on the way: send it again, or the record as an attachment"))
}
