//! What the player's secrets open: the game after the openings that are due, and seals that cannot be opened.

use crate::elsewhere::Elsewhere;
use crate::keys::{Keys, goes_on_elsewhere, trust};
use crate::office::{Office, Trouble};
use crate::own_game::OwnGame;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::advice::Advice;
use postrider_referee::judging::Table;
use postrider_referee::sealing::seals::seal as sealed;
use postrider_referee::sealing::{KeyStore as _, Owner, Secret, recall, sealed_thing};
use postrider_referee::verdict::Opened;
use postrider_vault::remembered::Remembered;

/// Returns the game after the openings that are due, if the secret in this key store can make them: only its owner sees
/// that.
pub fn after_openings(office: &Office<'_>, opened: &Opened<'_>) -> Result<Option<Box<dyn Table>>, Trouble> {
    let standing = opened.table.standing();
    if opened.table.seals().is_none() || standing.outcome.is_some() {
        return Ok(None);
    }
    let side = standing.due.side;
    let mut keys = Keys::new(office, opened, side, true);
    // A player without the secret of the side that is due is its opponent, or a spectator.
    if keys.secret(false)?.is_none() {
        return Ok(None);
    }
    let game = opened.header.id.clone();
    let ground = opened.ground(side, true);
    let mut owner = Owner::new(&game, opened.header.info.sides[side.index()].word, &mut keys, ground);
    Ok(opened.table.after_opening(&mut owner)?)
}

/// Returns a warning, as early as possible, if another machine goes on with the game as well, or the seal that a player published last cannot
/// be opened here.
pub fn warning(office: &Office<'_>, opened: &Opened<'_>) -> Option<Advice> {
    two_machines(office, opened).or_else(|| unopened(office, opened))
}

/// Warns if a machine of the player's that is not this one goes on with the game as well.
pub fn two_machines(office: &Office<'_>, opened: &Opened<'_>) -> Option<Advice> {
    let own = OwnGame::new(office, &opened.header.id).side(opened)?;
    let place = Elsewhere::new(office.folders()).of(&opened.header.id).ok()?;
    goes_on_elsewhere(office, opened, own, &place)
}

/// Returns a warning if the seal that a player published last cannot be opened here. The secret in the key store, or the mail address in the
/// settings, shows the owner of the key store.
fn unopened(office: &Office<'_>, opened: &Opened<'_>) -> Option<Advice> {
    let seals = opened.table.seals()?;
    if opened.table.standing().outcome.is_some() {
        return None;
    }
    let address = office.settings().ok().and_then(|settings| settings.email.as_deref());
    let secrets = office.secrets();
    for side in Side::BOTH {
        let word = seals.word(side);
        let Some(last) = seals.newest_closed(side) else { continue };
        let fits = |secret: &Secret| {
            let payload = Remembered::new(office.folders()).payload(seals.game(), word, secret, &last.seal);
            let nonce = seals.nonce(secret, &opened.header_hash(), &last);
            let payloads = |each: &mut dyn FnMut(&str) -> bool| opened.table.payloads(side, &last.label, each);
            let opens = |payload: &String| sealed(seals.game(), word, &last.label, payload, &nonce) == last.seal;
            payload.as_ref().is_some_and(opens)
                || recall(seals.game(), word, &last.label, &last.seal, &nonce, &payloads).is_some()
        };
        let own = opened.header.player(side).email.as_deref();
        let mine = own.zip(address).is_some_and(|(own, here)| postrider_mail::address::is_same(own, here));
        let why = match secrets.read_for(seals.game(), word, &opened.game_hash()) {
            Ok(Some(secret)) if fits(&secret) => continue,
            Ok(Some(_)) => "the secret of this game that is kept here is another one".to_owned(),
            Ok(None) if mine => "the secret of this game is not kept here".to_owned(),
            Ok(None) => continue,
            Err(error) => error.to_string(),
        };
        let named = opened.header.info.sides[side.index()].named();
        return Some(advice![
            format!(
                "{} of {named}, sealed in entry {}, cannot be opened here: {why}\nif it has to be opened, {named} can only resign, or lose \
                 on time; ",
                sealed_thing(&last.label),
                last.entry
            ),
            Act::ImportSecret,
            " brings the secret back from a backup\n"
        ]);
    }
    None
}

/// Warns about a missing secret, and about keys that differ from the trusted ones, after an entry that was made here.
pub fn warn_of_secrets(office: &Office<'_>, opened: &Opened<'_>) {
    trust::warn_of_keys(office, opened);
    if let Some(warning) = unopened(office, opened) {
        office.warn(warning);
    }
}

/// Warns about the same, and about another machine that goes on with the game.
pub fn warn(office: &Office<'_>, opened: &Opened<'_>) {
    if let Some(warning) = two_machines(office, opened) {
        office.warn(warning);
    }
    warn_of_secrets(office, opened);
}
