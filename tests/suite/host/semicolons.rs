//! A mark that is missing between the parts of an entry, by letters, in all games: the entry that was meant is made, or the letter is
//! answered with what can be done, and never is another entry made of it.

use super::people::{Hosted, Letter, to};
use super::{ADA, ADDRESSES, BRAM, chosen, first_side};
use postrider_disk::disk::Memory;
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

#[test]
fn a_mark_that_is_missing_between_parts_never_makes_another_entry() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (game, most, seed) in
        [("asalto", 2, 1), ("assideum", 3, 2), ("assassyn", 5, 3), ("subsume", 4, 4), ("mission-combat", 7, 5)]
    {
        let host = Hosted::plain();
        let letters =
            host.asked(ADA, &format!("play {game} with bram@example.net as {} clock 5d leave 30d", first_side(game)));
        let invitation = to(&letters, "bram@example.net").clone();
        host.deliver(&host.reply(BRAM, &invitation, "accept"));
        let letters = host.letters();
        let id = super::people::id_of(&letters[0]);
        let mut last: [Letter; 2] = [0, 1].map(|nth: usize| to(&letters, ADDRESSES[nth]).clone());
        let mut stream = Stream(seed);
        for _ in 0..most {
            let Some((side, entry)) = chosen(&host, &id, &mut stream) else { break };
            let (player, letter) = ([ADA, BRAM][side.index()], last[side.index()].clone());
            let files = host.memory.snapshot();
            let before = entries(&host, &id);
            // What may stand behind any entry is a part too.
            for whole in [entry.clone(), format!("{entry}; draw?"), format!("{entry}; leave 3d")] {
                if !whole.contains("; ") {
                    continue;
                }
                let right = Hosted::at(Memory::from_snapshot(files.clone()));
                right.deliver(&host.reply(player, &letter, &whole));
                let expected = entries(&right, &id);
                for typed in forms(&whole) {
                    count += 1;
                    let other = Hosted::at(Memory::from_snapshot(files.clone()));
                    other.deliver(&host.reply(player, &letter, &typed));
                    let (made, letters) = (entries(&other, &id), other.letters());
                    if made == expected && expected != before {
                        continue;
                    }
                    let answered = letters.iter().find(|one| ADDRESSES[side.index()] == one.to);
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
            host.deliver(&host.reply(player, &letter, &entry));
            for letter in host.letters() {
                let seat = usize::from(letter.to == ADDRESSES[1]);
                last[seat] = letter;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n---\n"));
    assert!(count > 150, "{count}");
}
