//! The envelope's rules, which apply to every game. The referee applies them; a game that grants no claim also refers
//! to [`E7`]. Their rulebook is `notation/record.md`.

super::rules! {
    pub ENVELOPE_RULES:
    E1 "entries are numbered",
    E2 "the side that is due",
    E3 "times",
    E4 "nothing after the end",
    E5 "draw offers",
    E6 "resigning",
    E7 "claims",
    E8 "the result line",
    E9 "messages",
    E10 "keys",
    E11 "leave",
    E12 "practice games",
    E13 "less time for forced answers",
}
