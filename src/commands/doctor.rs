//! `postrider doctor`: what is wrong with the player's files, what it means, and what to type.

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::hints;
pub(crate) use crate::cli::hints::{Failure, arg, name, shell};
use crate::cli::out::print;
use crate::cli::{begin, home, input};
use postrider_disk::remedy::{Remedy, remedy};
use postrider_home::doctor::checkup::Oddity;
use postrider_home::doctor::{Ailment, Examined, Kept, Noted, examine};
use postrider_home::known::lost::How;
use postrider_home::office::Office;
use postrider_home::send::sent::Note;
use postrider_host::Host;
use postrider_kernel::text::printable;
use postrider_mail::is_reminder;

/// Look for what is wrong with your files, settings and clock
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/doctor.txt"))]
pub(crate) struct Args {
    /// Print JSON, one object per finding
    #[arg(long)]
    json: bool,
}

/// Something that was found.
#[derive(Serialize)]
struct Finding {
    /// What kind of finding it is.
    finding: &'static str,
    /// The file or folder, if it is about one.
    path: Option<String>,
    /// The game's id, if it is about one.
    id: Option<String>,
    /// What was found, and what it means.
    what: String,
    /// What to do, or to type.
    advice: String,
}

impl Finding {
    fn of(ailment: &Ailment) -> Self {
        let by_path = |finding, path: &Path, what: String, advice: String| Self {
            finding,
            path: Some(name(path)),
            id: None,
            what,
            advice,
        };
        let by_id =
            |finding, id: &str, what, advice| Self { finding, path: None, id: Some(id.to_owned()), what, advice };
        match ailment {
            Ailment::Settings(file, why) => by_path(
                "settings",
                file,
                format!("the settings cannot be used, and no command runs without them: {}", printable(why)),
                format!("correct {}, or `postrider setup` writes it anew", name(file)),
            ),
            Ailment::Odd(oddity) => {
                let (finding, path, what, advice) = odd(oddity);
                by_path(finding, path, what, advice)
            }
            Ailment::Shut(path, error) => by_path(
                "unreadable",
                path,
                format!(
                    "it cannot be read ({error}), and until it can, no letter of a game that is not found elsewhere is taken"
                ),
                "make it readable, or move it out of the folder of games".to_owned(),
            ),
            Ailment::Lost(lost) => Self {
                finding: if lost.how.is_absent() { "lost record" } else { "damaged record" },
                path: Some(name(&lost.path)),
                id: Some(lost.id.clone()),
                what: lost.in_words(),
                advice: match lost.how {
                    How::Gone => format!(
                        "`postrider restore {}` brings it back; if it was moved, name its new place once: `postrider own FILE SIDE`",
                        arg(&lost.id)
                    ),
                    How::Barred => format!(
                        "move what is there somewhere else; then `postrider restore {}` brings the record back",
                        arg(&lost.id)
                    ),
                    How::Rewritten => format!(
                        "`postrider show {}` says what is different; `postrider restore {}` brings back what was known",
                        shell(&lost.path),
                        arg(&lost.id)
                    ),
                    _ => format!("`postrider restore {}` brings it back, and keeps what it replaces", arg(&lost.id)),
                },
            },
            Ailment::Twice(id, files) => Self {
                finding: "two records",
                path: files.first().map(|path| name(path)),
                id: Some(id.clone()),
                what: format!(
                    "{} are records of one game, so none of its letters is accepted",
                    files.iter().map(|path| name(path)).collect::<Vec<_>>().join(" and ")
                ),
                advice: format!(
                    "keep one of them, and move the others out of the folder of games; `postrider verify {}` shows how far each goes",
                    files.iter().map(|path| shell(path)).collect::<Vec<_>>().join(" ")
                ),
            },
            Ailment::Refused(path, ruling) => by_path(
                "refused record",
                path,
                format!("the record is {}, and no copy of it is kept here", ruling.word()),
                format!("`postrider verify -v {}` says why", shell(path)),
            ),
            Ailment::UnsureLetter { id, note, file } => {
                let (what, advice) = letter(note, file.as_deref());
                by_id("unsure letter", id, what, advice)
            }
            Ailment::Unread { what, id, why } => {
                let why = printable(why).into_owned();
                let advice = match what {
                    Kept::Secret => {
                        "`postrider secret import BACKUP` restores it from a backup; what you sealed cannot be opened until then"
                    }
                    _ => {
                        "restore it from a backup, or remove it if the finding says so; nothing that needs it is done for this game until then"
                    }
                };
                let finding = match what {
                    Kept::Notes => "notes",
                    Kept::Secret => "secret",
                    Kept::Journal => "journal",
                    Kept::Conditions => "conditions",
                    Kept::Sides => "sides",
                };
                by_id(finding, id, why, advice.to_owned())
            }
            Ailment::Key(path, why) => by_path(
                "key",
                path,
                printable(why).into_owned(),
                "`postrider key import BACKUP` restores your key from a backup; nothing is signed, and no key trusted, until then"
                    .to_owned(),
            ),
            Ailment::Clock { now, time, of } => {
                let of = match of {
                    Noted::Entry(path) => format!("the newest entry in {}", arg(&name(path))),
                    Noted::Letter(id) => format!("the note of a letter of {id}"),
                };
                Self {
                    finding: "clock",
                    path: None,
                    id: None,
                    what: format!("the system clock says {now}, and {of} is of {time}: one of the two is wrong"),
                    advice: "compare `date -u` with another clock, and set the system clock before you enter anything: your entries \
                             carry its time"
                        .to_owned(),
                }
            }
        }
    }
}

/// What is wrong in the home of a host.
fn of_host(office: &Office<'_>) -> Vec<Finding> {
    let finding =
        |finding, id, what: String, advice: &str| Finding { finding, path: None, id, what, advice: advice.to_owned() };
    let of_host = |what| finding("host", None, what, "make it readable; the host does nothing until then");
    // What is wrong with the settings is said of any home.
    if !office.settings().is_ok_and(|settings| settings.hosts || settings.host.is_some()) {
        return Vec::new();
    }
    let host = match Host::open(office) {
        Ok(host) => host,
        Err(trouble) => return vec![of_host(printable(&trouble.to_string()).into_owned())],
    };
    if let Some(lacks) = host.lacks() {
        let advice = "bring it back from a backup (`postrider restore BACKUP`): letters are kept until then, and none is read or sent";
        return vec![finding("host", None, printable(lacks).into_owned(), advice)];
    }
    match host.ailing(true) {
        Ok(rows) => rows
            .into_iter()
            .map(|row| {
                let what = format!("it cannot be played: {}", printable(&row.why));
                let advice = "bring its record back from a backup, or `postrider host restore` if it is unsure; its letters are kept until then";
                finding("host", Some(row.id), what, advice)
            })
            .collect(),
        Err(trouble) => vec![of_host(printable(&trouble.to_string()).into_owned())],
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let office = home::office()?;
    let Examined { ailments, plays } = examine(&office, input::now(None)?);
    let mut found: Vec<Finding> = ailments.iter().map(Finding::of).collect();
    found.extend(of_host(&office));
    let code = if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(hints::REFUSED) };
    if args.json {
        print(found.iter().map(postrider_board::report::line).collect::<String>())?;
        return Ok(code);
    }
    if found.is_empty() {
        print("nothing is wrong\n")?;
        // Whoever has played, and keeps the records elsewhere, need not be told.
        let folders = office.folders();
        if !plays && folders.disk.list_if_there(&folders.known()).is_ok_and(|known| known.is_empty()) {
            print(format!("you have no games yet\n{}", begin::NO_GAMES))?;
        }
    }
    for Finding { path, id, what, advice, .. } in &found {
        let about = path.as_ref().or(id.as_ref()).filter(|about| !what.contains(about.as_str()));
        let about = about.map(|about| format!("{about}: ")).unwrap_or_default();
        print(format!("{about}{what}\n  {advice}\n"))?;
    }
    Ok(code)
}

/// What an oddity on the disk means, and what to do about it.
fn odd(oddity: &Oddity) -> (&'static str, &Path, String, String) {
    match oddity {
        Oddity::Leftover(path) => (
            "leftover",
            path,
            "a program was killed while it wrote this; the file that was to be replaced is as it was".to_owned(),
            format!("`rm {}`; the next command that writes that file removes it too", shell(path)),
        ),
        Oddity::StaleLock(path) => (
            "stale lock",
            path,
            "the program that took this lock is gone".to_owned(),
            format!("`rm {}`; the next command that writes the file beside it removes it too", shell(path)),
        ),
        Oddity::Lock { path, who } => (
            "lock",
            path,
            format!("the file beside it is locked: {}", printable(who)),
            format!("wait until that program has ended; if it has, `rm {}`", shell(path)),
        ),
        Oddity::Readable(path) => (
            "permissions",
            path,
            "others may read it, and it is yours alone; keys and secrets that others may read are not used".to_owned(),
            format!("`{}`", remedy(Remedy::Close, path)),
        ),
        Oddity::Writable(path) => (
            "permissions",
            path,
            "others may write to it, and so control this program".to_owned(),
            format!("`{}`", remedy(Remedy::KeepFromWriting, path)),
        ),
        Oddity::Foreign(path) => (
            "permissions",
            path,
            "it belongs to another user, perhaps since a command was run as root".to_owned(),
            format!("`{}`", remedy(Remedy::TakeOver, path)),
        ),
        Oddity::Unreadable(path, why) => (
            "unreadable",
            path,
            format!("it cannot be read: {}", printable(why)),
            "make it readable; what is in it is not known until then".to_owned(),
        ),
    }
}

/// What is not known of a letter, and what may be done.
fn letter(note: &Note, file: Option<&Path>) -> (String, String) {
    let to = printable(&note.to);
    let is_reminder = is_reminder(&note.message_id);
    let what = match note.entry {
        _ if is_reminder => "the reminder".to_owned(),
        0 => "the invitation".to_owned(),
        entry => format!("the letter about entry {entry}"),
    };
    let file = file.map_or_else(|| "FILE".to_owned(), shell);
    (
        format!("{what} to {to} was about to be sent on {}, and nobody knows whether it was", note.at),
        if is_reminder {
            "you need do nothing: `postrider status --remind --send` does not repeat it".to_owned()
        } else {
            format!(
                "`postrider send {file}` sends it, again if need be, and a second copy does no harm; `postrider undo {file} \
                 --unsent` takes the entry back, if you are certain that it was not sent"
            )
        },
    )
}
