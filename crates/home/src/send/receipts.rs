//! Receipts: signed remarks that one has the opponent's last entry (Z35).

use std::rc::Rc;

use crate::elsewhere::Elsewhere;
use crate::entry::own;
use crate::entry::way::Locked;
use crate::keys::trust;
use crate::office::Trouble;
use crate::own_game::OwnGame;
use crate::records::Taken;
use crate::send::letters::Place;
use crate::{known, records};
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_referee::desk::Desk;
use postrider_referee::sealing::{receipt_text, write_signature};
use postrider_referee::verdict::receipts;

/// The outcome of writing a receipt.
pub enum Written {
    /// It was added to the record, for this entry.
    Made(u32),
    /// The record already had it.
    There(u32),
    /// There is nothing to sign, and why.
    Nothing(String),
}

/// Writes the receipt for the opponent's last entry into a record that is locked. Returns the record as it then stands. `game` opens the game
/// with an id.
///
/// # Errors
/// Why it was not written.
pub fn write<'o>(
    game: impl Fn(&str) -> Rc<OwnGame<'o>>,
    place: Place<'_>,
    (mut lock, source): Taken,
    accept_rewritten: bool,
) -> Result<(Written, Vec<u8>), Trouble> {
    match signed(game, place, &source, accept_rewritten)? {
        Signed::Now(game, entry, record) => {
            // It can be signed again, and is the same then.
            let _ = Locked { file: place.file, lock: &mut lock, source: &source }.write(&game, &record, None)?;
            Ok((Written::Made(entry), record))
        }
        Signed::Before(entry) => Ok((Written::There(entry), source)),
        Signed::Never(why) => Ok((Written::Nothing(why), source)),
    }
}

/// A receipt before it is written.
enum Signed<'o> {
    /// For this entry of a game: the record with it.
    Now(Rc<OwnGame<'o>>, u32, Vec<u8>),
    /// It is in the record.
    Before(u32),
    Never(String),
}

/// Signs the receipt for the opponent's last entry.
fn signed<'o>(
    game: impl Fn(&str) -> Rc<OwnGame<'o>>,
    place: Place<'_>,
    source: &[u8],
    accept_rewritten: bool,
) -> Result<Signed<'o>, Trouble> {
    let desk = records::legal(source, place.name)?;
    let game = game(&desk.opened.header.id);
    let office = game.office;
    let Some(side) = game.find(&desk.opened)? else {
        let hint = own::hint(&desk.opened.header, place.name);
        return Err(Trouble::of("your side of this game is not known").advise(hint));
    };
    let nothing = |why: &str| Ok(Signed::Never(why.to_owned()));
    let Some((last, _)) = desk.last() else { return nothing("the record has no entry yet") };
    if last == side {
        return nothing("the last entry is yours, and its signature covers everything before it");
    }
    let entry = desk.opened.table.standing().entries;
    let who = desk.opened.header.info.sides[side.index()];
    let Some(key) = trust::key_of(&desk.opened, side) else {
        return nothing(&format!(
            "the record declares no key of {}, so a receipt could not be checked (E10)",
            who.named()
        ));
    };
    if has_receipt(&desk, side, entry) {
        return Ok(Signed::Before(entry));
    }
    if Elsewhere::new(office.folders()).is_over(&desk.opened.header.id) {
        return nothing("the game was handed over, and signs nothing here");
    }
    known::guard(office, &desk.opened, source, place.name, accept_rewritten)?;
    let own = office.keyring().own_of(&key)?;
    let own = own.ok_or_else(|| {
        let (named, signs) = (who.named(), who.verb("sign", "signs"));
        Trouble::of(format!("{named} {signs} with {}, which is not the key in this key store", key.fingerprint()))
            .advise(advice![Act::ImportKey, " restores a key"])
    })?;
    let (Some(begin), Some(digest)) = (desk.digests.first(), desk.digests.last()) else {
        return nothing("the record has no entry yet");
    };
    let text = receipt_text(&desk.opened.header.id, who.word, entry, begin, digest);
    let signature = office.unlocked(own)?.sign(text.as_bytes());
    office.note_signed();
    let mut record = source.to_vec();
    if !record.ends_with(b"\n") {
        record.push(b'\n');
    }
    record.extend_from_slice(receipts::remark(who.word, entry, &write_signature(&signature)).as_bytes());
    record.push(b'\n');
    Ok(Signed::Now(game, entry, record))
}

/// Returns whether a record has a valid receipt of a side for an entry.
fn has_receipt(desk: &Desk<'_>, side: Side, entry: u32) -> bool {
    let found = receipts::of(&desk.opened, &desk.digests);
    found.iter().any(|(_, read)| read.as_ref().is_ok_and(|one| one.side == side && one.entry == entry))
}
