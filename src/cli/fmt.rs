//! `postrider fmt`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{self, Failure, name};
use super::{input, print};
use crate::store::RecordLock;
use crate::verdict;

/// Rewrite legal records in canonical form
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider fmt game.pbem             rewrite the file
  postrider fmt --check games/*.pbem  only name the files that are not canonical; exit code 1 if any
  postrider fmt --faces game.pbem     also note what each throw shows, below its opening
  postrider fmt - < game.pbem         standard input to standard output")]
pub(super) struct Args {
    /// The records; `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Change nothing; name the files that are not canonical
    #[arg(long)]
    check: bool,
    /// Write the faces of each throw as a remark, `# throw roll.1: d12 11, d12 12`, below the entry that opens it
    #[arg(long)]
    faces: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut worst = 0;
    for file in &args.files {
        let origin = name(file);
        let canonical = |source: &[u8]| {
            let written = if args.faces { verdict::faces::with_faces(source) } else { verdict::format(source) };
            written.map_err(|verdict| Failure::verdict(source, &origin, &verdict, false))
        };
        let done = if args.check || input::is_stdin(file) {
            input::record(file).and_then(|source| {
                let text = canonical(&source)?;
                if !args.check {
                    print(String::from_utf8_lossy(&text))?;
                } else if text != source {
                    print(format!("{origin}: not canonical\n"))?;
                    worst = worst.max(hints::REFUSED);
                }
                Ok(())
            })
        } else {
            RecordLock::take(file).map_err(|error| Failure::writing(&error)).and_then(|mut lock| {
                let source = lock.read().map_err(|error| Failure::writing(&error))?;
                let text = canonical(&source)?;
                if text == source { Ok(()) } else { input::written(lock.replace(&source, &text)).map(|_| ()) }
            })
        };
        if let Err(failure) = done {
            if matches!(failure, Failure::Output(_)) || args.files.len() == 1 {
                return Err(failure);
            }
            err!("{failure}");
            worst = worst.max(if matches!(failure, Failure::Refused(_)) { hints::REFUSED } else { hints::TROUBLE });
        }
    }
    Ok(ExitCode::from(worst))
}
