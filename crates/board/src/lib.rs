//! What a position looks like: as text ([`render`]), as a picture ([`picture`]), as data ([`report`]). It draws scenes and knows no game.
//!
//! Begin with [`render::board`] and [`picture::Picture`]; each kind of board (points, cells, blocks, bricks) has a module in both.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod picture;
pub mod render;
pub mod report;
