//! What actions do. Nothing is judged here: what is not legal does something or nothing, and never panics.

use crate::subsume::board::stack::Stack;
use crate::subsume::board::{Board, Face, Kind, Set, Square, Territory, Token, collapsed};
use crate::subsume::position::state::{Action, BLACK, Cover, Opening, Pending, Phase, Subsume, WHITE};
use crate::subsume::rules::conflict::resolve;
use crate::subsume::rules::control::{Border, controlled, is_controlled};
use postrider_kernel::{Outcome, SealPlace, Side};

/// The reasons for which a game ends by its own rules.
pub(in crate::subsume) const TERRITORY: &str = "territory";
pub(in crate::subsume) const TURN_LIMIT: &str = "turn limit";

impl Subsume {
    /// Plays an entry without judging it.
    pub(in crate::subsume) fn enact_entry(&mut self, actions: &[Action]) {
        for action in actions {
            self.enact(action);
        }
        self.close_entry(actions);
    }

    /// Handles the end of an entry: the turn ends, unless it is suspended or continues in another entry.
    pub(in crate::subsume) fn close_entry(&mut self, actions: &[Action]) {
        let state = &self.state;
        let goes_on = state.outcome.is_some() || state.pending.is_some() || state.phase == Phase::Claim;
        if !goes_on && !matches!(actions, [Action::Reveal(_)]) {
            self.end_turn();
        }
    }

    /// Plays one action of an entry. Its seal, if it has one, is not kept anywhere.
    pub(in crate::subsume) fn enact(&mut self, action: &Action) {
        self.enact_sealed(action, SealPlace::NONE);
    }

    /// Plays one action of an entry; its seal, if it has one, is kept at this place.
    pub(in crate::subsume) fn enact_sealed(&mut self, action: &Action, place: SealPlace) {
        match action {
            Action::Claim { at, cover } => self.enact_claim(*at, face(*cover, place)),
            Action::Subsume { at, size } => self.enact_subsume(*at, *size),
            Action::Reorder { at, nth } => self.enact_reorder(*at, *nth),
            Action::Retype { at, nth, cover } => self.enact_retype(*at, *nth, face(*cover, place)),
            Action::Conflict { from, to, openings } => self.enact_conflict(*from, *to, openings),
            Action::Move { from, to, count } => {
                let mut left = *count;
                while left > 0 && self.step(*from, *to) {
                    left -= 1 + self.march(*from, *to, left - 1);
                }
            }
            Action::Reveal(openings) => self.enact_reveal(openings),
            Action::End => {
                if let Some(pending) = &mut self.state.pending {
                    pending.closed = true;
                }
            }
        }
    }

    fn enact_claim(&mut self, at: Square, face: Face) {
        let side = self.state.to_play;
        self.state.tokens = self.state.tokens.saturating_add(1);
        let token = Token::new(self.state.tokens, 0, face);
        match self.state.board.edit(at) {
            Some(territory) => territory.stack.push(token),
            None => self.state.board.put(Territory::new(side, at, 1, Stack::from_iter([token]))),
        }
        self.state.phase = Phase::Subsume;
    }

    fn enact_subsume(&mut self, at: Square, size: u8) {
        let mut stack = Stack::default();
        // U31: lower left, lower right, upper left, upper right.
        for corner in quarters(at, size).into_iter().flatten() {
            if let Some(territory) = self.state.board.take(corner) {
                stack.put(territory.stack);
            }
        }
        self.steps += stack.blocks() + 4 * self.looking();
        self.state.board.put(Territory::new(self.state.to_play, at, size, stack));
    }

    /// What looking for the controlled territories costs (U21).
    fn looking(&self) -> usize {
        let both = self.state.board.corners(WHITE) | self.state.board.corners(BLACK);
        if self.rules.border == Border::Shared { both.count_ones() as usize } else { 0 }
    }

    fn enact_reorder(&mut self, at: Square, nth: u32) {
        self.steps += self.looking();
        if let Some(territory) = self.state.board.edit(at) {
            territory.stack.lift((nth as usize).saturating_sub(1));
            self.steps += territory.stack.blocks() / 8;
        }
    }

    fn enact_retype(&mut self, at: Square, nth: u32, face: Face) {
        self.steps += self.looking();
        let place = (nth as usize).saturating_sub(1);
        let Some(token) = self.state.board.at(at).and_then(|territory| territory.stack.get(place)).copied() else {
            return;
        };
        let reseals = token.reseals() + u32::from(matches!(face, Face::Sealed(_)));
        if let Some(territory) = self.state.board.edit(at) {
            let reseals = if self.rules.veiled { 0 } else { reseals };
            territory.stack.set(place, Token::new(token.number(), reseals, face));
            self.steps += territory.stack.blocks() / 8;
        }
    }

    /// The named tokens are public from now on (U91).
    fn open(&mut self, at: Square, openings: &[Opening]) {
        if openings.is_empty() {
            return;
        }
        let Some(territory) = self.state.board.edit(at) else { return };
        self.steps += territory.stack.blocks();
        territory.stack.open(|token| {
            let nth = openings.binary_search_by_key(&token.number(), |opening| opening.number).ok()?;
            Some(openings.get(nth)?.kind)
        });
    }

    fn enact_conflict(&mut self, from: Square, to: Square, openings: &[Opening]) {
        self.state.phase = Phase::Conflict;
        self.open(from, openings);
        if self.state.board.at(to).is_some_and(Territory::has_sealed) {
            self.state.pending = Some(Pending { from, to, closed: false });
        } else {
            self.fight(from, to);
        }
    }

    fn enact_reveal(&mut self, openings: &[Opening]) {
        let Some(Pending { from, to, closed }) = self.state.pending.take() else { return };
        self.open(to, openings);
        self.fight(from, to);
        if closed && self.state.outcome.is_none() {
            self.end_turn();
        }
    }

    /// Resolves a conflict whose tokens are all open (U52 to U58), and checks whether the game ends (U80).
    fn fight(&mut self, from: Square, to: Square) {
        let turn = self.state.turn();
        if self.rules.veiled {
            Self::show(&mut self.state.board, [from, to]);
        }
        let board = &mut self.state.board;
        let Some(fighters) = board.edit_both([from, to]) else { return };
        let (places, steps) = resolve(fighters.map(|territory| std::mem::take(&mut territory.stack)));
        self.steps += steps;
        for (place, crossing) in places.into_iter().zip([from, to]) {
            let changes_hands = place.changes_hands();
            let Some(territory) = board.edit(crossing) else { continue };
            (territory.stack, territory.fought) = (place.stack, turn);
            if changes_hands || territory.stack.len() < territory.area() {
                let Some(mut territory) = board.take(crossing) else { continue };
                if changes_hands {
                    territory.owner = territory.owner.other();
                }
                board.put(collapsed(territory, crossing));
            }
        }
        if let Some(loser) = Side::BOTH.into_iter().find(|side| !board.has_any(*side)) {
            self.state.outcome = Some(Outcome::Win(loser.other(), TERRITORY));
        }
    }

    /// One step of the top token (U70 to U72, U60). Returns whether there was a token to move.
    pub(in crate::subsume) fn step(&mut self, from: Square, to: Square) -> bool {
        let turn = self.state.turn();
        let side = self.state.to_play;
        self.state.phase = Phase::Movement;
        let board = &mut self.state.board;
        let Some(token) = board.edit(from).and_then(|territory| territory.stack.pop()) else { return false };
        board.collapse(from);
        match board.edit(to) {
            Some(territory) => {
                territory.stack.push(token);
                territory.lid = turn;
            }
            None => {
                board.put(Territory { lid: turn, ..Territory::new(side, to, 1, Stack::from_iter([token])) });
            }
        }
        true
    }

    /// Behind a step, up to `most` of the tokens that follow it the same way: those that the territory can spare without breaking
    /// its claim. For them nothing has changed, so they go as one. Returns how many went.
    pub(in crate::subsume) fn march(&mut self, from: Square, to: Square, most: u32) -> u32 {
        if most == 0 {
            return 0;
        }
        let Some([source, target]) = self.state.board.edit_both([from, to]) else { return 0 };
        let spare = source.stack.len().saturating_sub(source.area());
        let count = spare.min(most as usize);
        target.stack.take_from(&mut source.stack, count);
        self.steps += count / 4;
        u32::try_from(count).unwrap_or(most)
    }

    /// Ends the turn (U2), and perhaps the game (U81).
    pub(in crate::subsume) fn end_turn(&mut self) {
        let state = &mut self.state;
        state.turns = state.turns.saturating_add(1);
        state.to_play = state.to_play.other();
        state.phase = Phase::Claim;
        if self.rules.limit.is_some_and(|limit| self.state.turns >= limit.saturating_mul(2)) {
            self.state.outcome = Some(self.counted_out());
        }
    }

    /// U81: the larger area of controlled territories, then the larger total area, then more tokens.
    fn counted_out(&self) -> Outcome {
        let board = &self.state.board;
        let measures = |side: Side| {
            let controlled = controlled(board, side, self.rules.border).count_ones() as usize;
            let held: usize = board.of(side).map(Territory::area).sum();
            let tokens: usize = board.of(side).map(|territory| territory.stack.len()).sum();
            (controlled, held, tokens)
        };
        match measures(WHITE).cmp(&measures(BLACK)) {
            std::cmp::Ordering::Greater => Outcome::Win(WHITE, TURN_LIMIT),
            std::cmp::Ordering::Less => Outcome::Win(BLACK, TURN_LIMIT),
            std::cmp::Ordering::Equal => Outcome::Draw(TURN_LIMIT),
        }
    }

    /// Returns whether a territory is controlled (U20 to U22).
    pub(in crate::subsume) fn controls(&self, territory: &Territory) -> bool {
        is_controlled(&self.state.board, territory, self.rules.border)
    }

    /// The canonical spelling of an entry (U95): each territory named by its current lower left square, and equal
    /// consecutive moves merged.
    pub(in crate::subsume) fn canonical_entry(&self, actions: &[Action]) -> Vec<Action> {
        if let [action] = actions {
            return vec![spelled(&self.state.board, action)];
        }
        // Only where a territory may have another lower left square when it is named is the entry played, on a copy.
        let first = actions.iter().position(changes_corners).unwrap_or(actions.len());
        let mut game = actions.iter().skip(first).any(names_corner).then(|| self.clone());
        let mut list: Vec<Action> = Vec::with_capacity(actions.len());
        for (nth, action) in actions.iter().enumerate() {
            let spelled = spelled(&game.as_ref().unwrap_or(self).state.board, action);
            if let Some(game) = &mut game
                && !game.is_by_itself(action, actions.get(nth + 1..).unwrap_or_default())
            {
                game.enact(action);
            }
            if let (Some(Action::Move { from, to, count }), Action::Move { from: again, to: there, count: more }) =
                (list.last_mut(), &spelled)
                && (*from, *to) == (*again, *there)
                && let Some(sum) = count.checked_add(*more).filter(|sum| *sum <= MOST)
            {
                *count = sum;
                continue;
            }
            list.push(spelled);
        }
        list
    }

    /// Whether a claim only makes a stack taller with which the rest of the entry has nothing to do. To play it would copy the list of
    /// its blocks.
    fn is_by_itself(&self, action: &Action, rest: &[Action]) -> bool {
        let Action::Claim { at, .. } = *action else { return false };
        let Some(territory) = self.state.board.at(at) else { return false };
        let own = territory.set();
        rest.iter().all(|action| match *action {
            Action::Claim { at, .. } | Action::Reorder { at, .. } | Action::Retype { at, .. } => at.set() & own == 0,
            Action::Conflict { from, to, .. } | Action::Move { from, to, .. } => (from.set() | to.set()) & own == 0,
            Action::Subsume { .. } | Action::Reveal(_) => false,
            Action::End => true,
        })
    }

    /// The type of a sealed token, if its owner has revealed it to the program.
    pub(in crate::subsume) fn confided_kind(&self, place: SealPlace, to: Side) -> Option<Kind> {
        self.confided.get(&place).filter(|(by, _)| *by == to).map(|(_, kind)| *kind)
    }
}

/// The face of a token that is covered: its type, or its seal at this place.
const fn face(cover: Cover, place: SealPlace) -> Face {
    match cover {
        Cover::Open(kind) => Face::Up(kind),
        Cover::Sealed(_) => Face::Sealed(place),
    }
}

/// Whether an action is spelled with the lower left square of a territory.
const fn names_corner(action: &Action) -> bool {
    matches!(action, Action::Claim { .. } | Action::Reorder { .. } | Action::Retype { .. })
}

/// Whether territories may have other lower left squares after an action.
const fn changes_corners(action: &Action) -> bool {
    !names_corner(action) && !matches!(action, Action::End)
}

/// An action with the lower left square of its territory, where it may have named another.
fn spelled(board: &Board, action: &Action) -> Action {
    let corner = |at: Square| board.at(at).map_or(at, |territory| territory.corner);
    match *action {
        Action::Claim { at, cover } => Action::Claim { at: corner(at), cover },
        Action::Reorder { at, nth } => Action::Reorder { at: corner(at), nth },
        Action::Retype { at, nth, cover } => Action::Retype { at: corner(at), nth, cover },
        _ => action.clone(),
    }
}

/// The largest count of a move (U95).
const MOST: u32 = 999_999;

/// The lower left squares of the four quarters of a square area, in the order of U31; `None` for those off the board.
pub(in crate::subsume) fn quarters(at: Square, size: u8) -> [Option<Square>; 4] {
    let half = i8::try_from(size / 2).unwrap_or(0);
    [(0, 0), (half, 0), (0, half), (half, half)].map(|(files, ranks)| at.offset(files, ranks))
}

pub(in crate::subsume) fn around(territory: &Territory) -> impl Iterator<Item = (Square, Square)> {
    let own: Set = territory.set();
    territory
        .squares()
        .flat_map(move |from| from.neighbours().filter(move |to| own & to.set() == 0).map(move |to| (from, to)))
}
