//! What was last known of a game: whether its record still goes on from there, and what to say if it does not.

pub mod copies;
pub mod lost;
pub mod restoring;

use std::path::{Path, PathBuf};

use crate::elsewhere::Elsewhere;
use crate::keys::trust;
use crate::known::copies::KnownGames;
use crate::office::{Notice, Office, Trouble, name};
use crate::own_game::OwnGame;
use crate::receive::arrivals::Arrivals;
use crate::receive::decision as receive;
use crate::receive::decision::{Arrival, parted_in_words};
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Advice;
use postrider_kernel::advice::{Act, Insist};
use postrider_kernel::text::printable;
use postrider_mail::incoming::from_letters;
use postrider_referee::desk::Desk;
use postrider_referee::record::{Item, Time};
use postrider_referee::verdict::{Difference, Opened, Relation, compare, receipts};
use postrider_vault::locked::OwnKey;

/// How a file differs from what was last known of its game.
pub struct Rewritten {
    /// What is different, in words.
    pub what: String,
    /// Whether it only lacks the last entries.
    older: bool,
    difference: Option<Difference>,
    /// The file with the known record.
    kept: PathBuf,
    /// The last entry for which the player has signed a receipt in the known record, and which the file has otherwise.
    receipted: Option<u32>,
}

impl Rewritten {
    /// Describes it in a few lines; `origin` is what the game is called.
    pub fn in_words(&self, origin: &str) -> Advice {
        let mut text = format!("{origin} does not continue the record that postrider last knew: {}\n", self.what);
        if let Some(Difference { here, there, .. }) = &self.difference {
            let shown =
                |line: &str| if line.is_empty() { "(nothing)".to_owned() } else { printable(line).into_owned() };
            text.push_str(&format!("  known: {}\n  file:  {}\n", shown(here), shown(there)));
        }
        let kept = name(&self.kept);
        advice![
            format!("{text}the known record is kept in {kept}; "),
            Act::Restore(origin.to_owned()),
            " brings it back\n"
        ]
    }
}

fn store(office: &Office<'_>) -> KnownGames {
    KnownGames::new(office.folders())
}

/// Compares the record in a file with what was last known of its game; `None` if it continues from there, or nothing is
/// known.
pub fn rewritten(office: &Office<'_>, id: &str, source: &[u8]) -> Result<Option<Rewritten>, Trouble> {
    let known = store(office);
    let failed = |error: std::io::Error| Trouble::of(format!("what was last known of {id} cannot be read: {error}"));
    // Entries are appended, so almost always one is the beginning of the other.
    if known.goes_on_in(id, source).map_err(failed)? {
        return Ok(None);
    }
    let Some(record) = known.record(id).map_err(failed)? else { return Ok(None) };
    let kept = known.file(id).map_err(failed)?;
    let (Ok(mut here), Ok(there)) = (Opened::new(&record), Opened::new(source)) else { return Ok(None) };
    let (older, what, difference) = match compare(&mut here, &there) {
        Relation::Same | Relation::Newer { .. } => return Ok(None),
        Relation::Older { entries } => {
            let plural = if entries == 1 { "entry" } else { "entries" };
            (true, format!("it has only {entries} {plural}, and later ones were made or taken here"), None)
        }
        parted => match parted_in_words(&parted) {
            Some((what, difference)) => (false, what, difference.cloned()),
            None => return Ok(None),
        },
    };
    let receipted = receipted(office, &record, source);
    Ok(Some(Rewritten { what, older, difference, kept, receipted }))
}

/// When the newest entry of a record arrived, if the opponent made it and that was noted.
pub(crate) fn arrival_of(office: &Office<'_>, opened: &Opened<'_>, own: Side) -> Result<Option<Arrival>, Trouble> {
    let standing = opened.table.standing();
    if standing.clocks.is_none() {
        return Ok(None);
    }
    let Some((_, line)) = receive::newest(opened).filter(|(side, _)| *side == own.other()) else { return Ok(None) };
    let notes = Arrivals::new(office.folders());
    notes
        .of(&opened.header.id, standing.entries, &line)
        .map_err(|error| Trouble::of(format!("{}: {error}", office.folders().arrivals().display())))
}

/// Refuses to date an entry by a clock that was set back or has never been set: the entry would be dated before the letter that it
/// answers, or before the game. A time that the player gives is the player's own.
pub(crate) fn guard_clock(office: &Office<'_>, opened: &Opened<'_>, now: Time) -> Result<(), Trouble> {
    let standing = opened.table.standing();
    if standing.last.is_none() && opened.header.clock.is_none() {
        return Ok(());
    }
    let notes = Arrivals::new(office.folders());
    let arrived = receive::newest(opened)
        .and_then(|(_, line)| notes.of(&opened.header.id, standing.entries, &line).ok().flatten());
    match receive::odd_clock(opened, now, notes.looked(), arrived) {
        None => Ok(()),
        Some(what) => Err(Trouble::of(what).advise(advice![
            "set the clock of this machine, or give the time of the entry yourself: ",
            Insist::ThisTime
        ])),
    }
}

/// The last entry for which the player's own key has signed a receipt in the record that is known, where the file has another there.
fn receipted(office: &Office<'_>, known: &[u8], file: &[u8]) -> Option<u32> {
    memchr::memmem::find(known, receipts::HEAD.as_bytes())?;
    let own: Vec<_> = office.keyring().own_keys().ok()?.iter().map(OwnKey::public).collect();
    let (desk, other) = (Desk::open(known).ok()?, Desk::open(file).ok()?);
    let found = receipts::of(&desk.opened, &desk.digests).into_iter().filter_map(|(_, read)| read.ok());
    let mine = found
        .filter(|one| trust::key_of(&desk.opened, one.side).is_some_and(|key| own.contains(&key)))
        .map(|one| one.entry);
    mine.filter(|&entry| desk.digests.get(entry) != other.digests.get(entry)).max()
}

/// Warns if the file of a game does not continue from what was last known of it.
pub fn warn(office: &Office<'_>, opened: &Opened<'_>, source: &[u8], origin: &str) {
    match rewritten(office, &opened.header.id, source) {
        Ok(Some(rewritten)) => office.warn(rewritten.in_words(origin)),
        Ok(None) => {}
        Err(trouble) => office.tell(Notice::Trouble(trouble)),
    }
}

/// Prevents entries in a game that was handed over, and in a file that does not continue from what was last known of its game, unless the
/// player accepts that.
pub fn guard(
    office: &Office<'_>,
    opened: &Opened<'_>,
    source: &[u8],
    origin: &str,
    accept: bool,
) -> Result<(), Trouble> {
    Elsewhere::new(office.folders()).guard(&opened.header.id)?;
    let Some(rewritten) = rewritten(office, &opened.header.id, source)? else { return Ok(()) };
    if let (true, Some(entry)) = (accept, rewritten.receipted) {
        office.tell(Notice::Note(rewritten.in_words(origin)));
        return Err(Trouble::of(format!(
            "you have signed a receipt for entry {entry} as it was: an entry that goes on from another would speak against you"
        ))
        .advise("a game that is taken up again from an earlier point by agreement takes a new id (Z2)"));
    }
    if accept {
        return Ok(());
    }
    office.tell(Notice::Note(rewritten.in_words(origin)));
    Err(Trouble::of("nothing was entered: first say which record is true")
        .advise(advice![Insist::Rewritten, " takes the file as it is, once you have read what changed"]))
}

/// What a rewritten file must not be used for until the player has said which record is true.
#[derive(Debug, Clone, Copy)]
pub enum Use {
    /// Accepting mail for the game.
    Receive,
    /// Sending it: the opponent would get a past that the player has not agreed to.
    Send,
}

/// Prevents such a use of a file that does not continue from what was last known of its game. A file that only lacks the
/// last entries can be sent, and can accept them.
pub fn guard_mail(
    office: &Office<'_>,
    opened: &Opened<'_>,
    source: &[u8],
    origin: &str,
    purpose: Use,
) -> Result<(), Trouble> {
    let rewritten = match rewritten(office, &opened.header.id, source)? {
        None | Some(Rewritten { older: true, .. }) => return Ok(()),
        Some(rewritten) => rewritten,
    };
    office.tell(Notice::Note(rewritten.in_words(origin)));
    let refusal = match purpose {
        Use::Receive => "nothing is accepted for this game: first say which record is true",
        Use::Send => "nothing was sent: first say which record is true",
    };
    Err(Trouble::of(refusal).advise(advice![
        Act::Restore(origin.to_owned()),
        ", or an entry of yours with ",
        Insist::Rewritten
    ]))
}

/// Keeps the record that was just written to `file` as what is known, and where it is. If that fails, the entry has still been made.
pub fn remember(game: &OwnGame<'_>, record: &[u8], file: &Path) {
    remember_moved(game, record, file, None);
}

/// The same after an entry that was made here, with the name of the side that it was made for: the player's own, unless entries of both
/// are made here.
pub(crate) fn remember_moved(game: &OwnGame<'_>, record: &[u8], file: &Path, moved: Option<&str>) {
    let (office, id) = (game.office, game.id());
    if let Err(error) = store(office).remember(id, record) {
        office.warn(format!("what is known of {id} could not be kept: {error}"));
    }
    let at = store(office).place_of(file);
    let noted = game.note(|sides| {
        sides.at = at.clone().or(sides.at.take());
        if let Some(word) = moved.filter(|word| !sides.moved.iter().any(|other| other == word)) {
            sides.moved.push(word.to_owned());
        }
    });
    // Without the place the record is found by its name.
    if let (Err(trouble), Some(_)) = (noted, moved) {
        office.tell(Notice::Trouble(trouble));
    }
}

/// Returns whether the player is the only one who keeps the record of a game: the opponent was said to have nothing but a mail program,
/// and no entry of the opponent's has come in a record or a block.
#[must_use]
pub fn keeps_alone(game: &OwnGame<'_>, opened: &Opened<'_>, opponent: Side) -> bool {
    let noted = game.sides().is_ok_and(|sides| sides.by_mail && !sides.invited);
    let from_letters = from_letters(opened);
    let mut body = opened.body();
    let mut entries = std::iter::from_fn(|| body.next_item()).filter_map(|item| match item {
        Item::Entry(entry) if entry.side == opponent => u32::try_from(entry.number).ok(),
        _ => None,
    });
    noted && entries.all(|number| from_letters.contains_key(&number))
}
