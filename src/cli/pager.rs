//! Shows a long text on a terminal page by page.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

use super::hints::Failure;
use super::out::print;

/// Shows a text in the player's pager if standard output is a terminal; otherwise, and if there is no pager, prints it.
pub fn show(text: &str) -> Result<(), Failure> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return print(text);
    }
    let named = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
    // The setting may include options for the pager.
    let pager = named.unwrap_or_else(|| "less".to_owned());
    let mut words = pager.split_whitespace();
    let Some(program) = words.next().filter(|program| *program != "cat") else { return print(text) };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Text that fits on one screen is printed and stays there.
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return print(text) };
    if let Some(mut input) = child.stdin.take() {
        // The reader may quit before the end.
        let _ = input.write_all(text.as_bytes());
    }
    let _ = child.wait();
    Ok(())
}
