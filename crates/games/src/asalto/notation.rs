//! How actions are written. The text alone determines the action; no position is needed to read one.

pub(crate) mod samples;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::multi::fold_many0;
use nom::sequence::preceded;

use super::board::Point;
use super::{Action, PointList};
use postrider_kernel::notation::{Expected, Misfit, Parsed, read_whole, refuse};

const POINT: &str = "a point, a1 to g7";
const ACTION: &str = "a step (d4-d5), a jump (c5xc3), `place c6 e6` or `huff d6`";

fn point(input: &[u8]) -> Parsed<'_, Point> {
    match input {
        [file @ b'a'..=b'g', rank @ b'1'..=b'7', rest @ ..] => Ok((rest, Point::new(file - b'a', rank - b'1'))),
        _ => refuse(input, POINT),
    }
}

fn place(input: &[u8]) -> Parsed<'_, Action> {
    let (rest, _) = expect(b"place ", input)?;
    let (rest, first) = point(rest).map_err(cut)?;
    let [b' ', rest @ ..] = rest else { return refuse(rest, "a space and the second point").map_err(cut) };
    let (rest, second) = point(rest).map_err(cut)?;
    Ok((rest, Action::Place([first, second])))
}

fn huff(input: &[u8]) -> Parsed<'_, Action> {
    let (rest, _) = expect(b"huff ", input)?;
    let (rest, first) = point(rest).map_err(cut)?;
    let (rest, list) = more(first, b" ", rest)?;
    Ok((rest, Action::Huff(list)))
}

#[inline]
fn step(input: &[u8]) -> Option<(&[u8], Action)> {
    let ([from_file, from_rank, mark, to_file, to_rank], rest) = input.split_first_chunk()?;
    let files = [from_file, to_file].map(|letter| letter.wrapping_sub(b'a'));
    let ranks = [from_rank, to_rank].map(|digit| digit.wrapping_sub(b'1'));
    let fits = *mark == b'-' && files.into_iter().chain(ranks).all(|number| number < 7);
    fits.then(|| (rest, Action::Step(Point::new(files[0], ranks[0]), Point::new(files[1], ranks[1]))))
}

fn step_or_jump(input: &[u8]) -> Parsed<'_, Action> {
    if let Some(found) = step(input) {
        return Ok(found);
    }
    match input {
        [file @ b'a'..=b'g', rank @ b'1'..=b'7', b'x', b'a'..=b'g', b'1'..=b'7', ..] => {
            let (rest, list) = more(Point::new(file - b'a', rank - b'1'), b"x", &input[2..])?;
            Ok((rest, Action::Jump(list)))
        }
        [b'a'..=b'g', b'1'..=b'7', b'-' | b'x', rest @ ..] => refuse(rest, POINT).map_err(cut),
        [b'a'..=b'g', b'1'..=b'7', rest @ ..] => refuse(rest, "`-` and a point, or `x` and a point").map_err(cut),
        _ => refuse(input, ACTION),
    }
}

/// A word; if it is missing, the whole choice of actions is what was expected.
fn expect<'a>(word: &'static [u8], input: &'a [u8]) -> Parsed<'a, ()> {
    match input.strip_prefix(word) {
        Some(rest) => Ok((rest, ())),
        None => refuse(input, ACTION),
    }
}

/// A point and those that follow it, each after `mark`.
fn more<'a>(first: Point, mark: &'static [u8], input: &'a [u8]) -> Parsed<'a, PointList> {
    let start = || PointList::from_slice(&[first]);
    fold_many0(preceded(tag(mark), point), start, |mut list, point| {
        list.push(point);
        list
    })
    .parse(input)
}

/// Commits to the current alternative: from here on no other can fit, so the fault is here.
fn cut(error: nom::Err<Expected<'_>>) -> nom::Err<Expected<'_>> {
    match error {
        nom::Err::Error(fault) => nom::Err::Failure(fault),
        other => other,
    }
}

/// Reads one action.
#[inline]
pub(super) fn read(text: &str) -> Result<Action, Misfit> {
    // Steps are by far the most frequent, so they are read inline and the rest by a call.
    match step(text.as_bytes()) {
        Some((b"", step)) => Ok(step),
        _ => read_any(text),
    }
}

fn read_any(text: &str) -> Result<Action, Misfit> {
    let action = |input| alt((step_or_jump, place, huff)).parse(input);
    read_whole(text, action, "the end of the action, or `; ` and another one")
}

pub(super) fn write(action: &Action, out: &mut String) {
    let mut list = |head: &str, points: &[Point], mark: &str| {
        out.push_str(head);
        for (index, point) in points.iter().enumerate() {
            if index > 0 {
                out.push_str(mark);
            }
            point.letters().into_iter().for_each(|letter| out.push(letter));
        }
    };
    match action {
        Action::Place(points) => list("place ", points, " "),
        Action::Step(from, to) => list("", &[*from, *to], "-"),
        Action::Jump(points) => list("", points, "x"),
        Action::Huff(points) => list("huff ", points, " "),
    }
}
