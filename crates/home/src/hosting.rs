//! Games that this home hosts (Z38 to Z40): it plays no side, signs for each side without a key of its own, and keeps a secret for each of
//! those.

use crate::keys::statements;
use crate::office::{Office, Trouble};
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::text::printable;
use postrider_referee::record::{Header, is_game_id};
use postrider_referee::sealing::{PublicKey, SeatProof};
use postrider_referee::verdict::Opened;

/// What a record says of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    pub name: String,
    /// The mail address.
    pub email: Option<String>,
    pub key: PublicKey,
}

/// Returns what new records say of this home as their host: the name and address in the settings, and the key here.
///
/// # Errors
/// If this is not the home of a host, or one of them is missing.
pub fn of_home(office: &Office<'_>) -> Result<Host, Trouble> {
    let settings = office.settings()?;
    if !settings.hosts {
        return Err(Trouble::of("this is not the home of a host")
            .advise("`hosts: true` in settings.yaml makes it one, which plays no side of any game"));
    }
    let name = settings.name.clone().ok_or_else(|| {
        Trouble::of("the host has no name").advise("set `name:` in settings.yaml, as players are to know the host")
    })?;
    let own = office.keyring().own()?;
    let own = own.ok_or_else(|| {
        Trouble::of("the host has no key, and signs for players who have none")
            .advise(advice![Act::NewKey, " makes one"])
    })?;
    Ok(Host { name, email: settings.email.clone(), key: own.public() })
}

/// Like [`of_home`], for a game that begins: none begins with a key that is withdrawn.
///
/// # Errors
/// Those of [`of_home`], and if the host's key is withdrawn.
pub fn of_new_game(office: &Office<'_>) -> Result<Host, Trouble> {
    let host = of_home(office)?;
    let key = host.key.fingerprint();
    match statements::since(&office.keyring().statements()?, &key) {
        None => Ok(host),
        Some(since) => Err(Trouble::of(format!("the host's key is {key}, {since}: no game declares it any more"))
            .advise(advice![Act::RotateKey, " makes another"])),
    }
}

/// The name of the note that the person who runs the host makes this entry. Each entry has its own note, so a run that has told of one
/// never removes the next.
#[must_use]
pub fn note_of_entry(id: &str, number: u32) -> String {
    match number {
        0 => id.to_owned(),
        number => format!("{id}.{number}"),
    }
}

/// Reads the name of such a note: the id and the number. In older homes it is the id alone, for which the number is 0.
#[must_use]
pub fn entry_of_note(name: &str) -> Option<(&str, u32)> {
    let (id, number) = match name.split_once('.') {
        Some((id, number)) => (id, number.parse().ok()?),
        None => (name, 0),
    };
    is_game_id(id).then_some((id, number))
}

/// Notes for the host of this home, if it is one, that the person who runs it makes an entry in a game. The run that finds the entry in
/// the record writes to both players.
///
/// # Errors
/// If that cannot be written down.
pub(crate) fn tell_of_entry(office: &Office<'_>, id: &str, number: u32) -> Result<(), Trouble> {
    let folder = office.folders().host();
    if !office.settings()?.hosts || !is_game_id(id) {
        return Ok(());
    }
    let (disk, folder) = (office.disk(), folder.join("made"));
    disk.private_folder(&folder).map_err(|error| Trouble::of(format!("{}: {error}", folder.display())))?;
    let since = format!("{}\n", office.now().0);
    disk.put_private(&folder.join(note_of_entry(id, number)), since.as_bytes()).map(drop).map_err(Trouble::File)
}

/// Signs for a host that the player's key is the player's (Z41). `code`: the key of the host, a colon, and the code that it has sent.
///
/// # Errors
/// If that is not what a host sends, there is no key, it is withdrawn, or it is not opened.
pub fn prove(office: &Office<'_>, code: &str) -> Result<SeatProof, Trouble> {
    let parts = code.trim().split_once(':').and_then(|(host, code)| {
        let host = PublicKey::read(host.as_bytes()).ok()?;
        Some((host, code))
    });
    let odd = || {
        Trouble::of(format!("`{}` is not a host's code", printable(code))).advise(
            "it is in the letter by which the host has answered `key KEY`: its key, a colon, and 16 letters and digits",
        )
    };
    let (host, code) = parts.ok_or_else(odd)?;
    let own = office.own_key()?;
    if let Some(since) = statements::since(&office.keyring().statements()?, &own.public().fingerprint()) {
        return Err(Trouble::of(format!("your key {}, {since}", own.public().fingerprint()))
            .advise(advice![Act::RotateKey, " makes you another"]));
    }
    SeatProof::signed(&office.unlocked(own)?, host, code).ok_or_else(odd)
}

/// Returns whether this home is the host of a game: its settings say that it hosts, and the header names its key. A header alone makes
/// nobody a host, because the beginner of a game writes it.
#[must_use]
pub fn keeps(office: &Office<'_>, header: &Header<'_>) -> bool {
    let Some(host) = header.host.as_deref() else { return false };
    office.settings().is_ok_and(|settings| settings.hosts) && office.own_keys().is_ok_and(|own| own.contains(&host.key))
}

/// Returns whether a side of a record that was replayed is kept by its host: it has no key of its own.
#[must_use]
pub fn is_kept(opened: &Opened<'_>, side: Side) -> bool {
    opened
        .table
        .signatures()
        .is_some_and(|signatures| signatures.host().is_some() && signatures.own_key(side).is_none())
}
