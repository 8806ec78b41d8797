//! The smallest parsers, which games share, and the one error type for text that does not fit a grammar.
//!
//! The parsers use nom. The smallest ones match patterns of bytes (`[b'a'..=b'g', b'1'..=b'7', ..]`), which is about
//! twice as fast as combining character parsers.

mod reader;

use nom::error::{ErrorKind, ParseError};

pub use reader::Reader;

/// A text that does not fit a grammar: the offset in bytes where it stops fitting, and what was expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at character {}", offset + 1)]
pub struct Misfit {
    /// Offset of the first byte that does not fit.
    pub offset: usize,
    /// What was expected there.
    pub expected: &'static str,
}

/// The error of the parsers: the remaining input where it stopped fitting, and what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected<'a> {
    /// The remaining input, starting at the fault.
    pub rest: &'a [u8],
    /// What was expected there.
    pub what: &'static str,
}

impl<'a> ParseError<&'a [u8]> for Expected<'a> {
    fn from_error_kind(rest: &'a [u8], _: ErrorKind) -> Self {
        Self { rest, what: "something else" }
    }

    fn append(_: &'a [u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// The result of a parser over bytes.
pub type Parsed<'a, T> = nom::IResult<&'a [u8], T, Expected<'a>>;

/// Fails in a way that lets another alternative be tried.
///
/// # Errors
/// Always.
pub fn refuse<'a, T>(rest: &'a [u8], what: &'static str) -> Parsed<'a, T> {
    Err(nom::Err::Error(Expected { rest, what }))
}

/// Parses all of `text` with `parser`.
///
/// # Errors
/// Where the text stops fitting. Anything left over is such a place too.
pub fn read_whole<'a, T>(
    text: &'a str,
    parser: impl FnOnce(&'a [u8]) -> Parsed<'a, T>,
    end: &'static str,
) -> Result<T, Misfit> {
    match parser(text.as_bytes()) {
        Ok((b"", value)) => Ok(value),
        Ok((rest, _)) => Err(Misfit { offset: text.len() - rest.len(), expected: end }),
        Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => {
            Err(Misfit { offset: text.len() - fault.rest.len().min(text.len()), expected: fault.what })
        }
        Err(nom::Err::Incomplete(_)) => Err(Misfit { offset: text.len(), expected: end }),
    }
}

/// Reads a whole number without a leading zero. A number of more than 19 digits might not fit into 64 bits and is read
/// as the largest number, which no rule allows.
///
/// # Errors
/// If no digit follows, or a zero is followed by another digit.
pub fn number(input: &[u8]) -> Parsed<'_, u64> {
    let mut rest = input;
    let mut value = 0u64;
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        rest = after;
    }
    // Checked once here rather than at each digit.
    if input.len() - rest.len() > 19 {
        value = u64::MAX;
    }
    match input {
        [b'0', b'0'..=b'9', ..] => refuse(input, "a number without a leading zero"),
        [b'0'..=b'9', ..] => Ok((rest, value)),
        _ => refuse(input, "a number"),
    }
}

/// Reads a square of a board with files lettered from `a` and at most nine ranks numbered from 1. Returns its file and
/// rank, each counted from 0.
///
/// # Errors
/// If no square of the board follows; the error says that `what` was expected.
#[inline]
pub fn square<'a, const FILES: u8, const RANKS: u8>(input: &'a [u8], what: &'static str) -> Parsed<'a, (u8, u8)> {
    match input {
        [file, rank, rest @ ..] if file.wrapping_sub(b'a') < FILES && rank.wrapping_sub(b'1') < RANKS => {
            Ok((rest, (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'))))
        }
        _ => refuse(input, what),
    }
}

/// Reads `N` bytes written as twice as many lower-case hexadecimal digits.
///
/// # Errors
/// At the first character that is not such a digit; the error says that `what` was expected.
pub fn hexadecimal<'a, const N: usize>(input: &'a [u8], what: &'static str) -> Parsed<'a, [u8; N]> {
    if let Some((digits, rest)) = input.split_at_checked(2 * N) {
        let (mut bytes, mut all) = ([0; N], 0);
        // Whether they are digits is asked once, of all of them.
        for (byte, [high, low]) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
            let (high, low) = (DIGITS[usize::from(*high)], DIGITS[usize::from(*low)]);
            all |= high | low;
            *byte = high << 4 | low;
        }
        if all < NO_DIGIT {
            return Ok((rest, bytes));
        }
    }
    let digits = input.iter().take(2 * N).take_while(|byte| DIGITS[usize::from(**byte)] < NO_DIGIT).count();
    refuse(input.get(digits..).unwrap_or_default(), what)
}

/// Marks a byte that is not a hexadecimal digit; no digit has this bit.
const NO_DIGIT: u8 = 0x10;

/// For each byte the hexadecimal digit that it is in lower case.
static DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < 16 {
        digits[b"0123456789abcdef"[digit as usize] as usize] = digit;
        digit += 1;
    }
    digits
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_leading_zero_and_saturate() {
        assert_eq!(number(b"10 x"), Ok((&b" x"[..], 10)));
        assert_eq!(number(b"0"), Ok((&b""[..], 0)));
        assert!(number(b"07").is_err());
        assert!(number(b"x").is_err());
        assert_eq!(number(b"99999999999999999999999"), Ok((&b""[..], u64::MAX)));
    }

    #[test]
    fn squares_are_those_of_the_board() {
        assert_eq!(square::<6, 6>(b"f6-a1", "a square"), Ok((&b"-a1"[..], (5, 5))));
        assert_eq!(square::<8, 8>(b"a8", "a square"), Ok((&b""[..], (0, 7))));
        for text in ["g1", "a7", "a0", "A1", "a", "", "`1", "\u{e9}1"] {
            assert!(square::<6, 6>(text.as_bytes(), "a square").is_err(), "{text}");
        }
    }

    #[test]
    fn hexadecimal_digits_are_lower_case_and_complete() {
        assert_eq!(hexadecimal::<2>(b"0fa9 x", "four"), Ok((&b" x"[..], [0x0f, 0xa9])));
        for (text, fits) in [("0fa", 3), ("0FA9", 1), ("0fg9", 2), ("", 0), ("0fa", 3), ("0f", 2), ("\u{e9}fa9", 0)] {
            let expected = Expected { rest: &text.as_bytes()[fits..], what: "four" };
            assert_eq!(hexadecimal::<2>(text.as_bytes(), "four"), Err(nom::Err::Error(expected)), "{text}");
        }
    }
}
