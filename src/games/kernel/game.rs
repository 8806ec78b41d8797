//! The contract of a game.

use std::fmt;

use super::{Claim, Facts, Keeper, Lost, OptionSpec, Options, Outcome, Rule, Samples, Seeded, Side, SideName, Turn};
use crate::notation::Misfit;
use crate::scene::Scene;
use crate::text::{Node, Span};

/// What is known of a game before any record of it is read.
pub struct Info {
    /// The name in the header's `game` field and on the command line.
    pub name: &'static str,
    /// The name as players write it.
    pub title: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// The words for the two sides.
    pub sides: [SideName; 2],
    /// The edition of the rulebook that this program rules by (header field `rules`).
    pub edition: u64,
    /// The named rule options.
    pub options: &'static [OptionSpec],
    /// The options that a new sealed record has where nobody says otherwise, each with its value: what older records do without, and
    /// so cannot be the default.
    pub sealed_options: &'static [(&'static str, &'static str)],
    /// The rules that a verdict can name, in the rulebook's order.
    pub rules: &'static [Rule],
    /// The rulebook, Markdown.
    pub rulebook: &'static str,
    /// Whether the game has hidden or random parts, so that `secrecy: sealed` means something in it.
    pub sealable: bool,
    /// Whether turns are too long to be listed whole: what is listed are then single actions, one after another
    /// ([`Game::next`]).
    pub stepwise: bool,
    /// The fields that the header of a record has in this game alone, beside those of every game.
    pub header: &'static [HeaderField],
    /// What tests and fuzzers need to know of it.
    pub samples: Samples,
}

impl fmt::Debug for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Info").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Info {
    /// The side of this word.
    #[must_use]
    pub fn side(&self, word: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.sides[side.index()].word == word)
    }

    /// The header's field of this name that the game declares for itself.
    #[must_use]
    pub fn header_field(&self, name: &str) -> Option<&'static HeaderField> {
        self.header.iter().find(|field| field.name == name)
    }
}

/// A field of the header that one game declares for itself: the cards to be played with, how the board is laid out. The record's
/// reader finds it and its faults without knowing what it means; the game gets it in its [`Start`].
#[derive(Clone, Copy, Debug)]
pub struct HeaderField {
    /// The field's name, which no other field of the header has.
    pub name: &'static str,
    /// Finds the faults of a value, whatever else the header says. It is given the place of the field's name and the value, and
    /// calls its last argument with each fault and its place.
    pub check: fn(Span, &Node<'_>, &mut dyn FnMut(Span, String)),
}

/// A value that a header gives to one of the game's own fields; it was found without fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameField<'a> {
    /// The field's name.
    pub name: &'static str,
    /// The value, with places in the header.
    pub value: Node<'a>,
}

/// What a header says of how the game begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The options chosen.
    pub options: &'a Options,
    /// The position to begin from, instead of the ordinary start.
    pub setup: Option<&'a str>,
    /// Whether the position was typed and stands in no record yet: it may then be spelled in more ways than its one.
    pub typed: bool,
    /// Whether the record is sealed (`secrecy: sealed`).
    pub sealed: bool,
    /// The game's own fields that the header has, in their order there.
    pub fields: &'a [GameField<'a>],
}

impl<'a> Start<'a> {
    /// The start of a game of open play.
    #[must_use]
    pub const fn open(options: &'a Options, setup: Option<&'a str>) -> Self {
        Self { options, setup, typed: false, sealed: false, fields: &[] }
    }

    /// The start of a game of sealed play.
    #[must_use]
    pub const fn sealed(options: &'a Options, setup: Option<&'a str>) -> Self {
        Self { sealed: true, ..Self::open(options, setup) }
    }

    /// Returns the value of one of the game's own fields, if the header has it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'a Node<'a>> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.value)
    }
}

/// Seals that hold certain payloads between them, whichever holds which: a shuffled deck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// What they are, for a person.
    pub what: String,
    /// Their labels.
    pub labels: Vec<String>,
    /// What they hold all together, each as often as it is there, sorted by bytes.
    pub payloads: Vec<String>,
    /// Where their order follows from a seed (Z25): which, and the payloads in the order in which they lay before it.
    pub seeded: Option<(Seeded, Vec<String>)>,
}

/// What may come after the beginning of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Next {
    /// The actions of which one may come next, canonical or, where many differ only in what is sealed or thrown, in brief.
    pub actions: Vec<String>,
    /// Whether the entry may end here.
    pub whole: bool,
}

/// Who looks. There is no default on purpose: what a side may see is decided wherever something is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Anyone: only what the table shows.
    Public,
    /// A player: what the table shows and the own secrets.
    Side(Side),
    /// Someone who may see all, for finished games.
    Omniscient,
}

/// The entry that a running game waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Whose it is.
    pub side: Side,
    /// What is due, for a person: `a move`, `the placement of both defenders`.
    pub what: &'static str,
}

/// What the referee has to know of an entry that was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Whether the entry was a forced answer, which lets a standing offer stand (E5).
    pub forced: bool,
    /// The steps that it took beyond [`Game::STEPS`] an action: what grows with a position that may be of any size.
    pub steps: u32,
}

/// Why an entry is illegal. It knows parts, not places: the referee adds where the part stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// The rule broken.
    pub rule: Rule,
    /// Which of the game's actions of the entry is at fault, from 0; none where it is the entry as a whole.
    pub part: Option<usize>,
    /// What is wrong, in the player's words: lower case, no final stop, without the action itself.
    pub message: String,
    /// What would be legal instead, if it can be said.
    pub help: Option<String>,
}

impl Illegal {
    /// An illegal action: the rule it breaks, which part it is, and why.
    #[must_use]
    pub fn new(rule: Rule, part: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        Self { rule, part: part.into(), message: message.into(), help: None }
    }

    /// The same with a word on what would be legal.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Why what a player typed was not made into an entry with all its seals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// The entry is illegal, whatever the seals.
    Illegal(Illegal),
    /// The secret that it needs is not at hand.
    Lost(Lost),
}

impl From<Lost> for Incomplete {
    fn from(lost: Lost) -> Self {
        Incomplete::Lost(lost)
    }
}

/// Why a game cannot start from what a header says, beside unknown options: malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupFault {
    /// An option whose value needs something else in the header.
    Needs {
        /// The option's name.
        option: &'static str,
        /// What it needs, as it is written.
        needs: &'static str,
    },
    /// The position text; where in it and what was expected.
    Position(Misfit),
    /// An option that may not stand beside a position: it says how the ordinary start looks.
    Beside {
        /// The option's name.
        option: &'static str,
    },
}

/// A list of legal entries, each a row of actions, in one block of memory.
#[derive(Clone, Debug)]
pub struct Moves<A> {
    actions: Vec<A>,
    ends: Vec<usize>,
}

impl<A> Default for Moves<A> {
    fn default() -> Self {
        Self { actions: Vec::new(), ends: Vec::new() }
    }
}

impl<A> Moves<A> {
    /// Adds an entry.
    pub fn push(&mut self, entry: impl IntoIterator<Item = A>) {
        self.actions.extend(entry);
        self.ends.push(self.actions.len());
    }

    /// Returns how many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the entries, each as its actions.
    pub fn iter(&self) -> impl Iterator<Item = &[A]> {
        self.ends.iter().enumerate().map(|(index, &end)| {
            let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.actions[start..end]
        })
    }

    /// Empties the list, keeping its memory.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.ends.clear();
    }
}

/// A game in progress. The value is the whole state: the position, the options it is played under, and whatever the rules
/// need to remember of the past.
///
/// Three things are apart on purpose. Reading ([`Game::read_action`]) needs no position, so a fault of grammar is never a
/// fault of rules. Judging ([`Game::play`]) says which rule an action breaks. Generating ([`Game::moves`]) lists what is
/// legal and is written independently of judging; tests hold the two to each other.
pub trait Game: Clone + Send + Sized + 'static {
    /// What is known of the game before any record is read.
    const INFO: &'static Info;

    /// An action of an entry as it is written, without any knowledge of the position.
    type Action: Clone + PartialEq + std::fmt::Debug;

    /// What judging an ordinary action takes, in steps of about a hundred instructions: counted against the work that is spent on a
    /// record.
    const STEPS: u32;

    /// Sets the game up: the ordinary start, or the position that the header gives.
    ///
    /// # Errors
    /// When the position does not read as one, or an option may not stand beside it or in a record of this kind.
    fn start(start: &Start<'_>) -> Result<Self, SetupFault>;

    /// Returns the position line: the one spelling of the position, as in the header's `setup`.
    fn position(&self) -> String;

    /// Returns what is due; of a game that is over, the side that would be next.
    fn due(&self) -> Due;

    /// Returns whose entry is due, without words.
    fn side_due(&self) -> Side {
        self.due().side
    }

    /// Returns how the game has ended by its own rules, if it has.
    fn outcome(&self) -> Option<Outcome>;

    /// Reads one action of an entry.
    ///
    /// # Errors
    /// Where the text does not fit the game's grammar, and what was expected there.
    fn read_action(text: &str) -> Result<Self::Action, Misfit>;

    /// Reads one action as a player types it, once [`Game::lenient`] has mended it: what a record may hold, and what
    /// [`Game::complete`] makes that of.
    ///
    /// # Errors
    /// As [`Game::read_action`].
    fn read_typed(text: &str) -> Result<Self::Action, Misfit> {
        Self::read_action(text)
    }

    /// Writes one action as it is spelled in a record.
    fn write_action(action: &Self::Action, out: &mut String);

    /// Judges the game's own actions of one entry of the side that is due and, if they are legal, plays them.
    ///
    /// # Errors
    /// The rule broken. The state is then as it was.
    fn play(&mut self, actions: &[Self::Action]) -> Result<Played, Illegal>;

    /// Plays an entry that is known to be legal, such as one that [`Game::moves`] lists, without judging it again. What
    /// another entry does to the state is not said; it does not panic.
    fn apply(&mut self, actions: &[Self::Action]) {
        // A legal entry is never refused.
        let _ = self.play(actions);
    }

    /// Judges a claim of the side that is due and returns the end that it brings; the state does not change.
    ///
    /// # Errors
    /// The rule by which the claim is refused.
    fn claim(&self, claim: Claim) -> Result<Outcome, Illegal>;

    /// Returns the canonical actions of an entry that is legal in this state: what may be left out or shortened on input
    /// is written in full.
    fn canonical(&self, actions: &[Self::Action]) -> Vec<Self::Action>;

    /// Adds every legal entry in its canonical spelling, in any order; nothing when the game is over. Offers, resignations
    /// and claims of the envelope are not listed. In a game that is listed stepwise it is every action with which an entry
    /// may begin, each as a row of one.
    fn moves(&self, out: &mut Moves<Self::Action>);

    /// Returns how many legal entries there are: the length of the list, for games that can count without writing it.
    fn count(&self) -> usize {
        let mut moves = Moves::default();
        self.moves(&mut moves);
        moves.len()
    }

    /// Returns what may come after the beginning of an entry of the side that is due: of nothing begun, every action with
    /// which an entry may begin.
    ///
    /// # Errors
    /// The rule that the beginning breaks.
    fn next(&self, begun: &[Self::Action], facts: &mut dyn Facts) -> Result<Next, Illegal> {
        let mut moves = Moves::default();
        self.moves(&mut moves);
        let mut next = Next::default();
        for entry in moves.iter() {
            match entry.strip_prefix(begun) {
                Some([]) => next.whole = true,
                Some([action, ..]) => {
                    let mut text = String::new();
                    Self::write_action(action, &mut text);
                    next.actions.push(text);
                }
                None => {}
            }
        }
        if next == Next::default() && self.outcome().is_none() {
            // A beginning of no listed entry is refused, or says in short what is listed in full.
            self.clone().play_turn(Turn { actions: begun, offers: false, facts })?;
            next.whole = true;
        }
        next.actions.sort_unstable();
        next.actions.dedup();
        Ok(next)
    }

    /// Counts the sequences of `depth` legal entries; in a game that is listed stepwise, of single actions.
    fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.count() as u64,
            _ => {
                let mut moves = Moves::default();
                self.moves(&mut moves);
                moves.iter().map(|entry| self.after(entry).perft(depth - 1)).sum()
            }
        }
    }

    /// Counts the sequences of `depth` legal entries, for each first entry apart, in any order.
    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let Some(deeper) = depth.checked_sub(1) else { return Vec::new() };
        let mut moves = Moves::default();
        self.moves(&mut moves);
        moves.iter().map(|entry| (write_entry::<Self>(entry), self.after(entry).perft(deeper))).collect()
    }

    /// Returns the game after an entry that is known to be legal.
    #[must_use]
    fn after(&self, actions: &[Self::Action]) -> Self {
        let mut next = self.clone();
        next.apply(actions);
        next
    }

    /// Returns what whoever begins a game that stands like this one should know of its rules, in a sentence or two: something that
    /// the options could have settled otherwise and that nobody expects. `new` says it.
    fn notice(&self) -> Option<&'static str> {
        None
    }

    /// Returns what a viewer is to be shown.
    fn view(&self, viewer: Viewer) -> Scene;

    /// Returns what a viewer is to be shown with something marked that the game can point out on request (in assideum the
    /// flight zone of the Portal on a square, `c1`); nothing where it cannot.
    fn marked(&self, viewer: Viewer, what: &str) -> Option<Scene> {
        let _ = (viewer, what);
        None
    }

    /// Returns what a player typed with harmless slips mended (letter case, look-alike signs), before it is read. A record
    /// is never read through this. Of a word that says no more than that what is forced is to be entered, nothing is left.
    fn lenient(text: &str) -> String {
        text.to_owned()
    }

    // What follows is for games with hidden or random parts (`sealable` in [`Info`]); the others have it as it is.

    /// Judges and plays an entry as [`Game::play`] does, which is this with facts that know nothing.
    ///
    /// # Errors
    /// The rule broken. The state is then as it was.
    fn play_turn(&mut self, turn: Turn<'_, Self::Action>) -> Result<Played, Illegal> {
        self.play(turn.actions)
    }

    /// Whether [`Game::replay_turn`] leaves the state of no use when it refuses an entry.
    const SPOILS: bool = false;

    /// Judges and plays an entry as [`Game::play_turn`] does, where nobody goes on from here after a refusal. A game of which an
    /// entry is many actions, played one after another, need not copy itself first.
    ///
    /// # Errors
    /// The rule broken. The state is of no use then if the game [spoils](Game::SPOILS) it.
    fn replay_turn(&mut self, turn: Turn<'_, Self::Action>) -> Result<Played, Illegal> {
        self.play_turn(turn)
    }

    /// Adds the legal entries as a person is to be shown them, in any order: entries that differ only in what is thrown,
    /// sealed or set up at will stand once, in brief.
    fn list(&self, out: &mut Vec<String>) {
        let mut moves = Moves::default();
        self.moves(&mut moves);
        out.extend(moves.iter().map(write_entry::<Self>));
    }

    /// Adds the seals, salts and openings that a sealed record needs to what a player typed, leaving those that are there.
    /// Of nothing typed it makes what is forced: an entry, or the part with which the entry must begin. What was typed may be
    /// the beginning of an entry only.
    ///
    /// # Errors
    /// When the entry is illegal whatever its seals, or the secret that it needs is not at hand.
    fn complete(&self, typed: &[Self::Action], keeper: &mut dyn Keeper) -> Result<Vec<Self::Action>, Incomplete> {
        let _ = keeper;
        Ok(typed.to_vec())
    }

    /// Tells the state what a side's secret tells: its hidden pieces, its hand. Only the view of that side, lists and
    /// [`Game::complete`] look at it; judging and the position line never do.
    ///
    /// # Errors
    /// When the secret is not at hand, or is not the one by which that was sealed.
    fn reveal_to_owner(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        let _ = (side, keeper);
        Ok(())
    }

    /// Plays the openings with which an entry begins and no more, so that their owner can see what follows from them before
    /// choosing the rest; nothing where no opening is due.
    fn after_opening(&self, turn: Turn<'_, Self::Action>) -> Option<Self> {
        let _ = turn;
        None
    }

    /// Returns what some of a side's seals must hold together, for an audit with the side's secret.
    fn holdings(&self, side: Side) -> Vec<Holding> {
        let _ = side;
        Vec::new()
    }

    /// Calls `each` with every payload that `side` may have sealed under a label, until that returns true.
    fn payloads(&self, side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool) {
        let _ = (side, label, each);
    }
}

/// Writes the actions of an entry as they stand in a record.
#[must_use]
pub fn write_entry<G: Game>(actions: &[G::Action]) -> String {
    let mut text = String::new();
    for action in actions {
        if !text.is_empty() {
            text.push_str("; ");
        }
        G::write_action(action, &mut text);
    }
    text
}
