//! Records that were damaged, cut or removed: which they are, and how they come back from the copy that is kept.

use std::path::{Path, PathBuf};

use crate::known::copies::KnownGames;
use crate::known::lost::{Lost, Search, damage};
use crate::office::{Office, Trouble, name};
use crate::own_game::OwnGame;
use crate::records;
use crate::send::letters::Place;
use postrider_disk::disk::{FolderMode, Kind, Mode};
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_referee::record::is_game_id;
use postrider_referee::verdict::{Opened, Relation, Ruling, compare, verify};
use postrider_settings::Settings;

/// What came of bringing a record back.
#[derive(Debug)]
pub enum Restored {
    /// The record is what was last known of its game.
    Same(PathBuf),
    /// It is legal and goes on from what was last known, so it stays.
    GoesOn(PathBuf),
    /// It is as it was last known; what it replaced is in this file.
    Back(PathBuf, Option<PathBuf>),
}

/// Brings back the record of a game as it was last known, where it lies or lay. `named` is its file, or the game's id. A legal record
/// that goes on from the copy is never replaced, and what is replaced is kept beside it.
///
/// # Errors
/// If it is not known which game it is, no legal copy of it is kept, or the record cannot be written.
pub fn restore(office: &Office<'_>, named: &Path) -> Result<Restored, Trouble> {
    let games = office.settings().map_or_else(|_| office.folders().games(), Settings::games_folder);
    let mut search = Search::new(office.folders(), &games);
    let known = KnownGames::new(office.folders());
    let in_the_way = |path: &Path| {
        Trouble::of(format!("{} is a folder, a link that leads nowhere, or something else that is no file", name(path)))
            .advise(advice!["move it somewhere else; then ", Act::Restore("ID".into()), " brings the record back"])
    };
    let (id, path) = match office.disk().about(named) {
        Ok(about) if about.kind != Kind::File => return Err(in_the_way(named)),
        Ok(_) => {
            let bytes = records::read(office, Place { file: named, name: &name(named) })?;
            let id = search.id_of(named, &bytes).ok_or_else(|| {
                Trouble::of(format!("{} is not a record, and its game is not known", name(named)))
                    .advise(advice!["the game's id brings it back: ", Act::Restore("ID".into())])
            })?;
            (id, named.to_owned())
        }
        Err(_) => {
            let bare = named.to_str().filter(|text| is_game_id(text));
            let stem = named.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_game_id(stem));
            let Some(id) = bare.or(stem).map(str::to_owned) else {
                return Err(Trouble::of(format!("{} is not there", name(named)))
                    .advise(advice!["the game's id brings it back: ", Act::Restore("ID".into())]));
            };
            // Where it was is more certain than what was typed, and nothing is written where nobody looks for it.
            let has_folder =
                |path: &Path| path.parent().is_some_and(|folder| office.disk().has(folder).unwrap_or(false));
            let path = match search.game(&id) {
                // The folder of a restored home may be that of another machine.
                Some(lost) if has_folder(&lost.path) => lost.path,
                _ => search.file(&id).unwrap_or_else(|| match bare {
                    Some(_) => search.usual(&id),
                    None => named.to_owned(),
                }),
            };
            (id, path)
        }
    };
    let failed = |error: std::io::Error| Trouble::of(format!("what was last known of {id} cannot be read: {error}"));
    let Some(record) = known.record(&id).map_err(failed)? else {
        return Err(Trouble::of(format!("{id} is not known here: no entry of it was made or received")));
    };
    if verify(&record).ruling != Ruling::Legal {
        return Err(Trouble::of(format!("the copy of {id} that is kept here is damaged too")).advise(advice![
            "a backup may have it (",
            Act::Restore("BACKUP".into()),
            "), or your opponent: each letter brings the whole record"
        ]));
    }
    let about = office.disk().about(&path);
    let kept = if let Ok(about) = about {
        if about.kind != Kind::File {
            return Err(in_the_way(&path));
        }
        let mut lock = records::lock(office, &path)?;
        let source = lock.read().map_err(Trouble::File)?;
        if source == record {
            return Ok(Restored::Same(path));
        }
        if damage(&source, &record).is_none() {
            return Ok(Restored::GoesOn(path));
        }
        let time: String = office.now().to_string().chars().filter(|one| !matches!(one, '-' | ':')).collect();
        let kept = (!source.is_empty()).then(|| known.keep_damaged(&id, lock.path(), &time, &source));
        let kept = kept.transpose().map_err(Trouble::File)?;
        records::written(office, lock.replace(&source, &record))?;
        kept
    } else {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            let made = office.disk().folder(folder, FolderMode::Umask);
            made.map_err(|error| Trouble::of(format!("{} cannot be written: {error}", name(folder))))?;
        }
        if office.disk().about_itself(&path).is_ok() {
            return Err(in_the_way(&path));
        }
        records::written(office, office.disk().create(&path, &record, Mode::Umask))?;
        None
    };
    let at = known.place_of(&path);
    let _ = OwnGame::new(office, &id).note(|sides| sides.at = at.clone().or(sides.at.take()));
    Ok(Restored::Back(path, kept))
}

/// What became of the record of a game, if that is not what was last known of it.
pub fn lost(office: &Office<'_>, id: &str) -> Option<Lost> {
    let games = office.settings().map_or_else(|_| office.folders().games(), Settings::games_folder);
    Search::new(office.folders(), &games).game(id)
}

/// What became of the record of the game that a received record goes on with, if that is not what was last known here. A record of the
/// same id with another header is another game.
pub fn awaits(office: &Office<'_>, came: &Opened<'_>) -> Option<Lost> {
    let lost = lost(office, &came.header.id)?;
    let copy = KnownGames::new(office.folders()).record(&lost.id).ok().flatten()?;
    let mut here = Opened::new(&copy).ok()?;
    (!matches!(compare(&mut here, came), Relation::OtherHeader(_))).then_some(lost)
}
