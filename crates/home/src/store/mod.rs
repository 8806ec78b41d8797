//! What is kept: records that are never half written; the player's settings, secrets and keys; and notes of what was sent
//! and signed. All of it goes through [`postrider_disk::disk::Disk`], which is the disk of this machine or [`postrider_disk::disk::Memory`].

#[cfg(test)]
mod tests;
