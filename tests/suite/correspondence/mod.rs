//! Two players in one process, each with a fixed secret and a fixed key, using only the library, so that hundreds of
//! games are quick and the same each time.

#![allow(dead_code, reason = "each of those that include this uses a part of it")]

use postrider_kernel::{Lost, Side};
use postrider_referee::desk::{Answer, Desk, Entered, EntryRequest, Refusal};
use postrider_referee::record::Time;
use postrider_referee::sealing::{KeyStore, NotSigned, PublicKey, Secret, SecretKey, Signature, Unsigned, signed_text};

/// A player's secret and, if the player signs, key.
pub struct Keys {
    pub secret: Secret,
    pub key: Option<SecretKey>,
}

impl Keys {
    /// Keys derived from a number.
    pub fn of(number: u64, signs: bool) -> Self {
        let byte = |nth: u8| number.rotate_left(u32::from(nth) * 7).to_le_bytes()[usize::from(nth % 8)] ^ nth;
        let secret = Secret::take(&mut std::array::from_fn(|nth| byte(nth as u8)));
        let key = signs.then(|| SecretKey::take(&mut std::array::from_fn(|nth| !byte(nth as u8))));
        Self { secret, key }
    }
}

impl KeyStore for Keys {
    fn secret(&mut self, _: bool) -> Result<Option<Secret>, Lost> {
        Ok(Some(self.secret.clone()))
    }

    fn commits(&self) -> bool {
        true
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        Err(Lost("whoever has committed needs nothing random".into()))
    }

    fn key(&mut self, declared: Option<PublicKey>) -> Result<Option<PublicKey>, NotSigned> {
        let own = self.key.as_ref().map(SecretKey::public);
        assert!(declared.is_none() || declared == own, "nobody is asked for another's key");
        Ok(own)
    }

    fn sign(&mut self, entry: &Unsigned<'_>) -> Result<Option<Signature>, NotSigned> {
        let text = signed_text(entry.game, entry.number, entry.digest);
        Ok(self.key.as_ref().map(|key| key.sign(text.as_bytes())))
    }
}

/// A request for an entry, `hour` hours after the start.
pub fn wish(actions: &str, hour: u32) -> EntryRequest<'_> {
    let start = Time::read(b"2026-11-21T00:00:00Z").expect("a time");
    EntryRequest { actions, message: None, time: Time(start.0 + i64::from(hour) * 3600), time_asked: false }
}

/// What is forced for the side that is due, if anything.
pub fn forced(record: &[u8], hour: u32, keys: &mut Keys) -> Option<Box<Entered>> {
    let desk = Desk::open(record).unwrap_or_else(|refusal| panic!("{refusal}\n{}", String::from_utf8_lossy(record)));
    let answer = match desk.answer(&wish("", hour), keys) {
        Ok(Answer::Forced(tried)) => tried.appended(desk.opened.text, keys).map(Some),
        Ok(Answer::Choose(_) | Answer::Nothing(_)) => Ok(None),
        Err(refusal) => Err(refusal),
    };
    match answer {
        Ok(entered) => entered.map(Box::new),
        Err(refusal) => panic!("{refusal}\n{}", String::from_utf8_lossy(record)),
    }
}

/// Makes an entry as typed.
pub fn enter(record: &[u8], actions: &str, hour: u32, keys: &mut Keys) -> Result<Entered, Refusal> {
    Desk::open(record)?.enter(&wish(actions, hour), keys)
}

/// The side whose entry is due; `None` if the game is over.
pub fn due(record: &[u8]) -> Option<Side> {
    let desk = Desk::open(record).unwrap_or_else(|refusal| panic!("{refusal}\n{}", String::from_utf8_lossy(record)));
    let standing = desk.opened.table.standing();
    standing.outcome.is_none().then_some(standing.due.side)
}
