//! Through whose eyes a game is shown: the player's own view, where it is known who that is and the secret is here.

use super::{Keys, Office, Trouble, has_secret, own};
use crate::games::kernel::{Side, Viewer};
use crate::sealing::Owner;
use crate::verdict::Opened;

/// Returns the player's own side as the viewer, and tells the game what the player's own secret reveals; the public
/// view if the player's side is not known, or the secret is not here. The warning about a seal that cannot be opened is
/// given elsewhere.
#[must_use]
pub fn mine(office: &Office<'_>, opened: &mut Opened<'_>) -> Viewer {
    let Some(side) = office.settings().ok().and_then(|settings| own::side(opened, settings)) else {
        return Viewer::Public;
    };
    of(office, opened, side)
}

/// Does the same for a known side.
#[must_use]
pub fn of(office: &Office<'_>, opened: &mut Opened<'_>, side: Side) -> Viewer {
    if opened.table.seals().is_some() && !has_secret(office, opened, side) {
        return Viewer::Public;
    }
    confided(office, opened, side).unwrap_or(Viewer::Public)
}

/// Tells the game what the secret of a side reveals, and returns that side as the viewer.
///
/// # Errors
/// If the secret is not here, or is not the one that the record's seals were made with.
pub fn confided(office: &Office<'_>, opened: &mut Opened<'_>, side: Side) -> Result<Viewer, Trouble> {
    if opened.table.seals().is_none() {
        return Ok(Viewer::Side(side));
    }
    let word = opened.header.info.sides[side.index()].word;
    let mut keys = Keys::new(office, opened, side, true);
    let game = opened.header.id.clone();
    let ground = opened.ground(side, true);
    let mut owner = Owner::new(&game, word, &mut keys, ground);
    opened.table.reveal_to_owner(side, &mut owner)?;
    Ok(Viewer::Side(side))
}

/// Lists what only this side may see beside the board, one line each: its own hand, tokens and so on.
#[must_use]
pub fn hidden(office: &Office<'_>, opened: &mut Opened<'_>, side: Side) -> Vec<String> {
    let viewer = of(office, opened, side);
    if viewer == Viewer::Public || opened.table.seals().is_none() {
        return Vec::new();
    }
    let (own, public) = (opened.table.view(viewer), opened.table.view(Viewer::Public));
    let shelves = own.shelves.iter().filter(|shelf| shelf.side == side && !public.shelves.contains(shelf));
    let shelves = shelves.map(|shelf| format!("{}, {}", shelf.title, shelf.text));
    let captions = own.captions.iter().filter(|caption| !public.captions.contains(caption));
    shelves.chain(captions.map(|(label, text)| format!("{label}, {text}"))).collect()
}
