//! What the player agrees to: `postrider receive --agree GAME DIGITS`. Nobody agrees to an entry that was not shown.

use crate::cli::hints::Failure;
use crate::cli::{acts, confirm};
use postrider_home::office::Office;
use postrider_home::receive;
use postrider_home::receive::{Agreed, Event, Receiving, Waiting, Ways};
use postrider_kernel::advice::Act;
use postrider_kernel::text::printable;

/// Adds what the player agrees to. Whoever gives no digits sees what is held back, and is asked; `None` if the answer is no.
/// `given`: the game, and the digits; `has_sources`: whether mail is read from somewhere besides what was held back.
pub(super) fn completed(
    given: &[String],
    has_sources: bool,
    office: &Office<'_>,
    ways: Ways,
) -> Result<Option<Ways>, Failure> {
    let (game, digits) = match given {
        [game] => (game, None),
        [game, digits, ..] => (game, Some(Agreed::new(game, digits)?)),
        [] => return Ok(Some(ways)),
    };
    let silent = |_: Event| {};
    let waiting = Receiving::new(office, Ways::default(), &silent)?.waiting(game)?;
    let list = || waiting.iter().map(|one| shown(game, one)).collect::<Vec<_>>().join("\n  ");
    let failed = |what: String| {
        Err(match waiting.is_empty() {
            true => Failure::trouble(what),
            false => Failure::trouble(what).hint(format!("this is held back; each command takes one:\n  {}", list())),
        })
    };
    if let Some(agreed) = digits {
        return match receive::chosen(&waiting, &agreed) {
            Err(error) if !(has_sources && receive::is_new(&waiting, &agreed)) => failed(error.to_string()),
            // A single one, or one that is fetched only now.
            _ => Ok(Some(Ways { agree: Some(agreed), ..ways })),
        };
    }
    match waiting.as_slice() {
        [] => failed(format!("nothing is held back in {} until you agree to it", printable(game))),
        [one] if confirm::can_ask() => {
            errln!("{}", shown(game, one));
            let agreed = Agreed::new(game, one.digest())?;
            Ok(confirm::asks("Take it?").then_some(Ways { agree: Some(agreed), ..ways }))
        }
        _ => failed("`--agree GAME` also needs the first digits of the entry that you agree to".to_owned()),
    }
}

/// What is held back, behind the command that takes it.
fn shown(game: &str, one: &Waiting) -> String {
    let from = one.from.as_deref().map(|from| format!(" (from {})", printable(from))).unwrap_or_default();
    let command = acts::command(&Act::Agree(game.to_owned(), one.digits.clone()));
    format!("`{command}`: {}{from}", one.lines.join(", "))
}
