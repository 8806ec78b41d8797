//! Notation: what fits, what does not and where, shorthands, and slips that are corrected.

use super::*;

/// The rest of a text from where it stops fitting.
fn unread(text: &str) -> (&str, &'static str) {
    let misfit = Assideum::read_action(text).expect_err(text);
    (text.get(misfit.offset..).expect("a place within the text"), misfit.expected)
}

#[test]
fn turns_read_back_as_they_are_written() {
    let turns = [
        "Ve2-e3",
        "Sa1xa7",
        "Pc1-c2",
        "Pc1=E",
        "Rd1-d2=W",
        "Pb5-b4+e6",
        "Pb5-b4+e6+e6",
        "Pb5xc6=S+e6",
        "Pb5=N+a1+h8",
        "Fc1-c4",
        "Fc1xc4",
        "Fc4xc4",
        "Rd1*d7",
        "Ke1-e1",
        "Cb1xb1",
        "Rd1=N",
        "e2-e3",
        "c1=E+d4",
        "d1*d7",
        "f1xf2=W+f3",
        "c5-d6",
        "f8xe8",
        "b1-b2+c3",
    ];
    for text in turns {
        assert_eq!(write(&read(text)), text);
    }
}

#[test]
fn shorthands_of_signs_are_read() {
    for (short, text) in [
        ("va2-b3", "Va2-b3"),
        ("fg7×e7", "Fg7xe7"),
        ("cb1xb7", "Cb1xb7"),
        ("b5×c5+e6", "b5xc5+e6"),
        ("rd1*d7", "Rd1*d7"),
        ("ff1-f2", "Ff1-f2"),
        ("cc1-c2", "Cc1-c2"),
    ] {
        assert_eq!(read(short), read(text), "{short}");
    }
}

#[test]
fn a_missing_letter_and_carried_fighters_in_any_order_are_written_canonically() {
    let game = at("white Kh1 Pc3=N Pe3=N Vh2 Fd2 Fd5; black Kh8; to play white");
    let canonical = |text: &str| write(&game.canonical(&[read(text)])[0]);
    assert_eq!(canonical("c3-c4+d5+d2"), "Pc3-c4+d2+d5");
    assert_eq!(canonical("h2-h3"), "Vh2-h3");
    assert_eq!(canonical("h1-g1"), "Kh1-g1");
    assert_eq!(after(&game, "c3-c4+d5+d2"), after(&game, "Pc3-c4+d2+d5"));
}

#[test]
fn malformed_text_is_refused_where_it_stops_fitting() {
    const EITHER: &str = "`-` or `x` and a square";
    const PORTAL: &str = "`-` or `x` and a square, or `=` and a facing";
    const RANGER: &str = "`-`, `x` or `*` and a square, or `=` and a facing";
    const SQUARE: &str = "a square, a1 to h8";
    const END: &str = "the end of the turn";
    for (text, expected) in [
        ("", ("", "a turn: a piece's letter (K, R, P, C, S, V or F), its square and what it does (Ve2-e3)")),
        ("Ke1=N", ("=N", EITHER)),
        ("Ve2-e3=N", ("=N", END)),
        ("Ve2-e3+e6", ("+e6", END)),
        ("Fc1-c4=N", ("=N", END)),
        ("Pc1*c7", ("*c7", PORTAL)),
        ("Kc1*c7", ("*c7", EITHER)),
        ("Rd1*d7=N", ("=N", END)),
        ("Rd1-d2+e6", ("+e6", END)),
        ("d1*d7+e6", ("+e6", END)),
        ("Pc1-c2+e6=E", ("=E", END)),
        ("Ke1-e9", ("e9", SQUARE)),
        ("Ki1-e2", ("i1-e2", SQUARE)),
        ("Ke1e2", ("e2", EITHER)),
        ("e1", ("", RANGER)),
        ("Pe1", ("", PORTAL)),
        ("Pc1=e", ("e", "a facing: N, E, S or W")),
        ("Pc1-c2=", ("", "a facing: N, E, S or W")),
        ("PC1-c2", ("C1-c2", SQUARE)),
        ("Pc1-c2+", ("", SQUARE)),
        ("Pc1-c2 ", (" ", END)),
        ("Ve2-e3-e4", ("-e4", END)),
        ("Ve2–e3", ("–e3", EITHER)),
    ] {
        assert_eq!(unread(text), expected, "{text}");
    }
}

#[test]
fn long_lists_of_carried_fighters_are_read_and_refused() {
    let text = format!("Pb5-b4{}", "+e6".repeat(20_000));
    let game = at("white Kh1 Pb5=E Pe4=N Fe4 Fe6; black Kh8; to play white");
    assert_eq!(refused(&game, &text).rule.code, "A31");
}

#[test]
fn typing_slips_are_corrected() {
    for (typed, text) in [
        ("Ve2–e3", "Ve2-e3"),
        (" Sa1XA7 ", "Sa1xa7"),
        ("Pc1=e", "Pc1=E"),
        ("PC1-C2=w+E6", "Pc1-c2=W+e6"),
        ("B5×C6=s+e6", "b5xc6=S+e6"),
        ("Pb5=E", "Pb5=E"),
        ("claim quiet", "claim quiet"),
    ] {
        assert_eq!(Assideum::lenient(typed), text);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused_within_itself(text in "[KRPCSVFa-h1-8x×*=+NESW -]{0,14}|.{0,8}") {
        match Assideum::read_action(&text) {
            Ok(turn) => proptest::prop_assert_eq!(read(&write(&turn)), turn),
            Err(misfit) => proptest::prop_assert!(misfit.offset <= text.len()),
        }
        let _ = Assideum::lenient(&text);
    }
}
