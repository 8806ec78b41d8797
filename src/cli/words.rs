//! Words for a terminal: names of files, arguments of a shell, lines that fit.

use std::io;
use std::path::Path;

use postrider_board::render::sheet::folded;
use postrider_kernel::text::names::path_text;
use postrider_kernel::text::{printable, shell_word};
use postrider_referee::registry;
use postrider_referee::registry::AnyGame;

/// Returns the name of a file, safe to print.
pub fn name(path: &Path) -> String {
    printable(&path_text(path)).into_owned()
}

/// Returns a file name as one word for a shell, quoted if necessary, for a command that is to be typed.
pub fn arg(name: &str) -> String {
    // A name that begins with `-` would be taken for an option.
    if name.starts_with('-') && name != "-" { shell_word(&format!("./{name}")) } else { shell_word(name) }
}

/// Returns a text in quotes, as one word for a shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns the name of a file as a shell reads it.
pub fn shell(path: &Path) -> String {
    match path.to_str() {
        Some(text) => arg(&printable(text)),
        None => in_bytes(path.as_os_str().as_encoded_bytes()),
    }
}

/// Returns bytes that are no text as shells read them in `$'…'`.
fn in_bytes(path: &[u8]) -> String {
    let byte = |byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    let before = if path.starts_with(b"-") { "./" } else { "" };
    format!("$'{before}{}'", path.iter().map(byte).collect::<String>())
}

/// Returns the game with this name, in whatever case it was typed.
pub fn game_named(name: &str) -> Option<&'static dyn AnyGame> {
    registry::find(name).or_else(|| registry::find(&name.to_ascii_lowercase()))
}

/// Whether an id may begin like this.
pub fn may_begin_id(typed: &str) -> bool {
    (1..=64).contains(&typed.len())
        && typed.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && typed != "-"
}

/// The width of the terminal that messages go to, in columns; where they go elsewhere, nothing is folded.
pub fn columns() -> usize {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(usize::MAX, |(columns, _)| usize::from(columns.0).max(20))
}

/// Folds a message to fit the terminal that messages go to.
pub fn fitting(text: &str) -> String {
    within(text, columns())
}

/// Folds the lines of a text that are wider than this many columns, and keeps their indentation. Lines with escape sequences were
/// folded where they were made.
pub fn within(text: &str, columns: usize) -> String {
    if text.len() <= columns {
        return text.to_owned();
    }
    let fold = |line: &str| {
        if line.contains('\x1b') {
            return line.to_owned();
        }
        let inner = line.trim_start();
        let indent = (line.len() - inner.len()).min(columns / 2);
        format!("{:indent$}{}", "", folded(inner, columns - indent).join(&format!("\n{:indent$}", "")))
    };
    text.split('\n').map(fold).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_is_typed_byte_by_byte() {
        use std::os::unix::ffi::OsStrExt as _;
        for (path, typed) in [
            (&b"a b.pbem"[..], "'a b.pbem'"),
            (b"a\xff'b\\.pbem", "$'a\\xff\\'b\\\\.pbem'"),
            (b"-\xfe.pbem", "$'./-\\xfe.pbem'"),
        ] {
            assert_eq!(shell(Path::new(std::ffi::OsStr::from_bytes(path))), typed);
        }
    }

    #[test]
    fn a_message_is_folded_with_its_indentation_and_nothing_else_is_changed() {
        assert_eq!(within("a game\n    of several words\n", 14), "a game\n    of several\n    words\n");
        assert_eq!(within("no  fold\n\nhere", 14), "no  fold\n\nhere");
        assert_eq!(within("one_long_word_only", 8), "one_long_word_only");
        let coloured = "\x1b[1m\x1b[91merror\x1b[0m: it fits";
        assert_eq!(within(coloured, 16), coloured, "escape sequences take no room");
    }
}
