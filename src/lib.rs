//! postrider: a play-by-email referee.
pub mod games;
pub mod notation;
pub mod scene;
pub mod text;
