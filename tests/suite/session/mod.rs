//! The command line, run as a user would run it: in its own folder and home, with a fixed time.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder to work in.
pub struct Session {
    pub folder: TempDir,
}

/// The result of a command.
#[must_use]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Done {
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self.out
    }

    /// What was printed by a command that ends with this code.
    pub fn fails_with_out(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self.out
    }

    pub fn fails(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self.err
    }
}

impl Session {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Writes a file that only its owner may read, as one with a key has to be.
    #[cfg(unix)]
    pub fn write_private(&self, name: &str, text: impl AsRef<[u8]>) {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(name, text);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o600)).expect("a mode");
    }

    /// Writes a file of the user's own, which it is as it is made.
    #[cfg(not(unix))]
    pub fn write_private(&self, name: &str, text: impl AsRef<[u8]>) {
        self.write(name, text);
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_postrider"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap_or_default())
            .env("POSTRIDER_HOME", self.path("home"))
            .env("POSTRIDER_NOW", "2026-11-21T12:00:00Z")
            .env("TZ", "UTC")
            .env("COLUMNS", "100");
        command
    }

    pub fn run(&self, args: &[&str]) -> Done {
        self.feed(args, b"")
    }

    /// The whole output of a command, for a snapshot: how it is called, its exit code, and what it prints.
    pub fn transcript(&self, args: &[&str]) -> String {
        self.transcript_of(&args.join(" "), args, b"")
    }

    fn transcript_of(&self, line: &str, args: &[&str], input: &[u8]) -> String {
        let done = self.feed(args, input);
        let text = format!("$ postrider {line}\n? {}\n{}{}", done.code, done.out, done.err);
        text.replace(&self.folder.path().display().to_string(), "FOLDER")
    }

    /// The whole output of command lines, one after another, with words in quotes as a shell reads them.
    pub fn transcripts(&self, lines: &[&str]) -> String {
        lines.iter().map(|line| self.transcript_fed(line, b"") + "\n").collect()
    }

    /// The whole output of a command line that is typed into.
    pub fn transcript_fed(&self, line: &str, input: &[u8]) -> String {
        let words = shlex::split(line).expect("words");
        self.transcript_of(line, &words.iter().map(String::as_str).collect::<Vec<_>>(), input)
    }

    pub fn feed(&self, args: &[&str], input: &[u8]) -> Done {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        // A program that does not read its input closes it early.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        let output = child.wait_with_output().expect("the program ends");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Done { code: output.status.code().expect("an exit code"), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// What was said to whom, with the keys by the names of their owners.
#[derive(Default)]
pub struct Told(String);

impl Told {
    /// Notes what a command said.
    pub fn note(&mut self, of: &Session, given: &str, done: &Done) {
        let text = format!("## {given}\n? {}\n{}{}\n", done.code, done.out, done.err);
        self.0 += &text.replace(&of.folder.path().display().to_string(), "FOLDER");
    }

    /// All of it, where no key is named.
    pub fn text(&self) -> String {
        self.shown::<&str>(&[])
    }

    /// All of it. Keys, signatures and digests differ from run to run.
    pub fn shown<K: AsRef<str>>(&self, keys: &[(K, &str)]) -> String {
        let text = keys.iter().fold(self.0.clone(), |text, (key, name)| text.replace(key.as_ref(), name));
        let part = |one: char| one.is_ascii_alphanumeric() || "+/=".contains(one);
        let (mut shown, mut rest) = (String::new(), text.as_str());
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|one| part(one) != part(first)).unwrap_or(rest.len());
            let (run, behind) = rest.split_at(end);
            let is_digest = run.len() >= 12 && run.bytes().all(|byte| byte.is_ascii_hexdigit());
            let is_long = run.len() >= 40 && part(first) && !run.contains("//");
            shown += if is_digest || is_long { "[..]" } else { run };
            rest = behind;
        }
        shown
    }
}
