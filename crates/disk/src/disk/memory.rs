//! Files in memory: for tests, and for programs that store elsewhere. Such a program begins with a
//! [snapshot](Memory::from_snapshot), does something, and stores the [changes](Memory::changes_since) in one step: if that
//! fails, nothing was done.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Cursor, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zeroize::Zeroizing;

use super::Disk;
use super::error::{FileError, NoFolder, Step};
use super::port::{
    About, Bytes, Files, FolderMode, Guard, Kind, Listed, Mode, OpenFile, Opened, Owner, RecordLock, Writing,
};

/// The mode of a file that only the user may read.
const PRIVATE: u32 = 0o600;
/// The mode of a file that others may read.
const READABLE: u32 = 0o644;
/// The modes of folders.
const PRIVATE_FOLDER: u32 = 0o700;
const SHARED_FOLDER: u32 = 0o755;

/// A set of files in memory. A copy of this handle is the same set.
///
/// Paths are those of a small disk of its own: absolute ones and relative ones begin at its root.
#[derive(Clone, Default)]
pub struct Memory(Arc<Shared>);

#[derive(Default)]
struct Shared(Mutex<State>);

#[derive(Default)]
struct State {
    files: BTreeMap<String, Kept>,
    /// The folders that were made, with their modes. Those that files are in are there without being made.
    folders: BTreeMap<String, u32>,
    /// The files that were removed, and when.
    gone: BTreeMap<String, u64>,
    locked: BTreeSet<String>,
    /// Counts the changes.
    generation: u64,
    /// The most bytes that there is room for.
    limit: Option<u64>,
    /// How many changes are still made, and how the one after them fails.
    failing: Option<(u64, Failing)>,
    has_failed: bool,
    /// What no file can be read below.
    unreadable: Option<String>,
    /// How often each file was opened.
    opened: BTreeMap<String, u64>,
    /// How many changes are still made before this is done.
    meanwhile: Option<(u64, Box<dyn FnOnce() + Send>)>,
}

#[derive(Clone)]
struct Kept {
    bytes: Bytes,
    mode: u32,
    generation: u64,
}

/// What changed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The files that were written since, as they are now.
    pub put: Vec<(String, Vec<u8>)>,
    /// The files that were removed since, and are not there.
    pub removed: Vec<String>,
}

/// How a change fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// The disk is full: this one is not made, and those after it are.
    Full,
    /// It is made, but may not outlast a power cut.
    Unflushed,
    /// Neither it nor any after it is made, as when a program is killed.
    Killed,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

// Nothing of what is in a file: it may be a secret.
impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} files)", self.state().files.len())
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let put: Vec<&String> = self.put.iter().map(|(path, _)| path).collect();
        f.debug_struct("Changes").field("put", &put).field("removed", &self.removed).finish()
    }
}

impl Memory {
    /// Makes a set without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a set of these files, each with its path. Only the user may read them.
    #[must_use]
    pub fn from_snapshot(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let kept = |bytes| Kept { bytes: Bytes(Arc::new(Zeroizing::new(bytes))), mode: PRIVATE, generation: 0 };
        let named = |(path, bytes): (String, Vec<u8>)| Some((place(Path::new(&path)).ok()?, kept(bytes)));
        let state = State { files: files.into_iter().filter_map(named).collect(), ..State::default() };
        Self(Arc::new(Shared(Mutex::new(state))))
    }

    /// Returns all files, by path.
    #[must_use]
    pub fn snapshot(&self) -> Vec<(String, Vec<u8>)> {
        self.0.state().files.iter().map(|(path, kept)| (path.clone(), kept.bytes.0.to_vec())).collect()
    }

    /// Returns a mark of how things are now.
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.0.state().generation
    }

    /// Returns what changed since a [mark](Memory::mark) was taken.
    #[must_use]
    pub fn changes_since(&self, mark: u64) -> Changes {
        let state = self.0.state();
        let put = state.files.iter().filter(|(_, kept)| kept.generation > mark);
        let removed = state.gone.iter().filter(|(_, generation)| **generation > mark);
        Changes {
            put: put.map(|(path, kept)| (path.clone(), kept.bytes.0.to_vec())).collect(),
            removed: removed.map(|(path, _)| path.clone()).collect(),
        }
    }

    /// Leaves room for this many bytes.
    pub fn limit(&self, bytes: u64) {
        self.0.state().limit = Some(bytes);
    }

    /// Lets this many changes be made, and the next one fail.
    pub fn fail_after(&self, changes: u64, how: Failing) {
        self.0.state().failing = Some((changes, how));
    }

    /// Lets the disk give an error for every file with this in its path that is opened; for none, if it is empty.
    pub fn unreadable(&self, part: &str) {
        self.0.state().unreadable = Some(part.to_owned()).filter(|part| !part.is_empty());
    }

    /// Lets this many changes be made, and this be done before the next one, as by another program.
    pub fn meanwhile(&self, changes: u64, act: impl FnOnce() + Send + 'static) {
        self.0.state().meanwhile = Some((changes, Box::new(act)));
    }

    /// Returns how often each file was opened since this was last asked, whether or not it was there.
    #[must_use]
    pub fn opened(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.0.state().opened)
    }

    /// Lets no further change fail, and gives up all locks, as when a killed program is started again. Returns whether a change
    /// has failed since it was last asked.
    pub fn recover(&self) -> bool {
        let mut state = self.0.state();
        state.locked.clear();
        state.failing = None;
        std::mem::take(&mut state.has_failed)
    }

    /// Returns the interface to these files.
    #[must_use]
    pub fn disk(&self) -> Disk {
        Disk::new(Arc::clone(&self.0) as Arc<dyn Files>)
    }
}

/// The name under which a path is kept: its parts from the root, with slashes.
fn place(path: &Path) -> io::Result<String> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str().ok_or(ErrorKind::InvalidInput)?),
            Component::ParentDir => drop(parts.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Ok(parts.join("/"))
}

/// The folder of a place.
fn above(place: &str) -> &str {
    place.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl State {
    /// The part of a map with the places below a folder.
    fn below<'a, T>(map: &'a BTreeMap<String, T>, folder: &str) -> impl Iterator<Item = (&'a str, &'a T)> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = map.range(start.clone()..);
        from.map_while(move |(place, what)| place.strip_prefix(&start).map(|below| (below, what)))
            .filter(|(below, _)| !below.is_empty())
    }

    fn is_folder(&self, place: &str) -> bool {
        place.is_empty()
            || self.folders.contains_key(place)
            || Self::below(&self.files, place).next().is_some()
            || Self::below(&self.folders, place).next().is_some()
    }

    fn folder_mode(&self, place: &str) -> u32 {
        self.folders.get(place).copied().unwrap_or(PRIVATE_FOLDER)
    }

    fn about(&self, place: &str) -> io::Result<About> {
        if let Some(kept) = self.files.get(place) {
            return Ok(About::kept(&kept.bytes, kept.mode));
        }
        if self.is_folder(place) {
            let owner = Owner::Mode(self.folder_mode(place));
            return Ok(About { kind: Kind::Folder, length: 0, modified: None, owner });
        }
        Err(ErrorKind::NotFound.into())
    }

    /// Makes a change, unless it is one that fails. Returns whether it outlasts a power cut.
    fn change<T>(&mut self, make: impl FnOnce(&mut Self, u64) -> io::Result<T>) -> io::Result<(T, bool)> {
        let how = match &mut self.failing {
            Some((0, how)) => Some(*how),
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        };
        self.has_failed |= how.is_some();
        match how {
            Some(Failing::Killed) => return Err(ErrorKind::BrokenPipe.into()),
            Some(Failing::Full) => {
                self.failing = None;
                return Err(ErrorKind::StorageFull.into());
            }
            Some(Failing::Unflushed) => self.failing = None,
            None => {}
        }
        self.generation += 1;
        let done = make(self, self.generation)?;
        Ok((done, how.is_none()))
    }

    /// Puts a file in its place.
    fn set(&mut self, place: &str, bytes: Vec<u8>, mode: u32, generation: u64) -> io::Result<()> {
        if let Some(limit) = self.limit {
            let others = self.files.iter().filter(|(other, _)| *other != place);
            let used: u64 = others.map(|(_, kept)| kept.bytes.0.len() as u64).sum();
            if used.saturating_add(bytes.len() as u64) > limit {
                return Err(ErrorKind::StorageFull.into());
            }
        }
        self.gone.remove(place);
        let bytes = Bytes(Arc::new(Zeroizing::new(bytes)));
        self.files.insert(place.to_owned(), Kept { bytes, mode, generation });
        Ok(())
    }

    fn take(&mut self, place: &str, generation: u64) -> Option<Kept> {
        let kept = self.files.remove(place)?;
        // A folder does not vanish with its last file.
        let folder = above(place);
        if !folder.is_empty() {
            let mode = self.folder_mode(folder);
            self.folders.insert(folder.to_owned(), mode);
        }
        self.gone.insert(place.to_owned(), generation);
        Some(kept)
    }
}

/// Names the step in an error.
fn at<T>(step: Step, path: &Path, done: io::Result<T>) -> Result<T, FileError> {
    done.map_err(|source| FileError::Io { step, path: path.to_owned(), source })
}

/// Says so if a change may not outlast a power cut.
fn lasting<T>(step: Step, path: &Path, done: (T, bool)) -> Result<T, FileError> {
    match done {
        (done, true) => Ok(done),
        (_, false) => at(step, path, Err(io::Error::other("it was not flushed"))),
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what is to be done before a change.
    fn pause(&self) {
        let mut state = self.state();
        let act = match state.meanwhile.take() {
            Some((0, act)) => act,
            Some((left, act)) => {
                state.meanwhile = Some((left - 1, act));
                return;
            }
            None => return,
        };
        drop(state);
        act();
    }

    /// Writes a file in a folder that is there; `fits` says whether it may be written.
    fn write(
        &self,
        path: &Path,
        bytes: Vec<u8>,
        mode: u32,
        fits: impl FnOnce(&State, &str) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let place = at(Step::Create, path, place(path))?;
        self.pause();
        let mut state = self.state();
        if place.is_empty() || !state.files.contains_key(&place) && state.is_folder(&place) {
            return Err(FileError::NotAFile { path: path.to_owned(), is_folder: true });
        }
        if !state.is_folder(above(&place)) {
            return at(Step::Create, path, Err(NoFolder::error()));
        }
        fits(&state, &place)?;
        let done = state.change(|state, generation| state.set(&place, bytes, mode, generation));
        lasting(Step::SyncFolder, path, at(Step::Write, path, done)?)
    }
}

/// What a function writes.
fn written(path: &Path, write: Writing<'_>) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    at(Step::Write, path, write(&mut bytes))?;
    Ok(bytes)
}

fn bits(mode: Mode) -> u32 {
    match mode {
        Mode::Private => PRIVATE,
        Mode::Umask => READABLE,
    }
}

/// A handle to files in memory that is a set by itself.
#[derive(Debug)]
struct Held {
    files: Arc<Shared>,
    path: PathBuf,
    place: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.files.state().locked.remove(&self.place);
    }
}

impl Guard for Held {
    fn path(&self) -> &Path {
        &self.path
    }

    fn read(&self) -> Result<Vec<u8>, FileError> {
        let state = self.files.state();
        if state.unreadable.as_ref().is_some_and(|part| self.place.contains(part.as_str())) {
            return at(Step::Read, &self.path, Err(io::Error::other("the disk has an error")));
        }
        let kept = at(Step::Read, &self.path, state.files.get(&self.place).ok_or(ErrorKind::NotFound.into()))?;
        Ok(kept.bytes.0.to_vec())
    }

    fn replace_by(&mut self, old: &[u8], write: Writing<'_>) -> Result<(), FileError> {
        let bytes = written(&self.path, write)?;
        self.files.pause();
        let mut state = self.files.state();
        let kept = at(Step::Read, &self.path, state.files.get(&self.place).ok_or(ErrorKind::NotFound.into()))?;
        if kept.bytes.0.as_slice() != old {
            return Err(FileError::Changed { path: self.path.clone() });
        }
        let mode = kept.mode;
        let done = state.change(|state, generation| state.set(&self.place, bytes, mode, generation));
        lasting(Step::SyncFolder, &self.path, at(Step::Write, &self.path, done)?)
    }
}

/// What is added to a file.
struct Added {
    files: Arc<Shared>,
    place: String,
}

impl Write for Added {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.files.state();
        let (mut whole, mode) = match state.files.get(&self.place) {
            Some(kept) => (kept.bytes.0.to_vec(), kept.mode),
            None => (Vec::new(), PRIVATE),
        };
        whole.extend_from_slice(bytes);
        state.change(|state, generation| state.set(&self.place, whole, mode, generation))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Files for Shared {
    fn open(&self, path: &Path) -> io::Result<OpenFile> {
        let place = place(path)?;
        let mut state = self.state();
        *state.opened.entry(place.clone()).or_default() += 1;
        if state.unreadable.as_ref().is_some_and(|part| place.contains(part.as_str())) {
            return Err(io::Error::other("the disk has an error"));
        }
        match state.files.get(&place) {
            Some(kept) => Ok(OpenFile(Opened::Kept(Cursor::new(kept.bytes.clone()), kept.mode))),
            None if state.is_folder(&place) => Err(ErrorKind::IsADirectory.into()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    fn about(&self, path: &Path) -> io::Result<About> {
        self.state().about(&place(path)?)
    }

    fn about_itself(&self, path: &Path) -> io::Result<About> {
        self.about(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Listed>> {
        let place = place(folder)?;
        let state = self.state();
        if state.files.contains_key(&place) {
            return Err(ErrorKind::NotADirectory.into());
        }
        if !state.is_folder(&place) {
            return Err(ErrorKind::NotFound.into());
        }
        let name = |below: &str| below.split_once('/').map_or(below, |(first, _)| first).to_owned();
        let files = State::below(&state.files, &place).map(|(below, _)| (name(below), below.contains('/')));
        let folders = State::below(&state.folders, &place).map(|(below, _)| (name(below), true));
        let found: BTreeMap<String, bool> = files.chain(folders).collect();
        let listed = |(name, is_folder): (String, bool)| Listed {
            name: name.into(),
            kind: Ok(if is_folder { Kind::Folder } else { Kind::File }),
        };
        Ok(found.into_iter().map(listed).collect())
    }

    fn itself(&self, path: &Path) -> io::Result<PathBuf> {
        let place = place(path)?;
        self.state().about(&place)?;
        Ok(PathBuf::from(place))
    }

    #[cfg(any(unix, windows))]
    fn trace(&self, _path: &Path) -> io::Result<Option<super::Trace>> {
        Ok(None)
    }

    fn create(&self, path: &Path, bytes: &[u8], mode: Mode) -> Result<(), FileError> {
        self.write(path, bytes.to_vec(), bits(mode), |state, place| {
            let is_there = state.files.contains_key(place);
            if is_there { Err(FileError::Exists { path: path.to_owned() }) } else { Ok(()) }
        })
    }

    fn put(&self, path: &Path, write: Writing<'_>, mode: Mode) -> Result<(), FileError> {
        self.write(path, written(path, write)?, bits(mode), |_, _| Ok(()))
    }

    fn append(self: Arc<Self>, path: &Path) -> io::Result<Box<dyn Write + Send>> {
        let place = place(path)?;
        let state = self.state();
        match state.is_folder(above(&place)) {
            _ if !state.files.contains_key(&place) && state.is_folder(&place) => Err(ErrorKind::IsADirectory.into()),
            true => Ok(Box::new(Added { files: Arc::clone(&self), place })),
            false => Err(ErrorKind::NotFound.into()),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        let (old, new) = (at(Step::Rename, to, place(from))?, at(Step::Rename, to, place(to))?);
        self.pause();
        let mut state = self.state();
        let is_folder = !state.files.contains_key(&new) && state.is_folder(&new);
        if !state.files.contains_key(&old) || is_folder || !state.is_folder(above(&new)) {
            return at(Step::Rename, to, Err(ErrorKind::NotFound.into()));
        }
        let done = state.change(|state, generation| {
            if let Some(kept) = state.take(&old, generation) {
                state.gone.remove(&new);
                state.files.insert(new, Kept { generation, ..kept });
            }
            Ok(())
        });
        lasting(Step::SyncFolder, to, at(Step::Rename, to, done)?)
    }

    fn remove(&self, path: &Path) -> Result<bool, FileError> {
        let place = at(Step::Remove, path, place(path))?;
        self.pause();
        let mut state = self.state();
        if !state.files.contains_key(&place) {
            return Ok(false);
        }
        let done = state.change(|state, generation| Ok(state.take(&place, generation).is_some()));
        lasting(Step::SyncRemoval, path, at(Step::Remove, path, done)?)
    }

    fn keep_name(&self, _path: &Path) -> Result<(), FileError> {
        Ok(())
    }

    fn folder(&self, path: &Path, mode: FolderMode) -> io::Result<()> {
        let place = place(path)?;
        let mut state = self.state();
        if state.files.contains_key(&place) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        if state.is_folder(&place) {
            return Ok(());
        }
        let mode = match mode {
            FolderMode::Private => PRIVATE_FOLDER,
            FolderMode::Shared | FolderMode::Umask => SHARED_FOLDER,
        };
        let mut missing = Vec::new();
        let mut at = place.as_str();
        while !state.is_folder(at) {
            if state.files.contains_key(at) {
                return Err(ErrorKind::NotADirectory.into());
            }
            missing.push((at.to_owned(), mode));
            at = above(at);
        }
        let made = state.change(|state, _| {
            state.folders.extend(missing);
            Ok(())
        });
        made.map(drop)
    }

    fn lock(self: Arc<Self>, path: &Path) -> Result<RecordLock, FileError> {
        let place = at(Step::Lock, path, place(path))?;
        let mut state = self.state();
        if at(Step::Lock, path, state.about(&place))?.kind != Kind::File {
            return Err(FileError::NotAFile { path: path.to_owned(), is_folder: true });
        }
        if !state.locked.insert(place.clone()) {
            return Err(FileError::Busy { path: path.to_owned(), holder: None });
        }
        drop(state);
        Ok(RecordLock::new(Held { files: Arc::clone(&self), path: path.to_owned(), place }))
    }
}
