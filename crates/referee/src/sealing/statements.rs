//! Statements about keys, signed by the keys themselves: that one is withdrawn (Z36), and that one has a successor (Z37).

use chrono::NaiveDate;

use super::keys::{PublicKey, SecretKey, Signature};
use super::signatures::{read_signature, write_signature};

/// What the text of a withdrawal begins with, and that of a succession.
const REVOKE: &str = "pbem1|revoke|";
const ROTATE: &str = "pbem1|rotate|";
/// What both begin with.
const HEAD: &str = "pbem1|r";
/// How many texts that look like statements are looked at in one letter: each costs one or two signatures.
const MOST: usize = 16;

/// A statement about a key. One that was read need not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The key that it is about, which has signed it.
    pub key: PublicKey,
    /// The key that takes its place, which has signed it too (Z37); without one the key is withdrawn (Z36).
    pub successor: Option<PublicKey>,
    /// The day that its signer gives it, as in `2026-11-21`. It proves nothing: the signer may write any day.
    pub date: String,
    signature: Signature,
    countersignature: Option<Signature>,
}

impl Statement {
    /// Withdraws a key (Z36).
    #[must_use]
    pub fn withdrawal(key: &SecretKey, date: NaiveDate) -> Self {
        Self::signed(key, None, date)
    }

    /// Names the successor of a key (Z37).
    #[must_use]
    pub fn succession(key: &SecretKey, successor: &SecretKey, date: NaiveDate) -> Self {
        Self::signed(key, Some(successor), date)
    }

    fn signed(key: &SecretKey, successor: Option<&SecretKey>, date: NaiveDate) -> Self {
        let mut statement = Self {
            key: key.public(),
            successor: successor.map(SecretKey::public),
            date: date.to_string(),
            signature: [0; 64],
            countersignature: None,
        };
        let text = statement.text();
        statement.signature = key.sign(text.as_bytes());
        statement.countersignature = successor.map(|successor| successor.sign(text.as_bytes()));
        statement
    }

    /// Returns the text that is signed.
    #[must_use]
    pub fn text(&self) -> String {
        let (key, date) = (self.key.text(), &self.date);
        match &self.successor {
            None => format!("{REVOKE}{key}|{date}"),
            Some(successor) => format!("{ROTATE}{key}|{}|{date}", successor.text()),
        }
    }

    /// Writes it: the text, and each signature behind a space.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = self.text();
        for signature in [Some(&self.signature), self.countersignature.as_ref()].into_iter().flatten() {
            line.push(' ');
            line.push_str(&write_signature(signature));
        }
        line
    }

    /// Reads what [`Statement::line`] writes, between any white space; nothing if it is not one. Its signatures are not checked.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        Self::next(words.next()?, &mut words).filter(|_| words.next().is_none())
    }

    fn next<'a>(text: &str, words: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let key = |text: &str| PublicKey::read(text.as_bytes()).ok();
        let (key, successor, date) = if let Some(rest) = text.strip_prefix(REVOKE) {
            let (old, date) = rest.split_once('|')?;
            (key(old)?, None, date)
        } else {
            let (old, rest) = text.strip_prefix(ROTATE)?.split_once('|')?;
            let (new, date) = rest.split_once('|')?;
            (key(old)?, Some(key(new)?), date)
        };
        let is_day = NaiveDate::parse_from_str(date, "%Y-%m-%d").is_ok_and(|day| day.to_string() == date);
        let mut signature = || read_signature(words.next()?.as_bytes());
        let first = signature().filter(|_| is_day && successor != Some(key))?;
        let second = match successor {
            Some(_) => Some(signature()?),
            None => None,
        };
        Some(Self { key, successor, date: date.to_owned(), signature: first, countersignature: second })
    }

    /// Returns whether all its signatures hold (Z33).
    #[must_use]
    pub fn holds(&self) -> bool {
        let text = self.text();
        let by = |key: &PublicKey, signature: &Signature| key.verify(text.as_bytes(), signature).is_ok();
        by(&self.key, &self.signature)
            && match (&self.successor, &self.countersignature) {
                (Some(successor), Some(signature)) => by(successor, signature),
                (None, None) => true,
                _ => false,
            }
    }

    /// Returns the statements in a text that hold, each once. Lines may be broken at spaces, and quoted with `>`.
    #[must_use]
    pub fn find(text: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let mut starts = memchr::memmem::find_iter(text.as_bytes(), HEAD.as_bytes()).take(MOST);
        while let Some(rest) = starts.next().and_then(|at| text.get(at..)) {
            let mut words = rest.split_ascii_whitespace().filter(|word| word.bytes().any(|byte| byte != b'>'));
            let read = words.next().and_then(|text| Self::next(text, &mut words));
            found.extend(read.filter(|one| !found.contains(one) && one.holds()));
        }
        found
    }
}

/// Why a key counts as withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withdrawn {
    /// Its owner, or whoever else has it, says so, with this date (Z36).
    On(String),
    /// It names two successors: two people have it (Z37).
    Between(PublicKey, PublicKey),
}

/// Returns why a key with this fingerprint counts as withdrawn by statements that hold; nothing if it does not.
#[must_use]
pub fn withdrawn(statements: &[Statement], fingerprint: &str) -> Option<Withdrawn> {
    let mut about = statements.iter().filter(|one| one.key.fingerprint() == fingerprint);
    if let Some(one) = about.clone().find(|one| one.successor.is_none()) {
        return Some(Withdrawn::On(one.date.clone()));
    }
    let first = about.next()?.successor?;
    about.filter_map(|one| one.successor).find(|other| *other != first).map(|other| Withdrawn::Between(first, other))
}

/// Returns the fingerprints of the keys that name the key with this fingerprint as their successor, and of those before them.
#[must_use]
pub fn predecessors(statements: &[Statement], fingerprint: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut from = vec![fingerprint.to_owned()];
    while let Some(of) = from.pop() {
        for one in statements.iter().filter(|one| one.successor.is_some_and(|next| next.fingerprint() == of)) {
            let key = one.key.fingerprint();
            if key != fingerprint && !found.contains(&key) {
                found.push(key.clone());
                from.push(key);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SecretKey {
        SecretKey::take(&mut [byte; 32])
    }

    fn day() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 24).expect("a day")
    }

    #[test]
    fn z36_a_withdrawal_is_found_however_a_letter_breaks_and_quotes_it() {
        let one = Statement::withdrawal(&key(1), day());
        assert!(one.text().starts_with("pbem1|revoke|") && one.text().ends_with("|2026-11-24"));
        assert_eq!(Statement::read(&one.line()), Some(one.clone()));
        let broken = one.line().replace(' ', "\n");
        let quoted = format!("You wrote:\n> {}\n>\n> bye\n", one.line().replace(' ', "\n> "));
        for text in [one.line(), broken, quoted, format!("{} {}", one.line(), one.line())] {
            assert_eq!(Statement::find(&text), std::slice::from_ref(&one), "{text}");
        }
    }

    #[test]
    fn z36_a_statement_that_was_changed_or_is_by_another_key_is_none() {
        let (one, two) = (Statement::withdrawal(&key(1), day()), Statement::withdrawal(&key(2), day()));
        let other_day = one.line().replace("11-24", "11-25");
        let other_key = one.line().replace(&one.key.text(), &two.key.text());
        let odd_day = one.line().replace("2026-11-24", "2026-11-4");
        let more = one.line().replace("|2026", "|x|2026");
        let moved = Statement { signature: two.signature, ..one.clone() }.line();
        for text in [other_day, other_key, odd_day, more, moved, one.text(), String::new()] {
            assert_eq!(Statement::find(&text), [], "{text}");
        }
        // Read without a check, it does not hold.
        let read = Statement::read(&one.line().replace("11-24", "11-25")).expect("its form is right");
        assert!(!read.holds() && one.holds());
    }

    #[test]
    fn z37_a_succession_is_signed_by_both_keys() {
        let one = Statement::succession(&key(1), &key(2), day());
        assert_eq!(Statement::find(&one.line()), std::slice::from_ref(&one));
        // Nobody can take the key of another as a successor, nor make a successor of another's key.
        let alone = Statement { countersignature: Some(one.signature), ..one.clone() };
        let robbed = Statement { signature: one.countersignature.expect("two"), ..one.clone() };
        let half = Statement { countersignature: None, ..one.clone() };
        let itself = Statement::succession(&key(1), &key(1), day());
        for false_one in [alone, robbed, half, itself] {
            assert_eq!(Statement::find(&false_one.line()), [], "{}", false_one.line());
        }
    }

    #[test]
    fn z37_a_key_with_two_successors_counts_as_withdrawn() {
        let [first, other] = [2, 3].map(|next| Statement::succession(&key(1), &key(next), day()));
        let one = first.key.fingerprint();
        let again = Statement::succession(&key(1), &key(2), NaiveDate::from_ymd_opt(2026, 12, 1).expect("a day"));
        assert_eq!(withdrawn(&[first.clone(), again], &one), None, "the same successor twice");
        let between = Withdrawn::Between(key(2).public(), key(3).public());
        assert_eq!(withdrawn(&[first.clone(), other.clone()], &one), Some(between));
        let gone = Statement::withdrawal(&key(1), day());
        assert_eq!(withdrawn(&[first.clone(), gone], &one), Some(Withdrawn::On("2026-11-24".into())));
        assert_eq!(withdrawn(&[first, other], &key(2).public().fingerprint()), None);
    }

    #[test]
    fn z37_predecessors_are_followed_and_a_circle_ends() {
        let chain: Vec<_> =
            [(1, 2), (2, 3), (3, 1)].map(|(a, b)| Statement::succession(&key(a), &key(b), day())).into();
        let print = |byte| key(byte).public().fingerprint();
        assert_eq!(predecessors(&chain[..2], &print(3)), [print(2), print(1)]);
        assert_eq!(predecessors(&chain[..2], &print(1)), [""; 0]);
        assert_eq!(predecessors(&chain, &print(3)), [print(2), print(1)]);
    }
}
