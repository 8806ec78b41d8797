//! Homes that are kept by somebody else: each request brings what is kept and each answer says what is to be kept, as a page does it.
//! Whole sealed and signed games by letters alone, and what must never happen.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use postrider_player::call;
use postrider_referee::verdict::{Ruling, verify};
use serde_json::{Value, json};

use postrider_testing::random::Xorshift;
use postrider_testing::sample::rounds;

/// A home as a page keeps it: texts and other files by path.
#[derive(Clone, Default)]
pub struct Home {
    files: BTreeMap<String, String>,
    bytes: BTreeMap<String, String>,
    seed: u64,
    pub hour: u64,
}

impl Home {
    pub fn new(name: &str, email: &str, seed: u64) -> Self {
        let mut home = Self { seed, ..Self::default() };
        home.done(json!({ "do": "settle", "name": name, "email": email }));
        home
    }

    fn ask(&self, deed: &Value, random: &[u8]) -> Value {
        let (day, hour) = (10 + self.hour / 24, self.hour % 24);
        let request = json!({
            "call": "home", "files": self.files, "bytes": self.bytes, "random": BASE64.encode(random),
            "now": format!("2026-11-{day:02}T{hour:02}:00:00Z"), "deed": deed,
        });
        serde_json::from_str(&call(&request.to_string())).expect("an answer")
    }

    /// Asks, and keeps what changed.
    fn answer(&mut self, deed: Value) -> Value {
        let mut random = Xorshift(self.seed);
        let bytes: Vec<u8> = (0..8192).map(|_| random.below(256) as u8).collect();
        self.seed = random.number();
        let answer = self.ask(&deed, &bytes);
        self.keep(&answer);
        answer
    }

    fn keep(&mut self, answer: &Value) {
        assert_eq!(answer.get("error"), None, "{answer}");
        let texts = |value: &Value| -> BTreeMap<String, String> {
            serde_json::from_value(value.clone()).expect("texts by path")
        };
        for path in answer["removed"].as_array().expect("a list") {
            self.files.remove(path.as_str().expect("a path"));
            self.bytes.remove(path.as_str().expect("a path"));
        }
        self.files.extend(texts(&answer["put"]));
        self.bytes.extend(texts(&answer["bytes"]));
    }

    /// Does something that succeeds.
    pub fn done(&mut self, deed: Value) -> Value {
        let answer = self.answer(deed.clone());
        assert!(answer.get("refused").is_none(), "{deed}: {}", answer["refused"]);
        answer["done"].clone()
    }

    /// The message that a letter is.
    pub fn letter(&mut self, game: &str) -> String {
        let answer = self.answer(json!({ "do": "letter", "game": game }));
        assert_eq!(answer["letters"].as_array().map(Vec::len), Some(1), "{answer}");
        answer["letters"][0]["message"].as_str().expect("a message").to_owned()
    }

    pub fn receive(&mut self, letter: &str) -> Value {
        let done = self.done(json!({ "do": "receive", "base64": letter }));
        assert_eq!((&done["refused"], &done["troubles"]), (&json!(0), &json!(0)), "{done}");
        done
    }

    pub fn game(&mut self, game: &str) -> Value {
        self.done(json!({ "do": "game", "game": game }))
    }

    /// What its player sees after an entry, or after the last, and after what follows it.
    fn view(&mut self, game: &str, at: Option<usize>, begun: &str) -> Value {
        let seen = self.done(json!({ "do": "view", "game": game, "at": at, "begun": begun, "from": null, "look": null, "public": false }));
        assert!(seen["svg"].is_string(), "{seen}");
        seen
    }

    /// Makes the entry that is due, as its player would choose it.
    pub fn play(&mut self, game: &str, stream: &mut Xorshift) -> Value {
        let forced = self.answer(json!({ "do": "answer", "game": game }));
        if forced["done"]["line"].is_string() {
            return forced["done"].clone();
        }
        let mut begun = String::new();
        for _ in 0..60 {
            let next = self.done(json!({ "do": "next", "game": game, "begun": begun, "seed": stream.number() as u32 }));
            let actions: Vec<&str> =
                next["actions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            if actions.is_empty() || next["whole"] == json!(true) && stream.below(3) == 0 {
                break;
            }
            let fights: Vec<&&str> = actions.iter().filter(|action| action.contains('x')).collect();
            let chosen = if fights.is_empty() || stream.below(4) == 0 {
                actions[stream.below(actions.len())]
            } else {
                fights[stream.below(fights.len())]
            };
            let chosen = match next["words"][chosen].as_array() {
                Some(examples) if chosen != "accept" => {
                    examples[stream.below(examples.len())].as_str().expect("an example")
                }
                _ => chosen,
            };
            begun = if begun.is_empty() { chosen.to_owned() } else { format!("{begun}; {chosen}") };
            self.view(game, None, &begun);
            let judged = self.answer(json!({ "do": "judge", "game": game, "typed": begun }));
            if judged["done"]["line"].is_string() && stream.below(3) > 0 {
                break;
            }
        }
        self.done(json!({ "do": "enter", "game": game, "typed": begun }))
    }

    /// What is kept, as one text.
    fn everything(&self) -> String {
        format!("{:?}{:?}", self.files, self.bytes)
    }
}

/// Two homes, one of which has begun a game and the other has accepted it.
fn begun(wish: Value, keys: bool) -> (Home, Home, String) {
    begun_by(Home::new("Ada", "ada@example.org", 3), wish, keys)
}

fn begun_by(mut ada: Home, wish: Value, keys: bool) -> (Home, Home, String) {
    let mut bram = Home::new("Bram", "bram@example.net", 90);
    if keys {
        ada.done(json!({ "do": "key", "what": "make", "passphrase": null }));
        bram.done(json!({ "do": "key", "what": "make", "passphrase": null }));
    }
    let mut deed = json!({ "do": "begin", "name": "Bram", "email": "bram@example.net" });
    deed.as_object_mut().expect("members").extend(wish.as_object().expect("members").clone());
    let game = ada.done(deed)["game"].as_str().expect("an id").to_owned();
    let invitation = ada.letter(&game);
    bram.receive(&invitation);
    let look = bram.done(json!({ "do": "look" }));
    assert_eq!(look["invitations"][0]["id"], json!(game), "{look}");
    bram.done(json!({ "do": "accept", "game": game }));
    (ada, bram, game)
}

/// Plays so many entries by letters alone, and returns whether the game is over.
fn play(ada: &mut Home, bram: &mut Home, game: &str, entries: usize, stream: &mut Xorshift) -> bool {
    for _ in 0..entries {
        ada.hour += 1;
        bram.hour += 1;
        let mine = ada.game(game);
        if mine["over"] == json!(true) {
            return true;
        }
        let (here, there) =
            if mine["is_mine"] == json!(true) { (&mut *ada, &mut *bram) } else { (&mut *bram, &mut *ada) };
        here.play(game, stream);
        let letter = here.letter(game);
        there.receive(&letter);
        let record = here.game(game)["record"].clone();
        assert_eq!(record, there.game(game)["record"]);
        // Both see the entry, and each part of it.
        let lines: Vec<&str> = record.as_str().expect("a record").lines().collect();
        let entry = lines.iter().rfind(|line| line.starts_with(|c: char| c.is_ascii_digit())).expect("an entry");
        let mut words = entry.splitn(3, ' ');
        let number: usize = words.next().and_then(|number| number.parse().ok()).expect("a number");
        let actions = words.nth(1).and_then(|rest| rest.split(" @").next()).expect("actions");
        for home in [here, there] {
            home.view(game, None, "");
            for (end, _) in actions.match_indices("; ") {
                home.view(game, Some(number - 1), &actions[..end]);
            }
        }
    }
    ada.game(game)["over"] == json!(true)
}

/// The secrets of a home.
fn secrets(home: &Home) -> Vec<String> {
    let secret = |(path, text): (&String, &String)| {
        path.starts_with("data/secrets/").then(|| text.lines().next().unwrap_or_default().to_owned())
    };
    home.files.iter().filter_map(secret).collect()
}

#[test]
fn a_sealed_and_signed_game_is_played_to_its_end_between_homes_in_requests() {
    let wish = json!({ "game": "assassyn", "side": "white", "options": { "deployment": "sealed" } });
    let (mut ada, mut bram, game) = begun(wish, true);
    let mut stream = Xorshift(11);
    if !play(&mut ada, &mut bram, &game, 60, &mut stream) {
        let (here, there) =
            if ada.game(&game)["is_mine"] == json!(true) { (&mut ada, &mut bram) } else { (&mut bram, &mut ada) };
        here.done(json!({ "do": "enter", "game": game, "typed": "resign" }));
        let letter = here.letter(&game);
        there.receive(&letter);
    }
    // Nothing of a secret is in any record before it is published.
    let all = [secrets(&ada), secrets(&bram)].concat();
    assert_eq!(all.len(), 2);
    let record = ada.game(&game)["record"].as_str().expect("a record").to_owned();
    assert!(all.iter().all(|secret| secret.len() == 64 && !record.contains(secret)));
    assert!(
        record
            .lines()
            .filter(|line| line.contains(" sig ") || line.contains(" s:") || line.contains("ed25519"))
            .count()
            < 1000
    );
    for (one, other) in [(0, 1), (1, 0)] {
        let homes = [&mut ada, &mut bram];
        let answer = homes[one].answer(json!({ "do": "publish", "game": game }));
        let letter = answer["letters"][0]["message"].as_str().expect("a letter").to_owned();
        homes[other].receive(&letter);
    }
    for home in [&mut ada, &mut bram] {
        let audit = home.done(json!({ "do": "audit", "game": game }));
        assert_eq!((&audit["sound"], &audit["proof"]), (&json!(true), &json!("proven")), "{audit}");
        let record = home.game(&game)["record"].as_str().expect("a record").to_owned();
        let verdict = verify(record.as_bytes());
        assert!(verdict.ruling == Ruling::Legal && verdict.signers.is_some(), "{verdict}");
        let same = home.done(json!({ "do": "evidence", "one": record, "other": record }));
        assert_eq!(same["against"], json!(false));
    }
}

#[test]
fn each_game_is_begun_sealed_and_signed_and_played_some_entries() {
    let wishes = [
        json!({ "game": "asalto", "side": "besiegers" }),
        json!({ "game": "assideum", "side": "white" }),
        json!({ "game": "subsume", "side": "white" }),
        json!({ "game": "mission-combat", "side": "marines" }),
    ];
    for wish in wishes {
        let name = wish["game"].as_str().expect("a name").to_owned();
        let info = postrider_referee::registry::find(&name).expect("a game").info();
        let mut wish = wish;
        wish["side"] = info.sides[0].word.into();
        let (mut ada, mut bram, game) = begun(wish, true);
        let mut stream = Xorshift(29);
        play(&mut ada, &mut bram, &game, 5, &mut stream);
        let record = ada.game(&game)["record"].as_str().expect("a record").to_owned();
        let verdict = verify(record.as_bytes());
        assert!(verdict.ruling == Ruling::Legal && verdict.entries == 5, "{name}: {verdict}");
        for home in [&mut ada, &mut bram] {
            for public in [false, true] {
                let seen = home.done(json!({ "do": "view", "game": game, "public": public, "look": "classes" }));
                assert!(seen["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")), "{name}");
            }
            assert!(secrets(home).iter().all(|secret| !home.game_text(&game).contains(secret)));
        }
    }
}

impl Home {
    fn game_text(&self, game: &str) -> String {
        self.files[&format!("data/games/{game}.pbem")].clone()
    }
}

/// The decks of Mission: Combat! are picked, opened and drawn from in the entry that seals them, by either side.
#[test]
fn what_a_sealed_entry_opens_and_seals_is_seen_before_it_is_made() {
    let mut openers = std::collections::BTreeSet::new();
    for seed in (3..9).take(rounds(3, 6)) {
        let ada = Home::new("Ada", "ada@example.org", seed);
        let (mut ada, mut bram, game) =
            begun_by(ada, json!({ "game": "mission-combat", "side": "marines" }), seed % 2 == 0);
        let mut stream = Xorshift(seed);
        // `play` looks at the board at every step.
        play(&mut ada, &mut bram, &game, 4, &mut stream);
        let record = ada.game(&game)["record"].as_str().expect("a record").to_owned();
        openers.extend(
            record
                .lines()
                .filter(|line| line.contains("seeds seed:") && line.contains("; hand"))
                .map(|line| line[..3].to_owned()),
        );
    }
    assert!(openers.len() > 1, "{openers:?}");
    let (mut ada, mut bram, game) = begun(json!({ "game": "subsume", "side": "white" }), true);
    play(&mut ada, &mut bram, &game, 30, &mut Xorshift(11));
}

/// The first seal needs a secret that does not exist yet; looking makes none.
#[test]
fn what_is_sealed_first_is_seen_before_it_is_made() {
    for keys in [false, true] {
        let (mut ada, mut bram, game) = begun(json!({ "game": "subsume", "side": "white" }), keys);
        for (home, claim, square) in [(&mut ada, "+d1I", "d1"), (&mut bram, "+e8A", "e8")] {
            if home.game(&game)["is_mine"] != json!(true) {
                continue;
            }
            let stacks = |seen: &Value| seen["stacks"].as_array().expect("stacks").clone();
            let before = stacks(&home.view(&game, None, ""));
            let seen = home.view(&game, None, claim);
            assert!(stacks(&seen).iter().any(|stack| stack["place"] == square), "{square}: {}", seen["stacks"]);
            assert!(!before.iter().any(|stack| stack["place"] == square));
            assert!(secrets(home).is_empty());
        }
    }
}

#[test]
fn a_reload_at_any_step_never_makes_two_entries_for_one_turn() {
    let wish = json!({ "game": "assassyn", "side": "white", "options": { "deployment": "sealed" } });
    let (mut ada, mut bram, game) = begun(wish, true);
    let mut stream = Xorshift(5);
    for _ in 0..6 {
        ada.hour += 1;
        bram.hour += 1;
        let is_adas = ada.game(&game)["is_mine"] == json!(true);
        let (here, there) = if is_adas { (&mut ada, &mut bram) } else { (&mut bram, &mut ada) };
        let before = here.clone();
        here.play(&game, &mut stream);
        let after = here.clone();
        // What was not stored was not done: the old home goes on as if nothing had been.
        assert_ne!(before.everything(), after.everything());
        // What was stored stands: asking again makes no other entry.
        let again = here.answer(json!({ "do": "answer", "game": game }));
        assert!(again["done"]["line"].is_null(), "{again}");
        assert_eq!(here.game_text(&game), after.game_text(&game));
        let back = here.answer(json!({ "do": "undo", "game": game }));
        assert!(back["refused"]["message"].as_str().is_some_and(|why| why.contains("signed")), "{back}");
        let letter = here.letter(&game);
        // A letter that is read twice, or by two tabs, is known.
        there.receive(&letter);
        let twice = there.receive(&letter);
        assert_eq!(twice["accepted"], json!(0), "{twice}");
    }
}

#[test]
fn prepared_replies_stay_at_home_and_are_made_only_when_they_were_foreseen() {
    let defenders = postrider_referee::registry::find("asalto").expect("a game").info().sides[1].word;
    let (mut ada, mut bram, game) = begun(json!({ "game": "asalto", "side": "besiegers" }), true);
    let enter = |home: &mut Home, typed: &str| home.done(json!({ "do": "enter", "game": game, "typed": typed }));
    assert_eq!(bram.game(&game)["own"], json!(defenders));
    // While one's own entry is due there is nothing to foresee.
    let prepare = |entries: Value| json!({ "do": "prepare", "game": game, "entries": entries });
    let early = bram.answer(prepare(json!(["d4-d5", "e6-e7"])));
    assert!(
        early["refused"]["message"].as_str().is_some_and(|text| text.contains("your own move that is due")),
        "{early}"
    );
    enter(&mut bram, "place c6 e6");
    let letter = bram.letter(&game);
    ada.receive(&letter);
    for nothing in [json!([]), json!(["", " "])] {
        let refused = bram.answer(prepare(nothing));
        assert_eq!((&refused["refused"]["message"], &refused["put"]), (&json!("no moves were given"), &json!({})));
    }
    let illegal = bram.answer(prepare(json!(["d4-d5", "c6-c2"])));
    assert!(illegal["refused"]["rule"].is_string() && illegal["put"] == json!({}), "{illegal}");
    bram.done(prepare(json!(["d4-d5", "e6-e7", "e4-e5", "e7-d7"])));
    bram.done(prepare(json!(["b5-c5", "c6-c7"])));
    let kept = bram.game(&game);
    assert_eq!((kept["conditions"].as_array().map(Vec::len), &kept["reply"]), (Some(2), &Value::Null), "{kept}");
    assert!(!kept["record"].as_str().expect("a record").contains("d4-d5"));
    let back = bram.done(json!({ "do": "unprepare", "game": game, "path": ["b5-c5"] }));
    assert_eq!(back["conditions"].as_array().map(Vec::len), Some(1));
    ada.hour += 1;
    bram.hour += 1;
    enter(&mut ada, "d4-d5");
    let letter = ada.letter(&game);
    bram.receive(&letter);
    assert_eq!(bram.game(&game)["reply"], json!({ "theirs": "d4-d5", "mine": "e6-e7" }));
    let made = bram.done(json!({ "do": "answer", "game": game }));
    assert_eq!(made["actions"], json!("e6-e7"), "{made}");
    let letter = bram.letter(&game);
    assert!(!letter.contains("e7-d7"));
    ada.receive(&letter);
    // Another course makes the rest void.
    ada.hour += 1;
    bram.hour += 1;
    enter(&mut ada, "b5-c5");
    let letter = ada.letter(&game);
    bram.receive(&letter);
    let now = bram.game(&game);
    assert_eq!((&now["reply"], &now["conditions"]), (&Value::Null, &json!([])), "{now}");
    assert!(bram.answer(json!({ "do": "answer", "game": game })).get("refused").is_some());
}

#[test]
fn random_bytes_that_run_out_are_a_refusal() {
    let home = Home::new("Ada", "ada@example.org", 3);
    let answer = home.ask(&json!({ "do": "key", "what": "make", "passphrase": null }), &[7; 31]);
    assert!(answer["refused"]["message"].as_str().is_some_and(|why| why.contains("used up")), "{answer}");
    assert_eq!(answer["put"], json!({}));
    let answer = home.ask(&json!({ "do": "key", "what": "make", "passphrase": null }), &[7; 32]);
    assert!(answer["done"]["fingerprint"].is_string(), "{answer}");
}

#[test]
fn b1_a_sealed_and_signed_entry_goes_as_a_block_of_text_once_the_other_has_entered() {
    let (mut ada, mut bram, game) = begun(json!({ "game": "subsume", "side": "white" }), true);
    let mut stream = Xorshift(11);
    assert!(!play(&mut ada, &mut bram, &game, 2, &mut stream));
    ada.hour += 1;
    bram.hour += 1;
    let is_ada = ada.game(&game)["is_mine"] == json!(true);
    let (here, there) = if is_ada { (&mut ada, &mut bram) } else { (&mut bram, &mut ada) };
    here.play(&game, &mut stream);
    let done = here.done(json!({ "do": "letter", "game": game }));
    let block = done["block"].as_str().unwrap_or_else(|| panic!("a block: {done}")).to_owned();
    assert!(block.len() < 1500, "{block}");
    // As it is pasted, with words around it: it is signed by a key that is known, so it does not matter that nobody seems to send it.
    let pasted = format!("Hello!\n\n{block}\nSee you\n");
    for (fate, game) in [("accepted", None), ("known", Some(&game))] {
        let read = there.done(json!({ "do": "receive", "letter": pasted, "game": game }));
        assert_eq!(read["fates"][0]["fate"], json!(fate), "{read}");
    }
    assert_eq!(here.game(&game)["record"], there.game(&game)["record"]);
}

#[test]
fn an_open_game_is_answered_by_a_bare_move() {
    let (mut ada, _, game) = begun(json!({ "game": "asalto", "side": "besiegers", "by_mail": true }), false);
    assert_eq!(ada.game(&game)["by_mail"], json!(true));
    let done = ada.done(json!({ "do": "receive", "letter": "place c6 e6\n\nYour turn!\n", "game": game }));
    assert_eq!(done["accepted"], json!(1), "{done}");
    let done = ada.done(json!({ "do": "enter", "game": game, "typed": "c4-c5", "message": "There." }));
    assert_eq!(done["number"], json!(2));
    let undone = ada.done(json!({ "do": "undo", "game": game }));
    assert_eq!(undone["number"], json!(2));
    let refused = ada.answer(json!({ "do": "enter", "game": game, "typed": "b4-b3" }));
    assert_eq!(refused["refused"]["rule"], json!("T21"), "{refused}");
}

#[test]
fn b8_an_open_game_goes_by_blocks_alone_and_a_bare_move_would_part_the_records() {
    let (mut ada, mut bram, game) = begun(json!({ "game": "asalto", "side": "besiegers" }), false);
    let (mut eve, other) = (Home::new("Eve", "eve@example.org", 5), Home::new("Bram", "bram@example.net", 6));
    // The invitation as a block, for somebody whom no attachment reaches.
    let block = ada.done(json!({ "do": "letter", "game": game, "force": true }))["block"].as_str().map(str::to_owned);
    let block = block.expect("a block");
    assert!(block.starts_with("-----BEGIN PBEM GAME ") && block.len() < 700, "{block}");
    let mut other = Home { hour: 1, ..other };
    let letter = |from: &str, text: &str| format!("From: <{from}>\r\nSubject: hello\r\n\r\n{text}");
    let read = other.done(json!({ "do": "receive", "letter": letter("ada@example.org", &block) }));
    assert_eq!((&read["invitations"], &read["current"]), (&json!(1), &json!([game])), "{read}");
    // Pasted, it names no sender, so it is asked about; the player may say that it is the opponent's.
    let read = eve.done(json!({ "do": "receive", "letter": block }));
    assert_eq!((&read["refused"], &read["strangers"][0]["game"]), (&json!(1), &json!(game)), "{read}");
    let read = eve.done(json!({ "do": "receive", "letter": block, "vouched": true }));
    assert_eq!(read["invitations"], json!(1), "{read}");
    // Whoever accepted invites nobody.
    assert_eq!((&bram.game(&game)["invited"], &bram.game(&game)["by_mail"]), (&json!(true), &json!(false)));
    bram.hour = 2;
    ada.hour = 3;
    bram.done(json!({ "do": "enter", "game": game, "typed": "place c6 e6" }));
    let before = ada.game(&game)["record"].clone();
    for given in [
        json!({ "do": "receive", "letter": "place c6 e6", "game": game }),
        json!({ "do": "receive", "letter": letter("bram@example.net", "place c6 e6").replace("hello", &format!("Re: [pbem] {game} #0")) }),
    ] {
        let answer = ada.answer(given);
        assert_eq!(answer["done"]["refused"], json!(1), "{answer}");
        assert!(answer["notices"].to_string().contains("ask Bram for the block or the record"), "{answer}");
    }
    assert_eq!(ada.game(&game)["record"], before);
    let block = bram.done(json!({ "do": "letter", "game": game }))["block"].as_str().expect("a block").to_owned();
    assert!(block.starts_with("-----BEGIN PBEM GAME "), "{block}");
    let read = ada.done(json!({ "do": "receive", "letter": letter("bram@example.net", &block) }));
    assert_eq!((&read["accepted"], &read["current"]), (&json!(1), &json!([game])), "{read}");
    assert_eq!(ada.game(&game)["record"], bram.game(&game)["record"]);
    // No word of the player's takes what is forged.
    let record = ada.game(&game)["record"].as_str().expect("a record").to_owned();
    for forged in [
        record.replace("c6 e6", "c6 e7"),
        record.replace("name: Bram", "name: Bran") + "2 besiegers c4-c5\n",
        record.clone() + "2 besiegers c4-c5 @2026-11-10T04:00:00Z\n",
    ] {
        let read = ada.done(json!({ "do": "receive", "letter": forged, "vouched": true }));
        assert_eq!((&read["accepted"], &read["refused"]), (&json!(0), &json!(1)), "{read}");
        assert_eq!(ada.game(&game)["record"].as_str(), Some(&*record));
    }
}

#[test]
fn nothing_is_signed_while_what_is_kept_may_be_an_older_copy() {
    let (mut ada, mut bram, game) = begun(json!({ "game": "asalto", "side": "besiegers" }), true);
    let before = bram.everything();
    let deed = |only_here: bool| json!({ "do": "enter", "game": game, "typed": "place c6 e6", "unsure": true, "only_here": only_here });
    let answer = bram.answer(deed(false));
    assert!(answer["refused"]["acts"].as_array().expect("acts").contains(&json!("only-here")), "{answer}");
    assert_eq!(bram.everything(), before, "nothing was noted either");
    assert_eq!(bram.done(deed(true))["number"], json!(1));
    // The letter shows it to the other, who is asked nothing; the same letter once more does so too, and one's own record does not.
    let letter = bram.letter(&game);
    for _ in 0..2 {
        assert_eq!(ada.receive(&letter)["current"], json!([game]));
    }
    ada.hour = 5;
    ada.done(json!({ "do": "enter", "game": game, "typed": "c4-c5" }));
    assert_eq!(ada.receive(&letter)["current"], json!([]));
}

/// A locked text whose first container asks for other rounds of `bcrypt_pbkdf`, which stand behind the salt of 16 bytes and its length.
fn with_rounds(text: &str, rounds: u32) -> String {
    let (begin, end) = ("-----BEGIN OPENSSH PRIVATE KEY-----\n", "-----END OPENSSH PRIVATE KEY-----");
    let from = text.find(begin).expect("a container") + begin.len();
    let to = from + text[from..].find(end).expect("its end");
    let letters: String = text[from..to].split_whitespace().collect();
    let mut bytes = BASE64.decode(letters.as_bytes()).expect("base64");
    let at = bytes.windows(4).position(|four| four == 16_u32.to_be_bytes()).expect("a salt") + 20;
    assert_eq!(bytes[at..at + 4], 32_u32.to_be_bytes(), "as many as before");
    bytes[at..at + 4].copy_from_slice(&rounds.to_be_bytes());
    let lines = BASE64.encode(&bytes).into_bytes();
    let lines: String = lines.chunks(70).map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect();
    format!("{}{lines}{}", &text[..from], &text[to..])
}

#[test]
fn a_file_that_asks_for_too_many_rounds_is_refused_with_their_number() {
    let mut ada = Home::new("Ada", "ada@example.org", 3);
    ada.done(json!({ "do": "key", "what": "make", "passphrase": null }));
    let text = |done: Value| done["text"].as_str().expect("a text").to_owned();
    let key = text(ada.done(json!({ "do": "key", "what": "export", "passphrase": "for the copy" })));
    let backup = text(ada.done(json!({ "do": "backup", "passphrase": "for the copy" })));
    for rounds in [513_u32, 4_000_000_000] {
        let (key, backup) = (with_rounds(&key, rounds), with_rounds(&backup, rounds));
        for deed in [
            json!({ "do": "key", "what": "import", "key": key, "opens": "for the copy", "passphrase": null }),
            json!({ "do": "secrets", "what": "import", "text": backup, "passphrase": "for the copy" }),
            json!({ "do": "restore", "backup": backup, "passphrase": "for the copy" }),
        ] {
            let said = ada.answer(deed)["refused"]["message"].as_str().expect("a refusal").to_owned();
            assert!(said.contains(&format!("locked with {rounds} rounds")), "{said}");
        }
    }
    // What takes a little longer is still tried.
    let more =
        json!({ "do": "key", "what": "import", "key": with_rounds(&key, 64), "opens": "another", "passphrase": null });
    let said = ada.answer(more)["refused"]["message"].as_str().expect("a refusal").to_owned();
    assert!(said.contains("passphrase"), "{said}");
}

#[test]
fn a_locked_key_signs_with_its_passphrase_alone_and_goes_from_home_to_home() {
    let mut home = Home::new("Ada", "ada@example.org", 3);
    home.done(json!({ "do": "key", "what": "make", "passphrase": "a long phrase" }));
    let exported = home.answer(json!({ "do": "key", "what": "export", "passphrase": "another" }));
    assert!(exported["refused"]["message"].as_str().is_some_and(|why| why.contains("locked")), "{exported}");
    let look = home.done(json!({ "do": "look" }));
    assert_eq!(look["key"]["locked"], json!(true));
    assert!(!home.everything().contains("a long phrase"));
}

#[test]
fn z37_a_key_is_replaced_and_z36_withdrawn_and_the_letters_say_so() {
    let (mut ada, mut bram, game) =
        begun(json!({ "game": "assassyn", "side": "white", "options": { "deployment": "sealed" } }), true);
    let mut stream = Xorshift(5);
    assert!(!play(&mut ada, &mut bram, &game, 6, &mut stream));
    let was = ada.done(json!({ "do": "look" }))["key"]["fingerprint"].clone();
    let rotated = ada.done(json!({ "do": "key", "what": "rotate", "passphrase": null }));
    let now = rotated["fingerprint"].clone();
    assert!(now != was && rotated["statement"].as_str().is_some_and(|text| text.starts_with("pbem1|rotate|")));
    assert_eq!(ada.done(json!({ "do": "look" }))["key"]["fingerprint"], now);
    // The game goes on with the key that it declares, and its letters name the successor.
    let mut told = String::new();
    for _ in 0..2 {
        ada.hour += 1;
        bram.hour += 1;
        let is_ada = ada.game(&game)["is_mine"] == json!(true);
        let (here, there) = if is_ada { (&mut ada, &mut bram) } else { (&mut bram, &mut ada) };
        here.play(&game, &mut stream);
        let letter = here.letter(&game);
        told += &there.answer(json!({ "do": "receive", "base64": letter })).to_string();
    }
    assert!(told.contains(&format!("names {} as its successor", now.as_str().expect("a fingerprint"))), "{told}");
    assert!(!told.contains("held back"), "{told}");
    // What a withdrawn key signs is held back until the other agrees, and no new game declares it.
    let withdrawn = ada.done(json!({ "do": "key", "what": "withdraw" }));
    assert!(withdrawn["statement"].as_str().is_some_and(|text| text.starts_with("pbem1|revoke|")));
    let look = ada.done(json!({ "do": "look" }));
    assert!(look["key"]["withdrawn"].as_str().is_some_and(|since| since.contains("withdrawn on 2026-11-")), "{look}");
    let refused = ada.answer(
        json!({ "do": "begin", "game": "asalto", "side": "defenders", "name": "Bram", "email": "bram@example.net" }),
    );
    let why = refused["refused"]["message"].as_str().expect("a refusal").to_owned();
    assert!(why.contains("no game declares it any more"), "{why}");
    assert_eq!(refused["refused"]["advice"].as_str().map(|advice| advice.contains("“Make a new key”")), Some(true));
    // A withdrawn key names no successor.
    let next = ada.done(json!({ "do": "key", "what": "rotate", "passphrase": null }));
    assert_eq!(next["statement"], Value::Null);
    // Whoever locks a key does not get an open one after it.
    ada.done(json!({ "do": "key", "what": "lock", "passphrase": "a long phrase" }));
    let open = ada.answer(json!({ "do": "key", "what": "rotate", "passphrase": null }));
    assert!(open["refused"]["message"].is_string(), "{open}");
}

#[test]
fn backups_are_those_of_the_program() {
    let wish = json!({ "game": "assassyn", "side": "white", "options": { "deployment": "sealed" } });
    let (mut ada, mut bram, game) = begun(wish, true);
    play(&mut ada, &mut bram, &game, 2, &mut Xorshift(3));
    let backup = ada.done(json!({ "do": "backup", "passphrase": "a phrase" }));
    let text = backup["text"].as_str().expect("a text");
    let copy = postrider_vault::backup::HomeCopy::open(text, "a phrase").expect("a backup");
    assert!(copy.files.iter().any(|file| file.path == format!("games/{game}.pbem")));
    let mut other = Home { seed: 77, hour: ada.hour, ..Home::default() };
    let wrong = other.answer(json!({ "do": "restore", "backup": text, "passphrase": "another" }));
    assert!(wrong["refused"]["message"].is_string() && other.files.is_empty(), "{wrong}");
    let done = other.done(json!({ "do": "restore", "backup": text, "passphrase": "a phrase" }));
    assert!(done["restored"].as_u64().is_some_and(|count| count > 5), "{done}");
    assert_eq!(other.game_text(&game), ada.game_text(&game));
    assert_eq!(secrets(&other), secrets(&ada));
    let mine = other.game(&game);
    assert_eq!(mine["own"], json!("white"));
    // Nothing is signed before the player has said that no entries were made elsewhere.
    if mine["is_mine"] == json!(true) {
        let answer = other.answer(json!({ "do": "enter", "game": game, "typed": "resign" }));
        assert_eq!(answer["refused"]["acts"], json!(["only-here"]), "{answer}");
        other.done(json!({ "do": "enter", "game": game, "typed": "resign", "only_here": true }));
    }
}

#[test]
fn a_restored_key_signs_in_a_game_begun_since_only_after_a_question() {
    let mut ada = Home::new("Ada", "ada@example.org", 3);
    ada.done(json!({ "do": "key", "what": "make", "passphrase": null }));
    let backup = ada.done(json!({ "do": "backup", "passphrase": "a phrase" }))["text"].clone();
    // The game is younger than the backup, which therefore knows nothing of what the key has signed in it.
    let (mut ada, mut bram, game) = begun_by(ada, json!({ "game": "asalto", "side": "besiegers" }), false);
    play(&mut ada, &mut bram, &game, 3, &mut Xorshift(3));
    assert_eq!(ada.game(&game)["is_mine"], json!(true));
    let mut other = Home { seed: 77, hour: ada.hour, ..Home::default() };
    other.done(json!({ "do": "restore", "backup": backup, "passphrase": "a phrase" }));
    let again = bram.answer(json!({ "do": "letter", "game": game, "force": true }));
    other.receive(again["letters"][0]["message"].as_str().expect("a message"));
    other.done(json!({ "do": "accept", "game": game }));
    let typed = ada.done(json!({ "do": "next", "game": game, "begun": "", "seed": 1 }))["actions"][0].clone();
    let answer = other.answer(json!({ "do": "enter", "game": game, "typed": typed }));
    assert_eq!(answer["refused"]["acts"], json!(["only-here"]), "{answer}");
    other.done(json!({ "do": "enter", "game": game, "typed": typed, "only_here": true }));
}

#[test]
fn what_a_page_shows_names_no_command_of_the_program() {
    let silent = |what: &str, answer: &Value| {
        assert!(!answer.to_string().contains("`postrider "), "{what}: {answer}");
    };
    for (game, side) in [
        ("asalto", "defenders"),
        ("assideum", "white"),
        ("subsume", "white"),
        ("assassyn", "white"),
        ("mission-combat", "marines"),
    ] {
        let (mut ada, _, id) = begun(json!({ "game": game, "side": side }), false);
        let judged = ada.answer(json!({ "do": "judge", "game": id, "typed": "no such move" }));
        assert_eq!(judged["refused"]["see"], json!(game), "the rules say how moves are written: {judged}");
        silent(game, &judged);
        // The same of a game that is only looked at.
        let record = ada.game_text(&id);
        let asked = json!({ "call": "judge", "record": record, "typed": "no such move" }).to_string();
        let judged: Value = serde_json::from_str(&call(&asked)).expect("an answer");
        assert_eq!(judged["refused"]["see"], json!(game), "{judged}");
        silent(game, &judged);
    }
    let (mut ada, _, id) = begun(json!({ "game": "assassyn", "side": "white" }), true);
    let record = ada.game_text(&id);
    for text in [
        record.replace("game: assassyn", "game: halma"),
        record.clone() + "<<<<<<< ours\n",
        "{\"a\": 1}".to_owned(),
        record.clone(),
    ] {
        let asked = json!({ "call": "open", "record": text }).to_string();
        silent("what is looked at", &serde_json::from_str(&call(&asked)).expect("an answer"));
        silent("what is read", &ada.answer(json!({ "do": "receive", "letter": text })));
    }
    for (deed, what) in [
        (json!({ "do": "restore", "backup": "nothing", "passphrase": "a phrase" }), "a backup"),
        (json!({ "do": "key", "what": "import", "key": "nothing" }), "a key"),
        (json!({ "do": "audit", "game": id }), "an audit"),
        (json!({ "do": "game", "game": "asalto-not-here-1" }), "a game that is not here"),
    ] {
        silent(what, &ada.answer(deed));
    }
}

#[test]
fn a_game_that_is_over_says_as_data_who_has_won() {
    let (mut ada, mut bram, game) = begun(json!({ "game": "asalto", "side": "defenders" }), false);
    ada.done(json!({ "do": "enter", "game": game, "typed": "place c6 e6" }));
    let letter = ada.letter(&game);
    bram.receive(&letter);
    let end = json!({ "winner": "defenders", "reason": "resigned" });
    assert_eq!(bram.done(json!({ "do": "enter", "game": game, "typed": "resign" }))["end"], end);
    assert_eq!(bram.done(json!({ "do": "look" }))["games"][0]["end"], end);
    let asked = json!({ "call": "open", "record": bram.game_text(&game) }).to_string();
    let opened: Value = serde_json::from_str(&call(&asked)).expect("an answer");
    assert_eq!(opened["standing"]["end"], end, "{opened}");
}

#[test]
fn a_first_letter_says_where_the_page_is_also_in_a_file() {
    let told = |home: &mut Home, game: &str, address: &str| -> String {
        let deed = json!({ "do": "letter", "game": game, "force": true, "page_at": address });
        let answer = home.answer(deed);
        let text = answer["letters"][0]["text"].as_str().unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (wish, keys) in [
        (json!({ "game": "assassyn", "side": "white", "options": { "deployment": "sealed" } }), true),
        (json!({ "game": "asalto", "side": "besiegers" }), false),
    ] {
        let (mut ada, mut bram, game) = begun(wish, keys);
        let text = told(&mut ada, &game, "https://example.org/play/");
        assert!(text.contains("https://example.org/play/ "), "{text}");
        // What is no address stands in no letter, and whoever was invited knows the page.
        for odd in ["javascript:alert(1)", "https://example.org/ a b", "https://example.org/<b>", "https://"] {
            assert!(!told(&mut ada, &game, odd).contains(odd), "{odd}");
        }
        let mut stream = Xorshift(5);
        assert!(!play(&mut ada, &mut bram, &game, 2, &mut stream));
        let later = [&mut ada, &mut bram].map(|home| told(home, &game, "https://example.org/play/"));
        assert!(later.iter().any(|text| !text.is_empty()), "the one who has moved writes a letter");
        assert!(later.iter().all(|text| !text.contains("example.org/play")), "{later:?}");
    }
}

#[test]
fn a_request_that_cannot_be_read_says_nothing_of_what_is_in_it() {
    let secret = "5d1f0c2a9b7e4410".repeat(4);
    for request in [
        format!("{{\"call\":\"home\",\"files\":{{\"data/secrets/x\":\"{secret}\"}},\"deed\":1}}"),
        format!("{{\"call\":\"home\",\"{secret}\":1}}"),
        format!("{{\"call\":\"home\",\"now\":\"2026-11-21T10:15:00Z\",\"deed\":{{\"do\":\"{secret}\"}}}}"),
    ] {
        let answer = call(&request);
        assert!(answer.contains("error") && !answer.contains(&secret), "{answer}");
    }
}

#[test]
fn a_game_is_taken_out_of_its_file_or_goes_on_without_it_only_by_the_players_word() {
    let wish = json!({ "game": "assassyn", "side": "white", "options": { "deployment": "sealed" } });
    let (mut ada, mut bram, game) = begun(wish, true);
    play(&mut ada, &mut bram, &game, 2, &mut Xorshift(3));
    while ada.game(&game)["is_mine"] != json!(true) {
        play(&mut ada, &mut bram, &game, 1, &mut Xorshift(3));
    }
    let out = json!({ "do": "hand-over", "game": game, "passphrase": "a phrase", "unsure": true });
    let refused = ada.answer(out.clone());
    assert_eq!(refused["refused"]["acts"], json!(["only-here"]), "what is kept may be an older copy: {refused}");
    let mut out = out;
    out["only_here"] = true.into();
    let out = ada.done(out);
    let mut other = Home { seed: 77, hour: ada.hour, ..Home::default() };
    let mut taking = json!({ "do": "restore", "backup": out["text"], "passphrase": "a phrase", "despite_key": true });
    let refused = other.answer(taking.clone());
    assert_eq!(refused["refused"]["acts"], json!(["untaken"]), "{refused}");
    assert!(other.files.is_empty());
    taking["untaken"] = true.into();
    assert_eq!(other.done(taking)["game"], json!(game));
    assert_eq!(other.game(&game)["is_mine"], json!(true));
    // Here nothing is signed, until the player says that the other machine is lost; then the first entry asks once more.
    let resign = json!({ "do": "enter", "game": game, "typed": "resign" });
    let refused = ada.answer(resign.clone());
    assert_eq!(refused["refused"]["acts"], json!([{ "stay": game }]), "{refused}");
    assert_eq!(ada.game(&game)["handed"], json!(true));
    ada.done(json!({ "do": "stay", "game": game }));
    assert_eq!(ada.game(&game)["is_mine"], json!(true));
    let refused = ada.answer(resign);
    assert_eq!(refused["refused"]["acts"], json!(["only-here"]), "{refused}");
    let refused = bram.answer(json!({ "do": "stay", "game": game }));
    assert!(refused["refused"]["message"].as_str().is_some_and(|why| why.contains("never handed over")), "{refused}");
}

#[test]
fn the_list_of_games_names_who_resigns_with_the_next_move() {
    let (mut ada, _, game) = begun(json!({ "game": "asalto", "side": "besiegers", "by_mail": true }), false);
    let row = |ada: &mut Home| ada.done(json!({ "do": "look" }))["games"][0].clone();
    assert_eq!(row(&mut ada)["resigns"], Value::Null);
    let defenders = row(&mut ada)["players"][1].clone();
    ada.files.insert(format!("data/announced/{game}"), "resign defenders 1763800000 -\n".into());
    assert_eq!((&row(&mut ada)["resigns"], defenders.is_string()), (&defenders, true));
}
