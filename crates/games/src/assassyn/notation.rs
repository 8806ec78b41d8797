//! How actions are written. The text alone determines the action; no position is needed to read one.

pub(crate) mod samples;

use std::fmt::Write as _;

use super::board::{Kind, SIZE, Square};
use crate::assassyn::position::state::{Acceptance, Action, Deployment, Mark};
use postrider_kernel::notation::{Expected, Misfit, Parsed, hexadecimal, number, read_whole, refuse};
use postrider_kernel::{Nonce, Salt, Seal};

const ACTION: &str =
    "a move (Lc1-c4, Lc1xc5), a strike (Ab2*b3), `accept`, `deploy`, `place`, or what begins with `seal:` or `open:`";
const SQUARE: &str = "a square, a1 to f6";
/// The largest throw that can be written (a limit of the grammar, not of the dice).
const MOST: u64 = 999;

fn square(input: &[u8]) -> Parsed<'_, Square> {
    let (rest, (file, rank)) = postrider_kernel::notation::square::<SIZE, SIZE>(input, SQUARE)?;
    match Square::new(file, rank) {
        Some(square) => Ok((rest, square)),
        None => refuse(input, SQUARE),
    }
}

fn piece(input: &[u8]) -> Parsed<'_, (Kind, Square)> {
    let [letter, rest @ ..] = input else { return refuse(input, "a piece and its square, as in Wc2") };
    let Some(kind) = Kind::of(*letter) else { return refuse(input, "P, W, L, S or A, as in Wc2") };
    let (rest, square) = square(rest)?;
    Ok((rest, (kind, square)))
}

fn seal(input: &[u8]) -> Parsed<'_, Seal> {
    let Some(rest) = input.strip_prefix(b"seal:") else { return refuse(input, ACTION) };
    let (rest, seal) = hexadecimal(rest, "64 hexadecimal digits")?;
    Ok((rest, Seal(seal)))
}

fn open(input: &[u8]) -> Parsed<'_, Nonce> {
    let Some(rest) = input.strip_prefix(b"open:") else { return refuse(input, ACTION) };
    let (rest, nonce) = hexadecimal(rest, "32 hexadecimal digits")?;
    Ok((rest, Nonce(nonce)))
}

fn accept(input: &[u8]) -> Parsed<'_, Action> {
    if let Some(rest) = input.strip_prefix(b" roll ") {
        let (rest, attacker) = throw(rest)?;
        let [b' ', rest @ ..] = rest else { return refuse(rest, "a space and the challenged one's throw") };
        let (rest, defender) = throw(rest)?;
        return Ok((rest, Action::Accept(Acceptance::Roll([attacker, defender]))));
    }
    if let Some(rest) = input.strip_prefix(b" salt:") {
        let (rest, salt) = hexadecimal(rest, "32 hexadecimal digits")?;
        return Ok((rest, Action::Accept(Acceptance::Salt(Salt(salt)))));
    }
    match input {
        [] => Ok((input, Action::Accept(Acceptance::Bare))),
        _ => refuse(input, "the end of the action, ` roll` and two throws, or ` salt:` and 32 hexadecimal digits"),
    }
}

fn throw(input: &[u8]) -> Parsed<'_, u32> {
    match number(input)? {
        (rest, value) if value <= MOST => Ok((rest, u32::try_from(value).unwrap_or(u32::MAX))),
        _ => refuse(input, "a throw, 999 at most"),
    }
}

fn deploy(input: &[u8]) -> Parsed<'_, Action> {
    let mut rest = input;
    let mut list = Deployment::new();
    let mut opening = None;
    while let [b' ', after @ ..] = rest {
        if after.starts_with(b"open:") && !list.is_empty() {
            let (after, nonce) = open(after)?;
            (rest, opening) = (after, Some(nonce));
            break;
        }
        let (behind, piece) = piece(after)?;
        if list.last().is_some_and(|last| *last > piece) {
            return refuse(after, "the pieces in the order P W L S A, alike ones by file, then rank");
        }
        list.push(piece);
        rest = behind;
    }
    if list.is_empty() {
        return refuse(rest, "a space and the pieces, as in `deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1`");
    }
    Ok((rest, Action::Deploy(list, opening)))
}

fn step(input: &[u8]) -> Parsed<'_, Action> {
    if input.first().is_none_or(|letter| Kind::of(*letter).is_none()) {
        return refuse(input, ACTION);
    }
    let (rest, (kind, from)) = piece(input)?;
    let (mark, rest) = match rest {
        [b'-', rest @ ..] => (Mark::To, rest),
        [b'x', rest @ ..] => (Mark::Onto, rest),
        [b'*', rest @ ..] => (Mark::Strike, rest),
        _ => return refuse(rest, "`-`, `x` or `*`, and a square"),
    };
    let (rest, to) = square(rest)?;
    let (rest, seal) = match rest {
        [b' ', after @ ..] => {
            let (rest, seal) = seal(after).map_err(|_| {
                nom::Err::Error(Expected {
                    rest: after,
                    what: "`seal:` and 64 hexadecimal digits, or the action's end",
                })
            })?;
            (rest, Some(seal))
        }
        _ => (rest, None),
    };
    Ok((rest, Action::Move { kind, from, mark, to, seal }))
}

/// Reads one action.
pub(super) fn read(text: &str) -> Result<Action, Misfit> {
    let whole = |input| {
        let word = |word: &str| text.strip_prefix(word).map(str::as_bytes);
        if let Some(rest) = word("accept") {
            accept(rest)
        } else if let Some(rest) = word("deploy") {
            deploy(rest)
        } else if let Some(rest) = word("place ") {
            piece(rest).map(|(rest, (kind, at))| (rest, Action::Place(kind, at)))
        } else if text.starts_with("seal:") {
            seal(input).map(|(rest, seal)| (rest, Action::Seal(seal)))
        } else if text.starts_with("open:") {
            open(input).map(|(rest, nonce)| (rest, Action::Open(nonce)))
        } else {
            step(input)
        }
    };
    read_whole(text, whole, "the end of the action, or `; ` and another one")
}

/// Writes pieces, separated by spaces.
pub(super) fn write_pieces(pieces: &[(Kind, Square)], out: &mut String) {
    for (nth, (kind, at)) in pieces.iter().enumerate() {
        if nth > 0 {
            out.push(' ');
        }
        out.push(kind.letter());
        let [file, rank] = at.signs();
        out.push(file);
        out.push(rank);
    }
}

pub(super) fn write(action: &Action, out: &mut String) {
    // Writing to a `String` never fails.
    let _ = match action {
        Action::Move { kind, from, mark, to, seal } => {
            let mark = match mark {
                Mark::To => '-',
                Mark::Onto => 'x',
                Mark::Strike => '*',
            };
            let _ = write!(out, "{}{from}{mark}{to}", kind.letter());
            match seal {
                Some(seal) => write!(out, " seal:{seal}"),
                None => Ok(()),
            }
        }
        Action::Accept(Acceptance::Bare) => write!(out, "accept"),
        Action::Accept(Acceptance::Roll([attacker, defender])) => write!(out, "accept roll {attacker} {defender}"),
        Action::Accept(Acceptance::Salt(salt)) => write!(out, "accept salt:{salt}"),
        Action::Place(kind, at) => write!(out, "place {}{at}", kind.letter()),
        Action::Deploy(pieces, opening) => {
            out.push_str("deploy ");
            write_pieces(pieces, out);
            match opening {
                Some(nonce) => write!(out, " open:{nonce}"),
                None => Ok(()),
            }
        }
        Action::Seal(seal) => write!(out, "seal:{seal}"),
        Action::Open(nonce) => write!(out, "open:{nonce}"),
    };
}

/// Corrects letter case, `×`, and the order of a deployment; adds the word that an acceptance with two throws lacks.
pub(super) fn lenient(text: &str) -> String {
    let lower = text.to_lowercase().replace('×', "x");
    let is_piece = |word: &str| {
        matches!(word.as_bytes(), [b'p' | b'w' | b'l' | b's' | b'a', b'a'..=b'f', rank, ..]
            if (b'1'..b'1' + SIZE).contains(rank))
    };
    let capital = |word: &str| match word.split_at_checked(1) {
        Some((letter, rest)) if is_piece(word) => letter.to_uppercase() + rest,
        _ => word.to_owned(),
    };
    let mut words: Vec<_> = lower.split(' ').map(capital).collect();
    // Two numbers after `accept` can only be the throws.
    if let [accept, attacker, defender] = words.as_slice()
        && accept == "accept"
        && [attacker, defender].iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    {
        words.insert(1, "roll".to_owned());
    } else if words.first().is_some_and(|word| word == "deploy") {
        let place = |word: &String| match piece(word.as_bytes()) {
            Ok(([], piece)) => Some(piece),
            _ => None,
        };
        let pieces = words.iter().skip(1).take_while(|word| place(word).is_some()).count();
        if let Some(list) = words.get_mut(1..=pieces) {
            list.sort_by_key(place);
        }
    }
    words.join(" ")
}
