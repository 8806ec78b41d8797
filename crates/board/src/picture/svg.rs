//! A display list as SVG.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::list::{Align, Ink, Lettering, List, Path, Placed, Shape, Step, Stroke, Symbol, What};
use super::look::Look;
use postrider_kernel::text::{is_steering, printable};

/// How colours are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// As colours of this look.
    Look(Look),
    /// As classes that a style sheet gives colours and widths to: `f` and the ink's letter for fills, `s` and the letter for
    /// lines, `k` and a whole number of units for their width. Texts are text elements then, in the page's own font: class `t`
    /// and the height of a capital, with `m` or `r` where they are aligned at their middle or right edge, and `b` where they are bold.
    Classes,
}

/// Returns the letter of an ink in class names.
#[must_use]
pub fn ink_letter(ink: Ink) -> char {
    let number = Ink::ALL.iter().position(|one| *one == ink).and_then(|number| u8::try_from(number).ok());
    char::from(b'a'.saturating_add(number.unwrap_or(0)))
}

/// Writes a picture, with a title and a description for people who cannot see it.
#[must_use]
pub fn write(list: &List, look: Paint, title: &str, description: &str) -> String {
    let (width, height) = (list.width, list.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"title desc\" stroke-linecap=\"round\" stroke-linejoin=\"round\" fill=\"none\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n",
        escaped(title),
        escaped(description.trim_end())
    );
    // What is used only once is written in place.
    let uses = |number: usize| list.items.iter().filter(|placed| placed.what == What::Symbol(number)).count();
    let is_text = |symbol: &Symbol| {
        look == Paint::Classes
            && symbol.shapes.iter().any(|shape| shape.lettering.is_some())
            && symbol.shapes.len() == 1
    };
    let shared: Vec<bool> =
        list.symbols.iter().enumerate().map(|(number, symbol)| uses(number) > 1 && !is_text(symbol)).collect();
    if shared.contains(&true) {
        out.push_str("<defs>\n");
        for (number, symbol) in list.symbols.iter().enumerate().filter(|(number, _)| shared.get(*number) == Some(&true))
        {
            match symbol.shapes.as_slice() {
                [shape] => path(&mut out, shape, &format!(" id=\"{}\"", id(symbol, number)), look),
                shapes => {
                    let _ = write!(out, "<g id=\"{}\">", id(symbol, number));
                    shapes.iter().for_each(|shape| path(&mut out, shape, "", look));
                    out.push_str("</g>");
                }
            }
            out.push('\n');
        }
        out.push_str("</defs>\n");
    }
    let _ = writeln!(out, "<path{} d=\"M0 0h{width}v{height}H0z\"/>", paint(Some(Ink::Paper), None, look));
    for placed in &list.items {
        if let (Paint::Classes, Some(shape)) = (look, list.lettered(placed)) {
            path(&mut out, &shape, "", look);
            out.push('\n');
            continue;
        }
        let transform = transform(placed);
        match placed.what {
            What::Symbol(number) if shared.get(number) == Some(&true) => {
                let name = list.symbols.get(number).map(|symbol| id(symbol, number)).unwrap_or_default();
                let _ = write!(out, "<use href=\"#{name}\"{transform}/>");
            }
            _ => match list.shapes(placed) {
                [shape] => path(&mut out, shape, &transform, look),
                shapes => {
                    let _ = write!(out, "<g{transform}>");
                    shapes.iter().for_each(|shape| path(&mut out, shape, "", look));
                    out.push_str("</g>");
                }
            },
        }
        out.push('\n');
    }
    out.push_str("</svg>\n");
    out
}

/// The id of a symbol: the name of a drawing, or a number for a text.
fn id(symbol: &Symbol, number: usize) -> String {
    let plain = symbol.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if plain && symbol.name.len() <= 20 { symbol.name.clone() } else { format!("s{number}") }
}

fn hex(look: Look, ink: Ink) -> String {
    let [red, green, blue] = look.colour(ink);
    let long = format!("#{red:02x}{green:02x}{blue:02x}");
    match long.as_bytes() {
        [_, a, b, c, d, e, f] if a == b && c == d && e == f => {
            [*b"#", [*a], [*c], [*e]].concat().iter().map(|byte| char::from(*byte)).collect()
        }
        _ => long,
    }
}

/// The attributes for fill and stroke.
fn paint(fill: Option<Ink>, stroke: Option<Ink>, look: Paint) -> String {
    match look {
        Paint::Look(look) => {
            let fill = fill.map(|ink| format!(" fill=\"{}\"", hex(look, ink)));
            let stroke = stroke.map(|ink| format!(" stroke=\"{}\"", hex(look, ink)));
            fill.unwrap_or_default() + &stroke.unwrap_or_default()
        }
        Paint::Classes => {
            let fill = fill.map(|ink| format!("f{}", ink_letter(ink)));
            let stroke = stroke.map(|ink| format!("s{}", ink_letter(ink)));
            let classes: Vec<_> = fill.into_iter().chain(stroke).collect();
            if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) }
        }
    }
}

/// Returns the transform attribute that places something; empty if it is at the origin.
pub fn transform(placed: &Placed) -> String {
    let mut list = Vec::new();
    if placed.at != (0, 0) {
        list.push(format!("translate({} {})", placed.at.0, placed.at.1));
    }
    if !placed.turn.is_multiple_of(4) {
        list.push(format!("rotate({})", u32::from(placed.turn % 4) * 90));
    }
    if placed.scale != 100 {
        list.push(format!("scale({})", decimal(placed.scale, 2)));
    }
    if list.is_empty() { String::new() } else { format!(" transform=\"{}\"", list.join("")) }
}

/// Formats a number given in units of `places` decimal places, without superfluous digits.
pub fn decimal(number: i32, places: u32) -> String {
    let whole = 10_i32.pow(places);
    let digits = format!("{:0width$}", number.abs() % whole, width = places as usize);
    let digits = digits.trim_end_matches('0');
    let sign = if number < 0 { "-" } else { "" };
    let point = if digits.is_empty() { String::new() } else { format!(".{digits}") };
    match (number.abs() / whole, point.is_empty()) {
        (0, false) => format!("{sign}{point}"),
        (units, _) => format!("{sign}{units}{point}"),
    }
}

/// The tallest capital of a text, in units.
pub const TALLEST: i32 = 30;
/// The widest line that has a class for its width, in units.
pub const WIDEST: i32 = 12;

/// Writes a shape.
pub fn path(out: &mut String, shape: &Shape, transform: &str, look: Paint) {
    if let (Paint::Classes, Some(lettering)) = (look, &shape.lettering) {
        return text(out, lettering, shape.stroke.map_or(Ink::Text, |stroke| stroke.ink), transform);
    }
    let mut painted = paint(shape.fill, shape.stroke.map(|stroke| stroke.ink), look);
    let classed = |stroke: Stroke| stroke.width % 10 == 0 && (20..=WIDEST * 10).contains(&stroke.width);
    let classed = look == Paint::Classes && shape.stroke.is_some_and(classed);
    if let (true, Some(stroke)) = (classed, shape.stroke) {
        painted.pop();
        let _ = write!(painted, " k{}\"", stroke.width / 10);
    }
    let _ = write!(out, "<path{transform}{painted}");
    if let Some(stroke) = shape.stroke {
        if stroke.width != 10 && !classed {
            let _ = write!(out, " stroke-width=\"{}\"", decimal(stroke.width, 1));
        }
        if let Some((dash, gap)) = stroke.dash {
            let _ = write!(out, " stroke-dasharray=\"{dash} {gap}\"");
        }
    }
    let _ = write!(out, " d=\"{}\"/>", steps(&shape.path));
}

/// Writes a text as a text element in the reader's font, spread over the width that it has in the alphabet of this program.
fn text(out: &mut String, lettering: &Lettering, ink: Ink, transform: &str) {
    let align = match lettering.align {
        Align::Left => "",
        Align::Middle => " m",
        Align::Right => " r",
    };
    let bold = if lettering.bold { " b" } else { "" };
    let (x, y) = lettering.at;
    let height = ((lettering.height + 5) / 10).clamp(1, TALLEST);
    let _ = write!(out, "<text{transform} class=\"f{} t{height}{align}{bold}\" x=\"{x}\" y=\"{y}\"", ink_letter(ink));
    if lettering.text.chars().count() > if lettering.bold { 1 } else { 2 } {
        let _ = write!(out, " textLength=\"{}\"", lettering.width / 10);
        // Numbers on cards stand close together, where spacing alone would not keep wide figures apart.
        if lettering.bold {
            out.push_str(" lengthAdjust=\"spacingAndGlyphs\"");
        }
    }
    let _ = write!(out, ">{}</text>", escaped(&printable(&lettering.text)));
}

/// Formats the steps of a path relative to the previous point, which takes the fewest digits.
fn steps(path: &Path) -> String {
    let mut out = String::new();
    let (mut x, mut y) = (0, 0);
    let (mut start_x, mut start_y) = (0, 0);
    let mut last = ' ';
    for step in &path.0 {
        let (letter, numbers): (char, Vec<i32>) = match *step {
            Step::Move(a, b) => {
                (start_x, start_y) = (a, b);
                ('m', vec![a - x, b - y])
            }
            Step::Line(a, b) if b == y => ('h', vec![a - x]),
            Step::Line(a, b) if a == x => ('v', vec![b - y]),
            Step::Line(a, b) => ('l', vec![a - x, b - y]),
            Step::Quad(a, b, c, d) => ('q', vec![a - x, b - y, c - x, d - y]),
            Step::Cubic(a, b, c, d, e, f) => ('c', vec![a - x, b - y, c - x, d - y, e - x, f - y]),
            Step::Close => ('z', Vec::new()),
        };
        match *step {
            Step::Move(a, b) | Step::Line(a, b) | Step::Quad(_, _, a, b) | Step::Cubic(_, _, _, _, a, b) => {
                (x, y) = (a, b)
            }
            Step::Close => (x, y) = (start_x, start_y),
        }
        // A repeated letter is omitted, except after `m`, where further numbers would be lines.
        let mut apart = letter == last && letter != 'm' && letter != 'z';
        if !apart {
            out.push(letter);
        }
        for number in numbers {
            if apart && number >= 0 {
                out.push(' ');
            }
            let _ = write!(out, "{number}");
            apart = true;
        }
        last = letter;
    }
    out
}

/// Escapes text for an element or an attribute. Invisible characters and those that change the direction of writing are shown as numbers.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    // Most texts have nothing of the kind, and a fold without an early exit is what the compiler turns into vector instructions.
    let is_plain = |byte| (b' '..0x7f).contains(&byte) & !matches!(byte, b'&' | b'<' | b'>' | b'"');
    if text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            c if c.is_control() => out.push(' '),
            // A name from a stranger must not turn the direction of what stands around it.
            c if is_steering(c) => out.extend(c.escape_unicode()),
            // No XML may hold these two.
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_briefly_with_relative_steps() {
        let path = Path::read("M10 10L20 10V30L5 5L-4 6Q1 2 3 4ZM0 0L1 2");
        assert_eq!(steps(&path), "m10 10h10v20l-15-25-9 1q5-4 7-2zm-10-10l1 2");
    }

    #[test]
    fn numbers_have_no_needless_digits_and_text_no_markup() {
        assert_eq!(["1.7", "0.5", "1", "-.25"].map(str::to_owned)[0], decimal(17, 1));
        assert_eq!((decimal(5, 1), decimal(10, 1), decimal(-25, 2)), (".5".into(), "1".into(), "-.25".into()));
        assert_eq!(escaped("<a href=\"&\u{1b}\">"), "&lt;a href=&quot;&amp; &quot;&gt;");
    }
}
