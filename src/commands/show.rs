//! `postrider show`.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::{print, print_bytes};
use crate::cli::view::Shown;
use crate::cli::{input, keys, report, terminal, view};
use crate::commands::{answer, restore as known};
use postrider_board::picture::terminal::Protocol;
use postrider_board::picture::{Options, Picture};
use postrider_board::render::sheet;
use postrider_board::render::sheet::Extras;
use postrider_home::entry::view::Seen;
use postrider_kernel::{Side, Viewer};
use postrider_referee::verdict::{Opened, Ruling};

/// Show the board, the last entry, and whose entry is due
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/show.txt"))]
pub(crate) struct Args {
    /// The record, or a game's id; `-` for standard input. Without one, the only game that waits for you
    #[arg(default_value = crate::cli::chosen::NOT_NAMED, hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// Show the game after entry N; 0 is the start
    #[arg(long, value_name = "N")]
    at: Option<u32>,
    /// Print only the position line
    #[arg(long, conflicts_with_all = ["view", "from", "compact", "unicode"])]
    position: bool,
    /// Mark something on the board: in assideum the flight zone of the Portal on a square, or all those of a side; in
    /// Subsume the stack of the territory on a square
    #[arg(long, value_name = "WHAT", conflicts_with = "position")]
    mark: Option<String>,
    /// Describe the position in words, for a screen reader
    #[arg(long, conflicts_with_all = ["position", "unicode", "from", "compact"])]
    words: bool,
    /// Draw the board as a picture, if the terminal is known to show pictures; name a protocol to force one
    #[arg(
        long,
        value_name = "WAY",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "auto",
        conflicts_with_all = ["position", "words", "compact", "unicode", "mark"]
    )]
    picture: Option<Way>,
    #[command(flatten)]
    shown: Shown,
    /// Print JSON, one object on one line: what everyone may see, and with --view what that side may see
    #[arg(long, conflicts_with_all = ["position", "mark", "words", "unicode", "picture", "compact", "from"])]
    json: bool,
}

/// How the terminal takes pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Way {
    /// What the terminal's environment suggests, otherwise what the terminal answers
    Auto,
    Kitty,
    Iterm,
    Sixel,
}

impl Way {
    /// The protocol for pictures; `None` if the terminal is not known to support one, or there is no terminal.
    fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Auto if std::io::stdout().is_terminal() => terminal::protocol(),
            Self::Auto => None,
            Self::Kitty => Some(Protocol::Kitty),
            Self::Iterm => Some(Protocol::Iterm),
            Self::Sixel => Some(Protocol::Sixel),
        }
    }
}

/// How wide a picture in a terminal is, in pixels.
const PIXELS: u16 = 480;

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (opened, verdict) = input::open(&source, &origin, args.at.unwrap_or(u32::MAX))?;
    let failed = verdict.ruling != Ruling::Legal;
    if let Some(at) = args.at.filter(|&at| at > verdict.entries && !failed) {
        return Err(input::no_entry(&origin, verdict.entries, at));
    }
    if args.json {
        // A program gets what everybody may see, unless it asks for more.
        let newest = args.at.is_none() && !failed;
        let shown = Opened::with_table(&source, opened.table.copy()).map_err(|verdict| *verdict);
        let Ok(shown) = shown else { return report::show(&origin, &source, &opened, &verdict, Viewer::Public, None) };
        let Seen { opened: own, viewer, scene, foreseen } = args.shown.seen(shown, None, None, newest)?;
        let foreseen = Some(&scene).filter(|_| foreseen);
        // The position, and whose entry is due, are what has been entered.
        let opened = if foreseen.is_some() { &opened } else { &own };
        return report::show(&origin, &source, opened, &verdict, viewer, foreseen);
    }
    if args.position {
        print(format!("{}\n", opened.table.position()))?;
    } else {
        let look = args.shown.look(&opened)?;
        let now = if args.at.is_none() { Some(input::now(None)?) } else { None };
        let extras = Extras { entries: sheet::last_entries(&opened, 1), now, local: true };
        let newest = args.at.is_none() && !failed;
        let forced = if newest && !args.shown.is_public() { answer::hint(&opened, &origin) } else { None };
        if newest {
            keys::warn(&opened);
            known::warn(&opened, &source, &origin);
        }
        let (before, own) = (view::before(&opened), mine(&opened));
        let seen = args.shown.seen(opened, before, own, newest)?;
        let notes = args.shown.notes(&seen);
        let Seen { opened, viewer, scene, .. } = seen;
        let scene = match &args.mark {
            None => scene,
            Some(what) => opened.table.marked(viewer, what).ok_or_else(|| {
                let message = format!("there is nothing to mark by `{what}` on this board");
                Failure::trouble(message)
                    .hint("in assideum it is the square of a Portal, or a side; in Subsume a square of a territory")
            })?,
        };
        let protocol = args.picture.and_then(Way::protocol);
        if args.picture.is_some() && protocol.is_none() {
            errln!(
                "this terminal is not known to show pictures: `--picture=kitty`, `=iterm` or `=sixel` forces one; \
                 `postrider picture {} -o board.png` makes a file",
                hints::arg(&origin)
            );
        }
        let sheet = if let Some(protocol) = protocol {
            let from = if look.turned { Side::Second } else { Side::First };
            let picture = Picture::of(&scene, &Options { from, ..Options::default() });
            print_bytes(&picture.escapes(protocol, PIXELS).unwrap_or_default())?;
            let rows = scene.captions.iter().map(|(label, text)| format!("{label}: {text}\n"));
            let shelves = scene.shelves.iter().map(|shelf| format!("{}: {}\n", shelf.title, shelf.text));
            rows.chain(shelves).collect::<String>() + &sheet::state(&opened, &extras)
        } else if args.words {
            scene.words() + &sheet::state(&opened, &extras)
        } else {
            sheet::draw(&opened, &scene, &extras, look)
        };
        let blank = if notes.is_empty() { "" } else { "\n" };
        print(format!("{sheet}{blank}{notes}"))?;
        if let Some(hint) = forced {
            errln!("hint: {hint}");
        }
    }
    // First what is legal is shown, then what stopped the replay.
    if failed {
        Err(Failure::verdict(&source, &origin, &verdict, true))
    } else {
        Ok(ExitCode::from(hints::code_of(verdict.ruling)))
    }
}

/// The player's side, if it is known.
fn mine(opened: &Opened<'_>) -> Option<Side> {
    crate::cli::home::side(opened)
}
