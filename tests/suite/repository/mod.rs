//! A git repository in a session's folder, with the program on the path and without any settings of this machine.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::session::{Done, Session};

pub const HEADER: &str = "---\npbem: 1\ngame: asalto\nid: asalto-in-git\nplayers:\n  besiegers: {name: Ada Quill, email: \
                          ada@example.org}\n  defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\n---\n";
pub const GAME: [&str; 5] = [
    "1 defenders place c6 e6 @2026-11-21T10:15:00Z\n",
    "2 besiegers c4-c5 @2026-11-22T08:02:11Z {the gate!}\n",
    "3 defenders c6-d6; huff d6 @2026-11-22T20:40:00Z\n",
    "4 besiegers e4-e5 @2026-11-23T07:00:00Z\n",
    "5 defenders e6xe4xc4xc6 @2026-11-23T18:31:09Z\n",
];
/// A different second entry.
pub const OTHER: &str = "2 besiegers d4-d5 @2026-11-22T08:03:00Z\n";

/// The record with its first `count` entries.
pub fn record(count: usize) -> String {
    HEADER.to_owned() + &GAME[..count].concat()
}

/// The record with these lines.
pub fn with(lines: &[&str]) -> String {
    HEADER.to_owned() + &lines.concat()
}

pub struct Repo {
    pub session: Session,
    /// The folder of the work tree, or of a bare repository, below the session's folder.
    pub folder: PathBuf,
}

impl Repo {
    /// An empty repository of games.
    pub fn new() -> Self {
        let repo = Self::plain(&[]);
        repo.postrider(&["git", "setup"]).ok();
        repo
    }

    /// An empty repository that is not set up for games.
    pub fn plain(args: &[&str]) -> Self {
        let session = Session::new();
        let folder = session.path("a repository");
        std::fs::create_dir_all(&folder).expect("a folder");
        let repo = Self { session, folder };
        let all: Vec<&str> =
            ["init", "-q", "-b", "main"].into_iter().chain(args.iter().copied()).chain(["."]).collect();
        repo.git(&all).ok();
        repo
    }

    /// The same session, seen from another folder.
    pub fn command(&self, program: impl AsRef<OsStr>, folder: &Path) -> Command {
        let binary = Path::new(env!("CARGO_BIN_EXE_postrider"));
        let path =
            format!("{}:{}", binary.parent().expect("a folder").display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(program);
        command
            .current_dir(folder)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.session.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("POSTRIDER_HOME", self.session.path("home"))
            .env("POSTRIDER_NOW", "2026-11-24T12:00:00Z")
            .env("TZ", "UTC");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Ada Quill")
                .env(format!("GIT_{who}_EMAIL"), "ada@example.org")
                .env(format!("GIT_{who}_DATE"), "2026-11-23T19:00:00Z");
        }
        command
    }

    pub fn git(&self, args: &[&str]) -> Done {
        done(self.command("git", &self.folder).args(args))
    }

    pub fn postrider(&self, args: &[&str]) -> Done {
        done(self.command(env!("CARGO_BIN_EXE_postrider"), &self.folder).args(args))
    }

    pub fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).expect("a file")
    }

    /// Stages everything and commits it.
    pub fn commit(&self, message: &str) -> Done {
        self.git(&["add", "-A"]).ok();
        self.git(&["commit", "-q", "-m", message])
    }
}

/// Runs a command to its end.
pub fn done(command: &mut Command) -> Done {
    let output = command.stdin(std::process::Stdio::null()).output().expect("the program");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Done { code: output.status.code().expect("an exit code"), out: text(output.stdout), err: text(output.stderr) }
}
