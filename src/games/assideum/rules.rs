//! The table of rules. Their titles are those of the rulebook's headings.

use crate::games::kernel::Rule;

macro_rules! table {
    ($($code:ident $title:literal),* $(,)?) => {
        $(#[allow(dead_code)] pub(super) const $code: Rule = Rule::new(stringify!($code), $title);)*
        /// The rules in the rulebook's order.
        pub(super) const TABLE: &[Rule] = &[$($code),*];
    };
}

table! {
    A1 "The board",
    A2 "The forces",
    A3 "The setup",
    A4 "One turn an entry",
    A5 "Ground and flying forces",
    A6 "One ground piece a square",
    A7 "Fighters on one square",
    A8 "Under the flyers",
    A10 "The Commander's move",
    A11 "The Ved'rin's move",
    A12 "The Striker's and the Cruiser's move",
    A13 "The Portal's and the Ranger's move and spin",
    A14 "Blocking on the ground",
    A15 "Attacking on the ground",
    A20 "The flight zone",
    A21 "Overlapped zones",
    A22 "Flight",
    A23 "In the way of a flight",
    A24 "Held down",
    A25 "Landing",
    A26 "Fighters stay",
    A30 "Carried with the Portal",
    A31 "Carried by choice",
    A32 "Landed Fighters on the move",
    A33 "A carried Fighter attacks nothing",
    A34 "Carried off the board",
    A35 "Carried onto an enemy flyer",
    A36 "The Portal's own move",
    A37 "Landed by a Portal's move",
    A40 "Attacking in flight",
    A41 "Attacking in place",
    A42 "Ranger fire",
    A50 "Siege",
    A51 "The own Commander",
    A52 "Lost by siege",
    A53 "Drawn without a turn",
    A54 "Drawn by repetition",
    A55 "Drawn with bare Commanders",
    A56 "Drawn by quiet turns",
}
