//! Matches between levels, to measure how strong they are.

use super::{Lots, Thinking, choose, level_of, random};
use postrider_kernel::{Claim, Outcome, Side, Skill, write_entry};

/// A side that expects less than this claims a draw, if the rules grant one.
const CLAIMS: i32 = -150;

/// A player of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// Any legal entry, at random.
    Random,
    /// The machine at this level, from 1.
    Level(u8),
}

/// A match between two players, who change sides after each game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contest {
    /// Both players; the first has the first side in the first game.
    pub players: [Player; 2],
    /// The number of games.
    pub games: u32,
    /// The seed of all choices, throws and cards.
    pub seed: u64,
    /// A game with more entries than this is drawn.
    pub longest: u32,
}

/// The result of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of games each player won.
    pub won: [u32; 2],
    /// The number of draws.
    pub draws: u32,
    /// The number of games.
    pub games: u32,
    /// The number of entries in all games.
    pub entries: u64,
}

/// A game of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayedGame {
    /// Its number, from 1.
    pub number: u32,
    /// Whether the second player has the first side.
    pub swapped: bool,
    /// Its entries, in canonical form.
    pub entries: Vec<(Side, String)>,
}

/// Plays a match, each game from this position. Calls `each` after each game; if it returns true, the match ends early.
#[must_use]
pub fn contest<G: Skill>(start: &G, match_: &Contest, each: &mut dyn FnMut(&PlayedGame) -> bool) -> Tally {
    let mut tally = Tally::default();
    for number in 0..match_.games {
        let mut seeds = Lots::with(match_.seed, u64::from(number));
        // Throws and draws have a source of their own, so that they reveal nothing of how the players think.
        let mut table = Lots::new(seeds.draw());
        let swapped = number % 2 == 1;
        let mut played = PlayedGame { number: number + 1, swapped, entries: Vec::new() };
        let winner = game(start, match_, &mut seeds, &mut table, &mut played);
        tally.entries += played.entries.iter().filter(|(_, entry)| !entry.starts_with("claim ")).count() as u64;
        match winner {
            Some(side) => tally.won[side.index() ^ usize::from(swapped)] += 1,
            None => tally.draws += 1,
        }
        tally.games += 1;
        if each(&played) {
            break;
        }
    }
    tally
}

/// Plays one game and returns the winner.
fn game<G: Skill>(
    start: &G,
    match_: &Contest,
    seeds: &mut Lots,
    table: &mut Lots,
    played: &mut PlayedGame,
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
        let player = match_.players[side.index() ^ usize::from(played.swapped)];
        let actions = match player {
            Player::Random => random(&game, table),
            Player::Level(number) => {
                let level = level_of(number)?;
                let thinking = Thinking { budget: &level.budget, seed: seeds.draw(), stop: &mut || false };
                let choice = choose(&game, thinking, table)?;
                if choice.expects < CLAIMS
                    && let Some(claim) = claims(&game)
                {
                    played.entries.push((side, claim.to_owned()));
                    return None;
                }
                Some(choice.actions)
            }
        };
        let actions = actions?;
        played.entries.push((side, write_entry::<G>(&game.canonical(&actions))));
        game.play(&actions).ok()?;
    }
    match game.outcome() {
        Some(Outcome::Win(side, _)) => Some(side),
        _ => None,
    }
}

/// The draw that the side that is due may claim.
pub(super) fn claims<G: Skill>(game: &G) -> Option<&'static str> {
    let claims = [(Claim::Repetition, "claim repetition"), (Claim::Quiet, "claim quiet")];
    claims.into_iter().find(|(claim, _)| game.claim(*claim).is_ok()).map(|(_, words)| words)
}
