//! `postrider practice`: a game against the machine, in this session only or kept in a file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::out::print;
use crate::cli::prompt::Prompt;
use crate::cli::{fair, input, invited, prompt};
use postrider_disk::disk::{FileError, RecordLock};
use postrider_home::invite::begin::{fits_open_play, read_setup};
use postrider_kernel::{Side, Viewer};
use postrider_machine::practice;
use postrider_referee::facade::{Referee, open};
use postrider_referee::judging::Beside;
use postrider_referee::record::{Item, Machine};
use postrider_referee::registry::AnyGame;
use postrider_referee::verdict::Ruling;
use postrider_search::{LEVELS, Level, Lots, level_of};

/// Play against the machine
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider practice asalto                       the besiegers are yours, the machine plays at level 2
  postrider practice asalto --as defenders --level 4
  postrider practice assassyn --seed 7            the same dice and the same machine whenever it is repeated
  postrider practice asalto -o evening.pbem       keep the game in a file
  postrider practice evening.pbem                 go on with it
  postrider practice subsume < script             read from a file what you would type

Type your move. `hint` suggests one, `why` says what the machine expects, `undo` takes your last entry back as often as you like, \
`level 3` changes the level, `moves`, `board`, `rules` and `quit` do what they say. The game is played in the open; dice are thrown and \
cards drawn for both sides by the program (type `accept` or `draw`), and the machine never looks at a hand. Without -o no \
file is written; nothing is ever mailed.")]
pub(crate) struct Args {
    /// The game, or the file of a practice game to go on with
    #[arg(value_name = "GAME|FILE")]
    game: String,
    /// Your side, instead of the one that `postrider games` names first
    #[arg(long = "as", value_name = "SIDE")]
    side: Option<String>,
    /// How strong the machine is, from 1 (for children) to 5
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u8).range(1..=5))]
    level: u8,
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
const PATIENCE: Duration = Duration::from_secs(20);

/// A game in this session.
struct Practice {
    game: &'static dyn AnyGame,
    own: Side,
    level: &'static Level,
    seed: u64,
    /// The record, after each entry.
    records: Vec<Vec<u8>>,
    /// What the machine expected of its last entry, from -1000 to 1000.
    expected: Option<i32>,
    /// Where the game is kept.
    kept: Option<Kept>,
}

/// The file of a practice game, which nobody else changes meanwhile.
struct Kept {
    lock: RecordLock,
    /// What is in it.
    written: Vec<u8>,
}

/// Whether an entry that is begun now has been thought about for long enough.
fn time_is_up() -> impl FnMut() -> bool {
    let began = Instant::now();
    move || began.elapsed() >= PATIENCE
}

/// A share of a thousand expected points as one of a hundred.
fn percent(expects: i32) -> i32 {
    (expects + 1000) / 20
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let path = Path::new(&args.game);
    let is_file = path.extension().is_some_and(|end| end == "pbem") || path.is_file();
    if is_file && input::game_named(&args.game).is_none() { resumed(args, path) } else { begun(args) }
}

/// Begins a game.
fn begun(args: &Args) -> Result<ExitCode, Failure> {
    let game = input::game(&args.game)?;
    let info = game.info();
    let own = match args.side.as_deref() {
        None => Side::First,
        Some(word) => input::side(info, word)?,
    };
    let options = input::options(game, &args.option)?;
    fits_open_play(game, &options)?;
    let setup = args.setup.as_deref().map(|typed| read_setup(game, &options, typed, false)).transpose()?;
    let level = level_of(args.level).unwrap_or(&LEVELS[1]);
    let now = input::now(None)?;
    let seed = args.seed.unwrap_or_else(|| Lots::new(now.0.unsigned_abs()).draw() >> 40);
    let machine = Machine { side: own.other(), level: level.number, seed };
    let now = now.to_string();
    let today = now.trim_start_matches('@').get(..10).unwrap_or("2026-01-01");
    let record = practice::record(info, &machine, today, &options, setup.as_deref()).into_bytes();
    let kept = match &args.output {
        None => None,
        Some(path) => {
            postrider_disk::files::create(path, &record).map_err(|error| match error {
                FileError::Exists { .. } => Failure::trouble(error.to_string()).hint(format!(
                    "`postrider practice {}` goes on with it, if it is a practice game; another name with -o leaves it alone",
                    hints::shell(path)
                )),
                error => Failure::writing(&error),
            })?;
            Some(Kept { lock: invited::lock(path)?, written: record.clone() })
        }
    };
    let mut practice = Practice { game, own, level, seed, records: vec![record], expected: None, kept };
    fair::gives_no_help(practice.referee()?.record(), "this position")?;
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
    let lock = invited::lock(path)?;
    let source = lock.read().map_err(|error| Failure::writing(&error))?;
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
    let mut records = vec![opened.text.get(..opened.frame.body.start as usize).unwrap_or_default().as_bytes().to_vec()];
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        let end = entry.span.end as usize;
        let line = opened.text.get(end..).and_then(|rest| rest.find('\n')).map_or(opened.text.len(), |at| end + at + 1);
        records.push(opened.text.get(..line).unwrap_or_default().as_bytes().to_vec());
    }
    // What stands behind the last entry stays.
    if let Some(last) = records.last_mut() {
        last.clone_from(&source);
    }
    let level = level_of(level).unwrap_or(&LEVELS[1]);
    let (game, own) = (opened.game, side.other());
    let kept = Some(Kept { lock, written: source.clone() });
    let mut practice = Practice { game, own, level, seed, records, expected: None, kept };
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
        let (Some(kept), Some(now)) = (&mut self.kept, self.records.last()) else { return Ok(()) };
        if kept.written != *now {
            input::written(kept.lock.replace(&kept.written, now))?;
            kept.written.clone_from(now);
        }
        Ok(())
    }

    /// The game as it is now.
    fn referee(&self) -> Result<Referee<'_>, Failure> {
        let source = self.records.last().map(Vec::as_slice).unwrap_or_default();
        open(source).map_err(|verdict| Failure::verdict(source, "practice", &verdict, false))
    }

    fn session(&mut self) -> Result<ExitCode, Failure> {
        let mut prompt = Prompt::new();
        self.answer(&mut prompt)?;
        self.board()?;
        while let Some(line) = prompt.line()? {
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match (word, rest.trim()) {
                ("", _) => {}
                ("quit" | "exit", "") => break,
                ("help", _) => print(HELP)?,
                ("board", "") => self.board()?,
                ("undo", "") => {
                    if !self.undo()? {
                        print("there is no entry of yours to take back\n")?;
                    }
                }
                ("hint", "") => self.hint()?,
                ("why", "") => self.why()?,
                ("level", number) => match number.parse().ok().and_then(level_of) {
                    Some(level) => {
                        self.level = level;
                        print(format!("level {}, {}: {}\n", level.number, level.name, level.about))?;
                    }
                    None => print("the levels are 1 to 5, as in `level 3`\n")?,
                },
                // In brief, since a deployment may be made in a million ways.
                ("moves", "") => print(self.referee()?.moves().join("\n") + "\n")?,
                ("moves", begun) => prompt::moves(&self.referee()?, begun)?,
                ("rules", rule) => prompt::show_rules(self.game.info().name, rule),
                _ => {
                    if self.enter(&mut prompt, &line)? {
                        self.answer(&mut prompt)?;
                        self.board()?;
                    }
                }
            }
        }
        Ok(prompt.code())
    }

    /// Enters what was typed; returns whether it is legal.
    fn enter(&mut self, prompt: &mut Prompt, typed: &str) -> Result<bool, Failure> {
        let referee = self.referee()?;
        if referee.standing().outcome.is_some() {
            print("the game is over; `undo` takes your last entry back, `quit` ends\n")?;
            return Ok(true);
        }
        let filled = practice::filled(referee.record().table.as_ref(), self.seed, typed);
        let judged = match referee.judge(&filled, &Beside::default()) {
            Ok(judged) => judged,
            Err(stop) => {
                prompt.refuse(&stop, &filled);
                return Ok(false);
            }
        };
        let record = referee.append(&judged).map_err(|verdict| Failure::trouble(verdict.to_string()))?;
        print(format!("{}\n", judged.line))?;
        self.records.push(record);
        self.keep()?;
        Ok(true)
    }

    /// The machine's entries, and those in which there is nothing to choose but to throw or to draw.
    fn answer(&mut self, prompt: &mut Prompt) -> Result<(), Failure> {
        loop {
            let referee = self.referee()?;
            let table = referee.record().table.as_ref();
            let stop = &mut time_is_up();
            let next = practice::unasked(table, self.own.other(), &self.level.budget, self.seed, stop);
            let Some(practice::Unasked { entry, expects }) = next else { return Ok(()) };
            self.expected = expects.or(self.expected);
            if !self.enter(prompt, &entry)? {
                return Ok(());
            }
        }
    }

    /// Takes entries back to before the player's last one.
    fn undo(&mut self) -> Result<bool, Failure> {
        let source = self.records.last().map(Vec::as_slice).unwrap_or_default();
        let Some(left) = practice::taken_back(source, self.own.other()) else { return Ok(false) };
        self.records.truncate(left.entries as usize + 1);
        self.keep()?;
        self.board()?;
        Ok(true)
    }

    fn hint(&self) -> Result<(), Failure> {
        let referee = self.referee()?;
        if let Err(unfair) = fair::gives_no_help(referee.record(), "this position") {
            return print(format!("{}\n", unfair.message()));
        }
        match practice::hint(referee.record().table.as_ref(), self.seed, &mut time_is_up()) {
            Some(thought) => print(format!("{} (expected {}%)\n", thought.chosen, percent(thought.expects))),
            None => print("there is nothing to enter\n"),
        }
    }

    fn why(&self) -> Result<(), Failure> {
        match self.expected {
            Some(expects) => print(format!(
                "the machine expects {}% of the point; level {} plays {} games on in its head for each entry\n",
                percent(expects),
                self.level.number,
                self.level.budget.playouts
            )),
            None => print("the machine has not played yet\n"),
        }
    }

    fn board(&self) -> Result<(), Failure> {
        let referee = self.referee()?;
        let opened = referee.record();
        let scene = opened.table.view(Viewer::Side(self.own));
        let standing = referee.standing();
        let sides = &self.game.info().sides;
        let state = match standing.outcome {
            Some(outcome) => format!("the game is over: {}", outcome.text(sides)),
            None => format!("{} to enter: {}", sides[standing.due.side.index()].named(), standing.due.what),
        };
        print(format!("{}{state}\n", prompt::board(&scene, self.own == Side::Second)))
    }
}

const HELP: &str = "\
your move, as in the rulebook    enters it, and the machine answers
accept, draw                     a throw or a draw: the program throws and draws
hint                             a suggestion
why                              what the machine expects
undo                             takes your last entry back
level N                          changes the level, 1 to 5
moves, moves BEGINNING           what may be entered, or may follow
board, rules, rules NUMBER, quit
";
