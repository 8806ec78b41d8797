//! How a run ends that takes letters for a delivery agent: it must not lose one, nor get a broken pipe.

use std::io;
use std::process::ExitCode;

use super::hints::{Failure, TROUBLE};
use postrider_home::receive::inbox::{ImapError, InboxError};

/// A temporary failure, as delivery agents know it (EX_TEMPFAIL of sysexits): they keep the message and try again.
pub const TEMPORARY: u8 = 75;

/// Says why a run ends, with this exit code.
pub fn told(failure: &Failure, code: u8) -> ExitCode {
    err!("{failure}");
    ExitCode::from(code)
}

/// How a run ends that could not read a mailbox.
pub fn unread(error: InboxError) -> Result<ExitCode, Failure> {
    let code = match &error {
        InboxError::Imap(ImapError::NotSet) => TROUBLE,
        InboxError::Imap(_) => TEMPORARY,
        error if error.may_pass() => TEMPORARY,
        error => return Err(Failure::trouble(error.to_string())),
    };
    Ok(told(&Failure::trouble(error.to_string()), code))
}

/// How a run ends that could not begin, say because the settings are being edited. `is_handed`: whether a letter is handed over on standard
/// input, which is read to its end all the same.
pub fn not_begun(failure: &Failure, is_handed: bool) -> ExitCode {
    if is_handed {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    }
    told(failure, TEMPORARY)
}
