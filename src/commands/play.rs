//! `postrider play`: everything about playing with a person in one place; the program's commands carry out what a line means.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::hints::{Failure, arg, name};
use crate::cli::home::{self, office};
use crate::cli::out::{print, say};
use crate::cli::session::lines::Read;
use crate::cli::session::{Console, Course, Game, succeeds, turns};
use crate::cli::view::{self, Shown};
use crate::cli::{acts, begin, chosen, confirm, input, keys, refusals};
use crate::commands::r#move::Given;
use crate::commands::{accept, answer, clock, r#if as conditions, log, receive, restore as known, send, undo};
use postrider_board::render::sheet;
use postrider_board::render::sheet::Extras;
use postrider_home::announced;
use postrider_home::entry::dating;
use postrider_home::entry::session;
use postrider_home::entry::session::{Command, Session, Step};
use postrider_home::entry::view as office_view;
use postrider_home::entry::view::of_desk;
use postrider_home::keys::Keys;
use postrider_home::own_game::OwnGame;
use postrider_home::records;
use postrider_home::send::letters;
use postrider_kernel::text::printable;
use postrider_referee::desk::{Desk, EntryRequest};
use postrider_referee::sealing::KeyStore as _;
use postrider_referee::verdict::Opened;
use postrider_settings::{Settings, Source};

/// Play: fetch mail, see the board, type your moves
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = include_str!("help/play.txt"))]
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
    /// The record has changed, and what was done has shown that.
    Again,
    /// The record may have changed, which is to be shown.
    Shown,
    /// Another command of the program was typed, which may have changed it too.
    Other(Vec<String>),
    /// Another game is wanted, which waits.
    Next(PathBuf),
    /// The session is over.
    Quit,
}

/// Plays the games that wait.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let office = office()?;
    let settings = office.settings()?;
    if args.file.as_deref().is_some_and(input::is_stdin) {
        return Err(Failure::trouble("a game is played in a file, not on standard input"));
    }
    let mut args = args.clone();
    args.shown.fit = true;
    let console = &mut Console::new(args.shown.compact);
    let asks = args.file.is_none();
    if !args.no_mail {
        fetch(settings, !asks);
    }
    if asks {
        invitations(settings, console)?;
    }
    let mut played: Vec<PathBuf> = Vec::new();
    let mut file = args.file.clone();
    loop {
        let Some(path) = file.take().or_else(|| urgent(&played)) else {
            match lobby(console)? {
                true => continue,
                false => return Ok(console.code()),
            }
        };
        // What was typed may have changed them.
        let office = home::office()?;
        let settings = office.settings()?;
        let (mut fresh, mut shows) = (true, true);
        played.push(path.clone());
        loop {
            let turned = at_game(&path, &args, settings, console, (fresh, shows, &played))?;
            (fresh, shows) = (false, matches!(turned, Turned::Shown));
            match turned {
                Turned::Again | Turned::Shown => {}
                Turned::Other(words) => console.refused |= !runs(words),
                Turned::Next(other) => {
                    file = Some(other);
                    break;
                }
                Turned::Quit => return Ok(console.code()),
            }
        }
    }
}

/// What may be typed where no game waits.
const LOBBY: [Command; 10] = [
    ("invite", "NAME <MAIL> GAME", "begin a game with somebody"),
    ("accept", "[ID]", "take the game that you are invited to"),
    ("decline", "[ID]", "decline it"),
    ("mail", "", "fetch mail"),
    ("status", "", "list your games"),
    ("practice", "GAME", "play against the machine"),
    ("learn", "GAME", "learn a game in short lessons"),
    ("rules", "[GAME]", "print a rulebook"),
    ("setup", "", "say who you are, and how your mail goes"),
    ("quit", "", "end the session"),
];

/// What is said where there is nowhere to fetch mail from.
const NO_SOURCE: &str =
    "it is not set where your mail comes in: `postrider setup` asks for it (`receive:` in settings.yaml)";

/// Runs a command of the program; returns whether it did what it was to do.
fn runs(words: Vec<String>) -> bool {
    acts::outside(|| crate::cli::run_with(words.into_iter().map(Into::into))) == ExitCode::SUCCESS
}

/// Where no game waits: says so, and takes what may be done all the same. Returns whether there may be a game now.
fn lobby(console: &mut Console) -> Result<bool, Failure> {
    let is_invited = !accept::lines(office()?.settings()?, "").is_empty();
    let begins = format!("you have no games yet\n{}", begin::NO_GAMES.trim_end());
    say(match postrider_home::overview::rows(&*office()?).is_empty() {
        true if is_invited => "you have no games yet; `accept` takes an invitation, `help` lists more",
        true => &begins,
        false => "no game waits for you; `status` lists them all, `invite` begins another, `help` lists more",
    })?;
    loop {
        let line = match console.lines.ask("play> ")? {
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
            "accept" | "decline" => {
                let told = accept::lines(office()?.settings()?, "");
                if rest.trim().is_empty() && told.len() > 1 {
                    say(&told.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n"))?;
                    continue;
                }
                format!("postrider invite {line}")
            }
            "mail" => {
                // `setup` may have been typed here.
                home::leave();
                let office = office()?;
                let settings = office.settings()?;
                match settings.sources().is_empty() {
                    true => say(NO_SOURCE)?,
                    false => {
                        fetch(settings, false);
                        invitations(settings, console)?;
                        if urgent(&[]).is_some() {
                            return Ok(true);
                        }
                    }
                }
                continue;
            }
            "status" | "practice" | "learn" | "rules" | "setup" => format!("postrider {line}"),
            "postrider" => line.to_owned(),
            // The id of a game, or its file.
            _ => match meant(line) {
                Ok(Some(file)) => format!("postrider play {}", arg(&name(&file))),
                Ok(None) => {
                    if word != "help" && word != "?" {
                        console.refused = true;
                        errln!("`{}` is not understood; `?` lists what may be typed", printable(line));
                        continue;
                    }
                    print(turns::help("Where no game waits you may type:", &LOBBY))?;
                    continue;
                }
                Err(failure) => {
                    console.refuses(failure);
                    continue;
                }
            },
        };
        match shlex::split(&typed) {
            Some(words) => {
                console.refused |= !runs(words);
                if urgent(&[]).is_some() {
                    return Ok(true);
                }
            }
            None => say(UNCLOSED)?,
        }
    }
}

/// The record of the game that a line names: by its id, by how that begins, or by its file.
///
/// # Errors
/// If several are meant, or only the name of a game that the player does not play.
fn meant(line: &str) -> Result<Option<PathBuf>, Failure> {
    match chosen::game(Path::new(line))? {
        None if input::game_named(line).is_some() => Err(Failure::no_game(line)),
        found => Ok(found),
    }
}

/// Tells of the games that the player is invited to, and takes the only one if the player likes.
fn invitations(settings: &Settings, console: &Console) -> Result<(), Failure> {
    // At the board of a game, `accept` may be an entry of that game.
    let told = accept::lines(settings, if urgent(&[]).is_some() { accept::COMMAND } else { "" });
    for (_, line) in &told {
        say(line.trim_end())?;
    }
    if let [(id, _)] = &told[..]
        && console.lines.is_terminal()
        && confirm::can_ask()
        && confirm::asks("accept it?")
    {
        succeeds(|| accept::run(&accept::Args::in_session(id)));
    }
    Ok(())
}

/// Fetches mail from wherever it comes in; problems are reported, and do not keep anyone from playing. Returns whether there is
/// such a place. `invitations`: whether those that come are told of here.
fn fetch(settings: &Settings, invitations: bool) -> bool {
    let sources = settings.sources();
    for source in &sources {
        if let Source::Path(path) = source
            && !path.exists()
        {
            errln!("warning: {} is not there: no mail is read from it", name(path));
            continue;
        }
        succeeds(|| receive::run(&receive::Args::of(source, invitations)));
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

/// Plays one game until its record changes, or another game is wanted. `fresh`: whether it was only now chosen; `shows`: whether the board
/// is shown first.
fn at_game(
    path: &Path,
    args: &Args,
    settings: &Settings,
    console: &mut Console,
    (fresh, shows, played): (bool, bool, &[PathBuf]),
) -> Result<Turned, Failure> {
    let origin = name(path);
    let source = input::record(path)?;
    records::refuse_practice(&source, &origin)?;
    let game = &mut seated(refusals::legal(&source, &origin)?, args)?;
    let opened = &game.session.desk.opened;
    let office = office()?;
    let mut keys = Keys::new(&office, opened, opened.table.standing().due.side, true);
    if fresh {
        known::warn(opened, &source, &origin);
        keys::warn(opened);
    }
    let asked_back = dating::asked_back(&office, &game.session.desk)?;
    let mut course = AtGame { path, origin, both: args.both, settings, played, asked_back };
    if shows {
        console.board(&course, game, &mut keys)?;
    }
    say(&game.session.greeting())?;
    if let Some(side) = announced::resigns(&office, &game.session.desk.opened)? {
        let who = printable(&game.session.desk.opened.header.player(side).name).into_owned();
        say(&format!("{who} resigns, which is entered as soon as this entry is made"))?;
    }
    if let Some(entry) = asked_back {
        let told = is_asked_back(entry);
        say(&format!("{told}: `send` makes the same entry with the present time, and sends it"))?;
    } else if !game.session.is_due()
        && let Some(letter) = owed(&game.session)?
    {
        say(&format!("{letter} has not been sent: `send` mails it"))?;
    }
    console.run(&mut course, game, &mut keys)
}

/// Starts a session for a record, which is told what only the player may see.
fn seated<'a>(mut desk: Desk<'a>, args: &Args) -> Result<Game<'a>, Failure> {
    let office = office()?;
    let due = desk.opened.table.standing().due.side;
    // If both are played here, it is always the side that is due that sits at the machine.
    let own = match args.both {
        true => Some(due),
        false => OwnGame::new(&office, &desk.opened.header.id).find(&desk.opened)?,
    };
    let forced = answer::is_forced(&desk.opened, own.unwrap_or(due));
    let seen = args.shown.seen(of_desk(&desk)?, view::before(&desk.opened), own, true)?;
    // Before anything is revealed to it: openings are made from what the record alone says.
    let after = keys::after_openings(&desk.opened)?.filter(|after| after.standing().outcome.is_none());
    if let Some(own) = own {
        office_view::of(&office, &mut desk.opened, own);
    }
    let session = Session::new(desk, after, own, forced, input::now(None)?);
    Ok(Game { session, seen, shown: args.shown.clone() })
}

/// A game with a person, whose record is in a file.
struct AtGame<'p> {
    path: &'p Path,
    origin: String,
    both: bool,
    settings: &'p Settings,
    /// What was played in this session.
    played: &'p [PathBuf],
    /// The entry that the host has asked for with another time.
    asked_back: Option<u32>,
}

impl Course for AtGame<'_> {
    type End = Turned;
    const HELP: &'static str = "Type a move, with `; draw?` behind it to offer a draw, or `resign`, or `claim time`. Type a long turn whole, or \
                                one action after another, and end it with an empty line. Tab completes. `postrider ...` runs any command. \
                                The others are:";

    fn origin(&self) -> &str {
        &self.origin
    }

    fn extras(&self, opened: &Opened<'_>) -> Result<Extras, Failure> {
        Ok(Extras { entries: sheet::last_entries(opened, 3), now: Some(input::now(None)?), local: true })
    }

    fn notes(&self, game: &Game<'_>) -> Option<String> {
        Some(game.shown.notes(&game.seen))
    }

    fn does(&mut self, game: &mut Game<'_>, console: &mut Console, step: Step) -> Result<Option<Turned>, Failure> {
        let path = self.path;
        let ended = match step {
            Step::Enter { actions, message } => {
                if console.lines.is_terminal() && !agreed(&game.session, &actions, message.as_deref(), &self.origin)? {
                    return Ok(None);
                }
                let given = self.given(game, console, message);
                console.tries(|| given.enter(path, Some(&actions), false)).then_some(Turned::Again)
            }
            Step::Answer => {
                let given = self.given(game, console, None);
                console.tries(|| given.enter(path, None, true)).then_some(Turned::Again)
            }
            Step::If(replies) => {
                console.tries(|| conditions::run(&conditions::Args::of(path, replies)));
                None
            }
            Step::Program(line) => {
                let words = shlex::split(&line);
                if words.is_none() {
                    say(UNCLOSED)?;
                }
                words.map(Turned::Other)
            }
            Step::Command(word, _) => return self.command(game, console, word),
            _ => None,
        };
        Ok(ended)
    }
}

/// What is said of a command line that does not end.
const UNCLOSED: &str = "a quotation mark in it is not closed";

impl AtGame<'_> {
    fn command(&self, game: &Game<'_>, console: &mut Console, word: &str) -> Result<Option<Turned>, Failure> {
        let path = self.path;
        match word {
            "quit" => {
                self.leave(&game.session)?;
                return Ok(Some(Turned::Quit));
            }
            // Those that were passed over come round again.
            "next" => match urgent(self.played).or_else(|| urgent(&[path.to_owned()])) {
                Some(other) => {
                    self.leave(&game.session)?;
                    return Ok(Some(Turned::Next(other)));
                }
                None => print("no other game waits for you; `postrider status` lists them all\n")?,
            },
            "undo" => return Ok(console.tries(|| undo::run(&undo::Args::of(path))).then_some(Turned::Shown)),
            "send" if self.asked_back.is_some() => {
                return Ok(console.tries(|| send::run(&send::Args::anew(path))).then_some(Turned::Shown));
            }
            "send" => {
                console.tries(|| send::run(&send::Args::of(path)));
            }
            "mail" if self.settings.sources().is_empty() => say(NO_SOURCE)?,
            "mail" => {
                fetch(self.settings, true);
                return Ok(Some(Turned::Shown));
            }
            "clock" => {
                succeeds(|| clock::run(&clock::Args::of(path)));
            }
            "log" => {
                succeeds(|| log::run(&log::Args::of(path)));
            }
            "position" => print(format!("{}\n", game.session.desk.opened.table.position()))?,
            _ => {}
        }
        Ok(None)
    }

    /// How an entry is made, and the board shown after it.
    fn given(&self, game: &Game<'_>, console: &Console, message: Option<String>) -> Given {
        let look = console.look(game).unwrap_or_default();
        let sides = game.session.desk.opened.header.info.sides;
        let shown = Shown {
            view: game.shown.view.clone(),
            from: Some(sides[usize::from(look.turned)].word.to_owned()),
            compact: look.compact,
            unicode: look.unicode,
            fit: look.rows.is_some(),
        };
        let own = game.session.own().filter(|_| self.both);
        Given::in_session(shown, message, own.map(|own| sides[own.index()].word))
    }

    /// What is said and asked before leaving a game: whether its letter was sent.
    fn leave(&self, session: &Session<'_>) -> Result<(), Failure> {
        let path = self.path;
        if let Some(entry) = dating::asked_back(&*office()?, &session.desk)? {
            let told = is_asked_back(entry);
            if confirm::can_ask()
                && confirm::asks(&format!("{told}. Make the same entry with the present time, and send it now?"))
            {
                succeeds(|| send::run(&send::Args::anew(path)));
            } else {
                errln!("{told}: `postrider send {} --date-anew` makes it again", arg(&self.origin));
            }
            return Ok(());
        }
        let Some(letter) = owed(session)? else { return Ok(()) };
        if confirm::can_ask() && confirm::asks(&format!("{letter} has not been sent. Send it now?")) {
            succeeds(|| send::run(&send::Args::of(path)));
            return Ok(());
        }
        errln!("{letter} has not been sent: `postrider send {}` sends it", arg(&self.origin));
        Ok(())
    }
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

/// Says that the host has asked for an entry with another time.
fn is_asked_back(entry: u32) -> String {
    format!("the host has not entered your entry {entry}, because of its time")
}

/// What the player has to send and has not sent: the newest entry, or the invitation to a game that has none.
fn owed(session: &Session<'_>) -> Result<Option<String>, Failure> {
    let own = session.own();
    let (desk, office) = (&session.desk, office()?);
    let game = &OwnGame::new(&office, &desk.opened.header.id);
    let standing = desk.opened.table.standing();
    let (is_own, letter) = match desk.last() {
        Some((side, _)) => (own.is_none_or(|own| own == side), format!("entry {}", standing.entries)),
        None => (own == Some(standing.due.side.other()) && !game.was_invited(), "the invitation".to_owned()),
    };
    Ok(Some(letter).filter(|_| is_own && letters::is_owed(game, desk)))
}
