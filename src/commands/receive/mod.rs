//! `postrider receive`.

mod agree;
mod words;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::home::office;
use crate::cli::input;
use crate::cli::taken::{self, TEMPORARY, told};
use crate::commands::key;
use postrider_git::shared::{self, Joined, SharedError, Told};
use postrider_home::office::{Office, Trouble};
use postrider_home::receive;
use postrider_home::receive::inbox::{ImapError, InboxError};
use postrider_home::receive::{Receiving, Ways};
use postrider_kernel::text::printable;
use postrider_settings::Source;
use words::Teller;

/// What a script may ask to learn: something was refused.
const REFUSED: u8 = 1;

/// Read mail, and take your opponents' entries from it
#[derive(Debug, Default, clap::Args)]
#[command(after_help = include_str!("../help/receive.txt"))]
pub(crate) struct Args {
    /// Messages (.eml), mboxes and Maildirs; `-`, or none at all, for one message on standard input. With none, on a terminal, the places
    /// that the settings name under `receive:`
    paths: Vec<PathBuf>,
    /// Read the mailbox on the server that the settings name
    #[arg(long, conflicts_with = "paths")]
    imap: bool,
    /// Fetch a remote of the repository of your games, and take the records of its branches as if they had come by mail
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, conflicts_with_all = ["paths", "imap"])]
    git: Option<Option<String>>,
    /// Enter and send at once what `postrider answer` would: the reply you prepared, or what is forced
    #[arg(long)]
    answer: bool,
    /// Sign and mail a receipt for each entry that arrives and is not answered at once (`postrider proof countersign`)
    #[arg(long)]
    countersign: bool,
    /// Accept what was held back in this game: a time claim that counts from before the entry arrived, a first entry with a new key that
    /// does not answer your letter, or an entry by a withdrawn key. DIGITS are the first digits of the digest shown with it; without
    /// them you are asked
    #[arg(long, value_names = ["GAME", "DIGITS"], num_args = 1..=2, conflicts_with = "dry_run")]
    agree: Option<Vec<String>>,
    /// Two keys claim to be your opponent, and you have confirmed that this one is right: accept or drop the letter held back
    #[arg(long, value_name = "FINGERPRINT", conflicts_with = "dry_run")]
    seat: Option<String>,
    /// Read replies that carry no record even if the settings say `plain-replies: off`, and say why one is not accepted in a sealed
    /// or signed game. The only entry that such a reply can mean is judged and entered for the opponent
    #[arg(long)]
    plain: bool,
    /// Say what would happen to each message, but change nothing
    #[arg(short = 'n', long, conflicts_with_all = ["answer", "countersign"])]
    dry_run: bool,
    /// Read all messages of a mailbox, including those noted as read
    #[arg(long)]
    again: bool,
    /// Exit with code 1 if anything was refused
    #[arg(long)]
    strict: bool,
    /// Print JSON: one object per record or reply, and one with the counts at the end; everything else goes to standard error
    #[arg(long)]
    json: bool,
    /// Whether somebody else tells of invitations.
    #[arg(skip)]
    invitations_told: bool,
}

impl Args {
    /// The command that reads mail from this source. `invitations`: whether it tells of them.
    pub(crate) fn of(source: &Source, invitations: bool) -> Self {
        let args = match source {
            Source::Imap => Self { imap: true, ..Self::default() },
            Source::Git => Self { git: Some(None), ..Self::default() },
            Source::Path(path) => Self { paths: vec![path.clone()], ..Self::default() },
        };
        Self { invitations_told: !invitations, ..args }
    }

    /// What is asked of receiving.
    fn ways(&self) -> Result<Ways, Failure> {
        // A time that is set for scripts is looked at before anything depends on it.
        input::now(None)?;
        Ok(Ways {
            answer: self.answer,
            countersign: self.countersign,
            agree: None,
            seat: self.seat.as_deref().map(key::fingerprint).transpose()?,
            plain: self.plain,
            alone: false,
            vouched: false,
            dry_run: self.dry_run,
            again: self.again,
            one_by_one: self.imap || self.git.is_some(),
        })
    }

    /// Whether a letter is handed over on standard input.
    fn is_handed(&self) -> bool {
        !self.imap && self.git.is_none() && self.paths.iter().all(|path| input::is_stdin(path))
    }

    /// Whether mail is read from somewhere besides what was held back.
    fn has_sources(&self) -> bool {
        self.imap || self.git.is_some() || !self.paths.is_empty()
    }

    /// Whether a mailbox is gone through, so that what is not in it has not arrived.
    fn looks(&self) -> bool {
        let is_mailbox = |path: &PathBuf| path.is_dir() || postrider_post::files::is_mbox(path);
        self.imap || self.git.is_some() || self.paths.iter().any(is_mailbox)
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let teller = Teller::new(args.json, args.invitations_told);
    let hear = |event| teller.hear(event);
    let begun = office().and_then(|office| Ok((office, args.ways()?)));
    let (office, ways) = match begun {
        Ok(begun) => begun,
        Err(failure) => return Ok(taken::not_begun(&failure, args.is_handed())),
    };
    let Some(ways) = agree::completed(args.agree.as_deref().unwrap_or_default(), args.has_sources(), &office, ways)?
    else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut receiving = match Receiving::new(&office, ways, &hear) {
        Ok(receiving) => receiving,
        Err(trouble) => return Ok(taken::not_begun(&trouble.into(), args.is_handed())),
    };
    let done = all(args, &office, &mut receiving, &teller);
    receiving.finish(done.is_ok() && args.looks());
    let count = receiving.count();
    if done.is_ok() || count.messages > 0 {
        teller.summary(count, receiving.is_alone(), args.git.is_some());
    }
    if args.dry_run && teller.unshown.get() {
        // The user only asked what would happen to a message.
        return Ok(ExitCode::from(hints::TROUBLE));
    }
    match done {
        Err(Stop::Inbox(error)) => taken::unread(error),
        Err(Stop::Failure(failure)) => Ok(told(&failure, TEMPORARY)),
        Err(Stop::Usage(failure)) => Err(failure),
        Ok(()) if receiving.troubles() > 0 => Ok(ExitCode::from(TEMPORARY)),
        Ok(()) if args.strict && count.refused > 0 => Ok(ExitCode::from(REFUSED)),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

/// What ends the reading.
enum Stop {
    Inbox(InboxError),
    /// A temporary problem.
    Failure(Failure),
    /// A problem that persists until someone solves it.
    Usage(Failure),
}

impl From<receive::Stop> for Stop {
    fn from(stop: receive::Stop) -> Self {
        match stop {
            receive::Stop::Inbox(error) => Self::Inbox(error),
            receive::Stop::Trouble(trouble) => Self::Failure(trouble.into()),
        }
    }
}

impl From<SharedError> for Stop {
    fn from(error: SharedError) -> Self {
        match error {
            SharedError::Unusable(error) => Self::Usage(error.into()),
            SharedError::Failed(trouble) => Self::Failure(trouble.into()),
        }
    }
}

impl<E> From<E> for Stop
where
    Failure: From<E>,
{
    fn from(error: E) -> Self {
        Self::Failure(error.into())
    }
}

/// Reads what was held back, and then what the arguments name.
fn all(args: &Args, office: &Office<'_>, receiving: &mut Receiving<'_>, teller: &Teller) -> Result<(), Stop> {
    receiving.take_held_back()?;
    if let Some(remote) = &args.git {
        return by_git(office, receiving, teller, remote.as_deref());
    }
    if args.imap {
        return source(office, receiving, teller, &Source::Imap);
    }
    if args.paths.is_empty() && (args.agree.is_some() || args.seat.is_some()) {
        return Ok(());
    }
    if args.paths.is_empty() {
        let sources = office.settings()?.sources();
        if io::stdin().is_terminal() && !sources.is_empty() {
            // Nobody hands a message over: what is meant is wherever mail comes in.
            return sources.iter().try_for_each(|one| source(office, receiving, teller, one));
        }
        if io::stdin().is_terminal() {
            errln!("reading one message from standard input; `postrider receive --help` names the other sources");
        }
        return Ok(postrider_post::files::one(io::stdin().lock(), "standard input", receiving)?);
    }
    for path in &args.paths {
        if input::is_stdin(path) {
            postrider_post::files::one(io::stdin().lock(), "standard input", receiving)?;
        } else {
            postrider_post::files::path(path, receiving)?;
        }
    }
    Ok(())
}

/// Reads what has come in at one of the places that the settings name.
fn source(office: &Office<'_>, receiving: &mut Receiving<'_>, teller: &Teller, source: &Source) -> Result<(), Stop> {
    match source {
        Source::Imap => match &office.settings()?.imap {
            Some(imap) => Ok(postrider_post::imap::imap(imap, office.date(), receiving)?),
            None => Err(Stop::Inbox(InboxError::Imap(ImapError::NotSet))),
        },
        Source::Git => by_git(office, receiving, teller, None),
        Source::Path(path) => Ok(postrider_post::files::path(path, receiving)?),
    }
}

/// Reads the records at the tips of a remote's branches.
fn by_git(
    office: &Office<'_>,
    receiving: &mut Receiving<'_>,
    teller: &Teller,
    remote: Option<&str>,
) -> Result<(), Stop> {
    let (place, became) = shared::receive(office, receiving, remote)?;
    joined(teller, &place, &became);
    Ok(())
}

/// Says what became of a branch.
fn joined(teller: &Teller, place: &str, joined: &Joined) {
    let place = printable(place);
    match joined {
        Joined::Nothing => {}
        Joined::Done => teller.print(format!("{place} was merged into your branch\n")),
        Joined::Not { why, foreign: true } => errln!("{place} was not merged into your branch: it has {why}"),
        Joined::Not { why, .. } => errln!("{place} was not merged into your branch: {why}"),
    }
}

/// Does something before which games may have to be received from a repository, and says what becomes of those.
pub(crate) fn told_first<T>(done: impl FnOnce(Told<'_>) -> Result<T, Trouble>) -> Result<T, Trouble> {
    let teller = Teller::default();
    done(Told { hear: &|event| teller.hear(event), joined: &|place, became| joined(&teller, place, became) })
}
