//! Beginning a game: its record, written among the player's games.

use std::path::{Path, PathBuf};

use crate::hosting;
use crate::keys::statements;
use crate::office::{Notice, Office, Trouble};
use crate::own_game::OwnGame;
use postrider_disk::disk::{FileError, FolderMode, Mode};
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Insist};
use postrider_kernel::text::{is_forbidden, printable};
use postrider_kernel::{Info, OptionFault, Options, SetupFault};
use postrider_mail::address::parse_address;
use postrider_referee::desk::begin::{Beginning, begin};
use postrider_referee::record::{Clock, is_game_id};
use postrider_referee::registry::AnyGame;
use postrider_referee::sealing::PublicKey;
use postrider_referee::verdict;
use postrider_referee::verdict::{Opened, Ruling};
use postrider_vault::backup::restored::Restored;

/// A name, and the mail address.
pub type Player = (String, Option<String>);

/// How a game is to be.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    /// Rule options, each `name=value`.
    pub options: &'a [String],
    /// The position to start from.
    pub setup: Option<&'a str>,
    /// Header fields that only this game has, as lines of YAML.
    pub own_fields: String,
    /// The time control; `none` for no clock.
    pub clock: Option<&'a str>,
    /// Whether the opponent has only a mail program.
    pub by_mail: bool,
    /// Whether a game with hidden or random parts is played openly.
    pub open: bool,
    /// The keys that are declared, if the player has named them.
    pub keys: [Option<PublicKey>; 2],
    /// Whether no key is declared.
    pub unsigned: bool,
    /// Whether this home is the game's host (Z38): no side is its own, and the players' addresses are left out of the record.
    pub hosted: bool,
    pub title: Option<&'a str>,
    /// The game's id; made up by default.
    pub id: Option<&'a str>,
}

/// Where a new record goes.
#[derive(Clone, Copy, Debug)]
pub enum To<'a> {
    /// Among the player's games, under its id.
    Games,
    /// Into this file, which must not exist yet.
    File(&'a Path),
    /// Nowhere: it is only wanted as text.
    Nowhere,
}

/// A record that was begun.
#[derive(Debug)]
pub struct Begun {
    /// The record.
    pub text: String,
    /// Its file, if it was written.
    pub path: Option<PathBuf>,
}

/// Begins a record for these players, in the order of the sides.
///
/// # Errors
/// What does not fit, or if it cannot be written.
pub fn game(
    office: &Office<'_>,
    game: &dyn AnyGame,
    wanted: &Wanted<'_>,
    players: &[Player; 2],
    to: To<'_>,
) -> Result<Begun, Trouble> {
    let info = game.info();
    let mut options = read_options(info, wanted.options)?;
    if wanted.open && !wanted.by_mail && !info.sealable {
        return Err(Trouble::of(format!("nothing is hidden or random in {}: it is always open", info.title))
            .advise(advice!["leave out ", Insist::Open]));
    }
    let open = wanted.open || wanted.by_mail && info.sealable;
    let sealed = info.sealable && !open;
    for (name, value) in info.sealed_options.iter().filter(|_| sealed) {
        if !options.iter().any(|(chosen, _)| chosen == *name) {
            // It is an option of the game with one of its values, so this succeeds.
            let _ = options.choose(info.options, name, value);
        }
    }
    if open && wanted.setup.is_none() {
        fits_open_play(game, &options)?;
    }
    let setup = match wanted.setup {
        // With cards or areas other than the default ones, it is judged as part of the record.
        Some(text) if !wanted.own_fields.is_empty() => Some(checked("position", text)?.replace(['"', '\\'], "?")),
        Some(text) => Some(read_setup(game, &options, text, sealed)?),
        None => None,
    };
    let started = office.now().utc().map(|time| time.format("%Y-%m-%d").to_string()).unwrap_or_default();
    let id = match wanted.id {
        Some(id) if is_game_id(id) => id.to_owned(),
        Some(id) => {
            return Err(Trouble::of(format!(
                "`{id}` cannot be an id: an id is 8 to 64 characters of a-z, 0-9 and `-`"
            )));
        }
        None => format!("{}-{}-{}", info.name, started.replace('-', ""), random_word(office)?),
    };
    let declared = declared(office, wanted, players)?;
    let title = wanted.title.map(|title| checked("title", title)).transpose()?;
    // A player who refuses to open a seal must run out of time (Z9).
    let clock = wanted.clock.or(sealed.then_some("10d")).filter(|clock| *clock != "none");
    if let Some(clock) = clock {
        Clock::read(clock).map_err(|misfit| {
            let (at, expected) = (misfit.offset + 1, misfit.expected);
            Trouble::of(format!("`--clock {clock}` does not fit at character {at}: expected {expected}")).advise(
                "a clock is 5d, 50d/10 or 30d+1d, followed by ` leave 30d` if leave is granted, and ` forced 2d` if a forced answer has less time",
            )
        })?;
    }
    let host = if wanted.hosted { Some(hosting::of_new_game(office)?) } else { None };
    let [first, second] = players;
    let [first_key, second_key] = declared;
    let party = |(name, email): &'_ Player, key: Option<PublicKey>| {
        // Players of a hosted game need not know each other's address, and whoever gets the record knows what is in it.
        (name.clone(), email.clone().filter(|_| !wanted.hosted), key.map(|key| key.text()))
    };
    let ((one, one_email, one_key), (two, two_email, two_key)) = (party(first, first_key), party(second, second_key));
    let text = begin(&Beginning {
        info,
        id: &id,
        players: [(&one, one_email.as_deref(), one_key), (&two, two_email.as_deref(), two_key)],
        started: &started,
        host: host.as_ref().map(|host| (&*host.name, host.email.as_deref(), host.key)),
        title: title.as_deref(),
        clock,
        options: &options,
        setup: setup.as_deref(),
        sealed,
        own_fields: &wanted.own_fields,
    });
    let verdict = verdict::verify(text.as_bytes());
    if verdict.ruling != Ruling::Legal {
        let (record, name) = (text.into_bytes(), "the new record".to_owned());
        return Err(Trouble::Record { record, name, verdict: Box::new(verdict), own: false });
    }
    // Said and never written into the record: readers of the record learn this from its rulebook.
    if let Some(notice) = Opened::new(text.as_bytes()).ok().and_then(|opened| opened.table.notice()) {
        office.tell(Notice::note(format!("note: {notice}")));
    }
    let path = match to {
        To::Nowhere => None,
        To::File(path) => Some(path.to_owned()),
        To::Games => {
            let folder = office.settings()?.games_folder();
            office
                .disk()
                .folder(&folder, FolderMode::Umask)
                .map_err(|error| Trouble::of(format!("{} cannot be written: {error}", folder.display())))?;
            // An id has no characters but letters, digits and `-`.
            Some(folder.join(format!("{id}.pbem")))
        }
    };
    if let Some(path) = &path {
        Restored::new(office.folders()).begins_here(&id).map_err(Trouble::File)?;
        office
            .disk()
            .create(path, text.as_bytes(), Mode::Umask)
            .map_err(|error| there_already(office, path, &id, error))?;
        // Otherwise the first entry would declare the key.
        if (wanted.unsigned || wanted.by_mail)
            && let Err(trouble) = OwnGame::new(office, &id).note(|sides| sides.unsigned = true)
        {
            office.warn(format!("that {id} is played without signatures could not be noted: {trouble}"));
        }
    }
    Ok(Begun { text, path })
}

/// Why a record was not written. If it is there already, as after a run that was interrupted, the next step is to play it.
fn there_already(office: &Office<'_>, path: &Path, id: &str, error: FileError) -> Trouble {
    let is_it = |source: Vec<u8>| Opened::new(&source).is_ok_and(|opened| opened.header.id == id);
    if !matches!(error, FileError::Exists { .. }) || !office.disk().read_record(path).is_ok_and(is_it) {
        return Trouble::File(error);
    }
    let file = path.to_string_lossy().into_owned();
    Trouble::of(format!("{} is there already, and is the record of {id}", printable(&file))).advise(advice![
        Act::Show(file.clone()),
        " shows it, ",
        Act::Send(file),
        " sends it to your opponent; for another game choose another id with ",
        Insist::Id
    ])
}

/// Reads rule options, each `name=value`.
///
/// # Errors
/// What is none of the game's.
pub fn read_options(info: &Info, list: &[String]) -> Result<Options, Trouble> {
    let mut options = Options::default();
    for text in list {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Trouble::of(format!("`--option {text}` is not of the form name=value")));
        };
        options.choose(info.options, name, value).map_err(|fault| match fault {
            OptionFault::Unknown(known) => {
                Trouble::of(format!("{} has no option `{name}`; its options are {known}", info.title))
            }
            OptionFault::Value(values) => Trouble::of(format!("the option `{name}` is {values}, not `{value}`")),
        })?;
    }
    Ok(options)
}

/// Refuses options that need sealed play, for a game that is to be open.
///
/// # Errors
/// If there is one.
pub fn fits_open_play(game: &dyn AnyGame, options: &Options) -> Result<(), Trouble> {
    match game.table(options, None) {
        Err(fault @ SetupFault::Needs { .. }) => {
            Err(Trouble::of(fault.to_string()).advise(advice!["leave out ", Insist::Open]))
        }
        _ => Ok(()),
    }
}

/// Reads the position that a new record is to start from, and spells it as a record does.
///
/// # Errors
/// If it is none of this game.
pub fn read_setup(game: &dyn AnyGame, options: &Options, position: &str, sealed: bool) -> Result<String, Trouble> {
    game.setup(options, position, sealed).map_err(|fault| {
        let trouble = Trouble::of(fault.to_string());
        match fault {
            SetupFault::Needs { .. } => trouble.advise(advice!["leave out ", Insist::Open]),
            _ => trouble.advise(advice![Act::Rules(game.info().name, None), " explains how positions are written"]),
        }
    })
}

/// The keys that the header names: those given, or the player's own if it is known which side that is.
fn declared(
    office: &Office<'_>,
    wanted: &Wanted<'_>,
    players: &[Player; 2],
) -> Result<[Option<PublicKey>; 2], Trouble> {
    let settings = office.settings()?;
    for key in wanted.keys.iter().flatten().map(PublicKey::fingerprint) {
        if let Some(since) = statements::since(&office.statements(), &key) {
            return Err(Trouble::of(format!("the key {key}, {since}: no game declares it any more"))
                .advise("ask its owner by some way other than mail which key comes next"));
        }
    }
    if wanted.unsigned || wanted.by_mail || wanted.hosted || wanted.keys.iter().any(Option::is_some) {
        return Ok(wanted.keys);
    }
    let Some(own) = office.keyring().own()? else {
        return Ok(wanted.keys);
    };
    if !settings.sign {
        return Ok(wanted.keys);
    }
    let fingerprint = own.public().fingerprint();
    if let Some(since) = statements::since(&office.statements(), &fingerprint) {
        return Err(Trouble::of(format!("your key is {fingerprint}, {since}: no game declares it any more"))
            .advise(advice![Act::RotateKey, " makes you another; ", Insist::Unsigned, " declares none"]));
    }
    let is_mine = |(name, email): &Player| match (email, &settings.email) {
        (Some(there), Some(own)) => postrider_mail::address::is_same(there, own),
        _ => settings.name.as_ref() == Some(name),
    };
    Ok(match players.each_ref().map(is_mine) {
        [true, false] => [Some(own.public()), None],
        [false, true] => [None, Some(own.public())],
        _ => wanted.keys,
    })
}

/// Returns a text of a header unless it has control characters.
///
/// # Errors
/// If it has one.
pub fn checked(what: &str, text: &str) -> Result<String, Trouble> {
    if text.chars().any(is_forbidden) {
        return Err(Trouble::of(format!("the {what} holds a control character")));
    }
    Ok(text.to_owned())
}

/// Reads a player, who is written as `Ada Quill <ada@example.org>`, or by name or address alone.
///
/// # Errors
/// If it names nobody, or the address is none.
pub fn player(text: &str) -> Result<Player, Trouble> {
    let text = checked("player", text.trim())?;
    let (name, email) = match text.strip_suffix('>').and_then(|inner| inner.rsplit_once('<')) {
        Some((name, email)) => (name.trim(), Some(email.trim())),
        None if text.contains('@') && !text.contains(char::is_whitespace) => {
            (text.split('@').next().unwrap_or_default(), Some(text.as_str()))
        }
        None => (text.as_str(), None),
    };
    // Of an address in brackets alone the beginning is the name, as of one without them.
    let name = if name.is_empty() { email.and_then(|email| email.split('@').next()).unwrap_or_default() } else { name };
    if name.is_empty() {
        return Err(Trouble::of(format!("`{text}` names nobody"))
            .advise("a player is written as 'Ada Quill <ada@example.org>'"));
    }
    if let Some(email) = email {
        // As strict as for addressing a letter: a game with any other address could never be sent.
        parse_address(email)?;
    }
    Ok((name.to_owned(), email.map(str::to_owned)))
}

/// Six letters and digits that make it unlikely for two games to have the same id.
fn random_word(office: &Office<'_>) -> Result<String, Trouble> {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let bytes: [u8; 6] = office.random().map_err(|error| Trouble::of(error).advise(advice!["give an ", Insist::Id]))?;
    Ok(bytes.iter().filter_map(|byte| LETTERS.get(usize::from(byte % 32))).map(|byte| char::from(*byte)).collect())
}
