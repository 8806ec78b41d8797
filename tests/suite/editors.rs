//! The language server, spoken with as editors do; and Neovim and Emacs themselves with the settings of the examples, where they are
//! installed.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::repository::record;
use crate::session::Session;

const URI: &str = "file:///games/a%20game.pbem";

/// An editor that speaks with the server.
struct Editor {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    asked: i64,
}

impl Editor {
    fn start(session: &Session) -> Self {
        Self::start_with(session, json!({}))
    }

    fn start_with(session: &Session, capabilities: Value) -> Self {
        let mut server =
            session.command(&["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server");
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().expect("piped")));
        let mut editor = Self { server, to, from, asked: 0 };
        let about =
            editor.ask("initialize", json!({ "processId": null, "rootUri": null, "capabilities": capabilities }));
        assert_eq!(about["serverInfo"]["name"], "postrider");
        editor.tell("initialized", json!({}));
        editor
    }

    /// A server to which nothing was said yet.
    fn silent(session: &Session) -> Self {
        let mut command = session.command(&["lsp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = command.spawn().expect("the server");
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().expect("piped")));
        Self { server, to, from, asked: 0 }
    }

    /// Waits for the end, and returns the exit code and what was said.
    fn ended(mut self) -> (Option<i32>, String) {
        self.to = None;
        let done = self.server.wait_with_output().expect("it ends");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let to = self.to.as_mut().expect("open");
        write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        to.flush().expect("the server reads");
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).expect("a head");
            match line.trim_end() {
                "" => break,
                line => {
                    length = line.strip_prefix("Content-Length: ").map_or(length, |it| it.parse().expect("a number"))
                }
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Asks, and returns the whole answer.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let answer = self.read();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// Opens or changes the text, and returns what is wrong with it.
    fn write(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.tell(method, params);
        let said = self.read();
        assert_eq!((&said["method"], &said["params"]["uri"]), (&"textDocument/publishDiagnostics".into(), &URI.into()));
        said["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    fn open(&mut self, text: &str) -> Vec<Value> {
        let document = json!({ "uri": URI, "languageId": "pbem", "version": 1, "text": text });
        self.write("textDocument/didOpen", json!({ "textDocument": document }))
    }

    fn change(&mut self, text: &str) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": [{ "text": text }] });
        self.write("textDocument/didChange", params)
    }

    /// The parameters of a request about the end of a text.
    fn end_of(text: &str) -> Value {
        let line = text.matches('\n').count();
        let character = text.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
        json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } })
    }

    fn leave(mut self) {
        assert!(self.ask("shutdown", Value::Null).is_null());
        self.tell("exit", Value::Null);
        self.to = None;
        assert!(self.server.wait().expect("it ends").success());
    }
}

#[test]
fn faults_are_marked_as_one_types_and_described_with_their_rule() {
    let session = Session::new();
    let mut editor = Editor::start(&session);
    assert_eq!(editor.open(&record(2)), Vec::<Value>::new());
    let text = record(1) + "2 besiegers b4-b3 @2026-11-22T08:02:11Z {\u{1f600}}\n";
    let [fault] = &editor.change(&text)[..] else { panic!("one fault") };
    assert_eq!((&fault["code"], &fault["source"], &fault["severity"]), (&"T21".into(), &"postrider".into(), &1.into()));
    assert_eq!(fault["range"]["start"], json!({ "line": 10, "character": 12 }));
    assert_eq!(fault["range"]["end"], json!({ "line": 10, "character": 17 }));
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 10, "character": 14 } });
    let said = editor.ask("textDocument/hover", at.clone())["contents"]["value"].to_string();
    assert!(said.contains("### T21 never backwards"), "{said}");
    // Of a legal entry the board is shown, and behind the last one who is due.
    assert_eq!(editor.change(&record(2)), Vec::<Value>::new());
    let board = editor.ask("textDocument/hover", at)["contents"]["value"].to_string();
    assert!(board.contains("7           o...") && board.contains("defenders due: a move"), "{board}");
    let hints =
        editor.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": fault["range"] }));
    assert_eq!(hints[0]["label"], "defenders due: a move");
    // A closed text is nothing to speak of.
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(editor.read()["params"]["diagnostics"], json!([]));
    assert!(
        editor
            .ask(
                "textDocument/hover",
                json!({ "textDocument": { "uri": URI }, "position": { "line": 9, "character": 1 } })
            )
            .is_null()
    );
    let unknown = editor.answer("textDocument/rename", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    assert_eq!(editor.answer("textDocument/hover", json!({ "x": 1 }))["error"]["code"], -32602);
    editor.leave();
}

#[test]
fn a_text_may_have_any_name_and_each_answer_says_of_which_version_it_is() {
    let session = Session::new();
    let mut editor = Editor::start(&session);
    let text = record(1) + "2 besiegers b4-b3 @2026-11-22T08:02:11Z\n";
    for name in
        ["file:///games/[a|b] c.pbem", "file:///\u{e4}\u{1f600}.pbem", "untitled:Untitled-1", "C:\\a.pbem", "", "%"]
    {
        let document = json!({ "uri": name, "languageId": "pbem", "version": 7, "text": text });
        editor.tell("textDocument/didOpen", json!({ "textDocument": document }));
        let said = editor.read()["params"].clone();
        assert_eq!((&said["uri"], &said["version"]), (&name.into(), &7.into()));
        assert_eq!(said["diagnostics"][0]["code"], "T21");
        let changed = json!([{ "text": record(1) + "c4-c5" }]);
        editor.tell(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": name, "version": 8 }, "contentChanges": changed }),
        );
        assert_eq!(editor.read()["params"]["version"], 8);
        let place = json!({ "line": 10, "character": 2 });
        let params = json!({ "textDocument": { "uri": name }, "range": { "start": place, "end": place }, "context": { "diagnostics": [] } });
        let actions = editor.ask("textDocument/codeAction", params);
        let edits = actions[0]["edit"]["changes"].as_object().unwrap();
        assert_eq!(edits.keys().collect::<Vec<_>>(), [name]);
    }
    editor.leave();
}

#[test]
fn the_server_ends_as_the_protocol_asks() {
    let session = Session::new();
    let mut editor = Editor::silent(&session);
    assert_eq!(editor.answer("textDocument/hover", json!({}))["error"]["code"], -32002, "before `initialize`");
    editor.ask("initialize", json!({ "capabilities": {} }));
    assert_eq!(editor.answer("initialize", json!({}))["error"]["code"], -32600);
    assert!(editor.ask("shutdown", Value::Null).is_null());
    for method in ["shutdown", "textDocument/hover", "initialize"] {
        assert_eq!(editor.answer(method, json!({}))["error"]["code"], -32600, "after `shutdown`: {method}");
    }
    editor.tell("exit", Value::Null);
    assert_eq!(editor.ended(), (Some(0), String::new()));
    let mut editor = Editor::start(&session);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.ended().0, Some(1), "the editor has not said that it leaves");
    let editor = Editor::start(&session);
    assert_eq!(editor.ended().0, Some(1), "the editor is gone");
}

#[test]
fn what_is_no_message_is_answered_or_ends_the_server_with_a_word() {
    let session = Session::new();
    for head in ["Content-Length: 18446744073709551615\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Type: a\r\n\r\n"]
    {
        let mut editor = Editor::silent(&session);
        editor.to.as_mut().unwrap().write_all(head.as_bytes()).unwrap();
        let (code, said) = editor.ended();
        assert!(code == Some(2) && said.contains("Content-Length") && !said.contains("panicked"), "{code:?}: {said}");
    }
    let mut editor = Editor::start(&session);
    for body in ["{", "5", "\u{fffd}"] {
        write!(editor.to.as_mut().unwrap(), "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        assert_eq!(editor.read()["error"]["code"], -32700, "{body}");
    }
    editor.leave();
}

/// 20,000 entries took seconds, in which nothing else was answered.
#[test]
fn the_entries_of_a_long_record_are_listed_at_once() {
    let session = Session::new();
    let mut editor = Editor::start(&session);
    let mut text = String::from(
        "---\npbem: 1\ngame: assideum\nid: assideum-long-1\nplayers:\n  white: {name: Ada}\n  black: {name: Bram}\n\
        started: 2026-11-21\noptions: {quiet-turns: none, repetition: none}\n---\n",
    );
    for number in 0..20_000 {
        let side = if number % 2 == 0 { "white" } else { "black" };
        text += &format!("{} {side} {}\n", number + 1, ["Rd1=S", "Rd8=N", "Rd1=N", "Rd8=S"][number % 4]);
    }
    assert_eq!(editor.open(&text), Vec::<Value>::new());
    let begun = std::time::Instant::now();
    let symbols = editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    let took = begun.elapsed();
    assert_eq!(symbols.as_array().map(Vec::len), Some(20_000));
    assert_eq!(symbols[19_999]["range"]["start"], json!({ "line": 20_009, "character": 0 }));
    // With a look through the whole text for each place it would be minutes in this build.
    assert!(took.as_secs() < 60, "{took:?}");
    editor.leave();
}

#[test]
fn every_suggestion_that_an_editor_takes_makes_a_legal_record() {
    let session = Session::new();
    let mut editor = Editor::start(&session);
    for typed in ["", "2 besiegers ", "c4", "2 besiegers c4"] {
        let text = record(1) + typed;
        editor.open(&text);
        let found = editor.ask("textDocument/completion", Editor::end_of(&text));
        let item =
            found.as_array().unwrap().iter().find(|item| item["filterText"].as_str().unwrap().ends_with("c4-c5"));
        let edit = &item.unwrap()["textEdit"];
        let begin = edit["range"]["start"]["character"].as_u64().unwrap() as usize;
        let line = edit["newText"].as_str().unwrap();
        let whole = format!("{}{}{line}\n", record(1), &typed[..begin]);
        assert_eq!(editor.change(&whole), Vec::<Value>::new(), "{whole}");
        assert!(whole.ends_with("\n2 besiegers c4-c5 @2026-11-21T12:00:00Z\n"), "{whole}");
    }
    let text = "---\npbem: 1\ngame: a";
    editor.open(text);
    let found = editor.ask("textDocument/completion", Editor::end_of(text));
    assert_eq!(found[0]["label"], "asalto", "{found}");
    editor.leave();
}

#[test]
fn an_editor_that_shows_no_markdown_gets_none() {
    let session = Session::new();
    let formats = json!({ "textDocument": { "hover": { "contentFormat": ["plaintext"] } } });
    let mut editor = Editor::start_with(&session, formats);
    editor.open(&(record(1) + "2 besiegers b4-b3 @2026-11-22T08:02:11Z\n"));
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 10, "character": 14 } });
    let said = editor.ask("textDocument/hover", at);
    assert_eq!(said["contents"]["kind"], "plaintext");
    let said = said["contents"]["value"].as_str().unwrap();
    assert!(said.starts_with("b4-b3: ") && said.contains("\nT21 never backwards\n"), "{said}");
    editor.leave();
}

#[test]
fn what_may_follow_is_suggested_and_what_is_typed_becomes_canonical() {
    let session = Session::new();
    let mut editor = Editor::start(&session);
    let text = record(1) + "2 besiegers ";
    editor.open(&text);
    let found = editor.ask("textDocument/completion", Editor::end_of(&text));
    let labels: Vec<&str> = found.as_array().unwrap().iter().filter_map(|item| item["label"].as_str()).collect();
    assert!(labels.contains(&"c4-c5") && !labels.contains(&"b4-b3"), "{labels:?}");
    let text = record(1) + "C4-C5";
    editor.change(&text);
    let end = &Editor::end_of(&text)["position"];
    let params = json!({ "textDocument": { "uri": URI }, "range": { "start": end, "end": end }, "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", params.clone());
    let edit = &actions[0]["edit"]["changes"][URI][0];
    // As when a file is saved.
    let mut others = params.clone();
    others["context"]["only"] = json!(["source.organizeImports"]);
    assert!(editor.ask("textDocument/codeAction", others).is_null());
    assert_eq!(edit["newText"], "2 besiegers c4-c5 @2026-11-21T12:00:00Z");
    assert_eq!(edit["range"]["start"], json!({ "line": 10, "character": 0 }));
    // The whole record, as `fmt` writes it.
    let loose = record(2).replace("2 besiegers c4-c5", "2  besiegers  c4-c5");
    let loose = if editor.change(&loose).is_empty() { loose } else { record(2).replace('\n', "\r\n") };
    assert_eq!(editor.change(&loose), Vec::<Value>::new());
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = editor.ask("textDocument/formatting", json!({ "textDocument": { "uri": URI }, "options": options }));
    session.write("a.pbem", &loose);
    session.run(&["fmt", "a.pbem"]).ok();
    assert_eq!(edits[0]["newText"], session.read("a.pbem"));
    let symbols = editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    let names: Vec<&str> = symbols.as_array().unwrap().iter().filter_map(|symbol| symbol["name"].as_str()).collect();
    assert!(names.len() == 2 && names[1].starts_with("2 besiegers c4-c5"), "{names:?}");
    editor.leave();
}

#[test]
fn whatever_is_opened_the_server_goes_on() {
    let session = Session::new();
    let mut editor = Editor::start(&session);
    editor.open("");
    for text in [
        "\u{feff}---\n",
        "---\npbem: 1\n---\n1 ",
        "\r\n\r\n---",
        "\u{1f600}".repeat(99).as_str(),
        &"x\n".repeat(100_000),
    ] {
        editor.change(text);
        for position in [
            json!({ "line": 0, "character": 0 }),
            json!({ "line": 4_000_000, "character": 7 }),
            json!({ "line": 1, "character": 9 }),
        ] {
            let at = json!({ "textDocument": { "uri": URI }, "position": position });
            for method in ["hover", "completion"] {
                editor.ask(&format!("textDocument/{method}"), at.clone());
            }
        }
    }
    editor.change(&"y".repeat(17 << 20));
    editor.leave();
}

/// Says that a program is not here; where it is required, that is a fault.
fn passed_over(program: &str) {
    assert!(std::env::var_os("POSTRIDER_EDITORS").is_none(), "there is no {program}");
    eprintln!("**** NO {program}: it is passed over. ****");
}

#[test]
fn a_desktop_knows_a_record_by_its_name_and_its_first_bytes() {
    let session = Session::new();
    let types = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/editors/postrider-mime.xml")).unwrap();
    session.write("mime/packages/postrider.xml", types);
    let Ok(made) = Command::new("update-mime-database").arg(session.path("mime")).output() else {
        return passed_over("update-mime-database");
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let globs = session.read("mime/globs2");
    assert!(globs.lines().any(|line| line.ends_with("text/x-pbem:*.pbem")), "{globs}");
    let magic = fs::read(session.path("mime/magic")).unwrap();
    let holds = |bytes: &[u8]| magic.windows(bytes.len()).any(|window| window == bytes);
    assert!(holds(b"[60:text/x-pbem]") && holds(b"---\npbem: "), "{}", String::from_utf8_lossy(&magic));
}

#[test]
fn file_tells_a_record_by_its_first_bytes() {
    let session = Session::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    session.write("open.pbem", record(1));
    session.write("crlf.pbem", record(1).replace('\n', "\r\n"));
    session.write("notes.md", "---\ntitle: pbem\n---\n");
    let file = |options: &[&str]| {
        let mut command = Command::new("file");
        command.arg("-m").arg(root.join("examples/editors/pbem.magic")).args(options);
        command.args(["open.pbem", "crlf.pbem", "notes.md"]).current_dir(session.folder.path()).output()
    };
    let Ok(told) = file(&["--brief"]) else { return passed_over("file") };
    let told = String::from_utf8(told.stdout).unwrap();
    let told: Vec<_> = told.lines().collect();
    assert_eq!(told[..2], ["game played by mail (PBEM record), game: asalto"; 2]);
    assert!(!told[2].contains("PBEM"), "{told:?}");
    let types = String::from_utf8(file(&["--brief", "--mime-type"]).unwrap().stdout).unwrap();
    assert_eq!(types.lines().collect::<Vec<_>>(), ["text/x-pbem", "text/x-pbem", "text/plain"]);
}

#[test]
fn bat_shows_a_record_in_colours() {
    let session = Session::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Debian has another program of that name.
    let found = ["batcat", "bat"].into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(program) = found else { return passed_over("bat") };
    session.write(
        "bat/syntaxes/pbem.sublime-syntax",
        fs::read(root.join("examples/editors/syntax/pbem.sublime-syntax")).unwrap(),
    );
    session.write(
        "bad.pbem",
        record(1) + "# a remark\n2 besiegers c4-c5 @2026-11-22T08:02:11Z {the gate!}\n= draw: agreed\n",
    );
    let bat = |args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).env("BAT_CACHE_PATH", session.path("cache")).env("HOME", session.path("home"));
        let done = command.current_dir(session.folder.path()).output().expect("bat");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    bat(&["cache", "--build", "--source", "bat", "--target", "cache"]);
    let shown = bat(&["--plain", "--color=always", "--theme=ansi", "bad.pbem"]);
    let entry = shown.lines().find(|line| line.contains("c5")).expect("the entry");
    for part in ["2", "besiegers", "2026-11-22T08:02:11Z", "the gate!"] {
        assert!(entry.contains(&format!("m{part}\u{1b}[0m")), "{part} has a colour of its own: {entry:?}");
    }
    // Only the first line of the file begins a header, and YAML's colours are within it.
    assert!(shown.lines().any(|line| line.contains("mgame\u{1b}[0m: ")), "{shown:?}");
    assert!(shown.lines().any(|line| line.ends_with("draw: agreed\u{1b}[0m")), "{shown:?}");
}

#[test]
fn the_settings_that_players_read_of_are_those_of_the_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let told = read("notation/playing.md");
    let helix = read("examples/editors/helix.toml");
    let (_, settings) = helix.split_once('\n').unwrap();
    assert!(told.contains(&format!("```toml\n{settings}```\n")), "{settings}");
    let emacs = read("examples/editors/emacs.el");
    for word in
        ["pbem-mode text-mode", "#'completion-at-point)", "'(pbem-mode . (\"postrider\" \"lsp\"))", "#'eglot-ensure)"]
    {
        assert!(told.contains(word) && emacs.contains(word), "{word}");
    }
}

/// An editor that finds the program, a home of its own, and a record with a fault.
fn editor(session: &Session, name: &str) -> Command {
    session.write("bad.pbem", record(1) + "2 besiegers b4-b3 @2026-11-22T08:02:11Z\n");
    session.write("home/.keep", "");
    let program = Path::new(env!("CARGO_BIN_EXE_postrider")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([program.to_owned()].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut command = Command::new(name);
    for (name, value) in session.command(&[]).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("PATH", path).stdin(Stdio::null());
    command.env("HOME", session.path("home")).env("RECORD", session.path("bad.pbem"));
    command
}

#[test]
fn neovim_shows_and_mends_with_the_settings_of_the_examples() {
    if Command::new("nvim").arg("--version").output().is_err() {
        return passed_over("nvim");
    }
    let session = Session::new();
    let done = editor(&session, "nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "+luafile tests/editors/neovim.lua"])
        .output()
        .expect("Neovim");
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said).replace('\r', "");
    for line in [
        "11:13 b4-b3: a besieger may not go back",
        "suggested 2 besiegers c4-c5",
        "accepted 2 besiegers c4-c5 @2026-11-21T12:00:00Z: 0 faults",
        "hover ```text",
        "line 2 besiegers c4-c5 @2026-11-21T12:00:00Z",
        "colours pbemNumber pbemSide",
        "0 faults",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[test]
fn emacs_shows_and_mends_with_the_settings_of_the_examples() {
    let session = Session::new();
    let emacs = |script: &str| {
        editor(&session, "emacs").args(["--batch", "-f", "package-initialize", "--eval", script]).output()
    };
    if !emacs("(require 'eglot)").is_ok_and(|done| done.status.success()) {
        return passed_over("Emacs with eglot");
    }
    let done = emacs("(load (expand-file-name \"tests/editors/emacs.el\") nil t)").unwrap();
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    for line in [
        "11:13 postrider [T21]: b4-b3: a besieger may not go back",
        "suggested 2 besiegers c4-c5",
        "hover T21 never backwards",
        "line 2 besiegers c4-c5 @2026-11-21T12:00:00Z",
        "0 faults",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
}
