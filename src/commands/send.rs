//! `postrider send`.

use postrider_home::own_game::OwnGame;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::home::office;
use crate::cli::out::{print, print_from};
use crate::cli::{input, refusals};
use crate::commands::restore as known;
use postrider_board::render::sheet::in_brief;
use postrider_home::entry::dating;
use postrider_home::send::letters::{Delivered, Place, SendOptions, Way};
use postrider_home::send::{drafts, letters};
use postrider_kernel::text::printable;
use postrider_mail::Style;
use postrider_referee::desk::Desk;
use postrider_settings::AttachedPage;

/// Mail a record to your opponent
#[derive(Debug, Default, clap::Args)]
#[command(after_help = include_str!("help/send.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id. Without one, the only game that waits for your opponent
    #[arg(default_value = crate::cli::chosen::NOT_NAMED, hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// Print the letter and send nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Send it to this address instead of the one in the header
    #[arg(long, value_name = "ADDRESS")]
    to: Option<String>,
    /// Send it again although it was sent already
    #[arg(long)]
    force: bool,
    /// What the letter contains: only text; also a picture of the board; also links for the legal moves, if a bare move will do
    /// as a reply; or the new entries as a block of text, without an attachment
    #[arg(long, value_name = "STYLE")]
    letter: Option<LetterStyle>,
    /// The same as `--letter block`
    #[arg(long, conflicts_with_all = ["letter", "page"])]
    block: bool,
    /// Attach the game as a page with the referee in it, which opens in any browser (over 1 MB; `mail.page` in settings.yaml does
    /// this for other letters)
    #[arg(long)]
    page: bool,
    /// A personal message at the top of the letter
    #[arg(long, value_name = "TEXT")]
    word: Option<String>,
    /// Send the answer drafted for your opponent's last reply, instead of the record
    #[arg(long, conflicts_with_all = ["word", "force", "to", "letter", "block", "page", "json"])]
    draft: bool,
    /// Make the entry that the host asked for again with the present time, and send it
    #[arg(long, conflicts_with_all = ["dry_run", "draft"])]
    date_anew: bool,
    /// Report as JSON what became of the letter, one object on one line
    #[arg(long, conflicts_with = "dry_run")]
    json: bool,
}

impl Args {
    /// The command for this record, without options.
    pub(crate) fn of(file: &Path) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }

    /// The command that dates the entry anew which the host of this record has asked back.
    pub(crate) fn anew(file: &Path) -> Self {
        Self { date_anew: true, ..Self::of(file) }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    sent: Option<Sent<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum LetterStyle {
    Text,
    Picture,
    Taps,
    Block,
}

/// What became of a letter, for programs.
#[derive(Serialize)]
pub(crate) struct Sent<'a> {
    letter: &'static str,
    to: Option<&'a str>,
    message_id: Option<&'a str>,
    at: Option<String>,
    receipt: Option<&'a str>,
}

/// Returns what became of a letter, if there was anything to deliver.
pub(crate) fn sent(delivered: &Delivered) -> Option<Sent<'_>> {
    let is_mail = matches!(delivered.way, Some(Way::Sent | Way::SentBefore));
    Some(Sent {
        letter: match delivered.way? {
            Way::Sent => "sent",
            Way::SentBefore => "already sent",
            Way::Pushed | Way::PushedBefore => "pushed",
        },
        to: delivered.to.as_deref(),
        message_id: delivered.message_id.as_deref(),
        at: delivered.at.filter(|_| is_mail).map(|at| at.to_string()),
        receipt: delivered.receipt.as_deref().filter(|_| is_mail),
    })
}

/// Says what became of a letter, with a line end.
pub(crate) fn told(delivered: &Delivered) -> String {
    let entry = newest(delivered.entry);
    let shown = |text: &Option<String>| printable(text.as_deref().unwrap_or_default()).into_owned();
    let (to, receipt) = (shown(&delivered.to), shown(&delivered.receipt));
    let at = delivered.at.map(|at| at.to_string()).unwrap_or_default();
    match delivered.way {
        None => String::new(),
        Some(Way::SentBefore) if delivered.receipt.is_some() => {
            format!("{entry} to {to} was {receipt} on {at}, for you to mail; --force writes it again\n")
        }
        Some(Way::SentBefore) => format!("{entry} was sent to {to} on {at}; --force sends it again\n"),
        Some(Way::PushedBefore) => format!("{entry} was pushed on {at}; --force pushes it again\n"),
        Some(Way::Pushed) => format!("{entry}: the record was pushed to {receipt}\n"),
        Some(Way::Sent) => {
            let copy = delivered
                .twice
                .map(|at| format!("an earlier run of {at} may have sent it too; the copy does no harm\n"));
            format!("{}{entry} to {to}: the letter was {receipt}\n", copy.unwrap_or_default())
        }
    }
}

/// What a letter brings, by the number of its newest entry.
pub(crate) fn newest(entry: u32) -> String {
    if entry == 0 { "the invitation".to_owned() } else { format!("entry {entry}") }
}

/// Sends the record in a file to the opponent.
pub(crate) fn deliver(desk: &Desk<'_>, file: &Path, options: &SendOptions) -> Result<Delivered, Failure> {
    let name = name(file);
    Ok(letters::deliver(
        &OwnGame::new(&*office()?, &desk.opened.header.id),
        desk,
        Place { file, name: &name },
        options,
    )?)
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let letter = args.block.then_some(LetterStyle::Block).or(args.letter).map(|letter| match letter {
        LetterStyle::Text => Style::Text,
        LetterStyle::Picture => Style::Picture,
        LetterStyle::Taps => Style::Taps,
        LetterStyle::Block => Style::Block,
    });
    let page = args.page.then_some(AttachedPage::Always);
    let (to, force, word) = (args.to.clone(), args.force, args.word.clone());
    let options = SendOptions::asked(to, force, letter, page, word);
    let origin = name(&args.file);
    let source = if args.date_anew { dated_anew(&args.file, &origin)? } else { input::record(&args.file)? };
    postrider_home::records::refuse_practice(&source, &origin)?;
    let desk = refusals::legal(&source, &origin)?;
    known::guard_mail(&desk.opened, &source, &origin, postrider_home::known::Use::Send)?;
    if args.draft {
        return drafted(&desk, args.dry_run);
    }
    if args.dry_run {
        match letters::draft(&OwnGame::new(&*office()?, &desk.opened.header.id), &desk, &options)? {
            letters::Draft::Letter(letter) => print_from(|out| letter.write_to(out))?,
            letters::Draft::Commit(message) => print(message)?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let delivered = deliver(&desk, &args.file, &options)?;
    err!("{}", crate::cli::hints::fitting(&told(&delivered)));
    if args.json {
        let state = postrider_board::report::State::of(&origin, &desk.opened.header, &desk.opened.table.standing());
        print(postrider_board::report::line(&Report { state, sent: sent(&delivered) }))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Dates the entries anew that the host has asked back, and returns the record with them.
fn dated_anew(file: &Path, origin: &str) -> Result<Vec<u8>, Failure> {
    let dated = dating::anew(&*office()?, Place { file, name: origin })?;
    for line in &dated.lines {
        errln!("dated anew: {}", in_brief(&printable(line)));
    }
    Ok(dated.record)
}

/// Sends the drafts about the entry that is due, and removes them.
fn drafted(desk: &Desk<'_>, dry_run: bool) -> Result<ExitCode, Failure> {
    let office = office()?;
    drafts::each(&office, desk, |draft| {
        if dry_run {
            return print_from(|out| draft.letter.write_to(out));
        }
        let (receipt, left) = draft.send(&office)?;
        if let Some(error) = left {
            errln!("{error}");
        }
        errln!("the draft to {} was {}", printable(draft.to), printable(&receipt.to_string()));
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}
