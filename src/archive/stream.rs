//! Archives read as a stream, in bounded memory: lines of JSON, plain or in zstd frames.

use std::fmt;
use std::io::{self, Read, Write};

use memchr::memrchr;
use zstd::zstd_safe;

use super::lines::LINE_MOST;
use super::share;

/// About how many bytes of lines are passed on at a time.
const CHUNK: usize = 2 * 1024 * 1024;
/// How many bytes are found to be blank at once.
const BLOCK: usize = 256;
/// How many bytes are read at once.
const READ: usize = 256 * 1024;
/// The most bytes in a frame that is decoded at once; larger ones are decoded piece by piece.
const FRAME_MOST: usize = 4 * 1024 * 1024;
/// The largest window kept while decoding, as a power of two: 16 MiB.
const WINDOW: u32 = 24;
/// How a zstd frame begins, and a skippable one apart from its last digit.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

/// Where an archive is damaged.
#[derive(Debug)]
pub struct Damage {
    /// The offset in bytes of the faulty frame in the archive's file.
    pub offset: u64,
    /// What is wrong, in words.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "damaged at byte {}: {}", self.offset, self.what)
    }
}

impl std::error::Error for Damage {}

/// Why an archive cannot be read any further.
#[derive(Debug)]
pub enum StreamError {
    /// The bytes cannot be read.
    Io(io::Error),
    /// The bytes are damaged.
    Damage(Damage),
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Io(error) => error.fmt(f),
            StreamError::Damage(damage) => damage.fmt(f),
        }
    }
}

impl std::error::Error for StreamError {}

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
    Plain(R),
    Frames(Frames<R>),
    /// Frames that are decoded piece by piece from some point on.
    Pieces(Box<Pieces<R>>),
    /// A fault that follows what was already passed on.
    Failed(StreamError),
    Ended,
}

type Pieces<R> = (zstd::stream::read::Decoder<'static, io::BufReader<io::Chain<io::Cursor<Vec<u8>>, R>>>, u64);

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
    /// If the archive ends too early or is damaged; everything before that point has been passed on.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>, StreamError> {
        if let Some(error) = self.failed.take() {
            self.ended = true;
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
                    self.rest.clear();
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
                Source::Failed(error) => return Err(error),
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
                    if is_frame(&first) {
                        *self = Source::Frames(Frames { from, buffer: first, offset: 0, ended: false });
                    } else if first.is_empty() {
                        return Ok(None);
                    } else {
                        *self = Source::Plain(from);
                        return Ok(Some(first));
                    }
                }
                Source::Plain(mut from) => {
                    let mut bytes = std::mem::take(spare);
                    bytes.resize(READ, 0);
                    let read = some(&mut from, &mut bytes).map_err(StreamError::Io)?;
                    if read == 0 {
                        return Ok(None);
                    }
                    bytes.truncate(read);
                    *self = Source::Plain(from);
                    return Ok(Some(bytes));
                }
                Source::Frames(mut frames) => match frames.batch() {
                    Ok(Batch::Content(content)) => {
                        *self = Source::Frames(frames);
                        return Ok(Some(content));
                    }
                    Ok(Batch::End) => return Ok(None),
                    Ok(Batch::TooLarge) => {
                        let Frames { from, buffer, offset, .. } = frames;
                        let chained = io::BufReader::with_capacity(READ, io::Cursor::new(buffer).chain(from));
                        let decoder = zstd::stream::read::Decoder::with_buffer(chained);
                        let mut decoder = decoder.map_err(StreamError::Io)?;
                        decoder.window_log_max(WINDOW).map_err(StreamError::Io)?;
                        *self = Source::Pieces(Box::new((decoder, offset)));
                    }
                    Err((content, error)) if content.is_empty() => return Err(error),
                    Err((content, error)) => {
                        // What could be decoded is passed on first.
                        *self = Source::Failed(error);
                        return Ok(Some(content));
                    }
                },
                Source::Pieces(mut pieces) => {
                    let mut bytes = std::mem::take(spare);
                    bytes.resize(READ, 0);
                    let read = pieces.0.read(&mut bytes).map_err(|error| {
                        let truncated = error.kind() == io::ErrorKind::UnexpectedEof;
                        damage(pieces.1, if truncated { "it ends within a frame".into() } else { error.to_string() })
                    })?;
                    if read == 0 {
                        return Ok(None);
                    }
                    bytes.truncate(read);
                    *self = Source::Pieces(pieces);
                    return Ok(Some(bytes));
                }
            }
        }
    }
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
fn some(from: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

fn is_frame(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || (bytes.len() >= 4 && bytes[0] & 0xf0 == 0x50 && bytes[1..4] == SKIPPABLE)
}

fn damage(offset: u64, what: String) -> StreamError {
    StreamError::Damage(Damage { offset, what })
}

/// Frames, found by their headers and decoded in parallel.
struct Frames<R> {
    from: R,
    /// What was read but not decoded yet.
    buffer: Vec<u8>,
    /// The offset of the buffer in the file.
    offset: u64,
    ended: bool,
}

enum Batch {
    Content(Vec<u8>),
    TooLarge,
    End,
}

impl<R: Read> Frames<R> {
    /// Returns the content of the next frames; with an error, also what could be decoded before it.
    fn batch(&mut self) -> Result<Batch, (Vec<u8>, StreamError)> {
        let none = |error| (Vec::new(), error);
        let mut ends = Vec::new();
        let mut start = 0;
        let mut content = 0;
        while content < CHUNK {
            let rest = self.buffer.get(start..).unwrap_or_default();
            if !rest.is_empty() && rest.len() >= 4 && !is_frame(rest) {
                break;
            }
            match zstd_safe::find_frame_compressed_size(rest) {
                Ok(length) if length > 0 && length <= rest.len() => {
                    // A frame that is large or does not state its size is decoded piece by piece.
                    let holds = zstd_safe::get_frame_content_size(rest).ok().flatten();
                    let skipped = !rest.starts_with(&MAGIC);
                    let Some(holds) = holds.or(skipped.then_some(0)).filter(|&holds| holds <= FRAME_MOST as u64) else {
                        break;
                    };
                    content += usize::try_from(holds).unwrap_or(FRAME_MOST);
                    start += length;
                    ends.push(start);
                }
                _ if rest.len() > FRAME_MOST || self.ended => break,
                _ => {
                    let mut more = vec![0; READ];
                    let read = some(&mut self.from, &mut more).map_err(|error| none(StreamError::Io(error)))?;
                    self.ended = read == 0;
                    self.buffer.extend_from_slice(&more[..read]);
                }
            }
        }
        if ends.is_empty() {
            return self.without_a_frame().map_err(none);
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let frames: Vec<(usize, &[u8])> =
            starts.zip(&ends).map(|(start, &end)| (start, self.buffer.get(start..end).unwrap_or_default())).collect();
        let decoded = share(&frames, |(start, frame)| decode(frame).map_err(|what| (*start, what)));
        let mut bytes = Vec::with_capacity(content);
        for part in decoded {
            match part {
                Ok(part) => bytes.extend_from_slice(&part),
                Err((at, what)) => {
                    self.offset += at as u64;
                    return Err((bytes, damage(self.offset, what)));
                }
            }
        }
        self.buffer.drain(..start);
        self.offset += start as u64;
        Ok(Batch::Content(bytes))
    }

    /// Decides what it means if the next frame is not complete.
    fn without_a_frame(&mut self) -> Result<Batch, StreamError> {
        match (self.buffer.as_slice(), self.ended) {
            ([], _) => Ok(Batch::End),
            (rest, _) if rest.len() >= 4 && !is_frame(rest) => {
                Err(damage(self.offset, "no zstd frame begins here".into()))
            }
            // Whole frames are decoded; of one that is cut short, as much as possible.
            (_, true | false) => Ok(Batch::TooLarge),
        }
    }
}

/// Decodes a whole frame and checks its checksum.
fn decode(frame: &[u8]) -> Result<Vec<u8>, String> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(frame).map_err(|error| error.to_string())?;
    decoder.window_log_max(WINDOW).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let most = FRAME_MOST as u64 + 1;
    let read = decoder.single_frame().take(most).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if read as u64 == most { Err("a frame holds more than it says".into()) } else { Ok(bytes) }
}

/// Passes each line of a chunk to `tell`, on all processors, and the results to `each`, in order. Blank lines are
/// skipped.
///
/// # Errors
/// The first error of `each`, which ends the work.
pub fn each_line<T: Send, E>(
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
pub struct Packer<W> {
    to: W,
    lines: Vec<u8>,
}

impl<W: Write> Packer<W> {
    /// About how many bytes of lines make a frame.
    const FRAME: usize = 512 * 1024;
    /// The compression level.
    const LEVEL: i32 = 9;

    /// Packs into `to`.
    #[must_use]
    pub fn new(to: W) -> Self {
        Self { to, lines: Vec::new() }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, path: &[u8], record: &[u8]) -> io::Result<()> {
        super::lines::write(path, record, &mut self.lines);
        if self.lines.len() >= Self::FRAME { self.frame() } else { Ok(()) }
    }

    /// Adds a line unchanged, given without its end.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add_line(&mut self, line: &[u8]) -> io::Result<()> {
        self.lines.extend_from_slice(line);
        self.lines.push(b'\n');
        if self.lines.len() >= Self::FRAME { self.frame() } else { Ok(()) }
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
        let mut encoder = zstd::stream::write::Encoder::new(&mut self.to, Self::LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.include_contentsize(true)?;
        encoder.set_pledged_src_size(Some(self.lines.len() as u64))?;
        encoder.write_all(&self.lines)?;
        encoder.finish()?;
        self.lines.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns everything that a stream passes on, and how it ends.
    fn drained(from: impl Read) -> (Vec<u8>, Option<String>) {
        let mut stream = Stream::new(from);
        let mut lines = Vec::new();
        loop {
            match stream.next_chunk() {
                Ok(Some(chunk)) => lines.extend_from_slice(&chunk.lines),
                Ok(None) => return (lines, None),
                Err(error) => return (lines, Some(error.to_string())),
            }
        }
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

    #[test]
    fn a_damaged_archive_is_read_up_to_the_damaged_frame() {
        let (archive, plain) = packed(2000);
        for at in [archive.len() / 3, archive.len() / 2, archive.len() - 10] {
            let mut damaged = archive.clone();
            damaged[at] ^= 0x55;
            let (lines, end) = drained(&*damaged);
            assert!(plain.starts_with(&lines), "{at}");
            let end = end.unwrap();
            let place: usize = end["damaged at byte ".len()..].split(':').next().unwrap().parse().unwrap();
            assert!(place <= at, "{end}");
        }
        let (lines, end) = drained(&*[archive.clone(), b"what is this?".to_vec()].concat());
        assert!(lines == plain);
        assert!(end.unwrap().contains(&format!("byte {}: no zstd frame begins here", archive.len())));
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
