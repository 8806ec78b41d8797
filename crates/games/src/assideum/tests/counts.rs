//! How many sequences of turns there are: checks the generator against published counts.

use super::*;

fn perft(game: &Assideum, depth: u32) -> u64 {
    let mut moves = Moves::default();
    game.moves(&mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let count = |entry: &[Action]| {
        let mut next = game.clone();
        next.apply(entry);
        perft(&next, depth - 1)
    };
    moves.iter().map(count).sum()
}

#[test]
fn perft_of_the_start() {
    for (depth, nodes) in [(1, 45), (2, 2025), (3, 98618)] {
        assert_eq!(perft(&start(&[]), depth), nodes);
    }
    for (depth, nodes) in [(1, 49), (2, 2401)] {
        assert_eq!(perft(&start(&[("back-row", "RKSCPPCS")]), depth), nodes);
    }
}

#[test]
fn perft_of_the_table() {
    let table: serde_json::Value =
        serde_json::from_str(include_str!("../../../../../tests/data/assideum/perft.json")).expect("a table");
    let table = table.as_array().expect("a list");
    assert!(table.len() > 20);
    for row in table {
        let chosen = row["options"].as_object().expect("options");
        let chosen: Vec<_> = chosen.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap_or(""))).collect();
        let game = match row["position"].as_str() {
            Some("start") => start(&chosen),
            position => at_with(position.expect("a position"), &chosen),
        };
        let depth = row["depth"].as_u64().expect("a depth") as u32;
        assert_eq!(Some(perft(&game, depth)), row["nodes"].as_u64(), "{row}");
    }
}
