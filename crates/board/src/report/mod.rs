//! Findings in the formats that programs and build servers read. Pure: values in, text out.

mod audit;
mod clocks;
mod evidence;
mod line;
mod shown;
mod state;
mod text;
pub mod verdict;

pub use audit::Audited;
pub use clocks::{ClockReport, Running, left};
pub use evidence::Evidenced;

pub use line::{add_line, harmless, line};
pub use shown::{Listed, Shown};
pub use state::{MatchResult, Player, State, Throw, players};
pub use text::{faults_in_lines, legal_in_a_line, receipts_in_lines};
pub use verdict::{Fault, Key, Report, Signatures, faults};
