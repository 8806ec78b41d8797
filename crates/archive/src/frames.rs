//! Where the zstd frames of an archive end, without unpacking them: by the sizes in the headers of frames and blocks (RFC 8878).

use std::io::{self, Read, Seek, SeekFrom};

use super::stream::{Stream, StreamError};

/// How a frame begins.
const MAGIC: u32 = 0xFD2F_B528;
/// How a skippable frame begins, apart from its last digit.
const SKIPPABLE: u32 = 0x184D_2A50;
/// How much is read at a time in search of a further frame.
const WINDOW: usize = 1 << 20;

/// The end of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its last frame is whole.
    Whole,
    /// Behind its last whole frame, which ends at this byte, there is the beginning of one that was never finished.
    Cut(u64),
    /// At this byte there is something that is no frame, or one whose sizes make no sense: frames may follow.
    Damaged(u64),
    /// It does not begin like a packed archive.
    Other,
}

/// Looks for the end of an archive, from its beginning. Nothing is unpacked, and memory does not grow with the archive.
///
/// # Errors
/// The errors of the system.
pub fn end(file: &mut (impl Read + Seek)) -> io::Result<End> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut at = 0;
    while at < length {
        match frame(file, at, length)? {
            Some(Ok(next)) => at = next.end,
            Some(Err(Cut)) if has_frame(file, at + 1)? => return Ok(End::Damaged(at)),
            Some(Err(Cut)) => return Ok(End::Cut(at)),
            None if at == 0 => return Ok(End::Other),
            None => return Ok(End::Damaged(at)),
        }
    }
    Ok(End::Whole)
}

/// Returns whether what is packed in whole frames ends with a line end, or there is nothing: only then a further line can follow. An
/// archive that another program packed may lack it. Only the last frame that holds anything is unpacked, in bounded memory.
///
/// # Errors
/// The errors of the system.
pub fn ends_line(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    let (mut at, mut last) = (0, None);
    while let Some(Ok(next)) = frame(file, at, length)? {
        if next.holds {
            last = Some(at);
        }
        at = next.end;
    }
    let Some(last) = last else { return Ok(true) };
    file.seek(SeekFrom::Start(last))?;
    let mut stream = Stream::new(file.by_ref().take(at - last));
    let mut ends = false;
    loop {
        match stream.next_chunk() {
            Ok(Some(chunk)) => ends = chunk.lines.ends_with(b"\n") && !chunk.too_long,
            Ok(None) => return Ok(ends),
            Err(StreamError::Io(error)) => return Err(error),
            Err(StreamError::Damage(_)) => ends = false,
        }
    }
}

/// A whole frame.
struct Frame {
    /// The byte behind it.
    end: u64,
    /// Whether there is anything in it but bytes to skip.
    holds: bool,
}

/// The archive ends within the frame.
struct Cut;

/// Measures the frame that begins at a byte; `None` if none begins there.
fn frame(file: &mut (impl Read + Seek), at: u64, length: u64) -> io::Result<Option<Result<Frame, Cut>>> {
    const CUT: io::Result<Option<Result<Frame, Cut>>> = Ok(Some(Err(Cut)));
    let whole = |end: u64, holds: bool| Ok(Some(if end > length { Err(Cut) } else { Ok(Frame { end, holds }) }));
    let Some(head) = bytes::<5>(file, at)? else {
        // Too short even for its first bytes, which are those of a frame as far as they go.
        let mut begun = Vec::new();
        file.seek(SeekFrom::Start(at))?;
        file.take(4).read_to_end(&mut begun)?;
        return if MAGIC.to_le_bytes().starts_with(&begun) { CUT } else { Ok(None) };
    };
    let [a, b, c, d, descriptor] = head;
    let magic = u32::from_le_bytes([a, b, c, d]);
    if magic & !0xF == SKIPPABLE {
        return match bytes::<4>(file, at + 4)? {
            Some(size) => whole(at + 8 + u64::from(u32::from_le_bytes(size)), false),
            None => CUT,
        };
    }
    if magic != MAGIC {
        return Ok(None);
    }
    let single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = [u64::from(single), 2, 4, 8][usize::from(descriptor >> 6)];
    let mut next = at + 5 + u64::from(!single) + dictionary + content;
    let mut holds = false;
    loop {
        let Some([low, middle, high]) = bytes::<3>(file, next)? else { return CUT };
        let header = u32::from_le_bytes([low, middle, high, 0]);
        let size = match header >> 1 & 3 {
            // A byte that is repeated.
            1 => 1,
            // No such block.
            3 => return Ok(None),
            _ => u64::from(header >> 3),
        };
        holds |= header >> 3 > 0;
        next += 3 + size;
        if next > length {
            return CUT;
        }
        if header & 1 == 1 {
            // Behind the last block there may be a checksum.
            return whole(next + if descriptor & 4 == 0 { 0 } else { 4 }, holds);
        }
    }
}

/// Reads some bytes; `None` if the file ends before them.
fn bytes<const N: usize>(file: &mut (impl Read + Seek), at: u64) -> io::Result<Option<[u8; N]>> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(at))?;
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether anything from a byte on begins like a frame.
fn has_frame(file: &mut (impl Read + Seek), from: u64) -> io::Result<bool> {
    file.seek(SeekFrom::Start(from))?;
    let mut window = Vec::new();
    loop {
        let kept = window.len();
        if file.by_ref().take(WINDOW as u64).read_to_end(&mut window)? == 0 {
            return Ok(false);
        }
        if memchr::memmem::find(&window, &MAGIC.to_le_bytes()).is_some() {
            return Ok(true);
        }
        // A frame may begin at the seam.
        window.drain(..window.len().saturating_sub(3).max(kept.saturating_sub(3)));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn packed(text: &[u8], checksum: bool) -> Vec<u8> {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(checksum).unwrap();
        io::copy(&mut &text[..], &mut encoder).unwrap();
        encoder.finish().unwrap()
    }

    fn end_of(bytes: &[u8]) -> End {
        end(&mut Cursor::new(bytes)).unwrap()
    }

    #[test]
    fn frames_of_every_form_are_measured_as_the_library_does() {
        let skippable = [&0x184D_2A53_u32.to_le_bytes()[..], &3_u32.to_le_bytes(), b"abc"].concat();
        let noise: Vec<u8> = (0..400_000_u32).map(|nth| (nth.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let texts: [&[u8]; 4] = [b"", b"one line\n", &[b'x'; 300_000], &noise];
        let mut all = Vec::new();
        for (nth, text) in texts.iter().enumerate() {
            for frame in [packed(text, nth % 2 == 0), zstd::bulk::compress(text, 3).unwrap(), skippable.clone()] {
                let before = all.len();
                all.extend_from_slice(&frame);
                assert_eq!(end_of(&all), End::Whole);
                // Cut anywhere, it is the last frame that is not whole.
                for cut in [1, 3, 4, 6, 7, frame.len() / 2, frame.len() - 1] {
                    if cut > 0 && cut < frame.len() && !(frame == skippable && cut < 5) {
                        assert_eq!(
                            end_of(&all[..before + cut]),
                            End::Cut(before as u64),
                            "{nth}, {cut} of {}",
                            frame.len()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn an_archive_ends_a_line_whatever_stands_behind_its_last_one() {
        let skippable = [&0x184D_2A50_u32.to_le_bytes()[..], &2_u32.to_le_bytes(), b"ab"].concat();
        let ends = |parts: &[&[u8]]| ends_line(&mut Cursor::new(parts.concat())).unwrap();
        let (whole, open) = (packed(b"{\"a\":1}\n", true), packed(b"{\"a\":1}", false));
        let nothing = packed(b"", true);
        assert!(ends(&[]) && ends(&[&skippable]) && ends(&[&nothing]));
        for behind in [&[][..], &skippable, &nothing] {
            assert!(ends(&[&open, &whole, behind]));
            assert!(!ends(&[&whole, &open, behind]));
        }
        assert!(!ends(&[&packed(&[b'x'; 20_000_000], true)]), "a line that is too long");
        assert!(!ends(&[&packed(b"{\"a\":1}\n  ", true)]), "and blanks that would stand before the next");
    }

    #[test]
    fn what_is_no_archive_or_damaged_is_never_taken_for_one_that_was_cut() {
        assert_eq!(end_of(b"notes\n"), End::Other);
        assert_eq!(end_of(b"{\"path\":\"x\"}\n"), End::Other);
        assert_eq!(end_of(b""), End::Whole);
        let (one, two) = (packed(b"one\n", true), packed(&[b'y'; 9000], true));
        let junk = [&one[..], b"junk behind it"].concat();
        assert_eq!(end_of(&junk), End::Damaged(one.len() as u64));
        // A size that leads past the end, with a whole frame behind it.
        let mut wrong = [&one[..], &two[..]].concat();
        wrong[7] ^= 0x80;
        assert!(matches!(end_of(&wrong), End::Damaged(_)), "{:?}", end_of(&wrong));
    }
}
