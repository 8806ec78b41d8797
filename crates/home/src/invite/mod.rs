//! Beginning a game, and taking part in one that somebody else began.

pub mod begin;
pub mod invitations;
pub mod kept;
