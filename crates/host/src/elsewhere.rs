//! What is written or done beside one game's letter: entries that whoever runs the host has made, and lines of a letter that are about
//! another game than the one that it answers.

use super::Host;
use super::ailing::Look;
use super::did::Did;
use super::failed;
use super::notes::State;
use super::work::{Work, Writer};
use postrider_home::office::Trouble;
use postrider_home::receive::received::Mark;
use postrider_home::{hosting, records};
use postrider_mail::incoming::Mail;
use postrider_mail::understand::{is_word_of_entry, looks_like_entry};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How many other games one letter may be about.
const MOST_OTHERS: usize = 4;

/// Lines about one game, by its id.
type About = (String, Vec<String>);

/// For how many seconds a note of an entry that is in no record stays: whoever makes one has written it by then, or never will.
const MAKING: i64 = 86_400;

/// The file of the note that an entry is made in a game by whoever runs the host.
fn made(id: &str, number: u32) -> PathBuf {
    Path::new("made").join(hosting::note_of_entry(id, number))
}

/// What one line says of a game.
enum Says {
    /// It names a game, and says nothing besides: what stands below is about that game.
    Heading(String),
    /// It names a game beside what may be an entry in it.
    Entry(String, String),
    /// It names a game, or none, in words of its own.
    Words,
}

/// Takes the lines out that are about other games of the writer's: one that names such a game beside an entry, and those below one that names
/// it and says nothing else. Everything else stays as it is, for it is said in the game that is answered.
pub(super) fn apart(lines: &mut Vec<String>, own: &str, others: &[String]) -> Vec<About> {
    let mut found: Vec<About> = Vec::new();
    // Each line as it is read here, as it stood, and under which of the games found it stands.
    let mut read: Vec<(Option<String>, String, Option<usize>)> = Vec::new();
    let mut under = None;
    for line in lines.iter() {
        let (said, at) = match says(line, own, others) {
            Says::Heading(id) => {
                under = (id != own).then(|| place_of(&mut found, id));
                (None, under)
            }
            Says::Entry(id, rest) => {
                under = None;
                (Some(rest), (id != own).then(|| place_of(&mut found, id)))
            }
            Says::Words => (Some(line.clone()), under),
        };
        read.push((said, line.clone(), at));
    }
    let is_entry = |line: &String| looks_like_entry(line) || is_word_of_entry(line);
    let mut is_about = vec![false; found.len()];
    for (said, _, at) in &read {
        if let Some(is) = at.and_then(|at| is_about.get_mut(at)) {
            *is |= said.as_ref().is_some_and(is_entry);
        }
    }
    if found.len() > MOST_OTHERS || !is_about.contains(&true) {
        return Vec::new();
    }
    lines.clear();
    for (said, line, at) in read {
        match at.filter(|at| is_about.get(*at) == Some(&true)).and_then(|at| found.get_mut(at)) {
            Some((_, list)) => list.extend(said),
            None if at.is_some() => lines.push(line),
            None => lines.extend(said),
        }
    }
    found.retain(|(_, list)| !list.is_empty());
    if lines.iter().all(String::is_empty) {
        lines.clear();
    }
    found
}

/// The place of a game among those found, at which it stands from now on.
fn place_of(found: &mut Vec<About>, id: String) -> usize {
    found.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
        found.push((id, Vec::new()));
        found.len() - 1
    })
}

/// Reads what a line says of a game that it names.
fn says(line: &str, own: &str, others: &[String]) -> Says {
    let lower = line.to_ascii_lowercase();
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let named =
        lower.split(|c: char| !is_part(c)).find(|word| *word == own || others.iter().any(|other| other == word));
    let Some(id) = named.filter(|_| !lower.trim_start().starts_with("message:")) else { return Says::Words };
    let Some((before, behind)) = lower.find(id).and_then(|at| Some((line.get(..at)?, line.get(at + id.len()..)?)))
    else {
        return Says::Words;
    };
    let is_sign = |c: char| c.is_whitespace() || matches!(c, ':' | ',' | '-' | ')' | '(' | '.' | '"');
    let (before, behind) = (before.trim_end_matches(is_sign), behind.trim_start_matches(is_sign));
    let before = ["in game", "in", "for", "to", "game"]
        .iter()
        .find_map(|end| {
            let at = before.len().checked_sub(end.len())?;
            let is_end = before.get(at..)?.eq_ignore_ascii_case(end);
            let rest = before.get(..at).filter(|rest| is_end && !rest.ends_with(char::is_alphanumeric))?;
            Some(rest.trim_end_matches(is_sign))
        })
        .unwrap_or(before);
    let is_entry = |words: &str| looks_like_entry(words) || is_word_of_entry(words.trim_end_matches('?'));
    match (before.is_empty(), behind.is_empty()) {
        (true, true) => Says::Heading(id.to_owned()),
        (true, false) if is_entry(behind) => Says::Entry(id.to_owned(), behind.to_owned()),
        (false, true) if is_entry(before) => Says::Entry(id.to_owned(), before.to_owned()),
        // Whatever is said around an entry in another game, it is none in this one.
        (false, false) if id != own && (is_entry(before) || is_entry(behind)) => {
            Says::Entry(id.to_owned(), line.to_owned())
        }
        _ => Says::Words,
    }
}

impl Work<'_, '_> {
    /// Answers lines that stood in a letter about another game: each of these games has a letter of its own, with whose address it is
    /// answered, so that no entry is made in the wrong one, and none is given up.
    pub(super) fn about_others(
        &mut self,
        writer: &mut Writer,
        own: &str,
        mail: &Mail,
        others: &[About],
    ) -> Result<(), Trouble> {
        for (id, lines) in others {
            let Some(game) = self.game(id)?.filter(|game| game.state == State::Running) else { continue };
            let Some(side) = game.seat_of(&writer.person.address) else { continue };
            if self.host.unsure(&game)?.is_some() || self.host.fault_of(id, Look::Quick)?.is_some() {
                continue;
            }
            let why = format!(
                "Your letter about {own} says this about this game. A letter is read as about one game, the one that it answers, so that \
                 nothing is entered in a wrong one. Nothing was entered here: please reply to this letter."
            );
            self.due_again(writer, &game, side, mail, lines, &why)?;
            self.log(&Did::OfAnotherGame, json!({"id": id}));
        }
        Ok(())
    }

    /// Writes to both players about entries that whoever runs the host has made, of which there are notes with these numbers. The notes
    /// of entries that are not in the record yet stay. Returns whether there was anything to be done.
    fn made_here(&mut self, id: &str, numbers: &[u32]) -> Result<bool, Trouble> {
        let Some(mut game) = self.game(id)?.filter(|game| game.state == State::Running) else {
            numbers.iter().for_each(|number| self.remove(made(id, *number)));
            return Ok(true);
        };
        if self.host.unsure(&game)?.is_some() || self.host.fault_of(id, Look::Quick)?.is_some() {
            return Ok(false);
        }
        let record = self.record(id)?;
        let desk = records::on_desk(&record, id)?;
        game.not_shortened(&desk.opened)?;
        let entries = desk.opened.table.standing().entries;
        drop(desk);
        let mut is_done = entries > game.told.unwrap_or(game.reminded.0);
        if is_done {
            self.after_entry(&mut game, None)?;
            self.keep_game(&game);
            self.log(&Did::MadeHere, json!({"id": id}));
        }
        for number in numbers {
            if *number <= entries || self.is_never_made(&made(id, *number))? {
                self.remove(made(id, *number));
                is_done = true;
            }
        }
        Ok(is_done)
    }

    /// Whether the entry of a note was begun so long ago that nobody makes it any more.
    fn is_never_made(&self, note: &Path) -> Result<bool, Trouble> {
        let since: Option<i64> = self.read(note)?;
        Ok(since.is_some_and(|since| since.saturating_add(MAKING) < self.now.0))
    }
}

impl Host<'_> {
    /// Writes to the players of games in which whoever runs the host has made an entry.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub(super) fn tell_of_own_entries(&self, hear: &dyn Fn(&str)) -> Result<(), Trouble> {
        let folder = self.root.join("made");
        let list = self.office.disk().list_if_there(&folder).map_err(|error| failed(&folder, error))?;
        let mut games: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for name in list.into_iter().filter_map(|one| one.name.into_string().ok()) {
            if let Some((id, number)) = hosting::entry_of_note(&name) {
                games.entry(id.to_owned()).or_default().push(number);
            }
        }
        for (id, numbers) in games {
            let now = self.office.now();
            let mut work = Work::new(self, now, &Mark::of(&[b"made", id.as_bytes(), &now.0.to_be_bytes()]).hex());
            match work.made_here(&id, &numbers) {
                Ok(true) => self.finish(work.into_job(None)?, hear)?,
                Ok(false) => {}
                Err(trouble) => hear(&super::jobs::said(&Did::ClockNotRead, &id, &trouble.to_string())),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> (Vec<String>, Vec<About>) {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let others = ["subsume-20261121-bbbbb".to_owned(), "asalto-20261121-ccccc".to_owned()];
        let found = apart(&mut lines, "asalto-20261121-aaaaa", &others);
        (lines, found)
    }

    #[test]
    fn lines_about_another_game_are_told_apart() {
        let about = |id: &str, line: &str| vec![(id.to_owned(), vec![line.to_owned()])];
        for (text, own, other) in [
            ("c4-c5\nasalto-20261121-ccccc: e6-e5", vec!["c4-c5"], "e6-e5"),
            ("c4-c5\ne6-e5 in Asalto-20261121-ccccc", vec!["c4-c5"], "e6-e5"),
            ("In asalto-20261121-ccccc\ne6-e5\nasalto-20261121-aaaaa\nc4-c5", vec!["c4-c5"], "e6-e5"),
            ("c4-c5\nresign asalto-20261121-ccccc", vec!["c4-c5"], "resign"),
            ("asalto-20261121-ccccc: e6-e5\nc4-c5", vec!["c4-c5"], "e6-e5"),
            (
                "I like asalto-20261121-aaaaa a lot\ne6-e5 in asalto-20261121-ccccc",
                vec!["I like asalto-20261121-aaaaa a lot"],
                "e6-e5",
            ),
            ("c4-c5\nIn asalto-20261121-ccccc I play e6-e5", vec!["c4-c5"], "I play e6-e5"),
        ] {
            let (lines, found) = split(text);
            let found: Vec<About> = found
                .into_iter()
                .map(|(id, list)| (id, list.into_iter().filter(|line| !line.is_empty()).collect()))
                .collect();
            assert_eq!(
                (lines, found),
                (own.iter().map(|&line| line.to_owned()).collect(), about("asalto-20261121-ccccc", other)),
                "{text}"
            );
        }
        // Talk, games of others, and what stands below a sentence that names a game.
        for text in [
            "c4-c5\nHow do you like asalto-20261121-ccccc?",
            "c4-c5\nasalto-20261121-ddddd: e6-e5",
            "c4-c5",
            "Sorry, I was busy with asalto-20261121-ccccc.\nresign",
            "I have answered in asalto-20261121-ccccc already.\nc4-c5",
            "c4-c5\nIn asalto-20261121-ccccc you should\nresign",
            "In asalto-20261121-ccccc\nI wait for you.",
            "I like asalto-20261121-aaaaa a lot, and you?",
            "I like asalto-20261121-aaaaa a lot, and you?\nasalto-20261121-ccccc is slow",
            "message: e6-e5 in asalto-20261121-ccccc?",
        ] {
            let (lines, found) = split(text);
            assert!(found.is_empty() && lines.join("\n") == text, "{text}: {lines:?} {found:?}");
        }
    }
}
