//! Programs that a test writes and then has run.
//!
//! Another process writes them. While this one had such a file open for writing, another test might start a program, and until that runs
//! it has the same file open: the system refuses to run what somebody is writing (`Text file busy`).

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn written(script: &str, path: &Path, from: &Path, text: &[u8]) {
    let mut child = Command::new("sh")
        .args(["-c", script, "sh"])
        .args([path, from])
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    child.stdin.take().expect("its input").write_all(text).expect("it reads");
    assert!(child.wait().expect("it ends").success(), "{}", path.display());
}

/// Writes a program, in a folder that is made if need be.
pub fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    written("cat >\"$1\" && chmod 755 \"$1\"", path, path, text.as_ref());
}

/// Copies a program.
pub fn copy(from: &Path, to: &Path) {
    written("cp \"$2\" \"$1\" && chmod 755 \"$1\"", to, from, b"");
}
