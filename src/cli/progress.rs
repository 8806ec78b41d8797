//! The progress of a long run: a bar on standard error if it is a terminal, after a second, and a clean end on Ctrl-C.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::hints::Failure;

/// How long a run continues without a bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether Ctrl-C was pressed.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Counts what has been done.
pub(super) struct Progress {
    began: Instant,
    /// How much there is to do, if known.
    total: Option<u64>,
    done: u64,
    bar: Option<ProgressBar>,
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
        Self { began: Instant::now(), total, done: 0, bar: None, is_shown: io::stderr().is_terminal() }
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
        match &self.bar {
            Some(bar) => bar.set_position(self.done),
            None if self.began.elapsed() >= PATIENCE => {
                let bar = match self.total {
                    Some(total) => ProgressBar::new(total),
                    None => ProgressBar::no_length(),
                };
                let template = match self.total {
                    Some(_) => "{wide_bar} {pos}/{len} records, {per_sec}, {eta} left",
                    None => "{spinner} {pos} records, {per_sec}",
                };
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style);
                }
                bar.set_position(self.done);
                self.bar = Some(bar);
            }
            None => {}
        }
        Ok(())
    }

    /// Prints something with the bar out of the way.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The exit code of a run that was stopped by Ctrl-C.
pub(super) const STOPPED_BY_HAND: u8 = 130;
