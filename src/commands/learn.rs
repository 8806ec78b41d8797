//! `postrider learn`: lessons, which the referee judges.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::hints::Failure;
use crate::cli::out::print;
use crate::cli::session::lines::Read;
use crate::cli::session::{Console, Course, Game, turns};
use crate::cli::{input, view};
use postrider_board::render::sheet::{Extras, folded, signs};
use postrider_board::render::{Look, board, small};
use postrider_disk::folders::Folders;
use postrider_home::entry::session::{Command, Session, Step};
use postrider_home::learning::LessonsDone;
use postrider_kernel::Viewer;
use postrider_kernel::scene::Scene;
use postrider_machine::lessons::{Answer, Lesson, lessons};
use postrider_machine::opponent;
use postrider_page::sheet;
use postrider_referee::desk::NoKeyStore;
use postrider_referee::facade::{Referee, open};
use postrider_referee::registry::{AnyGame, GAMES};
use postrider_referee::verdict::Opened;
use postrider_search::{Chance, Lots};

/// Learn a game in short lessons
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/learn.txt"))]
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
        return crate::cli::out::written(output, page.as_bytes()).map(|()| ExitCode::SUCCESS);
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
        let (console, mut number) = (&mut Console::new(false), first);
        while let Some(lesson) = self.lessons.get(number.wrapping_sub(1)) {
            match self.at_lesson(lesson, number, console)? {
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
        Ok(console.code())
    }

    /// Shows a lesson, and reads what is typed until it is left.
    fn at_lesson(&self, lesson: &Lesson, number: usize, console: &mut Console) -> Result<Left, Failure> {
        let record = lesson.record(self.game).map_err(Failure::trouble)?;
        let record = record.as_bytes();
        let referee = &open(record).map_err(|verdict| Failure::verdict(record, ORIGIN, &verdict, false))?;
        print(self.screen(lesson, number, referee, Room::here()))?;
        let mut game = Game::alone(record, ORIGIN, referee.standing().due.side, &COMMANDS)?;
        // The text of the lesson speaks of the board as it stands there.
        game.shown.from = Some(self.game.info().sides[0].word.to_owned());
        console.run(&mut AtLesson { school: self, lesson, number, referee }, &mut game, &mut NoKeyStore)
    }

    /// The text of a lesson, its position and its task, on one screen if that is possible.
    fn screen(&self, lesson: &Lesson, number: usize, referee: &Referee<'_>, room: Room) -> String {
        let head = format!("{}, lesson {number} of {}: {}", self.game.info().title, self.lessons.len(), lesson.title);
        let said = room.text(&format!("{} ({})", lesson.text, lesson.rules.join(", ")));
        let task = room.text(&format!("Task: {}", lesson.task));
        let side = referee.standing().due.side;
        let table = referee.record().table.as_ref();
        let left = turns::left(table, side, None);
        room.fitting(&table.view(Viewer::Side(side)), true, |board, is_airy| {
            let (line, due) = if is_airy { ("\n", self.due(referee)) } else { ("", String::new()) };
            format!("{head}\n{line}{said}{line}{board}{left}{due}{task}")
        })
    }

    /// Whose entry is asked for.
    fn due(&self, referee: &Referee<'_>) -> String {
        let due = referee.standing().due;
        format!("{} to enter: {}\n", self.game.info().sides[due.side.index()].named(), due.what)
    }
}

/// What the record of a lesson is called in refusals.
const ORIGIN: &str = "lesson";

/// A lesson that is being done.
struct AtLesson<'s> {
    school: &'s School,
    lesson: &'s Lesson,
    number: usize,
    referee: &'s Referee<'s>,
}

impl Course for AtLesson<'_> {
    type End = Left;
    const HELP: &'static str = "Type the entry, and the referee judges it; a long turn whole, or one action after another, with an empty line to \
                                end it. Tab completes. The commands are:";

    fn origin(&self) -> &str {
        ORIGIN
    }

    fn extras(&self, _: &Opened<'_>) -> Result<Extras, Failure> {
        Ok(Extras::default())
    }

    fn sheet(&self, game: &Game<'_>, scene: &Scene, look: Look) -> Result<String, Failure> {
        let table = game.seen.opened.table.as_ref();
        let below = turns::left(table, table.standing().due.side, None) + &self.school.due(self.referee);
        // What stands beside this board is less than the rows that are kept free below another.
        let room = Room(Look { rows: look.rows.and(view::rows()), columns: look.columns.or(Some(COLUMNS)), ..look });
        Ok(room.fitting(scene, true, |board, _| format!("{board}{below}")))
    }

    /// A turn goes on with the card that was drawn; but a lesson may say what came.
    fn thrown(&self, session: &Session<'_>, typed: &str) -> Option<Result<String, Chance>> {
        let lot = Lots::new(self.seed()).draw();
        opponent::thrown(session.desk.opened.table.as_ref(), session.begun(), typed, lot).ok().map(Ok)
    }

    fn does(&mut self, game: &mut Game<'_>, console: &mut Console, step: Step) -> Result<Option<Left>, Failure> {
        match step {
            Step::Enter { actions, .. } => return self.judged(game, console, &actions),
            Step::Command("quit", _) => return Ok(Some(Left::Quit)),
            Step::Command("next", _) => return Ok(Some(Left::On)),
            Step::Command("back", _) => return Ok(Some(Left::Back)),
            Step::Command("task", _) => print(text(&format!("Task: {}", self.lesson.task)))?,
            Step::Command("hint", _) => print(text(&hint(self.lesson)))?,
            Step::Command("solution", _) => print(format!("for instance {}\n", self.lesson.solution))?,
            Step::Command("undo", _) => print("there is nothing to take back\n")?,
            _ => {}
        }
        Ok(None)
    }
}

impl AtLesson<'_> {
    /// What throws and draws follow from.
    fn seed(&self) -> u64 {
        u64::try_from(self.number).unwrap_or_default()
    }

    /// The room for the board after the entry, which is as large as the board of the task.
    fn room(&self) -> Room {
        let (room, Self { school, lesson, number, referee }) = (Room::here(), self);
        let small = Room(Look { compact: true, ..room.0 });
        let is_small = school.screen(lesson, *number, referee, room) == school.screen(lesson, *number, referee, small);
        if is_small { small } else { room }
    }

    /// Judges what was typed, and says what there is to say.
    fn judged(&self, game: &mut Game<'_>, console: &mut Console, typed: &str) -> Result<Option<Left>, Failure> {
        match self.lesson.answer(self.referee, typed, self.seed()) {
            Answer::Refused(stop, filled) => console.refuses_entry(&stop, &filled),
            Answer::Other(judged, said) => {
                print(format!("{}\n{}", judged.actions, text(&said)))?;
                game.session.forget();
            }
            Answer::Solved(judged) => {
                let mut scene = judged.table.view(Viewer::Side(judged.side));
                scene.mark_since(&self.referee.record().table.view(Viewer::Side(judged.side)));
                let right = text(&format!("Right. {}", self.lesson.done));
                let shown = |board: &str, _: bool| format!("{}\n{board}{right}\n", judged.actions);
                print(self.room().fitting(&scene, false, shown))?;
                let School { game, lessons, done } = self.school;
                let noted = done.as_ref().map_or(Ok(()), |done| done.note(game.info().name, self.number));
                if let Err(error) = noted {
                    errln!("warning: that you have done this lesson is not kept: {error}");
                }
                return after(self.number < lessons.len(), console).map(Some);
            }
        }
        Ok(None)
    }
}

/// Waits where somebody reads what was done before the next lesson takes the screen.
fn after(is_more: bool, console: &mut Console) -> Result<Left, Failure> {
    if !console.lines.is_terminal() || !is_more {
        return Ok(Left::On);
    }
    loop {
        let line = match console.lines.ask("Enter goes on> ")? {
            Read::End => return Ok(Left::Quit),
            Read::Interrupted => return Ok(Left::On),
            Read::Line(line) => line,
        };
        match line.trim() {
            "" | "next" => return Ok(Left::On),
            "quit" | "q" | "exit" => return Ok(Left::Quit),
            "back" => return Ok(Left::Back),
            _ => print("this lesson is done: Enter shows the next one, `back` the one before, `quit` ends\n")?,
        }
    }
}

/// The room on the screen, and how a board is to look.
#[derive(Clone, Copy)]
struct Room(Look);

impl Room {
    fn here() -> Self {
        Self(Look { columns: view::columns().or(Some(COLUMNS)), rows: view::rows(), colour: true, ..Look::default() })
    }

    /// The width of a text: that of the screen, at most what is read easily.
    fn columns(self) -> usize {
        self.0.columns.unwrap_or(COLUMNS).min(COLUMNS)
    }

    /// A paragraph as wide as the screen, at most as wide as is read easily.
    fn text(self, paragraph: &str) -> String {
        folded(paragraph, self.columns()).join("\n") + "\n"
    }

    /// What is made of the largest board with which it fits the screen, and of what the signs on it mean if that is wanted; a line is for
    /// the prompt. `made` is told whether there is room for what is not needed.
    fn fitting(self, scene: &Scene, is_explained: bool, made: impl Fn(&str, bool) -> String) -> String {
        let look = Look { rows: None, ..self.0 };
        let signs = match signs(scene, false, self.columns()) {
            signs if is_explained && !signs.is_empty() => format!("{signs}\n"),
            _ => String::new(),
        };
        let (large, small) = (if look.compact { String::new() } else { board(scene, look) }, small(scene, look));
        let all = [
            (format!("{large}{signs}"), true),
            (format!("{small}{signs}"), true),
            (format!("{small}{signs}"), false),
            (small.clone(), true),
            (small, false),
        ];
        let mut text = String::new();
        for (board, is_airy) in all.into_iter().skip(usize::from(look.compact)) {
            text = made(&board, is_airy);
            if self.0.rows.is_none_or(|rows| text.lines().count() < rows) {
                break;
            }
        }
        text
    }
}

/// A paragraph as wide as the terminal.
fn text(paragraph: &str) -> String {
    Room::here().text(paragraph)
}

/// How an entry begins that solves a lesson, and where its rule stands.
fn hint(lesson: &Lesson) -> String {
    let actions = lesson.solution.split("; ").count();
    let count = if actions > 1 { format!(", and has {actions} actions") } else { String::new() };
    let rule = lesson.rules.first().map(|rule| format!("; `rules {rule}` says more")).unwrap_or_default();
    format!("It begins with {}{count}{rule}.", beginning(&lesson.solution))
}

/// The beginning of an entry, which leaves something to be found: its first word, or the square or sign that it begins with.
fn beginning(solution: &str) -> &str {
    let first = solution.split("; ").next().unwrap_or(solution);
    if let Some((word, _)) = first.split_once(' ') {
        return word;
    }
    let sign = first.len() - first.trim_start_matches(['+', '-']).len();
    let place =
        first.get(sign..).and_then(|rest| rest.find(|c: char| !c.is_alphanumeric())).map(|length| sign + length);
    let end = match place {
        Some(end) => end,
        None if sign > 0 => sign,
        None if first.len() < solution.len() => first.len(),
        None => 1,
    };
    first.get(..end).unwrap_or(first)
}

/// How a lesson is left.
enum Left {
    On,
    Back,
    Quit,
}

/// The commands of a lesson.
const COMMANDS: [Command; 15] = [
    ("task", "", "say again what is to be done"),
    ("hint", "", "how an entry begins that does it"),
    ("solution", "", "an entry that does it"),
    ("next", "", "the next lesson"),
    ("back", "", "the one before"),
    ("moves", "[BEGINNING]", "what may be entered, or what may come next"),
    ("undo", "", "take back the last action typed"),
    ("board", "", "show the board again"),
    ("words", "", "describe the position in words"),
    ("compact", "", "draw the board in few lines, or in full again"),
    ("turn", "", "turn the board"),
    ("rules", "[RULE]", "print the rules, or one of them: `rules T21`"),
    ("status", "", "list your games"),
    ("help", "", "list these commands"),
    ("quit", "", "end the session"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `each` with every lesson of every game.
    fn every_lesson(mut each: impl FnMut(&School, &Lesson, usize, &Referee<'_>)) {
        for game in GAMES {
            let Ok(school) = School::of(*game, None) else { panic!("{}: the lessons are read", game.info().name) };
            for (lesson, number) in school.lessons.iter().zip(1..) {
                let record = lesson.record(*game).expect("a record");
                let referee = open(record.as_bytes()).unwrap_or_else(|verdict| panic!("{verdict}"));
                each(&school, lesson, number, &referee);
            }
        }
    }

    #[test]
    fn text_board_and_task_of_every_lesson_fit_a_terminal_of_24_lines_and_80_columns() {
        let room = Room(Look { columns: Some(80), rows: Some(24), ..Look::default() });
        every_lesson(|school, lesson, number, referee| {
            let screen = school.screen(lesson, number, referee, room);
            let named = format!("{} {number}:\n{screen}", school.game.info().name);
            // The prompt takes the last line.
            assert!(screen.lines().count() <= 23, "{} lines of {named}", screen.lines().count());
            assert!(screen.lines().all(|line| line.chars().count() <= 80), "{named}");
            let scene = referee.record().table.view(Viewer::Side(referee.standing().due.side));
            let sign = scene.legend.first().map(|(sign, ..)| *sign).unwrap_or_default();
            assert!(screen.contains(sign), "what the signs mean is not said: {named}");
            for part in [&lesson.title, &lesson.task] {
                let joined = screen.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(joined.contains(part.as_str()), "{named}");
            }
        });
    }

    #[test]
    fn what_is_shown_of_a_solved_lesson_fits_a_terminal() {
        let room = Room(Look { columns: Some(80), rows: Some(24), ..Look::default() });
        every_lesson(|school, lesson, number, referee| {
            let Answer::Solved(judged) =
                lesson.answer(referee, &lesson.solution, u64::try_from(number).unwrap_or_default())
            else {
                panic!("{} {number} is solved", school.game.info().name)
            };
            let scene = judged.table.view(Viewer::Side(judged.side));
            let right = room.text(&format!("Right. {}", lesson.done));
            let shown = room.fitting(&scene, false, |board, _| format!("{}\n{board}{right}\n", judged.actions));
            assert!(shown.lines().count() <= 23, "{} {number}:\n{shown}", school.game.info().name);
        });
    }

    #[test]
    fn the_hand_and_the_stacks_of_a_lesson_are_told_with_its_board() {
        let room = Room(Look { columns: Some(80), rows: Some(24), ..Look::default() });
        every_lesson(|school, lesson, number, referee| {
            let screen = school.screen(lesson, number, referee, room);
            match (school.game.info().name, number) {
                ("mission-combat", 1) => {
                    let hand = "  hand       armored-gauss-tank, rifle-squad x2, stealth-sniper x2\n";
                    assert!(screen.contains(hand), "{screen}");
                }
                ("subsume", 3) => assert!(screen.contains("white  c3 3 IAD, c4 1 I\n"), "{screen}"),
                _ => {}
            }
        });
    }

    #[test]
    fn a_hint_is_no_solution() {
        every_lesson(|school, lesson, number, _| {
            let (hint, named) = (hint(lesson), format!("{} {number}", school.game.info().name));
            assert!(!hint.contains(&lesson.solution), "{named}: {hint}");
            let begins = beginning(&lesson.solution);
            assert!(!begins.is_empty() && lesson.solution.starts_with(begins), "{named}: {hint}");
            assert!(begins.len() < lesson.solution.len(), "{named}: {hint}");
        });
    }
}
