//! Playing alone: what lessons and practice games have in common.

use super::hints;
use crate::commands::rules;
use postrider_board::render::diagnostic;
use postrider_kernel::text::LineIndex;
use postrider_referee::judging::Stop;

/// What is said where somebody who plays alone types a command of the program.
pub const ELSEWHERE: &str = "`rules` and `moves` do here what they say; `quit` ends the session, and then commands of the program may be typed\n";

/// Says why an entry is refused. The text is what was judged.
pub fn refuse(stop: &Stop, text: &str) {
    let index = LineIndex::new(text.as_bytes());
    errln!("{}", diagnostic::excerpt(stop.diagnostic(), &index, "your entry", &[], Some(hints::columns())));
}

/// Shows a rule, or all rules of the game.
pub fn show_rules(game: &str, rule: &str) {
    let wanted = if rule.is_empty() { game } else { rule };
    if let Err(failure) = rules::run(&rules::Args::of(wanted)) {
        err!("{failure}");
    }
}
