//! Starts and set-ups: what is accepted, how it is written, and what is refused where.

use super::*;

/// The fault of a set-up: the rest of the text from where it stops fitting, and what was expected.
fn fault<'a>(text: &'a str, list: &[(&str, &str)]) -> (&'a str, &'static str) {
    match Assideum::start(&Start::open(&options(list), Some(text))) {
        Err(SetupFault::Position(misfit)) => (&text[misfit.offset..], misfit.expected),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a3_the_start() {
    let expected = "white Ke1 Rd1=N Pc1=N Pf1=N Cb1 Cg1 Sa1 Sh1 Va2 Vb2 Vc2 Vd2 Ve2 Vf2 Vg2 Vh2 Fc1 Ff1; \
                    black Ke8 Rd8=S Pc8=S Pf8=S Cb8 Cg8 Sa8 Sh8 Va7 Vb7 Vc7 Vd7 Ve7 Vf7 Vg7 Vh7 Fc8 Ff8; to play white";
    assert_eq!(start(&[]).position(), expected);
    assert_eq!(start(&[("back-row", "SCPRKPCS")]).position(), expected);
    assert_eq!(at(expected).field, start(&[]).field);
}

#[test]
fn a3_the_back_row_is_an_option() {
    let position = start(&[("back-row", "RKSCPPCS")]).position();
    assert!(position.starts_with("white Kb1 Ra1=N Pe1=N Pf1=N Cd1 Cg1 Sc1 Sh1 "), "{position}");
    assert!(position.contains("; black Kb8 Ra8=S "), "{position}");
    for refused in ["KRSCPPCS", "SCPRKPC", "SCPRKPCSS", "SSPRKPCS", "scprkpcs", "SCPRKPCV", ""] {
        assert!(Options::default().choose(OPTIONS, "back-row", refused).is_err(), "{refused}");
    }
}

#[test]
fn a3_a_back_row_is_not_allowed_with_a_set_up() {
    let setup = Some("white Ka1; black Kh8; to play white");
    let fault = Assideum::start(&Start::open(&options(&[("back-row", "SCPRKPCS")]), setup)).expect_err("both");
    assert_eq!(fault, SetupFault::Beside { option: "back-row" });
    assert!(Assideum::start(&Start::open(&options(&[("ranger-fire", "none")]), setup)).is_ok());
}

#[test]
fn a56_the_number_of_quiet_turns_has_bounds() {
    for (value, admitted) in [("10", true), ("400", true), ("99", true), ("none", true), ("9", false), ("401", false)] {
        assert_eq!(Options::default().choose(OPTIONS, "quiet-turns", value).is_ok(), admitted, "{value}");
    }
}

#[test]
fn set_ups_are_read_leniently_and_written_canonically() {
    let text = "  white   Fc1 Vb8 Va2 Pc1=N Ke1 Fc1  ;black  Vh1 Vd5! Rd8=W Kh8;   to  play   black ";
    let line = "white Ke1 Pc1=N Va2 Vb8! Fc1 Fc1; black Kh8 Rd8=W Vd5! Vh1!; to play black";
    assert_eq!(game_position(text), line);
    assert_eq!(game_position(&line.replace("; ", ";")), line);
}

fn game_position(text: &str) -> String {
    Assideum::start(&Start::open(&Options::default(), Some(text))).expect("a position").position()
}

#[test]
fn set_ups_that_do_not_fit_are_refused_where_they_stop_fitting() {
    let cases = [
        ("white Ka1; black Kh8", "", "a space and a piece, or `;`"),
        ("black Kh8; white Ka1; to play white", "black Kh8; white Ka1; to play white", "`white` and its pieces"),
        ("White Ka1; black Kh8; to play white", "White Ka1; black Kh8; to play white", "`white` and its pieces"),
        ("white Ka1; to play white", "to play white", "`black` and its pieces"),
        (
            "white ka1; black Kh8; to play white",
            "ka1; black Kh8; to play white",
            "a piece: its letter (K, R, P, C, S, V or F) and its square, as in Ke1",
        ),
        ("white Ka9; black Kh8; to play white", "a9; black Kh8; to play white", "a square, a1 to h8"),
        ("white Ka1 Pc1; black Kh8; to play white", "; black Kh8; to play white", "`=` and a facing, N, E, S or W"),
        ("white Ka1 Pc1=n; black Kh8; to play white", "n; black Kh8; to play white", "a facing, N, E, S or W"),
        ("white Ka1=N; black Kh8; to play white", "=N; black Kh8; to play white", "a space and a piece, or `;`"),
        ("white Ka1!; black Kh8; to play white", "!; black Kh8; to play white", "a space and a piece, or `;`"),
        ("white Ka1,Vb2; black Kh8; to play white", ",Vb2; black Kh8; to play white", "a space and a piece, or `;`"),
        ("white Ka1; black Kh8; to play red", "red", "`to play white` or `to play black`"),
        ("white Ka1; black Kh8; toplay white", "play white", "`to play white` or `to play black`"),
        ("white Ka1; black Kh8; to play white.", ".", "the end of the position"),
        ("white\tKa1; black Kh8; to play white", "\tKa1; black Kh8; to play white", "a space and a piece, or `;`"),
    ];
    for (text, rest, expected) in cases {
        assert_eq!(fault(text, &[]), (rest, expected), "{text}");
    }
}

#[test]
fn impossible_set_ups_are_refused() {
    let cases = [
        ("white Va2; black Kh8; to play white", "one Commander a side (A2)"),
        ("white Ka1 Kc1; black Kh8; to play white", "one Commander a side (A2)"),
        ("white Ka1 Ra2=N Rb2=N; black Kh8; to play white", "at most one Ranger a side (A2)"),
        ("white Ka1 Pa2=N Pb2=N Pc2=N; black Kh8; to play white", "at most two Portals a side (A2)"),
        ("white Ka1 Fa2 Fb2 Fb2; black Kh8; to play white", "at most two Fighters a side (A2)"),
        (
            "white Ka1 Va2 Vb2 Vc2 Vd2 Ve2 Vf2 Vg2 Vh2 Va3; black Kh8; to play white",
            "at most eight Ved'rin a side (A2)",
        ),
        ("white Ka1 Va2 Sa2; black Kh8; to play white", "a square without another ground piece (A6)"),
        ("white Ka1 Va2; black Kh8 Va2; to play white", "a square without another ground piece (A6)"),
        ("white Ka1 Fd4; black Kh8 Fd4; to play white", "no enemy Fighters flying on one square (A7)"),
        ("white Ka1 Sd8; black Kh8; to play white", "a position in which the side not to play is not in siege (A51)"),
    ];
    for (text, expected) in cases {
        assert_eq!(fault(text, &[]).1, expected, "{text}");
    }
}

#[test]
fn set_ups_may_be_odd_where_no_rule_forbids_it() {
    at("white Ka1 Fd4; black Kh8; to play white");
    at("white Ka1 Pd4=N Fd4; black Kh8 Fd4; to play white");
    at("white Ka1 Vb1!; black Kh8; to play white");
    at("white Ka1 Sd8; black Kh8; to play black");
}

#[test]
fn a_set_up_is_judged_by_the_records_own_options() {
    let text = "white Ka1 Rh1=N; black Kh8; to play white";
    assert_eq!(fault(text, &[]).0, "white");
    at_with(text, &[("ranger-fire", "none")]);
}

#[test]
fn a_position_may_be_decided_already() {
    let over = [
        ("white Kb3 Rh1=W; black Ka1; to play black", Outcome::Win(WHITE, "siege")),
        ("white Kb3 Vc2!; black Ka1; to play black", Outcome::Draw("no option")),
        ("white Kb3; black Kh8; to play black", Outcome::Draw("bare")),
    ];
    for (text, outcome) in over {
        let game = at(text);
        assert_eq!(game.outcome(), Some(outcome), "{text}");
        assert!(listed(&game).is_empty());
        let illegal = refused(&game, "Ka1-a2");
        assert!(illegal.message.starts_with("the game is over"), "{illegal:?}");
    }
    assert_eq!(at("white Kb3 Fh1; black Kh8; to play black").outcome(), None, "a Fighter is a force (A55)");
}
