//! The key store at the command line: whose secret is used, made or missed, and what is said of it.

use std::path::PathBuf;

use super::hints::Failure;
use crate::games::kernel::{Lost, Side};
use crate::referee::Table;
use crate::sealing::{Done, Owner, Secret, Source, recall};
use crate::store::{Folders, Secrets, Settings, random_secret};
use crate::verdict::Opened;

/// The secret of one side of one game, fetched or made when it is first needed.
pub(super) struct Keys {
    secrets: Secrets,
    game: String,
    side: &'static str,
    /// Whether nothing may be written: a secret that is made is then forgotten.
    dry: bool,
    at_hand: Option<Secret>,
    /// Where a secret was made.
    pub(super) made: Option<PathBuf>,
}

impl Keys {
    /// The keys of a side in the game of a record.
    pub(super) fn new(opened: &Opened<'_>, side: Side, dry: bool) -> Result<Self, Failure> {
        let secrets = Secrets::new(&folders()?);
        let word = opened.header.info.sides[side.index()].word;
        Ok(Self { secrets, game: opened.header.id.clone().into_owned(), side: word, dry, at_hand: None, made: None })
    }

    /// What is said of a secret that was just made.
    pub(super) fn notice(&self) -> Option<String> {
        let path = self.made.as_ref()?;
        Some(format!(
            "a secret for {} in {} was made: {}\nall that is sealed for {} can be opened with it only; without it {} can but \
             resign or lose on time. `postrider secret export BACKUP` copies it\n",
            self.side,
            self.game,
            path.display(),
            self.side,
            self.side
        ))
    }
}

fn folders() -> Result<Folders, Failure> {
    Folders::find().map_err(|error| Failure::trouble(error.to_string()))
}

/// The key store.
pub(super) fn store() -> Result<Secrets, Failure> {
    Ok(Secrets::new(&folders()?))
}

impl Source for Keys {
    fn secret(&mut self, make: bool) -> Result<Option<Secret>, Lost> {
        let lost = |error: crate::store::SecretsError| Lost(error.to_string());
        if self.at_hand.is_none() {
            self.at_hand = self.secrets.read(&self.game, self.side).map_err(lost)?;
        }
        if self.at_hand.is_none() && make {
            self.at_hand = Some(if self.dry {
                random_secret().map_err(lost)?
            } else {
                self.made = Some(self.secrets.path(&self.game, self.side).map_err(lost)?);
                self.secrets.make(&self.game, self.side).map_err(lost)?
            });
        }
        Ok(self.at_hand.clone())
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| Lost(format!("the system has no random numbers: {error}")))?;
        Ok(bytes)
    }
}

/// A failure for want of a secret.
pub(super) fn lost(Lost(why): Lost) -> Failure {
    Failure::trouble(why).hint("`postrider secret import BACKUP` brings a secret back from a backup")
}

/// The game after the openings that are due, if they can be made with the secret in this key store: only their owner sees it.
pub(super) fn after_openings(opened: &Opened<'_>) -> Result<Option<Box<dyn Table>>, Failure> {
    let standing = opened.table.standing();
    if opened.table.seals().is_none() || standing.outcome.is_some() {
        return Ok(None);
    }
    let side = standing.due.side;
    let mut keys = Keys::new(opened, side, true)?;
    // Whoever has no secret of the side that is due is its opponent, or a spectator.
    if keys.secret(false).map_err(lost)?.is_none() {
        return Ok(None);
    }
    let game = opened.header.id.clone();
    let mut owner = Owner::new(&game, opened.header.info.sides[side.index()].word, &mut keys);
    opened.table.opened(&mut owner).map_err(lost)
}

/// A warning, as early as it can be given, when the seal that a player published last cannot be opened with what is here.
/// Whose key store this is is known by the secret in it, or by the mail address in the settings.
pub(super) fn warning(opened: &Opened<'_>) -> Option<String> {
    let seals = opened.table.seals()?;
    if opened.table.standing().outcome.is_some() {
        return None;
    }
    let address = Settings::load().ok().and_then(|settings| settings.email);
    let secrets = store().ok()?;
    for side in Side::BOTH {
        let word = seals.word(side);
        let Some(last) = seals.published().iter().rfind(|one| one.side == side && one.opened.is_none()) else {
            continue;
        };
        let fits = |secret: &Secret| {
            let nonce = secret.nonce(seals.game(), word, &last.label);
            let payloads = |each: &mut dyn FnMut(&str) -> bool| opened.table.payloads(side, &last.label, each);
            recall(seals.game(), word, &last.label, &last.seal, &nonce, &payloads).is_some()
        };
        let own = opened.header.player(side).email.as_deref();
        let mine = own.zip(address.as_deref()).is_some_and(|(own, here)| own.eq_ignore_ascii_case(here));
        let trouble = match secrets.read(seals.game(), word) {
            Ok(Some(secret)) if fits(&secret) => continue,
            Ok(Some(_)) => "the secret in this key store is another than the one it was sealed with".to_owned(),
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

/// What was done with an entry beside what was typed, a line each; what was done many times in a row is told in one.
pub(super) fn in_words(done: &[Done]) -> String {
    const MOST: usize = 3;
    let rows = done.chunk_by(|one, other| std::mem::discriminant(one) == std::mem::discriminant(other));
    rows.map(|row| match row {
        [Done::Sealed(first), .., Done::Sealed(last)] if row.len() > MOST => {
            format!("sealed `{first}` to `{last}`, {} seals: they show nothing until they are opened\n", row.len())
        }
        [Done::Opened(first), .., Done::Opened(last)] if row.len() > MOST => {
            format!("opened {} seals, `{first}` to `{last}`\n", row.len())
        }
        _ => row.iter().map(in_a_line).collect(),
    })
    .collect()
}

fn in_a_line(one: &Done) -> String {
    match one {
        Done::Sealed(label) => format!("sealed `{label}`: the seal shows nothing until it is opened\n"),
        Done::Opened(label) => format!("opened the seal `{label}`\n"),
        Done::Salted => "added a fresh salt\n".to_owned(),
        Done::Chosen => "chose at random\n".to_owned(),
    }
}
