//! Checks JSON output against `notation/schema/postrider.json`.
#![cfg(unix)]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use boon::{Compiler, Schemas};
use serde_json::Value;

use crate::repository::{Repo, record};
use crate::session::Session;
use crate::time_stamps::{self as stamped, Authority};

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
    for path in [
        "assassyn/sealed-game.pbem",
        "asalto/refused-never-backwards.pbem",
        "asalto/fifteen-captures.pbem",
        "subsume/a-city-built-and-lost.pbem",
    ] {
        let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(path)).expect("an example");
        session.write(path.rsplit('/').next().expect("a name"), text);
    }
    session
}

/// The commands that have `--json`, by their names: `show`, `git check`.
fn commands_with_json() -> BTreeSet<String> {
    fn add(command: &clap::Command, name: &str, found: &mut BTreeSet<String>) {
        if command.get_arguments().any(|argument| argument.get_long() == Some("json")) {
            found.insert(name.to_owned());
        }
        for below in command.get_subcommands() {
            // Behind a word stand commands that are also found alone.
            if ["archive", "proof", "invite"].contains(&name) {
                continue;
            }
            add(below, format!("{name} {}", below.get_name()).trim_start(), found);
        }
    }
    let mut found = BTreeSet::new();
    add(&postrider::cli::commands(), "", &mut found);
    found
}

/// Holds what commands print to their definitions, and notes which ones were tried.
#[derive(Default)]
struct Tried(RefCell<BTreeSet<String>>);

impl Tried {
    /// The objects of a command: `definition` is its own, or another kind of object that it prints.
    fn holds(&self, command: &str, definition: &str, text: &str) -> Vec<Value> {
        self.0.borrow_mut().insert(command.to_owned());
        fits(definition, text)
    }
}

#[test]
fn every_command_prints_what_the_schema_says() {
    let tried = Tried::default();
    about_games(&tried);
    about_mail(&tried);
    about_many(&tried);
    about_git(&tried);
    about_stamps(&tried);
    about_hosts(&tried);
    assert_eq!(*tried.0.borrow(), commands_with_json(), "each command that has --json is tried here, and no other");
    let defined = schema();
    for command in commands_with_json() {
        // `answer` prints what `move` does.
        let name = if command == "answer" { "move" } else { &command };
        assert!(defined["$defs"][name].is_object(), "{command} has a definition");
    }
}

/// What a host prints.
fn about_hosts(tried: &Tried) {
    let session = Session::new();
    let setup = ["host", "setup", "--yes", "--name", "The Mill", "--email", "games@example.com", "--outbox", "out"];
    session.run(&setup).ok();
    let letter = |words: &str, to: &str, answers: &str, text: &str| {
        format!(
            "From: Ada <ada@example.org>\nTo: {to}\nSubject: {words}\nMessage-ID: <{}@x>\nIn-Reply-To: {answers}\n\n{text}\n",
            words.len()
        )
    };
    let first = letter("play asalto with bram@example.net", "games@example.com", "<x@y>", "Hello");
    let lines = tried.holds(
        "host receive",
        "host receive",
        &session.feed(&["host", "receive", "--json"], first.as_bytes()).ok(),
    );
    assert!(lines.iter().any(|line| line["did"] == "to be confirmed"), "{lines:?}");
    let question = fs::read_dir(session.path("out")).expect("an outbox").next().expect("a letter").expect("a letter");
    let question = postrider_mail::incoming::read(&fs::read(question.path()).expect("a letter"));
    let (from, id) = (question.from.expect("a sender"), question.message_id.expect("an id"));
    session.feed(&["host", "receive"], letter("Re: confirm", &from, &format!("<{id}>"), "yes").as_bytes()).ok();
    let status = tried.holds("host status", "host status", &session.run(&["host", "status", "--json"]).ok());
    assert_eq!((&status[0]["people"], &status[0]["invited"]), (&2.into(), &1.into()));
    let games = tried.holds("host games", "host games", &session.run(&["host", "games", "--json"]).ok());
    assert_eq!(games[0]["state"], "invited");
    let people = tried.holds("host people", "host people", &session.run(&["host", "people", "--json"]).ok());
    assert_eq!(people.len(), 2);
}

/// Commands about one game.
fn about_games(tried: &Tried) {
    let session = session();
    let ok = |name: &str, args: &[&str]| tried.holds(name, name, &session.run(args).ok());
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
    session.run(&["pack", "game.pbem", "sealed-game.pbem", "-o", "two.jsonl.zst"]).ok();
    assert_eq!(ok("verify", &["verify", "--json", "two.jsonl.zst"])[0]["archive"], "two.jsonl.zst");
    let clock = ok("clock", &["clock", "--json", "game.pbem"]);
    assert_eq!(clock[0]["clock"]["grant"], 432_000);

    let begun =
        ok("new", &["new", "assassyn", "--player", "white=Ada", "--player", "black=Bram", "-o", "new.pbem", "--json"]);
    assert_eq!((&begun[0]["path"], &begun[0]["game"]), (&"new.pbem".into(), &"assassyn".into()));
    let invited = ok("invite", &["invite", "ada@example.org", "asalto", "--id", "asalto-invited", "--json"]);
    assert_eq!((&invited[0]["you"], &invited[0]["sent"]["letter"]), (&"besiegers".into(), &"sent".into()));
    let tried_only = ok("move", &["move", "-n", "--json", "game.pbem", "c6-d6"]);
    assert_eq!((&tried_only[0]["written"], &tried_only[0]["sent"]), (&false.into(), &Value::Null));
    let made = ok("move", &["move", "--json", "game.pbem", "c6-d6", "--send"]);
    assert_eq!((&made[0]["number"], &made[0]["due"]), (&3.into(), &"besiegers".into()));
    assert_eq!((&made[0]["sent"]["letter"], &made[0]["sent"]["to"]), (&"sent".into(), &"ada@example.org".into()));
    // Made again it is there already, and that is an object too.
    let stands = ok("move", &["move", "--json", "game.pbem", "c6-d6", "--send"]);
    assert_eq!((&stands[0]["number"], &stands[0]["written"]), (&3.into(), &false.into()));
    let again = ok("send", &["send", "--json", "game.pbem"]);
    assert_eq!(again[0]["sent"]["letter"], "already sent");
    let back = ok("undo", &["undo", "--json", "game.pbem", "--unsent"]);
    assert_eq!((&back[0]["number"], &back[0]["entries"]), (&3.into(), &2.into()));
    assert_eq!(back[0]["deleted"].as_array().map(Vec::len), Some(1));

    session.run(&["if", "game.pbem", "c6-d6", "e4-e5"]).fails(2);
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n");
    let own = ok("own", &["own", "--json", "game.pbem"]);
    assert_eq!((&own[0]["you"], &own[0]["why"]), (&"besiegers".into(), &"it has your address".into()));
    let prepared = ok("if", &["if", "--json", "game.pbem", "c6-d6", "e4-e5", "e6xe4xc4xc6", "c3-c4"]);
    let tree = &prepared[0]["conditions"][0];
    assert_eq!((&tree["side"], &tree["from"], &tree["state"]), (&"besiegers".into(), &3.into(), &"waiting".into()));
    assert_eq!((&tree["branches"][0]["if"], &tree["branches"][0]["then"]), (&"c6-d6; huff d6".into(), &"e4-e5".into()));
    assert!(tree["branches"][0]["next"][0]["then"].is_string(), "{tree}");
    assert_eq!(ok("if", &["if", "--json", "game.pbem"]), prepared);
    session.run(&["move", "game.pbem", "c6-d6", "--for", "defenders"]).ok();
    let ready = ok("if", &["if", "--json", "game.pbem"]);
    let tree = &ready[0]["conditions"][0];
    assert_eq!(
        (&tree["state"], &tree["played"], &tree["reply"]),
        (&"ready".into(), &"c6-d6; huff d6".into(), &"e4-e5".into())
    );
    let without = ok("if", &["if", "--json", "a-city-built-and-lost.pbem", "--clear"]);
    assert_eq!(without[0]["conditions"], Value::Array(Vec::new()));
    let said = ok("own", &["own", "--json", "game.pbem", "nobody"]);
    assert_eq!((&said[0]["you"], &said[0]["why"]), (&Value::Null, &"you said so".into()));
    assert_eq!(ok("own", &["own", "--json", "game.pbem"]), said, "a spectator is told so");
    assert!(session.run(&["own", "game.pbem"]).ok().contains("you are a spectator"));
    assert_eq!(ok("own", &["own", "--json", "game.pbem", "besiegers"])[0]["you"], "besiegers");
    let none = ok("key show", &["key", "show", "--json"]);
    assert_eq!((&none[0]["key"], &none[0]["known"]), (&Value::Null, &Value::Array(Vec::new())));
    let answered = tried.holds("answer", "move", &session.run(&["answer", "--json", "game.pbem"]).ok());
    assert_eq!((&answered[0]["number"], &answered[0]["side"]), (&4.into(), &"besiegers".into()));
}

/// What comes by mail.
fn about_mail(tried: &Tried) {
    let session = Session::new();
    session.write("game.pbem", ASALTO);
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\n");
    session.run(&["send", "game.pbem"]).ok();
    let letter = fs::read_dir(session.path("home/data/outbox")).expect("an outbox").flatten().next().expect("a letter");
    let letter = letter.path();
    let letter = letter.to_str().expect("UTF-8");
    let bram = Session::new();
    bram.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\ngames: ../games\n");
    // The last line counts what the others say.
    let received = |args: &[&str]| {
        let text = bram.run(args).ok();
        let (told, counts) = text.trim_end().rsplit_once('\n').expect("a report and the counts");
        (tried.holds("receive", "receive", told), fits("received", counts).remove(0))
    };
    let (told, counts) = received(&["receive", "--json", letter]);
    assert_eq!((&told[0]["fate"], &told[0]["id"]), (&"invitation".into(), &"asalto-session".into()));
    assert_eq!((&told[0]["game"], &counts["invitations"]), (&"asalto".into(), &1.into()));
    let invited = tried.holds("invitations", "invitations", &bram.run(&["invitations", "--json"]).ok());
    assert_eq!((&invited[0]["id"], &invited[0]["game"]), (&"asalto-session".into(), &"asalto".into()));
    let listed = tried.holds("accept", "invitations", &bram.run(&["accept", "--json"]).ok());
    assert_eq!(listed, invited, "without an id they are listed");
    bram.write(".game.pbem.Ab12cD.tmp", "half");
    bram.write("home/data/.shelf.put.Ab12cD.tmp", "half");
    let found = bram.run(&["doctor", "--json"]);
    assert_eq!(found.code, 1);
    assert_eq!(tried.holds("doctor", "doctor", &found.out)[0]["finding"], "leftover");
    let refused = bram.run(&["accept", "--json", "asalto-session"]);
    assert_eq!((refused.code, &fits("failure", &refused.out)[0]["failure"]), (2, &"trouble".into()));
    let accepted =
        tried.holds("accept", "accept", &bram.run(&["accept", "--json", "asalto-session", "--despite-entries"]).ok());
    assert_eq!((&accepted[0]["you"], &accepted[0]["entries"]), (&"defenders".into(), &2.into()));
    assert_eq!(accepted[0]["keys"], serde_json::json!({"besiegers": null, "defenders": null}));
    bram.run(&["key", "new"]).ok();
    bram.run(&["key", "trust", "ada@example.org", "1a2b-3c4d-5e6f-7a8b-9c0d-1e2f-3a4b-5c6d"]).ok();
    let keys = tried.holds("key show", "key show", &bram.run(&["key", "show", "--json"]).ok());
    assert_eq!((&keys[0]["locked"], &keys[0]["known"][0]["who"]), (&false.into(), &"ada@example.org".into()));
    assert_eq!((keys[0]["key"].as_str().map(str::len), &keys[0]["known"][0]["trusted"]), (Some(44), &true.into()));
    let (told, _) = received(&["receive", "--json", letter]);
    assert_eq!(told[0]["fate"], "known");
    let nothing = bram.feed(&["receive", "--json"], b"From: x@example.net\nSubject: hello\n\nno record\n");
    assert_eq!(fits("received", &nothing.ok())[0]["other"], 1);
    // And the list of the games, one of which is no record.
    bram.write("games/broken.pbem", "---\npbem: 1\n");
    let listed = tried.holds("status", "status", &bram.run(&["status", "--json"]).ok());
    assert_eq!((&listed[0]["game"], &listed[0]["you"]), (&"asalto".into(), &"defenders".into()));
    assert_eq!((&listed[0]["left"]["defenders"].is_i64(), &listed[1]["state"]), (&true, &"refused".into()));
}

/// Commands about many records.
fn about_many(tried: &Tried) {
    let session = session();
    let files = ["game.pbem", "sealed-game.pbem", "a-city-built-and-lost.pbem", "refused-never-backwards.pbem"];
    let of = |first: &[&'static str]| session.run(&[first, &files].concat());
    let exported = of(&["export", "--json"]);
    assert_eq!(exported.code, 1, "one of them is refused");
    let rows = tried.holds("export", "export", &exported.out);
    assert_eq!((rows.len(), &rows[0]["game"]), (4, &"asalto".into()));
    fits("export", &of(&["export", "--addresses"]).out);
    assert!(fits("exported entry", &of(&["export", "--entries"]).out).len() > 20);
    assert!(fits("exported entry", &of(&["export", "--positions"]).out)[0]["position"].is_string());
    let tables = tried.holds("table", "table", &of(&["table", "--json"]).ok());
    assert_eq!(tables[0]["left_out"].as_array().map(Vec::len), Some(2));
    assert!(tables[0]["winners"].as_array().is_some_and(|rows| rows.iter().any(|row| row["game"] == "subsume")));
    assert_eq!(of(&["table", "--format", "json"]).ok(), of(&["table", "--json"]).ok());
    let learned = session.run(&["learn", "asalto", "--list", "--json"]).ok();
    assert_eq!(tried.holds("learn", "learn", &learned)[0]["done"], false);
    let matched = session.run(&["match", "asalto", "1", "random", "--games", "1", "--json"]).ok();
    assert_eq!(tried.holds("match", "match", &matched)[0]["games"], 1);
    let lost = session.run(&["review", "fifteen-captures.pbem", "--level", "1", "--json"]).ok();
    let lost = tried.holds("review", "review", &lost);
    assert!(lost.len() == 39 && lost.iter().any(|row| row["turned"] == "missed"), "{lost:?}");
}

/// Records in a repository.
fn about_git(tried: &Tried) {
    let repo = Repo::plain(&[]);
    repo.write("games/a.pbem", record(2));
    repo.commit("two entries").ok();
    repo.write("games/a.pbem", record(3));
    repo.commit("a third").ok();
    let history = repo.postrider(&["git", "history", "--json"]).ok();
    let history = tried.holds("git history", "git history", &history);
    assert_eq!((&history[0]["game"], &history[0]["rows"][2]["number"]), (&"asalto".into(), &3.into()));
    assert!(history[0]["rows"][0]["origin"]["commit"].is_string());
    let checked = repo.postrider(&["git", "check", "--json", "HEAD~1..HEAD"]).ok();
    assert_eq!(tried.holds("git check", "git check", &checked)[0]["change"], "changed");
    repo.write("games/a.pbem", record(1));
    repo.git(&["add", "-A"]).ok();
    let refused = repo.postrider(&["git", "check", "--json", "--staged"]);
    assert_eq!((refused.code, &fits("git check", &refused.out)[0]["refused"]), (1, &true.into()));
}

/// Time stamps, where there is an authority.
fn about_stamps(tried: &Tried) {
    tried.0.borrow_mut().insert("stamp".into());
    let Some(authority) = Authority::new() else { return };
    let session = &authority.session;
    session.write("game.pbem", stamped::record("2026-11-20T11:00:00Z"));
    let args = ["stamp", "--json", "game.pbem", "--authorities", "ca.pem", "--", "sh", "tsa.sh"];
    let told = tried.holds("stamp", "stamp", &session.run(&args).ok());
    assert_eq!((&told[0]["entries"], told[0]["digest"].as_str().map(str::len)), (&2.into(), Some(64)));
}

#[test]
fn a_refusal_is_an_object_with_the_rule_the_place_and_what_is_legal() {
    let session = session();
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\n");
    session.run(&["move", "game.pbem", "c6-d6", "--for", "defenders"]).ok();
    let before = session.read("game.pbem");
    let plain = session.run(&["move", "game.pbem", "b4-a4"]);
    let done = session.run(&["move", "--json", "game.pbem", "b4-a4"]);
    assert_eq!((done.code, done.err.as_str()), (plain.code, ""));
    let told = fits("failure", &done.out).remove(0);
    assert_eq!((&told["failure"], &told["code"]), (&"refused".into(), &1.into()));
    let error = &told["errors"][0];
    assert_eq!((&error["rule"], &error["column"]), (&"T20".into(), &1.into()));
    assert!(error["legal"].as_str().is_some_and(|legal| legal.contains("b4")), "{error}");
    assert!(error["excerpt"].as_str().is_some_and(|excerpt| excerpt.contains("b4-a4") && excerpt.contains("^^^^^")));
    let hints = told["hints"].as_array().expect("hints");
    assert!(hints.iter().any(|hint| hint == "`postrider moves game.pbem` lists every legal entry"), "{hints:?}");
    for hint in hints {
        assert!(plain.err.contains(hint.as_str().expect("text")), "people read the same: {hint}");
    }
    // Whatever else is in the way is one too, with the exit code that it always has.
    for (args, code, failure) in [
        (&["move", "--json", "game.pbem", "c4"][..], 1, "refused"),
        (&["move", "--json", "game.pbem", "e4-e5", "--message", "a } b"], 1, "refused"),
        (&["move", "--json", "a-city-built-and-lost.pbem", "pass"], 1, "refused"),
        (&["move", "--json", "refused-never-backwards.pbem", "c4-c5"], 1, "refused"),
        (&["move", "--json", "nowhere.pbem", "c4-c5"], 2, "trouble"),
        (&["answer", "--json", "game.pbem"], 2, "trouble"),
        (&["undo", "--json", "nowhere.pbem"], 2, "trouble"),
        (&["moves", "--json", "game.pbem", "no such thing"], 1, "refused"),
        (&["clock", "--json", "nowhere.pbem"], 2, "trouble"),
        (&["git", "history", "--json"], 2, "trouble"),
    ] {
        let done = session.run(args);
        assert_eq!((done.code, done.err.as_str()), (code, ""), "{args:?} {}", done.out);
        let told = fits("failure", &done.out).remove(0);
        assert_eq!((&told["failure"], &told["code"]), (&failure.into(), &code.into()), "{args:?}");
        let words: Vec<&str> = args.iter().copied().filter(|word| *word != "--json").collect();
        assert_eq!(session.run(&words).code, code, "the exit code is the same without --json: {args:?}");
    }
    assert_eq!(session.read("game.pbem"), before);
    // Of a game that is over the rule is named.
    let over = session.run(&["move", "--json", "a-city-built-and-lost.pbem", "pass"]).out;
    assert_eq!(fits("failure", &over)[0]["errors"][0]["rule"], "E4");
}

#[test]
fn json_shows_nothing_hidden_unless_one_side_is_asked_for() {
    let session = Session::new();
    session.write("home/settings.yaml", "email: ada@example.org\n");
    session.write("bram/settings.yaml", "email: bram@example.net\n");
    let (white, black) = ("white=Ada <ada@example.org>", "black=Bram <bram@example.net>");
    let new = ["new", "subsume", "--id", "subsume-json", "--player", white, "--player", black, "-o", "g.pbem"];
    session.run(&new).ok();
    // Her first token lies sealed.
    session.run(&["move", "g.pbem", "+d1A; d1-d2"]).ok();
    let show = |home: &str, args: &[&str]| {
        let done = session.command(args).env("POSTRIDER_HOME", session.path(home)).output().expect("the program");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        fits("show", &String::from_utf8(done.stdout).expect("UTF-8")).remove(0)
    };
    let public = show("home", &["show", "--json", "g.pbem"]);
    let own = show("home", &["show", "--json", "--as", "white", "g.pbem"]);
    assert_eq!((&public["viewer"], &own["viewer"]), (&Value::Null, &"white".into()));
    assert_ne!(own["words"], public["words"], "the owner sees more");
    assert_eq!(own["position"], public["position"], "the position line is what all see");
    assert_eq!(show("bram", &["show", "--json", "g.pbem"]), public, "everybody reads the same");
    // Without the secret nobody is shown that side's view.
    let asked = session
        .command(&["show", "--json", "--as", "white", "g.pbem"])
        .env("POSTRIDER_HOME", session.path("bram"))
        .output();
    let asked = asked.expect("the program");
    assert_eq!((asked.status.code(), asked.stderr.as_slice()), (Some(2), &b""[..]));
    fits("failure", &String::from_utf8(asked.stdout).expect("UTF-8"));
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
            let one = format!("#/$defs/{name}");
            // Where there may be none it is that or null.
            let or_null = value["anyOf"][0]["$ref"] == one && value["anyOf"][1]["type"] == "null";
            assert!(inner || or_null || value["$ref"] == one, "{name}: {value}");
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
