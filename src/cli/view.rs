//! Through whose eyes and in what form a game is shown: the player's own view if it is known who that is, and a board
//! that may be turned or compact.

use super::hints::Failure;
use super::home::office;
use super::own;
use crate::games::kernel::{Side, Viewer};
use crate::office::view::{self, confided};
use crate::render::Look;
use crate::verdict::Opened;

/// The name of the view that everybody may see.
pub(super) const PUBLIC: &str = "public";
/// Printed below a board that shows more than everybody may see.
pub(super) const YOURS: &str = "(your view; --as public for what all see)\n";

/// How a board is to be shown.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Shown {
    /// Show what only this side may know as well, with its secret from the key store, or what everyone sees: `public`. By default
    /// your own side's view, if postrider knows which side is yours
    #[arg(long = "as", value_name = "SIDE")]
    pub(super) view: Option<String>,
    /// Turn the board so that this side is at the bottom
    #[arg(long, value_name = "SIDE")]
    pub(super) from: Option<String>,
    /// Draw the board in as few lines as possible, for small terminals
    #[arg(long)]
    pub(super) compact: bool,
    /// Use characters beyond ASCII
    #[arg(long)]
    pub(super) unicode: bool,
    /// Draw the board as large as the terminal allows
    #[arg(long, hide = true)]
    pub(super) fit: bool,
}

/// How many rows of a terminal are left below a board, for what is said and the prompt.
const LEFT: usize = 3;

impl Shown {
    /// How the game should look on the terminal that standard output is connected to.
    ///
    /// # Errors
    /// If no side has the given name.
    pub(super) fn look(&self, opened: &Opened<'_>) -> Result<Look, Failure> {
        let from = self.from.as_deref().map(|word| own::named(opened, word)).transpose()?;
        Ok(Look {
            unicode: self.unicode,
            colour: true,
            turned: from == Some(Side::Second),
            compact: self.compact,
            columns: columns(),
            rows: if self.fit { rows().map(|rows| rows.saturating_sub(LEFT)) } else { None },
        })
    }

    /// Returns the viewer. If a side's view is shown, the game is told what that side's secret reveals.
    ///
    /// # Errors
    /// If no side has the given name, or its secret does not open its seals.
    pub(super) fn viewer(&self, opened: &mut Opened<'_>) -> Result<Viewer, Failure> {
        match self.view.as_deref() {
            Some(PUBLIC) => Ok(Viewer::Public),
            Some(word) => {
                let side = own::named(opened, word)?;
                Ok(confided(&*office()?, opened, side)?)
            }
            None => Ok(mine(opened)),
        }
    }

    /// The note below the board: whose view it is, if that is not the public one and nobody asked for it.
    pub(super) fn note(&self, opened: &Opened<'_>, viewer: Viewer) -> &'static str {
        let differs = || opened.table.view(viewer) != opened.table.view(Viewer::Public);
        if self.view.is_none() && viewer != Viewer::Public && differs() { YOURS } else { "" }
    }
}

/// The width in columns of the terminal that standard output is connected to; `None` if it is not a terminal.
pub(super) fn columns() -> Option<usize> {
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
pub(super) fn rows() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(_, rows)| usize::from(rows.0)).filter(|&count| count > 0)
}

/// The player's own view, or the public one.
pub(super) fn mine(opened: &mut Opened<'_>) -> Viewer {
    office().map_or(Viewer::Public, |office| view::mine(&office, opened))
}

/// The view of a known side, or the public one.
pub(super) fn of(opened: &mut Opened<'_>, side: Side) -> Viewer {
    office().map_or(Viewer::Public, |office| view::of(&office, opened, side))
}
