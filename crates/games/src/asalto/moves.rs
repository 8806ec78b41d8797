//! Lists the legal entries. It is written independently of judging, point by point, so that tests can compare the two.

use super::board::{DOTTED, FORTRESS, Point, Set, in_order, line, points};
use super::{Action, Asalto, BESIEGERS, Huff, PointList};
use postrider_kernel::Moves;

/// The points that a besieger on each point may step to (T20, T21), also with `sideways: both`.
static BESIEGER_TARGETS: [[Set; 64]; 2] =
    [targets(&super::board::BESIEGER_STEPS), with_rank_5_both_ways(targets(&super::board::BESIEGER_STEPS))];
/// The points that a defender on each point may step to (T30).
static DEFENDER_TARGETS: [Set; 64] = targets(&super::board::LINES);
/// For each point, up to eight jumps: the point that is jumped over and the landing (T31); zero if there is none.
static JUMPS: [[(Set, Set); 8]; 64] = jumps();

const fn targets(starts: &[Set; 8]) -> [Set; 64] {
    use super::board::shifted;
    let mut table = [0; 64];
    let mut at = 0;
    while at < 64 {
        let mut direction = 0;
        while direction < 8 {
            table[at] |= shifted(starts[direction] & (1 << at), direction);
            direction += 1;
        }
        at += 1;
    }
    table
}

/// Adds the four steps along the solid lines a5-b5-c5 and g5-f5-e5 that lead away from the fortress to those that lead
/// to it.
const fn with_rank_5_both_ways(mut table: [Set; 64]) -> [Set; 64] {
    const fn on_rank_5(file: u8) -> (usize, Set) {
        let point = Point::new(file, 4);
        (point.set().trailing_zeros() as usize, point.set())
    }
    let (a, b, c) = (on_rank_5(0), on_rank_5(1), on_rank_5(2));
    let (e, f, g) = (on_rank_5(4), on_rank_5(5), on_rank_5(6));
    table[b.0] |= a.1;
    table[c.0] |= b.1;
    table[e.0] |= f.1;
    table[f.0] |= g.1;
    table
}

const fn jumps() -> [[(Set, Set); 8]; 64] {
    use super::board::{LINES, shifted};
    let mut table = [[(0, 0); 8]; 64];
    let mut at = 0;
    while at < 64 {
        let mut direction = 0;
        while direction < 8 {
            let over = shifted((1 << at) & LINES[direction], direction);
            let landing = shifted(over & LINES[direction], direction);
            if landing != 0 {
                table[at][direction] = (over, landing);
            }
            direction += 1;
        }
        at += 1;
    }
    table
}

fn index(point: Point) -> usize {
    point.set().trailing_zeros() as usize & 63
}

/// The jumps of a defender: what each captures and where it lands.
fn jumps_of(at: Point, besiegers: Set, occupied: Set) -> impl Iterator<Item = (Set, Point)> {
    JUMPS[index(at)]
        .iter()
        .filter(move |(over, landing)| besiegers & over != 0 && occupied & landing == 0)
        .map(|&(over, landing)| (over, Point::first(landing)))
}

impl Asalto {
    /// Adds every legal entry.
    pub(super) fn generate(&self, out: &mut Moves<Action>) {
        if self.outcome.is_some() {
            return;
        }
        if self.placing {
            let fortress = in_order(FORTRESS);
            for (nth, &first) in fortress.iter().enumerate() {
                for &second in &fortress[nth + 1..] {
                    out.push([Action::Place([first, second])]);
                }
            }
        } else if self.to_play == BESIEGERS {
            self.besieger_steps(None, out);
            for culprit in points(self.culprits) {
                if self.defenders == culprit.set() {
                    out.push([huff(culprit.set())]);
                } else {
                    self.besieger_steps(Some(culprit), out);
                }
            }
        } else {
            self.defender_entries(out);
        }
    }

    fn besieger_steps(&self, claimed: Option<Point>, out: &mut Moves<Action>) {
        let removed = claimed.map_or(0, Point::set);
        let occupied = self.besiegers | self.defenders & !removed;
        let targets = &BESIEGER_TARGETS[usize::from(self.rules.sideways)];
        for from in points(self.besiegers) {
            for to in points(targets[index(from)] & !occupied) {
                debug_assert!(line(from, to).is_some_and(|direction| DOTTED[direction] & from.set() == 0));
                let claim = claimed.map(|point| huff(point.set()));
                out.push(claim.into_iter().chain([Action::Step(from, to)]));
            }
        }
    }

    fn defender_entries(&self, out: &mut Moves<Action>) {
        let occupied = self.besiegers | self.defenders;
        let able = points(self.defenders)
            .filter(|&at| jumps_of(at, self.besiegers, occupied).next().is_some())
            .fold(0, |all, at| all | at.set());
        for from in points(self.defenders) {
            for to in points(DEFENDER_TARGETS[index(from)] & !occupied) {
                let moved = if able & from.set() != 0 { to.set() } else { 0 };
                let others = able & !from.set();
                let culprits = if self.rules.both || moved == 0 { moved | others } else { moved };
                self.with_sanction(Action::Step(from, to), culprits, out);
            }
            let mut chain = PointList::from_slice(&[from]);
            self.chains(&mut chain, self.besiegers, self.defenders & !from.set(), out);
        }
    }

    /// Adds every chain that continues `chain`; each stop is an entry (T42).
    fn chains(&self, chain: &mut PointList, besiegers: Set, others: Set, out: &mut Moves<Action>) {
        let Some(&at) = chain.last() else { return };
        for (over, landing) in jumps_of(at, besiegers, besiegers | others) {
            let left = besiegers & !over;
            chain.push(landing);
            let won = 24 - left.count_ones() >= self.rules.captures;
            let goes_on = !won && jumps_of(landing, left, left | others).next().is_some();
            let culprits = if goes_on { landing.set() } else { 0 };
            self.with_sanction(Action::Jump(chain.clone()), culprits, out);
            if goes_on {
                self.chains(chain, left, others, out);
            }
            chain.pop();
        }
    }

    /// Adds a defender's move with its consequence: the huff, or nothing if the move may not be played (T44).
    fn with_sanction(&self, action: Action, culprits: Set, out: &mut Moves<Action>) {
        match self.rules.huff {
            Huff::Strict if culprits != 0 => {}
            Huff::Auto if culprits != 0 => out.push([action, huff(culprits)]),
            _ => out.push([action]),
        }
    }
}

fn huff(set: Set) -> Action {
    let mut list: PointList = points(set).collect();
    list.sort_unstable_by_key(|point| point.order());
    Action::Huff(list)
}
