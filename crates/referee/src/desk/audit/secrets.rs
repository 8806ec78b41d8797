//! What the published secrets prove (Z10, Z20 to Z24). Anyone can write a remark, so only a secret proven to be the
//! side's own counts. Others are reported as noise, because nobody is accused for what someone else wrote.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::record::Item;
use crate::sealing::{Check, Digest, KeyStore, Owner, Published, Seals, Secret, Spot, decks, recall};
use crate::verdict::Opened;
use postrider_kernel::text::printable;
use postrider_kernel::{Holding, Lost, Nonce, Root, Seal, Seeded, Side};

/// How many secrets are tried on a seal that was never opened, since each may take a while.
const MOST: usize = 16;

/// What was found about a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finding {
    pub(super) side: Side,
    /// Whether there is no evidence against it.
    pub(super) sound: bool,
    /// Whether everything that it sealed and chose is proven to be as it should be.
    pub(super) proves: bool,
}

/// Checks the secrets in remarks of the form `# secret <side> <64 hex>` against everything that their sides sealed.
pub(super) fn check(
    text: &mut String,
    opened: &Opened<'_>,
    ledger: &Seals,
    published: &[Published],
    remarks: &[&str],
) -> [Finding; 2] {
    text.push_str("\nSecrets\n");
    Side::BOTH.map(|side| Bench::of(opened, ledger, published, side).check(text, remarks))
}

/// The seals of one side, and what its nonces are derived from.
struct Bench<'a> {
    opened: &'a Opened<'a>,
    ledger: &'a Seals,
    side: Side,
    word: &'static str,
    own: Vec<&'a Published>,
    /// The first of them with each label.
    labelled: HashMap<&'a str, &'a Published>,
    header: Digest,
}

impl<'a> Bench<'a> {
    fn of(opened: &'a Opened<'a>, ledger: &'a Seals, published: &'a [Published], side: Side) -> Self {
        let own: Vec<_> = published.iter().filter(|one| one.side == side).collect();
        let labelled = own.iter().rev().map(|one| (one.label.as_str(), *one)).collect();
        Self { opened, ledger, side, word: ledger.word(side), own, labelled, header: opened.header_hash() }
    }

    fn check(&self, text: &mut String, remarks: &[&str]) -> Finding {
        let (side, word) = (self.side, self.word);
        let head = format!("# secret {word} ");
        let mut found: Vec<&str> = remarks.iter().filter_map(|line| line.strip_prefix(&head)).collect();
        found.sort_unstable();
        found.dedup();
        let nothing = self.own.is_empty() && self.ledger.commitment(side).is_none();
        if found.is_empty() {
            let unopened = self.own.iter().filter(|one| one.opened.is_none()).count();
            let _ =
                writeln!(text, "  {word}: not published; seals that stay unchecked: {unopened} of {}", self.own.len());
            return Finding { side, sound: true, proves: nothing };
        }
        if self.opened.table.standing().outcome.is_none() {
            let _ = writeln!(text, "  {word}: published before the end of the game: its seals are open to everybody");
        }
        let mut true_one = None;
        let mut tried = 0;
        for hex in found {
            match Secret::read(hex) {
                None => {
                    let _ = writeln!(text, "  {word}: noise: `{}` is not 64 hexadecimal digits", printable(hex));
                }
                Some(secret) if true_one.is_none() && self.is_own(&secret, &mut tried) => true_one = Some(secret),
                Some(_) => {
                    let why = match self.ledger.commitment(side) {
                        Some(_) => "does not fit the commitment",
                        None => "gives none of the seals",
                    };
                    let _ =
                        writeln!(text, "  {word}: noise: a secret that {why} of {word}: anybody can write a remark");
                }
            }
        }
        match true_one {
            Some(secret) => self.check_all(text, &secret),
            None => Finding { side, sound: true, proves: nothing },
        }
    }

    /// Returns whether a secret is the side's own: by its commitment, or in an older record, by a seal that it
    /// reproduces.
    fn is_own(&self, secret: &Secret, tried: &mut usize) -> bool {
        let game = self.ledger.game();
        if let Some(commitment) = self.ledger.commitment(self.side) {
            return secret.commitment(game, self.word, &self.header) == commitment;
        }
        if self.own.is_empty() {
            return true;
        }
        let opened = |one: &&Published| one.opened.as_ref().is_some_and(|by| by.nonce == self.nonce(secret, one));
        if self.own.iter().any(opened) {
            return true;
        }
        // Without an opening to compare with, any seal that it reproduces is enough.
        let mut unopened = self.own.iter().filter(|one| one.opened.is_none());
        unopened.any(|one| {
            *tried += 1;
            *tried <= MOST * self.own.len().min(64) && self.payload(secret, one).is_some()
        })
    }

    /// The nonce that a secret gives for a seal (Z2, Z21).
    fn nonce(&self, secret: &Secret, published: &Published) -> Nonce {
        self.ledger.nonce(secret, &self.header, published)
    }

    /// What was sealed, if the secret reproduces that seal.
    fn payload(&self, secret: &Secret, published: &Published) -> Option<String> {
        let label = published.label.as_str();
        let payloads = |each: &mut dyn FnMut(&str) -> bool| self.opened.table.payloads(self.side, label, each);
        recall(self.ledger.game(), self.word, label, &published.seal, &self.nonce(secret, published), &payloads)
    }

    fn check_all(&self, text: &mut String, secret: &Secret) -> Finding {
        let (side, word) = (self.side, self.word);
        let mut sound = true;
        for published in &self.own {
            let (fits, line) = self.check_seal(secret, published);
            sound &= fits;
            let _ = writeln!(text, "  {word}: {line}");
        }
        if self.own.is_empty() {
            let _ = writeln!(text, "  {word}: published, but nothing was sealed with it");
        }
        for holding in self.opened.table.holdings(side) {
            let (fits, line) = self.check_holding(secret, &holding);
            sound &= fits;
            let _ = writeln!(text, "  {word}: {line}");
        }
        let follows = self.ledger.commitment(side).is_none() || self.check_choices(text, secret);
        Finding { side, sound, proves: sound && follows }
    }

    /// Returns whether a secret reproduces a seal, and a line about it.
    fn check_seal(&self, secret: &Secret, published: &Published) -> (bool, String) {
        let label = published.label.as_str();
        if let Some(opening) = &published.opened {
            return if opening.nonce == self.nonce(secret, published) {
                (true, format!("`{label}` (entry {}) was opened with the nonce that the secret gives", published.entry))
            } else {
                let entry = published.entry;
                (false, format!("`{label}` (entry {entry}) was opened with a nonce that the secret does not give"))
            };
        }
        match self.payload(secret, published) {
            Some(payload) => (true, format!("`{label}` (entry {}), never opened, held `{payload}`", published.entry)),
            None => (
                false,
                format!("`{label}` (entry {}), never opened, holds nothing that could be opened", published.entry),
            ),
        }
    }

    /// The seals of a deck, as its seed gives them (Z25).
    fn seals_of(&self, secret: &Secret, holding: &Holding, deck: Seeded, before: Option<Digest>) -> Vec<Seal> {
        let seed = self.ledger.seed(secret, &self.header, self.side, deck, before);
        let cards: Vec<&str> = holding.laid.iter().map(String::as_str).collect();
        decks::seals(&seed, self.ledger.game(), self.word, deck.generation, &cards)
    }

    /// Returns whether the seals of a deck with a seed are those that the seed gives (Z25); true for any other deck.
    fn is_seeded(&self, secret: &Secret, holding: &Holding) -> bool {
        let seals: Vec<&Published> =
            holding.labels.iter().filter_map(|label| self.labelled.get(label.as_str()).copied()).collect();
        let Some((first, deck)) = seals.first().and_then(|one| Some((one, one.seeded?))) else { return true };
        seals.iter().map(|one| one.seal).eq(self.seals_of(secret, holding, deck, first.before))
    }

    /// Returns whether the roots of decks whose seals are not in the record follow from the secret (Z26), and a line about it.
    fn check_roots(&self, secret: &Secret, holding: &Holding) -> (bool, String) {
        let what = &holding.what;
        let fits = |(deck, root): &(Seeded, Root)| {
            let seals = self.seals_of(secret, holding, *deck, None);
            decks::root(self.ledger.game(), self.word, *deck, &seals) == *root
        };
        match holding.roots.iter().find(|one| !fits(one)) {
            None => {
                (true, format!("{what} is not sealed yet; its {} roots follow from the secret", holding.roots.len()))
            }
            Some((Seeded { deck, .. }, _)) => (
                false,
                format!(
                    "{what} is not sealed yet, and the root of its deck {deck} does not follow from the secret (Z26)"
                ),
            ),
        }
    }

    /// Returns whether the seals under some labels together hold what they must, and a line about it.
    fn check_holding(&self, secret: &Secret, holding: &Holding) -> (bool, String) {
        if !holding.roots.is_empty() {
            return self.check_roots(secret, holding);
        }
        let own = |label: &String| self.labelled.get(label.as_str());
        let mut found: Vec<String> =
            holding.labels.iter().filter_map(|label| self.payload(secret, own(label)?)).collect();
        found.sort_unstable();
        let what = &holding.what;
        if found == holding.payloads {
            if !self.is_seeded(secret, holding) {
                return (false, format!("{what} held what it should, but not in the order that its seed gives (Z25)"));
            }
            return (true, format!("{what} held exactly what it should, {} in all", found.len()));
        }
        let lacking = holding.payloads.iter().filter(|one| count(&found, one) < count(&holding.payloads, one));
        let lacking: std::collections::BTreeSet<_> = lacking.map(String::as_str).collect();
        let names = lacking.into_iter().collect::<Vec<_>>().join(", ");
        (false, format!("{what} did not hold what it should: there was too little of {names}"))
    }
}

impl Bench<'_> {
    /// Returns whether the salts and choices of a side that has committed follow from its secret (Z22), and adds lines
    /// about them. If one does not, that proves nothing: a player may have chosen by hand.
    fn check_choices(&self, text: &mut String, secret: &Secret) -> bool {
        let (game, word) = (self.ledger.game(), self.word);
        let Ok(mut replay) = Opened::with_chain(self.opened.text.as_bytes()) else { return false };
        replay.table.set_check(Check::Nothing);
        let mut body = replay.body();
        let (mut number, mut checked, mut follows) = (0, 0, true);
        let mut differs = |text: &mut String, number: u32, what: &str| {
            follows = false;
            let _ = writeln!(
                text,
                "  {word}: entry {number}: {what} does not follow from the secret: it was chosen otherwise"
            );
        };
        while let Some(item) = body.next_item() {
            let Item::Entry(entry) = item else { continue };
            number += 1;
            if number > self.opened.table.standing().entries {
                break;
            }
            if entry.side == self.side
                && let Some(signatures) = replay.table.signatures()
            {
                let spot = Spot { header: self.header, before: signatures.before() };
                let actions = replay.table.canonical(replay.text, &entry);
                for (nth, salt) in (0..).zip(actions.split("salt:").skip(1)) {
                    checked += 1;
                    if !salt.starts_with(&secret.salt_at(game, word, nth, &spot).to_string()) {
                        differs(text, number, "the salt");
                    }
                }
                if let Some(forced) = self.forced(&replay, secret) {
                    checked += 1;
                    if !begins(&actions, &forced) {
                        differs(text, number, "what was sealed, dealt or thrown first");
                    }
                }
            }
            if replay.table.enter(replay.text, &entry).is_err() {
                return false;
            }
        }
        if follows {
            let _ = writeln!(text, "  {word}: salts and choices checked: {checked}; all follow from the secret");
        }
        follows
    }

    /// Returns the actions that are forced here for the side, as its secret gives them; `None` if there are none.
    fn forced(&self, replay: &Opened<'_>, secret: &Secret) -> Option<String> {
        if replay.table.standing().due.side != self.side || replay.table.standing().outcome.is_some() {
            return None;
        }
        let mut source = Only(secret.clone());
        let mut owner = Owner::new(self.ledger.game(), self.word, &mut source, replay.ground(self.side, true));
        let mut typed = replay.table.read("").ok()?;
        typed.complete(&mut owner).ok()?;
        (!typed.is_empty()).then(|| typed.written())
    }
}

/// Returns whether the actions of an entry begin with these, ignoring the key that it declares. An action that ends the
/// game by the envelope's rules can replace anything.
fn begins(actions: &str, forced: &str) -> bool {
    let actions = match actions.split_once("; ") {
        Some((key, rest)) if key.starts_with("key ") => rest,
        _ => actions,
    };
    let alone = matches!(actions, "resign" | "draw!") || actions.starts_with("claim ");
    alone || actions.strip_prefix(forced).is_some_and(|rest| rest.is_empty() || rest.starts_with("; "))
}

/// A published secret as a source; nothing about it is random.
pub struct Only(Secret);

impl Only {
    /// Has this secret and no other.
    pub const fn new(secret: Secret) -> Self {
        Self(secret)
    }
}

impl KeyStore for Only {
    fn secret(&mut self, _: bool) -> Result<Option<Secret>, Lost> {
        Ok(Some(self.0.clone()))
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        Err(Lost("nothing is random in an audit".into()))
    }
}

fn count(list: &[String], one: &str) -> usize {
    list.iter().filter(|other| *other == one).count()
}
