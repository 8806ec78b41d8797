//! The games, one folder each, and the kernel that they share.

pub mod asalto;
pub mod assassyn;
pub mod assideum;
pub mod mission_combat;
pub mod subsume;
