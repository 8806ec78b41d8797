//! Pictures of a scene: SVG, PNG and GIF, drawn from one display list. Pure: the same scene gives the same bytes on every machine.
//!
//! Pieces and letters are this program's own drawings, so no font and no file is needed.

mod blocks;
mod bricks;
mod glyphs;
pub mod list;
pub mod look;
mod pieces;
#[cfg(feature = "pictures")]
mod raster;
mod shelves;
mod squares;
pub mod svg;
#[cfg(feature = "pictures")]
pub mod terminal;

pub use look::Look;
pub use svg::escaped;

use crate::games::kernel::Side;
use crate::scene::{Board, Scene};
use list::List;

/// The smallest and the largest picture of pixels, by its width.
pub const SIZES: std::ops::RangeInclusive<u16> = 64..=4096;

/// How a picture is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whose side of the board is at the bottom.
    pub from: Side,
    /// How it looks.
    pub look: Look,
    /// Whether what the last entry did is marked.
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
        let mut bare;
        let scene = if options.marks {
            scene
        } else {
            bare = scene.clone();
            bare.marks.clear();
            &bare
        };
        let mut list = List::default();
        let turned = options.from == Side::Second;
        match &scene.board {
            Board::Points(board) => squares::points(&mut list, board, scene, turned),
            Board::Cells(board) => squares::cells(&mut list, board, scene, turned),
            Board::Blocks(board) => blocks::draw(&mut list, board, scene, turned),
            Board::Bricks(bricks) => bricks::draw(&mut list, bricks, scene, turned),
        }
        if !matches!(scene.board, Board::Bricks(_)) {
            shelves::draw(&mut list, scene);
        }
        Self { list, look: options.look, words: scene.words() }
    }

    /// The display list.
    #[must_use]
    pub const fn list(&self) -> &List {
        &self.list
    }

    /// The scene in words.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Writes it as SVG with a title; what it shows in words is its description.
    #[must_use]
    pub fn svg(&self, title: &str) -> String {
        svg::write(&self.list, svg::Paint::Look(self.look), title, &self.words)
    }

    /// The same with classes for colours, for a page whose style sheet says what they are ([`svg::ink_letter`]).
    #[must_use]
    pub fn svg_in_classes(&self, title: &str) -> String {
        svg::write(&self.list, svg::Paint::Classes, title, &self.words)
    }

    /// Writes it as PNG so many pixels wide; nothing comes of a width outside [`SIZES`].
    #[cfg(feature = "pictures")]
    #[must_use]
    pub fn png(&self, width: u16) -> Option<Vec<u8>> {
        if !SIZES.contains(&width) {
            return None;
        }
        let rasters = raster::paint(std::slice::from_ref(&self.list), self.look, width)?;
        raster::png(rasters.first()?)
    }
}

#[cfg(feature = "pictures")]
impl Picture {
    /// Writes it so many pixels wide as a terminal takes it; nothing comes of a width outside [`SIZES`].
    #[must_use]
    pub fn escapes(&self, protocol: terminal::Protocol, width: u16) -> Option<Vec<u8>> {
        match protocol {
            terminal::Protocol::Kitty => self.png(width).map(|png| terminal::kitty(&png)),
            terminal::Protocol::Iterm => self.png(width).map(|png| terminal::iterm(&png)),
            terminal::Protocol::Sixel if SIZES.contains(&width) => {
                let rasters = raster::paint(std::slice::from_ref(&self.list), self.look, width)?;
                rasters.first().map(terminal::sixel)
            }
            terminal::Protocol::Sixel => None,
        }
    }
}

/// Writes pictures as an animated GIF so many pixels wide, each to be seen for so many hundredths of a second. Nothing comes of no
/// picture, or of a width outside [`SIZES`].
#[cfg(feature = "pictures")]
#[must_use]
pub fn gif(pictures: &[Picture], width: u16, delay: u16) -> Option<Vec<u8>> {
    if !SIZES.contains(&width) {
        return None;
    }
    let look = pictures.first()?.look;
    let lists: Vec<_> = pictures.iter().map(|picture| picture.list.clone()).collect();
    raster::gif(&raster::paint(&lists, look, width)?, delay)
}
