//! Invitations: accepted into the games, or declined.

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::entry::own;
use crate::invite::kept::{Answered, InvitationError, Invitations};
use crate::keys::statements;
use crate::keys::trust;
use crate::keys::trust::KeyStanding;
use crate::office::{Notice, Office, Trouble};
use crate::overview::shelf::Shelf;
use crate::own_game::OwnGame;
use crate::receive::arrivals::Arrivals;
use crate::receive::decision::{Arrival, lacks, newest};
use crate::send::letters;
use crate::{known, records};
use postrider_board::render::sheet::in_brief;
use postrider_disk::disk::FileError;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Advice;
use postrider_kernel::advice::{Act, Again, Insist};
use postrider_kernel::text::printable;
use postrider_mail::{Draft, Message, Party, declined};
use postrider_referee::record::{Item, Player};
use postrider_referee::verdict::Opened;
use postrider_vault::journal::Journal;

/// How an invitation is to be accepted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The player's side, or [`own::NOBODY`], if the player has said so.
    pub side: Option<&'a str>,
    /// Whether it is accepted although a key is another than it should be.
    pub despite_key: bool,
    /// Whether it is accepted although it has entries of the player's own side.
    pub despite_entries: bool,
}

/// A game that was accepted.
#[derive(Debug)]
pub struct Accepted {
    pub record: Vec<u8>,
    /// The player's side; none for a spectator.
    pub own: Option<Side>,
    /// The keys that it declares, by side.
    pub keys: [Option<Declared>; 2],
}

/// A key that a record declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub fingerprint: String,
    /// How far it is trusted: `own`, `new`, `trusted`, `pinned`, `former` or `another`.
    pub standing: &'static str,
}

/// A finding about the keys of a record before it is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding<'a> {
    /// A side declares a key, and what it is.
    Key(&'static str, Declared, Advice),
    /// A side declares none, although this player has signed with this key.
    None(&'static str, &'a str, &'a str),
}

/// Why an invitation was not found or kept, with what helps.
#[must_use]
pub fn failed(error: &InvitationError) -> Trouble {
    let trouble = Trouble::of(error.to_string());
    match error {
        InvitationError::GameId | InvitationError::None(_) => trouble.advise(advice![Act::Invitations, " lists them"]),
        InvitationError::File(FileError::Exists { .. }) => {
            trouble.advise(advice!["choose another name with ", Insist::Output])
        }
        _ => trouble,
    }
}

/// Accepts an invitation: its record becomes one of the player's games, in the file `to`. `found` hears of each declared key before
/// anything is done.
///
/// # Errors
/// Why it was not accepted.
pub fn accept(
    office: &Office<'_>,
    id: &str,
    to: &Path,
    options: &Options<'_>,
    found: &mut dyn FnMut(&Finding<'_>),
) -> Result<Accepted, Trouble> {
    let (settings, store) = (office.settings()?, Invitations::new(office.folders()));
    // The id was typed by the user, and becomes a file name only after it is validated.
    let is_waiting = store.standing(id).map_err(|error| failed(&error))? != Answered::Unknown;
    let there = Shelf::of(&settings.games_folder(), office.folders());
    let files = there.files(id)?;
    // An earlier run may have been interrupted behind this; or the player asks twice.
    if let Some(path) = files.iter().find(|path| **path != to || !is_waiting) {
        let path = path.to_string_lossy().into_owned();
        let what = format!("{id} is one of your games already, in {}", printable(&path));
        return Err(Trouble::of(what).advise(advice![
            Act::Show(path.clone()),
            " shows it, and ",
            Act::Move(path, None),
            " makes your entry"
        ]));
    }
    let record = store.record_to_accept(id).map_err(|error| failed(&error))?;
    let opened = records::replayed(&record, id)?;
    // With a different header, the id belongs to another game.
    if let Some(what) = leftover(office, &opened, &record)? {
        return Err(Trouble::of(format!("{id} is the id of another game: {what}")).advise(
            "a secret, a journal and notes serve one game only: ask your opponent for a record with an id of its own",
        ));
    }
    let game = &OwnGame::new(office, id);
    let own = match options.side {
        Some(own::NOBODY) => None,
        Some(word) => Some(own::named(&opened, word)?),
        None => match game.find(&opened)? {
            Some(side) => Some(side),
            None => {
                let [first, second] = opened.header.info.sides.map(|side| side.word);
                return Err(Trouble::of("your side of this game is not known").advise(advice![
                    Act::Accept(id.to_owned(), Some(first)),
                    " or ",
                    Insist::As(second),
                    "; `email:` in settings.yaml settles it for all games"
                ]));
            }
        },
    };
    for lack in lacks(&opened, own) {
        office.tell(Notice::note(format!("note: {lack}")));
    }
    let keys = check_keys(office, &opened, own, options.despite_key, found)?;
    if let Some(own) = own.filter(|_| !options.despite_entries) {
        check_entries(office, &opened, own, id)?;
    }
    // Before the record is placed among the games; otherwise no letter could be accepted for it.
    let word = own.map_or(own::NOBODY, |own| opened.header.info.sides[own.index()].word);
    game.note(|sides| {
        sides.own = Some(word.to_owned());
        sides.invited = true;
    })?;
    store.accept(id, to).map_err(|error| failed(&error))?;
    known::remember(game, &record, to);
    note_arrival(office, &opened, own)?;
    if let Some(own) = own {
        trust::pin(office, &opened, own);
    }
    drop(opened);
    Ok(Accepted { record, own, keys })
}

/// Calls off a game of the player's that has no entry yet, begun or accepted here: its record is kept as that of a declined invitation,
/// which may still be accepted. Returns the record; `None` if there is no such game.
///
/// # Errors
/// If it has entries, or is kept by a host, or the record cannot be read or moved.
pub fn call_off(office: &Office<'_>, id: &str) -> Result<Option<Vec<u8>>, Trouble> {
    let (settings, store) = (office.settings()?, Invitations::new(office.folders()));
    if store.standing(id).map_err(|error| failed(&error))? == Answered::Waiting {
        return Ok(None);
    }
    let shelf = Shelf::of(&settings.games_folder(), office.folders());
    let file = match shelf.files(id)? {
        [] => return Ok(None),
        [file] => file,
        [first, ..] => {
            return Err(Trouble::of(format!(
                "there are several records of {id}, one of them {}: it is not known which is called off",
                printable(&first.to_string_lossy())
            )));
        }
    };
    let lock = records::lock(office, file)?;
    let record = lock.read().map_err(Trouble::File)?;
    let desk = records::legal(&record, id)?;
    if desk.opened.header.host.is_some() {
        return Err(Trouble::of(format!("{id} is kept by a host, to whom you answer by a letter")));
    }
    if desk.opened.table.standing().entries > 0 {
        return Err(Trouble::of(format!("{id} has entries, so it can no longer be called off"))
            .advise(advice![Act::Move(id.to_owned(), Some(Again::of("resign"))), " gives it up"]));
    }
    // It is safe there before it goes here.
    store.keep_declined(id, &record).map_err(|error| failed(&error))?;
    office.disk().remove(file).map_err(Trouble::File)?;
    drop(lock);
    drop(desk);
    Ok(Some(record))
}

/// Tells each key and how far it is trusted, and refuses keys that differ from the known ones.
fn check_keys(
    office: &Office<'_>,
    opened: &Opened<'_>,
    own: Option<Side>,
    despite: bool,
    found: &mut dyn FnMut(&Finding<'_>),
) -> Result<[Option<Declared>; 2], Trouble> {
    let mut declared = [None, None];
    let (trusted, statements) = (office.trusted(), office.statements());
    let mine = office.keyring().own().ok().flatten().map(|key| key.public());
    for side in Side::BOTH {
        let word = opened.header.info.sides[side.index()].word;
        let player = opened.header.player(side);
        let Some(key) = trust::key_of(opened, side) else {
            if let Some(known) = trust::expected(player, &trusted).filter(|_| own != Some(side)) {
                found(&Finding::None(word, &known.who, &known.fingerprint));
            }
            continue;
        };
        let player = &trust::signer(&opened.header, side, &key);
        let by_host = trust::by_host(&opened.header, Some(&key));
        let (standing, words) = match trust::key_standing(player, &key, &trusted) {
            _ if Some(key) == mine => ("own", Advice::from("your own")),
            KeyStanding::New => ("new", advice!["new to you, and noted: ", Act::TrustAKey, " confirms it"]),
            KeyStanding::Trusted => ("trusted", "trusted".into()),
            KeyStanding::Pinned => ("pinned", advice!["the one used before; ", Act::TrustAKey, " confirms it"]),
            KeyStanding::Former(known) => ("former", format!("the one before {}", known.fingerprint).into()),
            KeyStanding::Another(known) => ("another", format!("not {}, the one you know", known.fingerprint).into()),
        };
        let one = Declared { fingerprint: key.fingerprint(), standing };
        found(&Finding::Key(word, one.clone(), words));
        let gone = statements::since(&statements, &one.fingerprint);
        let gone = gone.or_else(|| (standing == "former").then(|| "which another one has taken the place of".into()));
        if let Some(gone) = gone.filter(|_| !despite) {
            return Err(Trouble::of(format!("{} the key {}, {gone}", declares(opened, side), one.fingerprint)).advise(
                advice![
                    "ask by some way other than mail for a game with the key that counts; ",
                    Insist::DespiteKey,
                    " accepts this one"
                ],
            ));
        }
        if let Some(place) = declared.get_mut(side.index()) {
            *place = Some(one);
        }
        if own == Some(side) && Some(key) != mine && !by_host && !despite {
            return Err(Trouble::of(format!("the record declares a key for your own side, {word}, that is not yours"))
                .advise(
                    "without that key you cannot make an entry: ask for a record that declares your key, or none",
                ));
        }
    }
    trust::guard(office, opened, despite)?;
    Ok(declared)
}

/// A side, and that it declares what follows.
fn declares(opened: &Opened<'_>, side: Side) -> String {
    let side = opened.header.info.sides[side.index()];
    format!("{} {}", side.named(), side.verb("declare", "declares"))
}

/// Notes that the newest entry is here since now: before, the game was not the player's, whose clock cannot have run.
fn note_arrival(office: &Office<'_>, opened: &Opened<'_>, own: Option<Side>) -> Result<(), Trouble> {
    let Some((side, line)) = newest(opened).filter(|_| opened.header.clock.is_some()) else { return Ok(()) };
    if own != Some(side.other()) {
        return Ok(());
    }
    let (entry, read) = (opened.table.standing().entries, office.now());
    let arrival = Arrival { entry, read, server: None, without: None };
    let noted = Arrivals::new(office.folders()).note(&opened.header.id, &line, &arrival);
    noted.map_err(Trouble::File)
}

/// Finds data under a game's id that belongs to a game with a different header.
fn leftover(office: &Office<'_>, opened: &Opened<'_>, record: &[u8]) -> Result<Option<String>, Trouble> {
    let id = &*opened.header.id;
    if let Some(rewritten) = known::rewritten(office, id, record)? {
        return Ok(Some(format!("this is not the record of it that was known here: {}", rewritten.what)));
    }
    let game = opened.game_hash();
    let secrets = office.secrets();
    let journal = Journal::new(office.folders());
    for side in opened.header.info.sides {
        match secrets.belongs(id, side.word, &game)? {
            None | Some(true) => {}
            Some(false) => return Ok(Some(format!("a secret of {} is in the key store", side.named()))),
        }
        match journal.belongs(id, side.word, &game)? {
            None | Some(true) => {}
            Some(false) => return Ok(Some(format!("entries of {} were signed in it", side.named()))),
        }
    }
    Ok(None)
}

/// Refuses a record with entries of the player's own side that the player's key has not signed: the opponent may have
/// invented them.
fn check_entries(office: &Office<'_>, opened: &Opened<'_>, own: Side, id: &str) -> Result<(), Trouble> {
    let mine = office.keyring().own().ok().flatten().map(|key| key.public());
    if mine.is_some() && trust::key_of(opened, own) == mine {
        return Ok(());
    }
    let mut body = opened.body();
    let found = std::iter::from_fn(|| body.next_item()).find_map(|item| match item {
        Item::Entry(entry) if entry.side == own => Some(in_brief(&printable(entry.span.text(opened.text)))),
        _ => None,
    });
    match found {
        None => Ok(()),
        Some(line) => Err(Trouble::of(format!("it holds entries of your own side: {line}"))
            .advise(advice!["if you made them, on another machine: ", Act::AcceptEntries(id.to_owned())])),
    }
}

/// Returns a player with the mail address from the header, which distinguishes a stranger from an opponent of the same
/// name.
#[must_use]
pub fn player(player: &Player<'_>) -> String {
    let name = printable(&player.name);
    player.email.as_deref().map_or_else(|| name.clone().into_owned(), |email| format!("{name} <{}>", printable(email)))
}

/// A letter that declines an invitation.
#[derive(Debug)]
pub struct NoThanks {
    id: String,
    from: (String, String),
    name: String,
    /// The address that it goes to.
    pub to: String,
    about: Option<String>,
    entries: u32,
    text: String,
}

impl NoThanks {
    /// Returns the letter about the invitation with this record, with a message to the opponent. `None` if the recipient or the player's
    /// side is not known.
    #[must_use]
    pub fn of(office: &Office<'_>, record: &[u8], id: &str, word: Option<&str>) -> Option<Self> {
        let settings = office.settings().ok()?;
        let desk = records::on_desk(record, id).ok()?;
        let opened = &desk.opened;
        let own = OwnGame::new(office, id).find(opened).ok().flatten()?;
        let (me, other) = (opened.header.player(own), opened.header.player(own.other()));
        let address = me.email.as_deref().or(settings.email.as_deref())?;
        let word = word.map(|text| format!("{}\n\n", printable(text))).unwrap_or_default();
        Some(Self {
            id: id.to_owned(),
            from: (me.name.to_string(), address.to_owned()),
            name: other.name.to_string(),
            to: other.email.as_deref()?.to_owned(),
            about: letters::newest_id(&desk),
            entries: opened.table.standing().entries,
            // The first line is what the other program understands.
            text: format!(
                "No thanks, I do not want to play.\n\n{word}(This is about the game of {} with the id {id}.)\n",
                opened.header.info.title
            ),
        })
    }

    /// The letter, as of this time.
    ///
    /// # Errors
    /// If an address is none.
    pub fn message(&self, when: DateTime<Utc>) -> Result<Message<'static>, Trouble> {
        let subject = format!("Re: [pbem] {} #{}", self.id, self.entries);
        let draft = Draft {
            from: Party { name: &self.from.0, address: &self.from.1 },
            to: Party { name: &self.name, address: &self.to },
            subject: &subject,
            answers: self.about.as_deref(),
            thread: None,
            when,
            text: &self.text,
            html: None,
            cid: "",
        };
        Ok(declined(&draft, &self.id, self.entries)?)
    }
}
