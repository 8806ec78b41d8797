//! When the host looked at its mail: nothing is claimed, and no game lapses, by a clock that ran out while letters may have waited.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::notes::{Reading, Runs};
use super::{Host, failed};
use postrider_home::office::Trouble;
use postrider_home::receive::received::Mark;

const HOUR: i64 = 3_600;
/// How long runs may fail to come before that counts as an outage.
const OUTAGE: i64 = HOUR;
/// How long nothing is claimed after one: as long as it was, within these.
const QUIET: (i64, i64) = (6 * HOUR, 48 * HOUR);
/// How many seconds pass before it is noted anew that a run has ended well.
const NOTED: i64 = 60;
/// How many messages are remembered that could not be read; while there are more, nothing is claimed.
const MOST_PASSED: usize = 500;
/// The most bytes that are read of the notes.
const MOST_NOTED: u64 = 128 << 10;

impl Host<'_> {
    fn runs_file(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// Begins a run: how long there was none is noted in memory.
    pub(super) fn begin_run(&self, reading: Reading) -> Result<(), Trouble> {
        let (disk, file) = (self.office.disk(), self.runs_file());
        let mut runs: Runs = match disk.has(&file).map_err(|error| failed(&file, error))? {
            true => serde_json::from_slice(&disk.read(&file, MOST_NOTED).map_err(|error| failed(&file, error))?)
                .unwrap_or_default(),
            false => Runs::default(),
        };
        let now = self.office.now().0;
        let gap = now.saturating_sub(runs.ran);
        if runs.ran > 0 && gap > OUTAGE {
            runs.quiet = runs.quiet.max(now.saturating_add(gap.clamp(QUIET.0, QUIET.1)));
        }
        let (begun, places) = match reading {
            Reading::Whole(begun) => (Some(begun), Vec::new()),
            Reading::But(begun, places) => (Some(begun), places),
            Reading::Part => (None, Vec::new()),
        };
        if let Some(begun) = begun {
            let marks = places.iter().map(|place| Mark::of(&[b"passed", place.as_bytes()]).hex());
            let since = |mark: String| {
                let since = runs.passed.get(&mark).copied().unwrap_or(begun.0);
                (mark, since.min(now))
            };
            let passed: BTreeMap<String, i64> = marks.map(since).collect();
            // One of them may be the entry that somebody waits for.
            if passed.len() <= MOST_PASSED && passed.values().all(|since| now.saturating_sub(*since) >= QUIET.1) {
                runs.read = runs.read.max(begun.0);
            }
            let passed = passed.into_iter().take(MOST_PASSED).collect();
            runs.changed = runs.passed != passed;
            runs.passed = passed;
        }
        *self.runs.borrow_mut() = runs;
        Ok(())
    }

    /// Notes that a run has ended well.
    pub(super) fn end_run(&self) -> Result<(), Trouble> {
        let now = self.office.now().0;
        let mut runs = self.runs.borrow().clone();
        if (0..NOTED).contains(&now.saturating_sub(runs.ran)) && runs.quiet <= now && !runs.changed {
            return Ok(());
        }
        runs.ran = now;
        let (disk, file) = (self.office.disk(), self.runs_file());
        let bytes = serde_json::to_vec(&runs).map_err(|error| failed(&file, error))?;
        disk.put_private(&file, &bytes).map_err(Trouble::File)
    }

    /// Notes which letters cannot be read for now. One of them may be the entry that somebody waits for, so that nothing ends in this
    /// run; one that could not be read for long, whenever it came, holds up nobody.
    pub(super) fn note_stuck(&self, names: &[String]) {
        let (mut runs, now) = (self.runs.borrow_mut(), self.office.now().0);
        let since = |name: &String| (name.clone(), runs.stuck.get(name).copied().unwrap_or(now).min(now));
        let stuck: BTreeMap<String, i64> = names.iter().take(MOST_PASSED).map(since).collect();
        if names.len() > MOST_PASSED || stuck.values().any(|since| now.saturating_sub(*since) < QUIET.1) {
            runs.read = 0;
        }
        runs.changed |= runs.stuck != stuck;
        runs.stuck = stuck;
    }

    /// Whether something may be claimed, or a game may lapse, because time has run out at `end`: all letters that came until then were
    /// read, and the host was not away lately.
    pub(super) fn may_end(&self, end: i64) -> bool {
        let runs = self.runs.borrow();
        runs.read > end && runs.quiet <= self.office.now().0
    }
}
