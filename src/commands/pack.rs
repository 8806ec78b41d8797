//! `postrider archive pack` and `postrider archive unpack`.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use crate::cli::progress;
use crate::cli::progress::Progress;
use crate::cli::{input, packed};
use postrider_archive::packing::{PackError, PackEvent, Packed, append, pack, pack_in_parts};
use postrider_archive::unpacking::{UnpackEvent, unpack as unpacked};
use postrider_disk::disk::FileError;
use postrider_kernel::text::{entries, printable};

/// Pack many records into one compressed file
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/pack.txt"))]
pub(crate) struct Args {
    /// Folders, records or games' ids, and archives; `-` for an archive on standard input
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The packed file; standard output by default, or for `-`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add to an existing packed file
    #[arg(long, requires = "output")]
    append: bool,
    /// With --append: add only new games, and newer versions of games that the file has
    #[arg(long, requires = "append")]
    update: bool,
    /// Include practice games against the machine
    #[arg(long)]
    practice: bool,
    /// Write N packed files of about the same size (`games-1.jsonl.zst` …), for engines that read one file per task
    #[arg(long, value_name = "N", requires = "output", conflicts_with = "append", value_parser = clap::value_parser!(u16).range(2..=999))]
    split: Option<u16>,
}

/// Unpack packed records into files
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/unpack.txt"))]
pub(crate) struct UnpackArgs {
    /// The packed file, or plain lines of JSON; `-` for standard input
    file: PathBuf,
    /// The folder to extract to
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,
    /// Print the paths only
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    progress::take_back_at_the_end();
    let (mut worst, mut practice, mut progress) = (0, 0, None);
    let mut tell = |event: PackEvent<'_>| tell(event, &mut worst, &mut practice, &mut progress, args);
    let what = Packed { paths: &args.paths, practice: args.practice };
    let output = args.output.as_deref().filter(|output| !input::is_stdin(output));
    let failed = |error| failure(error, output);
    let exists = |error: &FileError| {
        Failure::trouble(error.to_string()).hint("--append adds to it; another name with -o leaves it alone")
    };
    let finish = |file: postrider_disk::files::NewFile| match file.create() {
        Err(error @ FileError::Exists { .. }) => Err(exists(&error)),
        done => input::written(done).map(drop),
    };
    match (output, args.split) {
        (None, _) => {
            let out = io::stdout();
            if out.is_terminal() {
                return Err(Failure::trouble("a packed archive is not for the screen")
                    .hint("name a file with -o, or pipe it into a program"));
            }
            pack(out.lock(), what, &mut tell).map_err(failed)?;
        }
        (Some(output), _) if args.append => {
            if output.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                return Err(Failure::trouble(format!("there is no archive {} to add to", name(output)))
                    .hint("`postrider archive pack` without --append makes it"));
            }
            let done = append(output, what, args.update, &mut tell).map_err(failed)?;
            input::written(done)?;
        }
        (Some(output), Some(parts)) => {
            let files = pack_in_parts(output, parts, what, &mut tell).map_err(failed)?;
            if let Some((path, _)) = files.iter().find(|(path, _)| fs::symlink_metadata(path).is_ok()) {
                return Err(exists(&FileError::Exists { path: path.clone() }));
            }
            let names: Vec<String> = files.iter().map(|(path, _)| format!("{}\n", name(path))).collect();
            files.into_iter().try_for_each(|(_, file)| finish(file))?;
            print(names.concat())?;
        }
        (Some(output), None) => {
            let mut file = postrider_disk::files::NewFile::begin(output)?;
            let count = pack(&mut file, what, &mut tell).map_err(failed)?;
            // An empty archive would only be in the way of the next run.
            if count == 0 && worst != 0 {
                return Err(Failure::trouble(format!("nothing could be packed, so {} is not written", name(output))));
            }
            finish(file)?;
        }
    }
    packed::tell_practice(practice);
    Ok(ExitCode::from(worst))
}

/// Shows what happens while records are packed.
fn tell(
    event: PackEvent<'_>,
    worst: &mut u8,
    practice: &mut u32,
    progress: &mut Option<Progress>,
    args: &Args,
) -> Result<(), Failure> {
    match event {
        PackEvent::Begins(records) => *progress = Some(Progress::of(records)),
        PackEvent::Looked => {
            let done = progress.as_mut().map_or(Ok(()), |progress| progress.more(1));
            return done.map_err(|failure| match failure {
                Failure::Stopped(code, _) => Failure::Stopped(code, "stopped: nothing was packed".to_owned()),
                other => other,
            });
        }
        PackEvent::Practice => *practice += 1,
        PackEvent::Missing(path, what) => {
            *worst = hints::TROUBLE;
            errln!("error: {}: {what}", name(path));
        }
        PackEvent::LeftOut(path, why) => {
            *worst = hints::TROUBLE;
            match path {
                Some(path) => errln!("error: {} is left out: {why}", name(path)),
                None => errln!("error: a line is left out: {why}"),
            }
        }
        PackEvent::Older(path, count) => {
            let (path, count) = (String::from_utf8_lossy(path), entries(count));
            errln!("{}: left out: the archive holds a version with more entries, {count}", printable(&path));
        }
        PackEvent::Shortened(left_out) => {
            errln!("note: paths are stored without `{}` at their beginning", name(left_out));
        }
        PackEvent::Cut(bytes) => {
            let shown = args.output.as_deref().map(name).unwrap_or_default();
            errln!(
                "warning: {shown} ended within a frame that an interrupted run left; its {bytes} bytes, which hold no whole line, are removed"
            );
        }
    }
    Ok(())
}

/// Says why nothing was packed into this file.
fn failure(error: PackError<Failure>, output: Option<&Path>) -> Failure {
    let shown = output.map(name).unwrap_or_default();
    match (error, output) {
        (PackError::Ended(failure), _) => failure,
        (PackError::Write(error), None) => Failure::Output(error),
        (PackError::Write(error), Some(_)) => {
            Failure::trouble(format!("{shown} cannot be written: {}", postrider_disk::files::bare(error)))
        }
        (PackError::File(error), _) => Failure::writing(&error),
        (PackError::Read(path, error), _) => Failure::reading(&path, &error),
        (PackError::Damaged(None), _) => Failure::trouble(format!("{shown} is damaged, so nothing is added to it")),
        (PackError::Damaged(Some(at)), _) => {
            Failure::trouble(format!("{shown} is damaged at byte {at}, so nothing is added to it")).hint(format!(
                "`postrider archive unpack {} -o FOLDER` saves what can be read, and `postrider archive pack FOLDER -o FILE` makes a sound archive of it",
                output.map(hints::shell).unwrap_or_default()
            ))
        }
        (PackError::NoArchive, _) => {
            Failure::trouble(format!("{shown} is no packed archive, so nothing is added to it"))
                .hint("name one that `postrider archive pack` made")
        }
    }
}

/// Why unpacking ended.
enum End {
    Reading(io::Error),
    Failed(Failure),
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Self::Reading(error)
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

pub(crate) fn unpack(args: &UnpackArgs) -> Result<ExitCode, Failure> {
    progress::take_back_at_the_end();
    let (mut worst, mut told, mut progress) = (0, String::new(), Progress::of(None));
    let folder = (!args.list).then_some(args.output.as_path());
    let done = unpacked(&args.file, folder, &mut |event| {
        match event {
            UnpackEvent::Read => progress.more(1)?,
            UnpackEvent::Rests => progress.aside(|| print(std::mem::take(&mut told)))?,
            UnpackEvent::Path(path) | UnpackEvent::Written(path) => told.push_str(&format!("{}\n", name(path))),
            UnpackEvent::LeadsOut(path) => {
                errln!("{}: refused: the path is not inside the folder", name(path));
                worst = worst.max(hints::REFUSED);
            }
            UnpackEvent::Failed(path, error) => {
                errln!("error: {}: {error}", name(path));
                worst = worst.max(hints::TROUBLE);
            }
            UnpackEvent::Unread(why) => {
                errln!("error: a line cannot be unpacked: {why}");
                worst = worst.max(hints::TROUBLE);
            }
            UnpackEvent::Missing(what) => {
                errln!("error: {}: {what}", name(&args.file));
                worst = hints::TROUBLE;
            }
            UnpackEvent::Another(path) => {
                errln!("{}: another file is there; it stays as it is", name(path));
                worst = worst.max(hints::REFUSED);
            }
        }
        Ok::<(), End>(())
    });
    let flushed = done.map_err(|end| match end {
        End::Reading(error) => Failure::reading(&args.file, &error),
        End::Failed(failure) => failure,
    })?;
    input::written(flushed)?;
    Ok(ExitCode::from(worst))
}
