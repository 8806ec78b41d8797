//! Exit codes, failures and hints: everything the program says when something is wrong passes through here, in one
//! style.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use super::acts;
pub use super::words::{arg, columns, fitting, name, quoted, shell, within};
use super::words::{game_named, may_begin_id};
use postrider_archive::judging::Warning;
use postrider_archive::stamps::StampError;
use postrider_board::render::diagnostic;
use postrider_board::report;
use postrider_board::report::Fault;
use postrider_disk::disk::{FileError, Step};
use postrider_disk::settings_error::SettingsError;
use postrider_git::GitError;
use postrider_home::conditions::notes::ConditionsError;
use postrider_home::invite::kept::InvitationError;
use postrider_home::office::{Locked, Trouble};
use postrider_home::overview::shelf::Unread;
use postrider_home::send::post::PostError;
use postrider_home::send::sent::SentNotesError;
use postrider_home::send::transport::SendError;
use postrider_kernel::Lost;
use postrider_kernel::advice::{Act, Advice};
use postrider_kernel::text::{Diagnostic, LineIndex, printable};
use postrider_mail::LetterError;
use postrider_mail::address::AddressError;
use postrider_referee::registry::AnyGame;
use postrider_referee::sealing::NotSigned;
use postrider_referee::verdict::{Ruling, Verdict};
use postrider_vault::journal::JournalError;
use postrider_vault::kept::SecretsError;
use postrider_vault::keyring::KeyringError;
use postrider_vault::locked::LockFault;

/// What `--help` says about exit codes.
pub(super) const EXIT_CODES: &str = "\
`postrider COMMAND --help` shows examples; `postrider -V` prints the version.
Exit codes: 0 legal, or done; 1 illegal, malformed or refused; 2 not judged or not done; 3 legal, but not proven \
(`verify --trusted`, `proof audit`).";

/// The entry or the record is illegal or malformed.
pub const REFUSED: u8 = 1;
/// It could not be judged or done.
pub const TROUBLE: u8 = 2;
/// It is legal, but what was asked for beyond that is not proven: by `verify --trusted`, that both sides sign with
/// trusted keys; by `audit`, that everything the winner sealed was as it should be.
pub const UNPROVEN: u8 = 3;

/// A command that failed, as data.
#[derive(Serialize)]
struct Failed<'a> {
    /// `refused`, `unjudged`, `trouble` or `stopped`.
    failure: &'static str,
    /// The exit code.
    code: u8,
    message: &'a str,
    errors: &'a [Fault],
    /// What to type next.
    hints: &'a [String],
}

/// The name of the source in the excerpt of a refused entry.
const TYPED: &str = "your entry";

/// What speaks against a record, in words.
pub fn warning(warning: Warning) -> String {
    match warning {
        Warning::Text(text) => text,
        Warning::Faces(line, is, Some(right)) => {
            format!(
                "line {line}: `{is}` is not what was thrown: `{right}`; `postrider archive fmt --faces` corrects it"
            )
        }
        Warning::Faces(line, is, None) => {
            format!("line {line}: `{is}`: nothing of the kind was thrown; `postrider archive fmt --faces` removes it")
        }
    }
}

/// What to type instead of a word that is no command: one that people try, or the name of a game.
pub(super) fn meant(typed: &str) -> Option<String> {
    let of_game = |game: &dyn AnyGame| {
        let name = game.info().name;
        format!(
            "`postrider games {name}` shows the game in a minute, `postrider practice {name}` plays it against the machine"
        )
    };
    command_meant(typed).map(str::to_owned).or_else(|| game_named(typed).map(of_game))
}

fn command_meant(typed: &str) -> Option<&'static str> {
    Some(match typed.to_ascii_lowercase().as_str() {
        "list" | "ls" | "mygames" => "`postrider status` lists your games, `postrider games` the games that there are",
        "init" | "start" | "begin" | "create" | "newgame" | "challenge" => {
            "`postrider invite 'NAME <MAIL>' GAME` begins a game, `postrider setup` asks for your settings"
        }
        "resign" | "surrender" | "concede" => "`postrider move GAME resign` resigns a game",
        "draw" | "offer" => {
            "`postrider move GAME 'ENTRY; draw?'` offers a draw, `postrider move GAME 'draw!'` accepts one"
        }
        "history" | "entries" | "record" => "`postrider log GAME` lists the entries of a game",
        "board" | "print" | "view" | "position" => "`postrider show GAME` shows the board",
        "fetch" | "inbox" | "pull" | "mail" | "get" => {
            "`postrider receive` reads mail; `postrider play` reads it and goes on with your games"
        }
        "push" | "post" | "reply" => "`postrider send GAME` mails a game to your opponent",
        "time" | "clocks" | "timer" => "`postrider clock GAME` accounts for the clocks",
        "check" | "validate" | "judge" => "`postrider verify FILE` judges a record",
        "config" | "configure" | "settings" | "preferences" => {
            "`postrider setup` asks for your settings and writes them"
        }
        "legal" | "hint" | "hints" | "options" => "`postrider moves GAME` lists what may be entered",
        "back" | "takeback" | "revert" => "`postrider undo GAME` takes your last entry back",
        "enter" | "makemove" | "turn" => "`postrider move GAME 'ENTRY'` makes an entry",
        _ => return None,
    })
}

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub enum Failure {
    /// A record or an entry is refused.
    Refused(Box<Refused>),
    /// It could not be judged.
    Unjudged(Box<Refused>),
    /// Something else is in the way: a message and what to type next.
    Trouble(String, Option<String>),
    /// Standard output cannot be written to.
    Output(io::Error),
    /// Ctrl-C or `kill` ended a long run: the exit code, and how far it got.
    Stopped(u8, String),
}

/// A refusal, for people and for programs.
#[derive(Debug, Default)]
pub struct Refused {
    /// The whole report, ready to print.
    text: String,
    errors: Vec<Fault>,
    /// What to type next.
    hints: Vec<String>,
}

impl Refused {
    /// A refusal for these faults of `source`, which is called `name`, each shown as an excerpt with its hints.
    pub fn of(errors: &[Diagnostic], source: &[u8], name: &str, hints: impl Fn(&Diagnostic) -> Vec<String>) -> Self {
        let index = LineIndex::new(source);
        let mut refused = Self::default();
        for error in errors {
            let typed = hints(error);
            refused.text.push_str(&diagnostic::excerpt(error, &index, name, &typed, Some(columns())));
            refused.text.push_str("\n\n");
            refused.errors.push(Fault {
                legal: error.help.as_deref().map(|help| printable(help).into_owned()),
                excerpt: Some(diagnostic::excerpt(error, &index, name, &[], None)),
                ..Fault::placed(error, &index)
            });
            for hint in typed {
                if !refused.hints.contains(&hint) {
                    refused.hints.push(hint);
                }
            }
        }
        refused
    }

    /// The same with a last word on what to type.
    pub(super) fn hint(mut self, hint: String) -> Self {
        self.text = format!("{}\nhint: {hint}\n", self.text.trim_end());
        self.hints.push(hint);
        self
    }
}

impl Failure {
    /// Something is in the way.
    pub fn trouble(message: impl Into<String>) -> Self {
        Failure::Trouble(message.into(), None)
    }

    /// Adds a hint about what to do.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        match self {
            Failure::Trouble(message, _) => Failure::Trouble(message, Some(hint.into())),
            other => other,
        }
    }

    /// Adds advice about what to do.
    pub fn advise(self, advice: &Advice) -> Self {
        self.hint(acts::written(advice))
    }

    /// Makes of what is in the way a refusal, by a rule where there is one.
    pub fn refused(self, rule: Option<&'static str>) -> Self {
        let text = self.to_string();
        match self {
            Failure::Trouble(message, hint) => Failure::Refused(Box::new(Refused {
                text,
                errors: vec![Fault::of_rule(rule, printable(&message).into_owned())],
                hints: hint.into_iter().collect(),
            })),
            other => other,
        }
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> Cow<'_, str> {
        match self {
            Failure::Refused(refused) | Failure::Unjudged(refused) => match refused.errors.first() {
                Some(error) => Cow::Borrowed(&error.message),
                None => Cow::Borrowed(refused.text.trim_end()),
            },
            Failure::Trouble(message, _) | Failure::Stopped(_, message) => Cow::Borrowed(message),
            Failure::Output(_) => Cow::Owned(self.to_string().trim_end().to_owned()),
        }
    }

    /// The failure as a line of JSON.
    pub(super) fn as_json(&self) -> String {
        let (failure, errors, hints): (_, &[Fault], &[String]) = match self {
            Failure::Refused(refused) => ("refused", &refused.errors, &refused.hints),
            Failure::Unjudged(refused) => ("unjudged", &refused.errors, &refused.hints),
            Failure::Trouble(_, hint) => ("trouble", &[], hint.as_slice()),
            Failure::Output(_) => ("trouble", &[], &[]),
            Failure::Stopped(..) => ("stopped", &[], &[]),
        };
        report::line(&Failed { failure, code: self.number(), message: &self.message(), errors, hints })
    }

    /// A file cannot be read.
    pub fn reading(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::IsADirectory => Failure::trouble(format!("{} is a folder, not a record", name(path))),
            io::ErrorKind::NotFound => Failure::trouble(format!("there is no file {}", name(path))),
            _ => Failure::trouble(format!("{} cannot be read: {error}", name(path))),
        }
    }

    /// A record is not there.
    pub fn no_record(path: &Path) -> Self {
        if let Some(typed) = path.to_str().filter(|typed| may_begin_id(typed)) {
            return Failure::no_game(typed);
        }
        Failure::trouble(format!("there is no file {}", name(path)))
            .hint("`postrider status` lists your games; each may be named by its id, or by how that begins")
    }

    /// What was named is no file and no game of the player's.
    pub fn no_game(typed: &str) -> Self {
        match game_named(typed).map(|game| game.info()) {
            Some(info) => Failure::trouble(format!("you have no game of {} yet", info.title)).hint(format!(
                "`postrider practice {0}` plays against the machine, `postrider invite 'Bram Post <bram@example.net>' {0}` invites somebody, \
                 `postrider play` fetches mail",
                info.name
            )),
            None => Failure::trouble(format!("there is no file and no game of yours called {typed}"))
                .hint("`postrider status` lists your games"),
        }
    }

    /// A file cannot be written. The error says whether it was.
    pub fn writing(error: &FileError) -> Self {
        match error {
            FileError::Exists { .. } => Failure::trouble(error.to_string()).hint("choose another name"),
            FileError::Io { step: Step::Lock | Step::Read, path, source }
                if source.kind() == io::ErrorKind::NotFound =>
            {
                Failure::no_record(path)
            }
            _ => Failure::trouble(error.to_string()),
        }
    }

    /// A file that is not one of the player's records cannot be written.
    pub fn writing_plain(path: &Path, error: &io::Error) -> Self {
        Failure::trouble(format!("{} cannot be written: {error}", name(path)))
    }

    pub(super) fn code(&self) -> ExitCode {
        ExitCode::from(self.number())
    }

    fn number(&self) -> u8 {
        match self {
            Failure::Refused(_) => REFUSED,
            Failure::Stopped(code, _) => *code,
            _ => TROUBLE,
        }
    }

    /// The report on a record that is not legal.
    pub fn verdict(source: &[u8], origin: &str, verdict: &Verdict, commands: bool) -> Self {
        let hints = |error: &Diagnostic| if commands { hints_for(error, verdict, origin) } else { Vec::new() };
        let mut refused = Refused::of(&verdict.errors, source, origin, hints);
        refused.text.push_str(&more(verdict));
        match verdict.ruling {
            Ruling::Unjudged => Failure::Unjudged(Box::new(refused)),
            _ => Failure::Refused(Box::new(refused)),
        }
    }
}

impl Failure {
    /// The report on an entry that was typed, under this name, for the record `origin`.
    pub(super) fn entry(typed: &str, name: &str, origin: &str, verdict: &Verdict) -> Self {
        let hints = |error: &Diagnostic| hints_for(error, verdict, origin);
        Failure::Refused(Box::new(Refused::of(&verdict.errors, typed.as_bytes(), name, hints)))
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::writing(&error)
    }
}

impl From<StampError> for Failure {
    fn from(error: StampError) -> Self {
        let failure = Failure::trouble(error.to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl Failure {
    /// The failure as the office knows it.
    pub(super) fn into_trouble(self) -> Trouble {
        match self {
            Failure::Trouble(what, Some(hint)) => Trouble::of(what).advise(hint),
            Failure::Trouble(what, None) => Trouble::of(what),
            failure => Trouble::of(failure.message().into_owned()),
        }
    }
}

/// What is in the way, in the words of the office.
impl From<Trouble> for Failure {
    fn from(error: Trouble) -> Self {
        let with = |failure: Failure, advice: Option<Advice>| match advice {
            Some(advice) => failure.hint(acts::written(&advice)),
            None => failure,
        };
        match error {
            Trouble::Obstacle(what, advice) => with(Failure::trouble(what), advice),
            Trouble::Refused { what, advice, rule } => with(Failure::trouble(what), advice).refused(rule),
            Trouble::Entry { typed, verdict, game, advice } => {
                match (Failure::entry(&typed, TYPED, &game, &verdict), advice) {
                    (Failure::Refused(refused), Some(advice)) => {
                        Failure::Refused(Box::new(refused.hint(acts::written(&advice))))
                    }
                    (failure, _) => failure,
                }
            }
            Trouble::Record { record, name, verdict, own } => Failure::verdict(&record, &name, &verdict, own),
            Trouble::File(error) => Failure::writing(&error),
        }
    }
}

/// What the office can be told is in the way.
macro_rules! in_the_words_of_the_office {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::from(Trouble::from(error))
            }
        })*
    };
}
in_the_words_of_the_office!(
    AddressError,
    ConditionsError,
    GitError,
    InvitationError,
    JournalError,
    KeyringError,
    LetterError,
    LockFault,
    Locked,
    Lost,
    NotSigned,
    PostError,
    SecretsError,
    SendError,
    SentNotesError,
    SettingsError,
    Unread,
);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(refused) | Failure::Unjudged(refused) => f.write_str(&refused.text),
            Failure::Trouble(message, hint) => {
                writeln!(f, "{}", fitting(&format!("error: {}", printable(message))))?;
                hint.iter().try_for_each(|hint| writeln!(f, "{}", fitting(&format!("hint: {}", printable(hint)))))
            }
            Failure::Output(error) => writeln!(f, "error: standard output cannot be written to: {error}"),
            Failure::Stopped(_, message) => writeln!(f, "{message}"),
        }
    }
}

/// The exit code of a ruling.
pub fn code_of(ruling: Ruling) -> u8 {
    match ruling {
        Ruling::Legal => 0,
        Ruling::Illegal | Ruling::Malformed => REFUSED,
        Ruling::Unjudged => TROUBLE,
    }
}

/// The exit code of a ruling that is given as its word.
pub fn code_of_word(ruling: &str) -> u8 {
    match ruling {
        "legal" => 0,
        "unjudged" => TROUBLE,
        _ => REFUSED,
    }
}

/// Formats every error of a verdict as an excerpt, with what to type next if `commands` is set.
pub fn report(source: &[u8], origin: &str, verdict: &Verdict, commands: bool) -> String {
    let index = LineIndex::new(source);
    let mut text = String::new();
    for error in &verdict.errors {
        let hints = if commands { hints_for(error, verdict, origin) } else { Vec::new() };
        text.push_str(&diagnostic::excerpt(error, &index, origin, &hints, Some(columns())));
        text.push_str("\n\n");
    }
    text + &more(verdict)
}

/// What explains more about a fault.
pub fn see(error: &Diagnostic) -> Vec<String> {
    error.see.iter().map(acts::written).collect()
}

/// How many faults are not shown.
fn more(verdict: &Verdict) -> String {
    match verdict.more {
        0 => String::new(),
        1 => "and 1 more fault\n".into(),
        more => format!("and {more} more faults\n"),
    }
}

/// Returns what to type next.
fn hints_for(error: &Diagnostic, verdict: &Verdict, origin: &str) -> Vec<String> {
    let mut hints = see(error);
    if let Some(rule) = error.rule {
        // The rules of the envelope are in the rulebook about records, those of a game in its own.
        let book = match rule.as_bytes().first() {
            Some(b'E') => "record",
            Some(b'Z') => "sealing",
            _ => verdict.game.map_or("record", |game| game.name),
        };
        hints.push(format!("`{}` prints the rule", acts::command(&Act::Rules(book, Some(rule)))));
    } else if verdict.ruling == Ruling::Malformed && verdict.entries == 0 && error.entry.is_none() {
        hints.push("`postrider rules record` explains what a record looks like".into());
    }
    // If a signature is not valid, another move would not help.
    let by_signature = matches!(error.rule, Some("Z32" | "Z33"));
    if error.entry.is_some() && !by_signature && verdict.ruling != Ruling::Unjudged && verdict.outcome.is_none() {
        hints.push(format!("`{}` lists every legal entry", acts::command(&Act::Moves(origin.to_owned()))));
    }
    hints
}
