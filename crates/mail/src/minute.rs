//! A game in a minute, as letters tell it to people who may not know it. Pure.

use super::markup;
use postrider_board::picture::escaped;
use postrider_board::render::sheet;
use postrider_kernel::Info;
use postrider_referee::rulebook::in_a_minute;

/// The paragraphs, each with the board below it. The game at its start, below the first, is shown by the letter itself.
fn parts(info: &Info) -> Vec<(String, Option<&'static str>)> {
    let Some(minute) = in_a_minute(info.name) else { return Vec::new() };
    let boards = minute.boards.into_iter().map(Some).skip(1);
    let boards = std::iter::once(None).chain(boards).chain(std::iter::repeat(None));
    minute.paragraphs.into_iter().zip(boards).collect()
}

fn head(info: &Info) -> String {
    format!("{} in a minute:", info.title)
}

/// How far boards are indented, and how wide lines may be.
const INDENT: usize = 4;
const WIDE: usize = 76;

/// Tells a game as text.
pub(super) fn text(info: &Info) -> String {
    let mut text = format!("\n{}\n", head(info));
    for (paragraph, board) in parts(info) {
        text.push_str(&format!("\n{}\n", sheet::paragraph(&paragraph)));
        for line in board.unwrap_or_default().lines() {
            // What names a long entry may be wider than boards are.
            let line = match line.len() + INDENT > WIDE {
                true => sheet::wrapped(line.split(' ').map(str::to_owned), " ", INDENT),
                false => line.to_owned(),
            };
            text.push_str(format!("\n{:INDENT$}{line}", "").trim_end());
        }
        if board.is_some() {
            text.push('\n');
        }
    }
    text
}

/// Tells a game as HTML.
pub(super) fn html(info: &Info) -> String {
    let mut body = format!("<p>{}</p>\n", escaped(&head(info)));
    for (paragraph, board) in parts(info) {
        body.push_str(&format!("<p>{}</p>\n", escaped(&paragraph)));
        body.push_str(&board.map(markup::drawn).unwrap_or_default());
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_referee::registry::GAMES;

    #[test]
    fn a_sentence_that_points_at_a_board_has_it_below_in_text_and_html() {
        for game in GAMES {
            let info = game.info();
            let told = parts(info);
            assert_eq!(told.len(), 3, "{}", info.name);
            for (paragraph, board) in told {
                assert!(board.is_some() || !paragraph.ends_with(':'), "{}: {paragraph}", info.name);
            }
            let text = text(info);
            assert!(text.lines().all(|line| line.len() <= WIDE), "{text}");
            assert_eq!(html(info).matches("<pre").count(), 2);
        }
    }
}
