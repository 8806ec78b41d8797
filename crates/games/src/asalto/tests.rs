//! Rule tests, named after the rules: a refused entry and a similar legal one, from a position line. `positions.txt`
//! has whole lists of legal entries, `perft.txt` has counts.

#[cfg(test)]
pub mod agreement;

use super::*;

/// Parses options as written in tests: `huff=claim first=defenders`.
fn options(text: &str) -> Options {
    let mut options = Options::default();
    for (name, value) in text.split_whitespace().filter_map(|option| option.split_once('=')) {
        options.choose(OPTIONS, name, value).expect("an option of the game");
    }
    options
}

/// A game at a position, which may be preceded by options in brackets.
fn at(text: &str) -> Asalto {
    let (list, position) = text.strip_prefix('[').and_then(|text| text.split_once("] ")).unwrap_or(("", text));
    let game = Asalto::start(&Start::open(&options(list), Some(position))).expect("a position");
    assert_eq!(game.position(), position, "a position reads back as it was written");
    game
}

fn read(text: &str) -> Vec<Action> {
    text.split("; ").map(|action| Asalto::read_action(action).expect("an action")).collect()
}

pub(super) fn write(actions: &[Action]) -> String {
    postrider_kernel::write_entry::<Asalto>(actions)
}

fn result(game: &Asalto) -> Option<String> {
    game.outcome().map(|outcome| format!("= {}", outcome.text(&INFO.sides)))
}

/// The result of an entry: the rule that refuses it, the game result if it ends the game, otherwise the position.
fn comes_of(game: &Asalto, entry: &str) -> String {
    let mut after = game.clone();
    match after.play(&read(entry)) {
        Ok(_) => result(&after).unwrap_or_else(|| after.position()),
        Err(illegal) => {
            assert_eq!(after, *game, "{entry}: refused, and something has changed");
            assert!(!illegal.message.is_empty() && illegal.part.is_none_or(|part| part < read(entry).len()), "{entry}");
            illegal.rule.to_string()
        }
    }
}

/// Checks the result of each entry.
fn turns(position: &str, expected: &[(&str, &str)]) {
    let game = at(position);
    for (entry, outcome) in expected {
        assert_eq!(comes_of(&game, entry), *outcome, "{entry} at {position}");
    }
}

const START: &str = ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b";
const BEFORE: &str = ".../.../BB...BB/BBBBBBB/BBBBBBB/BBB/BBB d";

#[test]
fn t1_points_off_the_cross_are_refused() {
    turns(START, &[("b5-b6", "T1"), ("a1-a2", "T1"), ("d4xd6xb6", "T1"), ("huff g7; d4-d5", "T1")]);
    turns(START, &[("b5-c5", ".../D.D/B.B..BB/BBBBBBB/BBBBBBB/BBB/BBB d")]);
    turns(BEFORE, &[("place c6 f6", "T1"), ("place c6 e6", START)]);
}

#[test]
fn t2_pieces_move_along_lines_only() {
    turns(START, &[("d4-d6", "T2"), ("c4-d5", "T2"), ("c4-c5", ".../D.D/BBB..BB/BB.BBBB/BBBBBBB/BBB/BBB d")]);
    let c4 = "..D/.../...D.../..B..../..BBB.B/BBB/BBB d";
    turns(c4, &[("d5xb3", "T2"), ("d5-c4", "T2"), ("d5xd4", "T2"), ("d5-d3", "T2")]);
    turns(c4, &[("d5-c5", "..D/.../..D..../..B..../..BBB.B/BBB/BBB b")]);
}

#[test]
fn t3_dotted_lines_are_for_defenders() {
    turns(
        ".../.D./...D.../.B...../..BBB.B/BBB/BBB b",
        &[("b4-c4", "T20"), ("b4-a4", "T20"), ("b4-c5", ".../.D./..BD.../......./..BBB.B/BBB/BBB d")],
    );
    turns(
        ".../.D./...D.../.B...../..BBB.B/BBB/BBB d",
        &[("d5-c5; huff c5", "T40"), ("d5-c5", ".../.D./..D..../.B...../..BBB.B/BBB/BBB b")],
    );
    turns(".DD/.../.B...../......./..BBB.B/BBB/BBB b", &[("b5-c5", ".DD/.../..B..../......./..BBB.B/BBB/BBB d")]);
}

#[test]
fn t10_the_placement_comes_first_and_once() {
    turns(
        BEFORE,
        &[("place c6 e6", START), ("place e6 c6", START), ("place c5 e7", "..D/.../BBD..BB/BBBBBBB/BBBBBBB/BBB/BBB b")],
    );
    turns(BEFORE, &[("place c6 c6", "T10"), ("place c6 c4", "T10"), ("c4-c5", "T10"), ("huff c6", "T10")]);
    turns(BEFORE, &[("place c6 e6; c4-c5", "T10"), ("c4-c5; place c6 e6", "T10"), ("place c6 e6; place c6 e6", "T10")]);
    turns(START, &[("place c7 e7", "T10"), ("c4-c5; place c7 e7", "T10")]);
    let first = "[first=defenders] .../.../BB...BB/BBBBBBB/BBBBBBB/BBB/BBB d";
    turns(first, &[("place c6 e6", ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB d")]);
}

#[test]
fn t10_without_a_position_the_placement_is_due() {
    for (text, then) in
        [("", "b"), ("first=defenders", "d"), ("huff=claim", "b -"), ("huff=claim first=defenders", "d -")]
    {
        let game = Asalto::start(&Start::open(&options(text), None)).expect("the start");
        let claim = if text.contains("claim") { " -" } else { "" };
        assert_eq!(game.position(), format!("{BEFORE}{claim}"));
        assert_eq!(comes_of(&game, "place c6 e6"), format!("{}{then}", &START[..START.len() - 1]));
    }
}

#[test]
fn t11_one_piece_moves_each_turn() {
    turns(START, &[("c4-c5; e4-e5", "T11"), ("c4-c5", ".../D.D/BBB..BB/BB.BBBB/BBBBBBB/BBB/BBB d")]);
    let defenders = "D../..D/......./......./B.BBB.B/BBB/BBB d";
    turns(defenders, &[("c7-c6; e6-e5", "T11"), ("e6-e5", "D../.../....D../......./B.BBB.B/BBB/BBB b")]);
    let able = "D../.D./...B.../......./..BBB.B/BBB/BBB d";
    turns(
        able,
        &[
            ("c7-c6; huff d6; c6-c5", "T11"),
            ("c7-c6; huff d6; huff d6", "T11"),
            ("c7-c6; huff d6", ".../D../...B.../......./..BBB.B/BBB/BBB b"),
        ],
    );
    turns(
        "[huff=claim] .../DD./...B.../......./..BBB.B/BBB/BBB b d6",
        &[("huff d6", "T11"), ("huff d6; c3-c4; e3-e4", "T11")],
    );
}

#[test]
fn t20_a_besieger_steps_along_a_solid_line_to_an_empty_point() {
    let alone = ".DD/.../......./.B...../..BBB.B/BBB/BBB b";
    turns(alone, &[("b4-a4", "T20"), ("b4-c4", "T20"), ("f4-f5", "T20"), ("d7-d6", "T20")]);
    turns(
        alone,
        &[
            ("b4-b5", ".DD/.../.B...../......./..BBB.B/BBB/BBB d"),
            ("b4-c5", ".DD/.../..B..../......./..BBB.B/BBB/BBB d"),
        ],
    );
    turns(START, &[("a4-a5", "T20"), ("a5-b5", "T20")]);
    turns(
        ".../.../BBD.DBB/BBBBBBB/BBBBBBB/BBB/BBB b",
        &[("c4-c5", "T20"), ("d4-d5", ".../.../BBDBDBB/BBB.BBB/BBBBBBB/BBB/BBB d")],
    );
}

#[test]
fn t21_besiegers_never_go_back() {
    let alone = ".DD/.../......./.B...../..BBB.B/BBB/BBB b";
    turns(
        alone,
        &[("b4-b3", "T21"), ("b4-a3", "T21"), ("b4-c3", "T21"), ("b4-a5", ".DD/.../B....../......./..BBB.B/BBB/BBB d")],
    );
    let inside = ".DD/.../..B..../......./..BBB.B/BBB/BBB b";
    turns(
        inside,
        &[
            ("c5-b5", "T21"),
            ("c5-c4", "T21"),
            ("c5-b4", "T21"),
            ("c5-d5", "T20"),
            ("c5-d6", ".DD/.B./......./......./..BBB.B/BBB/BBB d"),
        ],
    );
    let arms = "DD./.../.B...B./......./..BBB.B/BBB/BBB b";
    turns(arms, &[("b5-a5", "T21"), ("f5-g5", "T21"), ("f5-e5", "DD./.../.B..B../......./..BBB.B/BBB/BBB d")]);
    // Which rule comes first: no besieger, no line, dotted, backwards, occupied.
    turns(START, &[("d4-d3", "T21"), ("c4-b4", "T20"), ("c4-b3", "T2"), ("d6-d5", "T20")]);
}

#[test]
fn t21_sideways_both_besiegers_move_both_ways_on_rank_5() {
    let arms = "[sideways=both] DD./.../.B...B./......./..BBB.B/BBB/BBB b";
    turns(
        arms,
        &[
            ("b5-a5", "DD./.../B....B./......./..BBB.B/BBB/BBB d"),
            ("b5-c5", "DD./.../..B..B./......./..BBB.B/BBB/BBB d"),
            ("f5-g5", "DD./.../.B....B/......./..BBB.B/BBB/BBB d"),
            ("f5-e5", "DD./.../.B..B../......./..BBB.B/BBB/BBB d"),
            ("b5-b4", "T21"),
            ("f5-f4", "T21"),
        ],
    );
    // Out of the fortress as well, but only along the solid lines and never down.
    let inside = "[sideways=both] .DD/.../..B.B../......./..BBB.B/BBB/BB. b";
    turns(
        inside,
        &[
            ("c5-b5", ".DD/.../.B..B../......./..BBB.B/BBB/BB. d"),
            ("e5-f5", ".DD/.../..B..B./......./..BBB.B/BBB/BB. d"),
            ("c5-d5", "T20"),
            ("e5-d5", "T20"),
            ("c5-b4", "T21"),
            ("c5-c4", "T21"),
        ],
    );
    // This keeps besiegers from being immobile (T52).
    let last = "BBB/BBB/.BBBDBB/......./......D/.../... b";
    assert_eq!(result(&at(last)).as_deref(), Some("= defenders win: immobile"));
    turns(&format!("[sideways=both] {last}"), &[("b5-a5", "BBB/BBB/B.BBDBB/......./......D/.../... d")]);
}

#[test]
fn t10_first_with_a_position_only_affects_the_placement() {
    turns(
        "[first=defenders] .../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b",
        &[("c6-c7", "T20"), ("c4-c5", { ".../D.D/BBB..BB/BB.BBBB/BBBBBBB/BBB/BBB d" })],
    );
    turns(&format!("[first=defenders] {BEFORE}"), &[("place c6 e6", ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB d")]);
}

#[test]
fn t22_besiegers_do_not_jump() {
    let beside = ".../.../...D.../...B.../..BBB.B/BBB/BBB b";
    turns(
        beside,
        &[("d4xd6", "T22"), ("g7xg5", "T1"), ("d1xd3", "T22"), ("d4-c5", ".../.../..BD.../......./..BBB.B/BBB/BBB d")],
    );
}

#[test]
fn t30_a_defender_steps_along_any_line_in_any_direction() {
    let out = ".../.B./......D/......./D.BBB.B/BBB/BBB d";
    turns(
        out,
        &[
            ("a3-b3", ".../.B./......D/......./.DBBB.B/BBB/BBB b"),
            ("a3-b4", ".../.B./......D/.D...../..BBB.B/BBB/BBB b"),
        ],
    );
    turns(
        out,
        &[("g5-g4", ".../.B./......./......D/D.BBB.B/BBB/BBB b"), ("c3-c4", "T30"), ("d5-d4", "T30"), ("a3-a5", "T2")],
    );
    let taken = ".../DD./......./......./..BBB.B/BBB/BBB d";
    turns(taken, &[("c6-d6", "T30"), ("c6-b6", "T1"), ("c6-c5", ".../.D./..D..../......./..BBB.B/BBB/BBB b")]);
}

#[test]
fn t31_a_defender_jumps_over_a_besieger_to_the_empty_point_behind() {
    let dotted = ".../.../......D/..DB.../..BBBBB/BBB/BBB d";
    turns(dotted, &[("c4xe4", ".../.../......D/....D../..BBBBB/BBB/BBB b")]);
    turns(dotted, &[("c4xc2", "T31"), ("c4xa4", "T31"), ("d4xd6", "T31"), ("c4xe4xe6", "T31"), ("c4xe6", "T2")]);
    turns(
        "D../D../......./B....../..BBB.B/BBB/BBB d",
        &[("c7xc5", "T31"), ("c7xe7", "T31"), ("c6-c5", "D../.../..D..../B....../..BBB.B/BBB/BBB b")],
    );
    // The besieger that is jumped over is removed at once, and the point where the chain began is free.
    let round = "..D/.../..D..B./.BB..BB/.B..BBB/BBB/BBB d";
    turns(round, &[("c5xc3xa3xc5", "..D/.../..D..B./.....BB/....BBB/BBB/BBB b"), ("c5xc3xc5", "T31")]);
}

#[test]
fn t32_any_capture_by_any_path_will_do() {
    let round = "..D/.../..D..B./.BB..BB/.B..BBB/BBB/BBB d";
    turns(
        round,
        &[
            ("c5xc3xa5", "..D/.../D....B./.....BB/.B..BBB/BBB/BBB b"),
            ("c5xa3xc3xc5", "..D/.../..D..B./.....BB/....BBB/BBB/BBB b"),
        ],
    );
    // One jump to an end is as good as three; a chain that stops short of its end is not.
    let strict = "[huff=strict] ..D/.../..D..B./.BB..BB/.B..BBB/BBB/BBB d";
    turns(strict, &[("c5xc3xa5", "..D/.../D....B./.....BB/.B..BBB/BBB/BBB b"), ("c5xc3xa3", "T44"), ("c5xc3", "T44")]);
}

#[test]
fn t33_a_missed_capture_costs_a_defender_or_is_refused() {
    let able = "D../.D./...B.../......./..BBB.B/BBB/BBB d";
    turns(
        able,
        &[
            ("d6xd4", "D../.../......./...D.../..BBB.B/BBB/BBB b"),
            ("c7-c6", ".../D../...B.../......./..BBB.B/BBB/BBB b"),
        ],
    );
    turns(
        &format!("[huff=strict] {able}"),
        &[("d6xd4", "D../.../......./...D.../..BBB.B/BBB/BBB b"), ("c7-c6", "T44"), ("d6-e6", "T44")],
    );
}

#[test]
fn t40_a_capture_impossible_at_the_start_was_not_missed() {
    let apart = ".D./.../D.B..../......./BB...BB/BBB/BBB d";
    turns(
        apart,
        &[("a5-b5", ".D./.../.DB..../......./BB...BB/BBB/BBB b"), ("a5-b5; huff b5", "T40"), ("a5-b5; huff d7", "T40")],
    );
}

#[test]
fn t41_a_chain_to_its_end_huffs_nobody() {
    let two = ".../.../..D.D../..B.B../B..B.BB/BBB/BBB d";
    turns(
        two,
        &[
            ("c5xc3xe3", ".../.../....D../....B../B...DBB/BBB/BBB b"),
            ("c5xc3xe3; huff e5", "T41"),
            ("c5xc3xe3; huff e3", "T41"),
        ],
    );
    turns(
        &format!("[huff-scope=both] {two}"),
        &[("e5xe3xc3", ".../.../..D..../..B..../B.D..BB/BBB/BBB b"), ("e5xe3xc3; huff c5", "T41")],
    );
}

#[test]
fn t42_a_broken_chain_huffs_the_jumper_where_it_stopped() {
    let short = ".D./.B./D....../B..B.../BB...BB/B.B/BBB d";
    let huffed = ".../.../D....../B..B.../BB...BB/B.B/BBB b";
    turns(
        short,
        &[("d7xd5xd3", ".../.../D....../B....../BB.D.BB/B.B/BBB b"), ("d7xd5; huff d5", huffed), ("d7xd5", huffed)],
    );
    turns(
        short,
        &[
            ("d7xd5; huff a5", "T42"),
            ("d7xd5; huff d7", "T42"),
            ("d7xd5; huff a5 d5", "T42"),
            ("d7xd5; huff d5 d5", "T42"),
        ],
    );
    turns(&format!("[huff-scope=both] {short}"), &[("d7xd5", huffed), ("d7xd5; huff d5 a5", "T42")]);
}

#[test]
fn t43_a_missed_capture_huffs_the_mover_else_the_other() {
    let able = "D../.D./...B.../......./..BBB.B/BBB/BBB d";
    turns(
        able,
        &[
            ("c7-c6; huff d6", ".../D../...B.../......./..BBB.B/BBB/BBB b"),
            ("d6-e6; huff e6", "D../.../...B.../......./..BBB.B/BBB/BBB b"),
        ],
    );
    turns(
        able,
        &[
            ("c7-c6; huff c6", "T43"),
            ("d6-e6; huff d6", "T43"),
            ("d6-e6; huff c7", "T43"),
            ("d6-e6; huff c7 e6", "T43"),
        ],
    );
    let two = ".../.../..D.D../..B.B../B..B.BB/BBB/BBB d";
    turns(two, &[("e5-f4; huff f4", ".../.../..D..../..B.B../B..B.BB/BBB/BBB b"), ("c5-c6; huff c6 e5", "T43")]);
    let both = format!("[huff-scope=both] {two}");
    turns(&both, &[("c5-c6; huff c6 e5", "= besiegers win: huffed"), ("e5-f4; huff f4 c5", "= besiegers win: huffed")]);
    turns(&both, &[("c5-c6", "= besiegers win: huffed"), ("c5-c6; huff c6", "T43"), ("c5-c6; huff c6 c6", "T43")]);
}

#[test]
fn t44_auto_the_huff_follows_automatically_and_nobody_claims() {
    let able = "D../.D./...B.../......./..BBB.B/BBB/BBB d";
    turns(
        able,
        &[("huff d6; c7-c6", "T44"), ("huff d6", "T44"), ("c7-c6", ".../D../...B.../......./..BBB.B/BBB/BBB b")],
    );
    let turn = ".../DD./...B.../......./..BBB.B/BBB/BBB b";
    turns(
        turn,
        &[("huff d6; c3-c4", "T44"), ("huff d6", "T44"), ("c3-c4", ".../DD./...B.../..B..../...BB.B/BBB/BBB d")],
    );
    turns(&format!("[huff=strict] {turn}"), &[("huff d6; c3-c4", "T44"), ("c3-c4; huff d6", "T44")]);
}

#[test]
fn t44_claim_the_besiegers_name_one_culprit_before_they_move() {
    let able = "[huff=claim] D../.D./...B.../......./..BBB.B/BBB/BBB d -";
    turns(able, &[("c7-c6", ".../DD./...B.../......./..BBB.B/BBB/BBB b d6"), ("c7-c6; huff d6", "T44")]);
    turns(able, &[("d6xd4", "D../.../......./...D.../..BBB.B/BBB/BBB b -")]);
    let turn = "[huff=claim] .../DD./...B.../......./..BBB.B/BBB/BBB b d6";
    turns(
        turn,
        &[
            ("huff d6; c3-c4", ".../D../...B.../..B..../...BB.B/BBB/BBB d -"),
            ("c3-c4", ".../DD./...B.../..B..../...BB.B/BBB/BBB d -"),
        ],
    );
    turns(
        turn,
        &[
            ("huff c6; c3-c4", "T44"),
            ("huff d6 d6; c3-c4", "T44"),
            ("c3-c4; huff d6", "T44"),
            ("huff d6; huff d6", "T44"),
        ],
    );
    turns(turn, &[("huff d6; c3-c4; huff d6", "T44"), ("huff d6; d5-e6", "T2"), ("huff d6; d5-d4", "T21")]);
    // The defender that the claim removes makes room for the step.
    turns(turn, &[("d5-d6", "T20"), ("huff d6; d5-d6", ".../DB./......./......./..BBB.B/BBB/BBB d -")]);
    let both = "[huff=claim huff-scope=both] .../.../..D.D../..B.B../B..B.BB/BBB/BBB d -";
    turns(
        both,
        &[
            ("c5-c6", ".../D../....D../..B.B../B..B.BB/BBB/BBB b c6,e5"),
            ("c5xc3", ".../.../....D../....B../B.DB.BB/BBB/BBB b c3"),
        ],
    );
    let two = "[huff=claim huff-scope=both] .../D../....D../..B.B../B..B.BB/BBB/BBB b c6,e5";
    turns(two, &[("huff e5; c4-c5", ".../D../..B..../....B../B..B.BB/BBB/BBB d -"), ("huff c6 e5; c4-c5", "T44")]);
}

#[test]
fn t44_strict_a_capture_is_jumped_to_its_end() {
    let short = "[huff=strict] .D./.B./D....../B..B.../BB...BB/B.B/BBB d";
    turns(
        short,
        &[
            ("d7xd5xd3", ".../.../D....../B....../BB.D.BB/B.B/BBB b"),
            ("d7xd5", "T44"),
            ("a5-b5", "T44"),
            ("d7xd5; huff d5", "T44"),
        ],
    );
    turns(short, &[("d7xd5xd3; huff d3", "T44"), ("d7xd5xd3xd1", "T31")]);
}

/// What the refusal of an entry says would be legal.
fn advice(position: &str, entry: &str) -> String {
    at(position).play(&read(entry)).expect_err("a refusal").help.expect("advice")
}

#[test]
fn t44_strict_a_refusal_advises_the_captures_that_are_due() {
    let able = "[huff=strict] D../.D./...B.../......./..BBB.B/BBB/BBB d";
    let due = "the defender on d6 can capture, so the entry begins with d6xd4";
    for (entry, rule) in [("c7-d6", "T30"), ("d6-d5", "T30"), ("d6-d3", "T2"), ("c7-c6", "T44")] {
        turns(able, &[(entry, rule)]);
        assert_eq!(advice(able, entry), due, "{entry}");
    }
    assert_eq!(advice(&able["[huff=strict] ".len()..], "c7-d6"), "from c7 it may step to c6 or d7");
    let chain = "[huff=strict] .D./.B./D....../B..B.../BB...BB/B.B/BBB d";
    assert_eq!(advice(chain, "d7xd5"), "from d5 it may jump to d3");
    assert_eq!(advice(chain, "a5-a4"), "the defender on d7 can capture, so the entry begins with d7xd5");
}

#[test]
fn t52_claim_a_refusal_advises_the_claims_that_are_due() {
    let frees = "[huff=claim] BBB/BBB/BBBBDBB/...B..D/......./.../... b e5";
    let due = "no besieger can move as it is: the entry is `huff e5` and then a step";
    for (entry, rule) in [("d4-e5", "T20"), ("d4-c4", "T20"), ("a1-a2", "T1"), ("b4-b5", "T20"), ("d4xd6", "T22")] {
        turns(frees, &[(entry, rule)]);
        if rule != "T1" {
            assert_eq!(advice(frees, entry), due, "{entry}");
        }
    }
    assert_eq!(advice(frees, "huff e5; d4-d5"), "from d4 it may go to e5");
    assert_eq!(advice(frees, "huff e5"), "the besiegers that can move stand on d4 and f5");
    let wins = "[huff=claim] BBB/BBB/BBBBDBB/......./......./.../... b e5";
    assert_eq!(advice(wins, "d6-d7"), "no besieger can move as it is: the entry is `huff e5` alone");
}

#[test]
fn t50_the_fifteenth_capture_wins_in_mid_chain() {
    let thirteen = "..D/.../..D..../.BB...B/.B.B..B/B.B/BBB d";
    turns(thirteen, &[("c5xc3xe3", "= defenders win: captured"), ("c5xc3xa3", "= defenders win: captured")]);
    turns(
        thirteen,
        &[
            ("c5xc3xa3xc5", "T50"),
            ("c5xc3xa3; huff a3", "T50"),
            ("c5xc3; huff c3", "..D/.../......./.B....B/.B.B..B/B.B/BBB b"),
        ],
    );
    let sixteen = format!("[captures=16] {thirteen}");
    turns(
        &sixteen,
        &[("c5xc3xa3xc5", "= defenders win: captured"), ("c5xc3xe3", "..D/.../......./.B....B/.B..D.B/B.B/BBB b")],
    );
    assert_eq!(result(&at("BB./BBB/D.BBB../......./B.....D/.../... b")).as_deref(), Some("= defenders win: captured"));
    assert_eq!(result(&at("[captures=16] BB./BBB/D.BBB../......./B.....D/.../... b")), None);
}

#[test]
fn t51_without_a_defender_the_besiegers_win() {
    let last = ".D./.B./......./......./BB...BB/BBB/BBB d";
    turns(
        last,
        &[
            ("d7xd5", ".../.../...D.../......./BB...BB/BBB/BBB b"),
            ("d7-e7; huff e7", "= besiegers win: huffed"),
            ("d7-c7", "= besiegers win: huffed"),
        ],
    );
    let claim = "[huff=claim] BBB/BBB/BBBBDBB/......./......./.../... b e5";
    turns(claim, &[("huff e5", "= besiegers win: huffed"), ("huff e5; d6-d7", "T51"), ("d6-d7", "T20")]);
    assert_eq!(result(&at(".../.../......./......./......./.../BBB b")), Some("= defenders win: captured".into()));
    assert_eq!(result(&at(".../.../BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b")), Some("= besiegers win: huffed".into()));
}

#[test]
fn t52_when_no_besieger_can_move_the_defenders_win() {
    turns(
        "BBB/BBB/BBBB.BB/....D../......D/.../... d",
        &[("e4-e5", "= defenders win: immobile"), ("e4-f4", "BBB/BBB/BBBB.BB/.....D./......D/.../... b")],
    );
    // The huff comes first.
    turns(
        "BBB/BBB/BBBBDBB/...B.../......D/.../... d",
        &[("g3-g4; huff e5", "BBB/BBB/BBBB.BB/...B..D/......./.../... b")],
    );
    turns("BBB/BBB/BBBB.BB/...BD../......./.../... d", &[("e4-e5", "= besiegers win: huffed")]);
    // With `claim` it waits for a claim that helps, and for no other.
    let helps = "[huff=claim] BBB/BBB/BBBBDBB/...B..D/......./.../... b e5";
    turns(helps, &[("d4-e5", "T20"), ("huff e5; d4-e5", "= besiegers win: fortress"), ("huff g4; d4-e5", "T44")]);
    assert_eq!(
        result(&at("[huff=claim] BBB/BBB/BBBBDBB/......./......D/.../... b g3")).as_deref(),
        Some("= defenders win: immobile")
    );
}

#[test]
fn t53_nine_besiegers_in_the_fortress_win() {
    let last = "BBB/BBB/BBBB.BB/...B..D/......./.../... b";
    turns(last, &[("d4-e5", "= besiegers win: fortress"), ("f5-e5", "= besiegers win: fortress"), ("g5-f5", "T20")]);
    // It is named before the trap, which also applies here.
    turns("BBB/BBB/BBB.BBB/...BBBB/....BBD/.../... b", &[("d4-d5", "= besiegers win: fortress")]);
    turns("BBB/.BB/BBB.BBB/...BBBB/....BBD/.../... b", &[("d4-d5", "= besiegers win: trapped")]);
}

#[test]
fn t54_when_no_defender_can_step_or_jump_the_besiegers_win() {
    turns("DDB/BB./..B.B../...B.../......./B../BBB b", &[("d4-d5", "= besiegers win: trapped"), ("c6-c7", "T20")]);
    turns("DBB/BB./..B.B../......./.....D./BB./BBB b", &[("c2-c3", "DBB/BB./..B.B../......./..B..D./.B./BBB d")]);
    // A jump is enough, even if all steps are blocked.
    assert_eq!(result(&at("DDB/BB./..B.B../......./......./BBB/BBB d")), None);
    assert_eq!(result(&at("DDB/BB./..BBB../......./......./B../BBB d")).as_deref(), Some("= besiegers win: trapped"));
}

#[test]
fn t55_nothing_can_be_claimed() {
    let sideways = "[sideways=both] BBB/BBB/.BBBDBB/......./......D/.../... b";
    for position in [START, BEFORE, "BBB/BBB/BBBB.BB/...B..D/......./.../... b", sideways] {
        for claim in [Claim::Repetition, Claim::Quiet] {
            assert_eq!(at(position).claim(claim).expect_err("no claim holds").rule, rules::T55);
        }
    }
}

#[test]
fn every_rule_has_a_test_of_its_number() {
    for rule in rules::TABLE {
        let name = format!("fn {}_", rule.code.to_lowercase());
        assert!(include_str!("tests.rs").contains(&name), "{rule} {}", rule.title);
    }
}

#[test]
fn a_position_has_one_spelling() {
    for text in [
        "",
        ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB",
        ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB ",
        ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB w",
        ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b ",
        ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b -",
        ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBBBBBB b",
        ".../d.d/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b",
        "D../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b",
        ".B./D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b",
        ".../é.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b",
    ] {
        let fault = Asalto::start(&Start::open(&Options::default(), Some(text))).expect_err(text);
        let SetupFault::Position(misfit) = fault else { panic!("{text:?}: {fault:?}") };
        assert!(misfit.offset <= text.len() && !misfit.expected.is_empty(), "{text:?}: {misfit:?}");
    }
    let claim = options("huff=claim");
    for third in ["", " ", " c6", " d6", " e5,c5", " c5,c5", " c5,", " c5 e5", " c5, e5", " -c5", " c5,e5 "] {
        let text = format!(".../.../..D.D../..B.B../B..B.BB/BBB/BBB b{third}");
        assert!(Asalto::start(&Start::open(&claim, Some(&text))).is_err(), "{text}");
    }
    assert!(Asalto::start(&Start::open(&claim, Some(".../.../..D.D../..B.B../B..B.BB/BBB/BBB d c5"))).is_err());
    for third in ["-", "c5", "e5", "c5,e5"] {
        at(&format!("[huff=claim] .../.../..D.D../..B.B../B..B.BB/BBB/BBB b {third}"));
    }
}

#[test]
fn positions_have_just_these_legal_entries() {
    let lines: Vec<_> = include_str!("positions.txt").lines().filter(|line| !line.starts_with('#')).collect();
    let mut count = 0;
    for block in lines.split(|line| line.is_empty()).filter(|block| !block.is_empty()) {
        let [name, position, expected] = block else { panic!("{block:?}: name, position, entries") };
        let (game, expected) = (at(position.trim()), expected.trim());
        count += 1;
        if expected.starts_with('=') {
            assert_eq!(result(&game).as_deref(), Some(expected), "{name}");
        }
        let (from, expected) = match expected.split_once(": ") {
            Some((from, list)) if from.starts_with("from ") => (&from[5..], list),
            _ => ("", expected),
        };
        let mut moves = Moves::default();
        game.moves(&mut moves);
        let mut found: Vec<_> = moves
            .iter()
            .map(|entry| {
                let text = write(entry);
                let after = comes_of(&game, &text);
                if after.starts_with('=') { format!("{text} {after}") } else { text }
            })
            .filter(|text| text.starts_with(from))
            .collect();
        let mut wanted: Vec<_> =
            expected.split(", ").filter(|text| *text != "none" && !text.starts_with('=')).collect();
        found.sort();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{name}");
    }
    assert_eq!(count, 36);
}

fn perft(game: &Asalto, depth: usize) -> u64 {
    let mut moves = Moves::default();
    game.moves(&mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let count = |entry: &[Action]| {
        let mut next = game.clone();
        next.play(entry).expect("a listed entry is legal");
        perft(&next, depth - 1)
    };
    moves.iter().map(count).sum()
}

#[test]
fn sequences_of_entries_have_these_counts() {
    let lines = include_str!("perft.txt").lines().filter(|line| line.starts_with("place"));
    for line in lines.clone() {
        let (head, counts) = line.split_once(": ").expect("counts");
        let (placement, list) = head.split_once(" [").unwrap_or((head, ""));
        let mut game = Asalto::start(&Start::open(&options(list.trim_end_matches(']')), None)).expect("the start");
        game.play(&read(placement)).expect("a placement");
        for (index, count) in counts.split(' ').enumerate() {
            assert_eq!(perft(&game, index + 1).to_string(), count, "{head}, depth {}", index + 1);
        }
    }
    assert_eq!(lines.count(), 12);
}
