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
#[derive(Debug)]
pub enum SendError {
    /// The transport carries records and not letters.
    NoLetters,
    /// A folder could not be created.
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The letter could not be written.
    File(FileError),
    /// A program could not be started.
    Start {
        /// The key in the settings that names it.
        key: &'static str,
        /// The program.
        program: String,
        /// The error from the system.
        source: io::Error,
    },
    /// The sendmail program refused the letter, or did not read all of it.
    Program {
        /// The program.
        program: String,
        /// Its exit status.
        status: ExitStatus,
        /// Its output.
        said: String,
    },
    /// The sendmail program was started, but it is not known how it ended.
    Unknown {
        /// The program.
        program: String,
        /// The error from the system.
        source: io::Error,
    },
    /// There is no password. The message never contains one.
    Password {
        /// Why, and what to do.
        message: String,
    },
    /// The file of certificate authorities cannot be used.
    Authorities {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// The connection to a remote server would be in plain text. Nothing was sent.
    PlainText {
        /// The server.
        host: String,
    },
    /// The server could not be reached, or refused.
    Smtp {
        /// The server.
        host: String,
        /// Its port.
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

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { path, source } => write!(
                f,
                "cannot make the folder {}: {source}; set `outbox` under `mail` in the settings to a folder of yours",
                path.display()
            ),
            Self::NoLetters => f.write_str("the transport `git` carries records and no letters: write one yourself"),
            Self::File(error) => error.fmt(f),
            Self::Start { key, program, source } => write!(
                f,
                "cannot start `{}`: {source}; set `{key}` under `mail` in the settings to a program that exists",
                printable(program)
            ),
            Self::Program { program, status, said } => {
                write!(f, "`{}` did not accept the letter ({status})", printable(program))?;
                if !said.is_empty() {
                    write!(f, ": {said}")?;
                }
                Ok(())
            }
            Self::Unknown { program, source } => write!(
                f,
                "it is not known whether `{}` accepted the letter: {source}; sending it again does no harm",
                printable(program)
            ),
            Self::Password { message } => f.write_str(message),
            Self::Authorities { path, message } => write!(
                f,
                "cannot use {} as certificate authorities: {message}; set `ca` under `mail` in the settings to a PEM \
                 file, or leave it out",
                path.display()
            ),
            Self::PlainText { host } => write!(
                f,
                "{} is not this machine, and would be contacted in plain text; nothing was sent: set `tls` under \
                 `mail` in the settings to `starttls` or `implicit`",
                printable(host)
            ),
            Self::Smtp { host, port, step, said, hint, unsure } => {
                write!(f, "{}:{port} {step}: {said}", printable(host))?;
                if *unsure {
                    f.write_str("; it may have accepted the letter anyway: sending it again does no harm")?;
                }
                if !hint.is_empty() {
                    write!(f, "; {hint}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for SendError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder { source, .. } | Self::Start { source, .. } | Self::Unknown { source, .. } => Some(source),
            Self::File(error) => Some(error),
            _ => None,
        }
    }
}

impl From<FileError> for SendError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// What was being done when it failed. Its display form follows the server's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpStep {
    /// Find the server's address.
    Find,
    /// Connect and greet; with implicit TLS, also encrypt.
    Connect,
    /// Switch to TLS.
    Encrypt,
    /// Log in.
    Login,
    /// Name the sender.
    Sender,
    /// Name the recipient.
    Recipient,
    /// Transfer the letter.
    Content,
}

impl fmt::Display for SmtpStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Find => "was not found",
            Self::Connect => "could not be connected to",
            Self::Encrypt => "did not switch to TLS, and nothing was sent",
            Self::Login => "refused the login",
            Self::Sender => "refused the sender",
            Self::Recipient => "refused the recipient",
            Self::Content => "did not accept the letter",
        })
    }
}
