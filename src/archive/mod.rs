//! Many records: finds them in folders and judges them on all processors, in the order in which they were named.

#[cfg(feature = "cli")]
mod decoded;
#[cfg(feature = "cli")]
pub mod doctor;
#[cfg(feature = "cli")]
pub mod exporting;
#[cfg(feature = "cli")]
mod files;
mod found;
#[cfg(feature = "cli")]
pub mod frames;
#[cfg(feature = "cli")]
pub mod held;
#[cfg(feature = "cli")]
pub mod judging;
#[cfg(feature = "cli")]
pub mod lines;
pub mod lost;
#[cfg(feature = "cli")]
pub mod packing;
#[cfg(feature = "parquet")]
pub mod parquet;
#[cfg(feature = "cli")]
pub mod paths;
mod shelf;
#[cfg(feature = "cli")]
pub mod sources;
#[cfg(feature = "cli")]
pub mod stamps;
#[cfg(feature = "cli")]
pub mod stream;
#[cfg(feature = "cli")]
pub mod tables;
#[cfg(feature = "cli")]
pub mod unpacking;
#[cfg(feature = "cli")]
mod walking;

#[cfg(feature = "cli")]
pub use files::find;
pub use found::{Found, find_in, walk_in};
pub use shelf::{Shelf, Unread};
#[cfg(feature = "cli")]
pub use walking::{gather, judge, map, walk};
