//! What holds the house together beside Cargo: every game is registered, every crate packs what it includes, and the text about the house
//! names what is there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::circles::source_folders;

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
    assert_eq!(folders, referee::registry::GAMES.len());
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
fn what_the_design_names_is_in_the_sources() {
    let design = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("DESIGN.md")).expect("the design");
    let sources: Vec<_> = sources().into_iter().map(|(name, _, source)| (name, code(&source))).collect();
    let is_path = |span: &&str| {
        let mut parts = span.split("::");
        span.contains("::")
            && parts.all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    // Spans in backticks are every second piece; blocks of code are in none.
    let named: Vec<_> = design.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).filter(is_path).collect();
    let missing: Vec<_> = named.iter().filter(|path| !is_there(&sources, path)).collect();
    assert!(missing.is_empty(), "DESIGN.md names what is not there: {missing:?}");
    assert!(named.len() > 40, "{}", named.len());
    for no_more in ["Game::confide", "kernel::Unheard", "cli::nowhere"] {
        assert!(!is_there(&sources, no_more), "{no_more}");
    }
}
