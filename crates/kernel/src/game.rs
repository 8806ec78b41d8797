//! The interface of a game.

use std::borrow::Cow;
use std::fmt;

use super::{
    Claim, Facts, Keeper, Lost, NoFacts, OptionSpec, Options, Outcome, Root, Rule, Samples, Seeded, Side, SideName,
    Turn,
};
use crate::notation::Misfit;
use crate::scene::{Blow, Scene};
use crate::text::{Node, Span};

/// What is known about a game before any record is read.
pub struct Info {
    /// The name in the header's `game` field and on the command line.
    pub name: &'static str,
    /// The name as players write it.
    pub title: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// The names of the two sides.
    pub sides: [SideName; 2],
    /// The edition of the rulebook that this program follows (header field `rules`).
    pub edition: u64,
    /// The named rule options.
    pub options: &'static [OptionSpec],
    /// The options, with values, that a new sealed record gets unless the player says otherwise. Older records do
    /// without them, so these values cannot be defaults.
    pub sealed_options: &'static [(&'static str, &'static str)],
    /// The rules that a verdict can name, in the order of the rulebook.
    pub rules: &'static [Rule],
    /// The rulebook, in Markdown.
    pub rulebook: &'static str,
    /// The lessons that teach the game, in YAML.
    pub lessons: &'static str,
    /// Whether the game has hidden or random parts, so that `secrecy: sealed` has a meaning.
    pub sealable: bool,
    /// Whether turns are too long to be listed whole; single actions are listed instead, one after another
    /// ([`Game::next`]).
    pub stepwise: bool,
    /// Whether the rulebook names an offer of a draw that comes too early (E5) only after the game's own rules.
    pub early_offers_last: bool,
    /// The header fields of this game only, in addition to those of every game.
    pub header: &'static [HeaderField],
    /// What tests and fuzzers need to know about it.
    pub samples: Samples,
}

impl fmt::Debug for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Info").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Info {
    /// Returns the side with this name.
    #[must_use]
    pub fn side(&self, word: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.sides[side.index()].word == word)
    }

    /// Returns the game's own header field with this name.
    #[must_use]
    pub fn header_field(&self, name: &str) -> Option<&'static HeaderField> {
        self.header.iter().find(|field| field.name == name)
    }
}

/// A header field that one game declares for itself: the cards to play with, the layout of the board. The reader of
/// records finds it and reports its faults without knowing what it means; the game gets it in its [`Start`].
#[derive(Clone, Copy, Debug)]
pub struct HeaderField {
    /// The name of the field, which no other header field has.
    pub name: &'static str,
    /// Finds the faults of a value, independently of the rest of the header. It gets the place of the field's name and
    /// the value, and calls its last argument with each fault and its place.
    pub check: fn(Span, &Node<'_>, &mut dyn FnMut(Span, String)),
}

/// A value that a header gives to one of the game's own fields, without faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameField<'a> {
    /// The field's name.
    pub name: &'static str,
    /// The value, with places in the header.
    pub value: Node<'a>,
}

/// What a header says about how the game begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The options chosen.
    pub options: &'a Options,
    /// The position to begin from, instead of the normal start.
    pub setup: Option<&'a str>,
    /// Whether the position was typed and is not yet in a record, so that it may be spelled in other than the canonical
    /// way.
    pub typed: bool,
    /// Whether the record is sealed (`secrecy: sealed`).
    pub sealed: bool,
    /// The game's own fields in the header, in order.
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

    /// Returns the value of one of the game's own fields, if the header contains it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'a Node<'a>> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.value)
    }
}

/// Seals that together contain certain payloads, in any order: a shuffled deck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// What they are, in words.
    pub what: String,
    /// Their labels.
    pub labels: Vec<String>,
    /// What they contain together, with repetitions, sorted by bytes.
    pub payloads: Vec<String>,
    /// The payloads in the order before shuffling, from which a seed makes the deck (Z25).
    pub laid: Vec<String>,
    /// If they are not sealed yet and known by the roots of several decks only (Z26): each deck and its root. There are then no labels.
    pub roots: Vec<(Seeded, Root)>,
}

/// What may follow the beginning of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Next {
    /// The actions that may come next, in canonical spelling, or abbreviated if many differ only in what is sealed or
    /// thrown.
    pub actions: Vec<String>,
    /// Whether the entry may end here.
    pub whole: bool,
    /// How many more actions may come next than are listed, because points can be split in so many ways.
    pub left_out: u64,
}

/// The viewer. There is deliberately no default: what a side may see is decided wherever something is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Anyone: only what is visible to all.
    Public,
    /// A player: what is visible to all and the player's own secrets.
    Side(Side),
    /// Someone who may see everything, for finished games.
    Omniscient,
}

/// The entry that a game in progress is waiting for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The side that has to make it.
    pub side: Side,
    /// What is due, in words: `a move`, `the placement of both defenders`.
    pub what: &'static str,
    /// The same, as told to the player: `move a besieger`, `put both defenders into the fortress`.
    pub task: &'static str,
    /// What the side must show now of the things it sealed, without any choice: `an opening`, `a reveal`, `seeds`.
    pub shows: Option<&'static str>,
}

/// What the referee must know about a played entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Whether the entry was a forced answer, after which a draw offer remains open (E5).
    pub forced: bool,
    /// The steps that it took in addition to [`Game::STEPS`] per action: what grows with the size of a position.
    pub steps: u32,
}

/// Why an entry is illegal. It knows the part at fault but not its place; the referee adds where the part is in the
/// text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}: {message}{}", help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
pub struct Illegal {
    /// The rule broken.
    pub rule: Rule,
    /// Which of the game's actions in the entry is at fault, from 0; `None` if it is the entry as a whole.
    pub part: Option<usize>,
    /// What is wrong, in words for the player: in lower case, without a final full stop or the action itself.
    pub message: String,
    /// What would be legal instead, if known.
    pub help: Option<String>,
}

impl Illegal {
    /// Makes the refusal of an action: the rule it breaks, which part it is, and why.
    #[must_use]
    pub fn new(rule: Rule, part: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        Self { rule, part: part.into(), message: message.into(), help: None }
    }

    /// Adds what would be legal.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Why no entry with all its seals could be made from what a player typed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incomplete {
    /// The entry is illegal with any seals.
    #[error(transparent)]
    Illegal(Illegal),
    /// The secret that it needs is not available.
    #[error(transparent)]
    Lost(#[from] Lost),
}

/// Why a game cannot start from a header, apart from unknown options: the header is malformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupFault {
    /// An option value that requires something else in the header.
    #[error("this value of the option `{option}` needs `{needs}`")]
    Needs {
        /// The option's name.
        option: &'static str,
        /// The requirement, as written in a header.
        needs: &'static str,
    },
    /// The position cannot be read: where, and what was expected.
    #[error("the position does not fit at character {}: expected {}", .0.offset + 1, .0.expected)]
    Position(Misfit),
    /// An option that is not allowed together with a position, because it describes the normal start.
    #[error("a position cannot be combined with the option `{option}`")]
    Beside {
        /// The option's name.
        option: &'static str,
    },
}

/// Something that can be counted of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// What, in the plural: `men`.
    pub what: &'static str,
    /// How many, in the order of the sides; `None` for a side that has nothing of the kind.
    pub of: [Option<u32>; 2],
}

impl Count {
    /// Counts something of both sides.
    #[must_use]
    pub fn both(what: &'static str, first: usize, second: usize) -> Self {
        Self { what, of: [first, second].map(|count| u32::try_from(count).ok()) }
    }
}

/// A list of legal entries, each a sequence of actions, in one block of memory.
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

    /// Returns whether there are none.
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

/// A game in progress. The value is the whole state: the position, the options, and everything that the rules must
/// remember.
///
/// Three things are deliberately separate. Reading ([`Game::read_action`]) needs no position, so a fault of grammar is
/// never a fault of rules. Judging ([`Game::play_turn`]) says which rule an action breaks. Generating ([`Game::moves`])
/// lists what is legal and is written independently of judging; tests compare the two.
pub trait Game: Clone + Send + Sized + 'static {
    /// What is known about the game before any record is read.
    const INFO: &'static Info;

    /// An action of an entry as written, independent of any position.
    type Action: Clone + PartialEq + std::fmt::Debug;

    /// What judging a normal action costs, in steps of about a hundred instructions, which count against the work
    /// allowed for a record.
    const STEPS: u32;

    /// Whether [`Game::play_turn`] spoils the state when it refuses an entry. A game with many actions per entry then need not copy
    /// itself first.
    const SPOILS: bool = false;

    /// Sets up the game: the normal start, or the position in the header.
    ///
    /// # Errors
    /// If the position cannot be read, or an option is not allowed with it or in this kind of record.
    fn start(start: &Start<'_>) -> Result<Self, SetupFault>;

    /// Returns the position line: the canonical spelling of the position, as in the header's `setup`.
    fn position(&self) -> String;

    /// Returns what is due; if the game is over, the side that would be next.
    fn due(&self) -> Due;

    /// Returns the side that is due.
    fn side_due(&self) -> Side {
        self.due().side
    }

    /// Returns how the game ended by its own rules, if it has.
    fn outcome(&self) -> Option<Outcome>;

    /// Reads one action of an entry.
    ///
    /// # Errors
    /// Where the text does not fit the game's grammar, and what was expected there.
    fn read_action(text: &str) -> Result<Self::Action, Misfit>;

    /// Reads one action as a player types it, after [`Game::lenient`] has corrected it. It accepts what a record may
    /// contain, and what [`SealedGame::complete`] turns into that.
    ///
    /// # Errors
    /// As [`Game::read_action`].
    fn read_typed(text: &str) -> Result<Self::Action, Misfit> {
        Self::read_action(text)
    }

    /// Writes one action as spelled in a record.
    fn write_action(action: &Self::Action, out: &mut String);

    /// Judges the game's own actions of one entry of the side that is due and, if they are legal, plays them.
    ///
    /// # Errors
    /// The rule it breaks. The state is unchanged in that case, unless the game [spoils](Game::SPOILS) it.
    fn play_turn(&mut self, turn: Turn<'_, Self::Action>) -> Result<Played, Illegal>;

    /// Judges and plays an entry, and leaves the state as it was if it is refused.
    ///
    /// # Errors
    /// The rule it breaks.
    fn try_turn(&mut self, turn: Turn<'_, Self::Action>) -> Result<Played, Illegal> {
        if !Self::SPOILS {
            return self.play_turn(turn);
        }
        let mut after = self.clone();
        let played = after.play_turn(turn)?;
        *self = after;
        Ok(played)
    }

    /// Judges and plays an entry of open play, as [`Game::try_turn`] does with facts that know nothing.
    ///
    /// # Errors
    /// The rule it breaks.
    fn play(&mut self, actions: &[Self::Action]) -> Result<Played, Illegal> {
        self.try_turn(Turn { actions, offers: false, facts: &mut NoFacts })
    }

    /// Plays a legal entry, such as one listed by [`Game::moves`], without judging it again. Any other entry leaves an
    /// unspecified state, but does not panic.
    fn apply(&mut self, actions: &[Self::Action]) {
        // A legal entry is never refused.
        let _ = self.play_turn(Turn { actions, offers: false, facts: &mut NoFacts });
    }

    /// Judges a claim of the side that is due, and returns how it would end the game. The state does not change.
    ///
    /// # Errors
    /// The rule for which the claim is refused.
    fn claim(&self, claim: Claim) -> Result<Outcome, Illegal>;

    /// Returns the canonical actions of an entry that is legal in this state: what may be omitted or abbreviated when
    /// typed is written in full.
    fn canonical<'a>(&self, actions: &'a [Self::Action]) -> Cow<'a, [Self::Action]>;

    /// Adds every legal entry in its canonical spelling, in any order; nothing if the game is over. Offers,
    /// resignations and claims of the envelope are not listed. In a game that is listed stepwise, adds every action
    /// that an entry may begin with, each as a sequence of one.
    fn moves(&self, out: &mut Moves<Self::Action>);

    /// Returns how many legal entries there are, for games that can count without listing.
    fn count(&self) -> usize {
        let mut moves = Moves::default();
        self.moves(&mut moves);
        moves.len()
    }

    /// Returns what may follow the beginning of an entry of the side that is due; if nothing was begun, every action
    /// that an entry may begin with.
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
            // A beginning that is not listed is illegal, or an abbreviation of what is listed in full.
            self.clone().play_turn(Turn { actions: begun, offers: false, facts })?;
            next.whole = true;
        }
        next.actions.sort_unstable();
        next.actions.dedup();
        Ok(next)
    }

    /// Returns the game after the beginning of an entry of the side that is due, only for display. `None` in a game that is not listed
    /// stepwise.
    ///
    /// # Errors
    /// The rule that the beginning breaks.
    fn after_beginning(&self, begun: &[Self::Action], facts: &mut dyn Facts) -> Result<Option<Self>, Illegal> {
        let _ = (begun, facts);
        Ok(None)
    }

    /// Lists and counts from now on exactly the ways to split points in which each share is a multiple of `grain`, where
    /// otherwise a selection is listed and every way is counted. Returns false in a game in which nothing is split.
    fn set_grain(&mut self, _grain: u32) -> bool {
        false
    }

    /// Counts the sequences of `depth` legal entries; of single actions in a game that is listed stepwise.
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

    /// Counts the sequences of `depth` legal entries separately for each first entry, in any order.
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

    /// Returns what a player who begins a game like this should know about its rules, in a sentence or two: something
    /// unexpected that the options could have settled differently. The command `new` prints it.
    fn notice(&self) -> Option<&'static str> {
        None
    }

    /// Returns what a viewer may see.
    fn view(&self, viewer: Viewer) -> Scene;

    /// Returns who hits whom in an action, if pieces hit others from where they stand, so that the board alone does not show it.
    fn blow(_action: &Self::Action) -> Option<Blow> {
        None
    }

    /// Returns what a viewer may see, with something highlighted that the game can point out on request (in assideum
    /// the flight zone of the Portal on a square, `c1`); `None` if it cannot.
    fn marked(&self, viewer: Viewer, what: &str) -> Option<Scene> {
        let _ = (viewer, what);
        None
    }

    /// Returns what a player typed with harmless slips corrected (letter case, look-alike signs), before it is read. A
    /// record is never read through this. A keyword that only asks for what is forced is removed.
    fn lenient(text: &str) -> String {
        text.to_owned()
    }

    /// Adds the legal entries as a person is to be shown them, in any order: entries that differ only in what is thrown,
    /// sealed or set up at will stand once, in brief.
    fn list(&self, out: &mut Vec<String>) {
        let mut moves = Moves::default();
        self.moves(&mut moves);
        out.extend(moves.iter().map(write_entry::<Self>));
    }
}

/// The hidden and random parts of a game (`sealable` in [`Info`]). A game without any keeps all the defaults: `impl
/// SealedGame for Chess {}`.
pub trait SealedGame: Game {
    /// Returns whether the entry that is due is a forced answer: it shows or names what its side has no choice about, and holds nothing
    /// else. A clock may grant less time for it (E13).
    fn owes_forced_answer(&self) -> bool {
        false
    }

    /// Adds the seals, salts and openings that a sealed record needs to what a player typed, and keeps those that are
    /// there. If nothing was typed, it makes what is forced: an entry, or the part with which the entry must begin.
    /// What was typed may be only the beginning of an entry.
    ///
    /// # Errors
    /// If the entry is illegal with any seals, or the secret that it needs is not available.
    fn complete(&self, typed: &[Self::Action], keeper: &mut dyn Keeper) -> Result<Vec<Self::Action>, Incomplete> {
        let _ = keeper;
        Ok(typed.to_vec())
    }

    /// Adds to the state what a side's secret reveals: its hidden pieces, its hand. Only the view of that side, lists
    /// and [`SealedGame::complete`] use this; judging and the position line never do.
    ///
    /// # Errors
    /// If the secret is not available, or is not the one that was used for sealing.
    fn reveal_to_owner(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        let _ = (side, keeper);
        Ok(())
    }

    /// Plays only the openings at the beginning of an entry, so that their owner can see the result before choosing the
    /// rest; `None` if no opening is due.
    fn after_opening(&self, turn: Turn<'_, Self::Action>) -> Option<Self> {
        let _ = turn;
        None
    }

    /// Returns what some of a side's seals must contain together, for an audit with the side's secret.
    fn holdings(&self, side: Side) -> Vec<Holding> {
        let _ = side;
        Vec::new()
    }

    /// Calls `each` with every payload that `side` may have sealed under a label, until it returns true.
    fn payloads(&self, side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool) {
        let _ = (side, label, each);
    }

    /// Returns the names, as people write them, of everything that `side` may hide now. They do not depend on what it has.
    fn hidden_names(&self, side: Side) -> Vec<String> {
        let _ = side;
        Vec::new()
    }
}

/// Writes the actions of an entry as they are in a record.
#[must_use]
pub fn write_entry<G: Game>(actions: &[G::Action]) -> String {
    // The least that an allocator hands out anyway; most entries are shorter.
    let mut text = String::with_capacity(24);
    for action in actions {
        if !text.is_empty() {
            text.push_str("; ");
        }
        G::write_action(action, &mut text);
    }
    text
}
