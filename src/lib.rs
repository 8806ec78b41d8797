//! postrider: a play-by-email referee.
//!
//! A pure half knows games and text and touches nothing: [`text`], [`scene`], [`notation`], [`games`], [`record`],
//! [`referee`], [`sealing`], [`registry`], [`verdict`], [`desk`]. The other half reads files, sends mail and prints: [`render`],
//! [`archive`], [`store`], [`mail`], [`cli`]. What stands earlier in these lists never uses what stands later.
//!
//! ```
//! let record = b"---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
//!     started: 2026-11-21\n---\n1 defenders place c6 e6\n2 besiegers b4-b3\n";
//! let verdict = postrider::verdict::verify(record);
//! assert_eq!(verdict.errors[0].rule, Some("T21"));
//! assert_eq!(verdict.entries, 1);
//! ```

pub mod archive;
pub mod cli;
pub mod desk;
pub mod games;
pub mod git;
pub mod mail;
pub mod notation;
pub mod picture;
pub mod record;
pub mod referee;
pub mod registry;
pub mod render;
pub mod rulebook;
pub mod scene;
pub mod sealing;
pub mod store;
pub mod text;
pub mod verdict;
