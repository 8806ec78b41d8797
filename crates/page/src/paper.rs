//! The lessons of a game on paper: each with its board and its task, and the solutions behind them all.

use super::html::Html;
use super::{Kind, whole};
use postrider_board::picture::{Look, Options, Picture};
use postrider_kernel::Viewer;
use postrider_machine::lessons::lessons;
use postrider_referee::facade::open;
use postrider_referee::registry::AnyGame;

/// Writes the lessons of a game as one page for print.
///
/// # Errors
/// Why a lesson cannot be read; a test makes sure that each can.
pub fn sheet(game: &dyn AnyGame) -> Result<String, String> {
    let info = game.info();
    let lessons = lessons(info.name)?;
    let mut body = Html::default();
    body.raw("<div id=\"page\" class=\"sheet\">\n<header><h1>").text(info.title).raw(" in ");
    body.number(i64::try_from(lessons.len()).unwrap_or_default()).raw(" lessons</h1><p>");
    body.raw("Each has a position and one thing to do in it. The solutions are at the end.</p></header>\n<main>\n");
    for (lesson, number) in lessons.iter().zip(1_u32..) {
        let record = lesson.record(game)?;
        let referee = open(record.as_bytes()).map_err(|verdict| verdict.to_string())?;
        let standing = referee.standing();
        let side = standing.due.side;
        let scene = referee.record().table.view(Viewer::Side(side));
        let picture = Picture::of(&scene, &Options { from: side, look: Look::Colour, marks: false });
        body.raw("<section class=\"lesson\">\n<h2>").number(number).raw(". ").text(&lesson.title).raw("</h2>\n<p>");
        body.text(&lesson.text)
            .raw(" <small>(")
            .text(&lesson.rules.join(", "))
            .raw(")</small></p>\n<div class=\"svg\">");
        body.drawn(&picture.svg_in_classes(&format!("{}, lesson {number}", info.title)))
            .raw("</div>\n<p><b>Task</b>, for ");
        body.text(&info.sides[side.index()].named()).raw(": ").text(&lesson.task).raw("</p>\n</section>\n");
    }
    body.raw("<section class=\"solutions\">\n<h2>Solutions</h2>\n<ol>\n");
    for lesson in &lessons {
        body.raw("<li><b>").text(&lesson.solution).raw("</b><br>").text(&lesson.done);
        for near in &lesson.near {
            body.raw("<br><b>").text(&near.entry).raw("</b>: ").text(&near.say);
        }
        for tempting in &lesson.tempting {
            body.raw("<br><b>").text(&tempting.entry).raw("</b> is refused: rule ").text(&tempting.rule).raw(".");
        }
        body.raw("</li>\n");
    }
    body.raw("</ol>\n<p>All the rules: <code>postrider rules ").text(info.name);
    body.raw("</code>. A first game: <code>postrider practice ")
        .text(info.name)
        .raw(" --level 1</code>.</p>\n</section>\n");
    body.raw("</main>\n</div>\n");
    Ok(whole(&format!("{}: lessons", info.title), body, Kind::Sheet))
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_referee::registry::GAMES;

    #[test]
    fn every_game_has_its_lessons_on_paper_with_a_board_each() {
        for game in GAMES {
            let page = sheet(*game).expect("a page");
            let count = lessons(game.info().name).expect("lessons").len();
            assert_eq!(page.matches("<svg").count(), count);
            assert_eq!(page.matches("<section class=lesson>").count(), count);
            assert!(!page.contains("<script"), "nothing runs in it");
            let last = page.rfind("<svg").zip(page.find("Solutions")).expect("both");
            assert!(last.0 < last.1, "a solution stands before a task");
        }
    }
}
