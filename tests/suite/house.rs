//! What holds the house together beside Cargo: every game is registered, every crate packs what it includes, and the text about the house
//! names what is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::circles::source_folders;
use crate::documents::decisions;

/// Every source file with the path of its module, which begins with the name of its crate; files of the program have none.
fn sources() -> Vec<(String, PathBuf, String)> {
    let mut sources = Vec::new();
    for root in source_folders() {
        let of_crate = root
            .parent()
            .and_then(Path::file_name)
            .filter(|_| root.components().any(|part| part.as_os_str() == "crates"));
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let within = path.strip_prefix(&root).expect("below").with_extension("");
                    let parts = of_crate.map(|name| name.to_string_lossy().into_owned()).into_iter();
                    let parts = parts.chain(within.iter().map(|part| part.to_string_lossy().into_owned()));
                    let name = parts.filter(|part| part != "mod" && part != "lib").collect::<Vec<_>>().join("::");
                    let text = fs::read_to_string(&path).expect("a source");
                    sources.push((name, path, text));
                }
            }
        }
    }
    sources
}

/// The code of a source file without its tests and comments.
fn code(source: &str) -> String {
    let code = source.split("\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_game_of_the_folder_is_registered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/games/src");
    let folders = fs::read_dir(folder)
        .expect("the games")
        .filter(|entry| entry.as_ref().expect("an entry").path().is_dir())
        .count();
    let listed = postrider_referee::registry::GAMES.len();
    assert_eq!(folders, listed, "each folder of crates/games/src has a line in `with_all_games!` in its lib.rs");
}

/// Cargo packs nothing that stands outside a package.
#[test]
fn what_a_crate_includes_is_in_its_own_package() {
    let mut seen = 0;
    for (name, path, source) in sources() {
        if name.split("::").any(|part| part == "tests") {
            continue;
        }
        let package = path.ancestors().find(|folder| folder.join("Cargo.toml").exists()).expect("a package");
        let code = code(&source);
        for part in ["include_str!(\"", "include_bytes!(\""].iter().flat_map(|begin| code.split(begin).skip(1)) {
            let file = part.split('"').next().expect("a path");
            let there = path.parent().expect("a folder").join(file).canonicalize();
            let there = there.unwrap_or_else(|error| panic!("{name}: {file}: {error}"));
            assert!(there.starts_with(package.canonicalize().expect("a folder")), "{name}: {file}");
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

/// proptest looks for the cases that failed once beside the `src` of the crate, by the path of the source, and says nothing if they are
/// not there.
#[test]
fn cases_that_failed_once_are_where_their_tests_look_for_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = crates().into_iter().map(|name| crate_folder(&name)).chain([root.to_owned()]);
    let (mut folders, mut seen) = (packages.map(|package| (package.clone(), package)).collect::<Vec<_>>(), 0);
    folders.iter_mut().for_each(|(folder, _)| folder.push("proptest-regressions"));
    while let Some((folder, package)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push((path, package.clone()));
                continue;
            }
            let within = path.strip_prefix(package.join("proptest-regressions")).expect("below");
            let source = package.join("src").join(within).with_extension("rs");
            let text = fs::read_to_string(&source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
            assert!(text.contains("proptest!"), "{}", source.display());
            seen += 1;
        }
    }
    assert!(seen > 0);
}

/// Whether a text has a word that is no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let part = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
    text.match_indices(word)
        .any(|(at, _)| !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next()))
}

/// Whether a path such as `kernel::Facts`, `cli::receive` or `Game::play` names something: a module, what a module or one below it
/// defines or hands on, or a member of a type. Of each source its code is given.
fn is_there(sources: &[(String, String)], path: &str) -> bool {
    let (before, last) = path.rsplit_once("::").expect("a path");
    if before.starts_with(char::is_uppercase) {
        let of_type = |code: &str| {
            ["struct", "enum", "trait"].iter().any(|kind| has_word(code, &format!("{kind} {before}")))
                || code.lines().any(|line| line.starts_with("impl") && has_word(line, before))
        };
        return sources.iter().any(|(_, code)| of_type(code) && has_word(code, last));
    }
    let (within, below) = (format!("::{before}::"), format!("::{path}::"));
    let in_module = |name: &str, path: &str| format!("::{name}::").replace("::mod::", "::").contains(path);
    sources.iter().any(|(name, code)| {
        let defines = |kind: &&str| has_word(code, &format!("{kind} {last}"));
        in_module(name, &below)
            || in_module(name, &within)
                && (["fn", "struct", "enum", "trait", "type", "const", "static"].iter().any(defines)
                    || code
                        .split("pub use ")
                        .skip(1)
                        .any(|list| has_word(list.split(';').next().unwrap_or_default(), last)))
    })
}

/// What is renamed or removed in the code leaves no name behind in the text about it.
#[test]
fn what_the_pages_about_the_code_name_is_in_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = decisions().into_iter().chain(["ARCHITECTURE.md".to_owned()]);
    let design: String = pages.map(|page| fs::read_to_string(root.join(page)).expect("a page")).collect();
    let sources: Vec<_> = sources().into_iter().map(|(name, _, source)| (name, code(&source))).collect();
    let is_path = |span: &&str| {
        let mut parts = span.split("::");
        span.contains("::")
            && parts.all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    // Spans in backticks are every second piece; blocks of code are in none.
    let named: Vec<_> = design.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).filter(is_path).collect();
    let missing: Vec<_> = named.iter().filter(|path| !is_there(&sources, path)).collect();
    assert!(missing.is_empty(), "the pages name what is not there: {missing:?}");
    assert!(named.len() > 40, "{}", named.len());
    for no_more in ["Game::confide", "kernel::Unheard", "cli::nowhere"] {
        assert!(!is_there(&sources, no_more), "{no_more}");
    }
}

/// The crates of the project that a manifest names below `[dependencies]`, for any system, without `postrider-`; those that only tests use are
/// not in it.
pub(crate) fn uses(folder: &Path) -> BTreeSet<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let (mut used, mut counts) = (BTreeSet::new(), false);
    for line in manifest.lines() {
        if line.starts_with('[') {
            counts = line.ends_with("dependencies]") && !line.contains("dev-");
        } else if counts {
            used.extend(
                line.split(['.', ' ', '=']).next().and_then(|name| name.strip_prefix("postrider-")).map(str::to_owned),
            );
        }
    }
    used
}

pub(crate) fn crate_folder(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if name == "notation" { root.join(name) } else { root.join("crates").join(name) }
}

/// The names of the crates below `crates/`, but for what only tests use.
pub(crate) fn crates() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let names = fs::read_dir(folder).expect("the crates").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| crate_folder(name).join("Cargo.toml").exists() && name != "testing");
    names.sort();
    names
}

/// A crate, and all of the project that it is built from.
fn reach(name: &str) -> BTreeSet<String> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![name.to_owned()]);
    while let Some(name) = next.pop() {
        next.extend(uses(&crate_folder(&name)));
        reached.insert(name);
    }
    reached
}

/// The table in ARCHITECTURE.md says for each crate what it is built upon, from the lowest up. What a crate uses stands above it in the table, and
/// is reached by what the table says.
#[test]
fn a_crate_uses_what_the_table_says_and_nothing_above_it() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let design = fs::read_to_string(page).expect("the page");
    let table = design.split("| crate | what it knows | uses |").nth(1).and_then(|text| text.split("\n\n").next());
    let mut said: Vec<(String, BTreeSet<String>)> = Vec::new();
    for row in table.expect("the table").lines().filter(|row| row.starts_with("| `")) {
        let cells: Vec<_> = row.trim_matches('|').split('|').collect();
        let (name, below) = (cells[0].split('`').nth(1).expect("a name"), cells.last().expect("a cell"));
        let mut may: BTreeSet<String> = below.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let direct: Vec<String> = may.iter().cloned().collect();
        for used in direct {
            let lower = said.iter().find(|(name, _)| *name == used);
            may.extend(lower.unwrap_or_else(|| panic!("{name}: {used} stands below it")).1.iter().cloned());
        }
        let found = uses(&crate_folder(name));
        assert!(found.is_subset(&may), "{name} uses {found:?}, and may use {may:?}");
        said.push((name.to_owned(), may));
    }
    let mut named: Vec<_> = said.into_iter().map(|(name, _)| name).filter(|name| name != "notation").collect();
    named.sort();
    assert_eq!(named, crates());
}

/// Pages of a game and other languages get the referee alone: there is no code in it that could keep or tell a secret.
#[test]
fn requests_and_pages_are_built_from_nothing_that_keeps_a_key_or_sends_a_letter() {
    for name in ["requests", "page", "machine", "editor", "board", "referee"] {
        for beyond in ["disk", "mail", "settings", "vault", "home", "post", "git", "host", "player", "archive"] {
            assert!(!reach(name).contains(beyond), "{name} is built from {beyond}");
        }
    }
    assert!(reach("player").contains("home") && !reach("player").contains("post"));
}

/// What ARCHITECTURE.md says also compiles for WebAssembly is compiled for it: as a part of the module, or alone.
#[test]
fn each_crate_that_needs_no_machine_is_compiled_for_one_without() {
    let read = |file: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a page");
    let design = read("ARCHITECTURE.md");
    let said =
        design.split_once("also compile for").and_then(|(before, _)| before.rsplit_once("\n\n")).expect("a list").1;
    let checks = read(".ci/run");
    let job = checks.split_once("\ncheck_wasm() {").and_then(|(_, job)| job.split_once("\n}")).expect("a job").0;
    let alone = job.split_once("for crate in ").and_then(|(_, names)| names.split_once("; do")).expect("names").0;
    assert!(job.contains("--package postrider-web --features home --target wasm32-unknown-unknown"), "{job}");
    let mut compiled: BTreeSet<String> = alone.split_whitespace().flat_map(reach).collect();
    compiled.extend(uses(&Path::new(env!("CARGO_MANIFEST_DIR")).join("web")).iter().flat_map(|name| reach(name)));
    for name in said.split('`').skip(1).step_by(2) {
        assert!(compiled.contains(name), "{name} is not compiled for WebAssembly: the job `wasm` of .ci/run");
    }
}

/// A game knows nothing of records, and what judges nothing of what plays.
#[test]
fn games_know_no_record_and_the_judge_knows_no_machine() {
    assert_eq!(reach("games").into_iter().collect::<Vec<_>>(), ["games", "kernel", "notation"]);
    assert!(!reach("referee").contains("search") && !reach("board").contains("machine"));
}

/// Three crates may do what the others may not, and say so in a `clippy.toml` of their own; nobody reads the clock but `disk`.
#[test]
fn only_disk_git_and_post_have_exceptions_for_a_whole_crate() {
    let with_own: Vec<_> =
        crates().into_iter().filter(|name| crate_folder(name).join("clippy.toml").exists()).collect();
    assert_eq!(with_own, ["disk", "git", "post"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let clocks = ["std::time::SystemTime::now", "chrono::Utc::now", "chrono::Local::now"];
    for settings in ["clippy.toml", "crates/clippy.toml", "crates/git/clippy.toml", "crates/post/clippy.toml"] {
        let text = fs::read_to_string(root.join(settings)).expect("settings");
        for clock in clocks {
            assert!(text.contains(&format!("\"{clock}\"")), "{settings}: {clock}");
        }
    }
    let common = fs::read_to_string(root.join("crates/clippy.toml")).expect("settings");
    for refused in ["std::fs::write", "std::fs::File", "std::process::Command", "std::net::TcpStream", "std::env::var"]
    {
        assert!(common.contains(&format!("\"{refused}\"")), "{refused}");
    }
    // An exception for everything would be none.
    for (name, path, source) in sources() {
        let is_front = path.ends_with("lib.rs");
        let plain = code(&source).replace("cfg_attr(test, allow(clippy::disallowed", "");
        assert!(!plain.contains("allow(clippy::disallowed"), "{name}: `#[expect]` with a reason is for that");
        assert!(!(is_front && plain.contains("#![expect(clippy::disallowed")), "{name}");
    }
}

/// Everything is checked for one processor of macOS only, because nothing here differs from one processor to another.
#[test]
fn no_source_asks_for_a_processor() {
    for (name, path, source) in sources() {
        for word in ["target_arch", "target_feature", "core::arch", "std::arch"] {
            assert!(
                !source.contains(word),
                "{name} ({}) names {word}: .ci/run then checks both processors",
                path.display()
            );
        }
    }
}

/// Whoever opens a crate reads first what it knows and where to begin; outside its tests nothing in it panics by its own word.
#[test]
fn every_crate_has_a_front_page_and_denies_panics() {
    for name in crates() {
        let front = fs::read_to_string(crate_folder(&name).join("src/lib.rs")).expect("a front page");
        let page: Vec<_> = front.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(page.len() >= 3 && page.iter().any(|line| line.contains("Begin with")), "{name}");
        assert!(front.contains("deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)"), "{name}");
    }
    assert_eq!(crates().len(), 19);
}

/// A crate without examples in its documentation is not asked for them, and one without tests is not built for them. What is added later must not
/// be passed over for that.
#[test]
fn what_a_manifest_turns_off_is_not_there() {
    let all = sources();
    let (mut without_examples, mut without_tests) = (0, 0);
    for folder in source_folders() {
        let package = folder.parent().expect("a package");
        let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("a manifest");
        let library =
            manifest.split_once("\n[lib]\n").map_or("", |(_, rest)| rest.split("\n[").next().unwrap_or_default());
        let texts: Vec<_> = all.iter().filter(|(_, path, _)| path.starts_with(&folder)).collect();
        let found =
            |what: &str| texts.iter().find(|(.., text)| text.lines().any(|line| line.trim_start().starts_with(what)));
        if library.contains("doctest = false") {
            without_examples += 1;
            for what in ["/// ```", "//! ```"] {
                assert!(found(what).is_none(), "an example in {:?} is not tested", found(what).map(|found| &found.1));
            }
        }
        if library.lines().any(|line| line == "test = false") {
            without_tests += 1;
            assert!(
                found("#[test]").is_none(),
                "the tests in {:?} are not run",
                found("#[test]").map(|found| &found.1)
            );
        }
    }
    assert!(without_examples > 10 && without_tests == 2, "{without_examples}, {without_tests}");
    let main = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs")).expect("a source");
    assert!(!main.contains("#[test]"), "the tests in src/main.rs are not run");
}
