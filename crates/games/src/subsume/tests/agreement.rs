//! Compares judging and generating, and checks what must be true of every position that can be reached.

use super::*;
use crate::subsume::board::SIZE;
use postrider_testing::sample;

/// Every action that can be written, except for places in stacks that are far from both ends.
fn candidates(game: &Subsume) -> Vec<Action> {
    let mut list = vec![Action::End];
    for at in Square::all() {
        let height = game.state.board.at(at).map_or(1, |territory| territory.stack.len() as u32);
        let mut places = vec![1, 2, 3, height.saturating_sub(1), height, height + 1];
        places.retain(|nth| *nth > 0);
        places.sort_unstable();
        places.dedup();
        for kind in Kind::ALL {
            list.push(Action::Claim { at, cover: Cover::Open(kind) });
            list.extend(places.iter().map(|&nth| Action::Retype { at, nth, cover: Cover::Open(kind) }));
        }
        list.extend(places.iter().map(|&nth| Action::Reorder { at, nth }));
        list.extend([2, 4].map(|size| Action::Subsume { at, size }));
        for to in Square::all() {
            list.push(Action::Conflict { from: at, to, openings: Vec::new() });
            list.push(Action::Move { from: at, to, count: 1 });
        }
    }
    list
}

#[test]
fn an_action_is_judged_legal_if_and_only_if_it_is_listed() {
    let mut numbers = Xorshift(0x5eed);
    let (mut positions, mut judged, mut legal) = (0, 0, 0);
    for (nth, position) in RICH.into_iter().chain(["to play white"]).enumerate() {
        let border = if nth % 2 == 0 { "full" } else { "shared" };
        let mut game = with(position, &[("border", border)]);
        let mut step = 0;
        random_turns(&mut game, &mut numbers, 12, |game, begun, next| {
            step += 1;
            if step % 7 != 1 || !sample::tried(step / 7, 4) {
                return;
            }
            positions += 1;
            let mut there = game.clone();
            there.judge_beginning(begun, &mut NoFacts).expect("a beginning that was listed");
            let mut list = Moves::default();
            there.moves(&mut list);
            assert_eq!(there.perft(1), list.len() as u64, "counted as they are listed: {}", there.position());
            let mut found = 0;
            for action in candidates(&there) {
                judged += 1;
                let mut entry = begun.to_vec();
                entry.push(action.clone());
                let mut after = there.clone();
                let stands = after.judge_at(&entry, begun.len(), game.resumed(), &mut NoFacts).is_ok();
                let corner = there.canonical(std::slice::from_ref(&action));
                let listed = next.actions.binary_search(&write(&corner)).is_ok();
                let at = || {
                    format!("{} after {} at {}", write(std::slice::from_ref(&action)), write(begun), game.position())
                };
                // Of places far from the ends only some are tried, so the list may be longer, but never shorter.
                assert_eq!(stands, listed, "{}", at());
                found += usize::from(stands && *corner == [action.clone()]);
            }
            legal += found;
            let far = |action: &&String| action.contains(['^', ':']);
            assert!(found >= next.actions.iter().filter(|action| !far(action)).count(), "{}", write(begun));
        });
    }
    let of = sample::share(5);
    assert!(
        positions > 60 / of && judged > 500_000 / of && legal > 1200 / of,
        "{positions} positions, {judged} actions, {legal} legal"
    );
}

#[test]
fn judged_and_unjudged_play_lead_to_the_same_and_end_in_the_same_places() {
    let mut numbers = Xorshift(99);
    let mut ends = 0;
    for position in RICH {
        let mut game = at(position);
        random_turns(&mut game, &mut numbers, 10, |game, begun, next| {
            let mut judged = game.clone();
            let stands = judged.play(begun).is_ok();
            assert_eq!(stands, next.whole && !begun.is_empty(), "{} at {}", write(begun), game.position());
            if stands {
                let mut applied = game.clone();
                applied.apply(begun);
                assert_eq!(applied.state, judged.state);
                let spelled = game.canonical(begun);
                let mut again = game.clone();
                again.play(&spelled).expect("the canonical spelling");
                assert_eq!(again.state, judged.state, "{} is {}", write(begun), write(&spelled));
                ends += 1;
            }
        });
    }
    assert!(ends > 200, "{ends}");
}

/// Checks what must be true of every board.
fn sound(game: &Subsume, tokens: u32) {
    let state = &game.state;
    let mut seen = std::collections::BTreeSet::new();
    let mut held = 0u64;
    for territory in state.board.all() {
        assert!(territory.stack.len() >= territory.area(), "a claim number: {}", game.position());
        assert!([1, 2, 4].contains(&territory.size));
        for square in territory.squares() {
            assert_eq!(state.board.at(square).map(|one| one.corner), Some(territory.corner));
            assert_eq!(held & square.set(), 0, "no two territories overlap");
            held |= square.set();
        }
        assert_eq!(territory.squares().count(), territory.area(), "none leaves the board");
        seen.extend(territory.stack.iter().map(|token| token.number()));
    }
    for square in Square::all() {
        assert_eq!(state.board.at(square).is_some(), held & square.set() != 0);
    }
    // There are the tokens of the set-up and one for each claim, each exactly once (U53 to U56 remove none).
    assert_eq!(state.tokens, tokens);
    assert!(seen.into_iter().eq(1..=tokens), "{}", game.position());
    let count: usize = state.board.all().map(|territory| territory.stack.len()).sum();
    assert_eq!(count, tokens as usize);
}

#[test]
fn tokens_are_conserved_and_territories_keep_their_claim_numbers() {
    let mut numbers = Xorshift(0xabc);
    for position in RICH.into_iter().chain(["to play white"]) {
        for play_sealed in [false, true] {
            let mut game = if play_sealed { sealed(position) } else { at(position) };
            let start = game.state.tokens;
            for turn in 0..25 {
                let claims_before = game.state.tokens;
                random_turns(&mut game, &mut numbers, 1, |_, _, _| {});
                assert!(game.state.tokens <= claims_before + 1 && game.state.tokens >= start, "turn {turn}");
                sound(&game, game.state.tokens);
            }
        }
    }
}

/// The position reflected: ranks reversed and sides exchanged. Stacks are unchanged.
fn mirrored(position: &str) -> String {
    let swap = |part: &str| {
        let mut words: Vec<String> = part.split(' ').map(str::to_owned).collect();
        if words[0] == "to" {
            words[2] = if words[2] == "white" { "black".into() } else { "white".into() };
            return words.join(" ");
        }
        words[0] = if words[0] == "W" { "B".into() } else { "W".into() };
        let size = words[1].split_once('/').map_or(1, |(_, size)| size.parse::<u8>().expect("a size"));
        let rank: u8 = words[1][1..2].parse().expect("a rank");
        words[1] = format!("{}{}{}", &words[1][..1], SIZE + 2 - size - rank, &words[1][2..]);
        words.join(" ")
    };
    position.split("; ").map(swap).collect::<Vec<_>>().join("; ")
}

#[test]
fn mirrored_positions_have_as_many_sequences() {
    for position in RICH {
        let other = Subsume::start(&Start::open(&Options::default(), Some(&mirrored(position)))).expect("a position");
        assert_eq!(other.perft(2), at(position).perft(2), "{position}");
    }
}
