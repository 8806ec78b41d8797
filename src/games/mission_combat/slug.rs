//! The name of a card as an entry has it. An entry can have a hundred, so the text of a name is within it and not elsewhere in memory.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

/// How long a name is at most that is within itself; those of the default decks are shorter.
const WITHIN: usize = 22;

/// A card's name in a record.
#[derive(Clone, PartialEq, Eq)]
pub struct Slug(Text);

#[derive(Clone, PartialEq, Eq)]
enum Text {
    /// Its length and its bytes, with zeros behind them.
    Within(u8, [u8; WITHIN]),
    Elsewhere(Box<str>),
}

impl Slug {
    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Text::Within(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Text::Elsewhere(text) => text.as_bytes(),
        }
    }
}

impl From<&str> for Slug {
    fn from(text: &str) -> Self {
        let mut bytes = [0; WITHIN];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(place), Ok(length)) => {
                place.copy_from_slice(text.as_bytes());
                Self(Text::Within(length, bytes))
            }
            _ => Self(Text::Elsewhere(text.into())),
        }
    }
}

impl Deref for Slug {
    type Target = str;

    fn deref(&self) -> &str {
        // It was made from a text.
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

impl PartialOrd for Slug {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Slug {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_any_length_is_the_text_it_was_made_from() {
        let texts: Vec<String> =
            (0..60).map(|length| "portal-trooper-".chars().cycle().take(length).collect()).collect();
        for (one, other) in texts.iter().flat_map(|one| texts.iter().map(move |other| (one, other))) {
            let [slug, like] = [one, other].map(|text| Slug::from(text.as_str()));
            assert_eq!((&*slug, slug.to_string()), (one.as_str(), one.clone()));
            assert_eq!((slug == like, slug.cmp(&like)), (one == other, one.cmp(other)));
        }
        assert!(size_of::<Slug>() <= 24, "no larger than a text elsewhere with its length");
    }
}
