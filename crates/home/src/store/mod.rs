//! What is kept: records that are never half written; the player's settings, secrets and keys; and notes of what was sent
//! and signed. All of it goes through [`Disk`], which is the disk of this machine or [`Memory`].

#[cfg(test)]
mod tests;
