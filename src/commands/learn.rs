//! `postrider learn`: lessons, which the referee judges.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::out::print;
use crate::cli::prompt;
use crate::cli::prompt::board;
use crate::cli::{acts, input, refusals, turns, view};
use crate::commands::play::editor::{Lines, Read};
use postrider_board::render::sheet::folded;
use postrider_disk::folders::Folders;
use postrider_home::entry::session::{Command, Session, Step};
use postrider_home::learning::LessonsDone;
use postrider_kernel::Viewer;
use postrider_machine::lessons::{Answer, Lesson, lessons};
use postrider_machine::opponent;
use postrider_page::sheet;
use postrider_referee::desk::NoKeyStore;
use postrider_referee::facade::{Referee, open};
use postrider_referee::registry::{AnyGame, GAMES};
use postrider_search::Lots;

/// Learn a game in short lessons
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider learn                  the games, and how far you are in each
  postrider learn asalto           go on where you left off
  postrider learn asalto 7         one lesson, and on from there
  postrider learn asalto --list    the lessons
  postrider learn asalto --print -o asalto.html    all of them as a page for print, with the boards
  postrider learn asalto < script  read from a file what you would type

Each lesson shows a position and asks for one thing. Type the entry; the referee judges it. `hint` shows how one begins, `solution` all of \
it, `next` and `back` leave the lesson, `help` lists the other commands. Which lessons you have done is kept in the data folder.")]
pub(crate) struct Args {
    /// The game
    game: Option<String>,
    /// The lesson to begin with
    #[arg(value_name = "LESSON")]
    number: Option<usize>,
    /// List the lessons
    #[arg(long)]
    list: bool,
    /// With --list, print JSON, one object per line
    #[arg(long, requires = "list")]
    json: bool,
    /// Write the lessons of the game as one page for print
    #[arg(long, requires = "game", requires = "output", conflicts_with_all = ["number", "list"])]
    print: bool,
    /// With --print, the page to write, or `-` for standard output
    #[arg(short, long, value_name = "FILE", requires = "print")]
    output: Option<PathBuf>,
}

/// The width of the text where nothing else is known.
const COLUMNS: usize = 80;

#[derive(Serialize)]
struct Row<'a> {
    game: &'static str,
    lesson: usize,
    title: &'a str,
    rules: &'a [String],
    done: bool,
}

/// Lessons of a game, and which of them were done.
struct School {
    game: &'static dyn AnyGame,
    lessons: Vec<Lesson>,
    done: Option<LessonsDone>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let done = Folders::find().ok().map(|folders| LessonsDone::new(&folders));
    let Some(name) = &args.game else {
        for game in GAMES {
            School::of(*game, done.clone())?.told(args.list, args.json)?;
        }
        if !args.list {
            print("`postrider learn GAME` begins, or goes on where you left off\n")?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let game = input::game(name)?;
    if let Some(output) = &args.output {
        crate::commands::page::not_on_screen(output)?;
        let page = sheet(game).map_err(Failure::trouble)?;
        return crate::commands::page::written(output, page.as_bytes()).map(|()| ExitCode::SUCCESS);
    }
    let school = School::of(game, done)?;
    let count = school.lessons.len();
    if let Some(number) = args.number.filter(|number| !(1..=count).contains(number)) {
        let info = school.game.info();
        return Err(Failure::trouble(format!("{} has no lesson {number}; its lessons are 1 to {count}", info.title))
            .hint(format!("`postrider learn {} --list` lists them", info.name)));
    }
    if args.list {
        school.told(true, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let was_done = school.was_done();
    let first = args.number.or_else(|| (1..=count).find(|number| !was_done.contains(number))).unwrap_or(1);
    school.session(first)
}

impl School {
    fn of(game: &'static dyn AnyGame, done: Option<LessonsDone>) -> Result<Self, Failure> {
        let lessons = lessons(game.info().name).map_err(Failure::trouble)?;
        Ok(Self { game, lessons, done })
    }

    fn was_done(&self) -> std::collections::BTreeSet<usize> {
        self.done.as_ref().map(|done| done.of(self.game.info().name)).unwrap_or_default()
    }

    /// Says how many lessons there are, or which.
    fn told(&self, each: bool, as_json: bool) -> Result<(), Failure> {
        let (info, was_done) = (self.game.info(), self.was_done());
        if !each {
            let count = was_done.iter().filter(|number| **number <= self.lessons.len()).count();
            return print(format!("{:14}  {} lessons, {count} done\n", info.name, self.lessons.len()));
        }
        let mut text = String::new();
        for (lesson, number) in self.lessons.iter().zip(1..) {
            let done = was_done.contains(&number);
            let row = Row { game: info.name, lesson: number, title: &lesson.title, rules: &lesson.rules, done };
            if as_json {
                text.push_str(&postrider_board::report::line(&row));
            } else {
                let mark = if done { "done" } else { "" };
                text.push_str(&format!("{} {number:2}  {mark:4}  {}\n", info.name, lesson.title));
            }
        }
        print(text)
    }

    fn session(&self, first: usize) -> Result<ExitCode, Failure> {
        let name = self.game.info().name;
        let (mut lines, mut number, mut refused) = (Lines::new(), first, false);
        acts::in_session();
        while let Some(lesson) = self.lessons.get(number.wrapping_sub(1)) {
            match self.at_lesson(lesson, number, &mut lines, &mut refused)? {
                Left::On => number += 1,
                Left::Back => number = number.saturating_sub(1).max(1),
                Left::Quit => break,
            }
        }
        if number > self.lessons.len() {
            let then = format!(
                "That was the last lesson. `postrider rules {name}` has all the rules. Now play your first game:"
            );
            print(format!("{}postrider practice {name} --level 1\n", text(&then)))?;
        }
        // A script fails if an entry in it is refused; a person has seen it.
        let fails = refused && !lines.is_terminal();
        Ok(if fails { ExitCode::from(hints::REFUSED) } else { ExitCode::SUCCESS })
    }

    /// Shows a lesson, and reads what is typed until it is left.
    fn at_lesson(
        &self,
        lesson: &Lesson,
        number: usize,
        lines: &mut Lines,
        refused: &mut bool,
    ) -> Result<Left, Failure> {
        let record = lesson.record(self.game).map_err(Failure::trouble)?;
        let referee = open(record.as_bytes())
            .map_err(|verdict| Failure::verdict(record.as_bytes(), "lesson", &verdict, false))?;
        self.begin(lesson, number, &referee)?;
        let desk = refusals::legal(record.as_bytes(), "lesson")?;
        let mut session =
            Session::new(desk, None, None, false, input::now(None)?).alone(&COMMANDS, opponent::without_chance);
        let keys = &mut NoKeyStore;
        loop {
            let line = match lines.read(&session, keys)? {
                Read::Line(line) => line,
                Read::Interrupted => {
                    session.forget();
                    continue;
                }
                Read::End => return Ok(Left::Quit),
            };
            let line = self.filled(&session, line.trim(), number);
            match session.line(&line, keys) {
                Step::Begun { actions, next } => {
                    let after = session.so_far(keys);
                    let side = referee.standing().due.side;
                    print(turns::begun(
                        &actions,
                        &next,
                        session.desk.opened.table.as_ref(),
                        after.as_deref().map(|table| (table, side)),
                    ))?;
                }
                Step::Refused(refusal) => {
                    *refused = true;
                    err!("{}", refusals::refused("lesson", *refusal));
                }
                Step::Enter { actions, .. } => match self.is_solved((lesson, number), &referee, &actions)? {
                    Some(true) => return Ok(Left::On),
                    Some(false) => session.forget(),
                    None => *refused = true,
                },
                Step::Say(said) => print(format!("{said}\n"))?,
                Step::Moves(begun) => turns::list(&session, &begun, keys, "lesson")?,
                Step::Rules(rule) => prompt::show_rules(self.game.info().name, &rule),
                Step::Command("quit") => return Ok(Left::Quit),
                Step::Command("next") => return Ok(Left::On),
                Step::Command("back") => return Ok(Left::Back),
                Step::Command("board") => print(self.board(&referee, ""))?,
                Step::Command("task") => print(text(&format!("Task: {}", lesson.task)))?,
                Step::Command("hint") => print(text(&format!("It begins like this: {}", beginning(&lesson.solution))))?,
                Step::Command("solution") => print(format!("for instance {}\n", lesson.solution))?,
                Step::Command("undo") => print("there is nothing to take back\n")?,
                Step::Command(_) => print(turns::help(HELP, &COMMANDS))?,
                Step::Program(_) => print(prompt::ELSEWHERE)?,
                Step::Nothing | Step::Answer | Step::If(_) => {}
            }
        }
    }

    /// A line with what chance gives in it, so that a turn goes on with the card that was drawn.
    fn filled(&self, session: &Session<'_>, line: &str, number: usize) -> String {
        let word = line.split_whitespace().next().unwrap_or_default();
        let typed = line.trim_matches(|c: char| c == ';' || c.is_whitespace());
        if typed.is_empty() || COMMANDS.iter().any(|(name, ..)| name.eq_ignore_ascii_case(word)) {
            return line.to_owned();
        }
        let seed = u64::try_from(number).unwrap_or_default();
        let lots = &mut Lots::new(seed);
        // A lesson may say what came.
        match opponent::thrown(session.desk.opened.table.as_ref(), session.begun(), typed, lots.draw()) {
            Ok(filled) if line.ends_with(';') => format!("{filled};"),
            Ok(filled) => filled,
            Err(_) => line.to_owned(),
        }
    }

    fn begin(&self, lesson: &Lesson, number: usize, referee: &Referee<'_>) -> Result<(), Failure> {
        let head = format!("{}, lesson {number} of {}: {}", self.game.info().title, self.lessons.len(), lesson.title);
        let above = format!("{head}\n\n{}\n", text(&format!("{} ({})", lesson.text, lesson.rules.join(", "))));
        let task = text(&format!("Task: {}", lesson.task));
        let board = self.board(referee, &format!("{above}{task}"));
        print(format!("{above}{board}{task}"))
    }

    /// Judges what was typed, says what there is to say, and returns whether it solves the lesson; `None` if it is refused.
    fn is_solved(
        &self,
        (lesson, number): (&Lesson, usize),
        referee: &Referee<'_>,
        typed: &str,
    ) -> Result<Option<bool>, Failure> {
        match lesson.answer(referee, typed, u64::try_from(number).unwrap_or_default()) {
            Answer::Refused(stop, filled) => {
                prompt::refuse(&stop, &filled);
                Ok(None)
            }
            Answer::Other(judged, said) => print(format!("{}\n{}", judged.actions, text(&said))).map(|()| Some(false)),
            Answer::Solved(judged) => {
                let mut scene = judged.table.view(Viewer::Side(judged.side));
                scene.mark_since(&referee.record().table.view(Viewer::Side(judged.side)));
                let right = text(&format!("Right. {}", lesson.done));
                print(format!("{}\n{}{right}\n", judged.actions, board(&scene, false, &right)))?;
                let noted = self.done.as_ref().map_or(Ok(()), |done| done.note(self.game.info().name, number));
                if let Err(error) = noted {
                    errln!("warning: that you have done this lesson is not kept: {error}");
                }
                Ok(Some(true))
            }
        }
    }

    /// The position, with what stands beside it, in few lines if the rest of the screen needs the room.
    fn board(&self, referee: &Referee<'_>, rest: &str) -> String {
        let standing = referee.standing();
        let table = referee.record().table.as_ref();
        let scene = table.view(Viewer::Side(standing.due.side));
        let left = turns::left(table, standing.due.side, None);
        let due = self.game.info().sides[standing.due.side.index()].named();
        let below = format!("{left}{due} to enter: {}\n", standing.due.what);
        format!("{}{below}", board(&scene, false, &format!("{below}{rest}")))
    }
}

/// A paragraph as wide as the terminal, at most as wide as is read easily.
fn text(paragraph: &str) -> String {
    folded(paragraph, view::columns().unwrap_or(COLUMNS).min(COLUMNS)).join("\n") + "\n"
}

/// The beginning of an entry: its first action of several, or the first square or word of it.
fn beginning(solution: &str) -> String {
    match solution.split_once("; ") {
        Some((first, _)) => format!("{first}; ..."),
        None => {
            let sign = solution.trim_start_matches(['+', '-']);
            let length = solution.len() - sign.len() + sign.find(|c: char| !c.is_alphanumeric()).unwrap_or(sign.len());
            format!("{}...", solution.get(..length).unwrap_or(solution))
        }
    }
}

/// How a lesson is left.
enum Left {
    On,
    Back,
    Quit,
}

/// The commands of a lesson.
const COMMANDS: [Command; 11] = [
    ("task", "", "say again what is to be done"),
    ("hint", "", "how an entry begins that does it"),
    ("solution", "", "an entry that does it"),
    ("next", "", "the next lesson"),
    ("back", "", "the one before"),
    ("moves", "[BEGINNING]", "what may be entered, or what may come next"),
    ("undo", "", "take back the last action typed"),
    ("board", "", "show the board again"),
    ("rules", "[RULE]", "print the rules, or one of them: `rules T21`"),
    ("help", "", "list these commands"),
    ("quit", "", "end the session"),
];

/// What is said of entries in a lesson.
const HELP: &str = "Type the entry, and the referee judges it; a long turn whole, or one action after another, with an empty line to end it. \
                    Tab completes. The commands are:";
