//! Injects a fault at any system call of the program: it is killed before the call, or the call fails. This is done
//! with `strace`, so that nothing has to be built into the program for it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Later;
use crate::session::Session;

/// A system call in a run: its name, and its number among the calls with that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    pub number: usize,
    /// The call as shown by `strace`.
    pub shown: String,
}

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed before it.
    Kill,
    /// It fails with this error, and has no effect.
    Fails(&'static str),
}

/// The result of a command.
pub struct Ran {
    /// `None` if it was killed.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Returns whether faults can be injected here. With `POSTRIDER_STRACE=required` they must be.
pub fn available() -> bool {
    let works = Command::new("strace")
        .args(["-o", "/dev/null", "-e", "inject=chdir:error=EIO", "true"])
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success());
    assert!(
        works || std::env::var("POSTRIDER_STRACE").as_deref() != Ok("required"),
        "strace is missing, or is not allowed to trace"
    );
    if !works {
        eprintln!("**** NO STRACE: faults at system calls are passed over. ****");
    }
    works
}

/// The command under `strace` with these arguments.
fn traced(command: &Command, arguments: &[OsString]) -> Command {
    let mut traced = Command::new("strace");
    traced.args(arguments).arg("--").arg(command.get_program()).args(command.get_args());
    traced.env_clear();
    for (name, value) in command.get_envs() {
        traced.env(name, value.expect("a value"));
    }
    traced.current_dir(command.get_current_dir().expect("a folder"));
    traced
}

fn run(mut command: Command, input: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A program that is killed does not read all of it.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("a thread");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The calls of a run with these arguments, starting from the program's own beginning; those of the system's loader do
/// not count. The run itself is complete.
pub fn calls(session: &Session, arguments: &[&str], input: &[u8]) -> (Vec<Call>, Ran) {
    let log = session.path("trace");
    let mut options: Vec<OsString> = ["-qq", "-y", "-s", "64", "-o"].map(OsString::from).to_vec();
    options.push(log.clone().into());
    let ran = run(traced(&session.command_later(arguments), &options), input);
    let text = fs::read_to_string(&log).expect("a trace");
    let _ = fs::remove_file(log);
    let mut seen: HashMap<String, usize> = HashMap::new();
    let (mut calls, mut begun) = (Vec::new(), false);
    for line in text.lines() {
        let Some((name, _)) = line.split_once('(') else { continue };
        let number = seen.entry(name.to_owned()).or_default();
        *number += 1;
        // Rust's runtime first checks whether the standard streams are open.
        begun |= name == "poll" || name == "ppoll";
        if begun {
            calls.push(Call { name: name.to_owned(), number: *number, shown: line.to_owned() });
        }
    }
    assert!(calls.len() > 20, "{text}");
    (calls, ran)
}

/// A run in which one call fails.
pub fn with_fault(session: &Session, arguments: &[&str], input: &[u8], call: &Call, fault: Fault) -> Ran {
    let what = match fault {
        Fault::Kill => "signal=SIGKILL".to_owned(),
        Fault::Fails(error) => format!("error={error}"),
    };
    let options = ["-qq", "-o", "/dev/null", "-e", &format!("trace={}", call.name), "-e"].map(OsString::from);
    let inject = OsString::from(format!("inject={}:{what}:when={}", call.name, call.number));
    let mut ran = run(traced(&session.command_later(arguments), &[&options[..], &[inject]].concat()), input);
    // `strace` ends the way the program did: by the same signal or, seen from a shell, with 128 plus its number.
    ran.code = ran.code.filter(|code| *code != 137);
    ran
}

/// The faults that can be injected at a call.
pub fn faults(call: &Call) -> Vec<Fault> {
    let errors: &[&'static str] = match call.name.as_str() {
        "openat" | "open" if call.shown.contains("O_CREAT") => &["ENOSPC", "EIO", "EMFILE", "EPERM", "EROFS"],
        "openat" | "open" => &["EIO", "EMFILE", "EACCES"],
        "read" | "pread64" | "readlink" | "readlinkat" | "getdents64" | "lseek" => &["EIO"],
        "write" | "writev" | "pwrite64" => &["ENOSPC", "EIO", "EDQUOT"],
        "fsync" | "fdatasync" => &["EIO", "ENOSPC"],
        "rename" | "renameat" | "renameat2" | "link" | "linkat" | "unlink" | "unlinkat" => &["EIO", "EPERM", "ENOSPC"],
        "mkdir" | "mkdirat" | "chmod" | "fchmod" | "fchmodat" | "fchown" => &["EIO", "EPERM", "ENOSPC"],
        "flock" => &["ENOLCK", "EIO", "EOPNOTSUPP"],
        "statx" | "fstat" | "newfstatat" | "stat" | "lstat" => &["EIO", "EACCES"],
        "socket" => &["EMFILE"],
        "connect" => &["ECONNREFUSED", "ETIMEDOUT"],
        "sendto" | "recvfrom" | "sendmsg" | "recvmsg" => &["EIO", "ECONNRESET"],
        "poll" | "ppoll" if call.number > 1 => &["EIO"],
        "clone3" | "clone" | "vfork" | "pipe2" => &["EAGAIN", "EMFILE"],
        "wait4" | "waitid" => &["EIO"],
        _ => &[],
    };
    let mut faults: Vec<Fault> = errors.iter().map(|error| Fault::Fails(error)).collect();
    let changes = [
        "open", "write", "fsync", "rename", "link", "mkdir", "chmod", "flock", "connect", "send", "recv", "clone",
        "read", "close",
    ];
    if changes.iter().any(|name| call.name.contains(name)) {
        faults.push(Fault::Kill);
    }
    faults
}

/// Takes some of many, evenly spread; all of them if `POSTRIDER_FAULTS` is `all`.
pub fn some<T>(all: Vec<T>, most: usize, offset: usize) -> Vec<T> {
    if std::env::var("POSTRIDER_FAULTS").as_deref() == Ok("all") || all.len() <= most {
        return all;
    }
    let step = all.len().div_ceil(most);
    all.into_iter().enumerate().filter(|(place, _)| place % step == offset % step).map(|(_, one)| one).collect()
}

/// Copies all files below a folder.
pub fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let there = to.join(entry.file_name());
        if entry.file_type().expect("a kind").is_dir() {
            fs::create_dir_all(&there).expect("a folder");
            let mode = entry.metadata().expect("metadata").permissions();
            fs::set_permissions(&there, mode).expect("a mode");
            copy(&entry.path(), &there);
        } else {
            fs::copy(entry.path(), there).expect("a file");
        }
    }
}

/// The names of all files below a folder, without the folders.
pub fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            names.extend(files(&entry.path()).into_iter().map(|below| format!("{name}/{below}")));
        } else {
            names.push(name);
        }
    }
    names.sort();
    names
}
