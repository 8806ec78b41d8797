//! Answers to a player's request that is not an entry: what can be done instead, and how. Pure.

use postrider_kernel::Side;
use postrider_kernel::text::printable;
use postrider_referee::judging::in_words;
use postrider_referee::verdict::Opened;

use crate::understand::Wish;

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wished {
    /// What is said, in whole sentences.
    pub said: String,
    /// What can be tapped: the text of the reply, and what stands on it.
    pub taps: Vec<(String, String)>,
    /// Whether the game is told in a minute.
    pub minute: bool,
}

impl Wish {
    /// Says what this side of a running game can do. `corrects`: whether a letter with another move takes back the one that was
    /// entered last.
    #[must_use]
    pub fn answered(self, opened: &Opened<'_>, side: Side, corrects: bool) -> Wished {
        let standing = opened.table.standing();
        let other = printable(&opened.header.player(side.other()).name).into_owned();
        let is_due = standing.due.side == side;
        let resign = || ("resign".to_owned(), "Resign".to_owned());
        match self {
            Self::Undo => Wished {
                said: match (standing.made[side.index()], is_due, corrects) {
                    (0, ..) => "You have made no move yet, so there is nothing to take back.".to_owned(),
                    (_, false, true) => format!(
                        "Your move stands until {other} has answered it. If you meant something else, reply with the move that you meant."
                    ),
                    _ => format!(
                        "A move cannot be taken back here, because {other} has been told of it. To ask {other} \
                         about it, begin a line with \"message:\"."
                    ),
                },
                ..Wished::default()
            },
            Self::Draw if is_due => {
                let mut said = "Offer a draw together with a move: write your move, and \"draw?\" after it.".to_owned();
                if standing.made.contains(&0) {
                    said.push_str(" You can do that once both players have made a move.");
                }
                Wished { said, ..Wished::default() }
            }
            Self::Draw => Wished {
                said: format!(
                    "You can offer a draw only together with a move, and {other} has yet to move. When it is your turn, write your \
                     move, and \"draw?\" after it."
                ),
                ..Wished::default()
            },
            Self::Stop => Wished {
                said: format!(
                    "To give up this game, reply \"resign\": {other} has won then. If you do nothing, the game goes on. Nothing was entered."
                ),
                taps: vec![resign()],
                ..Wished::default()
            },
            Self::Pause => Wished { said: pause(opened, is_due), ..Wished::default() },
            Self::Help => Wished {
                said: match is_due {
                    true => "It is your turn. Reply with your move on a line of its own; it is checked before it is entered, and you are told \
                             if something is wrong."
                        .to_owned(),
                    false => format!("{other} has yet to move. You get a letter then, and answer it with your move."),
                },
                minute: true,
                ..Wished::default()
            },
        }
    }
}

/// How somebody gets time.
fn pause(opened: &Opened<'_>, is_due: bool) -> String {
    let Some(clock) = opened.header.clock.as_ref() else {
        return "No clock runs in this game, so you may take as long as you like.".to_owned();
    };
    if clock.leave == 0 {
        return "The clock of this game grants no leave, so it cannot be stopped.".to_owned();
    }
    let when = if is_due { "Write it" } else { "When it is your turn, write it" };
    format!(
        "You may take leave, which stops your clock: {} for the whole game. {when} after your move, as in: YOUR MOVE; leave 7d",
        in_words(clock.leave)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_referee::desk::Desk;

    fn told(clock: &str, entries: &str, side: Side, wish: Wish) -> Wished {
        let text = format!(
            "---\npbem: 1\ngame: asalto\nid: asalto-wished\nplayers:\n  besiegers: {{name: Ada}}\n  defenders: {{name: Bram}}\n\
             started: 2026-11-21\n{clock}---\n{entries}"
        );
        wish.answered(&Desk::open(text.as_bytes()).unwrap().opened, side, false)
    }

    #[test]
    fn each_wish_is_answered_with_what_can_be_done_now() {
        let first = "1 defenders place c6 e6 @2026-11-21T10:15:00Z\n";
        let said = |clock: &str, entries: &str, side, wish| told(clock, entries, side, wish).said;
        assert!(said("", "", Side::First, Wish::Undo).contains("nothing to take back"));
        assert!(said("", first, Side::Second, Wish::Undo).contains("cannot be taken back here, because Ada"));
        assert!(said("", first, Side::First, Wish::Draw).contains("once both players"));
        assert!(said("", first, Side::Second, Wish::Draw).contains("Ada has yet to move"));
        assert!(said("", first, Side::First, Wish::Pause).contains("as long as you like"));
        assert!(said("clock: 5d\n", first, Side::First, Wish::Pause).contains("grants no leave"));
        let leave = said("clock: 5d leave 30d\n", first, Side::First, Wish::Pause);
        assert!(leave.contains("30 days for the whole game. Write it after your move"), "{leave}");
        assert_eq!(told("", first, Side::First, Wish::Stop).taps[0].0, "resign");
        assert!(told("", first, Side::First, Wish::Help).minute);
    }
}
