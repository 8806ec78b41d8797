//! Which record a command works on: a file, a game by its id, or the only game that can be meant.

use std::path::{Path, PathBuf};

use super::hints::{Failure, name};
use super::home::office;
use super::invited;
use super::words::may_begin_id;
use postrider_home::invite::kept::Invitations;
use postrider_home::overview;
use postrider_home::overview::Running;
use postrider_home::overview::shelf::Shelf;
use postrider_referee::record::is_game_id;
use postrider_settings::Settings;

/// Stands for a record that was not named. No argument of a process holds such a character.
pub const NOT_NAMED: &str = "\0";

/// Which game is meant where none is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// The one in which the player is due.
    Yours,
    /// The one in which the player's own entry is the newest.
    Theirs,
}

/// Returns the record of the game with this id, or with the only id that begins so; `None` if the text is the name of a file, or
/// cannot be an id.
pub(super) fn by_id(path: &Path) -> Result<Option<PathBuf>, Failure> {
    let Some(typed) = path.to_str().filter(|typed| may_begin_id(typed)) else { return Ok(None) };
    if path.symlink_metadata().is_ok() {
        return Ok(None);
    }
    let Ok(office) = office() else { return Ok(None) };
    let Ok(settings) = office.settings() else { return Ok(None) };
    let mut shelf = shelf(settings);
    if is_game_id(typed)
        && let Some(file) = with_id(typed, shelf.find(typed)?, settings)?
    {
        return Ok(Some(file));
    }
    let mut ids = shelf.ids_beginning("");
    ids.extend(invited::waiting(settings));
    match only_beginning(typed, &ids)? {
        Some(id) => with_id(&id, shelf.find(&id)?, settings),
        // What it means as the name of a file is said where it is read.
        None => match like(typed, ids).filter(|_| is_game_id(typed)) {
            Some(other) => Err(Failure::trouble(format!("there is no file and no game of yours called {typed}"))
                .hint(format!("did you mean {other}?"))),
            None => Ok(None),
        },
    }
}

/// The record of a game, of whose files these are all.
fn with_id(id: &str, mut files: Vec<PathBuf>, settings: &Settings) -> Result<Option<PathBuf>, Failure> {
    match files.len() {
        0 if invited::waiting(settings).iter().any(|other| other == id) => {
            Ok(Invitations::new(&settings.folders).file(id).ok())
        }
        0 | 1 => Ok(files.pop()),
        _ => {
            let files: Vec<_> = files.iter().map(|file| name(file)).collect();
            Err(Failure::trouble(format!("{id} is the id of several records: {}", files.join(", ")))
                .hint("name one of the files"))
        }
    }
}

/// Returns the only one of these ids that begins like this.
///
/// # Errors
/// If several do.
pub fn only_beginning(typed: &str, ids: &[String]) -> Result<Option<String>, Failure> {
    let mut all: Vec<&str> = ids.iter().map(String::as_str).filter(|id| id.starts_with(typed)).collect();
    all.sort_unstable();
    all.dedup();
    match all[..] {
        [] => Ok(None),
        [one] => Ok(Some(one.to_owned())),
        _ => {
            Err(Failure::trouble(format!("several games begin with {typed}: {}", named(&all)))
                .hint("type more of the id"))
        }
    }
}

/// Names ids, but not too many of them.
fn named(ids: &[&str]) -> String {
    /// How many are named.
    const NAMED: usize = 12;
    let more = ids.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    ids.iter().take(NAMED).map(|id| (*id).to_owned()).chain(more).collect::<Vec<_>>().join(", ")
}

/// Whether a word that may be an entry too names a record: a file, there or not, or a game by its id.
pub(super) fn is_named(word: &Path) -> Result<bool, Failure> {
    // An entry may look like the beginning of an id, but not like the whole of one.
    let is_id = || word.to_str().is_some_and(is_game_id);
    Ok(word.exists() || word.extension().is_some_and(|end| end == "pbem") || is_id() && by_id(word)?.is_some())
}

/// Returns the record that a word in a session names: a game by its id, or a file.
pub fn game(word: &Path) -> Result<Option<PathBuf>, Failure> {
    if word.is_file() { Ok(Some(word.to_owned())) } else { by_id(word) }
}

/// Returns the id that was meant by one that is mistyped, or not typed to its end.
fn like(typed: &str, ids: Vec<String>) -> Option<String> {
    /// How alike they must be at least.
    const ALIKE: f64 = 0.8;
    let likeness = |id: &String| match id.starts_with(typed) {
        true => 1.0,
        false => strsim::normalized_damerau_levenshtein(typed, id),
    };
    let alike = ids.into_iter().map(|id| (likeness(&id), id)).filter(|(likeness, _)| *likeness >= ALIKE);
    alike.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, id)| id)
}

/// The player's games, as they were found last and as far as they have not changed.
pub fn shelf(settings: &Settings) -> Shelf {
    Shelf::noted(&settings.games_folder(), &settings.folders)
}

/// Returns the record of the only game that can be meant.
pub(super) fn only(meant: Meant) -> Result<PathBuf, Failure> {
    let office = office()?;
    let settings = office.settings()?;
    let games = overview::running(&office);
    let fits = |game: &&Running| game.is_yours == (meant == Meant::Yours);
    let one = |list: &[&Running]| if let [one] = list { Some((one.path.clone(), one.id.clone())) } else { None };
    let all: Vec<&Running> = games.iter().collect();
    let some: Vec<&Running> = games.iter().filter(fits).collect();
    if let Some((path, id)) = one(&all).or_else(|| one(&some)) {
        errln!("the game is {id}");
        return Ok(path);
    }
    if all.is_empty() {
        if let Some(id) = invited::waiting(settings).first() {
            return Err(Failure::trouble(format!(
                "which game? none is running in {}, and {id} is an invitation that you have not accepted",
                name(&settings.games_folder())
            ))
            .hint(format!(
                "`postrider invite accept {id}` makes it one of your games; `postrider invite list` lists all"
            )));
        }
        return Err(Failure::trouble(format!("which game? none is running in {}", name(&settings.games_folder())))
            .hint("name a record, or begin a game: `postrider invite 'Bram Post <bram@example.net>' asalto`"));
    }
    let listed = if some.is_empty() { &all } else { &some };
    let ids: Vec<_> = listed.iter().map(|game| &*game.id).collect();
    Err(Failure::trouble(format!("which game? several are running: {}", named(&ids)))
        .hint("name one of them by its id, or by its file; `postrider status` says how they stand"))
}
