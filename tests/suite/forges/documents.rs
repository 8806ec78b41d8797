//! Documents for forges, read by what reads such documents: an XML reader, and a schema for SARIF.

use std::collections::BTreeSet;

use boon::{Compiler, Schemas};
use roxmltree::Document;
use serde_json::{Value, json};

use crate::repository::{HEADER, record};
use crate::session::{Done, Session};

/// Names and texts of a stranger who knows how the formats are written.
const NASTY: &str = "games/a,line=1::b]]>\"'<&{0}[x](1)%0A\n::stop-commands::z\u{1b}[31m\u{202e}.pbem";

/// A folder of records: legal, illegal, malformed in many places, of an unknown game, and with names of strangers.
fn folder() -> Session {
    let session = Session::new();
    session.write("games/a.pbem", record(3));
    session.write("games/b/illegal.pbem", record(2).replace("c4-c5", "c4-c3"));
    let faults = "x ]]><x>&\u{fffe}\u{7} {0} [y](2)%\n".repeat(30);
    session.write("games/b/r\u{e9}.pbem", record(2) + &faults);
    session.write("games/c.pbem", HEADER.replace("game: asalto", "game: another"));
    session.write(NASTY, record(2).replace("c4-c5", "c4-\u{a0}c5%0A::error::x"));
    session
}

fn verify(session: &Session, format: &str, paths: &[&str]) -> Done {
    session.run(&[&["verify", "--format", format], paths].concat())
}

/// The objects of `--json`, by path.
fn objects(session: &Session, path: &str) -> Vec<Value> {
    session.run(&["verify", "--json", path]).out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// As the formats show text of strangers.
fn shown(text: &str) -> String {
    text.replace('\n', "\\u{a}").replace('\u{1b}', "\\u{1b}").replace('\u{202e}', "\\u{202e}")
}

#[test]
fn json_and_text_are_what_they_were_and_the_exit_code_is_the_same_in_every_format() {
    let session = folder();
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    let lines = session.run(&["unpack", "games.jsonl.zst", "--list"]).ok();
    assert_eq!(lines.lines().count(), 5);
    for path in ["games", "games/a.pbem", "games/b", "nowhere", "games.jsonl.zst"] {
        let plain = session.run(&["verify", path]);
        let json = session.run(&["verify", "--json", path]);
        assert_eq!(verify(&session, "text", &[path]).out, plain.out, "{path}");
        assert_eq!(verify(&session, "json", &[path]).out, json.out, "{path}");
        for format in ["text", "json", "github", "junit", "sarif"] {
            assert_eq!(verify(&session, format, &[path]).code, plain.code, "{format} {path}");
        }
    }
    // A failure is an object too, by either name.
    let failed = session.run(&["verify", "--json", "gone.jsonl"]);
    assert_eq!((failed.code, failed.err.as_str()), (2, ""));
    assert_eq!(verify(&session, "json", &["gone.jsonl"]).out, failed.out);
    for words in [&["--json", "--format", "json"][..], &["-q", "--format", "junit"], &["-v", "--format", "sarif"]] {
        assert_eq!(session.run(&[&["verify", "games"], words].concat()).code, 2, "{words:?}");
    }
}

/// What is known of a fault: its path, line, column and message.
type Place = (String, u64, u64, String);

/// The faults that `--json` names.
fn faults(session: &Session) -> Vec<Place> {
    let mut all = Vec::new();
    for object in objects(session, "games") {
        for error in object["errors"].as_array().expect("errors") {
            let number = |name: &str| error[name].as_u64().unwrap_or(0);
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            all.push((text(&object["path"]), number("line"), number("column"), text(&error["message"])));
        }
    }
    assert!(all.len() > 20, "{all:?}");
    all
}

#[test]
fn github_shows_each_fault_at_its_place_and_runs_no_other_command() {
    let session = folder();
    let done = verify(&session, "github", &["./games"]);
    assert_eq!(done.code, 2);
    let mut lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines.pop(), Some("::error title=postrider::5 records: 1 legal, 3 refused, 1 not judged"));
    let plain = |text: &str| text.replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
    let mut read = Vec::new();
    for line in lines {
        // As a runner reads it: properties up to the first `::`, each up to a comma.
        let (properties, message) = line.strip_prefix("::error ").expect(line).split_once("::").expect(line);
        assert!(!properties.contains("::") && !message.contains(['\r', '\u{1b}', '\u{202e}']), "{line}");
        let property = |name: &str| {
            let found = properties.split(',').find_map(|one| one.strip_prefix(name)?.strip_prefix('='));
            found.map(plain)
        };
        let number = |name: &str| property(name).map_or(0, |text| text.parse().expect("a number"));
        assert!(property("title").is_some(), "{line}");
        read.push((property("file").expect("a file"), number("line"), number("col"), plain(message)));
    }
    let mut faults = faults(&session);
    for fault in &mut faults {
        fault.0 = shown(&fault.0);
    }
    assert_eq!(read, faults);
    assert!(read.iter().any(|one| one.0 == shown(NASTY)), "{read:?}");
}

#[test]
fn junit_has_one_test_case_for_each_record() {
    let session = folder();
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    let text = session.run(&["verify", "games"]).out;
    for (path, before) in [("games", ""), ("games.jsonl.zst", "games.jsonl.zst:")] {
        let done = verify(&session, "junit", &[path]);
        assert_eq!(done.code, 2);
        let document = Document::parse(&done.out).expect("XML");
        let root = document.root_element();
        let suite = root.first_element_child().expect("a suite");
        let count = |name: &str| suite.attribute(name).expect(name).parse::<usize>().expect("a number");
        assert_eq!((count("tests"), count("failures"), count("errors")), (5, 3, 1));
        let cases: Vec<_> = suite.children().filter(|node| node.is_element()).collect();
        let names: Vec<_> = cases.iter().map(|case| case.attribute("name").expect("a name").to_owned()).collect();
        let paths = objects(&session, "games");
        let paths = paths.iter().map(|object| before.to_owned() + &shown(object["path"].as_str().expect("a path")));
        assert_eq!(names, paths.collect::<Vec<_>>());
        let mut said = String::new();
        for case in cases {
            assert!(case.has_tag_name("testcase") && case.attribute("classname").is_some());
            let name = case.attribute("name").expect("a name");
            for child in case.children().filter(|node| node.is_element()) {
                let is_error = child.attribute("type") == Some("unjudged") || child.attribute("type") == Some("E6");
                assert_eq!(child.tag_name().name(), if is_error { "error" } else { "failure" });
                assert!(child.attribute("message").is_some_and(|message| message.len() > 10));
                for line in child.text().expect("the faults").lines() {
                    said.push_str(&format!("{name}:{line}\n"));
                }
            }
        }
        // The faults are told in the words of `text`.
        for line in text.lines().filter(|line| !line.contains(": legal,") && !line.contains("more fault")) {
            assert!(said.contains(&(before.to_owned() + line + "\n")), "{line}\n{said}");
        }
    }
}

/// What the standard requires of the members that are written here, and no other members.
fn sarif_schema() -> Value {
    let object = |required: &[&str], properties: Value| {
        json!({
            "type": "object", "additionalProperties": false, "required": required, "properties": properties,
        })
    };
    let text = json!({ "type": "string", "minLength": 1 });
    let number = json!({ "type": "integer", "minimum": 1 });
    let message = object(&["text"], json!({ "text": text, "markdown": text }));
    let level = json!({ "enum": ["none", "note", "warning", "error"] });
    let list = |items: Value| json!({ "type": "array", "items": items });
    let region = object(&["startLine", "startColumn"], json!({ "startLine": number, "startColumn": number }));
    let uri = json!({ "type": "string", "format": "uri-reference", "pattern": "^[A-Za-z0-9._~/%:-]+$" });
    let physical = object(
        &["artifactLocation"],
        json!({ "artifactLocation": object(&["uri"], json!({ "uri": uri })), "region": region }),
    );
    let logical = object(&["fullyQualifiedName"], json!({ "fullyQualifiedName": text }));
    let location =
        object(&["physicalLocation"], json!({ "physicalLocation": physical, "logicalLocations": list(logical) }));
    let result = object(
        &["ruleId", "level", "message", "locations"],
        json!({
            "ruleId": text, "level": level, "message": message, "locations": list(location),
            "properties": object(&["entry"], json!({ "entry": number })),
        }),
    );
    let rule = object(
        &["id", "shortDescription", "help"],
        json!({
            "id": text, "shortDescription": message, "help": message,
        }),
    );
    let driver = object(
        &["name", "version", "rules"],
        json!({ "name": text, "version": text, "semanticVersion": text, "rules": list(rule) }),
    );
    let ended = object(&["executionSuccessful"], json!({ "executionSuccessful": { "type": "boolean" } }));
    let run = object(
        &["tool", "results"],
        json!({
            "columnKind": { "const": "unicodeCodePoints" }, "tool": object(&["driver"], json!({ "driver": driver })),
            "results": list(result), "invocations": list(ended),
        }),
    );
    let runs = json!({ "type": "array", "items": run, "minItems": 1, "maxItems": 1 });
    object(&["version", "runs"], json!({ "$schema": text, "version": { "const": "2.1.0" }, "runs": runs }))
}

/// Reads a document of SARIF, and returns its only run.
fn sarif(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let mut compiler = Compiler::new();
    compiler.enable_format_assertions();
    compiler.add_resource("urn:sarif", sarif_schema()).expect("a schema");
    let mut schemas = Schemas::new();
    let schema = compiler.compile("urn:sarif", &mut schemas).expect("a schema");
    if let Err(error) = schemas.validate(&document, schema) {
        panic!("{error:#}\n{text}");
    }
    let run = document["runs"][0].clone();
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let defined: BTreeSet<_> = rules.iter().map(|rule| rule["id"].as_str().expect("an id").to_owned()).collect();
    let results = run["results"].as_array().expect("results");
    let used: BTreeSet<_> = results.iter().map(|one| one["ruleId"].as_str().expect("an id").to_owned()).collect();
    let is_rule = |id: &String| id.starts_with(|c: char| c.is_ascii_uppercase());
    let used: BTreeSet<_> = used.into_iter().filter(is_rule).collect();
    assert_eq!((defined.len(), &defined), (rules.len(), &used), "each rule that is named is defined, once");
    run
}

#[test]
fn sarif_has_each_fault_at_its_place_with_the_text_of_its_rule() {
    let session = folder();
    let done = verify(&session, "sarif", &["games"]);
    assert_eq!(done.code, 2);
    let run = sarif(&done.out);
    assert_eq!(run["invocations"], json!([{ "executionSuccessful": false }]));
    let mut read = Vec::new();
    for result in run["results"].as_array().expect("results") {
        let physical = &result["locations"][0]["physicalLocation"];
        let message = result["message"]["text"].as_str().expect("text");
        assert!(!message.contains("](1)"), "a link: {message}");
        let message = message.replace("{{", "{").replace("}}", "}");
        let uri = physical["artifactLocation"]["uri"].as_str().expect("a reference");
        let mut path = Vec::new();
        let mut bytes = uri.bytes();
        while let Some(byte) = bytes.next() {
            let digits: Vec<u8> = if byte == b'%' { bytes.by_ref().take(2).collect() } else { Vec::new() };
            let digits = String::from_utf8(digits).expect("digits");
            path.push(if byte == b'%' { u8::from_str_radix(&digits, 16).expect("digits") } else { byte });
        }
        let number = |name: &str| physical["region"][name].as_u64().unwrap_or(0);
        let message = message.replace("\\[", "[").replace("\\]", "]");
        read.push((String::from_utf8(path).expect("UTF-8"), number("startLine"), number("startColumn"), message));
    }
    assert_eq!(read, faults(&session));
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let rule = rules.iter().find(|rule| rule["id"] == "T20").or_else(|| rules.first()).expect("a rule");
    assert!(rule["help"]["markdown"].as_str().is_some_and(|text| text.len() > 30), "{rule}");
    // All is well: a document without results. Nothing to read: one as well.
    let run = sarif(&verify(&session, "sarif", &["games/a.pbem"]).ok());
    assert_eq!((&run["results"], &run["invocations"][0]["executionSuccessful"]), (&json!([]), &json!(true)));
}

#[test]
fn a_record_that_is_not_signed_as_asked_fails_in_every_format() {
    let session = folder();
    let trusted = |format: &str| session.run(&["verify", "--trusted", "--format", format, "games/a.pbem"]);
    for format in ["text", "json", "github", "junit", "sarif"] {
        assert_eq!(trusted(format).code, 3, "{format}");
    }
    assert!(trusted("github").out.starts_with("::error file=games/a.pbem,title=unproven::"));
    let junit = trusted("junit").out;
    let document = Document::parse(&junit).expect("XML");
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).expect("a failure");
    assert_eq!(failure.attribute("type"), Some("unproven"));
    let run = sarif(&trusted("sarif").out);
    assert_eq!((&run["results"][0]["level"], &run["results"][0]["ruleId"]), (&"error".into(), &"unproven".into()));
    // A warning that counts against nobody is one.
    session.write("game.pbem", record(2) + "# receipt besiegers 1 nothing\n");
    let said = verify(&session, "github", &["game.pbem"]).ok();
    assert!(said.starts_with("::warning file=game.pbem,title=warning::"), "{said}");
    let junit = verify(&session, "junit", &["game.pbem"]).ok();
    let document = Document::parse(&junit).expect("XML");
    let said = document.descendants().find(|node| node.has_tag_name("system-out")).expect("what is said");
    assert!(said.text().is_some_and(|text| text.starts_with("warning: ")), "{junit}");
    let run = sarif(&verify(&session, "sarif", &["game.pbem"]).ok());
    assert_eq!((&run["results"][0]["level"], &run["results"][0]["ruleId"]), (&"warning".into(), &"warning".into()));
}

#[test]
fn a_document_is_whole_when_an_archive_is_damaged_or_missing() {
    let session = folder();
    session.run(&["pack", "games", "-o", "games.jsonl.zst"]).ok();
    let bytes = std::fs::read(session.path("games.jsonl.zst")).expect("an archive");
    session.write("cut.jsonl.zst", &bytes[..bytes.len() / 2]);
    for (paths, cases) in [(&["cut.jsonl.zst"][..], 1), (&["games.jsonl.zst", "gone.jsonl"], 6), (&["nowhere"], 1)] {
        let done = verify(&session, "junit", paths);
        assert_eq!(done.code, 2, "{paths:?}");
        let document = Document::parse(&done.out).expect("XML");
        assert_eq!(document.descendants().filter(|node| node.has_tag_name("testcase")).count(), cases, "{paths:?}");
        let last = document.descendants().rfind(|node| node.has_tag_name("error")).expect("an error");
        assert_eq!(last.attribute("type"), Some("unjudged"));
        let run = sarif(&verify(&session, "sarif", paths).out);
        assert_eq!(run["invocations"][0], json!({ "executionSuccessful": false }), "{paths:?}");
        let commands = verify(&session, "github", paths).out;
        assert!(commands.lines().rev().nth(1).is_some_and(|line| line.starts_with("::error ")), "{commands}");
    }
}

#[test]
fn a_document_with_very_many_records_begins_with_their_number() {
    let session = folder();
    // More than is kept in memory.
    let refused = record(2).replace("c4-c5", "c4-c3");
    let line =
        |number: usize| json!({ "path": format!("{}/{number}.pbem", "x".repeat(1600)), "record": refused }).to_string();
    let lines: String = (0..6000).map(|number| line(number) + "\n").collect();
    session.write("many.jsonl", lines);
    let done = verify(&session, "junit", &["many.jsonl"]);
    assert_eq!(done.code, 1);
    assert!(done.out.len() > 8 << 20);
    let document = Document::parse(&done.out).expect("XML");
    assert_eq!(
        document.root_element().first_element_child().and_then(|suite| suite.attribute("failures")),
        Some("6000")
    );
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("failure")).count(), 6000);
}

#[test]
fn what_is_refused_outweighs_a_key_that_is_not_trusted_in_an_archive_too() {
    let session = folder();
    session.run(&["pack", "games/a.pbem", "games/b", "-o", "games.jsonl.zst"]).ok();
    for paths in [&["games/a.pbem", "games/b"][..], &["games.jsonl.zst"]] {
        assert_eq!(session.run(&[&["verify", "--trusted"], paths].concat()).code, 1, "{paths:?}");
    }
}
