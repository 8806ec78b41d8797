//! Judging: which rule an entry breaks, in the order of the rulebook; and playing what is legal.

use super::board::{
    BESIEGER_STEPS, BOARD, DOTTED, EVEN, FORTRESS, LINES, OUTSIDE, Point, SIDEWAYS_STEPS, Set, in_order, jump_line,
    line, neighbours, points, shifted,
};
use super::{Action, Asalto, BESIEGERS, DEFENDERS, Huff, PointList, Rules};
use postrider_kernel::words::{both, either};
use postrider_kernel::{Illegal, Outcome, Played, Rule};

postrider_kernel::rules! {
    pub(super) TABLE:
    T1 "the points",
    T2 "the lines",
    T3 "solid and dotted lines",
    T10 "the placement",
    T11 "turns",
    T20 "a besieger's step",
    T21 "never backwards",
    T22 "besiegers do not capture",
    T30 "a defender's step",
    T31 "the jump",
    T32 "the chain",
    T33 "capture is compulsory",
    T40 "nobody could capture",
    T41 "the whole chain",
    T42 "the broken chain",
    T43 "the missed capture",
    T44 "how the huff happens",
    T50 "fifteen captures",
    T51 "no defender left",
    T52 "no besieger can move",
    T53 "the fortress is full",
    T54 "the defenders are trapped",
    T55 "no draw by repetition",
}

/// Which defenders are huffed after a move of the defenders, and the rule that says so.
struct Culprits {
    set: Set,
    why: &'static Rule,
}

impl Asalto {
    /// Judges an entry of the side to play and plays it if it is legal.
    #[inline]
    pub(super) fn judge(&mut self, actions: &[Action]) -> Result<Played, Illegal> {
        // Nearly all entries are such steps.
        match actions {
            [Action::Step(from, to)] if self.plain_step(*from, *to) => Ok(Played::default()),
            _ => self.judge_in_full(actions),
        }
    }

    /// Plays a legal step of the side to play when no defender is huffed for it; returns whether it was one.
    #[inline]
    fn plain_step(&mut self, from: Point, to: Point) -> bool {
        if self.placing {
            return false;
        }
        let fits = match self.to_play {
            BESIEGERS => self.may_step(from, to, self.defenders),
            DEFENDERS => {
                let occupied = self.besiegers | self.defenders;
                self.defenders & from.set() != 0
                    && line(from, to).is_some()
                    && occupied & to.set() == 0
                    && jumpers(self.besiegers, self.defenders) == 0
            }
        };
        if fits {
            let moved = from.set() | to.set();
            self.culprits = 0;
            match self.to_play {
                BESIEGERS => self.besiegers ^= moved,
                DEFENDERS => self.defenders ^= moved,
            }
            self.to_play = self.to_play.other();
            self.outcome = if self.goes_on() { None } else { self.decided_for_side_to_play() };
        }
        fits
    }

    // Never inline: the plain step would have to make room on the stack for all of it.
    #[inline(never)]
    fn judge_in_full(&mut self, actions: &[Action]) -> Result<Played, Illegal> {
        if self.placing {
            self.judge_placement(actions)?;
        } else {
            if let Some(part) = actions.iter().position(|action| matches!(action, Action::Place(_))) {
                return Err(Illegal::new(T10, part, "the defenders have been placed already"));
            }
            on_board(actions)?;
            if self.to_play == BESIEGERS {
                self.judge_besiegers(actions)?;
            } else {
                self.judge_defenders(actions)?;
            }
        }
        Ok(Played::default())
    }

    fn judge_placement(&mut self, actions: &[Action]) -> Result<(), Illegal> {
        const HELP: &str = "the entry is `place` and two different points of the fortress, c5 to e7";
        let [Action::Place([first, second])] = actions else {
            let part = usize::from(matches!(actions, [Action::Place(_), ..]));
            let part = (part < actions.len()).then_some(part);
            return Err(
                Illegal::new(T10, part, "the placement of both defenders is due, an entry of its own").with_help(HELP)
            );
        };
        on_board(actions)?;
        let set = first.set() | second.set();
        if set & !FORTRESS != 0 {
            let outside = Point::first(set & !FORTRESS);
            return Err(Illegal::new(T10, 0, format!("{outside} is not in the fortress")).with_help(HELP));
        }
        if first == second {
            return Err(Illegal::new(T10, 0, "two defenders cannot stand on one point").with_help(HELP));
        }
        self.defenders = set;
        self.placing = false;
        self.to_play = self.rules.first;
        self.outcome = self.decided();
        Ok(())
    }

    fn judge_besiegers(&mut self, actions: &[Action]) -> Result<(), Illegal> {
        let mut defenders = self.defenders;
        let mut at = 0;
        if let Some(Action::Huff(claimed)) = actions.first() {
            defenders &= !self.judge_claim(claimed)?;
            at = 1;
            if defenders == 0 {
                if actions.len() > 1 {
                    let message = "the claim removes the last defender and ends the game: nothing may follow";
                    return Err(Illegal::new(T51, 1, message).with_help("the entry is the claim alone"));
                }
                self.defenders = 0;
                self.culprits = 0;
                self.outcome = Some(Outcome::Win(BESIEGERS, "huffed"));
                return Ok(());
            }
        }
        let (from, to) = match actions.get(at) {
            Some(Action::Step(from, to)) => (*from, *to),
            Some(Action::Jump(chain)) => {
                let illegal = Illegal::new(T22, at, "a besieger does not jump or capture");
                return Err(match chain.first() {
                    Some(&from) if self.besiegers & from.set() != 0 => {
                        illegal.with_help(self.besieger_advice(from, defenders))
                    }
                    _ => illegal.with_help(self.besiegers_advice(defenders)),
                });
            }
            Some(Action::Huff(_)) => return Err(second_claim(at)),
            Some(Action::Place(_)) | None => {
                let message = if at == 0 { "one besieger moves each turn" } else { "after the claim a besieger moves" };
                return Err(Illegal::new(T11, at.checked_sub(1), message).with_help(self.besiegers_advice(defenders)));
            }
        };
        self.judge_besieger_step(from, to, defenders).map_err(|illegal| Illegal { part: Some(at), ..*illegal })?;
        match actions.get(at + 1) {
            None => {}
            Some(Action::Huff(_)) => return Err(second_claim(at + 1)),
            Some(_) => return Err(Illegal::new(T11, at + 1, "one piece moves each turn")),
        }
        self.besiegers ^= from.set() | to.set();
        self.defenders = defenders;
        self.culprits = 0;
        self.to_play = DEFENDERS;
        self.outcome = self.decided_for_defenders();
        Ok(())
    }

    /// T44: the one defender that a claim removes.
    fn judge_claim(&self, claimed: &PointList) -> Result<Set, Illegal> {
        let refuse = |message: String| Illegal::new(T44, 0, message);
        if self.rules.huff != Huff::Claim {
            return Err(refuse("the besiegers claim no huffs in this game".into())
                .with_help("they do where the header's options say `huff: claim`"));
        }
        match claimed.as_slice() {
            [point] if self.culprits & point.set() != 0 => Ok(point.set()),
            [point] => {
                let may = in_order(self.culprits);
                Err(refuse(format!("there is no defender on {point} that missed a capture in the last turn"))
                    .with_help(if may.is_empty() {
                        "nobody may be huffed now".into()
                    } else {
                        format!("it may be {}", either(&may))
                    }))
            }
            _ => Err(refuse("a claim names one defender".into())),
        }
    }

    /// T20, T21: returns whether a besieger may step between two points while `defenders` are on the board.
    #[inline]
    fn may_step(&self, from: Point, to: Point, defenders: Set) -> bool {
        let steps = self.rules.besieger_steps();
        self.besiegers & from.set() != 0
            && line(from, to).is_some_and(|direction| steps[direction] & from.set() != 0)
            && (self.besiegers | defenders) & to.set() == 0
    }

    fn judge_besieger_step(&self, from: Point, to: Point, defenders: Set) -> Result<(), Box<Illegal>> {
        if self.may_step(from, to, defenders) {
            return Ok(());
        }
        let steps = self.rules.besieger_steps();
        let direction = line(from, to);
        let help = |illegal: Illegal| illegal.with_help(self.besieger_advice(from, defenders));
        let illegal = if self.besiegers & from.set() == 0 {
            let message = if defenders & from.set() != 0 {
                format!("the piece on {from} is a defender, and it is the besiegers' turn")
            } else {
                format!("there is no besieger on {from}")
            };
            Illegal::new(T20, None, message).with_help(self.besiegers_advice(defenders))
        } else if let Some(direction) = direction {
            if DOTTED[direction] & from.set() != 0 {
                help(Illegal::new(T20, None, "a besieger may not step along a dotted line"))
            } else if steps[direction] & from.set() == 0 {
                let message = if from.rank() == to.rank() {
                    "on rank 5 a besieger may step towards the fortress only"
                } else {
                    "a besieger may not go back"
                };
                help(Illegal::new(T21, None, message))
            } else {
                help(Illegal::new(T20, None, format!("{to} is occupied")))
            }
        } else {
            help(no_line(from, to))
        };
        Err(Box::new(illegal))
    }

    /// Where a besieger may go while `defenders` are on the board.
    fn besieger_advice(&self, from: Point, defenders: Set) -> String {
        if let Some(advice) = self.only_by_claim(defenders) {
            return advice;
        }
        let occupied = self.besiegers | defenders;
        let ways = self.rules.besieger_steps().iter().enumerate();
        let can = ways
            .filter(|(_, starts)| *starts & from.set() != 0)
            .fold(0, |all, (direction, _)| all | shifted(from.set(), direction));
        match in_order(can & !occupied).as_slice() {
            [] => format!("the besieger on {from} cannot move now"),
            free => format!("from {from} it may go to {}", either(free)),
        }
    }

    /// Which besiegers may move while `defenders` are on the board.
    fn besiegers_advice(&self, defenders: Set) -> String {
        if let Some(advice) = self.only_by_claim(defenders) {
            return advice;
        }
        let occupied = self.besiegers | defenders;
        let steps = self.rules.besieger_steps();
        let movers = points(self.besiegers)
            .filter(|at| (0..8).any(|direction| shifted(at.set() & steps[direction], direction) & !occupied != 0));
        let movers = in_order(movers.fold(0, |all, at| all | at.set()));
        format!("the besiegers that can move stand on {}", both(&movers))
    }

    /// T52, with `huff: claim`: when no besieger can move, the claims with which an entry may begin all the same.
    fn only_by_claim(&self, defenders: Set) -> Option<String> {
        if self.rules.besieger_can_move(self.besiegers, self.besiegers | defenders) {
            return None;
        }
        let claims = points(self.culprits).filter(|culprit| self.claim_helps(*culprit));
        let claims: Vec<_> = in_order(claims.fold(0, |all, at| all | at.set()))
            .into_iter()
            .map(|at| match self.defenders == at.set() {
                true => format!("`huff {at}` alone"),
                false => format!("`huff {at}` and then a step"),
            })
            .collect();
        Some(format!("no besieger can move as it is: the entry is {}", either(&claims)))
    }

    fn judge_defenders(&mut self, actions: &[Action]) -> Result<(), Illegal> {
        let able = jumpers(self.besiegers, self.defenders);
        let (besiegers, from, to) = match actions.first() {
            Some(Action::Step(from, to)) => {
                self.judge_defender_step(*from, *to, able)?;
                (self.besiegers, *from, *to)
            }
            Some(Action::Jump(chain)) => self.judge_chain(chain)?,
            Some(Action::Huff(_)) if self.rules.huff != Huff::Auto => return Err(no_huff_here(0)),
            Some(Action::Huff(_)) => {
                let message = "a huff that follows from a move is written after it";
                return Err(Illegal::new(T44, 0, message).with_help("it may be left out too"));
            }
            Some(Action::Place(_)) | None => return Err(Illegal::new(T11, None, "one defender moves each turn")),
        };
        let defenders = self.defenders & !from.set() | to.set();
        let won = besiegers != self.besiegers && self.captured(besiegers) >= self.rules.captures;
        let culprits = self.culprits_of(able, from, to, besiegers, defenders, won);
        match actions {
            [_] | [_, Action::Huff(_)] => {}
            [_, Action::Huff(_), ..] => {
                return Err(Illegal::new(T11, 2, "nothing follows the huff: one piece moves each turn"));
            }
            _ => return Err(Illegal::new(T11, 1, "one piece moves each turn")),
        }
        if self.rules.huff == Huff::Strict && culprits.set != 0 {
            return Err(self.missed(&culprits, able, besiegers, defenders));
        }
        if let Some(Action::Huff(written)) = actions.get(1) {
            self.judge_huff(written, &culprits)?;
        }
        self.besiegers = besiegers;
        self.defenders = defenders;
        self.to_play = BESIEGERS;
        match self.rules.huff {
            Huff::Auto => self.defenders &= !culprits.set,
            Huff::Claim => self.culprits = culprits.set,
            Huff::Strict => {}
        }
        self.outcome = if won { Some(Outcome::Win(DEFENDERS, "captured")) } else { self.decided_for_besiegers() };
        Ok(())
    }

    fn judge_defender_step(&self, from: Point, to: Point, able: Set) -> Result<(), Illegal> {
        let occupied = self.besiegers | self.defenders;
        if self.defenders & from.set() == 0 {
            let message = if self.besiegers & from.set() != 0 {
                format!("the piece on {from} is a besieger, and it is the defenders' turn")
            } else {
                format!("there is no defender on {from}")
            };
            return Err(Illegal::new(T30, 0, message)
                .with_help(format!("the defenders stand on {}", both(&in_order(self.defenders)))));
        }
        let help = |illegal: Illegal| match in_order(neighbours(from) & !occupied).as_slice() {
            _ if self.rules.huff == Huff::Strict && able != 0 => illegal.with_help(self.must_capture(able)),
            [] => illegal.with_help(format!("the defender on {from} cannot step now")),
            free => illegal.with_help(format!("from {from} it may step to {}", either(free))),
        };
        if line(from, to).is_none() {
            return Err(help(Illegal { part: Some(0), ..no_line(from, to) }));
        }
        if occupied & to.set() != 0 {
            return Err(help(Illegal::new(T30, 0, format!("{to} is occupied"))));
        }
        Ok(())
    }

    /// T31, T32, T50: the besiegers that remain after a chain, where it started and where it ended.
    fn judge_chain(&self, chain: &PointList) -> Result<(Set, Point, Point), Illegal> {
        let [start, landings @ ..] = chain.as_slice() else {
            return Err(Illegal::new(T31, 0, "a jump names at least two points"));
        };
        if self.defenders & start.set() == 0 {
            return Err(Illegal::new(T31, 0, format!("there is no defender on {start}"))
                .with_help(format!("the defenders stand on {}", both(&in_order(self.defenders)))));
        }
        let others = self.defenders & !start.set();
        let mut besiegers = self.besiegers;
        let mut at = *start;
        for &landing in landings {
            if self.captured(besiegers) >= self.rules.captures && besiegers != self.besiegers {
                let message =
                    format!("the capture before {at}-{landing} wins and ends the game: the chain may not go on");
                return Err(Illegal::new(T50, 0, message));
            }
            let Some(direction) = jump_line(at, landing) else {
                return Err(Illegal::new(T2, 0, format!("no straight path of two lines leads from {at} to {landing}")));
            };
            let over = shifted(at.set(), direction);
            let name = Point::first(over);
            let message = if others & over != 0 {
                format!("the defender on {name} cannot be jumped over")
            } else if besiegers & over == 0 {
                format!("there is no besieger on {name} to jump over from {at}")
            } else if (besiegers | others) & landing.set() != 0 {
                format!("{landing} is occupied")
            } else {
                besiegers ^= over;
                at = landing;
                continue;
            };
            return Err(Illegal::new(T31, 0, message).with_help(self.jumps_from(at, besiegers, others)));
        }
        Ok((besiegers, *start, at))
    }

    fn jumps_from(&self, at: Point, besiegers: Set, others: Set) -> String {
        let landings = landings(at.set(), besiegers, besiegers | others);
        match in_order(landings).as_slice() {
            [] => format!("there is no jump from {at} now"),
            list => format!("from {at} it may jump to {}", either(list)),
        }
    }

    /// The defenders that are huffed after a move, and the rule that says so (T40-T43, T50).
    fn culprits_of(&self, able: Set, from: Point, to: Point, besiegers: Set, defenders: Set, won: bool) -> Culprits {
        let jumped = besiegers != self.besiegers;
        let (set, why) = if jumped && won {
            (0, &T50)
        } else if jumped {
            let goes_on = landings(to.set(), besiegers, besiegers | defenders) != 0;
            if goes_on { (to.set(), &T42) } else { (0, &T41) }
        } else if able == 0 {
            (0, &T40)
        } else if able & from.set() == 0 {
            (able, &T43)
        } else if self.rules.both {
            (able & !from.set() | to.set(), &T43)
        } else {
            (to.set(), &T43)
        };
        Culprits { set, why }
    }

    /// T44, `strict`: why a move that leaves a capture is refused; `besiegers` and `defenders` are as it leaves them.
    fn missed(&self, culprits: &Culprits, able: Set, besiegers: Set, defenders: Set) -> Illegal {
        if *culprits.why == T42 {
            let at = Point::first(culprits.set);
            return Illegal::new(
                T44,
                0,
                format!("a chain must be completed in this game, and this one goes on from {at}"),
            )
            .with_help(self.jumps_from(at, besiegers, defenders & !at.set()));
        }
        Illegal::new(T44, 0, "a capture must be made in this game").with_help(self.must_capture(able))
    }

    /// T44, `strict`: who must capture, and how the captures begin.
    fn must_capture(&self, able: Set) -> String {
        let ways = in_order(able).into_iter().flat_map(|at| {
            let to = landings(at.set(), self.besiegers, self.besiegers | self.defenders);
            in_order(to).into_iter().map(move |landing| format!("{at}x{landing}"))
        });
        let ways: Vec<_> = ways.collect();
        format!("the defender on {} can capture, so the entry begins with {}", either(&in_order(able)), either(&ways))
    }

    /// A huff that the defenders wrote must apply and name exactly those who are huffed.
    fn judge_huff(&self, written: &PointList, culprits: &Culprits) -> Result<(), Illegal> {
        if self.rules.huff != Huff::Auto {
            return Err(no_huff_here(1));
        }
        let set = written.iter().fold(0, |all, point| all | point.set());
        if set == culprits.set && written.len() == set.count_ones() as usize {
            return Ok(());
        }
        let (message, help) = match *culprits.why {
            T40 => ("nobody is huffed, because no defender could capture at the start of the turn", None),
            T41 => ("nobody is huffed, because a chain was completed", None),
            T50 => ("nobody is huffed, because the capture wins", None),
            T42 => ("the defender that broke off its chain is huffed, where it stopped", Some(culprits.set)),
            _ if self.rules.both => ("every defender that could have captured is huffed", Some(culprits.set)),
            _ => (
                "the defender that moved is huffed if it could have captured, otherwise the one that could",
                Some(culprits.set),
            ),
        };
        let mut illegal = Illegal::new(*culprits.why, 1, message);
        if help.is_none() {
            illegal = illegal.with_help("leave the huff out");
        }
        if let Some(set) = help {
            let mut text = String::new();
            super::notation::write(&Action::Huff(in_order(set).into_iter().collect()), &mut text);
            illegal = illegal.with_help(format!("that is `{text}`"));
        }
        Err(illegal)
    }

    fn captured(&self, besiegers: Set) -> u32 {
        OUTSIDE.count_ones() - besiegers.count_ones()
    }

    /// The end of a game at a position that was not reached by a move (T50 to T54), whoever is to play.
    pub(super) fn decided(&self) -> Option<Outcome> {
        if self.captured(self.besiegers) >= self.rules.captures {
            return Some(Outcome::Win(DEFENDERS, "captured"));
        }
        if self.defenders == 0 {
            return Some(Outcome::Win(BESIEGERS, "huffed"));
        }
        if FORTRESS & !self.besiegers == 0 {
            return Some(Outcome::Win(BESIEGERS, "fortress"));
        }
        self.decided_for_side_to_play()
    }

    #[inline(never)]
    fn decided_for_side_to_play(&self) -> Option<Outcome> {
        if self.to_play == BESIEGERS { self.decided_for_besiegers() } else { self.decided_for_defenders() }
    }

    /// Returns whether the side to play plainly has a turn, in which case nothing is decided (T51 to T54).
    #[inline]
    fn goes_on(&self) -> bool {
        let occupied = self.besiegers | self.defenders;
        match self.to_play {
            BESIEGERS => self.defenders != 0 && self.rules.besieger_can_move(self.besiegers, occupied),
            DEFENDERS => FORTRESS & !self.besiegers != 0 && self.defender_can_step(occupied),
        }
    }

    fn defender_can_step(&self, occupied: Set) -> bool {
        points(self.defenders).any(|at| neighbours(at) & !occupied != 0)
    }

    /// T51 and T52, before a turn of the besiegers. With `huff: claim`, a claim that frees a besieger keeps the game
    /// alive.
    fn decided_for_besiegers(&self) -> Option<Outcome> {
        if self.defenders == 0 {
            return Some(Outcome::Win(BESIEGERS, "huffed"));
        }
        let occupied = self.besiegers | self.defenders;
        if self.rules.besieger_can_move(self.besiegers, occupied)
            || points(self.culprits).any(|culprit| self.claim_helps(culprit))
        {
            return None;
        }
        Some(Outcome::Win(DEFENDERS, "immobile"))
    }

    /// T52: returns whether removing a culprit would give a besieger a step or leave no defender.
    fn claim_helps(&self, culprit: Point) -> bool {
        let remaining = self.defenders & !culprit.set();
        remaining == 0 || self.rules.besieger_can_move(self.besiegers, self.besiegers | remaining)
    }

    /// T53 and T54, before a turn of the defenders.
    fn decided_for_defenders(&self) -> Option<Outcome> {
        if FORTRESS & !self.besiegers == 0 {
            return Some(Outcome::Win(BESIEGERS, "fortress"));
        }
        let occupied = self.besiegers | self.defenders;
        if self.defender_can_step(occupied) || jumpers(self.besiegers, self.defenders) != 0 {
            return None;
        }
        Some(Outcome::Win(BESIEGERS, "trapped"))
    }

    /// The canonical actions of a legal entry: lists of points in order, and the huff that follows written out.
    pub(super) fn written_out(&self, actions: &[Action]) -> Vec<Action> {
        let mut written: Vec<_> = actions.iter().map(in_canonical_order).collect();
        if self.placing || self.to_play == BESIEGERS || self.rules.huff != Huff::Auto {
            return written;
        }
        let mut after = self.clone();
        if let ([moved], Ok(_)) = (actions, after.judge(actions)) {
            let (from, to) = match moved {
                Action::Step(from, to) => (*from, *to),
                Action::Jump(chain) => match chain.as_slice() {
                    [from, .., to] => (*from, *to),
                    _ => return written,
                },
                _ => return written,
            };
            let moved = self.defenders & !from.set() | to.set();
            let huffed = moved & !after.defenders;
            if huffed != 0 {
                written.push(Action::Huff(in_order(huffed).into_iter().collect()));
            }
        }
        written
    }
}

fn in_canonical_order(action: &Action) -> Action {
    match action {
        Action::Place([first, second]) if second.order() < first.order() => Action::Place([*second, *first]),
        Action::Huff(list) => {
            let mut list = list.clone();
            list.sort_by_key(|point| point.order());
            Action::Huff(list)
        }
        other => other.clone(),
    }
}

/// T44: a huff written by the defenders with `huff: claim` or `huff: strict`.
fn no_huff_here(part: usize) -> Illegal {
    Illegal::new(T44, part, "in this game the defenders write no huff").with_help("leave it out")
}

fn second_claim(part: usize) -> Illegal {
    Illegal::new(T44, part, "a claim is made once, before the besiegers' move")
}

fn no_line(from: Point, to: Point) -> Illegal {
    Illegal::new(T2, None, format!("no line joins {from} and {to}"))
}

/// T1: every point named is on the board.
fn on_board(actions: &[Action]) -> Result<(), Illegal> {
    for (part, action) in actions.iter().enumerate() {
        let named: &[Point] = match action {
            Action::Place(points) => points,
            Action::Step(from, to) => &[*from, *to],
            Action::Jump(list) | Action::Huff(list) => list,
        };
        if let Some(point) = named.iter().find(|point| !point.on_board()) {
            let message = format!("{point} is not a point of the board");
            return Err(Illegal::new(T1, part, message)
                .with_help("the board is the cross: files c to e, and all files on ranks 3 to 5"));
        }
    }
    Ok(())
}

/// Where defenders can land that jump from `starts` over one of `besiegers` (T31); `occupied` is every piece.
fn landings(starts: Set, besiegers: Set, occupied: Set) -> Set {
    let mut all = 0;
    for (direction, &lines) in LINES.iter().enumerate() {
        let over = shifted(starts & lines, direction) & besiegers & lines;
        all |= shifted(over, direction) & !occupied;
    }
    all
}

/// The defenders that have a jump (T40).
pub(super) fn jumpers(besiegers: Set, defenders: Set) -> Set {
    let free = BOARD & !(besiegers | defenders);
    // Each direction for all defenders at once: who has which neighbours differs from position to position, and a branch that
    // cannot be foreseen takes longer than looking everywhere.
    let starts = |first: usize| {
        (0..4).fold(0, |all, turn| {
            let back = first + 2 * turn;
            all | shifted(shifted(free, back) & besiegers, back)
        })
    };
    // From one point of the board to the next there is always a line (T2), except diagonally from an odd point.
    defenders & (starts(0) | starts(1) & EVEN)
}

impl Rules {
    /// For each direction, the points from which a besieger may step that way (T20, T21).
    const fn besieger_steps(&self) -> &'static [Set; 8] {
        if self.sideways { &SIDEWAYS_STEPS } else { &BESIEGER_STEPS }
    }

    /// T52: returns whether a besieger has a step.
    fn besieger_can_move(&self, besiegers: Set, occupied: Set) -> bool {
        let steps = self.besieger_steps();
        (0..8).any(|direction| shifted(besiegers & steps[direction], direction) & !occupied != 0)
    }
}
