//! postrider: a play-by-email referee.
pub mod games;
pub mod notation;
pub mod record;
pub mod referee;
pub mod registry;
pub mod scene;
pub mod text;
pub mod verdict;
