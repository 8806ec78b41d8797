//! Playing through a repository that both players share: a record is committed and pushed, and what the other branches
//! contain is joined to the player's own branch after it was received.

use std::path::{Path, PathBuf};

pub(crate) use crate::cli::hints::{Failure, arg, name};
use crate::commands::receive;
use postrider_disk::files::read_record;
use postrider_git::{
    Author, Blob, Change, FileKind, GitError, Objects, Push, Repository, Upstream, below, is_plain, is_record, shown,
};
use postrider_home::invite::kept::{Answered, Invitations};
use postrider_home::overview::shelf::Shelf;
use postrider_home::receive::decision::parted_in_words;
use postrider_home::settings::{GitSettings, MailSettings, Settings};
use postrider_referee::verdict::{Opened, Relation, compare};

/// How often a push is repeated because someone else was faster.
const TRIES: usize = 8;
/// The most records of a branch that are read.
pub(crate) const MOST_RECORDS: usize = 20_000;

/// The result of joining what was fetched to the player's branch.
pub(crate) enum Joined {
    /// There was nothing new.
    Nothing,
    /// The branch now contains it.
    Done,
    /// It was not joined, and why; `foreign`: because of a file that is not a record, which only the player can merge.
    Not { why: String, foreign: bool },
}

impl Joined {
    fn not(why: impl Into<String>) -> Self {
        Joined::Not { why: why.into(), foreign: false }
    }
}

/// Commits a record with the message of its newest entry, and pushes it; if someone else was faster, that is received
/// first. Returns where it went.
///
/// # Errors
/// Why it is not there. The record is safe, and may have been committed.
pub(crate) fn send(file: &Path, git: &GitSettings, message: &str, author: Author<'_>) -> Result<String, Failure> {
    // A link to a record means the record itself.
    let path = dunce::canonicalize(file).map_err(|error| Failure::reading(file, &error))?;
    let (Some(folder), Some(file_name)) = (path.parent(), path.file_name()) else {
        return Err(Failure::trouble(format!("{} is not a file", name(file))));
    };
    let repository = Repository::alone(folder);
    repository.check_version()?;
    let upstream = repository.upstream(git.remote.as_deref())?;
    repository.commit_file(file_name, message, author)?;
    for _ in 0..TRIES {
        match repository.push(&upstream)? {
            Push::Done => return Ok(upstream.shown()),
            Push::Refused(why) => {
                return Err(Failure::trouble(format!("{} rejected the push: {why}", upstream.remote)));
            }
            Push::Raced => {
                errln!("{} has moved on: receiving from it first", upstream.shown());
                let joined = receive::shared(&upstream.remote, &repository.top()?)?;
                if !holds(&repository, &upstream)? {
                    return Err(not_joined(&upstream, joined));
                }
            }
        }
    }
    Err(Failure::trouble(format!("others were faster {TRIES} times: nothing was pushed")))
}

/// Why nothing was pushed: something on the remote branch was not joined.
fn not_joined(upstream: &Upstream, joined: Joined) -> Failure {
    let (place, branch) = (upstream.shown(), arg(&upstream.shown()));
    match joined {
        Joined::Not { why, foreign: true } => Failure::trouble(format!("nothing was pushed: {place} has {why}"))
            .hint(format!("`git diff HEAD...{branch}` shows it, `git merge {branch}` takes it if it is harmless")),
        Joined::Not { why, .. } => {
            Failure::trouble(format!("{place} has something that was not accepted here, so nothing was pushed: {why}"))
                .hint(format!("`git log -p HEAD..{branch}` shows it; settle with your opponent which record is true"))
        }
        _ => Failure::trouble(format!("{place} has something that was not accepted here, so nothing was pushed"))
            .hint(format!("`git log -p HEAD..{branch}` shows it; settle with your opponent which record is true")),
    }
}

/// Returns whether the branch that is checked out contains what was fetched.
fn holds(repository: &Repository, upstream: &Upstream) -> Result<bool, Failure> {
    let theirs = repository.commit_of(&upstream.tracked())?;
    let Some(theirs) = theirs else { return Ok(true) };
    Ok(repository.merge_base("HEAD", &theirs)?.as_ref() == Some(&theirs))
}

/// Joins the branch that was fetched to the one that is checked out, if everything it changed is a record that the one
/// here already contains, or belongs to a game that is waiting for an answer. The work tree is not touched: its records
/// already go as far, or further.
///
/// # Errors
/// If git, or something that decides this, cannot be read.
pub(crate) fn join(
    repository: &Repository,
    top: &Path,
    upstream: &Upstream,
    settings: &Settings,
) -> Result<Joined, Failure> {
    let commit = |name: &str| repository.commit_of(name);
    let Some(theirs) = commit(&upstream.tracked())? else { return Ok(Joined::Nothing) };
    let ours = commit("HEAD")?;
    let base = match &ours {
        None => None,
        Some(ours) => match repository.merge_base(ours, &theirs)? {
            Some(base) if base == theirs => return Ok(Joined::Nothing),
            Some(base) => Some(base),
            None => return Ok(Joined::not("it has no commit in common with your branch")),
        },
    };
    let empty = repository.empty_tree()?;
    let mut here = Here {
        top,
        shelf: Shelf::of(&settings.games_folder(), &settings.folders),
        invitations: Invitations::new(&settings.folders),
        objects: Objects::of(repository)?,
    };
    let mut hidden = Vec::new();
    for change in repository.changes(base.as_ref().unwrap_or(&empty), &theirs)? {
        match here.fits(&change)? {
            Ok(Fits::Here) => {}
            Ok(Fits::Waits) => hidden.push(change.path),
            Err(_) if !is_record(&change.path) => {
                let why =
                    format!("{}, which is not a record: look at it, and `git merge` it yourself", shown(&change.path));
                return Ok(Joined::Not { why, foreign: true });
            }
            Err(why) => return Ok(Joined::not(format!("{}: {why}", shown(&change.path)))),
        }
    }
    let forward = base == ours;
    let (new, tree) = match (&ours, &base) {
        (Some(ours), Some(base)) if !forward => {
            let joining = repository.joining(base, ours, &theirs)?;
            for path in joining.open()? {
                // Both have changed it: the record here has the entries of both.
                let Ok(record) = read_record(&below(top, &path)) else {
                    return Ok(Joined::not(format!("{}: it was changed here too", shown(&path))));
                };
                joining.settle(&path, &repository.keep(&record)?)?;
            }
            let tree = joining.tree()?;
            let who = Author {
                name: settings.name.as_deref().unwrap_or("postrider"),
                email: settings.email.as_deref().unwrap_or_default(),
            };
            let message = format!("Join {}\n", upstream.shown());
            (repository.commit_tree(&tree, [ours, &theirs], &message, who)?, tree)
        }
        _ => (theirs.clone(), theirs.clone()),
    };
    let changed = repository.changes(ours.as_ref().unwrap_or(&empty), &tree)?;
    let files: Vec<_> = changed.into_iter().map(|change| (change.path, change.new.1)).collect();
    hidden.retain(|path| files.iter().any(|(file, _)| file == path));
    repository.move_to(&upstream.branch, (ours.as_deref(), &new), &files, &hidden)?;
    Ok(Joined::Done)
}

/// How a record on another branch relates to those here.
enum Fits {
    /// The record here contains all of it.
    Here,
    /// Its game is waiting for an answer or was declined, so it is not wanted in the work tree.
    Waits,
}

/// What is here, for comparison with the records on another branch.
struct Here<'a> {
    top: &'a Path,
    shelf: Shelf,
    invitations: Invitations,
    objects: Objects,
}

impl Here<'_> {
    /// How a change fits what is here, or why it does not.
    fn fits(&mut self, change: &Change) -> Result<Result<Fits, String>, Failure> {
        let Change { path, new: (kind, object), .. } = change;
        match kind {
            _ if !is_record(path) => return Ok(Err("it is not a record".into())),
            FileKind::Absent => return Ok(Err("the record was removed there".into())),
            FileKind::Link | FileKind::Submodule => return Ok(Err("it is not a file there".into())),
            FileKind::File => {}
        }
        let record = match self.objects.one(object) {
            Ok(Blob::Bytes(record)) => record,
            Ok(_) => return Ok(Err("it is too large for a record".into())),
            // Left out when it was fetched.
            Err(GitError::Object(_)) => return Ok(Err("it is too large for a record, or damaged".into())),
            Err(error) => return Err(error.into()),
        };
        let Ok(there) = Opened::new(&record) else { return Ok(Err("it is not a record".into())) };
        let id = there.header.id.to_string();
        let (file, fits) = match &self.shelf.find(&id)?[..] {
            [one] => (one.clone(), Fits::Here),
            [] => match self.invitations.standing(&id)? {
                Answered::Waiting => (self.invitations.file(&id)?, Fits::Waits),
                Answered::Declined => return Ok(Ok(Fits::Waits)),
                Answered::Unknown => return Ok(Err("it was not taken".into())),
            },
            [first, second, ..] => {
                return Ok(Err(format!("{} and {} are both records of its game", name(first), name(second))));
            }
        };
        let real = |path: &Path| dunce::canonicalize(path).ok();
        if matches!(fits, Fits::Here) && real(&file) != real(&below(self.top, path)) {
            return Ok(Err(format!("the record of its game is {} here", name(&file))));
        }
        let source = read_record(&file).map_err(|error| Failure::reading(&file, &error))?;
        let Ok(mut here) = Opened::new(&source) else { return Ok(Err(format!("{} is not a record", name(&file)))) };
        Ok(match compare(&mut here, &there) {
            Relation::Same | Relation::Older { .. } => Ok(fits),
            Relation::Newer { first, .. } => Err(format!("its entry {first} was not taken")),
            parted => Err(parted_in_words(&parted).map_or_else(String::new, |(what, _)| what)),
        })
    }
}

/// Where a record that arrived through a repository is in it, if that is a plain path. An accepted game is placed
/// there, so that both players have it in the same place.
pub(crate) fn place(settings: &Settings, id: &str) -> Option<PathBuf> {
    let MailSettings::Git(git) = &settings.mail else { return None };
    let found = Repository::alone(settings.games.clone().unwrap_or_else(|| PathBuf::from(".")));
    let upstream = found.upstream(git.remote.as_deref()).ok()?;
    let top = found.top().ok()?;
    let repository = Repository::alone(&top);
    let mut objects = Objects::of(&repository).ok()?;
    for tip in repository.tips(&upstream.remote).ok()? {
        let (records, _) = repository.records_in(&tip.commit, MOST_RECORDS).ok()?;
        for record in records.iter().filter(|record| record.kind == FileKind::File && is_plain(&record.path)) {
            if let Ok(Blob::Bytes(bytes)) = objects.one(&record.object)
                && Opened::new(&bytes).is_ok_and(|opened| opened.header.id == id)
            {
                return Some(below(&top, &record.path));
            }
        }
    }
    None
}

/// Makes git look for an accepted record in the work tree again, if it is one from a repository.
pub(crate) fn show(settings: &Settings, file: &Path) {
    if !matches!(settings.mail, MailSettings::Git(_)) {
        return;
    }
    let shown = || -> Option<()> {
        let path = dunce::canonicalize(file).ok()?;
        let top = dunce::canonicalize(Repository::alone(path.parent()?).top().ok()?).ok()?;
        let inside = path.strip_prefix(&top).ok()?;
        // If it is not in the index yet, there is nothing to do.
        Repository::alone(&top).hide(&[postrider_archive::paths::path_bytes(inside)], false).ok()
    };
    let _ = shown();
}
