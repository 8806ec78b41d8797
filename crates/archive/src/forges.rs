//! The forms in which forges and build servers read verdicts: commands of GitHub's workflows, JUnit's XML, SARIF 2.1.0.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Cursor, Read, Seek as _, SeekFrom, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::SpooledTempFile;

use postrider_board::report::verdict::{Fault, Report};
use postrider_kernel::text::names::path_bytes;
use postrider_kernel::text::printable;
use postrider_referee::rulebook;

/// A form that is a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Commands of a GitHub workflow, which marks the lines.
    Github,
    /// JUnit's XML, a test case per record.
    Junit,
    /// SARIF 2.1.0, a result per fault.
    Sarif,
}

/// What is said of each record in one of the forms that are documents, and what stands at their ends. May be asked side by side.
#[derive(Debug)]
pub struct Pieces {
    form: Form,
    records: AtomicU64,
    /// How many of them are illegal or malformed, and how many could not be judged.
    refused: AtomicU64,
    unjudged: AtomicU64,
    /// How many are legal, but not signed or stamped as was asked.
    unproven: AtomicU64,
    /// How long judging them took, in microseconds.
    took: AtomicU64,
    /// The rules that are broken, each with the rulebook it is looked for in first.
    broken: Mutex<BTreeSet<(&'static str, &'static str)>>,
}

impl Pieces {
    /// Begins a document.
    #[must_use]
    pub fn of(form: Form) -> Self {
        Self {
            form,
            records: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            unjudged: AtomicU64::new(0),
            unproven: AtomicU64::new(0),
            took: AtomicU64::new(0),
            broken: Mutex::default(),
        }
    }

    /// Returns what the document says of a record, and counts it. `archive`: the archive that holds it. The last `against` warnings say
    /// that a legal record is not as was asked. `took`: how long it took to judge.
    pub fn piece(&self, archive: Option<&str>, report: &Report<'_>, against: usize, took: Duration) -> String {
        self.took.fetch_add(took.as_micros().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
        self.records.fetch_add(1, Ordering::Relaxed);
        match report.verdict {
            "legal" if against == 0 => {}
            "legal" => _ = self.unproven.fetch_add(1, Ordering::Relaxed),
            "unjudged" => _ = self.unjudged.fetch_add(1, Ordering::Relaxed),
            _ => _ = self.refused.fetch_add(1, Ordering::Relaxed),
        }
        match self.form {
            Form::Junit => junit(archive, report, against, took),
            Form::Sarif => {
                let rules = report.errors.iter().filter_map(|fault| fault.rule);
                let rules = rules.map(|rule| (report.game.unwrap_or_default(), rule));
                self.broken.lock().unwrap_or_else(PoisonError::into_inner).extend(rules);
                sarif(archive, report, against)
            }
            Form::Github => github(archive, report, against),
        }
    }

    /// Returns what stands before the pieces and behind them, once all of them are there, and how many bytes of the first piece are left
    /// out: of results that are separated by commas each begins with one.
    #[must_use]
    fn frame(self) -> (String, String, usize) {
        let [records, refused, unjudged, unproven] =
            [&self.records, &self.refused, &self.unjudged, &self.unproven].map(|count| count.load(Ordering::Relaxed));
        match self.form {
            Form::Junit => (
                format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"postrider verify\" \
                     tests=\"{records}\" failures=\"{}\" errors=\"{unjudged}\" time=\"{:.6}\">\n",
                    refused + unproven,
                    Duration::from_micros(self.took.into_inner()).as_secs_f64()
                ),
                "</testsuite>\n</testsuites>\n".to_owned(),
                0,
            ),
            Form::Sarif => {
                let broken = self.broken.into_inner().unwrap_or_else(PoisonError::into_inner);
                let head = "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[\
                            {\"columnKind\":\"unicodeCodePoints\",\"results\":[\n";
                let ended = json!([{ "executionSuccessful": unjudged == 0 }]);
                let end = format!("],\n\"tool\":{{\"driver\":{}}},\"invocations\":{ended}}}]}}\n", driver(&broken));
                (head.to_owned(), end, 1)
            }
            Form::Github => {
                let legal = records.saturating_sub(refused + unjudged);
                let command = if refused + unjudged + unproven > 0 { "error" } else { "notice" };
                let noun = if records == 1 { "record" } else { "records" };
                let mut what = format!("{records} {noun}: {legal} legal, {refused} refused, {unjudged} not judged");
                if unproven > 0 {
                    let _ = write!(what, "; {unproven} of the legal ones not as was asked");
                }
                (String::new(), format!("::{command} title=postrider::{what}\n"), 0)
            }
        }
    }
}

/// What is named as the file of what came through standard input where there has to be one.
const STDIN: &str = "stdin";

/// The file that a place is in, as forges know it, and the path within it if it is an archive. What came through standard input is in none.
fn file<'a>(archive: Option<&'a str>, report: &'a Report<'_>) -> (Option<String>, Option<&'a str>) {
    let named = |file: &&str| *file != "-";
    match archive {
        Some(archive) => (Some(archive).filter(named).map(below), report.path),
        None => (report.path.filter(named).map(below), None),
    }
}

/// A path below the folder in which a forge works, with slashes and without a dot at its beginning.
fn below(path: &str) -> String {
    let path: String = path.chars().map(|c| if std::path::is_separator(c) { '/' } else { c }).collect();
    let mut short = path.as_str();
    while let Some(rest) = short.strip_prefix("./").filter(|rest| !rest.is_empty()) {
        short = rest.trim_start_matches('/');
    }
    short.to_owned()
}

/// What is said of a record apart from its faults: each warning, and whether it says that the record is not as was asked.
fn warnings<'a>(report: &'a Report<'_>, against: usize) -> impl Iterator<Item = (&'a str, bool)> {
    let first = report.warnings.len().saturating_sub(against);
    report.warnings.iter().enumerate().map(move |(at, warning)| (warning.as_str(), at >= first))
}

/// The code of a warning, and of one that counts against the record.
const CODES: [&str; 2] = ["warning", "unproven"];

/// What is said of a fault or a warning; within an archive, behind the path and the place there.
fn said(within: Option<&str>, fault: Option<&Fault>, text: &str) -> String {
    let text = printable(text);
    let place = fault.and_then(|fault| fault.line.zip(fault.column));
    let place = place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    within.map_or_else(|| text.to_string(), |within| format!("{}{place}: {text}", printable(within)))
}

/// The rule that is broken, or the verdict.
fn what<'a>(report: &Report<'a>, fault: &Fault) -> &'a str {
    fault.rule.unwrap_or(report.verdict)
}

/// Formats commands of a GitHub workflow. What a stranger wrote cannot end one or begin another.
fn github(archive: Option<&str>, report: &Report<'_>, against: usize) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(&printable(text)).replace(':', "%3A").replace(',', "%2C");
    let (file, within) = file(archive, report);
    let mut text = String::new();
    for fault in &report.errors {
        let mut place = file.as_deref().map(|file| format!("file={},", property(file))).unwrap_or_default();
        // A line within an archive is no line of its file.
        for (name, number) in [("line", fault.line), ("col", fault.column)] {
            if let Some(number) = number.filter(|_| archive.is_none() && file.is_some()) {
                place.push_str(&format!("{name}={number},"));
            }
        }
        let (title, message) = (property(what(report, fault)), data(&said(within, Some(fault), &fault.message)));
        let _ = writeln!(text, "::error {place}title={title}::{message}");
    }
    for (warning, is_against) in warnings(report, against) {
        let place = file.as_deref().map(|file| format!("file={},", property(file))).unwrap_or_default();
        let (command, code) = if is_against { ("error", CODES[1]) } else { ("warning", CODES[0]) };
        let _ = writeln!(text, "::{command} {place}title={code}::{}", data(&said(within, None, warning)));
    }
    text
}

/// Formats a test case of JUnit's XML.
fn junit(archive: Option<&str>, report: &Report<'_>, against: usize, took: Duration) -> String {
    let escaped = |text: &str| {
        // XML allows hardly any control characters, not even as numbers.
        let text = printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        text.replace('"', "&quot;").replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
    };
    let (file, within) = file(archive, report);
    let name = [file.as_deref(), within].into_iter().flatten().collect::<Vec<_>>().join(":");
    let name = if name.is_empty() { report.path.unwrap_or("postrider verify") } else { &name };
    let game = report.game.unwrap_or("postrider");
    let mut text =
        format!("<testcase classname=\"{game}\" name=\"{}\" time=\"{:.6}\">", escaped(name), took.as_secs_f64());
    // One element a case: readers count cases that failed, not faults.
    if let Some(first) = report.errors.first() {
        let element = if report.verdict == "unjudged" { "error" } else { "failure" };
        let lines = report.errors.iter().map(|fault| {
            let place =
                fault.line.zip(fault.column).map(|(line, column)| format!("{line}:{column}: ")).unwrap_or_default();
            format!("{place}{}: {}", what(report, fault), escaped(&fault.message))
        });
        let (rule, message) = (what(report, first), escaped(&first.message));
        let _ = write!(
            text,
            "<{element} type=\"{rule}\" message=\"{message}\">{}</{element}>",
            lines.collect::<Vec<_>>().join("\n")
        );
    }
    let lines = |against_it: bool| {
        let some = warnings(report, against).filter(move |(_, is_against)| *is_against == against_it);
        some.map(|(warning, is_against)| format!("{}: {}", CODES[usize::from(is_against)], escaped(warning)))
    };
    let unproven: Vec<_> = lines(true).collect();
    if let Some(first) = unproven.first() {
        let _ = write!(text, "<failure type=\"{}\" message=\"{first}\">{}</failure>", CODES[1], unproven.join("\n"));
    }
    let doubts: Vec<_> = lines(false).collect();
    if !doubts.is_empty() {
        let _ = write!(text, "<system-out>{}</system-out>", doubts.join("\n"));
    }
    text + "</testcase>\n"
}

/// Formats results of SARIF, each behind a comma.
fn sarif(archive: Option<&str>, report: &Report<'_>, against: usize) -> String {
    let (file, within) = file(archive, report);
    let location = |fault: Option<&Fault>| {
        // A result without a place is passed over by forges.
        let mut place = json!({ "artifactLocation": { "uri": uri(file.as_deref().unwrap_or(STDIN)) } });
        if let Some((line, column)) = fault.and_then(|fault| fault.line.zip(fault.column)).filter(|_| archive.is_none())
        {
            place["region"] = json!({ "startLine": line, "startColumn": column });
        }
        json!([{ "physicalLocation": place }])
    };
    let result = |rule: &str, level: &str, text: &str, fault: Option<&Fault>| {
        json!({
            "ruleId": rule,
            "level": level,
            "message": { "text": plain(&said(within, fault, text)) },
            "locations": location(fault),
        })
    };
    let faults = report.errors.iter().map(|fault| result(what(report, fault), "error", &fault.message, Some(fault)));
    let warnings = warnings(report, against).map(|(warning, is_against)| {
        result(CODES[usize::from(is_against)], if is_against { "error" } else { "warning" }, warning, None)
    });
    faults.chain(warnings).fold(String::new(), |text, result| format!("{text},{result}\n"))
}

/// Escapes what would be a placeholder or a link in a message of SARIF (3.11.5, 3.11.6).
fn plain(text: &str) -> String {
    let text = text.replace('{', "{{").replace('}', "}}");
    if text.contains("](") { text.replace('[', "\\[").replace(']', "\\]") } else { text }
}

/// A path as a reference of RFC 3986: relative, unless the path is absolute.
fn uri(path: &str) -> String {
    // Windows: `C:/games/a.pbem`.
    let has_drive = matches!(path.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic());
    let mut text = String::from(match path.starts_with('/') {
        true => "file://",
        false if has_drive => "file:///",
        false => "",
    });
    for (at, byte) in path_bytes(path).iter().copied().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => text.push(byte.into()),
            b':' if has_drive && at == 1 => text.push(':'),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

/// Describes the program and the rules that were broken, each with its text.
fn driver(broken: &BTreeSet<(&'static str, &'static str)>) -> Value {
    let mut ids = BTreeSet::new();
    let rules = broken.iter().filter(|(_, rule)| ids.insert(*rule)).map(|(game, rule)| {
        let own = rulebook::find(game).and_then(|book| book.section(rule));
        let section = own.or_else(|| rulebook::all().find_map(|book| book.section(rule))).unwrap_or_default();
        let (heading, text) = section.split_once('\n').unwrap_or((&section, ""));
        let (heading, text) = (heading.trim_start_matches(['#', ' ']), text.trim());
        let mut described = json!({ "id": rule });
        if !heading.is_empty() {
            described["shortDescription"] = json!({ "text": heading });
            described["help"] = json!({ "text": text, "markdown": text });
        }
        described
    });
    json!({ "name": "postrider", "version": env!("CARGO_PKG_VERSION"), "rules": rules.collect::<Vec<_>>() })
}

/// What stands between the head of a document, which may count, and its end. Of many records it is kept on the disk.
#[derive(Debug)]
pub struct Body(SpooledTempFile);

/// How much of a document is kept in memory.
const IN_MEMORY: usize = 8 << 20;

impl Body {
    /// Begins one.
    #[must_use]
    pub fn new() -> Self {
        Self(SpooledTempFile::new(IN_MEMORY))
    }

    /// Adds a piece.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn put(&mut self, piece: &str) -> io::Result<()> {
        self.0.write_all(piece.as_bytes())
    }

    /// Returns the document of these pieces, to be read once.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn document(mut self, pieces: Pieces) -> io::Result<impl Read> {
        let (head, end, skipped) = pieces.frame();
        self.0.seek(SeekFrom::Start(skipped as u64))?;
        Ok(Cursor::new(head).chain(self.0).chain(Cursor::new(end)))
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_references() {
        assert_eq!(below("././/games/a.pbem"), "games/a.pbem");
        assert_eq!(uri("games/a b:c#\u{e9}.pbem"), "games/a%20b%3Ac%23%C3%A9.pbem");
        // A byte that is no text is that byte.
        assert_eq!(uri("games/a\u{fffd}FF.pbem"), "games/a%FF.pbem");
        assert_eq!(uri("/games/100%.pbem"), "file:///games/100%25.pbem");
        assert_eq!(uri("C:/games/a.pbem"), "file:///C:/games/a.pbem");
    }

    #[test]
    fn a_message_of_sarif_has_no_placeholder_and_no_link() {
        assert_eq!(plain("{0} of [1]"), "{{0}} of [1]");
        assert_eq!(plain("[click](1)"), "\\[click\\](1)");
    }
}
