//! A referee for board games by mail. It reads a game's own notation, replays the whole record to judge every entry,
//! and names the rule that a move breaks.
//!
//! A *record* is a text file with one game: a header in YAML and one line per entry. The referee knows
//! [Asalto](games::asalto), [assideum](games::assideum), [Assassyn's Dagger](games::assassyn), [Mission:
//! Combat!](games::mission_combat) and [Subsume](games::subsume), including their dice, hidden tokens and hidden hands,
//! which are sealed in the record itself.
//!
//! # Verify a record
//!
//! ```
//! let record = b"---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
//!     started: 2026-11-21\n---\n1 defenders place c6 e6\n2 besiegers b4-b3\n";
//! let verdict = referee::verdict::verify(record);
//! assert_eq!(verdict.ruling, referee::verdict::Ruling::Illegal);
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
//! let referee = referee::facade::open(record)?;
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
//! use referee::judging::Beside;
//!
//! let referee = referee::facade::open(record)?;
//! let refused = referee.judge("b4-b3", &Beside::default()).err().map(|fault| fault.to_string());
//! assert_eq!(refused.as_deref(), Some("T21: b4-b3: a besieger may not go back; from b4 it may go to c5"));
//! let entry = referee.judge("C4-C5", &Beside::default())?;
//! assert_eq!(entry.line, "2 besiegers c4-c5");
//! let longer = referee.append(&entry)?;
//! assert_eq!(referee::verdict::verify(&longer).entries, 2);
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
//! use postrider::{Beginning, Beside, registry};
//!
//! let game = registry::find("asalto").ok_or("no such game")?;
//! let beginning = Beginning::new(game.info(), "ada-bram-1", ["Ada Quill", "Bram Post"], "2026-11-21");
//! let mut record = Beginning { clock: Some("5d+1d"), ..beginning }.record().into_bytes();
//! for typed in ["place c6 e6", "c4-c5"] {
//!     let referee = referee::facade::open(&record)?;
//!     // The game has a clock. Without a time of its own the entry gets the earliest that it may have.
//!     record = referee.append(&referee.judge(typed, &Beside::default())?)?;
//! }
//! assert!(String::from_utf8(record)?.ends_with("2 besiegers c4-c5 @2026-11-21T00:00:00Z\n"));
//! # Ok(())
//! # }
//! ```
//!
//! # Draw the board
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let record = b"---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
//! #     started: 2026-11-21\n---\n1 defenders place c6 e6\n";
//! use board::picture::Draw as _;
//! use postrider::{Viewer, render};
//!
//! let referee = referee::facade::open(record)?;
//! // As text, in words, as SVG. What a viewer may not see is in none of them.
//! let text = referee.text(Viewer::Public, render::Look::default());
//! let words = referee.words(Viewer::Public);
//! let svg = referee.svg(Viewer::Public);
//! # assert!(text.lines().count() > 7 && words.contains("c6") && svg.ends_with("</svg>\n"), "{text}{words}{svg}");
//! # Ok(())
//! # }
//! ```
//!
//! # Work with a game's own type
//!
//! An engine works with a game's own type, without records: positions, moves, and a state that is cheap to copy.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use games::asalto::Asalto;
//! use kernel::{Game, Moves, Options, Start};
//!
//! let mut game = Asalto::start(&Start::open(&Options::default(), None))?;
//! game.play(&[Asalto::read_action("place c6 e6")?])?;
//! let mut moves = Moves::default();
//! game.moves(&mut moves);
//! for entry in moves.iter() {
//!     let after = game.after(entry);
//!     println!("{}", after.position());
//! }
//! assert_eq!(moves.len(), game.count());
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! A pure half knows games and text and does no input or output: [`text`], [`scene`], [`notation`], [`games`],
//! [`engine`], [`record`], [`referee`], [`sealing`], [`registry`], [`verdict`], [`rulebook`], [`desk`]; [`render`] and [`picture`] display
//! what they hold. A module uses only modules that come before it in this list. The feature `home` adds what keeps games and post. The program
//! itself is in the same package, behind the feature `cli`, which is on by default; a library does without it (`default-features = false`),
//! and nothing of it is promised to others.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

#[doc(hidden)]
#[macro_use]
pub mod cli;
pub mod commands;
pub mod deck_lists;
pub mod editing;
pub mod editor;
pub mod report;

pub use ::referee::desk::begin::Beginning;
pub use ::referee::facade::{Referee, open};
pub use ::referee::judging::{Beside, Judged};
pub use ::referee::verdict::{Ruling, Verdict, verify};
pub use kernel::Viewer;
