//! The servers of the largest mail providers, and what they ask of a program that logs in.

use crate::found::Server;
use postrider_settings::Tls;

/// The providers, one a paragraph: the domains of its addresses; the server that takes letters, and the one with the mailboxes, each with its
/// port and how the connection is encrypted; what it asks for.
const PROVIDERS: &str = include_str!("providers.txt");

/// A provider of mailboxes.
pub struct Provider {
    domains: Vec<&'static str>,
    /// The server that takes letters.
    pub smtp: Server,
    /// The server with the mailboxes.
    pub imap: Server,
    /// What it asks for.
    pub asks: &'static str,
}

impl Provider {
    /// Returns the provider of an address, if it is a well-known one.
    #[must_use]
    pub fn of(email: Option<&str>) -> Option<Self> {
        let domain = email?.rsplit_once('@')?.1.to_ascii_lowercase();
        all().find(|provider| provider.domains.contains(&&*domain))
    }
}

fn all() -> impl Iterator<Item = Provider> {
    PROVIDERS.split("\n\n").filter_map(|paragraph| {
        let mut lines = paragraph.trim().lines();
        Some(Provider {
            domains: lines.next()?.split(' ').collect(),
            smtp: server(lines.next()?)?,
            imap: server(lines.next()?)?,
            asks: lines.next()?,
        })
    })
}

fn server(line: &str) -> Option<Server> {
    let mut words = line.split(' ');
    let (host, port, tls) = (words.next()?, words.next()?, words.next()?);
    Some(Server { host: host.to_owned(), port: Some(port.parse().ok()?), tls: Tls::named(tls)?, user: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_known_by_the_domain_of_the_address_alone() {
        let host = |email| Provider::of(Some(email)).map(|provider| provider.smtp.host);
        assert_eq!(host("ada@gmail.com").as_deref(), Some("smtp.gmail.com"));
        assert_eq!(host("ada@GMX.de").as_deref(), Some("mail.gmx.net"));
        assert!(host("ada@gmail.com.example.org").is_none() && host("gmail.com@example.org").is_none());
        assert!(Provider::of(None).is_none());
    }

    #[test]
    fn every_provider_is_read_and_speaks_tls() {
        assert_eq!(all().count(), PROVIDERS.split("\n\n").count());
        let mut domains: Vec<_> = all().flat_map(|provider| provider.domains).collect();
        let count = domains.len();
        domains.sort_unstable();
        domains.dedup();
        assert_eq!(domains.len(), count, "no domain is named twice");
        // Whoever is not on this machine is spoken to under TLS.
        assert!(all().all(|one| one.smtp.tls != Tls::None && one.imap.tls != Tls::None));
    }
}
