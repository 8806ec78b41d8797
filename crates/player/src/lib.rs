//! A player's home in a request: for front ends that have neither files nor clock nor randomness of their own, such as a page. A request brings
//! what is kept, random bytes, the time and what is to be done; the answer says what came of it, what is to be kept from now on, and which
//! letters go out. Whoever asks stores what changed, in one step, before anything is shown: what could not be stored was not done. Nothing is
//! kept here between two requests.
//!
//! It uses a home in memory, and the requests that need none.
//!
//! Begin with [`call`].

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

mod backups;
mod files;
mod games;
mod keys;
mod letters;
mod view;
mod words;
mod world;

use std::borrow::Cow;
use std::collections::BTreeMap;

use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Value, json};

use postrider_disk::disk::Memory;
use postrider_disk::folders::Folders;
use postrider_home::elsewhere::carried::{Doubts, Said};
use postrider_home::office::{Office, Ports, Trouble};
use postrider_referee::record::Time;
use postrider_requests as interface;
use world::World;

/// A request about a player's home.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// `home`.
    #[serde(rename = "call")]
    _call: String,
    /// The files of the home that are text, by path.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// The other files, in base64.
    #[serde(default)]
    bytes: BTreeMap<String, String>,
    /// Random bytes in base64, which serve this request alone.
    #[serde(default)]
    random: String,
    /// The time, such as `2026-11-21T10:15:00Z`.
    now: String,
    /// The passphrase of the player's key.
    passphrase: Option<String>,
    /// What is to be done.
    deed: Deed,
}

/// What is to be done. Games are called by their ids.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Deed {
    /// Says who the player is, and lists games, invitations and keys.
    Look {},
    /// Sets the player's name and address.
    Settle { name: String, email: Option<String> },
    /// Begins a game.
    Begin(games::Begin),
    /// Accepts an invitation.
    Accept(games::Accept),
    /// Declines an invitation; with `tell`, a letter says so.
    Decline {
        game: String,
        #[serde(default)]
        tell: bool,
    },
    /// Says which side is the player's, or `nobody`.
    Own { game: String, side: String },
    /// Returns the record of a game, or of an invitation, and what only the player may know.
    Game { game: String },
    /// Shows a position.
    View(view::Look),
    /// Lists what may follow the beginning of an entry.
    Next {
        game: String,
        #[serde(default)]
        begun: String,
        #[serde(default)]
        seed: u32,
    },
    /// Judges an entry, and makes none.
    Judge(games::Enter),
    /// Makes an entry.
    Enter(games::Enter),
    /// Makes the entry that is forced.
    Answer(games::Enter),
    /// Prepares replies: an entry of the opponent's, which is due, the reply, and so on.
    Prepare { game: String, entries: Vec<String> },
    /// Takes back the prepared reply to these entries of the opponent's, and everything after it; all without any.
    Unprepare { game: String, path: Vec<String> },
    /// Takes the newest entry back; `unsent`: the player says that its letter was not sent.
    Undo {
        game: String,
        #[serde(default)]
        unsent: bool,
    },
    /// Makes the entry again, with the present time, that the host of the game has asked back.
    DateAnew { game: String },
    /// Reads a letter.
    Receive(letters::Receive),
    /// Writes the letter about the newest entry, and notes that it goes out.
    Letter(letters::Write),
    /// Publishes the player's secrets in the record of a game that is over, and writes the letter that brings them.
    Publish { game: String },
    /// Explains how every throw of a sealed game came about, and checks the published secrets.
    Audit { game: String },
    /// Compares two copies of a game.
    Evidence { one: String, other: String },
    /// Makes, locks, exports or imports the player's key, or trusts another's.
    Key(keys::Key),
    /// Exports or imports the secrets of sealed games.
    Secrets(keys::Secrets),
    /// Copies everything into one text under a passphrase.
    Backup { passphrase: String },
    /// Hands a game over to another machine: one text under a passphrase. Nothing of the game is signed here from then on.
    /// `only_here`: nothing of it was signed elsewhere, although it was handed over before or came from a backup. `unsure`: what is kept may
    /// be an older copy.
    HandOver {
        game: String,
        passphrase: String,
        #[serde(default)]
        only_here: bool,
        #[serde(default)]
        unsure: bool,
    },
    /// Goes on here with a game that was handed over or not taken whole: nothing was signed elsewhere that is not here.
    Stay { game: String },
    /// Brings back what a backup has, or takes a game that was handed over. `untaken`: no other machine has taken it. `despite_key`: the
    /// player has written the file.
    Restore {
        backup: String,
        passphrase: String,
        #[serde(default)]
        untaken: bool,
        #[serde(default)]
        despite_key: bool,
    },
}

/// Answers a request: about a home here, and any other as [`interface::call`] does.
#[must_use]
pub fn call(request: &str) -> String {
    of_home(request).unwrap_or_else(|| interface::call(request))
}

/// Answers a request in the words of players: about a home here, as always, and any other as [`interface::told`] does.
#[must_use]
pub fn told(request: &str) -> String {
    of_home(request).unwrap_or_else(|| interface::told(request))
}

/// Answers a request about a home; nothing if it is another.
fn of_home(request: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Which<'a> {
        #[serde(borrow)]
        call: Cow<'a, str>,
    }
    match serde_json::from_str::<Which<'_>>(request) {
        Ok(which) if which.call == "home" => {}
        _ => return None,
    }
    let answer = match serde_json::from_str::<Request>(request) {
        Ok(request) => answer(request).unwrap_or_else(|error| json!({ "error": error })),
        // What is wrong, and nothing of the text, in which there are secrets.
        Err(error) => {
            json!({ "error": format!("the request cannot be read at character {}: {}", error.column(), kind(&error)) })
        }
    };
    Some(answer.to_string())
}

/// What kind of fault a request has.
fn kind(error: &serde_json::Error) -> &'static str {
    match error.classify() {
        serde_json::error::Category::Data => "a member is missing, unknown or of another kind",
        _ => "it is not JSON",
    }
}

/// Answers a request that was read.
fn answer(request: Request) -> Result<Value, String> {
    let Request { files, bytes, random, now, passphrase, deed, .. } = request;
    let now = Time::read(now.as_bytes()).ok_or("`now` is not of the form 2026-11-21T10:15:00Z")?;
    let random = BASE64.decode(random.as_bytes()).map_err(|_| "`random` is not base64")?;
    let mut kept: Vec<(String, Vec<u8>)> = files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
    for (path, text) in bytes {
        let bytes = BASE64.decode(text.as_bytes()).map_err(|_| "a file in `bytes` is not base64")?;
        kept.push((path, bytes));
    }
    let memory = Memory::from_snapshot(kept);
    let mark = memory.mark();
    let world = World::new(now, random, passphrase);
    let ports = Ports { clock: &world, randomness: &world, post: &world, pages: &world, front: &world };
    let office = Office::new(Folders::in_memory(&memory), ports);
    let done = deed.carry_out(&office, &world);
    let mut answer = match done {
        Ok(done) => json!({ "done": done }),
        Err(trouble) => json!({ "refused": words::trouble(&trouble) }),
    };
    let changes = memory.changes_since(mark);
    let (mut put, mut put_bytes) = (BTreeMap::new(), BTreeMap::new());
    for (path, bytes) in changes.put {
        match String::from_utf8(bytes) {
            Ok(text) => drop(put.insert(path, text)),
            Err(error) => drop(put_bytes.insert(path, BASE64.encode(error.as_bytes()))),
        }
    }
    answer["notices"] = world.notices().into();
    answer["letters"] = world.letters().into();
    answer["put"] = json!(put);
    answer["bytes"] = json!(put_bytes);
    answer["removed"] = json!(changes.removed);
    Ok(answer)
}

impl Deed {
    fn carry_out(self, office: &Office<'_>, world: &World) -> Result<Value, Trouble> {
        match self {
            Self::Look {} => games::look(office),
            Self::Settle { name, email } => games::settle(office, &name, email.as_deref()),
            Self::Begin(begin) => games::begin(office, &begin),
            Self::Accept(accept) => games::accept(office, &accept),
            Self::Decline { game, tell } => letters::decline(office, &game, tell),
            Self::Own { game, side } => games::own(office, &game, &side),
            Self::Game { game } => view::game(office, &game),
            Self::View(look) => view::position(office, &look),
            Self::Next { game, begun, seed } => view::next(office, &game, &begun, seed),
            Self::Judge(entry) => games::enter(office, &entry, true),
            Self::Enter(entry) => games::enter(office, &entry, false),
            Self::Answer(entry) => games::answer(office, &entry),
            Self::Prepare { game, entries } => games::prepare(office, &game, &entries),
            Self::Unprepare { game, path } => games::unprepare(office, &game, &path),
            Self::Undo { game, unsent } => games::undo(office, &game, unsent),
            Self::DateAnew { game } => games::date_anew(office, &game),
            Self::Receive(letter) => letters::receive(office, world, &letter),
            Self::Letter(wanted) => letters::write(office, &wanted),
            Self::Publish { game } => letters::publish(office, &game),
            Self::Audit { game } => games::audit(office, &game),
            Self::Evidence { one, other } => games::evidence(office, &one, &other),
            Self::Key(key) => keys::key(office, &key),
            Self::Secrets(secrets) => keys::secrets(office, &secrets),
            Self::Backup { passphrase } => backups::backup(office, &passphrase),
            Self::HandOver { game, passphrase, only_here, unsure } => {
                backups::hand_over(office, &game, &passphrase, Doubts { only_here, unsure })
            }
            Self::Stay { game } => backups::stay(office, &game),
            Self::Restore { backup, passphrase, untaken, despite_key } => {
                backups::restore(office, &backup, &passphrase, Said { untaken, despite_key })
            }
        }
    }
}
