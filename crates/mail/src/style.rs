//! What a letter consists of.

use serde::Deserialize;

/// What a letter consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Only text.
    Text,
    /// Text, and the same with a picture of the board.
    Picture,
    /// With a picture, and with a link for every legal entry if entries may be tapped.
    #[default]
    Taps,
    /// Only text, with the new entries as a block in it instead of an attached record (B1).
    Block,
}
