//! What the program writes to a person without it about a reply: what was read in it, why nothing was entered or what
//! was, and taps with which to say what is meant. It speaks as the program, never as its owner. Pure.

use super::markup::Html;
use super::markup::{self, Board};
use super::taps::tap;
use crate::games::kernel::Side;
use crate::picture::escaped;
use crate::scene::Scene;
use crate::text::printable;
use crate::verdict::Opened;

/// How much of a reply is quoted, in characters.
const QUOTED: usize = 600;
/// How many entries are listed, and how long they may be together, in bytes.
const LISTED: (usize, usize) = (60, 2_500);
/// How many entries can be tapped.
const TAPS: usize = 12;
/// The longest entry that can be tapped, in bytes.
const LONGEST_TAP: usize = 400;

/// What a letter about a reply says.
pub struct Question<'a> {
    /// The record as it is now, replayed.
    pub opened: &'a Opened<'a>,
    /// The board; `None` where no picture helps.
    pub scene: Option<Scene>,
    /// The side of the person who gets the letter.
    pub to: Side,
    /// The lines of the reply, to be quoted once.
    pub words: &'a [String],
    /// What is said, in whole sentences.
    pub why: &'a str,
    /// What can be tapped: the text of the reply that it makes, and what stands on it.
    pub taps: Vec<(String, String)>,
    /// Legal entries, the nearest first; none if the person need not make one now.
    pub moves: Vec<String>,
    /// Whether they are only how an entry may begin.
    pub begin: bool,
    /// The address for replies.
    pub reply_to: &'a str,
    /// The subject of a tapped reply, which says what it answers.
    pub subject: &'a str,
}

/// What is said to the sender of a plain letter in a game in which nobody can enter anything for another.
#[must_use]
pub fn closed_game(title: &str, sealed: bool) -> String {
    let why = if sealed { "what is hidden in it is sealed" } else { "its entries are signed" };
    format!(
        "Nothing was entered. A move in this game cannot be made by a plain letter, because {why}: it is made with the program postrider, \
         which you would need too.\nIf you want to play {title} with nothing but letters, ask for an open game: it is begun with \
         `postrider new --by-mail`, and then a reply with just your move is enough."
    )
}

impl Question<'_> {
    /// Writes the letter as text and as HTML; `cid` is the Content-ID of its picture.
    #[must_use]
    pub fn written(&self, cid: &str) -> (String, Option<Html>) {
        (self.text(), self.html(cid))
    }

    fn name(&self, side: Side) -> String {
        printable(&self.opened.header.player(side).name).into_owned()
    }

    fn opening(&self) -> String {
        let header = &self.opened.header;
        format!(
            "this is postrider, the program that keeps {}'s record of your game of {} ({}). It has read your letter:",
            self.name(self.to.other()),
            header.info.title,
            header.id
        )
    }

    fn closing(&self) -> String {
        format!("{} gets your letter too, whole.", self.name(self.to.other()))
    }

    /// The beginning of the reply, a line each.
    fn quoted(&self) -> Vec<String> {
        let mut left = QUOTED;
        let mut list = Vec::new();
        for line in self.words {
            let shown: String = printable(line).chars().take(left).collect();
            left -= shown.chars().count();
            if !shown.is_empty() {
                list.push(shown);
            }
        }
        list
    }

    /// The entries that are listed.
    fn listed(&self) -> &[String] {
        let mut length = 0;
        let fits = self.moves.iter().take(LISTED.0).take_while(|one| {
            length += one.len() + 1;
            length <= LISTED.1
        });
        self.moves.get(..fits.count()).unwrap_or_default()
    }

    fn label(&self) -> &'static str {
        match (self.begin, self.listed().len() < self.moves.len()) {
            (true, _) => "A turn may begin with one of these, among others:",
            (false, true) => "These moves are possible now, among others:",
            (false, false) => "These moves are possible now:",
        }
    }

    fn text(&self) -> String {
        let wrapped = |text: &str| {
            let words = text.split(' ').map(str::to_owned);
            crate::render::sheet::wrapped(words, " ", 0)
        };
        let mut text = format!("Hello {},\n\n", self.name(self.to));
        let quoted = self.quoted();
        if quoted.is_empty() {
            let opening =
                self.opening().replace("It has read your letter:", "It found no words of yours in your letter.");
            text.push_str(&wrapped(&opening));
            text.push('\n');
        } else {
            text.push_str(&wrapped(&self.opening()));
            text.push_str("\n\n");
            for line in quoted {
                text.push_str(&format!("> {line}\n"));
            }
        }
        for paragraph in self.why.trim().split('\n') {
            text.push_str(&format!("\n{}\n", wrapped(paragraph)));
        }
        if !self.taps.is_empty() {
            text.push_str("\nTo say what you mean, reply with one of these lines alone:\n\n");
            for (body, _) in &self.taps {
                text.push_str(&format!("    {body}\n"));
            }
        } else if let Some(example) = self.example() {
            text.push_str(&format!(
                "\nTo make your move, reply with it on a line of its own, for example:\n\n    {example}\n"
            ));
        }
        let listed = self.listed();
        if listed.len() > 1 {
            text.push_str(&format!("\n{}\n\n    {}\n", self.label(), listed.join("\n    ")));
        }
        text.push_str(&format!("\n{}\n", wrapped(&self.closing())));
        text
    }

    /// A legal entry to show how one is written.
    fn example(&self) -> Option<&str> {
        if self.begin { None } else { self.moves.first().map(String::as_str) }
    }

    fn html(&self, cid: &str) -> Option<Html> {
        let board = Board::of(self.opened, self.scene.as_ref()?, self.to);
        let mut body = format!("<p>Hello {},</p>\n", escaped(&self.name(self.to)));
        let quoted = self.quoted();
        if quoted.is_empty() {
            let opening =
                self.opening().replace("It has read your letter:", "It found no words of yours in your letter.");
            body.push_str(&format!("<p>{}</p>\n", escaped(&opening)));
        } else {
            let quoted: Vec<_> = quoted.iter().map(|line| escaped(line).to_string()).collect();
            body.push_str(&format!("<p>{}</p>\n", escaped(&self.opening())));
            body.push_str(&markup::quotation(&quoted.join("<br>\n")));
        }
        for paragraph in self.why.trim().split('\n') {
            body.push_str(&format!("<p>{}</p>\n", escaped(paragraph)));
        }
        let nearest = self.moves.iter().filter(|_| !self.begin && self.taps.is_empty()).take(TAPS);
        let nearest = nearest.map(|one| (one.clone(), one.clone()));
        let taps: Vec<(String, String)> =
            self.taps.iter().cloned().chain(nearest).filter(|(body, _)| body.len() <= LONGEST_TAP).collect();
        let taps: Vec<(&str, String)> = taps
            .iter()
            .filter_map(|(body, label)| Some((label.as_str(), tap(body, label, self.reply_to, self.subject, None)?)))
            .collect();
        if !taps.is_empty() {
            body.push_str("<p>Tap what you mean. Your mail program opens a reply that says it; press Send.</p>\n");
            body.push_str(&markup::links(&taps, false));
        }
        body.push_str(&board.html(cid));
        let listed = self.listed();
        if listed.len() > 1 {
            let list = escaped(&listed.join("\n")).replace('\n', "<br>\n");
            body.push_str(&format!("<p>{}</p>\n<p>{list}</p>\n", escaped(self.label())));
        }
        body.push_str(&format!("<p>{}</p>\n", escaped(&self.closing())));
        let title = format!("{}: {}", self.opened.header.info.title, self.opened.header.id);
        board.with(markup::document(&title, &body))
    }
}
