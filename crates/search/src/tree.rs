//! The search tree. Each playout follows the most promising branch, adds a step, plays a little further, and records the result
//! along its way.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::{Lots, Stop};
use postrider_kernel::{Moves, Outcome, Side, Skill};

/// The value of a win.
const WIN: i64 = 1000;
/// The weight of promise against experience; a larger one makes the search wider.
const WIDTH: u64 = 1400;
/// An untried entry is expected to be this much worse than the tried ones.
const UNTRIED: i64 = 120;
/// The sum of all promises at a node.
const PROMISE: u64 = 4096;
/// The most entries in the tree, which limits its memory.
const MOST_EDGES: usize = 300_000;
/// The greatest depth of the tree.
const DEEPEST: usize = 200;

/// The actions of an entry, as the tree keeps them.
pub(super) type Entry<A> = SmallVec<[A; 1]>;

/// A choice.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pick<A: Clone> {
    /// A listed entry.
    Entry(Entry<A>),
    /// To throw, or to draw.
    Lot,
}

impl<A: Clone> Pick<A> {
    fn is(&self, entry: &[A]) -> bool
    where
        A: PartialEq,
    {
        matches!(self, Pick::Entry(own) if own.as_slice() == entry)
    }
}

/// A choice at a node.
struct Edge<A: Clone> {
    pick: Pick<A>,
    /// Its share of [`PROMISE`].
    promise: u64,
    visits: u32,
    /// Its results, for the side that chooses here.
    sum: i64,
    /// The node it leads to; 0 if there is none yet. A throw leads to several, see [`Tree::branches`].
    child: u32,
    /// Whether it is proven to win or to lose.
    proven: Option<bool>,
    /// The last playout in which it was possible.
    possible: u32,
    /// Whether its promise has yet to be normalised.
    fresh: bool,
}

struct Node<A: Clone> {
    edges: Vec<Edge<A>>,
    visits: u32,
    /// The proven winner at this node.
    won: Option<Side>,
    /// Whether playouts arrive here with different positions, so that nothing can be proven.
    is_mixed: bool,
}

impl<A: Clone> Node<A> {
    const fn new(is_mixed: bool) -> Self {
        Self { edges: Vec::new(), visits: 0, won: None, is_mixed }
    }
}

/// A search from one position.
pub(super) struct Tree<'a, G: Skill> {
    root: &'a G,
    side: Side,
    lots: Lots,
    nodes: Vec<Node<G::Action>>,
    /// The nodes that throws and draws lead to, by the node before and the judgement of the position after. Positions with the same
    /// judgement share a node: a won fight and a lost one get separate nodes, but the many throws with the same result do not.
    branches: BTreeMap<(usize, i32), u32>,
    edges: usize,
    moves: Moves<G::Action>,
    weights: Vec<u32>,
    /// The nodes and choices from the root, and the side that chose.
    way: Vec<(usize, usize, Side)>,
    playouts: u32,
}

impl<'a, G: Skill> Tree<'a, G> {
    pub(super) fn new(root: &'a G, side: Side, seed: u64) -> Self {
        Self {
            root,
            side,
            lots: Lots::new(seed),
            nodes: vec![Node::new(G::HIDDEN)],
            branches: BTreeMap::new(),
            edges: 0,
            moves: Moves::default(),
            weights: Vec::new(),
            way: Vec::new(),
            playouts: 0,
        }
    }

    /// The number of playouts so far.
    pub(super) const fn playouts(&self) -> u32 {
        self.playouts
    }

    /// Makes this many playouts, or fewer if time is up or the result is certain, and returns the best choice.
    pub(super) fn search(&mut self, playouts: u32, stop: &mut Stop<'_>) -> Option<Pick<G::Action>> {
        while self.playouts < playouts {
            if self.playouts.is_multiple_of(16) && self.playouts > 0 && stop() {
                break;
            }
            self.playout();
            if self.nodes.first().is_some_and(|root| root.won.is_some()) {
                break;
            }
        }
        self.best().map(|edge| edge.pick.clone())
    }

    /// What the side expects of the best choice; a full win or loss only if it is proven.
    pub(super) fn expects(&self) -> i32 {
        let expected = self.best().map_or(0, |edge| match edge.proven {
            Some(true) => WIN,
            Some(false) => -WIN,
            None => (edge.sum / i64::from(edge.visits.max(1))).clamp(1 - WIN, WIN - 1),
        });
        i32::try_from(expected).unwrap_or(0)
    }

    fn best(&self) -> Option<&Edge<G::Action>> {
        let rank = |edge: &Edge<G::Action>| {
            let certain = match edge.proven {
                Some(true) => 2,
                None => 1,
                Some(false) => 0,
            };
            (certain, edge.visits, edge.sum)
        };
        // The first of equal choices.
        self.nodes.first()?.edges.iter().rev().max_by_key(|edge| rank(edge))
    }

    fn playout(&mut self) {
        self.playouts += 1;
        let mut state = self.root.clone();
        let lots = &mut self.lots;
        state.imagine(self.side, &mut |bound| lots.below(bound));
        self.way.clear();
        let mut at = 0;
        let value = loop {
            if let Some(outcome) = state.outcome() {
                self.note_end(at, outcome);
                break worth(outcome);
            }
            let visits = self.nodes.get(at).map_or(0, |node| node.visits);
            if (at != 0 && visits == 0) || self.way.len() >= DEEPEST || !self.grow(at, &state) {
                break self.play_on(&mut state);
            }
            let chooser = state.side_due();
            let Some(nth) = self.select(at) else { break self.play_on(&mut state) };
            let is_lot = self.step(at, nth, &mut state);
            self.way.push((at, nth, chooser));
            at = if is_lot { self.branch(at, state.judgement()) } else { self.child(at, nth) };
            if at == 0 {
                break self.play_on(&mut state);
            }
        };
        self.note(at, value);
    }

    /// Adds the choices that are possible at a node but missing from it. Returns whether it has any.
    fn grow(&mut self, at: usize, state: &G) -> bool {
        let Some(node) = self.nodes.get_mut(at) else { return false };
        let fresh = node.edges.is_empty();
        if !fresh && !node.is_mixed {
            return true;
        }
        if fresh && at != 0 && self.edges >= MOST_EDGES {
            return false;
        }
        self.moves.clear();
        state.choices(&mut self.moves);
        let mut has_lot = false;
        let mut sum = 0u64;
        let mut near = 0;
        for entry in self.moves.iter() {
            if G::CHANCE && state.lot(entry) > 0 {
                has_lot = true;
                continue;
            }
            let promise = u64::from(state.promise(entry));
            sum += promise;
            if promise == 0 {
                continue;
            }
            let known = if fresh { None } else { place(&node.edges, near, entry) };
            near = known.map_or(near, |at| at + 1);
            match known.and_then(|at| node.edges.get_mut(at)) {
                Some(edge) => edge.possible = self.playouts,
                None => {
                    self.edges += 1;
                    node.edges.push(Edge::new(Pick::Entry(entry.into()), promise, self.playouts));
                }
            }
        }
        if sum == 0 {
            // Without any promise, all choices count alike.
            for entry in self.moves.iter().filter(|entry| !G::CHANCE || state.lot(entry) == 0) {
                sum += 1;
                match node.edges.iter_mut().find(|edge| edge.pick.is(entry)) {
                    Some(edge) => edge.possible = self.playouts,
                    None => node.edges.push(Edge::new(Pick::Entry(entry.into()), 1, self.playouts)),
                }
            }
        }
        if has_lot {
            match node.edges.iter_mut().find(|edge| edge.pick == Pick::Lot) {
                Some(edge) => edge.possible = self.playouts,
                None => node.edges.push(Edge::new(Pick::Lot, (sum / 4).max(1), self.playouts)),
            }
            sum += (sum / 4).max(1);
        }
        if fresh {
            node.edges.iter_mut().for_each(|edge| edge.promise = edge.promise * PROMISE / sum.max(1) + 1);
        } else {
            // A new choice starts as if it had been there from the beginning.
            let playouts = self.playouts;
            let new = node.edges.iter_mut().filter(|edge| edge.fresh && edge.possible == playouts);
            new.for_each(|edge| edge.promise = edge.promise * PROMISE / sum.max(1) + 1);
        }
        node.edges.iter_mut().for_each(|edge| edge.fresh = false);
        !node.edges.is_empty()
    }

    /// Returns the choice that is most worth trying.
    fn select(&self, at: usize) -> Option<usize> {
        let node = self.nodes.get(at)?;
        let breadth = (u64::from(node.visits + 1) << 12).isqrt();
        let (mut sum, mut visits) = (0i64, 0u32);
        for edge in &node.edges {
            sum += edge.sum;
            visits += edge.visits;
        }
        let untried = sum / i64::from(visits.max(1)) - UNTRIED;
        let mut best = None;
        let mut most = i64::MIN;
        for (nth, edge) in node.edges.iter().enumerate() {
            if node.is_mixed && edge.possible != self.playouts {
                continue;
            }
            let value = match edge.proven {
                Some(true) => return Some(nth),
                Some(false) => i64::MIN / 2,
                None if edge.visits == 0 => untried,
                None => edge.sum / i64::from(edge.visits),
            };
            let wide = (WIDTH * edge.promise * breadth / (u64::from(edge.visits) + 1)) >> 18;
            let worth = value.saturating_add(i64::try_from(wide).unwrap_or(0));
            if worth > most {
                (best, most) = (Some(nth), worth);
            }
        }
        best
    }

    /// Plays a choice, with its throws and draws. Returns whether there were any.
    fn step(&mut self, at: usize, nth: usize, state: &mut G) -> bool {
        let Some(edge) = self.nodes.get(at).and_then(|node| node.edges.get(nth)) else { return false };
        match &edge.pick {
            Pick::Entry(entry) => {
                state.proceed(entry);
                false
            }
            Pick::Lot => {
                self.moves.clear();
                state.choices(&mut self.moves);
                self.weights.clear();
                self.weights.extend(self.moves.iter().map(|entry| state.lot(entry)));
                let drawn = self.lots.weighted(&self.weights);
                if let Some(entry) = drawn.and_then(|nth| self.moves.iter().nth(nth)) {
                    state.proceed(entry);
                }
                true
            }
        }
    }

    /// Returns the node that a throw or a draw leads to, and creates it if needed.
    fn branch(&mut self, at: usize, judgement: i32) -> usize {
        let next = self.nodes.len();
        let Ok(number) = u32::try_from(next) else { return 0 };
        let known = *self.branches.entry((at, judgement)).or_insert(number);
        if known == number {
            self.nodes.push(Node::new(true));
        }
        known as usize
    }

    /// Returns the node that a choice leads to, and creates it if needed.
    fn child(&mut self, at: usize, nth: usize) -> usize {
        let next = self.nodes.len();
        let Some(node) = self.nodes.get_mut(at) else { return 0 };
        let is_mixed = node.is_mixed;
        let Some(edge) = node.edges.get_mut(nth) else { return 0 };
        if edge.child == 0 {
            let Ok(number) = u32::try_from(next) else { return 0 };
            edge.child = number;
            self.nodes.push(Node::new(is_mixed));
            return next;
        }
        edge.child as usize
    }

    /// Plays a few entries, the more promising ones more often, and judges the result for the first side.
    pub(super) fn play_on(&mut self, state: &mut G) -> i64 {
        for _ in 0..G::HORIZON {
            if let Some(outcome) = state.outcome() {
                return worth(outcome);
            }
            self.moves.clear();
            state.choices(&mut self.moves);
            self.weights.clear();
            let throws = G::CHANCE && self.moves.iter().all(|entry| state.lot(entry) > 0);
            for entry in self.moves.iter() {
                let lot = if G::CHANCE { state.lot(entry) } else { 0 };
                // A draw among other choices has the weight of all its cards together.
                self.weights.push(if throws { lot } else { state.promise(entry) });
            }
            let drawn = self.lots.weighted(&self.weights);
            let Some(entry) = drawn.and_then(|nth| self.moves.iter().nth(nth)) else { break };
            state.proceed(entry);
        }
        match state.outcome() {
            Some(outcome) => worth(outcome),
            None => i64::from(state.judgement().clamp(-900, 900)),
        }
    }

    /// Marks a node as the end of the game.
    fn note_end(&mut self, at: usize, outcome: Outcome) {
        if let (Outcome::Win(side, _), Some(node)) = (outcome, self.nodes.get_mut(at))
            && !node.is_mixed
        {
            node.won = Some(side);
        }
    }

    /// Records the result of a playout, for the first side, along its way.
    fn note(&mut self, end: usize, value: i64) {
        if let Some(node) = self.nodes.get_mut(end) {
            node.visits += 1;
        }
        let mut won = self.nodes.get(end).and_then(|node| node.won);
        for (at, nth, chooser) in self.way.iter().copied().rev() {
            let Some(node) = self.nodes.get_mut(at) else { continue };
            node.visits += u32::from(at != end);
            if let Some(edge) = node.edges.get_mut(nth) {
                edge.visits += 1;
                edge.sum += if chooser == Side::First { value } else { -value };
                if let Some(winner) = won {
                    edge.proven = Some(winner == chooser);
                }
            }
            if won.is_some() {
                won = match won {
                    Some(winner) if winner == chooser => Some(chooser),
                    _ if node.edges.iter().all(|edge| edge.proven == Some(false)) => Some(chooser.other()),
                    _ => None,
                };
                node.won = won;
            }
        }
    }
}

impl<A: Clone> Edge<A> {
    fn new(pick: Pick<A>, promise: u64, possible: u32) -> Self {
        Self { pick, promise, visits: 0, sum: 0, child: 0, proven: None, possible, fresh: true }
    }
}

/// Finds an entry among choices. Lists of similar positions are similar, so it usually stands `near` the one found before.
fn place<A: Clone + PartialEq>(edges: &[Edge<A>], near: usize, entry: &[A]) -> Option<usize> {
    let is = |at: &usize| edges.get(*at).is_some_and(|edge| edge.pick.is(entry));
    (near..edges.len()).chain(0..near).find(is)
}

/// The value of an end of the game, for the first side.
pub(super) const fn worth(outcome: Outcome) -> i64 {
    match outcome {
        Outcome::Win(Side::First, _) => WIN,
        Outcome::Win(Side::Second, _) => -WIN,
        Outcome::Draw(_) => 0,
    }
}
