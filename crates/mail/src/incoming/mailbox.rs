//! The one address in a `From` line, read more strictly than mail programs do. They forgive much, each in its own way;
//! a line that two of them could read as two senders has no sender here.

/// Finds the address in a line with one mailbox, `ada@example.org` or `Ada Quill <ada@example.org>`, with quoted names
/// and comments. Returns `None` if there are several, a group, an invalid line end, or anything after the address.
/// Whether the address is valid is not checked.
pub(super) fn sole_address(line: &str) -> Option<&str> {
    let line = line.trim();
    let (mut quoted, mut escaped, mut comments) = (false, false, 0_usize);
    // Where the address after the angle bracket begins, that address, and the last word outside brackets.
    let (mut open, mut bracketed, mut word) = (None, None, None);
    let mut behind_encoded = 0;
    for (at, c) in line.char_indices() {
        if at < behind_encoded {
            continue;
        }
        let end = at + c.len_utf8();
        let folds = c == '\r' && line.get(end..).is_some_and(|rest| rest.starts_with('\n'));
        if matches!(c, '\0' | '\r' | '\u{b}' | '\u{c}') && !folds {
            return None;
        }
        if escaped {
            escaped = false;
        } else if quoted || comments > 0 {
            match c {
                '\\' => escaped = true,
                '"' if comments == 0 => quoted = false,
                '(' if !quoted => comments += 1,
                ')' if !quoted => comments -= 1,
                _ => {}
            }
        } else if let Some(start) = open {
            match c {
                '>' => (open, bracketed) = (None, line.get(start..at)),
                '<' | '"' | '(' | ',' | ';' | ':' => return None,
                _ => {}
            }
        } else {
            let encoded = match c {
                '=' if bracketed.is_none() => encoded_word(line.get(at..).unwrap_or_default()),
                _ => None,
            };
            if let Some(length) = encoded {
                behind_encoded = at + length;
                continue;
            }
            match c {
                '"' => quoted = true,
                '(' => comments = 1,
                '<' if bracketed.is_none() => open = Some(end),
                '<' | '>' | ',' | ';' | ':' => return None,
                _ if c.is_whitespace() => {}
                // Something follows the address.
                _ if bracketed.is_some() => return None,
                _ => {
                    word = match word {
                        Some((start, last)) if last == at => Some((start, end)),
                        _ => Some((at, end)),
                    }
                }
            }
        }
    }
    if quoted || comments > 0 || open.is_some() {
        return None;
    }
    bracketed.or_else(|| word.and_then(|(start, end)| line.get(start..end)))
}

/// Returns the length of the encoded word (RFC 2047) at the beginning of a text; careless programs leave characters in
/// it that have a meaning elsewhere.
fn encoded_word(text: &str) -> Option<usize> {
    let mut pieces = text.strip_prefix("=?")?.splitn(4, '?');
    let (charset, encoding, word, rest) = (pieces.next()?, pieces.next()?, pieces.next()?, pieces.next()?);
    let fits = rest.starts_with('=')
        && matches!(encoding, "q" | "Q" | "b" | "B")
        && [charset, word].iter().all(|piece| piece.bytes().all(|byte| byte.is_ascii_graphic()));
    fits.then(|| text.len() - rest.len() + 1)
}

/// Returns whether a header line is a `From` line to the most forgiving program: one that allows spaces before the
/// colon.
pub(super) fn is_from(line: &[u8]) -> bool {
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
    name.len() < line.len() && name.trim_ascii_end().eq_ignore_ascii_case(b"from")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_is_found_with_its_name_and_comments() {
        for line in [
            "ada@example.org",
            " Ada Quill <ada@example.org>",
            "\"Quill, Ada: <x@y.z>\" <ada@example.org>",
            "\"a\\\" <x@y.z>\" <ada@example.org> (at home)",
            "(a (b) c, d) ada@example.org",
            "mallory@example.com <ada@example.org>",
            "Ada\r\n\t<ada@example.org>",
            "\"Ada\" ada@example.org",
            "=?utf-8?q?Ada:_<x@y.z>,?= <ada@example.org>",
        ] {
            assert_eq!(sole_address(line), Some("ada@example.org"), "{line:?}");
        }
    }

    #[test]
    fn a_line_that_can_be_read_in_two_ways_has_no_sender() {
        for line in [
            "",
            "x@y.z, ada@example.org",
            "x@y.z: ada@example.org",
            "x@y.z\r\n\tFrom: ada@example.org",
            "friends: ada@example.org;",
            "x@y.z\rada@example.org",
            "<x@y.z> <ada@example.org>",
            "<ada@example.org> x@y.z",
            "<ada@example.org",
            "ada@example.org>",
            "\"Ada <ada@example.org>",
            "(Ada <ada@example.org>",
            "<@x.y:ada@example.org>",
            "<ada(x)@example.org>",
            "ada@example.org\0",
            "=?utf-8?q?Ada: <x@y.z>?= <ada@example.org>",
            "=?utf-8?x?<x@y.z>?= <ada@example.org>",
            "=?utf-8?q?ada=40example.org?=",
        ] {
            assert_eq!(sole_address(line), None, "{line:?}");
        }
    }
}
