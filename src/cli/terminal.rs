//! The terminal beyond lines of text: what it can do, asked by a query where its environment does not say, and what is typed
//! into it without being shown.

use std::io;

use zeroize::Zeroizing;

use postrider_board::picture::terminal;
use postrider_board::picture::terminal::Protocol;

#[cfg(any(windows, test))]
mod keys;

/// Returns whether the program was opened by a double click: then its parent is the program that shows folders and the desktop, and the
/// window in which it runs is its own.
#[cfg(windows)]
pub(super) fn is_double_click() -> bool {
    use winsafe::{HPROCESSLIST, co};

    let Ok(mut list) = HPROCESSLIST::CreateToolhelp32Snapshot(co::TH32CS::SNAPPROCESS, None) else { return false };
    let running = list.iter_processes().map_while(Result::ok);
    let running: Vec<_> = running.map(|one| (one.th32ProcessID, one.th32ParentProcessID, one.szExeFile())).collect();
    let parent = running.iter().find(|(id, ..)| *id == std::process::id()).map(|(_, parent, _)| *parent);
    running.iter().any(|(id, _, name)| Some(*id) == parent && name.eq_ignore_ascii_case("explorer.exe"))
}

/// Elsewhere programs for a terminal are not opened so.
#[cfg(not(windows))]
pub(super) fn is_double_click() -> bool {
    false
}

/// Runs the system's shell until the player leaves it, with the program's folder where commands are looked for.
///
/// # Errors
/// If there is no shell.
pub(super) fn prompt() -> io::Result<()> {
    let shell = if cfg!(windows) { ("ComSpec", "cmd.exe") } else { ("SHELL", "sh") };
    let (variable, usual) = shell;
    let mut command = std::process::Command::new(std::env::var_os(variable).unwrap_or_else(|| usual.into()));
    let before = std::env::var_os("PATH").unwrap_or_default();
    let own = std::env::current_exe().ok().and_then(|program| program.parent().map(std::path::Path::to_owned));
    if let Ok(path) = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&before))) {
        command.env("PATH", path);
    }
    command.status().map(|_| ())
}

/// Returns how the terminal takes pictures by what its environment says, else by what it answers; none where it takes none, does not
/// answer, or passes nothing on.
pub fn protocol() -> Option<Protocol> {
    let set = |name: &str| std::env::var(name).ok();
    terminal::detected(set).or_else(|| {
        let answers = terminal::may_answer(set);
        answers.then(|| ask(terminal::QUERY.as_bytes(), terminal::is_whole)).flatten().and_then(|answer| {
            // What a terminal says is not trusted further than for this choice.
            terminal::answered(&answer)
        })
    })
}

/// The time that a terminal has for an answer: it may be at the other end of a slow line.
#[cfg(unix)]
const WITHIN: std::time::Duration = std::time::Duration::from_millis(1000);
/// The longest answer that is read, in bytes.
#[cfg(unix)]
const LONGEST: usize = 4096;

/// Writes a query to the terminal and returns what it answers; none where there is no terminal, or it is another program's now.
#[cfg(unix)]
fn ask(query: &[u8], is_whole: fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcgetpgrp, tcsetattr};

    let mut tty = std::fs::File::options().read(true).write(true).open("/dev/tty").ok()?;
    // A program in the background would be stopped here.
    if tcgetpgrp(&tty) != Ok(rustix::process::getpgrp()) {
        return None;
    }
    let before = tcgetattr(&tty).ok()?;
    let mut raw = before.clone();
    // The answer is not echoed, is read without a line end, and Ctrl-C cannot leave the terminal like this.
    raw.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    raw.special_codes[SpecialCodeIndex::VMIN] = 1;
    raw.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&tty, OptionalActions::Now, &raw).ok()?;
    let answer = exchange(&mut tty, query, is_whole);
    let _ = tcsetattr(&tty, OptionalActions::Now, &before);
    answer
}

#[cfg(not(unix))]
fn ask(_: &[u8], _: fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    None
}

#[cfg(unix)]
fn exchange(tty: &mut std::fs::File, query: &[u8], is_whole: fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    use std::io::{Read as _, Write as _};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    tty.write_all(query).and_then(|()| tty.flush()).ok()?;
    let end = std::time::Instant::now() + WITHIN;
    let mut answer = Vec::new();
    while !is_whole(&answer) && answer.len() < LONGEST {
        let left = end.saturating_duration_since(std::time::Instant::now());
        let left = Timespec::try_from(left).ok()?;
        let ready = poll(&mut [PollFd::new(&*tty, PollFlags::IN)], Some(&left)).ok()?;
        let mut bytes = [0; 256];
        match if ready == 0 { 0 } else { tty.read(&mut bytes).ok()? } {
            0 => break,
            count => answer.extend_from_slice(bytes.get(..count).unwrap_or_default()),
        }
    }
    Some(answer)
}

/// The longest line that is read, in bytes; terminals pass on no longer ones.
const LONGEST_LINE: usize = 4096;

/// The terminal while something secret is typed. The echo is off before the first question appears, so that nothing typed
/// quickly or pasted is shown, and on again when this is dropped.
#[cfg(unix)]
pub(super) struct Hidden {
    tty: std::fs::File,
    before: rustix::termios::Termios,
    /// The keys that give up (usually Ctrl-C and Ctrl-\): as signals they would leave the terminal without its echo.
    gives_up: [u8; 2],
}

#[cfg(unix)]
impl Hidden {
    /// Turns the echo off. What was typed earlier is discarded: it was meant for something else, and it was shown.
    ///
    /// # Errors
    /// If there is no terminal, or it is another program's now.
    pub(super) fn begin() -> io::Result<Self> {
        use rustix::termios::{InputModes, LocalModes, OptionalActions, SpecialCodeIndex};

        let tty = std::fs::File::options().read(true).write(true).open("/dev/tty")?;
        // A program in the background would be stopped here.
        if rustix::termios::tcgetpgrp(&tty)? != rustix::process::getpgrp() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let before = rustix::termios::tcgetattr(&tty)?;
        let mut hidden = before.clone();
        // The terminal still edits the line. Keys that would interrupt the program end the line instead.
        hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ISIG);
        hidden.local_modes.insert(LocalModes::ICANON);
        hidden.input_modes.insert(InputModes::ICRNL);
        let gives_up = [before.special_codes[SpecialCodeIndex::VINTR], before.special_codes[SpecialCodeIndex::VQUIT]];
        hidden.special_codes[SpecialCodeIndex::VEOL] = gives_up[0];
        hidden.special_codes[SpecialCodeIndex::VEOL2] = gives_up[1];
        rustix::termios::tcsetattr(&tty, OptionalActions::Flush, &hidden)?;
        Ok(Self { tty, before, gives_up })
    }

    /// Asks a question and returns the line that is typed, without its end.
    ///
    /// # Errors
    /// `Interrupted` or `UnexpectedEof` if the player gives up, `InvalidData` if it is not UTF-8 or too long.
    pub(super) fn ask(&mut self, question: &str) -> io::Result<Zeroizing<String>> {
        use std::io::{Read as _, Write as _};

        self.tty.write_all(question.as_bytes())?;
        // Large enough from the start, so that no copy is left behind.
        let mut line = Zeroizing::new(Vec::with_capacity(LONGEST_LINE));
        let mut byte = Zeroizing::new([0]);
        let read = loop {
            match self.tty.read(&mut *byte) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
                Ok(0) => break Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) if byte[0] == b'\n' => break Ok(()),
                Ok(_) if byte[0] != 0 && self.gives_up.contains(&byte[0]) => {
                    break Err(io::ErrorKind::Interrupted.into());
                }
                Ok(_) if line.len() == LONGEST_LINE => break Err(io::ErrorKind::InvalidData.into()),
                Ok(_) => line.push(byte[0]),
            }
        };
        // The line end that was typed was not shown either.
        self.tty.write_all(b"\n")?;
        read?;
        let text = std::str::from_utf8(&line).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(Zeroizing::new(text.to_owned()))
    }
}

#[cfg(unix)]
impl Drop for Hidden {
    fn drop(&mut self) {
        // Nothing more can be done if the terminal is gone.
        let _ = rustix::termios::tcsetattr(&self.tty, rustix::termios::OptionalActions::Now, &self.before);
    }
}

/// The console while something secret is typed. It shows only what it makes lines of itself, so the keys are read one by one and made into
/// a line here; nothing about the console changes, and nothing is to be put back.
#[cfg(windows)]
pub(super) struct Hidden {
    keys: crossterm_winapi::Console,
    screen: crossterm_winapi::Console,
}

#[cfg(windows)]
impl Hidden {
    /// Takes the console, whatever standard input is. What was typed earlier is discarded: it was meant for something else.
    ///
    /// # Errors
    /// If there is no console.
    pub(super) fn begin() -> io::Result<Self> {
        use crossterm_winapi::{Console, Handle};

        let keys = Console::from(Handle::current_in_handle()?);
        let screen = Console::from(Handle::current_out_handle()?);
        while keys.number_of_console_input_events()? > 0 {
            keys.read_single_input_event()?;
        }
        Ok(Self { keys, screen })
    }

    /// Asks a question and returns the line that is typed, without its end.
    ///
    /// # Errors
    /// `Interrupted` or `UnexpectedEof` if the player gives up, `InvalidData` if it is no text or too long.
    pub(super) fn ask(&mut self, question: &str) -> io::Result<Zeroizing<String>> {
        self.screen.write_char_buffer(question.as_bytes())?;
        let line = self.line();
        self.screen.write_char_buffer(b"\r\n")?;
        line
    }

    fn line(&self) -> io::Result<Zeroizing<String>> {
        use crossterm_winapi::InputRecord;

        /// The key with which characters are typed by their number; they come when it is let go.
        const ALT: u16 = 0x12;
        let mut line = keys::Line::new();
        loop {
            let InputRecord::KeyEvent(key) = self.keys.read_single_input_event()? else { continue };
            if key.u_char == 0 || !(key.key_down || key.virtual_key_code == ALT) {
                continue;
            }
            for _ in 0..key.repeat_count.max(1) {
                if line.take(key.u_char)? {
                    return Ok(line.text());
                }
            }
        }
    }
}
