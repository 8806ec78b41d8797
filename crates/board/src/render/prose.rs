//! Pages of prose, such as rulebooks, in the width of a terminal.

use super::sheet::folded;

/// Writes a page of a rulebook for a terminal of so many columns: headings without their marks, examples indented, tables as columns, and
/// no other mark than the one that sets what is typed apart from the words around it.
#[must_use]
pub fn for_terminal(text: &str, columns: usize) -> String {
    let mut plain = String::new();
    let mut table: Vec<Vec<String>> = Vec::new();
    let (mut in_block, mut in_comment) = (false, false);
    for line in text.lines() {
        if in_comment || !in_block && line.starts_with("<!--") {
            in_comment = !line.ends_with("-->");
            continue;
        }
        let is_row = !in_block && line.trim_start().starts_with('|');
        if is_row {
            let cells = cells(line);
            if !cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':'))) {
                table.push(cells);
            }
            continue;
        }
        if !table.is_empty() {
            plain.push_str(&in_columns(&std::mem::take(&mut table), columns));
        }
        let inner = line.trim_start();
        if inner.starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            plain.push_str(&format!("    {line}"));
            plain.truncate(plain.trim_end_matches(' ').len());
            plain.push('\n');
        } else if inner.starts_with('#') {
            let heading = without_marks(inner.trim_start_matches('#').trim_start());
            let is_chapter = inner.starts_with("# ") || inner.starts_with("## ");
            plain.push_str(&format!("{}\n", if is_chapter { heading.to_uppercase() } else { heading }));
        } else if !inner.starts_with("![") && !inner.starts_with("<img ") {
            plain.push_str(&format!("{}\n", without_marks(line)));
        }
    }
    if !table.is_empty() {
        plain.push_str(&in_columns(&table, columns));
    }
    // What was left out leaves its empty lines.
    let mut text = reflowed(&plain, columns);
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

/// A line without what stands for emphasis and links. What is typed keeps its marks, and all that stands in them.
fn without_marks(line: &str) -> String {
    let mut text = String::new();
    for (nth, part) in line.split('`').enumerate() {
        if nth > 0 {
            text.push('`');
        }
        match nth % 2 {
            0 => text.push_str(&without_links(part)),
            _ => text.push_str(part),
        }
    }
    text
}

/// Text outside of what is typed.
fn without_links(part: &str) -> String {
    let is_item = part.trim_start().starts_with("* ");
    let (mark, rest) = if is_item { part.split_at(part.find('*').map_or(0, |at| at + 1)) } else { ("", part) };
    let mut text = mark.to_owned();
    // `[words](address)`, and `](address)` behind words in marks of their own.
    let mut rest = rest.replace('*', "");
    while let Some(at) = rest.find("](") {
        let end = rest.get(at..).and_then(|behind| behind.find(')')).map_or(rest.len(), |end| at + end + 1);
        rest.replace_range(at..end, "");
        if let Some(open) = rest.get(..at).and_then(|before| before.rfind('[')) {
            rest.replace_range(open..=open, "");
        }
    }
    text.push_str(&rest);
    text
}

/// The cells of a row, without their marks.
fn cells(row: &str) -> Vec<String> {
    const BAR: &str = "\u{1}";
    let row = row.trim().replace("\\|", BAR);
    let inner = row.strip_prefix('|').unwrap_or(&row);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.split('|').map(|cell| of_cell(&without_marks(cell.trim())).replace(BAR, "|")).collect()
}

/// A cell; the column sets apart what is typed, unless words stand beside it.
fn of_cell(cell: &str) -> String {
    let has_words = cell.split('`').step_by(2).any(|beside| beside.contains(char::is_alphanumeric));
    if has_words { cell.to_owned() } else { cell.replace('`', "") }
}

/// A table whose widest columns are folded until it fits.
fn in_columns(rows: &[Vec<String>], columns: usize) -> String {
    /// What stands before the first column and between any two, and what a column keeps at least.
    const BEFORE: usize = 4;
    const BETWEEN: usize = 2;
    const LEAST: usize = 8;
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, nth: usize| row.get(nth).map_or(0, |cell| cell.chars().count());
    let mut widths: Vec<usize> =
        (0..count).map(|nth| rows.iter().map(|row| cell(row, nth)).max().unwrap_or(0)).collect();
    let room = columns.saturating_sub(BEFORE + BETWEEN * count.saturating_sub(1));
    while widths.iter().sum::<usize>() > room
        && let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > LEAST)
    {
        *widest -= 1;
    }
    let mut text = String::new();
    for row in rows {
        let folds = widths
            .iter()
            .enumerate()
            .map(|(nth, width)| folded(row.get(nth).map_or("", String::as_str), (*width).max(1)));
        let folds: Vec<_> = folds.collect();
        for line in 0..folds.iter().map(Vec::len).max().unwrap_or(0) {
            let mut written = " ".repeat(BEFORE);
            for (fold, width) in folds.iter().zip(&widths) {
                let part = fold.get(line).map_or("", String::as_str);
                written.push_str(&format!("{part:width$}{:BETWEEN$}", ""));
            }
            text.push_str(written.trim_end());
            text.push('\n');
        }
    }
    text
}

/// Folds the paragraphs and items of a page. Blocks of code and tables stay as they are.
fn reflowed(text: &str, columns: usize) -> String {
    let mut pages = String::new();
    // The paragraph that is being read, and the width of the mark of a list in front of it.
    let mut paragraph = String::new();
    let mut indent = 0;
    let mut in_block = false;
    let end = |paragraph: &mut String, indent: usize, pages: &mut String| {
        if !paragraph.is_empty() {
            let width = columns.saturating_sub(indent).max(indent + 1);
            let text = paragraph.get(indent..).unwrap_or_default();
            let lines = folded(text, width).join(&format!("\n{:indent$}", ""));
            pages.push_str(&format!("{}{lines}\n", &paragraph[..indent]));
            paragraph.clear();
        }
    };
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        let inner = line.trim_start();
        if fence
            || in_block
            || line.is_empty()
            || inner.starts_with('|')
            || (paragraph.is_empty() && line.starts_with("    "))
        {
            end(&mut paragraph, indent, &mut pages);
            pages.push_str(&format!("{line}\n"));
            in_block ^= fence;
            continue;
        }
        let space = line.len() - inner.len();
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        let mark = match inner.get(digits..) {
            Some(rest) if digits > 0 && rest.starts_with(". ") => digits + 2,
            Some(rest) if digits == 0 && (rest.starts_with("* ") || rest.starts_with("- ")) => 2,
            _ => 0,
        };
        if mark > 0 || paragraph.is_empty() || inner.starts_with('#') {
            end(&mut paragraph, indent, &mut pages);
            indent = space + mark;
            paragraph.push_str(line);
        } else {
            paragraph.push(' ');
            paragraph.push_str(inner);
        }
    }
    end(&mut paragraph, indent, &mut pages);
    pages
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_referee::rulebook;

    #[test]
    fn paragraphs_and_items_are_folded_and_blocks_are_not() {
        let text = "### T1 the board\n\nOne paragraph of\nmore than one line.\n\n* an item that is\n  long enough\n* short\n\n\
                    ```turns\na line of a block that is long\n```\n12. twelfth and\n    last of all\n";
        let right = "### T1 the board\n\nOne paragraph of\nmore than one\nline.\n\n* an item that is\n  long enough\n* short\n\n\
                     ```turns\na line of a block that is long\n```\n12. twelfth and\n    last of all\n";
        assert_eq!(reflowed(text, 17), right);
    }

    #[test]
    fn pictures_and_comments_are_not_for_a_terminal() {
        let text = "Here:\n\n<!-- turns\n| a position\nb4-b5  ->  T1\n-->\n\n```board\n<!-- o\n```\n\n<img src=\"a.svg\" width=\"9\">\n\nThere.\n";
        assert_eq!(for_terminal(text, 40), "Here:\n\n    <!-- o\n\nThere.\n");
    }

    #[test]
    fn a_page_for_a_terminal_has_no_marks() {
        let text = "# The game\n\n### T1 the *board*\n\nSee [T2](#t2) and `a*b [c](d)`.\n*Ruling:* **all** of it.\n\n* an item\n\n\
                    ```turns\na1-a2  ->  b\n```\n\n| a | the second |\n|---|---|\n| `x\\|y`, `z` | with `x` long words that are folded |\n";
        let right = "THE GAME\n\nT1 the board\n\nSee T2 and `a*b [c](d)`.\nRuling: all of it.\n\n* an item\n\n    \
                     a1-a2  ->  b\n\n    a       the second\n    x|y, z  with `x` long\n            words that are\n            folded\n";
        assert_eq!(for_terminal(text, 26), right);
    }

    #[test]
    fn every_rulebook_is_text_that_fits_a_terminal() {
        for book in rulebook::all() {
            let text = for_terminal(book.text, 80);
            for line in text.lines() {
                assert!(
                    !line.contains("```") && !line.contains("](") && !line.starts_with('#'),
                    "{}: {line}",
                    book.name
                );
                let as_it_is = line.starts_with("    ") || line.split_whitespace().count() < 3;
                assert!(as_it_is || line.chars().count() <= 80, "{}: {line}", book.name);
            }
        }
    }

    #[test]
    fn every_rulebook_keeps_its_words_and_fits_a_narrow_terminal() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for book in rulebook::all() {
            let folded = reflowed(book.text, 60);
            assert_eq!(words(&folded), words(book.text), "{}", book.name);
            let mut in_block = false;
            for line in folded.lines() {
                in_block ^= line.trim_start().starts_with("```");
                let as_it_is = in_block || line.trim_start().starts_with('|') || line.starts_with("    ");
                let one_word = line.split_whitespace().count() < 3;
                assert!(as_it_is || one_word || line.chars().count() <= 60, "{}: {line}", book.name);
            }
        }
    }
}
