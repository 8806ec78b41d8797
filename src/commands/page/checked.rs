//! `postrider page --check`.

use std::path::Path;
use std::process::ExitCode;

use super::digits;
pub(crate) use crate::cli::hints::{Failure, name};
use crate::cli::out::print;
use postrider_kernel::text::entries;
use postrider_page::{Checked, Difference};

/// The largest page that is looked at: the longest game, and the referee.
const MOST: u64 = 512 << 20;

/// Says whether a page, or a folder with the app, is what this version makes.
pub(super) fn run(file: &Path) -> Result<ExitCode, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let shown = name(file);
    if file.is_dir() {
        return of_folder(file);
    }
    let says = match postrider_page::check(&read(file)?) {
        Checked::Same { game, referee } => {
            let module = postrider_page::module_digest(if game.is_some() {
                postrider_page::REFEREE
            } else {
                postrider_page::PLAYER
            });
            let module = digits(&module);
            let what = match game {
                Some((id, count)) => format!("the page of {id} with {}", entries(count)),
                None => "the page without a game".to_owned(),
            };
            let with = if referee { format!(", referee {module}") } else { String::new() };
            print(format!("{shown}: byte for byte what postrider {version} makes: {what}{with}\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        Checked::Differs(Difference { part, place: (line, column), version: said }) => {
            let other =
                said.filter(|said| said != version).map(|said| format!("; it says that postrider {said} made it"));
            format!("its {} differs from line {line}, byte {column} on{}", part.in_words(), other.unwrap_or_default())
        }
        Checked::WithoutRecord => "the record is not in it, so its boards and texts cannot be compared".to_owned(),
        Checked::Foreign => "it is no page of postrider".to_owned(),
    };
    Err(other(format!("{shown}: not what postrider {version} makes: {says}")))
}

/// The failure of a page that is another one.
fn other(what: String) -> Failure {
    Failure::trouble(what)
        .hint("a page is a program: put its record into a page of your own, and type no secret, key or passphrase into this one")
        .refused(None)
}

fn of_folder(folder: &Path) -> Result<ExitCode, Failure> {
    let shown = name(folder);
    let mut others = Vec::new();
    let files = postrider_page::app();
    for file in &files {
        let path = folder.join(&file.name);
        if !path.exists() {
            others.push(format!("{} is missing", file.name));
        } else if read(&path)? != file.bytes {
            others.push(format!("{} differs", file.name));
        }
    }
    let listed = std::fs::read_dir(folder).map_err(|error| Failure::reading(folder, &error))?;
    for entry in listed {
        let entry = entry.map_err(|error| Failure::reading(folder, &error))?;
        let found = entry.file_name().to_string_lossy().into_owned();
        if !files.iter().any(|file| file.name == found) {
            others.push(format!("{} is no part of it", postrider_kernel::text::printable(&found)));
        }
    }
    others.sort();
    let version = env!("CARGO_PKG_VERSION");
    if others.is_empty() {
        let module = postrider_page::module_digest(postrider_page::PLAYER);
        print(format!("{shown}: byte for byte the app of postrider {version}, referee {}\n", digits(&module)))?;
        return Ok(ExitCode::SUCCESS);
    }
    Err(other(format!("{shown}: not the app of postrider {version}: {}", others.join("; "))))
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let length = std::fs::metadata(file).map_err(|error| Failure::reading(file, &error))?.len();
    if length > MOST {
        return Err(Failure::trouble(format!("{} is over {} MiB, larger than any page", name(file), MOST >> 20)));
    }
    std::fs::read(file).map_err(|error| Failure::reading(file, &error))
}
