//! Entries as a block of text (B1 to B7 of `notation/mail.md`): written, read from what mail programs make of it, and received like the
//! record that it stands for.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use data_encoding::{BASE64, BASE64_MIME, HEXLOWER};
use postrider_referee::desk::Desk;
use postrider_referee::desk::block::{Block, Fault, Gap, find};
use serde_json::Value;

use crate::letters::{GAME, GAME_FILE, HEADER, ID, bram, receive, record};
use crate::session::{Done, Session};
use crate::signing;

fn vectors() -> Value {
    serde_json::from_str(&std::fs::read_to_string("notation/block-vectors.json").expect("the vectors")).expect("JSON")
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("{name} is a list"))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is a text"))
}

/// The block with the entries of a record from one on.
fn block(record: &str, first: u32) -> Block {
    let desk = Desk::open(record.as_bytes()).unwrap_or_else(|_| panic!("a legal record:\n{record}"));
    Block::of(&desk, first).expect("a block")
}

/// A signed game of nine entries, with its result.
fn signed_game() -> String {
    std::fs::read_to_string("examples/asalto/a-signed-game.pbem").expect("the example")
}

#[test]
fn b1_b2_b3_b4_b5_blocks_are_read_as_in_the_vectors() {
    let all = vectors();
    for case in list(&all, "blocks") {
        let why = text(case, "why");
        let found = find(text(case, "text"));
        assert!(found.damaged.is_empty() && !found.more, "{why}: {found:?}");
        let [block] = &found.blocks[..] else { panic!("{why}: {found:?}") };
        assert_eq!(block.game, text(case, "game"), "{why}");
        assert_eq!(Some(u64::from(block.first)), case["first"].as_u64(), "{why}");
        assert_eq!(Some(u64::from(block.last)), case["last"].as_u64(), "{why}");
        // What is written from it is read as the same, whatever its form was.
        assert_eq!(find(&block.text()).blocks, std::slice::from_ref(block), "{why}");
        let lines: Vec<&str> = list(case, "lines").iter().map(|line| line.as_str().expect("a line")).collect();
        let shown = format!("{block:?}");
        assert!(shown.contains(&format!("{:?}", lines.join("\n") + "\n")), "{why}: {shown}");
        let before = HEXLOWER.decode(text(case, "before").as_bytes()).expect("digits");
        assert!(shown.contains(&format!("before: {before:?}")), "{why}: {shown}");
    }
    for case in list(&all, "damaged") {
        let why = text(case, "why");
        let found = find(text(case, "text"));
        assert!(found.blocks.is_empty(), "{why}: {found:?}");
        let [damaged] = &found.damaged[..] else { panic!("{why}: {found:?}") };
        assert!(damaged.fault.to_string().contains(text(case, "fault")), "{why}: {}", damaged.fault);
    }
    assert!(list(&all, "blocks").len() >= 6 && list(&all, "damaged").len() >= 18);
}

/// Runs the independent reader on a text, and on a record if there is one.
fn read_elsewhere(session: &Session, text: &str, record: Option<&str>) -> Option<Done> {
    session.write("letter.txt", text);
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/read-block.py")).arg(session.path("letter.txt"));
    if let Some(record) = record {
        session.write("record.pbem", record);
        command.arg(session.path("record.pbem"));
    }
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        eprintln!("**** SKIPPED: there is no python3 here, so the reader of blocks is not tried. ****");
        return None;
    };
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Some(Done { code: output.status.code().expect("a code"), out: text(output.stdout), err: text(output.stderr) })
}

#[test]
fn b1_to_b5_an_independent_reader_agrees_on_the_vectors_and_on_what_is_written() {
    let session = Session::new();
    let all = vectors();
    for case in list(&all, "blocks") {
        let Some(done) = read_elsewhere(&session, text(case, "text"), None) else { return };
        let lines: Vec<&str> = list(case, "lines").iter().map(|line| line.as_str().expect("a line")).collect();
        assert_eq!((done.code, done.out), (0, lines.join("\n") + "\n"), "{}: {}", text(case, "why"), done.err);
    }
    for case in list(&all, "damaged") {
        let Some(done) = read_elsewhere(&session, text(case, "text"), None) else { return };
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{}: {}", text(case, "why"), done.err);
    }
    for (record, first) in [(record(5), 1), (record(5), 4), (signed_game(), 2), (signed_game(), 9)] {
        let written = block(&record, first).text();
        assert!(written.lines().all(|line| line.len() <= 64 || line.starts_with("-----")), "{written}");
        let Some(done) = read_elsewhere(&session, &written, Some(&record)) else { return };
        assert_eq!(done.code, 0, "{}", done.err);
        let tail = record.find(&format!("\n{first} ")).expect("the entry") + 1;
        assert_eq!(done.out, record[tail..], "{}", done.err);
        let other = record.replace("started: ", "title: another\nstarted: ");
        assert_eq!(read_elsewhere(&session, &written, Some(&other)).expect("again").code, 1);
    }
}

#[test]
fn b8_a_block_that_begins_a_game_is_read_as_in_the_vectors_and_by_an_independent_reader() {
    let session = Session::new();
    let all = vectors();
    let games = list(&all, "games");
    assert!(games.len() >= 4);
    for case in games {
        let (why, record) = (text(case, "why"), text(case, "record"));
        let found = find(text(case, "text"));
        assert!(found.damaged.is_empty() && !found.more, "{why}: {found:?}");
        let [one] = &found.blocks[..] else { panic!("{why}: {found:?}") };
        assert_eq!(
            (one.game.as_str(), Some(u64::from(one.last))),
            (text(case, "game"), case["last"].as_u64()),
            "{why}"
        );
        assert_eq!(one.record().as_deref(), Some(record.as_bytes()), "{why}");
        let written = whole(record).text();
        assert_eq!(find(&written).blocks, std::slice::from_ref(one), "{why}");
        for text in [text(case, "text"), &written] {
            let Some(done) = read_elsewhere(&session, text, None) else { return };
            assert_eq!((done.code, done.out.as_str()), (0, record), "{why}: {}", done.err);
        }
        for (name, mangle) in MANGLINGS {
            let mangled = mangle(&written);
            assert_eq!(find(&mangled).blocks, std::slice::from_ref(one), "{why}, {name}:\n{mangled}");
        }
    }
}

/// The block with all of a game.
fn whole(record: &str) -> Block {
    let desk = Desk::open(record.as_bytes()).unwrap_or_else(|_| panic!("a legal record:\n{record}"));
    Block::of_game(&desk).expect("a block")
}

#[test]
fn b8_a_block_that_begins_a_game_is_received_as_the_record_that_it_stands_for() {
    for (have, there) in [
        (1, record(2)),
        (2, record(2)),
        (3, record(2)),
        (2, record(2).replace("c4-c5", "d4-d5")),
        (2, record(2).replace("Ada Quill", "Ada Quilt")),
    ] {
        for from in ["ada@example.org", "eve@example.org"] {
            let outcome = |letter: String| {
                let session = bram(have);
                let done = receive(&session, &[], letter.replace("ada@example.org>", &format!("{from}>")).as_bytes());
                let folder = session.folder.path().to_string_lossy().into_owned();
                (said(&done).replace(&folder, ""), session.read(GAME_FILE), done.code)
            };
            let block = plain(&whole(&there).text()).replace("Subject: my turn", &format!("Subject: [pbem] {ID}"));
            assert_eq!(outcome(block), outcome(crate::letters::letter(&there)), "{there} from {from}");
        }
    }
    // Where the game is not here it is an invitation; one that is damaged is none.
    let session = bram(1);
    let other = record(0).replace("mail01", "mail77");
    let block = whole(&other).text();
    let damaged = receive(&session, &[], plain(&block.replacen('\n', "\nAAAA", 1)).as_bytes());
    assert!(damaged.err.contains("cannot be read: "), "{}", said(&damaged));
    let done = receive(&session, &[], plain(&block).as_bytes());
    assert!(done.out.contains("you are invited"), "{}", said(&done));
}

/// Whatever is done to the lines of a text, in the ways of mail programs.
type Mangling = (&'static str, fn(&str) -> String);

fn each(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{}", change(line));
        all
    })
}

/// Breaks each line after so many characters.
fn broken(text: &str, width: usize) -> String {
    each(text, |line| {
        let chars: Vec<char> = line.chars().collect();
        chars.chunks(width).map(|chunk| chunk.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
    })
}

const MANGLINGS: &[Mangling] = &[
    ("as it is", str::to_owned),
    ("CRLF", |text| text.replace('\n', "\r\n")),
    ("quoted", |text| each(text, |line| format!("> {line}"))),
    ("quoted thrice, unevenly", |text| each(text, |line| format!(">> > {line}"))),
    ("quoted with initials", |text| each(text, |line| format!("AQ> {line}"))),
    ("quoted with a bar", |text| each(text, |line| format!("| {line}"))),
    ("indented", |text| each(text, |line| format!("\t    {line}"))),
    ("blank lines between", |text| each(text, |line| format!("{line}\n"))),
    ("spaces at the ends", |text| each(text, |line| format!("{line}   "))),
    ("broken at 40", |text| broken(text, 40)),
    ("broken at 17", |text| broken(text, 17)),
    ("quoted, then broken at 60", |text| broken(&each(text, |line| format!("> {line}")), 60)),
    ("flowed", |text| each(text, |line| format!("{line} "))),
    ("on one line", |text| text.replace('\n', " ")),
    ("soft hyphens", |text| each(text, |line| line.replace("AA", "A\u{ad}A").replace("-----", "--\u{ad}---"))),
    ("zero width", |text| each(text, |line| format!("\u{feff}{}\u{200b}", line.replace('E', "\u{2060}E")))),
    ("no-break spaces", |text| text.replace(' ', "\u{a0}")),
    ("long dashes", |text| text.replace("-----", "\u{2014}\u{2013}-")),
    ("emphasis", |text| each(text, |line| format!("*{line}*"))),
    ("an id as a link", |text| text.replace(" ENTRIES ", " ENTRIES <https://example.org/-----END>")),
    ("a number as a telephone link", |text| text.replace("\n-----END", "<tel:+49-555-0100>\n-----END")),
    ("source of quoted-printable", |text| {
        broken(&text.replace('=', "=3D"), 50).replace('\n', "=\n").replace("-----=\n", "-----\n")
    }),
    ("words around it", |text| {
        format!("Dear Bram,\n\n-- look what I found --\n\n{text}\n--\nAda\n-----Original Message-----\nFrom: x\n")
    }),
];

#[test]
fn b6_blocks_are_read_from_what_mail_programs_make_of_them() {
    let signed = signed_game();
    let blocks = [block(&record(5), 2), block(&record(3), 3), block(&signed, 1), block(&signed, 8)];
    let mut tried = 0;
    for one in &blocks {
        for (name, mangle) in MANGLINGS {
            let mangled = mangle(&one.text());
            let found = find(&mangled);
            assert_eq!(found.blocks, std::slice::from_ref(one), "{name}: {:?}\n{mangled}", found.damaged);
            // One upon the other.
            for (other, further) in MANGLINGS {
                let twice = further(&mangled);
                if find(&twice).blocks == std::slice::from_ref(one) {
                    tried += 1;
                } else {
                    // Initials are told from what is written only at the beginning of a line; what was broken between is damaged, and said to be.
                    assert!(!find(&twice).is_empty(), "{name}, {other}: nothing is said\n{twice}");
                    assert!(find(&twice).blocks.is_empty(), "{name}, {other}\n{twice}");
                }
            }
        }
    }
    let all = blocks.len() * MANGLINGS.len() * MANGLINGS.len();
    assert!(tried * 100 >= all * 95, "{tried} of {all}");
}

#[test]
fn b5_no_change_of_a_letter_or_a_line_goes_unnoticed() {
    let one = block(&signed_game(), 2);
    let text = one.text();
    for (at, letter) in text.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()) {
        let mut changed = text.clone();
        let other = if letter == 'B' { "C" } else { "B" };
        changed.replace_range(at..=at, other);
        let found = find(&changed);
        assert!(!found.blocks.contains(&one) || changed.to_lowercase() == text.to_lowercase(), "at {at}:\n{changed}");
        if at > text.find('\n').expect("a line") && at < text.rfind("-----END").expect("an end") {
            assert!(found.blocks.is_empty() && found.damaged.len() == 1, "at {at}: {found:?}");
        }
    }
    let lines: Vec<&str> = text.lines().collect();
    for without in 0..lines.len() {
        let fewer: Vec<&str> =
            lines.iter().enumerate().filter(|(nth, _)| *nth != without).map(|(_, line)| *line).collect();
        assert!(find(&fewer.join("\n")).blocks.is_empty(), "without line {without}");
    }
}

#[test]
fn b4_hostile_texts_are_read_in_moments_and_come_to_nothing() {
    let one = block(&record(5), 2).text();
    let (begin, rest) = one.split_once('\n').expect("a line");
    let started = std::time::Instant::now();
    for hostile in [
        format!("{begin}\n").repeat(4000),
        "-----BEGIN PBEM ENTRIES ".repeat(10_000),
        format!("{begin}\n{}", "A".repeat(250_000)),
        format!("{begin}\n{}", "<a:".repeat(80_000)),
        "--".repeat(120_000),
        "----- BEGIN".repeat(20_000),
        format!("{begin}\n{}\n{rest}", "=".repeat(250_000)),
        format!("BEGIN{}", ">".repeat(250_000)),
        format!("{begin}\n{}\n{rest}", "Aa> ".repeat(60_000)),
        format!("-----BEGIN PBEM ENTRIES {}", "1-2 ".repeat(60_000)),
    ] {
        let found = find(&hostile);
        assert!(found.blocks.len() <= 1 && found.damaged.len() <= 20, "{found:?}");
    }
    assert!(started.elapsed().as_secs() < 120, "{:?}", started.elapsed());
    // One within another: the inner one is whole, and the outer one is not.
    let nested = format!("{begin}\nAAAA\n{one}{rest}");
    let found = find(&nested);
    assert_eq!((found.blocks.len(), found.more), (1, false), "{found:?}");
    // Of more than are read it is said that there are more.
    let record = record(1);
    let many: String = (0..30)
        .map(|nth| format!("{}{nth}\n", block(&record, 1).text().replace("mail01", &format!("mai{nth}"))))
        .collect();
    assert!(find(&many).more);
}

/// A letter from Ada with this text.
fn plain(text: &str) -> String {
    mime("text/plain; charset=utf-8", "8bit", text)
}

fn mime(kind: &str, encoding: &str, body: &str) -> String {
    format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nSubject: my turn\nDate: Sun, 22 Nov 2026 08:05:00 +0000\nMIME-Version: \
         1.0\nContent-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n\n{body}"
    )
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The bodies in which a text arrives.
fn letters(text: &str) -> Vec<(&'static str, String)> {
    let escaped = html(text);
    let page = |body: &str| mime("text/html; charset=utf-8", "8bit", &format!("<html><body>{body}</body></html>"));
    let escaped_signs = text.replace('=', "=3D");
    let quoted_printable = escaped_signs.lines().map(|line| {
        let chars: Vec<char> = line.chars().collect();
        chars.chunks(60).map(|chunk| chunk.iter().collect::<String>()).collect::<Vec<_>>().join("=\n")
    });
    vec![
        ("plain", plain(text)),
        ("base64", mime("text/plain; charset=utf-8", "base64", &BASE64_MIME.encode(text.as_bytes()))),
        ("quoted-printable", mime("text/plain", "quoted-printable", &quoted_printable.collect::<Vec<_>>().join("\n"))),
        ("flowed", mime("text/plain; format=flowed; delsp=yes", "8bit", &text.replace('\n', " \n"))),
        ("with <br>", page(&escaped.replace('\n', "<br>\n"))),
        ("with <pre>", page(&format!("<p>Hello</p><pre>{escaped}</pre>"))),
        (
            "in a <blockquote>",
            page(&format!("<blockquote type=\"cite\">{}</blockquote>", escaped.replace('\n', "<br>"))),
        ),
        (
            "as Outlook writes it",
            page(
                &escaped.lines().map(|line| format!("<p class=MsoNormal>{line}<o:p></o:p></p>\n")).collect::<String>(),
            ),
        ),
        (
            "a <div> a line",
            page(&escaped.lines().map(|line| format!("<div dir=\"ltr\">{line}</div>")).collect::<String>()),
        ),
        (
            "soft breaks and links",
            page(
                &escaped
                    .replace("BEGIN", "BEG<wbr>IN&shy;")
                    .replace(ID, &format!("<a href=\"https://x.example/{ID}\">{ID}</a>"))
                    .replace('\n', "<br>&nbsp;"),
            ),
        ),
        (
            "as text and as HTML",
            mime(
                "multipart/alternative; boundary=xx",
                "8bit",
                &format!(
                    "--xx\nContent-Type: text/plain\n\n{}\n--xx\nContent-Type: text/html\n\n{}\n--xx--\n",
                    broken(&text.replace(['<', '>'], ""), 30),
                    escaped.replace('\n', "<br>")
                ),
            ),
        ),
        (
            "as an attached text",
            mime(
                "multipart/mixed; boundary=xx",
                "8bit",
                &format!(
                    "--xx\nContent-Type: text/plain\n\nsee there\n--xx\nContent-Type: text/plain; name=entries.txt\nContent-Disposition: \
                     attachment; filename=entries.txt\nContent-Transfer-Encoding: base64\n\n{}\n--xx--\n",
                    BASE64.encode(text.as_bytes())
                ),
            ),
        ),
    ]
}

#[test]
fn b7_a_block_is_received_from_bodies_of_all_kinds() {
    let text = format!("Dear Bram,\n\nhere it is.\n\n{}\nAda\n", block(&record(2), 2).text());
    let quoted = each(&text, |line| format!("> {line}"));
    for text in [text, quoted] {
        for (name, letter) in letters(&text) {
            let session = bram(1);
            let done = receive(&session, &[], letter.as_bytes());
            let line = GAME[1].trim_end();
            assert_eq!(
                done.out.lines().next(),
                Some(&*format!("{ID}: accepted: {line}")),
                "{name}: {}{}",
                done.out,
                done.err
            );
            assert_eq!((session.read(GAME_FILE), done.code, done.err.as_str()), (record(2), 0, ""), "{name}");
            let again = receive(&session, &["--again"], letter.as_bytes());
            assert!(again.out.contains("nothing new") && again.err.is_empty(), "{name}: {}{}", again.out, again.err);
            assert_eq!(session.read(GAME_FILE), record(2), "{name}");
        }
    }
}

/// What is said of a letter, without the place where the record's own line is shown.
fn said(done: &Done) -> String {
    format!("{}{}", done.out, done.err)
}

#[test]
fn b7_a_block_has_the_outcome_of_the_record_that_it_stands_for() {
    let attached = |record: &str| crate::letters::letter(record);
    let later = |text: &str| text.replace("2026-11-22T08:02:11Z", "2026-12-22T08:02:11Z");
    // What is here, what comes, from which entry on, and what is said.
    let cases = [
        (1, record(2), 2, "accepted: 2 besiegers"),
        (1, record(2), 1, "accepted: 2 besiegers"),
        (3, record(4), 4, "accepted: 4 besiegers"),
        (1, record(4), 2, "refused"),
        (2, record(2), 2, "nothing new"),
        (3, record(2), 2, "nothing new"),
        (2, record(2).replace("c4-c5", "d4-d5"), 2, "refused: from entry 2 on"),
        (3, record(2).replace("the gate!", "the gates"), 2, "refused"),
        (2, record(3), 3, "refused"),
        (1, later(&record(2)), 2, "held back"),
        (1, record(2).replace("c4-c5 @", "resign @") + "= defenders win: resigned\n", 2, "accepted: 2 besiegers"),
    ];
    for (have, there, first, says) in cases {
        for from in ["ada@example.org", "eve@example.org"] {
            let outcome = |letter: String| {
                let session = bram(have);
                let done = receive(&session, &[], letter.replace("ada@example.org>", &format!("{from}>")).as_bytes());
                let folder = session.folder.path().to_string_lossy().into_owned();
                (said(&done).replace(&folder, ""), session.read(GAME_FILE), done.code)
            };
            let by_record = outcome(attached(&there));
            let by_block = outcome(
                plain(&block(&there, first).text()).replace("Subject: my turn", &format!("Subject: [pbem] {ID}")),
            );
            assert_eq!(by_block, by_record, "{there} from {from}");
            if from == "ada@example.org" {
                assert!(by_block.0.contains(says), "{says}: {}", by_block.0);
            }
        }
    }
}

#[test]
fn b7_what_a_block_lacks_and_what_is_wrong_with_it_is_said_and_nothing_changes() {
    let two = block(&record(2), 2).text();
    let four = block(&record(4), 4).text();
    let other = block(&record(2).replace("Ada Quill", "Ada Quilt"), 2).text();
    let cut = two.split("-----END").next().expect("a beginning").to_owned();
    let changed = two.replacen('A', "B", 3);
    let elsewhere = block(&record(2).replace("mail01", "mail99"), 2).text();
    let renamed = block(&record(2).replace("mail01", "mail99"), 2).text().replace("mail99", "mail01");
    for (text, says) in [
        (four, "it brings entry 4, and entries 2 to 3 are missing here"),
        (other, "what comes before differs from the record here"),
        (cut, "its block of entries 2-2 cannot be read: its last line is missing or changed"),
        (changed, "its block of entries 2-2 cannot be read: it was changed on the way"),
        (elsewhere, "of a game that is not here; ask for its record"),
        (renamed, "what comes before differs from the record here"),
        (
            "-----BEGIN PBEM ENTRIES nothing-----\n".to_owned(),
            "a block of entries in it cannot be read: its first line",
        ),
    ] {
        let session = bram(1);
        let done = receive(&session, &["--strict"], plain(&text).as_bytes());
        assert!(done.err.contains("refused: ") && done.err.contains(says), "{says}: {}", said(&done));
        assert_eq!((session.read(GAME_FILE), done.code, done.out.as_str()), (record(1), 1, ""), "{says}");
    }
    // A damaged copy of what is here, as in a shortened quotation, keeps nothing from being read.
    let session = bram(2);
    let done = receive(
        &session,
        &["--strict"],
        plain(&each(&two.replacen('A', "B", 3), |line| format!("> {line}"))).as_bytes(),
    );
    assert!(!said(&done).contains("refused"), "{}", said(&done));
}

#[test]
fn b7_several_blocks_are_taken_in_their_order_and_quoted_ones_do_no_harm() {
    let (two, three, four) = (block(&record(2), 2).text(), block(&record(3), 3).text(), block(&record(4), 4).text());
    let session = bram(3);
    let quoted = each(&format!("{three}\n{two}"), |line| format!("> {line}"));
    let done = receive(&session, &[], plain(&format!("{four}\nBram wrote:\n{quoted}")).as_bytes());
    assert!(done.out.contains("accepted: 4 besiegers") && done.err.is_empty(), "{}", said(&done));
    assert_eq!(session.read(GAME_FILE), record(4));
    // A reply to an open game, which quotes the block that it answers.
    let session = bram(3);
    let reply = format!(
        "In-Reply-To: <{ID}.3.{}@postrider.invalid>\n{}",
        &HEXLOWER.encode(&digest(&record(3)))[..16],
        plain(&format!("e4-e5\n\nOn Sunday Bram wrote:\n{}", each(&three, |line| format!("> {line}"))))
    );
    let done = receive(&session, &[], reply.as_bytes());
    assert!(done.out.contains("entered for the besiegers: 4 besiegers e4-e5"), "{}", said(&done));
}

fn digest(record: &str) -> [u8; 32] {
    *Desk::open(record.as_bytes()).unwrap_or_else(|_| panic!("a record")).digests.last().expect("a digest")
}

#[test]
fn b7_a_saved_text_without_a_header_is_taken_if_its_entries_are_signed_by_a_known_key() {
    let session = bram(1);
    let done = receive(&session, &[], block(&record(2), 2).text().as_bytes());
    assert!(done.err.contains("refused: ") && session.read(GAME_FILE) == record(1), "{}", said(&done));
    let signed = signing::signed(
        &(HEADER.replace("ada@example.org", &format!("ada@example.org, key: {}", signing::ada().public().text()))
            + &GAME[..4].concat()),
        |side| (side == "besiegers").then(signing::ada),
    );
    let until =
        |number: usize| signed[..signed.find(&format!("\n{number} ")).map_or(signed.len(), |at| at + 1)].to_owned();
    session.write(GAME_FILE, until(4));
    let done = receive(&session, &[], format!("Hello\n\n{}", block(&until(5), 4).text()).as_bytes());
    assert!(done.out.contains("accepted: 4 besiegers"), "{}", said(&done));
    assert_eq!(session.read(GAME_FILE), signed);
}

#[test]
fn b1_the_place_is_found_in_a_record_of_another_spelling() {
    // The huff follows from the move, and is written out in canonical spelling.
    let short = record(4).replace("c6-d6; huff d6", "c6-d6");
    let canonical = record(4);
    let one = block(&canonical, 4);
    assert_eq!(block(&short, 4), one);
    let until_three = short.split_once("4 besiegers").expect("the entry").0;
    let joined = one.continued(until_three.as_bytes()).expect("it continues");
    assert_eq!(String::from_utf8(joined).expect("text"), short);
    assert_eq!(one.continued(record(2).as_bytes()), Err(Gap::Missing { have: 2 }));
    assert_eq!(one.continued(record(3).replace("the gate!", "x").as_bytes()), Err(Gap::Parted));
    assert_eq!(one.continued(b"---\n"), Err(Gap::Here));
    let crlf = record(3).replace('\n', "\r\n");
    assert!(one.continued(crlf.as_bytes()).is_ok());
    assert_eq!(find(&one.text().replace("-----END", "-----ENDS")).damaged[0].fault, Fault::End);
}

#[test]
fn b1_send_writes_a_block_instead_of_an_attachment_and_receive_takes_it() {
    let ada = Session::new();
    ada.write(
        "home/settings.yaml",
        "name: Ada Quill\nemail: ada@example.org\ngames: ../games\nmail: {letter: block}\n",
    );
    ada.write(GAME_FILE, record(1));
    ada.run(&["move", GAME_FILE, "c4-c5", "--time", "2026-11-22T08:02:11Z", "--message", "the gate!"]).ok();
    for args in [
        &["send", "-n", GAME_FILE][..],
        &["send", "-n", "--block", GAME_FILE],
        &["send", "-n", "--letter", "block", GAME_FILE],
    ] {
        let letter = ada.run(args).ok();
        assert!(
            letter.contains("-----BEGIN PBEM ENTRIES asalto-20261121-mail01 2-2-----") && letter.len() < 6000,
            "{letter}"
        );
        assert!(!letter.contains("multipart") && !letter.contains(".pbem\""), "{letter}");
        let session = bram(1);
        let done = receive(&session, &[], letter.as_bytes());
        assert!(done.out.contains("accepted: 2 besiegers c4-c5"), "{}", said(&done));
        assert_eq!(session.read(GAME_FILE), record(2));
    }
    // Who has nothing yet gets the record.
    let fresh = Session::new();
    fresh.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    fresh.write(GAME_FILE, record(1));
    let letter = fresh.run(&["send", "-n", "--block", GAME_FILE]).ok();
    assert!(letter.contains("filename=\"asalto-20261121-mail01.pbem\"") && !letter.contains("BEGIN PBEM"), "{letter}");
}

#[test]
fn b1_whole_games_are_played_by_blocks_alone_at_their_two_homes() {
    let home = |name: &str, email: &str| {
        let session = Session::new();
        session.write(
            "home/settings.yaml",
            format!("name: {name}\nemail: {email}\ngames: ../games\nmail: {{letter: block}}\n"),
        );
        session.write(GAME_FILE, record(1));
        session
    };
    let (ada, bram) = (home("Ada Quill", "ada@example.org"), home("Bram Post", "bram@example.net"));
    for (nth, line) in GAME.iter().enumerate().skip(1) {
        let (mover, other) = if nth % 2 == 1 { (&ada, &bram) } else { (&bram, &ada) };
        let (actions, time) = line
            .trim_end()
            .split_once(' ')
            .and_then(|(_, rest)| rest.split_once(' '))
            .expect("a line")
            .1
            .split_once(" @")
            .expect("a time");
        mover.run(&["move", GAME_FILE, actions, "--time", &time[..20]]).ok();
        let letter = mover.run(&["send", "-n", GAME_FILE]).ok();
        // The opponent has made an entry by now.
        assert_eq!(letter.contains("BEGIN PBEM ENTRIES"), nth > 0, "{letter}");
        let done = receive(other, &["--strict"], each(&letter, str::to_owned).as_bytes());
        assert!(done.code == 0 && done.out.contains("accepted"), "{}", said(&done));
        assert_eq!(ada.read(GAME_FILE), bram.read(GAME_FILE));
    }
}
