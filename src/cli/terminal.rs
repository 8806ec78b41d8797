//! Asking the terminal what it can do, where its environment does not say: a query, and an answer within a time.

use crate::picture::terminal::{self, Protocol};

/// Returns how the terminal takes pictures by what its environment says, else by what it answers; none where it takes none, does not
/// answer, or passes nothing on.
pub(super) fn protocol() -> Option<Protocol> {
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
