//! `postrider archive fmt`.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use crate::cli::{input, invited};
use postrider_referee::verdict::{Canonical, Unwritten, Verdict};

/// Rewrite legal records in canonical form
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/fmt.txt"))]
pub(crate) struct Args {
    /// The records; `-` for standard input
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; name the files that are not canonical
    #[arg(long)]
    check: bool,
    /// Write the faces of each throw as a remark, `# throw roll.1: d12 11, d12 12`, below the entry that opens it
    #[arg(long)]
    faces: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut worst = 0;
    for file in &args.files {
        let done = if args.check || input::is_stdin(file) { show(args, file) } else { rewrite(args, file).map(|()| 0) };
        match done {
            Ok(code) => worst = worst.max(code),
            Err(failure) if matches!(failure, Failure::Output(_)) || args.files.len() == 1 => return Err(failure),
            Err(failure) => {
                err!("{failure}");
                worst = worst.max(if matches!(failure, Failure::Refused(_)) { hints::REFUSED } else { hints::TROUBLE });
            }
        }
    }
    Ok(ExitCode::from(worst))
}

/// The canonical form that is asked for.
fn form<'a>(args: &Args, file: &Path, source: &'a [u8]) -> Result<Canonical<'a>, Failure> {
    let form = if args.faces { Canonical::with_faces(source) } else { Canonical::of(source) };
    form.map_err(|verdict| refused(file, source, &verdict))
}

fn refused(file: &Path, source: &[u8], verdict: &Verdict) -> Failure {
    Failure::verdict(source, &name(file), verdict, false)
}

/// The failure if the form could not be made.
fn failed(file: &Path, source: &[u8], unwritten: &Unwritten) -> Failure {
    match unwritten {
        Unwritten::Illegal(verdict) => refused(file, source, verdict),
        Unwritten::TooLong | Unwritten::Refused => Failure::trouble(format!("{} was not written", name(file))),
    }
}

/// Prints the form of a record, or names the record if it is not in it; returns the exit code.
fn show(args: &Args, file: &Path) -> Result<u8, Failure> {
    let source = input::record(file)?;
    let form = form(args, file, &source)?;
    if !args.check {
        let text = form.bytes().map_err(|verdict| refused(file, &source, &verdict))?;
        print(String::from_utf8_lossy(&text))?;
        return Ok(0);
    }
    let is_wrong = || Ok(form.differs()? && form.fits()?);
    if is_wrong().map_err(|unwritten| failed(file, &source, &unwritten))? {
        print(format!("{}: not canonical\n", name(file)))?;
        return Ok(hints::REFUSED);
    }
    Ok(0)
}

/// Rewrites a record if it is not in the form, which goes to the disk piece by piece.
fn rewrite(args: &Args, file: &Path) -> Result<(), Failure> {
    let mut lock = invited::lock(file)?;
    let source = lock.read()?;
    let form = form(args, file, &source)?;
    if !form.differs().map_err(|unwritten| failed(file, &source, &unwritten))? {
        return Ok(());
    }
    let unwritten = RefCell::new(None);
    let done = lock.replace_by(&source, &|out| {
        let mut out = Pieces { out: BufWriter::new(out), failed: None };
        match form.write(&mut out) {
            Ok(()) => out.out.flush(),
            Err(Unwritten::Refused) => Err(out.failed.take().unwrap_or_else(|| io::ErrorKind::WriteZero.into())),
            Err(other) => {
                *unwritten.borrow_mut() = Some(other);
                Err(io::ErrorKind::Other.into())
            }
        }
    });
    match unwritten.into_inner() {
        None => input::written(done).map(|_| ()),
        Some(Unwritten::TooLong) => Ok(()),
        Some(unwritten) => Err(failed(file, &source, &unwritten)),
    }
}

/// Text on its way to a file.
struct Pieces<'a> {
    out: BufWriter<&'a mut dyn Write>,
    failed: Option<io::Error>,
}

impl fmt::Write for Pieces<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.failed = Some(error);
            fmt::Error
        })
    }
}
