//! Through whose eyes a game is shown: the player's own view, where it is known who that is and the secret is here.

use super::hosting::is_kept;
use super::openings::after_openings;
use super::{Keys, Office, Trouble, has_secret, own};
use crate::desk::{Desk, EntryRequest};
use crate::games::kernel::{Side, Viewer};
use crate::mail::Choices;
use crate::referee::Table;
use crate::scene::Scene;
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
        true => after_openings(office, &desk.opened)?.filter(|after| after.standing().outcome.is_none()),
        false => None,
    };
    let unrevealed = desk.opened.table.copy();
    let viewer = confided(office, &mut desk.opened, side)?;
    let mut scene = desk.scene(viewer);
    if let Some(mut before) = desk.before_last() {
        // Otherwise everything that only this player sees would be marked as new.
        confided(office, &mut before.opened, side)?;
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
