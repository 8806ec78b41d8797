//! The zstd frames of an archive, decoded; what is damaged is passed over up to the next sound frame.

use std::collections::VecDeque;
use std::io::{self, Read};

use zstd::stream::raw::{DParameter, Decoder, Operation};
use zstd::zstd_safe;

use super::stream::{Damage, READ, some};
use postrider_disk::walking::share;

/// About how many bytes of lines are decoded at a time.
const CHUNK: usize = 2 * 1024 * 1024;
/// The most bytes in a frame that is decoded at once; larger ones are decoded piece by piece.
pub(super) const FRAME_MOST: usize = 4 * 1024 * 1024;
/// The most bytes that such a frame takes in the file: of what cannot be compressed, a little more than it holds.
const PACKED_MOST: usize = FRAME_MOST + FRAME_MOST / 64;
/// The largest window kept while decoding, as a power of two: 16 MiB.
const WINDOW: u32 = 24;
/// How a zstd frame begins, and a skippable one apart from its last digit.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];
/// How many bytes of a frame that is decoded piece by piece are kept: more than a block, which is what a wrong size can swallow.
const KEPT: usize = 256 * 1024;
/// How many false beginnings of frames are tried one by one behind damage. A file may be nothing but such beginnings; from then on
/// they are tried at longer intervals.
const TRIES: usize = 64;

/// Returns whether bytes begin like a frame.
pub(super) fn is_frame(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || (bytes.len() >= 4 && bytes[0] & 0xf0 == 0x50 && bytes[1..4] == SKIPPABLE)
}

/// What comes next in an archive.
pub(super) enum Part {
    /// Bytes of lines.
    Content(Vec<u8>),
    /// Bytes are missing here.
    Missing(Damage),
}

/// Frames, found by their headers and decoded in parallel.
pub(super) struct Frames<R> {
    from: R,
    window: Window,
    ended: bool,
    /// A frame that is being decoded piece by piece: where it begins.
    piece: Option<u64>,
    pieces: Option<Pieces>,
    /// What cannot be read, up to here.
    gap: Option<Gap>,
    ready: VecDeque<Part>,
}

/// What was read but not decoded yet.
struct Window {
    bytes: Vec<u8>,
    start: usize,
    /// The offset in the file of the first byte that is not decoded.
    offset: u64,
}

impl Window {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    fn pass(&mut self, count: usize) {
        let count = count.min(self.rest().len());
        self.start += count;
        self.offset += count as u64;
    }

    fn add(&mut self, more: &[u8]) {
        self.bytes.drain(..self.start);
        self.start = 0;
        self.bytes.extend_from_slice(more);
    }

    /// Goes back to bytes that were passed.
    fn put_back(&mut self, before: &[u8]) {
        self.bytes.splice(..self.start, before.iter().copied());
        self.start = 0;
        self.offset -= before.len() as u64;
    }
}

/// Damage whose end is not known yet.
struct Gap {
    offset: u64,
    /// From where on nothing was decoded.
    from: u64,
    unpacked: u64,
    what: String,
    /// How many beginnings of frames were tried behind it.
    tries: usize,
}

/// What decoding piece by piece needs.
struct Pieces {
    decoder: Decoder<'static>,
    out: Vec<u8>,
    filled: usize,
    /// The last bytes of the frame that were passed, without its first.
    tail: Vec<u8>,
}

/// What stands at a place.
enum Look {
    /// A frame of this length, which holds so many bytes.
    Frame(usize, usize),
    /// A frame that is decoded piece by piece.
    Pieces,
    /// More has to be read to tell.
    More,
    /// Nothing that can be read, and why.
    Broken(&'static str),
    End,
}

impl<R: Read> Frames<R> {
    /// Reads frames; `first`: what was read of them already.
    pub(super) fn new(from: R, first: Vec<u8>) -> Self {
        let window = Window { bytes: first, start: 0, offset: 0 };
        Self { from, window, ended: false, piece: None, pieces: None, gap: None, ready: VecDeque::new() }
    }

    /// Returns what comes next; `None` at the end.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn next(&mut self) -> io::Result<Option<Part>> {
        loop {
            if let Some(part) = self.ready.pop_front() {
                return Ok(Some(part));
            }
            let goes_on = if self.piece.is_some() { self.piece().map(|()| true) } else { self.batch() }?;
            if !goes_on && self.ready.is_empty() {
                return Ok(None);
            }
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut more = vec![0; READ];
        let read = some(&mut self.from, &mut more)?;
        self.ended = read == 0;
        self.window.add(&more[..read]);
        Ok(())
    }

    fn look(&self, rest: &[u8]) -> Look {
        if rest.len() < 4 {
            return match (self.ended, rest) {
                (false, _) => Look::More,
                (true, []) => Look::End,
                (true, rest) if MAGIC.starts_with(rest) => Look::Pieces,
                (true, _) => Look::Broken("no zstd frame begins here"),
            };
        }
        if !is_frame(rest) {
            return Look::Broken("no zstd frame begins here");
        }
        let is_skippable = !rest.starts_with(&MAGIC);
        let holds = match is_skippable {
            true => Some(0),
            false => zstd_safe::get_frame_content_size(rest).ok().flatten(),
        };
        let small = holds.and_then(|holds| usize::try_from(holds).ok()).filter(|&holds| holds <= FRAME_MOST);
        match zstd_safe::find_frame_compressed_size(rest) {
            Ok(length) if length > 0 && length <= rest.len() => match small {
                Some(holds) => Look::Frame(length, holds),
                // A frame that is large or does not state its size.
                None => Look::Pieces,
            },
            _ if !self.ended && rest.len() <= PACKED_MOST => Look::More,
            // It leads over the beginning of another frame, or further than it can.
            _ if small.is_some() || self.ended => {
                let leads_over = memchr::memmem::find(rest.get(4..).unwrap_or_default(), &MAGIC).is_some();
                let leads_far = !is_skippable && !self.ended;
                if leads_over || leads_far { Look::Broken("the sizes in the frame are wrong") } else { Look::Pieces }
            }
            _ => Look::Pieces,
        }
    }

    /// Decodes the next frames. Returns whether there may be more.
    fn batch(&mut self) -> io::Result<bool> {
        let mut frames = Vec::new();
        let (mut start, mut content) = (0, 0);
        let stop = loop {
            if content >= CHUNK || start >= FRAME_MOST {
                break None;
            }
            match self.look(self.window.rest().get(start..).unwrap_or_default()) {
                Look::Frame(length, holds) => {
                    frames.push((start, length, holds));
                    content += holds;
                    start += length;
                }
                Look::More => self.fill()?,
                other => break Some(other),
            }
        };
        if frames.is_empty() {
            return match stop {
                Some(Look::Broken(what)) => self.broken(self.window.offset, 0, what.into()).map(|()| true),
                Some(Look::Pieces) => {
                    self.piece = Some(self.window.offset);
                    Ok(true)
                }
                _ => {
                    self.close();
                    Ok(false)
                }
            };
        }
        let rest = self.window.rest();
        let decoded = share(&frames, |&(start, length, _)| decode(rest.get(start..start + length).unwrap_or_default()));
        let mut bytes = Vec::with_capacity(content);
        for (part, &(_, length, holds)) in decoded.into_iter().zip(&frames) {
            match part {
                Ok(part) => {
                    if self.gap.is_some() {
                        self.close();
                    }
                    bytes.extend_from_slice(&part);
                    self.window.pass(length);
                }
                Err(what) => {
                    self.content(std::mem::take(&mut bytes));
                    let after = self.window.rest().get(length..).unwrap_or_default();
                    if after.len() < 4 || is_frame(after) {
                        // Its length is right, whatever else is wrong.
                        self.open(self.window.offset, holds as u64, what);
                        self.window.pass(length);
                    } else {
                        self.broken(self.window.offset, holds as u64, what)?;
                        return Ok(true);
                    }
                }
            }
        }
        self.content(bytes);
        Ok(true)
    }

    /// Passes bytes of lines on.
    fn content(&mut self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.close();
            self.ready.push_back(Part::Content(bytes));
        }
    }

    /// Notes that what stands here cannot be read.
    fn open(&mut self, offset: u64, unpacked: u64, what: String) {
        // What was passed of a frame is put back without its first byte.
        let from = if self.window.offset == offset + 1 { offset } else { self.window.offset };
        let gap = self.gap.get_or_insert(Gap { offset, from, unpacked: 0, what, tries: 0 });
        gap.unpacked = gap.unpacked.saturating_add(unpacked);
        gap.tries += 1;
    }

    /// Reports what could not be read up to here.
    fn close(&mut self) {
        if let Some(Gap { offset, from, unpacked, what, .. }) = self.gap.take() {
            let missing = self.window.offset.saturating_sub(from);
            self.ready.push_back(Part::Missing(Damage { offset, missing, unpacked, what }));
        }
    }

    /// Notes that what stands here cannot be read, and looks for the next frame behind its first byte.
    fn broken(&mut self, offset: u64, unpacked: u64, what: String) -> io::Result<()> {
        self.open(offset, unpacked, what);
        let far = self.gap.as_ref().is_some_and(|gap| gap.tries > TRIES);
        self.window.pass(if far { 64 * 1024 } else { 1 });
        self.search()
    }

    /// Looks for the next frame.
    fn search(&mut self) -> io::Result<()> {
        loop {
            let rest = self.window.rest();
            if let Some(at) = memchr::memmem::find(rest, &MAGIC) {
                self.window.pass(at);
                return Ok(());
            }
            if self.ended {
                self.window.pass(rest.len());
                return Ok(());
            }
            // A frame may begin at the seam.
            self.window.pass(rest.len().saturating_sub(3));
            self.fill()?;
        }
    }

    /// Decodes on in a frame that is decoded piece by piece.
    fn piece(&mut self) -> io::Result<()> {
        let Some(begun) = self.piece else { return Ok(()) };
        let mut pieces = match self.pieces.take() {
            Some(pieces) => pieces,
            None => Pieces::new()?,
        };
        if self.window.offset == begun {
            pieces.tail.clear();
            pieces.decoder.reinit()?;
        }
        let done =
            pieces.decoder.run_on_buffers(self.window.rest(), pieces.out.get_mut(pieces.filled..).unwrap_or_default());
        let failed = match done {
            Ok(status) => {
                // Without its first byte, so that it is not found again.
                let passed = self.window.rest().get(..status.bytes_read).unwrap_or_default();
                let skipped = usize::from(self.window.offset == begun).min(passed.len());
                pieces.keep(passed.get(skipped..).unwrap_or_default());
                self.window.pass(status.bytes_read);
                pieces.filled += status.bytes_written;
                let is_full = pieces.filled == pieces.out.len();
                let is_done = status.remaining == 0;
                let stalls = status.bytes_written == 0 && !is_done && self.window.rest().is_empty();
                if is_full || stalls || is_done && pieces.filled > READ / 2 {
                    self.content(pieces.taken());
                }
                match () {
                    () if is_done => {
                        self.piece = None;
                        None
                    }
                    () if stalls && self.ended => Some("it ends within a frame".to_owned()),
                    () if stalls => {
                        self.fill()?;
                        None
                    }
                    () => None,
                }
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(what) = failed {
            self.piece = None;
            self.content(pieces.taken());
            let is_cut = self.ended && self.window.rest().is_empty();
            let tail = std::mem::take(&mut pieces.tail);
            let started = begun < self.window.offset;
            let what =
                if started && !is_cut { format!("{what}; what was read of this frame is unchecked") } else { what };
            if started {
                self.window.put_back(&tail);
                self.open(begun, 0, what);
                self.search()?;
            } else {
                self.broken(begun, 0, what)?;
            }
        } else if self.piece.is_none() && !matches!(self.look(self.window.rest()), Look::Pieces) {
            self.content(pieces.taken());
        }
        self.pieces = Some(pieces);
        Ok(())
    }
}

impl Pieces {
    fn new() -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(WINDOW))?;
        Ok(Self { decoder, out: vec![0; READ], filled: 0, tail: Vec::new() })
    }

    fn taken(&mut self) -> Vec<u8> {
        let filled = std::mem::take(&mut self.filled);
        self.out.get(..filled).unwrap_or_default().to_vec()
    }

    fn keep(&mut self, passed: &[u8]) {
        self.tail.extend_from_slice(passed);
        if self.tail.len() > 2 * KEPT {
            self.tail.drain(..self.tail.len() - KEPT);
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
