//! How a letter's HTML is put together. Many mail programs drop style sheets, so what a letter needs stands in attributes and in the
//! elements' own styles: a picture that fits a telephone, links as high as a finger, lines that break. Links stand in tables, since
//! Outlook knows neither the height nor the padding of anything else. Pure.

use std::fmt::Write as _;

use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, MultiPart, SinglePart};

use postrider_board::picture::{Look, Options, Picture, Told, escaped, is_writable};
use postrider_board::render::sheet;
use postrider_kernel::Side;
use postrider_kernel::scene::Scene;
use postrider_kernel::text::printable;
use postrider_referee::verdict::Opened;
use unicode_normalization::UnicodeNormalization as _;

/// The width of a picture in pixels, and the width at which it is shown where there is room.
const PIXELS: u16 = 720;
/// The same for a picture that is far higher than wide and has large letters, so that a letter stays below 120 KB.
const FEWER: u16 = 600;
const SHOWN: u16 = 480;
/// What a link that is tapped has around its text: with lines of 24 pixels it is 44 high.
const TAPPED: &str = "display:block;padding:10px 12px";
/// The room between two links in pixels.
const APART: usize = 8;
/// The width of a narrow telephone without its margins, in pixels, and what a letter takes at most.
const NARROW: usize = 328;
const LETTER: usize = 9;
/// The most links beside each other.
const BESIDE: usize = 4;

/// A whole HTML document of a title, as text, and a body, as HTML.
pub(super) fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"supported-color-schemes\" content=\"light dark\">\n\
         <title>{}</title>\n<style>:root {{ color-scheme: light dark; }}</style>\n</head>\n<body>\n\
         <div style=\"max-width:544px;font:16px/24px sans-serif;word-wrap:break-word;overflow-wrap:anywhere\">\n{body}</div>\n</body>\n</html>\n",
        escaped(title)
    )
}

/// A heading above a part of a letter.
pub(super) fn heading(text: &str) -> String {
    format!("<h2 style=\"font-size:20px;margin:20px 0 8px\">{}</h2>\n", escaped(text))
}

/// What somebody wrote, as HTML.
pub(super) fn quotation(html: &str) -> String {
    format!("<blockquote style=\"margin:0 0 16px;padding-left:16px;border-left:3px solid #888\">{html}</blockquote>\n")
}

/// Lines to be typed, which break where there is no room.
pub(super) fn typed(text: &str) -> String {
    format!("<pre style=\"white-space:pre-wrap;word-wrap:break-word;overflow-wrap:anywhere\">{}</pre>\n", escaped(text))
}

/// A small board of letters, as large as it may be without breaking its lines on a phone.
pub(super) fn drawn(text: &str) -> String {
    let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or_default();
    let (size, line) = if widest > 48 { (9, 12) } else { (12, 15) };
    format!("<pre style=\"white-space:pre-wrap;font:{size}px/{line}px monospace\">{}</pre>\n", escaped(text.trim_end()))
}

/// Rows of a label and a text each.
pub(super) fn rows(rows: &[(&'static str, String)]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut html =
        String::from("<table role=\"presentation\" cellpadding=\"0\" style=\"font:16px/24px sans-serif\">\n");
    for (label, text) in rows {
        let _ = writeln!(
            html,
            "<tr valign=\"top\"><td style=\"padding-right:12px;white-space:nowrap\"><b>{}</b></td><td>{}</td></tr>",
            escaped(label),
            escaped(text)
        );
    }
    html.push_str("</table>\n");
    html
}

/// Puts links side by side, as many as fit on a telephone with the longest label; each comes from [`super::taps::tap`] with its label. Very
/// many are `plain`, which takes fewer bytes.
pub(super) fn links(links: &[(&str, String)], plain: bool) -> String {
    let Some(longest) = links.iter().map(|(label, _)| label.chars().count()).max() else { return String::new() };
    let beside = (NARROW / (longest * LETTER + 26 + APART)).clamp(1, BESIDE);
    let (border, cell) =
        if plain { (1, "<td>") } else { (0, "<td style=\"border:1px solid #888;border-radius:6px\">") };
    let mut html = format!(
        "<table role=\"presentation\" border=\"{border}\" cellspacing=\"{APART}\" cellpadding=\"0\" \
         style=\"border:0;font:16px/24px sans-serif\">\n"
    );
    for row in links.chunks(beside) {
        // The height is for Outlook.
        html.push_str("<tr height=\"44\">");
        for (_, link) in row {
            html.push_str(cell);
            html.push_str(link);
            html.push_str("</td>");
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
    html
}

/// A link to an address of any kind, with its text.
pub(super) fn link(url: &str, label: &str) -> String {
    format!("<a style=\"{TAPPED}\" href=\"{}\">{}</a>", escaped(url), escaped(label))
}

/// The Content-ID of the picture for a dark screen, by that of the other one.
pub(super) fn dark_id(cid: &str) -> String {
    cid.replacen(".board@", ".board-dark@", 1)
}

/// A picture in two looks, with HTML that shows the one for the reader's program. Programs without `<picture>` show the one on a light
/// background.
pub(super) struct Board {
    picture: Picture,
    dark: Picture,
}

impl Board {
    /// Draws it for a side, with what the reader of a picture alone should know.
    pub(super) fn of(opened: &Opened<'_>, scene: &Scene, from: Side) -> Self {
        let told = told(opened);
        let draw = |look| Picture::with_words(scene, &Options { from, look, ..Options::default() }, &told);
        Self { picture: draw(Look::Colour), dark: draw(Look::Dark) }
    }

    /// The HTML that shows it; `cid` is its Content-ID.
    pub(super) fn html(&self, cid: &str) -> String {
        let list = self.picture.list();
        let height =
            u32::try_from(list.height).unwrap_or(0) * u32::from(SHOWN) / u32::try_from(list.width).unwrap_or(1).max(1);
        let alt = self.picture.words().replace('\n', " ");
        format!(
            "<p><picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"cid:{}\">\
             <img src=\"cid:{}\" width=\"{SHOWN}\" height=\"{height}\" style=\"max-width:100%;height:auto;border:0\" alt=\"{}\"></picture></p>\n",
            escaped(&dark_id(cid)),
            escaped(cid),
            escaped(alt.trim_end())
        )
    }

    /// Makes the letter's HTML of the whole document; `None` if the picture cannot be painted.
    pub(super) fn with(&self, page: String) -> Option<Html> {
        let list = self.picture.list();
        let pixels = if list.height * 5 > list.width * 7 { FEWER } else { PIXELS };
        Some(Html { page, picture: painted(&self.picture, pixels)?, dark: painted(&self.dark, pixels)? })
    }
}

/// Paints a picture as PNG.
#[cfg(feature = "pictures")]
fn painted(picture: &Picture, pixels: u16) -> Option<Vec<u8>> {
    picture.png(pixels)
}

/// Without the feature `pictures` none is painted.
#[cfg(not(feature = "pictures"))]
fn painted(_picture: &Picture, _pixels: u16) -> Option<Vec<u8>> {
    None
}

/// The players, the last entry, and whose entry is due or how the game ended.
fn told(opened: &Opened<'_>) -> Told {
    let standing = opened.table.standing();
    let sides = &opened.header.info.sides;
    let players = Side::BOTH.map(|side| {
        let word = sides[side.index()].word;
        let name: String = printable(&opened.header.player(side).name).nfd().collect();
        // Somebody's name is not written with question marks.
        if is_writable(&name) && !name.trim().is_empty() { format!("{}, {word}", name.trim()) } else { word.to_owned() }
    });
    let last = sheet::last_entries(opened, 1).pop().unwrap_or_default();
    // Without its time and its message, which may say anything.
    let actions = [" @", " {"].iter().filter_map(|end| last.find(end)).min().map_or(&*last, |end| last.split_at(end).0);
    let last = match actions.split_once(' ') {
        Some((number, rest)) => format!("entry {number}: {}", sheet::in_brief(rest)),
        None => String::new(),
    };
    let (state, due) = match standing.outcome {
        Some(outcome) => (format!("result: {}", outcome.text(sides)), None),
        None => {
            let due = standing.due.side;
            let word = sides[due.index()].word;
            (format!("due: {word}, entry {}, {}", standing.entries.saturating_add(1), standing.due.what), Some(due))
        }
    };
    Told { players, last, state, due }
}

/// A letter as HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Html {
    /// The HTML document.
    pub page: String,
    /// The picture in it, a PNG.
    pub picture: Vec<u8>,
    /// The same for a dark screen.
    pub dark: Vec<u8>,
}

impl Html {
    /// Returns the HTML with its pictures; `cid` is the Content-ID of the first.
    pub(super) fn related(&self, cid: &str, boundary: String) -> MultiPart {
        let picture = |cid: &str, name: &str, bytes: &Vec<u8>| {
            let body = Body::new_with_encoding(bytes.clone(), ContentTransferEncoding::Base64);
            // This text always parses.
            let png = ContentType::parse("image/png").unwrap_or(ContentType::TEXT_PLAIN);
            Attachment::new_inline_with_name(cid.to_owned(), name.to_owned()).body(body.unwrap_or_else(Body::new), png)
        };
        let related = MultiPart::related().boundary(boundary).singlepart(SinglePart::html(self.page.clone()));
        let related = related.singlepart(picture(cid, "board.png", &self.picture));
        match self.dark.is_empty() {
            true => related,
            false => related.singlepart(picture(&dark_id(cid), "board-dark.png", &self.dark)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_links_stand_beside_each_other_as_a_telephone_has_room_for() {
        let list = |label: &'static str, count: usize| vec![(label, link("mailto:a@b.c", label)); count];
        let in_first = |html: &str| html.split("</tr>").next().unwrap_or_default().matches("<a ").count();
        assert_eq!(in_first(&links(&list("c4-c5", 9), false)), 4);
        assert_eq!(in_first(&links(&list("e5-d4; huff d4", 9), false)), 2);
        assert_eq!(in_first(&links(&list("draw exorcist portal-trooper; keep exorcist; end", 9), true)), 1);
        assert_eq!(links(&[], false), "");
    }

    /// Everything that is written in a picture, line by line.
    fn written(picture: &Picture) -> Vec<String> {
        let list = picture.list();
        let texts = list.items.iter().filter_map(|placed| list.lettered(placed)?.lettering);
        texts.map(|one| one.text).collect()
    }

    #[test]
    fn a_picture_says_who_plays_what_was_entered_and_who_is_due() {
        let record = "---\npbem: 1\ngame: asalto\nid: asalto-pictures\nplayers:\n  besiegers: {name: Zo\u{eb} Quill}\n  \
                      defenders: {name: \u{738b}}\nstarted: 2026-11-21\n---\n1 defenders place c6 e6 @2026-11-21T10:15:00Z {due: nobody}\n";
        let shown = |record: &str| {
            let mut opened = Opened::new(record.as_bytes()).expect("a record");
            opened.replay(u32::MAX);
            let scene = opened.table.view(postrider_kernel::Viewer::Public);
            let board = Board::of(&opened, &scene, Side::Second);
            assert_eq!(written(&board.picture), written(&board.dark));
            written(&board.picture)
        };
        let is_in = |texts: &[String], text: &str| assert!(texts.iter().any(|one| one == text), "{text}: {texts:?}");
        let texts = shown(record);
        is_in(&texts, "Zoe\u{308} Quill, besiegers");
        // What the alphabet does not have is left out.
        is_in(&texts, "defenders");
        is_in(&texts, "entry 1: defenders place c6 e6");
        is_in(&texts, "due: besiegers, entry 2, a move");
        assert!(!texts.concat().contains("nobody"), "{texts:?}");
        let over = shown(&format!("{record}2 besiegers resign @2026-11-22T10:15:00Z\n"));
        is_in(&over, "entry 2: besiegers resign");
        assert!(over.iter().any(|one| one.starts_with("result: ")), "{over:?}");
        assert!(!over.iter().any(|one| one.starts_with("due")), "{over:?}");
        let empty = shown(record.split_inclusive("---\n").take(2).collect::<String>().as_str());
        is_in(&empty, "due: defenders, entry 1, the placement of both defenders");
        assert!(!empty.iter().any(|one| one.starts_with("entry")), "{empty:?}");
    }

    #[test]
    fn what_is_written_in_a_letter_is_no_markup() {
        let text = "<b>&\"";
        let all = [heading(text), typed(text), rows(&[("a", text.to_owned())]), link(text, text), document(text, "")];
        for html in all {
            assert!(!html.contains(text) && html.contains("&lt;b&gt;&amp;"), "{html}");
        }
    }
}
