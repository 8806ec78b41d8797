use serde_json::{Value, json};

use super::{call, told};

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
fn what_is_refused_is_told_in_the_words_of_the_referee() {
    let answer = asked(&json!({ "call": "judge", "record": RECORD, "typed": "c4-c5; draw?" }));
    assert_eq!(answer["refused"]["message"], "a draw cannot be offered before both sides have made an entry");
}

#[test]
fn a_page_is_told_in_the_words_of_players() {
    let ask = |request: Value| serde_json::from_str::<Value>(&told(&request.to_string())).expect("an answer");
    let answer = ask(json!({ "call": "judge", "record": RECORD, "typed": "c4-c5; draw?" }));
    assert_eq!(answer["refused"]["message"], "a draw cannot be offered before both sides have made a move");
    assert!(answer["refused"]["excerpt"].as_str().is_some_and(|text| text.contains("your entry")), "{answer}");
    let answer = ask(json!({ "call": "position", "record": RECORD, "at": 99 }));
    assert!(answer["error"].as_str().is_some_and(|text| text.contains("move") && !text.contains("entr")), "{answer}");
    // What is not refused is the same.
    let request = json!({ "call": "open", "record": RECORD });
    assert_eq!(ask(request.clone()), asked(&request));
}

#[test]
fn every_game_is_listed_with_its_options() {
    let answer = asked(&json!({ "call": "about" }));
    assert_eq!(answer["games"].as_array().map(Vec::len), Some(postrider_referee::registry::GAMES.len()));
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
    assert!(after["words"].as_str().is_some_and(|words| words.contains("Last move: from c4; to c5")), "{after}");
    assert!(asked(&json!({ "call": "position", "record": RECORD, "at": 2 }))["error"].is_string());
}

/// What a long turn does is seen action by action, before it is entered and when a record is replayed.
#[test]
fn the_beginning_of_a_long_turn_is_seen_before_the_turn_is_whole() {
    let games = [
        include_str!("../../../examples/mission-combat/open-game.pbem"),
        include_str!("../../../examples/mission-combat/sealed-game.pbem"),
        include_str!("../../../examples/subsume/a-city-built-and-lost.pbem"),
    ];
    let mut turned = 0;
    for record in games {
        let lines =
            record.split("\n---\n").nth(1).expect("entries").lines().filter(|line| !line.starts_with(['=', ' ', '#']));
        for (at, line) in lines.enumerate() {
            let (_, entry) = line.split_once(' ').and_then(|(_, rest)| rest.split_once(' ')).expect("an entry");
            let actions: Vec<&str> = entry.split(" @").next().unwrap_or_default().split("; ").collect();
            let position = |at: usize, begun: &str| {
                asked(&json!({ "call": "position", "record": record, "at": at, "begun": begun, "look": "print" }))
            };
            let mut boards = vec![position(at, "")];
            for part in 1..actions.len() {
                boards.push(position(at, &actions[..part].join("; ")));
            }
            boards.push(position(at + 1, ""));
            for board in &boards {
                assert!(board["svg"].is_string(), "{line}: {board}");
            }
            // Something on the board changes in the midst of a turn, and not only at its end.
            turned += boards
                .windows(2)
                .filter(|pair| pair[0]["pieces"] != pair[1]["pieces"] || pair[0]["words"] != pair[1]["words"])
                .count();
            let whole = position(at, &actions.join("; "));
            let last = boards.last().expect("a board");
            assert_eq!((&whole["words"], &whole["position"]), (&last["words"], &last["position"]), "{line}");
        }
    }
    assert!(turned > 200, "{turned}");
    let beginning = asked(&json!({ "call": "position", "record": RECORD, "begun": "c4" }));
    assert!(beginning["error"].as_str().is_some_and(|told| told.contains("what follows it")), "{beginning}");
}

#[test]
fn every_game_can_be_begun_and_its_first_actions_are_listed() {
    for game in postrider_referee::registry::GAMES {
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

/// The record of a new practice game.
fn practised(game: &str, side: &str, seed: u64) -> String {
    let begun = asked(&json!({
        "call": "practice", "game": game, "side": side, "level": 1, "seed": seed, "started": "2026-11-22",
    }));
    begun["record"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned()
}

/// Goes on until the player has something to choose.
fn answered(mut record: String) -> String {
    loop {
        let answer = asked(&json!({ "call": "answer", "record": record }));
        match answer["record"].as_str() {
            Some(longer) => record = longer.to_owned(),
            None => return record,
        }
    }
}

#[test]
fn a_game_against_the_machine_is_played_by_calls_alone_in_every_game() {
    for game in postrider_referee::registry::GAMES {
        let info = game.info();
        for side in info.sides {
            let mut record = practised(info.name, side.word, 7);
            for _ in 0..2 {
                record = answered(record);
                let open = asked(&json!({ "call": "open", "record": record }));
                assert_eq!((&open["playable"], &open["standing"]["due"]), (&json!(true), &json!(side.word)), "{open}");
                assert_eq!(open["practice"]["own"], side.word);
                let next = asked(&json!({ "call": "next", "record": record }));
                assert!(next["actions"].as_array().is_some_and(|actions| !actions.is_empty()), "{next}");
                let hint = asked(&json!({ "call": "choose", "record": record, "playouts": 40 }));
                assert!(hint["expects"].as_i64().is_some_and(|share| (0..=100).contains(&share)), "{hint}");
                let added = asked(&json!({ "call": "append", "record": record, "typed": hint["actions"] }));
                record = added["record"].as_str().unwrap_or_else(|| panic!("{added}")).to_owned();
            }
            let back = asked(&json!({ "call": "undo", "record": answered(record.clone()) }));
            let back = back["record"].as_str().expect("a record");
            assert!(record.starts_with(back) && back.len() < record.len());
            let none = asked(&json!({ "call": "undo", "record": practised(info.name, side.word, 7) }));
            assert_eq!(none, json!({ "record": null }));
        }
    }
}

#[test]
fn in_a_practice_game_the_program_throws() {
    let begun = asked(&json!({
        "call": "practice", "game": "assassyn", "side": "black", "level": 1, "seed": 2, "started": "2026-11-22",
        "setup": "white Pa1 Lc5 Ab2; black Pf6 Lc5 Sb3; to play black; challenge c1xc5",
    }));
    let record = begun["record"].as_str().expect("a record");
    let next = asked(&json!({ "call": "next", "record": record }));
    assert!(next["actions"].as_array().is_some_and(|all| all.contains(&json!("accept"))), "{next}");
    assert_eq!((&next["thrown"], &next["words"]), (&json!(["accept"]), &json!({})));
    let judged = asked(&json!({ "call": "judge", "record": record, "typed": "accept" }));
    assert_eq!(judged["line"], "1 black accept roll 12 8");
    // Nobody names a throw, not even the one that would be thrown.
    for named in ["accept roll 13 8", "accept roll 12 8"] {
        let typed = asked(&json!({ "call": "judge", "record": record, "typed": named }));
        assert!(typed["refused"]["message"].as_str().is_some_and(|why| why.ends_with("type `accept`")), "{typed}");
    }
}

#[test]
fn the_program_draws_each_card_of_a_turn_and_the_player_is_offered_none_by_its_name() {
    let mut record = answered(practised("mission-combat", "marines", 158));
    let next = |record: &str, begun: &str| asked(&json!({ "call": "next", "record": record, "begun": begun }));
    let offered = |next: &Value, word: &str| {
        let all = next["actions"].as_array().unwrap_or_else(|| panic!("{next}")).iter().filter_map(Value::as_str);
        all.filter(|action| action.split(' ').next() == Some(word)).map(str::to_owned).collect::<Vec<_>>()
    };
    while let [place, ..] = offered(&next(&record, ""), "place").as_slice() {
        let made = asked(&json!({ "call": "append", "record": record, "typed": place }));
        record = answered(made["record"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned());
    }
    let (mut begun, mut draws) = (String::new(), 0);
    loop {
        let follows = next(&record, &begun);
        assert_eq!(follows["refused"], Value::Null, "{begun}: {follows}");
        let action = match (offered(&follows, "draw").as_slice(), offered(&follows, "keep").first()) {
            ([], Some(kept)) => kept.clone(),
            ([], None) => break,
            (drawn, _) => {
                assert_eq!((drawn, &follows["thrown"]), (&["draw".to_owned()][..], &json!(["draw"])), "{begun}");
                draws += 1;
                "draw".to_owned()
            }
        };
        begun = if begun.is_empty() { action } else { format!("{begun}; {action}") };
    }
    assert!(draws > 1, "{begun}");
}

#[test]
fn of_the_machines_entries_one_is_told_no_more_than_in_sealed_play() {
    let record = answered(practised("subsume", "black", 3));
    let chosen = asked(&json!({ "call": "choose", "record": record, "level": 1, "seed": 5 }));
    let made = asked(&json!({ "call": "append", "record": record, "typed": chosen["actions"] }));
    let record = answered(made["record"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned());
    let open = asked(&json!({ "call": "open", "record": record }));
    let entries = open["entries"].as_array().expect("entries");
    assert!(entries.len() >= 3, "{open}");
    for entry in entries {
        let (told, actions) = (entry["told"].as_str().expect("words"), entry["actions"].as_str().expect("actions"));
        let claim = told.split("; ").next().expect("a claim");
        assert_eq!(claim.ends_with(['I', 'A', 'D']), entry["side"] == "black", "{entry}");
        assert!(actions.starts_with(claim), "{entry}");
    }
}

#[test]
fn there_is_no_help_in_a_game_against_a_person() {
    for call in ["choose", "answer", "undo", "review"] {
        let answer = asked(&json!({ "call": call, "record": RECORD }));
        assert_eq!(answer["refused"]["rule"], "E12", "{call}: {answer}");
        assert!(answer["refused"]["text"].as_str().is_some_and(|text| text.starts_with("### E12")));
        let illegal = RECORD.to_owned() + "2 besiegers b4-b3\n";
        let answer = asked(&json!({ "call": call, "record": illegal }));
        assert!(answer["refused"]["message"].is_string(), "{call}: {answer}");
    }
    let open = asked(&json!({ "call": "open", "record": RECORD }));
    assert_eq!(open["practice"], json!(null));
}

#[test]
fn requests_about_practice_games_that_make_no_sense_are_answered() {
    let record = practised("asalto", "besiegers", 3);
    let other = asked(&json!({ "call": "choose", "record": record, "side": "besiegers" }));
    assert_eq!(other["refused"]["message"], "the other side is due");
    for more in [json!({ "side": "reds" }), json!({ "level": 6 })] {
        let mut request = json!({ "call": "choose", "record": record });
        request.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        assert!(asked(&request)["error"].is_string(), "{request}");
    }
    for (game, side, setup) in [("chess", "white", ""), ("asalto", "reds", ""), ("asalto", "besiegers", "nowhere")] {
        let begun = asked(&json!({
            "call": "practice", "game": game, "side": side, "level": 1, "seed": 1, "started": "2026-11-22", "setup": setup,
        }));
        assert!(begun["refused"]["message"].is_string(), "{begun}");
    }
    for number in [0, 13, 99] {
        assert!(
            asked(&json!({ "call": "lesson", "game": "asalto", "number": number, "typed": "" }))["error"].is_string()
        );
    }
}

#[test]
fn a_look_back_in_parts_is_the_look_back_at_the_whole() {
    let record =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/asalto/a-signed-game.pbem"))
            .expect("an example");
    let whole = asked(&json!({ "call": "review", "record": record, "level": 1 }));
    let (mut parts, mut first, mut carried) = (Vec::new(), 1, json!(null));
    while first <= 9 {
        let part = asked(&json!({
            "call": "review", "record": record, "level": 1, "first": first, "last": first + 1, "carried": carried,
        }));
        parts.extend(part["entries"].as_array().expect("entries").clone());
        (first, carried) = (first + 2, part["carried"].clone());
    }
    assert_eq!(whole["entries"].as_array(), Some(&parts));
    assert_eq!((parts.len(), &whole["of"]), (9, &json!(9)));
    assert!(parts.iter().any(|entry| entry["says"].is_array() && entry["turned"] == "missed"), "{whole}");
}

#[test]
fn every_game_is_told_in_a_minute_with_a_picture_for_each_paragraph() {
    for game in postrider_referee::registry::GAMES {
        let minute = asked(&json!({ "call": "minute", "game": game.info().name }));
        let pictures = minute["pictures"].as_array().unwrap_or_else(|| panic!("{minute}"));
        assert_eq!((pictures.len(), minute["paragraphs"].as_array().map(Vec::len)), (3, Some(3)));
        assert!(pictures.iter().all(|one| one["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg"))));
    }
}

#[test]
fn lessons_are_judged_by_calls() {
    let list = asked(&json!({ "call": "lessons", "game": "asalto" }));
    let first = &list["lessons"][0];
    assert_eq!(list["lessons"].as_array().map(Vec::len), Some(12));
    let lesson = |typed: &str| asked(&json!({ "call": "lesson", "game": "asalto", "number": 1, "typed": typed }));
    let done = lesson(first["solution"].as_str().expect("a solution"));
    assert_eq!((&done["solved"], &done["says"]), (&json!(true), &first["done"]));
    assert!(done["record"].as_str().is_some_and(|record| record.starts_with(first["record"].as_str().unwrap_or("-"))));
    let beside = lesson("b4-b5");
    assert_eq!(beside["solved"], false);
    assert!(beside["says"].as_str().is_some_and(|said| said.starts_with("A legal step")), "{beside}");
    assert_eq!(lesson("b4-b3")["refused"]["rule"], "T21");
}

#[test]
fn a_page_is_told_the_task_where_pieces_may_be_placed_and_what_a_piece_points_out() {
    let record = practised("assassyn", "white", 7);
    let opened = asked(&json!({ "call": "open", "record": record }));
    assert_eq!(opened["standing"]["task"], "place your seven pieces");
    let next = asked(&json!({ "call": "next", "record": record }));
    let placing = &next["placing"]["deploy"];
    assert_eq!(placing["squares"].as_array().map(Vec::len), Some(12));
    assert_eq!(placing["pieces"]["P"], "Prince");

    // A Portal has a zone, a Commander none; what cannot be pointed out changes nothing.
    let record = practised("assideum", "white", 7);
    let seen =
        |mark: Option<&str>| asked(&json!({ "call": "position", "record": record, "mark": mark }))["svg"].clone();
    assert_ne!(seen(Some("c1")), seen(None));
    assert_eq!(seen(Some("e1")), seen(None));
    assert_eq!(seen(Some("no place")), seen(None));

    let record = answered(practised("subsume", "black", 7));
    let position = asked(&json!({ "call": "position", "record": record }));
    let stacks = position["stacks"].as_array().cloned().unwrap_or_default();
    assert!(!stacks.is_empty() && stacks.iter().all(|stack| stack["side"] == "white"), "{stacks:?}");
    assert!(stacks.iter().all(|stack| stack["tokens"].as_array().is_some_and(|tokens| !tokens.is_empty())));
}
