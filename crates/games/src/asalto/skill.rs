//! Heuristics for the machine: a rough evaluation of positions, and which entries look promising.

use super::board::{FORTRESS, points};
use super::rules::jumpers;
use super::{Action, Asalto, BESIEGERS};
use postrider_kernel::Count;

impl Asalto {
    /// Besiegers win by numbers and by standing in the fortress, defenders by captures.
    pub(super) fn rough_judgement(&self) -> i32 {
        let count = |set: super::Set| i32::try_from(set.count_ones()).unwrap_or(0);
        let left = 24 - i32::try_from(self.rules.captures).unwrap_or(15);
        let besiegers = count(self.besiegers);
        // The nearer the last capture, the dearer each besieger.
        let numbers = 34 * (besiegers - left - 11) - 160 * i32::from(besiegers < left + 6);
        let way: i32 =
            points(self.besiegers).map(|at| i32::from(at.rank()) + 3 - (3 - i32::from(at.file())).abs()).sum();
        let inside = 38 * count(self.besiegers & FORTRESS);
        let alone = if self.defenders.count_ones() < 2 && !self.placing { 330 } else { 0 };
        let loose = count(jumpers(self.besiegers, self.defenders));
        let threat = if self.to_play == BESIEGERS { 12 } else { 45 } * loose;
        numbers + 3 * way + inside + alone - threat
    }

    /// Men, men in the fortress, and besiegers that a defender can jump over.
    pub(super) fn tallied(&self, out: &mut Vec<Count>) {
        let count = |set: super::Set| Some(set.count_ones());
        out.push(Count { what: "men", of: [count(self.besiegers), count(self.defenders)] });
        out.push(Count { what: "men in the fortress", of: [count(self.besiegers & FORTRESS), None] });
        let able = jumpers(self.besiegers, self.defenders);
        out.push(Count { what: "men that can capture", of: [None, count(able)] });
    }

    /// Captures come first, then steps after which nothing can be captured.
    pub(super) fn rough_promise(&self, entry: &[Action]) -> u32 {
        match entry {
            [Action::Jump(chain)] => 30 * u32::try_from(chain.len()).unwrap_or(1),
            [Action::Jump(_), _] => 6,
            // The mover huffs itself.
            [Action::Step(..), Action::Huff(_)] if self.to_play != BESIEGERS => 1,
            [.., Action::Step(from, to)] if self.to_play == BESIEGERS => {
                let besiegers = self.besiegers & !from.set() | to.set();
                let safe = if jumpers(besiegers, self.defenders) == 0 { 8 } else { 1 };
                safe * if entry.len() > 1 { 8 } else { 1 }
            }
            _ => 4,
        }
    }
}
