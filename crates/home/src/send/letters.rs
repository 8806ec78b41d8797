//! Letters: what goes out about a game, to whom, and what is noted around it, so that each letter that is owed goes out once.

use std::path::Path;

use chrono::{DateTime, Utc};
use data_encoding::HEXLOWER;

use crate::keys::statements;
use crate::office::{Notice, Office, Trouble};
use crate::own_game::OwnGame;
use crate::receive::seats::Seats;
use crate::send::post::{Posted, Wish};
use crate::send::sent::{Delivery, State};
use postrider_board::render::Look;
use postrider_board::render::sheet;
use postrider_board::render::sheet::Extras;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Insist};
use postrider_kernel::{Side, Viewer};
use postrider_mail::address::{is_same, mailbox};
use postrider_mail::incoming;
use postrider_mail::{
    Brings, Choices, Letter, Message, Occasion, Party, Seat, Style, Words, invitation, is_receipt_id, is_reminder,
    message_id, receipt_id, secrets_id, subject,
};
use postrider_referee::desk::block::Block;
use postrider_referee::desk::{Desk, parts};
use postrider_referee::record::{Header, Item, Time};
use postrider_referee::sealing::Digest;
use postrider_referee::verdict::Opened;
use postrider_settings::{AttachedPage, GitSettings, MailSettings, PlainReplies, Settings};

/// Where a game is kept, and what whoever asked calls it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its record.
    pub file: &'a Path,
    pub name: &'a str,
}

/// What became of a letter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// What was done; nothing, if there was nothing to do.
    pub way: Option<Way>,
    /// The number of the newest entry that it brings.
    pub entry: u32,
    /// The address that it goes to.
    pub to: Option<String>,
    pub message_id: Option<String>,
    /// When it was sent before.
    pub at: Option<DateTime<Utc>>,
    /// Where it went.
    pub receipt: Option<String>,
    /// When an earlier run may have sent it too.
    pub twice: Option<DateTime<Utc>>,
}

/// The way that a letter went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By mail, now.
    Sent,
    /// By mail, before.
    SentBefore,
    /// Pushed into a repository, now.
    Pushed,
    PushedBefore,
}

#[derive(Debug, Default)]
pub struct SendOptions {
    /// The address that it goes to instead of the one in the header.
    to: Option<String>,
    /// Whether it goes out again although it was sent.
    force: bool,
    /// Whether the program sends it on its own.
    auto: bool,
    /// Whether this run has already noted that it is about to send it.
    promised: bool,
    /// Whether the player has just made the last entry.
    made: bool,
    /// Whose letter it is, if that is known.
    sender: Option<Side>,
    /// What the letter consists of, if not as in the settings.
    letter: Option<Style>,
    /// Which letters bring a page, if not what the settings say.
    page: Option<AttachedPage>,
    /// What it brings.
    brings: Brings,
    /// A personal word at its head.
    word: Option<String>,
    /// Where somebody who is invited finds the page.
    page_at: Option<String>,
}

impl SendOptions {
    /// A letter as the player wants it: to another address, again, of another style, with a page, with a word at its head.
    #[must_use]
    pub fn asked(
        to: Option<String>,
        force: bool,
        letter: Option<Style>,
        page: Option<AttachedPage>,
        word: Option<String>,
    ) -> Self {
        Self { to, force, letter, page, word, ..Self::default() }
    }

    /// The same, which tells somebody who is invited where the page is.
    #[must_use]
    pub fn with_page_at(self, page_at: Option<String>) -> Self {
        Self { page_at, ..self }
    }

    /// A letter that the program sends on its own, with a forced entry.
    pub fn by_itself(promised: bool) -> Self {
        Self { auto: true, made: true, promised, ..Self::default() }
    }

    /// The letter about an entry that the player has just made; `promised` is the result of [`promise`].
    pub(crate) fn of_move(promised: bool) -> Self {
        Self { made: true, promised, ..Self::default() }
    }

    /// The same as a letter of this side, whoever has made the last entry.
    #[must_use]
    pub fn of_side(self, sender: Option<Side>) -> Self {
        Self { sender, ..self }
    }

    /// A letter with the secrets that were published in the record of a finished game; with `auto`, the program sends
    /// it on its own; `promised`: this run has noted that it is about to.
    pub fn of_secrets(auto: bool, promised: bool) -> Self {
        Self { brings: Brings::Secrets, auto, promised, ..Self::default() }
    }

    /// A letter that brings a receipt for the opponent's last entry; `auto`, the program sends it by itself.
    pub fn of_receipt(auto: bool) -> Self {
        Self { brings: Brings::Receipt, auto, ..Self::default() }
    }
}

/// Returns whom a letter to a side goes to, by name and address: the player, or the host where only the host knows the player's address.
fn party<'h>(office: &Office<'_>, header: &'h Header<'_>, side: Side) -> Result<Option<(&'h str, String)>, Trouble> {
    let player = header.player(side);
    let (host, email) = match (player.email.as_deref(), header.host.as_deref()) {
        (Some(email), _) => return Ok(Some((&player.name, email.to_owned()))),
        (None, None) => return Ok(None),
        (None, Some(host)) => (host, host.email.as_deref()),
    };
    let noted = Seats::new(office.folders()).host(&header.id);
    let noted = noted.map_err(|error| Trouble::of(format!("{}: {error}", office.folders().seats().display())))?;
    // Only the host's own address counts, with whatever it has put behind it.
    let is_own = |noted: &String| email.is_some_and(|email| mailbox(noted) == mailbox(email));
    let address = noted.filter(is_own).or_else(|| email.map(str::to_owned));
    Ok(address.map(|address| (&*host.name, address)))
}

/// Returns the entry that the newest letter to the opponent of a side was about, and when that letter was first sent.
///
/// # Errors
/// If the notes cannot be read.
pub(crate) fn newest_sent(game: &OwnGame<'_>, opened: &Opened<'_>, own: Side) -> Result<Option<(u32, Time)>, Trouble> {
    let notes = game.sent()?;
    let Some((_, to)) = party(game.office, &opened.header, own.other())? else { return Ok(None) };
    let is_hosted = opened.header.player(own.other()).email.is_none();
    let theirs = |note: &&crate::send::sent::Note| {
        // What stands behind the address of a host changes.
        (is_same(&note.to, &to) || is_hosted && mailbox(&note.to) == mailbox(&to))
            && !is_reminder(&note.message_id)
            && !is_receipt_id(&note.message_id)
    };
    let sent = notes.iter().filter(theirs).filter_map(|note| Some((note.entry, note.first_sent()?)));
    Ok(sent.max_by_key(|(entry, _)| *entry).map(|(entry, at)| (entry, Time(at.timestamp()))))
}

/// A letter as it would go out.
pub enum Draft<'a> {
    /// By mail.
    Letter(Box<Message<'a>>),
    /// As a commit with this message.
    Commit(String),
}

/// Returns the letter about a record as it would go out, and sends nothing.
///
/// # Errors
/// If there is none to write.
pub fn draft<'a>(game: &OwnGame<'_>, desk: &Desk<'a>, options: &SendOptions) -> Result<Draft<'a>, Trouble> {
    Ok(match game.office.settings()?.mail {
        MailSettings::Git(_) => Draft::Commit(commit(game, desk, options)?.message),
        _ => Draft::Letter(Box::new(letter(game, desk, options, (true, None))?)),
    })
}

/// Sends a record to the opponent.
///
/// # Errors
/// Why it was not sent; what is noted then lets the next run make up for it.
pub fn deliver(
    game: &OwnGame<'_>,
    desk: &Desk<'_>,
    place: Place<'_>,
    options: &SendOptions,
) -> Result<Delivered, Trouble> {
    let sent = delivered(game, desk, place, options);
    game.has_sent();
    sent
}

fn delivered(
    game: &OwnGame<'_>,
    desk: &Desk<'_>,
    place: Place<'_>,
    options: &SendOptions,
) -> Result<Delivered, Trouble> {
    let office = game.office;
    if let MailSettings::Git(git) = &office.settings()?.mail {
        return push(game, desk, (place, git), options);
    }
    let mut token = None;
    if brings_seat(&desk.opened, parties(game, desk, options)?.0) {
        let random = |bytes: &mut [u8]| office.ports.randomness.fill(bytes);
        token = Some(Seats::new(office.folders()).issue(game.id(), &random).map_err(Trouble::File)?);
    }
    let message = letter(game, desk, options, (true, token))?;
    let of = |way| Delivered {
        way: Some(way),
        entry: message.entry(),
        to: Some(message.to().to_owned()),
        message_id: Some(message.message_id()),
        ..Delivered::default()
    };
    let again =
        || advice![format!("the move is safe in {}; ", place.name), Act::Send(place.name.to_owned()), " tries again"];
    let wish = Wish { force: options.force, promised: options.promised };
    let posted = office.post_noting(&message, &mut *game.sending()?, wish);
    match posted.map_err(|trouble| trouble.advise(again()))? {
        Posted::Already { at, file } => Ok(Delivered {
            at: Some(at),
            receipt: file.map(|file| format!("written to {file}")),
            ..of(Way::SentBefore)
        }),
        Posted::Sent { receipt, before } => {
            // Whoever is invited again may want to play after all.
            let _ = game.note(|sides| sides.declined = false);
            let twice = match before {
                Delivery::Unsure(at) if !options.promised => Some(at),
                _ => None,
            };
            Ok(Delivered { receipt: Some(receipt.to_string()), twice, ..of(Way::Sent) })
        }
    }
}

/// What is committed about a record: who has made it, to whom it goes, and in what words.
struct Commit {
    author: (String, String),
    to: String,
    message: String,
}

fn commit(game: &OwnGame<'_>, desk: &Desk<'_>, options: &SendOptions) -> Result<Commit, Trouble> {
    let opened = &desk.opened;
    let header = &opened.header;
    let (sender, _, from, to) = addresses(game, desk, options)?;
    let (entry, word) = (opened.table.standing().entries, header.info.sides[sender.index()].word);
    let (side, actions) = match desk.last() {
        _ if options.brings == Brings::Secrets => (word, "the secrets of the game"),
        _ if options.brings == Brings::Receipt => (word, "a receipt"),
        Some((side, line)) => (header.info.sides[side.index()].word, parts(line).0),
        None => ("", ""),
    };
    let subject = subject(&header.id, entry, side, actions);
    let extras = Extras { entries: sheet::last_entries(opened, 1), now: None, local: false };
    let message =
        format!("{subject}\n\n{}", sheet::draw(opened, &desk.scene(Viewer::Public), &extras, Look::default()));
    Ok(Commit { author: (header.player(sender).name.to_string(), from), to, message })
}

/// Commits and pushes a record instead of mailing it.
fn push(
    game: &OwnGame<'_>,
    desk: &Desk<'_>,
    (place, git): (Place<'_>, &GitSettings),
    options: &SendOptions,
) -> Result<Delivered, Trouble> {
    let office = game.office;
    let Commit { author, to, message } = commit(game, desk, options)?;
    let (id, now, entry) = (newest_id(desk).unwrap_or_default(), office.date(), desk.opened.table.standing().entries);
    let before = {
        let mut notes = game.sending()?;
        let before = notes.standing(&to, &id);
        if let Delivery::Sent(at) = before
            && !options.force
            && options.brings == Brings::Entry
        {
            return Ok(Delivered { way: Some(Way::PushedBefore), entry, at: Some(at), ..Delivered::default() });
        }
        // It may have been noted already, before the record was written.
        if !(options.promised && matches!(before, Delivery::Unsure(_))) {
            notes.sending(entry, &to, &id, now)?;
        }
        before
    };
    let pushed = office.ports.post.push(place.file, git, &message, (&author.0, &author.1));
    let mut notes = game.sending()?;
    match pushed {
        Ok(receipt) => {
            notes.sent(&to, &id, now)?;
            Ok(Delivered { way: Some(Way::Pushed), entry, receipt: Some(receipt), ..Delivered::default() })
        }
        Err(trouble) => {
            // Pushing again does no harm, so it need not be known whether anything arrived.
            let _ = match before {
                Delivery::Owed => notes.not_sent(&to, &id),
                Delivery::Unsure(_) => Ok(()),
                Delivery::Sent(at) => notes.sent(&to, &id, at),
            };
            let again = advice![
                format!("the move is safe in {}; ", place.name),
                Act::Send(place.name.to_owned()),
                " tries again"
            ];
            Err(match trouble {
                Trouble::Obstacle(what, None) => Trouble::of(what).advise(again),
                Trouble::Obstacle(what, Some(first)) => Trouble::of(what).advise(first.and("; ".into()).and(again)),
                trouble => trouble,
            })
        }
    }
}

/// Notes, before the record is written, that its letter is about to be sent, so that the next run makes up for one that
/// is interrupted between the two. Returns whether there is a letter to send; if an address is missing, it says so.
///
/// # Errors
/// If the notes cannot be read or written.
pub fn promise(game: &OwnGame<'_>, desk: &Desk<'_>) -> Result<bool, Trouble> {
    promise_of(game, desk, &SendOptions::by_itself(false))
}

/// Like [`promise`], for a letter of any kind.
///
/// # Errors
/// Those of [`promise`].
pub(crate) fn promise_of(game: &OwnGame<'_>, desk: &Desk<'_>, options: &SendOptions) -> Result<bool, Trouble> {
    let office = game.office;
    let to = match addresses(game, desk, options) {
        Ok((_, _, _, to)) => to,
        Err(trouble) => {
            office.tell(Notice::Failed(trouble));
            return Ok(false);
        }
    };
    let Some(id) = id_of(desk, options) else { return Ok(false) };
    let mut ledger = game.sending()?;
    if ledger.standing(&to, &id) == Delivery::Owed {
        ledger.sending(desk.opened.table.standing().entries, &to, &id, office.date())?;
    }
    Ok(true)
}

/// Returns whether it is unknown if the letter of a record was sent: an earlier run was interrupted, or its server did
/// not answer.
///
/// # Errors
/// If the notes cannot be read.
pub fn is_unsure(game: &OwnGame<'_>, desk: &Desk<'_>) -> Result<bool, Trouble> {
    is_unsure_of(game, desk, &SendOptions::by_itself(false))
}

/// Like [`is_unsure`], for a letter of any kind.
///
/// # Errors
/// Those of [`is_unsure`].
pub(crate) fn is_unsure_of(game: &OwnGame<'_>, desk: &Desk<'_>, options: &SendOptions) -> Result<bool, Trouble> {
    let notes = game.sent()?;
    let id = id_of(desk, options);
    Ok(notes.iter().any(|note| Some(&note.message_id) == id.as_ref() && note.state == State::Sending))
}

/// Returns whether it is certain that a letter of this kind was sent.
///
/// # Errors
/// Those of [`is_unsure`].
pub(crate) fn is_sent_of(game: &OwnGame<'_>, desk: &Desk<'_>, options: &SendOptions) -> Result<bool, Trouble> {
    let notes = game.sent()?;
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
pub fn is_owed(game: &OwnGame<'_>, desk: &Desk<'_>) -> bool {
    let options = SendOptions { page: Some(AttachedPage::Never), ..SendOptions::by_itself(false) };
    // Whatever it would say of dice, it is the same letter, and none is made up here.
    let Ok(message) = letter(game, desk, &options, (false, None)) else { return false };
    let notes = game.sent().unwrap_or_default();
    !notes.iter().any(|note| note.message_id == message.message_id())
}

/// Returns the Message-ID of the letter about a record's last entry, whoever sent it.
pub fn newest_id(desk: &Desk<'_>) -> Option<String> {
    let entry = desk.opened.table.standing().entries;
    Some(message_id(&desk.opened.header.id, entry, desk.digests.last()?))
}

/// Returns the sides of a letter, sender and recipient: nobody writes to themselves, or in the other's name. If it is
/// not known which side is the player's, the last entry is assumed to be the player's.
///
/// # Errors
/// If the last entry is the opponent's and the next one is the player's, so that there is nothing to send.
fn parties(game: &OwnGame<'_>, desk: &Desk<'_>, options: &SendOptions) -> Result<(Side, Side), Trouble> {
    let standing = desk.opened.table.standing();
    let due = standing.due.side;
    let last = desk.last().map(|(side, _)| side);
    if !options.made && options.sender.is_none() && game.looks_on()? {
        return Err(Trouble::of("you play neither side of this game, and nothing is sent in a player's name"));
    }
    let own = match options.sender {
        None if options.made => last,
        None => game.side(&desk.opened).or(last),
        sender => sender,
    };
    let sender = own.unwrap_or(due.other());
    let answers = options.brings == Brings::Entry;
    if answers && last.is_some_and(|last| last != sender) && due == sender && standing.outcome.is_none() {
        let number = standing.entries.saturating_add(1);
        let message =
            format!("it is your turn: the newest entry is your opponent's, and entry {number} is yours to make");
        return Err(Trouble::of(message).advise(advice![Act::MoveAndSend, " makes it and sends it"]));
    }
    if answers && last.is_none() && standing.outcome.is_none() && game.was_invited() {
        // The other side has sent it: it would come back as an invitation of somebody else's.
        let message = "you were invited to this game, and it has no entry yet, so there is nothing to send";
        return Err(match (due == sender, desk.opened.header.info.sides[due.index()]) {
            (true, _) => Trouble::of(message).advise(advice![
                "entry 1 is yours to make; ",
                Act::MoveAndSend,
                " makes it and sends it"
            ]),
            (false, other) => {
                Trouble::of(message).advise(format!("entry 1 is to be made by {}; it comes by mail", other.named()))
            }
        });
    }
    Ok((sender, sender.other()))
}

/// Returns the sender and recipient of a letter, and their addresses.
///
/// # Errors
/// If there is nothing to send, or an address is missing.
fn addresses(
    game: &OwnGame<'_>,
    desk: &Desk<'_>,
    options: &SendOptions,
) -> Result<(Side, Side, String, String), Trouble> {
    let (office, header) = (game.office, &desk.opened.header);
    let settings = office.settings()?;
    let (sender, recipient) = parties(game, desk, options)?;
    let named = |side: Side| header.info.sides[side.index()].named();
    let address = |side: Side| header.player(side).email.as_deref();
    let theirs = party(office, header, recipient)?.map(|(_, address)| address);
    if matches!(settings.mail, MailSettings::Git(_)) {
        // This needs no address, but the notes of sent letters require a name.
        let from = address(sender).or(settings.email.as_deref()).unwrap_or_default();
        return Ok((sender, recipient, from.to_owned(), theirs.unwrap_or_else(|| "git".to_owned())));
    }
    let to = options.to.clone().or(theirs).ok_or_else(|| {
        Trouble::of(format!("the header has no mail address for {}", named(recipient)))
            .advise(advice!["give one with ", Insist::To])
    })?;
    let from = address(sender).or(settings.email.as_deref()).ok_or_else(|| {
        Trouble::of(format!("the header has no mail address for {}", named(sender)))
            .advise("set `email:` in settings.yaml; examples/settings.yaml explains every key")
    })?;
    Ok((sender, recipient, from.to_owned(), to))
}

/// Writes the letter about a record; `throws` says whether it may fix a throw, `token` is the one that it brings, if that is known.
fn letter<'a>(
    game: &OwnGame<'_>,
    desk: &Desk<'a>,
    options: &SendOptions,
    (throws, token): (bool, Option<String>),
) -> Result<Message<'a>, Trouble> {
    let office = game.office;
    let settings = office.settings()?;
    let opened = &desk.opened;
    let header = &opened.header;
    let entry = opened.table.standing().entries;
    let source = opened.text.as_bytes();
    let last = desk.last();
    let (sender, recipient, from, to) = addresses(game, desk, options)?;
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
    let is_invitation = options.brings == Brings::Entry && invites(game, opened, entry, sender);
    let thread = match begin < entry {
        true => Some(format!("Re: {}", thread_subject(game, opened, begin, sender))),
        false => is_invitation.then(|| thread_subject(game, opened, entry, sender)),
    };
    let (token, answers) = seats(office, desk, sender, token)?;
    let statements = statements::carried(office)?;
    let style = options.letter.unwrap_or(settings.letter);
    let is_block = style == Style::Block && options.brings == Brings::Entry;
    // Whoever may have nothing of the game yet gets the record itself.
    let block = if is_block { block(desk, recipient).filter(|block| !block.begins()) } else { None };
    let block = block.map(|block| block.text());
    let has_page = block.is_none() && has_page(game, desk, (settings, options), sender);
    let page = has_page.then(|| office.page(source, recipient)).flatten();
    let is_answered = options.brings == Brings::Entry && settings.plain_replies != PlainReplies::Off;
    let throws = throws && is_answered && opened.table.standing().due.side == recipient;
    let dice = if throws { crate::secrets::dice::fixed(office, desk)? } else { None };
    let contents = (style, options, page.is_some(), block.as_deref(), dice.as_deref());
    let words = words(desk, (from, recipient, is_invitation), contents, settings, &digest);
    let addressee = party(office, header, recipient)?.map_or(&*header.player(recipient).name, |(name, _)| name);
    let letter = Letter {
        from: Party { name: &header.player(sender).name, address: from },
        to: Party { name: addressee, address: to },
        game: &header.id,
        entry,
        thread: thread.as_deref(),
        side: if options.brings == Brings::Entry { side } else { word(sender) },
        actions,
        digest,
        earlier: &earlier,
        date: office.date(),
        text: &words.text,
        html: words.html.as_ref(),
        record: source,
        attached: block.is_none(),
        page: page.as_deref(),
        auto: options.auto,
        seat: Seat { token: token.as_deref(), answers: &answers, statements: &statements },
    };
    Ok(match options.brings {
        Brings::Entry => letter.build(),
        Brings::Secrets => letter.build_secrets(),
        Brings::Receipt => letter.build_receipt(),
    }?)
}

/// Returns whether the letters of a side bring a token: the side signs, and its opponent may still declare any key with a first entry.
fn brings_seat(opened: &Opened<'_>, sender: Side) -> bool {
    let Some(signatures) = opened.table.signatures() else { return false };
    let other = sender.other();
    let made = opened.table.standing().made.get(other.index()).copied();
    signatures.key(sender).is_some() && signatures.own_key(other).is_none() && made == Some(0)
}

/// The token that a letter brings, and those that it sends back: with a side's first entry, until the opponent has answered it.
fn seats(
    office: &Office<'_>,
    desk: &Desk<'_>,
    sender: Side,
    token: Option<String>,
) -> Result<(Option<String>, Vec<String>), Trouble> {
    let (opened, notes) = (&desk.opened, Seats::new(office.folders()));
    let failed = |error| Trouble::of(format!("{}: {error}", office.folders().seats().display()));
    let token = match token {
        None if brings_seat(opened, sender) => notes.issued(&opened.header.id).map_err(failed)?,
        token => token,
    };
    let begins = opened.table.standing().made.get(sender.index()) == Some(&1);
    let answers = if begins { notes.received(&opened.header.id).map_err(failed)? } else { Vec::new() };
    Ok((token, answers))
}

/// The side and the actions of an entry; empty where there is none.
fn said_in<'a>(opened: &Opened<'a>, entry: u32) -> (&'a str, &'a str) {
    let mut body = opened.body();
    let line = std::iter::from_fn(|| body.next_item()).find_map(|item| match item {
        Item::Entry(one) if one.number == u64::from(entry) => {
            Some((one.number_and_side(opened.text).1.text(opened.text), one.actions.text(opened.text)))
        }
        _ => None,
    });
    line.unwrap_or_default()
}

/// Whether the letter of a side about an entry invites its opponent: the game begins with it, and it was not the opponent who invited.
fn invites(game: &OwnGame<'_>, opened: &Opened<'_>, entry: u32, sender: Side) -> bool {
    let word = opened.header.info.sides[sender.index()].word;
    let begins = entry == 0 || entry == 1 && said_in(opened, entry).0 == word;
    begins && opened.header.host.is_none() && !game.was_invited()
}

/// The subject of a thread that began with the letter of a side about an entry.
fn thread_subject(game: &OwnGame<'_>, opened: &Opened<'_>, entry: u32, sender: Side) -> String {
    let header = &opened.header;
    if invites(game, opened, entry, sender) {
        return invitation(&header.player(sender).name, header.info.title, &header.id, entry);
    }
    let (side, actions) = said_in(opened, entry);
    subject(&header.id, entry, side, actions)
}

/// Returns what is new to the recipient, as a block of text: entries (B1), or the whole game before the recipient has made an entry of its
/// own (B8).
#[must_use]
pub fn block(desk: &Desk<'_>, recipient: Side) -> Option<Block> {
    // What came by a letter without a record is in no record of the recipient's.
    let from_letters = incoming::from_letters(&desk.opened);
    Block::new_to(desk, recipient, |number| from_letters.contains_key(&number))
}

/// Whether a letter brings the game as a page.
fn has_page(game: &OwnGame<'_>, desk: &Desk<'_>, (settings, options): (&Settings, &SendOptions), sender: Side) -> bool {
    match options.page.unwrap_or(settings.page) {
        AttachedPage::Never => false,
        AttachedPage::Always => true,
        // The opponent knows nothing of the game before it: there is no entry, or the first one is the sender's, and it was not the
        // opponent who began the game.
        AttachedPage::First => {
            let entries = desk.opened.table.standing().entries;
            let begins = entries == 0 || (entries == 1 && desk.last().is_some_and(|(side, _)| side == sender));
            begins && !game.was_invited()
        }
    }
}

/// Returns the lines of the letter about the newest position to a side, as far as they do not depend on who sends it.
#[must_use]
pub fn lines_to(desk: &Desk<'_>, to: Side, settings: &Settings) -> Vec<String> {
    let digest = desk.digests.last().copied().unwrap_or_default();
    let words =
        words(desk, ("", to, false), (Style::Text, &SendOptions::default(), false, None, None), settings, &digest);
    words.text.lines().map(str::to_owned).collect()
}

/// The text of a letter.
fn words(
    desk: &Desk<'_>,
    (from, to, invites): (&str, Side, bool),
    (style, options, page, block, dice): (Style, &SendOptions, bool, Option<&str>, Option<&str>),
    settings: &Settings,
    digest: &Digest,
) -> Words {
    let opened = &desk.opened;
    let standing = opened.table.standing();
    let entries = standing.entries;
    let choices = if standing.due.side == to { Choices::of(opened) } else { Choices::default() };
    let choices = match dice.and(opened.table.open_throw()) {
        Some((word, _)) => choices.leaving_throws(word),
        None => choices,
    };
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
        invites,
        page_at: options.page_at.as_deref(),
        style,
        plain: settings.plain_replies != PlainReplies::Off,
        brings: options.brings,
        page,
        block,
        word: options.word.as_deref(),
        choices,
        reply_to: from,
        message_id: &message_id,
        digest: &hash,
        hosting: None,
        dice,
    };
    occasion.words(&Letter::content_id(&opened.header.id, entries, digest))
}
