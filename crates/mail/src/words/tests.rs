use std::collections::BTreeSet;

use super::*;

/// The name of the list of those that a language does not have.
const NONE: &str = "none";
/// What is the same in all languages, and is none.
const ANY: &str = "any";

/// The meanings of which a single word is asked; the others have phrases.
const WORD_BY_WORD: &[Meaning] = &[
    Meaning::OpeningLate,
    Meaning::BehindWrote,
    Meaning::HourWord,
    Meaning::HourSign,
    Meaning::Speaker,
    Meaning::NoticeWord,
    Meaning::NoticeWordWeak,
    Meaning::OfOneself,
    Meaning::To,
    Meaning::Takes,
    Meaning::Jumps,
    Meaning::From,
    Meaning::On,
    Meaning::And,
    Meaning::AndLater,
    Meaning::Then,
    Meaning::First,
    Meaning::Move,
    Meaning::Facing,
    Meaning::North,
    Meaning::East,
    Meaning::South,
    Meaning::West,
    Meaning::One,
    Meaning::Two,
    Meaning::Three,
    Meaning::Four,
    Meaning::Five,
    Meaning::Six,
    Meaning::Seven,
    Meaning::Eight,
    Meaning::Put,
    Meaning::PutBeside,
    Meaning::Greeting,
    Meaning::Thanks,
    Meaning::Harmless,
    Meaning::Corrects,
    Meaning::Doubt,
    Meaning::Retracts,
    Meaning::Question,
    Meaning::Asked,
    Meaning::GameEnd,
    Meaning::Draw,
];

/// Meanings of which a word has one: with two, the first that is asked would hide the other.
const APART: &[&[Meaning]] = &[
    &[Meaning::To, Meaning::Takes, Meaning::Jumps, Meaning::From, Meaning::And],
    &[Meaning::North, Meaning::East, Meaning::South, Meaning::West],
    &[
        Meaning::One,
        Meaning::Two,
        Meaning::Three,
        Meaning::Four,
        Meaning::Five,
        Meaning::Six,
        Meaning::Seven,
        Meaning::Eight,
    ],
    // A stem would count twice.
    &[Meaning::NoticeWord, Meaning::NoticeWordWeak],
    &[Meaning::Sender, Meaning::Field],
    &[Meaning::Harmless, Meaning::Doubt],
    &[Meaning::Greeting, Meaning::Doubt],
    &[Meaning::EndTurn, Meaning::Resigns, Meaning::AcceptsDraw, Meaning::Declines, Meaning::NotYet],
    &[Meaning::Agrees, Meaning::AgreesBeside, Meaning::Courtesy, Meaning::Declines, Meaning::NotYet],
    &[Meaning::Courtesy, Meaning::Resigns, Meaning::AcceptsDraw],
    &[
        Meaning::WantsUndo,
        Meaning::WantsDraw,
        Meaning::WantsToStop,
        Meaning::WantsPause,
        Meaning::WantsHelp,
        Meaning::Resigns,
        Meaning::NotYet,
        Meaning::Courtesy,
    ],
];

/// Words that have two such meanings all the same, with the reason.
const BOTH: &[(&str, Meaning, Meaning)] = &[
    // Dutch "and", French "on".
    ("en", Meaning::To, Meaning::And),
    // A turn that could hold more is all the same; among words that say more they leave it open.
    ("only", Meaning::Harmless, Meaning::Doubt),
    ("just", Meaning::Harmless, Meaning::Doubt),
    ("enter", Meaning::Harmless, Meaning::Doubt),
    // French "my", Italian "but".
    ("ma", Meaning::Harmless, Meaning::Doubt),
    // English "men", Danish "but".
    ("men", Meaning::Harmless, Meaning::Doubt),
    // German "dear" and "rather".
    ("lieber", Meaning::Greeting, Meaning::Doubt),
];

fn meaning(name: &str) -> Option<Meaning> {
    MEANINGS.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
}

#[test]
fn each_language_has_words_of_each_meaning_or_says_that_it_has_none() {
    for (language, text) in LANGUAGES {
        let has: BTreeSet<&str> = words(text).map(|(name, _)| name).filter(|name| *name != NONE).collect();
        let none: BTreeSet<&str> = words(text).filter(|(name, _)| *name == NONE).map(|(_, word)| word).collect();
        for name in has.iter().chain(&none) {
            assert!(meaning(name).is_some(), "{language}: the meaning `{name}` is unknown");
        }
        for (name, _) in MEANINGS.iter().filter(|_| *language != ANY) {
            assert!(
                has.contains(name) || none.contains(name),
                "{language}: `{name}` is missing, and not named by `{NONE}`"
            );
            assert!(
                !(has.contains(name) && none.contains(name)),
                "{language}: `{name}` is there, and named by `{NONE}`"
            );
        }
    }
}

#[test]
fn no_list_has_a_word_twice() {
    for (language, text) in LANGUAGES {
        let mut seen = BTreeSet::new();
        for (name, word) in words(text) {
            assert!(seen.insert((name, word)), "{language}: `{word}` stands twice in `{name}`");
        }
        for (meaning, implied) in IMPLIED {
            let of = |one: Meaning| {
                let (name, _) = MEANINGS.iter().find(|(_, known)| *known == one).unwrap();
                words(text).filter(move |(list, _)| list == name).map(|(_, word)| word)
            };
            for word in of(meaning) {
                assert!(of(implied).all(|other| other != word), "{language}: `{word}` is {implied:?} as {meaning:?}");
            }
        }
    }
}

#[test]
fn words_are_written_as_they_are_looked_up() {
    for (language, text) in LANGUAGES {
        for line in text.lines() {
            assert!(line.is_empty() || line.starts_with(['#', ' ']) || line.contains(':'), "{language}: {line}");
            assert!(!line.trim_end().ends_with(':'), "{language}: an empty list is named by `{NONE}`: {line}");
        }
        for (name, word) in words(text).filter(|(name, _)| *name != NONE) {
            assert_eq!(word.to_lowercase(), word, "{language}: {name}: small letters");
            assert!(!word.contains('\u{2019}'), "{language}: {name}: {word}: the apostrophe is straight");
            assert_eq!(word.split_whitespace().collect::<Vec<_>>().join(" "), word, "{language}: {name}: one space");
            let meaning = meaning(name).unwrap();
            assert!(!WORD_BY_WORD.contains(&meaning) || !word.contains(' '), "{language}: {name}: `{word}` is no word");
            let gaps = word.matches('\u{2026}').count();
            assert_eq!(gaps, usize::from(meaning == Meaning::SentWith), "{language}: {name}: {word}");
            assert!(meaning != Meaning::HourSign || word.chars().count() == 1, "{language}: {name}: {word}");
        }
    }
}

#[test]
fn a_word_has_one_meaning_where_the_first_would_hide_the_other() {
    let mut both = Vec::new();
    for group in APART {
        for (nth, one) in group.iter().enumerate() {
            for other in group.iter().skip(nth + 1) {
                let shared = one.words().iter().filter(|word| other.has(word));
                both.extend(shared.map(|word| (*word, *one, *other)));
            }
        }
    }
    let mut known = BOTH.to_vec();
    both.sort_unstable();
    known.sort_unstable();
    assert_eq!(both, known, "a word with two meanings is in `BOTH` with its reason, or has one");
}

#[test]
fn a_language_that_is_added_is_read_with_the_others() {
    let table = table(
        ["# One\n\nto: ab | cd |\n  e f\nand-later: gh\nnone: from\n", "to: cd | ij\nand: kl\nno-such: mn\n"]
            .into_iter(),
    );
    let of = |meaning| table.get(&meaning).cloned().unwrap_or_default();
    assert_eq!(of(Meaning::To), ["ab", "cd", "e f", "ij"]);
    assert_eq!(of(Meaning::And), ["gh", "kl"]);
    assert_eq!(of(Meaning::AndLater), ["gh"]);
    assert!(of(Meaning::From).is_empty());
    assert_eq!(table.values().flatten().count(), 7);
}

#[test]
fn words_of_all_languages_are_found() {
    assert!(Meaning::Takes.has("schlägt") && Meaning::Takes.has("bije") && !Meaning::Takes.has("nach"));
    assert!(Meaning::Doubt.has("warte") && Meaning::Retracts.has("warte") && !Meaning::Retracts.has("nicht"));
    assert!(Meaning::Declines.begins("nein danke") && Meaning::Declines.begins("nein danke ada"));
    assert!(!Meaning::Declines.begins("nein dankend"));
    assert!(MEANINGS.iter().all(|(_, meaning)| !meaning.words().is_empty()));
}
