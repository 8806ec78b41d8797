//! The referee: reads a record, replays it, and names the rule that an entry breaks. Pure: bytes in, a verdict out; no files, no clock, no
//! randomness of its own. This is the library for other programs.
//!
//! A *record* is a text file with one game: a header in YAML and one line per entry. The referee knows
//! [Asalto](postrider_games::asalto), [assideum](postrider_games::assideum), [Assassyn's Dagger](postrider_games::assassyn), [Mission:
//! Combat!](postrider_games::mission_combat) and [Subsume](postrider_games::subsume), including their dice, hidden tokens and hidden hands,
//! which are sealed in the record itself.
//!
//! It uses the games, each of which knows only its own rules. What draws a position is in `postrider-board`.
//!
//! Begin with [`verify`] and [`Referee`]; [`record`] reads a header and its entries, [`judging`] replays them, [`sealing`] has dice, hidden
//! things and signatures, [`desk`] makes the next entry.
//!
//! # Verify a record
//!
//! ```
//! let record = b"---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
//!     started: 2026-11-21\n---\n1 defenders place c6 e6\n2 besiegers b4-b3\n";
//! let verdict = postrider_referee::verify(record);
//! assert_eq!(verdict.ruling, postrider_referee::Ruling::Illegal);
//! assert_eq!(verdict.entries, 1);
//! assert_eq!(
//!     verdict.to_string(),
//!     "illegal: entry 2: T21: b4-b3: a besieger may not go back; from b4 it may go to c5",
//! );
//! ```
//!
//! # List moves
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let record = b"---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
//! #     started: 2026-11-21\n---\n1 defenders place c6 e6\n";
//! let referee = postrider_referee::open(record)?;
//! for entry in referee.moves() {
//!     println!("{entry}");
//! }
//! assert!(referee.moves().contains(&"c4-c5".to_owned()));
//! // The actions that may come after the beginning of an entry, and whether it may end there.
//! assert!(referee.next("c4-c5")?.whole);
//! # Ok(())
//! # }
//! ```
//!
//! # Make a move
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let record = b"---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
//! #     started: 2026-11-21\n---\n1 defenders place c6 e6\n";
//! use postrider_referee::Beside;
//!
//! let referee = postrider_referee::open(record)?;
//! let refused = referee.judge("b4-b3", &Beside::default()).err().map(|fault| fault.to_string());
//! assert_eq!(refused.as_deref(), Some("T21: b4-b3: a besieger may not go back; from b4 it may go to c5"));
//! let entry = referee.judge("C4-C5", &Beside::default())?;
//! assert_eq!(entry.line, "2 besiegers c4-c5");
//! let longer = referee.append(&entry)?;
//! assert_eq!(postrider_referee::verify(&longer).entries, 2);
//! # Ok(())
//! # }
//! ```
//!
//! A game that is sealed or signed needs its owner's secret or key: [`desk::Desk`] makes entries with them.
//!
//! # Begin a game, and play it
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use postrider_referee::{Beginning, Beside, registry};
//!
//! let game = registry::find("asalto").ok_or("no such game")?;
//! let beginning = Beginning::new(game.info(), "ada-bram-1", ["Ada Quill", "Bram Post"], "2026-11-21");
//! let mut record = Beginning { clock: Some("5d+1d"), ..beginning }.record().into_bytes();
//! for typed in ["place c6 e6", "c4-c5"] {
//!     let referee = postrider_referee::open(&record)?;
//!     // The game has a clock. Without a time of its own the entry gets the earliest that it may have.
//!     record = referee.append(&referee.judge(typed, &Beside::default())?)?;
//! }
//! assert!(String::from_utf8(record)?.ends_with("2 besiegers c4-c5 @2026-11-21T00:00:00Z\n"));
//! # Ok(())
//! # }
//! ```

// Other programs use it, so that everything in it says what it is.
#![warn(missing_docs)]
// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod desk;
pub mod facade;
pub mod judging;
pub mod record;
pub mod registry;
pub mod rulebook;
pub mod sealing;
#[cfg(feature = "threads")]
pub mod threads;
pub mod verdict;

pub use desk::begin::Beginning;
pub use facade::{Referee, open};
pub use judging::{Beside, Judged};
pub use postrider_kernel::Viewer;
pub use verdict::{Ruling, Verdict, verify};
