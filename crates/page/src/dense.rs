//! Bytes as printable characters of which none means anything in a page: thirteen bits in two of them, a tenth less than base64 takes. The
//! page's own script reads them back.

/// How many characters there are.
const SIGNS: u32 = 91;
/// How many bits two of them hold.
const BITS: u32 = 13;

/// The characters: all that ASCII prints, without those that could begin something in a page.
const ALPHABET: [u8; SIGNS as usize] = {
    let mut alphabet = [0; SIGNS as usize];
    let (mut at, mut sign) = (0, b'!');
    while at < alphabet.len() {
        if !matches!(sign, b'"' | b'&' | b'<') {
            alphabet[at] = sign;
            at += 1;
        }
        sign += 1;
    }
    alphabet
};

/// Writes bytes.
pub(super) fn written(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 16 / 13 + 4);
    let (mut held, mut count) = (0_u32, 0);
    let mut push = |value: u32| {
        for sign in [value / SIGNS, value % SIGNS] {
            text.push(char::from(ALPHABET.get(sign as usize).copied().unwrap_or(b'!')));
        }
    };
    for byte in bytes {
        held |= u32::from(*byte) << count;
        count += 8;
        if count >= BITS {
            push(held & ((1 << BITS) - 1));
            held >>= BITS;
            count -= BITS;
        }
    }
    if count > 0 {
        push(held);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the script of a page does it.
    fn read(text: &str) -> Vec<u8> {
        let value = |sign: u8| ALPHABET.iter().position(|one| *one == sign).expect("a sign") as u32;
        let (mut held, mut count, mut bytes) = (0_u32, 0, Vec::new());
        for pair in text.as_bytes().chunks(2) {
            held |= (value(pair[0]) * SIGNS + value(pair[1])) << count;
            count += BITS;
            while count >= 8 {
                bytes.push(held as u8);
                held >>= 8;
                count -= 8;
            }
        }
        bytes
    }

    #[test]
    fn what_is_written_is_read_back_and_has_no_sign_that_means_anything_in_a_page() {
        let bytes: Vec<u8> = (0..4000_u32).map(|number| ((number * number * 7) >> 3) as u8).collect();
        for length in [0, 1, 2, 3, 5, 12, 13, 14, 255, 4000] {
            let text = written(&bytes[..length]);
            assert!(text.bytes().all(|sign| sign.is_ascii_graphic() && !b"<&\"".contains(&sign)));
            let back = read(&text);
            assert_eq!(&back[..length], &bytes[..length]);
            // Where the last bits end is not written: at most one byte too many, which the reader of gzip would find behind its end.
            assert!(back.len() <= length + 1 && back[length..].iter().all(|byte| *byte == 0), "{length}");
        }
        assert!(written(&bytes).len() < 4000 * 5 / 4);
    }
}
