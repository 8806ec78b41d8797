//! What is said to somebody who names no command, or has no game yet.

/// How one begins, a command a line.
macro_rules! to_begin {
    ($indent:literal) => {
        concat!(
            "postrider learn asalto     learn a game in short lessons\n",
            $indent,
            "postrider practice asalto  play against the machine\n",
            $indent,
            "postrider setup            say who you are, and how your mail goes\n",
            $indent,
            "postrider invite 'Bram Post <bram@example.net>' asalto\n",
        )
    };
}

/// What `postrider` says alone.
pub(super) const BARE: &str = concat!(
    "postrider is a referee for board games that two people play by email.\n\n",
    "Every day  postrider play             fetch mail, see the board, type moves\n",
    "           postrider status           your games: who is due, and until when\n",
    "To begin   ",
    to_begin!("           "),
    "More       postrider games            the games, and each in a minute\n",
    "           postrider rules            the rulebooks\n",
    "           postrider --help           all commands\n",
);

/// What is said where there are no games yet.
pub const NO_GAMES: &str = concat!("To begin:\n  ", to_begin!("  "));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_first_is_a_dozen_lines_that_fit_a_terminal() {
        assert!((9..=12).contains(&BARE.lines().count()), "{BARE}");
        assert!(BARE.lines().chain(NO_GAMES.lines()).all(|line| line.chars().count() <= 80), "{BARE}");
    }
}
