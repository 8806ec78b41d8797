//! Which side of a game is the player's who runs the program.

use crate::games::kernel::Side;
use crate::store::{Keyring, Secrets, Settings};
use crate::verdict::Opened;

/// The player's own side: the one with the mail address of the settings in the header, or else the one that signs by the player's
/// key, or else, in a sealed game, the one whose secret is in the key store; none where nothing tells, or both sides would be.
pub(super) fn side(opened: &Opened<'_>, settings: &Settings) -> Option<Side> {
    let only = |is: &dyn Fn(Side) -> bool| match Side::BOTH.map(is) {
        [true, false] => Some(Side::First),
        [false, true] => Some(Side::Second),
        _ => None,
    };
    let here = settings.email.as_deref();
    let by_address = |side: Side| {
        let own = opened.header.player(side).email.as_deref();
        own.zip(here).is_some_and(|(own, here)| own.eq_ignore_ascii_case(here))
    };
    let secrets = Secrets::new(&settings.folders);
    let by_secret = |side: Side| {
        let word = opened.header.info.sides[side.index()].word;
        secrets.path(&opened.header.id, word).is_ok_and(|path| path.exists())
    };
    let signs = |side: Side| {
        let key = opened.table.signatures().and_then(|signatures| signatures.key(side));
        key.is_some_and(|key| {
            let own = Keyring::new(&settings.folders).own();
            own.is_ok_and(|own| own.is_some_and(|own| own.public() == key))
        })
    };
    only(&by_address).or_else(|| only(&signs)).or_else(|| opened.table.seals().and_then(|_| only(&by_secret)))
}
