//! The rules of sealing that a verdict can name. They hold for every game with hidden or random parts, so they have a rulebook
//! of their own, `notation/sealing.md`.

crate::games::kernel::rules! {
    pub SEALING_RULES:
    Z1 "seals",
    Z2 "nonces",
    Z3 "openings",
    Z4 "labels",
    Z5 "what is sealed and what is not",
    Z6 "all seals differ",
    Z7 "salts",
    Z8 "joint dice",
    Z9 "who will not open",
    Z10 "secrets at the end",
    Z11 "the seal of a challenge",
    Z12 "the salt of an acceptance",
    Z13 "the dice are opened",
    Z14 "sealed deployment",
    Z15 "hidden tokens",
    Z16 "a shuffled deck",
    Z17 "drawing by the opponent's deal",
    Z18 "opened cards",
    Z19 "the next generation",
    Z30 "the chain",
    Z31 "what is signed",
    Z32 "every entry of a side with a key is signed",
    Z33 "sound keys and signatures",
    Z34 "the newest signatures",
}
