//! Players who have the program and a key of their own: they sign and keep their secrets themselves, and the host passes on (Z38).

use std::borrow::Cow;

use serde_json::json;

use super::arrivals::{end_of_time, leeway};
use super::asking_back::Untimely;
use super::did::Did;
use super::letters::{Beside, Saying};
use super::notes::{Game, Held, Person};
use super::work::{Work, Writer};
use postrider_home::office::Trouble;
use postrider_home::receive::decision as receive;
use postrider_home::receive::decision::{Accepted, Arrival, Decision, Provenance, Refused, decide_on};
use postrider_home::{hosting, records};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::incoming::Mail;
use postrider_referee::desk::Desk;
use postrider_referee::desk::block::Gap;
use postrider_referee::record::{Item, Time};
use postrider_referee::sealing::{PublicKey, SeatProof, Statement};
use postrider_referee::verdict::Opened;

/// Says how somebody enters who has a program.
pub(super) fn enters(opened: &Opened<'_>) -> String {
    format!(
        "Nothing was entered: in this game you sign with your own key, which is not here, so only your own program can enter for you. Hand \
         it this letter (postrider receive LETTER), and send what it writes (postrider move {} YOUR-MOVE --send).",
        opened.header.id
    )
}

/// What becomes of a record that a player's own program has made longer.
enum Taking {
    /// Its entry is asked for with another time, and is not entered.
    AskedBack(Untimely),
    /// The entries before a claim of time are taken, and then the claim is judged.
    BeforeClaim(Box<Accepted>),
    /// The claim waits until it comes true.
    Claim(Held),
    /// It brings nothing new.
    Nothing {
        /// Whether the record here has more.
        older: bool,
    },
    /// What stands behind the last entry is taken.
    Asides(Box<Accepted>),
    /// Its entries are taken.
    Entries(Box<Accepted>),
    /// It is not taken.
    Refused(Refused),
}

impl Work<'_, '_> {
    /// Notes the key of a person's own program, and says what came of it.
    pub(super) fn own_program(&self, person: &mut Person, text: &str) -> String {
        if text.eq_ignore_ascii_case("none") {
            (person.key, person.proven) = (None, false);
            return "New games begin without a key of yours: you play by letters, and what you write is entered and signed here. Games that \
                    have begun stay as they are."
                .to_owned();
        }
        if !self.host.settings.plus {
            return "This host recognises a reply by its subject, which your own program would change. So you cannot play here with a program of your own."
                .to_owned();
        }
        let Ok(own) = hosting::of_home(self.host.office).map(|host| host.key) else {
            return "This host cannot take keys at present.".to_owned();
        };
        match PublicKey::read(text.as_bytes()) {
            Ok(key) if own == key => "That is the key of this host itself.".to_owned(),
            Ok(key) if person.withdrawn.contains(&key.text()) => {
                format!("The key {} was withdrawn, and is not taken again: please send another.", key.fingerprint())
            }
            Ok(key) => {
                (person.key, person.proven) = (Some(key.text()), false);
                format!(
                    "Is {} your key? Please let it sign that: run \"postrider key prove CODE\" (in the browser page it is under Keys), \
                     with this code:\n\n{}:{}\n\nand reply with the line that it prints. Until then new games begin without a key of \
                     yours.",
                    key.fingerprint(),
                    own.text(),
                    self.code_for_key(person, &key.text())
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

    /// The code that the owner of a key signs (Z41): only a letter to that address has it.
    fn code_for_key(&self, person: &Person, key: &str) -> String {
        self.host.key.token(&["key", &person.address.to_lowercase(), key])
    }

    /// Takes the statement by which a key shows whose it is (Z41), and says what came of it.
    pub(super) fn prove(&self, person: &mut Person, proof: &SeatProof) -> String {
        let key = proof.key.text();
        let is_host = hosting::of_home(self.host.office).is_ok_and(|host| host.key == proof.host);
        let is_asked = person.key.as_ref() == Some(&key) && self.host.settings.plus;
        if !is_host || !is_asked || proof.code != self.code_for_key(person, &key) {
            return "That statement is about another key, or was made for another host or address. Please write \
                    \"key\" with your key once more, and use the code in the answer."
                .to_owned();
        }
        person.proven = true;
        format!(
            "New games begin with your key {}: in them your own program enters, signs and keeps what is hidden, and nothing is entered \
             for you here. Hand the first letter of a game to it (postrider receive LETTER, then postrider invite accept). Games that have \
             begun stay as they are; \"key none\" takes it back.",
            proof.key.fingerprint()
        )
    }

    /// Takes back a person's key if the letter says that it is withdrawn (Z36), and tells the person. Returns whether it was.
    pub(super) fn withdrawn(&mut self, writer: &mut Writer, mail: &Mail) -> Result<bool, Trouble> {
        let is_own = |one: &&Statement| {
            one.successor.is_none() && one.holds() && writer.person.key.as_ref() == Some(&one.key.text())
        };
        let Some(statement) = mail.statements.iter().find(is_own) else { return Ok(false) };
        writer.person.withdrawn.extend(writer.person.key.take());
        writer.person.proven = false;
        let said = format!(
            "Your key {} is withdrawn: new games begin without a key of yours, until you write \"key\" with another one. Games that have \
             begun with it go on with it.",
            statement.key.fingerprint()
        );
        self.say(writer, Some(mail), "Your key is withdrawn", Saying::of([said])).map(|_| true)
    }

    /// The keys with which a game begins, one a side; two sides never have one key.
    pub(super) fn keys_of(&self, game: &Game) -> Result<[Option<String>; 2], Trouble> {
        let mut keys = [None, None];
        // A key that somebody named before the host's settings changed is of no use now.
        if !self.host.settings.plus {
            return Ok(keys);
        }
        for (key, seat) in keys.iter_mut().zip(&game.seats) {
            *key = Some(self.person(&seat.address)?).filter(|person| person.proven).and_then(|person| person.key);
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
    ) -> Result<Option<Did>, Trouble> {
        let record = match longer(&game.id, mail, desk) {
            None => return Ok(None),
            Some(Ok(record)) => record,
            Some(Err(why)) => {
                self.not_taken(writer, game, (side, mail), desk, why)?;
                return Ok(Some(Did::BlockRefused));
            }
        };
        // A reply with the record that it answers is read for its words.
        let is_known = || matches!(self.decided(game, side, desk, &record, false), Ok(Decision::Nothing { .. }));
        if hosting::is_kept(&desk.opened, side) && is_known() {
            return Ok(None);
        }
        self.take(writer, game, (side, mail), desk, &record).map(Some)
    }

    /// Decides on a record that a side's own program has made longer. `agreed`: a claim that was held has come true.
    fn decided(
        &self,
        game: &Game,
        side: Side,
        desk: &Desk<'_>,
        record: &[u8],
        agreed: bool,
    ) -> Result<Decision, Refused> {
        let arrival = game.arrived.map(|(entry, at)| Arrival { entry, read: Time(at), server: None, without: None });
        let letter = Provenance {
            own: Some(side.other()),
            arrival: arrival.filter(|arrival| arrival.entry == desk.opened.table.standing().entries),
            agreed,
            ..Provenance::at(self.now)
        };
        decide_on(&desk.opened, record, &letter, |_| ()).map(|(decision, _)| decision)
    }

    /// What becomes of a record that a side's own program has made longer. Nothing of it is done yet.
    fn taking(&self, game: &Game, side: Side, desk: &Desk<'_>, record: &[u8]) -> Taking {
        // Only what would be taken otherwise is asked back: a sound entry of this side.
        if let Some(entry) = self.untimely(game, desk, record)
            && matches!(
                self.decided(game, side, desk, record, true),
                Ok(Decision::Accepted(_)) | Err(Refused::Early { .. })
            )
        {
            return Taking::AskedBack(entry);
        }
        // Entries that come along with a claim are taken first, so that the claim is judged by when they were here.
        if let Some(before) = self.before_claim(side, desk, record)
            && let Ok(Decision::Accepted(accepted)) = self.decided(game, side, desk, before, false)
        {
            return Taking::BeforeClaim(accepted);
        }
        // Whether a claim holds is known by when entries were here; what was in doubt is answered by waiting.
        let waits = self.claim_waits(game, side, desk, record);
        match self.decided(game, side, desk, record, waits.is_some()) {
            Ok(Decision::Nothing { older, .. }) => Taking::Nothing { older },
            Ok(Decision::Accepted(accepted)) => match waits.and_then(|due| kept_claim(desk, record, due)) {
                Some(claim) => Taking::Claim(claim),
                None if accepted.lines.is_empty() => Taking::Asides(accepted),
                None => Taking::Entries(accepted),
            },
            Err(refused) => Taking::Refused(refused),
        }
    }

    /// Takes what is new in a record, and says what came of it.
    fn take(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
        record: &[u8],
    ) -> Result<Did, Trouble> {
        match self.taking(game, side, desk, record) {
            Taking::AskedBack(entry) => self.ask_back(writer, game, (side, mail), desk, &entry),
            Taking::BeforeClaim(accepted) => {
                self.take_entries(writer, game, (side, mail), *accepted)?;
                let kept = self.record(&game.id)?;
                let desk = records::on_desk(&kept, &game.id)?;
                self.take(writer, game, (side, mail), &desk, record)
            }
            Taking::Claim(claim) => {
                let said = format!(
                    "Your claim is kept. Your opponent has time until {}, because clocks differ and mail takes time. If there is no answer by \
                     then, the claim is entered; you need do nothing.",
                    Time(claim.due)
                );
                game.held = Some(claim);
                self.write_about(writer, game, (side, mail), desk, Saying::of([said]))?;
                self.schedule(game, &desk.opened);
                Ok(Did::ClaimWaits)
            }
            // A program that is behind gets what it lacks; otherwise there is nothing to say.
            Taking::Nothing { older } => {
                if older && !self.silent {
                    self.caused(writer);
                    self.position(game, side, desk, &Beside::default())?;
                }
                Ok(Did::NothingNew)
            }
            Taking::Asides(accepted) => {
                self.keep_record(&game.id, accepted.record);
                // A published secret is worth a letter, and a flood of remarks is not.
                if !self.capped {
                    self.caused(writer);
                    let kept = self.record(&game.id)?;
                    let desk = records::on_desk(&kept, &game.id)?;
                    self.position(game, side.other(), &desk, &Beside { page: true, ..Beside::default() })?;
                }
                Ok(Did::TakenAsides(game.id.clone()))
            }
            Taking::Entries(accepted) => {
                self.take_entries(writer, game, (side, mail), *accepted)?;
                Ok(Did::Taken(game.id.clone()))
            }
            Taking::Refused(refused) => {
                self.not_taken(writer, game, (side, mail), desk, &refused.to_string())?;
                Ok(Did::Refused(Box::new(refused)))
            }
        }
    }

    /// Takes entries: when they came is noted, and all that follows an entry is done.
    fn take_entries(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        accepted: Accepted,
    ) -> Result<(), Trouble> {
        game.came(accepted.first, accepted.last, self.now);
        self.keep_record(&game.id, accepted.record);
        self.caused(writer);
        self.after_entry(game, Some((side, mail.message_id.as_deref(), "")))
    }

    /// The part of a record before a claim of time that comes along with other new entries.
    fn before_claim<'r>(&self, side: Side, desk: &Desk<'_>, record: &'r [u8]) -> Option<&'r [u8]> {
        let opened = Opened::new(record).ok()?;
        let letter = Provenance { own: Some(side.other()), ..Provenance::at(self.now) };
        let entries = desk.opened.table.standing().entries;
        receive::before_claim(&opened, entries, &letter).and_then(|length| record.get(..length))
    }

    /// When a claim of time comes true that is the one new entry of a record, if it does not yet.
    fn claim_waits(&self, game: &Game, side: Side, desk: &Desk<'_>, record: &[u8]) -> Option<i64> {
        let standing = desk.opened.table.standing();
        let opened = Opened::new(record).ok()?;
        let mut body = opened.body();
        let mut fresh = Vec::new();
        while let Some(item) = body.next_item() {
            if let Item::Entry(entry) = item
                && entry.number > u64::from(standing.entries)
            {
                fresh.push((entry.side, entry.actions.text(opened.text) == "claim time"));
            }
        }
        if fresh != [(side, true)] || standing.due.side == side {
            return None;
        }
        let end = end_of_time(game, &desk.opened, self.now)?;
        let due = end.saturating_add(leeway(&standing));
        let is_true = due <= self.now.0 && self.host.may_end(end);
        (!is_true).then_some(due)
    }

    /// Enters a claim that was held and has come true; one that an entry has overtaken is forgotten. Returns whether it was entered.
    pub(super) fn enter_held(&mut self, game: &mut Game, desk: &Desk<'_>) -> Result<bool, Trouble> {
        let standing = desk.opened.table.standing();
        let leeway = leeway(&standing);
        let is_true = |due: i64| due <= self.now.0 && self.host.may_end(due - leeway);
        let Some(held) = game.held.take_if(|held| is_true(held.due) || held.entries != standing.entries) else {
            return Ok(false);
        };
        let record = [desk.opened.text.as_bytes(), held.lines.as_bytes()].concat();
        let side = standing.due.side.other();
        match self.decided(game, side, desk, &record, true) {
            Ok(Decision::Accepted(accepted)) if held.entries == standing.entries => {
                self.keep_record(&game.id, accepted.record);
                self.after_entry(game, None)?;
                self.log(&Did::ClaimEntered, json!({"id": game.id}));
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Says why what a program sent was not taken.
    fn not_taken(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        by: (Side, &Mail),
        desk: &Desk<'_>,
        why: &str,
    ) -> Result<(), Trouble> {
        let saying = Saying::of([
            format!("Your letter was not accepted: {}.", why.trim_end_matches('.')),
            "The record here stays as it is; the last letter about a position has it attached.".to_owned(),
        ]);
        self.write_about(writer, game, by, desk, saying)
    }

    /// Writes to the player whose program wrote, even if it wrote by itself: it does not answer what brings no record.
    fn write_about(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
        saying: Saying,
    ) -> Result<(), Trouble> {
        if mail.suppresses || self.capped {
            return Ok(());
        }
        self.caused(writer);
        self.about(game, side, desk, (mail.message_id.as_deref(), "nothing was entered"), saying)
    }
}

/// A claim as it is kept until it comes true; nothing if it is not just added to the record here.
fn kept_claim(desk: &Desk<'_>, record: &[u8], due: i64) -> Option<Held> {
    let added = record.strip_prefix(desk.opened.text.as_bytes())?;
    let lines = std::str::from_utf8(added).ok()?.to_owned();
    Some(Held { entries: desk.opened.table.standing().entries, lines, due })
}

/// The record of a game as a letter brings it: attached, or the one here with the entries of a block behind it (B7). `None` if it brings
/// neither.
fn longer<'m>(id: &str, mail: &'m Mail, desk: &Desk<'_>) -> Option<Result<Cow<'m, [u8]>, &'static str>> {
    let is_of_game = |record: &&Vec<u8>| Opened::new(record).is_ok_and(|opened| opened.header.id == id);
    if let Some(record) = mail.records.iter().find(is_of_game) {
        return Some(Ok(Cow::Borrowed(record)));
    }
    if let Some(block) = mail.entries.blocks.iter().find(|block| block.game == id) {
        if let Some(record) = block.record() {
            return Some(Ok(Cow::Owned(record)));
        }
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
