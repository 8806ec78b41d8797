//! `postrider verify`.

mod formats;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use serde_json::value::RawValue;

use self::formats::{Body, Format, Pieces};
use super::hints::{self, Failure};
use super::keys::{self, Signing};
use super::progress::Progress;
use super::{input, packed, print, stamps, withdrawn};
use crate::archive::lines::Line;
use crate::archive::{self, Found};
use crate::desk::Desk;
use crate::games::kernel::Side;
use crate::interface::Report;
use crate::render::diagnostic;
use crate::sealing::{Check, PublicKey, Statement};
use crate::store::{Settings, Trusted};
use crate::text::{LineIndex, printable, push_number};
use crate::verdict::{Digests, Opened, Ruling, Verdict, faces, receipts, verify, verify_newest};

/// Judge records: every entry, the clocks, the signatures, the result
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  postrider verify game.pbem
  postrider verify -v game.pbem           with the line, and a caret under what is wrong
  postrider verify games/ --json          every record below a folder, one JSON object per line
  postrider verify --newest games/        only the newest signature of each side: it covers the rest
  postrider verify games.jsonl.zst        a packed archive, as `postrider pack` makes it
  postrider verify --trusted game.pbem    also: do both sides sign with keys that you trust?
  postrider verify --stamps ca.pem game.pbem   also: when did a time-stamping authority see it?
  git show HEAD:game.pbem | postrider verify -
  postrider verify --format junit games/ > games.xml   for a build server
  some-engine | postrider verify --batch  lines `{\"path\": …, \"record\": …}` in, lines of JSON out

Exit codes: 0 all legal, 1 one is illegal or malformed, 2 one could not be judged; with --trusted, 3 if all are legal but one is not \
signed on both sides with your own key and keys that you trust; with --stamps, 3 if one has no time stamp, or an invalid one.")]
pub(super) struct Args {
    /// Records, folders of records (`*.pbem`), archives (`*.jsonl`, `*.jsonl.zst`); `-` for standard input
    #[arg(required_unless_present = "batch")]
    pub(super) paths: Vec<PathBuf>,
    /// Read records as lines of JSON, and answer each with a line of JSON
    #[arg(long, conflicts_with_all = ["quiet", "verbose"])]
    batch: bool,
    /// Check only the newest signature of each side (Z34), which is faster
    #[arg(long)]
    newest: bool,
    /// Also require that both sides sign with your own key or with one that you trust (`postrider key trust`)
    #[arg(long)]
    trusted: bool,
    /// Also check the time stamps of each record (`postrider stamp`) with openssl, given a file of certificate authorities (PEM)
    #[arg(long, value_name = "AUTHORITIES")]
    stamps: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value = "text", conflicts_with_all = ["batch", "quiet", "verbose"])]
    format: Format,
    /// Print one JSON object per record, as `--format json` does
    #[arg(long, conflicts_with_all = ["format", "verbose"])]
    json: bool,
    /// Print nothing; the exit code says it all
    #[arg(short, long, conflicts_with_all = ["json", "verbose"])]
    quiet: bool,
    /// Show the line, with a caret under what is wrong
    #[arg(short, long)]
    verbose: bool,
}

impl Args {
    fn wants_json(&self) -> bool {
        self.json || self.format == Format::Json
    }

    /// Reads `postrider verify PATH…` without options, which scripts run file by file: preparing a parser for it takes longer
    /// than judging a record. Returns `None` for all that needs one.
    pub(super) fn plain(args: &[OsString]) -> Option<Self> {
        let (_, [name, paths @ ..]) = args.split_first()? else { return None };
        let is_plain = |path: &OsString| !matches!(path.as_encoded_bytes().first(), None | Some(b'-'));
        let holds = name == "verify" && !paths.is_empty() && paths.iter().all(is_plain);
        holds.then(|| Self { paths: paths.iter().map(PathBuf::from).collect(), ..Self::default() })
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut worst = 0;
    let pieces = Pieces::of(args.format);
    let mut body = Body::new();
    let mut tell = |(code, text): (u8, String)| {
        worst = worse(worst, code);
        match () {
            () if args.quiet || text.is_empty() => Ok(()),
            () if pieces.is_some() => body.put(&text),
            () => print(text),
        }
    };
    let done = judge_all(args, pieces.as_ref(), &mut tell);
    if let Some(pieces) = pieces {
        // A document is whole however the run ended, and says why it ended.
        if let Err(failure) = &done {
            body.put(&pieces.piece(None, &Report::unjudged(None, failure.message().into_owned()), 0))?;
        }
        pieces.finish(body)?;
    }
    done.map(|()| ExitCode::from(worst))
}

/// What takes the exit code of some records and what is printed of them.
type Tell<'a> = dyn FnMut((u8, String)) -> Result<(), Failure> + 'a;

/// Judges everything that is named, in order.
fn judge_all(args: &Args, pieces: Option<&Pieces>, tell: &mut Tell<'_>) -> Result<(), Failure> {
    let known = Known::here(!args.quiet || args.trusted);
    // The paths in an archive were chosen by its maker, so no file is looked up by them.
    let within = Known { trusted: known.trusted.clone(), statements: known.statements.clone(), games: None };
    let by = if args.newest { verify_newest } else { verify };
    let judge = Judge { args, by, known: &known, pieces };
    let within = Judge { known: &within, ..judge };
    let mut paths = Vec::new();
    let as_rows = args.wants_json() || args.batch || pieces.is_some();
    let mut judge_archive = |path: &Path, stream| {
        let name = path.to_string_lossy();
        let name = (!args.batch).then_some(&*name);
        packed::judge(path, stream, as_rows, |line| within.answer(name, line), tell)
    };
    if args.batch && args.paths.is_empty() {
        judge_archive(Path::new("-"), packed::open(Path::new("-"))?)?;
    }
    let mut records = Vec::new();
    for path in &args.paths {
        if args.batch || packed::is_archive(path) {
            judge_archive(path, packed::open(path)?)?;
        } else if input::is_stdin(path) {
            match packed::standard_input()? {
                packed::Input::Archive(stream) => judge_archive(path, stream)?,
                packed::Input::Record(source) => records.push(source),
            }
        } else {
            paths.push(path.clone());
        }
    }
    for source in records {
        let mut text = String::new();
        let code = judge.report(Path::new("-"), Ok(&source), &mut text);
        tell((code, text))?;
    }
    let found = archive::find(&paths);
    let mut pending = String::new();
    let report = |(worst, text): &mut (u8, String), found: &Found, read: Result<&[u8], io::Error>| {
        let (Found::Record(path) | Found::Unreadable(path, _) | Found::NoRecord(path)) = found;
        *worst = worse(*worst, judge.report(path, read, text));
    };
    // A single record is judged faster than a handler is set.
    let mut progress = (found.len() > 1).then(|| Progress::of(Some(found.len() as u64)));
    let done = archive::gather(&found, report, |(code, text): (u8, String), records| {
        pending.push_str(&text);
        let full = pending.len() > 64 * 1024;
        let text = if full { std::mem::take(&mut pending) } else { String::new() };
        match &mut progress {
            Some(progress) => progress.aside(|| tell((code, text))).and_then(|()| progress.more(records as u64)),
            None => tell((code, text)),
        }
    });
    drop(progress);
    // What was done is reported, however the run ended.
    tell((0, pending))?;
    done
}

/// Returns the worse of two exit codes: what could not be judged outweighs what is illegal, and that outweighs a key that is not
/// trusted.
pub(super) fn worse(one: u8, other: u8) -> u8 {
    let weight = |code: u8| if code == hints::UNPROVEN { 1 } else { 2 * code };
    if weight(other) > weight(one) { other } else { one }
}

/// What the player knows apart from the records.
pub(super) struct Known {
    trusted: Vec<Trusted>,
    /// What was said of keys.
    statements: Vec<Statement>,
    /// The folder of the player's games, whose records are compared with what was last known of them.
    games: Option<Games>,
}

impl Known {
    /// Returns what the player of this machine knows: of keys only if it is `of_keys` too.
    pub(super) fn here(of_keys: bool) -> Self {
        let games = Settings::load().ok().and_then(|settings| Games::of(&settings.games_folder()));
        let (trusted, statements) =
            if of_keys { (keys::trusted().to_vec(), withdrawn::statements().to_vec()) } else { Default::default() };
        Self { trusted, statements, games }
    }

    /// Returns whether a record is one of the player's games.
    fn is_game(&self, file: &Path) -> bool {
        self.games.as_ref().is_some_and(|games| games.hold(file))
    }

    /// Returns what speaks against a legal record all the same, one line each: other keys than the ones that are known, and,
    /// for a file in the folder of the player's games, another past. `keys` and `made` are those of its verdict.
    pub(super) fn warnings(
        &self,
        file: Option<&Path>,
        source: &[u8],
        keys: [Option<PublicKey>; 2],
        made: [u32; 2],
    ) -> Vec<String> {
        let is_game = file.is_some_and(|file| self.is_game(file));
        let by_one_key = keys[0].is_some() && keys[0] == keys[1];
        if !is_game && !by_one_key && self.trusted.is_empty() && self.statements.is_empty() {
            return Vec::new();
        }
        let Ok(opened) = Opened::new(source) else { return Vec::new() };
        self.doubts(is_game, source, &Signing { header: &opened.header, keys, made })
    }

    fn doubts(&self, is_game: bool, source: &[u8], signing: &Signing<'_>) -> Vec<String> {
        let mut doubts = signing.distrust(&self.trusted, &self.statements);
        if is_game && let Ok(Some(rewritten)) = super::known::rewritten(&signing.header.id, source) {
            doubts.push(format!("it does not continue what was last known of it: {}", rewritten.what));
        }
        doubts
    }
}

/// The folder of the player's games, as a canonical path.
struct Games {
    folder: PathBuf,
    /// The folder of the last record, and whether it lies in the games folder. Most records are in the same folder as the one
    /// before, and resolving the path of each takes more system calls than reading it.
    last: Mutex<Option<(PathBuf, bool)>>,
}

impl Games {
    /// Returns `None` if there is no such folder.
    fn of(folder: &Path) -> Option<Self> {
        Some(Self { folder: dunce::canonicalize(folder).ok()?, last: Mutex::new(None) })
    }

    /// Returns whether a record lies in the folder, itself or by a link.
    fn hold(&self, file: &Path) -> bool {
        let within = |path: &Path| dunce::canonicalize(path).is_ok_and(|path| path.starts_with(&self.folder));
        let (Ok(found), Some(folder)) = (std::fs::symlink_metadata(file), file.parent()) else { return false };
        // A link in the folder is a game of the player's, wherever the record itself lies.
        if found.is_symlink() && within(file) {
            return true;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, holds)) if known == folder => *holds,
            _ => {
                let holds = within(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
                *last = Some((folder.to_owned(), holds));
                holds
            }
        }
    }
}

/// How records are judged, and what is printed of them.
#[derive(Clone, Copy)]
struct Judge<'a> {
    args: &'a Args,
    by: fn(&[u8]) -> Verdict,
    known: &'a Known,
    /// The pieces of the document that is printed, if it is one.
    pieces: Option<&'a Pieces>,
}

impl Judge<'_> {
    /// Judges what was read from a file, adds to `text` what is to be printed about it, and returns its exit code.
    fn report(&self, file: &Path, read: Result<&[u8], io::Error>, text: &mut String) -> u8 {
        // Almost every path is UTF-8, and seeing that takes less than looking for what is not.
        let path = &*file.to_str().map_or_else(|| file.to_string_lossy(), Cow::Borrowed);
        match read {
            Ok(source) => self.judged(file, path, source, text),
            Err(error) => {
                let why = format!("cannot be read: {error}");
                text.push_str(&match self.object(None, 0, || Report::unjudged(Some(path), why.clone())) {
                    Some(object) => object,
                    None => format!("{}: unjudged: {why}\n", printable(path)),
                });
                hints::TROUBLE
            }
        }
    }

    /// Returns what is printed of a record where that is no text for people. The last `against` warnings count against it.
    fn object<'r>(&self, archive: Option<&str>, against: usize, report: impl FnOnce() -> Report<'r>) -> Option<String> {
        match self.pieces {
            Some(pieces) => Some(pieces.piece(archive, &report(), against)),
            None if self.args.wants_json() || self.args.batch => Some(super::json::line(&report())),
            None => None,
        }
    }

    fn judged(&self, file: &Path, path: &str, source: &[u8], text: &mut String) -> u8 {
        let args = self.args;
        let verdict = (self.by)(source);
        let remarks = Remarks::of(source, &verdict);
        let (code, warnings, against) = match verdict.ruling {
            Ruling::Legal => warnings(args, self.known, file, source, remarks, &verdict),
            ruling => (hints::code_of(ruling), Vec::new(), 0),
        };
        if args.quiet {
            return code;
        }
        match self.object(None, against, || Report::of(Some(path), source, &verdict, warnings.clone())) {
            Some(object) => text.push_str(&object),
            None if verdict.ruling == Ruling::Legal => {
                legal(path, &verdict, &warnings, text);
                if remarks.receipts {
                    text.push_str(&received(path, source));
                }
            }
            None if args.verbose => text.push_str(&hints::report(source, &printable(path), &verdict, true)),
            None => text.push_str(&lines(path, source, &verdict)),
        }
        code
    }

    /// The answer to a line of an archive; `archive` is the name to report for the archive, if any.
    fn answer(&self, archive: Option<&str>, line: Result<&[u8], String>) -> (u8, String) {
        let with_members = |object: String, rest: &[(Cow<'_, str>, &RawValue)]| match self.pieces {
            Some(_) => object,
            None => with_members(object, archive, rest),
        };
        let line = match line.and_then(Line::read) {
            Ok(line) => line,
            Err(why) => {
                let answer = match self.object(archive, 0, || Report::unjudged(None, why.clone())) {
                    Some(object) => with_members(object, &[]),
                    None => format!("{}: unjudged: {why}\n", printable(archive.unwrap_or("-"))),
                };
                return (hints::TROUBLE, answer);
            }
        };
        let path = line.path.as_deref();
        if self.pieces.is_none() && !self.args.wants_json() && !self.args.batch {
            let place = format!("{}:{}", archive.unwrap_or("-"), path.unwrap_or("?"));
            let mut text = String::new();
            let code = self.judged(Path::new(&place), &place, &line.record, &mut text);
            return (code, text);
        }
        let verdict = (self.by)(&line.record);
        let (code, warnings, against) = match verdict.ruling {
            Ruling::Legal => {
                let (path, remarks) = (Path::new(path.unwrap_or_default()), Remarks::of(&line.record, &verdict));
                warnings(self.args, self.known, path, &line.record, remarks, &verdict)
            }
            ruling => (hints::code_of(ruling), Vec::new(), 0),
        };
        let report = || Report::of(path, &line.record, &verdict, warnings);
        let object = self.object(archive, against, report).unwrap_or_default();
        (code, with_members(object, &line.rest))
    }
}

/// Formats `FILE: legal, 41 entries, besiegers due`, and who signs it.
fn legal(path: &str, verdict: &Verdict, warnings: &[String], text: &mut String) {
    let entries = verdict.entries;
    let noun = if entries == 1 { " entry, " } else { " entries, " };
    let path = printable(path);
    // With many thousand records this line is a good part of the work, so it is put together without format strings.
    let (state, due) = state(verdict);
    let signed = signed(verdict);
    text.push_str(&path);
    text.push_str(": legal, ");
    push_number(text, entries);
    for part in [noun, &state, due] {
        text.push_str(part);
    }
    if !signed.is_empty() {
        text.push_str(&signed);
    }
    text.push('\n');
    for warning in warnings {
        text.push_str(&format!("{path}: warning: {warning}\n"));
    }
}

/// Replays a record that was found legal once more, for the digests of its chain. Its signatures, which take most of the time, are not
/// checked again.
fn with_digests(source: &[u8]) -> Option<(Opened<'_>, Digests)> {
    let mut opened = Opened::with_chain(source).ok()?;
    opened.table.set_check(Check::Nothing);
    let mut digests = Digests::of(source);
    let verdict = opened.replay_noting(&mut |table, _| digests.push(table));
    digests.push(opened.table.as_ref());
    (verdict.ruling == Ruling::Legal).then_some((opened, digests))
}

/// Formats `FILE: receipt: white has entry 12 and everything before it`, one line for the newest valid receipt of each side.
fn received(path: &str, source: &[u8]) -> String {
    let Some((opened, digests)) = with_digests(source) else { return String::new() };
    let mut newest = [None; 2];
    receipts::each(&opened, &digests, &mut |(_, read)| {
        if let Ok(one) = read
            && let Some(place) = newest.get_mut(one.side.index())
        {
            *place = (*place).max(Some(one.entry));
        }
    });
    let mut text = String::new();
    for (side, entry) in opened.header.info.sides.iter().zip(newest) {
        if let Some(entry) = entry {
            let (word, has) = (side.word, side.verb("have", "has"));
            text.push_str(&format!(
                "{}: receipt: {word} {has} entry {entry} and everything before it\n",
                printable(path)
            ));
        }
    }
    text
}

/// Which of the remarks that are checked a record may have.
#[derive(Clone, Copy)]
struct Remarks {
    faces: bool,
    receipts: bool,
}

impl Remarks {
    fn of(source: &[u8], verdict: &Verdict) -> Self {
        // Most records have no remarks at all, and preparing a search takes longer than seeing that.
        let has = |head: &str| verdict.has_remarks && memchr::memmem::find(source, head.as_bytes()).is_some();
        Self { faces: has(faces::HEAD), receipts: has(receipts::HEAD) }
    }
}

/// Returns the exit code of a legal record and the warnings about it, keys that differ from the known ones and a past that differs from
/// the known one among them; and how many of the warnings, from the last, say that it is not as an option asks.
fn warnings(
    args: &Args,
    known: &Known,
    file: &Path,
    source: &[u8],
    remarks: Remarks,
    verdict: &Verdict,
) -> (u8, Vec<String>, usize) {
    let mut warnings = Vec::new();
    let is_game = known.is_game(file);
    let Remarks { faces: has_faces, receipts: has_receipts } = remarks;
    let keys = verdict.signers.as_ref().map_or([None; 2], |signers| signers.keys);
    let by_one_key = keys[0].is_some() && keys[0] == keys[1];
    let looks_at_keys = by_one_key || args.trusted || !known.trusted.is_empty();
    if args.stamps.is_none() && !is_game && !has_faces && !has_receipts && !looks_at_keys {
        return (0, warnings, 0);
    }
    let Ok(mut opened) = Opened::new(source) else {
        return (0, warnings, 0);
    };
    if has_faces {
        opened.table.set_check(Check::Nothing);
        opened.replay(u32::MAX);
        warnings.extend(hints::wrong_faces(&opened));
    }
    if has_receipts && let Some((opened, digests)) = with_digests(source) {
        let (mut faulty, mut more) = (Vec::new(), 0);
        receipts::each(&opened, &digests, &mut |(line, read)| match read {
            Ok(_) => {}
            Err(_) if faulty.len() >= hints::WARNED => more += 1,
            Err(fault) => {
                let start: String = line.chars().take(40).collect();
                faulty.push(format!("`{}…` {}; it counts against nobody", printable(&start), fault.text()));
            }
        });
        warnings.append(&mut faulty);
        warnings.extend((more > 0).then(|| format!("{more} more receipts are not valid either")));
    }
    let signing = Signing { header: &opened.header, keys, made: verdict.made };
    warnings.extend(known.doubts(is_game, source, &signing));
    let lacks = if args.trusted { keys::untrusted(&signing, &known.trusted) } else { Vec::new() };
    let mut against = lacks.len();
    let mut code = if lacks.is_empty() { 0 } else { hints::UNPROVEN };
    if let Some(authorities) = &args.stamps {
        let desk = Desk::open(source);
        match desk.ok().map(|desk| stamps::report(&desk, authorities)) {
            Some(Ok((sound, lines))) => {
                if !sound {
                    code = hints::UNPROVEN;
                    against += lines.len();
                }
                let what = if sound { "stamped" } else { "not as --stamps asks" };
                warnings.extend(lines.into_iter().map(|line| format!("{what}: {line}")));
            }
            Some(Err(failure)) => {
                code = hints::TROUBLE;
                against += 1;
                warnings.push(failure.to_string().trim_end().to_owned());
            }
            None => {}
        }
    }
    warnings.extend(lacks.into_iter().map(|lack| format!("not as --trusted asks: {lack}")));
    (code, warnings, against)
}

/// Formats `; signed: besiegers by 1a2b-…, defenders not`; empty for a record without keys.
fn signed(verdict: &Verdict) -> String {
    let (Some(game), Some(signers)) = (verdict.game, &verdict.signers) else { return String::new() };
    let side = |side: Side| {
        let word = game.sides[side.index()].word;
        match &signers.keys[side.index()] {
            Some(key) => format!("{word} by {}", key.fingerprint()),
            None => format!("{word} not"),
        }
    };
    let [first, second] = Side::BOTH.map(side);
    let newest = if signers.newest_only { " (only the newest signature of each side was checked)" } else { "" };
    format!("; signed: {first}, {second}{newest}")
}

/// Returns how a game stands, in two parts: how it ended, or the side that is due and ` due`.
fn state(verdict: &Verdict) -> (Cow<'static, str>, &'static str) {
    let Some(game) = verdict.game else { return (Cow::Borrowed(""), "") };
    match (verdict.outcome, verdict.due) {
        (Some(outcome), _) => (Cow::Owned(outcome.text(&game.sides)), ""),
        (None, Some(side)) => (Cow::Borrowed(game.sides[side.index()].word), " due"),
        (None, None) => (Cow::Borrowed(""), ""),
    }
}

/// Formats one line per error: `FILE:LINE:COL: T21: …`.
fn lines(path: &str, source: &[u8], verdict: &Verdict) -> String {
    let index = LineIndex::new(source);
    let path = printable(path);
    let mut text = String::new();
    for error in &verdict.errors {
        let place = index.place(error.span.start as usize);
        let line = diagnostic::line(error, verdict.ruling.word());
        text.push_str(&format!("{path}:{}:{}: {line}\n", place.line, place.column));
    }
    if verdict.more > 0 {
        text.push_str(&format!("{path}: and {} more faults\n", verdict.more));
    }
    text
}

/// Returns an object's line with more members added at its end, unchanged; one that the object already has is left out.
fn with_members(object: String, archive: Option<&str>, rest: &[(Cow<'_, str>, &RawValue)]) -> String {
    const OWN: [&str; 10] =
        ["path", "verdict", "game", "entries", "due", "result", "signatures", "warnings", "errors", "archive"];
    let Some(body) = object.strip_suffix("}\n") else { return object };
    let text = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut line = body.to_owned();
    if let Some(archive) = archive {
        line.push_str(&format!(",\"archive\":{}", text(archive)));
    }
    for (name, value) in rest.iter().filter(|(name, _)| !OWN.contains(&&**name)) {
        // Unchanged except for line ends between its parts, because an answer is one line.
        line.push_str(&format!(",{}:{}", text(name), value.get().replace(['\n', '\r'], " ")));
    }
    line + "}\n"
}
