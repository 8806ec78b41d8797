//! The games with their types erased, in the order of the list in `games`. Everything else iterates over this one.

use crate::judging::{Replay, Table};
use crate::record::{Header, Secrecy};
use crate::sealing::Seals;
use postrider_kernel::notation::Misfit;
use postrider_kernel::{Info, Options, SealedGame, SetupFault, Skill, Start};

macro_rules! listed {
    ($($game:ty),* $(,)?) => {
        /// Every game, in the order in which they are listed to the user.
        pub const GAMES: &[&dyn AnyGame] = &[$(&Registered::<$game>(std::marker::PhantomData)),*];
    };
}

postrider_games::with_all_games!(listed);

/// A game with its type erased.
pub trait AnyGame: Sync {
    /// Returns what is known about the game.
    fn info(&self) -> &'static Info;

    /// Sets up the game of a record.
    ///
    /// # Errors
    /// If the header's position cannot be read.
    fn set_up(&self, header: &Header<'_>) -> Result<Box<dyn Table>, SetupFault>;

    /// Sets up a game without a record, at its start or at a position.
    ///
    /// # Errors
    /// If the position cannot be read.
    fn table(&self, options: &Options, setup: Option<&str>) -> Result<Box<dyn Table>, SetupFault>;

    /// Reads a position that was typed, for an open or a sealed record, and returns its canonical spelling.
    ///
    /// # Errors
    /// If the position cannot be read, or an option needs another kind of record.
    fn setup(&self, options: &Options, typed: &str, sealed: bool) -> Result<String, SetupFault>;

    /// Reads an action and writes it again. Returns the text, and whether it reads back as the same action.
    ///
    /// # Errors
    /// Where the text does not fit the game's grammar.
    fn rewritten(&self, action: &str) -> Result<(String, bool), Misfit>;
}

struct Registered<G>(std::marker::PhantomData<fn() -> G>);

impl<G: SealedGame + Skill> AnyGame for Registered<G> {
    fn info(&self) -> &'static Info {
        G::INFO
    }

    fn set_up(&self, header: &Header<'_>) -> Result<Box<dyn Table>, SetupFault> {
        let setup = header.setup.as_ref().map(|setup| setup.position.as_ref());
        let sealed = header.secrecy == Secrecy::Sealed;
        let start = Start { options: &header.options, setup, typed: false, sealed, fields: &header.fields };
        let replay = Replay::new(G::start(&start)?, header.clock)
            .in_practice(header.machine.is_some())
            .hosted(header.host.is_some());
        Ok(Box::new(if sealed {
            replay.with_seals(Seals::new(&header.id, G::INFO.sides.map(|side| side.word)))
        } else {
            replay
        }))
    }

    fn table(&self, options: &Options, setup: Option<&str>) -> Result<Box<dyn Table>, SetupFault> {
        Ok(Box::new(Replay::new(G::start(&Start { typed: true, ..Start::open(options, setup) })?, None)))
    }

    fn setup(&self, options: &Options, typed: &str, sealed: bool) -> Result<String, SetupFault> {
        let start = if sealed { Start::sealed } else { Start::open };
        Ok(G::start(&Start { typed: true, ..start(options, Some(typed)) })?.position())
    }

    fn rewritten(&self, action: &str) -> Result<(String, bool), Misfit> {
        let action = G::read_action(action)?;
        let mut written = String::new();
        G::write_action(&action, &mut written);
        let same = G::read_action(&written).as_ref() == Ok(&action);
        Ok((written, same))
    }
}

/// Returns the game of which this is known.
#[must_use]
pub fn of(info: &'static Info) -> Option<&'static dyn AnyGame> {
    GAMES.iter().copied().find(|game| std::ptr::eq(game.info(), info))
}

/// Returns the game with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn AnyGame> {
    GAMES.iter().copied().find(|game| game.info().name == name)
}
