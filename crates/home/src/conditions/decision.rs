//! Conditional entries, as correspondence players know them: "if you play this, I answer that". They form a private
//! tree that is kept beside a game, never in its record. Every entry in the tree is judged when it is added, and a
//! reply is made only in exactly the position for which it was judged: the digest of the whole record up to the root of
//! the tree must be the same, and every entry from there on must be the foreseen one. Pure: the record and the tree in,
//! the next entry and the rest of the tree out.

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

use postrider_kernel::Side;
use postrider_referee::desk::chain::Chain;
use postrider_referee::desk::{Desk, Entered, NoKeyStore, Refusal};
use postrider_referee::judging::{Beside, Unfinished};
use postrider_referee::record::{Item, Secrecy, Time};
use postrider_referee::sealing::{Digest, KeyStore, Owner};
use postrider_referee::verdict::{Opened, Verdict};

/// The maximum depth of a tree, in pairs of entries.
pub const DEPTH: usize = 30;

/// The conditional entries of one side in one game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The game's id.
    pub game: String,
    /// The name of the side whose replies these are.
    pub side: String,
    /// The number of entries in the record when they were judged.
    pub entries: u32,
    /// The digest of the record after that entry (Z30), in hexadecimal.
    pub digest: String,
    /// What the other side may enter next, and the replies.
    pub branches: Vec<Branch>,
}

/// A reply to one entry of the other side, and what may follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// The other side's entry, in canonical spelling.
    #[serde(rename = "if")]
    pub theirs: String,
    /// The reply, in canonical spelling without anything that is sealed.
    #[serde(rename = "then")]
    pub mine: String,
    /// What the other side may enter after that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Branch>,
}

/// Where a game is in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is waiting for the other side, as foreseen.
    Waiting,
    /// The other side has made a foreseen entry.
    Ready {
        /// The other side's entry.
        theirs: String,
        /// The reply to it.
        mine: String,
    },
    /// The other side has made a foreseen entry and offers a draw with it, which the player has to decide on.
    Asked {
        /// The other side's entry, without the offer.
        theirs: String,
        /// The reply to it, if the offer is declined.
        mine: String,
    },
    /// The game took another course, so nothing in the tree will be used any more.
    Void {
        /// The entry that was not foreseen.
        entry: u32,
        actions: String,
    },
    /// The record does not continue the one for which the tree was judged: it is an older copy, or another record.
    Elsewhere,
}

/// Why an entry cannot be added to a tree.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// The record is refused, or the entry when it was tried.
    #[error(transparent)]
    Refused(Refusal),
    /// The entry cannot be judged ahead of time, or there is nothing to answer: why, and what to do instead.
    #[error("{0}; {1}")]
    Ahead(String, &'static str),
}

/// What was added to a tree.
#[derive(Clone, Debug)]
pub struct Added {
    /// The new tree.
    pub conditions: Conditions,
    /// The entries of the path that was added, the other side's and the replies alternating.
    pub path: Vec<String>,
    /// The replies that were replaced, with everything below them.
    pub replaced: Vec<Branch>,
}

/// Follows a record through a tree. Returns where the game is in it, and the tree from the last reply made onwards.
///
/// # Errors
/// The verdict, if the record cannot be opened.
pub fn follow(source: &[u8], conditions: &Conditions) -> Result<(State, Conditions), Box<Verdict>> {
    let mut opened = Opened::new(source)?;
    let mut chain = Chain::begin(&opened);
    let mut rest = conditions.clone();
    let mut state = if at_root(&chain, conditions) { State::Waiting } else { State::Elsewhere };
    let mut next = Vec::new();
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Entry(entry) = item else { continue };
        let actions = bare(&opened.table.canonical(opened.text, &entry));
        let own = opened.header.info.sides[entry.side.index()].word == conditions.side;
        chain.add(&opened, &entry);
        if opened.table.pass(opened.text, &entry).is_err() {
            break;
        }
        let void = State::Void { entry: chain.entries, actions: actions.clone() };
        state = match state {
            State::Elsewhere if at_root(&chain, conditions) => State::Waiting,
            State::Waiting if !own => match met(&rest.branches, &actions) {
                Some((branch, asked)) => {
                    next.clone_from(&branch.next);
                    let (theirs, mine) = (branch.theirs.clone(), branch.mine.clone());
                    if asked { State::Asked { theirs, mine } } else { State::Ready { theirs, mine } }
                }
                None => void,
            },
            State::Ready { mine, .. } | State::Asked { mine, .. } if own && mine == actions => {
                rest.branches = std::mem::take(&mut next);
                root(chain.entries, &chain.digest(), &mut rest);
                State::Waiting
            }
            State::Waiting | State::Ready { .. } | State::Asked { .. } => void,
            state => state,
        };
    }
    Ok((state, rest))
}

/// Finds the branch for an entry of the other side, and whether a draw is offered in addition to what was foreseen.
fn met<'a>(branches: &'a [Branch], actions: &str) -> Option<(&'a Branch, bool)> {
    let of = |actions: &str| branches.iter().find(|branch| branch.theirs == actions);
    let asked = || Some((of(actions.strip_suffix("; draw?")?)?, true));
    of(actions).map(|branch| (branch, false)).or_else(asked)
}

/// Leaves of a tree what follows once the reply to this entry is made.
pub(crate) fn go_on(tree: &mut Conditions, theirs: &str, entered: &Entered) {
    let answered = std::mem::take(&mut tree.branches).into_iter().find(|branch| branch.theirs == theirs);
    tree.branches = answered.map_or(Vec::new(), |one| one.next);
    root(entered.number, &postrider_referee::verdict::link(entered.table.as_ref()), tree);
}

/// Judges a sequence of entries that starts at the end of a legal record, the other side's and the replies alternating,
/// and adds it to the tree. `old` is the previous tree, which is kept only if this record is its root. `keys` are those
/// of the replying side; nothing that is sealed with them is kept. `now` is the time for which the entries are judged.
///
/// # Errors
/// [`Unfit`].
pub fn add(
    desk: Desk<'_>,
    old: Option<Conditions>,
    typed: &[String],
    now: Time,
    keys: &mut dyn KeyStore,
) -> Result<Added, Unfit> {
    let (entries, digest) =
        (desk.opened.table.standing().entries, postrider_referee::verdict::link(desk.opened.table.as_ref()));
    let mut trial = Trial::of(desk.opened, now)?;
    let side = trial.opened.table.standing().due.side.other();
    let mut conditions = Conditions {
        game: trial.opened.header.id.clone().into_owned(),
        side: trial.word(side).to_owned(),
        entries: 0,
        digest: String::new(),
        branches: Vec::new(),
    };
    root(entries, &digest, &mut conditions);
    if let Some(old) = old.filter(|old| old.digest == conditions.digest && old.side == conditions.side) {
        conditions.branches = old.branches;
    }
    let mut path = Vec::new();
    for pair in typed.chunks(2) {
        let [theirs, mine] = pair else {
            return Err(Unfit::Ahead(
                "each of their entries needs a reply".into(),
                "give the entries in turn: theirs, yours, theirs, yours",
            ));
        };
        if path.len() >= 2 * DEPTH {
            return Err(Unfit::Ahead(format!("at most {DEPTH} replies can be prepared in sequence"), SHORTER));
        }
        path.push(trial.theirs(theirs, side)?);
        path.push(trial.mine(mine, side, keys)?);
    }
    let mut replaced = Vec::new();
    put(&mut conditions.branches, &path, &mut replaced);
    Ok(Added { conditions, path, replaced })
}

/// Removes a branch from a tree. `path` is the other side's entries that lead to it, as typed or in canonical spelling.
/// Returns whether it was there.
pub fn remove(conditions: &mut Conditions, path: &[String]) -> bool {
    let mut branches = &mut conditions.branches;
    let Some((last, before)) = path.split_last() else { return false };
    for theirs in before {
        let Some(branch) = place(branches, theirs).and_then(|at| branches.get_mut(at)) else { return false };
        branches = &mut branch.next;
    }
    let Some(at) = place(branches, last) else { return false };
    branches.remove(at);
    true
}

const SHORTER: &str = "leave some out";

/// Finds the branch of an entry. What the program adds to an entry (a huff that follows) may be left out, if it is
/// clear which branch is meant.
fn place(branches: &[Branch], typed: &str) -> Option<usize> {
    let actions = typed.split(';').map(|action| action.split_whitespace().collect::<Vec<_>>().join(" "));
    let typed = actions.collect::<Vec<_>>().join("; ").to_ascii_lowercase();
    let is = |branch: &Branch| branch.theirs.eq_ignore_ascii_case(&typed);
    let begins = |branch: &Branch| {
        let rest = branch.theirs.to_ascii_lowercase();
        rest.strip_prefix(&typed).is_some_and(|rest| rest.starts_with("; ") && !rest.ends_with("; draw?"))
    };
    branches.iter().position(is).or_else(|| {
        let mut found = branches.iter().enumerate().filter(|(_, branch)| begins(branch)).map(|(at, _)| at);
        found.next().filter(|_| found.next().is_none())
    })
}

fn put(branches: &mut Vec<Branch>, path: &[String], replaced: &mut Vec<Branch>) {
    let [theirs, mine, rest @ ..] = path else { return };
    match branches.iter_mut().find(|branch| branch.theirs == *theirs) {
        Some(branch) if branch.mine == *mine => put(&mut branch.next, rest, replaced),
        Some(branch) => {
            let mut new = Branch { theirs: theirs.clone(), mine: mine.clone(), next: Vec::new() };
            put(&mut new.next, rest, replaced);
            replaced.push(std::mem::replace(branch, new));
        }
        None => {
            let mut new = Branch { theirs: theirs.clone(), mine: mine.clone(), next: Vec::new() };
            put(&mut new.next, rest, replaced);
            branches.push(new);
        }
    }
}

/// Returns the actions of an entry without leave and keys, which change nothing on the board. An offer of a draw is
/// kept, because the player has to decide on it.
fn bare(actions: &str) -> String {
    let beside = |action: &&str| !action.starts_with("leave ") && !action.starts_with("key ");
    actions.split("; ").filter(beside).collect::<Vec<_>>().join("; ")
}

/// Returns whether the actions contain a seal, a salt or an opening (Z5).
#[must_use]
pub(crate) fn holds_hidden(actions: &str) -> bool {
    actions
        .split([' ', ';'])
        .any(|word| ["seal:", "salt:", "open:", "root:", "seed:"].iter().any(|mark| word.starts_with(mark)))
}

fn at_root(chain: &Chain, conditions: &Conditions) -> bool {
    chain.entries == conditions.entries && HEXLOWER.encode(&chain.digest()) == conditions.digest
}

/// Makes the given position the root of a tree.
fn root(entries: u32, digest: &Digest, conditions: &mut Conditions) {
    conditions.entries = entries;
    conditions.digest = HEXLOWER.encode(digest);
}

/// A game that is played on beyond its record to see what would be legal.
struct Trial<'a> {
    opened: Opened<'a>,
    /// The time of the entries, if they have one.
    time: Option<Time>,
}

impl<'a> Trial<'a> {
    fn of(opened: Opened<'a>, now: Time) -> Result<Self, Unfit> {
        let info = opened.header.info;
        let standing = opened.table.standing();
        if let Some(outcome) = standing.outcome {
            return Err(Unfit::Refused(Refusal::Over(outcome.text(&info.sides))));
        }
        if info.sealable && opened.header.secrecy == Secrecy::Open {
            return Err(Unfit::Ahead(
                format!(
                    "in open play of {} the entries say what was thrown or dealt, so none can be prepared",
                    info.title
                ),
                "conditions are for sealed games by mail, and for games without dice and secrets",
            ));
        }
        let timed = standing.timed.unwrap_or(true) || opened.header.clock.is_some();
        let time = timed.then(|| standing.last.map_or(now, |last| now.max(last)));
        Ok(Self { opened, time })
    }

    fn word(&self, side: Side) -> &'static str {
        self.opened.header.info.sides[side.index()].word
    }

    /// Judges and plays an entry of the other side.
    fn theirs(&mut self, typed: &str, own: Side) -> Result<String, Unfit> {
        self.due(own.other())?;
        let actions = self.enter(typed, None)?;
        let standing = self.opened.table.standing();
        if let Some(outcome) = standing.outcome {
            let result = outcome.text(&self.opened.header.info.sides);
            let message = format!("`{actions}` ends the game ({result}): there is nothing to answer");
            return Err(Unfit::Ahead(message, "leave it out"));
        }
        self.due(own)?;
        Ok(actions)
    }

    /// Judges and plays a reply.
    fn mine(&mut self, typed: &str, own: Side, keys: &mut dyn KeyStore) -> Result<String, Unfit> {
        self.enter(typed, Some((own, keys)))
    }

    /// Checks whose entry is due.
    fn due(&self, side: Side) -> Result<(), Unfit> {
        let standing = self.opened.table.standing();
        if let Some(outcome) = standing.outcome {
            let result = outcome.text(&self.opened.header.info.sides);
            return Err(Unfit::Ahead(format!("the game is over by then ({result})"), SHORTER));
        }
        if standing.due.side == side {
            return Ok(());
        }
        let due = self.opened.header.info.sides[standing.due.side.index()];
        let message = format!(
            "{} {} to make the entry after that too ({}): a condition is one entry of theirs and one of yours",
            due.named(),
            due.verb("have", "has"),
            standing.due.what
        );
        Err(Unfit::Ahead(message, "end the condition before it"))
    }

    /// Judges and plays an entry of the side that is due; with keys, it is an entry of the replying side.
    fn enter(&mut self, typed: &str, keys: Option<(Side, &mut dyn KeyStore)>) -> Result<String, Unfit> {
        if typed.contains(['{', '}']) || typed.contains(" @") {
            return Err(Unfit::Refused(Refusal::Aside));
        }
        let beside = Beside { time: self.time, message: None };
        let refused = |stop| Unfit::Refused(postrider_referee::desk::refused(&self.opened, typed, &beside, stop));
        let hidden = || {
            Unfit::Ahead(
                format!("`{typed}` depends on something hidden or thrown, so nobody can foresee what follows from it"),
                "you can foresee only entries without seals, salts and openings of theirs",
            )
        };
        let own = keys.is_some();
        let mut draft = self.opened.table.read(typed).map_err(refused)?;
        if draft.stands_for_its_moment() {
            return Err(Unfit::Ahead(
                format!("`{typed}`: you cannot foresee leave and keys: they depend on when an entry is made"),
                "leave them out; an entry of theirs that takes leave is answered anyway",
            ));
        }
        // A keyword for what is forced adds nothing to the draft yet.
        let plain = if draft.is_empty() { typed.trim().to_owned() } else { draft.written() };
        let mut none = NoKeyStore;
        let keys = keys.map_or(&mut none as &mut dyn KeyStore, |(_, keys)| keys);
        let due = self.opened.table.standing().due.side;
        // Judging ahead of time creates no secret; one that an entry commits to is created with the entry.
        let ground = self.opened.ground(due, false);
        let mut owner = Owner::new(&self.opened.header.id, self.word(due), keys, ground);
        let completed = if typed.trim().is_empty() { Ok(()) } else { draft.complete(&mut owner) };
        match completed {
            Ok(()) => {}
            Err(Unfinished::Lost(lost)) if own => return Err(Unfit::Refused(Refusal::Lost(lost))),
            Err(Unfinished::Lost(_)) => return Err(hidden()),
            Err(Unfinished::Stop(stop)) => return Err(refused(stop)),
        }
        let sealed = !owner.done.is_empty();
        if !own && (sealed || holds_hidden(&draft.written())) {
            return Err(hidden());
        }
        // A foreseen entry is not signed; the reply is signed when it is made.
        let judged = draft.judge(&beside).map_err(refused)?;
        self.opened.table = judged.table;
        // Sealing happens when the entry is made, so the tree keeps what was typed.
        Ok(if sealed { plain } else { judged.actions })
    }
}
