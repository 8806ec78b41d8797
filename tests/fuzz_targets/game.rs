//! Any bytes as a game: they choose the options, the entries and how those are spoiled, for any game in the registry.

use postrider_kernel::text::Span;
use postrider_kernel::{Options, Outcome, SetupFault, Side, Values, Viewer};
use postrider_referee::judging::Table;
use postrider_referee::record::{Body, Entry, Faults, Item, Time};
use postrider_referee::registry;
use postrider_referee::registry::AnyGame;
use postrider_referee::verdict::{Opened, Ruling, format, verify};

use super::envelope::{check, envelope};
use super::steps;

/// The most lines that are tried in one game.
const MOST: usize = 160;

/// What happened in a game, so that a test can check that it tried what it means to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Entries taken from the list and played.
    pub listed: usize,
    /// Entries played in another spelling than the listed one.
    pub respelled: usize,
    /// Entries that broke a rule.
    pub illegal: usize,
    /// Lines that did not fit the grammar.
    pub malformed: usize,
    /// Draw offers that were accepted as legal.
    pub offers: usize,
    /// Entries in the middle that were replaced.
    pub replaced: usize,
    /// How the game ended.
    pub outcome: Option<Outcome>,
}

/// Bytes as dice. Once they have run out, every throw is 0.
struct Dice<'a>(&'a [u8]);

impl Dice<'_> {
    /// A number below `sides`, which must not be 0.
    fn throw(&mut self, sides: usize) -> usize {
        let mut value = 0;
        let mut left = sides - 1;
        while left > 0 {
            value = value << 8 | usize::from(self.byte());
            left >>= 8;
        }
        value % sides
    }

    fn byte(&mut self) -> u8 {
        match self.0 {
            [first, rest @ ..] => {
                self.0 = rest;
                *first
            }
            [] => 0,
        }
    }

    fn pick<'t, T>(&mut self, list: &'t [T]) -> Option<&'t T> {
        if list.is_empty() { None } else { list.get(self.throw(list.len())) }
    }
}

/// Any text as a position, under options chosen by the first byte: a valid one is written as a position that reads back
/// the same, and what is listed there is legal.
pub fn position(name: &str, data: &[u8]) {
    let game = registry::find(name).expect("a game");
    let mut dice = Dice(data);
    let options = choose_options(game, dice.byte());
    let Ok(text) = std::str::from_utf8(dice.0) else { return };
    let Some(table) = table_at(game, &options, text) else { return };
    same_position(game, &options, table.as_ref());
    // Some positions have tens of thousands of entries; of many, some are tried.
    let moves = table.moves();
    for entry in moves.iter().step_by(moves.len() / 64 + 1) {
        let mut next = table_at(game, &options, text).expect("it read before");
        let entry = match game.info().stepwise {
            true => steps::entry(game, next.as_ref(), Some(entry), &mut |_| 0),
            false => whole(game, entry, next.as_ref(), &mut Dice(&[])),
        };
        play(next.as_mut(), game, &entry);
        same_position(game, &options, next.as_ref());
    }
    for viewer in [Viewer::Public, Viewer::Side(Side::First), Viewer::Side(Side::Second), Viewer::Omniscient] {
        let _ = table.view(viewer);
    }
}

/// The options with this number, counting through all combinations and starting over after the last. 0 chooses none.
fn choose_options(game: &dyn AnyGame, number: u8) -> Options {
    let specs = game.info().options;
    let mut options = Options::default();
    let mut left = usize::from(number);
    for spec in specs {
        let words = values(spec.values, game.info().samples.values);
        let nth = left % (words.len() + 1);
        left /= words.len() + 1;
        if let Some(word) = nth.checked_sub(1).and_then(|nth| words.get(nth)) {
            options.choose(specs, spec.name, word).expect("a value of the option");
        }
    }
    // What requires sealed play is left out, because these games are open.
    while let Err(SetupFault::Needs { option, .. }) = game.table(&options, None) {
        options = without(game, &options, option);
    }
    options
}

/// In some lists one word stands for very many entries; returns an entry that it stands for.
fn whole(game: &dyn AnyGame, listed: &str, table: &dyn Table, dice: &mut Dice<'_>) -> String {
    match game.info().samples.placeholder(listed) {
        Some(word) => (word.example)(table.standing().due.side, &mut |below| dice.throw(below)),
        None => listed.to_owned(),
    }
}

/// The named values of an option, and some of the others if there are any.
fn values(values: Values, samples: &[&'static str]) -> Vec<String> {
    let named = values.describe();
    let named = named.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let mut words: Vec<_> = named.chain(["12"]).chain(samples.iter().copied()).map(str::to_owned).collect();
    words.retain(|word| values.find(word).is_some());
    words.sort();
    words.dedup();
    words
}

/// The same options without one of them.
fn without(game: &dyn AnyGame, options: &Options, left_out: &str) -> Options {
    let mut fewer = Options::default();
    for (name, value) in options.iter().filter(|(name, _)| *name != left_out) {
        fewer.choose(game.info().options, name, value).expect("a value of the option");
    }
    fewer
}

/// A game at a position. An option that describes the normal start is left out.
fn table_at(game: &dyn AnyGame, options: &Options, position: &str) -> Option<Box<dyn Table>> {
    match game.table(options, Some(position)) {
        Ok(table) => Some(table),
        Err(SetupFault::Beside { option } | SetupFault::Needs { option, .. }) => {
            table_at(game, &without(game, options, option), position)
        }
        Err(SetupFault::Position(misfit)) => {
            assert!(misfit.offset <= position.len() && !misfit.expected.is_empty(), "{position:?}: {misfit:?}");
            None
        }
    }
}

/// Checks that the table's position reads back as it was written, with the same side due and the same entries listed.
fn same_position(game: &dyn AnyGame, options: &Options, table: &dyn Table) {
    let position = table.position();
    // If a game has not begun, or is over, its position may not be valid as a set-up.
    if game.info().samples.no_setups.iter().any(|end| position.ends_with(end)) {
        return;
    }
    let again = table_at(game, options, &position).unwrap_or_else(|| panic!("{position:?} cannot be read"));
    assert_eq!(again.position(), position);
    assert_eq!(again.standing().due.side, table.standing().due.side, "{position:?}");
    if table.standing().outcome.is_none() {
        assert_eq!(again.moves(), table.moves(), "{position:?}");
        assert_eq!(again.standing().outcome, None, "{position:?}");
    } else {
        assert!(table.moves().is_empty(), "{position:?}: nothing is listed in a game that is over");
    }
}

/// Plays a listed entry at a table whose record is not kept.
fn play(table: &mut dyn Table, game: &dyn AnyGame, actions: &str) {
    let standing = table.standing();
    let word = game.info().sides[standing.due.side.index()].word;
    let text = format!("{} {word} {actions}\n", standing.entries + 1);
    let entry = entry_at(game, &text, 0).expect("a line that fits");
    assert_eq!(table.canonical(&text, &entry), actions, "what is listed is canonical");
    if let Err(stop) = table.enter(&text, &entry) {
        panic!("{actions:?} is listed at {:?} and refused: {stop:?}", table.position());
    }
}

/// The entry whose line begins at `start` and is the last of `text`.
pub fn entry_at(game: &dyn AnyGame, text: &str, start: usize) -> Option<Entry> {
    let span = Span::new(start, text.len());
    let mut body = Body::new(text.as_bytes(), span, Some(game.info()), Faults::default());
    match body.next_item() {
        Some(Item::Entry(entry)) if body.next_item().is_none() && body.faults.is_empty() => Some(entry),
        _ => None,
    }
}

/// Any bytes as a game: whatever is entered, what is listed is legal, what is legal is listed, what is refused changes
/// nothing, and the resulting record is legal.
pub fn record(name: &str, data: &[u8]) -> Tally {
    let mut script = Script::new(registry::find(name).expect("a game"), Dice(data));
    for _ in 0..MOST {
        if script.dice.0.is_empty() || script.table.standing().outcome.is_some() {
            break;
        }
        script.step();
    }
    script.finish()
}

/// A game while it is being played.
struct Script<'a> {
    game: &'static dyn AnyGame,
    dice: Dice<'a>,
    options: Options,
    table: Box<dyn Table>,
    /// The record so far; every line of it was accepted.
    text: String,
    /// Where the entries begin, and what was listed when each was made.
    entries: Vec<(usize, Vec<String>)>,
    /// The last entry that was taken from the list.
    whole: String,
    timed: bool,
    canonical: bool,
    tally: Tally,
}

impl<'a> Script<'a> {
    fn new(game: &'static dyn AnyGame, mut dice: Dice<'a>) -> Self {
        let options = choose_options(game, dice.byte());
        let info = game.info();
        let [first, second] = info.sides.map(|side| side.word);
        let mut text = format!(
            "---\npbem: 1\ngame: {}\nid: {}-20261121-7k3q9x\nplayers:\n  {first}: {{name: Ada Quill}}\n  {second}: {{name: Bram Post}}\n\
             started: 2026-11-21\n",
            info.name, info.name
        );
        let clock = ["", "5d", "2d/3 leave 4d", "1d+1h leave 2d"][dice.throw(4)];
        if !clock.is_empty() {
            text.push_str(&format!("clock: {clock}\n"));
        }
        if !options.is_empty() {
            let list: Vec<_> = options.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            text.push_str(&format!("options: {{{}}}\n", list.join(", ")));
        }
        text.push_str("---\n");
        let timed = !clock.is_empty() || dice.throw(4) == 0;
        let table = Opened::new(text.as_bytes()).unwrap_or_else(|verdict| panic!("{verdict:?}: {text}")).table;
        let entries = Vec::new();
        let whole = String::new();
        Self { game, dice, options, table, text, entries, whole, timed, canonical: true, tally: Tally::default() }
    }

    /// Tries one line.
    fn step(&mut self) {
        let (moves, listed) = if self.game.info().stepwise {
            // What is listed may be beginnings; a whole entry represents them.
            let entry = steps::entry(self.game, self.table.as_ref(), None, &mut |sides| self.dice.throw(sides));
            (vec![entry.clone()], entry)
        } else {
            let moves = self.table.moves();
            let listed = self.dice.pick(&moves).cloned().unwrap_or_default();
            let listed = whole(self.game, &listed, self.table.as_ref(), &mut self.dice);
            (moves, listed)
        };
        self.whole.clone_from(&listed);
        // Most lines are plain moves, so that games make progress.
        let actions = match self.dice.throw(24) {
            0 => self.respelled(&listed),
            1 => self.mutated(&listed),
            2 => format!("{listed}; {}", self.dice.pick(&moves).cloned().unwrap_or_default()),
            3 | 4 => format!("{listed}; draw?"),
            5 => "draw!".into(),
            6 if self.dice.throw(8) == 0 => "resign".into(),
            7 => ["claim time", "claim repetition", "claim quiet", "claim"][self.dice.throw(4)].into(),
            8 => format!("{listed}; leave {}d", self.dice.throw(6)),
            9 => format!("draw?; {listed}"),
            10 => format!("{listed}; leave 1d; draw?"),
            11 => {
                let earlier = self.dice.throw(self.entries.len().max(1));
                let before = self.entries.get(earlier).map_or(&moves, |(_, moves)| moves);
                let entry = self.dice.pick(before).cloned().unwrap_or_default();
                whole(self.game, &entry, self.table.as_ref(), &mut self.dice)
            }
            _ => listed,
        };
        let spoilt = if self.dice.throw(10) == 9 { 1 + self.dice.throw(8) } else { 0 };
        let line = self.line(&actions, spoilt);
        self.enter(&line, &moves, &actions, spoilt);
    }

    /// A shorthand or something similar: the last action left out, or the words of an action in another order.
    fn respelled(&mut self, listed: &str) -> String {
        let mut actions: Vec<String> = listed.split("; ").map(str::to_owned).collect();
        if self.game.info().stepwise && self.dice.throw(2) == 0 {
            actions.iter_mut().for_each(|action| *action = (self.game.info().samples.respelled)(action));
        } else if actions.len() > 1 && self.dice.throw(2) == 0 {
            actions.pop();
        } else {
            for action in &mut actions {
                let mut words: Vec<_> = action.split(' ').collect();
                // In a stepwise game, long actions first name who acts, then on what.
                let named = if self.game.info().stepwise && words.len() > 3 { 2 } else { 1 };
                words.iter_mut().skip(named).rev().zip(action.split(' ').skip(named)).for_each(|(to, from)| *to = from);
                *action = words.join(" ");
            }
        }
        actions.join("; ")
    }

    /// A slip: one character left out, doubled or replaced.
    fn mutated(&mut self, listed: &str) -> String {
        let mut characters: Vec<char> = listed.chars().collect();
        let at = self.dice.throw(characters.len().max(1));
        let other = char::from(b"abcdefgh12345678x-; BD?!+#.~"[self.dice.throw(28)]);
        match (characters.get(at).copied(), self.dice.throw(3)) {
            (Some(_), 0) => drop(characters.remove(at)),
            (Some(same), 1) => characters.insert(at, same),
            (Some(_), _) => characters[at] = other,
            (None, _) => characters.push(other),
        }
        characters.into_iter().collect()
    }

    /// The line of an entry, spoiled in one of several ways, or not at all for 0.
    fn line(&mut self, actions: &str, spoilt: usize) -> String {
        let standing = self.table.standing();
        // The side that claims time is not due.
        let turned = (actions == "claim time") != (spoilt == 1);
        let side = if turned { standing.due.side.other() } else { standing.due.side };
        let number = standing.entries + if spoilt == 2 { 2 } else { 1 };
        let mut line = format!("{number} {} {actions}", self.game.info().sides[side.index()].word);
        let last = standing.last.map_or(1_795_256_100, |time| time.0);
        let later = [0, 3600, 86_399, 86_400, 200_000, 432_001][self.dice.throw(6)];
        if self.timed != (spoilt == 3) {
            let time = if spoilt == 4 { last - 1 } else { last + later };
            line.push_str(&format!(" @{}", Time(time)));
        }
        match spoilt {
            5 => line.push_str(" {one}{two}"),
            6 => line.push_str("\u{1b}[0m"),
            7 => line = line.replacen(' ', "  ", 1),
            8 => line.insert(0, '0'),
            _ if self.dice.throw(4) == 0 => line.push_str(" {a word: é, “nought”}"),
            _ => {}
        }
        line.push('\n');
        line
    }

    /// Enters a line; if it is refused, it is removed again.
    fn enter(&mut self, line: &str, moves: &[String], actions: &str, spoilt: usize) {
        let start = self.text.len();
        self.text.push_str(line);
        let before = self.standing();
        let entry = entry_at(self.game, &self.text, start);
        let accepted = match &entry {
            None => false,
            Some(entry) => {
                let canonical = self.table.canonical(&self.text, entry);
                let own = own_actions(&canonical);
                // What may come next is asked before the entry is made.
                let stepwise = self.game.info().stepwise;
                let by_steps = stepwise
                    && !own.is_empty()
                    && (own == self.whole || steps::is_listed(self.game, self.table.as_ref(), own));
                let accepted = self.table.enter(&self.text, entry).is_ok();
                let plain = moves.iter().any(|listed| listed == actions)
                    && whole(self.game, actions, self.table.as_ref(), &mut Dice(&[])) == actions
                    || actions == self.whole;
                if accepted && !own.is_empty() {
                    assert!(
                        by_steps
                            || !stepwise
                                && moves.iter().any(|listed| *listed == self.game.info().samples.as_listed(own)),
                        "{line:?} is legal and not listed: {canonical:?}"
                    );
                }
                if plain && spoilt == 0 && !line.contains(" a word") {
                    assert_eq!(canonical, actions, "what is listed is canonical");
                    assert!(accepted, "{line:?} is listed and refused in\n{}", self.text);
                }
                if accepted {
                    self.canonical &= entry.actions.text(&self.text) == canonical;
                    self.tally.respelled += usize::from(canonical != entry.actions.text(&self.text));
                    self.tally.listed += usize::from(plain);
                    self.tally.offers += usize::from(canonical.ends_with("draw?"));
                }
                accepted
            }
        };
        if accepted {
            self.entries.push((start, moves.to_vec()));
            // An entry spoiled by having or lacking a time decides for the record if it is the first.
            self.timed = self.table.standing().timed.unwrap_or(self.timed);
            same_position(self.game, &self.options, self.table.as_ref());
            return;
        }
        assert_eq!(self.standing(), before, "{line:?} is refused and changes something");
        let verdict = verify(self.text.as_bytes());
        check(&verdict, self.text.as_bytes());
        assert_ne!(verdict.ruling, Ruling::Legal, "{line:?}");
        if entry.is_some() {
            let played = self.entries.len() as u32;
            assert_eq!((verdict.entries, verdict.errors[0].entry), (played, Some(played + 1)), "{line:?}");
        }
        self.tally.illegal += usize::from(verdict.ruling == Ruling::Illegal);
        self.tally.malformed += usize::from(verdict.ruling == Ruling::Malformed);
        self.text.truncate(start);
    }

    fn standing(&self) -> (String, String) {
        (self.table.position(), format!("{:?}", self.table.standing()))
    }

    /// Checks the whole record again: legal, canonical, the same when read again, and cut short where an entry is
    /// replaced.
    fn finish(mut self) -> Tally {
        let source = self.text.as_bytes();
        let verdict = verify(source);
        let standing = self.table.standing();
        assert_eq!(verdict.ruling, Ruling::Legal, "{:?} in\n{}", verdict.errors, self.text);
        assert_eq!((verdict.entries, verdict.outcome), (self.entries.len() as u32, standing.outcome));
        assert_eq!(verdict.due, standing.outcome.is_none().then_some(standing.due.side));
        envelope(source);
        let canonical = format(source).expect("a legal record");
        let result = standing.outcome.map(|outcome| format!("= {}\n", outcome.text(&self.game.info().sides)));
        if self.canonical {
            let expected = format!("{}{}", self.text, result.unwrap_or_default());
            assert_eq!(String::from_utf8_lossy(&canonical), expected);
        }
        assert_eq!(format(self.text.replace('\n', "\r\n").as_bytes()).expect("a legal record"), canonical);
        let mut again = Opened::new(&canonical).expect("a legal record");
        assert_eq!(again.replay(u32::MAX).ruling, Ruling::Legal);
        assert_eq!((again.table.position(), format!("{:?}", again.table.standing())), self.standing());
        let wrong = format!("{}= nobody wins: tired\n", self.text);
        let verdict = verify(wrong.as_bytes());
        assert_eq!((verdict.ruling, verdict.errors[0].rule), (Ruling::Illegal, Some("E8")));
        if standing.outcome.is_some() {
            self.nothing_follows_the_end();
        }
        self.replace_in_the_middle();
        self.tally.outcome = standing.outcome;
        self.tally
    }

    fn nothing_follows_the_end(&self) {
        for side in self.game.info().sides {
            let more = format!("{}{} {} resign\n", self.text, self.entries.len() + 1, side.word);
            let verdict = verify(more.as_bytes());
            assert_eq!((verdict.ruling, verdict.errors[0].rule), (Ruling::Illegal, Some("E4")));
            assert_eq!(verdict.entries as usize, self.entries.len());
        }
    }

    /// Puts an entry from another turn in the place of one: what precedes it stays legal, and nothing more unless the
    /// entry itself is legal.
    fn replace_in_the_middle(&mut self) {
        for _ in 0..3 {
            if self.entries.is_empty() {
                return;
            }
            let at = self.dice.throw(self.entries.len());
            let from = self.dice.throw(self.entries.len());
            let Some(other) = self.dice.pick(&self.entries[from].1).cloned() else { continue };
            let (start, moves) = &self.entries[at];
            let end = self.entries.get(at + 1).map_or(self.text.len(), |(start, _)| *start);
            let line = &self.text[*start..end];
            let mut parts = line.splitn(3, ' ');
            let (Some(number), Some(side), Some(rest)) = (parts.next(), parts.next(), parts.next()) else { continue };
            // For a word that stands for many entries, it is not known which of them fits elsewhere.
            if rest.starts_with("claim time") || self.game.info().samples.placeholder(&other).is_some() {
                continue;
            }
            let tail = rest.find(" @").map_or("\n", |tail| &rest[tail..]);
            let record = format!("{}{number} {side} {other}{tail}{}", &self.text[..*start], &self.text[end..]);
            let verdict = verify(record.as_bytes());
            check(&verdict, record.as_bytes());
            let stands = verdict.entries as usize;
            assert!(stands >= at, "{other:?} at {} in\n{record}", at + 1);
            if moves.contains(&other) {
                assert!(stands > at, "{other:?} is listed and refused at {} in\n{record}", at + 1);
            } else if stands > at && !self.game.info().stepwise {
                // It may be a shorthand for a listed entry.
                let record = format!("{}{number} {side} {other}\n", &self.text[..*start]);
                let mut opened = Opened::new(record.as_bytes()).expect("a header that fits");
                opened.replay(at as u32);
                let entry = entry_at(self.game, &record, *start).expect("a line that fits");
                let canonical = opened.table.canonical(&record, &entry);
                assert!(moves.contains(&canonical), "{other:?} is legal and not listed in\n{record}");
            }
            self.tally.replaced += usize::from(stands == at);
        }
    }
}

/// The game's own actions in an entry, in canonical spelling: without those of the envelope, which follow them or are
/// alone.
fn own_actions(canonical: &str) -> &str {
    let mut own = canonical;
    for word in ["draw?", "leave ", "draw!", "resign", "claim "] {
        if own.starts_with(word) {
            return "";
        }
        if let Some(at) = own.find(&format!("; {word}")) {
            own = &own[..at];
        }
    }
    own
}
