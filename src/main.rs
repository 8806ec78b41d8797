//! The `postrider` command. Everything it does is in the library; see `src/cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    postrider::cli::run()
}
