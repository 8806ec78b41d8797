//! `postrider practice`: a game against the machine, in this session only or kept in a file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::out::{print, say};
use crate::cli::session::{Console, Course, Game};
use crate::cli::{fair, input, invited};
use postrider_board::render::sheet;
use postrider_board::render::sheet::Extras;
use postrider_disk::disk::{FileError, RecordLock};
use postrider_home::entry::session::{Command, Session, Step};
use postrider_home::invite::begin::{fits_open_play, read_setup};
use postrider_kernel::Side;
use postrider_machine::review::percent;
use postrider_machine::{opponent, practice};
use postrider_referee::desk::NoKeyStore;
use postrider_referee::facade::{Referee, open};
use postrider_referee::judging::Beside;
use postrider_referee::record::Machine;
use postrider_referee::registry::{AnyGame, GAMES};
use postrider_referee::verdict::{Opened, Ruling};
use postrider_search::{Chance, LEVELS, Level, Lots, level_of};

/// Play against the machine
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/practice.txt"))]
pub(crate) struct Args {
    /// The game, or the file of a practice game to go on with; without it, the games are listed
    #[arg(value_name = "GAME|FILE")]
    game: Option<String>,
    /// Your side, instead of the one that `postrider games` names first
    #[arg(long = "as", value_name = "SIDE")]
    side: Option<String>,
    /// How strong the machine is, from 1 (for children) to 5; otherwise 2, or as the file says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    level: Option<u8>,
    /// Keep the game in this new file, after each entry
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What dice, cards and the machine's choices follow from
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// A rule option of the game
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// A position to start from
    #[arg(long, value_name = "POS")]
    setup: Option<String>,
}

/// How long an entry is thought about at most, on however slow a machine.
const PATIENCE: Duration = Duration::from_secs(4);

/// The commands of a practice game.
const COMMANDS: [Command; 14] = [
    ("hint", "", "suggest an entry, or how a turn that was begun goes on"),
    ("moves", "[BEGINNING]", "what may be entered, or what may come next"),
    ("undo", "", "take back the last action typed, or your last entry; as often as you like"),
    ("why", "", "what the machine expects"),
    ("level", "[N]", "the level of the machine, or another one, 1 to 5"),
    ("rules", "[RULE]", "print the rules, or one of them: `rules T21`"),
    ("board", "", "show the board again"),
    ("log", "", "list the entries so far"),
    ("status", "", "list your games"),
    ("words", "", "describe the position in words"),
    ("compact", "", "draw the board in few lines, or in full again"),
    ("turn", "", "turn the board"),
    ("help", "", "list these commands"),
    ("quit", "", "end the session"),
];

/// A game in this session.
struct Practice {
    game: &'static dyn AnyGame,
    own: Side,
    level: &'static Level,
    seed: u64,
    /// The game as it is now.
    record: Vec<u8>,
    /// What the machine expected of its last entry, from -1000 to 1000.
    expected: Option<i32>,
    /// Where the game is kept.
    kept: Option<Kept>,
}

/// What ends the work at one state of the game.
enum Turned {
    /// The game has changed.
    Again,
    /// The session is over.
    Quit,
}

/// The file of a practice game, which nobody else changes meanwhile.
struct Kept {
    lock: RecordLock,
    /// What is in it.
    written: Vec<u8>,
}

impl Kept {
    /// Creates the file.
    fn new(path: &Path, written: Vec<u8>) -> Result<Self, Failure> {
        postrider_disk::files::create(path, &written).map_err(|error| match error {
            FileError::Exists { .. } => Failure::trouble(error.to_string()).hint(format!(
                "`postrider practice {}` goes on with it, if it is a practice game; another name with -o leaves it alone",
                hints::shell(path)
            )),
            error => Failure::writing(&error),
        })?;
        Ok(Self { lock: invited::lock(path)?, written })
    }
}

/// Whether an entry that is begun now has been thought about for long enough.
fn time_is_up() -> impl FnMut() -> bool {
    let began = Instant::now();
    move || began.elapsed() >= PATIENCE
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(named) = &args.game else {
        let list: String =
            GAMES.iter().map(|game| format!("{:14}  {}\n", game.info().name, game.info().title)).collect();
        print(list + "`postrider practice GAME` plays one against the machine\n")?;
        return Ok(ExitCode::SUCCESS);
    };
    let path = Path::new(named);
    let is_file = path.extension().is_some_and(|end| end == "pbem") || path.is_file();
    if is_file && input::game_named(named).is_none() { resumed(args, path) } else { begun(args, named) }
}

/// Begins a game.
fn begun(args: &Args, named: &str) -> Result<ExitCode, Failure> {
    let game = input::game(named)?;
    let info = game.info();
    let own = match args.side.as_deref() {
        None => Side::First,
        Some(word) => input::side(info, word)?,
    };
    let options = input::options(game, &args.option)?;
    fits_open_play(game, &options)?;
    let setup = args.setup.as_deref().map(|typed| read_setup(game, &options, typed, false)).transpose()?;
    let level = args.level.and_then(level_of).unwrap_or(&LEVELS[1]);
    let now = input::now(None)?;
    let seed = args.seed.unwrap_or_else(|| Lots::new(now.0.unsigned_abs()).draw() >> 40);
    let machine = Machine { side: own.other(), level: level.number, seed };
    let now = now.to_string();
    let today = now.trim_start_matches('@').get(..10).unwrap_or("2026-01-01");
    let record = practice::record(info, &machine, today, &options, setup.as_deref()).into_bytes();
    let mut practice = Practice { game, own, level, seed, record, expected: None, kept: None };
    fair::gives_no_help(practice.referee()?.record(), "this game")?;
    if let Some(path) = &args.output {
        practice.kept = Some(Kept::new(path, practice.record.clone())?);
    }
    practice.greet("you are")?;
    practice.session()
}

/// Goes on with a game that was kept.
fn resumed(args: &Args, path: &Path) -> Result<ExitCode, Failure> {
    if args.side.is_some()
        || args.seed.is_some()
        || args.setup.is_some()
        || !args.option.is_empty()
        || args.output.is_some()
    {
        return Err(Failure::trouble("the file of a practice game says what is played in it, and keeps it").hint(
            format!(
                "`postrider practice {}` goes on with it; there the word `level` changes the level",
                hints::shell(path)
            ),
        ));
    }
    if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Err(Failure::trouble(format!("there is no file {}", hints::name(path))).hint(format!(
            "`postrider practice asalto -o {}` begins a game that is kept in it; `postrider games` lists the games",
            hints::shell(path)
        )));
    }
    let lock = invited::lock(path)?;
    let source = lock.read()?;
    let origin = hints::name(path);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    if verdict.ruling != Ruling::Legal {
        return Err(Failure::verdict(&source, &origin, &verdict, true));
    }
    let Some(Machine { side, level, seed }) = opened.header.machine else {
        return Err(Failure::trouble(format!(
            "{origin} is a game against a person: the machine gives no help in it (E12)"
        ))
        .hint(format!("`postrider practice {}` begins a game against the machine", opened.header.info.name))
        .refused(Some("E12")));
    };
    fair::gives_no_help(&opened, &origin)?;
    let level = level_of(args.level.unwrap_or(level)).unwrap_or(&LEVELS[1]);
    let (game, own) = (opened.game, side.other());
    let kept = Some(Kept { lock, written: source.clone() });
    let mut practice = Practice { game, own, level, seed, record: source.clone(), expected: None, kept };
    practice.greet("you go on as")?;
    practice.session()
}

impl Practice {
    fn greet(&self, you: &str) -> Result<(), Failure> {
        print(format!(
            "{}: {you} {}, against level {} ({}); seed {}\n",
            self.game.info().title,
            self.game.info().sides[self.own.index()].named(),
            self.level.number,
            self.level.name,
            self.seed
        ))
    }

    /// Writes the game as it is now to its file, if it is kept.
    fn keep(&mut self) -> Result<(), Failure> {
        let Some(kept) = &mut self.kept else { return Ok(()) };
        if kept.written != self.record {
            input::written(kept.lock.replace(&kept.written, &self.record))?;
            kept.written.clone_from(&self.record);
        }
        Ok(())
    }

    /// The game as it is now.
    fn referee(&self) -> Result<Referee<'_>, Failure> {
        open(&self.record).map_err(|verdict| Failure::verdict(&self.record, ORIGIN, &verdict, false))
    }

    fn session(&mut self) -> Result<ExitCode, Failure> {
        let console = &mut Console::new(false);
        self.answer(console)?;
        loop {
            let source = self.record.clone();
            let game = &mut Game::alone(&source, ORIGIN, self.own, &COMMANDS)?;
            console.board(self, game, &mut NoKeyStore)?;
            if game.session.desk.opened.table.standing().outcome.is_some() {
                say(&game.session.greeting())?;
            }
            if let Turned::Quit = console.run(self, game, &mut NoKeyStore)? {
                return Ok(console.code());
            }
        }
    }

    fn set_level(&mut self, number: &str) -> Result<(), Failure> {
        match number.parse().ok().and_then(level_of) {
            Some(level) => self.level = level,
            None if number.is_empty() => {}
            None => return print("the levels are 1 to 5, as in `level 3`\n"),
        }
        print(format!("level {}, {}: {}\n", self.level.number, self.level.name, self.level.about))
    }

    /// Enters what was typed; returns whether it is legal.
    fn enter(&mut self, console: &mut Console, typed: &str) -> Result<bool, Failure> {
        let referee = self.referee()?;
        if referee.standing().outcome.is_some() {
            print("the game is over; `undo` takes your last entry back, `quit` ends\n")?;
            return Ok(false);
        }
        let judged = match referee.judge(typed, &Beside::default()) {
            Ok(judged) => judged,
            Err(stop) => {
                console.refuses_entry(&stop, typed);
                return Ok(false);
            }
        };
        let record = referee.append(&judged).map_err(|verdict| Failure::trouble(verdict.to_string()))?;
        say(&self.told(&judged.line))?;
        self.record = record;
        self.keep()?;
        Ok(true)
    }

    /// The machine's entries, and those in which there is nothing to choose but to throw or to draw.
    fn answer(&mut self, console: &mut Console) -> Result<(), Failure> {
        loop {
            let referee = self.referee()?;
            let table = referee.record().table.as_ref();
            let stop = &mut time_is_up();
            let next = practice::unasked(table, self.own.other(), &self.level.budget, self.seed, stop);
            let Some(practice::Unasked { entry, expects }) = next else { return Ok(()) };
            self.expected = expects.or(self.expected);
            if !self.enter(console, &entry)? {
                return Ok(());
            }
        }
    }

    /// Takes entries back to before the player's last one.
    fn undo(&mut self) -> Result<bool, Failure> {
        let Some(left) = practice::taken_back(&self.record, self.own.other()) else { return Ok(false) };
        self.record.truncate(left.length);
        self.keep()?;
        Ok(true)
    }

    fn hint(&self, session: &Session<'_>) -> Result<(), Failure> {
        let opened = &session.desk.opened;
        if let Err(unfair) = fair::gives_no_help(opened, "this game") {
            return print(format!("{}\n", unfair.message()));
        }
        let after = session.so_far(&mut NoKeyStore);
        let table = after.as_deref().unwrap_or(opened.table.as_ref());
        if table.standing().due.side != self.own || table.standing().outcome.is_some() {
            return print("there is nothing more to enter\n");
        }
        match practice::hint(table, self.seed, &mut time_is_up()) {
            Some(thought) => say(&format!("{} (expected {}%)", thought.chosen, percent(thought.expects))),
            None => print("there is nothing to enter\n"),
        }
    }

    fn why(&self) -> Result<(), Failure> {
        match self.expected {
            Some(expects) => say(&format!(
                "the machine expects {}% of the point; at level {} it plays {} games on in its head for each entry",
                percent(expects),
                self.level.number,
                self.level.budget.playouts
            )),
            None => print("the machine has not played yet\n"),
        }
    }

    /// A line of the record as the player may see it: what the machine draws stays its own.
    fn told(&self, line: &str) -> String {
        let machine = self.game.info().sides[self.own.other().index()].word;
        let parts = line.split_once(' ').and_then(|(number, rest)| Some((number, rest.split_once(' ')?)));
        match (self.referee(), parts) {
            (Ok(referee), Some((number, (side, actions))))
                if side == machine && referee.record().header.setup.is_none() =>
            {
                format!("{number} {side} {}", opponent::veiled(referee.record().table.as_ref(), actions))
            }
            _ => line.to_owned(),
        }
    }
}

/// What the record is called in refusals.
const ORIGIN: &str = "practice";

impl Course for Practice {
    type End = Turned;
    const HELP: &'static str = "Type a move to make it, and the machine answers. Type a long turn whole, or one action after another, with an \
                                empty line to end it. The program throws and draws: type `accept`, `roll` or `draw` alone. Tab completes. The \
                                commands are:";

    fn origin(&self) -> &str {
        ORIGIN
    }

    fn extras(&self, opened: &Opened<'_>) -> Result<Extras, Failure> {
        let entries = sheet::last_entries(opened, 2).iter().map(|line| self.told(line)).collect();
        Ok(Extras { entries, ..Extras::default() })
    }

    fn thrown(&self, session: &Session<'_>, typed: &str) -> Option<Result<String, Chance>> {
        Some(practice::filled(session.desk.opened.table.as_ref(), self.seed, session.begun(), typed))
    }

    fn does(&mut self, game: &mut Game<'_>, console: &mut Console, step: Step) -> Result<Option<Turned>, Failure> {
        match step {
            Step::Enter { actions, .. } => {
                let is_entered = self.enter(console, &actions)?;
                if is_entered {
                    self.answer(console)?;
                }
                return Ok(is_entered.then_some(Turned::Again));
            }
            Step::Command("quit", _) => return Ok(Some(Turned::Quit)),
            Step::Command("undo", _) => {
                if self.undo()? {
                    return Ok(Some(Turned::Again));
                }
                print("there is no entry of yours to take back\n")?;
            }
            Step::Command("hint", _) => self.hint(&game.session)?,
            Step::Command("why", _) => self.why()?,
            Step::Command("level", number) => self.set_level(&number)?,
            Step::Command("log", _) => {
                let opened = &game.session.desk.opened;
                let all = sheet::last_entries(opened, opened.table.standing().entries as usize);
                if all.is_empty() {
                    say("no entries yet")?;
                }
                for line in all {
                    say(&self.told(&line))?;
                }
            }
            _ => {}
        }
        Ok(None)
    }
}
