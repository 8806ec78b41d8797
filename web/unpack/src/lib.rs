//! Unpacks LZMA that stands in a page as text; `src/page/unpack.js` calls it.
//!
//! The host asks for room (`room`), writes the text there, and calls `begin`, which returns how many bytes come out of it. Then it calls
//! `step` until that many are there: browsers replace a function by a faster translation only where it is called again. `bytes` tells
//! where they stand.

use std::cell::RefCell;

use lzma_rust2::{LzmaReader, Read};

mod text;

use text::Text;

/// How much is unpacked by one step.
const STEP: usize = 8 << 10;
/// The longest text, and the most that comes out of it.
const LONGEST: usize = 64 << 20;
/// Where the header of LZMA has the length.
const LENGTH: std::ops::Range<usize> = 5..13;

#[derive(Default)]
struct Unpacking {
    reader: Option<LzmaReader<Text>>,
    bytes: Vec<u8>,
    done: usize,
}

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static UNPACKING: RefCell<Unpacking> = RefCell::default();
}

/// Makes room for a text of so many characters and returns its address; 0 if that is too long.
#[no_mangle]
pub extern "C" fn room(length: usize) -> usize {
    if length > LONGEST {
        return 0;
    }
    TEXT.with_borrow_mut(|text| {
        *text = vec![0; length];
        text.as_ptr() as usize
    })
}

/// Begins to unpack the text that was written, and returns how many bytes it holds; 0 if it is damaged.
#[no_mangle]
pub extern "C" fn begin() -> usize {
    let text = TEXT.take();
    UNPACKING.with_borrow_mut(|unpacking| {
        *unpacking = Unpacking::default();
        let Some(length) = length_of(&text) else { return 0 };
        unpacking.reader = LzmaReader::new_mem_limit(Text::new(text), u32::MAX, None).ok();
        unpacking.bytes = vec![0; length];
        if unpacking.reader.is_some() { length } else { 0 }
    })
}

/// Unpacks more, and returns how much is there now; 0 if the text is damaged.
#[no_mangle]
pub extern "C" fn step() -> usize {
    UNPACKING.with_borrow_mut(|Unpacking { reader, bytes, done }| {
        let until = bytes.len().min(*done + STEP);
        let read = match (reader, bytes.get_mut(*done..until)) {
            (Some(reader), Some(room)) => reader.read(room).unwrap_or(0),
            _ => 0,
        };
        *done += read;
        if read == 0 { 0 } else { *done }
    })
}

/// Returns the address of what was unpacked.
#[no_mangle]
pub extern "C" fn bytes() -> usize {
    UNPACKING.with_borrow(|unpacking| unpacking.bytes.as_ptr() as usize)
}

/// The length in the header of LZMA, unless it is beyond what a page could hold.
fn length_of(text: &[u8]) -> Option<usize> {
    let mut header = [0; LENGTH.end];
    let mut reader = Text::new(text.get(..2 * LENGTH.end)?.to_vec());
    if reader.read(&mut header).ok()? < header.len() {
        return None;
    }
    let length = u64::from_le_bytes(header.get(LENGTH)?.try_into().ok()?);
    usize::try_from(length).ok().filter(|length| *length <= LONGEST)
}
