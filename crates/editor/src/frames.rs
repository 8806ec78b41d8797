//! The frames of the Language Server Protocol: a head that says how many bytes the JSON behind it has.

use std::io;
use std::io::{BufRead, Read as _, Write};

use serde_json::Value;

/// The longest message: a text of the largest size that is looked at at all, with all its characters escaped.
const LONGEST: u64 = 128 << 20;
/// The longest line of a head.
const LONGEST_LINE: u64 = 4096;

/// Reads the next message; `None` at the end.
///
/// # Errors
/// If the editor is gone, or what it sends is no message: from there on nothing of what it sends can be found.
pub fn read(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && is_first {
            return Ok(None);
        }
        if !line.ends_with(b"\n") {
            return Err(broken("the head of a message is cut off, or longer than any"));
        }
        is_first = false;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            let number = value.trim().parse().ok().filter(|number| *number <= LONGEST);
            length =
                Some(number.ok_or_else(|| broken("`Content-Length` is no number of bytes that a message can have"))?);
        }
    }
    let length: u64 = length.ok_or_else(|| broken("a message has no `Content-Length`"))?;
    let mut body = Vec::new();
    // Room is made for what comes, not for what is announced.
    from.by_ref().take(length).read_to_end(&mut body)?;
    if body.len() as u64 == length { Ok(Some(body)) } else { Err(broken("a message is cut off")) }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Writes a message.
///
/// # Errors
/// If the editor is gone.
pub fn write(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_one_after_the_other_until_the_end() {
        let mut from = &b"Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]"[..];
        assert_eq!(read(&mut from).unwrap().as_deref(), Some(&b"{}"[..]));
        assert_eq!(read(&mut from).unwrap().as_deref(), Some(&b"[1]"[..]));
        assert_eq!(read(&mut from).unwrap(), None);
        let mut written = Vec::new();
        write(&mut written, &Value::from("\u{e4}")).unwrap();
        assert_eq!(written, "Content-Length: 4\r\n\r\n\"\u{e4}\"".as_bytes());
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        let long = format!("{}: 1\r\n\r\n1", "x".repeat(5000));
        for head in [
            "Content-Length: 18446744073709551615\r\n\r\n{}",
            "Content-Length: 99999999999999999999999\r\n\r\n{}",
            "Content-Length: 1000000000000\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: 3\r\n\r\n{}",
            "Content-Type: x\r\n\r\n{}",
            "Content-Length: 2",
            "\r\n\r\n",
            &long,
        ] {
            assert_eq!(read(&mut head.as_bytes()).unwrap_err().kind(), io::ErrorKind::InvalidData, "{head}");
        }
    }
}
