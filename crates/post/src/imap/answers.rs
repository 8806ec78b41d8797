//! What a server says, read as forgivingly as servers write it: in any letter case, with blanks where none belong.

use chrono::DateTime;
use imap_proto::{AttributeValue, Response};

use postrider_referee::record::Time;

/// What a server offers, in capitals.
#[derive(Default)]
pub(super) struct Offers(Vec<String>);

impl Offers {
    /// Finds what is offered in the answer to `CAPABILITY`.
    pub(super) fn find(answer: &[Vec<u8>]) -> Self {
        let words = answer.iter().filter_map(|line| {
            let line = String::from_utf8_lossy(line).to_ascii_uppercase();
            line.strip_prefix("* CAPABILITY ")
                .map(|words| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        });
        Self(words.flatten().collect())
    }

    /// Whether this is among it.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.iter().any(|one| one == word)
    }

    /// The login by tokens that is offered, if any: it takes no password.
    pub(super) fn tokens(&self) -> Option<&'static str> {
        ["XOAUTH2", "OAUTHBEARER"].into_iter().find(|name| self.has(&format!("AUTH={name}")))
    }
}

/// How a command with this tag ended, if the line says so although it is not written as the standard wants it: whether it was done, and
/// the words.
pub(super) fn ending(line: &[u8], tag: &str) -> Option<(bool, String)> {
    let line = String::from_utf8_lossy(line);
    let (word, text) =
        line.trim_end().strip_prefix(tag)?.strip_prefix(' ').map(|rest| rest.split_once(' ').unwrap_or((rest, "")))?;
    match word.to_ascii_uppercase().as_str() {
        "OK" => Some((true, text.to_owned())),
        "NO" | "BAD" => Some((false, text.to_owned())),
        _ => None,
    }
}

/// Reads the answer to `SEARCH`: the numbers in all lines that give some. `None` if a line cannot be read, or if nothing but such lines
/// came: a mailbox is not empty because nobody understands its list.
pub(super) fn searched(answer: &[Vec<u8>]) -> Option<Vec<u32>> {
    let (mut uids, mut listed, mut odd) = (Vec::new(), false, false);
    for line in answer {
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_ascii_whitespace();
        let is_list = words.next() == Some("*") && words.next().is_some_and(|word| word.eq_ignore_ascii_case("SEARCH"));
        if !is_list {
            odd |= Response::parse(line).is_err();
            continue;
        }
        listed = true;
        // Behind the numbers, a server that counts changes may say how many there were (RFC 7162).
        for word in words.take_while(|word| !word.starts_with('(')) {
            uids.push(word.parse().ok().filter(|uid| *uid > 0)?);
        }
    }
    (listed || !odd).then_some(uids)
}

/// What a line says of a message.
#[derive(Default)]
pub(super) struct Said {
    /// Its number.
    pub uid: Option<u32>,
    /// Its size in bytes.
    pub size: Option<u32>,
    /// When the server took it.
    pub at: Option<Time>,
    /// The message itself; `Some(None)` if the server has none to give.
    pub body: Option<Option<Vec<u8>>>,
}

/// Reads a line about a message; `None` if it is about something else, an error if it cannot be read.
pub(super) fn about_message(line: &[u8]) -> Option<Result<Said, ()>> {
    let values = match Response::parse(line) {
        Ok((_, Response::Fetch(_, values))) => values,
        Ok(_) => return None,
        Err(_) => {
            let start = String::from_utf8_lossy(line.get(..40).unwrap_or(line)).to_ascii_uppercase();
            let is_fetch = start.split_ascii_whitespace().nth(2).is_some_and(|word| word.starts_with("FETCH"));
            return is_fetch.then_some(Err(()));
        }
    };
    let mut said = Said::default();
    for value in values {
        match value {
            AttributeValue::Uid(uid) => said.uid = Some(uid),
            AttributeValue::Rfc822Size(size) => said.size = Some(size),
            AttributeValue::InternalDate(date) => said.at = internal_date(&date),
            AttributeValue::BodySection { section: None, data, .. } => {
                said.body = Some(data.map(std::borrow::Cow::into_owned));
            }
            _ => {}
        }
    }
    Some(Ok(said))
}

/// Reads a date as a server writes it: `21-Nov-2026 12:00:00 +0100`.
fn internal_date(text: &str) -> Option<Time> {
    let date = DateTime::parse_from_str(text.trim(), "%d-%b-%Y %H:%M:%S %z").ok()?;
    Some(Time(date.timestamp()))
}

/// Returns the length of the literal that follows a line ending in `{number}`.
pub(super) fn counted(line: &[u8]) -> Option<usize> {
    let line = line.strip_suffix(b"\r\n")?.strip_suffix(b"}")?;
    let at = line.iter().rposition(|&byte| byte == b'{')?;
    std::str::from_utf8(line.get(at + 1..)?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[&str]) -> Vec<Vec<u8>> {
        text.iter().map(|line| format!("{line}\r\n").into_bytes()).collect()
    }

    #[test]
    fn a_list_of_messages_is_read_as_servers_write_it_or_not_at_all() {
        for (answer, uids) in [
            (&["* SEARCH 1 20 3"][..], Some(vec![1, 20, 3])),
            (&["* SEARCH"], Some(vec![])),
            (&["* SEARCH "], Some(vec![])),
            (&["* search 4 5 "], Some(vec![4, 5])),
            (&["*  SEARCH  4"], Some(vec![4])),
            (&["* SEARCH 4", "* SEARCH 5 (MODSEQ 917162500)"], Some(vec![4, 5])),
            (&["* 3 EXISTS", "* SEARCH 4", "* OK still here"], Some(vec![4])),
            (&[], Some(vec![])),
            (&["* 3 EXISTS"], Some(vec![])),
            (&["* SEARCH 1,2"], None),
            (&["* SEARCH 1:3"], None),
            (&["* SEARCH 0"], None),
            (&["* SEARCH 99999999999"], None),
            (&["* SEARCH 1", "* SEARCH x"], None),
            (&["SEARCH 1 2"], None),
            (&["* ESEARCH (TAG \"p4\") UID ALL 1:3"], None),
        ] {
            assert_eq!(searched(&lines(answer)), uids, "{answer:?}");
        }
    }

    #[test]
    fn what_is_offered_is_known_in_any_letter_case() {
        let offers = Offers::find(&lines(&["* capability imap4rev1 auth=XOauth2 LoginDisabled  Idle", "* OK"]));
        assert!(offers.has("LOGINDISABLED") && offers.has("IDLE") && !offers.has("AUTH=PLAIN"));
        assert_eq!(offers.tokens(), Some("XOAUTH2"));
    }
}
