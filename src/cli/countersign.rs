//! `postrider countersign`: a signed receipt for the opponent's last entry (Z35).

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::hints::{Failure, name};
use super::passphrase::opened;
use super::send;
use super::{input, invited, keys, known, own, refusals};
use crate::desk::Desk;
use crate::games::kernel::Side;
use crate::office::letters::SendOptions;
use crate::sealing::{receipt_text, write_signature};
use crate::store::Settings;
use crate::verdict::receipts;

/// Sign that you have your opponent's last entry, before you answer it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider countersign game.pbem            the receipt is in the record that you send next
  postrider countersign game.pbem --send     the receipt is mailed at once
  postrider receive --countersign            a receipt for each entry that arrives and is not answered at once

A signed entry covers everything before it. If you have not answered yet, a receipt does the same: you cannot later deny having had the \
entry, and your opponent cannot exchange it for another one. A receipt is a remark and changes nothing in the game.")]
pub(super) struct Args {
    /// The record
    pub(super) file: PathBuf,
    /// Mail the record with the receipt to your opponent
    #[arg(long)]
    send: bool,
    /// Sign even if the record does not continue the one that was known: you have read what changed, and accept it
    #[arg(long)]
    accept_rewritten: bool,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let origin = name(&args.file);
    match write(&args.file, args.accept_rewritten)? {
        Written::Made(entry) => errln!("{origin}: signed a receipt for entry {entry} and everything before it"),
        Written::There(entry) => errln!("{origin}: there is already a receipt for entry {entry}"),
        Written::Nothing(why) => return Err(Failure::trouble(format!("there is nothing to countersign: {why}"))),
    }
    if args.send {
        err!("{}", mail(&args.file, false)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// The outcome of writing a receipt.
pub(super) enum Written {
    /// It was added to the record, for this entry.
    Made(u32),
    /// The record already had it.
    There(u32),
    /// There is nothing to sign, and why.
    Nothing(String),
}

/// Writes the receipt for the opponent's last entry into a record.
pub(super) fn write(file: &Path, accept_rewritten: bool) -> Result<Written, Failure> {
    let origin = name(file);
    let mut lock = invited::lock(file)?;
    let source = lock.read().map_err(|error| Failure::writing(&error))?;
    let desk = refusals::legal(&source, &origin)?;
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    let Some(side) = own::find(&desk.opened, &settings)? else {
        let hint = own::hint(&desk.opened.header, &origin);
        return Err(Failure::trouble("it is not known which side of this game is yours").advise(&hint));
    };
    let nothing = |why: &str| Ok(Written::Nothing(why.to_owned()));
    let Some((last, _)) = desk.last() else { return nothing("the record has no entry yet") };
    if last == side {
        return nothing("the last entry is yours, and its signature covers everything before it");
    }
    let entry = desk.opened.table.standing().entries;
    let word = desk.opened.header.info.sides[side.index()].word;
    let Some(key) = keys::key_of(&desk.opened, side) else {
        return nothing(&format!("the record declares no key of {word}, so a receipt could not be checked (E10)"));
    };
    if has_receipt(&desk, side, entry) {
        return Ok(Written::There(entry));
    }
    known::guard(&desk.opened, &source, &origin, accept_rewritten)?;
    let own = keys::keyring()?.own_of(&key).map_err(|error| Failure::trouble(error.to_string()))?;
    let own = own.ok_or_else(|| {
        Failure::trouble(format!("{word} signs with {}, which is not the key in this key store", key.fingerprint()))
            .hint("`postrider key import BACKUP` restores a key")
    })?;
    let (Some(begin), Some(digest)) = (desk.digests.first(), desk.digests.last()) else {
        return nothing("the record has no entry yet");
    };
    let text = receipt_text(&desk.opened.header.id, word, entry, begin, digest);
    let signature = opened(own)?.sign(text.as_bytes());
    let mut record = source.clone();
    if !record.ends_with(b"\n") {
        record.push(b'\n');
    }
    record.extend_from_slice(receipts::remark(word, entry, &write_signature(&signature)).as_bytes());
    record.push(b'\n');
    let id = desk.opened.header.id.clone().into_owned();
    drop(desk);
    input::written(lock.replace(&source, &record))?;
    known::remember(&id, &record);
    Ok(Written::Made(entry))
}

/// Returns whether a record has a valid receipt of a side for an entry.
fn has_receipt(desk: &Desk<'_>, side: Side, entry: u32) -> bool {
    let found = receipts::of(&desk.opened, &desk.digests);
    found.iter().any(|(_, read)| read.as_ref().is_ok_and(|one| one.side == side && one.entry == entry))
}

/// Mails a record with its receipt. `auto`: the program decided to, not the player.
pub(super) fn mail(file: &Path, auto: bool) -> Result<String, Failure> {
    let record = input::record(file)?;
    let desk = refusals::on_desk(&record, &name(file))?;
    Ok(send::told(&send::deliver(&desk, file, &SendOptions::of_receipt(auto))?))
}
