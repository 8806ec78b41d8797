//! The referee: reads a record, replays it, and names the rule that an entry breaks. Pure: bytes in, a verdict out; no files, no clock, no
//! randomness of its own. This is the library for other programs.
//!
//! Nothing has been released yet: `postrider-referee = { path = "PATH/TO/postrider/crates/referee" }` in your `Cargo.toml` takes it from a checkout.
//! The feature `rulebooks` adds the rules of sealing to what [`rule`] finds.
//!
//! A *record* is a text file with one game: a header in YAML and one line per entry. The referee knows five games: Asalto, assideum,
//! Assassyn's Dagger, Mission: Combat! and Subsume, including their dice, hidden tokens and hidden hands, which are sealed in the record
//! itself.
//!
//! | you want to | begin with |
//! | --- | --- |
//! | know whether a record is legal, and why not | [`verify`], [`Verdict`], [`Ruling`], [`Diagnostic`], [`LineIndex`] |
//! | know who signs it | [`Verdict`], [`Signers`] |
//! | open a record, at its end or earlier | [`open`], [`open_at`], [`Referee`], [`Standing`] |
//! | say or draw a position | [`Referee`], [`Viewer`], [`Side`]; `postrider-board` for text and SVG |
//! | list the entries that were made | [`Referee::entries`], [`Entry`], [`Time`] |
//! | list, judge and append those that may be made | [`Referee`], [`Beside`], [`Judged`], [`Stop`] |
//! | begin a game | [`game`], [`Beginning`] |
//! | read a rule | [`rule`] |
//!
//! Begin with [`verify`] and [`Referee`]. These five functions and fifteen types are the library. The modules of this crate are public only for the
//! other crates of postrider: they are not listed here, and may change with any version. (`record` reads a header and its entries, `judging`
//! replays them, `sealing` has dice, hidden things and signatures, `desk` makes the next entry.) `postrider-games` is for an engine that works
//! with a game's own type.
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
//! // Which rule, and where.
//! let fault = &verdict.errors[0];
//! let place = postrider_referee::LineIndex::new(record).place(fault.span.start as usize);
//! assert_eq!((fault.rule, place.line, place.column), (Some("T21"), 11, 13));
//! ```
//!
//! # Verify a sealed game
//!
//! It is verified like any other: each opening must fit its seal, and each throw what both sides sealed. Once both secrets are published,
//! `postrider proof audit` also repeats everything that was sealed. Of a signed record [`Signers::signing`] gives the key of a side, whose
//! `fingerprint()` is what two people compare.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use postrider_referee::{Ruling, Side, Viewer, open, open_at, verify};
//!
//! let sealed = std::fs::read_to_string("../../examples/assassyn/sealed-game.pbem")?;
//! let verdict = verify(sealed.as_bytes());
//! assert_eq!((verdict.ruling, verdict.entries), (Ruling::Legal, 20));
//! // Nobody signs this one.
//! assert!(verdict.signers.is_none());
//! // Another opening than the one that was sealed is refused.
//! let forged = verify(sealed.replace("open:709dde", "open:709ddf").as_bytes()).to_string();
//! assert!(forged.starts_with("illegal: entry 3: Z"), "{forged}");
//! // What its owner alone knows is not in a record, so that nobody is shown it.
//! let game = open(sealed.as_bytes())?;
//! assert_eq!((game.id(), game.players()), ("assassyn-20261121-4h2x7d", ["Ada Quill", "Bram Post"]));
//! let before = open_at(sealed.as_bytes(), 2)?.ok_or("no such entry")?;
//! assert_eq!(before.words(Viewer::Public), before.words(Viewer::Side(Side::Second)));
//! # Ok(())
//! # }
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
//! Entries of a sealed or signed game need their player's secret or key, which this library never asks for: the program makes them.
//!
//! # Begin a game, and play it
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use postrider_referee::{Beginning, Beside, game};
//!
//! let beginning = Beginning::new(game("asalto").ok_or("no such game")?, "ada-bram-1", ["Ada Quill", "Bram Post"], "2026-11-21");
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
//!
//! # Look at an earlier position
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let record = b"---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: Bram}\n\
//! #     started: 2026-11-21\n---\n1 defenders place c6 e6\n2 besiegers c4-c5\n";
//! let earlier = postrider_referee::open_at(record, 1)?.ok_or("no such entry")?;
//! assert_eq!((earlier.due(), earlier.standing().entries), (Some("besiegers"), 1));
//! // In words, as everybody may see it.
//! assert!(earlier.words(postrider_referee::Viewer::Public).contains("defender"));
//! # Ok(())
//! # }
//! ```
//!
//! # Read a rule
//!
//! ```
//! let text = postrider_referee::rule("asalto", "T21").unwrap_or_default();
//! assert!(text.starts_with("### T21 "));
//! ```

// Other programs use it, so that everything in it says what it is.
#![warn(missing_docs)]
// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

#[doc(hidden)]
pub mod desk;
#[doc(hidden)]
pub mod facade;
#[doc(hidden)]
pub mod judging;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod registry;
#[doc(hidden)]
pub mod rulebook;
#[doc(hidden)]
pub mod sealing;
#[cfg(feature = "threads")]
#[doc(hidden)]
pub mod threads;
#[doc(hidden)]
pub mod verdict;

pub use desk::begin::Beginning;
pub use facade::{Entry, Referee, game, open, open_at, rule};
pub use judging::{Beside, Judged, Standing, Stop};
#[doc(inline)]
pub use postrider_kernel::text::{Diagnostic, LineIndex};
#[doc(inline)]
pub use postrider_kernel::{Side, Viewer};
pub use record::Time;
pub use verdict::{Ruling, Signers, Verdict, verify};
