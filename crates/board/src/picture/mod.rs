//! Pictures of a scene: SVG, PNG and GIF, all drawn from one display list. Pure: the same scene gives the same bytes on
//! every machine.
//!
//! Pieces and letters are this program's own drawings, so it needs no font and no file.

mod blocks;
mod bricks;
mod glyphs;
pub mod list;
pub mod look;
mod pieces;
#[cfg(feature = "pictures")]
mod raster;
mod referee;
#[cfg(feature = "pictures")]
mod repaint;
mod shelves;
mod squares;
pub mod svg;
#[cfg(feature = "pictures")]
pub mod terminal;
mod told;

pub use glyphs::is_writable;
pub use look::Look;
pub use svg::escaped;
pub use told::Told;

use list::List;
use postrider_kernel::Side;
use postrider_kernel::scene::{Board, Scene};
pub use referee::Draw;

/// The allowed widths of a pixel picture.
pub const SIZES: std::ops::RangeInclusive<u16> = 64..=4096;

/// How a picture is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which side is at the bottom of the board.
    pub from: Side,
    pub look: Look,
    /// Whether to mark what the last entry did.
    pub marks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { from: Side::First, look: Look::Colour, marks: true }
    }
}

/// A picture of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    list: List,
    look: Look,
    words: String,
}

impl Picture {
    /// Draws a scene.
    #[must_use]
    pub fn of(scene: &Scene, options: &Options) -> Self {
        Self::drawn(scene, options, false)
    }

    /// Draws a scene; if it is `roomy`, as high as its cards need to be read.
    fn drawn(scene: &Scene, options: &Options, roomy: bool) -> Self {
        let mut bare;
        let scene = if options.marks {
            scene
        } else {
            bare = scene.clone();
            bare.marks.clear();
            bare.blows.clear();
            &bare
        };
        let mut list = List::default();
        let turned = options.from == Side::Second;
        match &scene.board {
            Board::Points(board) => squares::points(&mut list, board, scene, turned),
            Board::Cells(board) => squares::cells(&mut list, board, scene, turned),
            Board::Blocks(board) => blocks::draw(&mut list, board, scene, turned),
            Board::Bricks(bricks) => bricks::draw(&mut list, bricks, scene, turned, roomy),
        }
        if !matches!(scene.board, Board::Bricks(_)) {
            shelves::draw(&mut list, scene);
        }
        Self { list, look: options.look, words: scene.words() }
    }

    /// Draws a scene with the words that it needs where it is looked at alone, and large enough to be read on a telephone.
    #[must_use]
    pub fn with_words(scene: &Scene, options: &Options, told: &Told) -> Self {
        let mut picture = Self::drawn(scene, options, true);
        told::add(&mut picture.list, told, options.from);
        picture
    }

    /// Adds a line below everything else.
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        told::note(&mut self.list, note);
        self.words.push_str(note);
        self.words.push('\n');
        self
    }

    /// Returns the display list.
    #[must_use]
    pub const fn list(&self) -> &List {
        &self.list
    }

    /// Returns the scene in words.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Writes the picture as SVG with a title; the scene in words is its description.
    #[must_use]
    pub fn svg(&self, title: &str) -> String {
        svg::write(&self.list, svg::Paint::Look(self.look), title, &self.words)
    }

    /// Writes it as SVG with classes instead of colours, for a page whose style sheet sets the colours
    /// ([`svg::ink_letter`]).
    #[must_use]
    pub fn svg_in_classes(&self, title: &str) -> String {
        svg::write(&self.list, svg::Paint::Classes, title, &self.words)
    }

    /// Writes it as a PNG of this width in pixels; `None` if the width is outside [`SIZES`].
    #[cfg(feature = "pictures")]
    #[must_use]
    pub fn png(&self, width: u16) -> Option<Vec<u8>> {
        if !SIZES.contains(&width) {
            return None;
        }
        raster::png(&raster::paint(&self.list, self.look, width)?)
    }
}

#[cfg(feature = "pictures")]
impl Picture {
    /// Writes it for a terminal with this width in pixels; `None` if the width is outside [`SIZES`].
    #[must_use]
    pub fn escapes(&self, protocol: terminal::Protocol, width: u16) -> Option<Vec<u8>> {
        match protocol {
            terminal::Protocol::Kitty => self.png(width).map(|png| terminal::kitty(&png)),
            terminal::Protocol::Iterm => self.png(width).map(|png| terminal::iterm(&png)),
            terminal::Protocol::Sixel if SIZES.contains(&width) => {
                Some(terminal::sixel(&raster::paint(&self.list, self.look, width)?))
            }
            terminal::Protocol::Sixel => None,
        }
    }
}

/// Writes pictures as an animated GIF with this width in pixels; each picture is shown for `delay` hundredths of a
/// second. Returns `None` if there is no picture or the width is outside [`SIZES`].
#[cfg(feature = "pictures")]
#[must_use]
pub fn gif(pictures: &[Picture], width: u16, delay: u16) -> Option<Vec<u8>> {
    if !SIZES.contains(&width) {
        return None;
    }
    let look = pictures.first()?.look;
    let lists: Vec<_> = pictures.iter().map(|picture| &picture.list).collect();
    raster::gif(&lists, look, width, delay)
}
