//! A real terminal for the program: python's `pty`. The tests are skipped with a prominent notice if there is no
//! python.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::session::Session;

/// Runs a program in a pseudo-terminal of a given size. Waits for each text before typing what follows it, and prints
/// everything that the program wrote, and how it ended.
const DRIVER: &str = r#"
import fcntl, json, os, pty, select, struct, sys, termios, time
job = json.loads(sys.stdin.read())
pid, master = pty.fork()
size = struct.pack("HHHH", job["rows"], job["columns"], 0, 0)
if pid == 0:
    # Before the program looks.
    fcntl.ioctl(0, termios.TIOCSWINSZ, size)
    os.execvpe(job["program"], [job["program"]] + job["args"], os.environ)
out, seen = b"", 0
def read(limit):
    global out
    ready, _, _ = select.select([master], [], [], limit)
    if not ready:
        return False
    try:
        more = os.read(master, 65536)
    except OSError:
        return False
    out += more
    return bool(more)
for text, keys in job["steps"]:
    end = time.time() + 120
    while out.find(text.encode(), seen) < 0:
        if time.time() > end or (not read(1) and os.waitpid(pid, os.WNOHANG)[0]):
            sys.stdout.write(out.decode(errors="replace") + "\nnever came: " + text + "\n")
            sys.exit(3)
    seen = out.find(text.encode(), seen) + len(text.encode())
    os.write(master, keys.encode())
while read(60):
    pass
ended, end = (0, 0), time.time() + 10
while not ended[0]:
    ended = os.waitpid(pid, os.WNOHANG)
    if time.time() > end:
        os.kill(pid, 9)
        sys.stdout.write(out.decode(errors="replace") + "\nnever ended\n")
        sys.exit(3)
    time.sleep(0.01)
status = ended[1]
sys.stdout.write(out.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(status) + 100)
"#;

/// Runs a command in a terminal with these rows and columns; each step waits for a text and types keys. Returns the
/// exit code and what the terminal showed, without control sequences; `None` if there is no python here.
#[track_caller]
pub fn drive(session: &Session, size: (u16, u16), args: &[&str], steps: &[(&str, &str)]) -> Option<(i32, String)> {
    drive_with(session, size, args, steps, &[])
}

/// The same with additional environment variables.
#[track_caller]
pub fn drive_with(
    session: &Session,
    size: (u16, u16),
    args: &[&str],
    steps: &[(&str, &str)],
    environment: &[(&str, &str)],
) -> Option<(i32, String)> {
    let (code, shown) = drive_raw(session, size, args, steps, environment)?;
    Some((code, plain_text(&shown)))
}

/// The same, with what steers the terminal.
#[track_caller]
pub fn drive_raw(
    session: &Session,
    size: (u16, u16),
    args: &[&str],
    steps: &[(&str, &str)],
    environment: &[(&str, &str)],
) -> Option<(i32, String)> {
    let job = serde_json::json!({
        "program": env!("CARGO_BIN_EXE_postrider"), "args": args, "rows": size.0, "columns": size.1, "steps": steps,
    });
    let plain = session.command(&[]);
    let mut command = Command::new("python3");
    command.args(["-c", DRIVER]).current_dir(session.folder.path()).env_clear().env("TERM", "xterm");
    command.envs(environment.iter().copied());
    for (name, value) in plain.get_envs() {
        if let Some(value) = value.filter(|_| name != "COLUMNS") {
            command.env(name, value);
        }
    }
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else {
        eprintln!("PASSED OVER: there is no python3 here to make a terminal with");
        return None;
    };
    child.stdin.take().expect("a pipe").write_all(job.to_string().as_bytes()).expect("a job");
    let output = child.wait_with_output().expect("the driver ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let code = output.status.code().expect("an exit code");
    assert!(code >= 100, "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    Some((code - 100, text))
}

/// The text on a terminal without escapes and carriage returns.
fn plain_text(text: &str) -> String {
    let mut plain = String::new();
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\x1b' if signs.peek() == Some(&'[') => {
                signs.next();
                while signs.next().is_some_and(|next| !next.is_ascii_alphabetic()) {}
            }
            '\r' => {}
            sign => plain.push(sign),
        }
    }
    plain
}
