//! The disks that may be left.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{Change, Inode, Step, folder_of, trace};

/// What is on a disk.
#[derive(Clone, Debug, Default)]
struct State {
    contents: BTreeMap<Inode, Vec<u8>>,
    names: BTreeMap<String, Inode>,
    folders: BTreeSet<String>,
}

/// A cut, and what of the changes that were not flushed by then survives it.
#[derive(Clone, Debug)]
pub struct Cut {
    /// After how many steps.
    pub after: usize,
    kept: Vec<usize>,
    /// Whether others may have been told by then.
    pub told: bool,
}

/// What was done to files, with the files as they were before.
pub struct Recorded {
    pub steps: Vec<Step>,
    before: State,
    modes: BTreeMap<String, u32>,
    /// The number of steps after which each step is on the disk for good.
    lasts: Vec<Option<usize>>,
    /// The steps on another machine.
    far: BTreeSet<usize>,
}

impl Recorded {
    /// Runs a command on the files below a folder and records it. Names that begin with one of `elsewhere` are on another
    /// machine, which finishes what it has begun and keeps it.
    pub fn of(root: &Path, elsewhere: &[&str], command: &Command, input: &[u8]) -> Self {
        let (mut before, mut modes) = (State::default(), BTreeMap::new());
        read(root, "", &mut before, &mut modes);
        let path = fs::canonicalize(root).expect("a folder").to_string_lossy().into_owned();
        let lengths = before.contents.iter().map(|(inode, content)| (*inode, content.len())).collect();
        let files = trace::Files { inodes: before.names.clone(), lengths };
        let steps = trace::steps(&path, files, command, input);
        let far = far(&steps, elsewhere);
        let lasts = lasts(&steps);
        let recorded = Self { steps, before, modes, lasts, far };
        recorded.is_complete(root);
        recorded
    }

    /// Makes sure that nothing was missed: with all steps the files are what they are.
    fn is_complete(&self, root: &Path) {
        let all = Cut { after: self.steps.len(), kept: (0..self.steps.len()).collect(), told: true };
        let (recorded, mut is) = (self.state(&all), State::default());
        read(root, "", &mut is, &mut BTreeMap::new());
        assert_eq!(recorded.folders, is.folders, "folders");
        let names = |state: &State| state.names.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&recorded), names(&is), "files");
        for (name, inode) in &is.names {
            let content = recorded.names.get(name).and_then(|inode| recorded.contents.get(inode));
            let content = content.map_or(&[][..], Vec::as_slice);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert!(content == is.contents[inode], "{name}: {:?} {:?}", text(content), text(&is.contents[inode]));
        }
    }

    /// These steps, on these files.
    pub fn new(steps: Vec<Step>, files: &[(&str, &[u8])]) -> Self {
        let mut before = State::default();
        for (nth, (name, content)) in files.iter().enumerate() {
            before.names.insert((*name).to_owned(), nth + 1);
            before.contents.insert(nth + 1, content.to_vec());
        }
        let lasts = lasts(&steps);
        Self { steps, before, modes: BTreeMap::new(), lasts, far: BTreeSet::new() }
    }

    /// All cuts that leave different disks, in the order of time.
    pub fn cuts(&self) -> Vec<Cut> {
        let mut seen = HashSet::new();
        let mut cuts = self.all();
        cuts.retain(|cut| seen.insert((self.number(cut), cut.told)));
        cuts
    }

    /// As many of the cuts, evenly spread; all of them if `POSTRIDER_FAULTS` is `all`.
    pub fn some(&self, most: usize) -> Vec<Cut> {
        if std::env::var("POSTRIDER_FAULTS").as_deref() == Ok("all") {
            return self.cuts();
        }
        let all = self.all();
        // Not a divisor of how many ways there are at one moment, so that each way is tried.
        let step = (all.len() / most.max(1)).max(1) | 1;
        let mut seen = HashSet::new();
        let mut cuts: Vec<Cut> = all.into_iter().step_by(step).collect();
        cuts.retain(|cut| seen.insert((self.number(cut), cut.told)));
        cuts
    }

    fn all(&self) -> Vec<Cut> {
        let mut cuts = Vec::new();
        let mut told = false;
        for after in 0..=self.steps.len() {
            told |= after.checked_sub(1).is_some_and(|last| matches!(self.steps[last], Step::Told));
            let pending: Vec<usize> = (0..after)
                .filter(|nth| matches!(self.steps[*nth], Step::Change(_)) && !self.far.contains(nth))
                .filter(|nth| self.lasts[*nth].is_none_or(|lasts| lasts > after))
                .collect();
            cuts.extend(chosen(&pending).into_iter().map(|kept| Cut { after, kept, told }));
        }
        cuts
    }

    /// Tells one disk from another.
    fn number(&self, cut: &Cut) -> u64 {
        let state = self.state(cut);
        let touched: BTreeSet<Inode> = self
            .steps
            .iter()
            .filter_map(|step| if let Step::Change(change) = step { change.content_of() } else { None })
            .collect();
        let mut hasher = DefaultHasher::new();
        (&state.names, &state.folders).hash(&mut hasher);
        // The contents of names, of which the numbers say enough where nothing was written.
        let named: BTreeSet<Inode> = state.names.values().copied().collect();
        for inode in touched.intersection(&named) {
            state.contents.get(inode).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn state(&self, cut: &Cut) -> State {
        let mut state = self.before.clone();
        let is_begun_far = self.far.first().is_some_and(|first| *first < cut.after);
        for (nth, step) in self.steps.iter().enumerate() {
            let Step::Change(change) = step else { continue };
            let is_there = match self.far.contains(&nth) {
                true => is_begun_far,
                false => {
                    nth < cut.after
                        && (self.lasts[nth].is_some_and(|lasts| lasts <= cut.after) || cut.kept.contains(&nth))
                }
            };
            // What would be in a folder that was lost is lost.
            let has_folder = |folder: &&str| folder.is_empty() || state.folders.contains(*folder);
            if is_there && change.folders().iter().all(has_folder) {
                state.apply(change);
            }
        }
        state
    }

    /// The content of a file on the disk that a cut leaves.
    pub fn content(&self, cut: &Cut, name: &str) -> Option<Vec<u8>> {
        let state = self.state(cut);
        Some(state.contents.get(state.names.get(name)?).cloned().unwrap_or_default())
    }

    /// What a cut leaves, for the report of a failure: what is not as it was before.
    pub fn shown(&self, cut: &Cut) -> String {
        let state = self.state(cut);
        let content = |state: &State, name: &str| state.contents.get(state.names.get(name)?).cloned();
        let names: BTreeSet<&String> = state.names.keys().chain(self.before.names.keys()).collect();
        let lines = names.into_iter().filter_map(|name| {
            let (was, is) = (content(&self.before, name), content(&state, name));
            let shown = match &is {
                Some(bytes) => format!("{:?}", String::from_utf8_lossy(bytes).chars().take(300).collect::<String>()),
                None => "gone".to_owned(),
            };
            (was != is || self.before.names.contains_key(name) != state.names.contains_key(name))
                .then(|| format!("\n    {name}: {shown}"))
        });
        let last = cut.after.checked_sub(1).map(|last| format!("{:?}", self.steps[last]));
        let last: String = last.unwrap_or_default().chars().take(300).collect();
        format!("after step {} of {} ({last}){}", cut.after, self.steps.len(), lines.collect::<String>())
    }

    /// Makes the disk that a cut leaves the content of a folder.
    pub fn leave(&self, cut: &Cut, root: &Path) {
        for entry in fs::read_dir(root).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("it can be removed");
        }
        let state = self.state(cut);
        for folder in &state.folders {
            fs::create_dir_all(root.join(folder)).expect("a folder");
            let private = folder.contains("data");
            let mode = self.modes.get(folder).copied().unwrap_or(if private { 0o700 } else { 0o755 });
            fs::set_permissions(root.join(folder), fs::Permissions::from_mode(mode)).expect("a mode");
        }
        let mut first: BTreeMap<Inode, &String> = BTreeMap::new();
        for (name, inode) in &state.names {
            if let Some(other) = first.get(inode) {
                fs::hard_link(root.join(other), root.join(name)).expect("a link");
                continue;
            }
            first.insert(*inode, name);
            fs::write(root.join(name), state.contents.get(inode).map_or(&[][..], Vec::as_slice)).expect("a file");
            let mode = self.modes.get(name).copied().unwrap_or(0o600);
            fs::set_permissions(root.join(name), fs::Permissions::from_mode(mode)).expect("a mode");
        }
    }
}

impl State {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::MakeFolder(path) => drop(self.folders.insert(path.clone())),
            Change::RemoveFolder(path) => {
                let below = format!("{path}/");
                let names = self.names.keys().chain(&self.folders);
                if !names.into_iter().any(|name| name.starts_with(&below)) {
                    self.folders.remove(path);
                }
            }
            Change::Name(path, inode) => drop(self.names.insert(path.clone(), *inode)),
            Change::Write(inode, at, more) => {
                let content = self.contents.entry(*inode).or_default();
                let end = at + more.len();
                content.resize(content.len().max(end), 0);
                content[*at..end].copy_from_slice(more);
            }
            Change::Truncate(inode, length) => self.contents.entry(*inode).or_default().resize(*length, 0),
            Change::Rename(from, to, inode) => {
                self.names.remove(from);
                self.names.insert(to.clone(), *inode);
            }
            Change::Remove(path) => drop(self.names.remove(path)),
        }
    }
}

/// The steps that change something on another machine.
fn far(steps: &[Step], elsewhere: &[&str]) -> BTreeSet<usize> {
    let is_far = |name: &str| elsewhere.iter().any(|begin| name.starts_with(begin));
    let mut inodes: BTreeSet<Inode> = BTreeSet::new();
    for step in steps {
        if let Step::Change(Change::Name(path, inode) | Change::Rename(_, path, inode)) = step
            && is_far(path)
        {
            inodes.insert(*inode);
        }
    }
    let one = |step: &Step| match step {
        Step::Change(change) => match change.content_of() {
            Some(inode) => inodes.contains(&inode),
            None => change.folders().iter().all(|folder| is_far(&format!("{folder}/"))),
        },
        _ => false,
    };
    (0..steps.len()).filter(|nth| one(&steps[*nth])).collect()
}

/// The number of steps after which each step is on the disk for good, if ever.
fn lasts(steps: &[Step]) -> Vec<Option<usize>> {
    let after = |place: usize, flushes: &dyn Fn(&Step) -> bool| {
        steps[place..].iter().position(flushes).map(|behind| place + behind + 1)
    };
    let one = |(place, step): (usize, &Step)| {
        let Step::Change(change) = step else { return Some(place + 1) };
        if let Some(inode) = change.content_of() {
            return after(place, &|step| matches!(step, Step::FlushFile(one) if *one == inode));
        }
        let folders = change.folders().into_iter();
        let flushed =
            folders.map(|folder| after(place, &|step| matches!(step, Step::FlushFolder(one) if one == folder)));
        flushed.collect::<Option<Vec<usize>>>().and_then(|all| all.into_iter().max())
    };
    steps.iter().enumerate().map(one).collect()
}

/// The ways in which changes that were not flushed may be lost, each as those that survived.
fn chosen(pending: &[usize]) -> BTreeSet<Vec<usize>> {
    let mut ways = BTreeSet::from([Vec::new(), pending.to_vec()]);
    for &one in pending {
        ways.insert(vec![one]);
        ways.insert(pending.iter().copied().filter(|other| *other != one).collect());
    }
    ways
}

/// Reads all that is below a folder.
fn read(root: &Path, folder: &str, state: &mut State, modes: &mut BTreeMap<String, u32>) {
    for entry in fs::read_dir(root.join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        let name = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        debug_assert_eq!(folder_of(&name), folder);
        modes.insert(name.clone(), entry.metadata().expect("metadata").permissions().mode() & 0o7777);
        if entry.file_type().expect("a kind").is_dir() {
            state.folders.insert(name.clone());
            read(root, &name, state, modes);
        } else {
            let inode = state.contents.len() + 1;
            state.contents.insert(inode, fs::read(entry.path()).expect("a file"));
            state.names.insert(name, inode);
        }
    }
}
