//! Adds a few legal entries, or next actions, to a refusal that says only what is wrong.

use super::{Refusal, next};
use crate::sealing::KeyStore;
use crate::verdict::Opened;
use postrider_kernel::text::Diagnostic;

/// How many examples are named.
const MOST: usize = 3;
/// The longest example that is named, in bytes: a seal or a whole deployment says nothing to who reads it.
const LONGEST: usize = 40;

/// Adds legal examples to the refusal of an entry that has none yet. `opened` is the record, at whose end the entry was refused.
#[must_use]
pub fn with_examples(opened: &mut Opened<'_>, refusal: Refusal, keys: &mut dyn KeyStore) -> Refusal {
    let Refusal::Entry(typed, mut verdict) = refusal else { return refusal };
    if let Some(error) = verdict.errors.first_mut().filter(|error| lacks_help(error)) {
        let place = typed.get(..error.span.start as usize).unwrap_or_default();
        let begun = place.rfind(';').and_then(|end| place.get(..end)).unwrap_or_default().trim();
        let wrong = typed.get(begun.len()..).unwrap_or_default();
        if let Some(legal) = legal(opened, begun, wrong, keys) {
            error.help = Some(match error.help.take() {
                Some(help) => format!("{legal}; {help}"),
                None => legal,
            });
        }
    }
    Refusal::Entry(typed, verdict)
}

/// Returns a whole entry for a word in a list of what may be entered, where the word stands for so many that none of them is listed, and
/// says nothing by itself.
#[must_use]
pub fn written_out(opened: &Opened<'_>, word: &str) -> Option<String> {
    let placeholder = opened.header.info.samples.placeholder(word)?;
    let side = opened.table.standing().due.side;
    opened.table.read(word).is_err().then(|| (placeholder.example)(side, &mut |below| below / 2))
}

/// Whether it says nothing of what would be legal. A fault of grammar names the rulebook at most; another signature is no other move.
fn lacks_help(error: &Diagnostic) -> bool {
    match error.rule {
        None => true,
        Some(rule) => error.help.is_none() && !rule.starts_with(['E', 'Z']),
    }
}

/// Describes what is legal after a beginning.
fn legal(opened: &mut Opened<'_>, begun: &str, wrong: &str, keys: &mut dyn KeyStore) -> Option<String> {
    let stepwise = opened.header.info.stepwise;
    let next = next(opened, begun, keys).ok()?;
    let examples = nearest(next.actions, wrong);
    let behind = |begun: &str| format!("after `{}`", postrider_kernel::text::printable(begun));
    match (begun.is_empty(), next.whole, examples) {
        (true, _, None) => None,
        (true, _, Some(examples)) if stepwise => Some(format!("a turn may begin with {examples}")),
        (true, _, Some(examples)) => Some(format!("legal here: {examples}")),
        (false, true, None) => Some(format!("the entry ends {}", behind(begun))),
        (false, false, None) => None,
        (false, whole, Some(examples)) => {
            let end = if whole { ", or nothing more" } else { "" };
            Some(format!("legal {}: {examples}{end}", behind(begun)))
        }
    }
}

/// Sorts entries so that those come first that are most like one that was refused: first what the same piece may do, then what else has
/// to do with its places.
#[must_use]
pub fn nearest_first(mut moves: Vec<String>, wrong: &str) -> Vec<String> {
    let places = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        let bytes: Vec<char> = lower.chars().collect();
        bytes
            .windows(2)
            .filter(|pair| matches!(pair, ['a'..='h', '1'..='8']))
            .map(|pair| pair.iter().collect())
            .collect()
    };
    let meant = places(wrong);
    let words: Vec<String> =
        wrong.to_lowercase().split([' ', ';', '@', '>']).filter(|word| word.len() > 1).map(str::to_owned).collect();
    let likeness = |one: &String| {
        let here = places(one);
        let piece = !meant.is_empty() && here.first() == meant.first();
        let goal = meant.last().is_some() && here.last() == meant.last();
        let shared = here.iter().filter(|place| meant.contains(place)).count();
        let lower = one.to_lowercase();
        let said = words.iter().filter(|word| lower.contains(word.as_str())).count();
        std::cmp::Reverse((piece, goal, shared, said))
    };
    moves.sort_by_cached_key(likeness);
    moves
}

/// Names those that are most like what was typed, and how many others there are; nothing where there are none, or none short enough
/// to be read.
fn nearest(mut list: Vec<String>, wrong: &str) -> Option<String> {
    let all = list.len();
    list.retain(|one| one.len() <= LONGEST);
    let wrong = wrong.to_lowercase();
    let words: Vec<&str> = wrong.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1).collect();
    let likeness = |one: &String| {
        let one = one.to_lowercase();
        let shared = words.iter().filter(|word| one.contains(**word)).count();
        let begin = one.bytes().zip(wrong.trim_start_matches([';', ' ']).bytes()).take_while(|(a, b)| a == b).count();
        std::cmp::Reverse((shared, begin))
    };
    list.sort_by_cached_key(likeness);
    let named: Vec<String> = list.iter().take(MOST).map(|one| format!("`{one}`")).collect();
    let others = all - named.len();
    match (named.as_slice(), others) {
        ([], _) => None,
        ([one], 0) => Some(one.clone()),
        ([first @ .., last], 0) => Some(format!("{} and {last}", first.join(", "))),
        (named, others) => Some(format!("{} and {others} more", named.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(list: &[&str], wrong: &str) -> Option<String> {
        nearest(list.iter().map(|one| (*one).to_owned()).collect(), wrong)
    }

    #[test]
    fn what_is_most_like_the_typed_entry_comes_first() {
        let list = ["b4-c5", "b5-c5", "c4-c5", "d4-c5", "d4-d5"];
        assert_eq!(named(&list, "d4-d6").as_deref(), Some("`d4-d5`, `d4-c5`, `b4-c5` and 2 more"));
        assert_eq!(named(&list[..2], "D4").as_deref(), Some("`b4-c5` and `b5-c5`"));
        assert_eq!(named(&list[..1], "?").as_deref(), Some("`b4-c5`"));
        assert_eq!(named(&[], "c4"), None);
        let long = format!("seal:{}", "0".repeat(64));
        assert_eq!(named(&[&long], "seal"), None);
        assert_eq!(named(&[&long, "deal"], "seal").as_deref(), Some("`deal` and 1 more"));
    }
}
