//! A mark that is missing between the parts of an entry, by letters, in all games: the entry that was meant is made, or the letter is
//! answered with what can be done, and never is another entry made of it. What is polite behind an entry leaves it as it is.

use super::people::{Hosted, Letter, to};
use super::{ADA, ADDRESSES, BRAM, chosen, first_side};
use postrider_disk::disk::Memory;
use postrider_kernel::Side;
use postrider_referee::desk::{Desk, parts};
use postrider_testing::random::Stream;

/// The entries of a record, without their times.
fn entries(host: &Hosted, id: &str) -> Vec<String> {
    let record = host.record(id);
    let desk = Desk::open(&record).expect("it is legal");
    let text = desk.opened.text;
    let is_entry = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
    text.lines().filter(is_entry).map(|line| parts(line).0.to_owned()).collect()
}

/// The ways in which the mark between two parts is left out.
fn forms(entry: &str) -> Vec<String> {
    let marks: Vec<usize> = entry.match_indices("; ").map(|(at, _)| at).collect();
    let mut forms = Vec::new();
    for instead in [" ", ", ", "\r\n", ". ", " and ", "  "] {
        forms.push(entry.replace("; ", instead));
        // Only one of them, where there are several.
        forms.extend(marks.iter().skip(1).take(1).map(|at| format!("{}{instead}{}", &entry[..*at], &entry[at + 2..])));
        forms.extend(
            marks
                .last()
                .iter()
                .filter(|_| marks.len() > 2)
                .map(|at| format!("{}{instead}{}", &entry[..**at], &entry[**at + 2..])),
        );
    }
    forms
}

/// A game in which somebody is due.
struct Turn<'a> {
    game: &'a str,
    id: &'a str,
    host: &'a Hosted,
    side: Side,
    letter: &'a Letter,
    entry: &'a str,
}

impl Turn<'_> {
    /// What the record has after a reply to the letter, and the letters that follow; the game itself stays as it is.
    fn after(&self, typed: &str) -> (Vec<String>, Vec<Letter>) {
        let other = Hosted::at(Memory::from_snapshot(self.host.memory.snapshot()));
        other.deliver(&other.reply([ADA, BRAM][self.side.index()], self.letter, typed));
        (entries(&other, self.id), other.letters())
    }
}

/// Plays `most` entries of a game, and looks at each turn before it is made.
fn at_each_turn(game: &str, (most, seed): (usize, u64), mut look: impl FnMut(&Turn<'_>)) {
    let host = Hosted::plain();
    let letters =
        host.asked(ADA, &format!("play {game} with bram@example.net as {} clock 5d leave 30d", first_side(game)));
    let invitation = to(&letters, ADDRESSES[1]).clone();
    host.deliver(&host.reply(BRAM, &invitation, "accept"));
    let letters = host.letters();
    let id = super::people::id_of(&letters[0]);
    let mut last: [Letter; 2] = [0, 1].map(|nth: usize| to(&letters, ADDRESSES[nth]).clone());
    let mut stream = Stream(seed);
    for _ in 0..most {
        let Some((side, entry)) = chosen(&host, &id, &mut stream) else { break };
        let letter = last[side.index()].clone();
        look(&Turn { game, id: &id, host: &host, side, letter: &letter, entry: &entry });
        host.deliver(&host.reply([ADA, BRAM][side.index()], &letter, &entry));
        for letter in host.letters() {
            let seat = usize::from(letter.to == ADDRESSES[1]);
            last[seat] = letter;
        }
    }
}

#[test]
fn a_mark_that_is_missing_between_parts_never_makes_another_entry() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (game, most, seed) in
        [("asalto", 2, 1), ("assideum", 3, 2), ("assassyn", 5, 3), ("subsume", 4, 4), ("mission-combat", 7, 5)]
    {
        at_each_turn(game, (most, seed), |turn| {
            let before = entries(turn.host, turn.id);
            // What may stand behind any entry is a part too.
            let entry = turn.entry;
            for whole in [entry.to_owned(), format!("{entry}; draw?"), format!("{entry}; leave 3d")] {
                if !whole.contains("; ") {
                    continue;
                }
                let (expected, _) = turn.after(&whole);
                for typed in forms(&whole) {
                    count += 1;
                    let (made, letters) = turn.after(&typed);
                    if made == expected && expected != before {
                        continue;
                    }
                    let answered = letters.iter().find(|one| ADDRESSES[turn.side.index()] == one.to);
                    let helps = answered.is_some_and(|one| {
                        let says = ["for example:", "with one of these lines", "These moves are possible", "draw?"];
                        says.iter().any(|part| one.text.contains(part))
                    });
                    if made != before || !helps {
                        let told = answered.map_or("", |one| one.text.as_str());
                        wrong.push(format!("{game}: {typed:?} for {whole:?}: {:?}\n{told}", &made[before.len()..]));
                    }
                }
            }
        });
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n---\n"));
    assert!(count > 150, "{count}");
}

/// What stands behind an entry and says nothing.
const BEHIND: [&str; 6] = [" please", ", thanks Bram!", " :-)", ", please :-)", " \u{1f600} good luck!", " - thanks"];

#[test]
fn what_is_polite_behind_the_last_step_of_a_turn_changes_nothing() {
    let (mut wrong, mut nth, mut words) = (Vec::new(), 0, 0);
    for (game, most, seed) in
        [("asalto", 2, 1), ("assideum", 2, 2), ("assassyn", 4, 3), ("subsume", 3, 4), ("mission-combat", 24, 5)]
    {
        at_each_turn(game, (most, seed), |turn| {
            let last = turn.entry.rsplit("; ").next().unwrap_or_default();
            let is_word = turn.entry != last && last.bytes().all(|byte| byte.is_ascii_lowercase());
            // In the longest game, those that end with a word.
            if turn.game == "mission-combat" && !is_word {
                return;
            }
            words += usize::from(is_word);
            let (expected, _) = turn.after(turn.entry);
            assert!(expected.len() > entries(turn.host, turn.id).len(), "{game}: {}", turn.entry);
            for _ in 0..3 {
                let typed = format!("{}{}", turn.entry, BEHIND[nth % BEHIND.len()]);
                nth += 1;
                let (made, letters) = turn.after(&typed);
                if made != expected {
                    let told: String = letters.iter().map(|letter| letter.text.as_str()).collect();
                    wrong.push(format!("{game}: {typed:?}: {made:?}\n{told}"));
                }
            }
        });
    }
    assert!(wrong.is_empty(), "{} of {nth}:\n{}", wrong.len(), wrong.join("\n---\n"));
    assert!(nth > 30 && words > 2, "{nth} {words}");
}
