//! The words of a line, each with what it is.

use super::spelling::{has_digit, is_face, is_mark};
use super::{Piece, ReplyContext};
use crate::words::Meaning;

/// The most words of a line that are read.
const MOST_WORDS: usize = 400;

/// The most words of a sentence that thanks.
const MOST_THANKS: usize = 12;

/// The words that join two places or say where they are.
const LINKS: [Meaning; 5] = [Meaning::To, Meaning::Takes, Meaning::Jumps, Meaning::From, Meaning::And];
/// The four directions, by their letter.
const DIRECTIONS: [(char, Meaning); 4] =
    [('N', Meaning::North), ('E', Meaning::East), ('S', Meaning::South), ('W', Meaning::West)];
/// The numbers of a rank.
const NUMBERS: [(char, Meaning); 8] = [
    ('1', Meaning::One),
    ('2', Meaning::Two),
    ('3', Meaning::Three),
    ('4', Meaning::Four),
    ('5', Meaning::Five),
    ('6', Meaning::Six),
    ('7', Meaning::Seven),
    ('8', Meaning::Eight),
];

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// As it was typed, without punctuation.
    pub text: String,
    /// In lower case.
    pub lower: String,
    pub kind: Kind,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Notation: `c4-c5`, `e6`, `+d1A`.
    Mark,
    /// A word of which entries of this game are made: `place`.
    Known,
    /// It joins two places or says where they are: `to`, `takes`, `from`.
    Link,
    /// The direction in which a piece is turned.
    Facing(char),
    /// It says nothing against an entry.
    Filler,
    /// A greeting, a name, thanks, wishes.
    Nice,
    /// Anything else.
    Other,
    /// A punctuation mark.
    Stop(char),
}

/// Splits a line into words and says of each what it is. `known` says whether a word, in lower case, is of this game's entries.
pub(super) fn tokens(
    line: &str,
    turn: &ReplyContext<'_>,
    pieces: &[Piece],
    known: impl Fn(&str) -> bool,
) -> Vec<Token> {
    let mut list = Vec::new();
    for word in line.split_whitespace().take(MOST_WORDS) {
        split(word, &mut list);
    }
    name(&mut list, pieces);
    merge(&mut list);
    let names: Vec<String> = turn
        .names
        .iter()
        .flat_map(|name| name.split_whitespace())
        .map(str::to_lowercase)
        .chain([turn.side.to_owned(), turn.other.to_owned()])
        .collect();
    let has_mark = list.iter().any(|token| token.kind == Kind::Mark);
    for token in list.iter_mut().filter(|token| token.kind == Kind::Other) {
        token.kind = match token.lower.as_str() {
            word if known(word.trim_start_matches('@')) => Kind::Known,
            word if names.iter().any(|name| name == word) => Kind::Nice,
            word if has_mark && LINKS.iter().any(|link| link.has(word)) => Kind::Link,
            word if Meaning::Harmless.has(word) => Kind::Filler,
            _ => Kind::Other,
        };
    }
    // The numbers behind a word of an entry: `accept 7 5`, "accept: 7 and 5".
    for at in 1..list.len() {
        let is_between = |token: &&Token| {
            matches!(token.kind, Kind::Stop(',' | ':')) || token.kind != Kind::Known && Meaning::Then.has(&token.lower)
        };
        let before = list.get(..at).and_then(|before| before.iter().rfind(|token| !is_between(token)));
        let behind = before.is_some_and(|before| before.kind == Kind::Known);
        if let Some(token) = list.get_mut(at).filter(|token| behind && token.kind == Kind::Other)
            && token.text.bytes().all(|byte| byte.is_ascii_digit())
        {
            token.kind = Kind::Known;
        }
    }
    turned(&mut list);
    ordered(&mut list);
    courtesies(&mut list);
    list
}

/// Finds words of order that say nothing against an entry: "first", where something follows, and "next" between two parts. Elsewhere
/// they say that the entry is not all, or is meant for another time.
fn ordered(list: &mut [Token]) {
    let is_part = |token: &Token| matches!(token.kind, Kind::Mark | Kind::Known);
    let (first, last) = (list.iter().position(is_part), list.iter().rposition(is_part));
    let between = |at: usize| first.is_some_and(|first| first < at) && last.is_some_and(|last| at < last);
    let goes_on = list.iter().enumerate().any(|(at, token)| between(at) && Meaning::Then.has(&token.lower));
    for at in 0..list.len() {
        let is_the_first = list.get(at + 1).is_some_and(|behind| Meaning::Move.has(&behind.lower));
        let Some(token) = list.get_mut(at) else { break };
        if token.kind == Kind::Link && Meaning::AndLater.has(&token.lower) && !between(at) {
            token.kind = Kind::Other;
        } else if matches!(token.kind, Kind::Other | Kind::Filler) && Meaning::First.has(&token.lower) {
            token.kind = if goes_on || is_the_first { Kind::Filler } else { Kind::Other };
        }
    }
}

/// Returns whether a word, with its mark, offers or accepts a draw as entries do.
fn is_about_draw(word: &str) -> bool {
    word == "draw?" || word.strip_suffix('!').is_some_and(|word| Meaning::Draw.has(word))
}

/// Adds the parts of a word: punctuation behind it is a part of its own.
fn split(word: &str, list: &mut Vec<Token>) {
    // A face made of punctuation marks, or a picture.
    let is_like_face = word.starts_with([':', ';']) && (2..=3).contains(&word.chars().count()) && !has_digit(word);
    if is_like_face || is_face(word) {
        return;
    }
    let token = |text: &str, kind| Token { text: text.to_owned(), lower: text.to_lowercase(), kind };
    if is_about_draw(&word.to_lowercase()) {
        list.push(token(word, Kind::Other));
        return;
    }
    let word = word.trim_start_matches(['"', '\'', '(', '[', '*', '_', '<']);
    let bare = word.trim_end_matches(|c: char| {
        matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | '"' | '\'' | '*' | ']' | '_' | '>' | '-')
    });
    let stops = word.get(bare.len()..).unwrap_or_default();
    if bare.is_empty() && stops.contains('-') {
        list.push(token("-", Kind::Link));
    }
    if bare.chars().any(char::is_alphanumeric) {
        // Places that only a mark separates.
        let mut first = true;
        for part in bare.split([',', ';', '/']).filter(|part| !part.is_empty()) {
            if !first {
                list.push(token(",", Kind::Stop(if bare.contains(';') { ';' } else { ',' })));
            }
            first = false;
            let kind = match part.as_bytes() {
                [b'=', letter @ (b'N' | b'E' | b'S' | b'W' | b'n' | b'e' | b's' | b'w')] => {
                    Kind::Facing(char::from(letter.to_ascii_uppercase()))
                }
                _ if is_mark(part) => Kind::Mark,
                _ => Kind::Other,
            };
            list.push(token(part, kind));
        }
    }
    if !bare.is_empty() && stops.starts_with('-') {
        list.push(token("-", Kind::Link));
    }
    // A full stop that is left alone, as in "...", says as little as one.
    for stop in stops.chars().filter(|c| matches!(c, '.' | ',' | ';' | ':' | '!' | '?')) {
        if list.last().is_none_or(|last| last.kind != Kind::Stop(stop)) {
            list.push(token(&stop.to_string(), Kind::Stop(stop)));
        }
    }
}

/// Joins what was written apart: `c 4`, `c four`, `L a1`, `L on a1`.
fn merge(list: &mut Vec<Token>) {
    let mut at = 0;
    while at + 2 < list.len() {
        let is_piece = |token: &Token| matches!(token.text.as_bytes(), [b'A'..=b'H' | b'J'..=b'Z']);
        let is_on = |token: &Token| token.kind == Kind::Stop(':') || Meaning::On.has(&token.lower);
        let is_place = |token: &Token| matches!(token.lower.as_bytes(), [b'a'..=b'h', b'1'..=b'8', ..]);
        if let Some([piece, on, place]) = list.get(at..at + 3)
            && is_piece(piece)
            && is_on(on)
            && is_place(place)
        {
            let text = format!("{}{}", piece.text, place.text);
            list.splice(at..at + 3, [Token { lower: text.to_lowercase(), text, kind: Kind::Mark }]);
        }
        at += 1;
    }
    let mut at = 0;
    while at + 1 < list.len() {
        let (Some(one), Some(two)) = (list.get(at), list.get(at + 1)) else { break };
        let is_letter = one.lower.chars().count() == 1 && one.lower.starts_with(|c: char| c.is_ascii_lowercase());
        let file = is_letter && matches!(one.lower.as_bytes(), [b'a'..=b'h']);
        let number = NUMBERS.iter().find(|(_, number)| number.has(&two.lower)).map(|(digit, _)| *digit);
        let joined = match two.lower.as_bytes() {
            [b'1'..=b'8'] if file || is_piece_file(&one.text) => Some(format!("{}{}", one.text, two.text)),
            // The letter of a piece before its place.
            [b'a'..=b'h', b'1'..=b'8', ..]
                if is_letter
                    && one.text.starts_with(|c: char| c.is_ascii_uppercase())
                    && one.lower != "i"
                    && (one.lower != "a" || two.lower.len() == 2) =>
            {
                Some(format!("{}{}", one.text, two.text))
            }
            _ => number.filter(|_| file || is_piece_file(&one.text)).map(|digit| format!("{}{digit}", one.text)),
        };
        if let Some(text) = joined
            && is_mark(&text)
        {
            let token = Token { lower: text.to_lowercase(), text, kind: Kind::Mark };
            list.splice(at..at + 2, [token]);
        }
        at += 1;
    }
}

/// Puts the letters of pieces before the places behind their names: "the Prince on c1", "longswords a1 and f1".
fn name(list: &mut Vec<Token>, pieces: &[Piece]) {
    let is_place = |token: &Token| matches!(token.lower.as_bytes(), [b'a'..=b'h', b'1'..=b'8', ..]);
    let mut at = 0;
    while at < list.len() {
        let Some((letter, several)) = list.get(at).and_then(|token| piece(&token.lower, pieces)) else {
            at += 1;
            continue;
        };
        let passes = |token: &Token| {
            [Meaning::On, Meaning::To, Meaning::From, Meaning::Harmless].iter().any(|one| one.has(&token.lower))
                || token.kind == Kind::Stop(':')
        };
        let joins = |token: &Token| token.kind == Kind::Stop(',') || Meaning::And.has(&token.lower) || passes(token);
        let mut named = 0;
        for token in list.iter_mut().skip(at + 1) {
            if is_place(token) && token.kind == Kind::Mark {
                token.text.insert(0, letter);
                token.lower = token.text.to_lowercase();
                named += 1;
                if !several {
                    break;
                }
            } else if !(passes(token) || named > 0 && joins(token)) {
                break;
            }
        }
        if named == 0 {
            at += 1;
            continue;
        }
        // Its name, and the words up to the place, say no more than the letter.
        let words = list.iter().skip(at).take_while(|token| token.kind != Kind::Mark).count();
        list.drain(at..at + words);
    }
}

/// The letter of the piece that a word names, and whether it names several.
fn piece(word: &str, pieces: &[Piece]) -> Option<(char, bool)> {
    pieces.iter().find_map(|(letter, name)| {
        // A longswordsman is a longsword too.
        let short = name.strip_suffix("sman").unwrap_or(name);
        let is = |one: &str| word == one;
        let are = |one: &str| word.strip_suffix('s') == Some(one);
        let men = name.strip_suffix("man").is_some_and(|stem| word.strip_suffix("men") == Some(stem));
        (is(name) || is(short) || are(name) || are(short) || men).then(|| (*letter, men || are(name) || are(short)))
    })
}

/// Returns whether a word is the letter of a piece with the letter of a file: `Fc`.
fn is_piece_file(word: &str) -> bool {
    matches!(word.as_bytes(), [b'A'..=b'Z', b'a'..=b'h'])
}

/// Finds the directions in which pieces are turned, behind a place.
fn turned(list: &mut [Token]) {
    let mut behind = false;
    for at in 0..list.len() {
        let Some(token) = list.get(at) else { break };
        let letter = DIRECTIONS.iter().find(|(_, direction)| direction.has(&token.lower)).map(|(letter, _)| *letter);
        // `Pe3-d2 E`
        let before = at.checked_sub(1).and_then(|before| list.get(before));
        let is_next = before.is_some_and(|before| before.kind == Kind::Mark || Meaning::Facing.has(&before.lower));
        let letter = letter.or(match token.text.as_bytes() {
            [letter @ (b'N' | b'E' | b'S' | b'W')] if is_next => Some(char::from(*letter)),
            _ => None,
        });
        let is_between = token.kind == Kind::Filler
            || token.kind == Kind::Link
            || token.kind == Kind::Stop(',')
            || Meaning::Facing.has(&token.lower);
        match (letter, token.kind) {
            (_, Kind::Mark) => behind = true,
            (Some(letter), _) if behind => {
                // The words between the place and the direction belong to it.
                for back in (0..at).rev() {
                    match list.get_mut(back) {
                        Some(between) if between.kind != Kind::Mark => between.kind = Kind::Filler,
                        _ => break,
                    }
                }
                if let Some(token) = list.get_mut(at) {
                    token.kind = Kind::Facing(letter);
                }
                behind = false;
            }
            _ if !is_between => behind = false,
            _ => {}
        }
    }
    // "turn Pc1 east"
    if list.iter().any(|token| matches!(token.kind, Kind::Facing(_))) {
        list.iter_mut()
            .filter(|token| token.kind == Kind::Other && Meaning::Facing.has(&token.lower))
            .for_each(|token| token.kind = Kind::Filler);
    }
}

/// How many words a sentence has that only thanks for something.
fn thanks(rest: &[Token]) -> Option<usize> {
    rest.first().filter(|first| Meaning::Thanks.has(&first.lower))?;
    let count = rest.iter().take_while(|token| !matches!(token.kind, Kind::Stop(_))).count();
    let speaks = |token: &Token| {
        matches!(token.kind, Kind::Mark | Kind::Known | Kind::Facing(_))
            || Meaning::Doubt.has(&token.lower)
            || Meaning::GameEnd.has(&token.lower)
    };
    let is_asked = rest.get(count).is_some_and(|stop| stop.kind == Kind::Stop('?'));
    let words = rest.get(..count)?;
    (!is_asked && count <= MOST_THANKS && !words.iter().any(speaks)).then_some(count)
}

/// How many words a phrase has by which something is asked for.
fn please(rest: &[Token]) -> Option<usize> {
    let is = |phrase: &str| {
        let count = phrase.split(' ').count();
        let words = rest.get(..count)?;
        let is_word = |token: &Token| !matches!(token.kind, Kind::Mark | Kind::Known | Kind::Facing(_));
        let is = words.iter().all(is_word) && words.iter().map(|token| token.lower.as_str()).eq(phrase.split(' '));
        is.then_some(count)
    };
    Meaning::Please.words().iter().filter_map(|phrase| is(phrase)).max()
}

/// Finds greetings with the name behind them, and wishes and thanks that stand apart.
fn courtesies(list: &mut [Token]) {
    let mut at = 0;
    while at < list.len() {
        let rest = list.get(at..).unwrap_or_default();
        let longest = Meaning::Courtesy
            .words()
            .iter()
            .filter_map(|phrase| {
                let count = phrase.split(' ').count();
                let words = rest.get(..count)?.iter().map(|token| token.lower.as_str());
                let ends = rest.get(count).is_none_or(|next| {
                    matches!(next.kind, Kind::Stop(_) | Kind::Nice)
                        || Meaning::Greeting.has(&next.lower)
                        || next.text.chars().all(|c| !c.is_alphanumeric())
                });
                (ends && words.eq(phrase.split(' '))).then_some(count)
            })
            .max();
        let longest = longest.max(thanks(rest)).max(please(rest));
        let is_greeting =
            rest.first().is_some_and(|token| Meaning::Greeting.has(&token.lower) && token.kind != Kind::Mark);
        let count = match longest {
            Some(count) => count,
            None if is_greeting => {
                let is_name = |token: &&Token| {
                    matches!(token.kind, Kind::Other | Kind::Nice | Kind::Filler)
                        && (token.kind == Kind::Nice
                            || token.text.starts_with(char::is_uppercase)
                                && token.text != "I"
                                && !Meaning::Doubt.has(&token.lower))
                };
                1 + rest.iter().skip(1).take(3).take_while(is_name).count()
            }
            None => {
                at += 1;
                continue;
            }
        };
        // "c4-c5, and good luck"
        let from = match at.checked_sub(1) {
            Some(before) if list.get(before).is_some_and(|before| Meaning::Then.has(&before.lower)) => before,
            _ => at,
        };
        for token in list.iter_mut().take(at + count).skip(from) {
            token.kind = Kind::Nice;
        }
        at += count;
    }
}
