//! How actions are written. The text alone determines the action; no position is needed to read one.

pub(crate) mod line;
pub(crate) mod samples;

use std::fmt::{self, Write as _};

use smol_str::SmolStr;

use crate::mission_combat::board::areas::Area;
use postrider_kernel::notation::{Misfit, Parsed, hexadecimal, number, read_whole, refuse};
use postrider_kernel::words::push_number;
use postrider_kernel::{Nonce, Root, Seal, Seed};

/// The largest number that can be written: nine digits.
const MOST: u64 = 999_999_999;

/// The name of a unit: its card and, if there are several of that card, which one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The card.
    pub slug: SmolStr,
    /// Its number among the units of its card in order of entering play.
    pub number: Option<u32>,
}

/// A unit and its share of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub unit: Name,
    /// The points; `None` for an event that removes a unit.
    pub points: Option<u32>,
}

/// A place in a sealed deck (M54).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The generation as written: `None` for the first.
    pub generation: Option<u32>,
    /// The position in it, from 1.
    pub place: u32,
}

/// What opens a card (M53).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Which card in the hand it is.
    pub position: Position,
    /// What opens its seal.
    pub nonce: Nonce,
}

/// The ways to write a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draw {
    /// `draw`, `draw 2`: sealed play; the number of draw actions.
    Times(u32),
    /// `draw hellfire`, `draw hellfire rifle-squad`: open play; one draw action.
    Cards(SmolStr, Option<SmolStr>),
}

/// An action as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `draw` in one of its forms.
    Draw(Draw),
    /// `keep rifle-squad`: which of two cards is kept (open play, M22).
    Keep(SmolStr),
    /// `place portal-trooper@YA` (M17).
    Place(SmolStr, Area, Option<Opening>),
    /// `play exorcist@RP` (M23).
    Play(SmolStr, Area, Option<Opening>),
    /// `event hellfire gate-breaker.1:30` (M25).
    Event(SmolStr, Vec<Share>, Option<Opening>),
    /// `move exorcist.1>AR` (M26), and whether it is `paid` although a free move applies (M31).
    Move(Name, Area, bool),
    /// `attack exorcist.1 rifle-squad.2:10` (M32).
    Attack(Name, Vec<Share>),
    /// `end` (M20).
    End,
    /// `toss seal:…` (M50).
    TossSeal(Seal),
    /// `guess 1` (M50).
    Guess(bool),
    /// `toss 1 open:…` (M50).
    Toss(bool, Nonce),
    /// `roots root:… …` (M59).
    Roots(Vec<Root>),
    /// `pick 7` (M59).
    Pick(u32),
    /// `seeds seed:… …` (M59).
    Seeds(Vec<Seed>),
    /// `deck seal:… …` (M51).
    Deck(Vec<Seal>),
    /// `shuffle seal:… …` (M57).
    Shuffle(Vec<Seal>),
    /// `shuffle root:… …` (M61).
    ShuffleRoots(Vec<Root>),
    /// `deal 7 13` (M55).
    Deal(Vec<Position>),
    /// `hand 7` (M52).
    Hand(u32),
    /// `discard hellfire open:…` (M52, M56); in a record it always has its opening.
    Discard(SmolStr, Option<Opening>),
    /// `deal` alone, as a player types it for what the program makes; never in a record.
    Made(Made),
}

/// An action that the program makes from one word and its player's secret (M50 to M57).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// `toss`.
    Toss,
    /// `roots`.
    Roots,
    /// `pick`.
    Pick,
    /// `seeds`.
    Seeds,
    /// `deck`.
    Deck,
    /// `deal`.
    Deal,
    /// `hand`.
    Hand,
    /// `shuffle`.
    Shuffle,
}

impl Made {
    const ALL: [Self; 8] =
        [Self::Toss, Self::Roots, Self::Pick, Self::Seeds, Self::Deck, Self::Deal, Self::Hand, Self::Shuffle];

    const fn word(self) -> &'static str {
        match self {
            Self::Toss => "toss",
            Self::Roots => "roots",
            Self::Pick => "pick",
            Self::Seeds => "seeds",
            Self::Deck => "deck",
            Self::Deal => "deal",
            Self::Hand => "hand",
            Self::Shuffle => "shuffle",
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.generation {
            Some(generation) => write!(f, "{generation}.{}", self.place),
            None => write!(f, "{}", self.place),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(f, "{}.{number}", self.slug),
            None => f.write_str(&self.slug),
        }
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " open:{}:{}", self.position, self.nonce)
    }
}

/// Reads a number of at most nine digits.
fn figure(input: &[u8]) -> Parsed<'_, u32> {
    match number(input)? {
        (rest, value) if value <= MOST => Ok((rest, u32::try_from(value).unwrap_or(u32::MAX))),
        _ => refuse(input, "a number of at most nine digits"),
    }
}

/// The same, and not zero.
fn counting(input: &[u8]) -> Parsed<'_, u32> {
    match figure(input)? {
        (_, 0) => refuse(input, "a number from 1"),
        parsed => Ok(parsed),
    }
}

/// Returns whether a slug may have this byte after its first.
const fn is_in_slugs(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')
}

/// How many bytes the input begins with that a slug may have. They are looked at eight at a time: an entry can have a hundred names.
fn slug_length(input: &[u8]) -> usize {
    const EACH: u64 = u64::MAX / 0xff;
    const HIGH: u64 = EACH * 0x80;
    let (mut passed, mut rest) = (0, input);
    while let Some((eight, behind)) = rest.split_first_chunk() {
        let bytes = u64::from_le_bytes(*eight);
        let low = bytes & !HIGH;
        // The high bit of each byte that is within a range. With it set beforehand, no byte borrows from the next.
        let within = |from: u8, to: u8| {
            (low | HIGH).wrapping_sub(EACH * u64::from(from)) & (HIGH + EACH * u64::from(to)).wrapping_sub(low)
        };
        let fits = (within(b'a', b'z') | within(b'0', b'9') | within(b'-', b'-')) & !bytes;
        let others = !fits & HIGH;
        if others != 0 {
            return passed + others.trailing_zeros() as usize / 8;
        }
        (passed, rest) = (passed + 8, behind);
    }
    passed + rest.iter().position(|byte| !is_in_slugs(*byte)).unwrap_or(rest.len())
}

/// Reads a slug at the beginning of `input`, which is the end of `text`: a part of a text need not be checked to be one. Inlined, since
/// an entry has a dozen names, and what one is read into would be copied out of here and again out of [`unit()`].
#[inline(always)]
fn slug<'a>(text: &'a str, input: &'a [u8]) -> Parsed<'a, SmolStr> {
    let length = if input.first().is_some_and(u8::is_ascii_lowercase) { slug_length(input) } else { 0 };
    let from = text.len().saturating_sub(input.len());
    match (text.get(from..from + length), input.get(length..)) {
        (Some(slug), Some(rest)) if length > 0 => Ok((rest, slug.into())),
        _ => refuse(input, "the name of a card, as in `rifle-squad`"),
    }
}

#[inline(always)]
fn unit<'a>(text: &'a str, input: &'a [u8]) -> Parsed<'a, Name> {
    let (rest, slug) = slug(text, input)?;
    match rest {
        [b'.', rest @ ..] => counting(rest).map(|(rest, number)| (rest, Name { slug, number: Some(number) })),
        _ => Ok((rest, Name { slug, number: None })),
    }
}

fn area(input: &[u8]) -> Parsed<'_, Area> {
    if let Some((code, rest)) = input.split_at_checked(2)
        && let Some(area) = Area::read(code)
    {
        return Ok((rest, area));
    }
    refuse(input, "an area: BP, RP, DP, YA, YO, BW, AR, BE, AE or HQ")
}

/// Expects a character, and returns what follows it.
fn behind<'a>(input: &'a [u8], sign: u8, what: &'static str) -> Parsed<'a, ()> {
    match input {
        [first, rest @ ..] if *first == sign => Ok((rest, ())),
        _ => refuse(input, what),
    }
}

fn seal(input: &[u8]) -> Parsed<'_, Seal> {
    let Some(rest) = input.strip_prefix(b"seal:") else { return refuse(input, "`seal:` and 64 hexadecimal digits") };
    hexadecimal(rest, "64 hexadecimal digits").map(|(rest, seal)| (rest, Seal(seal)))
}

fn root(input: &[u8]) -> Parsed<'_, Root> {
    let Some(rest) = input.strip_prefix(b"root:") else { return refuse(input, "`root:` and 64 hexadecimal digits") };
    hexadecimal(rest, "64 hexadecimal digits").map(|(rest, root)| (rest, Root(root)))
}

fn seed(input: &[u8]) -> Parsed<'_, Seed> {
    let Some(rest) = input.strip_prefix(b"seed:") else { return refuse(input, "`seed:` and 64 hexadecimal digits") };
    hexadecimal(rest, "64 hexadecimal digits").map(|(rest, seed)| (rest, Seed(seed)))
}

fn position(input: &[u8]) -> Parsed<'_, Position> {
    let (rest, first) = counting(input)?;
    match rest {
        [b'.', rest @ ..] => {
            let (rest, place) = counting(rest)?;
            Ok((rest, Position { generation: Some(first), place }))
        }
        _ => Ok((rest, Position { generation: None, place: first })),
    }
}

/// ` open:7:…` at the end of an action.
fn opening(input: &[u8]) -> Parsed<'_, Opening> {
    let Some(rest) = input.strip_prefix(b" open:") else {
        return refuse(input, "` open:`, the card's position, `:` and 32 hexadecimal digits");
    };
    let (rest, position) = position(rest)?;
    let (rest, ()) = behind(rest, b':', "`:` and 32 hexadecimal digits")?;
    let (rest, nonce) = hexadecimal(rest, "32 hexadecimal digits")?;
    Ok((rest, Opening { position, nonce: Nonce(nonce) }))
}

fn maybe_opening(input: &[u8]) -> Parsed<'_, Option<Opening>> {
    if input.is_empty() { Ok((input, None)) } else { opening(input).map(|(rest, opening)| (rest, Some(opening))) }
}

/// Reads as many of something as there are, each after a space, and at least one.
fn several<'a, T>(input: &'a [u8], one: impl Fn(&'a [u8]) -> Parsed<'a, T>) -> Parsed<'a, Vec<T>> {
    let (mut rest, ()) = behind(input, b' ', "a space and what belongs to the action")?;
    let mut list = Vec::with_capacity(1 + rest.iter().filter(|byte| **byte == b' ').count());
    loop {
        let (after, item) = one(rest)?;
        list.push(item);
        match after {
            [b' ', after @ ..] => rest = after,
            _ => return Ok((after, list)),
        }
    }
}

fn share<'a>(text: &'a str, input: &'a [u8], needs_points: bool) -> Parsed<'a, Share> {
    let (rest, unit) = unit(text, input)?;
    match rest {
        [b':', rest @ ..] => figure(rest).map(|(rest, points)| (rest, Share { unit, points: Some(points) })),
        _ if needs_points => refuse(rest, "`:` and the points of damage"),
        _ => Ok((rest, Share { unit, points: None })),
    }
}

fn draw<'a>(text: &'a str, input: &'a [u8]) -> Parsed<'a, Action> {
    let rest = match input {
        [] => return Ok((input, Action::Draw(Draw::Times(1)))),
        [b' ', rest @ ..] => rest,
        _ => return refuse(input, "the end of the action, or a space and how many cards or which"),
    };
    if rest.first().is_some_and(u8::is_ascii_digit) {
        return counting(rest).map(|(rest, times)| (rest, Action::Draw(Draw::Times(times))));
    }
    let (rest, first) = slug(text, rest)?;
    match rest {
        [b' ', rest @ ..] => {
            slug(text, rest).map(|(rest, second)| (rest, Action::Draw(Draw::Cards(first, Some(second)))))
        }
        _ => Ok((rest, Action::Draw(Draw::Cards(first, None)))),
    }
}

/// `portal-trooper@YA`, with its opening.
fn card_at<'a>(text: &'a str, input: &'a [u8]) -> Parsed<'a, (SmolStr, Area, Option<Opening>)> {
    let (rest, card) = slug(text, input)?;
    let (rest, ()) = behind(rest, b'@', "`@` and an area")?;
    let (rest, area) = area(rest)?;
    let (rest, opening) = maybe_opening(rest)?;
    Ok((rest, (card, area, opening)))
}

fn event<'a>(text: &'a str, input: &'a [u8]) -> Parsed<'a, Action> {
    let (mut rest, card) = slug(text, input)?;
    let mut shares = Vec::new();
    loop {
        if rest.is_empty() {
            return Ok((rest, Action::Event(card, shares, None)));
        }
        // A unit may be called `open`, so this is an opening only if it is one up to its end.
        match opening(rest) {
            Ok(([], opening)) => return Ok((b"", Action::Event(card, shares, Some(opening)))),
            fault => {
                let word = rest.get(1..).unwrap_or_default().split(|byte| *byte == b' ').next().unwrap_or_default();
                if word.starts_with(b"open:") && word.iter().filter(|byte| **byte == b':').count() > 1 {
                    return fault.map(|(rest, opening)| (rest, Action::Event(card, shares, Some(opening))));
                }
            }
        }
        let (after, ()) = behind(rest, b' ', "a space and a unit, or the end of the action")?;
        let (after, share) = share(text, after, false)?;
        shares.push(share);
        rest = after;
    }
}

fn toss(input: &[u8]) -> Parsed<'_, Action> {
    if input.starts_with(b"seal:") {
        return seal(input).map(|(rest, seal)| (rest, Action::TossSeal(seal)));
    }
    let (rest, bit) = bit(input)?;
    let Some(rest) = rest.strip_prefix(b" open:") else { return refuse(rest, "` open:` and 32 hexadecimal digits") };
    hexadecimal(rest, "32 hexadecimal digits").map(|(rest, nonce)| (rest, Action::Toss(bit, Nonce(nonce))))
}

fn bit(input: &[u8]) -> Parsed<'_, bool> {
    match input {
        [b'0', rest @ ..] => Ok((rest, false)),
        [b'1', rest @ ..] => Ok((rest, true)),
        _ => refuse(input, "0 or 1"),
    }
}

/// What has to follow the words that are no action alone.
const ARGUMENTS: [(&str, &str); 6] = [
    ("place", "a space, a card, `@` and an area, as in `place rifle-squad@HQ`"),
    ("play", "a space, a card, `@` and an area, as in `play rifle-squad@HQ`"),
    ("keep", "a space and the name of a card, as in `keep rifle-squad`"),
    ("event", "a space and the name of a card, as in `event hellfire`"),
    ("move", "a space, a unit, `>` and an area, as in `move rifle-squad>HQ`"),
    ("attack", "a space, a unit and its targets with their damage, as in `attack rifle-squad exorcist:10`"),
];

/// Reads one action.
pub(super) fn read(text: &str) -> Result<Action, Misfit> {
    const ACTIONS: &str =
        "`draw`, `keep`, `place`, `play`, `event`, `move`, `attack`, `end`, or an action of sealed play";
    let whole = |input| {
        let word = |word: &str| text.strip_prefix(word).map(str::as_bytes);
        if let Some(rest) = word("draw") {
            draw(text, rest)
        } else if let Some(rest) = word("attack ") {
            let (rest, attacker) = unit(text, rest)?;
            several(rest, |input| share(text, input, true))
                .map(|(rest, shares)| (rest, Action::Attack(attacker, shares)))
        } else if let Some(rest) = word("move ") {
            let (rest, unit) = unit(text, rest)?;
            let (rest, ()) = behind(rest, b'>', "`>` and an area")?;
            let (rest, area) = area(rest)?;
            match rest.strip_prefix(b" paid") {
                Some(rest) => Ok((rest, Action::Move(unit, area, true))),
                None => Ok((rest, Action::Move(unit, area, false))),
            }
        } else if let Some(rest) = word("play ") {
            card_at(text, rest).map(|(rest, (card, area, opening))| (rest, Action::Play(card, area, opening)))
        } else if let Some(rest) = word("place ") {
            card_at(text, rest).map(|(rest, (card, area, opening))| (rest, Action::Place(card, area, opening)))
        } else if let Some(rest) = word("event ") {
            event(text, rest)
        } else if let Some(rest) = word("keep ") {
            slug(text, rest).map(|(rest, card)| (rest, Action::Keep(card)))
        } else if let Some(rest) = word("end") {
            Ok((rest, Action::End))
        } else if let Some(rest) = word("deal") {
            several(rest, position).map(|(rest, list)| (rest, Action::Deal(list)))
        } else if let Some(rest) = word("discard ") {
            let (rest, card) = slug(text, rest)?;
            opening(rest).map(|(rest, opening)| (rest, Action::Discard(card, Some(opening))))
        } else if let Some(rest) = word("shuffle") {
            match rest.starts_with(b" root:") {
                true => several(rest, root).map(|(rest, list)| (rest, Action::ShuffleRoots(list))),
                false => several(rest, seal).map(|(rest, list)| (rest, Action::Shuffle(list))),
            }
        } else if let Some(rest) = word("roots") {
            several(rest, root).map(|(rest, list)| (rest, Action::Roots(list)))
        } else if let Some(rest) = word("pick ") {
            counting(rest).map(|(rest, number)| (rest, Action::Pick(number)))
        } else if let Some(rest) = word("seeds") {
            several(rest, seed).map(|(rest, list)| (rest, Action::Seeds(list)))
        } else if let Some(rest) = word("deck") {
            several(rest, seal).map(|(rest, list)| (rest, Action::Deck(list)))
        } else if let Some(rest) = word("hand ") {
            counting(rest).map(|(rest, count)| (rest, Action::Hand(count)))
        } else if let Some(rest) = word("guess ") {
            bit(rest).map(|(rest, bit)| (rest, Action::Guess(bit)))
        } else if let Some(rest) = word("toss ") {
            toss(rest)
        } else if let Some((_, arguments)) = ARGUMENTS.iter().find(|(word, _)| text == *word) {
            refuse(&[], arguments)
        } else {
            refuse(input, ACTIONS)
        }
    };
    read_whole(text, whole, "the end of the action, or `; ` and another one")
}

pub(super) fn write(action: &Action, out: &mut String) {
    // Writing to a `String` never fails.
    let _ = write_to(action, out);
}

fn write_to(action: &Action, out: &mut String) -> fmt::Result {
    let opened = |opening: &Option<Opening>, out: &mut String| match opening {
        Some(opening) => write!(out, "{opening}"),
        None => Ok(()),
    };
    match action {
        Action::Draw(Draw::Times(1)) => out.write_str("draw"),
        Action::Draw(Draw::Times(times)) => write!(out, "draw {times}"),
        Action::Draw(Draw::Cards(first, None)) => write!(out, "draw {first}"),
        Action::Draw(Draw::Cards(first, Some(second))) => write!(out, "draw {first} {second}"),
        Action::Keep(card) => write!(out, "keep {card}"),
        Action::Place(card, area, opening) => {
            write!(out, "place {card}@{area}")?;
            opened(opening, out)
        }
        Action::Play(card, area, opening) => {
            write!(out, "play {card}@{area}")?;
            opened(opening, out)
        }
        Action::Event(card, shares, opening) => {
            write!(out, "event {card}")?;
            write_shares(shares, out);
            opened(opening, out)
        }
        Action::Move(unit, area, paid) => write!(out, "move {unit}>{area}{}", if *paid { " paid" } else { "" }),
        Action::Attack(unit, shares) => {
            write!(out, "attack {unit}")?;
            write_shares(shares, out);
            Ok(())
        }
        Action::End => out.write_str("end"),
        Action::TossSeal(seal) => write!(out, "toss seal:{seal}"),
        Action::Guess(bit) => write!(out, "guess {}", u8::from(*bit)),
        Action::Toss(bit, nonce) => write!(out, "toss {} open:{nonce}", u8::from(*bit)),
        Action::Roots(roots) => write_list("roots", "root", roots, out),
        Action::Pick(number) => write!(out, "pick {number}"),
        Action::Seeds(seeds) => write_list("seeds", "seed", seeds, out),
        Action::Deck(seals) => write_list("deck", "seal", seals, out),
        Action::Shuffle(seals) => write_list("shuffle", "seal", seals, out),
        Action::ShuffleRoots(roots) => write_list("shuffle", "root", roots, out),
        Action::Deal(list) => {
            out.write_str("deal")?;
            list.iter().try_for_each(|position| write!(out, " {position}"))
        }
        Action::Hand(count) => write!(out, "hand {count}"),
        Action::Made(made) => out.write_str(made.word()),
        Action::Discard(card, opening) => {
            write!(out, "discard {card}")?;
            opened(opening, out)
        }
    }
}

fn write_shares(shares: &[Share], out: &mut String) {
    // There can be many, and a format string would take several times as long.
    for Share { unit, points } in shares {
        out.push(' ');
        out.push_str(&unit.slug);
        for (sign, number) in [('.', unit.number), (':', *points)] {
            if let Some(number) = number {
                out.push(sign);
                push_number(out, number);
            }
        }
    }
}

fn write_list(word: &str, each: &str, list: &[impl fmt::Display], out: &mut String) -> fmt::Result {
    out.write_str(word)?;
    list.iter().try_for_each(|one| write!(out, " {each}:{one}"))
}

/// Reads an action as a player types it: a discard needs no opening, and a word is enough for what the program makes.
pub(super) fn read_typed(text: &str) -> Result<Action, Misfit> {
    if let Some(made) = Made::ALL.into_iter().find(|made| made.word() == text) {
        return Ok(Action::Made(made));
    }
    let card = text.strip_prefix("discard ").and_then(|card| match slug(card, card.as_bytes()) {
        Ok(([], card)) => Some(card),
        _ => None,
    });
    card.map_or_else(|| read(text), |card| Ok(Action::Discard(card, None)))
}

/// What a player typed with slips mended: of letter case, spaces around `@` and `>`, and a space, or `to`, in their place.
pub(super) fn lenient(text: &str) -> String {
    let close = text.replace(" @", "@").replace("@ ", "@").replace(" >", ">").replace("> ", ">");
    let words: Vec<&str> = close.split(' ').filter(|word| !matches!(*word, "to" | "on" | "onto" | "at")).collect();
    let is_area = |word: &str| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let text = match words.as_slice() {
        [word, card, area]
            if is_area(area) && !card.contains('@') && matches!(&*word.to_lowercase(), "place" | "play") =>
        {
            format!("{word} {card}@{area}")
        }
        [word, unit, area, rest @ ..] if is_area(area) && !unit.contains('>') && word.eq_ignore_ascii_case("move") => {
            [&[word, &*format!("{unit}>{area}")], rest].concat().join(" ")
        }
        _ => close,
    };
    let mut mended = String::with_capacity(text.len());
    // The letters behind `@` and `>` are an area's.
    let mut capitals = 0;
    for c in text.chars() {
        if capitals > 0 {
            mended.push(c.to_ascii_uppercase());
            capitals -= 1;
        } else {
            mended.push(c.to_ascii_lowercase());
        }
        if matches!(c, '@' | '>') {
            capitals = 2;
        }
    }
    mended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m10_a_slug_ends_at_the_first_byte_that_it_may_not_have_wherever_that_is() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                for whole in [&b"stealth-special-4ce-x"[..], b"-z0a9-zz9-0az-0aaaa99"] {
                    let mut text = whole.to_vec();
                    text[at] = byte;
                    let wanted = if is_in_slugs(byte) { text.len() } else { at };
                    assert_eq!(slug_length(&text), wanted, "{byte} at {at}");
                }
            }
        }
    }
}
