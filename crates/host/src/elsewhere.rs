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
use postrider_home::records;
use postrider_mail::incoming::Mail;
use postrider_mail::understand::{gives_up, is_word_of_entry, looks_like_entry};
use postrider_referee::record::is_game_id;
use serde_json::json;
use std::path::{Path, PathBuf};

/// How many other games one letter may be about.
const MOST_OTHERS: usize = 4;

/// Lines about one game, by its id.
type About = (String, Vec<String>);

/// The name of the note that an entry is made in a game by whoever runs the host.
fn made(id: &str) -> PathBuf {
    Path::new("made").join(id)
}

/// Takes the lines out that are about other games of the writer's: one that names such a game, and those below it up to the next game that
/// is named. Talk about another game stays.
pub(super) fn apart(lines: &mut Vec<String>, own: &str, others: &[String]) -> Vec<About> {
    let mut found: Vec<About> = Vec::new();
    let mut at: Option<usize> = None;
    let mut left = Vec::new();
    for line in lines.iter() {
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let mut words = line.split(|c: char| !is_part(c.to_ascii_lowercase())).map(str::to_ascii_lowercase);
        let named = words.find(|word| word == own || others.contains(word));
        let Some(id) = named else {
            match at.and_then(|at| found.get_mut(at)) {
                Some((_, list)) => list.push(line.clone()),
                None => left.push(line.clone()),
            }
            continue;
        };
        let rest = beside_name(line, &id);
        if id == own {
            at = None;
            left.push(rest);
            continue;
        }
        at = found.iter().position(|(known, _)| *known == id);
        match at.and_then(|at| found.get_mut(at)) {
            Some((_, list)) => list.push(rest),
            None => {
                at = Some(found.len());
                found.push((id, vec![rest]));
            }
        }
    }
    let is_entry = |line: &String| looks_like_entry(line) || is_word_of_entry(line);
    if found.len() > MOST_OTHERS || found.iter().any(|(_, list)| !list.iter().any(is_entry)) {
        return Vec::new();
    }
    left.retain(|line| !line.is_empty() || found.is_empty());
    *lines = left;
    found
}

/// What a line says besides the name of a game: what stands behind it, or before it if that is the entry.
fn beside_name(line: &str, id: &str) -> String {
    let Some(at) = line.to_ascii_lowercase().find(id) else { return line.to_owned() };
    let (before, behind) = (line.get(..at).unwrap_or_default(), line.get(at + id.len()..).unwrap_or_default());
    let is_sign = |c: char| c.is_whitespace() || matches!(c, ':' | ',' | '-' | ')' | '(' | '.' | '"');
    let before = before.trim_end_matches(is_sign);
    let before =
        [" in", " for", " to", " game", " in game"].iter().find_map(|end| before.strip_suffix(end)).unwrap_or(before);
    match looks_like_entry(before) || is_word_of_entry(before) {
        true => before.to_owned(),
        false => behind.trim_start_matches(is_sign).to_owned(),
    }
}

impl Work<'_, '_> {
    /// Answers lines that stood in a letter about another game: each of these games has a letter of its own, with whose address it is
    /// answered, so that no entry is made in the wrong one.
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
            if writer.sure && gives_up(lines) {
                let did = self.resign(writer, mail, id)?;
                self.log(&did, json!({"id": id}));
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

    /// Writes to both players about entries that whoever runs the host has made. Returns whether that was looked at.
    fn made_here(&mut self, id: &str) -> Result<bool, Trouble> {
        let Some(mut game) = self.game(id)?.filter(|game| game.state == State::Running) else {
            self.remove(made(id));
            return Ok(true);
        };
        if self.host.unsure(&game)?.is_some() || self.host.fault_of(id, Look::Quick)?.is_some() {
            return Ok(false);
        }
        let record = self.record(id)?;
        let desk = records::on_desk(&record, id)?;
        game.not_shortened(&desk.opened)?;
        let is_new = desk.opened.table.standing().entries > game.reminded.0;
        drop(desk);
        if is_new {
            self.after_entry(&mut game, None)?;
            self.keep_game(&game);
            self.log(&Did::MadeHere, json!({"id": id}));
        }
        self.remove(made(id));
        Ok(true)
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
        for id in list.into_iter().filter_map(|one| one.name.into_string().ok()).filter(|id| is_game_id(id)) {
            let now = self.office.now();
            let mut work = Work::new(self, now, &Mark::of(&[b"made", id.as_bytes(), &now.0.to_be_bytes()]).hex());
            match work.made_here(&id) {
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
        // Talk, and games of others.
        for text in ["c4-c5\nHow do you like asalto-20261121-ccccc?", "c4-c5\nasalto-20261121-ddddd: e6-e5", "c4-c5"] {
            let (lines, found) = split(text);
            assert!(found.is_empty() && lines.join("\n") == text, "{text}: {lines:?} {found:?}");
        }
    }
}
