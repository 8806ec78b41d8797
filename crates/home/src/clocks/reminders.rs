//! Reminders: polite letters to the side that is due and has little time left.

use crate::clocks::Running;
use crate::office::Trouble;
use postrider_board::render::Look;
use postrider_board::render::sheet;
use postrider_board::render::sheet::Extras;
use postrider_kernel::text::printable;
use postrider_kernel::{Side, Viewer};
use postrider_mail::{Letter, Message, Party, Seat, message_id};
use postrider_referee::desk::chain::Chain;
use postrider_referee::judging::{Standing, in_words};
use postrider_referee::record::Time;
use postrider_referee::verdict::Opened;
use postrider_settings::Settings;

/// With a long clock, a week counts as little, however much it grants.
const WEEK: i64 = 7 * 86_400;

/// Returns whether the clock of the side that is due is low: at most a fifth of what it grants is left, or a week if
/// that is less.
#[must_use]
pub(crate) fn is_low(standing: &Standing, running: &Running) -> bool {
    let low = standing.clocks.map_or(0, |clocks| (clocks.granted() / 5).min(WEEK));
    // A player on leave needs no reminder.
    running.still_until.is_none() && running.left < low
}

/// A reminder that could be sent.
pub struct Reminder {
    game: String,
    entry: u32,
    digest: [u8; 32],
    from: [String; 2],
    to: [String; 2],
    /// What it says.
    pub text: String,
    record: Vec<u8>,
}

impl Reminder {
    /// Writes to the side that is due: to the opponent, or to the player's own address. Returns `None` if an address is
    /// missing.
    #[must_use]
    pub fn of(
        opened: &Opened<'_>,
        own: Option<Side>,
        running: &Running,
        now: Time,
        settings: &Settings,
    ) -> Option<Self> {
        let standing = opened.table.standing();
        let (own, due) = (own?, standing.due.side);
        let party = |side: Side| {
            let player = opened.header.player(side);
            let here = settings.email.as_deref().filter(|_| side == own);
            Some([player.name.to_string(), player.email.as_deref().or(here)?.to_owned()])
        };
        Some(Self {
            game: opened.header.id.to_string(),
            entry: standing.entries,
            digest: Chain::of(opened.text.as_bytes()).ok()?.digest(),
            from: party(own)?,
            to: party(due)?,
            text: text(opened, own, running, now),
            record: opened.text.as_bytes().to_vec(),
        })
    }

    /// The letter.
    ///
    /// # Errors
    /// If an address is none.
    pub fn message(&self, now: Time) -> Result<Message<'_>, Trouble> {
        let party = |[name, address]: &'_ [String; 2]| (name.clone(), address.clone());
        let ((from, from_address), (to, to_address)) = (party(&self.from), party(&self.to));
        let letter = Letter {
            from: Party { name: &from, address: &from_address },
            to: Party { name: &to, address: &to_address },
            game: &self.game,
            entry: self.entry,
            thread: None,
            side: "",
            actions: "",
            digest: self.digest,
            earlier: &[message_id(&self.game, self.entry, &self.digest)],
            date: now.utc().unwrap_or_default(),
            text: &self.text,
            html: None,
            record: &self.record,
            attached: true,
            page: None,
            auto: false,
            seat: Seat::default(),
        };
        Ok(letter.build_reminder()?)
    }
}

fn text(opened: &Opened<'_>, own: Side, running: &Running, now: Time) -> String {
    let standing = opened.table.standing();
    let due = standing.due.side;
    let name = |side: Side| printable(&opened.header.player(side).name).into_owned();
    let whose = if own == due { "your own entry" } else { "your entry" };
    let number = standing.entries.saturating_add(1);
    let time = match running.left {
        left if left < 0 => {
            let so_far = if own == due { "your opponent may claim it" } else { "I have not claimed it so far" };
            format!("Your time ran out at {}; {so_far}.", running.deadline)
        }
        left => format!("The time left is {}, until {}.", in_words(left), running.deadline),
    };
    let mut text = format!(
        "{},\n\na kind reminder: {whose} {number} of {} is due ({}).\n{time}\n\n",
        name(due),
        opened.header.id,
        standing.due.what
    );
    text.push_str("The whole record is attached, in case an earlier letter was lost.\n\n");
    let extras = Extras { entries: sheet::last_entries(opened, 2), now: Some(now), local: false };
    text.push_str(&sheet::draw(opened, &opened.table.view(Viewer::Public), &extras, Look::default()));
    if own != due {
        text.push_str(&format!("\n{}\n", name(own)));
    }
    text
}
