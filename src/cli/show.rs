//! `postrider show`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::hints::{self, Failure, name};
use super::keys::Keys;
use super::{input, keys, known, print, report};
use crate::games::kernel::Viewer;
use crate::render::Look;
use crate::render::sheet::{self, Extras};
use crate::scene::Scene;
use crate::sealing::{Check, Owner};
use crate::verdict::{Opened, Ruling};

/// Show the board, the last entry, and whose entry is due
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider show game.pbem                the board as it stands
  postrider show game.pbem --at 12        as it stood after entry 12
  postrider show game.pbem --position     the position as one line
  postrider show game.pbem --words        the position in words
  postrider show game.pbem --mark c1      the flight zone of the Portal on c1 (assideum), or the whole stack there (Subsume)
  postrider show game.pbem --as white     with what white alone may know, for its owner's eyes
  cat game.pbem | postrider show -")]
pub(super) struct Args {
    /// The record; `-` for standard input
    file: PathBuf,
    /// Show the game as it stood after entry N; 0 is the start
    #[arg(long, value_name = "N")]
    at: Option<u32>,
    /// Print the position line only
    #[arg(long)]
    position: bool,
    /// Point something out that the game can: in assideum the flight zone of the Portal on a square, or all of a side; in
    /// Subsume the stack of the territory on a square
    #[arg(long, value_name = "WHAT", conflicts_with = "position")]
    mark: Option<String>,
    /// Show also what this side alone may know, with its secret from the key store
    #[arg(long = "as", value_name = "SIDE", conflicts_with = "position")]
    side: Option<String>,
    /// Say the position in words, for a screen reader
    #[arg(long, conflicts_with_all = ["position", "unicode"])]
    words: bool,
    /// Use signs beyond ASCII
    #[arg(long)]
    unicode: bool,
    /// Print JSON, an object on one line: what all may see, and with --as what that side may see
    #[arg(long, conflicts_with_all = ["position", "mark", "words", "unicode"])]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let (mut opened, verdict) = input::open(&source, &origin, args.at.unwrap_or(u32::MAX))?;
    let failed = verdict.ruling != Ruling::Legal;
    if let Some(at) = args.at.filter(|&at| at > verdict.entries && !failed) {
        return Err(Failure::trouble(format!("{origin} has {} entries: there is no entry {at}", verdict.entries)));
    }
    if args.json {
        let viewer = match &args.side {
            None => Viewer::Public,
            Some(word) => confided(&mut opened, word)?,
        };
        return report::show(&origin, &source, &opened, &verdict, viewer);
    }
    if args.position {
        print(format!("{}\n", opened.table.position()))?;
    } else {
        let look = Look { unicode: args.unicode, colour: true };
        let now = if args.at.is_none() { Some(input::now(None)?) } else { None };
        let extras = Extras { entries: sheet::last_entries(&opened, 1), now, local: true };
        let after = if args.at.is_none() && !failed { keys::after_openings(&opened) } else { Ok(None) };
        if args.at.is_none() && !failed {
            keys::warn(&opened);
            known::warn(&opened, &source, &origin);
        }
        // What cannot be opened was warned of.
        let foreseen = after.unwrap_or_default().map(|after| opened.table = after).is_some();
        let viewer = match &args.side {
            None => Viewer::Public,
            Some(word) => confided(&mut opened, word)?,
        };
        let scene = match &args.mark {
            None => opened.table.view(viewer),
            Some(what) => opened.table.marked(viewer, what).ok_or_else(|| {
                let message = format!("there is nothing to mark by `{what}` on this board");
                Failure::trouble(message)
                    .hint("in assideum it is the square of a Portal, or a side; in Subsume a square of a territory")
            })?,
        };
        let sheet = if args.words {
            let mut scene = scene;
            if let Some(before) = before(&source, verdict.entries, viewer) {
                scene.mark_since(&before);
            }
            scene.words() + &sheet::state(&opened, &extras)
        } else {
            sheet::draw(&opened, scene, &extras, look)
        };
        print(if foreseen { format!("{sheet}\n{}", sheet::ONLY_YOU) } else { sheet })?;
    }
    // What stands is shown; then what stopped the replay.
    if failed {
        Err(Failure::verdict(&source, &origin, &verdict, true))
    } else {
        Ok(ExitCode::from(hints::code_of(verdict.ruling)))
    }
}

/// What stood before the last of so many entries.
fn before(source: &[u8], entries: u32, viewer: Viewer) -> Option<Scene> {
    let number = entries.checked_sub(1)?;
    let mut opened = Opened::new(source).ok()?;
    opened.table.set_check(Check::Nothing);
    opened.replay(number);
    Some(opened.table.view(viewer))
}

/// Tells the game what the secret of a side tells, and returns that side as the viewer.
fn confided(opened: &mut Opened<'_>, word: &str) -> Result<Viewer, Failure> {
    let info = opened.header.info;
    let side = info.side(word).ok_or_else(|| {
        let [first, second] = info.sides.map(|side| side.word);
        Failure::trouble(format!("{} has no side `{word}`", info.title))
            .hint(format!("the sides are {first} and {second}"))
    })?;
    if opened.table.seals().is_none() {
        return Ok(Viewer::Side(side));
    }
    let mut keys = Keys::new(opened, side, true)?;
    let game = opened.header.id.clone();
    let ground = opened.ground(side, true);
    let mut owner = Owner::new(&game, info.sides[side.index()].word, &mut keys, ground);
    opened.table.reveal_to_owner(side, &mut owner).map_err(keys::lost)?;
    Ok(Viewer::Side(side))
}
