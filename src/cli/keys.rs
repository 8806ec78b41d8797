//! The key store for the command line: whose secret or key is used, created or missing, and what is said about it.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Once;

use super::hints::{Failure, arg, quoted};
use super::passphrase::{self, Locked};
use super::{confirm, known, own, withdrawn};
use crate::desk;
use crate::games::kernel::{Lost, Seal, Side};
use crate::record::{Header, Item, Player};
use crate::referee::Table;
use crate::sealing::seals::seal as sealed;
use crate::sealing::{
    Digest, Done, KeyStore, NotSigned, Owner, PublicKey, Secret, Signature, Statement, Unsigned, recall, signed_text,
};
use crate::store::{
    self, Folders, Journal, JournalError, Keyring, OwnKey, Remembered, Restored, Secrets, Settings, SignedTurn,
    Trusted, random_secret,
};
use crate::text::printable;
use crate::verdict::Opened;

/// The secret of one side of one game, fetched or created when it is first needed, and the player's key.
pub(super) struct Keys {
    keyring: Keyring,
    journal: Journal,
    /// Whether this entry may declare the player's key, if it is the side's first.
    declare: bool,
    /// The record's name, for hints.
    origin: String,
    /// The names and keys of the sides.
    signers: Vec<(&'static str, PublicKey)>,
    secrets: Secrets,
    remembered: Remembered,
    restored: Restored,
    /// The number of the side's newest entry in the record, if the side signs.
    newest: Option<u32>,
    /// Whether the player has said that no entries of this game were made elsewhere.
    pub(super) only_here: bool,
    game: String,
    /// The hash of the game's header.
    header: Digest,
    side: &'static str,
    /// Whether nothing may be written; a secret that is created is then discarded.
    dry: bool,
    at_hand: Option<Secret>,
    /// Where a secret was created.
    pub(super) made: Option<PathBuf>,
    /// The entry that was signed for this turn before, if another one was refused because of it.
    pub(super) earlier: Option<String>,
    /// Whether the key store or the journal could not be read or written: a temporary problem, and no reason to give
    /// up.
    pub(super) passing: bool,
}

impl Keys {
    /// The keys of one side in the game of a record.
    pub(super) fn new(opened: &Opened<'_>, side: Side, dry: bool) -> Result<Self, Failure> {
        let folders = folders()?;
        let word = opened.header.info.sides[side.index()].word;
        Ok(Self {
            keyring: Keyring::new(&folders),
            journal: Journal::new(&folders),
            declare: false,
            origin: String::new(),
            signers: Vec::new(),
            secrets: Secrets::new(&folders),
            remembered: Remembered::new(&folders),
            restored: Restored::new(&folders),
            newest: None,
            only_here: false,
            game: opened.header.id.clone().into_owned(),
            header: opened.game_hash(),
            side: word,
            dry,
            at_hand: None,
            made: None,
            earlier: None,
            passing: false,
        })
    }

    /// The keys for the next entry of the record in a file. `unsigned`: whether the player wants no key to be declared.
    pub(super) fn to_move(opened: &Opened<'_>, origin: &str, dry: bool, unsigned: bool) -> Result<Self, Failure> {
        let side = opened.table.standing().due.side;
        let key_of = |side: Side| opened.table.signatures().and_then(|signatures| signatures.key(side));
        let signer = |side: Side| Some((opened.header.info.sides[side.index()].word, key_of(side)?));
        let signers = Side::BOTH.into_iter().filter_map(signer).collect();
        let newest = key_of(side).filter(|_| !dry).and_then(|_| newest_of(opened, side));
        let keys = Self { origin: origin.to_owned(), signers, newest, ..Self::new(opened, side, dry)? };
        // Why a key cannot be used is reported once it is needed.
        if unsigned || known::is_unsigned(&opened.header.id) || matches!(keys.keyring.own(), Ok(None)) {
            return Ok(keys);
        }
        let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
        // A player who moves for the other side, at one table or by mistake, does not sign for it.
        let declare = settings.sign && own::find(opened, &settings)? != Some(side.other());
        Ok(Self { declare, ..keys })
    }

    /// Returns what to say about a secret that was just created.
    pub(super) fn notice(&self) -> Option<String> {
        let path = self.made.as_ref()?;
        Some(format!(
            "a secret for {} in {} was made: {}\nwhatever is sealed for {} can be opened only with it; whoever loses it can only \
             resign or lose on time. `postrider secret export BACKUP` copies it\n",
            self.side,
            self.game,
            path.display(),
            self.side
        ))
    }
}

/// The number of the newest entry of a side.
fn newest_of(opened: &Opened<'_>, side: Side) -> Option<u32> {
    let mut body = opened.body();
    let mut newest = None;
    for _ in 0..opened.text.len() {
        match body.next_item() {
            Some(Item::Entry(entry)) if entry.side == side => newest = u32::try_from(entry.number).ok(),
            Some(_) => {}
            None => break,
        }
    }
    newest
}

fn folders() -> Result<Folders, Failure> {
    Folders::find().map_err(|error| Failure::trouble(error.to_string()))
}

/// Opens the key store.
pub(super) fn store() -> Result<Secrets, Failure> {
    Ok(Secrets::new(&folders()?))
}

impl KeyStore for Keys {
    fn secret(&mut self, make: bool) -> Result<Option<Secret>, Lost> {
        let lost = |error: crate::store::SecretsError| Lost(error.to_string());
        if self.at_hand.is_none() {
            let read = self.secrets.read_for(&self.game, self.side, &self.header);
            self.passing |= read.is_err();
            self.at_hand = read.map_err(lost)?;
            if self.at_hand.is_some() && !self.dry {
                let bound = self.secrets.bind(&self.game, self.side, &self.header);
                self.passing |= bound.is_err();
                bound.map_err(lost)?;
            }
        }
        if self.at_hand.is_none() && make {
            self.at_hand = Some(if self.dry {
                random_secret(&store::random).map_err(lost)?
            } else {
                self.made = Some(self.secrets.path(&self.game, self.side).map_err(lost)?);
                self.secrets.make(&self.game, self.side, &self.header, &store::random).map_err(lost)?
            });
        }
        Ok(self.at_hand.clone())
    }

    fn commits(&self) -> bool {
        true
    }

    fn remember(&mut self, seal: &Seal, payload: &str) {
        if let Some(secret) = self.at_hand.as_ref().filter(|_| !self.dry) {
            self.remembered.remember(&self.game, self.side, secret, seal, payload);
        }
    }

    fn remembered(&mut self, seal: &Seal) -> Option<String> {
        self.remembered.payload(&self.game, self.side, self.at_hand.as_ref()?, seal)
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| Lost(format!("the system has no random numbers: {error}")))?;
        Ok(bytes)
    }

    fn key(&mut self, declared: Option<PublicKey>) -> Result<Option<PublicKey>, NotSigned> {
        if declared.is_none() && !self.declare {
            return Ok(None);
        }
        // A game that declares a key goes on with it, although another one has taken its place.
        let former = declared.and_then(|key| self.keyring.own_of(&key).transpose());
        let own = former.map_or_else(|| self.keyring.own(), |key| key.map(Some));
        self.passing |= own.is_err();
        let own = own.map_err(|error| NotSigned {
            why: error.to_string(),
            hint: "without it nothing can be signed; `--unsigned` declares no key with a first entry".into(),
        })?;
        let own = own.map(|key| key.public());
        if let Some(key) = own.filter(|_| declared.is_none()) {
            let key = key.fingerprint();
            if let Some(since) = withdrawn::since(&withdrawn::statements(), &key) {
                return Err(NotSigned {
                    why: format!("your key is {key}, {since}: no game declares it any more"),
                    hint: "`postrider key rotate` makes you another; `--unsigned` declares none".into(),
                });
            }
        }
        // One key for both sides would sign for the other.
        if declared.is_none() && self.signers.iter().any(|(_, key)| Some(key) == own.as_ref()) {
            return Ok(None);
        }
        let Some(key) = declared.filter(|key| own.as_ref() != Some(key)) else { return Ok(own) };
        let there = match own {
            None => "which is not in this key store".to_owned(),
            Some(own) => format!("and the key in this key store is another, {}", own.fingerprint()),
        };
        let word = |key: &PublicKey| self.signers.iter().find(|(_, other)| other == key).map(|(word, _)| *word);
        let whose = word(&key).unwrap_or("this side");
        let hint = match own.as_ref().and_then(word) {
            Some(own) => format!("your key is that of {own}: the opponent makes this entry"),
            None => "`postrider key import BACKUP` brings a key back; an entry without its signature is illegal (Z32)"
                .into(),
        };
        Err(NotSigned {
            why: format!(
                "the entry of {whose} is signed by the key {}, {there}: it cannot be made here",
                key.fingerprint()
            ),
            hint,
        })
    }

    fn sign(&mut self, entry: &Unsigned<'_>) -> Result<Option<Signature>, NotSigned> {
        if self.dry {
            return Ok(None);
        }
        let Unsigned { game, side, number, digest, line } = *entry;
        let lost = |why: String| NotSigned { why, hint: "`postrider key show` looks at the key".into() };
        let declared = self.signers.iter().find(|(word, _)| *word == side).map(|(_, key)| *key);
        let own = declared.map_or_else(|| self.keyring.own(), |key| self.keyring.own_of(&key));
        self.passing |= own.is_err();
        let own = own.map_err(|error| lost(error.to_string()))?;
        let own = own.ok_or_else(|| lost("the key is no longer in this key store".into()))?;
        self.made_elsewhere(game, side)?;
        // Before anything is noted: without the passphrase nothing is signed.
        let own = passphrase::opened(own).map_err(|Locked { why, hint }| NotSigned { why, hint })?;
        // The note is safe before there is a signature: a second try after a crash finds it.
        if let Err(error) = self.journal.note(&SignedTurn { game, header: &self.header, side, number, digest, line }) {
            match &error {
                JournalError::Other(line) => self.earlier = Some(line.clone()),
                JournalError::Garbled(_) | JournalError::Io(..) | JournalError::File(_) => self.passing = true,
                _ => {}
            }
            return Err(self.noted(error));
        }
        Ok(Some(own.sign(signed_text(game, number, digest).as_bytes())))
    }
}

impl Keys {
    /// Sees to it that nothing is signed if entries of the game may have been signed elsewhere: the game came from a backup, or the
    /// journal lacks the side's newest entry. Two entries for one turn would prove that an honest player plays two games at once.
    fn made_elsewhere(&mut self, game: &str, side: &str) -> Result<(), NotSigned> {
        let trouble = |why: String| NotSigned { why, hint: "nothing was signed and nothing written".into() };
        let since = self.restored.since(game);
        self.passing |= since.is_err();
        let since = since.map_err(|error| trouble(format!("what came from a backup cannot be read: {error}")))?;
        let signed = self.newest.map(|newest| (newest, self.journal.signed(game, side, newest)));
        let lacks = match signed {
            Some((newest, Ok(None))) => Some(newest),
            // What is wrong with the journal is said where the entry is noted.
            _ => None,
        };
        let (why, asked) = match (&since, lacks) {
            (None, None) => return Ok(()),
            (Some(since), _) => (
                format!("this game came from the backup of {since}"),
                format!("have you made entries of it elsewhere since {since}?"),
            ),
            (None, Some(newest)) => (
                format!("the journal here does not know your entry {newest} of this game"),
                format!("have you made entries of it elsewhere since entry {newest}?"),
            ),
        };
        let denied = || confirm::can_ask() && confirm::denies(&format!("{why}: {asked}"));
        if !(self.only_here || denied()) {
            return Err(NotSigned {
                why: format!("nothing was signed: {why}, and you may have made entries of it elsewhere since"),
                hint: format!(
                    "two signed entries for one turn would prove that you play two games at once: first bring {} up to date, from the \
                     other machine or your opponent's last letter; `postrider move {} ENTRY --only-here` says that you have made none",
                    arg(&self.origin),
                    arg(&self.origin)
                ),
            });
        }
        self.only_here = true;
        if since.is_some() {
            let noted = self.restored.confirm(game);
            self.passing |= noted.is_err();
            noted.map_err(|error| trouble(error.to_string()))?;
        }
        Ok(())
    }

    /// What to do about an entry that may not be signed.
    fn noted(&self, error: JournalError) -> NotSigned {
        let hint = match &error {
            JournalError::Other(line) => format!(
                "two signed entries for one turn would prove that you play two games at once; the one that was signed is entered \
                 again by `postrider move {} {}`",
                arg(&self.origin),
                again(line)
            ),
            JournalError::Past(_) => {
                "compare this record with the copy that you sent; a game that is taken up again from an earlier \
                                      point by agreement takes a new id"
                    .into()
            }
            _ => "nothing was signed and nothing written".into(),
        };
        NotSigned { why: error.to_string(), hint }
    }
}

/// What to type to make an entry again, from its canonical line.
fn again(line: &str) -> String {
    let (actions, time, message) = desk::parts(line);
    let time = time.map(|time| format!(" --time {time}")).unwrap_or_default();
    let message = message.map(|text| format!(" --message {}", quoted(text))).unwrap_or_default();
    format!("{}{time}{message}", quoted(actions))
}

/// The player's own key and the trusted keys.
pub(super) fn keyring() -> Result<Keyring, Failure> {
    Ok(Keyring::new(&folders()?))
}

/// Makes a failure for a missing signature.
pub(super) fn not_signed(NotSigned { why, hint }: NotSigned) -> Failure {
    Failure::trouble(why).hint(hint)
}

/// How far the key of a side is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KeyStanding<'a> {
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
pub(super) fn expected<'a>(player: &Player<'_>, trusted: &'a [Trusted]) -> Option<&'a Trusted> {
    // An address as it was noted goes before another one of the same mailbox.
    let noted = |who: &str| trusted.iter().find(|one| one.who.eq_ignore_ascii_case(who));
    let of = |who: &str| noted(who).or_else(|| trusted.iter().find(|one| one.is_of(who)));
    match player.email.as_deref() {
        Some(email) => of(email).or_else(|| trusted.iter().find(|one| !one.pinned && one.is_of(&player.name))),
        None => of(&player.name),
    }
}

/// Returns how far the key that a side signs with is trusted.
pub(super) fn key_standing<'a>(player: &Player<'_>, key: &PublicKey, trusted: &'a [Trusted]) -> KeyStanding<'a> {
    match expected(player, trusted) {
        None => KeyStanding::New,
        Some(one) if one.former.contains(&key.fingerprint()) => KeyStanding::Former(one),
        Some(one) if one.fingerprint != key.fingerprint() => KeyStanding::Another(one),
        Some(one) if one.pinned => KeyStanding::Pinned,
        Some(_) => KeyStanding::Trusted,
    }
}

/// Returns the key of a side of a record that was replayed.
pub(super) fn key_of(opened: &Opened<'_>, side: Side) -> Option<PublicKey> {
    opened.table.signatures().and_then(|signatures| signatures.key(side))
}

/// Says how far the key that a side signs with is trusted, and how to confirm it.
pub(super) fn told(player: &Player<'_>, key: &PublicKey) -> String {
    let who = player.email.as_deref().unwrap_or(&player.name);
    let confirm = format!(
        "ask {} by some way other than mail whether it is theirs, then `postrider key trust {} {}`",
        printable(&player.name),
        arg(&printable(who)),
        key.fingerprint()
    );
    match key_standing(player, key, &trusted()) {
        KeyStanding::New => format!("new to you: {confirm}"),
        KeyStanding::Pinned => format!("the one used before, not confirmed: {confirm}"),
        KeyStanding::Trusted => "trusted".to_owned(),
        KeyStanding::Former(known) => format!("the one before {}, which has taken its place", known.fingerprint),
        KeyStanding::Another(known) => format!("not {}, the one you know", known.fingerprint),
    }
}

/// Returns the key of a side that another one has taken the place of, with the fingerprint of that one.
pub(super) fn former(opened: &Opened<'_>, trusted: &[Trusted]) -> Option<(PublicKey, String)> {
    Side::BOTH.into_iter().find_map(|side| {
        let key = key_of(opened, side)?;
        match key_standing(opened.header.player(side), &key, trusted) {
            KeyStanding::Former(known) => Some((key, known.fingerprint.clone())),
            _ => None,
        }
    })
}

/// Returns the fingerprint of the key that was confirmed for a player.
pub(super) fn confirmed(player: &Player<'_>) -> Option<String> {
    expected(player, &trusted()).filter(|known| !known.pinned).map(|known| known.fingerprint.clone())
}

/// Trusts a key of a player in place of any other.
pub(super) fn trust(player: &Player<'_>, fingerprint: &str) -> Result<(), Failure> {
    let who = player.email.as_deref().unwrap_or(&player.name).to_owned();
    let trusted = Trusted::new(fingerprint, &who, false);
    keyring()?.trust(&trusted, true).map_err(|error| Failure::trouble(error.to_string()))
}

/// Notes the opponent's key as the one this opponent used first, if there is one and none is known yet.
pub(super) fn pin(opened: &Opened<'_>, own: Side) {
    let player = opened.header.player(own.other());
    let Some(key) = key_of(opened, own.other()).filter(|key| Some(key) != key_of(opened, own).as_ref()) else { return };
    let Ok(keyring) = keyring() else { return };
    if key_standing(player, &key, &trusted()) != KeyStanding::New {
        return;
    }
    for who in player.email.iter().chain([&player.name]) {
        if let Err(error) = keyring.pin(&key.fingerprint(), who) {
            errln!("warning: the key of {} could not be noted: {error}", printable(who));
        }
    }
}

/// Prevents anything from being signed or entered against an opponent whose key differs from the known one, unless the
/// player insists.
pub(super) fn guard(opened: &Opened<'_>, despite: bool) -> Result<(), Failure> {
    if despite {
        return Ok(());
    }
    if Signing::of(opened).by_one_key() {
        return Err(Failure::trouble(
            "both sides of this record have the same key, so one of them signs for the other",
        )
        .hint("ask your opponent which key is right; `--despite-key` continues anyway"));
    }
    // Without the list nobody could tell another's key from the opponent's.
    let trusted = keyring()?.trusted().map_err(|error| Failure::trouble(error.to_string()))?;
    for side in Side::BOTH {
        let (player, word) = (opened.header.player(side), opened.header.info.sides[side.index()].word);
        let Some(key) = key_of(opened, side) else {
            // A key may still come with the side's first entry (E10).
            let made = opened.table.standing().made.get(side.index()).is_some_and(|made| *made > 0);
            if let Some(known) = expected(player, &trusted).filter(|known| made && !known.pinned) {
                let what = format!(
                    "{word} should be {}, whose key you trust ({}), but this record is not signed by that side",
                    printable(&known.who),
                    known.fingerprint
                );
                return Err(Failure::trouble(what).hint(
                    "ask your opponent by some way other than mail who made these entries; `--despite-key` continues without a key",
                ));
            }
            continue;
        };
        if let KeyStanding::Another(known) = key_standing(player, &key, &trusted) {
            let how = if known.pinned { "has used before" } else { "has, as you trust" };
            let what = format!(
                "{word} declares the key {}, and not the one that {} {how}: {}",
                key.fingerprint(),
                printable(&known.who),
                known.fingerprint
            );
            return Err(Failure::trouble(what).hint(format!(
                "ask by some way other than mail which one is right; `postrider key trust {} {} --instead` trusts the new one, and \
                 `--despite-key` continues without",
                arg(&printable(&known.who)),
                key.fingerprint()
            )));
        }
    }
    Ok(())
}

/// Who signs a record, as far as warnings about keys are concerned. A verdict tells as much as a replay.
pub(super) struct Signing<'a> {
    /// The record's header.
    pub(super) header: &'a Header<'a>,
    /// The sides' keys.
    pub(super) keys: [Option<PublicKey>; 2],
    /// How many entries each side has made.
    pub(super) made: [u32; 2],
}

impl<'a> Signing<'a> {
    /// Returns who signs a replayed record.
    pub(super) fn of(opened: &'a Opened<'_>) -> Self {
        let keys = Side::BOTH.map(|side| key_of(opened, side));
        Self { header: &opened.header, keys, made: opened.table.standing().made }
    }

    /// Returns whether both sides of a record sign with the same key: then one of them signs for the other.
    pub(super) fn by_one_key(&self) -> bool {
        let [first, second] = self.keys;
        first.is_some() && first == second
    }

    /// Returns warnings about the keys of a record, one line each: a key other than the one known for a player, a missing key,
    /// or one key for both sides.
    pub(super) fn distrust(&self, trusted: &[Trusted], statements: &[Statement]) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.by_one_key() {
            warnings.push("both sides have the same key, so one of them signs for the other".to_owned());
        }
        for (side, key) in Side::BOTH.into_iter().zip(self.keys).filter(|_| !statements.is_empty()) {
            let Some(key) = key.map(|key| key.fingerprint()) else { continue };
            if let Some(since) = withdrawn::since(statements, &key) {
                let word = self.header.info.sides[side.index()].word;
                warnings.push(format!("{word} signs with the key {key}, {since}"));
            }
        }
        for side in Side::BOTH {
            let player = self.header.player(side);
            let Some(known) = expected(player, trusted) else { continue };
            let word = self.header.info.sides[side.index()].word;
            let key = self.keys[side.index()];
            let what = match key {
                Some(key) if known.has(&key.fingerprint()) => continue,
                Some(key) => format!("this record declares another key, {}", key.fingerprint()),
                // A key may still come with the side's first entry (E10), and a player who has signed before need not
                // always sign.
                None if known.pinned || self.made[side.index()] == 0 => continue,
                None => "this record is not signed by that side".to_owned(),
            };
            let who = printable(&known.who);
            let how = if known.pinned { "who has used another key before" } else { "whose key you trust" };
            warnings.push(format!("{word} should be {who}, {how} ({}), but {what}", known.fingerprint));
        }
        warnings
    }
}

/// Returns what is wrong with the key of the opponent of `mine`, judged by the address that a letter came from: a header that
/// leaves out the opponent's address makes no key look new. Nothing if the header has an address.
pub(super) fn distrust_of_sender(opened: &Opened<'_>, mine: Side, from: &str, trusted: &[Trusted]) -> Option<String> {
    let side = mine.other();
    if opened.header.player(side).email.is_some() {
        return None;
    }
    let known = trusted.iter().find(|one| one.is_of(from))?;
    let word = opened.header.info.sides[side.index()].word;
    let what = match key_of(opened, side) {
        Some(key) if known.has(&key.fingerprint()) => return None,
        Some(key) => format!("this record declares another key, {}", key.fingerprint()),
        None if known.pinned || opened.table.standing().made[side.index()] == 0 => return None,
        None => "this record is not signed by that side".to_owned(),
    };
    let how = if known.pinned { "which has used another key before" } else { "whose key you trust" };
    Some(format!("it comes from {}, {how} ({}), but for {word} {what}", printable(from), known.fingerprint))
}

/// Returns the warnings about the keys of a replayed record: see [`Signing::distrust`].
pub(super) fn distrust(opened: &Opened<'_>, trusted: &[Trusted]) -> Vec<String> {
    Signing::of(opened).distrust(trusted, &withdrawn::statements())
}

/// Returns the reasons why a record does not count as signed with trusted keys, one line each; empty if both sides sign
/// with the player's own key or with one that was confirmed.
pub(super) fn untrusted(signing: &Signing<'_>, trusted: &[Trusted]) -> Vec<String> {
    let own: Vec<PublicKey> = keyring()
        .ok()
        .and_then(|keyring| keyring.own_keys().ok())
        .map(|keys| keys.iter().map(OwnKey::public).collect())
        .unwrap_or_default();
    let statements = withdrawn::statements();
    let mut lacks = Vec::new();
    for side in Side::BOTH {
        let word = signing.header.info.sides[side.index()].word;
        match signing.keys[side.index()] {
            None => lacks.push(format!("{word} does not sign")),
            Some(key) if withdrawn::since(&statements, &key.fingerprint()).is_some() => {
                lacks.push(format!("{word} signs with {}, which was withdrawn", key.fingerprint()));
            }
            Some(key) if own.contains(&key) => {}
            Some(key) => match key_standing(signing.header.player(side), &key, trusted) {
                KeyStanding::Trusted => {}
                KeyStanding::Former(known) if !known.pinned => {}
                _ => lacks.push(format!("{word} signs with {}, which you do not trust", key.fingerprint())),
            },
        }
    }
    if signing.by_one_key() {
        lacks.push("both sides have the same key".to_owned());
    }
    lacks
}

/// Returns the trusted keys; none, with a warning, if they cannot be read or others may write to the list.
pub(super) fn trusted() -> Vec<Trusted> {
    static WARNED: Once = Once::new();
    let Ok(keyring) = keyring() else { return Vec::new() };
    keyring.trusted().unwrap_or_else(|error| {
        WARNED.call_once(|| errln!("warning: no key counts as trusted: {error}"));
        Vec::new()
    })
}

/// Makes a failure for a missing secret.
pub(super) fn lost(Lost(why): Lost) -> Failure {
    Failure::trouble(why).hint("`postrider secret import BACKUP` brings a secret back from a backup")
}

/// Returns the game after the openings that are due, if the secret in this key store can make them: only its owner sees
/// that.
pub(super) fn after_openings(opened: &Opened<'_>) -> Result<Option<Box<dyn Table>>, Failure> {
    let standing = opened.table.standing();
    if opened.table.seals().is_none() || standing.outcome.is_some() {
        return Ok(None);
    }
    let side = standing.due.side;
    let mut keys = Keys::new(opened, side, true)?;
    // A player without the secret of the side that is due is its opponent, or a spectator.
    if keys.secret(false).map_err(lost)?.is_none() {
        return Ok(None);
    }
    let game = opened.header.id.clone();
    let ground = opened.ground(side, true);
    let mut owner = Owner::new(&game, opened.header.info.sides[side.index()].word, &mut keys, ground);
    opened.table.after_opening(&mut owner).map_err(lost)
}

/// Returns a warning, as early as possible, if the seal that a player published last cannot be opened with what is
/// here. The secret in the key store, or the mail address in the settings, shows whose key store it is.
pub(super) fn warning(opened: &Opened<'_>) -> Option<String> {
    let seals = opened.table.seals()?;
    if opened.table.standing().outcome.is_some() {
        return None;
    }
    let address = Settings::load().ok().and_then(|settings| settings.email);
    let secrets = store().ok()?;
    for side in Side::BOTH {
        let word = seals.word(side);
        let Some(last) = seals.newest_closed(side) else { continue };
        let fits = |secret: &Secret| {
            let remembered = folders().ok().map(|folders| Remembered::new(&folders));
            let payload = remembered.and_then(|all| all.payload(seals.game(), word, secret, &last.seal));
            let nonce = seals.nonce(secret, &opened.header_hash(), &last);
            let payloads = |each: &mut dyn FnMut(&str) -> bool| opened.table.payloads(side, &last.label, each);
            let opens = |payload: &String| sealed(seals.game(), word, &last.label, payload, &nonce) == last.seal;
            payload.as_ref().is_some_and(opens)
                || recall(seals.game(), word, &last.label, &last.seal, &nonce, &payloads).is_some()
        };
        let own = opened.header.player(side).email.as_deref();
        let mine = own.zip(address.as_deref()).is_some_and(|(own, here)| own.eq_ignore_ascii_case(here));
        let trouble = match secrets.read_for(seals.game(), word, &opened.game_hash()) {
            Ok(Some(secret)) if fits(&secret) => continue,
            Ok(Some(_)) => "the secret in this key store is not the one it was sealed with".to_owned(),
            Ok(None) if mine => "its secret is not in this key store".to_owned(),
            Ok(None) => continue,
            Err(error) => error.to_string(),
        };
        return Some(format!(
            "warning: the seal `{}` of {word} (entry {}) cannot be opened here: {trouble}\nif it has to be opened, {word} can only \
             resign, or lose on time; `postrider secret import BACKUP` brings a secret back\n",
            last.label, last.entry
        ));
    }
    None
}

/// Describes what was done with an entry in addition to what was typed, one line each; repetitions share a line.
pub(super) fn in_words(done: &[Done]) -> String {
    const MOST: usize = 3;
    // Something that is opened in one action stays so in the next, and is opened once.
    let mut seen = HashSet::new();
    let mut done: Vec<&Done> = done.iter().collect();
    done.retain(|&one| match one {
        Done::Opened(label) | Done::Shown(label) => seen.insert(label.as_str()),
        _ => true,
    });
    let rows = done.chunk_by(|one, other| std::mem::discriminant(*one) == std::mem::discriminant(*other));
    rows.map(|row| match row {
        [Done::Sealed(first), .., Done::Sealed(last)] if row.len() > MOST => {
            format!("sealed `{first}` to `{last}`, {} seals: they show nothing until they are opened\n", row.len())
        }
        [Done::Opened(first), .., Done::Opened(last)] if row.len() > MOST => {
            format!("opened {} seals, `{first}` to `{last}`\n", row.len())
        }
        [Done::Shown(first), .., Done::Shown(last)] if row.len() > MOST => {
            format!("showed {} seeds, of `{first}` to `{last}`\n", row.len())
        }
        _ => row.iter().map(|one| in_a_line(one)).collect(),
    })
    .collect()
}

fn in_a_line(one: &Done) -> String {
    match one {
        Done::Sealed(label) => format!("sealed `{label}`: the seal shows nothing until it is opened\n"),
        Done::Opened(label) => format!("opened the seal `{label}`\n"),
        Done::Shown(label) => format!("showed the seed of `{label}`\n"),
        Done::Salted => "added a fresh salt\n".to_owned(),
        Done::Chosen => "chose at random\n".to_owned(),
    }
}

/// Warns about a missing secret, and about keys that differ from the trusted ones.
pub(super) fn warn(opened: &Opened<'_>) {
    warn_of_keys(opened);
    if let Some(warning) = warning(opened) {
        err!("{warning}");
    }
}

/// Warns about keys that differ from the trusted ones.
pub(super) fn warn_of_keys(opened: &Opened<'_>) {
    for warning in distrust(opened, &trusted()) {
        errln!("warning: {warning}");
    }
}
