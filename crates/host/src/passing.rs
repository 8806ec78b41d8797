//! What players write to each other. While something in a game is hidden, only what the writer has marked for the opponent is passed on:
//! what was not understood may be a move, and name a card that nobody else should know.

use super::did::Did;
use super::letters::{Saying, state};
use super::naming::names_any;
use super::notes::Game;
use super::work::{Work, Writer};
use postrider_home::office::Trouble;
use postrider_home::receive::doubt;
use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_mail::incoming::Mail;
use postrider_referee::desk::Desk;

/// How much is kept until its writer says that it is for the opponent, in characters.
const MOST_KEPT: usize = 2_000;
/// What marks a line for the opponent.
const MARK: &str = "message:";

/// Why words are not passed on at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// They are not marked, and there is no move in them.
    Unmarked,
    /// They are not marked, and stand beside a move.
    Beside,
    /// They are marked, and name something hidden.
    Names,
    /// Another letter is answered than the one that asks about them.
    Again,
}

/// Whether this side may hide something in the game still.
pub(super) fn hides(desk: &Desk<'_>, side: Side) -> bool {
    desk.opened.hides(side)
}

/// Whether words that a writer has marked name something that this side may hide. It is the same whatever the side really has.
pub(super) fn names_hidden(desk: &Desk<'_>, side: Side, text: &str) -> bool {
    hides(desk, side) && names_any_hidden(desk, side, text)
}

/// The same, also once the game is over: of a message that was left out.
pub(super) fn names_any_hidden(desk: &Desk<'_>, side: Side, text: &str) -> bool {
    desk.opened.table.seals().is_some() && names_any(text, &desk.opened.table.hidden_names(side))
}

/// What of some lines the writer has marked for the opponent, without the marks, and the rest.
fn marked(lines: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut said, mut rest) = (Vec::new(), Vec::new());
    for line in lines {
        let start = line.trim_start();
        match start.split_at_checked(MARK.len()).filter(|(mark, _)| mark.eq_ignore_ascii_case(MARK)) {
            Some((_, words)) if !words.trim().is_empty() => said.push(words.trim().to_owned()),
            Some(_) => {}
            None => rest.push(line.clone()),
        }
    }
    (said, rest)
}

/// As much of some lines as is kept.
fn kept(lines: &[String]) -> Vec<String> {
    let mut left = MOST_KEPT;
    let mut list = Vec::new();
    for line in lines {
        let line: String = line.chars().take(left).collect();
        left -= line.chars().count();
        if !line.trim().is_empty() {
            list.push(line);
        }
    }
    list
}

impl Work<'_, '_> {
    /// Deals with words in which there is no move.
    pub(super) fn talk(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, unsure): (Side, bool),
        mail: &Mail,
        desk: &Desk<'_>,
        lines: &[String],
    ) -> Result<Did, Trouble> {
        if self.robot {
            return Ok(Did::LikeProgram);
        }
        if unsure {
            return self.asked_again(writer, game, (side, mail), desk, lines);
        }
        if !hides(desk, side) {
            return self.pass_on(writer, game, (side, mail), desk, lines, &[]);
        }
        let (said, rest) = marked(lines);
        match said.is_empty() {
            true => self.keep_back(writer, game, (side, mail), desk, lines, Why::Unmarked),
            false if names_hidden(desk, side, &said.join("\n")) => {
                self.keep_back(writer, game, (side, mail), desk, &said, Why::Names)
            }
            false => self.pass_on(writer, game, (side, mail), desk, &said, &rest),
        }
    }

    /// Gives words back that may not be all that was written, or not the writer's.
    fn asked_again(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
        lines: &[String],
    ) -> Result<Did, Trouble> {
        if !self.silent {
            let standing = desk.opened.table.standing();
            let is_due = standing.outcome.is_none() && standing.due.side == side;
            let saying = Saying {
                before: vec!["Your letter was read:".to_owned()],
                quoted: kept(lines),
                said: vec![
                    format!("{} Nothing was entered or passed on: please write it once more.", doubt(mail)),
                    state(&desk.opened),
                ],
                lists: is_due,
                begin: is_due && desk.opened.header.info.stepwise,
                ..Saying::default()
            };
            self.caused(writer);
            self.about(game, side, desk, (mail.message_id.as_deref(), "nothing was entered"), saying)?;
        }
        Ok(Did::Uncertain)
    }

    /// What confirms that these words are for the opponent.
    fn pass_code(&self, game: &Game, side: Side, words: &[String]) -> String {
        let mut code = self.host.key.token(&["pass", &game.id, &side.index().to_string(), &words.join("\n")]);
        code.truncate(8);
        code
    }

    /// Gives words back to their writer alone, who may say that they are for the opponent.
    pub(super) fn keep_back(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
        lines: &[String],
        why: Why,
    ) -> Result<Did, Trouble> {
        let words = kept(lines);
        if self.silent || self.capped || words.is_empty() {
            return Ok(Did::NotPassedOn);
        }
        let other = printable(&game.seats[side.other().index()].name).into_owned();
        let said = match why {
            Why::Unmarked => format!(
                "It has no move, so nothing was entered. It may name something hidden that only you know, so it was not passed on to {other} \
                 either."
            ),
            Why::Beside => format!(
                "You wrote this beside your move, which is entered. It may name something hidden that only you know, so it was not passed on \
                 to {other}."
            ),
            Why::Names => {
                format!(
                    "It may name something that is hidden, so it was not passed on to {other}. To pass it on, please say so once more."
                )
            }
            Why::Again => format!("Only this is kept, and it was not passed on to {other}."),
        };
        let code = self.pass_code(game, side, &words);
        let standing = desk.opened.table.standing();
        let is_due = standing.outcome.is_none() && standing.due.side == side;
        let saying = Saying {
            before: vec!["You wrote:".to_owned()],
            quoted: words.clone(),
            said: vec![said, state(&desk.opened)],
            taps: vec![(format!("pass it on {code}"), format!("Pass it on to {other}"))],
            lists: is_due && why != Why::Beside,
            begin: is_due && desk.opened.header.info.stepwise,
            after: vec![format!(
                "To write to {other} at once, begin a line with message: or put the words in braces after your move."
            )],
            ..Saying::default()
        };
        game.seats[side.index()].kept = words;
        self.caused(writer);
        self.about(game, side, desk, (mail.message_id.as_deref(), "not passed on"), saying)?;
        Ok(Did::AskedToPassOn)
    }

    /// The writer says that words which were kept back are for the opponent.
    pub(super) fn pass_it_on(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
        code: &str,
    ) -> Result<Did, Trouble> {
        let words = game.seats[side.index()].kept.clone();
        if !words.is_empty() && self.pass_code(game, side, &words) == code {
            game.seats[side.index()].kept.clear();
            return self.pass_on(writer, game, (side, mail), desk, &words, &[]);
        }
        if !words.is_empty() {
            return self.keep_back(writer, game, (side, mail), desk, &words, Why::Again);
        }
        if !self.silent {
            self.caused(writer);
            let said = "There is nothing to pass on. Begin a line with message: and write it once more.".to_owned();
            let saying = Saying::of([said, state(&desk.opened)]);
            self.about(game, side, desk, (mail.message_id.as_deref(), "nothing to pass on"), saying)?;
        }
        Ok(Did::NothingToPassOn)
    }

    /// Passes words on to the opponent, and says so; `rest` is what was not.
    fn pass_on(
        &mut self,
        writer: &mut Writer,
        game: &mut Game,
        (side, mail): (Side, &Mail),
        desk: &Desk<'_>,
        lines: &[String],
        rest: &[String],
    ) -> Result<Did, Trouble> {
        if self.capped {
            return Ok(Did::TooMuchToPassOn);
        }
        let (own, other) = (&game.seats[side.index()], &game.seats[side.other().index()]);
        let (own_name, other_name) = (printable(&own.name).into_owned(), printable(&other.name).into_owned());
        if !self.wants(&other.address)? {
            if !self.silent {
                let said = format!("{other_name} gets no letters from here, so this was not passed on.");
                self.say(writer, Some(mail), "Not passed on", Saying::of([said]))?;
            }
            return Ok(Did::NotPassedOn);
        }
        let saying = Saying {
            before: vec![format!("{own_name} writes to you:")],
            quoted: lines.to_vec(),
            said: vec![state(&desk.opened)],
            ..Saying::default()
        };
        self.caused(writer);
        self.about(game, side.other(), desk, (None, "a letter from your opponent"), saying)?;
        if !self.silent {
            self.caused(writer);
            let said = match rest.iter().all(|line| line.trim().is_empty()) {
                true => format!("Your letter has no move in it, and was passed on to {other_name}."),
                false => format!(
                    "Your letter has no move in it. Only the words after message: were passed on to {other_name}."
                ),
            };
            let mut saying = Saying::of([said, state(&desk.opened)]);
            let standing = desk.opened.table.standing();
            if standing.outcome.is_none() && standing.due.side == side {
                saying.lists = true;
                saying.begin = desk.opened.header.info.stepwise;
            }
            self.about(game, side, desk, (mail.message_id.as_deref(), "passed on"), saying)?;
        }
        Ok(Did::PassedOn)
    }
}
