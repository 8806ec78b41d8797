//! The envelope's rules by number, E1 to E13, each refused case with a similar legal one; which rule is named first;
//! limits, line ends and faults of grammar.

use postrider_kernel::ENVELOPE_RULES;
use postrider_kernel::text::LineIndex;
use postrider_referee::record::{FAULT_LIMIT, LINE_LIMIT, RECORD_LIMIT};
use postrider_referee::verdict::{Ruling, Verdict, format, verify};

/// The legal start of a game; each test takes as much as it needs.
const GAME: [&str; 9] = [
    "1 defenders place c6 e6",
    "2 besiegers c4-c5",
    "3 defenders c6-d6; huff d6",
    "4 besiegers e4-e5",
    "5 defenders e6xe4xc4xc6",
    "6 besiegers c3-c4",
    "7 defenders c6-c5",
    "8 besiegers e3-d4",
    "9 defenders c5xc3; huff c3",
];

/// A record: additional header lines, then the lines below the header.
fn record(fields: &str, lines: &[&str]) -> String {
    let mut text = String::from(
        "---\npbem: 1\ngame: asalto\nid: asalto-20261121-7k3q9x\nplayers:\n  besiegers: {name: Ada Quill}\n  \
         defenders: {name: Bram Post}\nstarted: 2026-11-21\n",
    );
    for line in fields.lines().chain(["---"]).chain(lines.iter().copied()) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// The header of another game, without its last line.
fn header(game: &str, [first, second]: [&str; 2]) -> String {
    format!(
        "---\npbem: 1\ngame: {game}\nid: {game}-20261121-7k3q9x\nplayers:\n  {first}: {{name: Ada}}\n  \
         {second}: {{name: Bram}}\nstarted: 2026-11-21\nsecrecy: open\n"
    )
}

/// The first entries of the game, followed by more lines.
fn after(count: usize, lines: &[&str]) -> String {
    record("", &[&GAME[..count], lines].concat())
}

/// The same with a clock of five days and ten days of leave; one entry is made each day at noon, starting on 1
/// November.
fn timed(count: usize, lines: &[&str]) -> String {
    let entries: Vec<_> = GAME[..count]
        .iter()
        .enumerate()
        .map(|(day, entry)| format!("{entry} @2026-11-0{}T12:00:00Z", day + 1))
        .collect();
    let entries: Vec<_> = entries.iter().map(String::as_str).collect();
    record("clock: 5d leave 10d", &[&entries, lines].concat())
}

fn state(verdict: &Verdict) -> String {
    let Some(game) = verdict.game else { return "unknown".into() };
    match (verdict.outcome, verdict.due) {
        (Some(outcome), _) => outcome.text(&game.sides),
        (None, Some(side)) => format!("{} due", game.sides[side.index()].word),
        (None, None) => "nobody due".into(),
    }
}

#[track_caller]
fn legal(text: &str, expected: &str) {
    let verdict = verify(text.as_bytes());
    assert_eq!(verdict.ruling, Ruling::Legal, "{:?} in\n{text}", verdict.errors);
    assert_eq!(state(&verdict), expected, "{text}");
}

/// Checks that this rule refuses the last line, with everything before it legal.
#[track_caller]
fn refused(text: &str, rule: &str) {
    refused_at(text, rule, text.lines().count());
}

#[track_caller]
fn refused_at(text: &str, rule: &str, line: usize) {
    let verdict = verify(text.as_bytes());
    assert_eq!(verdict.ruling, Ruling::Illegal, "{:?} in\n{text}", verdict.errors);
    let error = &verdict.errors[0];
    assert_eq!(error.rule, Some(rule), "{} in\n{text}", error.message);
    assert_eq!(LineIndex::new(text.as_bytes()).place(error.span.start as usize).line, line, "{error:?} in\n{text}");
    if rule != "E8" {
        assert_eq!(error.entry, Some(verdict.entries + 1), "{error:?}");
    }
}

/// Checks the lines of all faults.
#[track_caller]
fn malformed(text: &[u8], lines: &[usize]) {
    let verdict = verify(text);
    let shown = String::from_utf8_lossy(&text[..text.len().min(2000)]);
    assert_eq!(verdict.ruling, Ruling::Malformed, "{:?} in\n{shown}", verdict.errors);
    let index = LineIndex::new(text);
    let found: Vec<_> = verdict.errors.iter().map(|error| index.place(error.span.start as usize).line).collect();
    assert_eq!(found, lines, "{:?} in\n{shown}", verdict.errors);
}

#[track_caller]
fn unjudged(text: &str, word: &str) {
    let verdict = verify(text.as_bytes());
    assert_eq!(verdict.ruling, Ruling::Unjudged, "{:?} in\n{text}", verdict.errors);
    assert!(verdict.errors[0].message.contains(word), "{}", verdict.errors[0].message);
}

#[test]
fn e1_entries_are_numbered_without_a_gap() {
    legal(&after(2, &[]), "defenders due");
    refused(&after(1, &["3 besiegers c4-c5"]), "E1");
    refused(&after(1, &["1 besiegers c4-c5"]), "E1");
    refused(&after(1, &["0 besiegers c4-c5"]), "E1");
    refused(&record("", &["2 defenders place c6 e6"]), "E1");
    refused(&after(1, &["18446744073709551616 besiegers c4-c5"]), "E1");
}

#[test]
fn e2_the_side_is_the_one_that_is_due() {
    legal(&after(2, &["3 defenders c6-d6"]), "besiegers due");
    refused(&after(2, &["3 besiegers d4-d5"]), "E2");
    refused(&record("", &["1 besiegers place c6 e6"]), "E2");
    // One side may owe two consecutive entries.
    let first = |lines: &[&str]| record("options: {first: defenders}", lines);
    legal(&first(&["1 defenders place c6 e6", "2 defenders c6-c7"]), "besiegers due");
    refused(&first(&["1 defenders place c6 e6", "2 besiegers c4-c5"]), "E2");
}

#[test]
fn e3_times_never_run_backwards_and_are_on_all_entries_or_none() {
    let with =
        |first: &str, second: &str| record("", &[&format!("{}{first}", GAME[0]), &format!("{}{second}", GAME[1])]);
    let noon = " @2026-11-21T12:00:00Z";
    legal(&with(noon, noon), "defenders due");
    legal(&with(noon, " @2026-11-21T12:00:01Z"), "defenders due");
    refused(&with(noon, " @2026-11-21T11:59:59Z"), "E3");
    refused(&with(noon, ""), "E3");
    refused(&with("", noon), "E3");
    legal(&with("", ""), "defenders due");
    refused(&record("clock: 5d", &[GAME[0]]), "E3");
    legal(&timed(1, &[]), "besiegers due");
}

#[test]
fn e4_nothing_follows_the_end_but_remarks_and_the_result() {
    let over = "besiegers win: huffed";
    legal(&after(9, &[]), over);
    legal(&after(9, &["# a remark", "", "= besiegers win: huffed", "# another", ""]), over);
    refused(&after(9, &["10 besiegers d4-d5"]), "E4");
    refused(&after(3, &["4 besiegers resign", "5 defenders e6-e7"]), "E4");
    refused(&after(2, &["3 defenders c6-d6; draw?", "4 besiegers draw!", "5 defenders e6-e7"]), "E4");
    refused(
        &timed(2, &["3 besiegers claim time @2026-11-20T12:00:00Z", "4 defenders c6-d6 @2026-11-20T12:00:00Z"]),
        "E4",
    );
    // A game that is over at its start has no entries.
    let setup = "setup: \"BB./BBB/D.BBB../......./B.....D/.../... b\"";
    legal(&record(setup, &["= defenders win: captured"]), "defenders win: captured");
    refused(&record(setup, &["1 besiegers d6-e7"]), "E4");
}

#[test]
fn e4_comes_before_all_other_rules() {
    for entry in [
        "10 besiegers d4-d5",
        "99 defenders d4-d5 @2026-11-21T12:00:00Z",
        "7 besiegers draw?",
        "10 besiegers claim time",
    ] {
        refused(&after(9, &[entry]), "E4");
    }
}

#[test]
fn e5_an_offer_goes_last_with_a_move_and_not_too_early() {
    legal(&after(2, &["3 defenders c6-d6; huff d6; draw?"]), "besiegers due");
    legal(&after(2, &["3 defenders c6-d6; draw?"]), "besiegers due");
    refused(&after(2, &["3 defenders draw?; c6-d6"]), "E5");
    refused(&after(2, &["3 defenders draw?"]), "E5");
    refused(&after(2, &["3 defenders c6-d6; draw?; draw?"]), "E5");
    refused(&after(1, &["2 besiegers c4-c5; draw?"]), "E5");
    refused(&record("", &["1 defenders place c6 e6; draw?"]), "E5");
    // If one side makes two consecutive entries, the other must have made one as well.
    let first = |lines: &[&str]| record("options: {first: defenders}", lines);
    let start = ["1 defenders place c6 e6", "2 defenders c6-c7", "3 besiegers c4-c5"];
    refused(&first(&[&start[..2], &["3 besiegers c4-c5; draw?"]].concat()), "E5");
    legal(&first(&[&start[..], &["4 defenders e6-e7; draw?"]].concat()), "besiegers due");
}

#[test]
fn e5_an_offer_that_comes_too_early_is_named_before_the_rules_of_the_game() {
    // A step where there is no line (T2), a turn without a claim (U10): named where the offer does not come too early.
    refused(&after(1, &["2 besiegers d4-d6; draw?"]), "E5");
    refused(&after(3, &["4 besiegers d4-d6; draw?"]), "T2");
    let subsume = |lines: &str| format!("{}---\n{lines}", header("subsume", ["white", "black"]));
    refused(&subsume("1 white a1-a2; draw?\n"), "E5");
    refused(&subsume("1 white +d1A\n2 black d8-d7; draw?\n"), "E5");
    refused(&subsume("1 white +d1A\n2 black +d8A\n3 white d1-d2; draw?\n"), "U10");
    // The order of this game's rulebook has it at its end.
    let assassyn = |lines: &str| format!("{}---\n{lines}", header("assassyn", ["white", "black"]));
    refused(&assassyn("1 white deploy Pa1; draw?\n"), "D2");
    refused(&assassyn("1 white deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1; draw?\n"), "E5");
}

#[test]
fn e5_an_entry_that_ends_the_game_offers_nothing() {
    refused(&after(8, &["9 defenders c5xc3; huff c3; draw?"]), "E5");
    legal(&after(8, &["9 defenders c5xc3; huff c3"]), "besiegers win: huffed");
    // The game's rules come first.
    refused(&after(8, &["9 defenders c5xe5; draw?"]), "T31");
}

#[test]
fn e5_an_open_offer_is_accepted_alone() {
    let offered = ["3 defenders c6-d6; draw?"];
    let then = |lines: &[&str]| after(2, &[&offered[..], lines].concat());
    legal(&then(&["4 besiegers draw!"]), "draw: agreed");
    legal(&then(&["4 besiegers draw!", "= draw: agreed"]), "draw: agreed");
    refused(&then(&["4 besiegers draw!; e4-e5"]), "E5");
    refused(&then(&["4 besiegers e4-e5; draw!"]), "E5");
    refused(&then(&["4 defenders draw!"]), "E2");
    refused(&after(2, &["3 defenders draw!"]), "E5");
}

#[test]
fn e5_an_offer_lapses_with_the_next_entry_of_the_other_side() {
    let start = after(2, &["3 defenders c6-d6; draw?", "4 besiegers e4-e5"]);
    refused(&format!("{start}5 defenders draw!\n"), "E5");
    legal(&format!("{start}5 defenders e6xe4xc4xc6\n"), "besiegers due");
    refused(&format!("{start}5 defenders e6xe4xc4xc6\n6 besiegers draw!\n"), "E5");
    // An offer on an answer is allowed if it is alone.
    let both = after(2, &["3 defenders c6-d6; draw?", "4 besiegers e4-e5; draw?"]);
    legal(&format!("{both}5 defenders draw!\n"), "draw: agreed");
}

#[test]
fn e6_the_side_that_is_due_resigns_alone() {
    legal(&after(2, &["3 defenders resign"]), "besiegers win: resigned");
    legal(&after(3, &["4 besiegers resign {well played}"]), "defenders win: resigned");
    legal(&record("", &["1 defenders resign"]), "besiegers win: resigned");
    refused(&after(2, &["3 besiegers resign"]), "E2");
    refused(&after(2, &["3 defenders c6-d6; resign"]), "E6");
    refused(&after(2, &["3 defenders resign; draw?"]), "E6");
    refused(&after(2, &["3 defenders resign; resign"]), "E6");
}

#[test]
fn e7_time_is_claimed_when_more_was_used_than_granted() {
    // The defenders are due from 2 November, 12:00.
    legal(&timed(2, &["3 besiegers claim time @2026-11-07T12:00:01Z"]), "besiegers win: time");
    refused(&timed(2, &["3 besiegers claim time @2026-11-07T12:00:00Z"]), "E7");
    legal(&timed(1, &["2 defenders claim time @2026-11-06T12:00:01Z"]), "defenders win: time");
    refused(&timed(1, &["2 defenders claim time @2026-11-06T12:00:00Z"]), "E7");
    refused(&timed(2, &["3 defenders claim time @2026-11-30T12:00:00Z"]), "E7");
    refused(&timed(0, &["1 besiegers claim time @2026-11-30T12:00:00Z"]), "E7");
    refused(&timed(2, &["3 besiegers claim time; d4-d5 @2026-11-30T12:00:00Z"]), "E7");
    refused(&timed(2, &["3 besiegers claim time"]), "E3");
    refused(&timed(2, &["3 besiegers claim time @2026-11-01T12:00:00Z"]), "E3");
    refused(&timed(2, &["4 besiegers claim time @2026-11-30T12:00:00Z"]), "E1");
    refused(&after(2, &["3 besiegers claim time"]), "E7");
}

#[test]
fn e7_an_overstepped_clock_is_forgiven_unless_claimed() {
    let late = timed(2, &["3 defenders c6-d6 @2026-11-20T12:00:00Z"]);
    legal(&late, "besiegers due");
    refused(&format!("{late}4 besiegers claim time @2026-11-20T12:00:00Z\n"), "E7");
    legal(&format!("{late}4 besiegers e4-e5 @2026-11-25T12:00:00Z\n"), "defenders due");
    legal(&format!("{late}4 defenders claim time @2026-11-25T12:00:01Z\n"), "defenders win: time");
}

#[test]
fn e7_other_claims_are_judged_by_the_rulebook() {
    refused(&after(2, &["3 defenders claim repetition"]), "T55");
    refused(&after(2, &["3 defenders claim quiet"]), "T55");
    refused(&after(2, &["3 besiegers claim repetition"]), "E2");
    refused(&after(2, &["3 defenders c6-d6; claim quiet"]), "E7");
    malformed(after(2, &["3 defenders claim victory"]).as_bytes(), &[12]);
}

#[test]
fn e8_a_result_line_agrees_with_the_replay() {
    legal(&after(9, &["= besiegers win: huffed"]), "besiegers win: huffed");
    legal(&after(9, &[]), "besiegers win: huffed");
    for wrong in [
        "= besiegers wins: huffed",
        "= besiegers win: fortress",
        "= defenders win: huffed",
        "= draw: agreed",
        "= besiegers win: huffed ",
    ] {
        refused(&after(9, &[wrong]), "E8");
        assert_eq!(verify(after(9, &[wrong]).as_bytes()).errors[0].entry, Some(9));
    }
    refused(&after(8, &["= besiegers win: huffed"]), "E8");
    refused(&record("", &["= draw: agreed"]), "E8");
    assert_eq!(verify(record("", &["= draw: agreed"]).as_bytes()).errors[0].entry, None);
    for end in ["= defenders win: resigned", "= besiegers win: resigned"] {
        let text = after(3, &["4 besiegers resign", end]);
        if end.contains("defenders") { legal(&text, &end[2..]) } else { refused(&text, "E8") }
    }
}

#[test]
fn e8_only_remarks_follow_a_result_and_there_is_one() {
    let over = after(9, &["= besiegers win: huffed"]);
    legal(&format!("{over}\n# said and done\n"), "besiegers win: huffed");
    malformed(format!("{over}= besiegers win: huffed\n").as_bytes(), &[20]);
    malformed(format!("{over}10 besiegers d4-d5\n").as_bytes(), &[20]);
    malformed(after(9, &["= "]).replace("= \n", "=\n").as_bytes(), &[19]);
}

#[test]
fn e8_a_result_line_stays_where_it_is_and_one_that_lacks_follows_the_last_entry() {
    let below = after(9, &["# well played", "", "= besiegers win: huffed", "# and again?"]);
    assert_eq!(format(below.as_bytes()).expect("a legal record"), below.as_bytes());
    let lacking = after(9, &["# well played"]);
    let added = after(9, &["= besiegers win: huffed", "# well played"]);
    assert_eq!(format(lacking.as_bytes()).expect("a legal record"), added.as_bytes());
}

#[test]
fn e9_a_message_is_one_line_without_braces_and_controls() {
    legal(&after(1, &["2 besiegers c4-c5 {the gate: “open”, é!}"]), "defenders due");
    legal(&after(1, &["2 besiegers c4-c5 {}"]), "defenders due");
    for wrong in ["{a {b} c}", "{a} b", "{a", "{a}}", "{a\tb}", "{a\u{2028}b}", "{a\u{9b}b}", " {a}", "{a} "] {
        malformed(after(1, &[&format!("2 besiegers c4-c5 {wrong}")]).as_bytes(), &[11]);
    }
}

#[test]
fn e10_keys_and_signatures_fit_or_are_malformed() {
    // `signatures.rs` checks what they mean.
    let signature = format!("  ~ {}==", "A".repeat(86));
    refused(&after(2, &[&signature]), "Z32");
    // What precedes the first signature is judged all the same.
    refused_at(&after(1, &["2 besiegers c4-c6", "3 defenders c6-c7", &signature]), "T2", 11);
    malformed(after(2, &["3 defenders key AAAA; c6-c7"]).as_bytes(), &[12]);
    malformed(after(2, &["  ~ AAAA"]).as_bytes(), &[12]);
    malformed(after(1, &["", &signature]).as_bytes(), &[12]);
    malformed(after(1, &[&signature, &signature]).as_bytes(), &[12]);
}

#[test]
fn e11_leave_comes_after_the_move_and_is_limited_by_the_clock() {
    let then = |lines: &[&str]| timed(2, lines);
    legal(&then(&["3 defenders c6-d6; leave 10d @2026-11-03T12:00:00Z"]), "besiegers due");
    legal(&then(&["3 defenders c6-d6; huff d6; leave 10d; draw? @2026-11-03T12:00:00Z"]), "besiegers due");
    for wrong in ["c6-d6; leave 11d", "leave 1d", "leave 1d; c6-d6", "c6-d6; leave 1d; leave 1d", "leave 1d; draw?"] {
        refused(&then(&[&format!("3 defenders {wrong} @2026-11-03T12:00:00Z")]), "E11");
    }
    refused(&then(&["3 defenders c6-d6; leave 18446744073709551615d @2026-11-03T12:00:00Z"]), "E11");
    refused(&then(&["3 defenders c6-d6; draw?; leave 1d @2026-11-03T12:00:00Z"]), "E5");
    refused(&after(2, &["3 defenders c6-d6; leave 1d"]), "E11");
    for wrong in ["leave 0d", "leave 01d", "leave 24h", "leave d", "leave", "leave 1"] {
        malformed(then(&[&format!("3 defenders c6-d6; {wrong} @2026-11-03T12:00:00Z")]).as_bytes(), &[13]);
    }
}

#[test]
fn e11_leaves_do_not_overlap_and_their_sum_is_bounded() {
    // The defenders are on leave from 3 November, 12:00, to 7 November, 12:00.
    let start =
        timed(2, &["3 defenders c6-d6; leave 4d @2026-11-03T12:00:00Z", "4 besiegers e4-e5 @2026-11-04T12:00:00Z"]);
    refused(&format!("{start}5 defenders e6-e7; leave 1d @2026-11-07T11:59:59Z\n"), "E11");
    legal(&format!("{start}5 defenders e6-e7; leave 6d @2026-11-07T12:00:00Z\n"), "besiegers win: huffed");
    refused(&format!("{start}5 defenders e6xe4xc4xc6; leave 7d @2026-11-07T12:00:00Z\n"), "E11");
    legal(&format!("{start}5 defenders e6xe4xc4xc6; leave 6d @2026-11-07T12:00:00Z\n"), "besiegers due");
    // Their clock is stopped until then and runs out five days later.
    refused(&format!("{start}5 besiegers claim time @2026-11-12T12:00:00Z\n"), "E7");
    legal(&format!("{start}5 besiegers claim time @2026-11-12T12:00:01Z\n"), "besiegers win: time");
}

#[test]
fn e12_a_practice_game_names_its_machine_and_is_neither_mailed_nor_signed() {
    const MACHINE: &str = "machine: {side: defenders, level: 2, seed: 7}";
    let practice = |fields: &str, lines: &[&str]| record(&format!("{MACHINE}\n{fields}"), lines);
    legal(&practice("", &GAME[..2]), "defenders due");
    legal(
        &record("machine:\n  seed: 18446744073709551615\n  level: 5\n  side: besiegers\n", &GAME[..2]),
        "defenders due",
    );
    let key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    refused(&practice("", &[&format!("1 defenders key {key}; place c6 e6")]), "E12");
    for wrong in [
        "machine: yes",
        "machine: {side: defenders, level: 2}",
        "machine: {side: white, level: 2, seed: 7}",
        "machine: {side: defenders, level: 6, seed: 7}",
        "machine: {side: defenders, level: 0, seed: 7}",
        "machine: {side: defenders, level: 2, seed: -7}",
        "machine: {side: defenders, level: 2, seed: 07}",
        "machine: {side: defenders, level: 2, seed: 18446744073709551616}",
        "machine: {side: defenders, level: 2, seed: 7, name: HAL}",
    ] {
        malformed(record(wrong, &GAME[..2]).as_bytes(), &[9]);
    }
    malformed(practice("clock: 5d", &GAME[..2]).as_bytes(), &[10]);
    let with = |of: &str| practice("", &GAME[..2]).replace("Ada Quill", &format!("Ada Quill, {of}"));
    malformed(with("email: ada@example.org").as_bytes(), &[5]);
    malformed(with(&format!("key: {key}")).as_bytes(), &[5]);
    let sealed = header("assassyn", ["white", "black"]).replace("open", "sealed")
        + "machine: {side: black, level: 1, seed: 1}\n---\n";
    malformed(sealed.as_bytes(), &[9]);
    legal(&sealed.replace("sealed", "open"), "white due");
}

#[test]
fn e13_a_clock_may_grant_less_time_for_forced_answers_which_not_every_game_has() {
    // `suspended_turns.rs` has those of Subsume.
    let with = |clock: &str, lines: &[&str]| timed(2, lines).replace("clock: 5d leave 10d", &format!("clock: {clock}"));
    let clock = "5d leave 10d forced 1d";
    legal(&with(clock, &["3 besiegers claim time @2026-11-07T12:00:01Z"]), "besiegers win: time");
    refused(&with(clock, &["3 besiegers claim time @2026-11-07T12:00:00Z"]), "E7");
    for wrong in ["5d forced 1d leave 10d", "5d forced", "5d forced 0d", "5d leave 10d forced 1", "forced 1d"] {
        assert_eq!(verify(with(wrong, &[]).as_bytes()).ruling, Ruling::Malformed, "{wrong}");
    }
}

#[test]
fn every_rule_of_the_envelope_has_a_test_of_its_number() {
    for rule in ENVELOPE_RULES {
        let name = format!("fn {}_", rule.code.to_lowercase());
        assert!(include_str!("envelope.rs").contains(&name), "{rule} {}", rule.title);
    }
}

#[test]
fn of_several_rules_broken_the_first_in_order_is_named() {
    let late = "@2026-11-01T12:00:00Z";
    // Number, side, time, what must be alone, the game's rules, an offer with the end.
    refused(&timed(2, &[&format!("9 besiegers resign; b6-b7 {late}")]), "E1");
    refused(&timed(2, &[&format!("3 besiegers resign; b6-b7 {late}")]), "E2");
    refused(&timed(2, &[&format!("3 defenders resign; b6-b7 {late}")]), "E3");
    refused(&timed(2, &["3 defenders resign; b6-b7 @2026-11-03T12:00:00Z"]), "E6");
    refused(&timed(2, &["3 defenders b6-b7; draw? @2026-11-03T12:00:00Z"]), "T1");
    refused(&timed(2, &["3 defenders c6-c7; leave 99d; draw? @2026-11-03T12:00:00Z"]), "E11");
    // A malformed action is found before its entry is judged; an illegal entry before a later one is read.
    malformed(after(2, &["9 besiegers nonsense"]).as_bytes(), &[12]);
    refused_at(&after(1, &["2 besiegers c4-c6", "3 defenders nonsense"]), "T2", 11);
    // A fault of the envelope is found before any entry is judged.
    malformed(after(1, &["2 besiegers c4-c6", "3 nobody c6-c7"]).as_bytes(), &[12]);
}

#[test]
fn unknown_formats_games_and_editions_are_not_judged() {
    let text = after(2, &["3 defenders c6-d6"]);
    unjudged(&text.replace("pbem: 1", "pbem: 2"), "pbem");
    unjudged(&text.replace("game: asalto", "game: go"), "go");
    unjudged(&text.replace("started:", "rules: 2\nstarted:"), "rules");
    legal(&text.replace("started:", "rules: 1\nstarted:"), "besiegers due");
    for wrong in ["pbem: 01", "pbem: one", "pbem: -1", "pbem: 1.0", "pbem: \"\""] {
        malformed(text.replace("pbem: 1", wrong).as_bytes(), &[2]);
    }
}

#[test]
fn all_faults_of_the_envelope_are_reported_in_the_order_of_the_text() {
    let lines = ["x", "2 nobody c4-c5", "# fine", " ", "3 besiegers c4-c5 @noon", "= ", "  ~ A"];
    malformed(record("colour: red\nclock: soon", &lines).as_bytes(), &[9, 10, 12, 13, 15, 16, 18]);
    malformed(
        &record("", &["é \u{7}", "1 defenders \u{fffd}"])
            .into_bytes()
            .iter()
            .map(|&byte| if byte == 0xef { 0xff } else { byte })
            .collect::<Vec<_>>(),
        &[10, 11],
    );
    let many = "x\n".repeat(FAULT_LIMIT + 5);
    let verdict = verify(format!("{}{many}", record("", &[])).as_bytes());
    assert_eq!((verdict.errors.len(), verdict.more), (FAULT_LIMIT, 5));
}

#[test]
fn all_faults_of_a_header_are_reported_in_one_run() {
    let header = |fields: &str| format!("---\npbem: 1\nid: x\nstarted: soon\nclock: 5\n{fields}---\nnonsense\n");
    malformed(header("").as_bytes(), &[1, 1, 3, 4, 5, 7]);
    let players = "game: asalto\nplayers: {besiegers: {name: A}}\n";
    malformed(header(&format!("{players}setup: \"BB\"\n")).as_bytes(), &[3, 4, 5, 7, 8, 10]);
    // Under options that were misread, the position is not checked for faults.
    let claim = format!("{players}setup: \".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b -\"\noptions: {{huff: clam}}\n");
    malformed(header(&claim).as_bytes(), &[3, 4, 5, 7, 9, 11]);
}

#[test]
fn missing_parts_are_faults_at_their_places() {
    malformed(b"", &[1]);
    malformed(b"---", &[1]);
    malformed(b"---\npbem: 1\ngame: asalto\n", &[3]);
    malformed(b"---\n---\n", &[1, 1, 1, 1, 1]);
    malformed(after(0, &[]).replace("  defenders: {name: Bram Post}\n", "").as_bytes(), &[5]);
    malformed(after(0, &[]).replace("started: 2026-11-21\n", "").as_bytes(), &[1]);
}

#[test]
fn a_line_has_64_kib_at_most() {
    let filled = |length: usize| format!("# {}", "x".repeat(length - 2));
    legal(&after(2, &[&filled(LINE_LIMIT)]), "defenders due");
    malformed(after(2, &[&filled(LINE_LIMIT + 1)]).as_bytes(), &[12]);
    // Line ends do not count, however they are written.
    legal(&after(2, &[&filled(LINE_LIMIT)]).replace('\n', "\r\n"), "defenders due");
    malformed(after(2, &[&filled(LINE_LIMIT + 1)]).replace('\n', "\r\n").as_bytes(), &[12]);
    let entry = |length: usize| format!("3 defenders c6-c7 {{{}}}", "x".repeat(length - 20));
    legal(&after(2, &[&entry(LINE_LIMIT)]), "besiegers due");
    malformed(after(2, &[&entry(LINE_LIMIT + 1)]).as_bytes(), &[12]);
}

#[test]
fn a_header_has_64_kib_at_most() {
    let with = |length: usize| {
        let bare = record("", &[GAME[0]]);
        let room = length - (bare.find("---\n1").expect("the header's end") - 4);
        bare.replacen("pbem", &format!("#{}\npbem", "x".repeat(room - 2)), 1)
    };
    legal(&with(LINE_LIMIT), "besiegers due");
    malformed(with(LINE_LIMIT + 1).as_bytes(), &[2]);
}

#[test]
fn a_record_has_16_mib_at_most() {
    let mut text = after(2, &[]).into_bytes();
    let line = [&[b'#'; 1023][..], b"\n"].concat();
    while text.len() + line.len() <= RECORD_LIMIT {
        text.extend_from_slice(&line);
    }
    text.resize(RECORD_LIMIT, b'\n');
    assert_eq!(verify(&text).ruling, Ruling::Legal);
    text.push(b'\n');
    malformed(&text, &[1]);
}

#[test]
fn lines_too_long_in_canonical_form_are_unchanged() {
    // `; huff d6` is nine bytes too long for the line.
    let entry = format!("3 defenders c6-d6 {{{}}}", "x".repeat(LINE_LIMIT - 20));
    assert_eq!(entry.len(), LINE_LIMIT);
    let text = after(2, &[&entry, "4 besiegers e4-e5", "5 defenders e6xe4"]);
    let expected = text.replace("e6xe4", "e6xe4; huff e4") + "= besiegers win: huffed\n";
    assert_eq!(format(text.as_bytes()).expect("a legal record"), expected.as_bytes());
}

#[test]
fn a_position_is_rewritten_however_its_field_is_written() {
    let position = ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b";
    for (field, expected) in [
        ("setup: '%'", "setup: \"%\""),
        ("setup: %", "setup: \"%\""),
        ("\"setup\" : '%'", "\"setup\" : \"%\""),
        ("? setup\n: '%'", "? setup\n: \"%\""),
        ("setup: |-\n  %", "setup: \"%\""),
        ("setup: # in the middle\n  '%'", "setup: \"%\""),
        // What is too unusual to rewrite is kept.
        ("? setup # in: the middle\n: '%'", "? setup # in: the middle\n: '%'"),
    ] {
        let text = |field: &str| record(&field.replace('%', position), &["1 besiegers c4-c5"]);
        legal(&text(field), "defenders due");
        let formatted = String::from_utf8(format(text(field).as_bytes()).expect("a legal record")).expect("UTF-8");
        assert_eq!(formatted, text(expected), "{field}");
    }
}

#[test]
fn line_ends_may_be_crlf_and_the_last_may_be_missing() {
    let lf = after(9, &["# é", "", "= besiegers win: huffed"]);
    let crlf = lf.replace('\n', "\r\n");
    for text in [&lf, &crlf] {
        legal(text, "besiegers win: huffed");
        assert_eq!(format(text.as_bytes()).expect("a legal record"), lf.as_bytes());
        legal(text.trim_end(), "besiegers win: huffed");
        assert_eq!(format(text.trim_end().as_bytes()).expect("a legal record"), lf.as_bytes());
    }
    // Places refer to the text as it is.
    refused(&after(1, &["2 besiegers c4-c6"]).replace('\n', "\r\n"), "T2");
    malformed(after(1, &["2 besiegers c4-c5\r"]).replace("\r\n", "\r\r\n").as_bytes(), &[11]);
    malformed(after(1, &["2 besiegers c4\rc5"]).as_bytes(), &[11]);
}

#[test]
fn odd_bytes_are_faults_where_they_stand() {
    malformed(format!("\u{feff}{}", after(2, &[])).as_bytes(), &[1]);
    malformed(after(2, &["\u{feff}3 defenders c6-c7"]).as_bytes(), &[12]);
    malformed(after(2, &["3 defenders c6-\0c7"]).as_bytes(), &[12]);
    malformed(after(2, &["3 defenders c6\u{2013}c7"]).as_bytes(), &[12]);
    malformed(after(2, &["3\u{a0}defenders c6-c7"]).as_bytes(), &[12]);
    malformed(after(2, &["03 defenders c6-c7"]).as_bytes(), &[12]);
    malformed(after(2, &["3 defenders  c6-c7"]).as_bytes(), &[12]);
    malformed(after(2, &["3 defenders c6-c7 "]).as_bytes(), &[12]);
    malformed(after(2, &["3 defenders c6-c7;"]).as_bytes(), &[12]);
    malformed(after(2, &["3 defenders c6-c7; "]).as_bytes(), &[12]);
    legal(&after(2, &["3 defenders c6-c7"]), "besiegers due");
}
