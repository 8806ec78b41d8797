//! `postrider proof countersign`: a signed receipt for the opponent's last entry (Z35).

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::home::office;
use crate::cli::refusals;
use crate::commands::send;
use postrider_home::own_game::OwnGame;
use postrider_home::records;
use postrider_home::send::letters::{Place, SendOptions};
use postrider_home::send::receipts;
use postrider_home::send::receipts::Written;

/// Sign that you have your opponent's last entry, before you answer it
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/countersign.txt"))]
pub(crate) struct Args {
    /// The record
    pub(crate) file: PathBuf,
    /// Mail the record with the receipt to your opponent
    #[arg(long)]
    send: bool,
    /// Sign although the record does not continue the known one: you have read and accept what changed
    #[arg(long)]
    accept_rewritten: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    let (written, record) = write(&args.file, args.accept_rewritten)?;
    match written {
        Written::Made(entry) => errln!("{origin}: signed a receipt for entry {entry} and everything before it"),
        Written::There(entry) => errln!("{origin}: there is already a receipt for entry {entry}"),
        Written::Nothing(why) => return Err(Failure::trouble(format!("there is nothing to countersign: {why}"))),
    }
    if args.send {
        err!("{}", mail(&record, &args.file, false)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Mails a record with its receipt. `auto`: the program decided to, not the player.
pub(crate) fn mail(record: &[u8], file: &Path, auto: bool) -> Result<String, Failure> {
    let desk = refusals::on_desk(record, &name(file))?;
    Ok(send::told(&send::deliver(&desk, file, &SendOptions::of_receipt(auto))?))
}

/// Writes the receipt for the opponent's last entry into a record.
pub(crate) fn write(file: &Path, accept_rewritten: bool) -> Result<(Written, Vec<u8>), Failure> {
    let (office, name) = (office()?, name(file));
    let place = Place { file, name: &name };
    let taken = records::take(&office, place)?;
    Ok(receipts::write(|id| Rc::new(OwnGame::new(&office, id)), place, taken, accept_rewritten)?)
}
