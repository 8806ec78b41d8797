//! Understands entries as people type them: `C4 - c5`, `c4 to c5`, `My move: c4-c5`. It reads the whole notation in a
//! reply, never a part of it. A move among other words is only mentioned: it leads to a question and is not entered.
//! If the words can mean two entries, nothing is guessed.
//!
//! Nothing is judged here: the [`Judge`] is asked of each reading whether it is legal, illegal, or no entry at all.

mod courtesy;
mod invited;
mod placing;
mod readings;
mod spelling;
mod tokens;
mod wishes;

pub use invited::{agrees, declines};
pub use wishes::{Wish, gives_up};

use std::collections::HashMap;

use courtesy::{pleads, without_wishes_behind, words_of};
use postrider_kernel::scene::{Board, Scene};
use postrider_kernel::{Side, Viewer};
use postrider_referee::desk::reply_line::parted;
use postrider_referee::desk::{Desk, EntryRequest, NoKeyStore, Refusal};
use postrider_referee::record::Time;
use postrider_referee::verdict::{Opened, Ruling};
use readings::Reader;
use spelling::{is_mark, plain, squeeze, trimmed, without_faces};
use tokens::{Kind, Token, tokens};

use crate::words::Meaning;

/// The longest message that is kept with an entry, in characters.
const LONGEST_MESSAGE: usize = 400;
/// The most lines over which an entry may extend.
const MOST_LINES: usize = 40;
/// In how many lines before the first notation an entry may begin.
const FIRST_LINES: usize = 4;
/// The most entries among which something that is put in words is looked for.
const MOST_PUT: usize = 2_000;
/// A line of at least so many characters may have been broken by a mail program.
const BROKEN: usize = 30;
/// A line of more words is prose: what it leaves open is mostly something else than the entry beside it.
const SHORT: usize = 8;
/// The same for a line in the paragraph before or after that of the entry.
const SHORT_APART: usize = 12;
/// The most words of a line that says on its own that an entry is not all.
const DOTS: usize = 4;

/// Words that are an entry, or a part of one, without any place in them.
const WORDS: &[&str] =
    &["resign", "i resign", "draw", "draw?", "accept", "pass", "end", "deal", "claim repetition", "claim quiet"];

/// The meaning of some lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Understood {
    Entry(Meant),
    /// One entry is meant, and it is illegal: as it was read, and the words.
    Illegal(Meant),
    /// Legal entries that the words mention without saying that one of them is the entry, or between which they do not decide. May be
    /// empty, if what is mentioned is not legal.
    Mentioned(Vec<Meant>),
    /// An offer of a draw without an entry, which is not allowed alone (E5).
    OfferAlone,
    /// Nothing is to be entered yet: the writer says so.
    NotYet,
    /// The writer does not want to play.
    Declined,
    /// No entry.
    Nothing {
        /// What looks like an attempt at one.
        nearest: Option<String>,
    },
}

/// An entry that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    /// Its actions in canonical spelling; as they were read, if they are illegal.
    pub actions: String,
    /// The words from which it was understood.
    pub words: String,
    /// The message that the writer asks to keep with it (E9).
    pub message: Option<String>,
    /// Whether it was put in words, or the reply says more than the entry and greetings.
    pub more: bool,
}

/// Who is due, and what.
#[derive(Clone, Debug)]
pub struct ReplyContext<'a> {
    /// The number of the entry that is due.
    pub number: u32,
    /// The name of the side whose entry is expected.
    pub side: &'a str,
    /// The name of the other side.
    pub other: &'a str,
    /// The players' names.
    pub names: [&'a str; 2],
    /// Whether a draw is offered to the writer.
    pub offered: bool,
    /// Whether the writer has made no entry in this game yet.
    pub new: bool,
    /// Whether the reply may correct an entry that was read from an earlier one.
    pub corrects: bool,
    /// The most texts that are tried as entries, since each may take a replay of the record.
    pub tries: usize,
}

impl<'a> ReplyContext<'a> {
    /// The context of a reply by one of the sides to a record as it stands, which corrects nothing.
    #[must_use]
    pub fn of(opened: &'a Opened<'_>, writer: Side) -> Self {
        let standing = opened.table.standing();
        let word = |side: Side| opened.header.info.sides[side.index()].word;
        Self {
            number: standing.entries.saturating_add(1),
            side: word(writer),
            other: word(writer.other()),
            names: Side::BOTH.map(|side| &*opened.header.player(side).name),
            offered: standing.offer == Some(writer.other()),
            new: standing.made[writer.index()] == 0,
            corrects: false,
            tries: Self::tries(opened.text.len()),
        }
    }

    /// Returns how many tries take only a moment for a record of `record` bytes.
    #[must_use]
    pub fn tries(record: usize) -> usize {
        ((64 << 20) / record.max(1)).clamp(60, 2000)
    }
}

/// The verdict on a text as the next entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// A legal entry, in canonical spelling.
    Legal(String),
    /// An entry of the game's grammar that the rules refuse.
    Illegal,
    /// No entry.
    Misread,
}

/// Tries texts as entries.
pub trait Judge {
    /// Tries a text as the next entry.
    fn judge(&mut self, text: &str) -> Trial;

    /// Returns the actions that may follow the beginning of an entry.
    fn next(&mut self, _begun: &str) -> Vec<String> {
        Vec::new()
    }

    /// Whether an entry may have more actions than any that is listed.
    fn is_stepwise(&self) -> bool {
        true
    }

    /// Returns the pieces of the game that have a name, each with its letter in the notation and its name in lower case.
    fn pieces(&self) -> Vec<Piece> {
        Vec::new()
    }

    /// Returns the places of the board that have a name.
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }
}

/// A place with a name: its notation, and its name.
pub type Place = (String, String);

/// Returns the places of a board that have a name.
#[must_use]
pub fn places(board: &Board) -> Vec<Place> {
    match board {
        Board::Bricks(bricks) => bricks.iter().map(|brick| (brick.code.clone(), brick.name.clone())).collect(),
        Board::Points(_) | Board::Cells(_) | Board::Blocks(_) => Vec::new(),
    }
}

/// A kind of piece: its letter in the notation, and its name in lower case.
pub type Piece = (char, String);

/// Tries entries at a desk, in open play without keys, at a time.
pub struct AtDesk<'a>(pub &'a Desk<'a>, pub Time);

impl Judge for AtDesk<'_> {
    fn judge(&mut self, text: &str) -> Trial {
        let request = EntryRequest { actions: text, message: None, time: self.1, time_asked: false };
        trial(self.0.actions(&request, &mut NoKeyStore))
    }

    fn next(&mut self, begun: &str) -> Vec<String> {
        let table = &self.0.opened.table;
        let next = table.read(begun).and_then(|typed| typed.next());
        next.map(|next| next.actions).unwrap_or_default()
    }

    fn is_stepwise(&self) -> bool {
        self.0.opened.header.info.stepwise
    }

    fn places(&self) -> Vec<Place> {
        places(&self.0.opened.table.view(Viewer::Public).board)
    }

    fn pieces(&self) -> Vec<Piece> {
        pieces(self.0.opened.table.view(Viewer::Public))
    }
}

/// Returns the kinds of pieces in a scene that have a letter in the notation.
#[must_use]
pub fn pieces(scene: Scene) -> Vec<Piece> {
    // `K k` is a Commander, `(F)` a landed Fighter; what is no piece has no capital letter.
    let piece = |(sign, _, name): (&str, &str, &str)| {
        let mut letters = sign.trim_matches(['(', ')']).split(' ').map(str::chars);
        let mut first = letters.next()?;
        let letter = first.next().filter(|letter| letter.is_ascii_uppercase())?;
        let is_letter = first.next().is_none() && letters.all(|one| one.eq([letter.to_ascii_lowercase()]));
        let name = name.rsplit(' ').next().filter(|name| name.starts_with(char::is_uppercase))?;
        is_letter.then(|| (letter, name.to_lowercase()))
    };
    scene.legend.into_iter().filter_map(piece).collect()
}

/// Says what a text is from what became of it at a desk.
pub fn trial(entered: Result<String, Refusal>) -> Trial {
    match entered {
        Ok(actions) => Trial::Legal(actions),
        Err(Refusal::Entry(_, verdict)) if verdict.ruling == Ruling::Illegal => Trial::Illegal,
        Err(_) => Trial::Misread,
    }
}

/// A line of a reply, with what it is.
struct Line {
    text: String,
    /// In which paragraph it stands.
    paragraph: usize,
    /// Without greetings and the like around it.
    bare: String,
    /// Without wishes and the like behind it.
    begun: String,
    tokens: Vec<Token>,
    notation: bool,
    /// Whether nothing in it speaks against its notation being the entry; without notation, whether it is only courtesy.
    clean: bool,
    /// Whether it leaves open if an entry in another line is meant.
    doubts: bool,
    /// Whether it speaks of taking an entry back, or of whether it may be made.
    retracts: bool,
    /// Whether something has to follow it.
    goes_on: bool,
    /// Whether it says that the notation is not all.
    trails_off: bool,
}

impl Line {
    /// Returns whether it leaves open if the entry in these paragraphs is meant. In prose that stands apart a word as "not" is of
    /// something else.
    fn leaves_open(&self, (first, last): (usize, usize)) -> bool {
        let words = self.tokens.iter().filter(|token| !matches!(token.kind, Kind::Stop(_))).count();
        if (first..=last).contains(&self.paragraph) {
            return self.retracts || self.doubts && words <= SHORT;
        }
        let is_next = self.paragraph + 1 == first || self.paragraph == last + 1;
        is_next && self.retracts && words <= SHORT_APART
    }
}

/// Understands the one entry that the lines can mean; an empty line ends a paragraph. `moves` lists legal entries, as far as the game can list them.
pub fn understand(lines: &[String], turn: &ReplyContext<'_>, moves: &[String], judge: &mut dyn Judge) -> Understood {
    let put: Vec<String> = moves.iter().filter(|one| one.contains('@')).take(MOST_PUT).cloned().collect();
    let places = if put.is_empty() { Vec::new() } else { judge.places() };
    let mut options: Vec<String> = Vec::new();
    let mut reader = Reader::new(moves, judge, turn.tries);
    let (mut offers, mut message, mut left) = (false, None, Vec::new());
    let mut paragraph = 0;
    for line in lines {
        if line.is_empty() {
            paragraph += 1;
            continue;
        }
        let (line, said) = parted(line);
        if said.is_none()
            && let Some(kept) = strip_label(line, "message:")
        {
            message = pasted(kept);
            continue;
        }
        message = said.and_then(pasted).or(message);
        let line = plain(line);
        let line = without_faces(&line);
        if is_offer(line) {
            offers = true;
            continue;
        }
        let Some(line) = without_dress(without_smiley(line), turn) else { continue };
        let (line, offer) = without_offer(&line);
        let mut line = with_leave_apart(line);
        offers |= offer;
        if reader.knows("end") && Meaning::EndTurn.has(&trimmed(&line).to_lowercase()) {
            line = "end".to_owned();
        }
        match placing::placed(&line, &put, &places).as_slice() {
            [] => {}
            [one] => line.clone_from(one),
            several => options.extend(several.iter().cloned()),
        }
        if !line.is_empty() {
            left.push((line, paragraph));
        }
    }
    let lines: Vec<Line> = left.into_iter().map(|(text, paragraph)| reader.classified(text, paragraph, turn)).collect();
    if let Some(understood) = in_set_words(&lines, turn, &mut reader) {
        return understood;
    }
    let with: Vec<usize> = (0..lines.len()).filter(|nth| lines.get(*nth).is_some_and(|line| line.notation)).collect();
    let (Some(&first), Some(&last)) = (with.first(), with.last()) else {
        if offers {
            return Understood::OfferAlone;
        }
        let nearest = lines.iter().map(|line| &line.text).find(|line| looks_like_entry(line)).cloned();
        return nothing(&mut reader, options, nearest);
    };
    // An entry that is whole as it stands, however its lines were broken.
    let whole = reader.lines(lines.get(first..).unwrap_or_default());
    // The first line of a turn that was broken may have nothing in it that only entries have.
    let may_begin =
        |nth: &usize| lines.get(*nth).is_some_and(|line| line.tokens.iter().any(|token| token.kind == Kind::Known));
    let earlier = (first.saturating_sub(FIRST_LINES)..first).filter(may_begin).find_map(|start| {
        match reader.lines(lines.get(start..)?) {
            Some((found @ readings::Found::Legal(_), count)) if start + count > last => Some((start, (found, count))),
            _ => None,
        }
    });
    let (first, whole) = match earlier {
        Some((start, found)) => (start, Some(found)),
        None => (first, whole),
    };
    let block = lines.get(first..=last).unwrap_or_default();
    let used = whole.as_ref().map_or(first..=last, |(_, count)| first..=(first + count - 1));
    let meant = |line: &(usize, &Line)| used.contains(&line.0);
    let others: Vec<&Line> = lines.iter().enumerate().filter(|line| !meant(line)).map(|(_, line)| line).collect();
    let paragraph = |nth: &usize| lines.get(*nth).map_or(0, |line| line.paragraph);
    let home = (paragraph(used.start()), paragraph(used.end()));
    let is_near = |line: &Line| (home.0..=home.1).contains(&line.paragraph);
    let is_meant = others.iter().all(|line| !line.notation && !line.leaves_open(home))
        && (whole.is_some() || block.iter().all(|line| line.clean))
        && !lines.iter().skip(*used.end()).any(|line| line.goes_on && is_near(line))
        && !lines.iter().any(|line| line.trails_off && (is_near(line) || line.tokens.len() <= DOTS))
        && !runs_on(&lines, *used.start(), *used.end());
    let more = others.iter().any(|line| !line.clean);
    let words = block.iter().map(|line| line.bare.as_str()).collect::<Vec<_>>().join(" ");
    let trial = match whole {
        Some((found @ readings::Found::Legal(_), _)) => Some(found),
        // What the rules refuse as it stands may be legal as it is meant: without a letter, or as one entry of several lines.
        Some((illegal, _)) => match reader.block(block) {
            Some(found @ readings::Found::Legal(_)) => Some(found),
            _ => Some(illegal),
        },
        None if is_meant => reader.block(block),
        None => None,
    };
    let one = |actions: String| Meant {
        more: more || squeeze(&actions) != squeeze(&words) && !squeeze(&actions).starts_with(&squeeze(&words)),
        actions,
        words: words.clone(),
        message: message.clone(),
    };
    match trial {
        Some(found) if is_meant => match found {
            readings::Found::Legal(list) if list.len() == 1 => {
                let mut actions = list.into_iter().next().unwrap_or_default();
                if offers && !actions.contains("draw?") {
                    // If an offer cannot be made now, the entry is not made without it.
                    match reader.legal(&format!("{actions}; draw?")) {
                        Some(with) => actions = with,
                        None => return Understood::OfferAlone,
                    }
                }
                // The game is not given up by a word among others.
                if more && actions == "resign" {
                    return Understood::Mentioned(vec![one(actions)]);
                }
                Understood::Entry(one(actions))
            }
            readings::Found::Legal(list) => Understood::Mentioned(list.into_iter().map(one).collect()),
            readings::Found::Illegal(typed) => Understood::Illegal(one(typed)),
        },
        _ => {
            let mut list: Vec<Meant> = Vec::new();
            for line in lines.iter().filter(|line| line.notation) {
                for (actions, words) in reader.mentioned(line) {
                    if list.iter().all(|known| known.actions != actions) {
                        list.push(Meant { actions, words, message: None, more: true });
                    }
                }
            }
            if list.is_empty()
                && let Some(typed) = lines.iter().filter(|line| line.notation).find_map(|line| reader.refused(line))
            {
                return Understood::Illegal(Meant { actions: typed, words, message: None, more: true });
            }
            if list.is_empty() {
                let nearest = block.iter().map(|line| trimmed(&line.text).to_owned()).next();
                return nothing(&mut reader, options, nearest);
            }
            Understood::Mentioned(list)
        }
    }
}

/// What is understood where there is no entry: `options` are those between which something that was put in words does not decide.
fn nothing(reader: &mut Reader<'_>, options: Vec<String>, nearest: Option<String>) -> Understood {
    let list: Vec<Meant> = options
        .into_iter()
        .filter_map(|one| {
            let actions = reader.legal(&one)?;
            Some(Meant { actions, words: one, message: None, more: true })
        })
        .collect();
    if list.is_empty() { Understood::Nothing { nearest } } else { Understood::Mentioned(list) }
}

/// Reads what is said in words that are known as a whole: giving up, accepting a draw, declining, and "not yet".
fn in_set_words(lines: &[Line], turn: &ReplyContext<'_>, reader: &mut Reader<'_>) -> Option<Understood> {
    let bare = |line: &Line| {
        let courtesy = |token: &&Token| !matches!(token.kind, Kind::Nice | Kind::Stop(_));
        let said: Vec<&str> = line.tokens.iter().filter(courtesy).map(|token| token.lower.as_str()).collect();
        said.join(" ")
    };
    let all = |line: &Line| {
        let said = line.tokens.iter().filter(|token| !matches!(token.kind, Kind::Stop(_)));
        said.map(|token| token.lower.as_str()).collect::<Vec<_>>().join(" ")
    };
    let is = |meaning: Meaning, line: &Line| {
        let (all, bare) = (all(line), bare(line));
        let short = line.tokens.iter().filter(|token| !matches!(token.kind, Kind::Nice | Kind::Stop(_) | Kind::Filler));
        let short = short.map(|token| token.lower.as_str()).collect::<Vec<_>>().join(" ");
        [all, bare, short, trimmed(&line.text).to_lowercase()].iter().any(|said| meaning.has(said))
    };
    // "Bram, resign!" asks it of somebody else.
    let asks = |line: &Line| {
        let first = line.tokens.first().filter(|token| token.kind == Kind::Nice);
        line.text.ends_with('?') || first.is_some_and(|token| !Meaning::Greeting.has(&token.lower))
    };
    let said = |meaning: Meaning| {
        let found = lines.iter().find(|line| is(meaning, line) && !asks(line))?;
        // Everything else is courtesy, or says the same.
        lines.iter().all(|line| line.clean && !line.notation || is(meaning, line)).then_some(found)
    };
    let one = |line: &Line, actions: &str| Meant {
        actions: actions.to_owned(),
        words: trimmed(&line.text).to_owned(),
        message: None,
        more: true,
    };
    if let Some(line) = lines.iter().find(|line| is(Meaning::NotYet, line))
        && lines.iter().all(|other| !other.notation || std::ptr::eq(other, line))
    {
        return Some(Understood::NotYet);
    }
    if turn.offered
        && let Some(line) = said(Meaning::AcceptsDraw)
        && reader.legal("draw!").is_some()
    {
        let entry = one(line, "draw!");
        let other = reader.legal(&bare(line)).filter(|other| other != "draw!");
        return Some(match other {
            Some(other) => Understood::Mentioned(vec![entry, one(line, &other)]),
            None => Understood::Entry(Meant { more: line.text != "draw!", ..entry }),
        });
    }
    if turn.new
        && lines.iter().all(|line| !line.notation)
        && lines.iter().any(|line| Meaning::Declines.begins(&all(line)))
    {
        return Some(Understood::Declined);
    }
    // "resign" alone is an entry of the grammar, and read below; this is for all other ways to say it.
    let line = said(Meaning::Resigns)?;
    let actions = reader.legal("resign")?;
    // "Resign, please" may ask it of the other player.
    if pleads(&line.text) {
        return Some(Understood::Mentioned(vec![one(line, &actions)]));
    }
    Some(Understood::Entry(Meant { more: squeeze(&line.text) != "resign", ..one(line, &actions) }))
}

/// Returns whether a sentence that says something else runs into the lines of the entry or out of them.
fn runs_on(lines: &[Line], first: usize, last: usize) -> bool {
    let ends = |text: &str| text.ends_with(['.', '!', '?', ',', ';', ')', '"']);
    let is_with = |line: &Line, nth: usize| lines.get(nth).is_some_and(|other| other.paragraph == line.paragraph);
    let before = first.checked_sub(1).and_then(|nth| lines.get(nth)).is_some_and(|line| {
        !line.clean
            && is_with(line, first)
            && (line.text.ends_with(':') || !ends(&line.text) && line.text.chars().count() >= BROKEN)
    });
    let after = lines.get(last + 1).is_some_and(|line| {
        !line.clean
            && is_with(line, last)
            && line.text.starts_with(|c: char| c.is_lowercase())
            && !line.text.ends_with('?')
    });
    before || after
}

impl Reader<'_> {
    /// Says what a line is.
    fn classified(&mut self, text: String, paragraph: usize, turn: &ReplyContext<'_>) -> Line {
        let tokens = tokens(&text, turn, &self.pieces, |word| self.knows(word));
        let has_mark = tokens.iter().any(|token| token.kind == Kind::Mark);
        let bare = bare(&text, &tokens).to_owned();
        let begun = trimmed(without_wishes(&text, &tokens)).to_owned();
        let known = tokens.iter().filter(|token| token.kind == Kind::Known).count();
        let notation =
            has_mark || self.is_entry(&bare) || known > 1 && (self.is_listed(&tokens) || self.is_in_words(&tokens));
        let trails_off = trails_off(&text, &tokens);
        let asks = text.contains('?') || trails_off;
        let begins = tokens.first().map(|token| token.lower.as_str()).unwrap_or_default();
        // Words in which an entry as such is written are no prose.
        let prose =
            |token: &Token| token.kind == Kind::Other && !(turn.corrects && Meaning::Corrects.has(&token.lower));
        let is_question = Meaning::Question.has(begins) && tokens.len() > 1;
        let is_whole = notation && !asks && self.is_entry(&bare);
        let clean = is_whole || !asks && !is_question && !tokens.iter().any(prose);
        let is_about = |token: &Token| Meaning::Asked.has(&token.lower);
        let doubts = !clean
            && (tokens.iter().any(|token| Meaning::Doubt.has(&token.lower)) || asks && tokens.iter().any(is_about));
        let retracts = !clean && tokens.iter().any(|token| Meaning::Retracts.has(&token.lower));
        let goes_on = goes_on(&tokens);
        let mut line =
            Line { text, paragraph, bare, begun, tokens, notation, clean, doubts, retracts, goes_on, trails_off };
        // What is written like a place in prose, such as "B2B", is notation only if it can be an entry.
        if has_mark && !clean && line.tokens.len() > SHORT {
            line.notation = !self.mentioned(&line).is_empty() || self.refused(&line).is_some();
        }
        line
    }
}

/// Returns whether a line says that its notation, or that above it, is not all: it is dots, or ends with them or with "and so on".
fn trails_off(text: &str, tokens: &[Token]) -> bool {
    let words: Vec<&Token> = tokens.iter().filter(|token| !matches!(token.kind, Kind::Stop(_))).collect();
    let is_part = |last: &&Token| {
        matches!(last.kind, Kind::Mark | Kind::Known) || last.text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let has_dots = text.ends_with("...") && words.last().is_none_or(is_part);
    let ends = |phrase: &&str| {
        let count = phrase.split(' ').count();
        let last = words.get(words.len().saturating_sub(count)..).unwrap_or_default();
        last.iter().map(|token| token.lower.as_str()).eq(phrase.split(' '))
    };
    has_dots || Meaning::NotAll.words().iter().any(ends)
}

/// Returns whether a line ends with a word that something else has to follow.
fn goes_on(tokens: &[Token]) -> bool {
    let last = tokens.iter().rfind(|token| !matches!(token.kind, Kind::Stop(_) | Kind::Nice));
    // A name is written with a capital letter.
    last.is_some_and(|last| last.text == last.lower && Meaning::Then.has(&last.lower))
}

/// A line without the greeting, the name and the words before an entry, and without the wishes behind it.
fn bare<'a>(text: &'a str, tokens: &[Token]) -> &'a str {
    let is_beside = |token: &Token| matches!(token.kind, Kind::Nice | Kind::Filler | Kind::Stop(_));
    let mut rest = text;
    // "My move:"
    let label = tokens.iter().position(|token| token.kind == Kind::Stop(':')).unwrap_or(0);
    let is_label = |token: &Token| is_beside(token) || token.kind == Kind::Known;
    let is_labelled = label <= 4 && tokens.iter().take(label).all(is_label);
    for (nth, token) in tokens.iter().enumerate() {
        if !(is_beside(token) || is_labelled && nth < label) {
            break;
        }
        rest = rest.find(&token.text).and_then(|at| rest.get(at + token.text.len()..)).unwrap_or(rest);
    }
    let rest = trimmed(without_wishes(rest, tokens));
    // A single word of prose is an entry only where something says so: "the end" does not end a turn.
    let is_word = !rest.contains(|c: char| c.is_ascii_digit() || c.is_whitespace());
    let is_said = is_labelled && label > 0
        || tokens.first().is_some_and(|token| Meaning::Greeting.has(&token.lower))
        || is_thanked_for(tokens);
    if is_word && !is_said { trimmed(text) } else { rest }
}

/// A text without the wishes, thanks and faces behind it.
fn without_wishes<'a>(text: &'a str, tokens: &[Token]) -> &'a str {
    let mut rest = without_faces(text);
    let mut is_wished = false;
    for token in tokens.iter().rev() {
        // "c4-c5 - thanks!"
        let is_dash = is_wished && token.kind == Kind::Link && token.text == "-";
        if !(is_dash || token.kind == Kind::Nice || matches!(token.kind, Kind::Stop(stop) if stop != '?')) {
            break;
        }
        is_wished |= token.kind == Kind::Nice;
        rest = without_faces(rest.rfind(&token.text).and_then(|at| rest.get(..at)).unwrap_or(rest));
    }
    rest
}

/// Whether a line is a word with nothing but thanks behind it. Other wishes say too much beside one word: "end, good game".
fn is_thanked_for(tokens: &[Token]) -> bool {
    let Some((word, rest)) = tokens.split_first() else { return false };
    let mut said = rest.iter().filter(|token| !matches!(token.kind, Kind::Stop(stop) if stop != '?'));
    word.kind != Kind::Nice
        && said.next().is_some_and(|first| first.kind == Kind::Nice && Meaning::Thanks.has(&first.lower))
        && said.next().is_none_or(|name| name.kind == Kind::Nice && !Meaning::Please.has(&name.lower))
        && said.next().is_none()
}

/// Returns the words besides the understood entry, for the player to read.
#[must_use]
pub fn beside(lines: &[String], meant: &Meant) -> Vec<String> {
    let is_used = |line: &str| {
        let (line, _) = parted(line);
        let bare = plain(line);
        let bare = trimmed(&bare);
        meant.words.contains(bare) || meant.message.as_deref().is_some_and(|said| said.contains(bare)) || is_offer(bare)
    };
    if !meant.more {
        return Vec::new();
    }
    let is_greeting = |line: &str| {
        let mut words = line.split_whitespace().map(|word| trimmed(word).to_lowercase());
        line.split_whitespace().count() <= 4 && words.next().is_some_and(|word| Meaning::Greeting.has(&word))
    };
    lines.iter().filter(|line| !is_used(line) && !is_greeting(line)).cloned().collect()
}

/// Makes a text suitable as a message in a record (E9), shortened if it is long; `None` if nothing is left.
#[must_use]
pub fn message(text: &str) -> Option<String> {
    pasted(&text.chars().take(LONGEST_MESSAGE).collect::<String>())
}

/// Makes a whole text suitable as a message in a record (E9); `None` if nothing is left.
fn pasted(text: &str) -> Option<String> {
    let fit = |c: char| {
        if matches!(c, '{' | '}') || c.is_control() || postrider_kernel::text::is_forbidden(c) { ' ' } else { c }
    };
    let text: String = text.chars().map(fit).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

/// Returns what stands behind a label at the beginning of a line.
fn strip_label<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let (start, rest) = line.trim_start().split_at_checked(label.len())?;
    start.eq_ignore_ascii_case(label).then(|| rest.trim())
}

/// A line without the number, the side's name and the time of a record's line, and without what some people put before
/// their move. `None` if it is a line of another entry.
fn without_dress(line: &str, turn: &ReplyContext<'_>) -> Option<String> {
    let line = line.trim_start_matches(['*', '"', '#', ' ', '\u{2022}']);
    // The dash of a list, or its letter.
    let line = line.strip_prefix("- ").unwrap_or(line);
    let mut line = match line.as_bytes() {
        [b'a'..=b'z', b')', b' ', ..] => line.get(3..).unwrap_or_default().to_owned(),
        _ => line.to_owned(),
    };
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
        let is_item = line.get(digits..).is_some_and(|rest| rest.starts_with(". ") || rest.starts_with(") "));
        let is_before_mark = rest.len() < line.len() - digits && rest.split_whitespace().next().is_some_and(is_mark);
        if is_own || is_item || is_before_mark {
            line = rest.to_owned();
        }
    }
    let lower = line.to_lowercase();
    // In lower case, text may have a different length.
    let rest = lower.strip_prefix(turn.side).and_then(|rest| line.get(line.len().checked_sub(rest.len())?..));
    if let Some(rest) = rest.filter(|rest| rest.starts_with([' ', ':'])) {
        line = rest.trim_start_matches([':', ' ']).to_owned();
    }
    Some(line)
}

/// A line without the letter that stands for a face behind it, which other programs than Outlook show as it is.
fn without_smiley(line: &str) -> &str {
    let bare = [" J", " L", " K"].iter().find_map(|face| line.strip_suffix(face));
    bare.filter(|bare| has_notation(bare)).map_or(line, str::trim_end)
}

/// A line without an offer of a draw at its end, and whether there was one.
fn without_offer(line: &str) -> (String, bool) {
    let lower = line.to_lowercase();
    let asked = lower.strip_suffix('?').map(|asked| asked.strip_suffix(' ').unwrap_or(asked));
    for draw in Meaning::Draw.words() {
        if let Some(rest) = asked.and_then(|asked| asked.strip_suffix(draw))
            && let Some(rest) = line.get(..rest.len())
            && !rest.trim().is_empty()
            && rest.ends_with([' ', ',', ';', '.', '-', '('])
            && rest.split_whitespace().any(is_mark)
        {
            return (rest.trim_end_matches([' ', ',', ';', '.', '-', '(']).to_owned(), true);
        }
    }
    (line.to_owned(), false)
}

/// A line with the mark before a leave at its end, if that was left out: `c4-c5 leave 7d`.
fn with_leave_apart(line: String) -> String {
    let Some((before, span)) = line.rsplit_once(" leave ") else { return line };
    let is_span = span.trim_end_matches(|c: char| c.is_ascii_alphabetic()).bytes().all(|byte| byte.is_ascii_digit());
    let end: &[char] = &[' ', ',', ';', '.'];
    let before = before.trim_end_matches(end);
    // "c4-c5 and leave 7d"
    let joined = before.rsplit_once(' ').filter(|(_, last)| Meaning::And.has(&last.to_lowercase()));
    let before = joined.map_or(before, |(before, _)| before.trim_end_matches(end));
    if is_span && before.split_whitespace().any(is_mark) { format!("{before}; leave {span}") } else { line }
}

/// Returns whether a line only offers a draw.
fn is_offer(line: &str) -> bool {
    let bare = |text: &str| text.chars().filter(|c| c.is_alphabetic() || *c == '?').collect::<String>();
    let said = bare(&line.to_lowercase());
    Meaning::OffersDraw.words().iter().any(|offer| bare(offer) == said)
}

/// Returns whether a text has a word that is written like a part of an entry, and is no mail address.
#[must_use]
pub fn has_notation(text: &str) -> bool {
    let is_address = |word: &str| word.split_once('@').is_some_and(|(_, domain)| domain.contains('.'));
    plain(text).split_whitespace().any(|word| !is_address(word) && is_mark(word))
}

/// Returns whether a line looks like an attempt at an entry: it is short and contains what is written like one.
#[must_use]
pub fn looks_like_entry(line: &str) -> bool {
    let line = plain(line);
    line.chars().count() <= 60
        && line.split_whitespace().count() <= 8
        && line.split_whitespace().any(|word| is_mark(word) || is_coordinate(word))
}

/// Returns whether a line is a word that is an entry, or a part of one, without any place in it.
#[must_use]
pub fn is_word_of_entry(line: &str) -> bool {
    let line = plain(line);
    let said = without_faces(&line).trim_matches(|c: char| ".,;:! ".contains(c)).to_lowercase();
    let is = |said: &str| WORDS.contains(&said) || Meaning::Resigns.has(said);
    is(&said) || is(without_wishes_behind(&words_of(&said)))
}

/// Returns whether a word is a letter and a number, as of a place that no board has.
fn is_coordinate(word: &str) -> bool {
    let word = trimmed(word);
    // A claim of a square that is none: `+z9A`.
    if let Some([b'a'..=b'z' | b'A'..=b'Z', b'0'..=b'9', rest @ ..]) = word.strip_prefix('+').map(str::as_bytes) {
        return rest.len() < 3 && rest.iter().all(u8::is_ascii_alphanumeric);
    }
    let parts: Vec<&str> = word.split(['-', 'x']).collect();
    let is =
        |part: &&str| matches!(part.as_bytes(), [b'a'..=b'z' | b'A'..=b'Z', b'0'..=b'9', rest @ ..] if rest.len() < 2);
    parts.len() > 1 && parts.iter().all(is)
}

/// The lists by which moves are found from their letters and digits alone.
type Squeezed = HashMap<String, Vec<String>>;

#[cfg(test)]
mod tests;
