//! `postrider move`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::home::office;
use crate::cli::out::{print, shown};
use crate::cli::view::Shown;
use crate::cli::{acts, input, keys, refusals};
use crate::commands::send;
use postrider_board::render::sheet;
use postrider_board::render::sheet::Extras;
use postrider_home::entry::moves;
use postrider_home::entry::moves::{Made, Options, Outcome};
use postrider_home::entry::{openings, view};
use postrider_home::keys::trust;
use postrider_home::office::Trouble;
use postrider_home::records;
use postrider_home::records::Source;
use postrider_home::send::letters::{Delivered, Place};
use postrider_kernel::Side;
use postrider_kernel::advice::Act;
use postrider_kernel::text::printable;
use postrider_referee::desk::Desk;

/// Judge an entry and append it
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "postrider move [OPTIONS] [FILE] <ACTIONS>",
    after_help = include_str!("help/move.txt")
)]
pub(crate) struct Args {
    /// The record, or a game's id; may be left out where only one game waits for you
    pub(crate) file: PathBuf,
    /// The actions of the entry, separated by `;`
    pub(crate) actions: Option<String>,
    #[command(flatten)]
    given: Given,
}

/// What is given beside the actions of an entry.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Given {
    /// A message to the opponent, on one line without braces
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// The entry's time instead of now, as in 2026-11-21T10:15:00Z
    #[arg(long = "time", alias = "at", value_name = "TIME")]
    at: Option<String>,
    /// Judge the entry and show the result, but write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Mail the record afterwards, as `postrider send` does
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) send: bool,
    /// Enter it for this side, if you play both
    #[arg(long = "for", value_name = "SIDE")]
    pub(crate) side: Option<String>,
    /// Do not declare your key with your first entry of a game; once a key is declared, every entry is signed anyway
    #[arg(long)]
    pub(crate) unsigned: bool,
    /// Enter it although the record does not continue the known one: you have read and accept what changed
    #[arg(long)]
    pub(crate) accept_rewritten: bool,
    /// Enter it although the opponent's key is not the one you know, or is the same as yours
    #[arg(long)]
    despite_key: bool,
    /// You have made no entries of this game elsewhere, say on another machine or after a backup was taken: sign without asking
    #[arg(long)]
    pub(crate) only_here: bool,
    /// Do not ask before resigning, accepting a draw or claiming; questions are asked only on a terminal
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
    /// Report as JSON what was entered, one object on one line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    number: u32,
    side: &'static str,
    last: &'a str,
    written: bool,
    position: String,
    throws: Vec<postrider_board::report::Throw<'a>>,
    sent: Option<send::Sent<'a>>,
}

impl Given {
    /// What is given with an entry in a session.
    pub(crate) fn in_session(shown: Shown, message: Option<String>, side: Option<&str>) -> Self {
        Self { shown, message, side: side.map(str::to_owned), ..Self::default() }
    }

    /// How the entry is to be made.
    fn options(&self) -> Result<Options<'_>, Failure> {
        Ok(Options {
            message: self.message.as_deref(),
            time: self.at.as_deref().map(|at| input::now(Some(at))).transpose()?,
            dry_run: self.dry_run,
            send: self.send,
            side: self.side.as_deref(),
            unsigned: self.unsigned,
            accept_rewritten: self.accept_rewritten,
            despite_key: self.despite_key,
            only_here: self.only_here,
            unsure: false,
            sure: self.yes,
        })
    }

    /// Returns the bytes of the record, and the lock on it if it is to be written.
    fn source(&self, file: &Path) -> Result<Source, Failure> {
        if self.dry_run {
            records::refuse_invitation(&*office()?, file)?;
            let source = input::record(file)?;
            if !input::is_stdin(file) {
                records::refuse_practice(&source, &name(file))?;
            }
            return Ok((None, source));
        }
        let (lock, source) = records::take(&*office()?, Place { file, name: &name(file) })?;
        Ok((Some(lock), source))
    }

    /// Makes the entry that was typed, or without one that which is foreseen (if that counts) or forced, and says what came of it.
    pub(crate) fn enter(&self, file: &Path, actions: Option<&str>, foreseen: bool) -> Result<ExitCode, Failure> {
        let (office, origin) = (office()?, name(file));
        input::now(None)?;
        let (options, place) = (self.options()?, Place { file, name: &origin });
        let source = self.source(file)?;
        let outcome = match actions {
            Some(actions) => moves::enter(&office, place, actions, &options, source)?,
            None => moves::answer(&office, place, foreseen, &options, source)?,
        };
        match outcome {
            Outcome::Made(made) => self.made(*made, &origin),
            Outcome::Stands(record, sent) => self.stands(&record, &origin, sent),
            Outcome::Choose(record) => self.choose(&record, &origin),
        }
    }

    /// Says that the newest entry of a record stands already.
    fn stands(&self, record: &[u8], origin: &str, sent: Result<Delivered, Trouble>) -> Result<ExitCode, Failure> {
        if self.json {
            let desk = refusals::on_desk(record, origin)?;
            let standing = desk.opened.table.standing();
            let (side, last) = desk.last().unwrap_or((Side::First, ""));
            print(postrider_board::report::line(&Report {
                number: standing.entries,
                side: desk.opened.header.info.sides[side.index()].word,
                last,
                written: false,
                position: desk.opened.table.position(),
                throws: Vec::new(),
                sent: sent.as_ref().ok().and_then(send::sent),
                state: postrider_board::report::State::of(origin, &desk.opened.header, &standing),
            }))?;
        }
        err!("{}", crate::cli::hints::fitting(&send::told(&sent?)));
        Ok(ExitCode::SUCCESS)
    }

    /// Shows the game after a part of the entry that is forced: the player chooses the rest.
    fn choose(&self, record: &[u8], origin: &str) -> Result<ExitCode, Failure> {
        let failure =
            Failure::trouble("the entry is not entirely forced, because the game continues: choose your turn");
        let turn = acts::command(&Act::Turn(origin.to_owned()));
        if self.json {
            return Err(failure.hint(format!("`{turn}` adds the opening by itself")));
        }
        let opened = refusals::on_desk(record, origin)?.opened;
        let extras = Extras { entries: sheet::last_entries(&opened, 1), now: None, local: true };
        let opener = opened.table.standing().due.side;
        let seen = self.shown.seen(opened, None, Some(opener), true)?;
        print(sheet::draw(&seen.opened, &seen.scene, &extras, self.shown.look(&seen.opened)?))?;
        print(format!("\n{}", self.shown.notes(&seen)))?;
        Err(failure.hint(format!("`{turn}` adds the opening for you")))
    }

    /// Shows the game with an entry that was made, and says what was added to what was typed. Failing to show something changes nothing.
    fn made(&self, made: Made, origin: &str) -> Result<ExitCode, Failure> {
        let (office, entered) = (office()?, &made.entered);
        let desk = made.desk()?;
        let seen = self.show(&made, &desk, origin);
        let opened = &desk.opened;
        if self.dry_run {
            seen?;
        } else {
            shown(&format!("entry {} is in {origin}", entered.number), seen);
        }
        if let Some(time) = entered.later {
            errln!("the previous entry is dated {time}, ahead of the clock here: this one has the same time");
        }
        if let Some(notice) = &made.secret {
            err!("{}", acts::written(notice));
        }
        if let Some(key) = entered.key.filter(|_| !self.dry_run) {
            let declared = if entered.declares { ", which this entry declares" } else { "" };
            errln!("signed by your key {}{declared}", key.fingerprint());
        }
        // A seal that was only tried was made with a temporary secret.
        if self.dry_run {
            trust::warn_of_keys(&office, opened);
        } else {
            openings::warn_of_secrets(&office, opened);
        }
        if made.publishable {
            let publish = acts::command(&Act::PublishSecret(origin.to_owned()));
            errln!("the game is over: `{publish}` lets everybody check what was sealed, which proves a win (Z24)");
        }
        err!("{}", crate::cli::hints::fitting(&send::told(&made.sent?)));
        Ok(ExitCode::SUCCESS)
    }

    fn show(&self, made: &Made, desk: &Desk<'_>, origin: &str) -> Result<(), Failure> {
        let (opened, entered) = (&desk.opened, &made.entered);
        if self.json {
            return print(postrider_board::report::line(&Report {
                state: postrider_board::report::State::of(origin, &opened.header, &opened.table.standing()),
                number: entered.number,
                side: opened.header.info.sides[entered.side.index()].word,
                last: &entered.line,
                written: !self.dry_run,
                position: opened.table.position(),
                throws: entered.thrown.iter().map(postrider_board::report::Throw::of).collect(),
                sent: made.sent.as_ref().ok().and_then(send::sent),
            }));
        }
        let lines = [Some(entered), made.kept.as_ref().map(|kept| &kept.entered)].into_iter().flatten();
        let entries = lines.map(|one| printable(&one.line).into_owned()).collect();
        let extras = Extras { entries, now: None, local: true };
        let own = made.own;
        // The letter has been sent; only now, and in a copy, is the game told what only the player may see.
        let seen = self.shown.seen(view::of_desk(desk)?, None, own, true)?;
        print(sheet::draw(&seen.opened, &seen.scene, &extras, self.shown.look(&seen.opened)?))?;
        let notes = self.shown.notes(&seen);
        if !notes.is_empty() {
            print(format!("\n{notes}"))?;
        }
        let mut said = keys::in_words(&entered.done);
        for thrown in &entered.thrown {
            let dice = thrown.dice.iter().zip(&thrown.faces).map(|(die, face)| format!("{face} on a d{die}"));
            said.push_str(&format!("the dice of `{}` show {}\n", thrown.label, dice.collect::<Vec<_>>().join(", ")));
        }
        if !said.is_empty() {
            print(format!("\n{said}"))?;
        }
        if self.dry_run { print("\nnothing was written\n") } else { Ok(()) }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if input::is_stdin(&args.file) && !args.given.dry_run {
        return Err(Failure::trouble("a move goes into a file, not to standard input").hint("use -n to judge it only"));
    }
    args.given.enter(&args.file, Some(args.actions.as_deref().unwrap_or_default()), false)
}
