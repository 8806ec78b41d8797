use serde_json::{Value, json};

use super::call;

fn asked(request: &Value) -> Value {
    serde_json::from_str(&call(&request.to_string())).expect("JSON")
}

const RECORD: &str = "---\npbem: 1\ngame: asalto\nid: asalto-example\nplayers:\n  besiegers: {name: Ada, email: ada@example.org}\n  \
    defenders: {name: Bram, email: bram@example.net}\nstarted: 2026-11-21\n---\n1 defenders place c6 e6\n";

#[test]
fn requests_that_cannot_be_read_are_answered_with_an_error() {
    for request in
        ["", "{", "{}", "[]", "{\"call\":\"dance\"}", "{\"call\":\"open\"}", "{\"call\":\"about\",\"more\":1}", "null"]
    {
        let answer: Value = serde_json::from_str(&call(request)).expect("JSON");
        let about = request.contains("about");
        assert!(answer["error"].is_string() || about, "{request}: {answer}");
    }
    let both = asked(&json!({ "call": "verify", "record": "", "base64": "" }));
    assert!(both["error"].is_string());
}

#[test]
fn every_game_is_listed_with_its_options() {
    let answer = asked(&json!({ "call": "about" }));
    assert_eq!(answer["games"].as_array().map(Vec::len), Some(crate::registry::GAMES.len()));
    assert!(answer["games"].as_array().into_iter().flatten().all(|game| game["options"].is_array()));
}

#[test]
fn a_position_that_is_typed_is_written_canonically() {
    let begun = |setup: &str| {
        asked(&json!({
            "call": "begin", "game": "assassyn", "id": "a-game-here", "started": "2026-11-22", "setup": setup,
            "players": { "white": { "name": "Ada" }, "black": { "name": "Bram" } }, "options": {},
        }))
    };
    let record = begun(" white Lc1 Pa1; black Sb3 Pf6; to play white ");
    let record = record["record"].as_str().expect("a record");
    assert!(record.contains("\nsetup: \"white Pa1 Lc1; black Pf6 Sb3; to play white\"\n"), "{record}");
    let refused = begun("white Pa1 Pb1; black Pf6; to play white");
    assert!(refused["refused"]["message"].as_str().is_some_and(|told| told.contains("no more pieces")), "{refused}");
}

#[test]
fn an_entry_is_judged_appended_and_answered_by_mail() {
    let judged = asked(&json!({ "call": "judge", "record": RECORD, "typed": "b4-b3" }));
    assert_eq!(judged["refused"]["rule"], "T21");
    assert!(judged["refused"]["text"].as_str().is_some_and(|text| text.starts_with("### T21")), "{judged}");
    let added = asked(&json!({ "call": "append", "record": RECORD, "typed": "C4-C5", "message": "hello" }));
    assert_eq!(added["line"], "2 besiegers c4-c5 {hello}");
    assert_eq!(added["reply"]["to"], "bram@example.net");
    let record = added["record"].as_str().expect("a record");
    assert!(record.starts_with(RECORD));
    let verdict = asked(&json!({ "call": "verify", "record": record }));
    assert_eq!((&verdict["report"]["verdict"], &verdict["report"]["entries"]), (&json!("legal"), &json!(2)));
    let open = asked(&json!({ "call": "open", "record": record }));
    assert_eq!((&open["playable"], &open["entries"][1]["message"]), (&json!(true), &json!("hello")));
}

#[test]
fn positions_have_pictures_words_and_places_to_tap() {
    let seen = asked(&json!({ "call": "position", "record": RECORD, "at": 0, "look": "classes" }));
    assert_eq!(seen["entry"], 0);
    assert!(
        seen["svg"]
            .as_str()
            .is_some_and(|svg| svg.starts_with("<svg") && !svg.contains("=\"#\"") && svg.contains("class=\"fa\"")),
        "{seen}"
    );
    assert!(seen["targets"].as_array().is_some_and(|list| list.len() == 49));
    let after = asked(&json!({ "call": "position", "record": RECORD, "begun": "c4-c5" }));
    assert!(after["words"].as_str().is_some_and(|words| words.contains("Last entry: from c4; to c5")), "{after}");
    assert!(asked(&json!({ "call": "position", "record": RECORD, "at": 2 }))["error"].is_string());
}

#[test]
fn every_game_can_be_begun_and_its_first_actions_are_listed() {
    for game in crate::registry::GAMES {
        let info = game.info();
        let [first, second] = info.sides.map(|side| side.word);
        let begun = asked(&json!({
            "call": "begin", "game": info.name, "id": "a-game-here", "started": "2026-11-22", "clock": "5d",
            "players": { first: { "name": "Ada: \"Q\" <b>" }, second: { "name": "Bram" } },
        }));
        let record = begun["record"].as_str().unwrap_or_else(|| panic!("{begun}"));
        let next = asked(&json!({ "call": "next", "record": record }));
        let actions = next["actions"].as_array().expect("actions");
        assert!(!actions.is_empty(), "{next}");
        for example in next["words"].as_object().into_iter().flatten().flat_map(|(_, list)| list.as_array()).flatten() {
            let judged = asked(&json!({ "call": "judge", "record": record, "typed": example }));
            assert!(judged["refused"].is_null(), "{judged}");
        }
    }
}
