//! Pictures in a terminal: the escape sequences with which kitty, iTerm2 and terminals with sixels show pixels. Pure:
//! pixels in, bytes out.

use data_encoding::BASE64;

use super::raster::Raster;

/// How a terminal accepts pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The graphics protocol of kitty, carrying a PNG.
    Kitty,
    /// The inline images of iTerm2, carrying a PNG.
    Iterm,
    Sixel,
}

/// Returns how a terminal accepts pictures, judging by its environment; `None` if that is not known, and inside
/// programs that do not pass pictures on. `set` returns the value of a variable.
#[must_use]
pub fn detected(set: impl Fn(&str) -> Option<String>) -> Option<Protocol> {
    let is_set = |name: &str| set(name).is_some_and(|value| !value.is_empty());
    if is_set("TMUX") || is_set("STY") {
        return None;
    }
    let term = set("TERM").unwrap_or_default();
    let program = set("TERM_PROGRAM").unwrap_or_default();
    let is = |names: &[&str]| names.contains(&program.as_str());
    if is_set("KITTY_WINDOW_ID") || term.contains("kitty") || term.contains("ghostty") || is(&["ghostty"]) {
        Some(Protocol::Kitty)
    } else if is(&["iTerm.app", "WezTerm"]) || set("LC_TERMINAL").as_deref() == Some("iTerm2") {
        Some(Protocol::Iterm)
    } else if ["foot", "mlterm", "yaft", "contour"].iter().any(|known| term.starts_with(known))
        || term.contains("sixel")
    {
        Some(Protocol::Sixel)
    } else {
        None
    }
}

/// Asks a terminal whether it takes pictures: kitty's way, which others pass over, and then for its attributes, which every terminal
/// answers.
pub const QUERY: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c";

/// Returns whether asking makes sense by what the environment says: not where there are no escapes, nor inside of programs that answer
/// themselves and pass no pictures on.
#[must_use]
pub fn may_answer(set: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| set(name).is_some_and(|value| !value.is_empty());
    !is_set("TMUX") && !is_set("STY") && !matches!(set("TERM").as_deref(), None | Some("" | "dumb" | "linux"))
}

/// Returns whether an answer has come to its end: that about the attributes comes last.
#[must_use]
pub fn is_whole(answer: &[u8]) -> bool {
    attributes(answer).is_some()
}

/// Returns how a terminal takes pictures by its answer to [`QUERY`].
#[must_use]
pub fn answered(answer: &[u8]) -> Option<Protocol> {
    if answer.windows(b"_Gi=31;OK".len()).any(|part| part == b"_Gi=31;OK") {
        return Some(Protocol::Kitty);
    }
    // The first number is the terminal's class; 4 among the others is sixels.
    let sixel = attributes(answer)?.split(|&byte| byte == b';').skip(1).any(|number| number == b"4");
    sixel.then_some(Protocol::Sixel)
}

/// The numbers of a terminal's attributes, `62;4;22` of `ESC [ ? 62 ; 4 ; 22 c`.
fn attributes(answer: &[u8]) -> Option<&[u8]> {
    let start = answer.windows(3).position(|part| part == b"\x1b[?")? + 3;
    let rest = answer.get(start..)?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';')?;
    if rest.get(end) == Some(&b'c') { rest.get(..end) } else { None }
}

/// Wraps a PNG for kitty, in chunks of at most 4096 characters.
pub(super) fn kitty(png: &[u8]) -> Vec<u8> {
    const PIECE: usize = 4096;
    let text = BASE64.encode(png);
    let count = text.len().div_ceil(PIECE);
    let mut out = Vec::with_capacity(text.len() + count * 16);
    for (nth, piece) in text.as_bytes().chunks(PIECE).enumerate() {
        let first = if nth == 0 { "a=T,f=100," } else { "" };
        let more = u8::from(nth + 1 < count);
        out.extend(format!("\x1b_G{first}m={more};").bytes());
        out.extend_from_slice(piece);
        out.extend(b"\x1b\\");
    }
    out.push(b'\n');
    out
}

/// Wraps a PNG for iTerm2.
pub(super) fn iterm(png: &[u8]) -> Vec<u8> {
    format!("\x1b]1337;File=inline=1;size={}:{}\x07\n", png.len(), BASE64.encode(png)).into_bytes()
}

/// Encodes pixels as sixels: bands of six rows, and in each band a line of characters per colour.
pub(super) fn sixel(raster: &Raster) -> Vec<u8> {
    let (width, height) = (usize::from(raster.width), usize::from(raster.height));
    let mut out = format!("\x1bPq\"1;1;{width};{height}");
    for (number, colour) in raster.palette.iter().enumerate() {
        let [red, green, blue] = colour.map(|part| (u16::from(part) * 100 + 127) / 255);
        out.push_str(&format!("#{number};2;{red};{green};{blue}"));
    }
    let lines: Vec<&[u8]> = raster.pixels.chunks(width.max(1)).collect();
    for band in lines.chunks(6) {
        for number in 0..raster.palette.len() {
            if !band.iter().any(|line| line.iter().any(|&pixel| usize::from(pixel) == number)) {
                continue;
            }
            out.push_str(&format!("#{number}"));
            let sign = |column: usize| {
                let has = |line: &&[u8]| line.get(column).is_some_and(|&pixel| usize::from(pixel) == number);
                let bits =
                    band.iter().enumerate().filter(|(_, line)| has(line)).fold(0_u8, |bits, (row, _)| bits | 1 << row);
                char::from(63 + bits)
            };
            let signs: Vec<char> = (0..width).map(sign).collect();
            for run in signs.chunk_by(|one, other| one == other) {
                match (run.len(), run.first()) {
                    (count @ 4.., Some(sign)) => out.push_str(&format!("!{count}{sign}")),
                    _ => out.extend(run),
                }
            }
            out.push('$');
        }
        out.push('-');
    }
    out.push_str("\x1b\\\n");
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_says_by_its_answer_how_it_takes_pictures() {
        let kitty = b"\x1b_Gi=31;OK\x1b\\\x1b[?62;c";
        assert_eq!((is_whole(kitty), answered(kitty)), (true, Some(Protocol::Kitty)));
        let sixel = b"\x1b[?62;4;22c";
        assert_eq!((is_whole(sixel), answered(sixel)), (true, Some(Protocol::Sixel)));
        for neither in [&b"\x1b[?1;2c"[..], b"\x1b[?4c", b"\x1b[?62;44;14c", b"\x1b_Gi=31;ENOTSUP\x1b\\\x1b[?62c"] {
            assert_eq!((is_whole(neither), answered(neither)), (true, None), "{neither:?}");
        }
        for part in [&b""[..], b"\x1b", b"\x1b[?62;4", b"\x1b_Gi=31;O", b"typed meanwhile"] {
            assert_eq!((is_whole(part), answered(part)), (false, None), "{part:?}");
        }
    }

    #[test]
    fn nothing_is_asked_where_nothing_can_answer() {
        let may = |pairs: &'static [(&str, &str)]| {
            may_answer(|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
        };
        assert!(may(&[("TERM", "xterm-256color")]));
        for pairs in [&[][..], &[("TERM", "dumb")], &[("TERM", "linux")], &[("TERM", "xterm"), ("TMUX", "x")]] {
            assert!(!may(pairs), "{pairs:?}");
        }
    }

    #[test]
    fn a_terminal_is_recognised_by_its_environment() {
        let of = |list: &[(&str, &str)]| {
            detected(|name| list.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Some(Protocol::Kitty));
        assert_eq!(of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")]), Some(Protocol::Iterm));
        assert_eq!(of(&[("TERM", "foot")]), Some(Protocol::Sixel));
        assert_eq!(of(&[("TERM", "xterm-256color")]), None);
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux")]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_long_picture_is_split_into_chunks_and_the_last_is_marked() {
        let text = String::from_utf8(kitty(&[7; 5000])).expect("ASCII");
        let pieces: Vec<&str> = text.trim_end().split("\x1b\\").filter(|piece| !piece.is_empty()).collect();
        assert_eq!(pieces.len(), 2);
        assert!(pieces[0].starts_with("\x1b_Ga=T,f=100,m=1;") && pieces[1].starts_with("\x1b_Gm=0;"));
        let data: String = pieces.iter().filter_map(|piece| piece.split_once(';').map(|(_, data)| data)).collect();
        assert_eq!(BASE64.decode(data.as_bytes()).expect("base64"), vec![7; 5000]);
    }

    #[test]
    fn sixels_decode_to_the_pixels() {
        let pixels: Vec<u8> =
            (0..9 * 13_u32).map(|place| u8::try_from(place * place / 7 % 3).expect("small")).collect();
        let raster = Raster { width: 9, height: 13, palette: vec![[0, 0, 0], [255, 255, 255], [255, 0, 0]], pixels };
        let text = String::from_utf8(sixel(&raster)).expect("ASCII");
        let body = text.strip_prefix("\x1bPq\"1;1;9;13#0;2;0;0;0#1;2;100;100;100#2;2;100;0;0").expect("a head");
        let body = body.strip_suffix("\x1b\\\n").expect("an end");
        let mut read = vec![9_u8; 9 * 13];
        for (band, lines) in body.split('-').enumerate() {
            for line in lines.split('$').filter(|line| !line.is_empty()) {
                let (number, mut signs) = line[1..].split_at(1);
                let mut column = 0;
                while let Some(first) = signs.chars().next() {
                    let (count, sign, rest) = match first {
                        '!' => {
                            let end = signs[1..].find(|c: char| !c.is_ascii_digit()).expect("a sign") + 1;
                            (signs[1..end].parse().expect("a number"), signs.as_bytes()[end], &signs[end + 1..])
                        }
                        sign => (1, u8::try_from(sign).expect("ASCII"), &signs[1..]),
                    };
                    for _ in 0..count {
                        for row in (0..6).filter(|row| (sign - 63) & (1 << row) != 0) {
                            let place = (band * 6 + row) * 9 + column;
                            assert_eq!(read[place], 9, "one colour a pixel");
                            read[place] = number.parse().expect("a number");
                        }
                        column += 1;
                    }
                    signs = rest;
                }
                assert_eq!(column, 9);
            }
        }
        assert_eq!(read, raster.pixels);
    }
}
