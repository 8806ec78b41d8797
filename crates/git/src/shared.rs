//! Games that two players exchange by a repository that both share: a record is committed and pushed, the records at the tips of the other
//! branches are received as if letters had brought them, and what those branches contain is joined to the player's own branch afterwards.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::{Author, Blob, Change, FileKind, GitError, InTree, Objects, Push, Repository, Tip, Upstream};
use super::{below, is_plain, is_record, shown};
use postrider_archive::paths::path_bytes;
use postrider_disk::files::read_record;
use postrider_home::invite::kept::{Answered, Invitations};
use postrider_home::office::{Notice, Office, Trouble};
use postrider_home::overview::shelf::Shelf;
use postrider_home::receive::decision::parted_in_words;
use postrider_home::receive::inbox::Taker;
use postrider_home::receive::received::Mark;
use postrider_home::receive::{Event, Receiving, Ways};
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::printable;
use postrider_mail::address::parse_address;
use postrider_mail::incoming::Mail;
use postrider_referee::record::Time;
use postrider_referee::verdict::{Opened, Relation, compare};
use postrider_settings::{GitSettings, MailSettings, Settings};

/// How often a push is repeated because someone else was faster.
const TRIES: usize = 8;
/// The most records of a branch that are read.
const MOST_RECORDS: usize = 20_000;

/// The result of joining what was fetched to the player's branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joined {
    /// There was nothing new.
    Nothing,
    /// The branch now contains it.
    Done,
    /// It was not joined, and why; `foreign`: because of a file that is not a record, which only the player can merge.
    Not {
        /// Why.
        why: String,
        /// Whether a file that is not a record is why.
        foreign: bool,
    },
}

/// Why nothing could be received from a repository.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    /// There is no repository to receive from, or none that this program can use.
    #[error(transparent)]
    Unusable(GitError),
    /// It failed for now.
    #[error(transparent)]
    Failed(#[from] Trouble),
}

impl From<GitError> for Trouble {
    fn from(error: GitError) -> Self {
        let trouble = Self::of(error.to_string());
        match error.hint() {
            Some(hint) => trouble.advise(hint),
            None => trouble,
        }
    }
}

/// Who hears what happens where something is received before a push.
#[derive(Clone, Copy)]
pub struct Told<'t> {
    /// What becomes of the records.
    pub hear: &'t dyn Fn(Event),
    /// What becomes of the branch of this name.
    pub joined: &'t dyn Fn(&str, &Joined),
}

/// The name of a file, safe to show.
fn name(path: &Path) -> String {
    printable(&path_text(path)).into_owned()
}

fn reading(path: &Path, error: &io::Error) -> Trouble {
    Trouble::of(match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file {}", name(path)),
        _ => format!("{} cannot be read: {error}", name(path)),
    })
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
pub fn send(
    office: &Office<'_>,
    file: &Path,
    git: &GitSettings,
    message: &str,
    author: Author<'_>,
    told: Told<'_>,
) -> Result<String, Trouble> {
    // A link to a record means the record itself.
    let path = dunce::canonicalize(file).map_err(|error| reading(file, &error))?;
    let (Some(folder), Some(file_name)) = (path.parent(), path.file_name()) else {
        return Err(Trouble::of(format!("{} is not a file", name(file))));
    };
    let repository = Repository::alone(folder);
    repository.check_version()?;
    let upstream = repository.upstream(git.remote.as_deref())?;
    repository.commit_file(file_name, message, author)?;
    for _ in 0..TRIES {
        match repository.push(&upstream)? {
            Push::Done => return Ok(upstream.shown()),
            Push::Refused(why) => {
                return Err(Trouble::of(format!("{} rejected the push: {why}", upstream.remote)));
            }
            Push::Raced => {
                office.tell(Notice::note(format!("{} has moved on: receiving from it first", upstream.shown())));
                let joined = receive_first(office, &upstream.remote, &repository.top()?, told)?;
                if !holds(&repository, &upstream)? {
                    return Err(not_joined(&upstream, joined));
                }
            }
        }
    }
    Err(Trouble::of(format!("others were faster {TRIES} times: nothing was pushed")))
}

/// Why nothing was pushed: something on the remote branch was not joined.
fn not_joined(upstream: &Upstream, joined: Joined) -> Trouble {
    let (place, branch) = (upstream.shown(), || Act::Name(upstream.shown()));
    let what = match joined {
        Joined::Not { why, foreign: true } => {
            return Trouble::of(format!("nothing was pushed: {place} has {why}")).advise(advice![
                "`git diff HEAD...",
                branch(),
                "` shows it, `git merge ",
                branch(),
                "` takes it if it is harmless"
            ]);
        }
        Joined::Not { why, .. } => format!(": {why}"),
        Joined::Nothing | Joined::Done => String::new(),
    };
    Trouble::of(format!("{place} has something that was not accepted here, so nothing was pushed{what}"))
        .advise(advice!["`git log -p HEAD..", branch(), "` shows it; settle with your opponent which record is true"])
}

/// Returns whether the branch that is checked out contains what was fetched.
fn holds(repository: &Repository, upstream: &Upstream) -> Result<bool, Trouble> {
    let theirs = repository.commit_of(&upstream.tracked())?;
    let Some(theirs) = theirs else { return Ok(true) };
    Ok(repository.merge_base("HEAD", &theirs)?.as_ref() == Some(&theirs))
}

/// Receives what a remote contains after a push was too late. `top` is the top of the work tree of the record being
/// pushed.
///
/// # Errors
/// If it cannot be received; what is refused is reported and is not an error, nor is what was not joined.
fn receive_first(office: &Office<'_>, remote: &str, top: &Path, told: Told<'_>) -> Result<Joined, Trouble> {
    let ways = Ways { one_by_one: true, ..Ways::default() };
    let mut receiving = Receiving::new(office, ways, told.hear)?;
    let is_there = office.settings()?.games.as_ref().is_some_and(|games| {
        let real = |path: &Path| dunce::canonicalize(path).ok();
        real(games).zip(real(top)).is_some_and(|(games, top)| games.starts_with(top))
    });
    if !is_there {
        receiving.set_games(top.to_owned());
    }
    let from = receiving.games().to_owned();
    match joined(office, &mut receiving, &from, Some(remote)) {
        Ok((place, joined)) => {
            (told.joined)(&place, &joined);
            match receiving.troubles() {
                0 => Ok(joined),
                _ => Err(Trouble::of("what came first could not be received")),
            }
        }
        Err(SharedError::Failed(trouble)) => Err(trouble),
        Err(SharedError::Unusable(error)) => Err(error.into()),
    }
}

/// Fetches a remote's branches and processes their records, then joins them to the branch that is checked out, if nothing in them was refused.
/// Returns the name of that branch at the remote, and what became of it.
///
/// # Errors
/// If there is nothing to receive from, or git or the home fails.
pub fn receive(
    office: &Office<'_>,
    receiving: &mut Receiving<'_>,
    wanted: Option<&str>,
) -> Result<(String, Joined), SharedError> {
    let games = office.settings()?.games.clone();
    joined(office, receiving, &games.unwrap_or_else(|| PathBuf::from(".")), wanted)
}

/// The same for the repository with this folder.
fn joined(
    office: &Office<'_>,
    receiving: &mut Receiving<'_>,
    folder: &Path,
    wanted: Option<&str>,
) -> Result<(String, Joined), SharedError> {
    let settings = office.settings()?;
    let found = Repository::alone(folder);
    found.check_version().map_err(SharedError::Unusable)?;
    let top = found.top().map_err(SharedError::Unusable)?;
    let named = match &settings.mail {
        MailSettings::Git(git) => git.remote.as_deref(),
        _ => None,
    };
    let upstream = found.upstream(wanted.or(named)).map_err(SharedError::Unusable)?;
    if settings.games.is_none() {
        receiving.set_games(top.clone());
    }
    let repository = Repository::alone(&top);
    let leaves_out = repository.fetch(&upstream.remote).map_err(Trouble::from)?;
    tips(office, receiving, &repository, (&upstream, leaves_out))?;
    if receiving.is_dry_run() {
        return Ok((upstream.shown(), Joined::Nothing));
    }
    let settings = Settings { games: Some(receiving.games().to_owned()), ..settings.clone() };
    let joined = join(&repository, &top, &upstream, &settings)?;
    Ok((upstream.shown(), joined))
}

/// Processes the records of all branches that were fetched.
fn tips(
    office: &Office<'_>,
    receiving: &mut Receiving<'_>,
    repository: &Repository,
    (upstream, leaves_out): (&Upstream, bool),
) -> Result<(), Trouble> {
    // What was committed here was judged when it arrived.
    let ours: HashSet<String> = match repository.resolve(OsStr::new("HEAD^{commit}"))? {
        Some(head) => repository.records_in(&head, MOST_RECORDS)?.0.into_iter().map(|one| one.object).collect(),
        None => HashSet::new(),
    };
    let mut objects = Objects::of(repository)?;
    for tip in repository.tips(&upstream.remote)? {
        let (records, more) = repository.records_in(&tip.commit, MOST_RECORDS)?;
        if more {
            let told = format!("{}: only the first {MOST_RECORDS} records are looked at", printable(&tip.name));
            office.tell(Notice::note(told));
        }
        for record in records.iter().filter(|record| !ours.contains(&record.object)) {
            in_tree(receiving, repository, &mut objects, (upstream, &tip, leaves_out), record)?;
        }
    }
    Ok(())
}

/// Processes one file with the name of a record.
fn in_tree(
    receiving: &mut Receiving<'_>,
    repository: &Repository,
    objects: &mut Objects,
    (upstream, tip, leaves_out): (&Upstream, &Tip, bool),
    record: &InTree,
) -> Result<(), Trouble> {
    let (from, at) = repository.last_change(&tip.commit, &record.path)?;
    let kind = [match record.kind {
        FileKind::File => 0,
        _ => 1,
    }];
    let mark = Mark::of(&[b"git", &kind, record.object.as_bytes(), from.as_bytes(), &record.path]);
    if receiving.knows(&mark) {
        return Ok(());
    }
    let path = String::from_utf8_lossy(&record.path).into_owned();
    let place = printable(&format!("{}:{path}", tip.name)).into_owned();
    let mut mail = Mail {
        from: Some(from).filter(|from| parse_address(from).is_ok()),
        date: at.map(Time),
        names_record: true,
        ..Mail::default()
    };
    let blob = match record.kind {
        FileKind::File => match objects.one(&record.object) {
            // What is larger than a record was left out when it was fetched.
            Err(GitError::Object(_)) if repository.leaves_out(&upstream.remote)? => None,
            blob => Some(blob?),
        },
        _ => Some(Blob::Other),
    };
    match blob {
        None => mail.fault = Some("it is larger than 4 MiB, and was not fetched: a record has at most that".to_owned()),
        Some(Blob::Bytes(bytes)) => mail.records.push(bytes),
        Some(Blob::TooLarge(length)) => {
            let why = match leaves_out {
                true => String::new(),
                false => format!(
                    " ({} was asked to leave it out, and cannot: `git config uploadpack.allowFilter true` there)",
                    printable(&upstream.remote)
                ),
            };
            mail.fault = Some(format!("it has {length} bytes, and a record has at most 4 MiB{why}"));
        }
        Some(Blob::Other) => mail.fault = Some("it is named like a record but is not a file".to_owned()),
    }
    receiving.take_mail(&place, &mark, &mail);
    Ok(())
}

/// Joins the branch that was fetched to the one that is checked out, if everything it changed is a record that the one
/// here already contains, or belongs to a game that is waiting for an answer. The work tree is not touched: its records
/// already go as far, or further.
///
/// # Errors
/// If git, or something that decides this, cannot be read.
fn join(repository: &Repository, top: &Path, upstream: &Upstream, settings: &Settings) -> Result<Joined, Trouble> {
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
    fn fits(&mut self, change: &Change) -> Result<Result<Fits, String>, Trouble> {
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
        let source = read_record(&file).map_err(|error| reading(&file, &error))?;
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
pub fn place(settings: &Settings, id: &str) -> Option<PathBuf> {
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
pub fn show(settings: &Settings, file: &Path) {
    if !matches!(settings.mail, MailSettings::Git(_)) {
        return;
    }
    let shown = || -> Option<()> {
        let path = dunce::canonicalize(file).ok()?;
        let top = dunce::canonicalize(Repository::alone(path.parent()?).top().ok()?).ok()?;
        let inside = path.strip_prefix(&top).ok()?;
        // If it is not in the index yet, there is nothing to do.
        Repository::alone(&top).hide(&[path_bytes(inside)], false).ok()
    };
    let _ = shown();
}
