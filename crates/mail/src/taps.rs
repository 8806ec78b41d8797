//! Links that open a reply with an entry filled in, so that a move takes two taps: the link, and Send.

use std::collections::BTreeMap;

use super::markup;
use postrider_board::picture::escaped;
use postrider_kernel::{Info, Next, Side};
use postrider_referee::desk::effects::effects;
use postrider_referee::judging::{Beside, Table};
use postrider_referee::verdict::Opened;

/// With more links than this, they are grouped by the piece that moves.
const TOGETHER: usize = 40;
/// As many moves stand above the board.
const FEW: usize = 4;
/// What stands over moves to tap, and on the link to a form.
const TAP_ONE: &str = "Tap one. Your mail program opens a reply that says it; press Send.";
const WRITE: &str = "Write your turn";
/// The longest link that mail programs accept.
const MAX_LINK: usize = 1_600;
/// The most entries that are considered.
const MOST: usize = 600;
/// The most beginnings of a turn that are listed as links.
const LISTED: usize = 24;
/// The most actions of an example, and the most beginnings with which one is looked for.
const STEPS: usize = 24;
const BEGINNINGS: usize = 60;

/// The legal entries of the side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Whole entries, each of them legal as it is.
    pub whole: Vec<String>,
    /// Beginnings of entries, for turns of many actions, and words that stand for many entries.
    pub begun: Vec<String>,
    /// The effects of some whole entries, in words ([`effects`]).
    pub says: BTreeMap<String, String>,
    /// Whether a draw is offered, which `draw!` accepts.
    pub offered: bool,
    /// A whole legal entry to show how one is written; `None` if none is found.
    pub example: Option<String>,
}

impl Choices {
    /// Returns the choices after a whole replay. Every entry listed as whole has been judged.
    #[must_use]
    pub fn of(opened: &Opened<'_>) -> Self {
        let beside = Beside::to_try(&opened.table.standing());
        let table = opened.table.as_ref();
        let mut is_legal = |entry: &str| table.read(entry).and_then(|typed| typed.judge(&beside)).is_ok();
        let mut next = |begun: &str| table.read(begun).and_then(|typed| typed.next()).ok();
        let choices = Self::among(opened.header.info, table, &mut is_legal, &mut next);
        Self { says: effects(opened, &choices.whole), ..choices }
    }

    /// A whole legal entry to show beside a list of moves: the first of them that is one, or another.
    #[must_use]
    pub fn shown(&self, moves: &[String]) -> Option<String> {
        let is_whole = |one: &&String| self.whole.contains(*one);
        moves.iter().find(is_whole).or(self.example.as_ref()).cloned()
    }

    /// The same for a letter whose reader may leave a throw open by a word, which then is a whole entry.
    #[must_use]
    pub fn leaving_throws(self, word: &str) -> Self {
        let mut choices = self;
        if let Some(at) = choices.begun.iter().position(|one| one == word) {
            choices.whole.insert(0, choices.begun.remove(at));
            choices.example = Some(word.to_owned());
        }
        choices
    }

    /// Returns the choices at a table of this game, each judged by `is_legal`; `next` says what may follow the beginning of a turn. Where
    /// entries are sealed, a table alone takes none of what a player types.
    pub fn among(
        info: &Info,
        table: &dyn Table,
        is_legal: &mut dyn FnMut(&str) -> bool,
        next: &mut dyn FnMut(&str) -> Option<Next>,
    ) -> Self {
        let standing = table.standing();
        if standing.outcome.is_some() {
            return Self::default();
        }
        let mut choices = Self { offered: standing.offer == Some(standing.due.side.other()), ..Self::default() };
        let moves = table.moves();
        // A tap does not give away a turn in which there is more to do.
        let ends_turn =
            |entry: &String| info.stepwise && moves.len() > 1 && !entry.contains(|c: char| !c.is_ascii_lowercase());
        for actions in moves.iter().filter(|entry| !ends_turn(entry)).take(MOST).cloned() {
            if is_legal(&actions) { choices.whole.push(actions) } else { choices.begun.push(actions) }
        }
        choices.example = example((info, standing.due.side), &choices, is_legal, next);
        choices
    }
}

/// Finds a whole entry to show how one is written: a capture where there is one, because another move may cost a piece; a turn of several
/// actions where turns have them.
fn example(
    (info, side): (&Info, Side),
    choices: &Choices,
    is_legal: &mut dyn FnMut(&str) -> bool,
    next: &mut dyn FnMut(&str) -> Option<Next>,
) -> Option<String> {
    if !info.stepwise || choices.begun.is_empty() && choices.whole.iter().any(|one| one.contains(' ')) {
        let plain = |entry: &&String| (entry.contains(';'), !entry.contains('x'), entry.len());
        if let Some(entry) = choices.whole.iter().min_by_key(plain) {
            return Some(entry.clone());
        }
    }
    for word in &choices.begun {
        let Some(placeholder) = info.samples.placeholder(word) else { continue };
        let entry = (placeholder.example)(side, &mut |below| below / 2);
        if is_legal(&entry) {
            return Some(entry);
        }
    }
    // A turn of several actions, which ends as soon as it may. What begins a turn may lead nowhere yet.
    let begins = choices.begun.iter().chain(choices.whole.first()).take(BEGINNINGS);
    let mut turns = begins.filter_map(|begun| turn(begun, next));
    turns.find(|turn| is_legal(turn)).or_else(|| choices.whole.first().cloned())
}

/// The shortest turn that begins so; `None` if it does not end.
fn turn(begun: &str, next: &mut dyn FnMut(&str) -> Option<Next>) -> Option<String> {
    let mut turn = begun.to_owned();
    for _ in 0..STEPS {
        let follow = next(&turn)?;
        let ends = follow
            .actions
            .iter()
            .find(|action| !action.contains(' ') && action.bytes().all(|byte| byte.is_ascii_lowercase()));
        match (follow.whole, ends.or_else(|| follow.actions.first())) {
            (true, _) => return Some(turn),
            (false, Some(action)) => turn = format!("{turn}; {action}"),
            (false, None) => return None,
        }
    }
    None
}

/// Writes the links as HTML: what stands above the board, where a telephone shows it without scrolling, and the rest, below it. Each opens a
/// reply to an address with a subject. `answers` is the Message-ID, with angle brackets, that the reply gives as the one it answers.
#[must_use]
pub fn links(choices: &Choices, to: &str, subject: &str, answers: Option<&str>) -> [String; 2] {
    let link = |body: &str, label: &'static str| Some((label, tap(body, label, to, subject, answers)?));
    let labels: Vec<String> = choices.whole.iter().map(|entry| label(choices, entry)).collect();
    let whole = choices.whole.iter().zip(&labels);
    let whole: Vec<_> =
        whole.filter_map(|(entry, label)| Some((label.as_str(), tap(entry, label, to, subject, answers)?))).collect();
    let is_few = choices.begun.is_empty() && (1..=FEW).contains(&choices.whole.len()) && whole.len() == labels.len();
    let kinds = kinds(&choices.begun);
    let mut above = markup::heading("Your move");
    let mut first: Vec<(&str, String)> = Vec::new();
    if is_few {
        above.push_str(&format!("<p>{TAP_ONE}</p>\n"));
        first.clone_from(&whole);
    } else {
        let form = |begun: &[&str]| form(choices, begun, |body| tap(body, WRITE, to, subject, answers));
        // What a turn may begin with is listed once.
        let all: Vec<_> = if kinds.len() > 1 { Vec::new() } else { choices.begun.iter().map(String::as_str).collect() };
        first.extend(Some(WRITE).zip(form(&all)));
    }
    if choices.offered {
        first.extend(link("draw!", "Accept the draw"));
    }
    above.push_str(&markup::links(&first, false));
    let mut below = String::new();
    if !whole.is_empty() && !is_few {
        below.push_str(&format!("<p>{TAP_ONE}</p>\n"));
        below.push_str(&grouped(choices, whole));
    }
    if kinds.len() > 1 {
        below.push_str("<p>Or choose how your turn begins. Your mail program opens a reply that lists what is possible; write the whole turn in it.</p>\n");
        let links = kinds.iter().filter_map(|(word, begun)| {
            Some((*word, form(choices, begun, |body| tap(body, word, to, subject, answers))?))
        });
        below.push_str(&markup::links(&links.collect::<Vec<_>>(), false));
    }
    let resign: Vec<_> = link("resign", "Resign").into_iter().collect();
    below.push_str(&markup::links(&resign, false));
    [above, below]
}

/// The links to whole entries, by the piece that moves where there are many.
fn grouped(choices: &Choices, whole: Vec<(&str, String)>) -> String {
    if whole.len() <= TOGETHER {
        return markup::links(&whole, false);
    }
    let mut groups: Vec<(&str, Vec<(&str, String)>)> = Vec::new();
    for ((label, link), entry) in whole.into_iter().zip(&choices.whole) {
        let piece = piece(entry);
        match groups.iter_mut().find(|(known, _)| *known == piece) {
            Some((_, links)) => links.push((label, link)),
            None => groups.push((piece, vec![(label, link)])),
        }
    }
    let mut html = String::new();
    for (piece, links) in groups {
        html.push_str(&format!("<p style=\"margin:8px 8px 0\"><b>{}</b></p>\n", escaped(piece)));
        html.push_str(&markup::links(&links, true));
    }
    html
}

/// What stands on the tap for an entry: the entry, and what it takes where it does not say so itself.
fn label(choices: &Choices, entry: &str) -> String {
    choices.says.get(entry).map_or_else(|| entry.to_owned(), |says| format!("{entry}: {says}"))
}

/// The beginnings of a turn by their first word, as `move` and `attack`; empty if they do not begin with words.
fn kinds(begun: &[String]) -> Vec<(&str, Vec<&str>)> {
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in begun {
        let Some((word, _)) =
            one.split_once(' ').filter(|(word, _)| word.bytes().all(|byte| byte.is_ascii_lowercase()))
        else {
            // A word that is a whole action has nothing to choose.
            if one.bytes().all(|byte| byte.is_ascii_lowercase()) {
                continue;
            }
            return Vec::new();
        };
        match kinds.iter_mut().find(|(known, _)| *known == word) {
            Some((_, list)) => list.push(one),
            None => kinds.push((word, vec![one])),
        }
    }
    kinds
}

/// Makes the link to a form to be filled in, with an example and as many beginnings of a turn as a link has room for. The form has no words of
/// its own, so nothing is entered if it is sent as it is.
fn form(choices: &Choices, begun: &[&str], link: impl Fn(&str) -> Option<String>) -> Option<String> {
    let begins = if begun.is_empty() { "" } else { "\n> It may begin with: " };
    let example =
        choices.example.as_ref().map(|entry| format!(" A whole one is, for instance: {entry}")).unwrap_or_default();
    [LISTED, LISTED / 2, LISTED / 4, 0].into_iter().find_map(|most| {
        let list = begun.iter().take(most).copied().collect::<Vec<_>>().join(" | ");
        let more = if begun.len() > most { " ..." } else { "" };
        let (begins, more, example) = if most == 0 { ("", "", "") } else { (begins, more, &*example) };
        link(&format!("\n\n> Write your move above this line.{example}{begins}{list}{more}"))
    })
}

/// Writes one link as HTML, which opens a reply that says `body`; `None` if it is longer than mail programs accept.
pub(super) fn tap(body: &str, label: &str, to: &str, subject: &str, answers: Option<&str>) -> Option<String> {
    let thread = answers.map(|id| format!("&In-Reply-To={}", encoded(id))).unwrap_or_default();
    let url = format!("mailto:{}?subject={}&body={}{thread}", encoded(to), encoded(subject), encoded(body));
    (url.len() <= MAX_LINK).then(|| markup::link(&url, label))
}

/// The beginning of an entry: the piece and its square.
fn piece(entry: &str) -> &str {
    let end = entry.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(entry.len());
    match entry.get(..end).unwrap_or(entry) {
        // The `x` of a capture has no space before it: `d5xd3`.
        word if word.len() > 3 => word.split_once('x').map_or(word, |(piece, _)| piece),
        word => word,
    }
}

/// Escapes text for a part of a link (RFC 6068, RFC 3986).
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'@' => out.push(char::from(byte)),
            b'\n' => out.push_str("%0D%0A"),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_contain_no_markup_and_are_grouped_by_piece_if_there_are_many() {
        let few = Choices { whole: vec!["b4-c5".into(), "d5xd3".into()], ..Choices::default() };
        let html = links(&few, "a\"b@example.org", "Re: [pbem] x #1 ab", Some("<x@y>")).concat();
        assert!(html.contains(
            "href=\"mailto:a%22b@example.org?subject=Re%3A%20%5Bpbem%5D%20x%20%231%20ab&amp;body=b4-c5&amp;In-Reply-To=%3Cx@y%3E\""
        ));
        assert!(!html.contains("<b>") && html.contains(">Resign</a>") && !html.contains("Accept the draw"));
        let many = (0..60).map(|at| format!("{}1-a{at}", if at < 30 { "a" } else { "Pb" })).collect();
        let [above, html] = links(&Choices { whole: many, ..Choices::default() }, "a@b.c", "s", None);
        assert!(html.contains("<b>a1</b>") && html.contains("<b>Pb1</b>") && html.matches("<a ").count() == 61);
        assert!(above.matches("<a ").count() == 1 && above.contains(">Write your turn</a>"), "{above}");
    }

    #[test]
    fn a_piece_is_what_an_entry_begins_with() {
        let list = ["b4-c5", "d5xd3xf3", "Lc1xc5", "Ab2*b3", "place c6 e6", "Pc1=N"];
        assert_eq!(list.map(piece), ["b4", "d5", "Lc1", "Ab2", "place", "Pc1"]);
    }

    #[test]
    fn a_long_turn_has_a_form_for_each_kind_of_beginning_and_no_tap_that_ends_it() {
        let begun =
            ["draw exorcist", "move exorcist.1>AR", "move exorcist.1>BP", "deal", "attack exorcist.1 tank.2:10"];
        let begun: Vec<String> =
            begun.map(str::to_owned).into_iter().chain((0..60).map(|at| format!("move unit.{at}>YO"))).collect();
        let example = Some("draw exorcist; end".to_owned());
        let choices = Choices { begun: begun.clone(), example, ..Choices::default() };
        let html = links(&choices, "a@b.c", "s", None).concat();
        for label in ["draw", "move", "attack", "Write your turn", "Resign"] {
            assert!(html.contains(&format!(">{label}</a>")), "{label}: {html}");
        }
        assert_eq!(html.matches("<a ").count(), 5);
        let forms: Vec<&str> = html.split("body=").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        for form in forms.iter().filter(|form| **form != "resign") {
            // Nothing is filled in but quoted lines, and the link is not too long.
            assert!(form.starts_with("%0D%0A%0D%0A%3E%20Write") && form.len() <= MAX_LINK, "{form}");
            assert!(form.contains("draw%20exorcist%3B%20end"), "{form}");
        }
        assert!(forms[2].contains("move%20unit.5%3EYO") && !forms[2].contains("attack"), "{forms:?}");
        assert_eq!(kinds(&["+a1A".to_owned(), "pass".to_owned()]), []);
    }
}
