//! The entries that words can spell: as they stand, with the marks in place of words, by their squares alone, and by
//! what is legal. Each reading has all of the notation in it.

use std::collections::{HashMap, HashSet};

use super::spelling::{cased, dashed, is_mark, squeeze, trimmed, upper_first};
use super::tokens::{Kind, Token};
use super::{Judge, Line, MOST_LINES, Piece, Squeezed, Trial};
use crate::words::Meaning;

/// The longest text that is tried as an entry, in characters.
const LONGEST: usize = 3_000;
/// The most readings of one text.
const MOST: usize = 60;
/// The most actions in one entry that are read in words, one after another.
const MOST_ACTIONS: usize = 40;

/// Words with which entries of some games begin, and sentences too.
const VERBS: [&str; 3] = ["move", "play", "take"];

/// What some notation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The legal entries that it can be, in canonical spelling.
    Legal(Vec<String>),
    /// The likeliest entry, which is illegal, as it was read.
    Illegal(String),
}

pub(super) struct Reader<'a> {
    /// The word with which every legal entry begins, where there is one.
    word: Option<String>,
    /// The words with which actions begin, and all words in actions.
    heads: HashSet<String>,
    known: HashSet<String>,
    squeezed: Squeezed,
    /// The pieces that have a name.
    pub(super) pieces: Vec<Piece>,
    moves: &'a [String],
    judge: &'a mut dyn Judge,
    tried: HashMap<String, Trial>,
    most: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(moves: &'a [String], judge: &'a mut dyn Judge, most: usize) -> Self {
        let (mut heads, mut known) = (HashSet::new(), HashSet::new());
        for action in moves.iter().flat_map(|one| one.split(';')) {
            for (nth, word) in action.split([' ', '@', '>', '=']).enumerate() {
                let word = word.split(['.', ':']).next().unwrap_or_default().to_lowercase();
                let is_word = word.chars().count() > 1 && word.chars().all(|c| c.is_alphabetic() || c == '-');
                if is_word && nth == 0 {
                    heads.insert(word.clone());
                }
                if is_word {
                    // People write its parts apart.
                    known.extend(word.split('-').map(str::to_owned));
                    known.insert(word);
                }
            }
        }
        // Where every entry begins with one word, as a placement does, it may be left out.
        let first = |one: &String| {
            one.split(' ').next().filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).map(str::to_owned)
        };
        let word =
            moves.first().and_then(first).filter(|word| moves.iter().all(|one| first(one).as_ref() == Some(word)));
        let squeezed = by_letters(moves);
        let pieces = judge.pieces();
        Self { word, heads, known, squeezed, pieces, moves, judge, tried: HashMap::new(), most }
    }

    /// Returns whether a word, in lower case, is of this game's entries.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    fn trial(&mut self, text: &str) -> Trial {
        if let Some(known) = self.tried.get(text) {
            return known.clone();
        }
        if self.tried.len() >= self.most || text.is_empty() || text.chars().count() > LONGEST {
            return Trial::Misread;
        }
        let found = self.judge.judge(text);
        self.tried.insert(text.to_owned(), found.clone());
        found
    }

    /// Returns the spelling of a text as an entry, if it is a legal one.
    pub(super) fn legal(&mut self, text: &str) -> Option<String> {
        match self.trial(text) {
            Trial::Legal(actions) => Some(actions),
            _ => None,
        }
    }

    /// Returns whether a text as a whole is an entry of the grammar, legal or not.
    pub(super) fn is_entry(&mut self, text: &str) -> bool {
        let text = text.trim_end_matches([';', ',', '.']);
        [text.to_owned(), text.to_lowercase()].iter().any(|text| self.trial(text) != Trial::Misread)
    }

    /// The letters and digits of an entry behind the word with which every entry begins. That word alone is another entry than what
    /// was written.
    fn with_word(&self, key: &str) -> Option<String> {
        self.word.as_ref().filter(|_| !key.is_empty()).map(|word| squeeze(word) + key)
    }

    /// Returns whether the words are those of a listed entry.
    pub(super) fn is_listed(&self, tokens: &[Token]) -> bool {
        let key = squeeze(&text_of(tokens, &self.heads, Keep::Known));
        self.squeezed.contains_key(&key) || self.with_word(&key).is_some_and(|key| self.squeezed.contains_key(&key))
    }

    /// Returns whether words without prose are a legal entry.
    pub(super) fn is_in_words(&mut self, tokens: &[Token]) -> bool {
        tokens.iter().all(|token| token.kind != Kind::Other) && matches!(self.read(tokens), Some(Found::Legal(_)))
    }

    /// Reads an entry from whole lines on, however they were broken. Returns what it is, and how many lines it takes.
    pub(super) fn lines(&mut self, lines: &[Line]) -> Option<(Found, usize)> {
        let mut illegal = None;
        for count in (1..=lines.len().min(MOST_LINES)).rev() {
            let (part, rest) = lines.split_at_checked(count)?;
            if rest.iter().any(|line| line.notation) {
                break;
            }
            // The last line has notation, or is the end of a word of one.
            if part
                .last()
                .is_none_or(|line| line.clean && !line.notation && !line.tokens.iter().any(|t| t.kind == Kind::Known))
            {
                continue;
            }
            for (between, is_bare) in [(" ", false), ("; ", false), ("; ", true)] {
                let mut text = String::new();
                for line in part {
                    // A word that was broken at its hyphen goes on; a dash behind a place is left open.
                    let is_broken =
                        text.strip_suffix('-').is_some_and(|word| word.ends_with(|c: char| c.is_ascii_alphabetic()));
                    let glue = if text.is_empty() || text.ends_with(['>', '@']) || is_broken { "" } else { between };
                    if between == "; " {
                        text.truncate(text.trim_end_matches([';', ',', '.', ' ']).len());
                    }
                    text.push_str(glue);
                    let is_first = text.is_empty();
                    text.push_str(match is_bare {
                        true if !is_first => &line.begun,
                        false if !is_first => &line.text,
                        _ => &line.bare,
                    });
                }
                let text = trimmed(&text).trim_end_matches(';').to_owned();
                let apart = text.replace(", ", "; ").replace(" / ", "; ");
                let close = text.replace(" @ ", "@").replace(" > ", ">");
                for text in [text, apart, close] {
                    match self.trial(&text) {
                        Trial::Legal(actions) => return Some((Found::Legal(vec![actions]), count)),
                        Trial::Illegal if illegal.is_none() => illegal = Some((Found::Illegal(text), count)),
                        Trial::Illegal | Trial::Misread => {}
                    }
                }
            }
        }
        illegal
    }

    /// Reads the lines of an entry: its actions, one after another, or the same entry more than once.
    pub(super) fn block(&mut self, lines: &[Line]) -> Option<Found> {
        let lines: Vec<&Line> = lines.iter().filter(|line| line.notation).collect();
        let mut tokens: Vec<Token> = Vec::new();
        for line in &lines {
            if !tokens.is_empty() {
                tokens.push(Token { text: ";".to_owned(), lower: ";".to_owned(), kind: Kind::Stop(';') });
            }
            tokens.extend(line.tokens.iter().cloned());
        }
        let together = self.read(&tokens);
        if matches!(together, Some(Found::Legal(_))) || lines.len() == 1 {
            return together;
        }
        let mut all: Vec<String> = Vec::new();
        for line in &lines {
            match self.read(&line.tokens) {
                Some(Found::Legal(list)) => all.extend(list),
                _ => return together,
            }
        }
        all.sort();
        all.dedup();
        Some(Found::Legal(all))
    }

    /// Returns the legal entries that a line mentions, each with its words.
    pub(super) fn mentioned(&mut self, line: &Line) -> Vec<(String, String)> {
        let is_of_entry = |token: &Token| {
            matches!(token.kind, Kind::Mark | Kind::Known | Kind::Link | Kind::Facing(_) | Kind::Stop(';' | ','))
        };
        let mut found = Vec::new();
        if let Some(Found::Legal(list)) = self.read(&line.tokens) {
            let words = trimmed(&line.text).to_owned();
            found.extend(list.into_iter().map(|actions| (actions, words.clone())));
            return found;
        }
        for run in line.tokens.split(|token| !is_of_entry(token)).filter(|run| !run.is_empty()) {
            let mut take = |run: &[Token]| match self.read(run) {
                Some(Found::Legal(list)) => {
                    let words = run.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ");
                    found.extend(list.into_iter().map(|actions| (actions, words.clone())));
                    true
                }
                _ => false,
            };
            if !take(run) {
                for one in run.iter().filter(|token| token.kind == Kind::Mark) {
                    take(std::slice::from_ref(one));
                }
            }
        }
        if found.is_empty()
            && line.tokens.iter().any(|token| token.lower == "resign")
            && let Some(actions) = self.legal("resign")
        {
            found.push((actions, "resign".to_owned()));
        }
        found
    }

    /// Returns the likeliest entry that a line mentions, if it is illegal.
    pub(super) fn refused(&mut self, line: &Line) -> Option<String> {
        let is_of_entry = |token: &Token| {
            matches!(token.kind, Kind::Mark | Kind::Known | Kind::Link | Kind::Facing(_) | Kind::Stop(';' | ','))
        };
        if let Some(Found::Illegal(text)) = self.read(&line.tokens) {
            return Some(text);
        }
        let runs = line.tokens.split(|token| !is_of_entry(token)).filter(|run| !run.is_empty());
        runs.into_iter().find_map(|run| match self.read(run) {
            Some(Found::Illegal(text)) => Some(text),
            _ => None,
        })
    }

    /// Reads words as one entry.
    fn read(&mut self, tokens: &[Token]) -> Option<Found> {
        let mut illegal = None;
        for text in readings(tokens, &self.heads, self.word.as_deref()) {
            match self.trial(&text) {
                Trial::Legal(actions) => return Some(Found::Legal(vec![actions])),
                Trial::Illegal => {
                    illegal.get_or_insert(text);
                }
                Trial::Misread => {}
            }
        }
        let listed = self.listed(tokens, illegal.is_some());
        if !listed.is_empty() {
            return Some(Found::Legal(listed));
        }
        if let Some(actions) = self.one_by_one(tokens) {
            return Some(Found::Legal(vec![actions]));
        }
        illegal.map(Found::Illegal)
    }

    /// Returns the listed entries that have the letters and digits of these words. If the words are an entry as they stand, which is
    /// illegal, the marks in them are not changed: who moves to a place is not made to attack what stands there.
    fn listed(&mut self, tokens: &[Token], as_it_stands: bool) -> Vec<String> {
        let mut listed: Vec<String> = Vec::new();
        for keep in [Keep::All, Keep::Known] {
            let text = text_of(tokens, &self.heads, keep);
            let key = squeeze(&text);
            let with_word = || self.squeezed.get(&self.with_word(&key)?);
            let list = self.squeezed.get(&key).or_else(with_word).cloned().unwrap_or_default();
            // A mark that was written is meant.
            let is_written = |mark: char| text.split(' ').any(|word| has_mark(word, mark));
            let takes = is_written('x')
                || tokens.iter().any(|token| token.kind == Kind::Link && Meaning::Takes.has(&token.lower));
            let goes = is_written('-') || tokens.iter().any(|token| token.kind == Kind::Link && token.text == "-");
            // What was written apart is not one action.
            let is_apart = tokens.iter().any(|token| token.kind == Kind::Stop(';'));
            let list: Vec<String> = list.into_iter().filter(|one| !is_apart || one.contains(';')).collect();
            let fits = |one: &String| (!takes || one.contains('x')) && (!goes || one.contains('-'));
            listed = list.iter().filter(|one| list.len() == 1 && !as_it_stands || fits(one)).cloned().collect();
            if !listed.is_empty() {
                break;
            }
        }
        if listed.is_empty() {
            listed = self.going_to(tokens);
        }
        let mut legal: Vec<String> = listed.iter().filter_map(|one| self.legal(one)).collect();
        legal.sort();
        legal.dedup();
        legal
    }

    /// Returns the only entry of a piece that ends on a square: `Kd1`. One that also does something else has more than these.
    fn going_to(&self, tokens: &[Token]) -> Vec<String> {
        let mut marks = tokens.iter().filter(|token| token.kind == Kind::Mark);
        let (Some(one), None) = (marks.next(), marks.next()) else { return Vec::new() };
        let text = cased(&one.text);
        let [letter, square @ ..] = text.as_bytes() else { return Vec::new() };
        if !letter.is_ascii_uppercase() || square.len() != 2 {
            return Vec::new();
        }
        let ends = |one: &&String| {
            one.as_bytes().first() == Some(letter)
                && one.as_bytes().ends_with(square)
                && one.len() > 4
                && matches!(one.as_bytes().get(one.len() - 3), Some(b'-' | b'x'))
        };
        let list: Vec<String> = self.moves.iter().filter(ends).cloned().collect();
        if list.len() == 1 { list } else { Vec::new() }
    }

    /// Reads a turn of several actions in words, each of which must be one that may come next.
    fn one_by_one(&mut self, tokens: &[Token]) -> Option<String> {
        // Where all entries are one action, there is nothing to put together; and they may be a million.
        if !self.judge.is_stepwise() && !self.moves.iter().any(|one| one.contains(';')) {
            return None;
        }
        let is_between = |token: &Token| {
            matches!(token.kind, Kind::Stop(',' | ';' | '.' | ':'))
                || token.kind != Kind::Mark && Meaning::And.has(&token.lower)
        };
        let parts: Vec<&[Token]> = tokens
            .split(is_between)
            .filter(|part| part.iter().any(|token| matches!(token.kind, Kind::Mark | Kind::Known | Kind::Other)))
            .collect();
        if !(2..=MOST_ACTIONS).contains(&parts.len()) {
            return None;
        }
        let mut begun = String::new();
        for part in parts {
            let next = self.judge.next(&begun);
            let known = by_letters(&next);
            let words = |keep| squeeze(&text_of(part, &self.heads, keep));
            let one = [words(Keep::All), words(Keep::Known)].iter().find_map(|key| match known.get(key)?.as_slice() {
                [one] => Some(one.clone()),
                _ => None,
            });
            let written = text_of(part, &self.heads, Keep::Known);
            let one = one.unwrap_or(written);
            let glue = if begun.is_empty() { "" } else { "; " };
            begun.push_str(glue);
            begun.push_str(&one);
        }
        self.legal(&begun)
    }
}

/// Lists entries by their letters and digits.
fn by_letters(moves: &[String]) -> Squeezed {
    let mut squeezed = Squeezed::new();
    let mut add = |key: String, one: &String| {
        let list: &mut Vec<String> = squeezed.entry(key).or_default();
        if !list.contains(one) {
            list.push(one.clone());
        }
    };
    for one in moves {
        add(squeeze(one), one);
        // A piece's letter may be left out.
        if let [letter, rest @ ..] = one.as_bytes()
            && letter.is_ascii_uppercase()
            && matches!(rest, [b'a'..=b'z', b'0'..=b'9', ..])
        {
            add(squeeze(one.get(1..).unwrap_or_default()), one);
        }
        // So may the number of a unit.
        let bare: Vec<&str> = one
            .split('.')
            .enumerate()
            .map(|(nth, part)| if nth == 0 { part } else { part.trim_start_matches(|c: char| c.is_ascii_digit()) })
            .collect();
        if bare.len() > 1 {
            add(squeeze(&bare.concat()), one);
        }
    }
    squeezed
}

/// Returns whether a mark stands between two places in a word.
fn has_mark(word: &str, mark: char) -> bool {
    word.char_indices().any(|(at, c)| {
        c.eq_ignore_ascii_case(&mark)
            && word.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
            && word.get(at + 1..).is_some_and(|behind| behind.starts_with(|c: char| c.is_ascii_alphabetic()))
    })
}

/// Which words stay in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// All that may be of the entry.
    All,
    /// Only notation, and the words of this game's entries.
    Known,
}

/// The words that may be of the entry, as one text.
fn text_of(tokens: &[Token], heads: &HashSet<String>, keep: Keep) -> String {
    let mut out = String::new();
    for token in tokens {
        let stays = match token.kind {
            Kind::Mark | Kind::Facing(_) => true,
            // "I place" is a word of the entry, "my place" hardly ever.
            Kind::Known => keep == Keep::All || !VERBS.contains(&token.lower.as_str()) || heads.contains(&token.lower),
            Kind::Stop(stop) => matches!(stop, ',' | ';'),
            Kind::Other | Kind::Link | Kind::Filler => keep == Keep::All,
            Kind::Nice => false,
        };
        match token.kind {
            _ if !stays => {}
            Kind::Facing(letter) => {
                if !out.ends_with('=') {
                    out.push('=');
                }
                out.push(letter);
            }
            Kind::Stop(_) if out.is_empty() => {}
            Kind::Stop(stop) => out.push(stop),
            _ => {
                if !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(&token.text);
            }
        }
    }
    out.trim_end_matches([',', ';', ' ']).to_owned()
}

/// The spellings of some words as an entry, likeliest first.
fn readings(tokens: &[Token], heads: &HashSet<String>, word: Option<&str>) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !text.is_empty() && list.len() < MOST && !list.contains(&text) {
            list.push(text);
        }
    };
    for keep in [Keep::All, Keep::Known] {
        let text = text_of(tokens, heads, keep);
        let lower = text.to_lowercase();
        for one in
            [text.clone(), lower.clone(), cased(&text), dashed(&lower), dashed(&cased(&text)), upper_first(&lower)]
        {
            add(one.clone());
            // Before the facing, there may be the place alone.
            add(one.replace(", ", "; "));
            add(one.replace([',', ';'], ""));
        }
        // The marks between actions were left out.
        add(parted(&text, heads));
        add(parted(&lower, heads));
    }
    for unknown in ['-', 'x'] {
        for text in paths(tokens, heads, unknown) {
            add(text.clone());
            add(cased(&text));
        }
    }
    if let Some(word) = word {
        let places: Vec<&str> =
            tokens.iter().filter(|token| token.kind == Kind::Mark).map(|token| token.text.as_str()).collect();
        let places = places.join(" ").replace(['-', '/', '+', '&'], " ");
        // The word alone is another entry than what was written.
        if !places.is_empty() {
            add(format!("{word} {}", cased(&places)));
        }
    }
    list
}

/// A text with a mark before each word with which an action begins.
fn parted(text: &str, heads: &HashSet<String>) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for word in text.split(' ') {
        let is_open = !out.is_empty() && !out.ends_with([';', ',']);
        if is_open && heads.contains(&word.trim_end_matches([';', ',']).to_lowercase()) {
            out.push(';');
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// A part of a path over the board.
enum Item {
    Place(String),
    Join(char),
    /// A join of which it is not known what kind it is.
    Either,
    From,
    And,
    End,
    Text(String),
}

/// The actions that the places and the words between them say, in several ways. `unknown` is the mark between places where none is said.
fn paths(tokens: &[Token], heads: &HashSet<String>, unknown: char) -> Vec<String> {
    let Some(items) = items(tokens, heads) else { return Vec::new() };
    // "to c5 from c4", "c5 from c4"
    let places: Vec<(usize, &String)> = items
        .iter()
        .enumerate()
        .filter_map(|(at, item)| match item {
            Item::Place(place) => Some((at, place)),
            _ => None,
        })
        .collect();
    if let [(first, to), (second, from)] = places.as_slice()
        && items.get(first + 1..*second).is_some_and(|between| between.iter().any(|item| matches!(item, Item::From)))
    {
        return vec![format!("{from}{unknown}{to}")];
    }
    let mut actions: Vec<String> = Vec::new();
    // The mark of the path that is being read, and whether the next place continues it.
    let (mut mark, mut joined, mut open, mut said) = (unknown, false, false, false);
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Join(c) => {
                (mark, joined, said) = (*c, open, true);
            }
            Item::Either => {
                (mark, joined, said) = (unknown, open, true);
            }
            Item::From => {}
            Item::And => joined = false,
            Item::End => (joined, open, said) = (false, false, false),
            Item::Text(text) => {
                actions.push(text.clone());
                (open, joined, said) = (false, false, false);
            }
            Item::Place(place) => {
                // A place behind which a join is written begins an action of its own, unless one leads to it.
                let leads = items.get(at + 1).is_some_and(|next| matches!(next, Item::Join(_) | Item::Either));
                let continues = open
                    && (joined
                        || !leads && (said || items.iter().all(|item| !matches!(item, Item::Join(_) | Item::Either))));
                match actions.last_mut() {
                    Some(last) if continues => {
                        // "e6xe4, e4xc4" is one path.
                        last.push(mark);
                        last.push_str(place);
                    }
                    _ => {
                        actions.push(place.clone());
                        said = false;
                    }
                }
                (open, joined) = (true, false);
            }
        }
    }
    let apart = actions.join("; ");
    let merged = merged(&actions).join("; ");
    if merged == apart { vec![apart] } else { vec![apart, merged] }
}

/// Joins captures that go on where the one before ended: `e6xe4; e4xc4`.
fn merged(actions: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for action in actions {
        let (first, rest) = action.split_once('x').unwrap_or((action, ""));
        match out.last_mut() {
            Some(last) if !rest.is_empty() && last.rsplit_once('x').is_some_and(|(_, end)| end == first) => {
                last.push('x');
                last.push_str(rest);
            }
            _ => out.push(action.clone()),
        }
    }
    out
}

/// The places and joins of some words; `None` if there is something else.
fn items(tokens: &[Token], heads: &HashSet<String>) -> Option<Vec<Item>> {
    let mut list: Vec<Item> = Vec::new();
    // Words of this game's entries take what follows.
    let mut takes = false;
    for token in tokens {
        let word = token.lower.as_str();
        match token.kind {
            Kind::Nice | Kind::Filler => {}
            Kind::Other => return None,
            Kind::Facing(letter) => match list.last_mut() {
                Some(Item::Place(place) | Item::Text(place)) => {
                    place.push('=');
                    place.push(letter);
                }
                _ => return None,
            },
            Kind::Stop(';' | '.' | ':' | '!') => {
                list.push(Item::End);
                takes = false;
            }
            Kind::Stop(_) => list.push(Item::And),
            Kind::Known if heads.contains(word) && !VERBS.contains(&word) => {
                list.push(Item::Text(word.to_owned()));
                takes = true;
            }
            Kind::Known => return None,
            Kind::Link if takes => {}
            Kind::Link if Meaning::From.has(word) => list.push(Item::From),
            Kind::Link if Meaning::Takes.has(word) => list.push(Item::Join('x')),
            Kind::Link if Meaning::Jumps.has(word) => list.push(Item::Either),
            Kind::Link if Meaning::And.has(word) => list.push(Item::And),
            Kind::Link if word == "-" => list.push(Item::Join('-')),
            // "takes to", "jumps to"
            Kind::Link if matches!(list.last(), Some(Item::Join(_) | Item::Either)) => {}
            Kind::Link => list.push(Item::Either),
            Kind::Mark if takes => match list.last_mut() {
                Some(Item::Text(text)) => {
                    text.push(' ');
                    text.push_str(&cased(&token.text));
                }
                _ => list.push(Item::Text(token.text.clone())),
            },
            Kind::Mark => match split(&token.text) {
                Some(parts) => list.extend(parts),
                None => list.push(Item::Text(token.text.clone())),
            },
        }
    }
    Some(list)
}

/// Splits `e6xe4` into its places; `None` if it is written in another way.
fn split(text: &str) -> Option<Vec<Item>> {
    let mut list = Vec::new();
    let mut place = String::new();
    for c in text.chars() {
        let after_place = place.ends_with(|c: char| c.is_ascii_digit());
        match c {
            '-' | 'x' | 'X' if after_place => {
                list.push(Item::Place(std::mem::take(&mut place)));
                list.push(Item::Join(if c == '-' { '-' } else { 'x' }));
            }
            c if after_place && c.is_ascii_alphabetic() => {
                list.push(Item::Place(std::mem::take(&mut place)));
                list.push(Item::Either);
                place.push(c);
            }
            c => place.push(c),
        }
    }
    list.push(Item::Place(place));
    let lower = |item: &mut Item| {
        if let Item::Place(place) = item {
            let letters = place.chars().take_while(char::is_ascii_alphabetic).count();
            *place = if letters > 1 { upper_first(&place.to_lowercase()) } else { place.to_lowercase() };
        }
    };
    list.iter_mut().for_each(lower);
    let is_place = |item: &Item| match item {
        Item::Place(place) => {
            let bare = place.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(place);
            bare.len() == 2 && is_mark(bare)
        }
        _ => true,
    };
    list.iter().all(is_place).then_some(list)
}
