//! The keys to a game: which secret or key is used, created or missing.

pub mod statements;
pub mod trust;

use std::path::PathBuf;

use crate::elsewhere::{Elsewhere, NotHere, Where};
use crate::hosting;
use crate::office::{Locked, Office, Trouble};
use crate::own_game::OwnGame;
use postrider_disk::no_core::no_core;
use postrider_kernel::advice;
use postrider_kernel::advice::Advice;
use postrider_kernel::advice::{Act, Again, Insist};
use postrider_kernel::text::printable;
use postrider_kernel::{Lost, Seal, Side, SideName};
use postrider_referee::desk;
use postrider_referee::record::Item;
use postrider_referee::sealing::{Digest, KeyStore, NotSigned, PublicKey, Secret, Signature, Unsigned, signed_text};
use postrider_referee::verdict::Opened;
use postrider_vault::backup::restored::Restored;
use postrider_vault::journal::{Journal, JournalError, SignedTurn};
use postrider_vault::kept::Secrets;
use postrider_vault::keyring::{Keyring, KeyringError};
use postrider_vault::remembered::Remembered;

/// The secret of one side of one game, fetched or created when it is first needed, and the player's key.
pub struct Keys<'o> {
    office: &'o Office<'o>,
    keyring: Keyring,
    journal: Journal,
    /// Whether this entry may declare the player's key, if it is the side's first.
    declare: bool,
    /// The record's name, for hints.
    origin: String,
    /// Whether this home is that of the game's host, and the host's name and key.
    hosting: bool,
    host: Option<(String, PublicKey)>,
    /// The names and keys of the sides.
    signers: Vec<(SideName, PublicKey)>,
    secrets: Secrets,
    remembered: Remembered,
    restored: Restored,
    elsewhere: Elsewhere,
    /// The number of the newest entry in the record of each side that signs. Whoever claims time signs for the side that waits.
    newest: Vec<(&'static str, u32)>,
    /// Whether the player has said that no entries of this game were made elsewhere.
    pub only_here: bool,
    /// Whether the data here may be older than what the player has sent.
    pub unsure: bool,
    game: String,
    /// The hash of the game's header.
    header: Digest,
    side: &'static str,
    /// Whether nothing may be written; a secret that is created is then discarded.
    dry: bool,
    at_hand: Option<Secret>,
    /// Where a secret was created.
    pub made: Option<PathBuf>,
    /// The digest of the chain with the entry that is made again with another time, because the host has asked it back (Z39).
    pub anew: Option<Digest>,
    /// The entry that was signed for this turn before, if another one was refused because of it.
    earlier: Option<String>,
    /// Whether the key store or the journal could not be read or written: a temporary problem, and no reason to give
    /// up.
    pub passing: bool,
}

/// The number of the newest entry of each side.
pub(crate) fn newest_of(opened: &Opened<'_>) -> [Option<u32>; 2] {
    let mut body = opened.body();
    let mut newest = [None; 2];
    for _ in 0..opened.text.len() {
        match body.next_item() {
            Some(Item::Entry(entry)) => newest[entry.side.index()] = u32::try_from(entry.number).ok(),
            Some(_) => {}
            None => break,
        }
    }
    newest
}

/// Returns whether a side has made an entry in a record.
#[must_use]
pub fn has_entered(opened: &Opened<'_>, side: Side) -> bool {
    newest_of(opened)[side.index()].is_some()
}

/// The number of a side's newest entry in a record, if the side's player signs.
pub(crate) fn signed_newest(opened: &Opened<'_>, own: Side) -> Option<u32> {
    let key = trust::key_of(opened, own).filter(|key| !trust::by_host(&opened.header, Some(key)));
    key.and_then(|_| newest_of(opened)[own.index()])
}

/// What makes an entry again, from its canonical line.
fn again(line: &str) -> Again {
    let (actions, time, message) = desk::parts(line);
    Again { actions: actions.to_owned(), time: time.map(str::to_owned), message: message.map(str::to_owned) }
}

impl<'o> Keys<'o> {
    /// The keys of one side in the game of a record.
    #[must_use]
    pub fn new(office: &'o Office<'o>, opened: &Opened<'_>, side: Side, dry: bool) -> Self {
        let folders = office.folders();
        let word = opened.header.info.sides[side.index()].word;
        let hosting = hosting::keeps(office, &opened.header);
        let host = opened.header.host.as_deref().map(|host| (printable(&host.name).into_owned(), host.key));
        Self {
            office,
            hosting,
            host,
            keyring: office.keyring(),
            journal: Journal::new(folders),
            declare: false,
            origin: String::new(),
            signers: Vec::new(),
            secrets: office.secrets().of_both(hosting),
            remembered: Remembered::new(folders),
            restored: Restored::new(folders),
            elsewhere: Elsewhere::new(folders),
            newest: Vec::new(),
            only_here: false,
            unsure: false,
            game: opened.header.id.clone().into_owned(),
            header: opened.game_hash(),
            side: word,
            dry,
            at_hand: None,
            made: None,
            anew: None,
            earlier: None,
            passing: false,
        }
    }

    /// The keys for the next entry of the record in a file. `unsigned`: whether the player wants no key to be declared.
    ///
    /// # Errors
    /// If the player's side cannot be determined.
    pub fn to_move(
        game: &OwnGame<'o>,
        opened: &Opened<'_>,
        origin: &str,
        dry: bool,
        unsigned: bool,
    ) -> Result<Self, Trouble> {
        let (office, side) = (game.office, opened.table.standing().due.side);
        let keys = Self { origin: origin.to_owned(), ..Self::new(office, opened, side, dry) };
        // Only the host signs with the host's key; a player may still declare one.
        let key_of = |side: Side| {
            let signatures = opened.table.signatures()?;
            signatures.own_key(side).or(signatures.host().filter(|_| keys.hosting))
        };
        let signer = |side: Side| Some((opened.header.info.sides[side.index()], key_of(side)?));
        let signers = Side::BOTH.into_iter().filter_map(signer).collect();
        let signs = !dry && Side::BOTH.into_iter().any(|side| key_of(side).is_some());
        let newest = if signs { newest_of(opened) } else { [None; 2] };
        let newest = Side::BOTH
            .into_iter()
            .filter(|side| key_of(*side).is_some())
            .filter_map(|side| Some((opened.header.info.sides[side.index()].word, newest[side.index()]?)));
        let newest = newest.collect();
        let keys = Self { signers, newest, ..keys };
        // Why a key cannot be used is reported once it is needed.
        if keys.hosting
            || unsigned
            || game.sides().is_ok_and(|sides| sides.unsigned)
            || matches!(keys.keyring.own(), Ok(None))
        {
            return Ok(keys);
        }
        let settings = office.settings()?;
        // A player who moves for the other side, at one table or by mistake, does not sign for it.
        let declare = settings.sign && game.find(opened)? != Some(side.other());
        Ok(Self { declare, ..keys })
    }

    /// Returns what to say about a secret that was just created.
    #[must_use]
    pub fn notice(&self) -> Option<Advice> {
        let path = self.made.as_ref()?;
        Some(advice![
            format!(
                "a secret for {} in {} was made: {}\nonly it opens what is sealed for {}; without it you can only resign or lose on \
                 time. ",
                self.side,
                self.game,
                path.display(),
                self.side
            ),
            Act::ExportSecret,
            " copies it\n"
        ])
    }
}

impl KeyStore for Keys<'_> {
    fn secret(&mut self, make: bool) -> Result<Option<Secret>, Lost> {
        let lost = |error: postrider_vault::kept::SecretsError| Lost(error.to_string());
        if self.at_hand.is_none() {
            let read = match self.dry {
                true => self.secrets.read_for(&self.game, self.side, &self.header),
                false => self.secrets.read_to_use(&self.game, self.side, &self.header),
            };
            self.passing |= read.is_err();
            self.at_hand = read.map_err(lost)?;
        }
        if self.at_hand.is_none() && make {
            no_core();
            let mut bytes = self.office.random::<32>().map_err(Lost)?;
            let secret = Secret::take(&mut bytes);
            if !self.dry {
                self.made = Some(self.secrets.path(&self.game, self.side).map_err(lost)?);
                self.secrets.keep(&self.game, self.side, &secret, Some(&self.header)).map_err(lost)?;
                self.office.note_signed();
            }
            self.at_hand = Some(secret);
        }
        Ok(self.at_hand.clone())
    }

    fn commits(&self) -> bool {
        true
    }

    fn remember(&mut self, seal: &Seal, payload: &str) {
        if let Some(secret) = self.at_hand.as_ref().filter(|_| !self.dry) {
            self.remembered.remember(&self.game, self.side, secret, seal, payload);
            self.office.note_signed();
        }
    }

    fn remembered(&mut self, seal: &Seal) -> Option<String> {
        self.remembered.payload(&self.game, self.side, self.at_hand.as_ref()?, seal)
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        self.office.random().map_err(Lost)
    }

    fn key(&mut self, declared: Option<PublicKey>) -> Result<Option<PublicKey>, NotSigned> {
        if declared.is_none() && !self.declare {
            return Ok(None);
        }
        if let Some(refused) = declared.and_then(|key| self.hosted_elsewhere(&key)) {
            return Err(refused);
        }
        // A game that declares a key goes on with it, although another one has taken its place.
        let former = declared.and_then(|key| self.keyring.own_of(&key).transpose());
        let own = former.map_or_else(|| self.keyring.own(), |key| key.map(Some));
        self.passing |= own.is_err();
        let own = own.map_err(|error| NotSigned {
            why: error.to_string(),
            hint: advice![
                "without it nothing can be signed; ",
                Insist::Unsigned,
                " declares no key with a first entry"
            ],
        })?;
        let own = own.map(|key| key.public());
        if let Some(key) = own.filter(|_| declared.is_none()) {
            let key = key.fingerprint();
            if let Some(since) = statements::since(&self.office.statements(), &key) {
                return Err(NotSigned {
                    why: format!("your key is {key}, {since}: no game declares it any more"),
                    hint: advice![Act::RotateKey, " makes you another; ", Insist::Unsigned, " declares none"],
                });
            }
        }
        // One key for both sides would sign for the other, and a host plays no side.
        let is_host = self.host.as_ref().is_some_and(|(_, key)| Some(key) == own.as_ref());
        if declared.is_none() && (is_host || self.signers.iter().any(|(_, key)| Some(key) == own.as_ref())) {
            return Ok(None);
        }
        let Some(key) = declared.filter(|key| own.as_ref() != Some(key)) else { return Ok(own) };
        let there = match own {
            None => "which is not in this key store".to_owned(),
            Some(own) => format!("and the key in this key store is another, {}", own.fingerprint()),
        };
        let named = |key: &PublicKey| self.signers.iter().find(|(_, other)| other == key).map(|(side, _)| side.named());
        let whose = named(&key).unwrap_or_else(|| "this side".to_owned());
        let hint = match own.as_ref().and_then(named) {
            Some(own) => format!("your key is that of {own}: the opponent makes this entry").into(),
            None => advice![Act::ImportKey, " brings a key back; an entry without its signature is illegal (Z32)"],
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
        let lost = |why: String| NotSigned { why, hint: advice![Act::ShowKey, " looks at the key"] };
        let declared = self.signers.iter().find(|(signer, _)| signer.word == side).map(|(_, key)| *key);
        let own = declared.map_or_else(|| self.keyring.own(), |key| self.keyring.own_of(&key));
        self.passing |= own.is_err();
        let own = own.map_err(|error| lost(error.to_string()))?;
        let own = own.ok_or_else(|| lost("the key is no longer in this key store".into()))?;
        self.made_elsewhere(game, side, &own.public().fingerprint())?;
        // Before anything is noted: without the passphrase nothing is signed.
        let own = self.office.unlocked(own).map_err(|Locked { why, hint }| NotSigned { why, hint })?;
        // A game that is not here leaves no note that no other machine has.
        self.is_here()?;
        // The note is safe before there is a signature: a second try after a crash finds it.
        let turn = SignedTurn { game, header: &self.header, side, number, digest, line };
        let noted = match &self.anew {
            Some(before) => self.journal.note_anew(&turn, before),
            None => self.journal.note(&turn),
        };
        if let Err(error) = noted {
            match &error {
                JournalError::Other(line) => self.earlier = Some(line.clone()),
                JournalError::Garbled(_) | JournalError::Io(..) | JournalError::File(_) => self.passing = true,
                _ => {}
            }
            return Err(self.noted(error));
        }
        // Whoever hands the game over notes that first, and reads the journal then: this note is in it, or this finds that one.
        self.is_here()?;
        self.office.note_signed();
        Ok(Some(own.sign(signed_text(game, number, digest).as_bytes())))
    }

    fn signed_before(&mut self) -> Option<String> {
        self.earlier.take()
    }
}

impl Keys<'_> {
    /// Returns whether the key store has a secret of a side of this game.
    #[must_use]
    pub fn has_secret(&self, opened: &Opened<'_>, side: Side) -> bool {
        let is_at_hand = self.at_hand.is_some() && opened.header.info.sides[side.index()].word == self.side;
        is_at_hand || has_secret(self.office, opened, side)
    }

    /// Sees to it that nothing is signed in a game that was handed over.
    fn is_here(&mut self) -> Result<(), NotSigned> {
        let guarded = self.elsewhere.guard(&self.game);
        self.passing |= matches!(guarded, Err(NotHere::Io(..)));
        guarded.map_err(|why| NotSigned { why: why.to_string(), hint: why.help() })
    }

    /// Says why an entry that the host signs is not made here, where nothing is hosted: this is the home of a player.
    fn hosted_elsewhere(&self, key: &PublicKey) -> Option<NotSigned> {
        let (name, _) = self.host.as_ref().filter(|(_, host)| host == key && !self.hosting)?;
        let side = self.side;
        if matches!(self.keyring.own_of(key), Ok(Some(_))) {
            return Some(NotSigned {
                why: format!(
                    "the record names your key as that of its host, who would sign for {side}, and this is not the home of a host"
                ),
                hint: "a host plays no side: `hosts: true` in settings.yaml makes this the home of one".into(),
            });
        }
        Some(NotSigned {
            why: format!("{side} has no key in this record, so its host, {name}, enters and signs for that side (Z38)"),
            hint: "reply to the host's letter with your move".into(),
        })
    }

    /// Sees to it that nothing is signed if entries of the game may have been signed elsewhere: the game came from a backup, or the
    /// journal lacks the side's newest entry. Two entries for one turn would prove that an honest player plays two games at once.
    /// So would two first entries: a key that came from elsewhere is asked about once in each game in which it has signed nothing here.
    fn made_elsewhere(&mut self, game: &str, side: &str, key: &str) -> Result<(), NotSigned> {
        let trouble = |why: String| NotSigned { why, hint: "nothing was signed and nothing written".into() };
        let restored = self.restored.read();
        self.passing |= restored.is_err();
        let restored = restored.map_err(|error| trouble(format!("what came from a backup cannot be read: {error}")))?;
        let since = restored.since(game);
        let newest = self.newest.iter().find(|(word, _)| *word == side).map(|(_, newest)| *newest);
        let signed = newest.map(|newest| (newest, self.journal.signed(game, side, newest)));
        let lacks = match signed {
            Some((newest, Ok(None))) => Some(newest),
            // What is wrong with the journal is said where the entry is noted.
            _ => None,
        };
        let imported = match (&since, newest) {
            // What a host lost is asked about in another way.
            (None, None) if !self.hosting && !self.journal.knows(game, side) => restored.since_key(key, game),
            _ => None,
        };
        let (why, asked) = match (&since, lacks) {
            (None, None) if self.unsure => (
                "others can write what is kept here, and no letter has shown yet that it is not an older copy"
                    .to_owned(),
                "have you made entries of it that are not here?".to_owned(),
            ),
            (None, None) => match &imported {
                None => return Ok(()),
                Some(at) => (
                    format!("your key came from elsewhere on {at}, and has signed nothing of this game here"),
                    "have you made entries of it elsewhere?".to_owned(),
                ),
            },
            (Some(since), _) => (
                format!("this game came from the backup of {since}"),
                format!("have you made entries of it elsewhere since {since}?"),
            ),
            (None, Some(newest)) => (
                format!("the journal here does not know your entry {newest} of this game"),
                format!("have you made entries of it elsewhere since entry {newest}?"),
            ),
        };
        if let (None, Some(newest), Ok(Where::Taken(_))) = (&since, lacks, self.elsewhere.of(game)) {
            return Err(taken_twice(game, newest));
        }
        let denied = || self.office.ports.front.denies(&format!("{why}: {asked}"));
        if !(self.only_here || denied()) {
            return Err(NotSigned {
                why: format!("nothing was signed: {why}, and you may have made entries of it elsewhere"),
                hint: advice![
                    "two signed entries for one turn would prove that you play two games at once: first bring ",
                    Act::Name(self.origin.clone()),
                    " up to date, from the other machine or your opponent's last letter; ",
                    Insist::OnlyHere(self.origin.clone()),
                    " says that you have made none"
                ],
            });
        }
        self.only_here = true;
        if since.is_some() || imported.is_some() {
            let noted = self.restored.confirm(game);
            self.passing |= noted.is_err();
            noted.map_err(|error| trouble(error.to_string()))?;
        }
        Ok(())
    }

    /// What to do about an entry that may not be signed.
    fn noted(&self, error: JournalError) -> NotSigned {
        let hint = match &error {
            // Whoever types a seal cannot type what it seals: the same words at the same time seal it again.
            JournalError::Other(line) if desk::parts(line).0.contains("seal:") => {
                let (_, time, message) = desk::parts(line);
                let time = time.map(|time| format!(" with `--time {time}`")).unwrap_or_default();
                let same = if message.is_some() { " and the same message" } else { "" };
                advice![
                    "two signed entries for one turn would prove that you play two games at once; make the one that was signed again, typed as \
                     you typed it then: ",
                    Act::Move(self.origin.clone(), None),
                    format!("{time}{same}")
                ]
            }
            JournalError::Other(line) => advice![
                "two signed entries for one turn would prove that you play two games at once; the one that was signed is entered again by ",
                Act::Move(self.origin.clone(), Some(again(line)))
            ],
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

fn signed_there(newest: u32) -> String {
    format!(
        "your entry {newest} of this game was signed on another machine since it was taken out of its file here, so two machines go on with it"
    )
}

/// Why the next entry will not be signed here, if another machine of the player's has signed an entry since the game was taken out of its
/// file here: both go on with it. `place` is where it is played. That is seen as soon as such an entry comes with a letter; nothing is noted, and nobody is asked.
#[must_use]
pub(crate) fn goes_on_elsewhere(office: &Office<'_>, opened: &Opened<'_>, own: Side, place: &Where) -> Option<Advice> {
    let (game, folders) = (&*opened.header.id, office.folders());
    if !matches!(place, Where::Taken(_)) || opened.table.standing().outcome.is_some() {
        return None;
    }
    let newest = signed_newest(opened, own)?;
    // What came from a backup, or goes on here by the player's word, is asked about when the next entry is signed.
    if Restored::new(folders).read().ok()?.since(game).is_some() {
        return None;
    }
    let word = opened.header.info.sides[own.index()].word;
    match Journal::new(folders).signed(game, word, newest) {
        Ok(None) => Some(Advice::from(format!("{}; ", signed_there(newest))).and(taken_twice(game, newest).hint)),
        // What is wrong with the journal is said where the entry is noted.
        _ => None,
    }
}

/// Why nothing is signed in a game that goes on here and on another machine as well: the record has an entry that was signed there.
fn taken_twice(game: &str, newest: u32) -> NotSigned {
    NotSigned {
        why: format!("nothing was signed: {}", signed_there(newest)),
        hint: advice![
            "two signed entries for one turn would prove that you play two games at once: go on with it there, or hand it over there and take it \
             here; if that machine is lost, ",
            Act::Stay(game.to_owned()),
            " says that nothing was signed there that is not here"
        ],
    }
}

/// Keeps a key that comes from elsewhere as the player's own: before it signs in a game in which it has signed nothing here, the player is
/// asked.
///
/// # Errors
/// If there is a key already, or it cannot be kept or noted.
pub fn import(office: &Office<'_>, text: &str, public: &PublicKey) -> Result<(), Trouble> {
    let keyring = office.keyring();
    if keyring.own()?.is_some() {
        return Err(KeyringError::There(keyring.own_file()).into());
    }
    let marked = Restored::new(office.folders()).mark_keys(&[public.fingerprint()], &office.now().to_string());
    marked.map_err(Trouble::File)?;
    Ok(keyring.keep(text)?)
}

/// Returns whether the key store has a secret of a side of this game.
#[must_use]
pub fn has_secret(office: &Office<'_>, opened: &Opened<'_>, side: Side) -> bool {
    let word = opened.header.info.sides[side.index()].word;
    let read = office.secrets().read_for(&opened.header.id, word, &opened.game_hash());
    read.ok().flatten().is_some()
}
