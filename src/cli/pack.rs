//! `postrider pack` and `postrider unpack`.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use super::hints::{self, Failure, name};
use super::packed::{self, Next};
use super::{input, print};
use crate::archive::frames::End;
use crate::archive::lines::Line;
use crate::archive::stream::Packer;
use crate::archive::{self, Found};
use crate::git::path_bytes;
use crate::record::RECORD_LIMIT;
use crate::store;

/// Pack many records into one compressed file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider pack games/ -o games.jsonl.zst
  postrider pack november/ --append -o games.jsonl.zst
  zstdcat games.jsonl.zst | head -n 1               any program that knows zstd and JSON reads it

One line per record: `{\"path\": …, \"record\": …}`, in zstd frames that can each be read on their own. With `-` it packs such lines \
from standard input. `verify` and `export` read packed files directly; `unpack` restores the records, byte for byte.")]
pub(super) struct Args {
    /// Folders and records; `-` for lines of JSON on standard input
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The packed file; standard output if none is named, or for `-`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add to an existing packed file
    #[arg(long, requires = "output")]
    append: bool,
}

/// Unpack packed records into files
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider unpack games.jsonl.zst -o games
  postrider unpack games.jsonl.zst --list

Existing files are never overwritten: identical ones are skipped, different ones are reported (exit code 1). Paths that lead out of \
the folder are refused.")]
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
    let Some(output) = args.output.as_ref().filter(|output| !input::is_stdin(output)) else {
        let out = io::stdout();
        if out.is_terminal() {
            return Err(Failure::trouble("a packed archive is not for the screen")
                .hint("name a file with -o, or pipe it into a program"));
        }
        let failed = Failure::Output;
        return pack(args, BufWriter::new(out.lock()), &failed);
    };
    let failed =
        |error: io::Error| Failure::trouble(format!("{} cannot be written: {}", name(output), store::bare(error)));
    if args.append {
        return append(args, output, &failed);
    }
    let mut file = store::NewFile::begin(output).map_err(|error| Failure::trouble(error.to_string()))?;
    let code = pack(args, BufWriter::new(&mut file), &failed)?;
    match file.create() {
        Err(error @ store::FileError::Exists { .. }) => {
            Err(Failure::trouble(error.to_string()).hint("--append adds to it; another name with -o leaves it alone"))
        }
        done => input::written(done).map(|_| code),
    }
}

/// How long an archive is waited for that another program is adding to.
const WAIT: Duration = Duration::from_secs(120);

/// Adds to an archive. What is there stays: the new frames come after it, or the file keeps its length. One program adds at a time, and
/// behind whole frames only: what stands behind a frame that an interrupted run left unfinished could be read by nobody.
fn append(args: &Args, output: &Path, failed: &dyn Fn(io::Error) -> Failure) -> Result<ExitCode, Failure> {
    let _lock = store::RecordLock::take_within(output, WAIT).map_err(|error| Failure::writing(&error))?;
    let mut file = OpenOptions::new().read(true).append(true).open(output).map_err(failed)?;
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
    let before = file.metadata().map_err(failed)?.len();
    let done = pack(args, BufWriter::new(&file), failed).and_then(|code| {
        file.sync_all().map_err(failed)?;
        Ok(code)
    });
    if done.is_err() {
        file.set_len(before).map_err(failed)?;
    }
    done
}

fn pack<W: Write>(args: &Args, to: W, failed: &dyn Fn(io::Error) -> Failure) -> Result<ExitCode, Failure> {
    let mut packer = Packer::new(to);
    let mut worst = 0;
    let (streams, paths): (Vec<&PathBuf>, Vec<&PathBuf>) = args.paths.iter().partition(|path| input::is_stdin(path));
    for path in streams {
        let mut stream = packed::open(path)?;
        loop {
            let chunk = match packed::next_chunk(&mut stream, path)? {
                Next::Chunk(chunk) => chunk,
                Next::Missing(_) => {
                    worst = hints::TROUBLE;
                    continue;
                }
                Next::End => break,
            };
            for line in chunk.lines.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
                match Line::read(line) {
                    Ok(_) => packer.add_line(line).map_err(failed)?,
                    Err(why) => {
                        errln!("error: a line is left out: {why}");
                        worst = hints::TROUBLE;
                    }
                }
            }
            if chunk.too_long {
                errln!("error: a line is left out: {}", archive::lines::too_long());
                worst = hints::TROUBLE;
            }
        }
    }
    let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
    for found in archive::find(&paths) {
        let (path, read) = match found {
            Found::Record(path) => {
                let read = read(&path);
                (path, read)
            }
            Found::Unreadable(path, error) => (path, Err(error)),
            Found::NoRecord(path) => (path, Err(io::Error::other("no record (*.pbem) in this folder"))),
        };
        match read {
            Ok(bytes) => packer.add(&path_bytes(&path), &bytes).map_err(failed)?,
            Err(error) => {
                errln!("error: {} is left out: {error}", name(&path));
                worst = hints::TROUBLE;
            }
        }
    }
    packer.finish().map_err(failed)?;
    Ok(ExitCode::from(worst))
}

/// Reads a record's file; one that is larger than any record is left out of the archive.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    store::open(path)?.take(RECORD_LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > RECORD_LIMIT {
        return Err(io::Error::other("it is over 16 MiB"));
    }
    Ok(bytes)
}

pub(super) fn unpack(args: &UnpackArgs) -> Result<ExitCode, Failure> {
    let mut worst = 0;
    let mut tell = |(code, text): (u8, String)| {
        worst = worst.max(code);
        print(text)
    };
    let files = Mutex::new(store::NewFiles::default());
    let one = |line: Result<&[u8], String>| {
        let line = match line.and_then(Line::read) {
            Ok(line) => line,
            Err(why) => {
                errln!("error: a line cannot be unpacked: {why}");
                return (hints::TROUBLE, String::new());
            }
        };
        let path = crate::git::os_string(line.path_bytes().to_vec());
        let path = Path::new(&path);
        if args.list {
            return (0, format!("{}\n", name(path)));
        }
        let put = match files.lock() {
            Ok(mut files) => put(&mut files, &args.output, path, &line.record),
            Err(_) => Err(io::Error::other("another thread has stopped")),
        };
        match put {
            Ok(Put::Written) => (0, format!("{}\n", name(&args.output.join(path)))),
            Ok(Put::Same) => (0, String::new()),
            Ok(Put::Another) => {
                errln!("{}: another file is there; it stays as it is", name(&args.output.join(path)));
                (hints::REFUSED, String::new())
            }
            Ok(Put::LeadsOut) => {
                errln!("{}: refused: the path is not inside the folder", name(path));
                (hints::REFUSED, String::new())
            }
            Err(error) => {
                errln!("error: {}: {error}", name(&args.output.join(path)));
                (hints::TROUBLE, String::new())
            }
        }
    };
    let judged = packed::open(&args.file).and_then(|stream| packed::judge(&args.file, stream, false, one, &mut tell));
    // What is there is made to last even if there was trouble with the rest.
    let flushed = files.into_inner().map_or(Ok(()), store::NewFiles::finish);
    judged?;
    input::written(flushed)?;
    Ok(ExitCode::from(worst))
}

enum Put {
    Written,
    Same,
    Another,
    LeadsOut,
}

/// Places a record below a folder. The path comes from the archive, which a stranger may have made: only plain names
/// are followed, no links, and no existing file is overwritten.
fn put(files: &mut store::NewFiles, folder: &Path, path: &Path, record: &[u8]) -> io::Result<Put> {
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
    if let Ok(there) = fs::symlink_metadata(&at) {
        let same = there.is_file() && there.len() == record.len() as u64 && fs::read(&at)? == record;
        return Ok(if same { Put::Same } else { Put::Another });
    }
    match files.create(&at, record) {
        Ok(()) => Ok(Put::Written),
        Err(store::FileError::Exists { .. }) => Ok(Put::Another),
        Err(store::FileError::Io { source, .. }) => Err(source),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}
