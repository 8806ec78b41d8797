//! What happens when the program is opened like a document, by a double click: its window closes with it, so it stays until the player
//! closes it.

use std::process::ExitCode;

use super::out::print;
use super::terminal;

/// Plays, and leaves a prompt in which the program is found by its name.
pub(super) fn run(play: impl FnOnce() -> ExitCode) -> ExitCode {
    let played = play();
    let shown = print("\n`postrider --help` lists all commands, and `exit` closes this window.\n\n");
    if shown.is_ok()
        && let Err(error) = terminal::prompt()
    {
        errln!("error: there is no prompt: {error}");
    }
    played
}
