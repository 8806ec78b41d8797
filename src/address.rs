//! Mail addresses: which ones are accepted, wherever one is given.

use std::borrow::Cow;
use std::fmt;

use crate::text::printable;

/// The longest address, in bytes (RFC 5321).
const MAX_ADDRESS: usize = 254;
/// How much of an invalid address is shown, in characters.
const SHOWN: usize = 100;

/// Why a text is not accepted as an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    address: String,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a mail address: write one as in ada@example.org", self.address)
    }
}

impl std::error::Error for AddressError {}

/// Returns the mailbox of an address: in lower case, and without the part that mail systems ignore, because
/// `Ada+games@example.org` is delivered to `ada@example.org`.
#[must_use]
pub fn mailbox(address: &str) -> String {
    let address = address.to_ascii_lowercase();
    match address.rsplit_once('@') {
        Some((local, domain)) => {
            let local = local.split_once('+').map_or(local, |(local, _)| local);
            format!("{local}@{domain}")
        }
        None => address,
    }
}

/// Reads a mail address without a name.
///
/// # Errors
/// If it is anything but `local@domain`. Spaces, control characters, angle brackets and commas are refused even where
/// the standards allow them in quotes, and so is a leading `-`, which a mail program could take for an option.
pub fn parse_address(address: &str) -> Result<lettre::Address, AddressError> {
    let refused = |c: char| c.is_whitespace() || "<>,;\"\\()".contains(c);
    let shown = printable(address);
    let fits = address.len() <= MAX_ADDRESS
        && !address.starts_with('-')
        && !address.contains(refused)
        && matches!(shown, Cow::Borrowed(_));
    let parsed = if fits { address.parse().ok() } else { None };
    parsed.ok_or_else(|| AddressError {
        address: match shown.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", shown.get(..end).unwrap_or_default().trim_end()),
            None => shown.into_owned(),
        },
    })
}
