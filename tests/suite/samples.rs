//! Whole records with their expected verdicts: legal ones with every position, refused ones with the rule, perft
//! counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::positions::replayed;
use postrider_kernel::text::LineIndex;
use postrider_kernel::{Options, Side};
use postrider_referee::judging::{Clocks, left_at};
use postrider_referee::record::{Clock, Item, Refill, Time};
use postrider_referee::registry;
use postrider_referee::registry::GAMES;
use postrider_referee::sealing::begin;
use postrider_referee::verdict::{Opened, Ruling, Verdict, format, verify, verify_newest};
use serde_json::Value;

fn data(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(part)
}

/// The folders of the games that have samples.
fn games() -> Vec<PathBuf> {
    let folders: Vec<_> = GAMES.iter().map(|game| data(game.info().name)).filter(|folder| folder.is_dir()).collect();
    assert!(!folders.is_empty());
    folders
}

fn records(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut list: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pbem"))
        .collect();
    list.sort();
    list
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a readable file")).expect("JSON")
}

fn line_of(source: &[u8], verdict: &Verdict, nth: usize) -> usize {
    LineIndex::new(source).place(verdict.errors[nth].span.start as usize).line
}

fn check_rule(path: &Path, verdict: &Verdict, expected: &Value) {
    let found = verdict.errors[0].rule.expect("a rule");
    let named = expected["rule"] == found
        || expected["also"].as_array().is_some_and(|also| also.iter().any(|rule| rule == found));
    assert!(named, "{}: {found}, expected {expected}: {}", path.display(), verdict.errors[0].message);
    assert_eq!(
        u64::from(verdict.errors[0].entry.unwrap_or(0)),
        expected["entry"].as_u64().unwrap_or(0),
        "{}",
        path.display()
    );
}

#[test]
fn legal_records_are_legal_and_pass_through_the_expected_positions() {
    for game in games() {
        for path in records(&game.join("legal")) {
            let source = fs::read(&path).expect("a record");
            let verdict = verify(&source);
            assert_eq!(verdict.ruling, Ruling::Legal, "{}: {:?}", path.display(), verdict.errors);
            let (_, positions) = replayed(&source);
            let expected = fs::read_to_string(path.with_extension("positions")).expect("positions");
            assert_eq!(positions.trim_end(), expected.trim_end(), "{}", path.display());
        }
    }
}

#[test]
fn the_canonical_form_is_reached_at_once_and_keeps_the_game() {
    for game in games() {
        for path in records(&game.join("legal")) {
            let source = fs::read(&path).expect("a record");
            let canonical = format(&source).expect("a legal record");
            assert_eq!(format(&canonical).expect("a legal record"), canonical, "{}: idempotent", path.display());
            let (before, after) = (verify(&source), verify(&canonical));
            assert_eq!((before.entries, before.outcome), (after.entries, after.outcome), "{}", path.display());
            let text = String::from_utf8(source).expect("UTF-8");
            let canonical = String::from_utf8(canonical).expect("UTF-8");
            // These records are already canonical, except for the order of pieces in some positions and the result line
            // that some of the finished ones lack.
            let without_setup =
                |text: &str| text.lines().filter(|line| !line.starts_with("setup:")).collect::<Vec<_>>().join("\n");
            let (before, after) = (without_setup(&text), without_setup(&canonical));
            assert!(after.starts_with(before.trim_end()), "{}", path.display());
        }
    }
}

#[test]
fn shorthands_are_written_out() {
    let mut seen = 0;
    for path in games().iter().flat_map(|game| records(&game.join("shorthand"))) {
        let Some(name) =
            path.to_str().and_then(|name| name.strip_suffix(".pbem")).filter(|name| !name.ends_with(".canonical"))
        else {
            continue;
        };
        let canonical = PathBuf::from(format!("{name}.canonical.pbem"));
        let legal = path.with_file_name("..").join("legal").join(path.file_name().expect("a name"));
        let expected = fs::read(if canonical.exists() { canonical } else { legal }).expect("the canonical form");
        let written = format(&fs::read(&path).expect("a record")).expect("a legal record");
        // The formatter adds the result line that some finished records lack.
        let (written, expected) = (String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected));
        let added = written.strip_prefix(expected.as_ref());
        assert!(added.is_some_and(|added| added.is_empty() || added.starts_with("= ")), "{}", path.display());
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn illegal_records_are_refused_at_the_entry_with_the_rule() {
    for game in games() {
        let folder = game.join("illegal");
        for (name, expected) in json(&folder.join("expect.json")).as_object().expect("an object") {
            let path = folder.join(name);
            let verdict = verify(&fs::read(&path).expect("a record"));
            assert_eq!(verdict.ruling, Ruling::Illegal, "{}: {:?}", path.display(), verdict.errors);
            check_rule(&path, &verdict, expected);
            assert!(format(&fs::read(&path).expect("a record")).is_err(), "{}", path.display());
        }
    }
}

#[test]
fn malformed_records_are_refused_at_the_line() {
    for game in games() {
        let folder = game.join("malformed");
        if !folder.is_dir() {
            continue;
        }
        for (name, expected) in json(&folder.join("expect.json")).as_object().expect("an object") {
            let source = fs::read(folder.join(name)).expect("a record");
            let verdict = verify(&source);
            assert_eq!(verdict.ruling, Ruling::Malformed, "{name}: {:?}", verdict.errors);
            // If a list as a whole is at fault, no line is expected.
            let line = line_of(&source, &verdict, 0);
            assert!(expected.get("line").is_none_or(|expected| *expected == line), "{name}: {:?}", verdict.errors);
        }
    }
}

#[test]
fn envelopes_have_the_expected_verdicts() {
    let folder = data("envelope/cases");
    for (name, expected) in json(&folder.join("expect.json")).as_object().expect("an object") {
        let path = folder.join(name);
        let source = fs::read(&path).expect("a record");
        let verdict = verify(&source);
        assert_eq!(expected["verdict"], verdict.ruling.word(), "{name}: {:?}", verdict.errors);
        match verdict.ruling {
            Ruling::Legal => {
                let sides = &verdict.game.expect("a game").sides;
                let state = verdict.outcome.map_or("running".into(), |outcome| outcome.text(sides));
                assert_eq!(expected["state"], state, "{name}");
            }
            Ruling::Illegal => {
                check_rule(&path, &verdict, expected);
                assert_eq!(expected["line"], line_of(&source, &verdict, 0), "{name}");
            }
            _ => {
                let lines: Vec<_> = (0..verdict.errors.len()).map(|nth| line_of(&source, &verdict, nth)).collect();
                let expected_lines = match expected["lines"].as_array() {
                    Some(lines) => lines.clone(),
                    None => vec![expected["line"].clone()],
                };
                assert_eq!(Value::from(lines), Value::from(expected_lines), "{name}: {:?}", verdict.errors);
                assert_eq!(expected["entry"].as_u64(), verdict.errors[0].entry.map(u64::from), "{name}");
            }
        }
    }
}

#[test]
fn z32_signed_records_and_their_forgeries_have_the_expected_verdicts() {
    let folder = data("envelope/signed");
    let expectations = json(&folder.join("expect.json"));
    for path in records(&folder) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let expected = &expectations[name];
        let source = fs::read(&path).expect("a record");
        let (verdict, newest) = (verify(&source), verify_newest(&source));
        assert_eq!(expected["verdict"], verdict.ruling.word(), "{name}: {:?}", verdict.errors);
        match verdict.ruling {
            Ruling::Legal => {
                let sides = &verdict.game.expect("a game").sides;
                let state = verdict.outcome.map_or("running".into(), |outcome| outcome.text(sides));
                assert!(expected["state"].is_null() || expected["state"] == state, "{name}");
                assert_eq!(newest.ruling, Ruling::Legal, "{name}: {:?}", newest.errors);
                // What is hashed is canonical, so the formatter leaves all signatures valid.
                assert_eq!(verify(&format(&source).expect("a legal record")).ruling, Ruling::Legal, "{name}");
            }
            _ => check_rule(&path, &verdict, expected),
        }
        // The newest signatures prove everything except each other (Z34).
        let unproven = ["signatures-swapped", "signature-not-canonical", "weak-key", "another-key", "key-replaced"];
        if verdict.ruling == Ruling::Illegal && newest.ruling == Ruling::Legal {
            assert!(unproven.iter().any(|forgery| name.contains(forgery)), "{name}: {:?}", verdict.errors);
        }
    }
}

#[test]
fn z30_the_chain_runs_over_header_and_entries() {
    let folder = data("envelope/signed");
    for (name, links) in json(&folder.join("chain.json")).as_object().expect("an object") {
        let source = fs::read_to_string(folder.join(name)).expect("a record");
        let opened = Opened::new(source.as_bytes()).expect("a record that opens");
        let mut link = begin(opened.frame.header.text(opened.text));
        let mut digests = vec![link.digest()];
        let mut body = opened.body();
        while let Some(item) = body.next_item() {
            if let Item::Entry(entry) = item {
                // These entries are canonical, so their lines are what is hashed.
                link = link.then(entry.span.text(opened.text));
                digests.push(link.digest());
            }
        }
        let found: Vec<_> = digests.iter().map(|digest| data_encoding::HEXLOWER.encode(digest)).collect();
        let expected: Vec<_> =
            links.as_array().expect("a list").iter().map(|row| row["h"].as_str().expect("a digest")).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_refused_entry_of_several_actions_leaves_the_game_as_it_stood() {
    let mut refused = BTreeMap::new();
    for game in games() {
        for path in records(&game.join("legal")).into_iter().chain(records(&game.join("sealed"))) {
            let text = fs::read_to_string(&path).expect("a readable file");
            let has_several = |line: &&str| {
                line.starts_with(|first: char| first.is_ascii_digit())
                    && line.contains("; ")
                    && !line.contains(['@', '?'])
            };
            let Some(line) = text.lines().rfind(has_several) else { continue };
            let start = text.find(&format!("\n{line}\n")).expect("it stands there") + 1;
            // All of its actions are legal, and the first of them is not once more.
            let first = line.splitn(3, ' ').nth(2).and_then(|actions| actions.split("; ").next()).expect("an action");
            let longer = format!("{}{line}; {first}\n", &text[..start]);
            let [before, after] = [&text[..start], &longer].map(|record| {
                let mut opened = Opened::new(record.as_bytes()).unwrap_or_else(|_| panic!("{}", path.display()));
                let verdict = opened.replay(u32::MAX);
                (verdict.ruling, verdict.entries, opened.table.position(), opened.table.moves())
            });
            if after.0 == Ruling::Illegal {
                assert_eq!((before.1, before.2, before.3), (after.1, after.2, after.3), "{}", path.display());
                *refused.entry(game.clone()).or_insert(0) += 1;
            }
        }
    }
    assert!(refused.values().filter(|count| **count > 10).count() >= 2, "{refused:?}");
}

#[test]
fn perft_counts_agree() {
    for game in games() {
        let name = game.file_name().and_then(|name| name.to_str()).expect("a name");
        let game_of = registry::find(name).expect("a game");
        for row in json(&game.join("perft.json")).as_array().expect("a list") {
            let mut options = Options::default();
            for (name, value) in row["options"].as_object().into_iter().flatten() {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                options.choose(game_of.info().options, name, &value).expect("an option");
            }
            let position = row["position"].as_str().filter(|text| !matches!(*text, "" | "start"));
            let mut table = game_of.table(&options, position).expect("a position");
            // Large counts with a coarser grain are left to the game's own tests.
            let mut most = 2_000_000;
            if let Some(grain) = row["grain"].as_u64() {
                assert!(table.set_grain(u32::try_from(grain).expect("a small grain")), "{name}: {row}");
                most = if grain == 1 { most } else { 20_000 };
            }
            let depth = u32::try_from(row["depth"].as_u64().expect("a depth")).expect("a small depth");
            let nodes = row["nodes"].as_u64().expect("a count");
            if nodes <= most {
                assert_eq!(table.perft(depth), nodes, "{name}: {row}");
                let divided: u64 = table.divide(depth).iter().map(|(_, nodes)| nodes).sum();
                assert_eq!(divided, nodes, "{name}: {row}");
            }
        }
    }
}

#[test]
fn clocks_run_as_the_rules_say() {
    let clocks_json = json(&data("envelope/clocks.json"));
    let side = |word: &Value| if word == "besiegers" { Side::First } else { Side::Second };
    let time = |text: &Value| Time::read(text.as_str().expect("a time").as_bytes()).expect("a time");
    let play = |case: &Value| {
        let mut clocks = Clocks::new(Clock::read(case["clock"].as_str().expect("a clock")).expect("a clock"));
        let mut fault = None;
        for entry in case["entries"].as_array().expect("entries") {
            let (whose, when, days) = (side(&entry["side"]), time(&entry["time"]), entry["leave"].as_u64());
            fault = days.and_then(|days| clocks.check_leave(whose, when, days).err());
            clocks.enter(whose, when, days);
        }
        (clocks, fault)
    };
    for case in clocks_json["vectors"].as_array().expect("vectors") {
        let (clocks, fault) = play(case);
        assert_eq!(fault, None, "{case}");
        let (due, now) = (side(&case["due"]), time(&case["at"]));
        for (word, which) in [("besiegers", Side::First), ("defenders", Side::Second)] {
            assert_eq!(case["left"][word], left_at(&clocks, due, which, now), "{case}");
        }
        assert_eq!(case["run_out"], clocks.run_out(due, now), "{case}");
    }
    for case in clocks_json["illegal_leaves"].as_array().expect("leaves") {
        assert!(play(case).1.is_some(), "{case}");
    }
    for case in clocks_json["texts"].as_array().expect("texts") {
        let expected = &case["seconds"];
        match Clock::read(case["clock"].as_str().expect("a text")) {
            Err(_) => assert!(expected.is_null(), "{case}"),
            Ok(clock) => {
                let (per, gain) = match clock.refill {
                    Refill::Each => (None, None),
                    Refill::Every(per) => (Some(per), None),
                    Refill::Gain(gain) => (None, Some(gain)),
                };
                let found: BTreeMap<&str, Value> = BTreeMap::from([
                    ("grant", clock.grant.into()),
                    ("per", per.into()),
                    ("gain", gain.into()),
                    ("leave", clock.leave.into()),
                ]);
                assert_eq!(serde_json::to_value(found).expect("JSON"), *expected, "{case}");
            }
        }
    }
}
