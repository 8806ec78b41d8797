//! What a mail server replies and offers, read as the standard allows it and servers write it: a code alone, words in any letter case.

use data_encoding::BASE64;
use lettre::transport::smtp::response::Response;

/// Reads a reply: lines with a code and a dash, and a last line with a code and maybe a text (RFC 5321, 4.2).
pub(super) fn replied(text: &str) -> Option<Response> {
    let mut lines = text.lines().peekable();
    let mut whole = String::new();
    while let Some(line) = lines.next() {
        let (code, rest) =
            line.split_at_checked(3).filter(|(code, _)| code.bytes().all(|byte| byte.is_ascii_digit()))?;
        let mark = if lines.peek().is_some() { '-' } else { ' ' };
        let rest = rest.strip_prefix(['-', ' ', '\t']).unwrap_or(rest);
        whole.push_str(&format!("{code}{mark}{}\r\n", rest.trim_end_matches('\r')));
    }
    whole.parse().ok()
}

/// What a server offers, in capitals: a line each.
#[derive(Default)]
pub(super) struct Offers(Vec<Vec<String>>);

impl Offers {
    /// Finds what is offered in the reply to EHLO.
    pub(super) fn find(reply: &Response) -> Self {
        let words = |line: &str| {
            // Old servers write `AUTH=PLAIN`.
            let line = line.to_ascii_uppercase().replace("AUTH=", "AUTH ");
            line.split_whitespace().map(str::to_owned).collect()
        };
        Self(reply.message().map(words).collect())
    }

    /// Whether this is offered.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.iter().any(|line| line.first().is_some_and(|first| first == word))
    }

    fn has_login(&self, name: &str) -> bool {
        self.0.iter().any(|line| {
            line.split_first().is_some_and(|(first, rest)| first == "AUTH" && rest.iter().any(|it| it == name))
        })
    }

    /// The logins by a password that are offered, the better one first.
    pub(super) fn logins(&self) -> Vec<Login> {
        [(Login::Plain, "PLAIN"), (Login::Login, "LOGIN")]
            .into_iter()
            .filter(|(_, name)| self.has_login(name))
            .map(|(login, _)| login)
            .collect()
    }

    /// The login by tokens that is offered, if any: it takes no password.
    pub(super) fn tokens(&self) -> Option<&'static str> {
        ["XOAUTH2", "OAUTHBEARER"].into_iter().find(|name| self.has_login(name))
    }
}

/// A way to log in by a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Login {
    /// User and password at once (RFC 4616).
    Plain,
    /// One after the other, as the server asks.
    Login,
}

impl Login {
    /// The command that begins it.
    pub(super) fn begins(self, user: &str, password: &str) -> String {
        match self {
            Self::Plain => format!("AUTH PLAIN {}\r\n", both(user, password)),
            Self::Login => "AUTH LOGIN\r\n".to_owned(),
        }
    }
}

fn both(user: &str, password: &str) -> String {
    BASE64.encode(format!("\0{user}\0{password}").as_bytes())
}

/// The answer to a question of the server: what it names, or otherwise the user first and then the password.
pub(super) fn answered(how: Login, reply: &Response, question: usize, user: &str, password: &str) -> String {
    if how == Login::Plain {
        return format!("{}\r\n", both(user, password));
    }
    let asked = BASE64.decode(reply.first_word().unwrap_or_default().as_bytes()).unwrap_or_default();
    let asked = String::from_utf8_lossy(&asked).to_ascii_lowercase();
    let is_user = if asked.contains("pass") {
        false
    } else if asked.contains("user") {
        true
    } else {
        question == 0
    };
    format!("{}\r\n", BASE64.encode(if is_user { user } else { password }.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_may_be_a_code_alone() {
        for (text, words) in [
            ("220\r\n", &[""][..]),
            ("220 \r\n", &[""]),
            ("250-\r\n250\r\n", &["", ""]),
            ("250-x\r\n250 y z\r\n", &["x", "y z"]),
            ("250-x\n250\ty\n", &["x", "y"]),
        ] {
            let reply = replied(text).unwrap();
            assert_eq!(reply.message().collect::<Vec<_>>(), words, "{text:?}");
        }
        for text in
            ["", "\r\n", "22\r\n", "hello\r\n", "250-x\r\n220 y\r\n", "250-x\r\ny\r\n", "999 x\r\n", "\u{e4}\u{e4}\r\n"]
        {
            assert!(replied(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn what_is_offered_is_known_in_any_letter_case() {
        let offers = |text: &str| Offers::find(&replied(text).unwrap());
        let found = offers("250-mx.example.net\r\n250-starttls\r\n250-Auth=plain\r\n250 auth login xoauth2\r\n");
        assert!(found.has("STARTTLS") && !found.has("SMTPUTF8"));
        assert_eq!((found.logins(), found.tokens()), (vec![Login::Plain, Login::Login], Some("XOAUTH2")));
        assert!(offers("250\r\n").logins().is_empty());
    }
}
