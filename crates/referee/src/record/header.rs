//! The header's fields: which ones there are, what they may contain, and every fault at its place.

use std::borrow::Cow;
use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::clock::Clock;
use super::{Faults, Frame, LINE_LIMIT, plain};
use crate::sealing::PublicKey;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::text::yaml;
use postrider_kernel::text::{Diagnostic, Node, Span, Value};
use postrider_kernel::{GameField, Info, OptionFault, Options, Side};

/// The version of the record format.
pub(super) const FORMAT: u64 = 1;

/// The fields that mean the same in every game; those that are required come first.
pub const FIELDS: &[&str; 14] = &[
    "pbem", "game", "id", "players", "started", "title", "clock", "options", "setup", "secrecy", "rules", "tags",
    "machine", "host",
];
/// How many of them are required.
const NEEDED: usize = 5;

/// A header that has been read.
#[derive(Clone, Debug)]
pub struct Header<'a> {
    /// The game.
    pub info: &'static Info,
    /// The game's id: 8 to 64 characters of `a`-`z`, `0`-`9` and `-`.
    pub id: Cow<'a, str>,
    /// The players, in the order of [`Side`].
    pub players: [Player<'a>; 2],
    /// The day on which the game began.
    pub started: NaiveDate,
    /// The game's title.
    pub title: Option<Cow<'a, str>>,
    /// The clock.
    pub clock: Option<Clock>,
    /// The options chosen.
    pub options: Options,
    /// The position to start from.
    pub setup: Option<Setup<'a>>,
    /// Whether hidden and random parts are sealed.
    pub secrecy: Secrecy,
    /// The fields of this game only, with places in the header.
    pub fields: Vec<GameField<'a>>,
    /// The machine that plays one side, in a practice game (E12).
    pub machine: Option<Machine>,
    /// The host of a hosted game, who enters for players without the program (Z38).
    // In a box, because few records have one.
    pub host: Option<Box<Host<'a>>>,
}

/// The `host` field (Z38).
#[derive(Clone, Debug)]
pub struct Host<'a> {
    /// The name.
    pub name: Cow<'a, str>,
    /// The mail address, as written.
    pub email: Option<Cow<'a, str>>,
    /// The public key, which signs for each side without one.
    pub key: PublicKey,
}

impl<'a> Host<'a> {
    /// Makes the host of a game from what stands in the header in the same form as a player; `None` without a key, or with the key of
    /// one of the players.
    pub(super) fn of(written: Player<'a>, players: &[Player<'_>; 2]) -> Option<Box<Self>> {
        let Player { name, email, key } = written;
        let key = *key?;
        let plays = players.iter().any(|player| player.key.as_deref() == Some(&key));
        (!plays).then(|| Box::new(Self { name, email, key }))
    }
}

/// The `machine` field (E12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The side that it plays.
    pub side: Side,
    /// How strong it is, from 1 to 5.
    pub level: u8,
    /// The seed of its choices, the dice and the cards.
    pub seed: u64,
}

/// A player.
#[derive(Clone, Debug, Default)]
pub struct Player<'a> {
    /// The name.
    pub name: Cow<'a, str>,
    /// The mail address, as written.
    pub email: Option<Cow<'a, str>>,
    /// The public key (E10).
    // In a box, because it is seven times as large as the rest of a player.
    pub key: Option<Box<PublicKey>>,
}

impl Player<'_> {
    /// Returns whether anything is mailed to the player, or signed; in a practice game neither is (E12).
    pub(super) fn is_mailed(&self) -> bool {
        self.email.is_some() || self.key.is_some()
    }
}

/// The `setup` field.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The position as written.
    pub position: Cow<'a, str>,
    /// The place of the field's name in the record.
    pub key: Span,
    /// The place of the value in the record, including quotes.
    pub span: Span,
}

/// The `secrecy` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrecy {
    /// Everything is in the open.
    Open,
    /// Whatever is hidden or random is sealed.
    Sealed,
}

/// What can be known from a faulty header.
#[derive(Debug)]
pub struct PartialHeader<'a> {
    /// The game.
    pub info: &'static Info,
    /// The options that could be read.
    pub options: Options,
    /// The position to start from, which may have faults of its own.
    pub setup: Option<Setup<'a>>,
}

/// The result of reading a header.
#[derive(Debug)]
pub enum HeaderReading<'a> {
    /// It was read.
    Read(Box<Header<'a>>),
    /// It has faults. If the game is known, the lines below can still be checked.
    Faulty(Option<PartialHeader<'a>>),
    /// It may be valid, but this program does not know its format, game or edition.
    Unknown(Diagnostic),
}

/// Returns whether `text` is valid as a game's id.
#[must_use]
pub fn is_game_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() | byte.is_ascii_digit() | (byte == b'-');
    // Eight at a time, which the compiler turns into vector instructions; the last eight may overlap with those before them.
    let all_fit = |eight: &[u8; 8]| eight.iter().fold(true, |all, &byte| all & fits(byte));
    let bytes = text.as_bytes();
    bytes.len() <= 64 && bytes.last_chunk().is_some_and(all_fit) && bytes.as_chunks().0.iter().all(all_fit)
}

impl<'a> Header<'a> {
    /// Reads the header of a record if it is in the form in which this program writes it and has no fault, and finds where it and
    /// the lines below it are; `None` says nothing. `find` looks up games.
    pub(crate) fn read_plain(
        record: &'a str,
        find: impl Fn(&str) -> Option<&'static Info>,
    ) -> Option<(Frame, Box<Self>)> {
        const OPEN: &str = "---\n";
        let text = record.strip_prefix(OPEN)?;
        let (header, length) = plain::read(text, OPEN.len(), find)?;
        let end = OPEN.len() + length;
        let body = end + OPEN.len();
        let closed = record.get(end..body)? == OPEN;
        closed.then(|| (Frame { header: Span::new(OPEN.len(), end), body: Span::new(body, record.len()) }, header))
    }

    /// Reads the header in `span` of `source`; faults are added to `faults`, with places in `source`. `find` looks up
    /// games.
    pub fn read(
        source: &'a [u8],
        span: Span,
        find: impl Fn(&str) -> Option<&'static Info>,
        faults: &mut Faults,
    ) -> HeaderReading<'a> {
        let text = std::str::from_utf8(span.bytes(source)).unwrap_or_default();
        match plain::read(text, span.start as usize, &find) {
            Some((header, length)) if length == text.len() => HeaderReading::Read(header),
            _ => Self::read_tree(source, span, find, faults),
        }
    }

    /// Reads a header as [`Header::read`] does, when it is not plain.
    pub(crate) fn read_tree(
        source: &'a [u8],
        span: Span,
        find: impl Fn(&str) -> Option<&'static Info>,
        faults: &mut Faults,
    ) -> HeaderReading<'a> {
        let bytes = span.bytes(source);
        debug_assert!(bytes.len() <= LINE_LIMIT);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = span.start as usize + error.valid_up_to();
                faults.push(Diagnostic::fault(Span::at(at), "the header is not UTF-8"));
                return HeaderReading::Faulty(None);
            }
        };
        let mut reader = HeaderReader { base: span.start as usize, faults: Vec::new() };
        let reading = match yaml::read(text) {
            Ok(node) => reader.header(&node, find),
            Err(list) => {
                reader.faults =
                    list.into_iter().map(|fault| Diagnostic { span: reader.place(fault.span), ..fault }).collect();
                HeaderReading::Faulty(None)
            }
        };
        reader.faults.sort_by_key(|fault| fault.span);
        if !matches!(reading, HeaderReading::Unknown(_)) {
            reader.faults.into_iter().for_each(|fault| faults.push(fault));
        }
        reading
    }

    /// Returns the place of an option's value in a record, whose header is in `span` and was read before. Only faults name it, so
    /// it is looked for when one does.
    pub(crate) fn option_place(record: &str, span: Span, option: &str) -> Option<Span> {
        let node = yaml::read(span.text(record)).ok()?;
        let value = member(member(&node, "options")?, option)?;
        let base = span.start as usize;
        Some(Span::new(base + value.span.start as usize, base + value.span.end as usize))
    }

    /// Returns the player of a side.
    #[must_use]
    pub fn player(&self, side: Side) -> &Player<'a> {
        &self.players[side.index()]
    }

    /// Returns whether the header names a key: of a player, or of the host.
    #[must_use]
    pub fn has_key(&self) -> bool {
        self.host.is_some() || self.players.iter().any(|player| player.key.is_some())
    }
}

/// Returns the value of this name in a map.
fn member<'n, 'a>(map: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    let Value::Map(pairs) = &map.value else { return None };
    pairs.iter().find_map(|(key, value)| matches!(&key.value, Value::Text(text) if text == name).then_some(value))
}

/// A field of a map.
#[derive(Clone, Copy)]
struct Field<'n, 'a> {
    key: &'n Node<'a>,
    value: &'n Node<'a>,
}

impl<'n> Field<'n, '_> {
    /// The field's name; `None` if it is not a text.
    fn name(&self) -> &'n str {
        if let Value::Text(name) = &self.key.value { name } else { "" }
    }
}

/// Returns whether a text is this number in its only spelling.
pub(super) fn is_edition(text: &str, known: u64) -> bool {
    let more = |number: u64, byte: u8| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    };
    !text.starts_with('0') && !text.is_empty() && text.bytes().try_fold(0, more) == Some(known)
}

/// Reads a date such as `2026-11-21`; `None` for any other form and for days that do not exist.
pub(super) fn calendar_day(text: &[u8]) -> Option<NaiveDate> {
    let number = |digits: &[u8]| {
        let digit = |&byte: &u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
        digits.iter().try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))
    };
    let (year, rest) = text.split_first_chunk::<4>()?;
    let [b'-', m, n, b'-', d, e] = rest else { return None };
    NaiveDate::from_ymd_opt(i32::try_from(number(year)?).ok()?, number(&[*m, *n])?, number(&[*d, *e])?)
}

/// The fields that few headers have, as the plain reader finds them: tags, the machine, and what one game alone has.
#[derive(Default)]
pub(super) struct Rare<'a> {
    /// The fields of this game only.
    pub fields: Vec<GameField<'a>>,
    /// The `machine` field.
    pub machine: Option<Machine>,
    has_tags: bool,
}

impl<'a> Rare<'a> {
    /// Takes a field; `None` if it is none of these, is here already, or has a fault.
    pub(crate) fn take(&mut self, key: Node<'a>, value: Node<'a>, info: &'static Info) -> Option<()> {
        let mut reader = HeaderReader { base: 0, faults: Vec::new() };
        let field = Field { key: &key, value: &value };
        match field.name() {
            "tags" => {
                reader.tags(&value);
                (!std::mem::replace(&mut self.has_tags, true)).then_some(())?;
            }
            "machine" => {
                let machine = reader.machine(&value, info)?;
                self.machine.replace(machine).is_none().then_some(())?;
            }
            name => {
                self.fields.iter().all(|other| other.name != name).then_some(())?;
                self.fields.append(&mut reader.game_fields(&[field], info));
            }
        }
        reader.faults.is_empty().then_some(())
    }
}

/// Collects faults while the tree is processed.
struct HeaderReader {
    base: usize,
    faults: Vec<Diagnostic>,
}

impl HeaderReader {
    /// Converts a place in the header to a place in the record.
    fn place(&self, span: Span) -> Span {
        Span::new(self.base + span.start as usize, self.base + span.end as usize)
    }

    fn fault(&mut self, span: Span, message: impl Into<String>) {
        let span = self.place(span);
        self.faults.push(Diagnostic::fault(span, message));
    }

    fn header<'a>(&mut self, node: &Node<'a>, find: impl Fn(&str) -> Option<&'static Info>) -> HeaderReading<'a> {
        let no_pairs = Vec::new();
        let pairs = match &node.value {
            Value::Map(pairs) => pairs,
            Value::Nothing => &no_pairs,
            _ => {
                self.fault(node.span, "the header is a YAML map: `field: value` on each line");
                return HeaderReading::Faulty(None);
            }
        };
        let (fields, others) = self.sorted(pairs, FIELDS);
        // A missing field is a fault of the first line.
        for (name, field) in FIELDS.iter().zip(&fields).take(NEEDED) {
            if field.is_none() {
                self.faults.push(Diagnostic::fault(Span::at(0), format!("the header has no field `{name}`")));
            }
        }
        let [pbem, game, id, players, started, title, clock, options, setup, secrecy, rules, tags, machine, host] =
            fields;
        if let Some(unknown) = self.edition(pbem, "pbem", FORMAT) {
            return HeaderReading::Unknown(unknown);
        }
        // Fields that mean the same in every game are read first, so that their faults are reported even if the game is
        // not known.
        let id = id.and_then(|field| {
            let id = self.text(field.value, "id")?;
            if !is_game_id(&id) {
                self.fault(field.value.span, "an id is 8 to 64 characters of a-z, 0-9 and `-`");
            }
            Some(id)
        });
        let started = started.and_then(|field| self.date(field.value));
        let title = title.and_then(|field| self.text(field.value, "title"));
        let (clock_field, secrecy_field) = (clock, secrecy);
        let clock = clock.and_then(|field| self.clock(field.value));
        if let Some(field) = tags {
            self.tags(field.value);
        }
        let name = game.and_then(|field| self.text(field.value, "game"));
        let Some(name) = name else {
            self.unknown_fields(&others, FIELDS, "a header without a game");
            return HeaderReading::Faulty(None);
        };
        let Some(info) = find(&name) else {
            let span = self.place(game.map_or(Span::at(0), |field| field.value.span));
            let message = format!("this program does not know the game `{name}`");
            return HeaderReading::Unknown(
                Diagnostic::fault(span, message).with_see(advice![Act::Games, " lists those it knows"]),
            );
        };
        if let Some(unknown) = self.edition(rules, "rules", info.edition) {
            return HeaderReading::Unknown(unknown);
        }
        let players = players.map(|field| self.players(field.key.span, field.value, info));
        let faults_before = self.faults.len();
        let options = options.map(|field| self.options(field.value, info)).unwrap_or_default();
        let setup = setup.and_then(|Field { key, value }| {
            let position = self.text(value, "setup")?;
            Some(Setup { position, key: self.place(key.span), span: self.place(value.span) })
        });
        let options_are_whole = self.faults.len() == faults_before;
        let fields = self.game_fields(&others, info);
        let secrecy = secrecy.map_or(Secrecy::Open, |field| self.secrecy(field.value, info));
        let is_practice = machine.is_some();
        let machine = machine.and_then(|field| self.machine(field.value, info));
        if is_practice {
            if let Some(field) = clock_field {
                self.fault(field.key.span, "a practice game has no clock (E12)");
            }
            if let Some(field) = secrecy_field.filter(|_| secrecy == Secrecy::Sealed) {
                self.fault(field.value.span, "a practice game is played in the open (E12)");
            }
            if let Some(span) =
                pairs.iter().find_map(|(key, _)| (Field { key, value: key }.name() == "players").then_some(key.span))
                && players.as_ref().is_some_and(|players| players.iter().any(Player::is_mailed))
            {
                self.fault(span, "the players of a practice game have neither mail addresses nor keys (E12)");
            }
        }
        if let Some(field) = host.filter(|_| is_practice) {
            self.fault(field.key.span, "a practice game has no host (E12)");
        }
        let host = host.and_then(|field| self.host(field, players.as_ref()));
        match (id, players, started) {
            (Some(id), Some(players), Some(started)) if self.faults.is_empty() => {
                let header =
                    Header { info, id, players, started, title, clock, options, setup, secrecy, fields, machine, host };
                HeaderReading::Read(Box::new(header))
            }
            // Under other options, or without the game's own fields, faults would be found in a valid position.
            _ => {
                let setup = setup.filter(|_| options_are_whole && others.is_empty());
                HeaderReading::Faulty(Some(PartialHeader { info, options, setup }))
            }
        }
    }

    /// The pairs of a map whose keys must all be in `known`, each at most once, in the order of `known`; others are
    /// faults.
    fn fields<'n, 'a, const N: usize>(
        &mut self,
        pairs: &'n [(Node<'a>, Node<'a>)],
        known: &[&'static str; N],
        of: &str,
    ) -> [Option<Field<'n, 'a>>; N] {
        let (fields, others) = self.sorted(pairs, known);
        self.unknown_fields(&others, known, of);
        fields
    }

    /// The pairs of a map whose keys are in `known`, each at most once, in the order of `known`; and all others.
    fn sorted<'n, 'a, const N: usize>(
        &mut self,
        pairs: &'n [(Node<'a>, Node<'a>)],
        known: &[&'static str; N],
    ) -> ([Option<Field<'n, 'a>>; N], Vec<Field<'n, 'a>>) {
        let (mut fields, mut others) = ([None; N], Vec::new());
        // Most headers have their fields in the order of `known`.
        let mut next = 0;
        for (key, value) in pairs {
            let field = Field { key, value };
            let name = field.name();
            let found = (next..N).chain(0..next).find(|&nth| known.get(nth) == Some(&name));
            match found.and_then(|nth| Some((nth, fields.get_mut(nth)?))) {
                None => others.push(field),
                Some((_, Some(_))) => self.stands_twice(field),
                Some((nth, place)) => {
                    *place = Some(field);
                    next = nth + 1;
                }
            }
        }
        (fields, others)
    }

    fn stands_twice(&mut self, field: Field<'_, '_>) {
        self.fault(field.key.span, format!("the field `{}` appears twice", field.name()));
    }

    fn unknown_fields(&mut self, fields: &[Field<'_, '_>], known: &[&'static str], of: &str) {
        for field in fields {
            let message = format!("{of} has no field `{}`; the fields are {}", field.name(), known.join(", "));
            self.fault(field.key.span, message);
        }
    }

    /// Of the fields that not every game has, the ones that this game declares.
    fn game_fields<'a>(&mut self, others: &[Field<'_, 'a>], info: &'static Info) -> Vec<GameField<'a>> {
        let mut fields: Vec<GameField<'a>> = Vec::new();
        for field in others {
            let Some(own) = info.header_field(field.name()) else {
                let known: Vec<_> = FIELDS.iter().copied().chain(info.header.iter().map(|own| own.name)).collect();
                self.unknown_fields(&[*field], &known, &format!("the header of {}", info.title));
                continue;
            };
            if fields.iter().any(|other| other.name == own.name) {
                self.stands_twice(*field);
                continue;
            }
            (own.check)(field.key.span, field.value, &mut |span, message| self.fault(span, message));
            fields.push(GameField { name: own.name, value: field.value.clone() });
        }
        fields
    }

    /// A number that must be the one this program knows. Another number is unknown; anything else is a fault.
    fn edition(&mut self, field: Option<Field<'_, '_>>, name: &'static str, known: u64) -> Option<Diagnostic> {
        let value = field?.value;
        let text = self.text(value, name)?;
        if is_edition(&text, known) {
            return None;
        }
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) || text.len() > 1 && text.starts_with('0')
        {
            self.fault(value.span, format!("`{name}` is a whole number"));
            return None;
        }
        let message = format!("this program knows `{name}: {known}`, not {text}");
        Some(Diagnostic::fault(self.place(value.span), message).with_help("a later edition of it may"))
    }

    fn text<'a>(&mut self, value: &Node<'a>, field: &str) -> Option<Cow<'a, str>> {
        if let Value::Text(text) = &value.value {
            return Some(text.clone());
        }
        let what = if value.value == Value::Nothing { "has no value" } else { "is a text" };
        self.fault(value.span, format!("`{field}` {what}"));
        None
    }

    fn map<'n, 'a>(&mut self, value: &'n Node<'a>, field: &str) -> &'n [(Node<'a>, Node<'a>)] {
        if let Value::Map(pairs) = &value.value {
            return pairs;
        }
        self.fault(value.span, format!("`{field}` is a map"));
        &[]
    }

    fn players<'a>(&mut self, key: Span, value: &Node<'a>, info: &'static Info) -> [Player<'a>; 2] {
        let mut players: [Option<Player<'a>>; 2] = [None, None];
        for (name, value) in self.map(value, "players") {
            let word = if let Value::Text(word) = &name.value { word.as_ref() } else { "" };
            let Some(index) = info.sides.iter().position(|side| side.word == word) else {
                let [first, second] = info.sides.map(|side| side.word);
                self.fault(
                    name.span,
                    format!("{} has no side `{word}`; its sides are {first} and {second}", info.title),
                );
                continue;
            };
            let player = self.player(name.span, value, &format!("the player of `{word}`"));
            if players[index].replace(player).is_some() {
                self.fault(name.span, format!("the side `{word}` appears twice"));
            }
        }
        for (side, player) in info.sides.iter().zip(&players) {
            if player.is_none() {
                self.fault(key, format!("`players` lacks {}", side.named()));
            }
        }
        players.map(Option::unwrap_or_default)
    }

    fn host<'a>(&mut self, field: Field<'_, 'a>, players: Option<&[Player<'a>; 2]>) -> Option<Box<Host<'a>>> {
        let before = self.faults.len();
        let written = self.player(field.key.span, field.value, "`host`");
        if self.faults.len() > before {
            return None;
        }
        let has_key = written.key.is_some();
        let host = Host::of(written, players?);
        if host.is_none() {
            let what =
                if has_key { "the host plays no side: its key is not that of a player" } else { "`host` has no `key`" };
            self.fault(field.value.span, format!("{what} (Z38)"));
        }
        host
    }

    fn player<'a>(&mut self, key: Span, value: &Node<'a>, who: &str) -> Player<'a> {
        let word = who.split('`').nth(1).unwrap_or(who);
        let pairs = self.map(value, word);
        let of = if word == "host" { "`host`" } else { "a player" };
        let [name, email, public_key] = self.fields(pairs, &["name", "email", "key"], of);
        let mut player = Player::default();
        if let Some(text) = name.and_then(|field| self.text(field.value, "name")) {
            player.name = text;
        }
        player.email = email.and_then(|field| self.text(field.value, "email"));
        if let Some(field) = public_key
            && let Some(text) = self.text(field.value, "key")
        {
            match PublicKey::read(text.as_bytes()) {
                Ok(key) => player.key = Some(Box::new(key)),
                Err(fault) => self.fault(field.value.span, format!("this key {}", fault.text())),
            }
        }
        if !pairs.is_empty() && name.is_none() {
            self.fault(key, format!("{who} has no `name`"));
        }
        player
    }

    fn date(&mut self, value: &Node<'_>) -> Option<NaiveDate> {
        let text = self.text(value, "started")?;
        let date = calendar_day(text.as_bytes());
        if date.is_none() {
            self.fault(value.span, "`started` is a date, as in 2026-11-21");
        }
        date
    }

    fn clock(&mut self, value: &Node<'_>) -> Option<Clock> {
        let text = self.text(value, "clock")?;
        match Clock::read(&text) {
            Ok(clock) => Some(clock),
            Err(misfit) => {
                let message = format!(
                    "`clock: {text}` does not fit at character {}: expected {}",
                    misfit.offset + 1,
                    misfit.expected
                );
                let place = self.place(value.span);
                let help = "a clock is written as 5d, 50d/10 or 30d+1d, followed by ` leave 30d` if leave is granted, and ` forced 2d` if a forced answer has less time";
                self.faults.push(Diagnostic::fault(place, message).with_help(help));
                None
            }
        }
    }

    fn options(&mut self, value: &Node<'_>, info: &'static Info) -> Options {
        let mut options = Options::default();
        let mut names = BTreeSet::new();
        for (key, value) in self.map(value, "options") {
            let name = if let Value::Text(name) = &key.value { name.clone() } else { Cow::default() };
            if names.contains(&name) {
                self.fault(key.span, format!("the option `{name}` appears twice"));
                continue;
            }
            let Some(text) = self.text(value, &name) else { continue };
            match options.choose(info.options, &name, &text) {
                Ok(()) => {}
                Err(OptionFault::Unknown(known)) => {
                    self.fault(key.span, format!("{} has no option `{name}`; its options are {known}", info.title));
                }
                Err(OptionFault::Value(values)) => {
                    self.fault(value.span, format!("the option `{name}` is {values}, not `{text}`"));
                }
            }
            names.insert(name);
        }
        options
    }

    fn secrecy(&mut self, value: &Node<'_>, info: &'static Info) -> Secrecy {
        match self.text(value, "secrecy").as_deref() {
            Some("sealed") if info.sealable => return Secrecy::Sealed,
            Some("sealed") => {
                self.fault(value.span, format!("nothing is hidden or random in {}: it has no seals", info.title))
            }
            Some("open") | None => {}
            Some(_) => self.fault(value.span, "`secrecy` is open or sealed"),
        }
        Secrecy::Open
    }

    fn machine(&mut self, value: &Node<'_>, info: &'static Info) -> Option<Machine> {
        const NAMES: [&str; 3] = ["side", "level", "seed"];
        let pairs = self.map(value, "machine");
        let fields = self.fields(pairs, &NAMES, "`machine`");
        let missing: Vec<_> =
            NAMES.iter().zip(&fields).filter_map(|(name, field)| field.is_none().then_some(*name)).collect();
        if !missing.is_empty() && matches!(value.value, Value::Map(_)) {
            let second = info.sides[1].word;
            self.fault(
                value.span,
                format!("`machine` lacks {}: it is written {{side: {second}, level: 2, seed: 7}}", missing.join(", ")),
            );
        }
        let [side, level, seed] =
            fields.map(|field| field.and_then(|field| Some((field.value.span, self.text(field.value, "machine")?))));
        let side = side.and_then(|(span, word)| {
            let side = info.side(&word);
            if side.is_none() {
                let [first, second] = info.sides.map(|side| side.word);
                self.fault(span, format!("{} has no side `{word}`; its sides are {first} and {second}", info.title));
            }
            side
        });
        let level = level.and_then(|(span, text)| match text.as_bytes() {
            [digit @ b'1'..=b'5'] => Some(digit - b'0'),
            _ => {
                self.fault(span, "the machine's level is a whole number from 1 to 5");
                None
            }
        });
        let seed = seed.and_then(|(span, text)| {
            let number = text.parse().ok().filter(|number: &u64| number.to_string() == *text);
            if number.is_none() {
                self.fault(span, "the machine's seed is a whole number below 2^64");
            }
            number
        });
        Some(Machine { side: side?, level: level?, seed: seed? })
    }

    fn tags(&mut self, value: &Node<'_>) {
        let mut names = BTreeSet::new();
        for (key, value) in self.map(value, "tags") {
            match &key.value {
                Value::Text(name) if !names.insert(name.as_ref()) => {
                    self.fault(key.span, format!("the tag `{name}` appears twice"));
                }
                Value::Text(_) => {}
                _ => self.fault(key.span, "a tag's name is a text"),
            }
            self.text(value, "tags");
        }
    }
}
