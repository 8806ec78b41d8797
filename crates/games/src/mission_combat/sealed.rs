//! Judging and playing the steps of sealed play (M50 to M61).

pub(crate) mod shoe;

use super::notation::{Action, Opening, Position};
use super::rules::{M51, M52, M53, M55, M56, M57, M59, M61};
use crate::mission_combat::board::cards::{CARDS, CardId, UNITS};
use crate::mission_combat::position::state::{MissionCombat, Phase, of, of_mut};
use crate::mission_combat::rules::judge::refuse;
use crate::mission_combat::sealed::shoe::{Drawing, Place, Sealed, Shown, Step, is_of_first_generation};
use postrider_kernel::seal_rules::{Z3, Z6, Z18, Z27};
use postrider_kernel::{Facts, Holding, Illegal, Nonce, Root, Rule, Seal, Seed, Seeded, Side};

/// The label of the toss (M50).
pub(super) const TOSS: &str = "toss";

/// What is sealed for the toss.
pub(super) const fn bit(heads: bool) -> &'static str {
    if heads { "1" } else { "0" }
}

impl MissionCombat {
    /// Judges an action of the kind that the step requires, and plays it.
    pub(super) fn act_sealed(
        &mut self,
        side: Side,
        step: Step,
        action: &Action,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        match (step, action) {
            (Step::TossSeal, Action::TossSeal(seal)) => {
                publish(facts, side, TOSS, seal)?;
                self.with_sealed(|sealed| sealed.toss = Some(*seal));
            }
            (Step::Guess, Action::Guess(guess)) => self.with_sealed(|sealed| sealed.guess = *guess),
            (Step::Toss, Action::Toss(heads, nonce)) => self.judge_toss(side, *heads, nonce, facts)?,
            (Step::Roots, Action::Roots(roots)) => self.judge_roots(side, roots, facts)?,
            (Step::Pick, Action::Pick(number)) => self.judge_pick(side, *number)?,
            (Step::Seeds, Action::Seeds(seeds)) => self.judge_seeds(side, seeds, facts)?,
            (Step::Deck, Action::Deck(seals)) => self.judge_deck(side, seals, facts)?,
            (Step::DealAll, Action::Deal(list)) => {
                let places = self.judge_deal(M51, side.other(), list, CARDS)?;
                let order = places.iter().map(|place| place.place).collect();
                self.with_sealed(|sealed| sealed.shoe_mut(side.other()).order = order);
            }
            (Step::Hand, Action::Hand(count)) => return self.judge_hand(side, *count),
            (Step::Event { left, from }, Action::Discard(slug, Some(opening))) => {
                return self.judge_opening_discard(side, (left, from), slug, *opening, facts);
            }
            (Step::Deal(count), Action::Deal(list)) => {
                let drawer = side.other();
                let places = self.judge_deal(M55, drawer, list, count)?;
                self.with_sealed(|sealed| {
                    places.iter().for_each(|place| sealed.shoe_mut(drawer).deal(*place));
                    if let Some(drawing) = &mut sealed.drawing {
                        drawing.dealt.extend(places);
                    }
                });
                self.draw_on();
                return Ok(());
            }
            (Step::Discard, Action::Discard(slug, Some(opening))) => {
                return self.judge_discard(side, slug, *opening, facts);
            }
            (Step::Event { .. } | Step::Discard, Action::Discard(_, None)) => {
                return refuse(
                    M53,
                    "the card is opened as it is discarded, and its opening is not here",
                    "the program of its owner adds it",
                );
            }
            (Step::Shuffle(count), Action::Shuffle(seals)) => {
                if u32::try_from(seals.len()) != Ok(count) {
                    let message = format!("the discard pile has {count} cards, and here are {} seals", seals.len());
                    return refuse(M57, message, "`shuffle` alone seals the pile in a random order");
                }
                let laid = std::mem::take(of_mut(&mut self.piles, side));
                self.judge_seals(side, seals, &laid, facts)?;
                self.draw_on();
                return Ok(());
            }
            (Step::ShuffleRoots(_), Action::ShuffleRoots(roots)) => {
                self.judge_shuffle_roots(side, roots, facts)?;
                self.draw_on();
                return Ok(());
            }
            // The kinds were compared before.
            _ => return Ok(()),
        }
        if self.sealed.as_ref().is_some_and(|sealed| sealed.drawing.is_some()) {
            self.draw_on();
        } else {
            self.with_sealed(|sealed| sealed.opening_goes_on((side, step)));
        }
        Ok(())
    }

    fn with_sealed(&mut self, change: impl FnOnce(&mut Sealed)) {
        if let Some(sealed) = &mut self.sealed {
            change(sealed);
        }
    }

    /// M50: the toss is opened, and decides who starts.
    fn judge_toss(&mut self, side: Side, heads: bool, nonce: &Nonce, facts: &mut dyn Facts) -> Result<(), Illegal> {
        let seal = self.sealed.as_ref().and_then(|sealed| sealed.toss);
        if !seal.is_some_and(|seal| facts.opens(side, TOSS, bit(heads), &seal, nonce)) {
            let message = format!("this does not open the toss that was sealed as {}", bit(heads));
            return refuse(Z3, message, "`toss` alone opens it from the own secret");
        }
        self.with_sealed(|sealed| sealed.start = if sealed.guess == heads { side.other() } else { side });
        Ok(())
    }

    /// M59, Z6: the roots of all decks, which must differ from each other and from those of the other side.
    fn judge_roots(&mut self, side: Side, roots: &[Root], facts: &mut dyn Facts) -> Result<(), Illegal> {
        let Some(sealed) = &mut self.sealed else { return Ok(()) };
        if u32::try_from(roots.len()) != Ok(sealed.decks) {
            let message =
                format!("each side seals {} decks here, one root each, and here are {}", sealed.decks, roots.len());
            return refuse(M59, message, "`roots` alone makes them all");
        }
        all_differ(roots, &sealed.shoe(side.other()).roots)?;
        sealed.shoe_mut(side).roots = roots.into();
        facts.rooted(side, 1);
        Ok(())
    }

    /// M61: the roots of the decks of a later generation, made of the discard pile.
    fn judge_shuffle_roots(&mut self, side: Side, roots: &[Root], facts: &mut dyn Facts) -> Result<(), Illegal> {
        let laid = std::mem::take(of_mut(&mut self.piles, side));
        let Some(sealed) = &mut self.sealed else { return Ok(()) };
        if u32::try_from(roots.len()) != Ok(sealed.shuffles) {
            let message = format!(
                "the pile is shuffled as {} decks here, one root each, and here are {}",
                sealed.shuffles,
                roots.len()
            );
            return refuse(M61, message, "`shuffle` alone makes them all");
        }
        all_differ(roots, &sealed.shoe(side.other()).roots)?;
        let shoe = sealed.shoe_mut(side);
        shoe.begin_with_roots(roots, &laid);
        facts.rooted(side, shoe.current());
        Ok(())
    }

    /// M59, M61: one of the other side's decks is picked.
    fn judge_pick(&mut self, side: Side, number: u32) -> Result<(), Illegal> {
        let rule = self.rule_of_several(side.other());
        let Some(sealed) = &mut self.sealed else { return Ok(()) };
        let count = sealed.decks_of(side, Step::Pick);
        if number == 0 || number as usize > count {
            let message = format!("there are {count} decks to pick from, and no deck {number}");
            return refuse(rule, message, "`pick` alone picks one at random");
        }
        sealed.shoe_mut(side.other()).picked = Some(number);
        Ok(())
    }

    /// How many decks a step of sealed play speaks of.
    pub(super) fn decks_of(&self, side: Side, step: Step) -> usize {
        self.sealed.as_ref().map_or(0, |sealed| sealed.decks_of(side, step))
    }

    /// The rule by which a side has several decks now.
    pub(super) fn rule_of_several(&self, side: Side) -> Rule {
        let is_later = self.sealed.as_ref().is_some_and(|sealed| sealed.shoe(side).shown != Shown::Seals);
        if is_later { M61 } else { M59 }
    }

    /// The cards of the deck whose seals are due, in their order before shuffling.
    pub(super) fn next_laid(&self, side: Side) -> Vec<CardId> {
        match self.sealed.as_ref().map(|sealed| sealed.shoe(side)) {
            Some(shoe) if shoe.shown != Shown::Seals => shoe.laid(shoe.current()).collect(),
            _ => self.whole_deck(side),
        }
    }

    /// M51, M61: the seals of a deck.
    fn judge_deck(&mut self, side: Side, seals: &[Seal], facts: &mut dyn Facts) -> Result<(), Illegal> {
        let Some(sealed) = &self.sealed else { return Ok(()) };
        let (count, is_later) = (sealed.cards_of_deck(side), sealed.shoe(side).shown != Shown::Seals);
        if u32::try_from(seals.len()) != Ok(count) {
            let message = format!("the deck is {count} seals, and here are {}", seals.len());
            return refuse(if is_later { M61 } else { M51 }, message, "`deck` alone seals the deck in a random order");
        }
        self.judge_picked(side, seals, facts)?;
        if !is_later {
            let laid = self.whole_deck(side);
            return self.judge_seals(side, seals, &laid, facts);
        }
        let Some(sealed) = &mut self.sealed else { return Ok(()) };
        let shoe = sealed.shoe_mut(side);
        let Some(seeded) = shoe.next_seeded() else { return Ok(()) };
        let mut places = Vec::with_capacity(seals.len());
        for (seal, place) in seals.iter().zip(1..) {
            let label = Place { generation: seeded.generation, place }.label();
            let Some(kept) = facts.publish_of_deck(side, &label, seal, seeded) else { return refuse_second_seal() };
            places.push(kept);
        }
        shoe.seal_newest(seals, &places);
        Ok(())
    }

    /// M59, M61, Z27: the seeds of the decks that were not picked must give their roots.
    fn judge_seeds(&mut self, side: Side, seeds: &[Seed], facts: &mut dyn Facts) -> Result<(), Illegal> {
        let Some(sealed) = &self.sealed else { return Ok(()) };
        let shoe = sealed.shoe(side);
        let Some((picked, _)) = shoe.picked_root() else { return Ok(()) };
        let count = sealed.decks_of(side, Step::Seeds);
        if seeds.len() != count {
            let message = format!("{count} decks were not picked, and here are {} seeds", seeds.len());
            let help = format!("`seeds` alone shows them all, that of deck {picked} left out");
            return refuse(self.rule_of_several(side), message, help);
        }
        let laid = self.next_laid(side);
        let cards = self.slugs_of_cards(side, &laid);
        let generation = shoe.next();
        for (seed, number) in seeds.iter().zip((1..).filter(|number| *number != picked)) {
            let (root, deck) = (shoe.root(number), Seeded { deck: number, generation });
            if !root.is_some_and(|root| facts.seed_fits(side, deck, seed, &cards, &root)) {
                let message = format!(
                    "the seed of deck {number} does not give its root: what was sealed as deck {number} is not the {} cards \
                     in the order of a seed, or this is not its seed",
                    cards.len()
                );
                let help = root.map(|root| format!("deck {number} was fixed by root:{root}")).unwrap_or_default();
                return refuse(Z27, message, help);
            }
        }
        self.with_sealed(|sealed| {
            let shoe = sealed.shoe_mut(side);
            if shoe.shown == Shown::Roots {
                shoe.shown = Shown::Seeds;
            }
        });
        Ok(())
    }

    /// Z27: the seals of the deck that was picked must give its root. With one deck there is no root.
    fn judge_picked(&self, side: Side, seals: &[Seal], facts: &mut dyn Facts) -> Result<(), Illegal> {
        let shoe = self.sealed.as_ref().map(|sealed| sealed.shoe(side));
        let picked = shoe.and_then(|shoe| Some((shoe.next_seeded()?, shoe.picked_root()?)));
        match picked {
            Some((deck, (number, root))) if !facts.seals_fit(side, deck, seals, &root) => {
                let message =
                    format!("these are not the seals of deck {number}, which was picked: they do not give its root");
                refuse(Z27, message, format!("deck {number} was fixed by root:{root}"))
            }
            _ => Ok(()),
        }
    }

    /// The cards of a side's deck in the order of the list, with all copies.
    pub(super) fn whole_deck(&self, side: Side) -> Vec<CardId> {
        let cards = self.decks().of(side).iter().zip(0..);
        cards.flat_map(|(card, id)| std::iter::repeat_n(id, card.copies as usize)).collect()
    }

    pub(super) fn slugs_of_cards(&self, side: Side, cards: &[CardId]) -> Vec<&str> {
        cards.iter().map(|card| self.decks().slug(side, *card)).collect()
    }

    /// Publishes the seals of a new generation (Z16), of these cards in their order before shuffling.
    fn judge_seals(
        &mut self,
        side: Side,
        seals: &[Seal],
        laid: &[CardId],
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let Some(sealed) = &mut self.sealed else { return Ok(()) };
        let shoe = sealed.shoe_mut(side);
        let generation = shoe.current().saturating_add(1);
        let seeded = shoe.next_seeded();
        shoe.begin_generation(seals);
        for ((seal, laid), place) in seals.iter().zip(laid).zip(1..) {
            let label = Place { generation, place }.label();
            let kept = match seeded {
                Some(seeded) => facts.publish_of_deck(side, &label, seal, seeded),
                None => facts.publish(side, &label, seal),
            };
            let Some(kept) = kept else { return refuse_second_seal() };
            shoe.add(kept, *laid);
        }
        Ok(())
    }

    /// The places that a deal of `owner`'s cards names: `count` of them, undealt and all different (M51, M55).
    fn judge_deal(&self, rule: Rule, owner: Side, list: &[Position], count: u32) -> Result<Vec<Place>, Illegal> {
        if u32::try_from(list.len()) != Ok(count) {
            let message = format!("{count} positions are to be dealt, and here are {}", list.len());
            return refuse(rule, message, format!("`deal` alone deals at random; {}", self.undealt_in_words(owner)));
        }
        let Some(sealed) = &self.sealed else { return Ok(Vec::new()) };
        let shoe = sealed.shoe(owner);
        // The opening deals a deck that may still be known by its root alone (M60).
        let undealt = |place: &Place| match rule == M51 {
            true => is_of_first_generation(*place),
            false => shoe.is_undealt(*place),
        };
        // A bit for each place that was named: a generation has no more of them.
        let mut named = 0u64;
        let mut places: Vec<Place> = Vec::with_capacity(list.len());
        for position in list {
            let Some(place) = Place::of(*position).filter(undealt) else {
                let message = format!("{position} is not an undealt position of the other side's deck");
                return refuse(rule, message, self.undealt_in_words(owner));
            };
            let bit = 1u64.checked_shl(place.place).unwrap_or(0);
            if named & bit != 0 {
                let message = format!("{position} is dealt twice");
                return refuse(rule, message, self.undealt_in_words(owner));
            }
            named |= bit;
            places.push(place);
        }
        Ok(places)
    }

    /// M52: how much of the deal is the opening hand.
    fn judge_hand(&mut self, side: Side, count: u32) -> Result<(), Illegal> {
        if !(UNITS..=CARDS).contains(&count) {
            let message = format!("an opening hand takes {UNITS} to {CARDS} cards of the deal, not {count}");
            return refuse(M52, message, "`hand` alone takes as many as it needs for five units");
        }
        self.with_sealed(|sealed| {
            let shoe = sealed.shoe_mut(side);
            let order = std::mem::take(&mut shoe.order);
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            for place in order.iter().take(count) {
                shoe.deal(Place { generation: 1, place: *place });
            }
            shoe.order = order.into_iter().take(count).collect();
        });
        self.opening_discards(side, count - UNITS, 0);
        Ok(())
    }

    /// M52: `left` events are still to be discarded; then the other side's hand is due, or the first placement.
    fn opening_discards(&mut self, side: Side, left: u32, from: usize) {
        let Some(sealed) = &mut self.sealed else { return };
        sealed.opening_goes_on((side, Step::Event { left, from }));
        if sealed.step.is_none() {
            self.phase = Phase::Placing;
            self.board.to_play = sealed.start;
        }
    }

    /// M52: an event of the opening hand.
    fn judge_opening_discard(
        &mut self,
        side: Side,
        (left, from): (u32, usize),
        slug: &str,
        opening: Opening,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let card = self.decks().find(side, slug).filter(|card| self.decks().unit(side, *card).is_none());
        let Some(card) = card else {
            let message = format!("`{slug}` is not an event of the side's deck");
            return refuse(M52, message, self.in_hand_in_words(false));
        };
        let Some(sealed) = &self.sealed else { return Ok(()) };
        let shoe = sealed.shoe(side);
        if let Some(place) = Place::of(opening.position).filter(|place| shoe.hand.contains(place)) {
            let nth = shoe.order.iter().position(|dealt| *dealt == place.place);
            match nth {
                Some(nth) if nth + 1 == shoe.order.len() => {
                    let message =
                        "the last card of the hand is not an event: the hand would have been complete before it";
                    return refuse(M52, message, "`hand` and a smaller number, or an event before it");
                }
                Some(nth) if nth >= from => {
                    self.open_card(side, card, opening, facts)?;
                    of_mut(&mut self.piles, side).push(card);
                    self.opening_discards(side, left - 1, nth + 1);
                    return Ok(());
                }
                _ => {
                    let message = "the events are discarded in the order in which they were dealt";
                    return refuse(M52, message, "an event of a later position of the deal");
                }
            }
        }
        self.open_card(side, card, opening, facts)
    }

    /// M56: one of two cards drawn is discarded.
    fn judge_discard(
        &mut self,
        side: Side,
        slug: &str,
        opening: Opening,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let Some(card) = self.decks().find(side, slug) else {
            let message = format!("there is no `{slug}` among the cards of the side");
            return refuse(M56, message, "`discard` and one of the two cards drawn");
        };
        let drawing = self.sealed.as_ref().and_then(|sealed| sealed.drawing.as_ref());
        let taken = drawing.map(|drawing| drawing.taken.as_slice()).unwrap_or_default();
        let in_hand = self.in_hand(side, opening.position);
        if in_hand.is_some_and(|place| !taken.contains(&place)) {
            let pair: Vec<_> = taken.iter().map(|place| place.written().to_string()).collect();
            let message = format!("{} is neither of the two cards just drawn", opening.position);
            return refuse(M56, message, format!("they are at {}", pair.join(" and ")));
        }
        self.open_card(side, card, opening, facts)?;
        of_mut(&mut self.piles, side).push(card);
        self.with_sealed(|sealed| {
            if let Some(drawing) = &mut sealed.drawing {
                drawing.discarded();
            }
        });
        self.draw_on();
        Ok(())
    }

    /// The place of a card in a hand.
    fn in_hand(&self, side: Side, position: Position) -> Option<Place> {
        let hand = &self.sealed.as_ref()?.shoe(side).hand;
        Place::of(position).filter(|place| hand.contains(place))
    }

    /// M53, Z3, Z18: opens a card in the hand.
    pub(super) fn open_card(
        &mut self,
        side: Side,
        card: CardId,
        Opening { position, nonce }: Opening,
        facts: &mut dyn Facts,
    ) -> Result<(), Illegal> {
        let Some(place) = self.in_hand(side, position) else {
            return refuse(M53, format!("{position} is not a card in the hand"), self.positions_in_words(side));
        };
        let slug = self.board.decks.slug(side, card);
        let Some(sealed) = &mut self.sealed else { return Ok(()) };
        let shoe = sealed.shoe_mut(side);
        let (label, newest, kept) = (place.label(), shoe.newest_seal(place), shoe.seal_of(place));
        let opens = match newest {
            Some(seal) => facts.opens(side, &label, slug, &seal, &nonce),
            None => kept.is_some_and(|kept| facts.opens_at(side, &label, slug, kept, &nonce)),
        };
        if !opens {
            let message = format!("this does not open the card {position}, `{label}`, as {slug}");
            let seal = newest.or_else(|| kept.and_then(|kept| facts.seal_at(kept)));
            let help = seal.map(|seal| format!("SHA-256 of its text must be {seal}")).unwrap_or_default();
            return refuse(Z3, message, help);
        }
        if !shoe.open(place, card) {
            let held = shoe.laid(place.generation).filter(|laid| *laid == card).count();
            let message = format!("generation {} holds no more {slug}", place.generation);
            return refuse(Z18, message, format!("it held {held}, and all of them are already open above"));
        }
        Ok(())
    }

    /// M55: the side to play has asked for `times` draw actions.
    pub(super) fn begin_drawing(&mut self, times: u32, hq: bool) {
        self.with_sealed(|sealed| sealed.drawing = Some(Drawing::new(times, hq)));
        self.draw_on();
    }

    /// Continues the draw actions until something is due or everything is drawn.
    fn draw_on(&mut self) {
        let drawer = self.board.to_play;
        let pile = of(&self.piles, drawer).len();
        let Some(sealed) = &mut self.sealed else { return };
        let Some(mut drawing) = sealed.drawing.take() else { return };
        let step = match drawing.advance(drawer, sealed.shoe(drawer), pile) {
            Some((side, Step::Shuffle(count))) if sealed.shuffles > 1 => Some((side, Step::ShuffleRoots(count))),
            step => step,
        };
        sealed.drawing = step.is_some().then_some(drawing);
        sealed.step = step;
    }

    /// What each generation of a side's deck must contain in total (M58).
    pub(super) fn sealed_holdings(&self, side: Side) -> Vec<Holding> {
        let Some(sealed) = &self.sealed else { return Vec::new() };
        let shoe = sealed.shoe(side);
        let slugs = |cards: &[CardId]| -> Vec<String> {
            self.slugs_of_cards(side, cards).into_iter().map(str::to_owned).collect()
        };
        let holding = |number: u32| {
            let mut cards: Vec<CardId> = shoe.laid(number).collect();
            let (laid, what) = (slugs(&cards), format!("generation {number} of the deck"));
            if number == shoe.current() && shoe.shown != Shown::Seals {
                let deck = |deck: u32| Seeded { deck, generation: number };
                let roots = (1..).zip(shoe.roots.iter()).map(|(nth, root)| (deck(nth), *root)).collect();
                return Holding { what, labels: Vec::new(), payloads: Vec::new(), laid, roots };
            }
            cards.sort_unstable();
            let labels = (1..).take(cards.len()).map(|place| Place { generation: number, place }.label()).collect();
            Holding { what, labels, payloads: slugs(&cards), laid, roots: Vec::new() }
        };
        (1..=shoe.current()).map(holding).collect()
    }
}

/// Z6: no root is the same as another of its side here or one of the other side's newest.
fn all_differ(roots: &[Root], others: &[Root]) -> Result<(), Illegal> {
    let twice = roots
        .iter()
        .enumerate()
        .find(|(nth, root)| others.contains(root) || roots.iter().take(*nth).any(|earlier| earlier == *root));
    let Some((nth, _)) = twice else { return Ok(()) };
    let message = format!("the root of deck {} is already in the record: every root is different", nth + 1);
    refuse(Z6, message, "another root: each deck has a seed of its own")
}

/// Z6: no seal appears twice.
fn publish(facts: &mut dyn Facts, side: Side, label: &str, seal: &Seal) -> Result<(), Illegal> {
    facts.publish(side, label, seal).map_or_else(refuse_second_seal, |_| Ok(()))
}

fn refuse_second_seal() -> Result<(), Illegal> {
    refuse(
        Z6,
        "this seal is already in the record: every seal is different",
        "another seal: each has a nonce of its own",
    )
}
