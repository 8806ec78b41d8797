//! How actions are written (U95). The text alone determines the action; no position is needed to read one.

pub(crate) mod samples;

use std::fmt::Write as _;

use super::board::{Kind, Square};
use crate::subsume::position::state::{Action, Cover, Opening};
use postrider_kernel::notation::{Expected, Misfit, Parsed, hexadecimal, number, read_whole, refuse};
use postrider_kernel::{Nonce, Seal};

const ACTION: &str = "a claim (+d1A), a subsume (c1=2), a re-order (c1^3), a re-type (c1:3=D), a conflict (d4xd5), a move \
                      (d1-d2), `reveal` or `end`";
const SQUARE: &str = "a square, a1 to h8";
const KIND: &str = "I, A or D";
/// The largest number that can be written (U95).
const MOST: u64 = 999_999;

pub(super) fn square(input: &[u8]) -> Parsed<'_, Square> {
    let (rest, (file, rank)) = postrider_kernel::notation::square::<8, 8>(input, SQUARE)?;
    match Square::new(file, rank) {
        Some(square) => Ok((rest, square)),
        None => refuse(input, SQUARE),
    }
}

fn kind(input: &[u8]) -> Parsed<'_, Kind> {
    match input {
        [letter, rest @ ..] => match Kind::of(*letter) {
            Some(kind) => Ok((rest, kind)),
            None => refuse(input, KIND),
        },
        [] => refuse(input, KIND),
    }
}

fn count(input: &[u8]) -> Parsed<'_, u32> {
    match number(input)? {
        (rest, value @ 1..=MOST) => Ok((rest, u32::try_from(value).unwrap_or(u32::MAX))),
        _ => refuse(input, "a number from 1 to 999999"),
    }
}

fn seal(input: &[u8]) -> Parsed<'_, Cover> {
    let Some(rest) = input.strip_prefix(b"seal:") else {
        return refuse(input, "`seal:` and 64 hexadecimal digits");
    };
    let (rest, seal) = hexadecimal(rest, "64 hexadecimal digits")?;
    Ok((rest, Cover::Sealed(Seal(seal))))
}

/// `5:A:` and a nonce, preceded by `before`.
fn openings<'a>(mut input: &'a [u8], before: &'static [u8]) -> Parsed<'a, Vec<Opening>> {
    let mut list = Vec::new();
    while let Some(rest) = input.strip_prefix(before) {
        let (rest, number) = count(rest)?;
        let [b':', rest @ ..] = rest else { return refuse(rest, "`:` and the token's type, as in 5:A:") };
        let (rest, kind) = kind(rest)?;
        let [b':', rest @ ..] = rest else { return refuse(rest, "`:` and the nonce") };
        let (rest, nonce) = hexadecimal(rest, "32 hexadecimal digits")?;
        list.push(Opening { number, kind, nonce: Nonce(nonce) });
        input = rest;
    }
    Ok((input, list))
}

fn claim(input: &[u8]) -> Parsed<'_, Action> {
    let (rest, at) = square(input)?;
    let (rest, cover) = match rest {
        [b' ', rest @ ..] => seal(rest)?,
        _ => {
            let expected =
                |_| nom::Err::Error(Expected { rest, what: "I, A or D, or ` seal:` and 64 hexadecimal digits" });
            let (rest, kind) = kind(rest).map_err(expected)?;
            (rest, Cover::Open(kind))
        }
    };
    Ok((rest, Action::Claim { at, cover }))
}

fn of_square(input: &[u8]) -> Parsed<'_, Action> {
    let (rest, at) = square(input).or_else(|_| refuse(input, ACTION))?;
    match rest {
        [b'=', size @ (b'2' | b'4'), rest @ ..] => Ok((rest, Action::Subsume { at, size: size - b'0' })),
        [b'=', rest @ ..] => refuse(rest, "2 or 4"),
        [b'^', rest @ ..] => {
            let (rest, nth) = count(rest)?;
            Ok((rest, Action::Reorder { at, nth }))
        }
        [b':', rest @ ..] => {
            let (rest, nth) = count(rest)?;
            let [b'=', rest @ ..] = rest else { return refuse(rest, "`=` and a type, as in c1:3=D") };
            let (rest, cover) = if rest.starts_with(b"s") {
                seal(rest)?
            } else {
                let (rest, kind) = kind(rest)?;
                (rest, Cover::Open(kind))
            };
            Ok((rest, Action::Retype { at, nth, cover }))
        }
        [b'x', rest @ ..] => {
            let (rest, to) = square(rest)?;
            let (rest, openings) = openings(rest, b" open:")?;
            Ok((rest, Action::Conflict { from: at, to, openings }))
        }
        [b'-', rest @ ..] => {
            let (rest, to) = square(rest)?;
            let (rest, count) = match rest {
                [b'*', rest @ ..] => count(rest)?,
                _ => (rest, 1),
            };
            Ok((rest, Action::Move { from: at, to, count }))
        }
        _ => refuse(rest, "`=`, `^`, `:`, `x` or `-`"),
    }
}

/// Reads one action.
pub(super) fn read(text: &str) -> Result<Action, Misfit> {
    fn whole(input: &[u8]) -> Parsed<'_, Action> {
        match input {
            [b'+', rest @ ..] => claim(rest),
            [b'e', b'n', b'd', rest @ ..] => Ok((rest, Action::End)),
            [b'r', ..] => {
                let Some(rest) = input.strip_prefix(b"reveal") else { return refuse(input, ACTION) };
                match openings(rest, b" ")? {
                    (rest, list) if list.is_empty() => {
                        refuse(rest, "a space and the tokens that are opened, as in `reveal 6:D:` and a nonce")
                    }
                    (rest, list) => Ok((rest, Action::Reveal(list))),
                }
            }
            _ => of_square(input),
        }
    }
    read_whole(text, whole, "the end of the action, or `; ` and another one")
}

fn write_cover(cover: &Cover, before_seal: &str, out: &mut String) {
    match cover {
        Cover::Open(kind) => out.push(kind.letter()),
        Cover::Sealed(seal) => {
            // Writing to a `String` never fails.
            let _ = write!(out, "{before_seal}seal:{seal}");
        }
    }
}

fn write_openings(list: &[Opening], before: &str, out: &mut String) {
    for Opening { number, kind, nonce } in list {
        let _ = write!(out, " {before}{number}:{}:{nonce}", kind.letter());
    }
}

pub(super) fn write(action: &Action, out: &mut String) {
    match action {
        Action::Claim { at, cover } => {
            let _ = write!(out, "+{at}");
            write_cover(cover, " ", out);
        }
        Action::Subsume { at, size } => {
            let _ = write!(out, "{at}={size}");
        }
        Action::Reorder { at, nth } => {
            let _ = write!(out, "{at}^{nth}");
        }
        Action::Retype { at, nth, cover } => {
            let _ = write!(out, "{at}:{nth}=");
            write_cover(cover, "", out);
        }
        Action::Conflict { from, to, openings } => {
            let _ = write!(out, "{from}x{to}");
            write_openings(openings, "open:", out);
        }
        Action::Move { from, to, count } => {
            let _ = write!(out, "{from}-{to}");
            if *count != 1 {
                let _ = write!(out, "*{count}");
            }
        }
        Action::Reveal(openings) => {
            out.push_str("reveal");
            write_openings(openings, "", out);
        }
        Action::End => out.push_str("end"),
    }
}

/// Corrects letter case and look-alike signs; a bare `reveal` is removed, because what is forced need not be typed.
/// Anything with seals or openings is left alone.
pub(super) fn lenient(text: &str) -> String {
    if text.contains("seal:") || text.contains("open:") || text.starts_with("reveal ") {
        return text.to_owned();
    }
    // The due reveal is made from the secret, and automatically comes first.
    if text.eq_ignore_ascii_case("reveal") {
        return String::new();
    }
    let mut mended = text.to_lowercase().replace('×', "x").replace(['–', '−'], "-");
    let is_typed = mended.starts_with('+') || mended.contains('=');
    if is_typed && mended.ends_with(['i', 'a', 'd']) {
        let last = mended.pop().map(|letter| letter.to_ascii_uppercase());
        mended.extend(last);
    }
    mended
}
