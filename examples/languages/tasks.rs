//! The ten tasks of README.md in Rust: `cargo run --example tasks -- RECORD REFUSED LONG`.

use std::error::Error;

use postrider_referee::{Beside, LineIndex, Time, Viewer, open, open_at, rule, verify};

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [record, refused, long] = &names[..] else { return Err("three records are needed".into()) };
    print!("{}", tasks(&std::fs::read(record)?, &std::fs::read(refused)?, &std::fs::read(long)?)?);
    Ok(())
}

pub fn tasks(record: &[u8], refused: &[u8], long: &[u8]) -> Result<String, Box<dyn Error>> {
    let mut said = String::new();
    let mut say = |words: &[&dyn std::fmt::Display]| {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        said += &(words.join(" ") + "\n");
    };

    // 1. Is a record legal, how long is it, and how did it end?
    let verdict = verify(record);
    let result = open(record)?.result().unwrap_or_default();
    say(&[&verdict.ruling.word(), &verdict.entries, &result]);

    // 2. What is wrong with a refused one, and where?
    let verdict = verify(refused);
    let fault = verdict.errors.first().ok_or("it is not refused")?;
    let place = LineIndex::new(refused).place(fault.span.start as usize);
    say(&[&fault.entry.unwrap_or(0), &place.line, &place.column, &fault.rule.unwrap_or_default()]);

    // 3. Which game is it, and whose entry is due?
    let game = open(long)?;
    say(&[&game.id(), &game.due().unwrap_or_default(), &game.entries().count()]);

    // 4. What may be entered?
    let moves = game.moves();
    say(&[&moves.len(), &moves[0]]);

    // 5. How did it stand after an earlier entry?
    let earlier = open_at(long, 1)?.ok_or("there is no such entry")?;
    say(&[&earlier.due().unwrap_or_default(), &earlier.standing().entries, &earlier.moves().len()]);

    // 6. Is an entry legal, and how is it written?
    let judged = earlier.judge("C4-C5", &Beside::default())?;
    let sides = earlier.game().sides;
    say(&[&judged.number, &sides[judged.side.index()].word, &judged.line]);

    // 7. Which rule does another one break, and what in it is wrong?
    let typed = " b4-b3";
    if let Err(stop) = earlier.judge(typed, &Beside::default()) {
        let fault = stop.diagnostic();
        say(&[&fault.rule.unwrap_or_default(), &fault.span.text(typed)]);
    }

    // 8. What is the record with the entry?
    let beside = Beside { time: Time::read(b"2026-10-22T08:00:00Z"), message: Some("hello") };
    let longer = String::from_utf8(earlier.append(&earlier.judge("c4-c5", &beside)?)?)?;
    say(&[&longer.lines().last().unwrap_or_default()]);

    // 9. What may follow the beginning of a turn, at an earlier entry?
    let first = open_at(record, 0)?.ok_or("there is no such entry")?;
    say(&[&first.next("")?.actions[0], &first.moves()[0]]);

    // 10. What does the position look like in words, and what does a rule say?
    say(&[&earlier.words(Viewer::Public).lines().next().unwrap_or_default()]);
    let text = rule("asalto", "T21").unwrap_or_default();
    say(&[&text.lines().next().unwrap_or_default()]);

    Ok(said)
}
