//! Which objects are beginnings of a text, told by how git's packs store them: as differences from each other, of a few bytes for a
//! version that goes on from another one. Git itself puts a whole file together for each, so that the cost of many versions of a
//! file that grows would grow with their square.
//!
//! Of the formats of a repository only this one is known here (`gitformat-pack`), and only for speed: whatever is stored otherwise,
//! or cannot be made out, is asked of git.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use data_encoding::HEXLOWER;
use flate2::bufread::ZlibDecoder;

use super::Repository;

/// How many bytes of indexes are read at most: those of some millions of objects.
const MOST_INDEX: u64 = 256 << 20;
/// How many differences may lie between an object and one that is stored as a whole; git makes chains of 50, and at most of 4095.
const LONGEST_CHAIN: usize = 4096;
/// The longest difference that is read.
const MOST_DELTA: u64 = 1 << 20;
/// How much is read at a time: most differences are far shorter.
const PIECE: usize = 512;

/// The packs of a repository.
#[derive(Debug, Default)]
pub struct Packs(Vec<Pack<File>>);

/// A pack and its index.
#[derive(Debug)]
pub struct Pack<R> {
    index: Index,
    source: BufReader<R>,
}

/// Where the objects of a pack lie.
#[derive(Debug)]
struct Index {
    bytes: Vec<u8>,
    /// How many objects there are, and how long their ids are.
    count: usize,
    width: usize,
}

/// How an object is stored.
enum Stored {
    /// As a whole.
    Whole(u64),
    /// As a difference, of so many bytes, from the object that lies at this offset.
    Delta(u64, u64),
}

/// The beginnings of a text that are known, by the number of the pack and the offset in it. `None`: no beginning of it.
#[derive(Debug, Default)]
pub struct Beginnings(HashMap<(usize, u64), Option<usize>>);

impl Packs {
    /// Opens the packs of a repository; none if they cannot be read, or have too many objects.
    #[must_use]
    pub fn of(repository: &Repository) -> Self {
        Self::open(repository).unwrap_or_default()
    }

    fn open(repository: &Repository) -> Option<Self> {
        let folder = repository.folder().join(repository.line(["rev-parse", "--git-path", "objects/pack"]).ok()?);
        let (mut packs, mut bytes) = (Vec::new(), 0);
        for entry in fs::read_dir(folder).ok()?.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "idx") {
                bytes += entry.metadata().ok()?.len();
                if bytes > MOST_INDEX {
                    return None;
                }
                // What git is just putting away is found elsewhere.
                let pack = || Pack::new(fs::read(&path).ok()?, File::open(path.with_extension("pack")).ok()?);
                packs.extend(pack());
            }
        }
        Some(Self(packs))
    }

    /// Returns how long the beginning of `text` is that an object holds; `None` if it is no beginning of it, or that cannot be
    /// told. `known` is what is known of this text already.
    pub fn beginning(&mut self, object: &str, text: &[u8], known: &mut Beginnings) -> Option<usize> {
        let id = HEXLOWER.decode(object.as_bytes()).ok()?;
        let found = self.0.iter().enumerate().find_map(|(nth, pack)| Some((nth, pack.index.find(&id)?)));
        let (nth, offset) = found?;
        self.0.get_mut(nth)?.beginning(nth, offset, text, known)
    }
}

impl<R: Read + Seek> Pack<R> {
    /// Makes it from the bytes of its index; `None` if that is none.
    #[must_use]
    pub fn new(index: Vec<u8>, pack: R) -> Option<Self> {
        Some(Self { index: Index::new(index)?, source: BufReader::with_capacity(PIECE, pack) })
    }

    /// As [`Packs::beginning`], in this pack, which is the only one.
    pub fn beginning_of(&mut self, id: &[u8], text: &[u8], known: &mut Beginnings) -> Option<usize> {
        let offset = self.index.find(id)?;
        self.beginning(0, offset, text, known)
    }

    fn beginning(&mut self, nth: usize, offset: u64, text: &[u8], known: &mut Beginnings) -> Option<usize> {
        let mut chain = Vec::new();
        let mut at = offset;
        // Down to what is stored as a whole, or known; then up again.
        let mut length = loop {
            if let Some(length) = known.0.get(&(nth, at)) {
                break *length;
            }
            match self.stored(at) {
                Ok(Some(Stored::Whole(size))) => {
                    let length = self.whole(size, text).ok().flatten();
                    known.0.insert((nth, at), length);
                    break length;
                }
                Ok(Some(Stored::Delta(size, base))) if chain.len() < LONGEST_CHAIN && base < at => {
                    let delta = self.inflated(size).ok().flatten();
                    chain.push((at, delta));
                    at = base;
                }
                _ => break None,
            }
        };
        while let Some((at, delta)) = chain.pop() {
            length = length.zip(delta).and_then(|(base, delta)| applied(&delta, base, text));
            known.0.insert((nth, at), length);
        }
        length
    }

    /// Reads how the object at an offset is stored; what follows is its content. `None`: in no way that is known here.
    fn stored(&mut self, offset: u64) -> io::Result<Option<Stored>> {
        self.source.seek(SeekFrom::Start(offset))?;
        let mut byte = || -> io::Result<u8> {
            let mut byte = [0];
            self.source.read_exact(&mut byte)?;
            Ok(byte[0])
        };
        let first = byte()?;
        let (mut size, mut shift, mut more) = (u64::from(first & 15), 4, first & 128 != 0);
        while more {
            let next = byte()?;
            if shift > 56 {
                return Ok(None);
            }
            size |= u64::from(next & 127) << shift;
            (shift, more) = (shift + 7, next & 128 != 0);
        }
        Ok(match first >> 4 & 7 {
            3 => Some(Stored::Whole(size)),
            6 => {
                let mut next = byte()?;
                let mut back = u64::from(next & 127);
                while next & 128 != 0 {
                    next = byte()?;
                    if back > u64::MAX >> 8 {
                        return Ok(None);
                    }
                    back = (back + 1) << 7 | u64::from(next & 127);
                }
                offset.checked_sub(back).filter(|_| back > 0).map(|base| Stored::Delta(size, base))
            }
            7 => {
                let mut id = vec![0; self.index.width];
                self.source.read_exact(&mut id)?;
                self.index.find(&id).map(|base| Stored::Delta(size, base))
            }
            _ => None,
        })
    }

    /// Unpacks what follows, if it is as long as it should be.
    fn inflated(&mut self, size: u64) -> io::Result<Option<Vec<u8>>> {
        if size > MOST_DELTA {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        ZlibDecoder::new(&mut self.source).take(size + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 == size).then_some(bytes))
    }

    /// Compares what follows with the beginning of a text.
    fn whole(&mut self, size: u64, text: &[u8]) -> io::Result<Option<usize>> {
        let Some(wanted) = usize::try_from(size).ok().and_then(|size| text.get(..size)) else { return Ok(None) };
        let mut from = BufReader::with_capacity(1 << 16, ZlibDecoder::new(&mut self.source));
        let mut rest = wanted;
        loop {
            let some = from.fill_buf()?;
            if some.is_empty() {
                return Ok(rest.is_empty().then_some(wanted.len()));
            }
            let Some(after) = rest.strip_prefix(some) else { return Ok(None) };
            let read = some.len();
            rest = after;
            from.consume(read);
        }
    }
}

impl Index {
    /// How the second version begins, which every git of this century writes.
    const HEAD: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
    /// How many objects have ids that begin with a byte or a lower one: a table for all bytes.
    const FANOUT: usize = 256;

    fn new(bytes: Vec<u8>) -> Option<Self> {
        let mut index = Self { bytes, count: 0, width: 20 };
        if !index.bytes.starts_with(&Self::HEAD) {
            return None;
        }
        index.count = index.number(8 + 4 * (Self::FANOUT - 1))? as usize;
        // The ids are of one length or the other: behind the tables there are two digests of it, and long offsets of 8 bytes.
        let tables = |width: usize| {
            (8 + 4 * Self::FANOUT).checked_add(index.count.checked_mul(width + 8)?)?.checked_add(2 * width)
        };
        index.width =
            [20, 32].into_iter().rev().find(|&width| tables(width).is_some_and(|least| least <= index.bytes.len()))?;
        if index.width == 32 {
            // With ids of 20 bytes there may be as much behind them, in packs beyond 2 GiB.
            let long = index.bytes.len() - tables(20)?;
            let has_long = long.is_multiple_of(8) && long / 8 <= index.count && index.is_sorted(20);
            index.width = if has_long && !index.is_sorted(32) { 20 } else { 32 };
        }
        Some(index)
    }

    /// Whether the ids are in order if they have this length.
    fn is_sorted(&self, width: usize) -> bool {
        let start = 8 + 4 * Self::FANOUT;
        self.bytes
            .get(start..start.saturating_add(self.count.saturating_mul(width)))
            .is_some_and(|ids| ids.chunks_exact(width).is_sorted())
    }

    fn number(&self, at: usize) -> Option<u32> {
        Some(u32::from_be_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }

    /// Returns the offset of an object in the pack.
    fn find(&self, id: &[u8]) -> Option<u64> {
        if id.len() != self.width {
            return None;
        }
        let first = usize::from(*id.first()?);
        let most = self.number(8 + 4 * first)? as usize;
        let least = match first.checked_sub(1) {
            Some(before) => self.number(8 + 4 * before)? as usize,
            None => 0,
        };
        let ids = 8 + 4 * Self::FANOUT;
        let (mut low, mut high) = (least, most.min(self.count));
        while low < high {
            let middle = low + (high - low) / 2;
            let at = ids + middle * self.width;
            match self.bytes.get(at..at + self.width)?.cmp(id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let offsets = ids + self.count * (self.width + 4);
                    let offset = self.number(offsets + 4 * middle)?;
                    if offset & 1 << 31 == 0 {
                        return Some(u64::from(offset));
                    }
                    let long = offsets + 4 * self.count + 8 * (offset & !(1 << 31)) as usize;
                    return Some(u64::from_be_bytes(*self.bytes.get(long..)?.first_chunk()?));
                }
            }
        }
        None
    }
}

/// Applies a difference to the first `base` bytes of a text without putting anything together: returns how many of its first bytes
/// the outcome is; `None` if it is something else.
#[must_use]
pub fn applied(delta: &[u8], base: usize, text: &[u8]) -> Option<usize> {
    let mut bytes = delta.iter();
    let mut size = || -> Option<usize> {
        let (mut size, mut shift) = (0_u64, 0);
        loop {
            let byte = *bytes.next()?;
            if shift > 56 {
                return None;
            }
            size |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte & 128 == 0 {
                return usize::try_from(size).ok();
            }
        }
    };
    let (from, to) = (size()?, size()?);
    let mut rest = bytes.as_slice();
    if from != base {
        return None;
    }
    let mut done = 0_usize;
    while let Some((&what, after)) = rest.split_first() {
        rest = after;
        if what & 128 == 0 {
            // Nothing, which is no instruction, or so many bytes that follow.
            let (new, after) = rest.split_at_checked(usize::from(what)).filter(|_| what > 0)?;
            rest = after;
            let end = done + new.len();
            if text.get(done..end)? != new {
                return None;
            }
            done = end;
            continue;
        }
        let mut part = |bits: std::ops::Range<u32>| -> Option<usize> {
            let mut number = 0;
            for (place, bit) in bits.enumerate() {
                if what & 1 << bit != 0 {
                    let (&byte, after) = rest.split_first()?;
                    rest = after;
                    number |= usize::from(byte) << (8 * place);
                }
            }
            Some(number)
        };
        let (at, length) = (part(0..4)?, part(4..7)?);
        let length = if length == 0 { 0x1_0000 } else { length };
        let copied = text.get(..base)?.get(at..at.checked_add(length)?)?;
        let end = done.checked_add(length)?;
        if at != done && text.get(done..end)? != copied {
            return None;
        }
        done = end;
    }
    (done == to && to <= text.len()).then_some(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_applied_as_git_does_it() {
        let text = b"one two three one two";
        // Copy the first 8 bytes, insert the rest.
        let delta = [&[14, 21, 0b1001_0000, 8, 13][..], b"three one two"].concat();
        assert_eq!(applied(&delta, 14, text), Some(21));
        // The same content from elsewhere.
        let elsewhere = [&[14, 21, 0b1001_0000, 14, 0b1001_0000, 7][..]].concat();
        assert_eq!(applied(&elsewhere, 14, text), Some(21));
        // A shorter version of a longer one.
        assert_eq!(applied(&[21, 8, 0b1001_0000, 8], 21, text), Some(8));
        for (delta, why) in [
            (&[14, 21, 0b1001_0000, 8][..], "shorter than it says"),
            (&[13, 8, 0b1001_0000, 8], "of another base"),
            (&[14, 8, 0b1001_0000, 15], "more than the base has"),
            (&[14, 3, 3, b'o', b'n', b'x'], "another text"),
            (&[14, 8, 0b1001_0001, 1, 8], "not from its beginning"),
            (&[14, 0, 0], "no instruction"),
            (&[14, 3, 3, b'o'], "cut"),
            (&[128], "cut within a number"),
            (&[], "nothing"),
        ] {
            assert_eq!(applied(delta, 14, text), None, "{why}");
        }
    }

    #[test]
    fn what_is_no_index_is_none() {
        assert!(Index::new(Vec::new()).is_none());
        assert!(Index::new(Index::HEAD.to_vec()).is_none());
        let mut bytes = Index::HEAD.to_vec();
        bytes.resize(8 + 1024, 0xff);
        assert!(Index::new(bytes).is_none());
    }
}
