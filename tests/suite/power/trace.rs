//! What `strace` says that a program and the programs it runs did to files, as steps.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Change, Inode, Step};

/// The calls that change files, or say which file a later call means.
const CALLS: &str = "trace=open,openat,creat,close,dup,dup2,dup3,fcntl,read,write,writev,pwrite64,pwritev,lseek,truncate,\
                     ftruncate,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,\
                     rmdir,fsync,fdatasync,sync_file_range,copy_file_range,sendfile,fallocate,chdir,fchdir,clone,\
                     clone3,fork,vfork";

/// The files that are there: by name, and how long each is.
pub(super) struct Files {
    pub inodes: BTreeMap<String, Inode>,
    pub lengths: BTreeMap<Inode, usize>,
}

/// Runs a command and returns the steps of what it did below `root`, where these files are.
pub(super) fn steps(root: &str, files: Files, command: &Command, input: &[u8]) -> Vec<Step> {
    let (logs, fed) = (tempfile::tempdir().expect("a folder"), tempfile::NamedTempFile::new().expect("a file"));
    fs::write(fed.path(), input).expect("a file");
    let mut traced = Command::new("strace");
    traced.args(["-f", "-ff", "-ttt", "-qq", "-y", "-xx", "-s", "10000000", "-e", CALLS, "-o"].map(OsString::from));
    traced.arg(logs.path().join("of")).arg("--").arg(command.get_program()).args(command.get_args());
    let folder = command.get_current_dir().expect("a folder");
    traced.current_dir(folder).env_clear();
    for (name, value) in command.get_envs() {
        traced.env(name, value.expect("a value"));
    }
    // The order of what threads do at once would be chance.
    traced.env("RAYON_NUM_THREADS", "1");
    let input = fs::File::open(fed.path()).expect("a file");
    let status = traced.stdin(input).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it ends");
    assert!(status.success(), "{command:?}");
    let lines = lines(logs.path());
    let first = lines.first().expect("a call").1;
    let folder = fs::canonicalize(folder).expect("a folder").to_string_lossy().into_owned();
    let Files { inodes, lengths } = files;
    let next = inodes.values().max().unwrap_or(&0) + 1;
    let mut recorder = Recorder {
        root: root.to_owned(),
        steps: Vec::new(),
        inodes,
        next,
        lengths,
        folders: BTreeMap::from([(first, folder)]),
        open: BTreeMap::new(),
    };
    for (_, process, line) in &lines {
        recorder.read(*process, line);
    }
    recorder.steps
}

/// All calls of all processes, in the order in which they began, as time, process and call.
fn lines(folder: &Path) -> Vec<(f64, u32, String)> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let process: u32 = path.extension().and_then(|end| end.to_str()?.parse().ok()).expect("a process");
        for line in fs::read_to_string(&path).expect("a trace").lines() {
            let Some((time, call)) = line.split_once(' ') else { continue };
            lines.push((time.parse::<f64>().expect("a time"), process, call.to_owned()));
        }
    }
    lines.sort_by(|one, other| one.0.total_cmp(&other.0));
    lines
}

/// An open file: which one it is, and the place at which the next write goes on; `None` at its end.
type Open = (Inode, Option<usize>);

struct Recorder {
    root: String,
    steps: Vec<Step>,
    /// The files below the root, by name.
    inodes: BTreeMap<String, Inode>,
    next: Inode,
    lengths: BTreeMap<Inode, usize>,
    /// The folder in which each process is.
    folders: BTreeMap<u32, String>,
    open: BTreeMap<(u32, u32), Open>,
}

/// Decodes the hexadecimal escapes of `strace`.
fn bytes(escaped: &str) -> Vec<u8> {
    escaped.split("\\x").skip(1).map(|digits| u8::from_str_radix(&digits[..2], 16).expect("two digits")).collect()
}

fn text(escaped: &str) -> String {
    String::from_utf8(bytes(escaped)).expect("a path")
}

/// The number and the path in `3<path>`.
fn descriptor(shown: &str) -> Option<(u32, String)> {
    let (number, rest) = shown.trim_start().split_once('<')?;
    Some((number.parse().ok()?, text(rest.split_once('>')?.0)))
}

impl Recorder {
    /// The path below the root, from a path in a call of a process.
    fn below(&self, process: u32, path: &str) -> Option<String> {
        let folder = || self.folders.get(&process).cloned().unwrap_or_default();
        let full = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", folder()) };
        let mut parts: Vec<&str> = Vec::new();
        for part in full.split('/').filter(|part| !matches!(*part, "" | ".")) {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        let rest = format!("/{}", parts.join("/"));
        let rest = rest.strip_prefix(&self.root)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/').to_owned())
    }

    fn change(&mut self, change: Change) {
        self.steps.push(Step::Change(change));
    }

    /// The open file that the first argument of a call is. What the number of one meant before its program became another
    /// is not known, so its path is asked too; one that was opened before that is written at its end.
    fn file(&self, process: u32, arguments: &str) -> Option<((u32, u32), Open)> {
        let (number, path) = descriptor(arguments)?;
        let path = self.below(process, &path).filter(|_| path.starts_with('/'))?;
        let key = (process, number);
        match (self.open.get(&key), self.inodes.get(&path)) {
            (Some(open), Some(inode)) if open.0 == *inode => Some((key, *open)),
            (_, Some(inode)) => Some((key, (*inode, None))),
            // It has no name any more.
            (open, None) => open.map(|open| (key, *open)),
        }
    }

    fn write(&mut self, inode: Inode, at: usize, bytes: Vec<u8>) {
        let length = self.lengths.entry(inode).or_default();
        *length = (*length).max(at + bytes.len());
        self.change(Change::Write(inode, at, bytes));
    }

    fn read(&mut self, process: u32, line: &str) {
        let Some((name, rest)) = line.split_once('(') else { return };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else { return };
        if result.starts_with('-') || result.starts_with('?') {
            return;
        }
        let quoted: Vec<&str> = arguments.split('"').skip(1).step_by(2).collect();
        let path = |nth: usize| quoted.get(nth).map(|path| text(path)).unwrap_or_default();
        let number = |nth: usize| arguments.split(", ").nth(nth).and_then(|word| word.parse::<usize>().ok());
        match name {
            "clone3" | "clone" | "fork" | "vfork" => {
                if name == "vfork" || arguments.contains("CLONE_VFORK") {
                    self.steps.push(Step::Told);
                }
                let child: u32 = result.split(' ').next().and_then(|word| word.parse().ok()).expect("a process");
                let folder = self.folders.get(&process).cloned().unwrap_or_default();
                self.folders.insert(child, folder);
                let open = self.open.iter().filter(|(key, _)| key.0 == process);
                let open: Vec<_> = open.map(|(key, open)| ((child, key.1), *open)).collect();
                self.open.extend(open);
            }
            "chdir" => {
                let there = path(0);
                let folder = if there.starts_with('/') {
                    there
                } else {
                    format!("{}/{there}", self.folders.get(&process).cloned().unwrap_or_default())
                };
                self.folders.insert(process, folder);
            }
            "fchdir" => {
                if let Some((_, path)) = descriptor(arguments) {
                    self.folders.insert(process, path);
                }
            }
            "open" | "openat" | "creat" => self.opened(process, name, arguments, result),
            "close" => {
                if let Some((number, _)) = descriptor(arguments) {
                    self.open.remove(&(process, number));
                }
            }
            "dup" | "dup2" | "dup3" | "fcntl" => {
                if name != "fcntl" || arguments.contains("F_DUPFD") {
                    let copy = descriptor(result).map(|(number, _)| number);
                    let open = self.file(process, arguments).map(|(_, open)| open);
                    if let Some(copy) = copy {
                        self.open.remove(&(process, copy));
                        self.open.extend(open.map(|open| ((process, copy), open)));
                    }
                }
            }
            "lseek" => {
                if let (Some((key, (inode, _))), Ok(at)) = (self.file(process, arguments), result.trim().parse()) {
                    self.open.insert(key, (inode, Some(at)));
                }
            }
            "read" => {
                if let (Some((key, (inode, Some(at)))), Ok(length)) =
                    (self.file(process, arguments), result.trim().parse::<usize>())
                {
                    self.open.insert(key, (inode, Some(at + length)));
                }
            }
            "write" | "pwrite64" => {
                let Some((key, (inode, at))) = self.file(process, arguments) else { return };
                let mut bytes = bytes(quoted.first().copied().unwrap_or_default());
                bytes.truncate(result.trim().parse().expect("a length"));
                let end = *self.lengths.get(&inode).unwrap_or(&0);
                if name == "pwrite64" {
                    let at = arguments.rsplit(", ").next().and_then(|word| word.parse().ok()).expect("a place");
                    return self.write(inode, at, bytes);
                }
                let at = at.unwrap_or(end);
                let next = self.open.get(&key).map(|(_, next)| next.map(|_| at + bytes.len()));
                self.open.extend(next.map(|next| (key, (inode, next))));
                self.write(inode, at, bytes);
            }
            "ftruncate" => {
                let Some((_, (inode, _))) = self.file(process, arguments) else { return };
                let length = number(1).expect("a length");
                self.lengths.insert(inode, length);
                self.change(Change::Truncate(inode, length));
            }
            "fsync" | "fdatasync" => {
                if let Some((_, (inode, _))) = self.file(process, arguments) {
                    self.steps.push(Step::FlushFile(inode));
                } else if let Some(folder) = descriptor(arguments).and_then(|(_, path)| self.below(process, &path)) {
                    self.steps.push(Step::FlushFolder(folder));
                }
            }
            "mkdir" | "mkdirat" => {
                if let Some(path) = self.below(process, &at(arguments, &path(0))) {
                    self.change(Change::MakeFolder(path));
                }
            }
            "rmdir" | "unlinkat" if name == "rmdir" || arguments.contains("AT_REMOVEDIR") => {
                if let Some(path) = self.below(process, &at(arguments, &path(0))) {
                    self.change(Change::RemoveFolder(path));
                }
            }
            "unlink" | "unlinkat" => {
                if let Some(path) = self.below(process, &at(arguments, &path(0))) {
                    self.inodes.remove(&path);
                    self.change(Change::Remove(path));
                }
            }
            "rename" | "renameat" | "renameat2" => {
                if let (Some(from), Some(to)) = (self.below(process, &path(0)), self.below(process, &path(1))) {
                    let inode = self.inodes.remove(&from).unwrap_or_else(|| panic!("renamed, and not a file: {from}"));
                    self.inodes.insert(to.clone(), inode);
                    self.change(Change::Rename(from, to, inode));
                }
            }
            "link" | "linkat" => {
                if let (Some(from), Some(to)) = (self.below(process, &path(0)), self.below(process, &path(1))) {
                    let inode = *self.inodes.get(&from).unwrap_or_else(|| panic!("linked, and not there: {from}"));
                    self.inodes.insert(to.clone(), inode);
                    self.change(Change::Name(to, inode));
                }
            }
            // Whatever this disk cannot do is not passed over.
            _ => {
                let path = quoted.iter().find_map(|path| self.below(process, &text(path)));
                let file = self.file(process, arguments);
                assert!(path.is_none() && file.is_none(), "this disk does not know {name}: {line}");
            }
        }
    }

    fn opened(&mut self, process: u32, name: &str, arguments: &str, result: &str) {
        let Some((number, path)) = descriptor(result) else { return };
        self.open.remove(&(process, number));
        let Some(path) = self.below(process, &path) else { return };
        let truncates = name == "creat" || arguments.contains("O_TRUNC");
        let makes = name == "creat" || arguments.contains("O_CREAT");
        let inode = match self.inodes.get(&path) {
            Some(inode) => {
                let inode = *inode;
                if truncates && self.lengths.insert(inode, 0) != Some(0) {
                    self.change(Change::Truncate(inode, 0));
                }
                inode
            }
            None if makes => {
                let inode = self.next;
                self.next += 1;
                self.inodes.insert(path.clone(), inode);
                self.change(Change::Name(path, inode));
                inode
            }
            // A folder.
            None => return,
        };
        let at = if arguments.contains("O_APPEND") { None } else { Some(0) };
        self.open.insert((process, number), (inode, at));
    }
}

/// The path that a call means which names a folder before it.
fn at(arguments: &str, path: &str) -> String {
    match arguments.split_once('<').and_then(|(_, rest)| rest.split_once('>')) {
        Some((folder, _)) if !path.starts_with('/') => format!("{}/{path}", text(folder)),
        _ => path.to_owned(),
    }
}
