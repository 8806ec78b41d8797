//! What is shown of a turn while it is made: what has been begun, what may come next, the commands.

use crate::cli::hints::Failure;
use crate::cli::out::print;
use crate::cli::{refusals, view};
use postrider_board::render::sheet::{folded, wrapped};
use postrider_home::entry::session::{Command, Session};
use postrider_kernel::text::printable;
use postrider_kernel::{Next, Side, Viewer};
use postrider_referee::desk::examples::written_out;
use postrider_referee::judging::Table;
use postrider_referee::sealing::KeyStore;

/// How many actions are listed one by one at most; of more, their kinds are.
const MOST: usize = 24;

/// Shows the beginning of a turn, what is left to its player after it, and what may come next.
pub fn begun(actions: &str, next: &Next, before: &dyn Table, after: Option<(&dyn Table, Side)>) -> String {
    let mut text = format!("begun: {}\n", printable(actions));
    if let Some((table, own)) = after {
        text.push_str(&left(table, own, Some(before)));
    }
    if next.whole {
        text.push_str("Enter makes it, or it may continue:\n");
    } else {
        text.push_str("it must continue:\n");
    }
    text + &choices(&next.actions)
}

/// What stands beside the board for the player of a side, where there is a hand: action points, free moves, the hand. Only what has changed
/// since `before`.
pub fn left(table: &dyn Table, own: Side, before: Option<&dyn Table>) -> String {
    let scene = table.view(Viewer::Side(own));
    let hand = scene.shelves.iter().filter(|shelf| shelf.side == own && shelf.title == "hands");
    let was = before.map(|before| before.view(Viewer::Side(own)).captions).unwrap_or_default();
    let changed = scene.captions.iter().filter(|caption| !scene.shelves.is_empty() && !was.contains(caption));
    let captions = changed.map(|(label, text)| (*label, text.as_str()));
    let rows = captions.chain(hand.map(|shelf| ("hand", shelf.text.split_once(' ').map_or("", |(_, rest)| rest))));
    let columns = view::columns().unwrap_or(80);
    let mut text = String::new();
    for (label, row) in rows {
        let lines = folded(row, columns.saturating_sub(13).max(20));
        text.push_str(&format!("  {label:<10} {}\n", lines.join(&format!("\n{:13}", ""))));
    }
    text
}

/// The word that an action begins with, if it is one that others share: `attack`.
fn kind(action: &str) -> &str {
    let word = action.split(' ').next().unwrap_or_default();
    if word.chars().all(|c| c.is_ascii_lowercase()) { word } else { "" }
}

/// Lists actions; if they are many, how many there are of each kind.
fn choices(actions: &[String]) -> String {
    let mut kinds: Vec<(&str, Vec<&String>)> = Vec::new();
    for action in actions {
        match kinds.iter_mut().find(|(of, _)| *of == kind(action)) {
            Some((_, list)) => list.push(action),
            None => kinds.push((kind(action), vec![action])),
        }
    }
    if actions.len() <= MOST || kinds.len() < 2 || kinds.iter().any(|(of, _)| of.is_empty()) {
        let more = actions.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("and {more} more (`moves`)"));
        return format!("  {}\n", wrapped(actions.iter().take(MOST).cloned().chain(more), ", ", 2));
    }
    let columns = view::columns().unwrap_or(80);
    let mut text = String::new();
    let mut longest = None;
    for (of, list) in &kinds {
        let row = match list[..] {
            [only] => format!("  {only}"),
            [first, ..] => format!("  {of:<8} {} ways, as `{first}`", list.len()),
            [] => continue,
        };
        text.push_str(&folded(&row, columns).join("\n           "));
        text.push('\n');
        longest = longest.filter(|(_, most)| *most >= list.len()).or(Some((of, list.len())));
    }
    match longest {
        Some((of, _)) => format!("{text}`moves {of}` lists each of a kind\n"),
        None => text,
    }
}

/// Lists what may be entered, or what may follow a beginning.
pub fn list(session: &Session<'_>, begun: &str, keys: &mut dyn KeyStore, origin: &str) -> Result<(), Failure> {
    if !session.is_due() {
        return print(format!("{}\n", session.greeting()));
    }
    match session.beginning(begun, keys) {
        Ok((next, partly)) => {
            let label = match (begun.is_empty(), session.desk.opened.header.info.stepwise) {
                (true, true) => "your turn may begin with:".to_owned(),
                (true, false) => "you may enter:".to_owned(),
                (false, _) if partly => format!("what begins with `{}`:", printable(begun)),
                (false, _) if next.actions.is_empty() => "nothing more may follow: Enter makes it".to_owned(),
                (false, _) => format!("after `{}` may come:", printable(begun)),
            };
            // Whoever asks for one kind wants each.
            let kinds = !partly && session.desk.opened.header.info.stepwise;
            let list = match kinds {
                true => choices(&next.actions),
                false => format!("  {}\n", wrapped(next.actions.iter().cloned(), ", ", 2)),
            };
            print(if next.actions.is_empty() { format!("{label}\n") } else { format!("{label}\n{list}") })?;
            for (word, entry) in
                next.actions.iter().filter_map(|word| Some((word, written_out(&session.desk.opened, word)?)))
            {
                print(format!("{}\n", stands_for(word, &entry)))?;
            }
            if next.left_out > 0 {
                let whole = if partly { " of the whole list" } else { "" };
                errln!("points can be split in so many ways that {} actions{whole} are left out", next.left_out);
            }
            Ok(())
        }
        Err(refusal) => {
            err!("{}", refusals::refused(origin, refusal));
            Ok(())
        }
    }
}

/// Says what a word in a list stands for.
pub fn stands_for(word: &str, entry: &str) -> String {
    format!("`{word}` goes on with what is chosen, for instance `{entry}`")
}

/// The commands of a session, below what is said of moves in it.
pub fn help(moves: &str, commands: &[Command]) -> String {
    const USAGE: usize = 24;
    let columns = view::columns().unwrap_or(80).min(80);
    let mut text = folded(moves, columns).join("\n");
    for (name, arguments, what) in commands {
        let usage = format!("{name} {arguments}");
        let usage = usage.trim_end();
        // Where two columns would not fit, what it does goes below.
        let narrow = columns < USAGE + 24;
        let lines = folded(what, if narrow { columns - 4 } else { columns - USAGE - 3 });
        let indent = if narrow { 4 } else { USAGE + 3 };
        let lines = lines.join(&format!("\n{:indent$}", ""));
        let between = if narrow || usage.len() > USAGE {
            format!("\n{:indent$}", "")
        } else {
            " ".repeat(USAGE + 1 - usage.len().min(USAGE))
        };
        text.push_str(&format!("\n  {usage}{between}{lines}"));
    }
    text + "\n"
}
