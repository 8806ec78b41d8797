//! Rule tests, named after the rules: a refused case and its legal twin, from a position line.

use super::*;

pub(super) fn options(list: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in list {
        options.choose(OPTIONS, name, value).expect("an option of the game");
    }
    options
}

fn at(position: &str, list: &[(&str, &str)]) -> Asalto {
    let game = Asalto::start(&options(list), Some(position)).expect("a position");
    assert_eq!(game.position(), position, "a position reads back as it was written");
    game
}

pub(super) fn write(actions: &[Action]) -> String {
    let texts = actions.iter().map(|action| {
        let mut text = String::new();
        Asalto::write_action(action, &mut text);
        text
    });
    texts.collect::<Vec<_>>().join("; ")
}

fn perft(game: &Asalto, depth: u32) -> u64 {
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
fn perft_quick() {
    let c6e6 = ".../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b";
    for (depth, count) in [(1, 9), (2, 48), (3, 356), (4, 2080), (5, 17048), (6, 78280)] {
        assert_eq!(perft(&at(c6e6, &[]), depth), count);
    }
    let moves = {
        let mut m = Moves::default();
        at("..D/.../..D..B./.BB..BB/.B..BBB/BBB/BBB d", &[]).moves(&mut m);
        m
    };
    let mut list: Vec<_> = moves.iter().map(write).collect();
    list.sort();
    assert_eq!(list.len(), 15, "{list:?}");
}
