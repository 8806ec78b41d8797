//! Where a player's games are.

use std::path::PathBuf;

use postrider_home::office::{Office, Trouble};

/// The file of a game's record among the player's games.
pub(super) fn file_of(office: &Office<'_>, id: &str) -> Result<PathBuf, Trouble> {
    // The id comes from whoever asks, and becomes a file name only after it is validated.
    if !postrider_referee::record::is_game_id(id) {
        return Err(Trouble::of(format!("`{}` is no id of a game", postrider_kernel::text::printable(id))));
    }
    let games = office.settings()?.games_folder();
    let plain = games.join(format!("{id}.pbem"));
    if office.disk().has(&plain).unwrap_or(false) {
        return Ok(plain);
    }
    // A home from a backup may have it in another file.
    let shelf = postrider_home::overview::shelf::Shelf::of(&games, office.folders());
    let files = shelf.files(id)?;
    Ok(files.first().map_or(plain, |path| (*path).clone()))
}
