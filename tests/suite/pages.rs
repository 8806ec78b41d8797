//! Pages: what is in them, how large they are, and that nothing in a record can become markup. How browsers handle them
//! is tested in `tests/browser`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::session::Session;

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name).to_string_lossy().into_owned()
}

fn page(session: &Session, args: &[&str]) -> String {
    let mut all = vec!["page"];
    all.extend(args);
    session.run(&all).ok()
}

/// The values of an attribute, in order, with quotes or without.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let begin = format!(" {attribute}=");
    let value = |rest: &'a str| match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split([' ', '>']).next(),
    };
    page.split(begin.as_str()).skip(1).filter_map(value).collect()
}

/// How many boards a page has.
fn boards(page: &str) -> usize {
    values(page, "class").into_iter().filter(|class| *class == "board" || class.starts_with("board ")).count()
}

/// The record that is inside a page.
pub fn saved(page: &str) -> Vec<u8> {
    let links = values(page, "href");
    let link = links.iter().find_map(|link| link.strip_prefix("data:text/plain;charset=utf-8")).expect("the record");
    match link.strip_prefix(";base64,") {
        Some(base64) => data_encoding::BASE64.decode(base64.as_bytes()).expect("base64"),
        None => {
            let parts: Vec<&str> = link.trim_start_matches(',').split('%').collect();
            let (first, rest) = parts.split_first().expect("a part");
            let decoded = rest.iter().flat_map(|part| {
                let (byte, text) = part.split_at(2);
                [&[u8::from_str_radix(byte, 16).expect("a byte")], text.as_bytes()].concat()
            });
            first.bytes().chain(decoded).collect()
        }
    }
}

/// The elements that pages consist of.
const ELEMENTS: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "dd",
    "defs",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "footer",
    "g",
    "h1",
    "h2",
    "header",
    "input",
    "label",
    "legend",
    "li",
    "main",
    "nav",
    "noscript",
    "ol",
    "p",
    "path",
    "pre",
    "q",
    "section",
    "small",
    "span",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "text",
    "th",
    "thead",
    "tr",
    "use",
];

/// Checks what must be true of every page, whatever is in it.
fn is_sound(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    assert!(page.contains("content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-"));
    let ids = values(page, "id");
    let unlike: BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unlike.len(), "two elements with the same id");
    for link in values(page, "href") {
        match link.strip_prefix('#') {
            Some(id) => assert!(unlike.contains(&id), "{link} leads nowhere"),
            None => assert!(link.starts_with("data:text/plain;charset=utf-8"), "{link}"),
        }
    }
    for described in values(page, "aria-describedby").into_iter().chain(values(page, "aria-labelledby")) {
        assert!(described.split(' ').all(|id| unlike.contains(&id)), "{described}");
    }
    // Text is escaped, so whatever begins with `<` is an element.
    let body = page.split("<body>").nth(1).unwrap_or_default().split("<script").next().unwrap_or_default();
    for element in body.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        let name = element.trim_start_matches('/').split(' ').next().unwrap_or_default();
        assert!(ELEMENTS.contains(&name), "<{element}>");
        // Not inside the quotes of a value.
        let outside: String = element.split('"').step_by(2).collect();
        for attribute in [" style=", " src=", " on"] {
            assert!(!outside.contains(attribute), "<{element}>");
        }
    }
}

#[test]
fn a_page_has_a_board_for_every_entry_and_the_record_itself() {
    let session = Session::new();
    for (name, most) in [
        // 39, 63, 27, 20, 43 and 31 entries.
        ("asalto/fifteen-captures", 72_000),
        ("assideum/the-portal-at-the-gate", 115_000),
        ("assassyn/open-game", 51_000),
        ("assassyn/sealed-game", 44_000),
        ("subsume/a-city-built-and-lost", 88_000),
        ("mission-combat/open-game", 120_000),
    ] {
        let file = example(&format!("{name}.pbem"));
        let record = fs::read_to_string(&file).expect("an example");
        let entries = record.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
        let made = page(&session, &[&file]);
        is_sound(&made);
        assert_eq!(boards(&made), entries + 1, "{name}");
        assert!(made.len() < most, "{name}: {} bytes", made.len());
        // The phrases that describe the last board are its words, which stand beside it.
        let phrases = values(&made, "aria-describedby").pop().expect("a description");
        let phrase = |id| made.split_once(&format!("<p id={id}>")).expect("a phrase").1.split('<').next();
        let (_, beside) = made.split_once("<p class=words>").expect("the words");
        assert_eq!(
            phrases.split(' ').filter_map(phrase).collect::<String>(),
            beside.split('<').next().unwrap_or_default()
        );
        assert_eq!(saved(&made), record.as_bytes(), "{name}");
        assert_eq!(made, page(&session, &[&file]), "the same bytes each time");
    }
}

#[test]
fn a_page_with_forty_entries_takes_a_hundred_and_thirty_kilobytes_at_most() {
    let session = Session::new();
    let forty = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pages/forty-entries.pbem");
    let forty = fs::read_to_string(forty).expect("the record");
    session.write("mission-combat.pbem", &forty);
    for (game, name) in [
        ("asalto", "the-fortress-falls"),
        ("assideum", "a-siege-without-end"),
        ("mission-combat", "sealed-game"),
        ("subsume", "a-city-built-and-lost"),
    ] {
        let record = fs::read_to_string(example(&format!("{game}/{name}.pbem"))).expect("an example");
        let lines = record.lines().take_while(|line| !line.starts_with("41 ")).map(|line| format!("{line}\n"));
        session.write(&format!("{name}.pbem"), lines.collect::<String>());
    }
    for name in ["mission-combat", "the-fortress-falls", "a-siege-without-end", "sealed-game", "a-city-built-and-lost"]
    {
        session.run(&["page", &format!("{name}.pbem"), "-o", "page.html"]).ok();
        let made = session.read("page.html");
        is_sound(&made);
        assert_eq!(boards(&made), 41, "{name}");
        assert!(made.len() < 130_000, "{name}: {} bytes", made.len());
    }
}

#[test]
fn without_addresses_nothing_of_them_is_in_the_page() {
    let session = Session::new();
    let file = example("asalto/fifteen-captures.pbem");
    let warned = session.run(&["page", &file, "-o", "game.html"]).err;
    assert!(warned.contains("--without-addresses"), "{warned}");
    let made = page(&session, &[&file, "--without-addresses"]);
    is_sound(&made);
    assert!(!made.contains("example.org") && !made.contains("data:") && made.contains("nothing in it can be verified"));
    let base64 = data_encoding::BASE64.encode(b"ada@example.org");
    assert!(!made.contains(&base64[..16]));
}

#[test]
fn a_game_longer_than_any_real_one_has_no_page() {
    let session = Session::new();
    let shape =
        crate::shapes::SHAPES.iter().find(|shape| shape.name == "asalto: to and fro on rank 5").expect("the shape");
    session.write("games/long.pbem", (shape.write)(50_001));
    let refused = session.run(&["page", "games/long.pbem", "-o", "long.html"]);
    assert!(
        refused.err.contains("games/long.pbem has 50001 entries, and a page shows at most 50000"),
        "{}",
        refused.err
    );
    refused.fails(2);
    let listed = session.run(&["page", "games", "-o", "pages"]);
    assert!(listed.err.contains("and 0 pages beside it"), "{}", listed.err);
    assert!(session.read("pages/index.html").contains("long"));
}

/// A record in which everything that a player can choose is markup.
fn hostile() -> String {
    let bad = "</title></p></script><script>alert(1)</script><img src=x onerror=alert(2)>\\\" onload=\\\"alert(3)";
    format!(
        "---\npbem: 1\ngame: asalto\nid: asalto-hostile\nplayers:\n  besiegers: {{name: \"A{bad}\", email: ada@example.org}}\n  defenders: \
         {{name: \"B{bad}\"}}\nstarted: 2026-11-21\ntitle: \"T{bad}\"\ntags: {{round: \"{bad}\"}}\n---\n1 defenders place c6 e6 \
         {{</blockquote><script>alert(4)</script><svg onload=alert(5)>\"'&#x3c;}}\n# <script>alert(6)</script>\n"
    )
}

#[test]
fn nothing_in_a_record_becomes_markup() {
    let session = Session::new();
    session.write("hostile.pbem", hostile());
    for args in [&["hostile.pbem"][..], &["hostile.pbem", "--without-addresses"], &["hostile.pbem", "--referee"]] {
        let made = page(&session, args);
        is_sound(&made);
        // With the referee, one is data: the module.
        let scripts = if args.contains(&"--referee") { 2 } else { 1 };
        assert_eq!(made.matches("<script").count(), scripts);
        assert!(!made.contains("<img") && !made.contains("<svg onload") && made.contains("&lt;script&gt;alert(4)"));
    }
    // What is refused is quoted, and cannot become markup either.
    session.write("refused.pbem", hostile() + "2 besiegers <script>alert(7)</script>\n");
    session.run(&["page", "refused.pbem", "-o", "refused.html"]).fails(1);
    let made = session.read("refused.html");
    is_sound(&made);
    assert!(made.contains("&lt;script&gt;alert(7)") && !made.contains("<script>alert"));
}

#[test]
fn a_long_game_has_boards_of_some_entries_and_says_so() {
    let session = Session::new();
    let shape =
        crate::shapes::SHAPES.iter().find(|shape| shape.name == "asalto: to and fro on rank 5").expect("the shape");
    for (size, expected, most) in [(600, 601, 290_000), (2000, 37 + 151, 209_000)] {
        session.write("long.pbem", (shape.write)(size));
        let made = page(&session, &["long.pbem"]);
        is_sound(&made);
        assert_eq!(made.contains("The game is long"), size > 600);
        assert_eq!(boards(&made), expected, "{size}");
        assert!(made.len() < most, "{}", made.len());
    }
}

#[test]
fn a_page_of_a_game_of_ordinary_length_shows_its_boards_where_scripts_are_blocked() {
    let session = Session::new();
    let file = example("asalto/fifteen-captures.pbem");
    assert!(page(&session, &[&file]).contains("<div id=kept>"));
    // What verifies and plays needs its script, and is ready sooner this way.
    let with = page(&session, &[&file, "--referee"]);
    assert!(with.contains("<noscript id=kept>") && with.contains("was blocked"));
}

#[test]
fn a_folder_becomes_a_list_and_a_page_a_game() {
    let session = Session::new();
    fs::create_dir_all(session.path("games/old")).expect("a folder");
    for (name, from) in
        [("games/one.pbem", "asalto/open-game.pbem"), ("games/old/one.pbem", "assideum/a-siege-without-end.pbem")]
    {
        session.write(name, fs::read_to_string(example(from)).expect("an example"));
    }
    session.write("games/<b>.pbem", hostile());
    session.write("games/bad.pbem", "no record\n");
    let told = session.run(&["page", "games", "-o", "pages"]).fails(1);
    assert!(told.contains("3 pages beside it"), "{told}");
    let index = session.read("pages/index.html");
    assert!(!index.contains("<b>.pbem") && !index.contains("<img") && index.contains("state3"), "{index}");
    // Where the folder lies is not published.
    let folder = session.path("games");
    session.run(&["page", &folder.to_string_lossy(), "-o", "again"]).fails(1);
    let again = session.read("again/index.html");
    assert!(!again.contains(&*folder.to_string_lossy()) && again.contains("<small>old/one.pbem</small>"), "{again}");
    let links: Vec<_> = values(&index, "href").into_iter().map(str::to_owned).collect();
    assert_eq!(links.len(), 3);
    for link in links {
        is_sound(&session.read(&format!("pages/{link}")));
    }
}

#[test]
fn a_folder_without_records_is_named_and_nothing_is_written() {
    let session = Session::new();
    fs::create_dir_all(session.path("empty/deep")).expect("a folder");
    session.write("empty/notes.txt", "no record\n");
    for output in ["pages", "pages.html"] {
        let told = session.run(&["page", "empty", "-o", output]).fails(2);
        assert!(told.contains("error: there is no record (*.pbem) in empty\n"), "{told}");
        assert!(told.contains("hint: name a folder with records in it"), "{told}");
        assert!(!session.path(output).exists());
    }
}

#[test]
fn the_pages_of_a_folder_do_not_go_into_a_file() {
    let session = Session::new();
    fs::create_dir_all(session.path("games")).expect("a folder");
    let record = fs::read_to_string(example("asalto/open-game.pbem")).expect("an example");
    session.write("games/one.pbem", record);
    for (output, there, instead) in [
        ("out.html", false, "-o out/"),
        ("my games.HTM", false, "-o 'my games'/"),
        ("old.html", true, "-o old/"),
        ("notes", true, "-o pages/"),
    ] {
        if there {
            session.write(output, "mine\n");
        }
        let told = session.run(&["page", "games", "-o", output]).fails(2);
        assert!(told.contains("the pages of a folder are several files"), "{told}");
        assert!(told.contains(&format!("hint: name a folder for them, as in {instead}\n")), "{told}");
        assert_eq!(session.path(output).exists(), there);
        if there {
            assert_eq!(session.read(output), "mine\n");
        }
    }
    // A folder that is there already may be called anything.
    fs::create_dir_all(session.path("site.html")).expect("a folder");
    session.run(&["page", "games", "-o", "site.html"]).ok();
    assert!(session.path("site.html/one.html").exists());
}

#[test]
fn the_page_with_the_referee_is_small_enough_to_be_mailed() {
    let session = Session::new();
    let made = page(&session, &[&example("asalto/fifteen-captures.pbem"), "--referee"]);
    is_sound(&made);
    assert!(made.contains("'wasm-unsafe-eval'") && made.len() < 1_325_000, "{} bytes", made.len());
    // The largest of the examples.
    let largest = page(&session, &[&example("mission-combat/sealed-game.pbem"), "--referee"]);
    assert!(largest.len() < 1_485_000, "{} bytes", largest.len());
    let alone = page(&session, &["--referee"]);
    is_sound(&alone);
    // What handles secrets is in the page without a game, and nowhere else.
    assert!(alone.contains("PBKDF2") && !made.contains("PBKDF2") && made.contains("id:\"guest\""));
    // It reads letters in every charset, and the tables of those of East Asia are large.
    assert!(alone.len() < 2_790_000, "{} bytes", alone.len());
}

#[test]
fn the_app_is_the_same_bytes_each_time_and_holds_together() {
    let session = Session::new();
    let written = session.run(&["page", "--app", "-o", "app"]);
    assert!(written.err.contains("8 files written") && written.code == 0, "{}", written.err);
    session.run(&["page", "--app", "-o", "again/"]).ok();
    let bytes = |folder: &str, name: &str| fs::read(session.path(&format!("{folder}/{name}"))).expect("a file");
    let mut names: Vec<String> = fs::read_dir(session.path("app"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in &names {
        assert_eq!(bytes("app", name), bytes("again", name), "{name}");
    }
    let text = |name: &str| String::from_utf8(bytes("app", name)).expect("UTF-8");
    let (page, worker) = (text("index.html"), text("worker.js"));
    // The worker keeps all but itself, and the page names what is there.
    for name in names.iter().filter(|name| *name != "worker.js") {
        assert!(worker.contains(&format!("\"{name}\"")), "{name}: {worker}");
    }
    assert!(worker.contains("\"./\"") && !worker.contains('@'), "{worker}");
    let module = names.iter().find(|name| name.ends_with(".wasm.gz")).expect("the module");
    assert_eq!(values(&page, "data-file"), [module.as_str()]);
    assert_eq!(bytes("app", module), postrider_page::PLAYER);
    assert!(
        page.contains(&postrider_page::module_digest(postrider_page::PLAYER)[..16])
            && module.contains(&postrider_page::module_digest(postrider_page::PLAYER)[..16])
    );
    let manifest: serde_json::Value = serde_json::from_str(&text("manifest.webmanifest")).expect("JSON");
    for icon in manifest["icons"].as_array().expect("icons") {
        let name = icon["src"].as_str().expect("a name");
        assert!(names.iter().any(|found| found == name), "{name}");
        let size = icon["sizes"].as_str().expect("a size").split('x').next().and_then(|size| size.parse::<u32>().ok());
        if let Some(size) = size {
            assert_eq!(bytes("app", name).get(16..20), Some(&size.to_be_bytes()[..]), "{name}");
        }
    }
    assert!(page.len() < 200_000, "{}", page.len());
    let checked = session.run(&["page", "--check", "app"]);
    assert!(
        checked.code == 0 && checked.out.contains("byte for byte the app of postrider"),
        "{}{}",
        checked.out,
        checked.err
    );
    assert_eq!(session.run(&["page", "--check", "app/index.html"]).code, 0);
    session.write("app/worker.js", worker.replace("GET", "PUT"));
    session.write("app/extra.js", "");
    fs::remove_file(session.path("app/icon.svg")).expect("removed");
    let checked = session.run(&["page", "--check", "app"]);
    assert_eq!(checked.code, 1);
    assert!(
        checked.err.contains("extra.js is no part of it; icon.svg is missing; worker.js differs"),
        "{}",
        checked.err
    );
    for args in [&["page", "--app"][..], &["page", "--app", "-o", "app/index.html"]] {
        assert_eq!(session.run(args).code, 2, "{args:?}");
    }
}

#[test]
fn check_tells_a_page_of_this_version_from_any_other() {
    let session = Session::new();
    let kinds: [(&str, &[&str]); 6] = [
        ("asalto/fifteen-captures.pbem", &[]),
        ("asalto/fifteen-captures.pbem", &["--from", "defenders"]),
        ("asalto/a-signed-game.pbem", &["--referee"]),
        ("subsume/a-city-built-and-lost.pbem", &["--referee", "--from", "black"]),
        ("assassyn/sealed-game.pbem", &[]),
        ("", &["--referee"]),
    ];
    let check = |page: &[u8]| {
        session.write("page.html", page);
        session.run(&["page", "--check", "page.html"])
    };
    for (name, more) in kinds {
        let file = example(name);
        let mut args = if name.is_empty() { Vec::new() } else { vec![file.as_str()] };
        args.extend(more);
        let page = page(&session, &args);
        let done = check(page.as_bytes());
        assert!(done.code == 0 && done.err.is_empty(), "{name} {more:?}: {}", done.err);
        assert!(done.out.contains("byte for byte what postrider"), "{}", done.out);
        // A letter changed anywhere is found, and its part is named.
        let script = page.rfind("<script>").expect("a script");
        let mut places = vec![
            (page.find("default-src").expect("a policy"), "head"),
            (page.find("<style>").expect("a style") + 20, "style sheet"),
            (page.find("<h1>").expect("a heading") + 5, "text or boards"),
            (script + 300, "script"),
        ];
        places.extend(page.find("id=\"module\"").map(|at| (at + 5000, "referee (the module)")));
        for (at, part) in places {
            let mut changed = page.clone().into_bytes();
            changed[at] = if changed[at] == b'a' { b'b' } else { b'a' };
            let done = check(&changed);
            assert_eq!(done.code, 1, "{name} {part}: {}", done.out);
            assert!(done.err.contains(&format!("its {part}")), "{part}: {}", done.err);
            let line = page[..at].matches('\n').count() + 1;
            assert!(done.err.contains(&format!("from line {line}, byte ")), "{line}: {}", done.err);
        }
        assert_eq!(check(&page.as_bytes()[..page.len() - 1]).code, 1);
        assert_eq!(check(format!("{page}<script>alert(1)</script>").as_bytes()).code, 1);
    }
    // A record that is not the one whose boards are shown.
    let file = example("asalto/fifteen-captures.pbem");
    let changed = page(&session, &[&file]).replacen(
        "data:text/plain;charset=utf-8,",
        "data:text/plain;charset=utf-8,%23 x%0A",
        1,
    );
    assert_eq!(check(changed.as_bytes()).code, 1);
    let done = check(page(&session, &[&file, "--without-addresses"]).as_bytes());
    assert!(done.code == 1 && done.err.contains("the record is not in it"), "{}", done.err);
    for (bytes, says) in
        [(&b"<html>"[..], "no page of postrider"), (b"\xff\xfe", "no page of postrider"), (b"", "no page of postrider")]
    {
        let done = check(bytes);
        assert!(done.code == 1 && done.err.contains(says), "{}", done.err);
    }
    let other =
        page(&session, &[&file]).replacen(&format!("postrider {}", env!("CARGO_PKG_VERSION")), "postrider 0.0.1", 1);
    assert!(check(other.as_bytes()).err.contains("it says that postrider 0.0.1 made it"));
    assert_eq!(session.run(&["page", "--check", "nothing.html"]).code, 2);
    assert_eq!(session.run(&["page", "--check"]).code, 2);
}

#[test]
fn of_many_games_only_the_page_of_the_one_that_went_on_and_the_list_are_written() {
    let session = Session::new();
    fs::create_dir_all(session.path("games/old")).expect("a folder");
    let record = fs::read_to_string(example("asalto/open-game.pbem")).expect("an example");
    let names = ["a", "b", "c", "d", "old/a"];
    for name in names {
        session.write(&format!("games/{name}.pbem"), &record);
    }
    let written = |of: &str| {
        let folder = session.path(of);
        let files = fs::read_dir(&folder).expect("a folder").map(|one| one.expect("a file").path());
        let about = |path: std::path::PathBuf| {
            let modified = fs::metadata(&path).expect("a file").modified().expect("a time");
            (path.file_name().expect("a name").to_string_lossy().into_owned(), (fs::read(&path).expect("it"), modified))
        };
        files.map(about).collect::<std::collections::BTreeMap<_, _>>()
    };
    let make = || session.run(&["page", "games", "-o", "pages"]).ok();
    let changed = |before: &std::collections::BTreeMap<String, (Vec<u8>, std::time::SystemTime)>| {
        let now = written("pages");
        let names = now.iter().filter(|(name, file)| before.get(*name) != Some(file)).map(|(name, _)| name.clone());
        names.filter(|name| name.ends_with(".html")).collect::<Vec<String>>()
    };
    make();
    let first = written("pages");
    assert_eq!(first.keys().filter(|name| name.ends_with(".html")).count(), names.len() + 1);
    make();
    assert_eq!(changed(&first), Vec::<String>::new());
    // One game goes on.
    let last = record.trim_end().rfind('\n').expect("lines");
    session.write("games/c.pbem", &record[..=last]);
    make();
    assert_eq!(changed(&first), ["c.html", "index.html"]);
    // A page that is missing, or was changed, is made again; so is each where pages are made otherwise.
    let second = written("pages");
    fs::remove_file(session.path("pages/a.html")).expect("removed");
    session.write("pages/b.html", "mine\n");
    make();
    let third = written("pages");
    assert!(second.iter().all(|(name, file)| !name.ends_with(".html") || third[name].0 == file.0));
    session.run(&["page", "games", "-o", "pages", "--from", "besiegers"]).ok();
    assert_eq!(changed(&third).len(), names.len());
    // What is kept is what is made anew.
    make();
    session.run(&["page", "games", "-o", "fresh"]).ok();
    let (kept, fresh) = (written("pages"), written("fresh"));
    for (name, file) in fresh.iter().filter(|(name, _)| name.ends_with(".html")) {
        assert!(kept[name].0 == file.0, "{name}");
    }
    // Another game takes the name of a page.
    session.write("games/a/a.pbem", &record[..=last]);
    make();
    session.run(&["page", "games", "-o", "other"]).ok();
    let (kept, fresh) = (written("pages"), written("other"));
    for (name, file) in fresh.iter().filter(|(name, _)| name.ends_with(".html")) {
        assert!(kept[name].0 == file.0, "{name}");
    }
}
