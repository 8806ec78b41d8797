//! Entries in games that are listed step by step: composed from what may come next, and looked up there.

use postrider_kernel::Next;
use postrider_referee::judging::Table;
use postrider_referee::registry::AnyGame;

use super::game::entry_at;

/// After this many actions an entry is continued only if it must be.
const MOST: usize = 12;

/// What may follow the beginning of an entry; `None` if the beginning is refused.
fn next(table: &dyn Table, begun: &[String]) -> Option<Next> {
    table.read(&begun.join("; ")).ok()?.next().ok()
}

fn line(game: &dyn AnyGame, table: &dyn Table, actions: &str) -> String {
    let standing = table.standing();
    let word = game.info().sides[standing.due.side.index()].word;
    format!("{} {word} {actions}\n", standing.entries + 1)
}

/// A whole entry in canonical spelling, in which each action is one that may come next at that point; it begins with
/// `first` if there is one, and `throw` chooses the others.
pub(super) fn entry(
    game: &dyn AnyGame,
    table: &dyn Table,
    first: Option<&str>,
    throw: &mut dyn FnMut(usize) -> usize,
) -> String {
    let mut begun: Vec<String> = first.map(str::to_owned).into_iter().collect();
    loop {
        let Some(next) = next(table, &begun) else {
            panic!("{begun:?} is listed at {:?} and refused", table.position())
        };
        if next.actions.is_empty() {
            assert!(next.whole || begun.is_empty(), "{begun:?}: nothing may follow, and the entry is not whole");
            break;
        }
        if next.whole && (begun.len() >= MOST || throw(3) == 0) {
            break;
        }
        begun.push(next.actions[throw(next.actions.len())].clone());
    }
    let text = line(game, table, &begun.join("; "));
    entry_at(game, &text, 0).map_or_else(String::new, |entry| table.canonical(&text, &entry))
}

/// Returns whether each action of an entry may come next at its point, and the entry may end where it does.
pub(super) fn is_listed(game: &dyn AnyGame, table: &dyn Table, entry: &str) -> bool {
    let samples = game.info().samples;
    let mut begun = Vec::new();
    for action in entry.split("; ").flat_map(samples.singly) {
        let is_listed = |next: &Next| next.actions.iter().any(|listed| (samples.stands_for)(&action, listed));
        match next(table, &begun) {
            Some(next) if is_listed(&next) => begun.push(action),
            _ => return false,
        }
    }
    next(table, &begun).is_some_and(|next| next.whole)
}
