//! postrider: a play-by-email referee.
pub mod games;
pub mod mail;
pub mod notation;
pub mod scene;
pub mod store;
pub mod text;
