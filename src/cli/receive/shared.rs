//! `postrider receive --git`: the records at the tips of a remote's branches, each processed as if a letter had brought
//! it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::super::git::exchange::{self, Joined, MOST_RECORDS};
use super::super::hints::Failure;
use super::{Args, Run, Stop, about, print};
use crate::git::{Blob, FileKind, GitError, InTree, Objects, Repository, Tip, Upstream};
use crate::mail::incoming::Mail;
use crate::record::Time;
use crate::store::{MailSettings, Mark};
use crate::text::printable;

/// Receives what a remote contains after a push was too late. `top` is the top of the work tree of the record being
/// pushed.
///
/// # Errors
/// If it cannot be received; what is refused is reported and is not an error, nor is what was not joined.
pub(in crate::cli) fn shared(remote: &str, top: &Path) -> Result<Joined, Failure> {
    let args = Args { git: Some(Some(remote.to_owned())), ..Args::default() };
    let mut run = Run::new(&args)?;
    let is_there = run.settings.games.as_ref().is_some_and(|games| {
        let real = |path: &Path| dunce::canonicalize(path).ok();
        real(games).zip(real(top)).is_some_and(|(games, top)| games.starts_with(top))
    });
    if !is_there {
        run.settings.games = Some(top.to_owned());
    }
    match run.joined(Some(remote)) {
        Ok(joined) if run.troubles == 0 => Ok(joined),
        Ok(_) => Err(Failure::trouble("what came first could not be received")),
        Err(Stop::Failure(failure) | Stop::Usage(failure)) => Err(failure),
        Err(Stop::Inbox(error)) => Err(Failure::trouble(error.to_string())),
    }
}

impl Run<'_> {
    /// Fetches a remote's branches and processes their records, then joins them to the branch that is checked out, if
    /// nothing in them was refused.
    pub(super) fn shared(&mut self, wanted: Option<&str>) -> Result<(), Stop> {
        self.joined(wanted).map(|_| ())
    }

    /// The same, with what became of the branch.
    fn joined(&mut self, wanted: Option<&str>) -> Result<Joined, Stop> {
        let usage = |error: GitError| Stop::Usage(error.into());
        let found = Repository::alone(self.settings.games.clone().unwrap_or_else(|| PathBuf::from(".")));
        found.check_version().map_err(usage)?;
        let top = found.top().map_err(usage)?;
        let named = match &self.settings.mail {
            MailSettings::Git(git) => git.remote.as_deref(),
            _ => None,
        };
        let upstream = found.upstream(wanted.or(named)).map_err(usage)?;
        if self.settings.games.is_none() {
            self.settings.games = Some(top.clone());
        }
        let repository = Repository::alone(&top);
        let failed = |error: GitError| Stop::Failure(error.into());
        let leaves_out = repository.fetch(&upstream.remote).map_err(failed)?;
        self.tips(&repository, &upstream, leaves_out)?;
        self.flush()?;
        if self.args.dry_run {
            return Ok(Joined::Nothing);
        }
        let joined = exchange::join(&repository, &top, &upstream, &self.settings)?;
        let place = upstream.shown();
        match &joined {
            Joined::Nothing => {}
            Joined::Done => print(format!("{} was merged into your branch\n", printable(&place)))?,
            Joined::Not { why, foreign: true } => {
                errln!("{} was not merged into your branch: it has {why}", printable(&place));
            }
            Joined::Not { why, .. } => errln!("{} was not merged into your branch: {why}", printable(&place)),
        }
        Ok(joined)
    }

    /// Processes the records of all branches that were fetched.
    fn tips(&mut self, repository: &Repository, upstream: &Upstream, leaves_out: bool) -> Result<(), Failure> {
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
                self.in_tree(repository, &mut objects, (upstream, &tip, leaves_out), record)?;
            }
        }
        Ok(())
    }

    /// Processes one file with the name of a record.
    fn in_tree(
        &mut self,
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
        let mark = self.marked(&Mark::of(&[b"git", &kind, record.object.as_bytes(), from.as_bytes(), &record.path]));
        if !self.args.again && self.received.knows(&mark) {
            return Ok(());
        }
        let path = String::from_utf8_lossy(&record.path).into_owned();
        let place = printable(&format!("{}:{path}", tip.name)).into_owned();
        self.count.messages += 1;
        self.alone = false;
        self.unread = false;
        let mut mail = Mail {
            from: Some(from).filter(|from| crate::address::parse_address(from).is_ok()),
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
            None => {
                mail.fault = Some("it is larger than 4 MiB, and was not fetched: a record has at most that".to_owned())
            }
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
        match self.message(&place, &mail) {
            Ok(()) => {}
            Err(failure @ Failure::Output(_)) => return Err(failure),
            Err(failure) => {
                self.troubles += 1;
                err!("{}: {failure}", about(&place, &mail));
                return Ok(());
            }
        }
        // What is ahead of this machine's clock is fetched again when its time has come.
        if self.until.take().is_none() && !self.unread {
            self.unnoted.push(mark);
        }
        self.flush()
    }
}
