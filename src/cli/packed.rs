//! Reading packed archives, and lines of JSON, for the commands that judge and export.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::hints::{self, Failure, name};
use super::input;
use crate::archive::stream::{Stream, StreamError, each_line};

/// Whether a path is that of an archive: lines of JSON, packed or not.
pub(super) fn is_archive(path: &Path) -> bool {
    let name = path.to_string_lossy();
    (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst") || name.ends_with(".zst")) && !path.is_dir()
}

/// Reads an archive, or standard input for `-`, and hands what `answer` makes of each line to `tell`, in order. A fault of the archive is
/// reported, after all before it was answered, and weighs as what could not be judged.
pub(super) fn judge(
    path: &Path,
    answer: impl Fn(Result<&[u8], String>) -> (u8, String) + Send + Sync,
    tell: &mut dyn FnMut((u8, String)) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let from: Box<dyn Read> = if input::is_stdin(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(|error| Failure::reading(path, &error))?)
    };
    let mut stream = Stream::new(from);
    loop {
        let chunk = match stream.next_chunk() {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return Ok(()),
            Err(error) => {
                let what = match error {
                    StreamError::Io(error) => format!("cannot be read: {error}"),
                    StreamError::Damage(damage) => damage.to_string(),
                };
                errln!("error: {}: {what}", name(path));
                return tell((hints::TROUBLE, String::new()));
            }
        };
        // Answers go out before more is waited for.
        let mut worst = 0;
        let mut text = String::new();
        each_line(&chunk, &answer, |(code, line)| {
            worst = worst.max(code);
            text.push_str(&line);
            Ok::<(), Failure>(())
        })?;
        tell((worst, text))?;
    }
}
