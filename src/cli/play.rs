//! `postrider move`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::hints::{Failure, name};
use super::keys::{self, Keys};
use super::{conditions, input, known, print, refusals, send};
use crate::desk::understand::{Meant, Turn, Understood, understand};
use crate::desk::{self, Entered, Refusal, Wish};
use crate::games::kernel::{Side, Viewer};
use crate::render::Look;
use crate::render::sheet::{self, Extras};
use crate::store::RecordLock;
use crate::verdict::Opened;

/// Judge an entry and append it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider move game.pbem c4-c5
  postrider move game.pbem 'e6xe4xc4' --message 'sorry!' --send
  postrider move game.pbem 'c4-c5; draw?'
  postrider move game.pbem resign
  postrider move -n game.pbem d4-d5        judge it, append nothing

The entry is that of the side that is due. A refused one leaves the file untouched. In a sealed game seals, salts and openings
are added by themselves: type `Lc1xc5`, `accept`, `deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1` or `+d1A; d1xd2; end` only.

Once you have a key (`postrider key new`) your first entry of a game declares it, and every entry is signed.")]
pub(super) struct Args {
    /// The record
    file: PathBuf,
    /// The actions of the entry, separated by `;`
    actions: String,
    #[command(flatten)]
    given: Given,
}

/// What is given beside the actions of an entry.
#[derive(Debug, clap::Args)]
pub(super) struct Given {
    /// A message to the opponent, on one line without braces
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// The entry's time instead of now, as in 2026-11-21T10:15:00Z
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Judge the entry and show the result, but write nothing
    #[arg(short = 'n', long)]
    pub(super) dry_run: bool,
    /// Mail the record afterwards, as `postrider send` does
    #[arg(long, conflicts_with = "dry_run")]
    send: bool,
    /// Do not declare your key with your first entry of a game; where it is declared, every entry is signed all the same
    #[arg(long)]
    pub(super) unsigned: bool,
    /// Enter it although the record does not go on from the one that was known: you have read what changed, and it is true
    #[arg(long)]
    pub(super) accept_rewritten: bool,
    /// Enter it although the opponent's key is another one than you know, or the same as yours
    #[arg(long)]
    despite_key: bool,
    /// Show signs beyond ASCII
    #[arg(long)]
    unicode: bool,
}

impl Given {
    /// Lets nothing be entered in a record that was rewritten, or whose keys are others than are known, unless the player accepts
    /// that; trying an entry only warns.
    pub(super) fn guard(&self, opened: &Opened<'_>, source: &[u8], origin: &str) -> Result<(), Failure> {
        if self.dry_run {
            known::warn(opened, source, origin);
            return Ok(());
        }
        known::guard(opened, source, origin, self.accept_rewritten)?;
        keys::guard(opened, self.despite_key)
    }

    /// The wish to enter these actions.
    pub(super) fn wish<'a>(&'a self, actions: &'a str) -> Result<Wish<'a>, Failure> {
        let time = input::now(self.at.as_deref())?;
        Ok(Wish { actions, message: self.message.as_deref(), time, time_asked: self.at.is_some() })
    }

    /// How the game is to look.
    pub(super) fn look(&self) -> Look {
        Look { unicode: self.unicode, colour: true }
    }

    /// Mails the record if that is wanted. The entry is safely in the file before.
    pub(super) fn send(&self, file: &Path) -> Result<ExitCode, Failure> {
        if self.send { send::send(file, &send::Wish::default()) } else { Ok(ExitCode::SUCCESS) }
    }

    /// The one legal entry that can be meant by what was typed, where that is none as it stands.
    fn meant(&self, opened: &Opened<'_>, source: &[u8], origin: &str, actions: &str) -> Result<Option<Meant>, Failure> {
        let standing = opened.table.standing();
        let word = |side: Side| opened.header.info.sides[side.index()].word;
        let side = standing.due.side;
        let number = standing.entries.saturating_add(1);
        let turn = Turn { number, side: word(side), other: word(side.other()), tries: Turn::tries(source.len()) };
        // Nothing is sealed, signed or noted by trying.
        let mut keys = Keys::to_move(opened, origin, true, self.unsigned)?;
        let mut failed = None;
        let mut tries = |actions: &str| match self.wish(actions) {
            Ok(wish) => desk::enter_with(source, &wish, &mut keys).ok().map(|entered| {
                // What is sealed beside it is another each time.
                if opened.table.seals().is_some() { actions.to_owned() } else { entered.actions }
            }),
            Err(failure) => {
                failed.get_or_insert(failure);
                None
            }
        };
        let understood = understand(&[actions.to_owned()], &turn, &opened.table.moves(), &mut tries);
        match (failed, understood) {
            (Some(failure), _) => Err(failure),
            (None, Understood::Entry(meant)) => Ok(Some(meant)),
            (None, _) => Ok(None),
        }
    }

    /// Judges the entry, with the key store of the side that is due.
    fn judge(&self, source: &[u8], origin: &str, actions: &str) -> Result<(Entered, Keys), Failure> {
        let opened = refusals::replayed(source, origin)?;
        self.guard(&opened, source, origin)?;
        let mut keys = Keys::to_move(&opened, origin, self.dry_run, self.unsigned)?;
        let mut entered = desk::enter_with(source, &self.wish(actions)?, &mut keys);
        if matches!(&entered, Err(Refusal::Entry(..) | Refusal::Aside))
            && let Some(meant) = self.meant(&opened, source, origin, actions)?
        {
            errln!("understood as `{}`", meant.actions);
            let wish = self.wish(&meant.actions)?;
            let message = wish.message.or(meant.message.as_deref());
            entered = desk::enter_with(source, &Wish { message, ..wish }, &mut keys);
        }
        Ok((entered.map_err(|refusal| refusals::refused(origin, refusal))?, keys))
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    let given = &args.given;
    let (entered, keys) = if given.dry_run {
        given.judge(&input::record(&args.file)?, &origin, &args.actions)?
    } else {
        if input::is_stdin(&args.file) {
            return Err(
                Failure::trouble("a move is written to a file, not to standard input").hint("use -n to judge it only")
            );
        }
        let mut lock = RecordLock::take(&args.file).map_err(|error| Failure::writing(&error))?;
        let source = lock.read().map_err(|error| Failure::writing(&error))?;
        let (entered, keys) = given.judge(&source, &origin, &args.actions)?;
        input::written(lock.replace(&source, &entered.record))?;
        entered_here(&entered);
        (entered, keys)
    };
    show_entered(&entered, &keys, &origin, given)?;
    if !given.dry_run {
        conditions::settle(&entered);
    }
    given.send(&args.file)
}

/// Keeps the record with an entry that was made here, and whose it is, outside it.
pub(super) fn entered_here(entered: &Entered) {
    if let Ok(opened) = refusals::replayed(&entered.record, "the record") {
        keys::pin(&opened, entered.side);
        known::remember(&opened.header.id, &entered.record);
        known::note_moved(&opened.header.id, opened.header.info.sides[entered.side.index()].word);
    }
}

/// Shows the game after an entry, and says what was added to what was typed.
pub(super) fn show_entered(entered: &Entered, keys: &Keys, origin: &str, given: &Given) -> Result<(), Failure> {
    let opened = refusals::replayed(&entered.record, origin)?;
    let extras = Extras { entries: sheet::last_entries(&opened, 1), now: None, local: true };
    print(sheet::draw(&opened, opened.table.view(Viewer::Public), &extras, given.look()))?;
    let mut said = keys::in_words(&entered.done);
    for thrown in &entered.thrown {
        let dice = thrown.dice.iter().zip(&thrown.faces).map(|(die, face)| format!("{face} on a d{die}"));
        said.push_str(&format!("the dice of `{}` show {}\n", thrown.label, dice.collect::<Vec<_>>().join(", ")));
    }
    if !said.is_empty() {
        print(format!("\n{said}"))?;
    }
    if let Some(time) = entered.later {
        errln!("the entry before is of {time}, ahead of the clock here: this one has the same time");
    }
    if given.dry_run {
        print("\nnothing was written\n")?;
    } else {
        if let Some(notice) = keys.notice() {
            err!("{notice}");
        }
        if let Some(key) = entered.key {
            let declared = if entered.declares { ", which this entry declares" } else { "" };
            errln!("signed by your key {}{declared}", key.fingerprint());
        }
    }
    keys::warn(&opened);
    Ok(())
}
