//! The ports of the office, as values: what a request brings, and what its answer takes along.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::words;
use postrider_home::office::{Clock, Front, Locked, Notice, Pages, Post, Randomness, Trouble};
use postrider_home::send::transport::{Receipt, SendError};
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Insist;
use postrider_mail::Message;
use postrider_referee::record::Time;
use postrider_referee::sealing::SecretKey;
use postrider_settings::{GitSettings, MailSettings};
use postrider_vault::locked::{LockFault, LockedKey};

/// What a request brings.
pub(super) struct World {
    now: Time,
    /// The random bytes that are left.
    random: Mutex<Zeroizing<Vec<u8>>>,
    passphrase: Option<Zeroizing<String>>,
    letters: Mutex<Vec<Value>>,
    notices: Mutex<Vec<Value>>,
}

impl World {
    pub(super) fn new(now: Time, random: Vec<u8>, passphrase: Option<String>) -> Self {
        Self {
            now,
            random: Mutex::new(Zeroizing::new(random)),
            passphrase: passphrase.map(Zeroizing::new),
            letters: Mutex::default(),
            notices: Mutex::default(),
        }
    }

    /// The letters that go out.
    pub(super) fn letters(&self) -> Vec<Value> {
        std::mem::take(&mut *held(&self.letters))
    }

    /// Says something beside the answer.
    pub(super) fn notice(&self, told: Value) {
        held(&self.notices).push(told);
    }

    /// What was noticed.
    pub(super) fn notices(&self) -> Vec<Value> {
        std::mem::take(&mut *held(&self.notices))
    }
}

/// What a lock holds.
fn held<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Clock for World {
    fn now(&self) -> Time {
        self.now
    }
}

impl Randomness for World {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        let mut left = held(&self.random);
        // No byte serves twice: what was used is gone, and too few are a refusal.
        let at = left.len().checked_sub(bytes.len()).ok_or("the random bytes of this request are used up")?;
        bytes.copy_from_slice(left.get(at..).unwrap_or_default());
        left.truncate(at);
        Ok(())
    }
}

/// A page attaches no page.
impl Pages for World {
    fn page(&self, _: &[u8], _: Side) -> Option<String> {
        None
    }
}

impl Post for World {
    fn send(&self, letter: &Message<'_>, _: &MailSettings) -> Result<Receipt, SendError> {
        held(&self.letters).push(super::letters::told(letter));
        Ok(Receipt::Program("whoever asked".to_owned()))
    }

    fn push(&self, _: &Path, _: &GitSettings, _: &str, _: (&str, &str)) -> Result<String, Trouble> {
        Err(Trouble::of("nothing is pushed from here: the settings send letters by git"))
    }
}

impl Front for World {
    fn tell(&self, notice: Notice) {
        let told = match &notice {
            Notice::Warning(advice) => json!({ "kind": "warning", "text": words::advice(advice) }),
            Notice::Note(advice) => json!({ "kind": "note", "text": words::advice(advice) }),
            Notice::Hint(advice) => {
                json!({ "kind": "hint", "text": words::advice(advice), "acts": words::acts(advice) })
            }
            Notice::Trouble(trouble) | Notice::Failed(trouble) => {
                let mut told = words::trouble(trouble);
                told["kind"] = "trouble".into();
                told["text"] = told["message"].take();
                told
            }
        };
        World::notice(self, told);
    }

    fn unlock(&self, key: &LockedKey) -> Result<SecretKey, Locked> {
        let hint = || advice![Insist::Passphrase, " of your key is needed to sign"];
        let locked = |why: &str| Locked { why: why.to_owned(), hint: hint() };
        let passphrase = self.passphrase.as_ref().ok_or_else(|| locked("your key is locked with a passphrase"))?;
        key.open(passphrase).map_err(|fault| match fault {
            LockFault::Passphrase => locked("the passphrase of your key is wrong"),
            fault => locked(&fault.to_string()),
        })
    }
}
