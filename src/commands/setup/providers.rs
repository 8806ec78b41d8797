//! The servers of the largest mail providers, and what they ask of a program that logs in.

use super::found::Server;
use postrider_home::settings::Tls;

/// A provider of mailboxes.
pub(super) struct Provider {
    /// The domains of its addresses.
    domains: &'static [&'static str],
    /// The server that takes letters.
    smtp: (&'static str, u16, Tls),
    /// The server with the mailboxes.
    imap: (&'static str, u16, Tls),
    /// What it asks for.
    pub(super) asks: &'static str,
}

const fn provider(
    domains: &'static [&'static str],
    smtp: (&'static str, u16, Tls),
    imap: (&'static str, u16, Tls),
    asks: &'static str,
) -> Provider {
    Provider { domains, smtp, imap, asks }
}

use Tls::{Implicit, Starttls};

const PROVIDERS: [Provider; 15] = [
    provider(
        &["gmail.com", "googlemail.com"],
        ("smtp.gmail.com", 587, Starttls),
        ("imap.gmail.com", 993, Implicit),
        "Gmail does not take the password of your account here: make an app password at myaccount.google.com/apppasswords, which needs \
         2-Step Verification.",
    ),
    provider(
        &[
            "outlook.com",
            "hotmail.com",
            "live.com",
            "msn.com",
            "outlook.de",
            "hotmail.de",
            "hotmail.co.uk",
            "hotmail.fr",
        ],
        ("smtp-mail.outlook.com", 587, Starttls),
        ("outlook.office365.com", 993, Implicit),
        "Outlook.com lets programs in by OAuth only, neither with your password nor with an app password, and postrider does not speak \
         that: send letters as files by your mail program, or use another address.",
    ),
    provider(
        &[
            "yahoo.com",
            "yahoo.co.uk",
            "yahoo.de",
            "yahoo.fr",
            "yahoo.co.in",
            "yahoo.co.jp",
            "ymail.com",
            "rocketmail.com",
        ],
        ("smtp.mail.yahoo.com", 465, Implicit),
        ("imap.mail.yahoo.com", 993, Implicit),
        "Yahoo does not take the password of your account here: make an app password under Account security.",
    ),
    provider(
        &["icloud.com", "me.com", "mac.com"],
        ("smtp.mail.me.com", 587, Starttls),
        ("imap.mail.me.com", 993, Implicit),
        "iCloud does not take the password of your account here: make an app-specific password at account.apple.com.",
    ),
    provider(
        &["aol.com"],
        ("smtp.aol.com", 465, Implicit),
        ("imap.aol.com", 993, Implicit),
        "AOL does not take the password of your account here: make an app password under Account security.",
    ),
    provider(
        &["gmx.de", "gmx.net", "gmx.at", "gmx.ch"],
        ("mail.gmx.net", 587, Starttls),
        ("imap.gmx.net", 993, Implicit),
        "GMX first has to be told to let programs in (its settings, POP3 & IMAP); with two-factor login it asks for an app password.",
    ),
    provider(
        &["gmx.com", "gmx.us", "gmx.co.uk"],
        ("mail.gmx.com", 587, Starttls),
        ("imap.gmx.com", 993, Implicit),
        "GMX first has to be told to let programs in (its settings, POP3 & IMAP); with two-factor login it asks for an app password.",
    ),
    provider(
        &["web.de"],
        ("smtp.web.de", 587, Starttls),
        ("imap.web.de", 993, Implicit),
        "WEB.DE first has to be told to let programs in (its settings, POP3 & IMAP); with two-factor login it asks for an app password.",
    ),
    provider(
        &["mail.ru", "inbox.ru", "list.ru", "bk.ru"],
        ("smtp.mail.ru", 465, Implicit),
        ("imap.mail.ru", 993, Implicit),
        "Mail.ru does not take the password of your account here: make a password for external applications in its security settings.",
    ),
    provider(
        &["yandex.com", "yandex.ru", "ya.ru"],
        ("smtp.yandex.com", 465, Implicit),
        ("imap.yandex.com", 993, Implicit),
        "Yandex first has to be told to let mail programs in, and asks for an app password.",
    ),
    provider(
        &["qq.com", "foxmail.com"],
        ("smtp.qq.com", 465, Implicit),
        ("imap.qq.com", 993, Implicit),
        "QQ Mail asks for an authorization code instead of the password: its settings, Account, turn on IMAP/SMTP.",
    ),
    provider(
        &["163.com"],
        ("smtp.163.com", 465, Implicit),
        ("imap.163.com", 993, Implicit),
        "163 asks for an authorization code instead of the password: its settings, turn on IMAP/SMTP.",
    ),
    provider(
        &["fastmail.com", "fastmail.fm"],
        ("smtp.fastmail.com", 465, Implicit),
        ("imap.fastmail.com", 993, Implicit),
        "Fastmail does not take the password of your account here: make an app password under Privacy & Security.",
    ),
    provider(
        &["proton.me", "protonmail.com", "pm.me"],
        ("127.0.0.1", 1025, Starttls),
        ("127.0.0.1", 1143, Starttls),
        "Proton Mail is reached through its Bridge on this machine, which shows a password for programs; its certificate goes into the \
         settings as `ca:`.",
    ),
    provider(
        &["t-online.de"],
        ("securesmtp.t-online.de", 465, Implicit),
        ("secureimap.t-online.de", 993, Implicit),
        "T-Online asks for the password for e-mail programs, which you set in its customer centre.",
    ),
];

impl Provider {
    /// Returns the provider of an address, if it is a well-known one.
    pub(super) fn of(email: Option<&str>) -> Option<&'static Self> {
        let domain = email?.rsplit_once('@')?.1.to_ascii_lowercase();
        PROVIDERS.iter().find(|provider| provider.domains.contains(&&*domain))
    }

    /// The server that takes letters.
    pub(super) fn smtp(&self) -> Server {
        server(self.smtp)
    }

    /// The server with the mailboxes.
    pub(super) fn imap(&self) -> Server {
        server(self.imap)
    }
}

fn server((host, port, tls): (&str, u16, Tls)) -> Server {
    Server { host: host.to_owned(), port: Some(port), tls, user: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_known_by_the_domain_of_the_address_alone() {
        let host = |email| Provider::of(Some(email)).map(|provider| provider.smtp().host);
        assert_eq!(host("ada@gmail.com").as_deref(), Some("smtp.gmail.com"));
        assert_eq!(host("ada@GMX.de").as_deref(), Some("mail.gmx.net"));
        assert!(host("ada@gmail.com.example.org").is_none() && host("gmail.com@example.org").is_none());
        assert!(Provider::of(None).is_none());
        let mut domains: Vec<_> = PROVIDERS.iter().flat_map(|provider| provider.domains).collect();
        let all = domains.len();
        domains.sort_unstable();
        domains.dedup();
        assert_eq!(domains.len(), all, "no domain is named twice");
        // Whoever is not on this machine is spoken to under TLS.
        assert!(PROVIDERS.iter().all(|one| one.smtp.2 != Tls::None && one.imap.2 != Tls::None));
    }
}
