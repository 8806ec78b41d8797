//! Fair play: the machine gives no help in a game against a person that is in progress, whatever a copy of it says of itself.

use super::hints::Failure;
use super::home;
use postrider_disk::files::read_record;
use postrider_home::overview;
use postrider_kernel::text::printable;
use postrider_referee::verdict::{Opened, Ruling};

/// Refuses help in a game that has the id of one in progress in the player's folder, or stands as that one does.
pub fn gives_no_help(opened: &Opened<'_>, origin: &str) -> Result<(), Failure> {
    let has_begun = opened.table.standing().entries > 0 || opened.header.setup.is_some();
    let Some(office) = home::office().ok().filter(|_| has_begun) else { return Ok(()) };
    let position = opened.table.position();
    let stands_so = |source: &[u8]| {
        let Ok(mut other) = Opened::new(source) else { return false };
        other.header.info.name == opened.header.info.name
            && other.replay(u32::MAX).ruling == Ruling::Legal
            && other.table.position() == position
    };
    let same = overview::running(&office).into_iter().find(|running| {
        running.id == opened.header.id || read_record(&running.path).is_ok_and(|source| stands_so(&source))
    });
    let Some(same) = same else { return Ok(()) };
    Err(Failure::trouble(format!(
        "{origin} has the same position as {}, a running game against a person: the machine gives no help in it (E12)",
        printable(&same.id)
    ))
    .hint("when that game is over, `postrider review` looks back at it")
    .refused(Some("E12")))
}
