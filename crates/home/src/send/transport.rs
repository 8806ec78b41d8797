//! How a letter is sent: into a folder, through a program, or to a mail server; and what came of it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use postrider_disk::disk::FileError;
use postrider_kernel::text::printable;

/// Where a letter went. Its display form follows "the letter was".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It was written to this file, or is there because it was sent before.
    File(PathBuf),
    /// It was written to this file, and opened as a draft in the user's mail program.
    Opened(PathBuf),
    /// It was written to this file, and why no program opened it.
    Unopened(PathBuf, String),
    /// This program accepted it.
    Program(String),
    /// The server with this name and port accepted it.
    Server(String, u16),
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "written to {}", path.display()),
            Self::Opened(path) => {
                write!(f, "written to {} and opened in your mail program: send it there", path.display())
            }
            Self::Unopened(path, why) => {
                write!(f, "written to {}, for you to mail: no program opened it ({why})", path.display())
            }
            Self::Program(program) => write!(f, "handed to {program}"),
            Self::Server(host, port) => write!(f, "accepted by {host}:{port}"),
        }
    }
}

/// Why a letter was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The transport carries records and not letters.
    #[error("the transport `git` carries records and no letters: write one yourself")]
    NoLetters,
    /// A folder could not be created.
    #[error("cannot make the folder {path}: {source}; set `outbox` under `mail` in the settings to a folder of yours")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The letter could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A program could not be started.
    #[error(
        "cannot start `{}`: {source}; set `{key}` under `mail` in the settings to a program that exists",
        printable(program)
    )]
    Start {
        /// The key in the settings that names it.
        key: &'static str,
        program: String,
        /// The error from the system.
        source: io::Error,
    },
    /// The sendmail program refused the letter, or did not read all of it.
    #[error("`{}` did not accept the letter ({status}){}", printable(program), after(": ", said))]
    Program {
        program: String,
        status: ExitStatus,
        /// Its output.
        said: String,
    },
    /// The sendmail program was started, but it is not known how it ended.
    #[error(
        "it is not known whether `{}` accepted the letter: {source}; sending it again does no harm",
        printable(program)
    )]
    Unknown {
        program: String,
        /// The error from the system.
        source: io::Error,
    },
    /// There is no password. The message never contains one.
    #[error("{message}")]
    Password {
        /// Why, and what to do.
        message: String,
    },
    /// The file of certificate authorities cannot be used.
    #[error(
        "cannot use {path} as certificate authorities: {message}; set `ca` under `mail` in the settings to a PEM file, or leave it out"
    )]
    Authorities {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// The connection to a remote server would be in plain text. Nothing was sent.
    #[error(
        "{} is not this machine, and would be contacted in plain text; nothing was sent: set `tls` under \
         `mail` in the settings to `starttls` or `implicit`",
        printable(host)
    )]
    PlainText {
        /// The server.
        host: String,
    },
    /// The server could not be reached, or refused.
    #[error(
        "{}:{port} {step}: {said}{}{}",
        printable(host),
        if *unsure { "; it may have accepted the letter anyway: sending it again does no harm" } else { "" },
        after("; ", hint)
    )]
    Smtp {
        /// The server.
        host: String,
        port: u16,
        /// What was being done.
        step: SmtpStep,
        /// The message from the server or the system.
        said: String,
        /// What to do about it; may be empty.
        hint: String,
        /// Whether the server may have accepted the letter all the same.
        unsure: bool,
    },
}

impl SendError {
    /// Returns whether the letter may have been sent in spite of the error.
    #[must_use]
    pub fn may_have_arrived(&self) -> bool {
        match self {
            Self::Smtp { unsure, .. } => *unsure,
            Self::File(error) => error.was_written(),
            Self::Unknown { .. } => true,
            // If it was killed, nobody knows what it had done by then.
            Self::Program { status, .. } => status.code().is_none(),
            _ => false,
        }
    }
}

/// A text with this before it; nothing if it is empty.
fn after(mark: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{mark}{text}") }
}

/// The step that failed. Its display form follows the server's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmtpStep {
    /// Find the server's address.
    #[error("was not found")]
    Find,
    /// Connect and greet; with implicit TLS, also encrypt.
    #[error("could not be connected to")]
    Connect,
    /// Switch to TLS.
    #[error("did not switch to TLS, and nothing was sent")]
    Encrypt,
    /// Log in.
    #[error("refused the login")]
    Login,
    /// Name the sender.
    #[error("refused the sender")]
    Sender,
    /// Name the recipient.
    #[error("refused the recipient")]
    Recipient,
    /// Transfer the letter.
    #[error("did not accept the letter")]
    Content,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_refused_is_told_with_what_is_unsure_and_what_helps_if_there_is_any() {
        let said = |unsure, hint: &str| {
            let host = "mail.example.org".to_owned();
            let (said, hint) = ("451 later".to_owned(), hint.to_owned());
            SendError::Smtp { host, port: 25, step: SmtpStep::Content, said, hint, unsure }.to_string()
        };
        let start = "mail.example.org:25 did not accept the letter: 451 later";
        let unsure = "; it may have accepted the letter anyway: sending it again does no harm";
        assert_eq!(said(false, ""), start);
        assert_eq!(said(false, "ask it"), format!("{start}; ask it"));
        assert_eq!(said(true, ""), format!("{start}{unsure}"));
        assert_eq!(said(true, "ask it"), format!("{start}{unsure}; ask it"));
    }
}
