//! The progress of a long run: a bar on standard error if it is a terminal, after a second, and a clean end on Ctrl-C.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use super::hints::Failure;
use super::view;

/// How long a run continues without a bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the bar is drawn at most.
const PERIOD: Duration = Duration::from_millis(100);

/// How long a run that leaves nothing behind has to notice that it is to end; it may be waiting for input.
const GRACE: Duration = Duration::from_millis(500);

/// The exit code if the run is to end, otherwise 0.
static STOPPED: AtomicU8 = AtomicU8::new(0);
/// Whether the files that are being written are taken back before the program ends.
static TAKES_BACK: AtomicBool = AtomicBool::new(false);

/// Ends the run: at the next record, or, if it was asked twice, at once.
fn stop(code: u8) {
    let is_first = STOPPED.swap(code, Ordering::Relaxed) == 0;
    if is_first && !TAKES_BACK.load(Ordering::Relaxed) {
        return;
    }
    if is_first {
        std::thread::sleep(GRACE);
    }
    let _none_is_begun = postrider_disk::files::take_back_unfinished();
    std::process::exit(i32::from(code));
}

/// From now on nothing is left of the files that are being written if Ctrl-C or `kill` (SIGTERM) ends the program.
pub fn take_back_at_the_end() {
    TAKES_BACK.store(true, Ordering::Relaxed);
    listen();
    #[cfg(unix)]
    if postrider_referee::threads::has_threads()
        && let Ok(mut signals) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM])
    {
        let wait = move || signals.forever().for_each(|_| stop(TERMINATED));
        // Without another thread it ends as usual.
        let _ = std::thread::Builder::new().spawn(wait);
    }
}

/// Notices Ctrl-C. If no handler can be set, or there is one already, that is no matter: the program ends as usual, or as that says.
fn listen() {
    let _ = ctrlc::set_handler(|| stop(STOPPED_BY_HAND));
}

/// Counts what has been done.
pub struct Progress {
    began: Instant,
    /// What is counted, in the plural.
    what: &'static str,
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
    pub fn of(total: Option<u64>) -> Self {
        Self::counting("records", total)
    }

    /// Like [`Progress::of`], of something else than records.
    pub fn counting(what: &'static str, total: Option<u64>) -> Self {
        listen();
        Self { began: Instant::now(), what, total, done: 0, drawn: None, is_shown: io::stderr().is_terminal() }
    }

    /// Counts more records.
    ///
    /// # Errors
    /// If Ctrl-C was pressed; it says how much was done.
    pub fn more(&mut self, records: u64) -> Result<(), Failure> {
        self.done += records;
        if STOPPED.load(Ordering::Relaxed) != 0 {
            self.finish();
            let of = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
            return Err(Failure::Stopped(stopped(), format!("stopped: {}{of} {} are done", self.done, self.what)));
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
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
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
        write(&format!("{CLEAR}{}", in_words(self.done, self.total, self.what, self.began.elapsed(), width)));
    }
}

/// A bar for one long step of which is only known about how long it takes.
pub struct Foreseen {
    began: Instant,
    seconds: f64,
    /// What is being done, in words.
    what: String,
    drawn: bool,
    is_shown: bool,
}

impl Foreseen {
    /// How often the bar is drawn.
    pub const PERIOD: Duration = PERIOD;

    /// A step that takes about so many seconds from now on.
    pub fn of(seconds: f64, what: String) -> Self {
        Self { began: Instant::now(), seconds, what, drawn: false, is_shown: io::stderr().is_terminal() }
    }

    /// Draws the bar, if it is time for one.
    pub fn draw(&mut self) {
        if self.is_shown && self.began.elapsed() >= PATIENCE {
            self.drawn = true;
            let width = view::columns_of(io::stderr()).unwrap_or(80);
            write(&format!("{CLEAR}{}", foreseen_in_words(self.began.elapsed(), self.seconds, &self.what, width)));
        }
    }
}

impl Drop for Foreseen {
    fn drop(&mut self) {
        if self.drawn {
            write(CLEAR);
        }
    }
}

/// `[####----] about 4.2e9 sequences, 40 s of about 80 s`, in one line of a terminal of this width.
fn foreseen_in_words(elapsed: Duration, seconds: f64, what: &str, width: usize) -> String {
    let done = elapsed.as_secs();
    // It may take longer than foreseen; the bar is never full before the end.
    let total = seconds.clamp(done as f64 + 1.0, 1e9) as u64;
    beside_bar(done, total, format!("{what}, {done} s of about {total} s"), width)
}

/// A text behind `[####----]`, or alone where a terminal of this width has no room for both.
fn beside_bar(done: u64, total: u64, text: String, width: usize) -> String {
    // The last column stays empty: some terminals begin a new line once it is full.
    let room = width.saturating_sub(text.len() + 4);
    if room < 10 {
        return text;
    }
    let full = usize::try_from(u128::from(done) * room as u128 / u128::from(total.max(1))).unwrap_or(room).min(room);
    format!("[{}{}] {text}", "#".repeat(full), "-".repeat(room - full))
}

/// Goes back to the beginning of the line and empties it.
const CLEAR: &str = "\r\x1b[K";

/// If standard error takes nothing, there is nobody to see it.
fn write(text: &str) {
    let mut to = io::stderr().lock();
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
}

/// `[####----] 1200/4800 records, 600/s, 6 s left`, in one line of a terminal of this width.
fn in_words(done: u64, total: Option<u64>, what: &str, elapsed: Duration, width: usize) -> String {
    let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let rate = done.saturating_mul(1000) / millis;
    let Some(total) = total else { return format!("{done} {what}, {rate}/s") };
    let left = total.saturating_sub(done).checked_div(rate).map(|left| format!(", {left} s left")).unwrap_or_default();
    beside_bar(done, total, format!("{done}/{total} {what}, {rate}/s{left}"), width)
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The exit code of a run that was stopped by Ctrl-C.
const STOPPED_BY_HAND: u8 = 130;
/// The exit code of one that `kill` stopped.
#[cfg(unix)]
const TERMINATED: u8 = 143;

/// The exit code of a run that was stopped.
pub(super) fn stopped() -> u8 {
    match STOPPED.load(Ordering::Relaxed) {
        0 => STOPPED_BY_HAND,
        code => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fits_the_terminal_and_tells_what_is_left() {
        let bar = |done, total, width| in_words(done, total, "records", Duration::from_secs(2), width);
        assert_eq!(bar(1200, Some(4800), 60), "[#####-----------------] 1200/4800 records, 600/s, 6 s left");
        assert_eq!(bar(1200, Some(4800), 40), "1200/4800 records, 600/s, 6 s left");
        assert_eq!(bar(0, Some(3), 40), "[--------------------] 0/3 records, 0/s");
        assert_eq!(bar(7, Some(3), 40), "[##########] 7/3 records, 3/s, 0 s left");
        assert_eq!(bar(u64::MAX, None, 80), "18446744073709551615 records, 9223372036854775/s");
        assert_eq!(in_words(5, Some(9), "records", Duration::ZERO, 0), "5/9 records, 5000/s, 0 s left");
        let foreseen =
            |done, seconds| foreseen_in_words(Duration::from_secs(done), seconds, "about 4.2e9 sequences", 60);
        assert_eq!(foreseen(20, 40.0), "[#######--------] about 4.2e9 sequences, 20 s of about 40 s");
        assert_eq!(foreseen(90, 40.0), "[##############-] about 4.2e9 sequences, 90 s of about 91 s");
        assert!(foreseen(0, f64::INFINITY).ends_with("0 s of about 1000000000 s"));
        for width in 0..200 {
            assert!(bar(1, Some(2), width).len() < width.max(40));
        }
    }
}
