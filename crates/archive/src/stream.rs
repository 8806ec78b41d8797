//! Archives read as a stream, in bounded memory: lines of JSON, plain or in zstd frames.

use std::io::{self, BufRead, BufReader, Read, Write};

use memchr::memrchr;

use super::decoded::{Frames, MAGIC, Part, is_frame};
use super::lines::LINE_MOST;
use postrider_disk::walking::share;

/// How many bytes are found to be blank at once.
const BLOCK: usize = 256;
/// How many bytes are read at once.
pub(super) const READ: usize = 256 * 1024;

/// A part of an archive that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "damaged at byte {offset}: {what}; {missing} bytes cannot be read{}",
    if *unpacked > 0 { format!(", which held {unpacked} bytes of lines") } else { String::new() }
)]
pub struct Damage {
    /// The offset in bytes of the faulty frame in the archive's file.
    pub offset: u64,
    /// How many bytes of the file were passed over, up to the next frame that is sound or to the end.
    pub missing: u64,
    /// How many bytes of lines these should have held, as far as their headers say.
    pub unpacked: u64,
    /// What is wrong, in words.
    pub what: String,
}

/// Why a part of an archive, or the rest of it, is missing.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The bytes cannot be read; nothing follows.
    #[error(transparent)]
    Io(io::Error),
    /// Some bytes are damaged; reading goes on behind them.
    #[error(transparent)]
    Damage(Damage),
}

/// Some lines of an archive.
#[derive(Debug, Default)]
pub struct Chunk {
    /// Whole lines with their line ends; the last line of an archive may lack one.
    pub lines: Vec<u8>,
    /// Whether they are followed by a line that is too long to keep.
    pub too_long: bool,
}

/// An archive that is being read from its beginning.
pub struct Stream<R> {
    source: Source<R>,
    /// What follows the last whole line.
    rest: Vec<u8>,
    /// What was read last and is no longer needed: memory for what is read next.
    spare: Vec<u8>,
    /// Whether the current line is too long and is being skipped.
    skipping: bool,
    ended: bool,
    failed: Option<StreamError>,
}

enum Source<R> {
    /// Nothing has been read yet.
    Unknown(R),
    Plain(BufReader<R>),
    Frames(Box<Frames<R>>),
    Ended,
}

impl<R: Read> Stream<R> {
    /// Opens an archive, packed or plain; its first bytes show which.
    #[must_use]
    pub fn new(from: R) -> Self {
        Self {
            source: Source::Unknown(from),
            rest: Vec::new(),
            spare: Vec::new(),
            skipping: false,
            ended: false,
            failed: None,
        }
    }

    /// Returns the next lines: whatever is available at once, so that a program that asks line by line gets an answer
    /// to each line. Returns `None` at the end.
    ///
    /// # Errors
    /// If a part of the archive is damaged or missing at its end; everything before that part has been passed on, and the next call
    /// goes on behind it. After an error of the system nothing follows.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>, StreamError> {
        if let Some(error) = self.failed.take() {
            self.ended = matches!(error, StreamError::Io(_));
            return Err(error);
        }
        if self.ended {
            return Ok(None);
        }
        let mut chunk = Chunk::default();
        loop {
            let more = match self.source.read(&mut self.spare) {
                Ok(more) => more,
                Err(error) => {
                    // The end of this line, or of one that is skipped, is missing too.
                    self.rest.clear();
                    self.skipping = false;
                    self.failed = Some(error);
                    return if chunk.lines.is_empty() { self.next_chunk() } else { Ok(Some(chunk)) };
                }
            };
            let Some(more) = more else {
                self.ended = true;
                chunk.lines.append(&mut self.rest);
                let nothing = chunk.lines.is_empty() && !chunk.too_long;
                return Ok((!nothing).then_some(chunk));
            };
            let enough = self.take(&more, &mut chunk);
            self.spare = more;
            if enough {
                return Ok(Some(chunk));
            }
        }
    }

    /// Adds what was read; returns whether there is something to pass on.
    fn take(&mut self, mut more: &[u8], chunk: &mut Chunk) -> bool {
        if self.skipping {
            let Some(end) = memchr::memchr(b'\n', more) else { return false };
            self.skipping = false;
            more = &more[end + 1..];
        }
        if self.rest.is_empty() {
            more = behind_blank_lines(more);
        }
        match memrchr(b'\n', more) {
            Some(end) => {
                chunk.lines.append(&mut self.rest);
                chunk.lines.extend_from_slice(&more[..=end]);
                self.rest.extend_from_slice(&more[end + 1..]);
            }
            None => self.rest.extend_from_slice(more),
        }
        if self.rest.len() > LINE_MOST {
            self.rest = Vec::new();
            self.skipping = true;
            chunk.too_long = true;
        }
        !chunk.lines.is_empty() || chunk.too_long
    }
}

impl<R: Read> Source<R> {
    /// Returns more bytes of lines; `None` at the end. `spare`: memory that it may take.
    fn read(&mut self, spare: &mut Vec<u8>) -> Result<Option<Vec<u8>>, StreamError> {
        loop {
            match std::mem::replace(self, Source::Ended) {
                Source::Ended => return Ok(None),
                Source::Unknown(mut from) => {
                    let mut first = vec![0; READ];
                    let read = some(&mut from, &mut first).map_err(StreamError::Io)?;
                    first.truncate(read);
                    // The first bytes of a pipe may arrive one at a time.
                    while !first.is_empty() && first.len() < 4 && MAGIC.starts_with(&first) {
                        let mut next = [0];
                        if some(&mut from, &mut next).map_err(StreamError::Io)? == 0 {
                            break;
                        }
                        first.push(next[0]);
                    }
                    // Even the first frame may be damaged. JSON is text, and no text holds the sign of a frame.
                    while is_no_text(&first) && !is_frame(&first) && first.len() < READ {
                        let mut more = vec![0; READ - first.len()];
                        let read = some(&mut from, &mut more).map_err(StreamError::Io)?;
                        if read == 0 {
                            break;
                        }
                        first.extend_from_slice(&more[..read]);
                    }
                    let has_frame = || is_no_text(&first) && memchr::memmem::find(&first, &MAGIC).is_some();
                    if is_frame(&first) || has_frame() {
                        *self = Source::Frames(Box::new(Frames::new(from, first)));
                    } else if first.is_empty() {
                        return Ok(None);
                    } else {
                        *self = Source::Plain(BufReader::with_capacity(READ, from));
                        return Ok(Some(first));
                    }
                }
                Source::Plain(mut from) => {
                    let mut bytes = std::mem::take(spare);
                    bytes.clear();
                    let read = loop {
                        match from.fill_buf() {
                            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                            read => break read.map_err(StreamError::Io)?,
                        }
                    };
                    if read.is_empty() {
                        return Ok(None);
                    }
                    bytes.extend_from_slice(read);
                    from.consume(bytes.len());
                    *self = Source::Plain(from);
                    return Ok(Some(bytes));
                }
                Source::Frames(mut frames) => {
                    let part = frames.next().map_err(StreamError::Io)?;
                    if part.is_some() {
                        *self = Source::Frames(frames);
                    }
                    return match part {
                        Some(Part::Content(content)) => Ok(Some(content)),
                        Some(Part::Missing(damage)) => Err(StreamError::Damage(damage)),
                        None => Ok(None),
                    };
                }
            }
        }
    }
}

/// Returns whether the first bytes of a file show that it is an archive: frames, or lines of JSON. A record begins with dashes.
#[must_use]
pub fn is_archive(first: &[u8]) -> bool {
    let text = first.trim_ascii_start();
    let object = text.strip_prefix(b"{").is_some_and(|inner| inner.trim_ascii_start().starts_with(b"\""));
    is_frame(first) || object
}

/// Returns whether bytes are not the beginning of a text, nor of one that was cut anywhere.
fn is_no_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_some())
}

/// Returns what follows the blank lines at the beginning. A few bytes of an archive can unpack to any number of them, so they are
/// passed over many at a time.
fn behind_blank_lines(bytes: &[u8]) -> &[u8] {
    // A fold without an early exit is what the compiler turns into vector instructions.
    let is_blank = |block: &[u8]| block.iter().fold(true, |blank, byte| blank & byte.is_ascii_whitespace());
    let blocks = bytes.chunks_exact(BLOCK).take_while(|block| is_blank(block)).count() * BLOCK;
    let rest = bytes.get(blocks..).unwrap_or_default();
    let blank = blocks + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let lines = memrchr(b'\n', bytes.get(..blank).unwrap_or_default()).map_or(0, |end| end + 1);
    bytes.get(lines..).unwrap_or_default()
}

/// Reads at least one byte, if there is one.
pub(super) fn some(from: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Passes each line of a chunk to `tell`, on all processors, and the results to `each`, in order. Blank lines are
/// skipped.
///
/// # Errors
/// The first error of `each`, which ends the work.
pub(crate) fn each_line<T: Send, E>(
    chunk: &Chunk,
    tell: impl Fn(Result<&[u8], String>) -> T + Send + Sync,
    each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = chunk.lines.as_slice();
    let lines = std::iter::from_fn(|| {
        rest = behind_blank_lines(rest);
        let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len()))?;
        rest = rest.get(line.len() + 1..).unwrap_or_default();
        // Only the last line can be blank here, if it has no end.
        (!line.iter().all(u8::is_ascii_whitespace)).then_some(line)
    });
    let long = chunk.too_long.then(|| Err(super::lines::too_long()));
    let lines: Vec<Result<&[u8], String>> = lines.map(Ok).chain(long).collect();
    share(&lines, |line| tell(line.clone())).into_iter().try_for_each(each)
}

/// Packs lines into zstd frames, each of which can be read without the others, so an archive can be extended by packing
/// more at its end.
///
/// Each frame is handed on by one call of `write_all`, so that a writer can treat frames as wholes.
pub struct Packer<W> {
    to: W,
    lines: Vec<u8>,
    /// About how many bytes of lines make a frame.
    frame: usize,
    /// Whether a line end is due before the first line.
    owes_line_end: bool,
}

impl<W: Write> Packer<W> {
    /// About how many bytes of lines make a frame.
    const FRAME: usize = 512 * 1024;
    /// The same for an archive of few records that is to be split.
    const SMALL_FRAME: usize = 64 * 1024;
    /// The compression level.
    const LEVEL: i32 = 9;

    /// Packs into `to`.
    #[must_use]
    pub fn new(to: W) -> Self {
        Self { to, lines: Vec::new(), frame: Self::FRAME, owes_line_end: false }
    }

    /// Packs into smaller frames, so that they can be spread evenly.
    #[must_use]
    pub(crate) fn in_small_frames(self) -> Self {
        Self { frame: Self::SMALL_FRAME, ..self }
    }

    /// Packs behind an archive whose last line has no end (see [`super::frames::ends_line`]): the first line that is added begins with
    /// one, so that it does not become a part of that line.
    #[must_use]
    pub fn behind_open_line(self) -> Self {
        Self { owes_line_end: true, ..self }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, path: &[u8], record: &[u8]) -> io::Result<()> {
        self.begin_line();
        super::lines::write(path, record, &mut self.lines);
        if self.lines.len() >= self.frame { self.frame() } else { Ok(()) }
    }

    /// Adds a line unchanged, given without its end.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add_line(&mut self, line: &[u8]) -> io::Result<()> {
        self.begin_line();
        self.lines.extend_from_slice(line);
        self.lines.push(b'\n');
        if self.lines.len() >= self.frame { self.frame() } else { Ok(()) }
    }

    fn begin_line(&mut self) {
        if std::mem::take(&mut self.owes_line_end) {
            self.lines.push(b'\n');
        }
    }

    /// Writes the last frame and returns the writer.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.lines.is_empty() {
            self.frame()?;
        }
        self.to.flush()?;
        Ok(self.to)
    }

    fn frame(&mut self) -> io::Result<()> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), Self::LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.include_contentsize(true)?;
        encoder.set_pledged_src_size(Some(self.lines.len() as u64))?;
        encoder.write_all(&self.lines)?;
        let frame = encoder.finish()?;
        self.to.write_all(&frame)?;
        self.lines.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::decoded::FRAME_MOST;
    use super::*;

    /// Returns everything that a stream passes on, and what it says is missing.
    fn told(from: impl Read) -> (Vec<u8>, Vec<Damage>) {
        let mut stream = Stream::new(from);
        let (mut lines, mut missing) = (Vec::new(), Vec::new());
        loop {
            match stream.next_chunk() {
                Ok(Some(chunk)) => lines.extend_from_slice(&chunk.lines),
                Ok(None) => return (lines, missing),
                Err(StreamError::Damage(damage)) => missing.push(damage),
                Err(StreamError::Io(error)) => panic!("{error}"),
            }
        }
    }

    /// Returns everything that a stream passes on, and the first fault.
    fn drained(from: impl Read) -> (Vec<u8>, Option<String>) {
        let (lines, missing) = told(from);
        (lines, missing.first().map(ToString::to_string))
    }

    /// Returns an archive of `count` lines that compress badly, and the lines.
    fn packed(count: usize) -> (Vec<u8>, Vec<u8>) {
        let mut packer = Packer::new(Vec::new());
        let mut plain = Vec::new();
        let mut state = 1_u64;
        for number in 0..count {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let record = format!("{number} {:x}", u128::from(state) << 40 | u128::from(state)).repeat(50);
            packer.add(format!("{number}.pbem").as_bytes(), record.as_bytes()).unwrap();
            super::super::lines::write(format!("{number}.pbem").as_bytes(), record.as_bytes(), &mut plain);
        }
        (packer.finish().unwrap(), plain)
    }

    /// A reader that returns one byte at a time, like a slow pipe.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            into[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    #[test]
    fn packed_lines_and_lines_packed_after_them_are_read_back_in_order() {
        let (archive, plain) = packed(2000);
        assert!(archive.len() < plain.len() / 4);
        assert!(drained(&*archive) == (plain.clone(), None));
        assert!(drained(&*[archive.clone(), archive].concat()) == ([plain.clone(), plain.clone()].concat(), None));
        assert!(drained(&*plain) == (plain, None));
        assert_eq!(drained(&b""[..]), (Vec::new(), None));
    }

    #[test]
    fn a_frame_of_any_size_and_a_skippable_one_are_read() {
        let (_, plain) = packed(4000);
        assert!(plain.len() > FRAME_MOST);
        let skippable = [&[0x55, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let small = zstd::encode_all(&b"{}\n"[..], 1).unwrap();
        let one = zstd::encode_all(&*plain, 1).unwrap();
        let archive = [skippable, small, one].concat();
        assert!(drained(&*archive) == ([b"{}\n".to_vec(), plain].concat(), None));
    }

    #[test]
    fn a_slow_pipe_is_read_like_a_fast_one() {
        let (archive, plain) = packed(20);
        assert!(drained(Slow(&archive)) == (plain.clone(), None));
        assert!(drained(Slow(&plain)) == (plain, None));
    }

    #[test]
    fn blank_lines_are_skipped_however_many_there_are() {
        for blank in ["", "\n", " \t\r\n", &"\n".repeat(3 * READ), &" \n\r\n".repeat(BLOCK)] {
            for spaces in ["", " ", &" ".repeat(BLOCK)] {
                let text =
                    format!("{blank}{spaces}one\n{blank}{blank}{spaces}two \n{blank}\n{spaces}three{blank}{spaces}");
                let mut stream = Stream::new(text.as_bytes());
                let mut lines = Vec::new();
                while let Some(chunk) = stream.next_chunk().unwrap() {
                    let told = |line: Result<&[u8], String>| String::from_utf8(line.unwrap().to_vec()).unwrap();
                    each_line(&chunk, told, |line| {
                        lines.push(line);
                        Ok::<(), ()>(())
                    })
                    .unwrap();
                }
                let expected = ["one", "two ", "three"].map(|line| format!("{spaces}{line}"));
                assert_eq!(
                    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>(),
                    expected.each_ref().map(|line| line.trim_end())
                );
            }
        }
        // None of them is passed on, and so none takes any work beyond that.
        let packed = zstd::encode_all(&*b"\n".repeat(20 << 20), 1).unwrap();
        assert!(Stream::new(&*packed).next_chunk().unwrap().is_none());
    }

    #[test]
    fn available_lines_are_passed_on_before_waiting_for_more() {
        let mut stream = Stream::new(Slow(b"one\ntwo\nthree"));
        let next = |stream: &mut Stream<_>| stream.next_chunk().unwrap().map(|chunk| chunk.lines);
        assert_eq!(next(&mut stream), Some(b"one\n".to_vec()));
        assert_eq!(next(&mut stream), Some(b"two\n".to_vec()));
        assert_eq!(next(&mut stream), Some(b"three".to_vec()));
        assert_eq!(next(&mut stream), None);
    }

    #[test]
    fn a_truncated_archive_is_read_up_to_the_cut_and_its_place_is_reported() {
        let (archive, plain) = packed(2000);
        for cut in [archive.len() - 1, archive.len() / 2, 20_000] {
            let (lines, end) = drained(&archive[..cut]);
            assert!(plain.starts_with(&lines) && end.is_some(), "{end:?}");
            let end = end.unwrap();
            assert!(end.starts_with("damaged at byte ") && end.contains("ends within a frame"), "{end}");
            // Only what the cut removed is lost.
            assert!(lines.len() + 1_000_000 > plain.len() * cut / archive.len(), "{} of {}", lines.len(), plain.len());
        }
    }

    /// Where the frames of an archive begin and end, and the lines of each.
    fn frames(archive: &[u8]) -> Vec<(usize, usize, Vec<u8>)> {
        let mut all = Vec::new();
        let mut at = 0;
        while at < archive.len() {
            let length = zstd::zstd_safe::find_frame_compressed_size(&archive[at..]).unwrap();
            all.push((at, at + length, zstd::decode_all(&archive[at..at + length]).unwrap()));
            at += length;
        }
        all
    }

    #[test]
    fn a_flipped_bit_anywhere_costs_its_frame_and_nothing_else() {
        let (archive, plain) = packed(1200);
        let all = frames(&archive);
        assert!(all.len() > 2);
        for (nth, (start, end, lines)) in all.iter().enumerate() {
            let without: Vec<u8> = all
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != nth)
                .flat_map(|(_, frame)| frame.2.clone())
                .collect();
            // In an archive every frame is like these.
            if nth > 1 && nth + 1 < all.len() {
                continue;
            }
            for place in (0..14).chain([(end - start) / 2, end - start - 4]) {
                for bit in [0, 5, 7] {
                    let mut damaged = archive.clone();
                    damaged[start + place] ^= 1 << bit;
                    let (read, missing) = told(&*damaged);
                    // A flag that nothing depends on changes nothing; of what is read piece by piece the lines are unchecked.
                    if missing.is_empty() {
                        assert!(read == plain, "{nth}, {place}, {bit}");
                        continue;
                    }
                    let unchecked = missing[0].what.contains("unchecked") || missing[0].what.contains("ends within");
                    assert!(
                        read == without || unchecked && read.len() >= without.len(),
                        "{nth}, {place}, {bit}: {missing:?}"
                    );
                    assert!(missing.len() == 1, "{nth}, {place}, {bit}: {missing:?}");
                    let place = missing[0].offset as usize;
                    assert!(place == *start, "{missing:?}");
                    if !unchecked {
                        assert_eq!(missing[0].missing as usize, end - start, "{place} {bit}: {missing:?}");
                    }
                }
            }
            assert!(!lines.is_empty());
        }
    }

    #[test]
    fn what_is_left_out_or_stands_between_frames_is_told_and_the_rest_is_read() {
        let (archive, plain) = packed(2000);
        let all = frames(&archive);
        let behind = |nth: usize| -> Vec<u8> { all[nth..].iter().flat_map(|frame| frame.2.clone()).collect() };
        // The end of the first frame and the beginning of the second are gone.
        let (_, end, first) = &all[0];
        let hole = [&archive[..end - 100], &archive[end + 100..]].concat();
        let (read, missing) = told(&*hole);
        assert!(read == behind(2) && missing.len() == 1 && missing[0].offset == 0, "{missing:?}");
        assert_eq!(missing[0].missing as usize, all[1].1 - 200);
        // Something else stands between them, or before the first, or behind the last.
        let (read, missing) = told(&*[&archive[..*end], b"what is this?", &archive[*end..]].concat());
        assert!(read == plain && missing.len() == 1);
        assert_eq!((missing[0].offset, missing[0].missing), (*end as u64, 13));
        let (read, missing) = told(&*[b"\xff\xfe\x00 what", &archive[..]].concat());
        assert!(read == plain && missing.len() == 1, "{missing:?}");
        let (read, missing) = told(&*[&archive[..], b"what is this?"].concat());
        assert!(read == plain && missing.len() == 1);
        assert!(missing[0].to_string().contains(&format!("byte {}: no zstd frame begins here", archive.len())));
        // A slow pipe is no different.
        let (read, missing) = told(Slow(&hole));
        assert!(read == behind(2) && missing.len() == 1 && !first.is_empty());
    }

    #[test]
    fn frames_that_are_large_or_do_not_state_their_size_are_followed_by_the_next_too() {
        let (small, plain) = packed(300);
        let (_, many) = packed(6000);
        assert!(many.len() > FRAME_MOST);
        // Without a checksum, damage within a block may go unseen.
        let frame = |text: &[u8], states_size: bool| {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.set_pledged_src_size(states_size.then_some(text.len() as u64)).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        for large in [frame(&many, true), frame(&many, false), frame(&plain, false)] {
            let whole = [&large[..], &small].concat();
            let mut damaged = whole.clone();
            for byte in damaged.iter_mut().skip(large.len() / 2).take(40) {
                *byte ^= 0xff;
            }
            let (read, missing) = told(&*damaged);
            assert!(read.ends_with(&plain) && missing.len() == 1, "{missing:?}");
            assert_eq!(missing[0].offset, 0);
            assert!(told(&*whole).1.is_empty());
        }
    }

    #[test]
    fn a_file_of_false_beginnings_or_of_empty_frames_takes_no_time_and_no_memory() {
        let begins = MAGIC.repeat(4 << 20);
        let (read, missing) = told(&*begins);
        assert!(read.is_empty() && missing.len() == 1 && missing[0].missing as usize == begins.len());
        // Each seems to be a frame of blocks that all lead to the same end, where no frame is.
        let chain = [&MAGIC[..], &[0x20, 0, 0x02, 0, 0, 0]].concat().repeat(200_000);
        let (_, missing) = told(&*chain);
        assert_eq!(missing.len(), 1);
        let (read, missing) = told(&*zstd::bulk::compress(b"", 1).unwrap().repeat(1_000_000));
        assert!(read.is_empty() && missing.is_empty());
        let (read, missing) = told(&*zstd::encode_all(&b""[..], 1).unwrap().repeat(100_000));
        assert!(read.is_empty() && missing.is_empty());
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_in_bounded_memory() {
        let text = [b"one\n".to_vec(), vec![b'x'; LINE_MOST + 3 * READ], b"\ntwo\n".to_vec()].concat();
        let mut stream = Stream::new(&*text);
        let mut told = Vec::new();
        while let Some(chunk) = stream.next_chunk().unwrap() {
            assert!(chunk.lines.len() <= LINE_MOST + READ);
            let tell = |line: Result<&[u8], String>| line.map(<[u8]>::to_vec);
            each_line(&chunk, tell, |line| {
                told.push(line.map(|line| String::from_utf8(line).unwrap()));
                Ok::<(), ()>(())
            })
            .unwrap();
        }
        assert_eq!(told, [Ok("one".to_owned()), Err("the line is over 24 MiB".to_owned()), Ok("two".to_owned())]);
    }
}
