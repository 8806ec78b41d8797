//! Whether a letter accepts an invitation or declines it.

use super::{looks_like_entry, phrases};

/// The words of a line, without signs, in small letters.
fn words_of(line: &str) -> String {
    let lower = line.to_lowercase().replace('\u{2019}', "'");
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// How many words a line may have that is neither an agreement nor a courtesy where an invitation is accepted: a name.
const NAME: usize = 3;

/// Returns whether a letter accepts an invitation: a line of it says so and nothing else, and the others say nothing against it.
#[must_use]
pub fn agrees(lines: &[String]) -> bool {
    // Whether a line consists of known phrases, and whether one of them agrees.
    let reading = |line: &String| -> Option<bool> {
        let mut left = words_of(line);
        let mut agreed = false;
        while !left.is_empty() {
            let behind = |phrase: &str| {
                let rest = left.strip_prefix(phrase)?;
                (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim_start().to_owned())
            };
            let best = |list: &[&str]| list.iter().filter_map(|phrase| behind(phrase)).min_by_key(String::len);
            let others = best(phrases::AGREES_TO).into_iter().chain(best(phrases::COURTESIES)).min_by_key(String::len);
            // The longest phrase counts.
            (agreed, left) = match (best(phrases::AGREES), others) {
                (Some(rest), others) if others.as_ref().is_none_or(|other| rest.len() <= other.len()) => (true, rest),
                (_, Some(rest)) => (agreed, rest),
                _ => return None,
            };
        }
        Some(agreed)
    };
    let readings: Vec<_> = lines.iter().map(|line| (reading(line), words_of(line).split(' ').count())).collect();
    !declines(lines)
        && readings.iter().any(|(reading, _)| *reading == Some(true))
        && readings.iter().all(|(reading, words)| reading.is_some() || *words <= NAME)
}

/// Returns whether a letter declines an invitation, in words that are known as a whole.
#[must_use]
pub fn declines(lines: &[String]) -> bool {
    let said = |line: &String| words_of(line);
    let is = |text: &str, phrase: &str| {
        text.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    !lines.iter().any(|line| looks_like_entry(line))
        && lines.iter().map(said).any(|text| phrases::DECLINES.iter().any(|phrase| is(&text, phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_accepted_in_words_that_say_nothing_else() {
        let agrees = |text: &str| agrees(&text.lines().map(str::to_owned).collect::<Vec<_>>());
        for text in [
            "Sure, accept!",
            "Hi Ada,\nI'd love to!\nBram",
            "ok thanks",
            "Yes please, let's play",
            "Gerne!",
            "I accept the invitation.\nBest regards\nBram Post",
        ] {
            assert!(agrees(text), "{text}");
        }
        for text in [
            "",
            "Thanks for your letter",
            "Hello",
            "no thanks",
            "Sure, but not now",
            "ok\nBut tell me first what kind of game this is",
            "Yes?! No, I'd rather not play",
            "I would like to know more",
            "acceptable?",
        ] {
            assert!(!agrees(text), "{text}");
        }
    }
}
