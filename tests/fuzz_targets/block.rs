//! Any text as one with blocks of entries.

use postrider_mail::incoming;
use postrider_referee::desk::block::{MAX_LINES, find};
use postrider_referee::verdict::verify;

/// The record that is here, of the game of the vectors.
const HERE: &str = "---\npbem: 1\ngame: asalto\nid: asalto-vector-game\nplayers:\n  besiegers: {name: Ada}\n  defenders: {name: \
                    Bram}\nstarted: 2026-11-21\n---\n1 defenders place c6 e6 @2026-11-21T10:15:00Z\n";

/// Reading ends within its limits; what was read is written and reads back the same, whatever is done to it; joined to a record it begins
/// like that record, and can be judged.
pub fn block(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let found = find(&text);
    assert!(found.blocks.len() <= 20 && found.damaged.len() <= 20);
    for damaged in &found.damaged {
        assert!(damaged.fault.to_string().chars().all(|c| !c.is_control()));
    }
    for one in &found.blocks {
        let written = one.text();
        let alone = |text: &str| assert_eq!(find(text).blocks, std::slice::from_ref(one), "{text}");
        alone(&written);
        alone(&written.replace('\n', "\n> "));
        alone(&written.replace('\n', " \r\n\r\n\t"));
        // Those around the lines; how many hyphens stand together in an id cannot be told from a long one.
        let long = "\u{2014}\u{ad}-";
        alone(
            &written
                .replace("-----BEGIN", &format!("{long}BEGIN"))
                .replace("-----END", &format!("{long}END"))
                .replace("-----\n", &format!("{long}\n")),
        );
        let page = format!("Content-Type: text/html\n\n<p>{}</p>", written.replace('\n', "<br>"));
        assert_eq!(incoming::read(page.as_bytes()).entries.blocks, std::slice::from_ref(one), "{page}");
        let Ok(record) = one.continued(HERE.as_bytes()) else { continue };
        let header = HERE.find("1 defenders").unwrap_or_default();
        assert_eq!(record.get(..header), HERE.as_bytes().get(..header));
        assert!(record.len() <= HERE.len() + MAX_LINES);
        let _ = verify(&record);
    }
}
