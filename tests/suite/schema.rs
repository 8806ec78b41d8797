//! Checks JSON output against `notation/schema/postrider.json`.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use boon::{Compiler, Schemas};
use serde_json::Value;

use crate::session::Session;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/notation/schema/postrider.json");
const ASALTO: &str = "---\npbem: 1\ngame: asalto\nid: asalto-session\nplayers:\n  besiegers: {name: Ada Quill, email: ada@example.org}\n  \
     defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\nclock: 5d\n---\n\
     1 defenders place c6 e6 @2026-11-20T10:15:00Z\n2 besiegers c4-c5 @2026-11-20T11:00:00Z {the gate!}\n";

fn schema() -> Value {
    serde_json::from_str(&fs::read_to_string(FILE).expect("the schema")).expect("JSON")
}

/// Checks each line against the definition with this name, and returns the lines.
fn fits(name: &str, text: &str) -> Vec<Value> {
    let mut compiler = Compiler::new();
    compiler.add_resource("urn:postrider:json", schema()).expect("a schema");
    let mut schemas = Schemas::new();
    let definition =
        compiler.compile(&format!("urn:postrider:json#/$defs/{name}"), &mut schemas).expect("a definition");
    assert!(!text.is_empty(), "{name} says something");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for line in &lines {
        if let Err(error) = schemas.validate(line, definition) {
            panic!("{name}: {error:#}\n{line:#}");
        }
    }
    lines
}

/// A folder with a game in it, and copies of the examples.
fn session() -> Session {
    let session = Session::new();
    session.write("game.pbem", ASALTO);
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    for path in
        ["assassyn/sealed-game.pbem", "asalto/refused-never-backwards.pbem", "subsume/a-city-built-and-lost.pbem"]
    {
        let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(path)).expect("an example");
        session.write(path.rsplit('/').next().expect("a name"), text);
    }
    session
}

#[test]
fn every_command_says_what_the_schema_says() {
    let session = session();
    let ok = |name: &str, args: &[&str]| fits(name, &session.run(args).ok());
    let games = ok("games", &["games", "--json"]);
    assert_eq!(games.len(), 5);
    ok("rules", &["rules", "--json"]);
    let rule = ok("rules", &["rules", "asalto", "T21", "--json"]);
    assert_eq!(rule[0]["rules"][0]["rule"], "T21");
    assert!(rule[0]["text"].as_str().is_some_and(|text| text.contains("T21")));

    let shown = ok("show", &["show", "--json", "game.pbem"]);
    assert_eq!((&shown[0]["due"], &shown[0]["entry"]), (&"defenders".into(), &3.into()));
    assert_eq!(shown[0]["last"], "2 besiegers c4-c5 @2026-11-20T11:00:00Z {the gate!}");
    assert_eq!(shown[0]["players"]["besiegers"]["name"], "Ada Quill");
    let over = ok("show", &["show", "--json", "a-city-built-and-lost.pbem"]);
    assert_eq!((&over[0]["due"], &over[0]["entry"]), (&Value::Null, &Value::Null));
    let refused = session.run(&["show", "--json", "refused-never-backwards.pbem"]);
    assert_eq!((refused.code, refused.err.as_str()), (1, ""));
    assert_eq!(fits("show", &refused.out)[0]["errors"][0]["rule"], "T21");

    let moves = ok("moves", &["moves", "--json", "game.pbem"]);
    let listed = session.run(&["moves", "game.pbem"]).ok();
    assert_eq!(moves[0]["moves"].as_array().map(Vec::len), Some(listed.lines().count()));
    ok("moves", &["moves", "--json", "--game", "subsume"]);
    ok("moves", &["moves", "--json", "game.pbem", "c6-d6"]);
    ok("moves", &["moves", "--json", "a-city-built-and-lost.pbem"]);

    let replayed = ok("replay", &["replay", "--json", "game.pbem"]);
    assert_eq!(replayed[0]["positions"].as_array().map(Vec::len), Some(3), "the start and two entries");
    ok("audit", &["audit", "--json", "sealed-game.pbem"]);
    ok("evidence", &["evidence", "--json", "game.pbem", "game.pbem"]);
    ok("verify", &["verify", "--json", "game.pbem", "sealed-game.pbem"]);
    ok("clock", &["clock", "--json", "game.pbem"]);

    let begun =
        ok("new", &["new", "assassyn", "--player", "white=Ada", "--player", "black=Bram", "-o", "new.pbem", "--json"]);
    assert_eq!((&begun[0]["path"], &begun[0]["game"]), (&"new.pbem".into(), &"assassyn".into()));
    let tried = ok("move", &["move", "-n", "--json", "game.pbem", "c6-d6"]);
    assert_eq!((&tried[0]["written"], &tried[0]["sent"]), (&false.into(), &Value::Null));
    let made = ok("move", &["move", "--json", "game.pbem", "c6-d6", "--send"]);
    assert_eq!((&made[0]["number"], &made[0]["due"]), (&3.into(), &"besiegers".into()));
    assert_eq!((&made[0]["sent"]["letter"], &made[0]["sent"]["to"]), (&"sent".into(), &"ada@example.org".into()));
    let again = ok("send", &["send", "--json", "game.pbem"]);
    assert_eq!(again[0]["sent"]["letter"], "already sent");
}

/// Names that mean one thing, and have one definition each.
const ONE_THING: [&str; 14] = [
    "path", "game", "id", "entries", "due", "result", "offer", "verdict", "position", "rule", "title", "last", "left",
    "players",
];

#[test]
fn a_name_means_one_thing_in_all_of_them() {
    let schema = schema();
    let mut seen = BTreeSet::new();
    walk(&schema, &mut |name, value| {
        if ONE_THING.contains(&name) {
            let inner = name == "left" && value["type"] == serde_json::json!(["integer", "null"]);
            assert!(inner || value["$ref"] == format!("#/$defs/{name}"), "{name}: {value}");
            seen.insert(name.to_owned());
        }
    });
    assert_eq!(seen.len(), ONE_THING.len(), "{seen:?}");
}

/// Calls `each` with every property that is defined anywhere in a schema.
fn walk(value: &Value, each: &mut impl FnMut(&str, &Value)) {
    if let Some(properties) = value.get("properties").and_then(Value::as_object) {
        properties.iter().for_each(|(name, value)| each(name, value));
    }
    match value {
        Value::Object(members) => members.values().for_each(|value| walk(value, each)),
        Value::Array(items) => items.iter().for_each(|value| walk(value, each)),
        _ => {}
    }
}
