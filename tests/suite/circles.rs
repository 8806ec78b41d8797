//! Imports as arrows between the source files of a crate: nowhere do more than three files import each other in a circle. Between crates
//! Cargo forbids circles. Paths inside code count as well as `use`; a name that a module hands on from another one counts as an import of
//! that one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// How many files may import each other in a circle: a module and the two halves of it, say.
const MOST: usize = 3;

/// The folders of sources: of the program, and of each crate.
pub fn source_folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates =
        fs::read_dir(root.join("crates")).expect("the crates").map(|one| one.expect("a crate").path().join("src"));
    [root.join("src")].into_iter().chain(crates.filter(|folder| folder.is_dir())).collect()
}

/// The code of each source file below a folder by its module, without comments, texts and tests.
fn modules(root: &Path) -> BTreeMap<String, String> {
    let mut folders = vec![root.to_owned()];
    let mut modules = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let within = path.strip_prefix(root).expect("below src").with_extension("");
            let mut parts: Vec<_> = within.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let is_source = path.extension().is_some_and(|extension| extension == "rs");
            if !is_source || parts.iter().any(|part| ["tests", "agreement", "faults"].contains(&part.as_str())) {
                continue;
            }
            if parts.last().is_some_and(|last| last == "mod") {
                parts.pop();
            }
            modules.insert(parts.join("::"), code(&fs::read_to_string(&path).expect("a source")));
        }
    }
    modules
}

fn code(source: &str) -> String {
    let source = source.split("\nmod tests {").next().unwrap_or_default();
    let mut code = String::new();
    // Who may see a thing is no import.
    let source = source.replace("pub(in crate::", "pub (");
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        // What stands between quotes is no path.
        for (nth, part) in line.split('"').enumerate() {
            code.push_str(if nth % 2 == 0 { part } else { "" });
            code.push(' ');
        }
        code.push('\n');
    }
    code
}

/// The paths that a tree of imports names: `a::{b, c::{d, e}}`.
fn paths(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((before, inner)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inner.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            c => parts.last_mut().expect("a part").push(c),
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| paths(&format!("{before}{}", part.trim()))).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The imports of a file, and what else is in it.
struct Source {
    imports: Vec<String>,
    /// Names that it hands on, with the paths that they come from.
    handed_on: BTreeMap<String, Vec<String>>,
    rest: String,
}

/// A path as the parts of one from the root of the crate; `None` for one that leads out of it.
fn absolute(module: &str, path: &str, modules: &BTreeMap<String, String>) -> Option<Vec<String>> {
    let mut here: Vec<String> = module.split("::").map(str::to_owned).collect();
    let mut parts: Vec<&str> = path.split("::").map(str::trim).collect();
    match *parts.first()? {
        "crate" => here.clear(),
        "self" => {}
        "super" => {
            while parts.get(1) == Some(&"super") {
                parts.remove(0);
                here.pop();
            }
            here.pop();
        }
        child if modules.contains_key(&format!("{module}::{child}")) => parts.insert(0, "self"),
        _ => return None,
    }
    Some(here.into_iter().chain(parts.iter().skip(1).map(|part| (*part).to_owned())).collect())
}

fn read(module: &str, modules: &BTreeMap<String, String>) -> Source {
    let mut source = Source { imports: Vec::new(), handed_on: BTreeMap::new(), rest: String::new() };
    for statement in modules[module].split_inclusive(';') {
        let begins = |at: &usize| statement[..*at].chars().next_back().is_none_or(|c| c.is_whitespace() || c == '}');
        let found = statement.match_indices("use ").map(|(at, _)| at).find(begins);
        let Some(at) = found else {
            source.rest.push_str(statement);
            continue;
        };
        let (before, tree) = statement.split_at(at);
        for path in paths(tree.trim_start_matches("use ").trim_end_matches(';')) {
            match absolute(module, &path, modules) {
                Some(parts) if before.trim_end().ends_with("pub") || before.trim_end().ends_with(')') => {
                    source.handed_on.insert(parts.last().cloned().unwrap_or_default(), parts);
                }
                _ => source.imports.push(path),
            }
        }
    }
    // Paths in the code, and names that this file hands on and uses itself.
    let spaced = source.rest.replace(|c: char| !c.is_alphanumeric() && c != '_' && c != ':', " ");
    source.imports.extend(spaced.split(' ').filter(|word| word.contains("::")).map(str::to_owned));
    source
}

/// The file that a path leads to, through what is handed on.
fn target(parts: &[String], sources: &BTreeMap<String, Source>, depth: usize) -> Option<String> {
    for length in (1..=parts.len()).rev() {
        let module = parts[..length].join("::");
        let Some(source) = sources.get(&module) else { continue };
        let handed_on = parts.get(length).and_then(|name| source.handed_on.get(name)).filter(|_| depth > 0);
        return match handed_on {
            Some(path) => target(path, sources, depth - 1).or(Some(module)),
            None => Some(module),
        };
    }
    None
}

/// The arrows between the files below a folder.
fn arrows(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let modules = modules(root);
    let sources: BTreeMap<String, Source> =
        modules.keys().map(|module| (module.clone(), read(module, &modules))).collect();
    let of = |(module, source): (&String, &Source)| {
        let declared: BTreeSet<&str> =
            source.rest.split("mod ").skip(1).filter_map(|rest| words(rest).next()).collect();
        let used: BTreeSet<&str> = words(&source.rest).filter(|word| !declared.contains(word)).collect();
        let own =
            source.handed_on.iter().filter(|(name, _)| used.contains(name.as_str())).map(|(_, path)| path.clone());
        let imports = source.imports.iter().filter_map(|path| absolute(module, path, &modules));
        let found = imports.chain(own).filter_map(|parts| target(&parts, &sources, 4));
        (module.clone(), found.filter(|found| found != module && found != "lib").collect())
    };
    sources.iter().map(of).collect()
}

/// Everything that can be reached from a file.
fn reached<'a>(from: &'a str, arrows: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        for next in arrows.get(module).into_iter().flatten() {
            if reached.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    reached
}

#[test]
fn no_more_than_three_files_import_each_other_in_a_circle() {
    let (mut seen, mut circles) = (0, BTreeSet::new());
    for folder in source_folders() {
        let arrows = arrows(&folder);
        let ways: BTreeMap<&str, BTreeSet<&str>> =
            arrows.keys().map(|module| (module.as_str(), reached(module, &arrows))).collect();
        for (module, to) in &ways {
            let circle: Vec<&str> = to.iter().copied().filter(|other| ways[other].contains(module)).collect();
            if circle.len() > MOST {
                circles.insert(format!("{}: {circle:?}", folder.display()));
            }
            seen += to.len();
        }
    }
    assert!(circles.is_empty(), "these import each other in a circle:\n{}", Vec::from_iter(circles).join("\n"));
    assert!(seen > 2_000, "{seen}");
}

#[test]
fn trees_of_imports_and_paths_in_code_are_read() {
    assert_eq!(paths("crate::a::{b, c::{d as e, f}}"), ["crate::a::b", "crate::a::c::d", "crate::a::c::f"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let has = |name: &str, from: &str, to: &str| {
        arrows(&root.join(name).join("src")).get(from).is_some_and(|found| found.contains(to))
    };
    assert!(has("git", "check::merges", "check"), "by `super::{{…}}`");
    assert!(has("referee", "desk::merge", "verdict"), "by `crate::…`");
    assert!(has("board", "render", "render::blocks"), "by a path in the code");
}
