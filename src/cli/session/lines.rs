//! Where lines come from: a line editor at a terminal, with completion and hints from the session, or plain lines from
//! anything else.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, BufRead as _, IsTerminal as _};

use rustyline::completion::Completer;
use rustyline::config::{ColorMode, CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};

use crate::cli::hints::Failure;
use crate::cli::out::print;
use crate::cli::view;
use postrider_home::entry::session::Session;
use postrider_kernel::text::printable;
use postrider_referee::sealing::KeyStore;

/// The longest line that is read, in bytes; no entry is longer.
const LONGEST: u64 = 64 * 1024;

/// The result of reading.
pub enum Read {
    Line(String),
    /// Ctrl-C: the line is dropped.
    Interrupted,
    /// End of input.
    End,
}

/// The player's lines.
pub struct Lines {
    terminal: bool,
    colour: bool,
    /// The lines that were typed, oldest first.
    typed: Vec<String>,
}

impl Lines {
    pub fn new() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        Self { terminal: at_terminal() && !dumb, colour: !set("NO_COLOR"), typed: Vec::new() }
    }

    /// Returns whether someone is typing and can be asked.
    pub fn is_terminal(&self) -> bool {
        at_terminal()
    }

    /// Reads the next line.
    ///
    /// # Errors
    /// If standard input cannot be read.
    pub fn read(&mut self, session: &Session<'_>, keys: &mut dyn KeyStore) -> Result<Read, Failure> {
        if !self.terminal {
            return self.plain(&session.prompt());
        }
        let failed = |error: ReadlineError| Failure::trouble(format!("the terminal cannot be read: {error}"));
        let color = if self.colour { ColorMode::Enabled } else { ColorMode::Disabled };
        let config = Config::builder().completion_type(CompletionType::List).color_mode(color).build();
        let mut editor = Editor::with_history(config, MemHistory::new()).map_err(failed)?;
        for line in &self.typed {
            editor.add_history_entry(line.as_str()).map_err(failed)?;
        }
        let prompt = session.prompt();
        let helper = AtBoard { session, keys: RefCell::new(keys), colour: self.colour, used: prompt.chars().count() };
        editor.set_helper(Some(helper));
        match editor.readline(&prompt) {
            Ok(line) => {
                if !line.trim().is_empty() {
                    self.typed.push(line.clone());
                }
                Ok(Read::Line(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Read::Interrupted),
            Err(ReadlineError::Eof) => Ok(Read::End),
            Err(error) => Err(failed(error)),
        }
    }

    /// Reads a line where there is no game.
    ///
    /// # Errors
    /// If standard input cannot be read.
    pub fn ask(&mut self, prompt: &str) -> Result<Read, Failure> {
        if !self.terminal {
            return self.plain(prompt);
        }
        let failed = |error: ReadlineError| Failure::trouble(format!("the terminal cannot be read: {error}"));
        let mut editor = rustyline::DefaultEditor::new().map_err(failed)?;
        match editor.readline(prompt) {
            Ok(line) => Ok(Read::Line(line)),
            Err(ReadlineError::Interrupted) => Ok(Read::Interrupted),
            Err(ReadlineError::Eof) => Ok(Read::End),
            Err(error) => Err(failed(error)),
        }
    }

    /// Reads a line that is not edited at a terminal. It is echoed after the prompt, so that the output reads like a
    /// session.
    fn plain(&self, prompt: &str) -> Result<Read, Failure> {
        print(prompt)?;
        let mut bytes = Vec::new();
        let mut input = io::Read::take(io::stdin().lock(), LONGEST);
        let count = input.read_until(b'\n', &mut bytes);
        let count = count.map_err(|error| Failure::trouble(format!("standard input cannot be read: {error}")))?;
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        // A terminal has already echoed it.
        if !at_terminal() {
            print(format!("{}\n", printable(&line)))?;
        }
        Ok(if count == 0 { Read::End } else { Read::Line(line) })
    }
}

/// Completion and hints from the session.
struct AtBoard<'s, 'a, 'k> {
    session: &'s Session<'a>,
    keys: RefCell<&'k mut dyn KeyStore>,
    colour: bool,
    /// The width of the prompt in columns.
    used: usize,
}

impl Helper for AtBoard<'_, '_, '_> {}
impl Validator for AtBoard<'_, '_, '_> {}

impl Completer for AtBoard<'_, '_, '_> {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let mut keys = self.keys.borrow_mut();
        Ok(self.session.complete(line.get(..pos).unwrap_or_default(), &mut **keys))
    }
}

/// A hint as it is shown, and what the right arrow inserts.
struct Shown {
    display: String,
    completion: Option<String>,
}

impl rustyline::hint::Hint for Shown {
    fn display(&self) -> &str {
        &self.display
    }

    fn completion(&self) -> Option<&str> {
        self.completion.as_deref()
    }
}

impl Hinter for AtBoard<'_, '_, '_> {
    type Hint = Shown;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<Shown> {
        if pos < line.len() {
            return None;
        }
        let hint = self.session.hint(line, &mut **self.keys.borrow_mut())?;
        // On one line: what does not fit is left out. Anything that could be mistaken for typed text is set apart.
        let room = view::columns().unwrap_or(80).saturating_sub(self.used + line.chars().count() + 5);
        let text = printable(&hint.text);
        let text: String = match text.chars().count() > room {
            true => text.chars().take(room.saturating_sub(2)).chain("..".chars()).collect(),
            false => text.into_owned(),
        };
        let display = match &hint.completion {
            Some(_) if self.colour => text,
            _ if room < 6 => return None,
            _ => format!("   ({text})"),
        };
        Some(Shown { display, completion: hint.completion })
    }
}

impl Highlighter for AtBoard<'_, '_, '_> {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        if self.colour { Cow::Owned(format!("\x1b[2m{hint}\x1b[0m")) } else { Cow::Borrowed(hint) }
    }
}

/// Returns whether lines are typed at a terminal that echoes them.
fn at_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}
