//! Letters as mail programs show them: without style sheets, on telephones, on dark screens, in Outlook.

use postrider_kernel::{Side, Viewer};
use postrider_mail::Style;
use postrider_mail::{Brings, Choices, Html, MAX_HTML, Occasion};
use postrider_referee::desk::{Desk, parts};
use postrider_referee::registry::GAMES;
use postrider_referee::verdict::{Ruling, verify};

/// The letter about the last entry of a record to the side that is due, or to the second one after the end, as text and as HTML.
fn letter(record: &[u8]) -> (String, Html) {
    let Ok(desk) = Desk::open(record) else { panic!("a record is refused") };
    let standing = desk.opened.table.standing();
    let to = if standing.outcome.is_some() { Side::Second } else { standing.due.side };
    letter_to(&desk, to)
}

fn letter_to(desk: &Desk<'_>, to: Side) -> (String, Html) {
    let standing = desk.opened.table.standing();
    let is_due = standing.outcome.is_none() && standing.due.side == to;
    let last = desk.last();
    let occasion = Occasion {
        opened: &desk.opened,
        scene: desk.scene(Viewer::Public),
        actions: last.map(|(_, line)| parts(line).0),
        message: last.and_then(|(_, line)| parts(line).2),
        by: last.map(|(side, _)| side),
        to,
        invites: last.is_none(),
        page_at: None,
        style: Style::Taps,
        plain: true,
        brings: Brings::Entry,
        page: false,
        block: None,
        word: Some("have <b>fun</b>"),
        choices: if is_due { Choices::of(&desk.opened) } else { Choices::default() },
        reply_to: "ada.quill@mail.example.org",
        message_id: "<a-game-20261121.1.0123456789abcdef@postrider.invalid>",
        digest: "0123456789abcdef",
        hosting: None,
        dice: None,
    };
    let words = occasion.words("a-game.1.0123456789abcdef.board@postrider.invalid");
    (words.text, words.html.expect("a letter with a picture"))
}

/// The records of the examples of a game that are legal, each cut at its start, in its middle and at its end.
fn records(game: &str) -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(game);
    let mut files: Vec<_> =
        std::fs::read_dir(root).expect("examples").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let records = files.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "pbem"));
    let mut list = Vec::new();
    for record in records.map(|path| std::fs::read_to_string(path).expect("a record")) {
        if verify(record.as_bytes()).ruling != Ruling::Legal || record.contains("\n  ~ ") {
            continue;
        }
        let lines: Vec<&str> = record.lines().filter(|line| !line.starts_with('=')).collect();
        let is_entry = |line: &str| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(' ');
        let entries: Vec<usize> = (0..lines.len()).filter(|at| is_entry(lines[*at])).collect();
        let cuts = [entries[0], entries[entries.len() / 2], entries[entries.len() - 1], lines.len()];
        list.extend(cuts.into_iter().map(|end| lines[..end].join("\n") + "\n"));
    }
    list
}

/// What is between the quotes of an attribute of each element with a name.
fn elements<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let open = format!("<{name} ");
    html.split(open.as_str()).skip(1).map(|rest| rest.split('>').next().expect("an end")).collect()
}

fn without_styles(html: &str) -> String {
    let (before, rest) = html.split_once("<style>").expect("a style sheet");
    format!("{before}{}", rest.split_once("</style>").expect("its end").1)
}

#[test]
fn a_letter_is_right_without_its_style_sheet() {
    let (mut taps, mut letters) = (0, 0);
    for game in GAMES {
        for record in records(game.info().name) {
            let (_, html) = letter(record.as_bytes());
            let page = without_styles(&html.page);
            letters += 1;
            assert!(html.page.len() <= MAX_HTML);
            // Nothing refers to a style sheet, so nothing is lost with it.
            assert!(!page.contains(" class=") && !page.contains("<style"), "{page}");
            assert!(page.contains("max-width:544px;font:16px/24px"), "{page}");
            for picture in elements(&page, "img") {
                assert!(picture.contains(" width=\"480\" height=\""), "{picture}");
                assert!(picture.contains("style=\"max-width:100%;height:auto;"), "{picture}");
            }
            assert_eq!(elements(&page, "img").len(), 1);
            // A tap: a line of 24 pixels with 10 above and below, and 8 between it and the next.
            for table in page.split("<table ").skip(1).map(|rest| rest.split("</table>").next().expect("an end")) {
                let links = elements(table, "a");
                if links.is_empty() {
                    continue;
                }
                assert!(table.contains("cellspacing=\"8\"") && table.contains("font:16px/24px"), "{table}");
                assert!(table.split("<tr").skip(1).all(|row| row.starts_with(" height=\"44\">")), "{table}");
                assert!(links.iter().all(|link| link.contains("style=\"display:block;padding:10px 12px\"")), "{table}");
                taps += links.len();
            }
            let in_tables = page.split("<table ").skip(1).map(|rest| rest.split("</table>").next().expect("an end"));
            let in_tables: usize = in_tables.map(|table| elements(table, "a").len()).sum();
            assert_eq!(elements(&page, "a").len(), in_tables, "no link stands outside of a table");
            for pre in elements(&page, "pre") {
                assert!(pre.contains("white-space:pre-wrap"), "{pre}");
            }
            assert!(page.contains("<blockquote style=\"") && page.contains("have &lt;b&gt;fun&lt;/b&gt;"), "{page}");
        }
    }
    assert!(letters > 40 && taps > 200, "{letters} {taps}");
}

#[test]
fn a_dark_program_shows_the_dark_picture_and_any_other_the_light_one() {
    for game in GAMES {
        let record = records(game.info().name).pop().expect("an example");
        let (_, html) = letter(record.as_bytes());
        let light = "<img src=\"cid:a-game.1.0123456789abcdef.board@postrider.invalid\"";
        let dark = "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"cid:a-game.1.0123456789abcdef.board-dark@postrider.invalid\">";
        assert!(html.page.contains(&format!("{dark}{light}")), "{}", html.page);
        let size = |png: &[u8]| png.get(16..24).map(<[u8]>::to_vec);
        assert!(html.picture.starts_with(b"\x89PNG") && html.dark.starts_with(b"\x89PNG") && html.dark != html.picture);
        assert_eq!(size(&html.picture), size(&html.dark));
    }
}

#[test]
fn what_is_beside_the_board_is_in_the_html_too() {
    let mut turns = 0;
    for record in records("mission-combat") {
        let Ok(desk) = Desk::open(record.as_bytes()) else { panic!("a record is refused") };
        let scene = desk.scene(Viewer::Public);
        let (text, html) = letter(record.as_bytes());
        for part in scene.captions.iter().map(|(_, text)| text).chain(scene.shelves.iter().map(|shelf| &shelf.text)) {
            assert!(html.page.contains(&format!("<td>{part}</td>")) && text.contains(part.as_str()), "{part}");
        }
        turns += usize::from(html.page.contains("action points left"));
    }
    assert!(turns >= 4, "{turns}");
    for record in records("subsume") {
        let Ok(desk) = Desk::open(record.as_bytes()) else { panic!("a record is refused") };
        for (_, text) in desk.scene(Viewer::Public).captions {
            assert!(letter(record.as_bytes()).1.page.contains(&text), "{text}");
        }
    }
}

#[test]
fn the_text_board_is_turned_as_the_picture_is() {
    for game in ["asalto", "assideum", "assassyn", "subsume"] {
        for record in records(game).into_iter().skip(1).step_by(4) {
            let Ok(desk) = Desk::open(record.as_bytes()) else { panic!("a record is refused") };
            for to in Side::BOTH {
                let (text, _) = letter_to(&desk, to);
                let rank =
                    |number: char| text.lines().position(|line| line.trim_start().starts_with(&format!("{number} ")));
                let (first, third) = (rank('1').expect("a rank"), rank('3').expect("a rank"));
                assert_eq!(first < third, to == Side::Second, "{game}\n{text}");
            }
        }
    }
}

/// How high a letter is on a narrow telephone up to its first link, in pixels: lines of so many letters, margins, and pictures.
fn before_first_link(html: &str) -> usize {
    const LETTERS: usize = 36;
    let body = html.split("<body>").nth(1).expect("a body");
    let head = body.split("<a ").next().filter(|head| head.len() < body.len()).expect("a link");
    let mut high = 0;
    for part in head.split("<p").skip(1) {
        let text: String = part.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text).collect();
        high += text.trim().chars().count().div_ceil(LETTERS) * 24 + 16;
    }
    high + head.matches("<img").count() * 400 + head.matches("<pre").count() * 200 + head.matches("<h2").count() * 52
}

#[test]
fn the_first_link_stands_within_one_screen_of_a_telephone() {
    let mut looked = 0;
    for game in GAMES {
        for record in records(game.info().name) {
            let (_, html) = letter(record.as_bytes());
            if html.page.contains("<a ") {
                let high = before_first_link(&html.page);
                assert!(high <= 560, "{}: {high}: {}", game.info().name, html.page);
                looked += 1;
            }
        }
    }
    assert!(looked > 10, "{looked}");
}
