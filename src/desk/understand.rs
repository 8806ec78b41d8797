//! What a person meant who typed an entry the way people do: `C4 - c5`, `c4 to c5`, `My move: c4-c5`. Whatever is
//! understood is a legal entry, and the only one that the words can mean; if there are two, nothing is guessed.
//!
//! Nothing is judged here: `tries` does that. It enters what it is given and, if that is legal, returns the spelling.

use std::collections::{BTreeMap, HashMap};

use super::reply_line::parted;

/// The most words of a line that are read.
const MOST_WORDS: usize = 60;
/// The most words of an entry inside a sentence.
const WINDOW: usize = 8;
/// The most words that may surround an entry in a sentence that still says "this is my move".
const FEW: usize = 5;
/// The longest message that is kept with an entry, in characters.
const LONGEST_MESSAGE: usize = 400;

/// What was understood of some lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Understood {
    /// One entry.
    Entry(Meant),
    /// Different entries, each with the words from which it was understood.
    Several(Vec<Meant>),
    /// An offer of a draw without an entry, which is not allowed alone (E5).
    OfferAlone,
    /// No legal entry.
    Nothing {
        /// What comes closest to one.
        nearest: Option<String>,
        /// Entries that are mentioned, not made: in a question, or after an "if" or a "not".
        spoken_of: Vec<String>,
    },
}

/// An entry that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    /// Its actions in canonical spelling.
    pub actions: String,
    /// The words from which it was understood.
    pub words: String,
    /// What was asked or said with it in a pasted line, suitable for a message (E9).
    pub message: Option<String>,
}

/// Who is due, and what.
#[derive(Clone, Copy, Debug)]
pub struct ReplyContext<'a> {
    /// The number of the entry that is due.
    pub number: u32,
    /// The name of the side whose entry is expected.
    pub side: &'a str,
    /// The name of the other side.
    pub other: &'a str,
    /// The most texts that are tried as entries, since each may take a replay of the record.
    pub tries: usize,
}

impl ReplyContext<'_> {
    /// Returns how many tries take only a moment for a record of `record` bytes.
    #[must_use]
    pub fn tries(record: usize) -> usize {
        ((16 << 20) / record.max(1)).clamp(20, 400)
    }
}

/// Understands the one entry that the lines can mean. `moves` lists legal entries, as far as the game can list them.
pub fn understand(
    lines: &[String],
    turn: &ReplyContext<'_>,
    moves: &[String],
    tries: &mut dyn FnMut(&str) -> Option<String>,
) -> Understood {
    let mut squeezed: HashMap<String, Vec<&String>> = HashMap::new();
    for one in moves {
        squeezed.entry(squeeze(one)).or_default().push(one);
        // A piece's letter may be left out.
        if let [letter, rest @ ..] = one.as_bytes()
            && letter.is_ascii_uppercase()
            && matches!(rest, [b'a'..=b'z', b'0'..=b'9', ..])
        {
            squeezed.entry(squeeze(one.get(1..).unwrap_or_default())).or_default().push(one);
        }
    }
    // Where every entry begins with one word, as a placement does, it may be left out.
    let first = |one: &String| {
        one.split(' ').next().filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).map(str::to_owned)
    };
    let word = moves.first().and_then(first).filter(|word| moves.iter().all(|one| first(one).as_ref() == Some(word)));
    let mut reader = ReplyReader { word, squeezed, tries, tried: HashMap::new(), most: turn.tries };
    let (mut found, mut spoken_of): (BTreeMap<String, Meant>, Vec<String>) = Default::default();
    let (mut offers, mut nearest, mut questions) = (false, None, Vec::new());
    let mut before: Option<String> = None;
    for line in lines {
        let (line, said) = parted(line);
        // The message is kept unchanged except for what a message must not contain (E9).
        let pasted = said.and_then(pasted);
        let line = plain(line);
        if is_offer(&line) {
            offers = true;
            continue;
        }
        let flows = before.as_deref().is_some_and(|before: &str| {
            before.chars().count() >= 30 && !before.ends_with(['.', '!', '?', ':', ',', ';', ')'])
        });
        let doubted =
            before.as_deref().is_some_and(|before: &str| (before.ends_with(':') || flows) && doubts(before, DOUBTS));
        let mut read = reader.line(&line, turn, flows, doubted);
        read.meant.iter_mut().for_each(|one| one.message.clone_from(&pasted));
        offers |= read.offers && !read.meant.is_empty();
        if read.meant.is_empty() && read.spoken_of.is_empty() && nearest.is_none() && looks_like_entry(&line) {
            nearest = Some(line.clone());
        }
        if read.asks {
            questions.push(read.rest.clone());
        }
        for one in read.meant {
            found.entry(one.actions.clone()).or_insert(one);
        }
        spoken_of.extend(read.spoken_of);
        before = Some(line);
    }
    spoken_of.sort();
    spoken_of.dedup();
    spoken_of.retain(|one| !found.contains_key(one));
    let mut found: Vec<Meant> = found.into_values().collect();
    match found.len() {
        0 if offers && spoken_of.is_empty() => Understood::OfferAlone,
        0 => Understood::Nothing { nearest, spoken_of },
        1 if spoken_of.is_empty() => {
            let mut one = found.remove(0);
            if offers && !one.actions.contains("draw?") {
                // If an offer cannot be made now, the entry is not made without it.
                match reader.legal(&format!("{}; draw?", one.actions)) {
                    Some(actions) => one.actions = actions,
                    None => return Understood::OfferAlone,
                }
            }
            if one.message.is_none() {
                one.message = message(&questions.join(" "));
            }
            Understood::Entry(one)
        }
        _ => {
            let other = |actions: String| Meant { words: actions.clone(), actions, message: None };
            found.extend(spoken_of.into_iter().map(other));
            Understood::Several(found)
        }
    }
}

/// What else the lines say besides the entry that was understood, for the player to read.
#[must_use]
pub fn beside(lines: &[String], meant: &Meant) -> Vec<String> {
    let is_used = |line: &str| {
        let (line, _) = parted(line);
        let bare = plain(line);
        let said = |message: &str| message.contains(bare.trim());
        bare.contains(&meant.words)
            || is_offer(&bare)
            || is_greeting(trimmed(&bare))
            || meant.message.as_deref().is_some_and(said)
    };
    lines.iter().filter(|line| !is_used(line)).cloned().collect()
}

/// Makes a text suitable as a message in a record (E9), shortened if it is long; `None` if nothing is left.
#[must_use]
pub fn message(text: &str) -> Option<String> {
    pasted(&text.chars().take(LONGEST_MESSAGE).collect::<String>())
}

/// Makes a whole text suitable as a message in a record (E9); `None` if nothing is left.
fn pasted(text: &str) -> Option<String> {
    let fit = |c: char| if matches!(c, '{' | '}') || c.is_control() || crate::text::is_forbidden(c) { ' ' } else { c };
    let text: String = text.chars().map(fit).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

/// What was understood from a line.
#[derive(Default)]
struct Read {
    meant: Vec<Meant>,
    spoken_of: Vec<String>,
    /// Whether it also offers a draw.
    offers: bool,
    /// Whether it asks something besides the entry.
    asks: bool,
    /// The line without the entry.
    rest: String,
}

struct ReplyReader<'a> {
    /// The word with which every legal entry begins, where there is one.
    word: Option<String>,
    squeezed: HashMap<String, Vec<&'a String>>,
    tries: &'a mut dyn FnMut(&str) -> Option<String>,
    tried: HashMap<String, Option<String>>,
    most: usize,
}

impl ReplyReader<'_> {
    /// Returns the spelling of a text as an entry, if it is a legal one.
    fn legal(&mut self, text: &str) -> Option<String> {
        if let Some(known) = self.tried.get(text) {
            return known.clone();
        }
        if self.tried.len() >= self.most {
            return None;
        }
        let found = (self.tries)(text);
        self.tried.insert(text.to_owned(), found.clone());
        found
    }

    /// Returns the legal entries that a text as a whole can mean: unchanged, in lower case, with `;` for commas, and by
    /// its letters and digits alone.
    fn whole(&mut self, text: &str, listed_only: bool) -> Vec<String> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > 600 {
            return Vec::new();
        }
        if !listed_only {
            let lower = text.to_lowercase();
            let close = joined(text);
            let mut spellings = vec![text.to_owned(), close.clone(), lower.clone(), close.to_lowercase()];
            spellings.push(upper_first(&close.to_lowercase()));
            spellings.push(lower.replace(", ", "; "));
            spellings.push(close.replace(", ", "; "));
            spellings.push(dashed(&close.to_lowercase()));
            spellings.push(cased(&close));
            spellings.push(cased(&close.replace(", ", "; ")));
            spellings.push(cased(&close.replace(", ", " ")));
            if let Some(word) = &self.word {
                spellings.push(format!("{word} {}", cased(&text.replace([',', ';', '-', '/'], " "))));
            }
            spellings.dedup();
            for spelling in &spellings {
                if let Some(actions) = self.legal(spelling) {
                    return vec![actions];
                }
            }
        }
        let listed: Vec<String> = self
            .squeezed
            .get(&squeeze(&joined(text)))
            .map(|list| list.iter().map(|one| (*one).clone()).collect())
            .unwrap_or_default();
        let mut legal: Vec<String> = listed.iter().filter_map(|one| self.legal(one)).collect();
        legal.sort();
        legal.dedup();
        legal
    }

    /// Reads a line. `flows`: whether the previous line may continue here, as in a sentence that was broken. `doubted`:
    /// whether the previous line says that what follows is not the entry.
    fn line(&mut self, line: &str, turn: &ReplyContext<'_>, flows: bool, doubted: bool) -> Read {
        let mut read = Read::default();
        let Some(line) = without_dress(line, turn) else { return read };
        let (line, offers) = without_offer(&line);
        read.offers = offers;
        // The whole line without its end: `c4-c5.`, `c4-c5 !`.
        let bare = trimmed(&line);
        if !line.ends_with('?') || offers {
            let entries = self.whole(bare, false);
            if doubted && !entries.is_empty() {
                read.spoken_of.extend(entries);
                return read;
            }
            if entries.iter().any(|one| is_marked(one) || !flows) {
                read.meant.extend(meant(entries, bare));
                return read;
            }
        }
        self.parts(&line, &mut read);
        if read.meant.is_empty() && read.spoken_of.is_empty() {
            read.rest = line;
        }
        read.asks = read.rest.contains('?') && read.rest.split_whitespace().count() > 1;
        read
    }

    /// Reads the parts of a line between punctuation marks, and the entries inside sentences.
    fn parts(&mut self, line: &str, read: &mut Read) {
        let mut rest = Vec::new();
        let parts = sentences(line);
        let mut before: Option<&(String, Option<char>)> = None;
        for (nth, part) in parts.iter().enumerate() {
            let (text, stop) = part;
            let bare = trimmed(text);
            let doubtful = *stop == Some('?')
                || doubts(bare, DOUBTS)
                || before.is_some_and(|(before, stop)| *stop == Some(',') && doubts(before, CONDITIONS));
            // A single word ("resign") is an entry at the end of a line, if only a greeting or "my move:" precedes it.
            let introduced = nth + 1 == parts.len()
                && nth == 1
                && before.is_some_and(|(before, stop)| {
                    is_greeting(before) || (*stop == Some(':') && before.split_whitespace().count() <= 4)
                });
            let entries = self.whole(bare, false);
            if !entries.is_empty() && (entries.iter().any(|one| is_marked(one)) || (introduced && !doubtful)) {
                if doubtful {
                    read.spoken_of.extend(entries);
                } else {
                    read.meant.extend(meant(entries, bare));
                }
            } else if !self.within(bare, doubtful || ends_in_a_question(parts.get(nth..).unwrap_or_default()), read) {
                rest.push(format!("{}{}", text.trim(), stop.map(String::from).unwrap_or_default()));
            }
            before = Some(part);
        }
        read.rest = rest.join(" ");
    }

    /// Finds the entries among the words of a sentence. Returns whether there are any.
    fn within(&mut self, sentence: &str, doubtful: bool, read: &mut Read) -> bool {
        let words: Vec<&str> = sentence.split_whitespace().take(MOST_WORDS).collect();
        let (mut at, mut any) = (0, false);
        while at < words.len() {
            let mut taken = 0;
            for length in (1..=WINDOW.min(words.len() - at)).rev() {
                let window = words.get(at..at + length).unwrap_or_default();
                let text = trimmed(&window.join(" ")).to_owned();
                let ends_well = window.first().into_iter().chain(window.last()).all(|word| {
                    has_digit(word)
                        || (length > 1 && word.chars().count() >= 3 && self.squeezed.contains_key(&squeeze(&text)))
                });
                if !ends_well || !has_digit(&text) && squeeze(&text).chars().count() < 6 {
                    continue;
                }
                // Unchanged only if every word has a digit, or else all the words of prose would be tried.
                let entries = self.whole(&text, !window.iter().all(|word| has_digit(word)));
                let entries: Vec<String> = entries.into_iter().filter(|one| is_marked(one)).collect();
                if !entries.is_empty() {
                    let others = words.len() - length;
                    if doubtful || others > FEW + 3 {
                        read.spoken_of.extend(entries);
                    } else {
                        read.meant.extend(meant(entries, &text));
                    }
                    taken = length;
                    any = true;
                    break;
                }
            }
            at += taken.max(1);
        }
        any
    }
}

fn meant(entries: Vec<String>, words: &str) -> Vec<Meant> {
    let one = |actions| Meant { actions, words: words.to_owned(), message: None };
    entries.into_iter().map(one).collect()
}

/// Replaces the dashes, arrows, signs and quotes that programs and people use with ASCII.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2010}'..='\u{2015}'
            | '\u{2212}'
            | '\u{fe58}'
            | '\u{fe63}'
            | '\u{ff0d}'
            | '\u{30fc}'
            | '\u{2043}'
            | '\u{ad}'
            | '\u{2192}'
            | '\u{21d2}'
            | '\u{27a1}'
            | '\u{2794}'
            | '\u{279c}' => out.push('-'),
            '\u{d7}' | '\u{2715}' | '\u{2716}' | '\u{2717}' | '\u{2a2f}' => out.push('x'),
            '\u{ff01}'..='\u{ff5e}' => out.push(char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)),
            '\u{3002}' => out.push('.'),
            '\u{3001}' => out.push(','),
            '\u{61b}' => out.push(';'),
            '\u{61f}' => out.push('?'),
            '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2039}' | '\u{203a}' | '\u{300c}'..='\u{300f}' | '`' => {
                out.push('"')
            }
            '\u{2026}' => out.push_str("..."),
            '\u{fe0e}' | '\u{fe0f}' => {}
            c if c.is_whitespace() => out.push(' '),
            c => out.push(c),
        }
    }
    let out = out.replace("-->", "-").replace("->", "-").replace("=>", "-").replace("--", "-");
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes what may surround an entry.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '.' | '!' | ',' | ':' | '"' | '\'' | '(' | ')' | '[' | ']' | '*' | '_' | '<' | '>')
    })
    .trim_end_matches([';', '?'])
    .trim()
}

/// The words for a dash between two places in various languages.
const TO: &[&str] = &[
    "to", "nach", "auf", "zu", "a", "à", "al", "vers", "para", "naar", "til", "till", "na", "do", "su", "în", "-", "–",
];
/// The same for captures.
const TAKES: &[&str] = &["x", "takes", "captures", "schlägt", "prend", "come", "slår", "slaat", "bierze"];

/// Moves dashes close to the places they join, and replaces words that mean the same with dashes.
fn joined(text: &str) -> String {
    let mut text = text.to_owned();
    for (with, without) in [(" - ", "-"), ("- ", "-"), (" -", "-"), (" ;", ";")] {
        text = text.replace(with, without);
    }
    let words: Vec<&str> = text.split(' ').collect();
    let mut out = String::new();
    let mut linked = true;
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1);
        let between = out.ends_with(|c: char| c.is_ascii_digit())
            && next.is_some_and(|next| next.chars().count() <= 6 && has_digit(next));
        let says = |list: &[&str]| between && list.contains(&word.to_lowercase().as_str());
        let link = if says(TO) {
            Some('-')
        } else if says(TAKES) {
            Some('x')
        } else {
            None
        };
        match link {
            Some(link) => out.push(link),
            None => {
                if !linked {
                    out.push(' ');
                }
                out.push_str(word);
            }
        }
        linked = link.is_some();
    }
    out
}

/// Adds the dash between two places that were written without it: `c4c5`.
fn dashed(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 4);
    for (at, c) in chars.iter().enumerate() {
        let behind = |nth: usize| chars.get(at + nth).copied().unwrap_or(' ');
        out.push(*c);
        if c.is_ascii_digit() && behind(1).is_ascii_lowercase() && behind(1) != 'x' && behind(2).is_ascii_digit() {
            out.push('-');
        }
    }
    out
}

/// Only the letters and digits of a text, in lower case, without the `x` of captures.
fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase) {
        if c == 'x' && out.ends_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        out.push(c);
    }
    out
}

/// A text in lower case, except for letters that name a piece before its place, and those that give the kind of a token
/// after it.
fn cased(text: &str) -> String {
    let word = |word: &str| {
        let word = word.to_lowercase();
        match word.as_bytes() {
            [b'a'..=b'z', b'a'..=b'z', b'0'..=b'9', ..] => upper_first(&word),
            [b'+', place @ .., kind @ b'a'..=b'z'] => {
                format!("+{}{}", String::from_utf8_lossy(place), char::from(kind.to_ascii_uppercase()))
            }
            _ => word,
        }
    };
    let last = |one: &str| one.strip_suffix(';').map_or_else(|| word(one), |bare| word(bare) + ";");
    text.split(' ').map(last).collect::<Vec<_>>().join(" ")
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// A line without the number, the side's name and the time of a record's line, and without what some people put before
/// their move. `None` if it is a line of another entry.
fn without_dress(line: &str, turn: &ReplyContext<'_>) -> Option<String> {
    let mut line = line.trim_start_matches(['*', '"', '#', ' ']).to_owned();
    if let Some((actions, time)) = line.clone().rsplit_once('@')
        && time.len() >= 10
        && time.starts_with("20")
    {
        line = actions.trim_end().to_owned();
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=4).contains(&digits) {
        let (number, rest) = line.split_at(digits);
        let rest = rest.trim_start_matches(['.', ')', ':', ' ']);
        let has_side = |word: &str| rest.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', ':']));
        let is_own = has_side(turn.side);
        // A line by the other side, or an earlier one, that was pasted along with it.
        if has_side(turn.other) || (is_own && number.parse() != Ok(turn.number)) {
            return None;
        }
        if rest.len() < line.len() - digits || is_own {
            line = rest.to_owned();
        }
    }
    let lower = line.to_lowercase();
    for start in [
        turn.side,
        "i ",
        "entry ",
        "move ",
        "my move is ",
        "i play ",
        "i move ",
        "ich spiele ",
        "je joue ",
        "juego ",
        "gioco ",
    ] {
        // In lower case, text may have a different length.
        let rest = lower.strip_prefix(start).and_then(|rest| line.get(line.len().checked_sub(rest.len())?..));
        if let Some(rest) = rest.filter(|rest| start.ends_with(' ') || rest.starts_with([' ', ':'])) {
            line = rest.trim_start_matches([':', ' ']).to_owned();
            break;
        }
    }
    Some(line)
}

/// A line without an offer of a draw at its end, and whether there was one.
fn without_offer(line: &str) -> (String, bool) {
    let lower = line.to_lowercase();
    for offer in ["draw?", "draw ?", "remis?", "remis ?"] {
        if let Some(rest) = lower.strip_suffix(offer)
            && let Some(rest) = line.get(..rest.len())
            && !rest.trim().is_empty()
        {
            return (rest.trim_end_matches([' ', ',', ';', '.', '-', '(']).to_owned(), true);
        }
    }
    (line.to_owned(), false)
}

/// Returns whether a line only offers a draw.
fn is_offer(line: &str) -> bool {
    let bare: String = line.to_lowercase().chars().filter(|c| c.is_alphabetic() || *c == '?').collect();
    matches!(bare.as_str(), "draw?" | "remis?" | "offerdraw?" | "adraw?" | "doyouwantadraw?")
}

/// The parts of a line between punctuation marks, each with the mark after it. A full stop inside a word does not
/// count.
fn sentences(line: &str) -> Vec<(String, Option<char>)> {
    let mut parts = vec![(String::new(), None)];
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_word =
            chars.peek().is_none_or(|next| next.is_whitespace() || matches!(next, '.' | '!' | '?' | ')' | '"'));
        let is_stop = matches!(c, '!' | '?' | '(' | ')' | '\t') || (matches!(c, '.' | ',' | ':') && ends_word);
        let Some((part, stop)) = parts.last_mut() else { break };
        if is_stop {
            *stop = Some(c);
            parts.push((String::new(), None));
        } else {
            part.push(c);
        }
    }
    parts.retain(|(part, _)| !part.trim().is_empty());
    parts
}

/// Returns whether a sentence, from one of its parts on, ends in a question mark.
fn ends_in_a_question(parts: &[(String, Option<char>)]) -> bool {
    parts.iter().find_map(|(_, stop)| stop.filter(|stop| matches!(stop, '.' | '!' | '?'))) == Some('?')
}

/// Words that begin a greeting.
const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "dear",
    "hallo",
    "hullo",
    "moin",
    "salut",
    "bonjour",
    "hola",
    "ciao",
    "greetings",
    "liebe",
    "lieber",
    "cher",
    "chère",
    "querido",
    "querida",
    "caro",
    "cara",
    "beste",
    "kära",
    "hej",
    "hei",
    "drogi",
    "ok",
    "okay",
    "thanks",
    "good",
    "oi",
    "olá",
    "привет",
    "ahoj",
    "cześć",
    "szia",
    "merhaba",
];

fn is_greeting(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.len() <= 4 && words.first().is_some_and(|first| GREETINGS.contains(&first.as_str()))
}

/// Words that turn an entry in the same sentence into something that is only mentioned.
const DOUBTS: &[&str] = &[
    "not",
    "don't",
    "dont",
    "won't",
    "wont",
    "can't",
    "cant",
    "cannot",
    "never",
    "if",
    "unless",
    "instead",
    "maybe",
    "perhaps",
    "would",
    "could",
    "should",
    "might",
    "after",
    "your",
    "had",
    "thought",
    "considered",
    "wanted",
    "or",
    "nicht",
    "kein",
    "keine",
    "wenn",
    "falls",
    "statt",
    "vielleicht",
    "würde",
    "dein",
    "deine",
    "deinem",
    "oder",
    "pas",
    "si",
    "peut-être",
    "jamais",
    "votre",
    "ton",
    "ou",
    "nunca",
    "forse",
    "niet",
    "misschien",
    "ikke",
    "inte",
    "hvis",
    "nie",
    "jeśli",
    "gdyby",
    "lub",
    "не",
    "если",
    "или",
    "eğer",
    "eller",
];
/// Words that turn what follows the next comma into something that is only mentioned.
const CONDITIONS: &[&str] =
    &["if", "unless", "instead", "when", "wenn", "falls", "statt", "si", "hvis", "jeśli", "gdyby", "если", "eğer"];

fn doubts(text: &str, words: &[&str]) -> bool {
    let bare = |word: &str| word.to_lowercase().trim_matches(|c: char| !c.is_alphabetic()).to_owned();
    text.split_whitespace().any(|word| words.contains(&bare(word).as_str()))
}

/// Returns whether an entry cannot be mistaken for a word of a sentence.
fn is_marked(actions: &str) -> bool {
    has_digit(actions) || actions.contains('@')
}

/// Returns whether a line looks like an attempt at an entry: it is short and contains a digit.
#[must_use]
pub fn looks_like_entry(line: &str) -> bool {
    has_digit(line) && line.chars().count() <= 60 && line.split_whitespace().count() <= 6
}

#[cfg(test)]
mod tests;
