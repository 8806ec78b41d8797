//! Reading and writing: actions, positions, shorthands.

use super::*;

#[test]
fn u95_actions_are_read_as_they_are_written() {
    let (seal, nonce) = ("9f".repeat(32), "4c".repeat(16));
    for text in [
        "+d1A".to_owned(),
        format!("+d1 seal:{seal}"),
        "c1=2".into(),
        "c1=4".into(),
        "c1^3".into(),
        "c1^999999".into(),
        "c1:3=D".into(),
        format!("c1:3=seal:{seal}"),
        "d4xd5".into(),
        format!("d4xd5 open:5:A:{nonce} open:7:I:{nonce}"),
        "d1-d2".into(),
        "d1-d2*3".into(),
        format!("reveal 6:D:{nonce}"),
        format!("reveal 6:D:{nonce} 999999:I:{nonce}"),
        "end".into(),
    ] {
        assert_eq!(write(&read(&text)), text);
    }
    assert_eq!(write(&read("d1-d2*1")), "d1-d2");
}

#[test]
fn u95_all_else_is_malformed() {
    let (seal, nonce) = ("9f".repeat(32), "4c".repeat(16));
    for text in [
        String::new(),
        "+d9A".into(),
        "+i1A".into(),
        "+d1".into(),
        "+d1B".into(),
        "+d1a".into(),
        "+d1AA".into(),
        "+d1A ".into(),
        format!("+d1 seal:{}", &seal[1..]),
        format!("+d1 seal:{}", seal.to_uppercase()),
        format!("+d1seal:{seal}"),
        "a1=8".into(),
        "a1=1".into(),
        "c1=3".into(),
        "c1^0".into(),
        "c1^".into(),
        "c1^01".into(),
        "c1^1000000".into(),
        "c1:1".into(),
        "c1:1=".into(),
        "c1:0=A".into(),
        "c1:1=d".into(),
        format!("c1:3= seal:{seal}"),
        "d4xd9".into(),
        "d4 x d5".into(),
        format!("d4xd5 open:0:A:{nonce}"),
        format!("d4xd5 open:5:A:{}", &nonce[1..]),
        format!("d4xd5 open:5:A:{}", nonce.to_uppercase()),
        format!("d4xd5 open:5.1:A:{nonce}"),
        format!("d4xd5  open:5:A:{nonce}"),
        "d1-d2*0".into(),
        "d1-d2*01".into(),
        "d1-d2*".into(),
        "d1-d2-d3".into(),
        "reveal".into(),
        "reveal ".into(),
        format!("reveal open:6:D:{nonce}"),
        format!("reveal 6:D:{nonce} "),
        "end ".into(),
        "ends".into(),
        "D1-d2".into(),
    ] {
        let misfit = notation::read(&text).expect_err(&text);
        assert!(misfit.offset <= text.len() && !misfit.expected.is_empty(), "{text}");
    }
}

#[test]
fn u95_equal_moves_that_follow_each_other_are_one() {
    let game = at("W c3/2 IADIADIADIAD; W f3 IAD; B h8 I; to play white");
    for (typed, canonical) in [
        ("+d4A; d3-e3; d3-e3; d3-e3*2", "+c3A; d3-e3*4"),
        ("+d4A; d3-e3; d4-e4; d3-e3", "+c3A; d3-e3; d4-e4; d3-e3"),
        ("+d4A; d3-e3*1; f3-g3", "+c3A; d3-e3; f3-g3"),
        ("+d4A; d4^1; d3-e3*10; c4-b4", "+c3A; c3^1; d3-e3*10; c4-b4"),
    ] {
        let list = game.canonical(&read(typed)).into_owned();
        assert_eq!(write(&list), canonical);
        assert_eq!(game.canonical(&list), list);
        assert_eq!(rule_of(&game, typed), rule_of(&game, canonical), "{typed}");
    }
    // The corner is the current one of the territory.
    let four = at("W c1 IIIII; W c2 DDDDD; W d1 AAAAA; W d2 IADIA; to play white");
    assert_eq!(write(&four.canonical(&read("+d2A; c1=2; d2^1"))), "+d2A; c1=2; c1^1");
    let collapses = at("W c3/2 IADI; B h8 I; to play white");
    assert_eq!(write(&collapses.canonical(&read("+h1A; d4-e4; d4-d5"))), "+h1A; d4-e4; d4-d5");
}

#[test]
fn typing_slips_are_corrected() {
    for (typed, mended) in [
        ("+D1a", "+d1A"),
        ("C1:3=d", "c1:3=D"),
        ("D4×D5", "d4xd5"),
        ("d1–d2*3", "d1-d2*3"),
        ("END", "end"),
        ("Reveal", ""),
        ("c1=2", "c1=2"),
    ] {
        assert_eq!(Subsume::lenient(typed), mended);
    }
}

#[test]
fn u96_territories_are_read_in_any_order_and_written_in_one() {
    for (text, canonical) in [
        ("W c3/2 IADI; B b8/1 D; to play white", "B b8 D; W c3/2 IADI; to play white"),
        ("W h1 I; W a8 I; W a1 I; to play black", "W a1 I; W a8 I; W h1 I; to play black"),
        ("to play black", "to play black"),
    ] {
        let game = Subsume::start(&Start::open(&Options::default(), Some(text))).expect(text);
        assert_eq!(game.position(), canonical);
    }
    // U90: tokens are numbered in canonical order, each stack from the bottom.
    let game =
        Subsume::start(&Start::open(&Options::default(), Some("W c3/2 IADI; B b8 DA; to play white"))).expect("one");
    let numbers: Vec<_> = game.state.board.all().flat_map(|one| one.stack.iter().map(|token| token.number())).collect();
    assert_eq!((numbers, game.state.tokens), (vec![1, 2, 3, 4, 5, 6], 6));
}

#[test]
fn u96_an_invalid_position_is_reported_with_its_place() {
    let full = "B a1 I; B b1 A; B c1 D; B d1 I; B e1 A; B f1 D; B g1 I; B h1 A; ";
    for (text, offset) in [
        ("", 0),
        ("to play", 0),
        ("to play red", 8),
        ("to play white ", 8),
        ("W c3 I?; to play white", 6),
        ("W c3 I; black to reveal", 8),
        ("W c3 I; game over", 8),
        ("W c3 ; to play white", 5),
        ("W c3; to play white", 4),
        ("W c9 I; to play white", 2),
        ("W c3/3 IIIIIIIII; to play white", 5),
        ("W c3/2 IAD; to play white", 7),
        ("W h3/2 IADI; to play white", 2),
        ("W e6/4 IADIIADIIADIIADI; to play white", 2),
        ("W c3/2 IADI; B d4 I; to play white", 15),
        ("W c3 I; W c3 I; to play white", 10),
        ("w c3 I; to play white", 0),
        ("W c3 I;to play white", 6),
        (&format!("{full}to play white"), full.len() + 8),
    ] {
        match Subsume::start(&Start::open(&Options::default(), Some(text))) {
            Err(SetupFault::Position(misfit)) => assert_eq!(misfit.offset, offset, "{text}: {}", misfit.expected),
            other => panic!("{text}: {other:?}"),
        }
    }
    let held = format!("{full}W c3 I; to play white");
    assert!(Subsume::start(&Start::open(&Options::default(), Some(&held))).is_ok());
}
