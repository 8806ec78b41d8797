//! The account of the clocks, compared with judging: what `postrider clock` reports for each entry adds up to what the
//! referee uses.
#![cfg(unix)]

use std::sync::OnceLock;

use crate::session::Session;
use postrider_kernel::Side;
use postrider_referee::desk::clock::{Charged, account};
use postrider_referee::record::{Clock, Time};
use postrider_referee::verdict::{Opened, Ruling, verify};
use proptest::prelude::*;
use serde_json::Value;

const START: i64 = 1_795_000_000;

fn header(clock: &str) -> String {
    format!(
        "---\npbem: 1\ngame: asalto\nid: asalto-clocks\nplayers:\n  besiegers: {{name: Ada, email: ada@example.org}}\n  \
         defenders: {{name: Bram, email: bram@example.net}}\nstarted: 2026-11-21\nclock: {clock}\noptions: {{huff: claim}}\n---\n"
    )
}

/// The actions of a game of Asalto that goes on for ever, the defenders' first.
fn game() -> &'static [String] {
    static GAME: OnceLock<Vec<String>> = OnceLock::new();
    GAME.get_or_init(|| {
        let mut record = header("5d").replace("clock: 5d\n", "");
        let mut game = vec!["place c7 e7".to_owned()];
        record.push_str("1 defenders place c7 e7\n");
        // The besiegers approach one by one; the defenders step back and forth, and no one captures.
        while game.len() < 24 {
            let mut opened = Opened::new(record.as_bytes()).expect("a record");
            opened.replay(u32::MAX);
            let number = game.len() + 1;
            let next = opened.table.moves().into_iter().find_map(|entry| {
                let word = if number % 2 == 0 { "besiegers" } else { "defenders" };
                let longer = format!("{record}{number} {word} {entry}\n");
                (verify(longer.as_bytes()).due.is_some()).then_some((entry, longer))
            });
            let (entry, longer) = next.expect("a game that goes on");
            record = longer;
            game.push(entry);
        }
        game
    })
}

/// The record of the first entries of the game, with these times, and leaves in days.
fn record(clock: &str, entries: &[(i64, Option<u64>)]) -> String {
    let mut record = header(clock);
    for (index, ((time, leave), actions)) in entries.iter().zip(game()).enumerate() {
        let word = if index % 2 == 0 { "defenders" } else { "besiegers" };
        let leave = leave.map(|days| format!("; leave {days}d")).unwrap_or_default();
        record.push_str(&format!("{} {word} {actions}{leave} @{}\n", index + 1, Time(*time)));
    }
    record
}

/// The time that a side has left according to the account, after these charges.
fn added_up(clock: &str, charges: &[Charged], side: Side) -> i64 {
    let grant = Clock::read(clock).expect("a clock").grant;
    charges.iter().filter(|charged| charged.charge.side == side).fold(grant, |left, charged| {
        let forgiven = if charged.is_claim() { 0 } else { charged.charge.over() };
        left - charged.charge.used + forgiven + charged.charge.added
    })
}

const CLOCKS: [&str; 6] = ["5d", "12h leave 30d", "10d/2 leave 9d", "50d/10", "30d+1d leave 4d", "2d+12h"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_charges_add_up_to_what_the_judging_says_at_every_entry(
        clock in prop::sample::select(&CLOCKS[..]),
        gaps in prop::collection::vec((0_i64..1_500_000, prop::option::weighted(0.2, 1_u64..5)), 1..24),
        claims in any::<bool>(),
    ) {
        let mut time = START;
        let mut entries = Vec::new();
        for (gap, leave) in gaps {
            time += gap;
            entries.push((time, leave));
            // A leave that may not be taken is left out.
            if verify(record(clock, &entries).as_bytes()).ruling != Ruling::Legal {
                entries.pop();
                entries.push((time, None));
            }
        }
        let mut text = record(clock, &entries);
        if claims {
            let word = if entries.len().is_multiple_of(2) { "besiegers" } else { "defenders" };
            text.push_str(&format!("{} {word} claim time @{}\n", entries.len() + 1, Time(time + 10_000_000)));
        }
        prop_assert_eq!(verify(text.as_bytes()).ruling, Ruling::Legal, "{}", text);
        let charges = account(text.as_bytes()).expect("a record");
        prop_assert_eq!(charges.len(), entries.len() + usize::from(claims));
        for count in 0..=charges.len() {
            let mut opened = Opened::new(text.as_bytes()).expect("a record");
            opened.replay(u32::try_from(count).expect("few"));
            let clocks = opened.table.standing().clocks.expect("a clock");
            for side in Side::BOTH {
                prop_assert_eq!(clocks.left(side), added_up(clock, &charges[..count], side), "{} {:?}\n{}", count, side, text);
            }
        }
        for pair in charges.windows(2) {
            let charge = pair[1].charge;
            // Each second between two entries is either used or stopped.
            prop_assert_eq!(charge.since, Some(pair[0].charge.until));
            prop_assert_eq!(charge.used + charge.still, charge.until.0 - pair[0].charge.until.0);
        }
        prop_assert_eq!((charges[0].charge.used, charges[0].charge.since), (0, None));
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn samples() -> Value {
    json(include_str!("../data/envelope/clocks.json"))
}

fn entries_of(case: &Value) -> Option<Vec<(i64, Option<u64>)>> {
    let entries = case["entries"].as_array().expect("entries");
    // In Asalto the sides alternate, the defenders first.
    let fits = |(index, entry): (usize, &Value)| entry["side"] == ["defenders", "besiegers"][index % 2];
    let takes_turns = entries.iter().enumerate().all(fits)
        && case["due"].as_str().is_none_or(|due| due == ["defenders", "besiegers"][entries.len() % 2]);
    let time = |entry: &Value| Time::read(entry["time"].as_str().expect("a time").as_bytes()).expect("a time").0;
    takes_turns.then(|| entries.iter().map(|entry| (time(entry), entry["leave"].as_u64())).collect())
}

#[test]
fn clock_as_json_agrees_with_the_samples() {
    let session = Session::new();
    let samples = samples();
    let mut left_out = Vec::new();
    for case in samples["vectors"].as_array().expect("vectors") {
        let Some(entries) = entries_of(case) else {
            left_out.push(case["name"].as_str().expect("a name"));
            continue;
        };
        session.write("game.pbem", record(case["clock"].as_str().expect("a clock"), &entries));
        let mut command = session.command(&["clock", "--json", "game.pbem"]);
        let output = command.env("POSTRIDER_NOW", case["at"].as_str().expect("a time")).output().expect("the program");
        let report = json(&String::from_utf8(output.stdout).expect("UTF-8"));
        assert_eq!(report["left"], case["left"], "{case}\n{report}");
        assert_eq!(report["running"]["run_out"], case["run_out"], "{case}");
        assert_eq!(report["running"]["claim_time"], case["claim_time"], "{case}");
        assert_eq!(report["due"], case["due"], "{case}");
    }
    // None of these games lets a side make two consecutive entries; tests/suite/samples.rs counts such cases without a
    // game.
    assert_eq!(left_out, ["5d: two entries running, the second runs", "leave while two entries run"]);
}

#[test]
fn e11_a_refusal_of_leave_says_what_leave_may_be_taken() {
    let session = Session::new();
    let refuse = |clock: &str, entries: &[(i64, Option<u64>)], days: u64| {
        let (before, last) = entries.split_at(entries.len() - 1);
        session.write("game.pbem", record(clock, before));
        let actions = format!("{}; leave {days}d", game()[before.len()]);
        session.run(&["move", "game.pbem", &actions, "--at", &Time(last[0].0).to_string()]).fails(1)
    };
    for case in samples()["illegal_leaves"].as_array().expect("leaves") {
        let entries = entries_of(case).expect("turns");
        let days = entries.last().expect("an entry").1.expect("leave");
        let said = refuse(case["clock"].as_str().expect("a clock"), &entries, days);
        assert!(said.contains("E11"), "{case}: {said}");
    }
    let day = 86_400;
    let taken = [(START, Some(3)), (START + day, None), (START + 2 * day, Some(1))];
    let overlaps = refuse("5d leave 30d", &taken, 1);
    assert!(overlaps.contains(&format!("it ends at {}", Time(START + 3 * day))), "{overlaps}");
    let late = [(START, Some(3)), (START + day, None), (START + 9 * day, Some(1))];
    let too_long = refuse("5d leave 5d", &late, 3);
    assert!(too_long.contains("still grants 2 days of leave") && too_long.contains("`leave 2d` at most"), "{too_long}");
    assert!(refuse("5d leave 3d", &late, 1).contains("no leave is left"));
    assert!(refuse("5d", &late[..1], 1).contains("grants no leave"));
    session.write("game.pbem", record("5d leave 30d", &[]));
    let alone = session.run(&["move", "game.pbem", "leave 7d; place c7 e7"]).fails(1);
    assert!(alone.contains("E11") && alone.contains("then `; leave 7d`"), "{alone}");
    session.run(&["move", "game.pbem", "place c7 e7; leave 7d"]).ok();
    assert!(session.read("game.pbem").ends_with("1 defenders place c7 e7; leave 7d @2026-11-21T12:00:00Z\n"));
    let told = session.run(&["clock", "game.pbem"]).ok();
    assert!(told.contains("takes leave of 7 days, until 2026-11-28T12:00:00Z"), "{told}");
    assert!(told.contains("leave      defenders 7d taken of 30d, the last until 2026-11-28T12:00:00Z"), "{told}");
}

/// The name of a time zone, or its rule if the system has no time zone database.
fn zone(name: &'static str, rule: &'static str) -> &'static str {
    if std::path::Path::new("/usr/share/zoneinfo").join(name).exists() { name } else { rule }
}

fn in_zone(session: &Session, zone: &str, now: &str, args: &[&str]) -> String {
    let mut command = session.command(args);
    let output = command.env("TZ", zone).env("POSTRIDER_NOW", now).output().expect("the program");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn clocks_count_days_of_24_hours_where_summer_time_begins_and_ends() {
    let berlin = zone("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3");
    let new_york = zone("America/New_York", "EST5EDT,M3.2.0,M11.1.0");
    let chicago = zone("America/Chicago", "CST6CDT,M3.2.0,M11.1.0");
    let session = Session::new();
    for (start, now, local) in [
        // Between noon and noon by the wall clock there are 25 hours in October and 23 in March.
        ("2026-10-24T10:00:00Z", "2026-10-25T09:00:00Z", [berlin, "Sun 25 Oct 11:00 +01:00", "1 hour left"]),
        ("2027-03-27T11:00:00Z", "2027-03-28T09:00:00Z", [berlin, "Sun 28 Mar 13:00 +02:00", "2 hours left"]),
        ("2026-10-31T16:00:00Z", "2026-11-01T15:59:59Z", [new_york, "Sun 01 Nov 11:00 -05:00", "1 second left"]),
        ("2027-03-13T18:00:00Z", "2027-03-14T18:00:00Z", [chicago, "Sun 14 Mar 13:00 -05:00", "0 seconds left"]),
        ("2026-10-24T10:00:00Z", "2026-10-25T09:00:00Z", ["UTC", "Sun 25 Oct 10:00 +00:00", "1 hour left"]),
        // The hour that occurs twice is distinguished by its offset.
        ("2026-10-24T00:30:00Z", "2026-10-24T00:30:00Z", [berlin, "Sun 25 Oct 02:30 +02:00", "1 day left"]),
        ("2026-10-24T01:30:00Z", "2026-10-24T01:30:00Z", [berlin, "Sun 25 Oct 02:30 +01:00", "1 day left"]),
    ] {
        let start = Time::read(start.as_bytes()).expect("a time").0;
        session.write("game.pbem", record("1d", &[(start, None)]));
        let [zone, here, left] = local;
        let until = Time(start + 86_400);
        let expected = format!("besiegers  {left}, until {until} ({here} here)\n");
        for command in ["clock", "show", "status"] {
            let told = in_zone(&session, zone, now, &[command, "game.pbem"]);
            let expected = expected.trim_start_matches("besiegers").trim();
            assert!(told.contains(expected), "{command} {zone}: {told}");
        }
    }
}

#[test]
fn clock_output_for_programs_is_the_same_in_every_time_zone() {
    let session = Session::new();
    let entries = [(START, None), (START + 86_400 * 3, Some(2)), (START + 86_400 * 4, None)];
    session.write("game.pbem", record("30d+1d leave 4d", &entries));
    for args in [["clock", "--json", "game.pbem"], ["status", "--json", "game.pbem"], ["verify", "--json", "game.pbem"]]
    {
        let told = ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "nonsense"]
            .map(|zone| in_zone(&session, zone, "2026-11-30T00:00:00Z", &args));
        assert!(told.iter().all(|other| *other == told[0]), "{told:?}");
        assert!(!told[0].is_empty());
    }
}

#[test]
fn clock_tells_where_time_ran_out_and_was_not_claimed() {
    let session = Session::new();
    let day = 86_400;
    let entries = [(START, None), (START + 6 * day, None), (START + 7 * day, Some(4)), (START + 8 * day, None)];
    let mut text = record("5d leave 10d", &entries);
    session.write("game.pbem", &text);
    let now = Time(START + 9 * day).to_string();
    let mut told = in_zone(&session, "UTC", &now, &["clock", "game.pbem"]);
    told.push_str(&in_zone(&session, "UTC", &Time(START + 30 * day).to_string(), &["clock", "game.pbem"]));
    text.push_str(&format!("5 besiegers claim time @{}\n", Time(START + 30 * day)));
    session.write("game.pbem", &text);
    told.push_str(&in_zone(&session, "UTC", &now, &["clock", "game.pbem"]));
    session.write("game.pbem", header("5d").replace("clock: 5d\n", ""));
    told.push_str(&in_zone(&session, "UTC", &now, &["clock", "game.pbem"]));
    insta::assert_snapshot!("clock", told);
}

#[test]
fn a_clock_that_outlasts_the_calendar_is_still_shown() {
    let session = Session::new();
    let span = "99999999999999999999d";
    session.write("game.pbem", record(&format!("{span}+{span} leave {span}"), &[(START, Some(9)), (START + 60, None)]));
    for command in ["clock", "show", "status"] {
        let told = in_zone(&session, "America/New_York", "2026-11-21T12:00:00Z", &[command, "game.pbem"]);
        assert!(told.contains("until a day beyond the calendar"), "{command}: {told}");
    }
}

#[test]
fn clock_accounts_for_the_entries_before_a_refused_one() {
    let session = Session::new();
    let text = record("5d", &[(START, None), (START + 60, None)]);
    session.write("game.pbem", format!("{text}3 defenders resign; resign @{}\n", Time(START + 120)));
    let done = session.run(&["clock", "game.pbem"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("\n2      besiegers  ") && !done.out.contains("\n3      "), "{}", done.out);
    assert!(done.err.contains("E6"), "{}", done.err);
}

#[test]
fn the_account_in_the_rulebook_is_what_the_program_prints() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/notation/record.md")).expect("the rulebook");
    let (before, after) = text.split_once("```clock\n").expect("an account");
    let record = before.rsplit_once("```pbem\n").and_then(|(_, block)| block.split_once("```")).expect("a record").0;
    let session = Session::new();
    session.write("game.pbem", record);
    let told = in_zone(&session, "UTC", "2026-11-20T12:00:00Z", &["clock", "game.pbem"]);
    assert_eq!(after.split_once("```").expect("an end").0, told);
}
