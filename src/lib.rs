//! postrider: a play-by-email referee.
pub mod games;
pub mod mail;
pub mod notation;
pub mod record;
pub mod referee;
pub mod registry;
pub mod render;
pub mod scene;
pub mod store;
pub mod text;
pub mod verdict;
pub mod archive;
pub mod cli;
pub mod desk;
pub mod rulebook;
