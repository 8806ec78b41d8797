//! A game as its player sees it, and as everybody does.

use postrider_home::own_game::OwnGame;
use serde::Deserialize;
use serde_json::{Value, json};

use super::files::file_of;
use postrider_home::conditions::decision::State;
use postrider_home::elsewhere::Elsewhere;
use postrider_home::entry::{dating, moves, openings, own, view};
use postrider_home::invite::kept::Invitations;
use postrider_home::keys::{Keys, has_entered, has_secret, trust};
use postrider_home::office::{Office, Trouble};
use postrider_home::send::letters;
use postrider_home::send::letters::Place;
use postrider_home::{conditions, known, records, secrets};
use postrider_kernel::scene::Scene;
use postrider_kernel::{Next, Side, Viewer};
use postrider_referee::desk;
use postrider_referee::desk::scenes::scenes;
use postrider_referee::desk::{Desk, Refusal};
use postrider_referee::judging::{Beside, Table};
use postrider_referee::record::Secrecy;
use postrider_referee::sealing::{Check, Ground, Owner};
use postrider_referee::verdict::Opened;
use postrider_requests::{Shown, illustrated, offered, then};

/// Which position to show, and to whom.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Look {
    game: String,
    at: Option<u32>,
    #[serde(default)]
    begun: String,
    from: Option<String>,
    look: Option<String>,
    /// What is to be pointed out in it, if the game can.
    mark: Option<String>,
    /// Whether it is shown as everybody sees it.
    #[serde(default)]
    public: bool,
}

/// The record of a game or an invitation, and what only its player may know.
pub(super) fn game(office: &Office<'_>, id: &str) -> Result<Value, Trouble> {
    let file = file_of(office, id)?;
    let waits = Invitations::new(office.folders()).waiting().unwrap_or_default().iter().any(|waiting| waiting == id);
    let source = if waits && !office.disk().has(&file).unwrap_or(false) {
        Invitations::new(office.folders())
            .record(id)
            .map_err(|error| postrider_home::invite::invitations::failed(&error))?
    } else {
        records::read(office, Place { file: &file, name: id })?
    };
    let text = String::from_utf8_lossy(&source).into_owned();
    let mut opened = match Opened::new(&source) {
        Ok(opened) => opened,
        Err(_) => return Ok(json!({ "record": text, "game": id })),
    };
    opened.table.set_check(Check::Nothing);
    opened.replay(u32::MAX);
    let game = &OwnGame::new(office, &opened.header.id);
    let mine = game.side(&opened);
    let standing = opened.table.standing();
    let word = |side: Side| opened.header.info.sides[side.index()].word;
    let key = |side: Side| {
        let player = opened.header.player(side);
        trust::key_of(&opened, side).map(|key| {
            json!({
                "side": word(side), "fingerprint": key.fingerprint(), "trusted": trust::confirmed(office, player).as_deref() == Some(&*key.fingerprint()),
                "told": super::words::advice(&trust::told(office, player, &key)),
            })
        })
    };
    let keys: Vec<Value> = Side::BOTH.into_iter().filter_map(key).collect();
    let handed = standing.outcome.is_none() && Elsewhere::new(office.folders()).is_over(&opened.header.id);
    let is_mine = mine == Some(standing.due.side) && standing.outcome.is_none() && !handed;
    let forced = !handed && mine.is_some_and(|own| moves::is_forced(office, &opened, own));
    let secrets = Side::BOTH.iter().any(|side| has_secret(office, &opened, *side));
    let publishable = secrets && secrets::lacks(office, &opened).unwrap_or(true);
    let twice = openings::two_machines(office, &opened).is_some();
    let warning = openings::warning(office, &opened).map(|advice| super::words::advice(&advice));
    let desk = Desk::open(&source).ok();
    let sent = desk.as_ref().is_some_and(|desk| !letters::is_owed(game, desk));
    // Faults in the note are told where it is used.
    let asked_back = desk.as_ref().and_then(|desk| dating::asked_back(office, desk).ok().flatten());
    let last = postrider_home::receive::decision::newest(&opened).map(|(side, _)| side);
    let sealed = opened.header.secrecy == Secrecy::Sealed;
    let (over, own_word) = (standing.outcome.is_some(), mine.map(word));
    let hidden = mine.map(|own| view::hidden(office, &opened, own)).unwrap_or_default();
    // Faults in them are told where they are used.
    let prepared = if waits { Vec::new() } else { conditions::all(office, &opened).unwrap_or_default() };
    let prepared = prepared.into_iter().find(|one| Some(one.conditions.side.as_str()) == own_word);
    let reply = prepared.as_ref().and_then(|one| match &one.state {
        State::Ready { theirs, mine } => Some(json!({ "theirs": theirs, "mine": mine })),
        _ => None,
    });
    let elsewhere = prepared.as_ref().is_some_and(|one| one.state == State::Elsewhere);
    let branches = prepared.map(|one| one.conditions.branches).unwrap_or_default();
    let invited = game.was_invited();
    let by_mail = mine.is_some_and(|own| known::keeps_alone(game, &opened, own.other()));
    Ok(json!({
        "invited": invited, "by_mail": by_mail,
        "conditions": branches, "reply": reply, "elsewhere": elsewhere,
        "record": text, "game": id, "waits": waits, "handed": handed, "own": own_word, "is_mine": is_mine && !waits && !twice, "twice": twice, "forced": forced && !twice, "hidden": hidden,
        "keys": keys, "sealed": sealed, "over": over, "publishable": sealed && over && publishable, "published": sealed && over && secrets && !publishable, "warning": warning,
        "own_last": mine.is_some() && mine == last, "sent": sent, "asked_back": asked_back,
    }))
}

/// Shows a position to the player, or as everybody sees it.
pub(super) fn position(office: &Office<'_>, look: &Look) -> Result<Value, Trouble> {
    let file = file_of(office, &look.game)?;
    let source = records::read(office, Place { file: &file, name: &look.game })?;
    let opened_anew = || Opened::new(&source).map_err(|verdict| Trouble::refusal(&look.game, Refusal::Record(verdict)));
    let mut whole = opened_anew()?;
    whole.table.set_check(Check::Nothing);
    let entries = whole.replay(u32::MAX).entries;
    let at = look.at.unwrap_or(entries);
    let own_side = OwnGame::new(office, &whole.header.id).side(&whole);
    let mine = own_side.filter(|_| !look.public);
    let info = whole.header.info;
    let from = match &look.from {
        Some(word) => own::named(&whole, word)?,
        None => own_side.unwrap_or(Side::First),
    };
    let knows = mine.is_some_and(|own| whole.table.seals().is_none() || has_secret(office, &whole, own));
    // Before the first entry there is no secret yet; what is tried then is sealed with one that is made up.
    let has_view = knows || mine.is_some_and(|own| !has_entered(&whole, own));
    let viewer = mine.filter(|_| has_view).map_or(Viewer::Public, Viewer::Side);
    // What the player's secret reveals is told where the position is. What is in the record is known to the ground of the whole, what is
    // only tried to the table of that alone.
    let mut opened = opened_anew()?;
    opened.table.set_check(Check::Nothing);
    let mut shown: Option<Scene> = None;
    let id = opened.header.id.clone().into_owned();
    let word = |side: Side| info.sides[side.index()].word;
    let mut keys = mine.map(|own| Keys::new(office, &whole, own, true));
    let tell = |keys: &mut Option<Keys<'_>>, table: &mut dyn Table, tried: bool| -> Result<(), Trouble> {
        let is_told = table.seals().is_some() && (knows || tried);
        let (Viewer::Side(side), Some(keys), true) = (viewer, keys, is_told) else { return Ok(()) };
        let made = whole.ground(side, true);
        // A first entry that is only tried does not show yet that its side commits to a secret.
        let ground = if tried {
            let tried = whole.ground_at(table, side, true);
            Ground { spot: tried.spot.or(made.spot), ..tried }
        } else {
            made
        };
        let mut owner = Owner::new(&id, word(side), keys, ground);
        table.reveal_to_owner(side, &mut owner)?;
        Ok(())
    };
    scenes(
        &mut opened,
        (at, at),
        viewer,
        |table| tell(&mut keys, table, false),
        |_| true,
        |_, scene| shown = Some(scene),
    )?;
    let mut scene =
        shown.ok_or_else(|| Trouble::of(format!("there is no entry {at}: the record has {entries} legal ones")))?;
    let entry = opened.table.standing().entries;
    let mut line = opened.table.position();
    let is_newest = at == entries && mine == Some(opened.table.standing().due.side);
    let begun = look.begun.trim();
    let after = if is_newest && viewer != Viewer::Public {
        // What the player can open is seen before it is entered.
        if begun.is_empty() {
            openings::after_openings(office, &opened)?
        } else {
            keys.as_mut().and_then(|keys| tried(&opened, begun, keys))
        }
    } else if at < entries && !begun.is_empty() {
        // A part of an entry that was made, which needs nothing to be complete.
        let beside = Beside::to_try(&opened.table.standing());
        opened.table.read(begun).ok().and_then(|typed| typed.seen(&beside))
    } else {
        None
    };
    if let Some(mut after) = after.filter(|after| !begun.is_empty() || after.standing().outcome.is_none()) {
        tell(&mut keys, after.as_mut(), is_newest)?;
        scene = then(&opened, &scene, after.as_ref(), viewer, begun);
        line = after.position();
    }
    if let Some(marked) = look.mark.as_deref().and_then(|mark| opened.table.marked(viewer, mark)) {
        scene = marked;
    }
    let title = format!("{}, after entry {entry}", info.title);
    illustrated(&Shown {
        scene: &scene,
        sides: &info.sides,
        from,
        look: look.look.as_deref(),
        title: &title,
        entry,
        position: line,
    })
    .map_err(Trouble::of)
}

/// The game after what was begun, with the openings that it needs; nothing if nothing can be seen of it yet.
fn tried(opened: &Opened<'_>, begun: &str, keys: &mut Keys<'_>) -> Option<Box<dyn Table>> {
    desk::completed(opened, begun, keys).ok()?.seen(&Beside::to_try(&opened.table.standing()))
}

/// Lists what may follow the beginning of an entry, as its player may know it.
pub(super) fn next(office: &Office<'_>, id: &str, begun: &str, seed: u32) -> Result<Value, Trouble> {
    let file = file_of(office, id)?;
    let source = records::read(office, Place { file: &file, name: id })?;
    let mut desk = records::on_desk(&source, id)?;
    let opened = &mut desk.opened;
    let standing = opened.table.standing();
    if standing.outcome.is_some() {
        return Ok(json!({ "actions": [], "whole": false }));
    }
    let begun = begun.trim();
    let side = standing.due.side;
    let after = if begun.is_empty() { openings::after_openings(office, opened)? } else { None };
    let found = match after.filter(|after| after.standing().outcome.is_none()) {
        Some(after) => Next { actions: after.moves(), whole: false, ..Next::default() },
        None if begun.is_empty() && !opened.header.info.stepwise => {
            Next { actions: opened.table.moves(), whole: false, ..Next::default() }
        }
        None => {
            let mut keys = Keys::new(office, opened, side, true);
            desk::next(opened, begun, &mut keys).map_err(|refusal| Trouble::refusal(id, refusal))?
        }
    };
    Ok(offered(opened.header.info, side, found, seed))
}
