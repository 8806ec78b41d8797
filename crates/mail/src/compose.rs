//! Composes a letter as text and as HTML: the move, the board as text and as a picture, the side that is due, the
//! clocks, and how to answer. Pure: the same record gives the same bytes on every machine.

use std::borrow::Cow;

use super::letter::page_name;
use super::markup::{self, Board, Html};
use super::minute;
use super::prose;
use super::style::Style;
use super::taps::{Choices, links};
use postrider_board::picture::escaped;
use postrider_board::render::Look;
use postrider_board::render::sheet;
use postrider_board::render::sheet::Extras;
use postrider_kernel::Side;
use postrider_kernel::scene::Scene;
use postrider_kernel::text::printable;
use postrider_referee::judging::Standing;
use postrider_referee::record::Secrecy;
use postrider_referee::verdict::Opened;

/// The most bytes in a letter's HTML. Mail programs cut off what is much longer.
pub const MAX_HTML: usize = 60_000;
/// How much of an entry stands at the beginning of a letter, in characters.
const OPENING: usize = 200;
/// How many legal entries the text lists; they fit on a few lines.
const LISTED: usize = 60;

/// The facts for a letter.
pub struct Occasion<'a> {
    /// The record, replayed.
    pub opened: &'a Opened<'a>,
    /// The scene, with marks for what the last entry did.
    pub scene: Scene,
    /// The actions of the last entry; `None` in an invitation.
    pub actions: Option<&'a str>,
    /// The message of the last entry.
    pub message: Option<&'a str>,
    /// The side that made the last entry.
    pub by: Option<Side>,
    /// The side that gets the letter.
    pub to: Side,
    /// Whether it invites that side.
    pub invites: bool,
    /// Where the page is that takes such letters, if the sender knows an address of it.
    pub page_at: Option<&'a str>,
    /// What the letter consists of.
    pub style: Style,
    /// Whether a reply with a move alone is read by the sender's program.
    pub plain: bool,
    /// What it brings.
    pub brings: Brings,
    /// Whether the game goes along as a page.
    pub page: bool,
    /// The new entries as a block (B1), where they go along in this way instead of with the record.
    pub block: Option<&'a str>,
    /// A personal word of the sender's.
    pub word: Option<&'a str>,
    /// The entries that can be tapped.
    pub choices: Choices,
    /// The address for replies.
    pub reply_to: &'a str,
    /// The letter's Message-ID with angle brackets.
    pub message_id: &'a str,
    /// The first 16 hexadecimal digits of the record's digest.
    pub digest: &'a str,
    /// The host that keeps the game, if it is one that enters for players.
    pub hosting: Option<Hosting<'a>>,
    /// The SHA-256 of the number behind a throw that the reader's reply may leave to the sender's program.
    pub dice: Option<&'a str>,
}

/// The additions to a letter by a host.
#[derive(Clone, Copy, Debug)]
pub struct Hosting<'a> {
    /// The host's name.
    pub name: &'a str,
    /// The end of the subject of each reply; may be empty.
    pub mark: &'a str,
    /// The reader's time zone, in minutes ahead of UTC, if it is known.
    pub zone: Option<i32>,
    /// Whether the host enters for the reader, who has no program and key of its own.
    pub enters: bool,
    /// Who watches the game, as a list in words; may be empty.
    pub watched: &'a str,
}

/// What a letter brings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Brings {
    /// The last entry, or an invitation.
    #[default]
    Entry,
    /// The sender's secrets of a game that is over.
    Secrets,
    /// A receipt for the last entry, which is the recipient's (Z35).
    Receipt,
}

/// The words of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub text: String,
    /// As HTML with a picture, unless the letter is only text.
    pub html: Option<Html>,
}

impl Occasion<'_> {
    /// Writes the letter; `cid` is the Content-ID by which the HTML refers to its picture.
    #[must_use]
    pub fn words(&self, cid: &str) -> Words {
        let is_text = matches!(self.style, Style::Text | Style::Block);
        let html = (!is_text).then(|| self.html(cid)).flatten();
        let html = html.map(|html| Html { page: self.told(&html.page), ..html });
        Words { text: self.told(&self.text()), html }
    }

    /// A text as people read it: times in words, and without what only programs read.
    fn told(&self, text: &str) -> String {
        prose::told(text, self.hosting.and_then(|hosting| hosting.zone), &self.quoted())
    }

    /// What stays as it is: what the sender and the player who made the entry have written, as it stands in the text and in HTML, and the
    /// block, which is read by a program.
    fn quoted(&self) -> Vec<String> {
        let said = [self.word, self.message].into_iter().flatten().map(printable);
        let said = said.flat_map(|said| [format!("    {said}\n"), markup::quotation(&escaped(&said))]);
        said.chain(self.block.map(str::to_owned)).collect()
    }

    fn standing(&self) -> Standing {
        self.opened.table.standing()
    }

    fn name(&self, side: Side) -> String {
        printable(&self.opened.header.player(side).name).into_owned()
    }

    fn word(&self, side: Side) -> &'static str {
        self.opened.header.info.sides[side.index()].word
    }

    /// Returns whether the reader may answer with only a move: in open play without keys.
    fn answers_plainly(&self) -> bool {
        if let Some(hosting) = &self.hosting {
            return hosting.enters && self.standing().outcome.is_none();
        }
        self.plain
            && self.opened.header.secrecy == Secrecy::Open
            && !self.is_signed()
            && self.standing().outcome.is_none()
    }

    /// Returns whether either side signs.
    fn is_signed(&self) -> bool {
        let signatures = self.opened.table.signatures();
        signatures.is_some_and(|signatures| Side::BOTH.into_iter().any(|side| signatures.key(side).is_some()))
    }

    fn is_due(&self) -> bool {
        let standing = self.standing();
        standing.outcome.is_none() && standing.due.side == self.to
    }

    /// Says in a sentence or two what this letter is.
    fn opening(&self) -> Vec<String> {
        let header = &self.opened.header;
        let (title, id) = (header.info.title, &header.id);
        let other = self.to.other();
        let mut lines = vec![match (self.actions, self.by) {
            _ if self.brings == Brings::Receipt => format!(
                "this letter is about your game of {title} by mail with {} (game {id}). It brings a signed receipt: {} has the record up to \
                 entry {}, as attached. Hand it to `postrider receive`; no answer is needed.",
                self.name(other),
                header.info.sides[other.index()].named(),
                self.standing().entries
            ),
            _ if self.brings == Brings::Secrets => format!(
                "this letter is about your game of {title} by mail with {} (game {id}), which is over. It brings the secret that opens \
                 every seal of {}: hand it to `postrider receive`, and `postrider proof audit` checks the whole game.",
                self.name(other),
                header.info.sides[other.index()].named()
            ),
            (Some(actions), Some(by)) => {
                let entry = self.standing().entries;
                let begins = match self.invites {
                    true => self.invitation(),
                    false => format!(
                        "this letter is about your game of {title} by mail with {} (game {id}).",
                        self.name(other)
                    ),
                };
                let zone = self.hosting.and_then(|hosting| hosting.zone);
                let actions = shortly(&prose::in_words(&sheet::in_brief(actions), zone)).into_owned();
                format!("{begins} Entry {entry}, by {}: {actions}", header.info.sides[by.index()].named())
            }
            _ if self.hosting.is_some() => format!(
                "your game of {title} by mail with {} begins (game {id}). You play {}.",
                self.name(other),
                header.info.sides[self.to.index()].named()
            ),
            _ => self.invitation(),
        }];
        lines.push(self.turn());
        lines
    }

    fn invitation(&self) -> String {
        let header = &self.opened.header;
        format!(
            "{} invites you to a game of {}, played by mail (game {}). You play {}.",
            self.name(self.to.other()),
            header.info.title,
            header.id,
            header.info.sides[self.to.index()].named()
        )
    }

    /// Says whose turn it is, and for what.
    fn turn(&self) -> String {
        let standing = self.standing();
        let sides = &self.opened.header.info.sides;
        if let Some(outcome) = standing.outcome {
            return format!("The game is over: {}.", outcome.text(sides));
        }
        let side = sides[standing.due.side.index()];
        if standing.due.side == self.to {
            let offer = match standing.offer {
                Some(by) if by != self.to => format!("{} offers you a draw. ", self.name(by)),
                _ => String::new(),
            };
            format!("{offer}It is your turn ({}): {}.", side.word, standing.due.what)
        } else {
            let name = self.name(standing.due.side);
            format!(
                "{name} ({}) is to move next: {}. You need do nothing until the next letter.",
                side.word, standing.due.what
            )
        }
    }

    /// Explains how to answer with only a move.
    fn by_reply(&self) -> String {
        let example = self.choices.example.as_ref().map(|entry| format!(", for instance: {entry}")).unwrap_or_default();
        let offer = if self.choices.offered {
            "To accept the draw that is offered, reply `draw!`; to decline it, just move.\n"
        } else {
            ""
        };
        let name = self.name(self.to.other());
        let dice = self.dice.map(|sum| self.about_dice(sum)).unwrap_or_default();
        // A host passes on only what is marked while something is hidden.
        let rest = match self.hosting.is_some() && self.opened.hides(self.to) {
            true => format!(
                "To write to {name}, begin a line with `message:`. Nothing else that you write is passed on while something is hidden."
            ),
            false => format!("{name} can read anything else that you write."),
        };
        format!(
            "{dice}{offer}To answer, reply to this letter and write just your move on the first line{example}\nA reply may also say `resign`, or `draw?` \
             after a move. {rest}"
        )
    }

    /// Says how a throw comes about that the reply leaves open, and what it can be checked by.
    fn about_dice(&self, sum: &str) -> String {
        let word = self.opened.table.open_throw().map_or("accept", |(word, _)| word);
        let name = self.name(self.to.other());
        format!(
            "If you reply `{word}` alone, {name}'s program throws the dice from a number that is already fixed and from the Message-ID of \
             your reply, which {name} does not know yet. The SHA-256 of that number is {sum}. The number is shown below the entry, so keep \
             this letter if you want to check it.\n"
        )
    }

    /// What somebody should know who is invited and has only a mail program, behind the game in a minute: that moves are letters, how to
    /// decline. `None` for everybody else.
    fn for_newcomers(&self) -> Option<Cow<'static, str>> {
        let is_new = self.standing().made[self.to.index()] == 0 && self.standing().entries <= 1;
        if !self.answers_plainly() || !is_new || self.brings != Brings::Entry {
            return self.for_the_unequipped().map(Cow::Owned);
        }
        Some(Cow::Borrowed(match self.hosting {
            // Who plays here has agreed to it.
            Some(_) => {
                "A game by mail is an exchange of letters with one move each; you need nothing but your mail program."
            }
            None => {
                "A game by mail is an exchange of letters with one move each; you need nothing but your mail program. If you do not want to \
                 play, reply `no thanks`."
            }
        }))
    }

    /// What somebody needs who is invited to a game in which a move alone in a reply is not enough, and where to get it.
    fn for_the_unequipped(&self) -> Option<String> {
        if !self.invites || self.answers_plainly() || self.standing().outcome.is_some() {
            return None;
        }
        let why = match (self.opened.header.secrecy == Secrecy::Sealed, self.is_signed()) {
            (true, _) => "What is hidden in this game is sealed",
            (_, true) => "The entries of this game are signed",
            _ => "Moves in replies are not read in this game",
        };
        let name = self.name(self.to.other());
        if let Some(address) = self.page_at {
            return Some(format!(
                "{why}, so a move alone in a reply is not enough. You need the program postrider, or its page, which opens in any browser, \
                 installs nothing and plays this game too: open {address} and give it this letter. If you would rather use only your mail \
                 program, ask for an open game; if you do not want to play, reply `no thanks`."
            ));
        }
        Some(format!(
            "{why}, so a move alone in a reply is not enough. You need the program postrider, or its page: one file that opens in any \
             browser, installs nothing and plays this game too. If you have neither, ask {name} for the page, which \
             `postrider page --referee -o referee.html` makes. If you would rather use only your mail program, ask for an open game; if you do not \
             want to play, reply `no thanks`."
        ))
    }

    /// Says in one sentence what the attached page is.
    fn about_page(&self) -> Option<String> {
        let file = page_name(&self.opened.header.id);
        self.page.then(|| {
            if self.answers_plainly() {
                format!(
                    "The attached page `{file}` opens in any browser, without a network and without installing anything. It shows \
                     and checks the game, and lets you make your move."
                )
            } else {
                format!(
                    "The attached page `{file}` opens in any browser, without a network and without installing anything. It shows \
                     and checks the game."
                )
            }
        })
    }

    /// The host, where a letter is answered by a reply to it and not by the reader's own program.
    fn by_host(&self) -> Option<&Hosting<'_>> {
        self.hosting.as_ref().filter(|hosting| hosting.enters || self.standing().outcome.is_some())
    }

    fn with_program(&self) -> String {
        if let Some(hosting) = self.by_host() {
            let watched = match hosting.watched {
                "" => String::new(),
                names => format!(" These people watch what everyone may see of this game: {}.", printable(names)),
            };
            return format!(
                "{} keeps this game: it reads every reply, and the attached record is what it has entered. A reply may also ask for \
                 something: `show`, `record`, `page`, `my games`, `help`; `never write to me again` ends all letters.{watched}\n",
                printable(hosting.name)
            );
        }
        let id = &self.opened.header.id;
        let name = self.opened.header.info.name;
        let sealed = self.opened.header.secrecy == Secrecy::Sealed;
        let needs = match (sealed, self.is_signed()) {
            _ if self.answers_plainly() || self.for_the_unequipped().is_some() => "If you have the program postrider",
            (true, _) => "What is hidden in this game is sealed, so it is played with the program postrider",
            (_, true) => "The entries of this game are signed, so it is played with the program postrider",
            _ => "This game is answered with the program postrider",
        };
        let takes = match self.block {
            None => "It compares the attached record with yours and takes what is new.",
            Some(_) => "It takes the new entries from the lines of letters below.",
        };
        let about = sheet::paragraph(&format!("{needs}: hand this letter to it. {takes}"));
        let mut text = format!("{}\n\n    postrider receive LETTER\n", about.trim_end());
        if self.invites {
            text.push_str(&format!("    postrider invite accept {id}\n"));
        }
        if self.is_due() {
            text.push_str(&format!("    postrider move {id} 'YOUR MOVE' --send\n"));
        }
        text.push_str(&format!("\n`postrider rules {name}` prints the rules.\n"));
        if let Some(address) = self.page_at.filter(|_| self.invites && self.answers_plainly()) {
            text.push_str(&format!("\nWithout the program, {address} in a browser takes this letter too.\n"));
        }
        text
    }

    fn text(&self) -> String {
        let mut text = format!("{},\n\n", self.name(self.to));
        if let Some(word) = self.word {
            text.push_str(&format!("    {}\n\n", printable(word)));
        }
        for line in self.opening() {
            text.push_str(&sheet::paragraph(&line));
            text.push('\n');
        }
        if self.is_due() && self.answers_plainly() {
            text.push('\n');
            for line in self.by_reply().lines() {
                text.push_str(&sheet::paragraph(line));
                text.push('\n');
            }
        }
        if let Some(message) = self.message {
            text.push_str(&format!("\n    {}\n", printable(message)));
        }
        if let Some(line) = self.for_newcomers() {
            text.push_str(&minute::text(self.opened.header.info));
            text.push_str(&format!("\n{}\n", sheet::paragraph(&line)));
        }
        text.push('\n');
        let extras = Extras { entries: sheet::last_entries(self.opened, 6), now: None, local: false };
        let look = Look { turned: self.to == Side::Second, ..Look::default() };
        text.push_str(&sheet::draw(self.opened, &self.scene, &extras, look));
        if let Some(line) = self.about_page() {
            text.push_str(&format!("\n{}\n", sheet::paragraph(&line)));
        }
        if self.standing().outcome.is_some() {
            match self.block {
                None => text.push_str("\nThe whole record is attached.\n"),
                Some(block) => text.push_str(&format!("\n{block}")),
            }
            if self.hosting.is_some() {
                text.push_str("To play again, reply `again`. To get the game as a page that opens in any browser, reply `page`.\n");
            }
            return text;
        }
        if self.is_due() {
            let moves = self.opened.table.moves();
            if moves.len() <= LISTED {
                // A long turn is composed of actions, and these are only its first.
                let label = if self.opened.header.info.stepwise { "The entry begins with" } else { "Legal entries" };
                let indent = label.len() + 2;
                text.push_str(&format!("\n{label}  {}\n", sheet::wrapped(moves, " | ", indent)));
            }
        }
        text.push('\n');
        match self.by_host() {
            Some(_) => {
                text.push_str(&sheet::paragraph(self.with_program().trim_end()));
                text.push('\n');
            }
            None => text.push_str(&self.with_program()),
        }
        if let Some(block) = self.block {
            text.push_str(&format!("\n{block}"));
        }
        text
    }

    fn html(&self, cid: &str) -> Option<Html> {
        let board = Board::of(self.opened, &self.scene, self.to);
        let taps = self.style == Style::Taps && self.is_due() && self.answers_plainly();
        let mark = self.hosting.map(|hosting| hosting.mark).filter(|mark| !mark.is_empty());
        let mark = mark.map(|mark| format!(" {mark}")).unwrap_or_default();
        let subject =
            format!("Re: [pbem] {} #{} {}{mark}", self.opened.header.id, self.standing().entries, self.digest);
        // If the whole is too long, the reference to the letter is dropped first, then the list.
        let page = [Some(true), Some(false), None]
            .into_iter()
            .map(|thread| {
                let answers = thread.filter(|with| *with).map(|_| self.message_id);
                let list = match (taps, thread) {
                    (true, Some(_)) => links(&self.choices, self.reply_to, &subject, answers),
                    (true, None) => links(&Choices::default(), self.reply_to, &subject, None),
                    (false, _) => Default::default(),
                };
                self.page(cid, &board, &list)
            })
            .find(|page| page.len() <= MAX_HTML)?;
        board.with(page)
    }

    fn page(&self, cid: &str, board: &Board, [above, below]: &[String; 2]) -> String {
        let mut body = format!("<p>{},</p>\n", escaped(&self.name(self.to)));
        for line in self.opening() {
            body.push_str(&format!("<p>{}</p>\n", code(&line)));
        }
        // The first link stands where a telephone shows it without scrolling.
        body.push_str(above);
        for said in [self.word, self.message].into_iter().flatten() {
            body.push_str(&markup::quotation(&escaped(&printable(said))));
        }
        if let Some(line) = self.for_newcomers() {
            body.push_str(&minute::html(self.opened.header.info));
            body.push_str(&format!("<p>{}</p>\n", code(&line)));
        }
        body.push_str(&board.html(cid));
        body.push_str(&markup::rows(&sheet::beside(self.opened, &self.scene)));
        if self.is_due() && self.answers_plainly() {
            body.push_str(below);
            let by_reply = code(&self.by_reply()).replace('\n', "<br>\n");
            let by_reply =
                if above.is_empty() { by_reply } else { by_reply.replacen("To answer, reply", "Or reply", 1) };
            body.push_str(&format!("<p>{by_reply}</p>\n"));
        }
        if let Some(line) = self.about_page() {
            body.push_str(&format!("<p>{}</p>\n", code(&line)));
        }
        body.push_str("<hr>\n");
        for part in self.with_program().split("\n\n").filter(|part| !part.trim().is_empty()) {
            if part.starts_with("    ") {
                let lines: Vec<_> = part.lines().map(str::trim).collect();
                body.push_str(&markup::typed(&lines.join("\n")));
            } else {
                body.push_str(&format!("<p>{}</p>\n", code(part.trim()).replace('\n', " ")));
            }
        }
        markup::document(&format!("{}: {}", self.opened.header.info.title, self.word(self.to)), &body)
    }
}

/// The beginning of an entry of very many actions, which stands whole below the board and in the record.
fn shortly(actions: &str) -> Cow<'_, str> {
    match actions.char_indices().nth(OPENING).and_then(|(at, _)| actions.get(..at)) {
        Some(begun) => Cow::Owned(format!("{} ...", begun.rsplit_once(' ').map_or(begun, |(begun, _)| begun))),
        None => Cow::Borrowed(actions),
    }
}

/// Converts text to HTML, with what is between backquotes as code.
fn code(text: &str) -> String {
    let mut html = String::new();
    let mut parts = text.split('`').peekable();
    let mut inside = false;
    while let Some(part) = parts.next() {
        match (inside, parts.peek().is_some()) {
            (true, true) => html.push_str(&format!("<code>{}</code>", escaped(part))),
            (true, false) => html.push_str(&format!("`{}", escaped(part))),
            (false, _) => html.push_str(&escaped(part)),
        }
        inside = !inside;
    }
    html
}
