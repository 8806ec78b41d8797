//! A record and its referee in one value: all that another program needs to verify records, list moves and make them.

use crate::judging::{Beside, Judged, Standing, Stop};
use crate::record::{Item, Time};
use crate::verdict::{Opened, Ruling, Verdict, append, verify};
use crate::{registry, rulebook};
use postrider_kernel::scene::Scene;
use postrider_kernel::{Info, Next, Viewer};

/// A record that was replayed as far as it is legal: its verdict, and the game at that point.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let record = std::fs::read("../../examples/asalto/fifteen-captures.pbem")?;
/// let referee = postrider_referee::open(&record)?;
/// assert_eq!(referee.verdict().ruling.word(), "legal");
/// # Ok(())
/// # }
/// ```
pub struct Referee<'a> {
    opened: Opened<'a>,
    verdict: Verdict,
}

/// An entry of a record, as it stands there. Actions and message are what strangers wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// Its number; the first entry has 1.
    pub number: u32,
    /// The name of the side that made it, such as `besiegers`.
    pub side: &'static str,
    /// Its actions, as the record has them.
    pub actions: &'a str,
    /// Its time, if it has one.
    pub time: Option<Time>,
    /// The message that goes with it, without its braces.
    pub message: Option<&'a str>,
}

/// Opens a record and replays it.
///
/// # Errors
/// The verdict, if nothing of the record can be replayed: its header or its lines are malformed, or this program does
/// not know its format, game or edition. A record that breaks a rule is opened as far as it is legal; its
/// [`Referee::verdict`] says why it stops there.
pub fn open(source: &[u8]) -> Result<Referee<'_>, Box<Verdict>> {
    let mut opened = Opened::new(source)?;
    let verdict = opened.replay(u32::MAX);
    // A fault within an entry leaves a legal beginning to replay; a fault elsewhere does not.
    if verdict.ruling == Ruling::Malformed && verdict.errors.iter().all(|error| error.entry.is_none()) {
        return Err(Box::new(verdict));
    }
    Ok(Referee { opened, verdict })
}

/// Opens a record as it was after an entry, and replays it up to there; 0 is before the first. `None` if it has no such entry that is legal.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let record = std::fs::read("../../examples/asalto/fifteen-captures.pbem")?;
/// let referee = postrider_referee::open_at(&record, 1)?.ok_or("no such entry")?;
/// assert_eq!((referee.due(), referee.result()), (Some("besiegers"), None));
/// assert!(referee.moves().contains(&"c4-c5".to_owned()));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`open`].
pub fn open_at(source: &[u8], at: u32) -> Result<Option<Referee<'_>>, Box<Verdict>> {
    let referee = open(until(source, at)?)?;
    Ok((referee.standing().entries == at).then_some(referee))
}

/// Returns the record as it was after an entry, which is its beginning: all of it if it has no more entries than that. Nothing is judged.
///
/// # Errors
/// The verdict, if its header is malformed or of an unknown game.
pub fn until(source: &[u8], at: u32) -> Result<&[u8], Box<Verdict>> {
    let mut body = Opened::new(source)?.body();
    let mut passed = 0;
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        if passed == at {
            return Ok(source.get(..entry.span.start as usize).unwrap_or(source));
        }
        passed += 1;
    }
    Ok(source)
}

/// Returns what there is to know of a game by its name: its title, its sides, its options.
///
/// ```
/// assert_eq!(postrider_referee::game("asalto").map(|game| game.sides[0].word), Some("besiegers"));
/// assert!(postrider_referee::game("chess").is_none());
/// ```
#[must_use]
pub fn game(name: &str) -> Option<&'static Info> {
    registry::find(name).map(registry::AnyGame::info)
}

/// Returns the text of a rule, in Markdown: by the name of a game and the number that a refusal in it gives, such as `T21`, also where that is a
/// rule that all games share (`E3`, `Z3`). Those have rulebooks of their own too: `record`, `sealing`. Letter case does not matter. The
/// rules of sealing (`Z3`), and pages without rules, are there with the feature `rulebooks` only.
///
/// ```
/// let text = postrider_referee::rule("asalto", "T21").unwrap_or_default();
/// assert!(text.starts_with("### T21 never backwards"));
/// ```
#[must_use]
pub fn rule(book: &str, number: &str) -> Option<String> {
    rulebook::rule(book, number)
}

impl<'a> Referee<'a> {
    /// Returns the verdict on the whole record.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Returns the game that is played, as [`game`] does by its name.
    #[must_use]
    pub fn game(&self) -> &'static Info {
        self.opened.header.info
    }

    /// Returns the id of this game, which its header gives.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.opened.header.id
    }

    /// Returns the names of the players, in the order of the sides. They are what strangers wrote.
    #[must_use]
    pub fn players(&self) -> [&str; 2] {
        self.opened.header.players.each_ref().map(|player| &*player.name)
    }

    /// Returns the record: its text, its header, and the table after the last legal entry.
    #[doc(hidden)]
    #[must_use]
    pub fn record(&self) -> &Opened<'a> {
        &self.opened
    }

    /// Returns the entries up to where the record is legal, in their order.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let record = std::fs::read("../../examples/asalto/open-game.pbem")?;
    /// let referee = postrider_referee::open(&record)?;
    /// let second = referee.entries().nth(1).ok_or("no such entry")?;
    /// assert_eq!((second.number, second.side, second.actions), (2, "besiegers", "c4-c5"));
    /// assert_eq!((second.time.map(|time| time.to_string()).as_deref(), second.message), (Some("2026-10-22T08:02:11Z"), Some("the gate!")));
    /// # Ok(())
    /// # }
    /// ```
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let text = self.opened.text;
        let sides = &self.opened.header.info.sides;
        let mut body = self.opened.body();
        let entries = std::iter::from_fn(move || {
            loop {
                if let Item::Entry(entry) = body.next_item()? {
                    return Some(entry);
                }
            }
        });
        (1..=self.standing().entries).zip(entries).map(move |(number, entry)| Entry {
            number,
            side: sides[entry.side.index()].word,
            actions: entry.actions.text(text),
            time: entry.time,
            message: entry.message.map(|message| message.text(text)),
        })
    }

    /// Returns the state of the game: the side that is due, the result, offers, and the clocks.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.opened.table.standing()
    }

    /// Returns the name of the side whose entry is due; `None` if the game is over.
    #[must_use]
    pub fn due(&self) -> Option<&'static str> {
        let standing = self.standing();
        let side = self.opened.header.info.sides.get(standing.due.side.index())?;
        standing.outcome.is_none().then_some(side.word)
    }

    /// Returns how the game ended, as the result line says it.
    #[must_use]
    pub fn result(&self) -> Option<String> {
        self.standing().outcome.map(|outcome| outcome.text(&self.opened.header.info.sides))
    }

    /// Returns the position line.
    #[must_use]
    pub fn position(&self) -> String {
        self.opened.table.position()
    }

    /// Returns what a viewer may see, as data.
    #[must_use]
    pub fn scene(&self, viewer: Viewer) -> Scene {
        self.opened.table.view(viewer)
    }

    /// Describes in words what a viewer may see, one line per thing.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use postrider_referee::Viewer;
    ///
    /// let record = std::fs::read("../../examples/asalto/fifteen-captures.pbem")?;
    /// let referee = postrider_referee::open(&record)?;
    /// assert!(referee.words(Viewer::Public).contains("besieger"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn words(&self, viewer: Viewer) -> String {
        self.scene(viewer).words()
    }

    /// Returns every legal entry in canonical form, sorted. In games with turns too long to list, it returns the
    /// actions that an entry may begin with. Offers, resignations and claims are not listed.
    #[must_use]
    pub fn moves(&self) -> Vec<String> {
        self.opened.table.moves()
    }

    /// Returns what may follow the beginning of an entry; `begun` may be empty.
    ///
    /// # Errors
    /// If the beginning cannot be read or breaks a rule; the place is relative to `begun`.
    pub fn next(&self, begun: &str) -> Result<Next, Stop> {
        self.opened.table.read(begun)?.next()
    }

    /// Judges the actions of an entry, as a player types them, as the next entry. The record itself does not change. If entries have
    /// times and `beside` has none, the entry gets the earliest time that it may have (E3): that of the entry before it, or the
    /// beginning of the day on which the game began. No clock is read.
    ///
    /// # Errors
    /// Why the entry is refused: the rule it breaks, or where it does not fit the grammar. The place is relative to
    /// `typed`.
    pub fn judge(&self, typed: &str, beside: &Beside<'_>) -> Result<Judged, Stop> {
        let time = beside.time.or_else(|| self.earliest());
        self.opened.table.read(typed)?.judge(&Beside { time, ..*beside })
    }

    /// The earliest time of the next entry; `None` if it needs none.
    fn earliest(&self) -> Option<Time> {
        let standing = self.standing();
        let header = &self.opened.header;
        if !standing.timed.unwrap_or(header.clock.is_some()) {
            return None;
        }
        standing.last.or_else(|| Some(Time(header.started.and_hms_opt(0, 0, 0)?.and_utc().timestamp())))
    }

    /// Returns the record with an entry that was judged here added at its end, and with a result line if that entry
    /// ends the game.
    ///
    /// # Errors
    /// The verdict on the resulting record, if it is not legal: because this record is not, or because the entry would
    /// have to be signed (Z32).
    pub fn append(&self, entry: &Judged) -> Result<Vec<u8>, Box<Verdict>> {
        let mut record = self.opened.text.as_bytes().to_vec();
        append(&mut record, &self.opened.header.info.sides, entry.table.as_ref(), &entry.line, "");
        let verdict = verify(&record);
        let is_whole = verdict.ruling == Ruling::Legal && verdict.entries == entry.number;
        if is_whole { Ok(record) } else { Err(Box::new(verdict)) }
    }
}
