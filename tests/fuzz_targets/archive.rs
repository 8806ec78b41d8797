//! Any bytes as an archive: reading ends, says what is missing within its bounds, and what was packed comes back.

use std::io::Cursor;

use postrider_archive::frames;
use postrider_archive::lines::Line;
use postrider_archive::stream::{Packer, Stream, StreamError};

/// Reads bytes as an archive to its end. Returns the records, and how many parts were damaged.
fn read(data: &[u8]) -> (Vec<Vec<u8>>, usize) {
    let mut stream = Stream::new(data);
    let (mut records, mut damaged) = (Vec::new(), 0);
    loop {
        match stream.next_chunk() {
            Ok(None) => return (records, damaged),
            Ok(Some(chunk)) => {
                for line in chunk.lines.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
                    records.extend(Line::read(line).map(|line| line.record.into_owned()));
                }
            }
            Err(StreamError::Io(error)) => panic!("memory cannot fail: {error}"),
            Err(_) => damaged += 1,
        }
        assert!(damaged <= data.len(), "no part is told twice");
    }
}

/// Packed archives of a record, whole and with `data` in the middle; and `data` alone.
pub fn archive(data: &[u8]) {
    read(data);
    let end = frames::end(&mut Cursor::new(data)).expect("memory cannot fail");
    // What ends on a frame can be added to.
    let packed_behind = |record: &[u8], ends_line: bool| {
        let packer = Packer::new(Vec::new());
        let mut packer = if ends_line { packer } else { packer.behind_open_line() };
        packer.add(b"a.pbem", record).expect("memory cannot fail");
        packer.finish().expect("memory cannot fail")
    };
    let packed = |record: &[u8]| packed_behind(record, true);
    let whole = packed(data);
    assert_eq!(read(&whole), (vec![data.to_vec()], 0), "what was packed comes back");
    if matches!(end, frames::End::Whole) && !data.is_empty() {
        let (before, damaged) = read(data);
        let ends_line = frames::ends_line(&mut Cursor::new(data)).expect("memory cannot fail");
        let (after, still) = read(&[data, &packed_behind(b"one more", ends_line)].concat());
        assert_eq!(after, [before, vec![b"one more".to_vec()]].concat(), "what was there is still read");
        // Parts that are damaged may be told as one.
        assert_eq!(still == 0, damaged == 0, "{still} of {damaged} damaged parts");
    }
    // Whatever stands between two frames costs neither.
    let (found, _) = read(&[&*packed(b"first"), data, &packed(b"last")].concat());
    assert_eq!(found.first().map(Vec::as_slice), Some(&b"first"[..]));
}
