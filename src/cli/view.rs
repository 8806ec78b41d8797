//! Through whose eyes and in what form a game is shown: the player's own view if it is known who that is, and a board
//! that may be turned or compact.

use super::hints::Failure;
use super::home::office;
use postrider_board::render::{Look, sheet};
use postrider_home::entry::view::{Reader, Seen};
use postrider_kernel::{Side, Viewer};
use postrider_referee::sealing::Check;
use postrider_referee::verdict::Opened;

/// The name of the view that everybody may see.
pub const PUBLIC: &str = "public";
/// Printed below a board that shows more than everybody may see.
const YOURS: &str = "(your view; --view public for what all see)\n";

/// How a board is to be shown.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Shown {
    /// Show the game as this side sees it, with its secret from the key store, or as everyone sees it: `public`. By default your
    /// own side's view, if postrider knows your side
    #[arg(long, alias = "as", value_name = "SIDE")]
    pub view: Option<String>,
    /// Turn the board so that this side is at the bottom
    #[arg(long, value_name = "SIDE")]
    pub from: Option<String>,
    /// Draw the board in as few lines as possible, for small terminals
    #[arg(long)]
    pub compact: bool,
    /// Use characters beyond ASCII
    #[arg(long)]
    pub unicode: bool,
    /// Draw the board as large as the terminal allows
    #[arg(long, hide = true)]
    pub fit: bool,
}

/// How many rows of a terminal are left below a board, for what is said and the prompt.
const LEFT: usize = 3;

impl Shown {
    /// How the game should look on the terminal that standard output is connected to.
    ///
    /// # Errors
    /// If no side has the given name.
    pub fn look(&self, opened: &Opened<'_>) -> Result<Look, Failure> {
        let from = self.from.as_deref().map(|word| postrider_home::entry::own::named(opened, word)).transpose()?;
        Ok(Look {
            unicode: self.unicode,
            colour: true,
            turned: from == Some(Side::Second),
            compact: self.compact,
            columns: columns(),
            rows: if self.fit { rows().map(|rows| rows.saturating_sub(LEFT)) } else { None },
        })
    }

    /// Who looks, if it is said; otherwise the player of the own side, where that is known.
    ///
    /// # Errors
    /// If no side has the given name.
    fn reader(&self, opened: &Opened<'_>, own: Option<Side>) -> Result<Reader, Failure> {
        Ok(match self.view.as_deref() {
            Some(PUBLIC) => Reader::Observer,
            Some(word) => Reader::Player(postrider_home::entry::own::named(opened, word)?),
            None => own.map_or(Reader::Observer, Reader::Owner),
        })
    }

    /// Returns a replayed record as the reader may see it: `own` is the player's side. `before`: the record before its last entry, for
    /// marks. `newest`: whether the record ends with this position, whose openings their owner sees before the entry is made.
    ///
    /// # Errors
    /// If no side has the given name, or its secret does not open its seals.
    pub fn seen<'a>(
        &self,
        opened: Opened<'a>,
        before: Option<Opened<'_>>,
        own: Option<Side>,
        newest: bool,
    ) -> Result<Seen<'a>, Failure> {
        let reader = self.reader(&opened, own)?;
        Ok(Seen::of(&*office()?, opened, before, reader, newest)?)
    }

    /// The notes below a board: whose view it is, if that is not the public one and nobody asked for it, and that it shows more than
    /// has been entered.
    pub fn notes(&self, seen: &Seen<'_>) -> String {
        let differs = || seen.opened.table.view(seen.viewer) != seen.opened.table.view(Viewer::Public);
        let yours = if self.view.is_none() && seen.viewer != Viewer::Public && differs() { YOURS } else { "" };
        format!("{yours}{}", if seen.foreseen { sheet::ONLY_YOU } else { "" })
    }

    /// Whether what all see was asked for.
    pub fn is_public(&self) -> bool {
        self.view.as_deref() == Some(PUBLIC)
    }
}

/// The longest record, in bytes, that is replayed once more to mark what the last entry did.
const MARKED: usize = 1 << 20;

/// The record before the last entry that has been replayed, with which what that did is found; none of a very long one.
pub fn before<'a>(opened: &Opened<'a>) -> Option<Opened<'a>> {
    let source = opened.text.as_bytes();
    let number = opened.table.standing().entries.checked_sub(1).filter(|_| source.len() <= MARKED)?;
    let mut before = Opened::new(source).ok()?;
    before.table.set_check(Check::Nothing);
    before.replay(number);
    Some(before)
}

/// The width in columns of the terminal that standard output is connected to; `None` if it is not a terminal.
pub fn columns() -> Option<usize> {
    columns_of(std::io::stdout())
}

/// The width in columns of a terminal.
#[cfg(unix)]
pub(super) fn columns_of(stream: impl std::os::fd::AsFd) -> Option<usize> {
    terminal_size::terminal_size_of(stream).map(|(columns, _)| usize::from(columns.0)).filter(|&count| count > 0)
}

/// The width in columns of a terminal.
#[cfg(windows)]
pub(super) fn columns_of(stream: impl std::os::windows::io::AsHandle) -> Option<usize> {
    terminal_size::terminal_size_of(stream).map(|(columns, _)| usize::from(columns.0)).filter(|&count| count > 0)
}

/// The height of that terminal in rows.
pub fn rows() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(_, rows)| usize::from(rows.0)).filter(|&count| count > 0)
}
