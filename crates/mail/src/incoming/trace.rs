//! The lines of mail servers at the top of a message: when it passed through them (RFC 5321), and whether its sender is genuine (RFC
//! 8601). Anybody can write such lines, so they count only where they name the player's own server, and only the topmost: a server
//! puts its own above all that it was given. What a server found counts for the domain that it names, and for no other.

use chrono::{NaiveDate, NaiveTime};
use mail_parser::{DateTime, HeaderName, HeaderValue, Host, Message};

use crate::address::is_same;
use postrider_referee::record::Time;

/// The most lines of each kind that are looked at.
const MOST: usize = 50;

/// The lines of the servers, the last of them first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Who took the message, and when.
    received: Vec<(String, Option<Time>)>,
    /// Who judged it (`authserv-id`), and how DMARC came out.
    results: Vec<Judged>,
}

/// A line `Authentication-Results`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Judged {
    /// Who says it.
    by: String,
    /// How DMARC came out, and for which domain in `From`.
    found: Option<Found>,
    /// How many lines `Received` stand above it.
    below: usize,
}

/// A server's finding by DMARC, which ties the sender's address to the server that sent the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dmarc {
    /// The address is that of the sender.
    Pass,
    /// The address is forged, or its owner's mail set-up is broken.
    Fail,
    /// Nothing is known either way.
    Other,
}

impl Trace {
    pub(super) fn of(message: &Message<'_>) -> Self {
        let mut trace = Self::default();
        for header in message.headers().iter().filter(|header| header.name == HeaderName::Received).take(MOST) {
            let HeaderValue::Received(received) = &header.value else { continue };
            let by = match &received.by {
                Some(Host::Name(name)) => name.to_string(),
                Some(Host::IpAddr(address)) => address.to_string(),
                None => continue,
            };
            trace.received.push((by, received.date.as_ref().and_then(time)));
        }
        let mut below = 0;
        for (name, value) in message.headers_raw() {
            if name.eq_ignore_ascii_case("received") {
                below += 1;
            } else if name.eq_ignore_ascii_case("authentication-results")
                && trace.results.len() < MOST
                && let Some((by, found)) = results_of(value)
            {
                trace.results.push(Judged { by, found, below });
            }
        }
        trace
    }

    /// Returns when the server of this name took the message.
    #[must_use]
    pub fn taken_by(&self, server: &str) -> Option<Time> {
        self.received.iter().find(|(by, _)| by.eq_ignore_ascii_case(server)).and_then(|(_, at)| *at)
    }

    /// Returns what the server with this `authserv-id` found about a sender's address. Only its topmost lines count, those between the same
    /// two lines `Received`. A pass counts for the domain that the line names (`header.from`); a failure always counts.
    #[must_use]
    pub fn dmarc(&self, server: &str, from: &str) -> Option<Dmarc> {
        let mut own = self.results.iter().filter(|line| line.by.eq_ignore_ascii_case(server)).peekable();
        let top = own.peek()?.below;
        let (found, domain) = own.take_while(|line| line.below == top).find_map(|line| line.found.as_ref())?;
        let is_about = |domain: &String| {
            let named = domain.rsplit_once('@').map_or(domain.as_str(), |(_, domain)| domain);
            let own = from.rsplit_once('@').map_or("", |(_, domain)| domain);
            is_same(&format!("x@{named}"), &format!("x@{own}"))
        };
        match found {
            Dmarc::Pass if !domain.as_ref().is_some_and(is_about) => Some(Dmarc::Other),
            found => Some(*found),
        }
    }
}

/// What is said about a sender, and the domain that it is said of.
type Found = (Dmarc, Option<String>);

/// Takes an `Authentication-Results` line apart: who says it, and the result of `dmarc`, if there is one.
fn results_of(value: &str) -> Option<(String, Option<Found>)> {
    let value = without_comments(value);
    let mut parts = value.split(';');
    // Behind the name there may be a version.
    let server = parts.next()?.split_whitespace().next()?.trim_matches('"').to_owned();
    let result = parts.find_map(|part| {
        let (method, rest) = part.split_once('=')?;
        let method = method.split('/').next()?.trim();
        let result = rest.split_whitespace().next().unwrap_or_default();
        let found = match result.to_ascii_lowercase().as_str() {
            "pass" => Dmarc::Pass,
            "fail" => Dmarc::Fail,
            _ => Dmarc::Other,
        };
        let of_from = |word: &str| {
            let (name, domain) = word.split_once('=')?;
            name.eq_ignore_ascii_case("header.from").then(|| domain.trim_matches('"').to_owned())
        };
        method.eq_ignore_ascii_case("dmarc").then(|| (found, rest.split_whitespace().find_map(of_from)))
    });
    Some((server, result))
}

/// Removes comments in brackets, which may be nested; brackets within quotation marks are none.
pub(super) fn without_comments(value: &str) -> String {
    let (mut text, mut depth, mut quoted, mut escaped) = (String::new(), 0_usize, false, false);
    for sign in value.chars() {
        let plain = !escaped;
        escaped = plain && sign == '\\';
        match sign {
            '"' if plain && depth == 0 => quoted = !quoted,
            '(' if plain && !quoted => depth += 1,
            ')' if plain && !quoted && depth > 0 => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            text.push(sign);
        }
    }
    text
}

/// Converts a date; many mails have one that does not exist in the calendar.
pub(super) fn time(date: &DateTime) -> Option<Time> {
    let day = NaiveDate::from_ymd_opt(i32::from(date.year), u32::from(date.month), u32::from(date.day))?;
    let hour = NaiveTime::from_hms_opt(u32::from(date.hour), u32::from(date.minute), u32::from(date.second.min(59)))?;
    let east = i64::from(date.tz_hour) * 3600 + i64::from(date.tz_minute) * 60;
    let east = if date.tz_before_gmt { -east } else { east };
    let seconds = day.and_time(hour).and_utc().timestamp() - east;
    // A record can only express the years 0 to 9999.
    (0..253_402_300_800).contains(&seconds).then_some(Time(seconds))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    fn trace(lines: &str) -> Trace {
        read(format!("{lines}From: ada@example.org\r\nSubject: x\r\n\r\nx\r\n").as_bytes()).trace
    }

    #[test]
    fn only_what_the_own_server_wrote_first_counts() {
        let found = trace(
            "Received: from mail.example.org (mail.example.org [192.0.2.1])\r\n\tby mx.example.net (Postfix) with ESMTPS id 4\r\n\tfor <bram@example.net>; Sat, 21 Nov 2026 12:00:00 +0100 (CET)\r\n\
             Received: from nowhere by mx.example.net; Thu, 1 Jan 1970 00:00:00 +0000\r\n\
             Received: by mail.example.org; Sat, 21 Nov 2026 10:59:00 +0000\r\n",
        );
        assert_eq!(found.taken_by("MX.example.net"), Time::read(b"2026-11-21T11:00:00Z"));
        assert_eq!(found.taken_by("mail.example.org"), Time::read(b"2026-11-21T10:59:00Z"));
        assert_eq!(found.taken_by("example.net"), None);
    }

    const ADA: &str = "ada@example.org";

    #[test]
    fn authentication_results_count_from_the_named_server_alone() {
        let found = trace(
            "Authentication-Results: mx.example.net (spf=pass) 1; spf=pass smtp.mailfrom=x@y.z;\r\n\tdkim=none; dmarc=fail (p=none; dmarc=pass) header.from=example.org\r\n\
             Authentication-Results: mx.example.net; dmarc=pass header.from=example.org\r\n\
             Authentication-Results: evil.example.com; dmarc=pass header.from=example.org\r\n\
             Authentication-Results: quiet.example.net; none\r\n",
        );
        assert_eq!(found.dmarc("mx.example.net", ADA), Some(Dmarc::Fail));
        assert_eq!(found.dmarc("MX.EXAMPLE.NET", ADA), Some(Dmarc::Fail));
        assert_eq!(found.dmarc("evil.example.com", ADA), Some(Dmarc::Pass));
        assert_eq!((found.dmarc("quiet.example.net", ADA), found.dmarc("other.example.net", ADA)), (None, None));
        assert_eq!(without_comments("a (b (c) \\) d) e \"(f)\" g"), "a  e \"(f)\" g");
    }

    #[test]
    fn that_a_sender_is_who_he_says_counts_for_the_domain_in_from_alone() {
        for (domain, expected) in [
            ("header.from=example.org", Dmarc::Pass),
            ("(p=reject dis=none) Header.From=\"EXAMPLE.org\"", Dmarc::Pass),
            ("header.from=ada@example.org policy.dmarc=none", Dmarc::Pass),
            ("header.from=evil.example.com", Dmarc::Other),
            ("header.from=sub.example.org", Dmarc::Other),
            ("header.d=example.org", Dmarc::Other),
            ("", Dmarc::Other),
        ] {
            let found = trace(&format!("Authentication-Results: mx.example.net; dmarc=pass {domain}\r\n"));
            assert_eq!(found.dmarc("mx.example.net", ADA), Some(expected), "{domain}");
        }
        let found = trace("Authentication-Results: mx.example.net; dmarc=pass header.from=xn--exmple-cua.org\r\n");
        assert_eq!(found.dmarc("mx.example.net", "ada@ex\u{e4}mple.org"), Some(Dmarc::Pass));
        let found = trace("Authentication-Results: mx.example.net; dmarc=fail header.from=evil.example.com\r\n");
        assert_eq!(found.dmarc("mx.example.net", ADA), Some(Dmarc::Fail));
    }

    #[test]
    fn only_the_topmost_lines_of_the_own_server_count() {
        // A server may give each result a line of its own.
        let several = "Received: by mail.example.net; Sat, 21 Nov 2026 11:00:01 +0000\r\n\
                       Authentication-Results: mx.example.net; spf=pass\r\n\
                       DKIM-Filter: x\r\n\
                       Authentication-Results: mx.example.net; dmarc=pass header.from=example.org\r\n";
        assert_eq!(trace(several).dmarc("mx.example.net", ADA), Some(Dmarc::Pass));
        // What its sender wrote stands below the line with which the server took the message.
        let forged = "Authentication-Results: mx.example.net; spf=none\r\n\
                      Received: from evil.example.com by mx.example.net; Sat, 21 Nov 2026 11:00:00 +0000\r\n\
                      Authentication-Results: mx.example.net; dmarc=pass header.from=example.org\r\n";
        assert_eq!(trace(forged).dmarc("mx.example.net", ADA), None);
    }
}
