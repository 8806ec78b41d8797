//! Chooses the view of a game: the player's own, if the side is known and its secret is here.

use crate::entry::openings::after_openings;
use crate::hosting::is_kept;
use crate::keys::{Keys, has_secret};
use crate::office::{Office, Trouble};
use postrider_kernel::scene::Scene;
use postrider_kernel::{Side, Viewer};
use postrider_mail::Choices;
use postrider_referee::desk;
use postrider_referee::desk::{Desk, EntryRequest, Refusal};
use postrider_referee::judging::Table;
use postrider_referee::sealing::{Check, Owner};
use postrider_referee::verdict::Opened;

/// Tells the game what the player's own secret of a side reveals, and returns that side as the viewer; the public view if the secret is
/// not here. The warning about a seal that cannot be opened is given elsewhere.
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

/// Lists what only this side may see beside the board, one line each: its own hand, tokens, what its dice show, and so on.
#[must_use]
pub fn hidden(office: &Office<'_>, opened: &Opened<'_>, side: Side) -> Vec<String> {
    if opened.table.seals().is_none() {
        return Vec::new();
    }
    let copy = Opened::with_table(opened.text.as_bytes(), opened.table.copy()).ok();
    let seen = copy.and_then(|copy| Seen::of(office, copy, None, Reader::Owner(side), true).ok());
    let Some(Seen { scene: own, .. }) = seen.filter(|seen| seen.viewer != Viewer::Public) else { return Vec::new() };
    let public = opened.table.view(Viewer::Public);
    let shelves = own.shelves.iter().filter(|shelf| shelf.side == side && !public.shelves.contains(shelf));
    let shelves = shelves.map(|shelf| format!("{}, {}", shelf.title, shelf.text));
    let captions = own.captions.iter().filter(|caption| !public.captions.contains(caption));
    shelves.chain(captions.map(|(label, text)| format!("{label}, {text}"))).collect()
}

/// Who looks at a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The player of this side, whose secret must be here if anything is sealed.
    Player(Side),
    /// The player of this side in the own home; without the secret, that player sees what all see.
    Owner(Side),
    /// Anybody else, who sees what all see.
    Observer,
}

/// A game as one reader may see it: nothing in it depends on a secret of anybody else.
pub struct Seen<'a> {
    /// The record, with the game as the reader may know it: for a player who has something to open, after that.
    pub opened: Opened<'a>,
    /// Who looks: everybody, if the secret of the side is not here.
    pub viewer: Viewer,
    /// The scene, with marks for what the last entry did.
    pub scene: Scene,
    /// Whether the reader's own openings are shown, which are not entered yet (Z12).
    pub foreseen: bool,
}

impl<'a> Seen<'a> {
    /// Draws the position of a replayed record for one reader; every view of a game in the owner's home or in a letter to one player is
    /// made here. `before`: the same record replayed to the entry before, for the marks. `newest`: whether the record ends with this
    /// position, so that the openings with which the reader's entry must begin are shown; nobody else sees those.
    ///
    /// # Errors
    /// For [`Reader::Player`], if the secret that the side has sealed with is not here, or is another one.
    pub fn of(
        office: &Office<'_>,
        mut opened: Opened<'a>,
        before: Option<Opened<'_>>,
        reader: Reader,
        newest: bool,
    ) -> Result<Self, Trouble> {
        let standing = opened.table.standing();
        let last = opened.table.signatures().and_then(|signatures| signatures.last());
        let blows = last.map(|(_, line)| opened.table.blows(desk::parts(line).0)).unwrap_or_default();
        let opens = |side: Side| newest && standing.outcome.is_none() && standing.due.side == side;
        // Whoever opens dice sees them before choosing the turn, as at the table (Z13). Before anything is revealed: openings are made
        // from what the record alone says.
        let after = match reader {
            Reader::Player(side) if opens(side) => after_openings(office, &opened)?,
            // Of what cannot be opened there is a warning elsewhere.
            Reader::Owner(side) if opens(side) => after_openings(office, &opened).unwrap_or_default(),
            _ => None,
        };
        let foreseen = after.map(|after| opened.table = after).is_some();
        let viewer = match reader {
            Reader::Player(side) => confided(office, &mut opened, side)?,
            Reader::Owner(side) => of(office, &mut opened, side),
            Reader::Observer => Viewer::Public,
        };
        let mut scene = opened.table.view(viewer);
        if let Some(mut before) = before {
            // Otherwise everything that only this reader sees would be marked as new.
            if let Viewer::Side(side) = viewer {
                of(office, &mut before, side);
            }
            scene.mark_since(&before.table.view(viewer));
        }
        scene.blows = blows;
        Ok(Self { opened, viewer, scene, foreseen })
    }
}

/// Returns the scenes after the entries from `first` to `last`, as everybody sees them, or the player of a side whose home this is.
/// `replayed`: the same record, which was replayed.
///
/// # Errors
/// If the record cannot be replayed, or the secret that the side has sealed with is not here.
pub fn scenes(
    reader: Option<(&Office<'_>, Side)>,
    source: &[u8],
    replayed: &Opened<'_>,
    (first, last): (u32, u32),
) -> Result<Vec<Scene>, Trouble> {
    let refused = |verdict| Trouble::refusal("the record", Refusal::Record(verdict));
    let mut opened = Opened::new(source).map_err(refused)?;
    opened.table.set_check(Check::Nothing);
    let mut seen = Vec::new();
    let take = |_, scene| seen.push(scene);
    let Some((office, side)) = reader else {
        desk::scenes::scenes(&mut opened, (first, last), Viewer::Public, |_| Ok::<_, Trouble>(()), |_| true, take)?;
        return Ok(seen);
    };
    let mut keys = replayed.table.seals().map(|_| Keys::new(office, replayed, side, true));
    let (game, word) = (replayed.header.id.clone(), replayed.header.info.sides[side.index()].word);
    let ground = replayed.ground(side, true);
    let tell = |table: &mut dyn Table| {
        let Some(keys) = &mut keys else { return Ok(()) };
        table.reveal_to_owner(side, &mut Owner::new(&game, word, keys, ground.clone()))
    };
    desk::scenes::scenes(&mut opened, (first, last), Viewer::Side(side), tell, |_| true, take)?;
    Ok(seen)
}

/// A game as a letter of the host shows it to one player.
pub struct Told<'a> {
    /// What the player sees.
    pub seen: Seen<'a>,
    /// What the player may enter; nothing, if that is not the player's turn.
    pub choices: Choices,
}

/// Shows a game as a letter of the host may show it to the player of a side. The secret of that side is used, if the host keeps it, and
/// no other.
///
/// # Errors
/// If the record is not legal, or the secret that the side has sealed with is not here.
pub fn told<'a>(office: &Office<'_>, source: &'a [u8], side: Side) -> Result<Told<'a>, Trouble> {
    let desk = Desk::open(source).map_err(|refusal| Trouble::refusal("the record", refusal))?;
    // Whoever has a key keeps what is hidden too, and the host knows no more of that than anybody.
    let knows = is_kept(&desk.opened, side) || desk.opened.table.seals().is_none();
    let reader = if knows { Reader::Player(side) } else { Reader::Observer };
    let opened = of_desk(&desk)?;
    let seen = Seen::of(office, opened, desk.before_last().map(|before| before.opened), reader, true)?;
    let standing = desk.opened.table.standing();
    let is_due = knows && standing.outcome.is_none() && standing.due.side == side;
    let choices = if is_due { choices(office, &desk, &seen.opened, side) } else { Choices::default() };
    Ok(Told { seen, choices })
}

/// The record on a desk once more, to be shown with what only its reader may know.
///
/// # Errors
/// If it is not legal.
pub fn of_desk<'a>(desk: &Desk<'a>) -> Result<Opened<'a>, Trouble> {
    let opened = Opened::with_table(desk.opened.text.as_bytes(), desk.opened.table.copy());
    opened.map_err(|verdict| Trouble::refusal("the record", Refusal::Record(verdict)))
}

/// What a side may enter, as its player types it: the host adds what is sealed.
fn choices(office: &Office<'_>, desk: &Desk<'_>, shown: &Opened<'_>, side: Side) -> Choices {
    let mut keys = Keys::new(office, &desk.opened, side, true);
    let time = desk.opened.table.standing().last.unwrap_or_else(|| office.now());
    let mut is_legal = |actions: &str| {
        let request = EntryRequest { actions, message: None, time, time_asked: true };
        desk.actions(&request, &mut keys).is_ok()
    };
    // A turn may begin with a card that is shown by what only its owner knows.
    let mut openings = Keys::new(office, &desk.opened, side, true);
    let table = shown.table.as_ref();
    let mut next = |begun: &str| {
        let follows = table.read(begun).and_then(|typed| typed.next()).ok();
        follows.or_else(|| desk::completed(shown, begun, &mut openings).ok()?.next().ok())
    };
    Choices::among(desk.opened.header.info, table, &mut is_legal, &mut next)
}
