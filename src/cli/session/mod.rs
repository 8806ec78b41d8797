//! A session at a game: one loop reads what is typed and shows what comes of it, whoever sits on the other side.
//! [`postrider_home::entry::session`] decides what a line means; a [`Course`] does what only its kind of session does.

pub mod lines;
pub mod turns;

use std::fmt::Display;
use std::process::ExitCode;

use self::lines::{Lines, Read};
use super::hints::{Failure, REFUSED};
use super::out::{print, say};
use super::view::{self, Shown};
use super::{acts, confirm, home, input, refusals};
use crate::commands::{rules, status};
use postrider_board::render::sheet::Extras;
use postrider_board::render::{Look, diagnostic, sheet};
use postrider_home::entry::session::{COMMANDS, Command, Session, Step};
use postrider_home::entry::view::{Seen, of_desk};
use postrider_kernel::scene::Scene;
use postrider_kernel::text::{LineIndex, printable};
use postrider_kernel::{Side, Viewer};
use postrider_machine::opponent;
use postrider_referee::judging::{Stop, Table};
use postrider_referee::sealing::KeyStore;
use postrider_referee::verdict::Opened;
use postrider_search::Chance;

/// What is said where somebody who plays alone types a command of the program.
const ELSEWHERE: &str =
    "`rules` and `moves` do here what they say; `quit` ends the session, and then commands of the program may be typed";

/// What lists the games, whoever sits on the other side.
const STATUS: &str = "postrider status";

/// Who sits on the other side, a person, the machine or a lesson, and what only a session with them does.
pub trait Course {
    /// How the work at one state of the game ends.
    type End;
    /// What is said of moves above the list of commands.
    const HELP: &'static str;

    /// What the record is called in refusals.
    fn origin(&self) -> &str;

    /// What stands beside the board.
    fn extras(&self, opened: &Opened<'_>) -> Result<Extras, Failure>;

    /// What is said below the board, if anything may be.
    fn notes(&self, _: &Game<'_>) -> Option<String> {
        None
    }

    /// The game as it is shown.
    fn sheet(&self, game: &Game<'_>, scene: &Scene, look: Look) -> Result<String, Failure> {
        Ok(sheet::draw(&game.seen.opened, scene, &self.extras(&game.seen.opened)?, look))
    }

    /// What was typed with what chance gives in it, where the program throws and draws.
    fn thrown(&self, _: &Session<'_>, _typed: &str) -> Option<Result<String, Chance>> {
        None
    }

    /// Does what only this session does: makes an entry, leaves the game, its own commands. Returns how the work at this state ends, if it does.
    fn does(&mut self, game: &mut Game<'_>, console: &mut Console, step: Step) -> Result<Option<Self::End>, Failure>;
}

/// A game as its player sees it.
pub struct Game<'a> {
    pub session: Session<'a>,
    pub seen: Seen<'a>,
    pub shown: Shown,
}

impl<'a> Game<'a> {
    /// The game of somebody who plays this side alone, with these commands.
    pub fn alone(source: &'a [u8], origin: &str, own: Side, commands: &'static [Command]) -> Result<Self, Failure> {
        let desk = refusals::legal(source, origin)?;
        let (opened, viewer) = (of_desk(&desk)?, Viewer::Side(own));
        let mut scene = opened.table.view(viewer);
        if let Some(before) = view::before(&desk.opened) {
            scene.mark_since(&before.table.view(viewer));
        }
        let seen = Seen { opened, viewer, scene, foreseen: false };
        let session = Session::new(desk, None, Some(own), false, input::now(None)?);
        let session = session.alone(commands, opponent::without_chance);
        Ok(Self { session, seen, shown: Shown { fit: true, ..Shown::default() } })
    }

    /// The scene, with marks for what the last entry did, or for what was begun.
    fn scene(&self, so_far: Option<&dyn Table>) -> Scene {
        let Some(so_far) = so_far else { return self.seen.scene.clone() };
        let mut scene = so_far.view(self.seen.viewer);
        scene.mark_since(&self.seen.opened.table.view(self.seen.viewer));
        scene
    }
}

/// How boards are shown, as the player changes it.
#[derive(Clone, Copy)]
struct Sight {
    /// Whether the board is turned the other way from how it starts.
    turned: bool,
    /// Whether it is drawn compact, if the player said so; otherwise it is as large as there is room.
    compact: Option<bool>,
}

/// What lasts as long as the session: where lines come from, and how boards are shown.
pub struct Console {
    pub lines: Lines,
    sight: Sight,
    /// Whether something was refused.
    pub refused: bool,
}

impl Console {
    /// Begins a session; from here on advice names what is typed in it.
    pub fn new(compact: bool) -> Self {
        acts::in_session();
        Self { lines: Lines::new(), sight: Sight { turned: false, compact: compact.then_some(true) }, refused: false }
    }

    /// The exit code: a script learns whether everything that it typed was done; a person has seen it.
    pub fn code(&self) -> ExitCode {
        if self.refused && !self.lines.is_terminal() { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS }
    }

    /// Says why something is refused.
    pub fn refuses(&mut self, why: impl Display) {
        self.refused = true;
        err!("{}", acts::as_typed_here(&why.to_string()));
    }

    /// Says why what was typed is refused. The text is what was judged.
    pub fn refuses_entry(&mut self, stop: &Stop, text: &str) {
        let index = LineIndex::new(text.as_bytes());
        let columns = Some(super::hints::columns());
        let hints = super::hints::see(stop.diagnostic());
        self.refuses(diagnostic::excerpt(stop.diagnostic(), &index, "your entry", &hints, columns) + "\n");
    }

    /// Does what a command does; returns whether it succeeded.
    pub fn tries(&mut self, run: impl FnOnce() -> Result<ExitCode, Failure>) -> bool {
        let done = succeeds(run);
        self.refused |= !done;
        done
    }

    /// Reads lines until the work at this state of the game ends.
    pub fn run<C: Course>(
        &mut self,
        course: &mut C,
        game: &mut Game<'_>,
        keys: &mut dyn KeyStore,
    ) -> Result<C::End, Failure> {
        loop {
            let step = match self.lines.read(&game.session, keys)? {
                Read::Line(line) => match self.filled(course, &game.session, line) {
                    Some(line) => game.session.line(&line, keys),
                    None => continue,
                },
                // What was begun is dropped first, just as Ctrl-C drops a line.
                Read::Interrupted => {
                    game.session.forget();
                    continue;
                }
                Read::End => Step::Command("quit", String::new()),
            };
            if let Some(end) = self.does(course, game, keys, step)? {
                return Ok(end);
            }
        }
    }

    /// Returns a line with what chance gives in it; `None` if it is done with.
    fn filled<C: Course>(&mut self, course: &C, session: &Session<'_>, line: String) -> Option<String> {
        let word = line.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let typed = line.trim_matches(|c: char| c == ';' || c.is_whitespace());
        if typed.is_empty() || session.is_command(&word) {
            return Some(line);
        }
        if COMMANDS.iter().any(|(name, ..)| *name == word) {
            errln!("`{word}` is for games against a person; `help` lists what may be typed here");
            return None;
        }
        match course.thrown(session, typed) {
            None => Some(line),
            // What is left to do with it says its end.
            Some(Ok(filled)) if line.trim_end().ends_with(';') => Some(format!("{filled};")),
            Some(Ok(filled)) => Some(filled),
            Some(Err(chance)) => {
                self.refused = true;
                errln!("error: {chance}");
                None
            }
        }
    }

    fn does<C: Course>(
        &mut self,
        course: &mut C,
        game: &mut Game<'_>,
        keys: &mut dyn KeyStore,
        step: Step,
    ) -> Result<Option<C::End>, Failure> {
        let session = &mut game.session;
        match step {
            Step::Nothing => {}
            Step::Say(text) => say(&text)?,
            Step::Begun { actions, next } => {
                let (so_far, own) = (session.so_far(keys), session.own());
                let before = session.desk.opened.table.as_ref();
                print(turns::begun(&actions, &next, before, so_far.as_deref().zip(own)))?;
            }
            Step::Refused(refusal) => {
                let refusal = session.with_examples(*refusal, keys);
                self.refuses(refusals::refused(course.origin(), refusal));
            }
            Step::Moves(begun) => turns::list(session, &begun, keys, course.origin())?,
            Step::Rules(rule) => show_rules(session.desk.opened.header.info.name, &rule),
            Step::Program(line) if session.is_alone() && line == STATUS => {
                self.tries(|| status::run(&status::Args::default()));
            }
            Step::Program(_) if session.is_alone() => say(ELSEWHERE)?,
            Step::Command("help", _) => print(turns::help(C::HELP, session.commands()))?,
            Step::Command("words", _) => {
                let words = game.scene(game.session.so_far(keys).as_deref()).words();
                let state = sheet::state(&game.seen.opened, &course.extras(&game.seen.opened)?);
                say((words + &state + &course.notes(game).unwrap_or_default()).trim_end())?;
            }
            Step::Command("compact", _) => {
                // What was drawn as large as there was room changes to the other size.
                let (scene, look) = (game.scene(game.session.so_far(keys).as_deref()), self.look(game)?);
                let full = Look { rows: None, ..look };
                let is_compact = match self.sight.compact {
                    Some(is_compact) => is_compact,
                    None => course.sheet(game, &scene, look)? != course.sheet(game, &scene, full)?,
                };
                self.sight.compact = Some(!is_compact);
                self.board(course, game, keys)?;
            }
            Step::Command(word @ ("board" | "turn"), _) => {
                self.sight.turned ^= word == "turn";
                self.board(course, game, keys)?;
            }
            Step::Command("quit" | "next", _) if !self.drops(session) => {}
            step => return course.does(game, self, step),
        }
        Ok(None)
    }

    /// How the game looks from the player's side: as large as the terminal allows, unless the player chose otherwise.
    pub fn look(&self, game: &Game<'_>) -> Result<Look, Failure> {
        let mut look = game.shown.look(&game.session.desk.opened)?;
        if game.shown.from.is_none() {
            look.turned = game.session.own() == Some(Side::Second);
        }
        look.turned ^= self.sight.turned;
        look.compact = self.sight.compact == Some(true);
        if self.sight.compact.is_some() {
            look.rows = None;
        }
        Ok(look)
    }

    /// Shows the board.
    pub fn board<C: Course>(&self, course: &C, game: &Game<'_>, keys: &mut dyn KeyStore) -> Result<(), Failure> {
        let scene = game.scene(game.session.so_far(keys).as_deref());
        print(course.sheet(game, &scene, self.look(game)?)?)?;
        if !game.session.begun().is_empty() {
            print(format!("begun   {}\n", printable(game.session.begun())))?;
        }
        course.notes(game).map_or(Ok(()), |notes| print(format!("{notes}\n")))
    }

    /// Asks whether a turn that was begun may be dropped, if one was. From a script it is, and that is said.
    fn drops(&self, session: &Session<'_>) -> bool {
        let begun = printable(session.begun());
        if begun.is_empty() {
            return true;
        }
        if self.lines.is_terminal() && confirm::can_ask() {
            return confirm::asks(&format!("drop the turn that you have begun (`{begun}`)?"));
        }
        errln!("the turn that was begun is dropped: {begun}");
        true
    }
}

/// Does what a command does, with the home as it is now, and says why if it fails; returns whether it succeeded.
pub fn succeeds(run: impl FnOnce() -> Result<ExitCode, Failure>) -> bool {
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
fn show_rules(game: &str, rule: &str) {
    let upper = rule.to_ascii_uppercase();
    let wanted = match rule {
        "" => game,
        _ if rule.bytes().any(|byte| byte.is_ascii_digit()) => &upper,
        _ => rule,
    };
    succeeds(|| rules::run(&rules::Args::of(wanted)));
}
