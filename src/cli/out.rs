//! Standard output, which may be closed, full, a terminal or a pipe.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::hints::{Failure, name};
use super::input::is_stdin;

/// Handles the result of showing something that is already done. If it could not be shown, that is a warning: it
/// changes neither what was done nor the exit code, which reports only that.
pub fn shown(done: &str, shown: Result<(), Failure>) {
    match shown {
        Err(Failure::Output(error)) => {
            errln!("warning: {done}, but standard output cannot be written to: {error}");
        }
        Err(failure) => errln!("warning: {done}, but it cannot be shown: {failure}"),
        Ok(()) => {}
    }
}

/// Writes to standard output. A reader may have seen enough (`| head`), which is not an error; the command continues,
/// because its exit code reports what it found or did. Colours are removed if it is not a terminal or `NO_COLOR` is
/// set.
pub fn print(text: impl AsRef<str>) -> Result<(), Failure> {
    // If there is nothing to remove, searching for it would take longer than making most texts.
    let bytes = text.as_ref().as_bytes();
    if !bytes.iter().fold(false, |any, &byte| any | (byte < b' ' && byte != b'\n') | (byte == 0x7f)) {
        return print_bytes(bytes);
    }
    print_from(|out| out.write_all(bytes))
}

/// Writes a text and a line end to standard output, folded to fit a terminal.
pub fn say(text: &str) -> Result<(), Failure> {
    print(super::words::within(text, super::view::columns().unwrap_or(usize::MAX)) + "\n")
}

/// Writes what was made into a file, and says so; `-` stands for standard output.
pub fn written(output: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_stdin(output) {
        return print_bytes(bytes);
    }
    postrider_disk::files::put(output, bytes)?;
    errln!("{} written, {} bytes", name(output), bytes.len());
    Ok(())
}

/// Whether nobody reads standard output any more.
static GONE: AtomicBool = AtomicBool::new(false);

/// Ends work that does nothing but print, once nobody reads it any more: its input may have no end.
///
/// # Errors
/// If nobody reads standard output; nothing is said of it.
pub fn still_read() -> Result<(), Failure> {
    match GONE.load(Ordering::Relaxed) {
        true => Err(Failure::Output(io::ErrorKind::BrokenPipe.into())),
        false => Ok(()),
    }
}

/// Like [`print()`], for what takes only faults of input and output.
pub fn io_print(text: &str) -> io::Result<()> {
    print(text).map_err(|failure| match failure {
        Failure::Output(error) => error,
        failure => io::Error::other(failure.to_string()),
    })
}

/// Standard output, for whole texts: see [`print()`].
pub struct Printing;

impl Write for Printing {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        io_print(&String::from_utf8_lossy(text)).map(|()| text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Like [`print()`], for a text that is too long to be in memory as a whole.
pub fn print_from(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    piped(anstream::stdout().lock(), write)
}

/// Writes bytes to standard output unchanged.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    piped(io::stdout().lock(), |out| out.write_all(bytes))
}

/// Writes to standard output; if nobody reads it any more, that is noted and no failure.
fn piped(mut out: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            GONE.store(true, Ordering::Relaxed);
            Ok(())
        }
        done => done.map_err(Failure::Output),
    }
}
