//! Backups, in the format of `postrider backup`.

use serde_json::{Value, json};

use super::files::file_of;
use super::keys::{guard_rounds, needed};
use postrider_home::elsewhere::carried::{self, Doubts, Said};
use postrider_home::office::{Office, Trouble};
use postrider_home::send::letters::Place;
use postrider_settings::Settings;
use postrider_vault::backup::restoring::Restoring;
use postrider_vault::backup::{BackupFault, Fate, HomeCopy};
use postrider_vault::locked::OwnKey;

/// Copies everything into one text.
pub(super) fn backup(office: &Office<'_>, passphrase: &str) -> Result<Value, Trouble> {
    if passphrase.is_empty() {
        return Err(Trouble::of("a backup has a passphrase"));
    }
    let games = office.settings()?.games_folder();
    let taken = office.now().to_string();
    let copy = HomeCopy::of(office.folders(), &games, taken.clone())?;
    if copy.files.is_empty() {
        return Err(Trouble::of("there is nothing to copy yet"));
    }
    let random = |bytes: &mut [u8]| office.fill(bytes);
    let text = copy.locked(passphrase, &random)?;
    let records = copy.files.iter().filter(|file| file.path.starts_with("games/")).count();
    let name = format!("postrider-{}.backup", taken.replace(':', ""));
    Ok(json!({ "text": text.as_str(), "name": name, "records": records, "taken": taken }))
}

/// Copies one game into a text that another machine can take.
pub(super) fn hand_over(office: &Office<'_>, id: &str, passphrase: &str, doubts: Doubts) -> Result<Value, Trouble> {
    if passphrase.is_empty() {
        return Err(Trouble::of("a game leaves this page only under a passphrase"));
    }
    let file = file_of(office, id)?;
    let (copy, before) = carried::hand_over(office, Place { file: &file, name: id }, doubts)?;
    let random = |bytes: &mut [u8]| office.fill(bytes);
    match copy.locked(passphrase, &random) {
        Ok(text) => Ok(json!({ "game": id, "text": text.as_str(), "name": format!("{id}.game") })),
        Err(fault) => {
            before.back()?;
            Err(fault.into())
        }
    }
}

/// Goes on here with a game that was handed over or not taken whole: the player says that nothing was signed elsewhere that is not here.
pub(super) fn stay(office: &Office<'_>, id: &str) -> Result<Value, Trouble> {
    if !carried::stays(office, id)? {
        return Err(Trouble::of(format!("{id} was never handed over: it goes on here")));
    }
    Ok(json!({ "game": id }))
}

/// Brings back what a backup has, or takes a game that was handed over. What is here is not overwritten.
pub(super) fn restore(office: &Office<'_>, text: &str, passphrase: &str, said: Said) -> Result<Value, Trouble> {
    if OwnKey::read(text).is_ok() {
        return Err(Trouble::of("this is a key alone, not a backup of everything").advise("“Import a key” takes it"));
    }
    guard_rounds(text)?;
    needed(Some(passphrase), "it")?;
    let copy = HomeCopy::open(text, passphrase).map_err(|fault| match fault {
        BackupFault::Other => Trouble::of("this is a backup of secrets alone").advise("“Import secrets” takes it"),
        fault => fault.into(),
    })?;
    if copy.is_game {
        let came = carried::take(office, &copy, said)?;
        return Ok(json!({ "game": came.id, "entries": came.entries }));
    }
    let folders = office.folders();
    let here = office.disk().has(&folders.settings_file()).unwrap_or(false);
    let settings = match copy.settings().filter(|_| !here) {
        Some(bytes) => Settings::parse(bytes, folders.clone())?,
        None => office.settings()?.clone(),
    };
    let games = settings.games_folder();
    let restoring = Restoring::of(&copy, folders, &games)?;
    restoring.write().map_err(Trouble::File)?;
    Ok(json!({
        "taken": copy.taken, "restored": restoring.written(), "here": restoring.count(Fate::Here),
        "differs": restoring.count(Fate::Differs), "doubtful": restoring.doubtful,
    }))
}
