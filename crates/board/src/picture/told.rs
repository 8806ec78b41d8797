//! The text above and below a board that is shown alone, as in a letter: the players, the last entry, and the side that is due or the
//! result.

use super::glyphs::Hand;
use super::list::{Ink, List, Path, Shape};
use super::pieces;
use postrider_kernel::Side;

/// The words around a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The players, first side first: `Ada Quill, besiegers`.
    pub players: [String; 2],
    /// The last entry; empty if there is none.
    pub last: String,
    /// The entry that is due, or the result.
    pub state: String,
    /// The side whose entry is due; `None` at the end.
    pub due: Option<Side>,
}

/// The margin on both sides.
const EDGE: i32 = 24;
/// The most lines for the last entry, and for the state.
const LINES: [usize; 2] = [2, 2];

/// How high a capital is: a picture that is shown 360 pixels wide has capitals of eight pixels.
fn height(list: &List) -> i32 {
    list.width / 45
}

/// Adds a line below everything else.
pub(super) fn note(list: &mut List, note: &str) {
    let tall = height(list);
    list.text(note, (EDGE, list.height + tall / 2), Hand::new(tall, Ink::Text));
    list.height += tall * 2;
}

/// Adds the words to a picture, in which the side `near` is at the bottom.
pub(super) fn add(list: &mut List, told: &Told, near: Side) {
    let tall = height(list);
    let head = tall * 2 + tall / 2;
    list.lower(head);
    player(list, told, near.other(), tall / 2 + tall / 4);
    let mut y = list.height + tall / 4;
    player(list, told, near, y);
    y += tall * 2 + tall / 2;
    let hand = Hand::new(tall, Ink::Text);
    for (text, hand, most) in [(&told.last, hand, LINES[0]), (&told.state, hand.bold(), LINES[1])] {
        for line in folded(text, hand, list.width - 2 * EDGE, most) {
            list.text(&line, (EDGE, y), hand);
            y += tall * 7 / 4;
        }
        y += tall / 4;
    }
    list.height = y;
}

/// A player with a mark in the colours of the side; bold if the side is due.
fn player(list: &mut List, told: &Told, side: Side, y: i32) {
    let tall = height(list);
    let [fill, edge, mark] = pieces::inks(side);
    let size = tall + tall / 4;
    list.shape(Shape::filled(Path::rounded(EDGE, y - tall / 8, size, size, 4), fill).edged(edge, 3));
    list.shape(Shape::filled(Path::circle(EDGE + size / 2, y - tall / 8 + size / 2, tall / 4), mark));
    let hand = Hand::new(tall, Ink::Text);
    let hand = if told.due == Some(side) { hand.bold() } else { hand };
    let left = EDGE + size + tall / 2;
    if let Some(line) = folded(&told.players[side.index()], hand, list.width - EDGE - left, 1).first() {
        list.text(line, (left, y), hand);
    }
}

/// Breaks a text into at most `most` lines of this width at its spaces; words that are too long are cut, and what is left out is marked.
fn folded(text: &str, hand: Hand, width: i32, most: usize) -> Vec<String> {
    let fits = |line: &str| hand.width(line) <= width;
    let mut lines: Vec<String> = Vec::new();
    let mut cut = false;
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut() {
            let longer = format!("{line} {word}");
            if fits(&longer) {
                *line = longer;
                continue;
            }
        }
        if lines.len() == most {
            cut = true;
            break;
        }
        let mut word = word.to_owned();
        while !fits(&word) && word.pop().is_some() {
            cut = true;
        }
        lines.push(word);
        if cut {
            break;
        }
    }
    if let Some(last) = lines.last_mut().filter(|_| cut) {
        while !fits(&format!("{last} ...")) && last.pop().is_some() {}
        last.push_str(" ...");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_and_the_cut_is_marked() {
        let hand = Hand::new(18, Ink::Text);
        let all = |text: &str, most| folded(text, hand, 200, most);
        assert_eq!(all("c4-c5", 2), ["c4-c5"]);
        assert_eq!(all("", 2), Vec::<String>::new());
        let long = all(&"c4-c5; ".repeat(40), 3);
        assert!(long.len() == 3 && long[2].ends_with(" ...") && !long[1].contains("..."), "{long:?}");
        let word = all(&"x".repeat(400), 3);
        assert!(word.len() == 1 && word[0].ends_with(" ..."), "{word:?}");
        for line in long.iter().chain(&word) {
            assert!(hand.width(line) <= 200, "{line}");
        }
    }
}
