//! Markup. Whatever comes from a record, a file name or a message goes through [`Html::text`] and can only become text;
//! anything written verbatim must be part of this program.

use data_encoding::BASE64;

use crate::picture::escaped;
use crate::text::printable;

/// A piece of a page.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Adds markup that is part of this program.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds text, in an element or inside the quotes of an attribute.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        // Characters that control a terminal or change the direction of writing are shown as their numbers here too.
        let lines: Vec<_> = text.split('\n').map(|line| escaped(&printable(line))).collect();
        self.0.push_str(&lines.join("\n"));
        self
    }

    /// Adds a number.
    pub(super) fn number(&mut self, number: impl Into<i64>) -> &mut Self {
        self.0.push_str(&number.into().to_string());
        self
    }

    /// Adds bytes as base64, whose characters have no meaning in markup.
    pub(super) fn base64(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.push_str(&BASE64.encode(bytes));
        self
    }

    /// Adds bytes in a denser encoding, for a script element that is never executed: two characters for 13 bits. It
    /// uses 91 characters, all printable ones except `&`, `<` and the backslash; base64 would take an eighth more.
    pub(super) fn dense(&mut self, bytes: &[u8]) -> &mut Self {
        let signs: Vec<char> = ('!'..='~').filter(|sign| !"&<\\".contains(*sign)).collect();
        let sign = |number: usize| signs.get(number).copied().unwrap_or('!');
        let (mut held, mut bits) = (0_usize, 0);
        let mut put = |held: usize| self.0.extend([sign(held / signs.len()), sign(held % signs.len())]);
        for byte in bytes {
            held |= usize::from(*byte) << bits;
            bits += 8;
            if bits >= 13 {
                put(held & 0x1fff);
                held >>= 13;
                bits -= 13;
            }
        }
        if bits > 0 {
            put(held);
        }
        self
    }

    /// Adds what the pictures produced: paths and references that consist only of numbers.
    pub(super) fn drawn(&mut self, svg: &str) -> &mut Self {
        self.0.push_str(svg);
        self
    }

    /// Adds a style sheet or a script of this program.
    pub(super) fn own(&mut self, code: &str) -> &mut Self {
        self.0.push_str(code);
        self
    }

    /// Adds another piece.
    pub(super) fn add(&mut self, other: Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_text_keeps_every_bit_and_cannot_end_a_script() {
        let bytes: Vec<u8> = (0..=255).chain((0..100).map(|nth: u8| nth.wrapping_mul(37))).collect();
        for length in [0, 1, 2, 12, 13, 14, 355] {
            let mut html = Html::default();
            html.dense(&bytes[..length]);
            let text = html.into_string();
            assert!(!text.contains(['<', '&', '\\', ' ']) && text.len() <= length * 16 / 13 + 3);
            let values: Vec<u32> = text
                .chars()
                .map(|c| ('!'..c).filter(|sign| !"&<\\".contains(*sign)).count().try_into().unwrap())
                .collect();
            let bits: Vec<u32> = values
                .chunks(2)
                .flat_map(|pair| (0..13).map(|bit| (pair[0] * 91 + pair[1]) >> bit & 1).collect::<Vec<_>>())
                .collect();
            let read = bits.chunks(8).map(|byte| byte.iter().enumerate().map(|(at, bit)| bit << at).sum::<u32>());
            let read: Vec<u32> = read.take(length).collect();
            assert_eq!(read, bytes[..length].iter().map(|byte| u32::from(*byte)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn text_is_never_markup() {
        let mut html = Html::default();
        html.raw("<p title=\"").text("\" onload=\"x").raw("\">").text("</p><script>\u{202e}&\u{7}").raw("</p>");
        assert_eq!(
            html.into_string(),
            "<p title=\"&quot; onload=&quot;x\">&lt;/p&gt;&lt;script&gt;\\u{202e}&amp;\\u{7}</p>"
        );
    }
}
