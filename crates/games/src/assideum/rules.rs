//! The table of rules. Their titles are the headings of the rulebook.

pub(crate) mod explain;
pub(crate) mod hints;
pub(crate) mod judge;

postrider_kernel::rules! {
    pub(super) TABLE:
    A1 "the board",
    A2 "the forces",
    A3 "the setup",
    A4 "one turn per entry",
    A5 "ground and flying forces",
    A6 "one ground piece per square",
    A7 "Fighters on one square",
    A8 "under the flyers",
    A10 "the Commander's move",
    A11 "the Ved'rin's move",
    A12 "the Striker's and the Cruiser's move",
    A13 "the Portal's and the Ranger's move and spin",
    A14 "blocking on the ground",
    A15 "attacking on the ground",
    A20 "the flight zone",
    A21 "overlapped zones",
    A22 "flight",
    A23 "in the way of a flight",
    A24 "held down",
    A25 "landing",
    A26 "Fighters stay",
    A30 "carried with the Portal",
    A31 "carried by choice",
    A32 "landed Fighters on the move",
    A33 "a carried Fighter attacks nothing",
    A34 "carried off the board",
    A35 "carried onto an enemy flyer",
    A36 "the Portal's own move",
    A37 "landed by a Portal's move",
    A40 "attacking in flight",
    A41 "attacking in place",
    A42 "Ranger fire",
    A50 "siege",
    A51 "your own Commander",
    A52 "lost by siege",
    A53 "drawn without a turn",
    A54 "drawn by repetition",
    A55 "drawn with bare Commanders",
    A56 "drawn by quiet turns",
}
