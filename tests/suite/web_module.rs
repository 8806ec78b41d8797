//! Compares the module for browsers with the library: the same requests, the same answers, byte for byte.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use data_encoding::BASE64;
use postrider_requests::call;
use serde_json::json;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The module to test: the one in the repository, or that in `POSTRIDER_MODULE`.
fn module() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("POSTRIDER_MODULE") {
        return Some(path.into());
    }
    // A module built from other sources may well answer differently.
    let fresh = Command::new("bash").arg(root().join("web/build")).arg("--check").output();
    match fresh {
        Ok(done) if done.status.success() => Some(root().join("crates/page/src/referee.wasm.gz")),
        _ => {
            eprintln!(
                "**** referee.wasm.gz IS OF OTHER SOURCES: `web/build` makes it anew; it is not compared here. ****"
            );
            None
        }
    }
}

/// Every record below a folder.
fn records(folder: &Path, found: &mut Vec<Vec<u8>>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            records(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pbem") {
            found.push(fs::read(&path).expect("a record"));
        }
    }
}

/// The module's answers to these requests.
fn answers(module: &Path, requests: &[String]) -> Option<Vec<String>> {
    let mut node = Command::new("node");
    node.arg(root().join("web/answer.mjs")).arg(module).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = match node.spawn() {
        Ok(child) => child,
        Err(error) if std::env::var_os("POSTRIDER_NODE").is_none() => {
            eprintln!("**** NO NODE ({error}): the module is passed over. ****");
            return None;
        }
        Err(error) => panic!("node cannot be started: {error}"),
    };
    let mut input = child.stdin.take().expect("standard input");
    let text = requests.join("\n") + "\n";
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let done = child.wait_with_output().expect("node ends");
    assert!(done.status.success(), "node failed");
    writer.join().expect("a writer").expect("all is read");
    Some(String::from_utf8(done.stdout).expect("UTF-8").lines().map(str::to_owned).collect())
}

#[test]
fn the_module_gives_exactly_the_answers_of_the_library() {
    let Some(module) = module() else { return };
    let mut all = Vec::new();
    for folder in ["tests/data", "examples"] {
        records(&root().join(folder), &mut all);
    }
    assert!(all.len() > 150, "{}", all.len());
    let mut requests = vec![json!({ "call": "about" }).to_string()];
    for (nth, record) in all.iter().enumerate() {
        requests.push(json!({ "call": "verify", "base64": BASE64.encode(record) }).to_string());
        // A record that was truncated or changed on its way.
        let mut cut = record.clone();
        cut.truncate(record.len() * (nth % 7 + 1) / 8);
        requests.push(json!({ "call": "verify", "base64": BASE64.encode(&cut) }).to_string());
        let mut changed = record.clone();
        if let Some(byte) = changed.get_mut(record.len() * (nth % 11 + 1) / 13) {
            *byte = byte.wrapping_add(1);
        }
        requests.push(json!({ "call": "verify", "base64": BASE64.encode(&changed) }).to_string());
        let Ok(text) = std::str::from_utf8(record) else { continue };
        requests.push(json!({ "call": "open", "record": text }).to_string());
        requests.push(json!({ "call": "position", "record": text, "look": "classes" }).to_string());
        requests.push(json!({ "call": "next", "record": text, "seed": 7 }).to_string());
        requests.push(json!({ "call": "judge", "record": text, "typed": "resign" }).to_string());
    }
    practice(&mut requests);
    let Some(answers) = answers(&module, &requests) else { return };
    assert_eq!(answers.len(), requests.len());
    for (request, answer) in requests.iter().zip(&answers) {
        assert!(*answer == call(request), "{request}\nmodule:  {answer}\nlibrary: {}", call(request));
    }
}

/// Requests about games against the machine, lessons and looks back: what is chosen has to be the same in a browser and in the program.
fn practice(requests: &mut Vec<String>) {
    for game in postrider_referee::registry::GAMES {
        let info = game.info();
        requests.push(json!({ "call": "minute", "game": info.name }).to_string());
        requests.push(json!({ "call": "lessons", "game": info.name }).to_string());
        requests.push(json!({ "call": "lesson", "game": info.name, "number": 2, "typed": "nothing" }).to_string());
        for (side, seed) in info.sides.iter().zip([4, 5]) {
            let begun = call(
                &json!({ "call": "practice", "game": info.name, "side": side.word, "level": 1, "seed": seed, "started": "2026-11-22" })
                    .to_string(),
            );
            let mut record: serde_json::Value = serde_json::from_str(&begun).expect("JSON");
            for _ in 0..6 {
                let Some(text) = record["record"].as_str().map(str::to_owned) else { break };
                let choose = json!({ "call": "choose", "record": text, "playouts": 60, "seed": 9 }).to_string();
                let chosen: serde_json::Value = serde_json::from_str(&call(&choose)).expect("JSON");
                let append = json!({ "call": "append", "record": text, "typed": chosen["actions"] }).to_string();
                requests.extend([
                    json!({ "call": "answer", "record": text }).to_string(),
                    json!({ "call": "open", "record": text }).to_string(),
                    json!({ "call": "next", "record": text }).to_string(),
                    json!({ "call": "undo", "record": text }).to_string(),
                    choose,
                    append.clone(),
                ]);
                record = serde_json::from_str(&call(&append)).expect("JSON");
            }
        }
    }
    let over = fs::read_to_string(root().join("examples/asalto/a-signed-game.pbem")).expect("an example");
    requests.push(json!({ "call": "review", "record": over, "level": 1 }).to_string());
}

#[test]
fn verify_prints_the_object_that_the_module_answers() {
    let session = crate::session::Session::new();
    for name in ["asalto/fifteen-captures", "asalto/a-signed-game", "asalto/refused-never-backwards"] {
        let path = root().join("examples").join(name).with_extension("pbem");
        let record = fs::read(&path).expect("an example");
        let answer: serde_json::Value =
            serde_json::from_str(&call(&json!({ "call": "verify", "base64": BASE64.encode(&record) }).to_string()))
                .expect("JSON");
        let printed = session.run(&["verify", "--json", &path.to_string_lossy()]).out;
        let mut printed: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
        printed["path"] = serde_json::Value::Null;
        assert_eq!(answer["report"], printed, "{name}");
    }
}
