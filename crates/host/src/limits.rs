//! What strangers may cause: how often people are invited, and how often letters are answered of which it is not known who wrote them. All
//! of it is counted by mailboxes, without the part of an address behind a `+`, so that one person is not many.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::jobs::below;
use super::notes::{Game, Person};
use super::robots::Idle;
use super::work::{Work, Writer};
use super::{Host, failed};
use postrider_home::office::Trouble;
use postrider_mail::address;
use postrider_settings::HostLimits;

const DAY: i64 = 86_400;
const MONTH: i64 = 30 * DAY;
/// How many invitations of a mailbox are remembered.
const REMEMBERED: usize = 50;
/// For how long a mailbox is taken for a host's that has not shown that it is a person's.
const A_HOST: i64 = 90 * DAY;

/// What is noted of a mailbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Mailbox {
    /// Whether somebody has answered a letter of the host from it.
    pub(super) answered: bool,
    /// The day, counted from 1970, of the next.
    day: i64,
    /// Marks of the letters that were answered on that day without showing who wrote them.
    unproven: Vec<String>,
    /// When it was invited last, in seconds since 1970, and how often since it last answered.
    invited: i64,
    in_vain: u32,
    /// The invitations that came from it.
    asked: Vec<Asked>,
    /// Whether one of them was ever accepted.
    welcome: bool,
    /// Until when it is taken for the mailbox of another host.
    host: i64,
    /// The last letter about no game that asked for nothing.
    pub(super) idle: Idle,
}

/// An invitation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Asked {
    game: String,
    /// The name of the note of the mailbox to which it went.
    to: String,
    at: i64,
    /// Whether it went to somebody who had never answered before.
    stranger: bool,
    ended: Option<i64>,
    accepted: bool,
}

impl Asked {
    /// When it has come to nothing: it was declined, taken back, or not answered for a month.
    fn failed(&self, now: i64) -> Option<i64> {
        let end = self.ended.unwrap_or(self.at.saturating_add(MONTH));
        (!self.accepted && end <= now).then_some(end)
    }

    fn is_open(&self, now: i64) -> bool {
        self.ended.is_none() && self.at.saturating_add(MONTH) > now
    }
}

impl Mailbox {
    /// Why nobody is invited who has never answered, as far as the one counts who asks.
    fn asks_too_much(&self, now: i64, limits: &HostLimits) -> Option<String> {
        let strangers = || self.asked.iter().filter(|one| one.stranger);
        let (open, a_day) = (limits.open_invitations, limits.invitations_a_day);
        if strangers().filter(|one| one.is_open(now)).count() >= as_count(open) {
            return Some(format!(
                "As many of your invitations to people who have never played here wait for an answer as may ({open}). Please wait for one, or \
                 take one back: reply to it with \"decline\"."
            ));
        }
        if strangers().filter(|one| one.at.saturating_add(DAY) > now).count() >= as_count(a_day) {
            return Some(format!(
                "You have invited as many people today who have never played here as you may in a day ({a_day}); please invite others \
                 tomorrow."
            ));
        }
        let ended: Vec<&Asked> = self.asked.iter().filter(|one| one.stranger && !one.is_open(now)).collect();
        let in_vain = as_count(limits.invitations_in_vain);
        let last = ended.iter().rev().take(in_vain).map_while(|one| one.failed(now)).collect::<Vec<_>>();
        let until = last.iter().max().map_or(0, |end| end.saturating_add(MONTH));
        (last.len() >= in_vain && until > now).then(|| {
            format!(
                "Nobody accepted your last invitations ({in_vain} in a row), so for thirty days you can invite only people who have played \
                 here. Ask your friends to write here themselves, or play anybody who wants the same game."
            )
        })
    }
}

/// A limit as what is compared with how many there are.
fn as_count(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// A number of things in words.
fn counted(count: u32, one: &str, many: &str) -> String {
    if count == 1 { one.to_owned() } else { format!("{count} {many}") }
}

/// A number that is counted anew each day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Daily {
    day: i64,
    count: u32,
}

impl Daily {
    const fn on(&self, day: i64) -> u32 {
        if self.day == day { self.count } else { 0 }
    }
}

/// Whether a letter of which it is not known who wrote it may be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unproven {
    Answered,
    /// Not today.
    NotNow,
    /// Not before others have got their first letters.
    Waits,
}

impl Host<'_> {
    /// Takes up letters that waited until others had got their first letters, as many as may get theirs today.
    pub(super) fn take_up_later(&self) -> Result<(), Trouble> {
        let waiting = self.waiting("later")?;
        if waiting.is_empty() {
            return Ok(());
        }
        let work = Work::new(self, self.office.now(), "");
        let firsts: Daily = work.read(Path::new("firsts"))?.unwrap_or_default();
        let room = self.settings.first_letters_a_day.saturating_sub(firsts.on(work.today_here()));
        let spool = self.root.join("spool");
        self.office.disk().private_folder(&spool).map_err(|error| failed(&spool, error))?;
        for name in waiting.iter().take(usize::try_from(room).unwrap_or(usize::MAX)) {
            let from = self.root.join("later").join(name);
            self.office.disk().rename(&from, &spool.join(name)).map_err(Trouble::File)?;
        }
        Ok(())
    }
}

impl Work<'_, '_> {
    pub(super) fn mailbox_name(&self, address: &str) -> String {
        self.host.key.name(&["mailbox", &address::mailbox(address)])
    }

    pub(super) fn mailbox(&self, address: &str) -> Result<Mailbox, Trouble> {
        Ok(self.read(&below("mailboxes", &self.mailbox_name(address)))?.unwrap_or_default())
    }

    /// Changes what is noted of a mailbox; nothing is written if that changes nothing.
    pub(super) fn change_mailbox(&mut self, address: &str, change: impl FnOnce(&mut Mailbox)) -> Result<(), Trouble> {
        let before = self.mailbox(address)?;
        let mut after = before.clone();
        change(&mut after);
        if before != after {
            self.write(below("mailboxes", &self.mailbox_name(address)), &after);
        }
        Ok(())
    }

    /// Removes what is noted of the mailbox of somebody who is forgotten, but that it is to be left alone.
    pub(super) fn forget_mailbox(&mut self, address: &str) -> Result<(), Trouble> {
        let Mailbox { invited, in_vain, .. } = self.mailbox(address)?;
        let path = below("mailboxes", &self.mailbox_name(address));
        if invited > 0 {
            self.write(path, &Mailbox { invited, in_vain, ..Mailbox::default() });
        } else if self.is_written(&path) || self.is_on_disk(&path)? {
            self.remove(path);
        }
        Ok(())
    }

    /// Removes what is noted of a mailbox, unless it is more than that letters came in its name; `false` if it is another host's for now.
    pub(super) fn forget_idle_mailbox(&mut self, name: &str) -> Result<bool, Trouble> {
        let path = below("mailboxes", name);
        let Some(mailbox) = self.read::<Mailbox>(&path)? else { return Ok(true) };
        if mailbox.host > self.now.0 {
            return Ok(false);
        }
        if !mailbox.answered && !mailbox.welcome && mailbox.invited == 0 && mailbox.asked.is_empty() {
            self.remove(path);
        }
        Ok(true)
    }

    /// Notes that somebody has answered.
    pub(super) fn note_answer(&mut self, address: &str) -> Result<(), Trouble> {
        self.change_mailbox(address, |mailbox| {
            (mailbox.answered, mailbox.in_vain, mailbox.host) = (true, 0, 0);
        })
    }

    /// Notes that another host has written from a mailbox.
    pub(super) fn note_host(&mut self, address: &str) -> Result<(), Trouble> {
        let until = self.now.0.saturating_add(A_HOST);
        let name = self.mailbox_name(address);
        if !self.is_on_disk(&below("mailboxes", &name))? {
            self.note_stranger(&name, &name);
        }
        self.change_mailbox(address, |mailbox| {
            if !mailbox.answered {
                mailbox.host = until;
            }
        })
    }

    fn today_here(&self) -> i64 {
        self.host.office.now().0.div_euclid(DAY)
    }

    /// Whether as many first letters have gone today as may.
    fn first_letters_are_out(&self) -> Result<bool, Trouble> {
        let firsts: Daily = self.read(Path::new("firsts"))?.unwrap_or_default();
        Ok(firsts.on(self.today_here()) >= self.host.settings.first_letters_a_day)
    }

    fn count_daily(&mut self, path: PathBuf, day: i64) -> Result<(), Trouble> {
        let known: Daily = self.read(&path)?.unwrap_or_default();
        self.write(path, &Daily { day, count: known.on(day) + 1 });
        Ok(())
    }

    /// Whether a letter is answered that does not show who wrote it; `request` tells letters apart that ask for different things.
    pub(super) fn unproven(&self, person: &Person, request: &str) -> Result<Unproven, Trouble> {
        let mailbox = self.mailbox(&person.address)?;
        let is_today = mailbox.day == self.now.0.div_euclid(DAY);
        let answered = mailbox.unproven.iter().filter(|_| is_today);
        if mailbox.host > self.now.0
            || answered.clone().count() >= as_count(self.host.settings.limits.unproven_answers)
            || answered.clone().any(|known| known == request)
        {
            return Ok(Unproven::NotNow);
        }
        let is_first = !mailbox.answered && !person.answered;
        Ok(if is_first && self.first_letters_are_out()? { Unproven::Waits } else { Unproven::Answered })
    }

    /// Notes that such a letter was answered.
    pub(super) fn note_unproven(&mut self, person: &Person, request: &str) -> Result<(), Trouble> {
        let day = self.now.0.div_euclid(DAY);
        let mut is_first = !person.answered;
        self.change_mailbox(&person.address, |mailbox| {
            is_first &= !mailbox.answered;
            if mailbox.day != day {
                (mailbox.day, mailbox.unproven) = (day, Vec::new());
            }
            mailbox.unproven.push(request.to_owned());
        })?;
        if is_first { self.count_daily(PathBuf::from("firsts"), self.today_here()) } else { Ok(()) }
    }

    /// Whether somebody has never answered a letter from here, by whatever form of the address.
    pub(super) fn is_stranger(&self, person: &Person) -> Result<bool, Trouble> {
        Ok(!person.answered && !self.mailbox(&person.address)?.answered)
    }

    /// Says why somebody is not invited, if so.
    pub(super) fn not_invited(&self, writer: &Writer, other: &Person) -> Result<Option<String>, Trouble> {
        let (now, asked) = (self.now.0, self.mailbox(&other.address)?);
        let limits = &self.host.settings.limits;
        let own = self.mailbox(&writer.person.address)?;
        let to = self.mailbox_name(&other.address);
        let closed = || {
            format!(
                "{} cannot be invited from here now: nobody is invited again within {}, more than {} without an answer, or who does not \
                 want letters. If you know each other, ask them to write to {} themselves.",
                other.address,
                counted(limits.days_between_invitations, "a day", "days"),
                counted(limits.invitations_in_all, "once", "times"),
                self.host.address
            )
        };
        if other.never || other.unreachable || asked.host > now {
            return Ok(Some(closed()));
        }
        if own.asked.iter().filter(|one| one.to == to && one.is_open(now)).count() >= as_count(limits.open_invitations)
        {
            return Ok(Some(format!("{} has not answered your last invitations yet.", other.address)));
        }
        if !self.is_stranger(other)? {
            return Ok(None);
        }
        let again = asked.invited.saturating_add(i64::from(limits.days_between_invitations) * DAY);
        if asked.in_vain >= limits.invitations_in_all || asked.invited > 0 && again > now {
            return Ok(Some(closed()));
        }
        if let Some(why) = own.asks_too_much(now, limits) {
            return Ok(Some(why));
        }
        let domain: Daily = self.read(&self.domain_file(&other.address))?.unwrap_or_default();
        if !own.welcome && domain.on(now.div_euclid(DAY)) >= limits.invitations_to_a_domain {
            let name = other.address.rsplit_once('@').map_or("", |(_, domain)| domain);
            return Ok(Some(format!(
                "As many people at {name} who have never played here were invited today as may be in a day ({}); please ask again tomorrow.",
                limits.invitations_to_a_domain
            )));
        }
        let waits = self.first_letters_are_out()? && !writer.vouched;
        Ok(waits.then(|| {
            "As many people were written to for the first time today as this address may write to in a day; please ask again tomorrow.".to_owned()
        }))
    }

    fn domain_file(&self, address: &str) -> PathBuf {
        let domain = address::mailbox(address).rsplit_once('@').map(|(_, domain)| domain.to_owned());
        below("domains", &self.host.key.name(&["domain", &domain.unwrap_or_default()]))
    }

    /// Notes an invitation.
    pub(super) fn note_invited(&mut self, writer: &Writer, other: &Person, game: &Game) -> Result<(), Trouble> {
        let (stranger, now) = (self.is_stranger(other)?, self.now.0);
        let to = self.mailbox_name(&other.address);
        let welcome = self.mailbox(&writer.person.address)?.welcome;
        self.change_mailbox(&writer.person.address, |mailbox| {
            let surplus = (mailbox.asked.len() + 1).saturating_sub(REMEMBERED);
            mailbox.asked.drain(..surplus);
            mailbox.asked.push(Asked { game: game.id.clone(), to, at: now, stranger, ..Asked::default() });
        })?;
        if !stranger {
            return Ok(());
        }
        self.change_mailbox(&other.address, |mailbox| {
            mailbox.invited = now;
            mailbox.in_vain += 1;
        })?;
        if !welcome {
            self.count_daily(self.domain_file(&other.address), now.div_euclid(DAY))?;
        }
        self.count_daily(PathBuf::from("firsts"), self.today_here())
    }

    /// Notes what became of an invitation.
    pub(super) fn note_reply(&mut self, game: &Game, accepted: bool) -> Result<(), Trouble> {
        let now = self.now.0;
        self.change_mailbox(&game.seats[game.by].address, |mailbox| {
            if let Some(one) = mailbox.asked.iter_mut().find(|one| one.game == game.id && one.ended.is_none()) {
                (one.ended, one.accepted) = (Some(now), accepted);
                mailbox.welcome |= accepted;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(at: i64, ended: Option<i64>, accepted: bool) -> Asked {
        Asked { at, ended, accepted, stranger: true, ..Asked::default() }
    }

    #[test]
    fn who_asks_in_vain_five_times_in_a_row_asks_no_stranger_for_a_month() {
        let now = 1_795_600_000;
        let of = |asked: Vec<Asked>| {
            Mailbox { asked, ..Mailbox::default() }.asks_too_much(now, &HostLimits::default()).is_some()
        };
        let vain = |days: i64| asked(now - days * DAY, Some(now - days * DAY), false);
        assert!(!of((2..6).map(vain).collect()), "four");
        assert!(of((2..7).rev().map(vain).collect()), "five");
        assert!(!of((32..37).rev().map(vain).collect()), "a month ago");
        let mut list: Vec<Asked> = (2..6).rev().map(vain).collect();
        list.insert(2, asked(now - 4 * DAY, Some(now - 4 * DAY), true));
        assert!(!of(list), "not in a row");
        // Whoever does not answer for a month has answered with no.
        assert!(of((31..36).rev().map(|days| asked(now - days * DAY, None, false)).collect()));
        assert!(of(vec![asked(now - 29 * DAY, None, false); 3]), "open");
        assert!(!of(vec![asked(now - 29 * DAY, None, false); 2]), "open");
        assert!(of(vec![asked(now - DAY + 1, Some(now), true); 5]), "in a day");
    }
}
