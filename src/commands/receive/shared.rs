//! `postrider receive --git`: the records at the tips of a remote's branches, each processed as if a letter had brought
//! it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Stop, Teller};
use crate::cli::hints::Failure;
use crate::cli::home::office;
use crate::commands::git::exchange;
use crate::commands::git::exchange::{Joined, MOST_RECORDS};
use postrider_git::{Blob, FileKind, GitError, InTree, Objects, Repository, Tip, Upstream};
use postrider_home::office::Office;
use postrider_home::receive::inbox::Taker;
use postrider_home::receive::received::Mark;
use postrider_home::receive::{Receiving, Ways};
use postrider_home::settings::{MailSettings, Settings};
use postrider_kernel::text::printable;
use postrider_mail::incoming::Mail;
use postrider_referee::record::Time;

/// Receives what a remote contains after a push was too late. `top` is the top of the work tree of the record being
/// pushed.
///
/// # Errors
/// If it cannot be received; what is refused is reported and is not an error, nor is what was not joined.
pub(crate) fn shared(remote: &str, top: &Path) -> Result<Joined, Failure> {
    let (office, teller) = (office()?, Teller::default());
    let hear = |event| teller.hear(event);
    let ways = Ways { one_by_one: true, ..Ways::default() };
    let mut receiving = Receiving::new(&office, ways, &hear)?;
    let is_there = office.settings()?.games.as_ref().is_some_and(|games| {
        let real = |path: &Path| dunce::canonicalize(path).ok();
        real(games).zip(real(top)).is_some_and(|(games, top)| games.starts_with(top))
    });
    if !is_there {
        receiving.set_games(top.to_owned());
    }
    let from = receiving.games().to_owned();
    match joined(&office, &mut receiving, &teller, &from, Some(remote)) {
        Ok(joined) if receiving.troubles() == 0 => Ok(joined),
        Ok(_) => Err(Failure::trouble("what came first could not be received")),
        Err(Stop::Failure(failure) | Stop::Usage(failure)) => Err(failure),
        Err(Stop::Inbox(error)) => Err(Failure::trouble(error.to_string())),
    }
}

/// Fetches a remote's branches and processes their records, then joins them to the branch that is checked out, if
/// nothing in them was refused.
pub(super) fn receive(
    office: &Office<'_>,
    receiving: &mut Receiving<'_>,
    teller: &Teller,
    wanted: Option<&str>,
) -> Result<Joined, Stop> {
    let games = office.settings()?.games.clone();
    joined(office, receiving, teller, &games.unwrap_or_else(|| PathBuf::from(".")), wanted)
}

/// The same for the repository with this folder, with what became of the branch.
fn joined(
    office: &Office<'_>,
    receiving: &mut Receiving<'_>,
    teller: &Teller,
    folder: &Path,
    wanted: Option<&str>,
) -> Result<Joined, Stop> {
    let settings = office.settings()?;
    let usage = |error: GitError| Stop::Usage(error.into());
    let found = Repository::alone(folder);
    found.check_version().map_err(usage)?;
    let top = found.top().map_err(usage)?;
    let named = match &settings.mail {
        MailSettings::Git(git) => git.remote.as_deref(),
        _ => None,
    };
    let upstream = found.upstream(wanted.or(named)).map_err(usage)?;
    if settings.games.is_none() {
        receiving.set_games(top.clone());
    }
    let repository = Repository::alone(&top);
    let failed = |error: GitError| Stop::Failure(error.into());
    let leaves_out = repository.fetch(&upstream.remote).map_err(failed)?;
    tips(receiving, &repository, &upstream, leaves_out)?;
    if receiving.is_dry_run() {
        return Ok(Joined::Nothing);
    }
    let settings = Settings { games: Some(receiving.games().to_owned()), ..settings.clone() };
    let joined = exchange::join(&repository, &top, &upstream, &settings)?;
    let place = upstream.shown();
    match &joined {
        Joined::Nothing => {}
        Joined::Done => teller.print(format!("{} was merged into your branch\n", printable(&place))),
        Joined::Not { why, foreign: true } => {
            errln!("{} was not merged into your branch: it has {why}", printable(&place));
        }
        Joined::Not { why, .. } => errln!("{} was not merged into your branch: {why}", printable(&place)),
    }
    Ok(joined)
}

/// Processes the records of all branches that were fetched.
fn tips(
    receiving: &mut Receiving<'_>,
    repository: &Repository,
    upstream: &Upstream,
    leaves_out: bool,
) -> Result<(), Failure> {
    // What was committed here was judged when it arrived.
    let ours: HashSet<String> = match repository.resolve(OsStr::new("HEAD^{commit}"))? {
        Some(head) => repository.records_in(&head, MOST_RECORDS)?.0.into_iter().map(|one| one.object).collect(),
        None => HashSet::new(),
    };
    let mut objects = Objects::of(repository)?;
    for tip in repository.tips(&upstream.remote)? {
        let (records, more) = repository.records_in(&tip.commit, MOST_RECORDS)?;
        if more {
            errln!("{}: only the first {MOST_RECORDS} records are looked at", printable(&tip.name));
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
) -> Result<(), Failure> {
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
        from: Some(from).filter(|from| postrider_mail::address::parse_address(from).is_ok()),
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
