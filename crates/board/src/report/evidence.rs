//! What two copies of a game prove.

use serde::Serialize;

use postrider_kernel::Side;
use postrider_referee::verdict::{Evidence, Opened, SignedEntry};

/// Two copies of a game, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Evidenced<'a> {
    path: &'a str,
    other: &'a str,
    game: Option<&'static str>,
    id: Option<String>,
    found: &'static str,
    entry: Option<u32>,
    side: Option<&'static str>,
    /// Whether it is the host who signed for the side.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_host: bool,
    keys: Vec<String>,
    versions: Vec<Signed<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct Signed<'a> {
    path: &'a str,
    line: &'a str,
    signed: &'a str,
    signature: String,
}

impl<'a> Evidenced<'a> {
    /// Describes what was found in the records with these names; `record` is one of the two.
    #[must_use]
    pub fn of(found: &'a Evidence, record: &[u8], [path, other]: [&'a str; 2]) -> Self {
        let opened = Opened::new(record).ok();
        let info = opened.as_ref().map(|opened| opened.header.info);
        let host = opened.as_ref().and_then(|opened| Some(opened.header.host.as_ref()?.key));
        let word = |side: Side| info.map(|info| info.sides[side.index()].word);
        let nothing = Self {
            path,
            other,
            game: info.map(|info| info.name),
            id: opened.as_ref().map(|opened| opened.header.id.to_string()),
            found: "nothing",
            entry: None,
            side: None,
            by_host: false,
            keys: Vec::new(),
            versions: Vec::new(),
        };
        match found {
            Evidence::None => nothing,
            Evidence::Twice(found) => {
                Self { found: "one entry at two times", entry: Some(found.number), side: word(found.side), ..nothing }
            }
            Evidence::Keys(side, keys) => Self {
                found: "another key in each",
                side: word(*side),
                keys: keys.iter().map(|key| key.text()).collect(),
                ..nothing
            },
            Evidence::Pasts(found) => Self {
                found: "a receipt and another past",
                entry: Some(found.entry),
                side: word(found.side),
                by_host: host == Some(found.key),
                keys: vec![found.key.text()],
                versions: versions([path, other], &found.versions),
                ..nothing
            },
            Evidence::Double(found) => Self {
                found: "two signed entries",
                entry: Some(found.number),
                side: word(found.side),
                by_host: host == Some(found.key),
                keys: vec![found.key.text()],
                versions: versions([path, other], &found.versions),
                ..nothing
            },
        }
    }
}

fn versions<'a>(paths: [&'a str; 2], versions: &'a [SignedEntry; 2]) -> Vec<Signed<'a>> {
    let one = |(path, version): (&'a str, &'a SignedEntry)| Signed {
        path,
        line: &version.line,
        signed: &version.text,
        signature: version.signature.to_string(),
    };
    paths.into_iter().zip(versions).map(one).collect()
}
