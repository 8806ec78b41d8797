//! `postrider host`: a mail address that lets two people play who have nothing but mail.

mod setup;

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;

use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::home::office;
use crate::cli::input;
use crate::cli::out::{io_print, print};
use crate::cli::taken::{self, TEMPORARY, told};
use postrider_board::report::line;
use postrider_home::office::{Office, Trouble};
use postrider_home::receive::Stop;
use postrider_home::receive::inbox::{ImapError, InboxError, Taker};
use postrider_home::receive::received::{Mark, Received};
use postrider_host::{AilingRow, Done, Host, Longest, Reading};
use postrider_kernel::text::printable;
use postrider_post::imap::Mailbox;
use postrider_referee::record::Time;
use postrider_settings::Source;

/// How often mail is looked at again with `--watch`, in seconds.
const EVERY: u64 = 15;

/// Host games for people who have only mail
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/host.txt"))]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Setup(setup::Args),
    Receive(ReceiveArgs),
    Status(ListArgs),
    Games(ListArgs),
    People(ListArgs),
    Forget(ForgetArgs),
    Restore(RestoreArgs),
}

/// Read letters, answer them, check the clocks, and send what is due
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 the host has stored the letters and done what it could; 75 temporary trouble: deliver it again; \
2 usage, or a mailbox that cannot be read.")]
struct ReceiveArgs {
    /// Messages (.eml), mboxes and Maildirs; `-` for one message on standard input. By default the places named under `receive:` in
    /// the settings, otherwise one message on standard input
    paths: Vec<PathBuf>,
    /// Stay, and check again every fifteen seconds, or at once when a mail server reports a letter (IDLE)
    #[arg(long)]
    watch: bool,
    /// Read no mail: only check the clocks and send the letters that are due
    #[arg(long, conflicts_with = "paths")]
    only_due: bool,
    /// Print the log as it is written: one object of JSON per line
    #[arg(long)]
    json: bool,
}

/// List what the host has
#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Forget a person: all about the address except what is in records
#[derive(Debug, clap::Args)]
struct ForgetArgs {
    /// The address
    address: String,
}

/// Let games restored from a backup go on
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/host-restore.txt"))]
struct RestoreArgs {
    /// No entries of this game were made since the backup
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    only_here: Option<String>,
    /// No entries of any game were made since the backup
    #[arg(long)]
    all: bool,
    /// Confirm that this is so
    #[arg(long, requires = "all")]
    yes: bool,
    /// Read longer records from the messages (.eml), mboxes or Maildirs here: copies of what the host has sent
    #[arg(long, value_name = "DIR", conflicts_with_all = ["only_here", "all"])]
    mail: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Setup(args) => setup::run(args),
        Command::Receive(args) => receive(args),
        Command::Status(args) => status(args),
        Command::Games(args) => games(args),
        Command::People(args) => people(args),
        Command::Forget(args) => forget(args),
        Command::Restore(args) => restore(args),
    }
}

/// Takes messages into the host's keeping.
struct Keeping<'h, 'o> {
    host: &'h Host<'o>,
    received: Received,
    /// When the mail system took the message that comes next, if it says so.
    arrived: Option<Time>,
    /// The places of messages that could not be read for now.
    passed: Vec<String>,
}

/// Looks for records in messages that are read back.
struct ReadingBack(Longest);

impl Taker for ReadingBack {
    type Stop = InboxError;

    fn knows(&self, _: &Mark) -> bool {
        false
    }

    fn take(&mut self, _place: &str, _mark: Option<Mark>, message: &[u8]) -> Result<(), InboxError> {
        self.0.look_into(message);
        Ok(())
    }

    fn pass(&mut self, fault: &InboxError) {
        errln!("warning: {fault}");
    }
}

fn restore(args: &RestoreArgs) -> Result<ExitCode, Failure> {
    let office = office()?;
    let host = Host::open(&office)?;
    if let Some(folder) = &args.mail {
        return read_back(&host, folder);
    }
    let ids = host.doubted(args.only_here.as_deref())?;
    if let Some(id) = args.only_here.as_ref().filter(|_| ids.is_empty()) {
        return Err(Failure::trouble(format!("no game {} is unsure", printable(id))));
    }
    let games = if ids.len() == 1 { "1 game is".to_owned() } else { format!("{} games are", ids.len()) };
    let risk = "if a game had entries after the backup, the host signs other entries for the same turns, which proves that it played that \
                game twice, and the players have two games that do not agree";
    if args.only_here.is_none() && !(args.all && args.yes) {
        let list: String = ids.iter().map(|id| format!("{id}\n")).collect();
        print(format!("{list}{games} unsure\n"))?;
        if !args.all || ids.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        errln!("nothing was changed: {risk}\nhint: `postrider host restore --all --yes` lets them go on");
        return Ok(ExitCode::from(hints::REFUSED));
    }
    for id in &ids {
        host.only_here(id, &|_| {})?;
    }
    print(format!("{games} no longer unsure; the next run of `postrider host receive` goes on: {risk}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads back what a host has sent.
pub(crate) fn read_back(host: &Host<'_>, folder: &std::path::Path) -> Result<ExitCode, Failure> {
    let mut reading = ReadingBack(Longest::default());
    if folder.is_dir() && !folder.join("cur").is_dir() {
        let entries = std::fs::read_dir(folder).map_err(|error| Failure::reading(folder, &error))?;
        for entry in entries {
            let path = entry.map_err(|error| Failure::reading(folder, &error))?.path();
            if path.is_file() {
                postrider_post::files::path(&path, &mut reading)
                    .map_err(|error| Failure::trouble(error.to_string()))?;
            }
        }
    } else {
        postrider_post::files::path(folder, &mut reading).map_err(|error| Failure::trouble(error.to_string()))?;
    }
    let longer = host.brings_back(&reading.0, &|_| {})?;
    let left = host.doubted(None)?.len();
    print(format!("longer records: {longer}; games that are still unsure: {left}\n"))?;
    Ok(ExitCode::SUCCESS)
}

impl Taker for Keeping<'_, '_> {
    type Stop = Stop;

    fn knows(&self, mark: &Mark) -> bool {
        self.received.knows(mark)
    }

    fn arrived(&mut self, at: Option<Time>) {
        self.arrived = at;
    }

    fn take(&mut self, _place: &str, mark: Option<Mark>, message: &[u8]) -> Result<(), Stop> {
        self.host.take_at(message, self.arrived.take()).map_err(Stop::Trouble)?;
        if let Some(mark) = mark {
            // A note that is lost costs a second look, no more.
            let _ = self.received.note(mark);
        }
        Ok(())
    }

    fn pass(&mut self, fault: &InboxError) {
        self.passed.push(fault.place());
        errln!("warning: {fault}");
    }
}

fn receive(args: &ReceiveArgs) -> Result<ExitCode, Failure> {
    input::now(None)?;
    let mut mailbox = None;
    loop {
        let code = once(args, &mut mailbox)?;
        // Without its key or its secret there is nothing to watch for.
        if !args.watch || code == ExitCode::from(hints::TROUBLE) {
            return Ok(code);
        }
        super::backup::by_itself();
        wait(&mut mailbox);
        crate::cli::home::leave();
    }
}

/// Waits until it is time to look again: for a letter, if there is a server that says when one comes.
fn wait(mailbox: &mut Option<Mailbox>) {
    let every = Duration::from_secs(EVERY);
    let pause = match mailbox.as_mut().map(|mailbox| mailbox.wait(every)) {
        // Letters that come together are read together.
        Some(Ok(true)) => Duration::from_secs(1),
        Some(Ok(false)) | None => every,
        // The next look opens it again, and says what is wrong if it cannot.
        Some(Err(_)) => {
            *mailbox = None;
            every
        }
    };
    std::thread::sleep(pause);
}

/// Reads what is there, and does what is to be done. A mailbox on a server stays open if there is to be another look.
fn once(args: &ReceiveArgs, mailbox: &mut Option<Mailbox>) -> Result<ExitCode, Failure> {
    let office = office()?;
    let named = office.settings().map(postrider_settings::Settings::sources).unwrap_or_default();
    let begun = Host::open(&office).and_then(|host| {
        let received = Received::load(office.folders())
            .map_err(|error| Trouble::of(format!("{}: {error}", office.folders().received().display())))?;
        Ok((host, received))
    });
    let (host, received) = match begun {
        Ok(begun) => begun,
        Err(trouble) => return Ok(taken::not_begun(&trouble.into(), from_input(args, &named))),
    };
    let begun = office.now();
    let mut keeping = Keeping { host: &host, received, arrived: None, passed: Vec::new() };
    let is_input = from_input(args, &named);
    if let Err(stop) = sources(args, &office, &mut keeping, mailbox) {
        return Ok(match stop {
            Stop::Trouble(trouble) => told(&trouble.into(), TEMPORARY),
            Stop::Inbox(error) => return taken::unread(error),
        });
    }
    if let Some(lacks) = host.lacks() {
        let failure = Failure::trouble(lacks).hint(
            "letters are kept, none is read or sent, and no time is claimed until it is brought back from a backup",
        );
        // A letter that was handed over is in the host's keeping.
        return Ok(told(&failure, if is_input { 0 } else { hints::TROUBLE }));
    }
    let lost: RefCell<Option<io::Error>> = RefCell::new(None);
    let hear = |line: &str| {
        if args.json
            && let Err(error) = io_print(&format!("{line}\n"))
        {
            *lost.borrow_mut() = Some(error);
        }
    };
    // Where the settings name no place, letters come by themselves, or are read from what the command names.
    let is_whole = if args.only_due || !args.paths.is_empty() { named.is_empty() } else { true };
    let reading = if is_whole { Reading::But(begun, keeping.passed.clone()) } else { Reading::Part };
    let done = match host.run_after(reading, &hear) {
        Ok(done) => done,
        // The letters are in the host's keeping, but only a run that comes does something about them.
        Err(trouble) => return Ok(told(&trouble.into(), TEMPORARY)),
    };
    if let Some(error) = lost.into_inner() {
        errln!("warning: standard output cannot be written to: {error}");
    }
    let Done { read, sent, unsent, stuck, held, ailing, busy } = done;
    if !args.json && (read > 0 || sent > 0 || unsent > 0 || stuck > 0 || held > 0) {
        errln!("{}", summary(&done));
    }
    if busy {
        errln!("another run is reading it");
    }
    if ailing > 0 {
        // Said once a day: a run that is started every few minutes is not to be heard each time.
        host.ailing(false)?.iter().for_each(|row| errln!("warning: {}", ails(row)));
    }
    if unsent > 0 {
        errln!("hint: letters that could not be sent are kept; the next run tries again");
    }
    if stuck > 0 {
        errln!("hint: `postrider host status` counts the letters that are still to be read");
        return Ok(ExitCode::from(TEMPORARY));
    }
    Ok(if !keeping.passed.is_empty() { ExitCode::from(TEMPORARY) } else { ExitCode::SUCCESS })
}

/// What was done, in a line.
fn summary(done: &Done) -> String {
    let count = |count: u32, what: &str| match count {
        1 => format!("1 letter {what}"),
        count => format!("{count} letters {what}"),
    };
    let mut parts = vec![count(done.read, "read"), count(done.sent, "sent")];
    if done.unsent > 0 {
        parts.push(count(done.unsent, "not sent for now"));
    }
    if done.stuck > 0 {
        parts.push(count(done.stuck, "not read for now"));
    }
    if done.held > 0 {
        parts.push(count(done.held, "kept until a game is mended"));
    }
    parts.join(", ")
}

/// Says that a game cannot be played.
fn ails(row: &AilingRow) -> String {
    let letters = if row.letters == 1 { "1 letter waits".to_owned() } else { format!("{} letters wait", row.letters) };
    format!("{} cannot be played: {}; {letters}, and its clock is stopped", row.id, printable(&row.why))
}

/// Whether one message on standard input is read.
fn from_input(args: &ReceiveArgs, sources: &[Source]) -> bool {
    !args.only_due
        && (args.paths.iter().any(|path| postrider_archive::sources::is_stdin(path))
            || args.paths.is_empty() && sources.is_empty())
}

fn sources(
    args: &ReceiveArgs,
    office: &Office<'_>,
    keeping: &mut Keeping<'_, '_>,
    mailbox: &mut Option<Mailbox>,
) -> Result<(), Stop> {
    if args.only_due {
        return Ok(());
    }
    let settings = office.settings().map_err(Stop::Trouble)?;
    let named = settings.sources();
    if from_input(args, &named) {
        return postrider_post::files::one(io::stdin().lock(), "standard input", keeping);
    }
    for path in &args.paths {
        postrider_post::files::path(path, keeping)?;
    }
    for source in named.iter().filter(|_| args.paths.is_empty()) {
        match source {
            Source::Imap => match &settings.imap {
                Some(imap) => {
                    let kept = mailbox.take().and_then(|mut kept| kept.is_open(imap).then_some(kept));
                    let open = kept.map_or_else(|| Mailbox::open(imap), Ok);
                    let mut open = open.map_err(|error| Stop::Inbox(InboxError::Imap(error)))?;
                    open.read(office.date(), keeping)?;
                    if args.watch {
                        *mailbox = Some(open);
                    } else {
                        open.close();
                    }
                }
                None => return Err(Stop::Inbox(InboxError::Imap(ImapError::NotSet))),
            },
            Source::Path(path) => postrider_post::files::path(path, keeping)?,
            Source::Git => {}
        }
    }
    Ok(())
}

fn status(args: &ListArgs) -> Result<ExitCode, Failure> {
    let office = office()?;
    let status = Host::open(&office)?.status()?;
    let code = if status.lacks.is_some() { ExitCode::from(hints::TROUBLE) } else { ExitCode::SUCCESS };
    if args.json {
        print(line(&status))?;
        return Ok(code);
    }
    let rows = [
        ("games going on", status.running),
        ("games over", status.over),
        ("invitations", status.invited),
        ("waiting for an opponent", status.waiting),
        ("people known", status.people),
        ("letters to be read", status.unread),
        ("letters to be sent", status.unsent),
    ];
    let mut text = format!("{} <{}>\n", printable(&status.name), printable(&status.address));
    rows.iter().for_each(|(what, count)| text.push_str(&format!("{what:<24} {count:>8}\n")));
    status.ailing.iter().for_each(|row| text.push_str(&format!("{}\n", ails(row))));
    if let Some(lacks) = &status.lacks {
        text.push_str(&format!(
            "{}; letters are kept, none is read or sent, and no time is claimed until it is brought back from a backup\n",
            printable(lacks)
        ));
    }
    print(text)?;
    Ok(code)
}

fn games(args: &ListArgs) -> Result<ExitCode, Failure> {
    let office = office()?;
    let rows = Host::open(&office)?.games()?;
    let text: String = rows
        .iter()
        .map(|row| match args.json {
            true => line(row),
            false => {
                let [one, other] = row.names.each_ref().map(|name| printable(name));
                let ails = row.ails.as_deref().map(|why| format!("; cannot be played: {}", printable(why)));
                format!("{:<40} {:<9} {one} against {other}{}\n", row.id, row.state, ails.unwrap_or_default())
            }
        })
        .collect();
    print(text)?;
    Ok(ExitCode::SUCCESS)
}

fn people(args: &ListArgs) -> Result<ExitCode, Failure> {
    let office = office()?;
    let rows = Host::open(&office)?.people()?;
    let text: String = rows
        .iter()
        .map(|row| match args.json {
            true => line(row),
            false => {
                let state = match (row.never, row.unreachable, row.answered) {
                    (true, ..) => "wants no letters",
                    (_, true, _) => "cannot be reached",
                    (_, _, true) => "has answered",
                    _ => "has not answered",
                };
                let games = if row.games == 1 { "1 game".to_owned() } else { format!("{} games", row.games) };
                format!("{:<36} {:<20} {state}, {games}\n", printable(&row.address), printable(&row.name))
            }
        })
        .collect();
    print(text)?;
    Ok(ExitCode::SUCCESS)
}

fn forget(args: &ForgetArgs) -> Result<ExitCode, Failure> {
    let office = office()?;
    let known = Host::open(&office)?.forget(&args.address, &|_| {})?;
    let address = printable(&args.address).into_owned();
    if !known {
        return Err(Failure::trouble(format!("nobody with the address {address} is known here")));
    }
    print(format!("{address} is forgotten; the names in records stay\n"))?;
    Ok(ExitCode::SUCCESS)
}
