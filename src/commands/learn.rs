//! `postrider learn`: lessons, which the referee judges.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::hints::Failure;
use crate::cli::out::print;
use crate::cli::prompt;
use crate::cli::prompt::{Prompt, board};
use crate::cli::{input, view};
use postrider_board::render::sheet::folded;
use postrider_disk::folders::Folders;
use postrider_home::learning::LessonsDone;
use postrider_kernel::Viewer;
use postrider_machine::lessons::{Answer, Lesson, lessons};
use postrider_page::sheet;
use postrider_referee::facade::{Referee, open};
use postrider_referee::registry::{AnyGame, GAMES};

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

Each lesson shows a position and asks for one thing. Type the entry; the referee judges it. `hint` shows one, `next` and `back` leave the \
lesson, `moves`, `board`, `rules` and `quit` do what they say. Which lessons you have done is kept in the data folder.")]
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
        let (mut prompt, mut number) = (Prompt::new(), first);
        'lessons: while let Some(lesson) = self.lessons.get(number.wrapping_sub(1)) {
            let record = lesson.record(self.game).map_err(Failure::trouble)?;
            let referee = open(record.as_bytes())
                .map_err(|verdict| Failure::verdict(record.as_bytes(), "lesson", &verdict, false))?;
            self.begin(lesson, number, &referee)?;
            loop {
                let Some(line) = prompt.line()? else { break 'lessons };
                let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
                match (word, rest.trim()) {
                    ("", _) => {}
                    ("quit" | "exit", "") => break 'lessons,
                    ("help", _) => print(HELP)?,
                    ("board", "") => self.board(&referee)?,
                    ("task", "") => print(text(&format!("Task: {}", lesson.task)))?,
                    ("solution" | "hint", "") => print(format!("for instance {}\n", lesson.solution))?,
                    ("next", "") => break,
                    ("back", "") => {
                        number = number.saturating_sub(1).max(1);
                        continue 'lessons;
                    }
                    ("moves", begun) => prompt::moves(&referee, begun)?,
                    ("rules", rule) => prompt::show_rules(name, rule),
                    _ => {
                        if self.is_solved(&mut prompt, (lesson, number), &referee, &line)? {
                            break;
                        }
                    }
                }
            }
            number += 1;
        }
        if number > self.lessons.len() {
            let then = format!(
                "That was the last lesson. `postrider rules {name}` has all the rules. Now play your first game:"
            );
            print(format!("{}postrider practice {name} --level 1\n", text(&then)))?;
        }
        Ok(prompt.code())
    }

    fn begin(&self, lesson: &Lesson, number: usize, referee: &Referee<'_>) -> Result<(), Failure> {
        let head = format!("{}, lesson {number} of {}: {}", self.game.info().title, self.lessons.len(), lesson.title);
        print(format!("{head}\n\n{}\n", text(&format!("{} ({})", lesson.text, lesson.rules.join(", ")))))?;
        self.board(referee)?;
        print(text(&format!("Task: {}", lesson.task)))
    }

    /// Judges what was typed, says what there is to say, and returns whether it solves the lesson.
    fn is_solved(
        &self,
        prompt: &mut Prompt,
        (lesson, number): (&Lesson, usize),
        referee: &Referee<'_>,
        typed: &str,
    ) -> Result<bool, Failure> {
        match lesson.answer(referee, typed, u64::try_from(number).unwrap_or_default()) {
            Answer::Refused(stop, filled) => {
                prompt.refuse(&stop, &filled);
                Ok(false)
            }
            Answer::Other(judged, said) => print(format!("{}\n{}", judged.actions, text(&said))).map(|()| false),
            Answer::Solved(judged) => {
                let mut scene = judged.table.view(Viewer::Side(judged.side));
                scene.mark_since(&referee.record().table.view(Viewer::Side(judged.side)));
                let right = text(&format!("Right. {}", lesson.done));
                print(format!("{}\n{}{right}\n", judged.actions, board(&scene, false)))?;
                let noted = self.done.as_ref().map_or(Ok(()), |done| done.note(self.game.info().name, number));
                if let Err(error) = noted {
                    errln!("warning: that you have done this lesson is not kept: {error}");
                }
                Ok(true)
            }
        }
    }

    fn board(&self, referee: &Referee<'_>) -> Result<(), Failure> {
        let standing = referee.standing();
        let scene = referee.record().table.view(Viewer::Side(standing.due.side));
        let due = self.game.info().sides[standing.due.side.index()].named();
        print(format!("{}{due} to enter: {}\n", board(&scene, false), standing.due.what))
    }
}

/// A paragraph as wide as the terminal, at most as wide as is read easily.
fn text(paragraph: &str) -> String {
    folded(paragraph, view::columns().unwrap_or(COLUMNS).min(COLUMNS)).join("\n") + "\n"
}

const HELP: &str = "\
your entry, as in the rulebook   is judged by the referee
task                             says again what is to be done
solution, hint                   shows an entry that does it
next, back                       the next lesson, the one before
moves, moves BEGINNING           what may be entered, or may follow
board, rules, rules NUMBER, quit
";
