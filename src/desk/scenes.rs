//! What a record shows after each of its entries, for pictures and for descriptions.

use crate::games::kernel::Viewer;
use crate::record::Item;
use crate::referee::Table;
use crate::scene::Scene;
use crate::verdict::Opened;

/// Returns the scenes after the entries `first` to `last`, 0 being the start, each with marks for what its entry did.
/// The record must be opened and not replayed yet. An entry that is refused has no scene, nor have those after it.
/// `tell` is called before each scene to tell the table what only the viewer may know.
///
/// # Errors
/// The errors of `tell`.
pub fn scenes<E>(
    opened: &mut Opened<'_>,
    first: u32,
    last: u32,
    viewer: Viewer,
    mut tell: impl FnMut(&mut dyn Table) -> Result<(), E>,
) -> Result<Vec<Scene>, E> {
    let mut body = opened.body();
    let mut scenes = Vec::new();
    let mut before: Option<Scene> = None;
    let mut number = 0_u32;
    loop {
        if number.saturating_add(1) >= first && number <= last {
            tell(opened.table.as_mut())?;
            let mut scene = opened.table.view(viewer);
            if let Some(before) = &before {
                scene.mark_since(before);
            }
            before = Some(scene.clone());
            if number >= first {
                scenes.push(scene);
            }
        }
        let entry = std::iter::from_fn(|| body.next_item()).find_map(|item| match item {
            Item::Entry(entry) => Some(entry),
            _ => None,
        });
        match entry {
            Some(entry) if number < last && opened.table.pass(opened.text, &entry).is_ok() => {
                number = number.saturating_add(1);
            }
            _ => return Ok(scenes),
        }
    }
}
