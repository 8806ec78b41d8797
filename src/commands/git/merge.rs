//! `postrider git merge`: the merge driver.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name, shell};
use crate::cli::home::office;
use postrider_git::Repository;
use postrider_home::evidence;
use postrider_home::receive::decision::parted_in_words;
use postrider_kernel::text::printable;
use postrider_referee::desk::merge::{Conflict, Merged, merge};
use postrider_referee::record::RECORD_LIMIT;
use postrider_referee::verdict::{Opened, Relation, Verdict};

/// Merge two copies of a record, as git's merge driver
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/git-merge.txt"))]
pub(super) struct Args {
    /// The common ancestor (%O); an empty file if there is none
    base: PathBuf,
    /// The copy here (%A), which is written
    ours: PathBuf,
    /// The other copy (%B)
    theirs: PathBuf,
    /// The name of the record in the repository (%P)
    #[arg(allow_hyphen_values = true)]
    path: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let read = |path: &Path| fs::read(path).map_err(|error| Failure::reading(path, &error));
    let (base, ours, theirs) = (read(&args.base)?, read(&args.ours)?, read(&args.theirs)?);
    let path = args.path.as_deref().unwrap_or(&args.ours);
    let shown = name(path);
    match merge(Some(&base), &ours, &theirs) {
        Merged::Ours => Ok(ExitCode::SUCCESS),
        Merged::Record(record) => {
            write(&args.ours, &record).map_err(|error| Failure::writing_plain(&args.ours, &error))?;
            Ok(ExitCode::SUCCESS)
        }
        Merged::Conflict(conflict) => {
            err!("{}", in_words(&shown, &conflict, &ours, &theirs));
            if let Ok(id) = Opened::new(&ours).map(|opened| opened.header.id.to_string())
                && ours.len().max(theirs.len()) <= RECORD_LIMIT
                && let Err(failure) = keep_evidence(&id, [("here", &ours), ("theirs", &theirs)])
            {
                err!("{failure}");
            }
            errln!("{shown}: yours is kept as it was; {}", advice(path, &conflict));
            Ok(ExitCode::from(hints::REFUSED))
        }
    }
}

fn keep_evidence(id: &str, copies: [(&str, &[u8]); 2]) -> Result<(), Failure> {
    Ok(evidence::keep(&*office()?, id, copies, false)?)
}

/// What to type to settle a conflict.
fn advice(path: &Path, conflict: &Conflict) -> String {
    // A name that git would read as a pattern is marked as none.
    let git = if is_pattern(path) { "git --literal-pathspecs" } else { "git" };
    let file = shell(path);
    let keep = format!("`{git} add -- {file}` keeps it");
    match conflict {
        Conflict::Parted(Relation::OtherGame { .. }) => {
            let mut stage = OsString::from(":3:");
            stage.push(path);
            let stage = shell(Path::new(&stage));
            format!(
                "both games stay if the other one gets a name of its own: `git show {stage} > OTHER.pbem && git add -- OTHER.pbem`, then {keep}"
            )
        }
        _ if Repository::is_within_merge() => {
            format!("{keep}, `{git} checkout --theirs -- {file} && {git} add -- {file}` takes the other one")
        }
        // Whatever else puts a commit onto another would rewrite the record there.
        _ => format!("{keep}; only a merge (`git merge`) can take the other one"),
    }
}

/// Whether git takes a path for a pattern of paths.
fn is_pattern(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.starts_with(':') || text.contains(['*', '?', '[', '\\'])
}

/// Replaces the file that git passes in. It is git's own temporary file, so only its content matters; it is still
/// written to a second file first, so that a full disk does not leave half a record.
fn write(path: &Path, record: &[u8]) -> std::io::Result<()> {
    let old = fs::read(path)?;
    postrider_disk::files::replace(path, &old, record).map_err(|error| std::io::Error::other(error.to_string()))
}

fn in_words(path: &str, conflict: &Conflict, ours: &[u8], theirs: &[u8]) -> String {
    let judged = |which: &str, source: &[u8], verdict: &Verdict| {
        let report = hints::report(source, path, verdict, false);
        format!("{path}: conflict: {which} is {}\n{report}", verdict.ruling.word())
    };
    match conflict {
        Conflict::Ours(verdict) => judged("the record here", ours, verdict),
        Conflict::Theirs(verdict) => judged("the other record", theirs, verdict),
        Conflict::Parted(relation) => {
            let Some((why, difference)) = parted_in_words(relation) else { return String::new() };
            let mut text = format!("{path}: conflict: {}\n", printable(&why));
            if let Some(difference) = difference {
                let line = |text: &str| match text {
                    "" => "(nothing)".to_owned(),
                    text => printable(text).into_owned(),
                };
                let (here, there) = (line(&difference.here), line(&difference.there));
                text.push_str(&format!("  here:  {here}\n  there: {there}\n"));
            }
            text
        }
    }
}
