//! Tables of many games: who played, who won, against whom, and how games ended. Pure.

use std::collections::BTreeMap;

use serde::Serialize;

use super::export::{Player, Rows};
use crate::games::kernel::{Outcome, Side};
use crate::verdict::Ruling;

/// A player's row in the standings. Points are counted in halves, so that they are whole numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlayerRow {
    /// The rank, from 1; players with the same points share one.
    pub rank: usize,
    /// What identifies the player: the key's fingerprint, otherwise the address, otherwise the name.
    pub player: String,
    /// The name, as in the newest game.
    pub name: String,
    /// How many games.
    pub games: u32,
    /// How many were won.
    pub won: u32,
    /// How many were drawn.
    pub drawn: u32,
    /// How many were lost.
    pub lost: u32,
    /// Twice the points: 2 for a win, 1 for a draw.
    pub half_points: u32,
    /// Half points against each of the players, in the order of the standings; null if they did not play each other.
    pub against: Vec<Option<u32>>,
}

/// How often something happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The game's name.
    pub game: &'static str,
    /// What happened: a winning side or `draw`, or how the game ended.
    pub what: &'static str,
    /// How often.
    pub games: u32,
}

/// The tables for a set of games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tables {
    /// How many games count.
    pub games: u32,
    /// The standings, best first.
    pub standings: Vec<PlayerRow>,
    /// Who wins, by game and side.
    pub winners: Vec<Count>,
    /// How games end, by game.
    pub endings: Vec<Count>,
    /// Sealed games among them that are won, but not proven (Z24).
    pub unproven: Vec<String>,
    /// Records that do not count, and why.
    pub left_out: Vec<(String, String)>,
}

/// Collects games for the tables.
#[derive(Debug, Default)]
pub struct Gathered {
    players: BTreeMap<String, (String, PlayerRow)>,
    pairs: BTreeMap<(String, String), u32>,
    winners: BTreeMap<(&'static str, &'static str), u32>,
    endings: BTreeMap<(&'static str, &'static str), u32>,
    seen: BTreeMap<String, String>,
    games: u32,
    unproven: Vec<String>,
    left_out: Vec<(String, String)>,
}

/// What identifies a player.
fn identity(player: &Player) -> String {
    match (&player.key, &player.email) {
        (Some(key), _) => key.clone(),
        (None, Some(email)) => email.to_lowercase(),
        (None, None) => player.name.clone(),
    }
}

impl Gathered {
    /// Adds a record. Only legal games that are over count, and each game counts once.
    pub fn add(&mut self, rows: &Rows) {
        let path = rows.game.path.clone().unwrap_or_default();
        let why = match (&rows.players, rows.outcome) {
            _ if rows.game.verdict != Ruling::Legal.word() => {
                let fault = rows.game.fault.as_deref().unwrap_or_default();
                let rule = rows.game.fault_rule.map(|rule| format!("{rule}: ")).unwrap_or_default();
                format!("{}: {rule}{fault}", rows.game.verdict)
            }
            (_, None) => "the game is not over".to_owned(),
            (Some(players), Some(outcome)) => match self.seen.get(rows.game.id.as_deref().unwrap_or_default()) {
                Some(first) => format!("the same game as {first}"),
                None => return self.count(rows, players, outcome, path),
            },
            (None, Some(_)) => "it names no players".to_owned(),
        };
        self.left_out.push((path, why));
    }

    fn count(&mut self, rows: &Rows, players: &[Player; 2], outcome: Outcome, path: String) {
        if rows.unproven {
            self.unproven.push(path.clone());
        }
        self.seen.insert(rows.game.id.clone().unwrap_or_default(), path);
        self.games += 1;
        let halves = match outcome {
            Outcome::Win(Side::First, _) => [2, 0],
            Outcome::Win(Side::Second, _) => [0, 2],
            Outcome::Draw(_) => [1, 1],
        };
        let ids = [identity(&players[0]), identity(&players[1])];
        let started = rows.game.started.clone().unwrap_or_default();
        for (at, player) in players.iter().enumerate() {
            let (newest, standing) = self.players.entry(ids[at].clone()).or_default();
            if *newest <= started {
                newest.clone_from(&started);
                standing.name.clone_from(&player.name);
            }
            standing.games += 1;
            standing.half_points += halves[at];
            match halves[at] {
                2 => standing.won += 1,
                1 => standing.drawn += 1,
                _ => standing.lost += 1,
            }
            *self.pairs.entry((ids[at].clone(), ids[1 - at].clone())).or_default() += halves[at];
        }
        let game = rows.game.game.unwrap_or_default();
        *self.winners.entry((game, rows.game.winner.unwrap_or_default())).or_default() += 1;
        *self.endings.entry((game, rows.game.how.unwrap_or_default())).or_default() += 1;
    }

    /// Returns the tables.
    #[must_use]
    pub fn tables(self) -> Tables {
        let mut standings: Vec<PlayerRow> =
            self.players.into_iter().map(|(player, (_, standing))| PlayerRow { player, ..standing }).collect();
        // More points first; then fewer games; then by name, so that the order is always the same.
        standings.sort_by(|a, b| {
            (b.half_points, a.games, &a.name, &a.player).cmp(&(a.half_points, b.games, &b.name, &b.player))
        });
        let order: Vec<String> = standings.iter().map(|standing| standing.player.clone()).collect();
        let mut rank = 0;
        let mut before = None;
        for (place, standing) in standings.iter_mut().enumerate() {
            if before != Some(standing.half_points) {
                rank = place + 1;
                before = Some(standing.half_points);
            }
            standing.rank = rank;
            let pair = |other: &String| self.pairs.get(&(standing.player.clone(), other.clone())).copied();
            standing.against = order.iter().map(pair).collect();
        }
        let counts = |map: BTreeMap<(&'static str, &'static str), u32>| {
            map.into_iter().map(|((game, what), games)| Count { game, what, games }).collect()
        };
        Tables {
            games: self.games,
            standings,
            winners: counts(self.winners),
            endings: counts(self.endings),
            unproven: self.unproven,
            left_out: self.left_out,
        }
    }
}

/// Half points in words: `2½`, `½`, `0`.
#[must_use]
pub fn points(halves: u32) -> String {
    match (halves / 2, halves % 2) {
        (0, 1) => "½".into(),
        (whole, 1) => format!("{whole}½"),
        (whole, _) => whole.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::export::{Wanted, rows};

    fn game(id: &str, players: [&str; 2], result: &str) -> Rows {
        let [first, second] = players;
        let record = format!(
            "---\npbem: 1\ngame: asalto\nid: {id}\nplayers:\n  besiegers: {{{first}}}\n  defenders: {{{second}}}\nstarted: \
             2026-11-21\n---\n1 defenders place c6 e6\n{result}"
        );
        rows(Some(id), record.as_bytes(), Wanted::default())
    }

    const RESIGNED: &str = "2 besiegers resign\n";
    const DRAWN: &str = "2 besiegers c4-c5\n3 defenders c6-d6; draw?\n4 besiegers draw!\n";

    #[test]
    fn wins_draws_and_losses_are_counted_and_ranked() {
        let mut gathered = Gathered::default();
        let (ada, bram, cy) = ("name: Ada, email: Ada@example.org", "name: Bram", "name: Cy");
        for (id, players, result) in [
            ("game-number-1", [bram, ada], RESIGNED),
            ("game-number-2", [ada, bram], DRAWN),
            ("game-number-3", [cy, ada], RESIGNED),
            ("game-number-4", [ada, cy], "2 besiegers c4-c5\n"),
            ("game-number-5", [ada, cy], "2 besiegers c4-c3\n"),
            ("game-number-1", [bram, ada], RESIGNED),
        ] {
            gathered.add(&game(id, players, result));
        }
        let tables = gathered.tables();
        let row = |at: usize| {
            let row = &tables.standings[at];
            (row.rank, &*row.name, row.games, row.won, row.drawn, row.lost, points(row.half_points))
        };
        assert_eq!(tables.games, 3);
        assert_eq!(row(0), (1, "Ada", 3, 2, 1, 0, "2½".to_owned()));
        assert_eq!(row(1), (2, "Bram", 2, 0, 1, 1, "½".to_owned()));
        assert_eq!(row(2), (3, "Cy", 1, 0, 0, 1, "0".to_owned()));
        assert_eq!(tables.standings[0].against, [None, Some(3), Some(2)]);
        assert_eq!(tables.standings[0].player, "ada@example.org");
        assert_eq!(tables.left_out.len(), 3);
        assert!(tables.left_out[0].1.contains("not over"));
        assert!(tables.left_out[1].1.contains("T21"), "{:?}", tables.left_out);
        assert!(tables.left_out[2].1.contains("the same game as game-number-1"));
        let how: Vec<_> = tables.endings.iter().map(|count| (count.what, count.games)).collect();
        assert_eq!(how, [("agreed", 1), ("resigned", 2)]);
    }

    #[test]
    fn players_with_the_same_name_are_distinguished_by_address() {
        let mut gathered = Gathered::default();
        gathered.add(&game(
            "game-number-1",
            ["name: Ada, email: a@example.org", "name: Ada, email: b@example.org"],
            RESIGNED,
        ));
        let tables = gathered.tables();
        assert_eq!(tables.standings.len(), 2);
        assert_eq!(tables.standings[0].player, "b@example.org");
    }
}
