//! What a record shows after each of its entries, for pictures and for descriptions.

use crate::judging::Table;
use crate::record::Item;
use crate::verdict::Opened;
use postrider_kernel::Viewer;
use postrider_kernel::scene::Scene;

/// Passes the scenes after the `wanted` entries from `first` to `last` (0 is the start) to `take`, each with its entry's number and
/// marks for what the entry did. Makes and keeps nothing for the others. The record must be opened and not replayed yet. A refused
/// entry and those after it have no scene. `tell` is called before each scene to tell the table what only the viewer may know.
///
/// # Errors
/// The errors of `tell`.
pub fn scenes<E>(
    opened: &mut Opened<'_>,
    (first, last): (u32, u32),
    viewer: Viewer,
    mut tell: impl FnMut(&mut dyn Table) -> Result<(), E>,
    wanted: impl Fn(u32) -> bool,
    mut take: impl FnMut(u32, Scene),
) -> Result<(), E> {
    let wanted = |number: u32| (first..=last).contains(&number) && wanted(number);
    let mut body = opened.body();
    let mut before: Option<Scene> = None;
    let mut blows = Vec::new();
    let mut number = 0_u32;
    loop {
        let is_next = wanted(number.saturating_add(1));
        if wanted(number) || is_next {
            tell(opened.table.as_mut())?;
            let mut scene = opened.table.view(viewer);
            if let Some(before) = before.take() {
                scene.mark_since(&before);
                scene.blows = std::mem::take(&mut blows);
            }
            before = is_next.then(|| scene.clone());
            if wanted(number) {
                take(number, scene);
            }
        }
        let entry = std::iter::from_fn(|| body.next_item()).find_map(|item| match item {
            Item::Entry(entry) => Some(entry),
            _ => None,
        });
        match entry {
            Some(entry) if number < last && opened.table.pass(opened.text, &entry).is_ok() => {
                number = number.saturating_add(1);
                if wanted(number) {
                    blows = opened.table.blows(entry.actions.text(opened.text));
                }
            }
            _ => return Ok(()),
        }
    }
}
