//! Games that this home hosts (Z38 to Z40): it plays no side, signs for each side without a key of its own, keeps a secret for each of
//! those, and shows each player what that player may see.

use super::view;
use super::{Act, Keys, Office, Trouble, trust};
use crate::advice::advice;
use crate::desk::{Desk, EntryRequest};
use crate::games::kernel::{Side, Viewer};
use crate::mail::Choices;
use crate::record::Header;
use crate::referee::Table;
use crate::scene::Scene;
use crate::sealing::PublicKey;
use crate::verdict::Opened;

/// What a record says of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The name.
    pub name: String,
    /// The mail address.
    pub email: Option<String>,
    /// The public key.
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
    let own = office.keyring().own().map_err(|error| Trouble::of(error.to_string()))?;
    let own = own.ok_or_else(|| {
        Trouble::of("the host has no key, and signs for players who have none")
            .advise(advice![Act::NewKey, " makes one"])
    })?;
    Ok(Host { name, email: settings.email.clone(), key: own.public() })
}

/// Returns whether this home is the host of a game: its settings say that it hosts, and the header names its key. A header alone makes
/// nobody a host, because whoever begins a game writes it.
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

/// Who reads a letter of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The player of this side.
    Player(Side),
    /// Anybody else, who sees what all see.
    Observer,
}

/// A game as one reader may see it: nothing in it depends on a secret of anybody else.
pub struct Seen<'a> {
    /// The record, with the game as the reader may know it: for a player whose dice are to be opened, after that.
    pub opened: Opened<'a>,
    /// The scene, with marks for what the last entry did.
    pub scene: Scene,
    /// What the reader may enter; nothing, if that is not the reader's turn.
    pub choices: Choices,
}

/// Shows a game as a reader may see it. The secret of the reader's side is used, if the host keeps it, and no other.
///
/// # Errors
/// If the record is not legal, or the secret that the reader's side has sealed with is not here.
pub fn seen<'a>(office: &Office<'_>, source: &'a [u8], reader: Reader) -> Result<Seen<'a>, Trouble> {
    let mut desk = Desk::open(source).map_err(|refusal| Trouble::refusal("the record", refusal))?;
    let Reader::Player(side) = reader else {
        let scene = desk.scene(Viewer::Public);
        return Ok(Seen { opened: desk.opened, scene, choices: Choices::default() });
    };
    // Whoever has a key keeps what is hidden too, and the host knows no more of that than anybody.
    let is_open = desk.opened.table.seals().is_none();
    if !is_kept(&desk.opened, side) && !is_open {
        let scene = desk.scene(Viewer::Public);
        return Ok(Seen { opened: desk.opened, scene, choices: Choices::default() });
    }
    let standing = desk.opened.table.standing();
    let is_due = standing.outcome.is_none() && standing.due.side == side;
    // Whoever opens dice sees them before choosing the turn, as at the table (Z13).
    let after = match is_due {
        true => trust::after_openings(office, &desk.opened)?.filter(|after| after.standing().outcome.is_none()),
        false => None,
    };
    let unrevealed = desk.opened.table.copy();
    let viewer = view::confided(office, &mut desk.opened, side)?;
    let mut scene = desk.scene(viewer);
    if let Some(mut before) = desk.before_last() {
        // Otherwise everything that only this player sees would be marked as new.
        view::confided(office, &mut before.opened, side)?;
        let blows = std::mem::take(&mut scene.blows);
        scene = after.as_ref().map_or_else(|| desk.opened.table.view(viewer), |after| after.view(viewer));
        scene.mark_since(&before.opened.table.view(viewer));
        scene.blows = blows;
    }
    let revealed = std::mem::replace(&mut desk.opened.table, unrevealed);
    let shown = after.unwrap_or(revealed);
    let choices = if is_due { choices(office, &desk, shown.as_ref(), side) } else { Choices::default() };
    desk.opened.table = shown;
    Ok(Seen { opened: desk.opened, scene, choices })
}

/// What a side may enter, as its player types it: the host adds what is sealed.
fn choices(office: &Office<'_>, desk: &Desk<'_>, shown: &dyn Table, side: Side) -> Choices {
    let mut keys = Keys::new(office, &desk.opened, side, true);
    let time = desk.opened.table.standing().last.unwrap_or_else(|| office.now());
    let mut is_legal = |actions: &str| {
        let request = EntryRequest { actions, message: None, time, time_asked: true };
        desk.actions(&request, &mut keys).is_ok()
    };
    Choices::among(desk.opened.header.info, shown, &mut is_legal)
}
