//! The games that there are: one line a game. Everything else walks this list.

use crate::games::asalto::Asalto;
use crate::games::assassyn::Assassyn;
use crate::games::assideum::Assideum;
use crate::games::kernel::{Game, Info, Options, SetupFault, Start};
use crate::games::mission_combat::MissionCombat;
use crate::games::subsume::Subsume;
use crate::record::{Header, Secrecy};
use crate::referee::{Replay, Table};
use crate::sealing::Seals;

/// Every game, in the order they are listed to the user.
pub const GAMES: &[&dyn AnyGame] = &[
    &Entry::<Asalto>(std::marker::PhantomData),
    &Entry::<Assideum>(std::marker::PhantomData),
    &Entry::<Assassyn>(std::marker::PhantomData),
    &Entry::<MissionCombat>(std::marker::PhantomData),
    &Entry::<Subsume>(std::marker::PhantomData),
];

/// A game without its type.
pub trait AnyGame: Sync {
    /// Returns what is known of the game.
    fn info(&self) -> &'static Info;

    /// Sets up the game of a record.
    ///
    /// # Errors
    /// When the header's position does not read as one.
    fn set_up(&self, header: &Header<'_>) -> Result<Box<dyn Table>, SetupFault>;

    /// Sets up a game without a record: its start, or a position.
    ///
    /// # Errors
    /// When the position does not read as one.
    fn table(&self, options: &Options, setup: Option<&str>) -> Result<Box<dyn Table>, SetupFault>;
}

struct Entry<G>(std::marker::PhantomData<fn() -> G>);

impl<G: Game> AnyGame for Entry<G> {
    fn info(&self) -> &'static Info {
        G::INFO
    }

    fn set_up(&self, header: &Header<'_>) -> Result<Box<dyn Table>, SetupFault> {
        let setup = header.setup.as_ref().map(|setup| setup.position.as_ref());
        let sealed = header.secrecy == Secrecy::Sealed;
        let start = Start { options: &header.options, setup, typed: false, sealed, fields: &header.fields };
        let replay = Replay::new(G::start(&start)?, header.clock);
        Ok(Box::new(if sealed {
            replay.with_seals(Seals::new(&header.id, G::INFO.sides.map(|side| side.word)))
        } else {
            replay
        }))
    }

    fn table(&self, options: &Options, setup: Option<&str>) -> Result<Box<dyn Table>, SetupFault> {
        Ok(Box::new(Replay::new(G::start(&Start { typed: true, ..Start::open(options, setup) })?, None)))
    }
}

/// Returns the game of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn AnyGame> {
    GAMES.iter().copied().find(|game| game.info().name == name)
}
