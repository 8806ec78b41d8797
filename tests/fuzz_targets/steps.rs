//! Entries of games that are listed step by step: built from what may come next, and looked up there.

use postrider::games::kernel::Next;
use postrider::referee::Table;
use postrider::registry::AnyGame;

use super::game::entry_at;

/// An entry that is built goes on behind so many actions only if it must.
const MOST: usize = 12;

/// What may come after the beginning of an entry; nothing where the beginning is refused.
fn next(table: &dyn Table, begun: &[String]) -> Option<Next> {
    table.read(&begun.join("; ")).ok()?.next().ok()
}

fn line(game: &dyn AnyGame, table: &dyn Table, actions: &str) -> String {
    let standing = table.standing();
    let word = game.info().sides[standing.due.side.index()].word;
    format!("{} {word} {actions}\n", standing.entries + 1)
}

/// A whole entry in canonical spelling, each action of it one that may come next where it stands; it begins with `first` if there
/// is one, and `throw` chooses the others.
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

/// Whether each action of an entry may come next where it stands, and the entry may end where it does.
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
