//! A record and its referee in one value: what another program needs to verify records, list moves and make them.

use crate::games::kernel::{Next, Viewer};
use crate::referee::{Beside, Judged, Standing, Stop};
use crate::verdict::{Opened, Ruling, Verdict, appended, verify};

/// A record that was replayed as far as it is legal: its verdict, and the game as it then stands.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let record = std::fs::read("examples/asalto/fifteen-captures.pbem")?;
/// let referee = postrider::open(&record)?;
/// assert_eq!(referee.verdict().ruling.word(), "legal");
/// # Ok(())
/// # }
/// ```
pub struct Referee<'a> {
    opened: Opened<'a>,
    verdict: Verdict,
}

/// Opens a record and replays it.
///
/// # Errors
/// The verdict on a record of which nothing can be replayed: its header or its lines are malformed, or this program does not know its
/// format, game or edition. A record that breaks a rule is opened, as far as it is legal; its [`Referee::verdict`] says why no further.
pub fn open(source: &[u8]) -> Result<Referee<'_>, Box<Verdict>> {
    let mut opened = Opened::new(source)?;
    let verdict = opened.replay(u32::MAX);
    // A fault within an entry leaves a legal beginning; these leave none.
    if verdict.ruling == Ruling::Malformed && verdict.errors.iter().all(|error| error.entry.is_none()) {
        return Err(Box::new(verdict));
    }
    Ok(Referee { opened, verdict })
}

impl<'a> Referee<'a> {
    /// Returns the verdict on the whole record.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Returns the record: its text, its header, and the table at the end of what is legal.
    #[must_use]
    pub fn record(&self) -> &Opened<'a> {
        &self.opened
    }

    /// Returns how the game stands: whose entry is due, how it has ended, what is offered, the clocks.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.opened.table.standing()
    }

    /// Returns the position line.
    #[must_use]
    pub fn position(&self) -> String {
        self.opened.table.position()
    }

    /// Says in words what a viewer is to be shown, a line for each thing.
    #[must_use]
    pub fn words(&self, viewer: Viewer) -> String {
        self.opened.table.view(viewer).words()
    }

    /// Returns every legal entry in canonical spelling, sorted; in games whose turns are too long to be listed whole, the actions with
    /// which an entry may begin. Offers, resignations and claims are not listed.
    #[must_use]
    pub fn moves(&self) -> Vec<String> {
        self.opened.table.moves()
    }

    /// Returns what may come after the beginning of an entry, which may be empty.
    ///
    /// # Errors
    /// When the beginning cannot be read, or breaks a rule; the place is one in `begun`.
    pub fn next(&self, begun: &str) -> Result<Next, Stop> {
        self.opened.table.read(begun)?.next()
    }

    /// Judges the actions of an entry, as a player types them, as the next one. Nothing changes here by it.
    ///
    /// # Errors
    /// Why it is refused: the rule it breaks, or where it fits no grammar; the place is one in `typed`.
    pub fn judge(&self, typed: &str, beside: &Beside<'_>) -> Result<Judged, Stop> {
        self.opened.table.read(typed)?.judge(beside)
    }

    /// Returns the record with an entry that was judged here at its end, and its result line if the game is over by it.
    ///
    /// # Errors
    /// The verdict on that record, where it is not legal: this one is not, or the entry would have to be signed (Z32).
    pub fn append(&self, entry: &Judged) -> Result<Vec<u8>, Box<Verdict>> {
        let record = appended(&self.opened, entry.table.as_ref(), &entry.line, "");
        let verdict = verify(&record);
        let is_whole = verdict.ruling == Ruling::Legal && verdict.entries == entry.number;
        if is_whole { Ok(record) } else { Err(Box::new(verdict)) }
    }
}
