//! What a position looks like: as text ([`render`]), as a picture ([`picture`]), as data ([`report`]). It draws scenes and knows no game.
//!
//! Begin with [`render::board`] and [`picture::Picture`]; each kind of board (points, cells, blocks, bricks) has a module in both.
//!
//! # Draw the board
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let record = b"---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
//! #     started: 2026-11-21\n---\n1 defenders place c6 e6\n";
//! use postrider_board::picture::Draw as _;
//! use postrider_board::render;
//! use postrider_referee::Viewer;
//!
//! let referee = postrider_referee::open(record)?;
//! // As text, in words, as SVG. What a viewer may not see is in none of them.
//! let text = referee.text(Viewer::Public, render::Look::default());
//! let words = referee.words(Viewer::Public);
//! let svg = referee.svg(Viewer::Public);
//! # assert!(text.lines().count() > 7 && words.contains("c6") && svg.ends_with("</svg>\n"), "{text}{words}{svg}");
//! # Ok(())
//! # }
//! ```

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod picture;
pub mod render;
pub mod report;
