//! Tests of Subsume, and what they share.

mod agreement;
mod hidden;
mod rules;
mod sealed;
mod tables;
mod writing;

use std::cell::RefCell;

use super::*;
use crate::subsume::position::state::*;
use postrider_kernel::{Faces, NoFacts, Nonce, Rule, Salt, Seal, SealPlace};
use postrider_testing::random::Xorshift;

fn options(list: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in list {
        options.choose(OPTIONS, name, value).expect("an option of the game");
    }
    options
}

/// A game of open play at a position, which must read back as it was written.
fn at(position: &str) -> Subsume {
    with(position, &[])
}

fn with(position: &str, list: &[(&str, &str)]) -> Subsume {
    let game = Subsume::start(&Start::open(&options(list), Some(position))).expect("a position");
    assert_eq!(game.position(), position, "a position reads back as it was written");
    game
}

fn sealed(position: &str) -> Subsume {
    let game = Subsume::start(&Start::sealed(&Options::default(), Some(position))).expect("a position");
    assert_eq!(game.position(), position, "a position reads back as it was written");
    game
}

fn read(entry: &str) -> Vec<Action> {
    entry.split("; ").map(|text| notation::read(text).unwrap_or_else(|misfit| panic!("{text}: {misfit:?}"))).collect()
}

fn write(actions: &[Action]) -> String {
    postrider_kernel::write_entry::<Subsume>(actions)
}

/// The position after an entry, or the rule that refuses it; a refused entry changes nothing.
fn rule_of(game: &Subsume, entry: &str) -> Result<String, &'static str> {
    rule_with(game, entry, &mut NoFacts)
}

fn rule_with(game: &Subsume, entry: &str, facts: &mut dyn Facts) -> Result<String, &'static str> {
    let mut after = game.clone();
    match after.try_turn(Turn { actions: &read(entry), offers: false, facts }) {
        Ok(_) => Ok(after.position()),
        Err(Illegal { rule: Rule { code, .. }, .. }) => {
            assert_eq!(after.state, game.state, "{entry} is refused and changes nothing");
            Err(code)
        }
    }
}

fn refused(game: &Subsume, entry: &str, code: &str) {
    assert_eq!(rule_of(game, entry).expect_err(entry), code, "{entry} at {}", game.position());
}

/// The position after a legal entry.
fn leads(game: &Subsume, entry: &str, position: &str) {
    assert_eq!(rule_of(game, entry).as_deref(), Ok(position), "{entry}");
}

/// The game after some entries, each judged.
fn after(game: &Subsume, entries: &[&str]) -> Subsume {
    let mut game = game.clone();
    for entry in entries {
        game.play(&read(entry)).unwrap_or_else(|illegal| panic!("{entry} at {}: {illegal:?}", game.position()));
    }
    game
}

/// What may come next, as listed.
fn next(game: &Subsume, begun: &[Action]) -> Next {
    game.next(begun, &mut Honest).unwrap_or_else(|illegal| panic!("{}: {illegal:?}", write(begun)))
}

/// An invented way of sealing in place of SHA-256, for testing the rules alone: the nonce is derived from side and
/// label, the seal from those and the payload.
fn made_up(side: Side, label: &str, payload: &str) -> (Seal, Nonce) {
    let mix = |text: &str| {
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    };
    let nonce = mix(&format!("{side:?} {label}"));
    let seal = mix(&format!("{side:?} {label} {payload}"));
    let bytes = |number: u64, index: usize| number.to_be_bytes()[index % 8];
    (Seal(std::array::from_fn(|index| bytes(seal, index))), Nonce(std::array::from_fn(|index| bytes(nonce, index))))
}

thread_local! {
    /// All seals that were published in a test, with their labels.
    static PUBLISHED: RefCell<Vec<(String, Seal)>> = const { RefCell::new(Vec::new()) };
}

/// The seal at a place, which is its number in that list.
fn published_at(SealPlace(place): SealPlace) -> Option<Seal> {
    PUBLISHED.with_borrow(|list| list.get(place as usize).map(|(_, seal)| *seal))
}

/// The place of a seal that was published.
fn place_of(seal: &Seal) -> SealPlace {
    let place = PUBLISHED.with_borrow(|list| list.iter().rposition(|(_, other)| other == seal));
    SealPlace(u32::try_from(place.expect("it was published")).expect("a short list"))
}

/// The labels of the seals that were published since there were so many.
fn labels_since(count: usize) -> Vec<String> {
    PUBLISHED.with_borrow(|list| list.iter().skip(count).map(|(label, _)| label.clone()).collect())
}

/// Judges openings by the invented way of sealing, and takes every seal for a new one.
struct Honest;

impl Facts for Honest {
    fn publish(&mut self, _: Side, label: &str, seal: &Seal) -> Option<SealPlace> {
        PUBLISHED.with_borrow_mut(|list| list.push((label.to_owned(), *seal)));
        Some(place_of(seal))
    }

    fn seal_at(&self, place: SealPlace) -> Option<Seal> {
        published_at(place)
    }

    fn opens(&mut self, side: Side, label: &str, payload: &str, seal: &Seal, nonce: &Nonce) -> bool {
        (*seal, *nonce) == made_up(side, label, payload)
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        Faces::new()
    }
}

/// The owner of a side's secret with the invented way of sealing.
struct Owner(Side);

impl Keeper for Owner {
    fn seal(&mut self, label: &str, payload: &str) -> Result<Seal, Lost> {
        Ok(made_up(self.0, label, payload).0)
    }

    fn open(&mut self, label: &str, payload: &str, seal: &Seal) -> Result<Nonce, Lost> {
        let (own, nonce) = made_up(self.0, label, payload);
        if own == *seal { Ok(nonce) } else { Err(Lost("not this one".into())) }
    }

    fn recall(
        &mut self,
        label: &str,
        seal: &Seal,
        payloads: &postrider_kernel::Payloads<'_>,
    ) -> Result<(String, Nonce), Lost> {
        let mut found = None;
        payloads(&mut |payload| {
            let (own, nonce) = made_up(self.0, label, payload);
            if own == *seal {
                found = Some((payload.to_owned(), nonce));
            }
            own == *seal
        });
        found.ok_or_else(|| Lost(format!("not the secret of {label}")))
    }

    fn seal_at(&self, place: SealPlace) -> Option<Seal> {
        published_at(place)
    }

    fn salt(&mut self) -> Result<Salt, Lost> {
        Err(Lost("there is no salt in this game".into()))
    }

    fn below(&mut self, _: u32) -> Result<u32, Lost> {
        Err(Lost("there is no chance in this game".into()))
    }
}

/// What a player typed, completed with its seals and openings.
fn completed(game: &Subsume, typed: &str) -> Vec<Action> {
    let typed = if typed.is_empty() { Vec::new() } else { read(typed) };
    game.complete(&typed, &mut Owner(game.state.due())).unwrap_or_else(|fault| panic!("{fault:?}"))
}

/// Completes and plays what a player typed; returns the entry as in a record.
fn enter(game: &mut Subsume, typed: &str) -> String {
    let entry = completed(game, typed);
    let turn = Turn { actions: &entry, offers: false, facts: &mut Honest };
    if let Err(illegal) = game.try_turn(turn) {
        panic!("{typed} at {}: {illegal:?}", game.position());
    }
    write(&entry)
}

/// Positions in which a lot can happen.
const RICH: [&str; 12] = [
    "W c1 IIIII; W c2 DDDDD; B c3 AI; W d1 AAAAA; W d2 IADIA; W e1 AD; B h8 D; to play white",
    "W c1 AIDAI; W c2 IIII; W d1 DDDD; W d2 AAA; B e2 DI; B e8 A; to play white",
    "W a1/2 IADIADIADIAD; W a3/2 ADIADIADIADI; W c1/2 DIADIADIADIA; W c3/2 IADIADIADIAD; B e3 IAD; B h8 D; to play white",
    "W c3/2 IADIADIADIAD; B e3 DAI; B h8 I; to play white",
    "W a1/4 IADDAIADIADDAIADIADDAIADIADDAIAD; B e2 AD; B h8 I; to play white",
    "W c3/4 IIIIIIIIIIIIIIIII; B g4 D; to play white",
    "W b3/2 AAAA; B d3/2 DDIA; W e6 A; B h8 I; to play white",
    "W a1/4 AAAAAAAAAAIIIADD; W d5 D; B e2/2 DDIA; B e4/2 IIAADD; to play white",
    "W d4 ADI; W e3 IA; B e4 DIA; B e5 A; W f4 DAI; to play white",
    "W b3 I; W c3/2 IADIADIADIAD; B h8 I; to play white",
    "B b7 ID; W c6 DA; W d6/2 IADIA; B d8 DDI; B f7 A; to play black",
    "W a8 I; W b8 A; W c8 D; W d8 I; W e8 A; W f8 D; W g8 I; W h7 AD; to play white",
];

/// Plays random turns from a position, as briefly as listed, and shows the game and the actions begun at every step.
fn random_turns(
    game: &mut Subsume,
    numbers: &mut Xorshift,
    turns: usize,
    mut show: impl FnMut(&Subsume, &[Action], &Next),
) {
    for _ in 0..turns {
        if game.outcome().is_some() {
            return;
        }
        let mut begun = completed(game, "");
        loop {
            let next = next(game, &begun);
            show(game, &begun, &next);
            // The more there is to do in a turn, the longer it is.
            if next.actions.is_empty() || next.whole && numbers.below(6) == 0 {
                break;
            }
            let fights: Vec<_> = next.actions.iter().filter(|action| action.contains(['x', '=', '^'])).collect();
            let action = match fights.as_slice() {
                [] => &next.actions[numbers.below(next.actions.len())],
                some if numbers.below(2) == 0 => some[numbers.below(some.len())],
                _ => &next.actions[numbers.below(next.actions.len())],
            };
            begun.extend(read(action));
            begun = game.complete(&begun, &mut Owner(game.state.due())).expect("a beginning");
        }
        if begun.is_empty() {
            return;
        }
        game.try_turn(Turn { actions: &begun, offers: false, facts: &mut Honest })
            .unwrap_or_else(|illegal| panic!("{} at {}: {illegal:?}", write(&begun), game.position()));
    }
}
