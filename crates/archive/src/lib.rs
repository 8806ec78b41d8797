//! Many records: finds them in folders and judges them on all processors, in the order in which they were named.

mod decoded;
pub mod exporting;
pub mod frames;
pub mod held;
pub mod judging;
pub mod lines;
pub mod packing;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod paths;
pub mod sources;
pub mod stamps;
pub mod standings;
pub mod stream;
pub mod tables;
pub mod unpacking;
