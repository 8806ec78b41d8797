//! A game against the machine: how it begins, what the machine enters and suggests, and how a player takes entries back. Pure.

use crate::opponent::{self, Thought};
use postrider_kernel::{Info, Options, Side};
use postrider_referee::desk::begin::{Beginning, begin};
use postrider_referee::judging::Table;
use postrider_referee::record::{Item, Machine};
use postrider_referee::verdict::Opened;
use postrider_search as engine;
use postrider_search::{Budget, Chance, LEVELS, Lots};

/// The level that gives hints, as an index of [`LEVELS`].
const ADVISER: usize = 3;

/// Writes the record of a new practice game (E12), without entries. `started` is a day, such as `2026-11-22`.
#[must_use]
pub fn record(info: &'static Info, machine: &Machine, started: &str, options: &Options, setup: Option<&str>) -> String {
    let Machine { side, level, seed } = *machine;
    let name = format!("Machine, level {level}");
    let players = Side::BOTH.map(|one| (if one == side { name.as_str() } else { "You" }, None, None));
    begin(&Beginning {
        info,
        id: &format!("practice-{}-{seed}", info.name),
        players,
        started,
        host: None,
        title: None,
        clock: None,
        options,
        setup,
        sealed: false,
        own_fields: &field(info, machine),
    })
}

/// Writes the header field that marks a practice game.
#[must_use]
pub fn field(info: &Info, machine: &Machine) -> String {
    let Machine { side, level, seed } = *machine;
    format!("machine: {{side: {}, level: {level}, seed: {seed}}}\n", info.sides[side.index()].word)
}

/// Returns the seed of the entry after `entries` entries of a game with this seed.
#[must_use]
pub(crate) fn seed_at(seed: u64, entries: u32) -> u64 {
    Lots::with(seed, u64::from(entries) + 1).draw()
}

/// An entry that the player does not choose.
#[derive(Clone, Debug)]
pub struct Unasked {
    pub entry: String,
    /// The expectation of the machine's side, from -1000 to 1000; `None` if the entry is the player's.
    pub expects: Option<i32>,
}

/// Returns the next entry if it is not the player's choice: the machine's entry, or one of the player's that only throws or draws.
/// `seed` is the game's.
#[must_use]
pub fn unasked(
    table: &dyn Table,
    machine: Side,
    budget: &Budget,
    seed: u64,
    stop: &mut engine::Stop<'_>,
) -> Option<Unasked> {
    let standing = table.standing();
    if standing.outcome.is_some() {
        return None;
    }
    let seed = seed_at(seed, standing.entries);
    if standing.due.side != machine {
        return opponent::unchosen(table, seed).map(|entry| Unasked { entry, expects: None });
    }
    opponent::think(table, budget, seed, stop)
        .map(|thought| Unasked { entry: thought.entry, expects: Some(thought.expects) })
}

/// Returns what was typed with the dice and cards that the game's seed gives. `begun` has its own already.
///
/// # Errors
/// If the player names the result of a throw or a draw.
pub fn filled(table: &dyn Table, seed: u64, begun: &str, typed: &str) -> Result<String, Chance> {
    opponent::thrown(table, begun, typed, seed_at(seed, table.standing().entries))
}

/// Suggests an entry for the side that is due. `seed` is the game's.
#[must_use]
pub fn hint(table: &dyn Table, seed: u64, stop: &mut engine::Stop<'_>) -> Option<Thought> {
    opponent::think(table, &LEVELS.get(ADVISER)?.budget, seed, stop)
}

/// What is left of a game after the player's last entry, and everything behind it, is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// The number of entries left.
    pub entries: u32,
    /// Their length in bytes, with the header.
    pub length: usize,
}

/// Returns what is left after the player's last entry that was a choice is taken back; `None` if there is no such entry. `machine`
/// is the machine's side.
#[must_use]
pub fn taken_back(source: &[u8], machine: Side) -> Option<TakenBack> {
    let mut opened = Opened::new(source).ok()?;
    let mut left = None;
    let mut length = opened.frame.body.start as usize;
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        let standing = opened.table.standing();
        if standing.due.side != machine && opponent::unchosen(opened.table.as_ref(), 0).is_none() {
            left = Some(TakenBack { entries: standing.entries, length });
        }
        if opened.table.enter(opened.text, &entry).is_err() {
            break;
        }
        let end = entry.span.end as usize;
        length = opened.text.get(end..)?.find('\n').map_or(source.len(), |at| end + at + 1);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_referee::facade::open;
    use postrider_referee::registry::GAMES;

    fn begun(game: usize, side: Side) -> (String, Machine) {
        let info = GAMES[game].info();
        let machine = Machine { side, level: 1, seed: 5 };
        (record(info, &machine, "2026-11-22", &Options::default(), None), machine)
    }

    #[test]
    fn a_practice_game_says_in_its_header_which_side_the_machine_plays() {
        for game in 0..GAMES.len() {
            for side in Side::BOTH {
                let (text, machine) = begun(game, side);
                let opened = open(text.as_bytes()).unwrap_or_else(|verdict| panic!("{verdict}"));
                assert_eq!(opened.record().header.machine, Some(machine));
            }
        }
    }

    #[test]
    fn the_machine_and_the_dice_go_on_until_the_player_has_something_to_choose() {
        for (game, known) in GAMES.iter().enumerate() {
            let (text, machine) = begun(game, Side::First);
            let mut record = text.into_bytes();
            for _ in 0..12 {
                let referee = open(&record).unwrap_or_else(|verdict| panic!("{verdict}"));
                let table = referee.record().table.as_ref();
                let budget = LEVELS[0].budget;
                let Some(next) = unasked(table, machine.side, &budget, machine.seed, &mut || false) else { break };
                assert_eq!(next.expects.is_some(), table.standing().due.side == machine.side);
                let judged =
                    referee.judge(&next.entry, &postrider_referee::judging::Beside::default()).expect("a legal entry");
                record = referee.append(&judged).unwrap_or_else(|verdict| panic!("{verdict}"));
            }
            let referee = open(&record).unwrap_or_else(|verdict| panic!("{verdict}"));
            let standing = referee.standing();
            assert!(standing.outcome.is_some() || standing.due.side == Side::Second, "{}", known.info().name);
        }
    }

    #[test]
    fn an_entry_is_taken_back_with_the_answer_to_it_and_remarks_behind_it() {
        let (text, machine) = begun(0, Side::Second);
        assert_eq!(taken_back(text.as_bytes(), machine.side), None);
        let placed = text + "1 defenders place c6 e6\n";
        assert_eq!(taken_back(placed.as_bytes(), machine.side), None, "that was the machine's");
        let played = placed.clone() + "2 besiegers c4-c5\n3 defenders c6xc4\n# a remark\n";
        let left = TakenBack { entries: 1, length: placed.len() };
        assert_eq!(taken_back(played.as_bytes(), machine.side), Some(left));
        assert_eq!(taken_back(b"no record", machine.side), None);
    }
}
