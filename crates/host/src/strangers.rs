//! Notes of people who have never answered a letter of the host. Anybody can write in anybody's name, so they go after a while: which there
//! are is noted by the day on which each was made.

use std::path::{Path, PathBuf};

use super::jobs::below;
use super::notes::Person;
use super::work::Work;
use postrider_home::office::Trouble;

const DAY: i64 = 86_400;
/// For how many days such a note is kept: nothing is entered from a letter that is older.
const KEPT: i64 = 60;
/// How many of them are looked at with each message.
const MOST_LOOKED_AT: usize = 20;
/// With which signs the names of notes begin.
const SIGNS: &str = "abcdefghijklmnopqrstuvwxyz234567";

/// The folder of the notes whose names begin with a sign.
fn folder(sign: &str) -> PathBuf {
    Path::new("strangers").join(sign)
}

/// The day and the name of a note.
fn noted(file: &str) -> Option<(i64, &str)> {
    let (day, name) = file.split_once('-')?;
    Some((day.parse().ok()?, name))
}

impl Work<'_, '_> {
    /// Notes that something is noted of somebody who has never answered: the name of the note, and that of the mailbox's.
    pub(super) fn note_stranger(&mut self, name: &str, mailbox: &str) {
        self.note_stranger_of(self.now.0.div_euclid(DAY), name, mailbox);
    }

    fn note_stranger_of(&mut self, day: i64, name: &str, mailbox: &str) {
        let file = folder(name.get(..1).unwrap_or("x")).join(format!("{day:06}-{name}"));
        self.touch(file, mailbox.as_bytes());
    }

    /// Forgets some of those who have never answered and of whom nothing was heard for long.
    pub(super) fn forget_strangers(&mut self) -> Result<(), Trouble> {
        let today = self.host.office.now().0.div_euclid(DAY);
        let place = self.mark.get(..2).and_then(|digits| usize::from_str_radix(digits, 16).ok()).unwrap_or(0);
        let place = place % SIGNS.len();
        let folder = folder(SIGNS.get(place..=place).unwrap_or("x"));
        let is_old = |file: &String| noted(file).is_none_or(|(day, _)| day < today - KEPT);
        let old: Vec<String> = self.names_in(&folder)?.into_iter().filter(is_old).take(MOST_LOOKED_AT).collect();
        for file in old {
            let path = folder.join(&file);
            let name = noted(&file).map_or("", |(_, name)| name);
            // What cannot be read is looked at again.
            let Ok(mailbox) = self.bytes(&path) else { continue };
            let mailbox = String::from_utf8_lossy(&mailbox.unwrap_or_default()).into_owned();
            let Ok(heard) = self.forget_stranger(name, &mailbox, today) else { continue };
            self.remove(path);
            if let Some(day) = heard {
                self.note_stranger_of(day, name, &mailbox);
            }
        }
        Ok(())
    }

    /// Forgets somebody who has never answered; if that is too early, the day to count from.
    fn forget_stranger(&mut self, name: &str, mailbox: &str, today: i64) -> Result<Option<i64>, Trouble> {
        if let Some(person) = self.person_by_name(name)?.filter(is_stranger) {
            if person.day >= today - KEPT {
                return Ok(Some(person.day));
            }
            let token = self.token_of_person(&person);
            self.remove(below("tokens", &token));
            self.remove(below("people", name));
        }
        Ok(if self.forget_idle_mailbox(mailbox)? { None } else { Some(today) })
    }
}

/// Whether nothing is known of a person but that letters came in this name.
fn is_stranger(person: &Person) -> bool {
    let is_known = person.answered || person.never || person.unreachable || person.chosen || person.key.is_some();
    !is_known && person.games.is_empty() && person.seeks.is_empty() && person.withdrawn.is_empty()
}
