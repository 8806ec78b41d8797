//! The progress of a long run: a bar on standard error if it is a terminal, after a second, and a clean end on Ctrl-C.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::hints::Failure;
use super::view;

/// How long a run continues without a bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the bar is drawn at most.
const PERIOD: Duration = Duration::from_millis(100);

/// Whether Ctrl-C was pressed.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Counts what has been done.
pub(super) struct Progress {
    began: Instant,
    /// How much there is to do, if known.
    total: Option<u64>,
    done: u64,
    /// When the bar was drawn last.
    drawn: Option<Instant>,
    /// Whether standard error is a terminal.
    is_shown: bool,
}

impl Progress {
    /// Starts counting. From now on [`Progress::more`] notices Ctrl-C, and ends the run there.
    pub(super) fn of(total: Option<u64>) -> Self {
        // If no handler can be set, or there is one already, Ctrl-C ends the program as usual.
        let _ = ctrlc::set_handler(|| {
            // Pressed twice, it ends the program at once, whatever is being done.
            if STOPPED.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(STOPPED_BY_HAND));
            }
        });
        Self { began: Instant::now(), total, done: 0, drawn: None, is_shown: io::stderr().is_terminal() }
    }

    /// Counts more records.
    ///
    /// # Errors
    /// If Ctrl-C was pressed; it says how much was done.
    pub(super) fn more(&mut self, records: u64) -> Result<(), Failure> {
        self.done += records;
        if STOPPED.load(Ordering::Relaxed) {
            self.finish();
            let of = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
            return Err(Failure::Stopped(format!("stopped: {}{of} records are done", self.done)));
        }
        if !self.is_shown {
            return Ok(());
        }
        let since = self.drawn.map_or_else(|| self.began.elapsed(), |drawn| drawn.elapsed());
        if since >= self.drawn.map_or(PATIENCE, |_| PERIOD) {
            self.draw();
        }
        Ok(())
    }

    /// Prints something with the bar out of the way.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        if self.drawn.is_none() {
            return print();
        }
        write(CLEAR);
        let printed = print();
        self.line();
        printed
    }

    /// Removes the bar.
    pub(super) fn finish(&mut self) {
        if self.drawn.take().is_some() {
            write(CLEAR);
        }
    }

    fn draw(&mut self) {
        self.drawn = Some(Instant::now());
        self.line();
    }

    fn line(&self) {
        let width = view::columns_of(io::stderr()).unwrap_or(80);
        write(&format!("{CLEAR}{}", in_words(self.done, self.total, self.began.elapsed(), width)));
    }
}

/// Goes back to the beginning of the line and empties it.
const CLEAR: &str = "\r\x1b[K";

/// If standard error takes nothing, there is nobody to see it.
fn write(text: &str) {
    let mut to = io::stderr().lock();
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
}

/// `[####----] 1200/4800 records, 600/s, 6 s left`, in one line of a terminal of this width.
fn in_words(done: u64, total: Option<u64>, elapsed: Duration, width: usize) -> String {
    let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let rate = done.saturating_mul(1000) / millis;
    let Some(total) = total else { return format!("{done} records, {rate}/s") };
    let left = total.saturating_sub(done).checked_div(rate).map(|left| format!(", {left} s left")).unwrap_or_default();
    let text = format!("{done}/{total} records, {rate}/s{left}");
    // The last column stays empty: some terminals begin a new line once it is full.
    let room = width.saturating_sub(text.len() + 4);
    if room < 10 {
        return text;
    }
    let full = usize::try_from(u128::from(done) * room as u128 / u128::from(total.max(1))).unwrap_or(room).min(room);
    format!("[{}{}] {text}", "#".repeat(full), "-".repeat(room - full))
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The exit code of a run that was stopped by Ctrl-C.
pub(super) const STOPPED_BY_HAND: u8 = 130;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fits_the_terminal_and_tells_what_is_left() {
        let bar = |done, total, width| in_words(done, total, Duration::from_secs(2), width);
        assert_eq!(bar(1200, Some(4800), 60), "[#####-----------------] 1200/4800 records, 600/s, 6 s left");
        assert_eq!(bar(1200, Some(4800), 40), "1200/4800 records, 600/s, 6 s left");
        assert_eq!(bar(0, Some(3), 40), "[--------------------] 0/3 records, 0/s");
        assert_eq!(bar(7, Some(3), 40), "[##########] 7/3 records, 3/s, 0 s left");
        assert_eq!(bar(u64::MAX, None, 80), "18446744073709551615 records, 9223372036854775/s");
        assert_eq!(in_words(5, Some(9), Duration::ZERO, 0), "5/9 records, 5000/s, 0 s left");
        for width in 0..200 {
            assert!(bar(1, Some(2), width).len() < width.max(40));
        }
    }
}
