//! A referee draws itself as text.

use super::{Look, board};
use crate::facade::Referee;
use crate::games::kernel::Viewer;

impl Referee<'_> {
    /// Draws what a viewer may see of the board as text; each line ends with a newline.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use postrider::Viewer;
    /// use postrider::render::Look;
    ///
    /// let record = std::fs::read("examples/asalto/fifteen-captures.pbem")?;
    /// let referee = postrider::open(&record)?;
    /// print!("{}", referee.text(Viewer::Public, Look::default()));
    /// # assert!(referee.text(Viewer::Public, Look::default()).lines().count() > 7);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn text(&self, viewer: Viewer, look: Look) -> String {
        board(&self.scene(viewer), look)
    }
}
