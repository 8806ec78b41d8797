//! What every game is made of. Pure: no files, no clock on the wall, no random numbers, no hashes.

mod game;
mod options;
mod outcome;
mod rule;
mod side;

pub use game::{Due, Game, Illegal, Info, Moves, Played, SetupFault, Viewer};
pub use options::{OptionFault, OptionSpec, Options, Values};
pub use outcome::{Claim, Outcome};
pub use rule::Rule;
pub use side::{Side, SideName};
