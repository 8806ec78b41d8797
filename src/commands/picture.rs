//! `postrider picture`.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::home::office;
use crate::cli::keys;
use crate::cli::{input, out, view};
use crate::commands::restore as known;
use postrider_board::picture;
use postrider_board::picture::{Options, Picture};
use postrider_board::render::sheet;
use postrider_home::entry::view::{Reader, Seen, scenes};
use postrider_kernel::scene::Scene;
use postrider_kernel::{Info, Side, Viewer};
use postrider_referee::verdict::{Opened, Ruling};

/// The default width of a pixel picture.
const SIZE: u16 = 720;
/// How long each picture of an animation is shown, in hundredths of a second.
const DELAY: u16 = 120;
/// Stands below a picture of what only its viewer can open so far.
const NOT_ENTERED: &str = "not entered yet: only you see this";
/// The most pictures in an animation, which is then twelve minutes long.
const FRAMES: u32 = 600;

/// Draw the board as a picture: SVG, PNG, or an animated GIF
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/picture.txt"))]
pub(crate) struct Args {
    /// The records; `-` for standard input
    #[arg(required_unless_present = "position", conflicts_with = "position")]
    pub(crate) files: Vec<PathBuf>,
    /// The picture to write: a file with the format's extension, an existing folder, or `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// The format, if no file extension says it [default: svg, or png in a folder]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// The board after entry N; 0 is the start
    #[arg(long, value_name = "N", conflicts_with_all = ["entries", "position"])]
    at: Option<u32>,
    /// The entries that an animation shows; 0 is the start, and either number may be left out
    #[arg(long, value_name = "A..B", conflicts_with = "position")]
    entries: Option<String>,
    /// Also show what only this side may know, with its secret from the key store
    #[arg(long = "view", alias = "as", value_name = "SIDE", conflicts_with = "position")]
    side: Option<String>,
    /// The side at the bottom of the board [default: that of --view]
    #[arg(long, value_name = "SIDE")]
    from: Option<String>,
    /// The width in pixels of a PNG or GIF
    #[arg(long, value_name = "PX", default_value_t = SIZE, value_parser = clap::value_parser!(u16).range(64..=4096))]
    size: u16,
    /// The look: for a screen, for paper, or on a dark background
    #[arg(long, value_name = "LOOK", default_value = "colour")]
    look: Look,
    /// Do not mark what the last entry did
    #[arg(long)]
    no_marks: bool,
    /// A position to draw instead of a record
    #[arg(long, value_name = "POS", requires = "game")]
    position: Option<String>,
    /// The game of that position
    #[arg(long, value_name = "GAME", requires = "position")]
    game: Option<String>,
    /// A rule option of that game
    #[arg(long, value_name = "NAME=VALUE", requires = "position")]
    option: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Svg,
    Png,
    Gif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Look {
    #[value(alias = "color")]
    Colour,
    Print,
    Dark,
}

impl Format {
    const fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Gif => "gif",
        }
    }

    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        [Self::Svg, Self::Png, Self::Gif].into_iter().find(|format| format.ending() == ending)
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let folder = args.output.is_dir();
    let format = match Format::of(&args.output).filter(|_| !folder) {
        Some(format) if args.format.is_none_or(|asked| asked == format) => format,
        Some(format) => {
            let message = format!("{} is not a file of the format that --format asks for", name(&args.output));
            return Err(
                Failure::trouble(message).hint(format!("leave out --format, or end the name in .{}", format.ending()))
            );
        }
        None if folder => args.format.unwrap_or(Format::Png),
        None if input::is_stdin(&args.output) => args.format.unwrap_or(Format::Svg),
        None => args.format.ok_or_else(|| {
            Failure::trouble(format!("the ending of {} does not say the format", name(&args.output)))
                .hint("end it in .svg, .png or .gif, or give --format")
        })?,
    };
    if format != Format::Svg && input::is_stdin(&args.output) && io::stdout().is_terminal() {
        let ending = format.ending();
        return Err(Failure::trouble(format!("a {} is not for the screen", ending.to_uppercase()))
            .hint(format!("name a file with -o, as in `-o board.{ending}`, or pipe it into a program")));
    }
    if let Some(position) = &args.position {
        let game = input::game(args.game.as_deref().unwrap_or_default())?;
        let table = input::table(game, &input::options(game, &args.option)?, Some(position))?;
        let view = table.view(Viewer::Public);
        let title = format!("{}: a position", game.info().title);
        out::written(&args.output, &made(args, game.info(), None, (&[view], false), &title, format)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.files.len() > 1 && !folder {
        return Err(Failure::trouble("several records make several pictures")
            .hint("name an existing folder, as in -o pictures/"));
    }
    let mut code = ExitCode::SUCCESS;
    let mut taken: Vec<PathBuf> = Vec::new();
    for file in &args.files {
        let mut output = args.output.clone();
        if folder {
            let mut file_name =
                if input::is_stdin(file) { "board".into() } else { file.file_stem().unwrap_or_default().to_owned() };
            file_name.push(".");
            file_name.push(format.ending());
            output.push(file_name);
            if taken.contains(&output) {
                let message = format!("two of the records would be drawn as {}", name(&output));
                return Err(Failure::trouble(message).hint("draw them one at a time"));
            }
            taken.push(output.clone());
        }
        let source = input::record(file)?;
        let origin = name(file);
        let (bytes, refused) = of_record(args, &source, &origin, format)?;
        out::written(&output, &bytes)?;
        if let Some(failure) = refused {
            if args.files.len() == 1 {
                return Err(failure);
            }
            err!("{failure}");
            code = ExitCode::from(hints::code_of(Ruling::Illegal));
        }
    }
    Ok(code)
}

/// The picture of a record; if it is refused, the picture of its legal part and the refusal.
fn of_record(args: &Args, source: &[u8], origin: &str, format: Format) -> Result<(Vec<u8>, Option<Failure>), Failure> {
    let (opened, verdict) = input::open(source, origin, args.at.unwrap_or(u32::MAX))?;
    let failed = verdict.ruling != Ruling::Legal;
    let entries = verdict.entries;
    let (first, last) = match (&args.entries, args.at) {
        (Some(range), _) => span(range, entries, origin)?,
        (None, Some(at)) => (at, at),
        (None, None) if format == Format::Gif => (0, entries),
        (None, None) => (entries, entries),
    };
    if last > entries && !failed {
        return Err(input::no_entry(origin, entries, last));
    }
    if first != last && format != Format::Gif {
        return Err(Failure::trouble("a range of entries is an animation").hint("write it to a .gif"));
    }
    if last - first >= FRAMES {
        return Err(Failure::trouble(format!("an animation has at most {FRAMES} pictures"))
            .hint("give a shorter range with --entries"));
    }
    if !failed && args.at.is_none() {
        keys::warn_of_keys(&opened);
        known::warn(&opened, source, origin);
    }
    let info = opened.header.info;
    let viewer = match &args.side {
        None => None,
        Some(word) => Some(input::side(info, word)?),
    };
    let office = viewer.map(|side| Ok::<_, Failure>((office()?, side))).transpose()?;
    let reader = office.as_ref().map(|(office, side)| (&**office, *side));
    let mut seen = scenes(reader, source, &opened, (first, last.min(entries)))?;
    let newest = !failed && args.at.is_none() && last == entries;
    let foreseen = if newest { foreseen(source, &opened, viewer)? } else { None };
    let foresees = foreseen.is_some();
    if let Some(scene) = foreseen {
        errln!("note: {}", sheet::ONLY_YOU.trim_end());
        // A picture shows how it stands; in an animation it comes behind what was entered.
        if first == last {
            seen.clear();
        }
        seen.push(scene);
    }
    let header = &opened.header;
    let players = Side::BOTH.map(|side| header.player(side).name.as_ref());
    let title = format!("{}, {} against {}, after entry {}", info.title, players[0], players[1], last.min(entries));
    let bytes = made(args, info, viewer, (&seen, foresees), &title, format)?;
    let refused = failed.then(|| Failure::verdict(source, origin, &verdict, true));
    Ok((bytes, refused))
}

/// The scene after what the viewer opens next, if the viewer's entry begins with that: the record does not show it yet (Z12).
fn foreseen(source: &[u8], replayed: &Opened<'_>, viewer: Option<Side>) -> Result<Option<Scene>, Failure> {
    let Some(side) = viewer else { return Ok(None) };
    let Ok(copy) = Opened::with_table(source, replayed.table.copy()) else { return Ok(None) };
    let seen = Seen::of(&*office()?, copy, view::before(replayed), Reader::Player(side), true)?;
    Ok(Some(seen.scene).filter(|_| seen.foreseen))
}

fn made(
    args: &Args,
    info: &'static Info,
    viewer: Option<Side>,
    (scenes, foresees): (&[Scene], bool),
    title: &str,
    format: Format,
) -> Result<Vec<u8>, Failure> {
    let from = match &args.from {
        Some(word) => input::side(info, word)?,
        None => viewer.unwrap_or(Side::First),
    };
    let look = match args.look {
        Look::Colour => picture::Look::Colour,
        Look::Print => picture::Look::Print,
        Look::Dark => picture::Look::Dark,
    };
    let options = Options { from, look, marks: !args.no_marks };
    let mut pictures: Vec<_> = scenes.iter().map(|scene| Picture::of(scene, &options)).collect();
    if let Some(last) = pictures.pop() {
        pictures.push(if foresees { last.with_note(NOT_ENTERED) } else { last });
    }
    let made = match (format, pictures.last()) {
        (Format::Svg, Some(picture)) => Some(picture.svg(title).into_bytes()),
        (Format::Png, Some(picture)) => picture.png(args.size),
        (Format::Gif, _) => picture::gif(&pictures, args.size, DELAY),
        (_, None) => None,
    };
    made.ok_or_else(|| Failure::trouble("there is nothing to draw"))
}

/// Parses `A..B`, where either may be left out.
fn span(text: &str, entries: u32, origin: &str) -> Result<(u32, u32), Failure> {
    let failure = || {
        Failure::trouble(format!("`--entries {text}` is not a range of entries"))
            .hint("write 12..30, 12.. or ..30; 0 is the start")
    };
    let (first, last) = text.split_once("..").ok_or_else(failure)?;
    let number =
        |text: &str, missing: u32| if text.is_empty() { Ok(missing) } else { text.parse().map_err(|_| failure()) };
    let (first, last) = (number(first, 0)?, number(last, entries)?);
    if first > last {
        return Err(failure());
    }
    if last > entries {
        return Err(input::no_entry(origin, entries, last));
    }
    Ok((first, last))
}
