//! Which commit brought each entry of each record, and what is odd about it.

mod versions;

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::rc::Rc;

use serde::{Serialize, Serializer};

use super::{Change, Commit, FileKind, GitError, Log, Objects, Repository, is_record, short, shown};
use postrider_archive::paths::path_bytes;
use postrider_kernel::Side;
use postrider_kernel::text::{counted, printable};
use postrider_referee::record::Time;
use postrider_referee::verdict::{Opened, Ruling, verify};
use versions::{EntryParts, Version, Versions};

/// How long after its own time an entry may be committed before that is odd, in seconds: three days.
const LATE: i64 = 3 * 24 * 3600;
/// How long before its own time, in seconds, because clocks differ.
const EARLY: i64 = 10 * 60;

/// Something odd about the history of a record.
#[derive(Clone, Debug, Serialize)]
pub struct Odd {
    /// Which kind it is, for programs.
    pub code: &'static str,
    /// The commit that made it so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The entry that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<u32>,
    /// The same in words.
    pub text: String,
}

/// The commit that an entry comes from.
#[derive(Clone, Debug, Serialize)]
pub struct Origin {
    /// Its id.
    pub commit: String,
    /// The author's name.
    pub author: String,
    /// The author's mail address.
    pub email: String,
    /// The author date.
    #[serde(serialize_with = "as_text")]
    pub authored: Time,
    /// The commit date.
    #[serde(serialize_with = "as_text")]
    pub committed: Time,
    /// Whether git has no time for it.
    #[serde(skip)]
    undated: bool,
}

fn as_text<S: Serializer>(time: &Time, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(time)
}

impl Odd {
    fn of(code: &'static str, origin: &Origin, number: u32, text: String) -> Self {
        Self { code, commit: Some(origin.commit.clone()), entry: Some(number), text }
    }
}

impl Origin {
    fn of(commit: &Commit) -> Rc<Self> {
        Rc::new(Self {
            commit: commit.id.clone(),
            author: commit.author.clone(),
            email: commit.email.clone(),
            authored: Time(commit.authored),
            committed: Time(commit.committed),
            undated: commit.undated,
        })
    }
}

/// An entry, and where it comes from.
#[derive(Debug, Serialize)]
pub struct EntryOrigin {
    /// The entry's number.
    pub number: u32,
    /// The side's name.
    pub side: String,
    pub actions: String,
    /// Its own time.
    pub time: Option<String>,
    pub signed: bool,
    /// The commit that brought it; `None` if it was there before the first commit in the range.
    #[serde(serialize_with = "as_origin")]
    pub origin: Option<Rc<Origin>>,
}

fn as_origin<S: Serializer>(origin: &Option<Rc<Origin>>, to: S) -> Result<S::Ok, S::Error> {
    origin.as_deref().serialize(to)
}

#[derive(Debug, Serialize)]
pub struct RecordHistory {
    /// Its path, with invalid UTF-8 replaced.
    pub path: String,
    /// The game's id.
    pub id: String,
    /// The game's name.
    pub game: Option<&'static str>,
    /// The ruling on it as it is now; `None` if it is no longer there.
    pub verdict: Option<&'static str>,
    /// How many entries it has.
    pub entries: u32,
    /// How the game ended.
    pub result: Option<String>,
    /// The entries.
    pub rows: Vec<EntryOrigin>,
    /// What is odd about it.
    pub odd: Vec<Odd>,
}

/// What is known of a record while the log is read.
#[derive(Default)]
struct Followed {
    path: Vec<u8>,
    /// Where it was before, on this or another branch.
    former: Vec<Vec<u8>>,
    /// The newest version seen so far, and its object.
    object: String,
    present: bool,
    /// The record it is a copy of, until that was reported.
    copied: Option<Vec<u8>>,
    /// Which commit first brought the entry with this number and line; `None` for those that were there before.
    origins: HashMap<(u32, Rc<str>), Option<Rc<Origin>>>,
    odd: Vec<Odd>,
}

/// The records that were seen, by the ids of their games: more than one if there are copies of a game.
type Games = BTreeMap<String, Vec<Followed>>;

/// What is told while a history is read.
#[derive(Debug)]
pub enum HistoryEvent {
    Record(Box<RecordHistory>),
    /// This clone is shallow and ends at a commit: what that changed is not known here.
    Shallow(String),
}

/// Reads the history of the records below these paths, all of them if there are none, in a range or up to a revision, and tells what
/// is found: in the order of their paths, and then those that are no longer there.
///
/// # Errors
/// Those of git, and those of `tell`.
pub fn history<E: From<GitError>>(
    repository: &Repository,
    revision: &OsStr,
    paths: &[OsString],
    mut tell: impl FnMut(HistoryEvent) -> Result<(), E>,
) -> Result<(), E> {
    // This takes longest, so it begins first; what it reports is read last.
    let log = Log::of(repository, &[revision], &[], "separate");
    repository.check_version()?;
    let mut log = log?;
    let prefix = match paths.is_empty() {
        true => Vec::new(),
        false => path_bytes(repository.line(["rev-parse", "--show-prefix"])?.as_ref()),
    };
    let wanted = Wanted::of(&prefix, paths);
    let objects = Objects::of(repository)?;
    let ends = repository.shallow()?;
    let tip = tip(repository, revision, &wanted)?;
    let mut versions = Versions::of(objects);
    let mut games = Games::new();
    loop {
        let commits = log.some()?;
        if commits.is_empty() {
            break;
        }
        let changes = commits.iter().flat_map(|commit| &commit.changes).filter(|change| wanted.holds(&change.path));
        versions.fetch(&changes.collect::<Vec<_>>())?;
        for commit in &commits {
            let is_end = ends.contains(&commit.id) && commit.changes.iter().any(|change| wanted.holds(&change.path));
            if is_end {
                tell(HistoryEvent::Shallow(commit.id.clone()))?;
            }
            follow(&mut games, &mut versions, commit, &wanted, is_end)?;
        }
    }
    // By path, as people look for them; then what is no longer there.
    let mut order: Vec<(&String, &Followed)> =
        games.iter().flat_map(|(id, games)| games.iter().map(move |game| (id, game))).collect();
    order.sort_by(|(_, a), (_, b)| (!a.present, &a.path).cmp(&(!b.present, &b.path)));
    for (id, game) in order {
        let object = tip.get(&game.path).unwrap_or(&game.object).clone();
        tell(HistoryEvent::Record(Box::new(report(&mut versions, id, game, &object)?)))?;
    }
    Ok(())
}

/// The paths that are asked for.
struct Wanted(Vec<Vec<u8>>);

impl Wanted {
    fn of(prefix: &[u8], paths: &[OsString]) -> Self {
        let plain = |path: &OsString| {
            let mut parts: Vec<Vec<u8>> = prefix.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
            parts.extend(path_bytes(path.as_ref()).split(|&byte| byte == b'/').map(<[u8]>::to_vec));
            let mut plain: Vec<Vec<u8>> = Vec::new();
            for part in parts {
                match part.as_slice() {
                    b"" | b"." => {}
                    b".." => {
                        plain.pop();
                    }
                    _ => plain.push(part),
                }
            }
            plain.join(&b'/')
        };
        Self(paths.iter().map(plain).collect())
    }

    fn holds(&self, path: &[u8]) -> bool {
        let below = |folder: &Vec<u8>| {
            folder.is_empty()
                || path.strip_prefix(folder.as_slice()).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        is_record(path) && (self.0.is_empty() || self.0.iter().any(below))
    }
}

/// The objects of the records at the end of the range, by path.
fn tip(repository: &Repository, revision: &OsStr, wanted: &Wanted) -> Result<HashMap<Vec<u8>, String>, GitError> {
    let text = revision.to_string_lossy();
    let end = text.rsplit("..").next().unwrap_or_default().trim_start_matches('.');
    let end = if end.is_empty() { "HEAD" } else { end };
    let Some(commit) = repository.commit_of(end)? else { return Ok(HashMap::new()) };
    let (records, _) = repository.records_in(&commit, usize::MAX)?;
    let wanted = records.into_iter().filter(|record| wanted.holds(&record.path));
    Ok(wanted.map(|record| (record.path, record.object)).collect())
}

/// Takes in what a commit did; of one at which a shallow clone ends that is not known.
fn follow(
    games: &mut Games,
    versions: &mut Versions,
    commit: &Commit,
    wanted: &Wanted,
    is_end: bool,
) -> Result<(), GitError> {
    if !commit.changes.iter().any(|change| wanted.holds(&change.path)) {
        return Ok(());
    }
    let origin = Origin::of(commit);
    let is_merge = commit.parents > 1;
    let mut gone = Vec::new();
    let mut come = Vec::new();
    for change in commit.changes.iter().filter(|change| wanted.holds(&change.path)) {
        let Change { path, old, new } = change;
        let before = if old.0 == FileKind::File { versions.get(&old.1)? } else { None };
        let now = if new.0 == FileKind::File { versions.get(&new.1)? } else { None };
        if let Some(before) = &before
            && now.as_ref().is_none_or(|now| now.id != before.id)
        {
            gone.push((before.clone(), path));
        }
        if let Some(now) = now {
            come.push((path, before, now, old, new));
        }
    }
    // A commit that moves a record and adds a copy of it has written two.
    let mut written: HashMap<Rc<str>, Vec<usize>> = HashMap::new();
    for (path, before, now, old, new) in come {
        let before = before.filter(|before| before.id == now.id);
        let left: Vec<&Vec<u8>> = gone.iter().filter(|(gone, _)| gone.id == now.id).map(|(_, path)| *path).collect();
        let known = games.entry(now.id.to_string()).or_default();
        let taken = written.entry(now.id.clone()).or_default();
        let place = place(known, taken, path, &left, before.is_some());
        taken.push(place);
        let game = &mut known[place];
        if commit.undated {
            let text = format!("the time of the commit that wrote {} cannot be read", shown(path));
            game.tell("undated", commit, None, text);
        }
        // If the old version is the newest that was seen, the commits of its entries are known, and few are new.
        let before_seen = before.as_ref().filter(|_| game.object == old.1);
        let same = before_seen.map_or(0, |before| before.common(&now));
        // What was there before the first commit in the range comes from none of its commits.
        let unseen = before.as_ref().filter(|_| before_seen.is_none());
        for (number, line) in unseen.into_iter().flat_map(|before| (1..).zip(before.entries().to_vec())) {
            game.origins.entry((number, line)).or_default();
        }
        for (number, line) in (1..).zip(now.entries().iter()).skip(same) {
            game.origins.entry((number, line.clone())).or_insert_with(|| (!is_end).then(|| origin.clone()));
        }
        if game.present && game.path != *path && before.is_none() && !(is_merge && game.former.contains(path)) {
            let text = format!("renamed from {} to {}", shown(&game.path), shown(path));
            game.tell("renamed", commit, None, text);
        }
        if let Some(copied) = std::mem::take(&mut game.copied) {
            let text = format!("{} was copied from {}: one game in two records", shown(path), shown(&copied));
            game.tell("copied", commit, None, text);
        }
        if let Some(before) = before {
            game.lost(commit, &before, &now);
        }
        if game.path != *path {
            let former = std::mem::replace(&mut game.path, path.clone());
            game.former.push(former);
        }
        game.object.clone_from(&new.1);
        game.present = true;
    }
    for (before, path) in gone {
        let Some(known) = games.get_mut(&*before.id) else { continue };
        // Unless the same commit put it somewhere else.
        if let Some(game) = known.iter_mut().find(|game| game.present && game.path == *path) {
            game.present = false;
            let count = counted(before.entries().len() as u64, "entry", "entries");
            // A merge removes what any of its parents has.
            let by = if is_merge { " by the merge" } else { "" };
            game.tell("removed", commit, None, format!("{} was removed{by}, {count}", shown(path)));
        }
    }
    Ok(())
}

/// Which of the records of a game a commit wrote at `path`; a new one if none. `taken`: those that it wrote elsewhere. `left`: where
/// records of the game were that the same commit took away.
fn place(known: &mut Vec<Followed>, taken: &[usize], path: &Vec<u8>, left: &[&Vec<u8>], had_one: bool) -> usize {
    let first = |fits: &dyn Fn(&Followed) -> bool| {
        known.iter().enumerate().find(|(nth, game)| !taken.contains(nth) && fits(game)).map(|(nth, _)| nth)
    };
    let here = first(&|game| game.path == *path);
    // Moved by the same commit, or by another branch.
    let moved = || first(&|game| game.present && left.contains(&&game.path));
    let once = || {
        let is_former =
            |game: &Followed| game.former.contains(path) || game.former.iter().any(|path| left.contains(&path));
        first(&is_former).filter(|_| had_one || !left.is_empty())
    };
    let again = || first(&|game| !game.present);
    if let Some(place) = here.or_else(moved).or_else(once).or_else(again) {
        return place;
    }
    // The first record of the game, or a copy: its entries come from where they came from there.
    let game = known.first().map_or_else(Followed::default, |first| Followed {
        origins: first.origins.clone(),
        copied: Some(first.path.clone()),
        ..Followed::default()
    });
    known.push(Followed { path: path.clone(), ..game });
    known.len() - 1
}

impl Followed {
    fn tell(&mut self, code: &'static str, commit: &Commit, entry: Option<u32>, text: String) {
        let text = format!("commit {}: {}", short(&commit.id), printable(&text));
        self.odd.push(Odd { code, commit: Some(commit.id.clone()), entry, text });
    }

    /// What a commit removed from a record, if anything.
    fn lost(&mut self, commit: &Commit, before: &Version, now: &Version) {
        let common = before.common(now);
        let (before, now) = (before.entries(), now.entries());
        let Some(was) = before.get(common) else { return };
        let number = u32::try_from(common + 1).unwrap_or(u32::MAX);
        let is_merge = commit.parents > 1;
        let did = if is_merge { "the merge" } else { "it" };
        let (code, text) = match now.get(common) {
            // A merge that takes the longer side loses nothing; one that takes the shorter side does.
            None if is_merge => ("cut-off", format!("{did} dropped entry {number} and what follows it: {was}")),
            None => ("cut-off", format!("{did} cut the record off before entry {number}: {was}")),
            Some(is) => ("changed", format!("{did} changed entry {number} from `{was}` to `{is}`")),
        };
        self.tell(code, commit, Some(number), text);
    }
}

/// Compiles the report on a record; its newest version is judged now.
fn report(versions: &mut Versions, id: &str, game: &Followed, object: &str) -> Result<RecordHistory, GitError> {
    let mut report = RecordHistory {
        path: String::from_utf8_lossy(&game.path).into_owned(),
        id: id.to_owned(),
        game: None,
        verdict: None,
        entries: 0,
        result: None,
        rows: Vec::new(),
        odd: game.odd.clone(),
    };
    let Some((version, bytes)) = versions.with_text(object)? else { return Ok(report) };
    let entries = version.entries();
    report.entries = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    let mut emails: HashMap<String, [Option<String>; 2]> = HashMap::new();
    if game.present {
        let verdict = verify(&bytes);
        report.verdict = Some(verdict.ruling.word());
        report.result = verdict.outcome.zip(verdict.game).map(|(outcome, game)| outcome.text(&game.sides));
        if verdict.ruling != Ruling::Legal {
            let of = |text: String| Odd { code: verdict.ruling.word(), commit: None, entry: None, text };
            let first = verdict.errors.first();
            report.odd.extend(first.map(|error| of(format!("it is {}: {}", verdict.ruling.word(), error.line()))));
        }
    }
    if let Ok(opened) = Opened::new(&bytes) {
        let info = opened.header.info;
        report.game = Some(info.name);
        let email = |side: Side| opened.header.player(side).email.as_deref().map(str::to_lowercase);
        for side in Side::BOTH {
            emails.insert(info.sides[side.index()].word.to_owned(), [email(side), email(side.other())]);
        }
    }
    let origin_of = |number: u32, line: &Rc<str>| game.origins.get(&(number, line.clone())).cloned().flatten();
    // Whether a side's player commits: otherwise somebody keeps the records for both, as they come by mail.
    let mut commits: HashMap<&str, bool> = HashMap::new();
    for (number, line) in (1..).zip(entries.iter()) {
        let entry = EntryParts::of(line);
        if let (Some(origin), Some([Some(own), _])) = (origin_of(number, line), emails.get(entry.side)) {
            *commits.entry(entry.side).or_default() |= origin.email.to_lowercase() == *own;
        }
    }
    // A signature in a legal record says more than who committed it.
    let is_legal = report.verdict == Some(Ruling::Legal.word());
    for (number, line) in (1..).zip(entries.iter()) {
        let entry = EntryParts::of(line);
        let origin = origin_of(number, line);
        if let Some(origin) = &origin {
            report.odd.extend(out_of_time(number, &entry, origin));
            if let Some([own, Some(other)]) = emails.get(entry.side)
                && (origin.email == *other || origin.email.to_lowercase() == *other)
                && own.as_ref() != Some(other)
                && commits.get(entry.side) == Some(&true)
                && !(entry.signed && is_legal)
            {
                let text = format!(
                    "entry {number} is of {}, and was committed by {}, the other player's address (commit {})",
                    entry.side,
                    printable(&origin.email),
                    short(&origin.commit)
                );
                report.odd.push(Odd::of("other-address", origin, number, text));
            }
        }
        report.rows.push(EntryOrigin {
            number,
            side: entry.side.to_owned(),
            actions: entry.actions.to_owned(),
            time: entry.time.map(|time| time.to_string()),
            signed: entry.signed,
            origin,
        });
    }
    Ok(report)
}

/// Reports an entry that was committed long before or after its own time.
fn out_of_time(number: u32, entry: &EntryParts<'_>, origin: &Origin) -> Option<Odd> {
    let late = origin.committed.0.saturating_sub(entry.time.filter(|_| !origin.undated)?.0);
    let (code, span, word) = match late {
        late if late > LATE => ("late", late, "after"),
        late if late < -EARLY => ("early", -late, "before"),
        _ => return None,
    };
    let span = postrider_referee::judging::in_words(span);
    let text = format!("entry {number} was committed {span} {word} its own time (commit {})", short(&origin.commit));
    Some(Odd::of(code, origin, number, text))
}
