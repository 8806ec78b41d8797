//! The games, one folder each. A folder knows its own rules and nothing of records, letters or other games.
//!
//! It uses the kernel, and the rulebooks as texts.
//!
//! Begin with [`asalto`]: its front page, then its rules, with the number of each beside the check. Listing legal entries and judging are
//! separate code, and tests compare the two.
//!
//! # Work with a game's own type
//!
//! An engine works with a game's own type, without records: positions, moves, and a state that is cheap to copy.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use postrider_games::asalto::Asalto;
//! use postrider_kernel::{Game, Moves, Options, Start};
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

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros))]

pub mod asalto;
pub mod assassyn;
pub mod assideum;
pub mod mission_combat;
pub mod subsume;

/// Calls a macro with the types of all games, in the order in which players see them. Whatever has to do the same with each game goes by
/// this list: the registry of the referee, and the machine.
#[macro_export]
macro_rules! with_all_games {
    ($call:ident) => {
        $call! {
            $crate::asalto::Asalto,
            $crate::assideum::Assideum,
            $crate::assassyn::Assassyn,
            $crate::mission_combat::MissionCombat,
            $crate::subsume::Subsume,
        }
    };
}
