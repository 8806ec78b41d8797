//! Making an entry: the side that is due, what the player's secrets open, the entry itself, and the questions on the way.

pub mod asked_back;
pub mod completing;
pub mod dating;
pub mod moves;
pub mod openings;
pub mod own;
pub mod session;
pub mod turn;
pub mod view;
pub mod way;
