//! Which letter of which game a message answers.

use std::collections::BTreeMap;

use super::Mail;
use crate::letter::{DOMAIN, HOSTED, QUESTION, REMINDER};
use postrider_kernel::text::printable;
use postrider_referee::record::{Item, is_game_id};
use postrider_referee::verdict::Opened;

/// The letter that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The game's id.
    pub game: String,
    /// The number of the entry it was about; 0 for an invitation.
    pub entry: u32,
    /// Its Message-ID with angle brackets; `None` if only the subject identifies it.
    pub message_id: Option<String>,
    /// The first 16 hexadecimal digits of the digest of the record up to that entry (Z30), if the subject contains
    /// them, as the links in a letter do.
    pub digest: Option<String>,
}

impl Answered {
    /// Returns whether the message shows the letter's Message-ID, or the digest of the record in it. Anybody who knows of the game can
    /// write the subject.
    #[must_use]
    pub fn shows_letter(&self) -> bool {
        self.message_id.is_some() || self.digest.is_some()
    }
}

/// Returns the letter that a message answers: by `In-Reply-To`, otherwise by `References`, otherwise by its subject,
/// `[pbem] <id> #<n>`.
#[must_use]
pub fn answered(mail: &Mail) -> Option<Answered> {
    let by_subject = by_subject(&mail.subject);
    // A link that was tapped says more than the thread in which a mail program puts the letter.
    if let Some(tapped) = by_subject.clone().filter(|answered| answered.digest.is_some()) {
        return Some(tapped);
    }
    mail.answers.iter().find_map(|id| by_id(id)).or(by_subject)
}

/// Returns the entries of a record that were made from letters without a record, each with that letter's Message-ID with angle brackets;
/// empty where it had none.
#[must_use]
pub fn from_letters(opened: &Opened<'_>) -> BTreeMap<u32, String> {
    let mut body = opened.body();
    let mut found = BTreeMap::new();
    while let Some(item) = body.next_item() {
        let Item::Remark(line) = item else { continue };
        let Some(rest) = line.text(opened.text).strip_prefix(FROM_LETTER.0) else { continue };
        let Some((number, rest)) = rest.split_once(FROM_LETTER.1) else { continue };
        let id = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        if let Some(number) = self::number(number) {
            found.insert(number, id.map(|(id, _)| format!("<{id}>")).unwrap_or_default());
        }
    }
    found
}

/// The words of the remark below an entry that came by a letter without a record, round its number.
const FROM_LETTER: (&str, &str) = ("# entry ", " from the letter ");
/// What such a remark ends with if the letter came before the entry was due.
const ANNOUNCED: &str = ", which announced it";

/// The remark below an entry that was made for a writer of a letter; `instead` is what was entered from an earlier letter.
#[must_use]
pub fn remark(number: u32, mail: &Mail, instead: Option<&str>) -> String {
    let instead = instead.map(|line| format!(", in place of {line}")).unwrap_or_default();
    below(number, (mail.message_id.as_deref(), mail.from.as_deref().unwrap_or_default()), &instead)
}

/// The remark below an entry that was made for a writer of a letter which had announced it, by the letter's Message-ID and address.
#[must_use]
pub fn remark_ahead(number: u32, id: Option<&str>, from: &str) -> String {
    below(number, (id, from), ANNOUNCED)
}

fn below(number: u32, (id, from): (Option<&str>, &str), more: &str) -> String {
    let id = id.map_or_else(|| "without a Message-ID".to_owned(), |id| format!("<{id}>"));
    format!("{}{number}{}{id} of {}{more}\n", FROM_LETTER.0, FROM_LETTER.1, printable(from))
}

/// Returns whether the entry with this number was made because a letter had announced it.
#[must_use]
pub fn is_ahead(opened: &Opened<'_>, number: u32) -> bool {
    let begin = format!("{}{number}{}", FROM_LETTER.0, FROM_LETTER.1);
    let mut body = opened.body();
    std::iter::from_fn(|| body.next_item()).any(|item| match item {
        Item::Remark(line) => {
            let line = line.text(opened.text);
            line.starts_with(&begin) && line.ends_with(ANNOUNCED)
        }
        _ => false,
    })
}

/// Returns the number of the entry whose letter began the thread that the letter about entry `entry` belongs to: each reply in it came
/// without a record.
#[must_use]
pub fn thread_begin(entry: u32, from_letters: &BTreeMap<u32, String>) -> u32 {
    let mut begin = entry;
    while let Some(before) = begin.checked_sub(2)
        && from_letters.contains_key(&(begin - 1))
    {
        begin = before;
    }
    begin
}

/// Returns the subject of an answer: that of the message, as mail programs do it.
#[must_use]
pub fn answering(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some((mark, behind)) = rest.split_once(':')
        && (1..=5).contains(&mark.chars().count())
        && mark.chars().all(|c| c.is_alphabetic() || c.is_numeric() || matches!(c, '[' | ']'))
    {
        rest = behind.trim_start();
    }
    format!("Re: {rest}")
}

fn by_id(id: &str) -> Option<Answered> {
    let (local, domain) = id.rsplit_once('@')?;
    // An answer to a reminder answers the letter that it is about.
    let local = local.strip_suffix(REMINDER).unwrap_or(local);
    let local = [QUESTION, HOSTED].iter().find_map(|mark| local.split_once(mark)).map_or(local, |(local, _)| local);
    let mut parts = local.rsplitn(3, '.');
    let (digest, entry, game) = (parts.next()?, parts.next()?, parts.next()?);
    let fits = domain.eq_ignore_ascii_case(DOMAIN)
        && is_game_id(game)
        && digest.len() == 16
        && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let entry = number(entry).filter(|_| fits)?;
    Some(Answered { game: game.to_owned(), entry, message_id: Some(format!("<{local}@{DOMAIN}>")), digest: None })
}

/// Parses an entry's number, which must consist of digits only.
fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

fn by_subject(subject: &str) -> Option<Answered> {
    let (_, rest) = subject.split_once("[pbem]")?;
    let mut words = rest.split_whitespace();
    let game = words.next().filter(|game| is_game_id(game))?;
    let entry = words.next()?.strip_prefix('#').and_then(number)?;
    let is_digest = |word: &&str| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digest = words.next().filter(is_digest).map(str::to_ascii_lowercase);
    Some(Answered { game: game.to_owned(), entry, message_id: None, digest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_letter_of_ours_is_the_one_answered() {
        let id = |entry: u32| format!("asalto-x-1.{entry}.0123456789abcdef@postrider.invalid");
        let mail =
            |answers: Vec<String>, subject: &str| Mail { answers, subject: subject.to_owned(), ..Mail::default() };
        let found = answered(&mail(vec!["other@x.y".to_owned(), id(4), id(3)], "[pbem] asalto-x-1 #9")).unwrap();
        assert_eq!((found.game.as_str(), found.entry), ("asalto-x-1", 4));
        assert_eq!(found.message_id.unwrap(), format!("<{}>", id(4)));
        let reminder = id(4).replace("@", ".reminder@");
        assert_eq!(answered(&mail(vec![reminder], "")), answered(&mail(vec![id(4)], "")));
        let found = answered(&mail(vec![], "Re: AW: [pbem] asalto-x-1 #9 besiegers: c4-c5")).unwrap();
        assert_eq!((found.entry, found.message_id), (9, None));
    }

    #[test]
    fn lookalikes_of_our_letters_are_not_recognised() {
        for id in [
            "../../etc.1.0123456789abcdef@postrider.invalid",
            "asalto-x-1.1.0123456789abcdef@elsewhere.invalid",
            "asalto-x-1.x.0123456789abcdef@postrider.invalid",
            "asalto-x-1.1.0123456789abcdeg@postrider.invalid",
            "asalto-x-1@postrider.invalid",
        ] {
            assert_eq!(by_id(id), None, "{id}");
        }
        for subject in [
            "[pbem] ../../etc #1",
            "[pbem] asalto-x-1",
            "[pbem] asalto-x-1 #x",
            "[pbem] asalto-x-1 #+1",
            "asalto-x-1 #1",
            "[pbem] ",
        ] {
            assert_eq!(by_subject(subject), None, "{subject}");
        }
    }
}
