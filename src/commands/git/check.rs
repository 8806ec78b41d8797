//! `postrider git check`.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use serde::Serialize;

use super::here;
use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::out::{io_print, print};
use postrider_git::{CheckError, CheckEvent, CheckOptions, Checked, Finding, Repository, Why, check, short, shown};
use postrider_kernel::text::{entries, printable};
use postrider_referee::verdict::Ruling;

/// How many bytes of findings are printed at once.
const FULL: usize = 32 * 1024;

/// Check that every record staged or changed by commits is legal and continues what was there
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/git-check.txt"))]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(super) struct Args {
    /// What the next commit would do
    #[arg(long, group = "what")]
    staged: bool,
    /// The commits of a range, or all those that lead up to a revision
    #[arg(value_name = "OLD..NEW", group = "what")]
    range: Option<OsString>,
    /// Read what a push brings from standard input, as git hands it to `pre-receive`
    #[arg(long, group = "what")]
    stdin: bool,
    /// Read it as git hands it to `pre-push`, for a push to this remote
    #[arg(long, value_name = "REMOTE", requires = "stdin")]
    to: Option<String>,
    /// Allow records to be removed
    #[arg(long)]
    allow_removal: bool,
    /// Print one JSON object per record
    #[arg(long)]
    json: bool,
    /// Also print the records that pass
    #[arg(short, long, conflicts_with = "json")]
    verbose: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let repository = here();
    repository.check_version()?;
    let mut stdin = io::stdin().lock();
    let what = match (&args.range, &args.to) {
        _ if args.staged => Checked::Staged,
        (Some(range), _) => Checked::Range(range),
        (None, Some(remote)) => Checked::Pushed(remote, &mut stdin),
        (None, None) => Checked::Received(&mut stdin),
    };
    let options = CheckOptions { allow_removal: args.allow_removal, passing: args.verbose || args.json };
    // One line at a time would be a system call each.
    let (mut worst, mut pending) = (0, String::new());
    let done = check(&repository, what, options, &mut |event| {
        match event {
            CheckEvent::Shallow(commit) => {
                super::tell_shallow(&commit);
                worst = worst.max(hints::TROUBLE);
            }
            CheckEvent::Found(finding) => {
                worst = worst.max(code(&finding));
                pending.push_str(&if args.json { as_json(&finding) } else { in_words(&finding) });
            }
        }
        if pending.len() > FULL { io_print(&std::mem::take(&mut pending)) } else { Ok(()) }
    });
    // What is left is printed however the check ended.
    print(pending)?;
    done?;
    if worst == hints::REFUSED && args.staged && !args.json {
        errln!("hint: {}; `git commit --no-verify` commits anyway", way_back(&repository)?);
    }
    Ok(ExitCode::from(worst))
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        let failure = Failure::trouble(error.to_string());
        match error {
            CheckError::Git(error) => error.into(),
            CheckError::Told(error) => Failure::Output(error),
            CheckError::NoRange(_) => {
                failure.hint("a range is written OLD..NEW, as in `postrider git check origin/main..HEAD`")
            }
            CheckError::NoCommit(_) => {
                failure.hint("`git log --oneline --all` lists the commits; a shallow clone lacks the older ones")
            }
            CheckError::Line { hook, .. } => failure.hint(format!("git writes such lines to the hook `{hook}`")),
            CheckError::NotFetched(_) => failure.hint("`git fetch`, then `git merge` what is there"),
            CheckError::NoObjects(_) | CheckError::Input(_) => failure,
        }
    }
}

/// What to type to bring back a record that the next commit would lose.
fn way_back(repository: &Repository) -> Result<&'static str, Failure> {
    Ok(if repository.merging()?.is_empty() {
        "`git restore --staged --worktree -- FILE` brings the committed record back"
    } else {
        "`git checkout HEAD -- FILE` or `git checkout MERGE_HEAD -- FILE` takes the record of one side, and \
         `git show MERGE_HEAD:FILE > OTHER.pbem` puts a second game under a name of its own"
    })
}

/// The exit code for a finding.
fn code(finding: &Finding) -> u8 {
    match (finding.refused, finding.ruling) {
        (_, Some(Ruling::Unjudged)) => hints::TROUBLE,
        (true, _) => hints::REFUSED,
        (false, _) => 0,
    }
}

fn why(why: &Why) -> String {
    match why {
        Why::Removed { allowed: false, .. } => format!("{why} (--allow-removal, if that is meant)"),
        why => why.to_string(),
    }
}

/// A finding as JSON.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    path: &'a str,
    change: &'static str,
    verdict: Option<&'static str>,
    entries: Option<u32>,
    refused: bool,
    why: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<&'a str>,
}

fn as_json(finding: &Finding) -> String {
    postrider_board::report::line(&Told {
        commit: finding.commit.as_deref(),
        path: &String::from_utf8_lossy(&finding.path),
        change: finding.change.word(),
        verdict: finding.ruling.map(Ruling::word),
        entries: finding.entries,
        refused: finding.refused,
        why: finding.why.iter().map(why).collect(),
        before: finding.before.as_deref(),
        now: finding.now.as_deref(),
    })
}

fn in_words(finding: &Finding) -> String {
    let path = shown(&finding.path);
    let place = match &finding.commit {
        Some(commit) => format!("{}: {path}", short(commit)),
        None => path,
    };
    let word = if finding.refused { "refused" } else { finding.change.word() };
    let whys: Vec<String> = finding.why.iter().map(why).collect();
    let mut text = match (whys.as_slice(), finding.refused) {
        ([], _) => {
            let state = finding.ruling.zip(finding.entries);
            let state = state.map(|(ruling, count)| format!("{}, {}", ruling.word(), entries(count)));
            format!("{place}: {word}: {}\n", state.unwrap_or_default())
        }
        (whys, true) => whys.iter().map(|why| format!("{place}: {word}: {}\n", printable(why))).collect(),
        (whys, false) => format!("{place}: {word}: {}\n", printable(&whys.join("; "))),
    };
    let line = |text: &str| if text.is_empty() { "(nothing)".to_owned() } else { printable(text).into_owned() };
    if let Some(before) = &finding.before {
        let now = finding.now.as_deref().unwrap_or_default();
        text.push_str(&format!("  before: {}\n  now:    {}\n", line(before), line(now)));
    }
    text
}
