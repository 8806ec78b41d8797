//! What is hidden stays hidden: whatever is under the seals, everyone sees the same; and sealed play leads to the same
//! boards as open play.

use std::sync::Arc;

use super::*;

/// Everything that anyone may see of a game.
fn public(game: &Subsume) -> String {
    let mut list = Vec::new();
    game.list(&mut list);
    let marked: Vec<_> = Square::all().map(|at| game.marked(Viewer::Public, &at.to_string())).collect();
    format!("{} {:?} {list:?} {marked:?} {:?}", game.position(), game.view(Viewer::Public), game.due())
}

/// A game with everything that its players know.
fn told(game: &Subsume, sides: &[Side]) -> Subsume {
    let mut told = game.clone();
    for side in sides {
        told.reveal_to_owner(*side, &mut Owner(*side)).expect("its own secret");
    }
    told
}

/// The same with other types under all seals.
fn replaced(game: &Subsume, numbers: &mut Xorshift) -> Subsume {
    let mut other = game.clone();
    for (_, kind) in Arc::make_mut(&mut other.confided).values_mut() {
        *kind = Kind::ALL[numbers.below(3)];
    }
    other
}

#[test]
fn whatever_is_hidden_everyone_sees_the_same() {
    let mut numbers = Xorshift(0x5ec2e7);
    let (mut seen, mut differ) = (0, 0);
    for position in RICH {
        let mut game = sealed(position);
        for _ in 0..25 {
            random_turns(&mut game, &mut numbers, 1, |_, _, _| {});
            let before = public(&game);
            let all = told(&game, &Side::BOTH);
            let other = replaced(&all, &mut numbers);
            for one in [&all, &other] {
                assert_eq!(public(one), before, "{}", game.position());
            }
            for side in Side::BOTH {
                // A side sees its own seals and none of the other's.
                let own = told(&game, &[side]);
                assert_eq!(own.view(Viewer::Side(side)), all.view(Viewer::Side(side)));
                let other = own.view(Viewer::Side(side.other()));
                assert_eq!(with_legend(game.view(Viewer::Public), &other), other);
                differ += usize::from(own.view(Viewer::Side(side)).board != own.view(Viewer::Public).board);
            }
            seen += 1;
        }
    }
    assert!(seen > 200 && differ > 100, "{seen} {differ}");
}

/// A public scene with the legend of a side that knows no more; only the legend differs.
fn with_legend(mut scene: Scene, of: &Scene) -> Scene {
    scene.legend.clone_from(&of.legend);
    scene
}

#[test]
fn z15_owners_see_the_types_of_their_own_tokens() {
    let mut game = sealed("W d4 AA; B d5 DD; B h8 I; to play white");
    enter(&mut game, "+d4I");
    enter(&mut game, "+d5A");
    let game = told(&game, &Side::BOTH);
    let stacks = |viewer: Viewer| {
        let postrider_kernel::scene::Board::Blocks(board) = game.view(viewer).board else { panic!("territories") };
        let named =
            |file: u8, rank: u8| board.blocks.iter().find(move |block| (block.file, block.rank) == (file, rank));
        let of = |(file, rank): (u8, u8)| {
            named(file, rank).map(|block| block.tokens.iter().map(|token| token.sign()).collect())
        };
        [(3, 3), (3, 4)].map(|place| of(place).unwrap_or_else(String::new))
    };
    let ends = |viewer: Viewer, first: &str, second: &str| {
        let list = stacks(viewer);
        assert!(list[0].ends_with(first) && list[1].ends_with(second), "{viewer:?} {list:?}");
    };
    ends(Viewer::Public, "AA?", "DD?");
    ends(Viewer::Side(WHITE), "AAi", "DD?");
    ends(Viewer::Side(BLACK), "AA?", "DDa");
    ends(Viewer::Omniscient, "AAi", "DDa");
}

/// A sealed game as it would be in open play.
fn unsealed(game: &Subsume) -> Subsume {
    let told = told(game, &Side::BOTH);
    let mut open = game.clone();
    open.rules.sealed = false;
    for at in Square::all() {
        if open.state.board.at(at).is_some_and(|territory| territory.corner == at)
            && let Some(territory) = open.state.board.edit(at)
        {
            let shown = |token: &board::Token| {
                let face = token.seal().map_or(token.face(), |place| board::Face::Up(told.confided[&place].1));
                board::Token::new(token.number(), 0, face)
            };
            territory.stack = territory.stack.iter().map(shown).collect();
        }
    }
    open
}

#[test]
fn sealed_play_leads_to_the_boards_of_open_play() {
    let mut numbers = Xorshift(2718);
    let mut fights = 0;
    for position in RICH {
        let mut game = sealed(position);
        let mut open = at(position);
        for _ in 0..30 {
            if game.outcome().is_some() {
                break;
            }
            // The last action begun is the one entered; types are added by their owner's program.
            let before = game.clone();
            let mut entry = Vec::new();
            random_turns(&mut game, &mut numbers, 1, |_, begun, _| entry = begun.to_vec());
            if entry.is_empty() {
                break;
            }
            let mut there = before.clone();
            for action in &entry {
                let pending = there.state.pending;
                match action {
                    Action::Claim { cover: Cover::Sealed(seal), .. }
                    | Action::Retype { cover: Cover::Sealed(seal), .. } => there.enact_sealed(action, place_of(seal)),
                    _ => there.enact(action),
                }
                match action {
                    // In open play a conflict is fought at once; in sealed play, after the reveal.
                    Action::Conflict { from, to, .. } if there.state.pending.is_none() => {
                        open.enact(&Action::Conflict { from: *from, to: *to, openings: Vec::new() });
                        fights += 1;
                    }
                    Action::Conflict { .. } | Action::End => {}
                    Action::Reveal(_) => {
                        let pending = pending.expect("a conflict that waits");
                        open.enact(&Action::Conflict { from: pending.from, to: pending.to, openings: Vec::new() });
                        fights += 1;
                        if pending.closed && open.state.outcome.is_none() {
                            open.end_turn();
                        }
                    }
                    Action::Claim { at, .. } => {
                        let told = unsealed(&there);
                        let top = told
                            .state
                            .board
                            .at(*at)
                            .and_then(|one| one.stack.iter().next_back()?.kind())
                            .expect("a token");
                        open.enact(&Action::Claim { at: *at, cover: Cover::Open(top) });
                    }
                    Action::Retype { at, nth, .. } => {
                        let told = unsealed(&there);
                        let place = *nth as usize - 1;
                        let kind =
                            told.state.board.at(*at).and_then(|one| one.stack.get(place)?.kind()).expect("a token");
                        open.enact(&Action::Retype { at: *at, nth: *nth, cover: Cover::Open(kind) });
                    }
                    other => open.enact(other),
                }
            }
            if game.state.turns > open.state.turns && open.state.outcome.is_none() {
                open.end_turn();
            }
            let told = unsealed(&game);
            assert_eq!(told.state.board, open.state.board, "{} at {}", write(&entry), before.position());
            assert_eq!(
                (told.state.turns, told.state.to_play, told.state.outcome),
                (open.state.turns, open.state.to_play, open.state.outcome)
            );
        }
    }
    assert!(fights > 60, "{fights}");
}
