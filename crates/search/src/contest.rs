//! Matches between levels, to measure how strong they are.

use super::{Lots, choose, level_of, random};
use postrider_kernel::{Claim, Outcome, Side, Skill};

/// Whoever expects less than this claims a draw, where the rules grant one.
const CLAIMS: i32 = -150;

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// Any legal entry.
    Random,
    /// The machine at a level, from 1.
    Level(u8),
}

/// A match between two players, who change sides from game to game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contest {
    /// Both players; the first has the first side in the first game.
    pub players: [Player; 2],
    /// How many games there are.
    pub games: u32,
    /// What everything follows from: choices, throws, cards.
    pub seed: u64,
    /// A game with more entries than this is drawn.
    pub longest: u32,
}

/// How a match ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many games each player won.
    pub won: [u32; 2],
    /// How many were drawn.
    pub draws: u32,
    /// How many were played.
    pub games: u32,
    /// How many entries they had together.
    pub entries: u64,
}

/// Plays a match, each game from this start. After each game `stop` is asked whether to end early.
#[must_use]
pub fn contest<G: Skill>(start: &G, match_: &Contest, stop: &mut super::Stop<'_>) -> Tally {
    let mut tally = Tally::default();
    for number in 0..match_.games {
        let mut seeds = Lots::with(match_.seed, u64::from(number));
        // Two sources: what is thrown and drawn must not tell anything of how the players think.
        let mut table = Lots::new(seeds.draw());
        let swapped = number % 2 == 1;
        let winner = game(start, match_, swapped, &mut seeds, &mut table, &mut tally.entries);
        match winner {
            Some(side) => tally.won[side.index() ^ usize::from(swapped)] += 1,
            None => tally.draws += 1,
        }
        tally.games += 1;
        if stop() {
            break;
        }
    }
    tally
}

/// Plays one game and returns who won.
fn game<G: Skill>(
    start: &G,
    match_: &Contest,
    swapped: bool,
    seeds: &mut Lots,
    table: &mut Lots,
    entries: &mut u64,
) -> Option<Side> {
    let mut game = start.clone();
    game.veil();
    for _ in 0..match_.longest {
        if let Some(outcome) = game.outcome() {
            return match outcome {
                Outcome::Win(side, _) => Some(side),
                Outcome::Draw(_) => None,
            };
        }
        let side = game.side_due();
        let player = match_.players[side.index() ^ usize::from(swapped)];
        let actions = match player {
            Player::Random => random(&game, table),
            Player::Level(number) => {
                let level = level_of(number)?;
                let choice = choose(&game, &level.budget, seeds.draw(), table, &mut || false)?;
                if choice.expects < CLAIMS && claims(&game) {
                    return None;
                }
                Some(choice.actions)
            }
        };
        *entries += 1;
        game.play(&actions?).ok()?;
    }
    match game.outcome() {
        Some(Outcome::Win(side, _)) => Some(side),
        _ => None,
    }
}

/// Whether the side that is due may claim a draw.
pub(super) fn claims<G: Skill>(game: &G) -> bool {
    [Claim::Repetition, Claim::Quiet].into_iter().any(|claim| game.claim(claim).is_ok())
}
