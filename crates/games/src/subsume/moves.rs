//! Listing the single actions that may come next. Written apart from judging, territory by territory, so that tests can hold the
//! two to each other.

use smallvec::SmallVec;

use super::board::{Kind, LOWEST_RANK, Set, Territory};
use crate::subsume::position::state::{Action, Cover, Phase, Subsume};
use crate::subsume::rules::control;
use crate::subsume::rules::control::controlled;
use crate::subsume::rules::play::around;
use postrider_kernel::{Facts, Illegal, Next};

impl Subsume {
    /// Calls `each` with every action that the due entry may begin with; in sealed play without seals and openings. A
    /// reveal, which only its owner can write, is not included.
    pub(super) fn generate(&self, each: &mut dyn FnMut(Action)) {
        if self.state.pending.is_some() {
            return;
        }
        self.actions(each);
        if self.state.outcome.is_none() && self.state.phase != Phase::Claim {
            each(Action::End);
        }
    }

    /// Calls `each` with every action that may come next in a turn that is not suspended; a move is a step of one
    /// token.
    fn actions(&self, each: &mut dyn FnMut(Action)) {
        let state = &self.state;
        if state.outcome.is_some() {
            return;
        }
        let own: Vec<&Territory> = state.board.of(state.to_play).collect();
        if state.phase == Phase::Claim {
            self.claims(&own, each);
            return;
        }
        let controlled = controlled(&state.board, state.to_play, self.rules.border);
        let is_controlled = |territory: &Territory| controlled & territory.corner.set() != 0;
        if state.phase == Phase::Subsume {
            merges(&own, controlled, each);
        }
        for territory in &own {
            let (at, height) = (territory.corner, height(territory));
            if territory.size > 1 && is_controlled(territory) {
                (1..height).for_each(|nth| each(Action::Reorder { at, nth }));
            }
            if territory.size == 4 && is_controlled(territory) {
                for (nth, token) in (1..).zip(territory.stack.iter()) {
                    for kind in Kind::ALL.into_iter().filter(|kind| self.rules.sealed || token.kind() != Some(*kind)) {
                        each(Action::Retype { at, nth, cover: Cover::Open(kind) });
                    }
                }
            }
            if territory.fought == state.turn() {
                continue;
            }
            for (from, to) in around(territory) {
                match state.board.at(to).map(|other| other.owner == state.to_play) {
                    Some(false) if state.phase <= Phase::Conflict => {
                        each(Action::Conflict { from, to, openings: Vec::new() });
                    }
                    Some(false) => {}
                    _ if territory.lid == state.turn() => {}
                    _ => each(Action::Move { from, to, count: 1 }),
                }
            }
        }
    }

    fn claims(&self, own: &[&Territory], each: &mut dyn FnMut(Action)) {
        let rank = super::position::home_rank(self.state.to_play);
        let empty =
            super::Square::all().filter(|square| square.rank() == rank && self.state.board.at(*square).is_none());
        for at in empty.chain(own.iter().map(|territory| territory.corner)) {
            Kind::ALL.into_iter().for_each(|kind| each(Action::Claim { at, cover: Cover::Open(kind) }));
        }
    }

    /// The actions that an entry may begin with, in brief.
    pub(super) fn list_first(&self, out: &mut Vec<String>) {
        if self.state.outcome.is_none() && self.state.pending.is_some() {
            out.push("reveal".into());
        }
        self.generate(&mut |action| out.push(written(&action)));
    }

    /// The game after the beginning of an entry.
    pub(super) fn after_actions(&self, begun: &[Action], facts: &mut dyn Facts) -> Result<Self, Illegal> {
        let mut after = self.clone();
        after.judge_beginning(begun, facts)?;
        Ok(after)
    }

    /// What may follow the beginning of an entry.
    pub(super) fn next_actions(&self, begun: &[Action], facts: &mut dyn Facts) -> Result<Next, Illegal> {
        let mut next = Next::default();
        if begun.is_empty() {
            self.list_first(&mut next.actions);
        } else {
            let game = self.after_actions(begun, facts)?;
            let state = &game.state;
            let revealed = matches!(begun, [Action::Reveal(_)]);
            next.whole = revealed || state.outcome.is_some() || state.phase != Phase::Claim;
            match (state.pending, begun) {
                (Some(pending), _) if pending.closed => {}
                (Some(_), _) => next.actions.push("end".into()),
                // The other side's turn continues, or one's own is over.
                (None, [Action::Reveal(_)]) if state.phase != Phase::Claim => {}
                (None, [Action::End]) => {}
                (None, _) => game.actions(&mut |action| next.actions.push(written(&action))),
            }
        }
        next.actions.sort_unstable();
        Ok(next)
    }

    /// How many actions may come next, `end` for the end of a turn among them: as many as are generated, without writing them.
    fn count_actions(&self) -> u64 {
        let state = &self.state;
        if state.outcome.is_some() || state.pending.is_some() {
            return 0;
        }
        let (board, side) = (&state.board, state.to_play);
        let (own, enemy) = (board.held(side), board.held(side.other()));
        let kinds = Kind::ALL.len() as u64;
        if state.phase == Phase::Claim {
            let row = LOWEST_RANK << super::position::home_rank(side);
            let places = board.of(side).count() as u64 + count(row & !own & !enemy);
            return places * kinds;
        }
        let controlled = controlled(board, side, self.rules.border);
        let mut sum = 1;
        if state.phase == Phase::Subsume {
            let territories: SmallVec<[&Territory; 16]> = board.of(side).collect();
            merges(&territories, controlled, &mut |_| sum += 1);
        }
        for territory in board.of(side) {
            let height = territory.stack.len() as u64;
            if controlled & territory.corner.set() != 0 {
                // A type that is sealed may be sealed again; one that is open becomes another.
                let others = if self.rules.sealed { kinds } else { kinds - 1 };
                sum += if territory.size > 1 { height - 1 } else { 0 };
                sum += if territory.size == 4 { height * others } else { 0 };
            }
            if territory.fought == state.turn() {
                continue;
            }
            let around = control::shifts(territory.set()).map(|set| set & !territory.set());
            let to = |squares: Set| around.iter().map(|set| count(set & squares)).sum::<u64>();
            sum += if state.phase <= Phase::Conflict { to(enemy) } else { 0 };
            sum += if territory.lid == state.turn() { 0 } else { to(!enemy) };
        }
        sum
    }

    /// How many sequences of single actions there are, `end` for the end of a turn among them.
    pub(super) fn count_sequences(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.count_actions(),
            _ => {
                let mut count = 0;
                self.each_after(&mut |_, after| count += after().count_sequences(depth - 1));
                count
            }
        }
    }

    /// The same, separately for each first action.
    pub(super) fn divide_sequences(&self, depth: u32) -> Vec<(String, u64)> {
        let Some(deeper) = depth.checked_sub(1) else { return Vec::new() };
        let mut list = Vec::new();
        self.each_after(&mut |action, after| list.push((written(action), after().count_sequences(deeper))));
        list
    }

    /// Calls `each` with every single action and a function that returns the game after it.
    fn each_after(&self, each: &mut dyn FnMut(&Action, &dyn Fn() -> Self)) {
        if self.state.pending.is_some() {
            return;
        }
        self.actions(&mut |action| {
            each(&action, &|| {
                let mut after = self.clone();
                after.enact(&action);
                after
            });
        });
        if self.state.outcome.is_none() && self.state.phase != Phase::Claim {
            each(&Action::End, &|| {
                let mut after = self.clone();
                after.end_turn();
                after
            });
        }
    }
}

fn count(set: Set) -> u64 {
    u64::from(set.count_ones())
}

/// U30: calls `each` with every square of four own controlled territories of equal size.
fn merges(own: &[&Territory], controlled: Set, each: &mut dyn FnMut(Action)) {
    for first in own.iter().filter(|territory| territory.size < 4) {
        let (at, half) = (first.corner, first.size);
        let whole = |territory: &&&Territory| {
            let (file, rank) =
                (territory.corner.file().checked_sub(at.file()), territory.corner.rank().checked_sub(at.rank()));
            let lies = |offset: Option<u8>| offset.is_some_and(|offset| offset == 0 || offset == half);
            territory.size == half && controlled & territory.corner.set() != 0 && lies(file) && lies(rank)
        };
        if own.iter().filter(whole).count() == 4 {
            each(Action::Subsume { at, size: 2 * half });
        }
    }
}

fn height(territory: &Territory) -> u32 {
    u32::try_from(territory.stack.len()).unwrap_or(u32::MAX)
}

fn written(action: &Action) -> String {
    let mut text = String::new();
    super::notation::write(action, &mut text);
    text
}
