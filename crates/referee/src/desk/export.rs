//! A record as rows of data: one for the game, one per entry. Pure: bytes in, rows out.

use serde::Serialize;

use super::audit::{is_unproven, owed_at_end};
use crate::record::{Entry, Item, Secrecy, Time};
use crate::sealing::{Check, PublicKey};
use crate::verdict::{Opened, Ruling, Signers, Verdict};
use postrider_kernel::text::is_steering;
use postrider_kernel::{Outcome, Side};

/// The row of a game. A member is null if it is not known.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GameRow {
    /// The path of the record.
    pub path: Option<String>,
    /// The game's id.
    pub id: Option<String>,
    /// The game's name on the command line.
    pub game: Option<&'static str>,
    /// The edition of the rulebook.
    pub edition: Option<u64>,
    /// The title.
    pub title: Option<String>,
    /// The options chosen, as `name=value`, separated by spaces.
    pub options: Option<String>,
    /// `open` or `sealed`.
    pub secrecy: Option<&'static str>,
    /// The name of the first side.
    pub first_side: Option<&'static str>,
    /// Its player's name.
    pub first_name: Option<String>,
    /// Its player's mail address, if addresses are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_email: Option<String>,
    /// The fingerprint of the key that has signed for it.
    pub first_key: Option<String>,
    /// The name of the second side.
    pub second_side: Option<&'static str>,
    /// Its player's name.
    pub second_name: Option<String>,
    /// Its player's mail address, if addresses are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_email: Option<String>,
    /// The fingerprint of the key that has signed for it.
    pub second_key: Option<String>,
    /// The day on which the game began.
    pub started: Option<String>,
    /// The time of the last entry of a game that is over.
    pub ended: Option<String>,
    /// How many entries are legal, from the first.
    pub entries: u32,
    /// The text of the result line.
    pub result: Option<String>,
    /// The winning side, or `draw`.
    pub winner: Option<&'static str>,
    /// How the game ended, as stated in the result line.
    pub how: Option<&'static str>,
    /// `legal`, `illegal`, `malformed` or `unjudged`.
    pub verdict: &'static str,
    /// Who has signed: `both`, `first`, `second` or `none`.
    pub signatures: Option<&'static str>,
    /// The sides with a declared key that has signed nothing: `both`, `first` or `second`.
    pub declared: Option<&'static str>,
    /// The side that ended the game while something that it had sealed was to be shown ([`owed_at_end`]).
    pub owed_by: Option<&'static str>,
    /// What that was: `an opening`, `a reveal`, `seeds`.
    pub owed: Option<&'static str>,
    /// The seconds that the first side used, by the times of the entries.
    pub first_seconds: Option<i64>,
    /// The seconds that the second side used.
    pub second_seconds: Option<i64>,
    /// The rule that is broken.
    pub fault_rule: Option<&'static str>,
    /// The entry at fault.
    pub fault_entry: Option<u32>,
    /// What is wrong.
    pub fault: Option<String>,
}

/// The row of an entry.
#[derive(Clone, Debug, Serialize)]
pub struct EntryRow {
    /// The path of the record.
    pub path: Option<String>,
    /// The game's id.
    pub id: String,
    /// The game's name.
    pub game: &'static str,
    /// The entry's number.
    pub number: u32,
    /// The name of the side.
    pub side: &'static str,
    /// The actions in canonical spelling.
    pub actions: String,
    /// The time.
    pub time: Option<String>,
    /// Seconds on the side's clock after the entry.
    pub clock_left: Option<i64>,
    /// The message.
    pub message: Option<String>,
    /// Whether it is signed.
    pub signed: bool,
    /// The position line after the entry, if positions are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A whole number.
    Number,
    /// A day, as `2026-11-21`.
    Day,
    /// A time in UTC, as `2026-11-21T10:15:00Z`.
    Time,
    /// True or false.
    Flag,
}

/// The name of a column and what it holds.
pub type Column = (&'static str, Kind);

/// A row of a table.
pub trait Row: Serialize {
    /// All columns, in their order. Those that are only there if they are requested are among them.
    const COLUMNS: &'static [Column];

    /// Passes each text that somebody could have chosen to `change`.
    fn texts(&mut self, change: fn(&mut String));

    /// Makes texts that a spreadsheet would take for formulas plain ones, as [`plain`] does.
    fn make_plain(&mut self) {
        self.texts(plain);
    }
}

/// Shows what could turn the direction of writing or is invisible as its number, and puts an apostrophe before a text that a
/// spreadsheet would take for a formula, by its first character. Tabs and line ends stay as they are.
pub fn plain(text: &mut String) {
    let steers = |c: char| !matches!(c, '\t' | '\r' | '\n') && is_steering(c);
    if text.chars().any(steers) {
        let shown = |c: char| if steers(c) { c.escape_unicode().to_string() } else { c.to_string() };
        *text = text.chars().map(shown).collect();
    }
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        text.insert(0, '\'');
    }
}

impl Row for GameRow {
    const COLUMNS: &'static [Column] = &[
        ("path", Kind::Text),
        ("id", Kind::Text),
        ("game", Kind::Text),
        ("edition", Kind::Number),
        ("title", Kind::Text),
        ("options", Kind::Text),
        ("secrecy", Kind::Text),
        ("first_side", Kind::Text),
        ("first_name", Kind::Text),
        ("first_email", Kind::Text),
        ("first_key", Kind::Text),
        ("second_side", Kind::Text),
        ("second_name", Kind::Text),
        ("second_email", Kind::Text),
        ("second_key", Kind::Text),
        ("started", Kind::Day),
        ("ended", Kind::Time),
        ("entries", Kind::Number),
        ("result", Kind::Text),
        ("winner", Kind::Text),
        ("how", Kind::Text),
        ("verdict", Kind::Text),
        ("signatures", Kind::Text),
        ("declared", Kind::Text),
        ("owed_by", Kind::Text),
        ("owed", Kind::Text),
        ("first_seconds", Kind::Number),
        ("second_seconds", Kind::Number),
        ("fault_rule", Kind::Text),
        ("fault_entry", Kind::Number),
        ("fault", Kind::Text),
    ];

    fn texts(&mut self, change: fn(&mut String)) {
        let chosen = [
            &mut self.path,
            &mut self.title,
            &mut self.options,
            &mut self.first_name,
            &mut self.first_email,
            &mut self.second_name,
            &mut self.second_email,
            &mut self.fault,
        ];
        chosen.into_iter().flatten().for_each(change);
    }
}

impl Row for EntryRow {
    const COLUMNS: &'static [Column] = &[
        ("path", Kind::Text),
        ("id", Kind::Text),
        ("game", Kind::Text),
        ("number", Kind::Number),
        ("side", Kind::Text),
        ("actions", Kind::Text),
        ("time", Kind::Time),
        ("clock_left", Kind::Number),
        ("message", Kind::Text),
        ("signed", Kind::Flag),
        ("position", Kind::Text),
    ];

    fn texts(&mut self, change: fn(&mut String)) {
        change(&mut self.actions);
        [&mut self.path, &mut self.message, &mut self.position].into_iter().flatten().for_each(change);
    }
}

/// What to extract from a record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// The players' mail addresses.
    pub addresses: bool,
    /// The entries.
    pub entries: bool,
    /// The position after each entry.
    pub positions: bool,
    /// Whether a sealed win is proven, which takes an audit.
    pub proof: bool,
}

/// Both players of a game.
pub type Players = [Player; 2];

/// A player, as a record names one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The name.
    pub name: String,
    /// The mail address.
    pub email: Option<String>,
    /// The fingerprint of the key that the player has signed with.
    pub key: Option<String>,
    /// Whether a key is declared for the player, or for the host in this place, and has signed nothing.
    pub is_silent: bool,
}

/// A record as rows.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The game.
    pub game: GameRow,
    /// The legal entries, if they are requested.
    pub entries: Vec<EntryRow>,
    /// The players, if the header could be read.
    pub players: Option<Players>,
    /// How the game ended, if it is legal and over.
    pub outcome: Option<Outcome>,
    /// Whether a sealed game is won but the win is not proven (Z24), if that is requested.
    pub unproven: bool,
    /// Who ended a sealed game while something was to be shown ([`owed_at_end`]).
    pub owing: Option<Side>,
    /// The keys of the two sides.
    pub keys: [Option<PublicKey>; 2],
    /// How many entries each side has made.
    pub made: [u32; 2],
}

/// Splits a record into rows, up to its first fault.
#[must_use]
pub fn rows(path: Option<&str>, source: &[u8], wanted: Wanted) -> Rows {
    let mut entries = Vec::new();
    let rows = rows_as_they_come(path, source, wanted, |_, row| {
        entries.push(row);
        true
    });
    Rows { entries, ..rows }
}

/// Like [`rows`], for a record of which there may be more rows than should be kept: each entry's is passed to `take` with the game
/// after it, until `take` returns false.
#[must_use]
pub fn rows_as_they_come(
    path: Option<&str>,
    source: &[u8],
    wanted: Wanted,
    take: impl FnMut(&Opened<'_>, EntryRow) -> bool,
) -> Rows {
    let path = path.map(str::to_owned);
    let (mut opened, verdict, unproven, owed) = match opened(source, wanted.proof) {
        Ok(opened) => opened,
        Err(verdict) => {
            let mut rows = Rows::default();
            rows.game = GameRow { path, game: verdict.game.map(|game| game.name), ..rows.game };
            fault(&mut rows.game, &verdict);
            return rows;
        }
    };
    let header = &opened.header;
    let info = header.info;
    // Whoever plays by a host is not known by its key, and nobody by one that has signed nothing.
    let signers = verdict.signers.as_deref();
    let keys = signers.map_or([None; 2], Signers::own_keys);
    let silent = Side::BOTH.map(|side| signers.is_some_and(|signers| signers.silent(side).is_some()));
    let key = |side: Side| keys[side.index()].filter(|_| !silent[side.index()]).map(|key| key.fingerprint());
    let players = Side::BOTH.map(|side| Player {
        name: header.player(side).name.to_string(),
        email: header.player(side).email.as_deref().map(str::to_owned),
        key: key(side),
        is_silent: silent[side.index()],
    });
    let email = |side: usize| players[side].email.clone().filter(|_| wanted.addresses);
    let options: Vec<String> = header.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut game = GameRow {
        path: path.clone(),
        id: Some(header.id.to_string()),
        game: Some(info.name),
        edition: Some(info.edition),
        title: header.title.as_deref().map(str::to_owned),
        options: Some(options.join(" ")),
        secrecy: Some(if header.secrecy == Secrecy::Sealed { "sealed" } else { "open" }),
        first_side: Some(info.sides[0].word),
        first_name: Some(players[0].name.clone()),
        first_email: email(0),
        first_key: players[0].key.clone(),
        second_side: Some(info.sides[1].word),
        second_name: Some(players[1].name.clone()),
        second_email: email(1),
        second_key: players[1].key.clone(),
        started: Some(header.started.to_string()),
        entries: verdict.entries,
        result: verdict.outcome.map(|outcome| outcome.text(&info.sides)),
        winner: verdict.outcome.map(|outcome| match outcome {
            Outcome::Win(side, _) => info.sides[side.index()].word,
            Outcome::Draw(_) => "draw",
        }),
        how: verdict.outcome.map(|outcome| match outcome {
            Outcome::Win(_, how) | Outcome::Draw(how) => how,
        }),
        signatures: which(Side::BOTH.map(|side| signers.is_some_and(|signers| signers.signing(side).is_some())))
            .or(Some("none")),
        declared: which(silent),
        owed_by: owed.map(|(side, _)| info.sides[side.index()].word),
        owed: owed.map(|(_, what)| what),
        ..GameRow::default()
    };
    fault(&mut game, &verdict);
    let mut walk = Walk::default();
    walk.entries(&mut opened, verdict.entries, &path, wanted, take);
    if verdict.outcome.is_some() {
        game.ended = walk.last.map(|time| time.to_string());
    }
    [game.first_seconds, game.second_seconds] = walk.used.map(|used| used.filter(|_| walk.last.is_some()));
    let outcome = verdict.outcome.filter(|_| verdict.ruling == Ruling::Legal);
    let owing = owed.map(|(side, _)| side).filter(|_| outcome.is_some());
    Rows { game, entries: Vec::new(), players: Some(players), outcome, unproven, owing, keys, made: verdict.made }
}

/// Which of the two sides it is: `both`, `first`, `second`; `None` for neither.
const fn which(sides: [bool; 2]) -> Option<&'static str> {
    match sides {
        [true, true] => Some("both"),
        [true, false] => Some("first"),
        [false, true] => Some("second"),
        [false, false] => None,
    }
}

/// How many bytes the rows of a record with positions may have together. Those of a long real game have a hundredth of it.
pub const MOST_BYTES: usize = 128 << 20;
/// About how many bytes a row has beside its texts.
pub const ROW: usize = 128;

/// Like [`rows_as_they_come`]; rows with positions beyond `most` bytes, which can be as long as the record each, are left out, and the
/// fault says so.
#[must_use]
pub fn rows_within(
    most: usize,
    path: Option<&str>,
    source: &[u8],
    wanted: Wanted,
    mut take: impl FnMut(EntryRow) -> bool,
) -> Rows {
    let (mut bytes, mut cut) = (0, None);
    let mut rows = rows_as_they_come(path, source, wanted, |_, row| {
        if let Some(position) = &row.position {
            bytes += ROW + position.len() + row.actions.len() + row.message.as_ref().map_or(0, String::len);
        }
        if bytes > most {
            cut = Some(row.number);
            return false;
        }
        take(row)
    });
    if let Some(entry) = cut {
        rows.game.verdict = "unjudged";
        rows.game.fault = Some(format!(
            "the rows with positions are longer than any real game's; those from entry {entry} on are left out"
        ));
    }
    rows
}

/// What [`opened`] returns.
type Judged<'a> = (Opened<'a>, Verdict, bool, Option<(Side, &'static str)>);

/// The record before its first entry, the verdict on it, whether it is an unproven win if `proof` asks for that, and what was owed at its
/// end.
fn opened(source: &[u8], proof: bool) -> Result<Judged<'_>, Box<Verdict>> {
    let mut judged = Opened::new(source)?;
    let verdict = judged.replay(u32::MAX);
    let unproven = proof && verdict.ruling == Ruling::Legal && is_unproven(&judged);
    let owed = owed_at_end(&judged.table.standing()).filter(|_| verdict.ruling == Ruling::Legal);
    drop(judged);
    Ok((Opened::new(source)?, verdict, unproven, owed))
}

/// Passes the rows of the first entries of a record that was judged to `take`, each with the game after it. `opened`: the record before
/// its first entry.
pub fn entries(opened: &mut Opened<'_>, entries: u32, take: impl FnMut(&Opened<'_>, EntryRow) -> bool) {
    Walk::default().entries(opened, entries, &None, Wanted { entries: true, ..Wanted::default() }, take);
}

fn fault(game: &mut GameRow, verdict: &Verdict) {
    game.verdict = verdict.ruling.word();
    if let Some(error) = verdict.errors.first() {
        game.fault_rule = error.rule;
        game.fault_entry = error.entry;
        game.fault = Some(error.line());
    }
}

/// What is collected while walking through a record.
#[derive(Default)]
struct Walk {
    last: Option<Time>,
    used: [Option<i64>; 2],
}

impl Walk {
    fn entries(
        &mut self,
        opened: &mut Opened<'_>,
        entries: u32,
        path: &Option<String>,
        wanted: Wanted,
        mut take: impl FnMut(&Opened<'_>, EntryRow) -> bool,
    ) {
        // They were checked when the record was judged.
        opened.table.set_check(Check::Nothing);
        let mut body = opened.body();
        let mut number = 0;
        while number < entries
            && let Some(item) = body.next_item()
        {
            let Item::Entry(entry) = item else { continue };
            number += 1;
            self.time(opened.text, &entry);
            if !wanted.entries {
                continue;
            }
            let Ok(written) = opened.table.pass_written(opened.text, &entry) else { break };
            let standing = opened.table.standing();
            let (actions, _, message) = super::parts(&written);
            let row = EntryRow {
                path: path.clone(),
                id: opened.header.id.to_string(),
                game: opened.header.info.name,
                number,
                side: opened.header.info.sides[entry.side.index()].word,
                actions: actions.to_owned(),
                time: entry.time.map(|time| time.to_string()),
                clock_left: standing.clocks.map(|clocks| clocks.left(entry.side)),
                message: message.map(str::to_owned),
                signed: entry.signature.is_some(),
                position: wanted.positions.then(|| opened.table.position()),
            };
            if !take(opened, row) {
                break;
            }
        }
    }

    /// Adds the time since the previous entry to the side that was due; the first entry costs nothing.
    fn time(&mut self, text: &str, entry: &Entry) {
        let Some(time) = entry.time else { return };
        if let Some(last) = self.last {
            // Time is claimed by the side that is not due (E7).
            let claimed = entry.actions.text(text) == "claim time";
            let side = if claimed { entry.side.other() } else { entry.side };
            let used = self.used[side.index()].get_or_insert(0);
            *used = used.saturating_add(time.0.saturating_sub(last.0));
        }
        self.last = Some(time);
    }
}
