//! `postrider pack` and `postrider unpack`.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::hints::{self, Failure, name};
use super::packed::{self, Next, Practice};
use super::progress::{self, Progress};
use super::{input, print};
use crate::archive::frames::End;
use crate::archive::held::{Held, Standing, Version, id};
use crate::archive::lines::Line;
use crate::archive::stream::{Packer, each_line};
use crate::archive::{self, Found};
use crate::git::path_bytes;
use crate::record::RECORD_LIMIT;
use crate::store;
use crate::text::printable;
use crate::verdict::is_practice;

/// Pack many records into one compressed file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider pack games/ -o games.jsonl.zst
  postrider pack november/ --append -o games.jsonl.zst
  postrider pack games/ --append --update -o games.jsonl.zst   only what is new or has gone on
  postrider pack games/ --split 16 -o games.jsonl.zst          games-01.jsonl.zst and so on
  zstdcat games.jsonl.zst | head -n 1               any program that knows zstd and JSON reads it

One line per record: `{\"path\": …, \"record\": …}`, in zstd frames that can each be read on their own. With `-` it packs such lines \
from standard input. `verify` and `export` read packed files directly; `unpack` restores the records, byte for byte. Paths are stored \
without a root or `..` at their beginning.")]
pub(super) struct Args {
    /// Folders, records and archives; `-` for an archive on standard input
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The packed file; standard output if none is named, or for `-`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add to an existing packed file
    #[arg(long, requires = "output")]
    append: bool,
    /// With --append: add only what the packed file does not hold, which are new games and newer versions of those that it holds
    #[arg(long, requires = "append")]
    update: bool,
    /// Also practice games against the machine, which are left out otherwise
    #[arg(long)]
    practice: bool,
    /// Write N packed files of about the same size (`games-1.jsonl.zst` …), for engines that read one file per task
    #[arg(long, value_name = "N", requires = "output", conflicts_with = "append", value_parser = clap::value_parser!(u16).range(2..=999))]
    split: Option<u16>,
}

/// Unpack packed records into files
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider unpack games.jsonl.zst -o games
  postrider unpack games.jsonl.zst --list

Existing files are never overwritten: identical ones are skipped, different ones are reported (exit code 1). Of several versions of a \
game under one path, the last one in the archive stays. Paths that lead out of the folder are refused.")]
pub(super) struct UnpackArgs {
    /// The packed file, or plain lines of JSON; `-` for standard input
    file: PathBuf,
    /// The folder to extract to
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,
    /// Print the paths only
    #[arg(long)]
    list: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    progress::take_back_at_the_end();
    let Some(output) = args.output.as_ref().filter(|output| !input::is_stdin(output)) else {
        let out = io::stdout();
        if out.is_terminal() {
            return Err(Failure::trouble("a packed archive is not for the screen")
                .hint("name a file with -o, or pipe it into a program"));
        }
        let failed = Failure::Output;
        return Packing::new(Packer::new(out.lock()), None, &failed).all(args);
    };
    let failed =
        |error: io::Error| Failure::trouble(format!("{} cannot be written: {}", name(output), store::bare(error)));
    if args.append {
        return append(args, output, &failed);
    }
    let exists = |error: &store::FileError| {
        Failure::trouble(error.to_string()).hint("--append adds to it; another name with -o leaves it alone")
    };
    let finish = |file: store::NewFile| match file.create() {
        Err(error @ store::FileError::Exists { .. }) => Err(exists(&error)),
        done => input::written(done).map(drop),
    };
    if let Some(parts) = args.split {
        let mut split = Split::begin(output, parts)?;
        let code = Packing::new(Packer::new(&mut split).in_small_frames(), None, &failed).all(args)?;
        let files: Vec<_> = split.0.into_iter().filter(|part| part.length > 0).collect();
        if let Some(part) = files.iter().find(|part| fs::symlink_metadata(&part.path).is_ok()) {
            return Err(exists(&store::FileError::Exists { path: part.path.clone() }));
        }
        let names: Vec<String> = files.iter().map(|part| format!("{}\n", name(&part.path))).collect();
        files.into_iter().try_for_each(|part| finish(part.file))?;
        print(names.concat())?;
        return Ok(code);
    }
    let mut file = store::NewFile::begin(output).map_err(|error| Failure::trouble(error.to_string()))?;
    let code = Packing::new(Packer::new(&mut file), None, &failed).all(args)?;
    finish(file).map(|()| code)
}

/// Several archives that are written side by side: each frame goes into the one that is shortest so far.
struct Split(Vec<Part>);

struct Part {
    path: PathBuf,
    file: store::NewFile,
    length: u64,
}

impl Split {
    /// Begins the files `games-1.jsonl.zst`, `games-2.jsonl.zst` and so on, if the archive is called `games.jsonl.zst`.
    fn begin(output: &Path, parts: u16) -> Result<Self, Failure> {
        let whole = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let at = [".jsonl.zst", ".zst", ".jsonl"]
            .iter()
            .find_map(|end| whole.strip_suffix(end))
            .map_or(whole.len(), str::len);
        let (stem, end) = whole.split_at(at);
        let digits = parts.to_string().len();
        let part = |number: u16| {
            let path = output.with_file_name(format!("{stem}-{number:0digits$}{end}"));
            let file = store::NewFile::begin(&path).map_err(|error| Failure::trouble(error.to_string()))?;
            Ok(Part { path, file, length: 0 })
        };
        (1..=parts).map(part).collect::<Result<_, _>>().map(Self)
    }
}

impl Write for Split {
    /// Takes a frame, which is always given as a whole.
    fn write(&mut self, frame: &[u8]) -> io::Result<usize> {
        if let Some(part) = self.0.iter_mut().min_by_key(|part| part.length) {
            part.file.write_all(frame)?;
            part.length += frame.len() as u64;
        }
        Ok(frame.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.iter_mut().try_for_each(|part| part.file.flush())
    }
}

/// How long an archive is waited for that another program is adding to.
const WAIT: Duration = Duration::from_secs(120);

/// Adds to an archive. What is there stays: the new frames come after it, or the file keeps its length. One program adds at a time, and
/// behind whole frames only: what stands behind a frame that an interrupted run left unfinished could be read by nobody.
fn append(args: &Args, output: &Path, failed: &dyn Fn(io::Error) -> Failure) -> Result<ExitCode, Failure> {
    if output.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Err(Failure::trouble(format!("there is no archive {} to add to", name(output)))
            .hint("`postrider pack` without --append makes it"));
    }
    let _lock = store::RecordLock::take_within(output, WAIT).map_err(|error| Failure::writing(&error))?;
    let mut file = OpenOptions::new().read(true).write(true).open(output).map_err(failed)?;
    let shown = name(output);
    match archive::frames::end(&mut file).map_err(failed)? {
        End::Whole => {}
        End::Cut(end) => {
            let length = file.metadata().map_err(failed)?.len();
            file.set_len(end).map_err(failed)?;
            errln!(
                "warning: {shown} ended within a frame that an interrupted run left; its {} bytes, which hold no whole line, are removed",
                length.saturating_sub(end)
            );
        }
        End::Damaged(at) => {
            return Err(Failure::trouble(format!("{shown} is damaged at byte {at}, so nothing is added to it")).hint(format!(
                "`postrider unpack {} -o FOLDER` saves what can be read, and `postrider pack FOLDER -o FILE` makes a sound archive of it",
                hints::shell(output)
            )));
        }
        End::Other => {
            return Err(Failure::trouble(format!("{shown} is no packed archive, so nothing is added to it"))
                .hint("name one that `postrider pack` made"));
        }
    }
    let ends_line = archive::frames::ends_line(&mut file).map_err(failed)?;
    drop(file);
    let held = if args.update { Some(held(output)?) } else { None };
    let mut file = store::GrowingFile::open(output).map_err(|error| Failure::writing(&error))?;
    let packer = Packer::new(&mut file);
    let packer = if ends_line { packer } else { packer.behind_open_line() };
    let code = Packing::new(packer, held, failed).all(args)?;
    input::written(file.finish())?;
    Ok(code)
}

/// Reads which versions of which games an archive holds.
fn held(path: &Path) -> Result<Held, Failure> {
    let mut stream = packed::open(path)?;
    let mut held = Held::default();
    let mut progress = Progress::of(None);
    let version = |line: Result<&[u8], String>| {
        let line = line.and_then(Line::read).ok()?;
        Some(Version::of(line.path_bytes(), &line.record))
    };
    loop {
        match packed::next_chunk(&mut stream, path)? {
            Next::Chunk(chunk) => each_line(&chunk, version, |version| {
                version.into_iter().for_each(|version| held.add(version));
                progress.more(1)
            })?,
            Next::Missing(_) => {
                return Err(Failure::trouble(format!("{} is damaged, so nothing is added to it", name(path))));
            }
            Next::End => return Ok(held),
        }
    }
}

/// What goes into an archive while it is written.
struct Packing<'a, W> {
    packer: Packer<W>,
    /// What the archive holds, if only newer versions are to be added.
    held: Option<Held>,
    /// What a fault in writing means.
    failed: &'a dyn Fn(io::Error) -> Failure,
    worst: u8,
    practice: Practice,
    /// Whether it was said that paths are made relative.
    is_told: bool,
}

impl<'a, W: Write> Packing<'a, W> {
    fn new(packer: Packer<W>, held: Option<Held>, failed: &'a dyn Fn(io::Error) -> Failure) -> Self {
        Self { packer, held, failed, worst: 0, practice: Practice::default(), is_told: false }
    }

    /// Packs everything that is named, and finishes.
    fn all(mut self, args: &Args) -> Result<ExitCode, Failure> {
        let is_stream = |path: &&PathBuf| input::is_stdin(path) || packed::is_archive(path);
        let (streams, paths): (Vec<&PathBuf>, Vec<&PathBuf>) = args.paths.iter().partition(is_stream);
        for path in streams {
            self.lines(path, args.practice)?;
        }
        let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
        let found = archive::find(&paths);
        let mut progress = Progress::of(Some(found.len() as u64));
        for found in found {
            let (path, read) = match found {
                Found::Record(path) => {
                    let read = read(&path);
                    (path, read)
                }
                Found::Unreadable(path, error) => (path, Err(error)),
                Found::NoRecord(path) => (path, Err(io::Error::other("no record (*.pbem) in this folder"))),
            };
            match read {
                Ok(bytes) if !args.practice && is_practice(&bytes) => self.practice.leave_out(),
                Ok(bytes) => {
                    let stored = self.stored(&path);
                    if self.is_wanted(&stored, &bytes) {
                        self.packer.add(&stored, &bytes).map_err(self.failed)?;
                    }
                }
                Err(error) => self.left_out(format_args!("{} is left out: {error}", name(&path))),
            }
            more(&mut progress)?;
        }
        self.packer.finish().map_err(self.failed)?;
        self.practice.count();
        Ok(ExitCode::from(self.worst))
    }

    /// Packs the lines of an archive, or of standard input, unchanged.
    fn lines(&mut self, path: &Path, practice: bool) -> Result<(), Failure> {
        let mut stream = packed::open(path)?;
        let mut progress = Progress::of(None);
        loop {
            let chunk = match packed::next_chunk(&mut stream, path)? {
                Next::Chunk(chunk) => chunk,
                Next::Missing(_) => {
                    self.worst = hints::TROUBLE;
                    continue;
                }
                Next::End => return Ok(()),
            };
            for line in chunk.lines.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
                match Line::read(line) {
                    Ok(read) if !practice && is_practice(&read.record) => self.practice.leave_out(),
                    Ok(read) if self.is_wanted(read.path_bytes(), &read.record) => {
                        self.packer.add_line(line).map_err(self.failed)?;
                    }
                    Ok(_) => {}
                    Err(why) => self.left_out(format_args!("a line is left out: {why}")),
                }
                more(&mut progress)?;
            }
            if chunk.too_long {
                self.left_out(format_args!("a line is left out: {}", archive::lines::too_long()));
            }
        }
    }

    fn left_out(&mut self, why: std::fmt::Arguments<'_>) {
        errln!("error: {why}");
        self.worst = hints::TROUBLE;
    }

    /// Returns whether a record is to be added; if it is, the archive holds it from now on.
    fn is_wanted(&mut self, path: &[u8], record: &[u8]) -> bool {
        let Some(held) = &mut self.held else { return true };
        let version = Version::of(path, record);
        match held.standing(version) {
            Standing::New => {
                held.add(version);
                true
            }
            Standing::Same => false,
            Standing::Older(entries) => {
                let path = String::from_utf8_lossy(path);
                errln!(
                    "{}: left out: the archive holds a version with more entries, {}",
                    printable(&path),
                    crate::text::entries(entries)
                );
                false
            }
        }
    }

    /// The path under which a record is stored: that by which it was named, without what leads out of the folder that it will be
    /// unpacked into.
    fn stored(&mut self, path: &Path) -> Vec<u8> {
        let (stored, left_out) = relative(path);
        if !left_out.as_os_str().is_empty() && !self.is_told {
            self.is_told = true;
            errln!("note: paths are stored without `{}` at their beginning", name(&left_out));
        }
        path_bytes(&stored)
    }
}

/// Splits a path into what can stand in an archive, as `tar` does it, and what stands before that: a root, or everything up to the
/// last `..`. That `.` means nothing is not said.
fn relative(path: &Path) -> (PathBuf, PathBuf) {
    let (mut inner, mut outer) = (PathBuf::new(), PathBuf::new());
    for part in path.components() {
        match part {
            Component::Normal(part) => inner.push(part),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => outer.push(part),
            Component::ParentDir => {
                outer.extend([std::mem::take(&mut inner), PathBuf::from("..")]);
            }
        }
    }
    (inner, outer)
}

/// Counts a record that was looked at.
fn more(progress: &mut Progress) -> Result<(), Failure> {
    progress.more(1).map_err(|failure| match failure {
        Failure::Stopped(_) => Failure::Stopped("stopped: nothing was packed".to_owned()),
        other => other,
    })
}

/// Reads a record's file; one that is larger than any record is left out of the archive.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    store::open(path)?.take(RECORD_LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > RECORD_LIMIT {
        return Err(io::Error::other("it is over 4 MiB"));
    }
    Ok(bytes)
}

pub(super) fn unpack(args: &UnpackArgs) -> Result<ExitCode, Failure> {
    progress::take_back_at_the_end();
    let mut unpacking =
        Unpacking { args, worst: 0, files: store::NewFiles::default(), own: HashSet::new(), others: BTreeSet::new() };
    let done = unpacking.all();
    // What is there is made to last even if there was trouble with the rest.
    let flushed = std::mem::take(&mut unpacking.files).finish();
    for path in &unpacking.others {
        errln!("{}: another file is there; it stays as it is", name(path));
        unpacking.worst = unpacking.worst.max(hints::REFUSED);
    }
    done?;
    input::written(flushed)?;
    Ok(ExitCode::from(unpacking.worst))
}

/// Files that are made of an archive.
struct Unpacking<'a> {
    args: &'a UnpackArgs,
    worst: u8,
    files: store::NewFiles,
    /// The digests of the paths of files that this run has written: a newer version of the same game may replace them.
    own: HashSet<[u8; 32]>,
    /// Where something else was before. A later version in the archive may turn out to be just that.
    others: BTreeSet<PathBuf>,
}

enum Put {
    Written,
    Same,
    Another,
    LeadsOut,
}

impl Unpacking<'_> {
    fn all(&mut self) -> Result<(), Failure> {
        let path = &self.args.file;
        let mut stream = packed::open(path)?;
        let mut progress = Progress::of(None);
        // Read on all processors, and written in their order: of several versions of a game the last one stays.
        let read = |line: Result<&[u8], String>| {
            let line = line.and_then(Line::read)?;
            Ok((line.path_bytes().to_vec(), if self.args.list { Vec::new() } else { line.record.into_owned() }))
        };
        loop {
            let chunk = match packed::next_chunk(&mut stream, path)? {
                Next::End => return Ok(()),
                Next::Missing(_) => {
                    self.worst = hints::TROUBLE;
                    continue;
                }
                Next::Chunk(chunk) => chunk,
            };
            let mut told = String::new();
            let done = each_line(&chunk, read, |line| {
                let (code, text) = self.one(line);
                self.worst = self.worst.max(code);
                told.push_str(&text);
                progress.more(1)
            });
            progress.aside(|| print(told))?;
            done?;
        }
    }

    /// Makes a file of a line. Returns its exit code and what is to be printed.
    fn one(&mut self, line: Result<(Vec<u8>, Vec<u8>), String>) -> (u8, String) {
        let (path, record) = match line {
            Ok(line) => line,
            Err(why) => {
                errln!("error: a line cannot be unpacked: {why}");
                return (hints::TROUBLE, String::new());
            }
        };
        let path = crate::git::os_string(path);
        let path = Path::new(&path);
        if self.args.list {
            return (0, format!("{}\n", name(path)));
        }
        let at = self.args.output.join(path);
        let put = self.put(path, &record);
        match put {
            Ok(Put::Written | Put::Same) => {
                self.others.remove(&at);
            }
            Ok(Put::Another) => {
                self.others.insert(at.clone());
            }
            Ok(Put::LeadsOut) => {
                errln!("{}: refused: the path is not inside the folder", name(path));
                return (hints::REFUSED, String::new());
            }
            Err(error) => {
                errln!("error: {}: {error}", name(&at));
                return (hints::TROUBLE, String::new());
            }
        }
        let is_written = matches!(put, Ok(Put::Written));
        (0, if is_written { format!("{}\n", name(&at)) } else { String::new() })
    }

    /// Places a record below the folder. The path comes from the archive, which a stranger may have made: only plain names
    /// are followed, no links, and no file is overwritten that was there before.
    fn put(&mut self, path: &Path, record: &[u8]) -> io::Result<Put> {
        let folder = &self.args.output;
        let parts: Vec<Component<'_>> = path.components().collect();
        let plain = parts.iter().all(|part| matches!(part, Component::Normal(_)));
        let nul = path_bytes(path).contains(&0);
        let named = path.to_string_lossy().ends_with(".pbem");
        if parts.is_empty() || !plain || nul || !named {
            return Ok(Put::LeadsOut);
        }
        store::folder(folder)?;
        let mut at = folder.to_owned();
        let (last, folders) = match parts.split_last() {
            Some((last, folders)) => (last, folders),
            None => return Ok(Put::LeadsOut),
        };
        for part in folders {
            at.push(part);
            if !store::new_folder(&at)? && !fs::symlink_metadata(&at)?.is_dir() {
                return Ok(Put::LeadsOut);
            }
        }
        at.push(last);
        let digest = Sha256::digest(path_bytes(&at)).into();
        if let Ok(there) = fs::symlink_metadata(&at) {
            let file = if there.is_file() && there.len() <= RECORD_LIMIT as u64 { Some(fs::read(&at)?) } else { None };
            return match file {
                Some(file) if file == record => Ok(Put::Same),
                Some(file) if self.own.contains(&digest) && id(&file).is_some_and(|game| id(record) == Some(game)) => {
                    written(self.files.put(&at, record))
                }
                _ => Ok(Put::Another),
            };
        }
        let put = written(self.files.create(&at, record))?;
        if matches!(put, Put::Written) {
            self.own.insert(digest);
        }
        Ok(put)
    }
}

fn written(done: Result<(), store::FileError>) -> io::Result<Put> {
    match done {
        Ok(()) => Ok(Put::Written),
        Err(store::FileError::Exists { .. }) => Ok(Put::Another),
        Err(store::FileError::Io { source, .. }) => Err(source),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_stored_as_tar_stores_them() {
        for (path, stored, left_out) in [
            ("games/a.pbem", "games/a.pbem", ""),
            ("./games/./a.pbem", "games/a.pbem", ""),
            ("/home/ada/games/a.pbem", "home/ada/games/a.pbem", "/"),
            ("../games/a.pbem", "games/a.pbem", ".."),
            ("../../x/../games/a.pbem", "games/a.pbem", "../../x/.."),
            ("/../a.pbem", "a.pbem", "/.."),
        ] {
            assert_eq!(relative(Path::new(path)), (PathBuf::from(stored), PathBuf::from(left_out)), "{path}");
        }
    }
}
