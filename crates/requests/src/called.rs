//! The words of players, in which a page tells what the referee says in the words of records.

/// What a page calls otherwise than the program does.
const CALLED: [(&str, &str); 4] = [("entry", "move"), ("entries", "moves"), ("Entry", "Move"), ("Entries", "Moves")];

/// A sentence of the program in the words of a page, where an entry of the record is a move. What is typed (between backticks) and what
/// a player has written (between braces) stays as it is.
#[must_use]
pub fn of_players(text: &str) -> String {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let mut told = String::with_capacity(text.len());
    let mut until = None;
    for part in text.split_inclusive(|c: char| !is_letter(c)) {
        let word = part.trim_end_matches(|c: char| !is_letter(c));
        let behind = part.strip_prefix(word).unwrap_or_default();
        let is_whole = until.is_none() && !told.ends_with('-');
        let other = CALLED.iter().find(|(ours, _)| is_whole && *ours == word);
        if other.is_some() && ["an ", "An "].iter().any(|article| ends_with_word(&told, article)) {
            told.truncate(told.len().saturating_sub(2));
            told.push(' ');
        }
        told.push_str(other.map_or(word, |(_, theirs)| theirs));
        told.push_str(behind);
        for sign in behind.chars() {
            until = match (until, sign) {
                (None, '`') => Some('`'),
                (None, '{') => Some('}'),
                (Some(end), sign) if sign == end => None,
                (still, _) => still,
            };
        }
    }
    told
}

/// Returns whether a text ends with a word, and not with a longer one. Whatever is not ASCII is taken for a letter: a table of all letters
/// would be a part of each page.
fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word)
        .is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_alphanumeric() || !c.is_ascii()))
}

#[cfg(test)]
mod tests {
    use super::of_players;

    #[test]
    fn a_page_says_move_where_the_program_says_entry() {
        for (program, page) in [
            ("give an entry of theirs", "give a move of theirs"),
            (
                "entry 3 is your opponent's: only an entry of your own",
                "move 3 is your opponent's: only a move of your own",
            ),
            ("its entries (2 entries) are legal. An entry. Entries?", "its moves (2 moves) are legal. A move. Moves?"),
            ("besiegers, men: 23 then, 24 with the better entry", "besiegers, men: 23 then, 24 with the better move"),
            ("entered, re-entry, an entrance, centuries", "entered, re-entry, an entrance, centuries"),
            ("`the entry` and {an entry} stay, an entry does not", "`the entry` and {an entry} stay, a move does not"),
            ("Jan entry", "Jan move"),
            ("\u{fc}an entry `open", "\u{fc}an move `open"),
        ] {
            assert_eq!(of_players(program), page);
        }
    }
}
