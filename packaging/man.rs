//! Writes a manual page for each command into the folder that is named: `cargo run --example man -- FOLDER`.

// A file may be written here without `disk`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: man FOLDER");
        return ExitCode::from(2);
    };
    match std::fs::create_dir_all(&folder).and_then(|()| clap_mangen::generate_to(postrider::cli::commands(), &folder))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
