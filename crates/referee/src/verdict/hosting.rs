//! The host of a game: for whom it signs, and what it could know (Z38, Z40).

use super::Opened;
use crate::record::Secrecy;
use postrider_kernel::Side;
use postrider_kernel::text::printable;

/// Returns for which sides the host signs (Z38): those without a key of their own, as far as the record was replayed. None without a host.
#[must_use]
pub fn kept(opened: &Opened<'_>) -> [bool; 2] {
    let hosted = opened.header.host.is_some();
    let own = |side: Side| match opened.table.signatures() {
        Some(signatures) => signatures.own_key(side).is_some(),
        None => opened.header.player(side).key.is_some(),
    };
    Side::BOTH.map(|side| hosted && !own(side))
}

/// Says for whom the host of a game signs: `The Mill <games@example.com> enters and signs for white and black`. `None` without a host.
#[must_use]
pub fn signs_for(opened: &Opened<'_>) -> Option<String> {
    let host = opened.header.host.as_deref()?;
    let name = printable(&host.name);
    let name = host.email.as_deref().map_or_else(|| name.to_string(), |email| format!("{name} <{}>", printable(email)));
    let sides = opened.header.info.sides.map(|side| side.named());
    let whom = match kept(opened) {
        [true, true] => sides.join(" and "),
        [true, false] => sides[0].clone(),
        [false, true] => sides[1].clone(),
        [false, false] => "nobody: both players have keys".to_owned(),
    };
    Some(format!("{name} enters and signs for {whom}"))
}

/// Says what the host of a sealed game could know and what it cannot do (Z40). `None` without a host, and where it keeps no secret.
#[must_use]
pub fn could_know(opened: &Opened<'_>) -> Option<String> {
    if opened.header.secrecy != Secrecy::Sealed {
        return None;
    }
    let sides = opened.header.info.sides;
    let one = |kept: Side| {
        let (kept, other) = (sides[kept.index()], sides[kept.other().index()]);
        format!(
            "the host holds the secret of {}: it could read it and, before the game, choose it; it cannot change it afterwards. {} {} a secret \
             of {} own",
            kept.named(),
            other.named(),
            other.verb("keep", "keeps"),
            other.verb("their", "its"),
        )
    };
    match kept(opened) {
        [true, true] => Some(
            "the host holds the secrets of both sides: it could read them and, before the game, choose them; it cannot change them \
             afterwards"
                .to_owned(),
        ),
        [true, false] => Some(one(Side::First)),
        [false, true] => Some(one(Side::Second)),
        [false, false] => None,
    }
}
