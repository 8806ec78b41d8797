//! `postrider git setup`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name, shell};
use crate::cli::out::print;
use postrider_archive::paths::os_string;
use postrider_git::{Overruled, Repository, Setup, SetupError, shown};

/// Prepare a repository for games: attributes, merge and diff drivers, hooks
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/git-setup.txt"))]
pub(super) struct Args {
    /// A folder in the repository
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Have `git diff` show each changed record's board, before and after
    #[arg(long, conflicts_with = "remove")]
    boards: bool,
    /// Change nothing; show what is missing
    #[arg(long, conflicts_with = "remove")]
    check: bool,
    /// Remove everything again
    #[arg(long)]
    remove: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let repository = Repository::at(&args.folder);
    let program = std::env::current_exe()
        .map_err(|error| Failure::trouble(format!("this program cannot tell where it is: {error}")))?;
    // What was enabled stays enabled until it is removed.
    let boards = args.boards || (!args.remove && repository.config("diff.pbem.textconv")?.is_some());
    let setup = Setup { program, boards, remove: args.remove };
    let planned = setup.plan(&repository).map_err(failed)?;
    let missing = planned.takes_boards() || planned.pieces.iter().any(|piece| !piece.stands());
    let mut text = String::new();
    if let Some(folder) = planned.shared_hooks.as_deref().filter(|_| missing || args.check) {
        text.push_str(&format!("hooks are in {}, which core.hooksPath names\n", name(folder)));
    }
    for piece in planned.pieces.iter().filter(|piece| args.check || !piece.stands()) {
        let word = match (args.check, args.remove, piece.stands()) {
            (true, _, true) => "there",
            (true, _, false) => "missing",
            (false, true, _) => "taken away",
            (false, false, _) => "written",
        };
        text.push_str(&format!("{word}: {} ({})\n", piece.what, name(&piece.file)));
    }
    if planned.takes_boards() {
        text.push_str("taken away: the boards that `git diff` had drawn\n");
    }
    if args.check {
        // What is not written yet has no effect either.
        let overruled = if missing { String::new() } else { in_words(&planned.overruled) };
        let wanting = missing || !overruled.is_empty();
        print(text + &overruled)?;
        return Ok(ExitCode::from(if wanting { hints::REFUSED } else { 0 }));
    }
    planned.apply().map_err(failed)?;
    let overruled = if args.remove { String::new() } else { in_words(&setup.overruled(&repository)?) };
    if !missing {
        text.push_str(match args.remove {
            true => "nothing of postrider's is set up here\n",
            false => "everything is already in place: nothing changed\n",
        });
    }
    if missing && !args.remove {
        text.push_str("commit .gitattributes, and every clone needs only `postrider git setup` once\n");
    }
    print(text + &overruled)?;
    Ok(ExitCode::from(if overruled.is_empty() { 0 } else { hints::REFUSED }))
}

/// How many overruled attributes are named.
const NAMED: usize = 5;

/// What has no effect, and how to find out why.
fn in_words(overruled: &[Overruled]) -> String {
    let mut text = String::new();
    for one in overruled.iter().take(NAMED) {
        let (name, found, wanted) = (&one.name, shown(one.found.as_bytes()), shown(one.wanted.as_bytes()));
        text.push_str(&match &one.path {
            Some(path) => {
                let asked = shell(Path::new(&os_string(path.clone())));
                format!(
                    "overruled: {} has {name}={found}, not {name}={wanted}: a line in another file of attributes says so \
                     (`git check-attr -a -- {asked}`; a .gitattributes further down, or .git/info/attributes)\n",
                    shown(path)
                )
            }
            None => format!(
                "overruled: {name} is `{found}`, not `{wanted}` (`git config --show-origin --get-all {name}` says where)\n"
            ),
        });
    }
    if overruled.len() > NAMED {
        text.push_str(&format!("overruled: {} more\n", overruled.len() - NAMED));
    }
    text
}

fn failed(error: SetupError) -> Failure {
    match error {
        SetupError::Git(error) => error.into(),
        other => Failure::trouble(format!("{other}: nothing was changed")),
    }
}
