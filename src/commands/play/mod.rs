//! `postrider play`: everything about playing in one place. [`postrider_home::entry::session`] decides what a line means; here
//! lines are read, carried out by the program's commands, and the result is shown.

pub(crate) mod editor;

use crate::cli::home::office;
use postrider_home::announced;
use postrider_home::entry::dating;
use postrider_home::own_game::OwnGame;
use postrider_home::send::letters;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, arg, name};
use crate::cli::keys;
use crate::cli::out::print;
use crate::cli::view;
use crate::cli::view::Shown;
use crate::cli::{acts, begin, chosen, confirm, home, input, refusals, turns};
use crate::commands::r#move::Given;
use crate::commands::{accept, answer, clock, r#if as conditions, log, receive, restore as known, send, undo};
use editor::{Lines, Read};
use postrider_board::render::Look;
use postrider_board::render::sheet;
use postrider_board::render::sheet::Extras;
use postrider_home::entry::session;
use postrider_home::entry::session::{COMMANDS, Command, Session, Step};
use postrider_home::entry::view as office_view;
use postrider_home::entry::view::{Seen, of_desk};
use postrider_home::keys::Keys;
use postrider_home::records;
use postrider_home::settings::{Settings, Source};
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_referee::desk::examples::with_examples;
use postrider_referee::desk::{Desk, EntryRequest};
use postrider_referee::judging::Table;
use postrider_referee::sealing::KeyStore as _;

/// Play: fetch mail, see the board, type your moves
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider play                       fetch mail, then open your most urgent game
  postrider play game.pbem             this game
  postrider play asalto-first-game     by its id, a game in your folder
  postrider play --both game.pbem      both sides, at one machine
  postrider play game.pbem < script    read from a file what you would type

The board is shown from your side, with what only you may see. Type your move; in games with long turns type the whole turn or one \
action after another. Tab shows what may come next, and as you type you are told why an entry would be refused. `help` lists the \
other commands: `message`, `if`, `undo`, `send`, `rules`, `next`, `quit` and more. Nothing is mailed until you type `send`, or answer \
yes when asked.")]
pub(crate) struct Args {
    /// The record, instead of the most urgent of your games
    pub(crate) file: Option<PathBuf>,
    /// Do not fetch mail first
    #[arg(long)]
    no_mail: bool,
    /// Play both sides, at one machine: the board is shown as the side that is due sees it
    #[arg(long)]
    both: bool,
    #[command(flatten)]
    shown: Shown,
}

/// Why the work at one state of a game ends.
enum Turned {
    /// The record has changed, or may have, so it is read again.
    Again,
    /// Another command of the program was typed, which may have changed it too.
    Other(Vec<String>),
    /// Another game is wanted, which waits.
    Next(PathBuf),
    /// The session is over.
    Quit,
}

/// How boards are shown, as the player changes it in the session.
#[derive(Clone, Copy)]
struct Sight {
    /// Whether the board is turned the other way from how it starts.
    turned: bool,
    /// Whether it is drawn compact, if the player said so.
    compact: Option<bool>,
}

/// Plays the games that wait.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let office = office()?;
    let settings = office.settings()?;
    if args.file.as_deref().is_some_and(postrider_archive::sources::is_stdin) {
        return Err(Failure::trouble("a game is played in a file, not on standard input"));
    }
    let mut args = args.clone();
    args.shown.fit = true;
    let args = &args;
    let mut lines = Lines::new();
    acts::in_session();
    if !args.no_mail {
        fetch(settings);
    }
    if args.file.is_none() {
        invitations(settings, &lines)?;
    }
    let mut sight = Sight { turned: false, compact: args.shown.compact.then_some(true) };
    let mut played: Vec<PathBuf> = Vec::new();
    let mut file = args.file.clone();
    // A script learns whether everything that it typed was done; a person has seen it.
    let mut refused = false;
    let end = |refused: bool, lines: &Lines| {
        if refused && !lines.is_terminal() { ExitCode::from(hints::REFUSED) } else { ExitCode::SUCCESS }
    };
    loop {
        let Some(path) = file.take().or_else(|| urgent(&played)) else {
            match lobby(settings, &mut lines, &mut refused)? {
                true => continue,
                false => return Ok(end(refused, &lines)),
            }
        };
        let mut fresh = true;
        played.push(path.clone());
        loop {
            match at_game(&path, args, settings, &mut sight, &mut lines, (fresh, &mut refused, &played))? {
                Turned::Again => fresh = false,
                Turned::Other(words) => {
                    refused |= !runs(words);
                    fresh = false;
                }
                Turned::Next(other) => {
                    file = Some(other);
                    break;
                }
                Turned::Quit => return Ok(end(refused, &lines)),
            }
        }
    }
}

/// What may be typed where no game waits.
const LOBBY: [Command; 8] = [
    ("invite", "NAME <MAIL> GAME", "begin a game with somebody"),
    ("accept", "[ID]", "take the game that you are invited to"),
    ("decline", "[ID]", "decline it"),
    ("mail", "", "fetch mail"),
    ("status", "", "list your games"),
    ("practice", "GAME", "play against the machine"),
    ("learn", "GAME", "learn a game in short lessons"),
    ("quit", "", "end the session"),
];

/// What is said where there is nowhere to fetch mail from.
const NO_SOURCE: &str =
    "it is not set where your mail comes in: `postrider setup` asks for it (`receive:` in settings.yaml)\n";

/// Runs a command of the program; returns whether it did what it was to do.
fn runs(words: Vec<String>) -> bool {
    acts::outside(|| crate::cli::run_with(words.into_iter().map(Into::into))) == ExitCode::SUCCESS
}

/// Where no game waits: says so, and takes what may be done all the same. Returns whether there may be a game now.
fn lobby(settings: &Settings, lines: &mut Lines, refused: &mut bool) -> Result<bool, Failure> {
    print(match postrider_home::overview::rows(&*office()?).is_empty() {
        true => format!("you have no games yet\n{}", begin::NO_GAMES),
        false => {
            "no game waits for you; `status` lists them all, `invite` begins another, `help` lists more\n".to_owned()
        }
    })?;
    loop {
        let line = match lines.ask("play> ")? {
            Read::Line(line) => line,
            Read::Interrupted => continue,
            Read::End => return Ok(false),
        };
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let typed = match word {
            "" => continue,
            "quit" | "q" | "exit" => return Ok(false),
            "invite" => session::invitation(rest.trim()),
            "accept" | "decline" => format!("postrider invite {line}"),
            "mail" => {
                match settings.sources().is_empty() {
                    true => print(NO_SOURCE)?,
                    false => {
                        fetch(settings);
                        if urgent(&[]).is_some() {
                            return Ok(true);
                        }
                    }
                }
                continue;
            }
            "status" | "practice" | "learn" => format!("postrider {line}"),
            "postrider" => line.to_owned(),
            // The id of a game, or its file.
            _ => match meant(line) {
                Ok(Some(file)) => format!("postrider play {}", arg(&name(&file))),
                Ok(None) => {
                    if word != "help" && word != "?" {
                        *refused = true;
                        errln!("`{}` is not understood", printable(line));
                    }
                    print(turns::help("Where no game waits you may type:", &LOBBY))?;
                    continue;
                }
                Err(failure) => {
                    *refused = true;
                    err!("{failure}");
                    continue;
                }
            },
        };
        match shlex::split(&typed) {
            Some(words) => {
                *refused |= !runs(words);
                if urgent(&[]).is_some() {
                    return Ok(true);
                }
            }
            None => print("a quotation mark in it is not closed\n")?,
        }
    }
}

/// The record of the game that a line names: by its id, by how that begins, or by its file.
///
/// # Errors
/// If several are meant, or only the name of a game that the player does not play.
fn meant(line: &str) -> Result<Option<PathBuf>, Failure> {
    match chosen::game(Path::new(line))? {
        None if input::game_named(line).is_some() => Err(chosen::not_found(line)),
        found => Ok(found),
    }
}

/// Tells of the games that the player is invited to, and takes the only one if the player likes.
fn invitations(settings: &Settings, lines: &Lines) -> Result<(), Failure> {
    let told = accept::lines(settings);
    let columns = view::columns().unwrap_or(usize::MAX);
    for line in &told {
        let folded = line.lines().flat_map(|line| sheet::folded(line, columns)).collect::<Vec<_>>();
        print(folded.join("\n") + "\n")?;
    }
    if let [_] = told[..]
        && lines.is_terminal()
        && confirm::can_ask()
        && confirm::asks("accept it?")
    {
        succeeds(|| accept::run(&accept::Args::default()));
    }
    Ok(())
}

/// Fetches mail from wherever it comes in; problems are reported, and do not keep anyone from playing. Returns whether there is
/// such a place.
fn fetch(settings: &Settings) -> bool {
    let sources = settings.sources();
    for source in &sources {
        if let Source::Path(path) = source
            && !path.exists()
        {
            errln!("warning: {} is not there: no mail is read from it", name(path));
            continue;
        }
        succeeds(|| receive::run(&receive::Args::of(source)));
    }
    !sources.is_empty()
}

/// The most urgent game that is waiting for the player and has not been played in this session yet.
fn urgent(played: &[PathBuf]) -> Option<PathBuf> {
    let same = |one: &Path, other: &Path| {
        one == other || one.canonicalize().ok().is_some_and(|one| other.canonicalize().ok() == Some(one))
    };
    let office = office().ok()?;
    let waiting = postrider_home::overview::waiting(&office);
    waiting.into_iter().find(|path| !played.iter().any(|other| same(path, other)))
}

/// Plays one game until its record changes, or another game is wanted.
fn at_game(
    path: &Path,
    args: &Args,
    settings: &Settings,
    sight: &mut Sight,
    lines: &mut Lines,
    (fresh, refused, played): (bool, &mut bool, &[PathBuf]),
) -> Result<Turned, Failure> {
    let origin = name(path);
    let source = input::record(path)?;
    records::refuse_practice(&source, &origin)?;
    let desk = refusals::legal(&source, &origin)?;
    let own = args.own(&desk)?;
    let (mut session, seen) = seated(desk, own, args)?;
    let due = session.desk.opened.table.standing().due.side;
    let office = office()?;
    let mut keys = Keys::new(&office, &session.desk.opened, due, true);
    if fresh {
        known::warn(&session.desk.opened, &source, &origin);
        keys::warn(&session.desk.opened);
        board(&session, (&seen, None), own, args, *sight)?;
    }
    let columns = view::columns().unwrap_or(usize::MAX);
    print(sheet::folded(&session.greeting(), columns).join("\n") + "\n")?;
    if let Some(side) = announced::resigns(&office, &session.desk.opened)? {
        let who = printable(&session.desk.opened.header.player(side).name).into_owned();
        let told = format!("{who} resigns, which is entered as soon as this entry is made");
        print(sheet::folded(&told, columns).join("\n") + "\n")?;
    }
    let asked_back = dating::asked_back(&office, &session.desk)?;
    if let Some(entry) = asked_back {
        let told = format!("{}: `send` makes the same entry with the present time, and sends it", is_asked_back(entry));
        print(sheet::folded(&told, columns).join("\n") + "\n")?;
    } else if !session.is_due()
        && let Some(letter) = owed(&session, own)?
    {
        print(sheet::folded(&format!("{letter} has not been sent: `send` mails it"), columns).join("\n") + "\n")?;
    }
    loop {
        let line = match lines.read(&session, &mut keys)? {
            Read::Line(line) => line,
            // What was begun is dropped first, just as Ctrl-C drops a line.
            Read::Interrupted => {
                session.forget();
                continue;
            }
            Read::End if !drops(&session, lines) => continue,
            Read::End => {
                leave(path, &origin, &session, own)?;
                return Ok(Turned::Quit);
            }
        };
        match session.line(&line, &mut keys) {
            Step::Nothing => {}
            Step::Say(text) => print(format!("{text}\n"))?,
            Step::Begun { actions, next } => {
                let so_far = session.so_far(&mut keys);
                print(turns::begun(&actions, &next, session.desk.opened.table.as_ref(), so_far.as_deref().zip(own)))?;
            }
            Step::Refused(refusal) => {
                let refusal = with_examples(&mut session.desk.opened, *refusal, &mut keys);
                *refused = true;
                err!("{}", refusals::refused(&origin, refusal));
            }
            Step::Enter { actions, message } => {
                if !lines.is_terminal() || agreed(&session, &actions, message.as_deref(), &origin)? {
                    let shown = args.shown_after(&session, own, *sight);
                    let side =
                        own.filter(|_| args.both).map(|own| session.desk.opened.header.info.sides[own.index()].word);
                    let given = Given::in_session(shown, message, side);
                    if succeeds(|| given.enter(path, Some(&actions), false)) {
                        return Ok(Turned::Again);
                    }
                    *refused = true;
                }
            }
            Step::Answer => {
                let given = Given::in_session(args.shown_after(&session, own, *sight), None, None);
                if succeeds(|| given.enter(path, None, true)) {
                    return Ok(Turned::Again);
                }
                *refused = true;
            }
            Step::Moves(begun) => turns::list(&session, &begun, &mut keys, &origin)?,
            Step::If(replies) => {
                *refused |= !succeeds(|| conditions::run(&conditions::Args::of(path, replies)));
            }
            Step::Program(line) => match shlex::split(&line) {
                Some(words) => return Ok(Turned::Other(words)),
                None => print("a quotation mark in it is not closed\n")?,
            },
            Step::Rules(rule) => rules(session.desk.opened.header.info.name, &rule),
            Step::Command("quit" | "next") if !drops(&session, lines) => {}
            Step::Command("quit") => {
                leave(path, &origin, &session, own)?;
                return Ok(Turned::Quit);
            }
            // Those that were passed over come round again.
            Step::Command("next") => match urgent(played).or_else(|| urgent(&[path.to_owned()])) {
                Some(other) => {
                    leave(path, &origin, &session, own)?;
                    return Ok(Turned::Next(other));
                }
                None => print("no other game waits for you; `postrider status` lists them all\n")?,
            },
            Step::Command("undo") => {
                if succeeds(|| undo::run(&undo::Args::of(path))) {
                    return shown_again(path, args, *sight);
                }
                *refused = true;
            }
            Step::Command("send") if asked_back.is_some() => {
                if succeeds(|| send::run(&send::Args::anew(path))) {
                    return shown_again(path, args, *sight);
                }
                *refused = true;
            }
            Step::Command("send") => {
                *refused |= !succeeds(|| send::run(&send::Args::of(path)));
            }
            Step::Command("mail") if settings.sources().is_empty() => {
                print(NO_SOURCE)?;
            }
            Step::Command("mail") => {
                fetch(settings);
                return shown_again(path, args, *sight);
            }
            Step::Command("clock") => {
                succeeds(|| clock::run(&clock::Args::of(path)));
            }
            Step::Command("log") => {
                succeeds(|| log::run(&log::Args::of(path)));
            }
            Step::Command("position") => print(format!("{}\n", session.desk.opened.table.position()))?,
            Step::Command("words") => {
                let words = seen.scene.words() + &sheet::state(&seen.opened, &extras(&seen.opened)?);
                print(words + &args.shown.notes(&seen))?;
            }
            Step::Command("compact") => {
                let so_far = session.so_far(&mut keys);
                let seen = (&seen, so_far.as_deref());
                // What was drawn as large as there was room changes to the other size.
                let look = look(&session, own, args, *sight)?;
                let is_full = |look: Look| Ok(sheet_of(seen, look)? == sheet_of(seen, Look { rows: None, ..look })?);
                let is_compact =
                    sight.compact.map_or_else(|| is_full(look).map(|full: bool| !full), Ok::<_, Failure>)?;
                sight.compact = Some(!is_compact);
                board(&session, seen, own, args, *sight)?;
            }
            Step::Command(word @ ("board" | "turn")) => {
                sight.turned ^= word == "turn";
                board(&session, (&seen, session.so_far(&mut keys).as_deref()), own, args, *sight)?;
            }
            Step::Command(_) => print(turns::help(turns::AT_PLAY, &COMMANDS))?,
        }
    }
}

/// Shows the game again as it now is.
fn shown_again(path: &Path, args: &Args, sight: Sight) -> Result<Turned, Failure> {
    let source = input::record(path)?;
    let desk = refusals::legal(&source, &name(path))?;
    let own = args.own(&desk)?;
    let (session, seen) = seated(desk, own, args)?;
    board(&session, (&seen, None), own, args, sight)?;
    Ok(Turned::Again)
}

/// Starts a session for a record, which is told what only the player may see, and shows it as `show` does.
fn seated<'a>(mut desk: Desk<'a>, own: Option<Side>, args: &Args) -> Result<(Session<'a>, Seen<'a>), Failure> {
    let office = office()?;
    let due = desk.opened.table.standing().due.side;
    let forced = answer::is_forced(&desk.opened, own.unwrap_or(due));
    let seen = args.shown.seen(of_desk(&desk)?, view::before(&desk.opened), own, true)?;
    // Before anything is revealed to it: openings are made from what the record alone says.
    let after = keys::after_openings(&desk.opened)?.filter(|after| after.standing().outcome.is_none());
    if let Some(own) = own {
        office_view::of(&office, &mut desk.opened, own);
    }
    Ok((Session::new(desk, after, own, forced, input::now(None)?), seen))
}

/// Does what a command does, with the home as it is now, and says why if it fails; returns whether it succeeded.
fn succeeds(run: impl FnOnce() -> Result<ExitCode, Failure>) -> bool {
    home::leave();
    match run() {
        Ok(code) => code == ExitCode::SUCCESS,
        Err(failure) => {
            err!("{failure}");
            false
        }
    }
}

/// Prints the rules of the game, or one rule of any rulebook; numbers begin with a different letter in each.
fn rules(game: &str, rule: &str) {
    let rule = rule.to_ascii_uppercase();
    let wanted = if rule.bytes().any(|byte| byte.is_ascii_digit()) { rule.as_str() } else { game };
    succeeds(|| crate::commands::rules::run(&crate::commands::rules::Args::of(wanted)));
}

/// Asks whether a turn that was begun may be dropped, if one was. From a script it is, and that is said.
fn drops(session: &Session<'_>, lines: &Lines) -> bool {
    let begun = printable(session.begun());
    if begun.is_empty() {
        return true;
    }
    if lines.is_terminal() && confirm::can_ask() {
        return confirm::asks(&format!("drop the turn that you have begun (`{begun}`)?"));
    }
    errln!("the turn that was begun is dropped: {begun}");
    true
}

/// Asks whether the player really wants an entry that will be signed, or to which the rules add something. For one that ends the game,
/// the command that makes it asks.
fn agreed(session: &Session<'_>, actions: &str, message: Option<&str>, origin: &str) -> Result<bool, Failure> {
    let request = EntryRequest { actions, message, time: input::now(None)?, time_asked: false };
    let office = office()?;
    let mut keys = Keys::to_move(
        &OwnGame::new(&office, &session.desk.opened.header.id),
        &session.desk.opened,
        origin,
        true,
        false,
    )?;
    let signs = |keys: &mut Keys<'_>| {
        let declared =
            postrider_home::keys::trust::key_of(&session.desk.opened, session.desk.opened.table.standing().due.side);
        keys.key(declared).ok().flatten().is_some()
    };
    let Ok(whole) = session.desk.actions(&request, &mut keys) else { return Ok(true) };
    if postrider_home::entry::moves::question(actions).is_some() {
        return Ok(true);
    }
    let added = session.added(actions, &whole).map(|added| format!(", which makes `{}` due as well", printable(added)));
    let signed = if signs(&mut keys) { ", signed by your key? it cannot be taken back after that" } else { "?" };
    if added.is_none() && signed == "?" {
        return Ok(true);
    }
    let wanted = confirm::asks(&format!("enter `{}`{}{signed}", printable(actions), added.unwrap_or_default()));
    if !wanted {
        errln!("nothing was entered");
    }
    Ok(wanted)
}

/// What is said and asked before leaving a game: whether its letter was sent.
fn leave(path: &Path, origin: &str, session: &Session<'_>, own: Option<Side>) -> Result<(), Failure> {
    if let Some(entry) = dating::asked_back(&*office()?, &session.desk)? {
        let told = is_asked_back(entry);
        if confirm::can_ask()
            && confirm::asks(&format!("{told}. Make the same entry with the present time, and send it now?"))
        {
            succeeds(|| send::run(&send::Args::anew(path)));
        } else {
            errln!("{told}: `postrider send {} --date-anew` makes it again", arg(origin));
        }
        return Ok(());
    }
    let Some(letter) = owed(session, own)? else { return Ok(()) };
    if confirm::can_ask() && confirm::asks(&format!("{letter} has not been sent. Send it now?")) {
        succeeds(|| send::run(&send::Args::of(path)));
        return Ok(());
    }
    errln!("{letter} has not been sent: `postrider send {}` sends it", arg(origin));
    Ok(())
}

/// Says that the host has asked for an entry with another time.
fn is_asked_back(entry: u32) -> String {
    format!("the host has not entered your entry {entry}, because of its time")
}

/// What the player has to send and has not sent: the newest entry, or the invitation to a game that has none.
fn owed(session: &Session<'_>, own: Option<Side>) -> Result<Option<String>, Failure> {
    let (desk, office) = (&session.desk, office()?);
    let game = &OwnGame::new(&office, &desk.opened.header.id);
    let standing = desk.opened.table.standing();
    let (is_own, letter) = match desk.last() {
        Some((side, _)) => (own.is_none_or(|own| own == side), format!("entry {}", standing.entries)),
        None => (own == Some(standing.due.side.other()) && !game.was_invited(), "the invitation".to_owned()),
    };
    Ok(Some(letter).filter(|_| is_own && letters::is_owed(game, desk)))
}

impl Args {
    /// The side that sits at the machine: the player's own, or if both are played here, the one that is due.
    fn own(&self, desk: &Desk<'_>) -> Result<Option<Side>, Failure> {
        if self.both {
            Ok(Some(desk.opened.table.standing().due.side))
        } else {
            Ok(OwnGame::new(&*office()?, &desk.opened.header.id).find(&desk.opened)?)
        }
    }

    /// How the board is to be shown after an entry.
    fn shown_after(&self, session: &Session<'_>, own: Option<Side>, sight: Sight) -> Shown {
        let look = look(session, own, self, sight).unwrap_or_default();
        let side = if look.turned { Side::Second } else { Side::First };
        Shown {
            view: self.shown.view.clone(),
            from: Some(session.desk.opened.header.info.sides[side.index()].word.to_owned()),
            compact: look.compact,
            unicode: look.unicode,
            fit: look.rows.is_some(),
        }
    }
}

fn extras(opened: &postrider_referee::verdict::Opened<'_>) -> Result<Extras, Failure> {
    Ok(Extras { entries: sheet::last_entries(opened, 3), now: Some(input::now(None)?), local: true })
}

/// How the game looks from the player's side: as large as the terminal allows, unless the player chose otherwise.
fn look(session: &Session<'_>, own: Option<Side>, args: &Args, sight: Sight) -> Result<Look, Failure> {
    let mut look = args.shown.look(&session.desk.opened)?;
    if args.shown.from.is_none() {
        look.turned = own == Some(Side::Second);
    }
    look.turned ^= sight.turned;
    look.compact = sight.compact == Some(true);
    if sight.compact.is_some() {
        look.rows = None;
    }
    Ok(look)
}

/// The game as its player sees it, and after what has been begun, if something has.
type Sights<'a> = (&'a Seen<'a>, Option<&'a dyn Table>);

/// The game as it is shown, with marks for what the last entry did, or for what has been begun.
fn sheet_of((seen, so_far): Sights<'_>, look: Look) -> Result<String, Failure> {
    let extras = extras(&seen.opened)?;
    let Some(so_far) = so_far else { return Ok(sheet::draw(&seen.opened, &seen.scene, &extras, look)) };
    let mut scene = so_far.view(seen.viewer);
    scene.mark_since(&seen.opened.table.view(seen.viewer));
    Ok(sheet::draw(&seen.opened, &scene, &extras, look))
}

fn board(session: &Session<'_>, seen: Sights<'_>, own: Option<Side>, args: &Args, sight: Sight) -> Result<(), Failure> {
    print(sheet_of(seen, look(session, own, args, sight)?)?)?;
    if !session.begun().is_empty() {
        print(format!("begun   {}\n", printable(session.begun())))?;
    }
    print(format!("{}\n", args.shown.notes(seen.0)))
}
