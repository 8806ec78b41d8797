//! Mail addresses: which ones are accepted, wherever one is given.

use std::borrow::Cow;

use postrider_kernel::text::printable;

/// The longest address, in bytes (RFC 5321).
const MAX_ADDRESS: usize = 254;
/// How much of an invalid address is shown, in characters.
const SHOWN: usize = 100;

/// Why a text is not accepted as an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{address}` is not a mail address: write one as in ada@example.org")]
pub struct AddressError {
    address: String,
}

/// Returns the mailbox of an address: in lower case, and without the part that mail systems ignore, because
/// `Ada+games@example.org` is delivered to `ada@example.org`.
#[must_use]
pub fn mailbox(address: &str) -> String {
    let address = in_ascii(address).to_ascii_lowercase();
    match address.rsplit_once('@') {
        Some((local, domain)) => {
            let local = local.split_once('+').map_or(local, |(local, _)| local);
            format!("{local}@{domain}")
        }
        None => address,
    }
}

/// Returns an address with its domain in ASCII, as mail systems write it: `ada@exämple.org` as `ada@xn--exmple-cua.org`. Other texts are
/// returned unchanged.
#[must_use]
pub fn in_ascii(address: &str) -> Cow<'_, str> {
    let written = address.rsplit_once('@').filter(|(_, domain)| !domain.is_ascii()).and_then(|(local, domain)| {
        let domain = idna::domain_to_ascii(domain).ok().filter(|domain| !domain.is_empty())?;
        Some(format!("{local}@{domain}"))
    });
    written.map_or(Cow::Borrowed(address), Cow::Owned)
}

/// Returns an address with its domain as people write it: `ada@xn--exmple-cua.org` as `ada@exämple.org`. Other texts are returned unchanged.
#[must_use]
pub fn in_unicode(address: &str) -> Cow<'_, str> {
    let ascii = in_ascii(address);
    let written = ascii.rsplit_once('@').and_then(|(local, domain)| {
        let (written, fault) = idna::domain_to_unicode(domain);
        (fault.is_ok() && !written.is_ascii()).then(|| format!("{local}@{written}"))
    });
    written.map_or(Cow::Borrowed(address), Cow::Owned)
}

/// Returns whether two addresses are the same, in any letter case, and with the domain written in either of its forms.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || in_ascii(one).eq_ignore_ascii_case(&in_ascii(other))
}

/// Reads a mail address without a name. Its domain comes out in ASCII, which every mail system understands.
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
    let parsed = if fits { in_ascii(address).parse().ok() } else { None };
    parsed.ok_or_else(|| AddressError {
        address: match shown.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", shown.get(..end).unwrap_or_default().trim_end()),
            None => shown.into_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_domain_are_one_address() {
        for other in
            ["ada@xn--exmple-cua.org", "Ada@XN--EXMPLE-CUA.org", "ADA@EX\u{c4}MPLE.ORG", "ada@exa\u{308}mple.org"]
        {
            assert!(is_same("ada@ex\u{e4}mple.org", other) && is_same(other, "ada@ex\u{e4}mple.org"), "{other}");
        }
        for other in [
            "ada@example.org",
            "bram@ex\u{e4}mple.org",
            "ada@\u{435}x\u{e4}mple.org",
            "ada",
            "ada@",
            "@ex\u{e4}mple.org",
        ] {
            assert!(!is_same("ada@ex\u{e4}mple.org", other), "{other}");
        }
        assert_eq!(parse_address("ada@ex\u{e4}mple.org").unwrap().to_string(), "ada@xn--exmple-cua.org");
        assert_eq!(in_ascii("ada@example.org"), "ada@example.org");
        assert_eq!(in_unicode("ada@xn--exmple-cua.org"), "ada@ex\u{e4}mple.org");
        for address in ["ada@example.org", "ada", "ada@", "ada@xn--\u{7f}", "ada@xn--a"] {
            assert_eq!(in_unicode(address), address);
        }
    }
}
