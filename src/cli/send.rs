//! `postrider send`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chrono::{DateTime, Utc};
use data_encoding::HEXLOWER;

use super::hints::{Failure, name};
use super::remind::is_reminder;
use super::{input, own, picture, print};
use crate::games::kernel::{Side, Viewer};
use crate::mail::{Choices, Letter, LetterError, Message, Occasion, Party, Posted, Style, Words, message_id, post};
use crate::record::{Item, Time};
use crate::sealing;
use crate::store::{Ledger, LedgerError, PlainReplies, Settings, Standing as Note, State};
use crate::text::printable;
use crate::verdict::{self, Opened, Ruling};

/// Mail a record to your opponent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  postrider send game.pbem
  postrider send -n game.pbem                     print the letter, send nothing
  postrider send game.pbem --to bram@example.net
  postrider send --force game.pbem                once more, though it was sent
  postrider send --letter text game.pbem          without a picture

Without settings the letter is written as a file into the outbox, to be sent by hand. How letters are sent is set in
settings.yaml; examples/settings.yaml explains every key.")]
pub(super) struct Args {
    /// The record
    file: PathBuf,
    /// Print the letter and send nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Send it to this address instead of the one in the header
    #[arg(long, value_name = "ADDRESS")]
    to: Option<String>,
    /// Send it again although it was sent
    #[arg(long)]
    force: bool,
    /// What the letter is made of: text alone, a picture of the board too, or links for the legal moves as well where a reply with a
    /// move alone is read
    #[arg(long, value_name = "STYLE")]
    letter: Option<LetterStyle>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum LetterStyle {
    Text,
    Picture,
    Taps,
}

/// What is asked of sending.
#[derive(Debug, Default)]
pub(super) struct Wish {
    dry_run: bool,
    to: Option<String>,
    force: bool,
    /// Whether the program sends by itself.
    auto: bool,
    /// What the letter is made of, if not what the settings say.
    letter: Option<Style>,
    /// Whether it brings the secrets of a finished game.
    secrets: bool,
}

impl Wish {
    /// A letter that brings the secrets that were published in the record of a finished game.
    pub(super) fn of_secrets() -> Self {
        Self { secrets: true, ..Self::default() }
    }

    /// A letter that the program sends by itself, with a forced entry.
    pub(super) fn by_itself() -> Self {
        Self { auto: true, ..Self::default() }
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let letter = args.letter.map(|letter| match letter {
        LetterStyle::Text => Style::Text,
        LetterStyle::Picture => Style::Picture,
        LetterStyle::Taps => Style::Taps,
    });
    let wish =
        Wish { dry_run: args.dry_run, to: args.to.clone(), force: args.force, letter, ..Wish::default() };
    send(&args.file, &wish)
}

/// The entry that the newest letter to the opponent of a side was about, and when that letter was sent first.
pub(super) fn newest_sent(opened: &Opened<'_>, own: Side, settings: &Settings) -> Option<(u32, Time)> {
    let notes = Ledger::read(&settings.folders, &opened.header.id).ok()?;
    let to = opened.header.player(own.other()).email.as_deref()?;
    let theirs = |note: &&crate::store::Note| note.to.eq_ignore_ascii_case(to) && !is_reminder(&note.message_id);
    let sent = notes.iter().filter(theirs).filter_map(|note| Some((note.entry, note.first_sent()?)));
    sent.max_by_key(|(entry, _)| *entry).map(|(entry, at)| (entry, Time(at.timestamp())))
}

/// Sends the record in `file` to the opponent.
pub(super) fn send(file: &Path, wish: &Wish) -> Result<ExitCode, Failure> {
    let source = input::record(file)?;
    let origin = name(file);
    let (opened, verdict) = input::open(&source, &origin, u32::MAX)?;
    if verdict.ruling != Ruling::Legal {
        return Err(Failure::verdict(&source, &origin, &verdict, true));
    }
    let settings = Settings::load().map_err(|error| Failure::trouble(error.to_string()))?;
    let now = input::now(None)?.utc().unwrap_or_else(Utc::now);
    let message = letter(&opened, &settings, wish, now)?;
    if wish.dry_run {
        print(String::from_utf8_lossy(&message.bytes()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let to = printable(message.to()).into_owned();
    match post(&message, &settings.mail, &settings.folders, wish.force, now) {
        Ok(Posted::Already(at)) => {
            errln!("entry {} was sent to {to} on {at}; --force sends it again", message.entry());
        }
        Ok(Posted::Sent { receipt, before }) => {
            if let Note::Unsure(at) = before {
                errln!("an earlier run of {at} may have sent it too; the copy does no harm");
            }
            errln!("entry {} to {to}: the letter was {}", message.entry(), printable(&receipt.to_string()));
        }
        Err(error) => {
            let again = format!("the move is safe in {origin}; `postrider send {origin}` tries again");
            return Err(Failure::trouble(error.to_string()).hint(again));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The entries that were played, as far as a letter needs them.
struct Played {
    /// The chain's digest before the first and after each entry.
    digests: Vec<sealing::Digest>,
    /// Side and actions of the last one.
    last: Option<(Side, String)>,
    message: Option<String>,
}

fn played(opened: &Opened<'_>, source: &[u8]) -> Option<Played> {
    let mut again = Opened::new(source).ok()?;
    // The record was judged before.
    again.table.set_check(sealing::Check::Nothing);
    let mut link = sealing::begin(opened.frame.header.text(opened.text));
    let mut played = Played { digests: vec![link.digest()], last: None, message: None };
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        let number = u32::try_from(played.digests.len()).ok()?;
        link = link.then(&verdict::line(&again, &entry, number));
        played.digests.push(link.digest());
        played.last = Some((entry.side, again.table.canonical(opened.text, &entry)));
        played.message = entry.message.map(|message| message.text(opened.text).to_owned());
        again.table.enter(opened.text, &entry).ok()?;
    }
    Some(played)
}

/// Notes that the letter of a record is about to be sent, before the record is written: a run that is cut short between the two
/// is then made good by the next one.
pub(super) fn promise(record: &[u8], origin: &str, settings: &Settings, now: DateTime<Utc>) -> Result<(), Failure> {
    let message = newest_letter(record, origin, settings, now)?;
    let failed = |error: LedgerError| Failure::trouble(error.to_string());
    let mut ledger = Ledger::open(&settings.folders, message.game()).map_err(failed)?;
    if ledger.standing(message.to(), &message.message_id()) == Note::Owed {
        ledger.sending(message.entry(), message.to(), &message.message_id(), now).map_err(failed)?;
    }
    Ok(())
}

/// Whether nobody knows if the letter of a record was sent: an earlier run was cut short, or its server did not answer.
pub(super) fn is_unsure(record: &[u8], origin: &str, settings: &Settings, now: DateTime<Utc>) -> bool {
    let Ok(message) = newest_letter(record, origin, settings, now) else { return false };
    let notes = Ledger::read(&settings.folders, message.game()).unwrap_or_default();
    notes.iter().any(|note| note.message_id == message.message_id() && note.state == State::Sending)
}

/// The letter of a record to the side that is due, sent by the program itself.
fn newest_letter(record: &[u8], origin: &str, settings: &Settings, now: DateTime<Utc>) -> Result<Message, Failure> {
    let (opened, _) = input::open(record, origin, u32::MAX)?;
    letter(&opened, settings, &Wish::by_itself(), now)
}

/// The Message-ID of the letter about a record's last entry, whoever sent it.
pub(super) fn newest_id(opened: &Opened<'_>) -> Option<String> {
    let played = played(opened, opened.text.as_bytes())?;
    let entry = u32::try_from(played.digests.len()).ok()?.checked_sub(1)?;
    Some(message_id(&opened.header.id, entry, played.digests.last()?))
}

/// The sides of a letter, who sends it and who gets it: nobody writes to oneself, nor in the other's name. Where it is not known which side
/// is the player's, the last entry is taken for the player's.
///
/// # Errors
/// When the last entry is the opponent's and the next one is the player's: there is nothing to send.
fn parties(opened: &Opened<'_>, last: Option<Side>, settings: &Settings) -> Result<(Side, Side), Failure> {
    let standing = opened.table.standing();
    let due = standing.due.side;
    let own = own::side(opened, settings);
    if let (Some(own), Some(last), None) = (own, last, standing.outcome)
        && last != own
        && due == own
    {
        let number = standing.entries.saturating_add(1);
        let message = format!("it is your turn: the newest entry is your opponent's, and entry {number} is yours to make");
        return Err(Failure::trouble(message).hint("`postrider move FILE 'YOUR ENTRY' --send` makes it and sends it"));
    }
    let sender = own.or(last).unwrap_or(due.other());
    Ok((sender, sender.other()))
}

fn letter(
    opened: &Opened<'_>,
    settings: &Settings,
    wish: &Wish,
    now: DateTime<Utc>,
) -> Result<Message, Failure> {
    let header = &opened.header;
    let standing = opened.table.standing();
    let source = opened.text.as_bytes();
    let played = played(opened, source).ok_or_else(|| Failure::trouble("the record cannot be replayed"))?;
    let last = played.last.as_ref().map(|(side, _)| *side);
    let (sender, recipient) = parties(opened, last, settings)?;
    let word = |side: Side| header.info.sides[side.index()].word;
    let named = |side: Side| header.info.sides[side.index()].named();
    let address = |side: Side| header.player(side).email.as_deref();
    let to = wish.to.as_deref().or_else(|| address(recipient)).ok_or_else(|| {
        Failure::trouble(format!("the header has no mail address for {}", named(recipient)))
            .hint("give one with --to ADDRESS")
    })?;
    let from = address(sender).or(settings.email.as_deref()).ok_or_else(|| {
        Failure::trouble(format!("the header has no mail address for {}", named(sender)))
            .hint("set `email:` in settings.yaml; examples/settings.yaml explains every key")
    })?;
    let digest = played.digests.last().copied().unwrap_or_default();
    let entry = standing.entries;
    let earlier = (1..entry).zip(played.digests.iter().skip(1)).map(|(n, digest)| message_id(&header.id, n, digest));
    let mut earlier: Vec<_> = earlier.collect();
    if wish.secrets {
        earlier.push(message_id(&header.id, entry, &digest));
    }
    let (side, actions) = played.last.as_ref().map_or(("", ""), |(side, actions)| (word(*side), actions.as_str()));
    let style = wish.letter.unwrap_or(settings.letter);
    let words = words(opened, &played, (from, recipient), (style, wish.secrets), settings, &digest)?;
    let letter = Letter {
        from: Party { name: &header.player(sender).name, address: from },
        to: Party { name: &header.player(recipient).name, address: to },
        game: &header.id,
        entry,
        side: if wish.secrets { word(sender) } else { side },
        actions,
        digest,
        earlier: &earlier,
        date: now,
        text: &words.text,
        html: words.html.as_ref(),
        record: source,
        auto: wish.auto,
    };
    let built = if wish.secrets { letter.build_secrets() } else { letter.build() };
    built.map_err(|error: LetterError| Failure::trouble(error.to_string()))
}

/// What a letter says.
fn words(
    opened: &Opened<'_>,
    played: &Played,
    (from, to): (&str, Side),
    (style, secrets): (Style, bool),
    settings: &Settings,
    digest: &sealing::Digest,
) -> Result<Words, Failure> {
    let header = &opened.header;
    let entries = opened.table.standing().entries;
    let scene = picture::views(opened.text.as_bytes(), opened, (entries, entries), None)?.pop();
    let scene = scene.unwrap_or_else(|| opened.table.view(Viewer::Public));
    let choices = if opened.table.standing().due.side == to { Choices::of(opened) } else { Choices::default() };
    let message_id = message_id(&header.id, entries, digest);
    let hash = HEXLOWER.encode(digest.first_chunk::<8>().map_or(&[], |chunk| chunk.as_slice()));
    let occasion = Occasion {
        opened,
        scene,
        actions: played.last.as_ref().map(|(_, actions)| actions.as_str()),
        message: played.message.as_deref(),
        by: played.last.as_ref().map(|(side, _)| *side),
        to,
        style,
        plain: settings.plain_replies != PlainReplies::Off,
        secrets,
        choices,
        reply_to: from,
        message_id: &message_id,
        digest: &hash,
    };
    Ok(occasion.words(&Letter::content_id(&header.id, entries, digest)))
}
