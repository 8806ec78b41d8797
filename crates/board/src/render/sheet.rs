//! The sheet: everything that a person needs to continue the game, as text. `show` prints it and letters contain it.

use super::{Look, moment};
use postrider_kernel::Side;
use postrider_kernel::scene::{Board, Scene};
use postrider_kernel::text::printable;
use postrider_referee::judging::{Standing, in_words, left_at};
use postrider_referee::record::{Entry, Item, Time};
use postrider_referee::verdict::{Opened, hosting, only_declared_in_words};

/// What a sheet shows besides the position.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// The last entries, oldest first, one line each.
    pub entries: Vec<String>,
    /// The time for which the clocks are computed; if `None`, they are shown as of the last entry.
    pub now: Option<Time>,
    /// Whether deadlines are also given in the local time zone.
    pub local: bool,
}

/// Draws the sheet of a game, with the scene as the viewer may see it. If the number of lines is limited, the board is as large as they
/// allow: with everything round it, alone, or one line per rank.
#[must_use]
pub fn draw(opened: &Opened<'_>, scene: &Scene, extras: &Extras, look: Look) -> String {
    let Some(rows) = look.rows.filter(|_| !look.compact) else {
        return sheet(opened, scene, extras, look, look.compact);
    };
    let fits = |text: &String| text.lines().count() <= rows;
    Some(sheet(opened, scene, extras, look, false))
        .filter(fits)
        .or_else(|| Some(sheet(opened, scene, extras, Look { compact: true, ..look }, false)).filter(fits))
        .unwrap_or_else(|| sheet(opened, scene, extras, Look { compact: true, ..look }, true))
}

/// The sheet; a compact one may have the whole board all the same.
fn sheet(opened: &Opened<'_>, scene: &Scene, extras: &Extras, look: Look, small: bool) -> String {
    let header = &opened.header;
    let standing = opened.table.standing();
    let title = header.title.as_deref().unwrap_or(header.info.title);
    let named = |side: Side| {
        if look.compact { printable(&header.player(side).name).into_owned() } else { player(opened, side) }
    };
    let players = Side::BOTH.map(|side| format!("{} {}", word(opened, side), named(side)));
    let columns = look.columns.unwrap_or(if look.compact { COMPACT } else { usize::MAX });
    let heading = [format!("{}  {}", header.id, printable(title)), players.join(" - ")];
    // Where every line counts, one is enough.
    let heading = match heading.join("  ") {
        one if look.compact && !small && one.chars().count() <= columns => vec![one],
        _ => heading.to_vec(),
    };
    let mut text = heading.iter().flat_map(|line| folded(line, columns)).collect::<Vec<_>>().join("\n") + "\n\n";
    let (board, needed) = super::drawn(scene, Look { compact: small, ..look });
    text.push_str(&board);
    if let Some(needed) = needed {
        let note = format!("(drawn small: the whole board needs {needed} columns)");
        folded(&note, columns).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    let legend = signs(scene, look.unicode, if look.compact { columns } else { columns.min(WRAPPED) });
    if !look.compact {
        text.push_str(&format!("\n{legend}\n"));
    }
    text.push('\n');
    let mut rows = rows_below(scene, look.compact);
    for (index, entry) in extras.entries.iter().enumerate() {
        rows.push((if index == 0 { "last" } else { "" }, in_brief(&printable(entry))));
    }
    let extras = Extras { local: extras.local && !look.compact, ..extras.clone() };
    rows.extend(rows_of(opened, &standing, &extras));
    if look.compact {
        rows = merged(rows);
    }
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let room = columns.saturating_sub(width + 2);
    let mut rows: Vec<_> = rows.into_iter().map(|(label, value)| (label, folded(&value, room))).collect();
    if look.compact {
        let most = look.rows.unwrap_or(LINES);
        let below: usize = rows.iter().map(|(_, lines)| lines.len()).sum();
        if text.lines().count() + below + legend.lines().count() < most {
            // What the signs mean is said where there is room for it.
            text.truncate(text.trim_end().len());
            text.push_str(&format!("\n\n{legend}\n\n"));
        }
        // For a whole board the empty lines go first, otherwise they are the last resort.
        if !small && text.lines().count() + below > most {
            text = text.replace("\n\n", "\n");
        }
        let room = most.saturating_sub(text.lines().count());
        if !shorten(&mut rows, room) {
            text = text.replace("\n\n", "\n");
        }
    }
    for (mut label, lines) in rows {
        for line in lines {
            text.push_str(format!("{label:width$}  {line}").trim_end());
            text.push('\n');
            label = "";
        }
    }
    text
}

/// What stands below a board: territories with their stacks, what belongs to the position, hands and piles.
fn rows_below(scene: &Scene, compact: bool) -> Vec<(&'static str, String)> {
    let mut rows = match &scene.board {
        // If something is marked, the captions are only about that.
        Board::Blocks(board) if !board.blocks.iter().any(|block| block.region) => {
            if compact {
                super::compact::rows(board, scene.sides)
            } else {
                super::blocks::rows(board, scene.sides)
            }
        }
        _ => Vec::new(),
    };
    rows.extend(scene.captions.iter().cloned());
    let mut title = "";
    for shelf in &scene.shelves {
        rows.push((if shelf.title == title { "" } else { shelf.title }, shelf.text.clone()));
        title = shelf.title;
    }
    rows
}

/// The rows below a board for a reader who sees it as a picture: what is beside it, offers and clocks as of the last entry.
#[must_use]
pub fn beside(opened: &Opened<'_>, scene: &Scene) -> Vec<(&'static str, String)> {
    let mut rows = rows_below(scene, true);
    rows.extend(rows_of_host(opened));
    let state = rows_of(opened, &opened.table.standing(), &Extras::default());
    rows.extend(state.into_iter().filter(|(label, _)| matches!(*label, "offer" | "clock")));
    rows
}

/// How wide a compact sheet is if the width is not known, and how many lines it has at most: a terminal has 24, and the prompt takes
/// one.
const COMPACT: usize = 80;
const LINES: usize = 23;

/// Shortens the longest rows until all of them together have at most `most` lines, if possible. The last entry keeps its beginning and
/// its end; hands, whose entry is due and the clocks are never cut. Returns whether that was enough.
fn shorten(rows: &mut [(&'static str, Vec<String>)], most: usize) -> bool {
    let total = |rows: &[(&str, Vec<String>)]| rows.iter().map(|(_, lines)| lines.len()).sum::<usize>();
    let mut tight = false;
    while total(rows) > most {
        let cuttable = |label: &str| !matches!(label, "hands" | "due" | "clock" | "offer" | "result");
        let least = |label: &str| if label == "last" && !tight { 2 } else { 1 };
        let longest = rows
            .iter_mut()
            .filter(|(label, lines)| cuttable(label) && lines.len() > least(label))
            .max_by_key(|(label, lines)| (*label == "last", lines.len()));
        let Some((label, lines)) = longest else {
            if tight {
                return false;
            }
            tight = true;
            continue;
        };
        let cut = if *label == "last" && !tight { lines.len() - 2 } else { lines.len() - 1 };
        lines.remove(cut);
        if let Some(line) = lines.get_mut(cut.saturating_sub(1))
            && !line.ends_with(CUT)
        {
            // As much of the line is left as leaves room for the mark.
            let keep = line.rfind(' ').filter(|_| line.chars().count() + CUT.len() > COMPACT / 2).unwrap_or(line.len());
            line.truncate(keep);
            line.push_str(CUT);
        }
    }
    true
}

/// Marks where something was cut.
const CUT: &str = " ...";

/// Joins rows without a label, or with the label of the row above them, to that row.
fn merged(rows: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    let mut all: Vec<(&'static str, String)> = Vec::new();
    for (label, text) in rows {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match all.last_mut() {
            Some((last, above)) if label.is_empty() || *last == label => above.push_str(&format!("; {text}")),
            _ => all.push((label, text)),
        }
    }
    all
}

/// Wraps a text into lines of at most `columns` columns, at its spaces; a longer word gets a line of its own. Returns
/// at least one line.
pub fn folded(text: &str, columns: usize) -> Vec<String> {
    if text.chars().count() <= columns {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let used = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if used == 0 => line.push_str(word),
            Some(line) if used + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Shortens what only programs read in an entry: of a seal, a salt or an opening only the first digits are kept, followed by a mark.
#[must_use]
pub fn shortened(text: &str, mark: &str) -> String {
    const KEPT: usize = 8;
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let mut out = String::new();
    for run in text.split_inclusive(|c| !is_hex(c)) {
        let digits = run.trim_end_matches(|c| !is_hex(c));
        match digits.get(..KEPT) {
            Some(kept) if digits.len() >= 3 * KEPT => {
                out.push_str(kept);
                out.push_str(mark);
                out.push_str(run.get(digits.len()..).unwrap_or_default());
            }
            _ => out.push_str(run),
        }
    }
    out
}

/// Describes the last entries, the side that is due or the result, and the clocks, in one line each.
#[must_use]
pub fn state(opened: &Opened<'_>, extras: &Extras) -> String {
    let last = extras.entries.iter().map(|entry| ("last", in_brief(&printable(entry))));
    let rows = last.chain(rows_of(opened, &opened.table.standing(), extras));
    rows.map(|(label, text)| format!("{label}: {text}\n")).collect()
}

/// Wraps a list into lines short enough for mail programs to leave alone; all lines but the first are indented.
#[must_use]
pub fn wrapped(list: impl IntoIterator<Item = String>, between: &str, indent: usize) -> String {
    wrapped_to(WRAPPED, list, between, indent)
}

/// Says what the signs on a board mean, in lines of so many columns.
#[must_use]
pub fn signs(scene: &Scene, unicode: bool, columns: usize) -> String {
    let meaning =
        |(ascii, sign, meaning): &(&str, &str, &str)| format!("{} {meaning}", if unicode { sign } else { ascii });
    let brackets = super::brackets_in_words(&scene.marks).into_iter().map(str::to_owned);
    wrapped_to(columns, scene.legend.iter().map(meaning).chain(brackets), ", ", 0)
}

/// Wraps words like [`wrapped`].
#[must_use]
pub fn paragraph(words: &str) -> String {
    wrapped(words.split(' ').map(str::to_owned), " ", 0)
}

/// How wide lines are that mail programs leave alone.
const WRAPPED: usize = 76;

fn wrapped_to(columns: usize, list: impl IntoIterator<Item = String>, between: &str, indent: usize) -> String {
    let mut text = String::new();
    let mut width = indent;
    for (index, item) in list.into_iter().enumerate() {
        let length = item.chars().count() + between.len();
        if index > 0 {
            text.push_str(between);
        }
        if index > 0 && width + length > columns {
            text.truncate(text.trim_end().len());
            text.push_str(&format!("\n{:indent$}", ""));
            width = indent;
        }
        text.push_str(&item);
        width += length;
    }
    text
}

fn word(opened: &Opened<'_>, side: Side) -> &'static str {
    opened.header.info.sides[side.index()].word
}

/// Returns a player as `Ada Quill <ada@example.org>`.
#[must_use]
pub fn player(opened: &Opened<'_>, side: Side) -> String {
    let player = opened.header.player(side);
    match &player.email {
        Some(email) => format!("{} <{}>", printable(&player.name), printable(email)),
        None => printable(&player.name).into_owned(),
    }
}

/// Printed below a sheet that shows more than the record does.
pub const ONLY_YOU: &str =
    "what is to be opened was opened here with your own secret: the record does not show it yet\n";

/// Returns the lines of the last `count` entries, oldest first.
#[must_use]
pub fn last_entries(opened: &Opened<'_>, count: usize) -> Vec<String> {
    let played = opened.table.standing().entries as usize;
    let mut body = opened.body();
    let mut seen = 0;
    let mut lines = Vec::new();
    while seen < played
        && let Some(item) = body.next_item()
    {
        if let Item::Entry(entry) = item {
            seen += 1;
            if seen + count > played {
                lines.push(entry_line(opened.text, &entry));
            }
        }
    }
    lines
}

/// Returns an entry as people read it: seals as their first digits, and of very many actions or a long message the beginning, with the
/// time.
#[must_use]
pub fn in_brief(entry: &str) -> String {
    const MOST: usize = 600;
    const SHOWN: usize = 150;
    let said = entry.find(" {").and_then(|at| entry.get(at..)).filter(|said| said.chars().count() > MOST);
    if let Some(said) = said {
        let before = entry.get(..entry.len() - said.len()).unwrap_or_default();
        let begin: String = said.chars().take(SHOWN).collect();
        let length = said.chars().count() - " {}".len();
        return format!("{}{begin} ... ({length} characters in all)}}", in_brief(before));
    }
    let behind = entry.find(" @").or_else(|| entry.find(" {")).unwrap_or(entry.len());
    let (actions, tail) = entry.split_at(behind);
    let actions = gathered(&shortened(actions, "..."));
    match actions.char_indices().nth(SHOWN) {
        Some((end, _)) if actions.len() > MOST => {
            let length = actions.chars().count();
            format!("{} ... ({length} characters in all){tail}", actions.get(..end).unwrap_or_default())
        }
        _ => actions + tail,
    }
}

/// Many seals of a kind, or many numbers, one after another: the first of them, and how many they are. What can be read in an entry would
/// be lost among them.
fn gathered(actions: &str) -> String {
    /// The kind of a word of which there may be many, and from how many on it is gathered.
    fn kind(word: &str) -> Option<(&str, usize)> {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { Some(("", 8)) } else { word.split_once(':').map(|(kind, _)| (kind, 4)) }
    }
    let of_action = |action: &str| {
        let words: Vec<&str> = action.split(' ').collect();
        let runs = words.chunk_by(|one, other| kind(one).is_some() && kind(one) == kind(other));
        let told = runs.map(|run| match run {
            [first, ..] if kind(first).is_some_and(|(_, many)| run.len() >= many) => {
                let dots = if first.ends_with(['.', '\u{2026}']) { "" } else { " ..." };
                format!("{first}{dots} ({} in all)", run.len())
            }
            _ => run.join(" "),
        });
        told.collect::<Vec<_>>().join(" ")
    };
    actions.split("; ").map(of_action).collect::<Vec<_>>().join("; ")
}

/// Returns the line of an entry without its signature.
#[must_use]
pub fn entry_line(text: &str, entry: &Entry) -> String {
    printable(entry.span.text(text)).into_owned()
}

/// What is said of the host, in a hosted game.
fn rows_of_host(opened: &Opened<'_>) -> Vec<(&'static str, String)> {
    /// As wide as leaves room for the labels in a letter.
    const ROOM: usize = 66;
    let said = hosting::signs_for(opened).into_iter().chain(hosting::could_know(opened));
    let lines = said.flat_map(|line| folded(&line, ROOM));
    lines.enumerate().map(|(nth, line)| (if nth == 0 { "host" } else { "" }, line)).collect()
}

fn rows_of(opened: &Opened<'_>, standing: &Standing, extras: &Extras) -> Vec<(&'static str, String)> {
    let mut rows = rows_of_host(opened);
    if extras.local {
        rows.extend(only_declared_in_words(opened).into_iter().map(|line| ("key", line)));
    }
    if let Some(outcome) = standing.outcome {
        rows.push(("result", outcome.text(&opened.header.info.sides)));
        return rows;
    }
    let due = standing.due.side;
    rows.push(("due", format!("{} (entry {}): {}", word(opened, due), standing.entries + 1, standing.due.what)));
    if let Some(side) = standing.offer {
        let side = opened.header.info.sides[side.index()];
        let offers = side.verb("offer", "offers");
        rows.push(("offer", format!("{} {offers} a draw; `draw!` accepts it", side.named())));
    }
    if let (Some(clocks), Some(last)) = (standing.clocks, standing.last) {
        let now = extras.now.filter(|&now| now >= last).unwrap_or(last);
        for side in [due, due.other()] {
            let left = left_at(&clocks, due, side, now);
            let state = if left < 0 {
                format!("overstepped by {}", in_words(left))
            } else {
                format!("{} left", in_words(left))
            };
            let deadline = clocks.deadline(due).filter(|_| side == due);
            let deadline =
                deadline.map(|end| format!(", until {}", moment::told(end, extras.local))).unwrap_or_default();
            let leave = clocks.on_leave(side, now).map(|end| format!(", on leave until {end}")).unwrap_or_default();
            rows.push(("clock", format!("{} {state}{deadline}{leave}", word(opened, side))));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_full_of_seals_is_shown_as_its_beginning_and_its_message() {
        let short = "1 marines place rifle-squad@AR @2026-11-21T12:00:00Z {one}";
        assert_eq!(in_brief(short), short);
        let sealed = format!(
            "1 white +d1 seal:{}; d1-d2 @2026-11-21T12:00:00Z {{deadbeefdeadbeefdeadbeef}}",
            "380bab5d".repeat(8)
        );
        assert_eq!(
            in_brief(&sealed),
            "1 white +d1 seal:380bab5d...; d1-d2 @2026-11-21T12:00:00Z {deadbeefdeadbeefdeadbeef}"
        );
        let digits = "380bab5d".repeat(8);
        let sealed = format!(
            "1 marines deck{} deal {}; place rifle-squad@AR @2026-11-21T12:00:00Z {{one}}",
            format!(" seal:{digits}").repeat(30) + ";",
            ["17", "4"].repeat(15).join(" "),
        );
        assert_eq!(
            in_brief(&sealed),
            "1 marines deck seal:380bab5d... (30 in all); deal 17 ... (30 in all); place rifle-squad@AR @2026-11-21T12:00:00Z {one}"
        );
        let few = "3 white roll seal:ab seal:cd seal:ef 8 7 10";
        assert_eq!(in_brief(few), few);
        let long = format!("1 marines {}end @2026-11-21T12:00:00Z {{one}}", "draw rifle-squad; ".repeat(40));
        let brief = in_brief(&long);
        assert!(brief.len() < 250 && brief.starts_with("1 marines draw rifle-squad; draw"), "{brief}");
        assert!(brief.ends_with(" ... (733 characters in all) @2026-11-21T12:00:00Z {one}"), "{brief}");
        let said = in_brief(&format!("2 portalists end @2026-11-21T12:00:00Z {{{}}}", "blah ".repeat(200)));
        assert!(said.starts_with("2 portalists end @2026-11-21T12:00:00Z {blah ") && said.len() < 250, "{said}");
        assert!(said.ends_with(" ... (1000 characters in all)}"), "{said}");
    }
}
