//! The rules by their numbers, in the rulebook's order.

pub(crate) mod advice;
pub(crate) mod judge;
pub(crate) mod turn;

postrider_kernel::rules! {
    pub(super) TABLE:
    M1 "the areas",
    M2 "the layout",
    M3 "own and opposing areas",
    M4 "control",
    M10 "the cards",
    M11 "the decks",
    M15 "the opening hands",
    M16 "who starts",
    M17 "placing",
    M20 "turns and action points",
    M21 "drawing",
    M22 "drawing with the HQ",
    M23 "playing a unit",
    M24 "portals",
    M25 "playing an event",
    M26 "moving",
    M27 "entering an area with enemies",
    M28 "oversized units and buildings",
    M29 "speed",
    M30 "the Arterial Road",
    M31 "how a move is paid for",
    M32 "attacking",
    M33 "destruction",
    M34 "bunkers",
    M35 "what events do",
    M36 "after going back",
    M40 "the last unit",
    M41 "quiet games",
    M50 "the toss",
    M51 "sealing the decks",
    M52 "the sealed opening hand",
    M53 "opened cards",
    M54 "generations",
    M55 "drawing from a sealed deck",
    M56 "discarding with the HQ",
    M57 "the sealed reshuffle",
    M58 "what a deck holds",
    M59 "one deck of several",
    M60 "the opening with several decks",
    M61 "the reshuffle with several decks",
}
