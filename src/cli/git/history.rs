//! `postrider git history`.

mod versions;

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::process::ExitCode;
use std::rc::Rc;

use serde::{Serialize, Serializer};

use super::super::hints::{self, Failure};
use super::super::{json, print};
use super::newest::Newest;
use super::{here, short, shown};
use crate::games::kernel::Side;
use crate::git::{Change, Commit, FileKind, Log, Objects, Repository, is_record};
use crate::record::Time;
use crate::text::{counted, entries, printable};
use crate::verdict::{Opened, Ruling, verify};
use versions::{Version, Versions};

/// How long after its own time an entry may be committed before that is odd, in seconds: three days.
const LATE: i64 = 3 * 24 * 3600;
/// How long before its own time, in seconds, because clocks differ.
const EARLY: i64 = 10 * 60;

/// Show which commit brought each entry of each record, and what is odd about it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider git history
  postrider git history main -- games/first.pbem
  postrider git history v1..v2 --json
  postrider git history --strict          for scripts: exit code 1 if anything is odd

Every commit is examined. An entry is odd if a commit changed or dropped it, if it was committed long before or after its own \
time, or if it was committed, unsigned, under the other player's address although its player commits too. Exit codes: 0 every \
record is legal, 1 one is not (with --strict also: something is odd), 2 something could not be judged.")]
pub(super) struct Args {
    /// A revision, or a range OLD..NEW
    #[arg(value_name = "REV|RANGE", default_value = "HEAD")]
    revision: OsString,
    /// Only records under these paths
    #[arg(value_name = "PATH", last = true)]
    paths: Vec<OsString>,
    /// Print one JSON object per record
    #[arg(long)]
    json: bool,
    /// End with 1 if anything is odd
    #[arg(long)]
    strict: bool,
}

/// Something odd about the history of a record.
#[derive(Clone, Debug, Serialize)]
struct Odd {
    /// Which kind it is, for programs.
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<u32>,
    /// The same in words.
    text: String,
}

/// What a row needs to know about a commit.
#[derive(Clone, Debug, Serialize)]
struct Origin {
    commit: String,
    author: String,
    email: String,
    #[serde(serialize_with = "as_text")]
    authored: Time,
    #[serde(serialize_with = "as_text")]
    committed: Time,
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
        })
    }
}

/// An entry, and where it comes from.
#[derive(Debug, Serialize)]
struct Row {
    number: u32,
    side: String,
    actions: String,
    time: Option<String>,
    signed: bool,
    /// `None` if it was there before the first commit in the range.
    #[serde(serialize_with = "as_origin")]
    origin: Option<Rc<Origin>>,
}

fn as_origin<S: Serializer>(origin: &Option<Rc<Origin>>, to: S) -> Result<S::Ok, S::Error> {
    origin.as_deref().serialize(to)
}

/// The report on a record.
#[derive(Debug, Serialize)]
struct Report {
    path: String,
    id: String,
    game: Option<&'static str>,
    verdict: Option<&'static str>,
    entries: u32,
    result: Option<String>,
    rows: Vec<Row>,
    odd: Vec<Odd>,
}

/// What is known of a record while the log is read.
#[derive(Default)]
struct Game {
    path: Vec<u8>,
    /// Where it was before, on this or another branch.
    former: Vec<Vec<u8>>,
    /// The newest version seen so far, and its object.
    object: String,
    present: bool,
    /// Of which record it is a copy, until that was told.
    copied: Option<Vec<u8>>,
    /// Which commit first brought the entry with this number and line; `None` for those that were there before.
    origins: HashMap<(u32, Rc<str>), Option<Rc<Origin>>>,
    odd: Vec<Odd>,
}

/// The records that were seen, by the ids of their games: more than one if there are copies of a game.
type Games = BTreeMap<String, Vec<Game>>;

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let repository = here();
    // This takes longest, so it begins first; what it reports is read last.
    let log = Log::of(&repository, &[&args.revision], &[], "separate");
    repository.check_version()?;
    let mut log = log?;
    let prefix = match args.paths.is_empty() {
        true => Vec::new(),
        false => crate::git::path_bytes(repository.line(["rev-parse", "--show-prefix"])?.as_ref()),
    };
    let wanted = Wanted::of(&prefix, &args.paths);
    let objects = Objects::of(&repository)?;
    let ends = repository.shallow()?;
    let mut versions = Versions::of(&repository, objects, tip(&repository, &args.revision, &wanted)?);
    let mut games = Games::new();
    let mut worst = 0;
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
                super::tell_shallow(&commit.id);
                worst = hints::TROUBLE;
            }
            follow(&mut games, &mut versions, commit, &wanted, is_end)?;
        }
    }
    // By path, as people look for them; then what is no longer there.
    let mut order: Vec<(&String, &Game)> =
        games.iter().flat_map(|(id, games)| games.iter().map(move |game| (id, game))).collect();
    order.sort_by(|(_, a), (_, b)| (!a.present, &a.path).cmp(&(!b.present, &b.path)));
    for (id, game) in order {
        let object = versions.newest.tip.get(&game.path).unwrap_or(&game.object).clone();
        let report = report(&mut versions, id, game, &object)?;
        worst = worst.max(match report.verdict {
            Some("legal") | None => 0,
            Some("unjudged") => hints::TROUBLE,
            Some(_) => hints::REFUSED,
        });
        if args.strict && !report.odd.is_empty() {
            worst = worst.max(hints::REFUSED);
        }
        match args.json {
            true => print(json::line(&report))?,
            false => print(in_words(&report))?,
        }
    }
    Ok(ExitCode::from(worst))
}

/// The paths that are asked for.
struct Wanted(Vec<Vec<u8>>);

impl Wanted {
    fn of(prefix: &[u8], paths: &[OsString]) -> Self {
        let plain = |path: &OsString| {
            let mut parts: Vec<Vec<u8>> = prefix.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
            parts.extend(crate::git::path_bytes(path.as_ref()).split(|&byte| byte == b'/').map(<[u8]>::to_vec));
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

/// The records at the end of the range.
fn tip(repository: &Repository, revision: &OsStr, wanted: &Wanted) -> Result<Newest, Failure> {
    let text = revision.to_string_lossy();
    let end = text.rsplit("..").next().unwrap_or_default().trim_start_matches('.');
    let end = if end.is_empty() { "HEAD" } else { end };
    let Some(commit) = repository.resolve(OsStr::new(&format!("{end}^{{commit}}")))? else { return Ok(Newest::none()) };
    let mut newest = Newest::at(repository, &commit)?;
    newest.tip.retain(|path, _| wanted.holds(path));
    Ok(newest)
}

/// Takes in what a commit did; of one at which a shallow clone ends that is not known.
fn follow(
    games: &mut Games,
    versions: &mut Versions,
    commit: &Commit,
    wanted: &Wanted,
    is_end: bool,
) -> Result<(), Failure> {
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
    for (path, before, now, old, new) in come {
        let before = before.filter(|before| before.id == now.id);
        let left: Vec<&Vec<u8>> = gone.iter().filter(|(gone, _)| gone.id == now.id).map(|(_, path)| *path).collect();
        let known = games.entry(now.id.to_string()).or_default();
        let place = place(known, path, &left, before.is_some());
        let game = &mut known[place];
        // Of a version that is the newest seen all entries are known by their commits, and few are new.
        let before_seen = before.as_ref().filter(|_| game.object == old.1);
        let same = before_seen.map_or(0, |before| before.common(&now));
        // What was there before the first commit in the range comes from none of its commits.
        let unseen = before.as_ref().filter(|_| before_seen.is_none());
        for (number, line) in unseen.into_iter().flat_map(|before| (1..).zip(before.entries.iter())) {
            game.origins.entry((number, line.clone())).or_default();
        }
        for (number, line) in (1..).zip(now.entries.iter()).skip(same) {
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
            let count = counted(before.entries.len() as u64, "entry", "entries");
            // A merge removes what any of its parents has.
            let by = if is_merge { " by the merge" } else { "" };
            game.tell("removed", commit, None, format!("{} was removed{by}, {count}", shown(path)));
        }
    }
    Ok(())
}

/// Which of the records of a game a commit wrote at `path`; a new one if none. `left`: where records of the game were that
/// the same commit took away.
fn place(known: &mut Vec<Game>, path: &Vec<u8>, left: &[&Vec<u8>], had_one: bool) -> usize {
    let here = known.iter().position(|game| game.path == *path);
    // Moved by the same commit, or by another branch.
    let moved = || known.iter().position(|game| game.present && left.contains(&&game.path));
    let once = || {
        let is_former = |game: &Game| game.former.contains(path) || game.former.iter().any(|path| left.contains(&path));
        known.iter().position(is_former).filter(|_| had_one || !left.is_empty())
    };
    let again = || known.iter().position(|game| !game.present);
    if let Some(place) = here.or_else(moved).or_else(once).or_else(again) {
        return place;
    }
    // The first record of the game, or a copy: its entries come from where they came from there.
    let game = known.first().map_or_else(Game::default, |first| Game {
        origins: first.origins.clone(),
        copied: Some(first.path.clone()),
        ..Game::default()
    });
    known.push(Game { path: path.clone(), ..game });
    known.len() - 1
}

impl Game {
    fn tell(&mut self, code: &'static str, commit: &Commit, entry: Option<u32>, text: String) {
        let text = format!("commit {}: {}", short(&commit.id), printable(&text));
        self.odd.push(Odd { code, commit: Some(commit.id.clone()), entry, text });
    }

    /// What a commit removed from a record, if anything.
    fn lost(&mut self, commit: &Commit, before: &Version, now: &Version) {
        let common = before.common(now);
        let Some(was) = before.entries.get(common) else { return };
        let number = u32::try_from(common + 1).unwrap_or(u32::MAX);
        let is_merge = commit.parents > 1;
        let did = if is_merge { "the merge" } else { "it" };
        let (code, text) = match now.entries.get(common) {
            // A merge that takes the longer side loses nothing; one that takes the shorter side does.
            None if is_merge => ("cut-off", format!("{did} dropped entry {number} and what follows it: {was}")),
            None => ("cut-off", format!("{did} cut the record off before entry {number}: {was}")),
            Some(is) => ("changed", format!("{did} changed entry {number} from `{was}` to `{is}`")),
        };
        self.tell(code, commit, Some(number), text);
    }
}

/// Compiles the report on a record; its newest version is judged now.
fn report(versions: &mut Versions, id: &str, game: &Game, object: &str) -> Result<Report, Failure> {
    let mut report = Report {
        path: String::from_utf8_lossy(&game.path).into_owned(),
        id: id.to_owned(),
        game: None,
        verdict: None,
        entries: 0,
        result: None,
        rows: Vec::new(),
        odd: game.odd.clone(),
    };
    let Some(version) = versions.get(object)? else { return Ok(report) };
    report.entries = u32::try_from(version.entries.len()).unwrap_or(u32::MAX);
    let mut emails: HashMap<String, [Option<String>; 2]> = HashMap::new();
    if let Some(bytes) = versions.text(&game.path, object)? {
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
    }
    let origin_of = |number: u32, line: &Rc<str>| game.origins.get(&(number, line.clone())).cloned().flatten();
    // Whether a side's player commits: otherwise somebody keeps the records for both, as they come by mail.
    let mut commits: HashMap<&str, bool> = HashMap::new();
    for (number, line) in (1..).zip(version.entries.iter()) {
        let entry = versions::EntryParts::of(line);
        if let (Some(origin), Some([Some(own), _])) = (origin_of(number, line), emails.get(entry.side)) {
            *commits.entry(entry.side).or_default() |= origin.email.to_lowercase() == *own;
        }
    }
    // A signature in a legal record says more than who committed it.
    let is_legal = report.verdict == Some(Ruling::Legal.word());
    for (number, line) in (1..).zip(version.entries.iter()) {
        let entry = versions::EntryParts::of(line);
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
        report.rows.push(Row {
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
fn out_of_time(number: u32, entry: &versions::EntryParts<'_>, origin: &Origin) -> Option<Odd> {
    let late = origin.committed.0.saturating_sub(entry.time?.0);
    let (code, span, word) = match late {
        late if late > LATE => ("late", late, "after"),
        late if late < -EARLY => ("early", -late, "before"),
        _ => return None,
    };
    let span = crate::referee::in_words(span);
    let text = format!("entry {number} was committed {span} {word} its own time (commit {})", short(&origin.commit));
    Some(Odd::of(code, origin, number, text))
}

fn in_words(report: &Report) -> String {
    let state = match (report.verdict, &report.result) {
        (None, _) => "no longer there".to_owned(),
        (Some(verdict), Some(result)) => format!("{verdict}, {}, {result}", entries(report.entries)),
        (Some(verdict), None) => format!("{verdict}, {}", entries(report.entries)),
    };
    let mut text = format!("{}  {}  {state}\n", shown(report.path.as_bytes()), printable(&report.id));
    let of = |origin: Option<&Origin>| {
        let (commit, committed, author) = match origin {
            Some(origin) => {
                (short(&origin.commit), origin.committed.to_string(), format!("{} <{}>", origin.author, origin.email))
            }
            None => ("before", "-".to_owned(), "-".to_owned()),
        };
        format!("  {commit:<12}  {committed:<20}  {}  ", printable(&author))
    };
    // Many entries in a row are mostly of one commit.
    let mut last: Option<(Option<&Rc<Origin>>, String)> = None;
    for row in &report.rows {
        let origin = row.origin.as_ref();
        let is_last = |one: Option<&Rc<Origin>>| match (one, origin) {
            (Some(one), Some(origin)) => Rc::ptr_eq(one, origin),
            (one, origin) => one.is_none() && origin.is_none(),
        };
        let (_, begins) = match last.take().filter(|(one, _)| is_last(*one)) {
            Some(same) => last.insert(same),
            None => last.insert((origin, of(origin.map(|origin| &**origin)))),
        };
        text.push_str(begins);
        let _ = write!(text, "{} {} {}", row.number, row.side, printable(&row.actions));
        for part in row.time.iter().flat_map(|time| [" @", time]).chain(row.signed.then_some("  signed")) {
            text.push_str(part);
        }
        text.push('\n');
    }
    for odd in &report.odd {
        let _ = writeln!(text, "  odd: {} [{}]", printable(&odd.text), odd.code);
    }
    text.push('\n');
    text
}
