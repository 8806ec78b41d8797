//! JSON on standard output, one object per line.

use std::io::{self, Write};

use serde::Serialize;

use super::hints::Failure;
use super::out::io_print;
use postrider_board::report::harmless;

/// Prints a value as a line of JSON as it is written, so that the whole line need not be kept.
///
/// # Errors
/// If it cannot be printed.
pub fn stream(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = Pieces(Vec::new());
    // What fails is printing, since texts and numbers always have a JSON form.
    let done = serde_json::to_writer(&mut out, value);
    out.0.push(b'\n');
    done.map_err(io::Error::from).and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Prints what is written to it, many bytes at a time.
struct Pieces(Vec<u8>);

impl Write for Pieces {
    /// Each piece is a whole text or a part that ends between two characters.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        let is_full = self.0.len() > 64 * 1024 && std::str::from_utf8(&self.0).is_ok();
        if is_full { self.flush().map(|()| bytes.len()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        // It is text: what serde writes are whole texts.
        io_print(&harmless(String::from_utf8(std::mem::take(&mut self.0)).unwrap_or_default()))
    }
}
