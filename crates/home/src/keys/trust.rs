//! How far the keys of a record are trusted, and the words about an unexpected one.

use crate::keys::statements;
use crate::office::{Office, Trouble};
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Advice;
use postrider_kernel::advice::{Act, Insist};
use postrider_kernel::text::printable;
use postrider_referee::record::{Header, Player};
use postrider_referee::sealing::{KeyFault, PublicKey, Statement, Withdrawn, withdrawn};
use postrider_referee::verdict::{Opened, only_declared};
use postrider_vault::keyring::{KeyringError, Trusted};
use postrider_vault::locked::{OwnKey, read_ssh_public};

/// How far the key of a side is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyStanding<'a> {
    /// Nothing is known about the player's keys.
    New,
    /// It is the key that was confirmed.
    Trusted,
    /// It is the key that the player used first.
    Pinned,
    /// It is one that names this confirmed or used key as its successor: no new game begins with it.
    Former(&'a Trusted),
    /// The player should have this key.
    Another(&'a Trusted),
}

/// Returns the key that a player should have: by the address in the header, or by the name if the name is typed by the
/// player or the header has no address, so that leaving out the address does not make a key look new.
pub fn expected<'a>(player: &Player<'_>, trusted: &'a [Trusted]) -> Option<&'a Trusted> {
    // An address as it was noted goes before another one of the same mailbox.
    let noted = |who: &str| trusted.iter().find(|one| postrider_mail::address::is_same(&one.who, who));
    let of = |who: &str| noted(who).or_else(|| trusted.iter().find(|one| one.is_of(who)));
    match player.email.as_deref() {
        Some(email) => of(email).or_else(|| trusted.iter().find(|one| !one.pinned && one.is_of(&player.name))),
        None => of(&player.name),
    }
}

/// Returns how far the key that a side signs with is trusted.
pub(crate) fn key_standing<'a>(player: &Player<'_>, key: &PublicKey, trusted: &'a [Trusted]) -> KeyStanding<'a> {
    match expected(player, trusted) {
        None => KeyStanding::New,
        Some(one) if one.former.contains(&key.fingerprint()) => KeyStanding::Former(one),
        Some(one) if one.fingerprint != key.fingerprint() => KeyStanding::Another(one),
        Some(one) if one.pinned => KeyStanding::Pinned,
        Some(_) => KeyStanding::Trusted,
    }
}

/// Returns the key of a side of a record that was replayed.
pub fn key_of(opened: &Opened<'_>, side: Side) -> Option<PublicKey> {
    opened.table.signatures().and_then(|signatures| signatures.key(side))
}

/// Returns the signer for a side of a game: the player, or the host in the player's place (Z38).
pub fn signer<'h>(header: &'h Header<'_>, side: Side, key: &PublicKey) -> Player<'h> {
    let borrowed =
        |name: &'h str, email: Option<&'h str>| Player { name: name.into(), email: email.map(Into::into), key: None };
    match header.host.as_deref() {
        Some(host) if host.key == *key => borrowed(&host.name, host.email.as_deref()),
        _ => borrowed(&header.player(side).name, header.player(side).email.as_deref()),
    }
}

/// Returns whether it is the host that signs for a side.
pub fn by_host(header: &Header<'_>, key: Option<&PublicKey>) -> bool {
    key.is_some() && header.host.as_ref().map(|host| &host.key) == key
}

/// Says how far the key that a side signs with is trusted, and how to confirm it.
pub fn told(office: &Office<'_>, player: &Player<'_>, key: &PublicKey) -> Advice {
    let who = player.email.as_deref().unwrap_or(&player.name);
    let confirm = advice![
        format!("ask {} by some way other than mail whether it is theirs, then ", printable(&player.name)),
        Act::TrustKey(printable(who).into_owned(), key.fingerprint(), false)
    ];
    match key_standing(player, key, &office.trusted()) {
        KeyStanding::New => Advice::from("new to you: ").and(confirm),
        KeyStanding::Pinned => Advice::from("the one used before, not confirmed: ").and(confirm),
        KeyStanding::Trusted => "trusted".into(),
        KeyStanding::Former(known) => format!("the one before {}, which has taken its place", known.fingerprint).into(),
        KeyStanding::Another(known) => format!("not {}, the one you know", known.fingerprint).into(),
    }
}

/// Returns the key of a side that another one has taken the place of, with the fingerprint of that one.
pub fn former(opened: &Opened<'_>, trusted: &[Trusted]) -> Option<(PublicKey, String)> {
    Side::BOTH.into_iter().find_map(|side| {
        let key = key_of(opened, side)?;
        match key_standing(&signer(&opened.header, side, &key), &key, trusted) {
            KeyStanding::Former(known) => Some((key, known.fingerprint.clone())),
            _ => None,
        }
    })
}

/// Returns the fingerprint of the key that was confirmed for a player.
pub fn confirmed(office: &Office<'_>, player: &Player<'_>) -> Option<String> {
    expected(player, &office.trusted()).filter(|known| !known.pinned).map(|known| known.fingerprint.clone())
}

/// Trusts a key of a player in place of any other.
pub fn trust(office: &Office<'_>, player: &Player<'_>, fingerprint: &str) -> Result<(), Trouble> {
    let who = player.email.as_deref().unwrap_or(&player.name);
    let done = office.keyring().trust(&Trusted::new(fingerprint, who, false), true);
    office.forget_trust();
    Ok(done?)
}

/// Reads a public key as players give one: base64, PEM, or as OpenSSH writes it.
///
/// # Errors
/// Why it is none.
pub fn public_key(text: &str) -> Result<PublicKey, KeyFault> {
    PublicKey::read(text.trim().as_bytes())
        .or_else(|fault| PublicKey::from_pem(text).ok().or_else(|| read_ssh_public(text.trim())).ok_or(fault))
}

/// Parses a fingerprint as players give one, with any signs between its digits; `None` if it is not one.
#[must_use]
pub fn fingerprint(text: &str) -> Option<String> {
    let plain = |c: &char| !matches!(c, '-' | ' ' | ':');
    let digits = text.chars().filter(plain).collect::<String>().to_ascii_lowercase();
    if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some(digits.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join("-"))
}

/// Trusts the key with this fingerprint to be somebody's, as the player has confirmed. `instead`: in place of another one, if need be.
///
/// # Errors
/// If the key is withdrawn, another one is trusted or was used before and is to stay, or it cannot be noted.
pub fn confirm(office: &Office<'_>, who: &str, fingerprint: &str, instead: bool) -> Result<Trusted, Trouble> {
    let new = Trusted::new(fingerprint, who, false);
    let keyring = office.keyring();
    if let Some(since) = statements::since(&keyring.statements()?, fingerprint) {
        return Err(Trouble::of(format!("it is the key {fingerprint}, {since}: it is trusted no more"))
            .advise(format!("ask {} by some way other than mail which key comes next", printable(who))));
    }
    let known = keyring.trusted()?;
    keyring.trust(&new, instead).map_err(|error| match error {
        KeyringError::Differs(_) => Trouble::from(error).advise(advice![
            "ask by some way other than mail which one is right; ",
            Act::TrustKey(who.to_owned(), fingerprint.to_owned(), true),
            " trusts the new one in its place"
        ]),
        error => error.into(),
    })?;
    office.forget_trust();
    tell_rivals(office, &new, known.iter().filter(|one| one.is_of(who)))?;
    Ok(new)
}

/// Warns if a key that somebody had before names two successors: then somebody else has that key too, and may have named the one that is
/// trusted now.
fn tell_rivals<'t>(
    office: &Office<'_>,
    new: &Trusted,
    before: impl Iterator<Item = &'t Trusted>,
) -> Result<(), Trouble> {
    let statements = office.keyring().statements()?;
    let mut told = Vec::new();
    for one in before.filter(|one| one.fingerprint != new.fingerprint) {
        let Some(Withdrawn::Between(first, second)) = withdrawn(&statements, &one.fingerprint) else { continue };
        let warning = format!(
            "two successors of {} were named, {} and {}: one of them by somebody else who has that key. {} is trusted now; make sure by some \
             way other than mail that it is the one of {}",
            one.fingerprint,
            first.fingerprint(),
            second.fingerprint(),
            new.fingerprint,
            printable(&new.who)
        );
        // A person may be known by an address and by a name.
        if !told.contains(&warning) {
            office.warn(warning.clone());
            told.push(warning);
        }
    }
    Ok(())
}

/// Trusts no key of somebody any longer, given by address, name, or the key's fingerprint. Returns the keys that were trusted or seen.
///
/// # Errors
/// If there were none, or it cannot be noted.
pub fn forget(office: &Office<'_>, who: &str) -> Result<Vec<Trusted>, Trouble> {
    let gone = office.keyring().untrust(who)?;
    office.forget_trust();
    if gone.is_empty() {
        return Err(Trouble::of(format!("no key of {} is trusted or known here", printable(who)))
            .advise(advice![Act::ShowKey, " lists the keys that are"]));
    }
    Ok(gone)
}

/// Notes the opponent's key as the one this opponent used first, if there is one and none is known yet.
pub fn pin(office: &Office<'_>, opened: &Opened<'_>, own: Side) {
    let Some(key) = key_of(opened, own.other()).filter(|key| Some(key) != key_of(opened, own).as_ref()) else { return };
    let player = &signer(&opened.header, own.other(), &key);
    let keyring = office.keyring();
    if key_standing(player, &key, &office.trusted()) != KeyStanding::New {
        return;
    }
    let names = player.email.iter().chain([&player.name]).map(|name| &**name);
    if let Err(error) = keyring.pin(&key.fingerprint(), names) {
        office.warn(format!("the key of {} could not be noted: {error}", printable(&player.name)));
    }
    office.forget_trusted();
}

/// Refuses to sign or enter anything against an opponent with a key other than the known one, unless the player
/// insists.
pub fn guard(office: &Office<'_>, opened: &Opened<'_>, despite: bool) -> Result<(), Trouble> {
    if despite {
        return Ok(());
    }
    if Signing::of(opened).by_one_key() {
        return Err(Trouble::of("both sides of this record have the same key, so one of them signs for the other")
            .advise(advice!["ask your opponent which key is right; ", Insist::DespiteKey, " continues anyway"]));
    }
    // Without the list nobody could tell another's key from the opponent's.
    let trusted = office.keyring().trusted()?;
    for side in Side::BOTH {
        let (player, who) = (opened.header.player(side), opened.header.info.sides[side.index()]);
        let key = key_of(opened, side);
        let by_host = by_host(&opened.header, key.as_ref());
        if key.is_none() || by_host {
            // A key may still come with the side's first entry (E10).
            let made = opened.table.standing().made.get(side.index()).is_some_and(|made| *made > 0);
            if let Some(known) = expected(player, &trusted).filter(|known| made && !known.pinned) {
                let what = format!(
                    "{} should be {}, whose key you trust ({}), but {}",
                    who.named(),
                    printable(&known.who),
                    known.fingerprint,
                    if by_host { SIGNED_BY_HOST } else { NOT_SIGNED }
                );
                return Err(Trouble::of(what).advise(advice![
                    "ask your opponent by some way other than mail who made these entries; ",
                    Insist::DespiteKey,
                    " continues without a key"
                ]));
            }
        }
        let Some(key) = key else { continue };
        if let KeyStanding::Another(known) = key_standing(&signer(&opened.header, side, &key), &key, &trusted) {
            let how = if known.pinned { "has used before" } else { "has, as you trust" };
            let declares = if by_host {
                "the host declares".to_owned()
            } else {
                format!("{} {}", who.named(), who.verb("declare", "declares"))
            };
            let what = format!(
                "{declares} the key {}, and not the one that {} {how}: {}",
                key.fingerprint(),
                printable(&known.who),
                known.fingerprint
            );
            return Err(Trouble::of(what).advise(advice![
                "ask by some way other than mail which one is right; ",
                Act::TrustKey(printable(&known.who).into_owned(), key.fingerprint(), true),
                " trusts the new one, and ",
                Insist::DespiteKey,
                " continues without"
            ]));
        }
    }
    Ok(())
}

/// Who signs a record, as far as warnings about keys are concerned. A verdict tells as much as a replay.
pub struct Signing<'a> {
    /// The record's header.
    pub header: &'a Header<'a>,
    /// The sides' keys.
    pub keys: [Option<PublicKey>; 2],
    /// How many entries each side has made.
    pub made: [u32; 2],
    /// Whether the keys have signed anything in it.
    pub signed: [bool; 2],
}

impl<'a> Signing<'a> {
    /// Returns who signs a replayed record.
    pub fn of(opened: &'a Opened<'_>) -> Self {
        let keys = Side::BOTH.map(|side| key_of(opened, side));
        let signed = only_declared(opened).map(|key| key.is_none());
        Self { header: &opened.header, keys, made: opened.table.standing().made, signed }
    }

    /// Returns whether both sides of a record sign with the same key: then one of them signs for the other.
    pub fn by_one_key(&self) -> bool {
        let [first, second] = self.keys;
        first.is_some() && first == second && !by_host(self.header, first.as_ref())
    }

    /// Returns warnings about the keys of a record, one line each: a key other than the one known for a player, a missing key,
    /// or one key for both sides.
    pub fn distrust(&self, trusted: &[Trusted], statements: &[Statement]) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.by_one_key() {
            warnings.push("both sides have the same key, so one of them signs for the other".to_owned());
        }
        for (side, key) in Side::BOTH.into_iter().zip(self.keys).filter(|_| !statements.is_empty()) {
            let Some(key) = key.map(|key| key.fingerprint()) else { continue };
            if let Some(since) = statements::since(statements, &key) {
                let side = self.header.info.sides[side.index()];
                warnings.push(format!("{} {} with the key {key}, {since}", side.named(), side.verb("sign", "signs")));
            }
        }
        for side in Side::BOTH {
            let key = self.keys[side.index()];
            let by_host = by_host(self.header, key.as_ref());
            if by_host {
                self.distrust_host(side, trusted, &mut warnings);
            }
            let player = self.header.player(side);
            let Some(known) = expected(player, trusted) else { continue };
            let named = self.header.info.sides[side.index()].named();
            let what = match key.filter(|_| !by_host) {
                Some(key) if known.has(&key.fingerprint()) => continue,
                Some(key) => format!("this record declares another key, {}", key.fingerprint()),
                // A key may still come with the side's first entry (E10), and a player who has signed before need not
                // always sign.
                None if known.pinned || self.made[side.index()] == 0 => continue,
                None => if by_host { SIGNED_BY_HOST } else { NOT_SIGNED }.to_owned(),
            };
            let who = printable(&known.who);
            let how = if known.pinned { "who has used another key before" } else { "whose key you trust" };
            warnings.push(format!("{named} should be {who}, {how} ({}), but {what}", known.fingerprint));
        }
        warnings
    }

    /// Adds the warning that the host of a game, who signs for a side, has another key than the one known for it. It is given once.
    fn distrust_host(&self, side: Side, trusted: &[Trusted], warnings: &mut Vec<String>) {
        let Some(host) = self.header.host.as_deref() else { return };
        if side == Side::Second && by_host(self.header, self.keys[0].as_ref()) {
            return;
        }
        if let KeyStanding::Another(known) = key_standing(&signer(self.header, side, &host.key), &host.key, trusted) {
            let how = if known.pinned { "who has used another key before" } else { "whose key you trust" };
            warnings.push(format!(
                "the host should be {}, {how} ({}), but this record declares another key, {}",
                printable(&known.who),
                known.fingerprint,
                host.key.fingerprint()
            ));
        }
    }
}

/// What is said of a side whose player has a key that is trusted, and does not sign.
const NOT_SIGNED: &str = "this record is not signed by that side";
/// The same in a hosted game.
const SIGNED_BY_HOST: &str = "in this record the host signs for that side";

/// Returns what is wrong with the key of the opponent of `mine`, judged by the address that a letter came from: a header that
/// leaves out the opponent's address makes no key look new. Nothing if the header has an address.
pub(crate) fn distrust_of_sender(opened: &Opened<'_>, mine: Side, from: &str, trusted: &[Trusted]) -> Option<String> {
    let side = mine.other();
    if opened.header.player(side).email.is_some() {
        return None;
    }
    let known = trusted.iter().find(|one| one.is_of(from))?;
    let named = opened.header.info.sides[side.index()].named();
    // The host writes the letters of a hosted game, whoever plays.
    let by_host = |key: &PublicKey| by_host(&opened.header, Some(key));
    let what = match key_of(opened, side) {
        Some(key) if by_host(&key) => return None,
        Some(key) if known.has(&key.fingerprint()) => return None,
        Some(key) => format!("this record declares another key, {}", key.fingerprint()),
        None if known.pinned || opened.table.standing().made[side.index()] == 0 => return None,
        None => "this record is not signed by that side".to_owned(),
    };
    let how = if known.pinned { "which has used another key before" } else { "whose key you trust" };
    Some(format!("it comes from {}, {how} ({}), but for {named} {what}", printable(from), known.fingerprint))
}

/// Returns the warnings about the keys of a replayed record: see [`Signing::distrust`].
pub fn distrust(office: &Office<'_>, opened: &Opened<'_>, trusted: &[Trusted]) -> Vec<String> {
    Signing::of(opened).distrust(trusted, &office.statements())
}

/// Returns the reasons why a record does not count as signed with trusted keys, one line each; empty if both sides sign
/// with the player's own key or with one that was confirmed.
pub fn untrusted(office: &Office<'_>, signing: &Signing<'_>, trusted: &[Trusted]) -> Vec<String> {
    let own: Vec<PublicKey> =
        office.keyring().own_keys().map(|keys| keys.iter().map(OwnKey::public).collect()).unwrap_or_default();
    let statements = office.statements();
    let mut lacks = Vec::new();
    for side in Side::BOTH {
        let who = signing.header.info.sides[side.index()];
        let (named, signs) = (who.named(), who.verb("sign", "signs"));
        match signing.keys[side.index()] {
            None => lacks.push(format!("{named} {} not sign", who.verb("do", "does"))),
            Some(key) if !signing.signed[side.index()] => {
                let whose = if by_host(signing.header, Some(&key)) { " of the host" } else { "" };
                let declares = who.verb("declare", "declares");
                lacks
                    .push(format!("{named} {declares} the key {}{whose}, which has signed nothing", key.fingerprint()));
            }
            Some(key) if statements::since(&statements, &key.fingerprint()).is_some() => {
                lacks.push(format!("{named} {signs} with {}, which was withdrawn", key.fingerprint()));
            }
            Some(key) if own.contains(&key) => {}
            Some(key) => match key_standing(&signer(signing.header, side, &key), &key, trusted) {
                KeyStanding::Trusted => {}
                KeyStanding::Former(known) if !known.pinned => {}
                _ => lacks.push(format!("{named} {signs} with {}, which you do not trust", key.fingerprint())),
            },
        }
    }
    if signing.by_one_key() {
        lacks.push("both sides have the same key".to_owned());
    }
    lacks
}

/// Warns about keys that differ from the trusted ones.
pub fn warn_of_keys(office: &Office<'_>, opened: &Opened<'_>) {
    for warning in distrust(office, opened, &office.trusted()) {
        office.warn(warning);
    }
}
