//! Dice in an open game by mail: the reply of a challenged player who has only a mail program is thrown as a sealed throw is (Z8), from a
//! number that the letter with the challenge fixed and from the Message-ID of the reply. The entry states the throws (N3), and the
//! remark below it says how to check them.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::office::{Office, Trouble};
use postrider_kernel::{Nonce, Salt};
use postrider_mail::understand::{AtDesk, Judge, Piece, Trial};
use postrider_referee::desk::Desk;
use postrider_referee::record::{Item, Secrecy};
use postrider_referee::sealing::seals::{dice_text, throw};
use postrider_referee::verdict::Opened;
use postrider_vault::dice_key::DiceKey;

/// How the remark below an entry that was thrown begins, before its number.
const REMARK: &str = "# dice of entry ";

/// A throw that a reply leaves open.
pub struct Thrown {
    /// The word that it says, such as `accept`.
    word: &'static str,
    /// The entry that states the throws.
    entry: String,
    /// The remark below it.
    pub remark: String,
}

/// The digits by which a letter fixes a throw that its reader's reply may leave open: the SHA-256 of a number. `None` if no throw is due.
///
/// # Errors
/// If the key that the numbers come from cannot be read or made.
pub fn fixed(office: &Office<'_>, desk: &Desk<'_>) -> Result<Option<String>, Trouble> {
    Ok(nonce(office, desk)?.map(|nonce| sum(&nonce.to_string())))
}

/// Throws the dice of a reply with this Message-ID. `None` if no throw is due.
///
/// # Errors
/// Those of [`fixed`].
pub(crate) fn throw_for(
    office: &Office<'_>,
    desk: &Desk<'_>,
    message_id: Option<&str>,
) -> Result<Option<Thrown>, Trouble> {
    let (Some((word, dice)), Some(id)) = (desk.opened.table.open_throw(), message_id) else { return Ok(None) };
    let Some(nonce) = nonce(office, desk)? else { return Ok(None) };
    let game = &*desk.opened.header.id;
    let number = desk.opened.table.standing().entries.saturating_add(1);
    let of_id: [u8; 32] = Sha256::digest(format!("<{id}>")).into();
    let Some(salt) = of_id.first_chunk::<16>().copied().map(Salt) else { return Ok(None) };
    let label = format!("mail.{number}");
    let faces = throw(game, &label, &nonce, &salt, &dice);
    let stated: Vec<String> = faces.iter().map(u32::to_string).collect();
    let shown: Vec<String> = dice.iter().zip(&faces).map(|(sides, face)| format!("d{sides} {face}")).collect();
    let text = dice_text(game, &label, &nonce, &salt, 0);
    let remark = format!(
        "{REMARK}{number}: nonce {nonce}, SHA-256 {}; Message-ID <{id}>, SHA-256 {}; {text} has the SHA-256 {}: {}\n",
        sum(&nonce.to_string()),
        HEXLOWER.encode(&of_id),
        sum(&text),
        shown.join(", ")
    );
    Ok(Some(Thrown { word, entry: format!("{word} roll {}", stated.join(" ")), remark }))
}

/// Whether the dice of an entry were thrown in this way, so that another reply does not throw them again.
#[must_use]
pub(crate) fn was_thrown(opened: &Opened<'_>, number: u32) -> bool {
    let begins = format!("{REMARK}{number}: ");
    let mut body = opened.body();
    std::iter::from_fn(|| body.next_item())
        .any(|item| matches!(item, Item::Remark(line) if line.text(opened.text).starts_with(&begins)))
}

/// The number that a throw comes from. It depends on all that was played, and is the same whenever it is asked for.
fn nonce(office: &Office<'_>, desk: &Desk<'_>) -> Result<Option<Nonce>, Trouble> {
    let opened = &desk.opened;
    let is_open = opened.header.secrecy == Secrecy::Open && !opened.header.has_key() && opened.header.machine.is_none();
    let (true, Some(_), Some(digest)) = (is_open, opened.table.open_throw(), desk.digests.last()) else {
        return Ok(None);
    };
    let random = |bytes: &mut [u8]| office.ports.randomness.fill(bytes);
    let key = DiceKey::new(office.folders()).secret(&random).map_err(Trouble::File)?;
    Ok(Some(key.nonce(&opened.header.id, "mail", &HEXLOWER.encode(digest))))
}

fn sum(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text))
}

/// Tries entries at a desk where a reply may leave a throw open.
pub struct Throwing<'a> {
    desk: AtDesk<'a>,
    thrown: Option<&'a Thrown>,
    /// The last entry that was thrown, in canonical spelling.
    last: Option<String>,
}

impl<'a> Throwing<'a> {
    /// Tries entries there; `thrown` is what comes of leaving the throw open.
    #[must_use]
    pub const fn new(desk: AtDesk<'a>, thrown: Option<&'a Thrown>) -> Self {
        Self { desk, thrown, last: None }
    }

    /// The remark below an entry, if its dice were thrown here.
    #[must_use]
    pub fn remark(&self, actions: &str) -> Option<&'a str> {
        self.thrown.filter(|_| self.last.as_deref() == Some(actions)).map(|thrown| thrown.remark.as_str())
    }
}

impl Judge for Throwing<'_> {
    fn judge(&mut self, text: &str) -> Trial {
        let rest = self.thrown.and_then(|thrown| {
            let (word, rest) = text.trim().split_at_checked(thrown.word.len())?;
            let bare = rest.is_empty() || rest.starts_with(';');
            (bare && word.eq_ignore_ascii_case(thrown.word)).then(|| format!("{}{rest}", thrown.entry))
        });
        let Some(whole) = rest else { return self.desk.judge(text) };
        let trial = self.desk.judge(&whole);
        if let Trial::Legal(actions) = &trial {
            self.last = Some(actions.clone());
        }
        trial
    }

    fn next(&mut self, begun: &str) -> Vec<String> {
        self.desk.next(begun)
    }

    fn is_stepwise(&self) -> bool {
        self.desk.is_stepwise()
    }

    fn pieces(&self) -> Vec<Piece> {
        self.desk.pieces()
    }
}
