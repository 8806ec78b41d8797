//! Entries that put something named on a place, in words: "put the portal-trooper on the Blue Portal". Only if every word is accounted
//! for, so that nothing that is said of it besides is taken for the entry.

use super::courtesy::{is_beside, words_of};
use super::spelling::{plain, trimmed};
use crate::words::Meaning;

/// The entries, of those listed, that a line asks for in words; none if it says anything besides.
pub(super) fn placed(line: &str, moves: &[String], places: &[(String, String)]) -> Vec<String> {
    let line = plain(line).to_lowercase();
    let line = trimmed(&line);
    if line.contains(['@', '>', ';', '?']) {
        return Vec::new();
    }
    let said = words_of(line);
    let line = is_beside(&said).unwrap_or(&said);
    let split = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let words = split(line);
    let mut found = Vec::new();
    for one in moves {
        let Some((head, named, code)) = parts(one) else { continue };
        let Some(rest) = without(&words, &split(&named.to_lowercase())) else { continue };
        let name = places.iter().find(|(known, _)| known == code).map(|(_, name)| split(&name.to_lowercase()));
        // Its name or its letters; if neither is there, every place may be meant.
        let rest = name
            .and_then(|name| without(&rest, &name))
            .or_else(|| without(&rest, &[code.to_lowercase()]))
            .unwrap_or(rest);
        let is_said = |word: &String| word == head || Meaning::Put.has(word);
        let others = || rest.iter().filter(|word| !Meaning::PutBeside.has(word) && !is_said(word));
        // A verb that begins other entries means those.
        let begins = |word: &String| moves.iter().any(|one| one.split(' ').next() == Some(word));
        let is_other = rest.iter().any(|word| word != head && begins(word));
        if others().next().is_none() && !is_other && !found.contains(one) {
            found.push(one.clone());
        }
    }
    found
}

/// The word, the name and the place of an entry of this kind: `place portal-trooper@YA`.
fn parts(one: &str) -> Option<(&str, &str, &str)> {
    let (head, rest) = one.split_once(' ')?;
    let (named, place) = rest.split_once('@')?;
    let is_word =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (is_word(head) && is_word(named) && is_word(place)).then_some((head, named, place))
}

/// Some words without others that stand together among them; `None` if they do not.
fn without(words: &[String], part: &[String]) -> Option<Vec<String>> {
    let at = words.windows(part.len().max(1)).position(|window| window == part)?;
    Some(
        words
            .iter()
            .enumerate()
            .filter(|(nth, _)| !(at..at + part.len()).contains(nth))
            .map(|(_, word)| word.clone())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_somewhere_in_words_is_found_if_nothing_else_is_said() {
        let places = vec![("BP".to_owned(), "Blue Portal".to_owned()), ("RP".to_owned(), "Red Portal".to_owned())];
        let moves: Vec<String> =
            ["place portal-trooper@BP", "place portal-trooper@RP", "place exorcist@BP"].map(str::to_owned).to_vec();
        let read = |line: &str| placed(line, &moves, &places);
        for line in [
            "put the portal-trooper on the Blue Portal",
            "Portal Trooper to BP",
            "I place my portal trooper in the blue portal, please.",
            "play portal-trooper on BP",
            "play portal-trooper on BP, thanks and good luck!",
            "Please put the portal-trooper on the Blue Portal",
            "ｐｌａｃｅ ｐｏｒｔａｌ-ｔｒｏｏｐｅｒ BP",
        ] {
            assert_eq!(read(line), ["place portal-trooper@BP"], "{line}");
        }
        assert_eq!(read("play exorcist"), ["place exorcist@BP"]);
        assert_eq!(read("play portal-trooper").len(), 2);
        for line in [
            "Should I put the portal-trooper on the Blue Portal?",
            "I would never put the portal-trooper on the Blue Portal",
            "put the rift-stalker on the Blue Portal",
            "put the portal-trooper on the Green Portal",
            "portal-trooper@BP",
            "",
        ] {
            assert!(read(line).is_empty(), "{line}: {:?}", read(line));
        }
    }
}
