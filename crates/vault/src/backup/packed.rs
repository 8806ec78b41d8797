//! What a backup has inside, in a zstd frame (RFC 8878). The program packs with the reference library; what is built without it
//! writes frames whose blocks are not compressed, which every reader takes, and reads all frames.

use std::io::{self, Read as _};

/// The most bytes of a block.
#[cfg(any(test, not(any(unix, windows))))]
const BLOCK: usize = 128 << 10;

/// Packs bytes.
#[cfg(any(unix, windows))]
pub(crate) fn pack(plain: &[u8]) -> io::Result<Vec<u8>> {
    zstd::encode_all(plain, 6)
}

/// Packs bytes.
#[cfg(not(any(unix, windows)))]
pub(crate) fn pack(plain: &[u8]) -> io::Result<Vec<u8>> {
    Ok(wrapped(plain))
}

/// Unpacks at most this many bytes.
#[cfg(any(unix, windows))]
pub(crate) fn unpack(packed: &[u8], most: u64) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    zstd::stream::read::Decoder::new(packed)?.take(most).read_to_end(&mut plain)?;
    Ok(plain)
}

/// Unpacks at most this many bytes.
#[cfg(not(any(unix, windows)))]
pub(crate) fn unpack(packed: &[u8], most: u64) -> io::Result<Vec<u8>> {
    unwrapped(packed, most)
}

/// Unpacks at most this many bytes without the reference library.
#[cfg(any(test, not(any(unix, windows))))]
fn unwrapped(packed: &[u8], most: u64) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    let frame = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|_| io::ErrorKind::InvalidData)?;
    frame.take(most).read_to_end(&mut plain)?;
    Ok(plain)
}

/// A frame of these bytes as they are.
#[cfg(any(test, not(any(unix, windows))))]
fn wrapped(plain: &[u8]) -> Vec<u8> {
    // The magic number; one segment whose size stands in eight bytes, without a checksum.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0b1110_0000];
    frame.extend_from_slice(&(plain.len() as u64).to_le_bytes());
    let mut blocks = plain.chunks(BLOCK).peekable();
    if plain.is_empty() {
        frame.extend_from_slice(&[1, 0, 0]);
    }
    while let Some(block) = blocks.next() {
        let head = (block.len() as u32) << 3 | u32::from(blocks.peek().is_none());
        frame.extend(head.to_le_bytes().into_iter().take(3));
        frame.extend_from_slice(block);
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_without_the_library_is_unpacked_by_it_and_the_other_way_round() {
        let long: Vec<u8> =
            (0..3 * BLOCK as u32 + 7).flat_map(|n| (n.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()).collect();
        let text = "an entry of a game\n".repeat(20_000).into_bytes();
        for plain in [&b""[..], b"x", &text, &long] {
            assert_eq!(unpack(&wrapped(plain), u64::MAX).expect("a frame"), plain);
            assert_eq!(unwrapped(&pack(plain).expect("a frame"), u64::MAX).expect("a frame"), plain);
        }
        assert_eq!(unwrapped(&pack(&text).expect("a frame"), 100).expect("a frame").len(), 100);
        assert!(unwrapped(b"no frame", 100).is_err());
    }
}
