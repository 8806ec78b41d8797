//! A game on its way to another machine: one copy with the record, what is known of it, its key, its secret, and the journal of what was
//! signed. At each moment one machine at most signs: the note that it is gone comes before the copy, and where it is taken the note that it
//! is here comes last.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use zeroize::Zeroizing;

use crate::elsewhere::{Elsewhere, NotHere, Passing, Where, theirs};
use crate::invite::kept::{Answered, Invitations};
use crate::keys::signed_newest;
use crate::keys::trust;
use crate::known::copies::KnownGames;
use crate::known::lost::Search;
use crate::office::{Notice, Office, Trouble, name};
use crate::own_game::OwnGame;
use crate::send::letters::Place;
use crate::{hosting, known, records};
use postrider_disk::disk::{Disk, FileError, FolderMode, Mode, RecordLock, Step};
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Insist};
use postrider_kernel::{Side, text::printable};
use postrider_referee::record::{Time, is_game_id};
use postrider_referee::sealing::PublicKey;
use postrider_referee::verdict::{Opened, Relation, compare};
use postrider_vault::backup::restored::Restored;
use postrider_vault::backup::{Copied, HomeCopy, whole};
use postrider_vault::journal::Journal;
use postrider_vault::locked::OwnKey;

/// The folders of the data folder in which a game has files of its own, by its id. What says that something was signed comes first.
const FOLDERS: [&str; 9] =
    ["signed", "known", "sent", "asked-back", "announced", "seats", "arrivals", "secrets", "remembered"];
/// What the player prepared, which is for this record alone.
const CONDITIONS: &str = "conditions";
/// Where the copy says which passing it is.
const NOTE: &str = "data/elsewhere/";
/// Where it has the key.
const KEY: &str = "data/keys/own.pem";
/// What the note ends with in a copy that is not the first one of its passing: another machine may have taken that.
const AGAIN: &str = " again\n";
/// What was prepared, asked or announced in the game: what was withdrawn on the other machine must not come to life again on this one.
const WITHDRAWN: [&str; 3] = [CONDITIONS, "asked-back", "announced"];

/// A game that was taken out of a file.
#[derive(Debug)]
pub struct Came {
    pub id: String,
    /// Its record.
    pub file: PathBuf,
    /// How many entries it has.
    pub entries: u32,
}

/// How far a game that is handed over may lack what was signed elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Doubts {
    /// The player says that nothing was signed elsewhere.
    pub only_here: bool,
    /// What is kept here may be an older copy.
    pub unsure: bool,
}

/// What the player says of a file that a game is taken out of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said {
    /// No other machine has taken the game, out of this file or another.
    pub untaken: bool,
    /// The player has written it, on a machine of the player's own: its key, its secret and its replies may be kept.
    pub despite_key: bool,
}

/// Hands a game over: from now on nothing of it is signed here. Returns all that another machine needs to go on, for a file under a
/// passphrase, and what takes the handing over back if that file is not written; while that is kept, no other run does the same. By the
/// player's word that nothing was signed elsewhere, a game that was handed over already is copied again.
///
/// # Errors
/// Why it is not handed over; then nothing has changed.
pub fn hand_over(office: &Office<'_>, place: Place<'_>, doubts: Doubts) -> Result<(HomeCopy, Before), Trouble> {
    let (lock, source) = records::take(office, place)?;
    let desk = records::legal(&source, place.name)?;
    let opened = &desk.opened;
    let id = opened.header.id.clone().into_owned();
    let game = &OwnGame::new(office, &id);
    if hosting::keeps(office, &opened.header) {
        return Err(Trouble::of(format!("{} is kept by this host, who hands no game over", place.name)));
    }
    let Some(own) = game.find(opened)? else {
        return Err(Trouble::of("your side of this game is not known")
            .advise(crate::entry::own::hint(&opened.header, place.name)));
    };
    let notes = Elsewhere::new(office.folders());
    let before = notes.of(&id)?;
    // What has ended since it was handed over still comes back, with the secret that is then published.
    if let Some(outcome) = opened.table.standing().outcome.filter(|_| !matches!(before, Where::Over(_))) {
        let over = outcome.text(&opened.header.info.sides);
        return Err(Trouble::of(format!("the game is over ({over}): there is nothing to go on with elsewhere")));
    }
    let passing = match &before {
        Where::Coming(_) => {
            return Err(notes.guard(&id).err().map_or_else(|| Trouble::of("it is not here"), Trouble::from));
        }
        Where::Over(_) if !doubts.only_here => return Err(is_over(place.name)),
        // Once more the same file.
        Where::Over(passing) => passing.clone(),
        Where::Here => Passing { number: 1, token: token(office)? },
        Where::Taken(Passing { number, .. }) => Passing { number: number.saturating_add(1), token: token(office)? },
    };
    let mut again = matches!(before, Where::Over(_));
    if !again {
        known::guard(office, opened, &source, place.name, false)?;
        // What cannot be read must not be copied as if it could.
        let _ = (office.keyring().own_keys()?, office.secrets().all()?);
        again = !undoubted(office, opened, own, doubts)?;
        game.note_own(opened.header.info.sides[own.index()].word)?;
    }
    let gone = Where::Over(passing);
    notes.note(&id, &gone).map_err(Trouble::File)?;
    let note = if again { gone.written().replace('\n', AGAIN) } else { gone.written() };
    let before = Before { notes, id, place: before, _lock: lock };
    match collected(office, opened, own, &source, note) {
        Ok(copy) => Ok((copy, before)),
        Err(trouble) => {
            before.back()?;
            Err(trouble)
        }
    }
}

fn is_over(name: &str) -> Trouble {
    Trouble::of(format!(
        "{name} is handed over already: if another machine has taken it, a second file would let two machines sign the same turn"
    ))
    .advise(advice![
        Insist::NowhereElse,
        " says that no machine has taken it, and writes the file once more"
    ])
}

/// Sees to it that a game whose journal may lack what was signed elsewhere is not handed over as if it were whole. Returns whether the journal
/// has the side's newest entry: otherwise the first entry on the other machine asks once more.
fn undoubted(office: &Office<'_>, opened: &Opened<'_>, own: Side, doubts: Doubts) -> Result<bool, Trouble> {
    let (id, word) = (&*opened.header.id, opened.header.info.sides[own.index()].word);
    let restored = Restored::new(office.folders());
    let list =
        restored.read().map_err(|error| Trouble::of(format!("what came from a backup cannot be read: {error}")))?;
    let key = match trust::key_of(opened, own) {
        Some(key) => Some(key),
        None => office.keyring().own()?.map(|key| key.public()),
    };
    let of_key = || {
        let key = key.filter(|_| !Journal::new(office.folders()).knows(id, word))?;
        Some((format!("your key came from elsewhere on {}", list.since_key(&key.fingerprint(), id)?), String::new()))
    };
    let of_game =
        list.since(id).map(|since| (format!("this game came from the backup of {since}"), format!(" since {since}")));
    let newest = signed_newest(opened, own);
    let signed = newest.map(|newest| Journal::new(office.folders()).signed(id, word, newest)).transpose();
    let signed = signed.map_err(|error| Trouble::of(error.to_string()))?.flatten();
    let lacking = newest.filter(|_| signed.is_none());
    let of_journal = || {
        let newest = lacking?;
        Some((
            format!("the journal here does not know your entry {newest} of this game"),
            format!(" since entry {newest}"),
        ))
    };
    let of_store = || {
        let why = "others can write what is kept here, and no letter has shown yet that it is not an older copy";
        doubts.unsure.then(|| (why.to_owned(), String::new()))
    };
    let Some((why, since)) = of_game.or_else(of_key).or_else(of_journal).or_else(of_store) else { return Ok(true) };
    let question = format!("{why}: have you made entries of it elsewhere{since}?");
    if !(doubts.only_here || office.ports.front.denies(&question)) {
        return Err(Trouble::of(format!(
            "it is not handed over: {why}, and you may have made entries of it elsewhere that the file would not have"
        ))
        .advise(advice![Insist::NowhereElse, " says that you have made none"]));
    }
    restored.confirm(id).map_err(Trouble::File)?;
    Ok(lacking.is_none())
}

/// Where a game was before it was handed over.
#[derive(Debug)]
pub struct Before {
    notes: Elsewhere,
    id: String,
    place: Where,
    /// Until the file is there: another run would write one of its own, and this one might still take the handing over back.
    _lock: RecordLock,
}

impl Before {
    /// Takes the handing over back: no file was written, so that nobody else can go on with the game.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub fn back(&self) -> Result<(), Trouble> {
        self.notes.note(&self.id, &self.place).map_err(Trouble::File)
    }
}

fn token(office: &Office<'_>) -> Result<String, Trouble> {
    office.random::<16>().map(|bytes| HEXLOWER.encode(&bytes)).map_err(Trouble::of)
}

/// All files of a game.
fn collected(
    office: &Office<'_>,
    opened: &Opened<'_>,
    own: Side,
    source: &[u8],
    note: String,
) -> Result<HomeCopy, Trouble> {
    let id = &*opened.header.id;
    let disk = office.disk();
    let mut files = vec![
        Copied { path: format!("{NOTE}{id}"), bytes: Zeroizing::new(note.into_bytes()) },
        Copied { path: format!("games/{id}.pbem"), bytes: Zeroizing::new(source.to_vec()) },
    ];
    for folder in FOLDERS.into_iter().chain([CONDITIONS]) {
        let within = office.folders().data.join(folder);
        let failed = |path: &Path, error: io::Error| Trouble::of(format!("{} cannot be read: {error}", name(path)));
        let names = disk.names_in(&within).map_err(|error| failed(&within, error))?;
        for file in names.iter().filter(|file| is_of(id, file) && !file.ends_with(".aside")) {
            let path = within.join(file);
            let bytes = whole(disk, &path).map_err(|error| failed(&path, error))?;
            files.push(Copied { path: format!("data/{folder}/{file}"), bytes });
        }
    }
    let keyring = office.keyring();
    let key = match trust::key_of(opened, own) {
        Some(key) => keyring.own_of(&key)?.map(|_| key),
        None => keyring.own()?.map(|key| key.public()),
    };
    if let Some(key) = key
        && let Some(text) = keyring.text_of(&key)?
    {
        files.push(Copied { path: KEY.to_owned(), bytes: Zeroizing::new(text.as_bytes().to_vec()) });
    }
    if let Some(confirmed) = trust::confirmed(office, opened.header.player(own.other())) {
        let bytes = Zeroizing::new(format!("{confirmed}\n").into_bytes());
        files.push(Copied { path: theirs::CONFIRMED.to_owned(), bytes });
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(HomeCopy { taken: office.now().to_string(), files, is_game: true })
}

/// Whether a file is that of a game, by its name.
fn is_of(id: &str, file: &str) -> bool {
    file.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What a copy of a game has, as it was understood.
struct Carried<'c> {
    id: String,
    passing: Passing,
    /// Whether another file of the same passing was written before.
    again: bool,
    record: &'c Copied,
    key: Option<&'c Copied>,
    /// The fingerprint of the opponent's key that the player has confirmed.
    confirmed: Option<String>,
    /// The others, each with its folder and its name.
    files: Vec<(&'c str, &'c str, &'c Copied)>,
}

impl<'c> Carried<'c> {
    fn of(copy: &'c HomeCopy) -> Option<Self> {
        Time::read(copy.taken.as_bytes())?;
        let (mut passing, mut record, mut key, mut confirmed, mut files) = (None, None, None, None, Vec::new());
        let note = copy.files.iter().find(|file| file.path.starts_with(NOTE))?;
        let id = note.path.strip_prefix(NOTE).filter(|id| is_game_id(id))?.to_owned();
        for file in &copy.files {
            if file.path == note.path {
                let text = std::str::from_utf8(&file.bytes).ok()?;
                let first = text.strip_suffix(AGAIN).map(|first| format!("{first}\n"));
                let Some(Where::Over(read)) = Where::read(first.as_deref().unwrap_or(text)) else { return None };
                passing = Some((read, first.is_some()));
            } else if file.path == format!("games/{id}.pbem") {
                record = Some(file);
            } else if file.path == KEY {
                key = Some(file);
            } else if file.path == theirs::CONFIRMED {
                confirmed = Some(theirs::read(&file.bytes)?);
            } else {
                let (folder, name) = file.path.strip_prefix("data/")?.split_once('/')?;
                let is_known = FOLDERS.contains(&folder) || folder == CONDITIONS;
                if !is_known || !is_of(&id, name) || name.contains('/') {
                    return None;
                }
                files.push((folder, name, file));
            }
        }
        let place = |folder: &str| FOLDERS.iter().position(|one| *one == folder).unwrap_or(FOLDERS.len());
        files.sort_by_key(|(folder, name, _)| (place(folder), *name));
        let (passing, again) = passing?;
        Some(Self { id, passing, again, record: record?, key, confirmed, files })
    }

    /// Sees to it that the newest entry of the player's in a record that goes further is in its journal, if the player signs.
    fn has_signed(&self, further: &[u8], own: Side) -> Result<(), Trouble> {
        let further = records::legal(further, &self.id)?;
        let word = further.opened.header.info.sides[own.index()].word;
        let journal = self.text("signed", &format!("{}.{word}", self.id)).unwrap_or_default();
        let is_in = |newest: u32| journal.lines().any(|line| line.split(' ').next() == Some(&*newest.to_string()));
        let Some(newest) = signed_newest(&further.opened, own).filter(|newest| !is_in(*newest)) else { return Ok(()) };
        Err(Trouble::of(format!(
            "nothing was taken: your entry {newest} of {} was signed on another machine after this file was written, so that one goes on with the game",
            self.id
        ))
        .advise(advice![
            "hand it over there, and take it out of that file; if that machine is lost, ",
            Act::Stay(self.id.clone()),
            " says that nothing was signed there that is not here"
        ]))
    }

    /// The text of one of its files.
    fn text(&self, folder: &str, name: &str) -> Option<&'c str> {
        let (.., copied) =
            self.files.iter().find(|(its_folder, its_name, _)| (*its_folder, *its_name) == (folder, name))?;
        std::str::from_utf8(&copied.bytes).ok()
    }
}

/// Takes a game out of a copy: it goes on here.
///
/// # Errors
/// Why it is not taken. Where something was written before, the same copy goes on from there, and nothing is signed until then.
pub fn take(office: &Office<'_>, copy: &HomeCopy, said: Said) -> Result<Came, Trouble> {
    let damaged = || Trouble::of("the file holds no game that was handed over, or is damaged");
    let carried = Carried::of(copy).ok_or_else(damaged)?;
    let id = &carried.id;
    let desk = records::legal(&carried.record.bytes, id)?;
    let opened = &desk.opened;
    if *opened.header.id != **id || hosting::keeps(office, &opened.header) {
        return Err(damaged());
    }
    let notes = Elsewhere::new(office.folders());
    let before = notes.of(id)?;
    may_come(&before, &carried)?;
    let (own, is_proven) = judged(office, &carried, opened, &before, said.despite_key)?;
    let games = office.settings()?.games_folder();
    let mut search = Search::new(office.folders(), &games);
    let file = search.file(id).unwrap_or_else(|| search.usual(id));
    goes_on(office, &carried, opened, own, &file)?;
    untaken(office, &carried, &copy.taken, &before, said.untaken)?;
    let confirmed =
        carried.confirmed.as_deref().and_then(|key| theirs::Confirmed::of(office, opened, own, key, is_proven));
    for (folder, ..) in &carried.files {
        private(office, folder)?;
    }
    let restored = Restored::new(office.folders());
    let sure = is_sure(&carried, &restored, &copy.taken, &before)?;
    if !sure {
        // Before anything that can sign: another machine may have taken the same file.
        restored.mark(&BTreeSet::from([id.clone()]), &copy.taken).map_err(Trouble::File)?;
    }
    notes.note(id, &Where::Coming(carried.passing.clone())).map_err(Trouble::File)?;
    // From here on nothing is signed. Something may have been, since it was compared.
    if let Err(trouble) = goes_on(office, &carried, opened, own, &file) {
        notes.note(id, &before).map_err(Trouble::File)?;
        return Err(trouble);
    }
    written(office, &carried, opened, &file)?;
    if sure {
        // The journal has come along: nobody needs to be asked what was signed elsewhere.
        restored.confirm(id).map_err(Trouble::File)?;
    }
    if let Some(confirmed) = confirmed {
        confirmed.note(office);
    }
    // If a power cut undoes this, nothing is signed before the same file was taken again.
    records::written(office, notes.note(id, &Where::Taken(carried.passing.clone())))?;
    office.note_signed();
    Ok(Came { id: id.clone(), file, entries: opened.table.standing().entries })
}

/// Goes on here with a game that was handed over or taken, whole or not, or whose note is damaged, because the player says that nothing was
/// signed elsewhere that is not here. The first entry asks once more. Returns whether it was such a game.
///
/// # Errors
/// If that cannot be read or noted.
pub fn stays(office: &Office<'_>, id: &str) -> Result<bool, Trouble> {
    let notes = Elsewhere::new(office.folders());
    let place = match notes.of(id) {
        // The file is not taken a second time.
        Ok(Where::Coming(passing) | Where::Over(passing) | Where::Taken(passing)) => Where::Taken(passing),
        Err(NotHere::Garbled(_)) => Where::Here,
        other => return Ok(other.map(|_| false)?),
    };
    let marked = Restored::new(office.folders()).mark(&BTreeSet::from([id.to_owned()]), &office.now().to_string());
    marked.map_err(Trouble::File)?;
    notes.note(id, &place).map_err(Trouble::File)?;
    Ok(true)
}

/// Whether the player's word that no other machine has taken the game needs no second one at the first entry: the file is the only one of its
/// passing, comes from another machine, and the game is not doubted here since it was written.
fn is_sure(carried: &Carried<'_>, restored: &Restored, taken: &str, before: &Where) -> Result<bool, Trouble> {
    let list =
        restored.read().map_err(|error| Trouble::of(format!("what came from a backup cannot be read: {error}")))?;
    // A doubt from the moment of the file itself was noted when it was begun to be taken.
    let since = list.since(&carried.id).map(|since| Time::read(since.as_bytes()));
    let is_older = since
        .is_none_or(|since| since.zip(Time::read(taken.as_bytes())).is_some_and(|(since, taken)| since.0 < taken.0));
    Ok(!carried.again && !is_back(carried, before) && is_older)
}

/// Whether it is the machine that has written a file which takes it.
fn is_back(carried: &Carried<'_>, before: &Where) -> bool {
    matches!(before, Where::Over(passing) if *passing == carried.passing)
}

/// Sees to it that the player has said that no other machine has taken the game. A file can be copied, and two machines that know nothing of
/// each other would sign one turn twice: nobody but the player can know.
fn untaken(office: &Office<'_>, carried: &Carried<'_>, taken: &str, before: &Where, said: bool) -> Result<(), Trouble> {
    let from = if is_back(carried, before) { " from here" } else { "" };
    let what = format!("{} was handed over{from} on {taken}, and one machine alone may go on with it", carried.id);
    let question =
        format!("{what}: has any other machine taken it since, out of this file, a copy of it, or another file?");
    if said || office.ports.front.denies(&question) {
        return Ok(());
    }
    Err(Trouble::of(format!(
        "nothing was taken: {what}; if another has taken it, out of this file, a copy of it, or another file, both could sign the same turn"
    ))
    .advise(advice![
        "that would prove that you play two games at once; ",
        Insist::Untaken,
        " says that no other machine has taken it"
    ]))
}

/// Sees to it, before anything is written, that what comes is the player's own: whoever makes such a file chooses its key, its secret and its
/// prepared replies. Returns the player's side, and whether nobody else can have written it.
fn judged(
    office: &Office<'_>,
    carried: &Carried<'_>,
    opened: &Opened<'_>,
    before: &Where,
    despite_key: bool,
) -> Result<(Side, bool), Trouble> {
    let id = &*carried.id;
    let key = carried.key.map(key_in).transpose()?;
    let side = |word: &str| Side::BOTH.into_iter().find(|side| opened.header.info.sides[side.index()].word == word);
    let noted = carried.text("known", &format!("{id}.sides"));
    let noted = noted.and_then(|text| text.lines().find_map(|line| side(line.strip_prefix("own ")?)));
    let here = OwnGame::new(office, id).find_in_theirs(opened)?;
    let theirs = || Trouble::of("nothing was taken: the file is not that of your side of the game, or is damaged");
    let own = here.or(noted).filter(|own| noted.is_none_or(|noted| noted == *own)).ok_or_else(theirs)?;
    if let (Some(key), Some(declared)) = (key, trust::key_of(opened, own))
        && key != declared
    {
        return Err(theirs());
    }
    let is_known = key.is_some_and(|key| office.own_keys().is_ok_and(|own| own.contains(&key)));
    // Only this machine, or one that has opened its file, knows the token.
    let is_ours = matches!(before, Where::Over(passing) | Where::Coming(passing) if *passing == carried.passing);
    let is_proven = is_ours || carried.key.zip(key).is_some_and(|(text, key)| proves(office, text, &key));
    if is_proven || despite_key {
        return Ok((own, is_proven));
    }
    let what = match key {
        Some(key) if is_known => {
            format!(
                "the file brings your key {} locked in another way than here, so anybody may have written it",
                key.fingerprint()
            )
        }
        Some(key) => format!("the file brings the key {}, which is not one of yours here", key.fingerprint()),
        None => "the file brings no key of yours, so anybody may have written it".to_owned(),
    };
    let front = office.ports.front;
    if front.can_ask() && front.confirms(&format!("{what}. Take it? Only if you wrote the file, on your other machine"))
    {
        return Ok((own, false));
    }
    Err(Trouble::of(format!("nothing was taken: {what}")).advise(advice![
        "its writer also has that key and the secret, and could sign as you; ",
        Act::ShowKey,
        " on your other machine says which key is yours; ",
        Insist::DespiteKey,
        " takes the file if you wrote it"
    ]))
}

/// Whether only the player can have written a file with this key: it can sign as it stands, or is the very text that is kept here. The public
/// half of a locked key is written beside it, by whoever likes.
fn proves(office: &Office<'_>, copied: &Copied, key: &PublicKey) -> bool {
    let text = std::str::from_utf8(&copied.bytes).unwrap_or_default();
    let here = office.keyring().text_of(key).ok().flatten();
    here.is_some_and(|here| matches!(OwnKey::read(text), Ok(OwnKey::Open(_))) || *here == text)
}

/// The key in a file.
fn key_in(key: &Copied) -> Result<PublicKey, Trouble> {
    let text = std::str::from_utf8(&key.bytes).ok().and_then(|text| OwnKey::read(text).ok());
    Ok(text.ok_or_else(|| Trouble::of("the key in the file is damaged"))?.public())
}

/// Makes one of the private folders, and returns where it is.
fn private(office: &Office<'_>, folder: &str) -> Result<PathBuf, Trouble> {
    let within = office.folders().data.join(folder);
    let io = |source| FileError::Io { step: Step::Create, path: within.clone(), source };
    office.disk().private_folder(&within).map_err(io).map_err(Trouble::File)?;
    Ok(within)
}

/// Whether a game may be taken, by what was noted of its passings.
fn may_come(here: &Where, carried: &Carried<'_>) -> Result<(), Trouble> {
    let (id, came) = (&carried.id, &carried.passing);
    match here {
        Where::Here => Ok(()),
        Where::Coming(before) | Where::Over(before) if before == came => Ok(()),
        Where::Taken(before) if before == came => {
            Err(Trouble::of(format!("{id} was taken out of this file before: it is played here")))
        }
        Where::Taken(before) | Where::Over(before) | Where::Coming(before) if before.number < came.number => Ok(()),
        Where::Taken(_) | Where::Over(_) | Where::Coming(_) => Err(Trouble::of(format!(
            "this file is older than what was handed over or taken here since: {id} went on after it, and what was signed then is not in it"
        ))
        .advise("take it from the newest file")),
    }
}

/// Sees to it that what is here is a beginning of what comes, and that the file has every entry of the player's that has come here since: one
/// that it lacks was signed on a machine that goes on with the game.
fn goes_on(
    office: &Office<'_>,
    carried: &Carried<'_>,
    opened: &Opened<'_>,
    own: Side,
    file: &Path,
) -> Result<(), Trouble> {
    let id = &carried.id;
    let parted = |what: &str| {
        Err(Trouble::of(format!("nothing was taken: {what} of {id} here is another than the one in the file"))
            .advise(advice![Act::Verify(name(file)), " looks at the record here"]))
    };
    for (folder, name, copied) in &carried.files {
        let Some(here) = there(office.disk(), &office.folders().data.join(folder).join(name))? else { continue };
        let fits = match *folder {
            "signed" => copied.bytes.starts_with(&here),
            // The second line binds it to the header, and may have come since.
            "secrets" => here.split(|byte| *byte == b'\n').next() == copied.bytes.split(|byte| *byte == b'\n').next(),
            _ => true,
        };
        if !fits {
            return parted(if *folder == "signed" { "what was signed" } else { "the secret" });
        }
    }
    let known = KnownGames::new(office.folders()).record(id).ok().flatten();
    for bytes in [there(office.disk(), file)?.map(|bytes| bytes.to_vec()), known].into_iter().flatten() {
        let Ok(mut here) = Opened::new(&bytes) else { return parted("the record") };
        match compare(&mut here, opened) {
            Relation::Same | Relation::Newer { .. } => {}
            Relation::Older { .. } => carried.has_signed(&bytes, own)?,
            _ => return parted("the record"),
        }
    }
    Ok(())
}

/// What a file has; nothing if there is none.
fn there(disk: &Disk, path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, Trouble> {
    match whole(disk, path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Trouble::of(format!("{} cannot be read: {error}", name(path)))),
    }
}

/// Writes all that comes: the journal first, the key last.
fn written(office: &Office<'_>, carried: &Carried<'_>, opened: &Opened<'_>, file: &Path) -> Result<(), Trouble> {
    let (id, disk) = (&carried.id, office.disk());
    let game = &OwnGame::new(office, id);
    let at = KnownGames::new(office.folders()).sides(id).ok().and_then(|sides| sides.at);
    let (signed, others): (Vec<_>, Vec<_>) = carried.files.iter().partition(|(folder, ..)| *folder == "signed");
    for (folder, name, copied) in signed {
        journal_written(disk, &private(office, folder)?.join(name), copied)?;
    }
    withdrawn(office, carried)?;
    for (folder, name, copied) in others {
        disk.put_private(&private(office, folder)?.join(name), &copied.bytes).map_err(Trouble::File)?;
    }
    let invitations = Invitations::new(office.folders());
    if invitations.standing(id)? != Answered::Unknown && !disk.has(file).unwrap_or(false) {
        invitations.accept(id, file)?;
    }
    let record = record_written(office, carried, opened, file)?;
    game.note(|sides| sides.at = at.clone())?;
    known::remember(game, &record, file);
    if let Some(key) = carried.key {
        key_written(office, key)?;
    }
    if let Some(own) = game.side(opened) {
        trust::pin(office, opened, own);
    }
    Ok(())
}

/// Writes a journal, which nobody else does meanwhile. One that has gone on here stays.
fn journal_written(disk: &Disk, path: &Path, copied: &Copied) -> Result<(), Trouble> {
    let mut lock = disk.lock_note(path).map_err(Trouble::File)?;
    let here = lock.read().map_err(Trouble::File)?;
    if !copied.bytes.starts_with(&here) {
        return Err(Trouble::of(format!("{} has changed meanwhile: it was not replaced", printable(&name(path)))));
    }
    lock.replace(&here, &copied.bytes).map_err(Trouble::File)
}

/// Removes what is here of the game and was withdrawn on the other machine, which has it no more.
fn withdrawn(office: &Office<'_>, carried: &Carried<'_>) -> Result<(), Trouble> {
    let disk = office.disk();
    for folder in WITHDRAWN {
        let within = office.folders().data.join(folder);
        let failed = |error| Trouble::of(format!("{} cannot be read: {error}", name(&within)));
        let comes = |file: &str| carried.files.iter().any(|(its, name, _)| (*its, *name) == (folder, file));
        let names = disk.names_in(&within).map_err(failed)?;
        for file in names.iter().filter(|file| is_of(&carried.id, file) && !comes(file)) {
            disk.remove(&within.join(file)).map_err(Trouble::File)?;
        }
    }
    Ok(())
}

/// Writes the record, unless the one that is here goes further; returns it as it is then.
fn record_written(
    office: &Office<'_>,
    carried: &Carried<'_>,
    opened: &Opened<'_>,
    file: &Path,
) -> Result<Vec<u8>, Trouble> {
    let disk = office.disk();
    if !disk.has(file).unwrap_or(false) {
        if let Some(folder) = file.parent() {
            let made = disk.folder(folder, FolderMode::Umask);
            made.map_err(|error| Trouble::of(format!("{} cannot be written: {error}", name(folder))))?;
        }
        records::written(office, disk.create(file, &carried.record.bytes, Mode::Umask))?;
        return Ok(carried.record.bytes.to_vec());
    }
    let mut lock = records::lock(office, file)?;
    let here = lock.read().map_err(Trouble::File)?;
    match Opened::new(&here).map(|mut here| compare(&mut here, opened)) {
        // With the same entries, it may have remarks and receipts that are not here.
        Ok(relation)
            if matches!(relation, Relation::Newer { .. })
                || relation == Relation::Same && carried.record.bytes.starts_with(&here) =>
        {
            records::written(office, lock.replace(&here, &carried.record.bytes))?;
            Ok(carried.record.bytes.to_vec())
        }
        Ok(Relation::Same | Relation::Older { .. }) => Ok(here),
        _ => Err(Trouble::of(format!("{} has changed meanwhile: nothing was written", printable(&name(file))))),
    }
}

/// Keeps the key: as the player's own if there is none, otherwise beside it.
fn key_written(office: &Office<'_>, key: &Copied) -> Result<(), Trouble> {
    let public = key_in(key)?;
    let text = std::str::from_utf8(&key.bytes).unwrap_or_default();
    let keyring = office.keyring();
    if keyring.own_of(&public)?.is_some() {
        return Ok(());
    }
    match keyring.own()? {
        None => crate::keys::import(office, text, &public)?,
        Some(_) => {
            let marked = Restored::new(office.folders()).mark_keys(&[public.fingerprint()], &office.now().to_string());
            marked.map_err(Trouble::File)?;
            keyring.keep_former(&public, text)?;
        }
    }
    office.tell(Notice::note(format!("the key {} is kept here from now on", public.fingerprint())));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passing(number: u32, digit: &str) -> Passing {
        Passing { number, token: digit.repeat(32) }
    }

    fn copied(path: &str, text: &str) -> Copied {
        Copied { path: path.into(), bytes: Zeroizing::new(text.as_bytes().to_vec()) }
    }

    fn copy(files: Vec<Copied>) -> HomeCopy {
        HomeCopy { taken: "2026-11-21T12:00:00Z".into(), files, is_game: true }
    }

    const ID: &str = "asalto-carried-1";

    fn whole_game() -> Vec<Copied> {
        vec![
            copied("data/elsewhere/asalto-carried-1", &Where::Over(passing(2, "a")).written()),
            copied("data/signed/asalto-carried-1.besiegers", "1 a b\n"),
            copied("games/asalto-carried-1.pbem", "---\n"),
        ]
    }

    #[test]
    fn a_file_brings_nothing_but_what_is_the_games_own() {
        let is_read = |more: Vec<Copied>| {
            let all = copy(whole_game().into_iter().chain(more).collect());
            Carried::of(&all).is_some()
        };
        assert!(is_read(Vec::new()) && is_read(vec![copied(KEY, "a key")]));
        for path in [
            "settings.yaml",
            "data/keys/trusted",
            "data/signed/asalto-carried-2.besiegers",
            "data/signed/asalto-carried-12",
            "data/restored",
            "data/secrets/asalto-carried-1.a/../../keys/own.pem",
            "games/asalto-carried-2.pbem",
            "data/host/asalto-carried-1",
        ] {
            assert!(!is_read(vec![copied(path, "x")]), "{path}");
        }
        let mut without = whole_game();
        without.remove(2);
        assert!(Carried::of(&copy(without)).is_none());
    }

    #[test]
    fn a_game_is_taken_from_the_newest_file_alone_and_once() {
        let all = copy(whole_game());
        let carried = Carried::of(&all).expect("a game");
        assert_eq!((carried.id.as_str(), &carried.passing), (ID, &passing(2, "a")));
        for (here, taken) in [
            (Where::Here, true),
            (Where::Over(passing(1, "b")), true),
            (Where::Taken(passing(1, "b")), true),
            (Where::Over(passing(2, "a")), true),
            (Where::Over(passing(2, "b")), false),
            (Where::Over(passing(3, "b")), false),
            (Where::Taken(passing(2, "a")), false),
            (Where::Taken(passing(3, "b")), false),
            (Where::Coming(passing(2, "a")), true),
            (Where::Coming(passing(3, "b")), false),
        ] {
            assert_eq!(may_come(&here, &carried).is_ok(), taken, "{here:?}");
        }
    }
}
