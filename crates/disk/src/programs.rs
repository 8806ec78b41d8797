//! What programs print that others start: both pipes are read to their ends. `Command::output` and `Child::wait_with_output` do the same,
//! but panic where a pipe cannot be read.
#![expect(clippy::disallowed_types, reason = "nothing is started but what the caller names")]

use std::io;
use std::io::Read;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

/// Runs a program to its end, and returns what it printed. Its input is what the command says, and otherwise that of this program.
///
/// # Errors
/// If it cannot be started, or what it prints cannot be read; it has ended even so.
pub fn output(command: &mut Command) -> io::Result<Output> {
    collect(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
}

/// Waits for the end of a program that was started, and returns what it printed to those of its pipes that are still here.
///
/// # Errors
/// If what it prints cannot be read, or no thread can be had to read both pipes; it has ended even so.
pub fn collect(mut child: Child) -> io::Result<Output> {
    // As long as it has a pipe to read from it may wait for more.
    drop(child.stdin.take());
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = thread::scope(|scope| {
        // Side by side, because a program waits when a pipe is full.
        let errors = thread::Builder::new().spawn_scoped(scope, || read(err));
        let stdout = if errors.is_ok() { read(out) } else { Ok(Vec::new()) };
        let stderr =
            errors.and_then(|thread| thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has failed"))));
        (stdout, stderr)
    });
    // The pipes are closed by now, so that it ends even if not all was read.
    let status = child.wait()?;
    Ok(Output { status, stdout: stdout?, stderr: stderr? })
}

/// Reads a pipe to its end and closes it, whatever happens.
fn read(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut all)).map(|_| all)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::process::ChildStdout;

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    #[test]
    fn both_pipes_are_read_whole_and_side_by_side() {
        // More than a pipe holds, first on the one and then on the other, in both orders.
        for script in [
            "head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; exit 3",
            "head -c 200000 /dev/zero >&2; head -c 300000 /dev/zero; exit 3",
        ] {
            let output = output(&mut shell(script)).unwrap();
            assert_eq!(
                (output.stdout.len(), output.stderr.len(), output.status.code()),
                (300_000, 200_000, Some(3)),
                "{script}"
            );
        }
    }

    #[test]
    fn a_pipe_that_cannot_be_read_is_an_error_and_the_program_ends() {
        let mut child =
            shell("head -c 300000 /dev/zero").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let process = child.id().to_string();
        // A folder in the place of a pipe: it can be opened and not read.
        child.stdout = Some(ChildStdout::from(OwnedFd::from(File::open("/").unwrap())));
        assert_eq!(collect(child).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        let signal = shell(&format!("kill -0 {process}")).stderr(Stdio::null()).status().unwrap();
        assert!(!signal.success(), "the program is still there");
    }

    #[test]
    fn what_cannot_be_started_is_an_error() {
        assert_eq!(output(&mut Command::new("/nowhere/program")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
