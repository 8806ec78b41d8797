//! A game as a page: one HTML file that can be read, stepped through, linked to and printed without a network and without JavaScript. With the
//! referee inside, it verifies records and takes part in games. Pure: the same record gives the same page.
//!
//! It uses what draws positions, and the lessons. The two modules that it holds are built from other crates by `web/build`.
//!
//! Begin with `sheet` (on paper) and `app` (the page that keeps games); what runs in a browser stands beside these sources as JavaScript.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

mod app;
mod atlas;
mod check;
mod folder;
mod html;
mod index;
mod paper;

pub use app::{AppFile, app, module_digest};
pub use check::{Checked, Difference, Part, check};
pub use folder::{Made, file_name};
pub use index::{Listed, index};
pub use paper::sheet;

use std::collections::BTreeMap;

use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};

use atlas::Atlas;
use html::Html;

use postrider_board::picture::list::Ink;
use postrider_board::picture::svg::{TALLEST, WIDEST, decimal, ink_letter};
use postrider_board::picture::{Look, Options, Picture};
use postrider_board::render::{diagnostic, sheet};
use postrider_kernel::text::LineIndex;
use postrider_kernel::{Side, Viewer};
use postrider_referee::desk::export::{EntryRow, entries};
use postrider_referee::judging::{in_brief, in_words};
use postrider_referee::record::Secrecy;
use postrider_referee::registry::GAMES;
use postrider_referee::rulebook;
use postrider_referee::sealing::PublicKey;
use postrider_referee::verdict::{Opened, Ruling, Verdict, hosting, only_declared};

/// Up to this many entries, the page has a board for each.
const ALL: u32 = 600;
/// Up to this many boards are in the page as elements even where scripts run.
const PLAIN: usize = 120;
/// In a longer game, the interval between entries with a board, and in a game of many thousand entries a multiple of it, so that there
/// are no more boards than this beside the last ones.
const EVERY: u32 = 50;
const BOARDS: u32 = 400;
/// The number of the last entries that have a board too.
const LAST: u32 = 150;
/// How many entries are in each part of the list of a longer game.
const LISTED: u32 = 100;

const STYLE: &str = include_str!("style.css");
const APP_STYLE: &str = include_str!("app.css");
const INDEX_STYLE: &str = include_str!("index.css");
const SHEET_STYLE: &str = include_str!("sheet.css");
const STEP: &str = include_str!("step.js");
/// The page that came with a game, and the one that keeps a player's: built from `web/app`, as small as they should be. What handles secrets
/// is in the page without a game alone: one with a game may have come from anybody.
const GUEST_PAGE: &str = include_str!("built/guest.js");
const PLAYER_PAGE: &str = include_str!("built/player.js");

/// The referee as a WebAssembly module, compressed by gzip, which browsers unpack. `web/build` makes it; it is here too because cargo packs
/// nothing of a folder that is a package of its own.
pub const REFEREE: &[u8] = include_bytes!("referee.wasm.gz");
/// The same with a player's home in requests.
pub const PLAYER: &[u8] = include_bytes!("player.wasm.gz");

/// What goes into a page.
#[derive(Clone, Copy, Debug)]
pub struct Contents {
    /// Whether to include the referee.
    pub referee: bool,
    /// Whether to include the record, which contains the players' mail addresses.
    pub record: bool,
    /// Which side is at the bottom of the board.
    pub from: Side,
}

/// The most entries of a game that is shown as a page. A page lists every entry, so that of a longer game would be more than a
/// browser takes; no real game is near it.
pub const MOST_ENTRIES: u32 = 50_000;

/// Writes the page of a game. `opened` has been replayed, with this verdict.
#[must_use]
pub fn page(source: &[u8], opened: &Opened<'_>, verdict: &Verdict, contents: &Contents) -> String {
    let game = Game::new(source, opened, verdict, contents);
    let mut body = Html::default();
    body.raw("<div id=\"page\">\n");
    game.head(&mut body);
    game.boards(&mut body, contents);
    game.list(&mut body);
    game.facts(&mut body, contents);
    body.raw("</div>\n");
    whole(
        &format!("{}: {}", opened.header.info.title, game.title),
        body,
        if contents.referee { Kind::Referee } else { Kind::Game },
    )
}

/// Writes the page of a record, with the referee in it, as everybody may see the game, seen from a side; `None` if the record cannot
/// be read or is longer than [`MOST_ENTRIES`].
#[must_use]
pub fn page_of(record: &[u8], from: Side) -> Option<String> {
    let mut opened = Opened::new(record).ok()?;
    let verdict = opened.replay(u32::MAX);
    let contents = Contents { referee: true, record: true, from };
    (verdict.entries <= MOST_ENTRIES).then(|| page(record, &opened, &verdict, &contents))
}

/// Writes a page with the referee and no game: records can be loaded into it, and games begun.
#[must_use]
pub fn referee_alone() -> String {
    alone(Kind::Player)
}

/// The page without a game, as one file or as that of the app.
fn alone(kind: Kind) -> String {
    let mut body = Html::default();
    body.raw(
        "<div id=\"page\" class=\"index\">\n<header><h1>Games by mail, and their referee</h1><p>Games for two. Learn one, play it \
         against the machine or with somebody, or put a record into this page. Nothing leaves this page unless you send \
         it.</p></header>\n<main class=\"games\">\n<noscript><p>Without JavaScript this page can tell about the games, and no \
         more.</p></noscript>\n",
    );
    for game in GAMES {
        let info = game.info();
        let minute = rulebook::in_a_minute(info.name).map(|minute| minute.paragraphs).unwrap_or_default();
        let Some((first, rest)) = minute.split_first() else { continue };
        body.raw("<section class=\"game\" data-game=\"").text(info.name).raw("\">\n<h2>").text(info.title);
        body.raw("</h2>\n<div class=\"svg\"></div>\n<p>")
            .text(first)
            .raw("</p>\n<details><summary>In a minute</summary>\n");
        for paragraph in rest {
            body.raw("<p>").text(paragraph).raw("</p>\n<div class=\"svg\"></div>\n");
        }
        body.raw("</details>\n</section>\n");
    }
    body.raw("</main>\n</div>\n");
    whole("postrider: a referee for games by mail", body, kind)
}

/// The kinds of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A game, as it was when the page was made.
    Game,
    Referee,
    /// The same without a game, with what keeps a player's games.
    Player,
    /// That at a web address, with the referee beside it.
    App,
    /// A list of games.
    Index,
    /// Lessons on paper.
    Sheet,
}

/// The page around its body.
fn whole(title: &str, body: Html, kind: Kind) -> String {
    let drawing = drawing_classes();
    let (classes, drawing) = match kind {
        Kind::Game | Kind::Sheet => body.combined(&drawing),
        // The referee draws its own boards, so all classes are needed as they are.
        Kind::Referee | Kind::Player | Kind::App => {
            (BTreeMap::new(), drawing.iter().map(|(class, rule)| format!(".{class}{{{rule}}}")).collect())
        }
        Kind::Index => Default::default(),
    };
    let body = body.unquoted(&classes);
    let style = palette() + &drawing + "\n" + STYLE;
    let (style, script) = match kind {
        Kind::Game => (style, squeezed(STEP)),
        Kind::Referee => (style + APP_STYLE, squeezed(STEP) + GUEST_PAGE),
        Kind::Player | Kind::App => (style + APP_STYLE, squeezed(STEP) + PLAYER_PAGE),
        Kind::Index => (style + INDEX_STYLE, String::new()),
        Kind::Sheet => (style + SHEET_STYLE, String::new()),
    };
    let module = match kind {
        Kind::Referee => Some(REFEREE),
        Kind::Player | Kind::App => Some(PLAYER),
        _ => None,
    };
    let hash = |code: &str| BASE64.encode(&Sha256::digest(code.as_bytes()));
    let mut page = Html::default();
    page.raw(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-",
    );
    page.own(&hash(&style)).raw("'; script-src 'sha256-").own(&hash(&script)).raw("'");
    if module.is_some() {
        // The machine thinks in a worker, whose script is this page's own: what the page's policy is holds in it too.
        page.raw(" 'wasm-unsafe-eval'; worker-src blob:");
    }
    if kind == Kind::App {
        // Beside it stand the referee, the worker that keeps all of it, and the icons; there is nothing else to load.
        page.raw(" 'self'; connect-src 'self'; manifest-src 'self'; img-src 'self'");
    }
    page.raw(
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light \
         dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"postrider ",
    );
    page.text(env!("CARGO_PKG_VERSION")).raw("\">\n");
    if kind == Kind::App {
        page.raw(
            "<meta name=\"theme-color\" content=\"#24413a\">\n<link rel=\"manifest\" href=\"manifest.webmanifest\">\n<link rel=\"icon\" \
             href=\"icon.svg\" type=\"image/svg+xml\">\n<link rel=\"apple-touch-icon\" href=\"icon-192.png\">\n",
        );
    }
    page.raw("<title>").text(title).raw("</title>\n<style>").own(&style);
    page.raw("</style>\n</head>\n<body>\n").add(body);
    if kind != Kind::Sheet {
        page.raw("<p id=\"live\" class=\"unseen\" role=\"status\"></p>\n");
    }
    if let Some(module) = module {
        let digest = module_digest(module);
        page.raw("<footer class=\"tools\"><p id=\"version\">postrider ")
            .text(env!("CARGO_PKG_VERSION"))
            .raw(", referee <code>");
        page.text(digest.get(..16).unwrap_or_default()).raw("</code>: <code>postrider page --check</code> says whether a page is one that this version makes.</p></footer>\n");
    }
    if let Some(module) = module.filter(|_| kind != Kind::App) {
        page.raw("<script type=\"application/octet-stream\" id=\"module\">").base64(module).raw("</script>\n");
    }
    if kind == Kind::App {
        page.raw("<script type=\"application/octet-stream\" id=\"module\" data-file=\"")
            .text(&app::module_name())
            .raw("\"></script>\n");
    }
    if kind != Kind::Sheet {
        page.raw("<script>").own(&script).raw("</script>\n");
    }
    page.raw("</body>\n</html>\n");
    page.into_string()
}

/// Returns a script without its indentation, without lines that are comments, and without spaces that only a reader needs.
fn squeezed(script: &str) -> String {
    let lines = script.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [tight(line), "\n".to_owned()]).collect()
}

/// Takes the spaces out of a line that stand beside a sign which needs none, outside texts. A line with a slash stays: it may
/// have a pattern, in which spaces count.
fn tight(line: &str) -> String {
    let needs_none = |sign: Option<char>| sign.is_some_and(|sign| "=<>!?:;,&|*(){}[]".contains(sign));
    let mut quote = None;
    let mut out = String::with_capacity(line.len());
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match quote {
            Some(_) if sign == '\\' => {
                out.push(sign);
                out.extend(signs.next());
                continue;
            }
            Some(open) if sign == open => quote = None,
            None if sign == '/' => return line.to_owned(),
            None if ['"', '\'', '`'].contains(&sign) => quote = Some(sign),
            None if sign == ' ' && (needs_none(out.chars().last()) || needs_none(signs.peek().copied())) => continue,
            _ => {}
        }
        out.push(sign);
    }
    out
}

/// The colours of the inks in each look.
fn palette() -> String {
    let list = |look: Look| {
        let one = |ink: &Ink| {
            let [red, green, blue] = look.colour(*ink);
            format!("--{}:#{red:02x}{green:02x}{blue:02x};", ink_letter(*ink))
        };
        Ink::ALL.iter().map(one).collect::<String>()
    };
    format!(
        ":root{{{}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n@media print{{:root{{{}}}}}\n",
        list(Look::Colour),
        list(Look::Dark),
        list(Look::Print),
    )
}

/// The classes of drawings, with their rules ([`Paint::Classes`](postrider_board::picture::svg::Paint::Classes)).
fn drawing_classes() -> BTreeMap<String, String> {
    let inks = Ink::ALL.iter().flat_map(|ink| {
        let letter = ink_letter(*ink);
        [
            (format!("f{letter}"), format!("fill:var(--{letter})")),
            (format!("s{letter}"), format!("stroke:var(--{letter})")),
        ]
    });
    let widths = (2..=WIDEST).map(|width| (format!("k{width}"), format!("stroke-width:{width}")));
    // A capital of most fonts is five sevenths as high as the font's size.
    let texts = (4..=TALLEST).map(|height| (format!("t{height}"), format!("font-size:{}px", decimal(height * 14, 1))));
    let aligned = [("m", "text-anchor:middle"), ("r", "text-anchor:end"), ("b", "font-weight:700")];
    let aligned = aligned.map(|(class, rule)| (class.to_owned(), rule.to_owned()));
    inks.chain(widths).chain(texts).chain(aligned).collect()
}

/// A game to show.
struct Game<'a> {
    source: &'a [u8],
    opened: &'a Opened<'a>,
    verdict: &'a Verdict,
    title: String,
    entries: Vec<EntryRow>,
    /// The pictures after some of the entries, by their numbers.
    pictures: Vec<(u32, Picture)>,
}

impl<'a> Game<'a> {
    fn new(source: &'a [u8], opened: &'a Opened<'a>, verdict: &'a Verdict, contents: &Contents) -> Self {
        let [first, second] = Side::BOTH.map(|side| opened.header.player(side).name.as_ref());
        let title = match &opened.header.title {
            Some(title) => title.to_string(),
            None => format!("{first} against {second}"),
        };
        let mut game = Self { source, opened, verdict, title, entries: Vec::new(), pictures: Vec::new() };
        game.replay(contents);
        game
    }

    /// Replays the game for its rows and pictures. Of the other positions nothing is made or kept.
    fn replay(&mut self, contents: &Contents) {
        let Ok(mut opened) = Opened::new(self.source) else { return };
        let options = Options { from: contents.from, ..Options::default() };
        let last = self.verdict.entries;
        let mut before = opened.table.view(Viewer::Public);
        self.pictures.push((0, Picture::of(&before, &options)));
        entries(&mut opened, last, |opened, row| {
            let number = row.number;
            self.entries.push(row);
            let [is_shown, is_next] = [number, number + 1].map(|number| number <= last && has_board(number, last));
            if is_shown || is_next {
                let mut scene = opened.table.view(Viewer::Public);
                if is_shown {
                    scene.mark_since(&before);
                    self.pictures.push((number, Picture::of(&scene, &options)));
                }
                before = scene;
            }
            true
        });
    }

    fn word(&self, side: Side) -> &'static str {
        self.opened.header.info.sides[side.index()].word
    }

    fn head(&self, out: &mut Html) {
        let header = &self.opened.header;
        let [first, second] = Side::BOTH.map(|side| header.player(side).name.as_ref());
        out.raw("<header>\n<h1>").text(&self.title).raw("</h1>\n<p>").text(header.info.title).raw(": ");
        out.text(first).raw(" (").text(self.word(Side::First)).raw(") against ");
        out.text(second).raw(" (").text(self.word(Side::Second)).raw(")</p>\n</header>\n");
    }

    /// The result of the game, or who is due.
    fn end(&self) -> String {
        let standing = self.opened.table.standing();
        let sides = &self.opened.header.info.sides;
        if self.verdict.ruling != Ruling::Legal {
            return format!("the next entry is refused: {}", self.verdict.ruling.word());
        }
        match standing.outcome {
            Some(outcome) => outcome.text(sides),
            None => {
                let side = sides[standing.due.side.index()];
                format!("{} due: {}", side.word, standing.due.what)
            }
        }
    }

    fn boards(&self, out: &mut Html, contents: &Contents) {
        let last = self.verdict.entries;
        let kept = &self.pictures;
        let mut atlas = Atlas::default();
        kept.iter().for_each(|(_, picture)| atlas.add(picture));
        let boards = atlas.write();
        // With JavaScript only the board that is shown is built (step.js). A few boards are in the page as they are, so that
        // they show where scripts are blocked; the browser would take seconds to build hundreds, and a page whose script is
        // to verify and play is ready sooner without them.
        let as_text = contents.referee || kept.len() > PLAIN;
        let hold = if as_text { "noscript" } else { "div" };
        out.raw("<main>\n<svg class=\"defs\" aria-hidden=\"true\" focusable=\"false\"><defs>").drawn(&boards.shared);
        out.raw("</defs></svg>\n<div hidden>");
        for (number, phrase) in (0_u32..).zip(&boards.phrases) {
            out.raw("<p id=\"w").number(number).raw("\">").text(phrase);
        }
        out.raw("</div>\n<").raw(hold).raw(" id=\"kept\">\n");
        let numbers: Vec<u32> = kept.iter().map(|(number, _)| *number).collect();
        for ((at, (number, picture)), board) in kept.iter().enumerate().zip(&boards.each) {
            let near = |step: isize| numbers.get(at.checked_add_signed(step)?).copied();
            let words = boards.words.get(at).map(Vec::as_slice).unwrap_or_default();
            self.board(out, *number, picture, (board, words), [near(-1), near(1)]);
        }
        out.raw("</").raw(hold).raw(">\n<div id=\"board\">");
        if as_text {
            out.raw("The script of this page, which shows the boards, was blocked.");
        }
        out.raw("</div>\n");
        if let (Some(first), Some(last)) = (numbers.first(), numbers.last()) {
            out.raw("<nav id=\"ends\" aria-label=\"Step\"><a href=\"#e").number(*first).raw("\">First</a> ");
            out.raw("<a href=\"#e").number(*last).raw("\">Last</a></nav>\n");
        }
        if last > ALL {
            out.raw("<p>The game is long: this page shows every ");
            out.number(every(last)).raw("th position and the last ").number(LAST);
            out.raw(". A page with the referee inside draws each.</p>\n");
        }
        out.raw("</main>\n");
    }

    fn board(
        &self,
        out: &mut Html,
        number: u32,
        picture: &Picture,
        (board, words): (&str, &[usize]),
        near: [Option<u32>; 2],
    ) {
        let is_last = near[1].is_none();
        let entry = number.checked_sub(1).and_then(|at| self.entries.get(at as usize));
        out.raw("<section class=\"board");
        if is_last {
            out.raw(" last");
        }
        out.raw("\" id=\"e").number(number).raw("\">\n<h2 id=\"h").number(number).raw("\">");
        match entry {
            Some(entry) => {
                out.number(entry.number)
                    .raw(". ")
                    .text(entry.side)
                    .raw(" ")
                    .text(&headed(&shown(&entry.actions)))
                    .raw("</h2>\n");
            }
            None => {
                out.raw("The start</h2>\n");
            }
        }
        if let Some(entry) = entry {
            if let Some(time) = &entry.time {
                out.raw("<p class=\"when\">").text(time);
                if let Some(left) = entry.clock_left {
                    out.raw(", ").text(&in_brief(left)).raw(" left on the clock of ").text(entry.side);
                }
                out.raw("</p>\n");
            }
            if let Some(message) = &entry.message {
                out.raw("<blockquote>").text(message).raw("</blockquote>\n");
            }
        }
        if is_last {
            out.raw("<p class=\"end\">").text(&self.end()).raw("</p>\n");
        }
        let list = picture.list();
        out.raw("<svg role=\"img\" aria-labelledby=\"h").number(number).raw("\" aria-describedby=\"");
        let words: Vec<String> = words.iter().map(|phrase| format!("w{phrase}")).collect();
        out.text(&words.join(" "));
        out.raw("\" viewBox=\"0 0 ").number(list.width).raw(" ").number(list.height).raw("\">");
        // Hidden because screen readers would read the letters on the board in addition to the description.
        out.raw("<g aria-hidden=\"true\">").drawn(board).raw("</g>");
        out.raw("</svg><nav aria-label=\"Step\">");
        for (name, to) in ["Previous", "Next"].into_iter().zip(near) {
            match to {
                Some(to) => out.raw("<a href=\"#e").number(to).raw("\">").raw(name).raw("</a> "),
                None => out.raw("<span>").raw(name).raw("</span> "),
            };
        }
        out.raw("</nav>\n");
        if is_last {
            out.raw("<details><summary>The position in words</summary><p class=\"words\">");
            out.text(picture.words().trim_end()).raw("</p></details>\n");
        }
        out.raw("</section>\n");
    }

    fn list(&self, out: &mut Html) {
        out.raw("<nav class=\"entries\" aria-label=\"Entries\">\n<h2>Entries</h2>\n<ol>\n<li><a href=\"#e0\">The start</a>\n");
        let last = self.verdict.entries;
        for entry in &self.entries {
            let has_board = has_board(entry.number, last);
            // A long list consists of several, so that a browser need not lay out those that are out of sight.
            if last > ALL && entry.number.is_multiple_of(LISTED) {
                out.raw("</ol>\n<ol>\n");
            }
            out.raw("<li>");
            if has_board {
                out.raw("<a href=\"#e").number(entry.number).raw("\">");
            }
            out.raw("<b>").number(entry.number).raw("</b> ").text(entry.side).raw(" ").text(&shown(&entry.actions));
            if has_board {
                out.raw("</a>");
            }
            if let Some(message) = &entry.message {
                out.raw(" <q>").text(message).raw("</q>");
            }
            out.raw("\n");
        }
        out.raw("</ol>\n<p class=\"end\">").text(&self.end()).raw("</p>\n</nav>\n");
    }

    fn facts(&self, out: &mut Html, contents: &Contents) {
        let header = &self.opened.header;
        out.raw("<section class=\"facts\" aria-labelledby=\"facts\">\n<h2 id=\"facts\">The game</h2>\n<dl>\n");
        let mut fact = |name: &'static str, text: &str| {
            out.raw("<div><dt>").raw(name).raw("</dt><dd>").text(text).raw("</dd></div>\n");
        };
        fact("Game", header.info.title);
        fact("Id", &header.id);
        fact("Began", &header.started.to_string());
        let declared = only_declared(self.opened);
        for side in Side::BOTH {
            let player = header.player(side);
            let signs = |key: &PublicKey| match declared[side.index()] {
                Some(_) => format!(", key {} declared, nothing signed", key.fingerprint()),
                None => format!(", signs by {}", key.fingerprint()),
            };
            let signs = player.key.as_deref().map(signs).unwrap_or_default();
            fact(
                if side == Side::First { "First" } else { "Second" },
                &format!("{}: {}{signs}", self.word(side), player.name),
            );
        }
        if let Some(said) = hosting::signs_for(self.opened) {
            fact("Host", &said);
        }
        let options: Vec<_> = header.options.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        if !options.is_empty() {
            fact("Options", &options.join(", "));
        }
        if header.secrecy == Secrecy::Sealed {
            let sealed = "dice and hidden things are sealed in the record; this page shows what everybody may see";
            match hosting::could_know(self.opened) {
                Some(said) => fact("Hidden", &format!("{sealed}; {said}")),
                None => fact("Hidden", sealed),
            }
        }
        if let Some(clocks) = self.opened.table.standing().clocks {
            let left = Side::BOTH.map(|side| format!("{} {} left", self.word(side), in_words(clocks.left(side))));
            fact("Clocks", &format!("{} (after the last entry)", left.join(", ")));
        }
        fact("Result", &self.end());
        out.raw("</dl>\n");
        self.verified(out, contents);
        out.raw("</section>\n");
    }

    /// What the referee said about the record when the page was made, and how to have it judged again.
    fn verified(&self, out: &mut Html, contents: &Contents) {
        out.raw("<p>When this page was made, postrider ")
            .text(env!("CARGO_PKG_VERSION"))
            .raw(" judged the record: <b>");
        out.text(self.verdict.ruling.word()).raw("</b>, entries: ").number(self.verdict.entries);
        out.raw(". A page cannot vouch for its maker");
        let index = LineIndex::new(self.source);
        if contents.record {
            out.raw("; to have the record judged again, save it and run <code>postrider verify</code>.</p>\n");
            out.raw("<p><a id=\"record\" download=\"").text(&self.opened.header.id);
            out.raw(".pbem\" href=\"").text_file(self.source);
            out.raw("\">The record</a>");
            if Side::BOTH.iter().any(|side| header_has_address(self.opened, *side)) {
                out.raw(" (with the players\u{2019} mail addresses in it)");
            }
            out.raw("</p>\n");
        } else {
            out.raw(", and the record is not in this page, so nothing in it can be verified.</p>\n");
        }
        for error in &self.verdict.errors {
            // The excerpt quotes a line of the record. A line with an address is quoted only if the page may include
            // the record.
            let shown = if contents.record || error.entry.is_some() {
                diagnostic::excerpt(error, &index, "the record", &[], None)
            } else {
                error.line()
            };
            out.raw("<pre tabindex=\"0\">").text(&shown).raw("</pre>\n");
        }
    }
}

/// The longest heading, in bytes; a longer entry is cut between two actions, and the list of entries has the whole of it.
const HEADING: usize = 60;

/// Returns actions as the list of entries shows them: of a seal, a salt or an opening only the beginning.
fn shown(actions: &str) -> String {
    sheet::in_brief(&sheet::shortened(actions, "\u{2026}"))
}

/// Returns as many of an entry's actions as a heading has room for.
fn headed(actions: &str) -> String {
    let first = actions.find("; ").unwrap_or(actions.len());
    let ends = actions.match_indices("; ").map(|(at, _)| at).take_while(|at| *at <= HEADING);
    match ends.last().unwrap_or(first) {
        end if actions.len() > HEADING && end < actions.len() => {
            format!("{}; \u{2026}", actions.get(..end).unwrap_or_default())
        }
        _ => actions.to_owned(),
    }
}

/// Returns whether the position after an entry has a board, in a game with this many entries.
fn has_board(number: u32, last: u32) -> bool {
    last <= ALL || number.is_multiple_of(every(last)) || number.saturating_add(LAST) >= last
}

/// Returns the interval between entries with a board in a game that is too long for a board of each.
fn every(last: u32) -> u32 {
    (last / BOARDS).next_multiple_of(EVERY).max(EVERY)
}

fn header_has_address(opened: &Opened<'_>, side: Side) -> bool {
    opened.header.player(side).email.is_some()
}

/// Returns whether a record contains a mail address.
#[must_use]
pub fn has_addresses(opened: &Opened<'_>) -> bool {
    Side::BOTH.iter().any(|side| header_has_address(opened, *side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seals_are_shown_by_their_beginning_and_headings_end_between_actions() {
        let seal = "0123456789abcdef".repeat(4);
        assert_eq!(shown(&format!("+d5 seal:{seal}; d5-d4*13")), "+d5 seal:01234567\u{2026}; d5-d4*13");
        assert_eq!(shown(&format!("commit:{seal}")), "commit:01234567\u{2026}");
        assert_eq!(shown("place c6 e6"), "place c6 e6");
        assert_eq!(headed("c4-c5; huff d6"), "c4-c5; huff d6");
        let long = ["move portal-trooper.1>RP"; 6].join("; ");
        assert_eq!(headed(&long), ["move portal-trooper.1>RP"; 2].join("; ") + "; \u{2026}");
        let one = "a".repeat(200);
        assert_eq!(headed(&one), one);
        assert_eq!(headed(&format!("{one}; b")), format!("{one}; \u{2026}"));
    }

    #[test]
    fn a_page_has_at_most_so_many_boards_however_long_the_game() {
        for last in [0, 1, ALL, ALL + 1, 2500, 20_000, 20_001, MOST_ENTRIES, 1_000_000] {
            let boards = (0..=last).filter(|number| has_board(*number, last)).count();
            assert!(boards <= (BOARDS + LAST + 2).max(ALL + 1) as usize, "{last}: {boards}");
            assert!(has_board(0, last) && has_board(last, last));
        }
        // What a reader is used to stays: the positions after entries 50, 100, 150 … of a game of some thousand entries.
        assert_eq!([601, 5000, 20_000, MOST_ENTRIES].map(every), [50, 50, 50, 150]);
    }

    #[test]
    fn scripts_lose_their_comments_and_nothing_else() {
        assert_eq!(
            squeezed("// about\n  let a = 1; // kept\n\n    // gone\n  b(`//`);\n"),
            "let a = 1; // kept\nb(`//`);\n"
        );
        for (line, expected) in [
            ("const { a, b } = c ? [d, e] : f;", "const{a,b}=c?[d,e]:f;"),
            ("if (a && b !== c) return d + +e - -f;", "if(a&&b!==c)return d + +e - -f;"),
            ("say(\"a, b\", 'c = d', `e: ${f}`, \"\\\", \");", "say(\"a, b\",'c = d',`e: ${f}`,\"\\\", \");"),
            ("a.replace(/, /g, \" = \");", "a.replace(/, /g, \" = \");"),
        ] {
            assert_eq!(tight(line), expected);
        }
        // A text over several lines would lose its indentation.
        let code = STEP.lines().filter(|line| !line.trim_start().starts_with("//"));
        assert!(code.clone().map(|line| line.matches('`').count()).all(|count| count.is_multiple_of(2)));
        // One text within another would end it.
        let nested = |line: &&str| {
            line.split('`').skip(1).step_by(2).any(|text| text.matches("${").count() > text.matches('}').count())
        };
        assert_eq!(code.clone().find(nested), None);
    }
}
