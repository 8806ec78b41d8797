//! `postrider send`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chrono::{DateTime, Utc};
use data_encoding::HEXLOWER;
use serde::Serialize;

use super::hints::{Failure, name};
use super::remind::is_reminder;
use super::{git::exchange, input, json, known, own, print, print_from, receive, refusals, withdrawn};
use crate::desk::{Desk, parts};
use crate::games::kernel::{Side, Viewer};
use crate::git::Author;
use crate::mail::incoming;
use crate::mail::{
    Brings, Choices, Draft, Letter, LetterError, Message, Occasion, Party, Posted, Seat, Words, is_receipt_id,
    message_id, notice, post, receipt_id, reread, secrets_id, send, subject,
};
use crate::page::{self, Contents};
use crate::record::{Item, Time};
use crate::render::Look;
use crate::render::sheet::{self, Extras};
use crate::sealing::Digest;
use crate::store::{
    self, AttachedPage, Delivery, GitSettings, KnownGames, MailSettings, PlainReplies, Seats, SentNotes,
    SentNotesError, Settings, State, Style,
};
use crate::text::printable;
use crate::verdict::Opened;

/// Mail a record to your opponent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider send game.pbem
  postrider send -n game.pbem                     print the letter, send nothing
  postrider send game.pbem --to bram@example.net
  postrider send --force game.pbem                again, although it was sent
  postrider send --letter text game.pbem          without a picture
  postrider send --page game.pbem                 with the game as a page, for an opponent who has nothing yet

Without settings the letter is written to a file in the outbox, for you to send by hand. settings.yaml says how letters are sent; \
examples/settings.yaml explains every key.")]
pub(super) struct Args {
    /// The record, or a game's id. Without one, the only game that waits for your opponent
    #[arg(default_value = super::chosen::NOT_NAMED, hide_default_value = true)]
    pub(super) file: PathBuf,
    /// Print the letter and send nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Send it to this address instead of the one in the header
    #[arg(long, value_name = "ADDRESS")]
    to: Option<String>,
    /// Send it again although it was sent already
    #[arg(long)]
    force: bool,
    /// What the letter contains: text only, a picture of the board too, or also links for the legal moves where a bare move will do
    /// as a reply
    #[arg(long, value_name = "STYLE")]
    letter: Option<LetterStyle>,
    /// Attach the game as a page with the referee in it, which opens in any browser (over 1 MB; `mail.page` in settings.yaml does
    /// this for other letters)
    #[arg(long)]
    page: bool,
    /// A personal word at the head of the letter
    #[arg(long, value_name = "TEXT")]
    word: Option<String>,
    /// Send the answer that was drafted to your opponent's last reply, instead of the record
    #[arg(long, conflicts_with_all = ["word", "force", "to", "letter", "page", "json"])]
    draft: bool,
    /// Report as JSON what became of the letter, one object on one line
    #[arg(long, conflicts_with = "dry_run")]
    json: bool,
}

/// What happened to a letter.
#[derive(Debug, Default, Serialize)]
pub(super) struct Delivered {
    /// `sent`, `already sent` or `pushed`.
    letter: &'static str,
    to: Option<String>,
    message_id: Option<String>,
    /// When it was sent before.
    at: Option<String>,
    /// Where it went.
    receipt: Option<String>,
    #[serde(skip)]
    told: String,
}

impl fmt::Display for Delivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told)
    }
}

impl Delivered {
    /// Returns itself, if there was anything to deliver.
    pub(super) fn some(&self) -> Option<&Self> {
        Some(self).filter(|it| !it.letter.is_empty())
    }
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: json::State<'a>,
    sent: Option<&'a Delivered>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum LetterStyle {
    Text,
    Picture,
    Taps,
}

/// The options for sending.
#[derive(Debug, Default)]
pub(super) struct SendOptions {
    dry_run: bool,
    to: Option<String>,
    force: bool,
    /// Whether the program sends it on its own.
    auto: bool,
    /// Whether this run has already noted that it is about to send it.
    promised: bool,
    /// Whether the player has just made the last entry.
    made: bool,
    /// What the letter consists of, if not as in the settings.
    letter: Option<Style>,
    /// Which letters bring a page, if not what the settings say.
    page: Option<AttachedPage>,
    /// What it brings.
    brings: Brings,
    /// A personal word at its head.
    word: Option<String>,
}

impl SendOptions {
    /// A letter that the program sends on its own, with a forced entry.
    pub(super) fn by_itself(promised: bool) -> Self {
        Self { auto: true, made: true, promised, ..Self::default() }
    }

    /// The letter about an entry that the player has just made; `promised` is the result of [`promise`].
    pub(super) fn of_move(promised: bool) -> Self {
        Self { made: true, promised, ..Self::default() }
    }

    /// A letter with the secrets that were published in the record of a finished game; with `auto`, the program sends
    /// it on its own; `promised`: this run has noted that it is about to.
    pub(super) fn of_secrets(auto: bool, promised: bool) -> Self {
        Self { brings: Brings::Secrets, auto, promised, ..Self::default() }
    }

    /// A letter that brings a receipt for the opponent's last entry; `auto`, the program sends it by itself.
    pub(super) fn of_receipt(auto: bool) -> Self {
        Self { brings: Brings::Receipt, auto, ..Self::default() }
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let letter = args.letter.map(|letter| match letter {
        LetterStyle::Text => Style::Text,
        LetterStyle::Picture => Style::Picture,
        LetterStyle::Taps => Style::Taps,
    });
    let page = args.page.then_some(AttachedPage::Always);
    let (to, force, word) = (args.to.clone(), args.force, args.word.clone());
    let options = SendOptions { dry_run: args.dry_run, to, force, letter, page, word, ..SendOptions::default() };
    let source = input::record(&args.file)?;
    let origin = name(&args.file);
    let desk = refusals::to_send(&source, &origin)?;
    known::guard_mail(&desk.opened, &source, &origin, known::Use::Send)?;
    if args.draft {
        return drafted(&desk, args.dry_run);
    }
    let delivered = deliver(&desk, &args.file, &options)?;
    err!("{}", super::hints::fitting(&delivered.to_string()));
    if args.json {
        let state = json::State::of(&origin, &desk.opened.header, &desk.opened.table.standing());
        print(json::line(&Report { state, sent: delivered.some() }))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Sends the draft about the entry that is due, and removes it.
fn drafted(desk: &Desk<'_>, dry_run: bool) -> Result<ExitCode, Failure> {
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    let header = &desk.opened.header;
    let entry = desk.opened.table.standing().entries.saturating_add(1);
    let folder = receive::drafts(&settings);
    let path = folder.join(format!("{}.{entry}.eml", header.id));
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Failure::trouble(format!("there is no draft about entry {entry} of {}", header.id)));
        }
        Err(error) => return Err(Failure::reading(&path, &error)),
    };
    let unfit = || {
        Failure::trouble(format!("{} is not a draft any more", name(&path)))
            .hint("send it with your mail program, or delete it")
    };
    let read = reread(&bytes).ok_or_else(unfit)?;
    let now = input::now(None)?.utc().unwrap_or_else(crate::store::now);
    let party = |(name, address): &(String, String)| (name.clone(), address.clone());
    let (from, to) = (party(&read.from), party(&read.to));
    let letter = Draft {
        from: Party { name: &from.0, address: &from.1 },
        to: Party { name: &to.0, address: &to.1 },
        subject: &read.subject,
        answers: read.answers.as_deref(),
        thread: read.thread.as_deref(),
        when: now,
        text: &read.text,
        html: read.html.as_ref(),
        cid: &read.cid,
    };
    let about = newest_id(desk).unwrap_or_default();
    let message =
        notice(&letter, &about, (&*header.id, entry, 1)).map_err(|error| Failure::trouble(error.to_string()))?;
    if dry_run {
        print_from(|out| message.write_to(out))?;
        return Ok(ExitCode::SUCCESS);
    }
    let receipt = send(&message, &settings.mail).map_err(|error| Failure::trouble(error.to_string()))?;
    // The letter is sent; a draft that stays is only sent once more.
    if let Err(error) = crate::store::remove(&path) {
        errln!("{}: {error}", name(&path));
    }
    errln!("the draft to {} was {}", printable(&to.1), printable(&receipt.to_string()));
    Ok(ExitCode::SUCCESS)
}

/// Returns the entry that the newest letter to the opponent of a side was about, and when that letter was first sent.
///
/// # Errors
/// If the notes cannot be read.
pub(super) fn newest_sent(opened: &Opened<'_>, own: Side, settings: &Settings) -> Result<Option<(u32, Time)>, Failure> {
    let notes = SentNotes::read(&settings.folders, &opened.header.id);
    let notes = notes.map_err(|error| Failure::trouble(error.to_string()))?;
    let Some(to) = opened.header.player(own.other()).email.as_deref() else { return Ok(None) };
    let theirs = |note: &&crate::store::Note| {
        note.to.eq_ignore_ascii_case(to) && !is_reminder(&note.message_id) && !is_receipt_id(&note.message_id)
    };
    let sent = notes.iter().filter(theirs).filter_map(|note| Some((note.entry, note.first_sent()?)));
    Ok(sent.max_by_key(|(entry, _)| *entry).map(|(entry, at)| (entry, Time(at.timestamp()))))
}

/// Sends the record in a file to the opponent. Returns what to say about it, with a line end. `file` is the record's
/// file.
pub(super) fn deliver(desk: &Desk<'_>, file: &Path, options: &SendOptions) -> Result<Delivered, Failure> {
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    let now = input::now(None)?.utc().unwrap_or_else(crate::store::now);
    if let MailSettings::Git(git) = &settings.mail {
        let told = by_git(desk, (file, git), &settings, options, now)?;
        let letter = if told.is_empty() { "" } else { "pushed" };
        return Ok(Delivered { letter, told, ..Delivered::default() });
    }
    let origin = &name(file);
    if !options.dry_run && brings_seat(&desk.opened, parties(desk, &settings, options)?.0) {
        Seats::new(&settings.folders)
            .issue(&desk.opened.header.id, &store::random)
            .map_err(|error| Failure::writing(&error))?;
    }
    let message = letter(desk, &settings, options, now)?;
    if options.dry_run {
        print_from(|out| message.write_to(out))?;
        return Ok(Delivered::default());
    }
    let to = printable(message.to()).into_owned();
    let of = |letter, told| Delivered {
        letter,
        to: Some(message.to().to_owned()),
        message_id: Some(message.message_id()),
        told,
        ..Delivered::default()
    };
    match post(&message, &settings.mail, &settings.folders, options.force, now) {
        Ok(Posted::Already(at)) => {
            let told = format!("{} was sent to {to} on {at}; --force sends it again\n", newest(message.entry()));
            Ok(Delivered { at: Some(at.to_string()), ..of("already sent", told) })
        }
        Ok(Posted::Sent { receipt, before }) => {
            let copy = match before {
                Delivery::Unsure(at) if !options.promised => {
                    format!("an earlier run of {at} may have sent it too; the copy does no harm\n")
                }
                _ => String::new(),
            };
            let receipt = receipt.to_string();
            let told = format!("{copy}{} to {to}: the letter was {}\n", newest(message.entry()), printable(&receipt));
            // Whoever is invited again may want to play after all.
            let _ = KnownGames::new(&settings.folders).note_declined(&desk.opened.header.id, false);
            Ok(Delivered { receipt: Some(receipt), ..of("sent", told) })
        }
        Err(error) => Err(Failure::trouble(error.to_string()).hint(exchange::again(origin))),
    }
}

/// What a letter brings, by the number of its newest entry.
pub(super) fn newest(entry: u32) -> String {
    if entry == 0 { "the invitation".to_owned() } else { format!("entry {entry}") }
}

/// Commits and pushes a record instead of mailing it.
fn by_git(
    desk: &Desk<'_>,
    (file, git): (&Path, &GitSettings),
    settings: &Settings,
    options: &SendOptions,
    now: DateTime<Utc>,
) -> Result<String, Failure> {
    let opened = &desk.opened;
    let header = &opened.header;
    let (sender, _, from, to) = addresses(desk, settings, options)?;
    let (entry, word) = (opened.table.standing().entries, header.info.sides[sender.index()].word);
    let last = desk.last();
    let (side, actions) = match last {
        _ if options.brings == Brings::Secrets => (word, "the secrets of the game"),
        _ if options.brings == Brings::Receipt => (word, "a receipt"),
        Some((side, line)) => (header.info.sides[side.index()].word, parts(line).0),
        None => ("", ""),
    };
    let subject = subject(&header.id, entry, side, actions);
    let extras = Extras { entries: sheet::last_entries(opened, 1), now: None, local: false };
    let message =
        format!("{subject}\n\n{}", sheet::draw(opened, &desk.scene(Viewer::Public), &extras, Look::default()));
    if options.dry_run {
        print(message)?;
        return Ok(String::new());
    }
    let failed = |error: SentNotesError| Failure::trouble(error.to_string());
    let id = newest_id(desk).unwrap_or_default();
    let before = {
        let mut notes = SentNotes::open(&settings.folders, &header.id).map_err(failed)?;
        let before = notes.standing(&to, &id);
        if let Delivery::Sent(at) = before
            && !options.force
            && options.brings == Brings::Entry
        {
            return Ok(format!("{} was pushed on {at}; --force pushes it again\n", newest(entry)));
        }
        notes.sending(entry, &to, &id, now).map_err(failed)?;
        before
    };
    let author = Author { name: &header.player(sender).name, email: &from };
    let sent = exchange::send(file, git, &message, author);
    let mut notes = SentNotes::open(&settings.folders, &header.id).map_err(failed)?;
    match sent {
        Ok(place) => {
            notes.sent(&to, &id, now).map_err(failed)?;
            Ok(format!("{}: the record was pushed to {}\n", newest(entry), printable(&place)))
        }
        Err(failure) => {
            // Pushing again does no harm, so it need not be known whether anything arrived.
            let _ = match before {
                Delivery::Owed => notes.not_sent(&to, &id),
                Delivery::Unsure(_) => Ok(()),
                Delivery::Sent(at) => notes.sent(&to, &id, at),
            };
            Err(match failure {
                Failure::Trouble(what, hint) => {
                    let first = hint.map(|hint| format!("{hint}; ")).unwrap_or_default();
                    Failure::trouble(what).hint(first + &exchange::again(&name(file)))
                }
                failure => failure,
            })
        }
    }
}

/// Notes, before the record is written, that its letter is about to be sent, so that the next run makes up for one that
/// is interrupted between the two. Returns whether there is a letter to send; if an address is missing, it says so.
///
/// # Errors
/// If the notes cannot be read or written.
pub(super) fn promise(desk: &Desk<'_>, settings: &Settings, now: DateTime<Utc>) -> Result<bool, Failure> {
    promise_of(desk, settings, &SendOptions::by_itself(false), now)
}

/// Like [`promise`], for a letter of any kind.
///
/// # Errors
/// Those of [`promise`].
pub(super) fn promise_of(
    desk: &Desk<'_>,
    settings: &Settings,
    options: &SendOptions,
    now: DateTime<Utc>,
) -> Result<bool, Failure> {
    let to = match addresses(desk, settings, options) {
        Ok((_, _, _, to)) => to,
        Err(failure) => {
            err!("{failure}");
            return Ok(false);
        }
    };
    let Some(id) = id_of(desk, options) else { return Ok(false) };
    let failed = |error: SentNotesError| Failure::trouble(error.to_string());
    let mut ledger = SentNotes::open(&settings.folders, &desk.opened.header.id).map_err(failed)?;
    if ledger.standing(&to, &id) == Delivery::Owed {
        ledger.sending(desk.opened.table.standing().entries, &to, &id, now).map_err(failed)?;
    }
    Ok(true)
}

/// Returns whether it is unknown if the letter of a record was sent: an earlier run was interrupted, or its server did
/// not answer.
///
/// # Errors
/// If the notes cannot be read.
pub(super) fn is_unsure(desk: &Desk<'_>, settings: &Settings) -> Result<bool, Failure> {
    is_unsure_of(desk, settings, &SendOptions::by_itself(false))
}

/// Like [`is_unsure`], for a letter of any kind.
///
/// # Errors
/// Those of [`is_unsure`].
pub(super) fn is_unsure_of(desk: &Desk<'_>, settings: &Settings, options: &SendOptions) -> Result<bool, Failure> {
    let notes = SentNotes::read(&settings.folders, &desk.opened.header.id);
    let notes = notes.map_err(|error| Failure::trouble(error.to_string()))?;
    let id = id_of(desk, options);
    Ok(notes.iter().any(|note| Some(&note.message_id) == id.as_ref() && note.state == State::Sending))
}

/// Returns whether it is certain that a letter of this kind was sent.
///
/// # Errors
/// Those of [`is_unsure`].
pub(super) fn is_sent_of(desk: &Desk<'_>, settings: &Settings, options: &SendOptions) -> Result<bool, Failure> {
    let notes = SentNotes::read(&settings.folders, &desk.opened.header.id);
    let notes = notes.map_err(|error| Failure::trouble(error.to_string()))?;
    let id = id_of(desk, options);
    Ok(notes.iter().any(|note| Some(&note.message_id) == id.as_ref() && note.state == State::Sent))
}

/// Returns the Message-ID of a letter of this kind.
fn id_of(desk: &Desk<'_>, options: &SendOptions) -> Option<String> {
    let entry = desk.opened.table.standing().entries;
    let id = match options.brings {
        Brings::Entry => message_id,
        Brings::Secrets => secrets_id,
        Brings::Receipt => receipt_id,
    };
    Some(id(&desk.opened.header.id, entry, desk.digests.last()?))
}

/// Returns whether the letter about a record's last entry, which the player made, can be sent and was not.
pub(super) fn is_owed(desk: &Desk<'_>, settings: &Settings, now: DateTime<Utc>) -> bool {
    let options = SendOptions { page: Some(AttachedPage::Never), ..SendOptions::by_itself(false) };
    let Ok(message) = letter(desk, settings, &options, now) else { return false };
    let notes = SentNotes::read(&settings.folders, message.game()).unwrap_or_default();
    !notes.iter().any(|note| note.message_id == message.message_id())
}

/// Returns the Message-ID of the letter about a record's last entry, whoever sent it.
pub(super) fn newest_id(desk: &Desk<'_>) -> Option<String> {
    let entry = desk.opened.table.standing().entries;
    Some(message_id(&desk.opened.header.id, entry, desk.digests.last()?))
}

/// Returns the sides of a letter, sender and recipient: nobody writes to themselves, or in the other's name. If it is
/// not known which side is the player's, the last entry is assumed to be the player's.
///
/// # Errors
/// If the last entry is the opponent's and the next one is the player's, so that there is nothing to send.
fn parties(desk: &Desk<'_>, settings: &Settings, options: &SendOptions) -> Result<(Side, Side), Failure> {
    let standing = desk.opened.table.standing();
    let due = standing.due.side;
    let last = desk.last().map(|(side, _)| side);
    if !options.made && own::looks_on(&desk.opened, settings)? {
        return Err(Failure::trouble("you play neither side of this game, and nothing is sent in a player's name"));
    }
    let own = if options.made { last } else { own::side(&desk.opened, settings).or(last) };
    let sender = own.unwrap_or(due.other());
    let answers = options.brings == Brings::Entry;
    if answers && last.is_some_and(|last| last != sender) && due == sender && standing.outcome.is_none() {
        let number = standing.entries.saturating_add(1);
        let message =
            format!("it is your turn: the newest entry is your opponent's, and entry {number} is yours to make");
        return Err(Failure::trouble(message).hint("`postrider move FILE 'YOUR ENTRY' --send` makes it and sends it"));
    }
    Ok((sender, sender.other()))
}

/// Returns the sender and recipient of a letter, and their addresses.
///
/// # Errors
/// If there is nothing to send, or an address is missing.
fn addresses(
    desk: &Desk<'_>,
    settings: &Settings,
    options: &SendOptions,
) -> Result<(Side, Side, String, String), Failure> {
    let header = &desk.opened.header;
    let (sender, recipient) = parties(desk, settings, options)?;
    let named = |side: Side| header.info.sides[side.index()].named();
    let address = |side: Side| header.player(side).email.as_deref();
    if matches!(settings.mail, MailSettings::Git(_)) {
        // This needs no address, but the notes of sent letters require a name.
        let from = address(sender).or(settings.email.as_deref()).unwrap_or_default();
        return Ok((sender, recipient, from.to_owned(), address(recipient).unwrap_or("git").to_owned()));
    }
    let to = options.to.as_deref().or_else(|| address(recipient)).ok_or_else(|| {
        Failure::trouble(format!("the header has no mail address for {}", named(recipient)))
            .hint("give one with --to ADDRESS")
    })?;
    let from = address(sender).or(settings.email.as_deref()).ok_or_else(|| {
        Failure::trouble(format!("the header has no mail address for {}", named(sender)))
            .hint("set `email:` in settings.yaml; examples/settings.yaml explains every key")
    })?;
    Ok((sender, recipient, from.to_owned(), to.to_owned()))
}

fn letter<'a>(
    desk: &Desk<'a>,
    settings: &Settings,
    options: &SendOptions,
    now: DateTime<Utc>,
) -> Result<Message<'a>, Failure> {
    let opened = &desk.opened;
    let header = &opened.header;
    let entry = opened.table.standing().entries;
    let source = opened.text.as_bytes();
    let last = desk.last();
    let (sender, recipient, from, to) = addresses(desk, settings, options)?;
    let (from, to) = (from.as_str(), to.as_str());
    let word = |side: Side| header.info.sides[side.index()].word;
    let digest = desk.digests.last().copied().unwrap_or_default();
    // A letter names the first and some of the newest.
    let before = desk.digests.at_hand().filter(|&n| 0 < n && n < entry);
    let earlier = before.filter_map(|n| Some(message_id(&header.id, n, desk.digests.get(n)?)));
    let mut earlier: Vec<_> = earlier.collect();
    if options.brings != Brings::Entry {
        earlier.push(message_id(&header.id, entry, &digest));
    }
    let (side, actions) = last.map_or(("", ""), |(side, line)| (word(side), parts(line).0));
    // What answers a letter without a record stays in its thread: it refers to that letter, and the subject does not change.
    let from_letters = incoming::from_letters(opened);
    for (number, id) in from_letters.range(..entry).rev().filter(|_| options.brings == Brings::Entry) {
        let place = earlier.len().checked_sub((entry - number) as usize).and_then(|place| earlier.get_mut(place));
        if let Some(place) = place.filter(|_| !id.is_empty()) {
            place.clone_from(id);
        }
    }
    let begin = incoming::thread_begin(entry, &from_letters);
    let thread = (begin < entry).then(|| thread_subject(opened, begin));
    let (token, answers) = seats(desk, sender, settings)?;
    let statements = withdrawn::carried()?;
    let style = options.letter.unwrap_or(settings.letter);
    let page = has_page(desk, settings, options, sender).then(|| page(source, recipient)).flatten();
    let words = words(desk, (from, recipient), (style, options, page.is_some()), settings, &digest);
    let letter = Letter {
        from: Party { name: &header.player(sender).name, address: from },
        to: Party { name: &header.player(recipient).name, address: to },
        game: &header.id,
        entry,
        thread: thread.as_deref(),
        side: if options.brings == Brings::Entry { side } else { word(sender) },
        actions,
        digest,
        earlier: &earlier,
        date: now,
        text: &words.text,
        html: words.html.as_ref(),
        record: source,
        page: page.as_deref(),
        auto: options.auto,
        seat: Seat { token: token.as_deref(), answers: &answers, statements: &statements },
    };
    let built = match options.brings {
        Brings::Entry => letter.build(),
        Brings::Secrets => letter.build_secrets(),
        Brings::Receipt => letter.build_receipt(),
    };
    built.map_err(|error: LetterError| Failure::trouble(error.to_string()))
}

/// Returns whether the letters of a side bring a token: the side signs, and its opponent may still declare any key with a first entry.
fn brings_seat(opened: &Opened<'_>, sender: Side) -> bool {
    let key = |side: Side| opened.table.signatures().and_then(|signatures| signatures.key(side));
    let other = sender.other();
    let made = opened.table.standing().made.get(other.index()).copied();
    key(sender).is_some() && key(other).is_none() && made == Some(0)
}

/// The token that a letter brings, and those that it sends back: with a side's first entry, until the opponent has answered it.
fn seats(desk: &Desk<'_>, sender: Side, settings: &Settings) -> Result<(Option<String>, Vec<String>), Failure> {
    let (opened, notes) = (&desk.opened, Seats::new(&settings.folders));
    let failed = |error| Failure::trouble(format!("{}: {error}", settings.folders.seats().display()));
    let token = if brings_seat(opened, sender) { notes.issued(&opened.header.id).map_err(failed)? } else { None };
    let begins = opened.table.standing().made.get(sender.index()) == Some(&1);
    let answers = if begins { notes.received(&opened.header.id).map_err(failed)? } else { Vec::new() };
    Ok((token, answers))
}

/// The subject of a thread that began with the letter about an entry.
fn thread_subject(opened: &Opened<'_>, entry: u32) -> String {
    let mut body = opened.body();
    let line = std::iter::from_fn(|| body.next_item()).find_map(|item| match item {
        Item::Entry(one) if one.number == u64::from(entry) => {
            Some((one.number_and_side(opened.text).1.text(opened.text), one.actions.text(opened.text)))
        }
        _ => None,
    });
    let (side, actions) = line.unwrap_or_default();
    format!("Re: {}", subject(&opened.header.id, entry, side, actions))
}

/// Whether a letter brings the game as a page.
fn has_page(desk: &Desk<'_>, settings: &Settings, options: &SendOptions, sender: Side) -> bool {
    match options.page.unwrap_or(settings.page) {
        AttachedPage::Never => false,
        AttachedPage::Always => true,
        // The opponent knows nothing of the game before it: there is no entry, or the first one is the sender's, and it was not the
        // opponent who began the game.
        AttachedPage::First => {
            let entries = desk.opened.table.standing().entries;
            let begins = entries == 0 || (entries == 1 && desk.last().is_some_and(|(side, _)| side == sender));
            begins && !own::was_invited(settings, &desk.opened.header.id)
        }
    }
}

/// The page of a record with the referee in it, as everybody may see the game.
fn page(source: &[u8], to: Side) -> Option<String> {
    let mut opened = Opened::new(source).ok()?;
    let verdict = opened.replay(u32::MAX);
    let contents = Contents { referee: true, record: true, from: to };
    (verdict.entries <= page::MOST_ENTRIES).then(|| page::page(source, &opened, &verdict, &contents))
}

/// The text of a letter.
fn words(
    desk: &Desk<'_>,
    (from, to): (&str, Side),
    (style, options, page): (Style, &SendOptions, bool),
    settings: &Settings,
    digest: &Digest,
) -> Words {
    let opened = &desk.opened;
    let standing = opened.table.standing();
    let entries = standing.entries;
    let choices = if standing.due.side == to { Choices::of(opened) } else { Choices::default() };
    let message_id = message_id(&opened.header.id, entries, digest);
    let hash = HEXLOWER.encode(digest.first_chunk::<8>().map_or(&[], |chunk| chunk.as_slice()));
    let last = desk.last();
    let occasion = Occasion {
        opened,
        scene: desk.scene(Viewer::Public),
        actions: last.map(|(_, line)| parts(line).0),
        message: last.and_then(|(_, line)| parts(line).2),
        by: last.map(|(side, _)| side),
        to,
        style,
        plain: settings.plain_replies != PlainReplies::Off,
        brings: options.brings,
        page,
        word: options.word.as_deref(),
        choices,
        reply_to: from,
        message_id: &message_id,
        digest: &hash,
    };
    occasion.words(&Letter::content_id(&opened.header.id, entries, digest))
}
