//! The office in the player's home, with the machine's clock, randomness and post, and a person at the terminal in front.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::acts;
use super::confirm;
use super::hints::{Failure, fitting};
use super::passphrase::Unlock;
use postrider_home::office::{Clock, Front, Locked, Notice, Office, Pages, Ports, Post, Randomness};
use postrider_home::own_game::OwnGame;
use postrider_kernel::Side;
use postrider_settings::{FileSettings, MailSettings};

use postrider_disk::folders::Folders;
use postrider_referee::record::Time;
use postrider_referee::sealing::SecretKey;
use postrider_referee::verdict::Opened;
use postrider_vault::locked::LockedKey;

/// The machine's clock, or `POSTRIDER_NOW` if it is set (for scripts and tests).
struct MachineClock;

impl Clock for MachineClock {
    fn now(&self) -> Time {
        let set = std::env::var("POSTRIDER_NOW").ok().and_then(|text| Time::read(text.as_bytes()));
        set.unwrap_or_else(|| Time(postrider_disk::clock::now().timestamp()))
    }
}

/// The system's source of randomness.
struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        postrider_disk::random::random(bytes)
    }
}

/// A person at the terminal, or a script.
struct Terminal;

impl Front for Terminal {
    fn tell(&self, notice: Notice) {
        match notice {
            Notice::Warning(text) => say(&format!("warning: {}", acts::written(&text))),
            Notice::Note(text) => say(&acts::written(&text)),
            Notice::Hint(text) => say(&format!("hint: {}", acts::written(&text))),
            Notice::Failed(trouble) => err!("{}", Failure::from(trouble)),
            Notice::Trouble(trouble) => err!("warning: {}", Failure::from(trouble)),
        }
    }

    fn can_ask(&self) -> bool {
        confirm::can_ask()
    }

    fn confirms(&self, question: &str) -> bool {
        confirm::asks(question)
    }

    fn denies(&self, question: &str) -> bool {
        confirm::can_ask() && confirm::denies(question)
    }

    fn unlock(&self, key: &LockedKey) -> Result<SecretKey, Locked> {
        // The passphrase is asked for once, however many commands a session runs.
        static OPENED: Mutex<Option<SecretKey>> = Mutex::new(None);
        let mut there = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = there.as_ref().filter(|opened| opened.public() == key.public()) {
            return Ok(opened.again());
        }
        let opened = Unlock::default().open("your key", |passphrase| key.open(passphrase))?;
        *there = Some(opened.again());
        Ok(opened)
    }
}

/// Pages as this program draws them.
struct Drawn;

impl Pages for Drawn {
    fn page(&self, record: &[u8], from: Side) -> Option<String> {
        postrider_page::page_of(record, from)
    }
}

/// Writes to standard error, with a line end if there is none.
pub fn say(text: &str) {
    let text = fitting(text);
    err!("{text}{}", if text.ends_with('\n') { "" } else { "\n" });
}

/// What letters go out by, once the program has said so.
static POST: OnceLock<&'static dyn Post> = OnceLock::new();

/// Says what letters go out by, from now on.
pub(super) fn posts_by(post: &'static dyn Post) {
    POST.get_or_init(|| post);
}

/// The office of the command that runs.
static OFFICE: Mutex<Option<Arc<Office<'static>>>> = Mutex::new(None);

/// Returns the office in the player's home, which is opened once for each command.
///
/// # Errors
/// If there is no home, or nothing was said of what letters go out by.
pub fn office() -> Result<Arc<Office<'static>>, Failure> {
    let mut there = OFFICE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(office) = &*there {
        return Ok(Arc::clone(office));
    }
    let folders = Folders::find()?;
    let post = *POST.get().ok_or_else(|| Failure::trouble("nothing can be mailed here"))?;
    let ports = Ports { clock: &MachineClock, randomness: &SystemRandomness, post, pages: &Drawn, front: &Terminal };
    Ok(Arc::clone(there.insert(Arc::new(Office::new(folders, ports)))))
}

/// Returns the player's side of a game, if it is known.
pub fn side(opened: &Opened<'_>) -> Option<Side> {
    let office = office().ok()?;
    OwnGame::new(&office, &opened.header.id).side(opened)
}

/// Removes what killed programs have left where the settings of this run put letters.
pub fn sweep_outbox() {
    let there = OFFICE.lock().unwrap_or_else(PoisonError::into_inner);
    let settings = there.as_ref().and_then(|office| office.settings().ok());
    if let Some(MailSettings::File(FileSettings { outbox, .. })) = settings.map(|settings| &settings.mail) {
        postrider_disk::folders::sweep_outbox(outbox);
    }
}

/// Whether an office that was left has signed or sealed something.
static SIGNED: AtomicBool = AtomicBool::new(false);
/// Whether an office was left.
static LEFT: AtomicBool = AtomicBool::new(false);

/// Forgets what the last command has read of the home.
pub fn leave() {
    let left = OFFICE.lock().unwrap_or_else(PoisonError::into_inner).take();
    LEFT.fetch_or(left.is_some(), Ordering::Relaxed);
    if left.is_some_and(|office| office.take_signed()) {
        SIGNED.store(true, Ordering::Relaxed);
    }
}

/// Whether the home was opened since this was last asked.
pub fn take_opened() -> bool {
    let there = OFFICE.lock().unwrap_or_else(PoisonError::into_inner);
    LEFT.swap(false, Ordering::Relaxed) || there.is_some()
}

/// Whether something was signed or sealed since this was last asked.
pub fn take_signed() -> bool {
    let there = OFFICE.lock().unwrap_or_else(PoisonError::into_inner);
    let now = there.as_ref().is_some_and(|office| office.take_signed());
    SIGNED.swap(false, Ordering::Relaxed) || now
}
