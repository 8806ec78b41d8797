//! Which messages were taken, so that none does anything twice.

use super::work::Work;
use super::{LONG_AGO, MONTHS, seen_name, shard};
use postrider_home::office::Trouble;
use postrider_mail::incoming::Mail;

/// How many notes of messages that were taken long ago are forgotten with each message.
const MOST_FORGOTTEN: usize = 20;

impl Work<'_, '_> {
    /// Notes that the message was taken, and forgets some of what was noted so long ago that such a message does nothing any more.
    pub(super) fn seen(&mut self) -> Result<(), Trouble> {
        let (month, folder) = (self.host.month(), shard(&self.mark));
        let month_of = |name: &str| name.split_once('-').and_then(|(month, _)| month.parse::<i64>().ok());
        let is_old = |name: &&String| month_of(name).is_none_or(|noted| noted < month - MONTHS);
        let names = self.names_in(&folder)?;
        for name in names.iter().filter(is_old).take(MOST_FORGOTTEN) {
            // An older home has noted no month.
            if month_of(name).is_none() {
                self.touch(folder.join(seen_name(month, name)), b"");
            }
            self.remove(folder.join(name));
        }
        let name = seen_name(month, &self.mark);
        self.touch(folder.join(name), b"");
        Ok(())
    }

    /// Whether a letter is so old that nothing in it is entered: it may have been taken before, and forgotten.
    pub(super) fn is_long_ago(&self, mail: &Mail) -> bool {
        let now = self.host.office.now().0;
        [Some(self.now), mail.date].into_iter().flatten().any(|time| now.saturating_sub(time.0) > LONG_AGO)
    }
}
