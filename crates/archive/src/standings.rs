//! Tables of many games: who played, who won, against whom, and how games ended. Pure.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use sha2::{Digest, Sha256};

use postrider_kernel::{Outcome, Side};
use postrider_referee::desk::export::{Player, Rows};
use postrider_referee::verdict::Ruling;

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
    /// How many sealed games the player ended while something of what was sealed was to be shown.
    pub owing: u32,
    /// Half points against each of the players of the crosstable, in the order of the standings; null if they did not play each other.
    /// Empty for a player who is not in it.
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
    /// How many players these games have.
    pub player_count: usize,
    /// How many of them, from the first, the crosstable has: all, the best, or none if it could not be read.
    pub crosstable: usize,
    /// The standings, best first: all players, or as many of the best as are asked for.
    pub standings: Vec<PlayerRow>,
    /// Who wins, by game and side.
    pub winners: Vec<Count>,
    /// How games end, by game.
    pub endings: Vec<Count>,
    /// Sealed games among them that are won, but not proven (Z24); the first of them, up to [`LISTED`].
    pub unproven: Vec<String>,
    /// How many more there are.
    pub more_unproven: usize,
    /// Records that do not count, and why; the first of them, up to [`LISTED`].
    pub left_out: Vec<(String, String)>,
    /// How many more there are.
    pub more_left_out: usize,
}

/// The most players of a crosstable that is drawn unasked; more columns cannot be read.
pub const READABLE: usize = 50;
/// The most players of any crosstable: it grows with their square.
pub const MOST_CROSSED: usize = 200;
/// The most records that are listed by name.
pub const LISTED: usize = 10_000;

/// Collects games for the tables. Memory grows by a few bytes a game and by a row a player.
#[derive(Debug, Default)]
pub struct Gathered {
    aliases: Aliases,
    /// Whether games count in which a side has a declared key and made no entry.
    no_shows: bool,
    /// The places of the players in `rows`.
    players: HashMap<String, u32>,
    /// Their rows, and when the newest game of each began.
    rows: Vec<(String, PlayerRow)>,
    /// Who played whom, and the half points of the first.
    pairs: Vec<(u32, u32, u8)>,
    winners: BTreeMap<(&'static str, &'static str), u32>,
    endings: BTreeMap<(&'static str, &'static str), u32>,
    seen: Seen,
    games: u32,
    unproven: Vec<String>,
    more_unproven: usize,
    left_out: Vec<(String, String)>,
    more_left_out: usize,
}

/// The games that count so far, by digests of their ids, with the paths of their records. Of a million games that is a third of what
/// the texts would take.
#[derive(Debug, Default)]
struct Seen {
    /// Where the path begins: the number of a block and the place in it.
    ids: HashMap<[u8; 16], (u32, u32)>,
    blocks: Vec<Vec<u8>>,
}

impl Seen {
    /// How large a block of paths becomes.
    const BLOCK: usize = 1 << 20;

    fn key(id: &str) -> [u8; 16] {
        let mut key = [0; 16];
        key.iter_mut().zip(Sha256::digest(id)).for_each(|(to, byte)| *to = byte);
        key
    }

    /// The path of the record of this game that counts.
    fn path(&self, id: &str) -> Option<String> {
        let &(block, at) = self.ids.get(&Self::key(id))?;
        let rest = self.blocks.get(block as usize)?.get(at as usize..)?;
        let path = rest.split(|&byte| byte == 0).next().unwrap_or_default();
        Some(String::from_utf8_lossy(path).into_owned())
    }

    fn add(&mut self, id: &str, path: &str) {
        if self.blocks.last().is_none_or(|block| block.len() + path.len() + 1 > Self::BLOCK) {
            self.blocks.push(Vec::with_capacity(Self::BLOCK.max(path.len() + 1)));
        }
        let number = self.blocks.len().saturating_sub(1);
        if let (Ok(number), Some(block)) = (u32::try_from(number), self.blocks.last_mut()) {
            // A block is far shorter than 4 GiB, as a path is.
            let at = u32::try_from(block.len()).unwrap_or(u32::MAX);
            block.extend_from_slice(path.as_bytes());
            block.push(0);
            self.ids.insert(Self::key(id), (number, at));
        }
    }
}

/// What identifies a player. Of one who has signed nothing under a declared key only the name is known.
fn identity(player: &Player) -> String {
    match (&player.key, &player.email) {
        _ if player.is_silent => player.name.clone(),
        (Some(key), _) => key.clone(),
        (None, Some(email)) => email.to_lowercase(),
        (None, None) => composed(&player.name),
    }
}

/// A name in the one form of Unicode that looks like it: some systems write `é` as one character, others as two.
fn composed(name: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    name.nfc().collect()
}

/// Players who appear under several keys, addresses or names: who began to sign only last month, for example.
#[derive(Clone, Debug, Default)]
pub struct Aliases(HashMap<String, String>);

impl Aliases {
    /// Reads them from YAML: the name under which a player is shown, with a list of what else identifies that player.
    ///
    /// # Errors
    /// If it is no such map, or one thing is said to identify two players; in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let players: BTreeMap<String, Vec<String>> = serde_yaml::from_str(text)
            .map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())?;
        let mut aliases = HashMap::new();
        for (name, others) in players {
            for other in others {
                let other = if other.contains('@') { other.to_lowercase() } else { composed(&other) };
                if let Some(first) = aliases.insert(other.clone(), name.clone()).filter(|first| *first != name) {
                    return Err(format!("`{other}` identifies both {first} and {name}"));
                }
            }
        }
        Ok(Self(aliases))
    }

    /// Returns what identifies a player, and whether that is the name in this list.
    fn identity(&self, player: &Player) -> (String, bool) {
        let own = identity(player);
        self.0.get(&own).map_or((own, false), |name| (name.clone(), true))
    }
}

impl Gathered {
    /// Begins tables in which these players are one each.
    #[must_use]
    pub fn of(aliases: Aliases) -> Self {
        Self { aliases, ..Self::default() }
    }

    /// The same, where games count too in which a side has a declared key and has signed nothing: anybody can name anybody's key.
    #[must_use]
    pub fn with_no_shows(self, no_shows: bool) -> Self {
        Self { no_shows, ..self }
    }

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
            (Some(players), Some(_)) if !self.no_shows && players.iter().any(|player| player.is_silent) => {
                let side = if players[0].is_silent { rows.game.first_side } else { rows.game.second_side };
                format!("{} made no entry; `--no-shows` counts it", side.unwrap_or_default())
            }
            (Some(players), Some(outcome)) => match self.seen.path(rows.game.id.as_deref().unwrap_or_default()) {
                Some(first) => format!("the same game as {first}"),
                None => return self.count(rows, players, outcome, path),
            },
            (None, Some(_)) => "it names no players".to_owned(),
        };
        if self.left_out.len() < LISTED {
            self.left_out.push((path, why));
        } else {
            self.more_left_out += 1;
        }
    }

    fn count(&mut self, rows: &Rows, players: &[Player; 2], outcome: Outcome, path: String) {
        match rows.unproven {
            true if self.unproven.len() < LISTED => self.unproven.push(path.clone()),
            true => self.more_unproven += 1,
            false => {}
        }
        self.seen.add(rows.game.id.as_deref().unwrap_or_default(), &path);
        self.games += 1;
        let halves = match outcome {
            Outcome::Win(Side::First, _) => [2, 0],
            Outcome::Win(Side::Second, _) => [0, 2],
            Outcome::Draw(_) => [1, 1],
        };
        let identities = [0, 1].map(|at| self.aliases.identity(&players[at]));
        let places = [0, 1].map(|at| self.place(identities[at].0.clone()));
        let started = rows.game.started.clone().unwrap_or_default();
        for (at, player) in players.iter().enumerate() {
            let Some((newest, standing)) = self.rows.get_mut(places[at] as usize) else { continue };
            if *newest <= started {
                newest.clone_from(&started);
                let (identity, is_shown) = &identities[at];
                standing.name.clone_from(if *is_shown { identity } else { &player.name });
            }
            standing.games += 1;
            standing.half_points += halves[at];
            standing.owing += u32::from(rows.owing.is_some_and(|side| side.index() == at));
            match halves[at] {
                2 => standing.won += 1,
                1 => standing.drawn += 1,
                _ => standing.lost += 1,
            }
        }
        self.pairs.push((places[0], places[1], halves[0] as u8));
        let game = rows.game.game.unwrap_or_default();
        *self.winners.entry((game, rows.game.winner.unwrap_or_default())).or_default() += 1;
        *self.endings.entry((game, rows.game.how.unwrap_or_default())).or_default() += 1;
    }

    /// Returns the place of a player's row.
    fn place(&mut self, player: String) -> u32 {
        // More players than that are in no memory.
        let next = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        *self.players.entry(player).or_insert_with_key(|player| {
            self.rows.push((String::new(), PlayerRow { player: player.clone(), ..PlayerRow::default() }));
            next
        })
    }

    /// Returns the tables, of the best `top` players if that is given. There is a crosstable up to [`READABLE`] players, or up to
    /// [`MOST_CROSSED`] if so many are asked for.
    #[must_use]
    pub fn tables(self, top: Option<usize>) -> Tables {
        drop((self.players, self.seen));
        let players = self.rows.len();
        let mut standings: Vec<(u32, PlayerRow)> = (0..).zip(self.rows.into_iter().map(|(_, row)| row)).collect();
        // More points first; then fewer games; then by name, so that the order is always the same.
        standings.sort_by(|(_, a), (_, b)| {
            (b.half_points, a.games, &a.name, &a.player).cmp(&(a.half_points, b.games, &b.name, &b.player))
        });
        standings.truncate(top.unwrap_or(players));
        let most = if top.is_some() { MOST_CROSSED } else { READABLE };
        let crosstable = if standings.len() <= most { standings.len() } else { 0 };
        let crossed = standings.iter().take(crosstable);
        let columns: HashMap<u32, usize> = crossed.enumerate().map(|(column, (place, _))| (*place, column)).collect();
        standings.iter_mut().take(crosstable).for_each(|(_, row)| row.against = vec![None; crosstable]);
        for (first, second, halves) in self.pairs {
            let (Some(&one), Some(&other)) = (columns.get(&first), columns.get(&second)) else { continue };
            for (row, column, halves) in [(one, other, halves), (other, one, 2 - halves)] {
                if let Some(cell) = standings.get_mut(row).and_then(|(_, row)| row.against.get_mut(column)) {
                    *cell.get_or_insert(0) += u32::from(halves);
                }
            }
        }
        let mut standings: Vec<PlayerRow> = standings.into_iter().map(|(_, row)| row).collect();
        let mut rank = 0;
        let mut before = None;
        for (place, standing) in standings.iter_mut().enumerate() {
            if before != Some(standing.half_points) {
                rank = place + 1;
                before = Some(standing.half_points);
            }
            standing.rank = rank;
        }
        let counts = |map: BTreeMap<(&'static str, &'static str), u32>| {
            map.into_iter().map(|((game, what), games)| Count { game, what, games }).collect()
        };
        Tables {
            games: self.games,
            player_count: players,
            crosstable,
            standings,
            winners: counts(self.winners),
            endings: counts(self.endings),
            unproven: self.unproven,
            more_unproven: self.more_unproven,
            left_out: self.left_out,
            more_left_out: self.more_left_out,
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
    use postrider_referee::desk::export::{Wanted, rows};

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
        let tables = gathered.tables(None);
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
    fn many_players_have_standings_and_no_crosstable_unless_the_best_are_asked_for() {
        let gathered = |players: usize| {
            let mut gathered = Gathered::default();
            for nth in 0..players {
                let names = [format!("name: P{nth}"), format!("name: P{}", (nth + 1) % players)];
                gathered.add(&game(&format!("game-number-{nth}"), [&names[0], &names[1]], RESIGNED));
            }
            // Two wins for the same player.
            gathered.add(&game("game-number-x", ["name: P9", "name: P0"], RESIGNED));
            gathered
        };
        let tables = gathered(READABLE).tables(None);
        assert_eq!(
            (tables.player_count, tables.crosstable, tables.standings[0].against.len()),
            (READABLE, READABLE, READABLE)
        );
        let tables = gathered(READABLE + 1).tables(None);
        assert_eq!((tables.player_count, tables.crosstable, tables.standings.len()), (READABLE + 1, 0, READABLE + 1));
        assert!(tables.standings.iter().all(|row| row.against.is_empty()));
        assert_eq!((&*tables.standings[0].name, tables.standings[0].half_points), ("P0", 4));
        let tables = gathered(READABLE + 1).tables(Some(3));
        assert_eq!((tables.player_count, tables.crosstable, tables.standings.len()), (READABLE + 1, 3, 3));
        assert_eq!(tables.standings[0].against.len(), 3);
        let tables = gathered(MOST_CROSSED + 5).tables(Some(MOST_CROSSED + 1));
        assert_eq!((tables.crosstable, tables.standings.len()), (0, MOST_CROSSED + 1));
    }

    #[test]
    fn what_does_not_count_is_listed_up_to_a_limit_and_counted_beyond() {
        let mut gathered = Gathered::default();
        for _ in 0..LISTED + 7 {
            gathered.add(&Rows::default());
        }
        let tables = gathered.tables(None);
        assert_eq!((tables.left_out.len(), tables.more_left_out), (LISTED, 7));
    }

    #[test]
    fn one_player_of_several_addresses_and_names_has_one_row() {
        let aliases = Aliases::read("Ada Quill: [Ada, A@example.org]\nCy: []\n").unwrap();
        let mut gathered = Gathered::of(aliases);
        gathered.add(&game("game-number-1", ["name: Ada", "name: Bram"], RESIGNED));
        gathered.add(&game("game-number-2", ["name: Ada, email: a@example.org", "name: Bram"], RESIGNED));
        let tables = gathered.tables(None);
        let rows: Vec<_> = tables.standings.iter().map(|row| (&*row.player, &*row.name, row.games)).collect();
        assert_eq!(rows, [("Bram", "Bram", 2), ("Ada Quill", "Ada Quill", 2)]);
        assert_eq!(tables.standings[0].against, [None, Some(4)]);
        let twice = Aliases::read("Ada: [a@example.org]\nBram: [A@example.org]").unwrap_err();
        assert_eq!(twice, "`a@example.org` identifies both Ada and Bram");
        assert!(Aliases::read("Ada: a@example.org").is_err() && Aliases::read("- Ada").is_err());
    }

    #[test]
    fn players_with_the_same_name_are_distinguished_by_address() {
        let mut gathered = Gathered::default();
        gathered.add(&game(
            "game-number-1",
            ["name: Ada, email: a@example.org", "name: Ada, email: b@example.org"],
            RESIGNED,
        ));
        let tables = gathered.tables(None);
        assert_eq!(tables.standings.len(), 2);
        assert_eq!(tables.standings[0].player, "b@example.org");
    }
}
