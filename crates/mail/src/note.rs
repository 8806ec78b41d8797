//! Letters without an entry, by the program or by a host: explanations, questions, refusals and news, as text and as HTML with links to
//! tap. Pure.

use super::markup::Html;
use super::markup::{self, Board};
use super::minute;
use super::prose;
use super::style::Style;
use super::taps::tap;
use postrider_board::picture::escaped;
use postrider_board::render::Look;
use postrider_board::render::sheet;
use postrider_board::render::sheet::Extras;
use postrider_kernel::scene::Scene;
use postrider_kernel::text::printable;
use postrider_kernel::{Info, Side};
use postrider_referee::verdict::Opened;

/// How much of what somebody wrote is quoted, in characters.
const QUOTED: usize = 2_000;
/// How much of it stands before the first link, in bytes of HTML.
const SHORT: usize = 300;
/// How many entries are listed, and how long they may be together, in bytes.
const LISTED: (usize, usize) = (60, 2_500);
/// How many entries can be tapped beside the other taps.
const TAPS: usize = 12;
/// The longest text of a tap, in bytes.
const LONGEST_TAP: usize = 400;

/// What stands over an example.
const EXAMPLE: &str = "To make your move, reply with the whole of it on a line of its own, for example:";
/// What stands over the lines with which to answer and over the links, where anything may be answered and where a meaning is asked for.
const ANSWERS: [&str; 2] = [
    "To answer, reply to this letter with one of these lines:",
    "Tap one. Your mail program opens a reply that says it; press Send.",
];
const MEANINGS: [&str; 2] = [
    "To say what you mean, reply with one of these lines alone:",
    "Tap what you mean. Your mail program opens a reply that says it; press Send.",
];
/// What stands over moves: those with which a turn may begin, some that are possible, and all.
const MOVES: [&str; 3] = [
    "A turn may begin with one of these, among others:",
    "These moves are possible now, among others:",
    "These moves are possible now:",
];
/// What stands over those of them that cannot be tapped.
const OTHERS: &str = "Possible are also:";
/// All that stands over lines which the reader has yet to write, and which nobody has written where a letter is sent back.
pub(crate) const OVER_LISTS: [&str; 9] =
    [EXAMPLE, ANSWERS[0], ANSWERS[1], MEANINGS[0], MEANINGS[1], MOVES[0], MOVES[1], MOVES[2], OTHERS];
/// What stands over links in HTML, which are lines like any others where it is read as text.
pub(crate) const OVER_LINKS: [&str; 2] = [ANSWERS[1], MEANINGS[1]];
/// With what each letter of a host ends that is not about an entry.
pub const STOP: &str =
    "Reply \"help\" to learn what you can write here, or \"never write to me again\" to get no more letters.";

/// Why a letter has taps.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Asks {
    /// The reader may answer with any of them.
    #[default]
    Anything,
    /// The reader is asked what was meant by the lines that are quoted: no entry stands beside them.
    Meaning,
}

impl Asks {
    /// What stands over the lines with which to answer, and over the links.
    const fn over(self) -> [&'static str; 2] {
        match self {
            Self::Anything => ANSWERS,
            Self::Meaning => MEANINGS,
        }
    }
}

/// What a letter says.
#[derive(Default)]
pub struct Note<'a> {
    /// The name of who gets it; may be empty.
    pub name: &'a str,
    /// The title of the HTML document.
    pub title: &'a str,
    /// The lines before the quoted ones.
    pub before: Vec<String>,
    /// Lines that somebody wrote.
    pub quoted: &'a [String],
    /// The paragraphs, in whole sentences.
    pub said: Vec<String>,
    /// A game to be told in a minute.
    pub minute: Option<&'a Info>,
    /// Why there are taps.
    pub asks: Asks,
    /// What can be tapped: the text of the reply that it makes, and what stands on it.
    pub taps: Vec<(String, String)>,
    /// Legal entries, the nearest first.
    pub moves: Vec<String>,
    /// Whether they are only how an entry may begin.
    pub begin: bool,
    /// A whole legal entry, to show how one is written.
    pub example: Option<String>,
    /// The game to be shown, and from which side.
    pub board: Option<(&'a Opened<'a>, Scene, Side)>,
    /// Lines to be shown as they are: a rule, a list.
    pub block: Option<String>,
    /// What stands at the end.
    pub after: Vec<String>,
    /// The reader's time zone for times in words, in minutes ahead of UTC; 0 if it is not known.
    pub zone: Option<i32>,
    /// The address for replies.
    pub reply_to: &'a str,
    /// The subject of a tapped reply.
    pub subject: &'a str,
}

impl Note<'_> {
    /// Writes it as text and, unless it is to be only text, as HTML; `cid` is the Content-ID of its picture. Without a board the picture
    /// is empty.
    #[must_use]
    pub fn written(&self, cid: &str, style: Style) -> (String, Option<Html>) {
        let html = if style == Style::Text { None } else { self.html(cid) };
        let Some(zone) = self.zone else { return (self.text(), html) };
        let (zone, quoted) = (Some(zone), [self.quoted_text(), markup::quotation(&self.quoted_html())]);
        let told = |text: &str| prose::told(text, zone, &quoted);
        (told(&self.text()), html.map(|html| Html { page: told(&html.page), ..html }))
    }

    /// What somebody wrote, as it is quoted in the text.
    fn quoted_text(&self) -> String {
        self.quoted().iter().map(|line| format!("> {line}\n")).collect()
    }

    /// The same in HTML.
    fn quoted_html(&self) -> String {
        let quoted: Vec<_> = self.quoted().iter().map(|line| escaped(line).to_string()).collect();
        quoted.join("<br>\n")
    }

    fn quoted(&self) -> Vec<String> {
        let mut left = QUOTED;
        let mut list = Vec::new();
        for line in self.quoted {
            let shown: String = printable(line).chars().take(left).collect();
            left -= shown.chars().count();
            if !shown.is_empty() {
                list.push(shown);
            }
        }
        list
    }

    fn listed(&self) -> &[String] {
        let mut length = 0;
        let fits = self.moves.iter().take(LISTED.0).take_while(|one| {
            length += one.len() + 1;
            length <= LISTED.1
        });
        self.moves.get(..fits.count()).unwrap_or_default()
    }

    /// The example, where the reader is to make a move and is not asked for anything else.
    fn shown_example(&self) -> Option<&str> {
        self.example.as_deref().filter(|_| !self.moves.is_empty() && self.taps.is_empty())
    }

    fn label(&self) -> &'static str {
        match (self.begin, self.listed().len() < self.moves.len()) {
            (true, _) => MOVES[0],
            (false, true) => MOVES[1],
            (false, false) => MOVES[2],
        }
    }

    fn text(&self) -> String {
        let mut text = match self.name {
            "" => "Hello,\n".to_owned(),
            name => format!("Hello {},\n", printable(name)),
        };
        let paragraphs = |text: &mut String, list: &[String]| {
            for paragraph in list.iter().flat_map(|one| one.split('\n')).filter(|one| !one.trim().is_empty()) {
                text.push_str(&format!("\n{}\n", sheet::paragraph(paragraph)));
            }
        };
        paragraphs(&mut text, &self.before);
        let quoted = self.quoted_text();
        if !quoted.is_empty() {
            text.push('\n');
            text.push_str(&quoted);
        }
        paragraphs(&mut text, &self.said);
        text.push_str(&self.minute.map(minute::text).unwrap_or_default());
        if !self.taps.is_empty() {
            text.push_str(&format!("\n{}\n\n", self.asks.over()[0]));
            self.taps.iter().for_each(|(body, _)| text.push_str(&format!("    {body}\n")));
        }
        if let Some(example) = self.shown_example() {
            text.push_str(&format!("\n{EXAMPLE}\n\n    {example}\n"));
        }
        if let Some(block) = &self.block {
            text.push_str(&format!("\n{}\n", block.trim_end()));
        }
        if let Some((opened, scene, side)) = &self.board {
            let extras = Extras { entries: sheet::last_entries(opened, 6), now: None, local: false };
            let look = Look { turned: *side == Side::Second, ..Look::default() };
            text.push_str(&format!("\n{}", sheet::draw(opened, scene, &extras, look)));
        }
        let listed = self.listed();
        if listed.len() > 1 {
            text.push_str(&format!("\n{}\n\n    {}\n", self.label(), listed.join("\n    ")));
        }
        paragraphs(&mut text, &self.after);
        text
    }

    fn html(&self, cid: &str) -> Option<Html> {
        let mut body = match self.name {
            "" => "<p>Hello,</p>\n".to_owned(),
            name => format!("<p>Hello {},</p>\n", escaped(&printable(name))),
        };
        let paragraphs = |body: &mut String, list: &[String]| {
            for paragraph in list.iter().flat_map(|one| one.split('\n')).filter(|one| !one.trim().is_empty()) {
                body.push_str(&format!("<p>{}</p>\n", escaped(paragraph)));
            }
        };
        let quoted = self.quoted_html();
        // The first link stands where a telephone shows it without scrolling.
        let is_long = quoted.len() > SHORT;
        let quote = |body: &mut String| {
            paragraphs(body, &self.before);
            if !quoted.is_empty() {
                body.push_str(&markup::quotation(&quoted));
            }
        };
        if !is_long {
            quote(&mut body);
        }
        paragraphs(&mut body, &self.said);
        let beside = !self.begin && (self.asks == Asks::Anything || self.taps.is_empty());
        let nearest = self.moves.iter().filter(|_| beside).take(TAPS).map(|one| (one.clone(), one.clone()));
        let taps: Vec<(String, String)> =
            self.taps.iter().cloned().chain(nearest).filter(|(body, _)| body.len() <= LONGEST_TAP).collect();
        let tapped: Vec<(&str, String)> = taps
            .iter()
            .filter_map(|(body, label)| Some((label.as_str(), tap(body, label, self.reply_to, self.subject, None)?)))
            .collect();
        if !tapped.is_empty() {
            body.push_str(&format!("<p>{}</p>\n", self.asks.over()[1]));
            body.push_str(&markup::links(&tapped, false));
        }
        if is_long {
            quote(&mut body);
        }
        body.push_str(&self.minute.map(minute::html).unwrap_or_default());
        // Where the moves are links, they show how one is written.
        if let Some(example) = self.shown_example().filter(|_| self.begin) {
            body.push_str(&format!("<p>{EXAMPLE}</p>\n{}", markup::typed(example)));
        }
        if let Some(block) = &self.block {
            body.push_str(&markup::typed(block.trim_end()));
        }
        let board = self.board.as_ref().map(|(opened, scene, side)| {
            let board = Board::of(opened, scene, *side);
            body.push_str(&board.html(cid));
            body.push_str(&markup::rows(&sheet::beside(opened, scene)));
            board
        });
        // What can be tapped above is not listed again.
        let is_tapped = |one: &&String| taps.iter().any(|(body, _)| body == *one);
        let listed: Vec<&str> = self.listed().iter().filter(|one| !is_tapped(one)).map(String::as_str).collect();
        if !listed.is_empty() && self.listed().len() > 1 {
            let list = escaped(&listed.join("\n")).replace('\n', "<br>\n");
            let label = if listed.len() < self.listed().len() { OTHERS } else { self.label() };
            body.push_str(&format!("<p>{}</p>\n<p>{list}</p>\n", escaped(label)));
        }
        if !self.after.is_empty() {
            body.push_str("<hr>\n");
        }
        paragraphs(&mut body, &self.after);
        let page = markup::document(self.title, &body);
        match board {
            Some(board) => board.with(page),
            None => Some(Html { page, picture: Vec::new(), dark: Vec::new() }),
        }
    }
}
