//! A referee draws itself as a picture.

use super::{Options, Picture};
use crate::facade::Referee;
use crate::games::kernel::Viewer;

impl Referee<'_> {
    /// Draws what a viewer may see.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use postrider::{Viewer, picture};
    ///
    /// let record = std::fs::read("examples/asalto/fifteen-captures.pbem")?;
    /// let picture = postrider::open(&record)?.picture(Viewer::Public, &picture::Options::default());
    /// assert!(picture.svg("The end").starts_with("<svg "));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn picture(&self, viewer: Viewer, options: &Options) -> Picture {
        Picture::of(&self.scene(viewer), options)
    }

    /// Draws what a viewer may see as SVG, in colour, with the words for it as its description.
    #[must_use]
    pub fn svg(&self, viewer: Viewer) -> String {
        let title = format!("{}, after entry {}", self.record().header.info.title, self.verdict().entries);
        self.picture(viewer, &Options::default()).svg(&title)
    }
}
