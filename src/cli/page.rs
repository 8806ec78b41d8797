//! `postrider page`.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::hints::{self, Failure, name};
use super::packed::{Doubts, Origin, Records};
use super::verify::Known;
use super::{input, keys, known, print_bytes};
use crate::archive::{self, Found};
use crate::games::kernel::Side;
use crate::page::{self, Contents, Listed};
use crate::store;
use crate::text::printable;
use crate::verdict::{Opened, Ruling};

/// Write a game as a page: one file for any browser, without a network
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider page game.pbem -o game.html                every position, the moves, messages, record
  postrider page game.pbem -o game.html --referee      the page also verifies records, and plays
  postrider page game.pbem -o game.html --without-addresses
  postrider page --referee -o referee.html             the referee alone, to drop records on or begin games
  postrider page games/ -o pages/                      one page per game, and index.html

A page shows what everyone may see. It works from a disk, as a mail attachment and on any web server; it loads nothing and sends \
nothing. `postrider rules page` explains how to use it.")]
pub(super) struct Args {
    /// The record, or a folder of records; `-` for standard input. May be left out with --referee, for a page without a game
    #[arg(required_unless_present = "referee")]
    pub(super) file: Option<PathBuf>,
    /// The page to write: a file, a folder if the records are in a folder, or `-` for standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// Include the referee, so that the page can verify records and play
    #[arg(long)]
    referee: bool,
    /// Leave out the record, which contains the players' mail addresses; the page then cannot be verified
    #[arg(long)]
    without_addresses: bool,
    /// The side at the bottom of the board
    #[arg(long, value_name = "SIDE")]
    from: Option<String>,
}

/// Says that a page is not for the screen, before anything is done for it.
pub(super) fn not_on_screen(output: &Path) -> Result<(), Failure> {
    if input::is_stdin(output) && io::stdout().is_terminal() {
        return Err(Failure::trouble("a page is not for the screen")
            .hint("name a file with -o, as in `-o game.html`, and open it in a browser"));
    }
    Ok(())
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    not_on_screen(&args.output)?;
    match &args.file {
        None => {
            written(&args.output, page::referee_alone().as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(folder) if folder.is_dir() => of_folder(args, folder),
        Some(file) => of_file(args, file),
    }
}

fn of_file(args: &Args, file: &Path) -> Result<ExitCode, Failure> {
    let source = input::record(file)?;
    let origin = name(file);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    if verdict.entries > page::MOST_ENTRIES {
        let most = page::MOST_ENTRIES;
        return Err(Failure::trouble(format!(
            "{origin} has {} entries, and a page shows at most {most}",
            verdict.entries
        ))
        .hint("`postrider replay` prints every position"));
    }
    let contents = Contents { referee: args.referee, record: !args.without_addresses, from: from(args, &opened)? };
    if verdict.ruling == Ruling::Legal {
        keys::warn_of_keys(&opened);
        known::warn(&opened, &source, &origin);
    }
    written(&args.output, page::page(&source, &opened, &verdict, &contents).as_bytes())?;
    if contents.record && page::has_addresses(&opened) {
        errln!(
            "note: the record is in the page, and the players' mail addresses are in the record; --without-addresses leaves it out"
        );
    }
    if verdict.ruling == Ruling::Legal {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Failure::verdict(&source, &origin, &verdict, true))
    }
}

fn from(args: &Args, opened: &Opened<'_>) -> Result<Side, Failure> {
    let info = opened.header.info;
    let Some(word) = &args.from else { return Ok(Side::First) };
    info.side(word).ok_or_else(|| {
        let [first, second] = info.sides.map(|side| side.word);
        Failure::trouble(format!("{} has no side `{word}`", info.title))
            .hint(format!("the sides are {first} and {second}"))
    })
}

pub(super) fn written(output: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if input::is_stdin(output) {
        return print_bytes(bytes);
    }
    store::put(output, bytes).map_err(|error| Failure::writing(&error))?;
    errln!("{} written, {} bytes", name(output), bytes.len());
    Ok(())
}

/// A record in a folder, its page, and whether the page contains addresses.
struct Made {
    listed: Listed,
    page: Option<String>,
    addresses: bool,
    code: u8,
    /// What is doubtful about a legal record.
    warnings: Vec<String>,
}

fn of_folder(args: &Args, folder: &Path) -> Result<ExitCode, Failure> {
    if input::is_stdin(&args.output) {
        return Err(
            Failure::trouble("the pages of a folder are several files").hint("name a folder for them, as in -o pages/")
        );
    }
    if archive::find(&[folder.to_owned()]).iter().all(|found| matches!(found, Found::NoRecord(_))) {
        return Err(Failure::trouble(format!("there is no record (*.pbem) in {}", name(folder)))
            .hint("name a folder with records in it, or one record: postrider page game.pbem -o game.html"));
    }
    make_folder(&args.output)?;
    let mut files = store::NewFiles::default();
    let mut list: Vec<Listed> = Vec::new();
    let mut taken: BTreeSet<String> = BTreeSet::from(["index.html".to_owned()]);
    let (mut worst, mut addresses) = (0, false);
    let known = Known::here(true);
    let mut doubts = Doubts::default();
    let make = |from: Origin<'_>, record: Result<&[u8], String>| made(args, &known, from, record);
    let damaged = Records::of(&[folder.to_owned()]).each(make, |made: Made| {
        let Made { mut listed, page, addresses: with, code, warnings } = made;
        doubts.tell(Some(&listed.path), warnings);
        worst = worst.max(code);
        if let Some(page) = page {
            let file = file_name(&listed.path, &mut taken);
            files.put(&args.output.join(&file), page.as_bytes()).map_err(|error| Failure::writing(&error))?;
            addresses |= with;
            listed.page = Some(file);
        }
        // Where the folder lies on this disk is nothing for a page that is published.
        if let Ok(within) = Path::new(&listed.path).strip_prefix(folder) {
            listed.path = name(within);
        }
        list.push(listed);
        Ok(())
    })?;
    list.sort_by(|one, other| (&other.started, &one.path).cmp(&(&one.started, &other.path)));
    let title = folder.file_name().map_or_else(|| "Games".into(), |name| name.to_string_lossy().into_owned());
    doubts.count();
    let index = args.output.join("index.html");
    files.put(&index, page::index(&title, &list).as_bytes()).map_err(|error| Failure::writing(&error))?;
    input::written(files.finish())?;
    let pages = list.iter().filter(|listed| listed.page.is_some()).count();
    errln!("{} written, and {pages} pages beside it", name(&index));
    if addresses {
        errln!(
            "note: the records are in the pages, and the players' mail addresses are in the records; --without-addresses leaves them out"
        );
    }
    Ok(ExitCode::from(worst.max(damaged)))
}

/// Makes the folder for pages, unless it is there. A name that belongs to a file is refused.
fn make_folder(output: &Path) -> Result<(), Failure> {
    if output.is_dir() {
        return Ok(());
    }
    let is_page =
        output.extension().is_some_and(|kind| ["html", "htm"].iter().any(|one| kind.eq_ignore_ascii_case(one)));
    if is_page || output.exists() {
        let what = if output.exists() { "is a file" } else { "is the name of a file" };
        let instead = if is_page { output.with_extension("") } else { PathBuf::from("pages") };
        return Err(Failure::trouble(format!("{} {what}, and the pages of a folder are several files", name(output)))
            .hint(format!("name a folder for them, as in -o {}/", hints::shell(&instead))));
    }
    let made = store::new_folder(output).map(drop);
    made.map_err(|error| Failure::trouble(format!("{} cannot be made: {error}", name(output))))
}

fn made(args: &Args, known: &Known, Origin { path, file }: Origin<'_>, record: Result<&[u8], String>) -> Made {
    let path = path.unwrap_or("-");
    let listed = |name: String, end: String| Listed {
        page: None,
        path: path.to_owned(),
        game: "no game".into(),
        name,
        started: String::new(),
        entries: 0,
        state: "refused",
        end,
    };
    let refused = |end: String, code: u8| Made {
        listed: listed("not a game".into(), end),
        page: None,
        addresses: false,
        code,
        warnings: Vec::new(),
    };
    let source = match record {
        Ok(source) => source,
        Err(why) => return refused(why, hints::TROUBLE),
    };
    let mut opened = match Opened::new(source) {
        Ok(opened) => opened,
        Err(verdict) => return refused(verdict.to_string(), hints::code_of(verdict.ruling)),
    };
    let verdict = opened.replay(u32::MAX);
    let side = args.from.as_deref().and_then(|word| opened.header.info.side(word)).unwrap_or(Side::First);
    let contents = Contents { referee: args.referee, record: !args.without_addresses, from: side };
    let header = &opened.header;
    let standing = opened.table.standing();
    let [first, second] = Side::BOTH.map(|side| header.player(side).name.as_ref());
    let title = header.title.as_ref().map(|title| format!(": {title}")).unwrap_or_default();
    let sides = &header.info.sides;
    let (state, end) = match (verdict.ruling, standing.outcome) {
        (Ruling::Legal, Some(outcome)) => ("over", outcome.text(sides)),
        (Ruling::Legal, None) => ("running", format!("{} due", sides[standing.due.side.index()].word)),
        _ => ("refused", verdict.to_string()),
    };
    let fits = verdict.entries <= page::MOST_ENTRIES;
    let page = fits.then(|| page::page(source, &opened, &verdict, &contents));
    Made {
        listed: Listed {
            page: None,
            path: path.to_owned(),
            game: header.info.title.to_owned(),
            name: format!("{first} against {second}{title}"),
            started: header.started.to_string(),
            entries: verdict.entries,
            state,
            end,
        },
        addresses: page.is_some() && contents.record && page::has_addresses(&opened),
        page,
        code: hints::code_of(verdict.ruling),
        warnings: match verdict.ruling {
            Ruling::Legal => {
                let keys = verdict.signers.as_ref().map_or([None; 2], |signers| signers.keys);
                known.warnings(file, source, keys, verdict.made)
            }
            _ => Vec::new(),
        },
    }
}

/// Returns the name of a record's page: that of its file with unsafe characters replaced, and different from all
/// others.
fn file_name(path: &str, taken: &mut BTreeSet<String>) -> String {
    let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let stem: String = printable(&stem).chars().map(plain).take(80).collect();
    let stem = if stem.is_empty() { "game".to_owned() } else { stem };
    let mut name = format!("{stem}.html");
    let mut number = 1_u32;
    // Not every file system distinguishes case.
    while !taken.insert(name.to_ascii_lowercase()) {
        number += 1;
        name = format!("{stem}-{number}.html");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pages_are_plain_and_unique() {
        let mut taken = BTreeSet::from(["index.html".to_owned()]);
        let names = ["a/game.pbem", "b/game.pbem", "b/Game.pbem", "index.pbem", "../<b>\u{202e}.pbem", ".pbem", ""];
        let names = names.map(|path| file_name(path, &mut taken));
        assert_eq!(names[..4], ["game.html", "game-2.html", "Game-3.html", "index-2.html"]);
        assert!(
            names.iter().all(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))),
            "{names:?}"
        );
    }
}
