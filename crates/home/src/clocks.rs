//! How much time is left, now, and who is reminded of it.

pub mod reminders;

pub use postrider_board::report::{Running, left};
