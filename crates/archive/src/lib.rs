//! Many records: finds them in folders and judges them on all processors, in the order in which they were named.

#[cfg(feature = "cli")]
mod decoded;
#[cfg(feature = "cli")]
pub mod exporting;
#[cfg(feature = "cli")]
pub mod frames;
#[cfg(feature = "cli")]
pub mod held;
#[cfg(feature = "cli")]
pub mod judging;
#[cfg(feature = "cli")]
pub mod lines;
#[cfg(feature = "cli")]
pub mod packing;
#[cfg(feature = "parquet")]
pub mod parquet;
#[cfg(feature = "cli")]
pub mod paths;
#[cfg(feature = "cli")]
pub mod sources;
#[cfg(feature = "cli")]
pub mod stamps;
pub mod standings;
#[cfg(feature = "cli")]
pub mod stream;
#[cfg(feature = "cli")]
pub mod tables;
#[cfg(feature = "cli")]
pub mod unpacking;
