//! A line made of keys, one after the other, where the system shows what is typed as long as it makes lines of it itself.

use std::io;

use zeroize::Zeroizing;

use super::LONGEST_LINE;

/// A line that is being typed.
pub(super) struct Line {
    /// Large enough from the start, so that no copy is left behind.
    text: Zeroizing<String>,
    /// The first half of a character that comes in two.
    first: Option<u16>,
}

impl Line {
    pub(super) fn new() -> Self {
        Self { text: Zeroizing::new(String::with_capacity(LONGEST_LINE)), first: None }
    }

    /// Takes what a key stands for, in UTF-16; returns whether the line has ended.
    ///
    /// # Errors
    /// `Interrupted` or `UnexpectedEof` if the player gives up, `InvalidData` if it is no text or too long.
    pub(super) fn take(&mut self, unit: u16) -> io::Result<bool> {
        let first = self.first.take();
        if first.is_none() && (0xd800..0xdc00).contains(&unit) {
            self.first = Some(unit);
            return Ok(false);
        }
        let mut read = char::decode_utf16(first.into_iter().chain([unit]));
        let (Some(Ok(typed)), None) = (read.next(), read.next()) else { return Err(io::ErrorKind::InvalidData.into()) };
        match typed {
            '\r' | '\n' => return Ok(true),
            // Ctrl-C, where it comes as a key.
            '\u{3}' => return Err(io::ErrorKind::Interrupted.into()),
            // Ctrl-D, Ctrl-Z.
            '\u{4}' | '\u{1a}' if self.text.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            '\u{8}' => drop(self.text.pop()),
            // Ctrl-U, Esc and Ctrl-Backspace begin anew.
            '\u{15}' | '\u{1b}' | '\u{7f}' => self.text.clear(),
            typed if typed.is_control() && typed != '\t' => {}
            typed if self.text.len() + typed.len_utf8() > LONGEST_LINE => {
                return Err(io::ErrorKind::InvalidData.into());
            }
            typed => self.text.push(typed),
        }
        Ok(false)
    }

    /// Returns what was typed.
    pub(super) fn text(self) -> Zeroizing<String> {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> io::Result<(bool, String)> {
        let mut line = Line::new();
        let mut ended = false;
        for unit in text.encode_utf16() {
            ended = line.take(unit)?;
        }
        Ok((ended, line.text().to_string()))
    }

    #[test]
    fn a_line_is_what_was_typed_and_ends_with_enter() {
        assert_eq!(typed("correct horse\r").unwrap(), (true, "correct horse".into()));
        assert_eq!(typed("Grüße 🂡 \t!\n").unwrap(), (true, "Grüße 🂡 \t!".into()));
        assert_eq!(typed("not ended").unwrap(), (false, "not ended".into()));
        assert_eq!(typed("\r").unwrap(), (true, String::new()));
    }

    #[test]
    fn backspace_takes_a_whole_character_back_and_escape_all_of_them() {
        assert_eq!(typed("ab🂡\u{8}c\r").unwrap().1, "abc");
        assert_eq!(typed("\u{8}\u{8}a\r").unwrap().1, "a");
        for anew in ["\u{1b}", "\u{15}", "\u{7f}"] {
            assert_eq!(typed(&format!("wrong{anew}right\r")).unwrap().1, "right");
        }
        assert_eq!(typed("a\u{1}\u{2}b\u{1a}\r").unwrap().1, "ab", "other keys do nothing");
    }

    #[test]
    fn whoever_gives_up_gives_no_line() {
        assert_eq!(typed("half\u{3}").unwrap_err().kind(), io::ErrorKind::Interrupted);
        for end in ["\u{4}", "\u{1a}"] {
            assert_eq!(typed(end).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn half_a_character_and_too_long_a_line_are_refused() {
        let mut line = Line::new();
        assert!(!line.take(0xd83c).unwrap());
        assert_eq!(line.take(u16::from(b'a')).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(Line::new().take(0xdca1).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let mut line = Line::new();
        for _ in 0..LONGEST_LINE {
            assert!(!line.take(u16::from(b'x')).unwrap());
        }
        assert_eq!(line.take(u16::from(b'x')).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
