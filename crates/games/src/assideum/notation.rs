//! How turns are written. The text alone determines the turn; no position is needed to read one.

pub(crate) mod samples;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::opt;
use nom::multi::fold_many0;

use super::board::{Facing, Square};
use crate::assideum::position::state::{Action, Carried, Deed, Kind};
use postrider_kernel::notation::{Expected, Misfit, Parsed, read_whole, refuse};

const SQUARE: &str = "a square, a1 to h8";
const TURN: &str = "a turn: a piece's letter (K, R, P, C, S, V or F), its square and what it does (Ve2-e3)";

fn square(input: &[u8]) -> Parsed<'_, Square> {
    let (rest, (file, rank)) = postrider_kernel::notation::square::<8, 8>(input, SQUARE)?;
    Ok((rest, Square::new(file, rank)))
}

fn facing(input: &[u8]) -> Parsed<'_, Facing> {
    match input {
        [b'=', letter @ (b'N' | b'E' | b'S' | b'W'), rest @ ..] => Ok((
            rest,
            match letter {
                b'N' => Facing::North,
                b'E' => Facing::East,
                b'S' => Facing::South,
                _ => Facing::West,
            },
        )),
        [b'=', rest @ ..] => refuse(rest, "a facing: N, E, S or W").map_err(cut),
        _ => refuse(input, "`=` and a facing"),
    }
}

fn carried(input: &[u8]) -> Parsed<'_, Square> {
    match input {
        [b'+', rest @ ..] => square(rest).map_err(cut),
        _ => refuse(input, "`+` and a square"),
    }
}

/// The letter; `None` if the text begins with a square. A letter that could also be a file is a piece unless a digit
/// follows.
fn letter(input: &[u8]) -> Parsed<'_, Option<Kind>> {
    match input {
        [b'a'..=b'h', b'1'..=b'8', ..] => Ok((input, None)),
        [letter, rest @ ..] => {
            let kind = match letter.to_ascii_uppercase() {
                b'K' => Kind::Commander,
                b'R' => Kind::Ranger,
                b'P' => Kind::Portal,
                b'C' => Kind::Cruiser,
                b'S' => Kind::Striker,
                b'V' => Kind::Vedrin,
                b'F' => Kind::Fighter,
                _ => return refuse(input, TURN),
            };
            Ok((rest, Some(kind)))
        }
        [] => refuse(input, TURN),
    }
}

fn go(input: &[u8]) -> Parsed<'_, Deed> {
    let (rest, attack) = match input {
        [b'-', rest @ ..] => (rest, false),
        [b'x', rest @ ..] | [0xc3, 0x97, rest @ ..] => (rest, true),
        _ => return refuse(input, "`-` or `x` and a square"),
    };
    let (rest, to) = square(rest).map_err(cut)?;
    Ok((rest, if attack { Deed::Attack(to) } else { Deed::Move(to) }))
}

fn fire(input: &[u8]) -> Parsed<'_, Deed> {
    match input {
        [b'*', rest @ ..] => square(rest).map(|(rest, at)| (rest, Deed::Fire(at))).map_err(cut),
        _ => refuse(input, "`*` and a square"),
    }
}

/// What may follow the first square: the deed and the new facing, depending on the letter.
fn deed(kind: Option<Kind>, input: &[u8]) -> Parsed<'_, (Deed, Option<Facing>)> {
    let (spins, fires, expected) = match kind {
        None => (true, true, "`-`, `x` or `*` and a square, or `=` and a facing"),
        Some(Kind::Ranger) => (true, true, "`-`, `x` or `*` and a square, or `=` and a facing"),
        Some(Kind::Portal) => (true, false, "`-` or `x` and a square, or `=` and a facing"),
        Some(_) => (false, false, "`-` or `x` and a square"),
    };
    match input {
        [b'=', ..] if spins => facing(input).map(|(rest, facing)| (rest, (Deed::Spin, Some(facing)))),
        [b'=' | b'*', ..] if !fires => refuse(input, expected),
        _ => {
            let (rest, deed) = alt((go, fire)).parse(input).map_err(|error| instead(error, expected))?;
            let may_face = spins && !matches!(deed, Deed::Fire(_));
            let (rest, facing) = if may_face { opt(facing).parse(rest)? } else { (rest, None) };
            Ok((rest, (deed, facing)))
        }
    }
}

fn turn(input: &[u8]) -> Parsed<'_, Action> {
    let (rest, kind) = letter(input)?;
    let (rest, from) = square(rest)?;
    let (rest, (deed, facing)) = deed(kind, rest)?;
    let carries = matches!(kind, None | Some(Kind::Portal)) && !matches!(deed, Deed::Fire(_));
    let (rest, carried) = if carries {
        let add = |mut list: Carried, square| {
            list.push(square);
            list
        };
        fold_many0(carried, Carried::default, add).parse(rest)?
    } else {
        (rest, Carried::default())
    };
    Ok((rest, Action { kind, from, deed, facing, carried }))
}

/// Commits to the current alternative: from here on no other can fit, so the fault is here.
fn cut(error: nom::Err<Expected<'_>>) -> nom::Err<Expected<'_>> {
    match error {
        nom::Err::Error(fault) => nom::Err::Failure(fault),
        other => other,
    }
}

/// If no alternative began to fit, all of them are what was expected.
fn instead<'a>(error: nom::Err<Expected<'a>>, what: &'static str) -> nom::Err<Expected<'a>> {
    match error {
        nom::Err::Error(Expected { rest, .. }) => nom::Err::Error(Expected { rest, what }),
        other => other,
    }
}

/// Reads a turn.
pub(super) fn read(text: &str) -> Result<Action, Misfit> {
    read_whole(text, turn, "the end of the turn")
}

pub(super) fn write(turn: &Action, out: &mut String) {
    let mut put = |mark: &str, square: Square| {
        out.push_str(mark);
        out.push(char::from(b'a' + square.file()));
        out.push(char::from(b'1' + square.rank()));
    };
    put(turn.kind.map_or("", Kind::text), turn.from);
    match turn.deed {
        Deed::Move(to) => put("-", to),
        Deed::Attack(to) => put("x", to),
        Deed::Fire(at) => put("*", at),
        Deed::Spin => {}
    }
    if let Some(facing) = turn.facing {
        out.push('=');
        out.push(facing.letter());
    }
    for square in turn.carried.iter() {
        out.push('+');
        out.push(char::from(b'a' + square.file()));
        out.push(char::from(b'1' + square.rank()));
    }
}

/// Corrects unambiguous slips in what a player typed: dashes and crosses that look alike, squares in upper case,
/// facings in lower case.
pub(super) fn lenient(text: &str) -> String {
    let mended: String = text
        .trim()
        .chars()
        .map(|c| match c {
            '–' | '—' | '−' => '-',
            '×' | 'X' => 'x',
            other => other,
        })
        .collect();
    let mut bytes = mended.clone().into_bytes();
    for at in 0..bytes.len() {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before).copied());
        let after = bytes.get(at + 1).copied();
        if let Some(byte) = bytes.get_mut(at) {
            match (before, *byte, after) {
                (_, b'A'..=b'H', Some(b'1'..=b'8')) => byte.make_ascii_lowercase(),
                (Some(b'='), b'n' | b'e' | b's' | b'w', _) => byte.make_ascii_uppercase(),
                _ => {}
            }
        }
    }
    String::from_utf8(bytes).unwrap_or(mended)
}
