//! Any text as a header: the plain reader and the YAML library agree.

use postrider_kernel::text::{Node, Span, Value};
use postrider_referee::record::{Faults, Header, HeaderReading, LINE_LIMIT};
use postrider_referee::registry;

/// A comment makes no difference to a header except that the library reads it and never the plain reader.
const COMMENT: &str = "#\n";

/// The result of reading a header does not depend on the reader: with a comment before it, it is the same.
pub fn header(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // A byte order mark is only allowed before everything else.
    if text.starts_with('\u{feff}') || text.len() + COMMENT.len() > LINE_LIMIT {
        return;
    }
    let by_either = format!("--{text}");
    let by_library = format!("{COMMENT}{text}");
    // The same places in both: the text begins at the third byte.
    assert_eq!(
        reading(&by_either, Span::new(COMMENT.len(), by_either.len())),
        reading(&by_library, Span::new(0, by_library.len())),
        "{text:?}"
    );
}

/// Spells out the result of reading a header.
fn reading(source: &str, span: Span) -> String {
    let mut faults = Faults::default();
    let reading = Header::read(source.as_bytes(), span, |name| Some(registry::find(name)?.info()), &mut faults);
    for fault in &faults.list {
        assert!(fault.span.start <= fault.span.end && fault.span.end as usize <= source.len(), "{fault:?}");
    }
    let read = match reading {
        HeaderReading::Read(header) => {
            let Header { info, id, players, started, title, clock, options, setup, secrecy, mut fields, machine, host } =
                *header;
            fields.iter_mut().for_each(|field| place(&mut field.value, span.start));
            format!(
                "{:?}",
                (info.name, id, players, started, title, clock, options, setup, secrecy, fields, (machine, host))
            )
        }
        HeaderReading::Faulty(remains) => format!("{:?}", remains.map(|remains| remains.info.name)),
        HeaderReading::Unknown(fault) => format!("{fault:?}"),
    };
    format!("{read} {faults:?}")
}

/// Makes the places of a value, which count from the start of the header, places in the source.
fn place(node: &mut Node<'_>, header: u32) {
    node.span = Span { start: node.span.start + header, end: node.span.end + header };
    match &mut node.value {
        Value::Map(pairs) => pairs.iter_mut().for_each(|(key, value)| {
            place(key, header);
            place(value, header);
        }),
        Value::List(list) => list.iter_mut().for_each(|value| place(value, header)),
        Value::Text(_) | Value::Nothing => {}
    }
}
