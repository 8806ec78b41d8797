//! `postrider show`.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{self, Failure, name};
use super::out::{print, print_bytes};
use super::view::Shown;
use super::{answer, input, keys, known, report, terminal, view};
use crate::games::kernel::{Side, Viewer};
use crate::picture::terminal::Protocol;
use crate::picture::{Options, Picture};
use crate::render::sheet::{self, Extras};
use crate::scene::Scene;
use crate::sealing::Check;
use crate::verdict::{Opened, Ruling};

/// Show the board, the last entry, and whose entry is due
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider show game.pbem                the present board
  postrider show game.pbem --at 12        the board after entry 12
  postrider show game.pbem --position     the position as one line
  postrider show game.pbem --words        the position in words
  postrider show game.pbem --mark c1      the flight zone of a Portal (assideum), or a whole stack (Subsume)
  postrider show game.pbem --as public    what everyone sees, without your hidden pieces and cards
  postrider show game.pbem --from black   with black at the bottom
  postrider show game.pbem --compact      in few lines, for a small terminal
  postrider show game.pbem --picture      a picture, in kitty, iTerm2 and terminals with sixels
  cat game.pbem | postrider show -")]
pub(super) struct Args {
    /// The record, or a game's id; `-` for standard input. Without one, the only game that waits for you
    #[arg(default_value = super::chosen::NOT_NAMED, hide_default_value = true)]
    pub(super) file: PathBuf,
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
    /// Say the position in words, for a screen reader
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
    /// Print JSON, one object on one line: what everyone may see, and with --as what that side may see
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

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (mut opened, verdict) = input::open(&source, &origin, args.at.unwrap_or(u32::MAX))?;
    let failed = verdict.ruling != Ruling::Legal;
    if let Some(at) = args.at.filter(|&at| at > verdict.entries && !failed) {
        return Err(Failure::trouble(format!(
            "{origin} has {}: there is no entry {at}",
            crate::text::entries(verdict.entries)
        )));
    }
    if args.json {
        // A program gets what everybody may see, unless it asks for more.
        let viewer = match &args.shown.view {
            None => Viewer::Public,
            Some(_) => args.shown.viewer(&mut opened)?,
        };
        return report::show(&origin, &source, &opened, &verdict, viewer);
    }
    if args.position {
        print(format!("{}\n", opened.table.position()))?;
    } else {
        let look = args.shown.look(&opened)?;
        let now = if args.at.is_none() { Some(input::now(None)?) } else { None };
        let extras = Extras { entries: sheet::last_entries(&opened, 1), now, local: true };
        let public = args.shown.view.as_deref() == Some(super::view::PUBLIC);
        let forced = if args.at.is_none() && !failed { answer::hint(&opened, &origin) } else { None };
        let after = if args.at.is_none() && !failed && !public { keys::after_openings(&opened) } else { Ok(None) };
        if args.at.is_none() && !failed {
            keys::warn(&opened);
            known::warn(&opened, &source, &origin);
        }
        // There has already been a warning about what cannot be opened.
        let foreseen = after.unwrap_or_default().map(|after| opened.table = after).is_some();
        let viewer = args.shown.viewer(&mut opened)?;
        let yours = args.shown.note(&opened, viewer);
        let scene = match &args.mark {
            None => opened.table.view(viewer),
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
            let mut scene = scene;
            if let Some(before) = before(&source, verdict.entries, viewer) {
                scene.mark_since(&before);
            }
            let from = if look.turned { Side::Second } else { Side::First };
            let picture = Picture::of(&scene, &Options { from, ..Options::default() });
            print_bytes(&picture.escapes(protocol, PIXELS).unwrap_or_default())?;
            let rows = scene.captions.iter().map(|(label, text)| format!("{label}: {text}\n"));
            let shelves = scene.shelves.iter().map(|shelf| format!("{}: {}\n", shelf.title, shelf.text));
            rows.chain(shelves).collect::<String>() + &sheet::state(&opened, &extras)
        } else if args.words {
            let mut scene = scene;
            if let Some(before) = before(&source, verdict.entries, viewer) {
                scene.mark_since(&before);
            }
            scene.words() + &sheet::state(&opened, &extras)
        } else {
            let mut scene = scene;
            if args.mark.is_none()
                && let Some(before) = before(&source, verdict.entries, viewer)
            {
                scene.mark_since(&before);
            }
            sheet::draw(&opened, &scene, &extras, look)
        };
        let only_you = if foreseen { sheet::ONLY_YOU } else { "" };
        let blank = if only_you.len() + yours.len() > 0 { "\n" } else { "" };
        print(format!("{sheet}{blank}{yours}{only_you}"))?;
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

/// The longest record, in bytes, that is replayed once more to mark what the last entry did.
const MARKED: usize = 1 << 20;

/// The scene before the last of so many entries, with which what it did is found; none of a very long record.
pub(super) fn before(source: &[u8], entries: u32, viewer: Viewer) -> Option<Scene> {
    let number = entries.checked_sub(1).filter(|_| source.len() <= MARKED)?;
    let mut opened = Opened::new(source).ok()?;
    opened.table.set_check(Check::Nothing);
    opened.replay(number);
    // Otherwise everything that only the viewer sees would be marked as new.
    if let Viewer::Side(side) = viewer {
        view::of(&mut opened, side);
    }
    Some(opened.table.view(viewer))
}
