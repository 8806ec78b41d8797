//! The `postrider` command. Everything it does is in the library; see `src/cli`.

// Outside the tests nothing may panic by its own word.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use std::process::ExitCode;

fn main() -> ExitCode {
    postrider::cli::run()
}
