//! Sealed play from the player's side: what is added to what was typed, what a hand contains, what may have been
//! sealed.

use crate::mission_combat::board::cards::{CARDS, CardId, Decks, UNITS};
use crate::mission_combat::notation::{Action, Made, Opening};
use crate::mission_combat::position::state::{MissionCombat, Phase, of};
use crate::mission_combat::rules::advice::listed;
use crate::mission_combat::rules::{M53, M56};
use crate::mission_combat::sealed::shoe::{Place, Shown, Step, first_generation};
use crate::mission_combat::sealed::{TOSS, bit};
use postrider_kernel::{Game as _, Illegal, Incomplete, Keeper, Lost, Nonce, Root, Seal, Seeded, Side, Trusting, Turn};

/// Calls `each` with every payload that a side may have sealed under a label.
pub(in crate::mission_combat) fn payloads(decks: &Decks, side: Side, label: &str, each: &mut dyn FnMut(&str) -> bool) {
    if label == TOSS {
        let _ = each(bit(false)) || each(bit(true));
        return;
    }
    decks.of(side).iter().any(|card| each(&card.slug));
}

/// The list in random order, with all orders equally likely.
fn shuffled<T>(mut list: Vec<T>, keeper: &mut dyn Keeper) -> Result<Vec<T>, Lost> {
    for last in (1..list.len()).rev() {
        let bound = u32::try_from(last).unwrap_or(u32::MAX).saturating_add(1);
        let with = usize::try_from(keeper.below(bound)?).unwrap_or(0);
        list.swap(last, with.min(last));
    }
    Ok(list)
}

impl MissionCombat {
    /// The card that a side sealed at a place in its deck, and what opens it.
    fn recall(&self, side: Side, place: Place, keeper: &mut dyn Keeper) -> Result<Option<(CardId, Nonce)>, Lost> {
        let Some(shoe) = self.sealed.as_ref().map(|sealed| sealed.shoe(side)) else { return Ok(None) };
        let kept = || shoe.seal_of(place).and_then(|kept| keeper.seal_at(kept));
        match shoe.newest_seal(place).or_else(kept) {
            Some(seal) => self.recall_sealed(side, place, &seal, keeper),
            None => Ok(None),
        }
    }

    /// The same, of a seal that is known.
    fn recall_sealed(
        &self,
        side: Side,
        place: Place,
        seal: &Seal,
        keeper: &mut dyn Keeper,
    ) -> Result<Option<(CardId, Nonce)>, Lost> {
        let label = place.label();
        let decks = self.decks();
        let (slug, nonce) = keeper.recall(&label, seal, &|each| payloads(decks, side, &label, each))?;
        Ok(decks.find(side, &slug).map(|card| (card, nonce)))
    }

    /// Adds the cards of a side's hand to the state.
    pub(in crate::mission_combat) fn look_at_hand(&mut self, side: Side, keeper: &mut dyn Keeper) -> Result<(), Lost> {
        let Some(sealed) = &self.sealed else { return Ok(()) };
        let shoe = sealed.shoe(side);
        let (hand, generation) = (shoe.hand.clone(), shoe.current());
        // What was dealt of a deck that is not in the record yet is known to whoever made it (M61).
        let unwritten = match shoe.picked.filter(|_| shoe.shown != Shown::Seals && shoe.is_dealt_from()) {
            Some(_) => self.sealed_cards(side, self.next_laid(side), keeper)?,
            None => Vec::new(),
        };
        for place in hand {
            let nth = place.place.checked_sub(1).filter(|_| place.generation == generation);
            let seal = nth.and_then(|nth| unwritten.get(nth as usize));
            let found = match seal {
                Some(seal) => self.recall_sealed(side, place, seal, keeper)?,
                None => self.recall(side, place, keeper)?,
            };
            if let Some((card, _)) = found
                && let Some(sealed) = &mut self.sealed
            {
                sealed.shoe_mut(side).known.insert(place, card);
            }
        }
        Ok(())
    }

    /// Adds what M50 to M57 require. What is illegal without it is left as typed, for the referee to refuse.
    pub(in crate::mission_combat) fn fill_in(
        &self,
        typed: &[Action],
        keeper: &mut dyn Keeper,
    ) -> Result<Vec<Action>, Incomplete> {
        let mut entry = Vec::new();
        let mut typed = typed.iter();
        if self.sealed.is_none() {
            return Ok(typed.cloned().collect());
        }
        let side = self.due_side();
        let mut game = self.clone();
        loop {
            if game.due_side() != side || game.outcome().is_some() {
                break;
            }
            let action = match game.step() {
                Some((_, step)) => match game.step_action(side, step, &mut typed, entry.len(), keeper)? {
                    Some(action) => action,
                    None => break,
                },
                None => match typed.next() {
                    Some(action) => game.with_opening(side, action, entry.len(), keeper)?,
                    None => break,
                },
            };
            let fits = game.act(side, &action, &mut Trusting).is_ok();
            entry.push(action);
            if !fits {
                break;
            }
        }
        entry.extend(typed.cloned());
        Ok(entry)
    }

    /// The game after the steps that the entry must begin with, if its player then has a choice; `None` if there are
    /// none, or if they are the whole entry.
    pub(in crate::mission_combat) fn after_forced_steps(&self, turn: Turn<'_, Action>) -> Option<Self> {
        let side = self.due_side();
        if turn.actions.is_empty() || self.sealed.is_none() {
            return None;
        }
        let mut after = self.clone();
        after.play_all(side, self.phase, turn.actions, turn.facts).ok()?;
        (after.due_side() == side && after.outcome().is_none()).then_some(after)
    }

    /// The action for a step: the one that was typed, or one made for it; `None` if its owner has to choose.
    fn step_action(
        &self,
        side: Side,
        step: Step,
        typed: &mut std::slice::Iter<'_, Action>,
        part: usize,
        keeper: &mut dyn Keeper,
    ) -> Result<Option<Action>, Incomplete> {
        let next = typed.as_slice().first();
        let same_kind = next.is_some_and(|action| match (step, action) {
            (Step::TossSeal, Action::TossSeal(_))
            | (Step::Guess, Action::Guess(_))
            | (Step::Roots, Action::Roots(_))
            | (Step::Pick, Action::Pick(_))
            | (Step::Seeds, Action::Seeds(_))
            | (Step::Deck, Action::Deck(_))
            | (Step::DealAll | Step::Deal(_), Action::Deal(_))
            | (Step::Toss, Action::Toss(..))
            | (Step::Hand, Action::Hand(_))
            | (Step::Shuffle(_), Action::Shuffle(_))
            | (Step::ShuffleRoots(_), Action::ShuffleRoots(_)) => true,
            (Step::Event { .. }, Action::Discard(_, opening)) => opening.is_some(),
            _ => false,
        });
        if same_kind {
            return Ok(typed.next().cloned());
        }
        if let Some(Action::Made(word)) = next {
            match (step, word) {
                (Step::TossSeal | Step::Toss, Made::Toss)
                | (Step::Roots, Made::Roots)
                | (Step::Pick, Made::Pick)
                | (Step::Seeds, Made::Seeds)
                | (Step::Deck, Made::Deck)
                | (Step::DealAll | Step::Deal(_), Made::Deal)
                | (Step::Hand, Made::Hand)
                | (Step::Shuffle(_) | Step::ShuffleRoots(_), Made::Shuffle) => drop(typed.next()),
                // What precedes it in the same entry is made with it.
                (Step::TossSeal, Made::Deck | Made::Roots)
                | (Step::Roots, Made::Pick | Made::Deal)
                | (Step::Pick, Made::Deal | Made::Hand)
                | (Step::Seeds, Made::Deck | Made::Pick | Made::Deal | Made::Hand)
                | (Step::Deck, Made::Pick | Made::Deal | Made::Hand)
                | (Step::Toss, Made::Seeds | Made::Deck | Made::Pick | Made::Deal | Made::Hand)
                | (Step::DealAll, Made::Hand)
                | (Step::Seeds | Step::Deck, Made::Shuffle) => {}
                // Another step is due; judging says which.
                _ => return Ok(typed.next().cloned()),
            }
        }
        Ok(match step {
            Step::TossSeal => {
                let heads = keeper.below(2)? == 1;
                Some(Action::TossSeal(keeper.seal(TOSS, bit(heads))?))
            }
            Step::Guess => None,
            Step::Toss => {
                let Some(seal) = self.sealed.as_ref().and_then(|sealed| sealed.toss) else { return Ok(None) };
                let decks = self.decks();
                let (bit, nonce) = keeper.recall(TOSS, &seal, &|each| payloads(decks, side, TOSS, each))?;
                Some(Action::Toss(bit == "1", nonce))
            }
            Step::Roots => Some(Action::Roots(self.roots(side, step, &self.whole_deck(side), keeper)?)),
            Step::ShuffleRoots(_) => {
                Some(Action::ShuffleRoots(self.roots(side, step, of(&self.piles, side).as_slice(), keeper)?))
            }
            Step::Pick => {
                let Some(sealed) = &self.sealed else { return Ok(None) };
                let count = u32::try_from(sealed.decks_of(side, step)).unwrap_or(u32::MAX);
                Some(Action::Pick(keeper.below(count)?.saturating_add(1)))
            }
            Step::Seeds => {
                let Some(sealed) = &self.sealed else { return Ok(None) };
                let (shoe, laid) = (sealed.shoe(side), self.next_laid(side));
                let (cards, generation) = (self.slugs_of_cards(side, &laid), shoe.next());
                let roots = (1..).zip(shoe.roots.iter()).filter(|(number, _)| Some(*number) != shoe.picked);
                let seeds: Result<_, _> =
                    roots.map(|(deck, root)| keeper.seed(Seeded { deck, generation }, &cards, root)).collect();
                Some(Action::Seeds(seeds?))
            }
            Step::Deck => Some(Action::Deck(self.sealed_cards(side, self.next_laid(side), keeper)?)),
            Step::Shuffle(_) => {
                Some(Action::Shuffle(self.sealed_cards(side, of(&self.piles, side).clone(), keeper)?))
            }
            Step::DealAll => {
                let order = shuffled(first_generation().collect(), keeper)?;
                Some(Action::Deal(order.into_iter().map(Place::written).collect()))
            }
            Step::Deal(count) => {
                let Some(sealed) = &self.sealed else { return Ok(None) };
                let undealt = shuffled(sealed.shoe(side.other()).undealt().collect(), keeper)?;
                let chosen = undealt.into_iter().take(usize::try_from(count).unwrap_or(usize::MAX));
                Some(Action::Deal(chosen.map(Place::written).collect()))
            }
            Step::Hand => self.opening_hand(side, keeper)?.map(Action::Hand),
            Step::Event { from, .. } => self.next_event(side, from, keeper)?,
            Step::Discard => self.discard(side, typed, part, keeper)?,
        })
    }

    /// Makes as many decks of cards as a step requires, and returns their roots (Z26).
    fn roots(&self, side: Side, step: Step, cards: &[CardId], keeper: &mut dyn Keeper) -> Result<Vec<Root>, Lost> {
        let Some(sealed) = &self.sealed else { return Ok(Vec::new()) };
        let (cards, generation) = (self.slugs_of_cards(side, cards), sealed.shoe(side).next());
        let count = u32::try_from(sealed.decks_of(side, step)).unwrap_or(u32::MAX);
        (1..=count).map(|deck| keeper.root(Seeded { deck, generation }, &cards)).collect()
    }

    /// Seals cards in random order as the next generation of a deck (Z16).
    fn sealed_cards(&self, side: Side, cards: Vec<CardId>, keeper: &mut dyn Keeper) -> Result<Vec<Seal>, Lost> {
        let Some(sealed) = &self.sealed else { return Ok(Vec::new()) };
        // A later generation that is not made of several decks has the seed of the first one, if that was.
        if let Some(seeded) = sealed.shoe(side).next_seeded() {
            return keeper.deck(seeded, &self.slugs_of_cards(side, &cards));
        }
        let generation = sealed.shoe(side).current().saturating_add(1);
        let order = shuffled(cards, keeper)?;
        let seal = |(card, place): (CardId, u32)| {
            keeper.seal(&Place { generation, place }.label(), self.decks().slug(side, card))
        };
        order.into_iter().zip(1..).map(seal).collect()
    }

    /// M52: how many cards of the deal are taken for the opening hand, until it has five units.
    fn opening_hand(&self, side: Side, keeper: &mut dyn Keeper) -> Result<Option<u32>, Lost> {
        let Some(sealed) = &self.sealed else { return Ok(None) };
        let mut units = 0;
        for (place, count) in sealed.shoe(side).order.iter().zip(1..=CARDS) {
            let card = self.recall(side, Place { generation: 1, place: *place }, keeper)?;
            units += u32::from(card.is_some_and(|(card, _)| self.decks().unit(side, card).is_some()));
            if units == UNITS {
                return Ok(Some(count));
            }
        }
        Ok(None)
    }

    /// M52: the next event in the opening hand.
    fn next_event(&self, side: Side, from: usize, keeper: &mut dyn Keeper) -> Result<Option<Action>, Lost> {
        let Some(sealed) = &self.sealed else { return Ok(None) };
        for place in sealed.shoe(side).order.iter().skip(from) {
            let place = Place { generation: 1, place: *place };
            if let Some((card, nonce)) = self.recall(side, place, keeper)?
                && self.decks().unit(side, card).is_none()
            {
                let opening = Opening { position: place.written(), nonce };
                return Ok(Some(Action::Discard(self.decks().slug(side, card).into(), Some(opening))));
            }
        }
        Ok(None)
    }

    /// M56: the discard of one of two cards: the one that the player names, unless they are the same.
    fn discard(
        &self,
        side: Side,
        typed: &mut std::slice::Iter<'_, Action>,
        part: usize,
        keeper: &mut dyn Keeper,
    ) -> Result<Option<Action>, Incomplete> {
        let drawing = self.sealed.as_ref().and_then(|sealed| sealed.drawing.as_ref());
        let taken = drawing.map(|drawing| drawing.taken.clone()).unwrap_or_default();
        let mut pair = Vec::new();
        for place in taken {
            if let Some((card, nonce)) = self.recall(side, place, keeper)? {
                pair.push((card, Opening { position: place.written(), nonce }));
            }
        }
        let typed_slug = match typed.as_slice().first() {
            Some(Action::Discard(slug, None)) => Some(slug.clone()),
            Some(Action::Discard(..)) => return Ok(typed.next().cloned()),
            _ => None,
        };
        let slug_of = |card: CardId| self.decks().slug(side, card);
        let alike = matches!(pair.as_slice(), [(one, _), (two, _)] if one == two);
        let chosen = typed_slug.as_ref().and_then(|slug| pair.iter().find(|(card, _)| slug_of(*card) == &**slug));
        if chosen.is_some() {
            typed.next();
        }
        // If both cards are the same there is no choice, and what was typed may refer to the next pair.
        match (chosen.or_else(|| pair.first().filter(|_| alike)), typed_slug) {
            (Some((card, opening)), _) => Ok(Some(Action::Discard(slug_of(*card).into(), Some(*opening)))),
            (None, None) => Ok(typed.next().cloned()),
            (None, Some(slug)) => {
                let cards: Vec<_> = pair.iter().map(|(card, _)| format!("`discard {}`", slug_of(*card))).collect();
                let message = format!("{slug} is neither of the two cards drawn");
                Err(Incomplete::Illegal(Illegal::new(M56, part, message).with_help(cards.join(" or "))))
            }
        }
    }

    /// A typed action with the opening that it lacks, if the card is in the hand (M53).
    fn with_opening(
        &self,
        side: Side,
        action: &Action,
        part: usize,
        keeper: &mut dyn Keeper,
    ) -> Result<Action, Incomplete> {
        let (Action::Place(slug, _, None) | Action::Play(slug, _, None) | Action::Event(slug, _, None)) = action else {
            return Ok(action.clone());
        };
        let wanted = self.decks().find(side, slug);
        let hand = self.sealed.as_ref().map(|sealed| sealed.shoe(side).hand.clone()).unwrap_or_default();
        let mut found = None;
        let mut others = Vec::new();
        for place in hand {
            let Some((card, nonce)) = self.recall(side, place, keeper)? else { continue };
            if Some(card) == wanted {
                found = Some(Opening { position: place.written(), nonce });
                break;
            }
            others.push(card);
        }
        let Some(opening) = found else {
            let rule = match (self.phase, action) {
                (Phase::Placing, _) => crate::mission_combat::rules::M17,
                (_, Action::Event(..)) => crate::mission_combat::rules::M25,
                (_, Action::Play(..)) => crate::mission_combat::rules::M23,
                _ => M53,
            };
            others.sort_unstable();
            others.dedup();
            let own = listed(others.iter().map(|card| self.decks().slug(side, *card).to_owned()), "no card");
            let illegal = Illegal::new(rule, part, format!("there is no {slug} in the hand"));
            return Err(Incomplete::Illegal(illegal.with_help(format!("in the hand: {own}"))));
        };
        let mut action = action.clone();
        if let Action::Place(.., place) | Action::Play(.., place) | Action::Event(.., place) = &mut action {
            *place = Some(opening);
        }
        Ok(action)
    }

    /// The steps of sealed play that are due, as shown to people.
    pub(in crate::mission_combat) fn steps_in_brief(&self) -> Vec<String> {
        let Some((side, step)) = self.step() else { return Vec::new() };
        let word = match step {
            Step::Guess => return vec!["guess 0".into(), "guess 1".into()],
            Step::Discard => {
                let drawing = self.sealed.as_ref().and_then(|sealed| sealed.drawing.as_ref());
                let known = self.sealed.as_ref().map(|sealed| &sealed.shoe(side).known);
                let taken = drawing.map(|drawing| drawing.taken.clone()).unwrap_or_default();
                let card = |place: &Place| known.and_then(|known| known.get(place));
                let cards: Vec<_> = taken.iter().filter_map(card).collect();
                return cards.iter().map(|card| format!("discard {}", self.decks().slug(side, **card))).collect();
            }
            Step::Event { .. } => "discard",
            Step::TossSeal | Step::Toss => "toss",
            Step::Roots => "roots",
            Step::Pick => "pick",
            Step::Seeds => "seeds",
            Step::Deck => "deck",
            Step::DealAll | Step::Deal(_) => "deal",
            Step::Hand => "hand",
            Step::Shuffle(_) | Step::ShuffleRoots(_) => "shuffle",
        };
        vec![word.to_owned()]
    }
}
