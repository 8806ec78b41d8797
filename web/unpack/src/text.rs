//! Bytes as text that can stand in a page as it is: two characters hold 13 bits, the lower ones first.

use lzma_rust2::Read;

/// How many characters there are: all printable ones of ASCII except the space, `&`, `<` and the backslash.
const CHARACTERS: u32 = 91;

/// The value of each character, 0 for those that do not occur.
const VALUES: [u8; 256] = {
    let mut values = [0; 256];
    let mut code = b'!';
    let mut next = 0;
    while code <= b'~' {
        if !matches!(code, b'&' | b'<' | b'\\') {
            values[code as usize] = next;
            next += 1;
        }
        code += 1;
    }
    values
};

/// Reads the bytes that a text holds.
pub struct Text {
    text: Vec<u8>,
    at: usize,
    held: u32,
    bits: u32,
}

impl Text {
    /// A text of the characters that `text` says.
    pub fn new(text: Vec<u8>) -> Self {
        Self { text, at: 0, held: 0, bits: 0 }
    }

    fn next(&mut self) -> Option<u8> {
        if self.bits < 8 {
            let [high, low] = self.text.get(self.at..)?.first_chunk()?.map(|c| u32::from(VALUES[usize::from(c)]));
            self.at += 2;
            self.held |= (high * CHARACTERS + low) << self.bits;
            self.bits += 13;
        }
        let byte = self.held.to_le_bytes()[0];
        self.held >>= 8;
        self.bits -= 8;
        Some(byte)
    }
}

impl Read for Text {
    fn read(&mut self, bytes: &mut [u8]) -> lzma_rust2::Result<usize> {
        let mut count = 0;
        for place in bytes {
            let Some(byte) = self.next() else { break };
            *place = byte;
            count += 1;
        }
        Ok(count)
    }
}
