//! A player's actions on games: begin, accept, enter, take back.

use postrider_home::own_game::OwnGame;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::files::file_of;
use super::words;
use postrider_disk::disk::FolderMode;
use postrider_home::entry::moves;
use postrider_home::entry::moves::{Made, Options, Outcome};
use postrider_home::entry::{dating, own as sides};
use postrider_home::invite::begin;
use postrider_home::invite::begin::{To, Wanted};
use postrider_home::invite::invitations;
use postrider_home::invite::invitations::Finding;
use postrider_home::invite::kept::Invitations;
use postrider_home::keys::statements;
use postrider_home::office::{Office, Trouble};
use postrider_home::overview;
use postrider_home::overview::{Outgoing, Row, Told};
use postrider_home::send::letters::{Delivered, Place};
use postrider_home::{conditions, evidence as proofs, known, records, undo as back};
use postrider_kernel::Side;
use postrider_kernel::text::is_forbidden;
use postrider_mail::address::parse_address;
use postrider_referee::desk::audit;
use postrider_referee::desk::audit::Proof;
use postrider_referee::judging::in_words;
use postrider_referee::record::Time;
use postrider_referee::registry;
use postrider_referee::sealing::Done;
use postrider_referee::verdict;
use postrider_referee::verdict::{Evidence, NoEvidence, Opened};
use postrider_requests::of_players;
use postrider_settings::Settings;
use postrider_vault::keyring::Trusted;
use postrider_vault::locked::OwnKey;

/// How a game is begun.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begin {
    game: String,
    /// The player's own side.
    side: String,
    /// The opponent's name.
    name: String,
    /// The opponent's address.
    email: Option<String>,
    title: Option<String>,
    clock: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, String>,
    setup: Option<String>,
    /// Header fields that only this game has, as lines of YAML.
    #[serde(default)]
    fields: String,
    /// Whether it is played openly.
    #[serde(default)]
    open: bool,
    /// Whether the opponent has only a mail program.
    #[serde(default)]
    by_mail: bool,
    /// Whether no key is declared.
    #[serde(default)]
    unsigned: bool,
}

/// How an invitation is accepted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Accept {
    game: String,
    side: Option<String>,
    #[serde(default)]
    despite_key: bool,
    #[serde(default)]
    despite_entries: bool,
}

/// An entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Enter {
    game: String,
    #[serde(default)]
    typed: String,
    message: Option<String>,
    time: Option<String>,
    side: Option<String>,
    #[serde(default)]
    unsigned: bool,
    #[serde(default)]
    accept_rewritten: bool,
    #[serde(default)]
    despite_key: bool,
    #[serde(default)]
    only_here: bool,
    /// Whether what is kept may be an older copy: then nothing is signed unless `only_here`.
    #[serde(default)]
    unsure: bool,
}

/// Who the player is, and what there is.
pub(super) fn look(office: &Office<'_>) -> Result<Value, Trouble> {
    let settings = office.settings()?;
    let keyring = office.keyring();
    let (own, said) = (keyring.own()?, office.statements());
    let withdrawn = |fingerprint: &str| statements::since(&said, fingerprint);
    let key = own.as_ref().map(|key| {
        let (public, is_locked) = (key.public(), matches!(key, OwnKey::Locked(_)));
        let fingerprint = public.fingerprint();
        json!({ "withdrawn": withdrawn(&fingerprint), "fingerprint": fingerprint, "key": public.text(), "locked": is_locked })
    });
    let trusted: Vec<Value> = office
        .trusted()
        .iter()
        .map(|Trusted { fingerprint, who, pinned, .. }| {
            json!({ "fingerprint": fingerprint, "who": who, "confirmed": !pinned, "withdrawn": withdrawn(fingerprint) })
        })
        .collect();
    let store = Invitations::new(office.folders());
    let waiting = store.waiting().map_err(|error| invitations::failed(&error))?;
    let invited: Vec<Value> = waiting
        .iter()
        .filter_map(|id| {
            let record = store.record(id).ok()?;
            let mut opened = Opened::new(&record).ok()?;
            let verdict = opened.replay(u32::MAX);
            let own = OwnGame::new(office, &opened.header.id).side(&opened).map(|side| opened.header.info.sides[side.index()].word);
            let players = Side::BOTH.map(|side| {
                let player = opened.header.player(side);
                json!({ "side": opened.header.info.sides[side.index()].word, "name": player.name, "email": player.email })
            });
            let header = &opened.header;
            Some(json!({
                "id": id, "game": header.info.name, "title": header.info.title, "players": players, "own": own, "entries": verdict.entries,
            }))
        })
        .collect();
    let rows: Vec<Value> = overview::rows(office).iter().map(told).collect();
    Ok(json!({
        "name": settings.name, "email": settings.email, "key": key, "trusted": trusted, "invitations": invited, "games": rows,
    }))
}

/// The row of a game.
fn told(row: &Row) -> Value {
    let file = row.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match &row.told {
        Told::Unread(why) => json!({ "file": file, "rank": "refused", "why": why }),
        Told::Lost(lost) => json!({ "file": file, "rank": "refused", "why": lost.in_words() }),
        Told::Game(game) => {
            let rank = match row.rank {
                overview::Rank::Yours => "yours",
                overview::Rank::Theirs => "theirs",
                overview::Rank::Refused => "refused",
                overview::Rank::Finished => "over",
            };
            let letter = match game.sent {
                Outgoing::Unknown => "none",
                Outgoing::Owed | Outgoing::AskedBack => "owed",
                Outgoing::Unsure(_) => "unsure",
                Outgoing::Written(..) => "written",
                Outgoing::Sent(..) => "sent",
            };
            json!({
                "id": game.id, "file": file, "game": game.name, "title": game.title, "rank": rank,
                "sides": game.sides.map(|side| side.word), "players": game.players,
                "own": game.own.map(|own| game.side(own).word),
                "entries": game.standing.entries,
                "due": game.standing.outcome.is_none().then(|| game.side(game.standing.due.side).word),
                "what": game.standing.due.what,
                "task": game.standing.due.task,
                "outcome": game.standing.outcome.map(|outcome| outcome.text(&game.sides)),
                "end": game.standing.outcome.map(|outcome| postrider_requests::ended(outcome, &game.sides)),
                "left": game.running.as_ref().map(|running| in_words(running.left)),
                "claims": game.claims(), "letter": letter, "forced": game.forced, "hidden": game.hidden, "unproven": game.unproven,
                "declined": game.declined, "handed": game.handed_over, "rewritten": game.rewritten,
                "resigns": game.resigns.map(|side| game.players[side.index()].clone()),
            })
        }
    }
}

/// Sets the player's name and address, and leaves all other settings as they are.
pub(super) fn settle(office: &Office<'_>, name: &str, email: Option<&str>) -> Result<Value, Trouble> {
    let name = name.trim();
    if name.is_empty() || name.chars().any(is_forbidden) {
        return Err(Trouble::of("a name is needed, on one line"));
    }
    let email = email.map(str::trim).filter(|email| !email.is_empty());
    if let Some(email) = email {
        parse_address(email)?;
    }
    let file = office.folders().settings_file();
    let before = match office.disk().has(&file) {
        Ok(true) => office.disk().read_record(&file).map_err(|error| Trouble::of(error.to_string()))?,
        _ => b"# Settings of postrider.\n".to_vec(),
    };
    let before = String::from_utf8_lossy(&before);
    let other = |line: &&str| !line.starts_with("name:") && !line.starts_with("email:");
    let mut text: String = before.lines().filter(other).map(|line| format!("{line}\n")).collect();
    // JSON's strings are YAML's.
    text.push_str(&format!("name: {}\n", Value::from(name)));
    text.extend(email.map(|email| format!("email: {}\n", Value::from(email))));
    Settings::parse(text.as_bytes(), office.folders().clone())?;
    office.disk().put_private(&file, text.as_bytes()).map_err(Trouble::File)?;
    Ok(json!({ "name": name, "email": email }))
}

pub(super) fn begin(office: &Office<'_>, wish: &Begin) -> Result<Value, Trouble> {
    let settings = office.settings()?;
    let game = registry::find(&wish.game).ok_or_else(|| Trouble::of("there is no such game"))?;
    let info = game.info();
    let own = info.side(&wish.side).ok_or_else(|| {
        let [first, second] = info.sides.map(|side| side.word);
        Trouble::of(format!("the sides of {} are {first} and {second}", info.title))
    })?;
    let me = settings.name.clone().ok_or_else(|| Trouble::of("say first who you are: your name, and your address"))?;
    let name = wish.name.trim();
    if name.is_empty() {
        return Err(Trouble::of("the opponent has no name yet"));
    }
    let email = wish.email.as_deref().map(str::trim).filter(|email| !email.is_empty());
    if let Some(email) = email {
        parse_address(email)?;
    }
    let mine = (begin::checked("name", &me)?, settings.email.clone());
    let theirs = (begin::checked("name", name)?, email.map(str::to_owned));
    let players = if own == Side::First { [mine, theirs] } else { [theirs, mine] };
    let options: Vec<String> = wish.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let given =
        |text: &'_ Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let (clock, setup, title) = (given(&wish.clock), given(&wish.setup), given(&wish.title));
    let wanted = Wanted {
        options: &options,
        setup: setup.as_deref(),
        own_fields: wish.fields.clone(),
        clock: clock.as_deref(),
        by_mail: wish.by_mail,
        open: wish.open,
        unsigned: wish.unsigned,
        title: title.as_deref(),
        ..Wanted::default()
    };
    let begun = begin::game(office, game, &wanted, &players, To::Games)?;
    let opened = records::replayed(begun.text.as_bytes(), "the new record")?;
    let id = opened.header.id.clone().into_owned();
    let game = &OwnGame::new(office, &id);
    game.note(|sides| {
        sides.own = Some(info.sides[own.index()].word.to_owned());
        // Otherwise a reply would be refused later.
        sides.by_mail |= wish.by_mail;
    })?;
    known::remember(game, begun.text.as_bytes(), &file_of(office, &id)?);
    Ok(json!({ "game": id, "due": info.sides[opened.table.standing().due.side.index()].word }))
}

pub(super) fn accept(office: &Office<'_>, wish: &Accept) -> Result<Value, Trouble> {
    let folder = office.settings()?.games_folder();
    office
        .disk()
        .folder(&folder, FolderMode::Umask)
        .map_err(|error| Trouble::of(format!("{} cannot be written: {error}", folder.display())))?;
    let to = file_of(office, &wish.game)?;
    let options = invitations::Options {
        side: wish.side.as_deref(),
        despite_key: wish.despite_key,
        despite_entries: wish.despite_entries,
    };
    let mut keys = Vec::new();
    let mut found = |finding: &Finding<'_>| {
        keys.push(match finding {
            Finding::Key(side, declared, told) => json!({
                "side": side, "fingerprint": declared.fingerprint, "standing": declared.standing, "told": words::advice(told),
            }),
            Finding::None(side, who, fingerprint) => {
                json!({ "side": side, "who": who, "fingerprint": fingerprint, "standing": "none" })
            }
        });
    };
    let accepted = invitations::accept(office, &wish.game, &to, &options, &mut found)?;
    let opened = records::replayed(&accepted.record, &wish.game)?;
    let own = accepted.own.map(|own| opened.header.info.sides[own.index()].word);
    Ok(json!({ "game": wish.game, "own": own, "keys": keys }))
}

/// Says which side is the player's.
pub(super) fn own(office: &Office<'_>, id: &str, word: &str) -> Result<Value, Trouble> {
    let file = file_of(office, id)?;
    let source = records::read(office, Place { file: &file, name: id })?;
    let opened = records::replayed(&source, id)?;
    if word != sides::NOBODY {
        sides::named(&opened, word)?;
        known::guard(office, &opened, &source, id, false)?;
    }
    let game = &OwnGame::new(office, id);
    game.note_own(word)?;
    known::remember(game, &source, &file);
    Ok(json!({ "game": id, "own": word }))
}

impl Enter {
    fn options(&self, dry_run: bool) -> Result<Options<'_>, Trouble> {
        let read = |time: &str| {
            Time::read(time.as_bytes()).ok_or_else(|| Trouble::of("the time is not of the form 2026-11-21T10:15:00Z"))
        };
        Ok(Options {
            message: self.message.as_deref().map(str::trim).filter(|message| !message.is_empty()),
            time: self.time.as_deref().map(read).transpose()?,
            dry_run,
            send: false,
            side: self.side.as_deref(),
            unsigned: self.unsigned,
            accept_rewritten: self.accept_rewritten,
            despite_key: self.despite_key,
            only_here: self.only_here,
            unsure: self.unsure,
            // Whoever asks has asked the player.
            sure: true,
        })
    }
}

/// Makes an entry; `dry_run`: it is only judged.
pub(super) fn enter(office: &Office<'_>, entry: &Enter, dry_run: bool) -> Result<Value, Trouble> {
    let file = file_of(office, &entry.game)?;
    let place = Place { file: &file, name: &entry.game };
    let source = if dry_run { (None, records::read(office, place)?) } else { taken(office, place)? };
    let outcome = moves::enter(office, place, &entry.typed, &entry.options(dry_run)?, source)?;
    entered(outcome)
}

fn taken(office: &Office<'_>, place: Place<'_>) -> Result<records::Source, Trouble> {
    let (lock, source) = records::take(office, place)?;
    Ok((Some(lock), source))
}

/// Makes the entry that was foreseen or is forced.
pub(super) fn answer(office: &Office<'_>, entry: &Enter) -> Result<Value, Trouble> {
    let file = file_of(office, &entry.game)?;
    let place = Place { file: &file, name: &entry.game };
    entered(moves::answer(office, place, true, &entry.options(false)?, taken(office, place)?)?)
}

fn entered(outcome: Outcome) -> Result<Value, Trouble> {
    match outcome {
        Outcome::Made(made) => made_in_words(&made),
        Outcome::Stands(_, sent) => {
            let _: Delivered = sent?;
            Ok(json!({ "stands": true }))
        }
        Outcome::Choose(..) => Ok(json!({ "choose": true })),
    }
}

fn made_in_words(made: &Made) -> Result<Value, Trouble> {
    let desk = made.desk()?;
    let entered = &made.entered;
    let info = desk.opened.header.info;
    let standing = desk.opened.table.standing();
    let done: Vec<String> = entered
        .done
        .iter()
        .map(|done| match done {
            Done::Sealed(label) => format!("sealed {label}"),
            Done::Opened(label) => format!("opened {label}"),
            Done::Shown(label) => format!("showed {label}"),
            Done::Salted => "drew a salt".to_owned(),
            Done::Chosen => "chose at random".to_owned(),
        })
        .collect();
    let thrown: Vec<Vec<u32>> = entered.thrown.iter().map(|thrown| thrown.faces.to_vec()).collect();
    Ok(json!({
        "number": entered.number, "side": info.sides[entered.side.index()].word, "line": entered.line,
        "actions": postrider_referee::desk::parts(&entered.line).0, "done": done, "thrown": thrown,
        "outcome": standing.outcome.map(|outcome| outcome.text(&info.sides)),
        "end": standing.outcome.map(|outcome| postrider_requests::ended(outcome, &info.sides)),
        "key": entered.key.as_ref().map(|key| json!({ "fingerprint": key.fingerprint(), "declares": entered.declares })),
        "secret": made.secret.is_some(), "publishable": made.publishable,
    }))
}

pub(super) fn prepare(office: &Office<'_>, id: &str, entries: &[String]) -> Result<Value, Trouble> {
    let record = records::read(office, Place { file: &file_of(office, id)?, name: id })?;
    let prepared = conditions::prepare(office, records::on_desk(&record, id)?, id, entries)?;
    Ok(
        json!({ "conditions": prepared.conditions.branches, "replaced": prepared.replaced, "were_for_another": prepared.were_for_another }),
    )
}

pub(super) fn unprepare(office: &Office<'_>, id: &str, path: &[String]) -> Result<Value, Trouble> {
    let record = records::read(office, Place { file: &file_of(office, id)?, name: id })?;
    let desk = records::on_desk(&record, id)?;
    if path.is_empty() {
        return Ok(json!({ "removed": conditions::clear(office, &desk.opened)? }));
    }
    Ok(json!({ "conditions": conditions::take_back(office, &desk.opened, id, path)?.branches }))
}

pub(super) fn undo(office: &Office<'_>, id: &str, unsent: bool) -> Result<Value, Trouble> {
    let file = file_of(office, id)?;
    let undone = back::take_back(office, Place { file: &file, name: id }, unsent, false)?;
    Ok(json!({ "number": undone.taken.number, "line": undone.taken.line }))
}

/// Dates the entries anew that the host of a game has asked back.
pub(super) fn date_anew(office: &Office<'_>, id: &str) -> Result<Value, Trouble> {
    let file = file_of(office, id)?;
    let dated = dating::anew(office, Place { file: &file, name: id })?;
    Ok(json!({ "lines": dated.lines }))
}

/// How every throw came about, in words.
pub(super) fn audit(office: &Office<'_>, id: &str) -> Result<Value, Trouble> {
    let file = file_of(office, id)?;
    let source = records::read(office, Place { file: &file, name: id })?;
    let mut opened = Opened::with_chain(&source)
        .map_err(|verdict| Trouble::refusal(id, postrider_referee::desk::Refusal::Record(verdict)))?;
    opened.replay(u32::MAX);
    let report =
        audit::report(&opened).ok_or_else(|| Trouble::of(format!("{id} is played openly: nothing in it is sealed")))?;
    let proof = match report.proof {
        Proof::NothingToProve => "nothing to prove",
        Proof::Proven => "proven",
        Proof::Unproven(_) => "not proven",
    };
    Ok(json!({ "text": report.text, "sound": report.sound, "proof": proof }))
}

/// Whether a player has signed two things of which only one can be true, in words.
pub(super) fn evidence(office: &Office<'_>, one: &str, other: &str) -> Result<Value, Trouble> {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let found = verdict::evidence(one, other).map_err(|error| {
        Trouble::of(match error {
            NoEvidence::Record(which, verdict) => {
                format!("the {} record is {verdict}", if which == 0 { "first" } else { "second" })
            }
            NoEvidence::OtherGame => "these are not records of the same game".to_owned(),
            NoEvidence::OtherHeader => "they have the same id but different headers: these are two games".to_owned(),
        })
    })?;
    let text = match &found {
        Evidence::None => "nobody has signed two different entries for one turn in these two records".to_owned(),
        Evidence::Twice(found) => format!(
            "nobody has signed two different entries for one turn: entry {} was made twice at two times",
            found.number
        ),
        Evidence::Keys(side, keys) => {
            let signs = Opened::new(one).map_or_else(
                |_| String::new(),
                |opened| {
                    let side = opened.header.info.sides[side.index()];
                    format!("{} {}", side.named(), side.verb("sign", "signs"))
                },
            );
            format!("{signs} with a different key in each: {} and {}", keys[0].fingerprint(), keys[1].fingerprint())
        }
        Evidence::Double(_) | Evidence::Pasts(_) => {
            proofs::in_words(office, &found, one, ["the first record", "the second record"]).unwrap_or_default()
        }
    };
    let against = matches!(found, Evidence::Keys(..) | Evidence::Double(_) | Evidence::Pasts(_));
    Ok(json!({ "against": against, "text": of_players(&text) }))
}
