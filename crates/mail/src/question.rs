//! A letter about a reply, to a person without the program: what was read in it, what was entered or why nothing was,
//! and taps to say what is meant. It speaks as the program, never as its owner. Pure.

use super::markup::Html;
use super::note::{Asks, Note};
use super::style::Style;
use super::taps::Choices;
use postrider_kernel::Side;
use postrider_kernel::scene::Scene;
use postrider_kernel::text::printable;
use postrider_referee::verdict::Opened;

/// The contents of a letter about a reply.
pub struct Question<'a> {
    /// The record as it is now, replayed.
    pub opened: &'a Opened<'a>,
    /// The board, as that person may see it.
    pub scene: Scene,
    /// The side of the person who gets the letter.
    pub to: Side,
    /// Whose record it is: the other player, or whoever keeps the game for two.
    pub keeper: &'a str,
    /// The lines of the reply, to be quoted once; `None` if no reply is answered.
    pub words: Option<&'a [String]>,
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

/// The words to the sender of a plain letter in a game in which nobody can enter for another.
#[must_use]
pub fn closed_game(title: &str, sealed: bool) -> String {
    let why = if sealed { "what is hidden in it is sealed" } else { "its entries are signed" };
    format!(
        "Nothing was entered. You cannot make a move in this game by a plain letter, because {why}: you need the program postrider, or its page in a \
         browser.\nIf you want to play {title} with nothing but letters, ask for an open game (`postrider new \
         --by-mail`): there a reply with just your move is enough."
    )
}

impl Question<'_> {
    /// Writes the letter as text and, unless it is to be only text, as HTML; `cid` is the Content-ID of its picture.
    #[must_use]
    pub fn written(self, cid: &str, style: Style) -> (String, Option<Html>) {
        let header = &self.opened.header;
        let (name, owner) = (printable(&header.player(self.to).name), printable(self.keeper));
        let found = match self.words {
            None => "",
            Some(words) if words.iter().all(|line| printable(line).is_empty()) => {
                " It found no words of yours in your letter."
            }
            Some(_) => " It has read your letter:",
        };
        let record = if owner.is_empty() { "the record".to_owned() } else { format!("{owner}'s record") };
        let gets = match owner.as_ref() {
            "" => "Whoever keeps the record gets your whole letter too.".to_owned(),
            owner => format!("{owner} gets your whole letter too."),
        };
        let note = Note {
            name: &name,
            title: &format!("{}: {}", header.info.title, header.id),
            before: vec![format!(
                "this is postrider, the program that keeps {record} of your game of {} ({}).{found}",
                header.info.title, header.id
            )],
            quoted: self.words.unwrap_or_default(),
            said: self.why.trim().split('\n').map(str::to_owned).collect(),
            asks: Asks::Meaning,
            taps: self.taps,
            example: Choices::of(self.opened).shown(&self.moves),
            moves: self.moves,
            begin: self.begin,
            board: Some((self.opened, self.scene, self.to)),
            after: self.words.map(|_| gets).into_iter().collect(),
            reply_to: self.reply_to,
            subject: self.subject,
            ..Note::default()
        };
        note.written(cid, style)
    }
}
