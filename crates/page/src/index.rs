//! A list of games, each with its own page.

use super::html::Html;
use super::{Kind, whole};

/// A game in the list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The file name of its page, next to the list; only letters, digits, `-`, `_` and `.`. `None` for a record without
    /// a page.
    pub page: Option<String>,
    /// The record's path in the folder.
    pub path: String,
    /// The name of the game, such as `Asalto`.
    pub game: String,
    /// The players and the title, for people.
    pub name: String,
    /// The day on which it began.
    pub started: String,
    /// How many entries it has.
    pub entries: u32,
    /// `over`, `running` or `refused`.
    pub state: &'static str,
    /// Who is due, how it ended, or what is wrong.
    pub end: String,
}

/// Writes the list. The filters are radio buttons, so they work without JavaScript.
#[must_use]
pub fn index(title: &str, games: &[Listed]) -> String {
    let mut kinds: Vec<&str> = games.iter().map(|game| game.game.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut body = Html::default();
    body.raw("<div id=\"page\" class=\"index\">\n<header><h1>").text(title).raw("</h1>\n<p>");
    body.number(i64::try_from(games.len()).unwrap_or(i64::MAX)).raw(" records</p></header>\n<main>\n");
    filter(&mut body, "state", "State", &["running", "over", "refused"]);
    // The style sheet supports a limited number; with more games than that, the rest have no filter.
    filter(&mut body, "game", "Game", kinds.get(..kinds.len().min(8)).unwrap_or_default());
    body.raw(
        // On a narrow screen rows are blocks, which without these roles would be no table to a screen reader.
        "<table role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">",
    );
    for head in ["Game", "Players", "Began", "Entries", "State"] {
        body.raw("<th scope=\"col\" role=\"columnheader\">").raw(head).raw("</th>");
    }
    body.raw("</tr></thead>\n<tbody role=\"rowgroup\">\n");
    for game in games {
        let kind = kinds.iter().position(|kind| *kind == game.game).unwrap_or(0);
        let state = ["running", "over", "refused"].iter().position(|state| *state == game.state).unwrap_or(0);
        body.raw("<tr role=\"row\" class=\"state").number(i64::try_from(state + 1).unwrap_or(1));
        body.raw(" game")
            .number(i64::try_from(kind + 1).unwrap_or(1))
            .raw("\">")
            .raw(CELL)
            .text(&game.game)
            .raw("</td>")
            .raw(CELL);
        match &game.page {
            Some(page) => body.raw("<a href=\"").text(page).raw("\">").text(&game.name).raw("</a>"),
            None => body.text(&game.name),
        };
        body.raw("<br><small>")
            .text(&game.path)
            .raw("</small></td>")
            .raw(CELL)
            .text(&game.started)
            .raw("</td>")
            .raw(CELL);
        body.number(game.entries).raw("</td>").raw(CELL).text(&game.end).raw("</td></tr>\n");
    }
    body.raw("</tbody>\n</table>\n</main>\n</div>\n");
    whole(title, body, Kind::Index)
}

/// The beginning of a cell.
const CELL: &str = "<td role=\"cell\">";

fn filter(body: &mut Html, name: &'static str, label: &'static str, values: &[&str]) {
    if values.len() < 2 {
        return;
    }
    body.raw("<fieldset class=\"filter\"><legend>").raw(label).raw("</legend>\n");
    for (number, value) in (0..).zip(["all"].iter().chain(values)) {
        body.raw("<label><input type=\"radio\" name=\"").raw(name).raw("\" id=\"").raw(name).number(number).raw("\"");
        if number == 0 {
            body.raw(" checked");
        }
        body.raw("> ").text(value).raw("</label>\n");
    }
    body.raw("</fieldset>\n");
}
