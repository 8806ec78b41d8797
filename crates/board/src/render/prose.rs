//! Pages of prose, such as rulebooks, in the width of a terminal.

use super::sheet::folded;

/// Folds the paragraphs and items of a page. Blocks of code and tables stay as they are.
#[must_use]
pub fn reflowed(text: &str, columns: usize) -> String {
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
