//! What is shown while many records are read: a bar, what is missing, what is left out.

use std::io;
use std::path::{Path, PathBuf};

use super::hints::{self, Failure, name};
use super::out::still_read;
use super::progress::Progress;

use postrider_archive::sources;
use postrider_archive::sources::{Origin, Watch};

/// A bar for so many records.
pub fn progress(records: Option<u64>) -> Progress {
    Progress::of(records)
}

/// Shows how far the reading of many records has come, passes on what is told of each, with the bar out of the way, and `None` where it
/// may take a while until more comes.
pub struct Progressing<F> {
    progress: Option<Progress>,
    each: F,
    /// The exit code that the archives themselves require.
    pub(super) worst: u8,
}

impl<F> Progressing<F> {
    pub fn of<T>(each: F) -> Self
    where
        F: FnMut(Option<T>) -> Result<(), Failure>,
    {
        Self { progress: None, each, worst: 0 }
    }

    fn aside<T>(&mut self, told: Option<T>) -> Result<(), Failure>
    where
        F: FnMut(Option<T>) -> Result<(), Failure>,
    {
        match &self.progress {
            Some(progress) => progress.aside(|| (self.each)(told)),
            None => (self.each)(told),
        }
    }
}

impl<T, F: FnMut(Option<T>) -> Result<(), Failure>> Watch<T> for Progressing<F> {
    type Stop = Failure;

    fn begins(&mut self, records: Option<u64>) {
        self.progress = Some(Progress::of(records));
    }

    fn told(&mut self, told: T) -> Result<(), Failure> {
        self.aside(Some(told))
    }

    fn done(&mut self, records: u64) -> Result<(), Failure> {
        self.progress.as_mut().map_or(Ok(()), |progress| progress.more(records))
    }

    fn missing(&mut self, archive: &Path, what: &str) {
        self.worst = hints::TROUBLE;
        errln!("error: {}: {what}", name(archive));
    }

    fn unread(&mut self, source: &Path, error: &io::Error) -> Failure {
        Failure::reading(source, error)
    }

    fn rests(&mut self) -> Result<(), Failure> {
        self.aside(None)
    }
}

/// Passes the result of `tell` for each record of these sources to `each`, in order. `tell` runs on several threads and gets where the
/// record comes from and the bytes, or why there are none. Returns the exit code that the archives themselves require.
pub fn each<T: Send>(
    paths: &[PathBuf],
    tell: impl Fn(Origin<'_>, Result<&[u8], String>) -> T + Send + Sync,
    mut each: impl FnMut(T) -> Result<(), Failure>,
) -> Result<u8, Failure> {
    // What comes through a pipe may never end: it is read as long as somebody reads the answers.
    let is_piped = paths.iter().any(|path| sources::is_stdin(path));
    let mut watch = Progressing::of(|told: Option<T>| match told {
        Some(told) => each(told),
        None if is_piped => still_read(),
        None => Ok(()),
    });
    sources::each(paths, tell, &mut watch)?;
    Ok(watch.worst)
}

/// Says how many practice games (E12) a command leaves out.
pub fn tell_practice(left_out: u32) {
    match left_out {
        0 => {}
        1 => errln!("1 practice game is left out; `--practice` includes it"),
        more => errln!("{more} practice games are left out; `--practice` includes them"),
    }
}
