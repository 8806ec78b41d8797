//! Whose entry is made: repeating what was done, after a kill or a closed pipe, never makes the opponent's entry.

use crate::entry::own;
use crate::keys::Keys;
use crate::office::Trouble;
use crate::own_game::OwnGame;
use postrider_board::render::sheet::in_brief;
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::{Act, Insist};
use postrider_kernel::text::printable;
use postrider_referee::desk;
use postrider_referee::desk::{Desk, EntryRequest};
use postrider_referee::record::Time;
use postrider_referee::verdict::Opened;

/// The result of checking a command that makes an entry.
pub enum ToMake {
    /// The entry is to be made.
    New,
    /// It has already been made: it is the newest entry, and the player's own.
    StandsAlready,
}

/// Checks whether the player may make the entry. `wanted` is the side that the player named. A player who named a
/// side, or has no known side, may enter for both, but must name the side to repeat the last entry exactly.
///
/// # Errors
/// If the other side is due.
pub fn look(
    desk: &Desk<'_>,
    origin: &str,
    wish: &EntryRequest<'_>,
    wanted: Option<&str>,
    game: &OwnGame<'_>,
) -> Result<ToMake, Trouble> {
    let opened = &desk.opened;
    let standing = opened.table.standing();
    let sides = &opened.header.info.sides;
    // Time is claimed by the side that is not due (E7).
    let claims = wish.actions.trim() == "claim time";
    let entering = if claims { standing.due.side.other() } else { standing.due.side };
    if let Some(wanted) = wanted {
        let wanted = own::named(opened, wanted)?;
        return if wanted == entering || standing.outcome.is_some() {
            Ok(ToMake::New)
        } else {
            Err(not_due(game, opened, (entering, wanted), origin))
        };
    }
    let own = game.find(opened)?;
    if standing.outcome.is_none() && own == Some(entering) {
        return Ok(ToMake::New);
    }
    if let Some((side, line)) = desk.last()
        && own.is_none_or(|own| own == side)
        && repeats(game, desk, side, line, wish)
    {
        if own.is_some() || standing.outcome.is_some() {
            return Ok(ToMake::StandsAlready);
        }
        let line = in_brief(&printable(line));
        let side = sides[entering.index()];
        let what =
            format!("this entry is already in the record, and {} {} due: {line}", side.named(), side.verb("are", "is"));
        return Err(Trouble::of(what).advise(advice![
            Insist::For(side.word),
            format!(" enters it for {} too; ", side.named()),
            Act::Send(origin.to_owned()),
            " sends the record as it is"
        ]));
    }
    match own {
        Some(own) if standing.outcome.is_none() => Err(not_due(game, opened, (entering, own), origin)),
        _ => Ok(ToMake::New),
    }
}

/// Returns the player's own side if the other one is due. `wanted` is the side that the player named.
///
/// # Errors
/// If no side has that name.
pub fn waiting(opened: &Opened<'_>, wanted: Option<&str>, game: &OwnGame<'_>) -> Result<Option<Side>, Trouble> {
    let standing = opened.table.standing();
    let own = match wanted {
        Some(wanted) => Some(own::named(opened, wanted)?),
        None => game.find(opened)?,
    };
    Ok(own.filter(|own| *own != standing.due.side && standing.outcome.is_none()))
}

/// Says that the other side is due.
pub(crate) fn not_due(game: &OwnGame<'_>, opened: &Opened<'_>, (due, own): (Side, Side), origin: &str) -> Trouble {
    // Whoever was invited has nothing to send before the first entry: the other side has the game.
    let is_theirs = opened.table.standing().entries == 0 && game.was_invited();
    let [own, other] = [own, due].map(|side| opened.header.info.sides[side.index()]);
    let what = format!("{} {} due, and you play {}", other.named(), other.verb("are", "is"), own.named());
    if is_theirs {
        return Trouble::of(what).advise(advice![
            "the opponent's program enters for the opponent, and you have nothing to send yet; if you play both sides, add ",
            Insist::For(other.word)
        ]);
    }
    Trouble::of(what).advise(advice![
        "the opponent's program enters for the opponent; ",
        Act::Send(origin.to_owned()),
        " sends the record as it is; if you play both sides, add ",
        Insist::For(other.word)
    ])
}

/// Returns whether what was typed is the newest entry, in the state before it was made. `line` is its canonical line.
pub fn repeats(game: &OwnGame<'_>, desk: &Desk<'_>, side: Side, line: &str, wish: &EntryRequest<'_>) -> bool {
    let (made, time, said) = desk::parts(line);
    let time = time.and_then(|time| Time::read(time.as_bytes()));
    // With another time or another message, it is another entry.
    if wish.time_asked && time.is_some_and(|time| time != wish.time) {
        return false;
    }
    if wish.message.map(str::trim).is_some_and(|message| !message.is_empty() && said != Some(message)) {
        return false;
    }
    let typed = wish.actions.split_whitespace().collect::<Vec<_>>().join(" ");
    if typed == made {
        return true;
    }
    let wish = EntryRequest { message: None, time: time.unwrap_or(wish.time), ..*wish };
    // Only tried, with the secret that it was made with, which gives the same seals.
    if let Some(before) = desk.before_last()
        && let Some(mut keys) = Some(Keys::new(game.office, &before.opened, side, true))
        && let Ok(again) = before.actions(&wish, &mut keys)
        && made.strip_suffix(&again).is_some_and(|key| key.is_empty() || key.starts_with("key "))
    {
        return true;
    }
    // Salts differ each time, so the entry cannot be made again for comparison. Everything that was typed must be in it,
    // in this order, and everything else must have been added by the program.
    if desk.opened.table.seals().is_none() {
        return false;
    }
    let mut parts = typed.split(';').map(str::trim).filter(|part| !part.is_empty()).peekable();
    let any = parts.peek().is_some();
    let begins = |action: &str, part: &str| {
        action.strip_prefix(part).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    };
    for action in made.split("; ") {
        if parts.next_if(|part| begins(action, part)).is_none() && !is_added(action) {
            return false;
        }
    }
    any && parts.next().is_none()
}

/// Returns whether an action may have been added to what a player typed: a key, a commitment, a seal or an opening.
fn is_added(action: &str) -> bool {
    action.starts_with("key ") || crate::conditions::decision::holds_hidden(action)
}

/// The failure if something was typed while another entry, which an earlier run made, waits to be sent.
pub fn unsent(desk: &Desk<'_>, typed: &str, origin: &str) -> Trouble {
    let (side, line) = desk.last().unwrap_or((Side::First, ""));
    let line = in_brief(&printable(line));
    let due = side.other();
    let sides = &desk.opened.header.info.sides;
    let what = format!(
        "`{}` was not entered, and nothing was sent: your last entry stands and may not have been sent yet, and {} {} \
         due: {line}",
        printable(typed),
        sides[due.index()].named(),
        sides[due.index()].verb("are", "is")
    );
    Trouble::of(what).advise(advice![
        Act::Send(origin.to_owned()),
        " sends what stands; ",
        Act::Undo(origin.to_owned()),
        " takes it back, if you have not sent it"
    ])
}
