//! A Maildir: one file per message, in `new` and `cur`. Nothing is moved and no flag is set; what has been read is
//! noted elsewhere, so the player's mail program shows the messages as usual.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use postrider_home::receive::inbox::taker::{InboxError, Taker, capped};
use postrider_home::receive::received::Mark;
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::printable;

/// Passes on each message of a Maildir in order of name, which is usually the order of arrival.
pub(crate) fn each<T: Taker>(folder: &Path, taker: &mut T) -> Result<(), T::Stop> {
    let failed = |path: &Path, error| InboxError::Io(path.to_owned(), error);
    let boxes = ["new", "cur"].map(|name| folder.join(name));
    if !boxes.iter().any(|path| path.is_dir()) {
        return Err(InboxError::NoMaildir(folder.to_owned()).into());
    }
    // The same Maildir may be reachable by several paths.
    let real = dunce::canonicalize(folder).map_err(|error| failed(folder, error))?;
    let mut found: Vec<(OsString, PathBuf)> = Vec::new();
    for path in boxes.iter().filter(|path| path.is_dir()) {
        for entry in fs::read_dir(path).map_err(|error| failed(path, error))? {
            let entry = entry.map_err(|error| failed(path, error))?;
            let name = entry.file_name();
            let (unique, flags) = taken_apart(&name);
            // A draft has not been sent yet, and what is in the trash is not to be read.
            if unique.as_encoded_bytes().starts_with(b".") || flags.contains(['T', 'D']) {
                continue;
            }
            found.push((unique, entry.path()));
        }
    }
    found.sort();
    for (unique, path) in found {
        let mark = Mark::of(&[b"maildir", real.as_os_str().as_encoded_bytes(), unique.as_encoded_bytes()]);
        if taker.knows(&mark) {
            continue;
        }
        match read(&path, &unique, &boxes) {
            Ok(Some(message)) => taker.take(&printable(&path_text(&path)), Some(mark), &message)?,
            Ok(None) => {}
            Err(error) => taker.pass(&failed(&path, error)),
        }
    }
    Ok(())
}

/// Splits the name of a message from its flags.
fn taken_apart(name: &OsString) -> (OsString, String) {
    let text = name.to_string_lossy();
    match text.split_once(":2,").or_else(|| text.split_once("!2,")) {
        Some((unique, flags)) => (OsString::from(unique), flags.to_owned()),
        None => (name.clone(), String::new()),
    }
}

/// Reads a message, which a mail program may have moved in the meantime; `None` if it is gone or not a regular file.
fn read(path: &Path, unique: &OsString, boxes: &[PathBuf]) -> io::Result<Option<Vec<u8>>> {
    let open = |path: &Path| -> io::Result<Option<Vec<u8>>> {
        // Checked before opening: opening a pipe would wait for its other end.
        if !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        capped(&mut postrider_disk::files::open(path)?).map(Some)
    };
    match open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let moved = boxes.iter().filter_map(|path| fs::read_dir(path).ok()).flatten().flatten();
            let moved = moved
                .map(|entry| entry.path())
                .find(|path| path.file_name().is_some_and(|name| taken_apart(&name.to_owned()).0 == *unique));
            // It may be gone by now, or be a broken link.
            match moved.map_or(Ok(None), |path| open(&path)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                read => read,
            }
        }
        read => read,
    }
}
