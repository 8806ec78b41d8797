//! What may be written in the header of a record: fields, games, sides, options and their values.

use postrider_kernel::text::Span;
use postrider_kernel::{Info, Values};
use postrider_referee::record::FIELDS;
use postrider_referee::registry::{GAMES, find};
use postrider_referee::rulebook;

use super::{Suggestion, Suggestions};

/// Suggests what may be written at a place of the header; `header` is its text, the line `---` above it among it.
pub(super) fn suggestions(text: &str, header: &str, offset: usize) -> Option<Suggestions> {
    let before = text.get(..offset)?;
    let start = before.rfind('\n')? + 1;
    let typed = before.get(start..)?;
    if typed.contains('#') {
        return None;
    }
    let info = header.lines().find_map(|line| line.strip_prefix("game:")).and_then(|name| find(name.trim()));
    let info = info.map(|game| game.info());
    // `options: {start: portalists, …` in one line, or a field of its own in the lines below `options:`.
    let (path, part) = match typed.split_once('{') {
        Some((outer, _)) if key(outer).is_empty() => return None,
        Some((outer, inner)) => {
            let inner = inner.rsplit([',', '{']).next().unwrap_or_default();
            (vec![above(before, start, outer), key(outer)], inner)
        }
        None => (vec![above(before, start, typed)], typed),
    };
    let path: Vec<&str> = path.into_iter().filter(|name| !name.is_empty()).collect();
    let (name, word) = match part.split_once(':') {
        Some((name, value)) => (Some(name.trim()), value.trim_start()),
        None => (None, part.trim_start()),
    };
    let words = match name {
        None => names(&path, info, header),
        Some(name) => values(&path, name, info),
    };
    let list: Vec<_> = words
        .into_iter()
        .filter(|one| one.starts_with(word) && one != word)
        .map(|one| {
            let behind = if name.is_none() { ": " } else { "" };
            Suggestion { text: one.clone() + behind, sought: one.clone(), label: one }
        })
        .collect();
    (!list.is_empty()).then(|| Suggestions { span: Span::new(offset - word.len(), offset), list })
}

/// The name of the field that a line begins.
fn key(line: &str) -> &str {
    line.split_once(':').map_or(line, |(name, _)| name).trim()
}

/// The name of the field that an indented line stands below; empty for one that is not indented.
fn above<'t>(before: &'t str, start: usize, line: &str) -> &'t str {
    if !line.starts_with([' ', '\t']) {
        return "";
    }
    let lines = before.get(..start).unwrap_or_default().lines().rev();
    lines.into_iter().find(|line| !line.is_empty() && !line.starts_with([' ', '\t', '#'])).map_or("", key)
}

/// The names of the fields that may stand in a place, without those that are there.
fn names(path: &[&str], info: Option<&'static Info>, header: &str) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    match path {
        [] => {
            let own = info.into_iter().flat_map(|info| info.header).map(|field| field.name);
            let is_there = |name: &str| header.lines().any(|line| line.contains(':') && key(line) == name);
            FIELDS.iter().copied().chain(own).filter(|name| !is_there(name)).map(str::to_owned).collect()
        }
        ["players"] => info.into_iter().flat_map(|info| info.sides).map(|side| side.word.to_owned()).collect(),
        ["options"] => info.into_iter().flat_map(|info| info.options).map(|option| option.name.to_owned()).collect(),
        ["players", _] | ["host"] => owned(&["name", "email", "key"]),
        ["machine"] => owned(&["side", "level", "seed"]),
        _ => Vec::new(),
    }
}

/// What a field may be, if that is one of some words.
fn values(path: &[&str], name: &str, info: Option<&'static Info>) -> Vec<String> {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match (path, name) {
        ([], "pbem") => owned(&["1"]),
        ([], "game") => GAMES.iter().map(|game| game.info().name.to_owned()).collect(),
        ([], "secrecy") => owned(&["open", "sealed"]),
        ([], "rules") => info.and_then(|info| rulebook::find(info.name)).map(|_| "1".to_owned()).into_iter().collect(),
        (["machine"], "side") => {
            info.into_iter().flat_map(|info| info.sides).map(|side| side.word.to_owned()).collect()
        }
        (["machine"], "level") => owned(&["1", "2", "3", "4", "5"]),
        (["options"], name) => {
            let option = info.into_iter().flat_map(|info| info.options).find(|option| option.name == name);
            match option.map(|option| (option.values, option.default)) {
                Some((Values::OneOf(words), _)) => owned(words),
                Some((_, default)) => owned(&[default]),
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::suggestions;

    /// What is suggested at the end of the header, and what is written if the first is taken.
    fn at(lines: &str) -> (Vec<String>, String) {
        let text = format!("---\npbem: 1\n{lines}");
        let found = suggestions(&text, text.len(), None);
        let labels = found.iter().flat_map(|found| &found.list).map(|one| one.label.clone()).collect();
        let first =
            found.and_then(|found| Some(text.get(..found.span.start as usize)?.to_owned() + &found.list.first()?.text));
        (labels, first.unwrap_or_default())
    }

    #[test]
    fn fields_games_sides_and_options_are_suggested_in_the_header() {
        let (labels, _) = at("");
        assert!(labels.contains(&"game".to_owned()) && !labels.contains(&"pbem".to_owned()), "{labels:?}");
        assert_eq!(at("ga").1, "---\npbem: 1\ngame: ");
        assert_eq!(at("game: assi").0, ["assideum"]);
        assert_eq!(at("game: asalto\nplayers:\n  ").0, ["besiegers", "defenders"]);
        assert_eq!(at("game: asalto\nplayers:\n  besiegers: {").0, ["name", "email", "key"]);
        assert_eq!(
            at("game: asalto\nplayers:\n  besiegers: {name: Ada, em").1.lines().last(),
            Some("  besiegers: {name: Ada, email: ")
        );
        for game in postrider_referee::registry::GAMES {
            let info = game.info();
            for option in info.options {
                let named = format!("game: {}\noptions: {{x: y, {}", info.name, &option.name[..1]);
                assert!(at(&named).0.contains(&option.name.to_owned()), "{named}");
                let postrider_kernel::Values::OneOf(words) = option.values else { continue };
                for begun in [format!("options: {{{}: ", option.name), format!("options:\n  {}: ", option.name)] {
                    assert_eq!(at(&format!("game: {}\n{begun}", info.name)).0, words, "{begun}");
                }
            }
        }
        for nothing in
            ["# a remark", "title: ", "game: chess\noptions: {", "id: asalto", "tags: {", "{{{{", "players: {x: {"]
        {
            assert_eq!(at(nothing).0, Vec::<String>::new(), "{nothing}");
        }
    }
}
