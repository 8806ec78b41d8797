//! root::report.

pub mod forges;
