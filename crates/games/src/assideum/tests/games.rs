//! The complete games in the rulebook.

use super::*;

/// A record, split up in a simple way.
struct Sample {
    game: Assideum,
    entries: Vec<String>,
    result: Option<String>,
}

fn sample(text: &str) -> Sample {
    let mut parts = text.splitn(3, "---\n").skip(1);
    let (header, body) = (parts.next().expect("a header"), parts.next().expect("entries"));
    let mut setup = None;
    let mut list = Vec::new();
    for line in header.lines() {
        if let Some(value) = line.strip_prefix("setup: ") {
            setup = Some(value.trim_matches('"'));
        } else if let Some(value) = line.strip_prefix("options: ") {
            for pair in value.trim_matches(['{', '}']).split(", ") {
                list.push(pair.split_once(": ").expect("an option"));
            }
        }
    }
    let game = Assideum::start(&Start::open(&options(&list), setup)).expect("a start");
    let lines = body.lines().filter(|line| !line.starts_with('=') && !line.is_empty());
    let entries = lines.map(|line| line.splitn(3, ' ').nth(2).expect("an entry").to_owned()).collect();
    let result = body.lines().find_map(|line| line.strip_prefix("= ")).map(str::to_owned);
    Sample { game, entries, result }
}

/// Plays an entry of the game; of the envelope's actions, only the claims that the game judges.
fn play(game: &mut Assideum, entry: &str) -> Result<Option<Outcome>, Illegal> {
    match entry {
        "claim repetition" => game.claim(Claim::Repetition).map(Some),
        "claim quiet" => game.claim(Claim::Quiet).map(Some),
        _ if entry.starts_with("draw!") || entry == "resign" || entry.starts_with("claim") => Ok(None),
        _ => {
            let actions: Vec<_> = entry.split("; ").filter(|action| *action != "draw?").map(read).collect();
            game.play(&actions).map(|_| game.outcome())
        }
    }
}

#[test]
fn the_rulebooks_games_replay_to_their_results() {
    let records = super::tables::fences("pbem");
    assert!(records.len() > 2);
    for text in records {
        let Sample { mut game, entries, result } = sample(&text);
        let mut outcome = game.outcome();
        for entry in &entries {
            outcome = play(&mut game, entry).unwrap_or_else(|illegal| panic!("{entry}: {illegal:?}"));
        }
        assert_eq!(outcome.map(|outcome| outcome.text(&INFO.sides)), result);
    }
}

#[test]
fn the_rulebooks_refused_games_are_refused_at_the_stated_entry() {
    for text in super::tables::fences("pbem-refused") {
        let (expected, text) = text.split_once('\n').expect("a line of what to expect");
        let Sample { mut game, entries, .. } = sample(text);
        let fault = (1..).zip(&entries).find_map(|(nth, entry)| Some((nth, play(&mut game, entry).err()?)));
        let (entry, illegal) = fault.expect("a refusal");
        assert_eq!(expected, format!("# expect: entry {entry} {}", illegal.rule.code));
    }
}
