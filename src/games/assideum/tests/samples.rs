//! Whole games: entry lines replayed against the positions and refusals that belong to them.

use super::*;
use std::fs;

struct Sample {
    game: Assideum,
    entries: Vec<String>,
    result: Option<String>,
}

fn sample(path: &std::path::Path) -> Sample {
    sample_of(&fs::read_to_string(path).expect("a record"))
}

fn sample_of(text: &str) -> Sample {
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
    let game = Assideum::start(&options(&list), setup).expect("a start");
    let lines = body.lines().filter(|line| !line.starts_with('=') && !line.is_empty());
    let entries = lines.map(|line| line.splitn(3, ' ').nth(2).expect("an entry").to_owned()).collect();
    let result = body.lines().find_map(|line| line.strip_prefix("= ")).map(str::to_owned);
    Sample { game, entries, result }
}

fn files(folder: &str, ending: &str) -> Vec<std::path::PathBuf> {
    let folder = format!("{}/tests/data/assideum/{folder}", env!("CARGO_MANIFEST_DIR"));
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut list: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    list.sort();
    assert!(!list.is_empty());
    list
}

/// Plays an entry of the game's own; of the envelope's, only the claims that the game judges.
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
fn legal_samples_replay_to_their_positions_and_results() {
    for path in files("legal", ".pbem") {
        let Sample { mut game, entries, result } = sample(&path);
        let positions = fs::read_to_string(path.with_extension("positions")).expect("positions");
        let mut positions = positions.lines();
        let mut outcome = game.outcome();
        for (nth, entry) in entries.iter().enumerate() {
            outcome = play(&mut game, entry).unwrap_or_else(|illegal| panic!("{path:?} {entry}: {illegal:?}"));
            let expected = positions.next().and_then(|line| line.split_once('\t')).expect("a position");
            assert_eq!((format!("{}", nth + 1).as_str(), game.position().as_str()), expected, "{path:?} {entry}");
        }
        let by_the_game = result.as_deref().is_none_or(|text| !text.ends_with("agreed") && !text.ends_with("resigned"));
        if by_the_game {
            assert_eq!(outcome.map(|outcome| outcome.text(&INFO.sides)), result, "{path:?}");
        }
    }
}

#[test]
fn illegal_samples_break_where_they_should() {
    let table = include_str!("../../../../tests/data/assideum/illegal/expect.json");
    let table: serde_json::Value = serde_json::from_str(table).expect("a table");
    let mut judged = 0;
    for path in files("illegal", ".pbem") {
        let expected = &table[path.file_name().and_then(|name| name.to_str()).expect("a name")];
        let rule = expected["rule"].as_str().expect("a rule");
        if rule.starts_with('E') {
            continue;
        }
        judged += 1;
        let Sample { mut game, entries, .. } = sample(&path);
        let fault = entries.iter().enumerate().find_map(|(nth, entry)| {
            let before = game.clone();
            let fault = play(&mut game, entry).err()?;
            assert_eq!(game, before, "a refused entry changes nothing");
            Some((nth as u64 + 1, fault))
        });
        let (entry, illegal) = fault.unwrap_or_else(|| panic!("{path:?} is not refused"));
        assert_eq!(Some(entry), expected["entry"].as_u64(), "{path:?}");
        assert_eq!(illegal.rule.code, rule, "{path:?}: {illegal:?}");
        println!("{rule} {}: {} / {:?}", entries[entry as usize - 1], illegal.message, illegal.help);
    }
    assert!(judged > 15);
}

#[test]
fn shorthands_are_written_out() {
    for path in files("shorthand", ".canonical.pbem") {
        let short = path.to_string_lossy().replace(".canonical", "");
        let (short, full) = (sample(short.as_ref()), sample(&path));
        let mut game = short.game;
        assert_eq!(short.entries.len(), full.entries.len());
        for (text, full) in short.entries.iter().zip(&full.entries) {
            let canonical: Vec<_> = game.canonical(&[read(text)]).iter().map(write).collect();
            assert_eq!(canonical.join("; "), *full);
            game = after(&game, text);
        }
    }
}

#[test]
fn the_rulebooks_games_replay_to_their_results() {
    let records = super::tables::fences("pbem");
    assert!(records.len() > 2);
    for text in records {
        let Sample { mut game, entries, result } = sample_of(&text);
        let mut outcome = game.outcome();
        for entry in &entries {
            outcome = play(&mut game, entry).unwrap_or_else(|illegal| panic!("{entry}: {illegal:?}"));
        }
        assert_eq!(outcome.map(|outcome| outcome.text(&INFO.sides)), result);
    }
}

#[test]
fn the_rulebooks_refused_games_are_refused_where_they_say() {
    for text in super::tables::fences("pbem-refused") {
        let (expected, text) = text.split_once('\n').expect("a line of what to expect");
        let Sample { mut game, entries, .. } = sample_of(text);
        let fault = (1..).zip(&entries).find_map(|(nth, entry)| Some((nth, play(&mut game, entry).err()?)));
        let (entry, illegal) = fault.expect("a refusal");
        assert_eq!(expected, format!("# expect: entry {entry} {}", illegal.rule.code));
    }
}
