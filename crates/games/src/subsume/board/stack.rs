//! A stack of tokens (U4), built for stacks of any height: the cost of an action depends on what it moves, not on what
//! is below.
//!
//! Tokens are in blocks that copies of a stack share, and so is the list of the blocks of a tall one. A block also has their types as bits, 64 to a word, so that a
//! conflict (U53) handles 64 pairs at a time and touches only blocks from which tokens leave.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::subsume::board::{Face, Kind, Token};

/// The most tokens in a block. Two neighbouring blocks with at most half as many tokens between them are merged.
const FULL: usize = 512;
/// Up to so many tokens are taken out of a block one by one.
const SINGLY: usize = 8;
/// The number of bits in a word.
const WORD: usize = 64;

/// The types of up to 64 tokens, lowest token first. A sealed token has no bit set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::subsume) struct Kinds {
    pub isolationists: u64,
    pub aggressors: u64,
    pub advocates: u64,
}

impl Kinds {
    /// Notes the type of a token of which nothing is noted.
    const fn mark(&mut self, bit: usize, kind: Option<Kind>) {
        match kind {
            Some(Kind::Isolationist) => self.isolationists |= 1 << bit,
            Some(Kind::Aggressor) => self.aggressors |= 1 << bit,
            Some(Kind::Advocate) => self.advocates |= 1 << bit,
            None => {}
        }
    }

    /// Forgets one token's type.
    const fn clear(&mut self, bit: usize) {
        self.isolationists &= !(1 << bit);
        self.aggressors &= !(1 << bit);
        self.advocates &= !(1 << bit);
    }

    fn map(self, f: impl Fn(u64) -> u64) -> Self {
        let Self { isolationists, aggressors, advocates } = self;
        Self { isolationists: f(isolationists), aggressors: f(aggressors), advocates: f(advocates) }
    }

    fn or(self, other: Self) -> Self {
        Self {
            isolationists: self.isolationists | other.isolationists,
            aggressors: self.aggressors | other.aggressors,
            advocates: self.advocates | other.advocates,
        }
    }
}

/// Most stacks are a block that lies in one piece.
#[derive(Debug, Default)]
struct Block {
    tokens: SmallVec<[Token; 12]>,
    kinds: SmallVec<[Kinds; 1]>,
}

impl Clone for Block {
    fn clone(&self) -> Self {
        // As bytes, and not token by token.
        Self { tokens: SmallVec::from_slice(&self.tokens), kinds: SmallVec::from_slice(&self.kinds) }
    }
}

impl Block {
    fn push(&mut self, token: Token) {
        let at = self.tokens.len();
        if at.is_multiple_of(WORD) {
            self.kinds.push(Kinds::default());
        }
        if let Some(word) = self.kinds.last_mut() {
            word.mark(at % WORD, token.kind());
        }
        self.tokens.push(token);
    }

    fn pop(&mut self) -> Option<Token> {
        let token = self.tokens.pop()?;
        let at = self.tokens.len();
        if at.is_multiple_of(WORD) {
            self.kinds.pop();
        } else if let Some(word) = self.kinds.last_mut() {
            word.clear(at % WORD);
        }
        Some(token)
    }

    fn set(&mut self, at: usize, token: Token) {
        if let Some(place) = self.tokens.get_mut(at) {
            *place = token;
            self.note(at);
        }
    }

    /// Updates the bits of the token at a place.
    fn note(&mut self, at: usize) {
        let kind = self.tokens.get(at).and_then(Token::kind);
        if let Some(word) = self.kinds.get_mut(at / WORD) {
            word.clear(at % WORD);
            word.mark(at % WORD, kind);
        }
    }

    /// Removes a token; those above it move down by one.
    fn remove(&mut self, at: usize) -> Option<Token> {
        if at >= self.tokens.len() {
            return None;
        }
        let token = self.tokens.remove(at);
        let below = (1u64 << (at % WORD)) - 1;
        let mut above = Kinds::default();
        for nth in (at / WORD..self.kinds.len()).rev() {
            let keep = if nth == at / WORD { below } else { 0 };
            let Some(word) = self.kinds.get_mut(nth) else { continue };
            let lowest = word.map(|bits| bits & 1);
            *word = word.map(|bits| bits & keep | bits >> 1 & !keep).or(above.map(|bits| bits << (WORD - 1)));
            above = lowest;
        }
        if self.tokens.len().is_multiple_of(WORD) {
            self.kinds.pop();
        }
        Some(token)
    }

    /// Takes tokens out; the others come down.
    fn remove_all(&mut self, goes: impl Fn(usize) -> bool) {
        let (mut at, mut kept) = (0, 0);
        self.kinds.clear();
        self.tokens.retain(|token| {
            at += 1;
            if goes(at - 1) {
                return false;
            }
            if kept % WORD == 0 {
                self.kinds.push(Kinds::default());
            }
            if let Some(word) = self.kinds.last_mut() {
                word.mark(kept % WORD, token.kind());
            }
            kept += 1;
            true
        });
    }

    /// Leaves only the lowest tokens.
    fn truncate(&mut self, len: usize) {
        self.tokens.truncate(len);
        self.kinds.truncate(len.div_ceil(WORD));
        if !len.is_multiple_of(WORD)
            && let Some(word) = self.kinds.last_mut()
        {
            *word = word.map(|bits| bits & ((1 << (len % WORD)) - 1));
        }
    }

    /// The highest tokens in the reverse order.
    fn reversed(&self, count: usize) -> Part {
        let len = self.tokens.len();
        let tokens: SmallVec<_> = self.tokens.iter().rev().take(count).copied().collect();
        let word = |nth: usize| {
            let high = len - nth * WORD;
            let width = WORD.min(high + count - len);
            self.window(high - width, width).map(|bits| bits.reverse_bits() >> (WORD - width))
        };
        let kinds: SmallVec<[Kinds; 1]> = (0..count.div_ceil(WORD)).map(word).collect();
        let aggressors = kinds.iter().map(|kinds| kinds.aggressors.count_ones()).sum();
        let open: u32 = kinds
            .iter()
            .flat_map(|kinds| [kinds.isolationists, kinds.aggressors, kinds.advocates])
            .map(u64::count_ones)
            .sum();
        let len = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
        Part { len, sealed: len - open, aggressors, block: Arc::new(Self { tokens, kinds }) }
    }

    /// The types of `width` tokens, 64 at most, from a place on.
    fn window(&self, low: usize, width: usize) -> Kinds {
        let (nth, shift) = (low / WORD, low % WORD);
        let first = self.kinds.get(nth).copied().unwrap_or_default().map(|bits| bits >> shift);
        let mask = u64::MAX >> (WORD - width.clamp(1, WORD));
        let whole = match self.kinds.get(nth + 1) {
            Some(next) if shift > 0 && shift + width > WORD => first.or(next.map(|bits| bits << (WORD - shift))),
            _ => first,
        };
        whole.map(|bits| bits & mask)
    }
}

/// A block and what can be known of it without looking into it.
#[derive(Clone, Debug, Default)]
struct Part {
    block: Arc<Block>,
    len: u32,
    sealed: u32,
    aggressors: u32,
}

impl Part {
    fn push(&mut self, token: Token) {
        self.count(&token, 1);
        Arc::make_mut(&mut self.block).push(token);
    }

    /// Adds or subtracts a token in the counts.
    const fn count(&mut self, token: &Token, times: u32) {
        let (sealed, aggressor) = (token.is_sealed() as u32, matches!(token.face(), Face::Up(Kind::Aggressor)) as u32);
        self.sealed = self.sealed.wrapping_add(sealed.wrapping_mul(times));
        self.aggressors = self.aggressors.wrapping_add(aggressor.wrapping_mul(times));
        self.len = self.len.wrapping_add(times);
    }
}

/// Out of the count.
const OUT: u32 = u32::MAX;

/// Tokens that leave, in order from the top down: bits starting at a place of a part.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::subsume) struct Going {
    part: usize,
    low: usize,
    bits: u64,
}

/// The blocks of a stack, bottom to top. Almost always there is one; a longer list is shared by copies until one of them changes
/// it, so that a copy costs the same however tall the stack is.
#[derive(Clone, Debug)]
enum Parts {
    Few(Option<Part>),
    Many(Arc<Vec<Part>>),
}

impl Default for Parts {
    fn default() -> Self {
        Self::Few(None)
    }
}

impl Deref for Parts {
    type Target = [Part];

    #[inline]
    fn deref(&self) -> &[Part] {
        match self {
            Self::Few(part) => part.as_slice(),
            Self::Many(list) => list,
        }
    }
}

impl DerefMut for Parts {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Part] {
        match self {
            Self::Few(part) => part.as_mut_slice(),
            Self::Many(list) => Arc::make_mut(list).as_mut_slice(),
        }
    }
}

impl Parts {
    /// Changes the list, as one of many.
    fn many<T>(&mut self, change: impl FnOnce(&mut Vec<Part>) -> T) -> T {
        match self {
            Self::Many(list) => change(Arc::make_mut(list)),
            Self::Few(part) => {
                let mut list: Vec<Part> = part.take().into_iter().collect();
                let changed = change(&mut list);
                *self = Self::Many(Arc::new(list));
                changed
            }
        }
    }

    fn push(&mut self, part: Part) {
        match self {
            Self::Few(place @ None) => *place = Some(part),
            _ => self.many(|list| list.push(part)),
        }
    }

    fn pop(&mut self) -> Option<Part> {
        match self {
            Self::Few(part) => part.take(),
            Self::Many(list) => Arc::make_mut(list).pop(),
        }
    }

    fn remove(&mut self, nth: usize) -> Option<Part> {
        match self {
            Self::Few(part) if nth == 0 => part.take(),
            _ if nth < self.len() => Some(self.many(|list| list.remove(nth))),
            _ => None,
        }
    }

    fn extend(&mut self, other: Self) {
        match other {
            Self::Few(None) => {}
            Self::Few(Some(part)) => self.push(part),
            other if self.is_empty() => *self = other,
            Self::Many(more) => self.many(|list| list.extend(Arc::unwrap_or_clone(more))),
        }
    }
}

/// A stack, bottom to top.
#[derive(Clone, Debug, Default)]
pub(in crate::subsume) struct Stack {
    /// None is empty.
    parts: Parts,
    len: usize,
}

impl PartialEq for Stack {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl Eq for Stack {}

impl FromIterator<Token> for Stack {
    fn from_iter<I: IntoIterator<Item = Token>>(tokens: I) -> Self {
        let mut stack = Self::default();
        stack.extend(tokens);
        stack
    }
}

impl Extend<Token> for Stack {
    /// Puts tokens on top, one after another; a block is looked up once for all that it has room for.
    fn extend<I: IntoIterator<Item = Token>>(&mut self, tokens: I) {
        let mut tokens = tokens.into_iter();
        while let Some(first) = tokens.next() {
            self.push(first);
            let Some(top) = self.parts.last_mut() else { return };
            let block = Arc::make_mut(&mut top.block);
            let before = block.tokens.len();
            for token in tokens.by_ref().take(FULL.saturating_sub(before)) {
                block.push(token);
                top.sealed += u32::from(token.is_sealed());
                top.aggressors += u32::from(token.kind() == Some(Kind::Aggressor));
            }
            let more = block.tokens.len() - before;
            top.len += u32::try_from(more).unwrap_or(u32::MAX);
            self.len += more;
        }
    }
}

impl Stack {
    pub(in crate::subsume) const fn len(&self) -> usize {
        self.len
    }

    pub(in crate::subsume) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many Aggressors it has that are open.
    pub(in crate::subsume) fn aggressors(&self) -> usize {
        self.parts.iter().map(|part| part.aggressors as usize).sum()
    }

    /// The number of blocks, which is the cost of going through it.
    pub(in crate::subsume) fn blocks(&self) -> usize {
        self.parts.len()
    }

    pub(in crate::subsume) fn iter(&self) -> impl DoubleEndedIterator<Item = &Token> {
        self.parts.iter().flat_map(|part| part.block.tokens.iter())
    }

    /// Returns whether a token in it is sealed.
    pub(in crate::subsume) fn has_sealed(&self) -> bool {
        self.parts.iter().any(|part| part.sealed > 0)
    }

    /// The sealed tokens, from bottom to top.
    pub(in crate::subsume) fn sealed(&self) -> impl DoubleEndedIterator<Item = &Token> {
        let parts = self.parts.iter().filter(|part| part.sealed > 0);
        parts.flat_map(|part| part.block.tokens.iter()).filter(|token| token.is_sealed())
    }

    /// How many sealed tokens it has.
    pub(in crate::subsume) fn sealed_count(&self) -> usize {
        self.parts.iter().map(|part| part.sealed as usize).sum()
    }

    /// The part that contains the token at a height, from 0, and its place there.
    fn find(&self, height: usize) -> Option<(usize, usize)> {
        if height >= self.len {
            return None;
        }
        let mut left = height;
        for (nth, part) in self.parts.iter().enumerate() {
            match left.checked_sub(part.len as usize) {
                Some(above) => left = above,
                None => return Some((nth, left)),
            }
        }
        None
    }

    /// The token at a height, from 0.
    pub(in crate::subsume) fn get(&self, height: usize) -> Option<&Token> {
        let (part, at) = self.find(height)?;
        self.parts.get(part)?.block.tokens.get(at)
    }

    /// Replaces the token at a height.
    pub(in crate::subsume) fn set(&mut self, height: usize, token: Token) {
        if let Some((part, at)) = self.find(height)
            && let Some(part) = self.parts.get_mut(part)
            && let Some(old) = part.block.tokens.get(at).copied()
        {
            part.count(&old, OUT);
            part.count(&token, 1);
            Arc::make_mut(&mut part.block).set(at, token);
        }
    }

    /// Puts a token on top.
    pub(in crate::subsume) fn push(&mut self, token: Token) {
        match self.parts.last_mut() {
            Some(part) if (part.len as usize) < FULL => part.push(token),
            _ => {
                let mut part = Part::default();
                part.push(token);
                self.parts.push(part);
            }
        }
        self.len += 1;
    }

    /// Removes the top token.
    pub(in crate::subsume) fn pop(&mut self) -> Option<Token> {
        let part = self.parts.last_mut()?;
        let token = Arc::make_mut(&mut part.block).pop()?;
        part.count(&token, OUT);
        if part.len == 0 {
            self.parts.pop();
        }
        self.len -= 1;
        Some(token)
    }

    /// Lifts the token at a height to the top (U40).
    pub(in crate::subsume) fn lift(&mut self, height: usize) {
        let Some((nth, at)) = self.find(height) else { return };
        let is_top = nth + 1 == self.parts.len();
        let Some(part) = self.parts.get_mut(nth) else { return };
        let block = Arc::make_mut(&mut part.block);
        let Some(token) = block.remove(at) else { return };
        if is_top {
            block.push(token);
            return;
        }
        part.count(&token, OUT);
        self.len -= 1;
        self.join(nth);
        self.push(token);
    }

    /// Puts another stack on top, keeping its order (U31).
    pub(in crate::subsume) fn put(&mut self, other: Self) {
        let seam = self.parts.len();
        self.len += other.len;
        self.parts.extend(other.parts);
        if let Some(below) = seam.checked_sub(1) {
            self.join(below);
        }
    }

    /// Moves so many tokens from the top of a stack onto this one, one after another (U71).
    pub(in crate::subsume) fn take_from(&mut self, other: &mut Self, count: usize) {
        let is_small = self.parts.last().is_some_and(|top| top.len as usize + count <= FULL / 2);
        if is_small {
            self.extend((0..count).filter_map(|_| other.pop()));
        } else {
            // Blocks of their own, so that what lies here is not copied.
            self.put(other.split_off(count));
        }
    }

    /// Takes so many tokens from the top, a block at a time; in the other stack they lie in the reverse order.
    fn split_off(&mut self, count: usize) -> Self {
        let mut gone = Self::default();
        while gone.len < count
            && let Some(top) = self.parts.last_mut()
        {
            let len = top.len as usize;
            let going = (count - gone.len).min(len);
            let reversed = top.block.reversed(going);
            if going == len {
                self.parts.pop();
            } else {
                let block = Arc::make_mut(&mut top.block);
                block.truncate(len - going);
                top.len -= reversed.len;
                top.sealed -= reversed.sealed;
                top.aggressors -= reversed.aggressors;
            }
            self.len -= going;
            gone.len += going;
            gone.parts.push(reversed);
        }
        // Of the rest of a block, either part may be small.
        for stack in [self, &mut gone] {
            if let Some(below) = stack.parts.len().checked_sub(2) {
                stack.join_next(below);
            }
        }
        gone
    }

    /// Opens the sealed tokens for which `kind` returns a type (U91).
    pub(in crate::subsume) fn open(&mut self, kind: impl Fn(&Token) -> Option<Kind>) {
        for part in self.parts.iter_mut().filter(|part| part.sealed > 0) {
            let block = Arc::make_mut(&mut part.block);
            for at in 0..block.tokens.len() {
                if let Some(token) = block.tokens.get(at).filter(|token| token.is_sealed())
                    && let Some(kind) = kind(token)
                {
                    let opened = token.showing(Face::Up(kind));
                    block.set(at, opened);
                    part.sealed -= 1;
                    part.aggressors += u32::from(kind == Kind::Aggressor);
                }
            }
        }
    }

    /// After tokens have left a part: drops it if it is empty, and merges neighbours that are both small.
    fn join(&mut self, nth: usize) {
        if self.parts.get(nth).is_some_and(|part| part.len == 0) {
            self.parts.remove(nth);
        } else {
            self.join_next(nth);
        }
        if let Some(below) = nth.checked_sub(1) {
            self.join_next(below);
        }
    }

    fn join_next(&mut self, nth: usize) {
        let together = |one: &Part, other: &Part| (one.len + other.len) as usize <= FULL / 2;
        if let (Some(part), Some(next)) = (self.parts.get(nth), self.parts.get(nth + 1))
            && together(part, next)
            && let Some(next) = self.parts.remove(nth + 1)
            && let Some(part) = self.parts.get_mut(nth)
        {
            let block = Arc::make_mut(&mut part.block);
            for token in &next.block.tokens {
                part.len += 1;
                block.push(*token);
            }
            part.sealed += next.sealed;
            part.aggressors += next.aggressors;
        }
    }

    /// Goes through the stack from the top down.
    pub(in crate::subsume) fn downwards(&self) -> Downwards<'_> {
        Downwards { parts: &self.parts, left: self.parts.last().map_or(0, |part| part.len as usize) }
    }

    /// Takes tokens out and returns them in the order in which they are named, which is from the top down.
    pub(in crate::subsume) fn take_out(&mut self, going: &[Going]) -> SmallVec<[Token; 8]> {
        let mut gone: SmallVec<[Token; 8]> = SmallVec::new();
        for same in going.chunk_by(|one, other| one.part == other.part) {
            let Some(part) = same.first().and_then(|one| self.parts.get_mut(one.part)) else { continue };
            let places = || same.iter().flat_map(|going| going.places());
            let before = gone.len();
            gone.extend(places().filter_map(|at| part.block.tokens.get(at).copied()));
            for token in gone.iter().skip(before) {
                part.count(token, OUT);
            }
            let block = Arc::make_mut(&mut part.block);
            if gone.len() - before <= SINGLY {
                places().for_each(|at| _ = block.remove(at));
            } else {
                let mut out = [0u64; FULL / WORD];
                for at in places() {
                    if let Some(word) = out.get_mut(at / WORD) {
                        *word |= 1 << (at % WORD);
                    }
                }
                block.remove_all(|at| out.get(at / WORD).is_some_and(|word| word >> (at % WORD) & 1 == 1));
            }
        }
        self.len -= gone.len();
        // From the top down, so that the parts below keep their numbers.
        for same in going.chunk_by(|one, other| one.part == other.part) {
            if let Some(one) = same.first() {
                self.join(one.part);
            }
        }
        gone
    }
}

/// A walk through a stack from the top down, some tokens of one block at a time.
#[derive(Clone)]
pub(in crate::subsume) struct Downwards<'a> {
    /// The parts that have not been passed; of the last one, `left` tokens remain.
    parts: &'a [Part],
    left: usize,
}

impl Downwards<'_> {
    /// The most tokens that the next step can take; 0 at the bottom.
    pub(in crate::subsume) const fn width(&self) -> usize {
        if self.left < WORD { self.left } else { WORD }
    }

    /// Takes `width` tokens: returns their types, lowest first, and where they are.
    pub(in crate::subsume) fn take(&mut self, width: usize) -> (Kinds, Going) {
        let low = self.left.saturating_sub(width);
        let kinds = self.parts.last().map_or_else(Kinds::default, |part| part.block.window(low, width));
        let going = Going { part: self.parts.len().saturating_sub(1), low, bits: 0 };
        self.left = low;
        self.go_down();
        (kinds, going)
    }

    /// Skips the rest of a block that contains no Aggressor; returns how many tokens that were, or 0 if the block
    /// contains one.
    pub(in crate::subsume) fn pass(&mut self) -> usize {
        match self.parts.last() {
            Some(part) if part.aggressors == 0 => {
                let passed = std::mem::take(&mut self.left);
                self.go_down();
                passed
            }
            _ => 0,
        }
    }

    fn go_down(&mut self) {
        if self.left == 0
            && let [below @ .., _] = self.parts
        {
            self.parts = below;
            self.left = below.last().map_or(0, |part| part.len as usize);
        }
    }
}

impl Going {
    /// The same place with these bits.
    pub(in crate::subsume) const fn with(self, bits: u64) -> Self {
        Self { bits, ..self }
    }

    /// The places in the part, from the top down.
    fn places(self) -> impl Iterator<Item = usize> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let bit = WORD.checked_sub(1 + bits.leading_zeros() as usize)?;
            bits &= !(1 << bit);
            Some(self.low + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_kernel::SealPlace;

    fn token(number: u32, kind: u32) -> Token {
        let face = Kind::ALL.get(kind as usize % 4).map_or(Face::Sealed(SealPlace(number)), |kind| Face::Up(*kind));
        Token::new(number, 0, face)
    }

    /// Checks what must be true of every stack.
    fn sound(stack: &Stack) {
        assert_eq!(stack.len, stack.iter().count());
        for part in stack.parts.iter() {
            assert!(part.len > 0 && part.len as usize <= FULL);
            let mut again = Part::default();
            part.block.tokens.iter().for_each(|token| again.push(*token));
            assert_eq!((part.len, part.sealed, part.aggressors), (again.len, again.sealed, again.aggressors));
            assert_eq!(again.block.kinds, part.block.kinds);
        }
        // Small neighbours are joined, so that blocks stay few.
        assert!(stack.parts.len() <= 2 + stack.len / (FULL / 8), "{} of {}", stack.parts.len(), stack.len);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(10))]

        #[test]
        fn a_stack_does_what_a_plain_list_does(steps in proptest::collection::vec((0u8..9, 0usize..2000, 0u32..4), 1..160)) {
            let (mut stack, mut list) = (Stack::default(), Vec::new());
            let mut number = 0;
            for (step, at, kind) in steps {
                match step {
                    // Runs are long enough to span several blocks.
                    0 | 1 => for _ in 0..at / 4 {
                        number += 1;
                        stack.push(token(number, kind + number % 3));
                        list.push(token(number, kind + number % 3));
                    },
                    2 => assert_eq!(stack.pop(), list.pop()),
                    3 | 4 if !list.is_empty() => {
                        let at = at % list.len();
                        stack.lift(at);
                        let lifted = list.remove(at);
                        list.push(lifted);
                    }
                    5 if !list.is_empty() => {
                        let at = at % list.len();
                        stack.set(at, token(number, kind));
                        list[at] = token(number, kind);
                    }
                    6 => {
                        let other: Vec<_> = (0..at as u32 / 8).map(|nth| token(nth, nth + kind)).collect();
                        stack.put(other.iter().copied().collect());
                        list.extend(other);
                    }
                    7 => {
                        let opens = |token: &Token| (token.number().is_multiple_of(2)).then_some(Kind::Advocate);
                        stack.open(opens);
                        for token in list.iter_mut().filter(|token| token.is_sealed() && token.number().is_multiple_of(2)) {
                            *token = token.showing(Face::Up(Kind::Advocate));
                        }
                    }
                    _ => {
                        let mut other = Stack::default();
                        let count = at.min(list.len());
                        other.take_from(&mut stack, count);
                        let gone: Vec<_> = list.split_off(list.len() - count).into_iter().rev().collect();
                        assert!(other.iter().eq(&gone));
                        other.iter().for_each(|token| stack.push(*token));
                        list.extend(gone);
                    }
                }
                assert!(stack.iter().eq(&list), "after {step}");
                assert_eq!(stack.sealed().count(), list.iter().filter(|token| token.is_sealed()).count());
                assert_eq!(stack.has_sealed(), stack.sealed().count() > 0);
                assert_eq!(stack.get(at), list.get(at));
            }
            sound(&stack);
        }
    }

    #[test]
    fn a_copy_shares_the_blocks_that_do_not_change() {
        let stack: Stack = (0..4 * FULL as u32).map(|nth| token(nth, nth)).collect();
        let mut copy = stack.clone();
        copy.push(token(0, 0));
        copy.lift(FULL);
        let shared = |nth: usize| Arc::ptr_eq(&stack.parts[nth].block, &copy.parts[nth].block);
        assert!(shared(0) && !shared(1) && shared(2) && shared(3));
    }

    #[test]
    fn a_copy_of_a_tall_stack_is_one_pointer() {
        let stack: Stack = (0..4 * FULL as u32).map(|nth| token(nth, nth)).collect();
        let copy = stack.clone();
        let (Parts::Many(list), Parts::Many(again)) = (&stack.parts, &copy.parts) else { panic!("several blocks") };
        assert!(Arc::ptr_eq(list, again));
    }
}
