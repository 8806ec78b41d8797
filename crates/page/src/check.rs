//! Whether a page is what this version makes. A page is a program: one that was changed could send away what is typed into it.

use data_encoding::BASE64;

use super::{Contents, Kind, alone, page};
use postrider_kernel::Side;
use postrider_referee::verdict::Opened;

/// What a page is found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Byte for byte a page of this version: of the game with this id and so many entries, or without one.
    Same {
        /// The game in it, and how many entries its record has.
        game: Option<(String, u32)>,
        referee: bool,
    },
    /// It is another one.
    Differs(Difference),
    /// No game is shown in it by its record, so that nothing can be said of it.
    WithoutRecord,
    /// It is no page of this program.
    Foreign,
}

/// Where a page differs first from the one that it resembles most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The part of the page.
    pub part: Part,
    /// The line, and the byte in it, both from 1.
    pub place: (usize, usize),
    /// The version that the page says it is of, if it says one.
    pub version: Option<String>,
}

/// The parts of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What stands before the body: the title, what it may load.
    Head,
    /// The colours and sizes.
    Style,
    /// What is shown.
    Body,
    /// The referee.
    Module,
    Script,
    /// What follows the script.
    End,
}

impl Part {
    /// Its name.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Head => "head, which says what it may load,",
            Self::Style => "style sheet",
            Self::Body => "text or boards",
            Self::Module => "referee (the module)",
            Self::Script => "script",
            Self::End => "end",
        }
    }
}

/// Looks at a page.
#[must_use]
pub fn check(bytes: &[u8]) -> Checked {
    let Ok(text) = std::str::from_utf8(bytes) else { return Checked::Foreign };
    let version = generator(text);
    if version.is_none() {
        return Checked::Foreign;
    }
    let mut closest: Option<(usize, String)> = None;
    let mut is = |candidate: String| {
        let common = bytes.iter().zip(candidate.as_bytes()).take_while(|(one, other)| one == other).count();
        let is_same = common == bytes.len() && common == candidate.len();
        if closest.as_ref().is_none_or(|(most, _)| common > *most) {
            closest = Some((common, candidate));
        }
        is_same
    };
    match record(text) {
        Some(record) => {
            let referee = text.contains("id=\"module\"");
            let Ok(mut opened) = Opened::new(&record) else { return Checked::Foreign };
            let verdict = opened.replay(u32::MAX);
            if verdict.entries > super::MOST_ENTRIES {
                return Checked::Foreign;
            }
            for from in Side::BOTH {
                let contents = Contents { referee, record: true, from };
                if is(page(&record, &opened, &verdict, &contents)) {
                    return Checked::Same { game: Some((opened.header.id.to_string(), verdict.entries)), referee };
                }
            }
        }
        None => {
            for kind in [Kind::Player, Kind::App] {
                if is(alone(kind)) {
                    return Checked::Same { game: None, referee: true };
                }
            }
            // A game without its record cannot be shown again.
            if text.contains("class=\"entries\"") || text.contains("class=entries") {
                return Checked::WithoutRecord;
            }
        }
    }
    let Some((common, candidate)) = closest else { return Checked::Foreign };
    let before = candidate.as_bytes().get(..common).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    Checked::Differs(Difference { part: part(&candidate, common), place: (line, column), version })
}

/// The part of a page in which a byte is.
fn part(page: &str, at: usize) -> Part {
    let script = page.rfind("<script>");
    let ends = [
        (page.find("<style>"), Part::Head),
        (page.find("</style>"), Part::Style),
        (page.find("<body>"), Part::Head),
        (page.find("id=\"module\"").or(script), Part::Body),
        (script, Part::Module),
        (page.rfind("</script>"), Part::Script),
    ];
    ends.into_iter().find(|(end, _)| end.is_some_and(|end| at < end)).map_or(Part::End, |(_, part)| part)
}

/// The version that a page names as the one that made it.
fn generator(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<meta name=\"generator\" content=\"postrider ")?;
    let (version, _) = rest.split_once('"')?;
    let is_version =
        version.len() <= 32 && version.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
    is_version.then(|| version.to_owned())
}

/// The record inside a page.
fn record(text: &str) -> Option<Vec<u8>> {
    const ADDRESS: &str = "data:text/plain;charset=utf-8";
    // The script has such an address too.
    let text = text.split("<script").next()?;
    let at = text.find(ADDRESS)?;
    let is_quoted = text.get(..at)?.ends_with('"');
    let rest = text.get(at + ADDRESS.len()..)?;
    let value = if is_quoted { rest.split('"').next()? } else { rest.split([' ', '>']).next()? };
    if let Some(letters) = value.strip_prefix(";base64,") {
        return BASE64.decode(letters.as_bytes()).ok();
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.strip_prefix(',')?.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        if *byte == b'%' {
            let (digits, behind) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = behind;
        } else {
            bytes.push(*byte);
        }
    }
    Some(bytes)
}
