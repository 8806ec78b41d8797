//! Why a mailbox on a server could not be read.

use std::fmt;

/// What was being done when it failed. Its display form follows the server's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImapStep {
    /// Find the server's address.
    Find,
    /// Connect and wait for the greeting.
    Connect,
    /// Switch to TLS.
    Encrypt,
    /// Log in.
    Login,
    /// Open the mailbox.
    Mailbox,
    /// List its messages.
    List,
    /// Fetch a message.
    Fetch,
    /// Wait for what comes.
    Wait,
}

impl fmt::Display for ImapStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Find => "was not found",
            Self::Connect => "could not be connected to",
            Self::Encrypt => "did not switch to TLS, and nothing was said",
            Self::Login => "refused the login",
            Self::Mailbox => "did not open the mailbox",
            Self::List => "did not list the messages",
            Self::Fetch => "did not hand out a message",
            Self::Wait => "did not say what comes",
        })
    }
}

/// Why a mailbox on a server could not be read. Contains no part of a password.
#[derive(Debug)]
pub enum ImapError {
    /// The settings name no server.
    NotSet,
    /// There is no password, and why.
    Password(String),
    /// The connection to a remote server would be in plain text.
    PlainText(String),
    /// The server takes no password as it is asked to: the server and its port, and why and what helps.
    NoLogin(String, String),
    /// The certificate authorities cannot be used, and why.
    Authorities(String),
    /// The server could not be reached, or refused.
    Server {
        /// The server and its port.
        server: String,
        /// What was being done.
        step: ImapStep,
        /// The message from the server or the system.
        said: String,
    },
}

impl fmt::Display for ImapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSet => f.write_str("the settings name no mailbox on a server: set `imap:` with `host` and `user`"),
            Self::Password(message) => f.write_str(message),
            Self::PlainText(host) => write!(
                f,
                "{host} is not this machine, and would be contacted in plain text: set `tls` under `imap` in the \
                 settings to `implicit` or `starttls`"
            ),
            Self::Authorities(why) => {
                write!(
                    f,
                    "the certificate authorities cannot be used: {why}; look at `ca` under `imap` in the settings"
                )
            }
            Self::NoLogin(server, why) => write!(f, "{server} {why}"),
            Self::Server { server, step, said } => write!(f, "{server} {step}: {said}"),
        }
    }
}

impl std::error::Error for ImapError {}
