//! A machine that plays, teaches and looks back: lessons, practice and reviews. It plays by what the referee lists as legal, and nothing
//! that judges depends on it.
//!
//! Begin with [`practice`]; [`lessons`] reads the lessons that stand beside the rulebooks, [`review`] weighs a game that was played.

#[doc(hidden)]
pub mod lessons;
pub mod practice;
pub mod review;
