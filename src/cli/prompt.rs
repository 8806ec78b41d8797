//! Playing alone at a terminal, or from a script: reading what is typed, and what lessons and practice games have in common.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;

use super::hints::{self, Failure};
use super::out::print;
use super::view;
use crate::commands::rules;
use postrider_board::render::{Look, board as drawn, diagnostic};
use postrider_kernel::scene::Scene;
use postrider_kernel::text::LineIndex;
use postrider_referee::facade::Referee;
use postrider_referee::judging::Stop;

/// The longest line that is read, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Whoever types.
pub struct Prompt {
    typing: bool,
    /// Whether an entry was refused.
    pub(super) refused: bool,
}

impl Prompt {
    pub(crate) fn new() -> Self {
        Self { typing: io::stdin().is_terminal(), refused: false }
    }

    /// Reads the next line; `None` at the end.
    pub fn line(&self) -> Result<Option<String>, Failure> {
        if self.typing {
            print("> ")?;
            let _ = io::stdout().flush();
        }
        let mut line = String::new();
        let read = io::stdin().lock().take(LONGEST).read_line(&mut line);
        let read = read.map_err(|error| Failure::trouble(format!("standard input cannot be read: {error}")))?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    }

    /// Says why an entry is refused. The text is what was judged.
    pub fn refuse(&mut self, stop: &Stop, text: &str) {
        self.refused = true;
        let index = LineIndex::new(text.as_bytes());
        errln!("{}", diagnostic::excerpt(stop.diagnostic(), &index, "your entry", &[], Some(hints::columns())));
    }

    /// A script fails if an entry in it is refused; a person has seen it.
    pub fn code(&self) -> ExitCode {
        if self.refused && !self.typing { ExitCode::from(hints::REFUSED) } else { ExitCode::SUCCESS }
    }
}

/// Lists what may follow the beginning of an entry.
pub fn moves(referee: &Referee<'_>, begun: &str) -> Result<(), Failure> {
    match referee.next(begun) {
        Ok(next) => print(next.actions.join("\n") + "\n"),
        Err(stop) => print(format!("{stop}\n")),
    }
}

/// Shows a rule, or all rules of the game.
pub fn show_rules(game: &str, rule: &str) {
    let wanted = if rule.is_empty() { game } else { rule };
    if let Err(failure) = rules::run(&rules::Args::of(wanted)) {
        err!("{failure}");
    }
}

/// A board as it fits the terminal.
pub fn board(scene: &Scene, turned: bool) -> String {
    drawn(scene, Look { turned, columns: view::columns(), ..Look::default() })
}
