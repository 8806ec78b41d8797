//! Why a mailbox on a server could not be read.

use thiserror::Error;

/// The step that failed. Its display form follows the server's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ImapStep {
    /// Find the server's address.
    #[error("was not found")]
    Find,
    /// Connect and wait for the greeting.
    #[error("could not be connected to")]
    Connect,
    /// Switch to TLS.
    #[error("did not switch to TLS, and nothing was said")]
    Encrypt,
    /// Log in.
    #[error("refused the login")]
    Login,
    /// Open the mailbox.
    #[error("did not open the mailbox")]
    Mailbox,
    /// List its messages.
    #[error("did not list the messages")]
    List,
    /// Fetch a message.
    #[error("did not hand out a message")]
    Fetch,
    /// Wait for what comes.
    #[error("did not say what comes")]
    Wait,
}

/// Why a mailbox on a server could not be read. Contains no part of a password.
#[derive(Debug, Error)]
pub enum ImapError {
    /// The settings name no server.
    #[error("the settings name no mailbox on a server: set `imap:` with `host` and `user`")]
    NotSet,
    /// There is no password, and why.
    #[error("{0}")]
    Password(String),
    /// The connection to a remote server would be in plain text.
    #[error(
        "{0} is not this machine, and would be contacted in plain text: set `tls` under `imap` in the settings to `implicit` or `starttls`"
    )]
    PlainText(String),
    /// The server takes no password as it is asked to: the server and its port, and why and what helps.
    #[error("{0} {1}")]
    NoLogin(String, String),
    /// The certificate authorities cannot be used, and why.
    #[error("the certificate authorities cannot be used: {0}; look at `ca` under `imap` in the settings")]
    Authorities(String),
    /// The server could not be reached, or refused.
    #[error("{server} {step}: {said}")]
    Server {
        /// The server and its port.
        server: String,
        /// What was being done.
        step: ImapStep,
        /// The message from the server or the system.
        said: String,
    },
}
