//! What the pages about the project name is there: paths, commands with their options, words for `cargo`, variables, jobs, and figures.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::documents::{pages, read, root};
use crate::house::crates;

/// What stands in backticks on a page, outside its fences, with the page.
fn spans() -> Vec<(String, String)> {
    let mut spans = Vec::new();
    for page in pages() {
        let mut is_fenced = false;
        let text = read(&page);
        let mut prose = String::new();
        for line in text.lines() {
            if line.trim_start().starts_with("```") {
                is_fenced = !is_fenced;
            } else if !is_fenced {
                // A span may go on in the next line, but not in the next paragraph.
                prose.push_str(line);
                prose.push(if line.is_empty() { '\n' } else { ' ' });
            }
        }
        for paragraph in prose.lines() {
            spans.extend(paragraph.split('`').skip(1).step_by(2).map(|span| (page.clone(), span.to_owned())));
        }
    }
    assert!(spans.len() > 1000, "{}", spans.len());
    spans
}

/// The lines of a page's fences of shell that are typed as they are, with the page; those of `console` blocks are run elsewhere.
fn typed() -> Vec<(String, String)> {
    let mut typed = Vec::new();
    for page in pages() {
        let text = read(&page);
        for fence in text.split("\n```sh\n").skip(1).filter_map(|rest| rest.split("\n```").next()) {
            typed.extend(fence.replace("\\\n", " ").lines().map(|line| (page.clone(), line.to_owned())));
        }
    }
    assert!(typed.len() > 20, "{}", typed.len());
    typed
}

/// The words of the first command of a line, as a shell would take them, without the variables before them.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for sign in line.chars() {
        match (quote, sign) {
            (Some(open), _) if open == sign => quote = None,
            (None, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '|' | '>' | '<' | ';' | '&' | '#') => break,
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    let is_variable = |word: &String| {
        word.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    words.into_iter().skip_while(is_variable).collect()
}

/// All files and folders of the sources, as paths from the root that end without a slash.
fn sources() -> BTreeSet<String> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![root().to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if ["target", "node_modules", ".git"].contains(&name.as_str()) {
                continue;
            }
            found.insert(path.strip_prefix(root()).expect("below").to_string_lossy().replace('\\', "/"));
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    found
}

/// Whether a span reads like the path of a source.
fn is_path(span: &str) -> bool {
    let plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let kinds = ["rs", "md", "py", "sh", "toml", "mjs", "js", "ts"];
    let is_file = || span.rsplit_once('.').is_some_and(|(name, kind)| !name.is_empty() && kinds.contains(&kind));
    let tops = ["crates/", "src/", "tests/", "docs/", "notation/", "examples/", "packaging/", "fuzz/", "python/"];
    let begins = || tops.iter().chain(&["web/", "benches/", ".ci/"]).any(|top| span.starts_with(top));
    plain && (begins() || is_file())
}

#[test]
fn every_path_that_a_page_about_the_code_names_is_there() {
    let sources = sources();
    let games: Vec<&str> = postrider_referee::registry::GAMES.iter().map(|game| game.info().name).collect();
    let ignored = read(".gitignore");
    let is_there = |page: &str, path: &str| {
        let folder = Path::new(page).parent().expect("a folder");
        // The end of a path, such as `moves.rs`, is that of some file; and what is only made has a line among what git passes over.
        let end = format!("/{path}");
        root().join(folder).join(path).exists()
            || root().join(path).exists()
            || sources.iter().any(|source| source.ends_with(&end))
            || ignored.lines().any(|line| line.ends_with(&end))
    };
    let (mut missing, mut seen) = (Vec::new(), 0);
    for (page, span) in spans() {
        let about_code = !page.starts_with("notation/") && !page.starts_with("examples/");
        if !about_code || !is_path(&span) {
            continue;
        }
        seen += 1;
        let path = span.trim_end_matches('/');
        // NAME stands for each game, and in the folders of modules as modules are written.
        let names = if path.contains("NAME") && !path.starts_with("src/") { games.clone() } else { vec!["NAME"] };
        for name in names {
            let name = if path.starts_with("crates/") { name.replace('-', "_") } else { name.to_owned() };
            let path = path.replace("NAME", &name).replace("commands/NAME", "commands/move").replace("XX", "en");
            if !is_there(&page, &path) {
                missing.push(format!("{page}: {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "there is no {missing:#?}");
    assert!(seen > 100, "{seen}");
}

/// A command is taken apart as the program does it. What is only its beginning, such as `postrider invite`, may lack something.
#[test]
fn every_command_that_a_page_names_is_one_with_its_options() {
    let commands = postrider::cli::commands();
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (page, line) in spans().into_iter().chain(typed()) {
        let words = shell_words(&line);
        let is_sample = |word: &String| word.contains(['…', '[', '<', '{']) || word == "..." || word == "COMMAND";
        if words.first().is_none_or(|word| word != "postrider") || words.iter().any(is_sample) {
            continue;
        }
        seen += 1;
        if let Err(error) = commands.clone().try_get_matches_from(&words) {
            use clap::error::ErrorKind::{InvalidSubcommand, UnknownArgument};
            if matches!(error.kind(), InvalidSubcommand | UnknownArgument) {
                wrong.push(format!("{page}: {line}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 200, "{seen}");
}

/// The names of all tests of the suite, with their modules, as `cargo test` compares them with the words that it is given.
fn tests_of_the_suite() -> String {
    let mut names = String::new();
    for path in sources() {
        if let Some(module) = path.strip_prefix("tests/suite/").and_then(|path| path.strip_suffix(".rs")) {
            let module = module.replace("/mod", "").replace('/', "::");
            for rest in read(&path).split("#[test]").skip(1) {
                let name = rest.split("fn ").nth(1).and_then(|rest| rest.split('(').next()).unwrap_or_default();
                names.push_str(&format!("{module}::{name}\n"));
            }
        }
    }
    names
}

#[test]
fn what_a_page_gives_to_cargo_is_there() {
    let (tests, crates) = (tests_of_the_suite(), crates());
    let targets = read("Cargo.toml");
    let mut seen = 0;
    for (page, line) in spans().into_iter().chain(typed()) {
        let words = shell_words(&line);
        if words.first().is_none_or(|word| word != "cargo") {
            continue;
        }
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
            match word.as_str() {
                "-p" | "--package" | "--exclude" => {
                    let known = next.strip_prefix("postrider-").is_some_and(|name| {
                        ["notation", "testing", "web", "python"].contains(&name) || crates.iter().any(|one| one == name)
                    });
                    assert!(known || next == "postrider", "{page}: {line}: there is no package {next}");
                }
                "--test" | "--bench" | "--example" | "--bin" => {
                    let named = targets.contains(&format!("name = \"{next}\""));
                    assert!(named, "{page}: {line}: Cargo.toml has no {next}");
                    let after = words[at + 2..].iter().filter(|word| !word.starts_with('-'));
                    for filter in after.filter(|word| next == "suite" && *word != "WORD…") {
                        assert!(tests.contains(filter.as_str()), "{page}: {line}: no test has {filter} in its name");
                    }
                }
                _ => {}
            }
        }
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
}

/// Of the words in brackets behind a step of a recipe each is part of a test's name.
#[test]
fn the_tests_behind_each_step_of_a_new_game_are_there() {
    let tests = tests_of_the_suite();
    let page = read("CONTRIBUTING.md");
    let recipe = page.split("## Adding a game").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the recipe");
    let mut seen = 0;
    for behind in recipe.lines().filter_map(|line| line.trim_start().strip_prefix('(')) {
        let is_word = |span: &&str| span.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        for word in behind.split('`').skip(1).step_by(2).filter(is_word) {
            assert!(tests.contains(word), "no test has {word} in its name");
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen}");
}

#[test]
fn every_variable_that_a_page_names_is_read_somewhere() {
    let mut named = BTreeSet::new();
    for page in pages() {
        let text = read(&page);
        for at in text.match_indices("POSTRIDER_").map(|(at, _)| at) {
            let end = text[at..].find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(text.len() - at);
            named.insert(text[at..at + end].to_owned());
        }
    }
    let kinds = [".rs", ".mjs", ".py", "run", "mutants", "build"];
    let readers: String = sources()
        .iter()
        .filter(|path| kinds.iter().any(|kind| path.ends_with(kind)) && root().join(path).is_file())
        .filter(|path| *path != "tests/suite/named.rs")
        .map(|path| read(path))
        .collect();
    let missing: Vec<_> = named.iter().filter(|name| !readers.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "nothing reads {missing:?}");
    assert!(named.len() > 10, "{named:?}");
}

#[test]
fn every_job_of_the_checks_that_a_page_names_is_one() {
    let checks = read(".ci/run");
    let jobs = checks.split("\njobs='\n").nth(1).and_then(|rest| rest.split("\n'").next()).expect("the jobs");
    let jobs: Vec<&str> = jobs.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let mut seen = 0;
    for page in ["CONTRIBUTING.md", "docs/publishing.md"] {
        let text = read(page);
        for named in text.split("he job `").skip(1).filter_map(|rest| rest.split('`').next()) {
            assert!(jobs.contains(&named), "{page}: there is no job {named}");
            seen += 1;
        }
    }
    assert!(seen >= 2 && jobs.len() > 20, "{seen}");
}

/// Whatever the page on publishing lists is made by the script that it is about.
#[test]
fn the_folder_for_the_web_has_what_its_page_lists() {
    let (page, script) = (read("docs/publishing.md"), read("packaging/release"));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|row| row.split(" | ").next());
    let named: Vec<String> =
        rows.flat_map(|row| row.split('`').step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect();
    for name in &named {
        assert!(script.contains(&format!("$site/{}", name.trim_end_matches('/'))), "{name}");
    }
    assert!(named.len() >= 8, "{named:?}");
}

#[test]
fn the_version_is_the_same_wherever_it_stands() {
    let manifest = read("Cargo.toml");
    let version = env!("CARGO_PKG_VERSION");
    assert!(manifest.contains(&format!("[workspace.package]\nversion = \"{version}\"\n")));
    let of_crates: Vec<&str> =
        manifest.lines().filter(|line| line.contains("{ path = ") && line.contains("version")).collect();
    assert!(of_crates.len() >= crates().len(), "{of_crates:?}");
    for line in of_crates {
        assert!(line.contains(&format!("version = \"{version}\"")), "Cargo.toml: {line}");
    }
    for (file, text) in [
        ("web/package.json", format!("\"version\": \"{version}\"")),
        ("web/README.md", format!("./postrider-referee-{version}.tgz")),
        ("examples/editors/vscode/package.json", format!("\"version\": \"{version}\"")),
        ("examples/editors/vscode/README.md", format!("postrider-{version}.vsix")),
        ("web/LICENSES-OF-CRATES.txt", format!("postrider-web {version} ")),
        ("python/LICENSES-OF-CRATES.txt", format!("postrider-python {version} ")),
        ("CHANGELOG.md", format!("## {version}")),
    ] {
        assert!(read(file).contains(&text), "{file} has not: {text}");
    }
}

/// The crates of the first table on the page about them are in the manifest, and those that we do without are in none that is handed out.
#[test]
fn the_crates_that_the_page_about_them_names_are_used() {
    let page = read("docs/decisions/our-dependencies.md");
    let manifest = read("Cargo.toml") + &read("python/Cargo.toml");
    let used: String = crates().iter().map(|name| read(&format!("crates/{name}/Cargo.toml"))).collect();
    let is_known = |text: &str, name: &str| {
        text.lines().any(|line| line.starts_with(&format!("{name}.")) || line.starts_with(&format!("{name} =")))
    };
    let (first, second) = page.split_once("Our own instead of a crate:").expect("two tables");
    let column = |table: &str| -> Vec<String> {
        let rows = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
        let cells = rows.filter_map(|row| row.split(" | ").nth(1).map(str::to_owned));
        cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    let (with, without) = (column(first), column(second));
    for name in &with {
        assert!(is_known(&manifest, name), "no manifest has {name}");
    }
    for name in without.iter().filter(|name| !with.contains(name) && !name.contains(' ')) {
        assert!(!is_known(&used, name), "{name} is used");
    }
    assert!(with.len() > 30 && without.len() >= 5, "{with:?} {without:?}");
}

#[test]
fn no_source_has_more_than_800_lines() {
    assert!(read("CONTRIBUTING.md").contains("none over 800 lines"));
    let mut seen = 0;
    for path in sources().iter().filter(|path| path.ends_with(".rs")) {
        let lines = read(path).lines().count();
        assert!(lines <= 800, "{path} has {lines} lines");
        seen += 1;
    }
    assert!(seen > 500, "{seen}");
}
