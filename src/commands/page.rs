//! `postrider page`.

mod checked;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::doubts::{Doubts, Known};
use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::{input, keys, out, packed};
use crate::commands::restore as known;
use postrider_archive::pages;
use postrider_archive::sources::Origin;
use postrider_disk::found::Found;
use postrider_kernel::Side;
use postrider_page::{Contents, Listed, Made, file_name};
use postrider_referee::verdict::Ruling;

/// Write a game as a page for any browser, without a network
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/page.txt"))]
pub(crate) struct Args {
    /// The record, or a folder of records; `-` for standard input. May be left out with --referee, for a page without a game
    #[arg(required_unless_present_any = ["referee", "app"])]
    pub(crate) file: Option<PathBuf>,
    /// The page to write: a file, a folder if the records are in a folder, or `-` for standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// Include the referee, so that the page can verify records and play
    #[arg(long)]
    referee: bool,
    /// Write the page without a game as an app into the folder named with -o: static files for any web server. Browsers can install it and
    /// run it offline
    #[arg(long, conflicts_with_all = ["file", "referee", "without_addresses", "from"])]
    app: bool,
    /// Check that a page, or a folder with the app, is byte for byte what this version writes, apart from the record; exit code 1 if not
    #[arg(long, conflicts_with_all = ["output", "referee", "app", "without_addresses", "from"])]
    check: bool,
    /// Leave out the record, which contains the players' mail addresses; such a page cannot be verified
    #[arg(long)]
    without_addresses: bool,
    /// The side at the bottom of the board
    #[arg(long, value_name = "SIDE")]
    from: Option<String>,
}

/// Says that a page is not for the screen, before anything is done for it.
pub(crate) fn not_on_screen(output: &Path) -> Result<(), Failure> {
    if input::is_stdin(output) && io::stdout().is_terminal() {
        return Err(Failure::trouble("a page is not for the screen")
            .hint("name a file with -o, as in `-o game.html`, and open it in a browser"));
    }
    Ok(())
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if let Some(file) = args.file.as_ref().filter(|_| args.check) {
        return checked::run(file);
    }
    if args.app {
        return of_app(&args.output);
    }
    not_on_screen(&args.output)?;
    match &args.file {
        None => {
            out::written(&args.output, postrider_page::referee_alone().as_bytes())?;
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
    if verdict.entries > postrider_page::MOST_ENTRIES {
        let most = postrider_page::MOST_ENTRIES;
        return Err(Failure::trouble(format!(
            "{origin} has {} entries, and a page shows at most {most}",
            verdict.entries
        ))
        .hint("`postrider archive replay` prints every position"));
    }
    let from = args.from.as_deref().map_or(Ok(Side::First), |word| input::side(opened.header.info, word))?;
    let contents = Contents { referee: args.referee, record: !args.without_addresses, from };
    if verdict.ruling == Ruling::Legal {
        keys::warn_of_keys(&opened);
        known::warn(&opened, &source, &origin);
    }
    out::written(&args.output, postrider_page::page(&source, &opened, &verdict, &contents).as_bytes())?;
    if contents.record && postrider_page::has_addresses(&opened) {
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

/// What was made of a record among others, what is to be said of it, and its mark; if its page is there, the page's name and mark, and the
/// record.
type Told<'k> = (Made, Vec<String>, (String, Option<((&'k str, &'k str), Vec<u8>)>));

fn of_folder(args: &Args, folder: &Path) -> Result<ExitCode, Failure> {
    if input::is_stdin(&args.output) {
        return Err(
            Failure::trouble("the pages of a folder are several files").hint("name a folder for them, as in -o pages/")
        );
    }
    if postrider_disk::finding::find(&[folder.to_owned()]).iter().all(|found| matches!(found, Found::NoRecord(_))) {
        return Err(Failure::trouble(format!("there is no record (*.pbem) in {}", name(folder)))
            .hint("name a folder with records in it, or one record: postrider page game.pbem -o game.html"));
    }
    make_folder(&args.output)?;
    let mut files = postrider_disk::files::NewFiles::default();
    let mut list: Vec<Listed> = Vec::new();
    let mut taken: BTreeSet<String> = BTreeSet::from(["index.html".to_owned()]);
    let (mut worst, mut addresses) = (0, false);
    let known = Known::here(true);
    let mut doubts = Doubts::default();
    let contents = (args.referee, !args.without_addresses);
    let module = postrider_page::module_digest(postrider_page::REFEREE);
    let from = args.from.as_deref().unwrap_or_default();
    let there = pages::Kept::read(&args.output, format!("{} {module} {from} {contents:?}", env!("CARGO_PKG_VERSION")));
    let mut noted = Vec::new();
    let make = |Origin { path, file }: Origin<'_>, record: Result<&[u8], String>| {
        let path = path.unwrap_or("-");
        let Ok(source) = record else {
            return (Made::unread(path, record.err().unwrap_or_default()), Vec::new(), (String::new(), None));
        };
        let mark = there.mark(source);
        // The record goes along in case that another file of the same name takes the name of the page.
        let page = there.page(path, &mark).map(|file| (file, source.to_vec()));
        let made = Made::of(path, source, args.from.as_deref(), contents, page.is_some());
        let warnings = match &made.verdict {
            Some(verdict) if verdict.ruling == Ruling::Legal => {
                let keys = verdict.signers.as_ref().map_or([None; 2], |signers| signers.keys);
                known.warnings(file, source, keys, verdict.made)
            }
            _ => Vec::new(),
        };
        (made, warnings, (mark, page))
    };
    let damaged = packed::each(&[folder.to_owned()], make, |(made, warnings, (mark, before)): Told<'_>| {
        let Made { mut listed, page, addresses: with, verdict } = made;
        doubts.tell(Some(&listed.path), warnings);
        worst = worst.max(verdict.map_or(hints::TROUBLE, |verdict| hints::code_of(verdict.ruling)));
        if page.is_some() || before.is_some() {
            let file = file_name(&listed.path, &mut taken);
            let (page, kept) = match &before {
                Some(((there, page), _)) if *there == file => (None, (*page).to_owned()),
                Some((_, source)) => {
                    (Made::of(&listed.path, source, args.from.as_deref(), contents, false).page, String::new())
                }
                None => (page, String::new()),
            };
            let kept = match &page {
                Some(page) => {
                    files.put(&args.output.join(&file), page.as_bytes())?;
                    pages::mark_of(page.as_bytes())
                }
                None => kept,
            };
            addresses |= with;
            noted.push(pages::Noted { path: listed.path.clone(), of: mark, file: file.clone(), page: kept });
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
    let notes = there.notes(noted);
    for (path, bytes) in [(&index, postrider_page::index(&title, &list).into_bytes()), (&notes.0, notes.1)] {
        // What is the same is not written anew, so that only what changed has to be published.
        if !pages::is_same(path, &bytes) {
            files.put(path, &bytes)?;
        }
    }
    input::written(files.finish())?;
    let pages = list.iter().filter(|listed| listed.page.is_some()).count();
    let pages = postrider_kernel::text::counted(pages as u64, "page", "pages");
    errln!("{} written, and {pages} beside it", name(&index));
    if addresses {
        errln!(
            "note: the records are in the pages, and the players' mail addresses are in the records; --without-addresses leaves them out"
        );
    }
    Ok(ExitCode::from(worst.max(damaged)))
}

/// Writes the app.
fn of_app(output: &Path) -> Result<ExitCode, Failure> {
    if input::is_stdin(output) {
        return Err(Failure::trouble("the app is several files").hint("name a folder for them, as in -o app/"));
    }
    make_folder(output)?;
    let all = postrider_page::app();
    let mut files = postrider_disk::files::NewFiles::default();
    for file in &all {
        files.put(&output.join(&file.name), &file.bytes)?;
    }
    input::written(files.finish())?;
    let bytes: usize = all.iter().map(|file| file.bytes.len()).sum();
    errln!(
        "{}: {} files written, {bytes} bytes, with the referee {}",
        name(output),
        all.len(),
        digits(&postrider_page::module_digest(postrider_page::PLAYER))
    );
    Ok(ExitCode::SUCCESS)
}

/// As many digits of a module's digest as a page shows.
fn digits(digest: &str) -> &str {
    digest.get(..16).unwrap_or(digest)
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
    let made = postrider_disk::files::new_folder(output).map(drop);
    made.map_err(|error| Failure::trouble(format!("{} cannot be made: {error}", name(output))))
}
