//! Quiet play, for which a draw may be claimed.

use super::Outcome;

/// How long nothing has happened that brings a game to its end, and how long that may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// The entries or turns since something happened.
    pub passed: u32,
    /// After how many a draw may be claimed; `None` in a game without such claims.
    pub needed: Option<u32>,
}

/// Why a claim of quiet play is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotQuiet {
    /// There are no such claims in this game.
    Never,
    /// Not enough have passed yet: as many as this.
    Before(u32),
}

impl Quiet {
    /// Starts with nothing passed.
    #[must_use]
    pub const fn of(needed: Option<u32>) -> Self {
        Self { passed: 0, needed }
    }

    /// Counts an entry or a turn, in which something happened or not.
    pub const fn count(&mut self, happened: bool) {
        self.passed = if happened { 0 } else { self.passed.saturating_add(1) };
    }

    /// Judges a claim.
    ///
    /// # Errors
    /// Why it is refused.
    pub const fn claim(self) -> Result<Outcome, NotQuiet> {
        match self.needed {
            None => Err(NotQuiet::Never),
            Some(needed) if self.passed < needed => Err(NotQuiet::Before(needed)),
            Some(_) => Ok(Outcome::Draw("quiet")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_claimed_after_enough_quiet_turns_in_a_row() {
        let mut quiet = Quiet::of(Some(2));
        for (happened, claim) in [
            (false, Err(NotQuiet::Before(2))),
            (true, Err(NotQuiet::Before(2))),
            (false, Err(NotQuiet::Before(2))),
            (false, Ok(Outcome::Draw("quiet"))),
            (false, Ok(Outcome::Draw("quiet"))),
            (true, Err(NotQuiet::Before(2))),
        ] {
            quiet.count(happened);
            assert_eq!(quiet.claim(), claim, "{quiet:?}");
        }
        assert_eq!(Quiet { passed: 9, needed: None }.claim(), Err(NotQuiet::Never));
    }
}
