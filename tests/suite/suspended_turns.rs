//! The envelope around the suspended turns of sealed Subsume: offers over a reveal, what may replace it, and whose
//! clock runs (E5 to E7, E11, U92 to U94).

use postrider_kernel::{Nonce, Side};
use postrider_referee::sealing::seals;
use postrider_referee::verdict::{Opened, Ruling, verify};

const GAME: &str = "subsume-suspended";

/// Noon on a day counted from 1 November (day 0), plus `seconds`.
fn at(day: u32, seconds: u32) -> String {
    format!("@2026-11-{:02}T12:00:{seconds:02}Z", day + 1)
}

fn nonce(token: u8) -> Nonce {
    Nonce([token; 16])
}

/// The seal of a token of type `word`.
fn seal(side: &str, token: u8, word: &str) -> String {
    format!("seal:{}", seals::seal(GAME, side, &format!("token.{token}"), word, &nonce(token)))
}

fn opening(token: u8, letter: char) -> String {
    format!("{token}:{letter}:{}", nonce(token))
}

/// The first entries: White's third attacks a stack that contains a sealed token. `behind` follows its conflict.
fn attack(behind: &str) -> Vec<String> {
    vec![
        format!("white +d4 {}", seal("white", 6, "isolationist")),
        format!("black +d5 {}", seal("black", 7, "advocate")),
        format!(
            "white +d4 {}; d4xd5 open:{} open:{}{behind}",
            seal("white", 8, "aggressor"),
            opening(6, 'I'),
            opening(8, 'A')
        ),
    ]
}

fn reveal() -> String {
    format!("black reveal {}", opening(7, 'D'))
}

/// The ninth token, which Black claims when its own turn has come.
fn turn() -> String {
    format!("+h8 {}", seal("black", 9, "aggressor"))
}

fn record(clock: &str, entries: &[String]) -> String {
    let mut text = format!(
        "---\npbem: 1\ngame: subsume\nid: {GAME}\nplayers:\n  white: {{name: Wilma White}}\n  black: {{name: Boris \
         Black}}\nstarted: 2026-11-01\n{clock}setup: \"W d4 AA; B d5 DD; B h8 I; to play white\"\nsecrecy: sealed\n---\n"
    );
    for (number, entry) in (1..).zip(entries) {
        text.push_str(&format!("{number} {entry}\n"));
    }
    text
}

/// The result of a record: its game result, `running`, or the rule that its last entry breaks.
#[track_caller]
fn judged(clock: &str, entries: &[String]) -> String {
    let text = record(clock, entries);
    let verdict = verify(text.as_bytes());
    match verdict.ruling {
        Ruling::Legal => {
            let sides = verdict.game.map(|game| &game.sides);
            match verdict.outcome.zip(sides) {
                Some((outcome, sides)) => outcome.text(sides),
                None => "running".into(),
            }
        }
        Ruling::Illegal => {
            assert_eq!(verdict.entries as usize + 1, entries.len(), "{:?} in\n{text}", verdict.errors);
            verdict.errors[0].rule.unwrap_or("no rule").into()
        }
        _ => panic!("{:?} in\n{text}", verdict.errors),
    }
}

/// The attack and what follows it, without times.
#[track_caller]
fn after(behind: &str, entries: &[&str]) -> String {
    judged("", &[attack(behind), entries.iter().map(|&entry| entry.to_owned()).collect()].concat())
}

/// The same with times: the entries of the attack on days 0, 1 and 2.
#[track_caller]
fn timed(clock: &str, behind: &str, entries: &[(&str, String)]) -> String {
    let first = (0..).zip(attack(behind)).map(|(day, entry)| format!("{entry} {}", at(day, 0)));
    let rest = entries.iter().map(|(entry, time)| format!("{entry} {time}"));
    judged(&format!("clock: {clock}\n"), &first.chain(rest).collect::<Vec<_>>())
}

#[test]
fn e5_an_offer_remains_open_over_a_reveal_alone() {
    let reveal = reveal();
    assert_eq!(after("; draw?", &[&reveal, "white end", "black draw!"]), "draw: agreed");
    assert_eq!(after("; end; draw?", &[&reveal, "black draw!"]), "draw: agreed");
    // Nobody can accept their own offer.
    assert_eq!(after("; draw?", &[&reveal, "white draw!"]), "E5");
    // A turn of its own after the reveal, or an entry of its own, makes the offer lapse.
    let both = format!("{reveal}; {}", turn());
    let own = format!("black {}", turn());
    let white = format!("white +a1 {}", seal("white", 10, "advocate"));
    assert_eq!(after("; end; draw?", &[&both, &white, "black draw!"]), "E5");
    assert_eq!(after("; end; draw?", &[&reveal, &own, &white, "black draw!"]), "E5");
}

#[test]
fn z29_an_offer_of_a_side_that_has_committed_lapses_with_the_reveal() {
    let commits = |entry: &str| format!("{entry}; commit {}", "ab".repeat(32));
    // White's attack is its second entry, so it commits in the one before.
    let judge = |committed: [bool; 2], behind: &str, rest: &[&str]| {
        let mut entries = attack(behind);
        for (entry, _) in entries.iter_mut().zip(committed).filter(|(_, committed)| *committed) {
            *entry = commits(entry);
        }
        entries.extend(rest.iter().map(|&entry| entry.to_owned()));
        judged("", &entries)
    };
    let reveal = reveal();
    for behind in ["; draw?", "; end; draw?"] {
        let goes_on: &[&str] = if behind.contains("end") { &[] } else { &["white end"] };
        let accepted_later = [&[reveal.as_str()], goes_on, &["black draw!"]].concat();
        assert_eq!(judge([true, false], behind, &accepted_later), "E5");
        assert_eq!(judge([true, true], behind, &accepted_later), "E5");
        // It can be accepted in place of the reveal.
        assert_eq!(judge([true, true], behind, &["black draw!"]), "draw: agreed");
        // For a player who has not committed, nothing changes.
        assert_eq!(judge([false, true], behind, &accepted_later), "draw: agreed");
        assert_eq!(judge([false, false], behind, &accepted_later), "draw: agreed");
    }
}

#[test]
fn e5_a_reveal_that_is_not_alone_is_not_a_forced_answer() {
    let reveal = reveal();
    let offering = format!("{reveal}; draw?");
    assert_eq!(after("; draw?", &[&offering, "white end", "black draw!"]), "E5");
    assert_eq!(after("; draw?", &[&offering, "white draw!"]), "draw: agreed");
    let leaving = format!("{reveal}; leave 1d");
    let entries = |reveal: &str| {
        timed("5d leave 10d", "; draw?", &[(reveal, at(3, 0)), ("white end", at(3, 0)), ("black draw!", at(3, 0))])
    };
    assert_eq!(entries(&leaving), "E5");
    assert_eq!(entries(&reveal), "draw: agreed");
}

#[test]
fn u93_only_resigning_or_a_draw_can_replace_a_reveal() {
    assert_eq!(after("", &["black resign"]), "white wins: resigned");
    assert_eq!(after("; end", &["black resign"]), "white wins: resigned");
    assert_eq!(after("; draw?", &["black draw!"]), "draw: agreed");
    assert_eq!(after("; end; draw?", &["black draw!"]), "draw: agreed");
    assert_eq!(after("", &["black draw!"]), "E5");
    assert_eq!(after("", &["white resign"]), "E2");
    assert_eq!(after("", &["black end"]), "U93");
    assert_eq!(after("", &["black claim quiet"]), "E7");
}

#[test]
fn e7_while_a_reveal_is_due_the_clock_of_its_side_runs() {
    let claim = |day, second| timed("5d", "; end", &[("white claim time", at(day, second))]);
    assert_eq!(claim(7, 0), "E7");
    assert_eq!(claim(7, 1), "white wins: time");
    assert_eq!(timed("5d", "", &[("black claim time", at(7, 1))]), "E7");
}

#[test]
fn e7_after_a_reveal_the_clock_runs_from_its_time_for_the_side_that_continues() {
    let reveal = reveal();
    for (behind, waiting, running) in [("", "black", "white"), ("; end", "white", "black")] {
        let claim = |side: &str, second| {
            timed("5d", behind, &[(&reveal, at(4, 0)), (&format!("{side} claim time"), at(9, second))])
        };
        assert_eq!(claim(waiting, 0), "E7", "{behind}");
        assert_eq!(claim(waiting, 1), format!("{waiting} wins: time"), "{behind}");
        assert_eq!(claim(running, 1), "E7", "{behind}");
    }
}

#[test]
fn e7_a_reveal_counts_as_an_entry_of_its_side() {
    // One day for Black's first entry and one for the reveal: its two days are used up, and the second entry brings two
    // more.
    let claim = |second| timed("2d/2", "; end", &[(&reveal(), at(3, 0)), ("white claim time", at(5, second))]);
    assert_eq!(claim(0), "E7");
    assert_eq!(claim(1), "white wins: time");
}

#[test]
fn e11_leave_holds_the_clock_of_its_side_through_a_suspended_turn() {
    // White's leave of four days from day 2 ends two days after the reveal on day 4, and only then do its five days
    // begin.
    let claim =
        |second| timed("5d leave 10d", "; leave 4d", &[(&reveal(), at(4, 0)), ("black claim time", at(11, second))]);
    assert_eq!(claim(0), "E7");
    assert_eq!(claim(1), "black wins: time");
    // Black's clock runs all the same.
    assert_eq!(timed("5d leave 10d", "; leave 4d", &[("white claim time", at(7, 1))]), "white wins: time");
}

#[test]
fn e13_a_forced_answer_has_less_time_than_other_entries() {
    let claim = |day, seconds| ("white claim time", at(day, seconds));
    // White's attack is of day 2; the reveal is Black's.
    assert_eq!(timed("10d forced 2d", "", &[claim(4, 0)]), "E7");
    assert_eq!(timed("10d forced 2d", "", &[claim(4, 1)]), "white wins: time");
    assert_eq!(timed("10d", "", &[claim(4, 1)]), "E7");
    assert_eq!(timed("30d+1d forced 36h", "", &[claim(4, 0)]), "white wins: time");
    // Never more than there is.
    assert_eq!(timed("1d forced 2d", "", &[claim(3, 0)]), "E7");
    assert_eq!(timed("1d forced 2d", "", &[claim(3, 1)]), "white wins: time");
    // A turn follows the reveal in the same entry: it has the whole time.
    assert_eq!(timed("10d forced 2d", "; end", &[claim(6, 0)]), "E7");
    // Too late and not claimed it stands, and what White then has to enter is not forced.
    let reveal = reveal();
    let late = (reveal.as_str(), at(7, 0));
    assert_eq!(timed("10d forced 2d", "", std::slice::from_ref(&late)), "running");
    assert_eq!(timed("10d forced 2d", "", &[late.clone(), ("black claim time", at(12, 0))]), "E7");
    assert_eq!(timed("10d forced 2d", "", &[late, ("white end", at(12, 0))]), "running");
}

#[test]
fn e13_leave_stops_the_time_for_a_forced_answer_and_what_is_overstepped_is_forgiven() {
    let mut entries: Vec<_> = (0..).zip(attack("")).map(|(day, entry)| format!("{entry} {}", at(day, 0))).collect();
    entries.push(format!("{} {}", reveal(), at(7, 0)));
    let left = |clock: &str, entries: &[String]| {
        let text = record(&format!("clock: {clock}\n"), entries);
        let mut opened = Opened::new(text.as_bytes()).expect("a record");
        assert_eq!(opened.replay(u32::MAX).ruling, Ruling::Legal, "{text}");
        opened.table.standing().clocks.map(|clocks| clocks.left(Side::Second) / 86_400)
    };
    // One day for entry 2, and five for the reveal, of which three beyond its own time.
    assert_eq!(left("20d+1d", &entries), Some(20 - 1 + 1 - 5 + 1));
    assert_eq!(left("20d+1d forced 2d", &entries), Some(20 - 1 + 1 - 2 + 1));
    // With three days of leave from day 1 on, the two days run from day 4.
    entries[1] = entries[1].replace(" @", "; leave 3d @");
    entries.pop();
    let claimed = |day, seconds| {
        let claim = format!("white claim time {}", at(day, seconds));
        judged("clock: 20d leave 9d forced 2d\n", &[&entries[..], &[claim]].concat())
    };
    assert_eq!([claimed(6, 0), claimed(6, 1)], ["E7", "white wins: time"]);
}
