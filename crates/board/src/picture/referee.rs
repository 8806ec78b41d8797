//! A referee draws itself, as text and as a picture.

use super::{Options, Picture};
use crate::render::{Look, board};
use postrider_kernel::Viewer;
use postrider_referee::facade::Referee;

/// What a [`Referee`] looks like.
pub trait Draw {
    /// Draws what a viewer may see of the board as text; each line ends with a newline.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use postrider_board::picture::Draw as _;
    /// use postrider_board::render::Look;
    /// use postrider_referee::Viewer;
    ///
    /// let record = std::fs::read("../../examples/asalto/fifteen-captures.pbem")?;
    /// let referee = postrider_referee::open(&record)?;
    /// print!("{}", referee.text(Viewer::Public, Look::default()));
    /// # assert!(referee.text(Viewer::Public, Look::default()).lines().count() > 7);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    fn text(&self, viewer: Viewer, look: Look) -> String;

    /// Draws what a viewer may see.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use postrider_board::picture;
    /// use postrider_board::picture::Draw as _;
    /// use postrider_referee::Viewer;
    ///
    /// let record = std::fs::read("../../examples/asalto/fifteen-captures.pbem")?;
    /// let picture = postrider_referee::open(&record)?.picture(Viewer::Public, &picture::Options::default());
    /// assert!(picture.svg("The end").starts_with("<svg "));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    fn picture(&self, viewer: Viewer, options: &Options) -> Picture;

    /// Draws what a viewer may see as SVG, in colour, with the words for it as its description.
    #[must_use]
    fn svg(&self, viewer: Viewer) -> String;
}

impl Draw for Referee<'_> {
    fn text(&self, viewer: Viewer, look: Look) -> String {
        board(&self.scene(viewer), look)
    }

    fn picture(&self, viewer: Viewer, options: &Options) -> Picture {
        Picture::of(&self.scene(viewer), options)
    }

    fn svg(&self, viewer: Viewer) -> String {
        let title = format!("{}, after entry {}", self.record().header.info.title, self.verdict().entries);
        self.picture(viewer, &Options::default()).svg(&title)
    }
}
