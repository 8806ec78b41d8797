//! The tables of the rulebook: control, collapse, conflicts, the turn limit, counts.

use super::super::board::stack::Stack;
use super::super::board::{Board, Face, Territory, Token};
use super::*;
use crate::subsume::rules::conflict;

fn letters(stack: &Stack) -> String {
    stack.iter().filter_map(|token| token.kind()).map(Kind::letter).collect()
}

fn resolve(own: &Stack, enemy: &Stack) -> [conflict::Place; 2] {
    conflict::resolve([own.clone(), enemy.clone()]).0
}

fn stack(letters: &str, first: u32) -> Stack {
    let token = |(number, letter)| Token::new(number, 0, Face::Up(Kind::of(letter).expect("a type")));
    (first..).zip(letters.bytes()).map(token).collect()
}

/// The territories that are controlled.
fn controlled(position: &str, border: &str) -> Vec<String> {
    let game = with(position, &[("border", border)]);
    game.state.board.all().filter(|one| game.controls(one)).map(|one| one.corner.to_string()).collect()
}

#[test]
fn u20_a_lone_territory_needs_its_claim_and_its_border() {
    for (corner, size, needed) in
        [("e4", 1, 5), ("a1", 1, 5), ("c3", 2, 12), ("a1", 2, 12), ("c3", 4, 32), ("e5", 4, 32)]
    {
        for border in ["full", "shared"] {
            for (tokens, expected) in [(needed, 1), (needed - 1, 0)] {
                let name = if size == 1 { corner.to_owned() } else { format!("{corner}/{size}") };
                let position = format!("W {name} {}; to play white", "I".repeat(tokens));
                assert_eq!(controlled(&position, border).len(), expected, "{position} {border}");
            }
        }
    }
}

#[test]
fn u21_edges_facing_the_owners_controlled_territories_count_or_not() {
    let none: &[&str] = &[];
    for (position, full, shared) in [
        ("W c3/2 IADIADIADIA; W e3 IADIA; to play white", &["e3"][..], &["c3", "e3"][..]),
        ("W c1 AIDAI; W c2 IIII; W d1 DDDD; W d2 AAA; to play white", &["c1"], &["c1", "c2", "d1", "d2"]),
        ("W c1 IIII; W c2 IIII; W d1 IIII; W d2 IIII; to play white", none, none),
        ("W c1 IIIII; B c2 IIII; to play white", &["c1"], &["c1"]),
        ("W a8 IIIII; W b1 IIII; to play white", &["a8"], &["a8"]),
        ("W a1 IIIII; W a2 IIII; W h1 IIII; W h2 IIIII; to play white", &["a1", "h2"], &["a1", "a2", "h1", "h2"]),
        (
            "W a1/4 IIIIIIIIIIIIIIIIIIIIIIIIIIII; W e1/4 IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII; to play white",
            &["e1"],
            &["a1", "e1"],
        ),
    ] {
        assert_eq!(controlled(position, "full"), full, "{position}");
        assert_eq!(controlled(position, "shared"), shared, "{position}");
    }
}

#[test]
fn u30_u31_u32_four_make_one() {
    let game = at("W c1 IIIII; W c2 DDDDD; W d1 AAAAA; W d2 IADIA; to play white");
    leads(&game, "+h1I; c1=2", "W c1/2 IIIIIAAAAADDDDDIADIA; W h1 I; to play black");
    refused(&game, "+h1I; d1=2", "U30");
    refused(&game, "+h1I; h8=2", "U30");
    refused(&game, "+h1I; c1=4", "U30");
    let four = "W c1/2 IADIADIADIAD; W c3/2 ADIADIADIADI; W e1/2 DIADIADIADIA; W e3/2 IADIADIADIAD; to play white";
    leads(&at(four), "+h1I; c1=4", "W c1/4 IADIADIADIADDIADIADIADIAADIADIADIADIIADIADIADIAD; W h1 I; to play black");
    refused(&at(four), "+h1I; c1=2", "U30");
}

#[test]
fn u60_claims_break_towards_the_square_that_is_crossed() {
    for (position, turn, expected) in [
        ("W c3/2 IADI; to play white", "d3-e3", "W d3 IAD; W e3 I"),
        ("W c3/2 IADIA; to play white", "d3-e3", "W c3/2 IADI; W e3 A"),
        ("W c3/2 IADI; to play white", "d3-e3; d3-c3", "W c3 D; W d3 IA; W e3 I"),
        ("W c3/2 IADI; to play white", "d3-e3*4", "W e3 IDAI"),
        ("W c3/4 IIIIIIIIIIIIIIIII; to play white", "c5-b5", "W b5 I; W c3/4 IIIIIIIIIIIIIIII"),
        ("W c3/4 IIIIIIIIIIIIIIII; to play white", "c5-b5", "W b5 I; W c5/2 IIIIIIIIIIIIIII"),
        ("W c3 IAD; to play white", "c3-c4*3", "W c4 DAI"),
    ] {
        let after = rule_of(&at(position), &format!("+a1I; {turn}")).expect(turn);
        assert_eq!(after, format!("W a1 I; {expected}; to play black"), "{position} {turn}");
    }
    refused(&at("W c3/2 IADIADIADIAD; W e3 I; to play white"), "+a1I; e3-d3; c3^1; c3-b3", "U71");
}

/// Own stack, enemy stack, then the two places afterwards, each with its owner.
const CONFLICTS: [(&str, &str, &str, &str); 16] = [
    ("I", "A", "W IA", ""),
    ("I", "D", "B I", "B D"),
    ("A", "A", "W A", "B A"),
    ("A", "D", "", "W DA"),
    ("D", "I", "W D", "W I"),
    ("AAA", "IDD", "", "W IDDAAA"),
    ("I", "AAAA", "B IAAAA", ""),
    ("AAA", "I", "", "B IAAA"),
    ("AAAAA", "I", "", "W IAAAAA"),
    ("D", "III", "W D", "B III"),
    ("II", "AADD", "B IIAA", "B DD"),
    ("A", "ID", "", "W IDA"),
    ("A", "DI", "", "B DIA"),
    ("IAD", "DIA", "B IDA", "B DIA"),
    ("AD", "DA", "B DA", "W DA"),
    ("AADD", "AAAAI", "W AADDAA", "B AAI"),
];

/// What a place contains and who owns it, `W IA`; empty if it is empty.
fn place(place: &conflict::Place, owner: &str, other: &str) -> String {
    match letters(&place.stack) {
        empty if empty.is_empty() => empty,
        letters => format!("{} {letters}", if place.changes_hands() { other } else { owner }),
    }
}

#[test]
fn u52_u53_u54_u55_u56_conflicts_end_as_in_the_table_and_also_with_roles_exchanged() {
    for (own, enemy, first, second) in CONFLICTS {
        let [attacked, defended] = resolve(&stack(own, 1), &stack(enemy, 50));
        assert_eq!(
            (place(&attacked, "W", "B"), place(&defended, "B", "W")),
            (first.into(), second.into()),
            "{own} {enemy}"
        );
        let [other, same] = resolve(&stack(enemy, 50), &stack(own, 1));
        assert_eq!((&same, &other), (&attacked, &defended), "{own} {enemy}: the roles exchanged");
    }
    let numbers = |place: &conflict::Place| place.stack.iter().map(Token::number).collect::<Vec<_>>();
    let [attacked, defended] = resolve(&stack("AADD", 1), &stack("AAAAI", 50));
    assert_eq!((numbers(&attacked), numbers(&defended)), (vec![1, 2, 3, 4, 53, 50], vec![51, 52, 54]));
}

#[test]
fn u52_single_tokens_by_whole_turns() {
    for (own, enemy, first, second) in CONFLICTS {
        let position = format!("W d4 {own}; B d5 {enemy}; W h1 I; B h8 I; to play white");
        let position = position.replace("; W h1 I; B h8 I", "; B h8 I; W h1 I");
        let game = Subsume::start(&Start::open(&Options::default(), Some(&position))).expect("a position");
        let mut board: Vec<String> = Vec::new();
        for (text, square) in [(first, "d4"), (second, "d5")] {
            if let Some((owner, letters)) = text.split_once(' ') {
                board.push(format!("{owner} {square} {letters}"));
            }
        }
        board.extend(["W h1 II".into(), "B h8 I".into(), "to play black".into()]);
        leads(&game, "+h1I; d4xd5", &board.join("; "));
    }
}

#[test]
fn u58_u60_larger_territories_in_conflict() {
    leads(
        &at("W c3/2 DDAA; B e3 DD; B h8 I; to play white"),
        "+a1I; d3xe3",
        "W a1 I; W d3 DD; W e3 DDAA; B h8 I; to play black",
    );
    leads(
        &at("W b3 AAAAA; B c3/2 DDDD; B h8 I; to play white"),
        "+a1I; b3xc3",
        "W a1 I; W c3/2 DDDDAAAAA; B h8 I; to play black",
    );
    leads(
        &at("W a1/4 DAAAAAAAAAAAAAAA; B e2 D; B h8 I; to play white"),
        "+h1I; d2xe2",
        "W d2 D; W e2 DAAAAAAAAAAAAAAA; W h1 I; B h8 I; to play black",
    );
}

#[test]
fn u80_an_attacker_with_nothing_left_has_lost() {
    let game = after(&at("W a1 I; B a2 AAAAAAA; to play white"), &["+a1I; a1xa2"]);
    assert_eq!(game.position(), "B a1 IIAAAAAAA; game over");
    assert_eq!(game.outcome(), Some(Outcome::Win(BLACK, "territory")));
    refused(&at("W a1 I; B a2 AAAAAAA; to play white"), "+a1I; a1xa2; a1-b1", "U80");
}

#[test]
fn u81_controlled_area_then_area_then_tokens() {
    for (position, expected) in [
        ("W d4 AAAA; B d6 DDDD; to play white", Outcome::Draw("turn limit")),
        ("W d4 AAAA; B d6 DDDDD; to play white", Outcome::Win(BLACK, "turn limit")),
        ("W d4 AAAA; B d6 DDDDD; B d7 D; to play white", Outcome::Win(BLACK, "turn limit")),
        ("W d4 AAAA; B d6 DDD; B d7 D; to play white", Outcome::Win(WHITE, "turn limit")),
    ] {
        let half = after(&with(position, &[("turn-limit", "1")]), &["+d4A"]);
        assert_eq!(half.outcome(), None, "{position}");
        let game = after(&half, &["+d6D"]);
        assert_eq!(game.outcome(), Some(expected), "{position}");
        assert!(game.position().ends_with("; game over"), "{}", game.position());
        assert_eq!(after(&with(position, &[("turn-limit", "none")]), &["+d4A", "+d6D"]).outcome(), None);
    }
}

#[test]
fn a_short_game_to_its_end() {
    let game = after(
        &at("to play white"),
        &[
            "+d1A; d1-d2",
            "+d8D; d8-d7",
            "+d2A; d2-d3*2",
            "+d7D; d7-d6*2",
            "+d3A; d3-d4*3",
            "+d6D; d6-d5*3",
            "+d4A; d4xd5",
        ],
    );
    assert_eq!(game.position(), "W d5 DDDAAAA; game over");
    assert_eq!(game.outcome(), Some(Outcome::Win(WHITE, "territory")));
}

#[test]
fn sequences_of_single_actions_are_counted() {
    for (position, list, counts) in [
        ("to play white", &[][..], &[24, 90, 642, 3744][..]),
        (RICH[1], &[], &[30, 498, 7095]),
        (RICH[1], &[("border", "shared")], &[30, 528, 7815]),
        (RICH[3], &[], &[27, 609, 11043]),
        ("W a1 IAD; W a2 DD; B a4 I; W b1 A; to play white", &[], &[27, 294, 3036, 25578]),
        ("W d4 I; B d5 AAAA; to play white", &[], &[27, 201, 1390, 10560]),
        ("W c3 I; to play black", &[], &[24, 90, 714, 6606]),
    ] {
        let game = with(position, list);
        for (depth, expected) in (1..).zip(counts) {
            assert_eq!(game.perft(depth), *expected, "{position} {list:?} at {depth}");
            let divided: u64 = game.divide(depth).iter().map(|(_, count)| count).sum();
            assert_eq!(divided, *expected, "{position} {list:?} at {depth}, divided");
        }
    }
    assert_eq!(at("to play white").perft(0), 1);
}

#[test]
fn a_copied_board_shares_its_stacks_until_they_change() {
    let game = at("W c3/2 IADI; B h8 I; to play white");
    let mut other = game.clone();
    other.play(&read("+c3A; d3-e3")).expect("a turn");
    assert_eq!(game.position(), "W c3/2 IADI; B h8 I; to play white");
    assert_eq!(other.position(), "W c3/2 IADI; W e3 A; B h8 I; to play black");
    let mut board = Board::empty();
    board.put(Territory::new(WHITE, Square::new(0, 0).expect("a1"), 1, Stack::default()));
    assert_eq!(board, Board::empty(), "a territory without tokens is none");
}
